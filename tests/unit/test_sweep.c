/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/sweep.h"

#define MAX_BYTES 1048576

/* Compares with a list that ends with 0. */
static void assert_sizes(const char *text, const uint64_t *want)
{
	uint64_t sizes[SWEEP_SIZES_MAX];
	struct err e = ERR_INIT;
	int n = sweep_parse_sizes(text, MAX_BYTES, sizes, SWEEP_SIZES_MAX, &e);
	int i;

	if (n < 0)
		fail_msg("%s: %s", text, e.detail);
	assert_false(err_is_set(&e));
	for (i = 0; i < n && want[i]; i++)
		assert_int_equal(sizes[i], want[i]);
	assert_int_equal(i, n);
	assert_int_equal(want[i], 0);
}

#define SIZES(...) ((const uint64_t[]){ __VA_ARGS__, 0 })

static void assert_refused(const char *text, int code)
{
	uint64_t sizes[SWEEP_SIZES_MAX];
	struct err e = ERR_INIT;

	if (sweep_parse_sizes(text, MAX_BYTES, sizes, SWEEP_SIZES_MAX, &e) >= 0)
		fail_msg("\"%s\" was taken", text);
	if (e.code != code)
		fail_msg("\"%s\" gives %d, not %d", text, e.code, code);
	assert_non_null(strstr(e.detail, text));
}

static void the_default_doubles_from_1k_to_512k(void **state)
{
	(void)state;
	assert_sizes(SWEEP_SIZES_DEFAULT,
		     SIZES(1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072,
			   262144, 524288));
}

static void lists_and_ranges_mix(void **state)
{
	(void)state;
	assert_sizes("1K,4K,64K", SIZES(1024, 4096, 65536));
	assert_sizes("100,1K-4K,1M", SIZES(100, 1024, 2048, 4096, 1048576));
	assert_sizes("7", SIZES(7));
	assert_sizes("1", SIZES(1));
	assert_sizes("1m", SIZES(1048576));
	assert_sizes("1.5K", SIZES(1536));
}

static void a_range_may_start_anywhere(void **state)
{
	(void)state;
	assert_sizes("1-8", SIZES(1, 2, 4, 8));
	assert_sizes("3-24", SIZES(3, 6, 12, 24));
	assert_sizes("1K-1K", SIZES(1024));
	/* What doubling misses is not added. */
	assert_sizes("1K-3K", SIZES(1024, 2048));
}

static void sizes_ascend_and_come_once(void **state)
{
	(void)state;
	assert_sizes("64K,1K,4K", SIZES(1024, 4096, 65536));
	assert_sizes("4K,1K-8K,1024", SIZES(1024, 2048, 4096, 8192));
	assert_sizes("5,5,5", SIZES(5));
}

static void missing_sizes_are_refused(void **state)
{
	(void)state;
	assert_refused("", ERR_OPTION);
	assert_refused(",", ERR_OPTION);
	assert_refused("1K,", ERR_OPTION);
	assert_refused(",1K", ERR_OPTION);
	assert_refused("1K,,4K", ERR_OPTION);
	assert_refused("-", ERR_OPTION);
	assert_refused("1K-", ERR_OPTION);
	assert_refused("-4K", ERR_OPTION);
}

static void text_around_a_number_is_refused(void **state)
{
	(void)state;
	assert_refused("abc", ERR_OPTION);
	assert_refused("1KB", ERR_OPTION);
	assert_refused("1Kbytes", ERR_OPTION);
	assert_refused("1 K", ERR_OPTION);
	assert_refused("1K, 4K", ERR_OPTION);
	assert_refused("1K-2K-4K", ERR_OPTION);
	assert_refused("0x10", ERR_OPTION);
	assert_refused("1e3", ERR_OPTION);
	assert_refused("+1K", ERR_OPTION);
	assert_refused("1.2.3", ERR_OPTION);
	assert_refused("1X", ERR_OPTION);
	assert_refused(".", ERR_OPTION);
}

static void sizes_out_of_range_are_refused(void **state)
{
	(void)state;
	assert_refused("0", ERR_BLOCK_SIZE);
	assert_refused("0-4", ERR_BLOCK_SIZE);
	assert_refused("0.5", ERR_BLOCK_SIZE);
	assert_refused("1048577", ERR_BLOCK_SIZE);
	assert_refused("1K-2M", ERR_BLOCK_SIZE);
	assert_refused("1G", ERR_BLOCK_SIZE);
}

static void a_range_goes_upwards(void **state)
{
	(void)state;
	assert_refused("4K-1K", ERR_OPTION);
	assert_refused("2-1", ERR_OPTION);
}

static void no_more_than_fit(void **state)
{
	uint64_t sizes[4] = { 0, 0, 0, 77 };
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(sweep_parse_sizes("1,2,3", MAX_BYTES, sizes, 3, &e),
			 3);
	assert_true(sweep_parse_sizes("1,2,3,4", MAX_BYTES, sizes, 3, &e) < 0);
	assert_int_equal(e.code, ERR_OPTION);
	assert_int_equal(sizes[3], 77);
	/* A size that is there already takes no room. */
	err_clear(&e);
	assert_int_equal(
		sweep_parse_sizes("1,2,3,1-2", MAX_BYTES, sizes, 3, &e), 3);
}

static void an_endless_number_is_refused(void **state)
{
	char text[301];
	uint64_t sizes[SWEEP_SIZES_MAX];
	struct err e = ERR_INIT;

	(void)state;
	memset(text, '1', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_true(sweep_parse_sizes(text, MAX_BYTES, sizes, SWEEP_SIZES_MAX,
				      &e) < 0);
	assert_int_equal(e.code, ERR_OPTION);
	text[30] = '\0';
	assert_true(sweep_parse_sizes(text, MAX_BYTES, sizes, SWEEP_SIZES_MAX,
				      NULL) < 0);
}

static void done_frees_the_documents(void **state)
{
	static struct sweep sw;

	(void)state;
	sw.rows = 2;
	sw.row[0].cell[GROUP_FORWARD].document = cJSON_CreateObject();
	sw.row[1].cell[GROUP_REVERSE].document = cJSON_CreateObject();
	sweep_done(&sw);
	sweep_done(&sw);
	assert_int_equal(sw.rows, 0);
	sweep_done(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_doubles_from_1k_to_512k),
		cmocka_unit_test(lists_and_ranges_mix),
		cmocka_unit_test(a_range_may_start_anywhere),
		cmocka_unit_test(sizes_ascend_and_come_once),
		cmocka_unit_test(missing_sizes_are_refused),
		cmocka_unit_test(text_around_a_number_is_refused),
		cmocka_unit_test(sizes_out_of_range_are_refused),
		cmocka_unit_test(a_range_goes_upwards),
		cmocka_unit_test(no_more_than_fit),
		cmocka_unit_test(an_endless_number_is_refused),
		cmocka_unit_test(done_frees_the_documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
