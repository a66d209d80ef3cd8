/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"

static void bytes_stay_in_order_while_it_grows(void **state)
{
	struct buf b;
	size_t i;

	(void)state;
	buf_init(&b, 10000);
	assert_null(b.data);
	for (i = 0; i < 10000; i++) {
		char c = (char)(i % 251);

		assert_int_equal(buf_append(&b, &c, 1), 0);
	}
	assert_int_equal(b.len, 10000);
	for (i = 0; i < 10000; i++)
		assert_int_equal(b.data[i], (char)(i % 251));
	buf_done(&b);
}

static void the_ceiling_is_reached_and_not_passed(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 5);
	assert_int_equal(buf_append(&b, "abc", 3), 0);
	assert_int_equal(buf_append(&b, "xyz", 3), -EMSGSIZE);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "abc", 3);
	assert_int_equal(buf_append(&b, "de", 2), 0);
	assert_memory_equal(b.data, "abcde", 5);
	assert_int_equal(buf_append(&b, "f", 1), -EMSGSIZE);
	buf_done(&b);
}

static void memory_is_bounded_by_the_ceiling(void **state)
{
	struct buf b;
	char bytes[300] = { 0 };

	(void)state;
	buf_init(&b, 300);
	assert_int_equal(buf_append(&b, bytes, sizeof(bytes)), 0);
	assert_int_equal(b.capacity, 300);
	buf_done(&b);
}

/* Callers hand over lengths that a peer announced. */
static void an_absurd_length_is_refused(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 100);
	assert_int_equal(buf_append(&b, "a", 1), 0);
	assert_int_equal(buf_append(&b, "a", SIZE_MAX), -EMSGSIZE);
	assert_int_equal(buf_append(&b, "a", SIZE_MAX - 1), -EMSGSIZE);
	assert_int_equal(b.len, 1);
	buf_done(&b);
}

static void nothing_needs_no_memory(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	assert_int_equal(buf_append(&b, NULL, 0), 0);
	assert_null(b.data);
	assert_int_equal(buf_append(&b, "a", 1), -EMSGSIZE);
	buf_done(&b);
	buf_done(NULL);
}

static void a_cleared_buffer_keeps_its_memory(void **state)
{
	struct buf b;
	char *data;

	(void)state;
	buf_init(&b, 4);
	buf_append(&b, "abcd", 4);
	data = b.data;
	buf_clear(&b);
	assert_int_equal(b.len, 0);
	assert_int_equal(buf_append(&b, "efgh", 4), 0);
	assert_ptr_equal(b.data, data);
	assert_memory_equal(b.data, "efgh", 4);
	buf_done(&b);
}

static void it_can_be_used_again_after_done(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 4);
	buf_append(&b, "abcd", 4);
	buf_done(&b);
	assert_null(b.data);
	assert_int_equal(b.len, 0);
	assert_int_equal(b.capacity, 0);
	assert_int_equal(buf_append(&b, "abcde", 5), -EMSGSIZE);
	assert_int_equal(buf_append(&b, "abcd", 4), 0);
	buf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bytes_stay_in_order_while_it_grows),
		cmocka_unit_test(the_ceiling_is_reached_and_not_passed),
		cmocka_unit_test(memory_is_bounded_by_the_ceiling),
		cmocka_unit_test(an_absurd_length_is_refused),
		cmocka_unit_test(nothing_needs_no_memory),
		cmocka_unit_test(a_cleared_buffer_keeps_its_memory),
		cmocka_unit_test(it_can_be_used_again_after_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
