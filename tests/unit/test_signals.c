/* SPDX-License-Identifier: BSD-3-Clause */
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/signals.h"

static void a_signal_becomes_readable_and_has_a_name(void **state)
{
	struct pollfd pfd = { .events = POLLIN };
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(signals_fd(), -1);
	assert_int_equal(signals_init(&e), 0);
	assert_int_equal(signals_init(&e), 0);
	pfd.fd = signals_fd();
	assert_int_equal(poll(&pfd, 1, 0), 0);
	assert_int_equal(signals_last(), 0);
	raise(SIGTERM);
	assert_int_equal(poll(&pfd, 1, 0), 1);
	assert_int_equal(signals_last(), SIGTERM);
	assert_string_equal(signals_last_text(), "Terminated(15)");
	raise(SIGINT);
	assert_string_equal(signals_last_text(), "Interrupt(2)");
	assert_string_equal(signals_text(SIGHUP), "Hangup(1)");
}

static void a_closed_pipe_is_an_errno(void **state)
{
	int fd[2];

	(void)state;
	assert_int_equal(pipe(fd), 0);
	close(fd[0]);
	assert_int_equal(write(fd[1], "", 1), -1);
	close(fd[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_signal_becomes_readable_and_has_a_name),
		cmocka_unit_test(a_closed_pipe_is_an_errno),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
