/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Every member that owns memory; copying and freeing walk this list. */
static const size_t owned_strings[] = {
	offsetof(struct settings, host),
	offsetof(struct settings, bind_host),
	offsetof(struct settings, congestion),
	offsetof(struct settings, bind_dev),
	offsetof(struct settings, pidfile),
	offsetof(struct settings, logfile),
	offsetof(struct settings, timestamps),
	offsetof(struct settings, title),
	offsetof(struct settings, extra_data),
	offsetof(struct settings, sweep_sizes),
	offsetof(struct settings, json_out),
};

#define OWNED_STRINGS (sizeof(owned_strings) / sizeof(owned_strings[0]))

static char **owned_string(struct settings *s, size_t index)
{
	return (char **)((char *)s + owned_strings[index]);
}

void settings_init(struct settings *s)
{
	*s = (struct settings){
		.role = ROLE_NONE,
		.transport = SETTINGS_TRANSPORT_DEFAULT,
		.port = SETTINGS_PORT_DEFAULT,
		.family = IP_FAMILY_ANY,
		.streams = 1,
		.time_s = SETTINGS_TIME_DEFAULT_S,
		.pacing_timer_us = SETTINGS_PACING_TIMER_DEFAULT_US,
		.rcv_timeout_ms = SETTINGS_RCV_TIMEOUT_DEFAULT_MS,
		.affinity = SETTINGS_CPU_NONE,
		.server_affinity = SETTINGS_CPU_NONE,
		.interval_s = SETTINGS_INTERVAL_DEFAULT_S,
		.unit = SETTINGS_UNIT_DEFAULT,
	};
}

void settings_done(struct settings *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < OWNED_STRINGS; i++)
		free(*owned_string(s, i));
	settings_init(s);
}

int settings_copy(struct settings *to, const struct settings *from)
{
	struct settings copy = *from;
	bool is_complete = true;
	size_t i;

	for (i = 0; i < OWNED_STRINGS; i++) {
		char **member = owned_string(&copy, i);

		if (!*member)
			continue;
		*member = strdup(*member);
		if (!*member)
			is_complete = false;
	}
	if (!is_complete) {
		settings_done(&copy);
		return -ENOMEM;
	}
	*to = copy;
	return 0;
}

int settings_set_string(char **member, const char *text)
{
	char *copy = NULL;

	if (text) {
		copy = strdup(text);
		if (!copy)
			return -ENOMEM;
	}
	free(*member);
	*member = copy;
	return 0;
}

enum direction settings_direction(const struct settings *s)
{
	if (s->is_bidir)
		return DIRECTION_BOTH;
	return s->is_reverse ? DIRECTION_REVERSE : DIRECTION_FORWARD;
}

int settings_total_streams(const struct settings *s)
{
	return s->is_bidir ? 2 * s->streams : s->streams;
}

bool settings_sends(const struct settings *s)
{
	enum direction d = settings_direction(s);

	if (s->role == ROLE_CLIENT)
		return d != DIRECTION_REVERSE;
	return s->role == ROLE_SERVER && d != DIRECTION_FORWARD;
}

bool settings_receives(const struct settings *s)
{
	enum direction d = settings_direction(s);

	if (s->role == ROLE_CLIENT)
		return d != DIRECTION_FORWARD;
	return s->role == ROLE_SERVER && d != DIRECTION_REVERSE;
}
