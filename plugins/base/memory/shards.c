/* SPDX-License-Identifier: MIT */
/* shards.c - which tensors are cut, and cutting them. Tasks: stage.c. */
#include "base/memory/shards.h"

#include "base/error.h"
#include "base/memory/stage.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"
#include "registry/common/common_dtype.h"
#include "rt/program/rt_program.h"
#include <string.h>

/* ---- reading the package --------------------------------------------------------------------------------------- */

static bool is_cut(const struct base_sharded *row)
{
	for (uint32_t k = 0; k < 4; k++)
		if (row->axis[k] != BASE_WHOLE)
			return true;
	return false;
}

/* The schedule's word on dimensions: R, S0 or S(0). */
static bool word_read(const char *word, uint8_t *axis_out)
{
	*axis_out = BASE_WHOLE;
	if (!strcmp(word, "R"))
		return true;
	for (uint8_t axis = 0; axis < 2; axis++)
		if (!strcmp(word, axis ? "S1" : "S0") || !strcmp(word, axis ? "S(1)" : "S(0)")) {
			*axis_out = axis;
			return true;
		}
	return false;
}

/* The tensor as the package names it, or as the entry does: what stands behind the last point. */
static uint32_t tensor_find(const struct rt_program *rt, const char *name)
{
	uint32_t t = 0;

	for (; t < rt->tables.tensor.count; t++) {
		const char *full = rt_tensor_name(rt, t), *point = strrchr(full, '.');

		if (!strcmp(full, name) || (point && rt->tables.tensor.rows[t].entry == rt->entry && !strcmp(point + 1, name)))
			break;
	}
	return t;
}

static ptowsp_status layout_apply(struct base_shards *shards, const struct rt_program *rt, const struct ptowsp_directive_record *d, struct ptowsp_error *error)
{
	const char *name = rt_string(&rt->tables, (uint32_t)d->a0);
	const uint32_t t = tensor_find(rt, name);
	struct base_sharded *row = &shards->rows[t];
	uint32_t dims;

	if (t == rt->tables.tensor.count)
		return base_fail(error, PTOWSP_BAD_PACKAGE, "layout: there is no tensor \"%.80s\"", name);
	dims = rt->tables.tensor.rows[t].flags & PTOWSP_TENSOR_SHAPELESS ? 4u : rt->tables.tensor.rows[t].dim_count; /* without a shape: what a run binds */
	if (d->count - 1u > dims)
		return base_fail(error, PTOWSP_BAD_PACKAGE, "layout: tensor %.80s has %u dimensions, %u are laid out", name, dims, d->count - 1u);
	memset(row->axis, BASE_WHOLE, sizeof(row->axis));
	for (uint32_t k = 1; k < d->count && k <= 4; k++) {
		const char *word = rt_string(&rt->tables, (uint32_t)(&d->a0)[k]);

		if (!word_read(word, &row->axis[k - 1]))
			return base_fail(error, PTOWSP_BAD_PACKAGE, "layout: tensor %.80s, dimension %u is \"%.20s\"; R, S0 or S1 is wanted", name, k - 1,
					 word);
	}
	if (!shards->grid[0])
		return base_fail(error, PTOWSP_BAD_PACKAGE, "layout of tensor %.80s: spatial_map=R,C says over which grid shards lie, and is missing", name);
	return PTOWSP_OK;
}

/* Reads the layout of each tensor; one row for every tensor, whole ones are dropped at the end. */
static ptowsp_status rows_read(struct base_shards *shards, const struct rt_program *rt, struct ptowsp_error *error)
{
	for (uint32_t t = 0; t < shards->room; t++) {
		const struct ptowsp_tensor_record *tensor = &rt->tables.tensor.rows[t];
		struct base_sharded *row = &shards->rows[t];

		row->tensor = t;
		memset(row->axis, BASE_WHOLE, sizeof(row->axis));
		for (uint32_t k = 0; k < tensor->dim_count; k++) {
			const struct ptowsp_dim_record *dim = &rt->tables.dim.rows[tensor->dims + k];

			if (dim->distribution && dim->mesh_axis > 1)
				return base_fail(error, PTOWSP_BAD_PACKAGE, "tensor %.80s is sharded over axis %u of the grid, which has two: 0 and 1",
						 rt_tensor_name(rt, t), dim->mesh_axis);
			if (dim->distribution)
				row->axis[k] = (uint8_t)dim->mesh_axis;
		}
	}
	return PTOWSP_OK;
}

/* Why a tensor has to be where the host has it: the core reads or writes it there. */
static const char *core_reason(const struct rt_tensor_traits *traits)
{
	return traits->loaded    ? "a slot is loaded from it"
	       : traits->copied  ? "it is copied by the core"
	       : traits->moved   ? "a payload channel moves it"
	       : traits->indexed ? "it holds rows of an axis"
				 : NULL;
}

/* Keeps the rows of tensors that are cut. */
static ptowsp_status rows_keep(struct base_shards *shards, const struct rt_program *rt, struct ptowsp_error *error)
{
	for (uint32_t t = 0; t < shards->room; t++) {
		const struct base_sharded row = shards->rows[t];
		const char *why = core_reason(&rt->traits[t]);
		uint32_t uses[2] = {0};

		if (why && is_cut(&row) && shards->grid[0]) {
			base_log(shards->instance, PTOWSP_LOG_WARNING, "layout: tensor %.80s stays whole: %s", rt_tensor_name(rt, t), why);
			continue;
		}
		for (uint32_t k = 0; k < 4; k++)
			if (row.axis[k] != BASE_WHOLE && ++uses[row.axis[k]] > 1)
				return base_fail(error, PTOWSP_BAD_PACKAGE, "layout: two dimensions of tensor %.80s lie over axis %u of the grid",
						 rt_tensor_name(rt, t), row.axis[k]);
		if (is_cut(&row) && shards->grid[0])
			shards->rows[shards->count++] = row;
	}
	return PTOWSP_OK;
}

/* Threshold: chosen, if it holds a grid at all; until a run has picked one there is a place. */
static void grid_take(struct base_shards *shards, const struct rt_schedule *schedule)
{
	if (schedule->dispatch.policy == PTOWSP_DISPATCH_GRID) {
		shards->grid[0] = (uint64_t)schedule->dispatch.rows;
		shards->grid[1] = (uint64_t)schedule->dispatch.columns;
	}
	for (uint32_t k = 0; k < schedule->part_count; k++)
		shards->chosen |= schedule->parts[k].policy == PTOWSP_DISPATCH_GRID;
	if (shards->chosen)
		shards->grid[0] = shards->grid[1] = 1;
}

ptowsp_status base_shards_init(struct base_shards *shards, const struct base_instance *instance, const struct rt_program *rt, struct ptowsp_error *error)
{
	ptowsp_status status;

	*shards = (struct base_shards){.instance = instance};
	if (!rt->tables.tensor.count || rt->tables.tensor.count > UINT32_MAX / 256)
		return PTOWSP_OK;
	shards->room = rt->tables.tensor.count;
	shards->rows = base_alloc(instance, shards->room * sizeof(*shards->rows));
	shards->stats = base_alloc(instance, shards->room * sizeof(*shards->stats));
	if (!shards->rows || !shards->stats)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for layouts");
	grid_take(shards, &rt->schedule);
	status = rows_read(shards, rt, error);
	for (uint32_t i = 0; !status && i < rt->tables.directive.count; i++)
		if (rt->tables.directive.rows[i].directive == PTOWSP_DIRECTIVE_LAYOUT && rt->tables.directive.rows[i].count)
			status = layout_apply(shards, rt, &rt->tables.directive.rows[i], error);
	return status ? status : rows_keep(shards, rt, error);
}

void base_shards_finish(struct base_shards *shards)
{
	if (!shards->instance)
		return;
	base_release(shards->instance, shards->rows, shards->room * sizeof(*shards->rows));
	base_release(shards->instance, shards->stats, shards->room * sizeof(*shards->stats));
	*shards = (struct base_shards){0};
}

/* ---- a run ----------------------------------------------------------------------------------------------------- */

static uint64_t places(const struct base_shards *shards)
{
	return shards->grid[0] * shards->grid[1];
}

/* Elements of one shard, as large as the first one. */
static uint64_t shard_elements(const struct base_sharded *row)
{
	uint64_t product = 1;

	for (uint32_t k = 0; k < row->rank; k++)
		product *= row->block[k];
	return product;
}

static void shards_free(struct base_shards *shards, struct base_sharded *row)
{
	for (uint64_t p = 0; row->shards && p < places(shards); p++)
		base_release(shards->instance, row->shards[p].memory, row->shards[p].bytes);
	base_release(shards->instance, row->shards, places(shards) * sizeof(*row->shards));
	row->shards = NULL;
	row->data = NULL;
}

static bool shards_make(struct base_shards *shards, struct base_sharded *row)
{
	uint64_t bytes = shard_elements(row) * row->size;

	row->shards = base_alloc(shards->instance, places(shards) * sizeof(*row->shards));
	for (uint64_t p = 0; row->shards && p < places(shards); p++) {
		if (!base_owns(shards, row, p))
			continue;
		row->shards[p].memory = base_alloc(shards->instance, bytes ? bytes : 1);
		row->shards[p].bytes = bytes ? bytes : 1;
		if (!row->shards[p].memory)
			return false;
	}
	return row->shards != NULL;
}

bool base_owns(const struct base_shards *shards, const struct base_sharded *row, uint64_t place)
{
	uint64_t at[2] = {place / shards->grid[1], place % shards->grid[1]};

	for (uint8_t axis = 0; axis < 2; axis++) {
		uint64_t blocks = 1;

		for (uint32_t k = 0; k < row->rank; k++)
			if (row->axis[k] == axis && row->block[k])
				blocks = (row->extents[k] + row->block[k] - 1) / row->block[k];
		if (at[axis] >= blocks)
			return false;
	}
	return true;
}

static void row_bind(struct base_shards *shards, struct base_sharded *row, const struct ptowsp_binding *binding)
{
	row->data = binding->data;
	row->rank = binding->rank;
	row->elements = binding->elements;
	row->size = common_dtype_bytes(binding->dtype);
	row->local = row->moved = row->placed = 0;
	for (uint32_t k = 0; k < row->rank; k++) {
		uint64_t parts = row->axis[k] == BASE_WHOLE ? 1 : shards->grid[row->axis[k]];

		row->extents[k] = binding->extents[k];
		row->block[k] = row->extents[k] / parts + (row->extents[k] % parts != 0);
	}
}

ptowsp_status base_shards_begin(struct base_shards *shards, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	for (uint32_t r = 0; !shards->own && r < shards->count; r++) {
		struct base_sharded *row = &shards->rows[r];

		row->data = NULL;
		for (uint32_t b = 0; shards->grid[0] && b < args->binding_count; b++)
			if (args->bindings[b].tensor == row->tensor && args->bindings[b].data && args->bindings[b].elements && args->bindings[b].rank)
				row_bind(shards, row, &args->bindings[b]);
		if (args->flags & PTOWSP_RUN_NO_KERNELS)
			row->data = NULL;
		if (!row->data)
			continue;
		for (uint32_t k = row->rank; k < 4; k++)
			if (row->axis[k] != BASE_WHOLE) {
				for (uint32_t before = 0; before < r; before++)
					shards_free(shards, &shards->rows[before]);
				return base_fail(error, PTOWSP_INVALID, "layout: dimension %u of a tensor is laid out, which has %u", k, row->rank);
			}
		if (!shards_make(shards, row)) {
			for (uint32_t k = 0; k <= r; k++)
				shards_free(shards, &shards->rows[k]);
			return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the shards of a tensor");
		}
		base_shard_copy(shards, row, 0, row->elements, row->data, BASE_TO_SHARDS, UINT64_MAX);
	}
	return PTOWSP_OK;
}

void base_sharded_text(const struct base_sharded *row, uint32_t rank, char text_out[16])
{
	size_t length = 0;

	for (uint32_t k = 0; k < rank && length + 3 < 16; k++) {
		if (k)
			text_out[length++] = ',';
		text_out[length++] = row->axis[k] == BASE_WHOLE ? 'R' : 'S';
		if (row->axis[k] != BASE_WHOLE)
			text_out[length++] = (char)('0' + row->axis[k]);
	}
	text_out[length] = '\0';
}

void base_shards_end(struct base_shards *shards)
{
	for (uint32_t r = 0; !shards->own && r < shards->count; r++) {
		struct base_sharded *row = &shards->rows[r];
		struct ptowsp_layout_stats *s = &shards->stats[r];

		*s = (struct ptowsp_layout_stats){.tensor = row->tensor};
		base_sharded_text(row, row->rank, s->layout);
		if (row->data)
			base_shard_copy(shards, row, 0, row->elements, row->data, BASE_FROM_SHARDS, UINT64_MAX);
		for (uint64_t p = 0; row->shards && p < places(shards); p++)
			s->shards += row->shards[p].memory != NULL;
		s->bytes_local = row->local;
		s->bytes_moved = row->moved;
		s->bytes_placed = row->placed;
		shards_free(shards, row);
	}
}

void base_shards_stats(const struct base_shards *shards, struct ptowsp_run_stats *stats)
{
	stats->layouts = shards->stats;
	stats->layout_count = shards->count;
	stats->layout_stride = sizeof(*shards->stats);
}
