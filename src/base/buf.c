/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/buf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BUF_FIRST_BYTES 256

void buf_init(struct buf *b, size_t ceiling)
{
	*b = (struct buf){ .ceiling = ceiling };
}

void buf_done(struct buf *b)
{
	if (!b)
		return;
	free(b->data);
	buf_init(b, b->ceiling);
}

static int buf_reserve(struct buf *b, size_t need)
{
	size_t capacity = b->capacity ? b->capacity : BUF_FIRST_BYTES;
	char *data;

	if (need <= b->capacity)
		return 0;
	while (capacity < need)
		capacity *= 2;
	if (capacity > b->ceiling)
		capacity = b->ceiling;
	data = realloc(b->data, capacity);
	if (!data)
		return -ENOMEM;
	b->data = data;
	b->capacity = capacity;
	return 0;
}

int buf_append(struct buf *b, const void *data, size_t len)
{
	int rc;

	if (len > b->ceiling - b->len)
		return -EMSGSIZE;
	if (len == 0)
		return 0;
	rc = buf_reserve(b, b->len + len);
	if (rc)
		return rc;
	memcpy(b->data + b->len, data, len);
	b->len += len;
	return 0;
}

void buf_clear(struct buf *b)
{
	b->len = 0;
}
