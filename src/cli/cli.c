/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/cli.h"

#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cmd_run.h"
#include "cli/cmd_sweep.h"
#include "cli/help.h"
#include "cli/opt.h"
#include "cli/output.h"

#define CLI_ERROR_SIZE 512

/* A program started with closed descriptors would get sockets in their place,
 * and its own text would go to a peer. */
static void open_standard_descriptors(void)
{
	int fd;

	/* The wrong way round on purpose: reading and writing must fail, so
	 * that a result nobody can read is no success. */
	do
		fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0
					       ? O_WRONLY
					       : O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

static int fail_parameters(const struct settings *s, const struct err *e)
{
	char text[CLI_ERROR_SIZE];

	err_format(e, text, sizeof(text));
	fprintf(stderr, "iperf3: parameter error - %s\n\n", text);
	help_usage(stderr);
	if (s->is_json)
		output_json_failure(stdout, "parameter error - %s", text);
	output_check(stdout, "standard output");
	return EXIT_FAILURE;
}

static int say(void (*print)(FILE *))
{
	print(stdout);
	return output_check(stdout, "standard output") ? EXIT_FAILURE
						       : EXIT_SUCCESS;
}

static int run(const struct settings *s)
{
	return s->is_sweep ? cmd_sweep(s) : cmd_run(s);
}

int cli_main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	enum opt_action action = OPT_RUN;
	struct settings s;
	int status;

	open_standard_descriptors();
	/* For --timestamps only; numbers stay independent of the locale. */
	setlocale(LC_TIME, "");
	settings_init(&s);
	if (opt_parse(argc, argv, &s, &action, &e))
		status = fail_parameters(&s, &e);
	else if (action == OPT_HELP)
		status = say(help_print);
	else if (action == OPT_VERSION)
		status = say(help_version);
	else
		status = run(&s);
	settings_done(&s);
	return status;
}
