/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server's lobby: connections that are not (or no longer) part of a test.
 * Each gets on by itself and has its own deadline, so a silent stranger never
 * keeps a client waiting:
 *
 *   WANTS_COOKIE   connected; 37 bytes are due
 *   WANTS_PARAMS   said its cookie, was asked for parameters
 *   LEAVING        was told goodbye; what it still sends is discarded until
 *                  it closes, because closing with unread bytes would reset
 *                  the connection and take the goodbye away
 *
 * When it is full, one who is leaving has to go, or else the oldest.
 *
 * Threads: session.
 */
#ifndef SESSION_LOBBY_H
#define SESSION_LOBBY_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "session/ctl.h"

/* All streams of a test may arrive at once, and strangers among them. */
#define LOBBY_MAX (TEST_STREAMS_MAX + 64)
/* Accepted in one turn, so that those who are here are read in between. */
#define LOBBY_ADMIT_MAX 64
#define LOBBY_COOKIE_MS 10000
#define LOBBY_PARAMS_MS 10000
#define LOBBY_LEAVE_MS 2000

enum guest_state {
	GUEST_WANTS_COOKIE,
	GUEST_WANTS_PARAMS,
	GUEST_LEAVING,
};

struct guest {
	enum guest_state state;
	struct ctl ctl; /* owned */
	char cookie[COOKIE_SIZE];
	uint64_t deadline_ns;
	uint64_t arrival; /* order of accept */
};

/* What the server does with connections at the moment. */
enum lobby_mode {
	LOBBY_OPEN, /* idle: a cookie is answered, parameters awaited */
	LOBBY_STREAMS, /* a test collects its streams: the right cookie makes
			 * a connection one of them */
	LOBBY_CLOSED, /* a test runs: everybody is told that it is busy */
};

/* Upward calls. The callee owns what it is given; it may not call the lobby
 * except for lobby_set_mode and lobby_see_off. */
struct lobby_host {
	/* LOBBY_OPEN: @ctl sent @params under @cookie. Takes both over and
	 * leaves @ctl as after ctl_init. */
	void (*on_client)(void *ctx, struct ctl *ctl, const char *cookie,
			  cJSON *params);
	/* LOBBY_STREAMS: @conn sent the cookie of the test. */
	void (*on_stream)(void *ctx, const struct conn *conn, uint64_t arrival);
	void *ctx;
};

struct lobby {
	struct lobby_host host;
	enum lobby_mode mode;
	char cookie[COOKIE_SIZE]; /* of the test, in LOBBY_STREAMS */
	struct guest guest[LOBBY_MAX];
	size_t guests;
	uint64_t arrivals;
};

void lobby_init(struct lobby *l, const struct lobby_host *host);
void lobby_done(struct lobby *l);

/* @cookie only matters for LOBBY_STREAMS. */
void lobby_set_mode(struct lobby *l, enum lobby_mode mode, const char *cookie);

/* Accepts who waits at @listener, LOBBY_ADMIT_MAX at most. 0 or negative errno
 * of accept(). */
int lobby_admit(struct lobby *l, const struct transport *t, int listener);

/* Whether anybody is here who has not been told goodbye. */
bool lobby_is_busy(const struct lobby *l);

/* Takes @ctl over as a leaving guest (closes it when the lobby is full). */
void lobby_see_off(struct lobby *l, struct ctl *ctl);

/* Before the server goes: waits, bounded, for those who are leaving. */
void lobby_farewell(struct lobby *l);

/* Fills @pfd (room for LOBBY_MAX); returns how many. */
size_t lobby_poll_set(const struct lobby *l, struct pollfd *pfd);
uint64_t lobby_deadline_ns(const struct lobby *l);

/* Serves guests after poll() filled the same set. */
void lobby_serve(struct lobby *l, const struct pollfd *pfd, size_t n);

#endif
