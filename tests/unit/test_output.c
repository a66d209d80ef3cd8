/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/output.h"
#include "report/json.h"

#define PATH_SIZE 64
#define TEXT_SIZE 256

static char folder[PATH_SIZE];
static char path[PATH_SIZE + 8];
static char moved[PATH_SIZE + 8];
static struct settings s;
static struct err e;

/* The report's function; what it prints is its own test's business. */
void json_print_failure(FILE *out, const char *text)
{
	fprintf(out, "{%s}\n", text);
}

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "output-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/log", folder);
	snprintf(moved, sizeof(moved), "%s/old", folder);
	e = ERR_INIT;
	settings_init(&s);
	return settings_set_string(&s.logfile, path);
}

static int teardown(void **state)
{
	(void)state;
	settings_done(&s);
	unlink(path);
	unlink(moved);
	return rmdir(folder);
}

static void assert_content(const char *name, const char *expected)
{
	char text[TEXT_SIZE];
	FILE *f = fopen(name, "r");
	size_t n;

	assert_non_null(f);
	n = fread(text, 1, sizeof(text) - 1, f);
	text[n] = '\0';
	fclose(f);
	assert_string_equal(text, expected);
}

static void a_log_is_appended_to(void **state)
{
	FILE *out;
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		out = output_open(&s, &e);
		assert_non_null(out);
		fprintf(out, "line\n");
		assert_int_equal(output_close(out, &s), 0);
	}
	assert_content(path, "line\nline\n");
}

static void a_log_that_was_moved_continues_under_its_name(void **state)
{
	FILE *out = output_open(&s, &e);

	(void)state;
	assert_non_null(out);
	fprintf(out, "before");
	assert_int_equal(rename(path, moved), 0);
	output_reopen(out, &s);
	fprintf(out, "after\n");
	assert_int_equal(output_close(out, &s), 0);
	assert_content(moved, "before");
	assert_content(path, "after\n");
}

static void a_log_that_cannot_be_opened_is_an_error(void **state)
{
	(void)state;
	settings_set_string(&s.logfile, folder);
	assert_null(output_open(&s, &e));
	assert_int_equal(e.code, ERR_LOGFILE);
}

static void lost_output_is_noticed(void **state)
{
	FILE *out;

	(void)state;
	settings_set_string(&s.logfile, "/dev/full");
	out = output_open(&s, &e);
	assert_non_null(out);
	fprintf(out, "line\n");
	assert_true(output_check(out, "/dev/full") < 0);
	assert_int_equal(output_check(out, "/dev/full"), 0);
	fprintf(out, "line");
	assert_true(output_close(out, &s) < 0);
}

static void failures_go_to_the_log(void **state)
{
	FILE *out = output_open(&s, &e);

	(void)state;
	output_failure(out, &s, "why");
	output_close(out, &s);
	assert_content(path, "iperf3: error - why\n");
}

static void json_failures_are_only_json(void **state)
{
	FILE *out;

	(void)state;
	s.is_json = true;
	out = output_open(&s, &e);
	output_failure(out, &s, "why");
	output_close(out, &s);
	assert_content(path, "{why}\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_log_is_appended_to),
		TEST(a_log_that_was_moved_continues_under_its_name),
		TEST(a_log_that_cannot_be_opened_is_an_error),
		TEST(lost_output_is_noticed),
		TEST(failures_go_to_the_log),
		TEST(json_failures_are_only_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
