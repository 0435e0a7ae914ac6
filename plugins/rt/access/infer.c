/* SPDX-License-Identifier: MIT */
/* infer.c - dependencies by the accesses of the task being issued, through the tensor map of the schedule's rule. */
#include "rt/process/process.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <stdlib.h>
#include <string.h>

/* Stamps of tasks that have left the window are set to stale after so many tasks. */
#define FRESHEN_EVERY (UINT64_C(1) << 29)

static const struct rt_schedule *schedule_of(const struct rt_run *run)
{
	return &run->program->schedule;
}

static bool loads(const struct rt_program *program)
{
	for (uint32_t t = 0; t < program->tables.tensor.count; t++)
		if (program->traits[t].loaded)
			return true;
	return false;
}

/* Keys of a full window, for a fixed pool; 0 for one that grows. */
static uint64_t most_live(const struct rt_run *run)
{
	uint64_t uses = 2 * (uint64_t)run->program->most_ios + 1;

	return run->fixed_map && run->window && run->window < UINT64_MAX / uses ? run->window * uses : 0;
}

static bool watch_init(struct rt_run *run)
{
	return rt_preds_init(&run->watch_preds) && rt_track_init(&run->watch_track, &run->watch_preds, false) &&
	       (run->watch = rt_pieces_create(run->program->tables.tensor.count)) != NULL;
}

/* A look ahead, a pool of one size and a window that remembers every task leave nothing for a later run. */
static bool spared(const struct rt_run *run)
{
	return !run->quiet && !run->fixed_map && run->window && !(run->window >> 31);
}

/* The map of an earlier run of the program, none of whose tasks is of the window. */
static bool spare_take(struct rt_run *run)
{
	const struct rt_spare_map *map = &run->spare.map;

	if (!spared(run) || !run->spare.mapped)
		return false;
	run->cells = map->cells;
	run->track = map->track;
	run->track.preds = &run->preds;
	run->preds.base = map->stamp;
	run->fresh_until = map->stamped < FRESHEN_EVERY ? FRESHEN_EVERY - map->stamped : 0;
	run->spare.mapped = false;
	return true;
}

static void spare_give(struct rt_run *run)
{
	struct rt_spare_map map = {.cells = run->cells, .track = run->track, .stamp = run->preds.stamp};

	/* One that is still there was not taken, because edges are stated: it stays, and this one goes. */
	if (!map.cells.entries || !map.track.readers || run->spare.mapped || !spared(run) || run->preds.out_of_memory)
		return;
	map.stamped = FRESHEN_EVERY - (run->fresh_until > run->tasks ? run->fresh_until - run->tasks : 0);
	run->spare.map = map;
	run->spare.mapped = true;
	run->cells.entries = NULL;
	run->track.readers = NULL;
}

static bool map_init(struct rt_run *run)
{
	const struct rt_schedule *schedule = schedule_of(run);

	run->fresh_until = FRESHEN_EVERY;
	if (schedule->deps == PTOWSP_DEPS_BYTES_OVERLAP && !rt_overlap_init(&run->overlap, run))
		return false;
	if (schedule->deps != PTOWSP_DEPS_EXPLICIT && spare_take(run))
		return true;
	return rt_track_init(&run->track, &run->preds, schedule->full) &&
	       (schedule->deps == PTOWSP_DEPS_EXPLICIT || rt_cells_init(&run->cells, most_live(run)));
}

ptowsp_status rt_infer_init(struct rt_run *run)
{
	const struct rt_schedule *schedule = schedule_of(run);
	bool ok = rt_preds_init(&run->preds) && map_init(run);

	run->own_uses = common_take_lines(run->arena, 2 * (size_t)run->program->most_ios + 1, sizeof(*run->own_uses));
	ok = ok && run->own_uses && !rt_versions_init(run);
	run->checked_until = run->max_tasks < run->fresh_until ? run->max_tasks : run->fresh_until;
	run->span_most = run->window && run->window - 1 < UINT32_MAX ? (uint32_t)(run->window - 1) : UINT32_MAX;
	rt_preds_next(&run->preds, run->tasks, run->window);
	if (ok && loads(run->program))
		ok = watch_init(run);
	if (ok && !run->quiet && run->args->flags & PTOWSP_RUN_STRICT && !rt_schedule_safe(schedule))
		ok = rt_race_init(&run->race, run->program->tables.tensor.count, run->window, run->program->copy_kernel);
	return ok ? PTOWSP_OK : rt_no_memory(run->error, "the tensor map");
}

void rt_infer_finish(struct rt_run *run)
{
	spare_give(run);
	rt_cells_finish(&run->cells);
	rt_intern_finish(&run->intern);
	rt_overlap_finish(&run->overlap);
	rt_pieces_destroy(run->watch);
	rt_track_finish(&run->track);
	rt_track_finish(&run->watch_track);
	rt_preds_finish(&run->preds);
	rt_preds_finish(&run->watch_preds);
	rt_race_finish(&run->race);
	rt_versions_finish(run);
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
	const struct rt_access *accesses = rt_run_accesses(run);
	uint32_t count = 0, different = 0;

	for (uint32_t i = 0; i < site->io_count; i++)
		if (accesses[i].io->access & bit)
			run->keys[count++] = accesses[i].key;
	qsort(run->keys, count, sizeof(*run->keys), key_compare);
	for (uint32_t i = 0; i < count; i++)
		different += !i || key_compare(&run->keys[i - 1], &run->keys[i]);
	return different;
}

uint32_t rt_infer_map(struct rt_run *run, const struct rt_site *site)
{
	uint32_t reads = schedule_of(run)->full ? site->reads : 0;

	if (schedule_of(run)->deps == PTOWSP_DEPS_EXPLICIT)
		return 0;
	if (site->distinct)
		return site->writes + reads;
	return distinct(run, site, PTOWSP_WRITE) + (reads ? distinct(run, site, PTOWSP_READ) : 0);
}

/* ---- predecessors ---------------------------------------------------------------------------------------------- */

/* A map and what it answers through. A task may touch millions of pieces, so deadline and cancel are looked at between them. */
struct entering {
	struct rt_run *run;
	struct rt_pieces *map;
	struct rt_track *track;
	uint32_t pieces;
	ptowsp_status status;
};
#define LOOK_EVERY 1024u

static bool go_on(struct entering *entering)
{
	if (++entering->pieces % LOOK_EVERY == 0)
		entering->status = rt_look(entering->run);
	return !entering->status && !entering->track->preds->out_of_memory;
}

static bool piece_read(void *context, uint32_t tensor, int64_t start, int64_t end)
{
	struct entering *entering = context;

	rt_pieces_read(entering->map, entering->track, tensor, start, end);
	return go_on(entering);
}

static bool piece_write(void *context, uint32_t tensor, int64_t start, int64_t end)
{
	struct entering *entering = context;

	rt_pieces_write(entering->map, entering->track, tensor, start, end);
	return go_on(entering);
}

/* One access whose tensor is not on a lattice, as reads or as writes. */
static ptowsp_status pieces_visit(struct rt_run *run, const struct rt_access *access, unsigned bit)
{
	struct entering entering = {.run = run, .map = run->overlap.pieces, .track = &run->track};
	unsigned shape = access->io->access & bit ? bit : access->io->access; /* of a use that stands for two accesses: they cover the same */
	int64_t from, to;

	if (!entering.map) /* out of memory, as the predecessors say */
		return PTOWSP_OK;
	if (!rt_access_single(access, &run->tensors, shape, &from, &to))
		rt_access_visit(access, &run->tensors, shape, bit == PTOWSP_READ ? piece_read : piece_write, &entering);
	else if (bit == PTOWSP_READ)
		rt_pieces_read(entering.map, &run->track, access->io->tensor, from, to);
	else
		rt_pieces_write(entering.map, &run->track, access->io->tensor, from, to);
	return entering.status;
}

static ptowsp_status pieces_enter(struct rt_run *run, const struct rt_use *use)
{
	const struct rt_access *access = &rt_run_accesses(run)[use->argument];
	ptowsp_status status = PTOWSP_OK;

	if (use->access & PTOWSP_READ)
		status = pieces_visit(run, access, PTOWSP_READ);
	if (!status && use->access & PTOWSP_WRITE)
		status = pieces_visit(run, access, PTOWSP_WRITE);
	return status;
}

static void interned_enter(struct rt_run *run, const struct rt_use *use)
{
	uint64_t name = rt_use_name(run, &rt_run_accesses(run)[use->argument]);

	if (name != RT_NO_NAME)
		rt_cells_access(&run->cells, &run->track, name, use->access);
	else
		run->preds.out_of_memory = true;
}

/* A version that begins waits for nobody, and its cell is as if nobody had touched it before. */
static void version_enter(struct rt_run *run, const struct rt_use *use)
{
	rt_cells_enter(&run->cells, &run->track, &run->preds, use->name, PTOWSP_WRITE, run->track.full && !rt_use_begins(run, use));
}

static ptowsp_status use_enter(struct rt_run *run, const struct rt_use *use)
{
	if (use->way == RT_USE_VERSION) {
		version_enter(run, use);
		return PTOWSP_OK;
	}
	if (run->overlap.lattices)
		return pieces_enter(run, use);
	interned_enter(run, use);
	return PTOWSP_OK;
}

ptowsp_status rt_infer_uses(struct rt_run *run, const struct rt_use *uses, uint32_t count)
{
	ptowsp_status status = run->overlap.stopped; /* when the uses were placed */

	for (const struct rt_use *use = uses; run->cells.entries && !status && use < uses + count; use++) {
		if (rt_use_named(use, run->overlap.lattices))
			rt_cells_enter(&run->cells, &run->track, &run->preds, use->name, use->access, run->track.full && !use->anew);
		else
			status = use_enter(run, use);
	}
	return status;
}

/* ---- races under --strict -------------------------------------------------------------------------------------- */

static const char *rule_text(const struct rt_schedule *schedule)
{
	return schedule->deps == PTOWSP_DEPS_EXPLICIT           ? "deps=explicit"
	       : schedule->deps == PTOWSP_DEPS_TENSOR_MAP_EXACT ? schedule->full ? "deps=tensor_map_exact" : "deps=tensor_map_exact, hazards=raw"
								: "hazards=raw";
}

static ptowsp_status race_report(const struct rt_run *run)
{
	const struct rt_race *race = &run->race;

	return rt_fail_at(run->error, PTOWSP_UNSUPPORTED, race->later, race->later_kernel,
			  "race: task %llu (%.40s) and task %llu (%.40s) touch common elements, one writes, and %s leaves them unordered; use "
			  "deps=bytes_overlap and hazards=full",
			  (unsigned long long)race->earlier, rt_kernel_name(run->program, race->earlier_kernel), (unsigned long long)race->later,
			  rt_kernel_name(run->program, race->later_kernel), rule_text(schedule_of(run)));
}

ptowsp_status rt_infer_race(struct rt_run *run, const struct rt_site *site, const struct rt_clock_task *task)
{
	struct rt_race *race = &run->race;
	struct entering entering = {.run = run, .map = race->map, .track = &race->track};
	const struct rt_access *accesses = rt_run_accesses(run);
	struct rt_pipeline *pipeline = run->pipeline;
	const struct rt_race_task told = {
		.number = run->tasks,
		.kernel = run->kernel,
		.instance = pipeline ? pipeline->turn : PTOWSP_NONE,
		.chosen = run->preds.list,
		.chosen_count = run->preds.count,
		.stream = run->stream_order ? run->stream_order[task->stream] : 0,
		.front = pipeline ? &pipeline->fronts.instances[pipeline->turn] : NULL,
	};

	rt_preds_next(&race->preds, run->tasks, run->window);
	for (uint32_t i = 0; i < site->io_count; i++)
		if (accesses[i].io->access & PTOWSP_READ)
			rt_access_visit(&accesses[i], &run->tensors, PTOWSP_READ, piece_read, &entering);
	for (uint32_t i = 0; i < site->io_count; i++)
		if (accesses[i].io->access & PTOWSP_WRITE) {
			race->track.full = !site->renamed || !rt_versions_makes(run, accesses[i].io->tensor, accesses[i].start);
			rt_access_visit(&accesses[i], &run->tensors, PTOWSP_WRITE, piece_write, &entering);
			race->track.full = true;
		}
	if (entering.status)
		return entering.status;
	if (!rt_race_task(race, &told) || (pipeline && pipeline->fronts.lost))
		return rt_no_memory(run->error, "the race check");
	if (pipeline)
		rt_vector_clock_task(&pipeline->fronts, pipeline->turn, run->tasks);
	return race->found ? race_report(run) : PTOWSP_OK;
}

/* Tasks that left the window have left the clock too, unless a full window does not stall, other clocks stand behind, or an engine runs whole phases of them. */
static ptowsp_status watch_enter(struct rt_run *run, const struct rt_site *site)
{
	struct entering entering = {.run = run, .map = run->watch, .track = &run->watch_track};
	const struct rt_access *accesses = rt_run_accesses(run);
	bool forget = schedule_of(run)->window_mode != RT_WINDOW_BENCHMARK && !run->pipeline && !(run->engine && run->engine->phases);

	rt_preds_next(&run->watch_preds, run->tasks, forget ? run->window : 0);
	for (uint32_t i = 0; i < site->io_count; i++)
		if (accesses[i].io->access & PTOWSP_WRITE && run->program->traits[accesses[i].io->tensor].loaded)
			rt_access_visit(&accesses[i], &run->tensors, PTOWSP_WRITE, piece_write, &entering);
	return entering.status;
}

void rt_infer_freshen(struct rt_run *run)
{
	run->fresh_until = run->tasks + FRESHEN_EVERY;
	run->checked_until = run->max_tasks < run->fresh_until ? run->max_tasks : run->fresh_until;
	if (run->cells.entries)
		rt_cells_freshen(&run->cells, &run->track);
	if (run->overlap.pieces)
		rt_pieces_freshen(run->overlap.pieces, &run->track);
	run->preds.out_of_memory |= !rt_intern_freshen(&run->intern, &run->preds);
	if (run->watch)
		rt_pieces_freshen(run->watch, &run->watch_track);
	if (run->race.on)
		rt_pieces_freshen(run->race.map, &run->race.track);
}

ptowsp_status rt_infer(struct rt_run *run, const struct rt_site *site, struct rt_need *need_out)
{
	const struct rt_use *uses = run->own_uses;
	uint32_t count;
	ptowsp_status status;

	rt_preds_next(&run->preds, run->tasks, run->window);
	if (site->renamed && (status = rt_versions_look(run, site)))
		return status;
	if (run->plan) {
		uses = run->plan->uses;
		count = run->plan->use_count;
	} else {
		count = rt_uses_make(run, site, run->accesses, run->own_uses);
	}
	if (run->tasks >= run->fresh_until)
		rt_infer_freshen(run);
	status = rt_infer_uses(run, uses, count);
	if (!status && run->watch)
		status = watch_enter(run, site);
	if (!status && site->after_count)
		status = rt_after_enter(run, site);
	*need_out = (struct rt_need){rt_infer_map(run, site), run->preds.count};
	if (!status && (run->preds.out_of_memory || run->watch_preds.out_of_memory))
		status = rt_no_memory(run->error, "the tensor map");
	return status;
}

uint64_t rt_infer_writer(const struct rt_run *run, uint32_t tensor, int64_t element)
{
	return run->watch ? rt_pieces_writer(run->watch, &run->watch_track, tensor, element, element + 1) : 0;
}
