/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/seq.h"

#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define NUMBERS_32BIT (1ull << 32)
/* RFC 3550, 6.4.1. */
#define JITTER_GAIN 16

_Static_assert((SEQ_WINDOW & (SEQ_WINDOW - 1)) == 0,
	       "numbers wrap in the window without a division");

void seq_init(struct seq *q)
{
	memset(q, 0, sizeof(*q));
}

void seq_restart_jitter(struct seq *q)
{
	q->jitter_s = 0;
	q->has_transit = false;
}

static uint64_t *word_of(struct seq *q, uint64_t number)
{
	return &q->seen[number % SEQ_WINDOW / SEQ_WORD_BITS];
}

static uint64_t bit_of(uint64_t number)
{
	return 1ull << (number % SEQ_WORD_BITS);
}

static void forget(struct seq *q, uint64_t first, uint64_t end)
{
	uint64_t number;

	if (end - first >= SEQ_WINDOW) {
		memset(q->seen, 0, sizeof(q->seen));
		return;
	}
	for (number = first; number < end; number++)
		*word_of(q, number) &= ~bit_of(number);
}

static void note_late(struct seq *q, uint64_t number)
{
	bool is_remembered = number > 0 && q->highest - number < SEQ_WINDOW;

	q->out_of_order++;
	if (is_remembered && *word_of(q, number) & bit_of(number))
		return;
	if (q->lost > 0)
		q->lost--;
	if (is_remembered)
		*word_of(q, number) |= bit_of(number);
}

void seq_note(struct seq *q, uint64_t number)
{
	if (number <= q->highest) {
		note_late(q, number);
		return;
	}
	forget(q, q->highest + 1, number);
	*word_of(q, number) |= bit_of(number);
	q->lost += number - q->highest - 1;
	q->highest = number;
}

void seq_note_transit(struct seq *q, int64_t transit_ns)
{
	double d_s;

	if (q->has_transit) {
		d_s = (double)llabs(transit_ns - q->transit_ns) / NS_PER_S;
		q->jitter_s += (d_s - q->jitter_s) / JITTER_GAIN;
	}
	q->transit_ns = transit_ns;
	q->has_transit = true;
}

uint64_t seq_widen(const struct seq *q, uint32_t low)
{
	int32_t ahead = (int32_t)(low - (uint32_t)q->highest);
	uint64_t number = q->highest + (uint64_t)(int64_t)ahead;

	/* Before the first datagram there is none: it is far ahead. */
	if (ahead < 0 && (uint64_t) - (int64_t)ahead > q->highest)
		number += NUMBERS_32BIT;
	return number;
}
