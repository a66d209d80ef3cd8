/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Runs a sweep: one test per block size and direction, each a complete client
 * session. A cell that fails is marked and the sweep goes on; only a server
 * that could not be reached at all ends it at once.
 *
 * Threads: session.
 */
#ifndef TOOL_SWEEP_H
#define TOOL_SWEEP_H

#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "model/sweep.h"
#include "session/session.h"

/* Where the sweep is, for a progress line. */
struct sweep_progress {
	size_t cell; /* of the cell that begins, from 0 */
	size_t cells;
	uint64_t block_bytes;
	const char *direction; /* "host -> guest"; "client -> server" until
				 * the first connection shows who is what */
	double left_s; /* expected */
};

/* What a sweep needs from its owner; members are borrowed. */
struct sweep_host {
	/* stop_fd and stop_signal are used; its sinks see every test. */
	const struct session_host *session;
	/* The document of the test that just ended, for the caller to own;
	 * NULL where there is none. */
	cJSON *(*take_document)(void *ctx);
	void (*on_progress)(void *ctx, const struct sweep_progress *p);
	void *ctx;
};

/*
 * Fills @sw (for sweep_done) as @settings ask. 0 when every cell has its
 * result; otherwise negative errno with @e: ERR_SWEEP where cells failed or
 * the sweep was interrupted, the cause itself where no test could begin.
 */
int sweep_run(struct sweep *sw, const struct settings *settings,
	      const struct sweep_host *host, struct err *e);

#endif
