/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of the core, in the order of --help, and the few functions that
 * read a value no kind of option describes. One row is all that an option
 * needs; everything that walks the table (option.h) then knows it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "model/option.h"
#include "model/sweep.h"

#define MEMBER(m) .offset = offsetof(struct settings, m)
#define GIVEN(m) .given_offset = offsetof(struct settings, m)
#define ROWS(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(offsetof(struct settings, role) == OPTION_NO_MEMBER,
	       "offset 0 means that a row notes nothing");

/* Counts beyond 2^53 don't survive a JSON number. */
#define COUNT_MAX 9007199254740992.0

#define PORT_MAX 4294967294.0 /* AF_VSOCK's; its last is reserved */
#define CPU_MAX 1024
#define BURST_MAX 1000
#define DAY_S 86400
#define DAY_MS 86400000
#define RATE_TEXT_SIZE 64
#define TIMESTAMPS_DEFAULT "%c "

static int parse_server(struct settings *s, const struct option_row *row,
			const char *value, struct err *e)
{
	(void)value;
	if (s->role == ROLE_CLIENT)
		return err_set(e, ERR_SERVER_AND_CLIENT, 0,
			       "--%s after --client %s", row->name, s->host);
	s->role = ROLE_SERVER;
	return 0;
}

static int parse_client(struct settings *s, const struct option_row *row,
			const char *value, struct err *e)
{
	int rc;

	if (s->role == ROLE_SERVER)
		return err_set(e, ERR_SERVER_AND_CLIENT, 0,
			       "--%s %s after --server", row->name, value);
	if (!*value)
		return err_set(e, ERR_ADDRESS, 0,
			       "--%s needs the server's name or address",
			       row->name);
	rc = option_set_address(s, &s->host, row, value, e);
	if (!rc && !s->host)
		rc = err_set(e, ERR_ADDRESS, 0, "--%s %s: no server before %%",
			     row->name, value);
	if (!rc)
		s->role = ROLE_CLIENT;
	return rc;
}

static int parse_bind(struct settings *s, const struct option_row *row,
		      const char *value, struct err *e)
{
	return option_set_address(s, &s->bind_host, row, value, e);
}

static int parse_family4(struct settings *s, const struct option_row *row,
			 const char *value, struct err *e)
{
	(void)row;
	(void)value;
	(void)e;
	s->family = IP_FAMILY_4;
	return 0;
}

static int parse_family6(struct settings *s, const struct option_row *row,
			 const char *value, struct err *e)
{
	(void)row;
	(void)value;
	(void)e;
	s->family = IP_FAMILY_6;
	return 0;
}

/* Only the first letter counts, so that "Mbits" means M. */
static int parse_format(struct settings *s, const struct option_row *row,
			const char *value, struct err *e)
{
	if (!*value || !strchr("kKmMgGtT", *value))
		return err_set(e, row->range_error, 0, "--%s %s", row->name,
			       value);
	s->unit = *value;
	return 0;
}

/* Reads a CPU number in C notation up to @end. 0 or -EINVAL. */
static int parse_cpu(const char *text, char **end, int *cpu)
{
	long v;

	errno = 0;
	v = strtol(text, end, 0);
	if (*end == text || errno || v < 0 || v > CPU_MAX)
		return -EINVAL;
	*cpu = (int)v;
	return 0;
}

static int parse_affinity(struct settings *s, const struct option_row *row,
			  const char *value, struct err *e)
{
	int cpu, server_cpu = SETTINGS_CPU_NONE;
	char *end;
	int rc = parse_cpu(value, &end, &cpu);

	if (!rc && *end == ',')
		rc = parse_cpu(end + 1, &end, &server_cpu);
	if (rc || *end)
		return err_set(e, row->range_error, EINVAL,
			       "--%s %s: a CPU from 0 to %d, or two with a "
			       "comma for client and server",
			       row->name, value, CPU_MAX);
	s->affinity = cpu;
	s->server_affinity = server_cpu;
	return 0;
}

static int parse_timestamps(struct settings *s, const struct option_row *row,
			    const char *value, struct err *e)
{
	if (settings_set_string(&s->timestamps,
				value ? value : TIMESTAMPS_DEFAULT))
		return err_set(e, ERR_NO_MEMORY, ENOMEM, "--%s", row->name);
	return 0;
}

/* RATE[/BURST]; both are read before either is stored. */
static int parse_bitrate(struct settings *s, const struct option_row *row,
			 const char *value, struct err *e)
{
	const char *slash = strchr(value, '/');
	size_t len = slash ? (size_t)(slash - value) : strlen(value);
	char rate_text[RATE_TEXT_SIZE];
	int64_t burst = 0;
	uint64_t rate;

	if (slash && units_parse_int(slash + 1, 1, BURST_MAX, &burst))
		return err_set(e, ERR_BURST, 0, "--%s %s", row->name, value);
	if (len >= sizeof(rate_text))
		return err_set(e, ERR_UNIT, 0, "--%s %s", row->name, value);
	memcpy(rate_text, value, len);
	rate_text[len] = '\0';
	if (units_parse_rate(rate_text, &rate) || (double)rate > COUNT_MAX)
		return err_set(e, ERR_UNIT, 0,
			       "--%s %s: bits per second with an optional "
			       "suffix K, M, G or T (powers of 1000) are "
			       "needed",
			       row->name, value);
	s->rate_bps = rate;
	s->burst_blocks = (int)burst;
	return 0;
}

/* The sizes are checked here and parsed again by the sweep, so that a mistake
 * is reported before anything runs. */
static int parse_sweep(struct settings *s, const struct option_row *row,
		       const char *value, struct err *e)
{
	uint64_t sizes[SWEEP_SIZES_MAX];
	int rc;

	if (value) {
		rc = sweep_parse_sizes(value, SETTINGS_BLOCK_MAX_BYTES, sizes,
				       SWEEP_SIZES_MAX, e);
		if (rc < 0)
			return rc;
	}
	if (settings_set_string(&s->sweep_sizes, value))
		return err_set(e, ERR_NO_MEMORY, ENOMEM, "--%s", row->name);
	s->is_sweep = true;
	return 0;
}

static int parse_sweep_directions(struct settings *s,
				  const struct option_row *row,
				  const char *value, struct err *e)
{
	static const char *const names[] = {
		[SWEEP_BOTH] = "both",
		[SWEEP_FORWARD] = "forward",
		[SWEEP_REVERSE] = "reverse",
	};
	size_t i;

	for (i = 0; i < ROWS(names); i++) {
		if (strcmp(value, names[i]))
			continue;
		s->sweep_directions = (enum sweep_directions)i;
		return 0;
	}
	return err_set(e, ERR_OPTION, 0,
		       "--%s %s: both, forward or reverse is needed", row->name,
		       value);
}

static const struct option_row rows_both[] = {
	{ .name = "port",
	  .letter = 'p',
	  .kind = OPTION_PORT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_BOTH,
	  MEMBER(port),
	  .min = 1,
	  .max = PORT_MAX,
	  .range_error = ERR_PORT,
	  .metavar = "PORT",
	  .help = "port to listen on or to connect to (default 5201)" },
	{ .name = "format",
	  .letter = 'f',
	  .kind = OPTION_CUSTOM,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_BOTH,
	  .parse = parse_format,
	  .range_error = ERR_FORMAT,
	  .metavar = "UNIT",
	  .help = "unit of the Bitrate column: k m g t for bits, K M G T for "
		  "bytes per second (default: bits, fitted to the value)" },
	{ .name = "interval",
	  .letter = 'i',
	  .kind = OPTION_SECONDS,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_BOTH,
	  MEMBER(interval_s),
	  .min = 0.1,
	  .max = 60,
	  .is_zero_allowed = true,
	  .range_error = ERR_INTERVAL,
	  .metavar = "SECONDS",
	  .help = "time between two reports; 0: only one at the end "
		  "(default 1)" },
	{ .name = "pidfile",
	  .letter = 'I',
	  .kind = OPTION_STRING,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_BOTH,
	  MEMBER(pidfile),
	  .metavar = "FILE",
	  .help = "write the process number into FILE while running" },
	{ .name = "affinity",
	  .letter = 'A',
	  .kind = OPTION_CUSTOM,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_BOTH,
	  .parse = parse_affinity,
	  .range_error = ERR_AFFINITY,
	  .metavar = "N[,M]",
	  .help = "run on CPU N; a client's M is the CPU of the server for "
		  "this test" },
	{ .name = "bind",
	  .letter = 'B',
	  .kind = OPTION_CUSTOM,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_BOTH,
	  .parse = parse_bind,
	  .metavar = "HOST[%DEV]",
	  .help = "local address to listen on or to connect from; %DEV is "
		  "short for --bind-dev" },
	{ .name = "verbose",
	  .letter = 'V',
	  .kind = OPTION_FLAG,
	  .roles = FOR_BOTH,
	  MEMBER(is_verbose),
	  .help = "say more: versions, cookie, CPU use, settings" },
	{ .name = "json",
	  .letter = 'J',
	  .kind = OPTION_FLAG,
	  .roles = FOR_BOTH,
	  MEMBER(is_json),
	  .help = "print one JSON document per test instead of text" },
	{ .name = "json-stream",
	  .kind = OPTION_FLAG,
	  .roles = FOR_BOTH,
	  MEMBER(is_json_stream),
	  GIVEN(is_json),
	  .help = "print one JSON object per line as things happen" },
	{ .name = "json-stream-full-output",
	  .kind = OPTION_FLAG,
	  .roles = FOR_BOTH,
	  MEMBER(is_json_stream_full),
	  .needs = "json-stream",
	  .help = "with --json-stream: print the complete document at the "
		  "end as well" },
	{ .name = "logfile",
	  .kind = OPTION_STRING,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_BOTH,
	  MEMBER(logfile),
	  .metavar = "FILE",
	  .help = "append all output, errors included, to FILE" },
	{ .name = "forceflush",
	  .kind = OPTION_FLAG,
	  .roles = FOR_BOTH,
	  MEMBER(is_flushing),
	  .help = "flush the output after every interval" },
	{ .name = "timestamps",
	  .kind = OPTION_CUSTOM,
	  .value = VALUE_OPTIONAL,
	  .roles = FOR_BOTH,
	  .parse = parse_timestamps,
	  .metavar = "FORMAT",
	  .help = "begin each line with the time in this strftime(3) format "
		  "(default \"%c \")" },
	{ .name = "rcv-timeout",
	  .kind = OPTION_INT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_BOTH,
	  MEMBER(rcv_timeout_ms),
	  GIVEN(has_rcv_timeout),
	  .min = 100,
	  .max = DAY_MS,
	  .range_error = ERR_RCV_TIMEOUT,
	  .metavar = "MS",
	  .help = "give up when nothing was received for MS milliseconds "
		  "(default 120000)" },
	{ .name = "snd-timeout",
	  .kind = OPTION_INT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_BOTH,
	  MEMBER(snd_timeout_ms),
	  .min = 0,
	  .max = DAY_MS,
	  .range_error = ERR_SND_TIMEOUT,
	  .metavar = "MS",
	  .help = "give up on TCP data that is not acknowledged within MS "
		  "milliseconds (default 0: the system's time)" },
	{ .name = "version4",
	  .letter = '4',
	  .kind = OPTION_CUSTOM,
	  .roles = FOR_BOTH,
	  .parse = parse_family4,
	  .help = "use IPv4 only" },
	{ .name = "version6",
	  .letter = '6',
	  .kind = OPTION_CUSTOM,
	  .roles = FOR_BOTH,
	  .parse = parse_family6,
	  .help = "use IPv6 only" },
	{ .name = "version",
	  .letter = 'v',
	  .kind = OPTION_VERSION,
	  .roles = FOR_BOTH,
	  .help = "print the version and leave" },
	{ .name = "help",
	  .letter = 'h',
	  .kind = OPTION_HELP,
	  .roles = FOR_BOTH,
	  .help = "print this text and leave" },
};

static const struct option_row rows_server[] = {
	{ .name = "server",
	  .letter = 's',
	  .kind = OPTION_CUSTOM,
	  .roles = FOR_SERVER,
	  .parse = parse_server,
	  .help = "be the server" },
	{ .name = "daemon",
	  .letter = 'D',
	  .kind = OPTION_FLAG,
	  .roles = FOR_SERVER,
	  MEMBER(is_daemon),
	  .help = "leave the terminal and serve in the background; returns "
		  "as soon as clients can connect" },
	{ .name = "one-off",
	  .letter = '1',
	  .kind = OPTION_FLAG,
	  .roles = FOR_SERVER,
	  MEMBER(is_one_off),
	  .help = "serve one test, then leave" },
	{ .name = "idle-timeout",
	  .kind = OPTION_INT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_SERVER,
	  MEMBER(idle_timeout_s),
	  .min = 1,
	  .max = DAY_S,
	  .range_error = ERR_IDLE_TIMEOUT,
	  .metavar = "SECONDS",
	  .help = "open the listener anew when no client came for so long; "
		  "with --one-off: leave" },
};

static const struct option_row rows_client[] = {
	{ .name = "client",
	  .letter = 'c',
	  .kind = OPTION_CUSTOM,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  .parse = parse_client,
	  .metavar = "HOST[%DEV]",
	  .help = "be a client of the server at HOST; %DEV is short for "
		  "--bind-dev" },
	{ .name = "time",
	  .letter = 't',
	  .kind = OPTION_INT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(time_s),
	  GIVEN(has_time),
	  .min = 0,
	  .max = DAY_S,
	  .range_error = ERR_DURATION,
	  .wire_key = "time",
	  .wire = WIRE_ALWAYS,
	  .metavar = "SECONDS",
	  .help = "length of the test; 0: until interrupted (default 10)" },
	{ .name = "bytes",
	  .letter = 'n',
	  .kind = OPTION_BYTES,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(limit_bytes),
	  .min = 0,
	  .max = COUNT_MAX,
	  .range_error = ERR_UNIT,
	  .wire_key = "num",
	  .wire = WIRE_ALWAYS,
	  .metavar = "BYTES",
	  .help = "end after so many bytes, all streams together, instead "
		  "of after a time; K M G T are powers of 1024" },
	{ .name = "blockcount",
	  .letter = 'k',
	  .kind = OPTION_BYTES,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(limit_blocks),
	  .min = 0,
	  .max = COUNT_MAX,
	  .range_error = ERR_UNIT,
	  .wire_key = "blockcount",
	  .wire = WIRE_ALWAYS,
	  .metavar = "COUNT",
	  .help = "end after so many blocks, all streams together" },
	{ .name = "length",
	  .letter = 'l',
	  .kind = OPTION_BYTES,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(block_bytes),
	  .min = 1,
	  .max = SETTINGS_BLOCK_MAX_BYTES,
	  .is_zero_allowed = true,
	  .range_error = ERR_BLOCK_SIZE,
	  .wire_key = "len",
	  .wire = WIRE_NONZERO,
	  .metavar = "BYTES",
	  .help = "size of a block, up to 1M; 0: the transport's own "
		  "(default)" },
	{ .name = "parallel",
	  .letter = 'P',
	  .kind = OPTION_INT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(streams),
	  .min = 1,
	  .max = SETTINGS_STREAMS_MAX,
	  .range_error = ERR_NUM_STREAMS,
	  .wire_key = "parallel",
	  .wire = WIRE_ALWAYS,
	  .metavar = "N",
	  .help = "number of streams in each direction (default 1)" },
	{ .name = "reverse",
	  .letter = 'R',
	  .kind = OPTION_FLAG,
	  .roles = FOR_CLIENT,
	  MEMBER(is_reverse),
	  .wire_key = "reverse",
	  .wire = WIRE_TRUE,
	  .help = "the server sends, the client receives" },
	{ .name = "bidir",
	  .kind = OPTION_FLAG,
	  .roles = FOR_CLIENT,
	  MEMBER(is_bidir),
	  .wire_key = "bidirectional",
	  .wire = WIRE_TRUE,
	  .help = "both ends send and receive" },
	{ .name = "bitrate",
	  .letter = 'b',
	  .kind = OPTION_CUSTOM,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  GIVEN(has_rate),
	  .parse = parse_bitrate,
	  .metavar = "RATE[/BURST]",
	  .help = "bits per second of each stream, in bursts of BURST "
		  "blocks; K M G T are powers of 1000; 0: no limit "
		  "(default)" },
	{ .name = "bandwidth", .alias_of = "bitrate" },
	{ .kind = OPTION_RATE,
	  MEMBER(rate_bps),
	  GIVEN(has_rate),
	  .min = 0,
	  .max = COUNT_MAX,
	  .range_error = ERR_UNIT,
	  .wire_key = "bandwidth",
	  .wire = WIRE_NONZERO },
	{ .kind = OPTION_INT,
	  MEMBER(burst_blocks),
	  .min = 1,
	  .max = BURST_MAX,
	  .is_zero_allowed = true,
	  .range_error = ERR_BURST,
	  .wire_key = "burst",
	  .wire = WIRE_NONZERO },
	{ .kind = OPTION_INT,
	  MEMBER(server_affinity),
	  .min = 0,
	  .max = CPU_MAX,
	  .range_error = ERR_AFFINITY,
	  .wire_key = "server_affinity",
	  .wire = WIRE_NONNEGATIVE },
	{ .name = "pacing-timer",
	  .kind = OPTION_MS,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(pacing_timer_us),
	  .min = 0,
	  .max = 2147483647,
	  .range_error = ERR_UNIT,
	  .wire_key = "pacing_timer",
	  .wire = WIRE_NONZERO,
	  .metavar = "US",
	  .help = "microseconds between two checks of --bitrate in servers "
		  "of older releases (default 1000)" },
	{ .name = "window",
	  .letter = 'w',
	  .kind = OPTION_BYTES,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(window_bytes),
	  .min = 0,
	  .max = SETTINGS_WINDOW_MAX_BYTES,
	  .range_error = ERR_WINDOW,
	  .wire_key = "window",
	  .wire = WIRE_NONZERO,
	  .metavar = "BYTES",
	  .help = "socket buffers, or credit window, at both ends, up to "
		  "512M; 0: the system's choice (default)" },
	{ .name = "omit",
	  .letter = 'O',
	  .kind = OPTION_INT,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(omit_s),
	  .min = 0,
	  .max = 600,
	  .range_error = ERR_OMIT,
	  .wire_key = "omit",
	  .wire = WIRE_ALWAYS,
	  .metavar = "SECONDS",
	  .help = "run so much longer and leave the beginning out of the "
		  "results (default 0)" },
	{ .name = "connect-timeout",
	  .kind = OPTION_MS,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(connect_timeout_ms),
	  .min = 0,
	  .max = 2147483647,
	  .range_error = ERR_UNIT,
	  .metavar = "MS",
	  .help = "give up connecting after MS milliseconds (default 0: the "
		  "system's time)" },
	{ .name = "repeating-payload",
	  .kind = OPTION_FLAG,
	  .roles = FOR_CLIENT,
	  MEMBER(is_repeating_payload),
	  .wire_key = "repeating_payload",
	  .wire = WIRE_ONE,
	  .help = "send a repeating pattern instead of random bytes" },
	{ .name = "title",
	  .letter = 'T',
	  .kind = OPTION_STRING,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(title),
	  .wire_key = "title",
	  .wire = WIRE_NONZERO,
	  .metavar = "TEXT",
	  .help = "begin each line of text with TEXT; a member of the "
		  "JSON" },
	{ .name = "extra-data",
	  .kind = OPTION_STRING,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(extra_data),
	  .wire_key = "extra_data",
	  .wire = WIRE_NONZERO,
	  .metavar = "TEXT",
	  .help = "keep TEXT in the JSON of both ends" },
	{ .name = "get-server-output",
	  .kind = OPTION_FLAG,
	  .roles = FOR_CLIENT,
	  MEMBER(wants_server_output),
	  .wire_key = "get_server_output",
	  .wire = WIRE_ONE,
	  .help = "print what the server printed, too" },
};

static const struct option_row rows_sweep[] = {
	{ .name = "sweep",
	  .kind = OPTION_CUSTOM,
	  .value = VALUE_OPTIONAL,
	  .roles = FOR_CLIENT,
	  .parse = parse_sweep,
	  .metavar = "SIZES",
	  .help = "run one test per block size and direction and print a "
		  "table; SIZES are lists (1K,4K,64K), ranges that double "
		  "(1K-512K, the default), or both" },
	{ .name = "directions",
	  .kind = OPTION_CUSTOM,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  .parse = parse_sweep_directions,
	  .needs = "sweep",
	  .metavar = "WHICH",
	  .help = "both (default), forward (client to server) or reverse" },
	{ .name = "json-out",
	  .kind = OPTION_STRING,
	  .value = VALUE_REQUIRED,
	  .roles = FOR_CLIENT,
	  MEMBER(json_out),
	  .needs = "sweep",
	  .metavar = "FILE",
	  .help = "write the sweep's JSON document to FILE, whatever is "
		  "printed" },
};

const struct option_table option_core[] = {
	{ "Server or client", rows_both, ROWS(rows_both) },
	{ "Server", rows_server, ROWS(rows_server) },
	{ "Client", rows_client, ROWS(rows_client) },
	{ "IP", option_ip, ROWS(option_ip) },
	{ "Sweep (client)", rows_sweep, ROWS(rows_sweep) },
	{ NULL, NULL, 0 },
};
