/* SPDX-License-Identifier: MIT */
#include "aie/graph/act.h"

#include "rt/program/dtype.h"

/* ---- one area for several ----------------------------------------------------------------------------------------------- */

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool is_box(const struct aie_area *area)
{
	return !area->flat && area->at % area->stride + aie_area_row_bytes(area) <= area->stride;
}

/* From the first row and column of either to the last ones. */
static struct aie_area box_over(const struct aie_area *a, const struct aie_area *b)
{
	const uint64_t stride = a->stride, size = rt_dtype_bytes(a->dtype);
	const uint64_t row = smaller(a->at / stride, b->at / stride), column = smaller(a->at % stride, b->at % stride);
	struct aie_area box = *a;

	box.at = row * stride + column;
	box.rows = larger(a->at / stride + a->rows, b->at / stride + b->rows) - row;
	box.columns = (larger(a->at % stride + aie_area_row_bytes(a), b->at % stride + aie_area_row_bytes(b)) - column) / size;
	return box;
}

/* From the first element of either to the last one. */
static struct aie_area run_over(const struct aie_area *a, const struct aie_area *b)
{
	struct aie_area run = *a;

	run.at = smaller(a->at, b->at);
	run.flat = true;
	run.rows = 1;
	run.stride = larger(aie_area_end(a), aie_area_end(b)) - run.at;
	run.columns = run.stride / rt_dtype_bytes(a->dtype);
	return run;
}

static struct aie_area area_over(const struct aie_alias_args *args, const struct aie_area *a, const struct aie_area *b)
{
	const struct aie_tensor *tensor = &args->tensors[a->tensor];
	struct aie_area whole = is_box(a) && is_box(b) && a->stride == b->stride ? box_over(a, b) : run_over(a, b);
	struct aie_view ignored = {0};

	if (!args->exact && !aie_area_is_words(&whole))
		aie_area_widen(&whole, &ignored, tensor->elements * rt_dtype_bytes(tensor->dtype));
	return whole;
}

/* The byte of the tensor with which a window begins. */
static int64_t origin_of(const struct aie_area *area, int64_t before)
{
	const int64_t size = rt_dtype_bytes(area->dtype), at = (int64_t)area->at, columns = (int64_t)area->columns;

	return area->flat ? at - before * size : at + -before / columns * (int64_t)area->stride + -before % columns * size;
}

/* The argument's window, seen in the area that has its own. */
static void move(struct aie_argument *argument, const struct aie_area *whole)
{
	const struct aie_area *area = &argument->area;
	struct aie_view *view = &argument->use.view;
	const int64_t size = rt_dtype_bytes(area->dtype), stride = (int64_t)area->stride, at = (int64_t)whole->at, origin = origin_of(area, view->before);

	if (!view->rows)
		*view = (struct aie_view){0, area->flat ? 1 : area->rows, area->columns + (uint64_t)view->before, area->columns + (uint64_t)view->before};
	if (whole->flat) {
		view->before = (at - origin) / size;
		view->stride = area->flat ? view->stride : area->stride / (uint64_t)size;
	} else {
		view->before = -((origin / stride - at / stride) * (int64_t)whole->columns + (origin % stride - at % stride) / size);
		view->stride = whole->columns;
	}
	argument->area = *whole;
}

/* ---- which ones --------------------------------------------------------------------------------------------------------- */

struct aliasing {
	struct aie_argument *arguments;
	uint32_t count;
	const struct aie_alias_args *args;
};

/* Does the kernel touch what is a buffer with the one, writing it, and then what is one with the other, reading? Nobody knows of kernels that do not say what they touch. */
static bool reads_behind(const struct aliasing *aliasing, uint32_t writer, uint32_t reader)
{
	const struct rt_footprint *footprint = aliasing->args->footprint;
	uint64_t first = 0, last = 0;

	if (!footprint->known || !aliasing->args->once)
		return true;
	for (uint32_t i = 0; i < aliasing->count && i < footprint->arg_count; i++) {
		const struct rt_touched *touched = &footprint->args[i];

		if (aliasing->arguments[i].use.with == writer && touched->first_write && (!first || touched->first_write < first))
			first = touched->first_write;
		if (aliasing->arguments[i].use.with == reader)
			last = larger(last, touched->last_read);
	}
	return first && first < last;
}

/* Two that are buffers of their own: would one of them miss what is written to the other? */
static bool misses(const struct aliasing *aliasing, uint32_t a, uint32_t b)
{
	const struct aie_argument *x = &aliasing->arguments[a], *y = &aliasing->arguments[b];

	if (x->use.with != a || y->use.with != b || (!x->use.writes && !y->use.writes) || !aie_areas_touch(&x->area, &y->area))
		return false;
	return (x->use.writes && y->use.writes) || (x->use.writes ? reads_behind(aliasing, a, b) : reads_behind(aliasing, b, a));
}

/* b and all that are a buffer with it are one with a. */
static void join(const struct aliasing *aliasing, uint32_t a, uint32_t b)
{
	struct aie_argument *arguments = aliasing->arguments;
	const struct aie_area whole = area_over(aliasing->args, &arguments[a].area, &arguments[b].area);

	for (uint32_t i = 0; i < aliasing->count; i++) {
		if (arguments[i].use.with != a && arguments[i].use.with != b)
			continue;
		move(&arguments[i], &whole);
		arguments[i].use.with = a;
		arguments[i].use.reads = arguments[i].use.writes = i == a;
	}
}

ptowsp_status aie_alias(struct aie_argument *arguments, uint32_t count, const struct aie_alias_args *args, uint32_t *first, uint32_t *second)
{
	const struct aliasing aliasing = {arguments, count, args};
	bool again = true;

	for (uint32_t i = 0; i < count; i++)
		arguments[i].use.with = i;
	while (again) {
		again = false;
		for (*second = 1; *second < count; ++*second)
			for (*first = 0; *first < *second; ++*first) {
				if (!misses(&aliasing, *first, *second))
					continue;
				if (arguments[*first].area.dtype != arguments[*second].area.dtype)
					return PTOWSP_UNSUPPORTED;
				join(&aliasing, *first, *second);
				again = true;
			}
	}
	return PTOWSP_OK;
}
