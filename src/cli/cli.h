/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command line's front door: argv in, exit status out.
 *
 * Called by main.c. Threads: session.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

int cli_main(int argc, char **argv);

#endif
