/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/ipsock.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

int ipsock_set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) ? -errno : 0;
}

int ipsock_get_int(int fd, int level, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	return getsockopt(fd, level, name, &value, &len) ? 0 : value;
}

int ipsock_family(const struct settings *s)
{
	return s->family == IP_FAMILY_4	  ? AF_INET
	       : s->family == IP_FAMILY_6 ? AF_INET6
					  : AF_UNSPEC;
}

static int set_buffer(int fd, int name, uint64_t bytes, struct err *e)
{
	int rc = ipsock_set_int(fd, SOL_SOCKET, name, (int)bytes);

	if (rc)
		return err_set(e, ERR_SET_BUF, -rc, "-w %llu",
			       (unsigned long long)bytes);
	if ((uint64_t)ipsock_get_int(fd, SOL_SOCKET, name) < bytes)
		return err_set(e, ERR_WINDOW_GRANTED, 0,
			       "asked for %llu bytes, granted %d; raise "
			       "net.core.%s_max or lower -w",
			       (unsigned long long)bytes,
			       ipsock_get_int(fd, SOL_SOCKET, name),
			       name == SO_SNDBUF ? "wmem" : "rmem");
	return 0;
}

int ipsock_set_buffers(int fd, const struct settings *s, struct err *e)
{
	int rc;

	if (!s->window_bytes)
		return 0;
	rc = set_buffer(fd, SO_SNDBUF, s->window_bytes, e);
	return rc ? rc : set_buffer(fd, SO_RCVBUF, s->window_bytes, e);
}

int ipsock_check_buffers(int type, const struct settings *s, struct err *e)
{
	int fd;
	int rc;

	if (!s->window_bytes)
		return 0;
	fd = sock_open(AF_INET, type, 0);
	if (fd < 0)
		return 0;
	rc = ipsock_set_buffers(fd, s, e);
	sock_close(&fd);
	return rc;
}

int ipsock_bind_local(int fd, int family, const struct settings *s,
		      const struct dial *how, struct err *e)
{
	uint32_t port = how->control && s->client_port
				? s->client_port + (uint32_t)how->index
				: 0;
	struct addr list[ADDR_LIST_MAX];
	const char *why = "";

	if (!s->bind_host && !port)
		return 0;
	if (addr_resolve(s->bind_host, port, family, list, &why) < 0)
		return err_set(e, dial_code(how), 0, "-B %s: %s",
			       s->bind_host ? s->bind_host : "", why);
	ipsock_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (bind(fd, (struct sockaddr *)&list[0].sa, list[0].len))
		return err_set(e, dial_code(how), errno,
			       "binding the local address %s port %u",
			       s->bind_host ? s->bind_host : "any", port);
	return 0;
}

const char *ipsock_listen_text(const struct settings *s, char *buf, size_t size)
{
	snprintf(buf, size, "%s port %u",
		 s->bind_host ? s->bind_host : "any address", s->port);
	return buf;
}

static int bind_listener_on(int fd, const struct addr *a,
			    const struct settings *s)
{
	ipsock_set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (a->sa.ss_family == AF_INET6)
		ipsock_set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY,
			       s->family == IP_FAMILY_6);
	return bind(fd, (const struct sockaddr *)&a->sa, a->len) ? -errno : 0;
}

static int bind_family(int family, int type, int protocol,
		       const struct settings *s, struct err *e)
{
	struct addr list[ADDR_LIST_MAX];
	char what[IPSOCK_WHAT_SIZE];
	const char *why = "";
	int fd;
	int rc;

	ipsock_listen_text(s, what, sizeof(what));
	rc = addr_resolve(s->bind_host, s->port, family, list, &why);
	if (rc < 0)
		return err_set(e, ERR_LISTEN, 0, "%s: %s", what, why);
	fd = sock_open(list[0].sa.ss_family, type, protocol);
	if (fd < 0)
		return err_set(e, ERR_LISTEN, -fd, "%s", what);
	rc = bind_listener_on(fd, &list[0], s);
	if (!rc)
		return fd;
	sock_close(&fd);
	return err_set(e, ERR_LISTEN, -rc, "%s", what);
}

int ipsock_bind_listener(int type, int protocol, const struct settings *s,
			 struct err *e)
{
	struct err v6 = ERR_INIT;
	int fd;

	if (s->family != IP_FAMILY_ANY || s->bind_host)
		return bind_family(ipsock_family(s), type, protocol, s, e);
	fd = bind_family(AF_INET6, type, protocol, s, &v6);
	if (fd >= 0 || v6.os_errno == EADDRINUSE) {
		if (fd < 0 && e)
			*e = v6;
		return fd;
	}
	return bind_family(AF_INET, type, protocol, s, e);
}

int ipsock_peer_of(const struct conn *control, struct addr *out, struct err *e)
{
	out->len = sizeof(out->sa);
	if (!getpeername(control->fd, (struct sockaddr *)&out->sa, &out->len))
		return 0;
	return err_set(e, ERR_STREAM_CONNECT, errno,
		       "the control connection is gone");
}

void ipsock_name_ends(const struct conn *c, struct endpoint *local,
		      struct endpoint *remote)
{
	addr_of_socket(c->fd, local, remote);
}
