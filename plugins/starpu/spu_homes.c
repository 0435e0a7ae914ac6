/* SPDX-License-Identifier: MIT */
#include "starpu/spu_homes.h"

#include "base/error.h"
#include "base/planned.h"
#include "rt/program/rt_program.h"
#include <stdio.h>
#include <string.h>

/* ---- when a package is loaded -------------------------------------------------------------------------------------------- */

static uint32_t axes_of(const struct base_sharded *row)
{
	uint32_t axes = 0;

	for (uint32_t k = 0; k < 4; k++)
		axes |= row->axis[k] == BASE_WHOLE ? 0 : 1u << row->axis[k];
	return axes;
}

uint32_t spu_layouts_find(struct base_shards *shards)
{
	uint32_t count = shards->count;

	if (shards->grid[0])
		return count;
	for (uint32_t t = 0; t < shards->room; t++)
		if (axes_of(&shards->rows[t]))
			shards->rows[count++] = shards->rows[t];
	return count;
}

/* Rows and columns of the grid. */
static void mesh_make(const struct base_shards *shards, uint32_t count, uint32_t ranks, uint64_t mesh_out[2])
{
	uint32_t axes = 0, rows = 1;

	for (uint32_t r = 0; r < count; r++)
		axes |= axes_of(&shards->rows[r]);
	for (uint32_t divisor = 1; axes == 3 && divisor * divisor <= ranks; divisor++)
		rows = ranks % divisor ? rows : divisor;
	mesh_out[0] = shards->grid[0] ? shards->grid[0] : axes == 1 ? ranks : rows;
	mesh_out[1] = shards->grid[0] ? shards->grid[1] : ranks / mesh_out[0];
}

void spu_layouts_say(const struct base_shards *shards, uint32_t count, const struct rt_program *program, uint32_t ranks, char *text_out, size_t size)
{
	char names[160] = "", word[sizeof(shards->stats->layout)];
	uint64_t mesh[2];

	mesh_make(shards, count, ranks, mesh);
	for (uint32_t r = 0; r < count && strlen(names) + 70 < sizeof(names); r++) {
		base_sharded_text(&shards->rows[r], program->tables.tensor.rows[shards->rows[r].tensor].dim_count, word);
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%.40s %s", *names ? ", " : "",
			 rt_tensor_name(program, shards->rows[r].tensor), word);
	}
	if (count)
		base_text(text_out, size, "each of %u ranks owns tiles as layouts say, over %llu x %llu places: %s", ranks, (unsigned long long)mesh[0],
			  (unsigned long long)mesh[1], names);
}

/* ---- in a run ------------------------------------------------------------------------------------------------------------ */

void spu_layouts_give(struct spu_blocks *blocks, const struct base_shards *shards, uint32_t count, const struct ptowsp_run_args *args)
{
	blocks->shards = shards;
	blocks->layout_count = count;
	for (uint32_t r = 0; r < count; r++)
		for (uint32_t b = 0; b < args->binding_count; b++)
			if (base_binding_at(args, b)->tensor == shards->rows[r].tensor) {
				blocks->tensors[shards->rows[r].tensor].layout = &shards->rows[r];
				blocks->tensors[shards->rows[r].tensor].binding = base_binding_at(args, b);
			}
}

uint64_t spu_places(const struct spu_blocks *blocks)
{
	return blocks->shards && blocks->shards->grid[0] ? blocks->shards->grid[0] * blocks->shards->grid[1] : 1;
}

/* A block that lies in several pieces is where its first element is. */
static uint32_t home_by_layout(const struct spu_blocks *blocks, const struct spu_tensor *tensor, uint64_t row, uint64_t column, uint32_t ranks)
{
	uint64_t element = tensor->rows[row] * tensor->width + tensor->columns[column], mesh[2], at[2] = {0, 0};

	mesh_make(blocks->shards, blocks->layout_count, ranks, mesh);
	for (uint32_t k = tensor->binding->rank; k-- > 0;) {
		const uint64_t extent = tensor->binding->extents[k];
		const uint8_t axis = tensor->layout->axis[k];

		if (axis != BASE_WHOLE)
			at[axis] = element % extent / (extent / mesh[axis] + (extent % mesh[axis] != 0));
		element /= extent;
	}
	return (uint32_t)((at[0] * mesh[1] + at[1]) * ranks / (mesh[0] * mesh[1]));
}

uint32_t spu_home(const struct spu_blocks *blocks, const struct spu_block *block, uint32_t ranks)
{
	const struct spu_tensor *tensor = &blocks->tensors[block->tensor];
	const uint64_t at = (uint64_t)(block - tensor->blocks), row = at / tensor->column_count, column = at % tensor->column_count;
	const bool columns = tensor->row_count == 1 || (tensor->by_columns && tensor->column_count > 1);

	if (tensor->layout)
		return home_by_layout(blocks, tensor, row, column, ranks);
	return (uint32_t)(columns ? column * ranks / tensor->column_count : row * ranks / tensor->row_count);
}

static uint32_t owners_count(const struct spu_blocks *blocks, const struct spu_tensor *tensor, uint32_t ranks)
{
	bool owns[ranks];
	uint32_t owners = 0;

	memset(owns, 0, sizeof(owns));
	for (uint64_t b = 0; tensor->blocks && b < spu_tensor_blocks(tensor); b++)
		owns[spu_home(blocks, &tensor->blocks[b], ranks)] = true;
	for (uint32_t r = 0; r < ranks; r++)
		owners += owns[r];
	return owners;
}

void spu_layouts_tell(const struct spu_blocks *blocks, const struct base_shards *shards, uint32_t ranks)
{
	for (uint32_t r = 0; r < shards->count; r++) {
		const struct spu_tensor *tensor = &blocks->tensors[shards->rows[r].tensor];
		struct ptowsp_layout_stats *stats = &shards->stats[r];

		if (!tensor->layout)
			continue;
		base_sharded_text(tensor->layout, tensor->binding->rank, stats->layout);
		stats->tensor = shards->rows[r].tensor;
		stats->shards = owners_count(blocks, tensor, ranks);
		stats->bytes_local += tensor->local;
		stats->bytes_moved += tensor->moved;
	}
}
