/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/columns.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/units.h"

#define PART_SIZE 200

/* What stands where a kind of row has no figures, so that the last column
 * keeps its place. */
#define NO_FIGURES "                  "

#define OMITTED "(omitted)"

static const char *const header_end[] = {
	[HEADER_PLAIN] = "",
	[HEADER_RETRANSMITS] = "         Retr",
	[HEADER_RETRANSMITS_CWND] = "         Retr  Cwnd",
	[HEADER_LOSS] = "         Jitter    Lost/Total Datagrams",
	[HEADER_DATAGRAMS] = "         Total Datagrams",
};

const char *columns_header(enum columns_header kind, bool has_role, char *buf,
			   size_t size)
{
	snprintf(buf, size, "[ ID]%s Interval           Transfer     Bitrate%s",
		 has_role ? "[Role]" : "", header_end[kind]);
	return buf;
}

/* "[  5]" or "[SUM]". */
static const char *label(const struct columns_row *row, char *buf, size_t size)
{
	if (row->socket == COLUMNS_SUM)
		snprintf(buf, size, "[SUM]");
	else
		snprintf(buf, size, "[%3d]", row->socket);
	return buf;
}

/* The columns that all rows have, then @figures and @last. */
static const char *join(const struct columns_row *row, const char *figures,
			const char *last, char *buf, size_t size)
{
	const struct span *span = row->span;
	char id[UNITS_TEXT_SIZE];
	char amount[UNITS_TEXT_SIZE];
	char rate[UNITS_TEXT_SIZE];

	units_format((double)span->bytes, 'A', amount, sizeof(amount));
	units_format(span->bits_per_second / BITS_PER_BYTE, row->unit, rate,
		     sizeof(rate));
	units_printf(buf, size, "%s%s %6.2f-%-6.2f sec  %ss  %ss/sec%s%s",
		     label(row, id, sizeof(id)), row->role, span->start_s,
		     span->end_s, amount, rate, figures, last);
	return buf;
}

static void retransmit_figures(const struct columns_row *row, char *buf,
			       size_t size)
{
	const struct span *span = row->span;
	char cwnd[UNITS_TEXT_SIZE];

	if (row->socket == COLUMNS_SUM || !span->path.is_known) {
		snprintf(buf, size, "  %3" PRId64 "             ",
			 span->retransmits);
		return;
	}
	units_format((double)span->path.cwnd_bytes, 'A', cwnd, sizeof(cwnd));
	snprintf(buf, size, "  %3" PRId64 "   %ss       ", span->retransmits,
		 cwnd);
}

static void loss_figures(const struct columns_row *row, char *buf, size_t size)
{
	const struct datagrams *d = &row->span->datagrams;

	if (row->is_loss_unknown)
		units_printf(buf, size, "  %5.3f ms  Unknown/%" PRId64 "  ",
			     d->jitter_ms, d->packets);
	else
		units_printf(buf, size,
			     "  %5.3f ms  %" PRId64 "/%" PRId64 " (%.2g%%)  ",
			     d->jitter_ms, d->lost, d->packets,
			     d->lost_percent);
}

static bool has_retransmits(const struct columns_row *row)
{
	return row->shape == SHAPE_RETRANSMITS && row->span->retransmits >= 0;
}

const char *columns_interval(const struct columns_row *row, char *buf,
			     size_t size)
{
	const struct span *span = row->span;
	char figures[PART_SIZE] = NO_FIGURES;

	if (row->shape == SHAPE_DATAGRAMS && span->is_sender)
		snprintf(figures, sizeof(figures), " %s %" PRId64 "  ",
			 *row->role ? "          " : "",
			 span->datagrams.packets);
	else if (row->shape == SHAPE_DATAGRAMS)
		loss_figures(row, figures, sizeof(figures));
	else if (has_retransmits(row) && span->is_sender)
		retransmit_figures(row, figures, sizeof(figures));
	return join(row, figures, span->is_omitted ? OMITTED : "", buf, size);
}

const char *columns_sender(const struct columns_row *row, char *buf,
			   size_t size)
{
	const struct datagrams *d = &row->span->datagrams;
	char figures[PART_SIZE] = NO_FIGURES;

	if (row->shape == SHAPE_DATAGRAMS)
		snprintf(figures, sizeof(figures),
			 "  0.000 ms  0/%" PRId64 " (0%%)  ", d->packets);
	else if (has_retransmits(row))
		snprintf(figures, sizeof(figures), "  %3" PRId64 "%s",
			 row->span->retransmits,
			 row->socket == COLUMNS_SUM ? "             "
						    : "            ");
	return join(row, figures, "sender", buf, size);
}

const char *columns_receiver(const struct columns_row *row, char *buf,
			     size_t size)
{
	char figures[PART_SIZE] = NO_FIGURES;

	if (row->shape == SHAPE_DATAGRAMS)
		loss_figures(row, figures, sizeof(figures));
	return join(row, figures, "receiver", buf, size);
}

const char *columns_reordered(const struct columns_row *row, char *buf,
			      size_t size)
{
	const struct span *span = row->span;

	units_printf(buf, size,
		     "[SUM]%s %4.1f-%4.1f sec  %" PRId64
		     " datagrams received out-of-order",
		     row->role, span->start_s, span->end_s,
		     span->datagrams.out_of_order);
	return buf;
}

const char *columns_missing(const struct columns_row *row, const char *half,
			    char *buf, size_t size)
{
	char id[UNITS_TEXT_SIZE];

	snprintf(buf, size, "%s (%s statistics not available)",
		 label(row, id, sizeof(id)), half);
	return buf;
}
