/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The TCP transport and its view of the path (tcpinfo.c). Included only
 * inside transport/: others find transports in registry.h.
 *
 * Threads: as in transport.h.
 */
#ifndef TRANSPORT_TCP_H
#define TRANSPORT_TCP_H

#include "transport/transport.h"

extern const struct transport transport_tcp;

/* transport.path from TCP_INFO (tcp(7)). */
void tcpinfo_path(const struct conn *c, struct path *out, int64_t *retransmits);

#endif
