/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/pacer.h"

#include "base/units.h"

void pacer_init(struct pacer *p, uint64_t start_ns, uint64_t rate_bps,
		uint64_t block_bytes, int burst_blocks)
{
	p->start_ns = start_ns;
	p->burst_blocks = burst_blocks > 0 ? (uint64_t)burst_blocks : 1;
	p->ns_per_burst = (double)block_bytes * BITS_PER_BYTE *
			  (double)p->burst_blocks * (double)NS_PER_S /
			  (double)rate_bps;
}

uint64_t pacer_due_blocks(const struct pacer *p, uint64_t now_ns)
{
	double bursts;

	if (now_ns < p->start_ns)
		return 0;
	bursts = (double)(now_ns - p->start_ns) / p->ns_per_burst;
	return ((uint64_t)bursts + 1) * p->burst_blocks;
}

uint64_t pacer_due_ns(const struct pacer *p, uint64_t block)
{
	uint64_t bursts = block / p->burst_blocks;

	return p->start_ns + (uint64_t)((double)bursts * p->ns_per_burst);
}
