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

#include "engine/run_rx.h"

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* What to do about recv() <= 0. True: go on. */
static bool rx_survives(struct stream *st, ssize_t n)
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
	if (os_errno == EINTR || os_errno == EAGAIN)
		return true;
	stream_leave(st, STREAM_LOST, ERR_STREAM_READ, os_errno);
	return false;
}

void rx_spend(struct stream *st, ssize_t n)
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

	for (;;) {
		ssize_t n = st->conn.transport->recv(&st->conn, st->block, len);

		if (likely(n > 0 && order_get(orders) != ORDER_QUIT)) {
			counter_add(&st->counters.bytes, (uint64_t)n);
			counter_add(&st->counters.calls, 1);
			if (has_budget)
				rx_spend(st, n);
		} else if (!rx_survives(st, n > 0 ? -1 : n)) {
			return;
		}
	}
}

void run_rx(struct stream *st)
{
	if (st->plan->is_datagrams)
		datagram_rx(st);
	else if (st->plan->has_budget)
		rx_loop(st, true);
	else
		rx_loop(st, false);
}
