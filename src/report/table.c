/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates stand with their decimal points below each other and three
 * significant digits, never with an exponent, so that a column can be read
 * down at a glance.
 */
#include "report/table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "report/table_head.h"

#define SIZE_TITLE "pkt_size"
#define GAP 3
#define CELL_SIZE 64
#define SIGNIFICANT 3

/* The smallest rate that is still shown in a unit. */
#define SMALLEST_SHOWN 0.001

struct table_unit {
	const char *name;
	double bps;
};

static const struct table_unit units[] = {
	{ "[Gbps]", 1e9 },
	{ "[Mbps]", 1e6 },
	{ "[Kbps]", 1e3 },
};

#define UNITS (sizeof(units) / sizeof(units[0]))

/* One column: its direction, and how far numbers reach to both sides of the
 * decimal point. */
struct table_column {
	size_t direction;
	size_t width;
	size_t whole;
	size_t fraction;
};

struct table {
	const struct sweep *sw;
	const struct table_unit *unit;
	size_t size_width;
	size_t columns;
	struct table_column column[SWEEP_DIRECTIONS];
};

static bool has_number(const struct sweep_cell *cell)
{
	return cell->is_run && cell->is_ok && isfinite(cell->bits_per_second);
}

/* The largest and the smallest rate above zero; 0 where there is none. */
static void find_range(const struct sweep *sw, double *largest,
		       double *smallest)
{
	size_t i, d;

	*largest = 0;
	*smallest = 0;
	for (i = 0; i < sw->rows; i++) {
		for (d = 0; d < SWEEP_DIRECTIONS; d++) {
			const struct sweep_cell *cell = &sw->row[i].cell[d];

			if (!has_number(cell) || !(cell->bits_per_second > 0))
				continue;
			*largest = fmax(*largest, cell->bits_per_second);
			if (*smallest == 0 || cell->bits_per_second < *smallest)
				*smallest = cell->bits_per_second;
		}
	}
}

/* The unit in which the largest rate has a whole part, unless the smallest
 * would vanish in it. */
static const struct table_unit *choose_unit(const struct sweep *sw)
{
	double largest, smallest;
	size_t i = 0;

	find_range(sw, &largest, &smallest);
	while (i + 1 < UNITS && largest > 0 &&
	       (largest < units[i].bps ||
		smallest < units[i].bps * SMALLEST_SHOWN))
		i++;
	return &units[i];
}

/* Decimals that leave SIGNIFICANT digits after rounding. */
static int decimals(double value)
{
	char text[CELL_SIZE];
	int exponent;

	units_printf(text, sizeof(text), "%.*e", SIGNIFICANT - 1, value);
	exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
	return exponent < SIGNIFICANT - 1 ? SIGNIFICANT - 1 - exponent : 0;
}

static const char *number_text(const struct table *t,
			       const struct sweep_cell *cell, char *buf,
			       size_t size)
{
	double value = cell->bits_per_second / t->unit->bps;

	units_printf(buf, size, "%.*f", value > 0 ? decimals(value) : 0, value);
	return buf;
}

static const char *word(const struct sweep_cell *cell)
{
	return cell->is_run ? "failed" : "-";
}

static size_t max_size(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void measure_column(const struct table *t, struct table_column *col)
{
	const struct sweep *sw = t->sw;
	char text[CELL_SIZE];
	size_t i, whole;

	col->width = max_size(strlen(sw->direction[col->direction]),
			      strlen("failed"));
	for (i = 0; i < sw->rows; i++) {
		const struct sweep_cell *cell =
			&sw->row[i].cell[col->direction];

		if (!has_number(cell))
			continue;
		number_text(t, cell, text, sizeof(text));
		whole = strcspn(text, ".");
		col->whole = max_size(col->whole, whole);
		col->fraction = max_size(col->fraction, strlen(text) - whole);
	}
	col->width = max_size(col->width, col->whole + col->fraction);
}

static bool is_wanted(const struct sweep *sw, size_t direction)
{
	size_t i;

	for (i = 0; i < sw->rows; i++)
		if (sw->row[i].cell[direction].is_wanted)
			return true;
	return false;
}

static void measure(struct table *t, const struct sweep *sw)
{
	char text[UNITS_TEXT_SIZE];
	size_t i;

	*t = (struct table){ .sw = sw, .unit = choose_unit(sw) };
	for (i = 0; i < sw->rows; i++) {
		units_format_size(sw->row[i].block_bytes, text, sizeof(text));
		t->size_width = max_size(t->size_width, strlen(text));
	}
	/* Sizes stand a little in from the edge of their title. */
	t->size_width = max_size(t->size_width, SIGNIFICANT + 1);
	for (i = 0; i < SWEEP_DIRECTIONS; i++) {
		if (!is_wanted(sw, i))
			continue;
		t->column[t->columns].direction = i;
		measure_column(t, &t->column[t->columns]);
		t->columns++;
	}
}

/* Appends @text in the middle of @width characters; blanks after it only
 * come with what follows it. */
static void put_centered(char *line, size_t size, size_t *at, size_t width,
			 const char *text)
{
	size_t len = strlen(text);
	size_t left = width > len ? (width - len) / 2 : 0;
	size_t used = strlen(line);

	snprintf(line + used, size - used, "%*s%s", (int)(*at + left - used),
		 "", text);
	*at += width + GAP;
}

/* Numbers are padded on both sides, so that centering moves all alike. */
static void pad_number(const struct table_column *col, char *text, size_t size)
{
	size_t len = strlen(text);
	size_t whole = strcspn(text, ".");
	size_t before = col->whole - whole;
	size_t after = col->fraction - (len - whole);

	if (before + len + after >= size)
		return;
	memmove(text + before, text, len);
	memset(text, ' ', before);
	memset(text + before + len, ' ', after);
	text[before + len + after] = '\0';
}

static void trim(char *line)
{
	size_t len = strlen(line);

	while (len && line[len - 1] == ' ')
		line[--len] = '\0';
}

static void print_titles(FILE *out, const struct table *t)
{
	size_t at = max_size(t->size_width, strlen(SIZE_TITLE)) + GAP;
	char line[256] = SIZE_TITLE;
	size_t i;

	for (i = 0; i < t->columns; i++)
		put_centered(line, sizeof(line), &at, t->column[i].width,
			     t->sw->direction[t->column[i].direction]);
	put_centered(line, sizeof(line), &at, 0, t->unit->name);
	fprintf(out, "%s\n", line);
}

static void print_row(FILE *out, const struct table *t,
		      const struct sweep_row *row)
{
	size_t at = max_size(t->size_width, strlen(SIZE_TITLE)) + GAP;
	char line[256];
	char text[CELL_SIZE];
	size_t i;

	units_format_size(row->block_bytes, text, sizeof(text));
	snprintf(line, sizeof(line), "%*s", (int)t->size_width, text);
	for (i = 0; i < t->columns; i++) {
		const struct table_column *col = &t->column[i];
		const struct sweep_cell *cell = &row->cell[col->direction];

		if (has_number(cell)) {
			number_text(t, cell, text, sizeof(text));
			pad_number(col, text, sizeof(text));
		} else {
			snprintf(text, sizeof(text), "%s", word(cell));
		}
		put_centered(line, sizeof(line), &at, col->width, text);
	}
	trim(line);
	fprintf(out, "%s\n", line);
}

static void print_failures(FILE *out, const struct sweep *sw)
{
	char size_text[UNITS_TEXT_SIZE];
	size_t i, d;

	for (i = 0; i < sw->rows; i++) {
		for (d = 0; d < SWEEP_DIRECTIONS; d++) {
			const struct sweep_cell *cell = &sw->row[i].cell[d];

			if (!cell->is_run || has_number(cell))
				continue;
			units_format_size(sw->row[i].block_bytes, size_text,
					  sizeof(size_text));
			fprintf(out, "# failed: %s %s: %s\n", size_text,
				sw->direction[d],
				*cell->error ? cell->error
					     : "no reason is known");
		}
	}
	if (sw->is_interrupted)
		fputs("# interrupted: what is marked - was not run\n", out);
}

void table_print(FILE *out, const struct sweep *sw)
{
	struct table t;
	size_t i;

	measure(&t, sw);
	table_head_print(out, sw);
	print_titles(out, &t);
	for (i = 0; i < sw->rows; i++)
		print_row(out, &t, &sw->row[i]);
	print_failures(out, sw);
	fflush(out);
}
