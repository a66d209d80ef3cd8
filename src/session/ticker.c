/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/ticker.h"

#include "base/clock.h"
#include "base/units.h"

#define SLIVERS_PER_INTERVAL 10

void ticker_start(struct ticker *t, double interval_s, int omit_s, int time_s,
		  uint64_t now_ns)
{
	*t = (struct ticker){
		.start_ns = now_ns,
		.interval_ns = (uint64_t)(interval_s * (double)NS_PER_S),
		.omit_ns = (uint64_t)omit_s * NS_PER_S,
		.time_ns = (uint64_t)time_s * NS_PER_S,
		.is_omitting = omit_s > 0,
	};
}

/* The end of the period that runs: the omit period or the test. */
static uint64_t period_end_ns(const struct ticker *t)
{
	if (t->is_omitting)
		return t->start_ns + t->omit_ns;
	return t->time_ns ? t->start_ns + t->time_ns : CLOCK_NEVER;
}

static uint64_t interval_end_ns(const struct ticker *t)
{
	uint64_t end_ns;

	if (!t->interval_ns)
		return CLOCK_NEVER;
	end_ns = t->start_ns + (t->ticks + 1) * t->interval_ns;
	if (end_ns + t->interval_ns / SLIVERS_PER_INTERVAL >= period_end_ns(t))
		return CLOCK_NEVER;
	return end_ns;
}

uint64_t ticker_next_ns(const struct ticker *t)
{
	uint64_t interval_ns = interval_end_ns(t);
	uint64_t period_ns = t->is_over ? CLOCK_NEVER : period_end_ns(t);

	return interval_ns < period_ns ? interval_ns : period_ns;
}

enum tick ticker_take(struct ticker *t, uint64_t now_ns)
{
	if (interval_end_ns(t) <= now_ns) {
		/* A program that was stopped has missed some ends: one
		 * interval then holds all that happened. */
		while (interval_end_ns(t) <= now_ns)
			t->ticks++;
		return TICK_INTERVAL;
	}
	if (t->is_over || period_end_ns(t) > now_ns)
		return TICK_NONE;
	if (t->is_omitting) {
		t->is_omitting = false;
		t->start_ns = now_ns;
		t->ticks = 0;
		return TICK_OMIT_END;
	}
	t->is_over = true;
	return TICK_TEST_END;
}

bool ticker_is_sliver(const struct ticker *t, uint64_t length_ns)
{
	return length_ns < t->interval_ns / SLIVERS_PER_INTERVAL;
}
