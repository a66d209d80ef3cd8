/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a receiver of numbered datagrams knows: loss, reordering and jitter.
 * Pure: numbers and times are passed in.
 *
 * Loss (PROTOCOL.md 10): a datagram with a higher number than all before it
 * makes those in between lost; one that comes later after all is out of order
 * and no longer lost. A second copy of one that was received is out of order,
 * too, but takes nothing away from the loss: the last SEQ_WINDOW numbers are
 * remembered to tell the two apart (the window of RFC 4303, 3.4.3).
 *
 * Jitter (RFC 3550, 6.4.1 and A.8): the mean deviation of the transit times'
 * difference, J += (|D| - J) / 16. The sender's clock may be any clock, only
 * differences count.
 *
 * Threads: the worker that owns it.
 */
#ifndef ENGINE_SEQ_H
#define ENGINE_SEQ_H

#include <stdbool.h>
#include <stdint.h>

#define SEQ_WINDOW 4096 /* numbers; a power of two */
#define SEQ_WORD_BITS 64

struct seq {
	uint64_t highest; /* number received; 0: none. Numbers begin at 1 */
	uint64_t lost;
	uint64_t out_of_order;
	double jitter_s;
	int64_t transit_ns; /* of the last datagram */
	bool has_transit;
	uint64_t seen[SEQ_WINDOW / SEQ_WORD_BITS];
};

/* Nothing was received yet. */
void seq_init(struct seq *q);

/* The counted part begins: jitter starts again, counts go on. */
void seq_restart_jitter(struct seq *q);

/* A datagram with @number has come. */
void seq_note(struct seq *q, uint64_t number);

/* ... and it was so long on its way, as far as the two clocks agree. */
void seq_note_transit(struct seq *q, int64_t transit_ns);

/*
 * The whole number of a datagram that carries only the low 32 bits of it: the
 * one that is nearest to the highest so far (RFC 1982, 3.2). After 2^32
 * datagrams, which offloads reach in minutes, counts go on.
 */
uint64_t seq_widen(const struct seq *q, uint32_t low);

#endif
