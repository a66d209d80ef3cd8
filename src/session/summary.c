/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/summary.h"

#include <stdio.h>
#include <string.h>

#define MS_PER_S 1000.0

/* A side whose duration isn't known gets the other's. */
static void half_to_span(const struct half *h, const struct half *other,
			 bool is_sender, struct span *out)
{
	*out = (struct span){
		.end_s = h->is_known && h->seconds > 0 ? h->seconds
						       : other->seconds,
		.bytes = h->bytes,
		.retransmits = h->is_known ? h->retransmits
					   : RETRANSMITS_UNKNOWN,
		.is_sender = is_sender,
	};
	span_finish(out);
}

static int64_t at_least_0(int64_t n)
{
	return n > 0 ? n : 0;
}

/*
 * Datagrams after those that the receiver got last are lost, too, but it
 * can't know of them. Both ends together do, where both count to the end
 * (PROTOCOL.md 18.1); a receiver that stops counting with the test does not
 * call what was still on its way lost.
 */
static int64_t lost_behind(const struct half *sent, const struct half *received,
			   bool is_counted_to_end)
{
	if (!is_counted_to_end || !sent->is_known || !received->is_known)
		return 0;
	return at_least_0(sent->packets - received->packets);
}

/* Omitted counts are 0 where the peer has told none. */
static void put_datagrams(const struct half *sent, const struct half *received,
			  bool is_counted_to_end, struct stream_summary *out)
{
	int64_t behind = lost_behind(sent, received, is_counted_to_end);

	out->sent.datagrams = (struct datagrams){
		.packets = at_least_0(sent->packets - sent->omitted_packets),
	};
	out->received.datagrams = (struct datagrams){
		.packets = at_least_0(received->packets -
				      received->omitted_packets) +
			   behind,
		.lost = at_least_0(received->lost - received->omitted_lost) +
			behind,
		.out_of_order = at_least_0(received->out_of_order),
		.jitter_ms = received->jitter_s * MS_PER_S,
	};
	datagrams_finish(&out->received.datagrams);
}

static void build_stream(const struct stream_info *info, const struct half *own,
			 const struct half *peer, struct stream_summary *out)
{
	const struct half *sent = info->is_sender ? own : peer;
	const struct half *received = info->is_sender ? peer : own;

	memset(out, 0, sizeof(*out));
	out->is_sent_known = sent->is_known;
	out->is_received_known = received->is_known;
	half_to_span(sent, received, info->is_sender, &out->sent);
	half_to_span(received, sent, info->is_sender, &out->received);
	out->received.retransmits = RETRANSMITS_UNKNOWN;
}

/* The longest stream's time is the sum's: its bytes took that long. */
static void sum_up(struct span *sum, const struct span *one, size_t index,
		   size_t count)
{
	double end_s = sum->end_s;

	span_add(sum, one, index, count);
	if (index > 0)
		sum->end_s = one->end_s > end_s ? one->end_s : end_s;
	if (index + 1 == count)
		span_finish(sum);
}

static void build_sums(const struct test *test, struct summary *out)
{
	size_t count[RESULT_GROUPS] = { 0 };
	size_t seen[RESULT_GROUPS] = { 0 };
	size_t i;

	for (i = 0; i < test->streams; i++)
		count[test->stream[i].group]++;
	for (i = 0; i < test->streams; i++) {
		enum result_group g = test->stream[i].group;
		size_t index = seen[g]++;

		out->has_sum[g] = true;
		sum_up(&out->sum_sent[g], &out->stream[i].sent, index,
		       count[g]);
		sum_up(&out->sum_received[g], &out->stream[i].received, index,
		       count[g]);
	}
}

static bool has_role(const struct test *test, bool is_sender)
{
	size_t i;

	for (i = 0; i < test->streams; i++)
		if (test->stream[i].is_sender == is_sender)
			return true;
	return false;
}

/* With --bidir each end is both: its own name stands for the sender, and for
 * the receiver as long as the peer's isn't known. */
static void build_congestion(const struct test *test,
			     const struct half_test *own,
			     const struct half_test *peer, struct summary *out)
{
	bool is_sender = has_role(test, true);
	bool is_receiver = has_role(test, false);
	const char *sent = is_sender ? own->congestion : peer->congestion;
	const char *received = peer->congestion;

	if (is_receiver && (!is_sender || !peer->congestion[0]))
		received = own->congestion;
	snprintf(out->congestion_sent, sizeof(out->congestion_sent), "%s",
		 sent);
	snprintf(out->congestion_received, sizeof(out->congestion_received),
		 "%s", received);
}

static void build_datagrams(const struct test *test,
			    const struct half_test *own,
			    const struct half_test *peer, size_t i,
			    struct stream_summary *out)
{
	bool is_sender = test->stream[i].is_sender;
	const struct half *received = is_sender ? &peer->stream[i]
						: &own->stream[i];
	const struct half *sent = is_sender ? &own->stream[i]
					    : &peer->stream[i];

	put_datagrams(sent, received, peer->environment.is_known, out);
	out->is_loss_unknown = received->is_known && !received->has_omitted &&
			       test->settings->omit_s > 0;
}

void summary_build(const struct test *test, const struct half_test *own,
		   const struct half_test *peer, struct stream_summary *streams,
		   struct summary *out)
{
	size_t i;

	memset(out, 0, sizeof(*out));
	out->streams = test->streams;
	out->stream = streams;
	out->is_sent_known = true;
	out->is_received_known = true;
	for (i = 0; i < test->streams; i++) {
		build_stream(&test->stream[i], &own->stream[i],
			     &peer->stream[i], &streams[i]);
		if (test->shape == SHAPE_DATAGRAMS)
			build_datagrams(test, own, peer, i, &streams[i]);
		streams[i].path = own->stream[i].path;
		out->is_sent_known &= streams[i].is_sent_known;
		out->is_received_known &= streams[i].is_received_known;
	}
	build_sums(test, out);
	build_congestion(test, own, peer, out);
	out->cpu_local = own->cpu;
	out->cpu_remote = peer->cpu;
	out->is_cpu_remote_known = peer->environment.is_known ||
				   (test->streams && peer->stream[0].is_known);
}
