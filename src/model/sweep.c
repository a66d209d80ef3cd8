/* SPDX-License-Identifier: BSD-3-Clause */
#include "model/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define SIZE_TEXT_MAX 32

/* The sizes collected so far, ascending and distinct. */
struct size_list {
	const char *text; /* the whole, for messages */
	uint64_t max_bytes;
	uint64_t *size;
	size_t capacity;
	size_t n;
};

void sweep_done(struct sweep *sw)
{
	size_t i;
	int d;

	if (!sw)
		return;
	for (i = 0; i < sw->rows; i++)
		for (d = 0; d < SWEEP_DIRECTIONS; d++)
			cJSON_Delete(sw->row[i].cell[d].document);
	sw->rows = 0;
}

static int bad_sizes(const struct size_list *l, const char *why, struct err *e)
{
	return err_set(e, ERR_OPTION, EINVAL,
		       "--sweep=%s: %s; give sizes like 1K-512K (doubling), "
		       "1K,4K,64K or both mixed",
		       l->text, why);
}

static int list_insert(struct size_list *l, uint64_t size, struct err *e)
{
	size_t at = 0;

	while (at < l->n && l->size[at] < size)
		at++;
	if (at < l->n && l->size[at] == size)
		return 0;
	if (l->n == l->capacity)
		return bad_sizes(l, "too many sizes", e);
	memmove(&l->size[at + 1], &l->size[at],
		(l->n - at) * sizeof(l->size[0]));
	l->size[at] = size;
	l->n++;
	return 0;
}

/* units_parse_bytes ignores what follows the suffix; here it must be all. */
static int parse_size(struct size_list *l, const char *text, uint64_t *out,
		      struct err *e)
{
	size_t plain = strspn(text, "0123456789.");
	const char *rest = text + plain;

	if (*rest && strchr("kKmMgGtT", *rest))
		rest++;
	if (*rest || units_parse_bytes(text, out))
		return bad_sizes(l, "a number is not understood", e);
	if (*out < 1 || *out > l->max_bytes)
		return err_set(e, ERR_BLOCK_SIZE, EINVAL,
			       "--sweep=%s: sizes are from 1 to %llu bytes",
			       l->text, (unsigned long long)l->max_bytes);
	return 0;
}

/* "SIZE" or "FROM-TO". */
static int parse_range(struct size_list *l, char *text, struct err *e)
{
	char *dash = strchr(text, '-');
	uint64_t from = 0;
	uint64_t to;
	int rc;

	if (dash)
		*dash = '\0';
	rc = parse_size(l, text, &from, e);
	to = from;
	if (!rc && dash)
		rc = parse_size(l, dash + 1, &to, e);
	if (!rc && to < from)
		rc = bad_sizes(l, "a range goes from small to large", e);
	for (; !rc && from <= to; from *= 2)
		rc = list_insert(l, from, e);
	return rc;
}

int sweep_parse_sizes(const char *text, uint64_t max_bytes, uint64_t *sizes,
		      size_t capacity, struct err *e)
{
	struct size_list l = {
		.text = text,
		.max_bytes = max_bytes,
		.size = sizes,
		.capacity = capacity,
	};
	const char *at = text;
	int rc = 0;

	while (!rc) {
		size_t len = strcspn(at, ",");
		char part[2 * SIZE_TEXT_MAX];

		if (len == 0 || len >= sizeof(part))
			return bad_sizes(&l, "a size is missing", e);
		memcpy(part, at, len);
		part[len] = '\0';
		rc = parse_range(&l, part, e);
		if (!at[len])
			break;
		at += len + 1;
	}
	return rc ? rc : (int)l.n;
}
