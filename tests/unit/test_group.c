/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The streams of a test with their workers, each over a socket pair whose far
 * end is played here. Every wait is for an event of the group.
 */
#include "engine/group.h"
#include "fixture_fake.h"

#define BLOCK_BYTES 1000
/* More than a socket pair holds: whoever sends it waits for its reader. */
#define HUGE_BLOCK_BYTES (4u << 20)
#define STREAMS 4

struct scene {
	struct settings settings;
	struct group group;
	struct pair pair[STREAMS];
	struct fake fake[STREAMS];
	int streams;
};

/* A group of @streams, of which the first @senders send. */
static void begin(struct scene *sc, int streams, int senders)
{
	struct err e = ERR_INIT;
	int i;

	sc->streams = streams;
	sc->settings.streams = streams;
	assert_int_equal(
		group_init(&sc->group, &sc->settings, &fake_transport, &e), 0);
	for (i = 0; i < streams; i++) {
		struct conn conn;
		struct err none = ERR_INIT;

		sc->pair[i] = pair_open();
		conn = fake_conn(sc->pair[i].near, &sc->fake[i]);
		assert_int_equal(
			group_add(&sc->group, &conn, i < senders, &none), 0);
	}
}

static struct scene *scene_new(void)
{
	static struct scene sc;

	memset(&sc, 0, sizeof(sc));
	settings_init(&sc.settings);
	sc.settings.block_bytes = BLOCK_BYTES;
	return &sc;
}

static void start(struct scene *sc)
{
	struct err e = ERR_INIT;

	assert_int_equal(group_start(&sc->group, &e), 0);
}

static void end(struct scene *sc)
{
	int i;

	group_done(&sc->group);
	for (i = 0; i < sc->streams; i++)
		sock_close(&sc->pair[i].far);
}

/* Waits until @is_so; each event of the group is a reason to look again. */
static void wait_until(struct scene *sc, bool (*is_so)(const struct group *g))
{
	struct pollfd pfd = { .fd = group_notify_fd(&sc->group),
			      .events = POLLIN };

	while (!is_so(&sc->group)) {
		if (poll(&pfd, 1, PAIR_PATIENCE_MS) != 1)
			fail_msg("the group told nothing");
		group_clear_notify(&sc->group);
	}
}

/* What all workers have moved so far. */
static uint64_t moved(const struct scene *sc)
{
	uint64_t bytes = 0;
	size_t i;

	for (i = 0; i < sc->group.streams; i++)
		bytes += counter_get(&sc->group.stream[i].counters.bytes);
	return bytes;
}

static bool is_lost(const struct group *g)
{
	return group_lost(g) != NULL;
}

static bool is_done(const struct group *g)
{
	return group_is_sent(g) && group_is_received(g);
}

/* Everything that the peer of stream @i receives, up to the end. */
static uint64_t drain(struct scene *sc, int i)
{
	struct patience some = pair_patience();
	char block[BLOCK_BYTES];
	uint64_t bytes = 0;
	ssize_t n;

	do {
		assert_int_equal(sock_wait(sc->pair[i].far, POLLIN, &some), 0);
		n = recv(sc->pair[i].far, block, sizeof(block), 0);
		bytes += n > 0 ? (uint64_t)n : 0;
	} while (n > 0);
	return bytes;
}

/* No more than one socket holds: who sends what is the scheduler's choice. */
static void senders_share_one_budget_exactly(void **state)
{
	struct scene *sc = scene_new();
	uint64_t heard = 0;
	int i;

	(void)state;
	sc->settings.limit_bytes = 60 * BLOCK_BYTES + 123;
	begin(sc, STREAMS, STREAMS);
	group_set_budget(&sc->group, sc->settings.limit_bytes);
	start(sc);
	wait_until(sc, group_is_sent);
	for (i = 0; i < STREAMS; i++)
		heard += drain(sc, i);
	assert_int_equal(heard, 60 * BLOCK_BYTES + 123);
	assert_int_equal(group_bytes_received(&sc->group), 0);
	assert_null(group_lost(&sc->group));
	end(sc);
}

static void a_budget_holds_whatever_the_kernel_does(void **state)
{
	static const struct fake_step steps[STREAMS][4] = {
		{ FAKE_MOST(1), FAKE_FAIL(EINTR), FAKE_MOST(2), FAKE_MOST(3) },
		{ FAKE_FAIL(EAGAIN), FAKE_MOST(999), FAKE_FAIL(EINTR),
		  FAKE_MOST(1) },
		{ FAKE_MOST(500), FAKE_MOST(499), FAKE_MOST(1),
		  FAKE_FAIL(EINTR) },
		{ FAKE_FAIL(ENOBUFS), FAKE_MOST(7), FAKE_FAIL(ENOMEM),
		  FAKE_FAIL(EINTR) },
	};
	struct scene *sc = scene_new();
	uint64_t heard = 0;
	int i;

	(void)state;
	sc->settings.limit_blocks = 50;
	begin(sc, STREAMS, STREAMS);
	for (i = 0; i < STREAMS; i++)
		sc->fake[i] = (struct fake){ .step = steps[i], .steps = 4 };
	group_set_budget(&sc->group, 50 * BLOCK_BYTES);
	start(sc);
	wait_until(sc, group_is_sent);
	for (i = 0; i < STREAMS; i++)
		heard += drain(sc, i);
	assert_int_equal(heard, 50 * BLOCK_BYTES);
	end(sc);
}

static void an_absurd_budget_is_no_negative_one(void **state)
{
	struct scene *sc = scene_new();

	(void)state;
	begin(sc, 1, 1);
	group_set_budget(&sc->group, UINT64_MAX);
	assert_true(atomic_load(&sc->group.orders.send_budget_bytes) ==
		    INT64_MAX);
	assert_false(group_has_received_all(&sc->group));
	end(sc);
}

static void finishing_ends_the_streams_orderly(void **state)
{
	struct scene *sc = scene_new();
	uint64_t heard;

	(void)state;
	begin(sc, 1, 1);
	start(sc);
	/* The worker fills the socket, so it is in the middle of a block. */
	pair_hear(&sc->pair[0], (char[5]){ 0 }, 5);
	group_finish(&sc->group);
	heard = 5 + drain(sc, 0);
	wait_until(sc, group_is_sent);
	assert_int_equal(heard, moved(sc));
	assert_int_equal(heard % BLOCK_BYTES, 0);
	assert_int_equal(sc->group.stream[0].end, STREAM_FINISHED);
	end(sc);
}

/* Its next block would be due in years. */
static void finishing_wakes_a_sender_that_waits_for_its_time(void **state)
{
	struct scene *sc = scene_new();

	(void)state;
	sc->settings.rate_bps = 1;
	sc->settings.burst_blocks = 1;
	begin(sc, 1, 1);
	start(sc);
	pair_hear(&sc->pair[0], (char[BLOCK_BYTES]){ 0 }, BLOCK_BYTES);
	group_finish(&sc->group);
	wait_until(sc, group_is_sent);
	pair_hear_end(&sc->pair[0]);
	assert_int_equal(moved(sc), BLOCK_BYTES);
	end(sc);
}

static void a_blocked_sender_can_be_cut_off(void **state)
{
	struct scene *sc = scene_new();

	(void)state;
	sc->settings.block_bytes = HUGE_BLOCK_BYTES;
	begin(sc, 2, 1);
	start(sc);
	pair_hear(&sc->pair[0], (char[1]){ 0 }, 1);
	group_finish(&sc->group);
	group_cut_senders(&sc->group);
	wait_until(sc, group_is_sent);
	assert_int_equal(sc->group.stream[0].end, STREAM_FINISHED);
	assert_null(group_lost(&sc->group));
	assert_in_range(moved(sc), 1, HUGE_BLOCK_BYTES - 1);
	assert_int_equal(1 + drain(sc, 0), moved(sc));
	/* Receivers are not concerned. */
	pair_say(&sc->pair[1], "x", 1);
	shutdown(sc->pair[1].far, SHUT_WR);
	wait_until(sc, group_is_received);
	assert_int_equal(group_bytes_received(&sc->group), 1);
	end(sc);
}

static void receivers_drain_to_the_end_of_the_stream(void **state)
{
	struct scene *sc = scene_new();
	char data[3 * BLOCK_BYTES] = { 0 };

	(void)state;
	begin(sc, 2, 0);
	start(sc);
	group_finish(&sc->group);
	pair_say(&sc->pair[0], data, sizeof(data));
	pair_say(&sc->pair[1], data, 1);
	shutdown(sc->pair[0].far, SHUT_WR);
	shutdown(sc->pair[1].far, SHUT_WR);
	wait_until(sc, group_is_received);
	assert_int_equal(group_bytes_received(&sc->group), sizeof(data) + 1);
	assert_int_equal(sc->group.stream[0].end, STREAM_FINISHED);
	assert_int_equal(sc->group.stream[1].end, STREAM_FINISHED);
	end(sc);
}

static void quitting_wakes_workers_that_are_blocked(void **state)
{
	struct scene *sc = scene_new();

	(void)state;
	sc->settings.block_bytes = HUGE_BLOCK_BYTES;
	begin(sc, 2, 1);
	start(sc);
	/* The sender is in the middle of its block. */
	pair_hear(&sc->pair[0], (char[1]){ 0 }, 1);
	group_quit(&sc->group);
	wait_until(sc, is_done);
	assert_int_equal(sc->group.stream[0].end, STREAM_QUIT);
	assert_int_equal(sc->group.stream[1].end, STREAM_QUIT);
	assert_null(group_lost(&sc->group));
	end(sc);
}

static void done_alone_ends_running_workers(void **state)
{
	struct scene *sc = scene_new();

	(void)state;
	begin(sc, STREAMS, 2);
	start(sc);
	end(sc);
	assert_int_equal(sc->group.streams, 0);
}

static void a_lost_stream_is_told_and_named(void **state)
{
	static const struct fake_step steps[] = {
		FAKE_MOST(BLOCK_BYTES),
		FAKE_FAIL(ECONNRESET),
	};
	struct scene *sc = scene_new();

	(void)state;
	begin(sc, 2, 2);
	sc->fake[1] = (struct fake){ .step = steps, .steps = 2 };
	start(sc);
	wait_until(sc, is_lost);
	assert_ptr_equal(group_lost(&sc->group), &sc->group.stream[1]);
	assert_int_equal(group_lost(&sc->group)->error.os_errno, ECONNRESET);
	end(sc);
}

static void a_receive_budget_wakes_the_session(void **state)
{
	struct scene *sc = scene_new();
	char data[2 * BLOCK_BYTES] = { 0 };

	(void)state;
	sc->settings.limit_bytes = 3 * BLOCK_BYTES;
	begin(sc, 2, 0);
	group_set_budget(&sc->group, sc->settings.limit_bytes);
	start(sc);
	pair_say(&sc->pair[0], data, sizeof(data));
	assert_false(group_has_received_all(&sc->group));
	pair_say(&sc->pair[1], data, sizeof(data));
	wait_until(sc, group_has_received_all);
	assert_false(group_is_received(&sc->group));
	end(sc);
}

static void one_stream_too_many_is_closed(void **state)
{
	struct scene *sc = scene_new();
	struct err e = ERR_INIT;
	struct pair extra = pair_open();
	struct fake fake = { 0 };
	struct conn conn = fake_conn(extra.near, &fake);

	(void)state;
	begin(sc, 1, 1);
	assert_true(group_add(&sc->group, &conn, true, &e) < 0);
	assert_int_equal(e.code, ERR_CREATE_STREAM);
	assert_int_equal(sc->group.streams, 1);
	pair_hear_end(&extra);
	sock_close(&extra.far);
	end(sc);
}

static void both_directions_make_room_for_twice_as_many(void **state)
{
	struct scene *sc = scene_new();

	(void)state;
	sc->settings.is_bidir = true;
	begin(sc, 3, 1);
	assert_int_equal(sc->group.capacity, 6);
	end(sc);
}

static void counters_have_cache_lines_of_their_own(void **state)
{
	struct scene *sc = scene_new();
	int i;

	(void)state;
	begin(sc, STREAMS, 1);
	for (i = 0; i < STREAMS; i++)
		assert_int_equal((uintptr_t)&sc->group.stream[i].counters %
					 CACHE_LINE_BYTES,
				 0);
	end(sc);
}

static void a_group_that_never_was_can_be_done(void **state)
{
	struct group g;

	(void)state;
	memset(&g, 0, sizeof(g));
	group_quit(&g);
	group_done(&g);
	assert_null(group_lost(&g));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(senders_share_one_budget_exactly),
		cmocka_unit_test(a_budget_holds_whatever_the_kernel_does),
		cmocka_unit_test(an_absurd_budget_is_no_negative_one),
		cmocka_unit_test(finishing_ends_the_streams_orderly),
		cmocka_unit_test(
			finishing_wakes_a_sender_that_waits_for_its_time),
		cmocka_unit_test(a_blocked_sender_can_be_cut_off),
		cmocka_unit_test(receivers_drain_to_the_end_of_the_stream),
		cmocka_unit_test(quitting_wakes_workers_that_are_blocked),
		cmocka_unit_test(done_alone_ends_running_workers),
		cmocka_unit_test(a_lost_stream_is_told_and_named),
		cmocka_unit_test(a_receive_budget_wakes_the_session),
		cmocka_unit_test(one_stream_too_many_is_closed),
		cmocka_unit_test(both_directions_make_room_for_twice_as_many),
		cmocka_unit_test(counters_have_cache_lines_of_their_own),
		cmocka_unit_test(a_group_that_never_was_can_be_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
