/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The MPTCP transport and its view of the path (mptcpinfo.c). Included only
 * inside transport/.
 *
 * Threads: as in transport.h.
 */
#ifndef TRANSPORT_MPTCP_H
#define TRANSPORT_MPTCP_H

#include "transport/transport.h"

extern const struct transport transport_mptcp;

/* transport.path: the sum of all subflows. */
void mptcpinfo_path(const struct conn *c, struct path *out,
		    int64_t *retransmits);

/* Whether @fd talks MPTCP to its peer and has not fallen back to TCP. */
bool mptcpinfo_is_mptcp(int fd);

#endif
