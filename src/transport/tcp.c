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
#include "transport/bytestream.h"
#include "transport/ipsock.h"

#define KIB 1024

static int tcp_check(const struct settings *s, struct err *e)
{
	return ipsock_check_buffers(SOCK_STREAM, s, e);
}

/* Options of data streams, before a connect or after an accept. */
static int set_data_options(int fd, const struct settings *s, struct err *e)
{
	int rc = 0;

	if (s->is_nodelay)
		rc = ipsock_set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (rc)
		return err_set(e, ERR_SET_NODELAY, -rc, "-N");
	return ipsock_set_buffers(fd, s, e);
}

static int set_user_timeout(int fd, const struct settings *s, struct err *e)
{
	int rc = 0;

	if (s->snd_timeout_ms)
		rc = ipsock_set_int(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
				    s->snd_timeout_ms);
	return rc ? err_set(e, ERR_SET_USER_TIMEOUT, -rc, "--snd-timeout %d",
			    s->snd_timeout_ms)
		  : 0;
}

static int dial_one(const struct addr *to, const struct settings *s,
		    const struct dial *how, struct conn *out, struct err *e)
{
	int family = to->sa.ss_family;
	int fd = sock_open(family, SOCK_STREAM, 0);
	int rc;

	if (fd < 0)
		return err_set(e, dial_code(how), -fd, "opening a socket");
	rc = ipsock_bind_local(fd, family, s, how, e);
	if (!rc)
		rc = how->control
			     ? set_data_options(fd, s, e)
			     : ipsock_set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
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
	int n = addr_resolve(s->host, s->port, ipsock_family(s), list, &why);
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
	struct addr to;
	int rc;

	if (!how->control)
		return dial_control(s, how, out, e);
	rc = ipsock_peer_of(how->control, &to, e);
	return rc ? rc : dial_one(&to, s, how, out, e);
}

static int tcp_listen(const struct settings *s, struct err *e)
{
	char what[IPSOCK_WHAT_SIZE];
	int fd = ipsock_bind_listener(SOCK_STREAM, 0, s, e);

	if (fd < 0)
		return fd;
	return bytestream_listen(fd, e,
				 ipsock_listen_text(s, what, sizeof(what)));
}

static int tcp_accept(int listener, const struct conn *control,
		      struct conn *out)
{
	int fd = sock_accept(listener);

	(void)control;
	if (fd < 0)
		return fd;
	ipsock_set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	*out = (struct conn){ .transport = &transport_tcp, .fd = fd };
	return 0;
}

static int tcp_prepare(struct conn *c, const struct settings *s, struct err *e)
{
	int rc = 0;

	/* A dialled stream has them already, from before its connect. */
	if (s->role == ROLE_SERVER) {
		ipsock_set_int(c->fd, IPPROTO_TCP, TCP_NODELAY, s->is_nodelay);
		rc = set_data_options(c->fd, s, e);
		if (!rc)
			rc = set_user_timeout(c->fd, s, e);
	}
	return rc ? rc : bytestream_prepare(c, s, e);
}

static void tcp_inspect(const struct conn *c, struct socket_facts *out)
{
	socklen_t len = sizeof(out->congestion) - 1;

	memset(out, 0, sizeof(*out));
	out->sndbuf_bytes = ipsock_get_int(c->fd, SOL_SOCKET, SO_SNDBUF);
	out->rcvbuf_bytes = ipsock_get_int(c->fd, SOL_SOCKET, SO_RCVBUF);
	out->mss_bytes = ipsock_get_int(c->fd, IPPROTO_TCP, TCP_MAXSEG);
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
	.name_ends = ipsock_name_ends,
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
