/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/check.h"

#include <stddef.h>

static int check_roles(const struct settings *s,
		       const struct check_given *given, struct err *e)
{
	if (s->role == ROLE_CLIENT && given->server_only)
		return err_set(e, ERR_SERVER_ONLY, 0, "--%s with --client",
			       given->server_only);
	if (s->role != ROLE_SERVER)
		return 0;
	if (given->client_only)
		return err_set(e, ERR_CLIENT_ONLY, 0, "--%s with --server",
			       given->client_only);
	if (s->server_affinity != SETTINGS_CPU_NONE)
		return err_set(e, ERR_CLIENT_ONLY, 0,
			       "--affinity %d,%d with --server: a server has "
			       "one CPU number",
			       s->affinity, s->server_affinity);
	return 0;
}

static int check_directions(const struct settings *s,
			    const struct check_given *given, struct err *e)
{
	(void)given;
	if (s->is_reverse && s->is_bidir)
		return err_set(e, ERR_REVERSE_BIDIR, 0,
			       "--bidir alone has both directions");
	return 0;
}

static int check_rcv_timeout(const struct settings *s,
			     const struct check_given *given, struct err *e)
{
	bool is_sweep_receiving = s->is_sweep &&
				  s->sweep_directions != SWEEP_FORWARD;

	(void)given;
	if (s->role == ROLE_CLIENT && s->has_rcv_timeout &&
	    !settings_receives(s) && !is_sweep_receiving)
		return err_set(e, ERR_RCV_TIMEOUT_ROLE, 0,
			       "--rcv-timeout %d without --reverse or --bidir",
			       s->rcv_timeout_ms);
	return 0;
}

static int check_end(const struct settings *s, const struct check_given *given,
		     struct err *e)
{
	int ends = s->has_time + (s->limit_bytes > 0) + (s->limit_blocks > 0);

	(void)given;
	if (ends > 1)
		return err_set(e, ERR_END_CONDITIONS, 0, "%d were given", ends);
	return 0;
}

/* A sweep sets these itself in each of its tests. */
static int check_sweep(const struct settings *s,
		       const struct check_given *given, struct err *e)
{
	const char *advice = NULL;

	(void)given;
	if (!s->is_sweep)
		return 0;
	if (s->is_reverse || s->is_bidir)
		advice = "a sweep runs its tests in each direction by itself; "
			 "choose with --directions both, forward or reverse";
	else if (s->block_bytes)
		advice = "a sweep has its own block sizes: --sweep=SIZES "
			 "instead of --length";
	else if (s->limit_bytes || s->limit_blocks)
		advice = "each test of a sweep ends by time: --time instead "
			 "of --bytes or --blockcount";
	else if (s->has_time && !s->time_s)
		advice = "a sweep's tests need an end: --time from 1 to 86400";
	else if (s->is_json_stream)
		advice = "a sweep prints one document: --json instead of "
			 "--json-stream";
	return advice ? err_set(e, ERR_USAGE, 0, "%s", advice) : 0;
}

static int check_role_given(const struct settings *s,
			    const struct check_given *given, struct err *e)
{
	(void)given;
	if (s->role == ROLE_NONE)
		return err_set(e, ERR_NO_ROLE, 0,
			       "iperf3 --help lists the options");
	return 0;
}

int check_combinations(const struct settings *s,
		       const struct check_given *given, struct err *e)
{
	static int (*const checks[])(const struct settings *,
				     const struct check_given *,
				     struct err *) = {
		check_roles, check_directions, check_rcv_timeout,
		check_end,   check_sweep,      check_role_given,
	};
	size_t i;
	int rc = 0;

	for (i = 0; !rc && i < sizeof(checks) / sizeof(checks[0]); i++)
		rc = checks[i](s, given, e);
	return rc;
}
