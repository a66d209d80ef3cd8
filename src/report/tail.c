/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/tail.h"

#include <stdlib.h>
#include <string.h>

#include "report/facts.h"

static void take_error(struct tail *t, const struct err *e)
{
	char text[FACTS_ERROR_SIZE];

	if (!t->error && e)
		t->error = strdup(err_format(e, text, sizeof(text)));
}

void tail_take(struct tail *t, const struct event *ev)
{
	switch (ev->kind) {
	case EVENT_ERROR:
	case EVENT_CLOSE:
		take_error(t, ev->error);
		break;
	case EVENT_SERVER_OUTPUT:
		free(t->output);
		t->output = strdup(ev->text);
		t->is_output_json = ev->is_json;
		break;
	default:
		break;
	}
}

void tail_clear(struct tail *t)
{
	free(t->error);
	free(t->output);
	*t = (struct tail){ .error = NULL };
}

void tail_warn(FILE *err, const char *text)
{
	if (err)
		fprintf(err, "warning: %s\n", text);
}
