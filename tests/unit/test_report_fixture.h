/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A test as a session would tell it to a sink, in a few lines per scene, and
 * what the sink wrote.
 */
#ifndef TEST_REPORT_FIXTURE_H
#define TEST_REPORT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/event.h"

#define SET_TEXT(array, text) snprintf(array, sizeof(array), "%s", text)

struct scene {
	struct settings settings;
	struct test test;
	struct sink *sink;
	FILE *out;
	FILE *err;
	char *out_text;
	char *err_text;
	size_t out_len;
	size_t err_len;
	struct span span[TEST_STREAMS_MAX];
	struct stream_summary half[TEST_STREAMS_MAX];
	struct interval interval;
	struct summary summary;
};

static inline void scene_init(struct scene *sc, enum role role)
{
	memset(sc, 0, sizeof(*sc));
	settings_init(&sc->settings);
	sc->settings.role = role;
	sc->settings.block_bytes = 131072;
	sc->settings.time_s = 2;
	sc->out = open_memstream(&sc->out_text, &sc->out_len);
	sc->err = open_memstream(&sc->err_text, &sc->err_len);
	sc->test.settings = &sc->settings;
	sc->test.protocol = "TCP";
	sc->test.shape = SHAPE_RETRANSMITS;
	sc->test.has_mss = true;
	sc->test.has_socket_buffers = true;
	sc->test.control_mss_bytes = 32768;
	sc->test.sndbuf_actual_bytes = 16384;
	sc->test.rcvbuf_actual_bytes = 131072;
	sc->test.start_wall_ms = 1796034921071;
	SET_TEXT(sc->test.cookie, "mgeu2xz5vma4h5lbvjv5bjmjomns2sb5rxi5");
	sc->test.peer = (struct endpoint){ "127.0.0.1", 30581 };
}

static inline void scene_done(struct scene *sc)
{
	settings_done(&sc->settings);
	fclose(sc->out);
	fclose(sc->err);
	free(sc->out_text);
	free(sc->err_text);
}

static inline void scene_event(struct scene *sc, struct event ev)
{
	bool is_outside = ev.kind == EVENT_LISTEN;

	ev.test = is_outside ? NULL : &sc->test;
	ev.settings = &sc->settings;
	sc->sink->on_event(sc->sink, &ev);
}

static inline void scene_say(struct scene *sc, enum event_kind kind)
{
	scene_event(sc, (struct event){ .kind = kind });
}

static inline void scene_stream(struct scene *sc, int socket, uint32_t port,
				enum result_group group)
{
	struct stream_info *st = &sc->test.stream[sc->test.streams++];
	bool is_client = sc->settings.role == ROLE_CLIENT;
	uint32_t other = sc->test.peer.port;

	st->socket = socket;
	st->group = group;
	st->is_sender = is_client == (group == GROUP_FORWARD);
	st->local = (struct endpoint){ "127.0.0.1", is_client ? port : other };
	st->remote = (struct endpoint){ "127.0.0.1", is_client ? other : port };
	sc->half[sc->test.streams - 1].sent.retransmits = RETRANSMITS_UNKNOWN;
	sc->half[sc->test.streams - 1].received.retransmits =
		RETRANSMITS_UNKNOWN;
	scene_event(sc, (struct event){ .kind = EVENT_STREAM, .stream = st });
}

static inline void scene_connect(struct scene *sc)
{
	scene_say(sc, EVENT_OPEN);
	sc->test.is_connected = true;
	scene_say(sc, EVENT_CONNECTED);
}

static inline void scene_start(struct scene *sc)
{
	sc->test.is_started = true;
	scene_say(sc, EVENT_START);
}

/* Figures of stream @i in the next interval; rates follow from them. */
static inline struct span *scene_span(struct scene *sc, size_t i, double start,
				      double end, uint64_t bytes,
				      int64_t retransmits, int64_t cwnd)
{
	struct span *s = &sc->span[i];

	*s = (struct span){ .start_s = start,
			    .end_s = end,
			    .bytes = bytes,
			    .retransmits = retransmits };
	s->is_sender = sc->test.stream[i].is_sender;
	s->path.is_known = cwnd > 0;
	s->path.cwnd_bytes = cwnd;
	span_finish(s);
	return s;
}

static inline size_t scene_group_size(const struct scene *sc, size_t group)
{
	size_t i, n = 0;

	for (i = 0; i < sc->test.streams; i++)
		n += sc->test.stream[i].group == group;
	return n;
}

static inline void scene_interval(struct scene *sc)
{
	struct interval *iv = &sc->interval;
	size_t g, i, n;

	*iv = (struct interval){ .streams = sc->test.streams,
				 .stream = sc->span };
	for (g = 0; g < RESULT_GROUPS; g++) {
		n = 0;
		iv->has_sum[g] = scene_group_size(sc, g) > 0;
		for (i = 0; i < sc->test.streams; i++)
			if (sc->test.stream[i].group == g)
				span_add(&iv->sum[g], &sc->span[i], n++,
					 scene_group_size(sc, g));
	}
	scene_event(sc,
		    (struct event){ .kind = EVENT_INTERVAL, .interval = iv });
}

static inline void scene_half(struct scene *sc, size_t i, double sent_end,
			      uint64_t sent, int64_t retransmits,
			      double received_end, uint64_t received)
{
	struct stream_summary *h = &sc->half[i];

	h->is_sent_known = true;
	h->is_received_known = true;
	h->sent = (struct span){ .end_s = sent_end,
				 .bytes = sent,
				 .retransmits = retransmits };
	h->received = (struct span){ .end_s = received_end,
				     .bytes = received,
				     .retransmits = RETRANSMITS_UNKNOWN };
	h->sent.is_sender = sc->test.stream[i].is_sender;
	h->received.is_sender = sc->test.stream[i].is_sender;
	span_finish(&h->sent);
	span_finish(&h->received);
}

static inline void scene_summary(struct scene *sc)
{
	struct summary *sum = &sc->summary;
	size_t g, i, n;

	sum->streams = sc->test.streams;
	sum->stream = sc->half;
	sum->is_sent_known = sum->is_received_known = true;
	for (g = 0; g < RESULT_GROUPS; g++) {
		n = 0;
		sum->has_sum[g] = scene_group_size(sc, g) > 0;
		for (i = 0; i < sc->test.streams; i++) {
			if (sc->test.stream[i].group != g)
				continue;
			span_add(&sum->sum_sent[g], &sc->half[i].sent, n,
				 scene_group_size(sc, g));
			span_add(&sum->sum_received[g], &sc->half[i].received,
				 n++, scene_group_size(sc, g));
		}
	}
	scene_event(sc,
		    (struct event){ .kind = EVENT_SUMMARY, .summary = sum });
}

static inline void scene_error(struct scene *sc, const struct err *e)
{
	scene_event(sc, (struct event){ .kind = EVENT_ERROR, .error = e });
	scene_event(sc, (struct event){ .kind = EVENT_CLOSE, .error = e });
}

/* A stream that was rewound still holds its longer past behind its end. */
static inline const char *scene_out(struct scene *sc)
{
	fflush(sc->out);
	sc->out_text[sc->out_len] = '\0';
	return sc->out_text;
}

static inline const char *scene_err(struct scene *sc)
{
	fflush(sc->err);
	sc->err_text[sc->err_len] = '\0';
	return sc->err_text;
}

#endif
