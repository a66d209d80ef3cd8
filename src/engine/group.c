/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/group.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int group_open_fds(struct group *g)
{
	g->plan.finish_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (g->plan.finish_fd < 0)
		return -errno;
	g->plan.notify_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (g->plan.notify_fd >= 0)
		return 0;
	close(g->plan.finish_fd);
	return -errno;
}

int group_init(struct group *g, const struct settings *s,
	       const struct transport *t, struct err *e)
{
	size_t capacity = (size_t)settings_total_streams(s);
	void *streams = NULL;
	int rc;

	memset(g, 0, sizeof(*g));
	atomic_init(&g->orders.send_budget_bytes, BUDGET_UNLIMITED);
	atomic_init(&g->orders.recv_budget_bytes, BUDGET_UNLIMITED);
	g->plan = (struct plan){
		.block_bytes = s->block_bytes,
		.rate_bps = s->rate_bps,
		.burst_blocks = s->burst_blocks,
		.has_budget = s->limit_bytes || s->limit_blocks,
		.is_repeating_payload = s->is_repeating_payload,
		.is_datagrams = t->caps & TRANSPORT_DATAGRAMS,
		.has_64bit_counters = s->has_64bit_counters,
		.orders = &g->orders,
	};
	/* Counters stand on cache lines of their own. */
	if (posix_memalign(&streams, CACHE_LINE_BYTES,
			   capacity * sizeof(*g->stream)))
		return err_set(e, ERR_NO_MEMORY, ENOMEM, "%zu streams",
			       capacity);
	rc = group_open_fds(g);
	if (rc) {
		free(streams);
		return err_set(e, ERR_INIT_TEST, -rc, "eventfd");
	}
	g->stream = streams;
	g->capacity = capacity;
	g->is_ready = true;
	return 0;
}

int group_add(struct group *g, const struct conn *conn, bool is_sender,
	      struct err *e)
{
	struct stream *st = &g->stream[g->streams];

	if (g->streams == g->capacity) {
		struct conn extra = *conn;

		conn->transport->close(&extra);
		return err_set(e, ERR_CREATE_STREAM, 0,
			       "more streams than were agreed on");
	}
	g->streams++;
	return stream_init(st, conn, is_sender, &g->plan, e);
}

int group_start(struct group *g, struct err *e)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < g->streams && !rc; i++)
		rc = stream_start(&g->stream[i], e);
	return rc;
}

void group_set_budget(struct group *g, uint64_t limit_bytes)
{
	int64_t budget = limit_bytes > INT64_MAX ? INT64_MAX
						 : (int64_t)limit_bytes;

	atomic_store_explicit(&g->orders.send_budget_bytes, budget,
			      memory_order_relaxed);
	atomic_store_explicit(&g->orders.recv_budget_bytes, budget,
			      memory_order_relaxed);
}

void group_begin_epoch(struct group *g)
{
	atomic_fetch_add_explicit(&g->orders.epoch, 1, memory_order_relaxed);
}

int group_notify_fd(const struct group *g)
{
	return g->plan.notify_fd;
}

void group_clear_notify(struct group *g)
{
	uint64_t count;

	/* Nothing to read is fine: the counters tell, not the number. */
	if (read(g->plan.notify_fd, &count, sizeof(count)) < 0)
		return;
}

static void group_order(struct group *g, enum order order)
{
	uint64_t one = 1;

	atomic_store_explicit(&g->orders.order, order, memory_order_relaxed);
	/* Can't fail: an eventfd only blocks near 2^64. */
	if (write(g->plan.finish_fd, &one, sizeof(one)) < 0)
		abort();
}

void group_finish(struct group *g)
{
	if (g->is_ready)
		group_order(g, ORDER_FINISH);
}

void group_cut_senders(struct group *g)
{
	size_t i;

	for (i = 0; i < g->streams; i++) {
		struct stream *st = &g->stream[i];

		if (st->is_sender && !stream_is_done(st))
			st->conn.transport->finish(&st->conn);
	}
}

void group_quit(struct group *g)
{
	size_t i;

	if (!g->is_ready)
		return;
	group_order(g, ORDER_QUIT);
	for (i = 0; i < g->streams; i++)
		if (!stream_is_done(&g->stream[i]) && g->stream[i].has_thread)
			g->stream[i].conn.transport->abort(&g->stream[i].conn);
}

static bool group_is_side_done(const struct group *g, bool is_sender)
{
	size_t i;

	for (i = 0; i < g->streams; i++)
		if (g->stream[i].is_sender == is_sender &&
		    !stream_is_done(&g->stream[i]))
			return false;
	return true;
}

bool group_is_sent(const struct group *g)
{
	return group_is_side_done(g, true);
}

bool group_is_received(const struct group *g)
{
	return group_is_side_done(g, false);
}

bool group_has_received_all(const struct group *g)
{
	return atomic_load_explicit(
		       (_Atomic int64_t *)&g->orders.recv_budget_bytes,
		       memory_order_relaxed) <= 0;
}

uint64_t group_bytes_received(const struct group *g)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < g->streams; i++)
		if (!g->stream[i].is_sender)
			bytes += counter_get(&g->stream[i].counters.bytes);
	return bytes;
}

const struct stream *group_lost(const struct group *g)
{
	size_t i;

	for (i = 0; i < g->streams; i++)
		if (stream_is_done(&g->stream[i]) &&
		    g->stream[i].end == STREAM_LOST)
			return &g->stream[i];
	return NULL;
}

void group_done(struct group *g)
{
	size_t i;

	group_quit(g);
	for (i = 0; i < g->streams; i++)
		stream_done(&g->stream[i]);
	free(g->stream);
	if (g->is_ready) {
		close(g->plan.finish_fd);
		close(g->plan.notify_fd);
	}
	memset(g, 0, sizeof(*g));
}
