/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --json-stream: {"event":NAME,"data":VALUE}, one line each as things happen;
 * with --json-stream-full-output the document of -J follows at the end.
 *
 * Called by cli/. Threads: session.
 */
#ifndef REPORT_JSONL_H
#define REPORT_JSONL_H

#include <stdio.h>

#include "model/event.h"

/* Lines go to @out, flushed one by one, warnings to @err; both are borrowed.
 * NULL without memory. */
struct sink *jsonl_sink_new(FILE *out, FILE *err);
void jsonl_sink_free(struct sink *sink);

#endif
