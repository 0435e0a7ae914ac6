/* SPDX-License-Identifier: MIT
 * test_contract_random.c - random programs of the corpus dialect, packed and run by the tools and by the plain model of
 * contract/model.h: the same tasks, edges, times, executors, stalls, high-water marks and memory. A failure names its seed; the program
 * stays in build/test/tmp. PTOWSP_SEED=N runs one seed, PTOWSP_SEEDS=N that many. */
#include "contract/cli.h"
#include "contract/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long seed_now;

static void compare(const char *what, long long got, long long want, int task)
{
	if (got != want)
		CHECK_FAIL("seed %lu%s: %s %d is %lld, not %lld", seed_now, contract_program.options, what, task, got, want);
}

static void compare_resource(json_t *stats, const char *name, const struct model_resource *want)
{
	json_t *row = cli_at(stats, check_fmt("resources[%s]", name));

	if (!row) {
		CHECK_FAIL("seed %lu: no resource %s", seed_now, name);
		return;
	}
	compare(check_fmt("%s high_water", name), cli_int(row, "high_water"), want->high_water, 0);
	compare(check_fmt("%s stall_count", name), cli_int(row, "stall_count"), want->stall_count, 0);
	compare(check_fmt("%s stall_cycles", name), cli_int(row, "stall_cycles"), want->stall_cycles, 0);
}

static int edge_order(const void *x, const void *y)
{
	const struct model_edge *a = x, *b = y;

	return a->consumer != b->consumer ? a->consumer - b->consumer : a->producer - b->producer;
}

static void compare_graph(json_t *graph, const struct model_run *run)
{
	json_t *edges = json_object_get(graph, "edges"), *edge;
	size_t n = json_array_size(edges), i;
	struct model_edge *got = calloc(n + 1, sizeof(*got));

	compare("tasks of the graph", (long long)json_array_size(json_object_get(graph, "tasks")), run->task_count, 0);
	compare("edges of the graph", (long long)n, run->edge_count, 0);
	json_array_foreach(edges, i, edge) {
		got[i].producer = (int)json_integer_value(json_array_get(edge, 0));
		got[i].consumer = (int)json_integer_value(json_array_get(edge, 1));
	}
	qsort(got, n, sizeof(*got), edge_order);
	for (i = 0; i < n && i < (size_t)run->edge_count; i++)
		if (edge_order(&got[i], &run->edges[i])) {
			CHECK_FAIL("seed %lu%s: edge %zu is %d>%d, not %d>%d", seed_now, contract_program.options, i, got[i].producer, got[i].consumer,
				   run->edges[i].producer, run->edges[i].consumer);
			break;
		}
	free(got);
}

static void compare_trace(json_t *trace, const struct model_run *run)
{
	json_t *events = json_object_get(trace, "traceEvents"), *event;
	int seen = 0;
	size_t i;

	json_array_foreach(events, i, event) {
		json_t *number = cli_at(event, "args.task");
		const struct model_task *t;
		int task;

		if (!number)
			continue;
		task = (int)json_integer_value(number);
		if (task < 0 || task >= run->task_count) {
			CHECK_FAIL("seed %lu: task %d in the trace", seed_now, task);
			return;
		}
		t = &run->tasks[task];
		seen++;
		if (json_integer_value(json_object_get(event, "ts")) == t->start && json_integer_value(json_object_get(event, "dur")) == t->cycles &&
		    json_integer_value(json_object_get(event, "tid")) == t->executor)
			continue;
		compare("start of task", json_integer_value(json_object_get(event, "ts")), t->start, task);
		compare("cycles of task", json_integer_value(json_object_get(event, "dur")), t->cycles, task);
		compare("executor of task", json_integer_value(json_object_get(event, "tid")), t->executor, task);
		return;
	}
	compare("tasks in the trace", seen, run->task_count, 0);
}

static void compare_stats(json_t *stats, const struct model_run *run)
{
	compare("total_cycles", cli_int(stats, "total_cycles"), run->total, 0);
	compare("num_tasks", cli_int(stats, "num_tasks"), run->task_count, 0);
	compare("num_edges", cli_int(stats, "num_edges"), run->edge_count, 0);
	compare("num_executors", cli_int(stats, "num_executors"), contract_program.schedule.executors, 0);
	compare_resource(stats, "task_ring", &run->ring);
	compare_resource(stats, "tensor_map", &run->map);
	compare_resource(stats, "dep_list", &run->deps);
	compare_resource(stats, "ready_any", &run->ready);
}

static void compare_memory(void)
{
	for (int t = 0; t < MODEL_TENSORS; t++) {
		size_t bytes = 0;
		float *data;

		if (!contract_program.touched[t])
			continue;
		data = cli_npy_read(check_fmt("t%d.npy", t), "<f4", &bytes);
		compare("elements of tensor", (long long)(bytes / 4), contract_program.touched[t], t);
		for (int64_t x = 0; data && x < contract_program.touched[t] && (size_t)x < bytes / 4; x++)
			if (data[x] != contract_program.memory[t][x]) {
				CHECK_FAIL("seed %lu%s: t%d[%lld] is %g, not %g", seed_now, contract_program.options, t, (long long)x, (double)data[x],
					   (double)contract_program.memory[t][x]);
				break;
			}
		free(data);
	}
}

/* The whole command line; tensors that nothing touches are left alone. */
static const char *command(const char *how)
{
	static char text[4096];
	int n = snprintf(text, sizeof(text), "$B/ptowsp-run -q --stats=json --graph g.json --trace t.json %s%s", how, contract_program.options);

	for (int t = 0; t < MODEL_TENSORS && !strstr(how, "--no-kernels"); t++)
		if (contract_program.touched[t])
			n += snprintf(text + n, sizeof(text) - (size_t)n, " --fill t%d=iota --out t%d=t%d.npy", t, t, t);
	snprintf(text + n, sizeof(text) - (size_t)n, " seed_%lu.pkg.zst", seed_now);
	return text;
}

static void run_as(const char *how, const struct model_run *run)
{
	int status = cli(command(how));

	if (run->too_small) {
		compare("exit status", status, 5, 0);
		return;
	}
	if (status) {
		CHECK_FAIL("seed %lu: exit %d with %s%s: %s", seed_now, status, how, contract_program.options, cli_err);
		return;
	}
	compare_stats(cli_json(), run);
	compare_graph(cli_json_file("g.json"), run);
	compare_trace(cli_json_file("t.json"), run);
	if (!strstr(how, "--no-kernels") && !contract_program.schedule.exact && !contract_program.schedule.raw)
		compare_memory();
}

/* Nobody asks for tasks and edges, which is when they go the short way. */
static void run_untold(const struct model_run *run)
{
	if (run->too_small)
		return;
	if (cli(check_fmt("$B/ptowsp-run -q --stats=json --no-kernels%s seed_%lu.pkg.zst", contract_program.options, seed_now)))
		CHECK_FAIL("seed %lu:%s: %s", seed_now, contract_program.options, cli_err);
	else
		compare_stats(cli_json(), run);
}

static void run_seed(unsigned long seed)
{
	struct model_run run;

	seed_now = seed;
	contract_program_make(seed);
	CHECK(check_write(check_fmt("%s/seed_%lu.pto", getenv("T"), seed), contract_program.text, strlen(contract_program.text)));
	model_run(&run, contract_program.tasks, contract_program.task_count, &contract_program.schedule);
	if (cli(check_fmt("$B/ptowsp-pack seed_%lu.pto -o seed_%lu.pkg.zst", seed, seed)))
		CHECK_FAIL("seed %lu: pack: %s", seed, cli_err);
	else {
		run_as(seed % 2 ? "--threads 1" : "--threads 3", &run);
		run_as("--no-kernels", &run);
		run_untold(&run);
	}
	free(run.edges);
}

static void random_programs_run_as_the_model_says(void)
{
	const char *one = getenv("PTOWSP_SEED"), *many = getenv("PTOWSP_SEEDS");
	unsigned long count = many ? strtoul(many, NULL, 0) : cli_slow() ? 25 : 150;

	cli_begin();
	if (one)
		run_seed(strtoul(one, NULL, 0));
	for (unsigned long seed = 1; !one && seed <= count; seed++)
		run_seed(seed);
}

void suite_contract_random(CU_pSuite s)
{
	cli_suite("random");
	TEST(s, random_programs_run_as_the_model_says);
}
