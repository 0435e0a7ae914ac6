/* SPDX-License-Identifier: MIT */
#include "aie/graph/divided.h"

#include "aie/design/map.h"
#include "aie/graph/fits.h"
#include "base/instance.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_grow.h"
#include "registry/common/common_names.h"
#include "registry/common/common_text.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include "rt/rt_feed.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 32, LINE = 64 /* bytes: where elements between pieces begin */, MOST_TASKS = 1 << 17 };
#define WHOLE UINT32_MAX

struct dividing {
	struct aie_divided *divided;
	const struct aie_acts *acts;
	const struct aie_map_args *args;
	struct aie_divided_way way;
	struct common_names keys; /* of rows */
	struct common_text key;   /* the latest */
	uint32_t *row_of;         /* per task: its row, WHOLE */
	uint32_t *act_of;         /* per task */
	uint64_t *first;          /* per task, and behind the last: its first part */
	uint32_t type_row[TYPES]; /* per element type: the TENS row of what lies between pieces, 0: none */
	uint64_t type_elements[TYPES];
	struct ptowsp_error *error;
	jmp_buf out;               /* whatever ends it all leaves by it */
	ptowsp_status status;      /* why it was left; OK: there was no memory */
	struct common_arena arena; /* of rows per task; leaves by `out` */
};

static _Noreturn void leave(struct dividing *d, ptowsp_status status)
{
	d->status = status;
	longjmp(d->out, 1);
}

static void memory(struct dividing *d, bool there)
{
	if (!there)
		longjmp(d->out, 1);
}

/* On the heap, so many zeroed elements. */
static void *take(struct dividing *d, size_t count, size_t size)
{
	void *taken = calloc(count, size);

	memory(d, taken);
	return taken;
}

/* ---- what a call is --------------------------------------------------------------------------------------------------------- */

static const struct ptowsp_tensor_arg *window_of(const struct dividing *d, const struct base_walk_task *task, uint32_t i)
{
	return &d->args->walk->tensors[task->tensors + i];
}

static struct aie_area area_of(const struct dividing *d, const struct ptowsp_tensor_arg *window)
{
	const uint64_t size = rt_dtype_bytes(window->dtype);

	return (struct aie_area){.tensor = window->tensor,
				 .dtype = window->dtype,
				 .flat = window->rows == 1,
				 .at = (uint64_t)((const char *)window->data - (const char *)d->args->bases[window->tensor]),
				 .rows = window->rows,
				 .columns = window->columns,
				 .stride = (window->rows == 1 ? window->columns : window->row_stride) * size};
}

/* The first argument with the same window. False: one of which either is written has only some elements in common with it. */
static bool same_find(const struct dividing *d, const struct base_walk_task *task, uint32_t i, uint32_t *same_out)
{
	const struct aie_area area = area_of(d, window_of(d, task, i));

	*same_out = i;
	for (uint32_t k = 0; k < i; k++) {
		const struct aie_area other = area_of(d, window_of(d, task, k));

		if (!((window_of(d, task, i)->access | window_of(d, task, k)->access) & PTOWSP_WRITE) || !aie_areas_touch(&area, &other))
			continue;
		if (area.dtype != other.dtype || area.at != other.at || area.rows != other.rows || area.columns != other.columns || area.stride != other.stride)
			return false;
		*same_out = *same_out == i ? k : *same_out;
	}
	return true;
}

struct windows {
	struct isa_grid grids[AIE_MOST_TENSORS];
	uint32_t same[AIE_MOST_TENSORS];
};

static ptowsp_status windows_find(const struct dividing *d, const struct base_walk_task *task, struct windows *windows)
{
	for (uint32_t i = 0; i < task->tensor_count; i++) {
		const struct ptowsp_tensor_arg *window = window_of(d, task, i);

		windows->grids[i] = (struct isa_grid){window->rows, window->columns, window->row_stride};
		if (!same_find(d, task, i, &windows->same[i]))
			return rt_fail(d->error, PTOWSP_UNSUPPORTED, "its argument %u overlaps another one in part", i);
	}
	return PTOWSP_OK;
}

static const char *key_make(struct dividing *d, const struct base_walk_task *task, const struct windows *windows)
{
	d->key.length = 0;
	common_text_add(&d->key, "%" PRIu32, task->kernel);
	for (uint32_t i = 0; i < task->arg_count; i++)
		common_text_add(&d->key, " %" PRIx64, d->args->walk->args[task->args + i]);
	for (uint32_t i = 0; i < task->tensor_count; i++)
		common_text_add(&d->key, ", %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32, windows->grids[i].rows, windows->grids[i].columns,
				windows->grids[i].stride, windows->same[i]);
	memory(d, !d->key.failed);
	return common_text_view(&d->key);
}

/* ---- rows ------------------------------------------------------------------------------------------------------------------- */

static ptowsp_status kernel_check(const struct dividing *d, const struct base_walk_task *task, const struct base_kernel **kernel_out)
{
	const struct base_kernel *kernel = task->kernel < d->args->served->count ? &d->args->served->rows[task->kernel] : NULL;

	*kernel_out = kernel;
	if (!kernel || !kernel->isa || kernel->ref.fn)
		return rt_fail(d->error, PTOWSP_UNSUPPORTED, "it is no portable code");
	if (d->args->objects && aie_kernel_object_is(&d->args->objects[task->kernel]))
		return rt_fail(d->error, PTOWSP_UNSUPPORTED, "the object that stands for it is one of whole calls");
	if (kernel->parts)
		return rt_fail(d->error, PTOWSP_UNSUPPORTED, "some of its tasks get parts of tiles");
	if (d->args->whole)
		return rt_fail(d->error, PTOWSP_UNSUPPORTED, "the schedule counts tasks");
	if (task->tensor_count > AIE_MOST_TENSORS || task->tensor_count < isa_program_header(kernel->isa)->param_count)
		return rt_fail(d->error, PTOWSP_UNSUPPORTED, "it has %u tensor arguments", task->tensor_count);
	return PTOWSP_OK;
}

/* Takes the row's division. */
static void row_add(struct dividing *d, const char *key, struct aie_divided_row row)
{
	struct aie_divided *divided = d->divided;
	const bool there = COMMON_GROW(divided->rows, divided->row_room, divided->row_count) && common_names_add(&d->keys, key);

	if (!there)
		aie_division_finish(&row.division);
	memory(d, there);
	divided->rows[divided->row_count++] = row;
}

static ptowsp_status row_make(struct dividing *d, const struct base_walk_task *task, const struct base_kernel *kernel, const struct windows *windows,
			      const char *key)
{
	const uint64_t stack = aie_arch_tile(d->args->arch, AIE_FIRST_CORE)->limits[AIE_STACK], there = aie_arch_core_bytes(d->args->arch);
	struct aie_division_args args = {.program = kernel->isa,
					 .scalars = d->args->walk->args + task->args,
					 .scalar_count = task->arg_count,
					 .blocks = kernel->blocks ? kernel->blocks : 1,
					 .grids = windows->grids,
					 .same = windows->same,
					 .bytes = there - stack,
					 .times = d->way.times};
	struct aie_divided_row row = {.kernel = task->kernel};
	ptowsp_status status = PTOWSP_UNSUPPORTED;

	for (; status == PTOWSP_UNSUPPORTED && args.times; args.times /= 2) {
		aie_division_finish(&row.division);
		status = aie_division_make(&row.division, &args, d->error);
	}
	if (status)
		aie_division_finish(&row.division);
	else
		row_add(d, key, row);
	return status;
}

static ptowsp_status row_find(struct dividing *d, const struct base_walk_task *task, uint32_t *row_out)
{
	const struct base_kernel *kernel;
	struct windows windows;
	uint32_t row;
	const char *key;
	ptowsp_status status = kernel_check(d, task, &kernel);

	if (!status)
		status = windows_find(d, task, &windows);
	if (status)
		return status;
	key = key_make(d, task, &windows);
	row = common_names_find(&d->keys, key);
	if (!row)
		status = row_make(d, task, kernel, &windows, key);
	*row_out = row ? row - 1 : d->divided->row_count - 1;
	return status;
}

static _Noreturn void refuse(struct dividing *d, const struct aie_act *act)
{
	const struct ptowsp_error why = *d->error;

	d->divided->refused = true;
	leave(d, aie_fits_refuse(d->acts, act, d->args, why.text, d->error));
}

/* A call that is whole, with memories beside its core; the error says why it is not divided. */
static void beside_note(struct dividing *d, const struct aie_act *act)
{
	struct aie_divided *divided = d->divided;
	const uint64_t need = aie_fits_need(d->acts, act, d->args->arch, 1);
	struct aie_divided_row row = {.kernel = act->kernel, .beside = true};
	char key[24];
	uint32_t number;

	snprintf(key, sizeof(key), "beside %" PRIu32, act->kernel);
	number = common_names_find(&d->keys, key);
	if (!number) {
		snprintf(row.division.text, sizeof(row.division.text), "whole, with memories beside its core (not divided: %.60s)", d->error->text);
		row_add(d, key, row);
		number = divided->row_count;
	}
	divided->beside = true;
	divided->rows[number - 1].calls++;
	if (divided->rows[number - 1].need < need)
		divided->rows[number - 1].need = need;
}

static void call_look(struct dividing *d, uint32_t a)
{
	const struct aie_act *act = &d->acts->rows[a];
	const uint64_t there = aie_arch_core_bytes(d->args->arch);
	uint32_t row;
	ptowsp_status status;

	d->act_of[act->task] = a;
	if (aie_fits_need(d->acts, act, d->args->arch, d->way.share) <= there)
		return;
	status = row_find(d, &d->args->walk->tasks[act->task], &row);
	if (status == PTOWSP_UNSUPPORTED) {
		if (aie_fits_need(d->acts, act, d->args->arch, 1) <= there)
			return;
		if (!aie_fits_near(d->acts, act, d->args->arch))
			refuse(d, act);
		beside_note(d, act);
		return;
	}
	if (status)
		leave(d, status);
	d->row_of[act->task] = row;
	if (!d->divided->rows[row].calls++)
		d->divided->rows[row].need = aie_fits_need(d->acts, act, d->args->arch, 1);
	d->divided->any = true;
}

static void rows_make(struct dividing *d)
{
	const uint64_t count = d->args->walk->task_count;

	d->row_of = common_take(&d->arena, count + 1, sizeof(*d->row_of));
	d->act_of = common_take(&d->arena, count + 1, sizeof(*d->act_of));
	d->first = common_take(&d->arena, count + 1, sizeof(*d->first));
	memset(d->row_of, 0xff, count * sizeof(*d->row_of));
	for (uint32_t a = 0; a < d->acts->count; a++)
		if (d->acts->rows[a].kind == AIE_ACT_CALL) {
			memory(d, !base_patience_over(d->acts->patience, 1));
			call_look(d, a);
		}
	for (uint64_t t = 0; t < count; t++)
		d->first[t + 1] = d->first[t] + (d->row_of[t] == WHOLE ? 1 : d->divided->rows[d->row_of[t]].division.part_count);
	if (d->divided->any && d->first[count] > MOST_TASKS)
		leave(d, rt_fail(d->error, PTOWSP_UNSUPPORTED,
				 "tasks that do not fit into a core become %llu, and this engine plans at most %d; give them smaller tiles",
				 (unsigned long long)d->first[count], MOST_TASKS));
}

/* ---- kernels ---------------------------------------------------------------------------------------------------------------- */

static void part_kernel_make(struct dividing *d, const struct aie_divided_row *row, uint32_t program, uint32_t kernel)
{
	struct aie_divided *divided = d->divided;
	const struct base_kernel *whole = &d->args->served->rows[row->kernel];
	const uint64_t scratch = isa_program_scratch(row->division.programs[program]);
	char *name = divided->names[kernel - divided->package - 1];

	snprintf(name, sizeof(*divided->names), "%.48s_part%u", whole->name, kernel - divided->package - 1);
	divided->kernels.rows[kernel] = (struct base_kernel){.name = name,
							     .symbol = whole->symbol,
							     .isa = row->division.programs[program],
							     .code = whole->code,
							     .fixed_cycles = (whole->fixed_cycles + row->division.part_count - 1) / row->division.part_count,
							     .arg_count = whole->arg_count,
							     .blocks = 1,
							     .unit = whole->unit};
	if (divided->stated)
		divided->stated[kernel] = divided->stated[row->kernel];
	if (scratch > divided->kernels.scratch_bytes)
		divided->kernels.scratch_bytes = (scratch + LINE - 1) / LINE * LINE;
}

static void kernels_make(struct dividing *d)
{
	struct aie_divided *divided = d->divided;
	const struct base_kernels *served = d->args->served;
	uint32_t count = served->count + 1;

	divided->package = served->count;
	for (uint32_t r = 0; r < divided->row_count; r++) {
		divided->rows[r].first = count;
		count += divided->rows[r].division.program_count;
	}
	divided->kernels = (struct base_kernels){.instance = served->instance, .workers = 1, .count = count};
	divided->kernels.rows = take(d, count, sizeof(*divided->kernels.rows));
	divided->names = take(d, count - divided->package, sizeof(*divided->names));
	divided->stated = d->args->stated ? take(d, count, 1) : NULL;
	memcpy(divided->kernels.rows, served->rows, served->count * sizeof(*served->rows));
	if (divided->stated)
		memcpy(divided->stated, d->args->stated, d->args->kernel_count);
	divided->kernels.rows[divided->package] = (struct base_kernel){.name = "copy", .blocks = 1};
	for (uint32_t r = 0; r < divided->row_count; r++)
		for (uint32_t p = 0; p < divided->rows[r].division.program_count; p++)
			part_kernel_make(d, &divided->rows[r], p, divided->rows[r].first + p);
	divided->kernels.scratch = base_alloc(served->instance, divided->kernels.scratch_bytes);
	memory(d, divided->kernels.scratch);
}

/* ---- tasks ------------------------------------------------------------------------------------------------------------------ */

/* Offset of a task's tile between its pieces, in its type's tensor. place: 1 more in elements; 0: not yet. */
static uint64_t between_of(struct dividing *d, const struct ptowsp_tile_param *tile, uint64_t *place)
{
	const uint64_t size = rt_dtype_bytes(tile->dtype), line = LINE / size;

	if (!d->type_row[tile->dtype])
		d->type_row[tile->dtype] = d->divided->own + ++d->divided->tensor_count;
	if (!*place) {
		*place = d->type_elements[tile->dtype] + 1;
		d->type_elements[tile->dtype] += ((uint64_t)tile->rows * tile->columns + line - 1) / line * line;
	}
	return (*place - 1) * size;
}

static void window_add(struct dividing *d, const struct ptowsp_tensor_arg *window)
{
	struct base_walk *walk = &d->divided->walk;

	memory(d, COMMON_GROW(walk->tensors, walk->tensor_room, walk->tensor_count));
	walk->tensors[walk->tensor_count++] = *window;
}

/* The window of a slice. A tile between pieces counts from no address yet. */
static void slice_add(struct dividing *d, const struct base_walk_task *task, const struct isa_program *whole, const struct isa_slice *slice, uint64_t *places)
{
	const uint32_t params = isa_program_header(whole)->param_count;
	struct ptowsp_tensor_arg window = {.rows = slice->grid.rows, .columns = slice->grid.columns, .row_stride = slice->grid.stride, .column_stride = 1};

	window.access = (uint16_t)((slice->reads ? PTOWSP_READ : 0) | (slice->writes ? PTOWSP_WRITE : 0));
	if (slice->param < params) {
		const struct ptowsp_tensor_arg *of = window_of(d, task, slice->param);

		window.tensor = of->tensor;
		window.dtype = of->dtype;
		window.data = (char *)of->data + slice->at * rt_dtype_bytes(of->dtype);
	} else {
		const struct ptowsp_tile_tile *tile = &isa_program_tiles(whole)[slice->param - params];
		const struct ptowsp_tile_param shape = {.dtype = tile->dtype, .rows = tile->rows, .columns = tile->columns};

		window.dtype = tile->dtype;
		window.data = (void *)(uintptr_t)(between_of(d, &shape, &places[slice->param - params]) + slice->at * rt_dtype_bytes(tile->dtype));
		window.tensor = d->type_row[tile->dtype] - 1;
	}
	window_add(d, &window);
}

/* Tasks that it follows although both touch nothing of the other's, each with all its parts. */
static void preds_add(struct dividing *d, uint64_t task, struct base_walk_task *row)
{
	const struct aie_act *act = &d->acts->rows[d->act_of[task]];
	struct base_walk *walk = &d->divided->walk;

	row->preds = walk->pred_count;
	for (uint32_t p = act->preds; p < act->preds + act->pred_count; p++)
		for (uint64_t part = d->first[d->acts->preds[p]]; part < d->first[d->acts->preds[p] + 1]; part++) {
			memory(d, COMMON_GROW(walk->preds, walk->pred_room, walk->pred_count));
			walk->preds[walk->pred_count++] = part;
		}
	row->pred_count = walk->pred_count - (uint32_t)row->preds;
}

static void parts_add(struct dividing *d, uint64_t task, const struct aie_divided_row *row, uint64_t *places)
{
	const struct base_walk_task *whole = &d->args->walk->tasks[task];
	const struct isa_program *program = d->args->served->rows[row->kernel].isa;
	const struct aie_division *division = &row->division;

	memset(places, 0, isa_program_header(program)->tile_count * sizeof(*places));
	for (uint32_t p = 0; p < division->part_count; p++) {
		struct base_walk_task *part = &d->divided->walk.tasks[d->first[task] + p];

		*part = *whole;
		part->kernel = row->first + division->parts[p].program;
		part->tensors = d->divided->walk.tensor_count;
		part->tensor_count = division->parts[p].count;
		part->cycles = whole->cycles / division->part_count;
		for (uint32_t s = 0; s < part->tensor_count; s++)
			slice_add(d, whole, program, &division->slices[division->parts[p].slices + s], places);
		preds_add(d, task, part);
		d->divided->tasks[d->first[task] + p] = task;
	}
}

static void task_add(struct dividing *d, uint64_t task)
{
	d->divided->walk.tasks[d->first[task]] = d->args->walk->tasks[task];
	d->divided->tasks[d->first[task]] = task;
	preds_add(d, task, &d->divided->walk.tasks[d->first[task]]);
}

static uint32_t tiles_most(const struct dividing *d)
{
	uint32_t most = 0;

	for (uint32_t r = 0; r < d->divided->row_count; r++) {
		const struct aie_divided_row *row = &d->divided->rows[r];
		const uint32_t tiles = row->beside ? 0 : isa_program_header(d->args->served->rows[row->kernel].isa)->tile_count;

		most = tiles > most ? tiles : most;
	}
	return most;
}

static void event_move(const struct dividing *d, struct base_walk_event *event)
{
	const bool counts = event->kind != RT_ITEM_SEND && event->kind != RT_ITEM_TAKE && event->kind != RT_ITEM_FINISH;

	event->at = d->first[event->at];
	if (counts && event->number <= d->args->walk->task_count)
		event->number = d->first[event->number];
}

static void walk_make(struct dividing *d)
{
	const struct base_walk *from = d->args->walk;
	struct base_walk *walk = &d->divided->walk;
	uint64_t *places = common_take(&d->arena, tiles_most(d) + 1u, sizeof(*places));

	*walk = *from;
	walk->task_count = d->first[from->task_count];
	walk->tasks = NULL;
	walk->tensors = NULL;
	walk->events = NULL;
	walk->preds = NULL;
	walk->pred_count = walk->pred_room = 0;
	walk->tasks = take(d, walk->task_count + 1, sizeof(*walk->tasks));
	walk->tensors = take(d, from->tensor_count + 1u, sizeof(*walk->tensors));
	walk->tensor_room = from->tensor_count + 1;
	walk->events = take(d, from->event_count + 1u, sizeof(*walk->events));
	d->divided->tasks = take(d, walk->task_count + 1, sizeof(*d->divided->tasks));
	if (from->tensor_count)
		memcpy(walk->tensors, from->tensors, from->tensor_count * sizeof(*walk->tensors));
	for (uint64_t t = 0; t < from->task_count; t++)
		if (d->row_of[t] == WHOLE)
			task_add(d, t);
		else
			parts_add(d, t, &d->divided->rows[d->row_of[t]], places);
	for (uint32_t e = 0; e < from->event_count; e++) {
		walk->events[e] = from->events[e];
		event_move(d, &walk->events[e]);
	}
}

/* ---- tensors ---------------------------------------------------------------------------------------------------------------- */

static void tables_make(struct dividing *d)
{
	struct aie_divided *divided = d->divided;
	const uint32_t own = divided->own, count = own + divided->tensor_count;

	divided->tensors = take(d, count + 1u, sizeof(*divided->tensors));
	divided->bases = take(d, count + 1u, sizeof(*divided->bases));
	divided->kept = take(d, count + 1u, 1);
	divided->layouts = d->args->layouts ? take(d, count + 1u, sizeof(*divided->layouts)) : NULL;
	memcpy(divided->tensors, d->args->tensors, own * sizeof(*divided->tensors));
	memcpy(divided->bases, d->args->bases, own * sizeof(*divided->bases));
	memcpy(divided->kept, d->args->kept, own);
	if (divided->layouts)
		memcpy(divided->layouts, d->args->layouts, own * sizeof(*divided->layouts));
	divided->tensor_count = count;
}

/* Memory for what lies between pieces, from which windows there count. */
static void between_make(struct dividing *d)
{
	struct aie_divided *divided = d->divided;
	struct base_walk *walk = &divided->walk;
	uint64_t bytes = 0;

	tables_make(d);
	for (uint32_t t = 0; t < TYPES; t++)
		bytes += d->type_elements[t] * rt_dtype_bytes((uint16_t)t);
	divided->between = take(d, 1, bytes + LINE);
	bytes = 0;
	for (uint32_t t = 0; t < TYPES; t++) {
		if (!d->type_row[t])
			continue;
		divided->tensors[d->type_row[t] - 1] = (struct aie_tensor){d->type_elements[t], (uint16_t)t};
		divided->bases[d->type_row[t] - 1] = divided->between + bytes;
		bytes += d->type_elements[t] * rt_dtype_bytes((uint16_t)t);
	}
	for (uint32_t w = d->args->walk->tensor_count; w < walk->tensor_count; w++)
		if (walk->tensors[w].tensor >= divided->own)
			walk->tensors[w].data = (char *)divided->bases[walk->tensors[w].tensor] + (uintptr_t)walk->tensors[w].data;
}

/* ---- all -------------------------------------------------------------------------------------------------------------------- */

static void all_make(void *context)
{
	struct dividing *d = context;

	rows_make(d);
	if (!d->divided->any)
		return;
	kernels_make(d);
	walk_make(d);
	between_make(d);
}

ptowsp_status aie_divided_make(struct aie_divided *divided, const struct aie_acts *acts, const struct aie_map_args *args, struct aie_divided_way way,
			       struct ptowsp_error *error)
{
	struct dividing d = {.divided = divided, .acts = acts, .args = args, .way = way, .error = error};

	aie_divided_finish(divided);
	divided->own = args->tensor_count;
	divided->beside = way.beside;
	common_arena_init(&d.arena, SIZE_MAX, &d.out);
	if (!common_job(&d.out, all_make, &d) && !d.status)
		d.status = rt_no_memory(error, "tasks that are divided");
	common_names_finish(&d.keys);
	common_text_finish(&d.key);
	common_arena_finish(&d.arena);
	return d.status;
}

void aie_divided_finish(struct aie_divided *divided)
{
	for (uint32_t r = 0; r < divided->row_count; r++)
		aie_division_finish(&divided->rows[r].division);
	if (divided->kernels.instance)
		base_release(divided->kernels.instance, divided->kernels.scratch, divided->kernels.scratch_bytes);
	free(divided->rows);
	free(divided->kernels.rows);
	free(divided->walk.tasks);
	free(divided->walk.tensors);
	free(divided->walk.preds);
	free(divided->walk.events);
	free(divided->tasks);
	free(divided->tensors);
	free(divided->bases);
	free(divided->kept);
	free(divided->layouts);
	free(divided->stated);
	free(divided->between);
	free(divided->names);
	memset(divided, 0, sizeof(*divided));
}
