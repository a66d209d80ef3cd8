/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/units.h"
#include "session/ticker.h"

#define START_NS (100 * NS_PER_S)
#define EVENTS_MAX 2000

/* A whole test, told as a session with a late clock would see it. */
struct story {
	size_t intervals; /* after the omit period */
	size_t omitted; /* within it */
	size_t omit_ends;
	size_t test_ends;
	uint64_t end_ns; /* of the test */
	uint64_t last_cut_ns; /* the last TICK_INTERVAL before it */
};

static void note(struct story *s, const struct ticker *t, enum tick tick,
		 uint64_t now_ns)
{
	if (tick == TICK_INTERVAL && t->is_omitting)
		s->omitted++;
	if (tick == TICK_INTERVAL && !t->is_omitting) {
		s->intervals++;
		s->last_cut_ns = now_ns;
	}
	s->omit_ends += tick == TICK_OMIT_END;
	if (tick == TICK_TEST_END) {
		s->test_ends++;
		s->end_ns = now_ns;
	}
}

/* Wakes up @late_ns after each time the ticker asked for. */
static struct story tell(struct ticker *t, uint64_t late_ns)
{
	struct story s = { 0 };
	size_t i;

	for (i = 0; i < EVENTS_MAX; i++) {
		uint64_t now_ns = ticker_next_ns(t);
		enum tick tick;

		if (now_ns == CLOCK_NEVER)
			return s;
		now_ns += late_ns;
		while ((tick = ticker_take(t, now_ns)) != TICK_NONE)
			note(&s, t, tick, now_ns);
	}
	fail_msg("the ticker does not come to an end");
	return s;
}

static struct story tell_test(double interval_s, int omit_s, int time_s,
			      uint64_t late_ns)
{
	struct ticker t;

	ticker_start(&t, interval_s, omit_s, time_s, START_NS);
	return tell(&t, late_ns);
}

static void nothing_is_due_before_its_time(void **state)
{
	struct ticker t;

	(void)state;
	ticker_start(&t, 1, 0, 10, START_NS);
	assert_int_equal(ticker_next_ns(&t), START_NS + NS_PER_S);
	assert_int_equal(ticker_take(&t, START_NS), TICK_NONE);
	assert_int_equal(ticker_take(&t, START_NS + NS_PER_S - 1), TICK_NONE);
	assert_int_equal(ticker_take(&t, START_NS + NS_PER_S), TICK_INTERVAL);
	assert_int_equal(ticker_take(&t, START_NS + NS_PER_S), TICK_NONE);
	assert_int_equal(ticker_next_ns(&t), START_NS + 2 * NS_PER_S);
}

static void intervals_do_not_drift_when_it_is_late(void **state)
{
	struct ticker t;

	(void)state;
	ticker_start(&t, 1, 0, 0, START_NS);
	assert_int_equal(ticker_take(&t, START_NS + 1900 * NS_PER_MS),
			 TICK_INTERVAL);
	assert_int_equal(ticker_next_ns(&t), START_NS + 2 * NS_PER_S);
	/* One for all where it slept through some. */
	assert_int_equal(ticker_take(&t, START_NS + 3500 * NS_PER_MS),
			 TICK_INTERVAL);
	assert_int_equal(ticker_take(&t, START_NS + 3500 * NS_PER_MS),
			 TICK_NONE);
	assert_int_equal(ticker_next_ns(&t), START_NS + 4 * NS_PER_S);
}

/* The end of the test closes its last interval, so there is one cut less. */
static void a_test_has_one_interval_per_second(void **state)
{
	struct story s = tell_test(1, 0, 20, 0);

	(void)state;
	assert_int_equal(s.intervals, 19);
	assert_int_equal(s.test_ends, 1);
	assert_int_equal(s.end_ns, START_NS + 20 * NS_PER_S);
	assert_int_equal(s.last_cut_ns, START_NS + 19 * NS_PER_S);
	s = tell_test(1, 0, 20, 90 * NS_PER_MS);
	assert_int_equal(s.intervals, 19);
	assert_int_equal(s.test_ends, 1);
}

/* Firecracker's vsock tests: -O 1 -t 20 -i 1, exactly one interval for each
 * second, the omitted one included. */
static void an_omitted_second_is_one_interval(void **state)
{
	struct ticker t;

	(void)state;
	ticker_start(&t, 1, 1, 20, START_NS);
	assert_int_equal(ticker_next_ns(&t), START_NS + NS_PER_S);
	/* Closed by the end of the period alone, not cut a moment before. */
	assert_int_equal(ticker_take(&t, START_NS + NS_PER_S), TICK_OMIT_END);
	assert_int_equal(ticker_take(&t, START_NS + NS_PER_S), TICK_NONE);
	assert_int_equal(tell(&t, 0).intervals, 19);
}

static void omitted_intervals_are_cut_like_others(void **state)
{
	struct story s = tell_test(1, 5, 10, 3 * NS_PER_MS);

	(void)state;
	assert_int_equal(s.omitted, 4);
	assert_int_equal(s.omit_ends, 1);
	assert_int_equal(s.intervals, 9);
	assert_int_equal(s.test_ends, 1);
}

static void the_counted_part_starts_when_omitting_ended(void **state)
{
	struct ticker t;
	uint64_t late_ns = START_NS + 2300 * NS_PER_MS;

	(void)state;
	ticker_start(&t, 1, 2, 10, START_NS);
	assert_true(t.is_omitting);
	assert_int_equal(ticker_take(&t, START_NS + NS_PER_S), TICK_INTERVAL);
	assert_int_equal(ticker_take(&t, late_ns), TICK_OMIT_END);
	assert_false(t.is_omitting);
	assert_int_equal(ticker_next_ns(&t), late_ns + NS_PER_S);
	assert_int_equal(tell(&t, 0).end_ns, late_ns + 10 * NS_PER_S);
}

static void no_cut_within_a_tenth_of_an_interval_of_the_end(void **state)
{
	(void)state;
	/* 10, 20 and then the rest of one second, exactly a tenth. */
	assert_int_equal(tell_test(10, 0, 21, 0).intervals, 1);
	assert_int_equal(tell_test(10, 0, 22, 0).intervals, 2);
	/* 0.9 leaves a third of an interval. */
	assert_int_equal(tell_test(0.3, 0, 1, 0).intervals, 3);
	/* 0.99 leaves less than a tenth. */
	assert_int_equal(tell_test(0.33, 0, 1, 0).intervals, 2);
	/* The same at the end of the omit period. */
	assert_int_equal(tell_test(10, 21, 30, 0).omitted, 1);
	assert_int_equal(tell_test(10, 22, 30, 0).omitted, 2);
}

static void fractions_of_a_second_are_exact(void **state)
{
	struct story s = tell_test(0.1, 0, 60, 0);

	(void)state;
	assert_int_equal(s.intervals, 599);
	assert_int_equal(s.last_cut_ns, START_NS + 59900 * NS_PER_MS);
	s = tell_test(2.5, 0, 10, 0);
	assert_int_equal(s.intervals, 3);
	assert_int_equal(s.last_cut_ns, START_NS + 7500 * NS_PER_MS);
	assert_int_equal(tell_test(0.7, 0, 7, 0).intervals, 9);
}

static void an_interval_longer_than_the_test_is_not_cut(void **state)
{
	struct story s = tell_test(60, 0, 10, 0);

	(void)state;
	assert_int_equal(s.intervals, 0);
	assert_int_equal(s.test_ends, 1);
}

static void no_interval_leaves_the_periods(void **state)
{
	struct ticker t;
	struct story s;

	(void)state;
	ticker_start(&t, 0, 1, 10, START_NS);
	assert_int_equal(ticker_next_ns(&t), START_NS + NS_PER_S);
	s = tell(&t, 0);
	assert_int_equal(s.intervals + s.omitted, 0);
	assert_int_equal(s.omit_ends, 1);
	assert_int_equal(s.end_ns, START_NS + 11 * NS_PER_S);
	ticker_start(&t, 0, 0, 0, START_NS);
	assert_true(ticker_next_ns(&t) == CLOCK_NEVER);
	assert_int_equal(ticker_take(&t, CLOCK_NEVER - 1), TICK_NONE);
}

static void a_test_without_time_ticks_on(void **state)
{
	struct ticker t;
	int i;

	(void)state;
	ticker_start(&t, 1, 0, 0, START_NS);
	for (i = 1; i <= 1000; i++) {
		assert_int_equal(ticker_next_ns(&t),
				 START_NS + (uint64_t)i * NS_PER_S);
		assert_int_equal(ticker_take(&t, ticker_next_ns(&t)),
				 TICK_INTERVAL);
	}
	assert_false(t.is_over);
}

static void the_end_is_told_once(void **state)
{
	struct ticker t;
	uint64_t end_ns = START_NS + 10 * NS_PER_S;

	(void)state;
	ticker_start(&t, 0, 0, 10, START_NS);
	assert_int_equal(ticker_take(&t, end_ns), TICK_TEST_END);
	assert_int_equal(ticker_take(&t, end_ns), TICK_NONE);
	assert_int_equal(ticker_take(&t, end_ns + NS_PER_S), TICK_NONE);
	assert_true(ticker_next_ns(&t) == CLOCK_NEVER);
}

static void after_a_long_sleep_everything_comes_in_order(void **state)
{
	struct ticker t;
	uint64_t late_ns = START_NS + 100 * NS_PER_S;

	(void)state;
	ticker_start(&t, 1, 0, 3, START_NS);
	assert_int_equal(ticker_take(&t, late_ns), TICK_INTERVAL);
	assert_int_equal(ticker_take(&t, late_ns), TICK_TEST_END);
	assert_int_equal(ticker_take(&t, late_ns), TICK_NONE);
}

static void a_sliver_is_under_a_tenth(void **state)
{
	struct ticker t;

	(void)state;
	ticker_start(&t, 1, 0, 10, START_NS);
	assert_true(ticker_is_sliver(&t, 0));
	assert_true(ticker_is_sliver(&t, NS_PER_S / 10 - 1));
	assert_false(ticker_is_sliver(&t, NS_PER_S / 10));
	/* Without intervals nothing is too short. */
	ticker_start(&t, 0, 0, 10, START_NS);
	assert_false(ticker_is_sliver(&t, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_due_before_its_time),
		cmocka_unit_test(intervals_do_not_drift_when_it_is_late),
		cmocka_unit_test(a_test_has_one_interval_per_second),
		cmocka_unit_test(an_omitted_second_is_one_interval),
		cmocka_unit_test(omitted_intervals_are_cut_like_others),
		cmocka_unit_test(the_counted_part_starts_when_omitting_ended),
		cmocka_unit_test(
			no_cut_within_a_tenth_of_an_interval_of_the_end),
		cmocka_unit_test(fractions_of_a_second_are_exact),
		cmocka_unit_test(an_interval_longer_than_the_test_is_not_cut),
		cmocka_unit_test(no_interval_leaves_the_periods),
		cmocka_unit_test(a_test_without_time_ticks_on),
		cmocka_unit_test(the_end_is_told_once),
		cmocka_unit_test(after_a_long_sleep_everything_comes_in_order),
		cmocka_unit_test(a_sliver_is_under_a_tenth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
