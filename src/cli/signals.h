/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SIGINT, SIGTERM and SIGHUP as a byte in a pipe, so that whoever polls learns
 * of them like of any other event. SIGPIPE is ignored: a closed peer or pipe
 * is an errno.
 *
 * Threads: session; a signal may arrive on any thread.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

#include "base/err.h"

/* Installs the handlers; a second call changes nothing. 0 or negative errno
 * with @e. */
int signals_init(struct err *e);

/* Readable once a signal arrived; -1 before signals_init. For
 * session_host.stop_fd. */
int signals_fd(void);

/* The last signal that asked the program to end, 0: none. */
int signals_last(void);

/* "Interrupt(2)", "Terminated(15)", "Hangup(1)"; "Signal" for others. */
const char *signals_text(int number);

/* The text of the last signal, for session_host.stop_signal. */
const char *signals_last_text(void);

#endif
