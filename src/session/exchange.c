/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/exchange.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/environ.h"

#define PERCENT_MAX 1e9
#define SECONDS_MAX 1e9
#define BYTES_MAX INT64_MAX
#define UNSIGNED_NONE 18446744073709551616.0 /* what 2^64 - 1 reads as */
#define OUTPUT_MAX_BYTES (8u * 1024 * 1024)

void half_test_done(struct half_test *h)
{
	free(h->output);
	h->output = NULL;
}

static bool test_sends(const struct test *test)
{
	size_t i;

	for (i = 0; i < test->streams; i++)
		if (test->stream[i].is_sender)
			return true;
	return false;
}

static cJSON *build_stream(const struct stream_info *info, const struct half *h)
{
	cJSON *json = cJSON_CreateObject();

	if (!json)
		return NULL;
	if (json_put_i64(json, "id", info->id) ||
	    json_put_i64(json, "bytes", (int64_t)h->bytes) ||
	    json_put_i64(json, "retransmits", h->retransmits) ||
	    json_put_double(json, "jitter", h->jitter_s) ||
	    json_put_i64(json, "errors", h->lost) ||
	    json_put_i64(json, "omitted_errors", h->omitted_lost) ||
	    json_put_i64(json, "packets", h->packets) ||
	    json_put_i64(json, "omitted_packets", h->omitted_packets) ||
	    json_put_i64(json, "start_time", 0) ||
	    json_put_double(json, "end_time", h->seconds)) {
		cJSON_Delete(json);
		return NULL;
	}
	return json;
}

static int build_streams(const struct test *test, const struct half_test *own,
			 cJSON *json)
{
	cJSON *list = cJSON_CreateArray();
	size_t i;

	if (json_put_item(json, "streams", list))
		return -ENOMEM;
	for (i = 0; i < test->streams; i++) {
		cJSON *one = build_stream(&test->stream[i], &own->stream[i]);

		if (!one)
			return -ENOMEM;
		cJSON_AddItemToArray(list, one);
	}
	return 0;
}

static int build_output(const struct half_test *own, cJSON *json)
{
	cJSON *document;

	if (!own->output)
		return 0;
	if (!own->is_output_json)
		return json_put_text(json, "server_output_text", own->output);
	document = cJSON_Parse(own->output);
	return json_put_item(json, "server_output_json", document);
}

/* -1: only receives; 1: sends and knows retransmits; 0: sends without. */
static int retransmits_flag(const struct test *test)
{
	if (!test_sends(test))
		return -1;
	return test->shape == SHAPE_RETRANSMITS ? 1 : 0;
}

cJSON *exchange_build(const struct test *test, const struct half_test *own)
{
	cJSON *json = cJSON_CreateObject();
	int rc = json ? 0 : -ENOMEM;

	if (!rc)
		rc = json_put_double(json, "cpu_util_total", own->cpu.total) ||
		     json_put_double(json, "cpu_util_user", own->cpu.user) ||
		     json_put_double(json, "cpu_util_system",
				     own->cpu.system) ||
		     json_put_i64(json, "sender_has_retransmits",
				  retransmits_flag(test));
	if (!rc && own->congestion[0])
		rc = json_put_text(json, "congestion_used", own->congestion);
	if (!rc)
		rc = build_output(own, json) ||
		     build_streams(test, own, json) ||
		     json_put_item(json, "environment",
				   environ_to_json(&own->environment));
	if (!rc)
		return json;
	cJSON_Delete(json);
	return NULL;
}

static int bad_results(struct err *e, const char *what)
{
	return err_set(e, ERR_RECV_RESULTS, 0,
		       "the peer's results have no valid \"%s\"", what);
}

/* A number where -1 means "none". Releases around 3.12 print it unsigned, as
 * 18446744073709551615. */
static bool get_or_none(const cJSON *json, const char *key, int64_t max,
			int64_t *out)
{
	double spelled = 0;

	if (json_get_i64(json, key, -1, max, out) == JSON_OK)
		return true;
	if (json_get_double(json, key, UNSIGNED_NONE, UNSIGNED_NONE,
			    &spelled) != JSON_OK)
		return false;
	*out = -1;
	return true;
}

/* The pair is there or it isn't; one alone is an error. */
static int parse_omitted(const cJSON *json, struct half *h, struct err *e)
{
	enum json_read errors = json_get_i64(json, "omitted_errors", INT64_MIN,
					     INT64_MAX, &h->omitted_lost);
	enum json_read packets = json_get_i64(json, "omitted_packets",
					      INT64_MIN, INT64_MAX,
					      &h->omitted_packets);

	if (errors != packets || errors == JSON_BAD)
		return bad_results(e, "omitted_errors");
	h->has_omitted = errors == JSON_OK;
	return 0;
}

static int parse_half(const cJSON *json, struct half *h, struct err *e)
{
	int64_t bytes = 0;

	memset(h, 0, sizeof(*h));
	if (json_get_i64(json, "bytes", 0, BYTES_MAX, &bytes) != JSON_OK)
		return bad_results(e, "bytes");
	h->bytes = (uint64_t)bytes;
	if (!get_or_none(json, "retransmits", INT64_MAX, &h->retransmits))
		return bad_results(e, "retransmits");
	if (json_get_double(json, "jitter", 0, SECONDS_MAX, &h->jitter_s) !=
	    JSON_OK)
		return bad_results(e, "jitter");
	if (json_get_i64(json, "errors", INT64_MIN, INT64_MAX, &h->lost) !=
	    JSON_OK)
		return bad_results(e, "errors");
	if (json_get_i64(json, "packets", 0, INT64_MAX, &h->packets) != JSON_OK)
		return bad_results(e, "packets");
	/* Releases before 3.2 send no times; 0 makes the reader use its own. */
	if (json_get_double(json, "end_time", 0, SECONDS_MAX, &h->seconds) ==
	    JSON_BAD)
		return bad_results(e, "end_time");
	h->is_known = true;
	return parse_omitted(json, h, e);
}

static int find_stream(const struct test *test, const cJSON *json,
		       size_t *index, struct err *e)
{
	int64_t id = 0;
	size_t i;

	if (json_get_i64(json, "id", INT32_MIN, INT32_MAX, &id) != JSON_OK)
		return bad_results(e, "id");
	for (i = 0; i < test->streams; i++) {
		if (test->stream[i].id == id) {
			*index = i;
			return 0;
		}
	}
	return err_set(e, ERR_STREAM_ID, 0,
		       "the peer's results name stream %lld", (long long)id);
}

static int parse_streams(const struct test *test, const cJSON *json,
			 struct half_test *peer, struct err *e)
{
	const cJSON *list = json_get(json, "streams");
	const cJSON *one;
	size_t index = 0;
	int rc = 0;

	if (!cJSON_IsArray(list))
		return bad_results(e, "streams");
	cJSON_ArrayForEach(one, list)
	{
		if (!cJSON_IsObject(one))
			return bad_results(e, "streams");
		rc = find_stream(test, one, &index, e);
		if (!rc && peer->stream[index].is_known)
			rc = bad_results(e, "id (given twice)");
		if (!rc)
			rc = parse_half(one, &peer->stream[index], e);
		if (rc)
			return rc;
	}
	return 0;
}

static int parse_cpu(const cJSON *json, struct cpu_percent *cpu, struct err *e)
{
	if (json_get_double(json, "cpu_util_total", 0, PERCENT_MAX,
			    &cpu->total) != JSON_OK ||
	    json_get_double(json, "cpu_util_user", 0, PERCENT_MAX,
			    &cpu->user) != JSON_OK ||
	    json_get_double(json, "cpu_util_system", 0, PERCENT_MAX,
			    &cpu->system) != JSON_OK)
		return bad_results(e, "cpu_util_total");
	return 0;
}

static void parse_output(const cJSON *json, struct half_test *peer)
{
	const cJSON *document = json_get(json, "server_output_json");
	const char *text = NULL;

	if (cJSON_IsObject(document)) {
		peer->output = cJSON_PrintUnformatted(document);
		peer->is_output_json = true;
	} else if (json_get_text(json, "server_output_text", OUTPUT_MAX_BYTES,
				 &text) == JSON_OK) {
		peer->output = strdup(text);
	}
}

int exchange_parse(const struct test *test, const cJSON *json,
		   struct half_test *peer, struct err *e)
{
	const char *congestion = "";
	int64_t flag;
	int rc;

	memset(peer, 0, sizeof(*peer));
	rc = parse_cpu(json, &peer->cpu, e);
	if (!rc && !get_or_none(json, "sender_has_retransmits", 1, &flag))
		rc = bad_results(e, "sender_has_retransmits");
	if (!rc)
		rc = parse_streams(test, json, peer, e);
	if (rc)
		return rc;
	json_get_text(json, "congestion_used", sizeof(peer->congestion) - 1,
		      &congestion);
	snprintf(peer->congestion, sizeof(peer->congestion), "%s", congestion);
	environ_from_json(&peer->environment, json_get(json, "environment"));
	parse_output(json, peer);
	return 0;
}
