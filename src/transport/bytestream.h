/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What connected byte streams have in common: plain send and receive, and the
 * orderly end. A transport puts these into its slots where it has nothing of
 * its own to do.
 *
 * The orderly end: the sender shuts its write side after its last block, the
 * receiver reads to the end of the stream and only then closes. Nobody shuts
 * its read side, because AF_VSOCK tells the peer, whose send() then fails.
 *
 * Threads: as in transport.h.
 */
#ifndef TRANSPORT_BYTESTREAM_H
#define TRANSPORT_BYTESTREAM_H

#include "transport/transport.h"

bool bytestream_claims(const struct settings *s);
int bytestream_tune(int listener, const struct settings *s, struct err *e);
void bytestream_greet_again(struct conn *c);
int bytestream_prepare(struct conn *c, const struct settings *s, struct err *e);
void bytestream_path(const struct conn *c, struct path *out,
		     int64_t *retransmits);
ssize_t bytestream_send(struct conn *c, const void *block, size_t len);
ssize_t bytestream_recv(struct conn *c, void *block, size_t len);
ssize_t bytestream_recv_datagrams(struct conn *c, void *buf, size_t len,
				  size_t *unit_bytes);
int bytestream_finish(struct conn *c);
void bytestream_abort(struct conn *c);
void bytestream_close(struct conn *c);

/* Leaves both names alone: the ends differ in nothing but their role. */
void bytestream_name_roles(const struct conn *c, const char **local,
			   const char **remote);

/* Makes a bound socket a non-blocking listener; @fd is closed on failure. */
int bytestream_listen(int fd, struct err *e, const char *what);

#endif
