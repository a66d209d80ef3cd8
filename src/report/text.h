/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * iperf3's text for people. Its layout is an interface: columns.h.
 *
 * Called by cli/ and capture. Threads: session.
 */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdio.h>

#include "model/event.h"

/* Lines go to @out, errors and warnings to @err (the same file for a log
 * file; NULL: nowhere); both are borrowed. NULL without memory. */
struct sink *text_sink_new(FILE *out, FILE *err);
void text_sink_free(struct sink *sink);

#endif
