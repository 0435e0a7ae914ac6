/* SPDX-License-Identifier: MIT */
/* engine_layout.c - layouts of a package and of its schedule, as the map wants them, and what became of them. */
#include "aie/engine/aie_engine_own.h"
#include "ptowsp/ids.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include <stdlib.h>
#include <string.h>

/* Kernels of which a parameter states a layout; all where the schedule lays out nothing: the packer has looked at what declarations say. */
static void stated_find(struct aie_loaded *loaded)
{
	const struct rt_tables *tables = &loaded->planned->tables;
	bool laid = false;

	for (uint32_t d = 0; d < tables->directive.count; d++)
		laid |= tables->directive.rows[d].directive == PTOWSP_DIRECTIVE_LAYOUT;
	for (uint32_t k = 0; k < tables->kernel.count; k++) {
		const struct ptowsp_kernel_record *kernel = &tables->kernel.rows[k];

		loaded->stated[k] = !laid && k != loaded->planned->copy_kernel;
		for (uint32_t l = 0; l < tables->param_layout.count; l++) {
			const uint32_t param = tables->param_layout.rows[l].param;

			loaded->stated[k] |= param >= kernel->params && param - kernel->params < kernel->param_count;
		}
	}
}

/* Layouts of declarations; over the array where the schedule has no grid and says nothing of executors. */
static void declared_find(struct aie_loaded *loaded)
{
	struct base_shards *shards = &loaded->program->shards;
	const struct rt_tables *tables = &loaded->planned->tables;
	const struct rt_schedule *schedule = &loaded->planned->schedule;

	if (shards->grid[0] || schedule->dispatch.policy || schedule->pools != PTOWSP_POOLS_SINGLE)
		return;
	for (uint32_t t = 0; t < shards->room; t++) {
		const struct ptowsp_tensor_record *tensor = &tables->tensor.rows[t];
		struct base_sharded *row = &shards->rows[shards->count];
		bool cut = false;

		*row = (struct base_sharded){.tensor = t};
		memset(row->axis, BASE_WHOLE, sizeof(row->axis));
		for (uint32_t d = 0; d < tensor->dim_count && d < AIE_LAYOUT_RANK; d++) {
			const struct ptowsp_dim_record *dim = &tables->dim.rows[tensor->dims + d];

			if (dim->distribution && dim->mesh_axis < 2) {
				row->axis[d] = (uint8_t)dim->mesh_axis;
				cut = true;
			}
		}
		shards->count += cut;
	}
	loaded->by_holder = shards->count != 0;
	shards->grid[0] = shards->count ? loaded->arch->rows - AIE_FIRST_CORE : 0;
	shards->grid[1] = shards->count ? loaded->arch->columns : 0;
}

ptowsp_status aie_layouts_load(struct aie_loaded *loaded, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &loaded->planned->tables;

	loaded->layouts = calloc((size_t)tables->tensor.count + 1, sizeof(*loaded->layouts));
	loaded->stated = calloc((size_t)tables->kernel.count + 1, 1);
	if (!loaded->layouts || !loaded->stated)
		return rt_no_memory(error, "the layouts of a program");
	stated_find(loaded);
	loaded->program->shards.own = true;
	loaded->program->kernels.shards = NULL;
	declared_find(loaded);
	return PTOWSP_OK;
}

/* ---- a run -------------------------------------------------------------------------------------------------------------- */

static const struct ptowsp_binding *binding_of(const struct ptowsp_run_args *args, uint32_t tensor)
{
	for (uint32_t b = 0; b < args->binding_count; b++) {
		const struct ptowsp_binding *binding = base_binding_at(args, b);

		if (binding->tensor == tensor && binding->data && binding->elements && binding->rank && binding->rank <= AIE_LAYOUT_RANK)
			return binding;
	}
	return NULL;
}

ptowsp_status aie_layouts_bind(struct aie_run *run)
{
	struct base_shards *shards = &run->loaded->program->shards;

	if (shards->chosen)
		memcpy(shards->grid, run->grid, sizeof(shards->grid));
	for (uint32_t r = 0; r < shards->count; r++) {
		const struct base_sharded *row = &shards->rows[r];
		const struct ptowsp_binding *binding = binding_of(run->args->args, row->tensor);
		struct aie_layout *layout = &run->loaded->layouts[row->tensor];

		*layout = (struct aie_layout){.grid = {shards->grid[0], shards->grid[1]}};
		if (!binding || !shards->grid[0])
			continue;
		layout->rank = binding->rank;
		for (uint32_t d = 0; d < AIE_LAYOUT_RANK; d++) {
			if (d >= binding->rank && row->axis[d] != BASE_WHOLE)
				return rt_fail(run->error, PTOWSP_INVALID, "layout: dimension %u of tensor %.80s is laid out, which has %u", d,
					       rt_tensor_name(run->loaded->planned, row->tensor), binding->rank);
			layout->axis[d] = row->axis[d] == BASE_WHOLE ? AIE_WHOLE : row->axis[d];
			layout->extents[d] = d < binding->rank ? binding->extents[d] : 1;
		}
	}
	return PTOWSP_OK;
}

const struct aie_layout *aie_layouts_of(const struct aie_loaded *loaded)
{
	return loaded->program->shards.count && loaded->program->shards.grid[0] ? loaded->layouts : NULL;
}

/* ---- what became of them ------------------------------------------------------------------------------------------------ */

static uint32_t holders_of(const struct aie_layout *layout)
{
	uint64_t extents[AIE_LAYOUT_RANK];
	uint32_t count = 0;

	for (uint64_t r = 0; layout->rank && r < layout->grid[0]; r++)
		for (uint64_t c = 0; c < layout->grid[1]; c++)
			count += aie_layout_part(layout, (struct aie_layout_tile){r, c}, extents) != 0;
	return count;
}

/* Bytes that come from memory or go there. */
static uint64_t placed(const struct aie_map *map, uint32_t tensor)
{
	uint64_t bytes = 0;

	for (uint32_t j = 0; j < map->graph.job_count; j++)
		if (map->graph.jobs[j].area != AIE_NOTHING && map->acts.areas.rows[map->graph.jobs[j].area].tensor == tensor)
			bytes += map->graph.jobs[j].bytes;
	return bytes;
}

void aie_layouts_tell(struct aie_run *run)
{
	struct base_shards *shards = &run->loaded->program->shards;
	const struct aie_map *map = &run->loaded->map;

	for (uint32_t r = 0; r < shards->count; r++) {
		uint32_t tensor = shards->rows[r].tensor;
		const struct aie_layout *layout = &run->loaded->layouts[tensor];
		struct ptowsp_layout_stats *stats = &shards->stats[r];

		*stats = (struct ptowsp_layout_stats){.tensor = tensor};
		aie_layout_text(layout, stats->layout);
		if (!map->held)
			continue;
		stats->shards = holders_of(layout);
		stats->bytes_local = map->hold.counts[tensor].local;
		stats->bytes_moved = map->hold.counts[tensor].moved;
		stats->bytes_placed = placed(map, tensor);
	}
}
