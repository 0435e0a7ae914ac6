/* SPDX-License-Identifier: MIT */
/* after.c - edges that the program states: which task, from an expression; live and counted as those that are inferred. */
#include "registry/common/common_grow.h"
#include "rt/program/rt_verify.h"
#include "rt/run/rt_run.h"

ptowsp_status rt_site_after(struct rt_verifier *v, struct rt_site *site)
{
	const struct rt_tables *tables = &v->program->tables;
	ptowsp_status status = PTOWSP_OK;

	site->first_after = v->program->after_count;
	for (; !status && v->next < tables->work.code_count && tables->work.code[v->next].opcode == PTOWSP_OP_AFTER; v->next++) {
		const struct ptowsp_instruction *in = rt_verifier_word(v, v->next);
		struct rt_after after = {.kind = in->operand1};

		if (in->flags)
			return RT_REFUSE(v, "a word of a task has flags %u", in->flags);
		if (in->operand1 > PTOWSP_AFTER_SOFT)
			return RT_REFUSE(v, "after has the unknown kind %u; 0 after, 1 data, 2 barrier, 3 soft", in->operand1);
		status = rt_verifier_expr(v, in->operand2, &after.task);
		if (!status)
			status = RT_APPEND(v, afters, after_count, after_room, after);
	}
	site->after_count = v->program->after_count - site->first_after;
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
