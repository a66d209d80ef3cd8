/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "engine/seq.h"

#define NUMBERS(...)                       \
	(const uint64_t[]){ __VA_ARGS__ }, \
		sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)

static void receive(struct seq *q, const uint64_t *number, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		seq_note(q, number[i]);
}

static void check(const struct seq *q, uint64_t highest, uint64_t lost,
		  uint64_t out_of_order)
{
	assert_int_equal(q->highest, highest);
	assert_int_equal(q->lost, lost);
	assert_int_equal(q->out_of_order, out_of_order);
}

/* The vectors of PROTOCOL.md section 10. */
static void released_vectors_hold(void **state)
{
	struct seq q;

	(void)state;
	seq_init(&q);
	receive(&q, NUMBERS(1, 2, 4, 3, 6));
	check(&q, 6, 1, 1);
	seq_init(&q);
	receive(&q, NUMBERS(1, 1, 2));
	check(&q, 2, 0, 1);
	seq_init(&q);
	receive(&q, NUMBERS(5, 6));
	check(&q, 6, 4, 0);
	seq_init(&q);
	receive(&q, NUMBERS(1, 2, 5000000000));
	check(&q, 5000000000, 4999999997, 0);
	seq_init(&q);
	receive(&q, NUMBERS(1, 3, 4, 5, 7));
	check(&q, 7, 2, 0);
}

static void a_second_copy_is_no_arrival_of_a_lost_one(void **state)
{
	struct seq q;

	(void)state;
	seq_init(&q);
	receive(&q, NUMBERS(1, 4, 4, 1, 4));
	check(&q, 4, 2, 3);
	receive(&q, NUMBERS(2, 2));
	check(&q, 4, 1, 5);
}

static void one_older_than_the_window_still_came(void **state)
{
	struct seq q;

	(void)state;
	seq_init(&q);
	receive(&q, NUMBERS(1, 3 * SEQ_WINDOW, 2));
	check(&q, 3 * SEQ_WINDOW, 3 * SEQ_WINDOW - 3, 1);
	/* The slots of numbers long ago say nothing about new ones. */
	receive(&q, NUMBERS(3 * SEQ_WINDOW - 1));
	check(&q, 3 * SEQ_WINDOW, 3 * SEQ_WINDOW - 4, 2);
}

static void numbers_that_cannot_be_never_make_a_negative_loss(void **state)
{
	struct seq q;

	(void)state;
	seq_init(&q);
	receive(&q, NUMBERS(0, 0, 0));
	check(&q, 0, 0, 3);
	receive(&q, NUMBERS(1, 0, 0));
	check(&q, 1, 0, 5);
}

/* Against plain bookkeeping: whatever the order, nothing is counted twice. */
static void random_order_agrees_with_a_list(void **state)
{
	enum {
		COUNT = 3000
	};
	static bool has[COUNT + 1];
	uint64_t highest = 0;
	uint64_t distinct = 0;
	struct seq q;
	int i;

	(void)state;
	memset(has, 0, sizeof(has));
	srand(1);
	seq_init(&q);
	for (i = 0; i < 2 * COUNT; i++) {
		uint64_t number = 1 + (uint64_t)rand() % COUNT;

		seq_note(&q, number);
		distinct += !has[number];
		has[number] = true;
		if (number > highest)
			highest = number;
		assert_int_equal(q.highest, highest);
		assert_int_equal(q.lost, highest - distinct);
	}
}

static void low_halves_are_widened(void **state)
{
	struct seq q;

	(void)state;
	seq_init(&q);
	assert_int_equal(seq_widen(&q, 1), 1);
	assert_int_equal(seq_widen(&q, 4000000000u), 4000000000u);
	q.highest = 4294967295u;
	assert_int_equal(seq_widen(&q, 0), 4294967296u);
	assert_int_equal(seq_widen(&q, 7), 4294967303u);
	assert_int_equal(seq_widen(&q, 4294967290u), 4294967290u);
	q.highest = 4294967303u;
	assert_int_equal(seq_widen(&q, 4294967295u), 4294967295u);
	assert_int_equal(seq_widen(&q, 8), 4294967304u);
}

/* RFC 3550 A.8 by hand: transits of 10, 12, 9, 9 ms differ by 2, 3, 0 ms. */
static void jitter_is_the_filter_of_rfc_3550(void **state)
{
	struct seq q;
	double j = 0;

	(void)state;
	seq_init(&q);
	seq_note_transit(&q, 10 * (int64_t)NS_PER_MS);
	assert_true(q.jitter_s == 0);
	seq_note_transit(&q, 12 * (int64_t)NS_PER_MS);
	j += (0.002 - j) / 16;
	assert_float_equal(q.jitter_s, j, 1e-12);
	seq_note_transit(&q, 9 * (int64_t)NS_PER_MS);
	j += (0.003 - j) / 16;
	assert_float_equal(q.jitter_s, j, 1e-12);
	seq_note_transit(&q, 9 * (int64_t)NS_PER_MS);
	j -= j / 16;
	assert_float_equal(q.jitter_s, j, 1e-12);
}

/* Two clocks that were started at different times, in either order. */
static void jitter_does_not_see_the_clocks_difference(void **state)
{
	static const int64_t offsets_ns[] = { 0, 4000000000000,
					      -4000000000000 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct seq q;

		seq_init(&q);
		seq_note_transit(&q, offsets_ns[i] - 500000);
		seq_note_transit(&q, offsets_ns[i] + 500000);
		assert_float_equal(q.jitter_s, 0.001 / 16, 1e-12);
	}
}

static void the_counted_part_starts_without_jitter(void **state)
{
	struct seq q;

	(void)state;
	seq_init(&q);
	seq_note(&q, 1);
	seq_note_transit(&q, 0);
	seq_note_transit(&q, 1000000);
	seq_restart_jitter(&q);
	assert_true(q.jitter_s == 0);
	seq_note_transit(&q, 900000000);
	assert_true(q.jitter_s == 0);
	check(&q, 1, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(released_vectors_hold),
		cmocka_unit_test(a_second_copy_is_no_arrival_of_a_lost_one),
		cmocka_unit_test(one_older_than_the_window_still_came),
		cmocka_unit_test(
			numbers_that_cannot_be_never_make_a_negative_loss),
		cmocka_unit_test(random_order_agrees_with_a_list),
		cmocka_unit_test(low_halves_are_widened),
		cmocka_unit_test(jitter_is_the_filter_of_rfc_3550),
		cmocka_unit_test(jitter_does_not_see_the_clocks_difference),
		cmocka_unit_test(the_counted_part_starts_without_jitter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
