/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sweep as one JSON document with every result in it
 * (docs/sweep.schema.json).
 *
 * Called by cli/. Threads: session.
 */
#ifndef REPORT_SWEEP_JSON_H
#define REPORT_SWEEP_JSON_H

#include <stdio.h>

#include "base/json.h"
#include "model/sweep.h"

#define SWEEP_JSON_FORMAT "iperf3-vsock-sweep"
#define SWEEP_JSON_VERSION 1

/* The caller owns the document; the cells keep theirs. NULL without
 * memory. */
cJSON *sweep_json_build(const struct sweep *sw);

/* Prints the document to @out. 0 or -ENOMEM; lost output is the stream's
 * error flag. */
int sweep_json_print(FILE *out, const struct sweep *sw);

#endif
