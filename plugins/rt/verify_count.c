/* SPDX-License-Identifier: MIT */
/* verify_count.c - how many tasks an entry can have made at most when a place is reached; edges to tasks that cannot be earlier. */
#include "rt/error.h"
#include "rt/run.h"
#include "rt/verifier.h"

static uint64_t add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
	return a && b > UINT64_MAX / a ? UINT64_MAX : a * b;
}

/* `tasks` come before the task of that instruction, at most. */
static ptowsp_status later(struct rt_verifier *v, uint32_t at, int64_t task, uint64_t tasks)
{
	char text[160];

	return rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: after(%lld) cannot name an earlier task: at most %llu come before",
		       rt_position(&v->program->tables, at, text, sizeof(text)), (long long)task, (unsigned long long)tasks);
}

ptowsp_status rt_verify_count_task(struct rt_verifier *v, const struct rt_site *site)
{
	const struct rt_program *program = v->program;
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t i = 0; !st && i < site->after_count; i++) {
		uint32_t expr = program->afters[site->first_after + i].task;
		int64_t task = -1;

		if (rt_after_own(&program->exprs, expr))
			st = rt_fail(v->error, PTOWSP_BAD_PACKAGE, "%s: after names the task itself or a later one, whatever the run", rt_verifier_here(v));
		else if (!rt_expr_known(&program->exprs, expr, &task) || task < 0)
			continue;
		else if (!v->loops && (uint64_t)task >= v->tasks)
			st = later(v, v->at, task, v->tasks);
		else if (v->loops && task > v->after)
			v->after = task, v->after_at = v->at;
	}
	v->tasks = add(v->tasks, 1);
	return st;
}

/* Behind the outermost loop all tasks of it are counted, and the last of them has all others before it. */
ptowsp_status rt_verify_count_loop(struct rt_verifier *v, const struct rt_body *body)
{
	uint64_t inside = v->tasks - body->before;
	int64_t after = v->after;

	v->tasks = body->before == UINT64_MAX ? UINT64_MAX : add(body->before, times(inside, v->tasks == UINT64_MAX ? UINT64_MAX : body->times));
	if (--v->loops || after < 0)
		return PTOWSP_OK;
	v->after = -1;
	return (uint64_t)after + 1 >= v->tasks ? later(v, v->after_at, after, v->tasks ? v->tasks - 1 : 0) : PTOWSP_OK;
}
