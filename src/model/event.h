/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The one seam between a session and its reports: the session says what
 * happened, sinks say it to somebody. Neither includes the other.
 *
 * Order of one test at a client:
 *   OPEN, CONNECTED, STREAM..., START, INTERVAL..., SUMMARY,
 *   [SERVER_OUTPUT], [ERROR], CLOSE
 * and at a server the same between LISTEN and the next LISTEN. WARNING may
 * come anywhere between OPEN and CLOSE. A test that fails skips to ERROR,
 * CLOSE from wherever it is; an interrupted one still has its SUMMARY.
 * Outside a test only LISTEN and ERROR occur.
 *
 * Threads: session. A sink must not keep pointers past its return, except
 * event.test, which stays until CLOSE returned.
 */
#ifndef MODEL_EVENT_H
#define MODEL_EVENT_H

#include "base/err.h"
#include "model/result.h"
#include "model/test.h"

enum event_kind {
	EVENT_LISTEN, /* server: ready for test event.number */
	EVENT_OPEN, /* a test exists; client: before it connects,
				 * server: its parameters were accepted */
	EVENT_CONNECTED, /* both ends agreed on parameters */
	EVENT_STREAM, /* event.stream connected */
	EVENT_START, /* all streams are there, data will flow */
	EVENT_INTERVAL, /* event.interval */
	EVENT_SUMMARY, /* event.summary */
	EVENT_SERVER_OUTPUT, /* client: event.text or event.json_text */
	EVENT_WARNING, /* event.text */
	EVENT_ERROR, /* event.error */
	EVENT_CLOSE, /* the test is over; event.error if it
				 * failed, else NULL */
};

struct event {
	enum event_kind kind;
	const struct test *test; /* NULL outside a test */
	const struct settings *settings; /* always; the program's own outside
					  * a test */
	union {
		int number;
		const struct stream_info *stream;
		const struct interval *interval;
		const struct summary *summary;
		const struct err *error;
		struct {
			const char *text;
			bool is_json; /* SERVER_OUTPUT: a JSON object */
		};
	};
};

/* Embedded as the first member by each report. */
struct sink {
	void (*on_event)(struct sink *self, const struct event *ev);
	struct sink *next; /* borrowed; NULL ends the chain */
};

/* Hands @ev to every sink of the chain, in order. */
void sink_emit(struct sink *first, const struct event *ev);

#endif
