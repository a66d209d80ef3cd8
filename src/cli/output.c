/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "report/json.h"

#define OUTPUT_ERROR_SIZE 512
#define LOGFILE_MODE 0666 /* less the user's umask, as fopen has it */

FILE *output_open(const struct settings *s, struct err *e)
{
	FILE *out = stdout;

	if (s->logfile) {
		out = fopen(s->logfile, "ae");
		if (!out) {
			err_set(e, ERR_LOGFILE, errno, "%s", s->logfile);
			return NULL;
		}
	}
	if (!s->is_json || s->is_json_stream)
		setvbuf(out, NULL, _IOLBF, BUFSIZ);
	return out;
}

void output_reopen(FILE *out, const struct settings *s)
{
	int fd;

	if (!s->logfile)
		return;
	fd = open(s->logfile, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
		  LOGFILE_MODE);
	if (fd < 0)
		return;
	fflush(out);
	dup3(fd, fileno(out), O_CLOEXEC);
	close(fd);
}

int output_check(FILE *out, const char *name)
{
	int lost = 0;

	if (fflush(out))
		lost = errno;
	else if (ferror(out))
		lost = EIO; /* noticed earlier; its errno is gone */
	if (!lost)
		return 0;
	clearerr(out);
	fprintf(stderr, "iperf3: error - unable to write %s: %s\n", name,
		strerror(lost));
	return -lost;
}

int output_close(FILE *out, const struct settings *s)
{
	int rc;

	if (!out)
		return 0;
	rc = output_check(out, s->logfile ? s->logfile : "standard output");
	if (out != stdout && fclose(out) && !rc) {
		rc = -errno;
		fprintf(stderr, "iperf3: error - unable to write %s: %s\n",
			s->logfile, strerror(-rc));
	}
	return rc;
}

void output_json_failure(FILE *out, const char *fmt, ...)
{
	char text[OUTPUT_ERROR_SIZE];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	json_print_failure(out, text);
}

void output_failure(FILE *out, const struct settings *s, const char *text)
{
	bool is_log = s->logfile && out && out != stdout;

	if (s->is_json)
		output_json_failure(out ? out : stdout, "%s", text);
	if (!s->is_json || !is_log)
		fprintf(is_log ? out : stderr, "iperf3: error - %s\n", text);
}
