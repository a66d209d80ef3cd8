/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What sockets over IP have in common, whatever runs on them: addresses to
 * bind and to dial, the dual-stack listener, socket buffers and the options of
 * the IP layer. A transport puts its own protocol's options beside them.
 *
 * Called by: the transports over IP.
 * Threads: session.
 */
#ifndef TRANSPORT_IPSOCK_H
#define TRANSPORT_IPSOCK_H

#include "net/addr.h"
#include "transport/transport.h"

/* setsockopt and getsockopt of an int. 0 or negative errno; the value, or 0
 * where there is none. */
int ipsock_set_int(int fd, int level, int name, int value);
int ipsock_get_int(int fd, int level, int name);

/* AF_INET, AF_INET6 or AF_UNSPEC, as -4 and -6 say. */
int ipsock_family(const struct settings *s);

/* Whether -w can be had on a socket of @type, found out before any connection
 * is made. 0 or negative errno with @e. */
int ipsock_check_buffers(int type, const struct settings *s, struct err *e);

/*
 * -w on one socket. The kernel doubles what is asked and caps it silently at
 * net.core.?mem_max, so the value is read back: a user who asked for more must
 * not believe that it was granted. 0 or negative errno with @e.
 */
int ipsock_set_buffers(int fd, const struct settings *s, struct err *e);

/*
 * -S and --dscp of data streams. On a socket that will be dialled before it is,
 * so that a SYN has it too; on one that was accepted; and on a listener, for
 * what answers a SYN. 0 or negative errno with @e.
 */
int ipsock_set_class(int fd, const struct settings *s, struct err *e);

/* --fq-rate. A kernel that can't do it says so to ipsock_inspect. */
void ipsock_set_pacing(int fd, const struct settings *s);

/*
 * -L: leases the label for @fd and writes it into @to, to which @fd is then
 * connected. 0 or negative errno with @e, also where @to isn't IPv6.
 */
int ipsock_set_label(int fd, struct addr *to, const struct settings *s,
		     struct err *e);

/* -L at a listener: accepted connections answer with the label of the SYN, or
 * with none again. A kernel that doesn't do it says so to ipsock_inspect. */
void ipsock_reflect_label(int listener, const struct settings *s);

/* Whether @to can be reached with -L at all, for a control connection whose
 * data streams go to the same address. 0 or negative errno with @e. */
int ipsock_check_label(const struct addr *to, const struct settings *s,
		       struct err *e);

/* Binds a socket that will be dialled to --bind-dev, -B and, for data streams,
 * --cport. 0 or negative errno with @e. */
int ipsock_bind_local(int fd, int family, const struct settings *s,
		      const struct dial *how, struct err *e);

/*
 * A socket of @type and @protocol, bound to the server's device, address and
 * port: one
 * that takes IPv4 and IPv6 where the machine has IPv6, unless a family or an
 * address was asked for (PROTOCOL.md 1). Descriptor or negative errno with
 * @e.
 */
int ipsock_bind_listener(int type, int protocol, const struct settings *s,
			 struct err *e);

/* The address at the other end of the control connection: a name with several
 * addresses must lead to the same machine again. 0 or negative errno with
 * @e. */
int ipsock_peer_of(const struct conn *control, struct addr *out, struct err *e);

/* transport.name_ends over IP. */
void ipsock_name_ends(const struct conn *c, struct endpoint *local,
		      struct endpoint *remote);

/* What is read back of the options above: buffers, pacing and label; the rest
 * of @out is cleared. */
void ipsock_inspect(int fd, struct socket_facts *out);

/* "HOST port N" for messages about listening. */
#define IPSOCK_WHAT_SIZE 160
const char *ipsock_listen_text(const struct settings *s, char *buf,
			       size_t size);

#endif
