/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON objects as tables: a row says under which key and how a member of a
 * plain struct is written. The order of rows is the order of keys.
 *
 * Threads: any.
 */
#ifndef REPORT_FIELDS_H
#define REPORT_FIELDS_H

#include <stddef.h>

#include "base/json.h"

enum field_kind {
	FIELD_END = 0, /* closes a table */
	FIELD_INT, /* int */
	FIELD_U32, /* uint32_t */
	FIELD_I64, /* int64_t */
	FIELD_U64, /* uint64_t */
	FIELD_U64_OR_NULL, /* null for 0 */
	FIELD_DOUBLE, /* double */
	FIELD_TIME, /* double, seconds; multiples of 1 us */
	FIELD_BOOL, /* bool */
	FIELD_FLAG, /* bool as 0 or 1 */
	FIELD_CHARS, /* array of char */
	FIELD_CHARS_OR_NULL, /* null for "" */
	FIELD_STRING, /* char *; null for NULL */
};

struct field {
	enum field_kind kind;
	const char *key;
	size_t offset;
};

/* Appends a key for each row of @table. 0 or negative errno. */
int fields_put(cJSON *object, const struct field *table, const void *base);

/* Appends one key whose value stands at @member. 0 or negative errno. */
int field_put(cJSON *object, enum field_kind kind, const char *key,
	      const void *member);

/* Takes @object over: returns it where @rc is 0, else deletes it and returns
 * NULL. Ends a function that collected the results of its puts in @rc. */
cJSON *fields_finish(cJSON *object, int rc);

#endif
