/* SPDX-License-Identifier: MIT */
/* What the fake runtime of tests/fakes does with tasks: rings that give back, what waits for which of their resources, and which fault says that it waits in vain. */
#include "tests/check.h"
#include "tests/fakes/fake_tasks.h"

#include <string.h>

static int calls;

static void kernel(int64_t *args)
{
	(void)args;
	calls++;
}

static void (*functions[ASCEND_FUNCTIONS])(int64_t *) = {kernel};

/* All four rings alike; 0: the runtime's own. */
static void begin(struct fake_graph *graph, bool host, uint64_t window, uint64_t heap, uint64_t pool)
{
	struct ascend_call_config config = {0};

	for (int r = 0; r < ASCEND_RINGS; r++) {
		config.task_window[r] = window;
		config.heap[r] = heap;
		config.dep_pool[r] = pool;
	}
	calls = 0;
	fake_graph_init(graph, host, &config, 5);
	graph->functions = functions;
}

/* A vector task behind the first `count` of deps, with an output of so many bytes that the runtime places. */
static uint64_t submit(struct fake_graph *graph, const uint64_t *deps, uint32_t count, uint64_t bytes)
{
	const struct fake_kernels kernels = {{-1, 0, -1}};
	const struct ascend_tensor output = {
		.bytes = bytes, .owner = ASCEND_NO_TASK, .ndims = 1, .dtype = ASCEND_U8, .shapes = {(uint32_t)bytes}, .strides = {1}, .extent = bytes};
	struct fake_args args = {
		.tags = {FAKE_OUTPUT}, .tensors = {&output}, .tensor_count = bytes != 0, .launch = {1, false}, .deps = deps, .dep_count = count};

	return graph->head.ops->submit_task(&graph->head, &kernels, &args).task;
}

static void scope(struct fake_graph *graph, bool opens)
{
	(opens ? graph->head.ops->scope_begin : graph->head.ops->scope_end)(&graph->head);
}

/* The outermost scope ends, and everything runs. */
static void end(struct fake_graph *graph)
{
	graph->depth = 0;
	fake_graph_run(graph);
}

static void check_fault(const struct fake_graph *graph, int code, const char *detail)
{
	CHECK_INT(graph->fatal, code);
	CHECK_CONTAINS(graph->detail, detail);
}

/* ---- what waits and goes on ------------------------------------------------------------------------------------------ */

TEST(scopes_that_end_give_their_slots_back)
{
	struct fake_graph graph;

	begin(&graph, false, 16, 0, 0);
	for (int s = 0; s < 64; s++) {
		scope(&graph, true);
		for (int t = 0; t < 8; t++)
			submit(&graph, NULL, 0, 0);
		scope(&graph, false);
	}
	end(&graph);
	CHECK_INT(graph.fatal, 0);
	CHECK_INT(calls, 512);
	CHECK_UINT(graph.rings[1].most[FAKE_SLOTS], 15); /* one less than the window, as in the runtime */
	CHECK(graph.rings[1].stalls[FAKE_SLOTS] > 20);
	CHECK_UINT(graph.rings[0].most[FAKE_SLOTS], 0);
	fake_graph_finish(&graph);
}

/* 1,000 outputs of 1,000 bytes go through a heap of 4,096: never more than four are there, and nobody writes into another's. */
TEST(outputs_go_round_in_the_heap)
{
	struct fake_graph graph;

	begin(&graph, false, 0, 4096, 0);
	for (int s = 0; s < 1000; s++) {
		scope(&graph, true);
		submit(&graph, NULL, 0, 1000);
		scope(&graph, false);
		for (uint32_t t = graph.rings[1].alive; t + 1 < graph.rings[1].count; t++) {
			const struct ascend_tensor *a = graph.tasks[graph.rings[1].tasks[t]].tensors, *b = graph.tasks[graph.count - 1].tensors;

			CHECK(a->addr + a->bytes <= b->addr || b->addr + b->bytes <= a->addr);
			CHECK_UINT(b->addr % FAKE_HEAP_ALIGN, 0);
		}
	}
	end(&graph);
	CHECK_INT(graph.fatal, 0);
	CHECK_INT(calls, 1000);
	CHECK(graph.rings[1].stalls[FAKE_BYTES] > 200);
	CHECK(graph.rings[1].most[FAKE_BYTES] <= 4096 && graph.rings[1].most[FAKE_BYTES] >= 3072);
	fake_graph_finish(&graph);
}

TEST(entries_come_back_with_their_tasks)
{
	struct fake_graph graph;
	uint64_t tasks[80];

	begin(&graph, false, 0, 0, 200);
	for (int s = 0; s < 10; s++) {
		scope(&graph, true);
		for (int t = 0; t < 80; t++)
			tasks[t] = submit(&graph, NULL, 0, 0);
		submit(&graph, tasks, 80, 0); /* one for each, and 16 more than a task keeps itself */
		scope(&graph, false);
	}
	end(&graph);
	CHECK_INT(graph.fatal, 0);
	CHECK_INT(calls, 810);
	CHECK(graph.rings[1].most[FAKE_ENTRIES] >= 160 && graph.rings[1].most[FAKE_ENTRIES] <= 200); /* of two scopes */
	CHECK(graph.rings[1].most[FAKE_SPILLED] >= 32 && graph.rings[1].most[FAKE_SPILLED] <= 200);
	CHECK(graph.rings[1].stalls[FAKE_ENTRIES] > 0);
	fake_graph_finish(&graph);
}

/* ---- what waits in vain: the runtime's own cases ---------------------------------------------------------------------- */

TEST(one_scope_with_all_slots_is_fault_1)
{
	struct fake_graph graph;

	begin(&graph, false, 16, 0, 0);
	scope(&graph, true);
	for (int t = 0; t < 256; t++)
		submit(&graph, NULL, 0, 0);
	check_fault(&graph, 1, "reached the ring task-window cap of 16");
	CHECK_UINT(graph.count, 15);
	fake_graph_finish(&graph);
}

/* In the last ring lie the tasks of all deep scopes: what an outer one of them keeps is not the innermost scope's. */
TEST(a_scope_around_with_all_slots_is_fault_3)
{
	struct fake_graph graph;

	begin(&graph, false, 4, 0, 0);
	for (int s = 0; s < 8; s++) {
		scope(&graph, true);
		for (int t = 0; t < 3; t++)
			submit(&graph, NULL, 0, 0);
	}
	check_fault(&graph, 3, "open scopes hold all of 4 slots of a ring between them");
	fake_graph_finish(&graph);
}

/* A task that waits for entries keeps those it depends on, and so all that came behind them. */
TEST(a_task_keeps_what_it_waits_behind)
{
	struct fake_graph graph;
	uint64_t tasks[200], first;

	begin(&graph, false, 0, 0, 200);
	scope(&graph, true);
	first = submit(&graph, NULL, 0, 0);
	scope(&graph, false);
	for (int s = 0; s < 2; s++) {
		scope(&graph, true);
		for (int t = 0; t < 100; t++)
			tasks[t] = submit(&graph, &first, 1, 0);
		scope(&graph, false);
	}
	CHECK_INT(graph.fatal, 0);
	tasks[100] = first;
	scope(&graph, true);
	submit(&graph, tasks, 101, 0);
	check_fault(&graph, 4, "exceeded the dependency pool of 200 entries");
	fake_graph_finish(&graph);
}

/* Edges of one scope to tasks that run: entries of them do not come back before it ends. */
TEST(a_scope_with_all_entries_is_fault_4)
{
	struct fake_graph graph;
	uint64_t tasks[40];

	for (uint64_t pool = 399; pool <= 400; pool++) {
		begin(&graph, false, 0, 0, pool);
		scope(&graph, true);
		for (int t = 0; t < 40; t++)
			tasks[t] = submit(&graph, NULL, 0, 0);
		for (int t = 0; t < 10; t++)
			submit(&graph, tasks, 40, 0);
		CHECK_INT(graph.fatal, pool < 400 ? 4 : 0);
		fake_graph_finish(&graph);
	}
}

TEST(outputs_that_never_fit_are_fault_2)
{
	struct fake_graph graph;

	begin(&graph, false, 0, 1024, 0);
	submit(&graph, NULL, 0, 32768);
	check_fault(&graph, 2, "outputs of 32768 bytes never fit into a heap ring of 1024 bytes");
	fake_graph_finish(&graph);
	begin(&graph, false, 0, 1024, 0);
	scope(&graph, true); /* holds what is there */
	for (int t = 0; t < 3; t++)
		submit(&graph, NULL, 0, 512);
	check_fault(&graph, 2, "never fit");
	CHECK_UINT(graph.count, 2);
	fake_graph_finish(&graph);
}

TEST(several_scopes_with_all_slots_are_fault_3)
{
	struct fake_graph graph;

	begin(&graph, false, 4, 0, 0);
	for (int s = 0; s < 8; s++) {
		scope(&graph, true);
		for (int t = 0; t < (s < 3 ? 1 : 2); t++)
			submit(&graph, NULL, 0, 0);
	}
	check_fault(&graph, 3, "open scopes hold all of 4 slots of a ring between them");
	fake_graph_finish(&graph);
}

TEST(more_producers_than_entries_are_fault_4)
{
	struct fake_graph graph;
	uint64_t tasks[129];

	begin(&graph, false, 0, 0, 4);
	for (int t = 0; t < 128; t++)
		tasks[t] = submit(&graph, NULL, 0, 0);
	submit(&graph, tasks, 128, 0);
	check_fault(&graph, 4, "exceeded the dependency pool of 4 entries");
	fake_graph_finish(&graph);
	begin(&graph, true, 0, 0, 0);
	for (int t = 0; t < 129; t++)
		tasks[t] = submit(&graph, NULL, 0, 0);
	submit(&graph, tasks, 129, 0);
	check_fault(&graph, 4, "129 of 128");
	fake_graph_finish(&graph);
}

TEST(arguments_that_cannot_be_are_faults_5_and_7)
{
	const struct fake_kernels known = {{-1, 0, -1}}, unknown = {{-1, 17, -1}};
	struct fake_args args = {.launch = {1, false}}, together = {.launch = {25, true}};
	struct fake_graph graph;

	begin(&graph, false, 0, 0, 0);
	graph.head.ops->submit_task(&graph.head, &unknown, &args);
	check_fault(&graph, 5, "function 17 was not registered");
	fake_graph_finish(&graph);
	begin(&graph, false, 0, 0, 0);
	graph.head.ops->submit_task(&graph.head, &known, &together);
	check_fault(&graph, 7, "25 blocks cannot start together on 24 cores");
	fake_graph_finish(&graph);
	begin(&graph, false, 0, 0, 0);
	graph.head.ops->report_fatal(&graph.head, 9, "here", "no %s", "more");
	check_fault(&graph, 9, "here: no more");
	fake_graph_finish(&graph);
}

TEST(a_host_graph_gives_nothing_back)
{
	struct fake_graph graph;

	begin(&graph, true, 16, 0, 0);
	for (int t = 0; t < 15; t++)
		submit(&graph, NULL, 0, 0);
	CHECK_INT(graph.fatal, 0);
	submit(&graph, NULL, 0, 0);
	check_fault(&graph, 3, "the configured task window of 16 had no available slot");
	CHECK_INT(calls, 0);
	fake_graph_finish(&graph);
	begin(&graph, true, 16384, 0, 0);
	for (int t = 0; t <= FAKE_HOST_READY; t++)
		submit(&graph, NULL, 0, 0);
	check_fault(&graph, 104, "no free slot");
	fake_graph_finish(&graph);
}
