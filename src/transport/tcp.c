/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * TCP: the transport of every iperf3, and the control connection of the
 * transports that don't carry their own.
 *
 * Called by: session/ (dial, listen, inspect), engine/ (send, recv, finish).
 */
#include "transport/tcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "net/addr.h"
#include "transport/bytestream.h"

#define KIB 1024

static int tcp_family(const struct settings *s)
{
	return s->family == IP_FAMILY_4	  ? AF_INET
	       : s->family == IP_FAMILY_6 ? AF_INET6
					  : AF_UNSPEC;
}

static int set_int(int fd, int level, int name, int value)
{
	return setsockopt(fd, level, name, &value, sizeof(value)) ? -errno : 0;
}

static int get_int(int fd, int level, int name)
{
	int value = 0;
	socklen_t len = sizeof(value);

	return getsockopt(fd, level, name, &value, &len) ? 0 : value;
}

/*
 * The kernel doubles what is asked and caps it silently at net.core.?mem_max,
 * so the value is read back: a user who asked for more must not believe that
 * it was granted.
 */
static int set_buffer(int fd, int name, uint64_t bytes, struct err *e)
{
	int rc = set_int(fd, SOL_SOCKET, name, (int)bytes);

	if (rc)
		return err_set(e, ERR_SET_BUF, -rc, "-w %llu",
			       (unsigned long long)bytes);
	if ((uint64_t)get_int(fd, SOL_SOCKET, name) < bytes)
		return err_set(e, ERR_WINDOW_GRANTED, 0,
			       "asked for %llu bytes, granted %d; raise "
			       "net.core.%s_max or lower -w",
			       (unsigned long long)bytes,
			       get_int(fd, SOL_SOCKET, name),
			       name == SO_SNDBUF ? "wmem" : "rmem");
	return 0;
}

/* Whether the window can be had, found out before any connection is made. */
static int tcp_check(const struct settings *s, struct err *e)
{
	int fd;
	int rc;

	if (!s->window_bytes)
		return 0;
	fd = sock_open(AF_INET, SOCK_STREAM, 0);
	if (fd < 0)
		return 0;
	rc = set_buffer(fd, SO_SNDBUF, s->window_bytes, e);
	if (!rc)
		rc = set_buffer(fd, SO_RCVBUF, s->window_bytes, e);
	sock_close(&fd);
	return rc;
}

/* Options of data streams, before a connect or after an accept. */
static int set_data_options(int fd, const struct settings *s, struct err *e)
{
	int rc = 0;

	if (s->is_nodelay)
		rc = set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (rc)
		return err_set(e, ERR_SET_NODELAY, -rc, "-N");
	if (s->window_bytes) {
		rc = set_buffer(fd, SO_SNDBUF, s->window_bytes, e);
		if (!rc)
			rc = set_buffer(fd, SO_RCVBUF, s->window_bytes, e);
	}
	return rc;
}

static int set_user_timeout(int fd, const struct settings *s, struct err *e)
{
	int rc = 0;

	if (s->snd_timeout_ms)
		rc = set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
			     s->snd_timeout_ms);
	return rc ? err_set(e, ERR_SET_USER_TIMEOUT, -rc, "--snd-timeout %d",
			    s->snd_timeout_ms)
		  : 0;
}

/* --bind and --cport. */
static int bind_local(int fd, int family, const struct settings *s,
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
	set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (bind(fd, (struct sockaddr *)&list[0].sa, list[0].len))
		return err_set(e, dial_code(how), errno,
			       "binding the local address %s port %u",
			       s->bind_host ? s->bind_host : "any", port);
	return 0;
}

static int dial_one(const struct addr *to, const struct settings *s,
		    const struct dial *how, struct conn *out, struct err *e)
{
	int family = to->sa.ss_family;
	int fd = sock_open(family, SOCK_STREAM, 0);
	int rc;

	if (fd < 0)
		return err_set(e, dial_code(how), -fd, "opening a socket");
	rc = bind_local(fd, family, s, how, e);
	if (!rc)
		rc = how->control ? set_data_options(fd, s, e)
				  : set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (!rc)
		rc = set_user_timeout(fd, s, e);
	if (rc)
		goto out;
	rc = sock_connect(fd, (const struct sockaddr *)&to->sa, to->len,
			  &how->patience);
	if (rc)
		err_set(e, dial_code(how), -rc, "%s port %u",
			s->host ? s->host : "", s->port);
out:
	if (rc)
		sock_close(&fd);
	else
		*out = (struct conn){ .transport = &transport_tcp, .fd = fd };
	return rc;
}

/* Tries every address; the last failure is the one that is told. */
static int dial_control(const struct settings *s, const struct dial *how,
			struct conn *out, struct err *e)
{
	struct addr list[ADDR_LIST_MAX];
	const char *why = "";
	int n = addr_resolve(s->host, s->port, tcp_family(s), list, &why);
	int rc = n;
	int i;

	if (n < 0)
		return err_set(e, ERR_CONNECT, 0, "%s: %s", s->host, why);
	for (i = 0; i < n; i++) {
		if (e)
			err_clear(e);
		rc = dial_one(&list[i], s, how, out, e);
		if (!rc || rc == -ECANCELED)
			break;
	}
	return rc;
}

static int tcp_dial(const struct settings *s, const struct dial *how,
		    struct conn *out, struct err *e)
{
	struct addr to = { .len = sizeof(to.sa) };

	if (!how->control)
		return dial_control(s, how, out, e);
	/* A name with several addresses must lead to the same machine again. */
	if (getpeername(how->control->fd, (struct sockaddr *)&to.sa, &to.len))
		return err_set(e, ERR_STREAM_CONNECT, errno,
			       "the control connection is gone");
	return dial_one(&to, s, how, out, e);
}

/* One dual-stack socket where the machine has IPv6, unless a family or an
 * address was asked for (PROTOCOL.md 1). */
static int tcp_listen_on(int family, const struct settings *s, struct err *e)
{
	struct addr list[ADDR_LIST_MAX];
	const char *why = "";
	char what[160];
	int fd;
	int rc;

	snprintf(what, sizeof(what), "%s port %u",
		 s->bind_host ? s->bind_host : "any address", s->port);
	rc = addr_resolve(s->bind_host, s->port, family, list, &why);
	if (rc < 0)
		return err_set(e, ERR_LISTEN, 0, "%s: %s", what, why);
	fd = sock_open(list[0].sa.ss_family, SOCK_STREAM, 0);
	if (fd < 0)
		return err_set(e, ERR_LISTEN, -fd, "%s", what);
	set_int(fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (list[0].sa.ss_family == AF_INET6)
		set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY,
			s->family == IP_FAMILY_6);
	if (bind(fd, (struct sockaddr *)&list[0].sa, list[0].len)) {
		rc = -errno;
		sock_close(&fd);
		return err_set(e, ERR_LISTEN, -rc, "%s", what);
	}
	return bytestream_listen(fd, e, what);
}

static int tcp_listen(const struct settings *s, struct err *e)
{
	struct err v6 = ERR_INIT;
	int fd;

	if (s->family != IP_FAMILY_ANY || s->bind_host)
		return tcp_listen_on(tcp_family(s), s, e);
	fd = tcp_listen_on(AF_INET6, s, &v6);
	if (fd >= 0 || v6.os_errno == EADDRINUSE) {
		if (fd < 0 && e)
			*e = v6;
		return fd;
	}
	return tcp_listen_on(AF_INET, s, e);
}

static int tcp_accept(int listener, const struct conn *control,
		      struct conn *out)
{
	int fd = sock_accept(listener);

	(void)control;
	if (fd < 0)
		return fd;
	set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	*out = (struct conn){ .transport = &transport_tcp, .fd = fd };
	return 0;
}

static int tcp_prepare(struct conn *c, const struct settings *s, struct err *e)
{
	int rc = 0;

	/* A dialled stream has them already, from before its connect. */
	if (s->role == ROLE_SERVER) {
		set_int(c->fd, IPPROTO_TCP, TCP_NODELAY, s->is_nodelay);
		rc = set_data_options(c->fd, s, e);
		if (!rc)
			rc = set_user_timeout(c->fd, s, e);
	}
	return rc ? rc : bytestream_prepare(c, s, e);
}

static void tcp_name_ends(const struct conn *c, struct endpoint *local,
			  struct endpoint *remote)
{
	addr_of_socket(c->fd, local, remote);
}

static void tcp_inspect(const struct conn *c, struct socket_facts *out)
{
	socklen_t len = sizeof(out->congestion) - 1;

	memset(out, 0, sizeof(*out));
	out->sndbuf_bytes = get_int(c->fd, SOL_SOCKET, SO_SNDBUF);
	out->rcvbuf_bytes = get_int(c->fd, SOL_SOCKET, SO_RCVBUF);
	out->mss_bytes = get_int(c->fd, IPPROTO_TCP, TCP_MAXSEG);
	if (getsockopt(c->fd, IPPROTO_TCP, TCP_CONGESTION, out->congestion,
		       &len))
		out->congestion[0] = '\0';
}

static const struct option_row tcp_option_row[] = {
	{
		.name = "cport",
		.kind = OPTION_PORT,
		.value = VALUE_REQUIRED,
		.roles = FOR_CLIENT,
		.offset = offsetof(struct settings, client_port),
		.given_offset = OPTION_NO_MEMBER,
		.min = 1,
		.max = 65535,
		.range_error = ERR_PORT,
		.metavar = "PORT",
		.help = "local port of the first data stream, the others "
			"follow",
	},
	{
		.name = "no-delay",
		.letter = 'N',
		.kind = OPTION_FLAG,
		.roles = FOR_CLIENT,
		.offset = offsetof(struct settings, is_nodelay),
		.given_offset = OPTION_NO_MEMBER,
		.wire_key = "nodelay",
		.wire = WIRE_TRUE,
		.help = "set TCP_NODELAY on the data streams",
	},
};

const struct transport transport_tcp = {
	.name = "tcp",
	.label = "TCP",
	.wire_key = "tcp",
	.caps = TRANSPORT_SOCKET_BUFFERS | TRANSPORT_PATH | TRANSPORT_MSS,
	.block_default_bytes = 128 * KIB,
	.block_min_bytes = 1,
	.block_max_bytes = 1024 * KIB,
	.port_max = UINT16_MAX,
	.options = { "TCP", tcp_option_row,
		     sizeof(tcp_option_row) / sizeof(tcp_option_row[0]) },
	.control = &transport_tcp,
	.door = DOOR_SHARED,
	.claims = bytestream_claims,
	.check = tcp_check,
	.listen = tcp_listen,
	.accept = tcp_accept,
	.greet_again = bytestream_greet_again,
	.dial = tcp_dial,
	.prepare = tcp_prepare,
	.name_ends = tcp_name_ends,
	.name_roles = bytestream_name_roles,
	.inspect = tcp_inspect,
	.path = tcpinfo_path,
	.send = bytestream_send,
	.recv = bytestream_recv,
	.recv_datagrams = bytestream_recv_datagrams,
	.finish = bytestream_finish,
	.abort = bytestream_abort,
	.close = bytestream_close,
};
