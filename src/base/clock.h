/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The only callers of the clock. Everything else is given a time, so that
 * tests can give it one.
 *
 * Threads: any.
 */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_NEVER UINT64_MAX /* a deadline that does not come */

/* CLOCK_MONOTONIC, ns. */
uint64_t clock_now_ns(void);

/* Wall clock, ms since the epoch. */
int64_t clock_wall_ms(void);

/* Sleeps until the monotonic time @until_ns; @wake_fd (or -1) becoming
 * readable, or a signal, ends it early. */
void clock_sleep_until_ns(uint64_t until_ns, int wake_fd);

/* The deadline @ms from now; CLOCK_NEVER for ms <= 0. */
uint64_t clock_deadline_ms(int64_t ms);

/* Milliseconds until @deadline_ns for poll(): rounded up, 0 when it has
 * passed, -1 for CLOCK_NEVER. */
int clock_poll_ms(uint64_t deadline_ns, uint64_t now_ns);

#endif
