/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"
#include "report/text.h"

struct capture {
	struct sink sink;
	struct sink *text; /* owned; writes to stream */
	struct sink *json; /* owned; prints nothing */
	FILE *stream; /* owned; its memory is buf */
	char *buf; /* owned, valid after a flush of stream */
	size_t len;
	bool is_wanted; /* the client of this test asked for it */
	bool is_json;
};

/* Forgets the text; its memory stays for the next test. */
static void clear_text(struct capture *c)
{
	rewind(c->stream);
	fflush(c->stream);
	c->is_wanted = false;
}

static bool is_full(struct capture *c)
{
	return ftell(c->stream) >= (long)CAPTURE_MAX_BYTES;
}

static void on_event(struct sink *sink, const struct event *ev)
{
	struct capture *c = (struct capture *)sink;

	/* The banner belongs to the test that follows it. */
	if (ev->kind == EVENT_LISTEN)
		clear_text(c);
	if (ev->kind == EVENT_OPEN) {
		c->is_wanted = ev->settings->wants_server_output;
		c->is_json = ev->settings->is_json;
	}
	if (ev->kind != EVENT_LISTEN && !c->is_wanted)
		return;
	if (ev->kind != EVENT_LISTEN && c->is_json)
		c->json->on_event(c->json, ev);
	else if (!is_full(c))
		c->text->on_event(c->text, ev);
}

struct capture *capture_new(void)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->sink.on_event = on_event;
	c->stream = open_memstream(&c->buf, &c->len);
	if (!c->stream)
		goto fail;
	/* What goes to stderr is not part of the output. */
	c->text = text_sink_new(c->stream, NULL);
	c->json = json_sink_new(NULL, NULL);
	if (!c->text || !c->json)
		goto fail;
	return c;
fail:
	capture_free(c);
	return NULL;
}

void capture_free(struct capture *c)
{
	if (!c)
		return;
	text_sink_free(c->text);
	json_sink_free(c->json);
	if (c->stream)
		fclose(c->stream);
	free(c->buf);
	free(c);
}

struct sink *capture_sink(struct capture *c)
{
	return &c->sink;
}

static char *document_text(struct capture *c)
{
	cJSON *doc = json_sink_take_document(c->json);
	char *text = doc ? json_print(doc, false) : NULL;

	cJSON_Delete(doc);
	if (text && strlen(text) > CAPTURE_MAX_BYTES) {
		cJSON_free(text);
		text = NULL;
	}
	return text;
}

/* The complete lines of @text within @len bytes. */
static size_t whole_lines(const char *text, size_t len)
{
	if (len <= CAPTURE_MAX_BYTES)
		return len;
	len = CAPTURE_MAX_BYTES;
	while (len && text[len - 1] != '\n')
		len--;
	return len;
}

char *capture_text(struct capture *c, bool *is_json)
{
	long used;

	if (!c->is_wanted)
		return NULL;
	*is_json = c->is_json;
	if (c->is_json)
		return document_text(c);
	fflush(c->stream);
	used = ftell(c->stream);
	if (used <= 0)
		return NULL;
	return strndup(c->buf, whole_lines(c->buf, (size_t)used));
}
