/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A sweep: one test per block size and direction, as plain data between the
 * tool that runs it and the reports that print it.
 *
 * Threads: session.
 */
#ifndef MODEL_SWEEP_H
#define MODEL_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "model/settings.h"
#include "model/test.h"

#define SWEEP_SIZES_MAX 64
#define SWEEP_SIZES_DEFAULT "1K-512K"
#define SWEEP_DIRECTIONS 2 /* GROUP_FORWARD, GROUP_REVERSE */

struct sweep_cell {
	bool is_wanted; /* this direction was asked for */
	bool is_run;
	bool is_ok;
	double bits_per_second; /* received; valid when is_ok */
	uint64_t bytes; /* received, also of a failed test */
	char error[512]; /* why it failed, "" when is_ok */
	cJSON *document; /* owned: the complete result of its test as
				 * -J prints it; NULL if not run */
};

struct sweep_row {
	uint64_t block_bytes;
	struct sweep_cell cell[SWEEP_DIRECTIONS];
};

struct sweep {
	const struct settings *settings; /* borrowed */
	const char *protocol; /* static text */
	int64_t start_wall_ms;
	int64_t end_wall_ms;
	/* "host -> guest" and "guest -> host"; "client -> server" and its
	 * reverse where neither end is a host or before the first connection */
	char direction[SWEEP_DIRECTIONS][32];
	struct environment local;
	struct environment remote;
	bool is_interrupted;
	size_t rows;
	struct sweep_row row[SWEEP_SIZES_MAX];
};

/* Frees the cells' documents. */
void sweep_done(struct sweep *sw);

/*
 * Parses "1K-512K" (doubles), "1K,4K,64K" and mixes of both into ascending
 * distinct sizes. Returns how many, or negative errno with @e set; sizes
 * outside 1..@max_bytes are refused.
 */
int sweep_parse_sizes(const char *text, uint64_t max_bytes, uint64_t *sizes,
		      size_t capacity, struct err *e);

#endif
