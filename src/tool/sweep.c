/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/sweep.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "model/event.h"

/* A server needs a moment between two tests; upstream's even closes its
 * listener then. */
#define RETRY_TIMES 20
#define RETRY_PAUSE_MS 100
/* What a test takes beyond its own time, for the time left. */
#define OVERHEAD_S 0.3

/* Stands in front of the owner's sinks and keeps what the table needs. */
struct collector {
	struct sink sink; /* first */
	struct sweep *sweep;
	struct sweep_cell *cell;
	int direction;
	bool was_connected; /* a test of this sweep reached the server */
	bool is_connected; /* this one did */
};

static void name_directions(struct sweep *sw, const char *local,
			    const char *remote)
{
	snprintf(sw->direction[GROUP_FORWARD],
		 sizeof(sw->direction[GROUP_FORWARD]), "%s -> %s", local,
		 remote);
	snprintf(sw->direction[GROUP_REVERSE],
		 sizeof(sw->direction[GROUP_REVERSE]), "%s -> %s", remote,
		 local);
}

static void note_ends(struct collector *c, const struct test *test)
{
	struct sweep *sw = c->sweep;

	sw->protocol = test->protocol;
	name_directions(sw, test->local_name, test->remote_name);
	c->was_connected = true;
	c->is_connected = true;
}

static void note_summary(struct collector *c, const struct event *ev)
{
	const struct span *sum = &ev->summary->sum_received[c->direction];

	c->cell->bits_per_second = sum->bits_per_second;
	c->cell->bytes = sum->bytes;
	c->sweep->local = ev->test->local;
	if (ev->test->remote.is_known)
		c->sweep->remote = ev->test->remote;
}

static void collector_on_event(struct sink *self, const struct event *ev)
{
	struct collector *c = (struct collector *)self;

	if (ev->kind == EVENT_CONNECTED)
		note_ends(c, ev->test);
	else if (ev->kind == EVENT_SUMMARY)
		note_summary(c, ev);
}

/* Refused, reset or told that it is busy by a server that was there before. */
static bool is_server_between_tests(const struct collector *c,
				    const struct err *e)
{
	return c->was_connected && !c->is_connected && e->os_errno != ETIMEDOUT;
}

/* False: a signal asked to end. */
static bool pause_unless_stopped(int stop_fd)
{
	struct pollfd pfd = { .fd = stop_fd, .events = POLLIN };

	return poll(&pfd, 1, RETRY_PAUSE_MS) == 0;
}

static enum session_end run_once(struct collector *c, const struct settings *s,
				 const struct sweep_host *host, struct err *e)
{
	struct session_host session = *host->session;
	enum session_end end;
	cJSON *document;

	c->sink.next = session.sinks;
	session.sinks = &c->sink;
	err_clear(e);
	c->is_connected = false;
	end = client_run(s, &session, e);
	document = host->take_document(host->ctx);
	cJSON_Delete(c->cell->document);
	c->cell->document = document;
	return end;
}

static enum session_end run_cell(struct collector *c, const struct settings *s,
				 const struct sweep_host *host, struct err *e)
{
	enum session_end end = run_once(c, s, host, e);
	int i;

	for (i = 0; i < RETRY_TIMES && end == SESSION_FAILED &&
		    is_server_between_tests(c, e) &&
		    pause_unless_stopped(host->session->stop_fd);
	     i++)
		end = run_once(c, s, host, e);
	c->cell->is_run = true;
	c->cell->is_ok = end == SESSION_OK;
	if (end != SESSION_OK)
		err_format(e, c->cell->error, sizeof(c->cell->error));
	return end;
}

static int prepare(struct sweep *sw, const struct settings *s, struct err *e)
{
	uint64_t sizes[SWEEP_SIZES_MAX];
	const char *text = s->sweep_sizes ? s->sweep_sizes
					  : SWEEP_SIZES_DEFAULT;
	int n = sweep_parse_sizes(text, SETTINGS_BLOCK_MAX_BYTES, sizes,
				  SWEEP_SIZES_MAX, e);
	int i;

	if (n < 0)
		return n;
	memset(sw, 0, sizeof(*sw));
	sw->settings = s;
	sw->protocol = "";
	sw->start_wall_ms = clock_wall_ms();
	sw->rows = (size_t)n;
	name_directions(sw, "client", "server");
	for (i = 0; i < n; i++) {
		sw->row[i].block_bytes = sizes[i];
		sw->row[i].cell[GROUP_FORWARD].is_wanted =
			s->sweep_directions != SWEEP_REVERSE;
		sw->row[i].cell[GROUP_REVERSE].is_wanted =
			s->sweep_directions != SWEEP_FORWARD;
	}
	return 0;
}

static size_t wanted_cells(const struct sweep *sw)
{
	size_t per_row = sw->settings->sweep_directions == SWEEP_BOTH ? 2 : 1;

	return sw->rows * per_row;
}

static void tell_progress(const struct collector *c,
			  const struct sweep_host *host, size_t cell,
			  uint64_t block_bytes)
{
	const struct settings *s = c->sweep->settings;
	struct sweep_progress p = {
		.cell = cell,
		.cells = wanted_cells(c->sweep),
		.block_bytes = block_bytes,
		.direction = c->sweep->direction[c->direction],
	};

	p.left_s =
		(double)(p.cells - cell) * (s->time_s + s->omit_s + OVERHEAD_S);
	host->on_progress(host->ctx, &p);
}

/* All wanted cells, size by size. How many failed; -ECANCELED on a signal, or
 * negative errno where the first test could not begin. */
static int run_cells(struct collector *c, struct settings *s,
		     const struct sweep_host *host, struct err *e)
{
	struct sweep *sw = c->sweep;
	size_t done = 0;
	int failed = 0;
	size_t i;

	for (i = 0; i < sw->rows * SWEEP_DIRECTIONS; i++) {
		struct sweep_row *row = &sw->row[i / SWEEP_DIRECTIONS];
		enum session_end end;

		c->direction = (int)(i % SWEEP_DIRECTIONS);
		c->cell = &row->cell[c->direction];
		if (!c->cell->is_wanted)
			continue;
		tell_progress(c, host, done++, row->block_bytes);
		s->block_bytes = row->block_bytes;
		s->is_reverse = c->direction == GROUP_REVERSE;
		end = run_cell(c, s, host, e);
		if (end == SESSION_INTERRUPTED)
			return -ECANCELED;
		failed += end != SESSION_OK;
		if (failed && !c->was_connected)
			return -EIO;
	}
	return failed;
}

int sweep_run(struct sweep *sw, const struct settings *settings,
	      const struct sweep_host *host, struct err *e)
{
	struct collector c = {
		.sink.on_event = collector_on_event,
		.sweep = sw,
	};
	struct settings s;
	struct err cell = ERR_INIT;
	int rc = prepare(sw, settings, e);

	if (rc)
		return rc;
	if (settings_copy(&s, settings))
		return err_set(e, ERR_NO_MEMORY, ENOMEM, "a sweep");
	rc = run_cells(&c, &s, host, &cell);
	settings_done(&s);
	sw->end_wall_ms = clock_wall_ms();
	sw->is_interrupted = rc == -ECANCELED;
	if (rc == 0)
		return 0;
	if (rc == -EIO) {
		*e = cell;
		return rc;
	}
	return err_set(e, ERR_SWEEP, 0,
		       sw->is_interrupted ? "it was interrupted"
					  : "%d of %zu tests failed",
		       rc, wanted_cells(sw));
}
