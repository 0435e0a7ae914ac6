/* SPDX-License-Identifier: MIT */
/* shards.c - which tensors are cut, and cutting them. Tasks: stage.c. */
#include "shards.h"

#include "error.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"
#include "registry/common/common_dtype.h"
#include "stage.h"
#include <string.h>

/* ---- reading the package --------------------------------------------------------------------------------------- */

static struct base_sharded *row_find(const struct base_shards *shards, uint32_t tensor)
{
	for (uint32_t i = 0; i < shards->count; i++)
		if (shards->rows[i].tensor == tensor)
			return &shards->rows[i];
	return NULL;
}

static bool is_cut(const struct base_sharded *row)
{
	for (uint32_t k = 0; k < 4; k++)
		if (row->axis[k] != BASE_WHOLE)
			return true;
	return false;
}

static void row_drop(struct base_shards *shards, uint32_t tensor, const char *name, const char *why)
{
	struct base_sharded *row = row_find(shards, tensor);

	if (!row || !is_cut(row))
		return;
	base_log(shards->instance, PTOWSP_LOG_WARNING, "layout: tensor %.80s stays whole: %s", name, why);
	for (uint32_t k = 0; k < 4; k++)
		row->axis[k] = BASE_WHOLE;
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

/* As the package names it, or as its own entry does: what stands behind the last point. */
static bool is_called(const struct base_sections *sections, const struct ptowsp_tensor_record *tensor, uint32_t entry, const char *name)
{
	const char *full = base_sections_string(sections, tensor->name), *point = strrchr(full, '.');

	return !strcmp(full, name) || (point && tensor->entry == entry && !strcmp(point + 1, name));
}

static ptowsp_status layout_apply(struct base_shards *shards, const struct base_sections *sections, const struct ptowsp_directive_record *d,
				  struct ptowsp_error *error)
{
	const char *name = base_sections_string(sections, (uint32_t)d->a0);
	struct base_sharded *row = NULL;
	struct ptowsp_tensor_record tensor;

	for (uint32_t t = 0; !row && t < sections->tens.count; t++)
		if (!base_sections_row(&sections->tens, t, &tensor, sizeof(tensor), NULL) && is_called(sections, &tensor, shards->entry, name))
			row = row_find(shards, t);
	if (!row)
		return base_fail(error, PTOWSP_BAD_PACKAGE, "layout: there is no tensor \"%.80s\"", name);
	if (d->count - 1u > (tensor.flags & PTOWSP_TENSOR_SHAPELESS ? 4u : tensor.dim_count)) /* without a shape: what a run binds */
		return base_fail(error, PTOWSP_BAD_PACKAGE, "layout: tensor %.80s has %u dimensions, %u are laid out", name,
				 tensor.flags & PTOWSP_TENSOR_SHAPELESS ? 4u : tensor.dim_count, d->count - 1u);
	for (uint32_t k = 0; k < 4; k++)
		row->axis[k] = BASE_WHOLE;
	for (uint32_t k = 1; k < d->count && k <= 4; k++) {
		const char *word = base_sections_string(sections, (uint32_t)(&d->a0)[k]);

		if (!word_read(word, &row->axis[k - 1]))
			return base_fail(error, PTOWSP_BAD_PACKAGE, "layout: tensor %.80s, dimension %u is \"%.20s\"; R, S0 or S1 is wanted", name, k - 1,
					 word);
	}
	if (!shards->grid[0])
		return base_fail(error, PTOWSP_BAD_PACKAGE, "layout of tensor %.80s: spatial_map=R,C says over which grid shards lie, and is missing", name);
	return PTOWSP_OK;
}

/* Reads the layout of each tensor; one row for every tensor, whole ones are dropped at the end. */
static ptowsp_status rows_read(struct base_shards *shards, const struct base_sections *sections, struct ptowsp_error *error)
{
	for (uint32_t t = 0; t < sections->tens.count; t++) {
		struct base_sharded *row = &shards->rows[shards->count++];
		struct ptowsp_tensor_record tensor;
		struct ptowsp_dim_record dim;
		ptowsp_status status = base_sections_row(&sections->tens, t, &tensor, sizeof(tensor), error);

		row->tensor = t;
		memset(row->axis, BASE_WHOLE, sizeof(row->axis));
		for (uint32_t k = 0; !status && k < tensor.dim_count && k < 4; k++) {
			status = base_sections_row(&sections->dims, tensor.dims + k, &dim, sizeof(dim), error);
			if (!status && dim.distribution && dim.mesh_axis > 1)
				status = base_fail(error, PTOWSP_BAD_PACKAGE, "tensor %.80s is sharded over axis %u of the grid, which has two: 0 and 1",
						   base_sections_string(sections, tensor.name), dim.mesh_axis);
			else if (!status && dim.distribution)
				row->axis[k] = (uint8_t)dim.mesh_axis;
		}
		if (status)
			return status;
	}
	return PTOWSP_OK;
}

static void region_drop(struct base_shards *shards, const struct base_sections *sections, uint32_t region, const char *why)
{
	struct ptowsp_region_record row;
	struct ptowsp_tensor_record tensor;

	if (!base_sections_row(&sections->regn, region, &row, sizeof(row), NULL) &&
	    !base_sections_row(&sections->tens, row.tensor, &tensor, sizeof(tensor), NULL))
		row_drop(shards, row.tensor, base_sections_string(sections, tensor.name), why);
}

static void tensor_drop(struct base_shards *shards, const struct base_sections *sections, uint32_t t)
{
	struct ptowsp_tensor_record tensor;

	if (t != PTOWSP_NONE && !base_sections_row(&sections->tens, t, &tensor, sizeof(tensor), NULL))
		row_drop(shards, t, base_sections_string(sections, tensor.name), "it holds rows of an axis");
}

/* The core reads these tensors where the host has them. */
static void core_drop(struct base_shards *shards, const struct base_sections *sections)
{
	struct ptowsp_workload_header header = {0};
	struct ptowsp_instruction i = {0};
	uint64_t bytes = sections->work.count * sections->work.stride;
	struct ptowsp_axis_record axis;

	if (bytes >= sizeof(header))
		memcpy(&header, sections->work.data, sizeof(header));
	for (uint64_t k = 0; k < header.num_instructions && sizeof(header) + (k + 1) * sizeof(i) <= bytes; k++) {
		uint8_t before = k ? i.opcode : PTOWSP_OP_NOP;
		bool word;

		memcpy(&i, (const char *)sections->work.data + sizeof(header) + k * sizeof(i), sizeof(i));
		word = i.opcode == PTOWSP_OP_IO_INPUT || i.opcode == PTOWSP_OP_IO_OUTPUT;
		if (i.opcode == PTOWSP_OP_SLOT_LOAD)
			region_drop(shards, sections, i.operand2, "a slot is loaded from it");
		else if (i.opcode == PTOWSP_OP_COPY || (word && before == PTOWSP_OP_COPY))
			region_drop(shards, sections, i.operand2, "it is copied by the core");
		else if (word && (before == PTOWSP_OP_SEND || before == PTOWSP_OP_CONSUME))
			region_drop(shards, sections, i.operand2, "a payload channel moves it");
	}
	for (uint32_t k = 0; k < sections->axes.count; k++)
		if (!base_sections_row(&sections->axes, k, &axis, sizeof(axis), NULL) && sections->axes.stride >= sizeof(axis)) {
			tensor_drop(shards, sections, axis.lengths);
			tensor_drop(shards, sections, axis.indices);
		}
}

static ptowsp_status rows_check(struct base_shards *shards, const struct base_sections *sections, struct ptowsp_error *error)
{
	uint32_t kept = 0;

	for (uint32_t r = 0; r < shards->count; r++) {
		const struct base_sharded *row = &shards->rows[r];
		struct ptowsp_tensor_record tensor;
		uint32_t uses[2] = {0};

		for (uint32_t k = 0; k < 4; k++)
			if (row->axis[k] != BASE_WHOLE && ++uses[row->axis[k]] > 1) {
				base_sections_row(&sections->tens, row->tensor, &tensor, sizeof(tensor), NULL);
				return base_fail(error, PTOWSP_BAD_PACKAGE, "layout: two dimensions of tensor %.80s lie over axis %u of the grid",
						 base_sections_string(sections, tensor.name), row->axis[k]);
			}
		if (is_cut(row) && shards->grid[0])
			shards->rows[kept++] = *row;
	}
	shards->count = kept;
	return PTOWSP_OK;
}

/* Of a threshold: whether it holds a grid at all; until a run has picked one there is a place. */
static void grid_take(struct base_shards *shards, const struct base_sections *sections, const struct ptowsp_directive_record *d)
{
	const bool dispatch = d->directive == PTOWSP_DIRECTIVE_DISPATCH;

	if ((d->directive == PTOWSP_DIRECTIVE_SPATIAL_MAP || (dispatch && d->policy == PTOWSP_DISPATCH_GRID)) && d->a0 > 0 && d->a1 > 0) {
		shards->grid[0] = (uint64_t)d->a0;
		shards->grid[1] = (uint64_t)d->a1;
	}
	for (unsigned k = 1; dispatch && d->policy == PTOWSP_DISPATCH_THRESHOLD && k < d->count && k < 8; k += 2)
		if (strstr(base_sections_string(sections, (uint32_t)(&d->a0)[k]), "spatial_map(")) {
			shards->chosen = true;
			shards->grid[0] = shards->grid[1] = 1;
		}
}

ptowsp_status base_shards_init(struct base_shards *shards, const struct base_instance *instance, const struct base_sections *sections, uint32_t entry,
			       struct ptowsp_error *error)
{
	struct ptowsp_directive_record d;
	ptowsp_status status = PTOWSP_OK;

	*shards = (struct base_shards){.instance = instance, .entry = entry};
	if (!sections->tens.count || sections->tens.count > UINT32_MAX / 256)
		return PTOWSP_OK;
	shards->room = (uint32_t)sections->tens.count;
	shards->rows = base_alloc(instance, shards->room * sizeof(*shards->rows));
	shards->stats = base_alloc(instance, shards->room * sizeof(*shards->stats));
	if (!shards->rows || !shards->stats)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for layouts");
	for (uint32_t i = 0; i < sections->schd.count; i++)
		if (!base_sections_row(&sections->schd, i, &d, sizeof(d), NULL))
			grid_take(shards, sections, &d);
	status = rows_read(shards, sections, error);
	for (uint32_t i = 0; !status && i < sections->schd.count; i++) {
		status = base_sections_row(&sections->schd, i, &d, sizeof(d), error);
		if (!status && d.directive == PTOWSP_DIRECTIVE_LAYOUT && d.count)
			status = layout_apply(shards, sections, &d, error);
	}
	if (!status && shards->grid[0])
		core_drop(shards, sections);
	return status ? status : rows_check(shards, sections, error);
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

void base_shards_end(struct base_shards *shards)
{
	for (uint32_t r = 0; !shards->own && r < shards->count; r++) {
		struct base_sharded *row = &shards->rows[r];
		struct ptowsp_layout_stats *s = &shards->stats[r];
		size_t length = 0;

		*s = (struct ptowsp_layout_stats){.tensor = row->tensor};
		for (uint32_t k = 0; k < row->rank && length + 3 < sizeof(s->layout); k++) {
			if (k)
				s->layout[length++] = ',';
			s->layout[length++] = row->axis[k] == BASE_WHOLE ? 'R' : 'S';
			if (row->axis[k] != BASE_WHOLE)
				s->layout[length++] = (char)('0' + row->axis[k]);
		}
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
