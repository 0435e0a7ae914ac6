/* SPDX-License-Identifier: MIT */
/* graph_control.c - instructions of a graph program in their order: branches, loops, launches, and what is one word of code. */
#include "lang/graph/graph_walk.h"

#include "format/graph/graph_read.h"

#define FOREVER (INT64_C(1) << 62) /* iterations of a CF_WHILE */

static void body_end(struct lang_graph_walk *walk, uint32_t head)
{
	walk->lower->tables->work[head].operand2 = walk->lower->tables->work_count;
}

static void if_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	uint32_t condition = lang_graph_expr(walk, inst->args[0].scalar), head = lang_graph_emit_at(walk, PTOWSP_OP_COND, 0, condition);

	lang_graph_emit(walk, PTOWSP_OP_TARGET, 0, 0);
	lang_graph_emit(walk, PTOWSP_OP_TARGET, 0, 0);
	lang_graph_nest(walk);
	walk->branches++;
	lang_graph_block_emit(walk, &inst->body);
	body_end(walk, head + 1);
	lang_graph_block_emit(walk, &inst->other);
	body_end(walk, head + 2);
	walk->branches--;
	walk->depth--;
}

static void break_emit(struct lang_graph_walk *walk, uint32_t condition)
{
	uint32_t head = lang_graph_emit_at(walk, PTOWSP_OP_COND, 0, condition);

	lang_graph_nest(walk);
	lang_graph_emit(walk, PTOWSP_OP_TARGET, 0, 0);
	lang_graph_emit(walk, PTOWSP_OP_TARGET, 0, 0);
	lang_graph_emit(walk, PTOWSP_OP_BREAK, 0, 0);
	walk->depth--;
	body_end(walk, head + 1);
	body_end(walk, head + 2);
}

static uint32_t axis_of(struct lang_graph_walk *walk, const char *name, uint32_t high)
{
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	struct ptowsp_axis_record axis = {.name = build_code_name(walk->lower->build, build_string(walk->lower->build, name)),
					  .kind = PTOWSP_AXIS_DENSE,
					  .low = lang_expr_const(exprs, 0),
					  .high = high,
					  .step = lang_expr_const(exprs, 1),
					  .levels = PTOWSP_NONE,
					  .row = PTOWSP_NONE,
					  .lengths = PTOWSP_NONE,
					  .indices = PTOWSP_NONE};

	return lang_axis_add(walk->lower->tables, &axis);
}

/* Iterations follow each other: a loop at this granularity is a sequence of kernels. CF_WHILE is such a loop that asks before each one. */
static void loop_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	int counted = inst->op == PTOWSP_CF_LOOP;
	struct lang_exprs *exprs = &walk->lower->tables->exprs;
	uint32_t high = counted ? lang_graph_expr(walk, inst->args[0].scalar) : lang_expr_const(exprs, FOREVER);
	uint32_t head = lang_graph_emit_at(walk, PTOWSP_OP_FOR_EACH, axis_of(walk, counted ? inst->args[1].object->name : "while", high), 0);

	lang_graph_nest(walk);
	walk->branches++;
	if (counted)
		walk->iterators[walk->iterator_count++] = (struct lang_graph_iterator){inst->args[1].object, walk->loops};
	walk->loops++;
	if (!counted)
		break_emit(walk, lang_expr_unary(exprs, PTOWSP_EXPR_LNOT, lang_graph_expr(walk, inst->args[0].scalar)));
	lang_graph_block_emit(walk, &inst->body);
	body_end(walk, head);
	walk->iterator_count -= counted ? 1 : 0;
	walk->loops--;
	walk->branches--;
	walk->depth--;
}

static void fence_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	lang_graph_emit_at(walk, PTOWSP_OP_FENCE, inst->args[0].value == PTOWSP_fence_scope_GM ? PTOWSP_FENCE_SYSTEM : PTOWSP_FENCE_DEVICE, 0);
}

/* A name means the same in the programs of all devices, whatever its number is in each. */
static uint32_t notification_of(const struct lang_graph_object *object)
{
	return object->numeric ? object->number : pkg_graph_notification(object->name);
}

static void notify_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst, unsigned opcode)
{
	if (inst->args[0].value > UINT16_MAX) {
		lang_error(walk->lower->unit, inst->args[0].at, "there is no device %llu; devices of a run are numbered from 0, at most to %u",
			   (unsigned long long)inst->args[0].value, UINT16_MAX);
		return;
	}
	lang_graph_emit_at(walk, opcode, (uint32_t)inst->args[0].value, notification_of(inst->args[1].object));
}

static void launch_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	struct lang_graph_launch *outer = walk->launch;
	uint32_t iteration = walk->iteration;

	if (inst->op == PTOWSP_TG_INVOKE)
		iteration = lang_graph_expr(walk, inst->args[1].scalar);
	walk->launch = lang_graph_launch_of(walk->lowering, inst);
	walk->iteration = iteration;
	walk->open_count = walk->barrier_count = 0;
	if (inst->op == PTOWSP_MC_COPY)
		lang_graph_copy_emit(walk, inst);
	else if (inst->op == PTOWSP_TG_CHECKPOINT || inst->op == PTOWSP_TG_RESTORE)
		lang_graph_checkpoint_emit(walk, inst);
	else
		lang_graph_block_emit(walk, walk->launch->graph->body);
	walk->launch = outer;
	walk->iteration = lang_expr_const(&walk->lower->tables->exprs, 0);
}

static void inst_emit(struct lang_graph_walk *walk, const struct lang_graph_inst *inst)
{
	walk->at = inst->at;
	switch (inst->op) {
	case PTOWSP_TG_KERNEL: lang_graph_kernel_emit(walk, lang_graph_kernel(inst->args[0].object)); break;
	case PTOWSP_MC_COPY:
		if (walk->launch)
			lang_graph_copy_emit(walk, inst);
		else
			launch_emit(walk, inst);
		break;
	case PTOWSP_TG_LAUNCH:
	case PTOWSP_TG_INVOKE:
	case PTOWSP_TG_CHECKPOINT:
	case PTOWSP_TG_RESTORE: launch_emit(walk, inst); break;
	case PTOWSP_MC_FREE: lang_graph_free_emit(walk, inst); break;
	case PTOWSP_MC_FENCE: fence_emit(walk, inst); break;
	case PTOWSP_SY_NOTIFY: notify_emit(walk, inst, PTOWSP_OP_NOTIFY); break;
	case PTOWSP_SY_WAIT_NOTIFY: notify_emit(walk, inst, PTOWSP_OP_WAIT_NOTIFY); break;
	case PTOWSP_CF_IF: if_emit(walk, inst); break;
	case PTOWSP_CF_LOOP:
	case PTOWSP_CF_WHILE: loop_emit(walk, inst); break;
	case PTOWSP_CF_BREAK: break_emit(walk, lang_graph_expr(walk, inst->args[0].scalar)); break;
	default: break; /* definitions, edges, hints: no code of their own */
	}
}

void lang_graph_block_emit(struct lang_graph_walk *walk, const struct lang_graph_block *block)
{
	uint32_t homes = lang_graph_homes_find(walk, block);

	for (const struct lang_graph_inst *inst = block->first; inst; inst = inst->next) {
		if (homes)
			lang_graph_wants_emit(walk, block, inst);
		inst_emit(walk, inst);
	}
}
