/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the sending loops of byte streams (run_tx.c) and of datagrams
 * (datagram_tx.c) share.
 *
 * Threads: worker.
 */
#ifndef ENGINE_RUN_TX_H
#define ENGINE_RUN_TX_H

#include "engine/stream.h"

/* Whether the loop may go on after send() failed with @os_errno; otherwise it
 * has been left. */
bool tx_survives(struct stream *st, int os_errno);

/* The next block's length out of the budget; 0 when it is used up. */
static inline size_t tx_take(struct stream *st)
{
	int64_t len = (int64_t)st->plan->block_bytes;
	int64_t left =
		atomic_fetch_sub_explicit(&st->plan->orders->send_budget_bytes,
					  len, memory_order_relaxed);

	if (__builtin_expect(left >= len, 1))
		return (size_t)len;
	return left > 0 ? (size_t)left : 0;
}

/* Sends until the order or the budget ends it. False: the loop was left. */
bool datagram_tx(struct stream *st);

#endif
