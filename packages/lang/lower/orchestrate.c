/* SPDX-License-Identifier: MIT */
/* orchestrate.c - an orchestration as workload bytecode. Orchestrations that are called are expanded in place. */
#include "lang/lower/lang_lower.h"
#include "lang/tensor.h"
#include "registry/common/common_dtype.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

/* One function being expanded. */
struct frame {
	const struct lang_function *function;
	const struct frame *caller;
	struct lang_binding *memrefs;
	uint32_t *values; /* EXPR row per variable, PTOWSP_NONE while there is none */
};

struct walk {
	struct lang_lower *lower;
	uint32_t depth, loops;        /* open loops and branches; open loops */
	struct lang_level_set levels; /* in force */
	uint8_t expanded;             /* all of it is expanded in a workload */
};

static void block_lower(struct walk *walk, struct frame *frame, const struct lang_block *block);

/* --- scalars --- */

/* A scalar that comes from outside and was bound by no caller: this is the entry, its symbol must be set. */
static uint32_t need_expr(struct walk *walk, const struct frame *frame, const struct lang_var *var)
{
	assert(!frame->caller && var->symbol);
	lang_value_use(walk->lower, var->symbol->row);
	return lang_expr_value(&walk->lower->tables->exprs, var->symbol->row);
}

static bool is_slot(const struct lang_var *var)
{
	return var->kind == LANG_SCALAR && !var->pure && (var->writes || !var->needed);
}

static uint32_t var_expr(struct walk *walk, struct frame *frame, const struct lang_var *var)
{
	if (is_slot(var))
		return lang_expr_value(&walk->lower->tables->exprs, var->slot);
	if (frame->values[var->id] == PTOWSP_NONE)
		frame->values[var->id] = need_expr(walk, frame, var);
	return frame->values[var->id];
}

static uint32_t operand_expr(struct walk *walk, struct frame *frame, const struct lang_operand *operand)
{
	if (operand->kind == LANG_OPERAND_NUMBER)
		return lang_expr_const(&walk->lower->tables->exprs, operand->value);
	return var_expr(walk, frame, operand->var);
}

static void scalar_set(struct walk *walk, struct frame *frame, const struct lang_var *var, uint32_t expr, struct lang_span at)
{
	if (is_slot(var))
		lang_word_add_at(walk->lower, PTOWSP_OP_SLOT_SET, var->slot, expr, at);
	else
		frame->values[var->id] = expr;
}

static void scalar_lower(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt)
{
	static const struct {
		uint8_t op, expr;
	} ops[] = {{PTOWSP_PTO_ADD, PTOWSP_EXPR_ADD}, {PTOWSP_PTO_SUB, PTOWSP_EXPR_SUB}, {PTOWSP_PTO_MUL, PTOWSP_EXPR_MUL}, {PTOWSP_PTO_DIV, PTOWSP_EXPR_DIV}};
	static const uint8_t compares[] = {[PTOWSP_COMPARE_EQ] = PTOWSP_EXPR_EQ, [PTOWSP_COMPARE_NE] = PTOWSP_EXPR_NE, [PTOWSP_COMPARE_LT] = PTOWSP_EXPR_LT,
					   [PTOWSP_COMPARE_LE] = PTOWSP_EXPR_LE, [PTOWSP_COMPARE_GT] = PTOWSP_EXPR_GT, [PTOWSP_COMPARE_GE] = PTOWSP_EXPR_GE};
	uint32_t a = operand_expr(walk, frame, &stmt->operands[1]), b;

	if (stmt->count == 3) {
		unsigned op = stmt->op == PTOWSP_PTO_CMP ? compares[stmt->mode] : 0;

		b = operand_expr(walk, frame, &stmt->operands[2]);
		for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
			if (ops[i].op == stmt->op)
				op = ops[i].expr;
		a = lang_binary_at(walk->lower, op, a, b, stmt->at);
	}
	scalar_set(walk, frame, stmt->operands[0].var, a, stmt->at);
}

static int starts(const struct lang_var *var, int outside)
{
	return is_slot(var) && var->writes && (outside ? var->needed : !var->needed && var->conditional);
}

/* The variable of the lowest slot from `least` on that starts in that way; NULL: there is none. */
static const struct lang_var *start_next(const struct lang_function *function, uint32_t least, int outside)
{
	const struct lang_var *next = NULL;

	for (uint32_t i = 0; i < function->var_count; i++)
		if (starts(function->vars[i], outside) && function->vars[i]->slot >= least && (!next || function->vars[i]->slot < next->slot))
			next = function->vars[i];
	return next;
}

/* Slots that a function may read before its own assignment: what comes from outside, then those that are 0, each by slot: in what order they are
 * declared is not said. */
static void slots_start(struct walk *walk, struct frame *frame)
{
	for (int outside = 1; outside >= 0; outside--) {
		const struct lang_var *var = start_next(frame->function, 0, outside);

		for (; var; var = start_next(frame->function, var->slot + 1, outside)) {
			uint32_t expr = outside ? frame->values[var->id] : lang_expr_const(&walk->lower->tables->exprs, 0);

			if (expr == PTOWSP_NONE)
				expr = need_expr(walk, frame, var);
			lang_word_add_at(walk->lower, PTOWSP_OP_SLOT_SET, var->slot, expr, var->at);
		}
	}
}

/* --- regions and tasks --- */

static uint32_t region_add(struct walk *walk, uint32_t tensor, uint32_t row, uint32_t column, uint32_t unit)
{
	struct ptowsp_region_record region = {.tensor = tensor, .row = row, .column = column, .unit = unit};

	return lang_region_add(walk->lower->tables, &region);
}

/* Elements per row step of a CALL tuple: the callee's tile; rows of the base level inside a loop with tile levels. */
static uint32_t unit_of(const struct walk *walk, const struct lang_var *param)
{
	uint32_t unit = (walk->levels.stated ? LANG_LEVEL_ROWS : param->rows) * param->columns;

	return unit ? unit : 1;
}

static void param_emit(struct walk *walk, uint32_t argument, uint32_t expr, struct lang_span at)
{
	if (lang_argument_add(walk->lower->tables, argument, expr) == PTOWSP_NONE)
		lang_too_large(walk->lower, at);
}

/* A memref of the function lies where the caller's part begins, or at the beginning of a declared tensor. */
static struct lang_binding binding_of(struct walk *walk, const struct frame *frame, const struct lang_var *memref)
{
	if (!memref->decl)
		return frame->memrefs[memref->number];
	lang_tensor_use(walk->lower, (const struct lang_tensor *)memref->decl);
	return (struct lang_binding){memref->decl->row, lang_expr_const(&walk->lower->tables->exprs, 0)};
}

static void task_emit(struct walk *walk, struct lang_function *kernel, struct lang_span at)
{
	lang_word_add_at(walk->lower, PTOWSP_OP_TASK, build_kernel_listed(walk->lower->build, kernel->kernel), kernel->need_count << 16 | kernel->memref_count,
			 at);
}

/* --- calls --- */

/* Checking found an argument for every memref. */
static const struct lang_arg *arg_of(const struct lang_stmt *stmt, const struct lang_var *param)
{
	assert(stmt->bound[param->id]);
	return stmt->bound[param->id];
}

/* The value of a scalar that the callee needs; an integer for a float is converted. */
static uint32_t passed_expr(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt, uint32_t need)
{
	const struct lang_operand *given = stmt->needs[need];
	const uint16_t dtype = stmt->target->needs[need]->type.dtype;
	const uint32_t row = operand_expr(walk, frame, given);

	if (common_dtype_class(dtype) != 'f' || given->kind != LANG_OPERAND_NAME || common_dtype_class(given->var->type.dtype) == 'f')
		return row;
	return lang_expr_float(&walk->lower->tables->exprs, row, dtype);
}

static void kernel_call(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt)
{
	struct lang_function *target = stmt->target;
	uint32_t zero = lang_expr_const(&walk->lower->tables->exprs, 0);

	if (walk->levels.stated)
		lang_variants_note(walk->lower, stmt, &walk->levels);
	task_emit(walk, target, stmt->at);
	for (uint32_t i = 0; i < target->need_count; i++)
		param_emit(walk, i, passed_expr(walk, frame, stmt, i), stmt->at);
	for (uint32_t i = 0; i < target->memref_count; i++) {
		const struct lang_arg *arg = arg_of(stmt, target->memrefs[i]);
		const struct lang_binding to = binding_of(walk, frame, arg->actual.var);
		uint32_t row = arg->tuple ? operand_expr(walk, frame, &arg->row) : zero;
		uint32_t column = arg->tuple ? operand_expr(walk, frame, &arg->column) : zero;

		lang_view_note(walk->lower, &(struct lang_viewing){.kernel = target->kernel,
								   .name = target->name,
								   .count = target->memref_count,
								   .tensor = i,
								   .param = target->memrefs[i]->name,
								   .flat = 1,
								   .at = arg->at});
		column = lang_expr_binary(&walk->lower->tables->exprs, PTOWSP_EXPR_ADD, to.base, column);
		lang_word_add(walk->lower, lang_io_word(target->memrefs[i]->access), i,
			      region_add(walk, to.tensor, row, column, unit_of(walk, target->memrefs[i])), stmt->at);
	}
}

static struct frame *frame_create(struct walk *walk, const struct lang_function *function, const struct frame *caller)
{
	struct common_arena *arena = &walk->lower->unit->arena;
	struct frame *frame = common_alloc(arena, sizeof(*frame));

	frame->function = function;
	frame->caller = caller;
	frame->memrefs = common_alloc(arena, (function->memref_count + 1) * sizeof(*frame->memrefs));
	frame->values = common_alloc(arena, (function->var_count + 1) * sizeof(*frame->values));
	for (uint32_t i = 0; i < function->var_count; i++)
		frame->values[i] = PTOWSP_NONE;
	return frame;
}

/* Records the arguments of the call, in terms of the caller's own tensors and values. */
static uint32_t call_record(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt, const uint32_t *needs)
{
	struct lang_lower *lower = walk->lower;
	struct lang_exprs *exprs = &lower->tables->exprs;
	const struct lang_function *target = stmt->target;
	uint32_t record = lang_call_begin(lower, frame->function->entry, target->entry);

	for (uint32_t i = 0; i < target->memref_count; i++) {
		const struct lang_arg *arg = arg_of(stmt, target->memrefs[i]);

		lang_call_tensor(lower, record, arg->actual.var->decl ? arg->actual.var->decl->row : frame->function->tensors[arg->actual.var->number],
				 arg->tuple ? operand_expr(walk, frame, &arg->row) : lang_expr_const(exprs, 0),
				 arg->tuple ? operand_expr(walk, frame, &arg->column) : lang_expr_const(exprs, 0));
	}
	lang_call_scalars(lower, record, target, needs);
	return record;
}

/* An orchestration inside another one: its memrefs begin where the tuples say. */
static void orchestration_call(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	const struct lang_function *target = stmt->target;
	struct frame *inner = frame_create(walk, target, frame);
	uint32_t *needs = common_alloc(&walk->lower->unit->arena, (target->need_count + 1) * sizeof(*needs));
	uint32_t record = PTOWSP_NONE;

	lang_expansion_count(walk->lower, stmt->at);
	for (uint32_t i = 0; i < target->memref_count; i++) {
		const struct lang_arg *arg = arg_of(stmt, target->memrefs[i]);

		inner->memrefs[i] = binding_of(walk, frame, arg->actual.var);
		if (arg->tuple) {
			uint32_t unit = lang_expr_const(exprs, unit_of(walk, target->memrefs[i]));
			uint32_t row = lang_expr_binary(exprs, PTOWSP_EXPR_MUL, operand_expr(walk, frame, &arg->row), unit);
			uint32_t start = lang_expr_binary(exprs, PTOWSP_EXPR_ADD, row, operand_expr(walk, frame, &arg->column));

			inner->memrefs[i].base = lang_expr_binary(exprs, PTOWSP_EXPR_ADD, inner->memrefs[i].base, start);
		}
	}
	for (uint32_t i = 0; i < target->need_count; i++)
		needs[i] = inner->values[target->needs[i]->id] = passed_expr(walk, frame, stmt, i);
	if (!frame->caller && !walk->expanded) /* calls inside of what is expanded are said where that is an entry of its own */
		record = call_record(walk, frame, stmt, needs);
	slots_start(walk, inner);
	block_lower(walk, inner, &target->body);
	if (record != PTOWSP_NONE)
		lang_call_end(walk->lower, record);
}

/* --- loops and branches --- */

static void nest(struct walk *walk, struct lang_span at)
{
	if (++walk->depth > PTOWSP_NESTING_LIMIT)
		lang_too_deep(walk->lower->unit, at, " when calls are expanded");
}

static uint32_t axis_add(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt)
{
	struct lang_lower *lower = walk->lower;
	uint32_t name = build_code_name(lower->build, build_string(lower->build, stmt->operands[0].text)), bounds[3];

	for (unsigned i = 0; i < 3; i++)
		bounds[i] = operand_expr(walk, frame, &stmt->operands[1 + i]);
	return lang_axis_dense(lower->tables, name, bounds[0], bounds[1], bounds[2], lang_levels_row(lower, stmt->levels));
}

static void for_lower(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt)
{
	const struct lang_var *value = stmt->operands[0].var;
	uint32_t head = lang_word_add_at(walk->lower, PTOWSP_OP_PARALLEL_FOR, axis_add(walk, frame, stmt), 0, stmt->at);
	struct walk outer = *walk;

	nest(walk, stmt->at);
	if (stmt->levels)
		lang_levels_enter(&walk->levels, stmt->levels);
	frame->values[value->id] = lang_expr_loop(&walk->lower->tables->exprs, walk->loops++);
	block_lower(walk, frame, &stmt->body);
	frame->values[value->id] = PTOWSP_NONE;
	*walk = outer;
	lang_work_end(walk->lower->tables, head);
}

static uint32_t condition_expr(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	uint32_t value = operand_expr(walk, frame, &stmt->operands[0]);

	if (!stmt->mode)
		return value;
	return lang_expr_binary(exprs, PTOWSP_EXPR_AND, value, lang_expr_const(exprs, UINT64_C(1) << (stmt->mode - 1)));
}

static void if_lower(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt)
{
	uint32_t head = lang_word_add_at(walk->lower, PTOWSP_OP_COND, 0, condition_expr(walk, frame, stmt), stmt->at);

	lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, 0, stmt->at);
	lang_word_add(walk->lower, PTOWSP_OP_TARGET, 0, 0, stmt->at);
	nest(walk, stmt->at);
	block_lower(walk, frame, &stmt->body);
	lang_work_end(walk->lower->tables, head + 1);
	block_lower(walk, frame, &stmt->other);
	lang_work_end(walk->lower->tables, head + 2);
	walk->depth--;
}

static void load_lower(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt)
{
	const struct lang_binding from = binding_of(walk, frame, stmt->operands[1].var);
	uint32_t index = operand_expr(walk, frame, &stmt->operands[2]);

	lang_word_add_at(walk->lower, PTOWSP_OP_SLOT_LOAD, stmt->operands[0].var->slot, region_add(walk, from.tensor, index, from.base, 1), stmt->at);
}

static void stmt_lower(struct walk *walk, struct frame *frame, const struct lang_stmt *stmt)
{
	switch (stmt->op) {
	case PTOWSP_PTO_FOR: for_lower(walk, frame, stmt); break;
	case PTOWSP_PTO_IF: if_lower(walk, frame, stmt); break;
	case PTOWSP_PTO_CALL:
		if (stmt->target->kind == LANG_INCORE)
			kernel_call(walk, frame, stmt);
		else
			orchestration_call(walk, frame, stmt);
		break;
	case PTOWSP_PTO_LOAD: load_lower(walk, frame, stmt); break;
	case PTOWSP_PTO_RETURN: /* at the end only */
	case PTOWSP_PTO_YIELD: break;
	default: scalar_lower(walk, frame, stmt); break;
	}
}

static void block_lower(struct walk *walk, struct frame *frame, const struct lang_block *block)
{
	for (const struct lang_stmt *stmt = block->first; stmt; stmt = stmt->next)
		stmt_lower(walk, frame, stmt);
}

void lang_entry_lower(struct lang_lower *lower, struct lang_function *function)
{
	struct walk walk = {.lower = lower};
	struct frame *frame = frame_create(&walk, function, NULL);

	for (uint32_t i = 0; i < function->memref_count; i++)
		frame->memrefs[i] = (struct lang_binding){function->tensors[i], lang_expr_const(&lower->tables->exprs, 0)};
	slots_start(&walk, frame);
	block_lower(&walk, frame, &function->body);
	lang_word_add(walk.lower, PTOWSP_OP_HALT, 0, 0, function->at);
}

void lang_orchestration_lower(struct lang_lower *lower, const struct lang_function *function, const struct lang_binding *memrefs, const uint32_t *needs,
			      uint32_t depth, uint32_t loops, const struct lang_level_set *levels)
{
	struct walk walk = {.lower = lower, .depth = depth, .loops = loops, .levels = *levels, .expanded = 1};
	struct frame *frame = frame_create(&walk, function, NULL);

	memcpy(frame->memrefs, memrefs, function->memref_count * sizeof(*memrefs));
	for (uint32_t i = 0; i < function->need_count; i++)
		frame->values[function->needs[i]->id] = needs[i];
	slots_start(&walk, frame);
	block_lower(&walk, frame, &function->body);
}
