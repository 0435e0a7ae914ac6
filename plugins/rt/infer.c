/* SPDX-License-Identifier: MIT */
/* infer.c - dependencies: what the accesses of the task being issued say through the tensor map of the schedule's rule. */
#include <stdlib.h>
#include <string.h>
#include "rt/error.h"
#include "rt/run.h"

static const struct rt_schedule *schedule_of(const struct rt_run *run)
{
	return &run->program->schedule;
}

static bool loads(const struct rt_program *program)
{
	for (uint32_t t = 0; t < program->tables.tensor.count; t++)
		if (program->tensor_loaded[t])
			return true;
	return false;
}

/* Reads of what nobody writes, and with raw hazards writes of what nobody reads, can make no edge. */
static bool matters(const struct rt_run *run, const struct rt_io *io, unsigned bit)
{
	uint8_t others = run->program->tensor_access[io->tensor];

	if (!(io->access & bit))
		return false;
	return bit == PTOWSP_READ ? others & PTOWSP_WRITE : schedule_of(run)->full || others & PTOWSP_READ;
}

static uint16_t list_make(const struct rt_run *run, const struct rt_site *site, unsigned bit, uint16_t *list)
{
	uint16_t count = 0;

	for (uint16_t i = 0; i < site->io_count; i++)
		if (matters(run, &run->program->ios[site->first_io + i], bit))
			list[count++] = i;
	return count;
}

/* Which accesses of each instruction go into the map. */
static bool enters_init(struct rt_run *run)
{
	const struct rt_program *program = run->program;

	run->enters = calloc((size_t)program->site_count + 1, sizeof(*run->enters));
	run->enter_list = calloc(2 * (size_t)program->io_count + 1, sizeof(*run->enter_list));
	for (uint32_t s = 0; run->enters && run->enter_list && s < program->site_count; s++) {
		const struct rt_site *site = &program->sites[s];
		struct rt_enter *enter = &run->enters[s];

		enter->list = 2 * (uint64_t)site->first_io;
		enter->reads = list_make(run, site, PTOWSP_READ, run->enter_list + enter->list);
		enter->writes = list_make(run, site, PTOWSP_WRITE, run->enter_list + enter->list + enter->reads);
	}
	return run->enters && run->enter_list;
}

ptowsp_status rt_infer_init(struct rt_run *run)
{
	const struct rt_schedule *schedule = schedule_of(run);
	uint32_t tensors = run->program->tables.tensor.count;
	bool ok = rt_preds_init(&run->preds, run->window) && rt_track_init(&run->track, &run->preds, schedule->full);

	run->keys = calloc((size_t)run->program->most_ios + 1, sizeof(*run->keys));
	ok = ok && run->keys && enters_init(run);
	if (ok && schedule->deps == PTOWSP_DEPS_TENSOR_MAP_EXACT)
		ok = (run->exact = rt_exact_create()) != NULL;
	if (ok && schedule->deps == PTOWSP_DEPS_BYTES_OVERLAP)
		ok = (run->overlap = rt_overlap_create(tensors)) != NULL;
	if (ok && loads(run->program))
		ok = rt_preds_init(&run->watch_preds, 1) && rt_track_init(&run->watch_track, &run->watch_preds, false) &&
		     (run->watch = rt_overlap_create(tensors)) != NULL;
	if (ok && !run->quiet && run->args->flags & PTOWSP_RUN_STRICT && !rt_schedule_safe(schedule))
		ok = rt_race_init(&run->race, tensors, run->window);
	return ok ? PTOWSP_OK : rt_no_memory(run->error, "the tensor map");
}

void rt_infer_finish(struct rt_run *run)
{
	rt_exact_destroy(run->exact);
	rt_overlap_destroy(run->overlap);
	rt_overlap_destroy(run->watch);
	rt_track_finish(&run->track);
	rt_track_finish(&run->watch_track);
	rt_preds_finish(&run->preds);
	rt_preds_finish(&run->watch_preds);
	rt_race_finish(&run->race);
	free(run->keys);
	free(run->enters);
	free(run->enter_list);
}

/* ---- what a task reserves in the tensor map -------------------------------------------------------------------- */

static int key_compare(const void *a, const void *b)
{
	const struct rt_key *x = a, *y = b;

	if (x->class != y->class)
		return x->class < y->class ? -1 : 1;
	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->column > y->column) - (x->column < y->column);
}

static uint32_t distinct(struct rt_run *run, const struct rt_site *site, unsigned bit)
{
	uint32_t count = 0, different = 0;

	for (uint32_t i = 0; i < site->io_count; i++)
		if (run->accesses[i].io->access & bit)
			run->keys[count++] = run->accesses[i].key;
	qsort(run->keys, count, sizeof(*run->keys), key_compare);
	for (uint32_t i = 0; i < count; i++)
		different += !i || key_compare(&run->keys[i - 1], &run->keys[i]);
	return different;
}

static uint32_t map_need(struct rt_run *run, const struct rt_site *site)
{
	uint32_t reads = schedule_of(run)->full ? site->reads : 0;

	if (schedule_of(run)->deps == PTOWSP_DEPS_EXPLICIT)
		return 0;
	if (site->distinct)
		return site->writes + reads;
	return distinct(run, site, PTOWSP_WRITE) + (reads ? distinct(run, site, PTOWSP_READ) : 0);
}

/* ---- predecessors ---------------------------------------------------------------------------------------------- */

static void exact_enter(struct rt_run *run, const struct rt_enter *enter)
{
	const uint16_t *at = run->enter_list + enter->list, *writes = at + enter->reads, *end = writes + enter->writes;

	for (; at < writes; at++)
		rt_exact_read(run->exact, &run->track, &run->accesses[*at].key, run->accesses[*at].hash);
	for (; at < end; at++)
		rt_exact_write(run->exact, &run->track, &run->accesses[*at].key, run->accesses[*at].hash);
}

/* A map and what it answers through. A task may touch millions of pieces, so deadline and cancel are looked at between them. */
struct entering {
	struct rt_run *run;
	struct rt_overlap *map;
	struct rt_track *track;
	uint32_t pieces;
	ptowsp_status st;
};
#define LOOK_EVERY 1024u

static bool go_on(struct entering *entering)
{
	if (++entering->pieces % LOOK_EVERY == 0)
		entering->st = rt_look(entering->run);
	return !entering->st && !entering->track->preds->out_of_memory;
}

static bool overlap_read(void *context, uint32_t tensor, int64_t start, int64_t end)
{
	struct entering *entering = context;

	rt_overlap_read(entering->map, entering->track, tensor, start, end);
	return go_on(entering);
}

static bool overlap_write(void *context, uint32_t tensor, int64_t start, int64_t end)
{
	struct entering *entering = context;

	rt_overlap_write(entering->map, entering->track, tensor, start, end);
	return go_on(entering);
}

static ptowsp_status overlap_enter(struct rt_run *run, const struct rt_enter *enter)
{
	struct entering entering = {.run = run, .map = run->overlap, .track = &run->track};
	const uint16_t *at = run->enter_list + enter->list, *writes = at + enter->reads, *end = writes + enter->writes;
	int64_t from, to;

	for (; at < writes; at++) {
		const struct rt_access *access = &run->accesses[*at];

		if (rt_access_single(access, &run->tensors, PTOWSP_READ, &from, &to))
			rt_overlap_read(run->overlap, &run->track, access->io->tensor, from, to);
		else
			rt_access_visit(access, &run->tensors, PTOWSP_READ, overlap_read, &entering);
	}
	for (; at < end; at++) {
		const struct rt_access *access = &run->accesses[*at];

		if (rt_access_single(access, &run->tensors, PTOWSP_WRITE, &from, &to))
			rt_overlap_write(run->overlap, &run->track, access->io->tensor, from, to);
		else
			rt_access_visit(access, &run->tensors, PTOWSP_WRITE, overlap_write, &entering);
	}
	return entering.st;
}

/* ---- races under --strict -------------------------------------------------------------------------------------- */

static const char *rule_text(const struct rt_schedule *schedule)
{
	return schedule->deps == PTOWSP_DEPS_EXPLICIT		   ? "deps=explicit"
	       : schedule->deps == PTOWSP_DEPS_TENSOR_MAP_EXACT ? schedule->full ? "deps=tensor_map_exact" : "deps=tensor_map_exact, hazards=raw"
								   : "hazards=raw";
}

static ptowsp_status race_report(const struct rt_run *run)
{
	const struct rt_race *race = &run->race;

	return rt_fail_at(run->error, PTOWSP_UNSUPPORTED, race->later, race->later_kernel,
			  "race: task %llu (%.40s) and task %llu (%.40s) touch common elements, one writes, and %s leaves them unordered; use "
			  "deps=bytes_overlap and hazards=full",
			  (unsigned long long)race->earlier, rt_kernel_name(run->program, race->earlier_kernel),
			  (unsigned long long)race->later, rt_kernel_name(run->program, race->later_kernel), rule_text(schedule_of(run)));
}

ptowsp_status rt_infer_race(struct rt_run *run, const struct rt_site *site, const struct rt_clock_task *task)
{
	struct rt_race *race = &run->race;
	struct entering entering = {.run = run, .map = race->map, .track = &race->track};
	uint64_t stream = run->stream_order ? run->stream_order[task->stream] : 0;

	rt_preds_next(&race->preds, run->tasks, run->window);
	rt_track_next(&race->track);
	for (uint32_t i = 0; i < site->io_count; i++)
		if (run->accesses[i].io->access & PTOWSP_READ)
			rt_access_visit(&run->accesses[i], &run->tensors, PTOWSP_READ, overlap_read, &entering);
	for (uint32_t i = 0; i < site->io_count; i++)
		if (run->accesses[i].io->access & PTOWSP_WRITE)
			rt_access_visit(&run->accesses[i], &run->tensors, PTOWSP_WRITE, overlap_write, &entering);
	if (entering.st)
		return entering.st;
	if (!rt_race_task(race, run->tasks, run->kernel, run->preds.list, run->preds.count, stream))
		return rt_no_memory(run->error, "the race check");
	return race->found ? race_report(run) : PTOWSP_OK;
}

/* What left the window has left the clock too, unless a full window does not stall. */
static ptowsp_status watch_enter(struct rt_run *run, const struct rt_site *site)
{
	struct entering entering = {.run = run, .map = run->watch, .track = &run->watch_track};

	run->watch_preds.task = run->preds.task;
	run->watch_preds.oldest = schedule_of(run)->window_mode == RT_WINDOW_BENCHMARK ? 0 : run->preds.oldest;
	for (uint32_t i = 0; i < site->io_count; i++)
		if (run->accesses[i].io->access & PTOWSP_WRITE && run->program->tensor_loaded[run->accesses[i].io->tensor])
			rt_access_visit(&run->accesses[i], &run->tensors, PTOWSP_WRITE, overlap_write, &entering);
	return entering.st;
}

ptowsp_status rt_infer(struct rt_run *run, const struct rt_site *site, struct rt_need *need_out)
{
	const struct rt_enter *enter = &run->enters[site - run->program->sites];
	ptowsp_status st = PTOWSP_OK;

	rt_preds_next(&run->preds, run->tasks, run->window);
	rt_track_next(&run->track);
	if (run->exact)
		exact_enter(run, enter);
	else if (run->overlap)
		st = overlap_enter(run, enter);
	if (!st && run->watch)
		st = watch_enter(run, site);
	*need_out = (struct rt_need){map_need(run, site), run->preds.count};
	if (!st && (run->preds.out_of_memory || run->watch_preds.out_of_memory))
		st = rt_no_memory(run->error, "the tensor map");
	return st;
}

uint64_t rt_infer_writer(const struct rt_run *run, uint32_t tensor, int64_t element)
{
	return run->watch ? rt_overlap_writer(run->watch, tensor, element, element + 1) : 0;
}
