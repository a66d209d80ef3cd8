/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/version.h"
#include "session/ctl.h"
#include "session/params.h"
#include "transport/registry.h"

static const struct transport *transport_named(const char *name)
{
	struct settings s;

	settings_init(&s);
	s.transport = name;
	return registry_select(&s);
}

/* Every member that travels, each with a value of its own. */
static void fill_in(struct settings *s)
{
	settings_init(s);
	s->role = ROLE_CLIENT;
	s->time_s = 31;
	s->limit_bytes = 9007199254740991;
	s->limit_blocks = 77;
	s->block_bytes = 4096;
	s->streams = 5;
	s->is_reverse = true;
	s->rate_bps = 123456789;
	s->burst_blocks = 9;
	s->server_affinity = 0;
	s->pacing_timer_us = 500;
	s->window_bytes = 262144;
	s->omit_s = 3;
	s->is_repeating_payload = true;
	settings_set_string(&s->title, "a \"title\"\n\xc3\xa4");
	settings_set_string(&s->extra_data, "extra");
	s->wants_server_output = true;
	s->is_nodelay = true;
	s->mss_bytes = 1200;
	s->tos = 0xb8;
	s->flow_label = 0xfffff;
	s->fq_rate_bps = 40000000000;
	settings_set_string(&s->congestion, "reno");
	settings_set_string(&s->bind_dev, "lo");
}

static cJSON *build(const struct settings *s, const char *transport)
{
	struct err e = ERR_INIT;
	cJSON *json = params_build(s, transport_named(transport), &e);

	assert_non_null(json);
	assert_false(err_is_set(&e));
	return json;
}

/* A stranger's message at a server of @transport. */
static int apply(const char *text, const char *transport, struct settings *s,
		 struct params *out, struct err *e)
{
	cJSON *json = json_parse_object(text, strlen(text));
	int rc;

	assert_non_null(json);
	*e = ERR_INIT;
	settings_init(s);
	s->role = ROLE_SERVER;
	rc = params_apply(s, json, transport_named(transport), out, e);
	cJSON_Delete(json);
	return rc;
}

static void assert_refused(const char *text, int code)
{
	struct settings s;
	struct params p;
	struct err e;

	if (apply(text, "tcp", &s, &p, &e) >= 0)
		fail_msg("%s was taken", text);
	if (e.code != code)
		fail_msg("%s gives %d, not %d", text, e.code, code);
	settings_done(&s);
}

static struct settings assert_taken(const char *text)
{
	struct settings s;
	struct params p;
	struct err e;

	if (apply(text, "tcp", &s, &p, &e))
		fail_msg("%s gives %d (%s)", text, e.code, e.detail);
	assert_string_equal(p.transport->name, "tcp");
	return s;
}

static void assert_same(const struct settings *a, const struct settings *b)
{
	assert_int_equal(a->time_s, b->time_s);
	assert_true(a->limit_bytes == b->limit_bytes);
	assert_true(a->limit_blocks == b->limit_blocks);
	assert_true(a->block_bytes == b->block_bytes);
	assert_int_equal(a->streams, b->streams);
	assert_int_equal(a->is_reverse, b->is_reverse);
	assert_int_equal(a->is_bidir, b->is_bidir);
	assert_true(a->rate_bps == b->rate_bps);
	assert_int_equal(a->burst_blocks, b->burst_blocks);
	assert_int_equal(a->server_affinity, b->server_affinity);
	assert_int_equal(a->pacing_timer_us, b->pacing_timer_us);
	assert_true(a->window_bytes == b->window_bytes);
	assert_int_equal(a->omit_s, b->omit_s);
	assert_int_equal(a->is_repeating_payload, b->is_repeating_payload);
	assert_int_equal(a->wants_server_output, b->wants_server_output);
	assert_int_equal(a->is_nodelay, b->is_nodelay);
	assert_int_equal(a->mss_bytes, b->mss_bytes);
	assert_int_equal(a->tos, b->tos);
	assert_int_equal(a->flow_label, b->flow_label);
	assert_true(a->fq_rate_bps == b->fq_rate_bps);
	assert_string_equal(a->congestion, b->congestion);
	assert_null(b->bind_dev);
}

static void every_member_survives_the_way_to_the_server(void **state)
{
	struct settings client;
	struct settings server;
	struct params p;
	struct err e = ERR_INIT;
	cJSON *json;

	(void)state;
	fill_in(&client);
	json = build(&client, "tcp");
	settings_init(&server);
	assert_int_equal(
		params_apply(&server, json, transport_named("tcp"), &p, &e), 0);
	assert_same(&client, &server);
	assert_string_equal(server.title, client.title);
	assert_string_equal(server.extra_data, client.extra_data);
	assert_true(p.is_peer_orderly);
	cJSON_Delete(json);
	settings_done(&client);
	settings_done(&server);
}

static void both_directions_survive_too(void **state)
{
	struct settings client;
	struct settings server;
	cJSON *json;
	char *text;

	(void)state;
	fill_in(&client);
	client.is_reverse = false;
	client.is_bidir = true;
	json = build(&client, "tcp");
	text = json_print(json, false);
	server = assert_taken(text);
	assert_same(&client, &server);
	free(text);
	cJSON_Delete(json);
	settings_done(&client);
	settings_done(&server);
}

/* A row that is new and not in fill_in would go untested: so each wire key of
 * the tables must be in the message. */
static void every_wire_row_is_in_a_full_message(void **state)
{
	const struct option_table *table = option_core;
	const struct option_table *own = &transport_named("tcp")->options;
	struct settings s;
	cJSON *json;
	size_t i;

	(void)state;
	fill_in(&s);
	s.is_bidir = true;
	json = build(&s, "tcp");
	for (; table; table = table->title ? table + 1 : NULL)
		for (i = 0; i < table->rows; i++)
			if (table->row[i].wire != WIRE_NONE &&
			    !json_get(json, table->row[i].wire_key))
				fail_msg("%s", table->row[i].wire_key);
	for (i = 0; i < own->rows; i++)
		if (own->row[i].wire != WIRE_NONE)
			assert_non_null(json_get(json, own->row[i].wire_key));
	cJSON_Delete(json);
	settings_done(&s);
}

/* What a server of an old release needs, and no more. */
static void a_plain_test_sends_the_usual_keys(void **state)
{
	struct settings s;
	cJSON *json;
	char *text;

	(void)state;
	settings_init(&s);
	s.role = ROLE_CLIENT;
	s.block_bytes = 131072;
	json = build(&s, "tcp");
	text = json_print(json, false);
	assert_string_equal(
		text, "{\"tcp\":true,\"time\":10,\"num\":0,\"blockcount\":0,"
		      "\"len\":131072,\"parallel\":1,\"pacing_timer\":1000,"
		      "\"omit\":0,\"orderly_end\":true,"
		      "\"client_version\":\"" VERSION_CLIENT "\"}");
	free(text);
	cJSON_Delete(json);
	settings_done(&s);
}

static void a_message_longer_than_servers_accept_is_not_sent(void **state)
{
	struct settings s;
	struct err e = ERR_INIT;
	char title[CTL_PARAMS_MAX_BYTES + 1];
	cJSON *json;

	(void)state;
	settings_init(&s);
	memset(title, 'x', sizeof(title));
	title[CTL_PARAMS_MAX_BYTES] = '\0';
	settings_set_string(&s.title, title);
	assert_null(params_build(&s, transport_named("tcp"), &e));
	assert_int_equal(e.code, ERR_SEND_PARAMS);
	s.title[CTL_PARAMS_MAX_BYTES - 300] = '\0';
	json = build(&s, "tcp");
	cJSON_Delete(json);
	settings_done(&s);
}

static void an_empty_message_is_the_default_test(void **state)
{
	struct settings s = assert_taken("{}");

	(void)state;
	assert_int_equal(s.time_s, 10);
	assert_int_equal(s.streams, 1);
	assert_int_equal(s.block_bytes, 131072);
	assert_int_equal(s.omit_s, 0);
	assert_false(s.is_reverse || s.is_bidir);
	assert_int_equal(s.server_affinity, SETTINGS_CPU_NONE);
	assert_null(s.title);
	settings_done(&s);
}

static void a_strangers_end_is_not_taken_for_orderly(void **state)
{
	struct settings s;
	struct params p;
	struct err e;

	(void)state;
	assert_int_equal(apply("{\"tcp\":true}", "tcp", &s, &p, &e), 0);
	assert_false(p.is_peer_orderly);
	settings_done(&s);
	assert_int_equal(apply("{\"orderly_end\":1}", "tcp", &s, &p, &e), 0);
	assert_false(p.is_peer_orderly);
	settings_done(&s);
	assert_int_equal(apply("{\"orderly_end\":true}", "tcp", &s, &p, &e), 0);
	assert_true(p.is_peer_orderly);
	settings_done(&s);
}

/* PROTOCOL.md 4: presence counts, not the value. */
static void a_flag_that_is_false_is_set(void **state)
{
	struct settings s = assert_taken("{\"reverse\":false}");

	(void)state;
	assert_true(s.is_reverse);
	settings_done(&s);
}

static void whole_floats_and_unknown_keys_are_fine(void **state)
{
	struct settings s = assert_taken("{\"time\":10.0,\"omit\":1e0,"
					 "\"gso\":7,\"x\":[{\"y\":null}],"
					 "\"PARALLEL\":99,\"parallel\":2,"
					 "\"parallel\":3}");

	(void)state;
	assert_int_equal(s.time_s, 10);
	assert_int_equal(s.omit_s, 1);
	assert_int_equal(s.streams, 2);
	settings_done(&s);
}

static void values_out_of_range_get_the_protocols_number(void **state)
{
	(void)state;
	assert_refused("{\"time\":86401}", ERR_DURATION);
	assert_refused("{\"time\":-1}", ERR_DURATION);
	assert_refused("{\"omit\":601}", ERR_OMIT);
	assert_refused("{\"parallel\":0}", ERR_NUM_STREAMS);
	assert_refused("{\"parallel\":129}", ERR_NUM_STREAMS);
	assert_refused("{\"parallel\":-1}", ERR_NUM_STREAMS);
	assert_refused("{\"len\":1048577}", ERR_BLOCK_SIZE);
	assert_refused("{\"len\":-1}", ERR_BLOCK_SIZE);
	assert_refused("{\"window\":536870913}", ERR_WINDOW);
	assert_refused("{\"burst\":1001}", ERR_BURST);
	assert_refused("{\"server_affinity\":1025}", ERR_AFFINITY);
	assert_refused("{\"num\":-1}", ERR_RECV_PARAMS);
	assert_refused("{\"blockcount\":-1}", ERR_RECV_PARAMS);
	assert_refused("{\"bandwidth\":-1}", ERR_RECV_PARAMS);
	assert_refused("{\"pacing_timer\":-1}", ERR_RECV_PARAMS);
}

static void huge_numbers_are_refused(void **state)
{
	(void)state;
	assert_refused("{\"time\":4294967297}", ERR_DURATION);
	assert_refused("{\"parallel\":1e300}", ERR_NUM_STREAMS);
	assert_refused("{\"parallel\":18446744073709551617}", ERR_NUM_STREAMS);
	assert_refused("{\"len\":1e999}", ERR_BLOCK_SIZE);
	assert_refused("{\"num\":9223372036854775808}", ERR_RECV_PARAMS);
	assert_refused("{\"num\":9007199254740994}", ERR_RECV_PARAMS);
	assert_refused("{\"blockcount\":-1e300}", ERR_RECV_PARAMS);
	assert_refused("{\"bandwidth\":1e18}", ERR_RECV_PARAMS);
	assert_refused("{\"pacing_timer\":2147483648}", ERR_RECV_PARAMS);
}

static void wrong_types_are_refused(void **state)
{
	(void)state;
	assert_refused("{\"time\":\"10\"}", ERR_DURATION);
	assert_refused("{\"time\":1.5}", ERR_DURATION);
	assert_refused("{\"time\":null}", ERR_DURATION);
	assert_refused("{\"parallel\":true}", ERR_NUM_STREAMS);
	assert_refused("{\"parallel\":[1]}", ERR_NUM_STREAMS);
	assert_refused("{\"len\":{\"len\":1}}", ERR_BLOCK_SIZE);
	assert_refused("{\"num\":[[[[1]]]]}", ERR_RECV_PARAMS);
	assert_refused("{\"reverse\":1}", ERR_RECV_PARAMS);
	assert_refused("{\"bidirectional\":\"true\"}", ERR_RECV_PARAMS);
	assert_refused("{\"nodelay\":{}}", ERR_RECV_PARAMS);
	assert_refused("{\"get_server_output\":2}", ERR_RECV_PARAMS);
	assert_refused("{\"repeating_payload\":true}", ERR_RECV_PARAMS);
	assert_refused("{\"title\":7}", ERR_RECV_PARAMS);
	assert_refused("{\"extra_data\":[\"x\"]}", ERR_RECV_PARAMS);
}

static void opposite_directions_exclude_each_other(void **state)
{
	(void)state;
	assert_refused("{\"reverse\":true,\"bidirectional\":true}",
		       ERR_REVERSE_BIDIR);
	assert_refused("{\"bidirectional\":false,\"reverse\":false}",
		       ERR_REVERSE_BIDIR);
}

static void a_transport_that_is_not_built_is_refused(void **state)
{
	(void)state;
	assert_refused("{\"udp\":true,\"len\":1460}", ERR_PROTOCOL);
	assert_refused("{\"sctp\":true}", ERR_PROTOCOL);
	/* Either beats tcp, whatever their order (PROTOCOL.md 6). */
	assert_refused("{\"tcp\":true,\"udp\":true}", ERR_PROTOCOL);
	assert_refused("{\"sctp\":true,\"tcp\":true}", ERR_PROTOCOL);
}

/* Upstream ignores "vsock" and goes on with TCP. */
static void a_transport_that_cant_have_come_this_way_is_ignored(void **state)
{
	struct settings s = assert_taken("{\"vsock\":true}");

	(void)state;
	assert_string_equal(s.transport, "tcp");
	assert_int_equal(s.block_bytes, 131072);
	settings_done(&s);
	s = assert_taken("{\"vsock\":true,\"tcp\":true}");
	settings_done(&s);
	s = assert_taken("{\"tcp\":\"yes\"}");
	settings_done(&s);
}

static void a_vsock_listener_keeps_its_own_block_size(void **state)
{
	struct settings s;
	struct params p;
	struct err e;

	(void)state;
	assert_int_equal(apply("{}", "vsock", &s, &p, &e), 0);
	assert_string_equal(p.transport->name, "vsock");
	assert_string_equal(s.transport, "vsock");
	assert_int_equal(s.block_bytes, 65536);
	settings_done(&s);
	assert_int_equal(apply("{\"vsock\":true,\"tcp\":true,\"nodelay\":7}",
			       "vsock", &s, &p, &e),
			 0);
	assert_string_equal(p.transport->name, "vsock");
	settings_done(&s);
}

static void limits_are_one_number_of_bytes(void **state)
{
	struct settings s;

	(void)state;
	settings_init(&s);
	s.block_bytes = 1000;
	assert_true(params_limit_bytes(&s) == 0);
	s.limit_bytes = 12345;
	assert_true(params_limit_bytes(&s) == 12345);
	s.limit_bytes = 0;
	s.limit_blocks = 7;
	assert_true(params_limit_bytes(&s) == 7000);
}

static void a_limit_saturates_instead_of_wrapping(void **state)
{
	struct settings s;

	(void)state;
	settings_init(&s);
	s.block_bytes = 1048576;
	s.limit_blocks = 9007199254740992;
	assert_true(params_limit_bytes(&s) == INT64_MAX);
	s.limit_blocks = UINT64_MAX;
	s.block_bytes = 2;
	assert_true(params_limit_bytes(&s) == INT64_MAX);
}

static void mptcp_beats_tcp(void **state)
{
	struct settings s;
	struct params p;
	struct err e;
	cJSON *json;

	(void)state;
	fill_in(&s);
	json = build(&s, "mptcp");
	assert_true(cJSON_IsTrue(json_get(json, "mptcp")));
	assert_true(cJSON_IsTrue(json_get(json, "tcp")));
	cJSON_Delete(json);
	settings_done(&s);
	assert_int_equal(
		apply("{\"tcp\":true,\"mptcp\":true}", "tcp", &s, &p, &e), 0);
	assert_string_equal(p.transport->name, "mptcp");
	settings_done(&s);
}

static void vsock_beats_udp(void **state)
{
	struct settings s;
	struct params p;
	struct err e;

	(void)state;
	assert_int_equal(
		apply("{\"vsock\":true,\"udp\":true}", "vsock", &s, &p, &e), 0);
	settings_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_member_survives_the_way_to_the_server),
		cmocka_unit_test(both_directions_survive_too),
		cmocka_unit_test(every_wire_row_is_in_a_full_message),
		cmocka_unit_test(a_plain_test_sends_the_usual_keys),
		cmocka_unit_test(
			a_message_longer_than_servers_accept_is_not_sent),
		cmocka_unit_test(an_empty_message_is_the_default_test),
		cmocka_unit_test(a_strangers_end_is_not_taken_for_orderly),
		cmocka_unit_test(a_flag_that_is_false_is_set),
		cmocka_unit_test(whole_floats_and_unknown_keys_are_fine),
		cmocka_unit_test(values_out_of_range_get_the_protocols_number),
		cmocka_unit_test(huge_numbers_are_refused),
		cmocka_unit_test(wrong_types_are_refused),
		cmocka_unit_test(opposite_directions_exclude_each_other),
		cmocka_unit_test(a_transport_that_is_not_built_is_refused),
		cmocka_unit_test(
			a_transport_that_cant_have_come_this_way_is_ignored),
		cmocka_unit_test(a_vsock_listener_keeps_its_own_block_size),
		cmocka_unit_test(limits_are_one_number_of_bytes),
		cmocka_unit_test(a_limit_saturates_instead_of_wrapping),
		cmocka_unit_test(mptcp_beats_tcp),
		cmocka_unit_test(vsock_beats_udp),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
