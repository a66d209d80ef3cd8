/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of text with the prefixes that --timestamps and -T ask for.
 *
 * Called by the text report. Threads: session.
 */
#ifndef REPORT_LINE_H
#define REPORT_LINE_H

#include <stdio.h>

#include "model/settings.h"

struct line_writer {
	FILE *out; /* borrowed */
	FILE *err; /* borrowed; NULL: no such lines */
};

/* One line on the output; numbers have a decimal point. Bounded to
 * COLUMNS_LINE_SIZE, cut if longer. */
void line_print(const struct line_writer *w, const struct settings *s,
		const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* One line on the error output, after what the output still holds. It bears
 * the time, not the title. */
void line_error(const struct line_writer *w, const struct settings *s,
		const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Flushes where the user wants to see each interval at once. */
void line_flush(const struct line_writer *w, const struct settings *s);

#endif
