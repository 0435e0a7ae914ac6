/* SPDX-License-Identifier: MIT */
/* fuzz_schedule.c - any lines as --schedule texts: refused with a sentence, or rows that refer to what is there. */
#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "registry/schedule.h"
#include "registry/text.h"

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

enum { STRINGS = 100, ROWS = 7 };

static void row_check(const struct reg_schedule *s, const struct ptowsp_directive_record *row)
{
	assert(row->count <= 8);
	for (unsigned i = 0; i < row->count; i++) {
		int64_t value = reg_directive_argument(row, i);

		if (reg_directive_argument_kind(row, i) == PTOWSP_ARGUMENT_EXPR)
			assert(value >= ROWS && value < ROWS + s->expressions.count);
		else if (reg_directive_argument_kind(row, i) == PTOWSP_ARGUMENT_WORD)
			assert(value == 3 || (value >= STRINGS && value < STRINGS + s->string_bytes));
		else /* only thresholds may be negative */
			assert(value >= 0 || (row->directive == PTOWSP_DIRECTIVE_DISPATCH && row->policy == PTOWSP_DISPATCH_THRESHOLD));
	}
}

static void expressions_check(const struct reg_schedule *s)
{
	for (uint32_t i = 0; i < s->expressions.count; i++) {
		const struct ptowsp_expr_record *e = &s->expressions.at[i];

		if (e->op >= PTOWSP_EXPR_ADD) /* operands are earlier rows */
			assert(e->a >= ROWS && e->a < ROWS + i);
		if (e->op >= PTOWSP_EXPR_ADD && e->op < PTOWSP_EXPR_NEG)
			assert(e->b >= ROWS && e->b < ROWS + i);
	}
}

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const loops[] = {"i"}, *const values[] = {"n"};
	static const uint32_t loop_strings[] = {3}, value_rows[] = {0};
	static const struct reg_scope scope = {loops, loop_strings, values, value_rows, 1, 1};
	static const char strings[STRINGS] = "a\0bi";
	static const struct ptowsp_slot_record slots[2] = {{.name = 2}, {.name = STRINGS}};
	struct reg_schedule schedule;
	char *text = malloc(size + 1), *line, *at = text, memory[128];
	struct reg_text out;

	if (!text)
		return false;
	memcpy(text, bytes, size);
	text[size] = '\0';
	reg_schedule_init(&schedule, STRINGS, ROWS);
	while ((line = strsep(&at, "\n"))) {
		struct ptowsp_error error = {.text = ""};

		if (reg_schedule_add(&schedule, line, &scope, &error))
			assert(error.text[0]);
	}
	for (uint32_t i = 0; i < schedule.count; i++) {
		const struct reg_expression_tables tables = {.expr = schedule.expressions.at,
							     .expr_count = schedule.expressions.count,
							     .slot = slots,
							     .slot_count = 2,
							     .strings = strings,
							     .strings_size = sizeof(strings)}; /* other rows than those that are meant: any are fine */

		row_check(&schedule, &schedule.rows[i]);
		reg_text_init(&out, memory, sizeof(memory));
		reg_directive_print(&schedule.rows[i], &tables, &out);
	}
	expressions_check(&schedule);
	reg_schedule_finish(&schedule);
	free(text);
	return false;
}
