/* SPDX-License-Identifier: MIT */
#include "ascend/engine/records.h"

#include "ascend/engine/files.h"
#include "registry/common/common_grow.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A task, by the runtime's id. Times in ticks of its counter. */
struct named {
	uint64_t id;
	const struct ascend_submitted *task;
	uint64_t begin, end; /* 0: it was on no core */
};
struct ascend_records {
	const char *folder;
	char *deps;     /* the file */
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
static bool number_read(struct ascend_records *records, const char *key, const char *end, uint64_t *out)
{
	const char *found = strstr(records->at, key);

	if (!found || (end && found > end))
		return false;
	*out = strtoull(found + strlen(key), (char **)&records->at, 10);
	return true;
}

static bool tasks_read(struct ascend_records *records, const char *edges, const struct ascend_submitted *submitted, uint64_t count)
{
	uint64_t id;

	while (records->count < count && number_read(records, "\"task_id\":\"", edges, &id)) {
		records->tasks[records->count] = (struct named){.id = id, .task = &submitted[records->count]};
		records->count++;
	}
	qsort(records->tasks, records->count, sizeof(*records->tasks), by_id);
	return records->count == count && !number_read(records, "\"task_id\":\"", edges, &id);
}

/* NULL: none of them. */
static struct named *task_find(const struct ascend_records *records, uint64_t id)
{
	const struct named wanted = {.id = id};

	return bsearch(&wanted, records->tasks, records->count, sizeof(wanted), by_id);
}

static uint64_t number_of(const struct ascend_records *records, uint64_t id)
{
	const struct named *found = task_find(records, id);

	return found ? found->task->number : UINT64_MAX;
}

static bool from_map(const struct ascend_records *records)
{
	static const char source[] = "\"source\":\"", map[] = "\"source\":\"tensormap\"";
	const char *found = strstr(records->at, source);

	return found && !strncmp(found, map, strlen(map));
}

/* False: no memory. */
static bool edges_read(struct ascend_records *records)
{
	uint64_t producer, consumer;

	while (number_read(records, "\"pred\":\"", NULL, &producer) && number_read(records, "\"succ\":\"", NULL, &consumer)) {
		const struct ascend_edge edge = {number_of(records, producer), number_of(records, consumer)};

		if (!from_map(records) || edge.producer == UINT64_MAX || edge.consumer == UINT64_MAX)
			continue;
		if (!COMMON_GROW(records->edges, records->edge_room, records->edge_count))
			return false;
		records->edges[records->edge_count++] = edge;
	}
	return true;
}

/* An edge stands there for each tensor. */
static void edges_tidy(struct ascend_records *records)
{
	uint32_t kept = 0;

	if (records->edge_count)
		qsort(records->edges, records->edge_count, sizeof(*records->edges), by_consumer);
	for (uint32_t i = 0; i < records->edge_count; i++)
		if (!kept || by_consumer(&records->edges[kept - 1], &records->edges[i]))
			records->edges[kept++] = records->edges[i];
	records->edge_count = kept;
}

ptowsp_status ascend_records_open(struct ascend_records **records_out, const char *folder, const struct ascend_submitted *submitted, uint64_t count,
				  struct ptowsp_error *error)
{
	struct ascend_records *records = calloc(1, sizeof(*records));
	char path[ASCEND_PATH + 40];
	const char *edges;
	size_t size;
	ptowsp_status status;

	*records_out = records;
	if (!records || !(records->tasks = malloc((count + 1) * sizeof(*records->tasks))))
		return rt_no_memory(error, "records of a run");
	records->folder = folder;
	snprintf(path, sizeof(path), "%s/deps.json", folder);
	status = ascend_file_read(path, (void **)&records->deps, &size, error);
	if (status)
		return status;
	records->at = records->deps;
	edges = strstr(records->deps, "\"edges\":[");
	if (!edges || !tasks_read(records, edges, submitted, count))
		return rt_fail(error, PTOWSP_IO,
			       "%.120s is not about the %llu tasks of this run: the pto-runtime has dropped some, or another run writes there", path,
			       (unsigned long long)count);
	records->at = edges;
	return PTOWSP_OK;
}

void ascend_records_close(struct ascend_records *records)
{
	if (!records)
		return;
	free(records->tasks);
	free(records->deps);
	free(records->edges);
	free(records);
}

ptowsp_status ascend_records_edges(struct ascend_records *records, struct ascend_edge **edges_out, uint64_t *count_out, struct ptowsp_error *error)
{
	const bool read = edges_read(records);

	edges_tidy(records);
	*edges_out = records->edges;
	*count_out = records->edge_count;
	records->edges = NULL;
	return read ? PTOWSP_OK : rt_no_memory(error, "edges");
}

/* ---- times ----------------------------------------------------------------------------------------------------------- */

enum { ROW_CORE, ROW_TASK, ROW_DISPATCH, ROW_BEGIN, ROW_END, ROW_NUMBERS };

/* [core, task, dispatch, begin, end, ...; false: there is no further row. */
static bool row_read(const char **at, uint64_t numbers_out[ROW_NUMBERS])
{
	char *end = (char *)*at + strcspn(*at, "[]");

	if (*end != '[')
		return false;
	for (int i = 0; i < ROW_NUMBERS; i++)
		numbers_out[i] = strtoull(end + 1, &end, 10);
	*at = end + strcspn(end, "]");
	*at += **at == ']';
	return true;
}

static void row_take(struct ascend_records *records, const uint64_t *numbers)
{
	struct named *task = task_find(records, numbers[ROW_TASK]);

	if (!task || numbers[ROW_END] < numbers[ROW_BEGIN])
		return;
	task->begin = task->end && task->begin < numbers[ROW_BEGIN] ? task->begin : numbers[ROW_BEGIN];
	task->end = task->end > numbers[ROW_END] ? task->end : numbers[ROW_END];
}

ptowsp_status ascend_records_times(struct ascend_records *records, void (*each)(void *context, uint32_t kernel, uint64_t ns), void *context,
				   struct ptowsp_error *error)
{
	static const char hertz[] = "\"clock_freq_hz\": ", tasks[] = "\"aicore_tasks\": [";
	char path[ASCEND_PATH + 40], *text;
	const char *clock, *at;
	uint64_t numbers[ROW_NUMBERS], frequency;
	size_t size;
	ptowsp_status status;

	snprintf(path, sizeof(path), "%s/chip_swimlane_records.json", records->folder);
	status = ascend_file_read(path, (void **)&text, &size, error);
	if (status)
		return status;
	clock = strstr(text, hertz);
	at = strstr(text, tasks);
	frequency = clock ? strtoull(clock + sizeof(hertz) - 1, NULL, 10) : 0;
	if (!frequency || !at)
		status = rt_fail(error, PTOWSP_IO, "%.120s has no times of tasks, or no clock; take the runtime that the plugin's page names", path);
	for (at = at ? at + sizeof(tasks) - 1 : NULL; !status && row_read(&at, numbers);)
		row_take(records, numbers);
	for (uint64_t i = 0; !status && i < records->count; i++)
		if (records->tasks[i].end && records->tasks[i].task->number != UINT64_MAX)
			each(context, records->tasks[i].task->kernel,
			     (uint64_t)((double)(records->tasks[i].end - records->tasks[i].begin) * 1e9 / (double)frequency));
	free(text);
	return status;
}
