/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/event.h"
#include "model/result.h"

static void rates_need_time(void **state)
{
	(void)state;
	assert_true(result_bits_per_second(1000, 2) == 4000);
	assert_true(result_bits_per_second(1000, 0) == 0);
	assert_true(result_bits_per_second(1000, -1) == 0);
}

static void a_span_gets_its_length_and_rate(void **state)
{
	struct span s = { .start_s = 1, .end_s = 3, .bytes = 100 };

	(void)state;
	span_finish(&s);
	assert_true(s.seconds == 2);
	assert_true(s.bits_per_second == 400);
}

static void sums_add_counts_and_keep_the_first_times(void **state)
{
	struct span a = { .end_s = 1,
			  .seconds = 1,
			  .bytes = 100,
			  .calls = 2,
			  .retransmits = 3,
			  .is_sender = true,
			  .path = { .is_known = true } };
	struct span b = { .end_s = 1.5,
			  .seconds = 1.5,
			  .bytes = 50,
			  .calls = 1,
			  .retransmits = 4,
			  .is_sender = true };
	struct span sum;

	(void)state;
	span_add(&sum, &a, 0, 2);
	span_add(&sum, &b, 1, 2);
	assert_true(sum.end_s == 1 && sum.seconds == 1);
	assert_int_equal(sum.bytes, 150);
	assert_int_equal(sum.calls, 3);
	assert_int_equal(sum.retransmits, 7);
	assert_true(sum.bits_per_second == 1200);
	assert_true(sum.is_sender);
	assert_false(sum.path.is_known);
}

static void an_unknown_part_makes_the_sum_unknown(void **state)
{
	struct span a = { .retransmits = 3 };
	struct span b = { .retransmits = RETRANSMITS_UNKNOWN };
	struct span sum;

	(void)state;
	span_add(&sum, &b, 0, 2);
	span_add(&sum, &a, 1, 2);
	assert_int_equal(sum.retransmits, RETRANSMITS_UNKNOWN);
	span_add(&sum, &a, 0, 2);
	span_add(&sum, &b, 1, 2);
	assert_int_equal(sum.retransmits, RETRANSMITS_UNKNOWN);
}

static void datagrams_average_jitter_and_weigh_loss(void **state)
{
	struct span a = { .datagrams = { .packets = 100,
					 .lost = 10,
					 .jitter_ms = 1,
					 .out_of_order = 2 } };
	struct span b = { .datagrams = { .packets = 300,
					 .lost = 10,
					 .jitter_ms = 3,
					 .out_of_order = 1 } };
	struct span sum;

	(void)state;
	span_add(&sum, &a, 0, 2);
	span_add(&sum, &b, 1, 2);
	assert_int_equal(sum.datagrams.packets, 400);
	assert_int_equal(sum.datagrams.lost, 20);
	assert_int_equal(sum.datagrams.out_of_order, 3);
	assert_true(sum.datagrams.jitter_ms == 2);
	assert_true(sum.datagrams.lost_percent == 5);
	a.datagrams.packets = 0;
	span_add(&sum, &a, 0, 1);
	assert_true(sum.datagrams.jitter_ms == 1);
	assert_true(sum.datagrams.lost_percent == 0);
}

struct counting_sink {
	struct sink sink;
	int calls;
};

static void count(struct sink *sink, const struct event *ev)
{
	(void)ev;
	((struct counting_sink *)sink)->calls++;
}

static void every_sink_of_a_chain_hears_an_event(void **state)
{
	struct counting_sink second = { .sink = { .on_event = count } };
	struct counting_sink first = { .sink = { .on_event = count,
						 .next = &second.sink } };
	struct event ev = { .kind = EVENT_OPEN };

	(void)state;
	sink_emit(&first.sink, &ev);
	sink_emit(NULL, &ev);
	assert_int_equal(first.calls, 1);
	assert_int_equal(second.calls, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_need_time),
		cmocka_unit_test(a_span_gets_its_length_and_rate),
		cmocka_unit_test(sums_add_counts_and_keep_the_first_times),
		cmocka_unit_test(an_unknown_part_makes_the_sum_unknown),
		cmocka_unit_test(datagrams_average_jitter_and_weigh_loss),
		cmocka_unit_test(every_sink_of_a_chain_hears_an_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
