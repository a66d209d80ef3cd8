/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From the workers' running counters to intervals and to this end's half of
 * the result. It reads the counters and the sockets, and remembers what was
 * counted up to the last interval and up to the end of the omit period.
 *
 * Threads: session.
 */
#ifndef SESSION_TALLY_H
#define SESSION_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/group.h"
#include "model/result.h"
#include "model/test.h"

/* One end's figures of one stream over the whole test, omit excluded. */
struct half {
	bool is_known;
	uint64_t bytes;
	double seconds;
	int64_t retransmits; /* RETRANSMITS_UNKNOWN */
	struct path_summary path; /* own half only: not exchanged */
	double jitter_s;
	/* Datagrams: cumulative, with the omitted part told separately. */
	int64_t packets;
	int64_t lost;
	int64_t out_of_order; /* own half only, omit excluded */
	bool has_omitted;
	int64_t omitted_packets;
	int64_t omitted_lost;
};

/* Counts of one stream at one moment. */
struct sample {
	uint64_t bytes;
	uint64_t calls;
	int64_t retransmits;
	struct path path;
	struct datagrams datagrams; /* since the stream began */
};

struct tally_stream {
	struct sample base; /* at the start of the counted part */
	struct sample last; /* at the last interval's end */
	int64_t lost_shown; /* in the intervals so far */
	struct path_summary seen;
	int64_t rtt_sum_us;
	int64_t rtt_samples;
};

struct tally {
	struct group *group; /* borrowed */
	const struct test *test; /* borrowed */
	uint64_t start_ns;
	uint64_t last_ns;
	struct tally_stream *stream; /* owned */
	struct span *span; /* owned: the interval's entries */
};

/* 0 or -ENOMEM; tally_done is right in both cases. */
int tally_init(struct tally *t, struct group *g, const struct test *test);
void tally_done(struct tally *t);

/* The counted part (or the omit period) starts now. */
void tally_start(struct tally *t, uint64_t now_ns);

/* Closes the interval that ends at @now_ns into @out, which points into the
 * tally until the next call. */
void tally_interval(struct tally *t, uint64_t now_ns, bool is_omitted,
		    struct interval *out);

/* Whether anything moved since the last interval. */
bool tally_has_news(const struct tally *t);

/* This end's half of stream @index, after its worker left. @stop_ns ends a
 * stream that did not end by itself. */
void tally_half(const struct tally *t, size_t index, uint64_t stop_ns,
		struct half *out);

/* When the last worker left: the end of the test at this end. */
uint64_t tally_end_ns(const struct tally *t, uint64_t stop_ns);

#endif
