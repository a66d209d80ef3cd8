/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TCP transport and its view of the path (tcpinfo.c). Included only
 * inside transport/: others find transports in registry.h.
 *
 * Threads: as in transport.h.
 */
#ifndef TRANSPORT_TCP_H
#define TRANSPORT_TCP_H

#include "net/addr.h"
#include "transport/transport.h"

extern const struct transport transport_tcp;

/* What MPTCP does as TCP does it, on @fd of either kind. @to is changed where
 * an option belongs into an address. 0 or negative errno with @e. */
int tcp_check(const struct settings *s, struct err *e);
int tcp_tune(int listener, const struct settings *s, struct err *e);
int tcp_connect(int fd, struct addr *to, const struct settings *s,
		const struct dial *how, struct err *e);
int tcp_prepare(struct conn *c, const struct settings *s, struct err *e);
void tcp_inspect(const struct conn *c, struct socket_facts *out);

/* transport.path from TCP_INFO (tcp(7)). */
void tcpinfo_path(const struct conn *c, struct path *out, int64_t *retransmits);

#endif
