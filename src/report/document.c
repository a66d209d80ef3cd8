/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "start", "intervals" and "environment". document_end.c has the summary.
 */
#include "report/document.h"

#include <errno.h>
#include <string.h>

#include "base/version.h"
#include "report/document_span.h"
#include "report/facts.h"
#include "report/fields.h"

#define MS_PER_S 1000

#define SETTING(m) offsetof(struct settings, m)
#define ENV(m) offsetof(struct environment, m)

static const struct field test_start_fields[] = {
	{ FIELD_INT, "num_streams", SETTING(streams) },
	{ FIELD_U64, "blksize", SETTING(block_bytes) },
	{ FIELD_INT, "omit", SETTING(omit_s) },
	{ FIELD_INT, "duration", SETTING(time_s) },
	{ FIELD_U64, "bytes", SETTING(limit_bytes) },
	{ FIELD_U64, "blocks", SETTING(limit_blocks) },
	{ FIELD_FLAG, "reverse", SETTING(is_reverse) },
	{ FIELD_INT, "tos", SETTING(tos) },
	{ FIELD_U64, "target_bitrate", SETTING(rate_bps) },
	{ FIELD_FLAG, "bidir", SETTING(is_bidir) },
	{ FIELD_U64, "fqrate", SETTING(fq_rate_bps) },
	{ FIELD_DOUBLE, "interval", SETTING(interval_s) },
	{ FIELD_END, NULL, 0 },
};

static const struct field environment_fields[] = {
	{ FIELD_CHARS_OR_NULL, "tool", ENV(tool) },
	{ FIELD_CHARS_OR_NULL, "kernel", ENV(kernel) },
	{ FIELD_CHARS_OR_NULL, "kernel_build", ENV(kernel_build) },
	{ FIELD_CHARS_OR_NULL, "machine", ENV(machine) },
	{ FIELD_CHARS_OR_NULL, "cpu_model", ENV(cpu_model) },
	{ FIELD_INT, "cpus", ENV(cpus) },
	{ FIELD_CHARS_OR_NULL, "clocksource", ENV(clocksource) },
	{ FIELD_CHARS_OR_NULL, "boot_id", ENV(boot_id) },
	{ FIELD_CHARS_OR_NULL, "address", ENV(address) },
	{ FIELD_U64_OR_NULL, "window_bytes", ENV(window_bytes) },
	{ FIELD_END, NULL, 0 },
};

static cJSON *stream_object(const struct stream_info *st)
{
	cJSON *object = cJSON_CreateObject();
	int rc = json_put_i64(object, "socket", st->socket);

	rc |= json_put_text(object, "local_host", st->local.host);
	rc |= json_put_i64(object, "local_port", st->local.port);
	rc |= json_put_text(object, "remote_host", st->remote.host);
	rc |= json_put_i64(object, "remote_port", st->remote.port);
	return fields_finish(object, rc);
}

static cJSON *connected_array(const struct test *test)
{
	cJSON *array = cJSON_CreateArray();
	int rc = array ? 0 : -ENOMEM;
	size_t i;

	for (i = 0; test && i < test->streams && !rc; i++)
		rc = document_append(array, stream_object(&test->stream[i]));
	return fields_finish(array, rc);
}

static cJSON *timestamp_object(int64_t wall_ms)
{
	cJSON *object = cJSON_CreateObject();
	char text[FACTS_GMT_SIZE];
	int rc = json_put_text(object, "time",
			       facts_gmt(wall_ms, text, sizeof(text)));

	rc |= json_put_i64(object, "timesecs", wall_ms / MS_PER_S);
	rc |= json_put_i64(object, "timemillisecs", wall_ms);
	return fields_finish(object, rc);
}

static cJSON *endpoint_object(const struct endpoint *ep)
{
	cJSON *object = cJSON_CreateObject();
	int rc = json_put_text(object, "host", ep->host);

	rc |= json_put_i64(object, "port", ep->port);
	return fields_finish(object, rc);
}

static cJSON *test_start_object(const struct test *test)
{
	cJSON *object = cJSON_CreateObject();
	int rc = json_put_text(object, "protocol", test->protocol);

	rc |= fields_put(object, test_start_fields, test->settings);
	/* Segmentation offload of datagrams is not offered. */
	rc |= json_put_i64(object, "gso", 0);
	rc |= json_put_i64(object, "gro", 0);
	return fields_finish(object, rc);
}

static int put_parameters(cJSON *start, const struct test *test)
{
	const struct settings *s = test->settings;
	bool is_client = s->role == ROLE_CLIENT;
	int rc = json_put_item(start, "timestamp",
			       timestamp_object(test->start_wall_ms));

	rc |= json_put_item(start,
			    is_client ? "connecting_to" : "accepted_connection",
			    endpoint_object(&test->peer));
	rc |= json_put_text(start, "cookie", test->cookie);
	if (test->has_mss && s->mss_bytes > 0)
		rc |= json_put_i64(start, "tcp_mss", s->mss_bytes);
	else if (test->has_mss)
		rc |= json_put_i64(start, "tcp_mss_default",
				   is_client ? test->control_mss_bytes : 0);
	rc |= field_put(start, FIELD_U64, "target_bitrate", &s->rate_bps);
	rc |= field_put(start, FIELD_U64, "fq_rate", &s->fq_rate_bps);
	return rc;
}

static int put_sockets(cJSON *start, const struct test *test)
{
	int rc = 0;

	if (test->has_socket_buffers) {
		rc |= field_put(start, FIELD_U64, "sock_bufsize",
				&test->settings->window_bytes);
		rc |= json_put_i64(start, "sndbuf_actual",
				   test->sndbuf_actual_bytes);
		rc |= json_put_i64(start, "rcvbuf_actual",
				   test->rcvbuf_actual_bytes);
	}
	if (test->has_credit_window)
		rc |= field_put(start, FIELD_U64, "window_granted",
				&test->window_granted_bytes);
	return rc;
}

cJSON *document_start(const struct test *test)
{
	cJSON *start = cJSON_CreateObject();
	char system_text[FACTS_SYSTEM_SIZE];
	int rc = json_put_item(start, "connected", connected_array(test));

	rc |= json_put_text(start, "version", VERSION_TEXT);
	rc |= json_put_text(start, "system_info",
			    facts_system(system_text, sizeof(system_text)));
	if (test && test->is_connected)
		rc |= put_parameters(start, test);
	if (test && test->streams)
		rc |= put_sockets(start, test);
	if (test && test->is_started)
		rc |= json_put_item(start, "test_start",
				    test_start_object(test));
	return fields_finish(start, rc);
}

static cJSON *environment_object(const struct environment *env)
{
	cJSON *object;

	if (!env->is_known)
		return cJSON_CreateNull();
	object = cJSON_CreateObject();
	return fields_finish(object,
			     fields_put(object, environment_fields, env));
}

cJSON *document_environment(const struct environment *local,
			    const struct environment *remote)
{
	cJSON *object = cJSON_CreateObject();
	int rc = json_put_item(object, "local", environment_object(local));

	rc |= json_put_item(object, "remote", environment_object(remote));
	return fields_finish(object, rc);
}

int document_put_server_output(cJSON *object, const char *text, bool is_json)
{
	cJSON *doc = is_json ? json_parse_object(text, strlen(text)) : NULL;

	if (doc)
		return json_put_item(object, "server_output_json", doc);
	return json_put_text(object, "server_output_text", text);
}

static cJSON *interval_entry(const struct test *test, const struct span *span,
			     const struct stream_info *st)
{
	cJSON *object = cJSON_CreateObject();
	int rc = 0;

	if (st)
		rc |= json_put_i64(object, "socket", st->socket);
	rc |= document_put_span(object, span);
	rc |= document_put_kind(object, test->shape, span, st != NULL);
	rc |= json_put_bool(object, "omitted", span->is_omitted);
	rc |= json_put_bool(object, "sender", span->is_sender);
	return fields_finish(object, rc);
}

/* Streams in the order of their groups: what the client sends comes first at
 * both ends. */
static cJSON *interval_streams(const struct test *test,
			       const struct interval *iv)
{
	cJSON *array = cJSON_CreateArray();
	int rc = array ? 0 : -ENOMEM;
	size_t g, i;

	for (g = 0; g < RESULT_GROUPS; g++) {
		for (i = 0; i < iv->streams && !rc; i++) {
			const struct stream_info *st = &test->stream[i];

			if (st->group != g)
				continue;
			rc = document_append(
				array,
				interval_entry(test, &iv->stream[i], st));
		}
	}
	return fields_finish(array, rc);
}

cJSON *document_interval(const struct test *test, const struct interval *iv)
{
	cJSON *object = cJSON_CreateObject();
	char key[DOCUMENT_KEY_SIZE];
	size_t g;
	int rc = json_put_item(object, "streams", interval_streams(test, iv));

	for (g = 0; g < RESULT_GROUPS; g++)
		if (iv->has_sum[g])
			rc |= json_put_item(
				object, document_sum_key(test, "sum", g, key),
				interval_entry(test, &iv->sum[g], NULL));
	return fields_finish(object, rc);
}
