/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Objects are those that iperf3 printed on a loopback; docs/COMPATIBILITY.md.
 */
#include "test_report_fixture.h"

#include <locale.h>

#include "report/json.h"
#include "report/jsonl.h"

#define FAILURE_TEXT "the server is busy running a test. try again later"

static void open_scene(struct scene *sc, enum role role)
{
	scene_init(sc, role);
	sc->sink = json_sink_new(sc->out, sc->err);
	assert_non_null(sc->sink);
}

static void close_scene(struct scene *sc)
{
	json_sink_free(sc->sink);
	scene_done(sc);
}

/* The text of one member, "start.test_start" for example. */
static void assert_member(const cJSON *doc, const char *path,
			  const char *expected)
{
	char key[64];
	char *text;
	size_t len;

	while (*path) {
		len = strcspn(path, ".");
		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		doc = json_get(doc, key);
		path += len + (path[len] == '.');
	}
	if (!doc) {
		assert_null(expected);
		return;
	}
	text = json_print(doc, false);
	assert_string_equal(text, expected);
	free(text);
}

static void assert_no_duplicates(const cJSON *item)
{
	const cJSON *a, *b;

	for (a = item->child; a; a = a->next) {
		assert_no_duplicates(a);
		for (b = a->next; b && cJSON_IsObject(item); b = b->next)
			assert_string_not_equal(a->string, b->string);
	}
}

static cJSON *printed(struct scene *sc)
{
	const char *text = scene_out(sc);
	cJSON *doc = json_parse_object(text, strlen(text));

	assert_non_null(doc);
	assert_no_duplicates(doc);
	return doc;
}

static void measured(struct span *s, double seconds, double bps)
{
	s->seconds = seconds;
	s->bits_per_second = bps;
}

/* The interval of a TCP sender in json.md's first sample. */
static void tcp_interval(struct scene *sc)
{
	struct span *s = scene_span(sc, 0, 0, 1.000229, 1310720, 0, 1178694);

	measured(s, 1.0002290010452271, 10483359.299762864);
	s->path = (struct path){ true, 1178694, 328704, 98, 53, 65535, 0 };
	scene_interval(sc);
}

static void tcp_summary(struct scene *sc)
{
	scene_half(sc, 0, 2.002529, 2621440, 0, 2.003649, 2621440);
	sc->half[0].path =
		(struct path_summary){ true, 0, 1178694, 328704, 152, 98, 125 };
	sc->summary.cpu_local = (struct cpu_percent){ 0.5, 0.25, 0.125 };
	sc->summary.is_cpu_remote_known = true;
	sc->summary.cpu_remote = (struct cpu_percent){ 1, 0, 1 };
	SET_TEXT(sc->summary.congestion_sent, "bbr");
	SET_TEXT(sc->summary.congestion_received, "cubic");
	scene_summary(sc);
}

static void tcp_test(struct scene *sc)
{
	sc->settings.rate_bps = 10000000;
	scene_connect(sc);
	scene_stream(sc, 4, 42606, GROUP_FORWARD);
	scene_start(sc);
	tcp_interval(sc);
	tcp_summary(sc);
}

static void a_tcp_document_has_iperf3s_keys_in_order(void **state)
{
	struct scene sc;
	cJSON *doc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	tcp_test(&sc);
	scene_say(&sc, EVENT_CLOSE);
	doc = printed(&sc);
	cJSON_DeleteItemFromObject(cJSON_GetObjectItem(doc, "start"),
				   "system_info");
	assert_member(
		doc, "start",
		"{\"connected\":[{\"socket\":4,\"local_host\":\"127.0.0.1\","
		"\"local_port\":42606,\"remote_host\":\"127.0.0.1\","
		"\"remote_port\":30581}],"
		"\"version\":\"iperf 3.21 (iperf3-vsock " PACKAGE_VERSION ")\","
		"\"timestamp\":{\"time\":\"Mon, 30 Nov 2026 10:35:21 GMT\","
		"\"timesecs\":1796034921,\"timemillisecs\":1796034921071},"
		"\"connecting_to\":{\"host\":\"127.0.0.1\",\"port\":30581},"
		"\"cookie\":\"mgeu2xz5vma4h5lbvjv5bjmjomns2sb5rxi5\","
		"\"tcp_mss_default\":32768,\"target_bitrate\":10000000,"
		"\"fq_rate\":0,"
		"\"sock_bufsize\":0,\"sndbuf_actual\":16384,"
		"\"rcvbuf_actual\":131072,"
		"\"test_start\":{\"protocol\":\"TCP\",\"num_streams\":1,"
		"\"blksize\":131072,"
		"\"omit\":0,\"duration\":2,\"bytes\":0,\"blocks\":0,"
		"\"reverse\":0,\"tos\":0,"
		"\"target_bitrate\":10000000,\"bidir\":0,\"fqrate\":0,"
		"\"interval\":1,"
		"\"gso\":0,\"gro\":0}}");
	assert_member(
		doc, "intervals",
		"[{\"streams\":[{\"socket\":4,\"start\":0,\"end\":1.000229,"
		"\"seconds\":1.0002290010452271,\"bytes\":1310720,"
		"\"bits_per_second\":10483359.299762864,\"retransmits\":0,"
		"\"snd_cwnd\":1178694,\"snd_wnd\":328704,\"rtt\":98,"
		"\"rttvar\":53,"
		"\"pmtu\":65535,\"reorder\":0,\"omitted\":false,"
		"\"sender\":true}],"
		"\"sum\":{\"start\":0,\"end\":1.000229,"
		"\"seconds\":1.0002290010452271,"
		"\"bytes\":1310720,\"bits_per_second\":10483359.299762864,"
		"\"retransmits\":0,\"omitted\":false,\"sender\":true}}]");
	assert_member(
		doc, "end",
		"{\"streams\":[{\"sender\":{\"socket\":4,\"start\":0,"
		"\"end\":2.002529,"
		"\"seconds\":2.002529,\"bytes\":2621440,"
		"\"bits_per_second\":10472517.501619203,\"retransmits\":0,"
		"\"reorder\":0,"
		"\"max_snd_cwnd\":1178694,\"max_snd_wnd\":328704,"
		"\"max_rtt\":152,"
		"\"min_rtt\":98,\"mean_rtt\":125,\"sender\":true},"
		"\"receiver\":{\"socket\":4,\"start\":0,\"end\":2.003649,"
		"\"seconds\":2.003649,\"bytes\":2621440,"
		"\"bits_per_second\":10466663.572312318,\"sender\":true}}],"
		"\"sum_sent\":{\"start\":0,\"end\":2.002529,"
		"\"seconds\":2.002529,"
		"\"bytes\":2621440,\"bits_per_second\":10472517.501619203,"
		"\"retransmits\":0,\"sender\":true},"
		"\"sum_received\":{\"start\":0,\"end\":2.003649,"
		"\"seconds\":2.003649,"
		"\"bytes\":2621440,\"bits_per_second\":10466663.572312318,"
		"\"sender\":true},"
		"\"cpu_utilization_percent\":{\"host_total\":0.5,"
		"\"host_user\":0.25,"
		"\"host_system\":0.125,\"remote_total\":1,\"remote_user\":0,"
		"\"remote_system\":1},\"sender_tcp_congestion\":\"bbr\","
		"\"receiver_tcp_congestion\":\"cubic\"}");
	cJSON_Delete(doc);
	close_scene(&sc);
}

static void the_text_has_iperf3s_white_space(void **state)
{
	struct scene sc;
	const char *text;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	scene_say(&sc, EVENT_OPEN);
	scene_say(&sc, EVENT_CLOSE);
	text = scene_out(&sc);
	assert_memory_equal(
		text, "{\n\t\"start\":\t{\n\t\t\"connected\":\t[],",
		strlen("{\n\t\"start\":\t{\n\t\t\"connected\":\t[],"));
	assert_non_null(strstr(text, "\t\"intervals\":\t[],\n"
				     "\t\"end\":\t{\n\t},\n"));
	assert_string_equal(text + strlen(text) - 3, "\n}\n");
	close_scene(&sc);
}

static void a_servers_receiving_end_knows_its_half(void **state)
{
	struct scene sc;
	cJSON *doc;

	(void)state;
	open_scene(&sc, ROLE_SERVER);
	scene_connect(&sc);
	scene_stream(&sc, 5, 42606, GROUP_FORWARD);
	scene_start(&sc);
	scene_half(&sc, 0, 2, 0, RETRANSMITS_UNKNOWN, 2, 2500000);
	SET_TEXT(sc.summary.congestion_received, "bbr");
	scene_summary(&sc);
	scene_say(&sc, EVENT_CLOSE);
	doc = printed(&sc);
	assert_member(doc, "start.accepted_connection",
		      "{\"host\":\"127.0.0.1\",\"port\":30581}");
	assert_member(doc, "start.connecting_to", NULL);
	assert_member(doc, "start.tcp_mss_default", "0");
	assert_member(
		doc, "end",
		"{\"streams\":[{\"sender\":{\"socket\":5,\"start\":0,\"end\":2,"
		"\"seconds\":2,"
		"\"bytes\":0,\"bits_per_second\":0,\"sender\":false},"
		"\"receiver\":{\"socket\":5,\"start\":0,\"end\":2,"
		"\"seconds\":2,"
		"\"bytes\":2500000,\"bits_per_second\":10000000,"
		"\"sender\":false}}],"
		"\"sum_sent\":{\"start\":0,\"end\":2,\"seconds\":2,\"bytes\":0,"
		"\"bits_per_second\":0,\"sender\":false},"
		"\"sum_received\":{\"start\":0,\"end\":2,\"seconds\":2,"
		"\"bytes\":2500000,"
		"\"bits_per_second\":10000000,\"sender\":false},"
		"\"cpu_utilization_percent\":{\"host_total\":0,\"host_user\":0,"
		"\"host_system\":0,\"remote_total\":0,\"remote_user\":0,"
		"\"remote_system\":0},\"receiver_tcp_congestion\":\"bbr\"}");
	cJSON_Delete(doc);
	close_scene(&sc);
}

static const char *const bidir_keys[] = {
	"streams",
	"sum_sent",
	"sum_received",
	"sum_sent_bidir_reverse",
	"sum_received_bidir_reverse",
	"cpu_utilization_percent",
};

static void both_directions_have_their_own_sums(void **state)
{
	struct scene sc;
	const cJSON *item;
	size_t i = 0;
	cJSON *doc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	sc.settings.is_bidir = true;
	scene_connect(&sc);
	scene_stream(&sc, 4, 1, GROUP_FORWARD);
	scene_stream(&sc, 6, 2, GROUP_REVERSE);
	scene_start(&sc);
	scene_span(&sc, 0, 0, 1, 1000, 0, 0);
	scene_span(&sc, 1, 0, 1, 3000, RETRANSMITS_UNKNOWN, 0);
	scene_interval(&sc);
	scene_half(&sc, 0, 1, 1000, 0, 1, 1000);
	scene_half(&sc, 1, 1, 3000, 2, 1, 3000);
	scene_summary(&sc);
	scene_say(&sc, EVENT_CLOSE);
	doc = printed(&sc);
	for (item = json_get(doc, "end")->child; item; item = item->next)
		assert_string_equal(item->string, bidir_keys[i++]);
	assert_int_equal(i, 6);
	item = cJSON_GetArrayItem(json_get(doc, "intervals"), 0);
	assert_member(
		item, "sum",
		"{\"start\":0,\"end\":1,\"seconds\":1,\"bytes\":1000,"
		"\"bits_per_second\":8000,\"retransmits\":0,\"omitted\":false,"
		"\"sender\":true}");
	assert_member(item, "sum_bidir_reverse",
		      "{\"start\":0,\"end\":1,\"seconds\":1,\"bytes\":3000,"
		      "\"bits_per_second\":24000,\"omitted\":false,"
		      "\"sender\":false}");
	assert_member(doc, "end.sum_sent_bidir_reverse",
		      "{\"start\":0,\"end\":1,\"seconds\":1,\"bytes\":3000,"
		      "\"bits_per_second\":24000,\"retransmits\":2,"
		      "\"sender\":false}");
	cJSON_Delete(doc);
	close_scene(&sc);
}

static void datagrams_mix_the_halves_as_iperf3_does(void **state)
{
	struct scene sc;
	cJSON *doc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	sc.test.shape = SHAPE_DATAGRAMS;
	sc.test.has_mss = false;
	scene_connect(&sc);
	scene_stream(&sc, 4, 53092, GROUP_FORWARD);
	scene_start(&sc);
	scene_span(&sc, 0, 0, 1, 125000, RETRANSMITS_UNKNOWN, 0);
	sc.span[0].datagrams.packets = 125;
	scene_interval(&sc);
	scene_half(&sc, 0, 1, 125000, RETRANSMITS_UNKNOWN, 1.25, 100000);
	sc.half[0].sent.datagrams.packets = 125;
	sc.half[0].received.datagrams = (struct datagrams){ .packets = 125,
							    .lost = 25,
							    .jitter_ms = 0.5,
							    .lost_percent = 20,
							    .out_of_order = 3 };
	scene_summary(&sc);
	scene_say(&sc, EVENT_CLOSE);
	doc = printed(&sc);
	assert_member(
		cJSON_GetArrayItem(json_get(doc, "intervals"), 0), "sum",
		"{\"start\":0,\"end\":1,\"seconds\":1,\"bytes\":125000,"
		"\"bits_per_second\":1000000,\"packets\":125,\"omitted\":false,"
		"\"sender\":true}");
	assert_member(
		doc, "end.streams",
		"[{\"udp\":{\"socket\":4,\"start\":0,\"end\":1,\"seconds\":1,"
		"\"bytes\":125000,\"bits_per_second\":1000000,"
		"\"jitter_ms\":0.5,"
		"\"lost_packets\":25,\"packets\":125,\"lost_percent\":20,"
		"\"out_of_order\":3,\"sender\":true}}]");
	assert_member(
		doc, "end.sum",
		"{\"start\":0,\"end\":1.25,\"seconds\":1.25,\"bytes\":125000,"
		"\"bits_per_second\":1000000,\"jitter_ms\":0.5,"
		"\"lost_packets\":25,"
		"\"packets\":125,\"lost_percent\":20,\"sender\":true}");
	assert_member(doc, "end.sum_sent",
		      "{\"start\":0,\"end\":1,\"seconds\":1,\"bytes\":125000,"
		      "\"bits_per_second\":1000000,\"jitter_ms\":0,"
		      "\"lost_packets\":0,"
		      "\"packets\":125,\"lost_percent\":0,\"sender\":true}");
	assert_member(
		doc, "end.sum_received",
		"{\"start\":0,\"end\":1.25,\"seconds\":1.25,\"bytes\":100000,"
		"\"bits_per_second\":640000,\"jitter_ms\":0.5,"
		"\"lost_packets\":25,"
		"\"packets\":125,\"lost_percent\":20,\"sender\":false}");
	assert_member(doc, "start.tcp_mss_default", NULL);
	cJSON_Delete(doc);
	close_scene(&sc);
}

static void a_refused_client_has_a_short_document(void **state)
{
	struct err e = ERR_INIT;
	struct scene sc;
	cJSON *doc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	scene_say(&sc, EVENT_OPEN);
	err_set(&e, ERR_ACCESS_DENIED, 0, "%s", "");
	e.is_from_peer = true;
	scene_error(&sc, &e);
	doc = printed(&sc);
	assert_int_equal(cJSON_GetArraySize(json_get(doc, "start")), 3);
	assert_member(doc, "start.connected", "[]");
	assert_member(doc, "intervals", "[]");
	assert_member(doc, "end", "{}");
	assert_member(doc, "error", "\"" FAILURE_TEXT "\"");
	assert_member(doc, "environment.remote", "null");
	cJSON_Delete(doc);
	close_scene(&sc);
}

static void an_error_outside_a_test_is_a_document(void **state)
{
	struct err e = ERR_INIT;
	struct event ev = { .kind = EVENT_ERROR, .error = &e };
	struct scene sc;
	cJSON *doc;

	(void)state;
	open_scene(&sc, ROLE_SERVER);
	err_set(&e, ERR_INTERRUPT, 0, "%s",
		"the server has terminated by signal Terminated(15)");
	ev.settings = &sc.settings;
	sc.sink->on_event(sc.sink, &ev);
	doc = printed(&sc);
	assert_member(doc, "error",
		      "\"interrupt - the server has terminated "
		      "by signal Terminated(15)\"");
	cJSON_Delete(doc);
	assert_null(json_sink_take_document(sc.sink));
	close_scene(&sc);
}

static void the_users_texts_and_the_servers_output_are_kept(void **state)
{
	struct scene sc;
	cJSON *doc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	settings_set_string(&sc.settings.title, "a title");
	settings_set_string(&sc.settings.extra_data, "more \"data\"");
	scene_connect(&sc);
	scene_event(&sc, (struct event){ .kind = EVENT_WARNING,
					 .text = "take care" });
	scene_event(&sc, (struct event){ .kind = EVENT_SERVER_OUTPUT,
					 .text = "a\nb\n" });
	scene_say(&sc, EVENT_CLOSE);
	doc = printed(&sc);
	assert_member(doc, "title", "\"a title\"");
	assert_member(doc, "extra_data", "\"more \\\"data\\\"\"");
	assert_member(doc, "server_output_text", "\"a\\nb\\n\"");
	cJSON_Delete(doc);
	assert_string_equal(scene_err(&sc), "warning: take care\n");
	rewind(sc.out);
	scene_connect(&sc);
	scene_event(&sc, (struct event){ .kind = EVENT_SERVER_OUTPUT,
					 .text = "{\"end\":{}}",
					 .is_json = true });
	scene_say(&sc, EVENT_CLOSE);
	doc = printed(&sc);
	assert_member(doc, "server_output_json", "{\"end\":{}}");
	assert_member(doc, "server_output_text", NULL);
	cJSON_Delete(doc);
	close_scene(&sc);
}

static void a_credit_window_and_both_machines_are_named(void **state)
{
	struct scene sc;
	cJSON *doc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	sc.test.protocol = "VSOCK";
	sc.test.shape = SHAPE_PLAIN;
	sc.test.has_mss = sc.test.has_socket_buffers = false;
	sc.test.has_credit_window = true;
	sc.test.window_granted_bytes = 262144;
	sc.test.local.is_known = true;
	sc.test.local.cpus = 8;
	SET_TEXT(sc.test.local.kernel, "6.12.1");
	scene_connect(&sc);
	scene_stream(&sc, 4, 4294967290u, GROUP_FORWARD);
	scene_start(&sc);
	scene_half(&sc, 0, 1, 1000, RETRANSMITS_UNKNOWN, 1, 1000);
	scene_summary(&sc);
	scene_say(&sc, EVENT_CLOSE);
	doc = printed(&sc);
	assert_member(doc, "start.window_granted", "262144");
	assert_member(doc, "start.sock_bufsize", NULL);
	assert_int_equal(cJSON_GetArrayItem(json_get(json_get(doc, "start"),
						     "connected"),
					    0)
				 ->child->next->next->valuedouble,
			 4294967290u);
	assert_member(
		doc, "environment",
		"{\"local\":{\"tool\":null,\"kernel\":\"6.12.1\","
		"\"kernel_build\":null,"
		"\"machine\":null,\"cpu_model\":null,\"cpus\":8,"
		"\"clocksource\":null,"
		"\"boot_id\":null,\"address\":null,\"window_bytes\":null},"
		"\"remote\":null}");
	assert_member(doc, "end.sum_sent",
		      "{\"start\":0,\"end\":1,\"seconds\":1,\"bytes\":1000,"
		      "\"bits_per_second\":8000,\"sender\":true}");
	cJSON_Delete(doc);
	close_scene(&sc);
}

static void a_document_can_be_taken_before_and_after_the_end(void **state)
{
	struct scene sc;
	cJSON *early, *late;

	(void)state;
	scene_init(&sc, ROLE_CLIENT);
	sc.sink = json_sink_new(NULL, NULL);
	assert_null(json_sink_take_document(sc.sink));
	tcp_test(&sc);
	early = json_sink_take_document(sc.sink);
	scene_say(&sc, EVENT_CLOSE);
	late = json_sink_take_document(sc.sink);
	assert_non_null(early);
	assert_true(cJSON_Compare(early, late, true));
	assert_int_equal(cJSON_GetArraySize(json_get(late, "intervals")), 1);
	assert_null(json_sink_take_document(sc.sink));
	cJSON_Delete(early);
	cJSON_Delete(late);
	assert_string_equal(scene_out(&sc), "");
	close_scene(&sc);
}

static void a_second_test_starts_afresh(void **state)
{
	struct err e = ERR_INIT;
	struct scene sc;
	cJSON *doc;

	(void)state;
	open_scene(&sc, ROLE_CLIENT);
	tcp_test(&sc);
	err_set(&e, ERR_CTL_CLOSE, 0, "%s", "");
	scene_error(&sc, &e);
	rewind(sc.out);
	sc.test.streams = 0;
	scene_connect(&sc);
	scene_say(&sc, EVENT_CLOSE);
	doc = printed(&sc);
	assert_member(doc, "intervals", "[]");
	assert_member(doc, "end", "{}");
	assert_member(doc, "error", NULL);
	cJSON_Delete(doc);
	close_scene(&sc);
}

static void a_decimal_comma_is_not_printed(void **state)
{
	struct scene sc;
	cJSON *doc;

	(void)state;
	if (!setlocale(LC_ALL, "de_DE.UTF-8"))
		skip();
	open_scene(&sc, ROLE_CLIENT);
	tcp_test(&sc);
	scene_say(&sc, EVENT_CLOSE);
	assert_non_null(strstr(scene_out(&sc), "1.000229,"));
	assert_non_null(strstr(scene_out(&sc), "Mon, 30 Nov 2026"));
	setlocale(LC_ALL, "C");
	doc = printed(&sc);
	cJSON_Delete(doc);
	close_scene(&sc);
}

static void open_stream_scene(struct scene *sc)
{
	scene_init(sc, ROLE_CLIENT);
	sc->sink = jsonl_sink_new(sc->out, sc->err);
	assert_non_null(sc->sink);
}

static void close_stream_scene(struct scene *sc)
{
	jsonl_sink_free(sc->sink);
	scene_done(sc);
}

/* Checks that each line is an event of the given names, in order. */
static const char *assert_events(const char *text, const char *const *names,
				 size_t count)
{
	size_t i, len;
	cJSON *line;

	for (i = 0; i < count; i++) {
		len = strcspn(text, "\n");
		line = json_parse_object(text, len);
		assert_non_null(line);
		assert_string_equal(json_get(line, "event")->valuestring,
				    names[i]);
		assert_non_null(json_get(line, "data"));
		cJSON_Delete(line);
		text += len + 1;
	}
	return text;
}

static void a_stream_has_a_line_per_event(void **state)
{
	static const char *const names[] = {
		"start",
		"interval",
		"server_output_text",
		"end",
	};
	struct scene sc;

	(void)state;
	open_stream_scene(&sc);
	tcp_test(&sc);
	scene_event(&sc, (struct event){ .kind = EVENT_SERVER_OUTPUT,
					 .text = "text" });
	scene_say(&sc, EVENT_CLOSE);
	assert_string_equal(assert_events(scene_out(&sc), names, 4), "");
	close_stream_scene(&sc);
}

static void a_streams_full_output_follows_its_end(void **state)
{
	static const char *const names[] = { "start", "interval", "end" };
	struct scene sc;
	const char *rest;
	cJSON *doc;

	(void)state;
	open_stream_scene(&sc);
	sc.settings.is_json_stream_full = true;
	tcp_test(&sc);
	scene_say(&sc, EVENT_CLOSE);
	rest = assert_events(scene_out(&sc), names, 3);
	assert_memory_equal(rest, "{\n\t\"start\"", 10);
	doc = json_parse_object(rest, strlen(rest));
	assert_int_equal(cJSON_GetArraySize(json_get(doc, "intervals")), 1);
	cJSON_Delete(doc);
	close_stream_scene(&sc);
}

static void a_failure_streams_error_and_an_empty_end(void **state)
{
	struct err e = ERR_INIT;
	struct scene sc;

	(void)state;
	open_stream_scene(&sc);
	scene_say(&sc, EVENT_OPEN);
	err_set(&e, ERR_ACCESS_DENIED, 0, "%s", "");
	scene_error(&sc, &e);
	assert_string_equal(scene_out(&sc),
			    "{\"event\":\"error\",\"data\":\"" FAILURE_TEXT
			    "\"}\n"
			    "{\"event\":\"end\",\"data\":{}}\n");
	close_stream_scene(&sc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_tcp_document_has_iperf3s_keys_in_order),
		cmocka_unit_test(the_text_has_iperf3s_white_space),
		cmocka_unit_test(a_servers_receiving_end_knows_its_half),
		cmocka_unit_test(both_directions_have_their_own_sums),
		cmocka_unit_test(datagrams_mix_the_halves_as_iperf3_does),
		cmocka_unit_test(a_refused_client_has_a_short_document),
		cmocka_unit_test(an_error_outside_a_test_is_a_document),
		cmocka_unit_test(
			the_users_texts_and_the_servers_output_are_kept),
		cmocka_unit_test(a_credit_window_and_both_machines_are_named),
		cmocka_unit_test(
			a_document_can_be_taken_before_and_after_the_end),
		cmocka_unit_test(a_second_test_starts_afresh),
		cmocka_unit_test(a_decimal_comma_is_not_printed),
		cmocka_unit_test(a_stream_has_a_line_per_event),
		cmocka_unit_test(a_streams_full_output_follows_its_end),
		cmocka_unit_test(a_failure_streams_error_and_an_empty_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
