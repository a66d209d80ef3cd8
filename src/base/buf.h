/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Growable bytes with a hard ceiling: what a peer announces never decides
 * alone how much memory is taken.
 *
 * Threads: any, one thread per buffer.
 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>

struct buf {
	char *data; /* owned; NULL while empty */
	size_t len;
	size_t capacity;
	size_t ceiling; /* len never exceeds it */
};

void buf_init(struct buf *b, size_t ceiling);
void buf_done(struct buf *b);

/* Appends; -EMSGSIZE beyond the ceiling, -ENOMEM. Unchanged on failure. */
int buf_append(struct buf *b, const void *data, size_t len);

/* Forgets the content, keeps the memory. */
void buf_clear(struct buf *b);

#endif
