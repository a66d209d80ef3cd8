/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The state bytes of the control connection (PROTOCOL.md section 3). Values
 * that are never sent are left out.
 *
 * Threads: any (constants).
 */
#ifndef MODEL_STATE_H
#define MODEL_STATE_H

enum state {
	STATE_TEST_START = 1,
	STATE_TEST_RUNNING = 2,
	STATE_TEST_END = 4,
	STATE_PARAM_EXCHANGE = 9,
	STATE_CREATE_STREAMS = 10,
	STATE_SERVER_TERMINATE = 11,
	STATE_CLIENT_TERMINATE = 12,
	STATE_EXCHANGE_RESULTS = 13,
	STATE_DISPLAY_RESULTS = 14,
	STATE_IPERF_DONE = 16,
	STATE_ACCESS_DENIED = -1,
	STATE_SERVER_ERROR = -2,
};

#endif
