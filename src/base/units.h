/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Numbers with units: what users type (1.5M, 64K) and what reports show
 * ("9.41 Gbits/sec"). Independent of the locale.
 *
 * Threads: any.
 */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define NS_PER_S 1000000000ull
#define NS_PER_MS 1000000ull
#define NS_PER_US 1000ull
#define BITS_PER_BYTE 8

#define UNITS_TEXT_SIZE 32

/*
 * A decimal number, optionally with one letter k K m M g G t T for powers of
 * 1024 (bytes) or 1000 (rate). -EINVAL: no number, negative, or another
 * letter; -ERANGE: does not fit. @out untouched on failure. Text after the
 * suffix letter is ignored as iperf3 does ("10Mbits").
 */
int units_parse_bytes(const char *text, uint64_t *out);
int units_parse_rate(const char *text, uint64_t *out);

/*
 * The complete decimal integer (or floating-point number) in @text; trailing
 * text is refused. -EINVAL or -ERANGE. The second also takes C's octal and
 * hexadecimal notation.
 */
int units_parse_int(const char *text, int64_t min, int64_t max, int64_t *out);
int units_parse_c_int(const char *text, int64_t min, int64_t max, int64_t *out);
int units_parse_double(const char *text, double *out);

/* snprintf whose numbers have a decimal point in every locale. */
int units_printf(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int units_vprintf(char *buf, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));

/*
 * An amount of bytes in at least four characters, a blank and a unit
 * ("1.01 GByte", " 100 KByte"), in the style of @unit: 'A' bytes adaptive,
 * 'a' bits adaptive, K M G T bytes fixed, k m g t bits fixed. No final "s".
 * docs/COMPATIBILITY.md gives the rounding. Returns @buf.
 */
const char *units_format(double bytes, char unit, char *buf, size_t size);

/* "64K", "1M", "1000": exact powers get their letter. Returns @buf. */
const char *units_format_size(uint64_t bytes, char *buf, size_t size);

#endif
