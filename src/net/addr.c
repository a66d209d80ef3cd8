/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/addr.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>

int addr_resolve(const char *host, uint32_t port, int family,
		 struct addr list[ADDR_LIST_MAX], const char **why)
{
	struct addrinfo hints = {
		.ai_family = family,
		.ai_socktype = SOCK_STREAM,
		.ai_flags = host ? 0 : AI_PASSIVE,
	};
	struct addrinfo *res = NULL;
	struct addrinfo *ai;
	int n = 0;
	int rc = getaddrinfo(host, host ? NULL : "0", &hints, &res);

	if (rc) {
		*why = gai_strerror(rc);
		return -EHOSTUNREACH;
	}
	for (ai = res; ai && n < ADDR_LIST_MAX; ai = ai->ai_next) {
		memset(&list[n], 0, sizeof(list[n]));
		memcpy(&list[n].sa, ai->ai_addr, ai->ai_addrlen);
		list[n].len = ai->ai_addrlen;
		addr_set_port(&list[n], port);
		n++;
	}
	freeaddrinfo(res);
	return n;
}

void addr_set_port(struct addr *a, uint32_t port)
{
	if (a->sa.ss_family == AF_INET6)
		((struct sockaddr_in6 *)&a->sa)->sin6_port =
			htons((uint16_t)port);
	else
		((struct sockaddr_in *)&a->sa)->sin_port =
			htons((uint16_t)port);
}

static void format_v6(const struct addr *a, struct endpoint *out)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a->sa;
	const void *bytes = &in6->sin6_addr;
	int family = AF_INET6;

	if (IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)) {
		family = AF_INET;
		bytes = &in6->sin6_addr.s6_addr[12];
	}
	inet_ntop(family, bytes, out->host, sizeof(out->host));
	out->port = ntohs(in6->sin6_port);
}

void addr_format(const struct addr *a, struct endpoint *out)
{
	memset(out, 0, sizeof(*out));
	if (a->sa.ss_family == AF_INET6) {
		format_v6(a, out);
	} else if (a->sa.ss_family == AF_INET) {
		const struct sockaddr_in *in =
			(const struct sockaddr_in *)&a->sa;

		inet_ntop(AF_INET, &in->sin_addr, out->host, sizeof(out->host));
		out->port = ntohs(in->sin_port);
	}
}

void addr_of_socket(int fd, struct endpoint *local, struct endpoint *remote)
{
	struct addr a = { .len = sizeof(a.sa) };

	memset(local, 0, sizeof(*local));
	memset(remote, 0, sizeof(*remote));
	if (!getsockname(fd, (struct sockaddr *)&a.sa, &a.len))
		addr_format(&a, local);
	a.len = sizeof(a.sa);
	if (!getpeername(fd, (struct sockaddr *)&a.sa, &a.len))
		addr_format(&a, remote);
}
