/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/datagram.h"

/* 3 s and 4 us of some clock. */
#define SENT_NS 3000004000ull

static void fields_are_in_network_byte_order(void **state)
{
	static const unsigned char narrow[] = { 0, 0, 0,    3,	  0,	0,
						0, 4, 0xaa, 0xbb, 0xcc, 0xdd };
	static const unsigned char wide[] = {
		0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0, 1, 0xaa, 0xbb, 0xcc, 0xdd
	};
	const struct datagram_header h = { SENT_NS, 0x1aabbccdd };
	unsigned char d[DATAGRAM_MIN_BYTES];

	(void)state;
	memset(d, 'x', sizeof(d));
	datagram_write(d, &h, false);
	assert_memory_equal(d, narrow, sizeof(narrow));
	assert_memory_equal(d + sizeof(narrow), "xxxx", 4);
	datagram_write(d, &h, true);
	assert_memory_equal(d, wide, sizeof(wide));
}

static void what_was_written_is_read(void **state)
{
	const struct datagram_header h = { SENT_NS, 5000000000 };
	struct datagram_header got;
	unsigned char d[DATAGRAM_MIN_BYTES];

	(void)state;
	datagram_write(d, &h, true);
	assert_true(datagram_read(d, sizeof(d), true, &got));
	assert_int_equal(got.sent_ns, h.sent_ns);
	assert_int_equal(got.number, h.number);
	datagram_write(d, &h, false);
	assert_true(datagram_read(d, sizeof(d), false, &got));
	assert_int_equal(got.number, (uint32_t)h.number);
}

static void a_short_one_has_no_header(void **state)
{
	const unsigned char d[DATAGRAM_MIN_BYTES] = { 0 };
	struct datagram_header got;

	(void)state;
	assert_true(datagram_read(d, 12, false, &got));
	assert_false(datagram_read(d, 11, false, &got));
	assert_false(datagram_read(d, 0, false, &got));
	assert_false(datagram_read(d, 15, true, &got));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_in_network_byte_order),
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(a_short_one_has_no_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
