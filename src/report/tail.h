/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What becomes known of a test late and is written once, at its close: the
 * error and what the peer printed.
 *
 * Called by the JSON sinks. Threads: session.
 */
#ifndef REPORT_TAIL_H
#define REPORT_TAIL_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "model/event.h"

struct tail {
	char *error; /* owned; NULL: none. The first one stays */
	char *output; /* owned; NULL: none */
	bool is_output_json;
};

/* Takes what @ev says, if it says something of this kind. */
void tail_take(struct tail *t, const struct event *ev);

/* Frees and forgets. */
void tail_clear(struct tail *t);

/* A warning's line on @err, which may be NULL. */
void tail_warn(FILE *err, const char *text);

#endif
