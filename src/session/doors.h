/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The listeners of a server: one for control connections, open all its life,
 * and one for the data streams of the present test, where the transport of
 * that test has a listener of its own (transport.h, enum stream_door).
 *
 * Called by: server.c, serving.c.
 * Threads: session.
 */
#ifndef SESSION_DOORS_H
#define SESSION_DOORS_H

#include "base/err.h"
#include "model/settings.h"
#include "transport/transport.h"

struct door {
	const struct transport *transport; /* NULL: no door */
	int fd; /* owned; -1: closed */
};

struct doors {
	struct door control;
	struct door streams; /* only while streams are collected, and only
			      * where it is another than control */
};

void doors_init(struct doors *d);
void doors_done(struct doors *d);

/* Opens (again) the door for control connections. 0 or negative errno. */
int doors_open(struct doors *d, const struct transport *t,
	       const struct settings *s, struct err *e);

/* Opens what a test over @t needs for its streams; @s are the test's. 0 or
 * negative errno with @e. */
int doors_open_streams(struct doors *d, const struct transport *t,
		       const struct settings *s, struct err *e);

/* All streams are here, or the test is over; @s are the server's. 0, or
 * negative errno when the door for control connections could not be opened
 * again. */
int doors_close_streams(struct doors *d, const struct settings *s,
			struct err *e);

#endif
