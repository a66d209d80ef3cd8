/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a test measured, as plain values with their units in their names, and
 * the arithmetic of rates and sums. Reporters only print what stands here.
 *
 * Times are seconds since the start of the counted part of the test (after
 * --omit); inside the omit period they count from the start of that period.
 *
 * Threads: session.
 */
#ifndef MODEL_RESULT_H
#define MODEL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/endpoint.h"

/* What a stream's figures can contain. */
enum result_shape {
	SHAPE_PLAIN = 0, /* bytes and time only */
	SHAPE_RETRANSMITS, /* and struct path of a sender */
	SHAPE_DATAGRAMS, /* and struct datagrams */
};

/*
 * Direction of a stream, the same at both ends: it decides which sum a stream
 * belongs to. GROUP_FORWARD is client to server.
 */
enum result_group {
	GROUP_FORWARD = 0,
	GROUP_REVERSE = 1,
	RESULT_GROUPS = 2,
};

#define RETRANSMITS_UNKNOWN (-1)

/* A sender's view of its path, from TCP_INFO. */
struct path {
	bool is_known;
	int64_t cwnd_bytes;
	int64_t wnd_bytes; /* the peer's window, -1: unknown */
	int64_t rtt_us;
	int64_t rttvar_us;
	int64_t pmtu_bytes;
	int64_t reorder; /* reordering events so far */
};

struct datagrams {
	int64_t packets; /* sent, or advance of the highest number */
	int64_t lost;
	int64_t out_of_order;
	double jitter_ms;
	double lost_percent;
};

/* Figures of one stream or of a sum over a span of time. */
struct span {
	double start_s;
	double end_s;
	double seconds;
	uint64_t bytes;
	double bits_per_second;
	uint64_t calls; /* I/O calls that moved data; 0: unknown */
	int64_t retransmits; /* in this span, or RETRANSMITS_UNKNOWN */
	struct path path; /* senders; at the end of the span */
	struct datagrams datagrams;
	bool is_omitted;
	bool is_sender; /* this end sends on it */
};

/* One data stream as reports name it. Exists from its connection on. */
struct stream_info {
	int id; /* wire id: 1, 3, 4, 5 ... */
	int socket; /* descriptor number, the reports' join key */
	bool is_sender; /* this end sends on it */
	enum result_group group;
	struct endpoint local;
	struct endpoint remote;
};

struct interval {
	size_t streams; /* entries of @stream */
	const struct span *stream; /* same order as test.stream */
	bool has_sum[RESULT_GROUPS];
	struct span sum[RESULT_GROUPS];
};

/* Figures of a sending socket over a whole test. */
struct path_summary {
	bool is_known;
	int64_t reorder;
	int64_t max_cwnd_bytes;
	int64_t max_wnd_bytes;
	int64_t max_rtt_us;
	int64_t min_rtt_us;
	int64_t mean_rtt_us;
};

/* Both halves of one stream; a half that is not known has 0 bytes. */
struct stream_summary {
	bool is_sent_known;
	bool is_received_known;
	bool is_loss_unknown; /* omit used, peer sent no omitted counts */
	struct span sent;
	struct span received;
	struct path_summary path;
};

struct cpu_percent {
	double total;
	double user;
	double system;
};

struct summary {
	size_t streams;
	const struct stream_summary *stream; /* same order as test.stream */
	bool has_sum[RESULT_GROUPS];
	bool is_sent_known; /* the sending halves of all streams */
	bool is_received_known;
	struct span sum_sent[RESULT_GROUPS];
	struct span sum_received[RESULT_GROUPS];
	struct cpu_percent cpu_local;
	bool is_cpu_remote_known;
	struct cpu_percent cpu_remote;
	/* Names of TCP congestion algorithms, "" where not known. */
	char congestion_sent[16];
	char congestion_received[16];
};

/* 8 * bytes / seconds; 0 where seconds is not positive. */
double result_bits_per_second(uint64_t bytes, double seconds);

/* Sets seconds and bits_per_second from the other members. */
void span_finish(struct span *s);

/* Sets lost_percent from the other members. */
void datagrams_finish(struct datagrams *d);

/*
 * Adds @one to @sum: counts add up, times are the first stream's, jitter
 * becomes the mean over @n streams when @n is the index of the last one.
 */
void span_add(struct span *sum, const struct span *one, size_t index,
	      size_t streams_in_sum);

#endif
