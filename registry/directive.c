/* SPDX-License-Identifier: MIT */
/* directive.c - rows of the SCHD table read back: arguments, and as people type them. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "registry/schedule.h"
#include "registry/text.h"

_Static_assert(offsetof(struct ptowsp_directive_record, a7) == offsetof(struct ptowsp_directive_record, a0) + 7 * sizeof(int64_t),
	       "arguments lie side by side");

int64_t reg_directive_argument(const struct ptowsp_directive_record *row, unsigned i)
{
	return i < row->count && i < 8 ? (&row->a0)[i] : 0;
}

unsigned reg_directive_argument_kind(const struct ptowsp_directive_record *row, unsigned i)
{
	return i < 8 ? (unsigned)(row->kinds >> (8 * i)) & 0xFF : 0;
}

/* A policy of a threshold, in which an expression is "#" and its row. */
static void part_print(const char *word, const struct reg_expression_tables *tables, struct reg_text *text)
{
	for (const char *mark = strchr(word, '#'); mark; mark = strchr(word, '#')) {
		char *end;
		unsigned long row = strtoul(mark + 1, &end, 10);

		reg_text_add(text, "%.*s", (int)(mark - word), word);
		reg_expression_print(tables, row < PTOWSP_NONE ? (uint32_t)row : PTOWSP_NONE, 0, text);
		word = end == mark + 1 ? mark + 1 : end;
	}
	reg_text_add(text, "%s", word);
}

static void argument_print(const struct ptowsp_directive_record *row, unsigned i, const struct reg_expression_tables *tables, struct reg_text *text)
{
	int64_t value = reg_directive_argument(row, i);

	switch (reg_directive_argument_kind(row, i)) {
	case PTOWSP_ARGUMENT_NUMBER: reg_text_add(text, "%lld", (long long)value); return;
	case PTOWSP_ARGUMENT_WORD:
		if (value >= 0 && (uint64_t)value < tables->strings_size) {
			if (row->directive == PTOWSP_DIRECTIVE_DISPATCH && row->policy == PTOWSP_DISPATCH_THRESHOLD)
				part_print(tables->strings + value, tables, text);
			else
				reg_text_add(text, "%s", tables->strings + value);
			return;
		}
	}
	reg_expression_print(tables, value >= 0 && value < PTOWSP_NONE ? (uint32_t)value : PTOWSP_NONE, 0, text);
}

void reg_directive_print(const struct ptowsp_directive_record *row, const struct reg_expression_tables *tables, struct reg_text *text)
{
	const struct reg_directive *directive = reg_directive(row->directive);
	const struct reg_policy *policy = reg_policy(row->directive, row->policy);
	unsigned count = row->count < 8 ? row->count : 8;
	bool bare = policy && reg_policy_is_bare(policy);

	if (directive)
		reg_text_add(text, "%s=", directive->text);
	else
		reg_text_add(text, "directive %u=", row->directive);
	if (!policy)
		reg_text_add(text, "policy %u", row->policy);
	else if (!bare)
		reg_text_add(text, "%s", policy->word);
	if (count && !bare)
		reg_text_add(text, "(");
	for (unsigned i = 0; i < count; i++) {
		reg_text_add(text, "%s", i ? "," : "");
		argument_print(row, i, tables, text);
	}
	if (count && !bare)
		reg_text_add(text, ")");
	if (bare && policy->code > 1) /* the first bare policy goes without saying */
		reg_text_add(text, ",%.*s", (int)(strlen(policy->word) - 2), policy->word + 1);
}
