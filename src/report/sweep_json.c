/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/sweep_json.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/version.h"
#include "model/option.h"
#include "report/document.h"
#include "report/document_span.h"
#include "report/facts.h"
#include "report/fields.h"

#define SETTING(m) offsetof(struct settings, m)

/* What options of OPTION_CUSTOM store, which their rows don't say. */
static const struct field custom_fields[] = {
	{ FIELD_STRING, "client", SETTING(host) },
	{ FIELD_STRING, "bind", SETTING(bind_host) },
	{ FIELD_U64, "bitrate", SETTING(rate_bps) },
	{ FIELD_INT, "burst", SETTING(burst_blocks) },
	{ FIELD_INT, "affinity", SETTING(affinity) },
	{ FIELD_INT, "server-affinity", SETTING(server_affinity) },
	{ FIELD_BOOL, "cntl-ka", SETTING(has_keepalive) },
	{ FIELD_INT, "cntl-ka-idle", SETTING(keepalive_idle_s) },
	{ FIELD_INT, "cntl-ka-interval", SETTING(keepalive_interval_s) },
	{ FIELD_INT, "cntl-ka-count", SETTING(keepalive_count) },
	{ FIELD_STRING, "sweep", SETTING(sweep_sizes) },
	{ FIELD_STRING, "timestamps", SETTING(timestamps) },
	{ FIELD_END, NULL, 0 },
};

/* How a member of each kind of option is written; FIELD_END: not at all. */
static const enum field_kind kind_of_option[] = {
	[OPTION_FLAG] = FIELD_BOOL,	[OPTION_INT] = FIELD_INT,
	[OPTION_C_INT] = FIELD_INT,	[OPTION_PORT] = FIELD_U32,
	[OPTION_BYTES] = FIELD_U64,	[OPTION_RATE] = FIELD_U64,
	[OPTION_MS] = FIELD_INT,	[OPTION_SECONDS] = FIELD_DOUBLE,
	[OPTION_STRING] = FIELD_STRING, [OPTION_CUSTOM] = FIELD_END,
	[OPTION_OBSOLETE] = FIELD_END,	[OPTION_HELP] = FIELD_END,
	[OPTION_VERSION] = FIELD_END,
};

static int put_rows(cJSON *object, const struct option_table *table,
		    const struct settings *s)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < table->rows && !rc; i++) {
		const struct option_row *row = &table->row[i];
		enum field_kind kind = kind_of_option[row->kind];

		if (kind == FIELD_END || !row->name || row->alias_of ||
		    !(row->roles & FOR_CLIENT))
			continue;
		rc = field_put(object, kind, row->name,
			       (const char *)s + row->offset);
	}
	return rc;
}

static cJSON *options_object(const struct settings *s)
{
	static const char *const directions[] = {
		[SWEEP_BOTH] = "both",
		[SWEEP_FORWARD] = "forward",
		[SWEEP_REVERSE] = "reverse",
	};
	const struct option_table *table;
	cJSON *object = cJSON_CreateObject();
	char unit[2] = { s->unit, '\0' };
	int rc = fields_put(object, custom_fields, s);

	rc |= json_put_i64(object, "ip-version", s->family);
	rc |= json_put_text(object, "format", unit);
	rc |= json_put_text(object, "directions",
			    directions[s->sweep_directions]);
	if (s->transport)
		rc |= json_put_text(object, "transport", s->transport);
	for (table = option_core; table->title && !rc; table++)
		rc = put_rows(object, table, s);
	return fields_finish(object, rc);
}

static cJSON *time_object(int64_t wall_ms)
{
	cJSON *object = cJSON_CreateObject();
	char text[FACTS_GMT_SIZE];
	int rc = json_put_text(object, "time",
			       facts_gmt(wall_ms, text, sizeof(text)));

	rc |= json_put_i64(object, "timemillisecs", wall_ms);
	return fields_finish(object, rc);
}

static cJSON *sizes_array(const struct sweep *sw)
{
	cJSON *array = cJSON_CreateArray();
	int rc = array ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; i < sw->rows && !rc; i++)
		rc = document_append(
			array,
			cJSON_CreateNumber((double)sw->row[i].block_bytes));
	return fields_finish(array, rc);
}

static int put_result(cJSON *object, const struct sweep_cell *cell)
{
	bool is_ok = cell->is_run && cell->is_ok &&
		     isfinite(cell->bits_per_second);
	const char *error = cell->error;
	int rc = json_put_bool(object, "ok", is_ok);

	if (!*error && !is_ok)
		error = cell->is_run ? "no reason is known" : "not run";
	rc |= json_put_item(object, "error",
			    is_ok ? cJSON_CreateNull()
				  : cJSON_CreateString(error));
	rc |= json_put_item(object, "bits_per_second",
			    !is_ok ? cJSON_CreateNull()
				   : cJSON_CreateNumber(cell->bits_per_second));
	rc |= field_put(object, FIELD_U64, "bytes", &cell->bytes);
	rc |= json_put_item(object, "result",
			    !cell->document
				    ? cJSON_CreateNull()
				    : cJSON_Duplicate(cell->document, true));
	return rc;
}

static cJSON *cell_object(const struct sweep *sw, size_t row, size_t direction)
{
	const struct sweep_cell *cell = &sw->row[row].cell[direction];
	cJSON *object = cJSON_CreateObject();
	int rc = field_put(object, FIELD_U64, "block_bytes",
			   &sw->row[row].block_bytes);

	rc |= json_put_text(object, "direction",
			    direction == GROUP_FORWARD ? "forward" : "reverse");
	rc |= json_put_text(object, "label", sw->direction[direction]);
	rc |= json_put_bool(object, "run", cell->is_run);
	rc |= put_result(object, cell);
	return fields_finish(object, rc);
}

static cJSON *cells_array(const struct sweep *sw)
{
	cJSON *array = cJSON_CreateArray();
	int rc = array ? 0 : -ENOMEM;
	size_t i, d;

	for (i = 0; i < sw->rows; i++)
		for (d = 0; d < SWEEP_DIRECTIONS && !rc; d++)
			if (sw->row[i].cell[d].is_wanted)
				rc = document_append(array,
						     cell_object(sw, i, d));
	return fields_finish(array, rc);
}

static cJSON *format_object(void)
{
	cJSON *object = cJSON_CreateObject();
	int rc = json_put_text(object, "name", SWEEP_JSON_FORMAT);

	rc |= json_put_i64(object, "version", SWEEP_JSON_VERSION);
	return fields_finish(object, rc);
}

/* A sweep is as good as its worst cell. */
static bool is_complete(const struct sweep *sw)
{
	size_t i, d;

	if (sw->is_interrupted || !sw->rows)
		return false;
	for (i = 0; i < sw->rows; i++)
		for (d = 0; d < SWEEP_DIRECTIONS; d++)
			if (sw->row[i].cell[d].is_wanted &&
			    !(sw->row[i].cell[d].is_run &&
			      sw->row[i].cell[d].is_ok))
				return false;
	return true;
}

cJSON *sweep_json_build(const struct sweep *sw)
{
	const struct settings *s = sw->settings;
	cJSON *doc = cJSON_CreateObject();
	int rc = json_put_item(doc, "format", format_object());

	rc |= json_put_text(doc, "tool", VERSION_TOOL);
	rc |= json_put_item(doc, "start", time_object(sw->start_wall_ms));
	rc |= json_put_item(doc, "end", time_object(sw->end_wall_ms));
	rc |= json_put_text(doc, "protocol", sw->protocol);
	rc |= json_put_bool(doc, "complete", is_complete(sw));
	rc |= json_put_bool(doc, "interrupted", sw->is_interrupted);
	if (s->title)
		rc |= json_put_text(doc, "title", s->title);
	if (s->extra_data)
		rc |= json_put_text(doc, "extra_data", s->extra_data);
	rc |= json_put_item(doc, "environment",
			    document_environment(&sw->local, &sw->remote));
	rc |= json_put_item(doc, "options", options_object(s));
	rc |= json_put_item(doc, "sizes", sizes_array(sw));
	rc |= json_put_item(doc, "cells", cells_array(sw));
	return fields_finish(doc, rc);
}

int sweep_json_print(FILE *out, const struct sweep *sw)
{
	cJSON *doc = sweep_json_build(sw);
	char *text = doc ? json_print(doc, true) : NULL;
	int rc = text ? 0 : -ENOMEM;

	if (text)
		fprintf(out, "%s\n", text);
	fflush(out);
	cJSON_free(text);
	cJSON_Delete(doc);
	return rc;
}
