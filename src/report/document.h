/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parts of iperf3's JSON document, made from what a test measured. The
 * sinks json and jsonl put them together in their two forms. docs/JSON.md
 * lists what is ours; all else has the names and the order of iperf3 3.21.
 *
 * Each function returns an object that the caller owns, or NULL without
 * memory.
 *
 * Threads: session.
 */
#ifndef REPORT_DOCUMENT_H
#define REPORT_DOCUMENT_H

#include "base/json.h"
#include "model/result.h"
#include "model/test.h"

/* "start"; as much as is known yet. @test may be NULL: no test exists. */
cJSON *document_start(const struct test *test);

/* One element of "intervals". */
cJSON *document_interval(const struct test *test, const struct interval *iv);

/* "end". */
cJSON *document_end(const struct test *test, const struct summary *sum);

/* {"local": ..., "remote": ...}; null where an end is not known. */
cJSON *document_environment(const struct environment *local,
			    const struct environment *remote);

/*
 * Appends what the peer printed: an object where it is one, else its text. 0
 * or negative errno.
 */
int document_put_server_output(cJSON *object, const char *text, bool is_json);

#endif
