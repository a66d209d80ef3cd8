/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/stream.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/payload.h"

/* A call of a datagram transport may move several blocks. */
static size_t buffer_bytes(const struct stream *st)
{
	size_t block_bytes = st->plan->block_bytes;

	if (st->is_sender && st->conn.send_batch_blocks)
		return block_bytes * st->conn.send_batch_blocks;
	if (!st->is_sender && st->conn.recv_batch_bytes > block_bytes)
		return st->conn.recv_batch_bytes;
	return block_bytes;
}

int stream_init(struct stream *st, const struct conn *conn, bool is_sender,
		const struct plan *plan, struct err *e)
{
	memset(st, 0, sizeof(*st));
	st->conn = *conn;
	st->is_sender = is_sender;
	st->plan = plan;
	st->buffer_bytes = buffer_bytes(st);
	/* A receive buffer is filled too, so that its pages exist before the
	 * first block is timed. */
	st->block = payload_new(st->buffer_bytes, plan->is_repeating_payload);
	if (!st->block)
		return err_set(e, ERR_NO_MEMORY, ENOMEM,
			       "a buffer of %zu bytes; lower -l or -P",
			       st->buffer_bytes);
	return 0;
}

static void *stream_main(void *arg)
{
	struct stream *st = arg;
	uint64_t one = 1;

	if (st->is_sender)
		run_tx(st);
	else
		run_rx(st);
	atomic_store_explicit(&st->counters.is_done, true,
			      memory_order_release);
	/* Can't fail: an eventfd only blocks near 2^64. */
	if (write(st->plan->notify_fd, &one, sizeof(one)) < 0)
		abort();
	return NULL;
}

int stream_start(struct stream *st, struct err *e)
{
	sigset_t all;
	sigset_t old;
	int rc;

	/* Signals belong to the session thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	rc = pthread_create(&st->thread, NULL, stream_main, st);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (rc)
		return err_set(e, ERR_THREAD_CREATE, rc, "lower -P");
	st->has_thread = true;
	return 0;
}

bool stream_is_done(const struct stream *st)
{
	return atomic_load_explicit((_Atomic bool *)&st->counters.is_done,
				    memory_order_acquire);
}

void stream_done(struct stream *st)
{
	if (st->has_thread)
		pthread_join(st->thread, NULL);
	st->has_thread = false;
	if (st->conn.transport)
		st->conn.transport->close(&st->conn);
	free(st->block);
	st->block = NULL;
}

bool stream_is_peer_gone(int os_errno)
{
	return os_errno == ECONNRESET || os_errno == ENOTCONN ||
	       os_errno == EPIPE || os_errno == ECONNREFUSED;
}

void stream_leave(struct stream *st, enum stream_end end, int code,
		  int os_errno)
{
	uint64_t bytes = counter_get(&st->counters.bytes);

	st->end_ns = clock_now_ns();
	st->end = end;
	if (end == STREAM_LOST)
		err_set(&st->error, code, os_errno, "after %llu bytes",
			(unsigned long long)bytes);
}
