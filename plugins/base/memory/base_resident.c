/* SPDX-License-Identifier: MIT */
#include "base/memory/base_resident.h"

#include "base/error.h"
#include "base/planned.h"
#include "registry/common/common_grow.h"
#include "rt/program/dtype.h"
#include <stdlib.h>
#include <string.h>

/* ---- which regions there are ---------------------------------------------------------------------------------------------- */

/* Regions that begin at or before the address are counted. */
static uint32_t regions_before(const struct base_resident *resident, const unsigned char *at)
{
	uint32_t low = 0, high = resident->region_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (resident->regions[middle]->base <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Under the lock. NULL: these bytes lie in none. */
static struct base_region *region_of(const struct base_resident *resident, const void *data, uint64_t bytes)
{
	const unsigned char *at = data;
	const uint32_t before = regions_before(resident, at);
	struct base_region *last = before ? resident->regions[before - 1] : NULL;

	return last && at + bytes <= last->base + last->bytes ? last : NULL;
}

/* Under the lock, before any of them has memory of the device where they may overlap: those that do are one. False without memory. */
static bool region_add(struct base_resident *resident, const struct base_region *region)
{
	uint32_t at = regions_before(resident, region->base);
	struct base_region *last = at ? resident->regions[at - 1] : NULL, *added;
	unsigned char *end = region->base + region->bytes;

	if (last && region->base < last->base + last->bytes) {
		if (end > last->base + last->bytes) { /* longer than a buffer, if it is one: a part of this memory was imported */
			last->bytes = (uint64_t)(end - last->base);
			last->own = NULL;
			last->stays = false;
			last->written = false;
		}
		return true;
	}
	added = COMMON_GROW(resident->regions, resident->region_room, resident->region_count) ? malloc(sizeof(*added)) : NULL;
	if (!added)
		return false;
	*added = *region;
	memmove(&resident->regions[at + 1], &resident->regions[at], (resident->region_count++ - at) * sizeof(*resident->regions));
	resident->regions[at] = added;
	return true;
}

/* A tensor of the run: memory of the host, or the whole buffer that it lies in. */
static bool tensor_add(struct base_resident *resident, const struct ptowsp_binding *binding)
{
	const struct base_buffer *buffer = base_buffer_of(binding);
	const bool stays = buffer && buffer->own;
	const struct base_region region = {
		.base = stays ? buffer->place : binding->data,
		.bytes = stays ? buffer->bytes : binding->elements * rt_dtype_bytes(binding->dtype),
		.own = stays ? buffer->own : NULL,
		.stays = stays,
		.written = stays,
	};

	return region_add(resident, &region);
}

/* By address, so that of two that overlap the later one begins inside the earlier. */
static int by_address(const void *a, const void *b)
{
	const struct ptowsp_binding *const *x = a, *const *y = b;

	return ((*x)->data > (*y)->data) - ((*x)->data < (*y)->data);
}

/* A run on several devices has none of its tensors here where memory is apart, but for those in buffers, which are this device's: another device may look at what a task has written as soon as it is
 * told, so a task's windows are strays. */
static ptowsp_status regions_begin(struct base_resident *resident, const struct rt_run_args *run, struct ptowsp_error *error)
{
	const struct ptowsp_run_args *const args = run->args;
	const bool alone = !run->notify || resident->shares;
	const struct ptowsp_binding **sorted = malloc((args->binding_count + (size_t)1) * sizeof(*sorted));
	bool made = sorted != NULL;

	for (uint32_t b = 0; made && b < args->binding_count; b++)
		sorted[b] = base_binding_at(args, b);
	if (made)
		qsort(sorted, args->binding_count, sizeof(*sorted), by_address);
	for (uint32_t b = 0; made && b < args->binding_count; b++)
		if ((alone || base_buffer_of(sorted[b])) && sorted[b]->data && sorted[b]->elements)
			made = tensor_add(resident, sorted[b]);
	free(sorted);
	memset(resident->bytes, 0, sizeof(resident->bytes));
	memset(resident->times, 0, sizeof(resident->times));
	resident->failed = (struct ptowsp_error){.head = PTOWSP_HEAD(resident->failed, ERROR)};
	return made ? PTOWSP_OK : base_fail(error, PTOWSP_NO_MEMORY, "no memory for %u tensors", args->binding_count);
}

/* ---- what lies there ------------------------------------------------------------------------------------------------------ */

/* Under the lock, as all of these; a failure is kept for the end. */
static void keep(struct base_resident *resident, ptowsp_status status, const struct ptowsp_error *error)
{
	if (status && !resident->failed.code) {
		resident->failed = *error;
		resident->failed.code = status;
	}
}

static void move(struct base_resident *resident, const struct base_region *r, uint64_t at, uint64_t bytes, bool there)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

	keep(resident, resident->memory->move(resident->device, r->own, at, r->base + at, bytes, there, &error), &error);
	resident->bytes[there] += bytes;
	resident->times[there]++;
}

/* False: the device has no memory for it. */
static bool region_make(struct base_resident *resident, struct base_region *r)
{
	if (r->own)
		return true;
	if (resident->memory->make(resident->device, r->base, r->bytes, &r->own, NULL))
		r->own = NULL;
	if (r->own && !resident->shares && !r->versions)
		move(resident, r, 0, r->bytes, true);
	return r->own != NULL;
}

static void region_free(const struct base_resident *resident, struct base_region *r)
{
	if (r->own && !r->stays)
		resident->memory->free(resident->device, r->own);
	free(r);
}

/* Under the lock: a driver may use memory of the host until its buffer is released. */
static void region_remove(struct base_resident *resident, const void *base)
{
	const uint32_t at = regions_before(resident, base);

	if (!at || resident->regions[at - 1]->base != base)
		return;
	region_free(resident, resident->regions[at - 1]);
	memmove(&resident->regions[at - 1], &resident->regions[at], (resident->region_count-- - at) * sizeof(*resident->regions));
}

/* ---- the mirror ----------------------------------------------------------------------------------------------------------- */

/* Without memory for a region a task's windows there are strays. */
static void arena(void *context, void *base, uint64_t bytes)
{
	struct base_resident *resident = context;

	pthread_mutex_lock(&resident->lock);
	if (bytes)
		region_add(resident, &(struct base_region){.base = base, .bytes = bytes, .versions = true});
	else
		region_remove(resident, base);
	pthread_mutex_unlock(&resident->lock);
}

/* Bytes that are nowhere else newer: those of a tensor that no task has written do not come back, and those of one that is not there do not go there. */
static void bring(struct base_resident *resident, const void *at, uint64_t bytes, bool there)
{
	struct base_region *r;

	if (resident->shares)
		return;
	pthread_mutex_lock(&resident->lock);
	r = region_of(resident, at, bytes);
	if (r && r->own && (there || atomic_load(&r->written)))
		move(resident, r, (uint64_t)((const unsigned char *)at - r->base), bytes, there);
	pthread_mutex_unlock(&resident->lock);
}

static void fetch(void *context, const void *at, uint64_t bytes)
{
	bring(context, at, bytes, false);
}

static void push(void *context, const void *at, uint64_t bytes)
{
	bring(context, at, bytes, true);
}

static void clear(void *context, void *at, uint64_t bytes)
{
	struct base_resident *resident = context;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct base_region *r;

	if (resident->shares) {
		memset(at, 0, (size_t)bytes);
		return;
	}
	pthread_mutex_lock(&resident->lock);
	r = region_of(resident, at, bytes);
	if (r && region_make(resident, r)) {
		keep(resident, resident->memory->clear(resident->device, r->own, (uint64_t)((unsigned char *)at - r->base), bytes, &error), &error);
		atomic_store(&r->written, true);
	} else {
		memset(at, 0, (size_t)bytes);
	}
	pthread_mutex_unlock(&resident->lock);
}

/* ---- a run ---------------------------------------------------------------------------------------------------------------- */

void base_resident_init(struct base_resident *resident, const struct base_device *device)
{
	*resident = (struct base_resident){.device = device, .memory = base_buffers_of(device), .mirror = {resident, arena, fetch, push, clear}};
	resident->shares = !base_buffers_apart(device);
	pthread_mutex_init(&resident->lock, NULL);
}

void base_resident_finish(struct base_resident *resident)
{
	free(resident->regions);
	pthread_mutex_destroy(&resident->lock);
}

static void regions_end(struct base_resident *resident)
{
	for (uint32_t i = 0; i < resident->region_count; i++) {
		struct base_region *r = resident->regions[i];

		if (r->own && !resident->shares && !r->versions && !r->stays && atomic_load(&r->written))
			move(resident, r, 0, r->bytes, false);
		region_free(resident, r);
	}
	resident->region_count = 0;
}

ptowsp_status base_resident_run(struct base_resident *resident, struct base_program *program, const struct rt_run_args *args,
				struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	ptowsp_status status = regions_begin(resident, args, error);

	if (!status)
		status = rt_run(program->rt, args, stats_out, deadlock_out, error);
	regions_end(resident);
	return status || !resident->failed.code ? status : base_fail(error, resident->failed.code, "%s", resident->failed.text);
}

static ptowsp_status figures(struct ptowsp_object *object, const struct ptowsp_figure **rows_out, uint32_t *count_out, uint32_t *stride_out,
			     struct ptowsp_error *error)
{
	static const char *const names[2] = {"from the device", "to the device"};
	struct base_resident *resident = ((const struct base_program *)object)->kernels.compute->mirror->context;

	(void)error;
	for (unsigned there = 0; there < 2; there++) {
		struct ptowsp_figure *row = &resident->figures[2 * there];

		base_text(row[0].name, sizeof(row->name), "%s", names[there]);
		base_text(row[1].name, sizeof(row->name), "%s, transfers", names[there]);
		base_text(row[0].unit, sizeof(row->unit), "bytes");
		row[0].value = resident->bytes[there];
		row[1].value = resident->times[there];
		base_text(row[0].group, sizeof(row->group), "moved");
		base_text(row[1].group, sizeof(row->group), "moved");
	}
	*rows_out = resident->figures;
	*count_out = resident->shares ? 0 : sizeof(resident->figures) / sizeof(*resident->figures);
	*stride_out = sizeof(*resident->figures);
	return PTOWSP_OK;
}

const struct ptowsp_report_extension base_resident_report = {.head = PTOWSP_HEAD(base_resident_report, EXTENSION), .figures = figures};

/* ---- windows -------------------------------------------------------------------------------------------------------------- */

static void place_find(struct base_resident *resident, struct base_place *p)
{
	struct base_region *r = NULL;

	pthread_mutex_lock(&resident->lock);
	if (p->bytes)
		r = region_of(resident, p->first, p->bytes);
	r = r && region_make(resident, r) ? r : NULL;
	pthread_mutex_unlock(&resident->lock);
	p->is_stray = !r && p->bytes;
	if (!r)
		return;
	p->own = r->own;
	p->offset = (uint64_t)(p->first - r->base);
	if (p->written)
		atomic_store(&r->written, true);
}

bool base_places_find(struct base_resident *resident, struct base_place *places_out, const struct ptowsp_task *task, const struct ptowsp_tile_param *params,
		      uint32_t count)
{
	bool strays = false;

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_tensor_arg *w = (const void *)((const unsigned char *)task->tensors + (size_t)i * task->tensor_stride);
		const uint64_t last = w->rows && w->columns ? (w->rows - 1) * w->row_stride + (w->columns - 1) * w->column_stride + 1 : 0;

		places_out[i] = (struct base_place){
			.window = w, .first = w->data, .bytes = last * rt_dtype_bytes(w->dtype), .owner = i, .written = params[i].access & PTOWSP_WRITE};
		place_find(resident, &places_out[i]);
		strays = strays || places_out[i].is_stray;
	}
	return !strays;
}

/* True: they met, and now both have the bytes of both. */
static bool strays_meet(struct base_place *a, struct base_place *b)
{
	unsigned char *const first = a->first < b->first ? a->first : b->first, *const end = a->first + a->bytes > b->first + b->bytes ? a->first + a->bytes
																       : b->first + b->bytes;
	const uint32_t owner = a->owner < b->owner ? a->owner : b->owner;
	const uint64_t bytes = (uint64_t)(end - first);

	if (!a->is_stray || !b->is_stray || a->first >= b->first + b->bytes || b->first >= a->first + a->bytes)
		return false;
	if (a->owner == b->owner && a->bytes == bytes && b->bytes == bytes)
		return false;
	a->first = b->first = first;
	a->bytes = b->bytes = bytes;
	a->owner = b->owner = owner;
	return true;
}

static void strays_join(struct base_place *places, uint32_t count)
{
	for (bool met = true; met;) {
		met = false;
		for (uint32_t i = 0; i < count; i++)
			for (uint32_t k = 0; k < i; k++)
				met |= strays_meet(&places[i], &places[k]);
	}
}

static ptowsp_status stray_move(struct base_resident *resident, const struct base_place *p, void *bytes, bool there, struct ptowsp_error *error)
{
	pthread_mutex_lock(&resident->lock);
	resident->bytes[there] += p->bytes;
	resident->times[there]++;
	pthread_mutex_unlock(&resident->lock);
	return resident->memory->move(resident->device, p->own, 0, bytes, p->bytes, there, error);
}

/* Gaps between rows go there, too, and do not come back. */
ptowsp_status base_strays_send(struct base_resident *resident, struct base_place *places, uint32_t count, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	strays_join(places, count);
	for (uint32_t i = 0; !status && i < count; i++) {
		struct base_place *p = &places[i];

		if (!p->is_stray)
			continue;
		if (p->owner == i)
			status = resident->memory->make(resident->device, p->first, p->bytes, &p->own, error);
		if (!status && p->owner == i && !resident->shares)
			status = stray_move(resident, p, p->first, true, error);
		p->own = places[p->owner].own;
		p->offset = (uint64_t)((unsigned char *)p->window->data - p->first);
	}
	return status;
}

/* Elements of a window, out of the bytes of its memory. */
static void window_take(const struct base_place *p, const unsigned char *bytes)
{
	const struct ptowsp_tensor_arg *w = p->window;
	const uint64_t size = rt_dtype_bytes(w->dtype), pieces = w->column_stride == 1 ? 1 : w->columns,
		       piece = w->column_stride == 1 ? w->columns * size : size;

	for (uint64_t i = 0; i < w->rows; i++)
		for (uint64_t j = 0; j < pieces; j++) {
			const uint64_t at = (i * w->row_stride + j * w->column_stride) * size;

			memcpy((unsigned char *)w->data + at, bytes + p->offset + at, piece);
		}
}

static ptowsp_status stray_take(struct base_resident *resident, const struct base_place *p, struct ptowsp_error *error)
{
	unsigned char *bytes = malloc(p->bytes);
	ptowsp_status status = bytes ? stray_move(resident, p, bytes, false, error) : base_fail(error, PTOWSP_NO_MEMORY, "no memory for the windows of a task");

	if (!status)
		window_take(p, bytes);
	free(bytes);
	return status;
}

ptowsp_status base_strays_take(struct base_resident *resident, const struct base_place *places, uint32_t count, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < count; i++)
		if (places[i].is_stray && places[i].written && !resident->shares)
			status = stray_take(resident, &places[i], error);
	return status;
}

void base_strays_finish(const struct base_resident *resident, const struct base_place *places, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (places[i].is_stray && places[i].owner == i && places[i].own)
			resident->memory->free(resident->device, places[i].own);
}
