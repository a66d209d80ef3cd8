/* SPDX-License-Identifier: BSD-3-Clause */
#include "session/params.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/version.h"
#include "model/option.h"
#include "session/ctl.h"
#include "transport/registry.h"
#include "transport/transport.h"

/* Called for each row that may have a wire key: of the core, then of the
 * transport. */
struct row_visit {
	struct settings *s;
	cJSON *json;
	struct err *e;
	int (*visit)(const struct row_visit *v, const struct option_row *row);
};

static int visit_table(const struct row_visit *v,
		       const struct option_table *table)
{
	size_t i;
	int rc = 0;

	for (i = 0; i < table->rows && !rc; i++)
		if (table->row[i].wire != WIRE_NONE)
			rc = v->visit(v, &table->row[i]);
	return rc;
}

static int visit_rows(const struct row_visit *v, const struct transport *t)
{
	const struct option_table *table;
	int rc = 0;

	for (table = option_core; table->title && !rc; table++)
		if (table->row != option_ip || t->caps & TRANSPORT_IP)
			rc = visit_table(v, table);
	return rc ? rc : visit_table(v, &t->options);
}

static int row_to_wire(const struct row_visit *v, const struct option_row *row)
{
	return option_to_wire(v->s, row, v->json);
}

static int row_from_wire(const struct row_visit *v,
			 const struct option_row *row)
{
	return option_from_wire(v->s, row, v->json, v->e);
}

/* Longer messages are refused by servers since 3.18. */
static int check_length(const cJSON *json, struct err *e)
{
	char *text = cJSON_PrintUnformatted(json);
	size_t len = text ? strlen(text) : 0;

	free(text);
	if (len <= CTL_PARAMS_MAX_BYTES)
		return 0;
	return err_set(e, ERR_SEND_PARAMS, 0,
		       "they take %zu bytes, %u are possible; shorten "
		       "--title or --extra-data",
		       len, CTL_PARAMS_MAX_BYTES);
}

cJSON *params_build(const struct settings *s, const struct transport *t,
		    struct err *e)
{
	cJSON *json = cJSON_CreateObject();
	struct row_visit v = {
		.s = (struct settings *)s,
		.json = json,
		.visit = row_to_wire,
	};

	if (!json || json_put_bool(json, t->wire_key, true) ||
	    (t->wire_fallback && json_put_bool(json, t->wire_fallback, true)) ||
	    visit_rows(&v, t) || json_put_bool(json, "orderly_end", true) ||
	    json_put_text(json, "client_version", VERSION_CLIENT)) {
		err_set(e, ERR_NO_MEMORY, ENOMEM, "the parameters");
		goto fail;
	}
	if (check_length(json, e))
		goto fail;
	return json;
fail:
	cJSON_Delete(json);
	return NULL;
}

static int check_block(struct settings *s, const struct transport *t,
		       struct err *e)
{
	if (!s->block_bytes)
		s->block_bytes = t->block_default_bytes;
	if (s->block_bytes >= t->block_min_bytes &&
	    s->block_bytes <= t->block_max_bytes)
		return 0;
	return err_set(e, ERR_BLOCK_SIZE, 0, "the client asked for %llu",
		       (unsigned long long)s->block_bytes);
}

int params_apply(struct settings *s, const cJSON *json,
		 const struct transport *listener, struct params *out,
		 struct err *e)
{
	struct row_visit v = {
		.s = s,
		.json = (cJSON *)json,
		.e = e,
		.visit = row_from_wire,
	};
	int rc;

	memset(out, 0, sizeof(*out));
	out->transport = registry_from_wire(json, listener, e);
	if (!out->transport)
		return -EPROTONOSUPPORT;
	s->transport = out->transport->name;
	rc = visit_rows(&v, out->transport);
	if (!rc)
		rc = check_block(s, out->transport, e);
	if (!rc && s->is_reverse && s->is_bidir)
		rc = err_set(e, ERR_REVERSE_BIDIR, 0,
			     "the client asked for "
			     "both");
	json_get_presence(json, "orderly_end", &out->is_peer_orderly);
	return rc;
}

uint64_t params_limit_bytes(const struct settings *s)
{
	uint64_t bytes = s->limit_bytes;

	if (s->limit_blocks &&
	    __builtin_mul_overflow(s->limit_blocks, s->block_bytes, &bytes))
		bytes = INT64_MAX;
	return bytes;
}
