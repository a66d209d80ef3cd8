/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The bytes that senders send: random by default, so that nothing on the way
 * compresses them, or the digits 0123456789 repeated.
 *
 * Threads: session.
 */
#ifndef ENGINE_PAYLOAD_H
#define ENGINE_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>

/* Page-aligned memory of @len bytes for free(). NULL: no memory. */
unsigned char *payload_new(size_t len, bool is_repeating);

#endif
