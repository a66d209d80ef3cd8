/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "session/exchange.h"

#define CPU "\"cpu_util_total\":1,\"cpu_util_user\":1,\"cpu_util_system\":0,"
#define FLAG "\"sender_has_retransmits\":1,"
#define STREAM(id, more)                                             \
	"{\"id\":" id ",\"bytes\":1,\"retransmits\":0,\"jitter\":0," \
	"\"errors\":0,\"packets\":0" more "}"
#define RESULTS(streams) "{" CPU FLAG "\"streams\":[" streams "]}"

/* Two streams forward, of which this end sends the first. */
static struct test make_test(void)
{
	return (struct test){
		.shape = SHAPE_RETRANSMITS,
		.streams = 2,
		.stream = { { .id = 1, .is_sender = true }, { .id = 3 } },
	};
}

static int parse(const char *text, struct half_test *peer, struct err *e)
{
	struct test test = make_test();
	cJSON *json = json_parse_object(text, strlen(text));
	int rc;

	assert_non_null(json);
	*e = ERR_INIT;
	rc = exchange_parse(&test, json, peer, e);
	cJSON_Delete(json);
	return rc;
}

static struct half_test *parse_ok(const char *text)
{
	struct half_test *peer = malloc(sizeof(*peer));
	struct err e;

	if (parse(text, peer, &e))
		fail_msg("%s: %d (%s)", text, e.code, e.detail);
	return peer;
}

static void release(struct half_test *peer)
{
	half_test_done(peer);
	free(peer);
}

static void assert_refused(const char *text, int code)
{
	struct half_test *peer = malloc(sizeof(*peer));
	struct err e;

	if (parse(text, peer, &e) >= 0)
		fail_msg("%s was taken", text);
	if (e.code != code)
		fail_msg("%s gives %d, not %d", text, e.code, code);
	release(peer);
}

static struct half_test *make_own(void)
{
	struct half_test *own = calloc(1, sizeof(*own));

	own->cpu = (struct cpu_percent){ 30.25, 10, 20.25 };
	snprintf(own->congestion, sizeof(own->congestion), "bbr");
	own->environment.is_known = true;
	own->environment.cpus = 8;
	own->stream[0] = (struct half){
		.is_known = true,
		.bytes = 1234567890123456,
		.seconds = 10.5,
		.retransmits = 7,
	};
	own->stream[1] = (struct half){
		.is_known = true,
		.bytes = 42,
		.seconds = 10.25,
		.retransmits = RETRANSMITS_UNKNOWN,
		.jitter_s = 0.001,
		.packets = 100,
		.lost = 9,
		.omitted_packets = 10,
		.omitted_lost = 4,
	};
	return own;
}

static struct half_test *round_trip(const struct half_test *own)
{
	struct test test = make_test();
	cJSON *json = exchange_build(&test, own);
	char *text = json_print(json, false);
	struct half_test *peer = parse_ok(text);

	free(text);
	cJSON_Delete(json);
	return peer;
}

static void figures_survive_the_way_to_the_peer(void **state)
{
	struct half_test *own = make_own();
	struct half_test *peer = round_trip(own);
	const struct half *h = peer->stream;

	(void)state;
	assert_true(h[0].is_known && h[1].is_known);
	assert_true(h[0].bytes == 1234567890123456);
	assert_true(h[0].seconds == 10.5);
	assert_int_equal(h[0].retransmits, 7);
	assert_int_equal(h[1].bytes, 42);
	assert_int_equal(h[1].retransmits, RETRANSMITS_UNKNOWN);
	assert_true(h[1].jitter_s == 0.001);
	assert_int_equal(h[1].packets, 100);
	assert_int_equal(h[1].lost, 9);
	assert_true(h[1].has_omitted);
	assert_int_equal(h[1].omitted_packets, 10);
	assert_int_equal(h[1].omitted_lost, 4);
	release(peer);
	release(own);
}

static void facts_of_the_machine_survive_too(void **state)
{
	struct half_test *own = make_own();
	struct half_test *peer = round_trip(own);

	(void)state;
	assert_true(peer->cpu.total == 30.25);
	assert_true(peer->cpu.user == 10);
	assert_true(peer->cpu.system == 20.25);
	assert_string_equal(peer->congestion, "bbr");
	assert_true(peer->environment.is_known);
	assert_int_equal(peer->environment.cpus, 8);
	assert_null(peer->output);
	release(peer);
	release(own);
}

static void output_travels_as_text_or_as_a_document(void **state)
{
	struct half_test *own = make_own();
	struct half_test *peer;

	(void)state;
	own->output = strdup("line 1\nline \"2\"\n");
	peer = round_trip(own);
	assert_string_equal(peer->output, own->output);
	assert_false(peer->is_output_json);
	release(peer);
	free(own->output);
	own->output = strdup("{\"start\":{},\"end\":[1]}");
	own->is_output_json = true;
	peer = round_trip(own);
	assert_string_equal(peer->output, own->output);
	assert_true(peer->is_output_json);
	release(peer);
	release(own);
}

static int64_t flag_of(const struct test *test)
{
	struct half_test *own = make_own();
	cJSON *json = exchange_build(test, own);
	int64_t flag = 77;

	json_get_i64(json, "sender_has_retransmits", -1, 1, &flag);
	cJSON_Delete(json);
	release(own);
	return flag;
}

static void the_flag_tells_who_knows_retransmits(void **state)
{
	struct test test = make_test();

	(void)state;
	assert_int_equal(flag_of(&test), 1);
	test.shape = SHAPE_PLAIN;
	assert_int_equal(flag_of(&test), 0);
	test.stream[0].is_sender = false;
	assert_int_equal(flag_of(&test), -1);
}

static void an_unknown_congestion_algorithm_is_not_named(void **state)
{
	struct half_test *own = make_own();
	struct half_test *peer;

	(void)state;
	own->congestion[0] = '\0';
	peer = round_trip(own);
	assert_string_equal(peer->congestion, "");
	release(peer);
	release(own);
}

/* As 3.12 sends them: -1 printed without its sign. */
static void minus_one_may_be_spelled_unsigned(void **state)
{
	struct half_test *peer = parse_ok(
		"{" CPU "\"sender_has_retransmits\":18446744073709551615,"
		"\"streams\":[{\"id\":1,\"bytes\":5,\"retransmits\":"
		"18446744073709551615,\"jitter\":0,\"errors\":0,"
		"\"packets\":0}]}");

	(void)state;
	assert_int_equal(peer->stream[0].retransmits, RETRANSMITS_UNKNOWN);
	release(peer);
	assert_refused("{" CPU "\"sender_has_retransmits\":2,\"streams\":[]}",
		       ERR_RECV_RESULTS);
	assert_refused("{" CPU "\"sender_has_retransmits\":9223372036854775808"
		       ",\"streams\":[]}",
		       ERR_RECV_RESULTS);
}

static void old_releases_send_no_times_and_no_environment(void **state)
{
	struct half_test *peer = parse_ok(RESULTS(STREAM("1", "")));

	(void)state;
	assert_true(peer->stream[0].is_known);
	assert_true(peer->stream[0].seconds == 0);
	assert_false(peer->stream[0].has_omitted);
	assert_false(peer->stream[1].is_known);
	assert_false(peer->environment.is_known);
	assert_string_equal(peer->congestion, "");
	release(peer);
}

static void whole_floats_and_extra_keys_are_fine(void **state)
{
	struct half_test *peer = parse_ok(
		"{\"x\":null," CPU FLAG "\"streams\":[{\"id\":3.0,\"more\":[],"
		"\"bytes\":1e3,\"retransmits\":-1.0,\"jitter\":1e-5,"
		"\"errors\":-2,\"packets\":0,\"end_time\":2,"
		"\"start_time\":\"x\"}]}");

	(void)state;
	assert_int_equal(peer->stream[1].bytes, 1000);
	assert_int_equal(peer->stream[1].lost, -2);
	assert_true(peer->stream[1].seconds == 2);
	release(peer);
}

static void required_keys_are_required(void **state)
{
	(void)state;
	assert_refused("{}", ERR_RECV_RESULTS);
	assert_refused("{" FLAG "\"streams\":[]}", ERR_RECV_RESULTS);
	assert_refused("{" CPU "\"streams\":[]}", ERR_RECV_RESULTS);
	assert_refused("{" CPU FLAG "\"x\":0}", ERR_RECV_RESULTS);
	assert_refused("{\"cpu_util_total\":1,\"cpu_util_user\":1," FLAG
		       "\"streams\":[]}",
		       ERR_RECV_RESULTS);
}

/* A complete stream without one of its keys, one after the other. */
static void each_key_of_a_stream_is_required(void **state)
{
	static const char *const keys[] = { "id",     "bytes",	"retransmits",
					    "jitter", "errors", "packets" };
	const char *text = RESULTS(STREAM("1", ""));
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		cJSON *json = json_parse_object(text, strlen(text));
		cJSON *list = cJSON_GetObjectItem(json, "streams");
		char *without;

		cJSON_DeleteItemFromObject(list->child, keys[i]);
		without = json_print(json, false);
		assert_refused(without, ERR_RECV_RESULTS);
		free(without);
		cJSON_Delete(json);
	}
}

static void wrong_types_and_values_are_refused(void **state)
{
	static const char *const bad[] = {
		RESULTS("1"),
		RESULTS("[]"),
		RESULTS("null"),
		RESULTS(STREAM("\"1\"", "")),
		RESULTS(STREAM("1.5", "")),
		RESULTS(STREAM("4294967297", "")),
		RESULTS(STREAM("1", ",\"end_time\":\"2\"")),
		RESULTS(STREAM("1", ",\"end_time\":-1")),
		RESULTS(STREAM("1", ",\"end_time\":1e999")),
		"{" CPU FLAG "\"streams\":{\"id\":1}}",
		"{" CPU FLAG "\"streams\":[{\"id\":1,\"bytes\":-1,"
		"\"retransmits\":0,\"jitter\":0,\"errors\":0,\"packets\":0}]}",
		"{" CPU FLAG "\"streams\":[{\"id\":1,\"bytes\":1e19,"
		"\"retransmits\":0,\"jitter\":0,\"errors\":0,\"packets\":0}]}",
		"{" CPU FLAG "\"streams\":[{\"id\":1,\"bytes\":1,"
		"\"retransmits\":-2,\"jitter\":0,\"errors\":0,\"packets\":0}]}",
		"{" CPU FLAG "\"streams\":[{\"id\":1,\"bytes\":1,"
		"\"retransmits\":0,\"jitter\":-1,\"errors\":0,\"packets\":0}]}",
		"{\"cpu_util_total\":-1,\"cpu_util_user\":1,"
		"\"cpu_util_system\":0," FLAG "\"streams\":[]}",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_refused(bad[i], ERR_RECV_RESULTS);
}

static void streams_are_known_and_come_once(void **state)
{
	struct half_test *peer =
		parse_ok(RESULTS(STREAM("3", "") "," STREAM("1", "")));

	(void)state;
	assert_true(peer->stream[0].is_known && peer->stream[1].is_known);
	release(peer);
	assert_refused(RESULTS(STREAM("2", "")), ERR_STREAM_ID);
	assert_refused(RESULTS(STREAM("0", "")), ERR_STREAM_ID);
	assert_refused(RESULTS(STREAM("-1", "")), ERR_STREAM_ID);
	assert_refused(RESULTS(STREAM("1", "") "," STREAM("1", "")),
		       ERR_RECV_RESULTS);
	assert_refused(RESULTS(STREAM("1", "") "," STREAM("4", "")),
		       ERR_STREAM_ID);
}

static void omitted_counts_come_in_a_pair(void **state)
{
	struct half_test *peer =
		parse_ok(RESULTS(STREAM("1", ",\"omitted_errors\":2,"
					     "\"omitted_packets\":5")));

	(void)state;
	assert_true(peer->stream[0].has_omitted);
	assert_int_equal(peer->stream[0].omitted_lost, 2);
	assert_int_equal(peer->stream[0].omitted_packets, 5);
	release(peer);
	assert_refused(RESULTS(STREAM("1", ",\"omitted_errors\":2")),
		       ERR_RECV_RESULTS);
	assert_refused(RESULTS(STREAM("1", ",\"omitted_packets\":2")),
		       ERR_RECV_RESULTS);
	assert_refused(RESULTS(STREAM("1", ",\"omitted_errors\":\"2\","
					   "\"omitted_packets\":\"5\"")),
		       ERR_RECV_RESULTS);
}

/* Results with @key set to a text of @len bytes. */
static struct half_test *parse_with_text(const char *key, size_t len)
{
	const char *text = RESULTS(STREAM("1", ""));
	cJSON *json = json_parse_object(text, strlen(text));
	char *value = malloc(len + 1);
	char *printed;
	struct half_test *peer;

	memset(value, 'x', len);
	value[len] = '\0';
	json_put_text(json, key, value);
	printed = json_print(json, false);
	peer = parse_ok(printed);
	free(printed);
	free(value);
	cJSON_Delete(json);
	return peer;
}

static void texts_that_are_too_long_are_left_out(void **state)
{
	struct half_test *peer = parse_with_text("congestion_used", 15);

	(void)state;
	assert_int_equal(strlen(peer->congestion), 15);
	release(peer);
	peer = parse_with_text("congestion_used", 16);
	assert_string_equal(peer->congestion, "");
	release(peer);
	peer = parse_with_text("server_output_text", 1u << 20);
	assert_int_equal(strlen(peer->output), 1u << 20);
	release(peer);
	peer = parse_with_text("server_output_text", (8u << 20) + 1);
	assert_null(peer->output);
	release(peer);
}

static void output_of_a_wrong_type_is_left_out(void **state)
{
	struct half_test *peer = parse_ok(
		"{" CPU FLAG "\"streams\":[],\"congestion_used\":7,"
		"\"server_output_json\":\"x\",\"server_output_text\":[1],"
		"\"environment\":\"mine\"}");

	(void)state;
	assert_null(peer->output);
	assert_string_equal(peer->congestion, "");
	assert_false(peer->environment.is_known);
	release(peer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_survive_the_way_to_the_peer),
		cmocka_unit_test(facts_of_the_machine_survive_too),
		cmocka_unit_test(output_travels_as_text_or_as_a_document),
		cmocka_unit_test(the_flag_tells_who_knows_retransmits),
		cmocka_unit_test(an_unknown_congestion_algorithm_is_not_named),
		cmocka_unit_test(minus_one_may_be_spelled_unsigned),
		cmocka_unit_test(old_releases_send_no_times_and_no_environment),
		cmocka_unit_test(whole_floats_and_extra_keys_are_fine),
		cmocka_unit_test(required_keys_are_required),
		cmocka_unit_test(each_key_of_a_stream_is_required),
		cmocka_unit_test(wrong_types_and_values_are_refused),
		cmocka_unit_test(streams_are_known_and_come_once),
		cmocka_unit_test(omitted_counts_come_in_a_pair),
		cmocka_unit_test(texts_that_are_too_long_are_left_out),
		cmocka_unit_test(output_of_a_wrong_type_is_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
