/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Internet addresses: from the user's text to socket addresses and back to
 * the text of reports (an IPv4-mapped IPv6 address shows as IPv4).
 *
 * Threads: any.
 */
#ifndef NET_ADDR_H
#define NET_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/endpoint.h"

#define ADDR_LIST_MAX 16

struct addr {
	struct sockaddr_storage sa;
	socklen_t len;
};

/*
 * Resolves @host (NULL: the wildcard for listening) and @port. @family is
 * AF_UNSPEC, AF_INET or AF_INET6. Returns how many addresses were written
 * (at least 1); -EHOSTUNREACH with @why pointing to the resolver's static
 * text when there is none.
 */
int addr_resolve(const char *host, uint32_t port, int family,
		 struct addr list[ADDR_LIST_MAX], const char **why);

void addr_set_port(struct addr *a, uint32_t port);

void addr_format(const struct addr *a, struct endpoint *out);

/* Both ends of a connected socket; an end that is unknown gets host "". */
void addr_of_socket(int fd, struct endpoint *local, struct endpoint *remote);

#endif
