/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An endpoint as the user reads it: text and a port. Ports are 32 bits wide
 * because AF_VSOCK's are; a printer never looks at a sockaddr.
 *
 * Threads: any (plain data).
 */
#ifndef BASE_ENDPOINT_H
#define BASE_ENDPOINT_H

#include <stdint.h>

#define ENDPOINT_HOST_SIZE 128 /* holds an AF_UNIX path (108) and more */

struct endpoint {
	char host[ENDPOINT_HOST_SIZE]; /* IP literal, decimal CID, path */
	uint32_t port;
};

#endif
