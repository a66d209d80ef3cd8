/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <stdlib.h>

#include <arpa/inet.h>

#include "fixture_fake.h"
#include "session/ctl.h"

#define COOKIE "abcdefghijklmnopqrstuvwxyz2345672345"

/* A control connection and the peer at its other end. */
struct line {
	struct pair pair;
	struct fake fake;
	struct ctl ctl;
};

static struct line *line_open(void)
{
	struct line *l = calloc(1, sizeof(*l));
	struct conn conn;

	l->pair = pair_open();
	conn = fake_conn(l->pair.near, &l->fake);
	ctl_init(&l->ctl);
	assert_int_equal(ctl_attach(&l->ctl, &conn), 0);
	return l;
}

static void line_close(struct line *l)
{
	ctl_done(&l->ctl);
	sock_close(&l->pair.far);
	free(l);
}

/* The peer says something and it is read. */
static void feed(struct line *l, const void *data, size_t len)
{
	size_t want = l->ctl.in.len + len;

	pair_say(&l->pair, data, len);
	while (l->ctl.in.len < want)
		assert_int_equal(ctl_fill(&l->ctl, CTL_FILL_ALL), 1);
}

static void feed_json(struct line *l, const char *text)
{
	uint32_t prefix = htonl((uint32_t)strlen(text));

	feed(l, &prefix, sizeof(prefix));
	feed(l, text, strlen(text));
}

static void it_is_made_non_blocking(void **state)
{
	struct line *l = line_open();

	(void)state;
	assert_true(fcntl(l->ctl.conn.fd, F_GETFL) & O_NONBLOCK);
	assert_int_equal(ctl_fill(&l->ctl, CTL_FILL_ALL), -EAGAIN);
	line_close(l);
}

static void done_closes_once(void **state)
{
	struct ctl c;
	struct line *l = line_open();

	(void)state;
	ctl_done(&l->ctl);
	assert_int_equal(l->ctl.conn.fd, -1);
	pair_hear_end(&l->pair);
	line_close(l);
	ctl_init(&c);
	ctl_done(&c);
}

static void the_end_of_the_peer_is_seen_after_its_bytes(void **state)
{
	struct line *l = line_open();
	int item = 0;

	(void)state;
	pair_say(&l->pair, "\x09", 1);
	sock_close(&l->pair.far);
	assert_int_equal(ctl_fill(&l->ctl, CTL_FILL_ALL), 1);
	assert_int_equal(ctl_fill(&l->ctl, CTL_FILL_ALL), 0);
	assert_int_equal(ctl_take_state(&l->ctl, &item), 1);
	assert_int_equal(item, STATE_PARAM_EXCHANGE);
	line_close(l);
}

static void no_more_is_read_than_was_asked_for(void **state)
{
	struct line *l = line_open();
	char rest[4];

	(void)state;
	pair_say(&l->pair, "abcdefg", 7);
	assert_int_equal(ctl_fill(&l->ctl, 3), 1);
	assert_int_equal(l->ctl.in.len, 3);
	assert_int_equal(ctl_fill(&l->ctl, 5), 1);
	assert_int_equal(l->ctl.in.len, 5);
	assert_memory_equal(l->ctl.in.data, "abcde", 5);
	assert_int_equal(recv(l->pair.near, rest, sizeof(rest), 0), 2);
	assert_memory_equal(rest, "fg", 2);
	line_close(l);
}

static void a_cookie_may_come_byte_by_byte(void **state)
{
	struct line *l = line_open();
	char cookie[COOKIE_SIZE] = "";
	size_t i;

	(void)state;
	for (i = 0; i < COOKIE_SIZE; i++) {
		assert_int_equal(ctl_take_cookie(&l->ctl, cookie), 0);
		feed(l, &COOKIE[i], 1);
	}
	assert_int_equal(ctl_take_cookie(&l->ctl, cookie), 1);
	assert_string_equal(cookie, COOKIE);
	assert_int_equal(l->ctl.in.len, 0);
	line_close(l);
}

static void a_cookie_always_ends(void **state)
{
	struct line *l = line_open();
	char bytes[COOKIE_SIZE];
	char cookie[COOKIE_SIZE];

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	feed(l, bytes, sizeof(bytes));
	assert_int_equal(ctl_take_cookie(&l->ctl, cookie), 1);
	assert_int_equal(strlen(cookie), COOKIE_SIZE - 1);
	line_close(l);
}

static void states_are_signed_and_may_be_coalesced(void **state)
{
	static const int want[] = { 1, 2, 4, 16, -1, -128, 127, 0 };
	struct line *l = line_open();
	int got = 0;
	size_t i;

	(void)state;
	feed(l, "\x01\x02\x04\x10\xff\x80\x7f\x00", 8);
	for (i = 0; i < 8; i++) {
		assert_int_equal(ctl_take_state(&l->ctl, &got), 1);
		assert_int_equal(got, want[i]);
	}
	assert_int_equal(ctl_take_state(&l->ctl, &got), 0);
	line_close(l);
}

static void json_may_come_byte_by_byte(void **state)
{
	static const char message[] = "\0\0\0\x07{\"a\":1}";
	struct line *l = line_open();
	cJSON *json = NULL;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(message) - 1; i++) {
		assert_int_equal(ctl_take_json(&l->ctl, 100, &json), 0);
		feed(l, &message[i], 1);
	}
	assert_null(json);
	assert_int_equal(ctl_take_json(&l->ctl, 100, &json), 1);
	assert_int_equal(json_get(json, "a")->valueint, 1);
	cJSON_Delete(json);
	line_close(l);
}

/* A server's answer and what comes behind it, in one segment. */
static void items_of_all_kinds_may_be_coalesced(void **state)
{
	struct line *l = line_open();
	char cookie[COOKIE_SIZE];
	cJSON *json = NULL;
	int item = 0;
	int number = 0;
	int os_errno = 9;

	(void)state;
	feed(l, COOKIE "\0\x0d\0\0\0\x02{}\x0e\xfe\0\0\0\x6e\0\0\0\x0b",
	     COOKIE_SIZE + 17);
	assert_int_equal(ctl_take_cookie(&l->ctl, cookie), 1);
	assert_int_equal(ctl_take_state(&l->ctl, &item), 1);
	assert_int_equal(item, STATE_EXCHANGE_RESULTS);
	assert_int_equal(ctl_take_json(&l->ctl, 2, &json), 1);
	assert_int_equal(ctl_take_state(&l->ctl, &item), 1);
	assert_int_equal(item, STATE_DISPLAY_RESULTS);
	assert_int_equal(ctl_take_error(&l->ctl, false, &number, &os_errno), 1);
	assert_int_equal(number, ERR_MESSAGE);
	assert_int_equal(os_errno, EAGAIN);
	assert_int_equal(l->ctl.in.len, 0);
	cJSON_Delete(json);
	line_close(l);
}

static void refuse_prefix(const char prefix[4], size_t max_bytes)
{
	struct line *l = line_open();
	cJSON *json = NULL;

	feed(l, prefix, 4);
	assert_int_equal(ctl_take_json(&l->ctl, max_bytes, &json), -EINVAL);
	assert_null(json);
	line_close(l);
}

/* By its prefix alone: nothing of it is waited for. */
static void json_is_neither_empty_nor_too_long(void **state)
{
	(void)state;
	refuse_prefix("\0\0\0\0", CTL_PARAMS_MAX_BYTES);
	refuse_prefix("\0\0\x20\x01", CTL_PARAMS_MAX_BYTES);
	refuse_prefix("\xff\xff\xff\xff", CTL_PARAMS_MAX_BYTES);
	refuse_prefix("\xff\xff\xff\xff", CTL_RESULTS_MAX_BYTES);
	refuse_prefix("\x80\0\0\0", CTL_RESULTS_MAX_BYTES);
}

static void json_of_exactly_the_limit_is_taken(void **state)
{
	struct line *l = line_open();
	char text[CTL_PARAMS_MAX_BYTES + 1];
	cJSON *json = NULL;

	(void)state;
	memset(text, ' ', sizeof(text));
	memcpy(text, "{\"a\":1}", 7);
	text[CTL_PARAMS_MAX_BYTES] = '\0';
	feed_json(l, text);
	assert_int_equal(ctl_take_json(&l->ctl, CTL_PARAMS_MAX_BYTES, &json),
			 1);
	cJSON_Delete(json);
	line_close(l);
}

static void what_is_no_object_is_refused_and_dropped(void **state)
{
	static const char *const bad[] = { "[1,2]", "1",     "{\"a\":",
					   "\"x\"", "{} {}", "nul" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct line *l = line_open();
		cJSON *json = NULL;

		feed_json(l, bad[i]);
		assert_int_equal(ctl_take_json(&l->ctl, 100, &json), -EINVAL);
		assert_null(json);
		assert_int_equal(l->ctl.in.len, 0);
		line_close(l);
	}
}

/* What takes of an error message with @words bytes behind its state byte. */
static int take_error(size_t words, bool is_closed, int *number, int *os_errno)
{
	struct line *l = line_open();
	int rc;

	feed(l, "\xfe\0\0\0\x8e\0\0\0\x16", 1 + words);
	rc = ctl_take_error(&l->ctl, is_closed, number, os_errno);
	assert_int_equal(l->ctl.in.len, rc ? 0 : 1 + words);
	line_close(l);
	return rc;
}

static void error_words_are_waited_for(void **state)
{
	int number = 77;
	int os_errno = 77;
	size_t words;

	(void)state;
	for (words = 0; words < 8; words++)
		assert_int_equal(take_error(words, false, &number, &os_errno),
				 0);
	assert_int_equal(number, 77);
	assert_int_equal(take_error(8, false, &number, &os_errno), 1);
	assert_int_equal(number, ERR_AUTH);
	assert_int_equal(os_errno, EINVAL);
}

/* PROTOCOL.md 5.8: releases up to 3.19 send one word, some none at all. */
static void error_words_may_be_missing_at_the_end(void **state)
{
	int number = 77;
	int os_errno = 77;

	(void)state;
	assert_int_equal(take_error(0, true, &number, &os_errno), 1);
	assert_int_equal(number, 0);
	assert_int_equal(os_errno, 0);
	number = 77;
	assert_int_equal(take_error(3, true, &number, &os_errno), 1);
	assert_int_equal(number, 0);
	os_errno = 77;
	assert_int_equal(take_error(4, true, &number, &os_errno), 1);
	assert_int_equal(number, ERR_AUTH);
	assert_int_equal(os_errno, 0);
	os_errno = 77;
	assert_int_equal(take_error(7, true, &number, &os_errno), 1);
	assert_int_equal(number, ERR_AUTH);
	assert_int_equal(os_errno, 0);
}

static void states_and_errors_are_sent_as_the_protocol_says(void **state)
{
	struct line *l = line_open();
	char got[11];

	(void)state;
	assert_int_equal(ctl_send_state(&l->ctl, STATE_CREATE_STREAMS), 0);
	assert_int_equal(ctl_send_state(&l->ctl, STATE_ACCESS_DENIED), 0);
	assert_int_equal(ctl_send_error(&l->ctl, ERR_RECV_PARAMS, -1), 0);
	pair_hear(&l->pair, got, sizeof(got));
	assert_memory_equal(got, "\x0a\xff\xfe\0\0\0\x72\xff\xff\xff\xff", 11);
	pair_hear_nothing(&l->pair);
	line_close(l);
}

static void json_is_sent_compact_behind_its_length(void **state)
{
	struct line *l = line_open();
	cJSON *json = cJSON_CreateObject();
	char got[19];

	(void)state;
	json_put_i64(json, "a", 1);
	json_put_text(json, "b", "x");
	assert_int_equal(ctl_send_json(&l->ctl, json), 0);
	pair_hear(&l->pair, got, sizeof(got));
	assert_memory_equal(got, "\0\0\0\x0f{\"a\":1,\"b\":\"x\"}", 19);
	pair_hear_nothing(&l->pair);
	cJSON_Delete(json);
	line_close(l);
}

static void sending_to_a_closed_peer_is_told(void **state)
{
	struct line *l = line_open();

	(void)state;
	sock_close(&l->pair.far);
	assert_int_equal(ctl_send_state(&l->ctl, STATE_TEST_END), -EPIPE);
	line_close(l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_made_non_blocking),
		cmocka_unit_test(done_closes_once),
		cmocka_unit_test(the_end_of_the_peer_is_seen_after_its_bytes),
		cmocka_unit_test(no_more_is_read_than_was_asked_for),
		cmocka_unit_test(a_cookie_may_come_byte_by_byte),
		cmocka_unit_test(a_cookie_always_ends),
		cmocka_unit_test(states_are_signed_and_may_be_coalesced),
		cmocka_unit_test(json_may_come_byte_by_byte),
		cmocka_unit_test(items_of_all_kinds_may_be_coalesced),
		cmocka_unit_test(json_is_neither_empty_nor_too_long),
		cmocka_unit_test(json_of_exactly_the_limit_is_taken),
		cmocka_unit_test(what_is_no_object_is_refused_and_dropped),
		cmocka_unit_test(error_words_are_waited_for),
		cmocka_unit_test(error_words_may_be_missing_at_the_end),
		cmocka_unit_test(
			states_and_errors_are_sent_as_the_protocol_says),
		cmocka_unit_test(json_is_sent_compact_behind_its_length),
		cmocka_unit_test(sending_to_a_closed_peer_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
