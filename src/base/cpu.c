/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cpu.h"

#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/units.h"

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NS_PER_S +
	       (uint64_t)tv->tv_usec * NS_PER_US;
}

void cpu_sample(struct cpu_usage *u)
{
	struct rusage ru;

	getrusage(RUSAGE_SELF, &ru);
	u->wall_ns = clock_now_ns();
	u->user_ns = timeval_ns(&ru.ru_utime);
	u->system_ns = timeval_ns(&ru.ru_stime);
}

double cpu_percent_of(uint64_t part_ns, uint64_t wall_ns)
{
	return wall_ns ? 100.0 * (double)part_ns / (double)wall_ns : 0;
}

int cpu_bind(int cpu)
{
	static cpu_set_t inherited;
	static bool has_inherited;
	cpu_set_t set;

	if (!has_inherited) {
		if (sched_getaffinity(0, sizeof(inherited), &inherited))
			return -errno;
		has_inherited = true;
	}
	set = inherited;
	if (cpu >= 0) {
		if (cpu >= CPU_SETSIZE)
			return -EINVAL;
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
	}
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}
