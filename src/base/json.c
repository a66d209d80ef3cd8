/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 2^63: the first double that int64_t can't hold. */
#define I64_LIMIT 9223372036854775808.0

/* From here on libcjson writes whole numbers with an exponent. */
#define WHOLE_EXACT_BELOW 1e15

/* Whether brackets nest no deeper than JSON_DEPTH_MAX. libcjson's own limit
 * is far higher, and whoever walks a document does so recursively. */
static bool is_shallow(const char *text, size_t len)
{
	bool is_string = false;
	int depth = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (is_string) {
			if (text[i] == '\\')
				i++;
			else if (text[i] == '"')
				is_string = false;
			continue;
		}
		if (text[i] == '"')
			is_string = true;
		else if (text[i] == '{' || text[i] == '[')
			depth++;
		else if (text[i] == '}' || text[i] == ']')
			depth--;
		if (depth > JSON_DEPTH_MAX)
			return false;
	}
	return true;
}

cJSON *json_parse_object(const char *text, size_t len)
{
	const char *end = NULL;
	cJSON *doc;

	if (!text || !is_shallow(text, len))
		return NULL;
	doc = cJSON_ParseWithLengthOpts(text, len, &end, 0);
	if (!doc)
		return NULL;
	while (end < text + len && isspace((unsigned char)*end))
		end++;
	/* A terminating NUL may be counted in @len. */
	if (!cJSON_IsObject(doc) || (end < text + len && *end)) {
		cJSON_Delete(doc);
		return NULL;
	}
	return doc;
}

const cJSON *json_get(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

enum json_read json_get_presence(const cJSON *object, const char *key,
				 bool *out)
{
	const cJSON *item = json_get(object, key);

	if (!item)
		return JSON_ABSENT;
	if (!cJSON_IsBool(item))
		return JSON_BAD;
	*out = true;
	return JSON_OK;
}

enum json_read json_get_i64(const cJSON *object, const char *key, int64_t min,
			    int64_t max, int64_t *out)
{
	const cJSON *item = json_get(object, key);
	double number;

	if (!item)
		return JSON_ABSENT;
	if (!cJSON_IsNumber(item))
		return JSON_BAD;
	number = item->valuedouble;
	if (!(number >= -I64_LIMIT && number < I64_LIMIT) ||
	    number != trunc(number))
		return JSON_BAD;
	if ((int64_t)number < min || (int64_t)number > max)
		return JSON_BAD;
	*out = (int64_t)number;
	return JSON_OK;
}

enum json_read json_get_double(const cJSON *object, const char *key, double min,
			       double max, double *out)
{
	const cJSON *item = json_get(object, key);

	if (!item)
		return JSON_ABSENT;
	if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
		return JSON_BAD;
	if (item->valuedouble < min || item->valuedouble > max)
		return JSON_BAD;
	*out = item->valuedouble;
	return JSON_OK;
}

enum json_read json_get_text(const cJSON *object, const char *key,
			     size_t max_len, const char **out)
{
	const cJSON *item = json_get(object, key);

	if (!item)
		return JSON_ABSENT;
	if (!cJSON_IsString(item) || !item->valuestring ||
	    strlen(item->valuestring) > max_len)
		return JSON_BAD;
	*out = item->valuestring;
	return JSON_OK;
}

int json_put_item(cJSON *object, const char *key, cJSON *item)
{
	if (!object || !item) {
		cJSON_Delete(item);
		return -ENOMEM;
	}
	if (json_get(object, key)) {
		cJSON_Delete(item);
		return -EEXIST;
	}
	if (!cJSON_AddItemToObject(object, key, item)) {
		cJSON_Delete(item);
		return -ENOMEM;
	}
	return 0;
}

int json_put_i64(cJSON *object, const char *key, int64_t value)
{
	return json_put_item(object, key, cJSON_CreateNumber((double)value));
}

int json_put_double(cJSON *object, const char *key, double value)
{
	return json_put_item(object, key, cJSON_CreateNumber(value));
}

int json_put_bool(cJSON *object, const char *key, bool value)
{
	return json_put_item(object, key, cJSON_CreateBool(value));
}

int json_put_text(cJSON *object, const char *key, const char *value)
{
	return json_put_item(object, key, cJSON_CreateString(value));
}

static bool is_big_whole(const cJSON *item)
{
	double size = fabs(item->valuedouble);

	return cJSON_IsNumber(item) && size >= WHOLE_EXACT_BELOW &&
	       size < I64_LIMIT;
}

static bool has_big_whole(const cJSON *item)
{
	const cJSON *child;

	if (is_big_whole(item))
		return true;
	for (child = item->child; child; child = child->next)
		if (has_big_whole(child))
			return true;
	return false;
}

/* Replaces numbers that libcjson would write with an exponent by their text.
 * Doubles of that size are whole. 0 or -ENOMEM. */
static int spell_out(cJSON *item)
{
	cJSON *child;
	char text[32];
	size_t len;

	if (is_big_whole(item)) {
		len = (size_t)snprintf(text, sizeof(text), "%lld",
				       (long long)item->valuedouble);
		item->valuestring = cJSON_malloc(len + 1);
		if (!item->valuestring)
			return -ENOMEM;
		memcpy(item->valuestring, text, len + 1);
		item->type = (item->type & ~0xff) | cJSON_Raw;
	}
	for (child = item->child; child; child = child->next)
		if (spell_out(child))
			return -ENOMEM;
	return 0;
}

char *json_print(const cJSON *item, bool is_pretty)
{
	cJSON *copy = NULL;
	char *text = NULL;

	if (has_big_whole(item)) {
		copy = cJSON_Duplicate(item, true);
		if (!copy || spell_out(copy))
			goto out;
		item = copy;
	}
	text = is_pretty ? cJSON_Print(item) : cJSON_PrintUnformatted(item);
out:
	cJSON_Delete(copy);
	return text;
}
