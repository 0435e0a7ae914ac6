/* SPDX-License-Identifier: MIT */
/* generate_init.c - making and unmaking what several instances share; which programs they can run. */
#include <stdlib.h>
#include "rt/rt_error.h"
#include "rt/generate.h"

static ptowsp_status refuse(const struct rt_run *run, uint32_t at, const char *what)
{
	char text[160];

	return rt_fail(run->error, PTOWSP_UNSUPPORTED, "%s: %s needs one scheduler instance, this run has %u; use schedulers=1",
		       at == PTOWSP_NONE ? "the program" : rt_position(&run->program->tables, at, text, sizeof(text)), what, run->schedulers);
}

ptowsp_status rt_generate_check(const struct rt_run *run)
{
	const struct rt_program *program = run->program;
	ptowsp_status st = PTOWSP_OK;

	if (run->schedulers > RT_SKIP_LIMIT)
		return rt_fail(run->error, PTOWSP_INVALID, "%u scheduler instances; there can be %u", run->schedulers, RT_SKIP_LIMIT);
	if (program->tables.entry.rows[program->entry].flags & PTOWSP_ENTRY_PIPELINE)
		return refuse(run, PTOWSP_NONE, "a pipeline of processes");
	if (program->schedule.interleaved)
		return refuse(run, PTOWSP_NONE, "timing=interleaved");
	if (run->args->flags & PTOWSP_RUN_STRICT && !rt_schedule_safe(&program->schedule))
		return refuse(run, PTOWSP_NONE, "the check of --strict");
	for (uint32_t k = 0; !st && k < program->site_count; k++)
		if (program->sites[k].renamed)
			st = refuse(run, program->sites[k].instruction, "a temp tensor with versions");
	for (uint32_t i = 0; !st && i < program->tables.work.code_count; i++) {
		const struct rt_ins *in = &program->code[i];

		if (in->op == PTOWSP_OP_SIGNAL || in->op == PTOWSP_OP_WAIT || in->op == PTOWSP_OP_FENCE)
			st = refuse(run, i, "an event or fence");
		else if (in->op == PTOWSP_OP_NOTIFY || in->op == PTOWSP_OP_WAIT_NOTIFY)
			st = refuse(run, i, "a notification between devices");
		else if (in->op == PTOWSP_OP_ALLOC || in->op == PTOWSP_OP_FREE)
			st = refuse(run, i, "memory that is allocated");
		else if (in->op == PTOWSP_OP_SLOT_LOAD && program->tensor_access[program->ios[in->row].tensor] & PTOWSP_WRITE)
			st = refuse(run, i, "a slot that is loaded from what tasks write");
	}
	return st;
}

static ptowsp_status map_make(struct rt_generate *g)
{
	const struct rt_run_args args = {.args = g->run->args, .cancel = g->run->cancel, .fixed_map = g->run->fixed_map};
	ptowsp_status st;

	g->map = calloc(1, sizeof(*g->map));
	if (!g->map)
		return rt_no_memory(g->run->error, "the tensor map");
	g->map->quiet = true;
	st = rt_run_init(g->map, g->run->program, &args, g->run->error);
	g->map->window = 4 * g->window;
	return st ? st : rt_infer_init(g->map);
}

ptowsp_status rt_generate_init(struct rt_generate *g, struct rt_run *run, struct rt_pool *pool)
{
	size_t tensors = (size_t)run->program->tables.tensor.count + 1;
	ptowsp_status st;

	g->run = run;
	g->count = run->schedulers;
	g->threads = run->kernels ? rt_pool_threads(pool) : 1;
	g->safe = run->program->schedule.built;
	g->started = !g->safe;
	g->window = run->window * g->count;
	g->failed = UINT64_MAX;
	g->mask = 4095;
	while (g->mask + 1 < 4 * g->window)
		g->mask = 2 * g->mask + 1;
	g->marks = calloc(g->mask + 1, sizeof(*g->marks));
	g->numbers = calloc(g->mask + 1, sizeof(*g->numbers));
	g->schedulers = calloc(g->count, sizeof(*g->schedulers));
	g->readers = calloc(tensors, sizeof(*g->readers));
	g->writers = calloc(tensors, sizeof(*g->writers));
	if (!g->marks || !g->numbers || !g->schedulers || !g->readers || !g->writers)
		return rt_no_memory(run->error, "scheduler instances");
	st = map_make(g);
	for (uint32_t p = 0; !st && p < g->count; p++)
		st = rt_scheduler_init(&g->schedulers[p], run, p, g->count);
	if (!st)
		rt_generate_sets(g);
	return st;
}

void rt_generate_finish(struct rt_generate *g)
{
	for (uint32_t p = 0; g->schedulers && p < g->count; p++)
		rt_scheduler_finish(&g->schedulers[p]);
	if (g->map && g->map->program)
		rt_run_finish(g->map);
	free(g->map);
	free(g->schedulers);
	free(g->marks);
	free(g->numbers);
	free(g->readers);
	free(g->writers);
}
