/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/registry.h"

#include <errno.h>
#include <string.h>

#include "transport/mptcp.h"
#include "transport/tcp.h"
#include "transport/transport.h"
#include "transport/vsock.h"

static const struct transport *const registry[] = {
	&transport_vsock,
	&transport_mptcp,
	&transport_tcp,
};

/* The keys of a parameter message in their order of precedence (PROTOCOL.md
 * 6); NULL: a transport that this build does not have. */
static const struct {
	const char *key;
	const struct transport *transport;
} wire_keys[] = {
	{ "vsock", &transport_vsock },
	{ "sctp", NULL },
	{ "udp", NULL },
	{ "mptcp", &transport_mptcp },
	{ "tcp", &transport_tcp },
};

size_t registry_count(void)
{
	return sizeof(registry) / sizeof(registry[0]);
}

const struct transport *registry_get(size_t index)
{
	return registry[index];
}

const struct option_table *registry_options(size_t index)
{
	return &registry[index]->options;
}

const struct transport *registry_select(const struct settings *settings)
{
	size_t i;

	for (i = 0; i < registry_count(); i++)
		if (!strcmp(registry[i]->name, settings->transport) &&
		    registry[i]->claims(settings))
			return registry[i];
	return &transport_tcp;
}

int registry_check(const struct settings *settings, struct err *e)
{
	const struct transport *t = registry_select(settings);
	uint64_t block_bytes = settings->block_bytes;

	if (settings->port > t->port_max || settings->client_port > t->port_max)
		return err_set(e, ERR_PORT, 0,
			       "-p %u: %s has ports from 1 to %u",
			       settings->port, t->label, t->port_max);
	if (block_bytes && (block_bytes < t->block_min_bytes ||
			    block_bytes > t->block_max_bytes))
		return err_set(e, ERR_BLOCK_SIZE, 0, "-l %llu",
			       (unsigned long long)block_bytes);
	return t->check(settings, e);
}

const struct transport *registry_from_wire(const cJSON *params,
					   const struct transport *listener,
					   struct err *e)
{
	size_t i;

	for (i = 0; i < sizeof(wire_keys) / sizeof(wire_keys[0]); i++) {
		const struct transport *t = wire_keys[i].transport;

		if (!json_get(params, wire_keys[i].key))
			continue;
		if (!t) {
			err_set(e, ERR_PROTOCOL, 0,
				"the client asked for \"%s\", which this "
				"build does not have",
				wire_keys[i].key);
			return NULL;
		}
		if (t->control == listener->control)
			return t;
	}
	return listener;
}
