/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Running tests: the client's one test, the server's life. The session is the
 * only caller of sinks and owns the control channel; it knows neither argv nor
 * an output format.
 *
 * Threads: all functions on one thread, the session thread, which is the
 * caller's.
 */
#ifndef SESSION_SESSION_H
#define SESSION_SESSION_H

#include <stdbool.h>

#include "base/err.h"
#include "model/event.h"
#include "model/settings.h"

/* What a session needs from its owner. All members are borrowed. */
struct session_host {
	struct sink *sinks;

	/*
	 * Readable once a signal asked the program to end, or -1. The byte in
	 * it is not consumed; @stop_signal names the signal for the user,
	 * "Interrupt(2)".
	 */
	int stop_fd;
	const char *(*stop_signal)(void);

	/*
	 * Server with --get-server-output: the text (or, @is_json, the JSON
	 * object) that the reports printed for the current test. malloc'd for
	 * the caller, or NULL. The member may be NULL: nothing is kept.
	 */
	char *(*server_output)(void *ctx, bool *is_json);
	void *ctx;
};

/* How a test ended. */
enum session_end {
	SESSION_OK = 0,
	SESSION_FAILED, /* the error was emitted as an event */
	SESSION_INTERRUPTED, /* by our own signal; statistics were emitted */
};

/*
 * Runs one test as @settings say. Emits all events. The error is also left in
 * @e for callers that need it as a value.
 */
enum session_end client_run(const struct settings *settings,
			    const struct session_host *host, struct err *e);

struct server;

/*
 * Opens the listener, so that a daemon's parent can leave when clients can
 * already connect. NULL with @e set on failure.
 */
struct server *server_open(const struct settings *settings, struct err *e);

/*
 * Serves tests until a signal, the one test of --one-off, the idle time-out
 * of a one-off server, or a failure of the listener. SESSION_OK also after a
 * one-off test that failed: its error was emitted.
 */
enum session_end server_run(struct server *srv, const struct session_host *host,
			    struct err *e);

void server_free(struct server *srv);

#endif
