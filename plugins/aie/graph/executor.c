/* SPDX-License-Identifier: MIT */
#include "aie/graph/executor.h"

#include "aie/aie_arch.h"
#include "aie/place/aie_place.h"
#include "ptowsp/ids.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

static int by_number(const void *a, const void *b)
{
	const struct aie_executor *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* One of each, sorted. */
static void unite(struct aie_executors *executors)
{
	uint32_t kept = 0;

	qsort(executors->rows, executors->count, sizeof(*executors->rows), by_number);
	for (uint32_t e = 0; e < executors->count; e++)
		if (!kept || executors->rows[kept - 1].number != executors->rows[e].number)
			executors->rows[kept++] = executors->rows[e];
	executors->count = kept;
}

static uint32_t number_of(const struct aie_executors_args *args, uint64_t task)
{
	return args->numbers ? args->numbers[task] : args->walk->tasks[task].executor;
}

static void pin(struct aie_executors *executors, const struct aie_executors_args *args)
{
	const uint32_t rows = args->grid_rows, columns = args->grid_columns;

	for (uint32_t e = 0; e < executors->count; e++) {
		struct aie_executor *row = &executors->rows[e];
		uint32_t core = columns ? row->number % args->pool : 0;
		bool placed = columns && core / columns < rows;

		row->column = placed ? (int32_t)(core % columns) : AIE_ANYWHERE;
		row->row = placed ? AIE_FIRST_CORE + (int32_t)(row->number / args->pool * rows + core / columns) : AIE_ANYWHERE;
	}
}

ptowsp_status aie_executors_make(struct aie_executors *executors, const struct aie_executors_args *args, struct ptowsp_error *error)
{
	const struct base_walk *walk = args->walk;

	aie_executors_finish(executors);
	executors->rows = calloc(walk->task_count + args->more_count + 1, sizeof(*executors->rows));
	executors->of_task = calloc(walk->task_count + 1, sizeof(*executors->of_task));
	if (!executors->rows || !executors->of_task)
		return rt_no_memory(error, "the executors of a schedule");
	for (uint64_t t = 0; t < walk->task_count; t++)
		if (walk->tasks[t].process == PTOWSP_NONE)
			executors->rows[executors->count++].number = number_of(args, t);
	for (uint32_t m = 0; m < args->more_count; m++)
		executors->rows[executors->count++].number = args->more[m];
	unite(executors);
	pin(executors, args);
	for (uint64_t t = 0; t < walk->task_count; t++) {
		const struct aie_executor key = {.number = number_of(args, t)}, *row = NULL;

		if (walk->tasks[t].process == PTOWSP_NONE)
			row = bsearch(&key, executors->rows, executors->count, sizeof(key), by_number);
		executors->of_task[t] = row ? (uint32_t)(row - executors->rows) : PTOWSP_NONE;
	}
	return PTOWSP_OK;
}

void aie_executors_finish(struct aie_executors *executors)
{
	free(executors->rows);
	free(executors->of_task);
	memset(executors, 0, sizeof(*executors));
}
