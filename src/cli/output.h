/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the program's output goes, and whether it got there.
 *
 * Called by cli.c and the commands. Threads: session.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdio.h>

#include "base/err.h"
#include "model/settings.h"

/*
 * Standard output, or the file of --logfile opened to append. NULL with @e.
 * Text comes out line by line, so that a reader at a pipe sees it in time.
 */
FILE *output_open(const struct settings *s, struct err *e);

/*
 * Opens --logfile anew under the same @out, so that a log that was moved away
 * continues under its name. Keeps what is open where that fails, or where
 * there is no log file.
 */
void output_reopen(FILE *out, const struct settings *s);

/*
 * Flushes @out; where something written to it was lost, says so on stderr,
 * once, and returns negative errno. @name is for the message.
 */
int output_check(FILE *out, const char *name);

/* output_check, then closes @out unless it is stdout. NULL is fine. */
int output_close(FILE *out, const struct settings *s);

/* A complete JSON document that says only what failed. */
void output_json_failure(FILE *out, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * An error that no report shows, because there is no test yet: a line on
 * stderr or in the log file, and with --json a document on @out. @out may be
 * NULL: stdout.
 */
void output_failure(FILE *out, const struct settings *s, const char *text);

#endif
