/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The client's side of one test: a state machine whose phases wait for one
 * state byte each (PROTOCOL.md section 5). Each phase has a deadline and a
 * name for the message when it passes.
 *
 * The end of a test: senders finish their last block and shut their write
 * side; only then TEST_END is sent. When the server answers, everything it
 * will ever send on the data streams is on its way, and receivers drain to
 * the end of the stream before the counts are taken.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "session/dialler.h"
#include "session/params.h"
#include "session/run.h"
#include "session/session.h"
#include "transport/registry.h"

enum phase {
	PHASE_PARAMS, /* wait for PARAM_EXCHANGE */
	PHASE_CREATE, /* wait for CREATE_STREAMS */
	PHASE_START, /* wait for TEST_START */
	PHASE_GO, /* wait for TEST_RUNNING */
	PHASE_RUNNING, /* data flows */
	PHASE_STOPPING, /* senders finish their last block */
	PHASE_EXCHANGE, /* wait for EXCHANGE_RESULTS */
	PHASE_DRAINING, /* receivers read to the end */
	PHASE_RESULTS, /* wait for the server's results */
	PHASE_DISPLAY, /* wait for DISPLAY_RESULTS */
	PHASE_DONE,
	PHASES
};

#define ANSWER_MS 30000
#define NO_LIMIT_MS 0

static const struct {
	const char *name; /* completes "while waiting for ..." */
	int64_t limit_ms;
} phases[] = {
	[PHASE_PARAMS] = { "the server to accept the test", ANSWER_MS },
	[PHASE_CREATE] = { "the server to check the parameters", ANSWER_MS },
	[PHASE_START] = { "the server to take the data streams", ANSWER_MS },
	[PHASE_GO] = { "the server to start the test", ANSWER_MS },
	[PHASE_RUNNING] = { "data", NO_LIMIT_MS },
	[PHASE_STOPPING] = { "the last blocks to be sent", RUN_STOP_MS },
	/* The server drains its streams before it answers. */
	[PHASE_EXCHANGE] = { "the server to end the test",
			     RUN_FINISH_MS + ANSWER_MS },
	[PHASE_DRAINING] = { "the last data to arrive", RUN_FINISH_MS },
	[PHASE_RESULTS] = { "the server's results", ANSWER_MS },
	[PHASE_DISPLAY] = { "the server to accept the results", ANSWER_MS },
	[PHASE_DONE] = { "nothing", NO_LIMIT_MS },
};

_Static_assert(sizeof(phases) / sizeof(phases[0]) == PHASES,
	       "each phase has a name and a limit");

struct client {
	struct run run;
	enum phase phase;
	uint64_t phase_end_ns;
	bool is_cut; /* senders were cut off in mid-block */
	bool is_interrupted;
};

static void enter(struct client *c, enum phase phase)
{
	c->phase = phase;
	c->phase_end_ns = clock_deadline_ms(phases[phase].limit_ms);
}

static int on_param_exchange(struct client *c)
{
	struct run *r = &c->run;
	cJSON *params = params_build(&r->settings, r->transport, &r->error);
	int rc;

	if (!params)
		return -ENOMEM;
	rc = ctl_send_json(&r->ctl, params);
	cJSON_Delete(params);
	if (rc)
		return err_set(&r->error, ERR_SEND_PARAMS, -rc, NULL);
	run_connected(r);
	enter(c, PHASE_CREATE);
	return 0;
}

/* SERVER_ERROR has come: its words are the cause. 0: they aren't here yet. */
static int take_server_error(struct client *c, bool is_closed)
{
	struct run *r = &c->run;
	int number = 0;
	int os_errno = 0;

	if (!ctl_take_error(&r->ctl, is_closed, &number, &os_errno))
		return 0;
	/* The errno word is often meaningless: shown only when positive. */
	if (os_errno < 0)
		os_errno = 0;
	if (number == 0)
		err_set(&r->error, ERR_CTL_CLOSE, os_errno, NULL);
	else if (number >= ERR_OURS_FIRST)
		err_set(&r->error, ERR_PEER, os_errno, "its number is %d",
			number);
	else
		err_set(&r->error, number, os_errno, NULL);
	r->error.is_from_peer = true;
	return -EREMOTEIO;
}

/*
 * A stream could not be opened. If the server has said why over the control
 * connection, that is the cause, and what happened here its effect.
 */
static int prefer_servers_word(struct client *c, int rc)
{
	struct run *r = &c->run;
	struct err own = r->error;
	struct patience p = {
		.deadline_ns = clock_deadline_ms(RUN_GRACE_MS),
		.stop_fd = r->host->stop_fd,
	};
	int waited = rc == -ECANCELED ? rc
				      : sock_wait(r->ctl.conn.fd, POLLIN, &p);

	if (waited == -ECANCELED)
		return waited;
	if (!waited && ctl_fill(&r->ctl, CTL_FILL_ALL) > 0 &&
	    (signed char)r->ctl.in.data[0] == STATE_SERVER_ERROR) {
		err_clear(&r->error);
		if (take_server_error(c, true))
			return -EREMOTEIO;
		r->error = own;
	}
	return rc;
}

/* One strictly after the other: the server numbers them as they come. */
static int on_create_streams(struct client *c)
{
	int total = settings_total_streams(&c->run.settings);
	int i;
	int rc = 0;

	enter(c, PHASE_START);
	for (i = 0; i < total && !rc; i++)
		rc = dialler_stream(&c->run, i, c->phase_end_ns);
	return rc ? prefer_servers_word(c, rc) : 0;
}

static int on_test_start(struct client *c)
{
	enter(c, PHASE_GO);
	return run_begin(&c->run);
}

static int on_test_running(struct client *c)
{
	enter(c, PHASE_RUNNING);
	return run_go(&c->run);
}

static int on_exchange_results(struct client *c)
{
	run_drain(&c->run, RUN_DRAIN_MS);
	enter(c, PHASE_DRAINING);
	return 0;
}

/*
 * Sent must equal received, where both ends count to the end of the stream:
 * a peer that isn't ours stops counting before it has read everything.
 */
static int check_totals(struct run *r)
{
	size_t i;

	for (i = 0; i < r->test.streams; i++) {
		unsigned long long own = r->own.stream[i].bytes;
		unsigned long long peer = r->peer.stream[i].bytes;
		bool is_sender = r->test.stream[i].is_sender;

		if (own == peer || !r->peer.stream[i].is_known ||
		    r->test.shape == SHAPE_DATAGRAMS)
			continue;
		if (r->transport->caps & TRANSPORT_LOSSLESS)
			return err_set(&r->error, ERR_STALL, 0,
				       "stream %d: %llu bytes were sent, "
				       "%llu arrived",
				       r->test.stream[i].id,
				       is_sender ? own : peer,
				       is_sender ? peer : own);
		run_warn(r,
			 "stream %d: %llu bytes were sent, %llu arrived "
			 "before the end of the test",
			 r->test.stream[i].id, is_sender ? own : peer,
			 is_sender ? peer : own);
	}
	return 0;
}

static void emit_server_output(struct run *r)
{
	struct event ev = {
		.kind = EVENT_SERVER_OUTPUT,
		.text = r->peer.output,
		.is_json = r->peer.is_output_json,
	};

	if (r->peer.output && r->settings.wants_server_output)
		run_emit(r, &ev);
}

static int on_display_results(struct client *c)
{
	struct run *r = &c->run;
	int rc = 0;

	if (r->peer.environment.is_known && !r->settings.omit_s)
		rc = check_totals(r);
	run_summarize(r);
	emit_server_output(r);
	ctl_send_state(&r->ctl, STATE_IPERF_DONE);
	enter(c, PHASE_DONE);
	return rc;
}

static int on_access_denied(struct client *c)
{
	return err_set(&c->run.error, ERR_ACCESS_DENIED, 0, NULL);
}

static int on_server_terminate(struct client *c)
{
	return err_set(&c->run.error, ERR_SERVER_TERM, 0, NULL);
}

/* What each state byte means, and in which phase it is legal. */
static const struct {
	int state;
	enum phase phase;
	int (*handle)(struct client *c);
} steps[] = {
	{ STATE_PARAM_EXCHANGE, PHASE_PARAMS, on_param_exchange },
	{ STATE_CREATE_STREAMS, PHASE_CREATE, on_create_streams },
	{ STATE_TEST_START, PHASE_START, on_test_start },
	{ STATE_TEST_RUNNING, PHASE_GO, on_test_running },
	{ STATE_EXCHANGE_RESULTS, PHASE_EXCHANGE, on_exchange_results },
	{ STATE_DISPLAY_RESULTS, PHASE_DISPLAY, on_display_results },
	{ STATE_ACCESS_DENIED, PHASES, on_access_denied },
	{ STATE_SERVER_TERMINATE, PHASES, on_server_terminate },
};

static int handle_state(struct client *c, int state)
{
	size_t i;

	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i].state == state &&
		    (steps[i].phase == c->phase || steps[i].phase == PHASES))
			return steps[i].handle(c);
	return err_set(&c->run.error, ERR_MESSAGE, 0,
		       "state %d came while waiting for %s", state,
		       phases[c->phase].name);
}

static int take_results(struct client *c)
{
	int rc = run_take_results(&c->run);

	if (rc > 0)
		enter(c, PHASE_DISPLAY);
	return rc;
}

/* Takes the next item off the control connection. 1: one was handled, 0: more
 * bytes are needed, negative: failed. */
static int take_item(struct client *c, bool is_closed)
{
	struct ctl *ctl = &c->run.ctl;
	int state = 0;
	int rc;

	/* Its words may still be on their way; until they are here, the state
	 * byte stays where it is. */
	if (ctl->in.len > 0 &&
	    (signed char)ctl->in.data[0] == STATE_SERVER_ERROR)
		return take_server_error(c, is_closed);
	/* No length that is allowed begins with another byte than 0, so a
	 * state byte can be told from one. */
	if (c->phase == PHASE_RESULTS &&
	    (ctl->in.len == 0 || ctl->in.data[0] == 0))
		return take_results(c);
	/* Our own phases between two answers: leave the bytes for later. */
	if (c->phase == PHASE_DRAINING)
		return 0;
	if (!ctl_take_state(ctl, &state))
		return 0;
	rc = handle_state(c, state);
	return rc ? rc : 1;
}

static int read_control(struct client *c)
{
	struct run *r = &c->run;
	int got = ctl_fill(&r->ctl, CTL_FILL_ALL);
	int rc;

	if (got == -EAGAIN)
		return 0;
	do
		rc = take_item(c, got <= 0);
	while (rc > 0 && c->phase != PHASE_DONE);
	if (rc < 0 || c->phase == PHASE_DONE)
		return rc < 0 ? rc : 0;
	if (got == 0 || got == -ECONNRESET)
		return err_set(&r->error, ERR_CTL_CLOSE, 0,
			       "while waiting for %s%s", phases[c->phase].name,
			       c->phase == PHASE_CREATE
				       ? "; does the server want credentials?"
				       : "");
	return got < 0 ? err_set(&r->error, ERR_CTL_READ, -got, NULL) : 0;
}

static int stop_sending(struct client *c)
{
	run_stop(&c->run);
	enter(c, PHASE_STOPPING);
	return 0;
}

static int send_test_end(struct client *c)
{
	int rc = ctl_send_state(&c->run.ctl, STATE_TEST_END);

	enter(c, PHASE_EXCHANGE);
	return rc ? err_set(&c->run.error, ERR_SEND_MESSAGE, -rc, NULL) : 0;
}

/* What the streams have done since the last look. */
static int watch_streams(struct client *c)
{
	struct run *r = &c->run;
	enum run_news news;

	if (c->phase < PHASE_RUNNING || c->phase > PHASE_DRAINING)
		return 0;
	news = run_poll(r);
	if (news == RUN_FAILED)
		return -EIO;
	if (c->phase == PHASE_RUNNING &&
	    (news == RUN_TIME_OVER || run_is_exhausted(r)))
		stop_sending(c);
	if (c->phase == PHASE_STOPPING && group_is_sent(&r->group) &&
	    !group_lost(&r->group))
		return send_test_end(c);
	if (c->phase == PHASE_DRAINING && group_is_received(&r->group)) {
		run_finish(r);
		enter(c, PHASE_RESULTS);
		return run_send_results(r);
	}
	return 0;
}

static int check_phase_end(struct client *c)
{
	struct run *r = &c->run;

	if (clock_now_ns() < c->phase_end_ns)
		return 0;
	/* Data still on their way are no failure, the test is over all the
	 * same: what has moved so far counts. */
	if (c->phase == PHASE_STOPPING && !c->is_cut) {
		c->is_cut = true;
		group_cut_senders(&r->group);
		enter(c, PHASE_STOPPING);
		return 0;
	}
	if (c->phase == PHASE_DRAINING) {
		group_quit(&r->group);
		enter(c, PHASE_DRAINING);
		return 0;
	}
	return err_set(&r->error,
		       c->phase == PHASE_STOPPING ? ERR_STALL : ERR_CTL_READ,
		       ETIMEDOUT, "nothing for %lld s while waiting for %s",
		       (long long)phases[c->phase].limit_ms / 1000,
		       phases[c->phase].name);
}

static int wait_for_events(struct client *c, bool *is_readable)
{
	struct run *r = &c->run;
	uint64_t until_ns = c->phase_end_ns;
	struct pollfd pfd[3] = {
		{ .fd = r->ctl.conn.fd, .events = POLLIN },
		{ .fd = group_notify_fd(&r->group), .events = POLLIN },
		{ .fd = r->host->stop_fd, .events = POLLIN },
	};

	if (c->phase >= PHASE_RUNNING && c->phase <= PHASE_DRAINING &&
	    run_deadline_ns(r) < until_ns)
		until_ns = run_deadline_ns(r);
	if (poll(pfd, 3, clock_poll_ms(until_ns, clock_now_ns())) < 0 &&
	    errno != EINTR)
		return err_set(&r->error, ERR_POLL, errno, NULL);
	*is_readable = pfd[0].revents != 0;
	if (pfd[2].revents) {
		c->is_interrupted = true;
		return -ECANCELED;
	}
	return 0;
}

static int run_dialogue(struct client *c)
{
	int rc = 0;

	while (!rc && c->phase != PHASE_DONE) {
		bool is_readable = false;

		rc = wait_for_events(c, &is_readable);
		if (!rc && is_readable)
			rc = read_control(c);
		if (!rc)
			rc = watch_streams(c);
		if (!rc)
			rc = check_phase_end(c);
	}
	return rc;
}

/* A signal asked us to end: what was measured is still shown. */
static void interrupt(struct client *c)
{
	struct run *r = &c->run;

	if (r->ctl.conn.fd >= 0)
		ctl_send_state(&r->ctl, STATE_CLIENT_TERMINATE);
	run_stop(r);
	group_quit(&r->group);
	run_finish(r);
	run_summarize(r);
	err_clear(&r->error);
	err_set(&r->error, ERR_INTERRUPT, 0,
		"the client has terminated by signal %s",
		r->host->stop_signal());
}

/* After a refusal nothing more is said; after other failures the server is
 * told that we are done (PROTOCOL.md 5.8). */
static void give_up(struct client *c)
{
	struct run *r = &c->run;
	bool is_refused = r->error.is_from_peer ||
			  r->error.code == ERR_ACCESS_DENIED;

	group_quit(&r->group);
	if (r->error.code == ERR_SERVER_TERM) {
		run_finish(r);
		run_summarize(r);
	}
	if (r->ctl.conn.fd >= 0 && !is_refused)
		ctl_send_state(&r->ctl, STATE_IPERF_DONE);
}

static int run_client_test(struct client *c)
{
	struct run *r = &c->run;
	const struct transport *t = registry_select(&r->settings);
	int rc = registry_check(&r->settings, &r->error);

	snprintf(r->test.peer.host, sizeof(r->test.peer.host), "%s",
		 r->settings.host);
	r->test.peer.port = r->settings.port;
	if (!rc && r->settings.affinity >= 0) {
		rc = cpu_bind(r->settings.affinity);
		if (rc)
			err_set(&r->error, ERR_AFFINITY, -rc, "-A %d",
				r->settings.affinity);
	}
	if (!rc)
		rc = run_prepare(r, t);
	if (rc)
		return rc;
	enter(c, PHASE_PARAMS);
	rc = dialler_control(r);
	return rc ? rc : run_dialogue(c);
}

enum session_end client_run(const struct settings *settings,
			    const struct session_host *host, struct err *e)
{
	struct client *c = calloc(1, sizeof(*c));
	enum session_end end = SESSION_OK;
	int rc;

	if (!c) {
		err_set(e, ERR_NO_MEMORY, ENOMEM, "a test");
		return SESSION_FAILED;
	}
	rc = run_init(&c->run, settings, host);
	run_open(&c->run);
	if (!rc)
		rc = run_client_test(c);
	if (rc && (rc == -ECANCELED || c->is_interrupted)) {
		interrupt(c);
		end = SESSION_INTERRUPTED;
	} else if (rc) {
		give_up(c);
		end = SESSION_FAILED;
	}
	if (e)
		*e = c->run.error;
	run_done(&c->run);
	free(c);
	return end;
}
