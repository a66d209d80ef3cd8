/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/fields.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define US_PER_S 1e6

static cJSON *create_text(const char *text, bool is_null)
{
	return is_null ? cJSON_CreateNull() : cJSON_CreateString(text);
}

static cJSON *create_u64(uint64_t value, bool is_null)
{
	return is_null ? cJSON_CreateNull() : cJSON_CreateNumber((double)value);
}

static double round_us(double seconds)
{
	return round(seconds * US_PER_S) / US_PER_S;
}

static cJSON *create(enum field_kind kind, const void *m)
{
	switch (kind) {
	case FIELD_INT:
		return cJSON_CreateNumber(*(const int *)m);
	case FIELD_U32:
		return cJSON_CreateNumber(*(const uint32_t *)m);
	case FIELD_I64:
		return cJSON_CreateNumber((double)*(const int64_t *)m);
	case FIELD_U64:
		return create_u64(*(const uint64_t *)m, false);
	case FIELD_U64_OR_NULL:
		return create_u64(*(const uint64_t *)m,
				  *(const uint64_t *)m == 0);
	case FIELD_DOUBLE:
		return cJSON_CreateNumber(*(const double *)m);
	case FIELD_TIME:
		return cJSON_CreateNumber(round_us(*(const double *)m));
	case FIELD_BOOL:
		return cJSON_CreateBool(*(const bool *)m);
	case FIELD_FLAG:
		return cJSON_CreateNumber(*(const bool *)m);
	case FIELD_CHARS:
		return create_text(m, false);
	case FIELD_CHARS_OR_NULL:
		return create_text(m, !*(const char *)m);
	case FIELD_STRING:
		return create_text(*(char *const *)m, !*(char *const *)m);
	case FIELD_END:
		break;
	}
	return NULL;
}

int field_put(cJSON *object, enum field_kind kind, const char *key,
	      const void *member)
{
	return json_put_item(object, key, create(kind, member));
}

int fields_put(cJSON *object, const struct field *table, const void *base)
{
	const struct field *f;
	int rc = 0;

	for (f = table; f->kind != FIELD_END && !rc; f++)
		rc = field_put(object, f->kind, f->key,
			       (const char *)base + f->offset);
	return rc;
}

cJSON *fields_finish(cJSON *object, int rc)
{
	if (!rc)
		return object;
	cJSON_Delete(object);
	return NULL;
}
