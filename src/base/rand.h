/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Random bytes from the kernel.
 *
 * Threads: any.
 */
#ifndef BASE_RAND_H
#define BASE_RAND_H

#include <stddef.h>

/* Fills @out. 0 or negative errno. */
int rand_bytes(void *out, size_t len);

#endif
