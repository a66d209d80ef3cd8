/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What stands above a sweep's table: when, with what, between which kernels
 * and with which options it was measured.
 *
 * Called by table.c. Threads: session.
 */
#ifndef REPORT_TABLE_HEAD_H
#define REPORT_TABLE_HEAD_H

#include <stdio.h>

#include "model/sweep.h"

void table_head_print(FILE *out, const struct sweep *sw);

#endif
