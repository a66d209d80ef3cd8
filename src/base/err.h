/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The error value: what went wrong, said once where it is understood and
 * carried upwards unchanged to the one place that shows it.
 *
 * A code below 1000 is an iperf3 error number (docs/PROTOCOL.md, "Error
 * numbers") and may travel in a SERVER_ERROR message. Our own causes start at
 * 1000 and are sent as the iperf3 number that the table names for them.
 *
 * Threads: any; a value belongs to whoever declared it.
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdbool.h>
#include <stddef.h>

enum err_code {
	ERR_NONE = 0,
	ERR_SERVER_AND_CLIENT = 1,
	ERR_NO_ROLE = 2,
	ERR_SERVER_ONLY = 3,
	ERR_CLIENT_ONLY = 4,
	ERR_DURATION = 5,
	ERR_NUM_STREAMS = 6,
	ERR_BLOCK_SIZE = 7,
	ERR_WINDOW = 8,
	ERR_INTERVAL = 9,
	ERR_MSS = 10,
	ERR_NO_SENDFILE = 11,
	ERR_OMIT = 12,
	ERR_NOT_BUILT = 13,
	ERR_FILE = 14,
	ERR_BURST = 15,
	ERR_END_CONDITIONS = 16,
	ERR_LOGFILE = 17,
	ERR_NO_SCTP = 18,
	ERR_DATAGRAM_SIZE = 20,
	ERR_TOS = 21,
	ERR_CLIENT_AUTH = 22,
	ERR_SERVER_AUTH = 23,
	ERR_FORMAT = 24,
	ERR_REVERSE_BIDIR = 25,
	ERR_PORT = 26,
	ERR_TOTAL_RATE = 27,
	ERR_TOTAL_INTERVAL = 28,
	ERR_SKEW = 29,
	ERR_IDLE_TIMEOUT = 30,
	ERR_RCV_TIMEOUT = 31,
	ERR_RCV_TIMEOUT_ROLE = 32,
	ERR_SND_TIMEOUT = 33,
	ERR_FILE_DATAGRAM = 34,
	ERR_AUTH_USERS = 35,
	ERR_KEEPALIVE = 36,
	ERR_MAX_DURATION = 37,
	ERR_UNIT = 38,
	ERR_SKIP_RX_COPY = 39,
	ERR_DSCP = 40,
	ERR_NEW_TEST = 100,
	ERR_INIT_TEST = 101,
	ERR_LISTEN = 102,
	ERR_CONNECT = 103,
	ERR_ACCEPT = 104,
	ERR_SEND_COOKIE = 105,
	ERR_RECV_COOKIE = 106,
	ERR_CTL_WRITE = 107,
	ERR_CTL_READ = 108,
	ERR_CTL_CLOSE = 109,
	ERR_MESSAGE = 110,
	ERR_SEND_MESSAGE = 111,
	ERR_RECV_MESSAGE = 112,
	ERR_SEND_PARAMS = 113,
	ERR_RECV_PARAMS = 114,
	ERR_PACKAGE_RESULTS = 115,
	ERR_SEND_RESULTS = 116,
	ERR_RECV_RESULTS = 117,
	ERR_POLL = 118,
	ERR_CLIENT_TERM = 119,
	ERR_SERVER_TERM = 120,
	ERR_ACCESS_DENIED = 121,
	ERR_SET_NODELAY = 122,
	ERR_SET_MSS = 123,
	ERR_SET_BUF = 124,
	ERR_SET_TOS = 125,
	ERR_SET_COS = 126,
	ERR_SET_FLOW = 127,
	ERR_REUSEADDR = 128,
	ERR_NONBLOCKING = 129,
	ERR_SET_WINDOW = 130,
	ERR_PROTOCOL = 131,
	ERR_AFFINITY = 132,
	ERR_DAEMON = 133,
	ERR_SET_CONGESTION = 134,
	ERR_PIDFILE = 135,
	ERR_V6ONLY = 136,
	ERR_SET_PACING = 140,
	ERR_WINDOW_GRANTED = 141,
	ERR_AUTH = 142,
	ERR_BIND_DEV = 143,
	ERR_NO_DATA = 144,
	ERR_DONT_FRAGMENT = 145,
	ERR_SET_USER_TIMEOUT = 148,
	ERR_THREAD_CREATE = 150,
	ERR_THREAD_JOIN = 152,
	ERR_SET_KEEPALIVE = 155, /* SO_KEEPALIVE and its three times */
	ERR_SET_KEEPALIVE_IDLE = 156,
	ERR_SET_KEEPALIVE_INTERVAL = 157,
	ERR_SET_KEEPALIVE_COUNT = 158,
	ERR_SERVER_DURATION = 160,
	ERR_CREATE_STREAM = 200,
	ERR_INIT_STREAM = 201,
	ERR_STREAM_LISTEN = 202,
	ERR_STREAM_CONNECT = 203,
	ERR_STREAM_ACCEPT = 204,
	ERR_STREAM_WRITE = 205,
	ERR_STREAM_READ = 206,
	ERR_STREAM_CLOSE = 207,
	ERR_STREAM_ID = 208,
	/* Ours; the table says which iperf3 number stands for them on the
	 * wire. */
	ERR_OURS_FIRST = 1000,
	ERR_USAGE = ERR_OURS_FIRST, /* combination of options that can't be */
	ERR_ADDRESS, /* an address that can't be understood */
	ERR_INTERRUPT, /* a signal ended this program's test */
	ERR_STALL, /* a phase or a transfer made no progress */
	ERR_NO_MEMORY,
	ERR_OUTPUT, /* the user's output can't be written */
	ERR_SWEEP, /* cells of a sweep failed */
	ERR_OPTION, /* an option or its value isn't understood */
	ERR_PEER, /* the peer reported a number that nobody knows */
};

struct err {
	int code; /* enum err_code, or a peer's unknown number */
	int os_errno; /* errno at the cause, 0 if none applies */
	bool is_from_peer; /* a SERVER_ERROR told us */
	char detail[320]; /* what was asked and what to try; may be "" */
};

#define ERR_INIT ((struct err){ .code = ERR_NONE })

/*
 * Records the cause and returns the negative errno that the caller returns in
 * turn: -os_errno, or -EIO where no errno applies. @fmt makes the detail, NULL:
 * there is none. @e may be NULL. An @e that
 * already holds an error keeps it: the first cause is the one the user needs.
 */
int err_set(struct err *e, int code, int os_errno, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

void err_clear(struct err *e);
bool err_is_set(const struct err *e);

/*
 * Writes the complete sentence for the user, without a program name and
 * without a newline: the table's text, the errno text where the table or the
 * value asks for it, the detail. Returns @buf.
 */
const char *err_format(const struct err *e, char *buf, size_t size);

/* The number that stands for @code in a SERVER_ERROR message. */
int err_wire_number(int code);

#endif
