/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/table_head.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/units.h"
#include "base/version.h"
#include "report/facts.h"

#define OPTIONS_SIZE 400
#define UNKNOWN "not known"

enum head_kind {
	HEAD_FLAG, /* bool: the option's name alone */
	HEAD_INT, /* int */
	HEAD_BYTES, /* uint64_t */
	HEAD_RATE, /* uint64_t, bits per second */
	HEAD_TEXT, /* char *: shown unless NULL */
};

/* The options that change what is measured. They are shown when they differ
 * from what the program starts with, the first two always. */
struct head_option {
	const char *name;
	enum head_kind kind;
	size_t offset;
	bool is_always;
};

#define SETTING(m) offsetof(struct settings, m)

static const struct head_option head_options[] = {
	{ "-t", HEAD_INT, SETTING(time_s), true },
	{ "-P", HEAD_INT, SETTING(streams), true },
	{ "-n", HEAD_BYTES, SETTING(limit_bytes), false },
	{ "-k", HEAD_BYTES, SETTING(limit_blocks), false },
	{ "-O", HEAD_INT, SETTING(omit_s), false },
	{ "-w", HEAD_BYTES, SETTING(window_bytes), false },
	{ "-b", HEAD_RATE, SETTING(rate_bps), false },
	{ "--fq-rate", HEAD_RATE, SETTING(fq_rate_bps), false },
	{ "-M", HEAD_INT, SETTING(mss_bytes), false },
	{ "-N", HEAD_FLAG, SETTING(is_nodelay), false },
	{ "-C", HEAD_TEXT, SETTING(congestion), false },
	{ "-S", HEAD_INT, SETTING(tos), false },
	{ "-L", HEAD_INT, SETTING(flow_label), false },
	{ "--bind-dev", HEAD_TEXT, SETTING(bind_dev), false },
	{ "--repeating-payload", HEAD_FLAG, SETTING(is_repeating_payload),
	  false },
};

#define HEAD_OPTIONS (sizeof(head_options) / sizeof(head_options[0]))

/* Writes " -t 10", or nothing for an option that is not set. */
static void put_option(const struct head_option *opt, const struct settings *s,
		       char *buf, size_t size)
{
	const void *m = (const char *)s + opt->offset;
	char text[UNITS_TEXT_SIZE];

	buf[0] = '\0';
	switch (opt->kind) {
	case HEAD_FLAG:
		if (*(const bool *)m)
			snprintf(buf, size, " %s", opt->name);
		break;
	case HEAD_INT:
		if (*(const int *)m || opt->is_always)
			snprintf(buf, size, " %s %d", opt->name,
				 *(const int *)m);
		break;
	case HEAD_BYTES:
		if (*(const uint64_t *)m)
			snprintf(buf, size, " %s %s", opt->name,
				 units_format_size(*(const uint64_t *)m, text,
						   sizeof(text)));
		break;
	case HEAD_TEXT:
		if (*(char *const *)m)
			snprintf(buf, size, " %s %s", opt->name,
				 *(char *const *)m);
		break;
	case HEAD_RATE:
		if (*(const uint64_t *)m)
			snprintf(buf, size, " %s %" PRIu64, opt->name,
				 *(const uint64_t *)m);
		break;
	}
}

static void print_options(FILE *out, const struct settings *s)
{
	char text[OPTIONS_SIZE];
	size_t i;

	fputs("# options:", out);
	for (i = 0; i < HEAD_OPTIONS; i++) {
		put_option(&head_options[i], s, text, sizeof(text));
		fputs(text, out);
	}
	if (s->burst_blocks)
		fprintf(out, " (bursts of %d blocks)", s->burst_blocks);
	if (s->affinity != SETTINGS_CPU_NONE)
		fprintf(out, " -A %d", s->affinity);
	if (s->server_affinity != SETTINGS_CPU_NONE)
		fprintf(out, " (server: CPU %d)", s->server_affinity);
	fputc('\n', out);
}

static const char *kernel_of(const struct environment *env)
{
	return env->is_known && *env->kernel ? env->kernel : UNKNOWN;
}

static void print_window(FILE *out, const char *end,
			 const struct environment *env)
{
	char text[UNITS_TEXT_SIZE];

	if (env->is_known && env->window_bytes)
		fprintf(out, "%s%s", end,
			units_format_size(env->window_bytes, text,
					  sizeof(text)));
	else
		fprintf(out, "%s%s", end, UNKNOWN);
}

void table_head_print(FILE *out, const struct sweep *sw)
{
	char date[FACTS_GMT_SIZE];

	fprintf(out, "# %s, %s, %s\n",
		facts_gmt(sw->start_wall_ms, date, sizeof(date)),
		*sw->local.tool ? sw->local.tool : VERSION_TOOL, sw->protocol);
	fprintf(out, "# kernel: client %s, server %s\n", kernel_of(&sw->local),
		kernel_of(&sw->remote));
	/* Windows only mean something where an end granted one. */
	if (sw->local.window_bytes || sw->remote.window_bytes) {
		print_window(out, "# window: client ", &sw->local);
		print_window(out, ", server ", &sw->remote);
		fputc('\n', out);
	}
	print_options(out, sw->settings);
}
