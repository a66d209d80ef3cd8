/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/option.h"

static struct settings s;
static struct err e;

static int setup(void **state)
{
	(void)state;
	settings_init(&s);
	e = ERR_INIT;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	settings_done(&s);
	return 0;
}

static const struct option_row *find(const char *name, const char *wire_key)
{
	const struct option_table *t;
	size_t i;

	for (t = option_core; t->title; t++)
		for (i = 0; i < t->rows; i++) {
			const struct option_row *row = &t->row[i];

			if (name && row->name && !strcmp(row->name, name))
				return row;
			if (wire_key && row->wire_key &&
			    !strcmp(row->wire_key, wire_key))
				return row;
		}
	fail_msg("no row %s", name ? name : wire_key);
	return NULL;
}

static int give(const char *name, const char *value)
{
	err_clear(&e);
	return option_apply(&s, find(name, NULL), value, &e);
}

static void assert_refused(const char *name, const char *value, int code)
{
	struct settings before = s;

	assert_true(give(name, value) < 0);
	assert_int_equal(e.code, code);
	assert_non_null(strstr(e.detail, name));
	assert_memory_equal(&before, &s, sizeof(s));
}

static void every_row_is_complete(void **state)
{
	const struct option_table *t;
	size_t i;

	(void)state;
	for (t = option_core; t->title; t++)
		for (i = 0; i < t->rows; i++) {
			const struct option_row *row = &t->row[i];

			if (row->alias_of) {
				find(row->alias_of, NULL);
				continue;
			}
			if (row->needs)
				find(row->needs, NULL);
			assert_true(row->name || row->wire_key);
			assert_int_equal(!!row->wire_key, !!row->wire);
			if (!row->name)
				continue;
			assert_non_null(row->help);
			assert_true(row->roles);
			assert_int_equal(row->value != VALUE_NONE,
					 !!row->metavar);
			assert_int_equal(row->kind == OPTION_CUSTOM,
					 !!row->parse);
		}
}

/* What a row accepts and refuses, and iperf3's number for the refusal. */
static const struct range_case {
	const char *name;
	const char *good[3];
	const char *bad[4];
	int code;
} range_cases[] = {
	{ "port",
	  { "1", "65535", "4294967294" },
	  { "0", "4294967295", "abc", "5x" },
	  ERR_PORT },
	{ "time", { "0", "86400" }, { "-1", "86401", "5x", "" }, ERR_DURATION },
	{ "parallel",
	  { "1", "128" },
	  { "0", "129", "-1", "two" },
	  ERR_NUM_STREAMS },
	{ "length",
	  { "0", "1M", "1" },
	  { "1025K", "2M", "1T" },
	  ERR_BLOCK_SIZE },
	{ "length", { "64K" }, { "K", "64Q", "-1", "" }, ERR_UNIT },
	{ "window", { "0", "512M" }, { "513M", "1G" }, ERR_WINDOW },
	{ "interval",
	  { "0", "0.1", "60" },
	  { "0.05", "60.1", "nan", "-1" },
	  ERR_INTERVAL },
	{ "interval", { "0.5" }, { "1s", "x", "inf", "" }, ERR_INTERVAL },
	{ "omit", { "0", "600" }, { "601", "-1", "x" }, ERR_OMIT },
	{ "idle-timeout",
	  { "1", "86400" },
	  { "0", "86401", "x" },
	  ERR_IDLE_TIMEOUT },
	{ "rcv-timeout",
	  { "100", "86400000" },
	  { "99", "86400001", "0" },
	  ERR_RCV_TIMEOUT },
	{ "snd-timeout",
	  { "0", "86400000" },
	  { "-1", "86400001" },
	  ERR_SND_TIMEOUT },
	{ "format", { "k", "M", "Gbits" }, { "x", "", "b" }, ERR_FORMAT },
	{ "affinity",
	  { "0", "3,4", "0x10" },
	  { "1025", "1,", "x", "1,2,3" },
	  ERR_AFFINITY },
	{ "bytes", { "0", "1.5M", "8T" }, { "x", "-1", "9999T" }, ERR_UNIT },
	{ "blockcount", { "10", "1K" }, { "x", "-5", "" }, ERR_UNIT },
	{ "connect-timeout", { "0", "3K" }, { "x", "4G" }, ERR_UNIT },
	{ "pacing-timer", { "0", "1K" }, { "x", "4G" }, ERR_UNIT },
	{ "bitrate",
	  { "0", "1.5G", "10M/5" },
	  { "x", "/5", "9999T", "-1" },
	  ERR_UNIT },
	{ "bitrate",
	  { "1K/1", "1K/1000" },
	  { "1K/0", "1K/1001", "1K/", "1K/x" },
	  ERR_BURST },
	{ "directions",
	  { "both", "forward", "reverse" },
	  { "", "backward", "FORWARD" },
	  ERR_OPTION },
	{ "client", { "h", "::1" }, { "" }, ERR_ADDRESS },
};

static void ranges_carry_iperf3_numbers(void **state)
{
	const struct range_case *c = range_cases;
	size_t i, j;

	(void)state;
	for (i = 0; i < sizeof(range_cases) / sizeof(range_cases[0]);
	     i++, c++) {
		for (j = 0; j < 3 && c->good[j]; j++)
			assert_int_equal(give(c->name, c->good[j]), 0);
		for (j = 0; j < 4 && c->bad[j]; j++)
			assert_refused(c->name, c->bad[j], c->code);
	}
}

static void values_reach_their_members(void **state)
{
	(void)state;
	assert_int_equal(give("port", "4000000000"), 0);
	assert_true(s.port == 4000000000u);
	assert_int_equal(give("length", "64K"), 0);
	assert_true(s.block_bytes == 65536);
	assert_int_equal(give("bitrate", "1.5M/12"), 0);
	assert_true(s.rate_bps == 1500000);
	assert_int_equal(s.burst_blocks, 12);
	assert_true(s.has_rate);
	assert_int_equal(give("bitrate", "0"), 0);
	assert_true(s.rate_bps == 0 && s.burst_blocks == 0);
	assert_int_equal(give("affinity", "3,4"), 0);
	assert_int_equal(s.affinity, 3);
	assert_int_equal(s.server_affinity, 4);
	assert_int_equal(give("affinity", "5"), 0);
	assert_int_equal(s.server_affinity, SETTINGS_CPU_NONE);
	assert_int_equal(give("format", "Mbits"), 0);
	assert_int_equal(s.unit, 'M');
	assert_int_equal(give("json-stream", NULL), 0);
	assert_true(s.is_json && s.is_json_stream);
	assert_int_equal(give("version6", NULL), 0);
	assert_int_equal(s.family, IP_FAMILY_6);
	assert_int_equal(give("version4", NULL), 0);
	assert_int_equal(s.family, IP_FAMILY_4);
}

static void optional_values_have_defaults(void **state)
{
	(void)state;
	assert_int_equal(give("timestamps", NULL), 0);
	assert_string_equal(s.timestamps, "%c ");
	assert_int_equal(give("timestamps", "%s "), 0);
	assert_string_equal(s.timestamps, "%s ");
	assert_int_equal(give("sweep", NULL), 0);
	assert_true(s.is_sweep);
	assert_null(s.sweep_sizes);
}

static void roles_exclude_each_other(void **state)
{
	(void)state;
	assert_int_equal(give("client", "h"), 0);
	assert_refused("server", NULL, ERR_SERVER_AND_CLIENT);
	s.role = ROLE_SERVER;
	assert_refused("client", "h", ERR_SERVER_AND_CLIENT);
}

static cJSON *to_wire(void)
{
	const struct option_table *t;
	cJSON *params = cJSON_CreateObject();
	size_t i;

	for (t = option_core; t->title; t++)
		for (i = 0; i < t->rows; i++)
			assert_int_equal(option_to_wire(&s, &t->row[i], params),
					 0);
	return params;
}

static int from_wire(const char *text)
{
	const struct option_table *t;
	cJSON *params = json_parse_object(text, strlen(text));
	int rc = 0;
	size_t i;

	assert_non_null(params);
	err_clear(&e);
	for (t = option_core; t->title; t++)
		for (i = 0; !rc && i < t->rows; i++)
			rc = option_from_wire(&s, &t->row[i], params, &e);
	cJSON_Delete(params);
	return rc;
}

static void default_parameters_are_the_minimum(void **state)
{
	cJSON *params = to_wire();
	char *text = cJSON_PrintUnformatted(params);

	(void)state;
	assert_string_equal(text, "{\"time\":10,\"num\":0,\"blockcount\":0,"
				  "\"parallel\":1,\"pacing_timer\":1000,"
				  "\"omit\":0}");
	cJSON_free(text);
	cJSON_Delete(params);
}

static void parameters_survive_the_wire(void **state)
{
	static const char *const given[][2] = {
		{ "time", "7" },
		{ "bytes", "3M" },
		{ "length", "9K" },
		{ "parallel", "5" },
		{ "bidir", NULL },
		{ "bitrate", "20M/30" },
		{ "pacing-timer", "77" },
		{ "window", "2M" },
		{ "omit", "3" },
		{ "affinity", "1,0" },
		{ "title", "a \"title\"" },
		{ "extra-data", "x" },
		{ "get-server-output", NULL },
		{ "repeating-payload", NULL },
		{ "reverse", NULL },
	};
	cJSON *params;
	char *text;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(given) / sizeof(given[0]); i++)
		assert_int_equal(give(given[i][0], given[i][1]), 0);
	params = to_wire();
	text = cJSON_PrintUnformatted(params);
	settings_done(&s);
	assert_int_equal(from_wire(text), 0);
	assert_int_equal(s.time_s, 7);
	assert_true(s.limit_bytes == 3 << 20);
	assert_true(s.block_bytes == 9 << 10);
	assert_int_equal(s.streams, 5);
	assert_true(s.is_bidir && s.is_reverse);
	assert_true(s.rate_bps == 20000000 && s.has_rate);
	assert_int_equal(s.burst_blocks, 30);
	assert_int_equal(s.pacing_timer_us, 77);
	assert_true(s.window_bytes == 2 << 20);
	assert_int_equal(s.omit_s, 3);
	assert_int_equal(s.server_affinity, 0);
	assert_int_equal(s.affinity, SETTINGS_CPU_NONE);
	assert_string_equal(s.title, "a \"title\"");
	assert_string_equal(s.extra_data, "x");
	assert_true(s.wants_server_output && s.is_repeating_payload);
	cJSON_free(text);
	cJSON_Delete(params);
}

static void absent_keys_leave_members_alone(void **state)
{
	(void)state;
	s.time_s = 33;
	assert_int_equal(from_wire("{}"), 0);
	assert_int_equal(s.time_s, 33);
	assert_int_equal(s.streams, 1);
	assert_false(s.has_rate);
}

static void a_boolean_of_either_value_is_set(void **state)
{
	(void)state;
	assert_int_equal(from_wire("{\"reverse\":false}"), 0);
	assert_true(s.is_reverse);
}

static void a_strangers_parameters_are_checked(void **state)
{
	static const struct {
		const char *text;
		int code;
	} cases[] = {
		{ "{\"parallel\":0}", ERR_NUM_STREAMS },
		{ "{\"parallel\":129}", ERR_NUM_STREAMS },
		{ "{\"parallel\":1e300}", ERR_NUM_STREAMS },
		{ "{\"parallel\":-1}", ERR_NUM_STREAMS },
		{ "{\"parallel\":\"4\"}", ERR_NUM_STREAMS },
		{ "{\"parallel\":null}", ERR_NUM_STREAMS },
		{ "{\"time\":86401}", ERR_DURATION },
		{ "{\"time\":-1}", ERR_DURATION },
		{ "{\"omit\":601}", ERR_OMIT },
		{ "{\"len\":1048577}", ERR_BLOCK_SIZE },
		{ "{\"len\":-1}", ERR_BLOCK_SIZE },
		{ "{\"window\":536870913}", ERR_WINDOW },
		{ "{\"server_affinity\":-1}", ERR_AFFINITY },
		{ "{\"server_affinity\":1025}", ERR_AFFINITY },
		{ "{\"burst\":1001}", ERR_BURST },
		{ "{\"num\":-1}", ERR_RECV_PARAMS },
		{ "{\"num\":1e30}", ERR_RECV_PARAMS },
		{ "{\"blockcount\":-1}", ERR_RECV_PARAMS },
		{ "{\"bandwidth\":-1}", ERR_RECV_PARAMS },
		{ "{\"pacing_timer\":1e10}", ERR_RECV_PARAMS },
		{ "{\"reverse\":1}", ERR_RECV_PARAMS },
		{ "{\"bidirectional\":[]}", ERR_RECV_PARAMS },
		{ "{\"title\":5}", ERR_RECV_PARAMS },
		{ "{\"extra_data\":{}}", ERR_RECV_PARAMS },
		{ "{\"get_server_output\":2}", ERR_RECV_PARAMS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct settings before = s;

		assert_true(from_wire(cases[i].text) < 0);
		assert_int_equal(e.code, cases[i].code);
		assert_memory_equal(&before, &s, sizeof(s));
	}
}

static void one_transport_is_chosen(void **state)
{
	const struct option_row vsock = { .name = "vsock" };
	const struct option_row mptcp = { .name = "mptcp" };

	(void)state;
	assert_int_equal(option_choose_transport(&s, &mptcp, NULL, &e), 0);
	assert_int_equal(option_choose_transport(&s, &mptcp, NULL, &e), 0);
	assert_string_equal(s.transport, "mptcp");
	assert_true(option_choose_transport(&s, &vsock, NULL, &e) < 0);
	assert_int_equal(e.code, ERR_USAGE);
	assert_string_equal(s.transport, "mptcp");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(every_row_is_complete),
		TEST(ranges_carry_iperf3_numbers),
		TEST(values_reach_their_members),
		TEST(optional_values_have_defaults),
		TEST(roles_exclude_each_other),
		TEST(default_parameters_are_the_minimum),
		TEST(parameters_survive_the_wire),
		TEST(absent_keys_leave_members_alone),
		TEST(a_boolean_of_either_value_is_set),
		TEST(one_transport_is_chosen),
		TEST(a_strangers_parameters_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
