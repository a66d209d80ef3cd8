/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* Whoever asks so often isn't waiting for a summary any more: the program may
 * hang in a name lookup that no descriptor can end. */
#define SIGNALS_PATIENCE 3

static const struct {
	int number;
	const char *text;
} signal_table[] = {
	{ SIGHUP, "Hangup(1)" },
	{ SIGINT, "Interrupt(2)" },
	{ SIGTERM, "Terminated(15)" },
};

#define SIGNALS (sizeof(signal_table) / sizeof(signal_table[0]))

static int signal_pipe[2] = { -1, -1 };
static volatile sig_atomic_t last_signal;
static volatile sig_atomic_t signal_count;

static void on_signal(int number)
{
	int saved_errno = errno;
	ssize_t written;

	last_signal = number;
	signal_count = signal_count + 1;
	if (signal_count >= SIGNALS_PATIENCE)
		signal(number, SIG_DFL);
	/* A full pipe already says what there is to say. */
	written = write(signal_pipe[1], "", 1);
	(void)written;
	errno = saved_errno;
}

int signals_init(struct err *e)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction handle = { .sa_handler = on_signal };
	size_t i;

	if (signal_pipe[0] >= 0)
		return 0;
	if (pipe2(signal_pipe, O_CLOEXEC | O_NONBLOCK))
		return err_set(e, ERR_POLL, errno, "a pipe for signals");
	sigemptyset(&ignore.sa_mask);
	sigemptyset(&handle.sa_mask);
	sigaction(SIGPIPE, &ignore, NULL);
	for (i = 0; i < SIGNALS; i++)
		sigaction(signal_table[i].number, &handle, NULL);
	return 0;
}

int signals_fd(void)
{
	return signal_pipe[0];
}

int signals_last(void)
{
	return last_signal;
}

const char *signals_text(int number)
{
	size_t i;

	for (i = 0; i < SIGNALS; i++)
		if (signal_table[i].number == number)
			return signal_table[i].text;
	return "Signal";
}

const char *signals_last_text(void)
{
	return signals_text(last_signal);
}
