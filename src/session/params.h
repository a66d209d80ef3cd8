/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The parameter message (PROTOCOL.md section 6): settings to JSON at the
 * client, and a stranger's JSON to the settings of one test at the server.
 * Both walk the option tables.
 *
 * Threads: session.
 */
#ifndef SESSION_PARAMS_H
#define SESSION_PARAMS_H

#include "base/err.h"
#include "base/json.h"
#include "model/settings.h"
#include "transport/transport.h"

/* NULL with @e set: no memory, or longer than a server accepts. */
cJSON *params_build(const struct settings *s, const struct transport *t,
		    struct err *e);

/* What a parameter message asks for. */
struct params {
	const struct transport *transport;
	/* The client shuts the write side of its sending streams and reads
	 * its receiving ones to the end. */
	bool is_peer_orderly;
};

/*
 * Applies @json to @s, a copy of the server's own settings. @listener is the
 * transport that the client came by. 0 or negative errno with @e holding the
 * number that the protocol has for the cause; @s is then half changed.
 */
int params_apply(struct settings *s, const cJSON *json,
		 const struct transport *listener, struct params *out,
		 struct err *e);

/* -n and -k as one limit in bytes; 0: none. Saturates. */
uint64_t params_limit_bytes(const struct settings *s);

#endif
