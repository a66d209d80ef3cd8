/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The syntax of vsock context identifiers (CIDs). Opens no socket, so it can
 * be tested on a machine without a device.
 *
 *   decimal 0..4294967294, "hypervisor" (0), "local" (1), "host" (2),
 *   "any" (4294967295, only to bind), "sN" or "s" + name: the same CID as a
 *   sibling VM, reached through the host (VMADDR_FLAG_TO_HOST, Linux 5.11).
 *
 * Threads: any.
 */
#ifndef NET_VADDR_H
#define NET_VADDR_H

#include <stdbool.h>
#include <stdint.h>

#define VADDR_CID_HYPERVISOR 0u
#define VADDR_CID_LOCAL 1u
#define VADDR_CID_HOST 2u
#define VADDR_CID_ANY UINT32_MAX
#define VADDR_PORT_ANY UINT32_MAX /* reserved, names no port */

/* One sentence for error messages. */
#define VADDR_SYNTAX                                              \
	"a CID is a number from 0 to 4294967294, host, local or " \
	"hypervisor, or sN for a sibling VM"
#define VADDR_BIND_SYNTAX                                             \
	"a CID to bind is a number from 0 to 4294967295, any, host, " \
	"local or hypervisor"

struct vaddr {
	uint32_t cid;
	bool is_sibling;
};

/* A destination. 0 or -EINVAL (@out untouched). */
int vaddr_parse(const char *text, struct vaddr *out);

/* An address to bind: "any" is allowed, a sibling is not. */
int vaddr_parse_bind(const char *text, uint32_t *cid);

#endif
