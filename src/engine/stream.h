/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One data stream: a connection, its counters, and the worker thread that
 * moves its payload.
 *
 * Threads: session, except where a member or function says worker.
 */
#ifndef ENGINE_STREAM_H
#define ENGINE_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "engine/counters.h"
#include "transport/transport.h"

/* How the workers of one test move payload; the same for all of them. */
struct plan {
	size_t block_bytes;
	uint64_t rate_bps; /* 0: not paced */
	int burst_blocks;
	bool has_budget; /* -n or -k */
	bool is_repeating_payload;
	bool is_datagrams; /* blocks are datagrams with a header */
	bool has_64bit_counters; /* in the header */
	int finish_fd; /* readable: there is another order than
				 * ORDER_RUN, for workers that sleep */
	int notify_fd; /* eventfd: a worker is done, or the receive
				 * budget was used up */
	struct orders *orders; /* borrowed from the group */
};

/* How a worker's loop ended. */
enum stream_end {
	STREAM_RUNNING = 0,
	STREAM_FINISHED, /* sender: told to, or its budget is used up;
				 * receiver: the sender's orderly end */
	STREAM_LOST, /* stream.error tells */
	STREAM_QUIT, /* told to quit */
};

struct stream {
	struct counters counters; /* first: owns its cache line */

	struct conn conn; /* owned */
	const struct plan *plan; /* borrowed until stream_done */
	bool is_sender;
	unsigned char *block; /* owned: payload or receive buffer, of a
				 * block or of what one call moves */
	size_t buffer_bytes; /* of block */

	/* Written by the worker before counters.is_done. */
	enum stream_end end;
	uint64_t end_ns; /* when its loop ended */
	struct err error; /* STREAM_LOST */

	pthread_t thread;
	bool has_thread;
};

/* Takes @conn over. 0 or negative errno with @e (the caller still calls
 * stream_done). */
int stream_init(struct stream *st, const struct conn *conn, bool is_sender,
		const struct plan *plan, struct err *e);

/* Starts the worker. 0 or negative errno with @e. */
int stream_start(struct stream *st, struct err *e);

/* Whether the worker has left its loop; then end, end_ns and error hold. */
bool stream_is_done(const struct stream *st);

/* Joins the worker, which must have been told to leave, and closes. */
void stream_done(struct stream *st);

/* The loops, run_tx.c and run_rx.c. Worker thread. */
void run_tx(struct stream *st);
void run_rx(struct stream *st);

/* Whether this error of send, recv or shutdown says that the peer closed. */
bool stream_is_peer_gone(int os_errno);

/* Records the end of the loop and why, for both loops. Worker thread. */
void stream_leave(struct stream *st, enum stream_end end, int code,
		  int os_errno);

#endif
