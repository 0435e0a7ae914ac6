/* SPDX-License-Identifier: MIT */
/* schedule.c - the schedule, and what it reads. */
#include "print/parts.h"

#include "format/format_names.h"
#include "lang/lang_schedule.h"

#include <stdlib.h>
#include <string.h>

#define DIRECTIVE_TEXT 16384u

static void root_mark(const struct print_job *job, uint8_t *exprs, uint64_t row)
{
	if (row < job->t->expr_count)
		exprs[row] = 1;
}

static void roots_mark(const struct print_job *job, uint8_t *exprs, const struct ptowsp_directive_record *d)
{
	const int64_t arguments[] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};

	for (unsigned k = 0; k < d->count && k < 8; k++) {
		const unsigned kind = (unsigned)(d->kinds >> (8 * k)) & 0xFF;
		const char *word = kind == PTOWSP_ARGUMENT_WORD ? print_string(job, (uint32_t)arguments[k]) : "";

		if (kind == PTOWSP_ARGUMENT_EXPR)
			root_mark(job, exprs, (uint64_t)arguments[k]);
		for (word = strchr(word, '#'); word; word = strchr(word + 1, '#')) /* policies inside of others are words, in which #row is an expression */
			root_mark(job, exprs, strtoul(word + 1, NULL, 10));
	}
}

/* Operands are earlier rows: one pass from behind. */
int print_schedule_index(struct print_job *job)
{
	uint8_t *exprs = calloc((size_t)job->t->expr_count + 1, 1);
	int done;

	job->index.scheduled = calloc((size_t)job->t->slot_count + 1, 1);
	for (uint32_t i = 0; exprs && i < job->t->directive_count; i++)
		roots_mark(job, exprs, &job->t->directive[i]);
	for (uint32_t i = exprs && job->index.scheduled ? job->t->expr_count : 0; i-- > 0;) {
		const struct ptowsp_expr_record *e = &job->t->expr[i];
		const uint32_t operands[3] = {e->a, e->b, e->c};

		for (unsigned k = 0; k < pkg_expr_operands(e->op); k++)
			exprs[operands[k]] |= exprs[i];
		if (e->op == PTOWSP_EXPR_VALUE)
			job->index.scheduled[e->a] |= exprs[i];
	}
	done = exprs && job->index.scheduled;
	free(exprs);
	return done;
}

static void directive_print(const struct print_job *job, struct print_text *text, uint32_t row)
{
	char *memory = malloc(DIRECTIVE_TEXT);
	struct reg_text directive;

	if (!memory) {
		text->out.failed = 1;
		return;
	}
	reg_text_init(&directive, memory, DIRECTIVE_TEXT);
	if (lang_directive_print(job->t, row, &directive)) {
		print_add(text, "  %s", memory);
		print_end(text);
	} else {
		print_inexpressible(text, 1, "directive %lu of the schedule", (unsigned long)row);
	}
	free(memory);
}

void print_schedule(const struct print_job *job, struct print_text *text)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < job->t->directive_count; i++) {
		if (job->made.directives[i])
			continue;
		if (!count++) {
			print_end(text);
			print_add(text, "schedule {");
			print_end(text);
		}
		directive_print(job, text, i);
	}
	if (count) {
		print_add(text, "}");
		print_end(text);
	}
}
