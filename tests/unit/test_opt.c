/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line against a registry of one transport that exists only here:
 * its option must work without a line anywhere else.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/opt.h"
#include "transport/registry.h"

#define ARGUMENTS_MAX 24
#define LINE_SIZE 256

static int parse_pigeon(struct settings *s, const struct option_row *row,
			const char *value, struct err *e)
{
	(void)row;
	(void)value;
	(void)e;
	s->transport = "pigeon";
	return 0;
}

static const struct option_row pigeon_rows[] = {
	{ .name = "pigeon",
	  .kind = OPTION_CUSTOM,
	  .roles = FOR_BOTH,
	  .parse = parse_pigeon,
	  .help = "send by pigeon" },
	{ .name = "wings",
	  .kind = OPTION_INT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  .offset = offsetof(struct settings, tos),
	  .min = 1,
	  .max = 2,
	  .metavar = "N",
	  .help = "wings to use",
	  .needs = "pigeon" },
};

static const struct option_table pigeon_options = { "Pigeon", pigeon_rows, 2 };

size_t registry_count(void)
{
	return 1;
}

const struct option_table *registry_options(size_t index)
{
	assert_int_equal(index, 0);
	return &pigeon_options;
}

int registry_check(const struct settings *settings, struct err *err)
{
	(void)settings;
	(void)err;
	return 0;
}

static struct settings s;
static struct err e;
static enum opt_action action;

static int setup(void **state)
{
	(void)state;
	settings_init(&s);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	settings_done(&s);
	return 0;
}

/* Parses a line of arguments separated by blanks. */
static int parse(const char *line)
{
	char text[LINE_SIZE];
	char *argv[ARGUMENTS_MAX] = { "iperf3" };
	char *rest = NULL;
	int argc = 1;

	settings_done(&s);
	e = ERR_INIT;
	assert_true(strlen(line) < sizeof(text));
	memcpy(text, line, strlen(line) + 1);
	for (argv[argc] = strtok_r(text, " ", &rest); argv[argc];
	     argv[argc] = strtok_r(NULL, " ", &rest)) {
		argc++;
		assert_true(argc < ARGUMENTS_MAX);
	}
	return opt_parse(argc, argv, &s, &action, &e);
}

static void assert_fails(const char *line, int code)
{
	assert_true(parse(line) < 0);
	if (e.code != code)
		fail_msg("%s: error %d (%s)", line, e.code, e.detail);
}

static void assert_runs(const char *line)
{
	if (parse(line))
		fail_msg("%s: error %d (%s)", line, e.code, e.detail);
	assert_int_equal(action, OPT_RUN);
}

static void lines_that_users_type_work(void **state)
{
	(void)state;
	assert_runs("-s");
	assert_int_equal(s.role, ROLE_SERVER);
	assert_runs("-sD -p 5201 -1 --pigeon -B /tmp/v.sock --affinity 3");
	assert_true(s.is_daemon && s.is_one_off);
	assert_string_equal(s.bind_host, "/tmp/v.sock");
	assert_string_equal(s.transport, "pigeon");
	assert_runs("--time 20 --json --omit 3 -p 5201 --client 2 --len 64K "
		    "--pigeon -R --affinity 1");
	assert_string_equal(s.host, "2");
	assert_true(s.block_bytes == 65536 && s.is_json && s.is_reverse);
	assert_int_equal(s.time_s, 20);
	assert_runs("-VJc 3 -P4");
	assert_true(s.is_verbose && s.is_json);
	assert_int_equal(s.streams, 4);
}

static void long_options_shorten_and_take_equals(void **state)
{
	(void)state;
	assert_runs("--cli=h --para=3 --rev");
	assert_string_equal(s.host, "h");
	assert_int_equal(s.streams, 3);
	assert_true(s.is_reverse);
	assert_runs("-c h --bandwidth 3M");
	assert_true(s.rate_bps == 3000000 && s.has_rate);
	assert_fails("-c h --b 5", ERR_OPTION);
	assert_non_null(strstr(e.detail, "more than one"));
}

static void the_last_of_several_wins(void **state)
{
	(void)state;
	assert_runs("-c a -c b -t 5 -t 6 -4 -6");
	assert_string_equal(s.host, "b");
	assert_int_equal(s.time_s, 6);
	assert_int_equal(s.family, IP_FAMILY_6);
}

static void optional_values_need_an_equals_sign(void **state)
{
	(void)state;
	assert_runs("-c h --timestamps=%s");
	assert_string_equal(s.timestamps, "%s");
	assert_fails("-c h --sweep 1K-4K", ERR_OPTION);
	assert_non_null(strstr(e.detail, "--sweep=1K-4K"));
	assert_runs("-c h --timestamps");
	assert_string_equal(s.timestamps, "%c ");
}

static void what_is_no_option_is_ignored(void **state)
{
	(void)state;
	assert_runs("-s stray -1 another");
	assert_true(s.is_one_off);
}

static void unknown_options_are_named(void **state)
{
	(void)state;
	assert_fails("-c h --zerocopy", ERR_OPTION);
	assert_non_null(strstr(e.detail, "--zerocopy"));
	assert_fails("-c h -RZ", ERR_OPTION);
	assert_non_null(strstr(e.detail, "-Z"));
	assert_fails("-c h --json=yes", ERR_OPTION);
	assert_non_null(strstr(e.detail, "no value"));
	assert_fails("-c h -t", ERR_OPTION);
	assert_non_null(strstr(e.detail, "-t needs"));
	assert_fails("--client", ERR_OPTION);
	assert_non_null(strstr(e.detail, "HOST"));
}

static void the_first_mistake_is_reported(void **state)
{
	(void)state;
	assert_fails("-c h -t x -p y --nonsense", ERR_DURATION);
	assert_fails("-c h -p y -t x", ERR_PORT);
}

static void json_is_seen_after_a_mistake(void **state)
{
	(void)state;
	assert_fails("-c h -t x -J", ERR_DURATION);
	assert_true(s.is_json);
	assert_fails("-c h --nonsense --json-stream", ERR_OPTION);
	assert_true(s.is_json);
	assert_fails("-J -c h -Zt", ERR_OPTION);
	assert_true(s.is_json);
}

static void help_and_version_end_the_parsing(void **state)
{
	(void)state;
	assert_int_equal(parse("-h"), 0);
	assert_int_equal(action, OPT_HELP);
	assert_int_equal(parse("-s --version -t x"), 0);
	assert_int_equal(action, OPT_VERSION);
	assert_fails("-t x -h", ERR_DURATION);
}

static void impossible_combinations_are_refused(void **state)
{
	static const struct {
		const char *line;
		int code;
	} cases[] = {
		{ "", ERR_NO_ROLE },
		{ "-t 5", ERR_NO_ROLE },
		{ "-s -c h", ERR_SERVER_AND_CLIENT },
		{ "-c h -s", ERR_SERVER_AND_CLIENT },
		{ "-c h -D", ERR_SERVER_ONLY },
		{ "-1 -c h", ERR_SERVER_ONLY },
		{ "-c h --idle-timeout 5", ERR_SERVER_ONLY },
		{ "-s -t 5", ERR_CLIENT_ONLY },
		{ "-R -s", ERR_CLIENT_ONLY },
		{ "-s -b 1M", ERR_CLIENT_ONLY },
		{ "-s --sweep", ERR_CLIENT_ONLY },
		{ "-s --wings 2", ERR_CLIENT_ONLY },
		{ "-s -A 1,2", ERR_CLIENT_ONLY },
		{ "-c h -R --bidir", ERR_REVERSE_BIDIR },
		{ "-c h -t 5 -n 5M", ERR_END_CONDITIONS },
		{ "-c h -n 5M -k 5", ERR_END_CONDITIONS },
		{ "-c h -t 0 -k 5", ERR_END_CONDITIONS },
		{ "-c h --rcv-timeout 500", ERR_RCV_TIMEOUT_ROLE },
		{ "-c h --sweep --rcv-timeout 500 --directions forward",
		  ERR_RCV_TIMEOUT_ROLE },
		{ "-c h --sweep -R", ERR_USAGE },
		{ "-c h --sweep --bidir", ERR_USAGE },
		{ "-c h --sweep -l 5", ERR_USAGE },
		{ "-c h --sweep -n 5M", ERR_USAGE },
		{ "-c h --sweep -k 5", ERR_USAGE },
		{ "-c h --sweep -t 0", ERR_USAGE },
		{ "-c h --sweep --json-stream", ERR_USAGE },
		{ "-c h --directions both", ERR_USAGE },
		{ "-c h --json-out f", ERR_USAGE },
		{ "-c h --json-stream-full-output", ERR_USAGE },
		{ "-c h --wings 2", ERR_USAGE },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_fails(cases[i].line, cases[i].code);
}

static void possible_combinations_are_not(void **state)
{
	static const char *const lines[] = {
		"-s --rcv-timeout 500",
		"-c h -R --rcv-timeout 500",
		"-c h --sweep --rcv-timeout 500",
		"-c h --sweep -t 5 -P 2 -w 1M -O 1 -J --json-out f",
		"-c h --directions reverse --sweep",
		"-c h --json-stream-full-output --json-stream",
		"-c h -t 5 -n 0 -k 0",
		"-c h --wings 2 --pigeon",
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_runs(lines[i]);
	assert_int_equal(s.tos, 2);
}

static void another_end_replaces_the_time(void **state)
{
	(void)state;
	assert_runs("-c h -n 5M");
	assert_int_equal(s.time_s, 0);
	assert_runs("-c h -k 5");
	assert_int_equal(s.time_s, 0);
	assert_runs("-c h -n 0");
	assert_int_equal(s.time_s, 10);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lines_that_users_type_work),
		TEST(long_options_shorten_and_take_equals),
		TEST(the_last_of_several_wins),
		TEST(optional_values_need_an_equals_sign),
		TEST(what_is_no_option_is_ignored),
		TEST(unknown_options_are_named),
		TEST(the_first_mistake_is_reported),
		TEST(json_is_seen_after_a_mistake),
		TEST(help_and_version_end_the_parsing),
		TEST(impossible_combinations_are_refused),
		TEST(possible_combinations_are_not),
		TEST(another_end_replaces_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
