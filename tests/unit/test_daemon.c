/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/daemon.h"

#define PATH_SIZE 64

static char folder[PATH_SIZE];
static char path[PATH_SIZE + 8];
static struct err e;

static int setup(void **state)
{
	(void)state;
	snprintf(folder, sizeof(folder), "daemon-test-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/pid", folder);
	e = ERR_INIT;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

static void put(const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void get(char *buf, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(buf, 1, size - 1, f);
	buf[n] = '\0';
	fclose(f);
}

static void the_file_holds_the_number_and_nothing_else(void **state)
{
	char text[32], expected[32];
	struct stat st;

	(void)state;
	put("old and much longer than a number");
	assert_int_equal(pidfile_write(path, &e), 0);
	get(text, sizeof(text));
	snprintf(expected, sizeof(expected), "%d", (int)getpid());
	assert_string_equal(text, expected);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
}

static void a_living_owner_is_respected(void **state)
{
	char text[32];

	(void)state;
	snprintf(text, sizeof(text), "%d", (int)getppid());
	put(text);
	assert_int_equal(pidfile_owner(path), getppid());
	put("1\n");
	assert_int_equal(pidfile_owner(path), 1);
}

static void what_names_nobody_has_no_owner(void **state)
{
	pid_t pid = fork();
	char text[32];

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	snprintf(text, sizeof(text), "%d", (int)pid);
	put(text);
	assert_int_equal(pidfile_owner(path), 0);
	put("");
	assert_int_equal(pidfile_owner(path), 0);
	put("rubbish");
	assert_int_equal(pidfile_owner(path), 0);
	put("-1");
	assert_int_equal(pidfile_owner(path), 0);
	unlink(path);
	assert_int_equal(pidfile_owner(path), 0);
	put("");
	assert_int_equal(pidfile_write(path, &e), 0);
	assert_int_equal(pidfile_owner(path), 0);
}

static void only_our_own_file_is_removed(void **state)
{
	(void)state;
	put("1");
	pidfile_remove(path);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(pidfile_write(path, &e), 0);
	pidfile_remove(path);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void a_file_that_cannot_be_written_is_an_error(void **state)
{
	char nowhere[PATH_SIZE + 32];

	(void)state;
	snprintf(nowhere, sizeof(nowhere), "%s/none/pid", folder);
	assert_true(pidfile_write(nowhere, &e) < 0);
	assert_int_equal(e.code, ERR_PIDFILE);
}

/* Runs the life of a daemon in a child, so that the parent that daemon_fork
 * ends is not this test. Returns that parent's status; the daemon's session
 * comes through @report. */
static int launch(bool is_ready, int report[2])
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		int ready_fd = -1;
		pid_t sid;

		if (daemon_fork(&ready_fd, NULL))
			_exit(9);
		sid = getsid(0);
		if (is_ready && daemon_ready(ready_fd, NULL))
			_exit(9);
		if (write(report[1], &sid, sizeof(sid)) != sizeof(sid))
			_exit(9);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void the_launching_command_waits_for_readiness(void **state)
{
	int report[2];
	pid_t sid = 0;

	(void)state;
	assert_int_equal(pipe(report), 0);
	assert_int_equal(launch(true, report), 0);
	assert_int_equal(read(report[0], &sid, sizeof(sid)), sizeof(sid));
	assert_int_not_equal(sid, getsid(0));
	close(report[0]);
	close(report[1]);
}

static void the_launching_command_fails_with_its_daemon(void **state)
{
	int report[2];

	(void)state;
	assert_int_equal(pipe(report), 0);
	assert_int_equal(launch(false, report), 1);
	close(report[0]);
	close(report[1]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_file_holds_the_number_and_nothing_else),
		TEST(a_living_owner_is_respected),
		TEST(what_names_nobody_has_no_owner),
		TEST(only_our_own_file_is_removed),
		TEST(a_file_that_cannot_be_written_is_an_error),
		TEST(the_launching_command_waits_for_readiness),
		TEST(the_launching_command_fails_with_its_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
