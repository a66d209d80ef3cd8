/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiving loop for datagrams. Nothing tells the end of a stream of
 * datagrams: after the sender has said over the control connection that it
 * has stopped, the session waits for a silence and wakes the worker.
 *
 * Loss, order and jitter (seq.h) are kept here and published once per call,
 * which with receive offload carries many datagrams.
 *
 * Called by: run_rx.c. Worker thread.
 */
#include <errno.h>

#include "base/clock.h"
#include "engine/datagram.h"
#include "engine/run_rx.h"
#include "engine/seq.h"

/* Numbers beyond it don't survive a JSON number; nobody sends so many, so a
 * datagram with one is not part of the test. */
#define NUMBER_MAX (1ull << 53)

struct rx {
	struct stream *st;
	struct seq seq;
	uint64_t last_ns; /* when something came */
	int epoch; /* orders.epoch at the last call */
};

/* One datagram. Greetings that came twice and strays are too short to be part
 * of the test. */
static size_t note(struct rx *rx, const unsigned char *at, size_t len)
{
	bool is_64bit = rx->st->plan->has_64bit_counters;
	struct datagram_header h;
	uint64_t number;

	if (len < DATAGRAM_MIN_BYTES || !datagram_read(at, len, is_64bit, &h))
		return 0;
	number = is_64bit ? h.number : seq_widen(&rx->seq, (uint32_t)h.number);
	if (number > NUMBER_MAX)
		return 0;
	seq_note(&rx->seq, number);
	seq_note_transit(&rx->seq, (int64_t)(rx->last_ns - h.sent_ns));
	return len;
}

static void publish(struct rx *rx, size_t bytes)
{
	struct counters *c = &rx->st->counters;

	counter_add(&c->bytes, bytes);
	counter_add(&c->calls, 1);
	counter_set(&c->packets, rx->seq.highest);
	counter_set(&c->lost, rx->seq.lost);
	counter_set(&c->out_of_order, rx->seq.out_of_order);
	atomic_store_explicit(&c->jitter_s, rx->seq.jitter_s,
			      memory_order_relaxed);
}

/* What one call brought: @len bytes in datagrams of @unit_bytes. */
static void take_in(struct rx *rx, size_t len, size_t unit_bytes)
{
	struct stream *st = rx->st;
	int epoch = atomic_load_explicit(&st->plan->orders->epoch,
					 memory_order_relaxed);
	size_t counted = 0;
	size_t at = 0;

	if (epoch != rx->epoch)
		seq_restart_jitter(&rx->seq);
	rx->epoch = epoch;
	rx->last_ns = clock_now_ns();
	while (at < len) {
		size_t one = len - at < unit_bytes ? len - at : unit_bytes;

		counted += note(rx, st->block + at, one);
		at += one;
	}
	publish(rx, counted);
	if (st->plan->has_budget)
		rx_spend(st, (ssize_t)counted);
}

/* After recv() <= 0. True: go on. */
static bool survives(struct rx *rx, ssize_t n, int os_errno)
{
	struct stream *st = rx->st;

	if (order_get(st->plan->orders) == ORDER_QUIT) {
		/* With -n or -k the last datagram is the end of the test. */
		stream_leave(st,
			     st->plan->has_budget && rx->last_ns
				     ? STREAM_FINISHED
				     : STREAM_QUIT,
			     0, 0);
		if (st->end == STREAM_FINISHED)
			st->end_ns = rx->last_ns;
		return false;
	}
	/* An empty datagram; or one that we sent, a greeting, found nobody. */
	if (n == 0 || os_errno == EINTR || os_errno == EAGAIN ||
	    os_errno == ECONNREFUSED)
		return true;
	stream_leave(st, STREAM_LOST, ERR_STREAM_READ, os_errno);
	return false;
}

void datagram_rx(struct stream *st)
{
	struct rx rx = { .st = st };
	size_t unit_bytes = 0;

	seq_init(&rx.seq);
	for (;;) {
		ssize_t n = st->conn.transport->recv_datagrams(
			&st->conn, st->block, st->buffer_bytes, &unit_bytes);

		if (n > 0)
			take_in(&rx, (size_t)n, unit_bytes);
		if ((n <= 0 || order_get(st->plan->orders) == ORDER_QUIT) &&
		    !survives(&rx, n, errno))
			return;
	}
}
