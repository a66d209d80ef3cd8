/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * When something is due in a running test: the end of an interval, of the
 * omit period, of the test. Pure: time is passed in.
 *
 * Intervals are cut at multiples of --interval from the start, so they do not
 * drift. One that would end within a tenth of an interval of the test's end is
 * not cut: the end itself closes it. So a test of 20 s has 20 intervals, and
 * what drains after the last second belongs to the last one.
 *
 * Threads: session.
 */
#ifndef SESSION_TICKER_H
#define SESSION_TICKER_H

#include <stdbool.h>
#include <stdint.h>

enum tick {
	TICK_NONE = 0,
	TICK_INTERVAL, /* an interval ends */
	TICK_OMIT_END, /* the omit period ends; counting starts */
	TICK_TEST_END, /* --time is over (once) */
};

struct ticker {
	uint64_t start_ns; /* of the omit period, then of the test */
	uint64_t interval_ns; /* 0: none */
	uint64_t omit_ns;
	uint64_t time_ns; /* 0: not limited */
	uint64_t ticks; /* intervals ended since start_ns */
	bool is_omitting;
	bool is_over; /* TICK_TEST_END was given */
};

void ticker_start(struct ticker *t, double interval_s, int omit_s, int time_s,
		  uint64_t now_ns);

/* What is due at @now_ns, one event a call until TICK_NONE. */
enum tick ticker_take(struct ticker *t, uint64_t now_ns);

/* When ticker_take gives the next event; CLOCK_NEVER if it won't. */
uint64_t ticker_next_ns(const struct ticker *t);

/* Whether what an interval of @length_ns holds is too short to be shown by
 * itself: under a tenth of the nominal length. */
bool ticker_is_sliver(const struct ticker *t, uint64_t length_ns);

#endif
