/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two blocks of rows in the text: an interval and the summary.
 *
 * Called by text.c. Threads: session.
 */
#ifndef REPORT_TEXT_ROWS_H
#define REPORT_TEXT_ROWS_H

#include <stdbool.h>

#include "model/event.h"
#include "report/line.h"

/* EVENT_INTERVAL; the first one of a test brings its header. */
void text_rows_interval(const struct line_writer *w, const struct event *ev,
			bool is_first);

/* EVENT_SUMMARY; a server shows its own half only. */
void text_rows_summary(const struct line_writer *w, const struct event *ev);

#endif
