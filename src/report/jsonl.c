/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/jsonl.h"

#include <stdlib.h>
#include <string.h>

#include "report/document.h"
#include "report/fields.h"
#include "report/json.h"
#include "report/tail.h"

struct jsonl_sink {
	struct sink sink;
	FILE *out; /* borrowed */
	FILE *err; /* borrowed */
	struct sink *full; /* owned: prints the complete document */
	cJSON *end; /* owned; NULL before the summary */
	struct tail tail;
};

/* Takes @data over. */
static void print_line(struct jsonl_sink *self, const char *name, cJSON *data)
{
	cJSON *line = cJSON_CreateObject();
	int rc = json_put_text(line, "event", name);
	char *text;

	rc |= json_put_item(line, "data", data);
	text = rc ? NULL : json_print(line, false);
	if (text)
		fprintf(self->out, "%s\n", text);
	else
		fputs("{\"event\":\"error\",\"data\":\"out of memory\"}\n",
		      self->out);
	fflush(self->out);
	cJSON_free(text);
	cJSON_Delete(line);
}

static void print_server_output(struct jsonl_sink *self)
{
	const struct tail *tail = &self->tail;
	cJSON *doc = NULL;

	if (tail->is_output_json)
		doc = json_parse_object(tail->output, strlen(tail->output));
	if (doc)
		print_line(self, "server_output_json", doc);
	else
		print_line(self, "server_output_text",
			   cJSON_CreateString(tail->output));
}

static void print_tail(struct jsonl_sink *self)
{
	if (self->tail.error)
		print_line(self, "error", cJSON_CreateString(self->tail.error));
	if (self->tail.output)
		print_server_output(self);
	print_line(self, "end", self->end ? self->end : cJSON_CreateObject());
	self->end = NULL;
	tail_clear(&self->tail);
}

static void print_event(struct jsonl_sink *self, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_START:
		print_line(self, "start", document_start(ev->test));
		break;
	case EVENT_INTERVAL:
		print_line(self, "interval",
			   document_interval(ev->test, ev->interval));
		break;
	case EVENT_SUMMARY:
		cJSON_Delete(self->end);
		self->end = document_end(ev->test, ev->summary);
		break;
	case EVENT_WARNING:
		tail_warn(self->err, ev->text);
		break;
	case EVENT_ERROR:
		/* Outside a test nothing else will come. */
		if (!ev->test)
			print_tail(self);
		break;
	case EVENT_CLOSE:
		print_tail(self);
		break;
	default:
		break;
	}
}

static void on_event(struct sink *sink, const struct event *ev)
{
	struct jsonl_sink *self = (struct jsonl_sink *)sink;

	tail_take(&self->tail, ev);
	print_event(self, ev);
	/* The complete document comes after the last line. */
	if (ev->settings->is_json_stream_full && ev->kind != EVENT_WARNING)
		self->full->on_event(self->full, ev);
}

struct sink *jsonl_sink_new(FILE *out, FILE *err)
{
	struct jsonl_sink *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->full = json_sink_new(out, err);
	if (!self->full) {
		free(self);
		return NULL;
	}
	self->sink.on_event = on_event;
	self->out = out;
	self->err = err;
	return &self->sink;
}

void jsonl_sink_free(struct sink *sink)
{
	struct jsonl_sink *self = (struct jsonl_sink *)sink;

	if (!self)
		return;
	json_sink_free(self->full);
	cJSON_Delete(self->end);
	tail_clear(&self->tail);
	free(self);
}
