/* SPDX-License-Identifier: MIT */
/* builder_code.c - instructions of entries and processes, and what they evaluate. */
#include "lang/build.h"

#include "format/format_names.h"

void build_code(struct ptowsp_build *b)
{
	build_task_close(b);
	if (!b->depth)
		build_refuse(b, "no entry or process is open, and this stands in the code of one");
}

uint32_t build_emit(struct ptowsp_build *b, unsigned opcode, uint32_t operand1, uint32_t operand2)
{
	uint32_t row;

	if (operand1 > UINT16_MAX)
		build_refuse(b, "row %u of its table cannot be named by an instruction: those name rows 0 to %u", operand1, UINT16_MAX);
	row = lang_work_add(&b->tables, opcode, operand1, operand2);
	if (row == PTOWSP_NONE)
		build_refuse(b, "a package has at most %u instructions", LANG_MAX_INSTRUCTIONS);
	return row;
}

void build_debug(struct ptowsp_build *b, uint16_t kind, uint32_t row, struct build_place place)
{
	if (place.line)
		*LANG_PUSH(&b->arena, b->tables.debug, b->tables.debug_count, b->tables.debug_capacity) = (struct ptowsp_debug_record){
			.file = place.file, .kind = kind, .row = row, .line = place.line, .column = place.column};
}

uint32_t build_emit_at(struct ptowsp_build *b, unsigned opcode, uint32_t operand1, uint32_t operand2)
{
	uint32_t row = build_emit(b, opcode, operand1, operand2);

	build_debug(b, 0, row, b->place);
	return row;
}

static void value_note(struct ptowsp_build *b, uint32_t slot)
{
	struct build_entry *entry = &b->entries[b->entry];

	if (b->slots[slot].kind != PTOWSP_SLOT_SYMBOL || b->slots[slot].flags & PTOWSP_SLOT_HAS_DEFAULT)
		return;
	for (uint32_t i = 0; i < entry->record.value_count; i++)
		if (entry->values[i] == slot)
			return;
	*LANG_PUSH(&b->arena, entry->values, entry->record.value_count, entry->value_capacity) = slot;
}

/* Looked at for the first time since the stamp was set. */
static int is_new(struct ptowsp_build *b, uint32_t expr)
{
	while (b->seen_count <= expr)
		*BUILD_PUSH(b, seens, seen) = 0;
	if (b->seens[expr] == b->stamp)
		return 0;
	b->seens[expr] = b->stamp;
	return 1;
}

/* Symbols in the order of the text: depth first, operands from the left, each expression once. */
static void values_note(struct ptowsp_build *b, uint32_t expr)
{
	b->stamp++;
	b->unseen_count = 0;
	*BUILD_PUSH(b, unseen, unseen) = expr;
	while (b->unseen_count) {
		uint32_t at = b->unseen[--b->unseen_count];
		const struct ptowsp_expr_record *row = &b->tables.exprs.rows[at];
		const uint32_t operands[] = {row->a, row->b, row->c};

		if (!(build_needs(b, at) & BUILD_NEEDS_SYMBOL) || !is_new(b, at))
			continue;
		if (row->op == PTOWSP_EXPR_VALUE)
			value_note(b, row->a);
		for (uint32_t i = pkg_expr_operands(row->op); i > 0; i--)
			*BUILD_PUSH(b, unseen, unseen) = operands[i - 1];
	}
}

void build_evaluate(struct ptowsp_build *b, uint32_t expr)
{
	uint32_t loops = build_needs(b, expr) & BUILD_NEEDS_DEPTH;

	if (loops > b->loops)
		build_refuse(b, "the expression uses the value of the loop at depth %u, %u loop%s open here", loops - 1, b->loops,
			     b->loops == 1 ? " is" : "s are");
	if (b->entry != PTOWSP_NONE && !b->stated && !b->entries[b->entry].stated)
		values_note(b, expr);
}

uint32_t build_region_row(struct ptowsp_build *b, uint32_t region)
{
	uint32_t row = build_row(b, BUILD_REGION, region);

	build_evaluate(b, b->tables.regions[row].row);
	build_evaluate(b, b->tables.regions[row].column);
	return row;
}
