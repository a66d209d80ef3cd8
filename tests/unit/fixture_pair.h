/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connected socket pairs and the patience to use them with: waits that would
 * be endless in a broken program end in a failed test instead.
 */
#ifndef FIXTURE_PAIR_H
#define FIXTURE_PAIR_H

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "net/sock.h"

#define PAIR_PATIENCE_MS 20000
#define PAIR_LONG_PAST_NS 1

struct pair {
	int near; /* the program's end */
	int far; /* the peer's, played by the test */
};

static inline struct pair pair_open(void)
{
	int fd[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fd), 0);
	return (struct pair){ fd[0], fd[1] };
}

static inline void pair_close(struct pair *p)
{
	sock_close(&p->near);
	sock_close(&p->far);
}

static inline struct patience pair_patience(void)
{
	return (struct patience){
		.deadline_ns = clock_deadline_ms(PAIR_PATIENCE_MS),
		.stop_fd = -1,
	};
}

/* What the peer says. */
static inline void pair_say(const struct pair *p, const void *data, size_t len)
{
	struct patience some = pair_patience();

	assert_int_equal(sock_send_all(p->far, data, len, &some), 0);
}

/* What the peer hears: exactly these bytes. */
static inline void pair_hear(const struct pair *p, void *data, size_t len)
{
	struct patience some = pair_patience();

	assert_int_equal(sock_recv_all(p->far, data, len, &some), 0);
}

/* The peer hears the end of the stream and nothing before. */
static inline void pair_hear_end(const struct pair *p)
{
	struct pollfd pfd = { .fd = p->far, .events = POLLIN };
	char c;

	assert_int_equal(poll(&pfd, 1, PAIR_PATIENCE_MS), 1);
	assert_int_equal(recv(p->far, &c, 1, MSG_DONTWAIT), 0);
}

static inline void pair_hear_nothing(const struct pair *p)
{
	char c;

	assert_int_equal(recv(p->far, &c, 1, MSG_DONTWAIT), -1);
}

#endif
