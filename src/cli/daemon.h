/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Life in the background: the PID file and leaving the terminal.
 *
 * Order of a server with --daemon and --pidfile: pidfile_owner, open the
 * listener, daemon_fork, pidfile_write, daemon_ready. The launching command
 * returns 0 only after daemon_ready: clients can connect and the PID file is
 * there.
 *
 * Called by cmd_run.c. Threads: session, before any other thread exists.
 */
#ifndef CLI_DAEMON_H
#define CLI_DAEMON_H

#include <sys/types.h>

#include "base/err.h"

/* The living process that @path names, other than this one; 0: none, and the
 * file may be written. */
pid_t pidfile_owner(const char *path);

/* Writes this process's number, mode 0600. 0 or negative errno with @e. */
int pidfile_write(const char *path, struct err *e);

/* Removes @path if it names this process. */
void pidfile_remove(const char *path);

/*
 * Forks into a new session. The parent never returns from here: it waits for
 * daemon_ready and leaves with 0, or with 1 if the child died before. The
 * child returns 0 and owns @ready_fd. Negative errno with @e where nothing was
 * forked.
 */
int daemon_fork(int *ready_fd, struct err *e);

/* The child lets go of the terminal (the working directory stays) and of its
 * parent; closes @ready_fd. 0 or negative errno with @e. */
int daemon_ready(int ready_fd, struct err *e);

#endif
