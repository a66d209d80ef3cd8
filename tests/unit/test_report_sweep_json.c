/* SPDX-License-Identifier: BSD-3-Clause */
#include "test_report_fixture.h"

#include "model/option.h"
#include "report/sweep_json.h"

struct sweep_scene {
	struct settings settings;
	struct sweep sweep;
	cJSON *doc;
};

static struct sweep_cell *cell(struct sweep *sw, size_t row, size_t direction)
{
	struct sweep_cell *c = &sw->row[row].cell[direction];

	c->is_wanted = true;
	return c;
}

static void open_scene(struct sweep_scene *ss)
{
	struct sweep *sw = &ss->sweep;

	memset(ss, 0, sizeof(*ss));
	settings_init(&ss->settings);
	ss->settings.role = ROLE_CLIENT;
	settings_set_string(&ss->settings.host, "3");
	sw->settings = &ss->settings;
	sw->protocol = "VSOCK";
	sw->start_wall_ms = 1796034921071;
	sw->end_wall_ms = 1796034925000;
	SET_TEXT(sw->direction[0], "host -> guest");
	SET_TEXT(sw->direction[1], "guest -> host");
	sw->local.is_known = true;
	sw->rows = 1;
	sw->row[0].block_bytes = 65536;
	*cell(sw, 0, 0) =
		(struct sweep_cell){ .is_wanted = true,
				     .is_run = true,
				     .is_ok = true,
				     .bits_per_second = 1.5e9,
				     .bytes = 4000000000000000,
				     .document = cJSON_CreateObject() };
	*cell(sw, 0, 1) = (struct sweep_cell){ .is_wanted = true,
					       .is_run = true,
					       .bits_per_second = 9e9,
					       .error = "no progress",
					       .bytes = 5 };
	json_put_text(sw->row[0].cell[0].document, "start", "kept");
}

static void close_scene(struct sweep_scene *ss)
{
	cJSON_Delete(ss->sweep.row[0].cell[0].document);
	cJSON_Delete(ss->doc);
	settings_done(&ss->settings);
}

static const cJSON *build(struct sweep_scene *ss)
{
	cJSON_Delete(ss->doc);
	ss->doc = sweep_json_build(&ss->sweep);
	assert_non_null(ss->doc);
	return ss->doc;
}

static void assert_text(const cJSON *item, const char *expected)
{
	char *text = json_print(item, false);

	assert_string_equal(text, expected);
	free(text);
}

static void every_cell_says_how_it_went(void **state)
{
	struct sweep_scene ss;
	const cJSON *doc;

	(void)state;
	open_scene(&ss);
	doc = build(&ss);
	assert_text(json_get(doc, "cells"),
		    "[{\"block_bytes\":65536,\"direction\":\"forward\","
		    "\"label\":\"host -> guest\",\"run\":true,\"ok\":true,"
		    "\"error\":null,"
		    "\"bits_per_second\":1500000000,\"bytes\":4000000000000000,"
		    "\"result\":{\"start\":\"kept\"}},"
		    "{\"block_bytes\":65536,\"direction\":\"reverse\","
		    "\"label\":\"guest -> host\",\"run\":true,\"ok\":false,"
		    "\"error\":\"no progress\",\"bits_per_second\":null,"
		    "\"bytes\":5,"
		    "\"result\":null}]");
	assert_text(json_get(doc, "complete"), "false");
	assert_text(json_get(doc, "sizes"), "[65536]");
	assert_text(json_get(json_get(doc, "environment"), "remote"), "null");
	close_scene(&ss);
}

static void an_unwanted_direction_has_no_cells(void **state)
{
	struct sweep_scene ss;
	const cJSON *doc;

	(void)state;
	open_scene(&ss);
	cell(&ss.sweep, 0, 1)->is_wanted = false;
	doc = build(&ss);
	assert_int_equal(cJSON_GetArraySize(json_get(doc, "cells")), 1);
	assert_text(json_get(doc, "complete"), "true");
	ss.sweep.is_interrupted = true;
	assert_text(json_get(build(&ss), "complete"), "false");
	close_scene(&ss);
}

static void a_cell_not_run_says_so(void **state)
{
	struct sweep_scene ss;
	const cJSON *item;

	(void)state;
	open_scene(&ss);
	*cell(&ss.sweep, 0, 1) = (struct sweep_cell){ .is_wanted = true };
	item = cJSON_GetArrayItem(json_get(build(&ss), "cells"), 1);
	assert_text(json_get(item, "run"), "false");
	assert_text(json_get(item, "error"), "\"not run\"");
	close_scene(&ss);
}

/* Options that name an action or a role, or do nothing, leave nothing to write
 * down; the IP versions are written as ip-version, and dscp as tos. */
static bool is_no_value(const char *name)
{
	static const char *const names[] = {
		"server",   "version", "help",
		"version4", "version6", "dscp", "no-fq-socket-pacing",
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void every_option_of_a_client_is_there(void **state)
{
	const struct option_table *table;
	struct sweep_scene ss;
	const cJSON *options;
	size_t i;

	(void)state;
	open_scene(&ss);
	ss.settings.rate_bps = 1000000;
	ss.settings.streams = 4;
	options = json_get(build(&ss), "options");
	for (table = option_core; table->title; table++) {
		for (i = 0; i < table->rows; i++) {
			const struct option_row *row = &table->row[i];

			if (!row->name || row->alias_of ||
			    !(row->roles & FOR_CLIENT) ||
			    is_no_value(row->name))
				continue;
			if (!json_get(options, row->name))
				fail_msg("--%s is missing", row->name);
		}
	}
	assert_text(json_get(options, "client"), "\"3\"");
	assert_text(json_get(options, "bitrate"), "1000000");
	assert_text(json_get(options, "parallel"), "4");
	assert_text(json_get(options, "interval"), "1");
	assert_text(json_get(options, "reverse"), "false");
	assert_text(json_get(options, "title"), "null");
	assert_text(json_get(options, "directions"), "\"both\"");
	assert_text(json_get(options, "no-delay"), "false");
	close_scene(&ss);
}

static void the_document_is_printed_once(void **state)
{
	struct sweep_scene ss;
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	cJSON *doc;

	(void)state;
	open_scene(&ss);
	assert_int_equal(sweep_json_print(out, &ss.sweep), 0);
	fclose(out);
	doc = json_parse_object(text, len);
	assert_non_null(doc);
	assert_string_equal(text + len - 3, "\n}\n");
	assert_text(json_get(doc, "format"),
		    "{\"name\":\"iperf3-vsock-sweep\",\"version\":1}");
	cJSON_Delete(doc);
	free(text);
	close_scene(&ss);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cell_says_how_it_went),
		cmocka_unit_test(an_unwanted_direction_has_no_cells),
		cmocka_unit_test(a_cell_not_run_says_so),
		cmocka_unit_test(every_option_of_a_client_is_there),
		cmocka_unit_test(the_document_is_printed_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
