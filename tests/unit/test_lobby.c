/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The lobby with visitors who come over AF_UNIX, where what one end has done
 * is there for the other at once: no test has to wait.
 */
#include <stdlib.h>
#include <sys/un.h>

#include "fixture_fake.h"
#include "session/lobby.h"

#define COOKIE "abcdefghijklmnopqrstuvwxyz2345672345"
#define OTHER "zbcdefghijklmnopqrstuvwxyz2345672345"
#define STREAMS_MAX 4

static const char params[] = "\0\0\0\x0f{\"parallel\":12}";
#define PARAMS_BYTES (sizeof(params) - 1)

/* A server's part of it, as far as the lobby can tell. */
struct scene {
	struct lobby lobby;
	int listener;
	struct sockaddr_un at;
	socklen_t at_len;
	int clients;
	struct ctl client; /* the last one */
	char cookie[COOKIE_SIZE];
	int parallel;
	size_t streams;
	struct conn stream[STREAMS_MAX];
	uint64_t arrival[STREAMS_MAX];
};

static void on_client(void *ctx, struct ctl *ctl, const char *cookie,
		      cJSON *json)
{
	struct scene *sc = ctx;
	int64_t parallel = 0;

	sc->clients++;
	ctl_done(&sc->client);
	sc->client = *ctl;
	ctl_init(ctl);
	memcpy(sc->cookie, cookie, COOKIE_SIZE);
	json_get_i64(json, "parallel", 0, 99, &parallel);
	sc->parallel = (int)parallel;
	cJSON_Delete(json);
	lobby_set_mode(&sc->lobby, LOBBY_STREAMS, cookie);
}

static void on_stream(void *ctx, const struct conn *conn, uint64_t arrival)
{
	struct scene *sc = ctx;

	sc->arrival[sc->streams] = arrival;
	sc->stream[sc->streams++] = *conn;
}

static struct scene *begin(enum lobby_mode mode)
{
	struct scene *sc = calloc(1, sizeof(*sc));
	const struct lobby_host host = { on_client, on_stream, sc };

	lobby_init(&sc->lobby, &host);
	lobby_set_mode(&sc->lobby, mode, COOKIE);
	ctl_init(&sc->client);
	sc->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	sc->at.sun_family = AF_UNIX;
	/* The family alone: the kernel chooses an abstract name. */
	assert_int_equal(bind(sc->listener, (struct sockaddr *)&sc->at,
			      sizeof(sc->at.sun_family)),
			 0);
	assert_int_equal(listen(sc->listener, 2 * LOBBY_MAX), 0);
	sc->at_len = sizeof(sc->at);
	getsockname(sc->listener, (struct sockaddr *)&sc->at, &sc->at_len);
	return sc;
}

static void end(struct scene *sc)
{
	while (sc->streams > 0)
		bytestream_close(&sc->stream[--sc->streams]);
	ctl_done(&sc->client);
	lobby_done(&sc->lobby);
	sock_close(&sc->listener);
	free(sc);
}

/* A visitor comes and is let in. */
static struct pair visit(struct scene *sc)
{
	struct pair p = { -1, socket(AF_UNIX, SOCK_STREAM, 0) };

	assert_int_equal(connect(p.far, (struct sockaddr *)&sc->at, sc->at_len),
			 0);
	assert_int_equal(lobby_admit(&sc->lobby, &fake_transport, sc->listener),
			 0);
	return p;
}

/* One turn of the server's loop. */
static void serve(struct scene *sc)
{
	struct pollfd pfd[LOBBY_MAX];
	size_t n = lobby_poll_set(&sc->lobby, pfd);

	assert_true(poll(pfd, n, 0) >= 0);
	lobby_serve(&sc->lobby, pfd, n);
}

static void say(struct scene *sc, const struct pair *p, const void *data,
		size_t len)
{
	pair_say(p, data, len);
	serve(sc);
}

static void hear_byte(const struct pair *p, int want)
{
	signed char got = 0;

	pair_hear(p, &got, 1);
	assert_int_equal(got, want);
}

static void hear_error(const struct pair *p, int code)
{
	char got[9];

	pair_hear(p, got, sizeof(got));
	assert_memory_equal(got, "\xfe\0\0\0", 4);
	assert_int_equal(got[4], code);
	assert_memory_equal(got + 5, "\0\0\0", 4);
}

static void hear_refusal(struct scene *sc, struct pair *p)
{
	hear_byte(p, STATE_ACCESS_DENIED);
	pair_hear_end(p);
	assert_int_equal(sc->lobby.guests, 1);
	sock_close(&p->far);
	serve(sc);
	assert_int_equal(sc->lobby.guests, 0);
}

static void a_client_says_cookie_and_parameters(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);
	struct pair p = visit(sc);

	(void)state;
	assert_int_equal(sc->lobby.guests, 1);
	pair_hear_nothing(&p);
	say(sc, &p, COOKIE, COOKIE_SIZE);
	hear_byte(&p, STATE_PARAM_EXCHANGE);
	assert_int_equal(sc->clients, 0);
	say(sc, &p, params, PARAMS_BYTES);
	assert_int_equal(sc->clients, 1);
	assert_string_equal(sc->cookie, COOKIE);
	assert_int_equal(sc->parallel, 12);
	assert_int_equal(sc->lobby.guests, 0);
	assert_true(sc->client.conn.fd >= 0);
	sock_close(&p.far);
	end(sc);
}

static void everything_may_come_byte_by_byte(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);
	struct pair p = visit(sc);
	size_t i;

	(void)state;
	for (i = 0; i < COOKIE_SIZE; i++) {
		pair_hear_nothing(&p);
		say(sc, &p, &COOKIE[i], 1);
	}
	hear_byte(&p, STATE_PARAM_EXCHANGE);
	for (i = 0; i < PARAMS_BYTES; i++) {
		assert_int_equal(sc->clients, 0);
		say(sc, &p, &params[i], 1);
	}
	assert_int_equal(sc->clients, 1);
	sock_close(&p.far);
	end(sc);
}

static void parameters_may_come_with_the_cookie(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);
	struct pair p = visit(sc);

	(void)state;
	pair_say(&p, COOKIE, COOKIE_SIZE);
	say(sc, &p, params, PARAMS_BYTES);
	hear_byte(&p, STATE_PARAM_EXCHANGE);
	serve(sc);
	assert_int_equal(sc->clients, 1);
	sock_close(&p.far);
	end(sc);
}

static void a_stream_says_the_cookie_of_the_test(void **state)
{
	struct scene *sc = begin(LOBBY_STREAMS);
	struct pair p = visit(sc);

	(void)state;
	say(sc, &p, COOKIE, 20);
	assert_int_equal(sc->streams, 0);
	say(sc, &p, &COOKIE[20], COOKIE_SIZE - 20);
	assert_int_equal(sc->streams, 1);
	assert_int_equal(sc->lobby.guests, 0);
	/* It is answered by nothing at all. */
	pair_hear_nothing(&p);
	sock_close(&p.far);
	end(sc);
}

static void payload_behind_a_cookie_is_not_swallowed(void **state)
{
	struct scene *sc = begin(LOBBY_STREAMS);
	struct pair p = visit(sc);
	static const char payload[7] = { 'p', 'a', 'y', 'l', 'o', 'a', 'd' };
	char message[COOKIE_SIZE + sizeof(payload)] = COOKIE;
	char got[8];

	(void)state;
	memcpy(message + COOKIE_SIZE, payload, sizeof(payload));
	pair_say(&p, message, 10);
	serve(sc);
	pair_say(&p, message + 10, sizeof(message) - 10);
	serve(sc);
	assert_int_equal(sc->streams, 1);
	assert_int_equal(recv(sc->stream[0].fd, got, sizeof(got), MSG_DONTWAIT),
			 7);
	assert_memory_equal(got, "payload", 7);
	sock_close(&p.far);
	end(sc);
}

static void streams_keep_their_order_of_arrival(void **state)
{
	struct scene *sc = begin(LOBBY_STREAMS);
	struct pair first = visit(sc);
	struct pair second = visit(sc);

	(void)state;
	say(sc, &second, COOKIE, COOKIE_SIZE);
	say(sc, &first, COOKIE, COOKIE_SIZE);
	assert_int_equal(sc->streams, 2);
	assert_true(sc->arrival[0] > sc->arrival[1]);
	sock_close(&first.far);
	sock_close(&second.far);
	end(sc);
}

static void a_wrong_cookie_is_refused_while_streams_are_awaited(void **state)
{
	struct scene *sc = begin(LOBBY_STREAMS);
	struct pair p = visit(sc);

	(void)state;
	say(sc, &p, OTHER, COOKIE_SIZE);
	assert_int_equal(sc->streams, 0);
	hear_refusal(sc, &p);
	/* The right one is still welcome. */
	p = visit(sc);
	say(sc, &p, COOKIE, COOKIE_SIZE);
	assert_int_equal(sc->streams, 1);
	sock_close(&p.far);
	end(sc);
}

/* PROTOCOL.md 5.7: at once, nothing is read. */
static void a_busy_server_says_so_at_once(void **state)
{
	struct scene *sc = begin(LOBBY_CLOSED);
	struct pair p = visit(sc);

	(void)state;
	hear_refusal(sc, &p);
	end(sc);
}

/* Closing with unread bytes would reset the connection and take the refusal
 * away. */
static void a_refused_guest_is_listened_to_until_it_goes(void **state)
{
	struct scene *sc = begin(LOBBY_CLOSED);
	struct pair p = visit(sc);

	(void)state;
	say(sc, &p, COOKIE, COOKIE_SIZE);
	say(sc, &p, params, PARAMS_BYTES);
	assert_int_equal(sc->lobby.guests, 1);
	assert_int_equal(sc->clients, 0);
	hear_refusal(sc, &p);
	end(sc);
}

static void a_client_whose_parameters_come_too_late_is_refused(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);
	struct pair p = visit(sc);

	(void)state;
	say(sc, &p, COOKIE, COOKIE_SIZE);
	hear_byte(&p, STATE_PARAM_EXCHANGE);
	lobby_set_mode(&sc->lobby, LOBBY_CLOSED, NULL);
	say(sc, &p, params, PARAMS_BYTES);
	assert_int_equal(sc->clients, 0);
	hear_refusal(sc, &p);
	end(sc);
}

static void the_first_of_two_clients_wins(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);
	struct pair a = visit(sc);
	struct pair b = visit(sc);

	(void)state;
	pair_say(&a, COOKIE, COOKIE_SIZE);
	pair_say(&b, OTHER, COOKIE_SIZE);
	serve(sc);
	hear_byte(&a, STATE_PARAM_EXCHANGE);
	hear_byte(&b, STATE_PARAM_EXCHANGE);
	pair_say(&b, params, PARAMS_BYTES);
	pair_say(&a, params, PARAMS_BYTES);
	serve(sc);
	assert_int_equal(sc->clients, 1);
	assert_string_equal(sc->cookie, COOKIE);
	hear_refusal(sc, &b);
	sock_close(&a.far);
	end(sc);
}

static void bad_parameters_are_answered_with_their_error(void **state)
{
	static const char *const bad[] = { "\0\0\0\0", "\0\0\x20\x01",
					   "\0\0\0\x02[]" };
	static const size_t len[] = { 4, 4, 6 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct scene *sc = begin(LOBBY_OPEN);
		struct pair p = visit(sc);

		say(sc, &p, COOKIE, COOKIE_SIZE);
		hear_byte(&p, STATE_PARAM_EXCHANGE);
		say(sc, &p, bad[i], len[i]);
		hear_error(&p, ERR_RECV_PARAMS);
		pair_hear_end(&p);
		assert_int_equal(sc->clients, 0);
		sock_close(&p.far);
		end(sc);
	}
}

static void who_goes_without_a_word_is_forgotten(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);
	struct pair a = visit(sc);
	struct pair b = visit(sc);
	struct pair c = visit(sc);

	(void)state;
	say(sc, &b, COOKIE, 36);
	say(sc, &c, COOKIE, COOKIE_SIZE);
	sock_close(&a.far);
	sock_close(&b.far);
	sock_close(&c.far);
	serve(sc);
	assert_int_equal(sc->lobby.guests, 0);
	end(sc);
}

static void a_full_lobby_shows_its_oldest_guest_out(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);
	struct pair p[LOBBY_MAX + 1];
	size_t i;

	(void)state;
	for (i = 0; i < LOBBY_MAX; i++)
		p[i] = visit(sc);
	assert_int_equal(sc->lobby.guests, LOBBY_MAX);
	pair_hear_nothing(&p[0]);
	p[LOBBY_MAX] = visit(sc);
	assert_int_equal(sc->lobby.guests, LOBBY_MAX);
	pair_hear_end(&p[0]);
	pair_hear_nothing(&p[1]);
	say(sc, &p[LOBBY_MAX], COOKIE, COOKIE_SIZE);
	hear_byte(&p[LOBBY_MAX], STATE_PARAM_EXCHANGE);
	for (i = 0; i <= LOBBY_MAX; i++)
		sock_close(&p[i].far);
	end(sc);
}

static void whoever_leaves_anyway_makes_room_first(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);
	struct pair p[LOBBY_MAX + 1];
	size_t i;

	(void)state;
	for (i = 0; i < LOBBY_MAX; i++) {
		lobby_set_mode(&sc->lobby, i == 5 ? LOBBY_CLOSED : LOBBY_OPEN,
			       NULL);
		p[i] = visit(sc);
	}
	assert_true(lobby_is_busy(&sc->lobby));
	hear_byte(&p[5], STATE_ACCESS_DENIED);
	p[LOBBY_MAX] = visit(sc);
	assert_int_equal(sc->lobby.guests, LOBBY_MAX);
	assert_int_equal(sc->lobby.guest[0].arrival, 1);
	for (i = 0; i < LOBBY_MAX; i++)
		assert_int_not_equal(sc->lobby.guest[i].arrival, 6);
	for (i = 0; i <= LOBBY_MAX; i++)
		sock_close(&p[i].far);
	end(sc);
}

static void a_lobby_of_leaving_guests_is_not_busy(void **state)
{
	struct scene *sc = begin(LOBBY_CLOSED);
	struct pair p = visit(sc);

	(void)state;
	assert_false(lobby_is_busy(&sc->lobby));
	lobby_set_mode(&sc->lobby, LOBBY_OPEN, NULL);
	sock_close(&p.far);
	p = visit(sc);
	assert_true(lobby_is_busy(&sc->lobby));
	sock_close(&p.far);
	end(sc);
}

/* Each guest has a deadline of its own; the test makes it pass. */
static void silent_guests_are_told_what_was_missing(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);
	struct pair a = visit(sc);
	struct pair b = visit(sc);

	(void)state;
	say(sc, &b, COOKIE, COOKIE_SIZE);
	hear_byte(&b, STATE_PARAM_EXCHANGE);
	serve(sc);
	pair_hear_nothing(&a);
	sc->lobby.guest[0].deadline_ns = PAIR_LONG_PAST_NS;
	sc->lobby.guest[1].deadline_ns = PAIR_LONG_PAST_NS;
	assert_int_equal(lobby_deadline_ns(&sc->lobby), PAIR_LONG_PAST_NS);
	serve(sc);
	hear_error(&a, ERR_RECV_COOKIE);
	hear_error(&b, ERR_RECV_PARAMS);
	pair_hear_end(&a);
	assert_int_equal(sc->lobby.guests, 2);
	/* Whoever does not go is left alone. */
	sc->lobby.guest[0].deadline_ns = PAIR_LONG_PAST_NS;
	serve(sc);
	assert_int_equal(sc->lobby.guests, 1);
	sock_close(&a.far);
	sock_close(&b.far);
	end(sc);
}

static void a_control_connection_leaves_through_the_lobby(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);
	struct pair p = visit(sc);

	(void)state;
	pair_say(&p, COOKIE, COOKIE_SIZE);
	serve(sc);
	say(sc, &p, params, PARAMS_BYTES);
	hear_byte(&p, STATE_PARAM_EXCHANGE);
	lobby_see_off(&sc->lobby, &sc->client);
	assert_int_equal(sc->client.conn.fd, -1);
	assert_int_equal(sc->lobby.guests, 1);
	pair_hear_end(&p);
	/* Again with nobody there. */
	lobby_see_off(&sc->lobby, &sc->client);
	assert_int_equal(sc->lobby.guests, 1);
	sock_close(&p.far);
	end(sc);
}

static void a_farewell_waits_only_for_those_who_leave(void **state)
{
	struct scene *sc = begin(LOBBY_CLOSED);
	struct pair leaving = visit(sc);
	struct pair waiting;

	(void)state;
	lobby_set_mode(&sc->lobby, LOBBY_OPEN, NULL);
	waiting = visit(sc);
	hear_byte(&leaving, STATE_ACCESS_DENIED);
	sock_close(&leaving.far);
	lobby_farewell(&sc->lobby);
	assert_int_equal(sc->lobby.guests, 0);
	pair_hear_end(&waiting);
	sock_close(&waiting.far);
	end(sc);
}

static void an_empty_lobby_has_no_deadline(void **state)
{
	struct scene *sc = begin(LOBBY_OPEN);

	(void)state;
	assert_true(lobby_deadline_ns(&sc->lobby) == CLOCK_NEVER);
	serve(sc);
	lobby_farewell(&sc->lobby);
	assert_int_equal(lobby_admit(&sc->lobby, &fake_transport, sc->listener),
			 0);
	assert_int_equal(lobby_admit(&sc->lobby, &fake_transport, -1), -EBADF);
	end(sc);
}

static void a_leaving_guest_that_goes_on_talking_has_its_time(void **state)
{
	struct scene *sc = begin(LOBBY_CLOSED);
	struct pair p = visit(sc);

	(void)state;
	hear_byte(&p, STATE_ACCESS_DENIED);
	sc->lobby.guest[0].deadline_ns = PAIR_LONG_PAST_NS;
	say(sc, &p, "more", 4);
	assert_int_equal(sc->lobby.guests, 0);
	sock_close(&p.far);
	end(sc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_client_says_cookie_and_parameters),
		cmocka_unit_test(everything_may_come_byte_by_byte),
		cmocka_unit_test(parameters_may_come_with_the_cookie),
		cmocka_unit_test(a_stream_says_the_cookie_of_the_test),
		cmocka_unit_test(payload_behind_a_cookie_is_not_swallowed),
		cmocka_unit_test(streams_keep_their_order_of_arrival),
		cmocka_unit_test(
			a_wrong_cookie_is_refused_while_streams_are_awaited),
		cmocka_unit_test(a_busy_server_says_so_at_once),
		cmocka_unit_test(a_refused_guest_is_listened_to_until_it_goes),
		cmocka_unit_test(
			a_client_whose_parameters_come_too_late_is_refused),
		cmocka_unit_test(the_first_of_two_clients_wins),
		cmocka_unit_test(bad_parameters_are_answered_with_their_error),
		cmocka_unit_test(who_goes_without_a_word_is_forgotten),
		cmocka_unit_test(a_full_lobby_shows_its_oldest_guest_out),
		cmocka_unit_test(whoever_leaves_anyway_makes_room_first),
		cmocka_unit_test(a_lobby_of_leaving_guests_is_not_busy),
		cmocka_unit_test(silent_guests_are_told_what_was_missing),
		cmocka_unit_test(a_control_connection_leaves_through_the_lobby),
		cmocka_unit_test(a_farewell_waits_only_for_those_who_leave),
		cmocka_unit_test(an_empty_lobby_has_no_deadline),
		cmocka_unit_test(
			a_leaving_guest_that_goes_on_talking_has_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
