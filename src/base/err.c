/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct err_row {
	int code;
	int wire; /* 0: the code itself */
	bool wants_errno; /* the text ends with ": " and errno's text */
	const char *text;
};

/* Texts that scripts are known to match (docs/COMPATIBILITY.md) stay as they
 * are, the colon before an errno text included. */
static const struct err_row err_table[] = {
	{ ERR_NONE, 0, false, "no error" },
	{ ERR_SERVER_AND_CLIENT, 0, false, "cannot be both server and client" },
	{ ERR_NO_ROLE, 0, false,
	  "must either be a client (-c) or server (-s)" },
	{ ERR_SERVER_ONLY, 0, false, "this option is for servers only" },
	{ ERR_CLIENT_ONLY, 0, false, "this option is for clients only" },
	{ ERR_DURATION, 0, false,
	  "test duration must be from 0 to 86400 seconds" },
	{ ERR_NUM_STREAMS, 0, false,
	  "number of parallel streams must be from 1 to 128" },
	{ ERR_BLOCK_SIZE, 0, false,
	  "block size must be from 1 to 1048576 bytes" },
	{ ERR_WINDOW, 0, false,
	  "socket buffer size must be from 0 to 536870912 bytes" },
	{ ERR_INTERVAL, 0, false,
	  "report interval must be 0 or from 0.1 to 60 seconds" },
	{ ERR_MSS, 0, false, "MSS must be from 0 to 32767 bytes" },
	{ ERR_NO_SENDFILE, 0, false, "this system has no sendfile" },
	{ ERR_OMIT, 0, false, "omit time must be from 0 to 600 seconds" },
	{ ERR_NOT_BUILT, 0, false, "this build does not have that option" },
	{ ERR_FILE, 0, true, "unable to open the -F file" },
	{ ERR_BURST, 0, false, "burst must be from 1 to 1000 blocks" },
	{ ERR_END_CONDITIONS, 0, false,
	  "only one of -t, -n and -k can end a test" },
	{ ERR_LOGFILE, 0, true, "unable to open the log file" },
	{ ERR_NO_SCTP, 0, false, "this build has no SCTP" },
	{ ERR_DATAGRAM_SIZE, 0, false,
	  "datagram size must be from 16 to 65507 bytes" },
	{ ERR_TOS, 0, false, "type of service must be from 0 to 255" },
	{ ERR_CLIENT_AUTH, 0, false,
	  "client credentials are incomplete or unusable" },
	{ ERR_SERVER_AUTH, 0, false,
	  "server key or users file are incomplete or unusable" },
	{ ERR_FORMAT, 0, false, "format must be one of k K m M g G t T" },
	{ ERR_REVERSE_BIDIR, 0, false, "-R and --bidir exclude each other" },
	{ ERR_PORT, 0, false, "port is out of range" },
	{ ERR_TOTAL_RATE, 0, false,
	  "total bit rate is above the server's limit" },
	{ ERR_TOTAL_INTERVAL, 0, false,
	  "averaging interval must be 0 or from 0.1 to 60 seconds" },
	{ ERR_SKEW, 0, false, "time skew threshold must be positive" },
	{ ERR_IDLE_TIMEOUT, 0, false,
	  "idle timeout must be from 1 to 86400 seconds" },
	{ ERR_RCV_TIMEOUT, 0, false,
	  "receive timeout must be from 100 to 86400000 ms" },
	{ ERR_RCV_TIMEOUT_ROLE, 0, false,
	  "receive timeout is only for an end that receives" },
	{ ERR_SND_TIMEOUT, 0, false,
	  "send timeout must be from 0 to 86400000 ms" },
	{ ERR_FILE_DATAGRAM, 0, false, "-F does not go with datagrams" },
	{ ERR_AUTH_USERS, 0, false, "users file can't be read" },
	{ ERR_KEEPALIVE, 0, false,
	  "keepalive idle time must exceed interval times count" },
	{ ERR_MAX_DURATION, 0, false,
	  "the test is longer than the server allows" },
	{ ERR_UNIT, 0, false, "number or unit suffix not understood" },
	{ ERR_SKIP_RX_COPY, 0, false, "this system can't skip the copy" },
	{ ERR_DSCP, 0, false, "bad DSCP value" },
	{ ERR_NEW_TEST, 0, true, "unable to create a test" },
	{ ERR_INIT_TEST, 0, true, "test initialization failed" },
	{ ERR_LISTEN, 0, true, "unable to start listener for connections" },
	{ ERR_CONNECT, 0, true,
	  "unable to connect to server - server may have stopped running or "
	  "use a different port, firewall issue, etc." },
	{ ERR_ACCEPT, 0, true, "unable to accept connection from client" },
	{ ERR_SEND_COOKIE, 0, true, "unable to send cookie to server" },
	{ ERR_RECV_COOKIE, 0, true, "unable to receive cookie at server" },
	{ ERR_CTL_WRITE, 0, true, "unable to write to the control socket" },
	{ ERR_CTL_READ, 0, true, "unable to read from the control socket" },
	{ ERR_CTL_CLOSE, 0, false, "control socket has closed unexpectedly" },
	{ ERR_MESSAGE, 0, false, "received an unknown control message" },
	{ ERR_SEND_MESSAGE, 0, true, "unable to send control message" },
	{ ERR_RECV_MESSAGE, 0, true, "unable to receive control message" },
	{ ERR_SEND_PARAMS, 0, true, "unable to send parameters to server" },
	{ ERR_RECV_PARAMS, 0, true,
	  "unable to receive parameters from client" },
	{ ERR_PACKAGE_RESULTS, 0, true, "unable to package results" },
	{ ERR_SEND_RESULTS, 0, true, "unable to send results" },
	{ ERR_RECV_RESULTS, 0, true, "unable to receive results" },
	{ ERR_POLL, 0, true, "waiting for events failed" },
	{ ERR_CLIENT_TERM, 0, false, "the client has terminated" },
	{ ERR_SERVER_TERM, 0, false, "the server has terminated" },
	{ ERR_ACCESS_DENIED, 0, false,
	  "the server is busy running a test. try again later" },
	{ ERR_SET_NODELAY, 0, true, "unable to set TCP/SCTP NODELAY" },
	{ ERR_SET_MSS, 0, true, "unable to set TCP/SCTP MSS" },
	{ ERR_SET_BUF, 0, true, "unable to set socket buffer size" },
	{ ERR_SET_TOS, 0, true, "unable to set IP TOS" },
	{ ERR_SET_COS, 0, true, "unable to set IPv6 traffic class" },
	{ ERR_SET_FLOW, 0, false, "unable to set IPv6 flow label" },
	{ ERR_REUSEADDR, 0, true, "unable to reuse address on socket" },
	{ ERR_NONBLOCKING, 0, true, "unable to set socket to non-blocking" },
	{ ERR_SET_WINDOW, 0, true, "unable to set socket window size" },
	{ ERR_PROTOCOL, 0, false, "protocol does not exist" },
	{ ERR_AFFINITY, 0, true, "unable to set CPU affinity" },
	{ ERR_DAEMON, 0, true, "unable to become a daemon" },
	{ ERR_SET_CONGESTION, 0, false,
	  "unable to set TCP congestion algorithm" },
	{ ERR_PIDFILE, 0, true, "unable to write PID file" },
	{ ERR_V6ONLY, 0, true, "unable to set or reset IPV6_V6ONLY" },
	{ ERR_SET_PACING, 0, true, "unable to set socket pacing" },
	{ ERR_WINDOW_GRANTED, 0, false,
	  "socket buffer size not set correctly" },
	{ ERR_AUTH, 0, false, "test authorization failed" },
	{ ERR_BIND_DEV, 0, true, "unable to bind socket to device" },
	{ ERR_NO_DATA, 0, false, "idle timeout for receiving data" },
	{ ERR_DONT_FRAGMENT, 0, true, "unable to set IP Do-Not-Fragment" },
	{ ERR_SET_USER_TIMEOUT, 0, true, "unable to set TCP USER_TIMEOUT" },
	{ ERR_THREAD_CREATE, 0, true, "unable to create thread" },
	{ ERR_THREAD_JOIN, 0, true, "unable to join thread" },
	{ ERR_SET_KEEPALIVE, 0, true,
	  "unable to set keepalive on the control connection" },
	{ ERR_SET_KEEPALIVE_IDLE, 0, true,
	  "unable to set the idle time of keepalive" },
	{ ERR_SET_KEEPALIVE_INTERVAL, 0, true,
	  "unable to set the interval of keepalive" },
	{ ERR_SET_KEEPALIVE_COUNT, 0, true,
	  "unable to set the count of keepalive" },
	{ ERR_SERVER_DURATION, 0, false,
	  "the test went on for too long; the server ended it" },
	{ ERR_CREATE_STREAM, 0, true, "unable to create a new stream" },
	{ ERR_INIT_STREAM, 0, true, "unable to initialize stream" },
	{ ERR_STREAM_LISTEN, 0, true, "unable to start stream listener" },
	{ ERR_STREAM_CONNECT, 0, true, "unable to connect stream" },
	{ ERR_STREAM_ACCEPT, 0, true, "unable to accept stream connection" },
	{ ERR_STREAM_WRITE, 0, true, "unable to write to stream socket" },
	{ ERR_STREAM_READ, 0, true, "unable to read from stream socket" },
	{ ERR_STREAM_CLOSE, 0, false, "stream socket has closed unexpectedly" },
	{ ERR_STREAM_ID, 0, false, "stream has an invalid id" },
	{ ERR_USAGE, ERR_NOT_BUILT, false, "these options can't be combined" },
	{ ERR_ADDRESS, ERR_CONNECT, false, "address not understood" },
	{ ERR_INTERRUPT, ERR_SERVER_TERM, false, "interrupt" },
	{ ERR_STALL, ERR_NO_DATA, false, "no progress" },
	{ ERR_NO_MEMORY, ERR_NEW_TEST, false, "out of memory" },
	{ ERR_OUTPUT, ERR_LOGFILE, true, "unable to write the output" },
	{ ERR_OPTION, ERR_UNIT, false, "option not understood" },
	{ ERR_PEER, ERR_CTL_CLOSE, false,
	  "the peer reported an unknown error" },
	{ ERR_SWEEP, ERR_NEW_TEST, false, "the sweep is incomplete" },
};

static const struct err_row *err_find(int code)
{
	size_t i;

	for (i = 0; i < sizeof(err_table) / sizeof(err_table[0]); i++)
		if (err_table[i].code == code)
			return &err_table[i];
	return NULL;
}

int err_set(struct err *e, int code, int os_errno, const char *fmt, ...)
{
	va_list ap;

	if (e && e->code == ERR_NONE) {
		e->code = code;
		e->os_errno = os_errno;
		e->is_from_peer = false;
		e->detail[0] = '\0';
		va_start(ap, fmt);
		if (fmt)
			vsnprintf(e->detail, sizeof(e->detail), fmt, ap);
		va_end(ap);
	}
	return os_errno > 0 ? -os_errno : -EIO;
}

void err_clear(struct err *e)
{
	*e = ERR_INIT;
}

bool err_is_set(const struct err *e)
{
	return e->code != ERR_NONE;
}

/* Appends to @buf as snprintf does. */
static void append(char *buf, size_t size, const char *before, const char *text,
		   const char *after)
{
	size_t used = strlen(buf);

	snprintf(buf + used, size - used, "%s%s%s", before, text, after);
}

const char *err_format(const struct err *e, char *buf, size_t size)
{
	const struct err_row *row = err_find(e->code);
	bool wants_errno = e->os_errno > 0 || (row && row->wants_errno);
	const char *detail = e->detail;

	if (row)
		snprintf(buf, size, "%s", row->text);
	else
		snprintf(buf, size, "error number %d", e->code);
	if (e->code == ERR_INTERRUPT) {
		append(buf, size, " - ", detail, "");
		return buf;
	}
	/* The colon is there even where errno has nothing to add: scripts
	 * match it. The detail then takes errno's place. */
	if (wants_errno && e->os_errno <= 0) {
		append(buf, size, ": ", detail, "");
		return buf;
	}
	if (wants_errno)
		append(buf, size, ": ", strerror(e->os_errno), "");
	if (*detail)
		append(buf, size, " (", detail, ")");
	return buf;
}

int err_wire_number(int code)
{
	const struct err_row *row = err_find(code);

	return row && row->wire ? row->wire : code;
}
