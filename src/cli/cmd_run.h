/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * iperf3 -c and iperf3 -s: one client's test, or a server's life.
 *
 * Called by cli.c. Threads: session.
 */
#ifndef CLI_CMD_RUN_H
#define CLI_CMD_RUN_H

#include "model/settings.h"

/* Runs what @settings ask for. Returns the exit status: 0 also where a signal
 * ended it. */
int cmd_run(const struct settings *settings);

#endif
