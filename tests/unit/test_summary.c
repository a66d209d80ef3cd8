/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "session/summary.h"

/* What a session has at the end of a test, and what becomes of it. */
struct scene {
	struct test test;
	struct half_test own;
	struct half_test peer;
	struct stream_summary stream[TEST_STREAMS_MAX];
	struct summary sum;
};

static struct half half_of(uint64_t bytes, double seconds, int64_t retransmits)
{
	return (struct half){
		.is_known = true,
		.bytes = bytes,
		.seconds = seconds,
		.retransmits = retransmits,
	};
}

static struct scene *begin(void)
{
	static struct scene sc;

	memset(&sc, 0, sizeof(sc));
	return &sc;
}

/* One more stream with what either end counted. */
static void add(struct scene *sc, bool is_sender, enum result_group group,
		struct half own, struct half peer)
{
	size_t i = sc->test.streams++;

	sc->test.stream[i].is_sender = is_sender;
	sc->test.stream[i].group = group;
	sc->own.stream[i] = own;
	sc->peer.stream[i] = peer;
}

static const struct summary *build(struct scene *sc)
{
	summary_build(&sc->test, &sc->own, &sc->peer, sc->stream, &sc->sum);
	return &sc->sum;
}

static void the_sender_counts_what_was_sent(void **state)
{
	struct scene *sc = begin();
	const struct stream_summary *one = sc->stream;

	(void)state;
	add(sc, true, GROUP_FORWARD, half_of(1000, 10, 3),
	    half_of(900, 8, RETRANSMITS_UNKNOWN));
	assert_ptr_equal(build(sc)->stream, one);
	assert_int_equal(sc->sum.streams, 1);
	assert_true(one->is_sent_known && one->is_received_known);
	assert_int_equal(one->sent.bytes, 1000);
	assert_true(one->sent.seconds == 10);
	assert_true(one->sent.bits_per_second == 800);
	assert_int_equal(one->sent.retransmits, 3);
	assert_int_equal(one->received.bytes, 900);
	assert_true(one->received.bits_per_second == 900);
	assert_int_equal(one->received.retransmits, RETRANSMITS_UNKNOWN);
	assert_true(one->sent.is_sender && one->received.is_sender);
}

static void the_receiver_takes_the_peers_count_for_sent(void **state)
{
	struct scene *sc = begin();
	const struct stream_summary *one = sc->stream;

	(void)state;
	add(sc, false, GROUP_FORWARD, half_of(900, 8, RETRANSMITS_UNKNOWN),
	    half_of(1000, 10, 3));
	build(sc);
	assert_int_equal(one->sent.bytes, 1000);
	assert_int_equal(one->sent.retransmits, 3);
	assert_int_equal(one->received.bytes, 900);
	assert_int_equal(one->received.retransmits, RETRANSMITS_UNKNOWN);
	assert_false(one->sent.is_sender || one->received.is_sender);
}

static void an_unknown_half_is_said_to_be_unknown(void **state)
{
	struct scene *sc = begin();
	const struct stream_summary *one = sc->stream;

	(void)state;
	add(sc, false, GROUP_FORWARD, half_of(900, 8, RETRANSMITS_UNKNOWN),
	    (struct half){ .retransmits = 5 });
	build(sc);
	assert_false(one->is_sent_known);
	assert_true(one->is_received_known);
	assert_int_equal(one->sent.bytes, 0);
	assert_int_equal(one->sent.retransmits, RETRANSMITS_UNKNOWN);
	assert_false(sc->sum.is_sent_known);
	assert_true(sc->sum.is_received_known);
	assert_false(sc->sum.is_cpu_remote_known);
}

static void one_unknown_stream_makes_the_whole_unknown(void **state)
{
	struct scene *sc = begin();

	(void)state;
	add(sc, true, GROUP_FORWARD, half_of(100, 1, 0), half_of(100, 1, -1));
	add(sc, true, GROUP_FORWARD, half_of(100, 1, 0), (struct half){ 0 });
	build(sc);
	assert_true(sc->sum.is_sent_known);
	assert_false(sc->sum.is_received_known);
}

/* Releases before 3.2 send no times. */
static void a_missing_duration_is_the_other_ends(void **state)
{
	struct scene *sc = begin();

	(void)state;
	add(sc, true, GROUP_FORWARD, half_of(1000, 4, 0),
	    half_of(500, 0, RETRANSMITS_UNKNOWN));
	build(sc);
	assert_true(sc->stream[0].received.seconds == 4);
	assert_true(sc->stream[0].received.bits_per_second == 1000);
	begin();
	add(sc, true, GROUP_FORWARD, half_of(1000, 0, 0), half_of(5, 0, -1));
	build(sc);
	assert_true(sc->stream[0].sent.bits_per_second == 0);
}

static void a_sum_takes_as_long_as_its_longest_stream(void **state)
{
	struct scene *sc = begin();

	(void)state;
	add(sc, true, GROUP_FORWARD, half_of(1000, 2, 1), half_of(900, 5, -1));
	add(sc, true, GROUP_FORWARD, half_of(3000, 4, 2), half_of(2900, 3, -1));
	add(sc, true, GROUP_FORWARD, half_of(4000, 1, 4), half_of(3900, 1, -1));
	build(sc);
	assert_true(sc->sum.has_sum[GROUP_FORWARD]);
	assert_false(sc->sum.has_sum[GROUP_REVERSE]);
	assert_int_equal(sc->sum.sum_sent[GROUP_FORWARD].bytes, 8000);
	assert_true(sc->sum.sum_sent[GROUP_FORWARD].seconds == 4);
	assert_true(sc->sum.sum_sent[GROUP_FORWARD].bits_per_second == 16000);
	assert_int_equal(sc->sum.sum_sent[GROUP_FORWARD].retransmits, 7);
	assert_int_equal(sc->sum.sum_received[GROUP_FORWARD].bytes, 7700);
	assert_true(sc->sum.sum_received[GROUP_FORWARD].seconds == 5);
	assert_true(sc->sum.sum_received[GROUP_FORWARD].bits_per_second ==
		    12320);
}

static void a_single_stream_is_its_own_sum(void **state)
{
	struct scene *sc = begin();

	(void)state;
	add(sc, false, GROUP_REVERSE, half_of(1000, 2, -1),
	    half_of(1000, 2, -1));
	build(sc);
	assert_true(sc->sum.has_sum[GROUP_REVERSE]);
	assert_int_equal(sc->sum.sum_sent[GROUP_REVERSE].bytes, 1000);
	assert_true(sc->sum.sum_sent[GROUP_REVERSE].bits_per_second == 4000);
	assert_int_equal(sc->sum.sum_sent[GROUP_REVERSE].retransmits,
			 RETRANSMITS_UNKNOWN);
}

static void directions_are_summed_apart(void **state)
{
	struct scene *sc = begin();

	(void)state;
	add(sc, true, GROUP_FORWARD, half_of(10, 1, 1), half_of(9, 1, -1));
	add(sc, true, GROUP_FORWARD, half_of(20, 1, 1), half_of(19, 1, -1));
	add(sc, false, GROUP_REVERSE, half_of(300, 1, -1), half_of(400, 1, 8));
	add(sc, false, GROUP_REVERSE, half_of(500, 1, -1), half_of(600, 1, 9));
	build(sc);
	assert_int_equal(sc->sum.sum_sent[GROUP_FORWARD].bytes, 30);
	assert_int_equal(sc->sum.sum_received[GROUP_FORWARD].bytes, 28);
	assert_int_equal(sc->sum.sum_sent[GROUP_FORWARD].retransmits, 2);
	assert_int_equal(sc->sum.sum_sent[GROUP_REVERSE].bytes, 1000);
	assert_int_equal(sc->sum.sum_received[GROUP_REVERSE].bytes, 800);
	assert_int_equal(sc->sum.sum_sent[GROUP_REVERSE].retransmits, 17);
	assert_true(sc->sum.sum_sent[GROUP_FORWARD].is_sender);
	assert_false(sc->sum.sum_sent[GROUP_REVERSE].is_sender);
}

static void congestion_is_named_by_who_sends(void **state)
{
	struct scene *sc = begin();

	(void)state;
	snprintf(sc->own.congestion, sizeof(sc->own.congestion), "cubic");
	snprintf(sc->peer.congestion, sizeof(sc->peer.congestion), "bbr");
	add(sc, true, GROUP_FORWARD, half_of(1, 1, 0), half_of(1, 1, 0));
	build(sc);
	assert_string_equal(sc->sum.congestion_sent, "cubic");
	assert_string_equal(sc->sum.congestion_received, "bbr");
	sc->test.stream[0].is_sender = false;
	build(sc);
	assert_string_equal(sc->sum.congestion_sent, "bbr");
	assert_string_equal(sc->sum.congestion_received, "cubic");
}

static void cpu_of_both_ends_is_passed_on(void **state)
{
	struct scene *sc = begin();

	(void)state;
	add(sc, true, GROUP_FORWARD, half_of(1, 1, 0), half_of(1, 1, 0));
	sc->own.cpu = (struct cpu_percent){ 30, 10, 20 };
	sc->peer.cpu = (struct cpu_percent){ 3, 1, 2 };
	build(sc);
	assert_true(sc->sum.cpu_local.total == 30);
	assert_true(sc->sum.cpu_remote.system == 2);
	assert_true(sc->sum.is_cpu_remote_known);
}

/* Only this end's halves have one. */
static void the_path_is_this_ends(void **state)
{
	struct scene *sc = begin();
	struct half own = half_of(1, 1, 0);
	struct half peer = half_of(1, 1, 0);

	(void)state;
	add(sc, true, GROUP_FORWARD, own, peer);
	own.path = (struct path_summary){ .is_known = true,
					  .max_rtt_us = 15,
					  .mean_rtt_us = 10 };
	peer.path = (struct path_summary){ .is_known = true, .max_rtt_us = 99 };
	add(sc, true, GROUP_FORWARD, own, peer);
	build(sc);
	assert_false(sc->stream[0].path.is_known);
	assert_true(sc->stream[1].path.is_known);
	assert_int_equal(sc->stream[1].path.mean_rtt_us, 10);
	assert_int_equal(sc->stream[1].path.max_rtt_us, 15);
}

static void a_test_without_streams_has_no_sums(void **state)
{
	struct scene *sc = begin();

	(void)state;
	build(sc);
	assert_int_equal(sc->sum.streams, 0);
	assert_false(sc->sum.has_sum[GROUP_FORWARD]);
	assert_false(sc->sum.has_sum[GROUP_REVERSE]);
	assert_false(sc->sum.is_cpu_remote_known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sender_counts_what_was_sent),
		cmocka_unit_test(the_receiver_takes_the_peers_count_for_sent),
		cmocka_unit_test(an_unknown_half_is_said_to_be_unknown),
		cmocka_unit_test(one_unknown_stream_makes_the_whole_unknown),
		cmocka_unit_test(a_missing_duration_is_the_other_ends),
		cmocka_unit_test(a_sum_takes_as_long_as_its_longest_stream),
		cmocka_unit_test(a_single_stream_is_its_own_sum),
		cmocka_unit_test(directions_are_summed_apart),
		cmocka_unit_test(congestion_is_named_by_who_sends),
		cmocka_unit_test(cpu_of_both_ends_is_passed_on),
		cmocka_unit_test(the_path_is_this_ends),
		cmocka_unit_test(a_test_without_streams_has_no_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
