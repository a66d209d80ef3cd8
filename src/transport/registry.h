/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The list of transports this build has. Everything above asks a transport
 * for what it can do (transport.h) and never compares its name.
 *
 * Threads: any (constant data).
 */
#ifndef TRANSPORT_REGISTRY_H
#define TRANSPORT_REGISTRY_H

#include <stddef.h>

#include "base/json.h"
#include "model/option.h"
#include "model/settings.h"

struct transport;

size_t registry_count(void);
const struct transport *registry_get(size_t index);

/* Options that the transport at @index brings, its own --NAME included. */
const struct option_table *registry_options(size_t index);

/* The transport for @settings (its name, and whether it claims the address).
 * Never NULL for settings made by settings_init and the option tables. */
const struct transport *registry_select(const struct settings *settings);

/* Refuses addresses and options that can't work with the transport of
 * @settings. 0 or negative errno with @e. */
int registry_check(const struct settings *settings, struct err *e);

/*
 * The transport that a parameter message asks for at a server that listens
 * with @listener; NULL with @e set when this build doesn't have it. A key of
 * a transport whose control connection can't have come this way is ignored,
 * as upstream ignores "vsock". The precedence of several keys is
 * PROTOCOL.md section 6's.
 */
const struct transport *registry_from_wire(const cJSON *params,
					   const struct transport *listener,
					   struct err *e);

#endif
