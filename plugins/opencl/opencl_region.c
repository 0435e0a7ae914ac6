/* SPDX-License-Identifier: MIT */
/* opencl_region.c - the memory of a run as memory of the device: tensors, and versions of temp tensors. A device that shares memory with the host uses it where it lies. On another one each has
 * a buffer: what a tensor holds goes there when the first task touches it and comes back when the run ends, or when the host looks at it before (rt_mirror). */
#include "opencl/opencl_program.h"

#include "base/error.h"
#include "base/planned.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>
#include <string.h>

/* ---- which there are ------------------------------------------------------------------------------------------------------ */

/* Regions that begin at or before the address. */
static uint32_t regions_before(const struct opencl_program *own, const unsigned char *at)
{
	uint32_t low = 0, high = own->region_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (own->regions[middle]->base <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Under the lock. NULL: these bytes lie in none. */
static struct opencl_region *region_of(const struct opencl_program *own, const void *data, uint64_t bytes)
{
	const unsigned char *at = data;
	const uint32_t before = regions_before(own, at);
	struct opencl_region *last = before ? own->regions[before - 1] : NULL;

	return last && at + bytes <= last->base + last->bytes ? last : NULL;
}

/* Under the lock, before any of them has a buffer where they may overlap: those that do are one. False without memory. */
static bool region_add(struct opencl_program *own, void *base, uint64_t bytes, bool versions)
{
	uint32_t at = regions_before(own, base);
	struct opencl_region *last = at ? own->regions[at - 1] : NULL, *added;
	unsigned char *end = (unsigned char *)base + bytes;

	if (last && (unsigned char *)base < last->base + last->bytes) {
		last->bytes = end > last->base + last->bytes ? (uint64_t)(end - last->base) : last->bytes;
		return true;
	}
	added = COMMON_GROW(own->regions, own->region_room, own->region_count) ? malloc(sizeof(*added)) : NULL;
	if (!added)
		return false;
	*added = (struct opencl_region){.base = base, .bytes = bytes, .versions = versions};
	memmove(&own->regions[at + 1], &own->regions[at], (own->region_count++ - at) * sizeof(*own->regions));
	own->regions[at] = added;
	return true;
}

/* By address, so that of two that overlap the later one begins inside the earlier. */
static int by_address(const void *a, const void *b)
{
	const struct ptowsp_binding *const *x = a, *const *y = b;

	return ((*x)->data > (*y)->data) - ((*x)->data < (*y)->data);
}

/* A run on several devices has none of its tensors here where memory is apart: another device may look at what a task has written as soon as it is told, so a task's windows are strays. */
static ptowsp_status regions_begin(struct opencl_program *own, const struct rt_run_args *run, struct ptowsp_error *error)
{
	const struct ptowsp_run_args *const args = run->args;
	const bool alone = !run->notify || opencl_device_of(own->base->device)->shared;
	const struct ptowsp_binding **sorted = malloc((args->binding_count + (size_t)1) * sizeof(*sorted));
	bool made = sorted != NULL;

	for (uint32_t b = 0; made && b < args->binding_count; b++)
		sorted[b] = base_binding_at(args, b);
	if (made)
		qsort(sorted, args->binding_count, sizeof(*sorted), by_address);
	for (uint32_t b = 0; made && b < args->binding_count; b++)
		if (alone && sorted[b]->data && sorted[b]->elements)
			made = region_add(own, sorted[b]->data, sorted[b]->elements * isa_dtype_bytes(sorted[b]->dtype), false);
	free(sorted);
	own->moved = (struct opencl_moved){0};
	own->failed = CL_SUCCESS;
	return made ? PTOWSP_OK : base_fail(error, PTOWSP_NO_MEMORY, "no memory for %u tensors", args->binding_count);
}

/* ---- what lies there ------------------------------------------------------------------------------------------------------ */

/* Under the lock, as all of these; a failure is kept for the next task, or the end. */
static void move(struct opencl_program *own, struct opencl_region *r, uint64_t at, uint64_t bytes, bool there)
{
	const struct opencl_api *cl = opencl_device_of(own->base->device)->cl;
	cl_int code = there ? cl->clEnqueueWriteBuffer(own->queue, r->buffer, 1, at, bytes, r->base + at, 0, NULL, NULL)
			    : cl->clEnqueueReadBuffer(own->queue, r->buffer, 1, at, bytes, r->base + at, 0, NULL, NULL);

	own->failed = own->failed ? own->failed : code;
	own->moved.bytes[there] += bytes;
	own->moved.times[there]++;
}

/* False: there is no memory for its buffer. */
static bool region_make(struct opencl_program *own, struct opencl_region *r)
{
	const struct opencl_device *d = opencl_device_of(own->base->device);
	cl_int code;

	if (r->buffer)
		return true;
	r->buffer = d->cl->clCreateBuffer(d->context, CL_MEM_READ_WRITE | (d->shared ? CL_MEM_USE_HOST_PTR : 0), r->bytes, d->shared ? r->base : NULL, &code);
	if (r->buffer && !d->shared && !r->versions)
		move(own, r, 0, r->bytes, true);
	return r->buffer != NULL;
}

struct opencl_region *opencl_region_find(struct opencl_program *own, const void *data, uint64_t bytes)
{
	struct opencl_region *r;

	pthread_mutex_lock(&own->lock);
	r = region_of(own, data, bytes);
	r = r && region_make(own, r) ? r : NULL;
	pthread_mutex_unlock(&own->lock);
	return r;
}

static void region_free(const struct opencl_program *own, struct opencl_region *r)
{
	if (r->buffer)
		opencl_device_of(own->base->device)->cl->clReleaseMemObject(r->buffer);
	free(r);
}

/* Under the lock: a driver may use memory of the host until its buffer is released. */
static void region_remove(struct opencl_program *own, const void *base)
{
	const uint32_t at = regions_before(own, base);

	if (!at || own->regions[at - 1]->base != base)
		return;
	region_free(own, own->regions[at - 1]);
	memmove(&own->regions[at - 1], &own->regions[at], (own->region_count-- - at) * sizeof(*own->regions));
}

static void arena(void *context, void *base, uint64_t bytes)
{
	struct opencl_program *own = context;

	pthread_mutex_lock(&own->lock);
	if (bytes)
		region_add(own, base, bytes, true); /* without memory for it a task's windows there are strays (opencl_task.c) */
	else
		region_remove(own, base);
	pthread_mutex_unlock(&own->lock);
}

/* Bytes that are nowhere else newer: those of a tensor whose buffer no task has written do not come back, and those of one without a buffer do not go there. */
static void bring(struct opencl_program *own, const void *at, uint64_t bytes, bool there)
{
	struct opencl_region *r;

	if (opencl_device_of(own->base->device)->shared)
		return;
	pthread_mutex_lock(&own->lock);
	r = region_of(own, at, bytes);
	if (r && r->buffer && (there || atomic_load(&r->written)))
		move(own, r, (uint64_t)((const unsigned char *)at - r->base), bytes, there);
	pthread_mutex_unlock(&own->lock);
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
	struct opencl_program *own = context;
	const struct opencl_device *d = opencl_device_of(own->base->device);
	const unsigned char zero = 0;
	struct opencl_region *r;
	cl_int code;

	if (d->shared) {
		memset(at, 0, (size_t)bytes);
		return;
	}
	pthread_mutex_lock(&own->lock);
	r = region_of(own, at, bytes);
	if (r && region_make(own, r)) {
		code = d->cl->clEnqueueFillBuffer(own->queue, r->buffer, &zero, 1, (uint64_t)((unsigned char *)at - r->base), bytes, 0, NULL, NULL);
		code = code ? code : d->cl->clFinish(own->queue);
		own->failed = own->failed ? own->failed : code;
		atomic_store(&r->written, true);
	} else {
		memset(at, 0, (size_t)bytes);
	}
	pthread_mutex_unlock(&own->lock);
}

struct rt_mirror opencl_mirror(struct opencl_program *own)
{
	return (struct rt_mirror){own, arena, fetch, push, clear};
}

/* ---- a run ---------------------------------------------------------------------------------------------------------------- */

static void regions_end(struct opencl_program *own)
{
	const struct opencl_device *d = opencl_device_of(own->base->device);

	for (uint32_t i = 0; i < own->region_count; i++) {
		struct opencl_region *r = own->regions[i];

		if (r->buffer && !d->shared && !r->versions && atomic_load(&r->written))
			move(own, r, 0, r->bytes, false);
		region_free(own, r);
	}
	own->region_count = 0;
}

static void profile_tell(struct opencl_program *own)
{
	for (uint32_t i = 0; i < own->count; i++) {
		const uint64_t ns = atomic_exchange(&own->kernels[i].device_ns, 0);

		if (ns)
			base_log(own->base->device->instance, PTOWSP_LOG_INFO, "profile: kernel %s: %llu ns on the device", own->base->kernels.rows[i].name,
				 (unsigned long long)ns);
	}
}

ptowsp_status opencl_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
			 struct ptowsp_error *error)
{
	struct opencl_program *own = program->own;
	ptowsp_status status = regions_begin(own, args, error);

	if (!status)
		status = rt_run(program->rt, args, stats_out, deadlock_out, error);
	regions_end(own);
	profile_tell(own);
	return status || !own->failed ? status : opencl_fail(error, own->failed, "moving tensors");
}

/* ---- figures -------------------------------------------------------------------------------------------------------------- */

/* Bytes and transfers of the latest run between host and device; no row where they share memory. */
static ptowsp_status figures(struct ptowsp_object *object, const struct ptowsp_figure **rows_out, uint32_t *count_out, uint32_t *stride_out,
			     struct ptowsp_error *error)
{
	static const char *const names[2] = {"from the device", "to the device"};
	struct opencl_program *own = ((struct base_program *)object)->own;

	(void)error;
	for (unsigned there = 0; there < 2; there++) {
		struct ptowsp_figure *row = &own->figures[2 * there];

		base_text(row[0].name, sizeof(row->name), "%s", names[there]);
		base_text(row[1].name, sizeof(row->name), "%s, transfers", names[there]);
		base_text(row[0].unit, sizeof(row->unit), "bytes");
		row[0].value = own->moved.bytes[there];
		row[1].value = own->moved.times[there];
		base_text(row[0].group, sizeof(row->group), "moved");
		base_text(row[1].group, sizeof(row->group), "moved");
	}
	*rows_out = own->figures;
	*count_out = opencl_device_of(own->base->device)->shared ? 0 : sizeof(own->figures) / sizeof(*own->figures);
	*stride_out = sizeof(*own->figures);
	return PTOWSP_OK;
}

const struct ptowsp_report_extension opencl_report = {.head = PTOWSP_HEAD(opencl_report, EXTENSION), .figures = figures};
