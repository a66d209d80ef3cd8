/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The loops of a worker, run on the test's own thread over a socket pair: what
 * is in the script and in the socket decides how they end.
 */
#include <stdlib.h>
#include <sys/eventfd.h>

#include "engine/stream.h"
#include "fixture_fake.h"

#define BLOCK_BYTES 1000

struct scene {
	struct pair pair;
	struct fake fake;
	struct orders orders;
	struct plan plan;
	struct stream stream;
};

static struct scene *begin_with(bool is_sender, const struct fake_step *step,
				size_t steps)
{
	struct scene *sc = aligned_alloc(CACHE_LINE_BYTES, sizeof(*sc));
	struct err e = ERR_INIT;
	struct conn conn;

	memset(sc, 0, sizeof(*sc));
	sc->pair = pair_open();
	sc->fake = (struct fake){ .step = step, .steps = steps };
	sc->plan = (struct plan){
		.block_bytes = BLOCK_BYTES,
		.finish_fd = eventfd(0, EFD_NONBLOCK),
		.notify_fd = eventfd(0, EFD_NONBLOCK),
		.orders = &sc->orders,
		.is_repeating_payload = true,
	};
	atomic_init(&sc->orders.send_budget_bytes, BUDGET_UNLIMITED);
	atomic_init(&sc->orders.recv_budget_bytes, BUDGET_UNLIMITED);
	conn = fake_conn(sc->pair.near, &sc->fake);
	assert_int_equal(
		stream_init(&sc->stream, &conn, is_sender, &sc->plan, &e), 0);
	return sc;
}

#define BEGIN(is_sender, steps) \
	begin_with(is_sender, steps, sizeof(steps) / sizeof((steps)[0]))

static void end(struct scene *sc)
{
	stream_done(&sc->stream);
	sock_close(&sc->pair.far);
	close(sc->plan.finish_fd);
	close(sc->plan.notify_fd);
	free(sc);
}

static void order(struct scene *sc, enum order o)
{
	atomic_store(&sc->orders.order, o);
}

static void set_budget(struct scene *sc, int64_t bytes)
{
	sc->plan.has_budget = true;
	atomic_store(&sc->orders.send_budget_bytes, bytes);
	atomic_store(&sc->orders.recv_budget_bytes, bytes);
}

static uint64_t bytes_of(const struct scene *sc)
{
	return counter_get(&sc->stream.counters.bytes);
}

/* How often the session was told. */
static uint64_t notices(const struct scene *sc)
{
	uint64_t count = 0;

	if (read(sc->plan.notify_fd, &count, sizeof(count)) < 0)
		return 0;
	return count;
}

/* The peer reads @len bytes of the repeating payload and then the end. */
static void hear_payload(struct scene *sc, size_t len)
{
	char block[BLOCK_BYTES];

	while (len > 0) {
		size_t part = len < sizeof(block) ? len : sizeof(block);
		size_t i;

		pair_hear(&sc->pair, block, part);
		for (i = 0; i < part; i++)
			assert_int_equal(block[i], '0' + (int)(i % 10));
		len -= part;
	}
	pair_hear_end(&sc->pair);
}

static void a_sender_takes_exactly_its_budget(void **state)
{
	struct scene *sc = begin_with(true, NULL, 0);

	(void)state;
	set_budget(sc, 10 * BLOCK_BYTES + 345);
	run_tx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_FINISHED);
	assert_int_equal(bytes_of(sc), 10 * BLOCK_BYTES + 345);
	assert_int_equal(counter_get(&sc->stream.counters.calls), 11);
	assert_int_equal(sc->fake.finishes, 1);
	assert_true(sc->stream.end_ns > 0);
	hear_payload(sc, 10 * BLOCK_BYTES + 345);
	end(sc);
}

static void an_empty_budget_sends_nothing(void **state)
{
	struct scene *sc = begin_with(true, NULL, 0);

	(void)state;
	set_budget(sc, 0);
	run_tx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_FINISHED);
	assert_int_equal(sc->fake.calls, 0);
	hear_payload(sc, 0);
	end(sc);
}

static void short_counts_do_not_change_the_total(void **state)
{
	static const struct fake_step steps[] = {
		FAKE_MOST(1),	FAKE_MOST(998), FAKE_MOST(5), FAKE_MOST(2000),
		FAKE_MOST(500), FAKE_MOST(499), FAKE_MOST(1),
	};
	struct scene *sc = BEGIN(true, steps);

	(void)state;
	set_budget(sc, 3 * BLOCK_BYTES);
	run_tx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_FINISHED);
	assert_int_equal(bytes_of(sc), 3 * BLOCK_BYTES);
	assert_int_equal(sc->fake.calls,
			 counter_get(&sc->stream.counters.calls));
	pair_hear(&sc->pair, sc->stream.block, BLOCK_BYTES);
	end(sc);
}

static void a_sender_survives_what_passes(void **state)
{
	static const struct fake_step steps[] = {
		FAKE_FAIL(EINTR),  FAKE_FAIL(EAGAIN), FAKE_FAIL(ENOMEM),
		FAKE_MOST(400),	   FAKE_FAIL(EINTR),  FAKE_FAIL(ENOBUFS),
		FAKE_FAIL(EAGAIN),
	};
	struct scene *sc = BEGIN(true, steps);
	uint64_t one = 1;

	(void)state;
	/* What a pause waits for, so that none is waited out. */
	assert_int_equal(write(sc->plan.finish_fd, &one, sizeof(one)),
			 sizeof(one));
	set_budget(sc, 2 * BLOCK_BYTES);
	run_tx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_FINISHED);
	assert_int_equal(bytes_of(sc), 2 * BLOCK_BYTES);
	assert_int_equal(counter_get(&sc->stream.counters.retries), 2);
	assert_int_equal(counter_get(&sc->stream.counters.calls), 3);
	end(sc);
}

static void a_sender_that_is_cut_off_is_lost(void **state)
{
	static const struct fake_step steps[] = {
		FAKE_MOST(BLOCK_BYTES),
		FAKE_FAIL(ECONNRESET),
	};
	struct scene *sc = BEGIN(true, steps);

	(void)state;
	run_tx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_LOST);
	assert_int_equal(sc->stream.error.code, ERR_STREAM_WRITE);
	assert_int_equal(sc->stream.error.os_errno, ECONNRESET);
	assert_non_null(strstr(sc->stream.error.detail, "1000 bytes"));
	assert_int_equal(sc->fake.finishes, 0);
	end(sc);
}

/* A peer of an old release closes without reading to the end. */
static void a_reset_after_the_order_to_finish_is_an_end(void **state)
{
	static const int gone[] = { ECONNRESET, EPIPE, ENOTCONN };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
		const struct fake_step steps[] = { FAKE_FAIL(gone[i]) };
		struct scene *sc = BEGIN(false, steps);

		order(sc, ORDER_FINISH);
		run_rx(&sc->stream);
		assert_int_equal(sc->stream.end, STREAM_FINISHED);
		assert_int_equal(sc->stream.error.code, ERR_NONE);
		end(sc);
	}
}

static void a_sender_told_to_finish_ends_orderly(void **state)
{
	struct scene *sc = begin_with(true, NULL, 0);

	(void)state;
	order(sc, ORDER_FINISH);
	run_tx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_FINISHED);
	assert_int_equal(sc->fake.calls, 0);
	hear_payload(sc, 0);
	end(sc);
}

static void a_sender_told_to_quit_does_not_finish(void **state)
{
	static const struct fake_step steps[] = { FAKE_FAIL(EPIPE) };
	struct scene *sc = BEGIN(true, steps);

	(void)state;
	order(sc, ORDER_QUIT);
	run_tx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_QUIT);
	assert_int_equal(sc->fake.finishes, 0);
	end(sc);
}

static void a_failed_finish_is_a_lost_stream(void **state)
{
	struct scene *sc = begin_with(true, NULL, 0);

	(void)state;
	set_budget(sc, 0);
	sc->fake.finish_errno = EIO;
	run_tx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_LOST);
	assert_int_equal(sc->stream.error.code, ERR_STREAM_CLOSE);
	assert_int_equal(sc->stream.error.os_errno, EIO);
	end(sc);
	sc = begin_with(true, NULL, 0);
	set_budget(sc, 0);
	sc->fake.finish_errno = ENOTCONN;
	run_tx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_FINISHED);
	end(sc);
}

static void a_paced_sender_takes_exactly_its_budget(void **state)
{
	struct scene *sc = begin_with(true, NULL, 0);

	(void)state;
	set_budget(sc, 3 * BLOCK_BYTES + 7);
	sc->plan.rate_bps = 80000000000;
	run_tx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_FINISHED);
	hear_payload(sc, 3 * BLOCK_BYTES + 7);
	end(sc);
}

static void a_receiver_reads_to_the_orderly_end(void **state)
{
	static const struct fake_step steps[] = {
		FAKE_MOST(1),
		FAKE_FAIL(EINTR),
		FAKE_FAIL(EAGAIN),
		FAKE_MOST(7),
	};
	struct scene *sc = BEGIN(false, steps);
	char data[5 * BLOCK_BYTES] = { 0 };

	(void)state;
	pair_say(&sc->pair, data, sizeof(data));
	sock_close(&sc->pair.far);
	run_rx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_FINISHED);
	assert_int_equal(bytes_of(sc), sizeof(data));
	assert_int_equal(notices(sc), 0);
	end(sc);
}

static void a_receiver_that_is_cut_off_is_lost(void **state)
{
	static const struct fake_step steps[] = { FAKE_FAIL(ECONNRESET) };
	struct scene *sc = BEGIN(false, steps);

	(void)state;
	run_rx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_LOST);
	assert_int_equal(sc->stream.error.code, ERR_STREAM_READ);
	assert_int_equal(sc->stream.error.os_errno, ECONNRESET);
	end(sc);
}

static void silence_before_the_order_to_finish_is_no_end(void **state)
{
	static const struct fake_step steps[] = {
		FAKE_FAIL(EAGAIN), FAKE_FAIL(EAGAIN), FAKE_FAIL(EAGAIN),
		FAKE_FAIL(EAGAIN), FAKE_END,
	};
	struct scene *sc = BEGIN(false, steps);

	(void)state;
	order(sc, ORDER_RUN);
	run_rx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_FINISHED);
	assert_int_equal(sc->fake.calls, 5);
	end(sc);
}

static void a_receiver_told_to_quit_counts_no_more(void **state)
{
	static const struct fake_step steps[] = { FAKE_END };
	struct scene *sc = begin_with(false, NULL, 0);

	(void)state;
	pair_say(&sc->pair, "abc", 3);
	order(sc, ORDER_QUIT);
	run_rx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_QUIT);
	assert_int_equal(bytes_of(sc), 0);
	end(sc);
	sc = BEGIN(false, steps);
	order(sc, ORDER_QUIT);
	run_rx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_QUIT);
	end(sc);
}

/* It reads on, because the sender needs time to hear of it. */
static void a_receive_budget_is_told_once(void **state)
{
	struct scene *sc = begin_with(false, NULL, 0);
	char data[4 * BLOCK_BYTES] = { 0 };

	(void)state;
	set_budget(sc, 2 * BLOCK_BYTES);
	pair_say(&sc->pair, data, sizeof(data));
	sock_close(&sc->pair.far);
	run_rx(&sc->stream);
	assert_int_equal(sc->stream.end, STREAM_FINISHED);
	assert_int_equal(bytes_of(sc), sizeof(data));
	assert_int_equal(notices(sc), 1);
	end(sc);
}

static void a_receive_budget_that_is_not_reached_is_not_told(void **state)
{
	struct scene *sc = begin_with(false, NULL, 0);
	char data[BLOCK_BYTES] = { 0 };

	(void)state;
	set_budget(sc, BLOCK_BYTES + 1);
	pair_say(&sc->pair, data, sizeof(data));
	sock_close(&sc->pair.far);
	run_rx(&sc->stream);
	assert_int_equal(notices(sc), 0);
	end(sc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sender_takes_exactly_its_budget),
		cmocka_unit_test(an_empty_budget_sends_nothing),
		cmocka_unit_test(short_counts_do_not_change_the_total),
		cmocka_unit_test(a_sender_survives_what_passes),
		cmocka_unit_test(a_sender_that_is_cut_off_is_lost),
		cmocka_unit_test(a_reset_after_the_order_to_finish_is_an_end),
		cmocka_unit_test(a_sender_told_to_finish_ends_orderly),
		cmocka_unit_test(a_sender_told_to_quit_does_not_finish),
		cmocka_unit_test(a_failed_finish_is_a_lost_stream),
		cmocka_unit_test(a_paced_sender_takes_exactly_its_budget),
		cmocka_unit_test(a_receiver_reads_to_the_orderly_end),
		cmocka_unit_test(a_receiver_that_is_cut_off_is_lost),
		cmocka_unit_test(silence_before_the_order_to_finish_is_no_end),
		cmocka_unit_test(a_receiver_told_to_quit_counts_no_more),
		cmocka_unit_test(a_receive_budget_is_told_once),
		cmocka_unit_test(
			a_receive_budget_that_is_not_reached_is_not_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
