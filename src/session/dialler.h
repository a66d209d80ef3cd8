/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A client's connections: the control connection, and then one data stream
 * after the other. Each begins with the cookie of the test, unless its
 * transport has a greeting of its own.
 *
 * Called by: client.c.
 * Threads: session.
 */
#ifndef SESSION_DIALLER_H
#define SESSION_DIALLER_H

#include <stdint.h>

#include "session/run.h"

/* Makes the cookie and the control connection. 0 or negative errno with
 * run.error. */
int dialler_control(struct run *r);

/* Data stream number @index, from 0: STREAM is emitted. The server numbers
 * them as they come, so each is opened when the one before it is complete.
 * 0 or negative errno with run.error. */
int dialler_stream(struct run *r, int index, uint64_t deadline_ns);

#endif
