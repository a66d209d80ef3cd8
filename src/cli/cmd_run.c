/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/cmd_run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/daemon.h"
#include "cli/output.h"
#include "cli/signals.h"
#include "report/capture.h"
#include "report/json.h"
#include "report/jsonl.h"
#include "report/text.h"
#include "session/session.h"

#define RUN_ERROR_SIZE 512

/* A form of output. */
struct report_kind {
	struct sink *(*make)(FILE *out, FILE *err);
	void (*free)(struct sink *sink);
};

static const struct report_kind report_text = { text_sink_new, text_sink_free };
static const struct report_kind report_json = { json_sink_new, json_sink_free };
static const struct report_kind report_jsonl = { jsonl_sink_new,
						 jsonl_sink_free };

/* What a run holds. The first member makes it a sink: it is the head of its
 * own chain and reopens the log file there. */
struct cmd_run {
	struct sink sink;
	const struct settings *settings; /* borrowed */
	FILE *out; /* owned unless stdout */
	const struct report_kind *kind;
	struct sink *report; /* owned */
	struct capture *capture; /* owned; servers */
	bool owns_pidfile;
	struct session_host host;
};

static void on_event(struct sink *sink, const struct event *ev)
{
	struct cmd_run *run = (struct cmd_run *)sink;

	if (ev->kind == EVENT_LISTEN)
		output_reopen(run->out, run->settings);
}

static char *server_output(void *ctx, bool *is_json)
{
	struct cmd_run *run = ctx;

	return capture_text(run->capture, is_json);
}

static const struct report_kind *choose_report(const struct settings *s)
{
	if (s->is_json_stream)
		return &report_jsonl;
	return s->is_json ? &report_json : &report_text;
}

static int open_reports(struct cmd_run *run, struct err *e)
{
	const struct settings *s = run->settings;

	run->kind = choose_report(s);
	run->report = run->kind->make(run->out, s->logfile ? run->out : stderr);
	if (s->role == ROLE_SERVER)
		run->capture = capture_new();
	if (!run->report || (s->role == ROLE_SERVER && !run->capture))
		return err_set(e, ERR_NO_MEMORY, 0, "the output");
	run->sink.on_event = on_event;
	run->sink.next = run->report;
	if (run->capture)
		run->report->next = capture_sink(run->capture);
	run->host = (struct session_host){
		.sinks = &run->sink,
		.stop_fd = signals_fd(),
		.stop_signal = signals_last_text,
		.server_output = run->capture ? server_output : NULL,
		.ctx = run,
	};
	return 0;
}

static int run_open(struct cmd_run *run, const struct settings *s,
		    struct err *e)
{
	int rc;

	*run = (struct cmd_run){ .settings = s };
	run->out = output_open(s, e);
	if (!run->out)
		return -1;
	rc = signals_init(e);
	return rc ? rc : open_reports(run, e);
}

/* 0 or -1 where the output is incomplete. */
static int run_close(struct cmd_run *run)
{
	if (run->owns_pidfile)
		pidfile_remove(run->settings->pidfile);
	if (run->report)
		run->kind->free(run->report);
	capture_free(run->capture);
	return output_close(run->out, run->settings) ? -1 : 0;
}

/* An error that no report has shown. */
static void fail(const struct cmd_run *run, const struct err *e)
{
	const struct settings *s = run->settings;
	char text[RUN_ERROR_SIZE];

	err_format(e, text, sizeof(text));
	output_failure(run->out, s, text);
	if (s->role == ROLE_SERVER && !s->is_json)
		fputs("iperf3: exiting\n", stderr);
}

static bool is_running_already(const struct cmd_run *run)
{
	const struct settings *s = run->settings;
	pid_t owner = s->pidfile ? pidfile_owner(s->pidfile) : 0;
	char text[RUN_ERROR_SIZE];

	if (!owner)
		return false;
	snprintf(text, sizeof(text),
		 "Another instance of iperf3 appears to be running (process "
		 "%d, named in %s)",
		 (int)owner, s->pidfile);
	output_failure(run->out, s, text);
	return true;
}

static int claim_pidfile(struct cmd_run *run, struct err *e)
{
	const char *path = run->settings->pidfile;
	int rc = path ? pidfile_write(path, e) : 0;

	run->owns_pidfile = path && !rc;
	return rc;
}

static int run_client(struct cmd_run *run, struct err *e)
{
	int rc = claim_pidfile(run, e);

	if (rc) {
		fail(run, e);
		return EXIT_FAILURE;
	}
	return client_run(run->settings, &run->host, e) == SESSION_FAILED
		       ? EXIT_FAILURE
		       : EXIT_SUCCESS;
}

/* The listener is open: the launching command of a daemon may return once the
 * PID file is there, too. */
static int settle_server(struct cmd_run *run, struct err *e)
{
	bool is_daemon = run->settings->is_daemon;
	int ready_fd = -1;
	int rc = is_daemon ? daemon_fork(&ready_fd, e) : 0;

	if (!rc)
		rc = claim_pidfile(run, e);
	if (!rc && is_daemon)
		rc = daemon_ready(ready_fd, e);
	return rc;
}

static int run_server(struct cmd_run *run, struct err *e)
{
	struct server *srv = server_open(run->settings, e);
	int rc = srv ? settle_server(run, e) : -1;

	if (!rc && server_run(srv, &run->host, e) == SESSION_FAILED)
		rc = -1;
	if (rc)
		fail(run, e);
	server_free(srv);
	return rc ? EXIT_FAILURE : EXIT_SUCCESS;
}

int cmd_run(const struct settings *settings)
{
	struct err e = ERR_INIT;
	struct cmd_run run;
	int status = EXIT_FAILURE;

	if (run_open(&run, settings, &e))
		fail(&run, &e);
	else if (is_running_already(&run))
		status = EXIT_FAILURE;
	else if (settings->role == ROLE_SERVER)
		status = run_server(&run, &e);
	else
		status = run_client(&run, &e);
	if (run_close(&run))
		status = EXIT_FAILURE;
	return status;
}
