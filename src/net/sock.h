/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sockets with a deadline: EINTR and short I/O are solved here, once.
 * Deadlines are absolute monotonic times (base/clock.h); every function that
 * waits also ends early when @stop_fd (or -1) becomes readable, with
 * -ECANCELED. Failures are negative errno.
 *
 * Threads: any; a descriptor is used by one thread at a time.
 */
#ifndef NET_SOCK_H
#define NET_SOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

/* How long a wait may last. */
struct patience {
	uint64_t deadline_ns;
	int stop_fd;
};

/* A socket with O_CLOEXEC. Descriptor or negative errno. */
int sock_open(int family, int type, int protocol);

/* Closes and sets -1; -1 is fine. */
void sock_close(int *fd);

int sock_set_blocking(int fd, bool is_blocking);

/* Waits for poll() @events. 0, -ETIMEDOUT or -ECANCELED. */
int sock_wait(int fd, short events, const struct patience *p);

/* Connects @fd and leaves it blocking. */
int sock_connect(int fd, const struct sockaddr *to, socklen_t len,
		 const struct patience *p);

/* All of @len bytes; works on blocking and non-blocking descriptors. A peer
 * that closes early gives -ECONNRESET. */
int sock_send_all(int fd, const void *data, size_t len,
		  const struct patience *p);
int sock_recv_all(int fd, void *data, size_t len, const struct patience *p);

/* A waiting connection, non-blocking. Descriptor, -EAGAIN, or errno. */
int sock_accept(int listener);

#endif
