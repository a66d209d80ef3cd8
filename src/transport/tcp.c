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

static int set_congestion(int fd, const struct settings *s, struct err *e)
{
	if (!s->congestion ||
	    !setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, s->congestion,
			(socklen_t)strlen(s->congestion)))
		return 0;
	return err_set(
		e, ERR_SET_CONGESTION, errno,
		"-C %s; sysctl net.ipv4.tcp_available_congestion_control "
		"lists what can be had",
		s->congestion);
}

int tcp_check(const struct settings *s, struct err *e)
{
	int rc = ipsock_check_buffers(SOCK_STREAM, s, e);
	int fd;

	/* At a server another algorithm is not the end of the test. */
	if (rc || s->role != ROLE_CLIENT || !s->congestion)
		return rc;
	fd = sock_open(AF_INET, SOCK_STREAM, 0);
	if (fd < 0)
		return 0;
	rc = set_congestion(fd, s, e);
	sock_close(&fd);
	return rc;
}

static int set_mss(int fd, const struct settings *s, struct err *e)
{
	int rc = ipsock_set_int(fd, IPPROTO_TCP, TCP_MAXSEG, s->mss_bytes);

	return rc ? err_set(e, ERR_SET_MSS, -rc, "-M %d", s->mss_bytes) : 0;
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

/* --cntl-ka on a connection, or on the listener from which accepted ones
 * inherit it. */
static int set_keepalive(int fd, const struct settings *s, struct err *e)
{
	const struct {
		int level;
		int name;
		int value;
		int code;
	} options[] = {
		{ SOL_SOCKET, SO_KEEPALIVE, s->has_keepalive,
		  ERR_SET_KEEPALIVE },
		{ IPPROTO_TCP, TCP_KEEPIDLE, s->keepalive_idle_s,
		  ERR_SET_KEEPALIVE_IDLE },
		{ IPPROTO_TCP, TCP_KEEPINTVL, s->keepalive_interval_s,
		  ERR_SET_KEEPALIVE_INTERVAL },
		{ IPPROTO_TCP, TCP_KEEPCNT, s->keepalive_count,
		  ERR_SET_KEEPALIVE_COUNT },
	};
	size_t i;
	int rc = 0;

	for (i = 0; i < sizeof(options) / sizeof(options[0]) && !rc; i++)
		if (options[i].value)
			rc = ipsock_set_int(fd, options[i].level,
					    options[i].name, options[i].value);
	return rc ? err_set(e, options[i - 1].code, -rc, "--cntl-ka=%d/%d/%d",
			    s->keepalive_idle_s, s->keepalive_interval_s,
			    s->keepalive_count)
		  : 0;
}

/* Options of data streams, before a connect or after an accept. */
static int set_data_options(int fd, const struct settings *s, struct err *e)
{
	int rc = 0;

	if (s->is_nodelay)
		rc = ipsock_set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	if (rc)
		return err_set(e, ERR_SET_NODELAY, -rc, "-N");
	rc = ipsock_set_buffers(fd, s, e);
	if (!rc)
		rc = ipsock_set_class(fd, s, e);
	ipsock_set_pacing(fd, s);
	return rc;
}

/* Before the connect, so that a SYN has them. */
static int set_stream_options(int fd, struct addr *to, const struct settings *s,
			      struct err *e)
{
	int rc = set_data_options(fd, s, e);

	if (!rc && s->mss_bytes)
		rc = set_mss(fd, s, e);
	if (!rc)
		rc = set_congestion(fd, s, e);
	return rc ? rc : ipsock_set_label(fd, to, s, e);
}

static int set_control_options(int fd, const struct addr *to,
			       const struct settings *s, struct err *e)
{
	int rc = ipsock_check_label(to, s, e);

	if (!rc)
		rc = set_keepalive(fd, s, e);
	ipsock_set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	return rc;
}

int tcp_connect(int fd, struct addr *to, const struct settings *s,
		const struct dial *how, struct err *e)
{
	int rc = ipsock_bind_local(fd, to->sa.ss_family, s, how, e);

	if (!rc)
		rc = how->control ? set_stream_options(fd, to, s, e)
				  : set_control_options(fd, to, s, e);
	if (!rc)
		rc = set_user_timeout(fd, s, e);
	if (rc)
		return rc;
	rc = sock_connect(fd, (const struct sockaddr *)&to->sa, to->len,
			  &how->patience);
	return rc ? err_set(e, dial_code(how), -rc, "%s port %u",
			    s->host ? s->host : "", s->port)
		  : 0;
}

static int dial_one(struct addr *to, const struct settings *s,
		    const struct dial *how, struct conn *out, struct err *e)
{
	int fd = sock_open(to->sa.ss_family, SOCK_STREAM, 0);
	int rc;

	if (fd < 0)
		return err_set(e, dial_code(how), -fd, "opening a socket");
	rc = tcp_connect(fd, to, s, how, e);
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
	if (set_keepalive(fd, s, e)) {
		sock_close(&fd);
		return -EINVAL;
	}
	return bytestream_listen(fd, e,
				 ipsock_listen_text(s, what, sizeof(what)));
}

/*
 * What answers a SYN comes from the listener: the MSS, the class, and whether
 * the label of the SYN is the label of what is sent back. Of these only the MSS
 * can't be mended, or found missing, when the connection is there.
 */
int tcp_tune(int listener, const struct settings *s, struct err *e)
{
	ipsock_set_class(listener, s, NULL);
	ipsock_reflect_label(listener, s);
	if (s->mss_bytes)
		return set_mss(listener, s, e);
	/* 0 is the path's again. Fails where there never was another. */
	set_mss(listener, s, NULL);
	return 0;
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

int tcp_prepare(struct conn *c, const struct settings *s, struct err *e)
{
	int rc = 0;

	/* A dialled stream has them already, from before its connect. */
	if (s->role == ROLE_SERVER) {
		ipsock_set_int(c->fd, SOL_SOCKET, SO_KEEPALIVE, 0);
		ipsock_set_int(c->fd, IPPROTO_TCP, TCP_NODELAY, s->is_nodelay);
		rc = set_data_options(c->fd, s, e);
		if (!rc)
			rc = set_user_timeout(c->fd, s, e);
		/* Another algorithm is measured all the same; the session
		 * reads it back. */
		set_congestion(c->fd, s, NULL);
	}
	return rc ? rc : bytestream_prepare(c, s, e);
}

void tcp_inspect(const struct conn *c, struct socket_facts *out)
{
	socklen_t len = sizeof(out->congestion) - 1;

	ipsock_inspect(c->fd, out);
	out->mss_bytes = ipsock_get_int(c->fd, IPPROTO_TCP, TCP_MAXSEG);
	if (getsockopt(c->fd, IPPROTO_TCP, TCP_CONGESTION, out->congestion,
		       &len))
		out->congestion[0] = '\0';
}

const struct transport transport_tcp = {
	.name = "tcp",
	.label = "TCP",
	.wire_key = "tcp",
	.caps = TRANSPORT_IP | TRANSPORT_SOCKET_BUFFERS | TRANSPORT_PATH |
		TRANSPORT_MSS,
	.block_default_bytes = 128 * KIB,
	.block_min_bytes = 1,
	.block_max_bytes = 1024 * KIB,
	.port_max = UINT16_MAX,
	.options = { "TCP", NULL, 0 },
	.control = &transport_tcp,
	.door = DOOR_SHARED,
	.claims = bytestream_claims,
	.check = tcp_check,
	.listen = tcp_listen,
	.tune = tcp_tune,
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
