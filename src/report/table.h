/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sweep as a table for people: a row per block size, a column per direction,
 * one unit for all. What is not a row begins with "# ".
 *
 * Called by cli/. Threads: session.
 */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdio.h>

#include "model/sweep.h"

void table_print(FILE *out, const struct sweep *sw);

#endif
