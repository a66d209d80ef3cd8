/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/line.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/units.h"
#include "report/columns.h"

#define MS_PER_S 1000

/* Writes the time, local and in the user's format; returns its length. */
static size_t put_time(const struct settings *s, char *buf, size_t size)
{
	time_t now = (time_t)(clock_wall_ms() / MS_PER_S);
	struct tm tm;

	if (!s->timestamps || !localtime_r(&now, &tm))
		return 0;
	return strftime(buf, size, s->timestamps, &tm);
}

static size_t put_title(const struct settings *s, char *buf, size_t size)
{
	if (s->role != ROLE_CLIENT || !s->title)
		return 0;
	snprintf(buf, size, "%s:  ", s->title);
	return strlen(buf);
}

static void put_line(FILE *f, const struct settings *s, bool has_title,
		     const char *fmt, va_list ap)
{
	char line[COLUMNS_LINE_SIZE];
	size_t len = put_time(s, line, sizeof(line));

	if (has_title)
		len += put_title(s, line + len, sizeof(line) - len);
	units_vprintf(line + len, sizeof(line) - len, fmt, ap);
	fprintf(f, "%s\n", line);
}

void line_print(const struct line_writer *w, const struct settings *s,
		const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	put_line(w->out, s, true, fmt, ap);
	va_end(ap);
}

void line_error(const struct line_writer *w, const struct settings *s,
		const char *fmt, ...)
{
	va_list ap;

	if (!w->err)
		return;
	fflush(w->out);
	va_start(ap, fmt);
	put_line(w->err, s, false, fmt, ap);
	va_end(ap);
	fflush(w->err);
}

void line_flush(const struct line_writer *w, const struct settings *s)
{
	if (s->is_flushing || s->logfile)
		fflush(w->out);
}
