/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/payload.h"

#include <stdlib.h>
#include <string.h>

#include "base/rand.h"

#define PAGE_BYTES 4096

unsigned char *payload_new(size_t len, bool is_repeating)
{
	void *block = NULL;
	unsigned char *bytes;
	size_t i;

	if (posix_memalign(&block, PAGE_BYTES, len))
		return NULL;
	bytes = block;
	if (is_repeating || rand_bytes(bytes, len))
		for (i = 0; i < len; i++)
			bytes[i] = (unsigned char)('0' + i % 10);
	return bytes;
}
