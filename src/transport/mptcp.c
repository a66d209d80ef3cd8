/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPTCP (RFC 8684): data streams that may use several paths at once, with TCP
 * for the control connection. A connection falls back to TCP where the other
 * end or something between doesn't have it; inspect() then says so.
 *
 * Called by: session/ (dial, listen, inspect), engine/ (send, recv, finish).
 */
#include "transport/mptcp.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include "transport/bytestream.h"
#include "transport/ipsock.h"
#include "transport/tcp.h"

#define KIB 1024

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif

static int explain(int rc, int code, struct err *e)
{
	if (rc == -EPROTONOSUPPORT || rc == -ENOPROTOOPT)
		return err_set(
			e, ERR_PROTOCOL, -rc,
			"--mptcp: this kernel has no MPTCP; it takes "
			"Linux 5.6 or newer with CONFIG_MPTCP and sysctl "
			"net.mptcp.enabled=1");
	return err_set(e, code, -rc, "opening an MPTCP socket");
}

static int mptcp_dial(const struct settings *s, const struct dial *how,
		      struct conn *out, struct err *e)
{
	struct addr to;
	int rc = ipsock_peer_of(how->control, &to, e);
	int fd;

	if (rc)
		return rc;
	fd = sock_open(to.sa.ss_family, SOCK_STREAM, IPPROTO_MPTCP);
	if (fd < 0)
		return explain(fd, ERR_STREAM_CONNECT, e);
	rc = tcp_connect(fd, &to, s, how, e);
	if (rc)
		sock_close(&fd);
	else
		*out = (struct conn){ .transport = &transport_mptcp, .fd = fd };
	return rc;
}

static int mptcp_listen(const struct settings *s, struct err *e)
{
	char what[IPSOCK_WHAT_SIZE];
	int probe = sock_open(AF_INET, SOCK_STREAM, IPPROTO_MPTCP);
	int fd;
	int rc;

	if (probe < 0)
		return explain(probe, ERR_STREAM_LISTEN, e);
	sock_close(&probe);
	fd = ipsock_bind_listener(SOCK_STREAM, IPPROTO_MPTCP, s, e);
	if (fd < 0)
		return fd;
	rc = tcp_tune(fd, s, e);
	if (rc) {
		sock_close(&fd);
		return rc;
	}
	return bytestream_listen(fd, e,
				 ipsock_listen_text(s, what, sizeof(what)));
}

static int mptcp_accept(int listener, const struct conn *control,
			struct conn *out)
{
	int fd = sock_accept(listener);

	(void)control;
	if (fd < 0)
		return fd;
	ipsock_set_int(fd, IPPROTO_TCP, TCP_NODELAY, 1);
	*out = (struct conn){ .transport = &transport_mptcp, .fd = fd };
	return 0;
}

static void mptcp_inspect(const struct conn *c, struct socket_facts *out)
{
	tcp_inspect(c, out);
	if (!mptcpinfo_is_mptcp(c->fd))
		out->fallback = transport_tcp.label;
}

static const struct option_row mptcp_option_row[] = {
	{
		.name = "mptcp",
		.letter = 'm',
		.kind = OPTION_CUSTOM,
		.roles = FOR_BOTH,
		.parse = option_choose_transport,
		.help = "use MPTCP for the data streams; a server does so when "
			"its client asks",
	},
};

const struct transport transport_mptcp = {
	.name = "mptcp",
	.label = "MPTCP",
	.wire_key = "mptcp",
	.wire_fallback = "tcp",
	.caps = TRANSPORT_IP | TRANSPORT_SOCKET_BUFFERS | TRANSPORT_PATH |
		TRANSPORT_MSS,
	.block_default_bytes = 128 * KIB,
	.block_min_bytes = 1,
	.block_max_bytes = 1024 * KIB,
	.port_max = UINT16_MAX,
	.options = { "MPTCP", mptcp_option_row,
		     sizeof(mptcp_option_row) / sizeof(mptcp_option_row[0]) },
	.control = &transport_tcp,
	.door = DOOR_INSTEAD,
	.claims = bytestream_claims,
	.check = tcp_check,
	.listen = mptcp_listen,
	.tune = bytestream_tune,
	.accept = mptcp_accept,
	.greet_again = bytestream_greet_again,
	.dial = mptcp_dial,
	.prepare = tcp_prepare,
	.name_ends = ipsock_name_ends,
	.name_roles = bytestream_name_roles,
	.inspect = mptcp_inspect,
	.path = mptcpinfo_path,
	.send = bytestream_send,
	.recv = bytestream_recv,
	.recv_datagrams = bytestream_recv_datagrams,
	.finish = bytestream_finish,
	.abort = bytestream_abort,
	.close = bytestream_close,
};
