/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of a datagram (PROTOCOL.md 9): the time it was sent, in seconds
 * and microseconds of any clock that does not jump, and its number, 32 or 64
 * bits wide; all in network byte order. The rest of the datagram is filler.
 *
 * Threads: any; pure.
 */
#ifndef ENGINE_DATAGRAM_H
#define ENGINE_DATAGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every datagram is at least so long, although 32-bit headers are shorter. */
#define DATAGRAM_MIN_BYTES 16
#define DATAGRAM_HEADER_BYTES(is_64bit) ((is_64bit) ? 16u : 12u)

struct datagram_header {
	uint64_t sent_ns; /* whole microseconds */
	uint64_t number; /* its low 32 bits only, unless 64-bit */
};

/* Writes the header over the beginning of a datagram. */
void datagram_write(void *datagram, const struct datagram_header *h,
		    bool is_64bit);

/* False: @len bytes are too few for a header. Any bytes make one otherwise. */
bool datagram_read(const void *datagram, size_t len, bool is_64bit,
		   struct datagram_header *out);

#endif
