/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The results message (PROTOCOL.md section 13): from this end's halves to
 * JSON, and from the peer's JSON to the other halves.
 *
 * Threads: session.
 */
#ifndef SESSION_EXCHANGE_H
#define SESSION_EXCHANGE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/json.h"
#include "model/result.h"
#include "model/test.h"
#include "session/tally.h"

/* One end's half of the whole result. */
struct half_test {
	struct half stream[TEST_STREAMS_MAX];
	struct cpu_percent cpu;
	char congestion[16]; /* "" where there is none */
	struct environment environment;
	/* Only from the server, when it was asked for. */
	char *output; /* owned; NULL: none */
	bool is_output_json;
};

void half_test_done(struct half_test *h);

/* The message for the peer. NULL: no memory. */
cJSON *exchange_build(const struct test *test, const struct half_test *own);

/*
 * The peer's half, from a message that a stranger may have written.
 * 0 or negative errno with @e (ERR_RECV_RESULTS, ERR_STREAM_ID); @peer is then
 * unspecified but may be given to half_test_done.
 */
int exchange_parse(const struct test *test, const cJSON *json,
		   struct half_test *peer, struct err *e);

#endif
