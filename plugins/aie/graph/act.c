/* SPDX-License-Identifier: MIT */
#include "aie/graph/act.h"

#include "base/pad.h"
#include "isa/tile_part.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_grow.h"
#include "rt/access/footprint.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

enum { SENDS, TAKES, SIDES };
/* Tokens and moves that an instance has seen of a channel. */
struct seen {
	uint64_t tokens, move; /* move: place in the walk where its next one is looked for */
};
struct maker {
	struct aie_acts *acts;
	const struct aie_acts_args *args;
	struct rt_footprint *footprints; /* per KREG row, of those that do not depend on scalars */
	struct rt_footprint varied;      /* of the latest task whose kernel depends on them */
	uint32_t kernel_count;
	uint8_t *scales;                /* zeros: windows count in elements of their own */
	struct aie_argument *arguments; /* of the latest task */
	struct tile_part *parts;        /* and its windows, as its kernel has them */
	struct seen *seen;              /* instances x channels x sides */
	uint8_t *made;                  /* per area: an act has written all of it */
	uint32_t made_room;
	uint64_t *tokens[SIDES]; /* per channel: next number */
	uint32_t channels;
	struct ptowsp_error *error;
	jmp_buf out;               /* whatever fails leaves by it */
	ptowsp_status status;      /* why it was left; OK: there was no memory */
	struct common_arena arena; /* of what has its length from the beginning; leaves by `out` */
};

static _Noreturn void leave(struct maker *maker, ptowsp_status status)
{
	maker->status = status;
	longjmp(maker->out, 1);
}

static void expect(struct maker *maker, ptowsp_status status)
{
	if (status)
		leave(maker, status);
}

static void memory(struct maker *maker, bool there)
{
	if (!there)
		longjmp(maker->out, 1);
}
#define GROW(maker, array, room, count) memory((maker), COMMON_GROW((array), (room), (count)))

/* ---- areas ----------------------------------------------------------------------------------------------------------- */

/* Elements of the window as the kernel counts them, one row after the other. */
struct reach {
	int64_t from, to;  /* touched at all */
	bool reads, whole; /* whole: one write covers from .. to */
};

/* Is what is written where the footprint has it? Rows of a tile lie in rows of the window, so that is so where they are as long. */
static bool is_row_by_row(const struct rt_touched *touched, const struct ptowsp_tensor_arg *window)
{
	return window->rows == 1 || !touched->widest || (touched->narrowest == window->columns && touched->widest == window->columns);
}

/* Reach in a part: all of it, read unless the whole tile, which is larger, is written and nothing else. */
static struct reach reach_of_part(const struct rt_footprint *footprint, const struct rt_touched *touched, int64_t size, const struct ptowsp_tile_param *tile)
{
	const struct rt_span *write = footprint->spans + touched->write;

	return (struct reach){0, size, touched->read_count || touched->write_count != 1 || write->start || write->end != (int64_t)tile->rows * tile->columns,
			      false};
}

/* part: the tile of which the window has only a part, NULL: it has all. */
static struct reach reach_of(const struct rt_footprint *footprint, uint32_t arg, const struct ptowsp_tensor_arg *window, const struct ptowsp_tile_param *part)
{
	int64_t size = (int64_t)(window->rows * window->columns);
	struct reach reach = {0, size, true, false};
	const struct rt_touched *touched;
	const struct rt_span *write;

	if (!footprint->known || arg >= footprint->arg_count)
		return reach;
	touched = &footprint->args[arg];
	if (part)
		return reach_of_part(footprint, touched, size, part);
	if (touched->most > size || touched->least < 0 || touched->least == touched->most)
		return reach;
	if (window->rows == 1) {
		reach.from = touched->least;
		reach.to = touched->most;
	}
	write = footprint->spans + touched->write;
	reach.whole = touched->write_count == 1 && write->start == reach.from && write->end == reach.to && is_row_by_row(touched, window);
	reach.reads = touched->read_count || !reach.whole;
	return reach;
}

static struct aie_area area_of(const struct maker *maker, const struct ptowsp_tensor_arg *window, const struct reach *reach)
{
	uint64_t size = rt_dtype_bytes(window->dtype);
	const char *base = maker->args->bases[window->tensor], *data = window->data;
	struct aie_area area = {.tensor = window->tensor,
				.dtype = window->dtype,
				.flat = window->rows == 1,
				.rows = window->rows,
				.columns = window->columns,
				.stride = window->row_stride * size};

	area.at = (uint64_t)(data - base);
	if (area.flat) {
		area.at += (uint64_t)reach->from * size;
		area.columns = (uint64_t)(reach->to - reach->from);
		area.stride = area.columns * size;
	}
	return area;
}

static uint64_t tensor_bytes(const struct maker *maker, uint32_t tensor)
{
	return maker->args->tensors[tensor].elements * rt_dtype_bytes(maker->args->tensors[tensor].dtype);
}

/* As words: what a call gets, of which it sees a part. Elements of a token are seen as they are. True: as of aie_area_widen. */
static bool use_widen(const struct maker *maker, struct aie_area *area, struct aie_view *view)
{
	if (maker->args->exact || aie_area_is_words(area))
		return false;
	maker->acts->widened = true;
	return aie_area_widen(area, view, tensor_bytes(maker, area->tensor));
}

/* Elements that an earlier act made as a whole are read as a whole, whatever part a kernel wants: so they come from there and not by way of memory. */
static struct reach reach_wanted(const struct maker *maker, const struct ptowsp_tensor_arg *window, const struct reach *reach)
{
	const struct reach all = {0, (int64_t)(window->rows * window->columns), true, false};
	struct aie_area area = area_of(maker, window, &all);
	struct aie_view view = {0};
	uint32_t number;

	use_widen(maker, &area, &view);
	number = aie_areas_find(&maker->acts->areas, &area);
	return number < maker->acts->areas.count && number < maker->made_room && maker->made[number] ? all : *reach;
}

static void made_note(struct maker *maker, uint32_t area)
{
	while (maker->made_room <= area) {
		uint32_t room = maker->made_room;

		GROW(maker, maker->made, maker->made_room, room);
		memset(maker->made + room, 0, maker->made_room - room);
	}
	maker->made[area] = 1;
}

/* The part of a window that an act touches. */
static struct aie_argument argument_of(struct maker *maker, const struct ptowsp_tensor_arg *window, const struct reach *touched, bool reads, bool writes)
{
	const bool call = maker->acts->rows[maker->acts->count - 1].kind == AIE_ACT_CALL;
	const struct reach reach = writes ? *touched : reach_wanted(maker, window, touched);
	struct aie_argument argument = {.area = area_of(maker, window, &reach), .use.writes = writes};

	argument.use.view.before = argument.area.flat ? reach.from : 0;
	argument.use.reads = (call && use_widen(maker, &argument.area, &argument.use.view)) || reads;
	return argument;
}

static void use_add(struct maker *maker, struct aie_argument *argument)
{
	struct aie_acts *acts = maker->acts;
	struct aie_use *use = &argument->use;

	expect(maker, aie_areas_add(&acts->areas, &argument->area, &use->area, maker->error));
	if (use->writes && !use->reads)
		made_note(maker, use->area);
	GROW(maker, acts->uses, acts->use_room, acts->use_count);
	acts->uses[acts->use_count++] = *use;
}

static void act_add(struct maker *maker, const struct aie_act *act)
{
	struct aie_acts *acts = maker->acts;

	GROW(maker, acts->rows, acts->room, acts->count);
	acts->rows[acts->count] = *act;
	acts->rows[acts->count++].uses = acts->use_count;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------- */

static const struct rt_footprint *footprint_of(struct maker *maker, const struct base_walk_task *task)
{
	const struct rt_kernels *kernels = maker->args->kernels;
	const uint64_t *args = maker->args->walk->args + task->args;
	bool varies = task->kernel >= maker->kernel_count || kernels->varies(kernels->context, task->kernel);
	struct rt_footprint *footprint = varies ? &maker->varied : &maker->footprints[task->kernel];

	if (varies)
		rt_footprint_finish(footprint);
	if (!footprint->asked) {
		const ptowsp_status status = rt_footprint_ask(footprint, kernels, task->kernel, args, maker->scales, task->tensor_count);

		expect(maker, status == PTOWSP_NO_MEMORY ? rt_no_memory(maker->error, "what a kernel touches") : status);
	}
	footprint->asked = true;
	return footprint;
}

static ptowsp_status gaps(const struct maker *maker, uint64_t number, uint32_t kernel, const struct ptowsp_tensor_arg *window)
{
	const struct aie_acts_args *args = maker->args;
	char place[AIE_CALLED_PLACE];

	number += args->walk->first;
	return rt_fail_at(
		maker->error, PTOWSP_UNSUPPORTED, number, kernel,
		"task %llu, kernel %.28s%s: its window of tensor %.24s has gaps between the elements of a row, which no buffer descriptor walks here; "
		"use --opt clock=reference",
		(unsigned long long)number, aie_kernel_name(&args->names, kernel), aie_kernel_place(&args->names, kernel, place),
		aie_tensor_name(&args->names, window->tensor));
}

static ptowsp_status types(const struct maker *maker, uint64_t number, uint32_t kernel, uint32_t first, uint32_t second)
{
	const struct aie_acts_args *args = maker->args;
	char place[AIE_CALLED_PLACE];

	number += args->walk->first;
	return rt_fail_at(maker->error, PTOWSP_UNSUPPORTED, number, kernel,
			  "task %llu, kernel %.28s%s: its tensor arguments %u and %u have elements of %.24s in common and different types, and no buffer of a "
			  "core has two; use --opt clock=reference",
			  (unsigned long long)number, aie_kernel_name(&args->names, kernel), aie_kernel_place(&args->names, kernel, place), first, second,
			  aie_tensor_name(&args->names, maker->arguments[first].area.tensor));
}

/* An object of the array has at least one element. */
static ptowsp_status nothing(const struct maker *maker, uint64_t number, uint32_t kernel, uint32_t argument)
{
	const struct aie_acts_args *args = maker->args;
	char place[AIE_CALLED_PLACE];

	number += args->walk->first;
	return rt_fail_at(maker->error, PTOWSP_UNSUPPORTED, number, kernel,
			  "task %llu, kernel %.40s%s: its tensor argument %u, of %.40s, has no elements; leave it out", (unsigned long long)number,
			  aie_kernel_name(&args->names, kernel), aie_kernel_place(&args->names, kernel, place), argument,
			  aie_tensor_name(&args->names, maker->arguments[argument].area.tensor));
}

/* The tile of which the window is a part. */
static const struct ptowsp_tile_param *part_of(const struct maker *maker, uint32_t kernel, uint32_t argument, const struct ptowsp_tensor_arg *window)
{
	const struct base_kernel *row = kernel < maker->args->served->count ? &maker->args->served->rows[kernel] : NULL;

	return row ? base_pad_tile(row, argument, window) : NULL;
}

/* An object of the array has at least one element: of a window that the task does not touch, and that is empty so, the first one of the tensor behind it. */
static struct ptowsp_tensor_arg window_held(const struct maker *maker, const struct ptowsp_tensor_arg *window, const struct rt_footprint *footprint, uint32_t i)
{
	const bool touched = !footprint->known || i >= footprint->arg_count || footprint->args[i].read_count || footprint->args[i].write_count;
	const char *base = maker->args->bases[window->tensor];
	const uint64_t at = (uint64_t)((const char *)window->data - base);
	struct ptowsp_tensor_arg held = *window;

	if ((window->rows && window->columns) || touched || at >= tensor_bytes(maker, window->tensor))
		return held;
	held.rows = held.columns = held.row_stride = 1;
	return held;
}

static void arguments_find(struct maker *maker, const struct base_walk_task *task, uint64_t number, const struct rt_footprint *footprint)
{
	const struct base_kernels *served = maker->args->served;
	const struct aie_alias_args alias = {footprint, task->kernel < served->count && served->rows[task->kernel].blocks <= 1, maker->args->exact,
					     maker->args->tensors};
	uint32_t first, second;

	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ptowsp_tensor_arg held = window_held(maker, &maker->args->walk->tensors[task->tensors + i], footprint, i), *window = &held;
		const struct reach reach = reach_of(footprint, i, window, part_of(maker, task->kernel, i, window));
		const bool writes = window->access & PTOWSP_WRITE;

		if (window->column_stride != 1)
			leave(maker, gaps(maker, number, task->kernel, window));
		maker->arguments[i] = argument_of(maker, window, &reach, !writes || reach.reads, writes);
		if (!aie_area_bytes(&maker->arguments[i].area))
			leave(maker, nothing(maker, number, task->kernel, i));
	}
	if (aie_alias(maker->arguments, task->tensor_count, &alias, &first, &second))
		leave(maker, types(maker, number, task->kernel, first, second));
}

/* Two windows that no backend takes as copies: what comes back from one would undo the other. */
static void parts_check(struct maker *maker, const struct base_walk_task *task, uint64_t number)
{
	char place[AIE_CALLED_PLACE];

	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ptowsp_tensor_arg *window = &maker->args->walk->tensors[task->tensors + i];
		const struct ptowsp_tile_param *tile = part_of(maker, task->kernel, i, window);

		maker->parts[i] = (struct tile_part){.window = *window, .part = *window, .size = rt_dtype_bytes(window->dtype)};
		if (tile)
			tile_part_whole(&maker->parts[i], tile->rows, tile->columns);
	}
	number += maker->args->walk->first;
	for (uint32_t i = 0; i < task->tensor_count; i++) {
		uint32_t first, other = maker->parts[i].copied ? tile_part_shared(maker->parts, task->tensor_count, i, &first) : task->tensor_count;

		if (other < task->tensor_count)
			leave(maker, rt_fail_at(maker->error, PTOWSP_KERNEL_FAILED, number, task->kernel, "task %llu, kernel %.28s%s: " TILE_PARTS_MEET,
						(unsigned long long)number, aie_kernel_name(&maker->args->names, task->kernel),
						aie_kernel_place(&maker->args->names, task->kernel, place), i < other ? i : other, i < other ? other : i));
	}
}

static void call_add(struct maker *maker, uint64_t number)
{
	const struct base_walk_task *task = &maker->args->walk->tasks[number];
	const struct aie_act act = {.kind = AIE_ACT_CALL, .process = task->process, .task = number, .kernel = task->kernel, .use_count = task->tensor_count};
	const struct rt_footprint *footprint;

	act_add(maker, &act);
	footprint = footprint_of(maker, task);
	parts_check(maker, task, number);
	arguments_find(maker, task, number, footprint);
	for (uint32_t i = 0; i < task->tensor_count; i++)
		use_add(maker, &maker->arguments[i]);
}

/* ---- tokens ------------------------------------------------------------------------------------------------------------ */

static const struct base_walk_move *move_next(struct maker *maker, struct seen *seen, uint32_t process, uint32_t channel, bool sends)
{
	const struct base_walk *walk = maker->args->walk;

	while (seen->move < walk->move_count) {
		const struct base_walk_move *move = &walk->moves[seen->move++];

		if (move->process == process && move->channel == channel && move->sends == sends)
			return move;
	}
	return NULL;
}

static void token_add(struct maker *maker, const struct base_walk_event *event)
{
	bool sends = event->kind == RT_ITEM_SEND;
	unsigned side = sends ? SENDS : TAKES;
	struct seen *seen = &maker->seen[((size_t)event->process * maker->channels + event->row) * SIDES + side];
	const struct base_walk_move *move = move_next(maker, seen, event->process, event->row, sends);
	const struct aie_act act = {.kind = sends ? AIE_ACT_SEND : AIE_ACT_TAKE,
				    .process = event->process,
				    .channel = event->row,
				    .token = maker->tokens[side][event->row]++,
				    .use_count = move != NULL};
	const struct ptowsp_tensor_arg *window = move ? &move->window : NULL;
	const struct reach reach = {0, window ? (int64_t)window->columns : 0, sends, !sends};
	struct aie_argument argument;

	act_add(maker, &act);
	if (!move)
		return;
	argument = argument_of(maker, window, &reach, sends, !sends);
	use_add(maker, &argument);
}

/* ---- all --------------------------------------------------------------------------------------------------------------- */

static void begin(struct maker *maker)
{
	const struct base_walk *walk = maker->args->walk;

	uint32_t most = 0;

	for (uint64_t t = 0; t < walk->task_count; t++) {
		maker->kernel_count = walk->tasks[t].kernel >= maker->kernel_count ? walk->tasks[t].kernel + 1 : maker->kernel_count;
		most = walk->tasks[t].tensor_count > most ? walk->tasks[t].tensor_count : most;
	}
	maker->scales = common_take(&maker->arena, (size_t)most + 1, 1);
	maker->arguments = common_take(&maker->arena, (size_t)most + 1, sizeof(*maker->arguments));
	maker->parts = common_take(&maker->arena, (size_t)most + 1, sizeof(*maker->parts));
	maker->channels = walk->limits.channels;
	maker->acts->processes = walk->limits.processes;
	maker->footprints = common_take(&maker->arena, (size_t)maker->kernel_count + 1, sizeof(*maker->footprints));
	maker->seen = common_take(&maker->arena, ((size_t)walk->limits.processes + 1) * (maker->channels + 1) * SIDES, sizeof(*maker->seen));
	for (int side = 0; side < SIDES; side++)
		maker->tokens[side] = common_take(&maker->arena, (size_t)maker->channels + 1, sizeof(uint64_t));
}

static void end(struct maker *maker)
{
	for (uint32_t k = 0; maker->footprints && k < maker->kernel_count; k++)
		rt_footprint_finish(&maker->footprints[k]);
	rt_footprint_finish(&maker->varied);
	free(maker->made);
	common_arena_finish(&maker->arena);
}

/* Events that order tasks of a workload become acts; a process does its own one after the other. */
static void order_add(struct maker *maker, const struct base_walk_event *event)
{
	struct aie_act act = {.process = PTOWSP_NONE, .task = event->number};

	if (event->process != PTOWSP_NONE)
		return;
	switch (event->kind) {
	case RT_ITEM_ORDER_BEGIN: act.kind = AIE_ACT_BEGIN; break;
	case RT_ITEM_ORDER_STEP: act.kind = AIE_ACT_STEP; break;
	case RT_ITEM_ORDER_END: act.kind = AIE_ACT_END; break;
	case RT_ITEM_BARRIER:
	case RT_ITEM_WAIT:
	case RT_ITEM_FENCE: act.kind = AIE_ACT_GATE; break;
	default: return;
	}
	act_add(maker, &act);
}

static void closing_add(struct maker *maker, const struct base_walk_event *event, uint8_t kind)
{
	act_add(maker, &(struct aie_act){.kind = kind, .process = event->process, .channel = event->row});
}

static void event_add(struct maker *maker, const struct base_walk_event *event)
{
	switch (event->kind) {
	case RT_ITEM_SEND:
	case RT_ITEM_TAKE: token_add(maker, event); break;
	case RT_ITEM_FINISH:
		if (!event->number)
			closing_add(maker, event, AIE_ACT_CLOSE);
		break;
	case RT_ITEM_CLOSED: closing_add(maker, event, AIE_ACT_LEAVE); break;
	default: order_add(maker, event); break;
	}
}

/* ---- edges that nothing touched asks for -------------------------------------------------------------------------------- */

static bool uses_meet(const struct aie_acts *acts, const struct aie_use *a, const struct aie_use *b)
{
	bool meet = a->area == b->area;

	for (uint32_t m = acts->areas.first[a->area]; !meet && m < acts->areas.first[a->area + 1]; m++)
		meet = acts->areas.meets[m] == b->area;
	return meet && (a->writes || b->writes);
}

static bool acts_meet(const struct aie_acts *acts, const struct aie_act *a, const struct aie_act *b)
{
	for (uint32_t x = a->uses; x < a->uses + a->use_count; x++)
		for (uint32_t y = b->uses; y < b->uses + b->use_count; y++)
			if (uses_meet(acts, &acts->uses[x], &acts->uses[y]))
				return true;
	return false;
}

/* calls: per task, its act. */
static void preds_find(struct maker *maker, struct aie_act *act, const uint32_t *calls)
{
	struct aie_acts *acts = maker->acts;
	const struct base_walk_task *task = &maker->args->walk->tasks[act->task];

	act->preds = acts->pred_count;
	for (uint32_t p = 0; p < task->pred_count && !base_patience_over(acts->patience, 1); p++) {
		uint64_t pred = maker->args->walk->preds[task->preds + p];

		if (acts_meet(acts, &acts->rows[calls[pred]], act))
			continue;
		GROW(maker, acts->preds, acts->pred_room, acts->pred_count);
		acts->preds[acts->pred_count++] = pred;
	}
	act->pred_count = acts->pred_count - act->preds;
}

static void edges_find(struct maker *maker)
{
	struct aie_acts *acts = maker->acts;
	uint32_t *calls = common_take(&maker->arena, maker->args->walk->task_count + 1, sizeof(*calls));

	for (uint32_t a = 0; a < acts->count; a++)
		if (acts->rows[a].kind == AIE_ACT_CALL)
			calls[acts->rows[a].task] = a;
	for (uint32_t a = 0; a < acts->count; a++)
		if (acts->rows[a].kind == AIE_ACT_CALL && acts->rows[a].process == PTOWSP_NONE)
			preds_find(maker, &acts->rows[a], calls);
}

/* ---- all, again --------------------------------------------------------------------------------------------------------- */

/* Tasks, tokens and what orders them, as they follow each other. */
static void merge(struct maker *maker)
{
	const struct base_walk *walk = maker->args->walk;
	uint64_t task = 0;

	for (uint32_t e = 0; e <= walk->event_count; e++) {
		uint64_t to = e < walk->event_count ? walk->events[e].at : walk->task_count;

		while (task < to) {
			expect(maker, base_patience_over(maker->acts->patience, 1) ? PTOWSP_NO_MEMORY : PTOWSP_OK);
			call_add(maker, task++);
		}
		if (e < walk->event_count)
			event_add(maker, &walk->events[e]);
	}
}

static void all_make(void *context)
{
	struct maker *maker = context;

	begin(maker);
	merge(maker);
	expect(maker, aie_closings_settle(maker->acts, maker->channels, maker->error));
	expect(maker, aie_areas_meet(&maker->acts->areas, maker->acts->patience, maker->error));
	edges_find(maker);
}

ptowsp_status aie_acts_make(struct aie_acts *acts, const struct aie_acts_args *args, struct ptowsp_error *error)
{
	struct maker maker = {.acts = acts, .args = args, .error = error};

	aie_acts_finish(acts);
	acts->patience = args->patience;
	acts->first = args->walk->first;
	common_arena_init(&maker.arena, SIZE_MAX, &maker.out);
	if (!common_job(&maker.out, all_make, &maker) && !maker.status)
		maker.status = rt_no_memory(error, "the acts of a plan");
	end(&maker);
	return maker.status;
}

void aie_acts_finish(struct aie_acts *acts)
{
	free(acts->rows);
	free(acts->uses);
	free(acts->preds);
	aie_areas_finish(&acts->areas);
	memset(acts, 0, sizeof(*acts));
}
