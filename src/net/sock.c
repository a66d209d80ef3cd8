/* SPDX-License-Identifier: BSD-3-Clause */
#include "net/sock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"

int sock_open(int family, int type, int protocol)
{
	int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	return fd < 0 ? -errno : fd;
}

void sock_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int sock_set_blocking(int fd, bool is_blocking)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0)
		return -errno;
	flags = is_blocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK;
	return fcntl(fd, F_SETFL, flags) ? -errno : 0;
}

int sock_wait(int fd, short events, const struct patience *p)
{
	for (;;) {
		struct pollfd pfd[2] = {
			{ .fd = fd, .events = events },
			{ .fd = p->stop_fd, .events = POLLIN },
		};
		uint64_t now_ns = clock_now_ns();
		int n = poll(pfd, 2, clock_poll_ms(p->deadline_ns, now_ns));

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && pfd[1].revents)
			return -ECANCELED;
		if (n > 0)
			return 0;
		if (n == 0 && clock_now_ns() >= p->deadline_ns)
			return -ETIMEDOUT;
	}
}

static int connect_outcome(int fd)
{
	int os_errno = 0;
	socklen_t len = sizeof(os_errno);

	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &os_errno, &len))
		return -errno;
	return -os_errno;
}

int sock_connect(int fd, const struct sockaddr *to, socklen_t len,
		 const struct patience *p)
{
	int rc = sock_set_blocking(fd, false);

	if (rc)
		return rc;
	if (connect(fd, to, len)) {
		if (errno != EINPROGRESS && errno != EINTR)
			return -errno;
		rc = sock_wait(fd, POLLOUT, p);
		if (rc)
			return rc;
		rc = connect_outcome(fd);
		if (rc)
			return rc;
	}
	return sock_set_blocking(fd, true);
}

int sock_send_all(int fd, const void *data, size_t len,
		  const struct patience *p)
{
	const char *from = data;

	while (len > 0) {
		int rc = sock_wait(fd, POLLOUT, p);
		ssize_t n;

		if (rc)
			return rc;
		n = send(fd, from, len, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return -errno;
		from += n;
		len -= (size_t)n;
	}
	return 0;
}

int sock_recv_all(int fd, void *data, size_t len, const struct patience *p)
{
	char *to = data;

	while (len > 0) {
		int rc = sock_wait(fd, POLLIN, p);
		ssize_t n;

		if (rc)
			return rc;
		n = recv(fd, to, len, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return n ? -errno : -ECONNRESET;
		to += n;
		len -= (size_t)n;
	}
	return 0;
}

int sock_accept(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	/* A connection that died in the backlog is not the listener's
	 * failure (accept(2), "Error handling"). */
	if (fd < 0 && (errno == EINTR || errno == ECONNABORTED ||
		       errno == EPROTO || errno == EWOULDBLOCK))
		return -EAGAIN;
	return fd < 0 ? -errno : fd;
}
