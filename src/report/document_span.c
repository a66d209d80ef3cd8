/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/document_span.h"

#include <errno.h>
#include <stdio.h>

#include "report/fields.h"

#define SPAN(m) offsetof(struct span, m)
#define GRAMS(m) offsetof(struct datagrams, m)
#define PATH(m) offsetof(struct path, m)

static const struct field span_fields[] = {
	{ FIELD_TIME, "start", SPAN(start_s) },
	{ FIELD_TIME, "end", SPAN(end_s) },
	{ FIELD_DOUBLE, "seconds", SPAN(seconds) },
	{ FIELD_U64, "bytes", SPAN(bytes) },
	{ FIELD_DOUBLE, "bits_per_second", SPAN(bits_per_second) },
	{ FIELD_END, NULL, 0 },
};

static const struct field datagram_fields[] = {
	{ FIELD_DOUBLE, "jitter_ms", GRAMS(jitter_ms) },
	{ FIELD_I64, "lost_packets", GRAMS(lost) },
	{ FIELD_I64, "packets", GRAMS(packets) },
	{ FIELD_DOUBLE, "lost_percent", GRAMS(lost_percent) },
	{ FIELD_END, NULL, 0 },
};

static const struct field path_fields[] = {
	{ FIELD_I64, "snd_cwnd", PATH(cwnd_bytes) },
	{ FIELD_I64, "snd_wnd", PATH(wnd_bytes) },
	{ FIELD_I64, "rtt", PATH(rtt_us) },
	{ FIELD_I64, "rttvar", PATH(rttvar_us) },
	{ FIELD_I64, "pmtu", PATH(pmtu_bytes) },
	{ FIELD_I64, "reorder", PATH(reorder) },
	{ FIELD_END, NULL, 0 },
};

int document_append(cJSON *array, cJSON *item)
{
	if (item && cJSON_AddItemToArray(array, item))
		return 0;
	cJSON_Delete(item);
	return -ENOMEM;
}

int document_put_span(cJSON *object, const struct span *span)
{
	return fields_put(object, span_fields, span);
}

int document_put_datagrams(cJSON *object, const struct datagrams *d)
{
	return fields_put(object, datagram_fields, d);
}

static int put_retransmits(cJSON *object, const struct span *span,
			   bool is_stream)
{
	int rc;

	if (!span->is_sender || span->retransmits < 0)
		return 0;
	rc = json_put_i64(object, "retransmits", span->retransmits);
	if (is_stream && span->path.is_known)
		rc |= fields_put(object, path_fields, &span->path);
	return rc;
}

int document_put_kind(cJSON *object, enum result_shape shape,
		      const struct span *span, bool is_stream)
{
	switch (shape) {
	case SHAPE_RETRANSMITS:
		return put_retransmits(object, span, is_stream);
	case SHAPE_DATAGRAMS:
		if (!span->is_sender)
			return document_put_datagrams(object, &span->datagrams);
		return json_put_i64(object, "packets", span->datagrams.packets);
	case SHAPE_PLAIN:
		break;
	}
	return 0;
}

const char *document_sum_key(const struct test *test, const char *name,
			     size_t group, char key[DOCUMENT_KEY_SIZE])
{
	bool is_back = settings_direction(test->settings) == DIRECTION_BOTH &&
		       group == GROUP_REVERSE;

	snprintf(key, DOCUMENT_KEY_SIZE, "%s%s", name,
		 is_back ? "_bidir_reverse" : "");
	return key;
}
