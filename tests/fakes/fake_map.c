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

void fake_map_finish(struct fake_map *map)
{
	char path[ASCEND_PREFIX + 16];
	FILE *file;

	snprintf(path, sizeof(path), "%s/deps.json", map->folder);
	file = *map->folder ? fopen(path, "w") : NULL;
	if (file) {
		deps_write(map, file);
		fclose(file);
	}
	free(map->entries);
	free(map->tasks);
	free(map->edges);
	*map = (struct fake_map){0};
}
