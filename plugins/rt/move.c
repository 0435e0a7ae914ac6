/* SPDX-License-Identifier: MIT */
#include "rt/move.h"

#include <stdlib.h>
#include "rt/error.h"
#include "rt/feed.h"
#include "rt/grow.h"
#include "rt/stuck.h"

const struct rt_move *rt_move_of(const struct rt_program *program, uint32_t instruction)
{
	return program->code[instruction].count ? &program->moves[program->code[instruction + 1].row] : NULL;
}

/* ---- where ----------------------------------------------------------------------------------------------------- */

static ptowsp_status failed(struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_move *move, const char *what)
{
	struct rt_run *run = pipeline->run;

	return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX, "process %.40s, channel %.40s: the region in tensor %.40s %s",
			  rt_process_name(run->program, instance->process), rt_channel_name(run->program, move->channel),
			  rt_tensor_name(run->program, run->program->ios[move->io].tensor), what);
}

static ptowsp_status outside(struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_move *move, int64_t row, int64_t column)
{
	struct rt_run *run = pipeline->run;
	const struct rt_io *io = &run->program->ios[move->io];
	const struct rt_tensor *tensor = &run->tensors.rows[io->tensor];

	return rt_fail_at(run->error, PTOWSP_RUN_FAILED, run->tasks, UINT64_MAX,
			  "process %.40s, channel %.40s: %u x %u elements at %lld, %lld are outside tensor %.40s, which is %lld x %lld",
			  rt_process_name(run->program, instance->process), rt_channel_name(run->program, move->channel), io->rows, io->columns,
			  (long long)row, (long long)column, rt_tensor_name(run->program, io->tensor), (long long)tensor->rows,
			  (long long)tensor->columns);
}

static bool fits(int64_t at, uint32_t size, int64_t extent)
{
	return at >= 0 && at <= extent - (int64_t)size;
}

static ptowsp_status resolve(struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_move *move, struct rt_access *access)
{
	static const struct rt_footprint nothing = {0};
	struct rt_run *run = pipeline->run;
	const struct rt_io *io = &run->program->ios[move->io];
	const struct rt_tensor *tensor = &run->tensors.rows[io->tensor];
	int64_t row = rt_value(&run->env, io->row), column = rt_value(&run->env, io->column);

	if (run->env.failed)
		return failed(pipeline, instance, move, "divides by zero");
	if (run->bodies && !tensor->bound)
		return failed(pipeline, instance, move, "is bound to no memory");
	if (io->checked && !(fits(row, io->rows, tensor->rows) && fits(column, io->columns, tensor->columns)))
		return outside(pipeline, instance, move, row, column);
	return rt_access_resolve(access, run->program, &run->tensors, &run->env, io, 0, &nothing, 0, PTOWSP_NONE, run->error);
}

ptowsp_status rt_move_resolve(struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_move *move,
			      struct rt_access *access)
{
	const struct rt_expand *expand = &pipeline->run->expand;
	ptowsp_status st = resolve(pipeline, instance, move, access);

	if (!st)
		return PTOWSP_OK;
	return rt_error_place(&pipeline->run->program->tables,
			      instance->standing == RT_SENDING ? rt_stuck_at(pipeline, pipeline->turn) : expand->frames[expand->depth - 1].at, st,
			      pipeline->run->error);
}

/* ---- when ------------------------------------------------------------------------------------------------------ */

/* A region may be millions of pieces, so deadline and cancel are looked at between them. */
struct looking {
	struct rt_pipeline *pipeline;
	struct rt_trail trail;
	uint64_t *writers;   /* of what is sent, or all that touch where something arrives, for an engine: it may have ended those and not all tasks before them */
	uint32_t writer_count, writer_room;
	bool writes, listed, arrives;
	uint32_t pieces;
	ptowsp_status st;
};
#define LOOK_EVERY 1024u

static bool go_on(struct looking *looking)
{
	if (!looking->st && ++looking->pieces % LOOK_EVERY == 0)
		looking->st = rt_look(looking->pipeline->run);
	return !looking->st;
}

/* Neighbours mostly have the same few. */
enum { LATEST = 8 };

static void writer_add(void *context, uint64_t writer)
{
	struct looking *looking = context;

	for (uint32_t i = looking->writer_count; i-- && looking->writer_count - i <= LATEST;)
		if (looking->writers[i] == writer - 1)
			return;
	if (!rt_grow((void **)&looking->writers, &looking->writer_room, looking->writer_count, sizeof(*looking->writers)))
		looking->st = rt_no_memory(looking->pipeline->run->error, "what payload channels follow");
	else
		looking->writers[looking->writer_count++] = writer - 1;
}

static bool piece_join(void *context, uint32_t tensor, int64_t first, int64_t last)
{
	struct looking *looking = context;

	if (looking->listed && looking->arrives)
		looking->listed = rt_trails_touchers(&looking->pipeline->trails, tensor, first, last, looking->pipeline->turn, writer_add, looking);
	else if (looking->listed)
		rt_trails_writers(&looking->pipeline->trails, tensor, first, last, writer_add, looking);
	rt_trails_join(&looking->pipeline->trails, tensor, first, last, &looking->trail);
	return go_on(looking);
}

/* The tasks by name, or, if those are too many, all before a number. */
static ptowsp_status feed_put(const struct looking *looking, uint64_t tasks)
{
	uint32_t count = looking->listed ? looking->writer_count : 0;

	return rt_feed_put_follow(looking->pipeline->run->lag.feed, looking->listed && !count ? 0 : tasks, looking->writers, count);
}

ptowsp_status rt_move_follow(struct rt_pipeline *pipeline, const struct rt_access *access)
{
	struct rt_run *run = pipeline->run;
	bool arrives = access->io->access & PTOWSP_WRITE;
	struct looking looking = {.pipeline = pipeline, .arrives = arrives, .listed = run->lag.feed && (!arrives || pipeline->trails.named)};
	uint64_t end, tasks;

	rt_access_visit(access, &run->tensors, access->io->access, piece_join, &looking);
	tasks = arrives ? looking.trail.touched : looking.trail.wrote;
	end = arrives ? looking.trail.touched_end : looking.trail.wrote_end;
	if (!looking.st && run->lag.feed && feed_put(&looking, tasks))
		looking.st = rt_no_memory(run->error, "items");
	free(looking.writers);
	if (looking.st)
		return looking.st;
	if (end > run->clock.now)
		run->clock.now = end;
	return run->kernels ? rt_wait_tasks(run, tasks) : PTOWSP_OK;
}

/* ---- tasks ----------------------------------------------------------------------------------------------------- */

static bool piece_enter(void *context, uint32_t tensor, int64_t first, int64_t last)
{
	struct looking *looking = context;
	struct rt_run *run = looking->pipeline->run;

	if (!rt_trails_enter(&looking->pipeline->trails, tensor, first, last, run->tasks, run->clock.now, looking->writes))
		looking->st = rt_no_memory(run->error, "what payload channels follow");
	return go_on(looking);
}

/* Of the first tasks so many are over on every thread. */
static uint64_t over(const struct rt_run *run)
{
	return run->kernels && run->crew.sharing ? run->crew.ring.frontier : run->tasks;
}

ptowsp_status rt_move_task(struct rt_pipeline *pipeline, const struct rt_site *site)
{
	struct looking looking = {.pipeline = pipeline};
	struct rt_run *run = pipeline->run;
	const struct rt_access *accesses = rt_run_accesses(run);

	for (uint32_t i = 0; !looking.st && i < site->io_count; i++) {
		const struct rt_io *io = accesses[i].io;
		unsigned moved = run->program->tensor_moved[io->tensor];

		for (unsigned bit = PTOWSP_READ; bit <= PTOWSP_WRITE; bit <<= 1) {
			looking.writes = bit == PTOWSP_WRITE;
			if (io->access & bit && moved & (looking.writes ? PTOWSP_READ | PTOWSP_WRITE : PTOWSP_WRITE))
				rt_access_visit(&accesses[i], &run->tensors, bit, piece_enter, &looking);
		}
	}
	if (rt_trails_full(&pipeline->trails))
		rt_trails_forget(&pipeline->trails, over(run), rt_clocks_least(&pipeline->clocks));
	return looking.st;
}
