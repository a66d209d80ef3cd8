/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/bytestream.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LISTEN_BACKLOG 1024 /* the kernel caps it at net.core.somaxconn */

int dial_code(const struct dial *how)
{
	return how->control ? ERR_STREAM_CONNECT : ERR_CONNECT;
}

bool bytestream_claims(const struct settings *s)
{
	(void)s;
	return true;
}

int bytestream_tune(int listener, const struct settings *s, struct err *e)
{
	(void)listener;
	(void)s;
	(void)e;
	return 0;
}

void bytestream_greet_again(struct conn *c)
{
	(void)c;
}

int bytestream_prepare(struct conn *c, const struct settings *s, struct err *e)
{
	int rc = sock_set_blocking(c->fd, true);

	(void)s;
	return rc ? err_set(e, ERR_INIT_STREAM, -rc,
			    "the data socket's mode could not be set")
		  : 0;
}

void bytestream_path(const struct conn *c, struct path *out,
		     int64_t *retransmits)
{
	(void)c;
	(void)out;
	(void)retransmits;
}

/*
 * In a program with threads, the C library's send() and recv() are
 * cancellation points and spend some 40 instructions a call on that (glibc
 * 2.36, callgrind: 92 a block in all, 54 without). Workers are never cancelled,
 * so the system call is made directly.
 */
ssize_t bytestream_send(struct conn *c, const void *block, size_t len)
{
	return syscall(SYS_sendto, c->fd, block, len, MSG_NOSIGNAL, NULL, 0);
}

/* Without MSG_WAITALL: it fails on AF_VSOCK where the block is as large as
 * the receive window. */
ssize_t bytestream_recv(struct conn *c, void *block, size_t len)
{
	return syscall(SYS_recvfrom, c->fd, block, len, 0, NULL, NULL);
}

ssize_t bytestream_recv_datagrams(struct conn *c, void *buf, size_t len,
				  size_t *unit_bytes)
{
	*unit_bytes = len;
	return bytestream_recv(c, buf, len);
}

int bytestream_finish(struct conn *c)
{
	return shutdown(c->fd, SHUT_WR) ? -errno : 0;
}

void bytestream_abort(struct conn *c)
{
	shutdown(c->fd, SHUT_RDWR);
}

void bytestream_close(struct conn *c)
{
	sock_close(&c->fd);
}

void bytestream_name_roles(const struct conn *c, const char **local,
			   const char **remote)
{
	(void)c;
	(void)local;
	(void)remote;
}

int bytestream_listen(int fd, struct err *e, const char *what)
{
	int rc = listen(fd, LISTEN_BACKLOG) ? -errno : 0;

	if (!rc)
		rc = sock_set_blocking(fd, false);
	if (rc) {
		sock_close(&fd);
		return err_set(e, ERR_LISTEN, -rc, "%s", what);
	}
	return fd;
}
