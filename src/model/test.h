/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One test as reports see it: who talks to whom, with which settings, on which
 * machines. It grows while the test is set up; members that are not known yet
 * say so. The session owns it and lends it to sinks with every event.
 *
 * Threads: session.
 */
#ifndef MODEL_TEST_H
#define MODEL_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/endpoint.h"
#include "model/result.h"
#include "model/settings.h"

#define COOKIE_SIZE 37 /* 36 characters and a NUL, PROTOCOL.md 2 */

#define TEST_STREAMS_MAX (2 * SETTINGS_STREAMS_MAX)

/* The machine at one end, for readers who compare two results. */
struct environment {
	bool is_known; /* false: a peer that isn't ours */
	char tool[64]; /* "iperf3-vsock 0.1.0" */
	char kernel[128]; /* uname -r */
	char kernel_build[128]; /* uname -v */
	char machine[32]; /* uname -m */
	char cpu_model[128];
	int cpus; /* online */
	char address[ENDPOINT_HOST_SIZE]; /* own address on the control
					   * connection */
	char clocksource[32];
	char boot_id[40];
	uint64_t window_bytes; /* granted at this end, 0: not known */
};

struct test {
	/* In force for this test (a server's copy). Borrowed until the test
	 * is closed. */
	const struct settings *settings;

	/* The data transport, as text and capabilities. */
	const char *protocol; /* "TCP", "VSOCK" ... */
	enum result_shape shape;
	bool has_socket_buffers; /* SO_SNDBUF and SO_RCVBUF mean
					 * something */
	bool has_credit_window; /* window_granted_bytes is known */
	bool has_mss;

	/* What tables call the two ends: "host" and "guest", or "client" and
	 * "server". Static text. */
	const char *local_name;
	const char *remote_name;

	int number; /* server: counts from 1 */
	char cookie[COOKIE_SIZE];
	struct endpoint peer; /* client: as the user typed it;
					 * server: of the control connection */
	bool is_connected; /* parameters were exchanged */
	bool is_started; /* TEST_START was reached */
	int64_t start_wall_ms; /* since the epoch, when connected */
	int control_mss_bytes; /* 0: not known */
	int64_t sndbuf_actual_bytes; /* first stream, as read back */
	int64_t rcvbuf_actual_bytes;
	uint64_t window_granted_bytes; /* first stream, this end */

	size_t streams;
	struct stream_info stream[TEST_STREAMS_MAX];

	struct environment local;
	struct environment remote;
};

#endif
