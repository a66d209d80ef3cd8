/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/cmd_sweep.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "report/json.h"
#include "report/sweep_json.h"
#include "report/table.h"
#include "tool/sweep.h"

#define SWEEP_ERROR_SIZE 512
#define SECONDS_PER_MINUTE 60
#define CLEAR_LINE "\r\033[K"

struct cmd_sweep {
	const struct settings *settings; /* borrowed */
	struct sink *documents; /* owned: each test's JSON */
	FILE *out; /* owned unless stdout */
	FILE *json_out; /* owned; NULL: not asked */
	bool has_terminal; /* stderr shows progress */
	struct sweep sweep;
};

static cJSON *take_document(void *ctx)
{
	struct cmd_sweep *c = ctx;

	return json_sink_take_document(c->documents);
}

static void show_progress(void *ctx, const struct sweep_progress *p)
{
	const struct cmd_sweep *c = ctx;
	char size[UNITS_TEXT_SIZE];
	int left_s = (int)(p->left_s + 0.5);

	if (!c->has_terminal)
		return;
	fprintf(stderr, CLEAR_LINE "[%zu/%zu] %s %s, %d:%02d left", p->cell + 1,
		p->cells, units_format_size(p->block_bytes, size, sizeof(size)),
		p->direction, left_s / SECONDS_PER_MINUTE,
		left_s % SECONDS_PER_MINUTE);
	fflush(stderr);
}

static void end_progress(const struct cmd_sweep *c)
{
	if (c->has_terminal)
		fputs(CLEAR_LINE, stderr);
}

static int open_outputs(struct cmd_sweep *c, struct err *e)
{
	const char *path = c->settings->json_out;

	c->out = output_open(c->settings, e);
	if (!c->out)
		return -1;
	/* Now, so that an hour of measuring is not lost to a typing error. */
	if (path) {
		c->json_out = fopen(path, "we");
		if (!c->json_out)
			return err_set(e, ERR_OUTPUT, errno, "--json-out %s",
				       path);
	}
	c->documents = json_sink_new(NULL, NULL);
	return c->documents ? 0 : err_set(e, ERR_NO_MEMORY, 0, "the output");
}

static int print_results(const struct cmd_sweep *c)
{
	int rc = 0;

	if (!c->settings->is_json)
		table_print(c->out, &c->sweep);
	else if (sweep_json_print(c->out, &c->sweep))
		rc = -1;
	if (c->json_out && (sweep_json_print(c->json_out, &c->sweep) ||
			    output_check(c->json_out, c->settings->json_out)))
		rc = -1;
	return rc;
}

static int close_outputs(struct cmd_sweep *c)
{
	json_sink_free(c->documents);
	if (c->json_out)
		fclose(c->json_out);
	return output_close(c->out, c->settings);
}

static int run_sweep(struct cmd_sweep *c, struct err *e)
{
	const struct session_host session = {
		.sinks = c->documents,
		.stop_fd = signals_fd(),
		.stop_signal = signals_last_text,
	};
	const struct sweep_host host = {
		.session = &session,
		.take_document = take_document,
		.on_progress = show_progress,
		.ctx = c,
	};
	int rc = sweep_run(&c->sweep, c->settings, &host, e);

	end_progress(c);
	return rc;
}

/* Cells that failed are in the table and in the document; the line on stderr
 * says that there are some. */
static void tell_failure(const struct cmd_sweep *c, const struct err *e)
{
	char text[SWEEP_ERROR_SIZE];

	err_format(e, text, sizeof(text));
	if (e->code == ERR_SWEEP)
		fprintf(stderr, "iperf3: error - %s\n", text);
	else
		output_failure(c->out, c->settings, text);
}

int cmd_sweep(const struct settings *settings)
{
	struct cmd_sweep c = {
		.settings = settings,
		.has_terminal = isatty(STDERR_FILENO),
	};
	struct err e = ERR_INIT;
	int rc = signals_init(&e);

	if (!rc)
		rc = open_outputs(&c, &e);
	if (!rc) {
		rc = run_sweep(&c, &e);
		if ((!rc || e.code == ERR_SWEEP) && print_results(&c))
			rc = -1;
	}
	if (err_is_set(&e))
		tell_failure(&c, &e);
	sweep_done(&c.sweep);
	if (close_outputs(&c))
		rc = -1;
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}
