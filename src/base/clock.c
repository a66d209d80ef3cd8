/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"

#include <limits.h>
#include <poll.h>
#include <time.h>

#include "base/units.h"

uint64_t clock_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

int64_t clock_wall_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / (int64_t)NS_PER_MS;
}

void clock_sleep_until_ns(uint64_t until_ns, int wake_fd)
{
	struct pollfd pfd = { .fd = wake_fd, .events = POLLIN };
	uint64_t now_ns = clock_now_ns();
	uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	struct timespec ts = {
		.tv_sec = (time_t)(left_ns / NS_PER_S),
		.tv_nsec = (long)(left_ns % NS_PER_S),
	};

	ppoll(&pfd, 1, &ts, NULL);
}

uint64_t clock_deadline_ms(int64_t ms)
{
	return ms > 0 ? clock_now_ns() + (uint64_t)ms * NS_PER_MS : CLOCK_NEVER;
}

int clock_poll_ms(uint64_t deadline_ns, uint64_t now_ns)
{
	uint64_t ms;

	if (deadline_ns == CLOCK_NEVER)
		return -1;
	if (deadline_ns <= now_ns)
		return 0;
	ms = (deadline_ns - now_ns + NS_PER_MS - 1) / NS_PER_MS;
	return ms > INT_MAX ? INT_MAX : (int)ms;
}
