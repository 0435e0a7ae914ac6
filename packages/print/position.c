/* SPDX-License-Identifier: MIT */
/* position.c - where lines came from: positions of rows, and of the divisions of a line. */
#include "print/parts.h"

#include "format/format_names.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct ptowsp_debug_record *position_of(const struct print_job *job, unsigned kind, uint32_t row)
{
	uint32_t place = job->file && row != PTOWSP_NONE ? job->positions[kind][row] : 0;

	return place ? &job->t->debug[place - 1] : NULL;
}

static struct print_place place_of(const struct ptowsp_debug_record *d)
{
	return d ? (struct print_place){d->line, d->column} : (struct print_place){0, 0};
}

void print_division_add(const struct print_job *job, struct print_divisions *divisions, uint32_t row)
{
	if (divisions->count < PRINT_MAX_DIVISIONS)
		divisions->places[divisions->count++] = place_of(position_of(job, 4, row));
}

static void divisions_walk(const struct print_job *job, struct print_divisions *divisions, uint32_t row, uint32_t depth)
{
	const struct ptowsp_expr_record *e = &job->t->expr[row];
	unsigned operands = pkg_expr_operands(e->op);

	if (!(job->index.exprs[row] & PRINT_DIVIDES) || divisions->count == PRINT_MAX_DIVISIONS || depth > PTOWSP_NESTING_LIMIT)
		return;
	divisions_walk(job, divisions, e->a, depth + 1);
	if (e->op == PTOWSP_EXPR_DIV || e->op == PTOWSP_EXPR_MOD)
		print_division_add(job, divisions, row);
	if (operands > 1)
		divisions_walk(job, divisions, e->b, depth + 1);
	if (operands > 2)
		divisions_walk(job, divisions, e->c, depth + 1);
}

void print_divisions_add(const struct print_job *job, struct print_divisions *divisions, uint32_t row)
{
	divisions_walk(job, divisions, row, 0);
}

void print_end_with(const struct print_job *job, struct print_text *text, unsigned kind, uint32_t row, const struct print_divisions *divisions)
{
	const struct ptowsp_debug_record *d = position_of(job, kind, row);
	const char *file = d ? print_string(job, d->file) : NULL;

	print_end_at(text, place_of(d), divisions->places, divisions->count, file && strcmp(file, job->file) ? file : NULL);
}

void print_end_of(const struct print_job *job, struct print_text *text, unsigned kind, uint32_t row)
{
	const struct print_divisions none = {.count = 0};

	print_end_with(job, text, kind, row, &none);
}

bool print_positions_find(struct print_job *job)
{
	const struct pkg_tables *t = job->t;
	const uint32_t counts[5] = {job->work.num_instructions, t->kernel_count, t->entry_count, t->slot_count, t->expr_count};

	for (unsigned kind = 0; kind < 5; kind++) {
		job->positions[kind] = calloc((size_t)counts[kind] + 1, sizeof(uint32_t));
		if (!job->positions[kind])
			return false;
	}
	for (uint32_t i = 0; i < t->debug_count; i++)
		if (t->debug[i].kind < 5 && t->debug[i].line) {
			job->positions[t->debug[i].kind][t->debug[i].row] = i + 1;
			job->file = job->file ? job->file : print_string(job, t->debug[i].file);
		}
	return true;
}
