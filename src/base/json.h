/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounded, type-checked access over libcjson: every read states the type and
 * the range it wants, so a stranger's document can't surprise its reader.
 * Lookup is case-sensitive and takes the first match.
 *
 * Threads: any, one thread per document.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#define JSON_DEPTH_MAX 32

enum json_read {
	JSON_ABSENT = 0,
	JSON_OK = 1,
	JSON_BAD = -1, /* wrong type or out of range; output untouched */
};

/* Parses @len bytes (no NUL needed) whose top level must be an object.
 * NULL where that fails or nesting exceeds JSON_DEPTH_MAX. */
cJSON *json_parse_object(const char *text, size_t len);

const cJSON *json_get(const cJSON *object, const char *key);

/* A boolean of either value counts as set (PROTOCOL.md 4). */
enum json_read json_get_presence(const cJSON *object, const char *key,
				 bool *out);
enum json_read json_get_i64(const cJSON *object, const char *key, int64_t min,
			    int64_t max, int64_t *out);
/* Finite numbers only. */
enum json_read json_get_double(const cJSON *object, const char *key, double min,
			       double max, double *out);
/* Borrowed text of at most @max_len bytes. */
enum json_read json_get_text(const cJSON *object, const char *key,
			     size_t max_len, const char **out);

/* Appending; each is 0, -ENOMEM, or -EEXIST: a key is written once. Numbers
 * beyond 2^53 are rounded to a double. */
int json_put_i64(cJSON *object, const char *key, int64_t value);
int json_put_double(cJSON *object, const char *key, double value);
int json_put_bool(cJSON *object, const char *key, bool value);
int json_put_text(cJSON *object, const char *key, const char *value);
/* Takes @item over in every case; NULL counts as -ENOMEM. */
int json_put_item(cJSON *object, const char *key, cJSON *item);

/*
 * The text of @item, malloc'd for the caller, without a final newline; pretty
 * (tabs) or on one line. Whole numbers up to 2^63 have neither a fraction nor
 * an exponent, others 15 or 17 digits. NULL: no memory.
 */
char *json_print(const cJSON *item, bool is_pretty);

#endif
