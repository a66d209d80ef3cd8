/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

#define TEXT_SIZE 600
#define FIRST_OF_OURS 1000

static const char *format(const struct err *e)
{
	static char text[TEXT_SIZE];

	return err_format(e, text, sizeof(text));
}

static void the_first_cause_is_kept(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_false(err_is_set(&e));
	assert_int_equal(err_set(&e, ERR_MSS, 0, "-M %d", 5), -EIO);
	e.is_from_peer = true;
	assert_int_equal(err_set(&e, ERR_CONNECT, ECONNREFUSED, "later"),
			 -ECONNREFUSED);
	assert_int_equal(e.code, ERR_MSS);
	assert_int_equal(e.os_errno, 0);
	assert_string_equal(e.detail, "-M 5");
	assert_true(e.is_from_peer);
	assert_true(err_is_set(&e));
}

static void a_cleared_error_takes_the_next_cause(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set(&e, ERR_CONNECT, ECONNREFUSED, "first");
	e.is_from_peer = true;
	err_clear(&e);
	assert_false(err_is_set(&e));
	assert_string_equal(e.detail, "");
	err_set(&e, ERR_LISTEN, EADDRINUSE, NULL);
	assert_int_equal(e.code, ERR_LISTEN);
	assert_int_equal(e.os_errno, EADDRINUSE);
	assert_string_equal(e.detail, "");
	assert_false(e.is_from_peer);
}

static void nobody_has_to_ask_for_the_cause(void **state)
{
	(void)state;
	assert_int_equal(err_set(NULL, ERR_CONNECT, ETIMEDOUT, "%s", "x"),
			 -ETIMEDOUT);
	assert_int_equal(err_set(NULL, ERR_CONNECT, 0, NULL), -EIO);
	assert_int_equal(err_set(NULL, ERR_CONNECT, -ETIMEDOUT, NULL), -EIO);
}

static void a_long_detail_is_cut_and_not_overrun(void **state)
{
	struct err e = ERR_INIT;
	char longer[2 * sizeof(e.detail)];
	char text[20];

	(void)state;
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_set(&e, ERR_LISTEN, EADDRINUSE, "%s", longer);
	assert_int_equal(strlen(e.detail), sizeof(e.detail) - 1);
	err_format(&e, text, sizeof(text));
	assert_string_equal(text, "unable to start lis");
	err_format(&e, text, 1);
	assert_string_equal(text, "");
}

static void a_text_alone_needs_no_errno(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_string_equal(format(&e), "no error");
	err_set(&e, ERR_ACCESS_DENIED, 0, NULL);
	assert_string_equal(format(&e), "the server is busy running a test. "
					"try again later");
	err_clear(&e);
	err_set(&e, ERR_CTL_CLOSE, 0, "while waiting");
	assert_string_equal(format(&e), "control socket has closed "
					"unexpectedly (while waiting)");
}

static void errno_text_follows_a_colon_and_detail_in_brackets(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set(&e, ERR_CONNECT, ECONNREFUSED, "10.0.0.1 port 5201");
	assert_string_equal(format(&e),
			    "unable to connect to server - server may have "
			    "stopped running or use a different port, "
			    "firewall issue, etc.: Connection refused "
			    "(10.0.0.1 port 5201)");
	err_clear(&e);
	/* A cause that came with an errno shows it in any case. */
	err_set(&e, ERR_STALL, ETIMEDOUT, NULL);
	assert_string_equal(format(&e), "no progress: Connection timed out");
}

static void the_detail_takes_the_place_of_a_missing_errno(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set(&e, ERR_LISTEN, 0, "no such name");
	assert_string_equal(format(&e), "unable to start listener for "
					"connections: no such name");
	err_clear(&e);
	err_set(&e, ERR_RECV_PARAMS, 0, NULL);
	assert_string_equal(format(&e), "unable to receive parameters from "
					"client: ");
}

static void an_interrupt_reads_as_iperf3_prints_it(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set(&e, ERR_INTERRUPT, 0, "the client has terminated");
	assert_string_equal(format(&e),
			    "interrupt - the client has terminated");
}

static void a_peers_unknown_number_is_shown(void **state)
{
	struct err e = { .code = 777, .is_from_peer = true };

	(void)state;
	assert_string_equal(format(&e), "error number 777");
	e.os_errno = EPERM;
	assert_string_equal(format(&e),
			    "error number 777: Operation not permitted");
	e = (struct err){ .code = -1 };
	assert_string_equal(format(&e), "error number -1");
	assert_int_equal(err_wire_number(777), 777);
}

static void iperf3_numbers_travel_as_they_are(void **state)
{
	(void)state;
	assert_int_equal(err_wire_number(ERR_DURATION), 5);
	assert_int_equal(err_wire_number(ERR_RECV_PARAMS), 114);
	assert_int_equal(err_wire_number(ERR_AUTH), 142);
	assert_int_equal(err_wire_number(ERR_STREAM_ID), 208);
}

static void own_causes_have_a_text_and_an_iperf3_number(void **state)
{
	int code;

	(void)state;
	for (code = FIRST_OF_OURS; code <= ERR_OPTION; code++) {
		struct err e = { .code = code };

		assert_in_range(err_wire_number(code), 1, FIRST_OF_OURS - 1);
		assert_null(strstr(format(&e), "error number"));
	}
	assert_int_equal(err_wire_number(ERR_STALL), ERR_NO_DATA);
	assert_int_equal(err_wire_number(ERR_INTERRUPT), ERR_SERVER_TERM);
}

/* PROTOCOL.md, appendix A: what an iperf3 server may send. */
static void numbers_that_servers_send_have_a_text(void **state)
{
	static const struct {
		int first;
		int last;
	} known[] = { { 1, 18 },    { 20, 40 },	  { 100, 136 },
		      { 140, 145 }, { 148, 148 }, { 150, 150 },
		      { 152, 152 }, { 160, 160 }, { 200, 208 } };
	size_t i;
	int code;

	(void)state;
	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		for (code = known[i].first; code <= known[i].last; code++) {
			struct err e = { .code = code };

			if (strstr(format(&e), "error number"))
				fail_msg("%d has no text", code);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_cause_is_kept),
		cmocka_unit_test(a_cleared_error_takes_the_next_cause),
		cmocka_unit_test(nobody_has_to_ask_for_the_cause),
		cmocka_unit_test(a_long_detail_is_cut_and_not_overrun),
		cmocka_unit_test(a_text_alone_needs_no_errno),
		cmocka_unit_test(
			errno_text_follows_a_colon_and_detail_in_brackets),
		cmocka_unit_test(the_detail_takes_the_place_of_a_missing_errno),
		cmocka_unit_test(an_interrupt_reads_as_iperf3_prints_it),
		cmocka_unit_test(a_peers_unknown_number_is_shown),
		cmocka_unit_test(iperf3_numbers_travel_as_they_are),
		cmocka_unit_test(own_causes_have_a_text_and_an_iperf3_number),
		cmocka_unit_test(numbers_that_servers_send_have_a_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
