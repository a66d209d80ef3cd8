/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Both ends' halves put together into the result that reports print. Pure.
 *
 * Threads: session.
 */
#ifndef SESSION_SUMMARY_H
#define SESSION_SUMMARY_H

#include "model/result.h"
#include "model/test.h"
#include "session/exchange.h"
#include "session/tally.h"

/* Fills @out, which points into @streams (test.streams entries). */
void summary_build(const struct test *test, const struct half_test *own,
		   const struct half_test *peer, struct stream_summary *streams,
		   struct summary *out);

#endif
