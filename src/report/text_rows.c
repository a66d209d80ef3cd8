/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/text_rows.h"

#include "report/columns.h"

static bool is_bidir(const struct event *ev)
{
	return settings_direction(ev->settings) == DIRECTION_BOTH;
}

/* Whether this end sends in @group. */
static bool sends_in(const struct event *ev, size_t group)
{
	bool is_forward = group == GROUP_FORWARD;

	return (ev->settings->role == ROLE_CLIENT) == is_forward;
}

static const char *role_tag(const struct event *ev, size_t group)
{
	static const char *const tags[2][2] = {
		{ "[RX-S]", "[TX-S]" },
		{ "[RX-C]", "[TX-C]" },
	};

	if (!is_bidir(ev))
		return "";
	return tags[ev->settings->role == ROLE_CLIENT][sends_in(ev, group)];
}

static struct columns_row make_row(const struct event *ev, size_t group,
				   int socket, const struct span *span)
{
	return (struct columns_row){
		.socket = socket,
		.role = role_tag(ev, group),
		.unit = ev->settings->unit,
		.shape = ev->test->shape,
		.span = span,
	};
}

static void print_header(const struct line_writer *w, const struct event *ev,
			 enum columns_header kind)
{
	char line[COLUMNS_LINE_SIZE];

	line_print(w, ev->settings, "%s",
		   columns_header(kind, is_bidir(ev), line, sizeof(line)));
}

static enum columns_header interval_header(const struct event *ev)
{
	const struct interval *iv = ev->interval;
	size_t i;

	if (ev->test->shape == SHAPE_DATAGRAMS)
		return settings_receives(ev->settings) ? HEADER_LOSS
						       : HEADER_DATAGRAMS;
	if (ev->test->shape == SHAPE_RETRANSMITS)
		for (i = 0; i < iv->streams; i++)
			if (iv->stream[i].is_sender &&
			    iv->stream[i].retransmits >= 0)
				return HEADER_RETRANSMITS_CWND;
	return HEADER_PLAIN;
}

static void interval_group(const struct line_writer *w, const struct event *ev,
			   size_t group)
{
	const struct interval *iv = ev->interval;
	char line[COLUMNS_LINE_SIZE];
	struct columns_row row;
	size_t i;

	for (i = 0; i < iv->streams; i++) {
		const struct stream_info *st = &ev->test->stream[i];

		if (st->group != group)
			continue;
		row = make_row(ev, group, st->socket, &iv->stream[i]);
		line_print(w, ev->settings, "%s",
			   columns_interval(&row, line, sizeof(line)));
	}
	if (iv->has_sum[group] && ev->settings->streams > 1) {
		row = make_row(ev, group, COLUMNS_SUM, &iv->sum[group]);
		line_print(w, ev->settings, "%s",
			   columns_interval(&row, line, sizeof(line)));
	}
}

void text_rows_interval(const struct line_writer *w, const struct event *ev,
			bool is_first)
{
	size_t g;

	if (is_first)
		print_header(w, ev, interval_header(ev));
	else if (ev->settings->streams > 1)
		line_print(w, ev->settings, "%s", COLUMNS_SEPARATOR);
	for (g = 0; g < RESULT_GROUPS; g++)
		interval_group(w, ev, g);
}

static enum columns_header summary_header(const struct event *ev)
{
	const struct summary *sum = ev->summary;
	bool is_client = ev->settings->role == ROLE_CLIENT;
	size_t i;

	if (ev->test->shape == SHAPE_DATAGRAMS)
		return HEADER_LOSS;
	if (ev->test->shape == SHAPE_RETRANSMITS)
		for (i = 0; i < sum->streams; i++)
			if ((is_client || ev->test->stream[i].is_sender) &&
			    sum->stream[i].sent.retransmits >= 0)
				return HEADER_RETRANSMITS;
	return HEADER_PLAIN;
}

static void sender_row(const struct line_writer *w, const struct event *ev,
		       const struct columns_row *row)
{
	char line[COLUMNS_LINE_SIZE];

	line_print(w, ev->settings, "%s",
		   columns_sender(row, line, sizeof(line)));
}

static void receiver_row(const struct line_writer *w, const struct event *ev,
			 const struct columns_row *row)
{
	char line[COLUMNS_LINE_SIZE];

	if (row->shape == SHAPE_DATAGRAMS && row->socket != COLUMNS_SUM &&
	    row->span->datagrams.out_of_order > 0)
		line_print(w, ev->settings, "%s",
			   columns_reordered(row, line, sizeof(line)));
	line_print(w, ev->settings, "%s",
		   columns_receiver(row, line, sizeof(line)));
}

static void missing_row(const struct line_writer *w, const struct event *ev,
			const struct columns_row *row, const char *half)
{
	char line[COLUMNS_LINE_SIZE];

	if (ev->settings->is_verbose)
		line_print(w, ev->settings, "%s",
			   columns_missing(row, half, line, sizeof(line)));
}

/* Both halves at a client; at a server the one that it measured. */
static void summary_rows(const struct line_writer *w, const struct event *ev,
			 const struct columns_row *sent,
			 const struct columns_row *received, bool is_sender)
{
	bool is_client = ev->settings->role == ROLE_CLIENT;

	if (is_client || is_sender)
		sender_row(w, ev, sent);
	else
		missing_row(w, ev, sent, "sender");
	if (is_client || !is_sender)
		receiver_row(w, ev, received);
	else
		missing_row(w, ev, received, "receiver");
}

static void summary_group(const struct line_writer *w, const struct event *ev,
			  size_t group)
{
	const struct summary *sum = ev->summary;
	bool is_sender = sends_in(ev, group);
	bool is_loss_unknown = false;
	struct columns_row sent, received;
	size_t i;

	for (i = 0; i < sum->streams; i++) {
		const struct stream_info *st = &ev->test->stream[i];
		const struct stream_summary *one = &sum->stream[i];

		if (st->group != group)
			continue;
		sent = make_row(ev, group, st->socket, &one->sent);
		received = make_row(ev, group, st->socket, &one->received);
		received.is_loss_unknown = one->is_loss_unknown;
		is_loss_unknown |= one->is_loss_unknown;
		summary_rows(w, ev, &sent, &received, is_sender);
	}
	if (!sum->has_sum[group] || ev->settings->streams < 2)
		return;
	sent = make_row(ev, group, COLUMNS_SUM, &sum->sum_sent[group]);
	received = make_row(ev, group, COLUMNS_SUM, &sum->sum_received[group]);
	received.is_loss_unknown = is_loss_unknown;
	summary_rows(w, ev, &sent, &received, is_sender);
}

static void cpu_line(const struct line_writer *w, const struct event *ev,
		     const char *local_role, const char *remote_role)
{
	static const struct cpu_percent unknown;
	const struct cpu_percent *local = &ev->summary->cpu_local;
	const struct cpu_percent *remote = ev->summary->is_cpu_remote_known
						   ? &ev->summary->cpu_remote
						   : &unknown;

	line_print(w, ev->settings,
		   "CPU Utilization: local/%s %.1f%% (%.1f%%u/%.1f%%s), "
		   "remote/%s %.1f%% (%.1f%%u/%.1f%%s)",
		   local_role, local->total, local->user, local->system,
		   remote_role, remote->total, remote->user, remote->system);
}

static void verbose_group(const struct line_writer *w, const struct event *ev,
			  size_t group)
{
	const struct summary *sum = ev->summary;
	bool is_client = ev->settings->role == ROLE_CLIENT;
	bool is_sender = sends_in(ev, group);

	if (is_sender)
		cpu_line(w, ev, "sender", "receiver");
	if (is_sender && is_bidir(ev))
		cpu_line(w, ev, "receiver", "sender");
	if (*sum->congestion_sent && (is_client || is_sender))
		line_print(w, ev->settings, "snd_tcp_congestion %s",
			   sum->congestion_sent);
	if (*sum->congestion_received && (is_client || !is_sender))
		line_print(w, ev->settings, "rcv_tcp_congestion %s",
			   sum->congestion_received);
}

void text_rows_summary(const struct line_writer *w, const struct event *ev)
{
	size_t g;

	line_print(w, ev->settings, "%s", COLUMNS_SEPARATOR);
	if (ev->settings->is_verbose)
		line_print(w, ev->settings, "Test Complete. Summary Results:");
	print_header(w, ev, summary_header(ev));
	for (g = 0; g < RESULT_GROUPS; g++) {
		summary_group(w, ev, g);
		if (ev->summary->has_sum[g] && ev->settings->is_verbose)
			verbose_group(w, ev, g);
	}
}
