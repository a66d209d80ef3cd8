/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a row of the option table means: how its value is read from the command
 * line, and how its member travels in the parameter message. The rows are in
 * option_core.c and in the transports.
 */
#include "model/option.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/units.h"

#define RANGE_TEXT_SIZE 80

static void *member(struct settings *s, size_t offset)
{
	return (char *)s + offset;
}

static const void *member_of(const struct settings *s, size_t offset)
{
	return (const char *)s + offset;
}

static bool has_range(const struct option_row *row)
{
	return row->max > row->min;
}

/* A comparison with NaN is false, so NaN is outside every range. */
static bool is_in_range(const struct option_row *row, double v)
{
	if (!has_range(row))
		return true;
	if (row->is_zero_allowed && v == 0)
		return true;
	return v >= row->min && v <= row->max;
}

static const char *range_text(const struct option_row *row, char *buf,
			      size_t size)
{
	snprintf(buf, size, "%s%.16g to %.16g",
		 row->is_zero_allowed && row->min > 0 ? "0 or " : "", row->min,
		 row->max);
	return buf;
}

/* An error about @value, which is not what @row takes. */
static int refuse(const struct option_row *row, const char *value,
		  const char *why, struct err *e)
{
	int code = row->range_error ? row->range_error : ERR_OPTION;
	char range[RANGE_TEXT_SIZE];

	if (!has_range(row))
		return err_set(e, code, 0, "--%s %s: %s", row->name, value,
			       why);
	return err_set(e, code, 0, "--%s %s: %s; allowed is %s", row->name,
		       value, why, range_text(row, range, sizeof(range)));
}

static int refuse_range(const struct option_row *row, const char *value,
			struct err *e)
{
	return refuse(row, value, "out of range", e);
}

static int apply_flag(struct settings *s, const struct option_row *row,
		      const char *value, struct err *e)
{
	(void)value;
	(void)e;
	*(bool *)member(s, row->offset) = true;
	return 0;
}

/* A whole number within the row's range and within what its kind can hold. */
static int parse_whole(const struct option_row *row, const char *value,
		       int64_t *out, struct err *e)
{
	bool is_port = row->kind == OPTION_PORT;
	int64_t lowest = is_port ? 0 : INT_MIN;
	int64_t highest = is_port ? (int64_t)UINT32_MAX : INT_MAX;
	int64_t v;
	int rc = row->kind == OPTION_C_INT
			 ? units_parse_c_int(value, INT64_MIN, INT64_MAX, &v)
			 : units_parse_int(value, INT64_MIN, INT64_MAX, &v);

	if (rc == -EINVAL)
		return refuse(row, value, "not a whole number", e);
	if (rc < 0 || v < lowest || v > highest || !is_in_range(row, (double)v))
		return refuse_range(row, value, e);
	*out = v;
	return 0;
}

static int apply_int(struct settings *s, const struct option_row *row,
		     const char *value, struct err *e)
{
	int64_t v;
	int rc = parse_whole(row, value, &v, e);

	if (!rc)
		*(int *)member(s, row->offset) = (int)v;
	return rc;
}

static int apply_port(struct settings *s, const struct option_row *row,
		      const char *value, struct err *e)
{
	int64_t v;
	int rc = parse_whole(row, value, &v, e);

	if (!rc)
		*(uint32_t *)member(s, row->offset) = (uint32_t)v;
	return rc;
}

/* A number with a suffix of 1024s or, for rates, of 1000s. */
static int parse_scaled(const struct option_row *row, const char *value,
			uint64_t *out, struct err *e)
{
	bool is_rate = row->kind == OPTION_RATE;
	uint64_t v;
	int rc = is_rate ? units_parse_rate(value, &v)
			 : units_parse_bytes(value, &v);

	/* Not a number is another mistake than one out of range, and has a
	 * number of its own in iperf3. */
	if (rc == -EINVAL)
		return err_set(e, ERR_UNIT, 0,
			       "--%s %s: a number with an optional suffix "
			       "K, M, G or T (powers of %d) is needed",
			       row->name, value, is_rate ? 1000 : 1024);
	if (rc < 0 || !is_in_range(row, (double)v))
		return refuse_range(row, value, e);
	*out = v;
	return 0;
}

static int apply_scaled(struct settings *s, const struct option_row *row,
			const char *value, struct err *e)
{
	return parse_scaled(row, value, member(s, row->offset), e);
}

static int apply_ms(struct settings *s, const struct option_row *row,
		    const char *value, struct err *e)
{
	uint64_t v;
	int rc = parse_scaled(row, value, &v, e);

	if (rc)
		return rc;
	if (v > INT_MAX)
		return refuse_range(row, value, e);
	*(int *)member(s, row->offset) = (int)v;
	return 0;
}

static int apply_seconds(struct settings *s, const struct option_row *row,
			 const char *value, struct err *e)
{
	double v;
	int rc = units_parse_double(value, &v);

	if (rc == -EINVAL)
		return refuse(row, value, "not a number", e);
	if (rc < 0 || !isfinite(v) || !is_in_range(row, v))
		return refuse_range(row, value, e);
	*(double *)member(s, row->offset) = v;
	return 0;
}

static int apply_string(struct settings *s, const struct option_row *row,
			const char *value, struct err *e)
{
	if (settings_set_string(member(s, row->offset), value))
		return err_set(e, ERR_NO_MEMORY, ENOMEM, "--%s", row->name);
	return 0;
}

static int apply_custom(struct settings *s, const struct option_row *row,
			const char *value, struct err *e)
{
	return row->parse(s, row, value, e);
}

static int apply_nothing(struct settings *s, const struct option_row *row,
			 const char *value, struct err *e)
{
	(void)s;
	(void)row;
	(void)value;
	(void)e;
	return 0;
}

static int (*const apply[])(struct settings *, const struct option_row *,
			    const char *, struct err *) = {
	[OPTION_FLAG] = apply_flag,
	[OPTION_INT] = apply_int,
	[OPTION_C_INT] = apply_int,
	[OPTION_PORT] = apply_port,
	[OPTION_BYTES] = apply_scaled,
	[OPTION_RATE] = apply_scaled,
	[OPTION_MS] = apply_ms,
	[OPTION_SECONDS] = apply_seconds,
	[OPTION_STRING] = apply_string,
	[OPTION_CUSTOM] = apply_custom,
	[OPTION_OBSOLETE] = apply_nothing,
	[OPTION_HELP] = apply_nothing,
	[OPTION_VERSION] = apply_nothing,
};

_Static_assert(sizeof(apply) / sizeof(apply[0]) == OPTION_VERSION + 1,
	       "every kind of option has its function");

static void note_given(struct settings *s, const struct option_row *row)
{
	if (row->given_offset != OPTION_NO_MEMBER)
		*(bool *)member(s, row->given_offset) = true;
}

int option_apply(struct settings *s, const struct option_row *row,
		 const char *value, struct err *e)
{
	int rc;

	if (row->value == VALUE_REQUIRED && !value)
		return err_set(e, ERR_OPTION, 0, "--%s needs a value: %s",
			       row->name, row->metavar);
	rc = apply[row->kind](s, row, value, e);
	if (!rc)
		note_given(s, row);
	return rc;
}

int option_choose_transport(struct settings *s, const struct option_row *row,
			    const char *value, struct err *e)
{
	(void)value;
	if (strcmp(s->transport, SETTINGS_TRANSPORT_DEFAULT) &&
	    strcmp(s->transport, row->name))
		return err_set(e, ERR_USAGE, 0, "--%s and --%s", s->transport,
			       row->name);
	s->transport = row->name;
	return 0;
}

/* The member of a row whose wire rule sends a number. */
static int64_t load_number(const struct settings *s,
			   const struct option_row *row)
{
	const void *m = member_of(s, row->offset);

	switch (row->kind) {
	case OPTION_INT:
	case OPTION_C_INT:
	case OPTION_MS:
		return *(const int *)m;
	case OPTION_PORT:
		return *(const uint32_t *)m;
	case OPTION_BYTES:
	case OPTION_RATE:
		return (int64_t) * (const uint64_t *)m;
	default:
		return 0;
	}
}

static void store_number(struct settings *s, const struct option_row *row,
			 int64_t v)
{
	void *m = member(s, row->offset);

	switch (row->kind) {
	case OPTION_INT:
	case OPTION_C_INT:
	case OPTION_MS:
		*(int *)m = (int)v;
		break;
	case OPTION_PORT:
		*(uint32_t *)m = (uint32_t)v;
		break;
	case OPTION_BYTES:
	case OPTION_RATE:
		*(uint64_t *)m = (uint64_t)v;
		break;
	default:
		break;
	}
}

static int put_number(const struct settings *s, const struct option_row *row,
		      cJSON *params)
{
	int64_t v = load_number(s, row);

	if (row->wire == WIRE_NONZERO && v == 0)
		return 0;
	if (row->wire == WIRE_NONNEGATIVE && v < 0)
		return 0;
	return json_put_i64(params, row->wire_key, v);
}

int option_to_wire(const struct settings *s, const struct option_row *row,
		   cJSON *params)
{
	const void *m = member_of(s, row->offset);
	const char *text;

	switch (row->wire) {
	case WIRE_NONE:
		return 0;
	case WIRE_TRUE:
		return *(const bool *)m
			       ? json_put_bool(params, row->wire_key, true)
			       : 0;
	case WIRE_ONE:
		return *(const bool *)m ? json_put_i64(params, row->wire_key, 1)
					: 0;
	case WIRE_ALWAYS:
	case WIRE_NONZERO:
	case WIRE_NONNEGATIVE:
		break;
	}
	if (row->kind != OPTION_STRING)
		return put_number(s, row, params);
	text = *(char *const *)m;
	return text ? json_put_text(params, row->wire_key, text) : 0;
}

/* The error about what @params say for @row. */
static int refuse_wire(const struct option_row *row, const cJSON *params,
		       struct err *e)
{
	int code = row->range_error && row->range_error != ERR_UNIT
			   ? row->range_error
			   : ERR_RECV_PARAMS;
	const cJSON *item = json_get(params, row->wire_key);
	char range[RANGE_TEXT_SIZE];

	if (!cJSON_IsNumber(item) || !has_range(row))
		return err_set(e, code, 0,
			       "the parameter \"%s\" has the wrong type or an "
			       "impossible value",
			       row->wire_key);
	return err_set(e, code, 0,
		       "the parameter \"%s\" is %.16g; allowed is "
		       "%s",
		       row->wire_key, item->valuedouble,
		       range_text(row, range, sizeof(range)));
}

static enum json_read
take_flag(struct settings *s, const struct option_row *row, const cJSON *params)
{
	enum json_read got;
	int64_t number = 0;
	bool is_set = false;

	if (row->wire == WIRE_TRUE) {
		got = json_get_presence(params, row->wire_key, &is_set);
	} else {
		got = json_get_i64(params, row->wire_key, 0, 1, &number);
		is_set = number == 1;
	}
	if (got == JSON_OK)
		*(bool *)member(s, row->offset) = is_set;
	return got;
}

static enum json_read take_number(struct settings *s,
				  const struct option_row *row,
				  const cJSON *params)
{
	int64_t lowest = row->is_zero_allowed ? 0 : (int64_t)row->min;
	int64_t highest = has_range(row) ? (int64_t)row->max : INT_MAX;
	int64_t v = 0;
	enum json_read got =
		json_get_i64(params, row->wire_key, lowest, highest, &v);

	if (got != JSON_OK)
		return got;
	if (!is_in_range(row, (double)v))
		return JSON_BAD;
	store_number(s, row, v);
	return JSON_OK;
}

static enum json_read take_text(struct settings *s,
				const struct option_row *row,
				const cJSON *params, struct err *e)
{
	const char *text = NULL;
	enum json_read got = json_get_text(params, row->wire_key,
					   OPTION_WIRE_TEXT_MAX, &text);

	if (got == JSON_OK && apply_string(s, row, text, e))
		return JSON_BAD;
	return got;
}

int option_from_wire(struct settings *s, const struct option_row *row,
		     const cJSON *params, struct err *e)
{
	enum json_read got;

	if (row->wire == WIRE_NONE)
		return 0;
	if (row->wire == WIRE_TRUE || row->wire == WIRE_ONE)
		got = take_flag(s, row, params);
	else if (row->kind == OPTION_STRING)
		got = take_text(s, row, params, e);
	else
		got = take_number(s, row, params);
	if (got == JSON_BAD)
		return refuse_wire(row, params, e);
	if (got == JSON_OK)
		note_given(s, row);
	return 0;
}
