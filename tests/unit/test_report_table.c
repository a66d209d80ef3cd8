/* SPDX-License-Identifier: BSD-3-Clause */
#include "test_report_fixture.h"

#include "model/sweep.h"
#include "report/table.h"

#define HEAD_TEXT                                                      \
	"# Mon, 30 Nov 2026 10:35:21 GMT, iperf3-vsock 0.1.0, VSOCK\n" \
	"# kernel: client 6.12.1, server not known\n"                  \
	"# options: -t 10 -P 1\n"                                      \
	"pkt_size"

struct table_scene {
	struct settings settings;
	struct sweep sweep;
	char *text;
	size_t len;
};

static void open_scene(struct table_scene *ts)
{
	struct sweep *sw = &ts->sweep;

	memset(ts, 0, sizeof(*ts));
	settings_init(&ts->settings);
	sw->settings = &ts->settings;
	sw->protocol = "VSOCK";
	sw->start_wall_ms = 1796034921071;
	SET_TEXT(sw->direction[0], "host -> guest");
	SET_TEXT(sw->direction[1], "guest -> host");
	sw->local.is_known = true;
	SET_TEXT(sw->local.tool, "iperf3-vsock 0.1.0");
	SET_TEXT(sw->local.kernel, "6.12.1");
}

static void close_scene(struct table_scene *ts)
{
	settings_done(&ts->settings);
	free(ts->text);
}

static struct sweep_cell *cell(struct sweep *sw, size_t row, size_t direction,
			       double bps)
{
	struct sweep_cell *c = &sw->row[row].cell[direction];

	c->is_wanted = c->is_run = c->is_ok = true;
	c->bits_per_second = bps;
	return c;
}

static void add_row(struct sweep *sw, uint64_t bytes, double to, double back)
{
	sw->row[sw->rows].block_bytes = bytes;
	cell(sw, sw->rows, 0, to);
	cell(sw, sw->rows, 1, back);
	sw->rows++;
}

/* The whole text. */
static const char *print(struct table_scene *ts)
{
	FILE *out;

	free(ts->text);
	ts->text = NULL;
	out = open_memstream(&ts->text, &ts->len);
	table_print(out, &ts->sweep);
	fclose(out);
	return ts->text;
}

/* The text behind the head. */
static const char *print_rows(struct table_scene *ts)
{
	return strstr(print(ts), "pkt_size");
}

static void rates_have_three_digits_below_each_other(void **state)
{
	struct table_scene ts;

	(void)state;
	open_scene(&ts);
	add_row(&ts.sweep, 1024, 0.512e9, 1.42e9);
	add_row(&ts.sweep, 65536, 35.3e9, 9.996e9);
	add_row(&ts.sweep, 524288, 128.4e9, 99.96e9);
	assert_string_equal(
		print_rows(&ts),
		"pkt_size   host -> guest   guest -> host   [Gbps]\n"
		"  1K            0.512           1.42\n"
		" 64K           35.3            10.0\n"
		"512K          128             100\n");
	close_scene(&ts);
}

static void the_head_names_what_was_measured(void **state)
{
	struct table_scene ts;
	const char *text;

	(void)state;
	open_scene(&ts);
	add_row(&ts.sweep, 1024, 1e9, 1e9);
	text = print(&ts);
	assert_memory_equal(text, HEAD_TEXT, strlen(HEAD_TEXT));
	ts.settings.streams = 4;
	ts.settings.window_bytes = 1 << 20;
	ts.settings.rate_bps = 1000000;
	ts.settings.is_nodelay = true;
	ts.sweep.local.window_bytes = 262144;
	ts.sweep.remote.is_known = true;
	SET_TEXT(ts.sweep.remote.kernel, "6.1.0");
	text = print(&ts);
	assert_non_null(strstr(text,
			       "server 6.1.0\n"
			       "# window: client 256K, server not known\n"
			       "# options: -t 10 -P 4 -w 1M -b 1000000 -N\n"));
	close_scene(&ts);
}

static void failures_have_a_note_each(void **state)
{
	struct table_scene ts;
	struct sweep_cell *c;

	(void)state;
	open_scene(&ts);
	add_row(&ts.sweep, 1024, 0.5e9, 1.4e9);
	add_row(&ts.sweep, 2048, 0, 0);
	c = cell(&ts.sweep, 1, 0, 123e9);
	c->is_ok = false;
	SET_TEXT(c->error, "no progress");
	cell(&ts.sweep, 1, 1, 0)->is_run = false;
	ts.sweep.is_interrupted = true;
	assert_string_equal(
		print_rows(&ts),
		"pkt_size   host -> guest   guest -> host   [Gbps]\n"
		"  1K           0.500           1.40\n"
		"  2K          failed             -\n"
		"# failed: 2K host -> guest: no progress\n"
		"# interrupted: what is marked - was not run\n");
	close_scene(&ts);
}

static void one_unit_suits_all_rates(void **state)
{
	static const struct {
		double small, large;
		const char *unit;
	} cases[] = {
		{ 1e9, 100e9, "[Gbps]" },    { 1e6, 100e9, "[Gbps]" },
		{ 0.99e6, 100e9, "[Mbps]" }, { 1e6, 999e6, "[Mbps]" },
		{ 999, 999e6, "[Kbps]" },    { 10, 999e3, "[Kbps]" },
		{ 0, 2e9, "[Gbps]" },	     { 0, 0, "[Gbps]" },
	};
	struct table_scene ts;
	size_t i;

	(void)state;
	open_scene(&ts);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ts.sweep.rows = 0;
		add_row(&ts.sweep, 1024, cases[i].small, cases[i].large);
		assert_non_null(strstr(print_rows(&ts), cases[i].unit));
		assert_null(strchr(strchr(print_rows(&ts), '\n'), 'e'));
	}
	close_scene(&ts);
}

static void labels_of_any_width_keep_columns(void **state)
{
	struct table_scene ts;

	(void)state;
	open_scene(&ts);
	SET_TEXT(ts.sweep.direction[0], "a");
	SET_TEXT(ts.sweep.direction[1], "client.example -> server");
	add_row(&ts.sweep, 1000000, 0.001e9, 100e9);
	assert_string_equal(
		print_rows(&ts),
		"pkt_size      a      client.example -> server   [Gbps]\n"
		"1000000    0.00100             100\n");
	close_scene(&ts);
}

static void an_unwanted_direction_has_no_column(void **state)
{
	struct table_scene ts;

	(void)state;
	open_scene(&ts);
	add_row(&ts.sweep, 1024, 0, 1.5e9);
	memset(&ts.sweep.row[0].cell[0], 0, sizeof(ts.sweep.row[0].cell[0]));
	assert_string_equal(print_rows(&ts),
			    "pkt_size   guest -> host   [Gbps]\n"
			    "  1K           1.50\n");
	close_scene(&ts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_have_three_digits_below_each_other),
		cmocka_unit_test(the_head_names_what_was_measured),
		cmocka_unit_test(failures_have_a_note_each),
		cmocka_unit_test(one_unit_suits_all_rates),
		cmocka_unit_test(labels_of_any_width_keep_columns),
		cmocka_unit_test(an_unwanted_direction_has_no_column),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
