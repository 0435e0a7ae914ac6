/* SPDX-License-Identifier: MIT */
/* fake_map.h - the fake runtime's tensor map: an argument that is read comes behind all that wrote what it overlaps; one that is only written behind nobody. What it found is written down as the runtime's
 * dep_gen and swimlane do. */
#ifndef FAKE_MAP_H
#define FAKE_MAP_H

#include "fake_api.h"

struct fake_entry_of_map {
	struct ascend_tensor tensor;
	uint64_t producer; /* id */
};
struct fake_map {
	struct fake_entry_of_map *entries;
	uint64_t *tasks, (*edges)[2]; /* ids in the order of submission; producer and consumer */
	bool *idle;                   /* per task: it has no arguments, and is on no core */
	uint32_t count, task_count, edge_count;
	char folder[ASCEND_PREFIX]; /* of records; "": nothing is written */
};
/* Ids of producers, some of them twice; producers_out has room for one per argument and entry. */
uint32_t fake_map_find(struct fake_map *map, const struct fake_args *args, uint64_t *producers_out);
/* The task was submitted, behind these that the map found. */
void fake_map_enter(struct fake_map *map, const struct fake_args *args, uint64_t task, const uint64_t *producers, uint32_t count);
/* Writes deps.json and chip_swimlane_records.json, if there is a folder, and forgets all. There each task takes two microseconds, on two cores one after the other. */
void fake_map_finish(struct fake_map *map);

#endif
