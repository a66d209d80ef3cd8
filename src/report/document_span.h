/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the two halves of the document's making share: figures of a span.
 *
 * Called by document.c and document_end.c. Threads: session.
 */
#ifndef REPORT_DOCUMENT_SPAN_H
#define REPORT_DOCUMENT_SPAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "model/result.h"
#include "model/test.h"

#define DOCUMENT_KEY_SIZE 40

/* Takes @item over in every case. 0 or -ENOMEM. */
int document_append(cJSON *array, cJSON *item);

/* start, end, seconds, bytes, bits_per_second. 0 or negative errno. */
int document_put_span(cJSON *object, const struct span *span);

/* jitter_ms, lost_packets, packets, lost_percent. 0 or negative errno. */
int document_put_datagrams(cJSON *object, const struct datagrams *d);

/*
 * An interval's figures beyond bytes, as far as @shape and the direction have
 * them; the path only of a stream, not of a sum. 0 or negative errno.
 */
int document_put_kind(cJSON *object, enum result_shape shape,
		      const struct span *span, bool is_stream);

/*
 * @name of a sum, with the suffix that tells a test in both directions which
 * is meant. Writes to and returns @key.
 */
const char *document_sum_key(const struct test *test, const char *name,
			     size_t group, char key[DOCUMENT_KEY_SIZE]);

#endif
