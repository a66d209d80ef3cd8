/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sending loop of a worker. The variant is chosen before the loop: plain
 * (one system call and one look at the orders per block), with a byte budget
 * (-n, -k), or paced (-b, with or without a budget; one clock read per block).
 *
 * Called by: stream.c. Worker thread.
 */
#include <errno.h>

#include "base/clock.h"
#include "base/units.h"
#include "engine/pacer.h"
#include "engine/run_tx.h"

#define likely(x) __builtin_expect(!!(x), 1)

/* Pause after the kernel was out of memory or buffers. */
#define RETRY_PAUSE_NS NS_PER_MS

bool tx_survives(struct stream *st, int os_errno)
{
	int order = order_get(st->plan->orders);

	if (order == ORDER_QUIT) {
		stream_leave(st, STREAM_QUIT, 0, 0);
		return false;
	}
	if (os_errno == EINTR || os_errno == EAGAIN)
		return true;
	if (os_errno == ENOBUFS || os_errno == ENOMEM) {
		counter_add(&st->counters.retries, 1);
		clock_sleep_until_ns(clock_now_ns() + RETRY_PAUSE_NS, -1);
		return true;
	}
	/* After the order to finish a reset is an old peer's way to close. */
	stream_leave(st,
		     order == ORDER_FINISH && stream_is_peer_gone(os_errno)
			     ? STREAM_FINISHED
			     : STREAM_LOST,
		     ERR_STREAM_WRITE, os_errno);
	return false;
}

/*
 * The rest of a block after a short count: a block is finished before the
 * orders are looked at, so that what was taken from a budget is sent.
 */
static bool tx_rest(struct stream *st, size_t len, ssize_t n)
{
	const struct transport *t = st->conn.transport;
	size_t done = 0;

	for (;;) {
		if (n < 0 && !tx_survives(st, errno))
			return false;
		if (n > 0) {
			done += (size_t)n;
			counter_add(&st->counters.bytes, (uint64_t)n);
			counter_add(&st->counters.calls, 1);
		}
		if (done == len)
			return true;
		n = t->send(&st->conn, st->block + done, len - done);
	}
}

static inline bool tx_block(struct stream *st, size_t len)
{
	ssize_t n = st->conn.transport->send(&st->conn, st->block, len);

	if (likely(n == (ssize_t)len)) {
		counter_add(&st->counters.bytes, len);
		counter_add(&st->counters.calls, 1);
		return true;
	}
	return tx_rest(st, len, n);
}

static bool tx_loop_plain(struct stream *st)
{
	const struct orders *orders = st->plan->orders;
	size_t len = st->plan->block_bytes;

	while (likely(order_get(orders) == ORDER_RUN))
		if (!tx_block(st, len))
			return false;
	return true;
}

static bool tx_loop_budget(struct stream *st)
{
	const struct orders *orders = st->plan->orders;

	while (likely(order_get(orders) == ORDER_RUN)) {
		size_t len = tx_take(st);

		if (!len)
			return true;
		if (!tx_block(st, len))
			return false;
	}
	return true;
}

/* Sleeps until block number @block is due. False: no longer to run. */
static bool tx_wait(const struct stream *st, const struct pacer *pacer,
		    uint64_t block)
{
	uint64_t due_ns = pacer_due_ns(pacer, block);

	while (order_get(st->plan->orders) == ORDER_RUN) {
		if (clock_now_ns() >= due_ns)
			return true;
		clock_sleep_until_ns(due_ns, st->plan->finish_fd);
	}
	return false;
}

static bool tx_loop_paced(struct stream *st)
{
	const struct plan *plan = st->plan;
	struct pacer pacer;
	uint64_t block;

	pacer_init(&pacer, clock_now_ns(), plan->rate_bps, plan->block_bytes,
		   plan->burst_blocks);
	for (block = 0; tx_wait(st, &pacer, block); block++) {
		size_t len = plan->has_budget ? tx_take(st) : plan->block_bytes;

		if (!len)
			return true;
		if (!tx_block(st, len))
			return false;
	}
	return true;
}

void run_tx(struct stream *st)
{
	bool is_whole;
	int rc;

	if (st->plan->is_datagrams)
		is_whole = datagram_tx(st);
	else if (st->plan->rate_bps)
		is_whole = tx_loop_paced(st);
	else if (st->plan->has_budget)
		is_whole = tx_loop_budget(st);
	else
		is_whole = tx_loop_plain(st);
	if (!is_whole)
		return;
	if (order_get(st->plan->orders) == ORDER_QUIT) {
		stream_leave(st, STREAM_QUIT, 0, 0);
		return;
	}
	rc = st->conn.transport->finish(&st->conn);
	/* A peer that has gone by itself at the end of the test is not this
	 * stream's failure: the peer's count tells what it got. */
	if (rc && stream_is_peer_gone(-rc))
		rc = 0;
	stream_leave(st, rc ? STREAM_LOST : STREAM_FINISHED, ERR_STREAM_CLOSE,
		     -rc);
}
