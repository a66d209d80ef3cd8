/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A transport for one end of a socket pair whose send and receive do what a
 * script says: short counts, errors, the end of the stream. When the script is
 * over they are a byte stream's. A conn's state points to its struct fake;
 * without one it is a byte stream from the beginning.
 */
#ifndef FIXTURE_FAKE_H
#define FIXTURE_FAKE_H

#include <errno.h>
#include <string.h>

#include "fixture_pair.h"
#include "transport/bytestream.h"

/* Moves at most @most bytes if positive, else fails with @os_errno; 0 and no
 * errno is the end of the stream. */
struct fake_step {
	ssize_t most;
	int os_errno;
};

#define FAKE_MOST(n)   \
	{              \
		(n), 0 \
	}
#define FAKE_FAIL(os_errno)    \
	{                      \
		-1, (os_errno) \
	}
#define FAKE_END     \
	{            \
		0, 0 \
	}

struct fake {
	const struct fake_step *step;
	size_t steps;
	size_t at;
	size_t calls; /* of send or recv */
	int finish_errno; /* what finish fails with, 0: it works */
	size_t finishes;
};

/* Whether the script has a step for this call, and what it comes to. */
static inline bool fake_next(struct fake *f, size_t *len, ssize_t *n)
{
	const struct fake_step *step;

	if (!f)
		return false;
	f->calls++;
	if (f->at == f->steps)
		return false;
	step = &f->step[f->at++];
	if (step->most > 0) {
		if ((size_t)step->most < *len)
			*len = (size_t)step->most;
		return false;
	}
	errno = step->os_errno;
	*n = step->most;
	return true;
}

static inline ssize_t fake_send(struct conn *c, const void *block, size_t len)
{
	ssize_t n;

	return fake_next(c->state, &len, &n) ? n
					     : bytestream_send(c, block, len);
}

static inline ssize_t fake_recv(struct conn *c, void *block, size_t len)
{
	ssize_t n;

	return fake_next(c->state, &len, &n) ? n
					     : bytestream_recv(c, block, len);
}

static inline int fake_finish(struct conn *c)
{
	struct fake *f = c->state;

	if (!f)
		return bytestream_finish(c);
	f->finishes++;
	return f->finish_errno ? -f->finish_errno : bytestream_finish(c);
}

static inline int fake_listen(const struct settings *s, struct err *e)
{
	(void)s;
	return err_set(e, ERR_LISTEN, ENOTSUP, NULL);
}

static inline int fake_check(const struct settings *s, struct err *e)
{
	(void)s;
	(void)e;
	return 0;
}

static inline int fake_accept(int listener, const struct conn *control,
			      struct conn *out);

static inline int fake_dial(const struct settings *s, const struct dial *how,
			    struct conn *out, struct err *e)
{
	(void)s;
	(void)out;
	return err_set(e, dial_code(how), ENOTSUP, NULL);
}

static inline void fake_name_ends(const struct conn *c, struct endpoint *local,
				  struct endpoint *remote)
{
	(void)c;
	memset(local, 0, sizeof(*local));
	memset(remote, 0, sizeof(*remote));
}

static inline void fake_inspect(const struct conn *c, struct socket_facts *out)
{
	(void)c;
	memset(out, 0, sizeof(*out));
}

static const struct transport fake_transport = {
	.name = "fake",
	.label = "FAKE",
	.wire_key = "fake",
	.block_default_bytes = 1024,
	.block_min_bytes = 1,
	.block_max_bytes = 65536,
	.port_max = 65535,
	.options = { "Fake", NULL, 0 },
	.control = &fake_transport,
	.door = DOOR_SHARED,
	.claims = bytestream_claims,
	.check = fake_check,
	.listen = fake_listen,
	.accept = fake_accept,
	.tune = bytestream_tune,
	.greet_again = bytestream_greet_again,
	.dial = fake_dial,
	.prepare = bytestream_prepare,
	.name_ends = fake_name_ends,
	.name_roles = bytestream_name_roles,
	.inspect = fake_inspect,
	.path = bytestream_path,
	.send = fake_send,
	.recv = fake_recv,
	.recv_datagrams = bytestream_recv_datagrams,
	.finish = fake_finish,
	.abort = bytestream_abort,
	.close = bytestream_close,
};

/* Any listener will do; one over AF_UNIX needs no port. */
static inline int fake_accept(int listener, const struct conn *control,
			      struct conn *out)
{
	int fd = sock_accept(listener);

	(void)control;
	if (fd < 0)
		return fd;
	*out = (struct conn){ .transport = &fake_transport, .fd = fd };
	return 0;
}

static inline struct conn fake_conn(int fd, struct fake *f)
{
	return (struct conn){ .transport = &fake_transport,
			      .fd = fd,
			      .state = f };
}

#endif
