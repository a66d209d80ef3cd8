/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/serving.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session/params.h"

enum phase {
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

static const struct {
	const char *name; /* completes "while waiting for ..." */
	int64_t limit_ms; /* 0: none */
} phases[] = {
	[PHASE_STREAMS] = { "the client's data streams", STREAMS_MS },
	[PHASE_RUNNING] = { "the end of the test", 0 },
	[PHASE_FINISHING] = { "the last data", RUN_FINISH_MS },
	[PHASE_RESULTS] = { "the client's results", RESULTS_MS },
	[PHASE_DONE] = { "the client to close", RESULTS_MS },
};

/* The order of serving_poll_set. */
#define POLL_ARRIVED 2

_Static_assert(sizeof(phases) / sizeof(phases[0]) == PHASES,
	       "each phase has a name and a limit");

static void enter(struct serving *sv, enum phase phase)
{
	sv->phase = phase;
	sv->phase_end_ns = clock_deadline_ms(phases[phase].limit_ms);
}

static int say(struct serving *sv, int state)
{
	int rc = ctl_send_state(&sv->run.ctl, state);

	return rc ? err_set(&sv->run.error, ERR_SEND_MESSAGE, -rc, NULL) : 0;
}

static int close_door(struct serving *sv)
{
	return doors_close_streams(sv->doors, sv->server, &sv->run.error);
}

/* Nothing more moves; what is not freed yet is freed by serving_free. */
static void end(struct serving *sv)
{
	group_quit(&sv->run.group);
	sv->is_over = true;
}

/* Tells the client why, as far as the protocol has a word for it. */
static void fail(struct serving *sv)
{
	struct run *r = &sv->run;
	int number = err_wire_number(r->error.code);

	group_quit(&r->group);
	if (r->error.code == ERR_CLIENT_TERM) {
		run_finish(r);
		run_summarize(r);
	}
	if (r->error.code != ERR_CTL_CLOSE)
		ctl_send_error(&r->ctl, number, 0);
	end(sv);
}

static int bind_cpu(struct run *r)
{
	int cpu = r->settings.server_affinity;
	int rc = cpu >= 0 ? cpu_bind(cpu) : 0;

	return rc ? err_set(&r->error, ERR_AFFINITY, -rc,
			    "the client asked for CPU %d", cpu)
		  : 0;
}

static int accept_params(struct serving *sv, const cJSON *params)
{
	struct run *r = &sv->run;
	const struct transport *listener = sv->doors->control.transport;
	struct params asked;
	int rc =
		params_apply(&r->settings, params, listener, &asked, &r->error);

	run_open(r);
	if (!rc)
		rc = asked.transport->check(&r->settings, &r->error);
	if (!rc)
		rc = run_prepare(r, asked.transport);
	if (!rc)
		rc = bind_cpu(r);
	if (!rc)
		rc = doors_open_streams(sv->doors, r->transport, &r->settings,
					&r->error);
	if (rc)
		return rc;
	sv->is_peer_orderly = asked.is_peer_orderly;
	run_connected(r);
	enter(sv, PHASE_STREAMS);
	return say(sv, STATE_CREATE_STREAMS);
}

static int by_arrival(const void *a, const void *b)
{
	const struct arrived *x = a;
	const struct arrived *y = b;

	return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

/* Streams are numbered in the order of accept, which is the order in which
 * the client opened them, whenever their cookies came. */
static int add_streams(struct serving *sv)
{
	size_t total = sv->arrivals;
	size_t i;
	int rc = 0;

	qsort(sv->arrived, total, sizeof(sv->arrived[0]), by_arrival);
	sv->arrivals = 0;
	for (i = 0; i < total; i++) {
		struct conn *conn = &sv->arrived[i].conn;

		if (rc)
			conn->transport->close(conn);
		else
			rc = run_add_stream(&sv->run, conn);
	}
	return rc;
}

static int start(struct serving *sv)
{
	struct run *r = &sv->run;
	int rc = close_door(sv);

	if (!rc)
		rc = add_streams(sv);
	if (!rc)
		rc = run_begin(r);
	if (!rc)
		rc = say(sv, STATE_TEST_START);
	if (!rc)
		rc = say(sv, STATE_TEST_RUNNING);
	if (rc)
		return rc;
	enter(sv, PHASE_RUNNING);
	if (r->settings.time_s)
		sv->phase_end_ns = clock_deadline_ms(
			1000ll * (r->settings.time_s + r->settings.omit_s) +
			OVERTIME_MS);
	return run_go(r);
}

static int on_test_end(struct serving *sv)
{
	bool is_ours = sv->is_peer_orderly;

	run_stop(&sv->run);
	run_drain(&sv->run, is_ours ? RUN_DRAIN_MS : RUN_DRAIN_FOREIGN_MS);
	enter(sv, PHASE_FINISHING);
	if (!group_is_sent(&sv->run.group))
		sv->phase_end_ns = clock_deadline_ms(
			is_ours ? RUN_STOP_MS : RUN_STOP_FOREIGN_MS);
	return 0;
}

static int finish(struct serving *sv)
{
	struct run *r = &sv->run;

	run_finish(r);
	run_summarize(r);
	if (r->settings.wants_server_output && r->host->server_output)
		r->own.output = r->host->server_output(r->host->ctx,
						       &r->own.is_output_json);
	enter(sv, PHASE_RESULTS);
	return say(sv, STATE_EXCHANGE_RESULTS);
}

/* The client's results are answered with ours. */
static int take_results(struct serving *sv)
{
	struct run *r = &sv->run;
	int rc = run_take_results(r);

	if (rc <= 0)
		return rc;
	rc = run_send_results(r);
	if (rc)
		return rc;
	enter(sv, PHASE_DONE);
	rc = say(sv, STATE_DISPLAY_RESULTS);
	return rc ? rc : 1;
}

static int on_iperf_done(struct serving *sv)
{
	/* Before the end it says that the client has given up. */
	if (sv->phase != PHASE_DONE)
		return err_set(&sv->run.error, ERR_CTL_CLOSE, 0,
			       "the client gave up while waiting for %s",
			       phases[sv->phase].name);
	end(sv);
	return 0;
}

/* Upstream's servers ignore this one, so some client may send it. */
static int on_test_start(struct serving *sv)
{
	(void)sv;
	return 0;
}

static int on_client_terminate(struct serving *sv)
{
	return err_set(&sv->run.error, ERR_CLIENT_TERM, 0, NULL);
}

/* What each state byte means, and in which phase it is legal. */
static const struct {
	int state;
	enum phase phase; /* PHASES: any */
	int (*handle)(struct serving *sv);
} steps[] = {
	{ STATE_TEST_START, PHASES, on_test_start },
	{ STATE_TEST_END, PHASE_RUNNING, on_test_end },
	{ STATE_IPERF_DONE, PHASES, on_iperf_done },
	{ STATE_CLIENT_TERMINATE, PHASES, on_client_terminate },
};

static int handle_state(struct serving *sv, int state)
{
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i].state == state &&
		    (steps[i].phase == (enum phase)sv->phase ||
		     steps[i].phase == PHASES))
			return steps[i].handle(sv);
	return err_set(&sv->run.error, ERR_MESSAGE, 0,
		       "state %d came while waiting for %s", state,
		       phases[sv->phase].name);
}

/* 1: an item was handled, 0: more bytes are needed, negative: failed. */
static int take_item(struct serving *sv)
{
	int state = 0;
	int rc;

	if (sv->phase == PHASE_RESULTS)
		return take_results(sv);
	if (!ctl_take_state(&sv->run.ctl, &state))
		return 0;
	rc = handle_state(sv, state);
	return rc ? rc : 1;
}

static int read_control(struct serving *sv)
{
	struct run *r = &sv->run;
	int got = ctl_fill(&r->ctl, CTL_FILL_ALL);
	int rc;

	/* Also when nothing came: bytes behind the parameters are kept. */
	do
		rc = take_item(sv);
	while (rc > 0 && !sv->is_over);
	if (rc < 0 || sv->is_over || got > 0 || got == -EAGAIN)
		return rc < 0 ? rc : 0;
	/* The last byte matters to nobody: everything has been exchanged. */
	if (sv->phase == PHASE_DONE) {
		end(sv);
		return 0;
	}
	return err_set(&r->error, ERR_CTL_CLOSE, 0,
		       "the client has unexpectedly closed the connection");
}

/* Whether the streams of this phase are to be watched. */
static bool is_moving(const struct serving *sv)
{
	return sv->phase == PHASE_RUNNING || sv->phase == PHASE_FINISHING;
}

static int watch_streams(struct serving *sv)
{
	struct run *r = &sv->run;

	if (sv->phase == PHASE_STREAMS && !serving_missing_streams(sv))
		return start(sv);
	if (!is_moving(sv))
		return 0;
	/* The client says when time is over; nothing to do for it here. */
	if (run_poll(r) == RUN_FAILED)
		return -EIO;
	if (sv->phase == PHASE_FINISHING && group_is_sent(&r->group) &&
	    group_is_received(&r->group))
		return finish(sv);
	return 0;
}

static int check_phase_end(struct serving *sv)
{
	struct run *r = &sv->run;

	if (clock_now_ns() < sv->phase_end_ns)
		return 0;
	if (sv->phase == PHASE_FINISHING && !sv->is_cut) {
		sv->is_cut = true;
		group_cut_senders(&r->group);
		enter(sv, PHASE_FINISHING);
		return 0;
	}
	if (sv->phase == PHASE_FINISHING) {
		/* Still moving after so long: counted as it stands. */
		group_quit(&r->group);
		enter(sv, PHASE_FINISHING);
		return 0;
	}
	if (sv->phase == PHASE_RUNNING)
		return err_set(&r->error, ERR_SERVER_DURATION, 0,
			       "%d s of test and %d s of patience",
			       r->settings.time_s + r->settings.omit_s,
			       OVERTIME_MS / 1000);
	return err_set(&r->error, ERR_CTL_READ, ETIMEDOUT,
		       "nothing for %lld s while waiting for %s",
		       (long long)phases[sv->phase].limit_ms / 1000,
		       phases[sv->phase].name);
}

static void serve(struct serving *sv, bool is_readable)
{
	int rc = is_readable ? read_control(sv) : 0;

	if (!rc && !sv->is_over)
		rc = watch_streams(sv);
	if (!rc && !sv->is_over)
		rc = check_phase_end(sv);
	if (rc && !sv->is_over)
		fail(sv);
}

struct serving *serving_new(const struct settings *server,
			    const struct session_host *host,
			    struct doors *doors, const struct application *a)
{
	struct serving *sv = calloc(1, sizeof(*sv));
	struct run *r;
	int rc;

	if (!sv)
		return NULL;
	r = &sv->run;
	sv->doors = doors;
	sv->server = server;
	enter(sv, PHASE_STREAMS);
	rc = run_init(r, server, host);
	memcpy(r->test.cookie, a->cookie, COOKIE_SIZE);
	r->test.number = a->number;
	ctl_done(&r->ctl);
	r->ctl = *a->ctl;
	ctl_init(a->ctl);
	if (!rc)
		rc = accept_params(sv, a->params);
	if (rc)
		fail(sv);
	else
		/* It may have said more already, even goodbye. */
		serve(sv, true);
	return sv;
}

void serving_free(struct serving *sv)
{
	if (!sv)
		return;
	end(sv);
	while (sv->arrivals > 0) {
		struct conn *c = &sv->arrived[--sv->arrivals].conn;

		c->transport->close(c);
	}
	if (sv->server->affinity >= 0 || sv->run.settings.server_affinity >= 0)
		cpu_bind(sv->server->affinity);
	run_done(&sv->run);
	free(sv);
}

size_t serving_missing_streams(const struct serving *sv)
{
	if (sv->is_over || sv->phase != PHASE_STREAMS)
		return 0;
	return (size_t)settings_total_streams(&sv->run.settings) - sv->arrivals;
}

void serving_take_stream(struct serving *sv, const struct conn *conn,
			 uint64_t arrival)
{
	sv->arrived[sv->arrivals++] = (struct arrived){ *conn, arrival };
}

size_t serving_poll_set(const struct serving *sv, struct pollfd *pfd)
{
	const struct run *r = &sv->run;
	size_t i;

	pfd[0] = (struct pollfd){ r->ctl.conn.fd, POLLIN, 0 };
	pfd[1] = (struct pollfd){ group_notify_fd(&r->group), POLLIN, 0 };
	if (!(r->transport->caps & TRANSPORT_GREETS))
		return POLL_ARRIVED;
	/* Whose greeting was not answered, or whose answer got lost, greets
	 * again; in the other transports this may be payload. */
	for (i = 0; i < sv->arrivals; i++)
		pfd[POLL_ARRIVED + i] =
			(struct pollfd){ sv->arrived[i].conn.fd, POLLIN, 0 };
	return POLL_ARRIVED + sv->arrivals;
}

uint64_t serving_deadline_ns(const struct serving *sv)
{
	uint64_t until_ns = sv->phase_end_ns;

	if (is_moving(sv) && run_deadline_ns(&sv->run) < until_ns)
		until_ns = run_deadline_ns(&sv->run);
	return until_ns;
}

void serving_serve(struct serving *sv, const struct pollfd *pfd, size_t n)
{
	size_t i;

	for (i = POLL_ARRIVED; i < n; i++)
		if (pfd[i].revents)
			sv->run.transport->greet_again(
				&sv->arrived[i - POLL_ARRIVED].conn);
	if (!sv->is_over)
		serve(sv, n && pfd[0].revents);
}

void serving_interrupt(struct serving *sv, const struct err *why)
{
	struct run *r = &sv->run;

	ctl_send_state(&r->ctl, STATE_SERVER_TERMINATE);
	group_quit(&r->group);
	run_finish(r);
	run_summarize(r);
	r->error = *why;
	end(sv);
}
