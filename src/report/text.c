/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "report/columns.h"
#include "report/facts.h"
#include "report/line.h"
#include "report/text_rows.h"

#define PROGRAM "iperf3: "

struct text_sink {
	struct sink sink;
	struct line_writer writer;
	bool has_interval; /* the header of the intervals is out */
};

static void versions(const struct line_writer *w, const struct settings *s)
{
	char text[FACTS_SYSTEM_SIZE];

	if (!s->is_verbose)
		return;
	line_print(w, s, "%s", VERSION_TEXT);
	line_print(w, s, "%s", facts_system(text, sizeof(text)));
}

static void listening(const struct line_writer *w, const struct event *ev)
{
	const struct settings *s = ev->settings;

	versions(w, s);
	line_print(w, s, "%s", COLUMNS_DASHES);
	line_print(w, s, "Server listening on %" PRIu32 " (test #%d)", s->port,
		   ev->number);
	line_print(w, s, "%s", COLUMNS_DASHES);
	fflush(w->out);
}

static void peer_line(const struct line_writer *w, const struct event *ev)
{
	const struct endpoint *peer = &ev->test->peer;
	const struct settings *s = ev->settings;

	if (s->role != ROLE_CLIENT) {
		line_print(w, s, "Accepted connection from %s, port %" PRIu32,
			   peer->host, peer->port);
		return;
	}
	line_print(w, s, "Connecting to host %s, port %" PRIu32, peer->host,
		   peer->port);
	if (settings_direction(s) == DIRECTION_REVERSE)
		line_print(w, s, "Reverse mode, remote host %s is sending",
			   peer->host);
}

static void mss_line(const struct line_writer *w, const struct event *ev)
{
	const struct settings *s = ev->settings;

	if (s->mss_bytes > 0)
		line_print(w, s, "      TCP MSS: %d", s->mss_bytes);
	else
		line_print(w, s, "      TCP MSS: %d (default)",
			   s->role == ROLE_CLIENT ? ev->test->control_mss_bytes
						  : 0);
}

static void connected(const struct line_writer *w, const struct event *ev)
{
	const struct test *test = ev->test;
	const struct settings *s = ev->settings;
	char time[FACTS_GMT_SIZE];

	if (!s->is_verbose) {
		peer_line(w, ev);
		return;
	}
	if (s->role == ROLE_CLIENT && test->control_mss_bytes > 0)
		line_print(w, s, "Control connection MSS %d",
			   test->control_mss_bytes);
	line_print(w, s, "Time: %s",
		   facts_gmt(test->start_wall_ms, time, sizeof(time)));
	peer_line(w, ev);
	line_print(w, s, "      Cookie: %s", test->cookie);
	if (test->has_mss)
		mss_line(w, ev);
	if (s->rate_bps)
		line_print(w, s, "      Target Bitrate: %" PRIu64, s->rate_bps);
}

static void stream_line(const struct line_writer *w, const struct event *ev)
{
	const struct stream_info *st = ev->stream;

	line_print(w, ev->settings,
		   "[%3d] local %s port %" PRIu32
		   " connected to %s port %" PRIu32,
		   st->socket, st->local.host, st->local.port, st->remote.host,
		   st->remote.port);
}

static const char *end_condition(const struct settings *s, char *buf,
				 size_t size)
{
	if (s->limit_bytes)
		snprintf(buf, size, "%" PRIu64 " bytes to send",
			 s->limit_bytes);
	else if (s->limit_blocks)
		snprintf(buf, size, "%" PRIu64 " blocks to send",
			 s->limit_blocks);
	else
		snprintf(buf, size, "%d second test", s->time_s);
	return buf;
}

static void starting(const struct line_writer *w, const struct event *ev)
{
	const struct settings *s = ev->settings;
	char end[64];

	if (!s->is_verbose)
		return;
	if (ev->test->has_credit_window)
		line_print(w, s, "      Credit window: %" PRIu64 " bytes",
			   ev->test->window_granted_bytes);
	line_print(w, s,
		   "Starting Test: protocol: %s, %d streams, %" PRIu64
		   " byte blocks, omitting %d seconds, %s, tos %d",
		   ev->test->protocol, s->streams, s->block_bytes, s->omit_s,
		   end_condition(s, end, sizeof(end)), s->tos);
}

/* The two kernels are what a result over virtio depends on most. */
static void kernels(const struct line_writer *w, const struct event *ev)
{
	const struct environment *local = &ev->test->local;
	const struct environment *remote = &ev->test->remote;

	if (!ev->settings->is_verbose || !ev->test->has_credit_window ||
	    !local->is_known)
		return;
	line_print(w, ev->settings, "Kernel: local %s, remote %s",
		   local->kernel,
		   remote->is_known ? remote->kernel : "not known");
}

static void server_output(const struct line_writer *w, const struct event *ev)
{
	size_t len = strlen(ev->text);

	line_print(w, ev->settings, "%s", "");
	fprintf(w->out, "%s:\n%s",
		ev->is_json ? "Server JSON output" : "Server output", ev->text);
	if (len && ev->text[len - 1] != '\n')
		fputc('\n', w->out);
	fputc('\n', w->out);
}

static void failed(const struct line_writer *w, const struct event *ev)
{
	const struct settings *s = ev->settings;
	char text[FACTS_ERROR_SIZE];
	bool is_ended;

	if (ev->error->is_from_peer)
		line_error(w, s, PROGRAM "%s",
			   facts_peer_error(ev->error, text, sizeof(text)));
	/* Somebody ended the test on purpose: nothing went wrong. */
	is_ended =
		ev->error->code == ERR_INTERRUPT ||
		(s->role == ROLE_SERVER && ev->error->code == ERR_CLIENT_TERM);
	line_error(w, s, PROGRAM "%s%s", is_ended ? "" : "error - ",
		   err_format(ev->error, text, sizeof(text)));
}

static void closed(const struct line_writer *w, const struct event *ev)
{
	if (ev->settings->role == ROLE_CLIENT && !ev->error) {
		line_print(w, ev->settings, "%s", "");
		line_print(w, ev->settings, "iperf Done.");
	}
	fflush(w->out);
}

static void interval(struct text_sink *self, const struct event *ev)
{
	text_rows_interval(&self->writer, ev, !self->has_interval);
	self->has_interval = true;
	line_flush(&self->writer, ev->settings);
}

static void on_event(struct sink *sink, const struct event *ev)
{
	struct text_sink *self = (struct text_sink *)sink;
	const struct line_writer *w = &self->writer;

	switch (ev->kind) {
	case EVENT_LISTEN:
		listening(w, ev);
		break;
	case EVENT_OPEN:
		self->has_interval = false;
		if (ev->settings->role == ROLE_CLIENT)
			versions(w, ev->settings);
		break;
	case EVENT_CONNECTED:
		connected(w, ev);
		break;
	case EVENT_STREAM:
		stream_line(w, ev);
		break;
	case EVENT_START:
		starting(w, ev);
		line_flush(w, ev->settings);
		break;
	case EVENT_INTERVAL:
		interval(self, ev);
		break;
	case EVENT_SUMMARY:
		text_rows_summary(w, ev);
		kernels(w, ev);
		break;
	case EVENT_SERVER_OUTPUT:
		server_output(w, ev);
		break;
	case EVENT_WARNING:
		line_error(w, ev->settings, "warning: %s", ev->text);
		break;
	case EVENT_ERROR:
		failed(w, ev);
		break;
	case EVENT_CLOSE:
		closed(w, ev);
		break;
	}
}

struct sink *text_sink_new(FILE *out, FILE *err)
{
	struct text_sink *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->sink.on_event = on_event;
	self->writer.out = out;
	self->writer.err = err;
	return &self->sink;
}

void text_sink_free(struct sink *sink)
{
	free((struct text_sink *)sink);
}
