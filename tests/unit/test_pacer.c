/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/units.h"
#include "engine/pacer.h"

#define START_NS 5000000000ull

/* 1000 bytes at 8 Mbit/s take one millisecond. */
#define RATE_BPS 8000000
#define BLOCK_BYTES 1000

static void blocks_are_due_at_the_rate(void **state)
{
	struct pacer p;
	uint64_t i;

	(void)state;
	pacer_init(&p, START_NS, RATE_BPS, BLOCK_BYTES, 0);
	for (i = 0; i < 100; i++)
		assert_int_equal(pacer_due_ns(&p, i), START_NS + i * NS_PER_MS);
}

static void bursts_become_due_together(void **state)
{
	struct pacer p;
	uint64_t i;

	(void)state;
	pacer_init(&p, START_NS, RATE_BPS, BLOCK_BYTES, 10);
	for (i = 0; i < 100; i++)
		assert_int_equal(pacer_due_ns(&p, i),
				 START_NS + i / 10 * 10 * NS_PER_MS);
}

static void no_burst_is_a_burst_of_one(void **state)
{
	struct pacer none;
	struct pacer one;
	struct pacer negative;

	(void)state;
	pacer_init(&none, START_NS, RATE_BPS, BLOCK_BYTES, 0);
	pacer_init(&one, START_NS, RATE_BPS, BLOCK_BYTES, 1);
	pacer_init(&negative, START_NS, RATE_BPS, BLOCK_BYTES, -3);
	assert_int_equal(pacer_due_ns(&none, 7), pacer_due_ns(&one, 7));
	assert_int_equal(pacer_due_ns(&negative, 7), pacer_due_ns(&one, 7));
}

/* 100 Gbit/s of 1000-byte blocks, one each 80 ns: no error adds up. */
static void a_day_at_a_high_rate_does_not_drift(void **state)
{
	const uint64_t day_s = 86400;
	const uint64_t blocks_per_s = 12500000;
	struct pacer p;

	(void)state;
	pacer_init(&p, START_NS, 100000000000, BLOCK_BYTES, 0);
	assert_int_equal(pacer_due_ns(&p, 1), START_NS + 80);
	assert_int_equal(pacer_due_ns(&p, day_s * blocks_per_s),
			 START_NS + day_s * NS_PER_S);
}

static void a_rate_that_does_not_divide_holds_on_average(void **state)
{
	struct pacer p;
	uint64_t due_ns;

	(void)state;
	/* Three blocks of 1000 bytes in a millisecond. */
	pacer_init(&p, 0, 3 * RATE_BPS, BLOCK_BYTES, 0);
	assert_int_equal(pacer_due_ns(&p, 1), 333333);
	due_ns = pacer_due_ns(&p, 3000000);
	assert_in_range(due_ns, 1000 * NS_PER_S - 1, 1000 * NS_PER_S + 1);
}

static void one_bit_per_second_is_possible(void **state)
{
	struct pacer p;

	(void)state;
	pacer_init(&p, 0, 1, 1, 0);
	assert_int_equal(pacer_due_ns(&p, 0), 0);
	assert_int_equal(pacer_due_ns(&p, 1), 8 * NS_PER_S);
	pacer_init(&p, 0, 1, 1048576, 1000);
	assert_int_equal(pacer_due_ns(&p, 999), 0);
	assert_int_equal(pacer_due_ns(&p, 1000), 8388608000 * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_are_due_at_the_rate),
		cmocka_unit_test(bursts_become_due_together),
		cmocka_unit_test(no_burst_is_a_burst_of_one),
		cmocka_unit_test(a_day_at_a_high_rate_does_not_drift),
		cmocka_unit_test(a_rate_that_does_not_divide_holds_on_average),
		cmocka_unit_test(one_bit_per_second_is_possible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
