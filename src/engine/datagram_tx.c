/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sending loop for datagrams: every block begins with the time and a
 * number (datagram.h), so the clock is read once per call. Where the
 * connection can, one call carries a batch of consecutive datagrams, which
 * then share their time; a paced sender sends no more at once than is due.
 *
 * A datagram is sent whole or not at all. What the kernel refused for want of
 * buffers goes out later under the same number and is not counted twice.
 *
 * Called by: run_tx.c. Worker thread.
 */
#include <errno.h>

#include "base/clock.h"
#include "engine/datagram.h"
#include "engine/pacer.h"
#include "engine/run_tx.h"

struct tx {
	struct stream *st;
	struct pacer pacer;
	size_t batch_max; /* datagrams in a call */
	uint64_t sent; /* datagrams; the next one's number is one more */
};

static void stamp(const struct tx *tx, size_t n)
{
	const struct plan *plan = tx->st->plan;
	struct datagram_header h = {
		.sent_ns = clock_now_ns(),
		.number = tx->sent + 1,
	};
	unsigned char *at = tx->st->block;
	size_t i;

	for (i = 0; i < n; i++, h.number++, at += plan->block_bytes)
		datagram_write(at, &h, plan->has_64bit_counters);
}

static void count(struct tx *tx, size_t n)
{
	struct counters *c = &tx->st->counters;

	tx->sent += n;
	counter_add(&c->bytes, n * tx->st->plan->block_bytes);
	counter_add(&c->calls, 1);
	counter_set(&c->packets, tx->sent);
}

/*
 * A kernel or a device may refuse a batch that it promised to take: older
 * kernels take 64 where newer ones take 128, and a device without checksums
 * none at all.
 */
static bool is_batch_refused(int os_errno)
{
	return os_errno == EINVAL || os_errno == EIO || os_errno == EMSGSIZE ||
	       os_errno == EOPNOTSUPP;
}

/* Sends @n datagrams, in smaller batches if it must be. */
static bool send_all(struct tx *tx, size_t n)
{
	struct stream *st = tx->st;

	while (n > 0) {
		size_t now = n < tx->batch_max ? n : tx->batch_max;
		ssize_t rc;

		stamp(tx, now);
		rc = st->conn.transport->send(&st->conn, st->block,
					      now * st->plan->block_bytes);
		if (rc >= 0) {
			count(tx, now);
			n -= now;
		} else if (now > 1 && is_batch_refused(errno)) {
			tx->batch_max = now / 2;
		} else if (!tx_survives(st, errno)) {
			return false;
		}
	}
	return true;
}

/* How many datagrams are to be sent now; waits until it is at least one. 0:
 * no longer to run. */
static size_t wait_due(const struct tx *tx)
{
	const struct plan *plan = tx->st->plan;

	while (order_get(plan->orders) == ORDER_RUN) {
		uint64_t due;

		if (!plan->rate_bps)
			return tx->batch_max;
		due = pacer_due_blocks(&tx->pacer, clock_now_ns());
		if (due > tx->sent && due - tx->sent < tx->batch_max)
			return (size_t)(due - tx->sent);
		if (due > tx->sent)
			return tx->batch_max;
		clock_sleep_until_ns(pacer_due_ns(&tx->pacer, tx->sent),
				     plan->finish_fd);
	}
	return 0;
}

/* As many of @n as the budget still has. Datagrams have one size: the last
 * one is whole. */
static size_t take(struct stream *st, size_t n)
{
	size_t taken = 0;

	if (!st->plan->has_budget)
		return n;
	while (taken < n && tx_take(st) > 0)
		taken++;
	return taken;
}

bool datagram_tx(struct stream *st)
{
	const struct plan *plan = st->plan;
	size_t batch = st->conn.send_batch_blocks;
	struct tx tx = { .st = st, .batch_max = batch ? batch : 1 };
	size_t n;

	if (plan->rate_bps)
		pacer_init(&tx.pacer, clock_now_ns(), plan->rate_bps,
			   plan->block_bytes, plan->burst_blocks);
	while ((n = take(st, wait_due(&tx))) > 0)
		if (!send_all(&tx, n))
			return false;
	return true;
}
