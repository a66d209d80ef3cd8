/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the program says about itself: usage, --help (from the option tables)
 * and --version.
 *
 * Called by cli.c. Threads: any.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include <stdio.h>

/* Two lines. */
void help_usage(FILE *out);

/* Usage and every row of every option table. */
void help_print(FILE *out);

/* Three lines: program and JSON library, system, optional features. */
void help_version(FILE *out);

#endif
