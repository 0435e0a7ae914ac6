/* SPDX-License-Identifier: MIT
 * test_graph_random.c - random programs of instructions, packed and run on cpu_sim with one thread and with two, against the interpreter of
 * random_graph.h: the same bytes in all tensors, each kernel as often, and every order that the instructions ask for. A failure names its seed:
 * PTOWSP_SEED=N runs one seed and prints its text, PTOWSP_SEEDS=N that many. */
#include "tests/check.h"
#include "tests/lang/random_loops.h"
#include "tests/taskgraph/random_graph.h"
#include "tests/taskgraph/taskgraph_run.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* About ten seconds. */
#define STANDARD (*check_sanitizer() ? 100 : 1000)

static struct random_graph g;
static int32_t tensors[RG_TENSORS][RG_ELEMENTS], counters[RG_COUNTERS][RG_WORDS], outputs[RG_TENSORS][RG_ELEMENTS];
static struct ptowsp_trace_task sorted[RG_INSTANCES * 2];
static uint32_t task_of[RG_INSTANCES]; /* by instance: its place in sorted */

/* --- kernels --- */

static int32_t *window(const struct ptowsp_task *task, uint32_t index)
{
	const struct ptowsp_tensor_arg *arg = (const void *)((const char *)task->tensors + (size_t)index * task->tensor_stride);

	return arg->data;
}

/* Each block has words of its own. */
static ptowsp_status step(const struct ptowsp_task *task, struct ptowsp_kernel_out *out, int function)
{
	uint32_t last = task->tensor_count - 1;
	int32_t *to = window(task, last);

	for (uint32_t w = task->block; w < RG_WORDS; w += task->block_count)
		to[w] = random_graph_word(function, to[w], last > 0 ? window(task, 0)[w] : 0, last > 1 ? window(task, 1)[w] : 0);
	out->cycles = function == 0 ? 1 : function == 1 ? 10 : 37;
	return PTOWSP_OK;
}

static ptowsp_status step0(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	return step(task, out, 0);
}
static ptowsp_status step1(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	return step(task, out, 1);
}
static ptowsp_status step2(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	return step(task, out, 2);
}
static ptowsp_status count(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	window(task, 0)[0]++;
	out->cycles = 3;
	return PTOWSP_OK;
}

static const struct {
	const char *name;
	ptowsp_kernel_fn fn;
} functions[] = {{"rgstep0", step0}, {"rgstep1", step1}, {"rgstep2", step2}, {"rgcount", count}};

/* --- what was said about a seed --- */

static void wrong(const char *what)
{
	CHECK_FAIL("seed %llu: %s", (unsigned long long)g.seed, what);
}

static void bytes_are(const char *name, const void *got, const void *want, size_t size)
{
	if (memcmp(got, want, size))
		wrong(check_fmt("tensor %s has other bytes", name));
}

/* --- a run --- */

static int32_t start_word(int tensor, int word)
{
	return (int32_t)((uint32_t)(tensor + 1) * 2654435761u ^ (uint32_t)word * 40503u) >> 8;
}

static void tensors_fill(int32_t (*to)[RG_ELEMENTS])
{
	for (int t = 0; t < RG_TENSORS; t++)
		for (int w = 0; w < RG_ELEMENTS; w++)
			to[t][w] = start_word(t, w);
}

/* What nothing uses is not there. */
static void bind(struct graph_run *r, const char *name, void *data, uint32_t words)
{
	int row = source_tensor(&r->source, name);

	if (row >= 0)
		graph_run_bind(r, name, data, r->source.t->tensor[row].dtype == PTOWSP_U8 ? words * 4 : words);
}

static bool run_once(uint32_t threads, struct graph_run **run_out)
{
	struct graph_run *r = *run_out = graph_run_open(g.text, NULL, threads);

	if (!r) {
		wrong("does not load");
		return false;
	}
	tensors_fill(tensors);
	memset(counters, 0, sizeof(counters));
	for (int t = 0; t < RG_TENSORS; t++) {
		bind(r, check_fmt(t < RG_TENSORS / 2 ? "T%d" : "IN%d", t), tensors[t], RG_ELEMENTS);
		bind(r, check_fmt("OUT%d", t), outputs[t], RG_ELEMENTS);
	}
	for (int c = 0; c < RG_COUNTERS; c++)
		bind(r, check_fmt("C%d", c), counters[c], RG_WORDS);
	if (source_slot(&r->source, "n") >= 0)
		graph_run_set(r, "n", check_fmt("%d", g.symbol));
	if (graph_run_go(r))
		wrong(r->error.text);
	return !r->status;
}

static void tensors_compare(void)
{
	for (int t = 0; t < RG_TENSORS; t++)
		bytes_are(check_fmt("%d", t), t < RG_TENSORS / 2 ? tensors[t] : outputs[t], g.tensors[t], sizeof(tensors[t]));
	for (int c = 0; c < RG_COUNTERS; c++)
		bytes_are(check_fmt("C%d", c), counters[c], g.counters[c], sizeof(counters[c]));
}

/* --- order --- */

static int by_task(const void *a, const void *b)
{
	const struct ptowsp_trace_task *x = a, *y = b;

	return x->task < y->task ? -1 : x->task > y->task;
}

/* The k-th time that a kernel runs is the k-th task of its name: tasks of one kernel are issued in the order of the program. */
static bool instances_match(const struct graph_run *r)
{
	static uint32_t next[RG_KERNELS];
	uint32_t count = r->task_count;

	if (count > sizeof(sorted) / sizeof(*sorted)) {
		wrong("runs more tasks than there is room for");
		return false;
	}
	memcpy(sorted, r->tasks, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_task);
	memset(next, 0, sizeof(next));
	for (int i = 0; i < g.instance_count; i++) {
		int kernel = g.instances[i].kernel;
		uint32_t *at = &next[kernel];

		while (*at < count && strcmp(ptowsp_plan_kernel(r->plan, sorted[*at].kernel), g.kernels[kernel].name) != 0)
			++*at;
		if (*at == count) {
			wrong(check_fmt("%s runs too seldom", g.kernels[kernel].name));
			return false;
		}
		task_of[i] = (*at)++;
	}
	for (uint32_t t = 0, kernels = 0; t < count; t++) {
		kernels += strncmp(ptowsp_plan_kernel(r->plan, sorted[t].kernel), "copy", 4) != 0;
		if (t + 1 == count && kernels != (uint32_t)g.instance_count)
			wrong(check_fmt("%u kernels run, not %d", kernels, g.instance_count));
	}
	return true;
}

static void is_behind(int later, int earlier, const char *why)
{
	const struct ptowsp_trace_task *x = &sorted[task_of[earlier]], *y = &sorted[task_of[later]];

	if (y->start < x->end)
		wrong(check_fmt("%s (task %llu) starts at %llu, before %s (task %llu) ends at %llu: %s", g.kernels[g.instances[later].kernel].name,
				(unsigned long long)y->task, (unsigned long long)y->start, g.kernels[g.instances[earlier].kernel].name,
				(unsigned long long)x->task, (unsigned long long)x->end, why));
}

/* Kernel `kernel` waits for what the edge comes from: of this launch; events also of earlier ones. */
static void edge_holds(const struct rg_edge *e, int later)
{
	for (int i = 0; i < later; i++)
		if (g.instances[i].kernel == e->from && (e->kind == RG_EVENT || g.instances[i].launch == g.instances[later].launch))
			is_behind(later, i, "an edge");
}

/* Everything above the second kernel of a full barrier, for it and all below. Kernels are numbered in the order of the text there. */
static void barrier_holds(const struct rg_edge *e, int later)
{
	if (g.instances[later].kernel < e->to || g.kernels[g.instances[later].kernel].graph != g.kernels[e->to].graph)
		return;
	for (int i = 0; i < later; i++)
		if (g.instances[i].launch == g.instances[later].launch && g.instances[i].kernel < e->to)
			is_behind(later, i, "a full barrier");
}

static void edges_hold(int later)
{
	int kernel = g.instances[later].kernel;

	for (int i = 0; i < g.edge_count; i++) {
		const struct rg_edge *e = &g.edges[i];

		if (e->kind == RG_BARRIER)
			barrier_holds(e, later);
		if (e->kind == RG_SOFT)
			continue;
		if (e->to == kernel)
			edge_holds(e, later);
		for (int s = 0; s < g.set_count; s++)
			if ((g.sets[s].a == kernel && g.sets[s].b == e->to) || (g.sets[s].b == kernel && g.sets[s].a == e->to))
				edge_holds(e, later);
	}
}

static void orders_hold(void)
{
	for (int i = 0; i < g.instance_count; i++) {
		const struct rg_instance *instance = &g.instances[i];

		edges_hold(i);
		for (int k = 0; k < instance->ranges; k++)
			for (int e = instance->after_first[k]; e < instance->after_end[k]; e++)
				is_behind(i, e, "a round of a loop");
		for (int e = 0; e < i; e++)
			if (g.launch_behind[instance->launch] >> g.instances[e].launch & 1)
				is_behind(i, e, "its stream, or a sync");
	}
}

/* --- all of it --- */

static bool seed_run(uint64_t seed)
{
	struct graph_run *r;

	random_graph_make(&g, seed);
	tensors_fill(g.tensors);
	if (!g.overflow)
		random_graph_interpret(&g);
	if (g.overflow)
		return false;
	if (getenv("PTOWSP_SEED"))
		printf("// n = %d\n%s", g.symbol, g.text);
	for (uint32_t threads = 1; threads < 3; threads++) {
		if (run_once(threads, &r)) {
			tensors_compare();
			if (instances_match(r))
				orders_hold();
		}
		graph_run_close(r);
	}
	return true;
}

TEST(random_programs_do_what_their_instructions_say)
{
	uint64_t count, first = check_seeds(&count, getenv("PTOWSP_TEST_LONG") ? 20 * STANDARD : STANDARD), wanted = 0, done = 0, kernels = 0;

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		ptowsp_kernel_register(functions[i].name, "", (ptowsp_native_fn)functions[i].fn);
	for (uint64_t seed = first; seed < first + count; seed++) {
		if (count > 1 && !check_seed_wanted(seed))
			continue;
		wanted++;
		if (seed_run(seed)) {
			done++;
			kernels += (uint64_t)g.instance_count;
		}
	}
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		ptowsp_kernel_unregister(functions[i].name);
	printf("# graph_random: %llu programs from PTOWSP_SEED=%llu on, %llu kernels run\n", (unsigned long long)done, (unsigned long long)first,
	       (unsigned long long)kernels);
	CHECK(done * 10 >= wanted * 9);
}
