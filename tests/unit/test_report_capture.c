/* SPDX-License-Identifier: BSD-3-Clause */
#include "test_report_fixture.h"

#include "base/json.h"
#include "report/capture.h"

struct capture_scene {
	struct scene sc;
	struct capture *capture;
};

static void open_scene(struct capture_scene *cs, bool is_wanted)
{
	scene_init(&cs->sc, ROLE_SERVER);
	cs->capture = capture_new();
	assert_non_null(cs->capture);
	cs->sc.sink = capture_sink(cs->capture);
	cs->sc.settings.wants_server_output = is_wanted;
}

static void close_scene(struct capture_scene *cs)
{
	capture_free(cs->capture);
	scene_done(&cs->sc);
}

static void listen_and_run(struct scene *sc, int number)
{
	scene_event(sc,
		    (struct event){ .kind = EVENT_LISTEN, .number = number });
	sc->test.streams = 0;
	scene_connect(sc);
	scene_stream(sc, 5, 1000, GROUP_FORWARD);
	scene_start(sc);
	scene_span(sc, 0, 0, 1, 1048576, RETRANSMITS_UNKNOWN, 0);
	scene_interval(sc);
}

static void the_text_of_the_current_test_is_kept(void **state)
{
	struct capture_scene cs;
	bool is_json = true;
	char *text;

	(void)state;
	open_scene(&cs, true);
	listen_and_run(&cs.sc, 1);
	scene_say(&cs.sc, EVENT_CLOSE);
	listen_and_run(&cs.sc, 2);
	text = capture_text(cs.capture, &is_json);
	assert_false(is_json);
	assert_string_equal(
		text,
		"-----------------------------------------------------------\n"
		"Server listening on 5201 (test #2)\n"
		"-----------------------------------------------------------\n"
		"Accepted connection from 127.0.0.1, port 30581\n"
		"[  5] local 127.0.0.1 port 30581 connected to 127.0.0.1 port "
		"1000\n"
		"[ ID] Interval           Transfer     Bitrate\n"
		"[  5]   0.00-1.00   sec  1.00 MBytes  8.39 "
		"Mbits/sec                  \n");
	free(text);
	close_scene(&cs);
}

static void nothing_is_kept_for_a_client_that_did_not_ask(void **state)
{
	struct capture_scene cs;
	bool is_json;

	(void)state;
	open_scene(&cs, false);
	assert_null(capture_text(cs.capture, &is_json));
	listen_and_run(&cs.sc, 1);
	assert_null(capture_text(cs.capture, &is_json));
	close_scene(&cs);
}

static void with_json_the_document_is_kept(void **state)
{
	struct capture_scene cs;
	bool is_json = false;
	char *text;
	cJSON *doc;

	(void)state;
	open_scene(&cs, true);
	cs.sc.settings.is_json = true;
	listen_and_run(&cs.sc, 1);
	text = capture_text(cs.capture, &is_json);
	assert_true(is_json);
	doc = json_parse_object(text, strlen(text));
	assert_non_null(doc);
	assert_int_equal(cJSON_GetArraySize(json_get(doc, "intervals")), 1);
	cJSON_Delete(doc);
	free(text);
	close_scene(&cs);
}

static void a_long_test_keeps_whole_lines_up_to_the_bound(void **state)
{
	struct capture_scene cs;
	bool is_json;
	size_t i;
	char *text;

	(void)state;
	open_scene(&cs, true);
	listen_and_run(&cs.sc, 1);
	for (i = 0; i < 80000; i++)
		scene_interval(&cs.sc);
	text = capture_text(cs.capture, &is_json);
	assert_in_range(strlen(text), CAPTURE_MAX_BYTES - 100,
			CAPTURE_MAX_BYTES);
	assert_int_equal(text[strlen(text) - 1], '\n');
	free(text);
	listen_and_run(&cs.sc, 2);
	text = capture_text(cs.capture, &is_json);
	assert_in_range(strlen(text), 100, 1000);
	free(text);
	close_scene(&cs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_text_of_the_current_test_is_kept),
		cmocka_unit_test(nothing_is_kept_for_a_client_that_did_not_ask),
		cmocka_unit_test(with_json_the_document_is_kept),
		cmocka_unit_test(a_long_test_keeps_whole_lines_up_to_the_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
