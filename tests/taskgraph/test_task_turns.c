/* SPDX-License-Identifier: MIT
 * test_task_turns.c - processes of tasks from C: tokens and what goes with them, whose turn it is, events and barriers; what ends a run. */
#include "rt/task_api.h"
#include "tests/check.h"
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 12, WIDTH = 4 };
struct pipe {
	uint32_t twice, x, held, y, channel;
	uint64_t capacity;
	int wrong;  /* what the sender does besides */
	bool after; /* each task comes behind the second last one before it */
	int64_t from[BLOCKS * WIDTH], at[2 * WIDTH], to[BLOCKS * WIDTH];
};

static ptowsp_status twice_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	int64_t *at = task->tensors[0].data;

	(void)out;
	for (int i = 0; i < WIDTH; i++)
		at[i] *= 2;
	return PTOWSP_OK;
}

static ptowsp_status send_all(struct rt_tasks *tasks, void *context, uint32_t instance)
{
	const struct pipe *p = context;

	for (int64_t i = instance; i < BLOCKS; i += 2) {
		if (!rt_process_room(tasks, p->channel))
			return PTOWSP_RUN_FAILED;
		rt_process_give(tasks, p->channel, p->x, (uint64_t)i, 0);
		rt_process_send(tasks, p->channel, i);
		if (p->wrong == 1)
			rt_process_close(tasks, p->channel);
		if (p->wrong == 2)
			return PTOWSP_KERNEL_FAILED;
	}
	return PTOWSP_OK;
}

/* Each in a place of its own. */
static ptowsp_status take_all(struct rt_tasks *tasks, void *context, uint32_t instance)
{
	const struct pipe *p = context;
	uint64_t task;

	for (int64_t i; rt_process_take(tasks, p->channel, &i);) {
		rt_process_get(tasks, p->channel, p->held, instance, 0);
		rt_task_alloc(tasks, p->twice, &task);
		rt_task_add_inout(tasks, task, p->held, instance, 0, 1, WIDTH);
		if (p->after && rt_tasks_count(tasks) >= 2)
			rt_task_add_after(tasks, task, rt_tasks_count(tasks) - 2);
		if (p->wrong == 4)
			rt_task_add_after(tasks, task, rt_tasks_count(tasks));
		rt_task_submit(tasks, task);
		if (!rt_process_room(tasks, p->channel + 1))
			return PTOWSP_RUN_FAILED;
		rt_process_give(tasks, p->channel + 1, p->held, instance, 0);
		rt_process_send(tasks, p->channel + 1, i);
	}
	return PTOWSP_OK;
}

static ptowsp_status store_all(struct rt_tasks *tasks, void *context, uint32_t instance)
{
	const struct pipe *p = context;

	(void)instance;
	for (int64_t i; rt_process_take(tasks, p->channel + 1, &i);)
		rt_process_get(tasks, p->channel + 1, p->y, (uint64_t)i, 0);
	return PTOWSP_OK;
}

static ptowsp_status pipe_orchestrate(struct rt_tasks *tasks, void *context)
{
	const struct pipe *p = context;
	const uint32_t first[] = {p->channel}, second[] = {p->channel + 1};
	const struct rt_tasks_process processes[] = {
		{send_all, 0, NULL, first, 0, 1},   {send_all, 1, NULL, first, 0, 1},   {take_all, 0, first, second, 1, 1},
		{take_all, 1, first, second, 1, 1}, {store_all, 0, second, NULL, 1, 0},
	};

	return rt_tasks_processes(tasks, processes, p->wrong == 3 ? 4 : 5, context);
}

static struct rt_tasks *pipe_make(struct pipe *p, const struct rt_tasks_config *config)
{
	struct rt_tasks *tasks;

	for (int i = 0; i < BLOCKS * WIDTH; i++)
		p->from[i] = i;
	REQUIRE_INT(rt_tasks_create(&tasks, config, NULL), PTOWSP_OK);
	p->twice = rt_tasks_kernel(tasks, "twice", PTOWSP_UNIT_ANY, twice_kernel);
	p->x = rt_tasks_tensor(tasks, "x", p->from, PTOWSP_I64, BLOCKS, WIDTH);
	p->held = rt_tasks_tensor(tasks, "held", p->at, PTOWSP_I64, 2, WIDTH);
	p->y = rt_tasks_tensor(tasks, "y", p->to, PTOWSP_I64, BLOCKS, WIDTH);
	p->channel = rt_tasks_channel(tasks, "first", p->capacity, p->capacity ? p->capacity : 2, PTOWSP_I64, 1, WIDTH);
	rt_tasks_channel(tasks, "second", p->capacity, p->capacity ? p->capacity : 1, PTOWSP_I64, 1, WIDTH);
	return tasks;
}

static ptowsp_status pipe_run(struct pipe *p, uint32_t workers, uint32_t threshold, struct rt_tasks_result *result, struct ptowsp_error *error)
{
	static const struct rt_tasks_config narrow = {.window = 4};
	struct rt_tasks *tasks = pipe_make(p, p->after ? &narrow : NULL);
	ptowsp_status status;

	status = rt_tasks_run(tasks, pipe_orchestrate, p, workers, threshold, result, error);
	if (!status) { /* once more, with the same channels */
		memset(p->to, 0, sizeof(p->to));
		status = rt_tasks_run(tasks, pipe_orchestrate, p, workers, threshold, result, error);
	}
	rt_tasks_destroy(tasks);
	return status;
}

TEST(what_goes_with_tokens_arrives)
{
	static const uint64_t capacities[] = {0, 1, 2, 100};

	for (uint32_t i = 0; i < 24; i++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct pipe p = {.capacity = capacities[i % 4], .after = i & 1};
		struct rt_tasks_result result = {0};

		CHECK_INT(pipe_run(&p, 1 + i / 4 % 2, i / 8, &result, &error), PTOWSP_OK);
		CHECK_UINT(result.tasks, BLOCKS); /* copies are none of them */
		for (int k = 0; k < BLOCKS * WIDTH; k++)
			CHECK_INT(p.to[k], 2 * k);
	}
}

/* The task of that place among those of a kernel. */
static uint32_t task_at(const struct rt_graph *g, uint32_t kernel, uint32_t place)
{
	for (uint32_t t = 0; t < g->task_count; t++)
		if (g->tasks[t].kernel == kernel && !place--)
			return t;
	return g->task_count;
}

/* With no other edges than those that are stated; copies stand between the tasks. */
TEST(tasks_that_come_behind_others_are_counted_without_copies)
{
	static const struct rt_tasks_config stated = {.rules = RT_GRAPH_RULE_EXPLICIT};
	struct pipe p = {.capacity = 2, .after = true};
	struct rt_tasks *tasks = pipe_make(&p, &stated);
	const struct rt_graph *g;

	REQUIRE_INT(rt_tasks_build(tasks, pipe_orchestrate, &p, NULL), PTOWSP_OK);
	g = rt_tasks_graph(tasks);
	REQUIRE_UINT(g->task_count, 5 * BLOCKS);
	CHECK_UINT(g->edge_count, BLOCKS - 2);
	for (uint32_t i = 0; i + 2 < BLOCKS; i++) {
		const struct rt_graph_task *task = &g->tasks[task_at(g, p.twice, i)];

		REQUIRE_UINT(task->fanout_count, 1);
		CHECK_UINT(g->edges[task->fanout_begin], task_at(g, p.twice, i + 2));
	}
	rt_tasks_destroy(tasks);
}

static void ends(int wrong, uint64_t capacity, ptowsp_status status, const char *sentence)
{
	for (uint32_t threshold = 0; threshold < 2; threshold++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct pipe p = {.capacity = capacity, .wrong = wrong};

		CHECK_INT(pipe_run(&p, 2, threshold, NULL, &error), status);
		CHECK_CONTAINS(error.text, sentence);
	}
}

TEST(what_cannot_go_on_ends_with_a_sentence)
{
	ends(1, 2, PTOWSP_RUN_FAILED, "a token is sent into a channel after it was closed");
	ends(2, 2, PTOWSP_KERNEL_FAILED, "a process failed");
	ends(3, 0, PTOWSP_DEADLOCK, "deadlock: the processes that have not ended wait for each other"); /* nobody takes from the second channel */
	ends(4, 2, PTOWSP_INVALID, "it can wait for earlier tasks only");
}

/* ---- order --------------------------------------------------------------------------------------------------------------- */

struct steps {
	uint32_t note;
	int how;
	_Atomic uint32_t at;
	uint32_t seen[64];
};

static struct steps *shared;

static ptowsp_status note_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	shared->seen[task->number] = shared->at++;
	return PTOWSP_OK;
}

/* Eight steps of eight tasks that touch nothing. */
static ptowsp_status steps_orchestrate(struct rt_tasks *tasks, void *context)
{
	const struct steps *s = context;
	uint64_t task;

	for (int step = 0; step < 8; step++) {
		for (int i = 0; i < 8; i++) {
			rt_task_alloc(tasks, s->note, &task);
			rt_task_submit(tasks, task);
		}
		if (s->how == 0) {
			rt_tasks_barrier(tasks);
		} else {
			rt_tasks_signal(tasks, 3);
			rt_tasks_wait(tasks, 3);
		}
	}
	if (s->how == 2)
		rt_tasks_wait(tasks, 3);
	return PTOWSP_OK;
}

TEST(tasks_behind_a_barrier_begin_when_all_before_have_ended)
{
	for (uint32_t i = 0; i < 18; i++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct steps s = {.how = (int)(i / 6)};
		struct rt_tasks *tasks;

		shared = &s;
		REQUIRE_INT(rt_tasks_create(&tasks, NULL, NULL), PTOWSP_OK);
		s.note = rt_tasks_kernel(tasks, "note", PTOWSP_UNIT_ANY, note_kernel);
		CHECK_INT(rt_tasks_run(tasks, steps_orchestrate, &s, 1 + i % 2, i / 2 % 3, NULL, &error), s.how == 2 ? PTOWSP_DEADLOCK : PTOWSP_OK);
		if (s.how == 2)
			CHECK_CONTAINS(error.text, "deadlock: event never signalled: 3, waited for before task 64");
		for (uint32_t k = 0; s.how < 2 && k < 64; k++)
			CHECK_UINT(s.seen[k] / 8, k / 8);
		rt_tasks_destroy(tasks);
	}
}

/* ---- devices ------------------------------------------------------------------------------------------------------------- */

static ptowsp_status nothing(struct rt_tasks *tasks, void *context)
{
	(void)tasks, (void)context;
	return PTOWSP_OK;
}

static ptowsp_status tells(struct rt_tasks *tasks, void *context)
{
	const struct steps *s = context;
	uint64_t task;

	if (s->how == 0) { /* a device tells itself */
		rt_task_alloc(tasks, s->note, &task);
		rt_task_submit(tasks, task);
		rt_tasks_notify(tasks, 0, 7);
	}
	return rt_tasks_wait_notify(tasks, s->how == 1, 7);
}

TEST(a_notification_comes_or_never_will)
{
	static const char *const said[] = {"", "deadlock: a notification is waited for, and the run of the device that would send it has ended"};

	for (int how = 0; how < 2; how++)
		for (uint32_t threshold = 0; threshold < 2; threshold++) {
			struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
			struct rt_tasks_config config = {0};
			struct steps s = {.how = how};
			struct rt_tasks *tasks, *other;

			shared = &s;
			REQUIRE_INT(rt_board_create(&config.board, 2, &error), PTOWSP_OK);
			REQUIRE_INT(rt_tasks_create(&tasks, &config, NULL), PTOWSP_OK);
			config.device = 1;
			REQUIRE_INT(rt_tasks_create(&other, &config, NULL), PTOWSP_OK);
			s.note = rt_tasks_kernel(tasks, "note", PTOWSP_UNIT_ANY, note_kernel);
			CHECK_INT(rt_tasks_run(other, nothing, NULL, 1, 1, NULL, &error), PTOWSP_OK);
			CHECK_INT(rt_tasks_run(tasks, tells, &s, 2, threshold, NULL, &error), how ? PTOWSP_DEADLOCK : threshold ? PTOWSP_OK : PTOWSP_INVALID);
			CHECK_CONTAINS(error.text, how || threshold ? said[how] : "in the safe mode none has run yet");
			rt_tasks_destroy(tasks);
			rt_tasks_destroy(other);
			rt_board_destroy(config.board);
		}
}
