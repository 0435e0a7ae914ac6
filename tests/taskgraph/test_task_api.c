/* SPDX-License-Identifier: MIT
 * test_task_api.c - tasks from C: the fused softmax of the PTO-ISA seed (section 4.5) with real kernels, order, bounded memory,
 * and what is refused. */
#include "rt/graph_text.h"
#include "rt/task_api.h"
#include "tests/check.h"
#include "tests/taskgraph/fused_softmax.h"
#include "tests/taskgraph/graph_maker.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* ---- fused softmax: 64 tiles, 5 tasks each -------------------------------------------------------------------------------- */

enum { TILES = 64, TASKS = TILES * FUSED_SOFTMAX_TASKS };
#define ELEMENTS ((size_t)TILES * FUSED_SOFTMAX_ROWS * FUSED_SOFTMAX_COLUMNS)

TEST(fused_softmax_gives_the_right_numbers_safe_and_pipelined)
{
	static const uint32_t workers[] = {1, 2, 8}, thresholds[] = {0, 1, 20, 1000};
	struct fused_softmax f;

	REQUIRE_INT(fused_softmax_init(&f, TILES, NULL), PTOWSP_OK);
	for (int w = 0; w < 3; w++)
		for (int t = 0; t < 4; t++) {
			struct rt_tasks_result result;
			struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

			memset(f.output, 0, ELEMENTS * sizeof(float));
			CHECK_INT(rt_tasks_run(f.tasks, fused_softmax_orchestrate, &f, workers[w], thresholds[t], &result, &error), PTOWSP_OK);
			CHECK_UINT(result.tasks, TASKS);
			CHECK_UINT(result.edges, TILES * 5);
			CHECK_UINT(fused_softmax_wrong(&f), 0);
			CHECK_UINT(result.started_at, thresholds[t] == 0 || thresholds[t] > TASKS ? TASKS : thresholds[t]);
		}
	fused_softmax_finish(&f);
}

TEST(a_tile_has_its_five_edges_and_no_others)
{
	static const uint32_t wanted[5][2] = {{0, 1}, {1, 2}, {2, 3}, {2, 4}, {3, 4}};
	struct fused_softmax f;
	const struct rt_graph *g;
	uint32_t e = 0, *counts;

	REQUIRE_INT(fused_softmax_init(&f, TILES, NULL), PTOWSP_OK);
	f.tiles = 1;
	CHECK(rt_tasks_graph(f.tasks) == NULL);
	REQUIRE_INT(rt_tasks_build(f.tasks, fused_softmax_orchestrate, &f, NULL), PTOWSP_OK);
	g = rt_tasks_graph(f.tasks);
	REQUIRE(g != NULL);
	REQUIRE_UINT(g->task_count, 5);
	REQUIRE_UINT(g->edge_count, 5);
	for (uint32_t t = 0; t < 5; t++)
		for (uint32_t i = 0; i < g->tasks[t].fanout_count; i++, e++) {
			CHECK_UINT(t, wanted[e][0]);
			CHECK_UINT(g->edges[e], wanted[e][1]);
		}
	CHECK_UINT(f.output[0] != 0, 0); /* nothing ran */
	counts = calloc(5, sizeof(*counts));
	CHECK(rt_graph_check(g->head, g->head->bytes, counts, NULL) == NULL);
	free(counts);
	CHECK_STR(g->text + g->kernels[g->tasks[2].kernel].name, "elem_exp");
	fused_softmax_finish(&f);
}

TEST(a_dump_has_the_form_of_the_seed)
{
	struct fused_softmax f;
	char *text = NULL;
	size_t size = 0;
	FILE *to;

	REQUIRE_INT(fused_softmax_init(&f, TILES, NULL), PTOWSP_OK);
	f.tiles = 1;
	REQUIRE_INT(rt_tasks_build(f.tasks, fused_softmax_orchestrate, &f, NULL), PTOWSP_OK);
	to = open_memstream(&text, &size);
	REQUIRE(to != NULL);
	rt_graph_dump(to, rt_tasks_graph(f.tasks));
	fclose(to);
	CHECK_CONTAINS(text, "PTO RUNTIME DUMP\n");
	CHECK_CONTAINS(text, "SUMMARY\n  Total tasks scheduled:  5\n  Ready queue size:       1\n\nTASK TABLE\n");
	CHECK_CONTAINS(text, "  Task 0: rowmax         [READY] fanin=0 buf=0.1KB fanout=[1]\n");
	CHECK_CONTAINS(text, "  Task 2: elem_exp       [WAIT]  fanin=1 buf=16.0KB fanout=[3,4]\n");
	CHECK_CONTAINS(text, "\nDEPENDENCY GRAPH\n  Task 0 -> Task 1\n");
	CHECK_CONTAINS(text, "  Task 3 -> Task 4\n");
	free(text);
	fused_softmax_finish(&f);
}

TEST(a_built_graph_runs_again_on_new_numbers)
{
	struct fused_softmax f;
	struct rt_tasks_result result;

	REQUIRE_INT(fused_softmax_init(&f, TILES, NULL), PTOWSP_OK);
	CHECK_INT(rt_tasks_rerun(f.tasks, 2, NULL, NULL), PTOWSP_INVALID);
	REQUIRE_INT(rt_tasks_run(f.tasks, fused_softmax_orchestrate, &f, 2, 0, NULL, NULL), PTOWSP_OK);
	for (int again = 0; again < 3; again++) {
		for (uint64_t i = 0; i < ELEMENTS; i++)
			f.input[i] = -f.input[i] / 2;
		CHECK_INT(rt_tasks_rerun(f.tasks, 1 + (uint32_t)again, &result, NULL), PTOWSP_OK);
		CHECK_UINT(result.tasks, TASKS);
		CHECK_UINT(fused_softmax_wrong(&f), 0);
	}
	fused_softmax_finish(&f);
}

/* ---- order of starting ------------------------------------------------------------------------------------------------------ */

struct count {
	_Atomic uint32_t ran;
	uint32_t n, kernel, tensor, seen, threshold;
	bool too_early, scope;
};
static struct count *counting; /* kernels get no context of their own */

static ptowsp_status count_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)task, (void)out;
	atomic_fetch_add(&counting->ran, 1);
	return PTOWSP_OK;
}

static ptowsp_status count_orchestrate(struct rt_tasks *tasks, void *context)
{
	struct count *count = context;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < count->n; i++) {
		uint64_t task;

		rt_task_alloc(tasks, count->kernel, &task);
		if (count->scope)
			rt_task_add_inout(tasks, task, count->tensor, i % 8, 0, 1, 1);
		/* Before this one is submitted, i have been. */
		if (atomic_load(&count->ran) && (!count->threshold || i < count->threshold))
			count->too_early = true;
		status = rt_task_submit(tasks, task);
	}
	count->seen = atomic_load(&count->ran);
	return status;
}

static void count_init(struct count *count, struct rt_tasks *tasks, uint32_t n)
{
	static int64_t memory[8];

	memset(count, 0, sizeof(*count));
	count->n = n;
	count->kernel = rt_tasks_kernel(tasks, "count", PTOWSP_UNIT_ANY, count_kernel);
	count->tensor = rt_tasks_tensor(tasks, "memory", memory, PTOWSP_I64, 8, 1);
	counting = count;
}

TEST(safe_mode_starts_nothing_while_tasks_are_submitted)
{
	struct rt_tasks *tasks;
	struct count count;

	REQUIRE_INT(rt_tasks_create(&tasks, NULL, NULL), PTOWSP_OK);
	count_init(&count, tasks, 5000);
	CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 4, 0, NULL, NULL), PTOWSP_OK);
	CHECK(!count.too_early);
	CHECK_UINT(count.seen, 0);
	CHECK_UINT(count.ran, 5000);
	rt_tasks_destroy(tasks);
}

TEST(pipelined_mode_starts_at_the_threshold)
{
	for (uint32_t workers = 1; workers <= 2; workers++) {
		struct rt_tasks *tasks;
		struct rt_tasks_result result;
		struct count count;

		REQUIRE_INT(rt_tasks_create(&tasks, NULL, NULL), PTOWSP_OK);
		count_init(&count, tasks, 5000);
		count.threshold = 400;
		CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, workers, 400, &result, NULL), PTOWSP_OK);
		CHECK(!count.too_early);
		CHECK_UINT(result.started_at, 400);
		if (workers == 1)
			CHECK_UINT(count.seen, 5000); /* the calling thread runs what is ready with each submit */
		CHECK_UINT(count.ran, 5000);
		rt_tasks_destroy(tasks);
	}
}

TEST(a_full_window_starts_before_the_threshold)
{
	const struct rt_tasks_config config = {.window = 32};
	struct rt_tasks *tasks;
	struct rt_tasks_result result;
	struct count count;

	REQUIRE_INT(rt_tasks_create(&tasks, &config, NULL), PTOWSP_OK);
	count_init(&count, tasks, 500);
	CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 2, 400, &result, NULL), PTOWSP_OK);
	CHECK_UINT(result.started_at, 32);
	CHECK_UINT(result.in_flight, 32);
	CHECK_UINT(count.ran, 500);
	rt_tasks_destroy(tasks);
}

TEST(memory_of_the_pipelined_mode_does_not_grow_with_the_tasks)
{
	const struct rt_tasks_config config = {.window = 256, .most_args = 1, .most_tensors = 2};
	struct rt_tasks *tasks;
	struct rt_tasks_result few, many, safe;
	struct count count;

	REQUIRE_INT(rt_tasks_create(&tasks, &config, NULL), PTOWSP_OK);
	count_init(&count, tasks, 300);
	count.scope = true; /* it has edges */
	CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 2, 20, &few, NULL), PTOWSP_OK);
	count.n = 100000;
	CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 2, 20, &many, NULL), PTOWSP_OK);
	CHECK_UINT(many.tasks, 100000);
	CHECK_UINT(many.bytes, few.bytes);
	CHECK(many.bytes < 256 * 640);
	CHECK(many.in_flight <= 256);
	CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 2, 0, &safe, NULL), PTOWSP_OK);
	CHECK(safe.bytes > 100000 * 64);
	rt_tasks_destroy(tasks);
}

/* ---- streams ------------------------------------------------------------------------------------------------------------------ */

static struct {
	_Atomic uint32_t inside[3];
	uint64_t last[3]; /* plain: the order of the stream is what keeps threads apart */
	_Atomic uint32_t wrong;
} streams;

static ptowsp_status stream_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	if (atomic_fetch_add(&streams.inside[task->stream], 1) || streams.last[task->stream] > task->number)
		atomic_fetch_add(&streams.wrong, 1);
	streams.last[task->stream] = task->number;
	atomic_fetch_sub(&streams.inside[task->stream], 1);
	return PTOWSP_OK;
}

static ptowsp_status stream_orchestrate(struct rt_tasks *tasks, void *context)
{
	uint64_t task;

	(void)context;
	memset(&streams, 0, sizeof(streams));
	for (uint32_t i = 0; i < 3000; i++) {
		rt_task_alloc(tasks, 0, &task);
		rt_task_set_stream(tasks, task, i * 7 % 3);
		rt_task_submit(tasks, task);
	}
	return PTOWSP_OK;
}

TEST(tasks_of_a_stream_follow_each_other)
{
	struct rt_tasks *tasks;

	REQUIRE_INT(rt_tasks_create(&tasks, NULL, NULL), PTOWSP_OK);
	rt_tasks_kernel(tasks, "stream", PTOWSP_UNIT_ANY, stream_kernel);
	for (uint32_t threshold = 0; threshold < 2; threshold++) {
		CHECK_INT(rt_tasks_run(tasks, stream_orchestrate, NULL, 4, threshold, NULL, NULL), PTOWSP_OK);
		CHECK_UINT(streams.wrong, 0);
		for (uint32_t s = 0; s < 3; s++)
			CHECK(streams.last[s] >= 2997);
	}
	rt_tasks_destroy(tasks);
}

/* ---- workspaces --------------------------------------------------------------------------------------------------------------- */

static _Atomic uint32_t workspaces_wrong;

/* Nobody else writes into it while the kernel runs. */
static ptowsp_status workspace_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	unsigned char *bytes = task->workspace;
	bool wrong = !bytes || (uintptr_t)bytes % 64 || task->workspace_size != (task->kernel ? 4096u : 1000u);

	(void)out;
	if (!wrong)
		memset(bytes, (int)(task->number % 251), task->workspace_size);
	sched_yield();
	for (uint64_t i = 0; !wrong && i < task->workspace_size; i++)
		wrong = bytes[i] != task->number % 251;
	atomic_fetch_add(&workspaces_wrong, wrong);
	return PTOWSP_OK;
}

static ptowsp_status without_workspace(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	atomic_fetch_add(&workspaces_wrong, task->workspace || task->workspace_size);
	return PTOWSP_OK;
}

static ptowsp_status workspace_orchestrate(struct rt_tasks *tasks, void *context)
{
	(void)context;
	for (uint32_t i = 0; i < 600; i++) {
		uint64_t task;

		rt_task_alloc(tasks, i % 3, &task);
		rt_task_submit(tasks, task);
	}
	return PTOWSP_OK;
}

TEST(a_kernel_has_the_workspace_that_was_said_for_itself_alone)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_tasks *tasks;

	REQUIRE_INT(rt_tasks_create(&tasks, NULL, NULL), PTOWSP_OK);
	rt_tasks_kernel(tasks, "small", PTOWSP_UNIT_ANY, workspace_kernel);
	rt_tasks_kernel(tasks, "large", PTOWSP_UNIT_ANY, workspace_kernel);
	rt_tasks_kernel(tasks, "none", PTOWSP_UNIT_ANY, without_workspace);
	rt_tasks_kernel_workspace(tasks, 0, 1000);
	rt_tasks_kernel_workspace(tasks, 1, 4096);
	atomic_store(&workspaces_wrong, 0);
	for (uint32_t workers = 1; workers <= 4; workers *= 2)
		for (uint32_t threshold = 0; threshold < 2; threshold++)
			CHECK_INT(rt_tasks_run(tasks, workspace_orchestrate, NULL, workers, threshold, NULL, &error), PTOWSP_OK);
	CHECK_INT(rt_tasks_build(tasks, workspace_orchestrate, NULL, &error), PTOWSP_OK);
	CHECK_INT(rt_tasks_rerun(tasks, 2, NULL, &error), PTOWSP_OK);
	CHECK_UINT(atomic_load(&workspaces_wrong), 0);
	rt_tasks_kernel_workspace(tasks, 1, UINT64_MAX);
	CHECK_INT(rt_tasks_run(tasks, workspace_orchestrate, NULL, 2, 0, NULL, &error), PTOWSP_NO_MEMORY);
	CHECK_STR(error.text, "no memory for workspaces of 18446744073709551615 bytes on 2 workers");
	rt_tasks_kernel_workspace(tasks, 1, 4096);
	CHECK_INT(rt_tasks_run(tasks, workspace_orchestrate, NULL, 2, 1, NULL, &error), PTOWSP_OK);
	CHECK_UINT(atomic_load(&workspaces_wrong), 0);
	rt_tasks_kernel_workspace(tasks, 3, 1);
	CHECK_INT(rt_tasks_run(tasks, workspace_orchestrate, NULL, 2, 1, NULL, &error), PTOWSP_INVALID);
	CHECK_STR(error.text, "there is no kernel 3 that could have a workspace");
	rt_tasks_destroy(tasks);
}

/* Blocks of a task add their numbers. */
static ptowsp_status block_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	*(int64_t *)task->tensors[0].data += 100 * task->block_count + task->block;
	return PTOWSP_OK;
}

static ptowsp_status block_orchestrate(struct rt_tasks *tasks, void *context)
{
	uint64_t task;

	(void)context;
	rt_task_alloc(tasks, 0, &task);
	rt_task_add_inout(tasks, task, 0, 0, 0, 1, 1);
	return rt_task_submit(tasks, task);
}

TEST(a_task_calls_its_kernel_once_per_block)
{
	for (uint32_t threshold = 0; threshold < 2; threshold++) {
		int64_t sum = 0;
		struct rt_tasks *tasks;

		REQUIRE_INT(rt_tasks_create(&tasks, NULL, NULL), PTOWSP_OK);
		rt_tasks_kernel(tasks, "block", PTOWSP_UNIT_ANY, block_kernel);
		rt_tasks_kernel_blocks(tasks, 0, 5);
		rt_tasks_tensor(tasks, "sum", &sum, PTOWSP_I64, 1, 1);
		CHECK_INT(rt_tasks_run(tasks, block_orchestrate, NULL, 1, threshold, NULL, NULL), PTOWSP_OK);
		CHECK_INT(sum, 5 * 500 + 10);
		rt_tasks_destroy(tasks);
	}
}

/* ---- refusals ---------------------------------------------------------------------------------------------------------------- */

static ptowsp_status (*wrong_step)(struct rt_tasks *tasks);
static uint32_t any_kernel, any_tensor;

static ptowsp_status wrong_orchestrate(struct rt_tasks *tasks, void *context)
{
	uint64_t task;

	(void)context;
	rt_task_alloc(tasks, any_kernel, &task);
	rt_task_submit(tasks, task);
	return wrong_step(tasks);
}

#define WRONGS(X)                                                                                                                                              \
	X(kernel, uint64_t t; return rt_task_alloc(tasks, 9, &t), "task 1: there is no such kernel")                                                           \
	X(twice, uint64_t t; rt_task_alloc(tasks, any_kernel, &t); return rt_task_alloc(tasks, any_kernel, &t), "task 1: it was allocated and not submitted")  \
	X(left, uint64_t t; return rt_task_alloc(tasks, any_kernel, &t), "task 1: it was allocated and not submitted")                                         \
	X(old, return rt_task_submit(tasks, 0), "task 0 is not the one that was allocated last and not yet submitted")                                         \
	X(tensor, uint64_t t; rt_task_alloc(tasks, any_kernel, &t); return rt_task_add_input(tasks, t, 5, 0, 0, 1, 1), "task 1: there is no such tensor")      \
	X(region, uint64_t t; rt_task_alloc(tasks, any_kernel, &t);                                                                                            \
	  return rt_task_add_output(tasks, t, any_tensor, 3, 0, 2, 8), "task 1: region [3, 0] of 2 x 8 lies outside tensor memory of 4 x 8")                   \
	X(columns, uint64_t t; rt_task_alloc(tasks, any_kernel, &t);                                                                                           \
	  return rt_task_add_output(tasks, t, any_tensor, 0, UINT64_MAX, 1, 2),                                                                                \
		 "task 1: region [0, 18446744073709551615] of 1 x 2 lies outside tensor memory of 4 x 8")                                                      \
	X(nothing, uint64_t t; rt_task_alloc(tasks, any_kernel, &t);                                                                                           \
	  return rt_task_add_output(tasks, t, any_tensor, 0, 0, 0, 2), "task 1: region [0, 0] of 0 x 2 lies outside tensor memory of 4 x 8")                   \
	X(flat, uint64_t t; rt_task_alloc(tasks, any_kernel, &t);                                                                                              \
	  return rt_task_add_flat(tasks, t, any_tensor, 30, 3, PTOWSP_READ), "task 1: 3 elements from 30 on lie outside tensor memory, which has 32")          \
	X(behind, uint64_t t; rt_task_alloc(tasks, any_kernel, &t);                                                                                            \
	  return rt_task_add_flat(tasks, t, any_tensor, 33, UINT64_MAX, 0),                                                                                    \
		 "task 1: 18446744073709551615 elements from 33 on lie outside tensor memory, which has 32")                                                   \
	X(touch, uint64_t t; rt_task_alloc(tasks, any_kernel, &t);                                                                                             \
	  return rt_task_add_flat(tasks, t, any_tensor, 0, 1, 4), "task 1: an argument is read, written or both")                                              \
	X(many, uint64_t t; rt_task_alloc(tasks, any_kernel, &t); rt_task_add_arg(tasks, t, 1);                                                                \
	  return rt_task_add_arg(tasks, t, 2), "task 1: it has too many scalar arguments; raise most_args")                                                    \
	X(later, uint64_t t; rt_task_alloc(tasks, any_kernel, &t); return rt_task_add_dep(tasks, t, 1), "task 1: it can wait for earlier tasks only")          \
	X(scope, return rt_scope_end(tasks), "task 1: no scope is open that could end here")                                                                   \
	X(open, return rt_scope_begin(tasks), "1 scopes are open at the end of the orchestration function")                                                    \
	X(registered, rt_tasks_kernel(tasks, "late", PTOWSP_UNIT_ANY, count_kernel); return PTOWSP_OK, "kernel late: kernels are made known before a run")     \
	X(workspace, rt_tasks_kernel_workspace(tasks, any_kernel, 64); return PTOWSP_OK, "kernel 0: workspaces are made known before a run")                   \
	X(element, int64_t v; return rt_tasks_load(tasks, any_tensor, 32, false, &v), "element 32 of tensor memory is read, which has 32")                     \
	X(between, uint64_t t; int64_t v; rt_task_alloc(tasks, any_kernel, &t);                                                                                \
	  return rt_tasks_load(tasks, any_tensor, 0, false, &v), "task 1: an element is read between tasks, in an orchestration function")                     \
	X(nowhere, int64_t v; return rt_tasks_load(tasks, 9, 0, false, &v), "task 1: there is no such tensor")                                                 \
	X(own, (void)tasks; return PTOWSP_IO, "the orchestration function failed with status -21")
#define X(name, step, why)                                                                                                                                     \
	static ptowsp_status wrong_##name(struct rt_tasks *tasks)                                                                                              \
	{                                                                                                                                                      \
		step;                                                                                                                                          \
	}
WRONGS(X)
#undef X

TEST(what_is_wrong_is_named_once_and_the_next_run_is_whole)
{
	static const struct {
		ptowsp_status (*step)(struct rt_tasks *tasks);
		const char *why;
	} wrongs[] = {
#define X(name, step, why) {wrong_##name, why},
		WRONGS(X)
#undef X
	};
	const struct rt_tasks_config config = {.most_args = 1};
	struct count count;
	struct rt_tasks *tasks;
	int64_t memory[32];

	REQUIRE_INT(rt_tasks_create(&tasks, &config, NULL), PTOWSP_OK);
	count_init(&count, tasks, 10);
	any_kernel = count.kernel;
	any_tensor = rt_tasks_tensor(tasks, "memory", memory, PTOWSP_I64, 4, 8);
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(*wrongs); i++)
		for (uint32_t threshold = 0; threshold < 2; threshold++) {
			struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};

			wrong_step = wrongs[i].step;
			CHECK(rt_tasks_run(tasks, wrong_orchestrate, NULL, 2, threshold, NULL, &error) != PTOWSP_OK);
			CHECK_STR(error.text, wrongs[i].why);
		}
	count.n = 10;
	CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 2, 0, NULL, NULL), PTOWSP_OK);
	rt_tasks_destroy(tasks);
}

/* ---- elements in one piece, tensors that are only bound ------------------------------------------------------------------------ */

static uint64_t seen_columns[6], seen_rows[6];

static ptowsp_status look_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	seen_rows[task->number] = task->tensors->rows;
	seen_columns[task->number] = task->tensors->columns;
	return task->tensors->row_stride >= task->tensors->columns ? PTOWSP_OK : PTOWSP_KERNEL_FAILED;
}

/* Task 1 reads what task 0 writes across two rows; 2 and 3 are bound to it; 4 reads elsewhere, 5 what 0 wrote once more. */
static ptowsp_status pieces_orchestrate(struct rt_tasks *tasks, void *context)
{
	uint64_t task;

	(void)context;
	for (unsigned i = 0; i < 6; i++) {
		rt_task_alloc(tasks, any_kernel, &task);
		switch (i) {
		case 0: rt_task_add_flat(tasks, task, any_tensor, 6, 6, PTOWSP_WRITE); break;
		case 1: rt_task_add_input(tasks, task, any_tensor, 1, 0, 2, 4); break;
		case 2: rt_task_add_bound(tasks, task, any_tensor, 1, 0, 2, 4); break;
		case 3: rt_task_add_flat(tasks, task, any_tensor, 6, 6, 0); break;
		case 4: rt_task_add_flat(tasks, task, any_tensor, 12, 0, PTOWSP_READ); break;
		default: rt_task_add_flat(tasks, task, any_tensor, 6, 6, PTOWSP_READ);
		}
		rt_task_submit(tasks, task);
	}
	return PTOWSP_OK;
}

TEST(elements_in_one_piece_wait_as_blocks_do_and_bound_ones_do_not)
{
	static const uint64_t rows[] = {1, 2, 2, 1, 1, 1}, columns[] = {6, 4, 4, 6, 0, 6};
	static const uint32_t rules[] = {RT_GRAPH_RULE_OVERLAP, RT_GRAPH_RULE_EXACT};
	int64_t memory[32];

	for (unsigned i = 0; i < 2; i++) {
		const struct rt_tasks_config config = {.rules = rules[i]};
		const struct rt_graph *g;
		struct rt_tasks *tasks;

		REQUIRE_INT(rt_tasks_create(&tasks, &config, NULL), PTOWSP_OK);
		any_kernel = rt_tasks_kernel(tasks, "look", PTOWSP_UNIT_ANY, look_kernel);
		any_tensor = rt_tasks_tensor(tasks, "memory", memory, PTOWSP_I64, 4, 8);
		REQUIRE_INT(rt_tasks_run(tasks, pieces_orchestrate, NULL, 1, 0, NULL, NULL), PTOWSP_OK);
		g = rt_tasks_graph(tasks);
		CHECK_UINT(g->edge_count, i ? 1 : 2); /* by regions as wholes, the last one alone is what task 0 wrote */
		CHECK_UINT(g->edges[g->edge_count - 1], 5);
		CHECK(rt_graph_check(g->head, g->head->bytes, (uint32_t[6]){0}, NULL) == NULL);
		for (unsigned k = 0; k < 6; k++)
			CHECK(seen_rows[k] == rows[k] && seen_columns[k] == columns[k]);
		rt_tasks_destroy(tasks);
	}
}

static ptowsp_status scope_orchestrate(struct rt_tasks *tasks, void *context)
{
	uint32_t n = *(uint32_t *)context;
	uint64_t task;

	for (uint32_t round = 0; round < 3; round++) {
		rt_scope_begin(tasks);
		for (uint32_t i = 0; i < n; i++) {
			rt_task_alloc(tasks, any_kernel, &task);
			rt_task_submit(tasks, task);
		}
		rt_scope_end(tasks);
	}
	return PTOWSP_OK;
}

TEST(a_scope_larger_than_the_window_is_a_deadlock_with_a_cure)
{
	for (uint32_t workers = 1; workers <= 2; workers++)
		for (uint32_t window = 4; window <= 5; window++) {
			const struct rt_tasks_config config = {.window = window};
			struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
			struct count count;
			struct rt_tasks *tasks;
			uint32_t n = 5;

			REQUIRE_INT(rt_tasks_create(&tasks, &config, NULL), PTOWSP_OK);
			count_init(&count, tasks, 0);
			any_kernel = count.kernel;
			CHECK_INT(rt_tasks_run(tasks, scope_orchestrate, &n, workers, 1, NULL, &error), window < 5 ? PTOWSP_DEADLOCK : PTOWSP_OK);
			if (window < 5)
				CHECK_STR(error.text,
					  "task 4 can never be submitted: open scopes hold the whole window of 4 tasks; a window of 5 lets it in, or end a "
					  "scope before");
			else
				CHECK_UINT(count.ran, 15);
			CHECK_INT(rt_tasks_run(tasks, scope_orchestrate, &n, workers, 0, NULL, NULL), PTOWSP_OK);
			rt_tasks_destroy(tasks);
		}
}

static ptowsp_status failing_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	atomic_fetch_add(&counting->ran, 1);
	if (task->number != 77)
		return PTOWSP_OK;
	memcpy(out->error->text, "no more paper", sizeof("no more paper"));
	return PTOWSP_IO;
}

TEST(a_kernel_that_fails_ends_the_run)
{
	for (uint32_t workers = 1; workers <= 4; workers *= 2)
		for (uint32_t threshold = 0; threshold <= 20; threshold += 20) {
			struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
			struct count count;
			struct rt_tasks *tasks;

			REQUIRE_INT(rt_tasks_create(&tasks, &(struct rt_tasks_config){.window = 16}, NULL), PTOWSP_OK);
			count_init(&count, tasks, 20000);
			count.kernel = rt_tasks_kernel(tasks, "printer", PTOWSP_UNIT_HOST, failing_kernel);
			CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, workers, threshold, NULL, &error), PTOWSP_KERNEL_FAILED);
			CHECK_STR(error.text, "task 77, kernel printer: no more paper");
			CHECK_UINT(error.where[0], 77);
			CHECK(count.ran < 20000);
			rt_tasks_destroy(tasks);
		}
}

TEST(limits_and_a_cancel_end_a_run)
{
	volatile uint32_t cancel = 0;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_tasks_config config = {.max_tasks = 50, .max_bytes = 3300, .cancel = &cancel};
	struct count count;
	struct rt_tasks *tasks;

	REQUIRE_INT(rt_tasks_create(&tasks, &config, NULL), PTOWSP_OK);
	count_init(&count, tasks, 51);
	CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 2, 1, NULL, &error), PTOWSP_LIMIT);
	CHECK_CONTAINS(error.text, "more than 50 tasks");
	count.n = 50;
	CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 2, 1, NULL, &error), PTOWSP_OK);
	CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 2, 0, NULL, &error), PTOWSP_TOO_BIG);
	count.n = 40;
	CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 2, 0, NULL, &error), PTOWSP_OK);
	cancel = 1;
	for (uint32_t threshold = 0; threshold < 2; threshold++) {
		CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 1, threshold, NULL, &error), PTOWSP_CANCELLED);
		CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 2, threshold, NULL, &error), PTOWSP_CANCELLED);
	}
	rt_tasks_destroy(tasks);
	config.rules = RT_GRAPH_RULE_EXACT | RT_GRAPH_RULE_OVERLAP;
	CHECK_INT(rt_tasks_create(&tasks, &config, &error), PTOWSP_INVALID);
	CHECK(tasks == NULL);
}

TEST(a_tensor_without_columns_is_refused_when_a_run_begins)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct count count;
	struct rt_tasks *tasks;

	REQUIRE_INT(rt_tasks_create(&tasks, NULL, NULL), PTOWSP_OK);
	count_init(&count, tasks, 1);
	rt_tasks_tensor(tasks, "flat", NULL, PTOWSP_F32, 4, 0);
	for (int again = 0; again < 2; again++) {
		CHECK_INT(rt_tasks_run(tasks, count_orchestrate, &count, 1, 0, NULL, &error), PTOWSP_INVALID);
		CHECK_CONTAINS(error.text, "tensor flat: it needs columns");
	}
	rt_tasks_destroy(tasks);
}
