/* SPDX-License-Identifier: MIT */
#include "ascend/engine/edges.h"

#include "ascend/engine/files.h"
#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An id of the runtime and the number of its task. */
struct named {
	uint64_t id, number;
};
struct reader {
	const char *at; /* behind what was read */
	struct named *tasks;
	uint64_t count;
	struct ascend_edge *edges;
	uint32_t edge_count, edge_room;
};

static int by_id(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_consumer(const void *a, const void *b)
{
	const struct ascend_edge *x = a, *y = b;

	return x->consumer != y->consumer ? (x->consumer > y->consumer) - (x->consumer < y->consumer)
					  : (x->producer > y->producer) - (x->producer < y->producer);
}

/* The number behind the next `key`, a string there. False: there is none before `end`. */
static bool number_read(struct reader *reader, const char *key, const char *end, uint64_t *out)
{
	const char *found = strstr(reader->at, key);

	if (!found || (end && found > end))
		return false;
	*out = strtoull(found + strlen(key), (char **)&reader->at, 10);
	return true;
}

static bool tasks_read(struct reader *reader, const char *edges, const uint64_t *numbers, uint64_t count)
{
	uint64_t id;

	while (reader->count < count && number_read(reader, "\"task_id\":\"", edges, &id)) {
		reader->tasks[reader->count] = (struct named){id, numbers[reader->count]};
		reader->count++;
	}
	qsort(reader->tasks, reader->count, sizeof(*reader->tasks), by_id);
	return reader->count == count && !number_read(reader, "\"task_id\":\"", edges, &id);
}

static uint64_t number_of(const struct reader *reader, uint64_t id)
{
	const struct named wanted = {id, 0}, *found = bsearch(&wanted, reader->tasks, reader->count, sizeof(wanted), by_id);

	return found ? found->number : UINT64_MAX;
}

static bool from_map(const struct reader *reader)
{
	static const char source[] = "\"source\":\"", map[] = "\"source\":\"tensormap\"";
	const char *found = strstr(reader->at, source);

	return found && !strncmp(found, map, strlen(map));
}

/* False: no memory. */
static bool edges_read(struct reader *reader)
{
	uint64_t producer, consumer;

	while (number_read(reader, "\"pred\":\"", NULL, &producer) && number_read(reader, "\"succ\":\"", NULL, &consumer)) {
		const struct ascend_edge edge = {number_of(reader, producer), number_of(reader, consumer)};

		if (!from_map(reader) || edge.producer == UINT64_MAX || edge.consumer == UINT64_MAX)
			continue;
		if (!COMMON_GROW(reader->edges, reader->edge_room, reader->edge_count))
			return false;
		reader->edges[reader->edge_count++] = edge;
	}
	return true;
}

/* An edge stands there for each tensor. */
static void edges_tidy(struct reader *reader)
{
	uint32_t kept = 0;

	if (reader->edge_count)
		qsort(reader->edges, reader->edge_count, sizeof(*reader->edges), by_consumer);
	for (uint32_t i = 0; i < reader->edge_count; i++)
		if (!kept || by_consumer(&reader->edges[kept - 1], &reader->edges[i]))
			reader->edges[kept++] = reader->edges[i];
	reader->edge_count = kept;
}

ptowsp_status ascend_edges_read(struct ascend_edge **edges_out, uint64_t *count_out, const char *folder, const uint64_t *numbers, uint64_t task_count,
				struct ptowsp_error *error)
{
	struct reader reader = {.tasks = malloc((task_count + 1) * sizeof(*reader.tasks))};
	char path[ASCEND_PATH + 16];
	void *text = NULL;
	const char *edges;
	size_t size;
	ptowsp_status status;

	*edges_out = NULL;
	*count_out = 0;
	snprintf(path, sizeof(path), "%s/deps.json", folder);
	status = reader.tasks ? ascend_file_read(path, &text, &size, error) : rt_no_memory(error, "edges");
	reader.at = text;
	edges = text ? strstr(text, "\"edges\":[") : NULL;
	if (!status && (!edges || !tasks_read(&reader, edges, numbers, task_count)))
		status = rt_fail(error, PTOWSP_IO,
				 "%.120s is not about the %llu tasks of this run: the pto-runtime has dropped some, or another run writes there", path,
				 (unsigned long long)task_count);
	reader.at = edges;
	if (!status && !edges_read(&reader))
		status = rt_no_memory(error, "edges");
	edges_tidy(&reader);
	*edges_out = reader.edges;
	*count_out = reader.edge_count;
	free(reader.tasks);
	free(text);
	return status;
}
