/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The rows of iperf3's text, one function per kind of row. Scripts cut these
 * rows by columns, so widths and trailing blanks are part of the interface
 * (docs/COMPATIBILITY.md). No row ends with a newline.
 *
 * Called by text.c. Threads: any.
 */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

#define COLUMNS_LINE_SIZE 1024 /* a line has at most 1023 bytes */

#define COLUMNS_SUM (-1) /* instead of a socket: a row of sums */

#define COLUMNS_SEPARATOR "- - - - - - - - - - - - - - - - - - - - - - - - -"
#define COLUMNS_DASHES \
	"-----------------------------------------------------------"

enum columns_header {
	HEADER_PLAIN = 0,
	HEADER_RETRANSMITS,
	HEADER_RETRANSMITS_CWND,
	HEADER_LOSS,
	HEADER_DATAGRAMS,
};

struct columns_row {
	int socket; /* or COLUMNS_SUM */
	const char *role; /* "[TX-C]", or "" in one direction */
	char unit; /* of the Bitrate column, see units_format */
	enum result_shape shape;
	const struct span *span;
	bool is_loss_unknown; /* final rows of datagram receivers */
};

/* Each writes to @buf and returns it. */
const char *columns_header(enum columns_header kind, bool has_role, char *buf,
			   size_t size);
const char *columns_interval(const struct columns_row *row, char *buf,
			     size_t size);
const char *columns_sender(const struct columns_row *row, char *buf,
			   size_t size);
const char *columns_receiver(const struct columns_row *row, char *buf,
			     size_t size);

/* The note about datagrams that came out of order. */
const char *columns_reordered(const struct columns_row *row, char *buf,
			      size_t size);

/* "[  5] (sender statistics not available)" */
const char *columns_missing(const struct columns_row *row, const char *half,
			    char *buf, size_t size);

#endif
