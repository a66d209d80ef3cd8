/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/help.h"

#include <string.h>
#include <sys/utsname.h>

#include "base/json.h"
#include "base/version.h"
#include "cli/opt.h"
#include "transport/registry.h"

#define HELP_WIDTH 79
#define HELP_TEXT_COLUMN 30
#define HELP_NAMES_SIZE 128

/* Text that is printed word by word and broken before HELP_WIDTH. */
struct help_wrap {
	FILE *out;
	size_t column;
};

static void wrap_word(struct help_wrap *w, const char *word, size_t len)
{
	if (w->column > HELP_TEXT_COLUMN && w->column + 1 + len > HELP_WIDTH) {
		fputc('\n', w->out);
		w->column = 0;
	} else if (w->column > HELP_TEXT_COLUMN) {
		fputc(' ', w->out);
		w->column++;
	}
	while (w->column < HELP_TEXT_COLUMN) {
		fputc(' ', w->out);
		w->column++;
	}
	fwrite(word, 1, len, w->out);
	w->column += len;
}

static void wrap_text(struct help_wrap *w, const char *text)
{
	size_t len;

	while (*text) {
		len = strcspn(text, " ");
		if (len)
			wrap_word(w, text, len);
		text += len;
		text += strspn(text, " ");
	}
}

/* "-p, --port PORT", "    --sweep[=SIZES]" */
static void names_of(const struct option_row *row, char *buf, size_t size)
{
	char letter[sizeof("-x, ")] = "    ";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	snprintf(buf, size, "  %s--%s%s%s%s", letter, row->name,
		 row->value == VALUE_REQUIRED	? " "
		 : row->value == VALUE_OPTIONAL ? "[="
						: "",
		 row->metavar ? row->metavar : "",
		 row->value == VALUE_OPTIONAL ? "]" : "");
}

static void print_aliases(struct help_wrap *w, const struct option_table *table,
			  const char *name)
{
	char text[HELP_NAMES_SIZE];
	size_t i;

	for (i = 0; i < table->rows; i++) {
		const struct option_row *row = &table->row[i];

		if (!row->alias_of || strcmp(row->alias_of, name))
			continue;
		snprintf(text, sizeof(text), "(also --%s)", row->name);
		wrap_text(w, text);
	}
}

static void print_row(FILE *out, const struct option_table *table,
		      const struct option_row *row)
{
	struct help_wrap w = { .out = out };
	char names[HELP_NAMES_SIZE];

	names_of(row, names, sizeof(names));
	fputs(names, out);
	w.column = strlen(names);
	if (w.column + 2 > HELP_TEXT_COLUMN) {
		fputc('\n', out);
		w.column = 0;
	}
	wrap_text(&w, row->help);
	print_aliases(&w, table, row->name);
	fputc('\n', out);
}

static void print_table(FILE *out, const struct option_table *table)
{
	size_t i;

	if (!table->rows)
		return;
	fprintf(out, "\n%s:\n", table->title);
	for (i = 0; i < table->rows; i++)
		if (table->row[i].name && !table->row[i].alias_of)
			print_row(out, table, &table->row[i]);
}

void help_usage(FILE *out)
{
	fputs("Usage: iperf3 {-s | -c HOST} [OPTION]...\n"
	      "       iperf3 {--help | --version}\n",
	      out);
}

void help_print(FILE *out)
{
	const struct option_table *table;
	size_t i;

	help_usage(out);
	for (i = 0; (table = opt_table(i)); i++)
		print_table(out, table);
	fputs("\nLong options may be shortened where that leaves no doubt. "
	      "The manual iperf3(1)\nsays more about each, and has examples.\n",
	      out);
}

/* The transports stand for themselves: each has a table with a title. */
static void print_features(FILE *out)
{
	size_t i;

	fputs("Optional features available: CPU affinity setting", out);
	for (i = 0; i < registry_count(); i++)
		fprintf(out, ", %s", registry_options(i)->title);
	fputc('\n', out);
}

void help_version(FILE *out)
{
	struct utsname u;

	fprintf(out, "%s (cJSON %s)\n", VERSION_TEXT, cJSON_Version());
	if (uname(&u))
		memset(&u, 0, sizeof(u));
	fprintf(out, "%s %s %s %s %s\n", u.sysname, u.nodename, u.release,
		u.version, u.machine);
	print_features(out);
}
