/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server's life: one test at a time, everybody else in the lobby. Between
 * a client's TEST_END and the answer, receivers drain to the end of their
 * streams, so that what the client sent is what is counted.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "session/lobby.h"
#include "session/params.h"
#include "session/run.h"
#include "session/session.h"
#include "transport/registry.h"

enum phase {
	PHASE_IDLE, /* no test */
	PHASE_STREAMS, /* collects the client's connections */
	PHASE_RUNNING, /* data flows until TEST_END */
	PHASE_FINISHING, /* senders finish, receivers drain */
	PHASE_RESULTS, /* wait for the client's results */
	PHASE_DONE, /* wait for IPERF_DONE */
	PHASES
};

#define STREAMS_MS 30000
#define RESULTS_MS 30000
/* A test with a time limit is ended this long after it should have ended. */
#define OVERTIME_MS 40000
/* After a failed accept(). */
#define ACCEPT_PAUSE_MS 100

static const struct {
	const char *name; /* completes "while waiting for ..." */
	int64_t limit_ms; /* 0: none */
} phases[] = {
	[PHASE_IDLE] = { "a client", 0 },
	[PHASE_STREAMS] = { "the client's data streams", STREAMS_MS },
	[PHASE_RUNNING] = { "the end of the test", 0 },
	[PHASE_FINISHING] = { "the last data", RUN_FINISH_MS },
	[PHASE_RESULTS] = { "the client's results", RESULTS_MS },
	[PHASE_DONE] = { "the client to close", RESULTS_MS },
};

_Static_assert(sizeof(phases) / sizeof(phases[0]) == PHASES,
	       "each phase has a name and a limit");

/* A data stream that came before all of them are here. */
struct arrived {
	struct conn conn; /* owned */
	uint64_t arrival;
};

struct server {
	struct settings settings; /* of the command line */
	const struct transport *transport; /* of the listener */
	int listener; /* owned */
	const struct session_host *host;
	struct lobby lobby;
	int tests;

	struct run *run; /* owned; NULL: idle */
	enum phase phase;
	uint64_t phase_end_ns;
	uint64_t idle_end_ns;
	uint64_t deaf_until_ns; /* the listener is not watched before */
	bool is_peer_orderly;
	bool is_cut; /* senders were cut off in mid-block */
	struct arrived arrived[TEST_STREAMS_MAX];
	size_t arrivals;

	bool is_interrupted;
	bool is_over; /* one-off: nothing more to do */
};

static void enter(struct server *srv, enum phase phase)
{
	srv->phase = phase;
	srv->phase_end_ns = clock_deadline_ms(phases[phase].limit_ms);
}

static void begin_idle(struct server *srv)
{
	struct event ev = {
		.kind = EVENT_LISTEN,
		.settings = &srv->settings,
		.number = srv->tests + 1,
	};

	enter(srv, PHASE_IDLE);
	srv->idle_end_ns =
		clock_deadline_ms((int64_t)srv->settings.idle_timeout_s * 1000);
	sink_emit(srv->host->sinks, &ev);
}

static void drop_arrived(struct server *srv)
{
	while (srv->arrivals > 0) {
		struct conn *c = &srv->arrived[--srv->arrivals].conn;

		c->transport->close(c);
	}
}

/* The test is over, well or not: everything of it is freed, and the control
 * connection leaves through the lobby. */
static void end_test(struct server *srv)
{
	struct run *r = srv->run;

	if (!r)
		return;
	group_quit(&r->group);
	drop_arrived(srv);
	lobby_see_off(&srv->lobby, &r->ctl);
	if (srv->settings.affinity >= 0 || r->settings.server_affinity >= 0)
		cpu_bind(srv->settings.affinity);
	run_done(r);
	free(r);
	srv->run = NULL;
	/* At once: the next client may be waiting in this very turn. */
	lobby_set_mode(&srv->lobby,
		       srv->settings.is_one_off ? LOBBY_CLOSED : LOBBY_OPEN,
		       NULL);
	if (srv->settings.is_one_off)
		srv->is_over = true;
}

/* Tells the client why, as far as the protocol has a word for it. */
static void fail_test(struct server *srv)
{
	struct run *r = srv->run;
	int number = err_wire_number(r->error.code);

	group_quit(&r->group);
	if (r->error.code == ERR_CLIENT_TERM) {
		run_finish(r);
		run_summarize(r);
	}
	if (r->error.code != ERR_CTL_CLOSE)
		ctl_send_error(&r->ctl, number, 0);
	end_test(srv);
}

static int bind_cpu(struct run *r)
{
	int cpu = r->settings.server_affinity;
	int rc = cpu >= 0 ? cpu_bind(cpu) : 0;

	return rc ? err_set(&r->error, ERR_AFFINITY, -rc,
			    "the client asked for CPU %d", cpu)
		  : 0;
}

static int accept_test(struct server *srv, const cJSON *params)
{
	struct run *r = srv->run;
	struct params asked;
	int rc = params_apply(&r->settings, params, srv->transport, &asked,
			      &r->error);

	run_open(r);
	if (!rc)
		rc = asked.transport->check(&r->settings, &r->error);
	if (!rc)
		rc = run_prepare(r, asked.transport);
	if (!rc)
		rc = bind_cpu(r);
	if (rc)
		return rc;
	srv->is_peer_orderly = asked.is_peer_orderly;
	srv->is_cut = false;
	run_connected(r);
	lobby_set_mode(&srv->lobby, LOBBY_STREAMS, r->test.cookie);
	enter(srv, PHASE_STREAMS);
	rc = ctl_send_state(&r->ctl, STATE_CREATE_STREAMS);
	return rc ? err_set(&r->error, ERR_SEND_MESSAGE, -rc, NULL) : 0;
}

/* From the lobby: one of the client's data streams. */
static void on_stream(void *ctx, const struct conn *conn, uint64_t arrival)
{
	struct server *srv = ctx;

	srv->arrived[srv->arrivals++] = (struct arrived){ *conn, arrival };
	if (srv->arrivals ==
	    (size_t)settings_total_streams(&srv->run->settings))
		lobby_set_mode(&srv->lobby, LOBBY_CLOSED, NULL);
}

static int by_arrival(const void *a, const void *b)
{
	const struct arrived *x = a;
	const struct arrived *y = b;

	return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

/* Streams are numbered in the order of accept, which is the order in which
 * the client opened them, whenever their cookies came. */
static int start_test(struct server *srv)
{
	struct run *r = srv->run;
	size_t total = srv->arrivals;
	size_t i;
	int rc = 0;

	qsort(srv->arrived, total, sizeof(srv->arrived[0]), by_arrival);
	srv->arrivals = 0;
	for (i = 0; i < total; i++) {
		struct conn *conn = &srv->arrived[i].conn;

		if (rc)
			conn->transport->close(conn);
		else
			rc = run_add_stream(r, conn);
	}
	if (!rc)
		rc = run_begin(r);
	if (rc)
		return rc;
	rc = ctl_send_state(&r->ctl, STATE_TEST_START);
	if (!rc)
		rc = ctl_send_state(&r->ctl, STATE_TEST_RUNNING);
	if (rc)
		return err_set(&r->error, ERR_SEND_MESSAGE, -rc, NULL);
	enter(srv, PHASE_RUNNING);
	if (r->settings.time_s)
		srv->phase_end_ns = clock_deadline_ms(
			1000ll * (r->settings.time_s + r->settings.omit_s) +
			OVERTIME_MS);
	return run_go(r);
}

static int on_test_end(struct server *srv)
{
	bool is_ours = srv->is_peer_orderly;

	run_stop(srv->run);
	run_drain(srv->run, is_ours ? RUN_DRAIN_MS : RUN_DRAIN_FOREIGN_MS);
	enter(srv, PHASE_FINISHING);
	if (!group_is_sent(&srv->run->group))
		srv->phase_end_ns = clock_deadline_ms(
			is_ours ? RUN_STOP_MS : RUN_STOP_FOREIGN_MS);
	return 0;
}

static int finish_test(struct server *srv)
{
	struct run *r = srv->run;
	int rc;

	run_finish(r);
	run_summarize(r);
	if (r->settings.wants_server_output && srv->host->server_output)
		r->own.output = srv->host->server_output(
			srv->host->ctx, &r->own.is_output_json);
	enter(srv, PHASE_RESULTS);
	rc = ctl_send_state(&r->ctl, STATE_EXCHANGE_RESULTS);
	return rc ? err_set(&r->error, ERR_SEND_MESSAGE, -rc, NULL) : 0;
}

/* The client's results are answered with ours. */
static int take_results(struct server *srv)
{
	struct run *r = srv->run;
	int rc = run_take_results(r);

	if (rc <= 0)
		return rc;
	rc = run_send_results(r);
	if (rc)
		return rc;
	enter(srv, PHASE_DONE);
	rc = ctl_send_state(&r->ctl, STATE_DISPLAY_RESULTS);
	return rc ? err_set(&r->error, ERR_SEND_MESSAGE, -rc, NULL) : 1;
}

static int on_iperf_done(struct server *srv)
{
	struct run *r = srv->run;

	/* Before the end it says that the client has given up. */
	if (srv->phase != PHASE_DONE)
		return err_set(&r->error, ERR_CTL_CLOSE, 0,
			       "the client gave up while waiting for %s",
			       phases[srv->phase].name);
	end_test(srv);
	return 0;
}

/* Upstream's servers ignore this one, so some client may send it. */
static int on_test_start(struct server *srv)
{
	(void)srv;
	return 0;
}

static int on_client_terminate(struct server *srv)
{
	return err_set(&srv->run->error, ERR_CLIENT_TERM, 0, NULL);
}

/* What each state byte means, and in which phase it is legal. */
static const struct {
	int state;
	enum phase phase; /* PHASES: any */
	int (*handle)(struct server *srv);
} steps[] = {
	{ STATE_TEST_START, PHASES, on_test_start },
	{ STATE_TEST_END, PHASE_RUNNING, on_test_end },
	{ STATE_IPERF_DONE, PHASES, on_iperf_done },
	{ STATE_CLIENT_TERMINATE, PHASES, on_client_terminate },
};

static int handle_state(struct server *srv, int state)
{
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i].state == state &&
		    (steps[i].phase == srv->phase || steps[i].phase == PHASES))
			return steps[i].handle(srv);
	return err_set(&srv->run->error, ERR_MESSAGE, 0,
		       "state %d came while waiting for %s", state,
		       phases[srv->phase].name);
}

/* 1: an item was handled, 0: more bytes are needed, negative: failed. */
static int take_item(struct server *srv)
{
	int state = 0;
	int rc;

	if (srv->phase == PHASE_RESULTS)
		return take_results(srv);
	if (!ctl_take_state(&srv->run->ctl, &state))
		return 0;
	rc = handle_state(srv, state);
	return rc ? rc : 1;
}

static int read_control(struct server *srv)
{
	struct run *r = srv->run;
	int got = ctl_fill(&r->ctl, CTL_FILL_ALL);
	int rc;

	/* Also when nothing came: bytes behind the parameters are kept. */
	do
		rc = take_item(srv);
	while (rc > 0 && srv->run);
	if (rc < 0 || !srv->run || got > 0 || got == -EAGAIN)
		return rc < 0 ? rc : 0;
	/* The last byte matters to nobody: everything has been exchanged. */
	if (srv->phase == PHASE_DONE) {
		end_test(srv);
		return 0;
	}
	return err_set(&r->error, ERR_CTL_CLOSE, 0,
		       "the client has unexpectedly closed the connection");
}

/* Whether the streams of this phase are to be watched. */
static bool is_moving(const struct server *srv)
{
	return srv->run &&
	       (srv->phase == PHASE_RUNNING || srv->phase == PHASE_FINISHING);
}

static int watch_streams(struct server *srv)
{
	struct run *r = srv->run;

	if (srv->phase == PHASE_STREAMS &&
	    srv->arrivals == (size_t)settings_total_streams(&r->settings))
		return start_test(srv);
	if (!is_moving(srv))
		return 0;
	/* The client says when time is over; nothing to do for it here. */
	if (run_poll(r) == RUN_FAILED)
		return -EIO;
	if (srv->phase == PHASE_FINISHING && group_is_sent(&r->group) &&
	    group_is_received(&r->group))
		return finish_test(srv);
	return 0;
}

static int check_phase_end(struct server *srv)
{
	struct run *r = srv->run;

	if (clock_now_ns() < srv->phase_end_ns)
		return 0;
	if (srv->phase == PHASE_FINISHING && !srv->is_cut) {
		srv->is_cut = true;
		group_cut_senders(&r->group);
		enter(srv, PHASE_FINISHING);
		return 0;
	}
	if (srv->phase == PHASE_FINISHING) {
		/* Still moving after so long: counted as it stands. */
		group_quit(&r->group);
		enter(srv, PHASE_FINISHING);
		return 0;
	}
	if (srv->phase == PHASE_RUNNING)
		return err_set(&r->error, ERR_SERVER_DURATION, 0,
			       "%d s of test and %d s of patience",
			       r->settings.time_s + r->settings.omit_s,
			       OVERTIME_MS / 1000);
	return err_set(&r->error, ERR_CTL_READ, ETIMEDOUT,
		       "nothing for %lld s while waiting for %s",
		       (long long)phases[srv->phase].limit_ms / 1000,
		       phases[srv->phase].name);
}

static void serve_test(struct server *srv, bool is_readable)
{
	int rc = is_readable ? read_control(srv) : 0;

	if (!rc && srv->run)
		rc = watch_streams(srv);
	if (!rc && srv->run)
		rc = check_phase_end(srv);
	if (rc && srv->run)
		fail_test(srv);
}

/* From the lobby: a client with its parameters. */
static void on_client(void *ctx, struct ctl *ctl, const char *cookie,
		      cJSON *params)
{
	struct server *srv = ctx;
	struct run *r = calloc(1, sizeof(*r));
	int rc;

	if (!r) {
		ctl_send_error(ctl, ERR_NEW_TEST, ENOMEM);
		lobby_see_off(&srv->lobby, ctl);
		cJSON_Delete(params);
		return;
	}
	srv->run = r;
	enter(srv, PHASE_STREAMS);
	lobby_set_mode(&srv->lobby, LOBBY_CLOSED, NULL);
	rc = run_init(r, &srv->settings, srv->host);
	memcpy(r->test.cookie, cookie, COOKIE_SIZE);
	r->test.number = ++srv->tests;
	ctl_done(&r->ctl);
	r->ctl = *ctl;
	ctl_init(ctl);
	if (!rc)
		rc = accept_test(srv, params);
	cJSON_Delete(params);
	if (rc)
		fail_test(srv);
	else
		/* It may have said more already, even goodbye. */
		serve_test(srv, true);
}

static bool is_deaf(const struct server *srv)
{
	return clock_now_ns() < srv->deaf_until_ns;
}

static uint64_t earliest_ns(const struct server *srv)
{
	uint64_t until_ns = lobby_deadline_ns(&srv->lobby);
	uint64_t phase_ns = srv->run ? srv->phase_end_ns : srv->idle_end_ns;

	if (phase_ns < until_ns)
		until_ns = phase_ns;
	if (is_deaf(srv) && srv->deaf_until_ns < until_ns)
		until_ns = srv->deaf_until_ns;
	if (is_moving(srv) && run_deadline_ns(srv->run) < until_ns)
		until_ns = run_deadline_ns(srv->run);
	return until_ns;
}

enum {
	POLL_STOP,
	POLL_LISTENER,
	POLL_CONTROL,
	POLL_STREAMS,
	POLL_LOBBY,
	POLL_MAX = POLL_LOBBY + LOBBY_MAX
};

/*
 * accept(2) lists many errors that say something about a connection, a network
 * or a shortage. Only those that say that the descriptor is no listener end
 * the server; for the others it looks away for a moment, because the listener
 * stays readable.
 */
static int survive_accept(struct server *srv, int rc, struct err *e)
{
	if (rc == -EBADF || rc == -EINVAL || rc == -ENOTSOCK ||
	    rc == -EOPNOTSUPP)
		return err_set(e, ERR_ACCEPT, -rc, NULL);
	srv->deaf_until_ns = clock_deadline_ms(ACCEPT_PAUSE_MS);
	return 0;
}

/* One turn of the server's loop. 0 or negative errno of the listener. */
static int serve_turn(struct server *srv, struct err *e)
{
	struct run *r = srv->run;
	struct pollfd pfd[POLL_MAX] = {
		[POLL_STOP] = { srv->host->stop_fd, POLLIN, 0 },
		[POLL_LISTENER] = { is_deaf(srv) ? -1 : srv->listener, POLLIN,
				    0 },
		[POLL_CONTROL] = { r ? r->ctl.conn.fd : -1, POLLIN, 0 },
		[POLL_STREAMS] = { r ? group_notify_fd(&r->group) : -1, POLLIN,
				   0 },
	};
	size_t guests = lobby_poll_set(&srv->lobby, pfd + POLL_LOBBY);
	int wait_ms = clock_poll_ms(earliest_ns(srv), clock_now_ns());
	int rc = 0;

	if (poll(pfd, POLL_LOBBY + guests, wait_ms) < 0) {
		if (errno == EINTR)
			return 0;
		return err_set(e, ERR_POLL, errno, NULL);
	}
	if (pfd[POLL_STOP].revents) {
		srv->is_interrupted = true;
		return 0;
	}
	/* First the client, who may have left before the next one came; then
	 * the lobby, which may complete what the test waits for. */
	if (r && pfd[POLL_CONTROL].revents)
		serve_test(srv, true);
	lobby_serve(&srv->lobby, pfd + POLL_LOBBY, guests);
	if (srv->run)
		serve_test(srv, false);
	if (pfd[POLL_LISTENER].revents)
		rc = lobby_admit(&srv->lobby, srv->transport, srv->listener);
	return rc ? survive_accept(srv, rc, e) : 0;
}

/* No client came for so long: a one-off server leaves, another opens its
 * listener anew, for networks that forgot about the old one. */
static int serve_idle(struct server *srv, struct err *e)
{
	if (srv->run || clock_now_ns() < srv->idle_end_ns)
		return 0;
	/* Somebody is just saying what he wants: not idle. His own deadline
	 * bounds that. */
	if (lobby_is_busy(&srv->lobby)) {
		srv->idle_end_ns = clock_deadline_ms(LOBBY_COOKIE_MS);
		return 0;
	}
	if (srv->settings.is_one_off) {
		srv->is_over = true;
		return 0;
	}
	sock_close(&srv->listener);
	srv->listener = srv->transport->listen(&srv->settings, e);
	srv->idle_end_ns =
		clock_deadline_ms((int64_t)srv->settings.idle_timeout_s * 1000);
	return srv->listener < 0 ? srv->listener : 0;
}

/* A signal asked us to end: the client is told, statistics are shown. */
static void interrupt(struct server *srv)
{
	struct run *r = srv->run;
	struct err e = ERR_INIT;
	struct event ev = {
		.kind = EVENT_ERROR,
		.settings = &srv->settings,
		.error = &e,
	};

	err_set(&e, ERR_INTERRUPT, 0, "the server has terminated by signal %s",
		srv->host->stop_signal());
	if (!r) {
		sink_emit(srv->host->sinks, &ev);
		return;
	}
	ctl_send_state(&r->ctl, STATE_SERVER_TERMINATE);
	group_quit(&r->group);
	run_finish(r);
	run_summarize(r);
	r->error = e;
	end_test(srv);
}

struct server *server_open(const struct settings *settings, struct err *e)
{
	struct server *srv = calloc(1, sizeof(*srv));
	const struct lobby_host host = {
		.on_client = on_client,
		.on_stream = on_stream,
		.ctx = srv,
	};
	int rc;

	if (!srv || settings_copy(&srv->settings, settings)) {
		err_set(e, ERR_NO_MEMORY, ENOMEM, "the server");
		free(srv);
		return NULL;
	}
	srv->listener = -1;
	lobby_init(&srv->lobby, &host);
	srv->transport = registry_select(settings)->control;
	rc = registry_check(settings, e);
	if (!rc && settings->affinity >= 0) {
		rc = cpu_bind(settings->affinity);
		if (rc)
			err_set(e, ERR_AFFINITY, -rc, "-A %d",
				settings->affinity);
	}
	if (!rc)
		srv->listener = srv->transport->listen(settings, e);
	if (srv->listener >= 0)
		return srv;
	server_free(srv);
	return NULL;
}

enum session_end server_run(struct server *srv, const struct session_host *host,
			    struct err *e)
{
	int rc = 0;

	srv->host = host;
	begin_idle(srv);
	while (!rc && !srv->is_over && !srv->is_interrupted) {
		rc = serve_turn(srv, e);
		if (!rc)
			rc = serve_idle(srv, e);
		if (!srv->run && srv->phase != PHASE_IDLE && !srv->is_over)
			begin_idle(srv);
	}
	if (srv->is_interrupted) {
		interrupt(srv);
		lobby_farewell(&srv->lobby);
		return SESSION_INTERRUPTED;
	}
	end_test(srv);
	lobby_farewell(&srv->lobby);
	return rc ? SESSION_FAILED : SESSION_OK;
}

void server_free(struct server *srv)
{
	if (!srv)
		return;
	sock_close(&srv->listener);
	lobby_done(&srv->lobby);
	settings_done(&srv->settings);
	free(srv);
}
