/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The receiving loop of a worker: one system call per block, every byte
 * counted, up to the sender's orderly end. With a budget (-n, -k at a
 * receiving client) it tells the session once when the budget is used up, and
 * goes on reading, because the sender needs time to hear of it.
 *
 * Called by: stream.c. Worker thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/stream.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Counts the ticks in a row that brought nothing; nothing of it is touched
 * while data flow. */
struct silence {
	uint64_t bytes;
	unsigned ticks;
};

/* A receive tick without data. True: go on. */
static bool rx_tick(struct stream *st, int order, struct silence *silence)
{
	uint64_t bytes = counter_get(&st->counters.bytes);

	if (order != ORDER_FINISH)
		return true;
	if (bytes != silence->bytes)
		silence->ticks = 0;
	silence->bytes = bytes;
	if (++silence->ticks <
	    atomic_load_explicit(&st->plan->orders->drain_ticks,
				 memory_order_relaxed))
		return true;
	stream_leave(st, STREAM_IDLE, 0, 0);
	return false;
}

/* What to do about recv() <= 0. True: go on. */
static bool rx_survives(struct stream *st, ssize_t n, struct silence *silence)
{
	int os_errno = errno;
	int order = order_get(st->plan->orders);

	if (order == ORDER_QUIT) {
		stream_leave(st, STREAM_QUIT, 0, 0);
		return false;
	}
	/* After the order to finish a reset is an old peer's way to close. */
	if (n == 0 ||
	    (order == ORDER_FINISH && stream_is_peer_gone(os_errno))) {
		stream_leave(st, STREAM_FINISHED, 0, 0);
		return false;
	}
	if (os_errno == EINTR)
		return true;
	if (os_errno == EAGAIN)
		return rx_tick(st, order, silence);
	stream_leave(st, STREAM_LOST, ERR_STREAM_READ, os_errno);
	return false;
}

static void rx_spend(struct stream *st, ssize_t n)
{
	uint64_t one = 1;
	int64_t left = atomic_fetch_sub_explicit(
		&st->plan->orders->recv_budget_bytes, n, memory_order_relaxed);

	/* Exactly one worker sees the budget cross zero. */
	if (unlikely(left > 0 && left <= n) &&
	    write(st->plan->notify_fd, &one, sizeof(one)) < 0)
		abort();
}

/* Inlined twice below, so that the plain loop has no test for the budget. */
static inline __attribute__((always_inline)) void rx_loop(struct stream *st,
							  const bool has_budget)
{
	const struct orders *orders = st->plan->orders;
	size_t len = st->plan->block_bytes;
	struct silence silence = { 0 };

	for (;;) {
		ssize_t n = st->conn.transport->recv(&st->conn, st->block, len);

		if (likely(n > 0 && order_get(orders) != ORDER_QUIT)) {
			counter_add(&st->counters.bytes, (uint64_t)n);
			counter_add(&st->counters.calls, 1);
			if (has_budget)
				rx_spend(st, n);
		} else if (!rx_survives(st, n > 0 ? -1 : n, &silence)) {
			return;
		}
	}
}

void run_rx(struct stream *st)
{
	if (st->plan->has_budget)
		rx_loop(st, true);
	else
		rx_loop(st, false);
}
