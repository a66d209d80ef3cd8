/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * iperf3 -c HOST --sweep: one test per block size and direction, one table.
 *
 * Called by cli.c. Threads: session.
 */
#ifndef CLI_CMD_SWEEP_H
#define CLI_CMD_SWEEP_H

#include "model/settings.h"

/* Returns the exit status: 0 only if every cell has its result. */
int cmd_sweep(const struct settings *settings);

#endif
