/* SPDX-License-Identifier: MIT */
/* builder_block.c - code of entries and processes: what it evaluates, loops, branches, scopes, and their ends. */
#include "format/format_names.h"

#include "lang/builder/build.h"
#include <stdbool.h>

void build_open(struct ptowsp_build *b, unsigned op, uint32_t head, int value)
{
	if (b->depth == PTOWSP_NESTING_LIMIT + 1) /* the body of the entry itself is no nest */
		build_refuse(b, "loops, branches and scopes nest at most %u deep", PTOWSP_NESTING_LIMIT);
	b->blocks[b->depth++] = (struct build_block){.op = (uint8_t)op, .value = (uint8_t)value, .head = head};
	b->loops += (uint32_t)value;
}

uint32_t build_loop_value(struct ptowsp_build *b)
{
	return b->tables.stated ? BUILD_DONE : build_handle(b, BUILD_EXPR, lang_expr_loop(&b->tables.exprs, b->loops - 1));
}

uint32_t build_axis_listed(struct ptowsp_build *b, uint32_t axis)
{
	if (!b->tables.work_axis_count)
		return axis;
	for (uint32_t i = 0; i < b->tables.work_axis_count; i++)
		if (b->tables.work_axes[i] == axis)
			return i;
	build_refuse(b, "the axis is not in the list of axes: ptowsp_build_list");
}

static uint32_t loop_begin(struct ptowsp_build *b, unsigned op, uint32_t axis)
{
	uint32_t row = build_row(b, BUILD_AXIS, axis), head;
	const struct ptowsp_axis_record *record = &b->tables.axes[row];

	build_code(b);
	if ((op == PTOWSP_OP_SELECT) != (record->kind == PTOWSP_AXIS_SPARSE))
		build_refuse(b, "select walks sparse axes, the other loops all others; %.80s is %s", build_text(b, record->name),
			     record->kind == PTOWSP_AXIS_SPARSE ? "sparse" : "not sparse");
	build_evaluate(b, record->low);
	build_evaluate(b, record->high);
	build_evaluate(b, record->step);
	if (record->row != PTOWSP_NONE)
		build_evaluate(b, record->row);
	head = build_emit_at(b, op, build_axis_listed(b, row), 0);
	build_open(b, op, head, 1);
	return build_loop_value(b);
}

uint32_t ptowsp_build_parallel_for(struct ptowsp_build *b, uint32_t axis)
{
	BUILD_CALL(b);
	return loop_begin(b, PTOWSP_OP_PARALLEL_FOR, axis);
}

uint32_t ptowsp_build_for_each(struct ptowsp_build *b, uint32_t axis)
{
	BUILD_CALL(b);
	return loop_begin(b, PTOWSP_OP_FOR_EACH, axis);
}

uint32_t ptowsp_build_select(struct ptowsp_build *b, uint32_t axis)
{
	BUILD_CALL(b);
	return loop_begin(b, PTOWSP_OP_SELECT, axis);
}

static void targets_emit(struct ptowsp_build *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		build_emit(b, PTOWSP_OP_TARGET, 0, 0);
}

uint32_t ptowsp_build_while(struct ptowsp_build *b, uint32_t condition)
{
	BUILD_CALL(b);
	uint32_t expr = build_expr(b, condition), head;

	build_code(b);
	build_evaluate(b, expr);
	head = build_emit_at(b, PTOWSP_OP_WHILE, 0, expr);
	targets_emit(b, 1);
	build_open(b, PTOWSP_OP_WHILE, head, 0);
	return BUILD_DONE;
}

static uint32_t branches_begin(struct ptowsp_build *b, unsigned op, uint32_t operand1, uint32_t operand2, uint32_t branches)
{
	uint32_t head = build_emit_at(b, op, operand1, operand2);

	targets_emit(b, branches);
	build_open(b, op, head, 0);
	b->blocks[b->depth - 1].branches = branches;
	return BUILD_DONE;
}

uint32_t ptowsp_build_if(struct ptowsp_build *b, uint32_t condition)
{
	BUILD_CALL(b);
	uint32_t expr = build_expr(b, condition);

	build_code(b);
	build_evaluate(b, expr);
	return branches_begin(b, PTOWSP_OP_COND, 0, expr, 2);
}

static uint32_t steps_begin(struct ptowsp_build *b, unsigned op, uint32_t count)
{
	build_code(b);
	if (!count || count > UINT16_MAX)
		build_refuse(b, "%u branches or steps: 1 to %u are possible", count, UINT16_MAX);
	return branches_begin(b, op, count, 0, count);
}

uint32_t ptowsp_build_combine(struct ptowsp_build *b, uint32_t branches)
{
	BUILD_CALL(b);
	return steps_begin(b, PTOWSP_OP_COMBINE, branches);
}

uint32_t ptowsp_build_sequential(struct ptowsp_build *b, uint32_t steps)
{
	BUILD_CALL(b);
	return steps_begin(b, PTOWSP_OP_SEQUENTIAL, steps);
}

/* The current branch ends here. */
static void branch_end(struct ptowsp_build *b, struct build_block *block)
{
	lang_work_end(&b->tables, block->head + 1 + block->branch++);
}

/* The innermost body, whose code goes no further; what: "branch". */
static struct build_block *block_of(struct ptowsp_build *b, const char *what)
{
	build_code(b);
	if (b->call_open == b->depth)
		build_refuse(b, "the call in this %s is still open: ptowsp_build_call_end", what);
	return &b->blocks[b->depth - 1];
}

uint32_t ptowsp_build_else(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	struct build_block *block = block_of(b, "branch");

	if (block->op != PTOWSP_OP_COND || block->branch)
		build_refuse(b, "an else belongs to the innermost body, which must be an if without one");
	branch_end(b, block);
	return BUILD_DONE;
}

uint32_t ptowsp_build_next(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	struct build_block *block = block_of(b, "branch");

	if (block->op != PTOWSP_OP_COMBINE && block->op != PTOWSP_OP_SEQUENTIAL)
		build_refuse(b, "a next belongs to the innermost body, which must be combine or sequential");
	if (block->branch + 1 >= block->branches)
		build_refuse(b, "the body has %u branches or steps, and this is the last one", block->branches);
	branch_end(b, block);
	return BUILD_DONE;
}

uint32_t ptowsp_build_scope(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	build_code(b);
	build_open(b, PTOWSP_OP_SCOPE, build_emit_at(b, PTOWSP_OP_SCOPE, 0, 0), 0);
	return BUILD_DONE;
}

static void block_end(struct ptowsp_build *b, struct build_block *block)
{
	uint32_t here = b->tables.work_count;

	switch (block->op) {
	case PTOWSP_OP_HALT:
		build_emit(b, PTOWSP_OP_HALT, 0, 0);
		if (b->process != PTOWSP_NONE)
			build_debug(b, 0, here, b->processes[b->process].place);
		b->entry = b->process = PTOWSP_NONE;
		break;
	case PTOWSP_OP_WHILE: lang_work_end(&b->tables, block->head + 1); break;
	case PTOWSP_OP_COMBINE:
	case PTOWSP_OP_SEQUENTIAL:
		if (block->branch + 1 < block->branches)
			build_refuse(b, "the body has %u branches or steps, this is number %u", block->branches, block->branch + 1);
		branch_end(b, block);
		break;
	case PTOWSP_OP_COND:
		while (block->branch < 2)
			branch_end(b, block);
		break;
	default: lang_work_end(&b->tables, block->head);
	}
}

uint32_t ptowsp_build_end(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	struct build_block *block = block_of(b, "body");

	block_end(b, block);
	b->loops -= block->value;
	b->depth--;
	return BUILD_DONE;
}

uint32_t ptowsp_build_break(struct ptowsp_build *b)
{
	BUILD_CALL(b);
	uint32_t loops = b->loops;

	build_code(b);
	for (uint32_t i = 0; i < b->depth; i++)
		loops += b->blocks[i].op == PTOWSP_OP_WHILE;
	if (!loops)
		build_refuse(b, "there is no loop to leave");
	build_emit_at(b, PTOWSP_OP_BREAK, 0, 0);
	return BUILD_DONE;
}

/* ---- instructions of entries and processes, and what they evaluate. ---- */

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
		*COMMON_PUSH(b->arena, b->tables.debug, b->tables.debug_count, b->tables.debug_capacity) =
			(struct ptowsp_debug_record){.file = place.file, .kind = kind, .row = row, .line = place.line, .column = place.column};
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
	*COMMON_PUSH(b->arena, entry->values, entry->record.value_count, entry->value_capacity) = slot;
}

/* Looked at for the first time since the stamp was set. */
static bool is_new(struct ptowsp_build *b, uint32_t expr)
{
	while (b->seen_count <= expr)
		*BUILD_PUSH(b, seens, seen) = 0;
	if (b->seens[expr] == b->stamp)
		return false;
	b->seens[expr] = b->stamp;
	return true;
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
	if (b->entry != PTOWSP_NONE && !b->tables.stated && !b->entries[b->entry].stated)
		values_note(b, expr);
}

uint32_t build_region_row(struct ptowsp_build *b, uint32_t region)
{
	uint32_t row = build_row(b, BUILD_REGION, region);

	build_evaluate(b, b->tables.regions[row].row);
	build_evaluate(b, b->tables.regions[row].column);
	return row;
}
