/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * "end": the summary of a test.
 */
#include <errno.h>

#include "report/document.h"
#include "report/document_span.h"
#include "report/fields.h"

#define PATH(m) offsetof(struct path_summary, m)

static const struct field path_fields[] = {
	{ FIELD_I64, "reorder", PATH(reorder) },
	{ FIELD_I64, "max_snd_cwnd", PATH(max_cwnd_bytes) },
	{ FIELD_I64, "max_snd_wnd", PATH(max_wnd_bytes) },
	{ FIELD_I64, "max_rtt", PATH(max_rtt_us) },
	{ FIELD_I64, "min_rtt", PATH(min_rtt_us) },
	{ FIELD_I64, "mean_rtt", PATH(mean_rtt_us) },
	{ FIELD_END, NULL, 0 },
};

static bool has_retransmits(const struct test *test, const struct span *sent)
{
	return test->shape == SHAPE_RETRANSMITS && sent->retransmits >= 0;
}

static cJSON *sender_object(const struct test *test,
			    const struct stream_info *st,
			    const struct stream_summary *one)
{
	cJSON *object = cJSON_CreateObject();
	int rc = json_put_i64(object, "socket", st->socket);

	rc |= document_put_span(object, &one->sent);
	if (has_retransmits(test, &one->sent)) {
		rc |= json_put_i64(object, "retransmits",
				   one->sent.retransmits);
		rc |= fields_put(object, path_fields, &one->path);
	}
	rc |= json_put_bool(object, "sender", st->is_sender);
	return fields_finish(object, rc);
}

static cJSON *receiver_object(const struct stream_info *st,
			      const struct stream_summary *one)
{
	cJSON *object = cJSON_CreateObject();
	int rc = json_put_i64(object, "socket", st->socket);

	rc |= document_put_span(object, &one->received);
	rc |= json_put_bool(object, "sender", st->is_sender);
	return fields_finish(object, rc);
}

/*
 * What iperf3 shows as one object of datagrams is a mixture: time, bytes and
 * rate are the sender's, jitter and loss the receiver's. Packets are the
 * sender's where they are known.
 */
static struct span mix_halves(const struct span *sent, bool is_sent_known,
			      const struct span *received)
{
	struct span mix = *sent;

	mix.datagrams = received->datagrams;
	if (is_sent_known)
		mix.datagrams.packets = sent->datagrams.packets;
	return mix;
}

static cJSON *datagram_object(const struct stream_info *st,
			      const struct stream_summary *one)
{
	struct span mix =
		mix_halves(&one->sent, one->is_sent_known, &one->received);
	cJSON *object = cJSON_CreateObject();
	int rc = json_put_i64(object, "socket", st->socket);

	rc |= document_put_span(object, &mix);
	rc |= document_put_datagrams(object, &mix.datagrams);
	rc |= json_put_i64(object, "out_of_order", mix.datagrams.out_of_order);
	rc |= json_put_bool(object, "sender", st->is_sender);
	return fields_finish(object, rc);
}

static cJSON *stream_object(const struct test *test,
			    const struct stream_info *st,
			    const struct stream_summary *one)
{
	cJSON *object = cJSON_CreateObject();
	int rc = 0;

	if (test->shape == SHAPE_DATAGRAMS) {
		rc |= json_put_item(object, "udp", datagram_object(st, one));
	} else {
		rc |= json_put_item(object, "sender",
				    sender_object(test, st, one));
		rc |= json_put_item(object, "receiver",
				    receiver_object(st, one));
	}
	return fields_finish(object, rc);
}

static cJSON *streams_array(const struct test *test, const struct summary *sum)
{
	cJSON *array = cJSON_CreateArray();
	int rc = array ? 0 : -ENOMEM;
	size_t g, i;

	for (g = 0; g < RESULT_GROUPS; g++) {
		for (i = 0; i < sum->streams && !rc; i++) {
			if (test->stream[i].group != g)
				continue;
			rc = document_append(
				array, stream_object(test, &test->stream[i],
						     &sum->stream[i]));
		}
	}
	return fields_finish(array, rc);
}

static cJSON *sum_object(const struct test *test, const struct span *span,
			 bool has_datagrams, bool is_sender)
{
	cJSON *object = cJSON_CreateObject();
	int rc = document_put_span(object, span);

	if (has_datagrams)
		rc |= document_put_datagrams(object, &span->datagrams);
	else if (has_retransmits(test, span))
		rc |= json_put_i64(object, "retransmits", span->retransmits);
	rc |= json_put_bool(object, "sender", is_sender);
	return fields_finish(object, rc);
}

static int put_sum(cJSON *end, const struct test *test, const char *name,
		   size_t group, cJSON *object)
{
	char key[DOCUMENT_KEY_SIZE];

	return json_put_item(end, document_sum_key(test, name, group, key),
			     object);
}

static int put_byte_sums(cJSON *end, const struct test *test,
			 const struct summary *sum, size_t g)
{
	const struct span *sent = &sum->sum_sent[g];
	struct span received = sum->sum_received[g];
	int rc;

	/* Only a sender retransmits. */
	received.retransmits = RETRANSMITS_UNKNOWN;
	rc = put_sum(end, test, "sum_sent", g,
		     sum_object(test, sent, false, sent->is_sender));
	rc |= put_sum(end, test, "sum_received", g,
		      sum_object(test, &received, false, sent->is_sender));
	return rc;
}

static int put_datagram_sums(cJSON *end, const struct test *test,
			     const struct summary *sum, size_t g)
{
	const struct span *received = &sum->sum_received[g];
	struct span sent = sum->sum_sent[g];
	struct span mix = mix_halves(&sent, sum->is_sent_known, received);
	int64_t packets = sent.datagrams.packets;
	int rc;

	mix.end_s = received->end_s;
	mix.seconds = received->seconds;
	/* A sender knows of no loss. */
	sent.datagrams = (struct datagrams){ .packets = packets };
	rc = put_sum(end, test, "sum", g,
		     sum_object(test, &mix, true, sent.is_sender));
	rc |= put_sum(end, test, "sum_sent", g,
		      sum_object(test, &sent, true, true));
	rc |= put_sum(end, test, "sum_received", g,
		      sum_object(test, received, true, false));
	return rc;
}

static cJSON *cpu_object(const struct summary *sum)
{
	static const struct cpu_percent unknown;
	const struct cpu_percent *local = &sum->cpu_local;
	const struct cpu_percent *remote =
		sum->is_cpu_remote_known ? &sum->cpu_remote : &unknown;
	cJSON *object = cJSON_CreateObject();
	int rc = json_put_double(object, "host_total", local->total);

	rc |= json_put_double(object, "host_user", local->user);
	rc |= json_put_double(object, "host_system", local->system);
	rc |= json_put_double(object, "remote_total", remote->total);
	rc |= json_put_double(object, "remote_user", remote->user);
	rc |= json_put_double(object, "remote_system", remote->system);
	return fields_finish(object, rc);
}

cJSON *document_end(const struct test *test, const struct summary *sum)
{
	cJSON *end = cJSON_CreateObject();
	int rc = json_put_item(end, "streams", streams_array(test, sum));
	size_t g;

	for (g = 0; g < RESULT_GROUPS; g++) {
		if (!sum->has_sum[g])
			continue;
		if (test->shape == SHAPE_DATAGRAMS)
			rc |= put_datagram_sums(end, test, sum, g);
		else
			rc |= put_byte_sums(end, test, sum, g);
	}
	rc |= json_put_item(end, "cpu_utilization_percent", cpu_object(sum));
	if (*sum->congestion_sent)
		rc |= json_put_text(end, "sender_tcp_congestion",
				    sum->congestion_sent);
	if (*sum->congestion_received)
		rc |= json_put_text(end, "receiver_tcp_congestion",
				    sum->congestion_received);
	return fields_finish(end, rc);
}
