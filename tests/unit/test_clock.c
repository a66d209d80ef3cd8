/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/units.h"

#define HOUR_NS (3600 * NS_PER_S)

static void poll_waits_round_up(void **state)
{
	(void)state;
	assert_int_equal(clock_poll_ms(1001, 1000), 1);
	assert_int_equal(clock_poll_ms(1000 + NS_PER_MS, 1000), 1);
	assert_int_equal(clock_poll_ms(1001 + NS_PER_MS, 1000), 2);
	assert_int_equal(clock_poll_ms(2 * NS_PER_S, NS_PER_S), 1000);
}

static void a_passed_deadline_waits_no_longer(void **state)
{
	(void)state;
	assert_int_equal(clock_poll_ms(1000, 1000), 0);
	assert_int_equal(clock_poll_ms(999, 1000), 0);
	assert_int_equal(clock_poll_ms(0, 1000), 0);
}

static void never_waits_for_ever(void **state)
{
	(void)state;
	assert_int_equal(clock_poll_ms(CLOCK_NEVER, 1000), -1);
	assert_int_equal(clock_poll_ms(CLOCK_NEVER, 0), -1);
}

static void a_far_deadline_fits_into_an_int(void **state)
{
	uint64_t limit_ns = (uint64_t)INT_MAX * NS_PER_MS;

	(void)state;
	assert_int_equal(clock_poll_ms(limit_ns, 0), INT_MAX);
	assert_int_equal(clock_poll_ms(limit_ns + NS_PER_MS, 0), INT_MAX);
	assert_int_equal(clock_poll_ms(100 * limit_ns, 0), INT_MAX);
}

static void no_time_is_no_deadline(void **state)
{
	(void)state;
	assert_true(clock_deadline_ms(0) == CLOCK_NEVER);
	assert_true(clock_deadline_ms(-1) == CLOCK_NEVER);
}

static void a_deadline_counts_from_now(void **state)
{
	uint64_t before_ns = clock_now_ns();
	uint64_t deadline_ns = clock_deadline_ms(5);
	uint64_t after_ns = clock_now_ns();

	(void)state;
	assert_true(deadline_ns >= before_ns + 5 * NS_PER_MS);
	assert_true(deadline_ns <= after_ns + 5 * NS_PER_MS);
}

static void the_clock_never_goes_back(void **state)
{
	uint64_t last_ns = clock_now_ns();
	int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		uint64_t now_ns = clock_now_ns();

		assert_true(now_ns >= last_ns);
		last_ns = now_ns;
	}
	/* After 2020, in ms. */
	assert_true(clock_wall_ms() > 1577836800000);
}

static void a_sleep_ends_at_its_time(void **state)
{
	uint64_t until_ns = clock_now_ns() + NS_PER_MS;

	(void)state;
	while (clock_now_ns() < until_ns)
		clock_sleep_until_ns(until_ns, -1);
	clock_sleep_until_ns(0, -1);
	assert_true(clock_now_ns() >= until_ns);
}

/* Without the wake-up this would take an hour: the test would not end. */
static void a_readable_descriptor_ends_a_sleep(void **state)
{
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	assert_int_equal(write(fd[1], "x", 1), 1);
	clock_sleep_until_ns(clock_now_ns() + HOUR_NS, fd[0]);
	close(fd[0]);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(poll_waits_round_up),
		cmocka_unit_test(a_passed_deadline_waits_no_longer),
		cmocka_unit_test(never_waits_for_ever),
		cmocka_unit_test(a_far_deadline_fits_into_an_int),
		cmocka_unit_test(no_time_is_no_deadline),
		cmocka_unit_test(a_deadline_counts_from_now),
		cmocka_unit_test(the_clock_never_goes_back),
		cmocka_unit_test(a_sleep_ends_at_its_time),
		cmocka_unit_test(a_readable_descriptor_ends_a_sleep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
