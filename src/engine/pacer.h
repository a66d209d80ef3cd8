/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When the next block of a paced sender is due. Pure: time is passed in.
 *
 * The schedule is fixed from the start of the stream (block i is due at
 * start + i * block / rate), so a sender that slept too long catches up and
 * the average holds. With bursts of n, n blocks become due together.
 *
 * Threads: the worker that owns it.
 */
#ifndef ENGINE_PACER_H
#define ENGINE_PACER_H

#include <stdint.h>

struct pacer {
	uint64_t start_ns;
	double ns_per_burst;
	uint64_t burst_blocks; /* at least 1 */
};

/* @rate_bps > 0. @burst_blocks 0 counts as 1. */
void pacer_init(struct pacer *p, uint64_t start_ns, uint64_t rate_bps,
		uint64_t block_bytes, int burst_blocks);

/* How many blocks, from the start of the stream on, may have been sent at
 * @now_ns. */
uint64_t pacer_due_blocks(const struct pacer *p, uint64_t now_ns);

/* The time at which block number @block (from 0) may be sent. */
uint64_t pacer_due_ns(const struct pacer *p, uint64_t block);

#endif
