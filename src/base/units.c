/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both directions keep clear of the program's locale: a decimal comma in a
 * report would break every script that reads it.
 */
#include "base/units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIBI 1024.0
#define KILO 1000.0

/* Where a number of three characters loses a decimal: the value that would
 * round up to one more digit. */
#define TWO_DECIMALS_BELOW 9.995
#define ONE_DECIMAL_BELOW 99.95

/* 2^64: the first double that uint64_t can't hold. */
#define U64_LIMIT 18446744073709551616.0

/* Unit 0 has no prefix. */
static const char unit_prefix[] = { '\0', 'K', 'M', 'G', 'T' };

#define UNIT_LAST ((int)sizeof(unit_prefix) - 1)

/* The length of the digits that @text starts with. */
static size_t digits_len(const char *text)
{
	return strspn(text, "0123456789");
}

/*
 * The length of the decimal number that @text starts with, 0 if there is
 * none. strtod alone would also take "inf", "nan" and hexadecimal.
 */
static size_t number_len(const char *text)
{
	size_t whole = digits_len(text);
	size_t len = whole;
	size_t fraction = 0;
	size_t mark;

	if (text[len] == '.') {
		fraction = digits_len(text + len + 1);
		len += 1 + fraction;
	}
	if (!whole && !fraction)
		return 0;
	if (text[len] != 'e' && text[len] != 'E')
		return len;
	mark = len + 1;
	if (text[mark] == '+' || text[mark] == '-')
		mark++;
	if (digits_len(text + mark))
		len = mark + digits_len(text + mark);
	return len;
}

/* strtod with a decimal point. */
static double number_value(const char *text)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t old = c ? uselocale(c) : (locale_t)0;
	double value = strtod(text, NULL);

	if (c) {
		uselocale(old);
		freelocale(c);
	}
	return value;
}

/* The power of the step that a suffix letter stands for, or -1. */
static int suffix_power(char letter)
{
	int power;

	if (!letter)
		return 0;
	for (power = 1; power <= UNIT_LAST; power++)
		if (toupper((unsigned char)letter) == unit_prefix[power])
			return power;
	return -1;
}

static int parse_scaled(const char *text, double step, uint64_t *out)
{
	size_t len = number_len(text);
	int power;
	double value;

	if (!len)
		return -EINVAL;
	power = suffix_power(text[len]);
	if (power < 0)
		return -EINVAL;
	value = number_value(text) * pow(step, power);
	if (!(value < U64_LIMIT))
		return -ERANGE;
	*out = (uint64_t)value;
	return 0;
}

int units_parse_bytes(const char *text, uint64_t *out)
{
	return parse_scaled(text, KIBI, out);
}

int units_parse_rate(const char *text, uint64_t *out)
{
	return parse_scaled(text, KILO, out);
}

int units_parse_int(const char *text, int64_t min, int64_t max, int64_t *out)
{
	size_t sign = *text == '-' ? 1 : 0;
	size_t len = digits_len(text + sign);
	intmax_t value;

	if (!len || text[sign + len])
		return -EINVAL;
	errno = 0;
	value = strtoimax(text, NULL, 10);
	if (errno || value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

int units_parse_c_int(const char *text, int64_t min, int64_t max, int64_t *out)
{
	const char *digits = *text == '-' ? text + 1 : text;
	char *end = NULL;
	intmax_t value;

	/* strtoimax also takes blanks and a plus sign. */
	if (*digits < '0' || *digits > '9')
		return -EINVAL;
	errno = 0;
	value = strtoimax(text, &end, 0);
	if (*end)
		return -EINVAL;
	if (errno || value < min || value > max)
		return -ERANGE;
	*out = value;
	return 0;
}

int units_parse_double(const char *text, double *out)
{
	size_t sign = *text == '-' ? 1 : 0;
	size_t len = number_len(text + sign);
	double value;

	if (!len || text[sign + len])
		return -EINVAL;
	value = number_value(text);
	if (!isfinite(value))
		return -ERANGE;
	*out = value;
	return 0;
}

int units_vprintf(char *buf, size_t size, const char *fmt, va_list ap)
{
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	locale_t old = c ? uselocale(c) : (locale_t)0;
	int len = vsnprintf(buf, size, fmt, ap);

	if (c) {
		uselocale(old);
		freelocale(c);
	}
	return len;
}

int units_printf(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = units_vprintf(buf, size, fmt, ap);
	va_end(ap);
	return len;
}

static int value_decimals(double value)
{
	if (value < TWO_DECIMALS_BELOW)
		return 2;
	return value < ONE_DECIMAL_BELOW ? 1 : 0;
}

const char *units_format(double bytes, char unit, char *buf, size_t size)
{
	bool is_bits = islower((unsigned char)unit);
	double step = is_bits ? KILO : KIBI;
	double value = is_bits ? bytes * BITS_PER_BYTE : bytes;
	int power = suffix_power(unit);
	int i;

	if (power > 0) {
		for (i = 0; i < power; i++)
			value /= step;
	} else {
		for (power = 0; value >= step && power < UNIT_LAST; power++)
			value /= step;
	}
	units_printf(buf, size, "%4.*f %.*s%s", value_decimals(value), value,
		     power ? 1 : 0, &unit_prefix[power],
		     is_bits ? "bit" : "Byte");
	return buf;
}

const char *units_format_size(uint64_t bytes, char *buf, size_t size)
{
	int power = 0;

	while (bytes && bytes % 1024 == 0 && power < UNIT_LAST) {
		bytes /= 1024;
		power++;
	}
	snprintf(buf, size, "%" PRIu64 "%.*s", bytes, power ? 1 : 0,
		 &unit_prefix[power]);
	return buf;
}
