/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/document.h"
#include "report/fields.h"
#include "report/tail.h"

/* What is left to say when there is no memory for the document. */
#define NO_MEMORY_TEXT "{\"error\":\"out of memory\"}\n"

struct json_sink {
	struct sink sink;
	FILE *out; /* borrowed, or NULL */
	FILE *err; /* borrowed, or NULL */
	const struct test *test; /* borrowed while the test is open */
	cJSON *intervals; /* owned array */
	cJSON *end; /* owned; NULL before the summary */
	struct tail tail;
	cJSON *document; /* owned: of the test closed last */
	bool is_broken; /* memory ran out */
};

/* Gives away what is held, or a copy of it if it is still needed. */
static cJSON *hand_out(cJSON **held, bool is_last_use, cJSON *instead)
{
	cJSON *item = *held;

	if (!item)
		return instead;
	cJSON_Delete(instead);
	if (!is_last_use)
		return cJSON_Duplicate(item, true);
	*held = NULL;
	return item;
}

static int put_settings_texts(cJSON *doc, const struct settings *s)
{
	int rc = 0;

	if (s->title)
		rc |= json_put_text(doc, "title", s->title);
	if (s->extra_data)
		rc |= json_put_text(doc, "extra_data", s->extra_data);
	return rc;
}

static cJSON *build(struct json_sink *self, bool is_last_use)
{
	const struct test *test = self->test;
	const struct tail *tail = &self->tail;
	cJSON *doc = cJSON_CreateObject();
	int rc = json_put_item(doc, "start", document_start(test));

	rc |= json_put_item(doc, "intervals",
			    hand_out(&self->intervals, is_last_use,
				     cJSON_CreateArray()));
	rc |= json_put_item(doc, "end",
			    hand_out(&self->end, is_last_use,
				     cJSON_CreateObject()));
	if (tail->error)
		rc |= json_put_text(doc, "error", tail->error);
	rc |= put_settings_texts(doc, test->settings);
	if (tail->output)
		rc |= document_put_server_output(doc, tail->output,
						 tail->is_output_json);
	rc |= json_put_item(doc, "environment",
			    document_environment(&test->local, &test->remote));
	return fields_finish(doc, self->is_broken ? -ENOMEM : rc);
}

static void print_document(FILE *out, const cJSON *doc)
{
	char *text = doc ? json_print(doc, true) : NULL;

	if (text)
		fprintf(out, "%s\n", text);
	else
		fputs(NO_MEMORY_TEXT, out);
	fflush(out);
	cJSON_free(text);
}

void json_print_failure(FILE *out, const char *text)
{
	cJSON *doc = cJSON_CreateObject();
	int rc = json_put_item(doc, "start", document_start(NULL));

	rc |= json_put_item(doc, "intervals", cJSON_CreateArray());
	rc |= json_put_item(doc, "end", cJSON_CreateObject());
	rc |= json_put_text(doc, "error", text);
	doc = fields_finish(doc, rc);
	print_document(out, doc);
	cJSON_Delete(doc);
}

static void forget_test(struct json_sink *self)
{
	self->test = NULL;
	cJSON_Delete(self->intervals);
	self->intervals = NULL;
	cJSON_Delete(self->end);
	self->end = NULL;
	tail_clear(&self->tail);
	self->is_broken = false;
}

static void open_test(struct json_sink *self, const struct test *test)
{
	forget_test(self);
	cJSON_Delete(self->document);
	self->document = NULL;
	self->test = test;
	self->intervals = cJSON_CreateArray();
	if (!self->intervals)
		self->is_broken = true;
}

static void add_interval(struct json_sink *self, const struct event *ev)
{
	cJSON *item = document_interval(ev->test, ev->interval);

	if (item && cJSON_AddItemToArray(self->intervals, item))
		return;
	cJSON_Delete(item);
	self->is_broken = true;
}

static void set_end(struct json_sink *self, const struct event *ev)
{
	cJSON_Delete(self->end);
	self->end = document_end(ev->test, ev->summary);
	if (!self->end)
		self->is_broken = true;
}

static void close_test(struct json_sink *self)
{
	self->document = build(self, true);
	if (self->out)
		print_document(self->out, self->document);
	forget_test(self);
}

/* An error outside a test is a document of its own. */
static void fail(struct json_sink *self)
{
	if (self->out)
		json_print_failure(self->out, self->tail.error
						      ? self->tail.error
						      : "out of memory");
	forget_test(self);
}

static void on_event(struct sink *sink, const struct event *ev)
{
	struct json_sink *self = (struct json_sink *)sink;

	if (ev->kind == EVENT_OPEN)
		open_test(self, ev->test);
	if (ev->kind == EVENT_WARNING)
		tail_warn(self->err, ev->text);
	/* CLOSE without a test brings nothing that ERROR has not brought. */
	if (!self->test && ev->kind != EVENT_ERROR)
		return;
	tail_take(&self->tail, ev);
	if (!self->test)
		fail(self);
	else if (ev->kind == EVENT_INTERVAL)
		add_interval(self, ev);
	else if (ev->kind == EVENT_SUMMARY)
		set_end(self, ev);
	else if (ev->kind == EVENT_CLOSE)
		close_test(self);
}

struct sink *json_sink_new(FILE *out, FILE *err)
{
	struct json_sink *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->sink.on_event = on_event;
	self->out = out;
	self->err = err;
	return &self->sink;
}

void json_sink_free(struct sink *sink)
{
	struct json_sink *self = (struct json_sink *)sink;

	if (!self)
		return;
	forget_test(self);
	cJSON_Delete(self->document);
	free(self);
}

cJSON *json_sink_take_document(struct sink *sink)
{
	struct json_sink *self = (struct json_sink *)sink;
	cJSON *doc = self->document;

	if (self->test)
		return build(self, false);
	self->document = NULL;
	return doc;
}
