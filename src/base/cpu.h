/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * CPU time of this process and the CPU it may run on.
 *
 * Threads: any; affinity applies to the calling thread and to threads that it
 * creates later.
 */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdint.h>

struct cpu_usage {
	uint64_t wall_ns; /* monotonic time of the sample */
	uint64_t user_ns; /* all threads of the process */
	uint64_t system_ns;
};

void cpu_sample(struct cpu_usage *u);

/* Percent of one CPU between two samples; can exceed 100. 0 for no time. */
double cpu_percent_of(uint64_t part_ns, uint64_t wall_ns);

/* Binds the calling thread to @cpu or, with @cpu < 0, to the CPUs it had when
 * this was called first. 0 or negative errno. */
int cpu_bind(int cpu);

#endif
