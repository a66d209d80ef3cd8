/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

static uint64_t bytes_of(const char *text)
{
	uint64_t v = 12345;

	assert_int_equal(units_parse_bytes(text, &v), 0);
	return v;
}

static uint64_t rate_of(const char *text)
{
	uint64_t v = 12345;

	assert_int_equal(units_parse_rate(text, &v), 0);
	return v;
}

static void suffixes_are_powers_of_1024_or_1000(void **state)
{
	(void)state;
	assert_int_equal(bytes_of("0"), 0);
	assert_int_equal(bytes_of("1000"), 1000);
	assert_int_equal(bytes_of("1K"), 1024);
	assert_int_equal(bytes_of("1k"), 1024);
	assert_int_equal(bytes_of("1.5M"), 1572864);
	assert_int_equal(bytes_of("2G"), 2147483648u);
	assert_int_equal(bytes_of(".5t"), 549755813888u);
	assert_int_equal(bytes_of("1e3"), 1000);
	assert_int_equal(rate_of("1K"), 1000);
	assert_int_equal(rate_of("10Mbits"), 10000000);
	assert_int_equal(rate_of("2T"), 2000000000000u);
}

static void bad_numbers_leave_the_output_alone(void **state)
{
	static const char *const bad[] = {
		"",    "K",    "-1", " 1",  "1x",  "1/", "inf",
		"nan", "0x10", ".",  "1,5", "1 K", "+1",
	};
	uint64_t v = 7;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(units_parse_bytes(bad[i], &v), -EINVAL);
	assert_int_equal(units_parse_bytes("16777216T", &v), -ERANGE);
	assert_int_equal(units_parse_bytes("1e400", &v), -ERANGE);
	assert_int_equal(v, 7);
}

static void integers_are_complete_and_in_range(void **state)
{
	int64_t v = 7;

	(void)state;
	assert_int_equal(units_parse_int("12x", 0, 100, &v), -EINVAL);
	assert_int_equal(units_parse_int("", 0, 100, &v), -EINVAL);
	assert_int_equal(units_parse_int("-", 0, 100, &v), -EINVAL);
	assert_int_equal(units_parse_int(" 1", 0, 100, &v), -EINVAL);
	assert_int_equal(units_parse_int("101", 0, 100, &v), -ERANGE);
	assert_int_equal(units_parse_int("99999999999999999999", 0, INT64_MAX,
					 &v),
			 -ERANGE);
	assert_int_equal(v, 7);
	assert_int_equal(units_parse_int("-5", -10, 100, &v), 0);
	assert_int_equal(v, -5);
}

static void c_integers_know_three_bases(void **state)
{
	int64_t v = 7;

	(void)state;
	assert_int_equal(units_parse_c_int("12x", 0, 100, &v), -EINVAL);
	assert_int_equal(units_parse_c_int("0x", 0, 100, &v), -EINVAL);
	assert_int_equal(units_parse_c_int("08", 0, 100, &v), -EINVAL);
	assert_int_equal(units_parse_c_int("", 0, 100, &v), -EINVAL);
	assert_int_equal(units_parse_c_int("+1", 0, 100, &v), -EINVAL);
	assert_int_equal(units_parse_c_int(" 1", 0, 100, &v), -EINVAL);
	assert_int_equal(units_parse_c_int("0x65", 0, 100, &v), -ERANGE);
	assert_int_equal(units_parse_c_int("0xffffffffffffffffff", 0, INT64_MAX,
					   &v),
			 -ERANGE);
	assert_int_equal(v, 7);
	assert_int_equal(units_parse_c_int("52", 0, 100, &v), 0);
	assert_int_equal(v, 52);
	assert_int_equal(units_parse_c_int("064", 0, 100, &v), 0);
	assert_int_equal(v, 52);
	assert_int_equal(units_parse_c_int("-0x34", -100, 100, &v), 0);
	assert_int_equal(v, -52);
}

static void doubles_are_complete_and_finite(void **state)
{
	double v = 7;

	(void)state;
	assert_int_equal(units_parse_double("0.25s", &v), -EINVAL);
	assert_int_equal(units_parse_double("inf", &v), -EINVAL);
	assert_int_equal(units_parse_double("1e999", &v), -ERANGE);
	assert_true(v == 7);
	assert_int_equal(units_parse_double("-0.25", &v), 0);
	assert_true(v == -0.25);
}

static void assert_format(double bytes, char unit, const char *expected)
{
	char buf[UNITS_TEXT_SIZE];

	assert_string_equal(units_format(bytes, unit, buf, sizeof(buf)),
			    expected);
}

static void rounding_follows_the_table(void **state)
{
	(void)state;
	assert_format(0, 'A', "0.00 Byte");
	assert_format(0, 'a', "0.00 bit");
	assert_format(9.994, 'A', "9.99 Byte");
	assert_format(9.9951, 'A', "10.0 Byte");
	assert_format(99.94, 'A', "99.9 Byte");
	assert_format(99.951, 'A', " 100 Byte");
	assert_format(999, 'A', " 999 Byte");
	assert_format(1023, 'A', "1023 Byte");
	assert_format(1023.9, 'A', "1024 Byte");
	assert_format(1024, 'A', "1.00 KByte");
	assert_format(1024.0 * 1023, 'A', "1023 KByte");
	assert_format(1024.0 * 1023.9, 'A', "1024 KByte");
	assert_format(1024.0 * 1024, 'A', "1.00 MByte");
	assert_format(1084479242, 'A', "1.01 GByte");
	assert_format(5e15, 'A', "4547 TByte");
	assert_format(999.9 / 8, 'a', "1000 bit");
	assert_format(1000.0 / 8, 'a', "1.00 Kbit");
	assert_format(8.67e9 / 8, 'a', "8.67 Gbit");
}

static void fixed_units_do_not_adapt(void **state)
{
	(void)state;
	assert_format(10463e3 / 8, 'k', "10463 Kbit");
	assert_format(1277 * 1024.0, 'K', "1277 KByte");
	assert_format(10.5e6 / 8, 'm', "10.5 Mbit");
	assert_format(1245540515, 'G', "1.16 GByte");
	assert_format(1e10 / 8, 't', "0.01 Tbit");
	assert_format(0, 'T', "0.00 TByte");
}

static void sizes_show_exact_multiples(void **state)
{
	char buf[UNITS_TEXT_SIZE];

	(void)state;
	assert_string_equal(units_format_size(65536, buf, sizeof(buf)), "64K");
	assert_string_equal(units_format_size(1 << 20, buf, sizeof(buf)), "1M");
	assert_string_equal(units_format_size(1000, buf, sizeof(buf)), "1000");
	assert_string_equal(units_format_size(1536, buf, sizeof(buf)), "1536");
	assert_string_equal(units_format_size(0, buf, sizeof(buf)), "0");
}

static void a_decimal_comma_changes_nothing(void **state)
{
	static const char *const names[] = {
		"de_DE.UTF-8",
		"de_DE.utf8",
		"de_DE",
		"fr_FR.UTF-8",
	};
	char buf[UNITS_TEXT_SIZE];
	double v = 0;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (setlocale(LC_ALL, names[i]))
			break;
	if (strcmp(localeconv()->decimal_point, ",")) {
		setlocale(LC_ALL, "C");
		skip();
	}
	assert_int_equal(bytes_of("1.5K"), 1536);
	assert_int_equal(units_parse_double("0.5", &v), 0);
	assert_true(v == 0.5);
	assert_format(1.5, 'A', "1.50 Byte");
	units_printf(buf, sizeof(buf), "%.1f", 2.5);
	assert_string_equal(buf, "2.5");
	setlocale(LC_ALL, "C");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(suffixes_are_powers_of_1024_or_1000),
		cmocka_unit_test(bad_numbers_leave_the_output_alone),
		cmocka_unit_test(integers_are_complete_and_in_range),
		cmocka_unit_test(c_integers_know_three_bases),
		cmocka_unit_test(doubles_are_complete_and_finite),
		cmocka_unit_test(rounding_follows_the_table),
		cmocka_unit_test(fixed_units_do_not_adapt),
		cmocka_unit_test(sizes_show_exact_multiples),
		cmocka_unit_test(a_decimal_comma_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
