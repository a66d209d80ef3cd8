/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * -J: one JSON document per test, printed when the test is closed. Keys are
 * iperf3's (document.h) in its order, each once, and ours (docs/JSON.md).
 *
 * Called by cli/, tool/ and capture. Threads: session.
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <stdio.h>

#include "base/json.h"
#include "model/event.h"

/*
 * The document of each test goes to @out and warnings to @err. Both are
 * borrowed; NULL: nothing is printed and documents are only taken. NULL
 * without memory.
 */
struct sink *json_sink_new(FILE *out, FILE *err);
void json_sink_free(struct sink *sink);

/*
 * While a test is open: a document of what is known so far. After its close:
 * the complete one, once, until the next test opens. The caller owns it; NULL:
 * there is none.
 */
cJSON *json_sink_take_document(struct sink *sink);

/* Prints the document of a failure that no test stands behind. */
void json_print_failure(FILE *out, const char *text);

#endif
