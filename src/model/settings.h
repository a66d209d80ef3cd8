/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything the user (or, at a server, the client's parameter message) can
 * ask for, as one open struct of plain values. model/option.h maps options and
 * wire keys to these members; nothing else parses or prints them.
 *
 * A server keeps the settings of its own command line and makes a copy of them
 * for each test, so no setting of one test can reach the next.
 *
 * Threads: any for reading once a test runs; the session thread writes.
 */
#ifndef MODEL_SETTINGS_H
#define MODEL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SETTINGS_PORT_DEFAULT 5201
#define SETTINGS_TIME_DEFAULT_S 10
#define SETTINGS_RCV_TIMEOUT_DEFAULT_MS 120000
#define SETTINGS_PACING_TIMER_DEFAULT_US 1000
#define SETTINGS_STREAMS_MAX 128
#define SETTINGS_BLOCK_MAX_BYTES 1048576
#define SETTINGS_WINDOW_MAX_BYTES 536870912
#define SETTINGS_INTERVAL_DEFAULT_S 1
#define SETTINGS_UNIT_DEFAULT 'a'
#define SETTINGS_TRANSPORT_DEFAULT "tcp"

enum role {
	ROLE_NONE = 0,
	ROLE_CLIENT,
	ROLE_SERVER,
};

enum ip_family {
	IP_FAMILY_ANY = 0,
	IP_FAMILY_4 = 4,
	IP_FAMILY_6 = 6,
};

/* Which end sends payload. */
enum direction {
	DIRECTION_FORWARD = 0, /* the client */
	DIRECTION_REVERSE, /* the server (-R) */
	DIRECTION_BOTH, /* both (--bidir) */
};

enum sweep_directions {
	SWEEP_BOTH = 0,
	SWEEP_FORWARD,
	SWEEP_REVERSE,
};

#define SETTINGS_CPU_NONE (-1)

struct settings {
	enum role role;
	/* Registry name of the data transport: "tcp", "vsock", ... Borrowed
	 * static text. */
	const char *transport;

	/* Addresses. Strings are owned. */
	char *host; /* -c; NULL at a server */
	char *bind_host; /* -B; NULL: any */
	uint32_t port; /* -p */
	uint32_t client_port; /* --cport, 0: ephemeral */
	enum ip_family family; /* -4, -6 */

	/* Shape and end of the test. */
	bool is_reverse; /* -R */
	bool is_bidir; /* --bidir */
	int streams; /* -P, per direction */
	int time_s; /* -t; 0: not limited by time */
	uint64_t limit_bytes; /* -n; 0: no limit */
	uint64_t limit_blocks; /* -k; 0: no limit */
	int omit_s; /* -O */
	uint64_t block_bytes; /* -l; 0: the transport's default */
	bool has_time; /* -t was given */

	/* Datagrams. */
	bool has_64bit_counters; /* --udp-counters-64bit */
	bool is_dont_fragment; /* --dont-fragment */
	int gso; /* --gsro: 1 to send with offload; as on the wire */
	int gro; /* ... and to receive with it */
	uint64_t gso_unit_bytes; /* the wire's: size of a datagram, 0: none */
	uint64_t gso_batch_bytes; /* the wire's: of what one call sends */
	uint64_t gro_batch_bytes; /* the wire's: of what one call receives */

	/* Pacing, per stream. */
	uint64_t rate_bps; /* -b; 0: unlimited */
	bool has_rate; /* -b was given, even as 0 */
	int burst_blocks; /* -b rate/N; 0: none */
	int pacing_timer_us; /* --pacing-timer, only transmitted */
	uint64_t fq_rate_bps; /* --fq-rate */

	/* Sockets. */
	uint64_t window_bytes; /* -w; 0: the system's choice */
	int mss_bytes; /* -M */
	bool is_nodelay; /* -N */
	int tos; /* -S, --dscp */
	int flow_label; /* -L, IPv6; 0: none */
	char *congestion; /* -C, owned; NULL: the system's */
	char *bind_dev; /* --bind-dev, owned; NULL: any */
	bool has_keepalive; /* --cntl-ka */
	int keepalive_idle_s; /* its parts; 0: the system's */
	int keepalive_interval_s;
	int keepalive_count;
	int connect_timeout_ms; /* --connect-timeout, 0: system's */
	int rcv_timeout_ms; /* --rcv-timeout */
	bool has_rcv_timeout;
	int snd_timeout_ms; /* --snd-timeout, 0: system's */
	bool is_repeating_payload; /* --repeating-payload */

	/* Process. */
	int affinity; /* -A n, SETTINGS_CPU_NONE: any CPU */
	int server_affinity; /* -A n,m */
	char *pidfile; /* -I, owned */
	char *logfile; /* --logfile, owned */

	/* Server life. */
	bool is_daemon; /* -D */
	bool is_one_off; /* -1 */
	int idle_timeout_s; /* --idle-timeout, 0: none */

	/* Output. */
	double interval_s; /* -i; 0: one interval at the end */
	char unit; /* -f; 'a': adaptive bits */
	bool is_verbose; /* -V */
	bool is_json; /* -J, --json-stream */
	bool is_json_stream;
	bool is_json_stream_full;
	bool is_flushing; /* --forceflush */
	bool wants_server_output; /* --get-server-output */
	char *timestamps; /* strftime format, owned; NULL: none */
	char *title; /* -T, owned */
	char *extra_data; /* --extra-data, owned */

	/* The sweep (client). */
	bool is_sweep; /* --sweep */
	char *sweep_sizes; /* "1K-512K", owned; NULL: default */
	enum sweep_directions sweep_directions;
	char *json_out; /* --json-out FILE, owned */
};

/* Fills in the defaults of a program just started. */
void settings_init(struct settings *s);

/* Frees what @s owns and leaves it as after settings_init. NULL is fine. */
void settings_done(struct settings *s);

/* Makes @to a deep copy; @to is overwritten unread. 0 or -ENOMEM. */
int settings_copy(struct settings *to, const struct settings *from);

/* Replaces an owned string member. 0 or -ENOMEM. @text may be NULL. */
int settings_set_string(char **member, const char *text);

enum direction settings_direction(const struct settings *s);

/* Data streams of a whole test, both directions together. */
int settings_total_streams(const struct settings *s);

/* Whether this end, in its role, sends (receives) payload. */
bool settings_sends(const struct settings *s);
bool settings_receives(const struct settings *s);

#endif
