/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/un.h>

#include <arpa/inet.h>

#include "fixture_pair.h"

/* More than any socket pair holds, so that both sides see short counts. */
#define MUCH_BYTES (8u << 20)

static const struct patience past = { PAIR_LONG_PAST_NS, -1 };

/* Something that is readable for ever, as after a signal. */
static struct patience stopped(int pipe_fd[2])
{
	assert_int_equal(pipe(pipe_fd), 0);
	assert_int_equal(write(pipe_fd[1], "x", 1), 1);
	return (struct patience){ CLOCK_NEVER, pipe_fd[0] };
}

static void close_pipe(int pipe_fd[2])
{
	sock_close(&pipe_fd[0]);
	sock_close(&pipe_fd[1]);
}

static void fill_up(int fd)
{
	char chunk[4096] = { 0 };

	while (send(fd, chunk, sizeof(chunk), MSG_DONTWAIT) > 0)
		continue;
	assert_true(errno == EAGAIN);
}

struct sending {
	int fd;
	char *data;
	int rc;
};

static void *send_much(void *arg)
{
	struct sending *s = arg;
	struct patience some = pair_patience();

	s->rc = sock_send_all(s->fd, s->data, MUCH_BYTES, &some);
	return NULL;
}

static void send_and_receive_much(bool is_blocking)
{
	struct pair p = pair_open();
	struct sending s = { .fd = p.near, .data = malloc(MUCH_BYTES) };
	char *got = calloc(1, MUCH_BYTES);
	pthread_t thread;
	size_t i;

	for (i = 0; i < MUCH_BYTES; i++)
		s.data[i] = (char)(i % 253);
	assert_int_equal(sock_set_blocking(p.near, is_blocking), 0);
	assert_int_equal(sock_set_blocking(p.far, is_blocking), 0);
	assert_int_equal(pthread_create(&thread, NULL, send_much, &s), 0);
	pair_hear(&p, got, MUCH_BYTES);
	pthread_join(thread, NULL);
	assert_int_equal(s.rc, 0);
	assert_memory_equal(got, s.data, MUCH_BYTES);
	free(got);
	free(s.data);
	pair_close(&p);
}

static void short_counts_are_continued(void **state)
{
	(void)state;
	send_and_receive_much(true);
	send_and_receive_much(false);
}

static void a_deadline_ends_a_wait_for_bytes(void **state)
{
	struct pair p = pair_open();
	char c[2];

	(void)state;
	assert_int_equal(sock_recv_all(p.near, c, 1, &past), -ETIMEDOUT);
	assert_int_equal(sock_wait(p.near, POLLIN, &past), -ETIMEDOUT);
	pair_say(&p, "a", 1);
	assert_int_equal(sock_recv_all(p.near, c, 2, &past), -ETIMEDOUT);
	pair_close(&p);
}

static void what_is_there_is_read_even_after_the_deadline(void **state)
{
	struct pair p = pair_open();
	char text[3];

	(void)state;
	pair_say(&p, "abc", 3);
	assert_int_equal(sock_wait(p.near, POLLIN, &past), 0);
	assert_int_equal(sock_recv_all(p.near, text, 3, &past), 0);
	assert_memory_equal(text, "abc", 3);
	pair_close(&p);
}

static void a_deadline_ends_a_wait_for_room(void **state)
{
	struct pair p = pair_open();

	(void)state;
	fill_up(p.near);
	assert_int_equal(sock_send_all(p.near, "a", 1, &past), -ETIMEDOUT);
	pair_close(&p);
}

static void an_order_to_stop_ends_every_wait(void **state)
{
	struct pair p = pair_open();
	int pipe_fd[2];
	struct patience stop = stopped(pipe_fd);
	char c;

	(void)state;
	assert_int_equal(sock_recv_all(p.near, &c, 1, &stop), -ECANCELED);
	assert_int_equal(sock_wait(p.near, POLLIN, &stop), -ECANCELED);
	fill_up(p.near);
	assert_int_equal(sock_send_all(p.near, "a", 1, &stop), -ECANCELED);
	/* It also goes before bytes that are there. */
	pair_say(&p, "a", 1);
	assert_int_equal(sock_recv_all(p.near, &c, 1, &stop), -ECANCELED);
	close_pipe(pipe_fd);
	pair_close(&p);
}

static void an_early_end_is_a_failure(void **state)
{
	struct pair p = pair_open();
	struct patience some = pair_patience();
	char text[3];

	(void)state;
	pair_say(&p, "ab", 2);
	sock_close(&p.far);
	assert_int_equal(sock_recv_all(p.near, text, 3, &some), -ECONNRESET);
	pair_close(&p);
}

/* A signal would end this program. */
static void a_closed_peer_is_an_error_and_no_signal(void **state)
{
	struct pair p = pair_open();
	struct patience some = pair_patience();

	(void)state;
	sock_close(&p.far);
	assert_int_equal(sock_send_all(p.near, "a", 1, &some), -EPIPE);
	pair_close(&p);
}

static void nothing_to_move_needs_no_socket(void **state)
{
	(void)state;
	assert_int_equal(sock_send_all(-1, NULL, 0, &past), 0);
	assert_int_equal(sock_recv_all(-1, NULL, 0, &past), 0);
}

static int listen_on_loopback(struct sockaddr_in *at, int backlog)
{
	socklen_t len = sizeof(*at);
	int fd = sock_open(AF_INET, SOCK_STREAM, 0);

	*at = (struct sockaddr_in){
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	assert_true(fd >= 0);
	assert_int_equal(bind(fd, (struct sockaddr *)at, len), 0);
	if (backlog >= 0)
		assert_int_equal(listen(fd, backlog), 0);
	getsockname(fd, (struct sockaddr *)at, &len);
	assert_int_equal(sock_set_blocking(fd, false), 0);
	return fd;
}

static int dial(const struct sockaddr_in *at, const struct patience *p, int *fd)
{
	*fd = sock_open(AF_INET, SOCK_STREAM, 0);
	assert_true(*fd >= 0);
	return sock_connect(*fd, (const struct sockaddr *)at, sizeof(*at), p);
}

static void a_connection_is_blocking_on_one_side_only(void **state)
{
	struct patience some = pair_patience();
	struct sockaddr_in at;
	int listener = listen_on_loopback(&at, 1);
	int fd;
	int accepted;

	(void)state;
	assert_int_equal(sock_accept(listener), -EAGAIN);
	assert_int_equal(dial(&at, &some, &fd), 0);
	assert_false(fcntl(fd, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(sock_wait(listener, POLLIN, &some), 0);
	accepted = sock_accept(listener);
	assert_true(accepted >= 0);
	assert_true(fcntl(accepted, F_GETFL) & O_NONBLOCK);
	assert_true(fcntl(accepted, F_GETFD) & FD_CLOEXEC);
	sock_close(&accepted);
	sock_close(&fd);
	sock_close(&listener);
	assert_int_equal(sock_accept(-1), -EBADF);
}

static void a_refusal_is_told(void **state)
{
	struct patience some = pair_patience();
	struct sockaddr_in at;
	int bound = listen_on_loopback(&at, -1);
	int fd;

	(void)state;
	assert_int_equal(dial(&at, &some, &fd), -ECONNREFUSED);
	sock_close(&fd);
	sock_close(&bound);
}

/* Linux leaves a SYN unanswered while the accept queue is full. */
static void an_unanswered_connect_ends_with_its_patience(void **state)
{
	struct patience some = pair_patience();
	struct sockaddr_in at;
	int pipe_fd[2];
	struct patience stop = stopped(pipe_fd);
	int listener = listen_on_loopback(&at, 0);
	int fd[3];
	int i;

	(void)state;
	assert_int_equal(dial(&at, &some, &fd[0]), 0);
	assert_int_equal(sock_wait(listener, POLLIN, &some), 0);
	assert_int_equal(dial(&at, &past, &fd[1]), -ETIMEDOUT);
	assert_int_equal(dial(&at, &stop, &fd[2]), -ECANCELED);
	for (i = 0; i < 3; i++)
		sock_close(&fd[i]);
	sock_close(&listener);
	close_pipe(pipe_fd);
}

static void a_closed_descriptor_is_minus_one(void **state)
{
	struct pair p = pair_open();
	int was = p.near;

	(void)state;
	sock_close(&p.near);
	assert_int_equal(p.near, -1);
	assert_int_equal(fcntl(was, F_GETFD), -1);
	sock_close(&p.near);
	assert_int_equal(p.near, -1);
	pair_close(&p);
}

static void failures_are_negative_errno(void **state)
{
	(void)state;
	assert_int_equal(sock_open(-1, SOCK_STREAM, 0), -EAFNOSUPPORT);
	assert_int_equal(sock_set_blocking(-1, true), -EBADF);
}

static void a_full_backlog_is_no_connection(void **state)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	struct sockaddr_un peer;
	socklen_t len = sizeof(at);
	int listener = sock_open(AF_UNIX, SOCK_STREAM, 0);
	int i;

	(void)state;
	assert_int_equal(bind(listener, (struct sockaddr *)&at,
			      sizeof(at.sun_family)),
			 0);
	assert_int_equal(listen(listener, 0), 0);
	getsockname(listener, (struct sockaddr *)&at, &len);
	for (i = 0; i < 3; i++) {
		socklen_t peer_len = sizeof(peer);
		int fd = sock_open(AF_UNIX, SOCK_STREAM, 0);

		if (!sock_connect(fd, (struct sockaddr *)&at, len, &past))
			assert_int_equal(getpeername(fd,
						     (struct sockaddr *)&peer,
						     &peer_len),
					 0);
		sock_close(&fd);
	}
	sock_close(&listener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_counts_are_continued),
		cmocka_unit_test(a_deadline_ends_a_wait_for_bytes),
		cmocka_unit_test(what_is_there_is_read_even_after_the_deadline),
		cmocka_unit_test(a_deadline_ends_a_wait_for_room),
		cmocka_unit_test(an_order_to_stop_ends_every_wait),
		cmocka_unit_test(an_early_end_is_a_failure),
		cmocka_unit_test(a_closed_peer_is_an_error_and_no_signal),
		cmocka_unit_test(nothing_to_move_needs_no_socket),
		cmocka_unit_test(a_connection_is_blocking_on_one_side_only),
		cmocka_unit_test(a_refusal_is_told),
		cmocka_unit_test(an_unanswered_connect_ends_with_its_patience),
		cmocka_unit_test(a_closed_descriptor_is_minus_one),
		cmocka_unit_test(failures_are_negative_errno),
		cmocka_unit_test(a_full_backlog_is_no_connection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
