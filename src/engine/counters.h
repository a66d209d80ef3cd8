/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The whole contract between worker threads and the session thread.
 *
 * A worker writes its own struct counters and nobody else does; the session
 * reads them at any time. Relaxed order is enough: each number is right by
 * itself, only their relation is loose while the worker runs. `is_done` is
 * stored last with release order, so a reader that sees it (acquire) sees the
 * final numbers, the end time and the error of the stream.
 *
 * The session gives orders through struct orders, which all workers of a test
 * read: one word per block, and the byte budget where -n or -k set one.
 *
 * Threads: as said per member.
 */
#ifndef ENGINE_COUNTERS_H
#define ENGINE_COUNTERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CACHE_LINE_BYTES 64

/* Written by one worker, read by the session. */
struct counters {
	_Alignas(CACHE_LINE_BYTES) _Atomic uint64_t bytes;
	_Atomic uint64_t calls; /* that moved data */
	_Atomic uint64_t retries; /* ENOBUFS or ENOMEM, tried again */
	/* Datagrams only. A sender's packets are those it sent, a receiver's
	 * the highest number that came. */
	_Atomic uint64_t packets;
	_Atomic uint64_t lost;
	_Atomic uint64_t out_of_order;
	_Atomic double jitter_s;
	_Atomic bool is_done;
};

_Static_assert(sizeof(struct counters) == CACHE_LINE_BYTES,
	       "a worker's counters are one cache line");

enum order {
	ORDER_RUN = 0,
	/* Senders: no further block. Receivers: go on to the end of the
	 * stream, where a reset is an end, too. */
	ORDER_FINISH,
	/* Everybody: leave at once; connections are being aborted. */
	ORDER_QUIT,
};

#define BUDGET_UNLIMITED INT64_MAX

/* Written by the session (the budgets by both), read by every worker. */
struct orders {
	_Alignas(CACHE_LINE_BYTES) _Atomic int order;
	/* Counts the beginnings of counted parts: when it changes, receivers
	 * of datagrams start their jitter again. */
	_Atomic int epoch;

	/* Bytes left to send, or to receive, over all streams of this end.
	 * A sender takes its block from it before it sends, so that the total
	 * is exact. Unlimited while the omit period runs. */
	_Alignas(CACHE_LINE_BYTES) _Atomic int64_t send_budget_bytes;
	_Alignas(CACHE_LINE_BYTES) _Atomic int64_t recv_budget_bytes;
};

/*
 * Adds to a number that only the caller writes: a load and a store are
 * cheaper than an atomic addition, and 64 bits never tear.
 */
static inline void counter_add(_Atomic uint64_t *counter, uint64_t n)
{
	uint64_t old = atomic_load_explicit(counter, memory_order_relaxed);

	atomic_store_explicit(counter, old + n, memory_order_relaxed);
}

/* Replaces a number that only the caller writes. */
static inline void counter_set(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_store_explicit(counter, n, memory_order_relaxed);
}

static inline uint64_t counter_get(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit((_Atomic uint64_t *)counter,
				    memory_order_relaxed);
}

static inline int order_get(const struct orders *o)
{
	return atomic_load_explicit((_Atomic int *)&o->order,
				    memory_order_relaxed);
}

#endif
