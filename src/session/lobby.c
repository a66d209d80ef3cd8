/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/lobby.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"

#define DISCARD_BYTES 65536

/* A guest that was read as far as it has sent. */
enum guest_news {
	GUEST_STAYS,
	GUEST_GONE, /* its slot was handed over or is to be freed */
};

void lobby_init(struct lobby *l, const struct lobby_host *host)
{
	memset(l, 0, sizeof(*l));
	l->host = *host;
}

/* Keeps the order of arrival. */
static void lobby_drop(struct lobby *l, size_t i)
{
	ctl_done(&l->guest[i].ctl);
	memmove(&l->guest[i], &l->guest[i + 1],
		(l->guests - i - 1) * sizeof(l->guest[0]));
	l->guests--;
}

void lobby_done(struct lobby *l)
{
	while (l->guests > 0)
		lobby_drop(l, l->guests - 1);
}

void lobby_set_mode(struct lobby *l, enum lobby_mode mode, const char *cookie)
{
	l->mode = mode;
	if (cookie)
		memcpy(l->cookie, cookie, COOKIE_SIZE);
}

static void guest_leave(struct guest *g)
{
	g->state = GUEST_LEAVING;
	g->deadline_ns = clock_deadline_ms(LOBBY_LEAVE_MS);
	buf_clear(&g->ctl.in);
	g->ctl.conn.transport->finish(&g->ctl.conn);
}

/* A full socket of somebody who doesn't read is not worth waiting for, and a
 * single byte always fits into a fresh one. */
static void guest_refuse(struct guest *g)
{
	signed char busy = STATE_ACCESS_DENIED;

	if (send(g->ctl.conn.fd, &busy, 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		g->deadline_ns = 0;
	guest_leave(g);
}

/* Who has to go when somebody comes: one who leaves anyway, else the one who
 * has been here longest. */
static size_t lobby_victim(const struct lobby *l)
{
	size_t i;

	for (i = 0; i < l->guests; i++)
		if (l->guest[i].state == GUEST_LEAVING)
			return i;
	return 0;
}

static struct guest *lobby_new_guest(struct lobby *l)
{
	struct guest *g;

	if (l->guests == LOBBY_MAX)
		lobby_drop(l, lobby_victim(l));
	g = &l->guest[l->guests++];
	memset(g, 0, sizeof(*g));
	ctl_init(&g->ctl);
	g->arrival = ++l->arrivals;
	return g;
}

static void lobby_welcome(struct lobby *l, const struct conn *conn)
{
	struct guest *g = lobby_new_guest(l);

	g->state = GUEST_WANTS_COOKIE;
	g->deadline_ns = clock_deadline_ms(LOBBY_COOKIE_MS);
	if (ctl_attach(&g->ctl, conn))
		g->deadline_ns = 0;
	else if (l->mode == LOBBY_CLOSED)
		guest_refuse(g);
}

int lobby_admit(struct lobby *l, const struct transport *t, int listener)
{
	struct conn conn = CONN_NONE;
	int i;

	for (i = 0; i < LOBBY_ADMIT_MAX; i++) {
		int rc = t->accept(listener, NULL, &conn);

		if (rc)
			return rc == -EAGAIN ? 0 : rc;
		lobby_welcome(l, &conn);
	}
	return 0;
}

bool lobby_is_busy(const struct lobby *l)
{
	size_t i;

	for (i = 0; i < l->guests; i++)
		if (l->guest[i].state != GUEST_LEAVING)
			return true;
	return false;
}

void lobby_see_off(struct lobby *l, struct ctl *ctl)
{
	struct guest *g;

	if (ctl->conn.fd < 0)
		return;
	/* May be called while guests are being served, so nobody is moved. */
	if (l->guests == LOBBY_MAX) {
		ctl_done(ctl);
		return;
	}
	g = lobby_new_guest(l);
	g->ctl = *ctl;
	ctl_init(ctl);
	guest_leave(g);
}

size_t lobby_poll_set(const struct lobby *l, struct pollfd *pfd)
{
	size_t i;

	for (i = 0; i < l->guests; i++)
		pfd[i] = (struct pollfd){
			.fd = l->guest[i].ctl.conn.fd,
			.events = POLLIN,
		};
	return l->guests;
}

uint64_t lobby_deadline_ns(const struct lobby *l)
{
	uint64_t next_ns = CLOCK_NEVER;
	size_t i;

	for (i = 0; i < l->guests; i++)
		if (l->guest[i].deadline_ns < next_ns)
			next_ns = l->guest[i].deadline_ns;
	return next_ns;
}

static enum guest_news guest_discard(struct guest *g)
{
	char chunk[DISCARD_BYTES];
	ssize_t n = recv(g->ctl.conn.fd, chunk, sizeof(chunk), MSG_DONTWAIT);

	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return GUEST_STAYS;
	return GUEST_GONE;
}

static enum guest_news guest_take_params(struct lobby *l, struct guest *g)
{
	cJSON *params = NULL;
	int rc = ctl_take_json(&g->ctl, CTL_PARAMS_MAX_BYTES, &params);

	if (rc == 0)
		return GUEST_STAYS;
	if (rc < 0) {
		ctl_send_error(&g->ctl, ERR_RECV_PARAMS, 0);
		guest_leave(g);
		return GUEST_STAYS;
	}
	if (l->mode != LOBBY_OPEN) {
		cJSON_Delete(params);
		guest_refuse(g);
		return GUEST_STAYS;
	}
	l->host.on_client(l->host.ctx, &g->ctl, g->cookie, params);
	return GUEST_GONE;
}

static enum guest_news guest_take_cookie(struct lobby *l, struct guest *g)
{
	if (ctl_take_cookie(&g->ctl, g->cookie) == 0)
		return GUEST_STAYS;
	if (l->mode == LOBBY_STREAMS && !strcmp(g->cookie, l->cookie)) {
		struct conn conn = g->ctl.conn;

		/* Payload may follow the cookie at once; none of it may be
		 * swallowed here, see guest_fill. */
		g->ctl.conn = CONN_NONE;
		l->host.on_stream(l->host.ctx, &conn, g->arrival);
		return GUEST_GONE;
	}
	if (l->mode != LOBBY_OPEN) {
		guest_refuse(g);
		return GUEST_STAYS;
	}
	if (ctl_send_state(&g->ctl, STATE_PARAM_EXCHANGE))
		return GUEST_GONE;
	g->state = GUEST_WANTS_PARAMS;
	g->deadline_ns = clock_deadline_ms(LOBBY_PARAMS_MS);
	return guest_take_params(l, g);
}

/* No further than the cookie: the connection may become a data stream, whose
 * bytes are somebody else's to count. */
static int guest_fill(struct guest *g)
{
	return ctl_fill(&g->ctl, g->state == GUEST_WANTS_COOKIE ? COOKIE_SIZE
								: CTL_FILL_ALL);
}

static enum guest_news guest_serve(struct lobby *l, struct guest *g)
{
	int rc;

	if (g->state == GUEST_LEAVING)
		return guest_discard(g);
	rc = guest_fill(g);
	if (rc == -EAGAIN)
		return GUEST_STAYS;
	if (rc <= 0)
		return GUEST_GONE;
	return g->state == GUEST_WANTS_COOKIE ? guest_take_cookie(l, g)
					      : guest_take_params(l, g);
}

/* Its time is up. A client is told what was missing. */
static enum guest_news guest_expire(struct guest *g)
{
	if (g->state == GUEST_LEAVING || g->deadline_ns == 0)
		return GUEST_GONE;
	ctl_send_error(&g->ctl,
		       g->state == GUEST_WANTS_COOKIE ? ERR_RECV_COOKIE
						      : ERR_RECV_PARAMS,
		       0);
	guest_leave(g);
	return GUEST_STAYS;
}

void lobby_serve(struct lobby *l, const struct pollfd *pfd, size_t n)
{
	uint64_t now_ns = clock_now_ns();
	size_t i;
	size_t at = 0;

	/* The set was made from the first n guests; slots move up when one
	 * leaves, so @at follows. */
	for (i = 0; i < n; i++) {
		struct guest *g = &l->guest[at];
		enum guest_news news = GUEST_STAYS;

		/* One who is leaving may go on talking, but not for ever. */
		if (g->deadline_ns <= now_ns &&
		    (!pfd[i].revents || g->state == GUEST_LEAVING))
			news = guest_expire(g);
		else if (pfd[i].revents)
			news = guest_serve(l, g);
		if (news == GUEST_GONE)
			lobby_drop(l, at);
		else
			at++;
	}
}

void lobby_farewell(struct lobby *l)
{
	size_t i = 0;

	/* Strangers who haven't said what they want are owed nothing. */
	while (i < l->guests)
		if (l->guest[i].state == GUEST_LEAVING)
			i++;
		else
			lobby_drop(l, i);
	while (l->guests > 0) {
		struct pollfd pfd[LOBBY_MAX];
		size_t n = lobby_poll_set(l, pfd);
		int wait_ms =
			clock_poll_ms(lobby_deadline_ns(l), clock_now_ns());

		if (poll(pfd, n, wait_ms) < 0 && errno != EINTR)
			break;
		lobby_serve(l, pfd, n);
	}
}
