/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/daemon.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/units.h"

#define PIDFILE_MODE 0600
#define PIDFILE_DIGITS 7
#define PIDFILE_TEXT_SIZE (PIDFILE_DIGITS + 2)

/* The number in @path, 0 where there is none. */
static pid_t pidfile_read(const char *path)
{
	char text[PIDFILE_TEXT_SIZE] = "";
	int64_t pid = 0;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (text[n - 1] == '\n')
		text[n - 1] = '\0';
	if (units_parse_int(text, 1, INT32_MAX, &pid))
		return 0;
	return (pid_t)pid;
}

/*
 * A number that is our own is left from an earlier life: in a container the
 * same small number comes back with every start.
 */
pid_t pidfile_owner(const char *path)
{
	pid_t pid = pidfile_read(path);

	if (pid <= 0 || pid == getpid())
		return 0;
	return !kill(pid, 0) || errno == EPERM ? pid : 0;
}

int pidfile_write(const char *path, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		      PIDFILE_MODE);
	int saved_errno = 0;

	if (fd < 0)
		return err_set(e, ERR_PIDFILE, errno, "%s", path);
	/* A file from before may have had another mode. */
	if (fchmod(fd, PIDFILE_MODE) || dprintf(fd, "%d", (int)getpid()) < 0)
		saved_errno = errno;
	if (close(fd) && !saved_errno)
		saved_errno = errno;
	return saved_errno ? err_set(e, ERR_PIDFILE, saved_errno, "%s", path)
			   : 0;
}

void pidfile_remove(const char *path)
{
	if (pidfile_read(path) == getpid())
		unlink(path);
}

/* Waits for the child's byte; the end of the pipe instead of it means that
 * the child is gone. */
static int await_child(int fd)
{
	char byte;
	ssize_t n;

	do
		n = read(fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int daemon_fork(int *ready_fd, struct err *e)
{
	int ready[2];
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC))
		return err_set(e, ERR_DAEMON, errno, "pipe");
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		int saved_errno = errno;

		close(ready[0]);
		close(ready[1]);
		return err_set(e, ERR_DAEMON, saved_errno, "fork");
	}
	if (pid > 0) {
		close(ready[1]);
		/* Not an orderly end: what the parent would clean up, a
		 * socket's path for example, belongs to the child now. */
		_exit(await_child(ready[0]));
	}
	close(ready[0]);
	if (setsid() < 0) {
		int saved_errno = errno;

		close(ready[1]);
		return err_set(e, ERR_DAEMON, saved_errno, "setsid");
	}
	*ready_fd = ready[1];
	return 0;
}

int daemon_ready(int ready_fd, struct err *e)
{
	int saved_errno = 0;
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (fd < 0 || dup2(fd, STDIN_FILENO) < 0 ||
	    dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
		saved_errno = errno;
	if (fd > STDERR_FILENO)
		close(fd);
	if (!saved_errno && write(ready_fd, "", 1) != 1)
		saved_errno = errno;
	close(ready_fd);
	return saved_errno ? err_set(e, ERR_DAEMON, saved_errno, "/dev/null")
			   : 0;
}
