/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * getopt_long does the splitting; its arrays are made from the option tables
 * at run time. The whole of argv is read even after a mistake: a program that
 * asked for JSON gets its error as JSON wherever it wrote -J.
 */
#include "cli/opt.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/check.h"
#include "transport/registry.h"

#define OPT_ROWS_MAX 256
#define OPT_SHORTS_SIZE (3 + 2 * OPT_ROWS_MAX)
#define OPT_SPELLING_SIZE 64

/* getopt's answers for long options: above every letter. */
#define OPT_LONG_BASE 256

/* An argument that is no option, in getopt's return-in-order mode. */
#define OPT_NO_OPTION 1

/* The rows of all tables, by number. */
struct opt_index {
	size_t rows;
	const struct option_row *row[OPT_ROWS_MAX];
	bool is_given[OPT_ROWS_MAX];
	struct option longs[OPT_ROWS_MAX + 1];
	char shorts[OPT_SHORTS_SIZE];
};

/* Where the parser is. */
struct opt_scan {
	struct opt_index *ix;
	struct settings *settings;
	enum opt_action action;
	struct check_given given;
	/* The option just read lacked its optional value, so that a value
	 * after a blank was probably meant for it. */
	const char *wants_equals;
};

const struct option_table *opt_table(size_t index)
{
	size_t core = 0;

	while (option_core[core].title)
		core++;
	if (index < core)
		return &option_core[index];
	index -= core;
	return index < registry_count() ? registry_options(index) : NULL;
}

static const struct option_row *find_name(const char *name)
{
	const struct option_table *t;
	size_t i, j;

	for (i = 0; (t = opt_table(i)); i++)
		for (j = 0; j < t->rows; j++)
			if (t->row[j].name && !strcmp(t->row[j].name, name))
				return &t->row[j];
	return NULL;
}

static int long_argument(const struct option_row *row)
{
	static const int arguments[] = {
		[VALUE_NONE] = no_argument,
		[VALUE_REQUIRED] = required_argument,
		[VALUE_OPTIONAL] = optional_argument,
	};

	return arguments[row->value];
}

static void index_add_letter(struct opt_index *ix, const struct option_row *row)
{
	size_t len = strlen(ix->shorts);

	ix->shorts[len++] = row->letter;
	/* An optional value belongs to the long form only: -d1 is -d -1. */
	if (row->value == VALUE_REQUIRED)
		ix->shorts[len++] = ':';
	ix->shorts[len] = '\0';
}

static void index_add(struct opt_index *ix, const struct option_row *row)
{
	const struct option_row *meant = row;
	size_t i = ix->rows;

	if (!row->name || i == OPT_ROWS_MAX)
		return;
	if (row->alias_of)
		meant = find_name(row->alias_of);
	ix->row[i] = meant;
	ix->longs[i] = (struct option){
		.name = row->name,
		.has_arg = long_argument(meant),
		.val = OPT_LONG_BASE + (int)i,
	};
	if (row->letter)
		index_add_letter(ix, row);
	ix->rows++;
}

static void index_fill(struct opt_index *ix)
{
	const struct option_table *t;
	size_t i, j;

	memset(ix, 0, sizeof(*ix));
	/* '-': other arguments in order; ':': tell a missing value from an
	 * unknown option. */
	memcpy(ix->shorts, "-:", sizeof("-:"));
	for (i = 0; (t = opt_table(i)); i++)
		for (j = 0; j < t->rows; j++)
			index_add(ix, &t->row[j]);
}

/* The row number for getopt's answer @c, or ix->rows. */
static size_t index_find(const struct opt_index *ix, int c)
{
	size_t i;

	if (c >= OPT_LONG_BASE)
		return (size_t)(c - OPT_LONG_BASE);
	for (i = 0; i < ix->rows; i++)
		if (ix->row[i]->letter == c)
			break;
	return i;
}

/* What the user typed for the option that getopt stumbled over. */
static const char *spelling(char **argv, char *buf, size_t size)
{
	if (optopt > 0 && optopt < OPT_LONG_BASE)
		snprintf(buf, size, "-%c", optopt);
	else
		snprintf(buf, size, "%s", argv[optind - 1]);
	return buf;
}

static bool is_ambiguous(const struct opt_index *ix, const char *typed)
{
	size_t len = strcspn(typed + 2, "=");
	size_t i, matches = 0;

	for (i = 0; i < ix->rows; i++)
		if (!strncmp(ix->longs[i].name, typed + 2, len))
			matches++;
	return matches > 1;
}

static void refuse_unknown(const struct opt_scan *scan, char **argv,
			   struct err *e)
{
	char typed[OPT_SPELLING_SIZE];

	spelling(argv, typed, sizeof(typed));
	if (optopt >= OPT_LONG_BASE)
		err_set(e, ERR_OPTION, 0, "%s: this option takes no value",
			typed);
	else if (!strncmp(typed, "--", 2) && is_ambiguous(scan->ix, typed))
		err_set(e, ERR_OPTION, 0,
			"%s is short for more than one option", typed);
	else
		err_set(e, ERR_OPTION, 0,
			"%s is unknown; iperf3 --help lists the options",
			typed);
}

static void refuse_missing(const struct opt_scan *scan, char **argv,
			   struct err *e)
{
	size_t i = index_find(scan->ix, optopt);
	char typed[OPT_SPELLING_SIZE];

	err_set(e, ERR_OPTION, 0, "%s needs a value%s%s",
		spelling(argv, typed, sizeof(typed)),
		i < scan->ix->rows ? ": " : "",
		i < scan->ix->rows ? scan->ix->row[i]->metavar : "");
}

/* iperf3 ignores what is no option; so do we, but we say it. */
static void take_other(const char *wants_equals, const char *text,
		       struct err *e)
{
	if (wants_equals)
		err_set(e, ERR_OPTION, 0,
			"--%s takes its value with an equals sign: --%s=%s",
			wants_equals, wants_equals, text);
	else
		fprintf(stderr, "warning: argument ignored: %s\n", text);
}

static void take_option(struct opt_scan *scan, int c, struct err *e)
{
	size_t i = index_find(scan->ix, c);
	const struct option_row *row;

	if (i >= scan->ix->rows)
		return;
	row = scan->ix->row[i];
	option_apply(scan->settings, row, optarg, e);
	scan->ix->is_given[i] = true;
	if (row->roles == FOR_SERVER && !scan->given.server_only)
		scan->given.server_only = row->name;
	if (row->roles == FOR_CLIENT && !scan->given.client_only)
		scan->given.client_only = row->name;
	if (row->value == VALUE_OPTIONAL && c >= OPT_LONG_BASE && !optarg)
		scan->wants_equals = row->name;
	if (row->kind == OPTION_OBSOLETE)
		fprintf(stderr, "warning: --%s is obsolete and has no effect\n",
			row->name);
	if (row->kind == OPTION_HELP)
		scan->action = OPT_HELP;
	else if (row->kind == OPTION_VERSION)
		scan->action = OPT_VERSION;
}

/* Reads all of @argv, or up to --help or --version. */
static void scan_arguments(struct opt_scan *scan, int argc, char **argv,
			   struct err *e)
{
	const char *wants_equals;
	int c;

	/* 0 makes glibc and musl start over with new arrays. */
	optind = 0;
	opterr = 0;
	while (scan->action == OPT_RUN || err_is_set(e)) {
		c = getopt_long(argc, argv, scan->ix->shorts, scan->ix->longs,
				NULL);
		if (c == -1)
			break;
		wants_equals = scan->wants_equals;
		scan->wants_equals = NULL;
		if (c == '?')
			refuse_unknown(scan, argv, e);
		else if (c == ':')
			refuse_missing(scan, argv, e);
		else if (c == OPT_NO_OPTION)
			take_other(wants_equals, optarg, e);
		else
			take_option(scan, c, e);
	}
}

static bool is_name_given(const struct opt_index *ix, const char *name)
{
	size_t i;

	for (i = 0; i < ix->rows; i++)
		if (ix->is_given[i] && !strcmp(ix->row[i]->name, name))
			return true;
	return false;
}

/* Options that mean nothing without another. */
static int check_needs(const struct opt_index *ix, struct err *e)
{
	const struct option_row *row;
	size_t i;

	for (i = 0; i < ix->rows; i++) {
		row = ix->row[i];
		if (ix->is_given[i] && row->needs &&
		    !is_name_given(ix, row->needs))
			return err_set(e, ERR_USAGE, 0, "--%s goes with --%s",
				       row->name, row->needs);
	}
	return 0;
}

int opt_parse(int argc, char **argv, struct settings *settings,
	      enum opt_action *action, struct err *e)
{
	struct opt_index ix;
	struct opt_scan scan = { .ix = &ix, .settings = settings };
	int rc;

	index_fill(&ix);
	scan_arguments(&scan, argc, argv, e);
	if (err_is_set(e))
		return -EINVAL;
	*action = scan.action;
	if (scan.action != OPT_RUN)
		return 0;
	rc = check_combinations(settings, &scan.given, e);
	if (!rc)
		rc = check_needs(&ix, e);
	if (!rc)
		rc = registry_check(settings, e);
	/* Another end replaces the default time. */
	if (!rc && (settings->limit_bytes || settings->limit_blocks))
		settings->time_s = 0;
	return rc;
}
