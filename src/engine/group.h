/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All data streams of one test at one end, their common plan and orders.
 *
 * Threads: session.
 */
#ifndef ENGINE_GROUP_H
#define ENGINE_GROUP_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/stream.h"
#include "model/settings.h"

struct group {
	struct orders orders;
	struct plan plan;
	struct stream *stream; /* owned array of @capacity */
	size_t streams; /* initialised ones */
	size_t capacity;
	bool is_ready; /* group_init succeeded */
};

/* Prepares for the streams of a test over @t, whose block size @s says. 0 or
 * negative errno with @e; group_done is right in both cases. */
int group_init(struct group *g, const struct settings *s,
	       const struct transport *t, struct err *e);

/* Adds a connection, which the group owns from here on, failed or not. */
int group_add(struct group *g, const struct conn *conn, bool is_sender,
	      struct err *e);

/* Starts all workers. */
int group_start(struct group *g, struct err *e);

/* Puts -n or -k into force: at the start, or when the omit period is over. */
void group_set_budget(struct group *g, uint64_t limit_bytes);

/* The counted part of the test begins. */
void group_begin_epoch(struct group *g);

/* Readable when something happened that group_is_... or group_lost tell. */
int group_notify_fd(const struct group *g);
void group_clear_notify(struct group *g);

/* Senders stop, receivers drain, see ORDER_FINISH. */
void group_finish(struct group *g);

/* Senders that are still blocked in their last block are cut off in it: their
 * write side is shut, and what was sent counts. After group_finish. */
void group_cut_senders(struct group *g);

/* Ends everything at once. */
void group_quit(struct group *g);

/* Whether all senders (receivers) have left; true where there are none. */
bool group_is_sent(const struct group *g);
bool group_is_received(const struct group *g);
/* Whether the receive budget is used up. */
bool group_has_received_all(const struct group *g);
/* Bytes that all receivers have got so far. */
uint64_t group_bytes_received(const struct group *g);

/* The first stream that was lost, or NULL. */
const struct stream *group_lost(const struct group *g);

/* Quits, joins and closes. */
void group_done(struct group *g);

#endif
