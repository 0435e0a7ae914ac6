/* SPDX-License-Identifier: MIT
 * test_task_random.c - random programs of tasks from C: their edges and results against a plain model. */
#include "rt/task_api.h"
#include "tests/check.h"
#include "tests/taskgraph/graph_maker.h"
#include <stdlib.h>
#include <string.h>

enum { MODEL_TASKS = 70, MODEL_TENSORS = 3, SIDE = 8, CELLS = MODEL_TENSORS * SIDE * SIDE, REGIONS = 3 };
struct region {
	uint32_t tensor, row, column, rows, columns, access;
};
struct step {
	struct region regions[REGIONS];
	uint32_t count;
	int32_t after, stream; /* -1: none */
};
struct model {
	struct step steps[MODEL_TASKS];
	uint32_t kernel, tensors[MODEL_TENSORS], rules;
	uint64_t *memory, first[CELLS];
	bool edge[MODEL_TASKS][MODEL_TASKS]; /* [from][to] */
};

static uint64_t *cell_of(uint64_t *memory, const struct region *region, uint32_t r, uint32_t c)
{
	return memory + region->tensor * SIDE * SIDE + (region->row + r) * SIDE + region->column + c;
}

/* Folds what it reads and its number into what it writes, so that another order gives another result. */
static ptowsp_status fold_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	uint64_t state = task->args[0] + 1;

	(void)out;
	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < task->tensor_count; i++)
			for (uint64_t r = 0; task->tensors[i].access & (1u << pass) && r < task->tensors[i].rows; r++)
				for (uint64_t c = 0; c < task->tensors[i].columns; c++) {
					uint64_t *at = (uint64_t *)task->tensors[i].data + r * task->tensors[i].row_stride + c;

					state = (state ^ *at * !pass) * UINT64_C(0x9E3779B97F4A7C15) + 1;
					if (pass)
						*at = state;
				}
	return PTOWSP_OK;
}

static void model_step_run(const struct step *step, uint32_t number, uint64_t *memory)
{
	uint64_t state = number + 1;

	for (uint32_t pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < step->count; i++)
			for (uint32_t r = 0; step->regions[i].access & (1u << pass) && r < step->regions[i].rows; r++)
				for (uint32_t c = 0; c < step->regions[i].columns; c++) {
					uint64_t *at = cell_of(memory, &step->regions[i], r, c);

					state = (state ^ *at * !pass) * UINT64_C(0x9E3779B97F4A7C15) + 1;
					if (pass)
						*at = state;
				}
}

static bool touch(const struct model *m, const struct region *a, const struct region *b)
{
	if (a->tensor != b->tensor)
		return false;
	if (m->rules & RT_GRAPH_RULE_EXACT)
		return a->row == b->row && a->column == b->column && a->rows == b->rows && a->columns == b->columns;
	return a->row < b->row + b->rows && b->row < a->row + a->rows && a->column < b->column + b->columns && b->column < a->column + a->columns;
}

/* Does anything between p and i write what p's access and i's have in common? For overlap, cell by cell. */
static bool covered(const struct model *m, uint32_t p, const struct region *a, uint32_t i, const struct region *b, uint32_t row, uint32_t column)
{
	const struct region cell = {a->tensor, row, column, 1, 1, 0};

	for (uint32_t k = p + 1; k < i; k++)
		for (uint32_t j = 0; j < m->steps[k].count; j++) {
			const struct region *w = &m->steps[k].regions[j];

			if (!(w->access & PTOWSP_WRITE))
				continue;
			if (m->rules & RT_GRAPH_RULE_EXACT ? touch(m, w, b) : touch(m, w, &cell))
				return true;
		}
	return false;
}

static bool hazard(const struct model *m, uint32_t p, const struct region *a, uint32_t i, const struct region *b)
{
	bool raw = a->access & PTOWSP_WRITE && b->access & PTOWSP_READ, other = b->access & PTOWSP_WRITE && m->rules & RT_GRAPH_RULE_FULL;

	if ((!raw && !other) || !touch(m, a, b) || m->rules & RT_GRAPH_RULE_EXPLICIT)
		return false;
	if (m->rules & RT_GRAPH_RULE_EXACT)
		return !covered(m, p, a, i, b, 0, 0);
	for (uint32_t r = a->row; r < a->row + a->rows; r++)
		for (uint32_t c = a->column; c < a->column + a->columns; c++)
			if (r >= b->row && r < b->row + b->rows && c >= b->column && c < b->column + b->columns && !covered(m, p, a, i, b, r, c))
				return true;
	return false;
}

static void model_edges(struct model *m)
{
	for (uint32_t i = 0; i < MODEL_TASKS; i++)
		for (uint32_t p = 0; p < i; p++) {
			bool found = m->steps[i].after == (int32_t)p;

			for (uint32_t a = 0; a < m->steps[p].count; a++)
				for (uint32_t b = 0; b < m->steps[i].count; b++)
					found = found || hazard(m, p, &m->steps[p].regions[a], i, &m->steps[i].regions[b]);
			m->edge[p][i] = found;
		}
}

static void model_make(struct model *m, uint64_t seed)
{
	static const uint32_t rules[] = {RT_GRAPH_RULE_OVERLAP | RT_GRAPH_RULE_FULL, RT_GRAPH_RULE_OVERLAP, RT_GRAPH_RULE_EXACT | RT_GRAPH_RULE_FULL,
					 RT_GRAPH_RULE_EXACT, RT_GRAPH_RULE_EXPLICIT};
	uint64_t state = seed * 2654435761u + 88172645463325252u;

	memset(m, 0, sizeof(*m));
	m->rules = rules[seed % 5];
	for (uint32_t i = 0; i < CELLS; i++)
		m->first[i] = i * 77 + seed;
	for (uint32_t i = 0; i < MODEL_TASKS; i++) {
		struct step *step = &m->steps[i];

		step->count = graph_pick(&state, REGIONS + 1);
		step->after = i && !graph_pick(&state, 6) ? (int32_t)graph_pick(&state, i) : -1;
		step->stream = !graph_pick(&state, 6) ? (int32_t)graph_pick(&state, 2) : -1;
		for (uint32_t r = 0; r < step->count; r++) {
			struct region *region = &step->regions[r];

			region->tensor = graph_pick(&state, MODEL_TENSORS);
			region->rows = 1 + graph_pick(&state, 3);
			region->columns = graph_pick(&state, 3) ? 1 + graph_pick(&state, 3) : SIDE;
			region->row = graph_pick(&state, SIDE - region->rows + 1);
			region->column = graph_pick(&state, SIDE - region->columns + 1);
			region->access = 1 + graph_pick(&state, 3);
		}
	}
	model_edges(m);
}

static ptowsp_status model_orchestrate(struct rt_tasks *tasks, void *context)
{
	const struct model *m = context;

	for (uint32_t i = 0; i < MODEL_TASKS; i++) {
		const struct step *step = &m->steps[i];
		uint64_t task;

		rt_task_alloc(tasks, m->kernel, &task);
		rt_task_add_arg(tasks, task, i);
		if (step->after >= 0)
			rt_task_add_dep(tasks, task, (uint64_t)step->after);
		if (step->stream >= 0)
			rt_task_set_stream(tasks, task, (uint32_t)step->stream);
		for (uint32_t r = 0; r < step->count; r++) {
			const struct region *g = &step->regions[r];
			ptowsp_status (*add)(struct rt_tasks *, uint64_t, uint32_t, uint64_t, uint64_t, uint32_t, uint32_t) =
				g->access == PTOWSP_READ    ? rt_task_add_input
				: g->access == PTOWSP_WRITE ? rt_task_add_output
							    : rt_task_add_inout;

			add(tasks, task, m->tensors[g->tensor], g->row, g->column, g->rows, g->columns);
		}
		rt_task_submit(tasks, task);
	}
	return PTOWSP_OK;
}

static const char *edges_differ(const struct model *m, const struct rt_graph *g)
{
	uint32_t wanted = 0;

	for (uint32_t p = 0; p < MODEL_TASKS; p++)
		for (uint32_t i = p + 1; i < MODEL_TASKS; i++) {
			bool there = false;

			for (uint32_t e = 0; e < g->tasks[p].fanout_count; e++)
				there |= g->edges[g->tasks[p].fanout_begin + e] == i;
			wanted += m->edge[p][i];
			if (there != m->edge[p][i])
				return check_fmt("edge %u to %u is %s", p, i, there ? "too much" : "missing");
		}
	return wanted == g->edge_count ? NULL : "edges twice";
}

TEST(random_programs_have_the_edges_and_results_of_the_model)
{
	static struct model m;
	uint64_t expected[CELLS], memory[CELLS];

	for (uint64_t seed = 1; seed <= 120; seed++) {
		struct rt_tasks_config config = {.window = seed % 3 ? 0 : 4 + (uint32_t)seed % 9};
		struct rt_tasks *tasks;
		const char *why;

		model_make(&m, seed);
		config.rules = m.rules;
		memcpy(expected, m.first, sizeof(expected));
		for (uint32_t i = 0; i < MODEL_TASKS; i++)
			model_step_run(&m.steps[i], i, expected);
		REQUIRE_INT(rt_tasks_create(&tasks, &config, NULL), PTOWSP_OK);
		m.kernel = rt_tasks_kernel(tasks, "fold", PTOWSP_UNIT_ANY, fold_kernel);
		for (uint32_t t = 0; t < MODEL_TENSORS; t++)
			m.tensors[t] = rt_tasks_tensor(tasks, check_fmt("t%u", t), memory + t * SIDE * SIDE, PTOWSP_U64, SIDE, SIDE);
		REQUIRE_INT(rt_tasks_build(tasks, model_orchestrate, &m, NULL), PTOWSP_OK);
		why = edges_differ(&m, rt_tasks_graph(tasks));
		if (why)
			CHECK_FAIL("seed %llu: %s", (unsigned long long)seed, why);
		/* Weaker rules let tasks race: only one thread has a result then. */
		for (uint32_t workers = 1; workers <= (m.rules == (RT_GRAPH_RULE_OVERLAP | RT_GRAPH_RULE_FULL) ? 8u : 1u); workers *= 2)
			for (uint32_t threshold = 0; threshold <= 10; threshold += 5) {
				memcpy(memory, m.first, sizeof(memory));
				REQUIRE_INT(rt_tasks_run(tasks, model_orchestrate, &m, workers, threshold, NULL, NULL), PTOWSP_OK);
				if (m.rules == (RT_GRAPH_RULE_OVERLAP | RT_GRAPH_RULE_FULL) || !threshold)
					if (memcmp(memory, expected, sizeof(memory)) != 0)
						CHECK_FAIL("seed %llu, %u workers, threshold %u: other results", (unsigned long long)seed, workers, threshold);
			}
		rt_tasks_destroy(tasks);
	}
}
