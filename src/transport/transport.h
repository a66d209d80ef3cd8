/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract between the program and a transport. A transport is one
 * constant struct in one file, listed in registry.c; everything else asks its
 * capabilities and calls its operations. docs/ADDING-A-TRANSPORT.md walks
 * through one.
 *
 * No slot is ever NULL: an operation that means nothing for a transport is one
 * of bytestream.h's, so that no caller asks whether it exists.
 */
#ifndef TRANSPORT_TRANSPORT_H
#define TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/endpoint.h"
#include "base/err.h"
#include "model/option.h"
#include "model/result.h"
#include "model/settings.h"
#include "net/sock.h"

/* What a transport can do. */
enum transport_cap {
	/* Blocks are datagrams that carry a header and may be lost. */
	TRANSPORT_DATAGRAMS = 1 << 0,
	/* SO_SNDBUF and SO_RCVBUF are the window, and are reported. */
	TRANSPORT_SOCKET_BUFFERS = 1 << 1,
	/* A credit window bounds what is in flight; facts.window_bytes. */
	TRANSPORT_CREDIT_WINDOW = 1 << 2,
	/* path() knows retransmits and the congestion window. */
	TRANSPORT_PATH = 1 << 3,
	/* A maximum segment size exists. */
	TRANSPORT_MSS = 1 << 4,
	/* Nothing between the ends can drop bytes: a difference between bytes
	 * sent and received is an error and not weather. */
	TRANSPORT_LOSSLESS = 1 << 5,
	/* dial() and accept() exchange a greeting by themselves; the streams
	 * of other transports begin with the cookie of the test. */
	TRANSPORT_GREETS = 1 << 6,
	/* Runs over IP: the options of option_ip (model/option.h) mean
	 * something, and travel in the parameter message. */
	TRANSPORT_IP = 1 << 7,
};

/* Where the data streams of a test come in at a server. */
enum stream_door {
	/* At the listener of the control connection. */
	DOOR_SHARED = 0,
	/* At a listener of their own that is open beside it. */
	DOOR_BESIDE,
	/* At a listener of their own that has to take its place. */
	DOOR_INSTEAD,
};

struct transport;

/* One connection. Owned by whoever dialled or accepted it. */
struct conn {
	const struct transport *transport;
	int fd; /* owned; -1 when closed */
	void *state; /* owned by the transport, NULL if unused */
	/* Set by prepare where one call moves several datagrams (UDP GSO and
	 * GRO); 0: one block a call. */
	size_t send_batch_blocks;
	size_t recv_batch_bytes;
};

#define CONN_NONE ((struct conn){ .fd = -1 })

/* How to dial. */
struct dial {
	/* The control connection of the test, to whose address data streams
	 * go; NULL when this is the control connection itself. */
	const struct conn *control;
	int index; /* of the data stream, from 0 */
	struct patience patience;
};

/* What can be read off a connected socket. 0 or "": not known. */
struct socket_facts {
	int64_t sndbuf_bytes;
	int64_t rcvbuf_bytes;
	uint64_t window_bytes;
	int mss_bytes;
	uint64_t pacing_bps; /* --fq-rate as granted */
	int flow_label; /* of what this end sends */
	/* Label of what the connection has become instead; NULL: nothing. */
	const char *fallback;
	char congestion[16];
};

struct transport {
	const char *name; /* "tcp": settings.transport and long option */
	const char *label; /* "TCP": how reports call it */
	const char *wire_key; /* in the parameter message */
	/* Sent beside it: what servers that don't know wire_key shall do; NULL:
	 * nothing. */
	const char *wire_fallback;
	unsigned caps; /* enum transport_cap */
	uint64_t block_default_bytes;
	uint64_t block_min_bytes;
	uint64_t block_max_bytes;
	uint32_t port_max;

	/* Options of its own, its --NAME included where it has one. */
	struct option_table options;

	/* Who carries the control connection: itself, or another. */
	const struct transport *control;
	enum stream_door door;

	/*
	 * Whether this transport is meant by these settings, asked of every
	 * transport whose name is settings->transport, in registry order.
	 * Session thread.
	 */
	bool (*claims)(const struct settings *s);

	/* Refuses addresses and options that can't work here, before
	 * anything is opened. 0 or negative errno with @e. Session thread. */
	int (*check)(const struct settings *s, struct err *e);

	/* A non-blocking listener. Descriptor or negative errno with @e. */
	int (*listen)(const struct settings *s, struct err *e);

	/*
	 * Gives a listener that also serves control connections (DOOR_SHARED)
	 * what the data streams of the test in @s need when they come, and
	 * takes it away again with the server's own settings. 0 or negative
	 * errno with @e. Session thread.
	 */
	int (*tune)(int listener, const struct settings *s, struct err *e);

	/*
	 * A waiting connection, non-blocking. @control is that of the test
	 * whose streams are collected, NULL where anybody may come. 0, -EAGAIN
	 * or negative errno.
	 */
	int (*accept)(int listener, const struct conn *control,
		      struct conn *out);

	/* An accepted stream whose test has not started yet is readable:
	 * answers a greeting that came again. Nothing without
	 * TRANSPORT_GREETS. Session thread. */
	void (*greet_again)(struct conn *c);

	/*
	 * Connects, with every option of @s that belongs before a connect.
	 * 0 and a blocking connection, or negative errno with @e
	 * (ERR_CONNECT for control, ERR_STREAM_CONNECT for data).
	 */
	int (*dial)(const struct settings *s, const struct dial *how,
		    struct conn *out, struct err *e);

	/* Makes an accepted or dialled connection a data stream: the options
	 * of @s that belong after the connect. 0 or negative errno. */
	int (*prepare)(struct conn *c, const struct settings *s, struct err *e);

	void (*name_ends)(const struct conn *c, struct endpoint *local,
			  struct endpoint *remote);

	/* What the two ends are called in the direction names of tables,
	 * where they are more than client and server: "host", "guest". Static
	 * text; untouched otherwise. */
	void (*name_roles)(const struct conn *c, const char **local,
			   const char **remote);

	void (*inspect)(const struct conn *c, struct socket_facts *out);

	/* Retransmits since the connection began, and the path. Untouched
	 * where TRANSPORT_PATH is missing. Session thread, any time. */
	void (*path)(const struct conn *c, struct path *out,
		     int64_t *retransmits);

	/*
	 * One block, blocking. Bytes moved (short counts allowed), 0 at the
	 * orderly end of the peer (receive only), or -1 with errno. Worker
	 * thread.
	 */
	ssize_t (*send)(struct conn *c, const void *block, size_t len);
	ssize_t (*recv)(struct conn *c, void *block, size_t len);

	/*
	 * Datagrams: one, or several of @unit_bytes each, of which the last
	 * may be shorter. Otherwise as recv; 0 is also an empty datagram.
	 */
	ssize_t (*recv_datagrams)(struct conn *c, void *buf, size_t len,
				  size_t *unit_bytes);

	/* The sender's orderly end: everything sent still arrives, then the
	 * peer sees the end. 0 or negative errno. Worker thread; the session
	 * thread calls it too, to cut off a blocked send. */
	int (*finish)(struct conn *c);

	/* Wakes a worker blocked in send or recv; the connection is lost.
	 * Session thread. */
	void (*abort)(struct conn *c);

	/* Closes and frees; also a half-built or closed one. */
	void (*close)(struct conn *c);
};

/* The error code for a failed dial. */
int dial_code(const struct dial *how);

#endif
