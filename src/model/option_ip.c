/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of options about sockets over IP. Several transports share them, so
 * they stand in the core's tables; a transport that can't do what one of them
 * asks for refuses it in its check (transport.h).
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/units.h"
#include "model/option.h"

#define MEMBER(m) .offset = offsetof(struct settings, m)

/* Counts beyond 2^53 don't survive a JSON number. */
#define RATE_MAX 9007199254740992.0

#define MSS_MAX_BYTES 32767
#define TOS_MAX 255
#define FLOW_LABEL_MAX 0xfffff /* RFC 8200: 20 bits */

/* The DSCP is the upper six bits of the byte (RFC 2474). */
#define DSCP_SHIFT 2
#define DSCP_MAX 63

/* What the kernel takes (tcp(7)). */
#define KEEPALIVE_TIME_MAX_S 32767
#define KEEPALIVE_COUNT_MAX 127

#define LINK_LOCAL_PREFIX_LEN 3

/* The names of RFC 2474, 2597, 3246 and 5865, and of the older RFC 1349, as
 * the whole byte. */
static const struct {
	const char *name;
	int tos;
} dscp_names[] = {
	{ "cs0", 0x00 },       { "cs1", 0x20 },	       { "cs2", 0x40 },
	{ "cs3", 0x60 },       { "cs4", 0x80 },	       { "cs5", 0xa0 },
	{ "cs6", 0xc0 },       { "cs7", 0xe0 },	       { "af11", 0x28 },
	{ "af12", 0x30 },      { "af13", 0x38 },       { "af21", 0x48 },
	{ "af22", 0x50 },      { "af23", 0x58 },       { "af31", 0x68 },
	{ "af32", 0x70 },      { "af33", 0x78 },       { "af41", 0x88 },
	{ "af42", 0x90 },      { "af43", 0x98 },       { "ef", 0xb8 },
	{ "va", 0xb0 },	       { "lowdelay", 0x10 },   { "throughput", 0x08 },
	{ "reliability", 0x04 },
};

static int parse_dscp(struct settings *s, const struct option_row *row,
		      const char *value, struct err *e)
{
	int64_t number;
	size_t i;

	for (i = 0; i < sizeof(dscp_names) / sizeof(dscp_names[0]); i++)
		if (!strcasecmp(value, dscp_names[i].name)) {
			s->tos = dscp_names[i].tos;
			return 0;
		}
	if (units_parse_c_int(value, 0, DSCP_MAX, &number))
		return err_set(e, row->range_error, 0,
			       "--%s %s: a number from 0 to %d, or a name such "
			       "as ef, cs1 or af41",
			       row->name, value, DSCP_MAX);
	s->tos = (int)number << DSCP_SHIFT;
	return 0;
}

/* One part of IDLE/INTERVAL/COUNT, up to its slash; nothing is 0. Returns
 * where the next begins, NULL for what is no number. */
static const char *keepalive_part(const char *text, int64_t max, int *out)
{
	size_t len = strcspn(text, "/");
	char part[UNITS_TEXT_SIZE];
	int64_t v = 0;

	if (len >= sizeof(part))
		return NULL;
	memcpy(part, text, len);
	part[len] = '\0';
	if (len && units_parse_int(part, 0, max, &v))
		return NULL;
	*out = (int)v;
	return text[len] ? text + len + 1 : text + len;
}

static int parse_keepalive(struct settings *s, const struct option_row *row,
			   const char *value, struct err *e)
{
	const char *rest = value ? value : "";
	int idle_s = 0;
	int interval_s = 0;
	int count = 0;

	rest = keepalive_part(rest, KEEPALIVE_TIME_MAX_S, &idle_s);
	if (rest)
		rest = keepalive_part(rest, KEEPALIVE_TIME_MAX_S, &interval_s);
	if (rest)
		rest = keepalive_part(rest, KEEPALIVE_COUNT_MAX, &count);
	if (!rest || *rest)
		return err_set(e, row->range_error, 0,
			       "--%s=%s: %s is needed, seconds up to %d and a "
			       "count up to %d",
			       row->name, value, row->metavar,
			       KEEPALIVE_TIME_MAX_S, KEEPALIVE_COUNT_MAX);
	if (idle_s && idle_s <= interval_s * count)
		return err_set(e, row->range_error, 0,
			       "--%s=%s: %d s idle, %d probes of %d s",
			       row->name, value, idle_s, count, interval_s);
	s->has_keepalive = true;
	s->keepalive_idle_s = idle_s;
	s->keepalive_interval_s = interval_s;
	s->keepalive_count = count;
	return 0;
}

/* fe80::/10 in text. */
static bool is_link_local(const char *address)
{
	return strlen(address) > LINK_LOCAL_PREFIX_LEN &&
	       !strncasecmp(address, "fe", LINK_LOCAL_PREFIX_LEN - 1) &&
	       strchr("89abAB", address[LINK_LOCAL_PREFIX_LEN - 1]) &&
	       strchr(address, ':');
}

int option_set_address(struct settings *s, char **member,
		       const struct option_row *row, const char *value,
		       struct err *e)
{
	const char *mark = strchr(value, '%');
	char *copy = NULL;
	int rc = settings_set_string(&copy, value);

	if (mark && !mark[1])
		rc = err_set(e, ERR_ADDRESS, 0, "--%s %s: no device after %%",
			     row->name, value);
	else if (rc)
		err_set(e, ERR_NO_MEMORY, ENOMEM, "--%s", row->name);
	if (!rc && mark && !is_link_local(value)) {
		copy[mark - value] = '\0';
		rc = settings_set_string(&s->bind_dev, mark + 1);
	}
	if (!rc)
		rc = settings_set_string(member, copy && *copy ? copy : NULL);
	settings_set_string(&copy, NULL);
	return rc;
}

const struct option_row option_ip[] = {
	{ .name = "bind-dev",
	  .kind = OPTION_STRING,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_BOTH,
	  MEMBER(bind_dev),
	  .metavar = "DEV",
	  .help = "use the network device DEV only" },
	{ .name = "cntl-ka",
	  .kind = OPTION_CUSTOM,
	  .value = VALUE_OPTIONAL,
	  .roles = FOR_BOTH,
	  .parse = parse_keepalive,
	  .range_error = ERR_KEEPALIVE,
	  .metavar = "IDLE/INTERVAL/COUNT",
	  .help = "probe a silent control connection: after IDLE seconds, "
		  "COUNT times every INTERVAL seconds; parts left out are "
		  "the system's" },
	{ .name = "cport",
	  .kind = OPTION_PORT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(client_port),
	  .min = 1,
	  .max = 65535,
	  .range_error = ERR_PORT,
	  .metavar = "PORT",
	  .help = "local port of the first data stream, the others follow" },
	{ .name = "no-delay",
	  .letter = 'N',
	  .kind = OPTION_FLAG,
	  .roles = FOR_CLIENT,
	  MEMBER(is_nodelay),
	  .wire_key = "nodelay",
	  .wire = WIRE_TRUE,
	  .help = "set TCP_NODELAY on the data streams" },
	{ .name = "set-mss",
	  .letter = 'M',
	  .kind = OPTION_INT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(mss_bytes),
	  .min = 0,
	  .max = MSS_MAX_BYTES,
	  .range_error = ERR_MSS,
	  .wire_key = "MSS",
	  .wire = WIRE_NONZERO,
	  .metavar = "BYTES",
	  .help = "largest segment of the data streams, in both directions; "
		  "0: the path's (default)" },
	{ .name = "congestion",
	  .letter = 'C',
	  .kind = OPTION_STRING,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(congestion),
	  .wire_key = "congestion",
	  .wire = WIRE_NONZERO,
	  .metavar = "NAME",
	  .help = "congestion control of the data streams at both ends" },
	{ .name = "linux-congestion", .alias_of = "congestion" },
	{ .name = "tos",
	  .letter = 'S',
	  .kind = OPTION_C_INT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(tos),
	  .min = 0,
	  .max = TOS_MAX,
	  .range_error = ERR_TOS,
	  .wire_key = "TOS",
	  .wire = WIRE_NONZERO,
	  .metavar = "N",
	  .help = "type of service (IPv4) or traffic class (IPv6) of the data "
		  "streams: 52, 064 or 0x34" },
	{ .name = "dscp",
	  .kind = OPTION_CUSTOM,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  .parse = parse_dscp,
	  .range_error = ERR_DSCP,
	  .metavar = "N",
	  .help = "the same as a DSCP: a number up to 63, or a name such as "
		  "ef, cs1 or af41" },
	{ .name = "flowlabel",
	  .letter = 'L',
	  .kind = OPTION_C_INT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(flow_label),
	  .min = 1,
	  .max = FLOW_LABEL_MAX,
	  .range_error = ERR_SET_FLOW,
	  .wire_key = "flowlabel",
	  .wire = WIRE_NONZERO,
	  .metavar = "N",
	  .help = "IPv6 flow label of the data streams" },
	{ .name = "fq-rate",
	  .kind = OPTION_RATE,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(fq_rate_bps),
	  .min = 0,
	  .max = RATE_MAX,
	  .range_error = ERR_UNIT,
	  .wire_key = "fqrate",
	  .wire = WIRE_NONZERO,
	  .metavar = "RATE",
	  .help = "bits per second of each stream, paced by the kernel; "
		  "0: not paced (default)" },
	{ .name = "no-fq-socket-pacing",
	  .kind = OPTION_OBSOLETE,
	  .roles = FOR_CLIENT,
	  .help = "obsolete, and without effect" },
};
