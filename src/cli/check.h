/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which options go together: the checks after parsing that a single row of the
 * option table can't express.
 *
 * Called by opt.c. Threads: any.
 */
#ifndef CLI_CHECK_H
#define CLI_CHECK_H

#include "base/err.h"
#include "model/settings.h"

/* The first spelling in argv that only one role may use; NULL: none. */
struct check_given {
	const char *server_only;
	const char *client_only;
};

/*
 * Refuses impossible combinations, in the order in which iperf3 does: roles,
 * directions, receive timeout, ends, sweep, no role at all. 0 or negative
 * errno with @e.
 */
int check_combinations(const struct settings *s,
		       const struct check_given *given, struct err *e);

#endif
