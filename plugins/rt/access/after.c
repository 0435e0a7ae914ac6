/* SPDX-License-Identifier: MIT */
/* after.c - edges that the program states: which task, from an expression; live and counted as those that are inferred. */
#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"

static ptowsp_status word_lower(struct rt_program *program, const struct rt_nest *nest, const struct ptowsp_instruction *in, struct ptowsp_error *error)
{
	struct rt_after after = {.kind = in->operand1};
	ptowsp_status status;

	if (in->flags)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "a word of a task has flags %u", in->flags);
	if (in->operand1 > PTOWSP_AFTER_SOFT)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "after has the unknown kind %u; 0 after, 1 data, 2 barrier, 3 soft", in->operand1);
	status = rt_expr_compile(&program->exprs, &program->tables, in->operand2, nest, false, &after.task, error);
	if (!status && !COMMON_GROW(program->afters, program->after_room, program->after_count))
		status = rt_no_memory(error, "edges");
	if (!status)
		program->afters[program->after_count++] = after;
	return status;
}

ptowsp_status rt_site_after(struct rt_program *program, const struct rt_nest *nest, struct rt_site *site, uint32_t *next, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;
	ptowsp_status status = PTOWSP_OK;

	site->first_after = program->after_count;
	for (; !status && *next < tables->work.code_count && tables->work.code[*next].opcode == PTOWSP_OP_AFTER; ++*next)
		status = word_lower(program, nest, &tables->work.code[*next], error);
	site->after_count = program->after_count - site->first_after;
	return status;
}

bool rt_after_own(const struct rt_exprs *exprs, uint32_t id)
{
	const struct rt_expr *expr = &exprs->rows[id];
	const struct rt_node *nodes = &exprs->nodes[expr->first], *last = &nodes[expr->count - 1];
	const struct rt_node *a = last->op == PTOWSP_EXPR_ADD ? &nodes[last->a] : NULL, *b = a ? &nodes[last->b] : NULL;

	if (last->op == PTOWSP_EXPR_TASK)
		return true;
	if (!a)
		return false;
	return (a->op == PTOWSP_EXPR_TASK && b->op == PTOWSP_EXPR_CONST && b->value >= 0 && b->value < RT_FAR) ||
	       (b->op == PTOWSP_EXPR_TASK && a->op == PTOWSP_EXPR_CONST && a->value >= 0 && a->value < RT_FAR);
}

ptowsp_status rt_after_enter(struct rt_run *run, const struct rt_site *site)
{
	const struct rt_schedule *schedule = &run->program->schedule;
	bool used = schedule->hybrid || schedule->deps == PTOWSP_DEPS_EXPLICIT;
	char text[160];

	for (uint32_t i = 0; i < site->after_count; i++) {
		const struct rt_after *after = &run->program->afters[site->first_after + i];
		int64_t task = rt_value(&run->env, after->task);

		if (run->env.failed)
			return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, run->kernel, "task %llu, %s: an after divides by zero",
					  (unsigned long long)run->tasks,
					  rt_division_place(&run->env, &run->program->tables, site->instruction, text, sizeof(text)));
		if (task >= 0 && (uint64_t)task >= run->tasks)
			return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, run->kernel,
					  "task %llu, %s: after(%lld) names %s; an edge comes from an earlier task", (unsigned long long)run->tasks,
					  rt_position(&run->program->tables, site->instruction, text, sizeof(text)), (long long)task,
					  (uint64_t)task == run->tasks ? "the task itself" : "a later task");
		/* A stamp tells only tasks of the window apart. */
		if (used && task >= 0 && after->kind != PTOWSP_AFTER_SOFT && run->tasks - (uint64_t)task <= run->preds.span)
			rt_preds_add(&run->preds, rt_preds_stamp(&run->preds, (uint64_t)task));
	}
	return PTOWSP_OK;
}

void rt_after_tell(const struct rt_program *program)
{
	const struct rt_schedule *schedule = &program->schedule;

	if (program->after_count && !schedule->hybrid && schedule->deps != PTOWSP_DEPS_EXPLICIT)
		rt_diagnose(program, PTOWSP_FEATURE_OPCODE(PTOWSP_OP_AFTER),
			    "the program states edges, and the deps of its schedule uses only what it finds itself; deps=hybrid adds them");
}
