/* SPDX-License-Identifier: MIT */
/* schedule.c - the schedule, and what it reads. */
#include "print/parts.h"

#include "format/format_names.h"
#include "lang/lang_schedule.h"

#include <stdlib.h>
#include <string.h>

#define DIRECTIVE_TEXT 16384u

static int expr_reads(const struct print_job *job, uint32_t row, uint32_t slot, uint32_t depth)
{
	const struct ptowsp_expr_record *e;
	unsigned operands;

	if (row >= job->t->expr_count || depth > PTOWSP_NESTING_LIMIT)
		return 0;
	e = &job->t->expr[row];
	operands = pkg_expr_operands(e->op);
	return (e->op == PTOWSP_EXPR_VALUE && e->a == slot) || (operands > 0 && expr_reads(job, e->a, slot, depth + 1)) ||
	       (operands > 1 && expr_reads(job, e->b, slot, depth + 1)) || (operands > 2 && expr_reads(job, e->c, slot, depth + 1));
}

/* Policies inside of others are words, in which #row is an expression. */
static int word_reads(const struct print_job *job, const char *word, uint32_t slot)
{
	for (word = strchr(word, '#'); word; word = strchr(word + 1, '#'))
		if (expr_reads(job, (uint32_t)strtoul(word + 1, NULL, 10), slot, 0))
			return 1;
	return 0;
}

int print_schedule_reads(const struct print_job *job, uint32_t slot)
{
	for (uint32_t i = 0; i < job->t->directive_count; i++) {
		const struct ptowsp_directive_record *d = &job->t->directive[i];
		const int64_t arguments[] = {d->a0, d->a1, d->a2, d->a3, d->a4, d->a5, d->a6, d->a7};

		for (unsigned k = 0; k < d->count && k < 8; k++) {
			unsigned kind = (unsigned)(d->kinds >> (8 * k)) & 0xFF;

			if ((kind == PTOWSP_ARGUMENT_EXPR && expr_reads(job, (uint32_t)arguments[k], slot, 0)) ||
			    (kind == PTOWSP_ARGUMENT_WORD && word_reads(job, print_string(job, (uint32_t)arguments[k]), slot)))
				return 1;
		}
	}
	return 0;
}

static void directive_print(const struct print_job *job, struct print_text *text, uint32_t row)
{
	char *memory = malloc(DIRECTIVE_TEXT);
	struct reg_text directive;

	if (!memory) {
		text->failed = 1;
		return;
	}
	reg_text_init(&directive, memory, DIRECTIVE_TEXT);
	if (lang_directive_print(job->t, row, &directive)) {
		print_add(text, "  %s", memory);
		print_end(text);
	} else {
		print_unsaid(text, 1, "directive %lu of the schedule", (unsigned long)row);
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
