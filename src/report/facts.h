/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small texts that several reports show alike.
 *
 * Threads: any.
 */
#ifndef REPORT_FACTS_H
#define REPORT_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define FACTS_GMT_SIZE 40
#define FACTS_SYSTEM_SIZE 400
#define FACTS_ERROR_SIZE 1024

/* The five fields of uname(2) in one line. Returns @buf. */
const char *facts_system(char *buf, size_t size);

/* "Mon, 30 Nov 2026 10:13:13 GMT" whatever the locale. Returns @buf. */
const char *facts_gmt(int64_t wall_ms, char *buf, size_t size);

/*
 * What the peer said when it refused or ended the test: "SERVER ERROR - ..."
 * with its errno, if it sent one. Returns @buf.
 */
const char *facts_peer_error(const struct err *e, char *buf, size_t size);

#endif
