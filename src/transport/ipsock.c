/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/ipsock.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

/* After netinet/in.h: it leaves out what that has. */
#include <linux/in6.h>

#include "base/units.h"

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

/* An IPv6 socket whose peer has an IPv4 address. */
static bool is_mapped(int fd)
{
	struct addr a = { .len = sizeof(a.sa) };
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&a.sa;

	return !getpeername(fd, (struct sockaddr *)&a.sa, &a.len) &&
	       a.sa.ss_family == AF_INET6 &&
	       IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr);
}

int ipsock_set_class(int fd, const struct settings *s, struct err *e)
{
	bool is_v6 = ipsock_get_int(fd, SOL_SOCKET, SO_DOMAIN) == AF_INET6;
	/* An IPv6 socket may also carry IPv4. */
	int tos_rc = ipsock_set_int(fd, IPPROTO_IP, IP_TOS, s->tos);
	int class_rc =
		is_v6 ? ipsock_set_int(fd, IPPROTO_IPV6, IPV6_TCLASS, s->tos)
		      : 0;

	/* MPTCP can't set it, which does not matter to the value it has. */
	if (!s->tos)
		return 0;
	if (is_v6 && !is_mapped(fd))
		return class_rc ? err_set(e, ERR_SET_COS, -class_rc, "-S %d",
					  s->tos)
				: 0;
	return tos_rc ? err_set(e, ERR_SET_TOS, -tos_rc, "-S %d", s->tos) : 0;
}

void ipsock_set_pacing(int fd, const struct settings *s)
{
	uint64_t bytes_per_s = s->fq_rate_bps / BITS_PER_BYTE;

	/* A rate of 0 would never send. */
	if (!bytes_per_s)
		bytes_per_s = 1;
	if (s->fq_rate_bps)
		setsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_s,
			   sizeof(bytes_per_s));
}

int ipsock_check_label(const struct addr *to, const struct settings *s,
		       struct err *e)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)&to->sa;

	if (!s->flow_label || (to->sa.ss_family == AF_INET6 &&
			       !IN6_IS_ADDR_V4MAPPED(&in6->sin6_addr)))
		return 0;
	return err_set(e, ERR_SET_FLOW, 0,
		       "-L %d: only IPv6 has flow labels; use an IPv6 address, "
		       "or -6 with a name that has one",
		       s->flow_label);
}

int ipsock_set_label(int fd, struct addr *to, const struct settings *s,
		     struct err *e)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)&to->sa;
	struct in6_flowlabel_req lease = {
		.flr_label = htonl((uint32_t)s->flow_label),
		.flr_action = IPV6_FL_A_GET,
		/* Streams and programs may use the same label. */
		.flr_share = IPV6_FL_S_ANY,
		.flr_flags = IPV6_FL_F_CREATE,
	};
	int rc = ipsock_check_label(to, s, e);

	if (rc || !s->flow_label)
		return rc;
	memcpy(&lease.flr_dst, &in6->sin6_addr, sizeof(lease.flr_dst));
	if (setsockopt(fd, IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, &lease,
		       sizeof(lease)))
		return err_set(e, ERR_SET_FLOW, errno,
			       "-L %d: leasing the label; another one may be "
			       "free",
			       s->flow_label);
	in6->sin6_flowinfo = lease.flr_label;
	rc = ipsock_set_int(fd, IPPROTO_IPV6, IPV6_FLOWINFO_SEND, 1);
	return rc ? err_set(e, ERR_SET_FLOW, -rc, "-L %d", s->flow_label) : 0;
}

/* Linux gives an accepted connection no label of its own. */
void ipsock_reflect_label(int listener, const struct settings *s)
{
	struct in6_flowlabel_req reflect = {
		.flr_action = s->flow_label ? IPV6_FL_A_GET : IPV6_FL_A_PUT,
		.flr_flags = IPV6_FL_F_REFLECT,
	};

	if (ipsock_get_int(listener, SOL_SOCKET, SO_DOMAIN) == AF_INET6)
		setsockopt(listener, IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, &reflect,
			   sizeof(reflect));
}

/* The kernel cuts a name that is too long, and might find another device. */
static int bind_device(int fd, const struct settings *s)
{
	size_t len = s->bind_dev ? strlen(s->bind_dev) : 0;

	if (!len)
		return 0;
	if (len >= IFNAMSIZ)
		return -ENODEV;
	return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, s->bind_dev,
			  (socklen_t)len)
		       ? -errno
		       : 0;
}

int ipsock_bind_local(int fd, int family, const struct settings *s,
		      const struct dial *how, struct err *e)
{
	uint32_t port = how->control && s->client_port
				? s->client_port + (uint32_t)how->index
				: 0;
	struct addr list[ADDR_LIST_MAX];
	const char *why = "";
	int rc = bind_device(fd, s);

	if (rc)
		return err_set(e, dial_code(how), -rc, "--bind-dev %s",
			       s->bind_dev);
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
	snprintf(buf, size, "%s port %u%s%s",
		 s->bind_host ? s->bind_host : "any address", s->port,
		 s->bind_dev ? ", --bind-dev " : "",
		 s->bind_dev ? s->bind_dev : "");
	return buf;
}

static int bind_listener_on(int fd, const struct addr *a,
			    const struct settings *s)
{
	int rc = bind_device(fd, s);

	if (rc)
		return rc;
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

static int label_of(int fd)
{
	struct in6_flowlabel_req label = { .flr_action = IPV6_FL_A_GET };
	socklen_t len = sizeof(label);

	if (getsockopt(fd, IPPROTO_IPV6, IPV6_FLOWLABEL_MGR, &label, &len))
		return 0;
	return (int)ntohl(label.flr_label);
}

void ipsock_inspect(int fd, struct socket_facts *out)
{
	uint64_t bytes_per_s = 0;
	socklen_t len = sizeof(bytes_per_s);

	memset(out, 0, sizeof(*out));
	out->sndbuf_bytes = ipsock_get_int(fd, SOL_SOCKET, SO_SNDBUF);
	out->rcvbuf_bytes = ipsock_get_int(fd, SOL_SOCKET, SO_RCVBUF);
	out->flow_label = label_of(fd);
	/* All ones: no limit. */
	if (!getsockopt(fd, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_s,
			&len) &&
	    len == sizeof(bytes_per_s) && bytes_per_s != UINT64_MAX)
		out->pacing_bps = bytes_per_s * BITS_PER_BYTE;
}

void ipsock_name_ends(const struct conn *c, struct endpoint *local,
		      struct endpoint *remote)
{
	addr_of_socket(c->fd, local, remote);
}
