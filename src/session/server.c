/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The server's life: it waits for everything at once, hands clients from the
 * lobby to a test (serving.h) and back, and serves one test at a time.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/cpu.h"
#include "session/doors.h"
#include "session/lobby.h"
#include "session/serving.h"
#include "session/session.h"
#include "transport/registry.h"

/* After a failed accept(). */
#define ACCEPT_PAUSE_MS 100

struct server {
	struct settings settings; /* of the command line */
	struct doors doors;
	const struct session_host *host;
	struct lobby lobby;
	int tests;

	struct serving *test; /* owned; NULL: idle */
	uint64_t idle_end_ns;
	uint64_t deaf_until_ns; /* doors are not watched before */

	bool is_idle; /* LISTEN was emitted for the next test */
	bool is_interrupted;
	bool is_over; /* one-off: nothing more to do */
	struct err error; /* of the doors: the end of the server */
};

static void begin_idle(struct server *srv)
{
	struct event ev = {
		.kind = EVENT_LISTEN,
		.settings = &srv->settings,
		.number = srv->tests + 1,
	};

	srv->is_idle = true;
	srv->idle_end_ns =
		clock_deadline_ms((int64_t)srv->settings.idle_timeout_s * 1000);
	sink_emit(srv->host->sinks, &ev);
}

/* Who comes in now is a client, a stream of the present test, or too early. */
static void set_lobby_mode(struct server *srv)
{
	enum lobby_mode mode = LOBBY_OPEN;
	const char *cookie = NULL;

	if (srv->test && serving_missing_streams(srv->test)) {
		mode = LOBBY_STREAMS;
		cookie = srv->test->run.test.cookie;
	} else if (srv->test || srv->is_over) {
		mode = LOBBY_CLOSED;
	}
	lobby_set_mode(&srv->lobby, mode, cookie);
}

/* The test is over, well or not: everything of it is freed, and the control
 * connection leaves through the lobby. */
static void end_test(struct server *srv)
{
	struct serving *sv = srv->test;

	if (!sv)
		return;
	lobby_see_off(&srv->lobby, &sv->run.ctl);
	serving_free(sv);
	srv->test = NULL;
	if (srv->settings.is_one_off)
		srv->is_over = true;
	else
		doors_close_streams(&srv->doors, &srv->settings, &srv->error);
	/* At once: the next client may be waiting in this very turn. */
	set_lobby_mode(srv);
}

/* From the lobby: one of the client's data streams. */
static void on_stream(void *ctx, const struct conn *conn, uint64_t arrival)
{
	struct server *srv = ctx;

	serving_take_stream(srv->test, conn, arrival);
	set_lobby_mode(srv);
}

/* From the lobby: a client with its parameters. */
static void on_client(void *ctx, struct ctl *ctl, const char *cookie,
		      cJSON *params)
{
	struct server *srv = ctx;
	struct application a = {
		.ctl = ctl,
		.cookie = cookie,
		.params = params,
		.number = srv->tests + 1,
	};

	srv->test = serving_new(&srv->settings, srv->host, &srv->doors, &a);
	cJSON_Delete(params);
	if (!srv->test) {
		ctl_send_error(ctl, ERR_NEW_TEST, ENOMEM);
		lobby_see_off(&srv->lobby, ctl);
		return;
	}
	srv->tests++;
	srv->is_idle = false;
	if (srv->test->is_over)
		end_test(srv);
	else
		set_lobby_mode(srv);
}

static bool is_deaf(const struct server *srv)
{
	return clock_now_ns() < srv->deaf_until_ns;
}

static uint64_t earliest_ns(const struct server *srv)
{
	uint64_t until_ns = lobby_deadline_ns(&srv->lobby);
	uint64_t test_ns = srv->test ? serving_deadline_ns(srv->test)
				     : srv->idle_end_ns;

	if (test_ns < until_ns)
		until_ns = test_ns;
	if (is_deaf(srv) && srv->deaf_until_ns < until_ns)
		until_ns = srv->deaf_until_ns;
	return until_ns;
}

/*
 * accept(2) lists many errors that say something about a connection, a network
 * or a shortage. Only those that say that the descriptor is no listener end
 * the server; for the others it looks away for a moment, because the listener
 * stays readable.
 */
static void survive_accept(struct server *srv, int rc)
{
	if (rc == -EBADF || rc == -EINVAL || rc == -ENOTSOCK ||
	    rc == -EOPNOTSUPP)
		err_set(&srv->error, ERR_ACCEPT, -rc, NULL);
	else
		srv->deaf_until_ns = clock_deadline_ms(ACCEPT_PAUSE_MS);
}

/* Streams that have exchanged their greeting in accept(). */
static int admit_streams(struct server *srv, const struct door *door)
{
	struct conn conn = CONN_NONE;
	int rc = 0;

	while (!rc && serving_missing_streams(srv->test)) {
		rc = door->transport->accept(door->fd, &srv->test->run.ctl.conn,
					     &conn);
		if (!rc)
			on_stream(srv, &conn, ++srv->lobby.arrivals);
	}
	return rc == -EAGAIN ? 0 : rc;
}

static void admit(struct server *srv, const struct door *door)
{
	int rc = 0;

	/* What was seen at a door may have been served since, or the door
	 * have been closed. */
	if (door->fd < 0)
		return;
	if (!(door->transport->caps & TRANSPORT_GREETS))
		rc = lobby_admit(&srv->lobby, door->transport, door->fd);
	else if (srv->test)
		rc = admit_streams(srv, door);
	if (rc)
		survive_accept(srv, rc);
}

/* What is waited for in one turn; the test's and then the lobby's follow. */
enum {
	POLL_STOP,
	POLL_DOOR,
	POLL_STREAM_DOOR,
	POLL_TEST,
	POLL_MAX = POLL_TEST + SERVING_POLL_MAX + LOBBY_MAX
};

static struct pollfd watch_door(const struct server *srv,
				const struct door *door)
{
	return (struct pollfd){ is_deaf(srv) ? -1 : door->fd, POLLIN, 0 };
}

static void serve_turn(struct server *srv)
{
	struct pollfd pfd[POLL_MAX] = {
		[POLL_STOP] = { srv->host->stop_fd, POLLIN, 0 },
		[POLL_DOOR] = watch_door(srv, &srv->doors.control),
		[POLL_STREAM_DOOR] = watch_door(srv, &srv->doors.streams),
	};
	size_t of_test =
		srv->test ? serving_poll_set(srv->test, pfd + POLL_TEST) : 0;
	struct pollfd *guest = pfd + POLL_TEST + of_test;
	size_t guests = lobby_poll_set(&srv->lobby, guest);
	int wait_ms = clock_poll_ms(earliest_ns(srv), clock_now_ns());

	if (poll(pfd, POLL_TEST + of_test + guests, wait_ms) < 0) {
		if (errno != EINTR)
			err_set(&srv->error, ERR_POLL, errno, NULL);
		return;
	}
	if (pfd[POLL_STOP].revents) {
		srv->is_interrupted = true;
		return;
	}
	/* First the client, who may have left before the next one came; then
	 * the lobby, which may complete what the test waits for. */
	if (srv->test)
		serving_serve(srv->test, pfd + POLL_TEST, of_test);
	if (srv->test && srv->test->is_over)
		end_test(srv);
	lobby_serve(&srv->lobby, guest, guests);
	if (pfd[POLL_STREAM_DOOR].revents)
		admit(srv, &srv->doors.streams);
	if (srv->test)
		serving_serve(srv->test, NULL, 0);
	if (srv->test && srv->test->is_over)
		end_test(srv);
	if (pfd[POLL_DOOR].revents)
		admit(srv, &srv->doors.control);
}

/* No client came for so long: a one-off server leaves, another opens its
 * listener anew, for networks that forgot about the old one. */
static void serve_idle(struct server *srv)
{
	if (srv->test || clock_now_ns() < srv->idle_end_ns)
		return;
	/* Somebody is just saying what he wants: not idle. His own deadline
	 * bounds that. */
	if (lobby_is_busy(&srv->lobby)) {
		srv->idle_end_ns = clock_deadline_ms(LOBBY_COOKIE_MS);
		return;
	}
	if (srv->settings.is_one_off) {
		srv->is_over = true;
		return;
	}
	doors_open(&srv->doors, srv->doors.control.transport, &srv->settings,
		   &srv->error);
	srv->idle_end_ns =
		clock_deadline_ms((int64_t)srv->settings.idle_timeout_s * 1000);
}

/* A signal asked us to end. */
static void interrupt(struct server *srv)
{
	struct err e = ERR_INIT;
	struct event ev = {
		.kind = EVENT_ERROR,
		.settings = &srv->settings,
		.error = &e,
	};

	err_set(&e, ERR_INTERRUPT, 0, "the server has terminated by signal %s",
		srv->host->stop_signal());
	if (srv->test)
		serving_interrupt(srv->test, &e);
	else
		sink_emit(srv->host->sinks, &ev);
	srv->is_over = true;
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
	doors_init(&srv->doors);
	lobby_init(&srv->lobby, &host);
	rc = registry_check(settings, e);
	if (!rc && settings->affinity >= 0) {
		rc = cpu_bind(settings->affinity);
		if (rc)
			err_set(e, ERR_AFFINITY, -rc, "-A %d",
				settings->affinity);
	}
	if (!rc)
		rc = doors_open(&srv->doors, registry_select(settings)->control,
				settings, e);
	if (!rc)
		return srv;
	server_free(srv);
	return NULL;
}

enum session_end server_run(struct server *srv, const struct session_host *host,
			    struct err *e)
{
	enum session_end end = SESSION_OK;

	srv->host = host;
	while (!err_is_set(&srv->error) && !srv->is_over &&
	       !srv->is_interrupted) {
		if (!srv->test && !srv->is_idle)
			begin_idle(srv);
		serve_turn(srv);
		serve_idle(srv);
	}
	if (srv->is_interrupted) {
		interrupt(srv);
		end = SESSION_INTERRUPTED;
	} else if (err_is_set(&srv->error)) {
		*e = srv->error;
		end = SESSION_FAILED;
	}
	end_test(srv);
	lobby_farewell(&srv->lobby);
	return end;
}

void server_free(struct server *srv)
{
	if (!srv)
		return;
	doors_done(&srv->doors);
	lobby_done(&srv->lobby);
	settings_done(&srv->settings);
	free(srv);
}
