/* SPDX-License-Identifier: MIT */
/* engine_stages.c - which kernel takes most of a core's time. */
#include "aie/engine/aie_engine_own.h"

#include <stdlib.h>

struct aie_report_stage *aie_stages_find(const struct aie_map *map, uint32_t core_count, const struct aie_stage_times *times)
{
	const struct base_kernels *kernels = map->kernels;
	struct aie_report_stage *rows = calloc((size_t)core_count + 1, sizeof(*rows));
	uint64_t *cycles = calloc(((size_t)core_count + 1) * (kernels->count + 1), sizeof(*cycles)); /* of a core's kernel */

	for (uint64_t t = 0; rows && cycles && t < map->walk->task_count; t++)
		cycles[(size_t)times->cores[t] * kernels->count + aie_divided_kernel(&map->divided, map->walk->tasks[t].kernel)] +=
			times->ends[t] - times->starts[t];
	for (uint32_t c = 0; rows && cycles && c < core_count; c++)
		for (uint32_t k = 0; k < kernels->count; k++) {
			const uint64_t own = cycles[(size_t)c * kernels->count + k];

			rows[c].others = rows[c].others || (own && rows[c].kernel);
			if (own > rows[c].cycles)
				rows[c] = (struct aie_report_stage){kernels->rows[k].name, own, rows[c].others};
		}
	if (!cycles) {
		free(rows);
		rows = NULL;
	}
	free(cycles);
	return rows;
}
