/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One test at a server, from a client's parameters to the goodbye: a table of
 * states and one handler each. Between a client's TEST_END and the answer,
 * receivers drain to the end of their streams, so that what the client sent is
 * what is counted.
 *
 * The server (server.c) waits for events and hands them over; it looks at
 * is_over after each call.
 *
 * Called by: server.c.
 * Threads: session.
 */
#ifndef SESSION_SERVING_H
#define SESSION_SERVING_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session/doors.h"
#include "session/run.h"

/* A data stream that came before all of them are here. */
struct arrived {
	struct conn conn; /* owned */
	uint64_t arrival; /* order of accept */
};

struct serving {
	struct run run;
	struct doors *doors; /* borrowed */
	const struct settings *server; /* borrowed: of the command line */
	int phase;
	uint64_t phase_end_ns;
	bool is_peer_orderly;
	bool is_cut; /* senders were cut off in mid-block */
	bool is_over; /* nothing more to do but serving_free */
	struct arrived arrived[TEST_STREAMS_MAX];
	size_t arrivals;
};

/* What a client said before its test exists. Borrowed for the call. */
struct application {
	struct ctl *ctl; /* taken over; left as after ctl_init */
	const char *cookie;
	const cJSON *params;
	int number; /* of the test, from 1 */
};

/* A test as @a asks for; one that is refused is already over. NULL: no memory,
 * and @a is untouched. */
struct serving *serving_new(const struct settings *server,
			    const struct session_host *host,
			    struct doors *doors, const struct application *a);

/* Closes what is left. The control connection is closed unless it was taken
 * away before. */
void serving_free(struct serving *sv);

/* How many streams have not come yet; 0 once the test goes on. */
size_t serving_missing_streams(const struct serving *sv);

/* One of the client's streams. Takes @conn over; @arrival orders them. */
void serving_take_stream(struct serving *sv, const struct conn *conn,
			 uint64_t arrival);

/* What is to be watched besides: the control connection, what the workers
 * have to tell, the streams that wait for the others. */
#define SERVING_POLL_MAX (2 + TEST_STREAMS_MAX)
size_t serving_poll_set(const struct serving *sv, struct pollfd *pfd);
uint64_t serving_deadline_ns(const struct serving *sv);

/* Does what is due after poll() filled the same set; NULL: nothing but what
 * is already here. */
void serving_serve(struct serving *sv, const struct pollfd *pfd, size_t n);

/* The server ends by a signal: the client is told, statistics are shown. */
void serving_interrupt(struct serving *sv, const struct err *why);

#endif
