/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One test in progress at one end: what client and server have in common,
 * from the first stream to the summary. It emits the events between OPEN and
 * CLOSE; when to do what is decided by client.c and server.c.
 *
 * Threads: session.
 */
#ifndef SESSION_RUN_H
#define SESSION_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/cpu.h"
#include "base/err.h"
#include "engine/group.h"
#include "model/settings.h"
#include "model/test.h"
#include "session/ctl.h"
#include "session/exchange.h"
#include "session/session.h"
#include "session/tally.h"
#include "session/ticker.h"

/* A lost stream is judged only after this: the reason may be on its way over
 * the control connection. */
#define RUN_GRACE_MS 1000
/* For senders to finish their last block; then they are cut off. */
#define RUN_STOP_MS 2000
/* The same where the peer isn't ours: 3.12 stops reading at once in --bidir. */
#define RUN_STOP_FOREIGN_MS 200
/* For receivers to drain. */
#define RUN_FINISH_MS 10000
/* With -n or -k: silence after which a sender is taken to have sent all, for
 * peers that count otherwise (during the omit period, say) and don't close. */
#define RUN_SILENCE_MS 1000
/* Silence after which receivers that drain stop waiting for an end of stream
 * that a virtual machine monitor without half-close never delivers ... */
#define RUN_DRAIN_MS 3000
/* ... or that datagrams don't have, and how far they may be behind what is
 * said over the control connection. */
#define RUN_DRAIN_DATAGRAMS_MS 100
/* ... and that a peer which isn't ours never sends. */
#define RUN_DRAIN_FOREIGN_MS 100

struct run {
	const struct session_host *host; /* borrowed */
	const struct transport *transport;
	struct settings settings; /* owned copy, of this test */
	struct test test;
	struct group group;
	struct tally tally;
	struct ticker ticker;
	struct ctl ctl; /* the control connection */

	struct half_test own;
	struct half_test peer;
	struct cpu_usage cpu_start;
	uint64_t stop_ns; /* when finishing was ordered, 0: not yet */
	uint64_t grace_end_ns; /* a stream was lost; CLOCK_NEVER: none */
	uint64_t listen_ns; /* when to look for progress again */
	int drain_ms; /* silence that ends draining; 0: not draining yet */
	uint64_t heard_bytes; /* received when progress was last seen */
	uint64_t heard_ns;
	bool is_open; /* OPEN was emitted */
	bool has_results; /* run_finish was called */
	struct err error; /* why the test failed */
};

/* Copies @settings. 0 or negative errno with run.error; run_done is right in
 * both cases. */
int run_init(struct run *r, const struct settings *settings,
	     const struct session_host *host);

/* OPEN: run.settings are those of the test, or as far as they could be
 * read. */
void run_open(struct run *r);

/* Fixes transport and block size and makes room for the streams; emits
 * nothing. 0 or negative errno with run.error. */
int run_prepare(struct run *r, const struct transport *t);

/* The control connection is up and parameters are agreed: CONNECTED. */
void run_connected(struct run *r);

/* Takes @conn over as the next stream: STREAM. */
int run_add_stream(struct run *r, const struct conn *conn);

/* TEST_START: clocks start, START is emitted. */
int run_begin(struct run *r);
/* TEST_RUNNING: workers start. */
int run_go(struct run *r);

/* When run_poll wants to be called at the latest. */
uint64_t run_deadline_ns(const struct run *r);

enum run_news {
	RUN_QUIET = 0,
	RUN_TIME_OVER, /* --time has passed (told once) */
	RUN_FAILED, /* run.error */
};

/* Does what is due: intervals, the end of omit, deadlines of receiving. */
enum run_news run_poll(struct run *r);

/* Whether -n or -k is fulfilled: this end has sent its share and received the
 * other's, or the other end has fallen silent. False without a limit. */
bool run_is_exhausted(const struct run *r);

/* No more blocks; receivers drain. */
void run_stop(struct run *r);

/* The other end has sent its last: receivers that hear nothing for @ms are
 * done. After run_stop. */
void run_drain(struct run *r, int ms);

/* After the workers have left (or are made to): the last interval and this
 * end's half of the results. */
void run_finish(struct run *r);

/* Sends this end's half. 0 or negative errno with run.error. */
int run_send_results(struct run *r);

/* Takes the peer's half off the control connection. 1: taken, 0: more bytes
 * are needed, negative errno with run.error. */
int run_take_results(struct run *r);

/* Emits SUMMARY from both halves as far as they are known. */
void run_summarize(struct run *r);

/* Emits WARNING. */
void run_warn(struct run *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Emits an event of this test. */
void run_emit(struct run *r, struct event *ev);

/* ERROR (if run.error is set) and CLOSE, then frees everything. The control
 * connection is closed unless it was detached before. */
void run_done(struct run *r);

#endif
