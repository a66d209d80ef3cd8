/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define MS_PER_S 1000.0

int tally_init(struct tally *t, struct group *g, const struct test *test)
{
	size_t n = test->streams;

	memset(t, 0, sizeof(*t));
	t->group = g;
	t->test = test;
	t->stream = calloc(n, sizeof(*t->stream));
	t->span = calloc(n, sizeof(*t->span));
	return t->stream && t->span ? 0 : -ENOMEM;
}

void tally_done(struct tally *t)
{
	if (!t)
		return;
	free(t->stream);
	free(t->span);
	memset(t, 0, sizeof(*t));
}

static int64_t count_of(const _Atomic uint64_t *counter)
{
	return (int64_t)counter_get(counter);
}

static void tally_sample(const struct tally *t, size_t i, struct sample *out)
{
	const struct stream *st = &t->group->stream[i];

	*out = (struct sample){
		.bytes = counter_get(&st->counters.bytes),
		.calls = counter_get(&st->counters.calls),
		.retransmits = RETRANSMITS_UNKNOWN,
		.datagrams = {
			.packets = count_of(&st->counters.packets),
			.lost = count_of(&st->counters.lost),
			.out_of_order = count_of(&st->counters.out_of_order),
			.jitter_ms = MS_PER_S * atomic_load_explicit(
				(_Atomic double *)&st->counters.jitter_s,
				memory_order_relaxed),
		},
	};
	if (st->is_sender)
		st->conn.transport->path(&st->conn, &out->path,
					 &out->retransmits);
}

void tally_start(struct tally *t, uint64_t now_ns)
{
	size_t i;

	t->start_ns = now_ns;
	t->last_ns = now_ns;
	for (i = 0; i < t->test->streams; i++) {
		memset(&t->stream[i], 0, sizeof(t->stream[i]));
		tally_sample(t, i, &t->stream[i].base);
		t->stream[i].last = t->stream[i].base;
	}
}

/*
 * Datagrams that come late after all reduce the loss of an interval that was
 * already shown: what can't be taken back there is taken off those that
 * follow, so that no interval has a negative loss and their sum is right.
 */
static void span_datagrams(struct tally_stream *ts, const struct sample *now,
			   struct datagrams *out)
{
	const struct datagrams *last = &ts->last.datagrams;
	int64_t lost =
		now->datagrams.lost - ts->base.datagrams.lost - ts->lost_shown;

	*out = (struct datagrams){
		.packets = now->datagrams.packets - last->packets,
		.lost = lost > 0 ? lost : 0,
		.out_of_order =
			now->datagrams.out_of_order - last->out_of_order,
		.jitter_ms = now->datagrams.jitter_ms,
	};
	ts->lost_shown += out->lost;
	datagrams_finish(out);
}

static void remember_path(struct tally_stream *ts, const struct path *p)
{
	struct path_summary *seen = &ts->seen;

	if (!p->is_known)
		return;
	if (!seen->is_known || p->rtt_us < seen->min_rtt_us)
		seen->min_rtt_us = p->rtt_us;
	if (p->rtt_us > seen->max_rtt_us)
		seen->max_rtt_us = p->rtt_us;
	if (p->cwnd_bytes > seen->max_cwnd_bytes)
		seen->max_cwnd_bytes = p->cwnd_bytes;
	if (!seen->is_known || p->wnd_bytes > seen->max_wnd_bytes)
		seen->max_wnd_bytes = p->wnd_bytes;
	seen->reorder = p->reorder;
	seen->is_known = true;
	ts->rtt_sum_us += p->rtt_us;
	ts->rtt_samples++;
}

static void tally_span(struct tally *t, size_t i, uint64_t now_ns,
		       bool is_omitted)
{
	struct tally_stream *ts = &t->stream[i];
	struct sample now;

	tally_sample(t, i, &now);
	t->span[i] = (struct span){
		.start_s = (double)(t->last_ns - t->start_ns) / NS_PER_S,
		.end_s = (double)(now_ns - t->start_ns) / NS_PER_S,
		.bytes = now.bytes - ts->last.bytes,
		.calls = now.calls - ts->last.calls,
		.retransmits = now.retransmits < 0
				       ? RETRANSMITS_UNKNOWN
				       : now.retransmits - ts->last.retransmits,
		.path = now.path,
		.is_omitted = is_omitted,
		.is_sender = t->group->stream[i].is_sender,
	};
	span_datagrams(ts, &now, &t->span[i].datagrams);
	span_finish(&t->span[i]);
	remember_path(ts, &now.path);
	ts->last = now;
}

static void tally_sums(const struct tally *t, struct interval *out)
{
	size_t count[RESULT_GROUPS] = { 0 };
	size_t seen[RESULT_GROUPS] = { 0 };
	size_t i;

	for (i = 0; i < t->test->streams; i++)
		count[t->test->stream[i].group]++;
	for (i = 0; i < t->test->streams; i++) {
		enum result_group g = t->test->stream[i].group;

		out->has_sum[g] = true;
		span_add(&out->sum[g], &t->span[i], seen[g]++, count[g]);
	}
}

void tally_interval(struct tally *t, uint64_t now_ns, bool is_omitted,
		    struct interval *out)
{
	size_t i;

	if (now_ns < t->last_ns)
		now_ns = t->last_ns;
	for (i = 0; i < t->test->streams; i++)
		tally_span(t, i, now_ns, is_omitted);
	t->last_ns = now_ns;
	*out = (struct interval){
		.streams = t->test->streams,
		.stream = t->span,
	};
	tally_sums(t, out);
}

bool tally_has_news(const struct tally *t)
{
	size_t i;

	for (i = 0; i < t->test->streams; i++)
		if (counter_get(&t->group->stream[i].counters.bytes) !=
		    t->stream[i].last.bytes)
			return true;
	return false;
}

static uint64_t stream_end_ns(const struct stream *st, uint64_t stop_ns)
{
	/* A receiver that waited in vain for a sender's orderly end has
	 * waited after the end of the test. */
	if (!stream_is_done(st) || st->end == STREAM_QUIT)
		return stop_ns;
	return st->end_ns;
}

static struct path_summary path_seen(const struct tally_stream *ts)
{
	struct path_summary path = ts->seen;

	if (ts->rtt_samples)
		path.mean_rtt_us = ts->rtt_sum_us / ts->rtt_samples;
	return path;
}

void tally_half(const struct tally *t, size_t index, uint64_t stop_ns,
		struct half *out)
{
	const struct stream *st = &t->group->stream[index];
	const struct tally_stream *ts = &t->stream[index];
	uint64_t end_ns = stream_end_ns(st, stop_ns);
	struct sample now;

	tally_sample(t, index, &now);
	*out = (struct half){
		.is_known = true,
		.bytes = now.bytes - ts->base.bytes,
		.seconds = end_ns > t->start_ns
				   ? (double)(end_ns - t->start_ns) / NS_PER_S
				   : 0,
		.retransmits = now.retransmits < 0
				       ? RETRANSMITS_UNKNOWN
				       : now.retransmits - ts->base.retransmits,
		.path = path_seen(ts),
		.jitter_s = now.datagrams.jitter_ms / MS_PER_S,
		.packets = now.datagrams.packets,
		.lost = now.datagrams.lost,
		.out_of_order = now.datagrams.out_of_order -
				ts->base.datagrams.out_of_order,
		.has_omitted = true,
		.omitted_packets = ts->base.datagrams.packets,
		.omitted_lost = ts->base.datagrams.lost,
	};
}

uint64_t tally_end_ns(const struct tally *t, uint64_t stop_ns)
{
	uint64_t end_ns = 0;
	size_t i;

	for (i = 0; i < t->test->streams; i++) {
		uint64_t one = stream_end_ns(&t->group->stream[i], stop_ns);

		if (one > end_ns)
			end_ns = one;
	}
	return end_ns ? end_ns : stop_ns;
}
