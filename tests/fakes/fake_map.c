/* SPDX-License-Identifier: MIT */
#include "fake_map.h"

#include <stdio.h>
#include <stdlib.h>

static uint32_t bytes_of(const struct ascend_tensor *tensor)
{
	static const uint8_t sizes[] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1};

	return sizes[tensor->dtype];
}

/* A row, or all of it where it has one dimension. */
static uint64_t row_begin(const struct ascend_tensor *tensor, uint32_t row)
{
	return tensor->addr + (tensor->start + (uint64_t)row * (tensor->ndims > 1 ? tensor->strides[0] : 0)) * bytes_of(tensor);
}

static uint64_t row_bytes(const struct ascend_tensor *tensor)
{
	return ((uint64_t)(tensor->shapes[tensor->ndims - 1] - 1) * tensor->strides[tensor->ndims - 1] + 1) * bytes_of(tensor);
}

static bool overlap(const struct ascend_tensor *a, const struct ascend_tensor *b)
{
	const uint32_t rows_a = a->ndims > 1 ? a->shapes[0] : 1, rows_b = b->ndims > 1 ? b->shapes[0] : 1;

	for (uint32_t i = 0; i < rows_a; i++)
		for (uint32_t k = 0; k < rows_b; k++)
			if (row_begin(a, i) < row_begin(b, k) + row_bytes(b) && row_begin(b, k) < row_begin(a, i) + row_bytes(a))
				return true;
	return false;
}

uint32_t fake_map_find(struct fake_map *map, const struct fake_args *args, uint64_t *producers_out)
{
	uint32_t found = 0;

	for (int i = 0; i < args->tensor_count; i++)
		for (uint32_t e = 0; e < map->count && (args->tags[i] == FAKE_INPUT || args->tags[i] == FAKE_INOUT); e++)
			if (overlap(args->tensors[i], &map->entries[e].tensor) && (!found || producers_out[found - 1] != map->entries[e].producer))
				producers_out[found++] = map->entries[e].producer;
	return found;
}

static void *grown(void *array, uint32_t count, size_t size)
{
	array = realloc(array, (count + 1) * size);
	if (!array)
		abort();
	return array;
}

void fake_map_enter(struct fake_map *map, const struct fake_args *args, uint64_t task, const uint64_t *producers, uint32_t count)
{
	for (int i = 0; i < args->tensor_count; i++)
		if (args->tags[i] == FAKE_INOUT || args->tags[i] == FAKE_OUTPUT_EXISTING) {
			map->entries = grown(map->entries, map->count, sizeof(*map->entries));
			map->entries[map->count++] = (struct fake_entry_of_map){*args->tensors[i], task};
		}
	map->tasks = grown(map->tasks, map->task_count, sizeof(*map->tasks));
	map->idle = grown(map->idle, map->task_count, sizeof(*map->idle));
	map->idle[map->task_count] = !args->tensor_count && !args->scalar_count;
	map->tasks[map->task_count++] = task;
	for (uint32_t i = 0; i < count; i++) {
		map->edges = grown(map->edges, map->edge_count, sizeof(*map->edges));
		map->edges[map->edge_count][0] = producers[i];
		map->edges[map->edge_count++][1] = task;
	}
}

static void deps_write(const struct fake_map *map, FILE *file)
{
	fprintf(file, "{\"tasks\":[");
	for (uint32_t i = 0; i < map->task_count; i++)
		fprintf(file, "%s{\"task_id\":\"%llu\"}", i ? "," : "", (unsigned long long)map->tasks[i]);
	fprintf(file, "],\"tensors\":[],\"edges\":[");
	for (uint32_t i = 0; i < map->edge_count; i++)
		fprintf(file, "%s{\"pred\":\"%llu\",\"succ\":\"%llu\",\"source\":\"tensormap\"}", i ? "," : "", (unsigned long long)map->edges[i][0],
			(unsigned long long)map->edges[i][1]);
	fprintf(file, "]}\n");
}

static void swimlane_write(const struct fake_map *map, FILE *file)
{
	const char *comma = "";

	fprintf(file, "{\n  \"metadata\": {\n    \"clock_freq_hz\": 50000000,\n    \"num_cores\": 2\n  },\n  \"aicore_tasks\": [");
	for (uint32_t core = 0; core < 2; core++)
		for (uint32_t i = 0; i < map->task_count; i++)
			if (!map->idle[i]) {
				fprintf(file, "%s\n    [%u, %llu, %u, %u, %u, 5]", comma, core, (unsigned long long)map->tasks[i], i, 1000 * i + 50 * core + 1,
					1000 * i + 50 * core + 51);
				comma = ",";
			}
	fprintf(file, "\n  ],\n  \"aicpu_tasks\": []\n}\n");
}

/* Each task has worked 100 cycles on a vector core, 60 of them in its vector pipe. */
static void pmu_write(const struct fake_map *map, FILE *file)
{
	fprintf(file, "thread_id,core_id,task_id,func_id,core_type,pmu_total_cycles,vec_busy_cycles,cube_busy_cycles,event_type\n");
	for (uint32_t i = 0; i < map->task_count; i++)
		if (!map->idle[i])
			fprintf(file, "2,12,0x%016llx,0,1,100,60,0,2\n", (unsigned long long)map->tasks[i]);
}

static void scopes_write(const struct fake_map *map, FILE *file)
{
	(void)map;
	fprintf(file, "{\"version\": 6, \"heap_max\": [4096, 4096], \"dep_pool_max\": [64, 64], \"tensormap_max\": 128}\n"
		      "{\"phase\": \"begin\", \"heap_start\": 0, \"heap_end\": 0, \"dep_pool_start\": 1, \"dep_pool_end\": 1, \"tensormap\": 3}\n"
		      "{\"phase\": \"end\", \"heap_start\": 1024, \"heap_end\": 3072, \"dep_pool_start\": 1, \"dep_pool_end\": 8, \"tensormap\": 2}\n");
}

static void file_write(const struct fake_map *map, const char *name, void (*write)(const struct fake_map *map, FILE *file))
{
	char path[ASCEND_PREFIX + 40];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", map->folder, name);
	file = *map->folder ? fopen(path, "w") : NULL;
	if (file) {
		write(map, file);
		fclose(file);
	}
}

void fake_map_finish(struct fake_map *map)
{
	file_write(map, "deps.json", deps_write);
	file_write(map, "chip_swimlane_records.json", swimlane_write);
	file_write(map, "pmu.csv", pmu_write);
	file_write(map, "scope_stats/scope_stats.jsonl", scopes_write);
	free(map->idle);
	free(map->entries);
	free(map->tasks);
	free(map->edges);
	*map = (struct fake_map){0};
}
