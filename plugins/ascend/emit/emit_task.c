/* SPDX-License-Identifier: MIT */
/* emit_task.c - a task instruction as calls of the builder: kernel, stream and owner, arguments, regions, stated dependencies. */
#include "ascend/emit/ascend_emit_state.h"

#include "rt/program/dtype.h"
#include "rt/program/policy.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- regions -------------------------------------------------------------------------------------------------------- */

/* A kernel's reach behind the start of its window, 0: to the end of the tensor; *whole_out: before it, too. */
static uint32_t reach_of(const struct ascend_emitter *e, const struct rt_io *io, uint32_t kernel, uint32_t argument, bool *whole_out)
{
	const struct rt_footprint *footprint = kernel == PTOWSP_NONE ? NULL : &e->footprints[kernel];
	const struct rt_touched *touched = footprint && footprint->known && argument < footprint->arg_count && io->access ? &footprint->args[argument] : NULL;
	const uint64_t scale = io->view ? io->view : 1;

	*whole_out = touched && touched->least < 0;
	if (!touched || touched->most >= RT_FAR || (uint64_t)touched->most * scale > UINT32_MAX)
		return io->limit;
	if (touched->most <= 0)
		return io->limit ? io->limit : 1;
	return (uint32_t)((uint64_t)touched->most * scale);
}

/* The same for kernels that a tile level chooses from: a number, or a table of them. */
static void reach_put(struct ascend_emitter *e, struct common_text *text, const struct rt_io *io, const uint32_t *kernels, uint32_t count, uint32_t argument,
		      bool *whole_out)
{
	const uint32_t first = reach_of(e, io, count ? kernels[0] : PTOWSP_NONE, argument, whole_out);
	bool same = true, whole;

	for (uint32_t k = 1; k < count; k++) {
		same &= reach_of(e, io, kernels[k], argument, &whole) == first;
		*whole_out |= whole;
	}
	if (same) {
		common_text_add(text, "%" PRIu32, first);
		return;
	}
	common_text_add(&e->tables, "static const uint32_t reach_%" PRIu32 "[] = {", e->reach_count);
	for (uint32_t k = 0; k < count; k++)
		common_text_add(&e->tables, "%s%" PRIu32, k ? ", " : "", reach_of(e, io, kernels[k], argument, &whole));
	common_text_add(&e->tables, "}; /* elements, by tile level */\n");
	common_text_add(text, "%s_workload::reach_%" PRIu32 "[b.place->level]", e->workloads.rows[e->p->entry].text, e->reach_count++);
}

/* Rows, or columns, of which so many are there. */
static void there_put(struct ascend_emitter *e, struct common_text *text, bool part, uint32_t there, uint32_t all)
{
	common_text_add(text, ", ");
	if (part)
		ascend_expr(e, text, there);
	else
		common_text_add(text, "%" PRIu32, all);
}

void ascend_region(struct ascend_emitter *e, struct common_text *text, const struct rt_io *io, const uint32_t *kernels, uint32_t count, uint32_t argument)
{
	bool whole = false;

	common_text_add(text, "%s(TENSOR_%s, ", io->unit ? "flat" : io->parts ? "b.part" : "block", ascend_tensor(e, io->tensor));
	ascend_expr(e, text, io->row);
	if (io->unit) {
		common_text_add(text, ", %" PRIu32 ", ", io->unit);
		ascend_expr(e, text, io->column);
		common_text_add(text, ", ");
		reach_put(e, text, io, kernels, count, argument, &whole);
		common_text_add(text, ")");
	} else {
		common_text_add(text, ", ");
		ascend_expr(e, text, io->column);
		there_put(e, text, io->parts & RT_PART_ROWS, io->part_rows, io->rows);
		there_put(e, text, io->parts & RT_PART_COLUMNS, io->part_columns, io->columns);
		if (io->parts)
			common_text_add(text, ", %" PRIu32 ", %" PRIu32, io->rows, io->columns);
		common_text_add(text, ")");
	}
	if (io->view)
		common_text_add(text, ".seen_as(%u, %u)", io->view_dtype, io->view);
	if (whole)
		common_text_add(text, ".anywhere()");
}

static void tensors_put(struct ascend_emitter *e, const struct rt_site *site)
{
	static const char *const calls[] = {"bind", "add_input", "add_output", "add_inout"};

	for (uint32_t i = 0; i < site->io_count; i++) {
		const struct rt_io *io = &e->p->ios[site->first_io + i];
		struct common_text region = {0};

		ascend_region(e, &region, io, &e->p->site_kernels[site->kernels], e->p->level_count, i);
		ascend_line(e, "b.%s(%s);", calls[io->access & 3], common_text_view(&region));
		e->body.failed |= region.failed;
		common_text_finish(&region);
	}
}

/* ---- owners ---------------------------------------------------------------------------------------------------------- */

static void value_put(struct ascend_emitter *e, struct common_text *text, uint32_t value, int32_t affinity)
{
	if (value != PTOWSP_NONE)
		ascend_expr(e, text, value);
	else
		common_text_add(text, "%s", affinity >= 0 ? e->loops[affinity] : "0");
}

static void grid_put(struct ascend_emitter *e, struct common_text *text, const struct rt_dispatch *dispatch, const struct rt_site *site)
{
	common_text_add(text, "b.owner_at((uint64_t)(b.wrap(%s, %" PRIi64 ") * %" PRIi64 " + b.wrap(%s, %" PRIi64 ")))",
			site->grid[0] < 0 ? "0" : e->loops[site->grid[0]], dispatch->rows, dispatch->columns, site->grid[1] < 0 ? "0" : e->loops[site->grid[1]],
			dispatch->columns);
}

static void bounds_put(struct common_text *text, const struct rt_dispatch *dispatch)
{
	common_text_add(text, "b.owner_at(");
	for (uint32_t k = 0; k < dispatch->bound_count; k++)
		common_text_add(text, "%s(b.next_task() >= INT64_C(%" PRIi64 "))", k ? " + " : "", dispatch->bounds[k]);
	common_text_add(text, "%s)", dispatch->bound_count ? "" : "0");
}

/* As rt/program/policy.h says; who has least to do only running tells. */
static void owner_put(struct ascend_emitter *e, struct common_text *text, const struct rt_dispatch *dispatch, const struct rt_site *site, uint32_t value,
		      int32_t affinity)
{
	switch (dispatch->policy) {
	case PTOWSP_DISPATCH_HASH:
	case PTOWSP_DISPATCH_AFFINITY:
	case PTOWSP_DISPATCH_CUSTOM:
		common_text_add(text, "b.owner_by_%s(", dispatch->policy == PTOWSP_DISPATCH_HASH ? "hash" : "value");
		value_put(e, text, value, affinity);
		common_text_add(text, ", %" PRIu32 ")", dispatch->executors);
		break;
	case PTOWSP_DISPATCH_ROUND_ROBIN: common_text_add(text, "b.owner_by_turn(%" PRIu32 ")", dispatch->executors); break;
	case PTOWSP_DISPATCH_GRID: grid_put(e, text, dispatch, site); break;
	case PTOWSP_DISPATCH_STATIC_PARTITION: bounds_put(text, dispatch); break;
	default: common_text_add(text, "b.owner_by_number()"); break;
	}
}

/* Parts of dispatch threshold from the largest one down; the one below all of them last. order_out: RT_PART_LIMIT of them. */
static void parts_order(const struct rt_schedule *schedule, uint32_t *order_out)
{
	for (uint32_t k = 0; k < schedule->part_count; k++) {
		uint32_t at = k;

		for (; at > 0 && schedule->parts[order_out[at - 1]].threshold < schedule->parts[k].threshold; at--)
			order_out[at] = order_out[at - 1];
		order_out[at] = k;
	}
}

/* choice: the local that holds the value. */
static void parts_put(struct ascend_emitter *e, struct common_text *text, const struct rt_site *site, const char *choice)
{
	const struct rt_schedule *schedule = &e->p->schedule;
	uint32_t order[RT_PART_LIMIT];

	parts_order(schedule, order);
	for (uint32_t i = 0; i < schedule->part_count; i++) {
		const struct rt_site_part *part = &e->p->parts[site->first_part + order[i]];

		if (i + 1 < schedule->part_count)
			common_text_add(text, "%s >= INT64_C(%" PRIi64 ") ? ", choice, schedule->parts[order[i]].threshold);
		if (schedule->parts[order[i]].policy == PTOWSP_DISPATCH_WORK_STEAL)
			ascend_tell(
				e, "a part of dispatch threshold is work_steal, and which instance has least to do only running tells: its tasks go by number");
		owner_put(e, text, &schedule->parts[order[i]], site, part->value, part->affinity);
		if (i + 1 < schedule->part_count)
			common_text_add(text, " : ");
	}
}

void ascend_filter_owner(struct ascend_emitter *e, struct common_text *text, unsigned policy, uint32_t value)
{
	const struct rt_schedule *schedule = &e->p->schedule;
	uint32_t order[RT_PART_LIMIT], count = 1;

	if (policy == PTOWSP_DISPATCH_THRESHOLD && schedule->part_count) {
		parts_order(schedule, order);
		count = schedule->part_count;
	}
	for (uint32_t i = 0; i < count; i++) {
		const unsigned now = count > 1 || (policy == PTOWSP_DISPATCH_THRESHOLD && schedule->part_count) ? schedule->parts[order[i]].policy : policy;

		if (i + 1 < count) {
			ascend_expr(e, text, value);
			common_text_add(text, " >= INT64_C(%" PRIi64 ") ? ", schedule->parts[order[i]].threshold);
		}
		if (now == PTOWSP_DISPATCH_ROUND_ROBIN) {
			common_text_add(text, "OWNER_BY_NUMBER");
		} else {
			common_text_add(text, "b.filter_by_%s(", now == PTOWSP_DISPATCH_HASH ? "hash" : "value");
			ascend_expr(e, text, value);
			common_text_add(text, ")");
		}
		if (i + 1 < count)
			common_text_add(text, " : ");
	}
}

/* ---- streams ----------------------------------------------------------------------------------------------------------- */

/* A task's queue, a pool, whose earlier tasks are counted. */
static void pool_put(struct ascend_emitter *e, struct common_text *text, const struct rt_site *site, const char *kernel)
{
	switch (e->p->schedule.pools) {
	case PTOWSP_POOLS_BY_EXEC_UNIT: common_text_add(text, "%s_workload::queues[%s]", e->workloads.rows[e->p->entry].text, kernel); break;
	case PTOWSP_POOLS_CUSTOM:
		common_text_add(text, "(uint32_t)");
		ascend_expr(e, text, site->pool);
		break;
	default: common_text_add(text, "0"); break;
	}
}

/* The queue of a task whose place there decides: streams in turn, and executors, which are those of its pool. */
static void queue_put(struct ascend_emitter *e, const struct rt_site *site, const char *kernel)
{
	const struct rt_schedule *schedule = &e->p->schedule;
	struct common_text pool = {0};

	if (!schedule->dispatch.policy && !schedule->streams)
		return;
	pool_put(e, &pool, site, kernel);
	ascend_line(e, "b.queue(%s, %" PRIu32 ");", common_text_view(&pool), schedule->dispatch.executors ? schedule->dispatch.executors : 1);
	e->body.failed |= pool.failed;
	common_text_finish(&pool);
}

static void stream_put(struct ascend_emitter *e, struct common_text *text, const struct rt_site *site)
{
	if (!e->p->schedule.streams) {
		common_text_add(text, "TASK_NO_STREAM");
	} else if (site->stream != PTOWSP_NONE) {
		common_text_add(text, "b.stream(");
		ascend_expr(e, text, site->stream);
		common_text_add(text, ")");
	} else {
		common_text_add(text, "b.next_stream()");
	}
}

/* ---- the task ------------------------------------------------------------------------------------------------------------ */

/* The task's kernel, or a table of them by tile level. */
static void kernel_put(struct ascend_emitter *e, struct common_text *text, const struct rt_site *site, uint32_t number)
{
	const uint32_t *kernels = &e->p->site_kernels[site->kernels];
	bool same = true;

	for (uint32_t k = 1; k < e->p->level_count; k++)
		same &= kernels[k] == kernels[0];
	if (same) {
		common_text_add(text, "KERNEL_%s", ascend_kernel(e, kernels[0]));
		return;
	}
	common_text_add(&e->tables, "static const uint16_t kernels_%" PRIu32 "[] = {", number);
	for (uint32_t k = 0; k < e->p->level_count; k++)
		common_text_add(&e->tables, "%sKERNEL_%s", k ? ", " : "", ascend_kernel(e, kernels[k]));
	common_text_add(&e->tables, "}; /* by tile level */\n");
	common_text_add(text, "%s_workload::kernels_%" PRIu32 "[b.place->level]", e->workloads.rows[e->p->entry].text, number);
}

static void alloc_put(struct ascend_emitter *e, const struct rt_site *site, uint32_t number)
{
	const struct rt_dispatch *dispatch = &e->p->schedule.dispatch;
	const bool threshold = dispatch->policy == PTOWSP_DISPATCH_THRESHOLD && !e->process;
	struct common_text kernel = {0}, stream = {0}, owner = {0}, value = {0};

	kernel_put(e, &kernel, site, number);
	stream_put(e, &stream, site);
	queue_put(e, site, common_text_view(&kernel));
	if (threshold) {
		value_put(e, &value, site->dispatch, site->affinity);
		parts_put(e, &owner, site, "choice");
	} else if (e->process) {
		common_text_add(&owner, "b.owner_by_process()"); /* dispatch is not for tasks of processes */
	} else {
		owner_put(e, &owner, dispatch, site, site->dispatch, site->affinity);
	}
	if (threshold) {
		ascend_line(e, "{");
		ascend_line(e, "\tconst int64_t choice = %s;", common_text_view(&value));
		ascend_line(e, "\tb.alloc_task(%s, %s, %s);", common_text_view(&kernel), common_text_view(&stream), common_text_view(&owner));
		ascend_line(e, "}");
	} else {
		ascend_line(e, "b.alloc_task(%s, %s, %s);", common_text_view(&kernel), common_text_view(&stream), common_text_view(&owner));
	}
	e->body.failed |= kernel.failed || stream.failed || owner.failed || value.failed;
	common_text_finish(&kernel);
	common_text_finish(&stream);
	common_text_finish(&owner);
	common_text_finish(&value);
}

static void words_put(struct ascend_emitter *e, const struct rt_site *site)
{
	struct common_text word = {0};

	for (uint32_t i = 0; i < site->arg_count; i++) {
		word.length = 0;
		ascend_expr(e, &word, e->p->args[site->first_arg + i]);
		ascend_line(e, "b.add_arg(%s);", common_text_view(&word));
	}
	for (uint32_t i = 0; i < site->after_count; i++) {
		const struct rt_after *after = &e->p->afters[site->first_after + i];

		if (after->kind == PTOWSP_AFTER_SOFT)
			continue;
		word.length = 0;
		ascend_expr(e, &word, after->task);
		ascend_line(e, "b.add_dep(%s);", common_text_view(&word));
	}
	if (site->depth_loops)
		ascend_line(e, "b.in_loop(%" PRIu32 ");", site->depth_loops);
	e->body.failed |= word.failed;
	common_text_finish(&word);
}

void ascend_task(struct ascend_emitter *e, uint32_t number)
{
	const struct rt_site *site = &e->p->sites[number];
	const uint32_t kernel = e->p->site_kernels[site->kernels];

	if (e->p->schedule.pools == PTOWSP_POOLS_BY_EXEC_UNIT && e->p->tables.kernel.rows[kernel].unit == PTOWSP_UNIT_ANY &&
	    (e->p->schedule.dispatch.policy || (e->p->schedule.streams && site->stream == PTOWSP_NONE)))
		ascend_tell(e, "kernel %.80s joins whichever pool is free first, which the emitted code cannot know: it is counted among vector tasks",
			    rt_kernel_name(e->p, kernel));
	alloc_put(e, site, number);
	words_put(e, site);
	tensors_put(e, site);
	ascend_line(e, "if (!b.submit())");
	ascend_line(e, e->process ? "\treturn TURN_FAILED;" : "\treturn b.status;");
	if (e->process)
		ascend_turn_ends(e);
}
