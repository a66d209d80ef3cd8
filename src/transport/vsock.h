/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The AF_VSOCK stream transport. Included only inside transport/.
 *
 * Threads: as in transport.h.
 */
#ifndef TRANSPORT_VSOCK_H
#define TRANSPORT_VSOCK_H

#include "transport/transport.h"

extern const struct transport transport_vsock;

#endif
