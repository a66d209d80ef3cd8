/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/result.h"

#include <string.h>

#include "base/units.h"

#define PERCENT 100.0

double result_bits_per_second(uint64_t bytes, double seconds)
{
	if (!(seconds > 0))
		return 0;
	return (double)bytes * BITS_PER_BYTE / seconds;
}

void span_finish(struct span *s)
{
	s->seconds = s->end_s - s->start_s;
	s->bits_per_second = result_bits_per_second(s->bytes, s->seconds);
}

void datagrams_finish(struct datagrams *d)
{
	d->lost_percent =
		d->packets > 0 ? PERCENT * (double)d->lost / (double)d->packets
			       : 0;
}

static void counts_add(struct span *sum, const struct span *one)
{
	sum->bytes += one->bytes;
	sum->calls += one->calls;
	sum->datagrams.packets += one->datagrams.packets;
	sum->datagrams.lost += one->datagrams.lost;
	sum->datagrams.out_of_order += one->datagrams.out_of_order;
	sum->datagrams.jitter_ms += one->datagrams.jitter_ms;
	/* A part that nobody counted makes the sum unknown, not smaller. */
	if (sum->retransmits < 0 || one->retransmits < 0)
		sum->retransmits = RETRANSMITS_UNKNOWN;
	else
		sum->retransmits += one->retransmits;
}

void span_add(struct span *sum, const struct span *one, size_t index,
	      size_t streams_in_sum)
{
	if (index == 0) {
		*sum = *one;
		memset(&sum->path, 0, sizeof(sum->path));
	} else {
		counts_add(sum, one);
	}
	if (index + 1 == streams_in_sum)
		sum->datagrams.jitter_ms /= (double)streams_in_sum;
	datagrams_finish(&sum->datagrams);
	sum->bits_per_second = result_bits_per_second(sum->bytes, sum->seconds);
}
