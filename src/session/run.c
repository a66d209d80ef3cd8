/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/run.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/units.h"
#include "session/environ.h"
#include "session/params.h"
#include "session/summary.h"

#define WARNING_SIZE 256

void run_emit(struct run *r, struct event *ev)
{
	ev->test = &r->test;
	ev->settings = &r->settings;
	sink_emit(r->host->sinks, ev);
}

void run_warn(struct run *r, const char *fmt, ...)
{
	char text[WARNING_SIZE];
	struct event ev = { .kind = EVENT_WARNING, .text = text };
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	run_emit(r, &ev);
}

static int out_of_memory(struct run *r, const char *what)
{
	return err_set(&r->error, ERR_NO_MEMORY, ENOMEM, "%s", what);
}

int run_init(struct run *r, const struct settings *settings,
	     const struct session_host *host)
{
	memset(r, 0, sizeof(*r));
	r->host = host;
	r->grace_end_ns = CLOCK_NEVER;
	r->test.settings = &r->settings;
	r->test.protocol = "";
	r->test.local_name = settings->role == ROLE_CLIENT ? "client"
							   : "server";
	r->test.remote_name = settings->role == ROLE_CLIENT ? "server"
							    : "client";
	ctl_init(&r->ctl);
	environ_collect(&r->test.local);
	if (settings_copy(&r->settings, settings)) {
		settings_init(&r->settings);
		return out_of_memory(r, "the settings of a test");
	}
	return 0;
}

void run_open(struct run *r)
{
	struct event ev = { .kind = EVENT_OPEN };

	r->is_open = true;
	run_emit(r, &ev);
}

int run_prepare(struct run *r, const struct transport *t)
{
	struct settings *s = &r->settings;

	r->transport = t;
	if (!s->block_bytes)
		s->block_bytes = t->block_default_bytes;
	if (s->limit_bytes || s->limit_blocks)
		s->time_s = 0;
	r->test.protocol = t->label;
	r->test.shape = t->caps & TRANSPORT_DATAGRAMS ? SHAPE_DATAGRAMS
			: t->caps & TRANSPORT_PATH    ? SHAPE_RETRANSMITS
						      : SHAPE_PLAIN;
	r->test.has_socket_buffers = t->caps & TRANSPORT_SOCKET_BUFFERS;
	r->test.has_credit_window = t->caps & TRANSPORT_CREDIT_WINDOW;
	r->test.has_mss = t->caps & TRANSPORT_MSS;
	return group_init(&r->group, s, t, &r->error);
}

void run_connected(struct run *r)
{
	struct event ev = { .kind = EVENT_CONNECTED };
	struct endpoint local;
	struct endpoint remote;
	struct socket_facts facts;
	const struct conn *conn = &r->ctl.conn;

	r->test.is_connected = true;
	r->test.start_wall_ms = clock_wall_ms();
	conn->transport->name_ends(conn, &local, &remote);
	conn->transport->name_roles(conn, &r->test.local_name,
				    &r->test.remote_name);
	snprintf(r->test.local.address, sizeof(r->test.local.address), "%s",
		 local.host);
	if (r->settings.role == ROLE_SERVER) {
		r->test.peer = remote;
	} else {
		conn->transport->inspect(conn, &facts);
		r->test.control_mss_bytes = facts.mss_bytes;
	}
	run_emit(r, &ev);
}

/* Wire ids are 1, 3, 4, 5 ... (PROTOCOL.md 8.3). */
static int stream_id(size_t index)
{
	return index == 0 ? 1 : (int)index + 2;
}

/* Client-to-server streams come first (PROTOCOL.md 5.3). */
static enum result_group stream_group(const struct run *r, size_t index)
{
	if (r->settings.is_bidir)
		return index < (size_t)r->settings.streams ? GROUP_FORWARD
							   : GROUP_REVERSE;
	return r->settings.is_reverse ? GROUP_REVERSE : GROUP_FORWARD;
}

static bool stream_is_sender(const struct run *r, size_t index)
{
	bool is_forward = stream_group(r, index) == GROUP_FORWARD;

	return is_forward == (r->settings.role == ROLE_CLIENT);
}

/* What the test can do without: said once, and measured all the same. */
static void warn_not_granted(struct run *r, const struct socket_facts *facts)
{
	const struct settings *s = &r->settings;

	if (s->congestion && *facts->congestion &&
	    strcmp(s->congestion, facts->congestion))
		run_warn(r,
			 "congestion control %s can't be had here, %s is used; "
			 "sysctl net.ipv4.tcp_available_congestion_control "
			 "lists what can",
			 s->congestion, facts->congestion);
	if (s->fq_rate_bps >= BITS_PER_BYTE &&
	    facts->pacing_bps / BITS_PER_BYTE != s->fq_rate_bps / BITS_PER_BYTE)
		run_warn(r,
			 "--fq-rate %llu was not granted by this kernel, the "
			 "data are not paced by it",
			 (unsigned long long)s->fq_rate_bps);
	if (facts->fallback)
		run_warn(r,
			 "the data go over %s and not over %s, which the other "
			 "end or something between doesn't have",
			 facts->fallback, r->transport->label);
	if (s->flow_label && settings_sends(s) &&
	    s->flow_label != facts->flow_label)
		run_warn(r,
			 "flow label %d is not on what is sent here; a server "
			 "has it with sysctl net.ipv6.flowlabel_consistency=0",
			 s->flow_label);
}

static void note_socket_facts(struct run *r, const struct conn *conn)
{
	struct socket_facts facts;

	conn->transport->inspect(conn, &facts);
	if (r->test.streams == 0) {
		r->test.sndbuf_actual_bytes = facts.sndbuf_bytes;
		r->test.rcvbuf_actual_bytes = facts.rcvbuf_bytes;
		r->test.window_granted_bytes = facts.window_bytes;
		r->test.local.window_bytes = facts.window_bytes;
	}
	memcpy(r->own.congestion, facts.congestion, sizeof(r->own.congestion));
	if (r->test.streams == 0)
		warn_not_granted(r, &facts);
}

int run_add_stream(struct run *r, const struct conn *conn)
{
	size_t index = r->test.streams;
	struct stream_info *info = &r->test.stream[index];
	struct event ev = { .kind = EVENT_STREAM, .stream = info };
	struct conn mine = *conn;
	int rc = mine.transport->prepare(&mine, &r->settings, &r->error);

	if (rc) {
		mine.transport->close(&mine);
		return rc;
	}
	note_socket_facts(r, &mine);
	*info = (struct stream_info){
		.id = stream_id(index),
		.socket = mine.fd,
		.group = stream_group(r, index),
		.is_sender = stream_is_sender(r, index),
	};
	mine.transport->name_ends(&mine, &info->local, &info->remote);
	rc = group_add(&r->group, &mine, info->is_sender, &r->error);
	if (rc)
		return rc;
	r->test.streams++;
	run_emit(r, &ev);
	return 0;
}

int run_begin(struct run *r)
{
	struct event ev = { .kind = EVENT_START };
	uint64_t now_ns;

	if (tally_init(&r->tally, &r->group, &r->test))
		return out_of_memory(r, "the statistics of a test");
	r->test.is_started = true;
	run_emit(r, &ev);
	now_ns = clock_now_ns();
	ticker_start(&r->ticker, r->settings.interval_s, r->settings.omit_s,
		     r->settings.time_s, now_ns);
	tally_start(&r->tally, now_ns);
	cpu_sample(&r->cpu_start);
	r->heard_ns = now_ns;
	r->listen_ns = now_ns;
	if (!r->settings.omit_s && params_limit_bytes(&r->settings))
		group_set_budget(&r->group, params_limit_bytes(&r->settings));
	return 0;
}

int run_go(struct run *r)
{
	return group_start(&r->group, &r->error);
}

static void run_interval(struct run *r, uint64_t now_ns, bool is_omitted)
{
	struct interval iv;
	struct event ev = { .kind = EVENT_INTERVAL, .interval = &iv };

	tally_interval(&r->tally, now_ns, is_omitted, &iv);
	run_emit(r, &ev);
}

/* The omit period ends: what was counted so far doesn't count. */
static void run_end_omit(struct run *r, uint64_t now_ns)
{
	uint64_t limit_bytes = params_limit_bytes(&r->settings);

	if (r->ticker.interval_ns &&
	    !ticker_is_sliver(&r->ticker, now_ns - r->tally.last_ns))
		run_interval(r, now_ns, true);
	tally_start(&r->tally, now_ns);
	cpu_sample(&r->cpu_start);
	group_begin_epoch(&r->group);
	if (limit_bytes)
		group_set_budget(&r->group, limit_bytes);
}

/* How long silence may last before something is done about it. */
static uint64_t patience_ns(const struct run *r)
{
	uint64_t ms = (uint64_t)r->settings.rcv_timeout_ms;

	if (r->drain_ms)
		return (uint64_t)r->drain_ms * NS_PER_MS;
	if (params_limit_bytes(&r->settings) && ms > RUN_SILENCE_MS)
		ms = RUN_SILENCE_MS;
	return ms * NS_PER_MS;
}

/* Looks for progress of the receivers, four times per patience, so that a
 * silence is noticed at most a quarter of it late. */
static void run_listen(struct run *r, uint64_t now_ns)
{
	uint64_t bytes = group_bytes_received(&r->group);

	if (bytes != r->heard_bytes || group_is_received(&r->group)) {
		r->heard_bytes = bytes;
		r->heard_ns = now_ns;
	}
	if (now_ns >= r->listen_ns)
		r->listen_ns = now_ns + patience_ns(r) / 4;
}

static bool is_silent_for(const struct run *r, uint64_t now_ns, int ms)
{
	return !group_is_received(&r->group) &&
	       now_ns - r->heard_ns >= (uint64_t)ms * NS_PER_MS;
}

/* --rcv-timeout: while the test runs, receivers must hear something. */
static int run_check_hearing(struct run *r, uint64_t now_ns)
{
	if (r->stop_ns || !is_silent_for(r, now_ns, r->settings.rcv_timeout_ms))
		return 0;
	return err_set(&r->error, ERR_NO_DATA, 0,
		       "nothing came for %d ms after %llu bytes; see "
		       "--rcv-timeout",
		       r->settings.rcv_timeout_ms,
		       (unsigned long long)r->heard_bytes);
}

/* While receivers drain: silence ends it. They are woken by closing, which
 * loses nothing that anybody still sends. */
static void run_check_drain(struct run *r, uint64_t now_ns)
{
	if (r->drain_ms && is_silent_for(r, now_ns, r->drain_ms) &&
	    group_is_sent(&r->group))
		group_quit(&r->group);
}

/*
 * The first stream that ended before its time: lost, or, at a client that
 * receives for a given time, closed by the server.
 */
static const struct stream *find_deserter(const struct run *r)
{
	const struct stream *lost = group_lost(&r->group);
	bool is_eof_early = r->settings.role == ROLE_CLIENT && !r->stop_ns &&
			    !params_limit_bytes(&r->settings);
	size_t i;

	for (i = 0; i < r->group.streams && !lost && is_eof_early; i++)
		if (!r->group.stream[i].is_sender &&
		    stream_is_done(&r->group.stream[i]))
			lost = &r->group.stream[i];
	return lost;
}

static int run_check_lost(struct run *r, uint64_t now_ns)
{
	const struct stream *lost = find_deserter(r);

	if (!lost)
		return 0;
	if (r->grace_end_ns == CLOCK_NEVER)
		r->grace_end_ns = now_ns + RUN_GRACE_MS * NS_PER_MS;
	if (now_ns < r->grace_end_ns)
		return 0;
	if (lost->end == STREAM_LOST)
		r->error = lost->error;
	else
		err_set(&r->error, ERR_STREAM_CLOSE, 0,
			"the server closed it after %llu bytes, before the "
			"end of the test",
			(unsigned long long)counter_get(&lost->counters.bytes));
	return -EIO;
}

enum run_news run_poll(struct run *r)
{
	uint64_t now_ns = clock_now_ns();
	enum tick tick;

	group_clear_notify(&r->group);
	while (!r->stop_ns &&
	       (tick = ticker_take(&r->ticker, now_ns)) != TICK_NONE) {
		if (tick == TICK_INTERVAL)
			run_interval(r, now_ns, r->ticker.is_omitting);
		else if (tick == TICK_OMIT_END)
			run_end_omit(r, now_ns);
		else
			return RUN_TIME_OVER;
	}
	run_listen(r, now_ns);
	run_check_drain(r, now_ns);
	if (run_check_hearing(r, now_ns) || run_check_lost(r, now_ns))
		return RUN_FAILED;
	return RUN_QUIET;
}

uint64_t run_deadline_ns(const struct run *r)
{
	uint64_t next_ns = r->stop_ns ? CLOCK_NEVER
				      : ticker_next_ns(&r->ticker);
	bool is_listening = !r->stop_ns || r->drain_ms;

	if (is_listening && !group_is_received(&r->group) &&
	    r->listen_ns < next_ns)
		next_ns = r->listen_ns;
	return r->grace_end_ns < next_ns ? r->grace_end_ns : next_ns;
}

bool run_is_exhausted(const struct run *r)
{
	if (r->ticker.is_omitting || !params_limit_bytes(&r->settings) ||
	    group_lost(&r->group) || !group_is_sent(&r->group))
		return false;
	return group_is_received(&r->group) ||
	       group_has_received_all(&r->group) ||
	       is_silent_for(r, clock_now_ns(), RUN_SILENCE_MS);
}

void run_stop(struct run *r)
{
	if (!r->stop_ns)
		r->stop_ns = clock_now_ns();
	group_finish(&r->group);
}

void run_drain(struct run *r, int ms)
{
	if (r->test.shape == SHAPE_DATAGRAMS && ms > RUN_DRAIN_DATAGRAMS_MS)
		ms = RUN_DRAIN_DATAGRAMS_MS;
	r->drain_ms = ms;
	r->heard_ns = clock_now_ns();
	r->listen_ns = r->heard_ns;
}

static void measure_cpu(struct run *r)
{
	struct cpu_usage now;
	uint64_t wall_ns;
	struct cpu_percent *cpu = &r->own.cpu;

	cpu_sample(&now);
	wall_ns = now.wall_ns - r->cpu_start.wall_ns;
	cpu->user = cpu_percent_of(now.user_ns - r->cpu_start.user_ns, wall_ns);
	cpu->system =
		cpu_percent_of(now.system_ns - r->cpu_start.system_ns, wall_ns);
	cpu->total = cpu->user + cpu->system;
}

void run_finish(struct run *r)
{
	uint64_t end_ns;
	size_t i;

	if (r->has_results || !r->test.is_started)
		return;
	r->has_results = true;
	if (!r->stop_ns)
		r->stop_ns = clock_now_ns();
	measure_cpu(r);
	end_ns = tally_end_ns(&r->tally, r->stop_ns);
	if (tally_has_news(&r->tally) ||
	    (end_ns > r->tally.last_ns &&
	     !ticker_is_sliver(&r->ticker, end_ns - r->tally.last_ns)))
		run_interval(r, end_ns, r->ticker.is_omitting);
	for (i = 0; i < r->test.streams; i++)
		tally_half(&r->tally, i, r->stop_ns, &r->own.stream[i]);
	r->own.environment = r->test.local;
}

int run_send_results(struct run *r)
{
	cJSON *json = exchange_build(&r->test, &r->own);
	int rc;

	if (!json)
		return err_set(&r->error, ERR_PACKAGE_RESULTS, ENOMEM, NULL);
	rc = ctl_send_json(&r->ctl, json);
	cJSON_Delete(json);
	return rc ? err_set(&r->error, ERR_SEND_RESULTS, -rc, NULL) : 0;
}

int run_take_results(struct run *r)
{
	cJSON *json = NULL;
	int rc = ctl_take_json(&r->ctl, CTL_RESULTS_MAX_BYTES, &json);

	if (rc == 0)
		return 0;
	if (rc < 0)
		return err_set(&r->error, ERR_RECV_RESULTS, 0,
			       "they are not JSON or too long");
	rc = exchange_parse(&r->test, json, &r->peer, &r->error);
	cJSON_Delete(json);
	r->test.remote = r->peer.environment;
	return rc ? rc : 1;
}

void run_summarize(struct run *r)
{
	struct stream_summary streams[TEST_STREAMS_MAX];
	struct summary sum;
	struct event ev = { .kind = EVENT_SUMMARY, .summary = &sum };

	if (!r->has_results)
		return;
	summary_build(&r->test, &r->own, &r->peer, streams, &sum);
	run_emit(r, &ev);
}

static void run_close(struct run *r)
{
	struct event ev = { .kind = EVENT_ERROR, .error = &r->error };

	if (err_is_set(&r->error))
		run_emit(r, &ev);
	ev.kind = EVENT_CLOSE;
	ev.error = err_is_set(&r->error) ? &r->error : NULL;
	run_emit(r, &ev);
}

void run_done(struct run *r)
{
	if (r->is_open)
		run_close(r);
	r->is_open = false;
	group_done(&r->group);
	tally_done(&r->tally);
	ctl_done(&r->ctl);
	half_test_done(&r->own);
	half_test_done(&r->peer);
	settings_done(&r->settings);
}
