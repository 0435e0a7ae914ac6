/* SPDX-License-Identifier: MIT
 * test_task_reads.c - elements that decide what tasks from C come next: read when their writer has ended. */
#include "rt/task_api.h"
#include "tests/check.h"
#include <sched.h>

enum { READ_STEPS = 100 };
struct reading {
	uint32_t put, idle, numbers;
	int64_t memory[READ_STEPS];
};

static ptowsp_status put_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)out;
	sched_yield(); /* whoever does not wait is early */
	*(int64_t *)task->tensors[0].data = (int64_t)task->args[0];
	return PTOWSP_OK;
}

static ptowsp_status idle_kernel(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	(void)task, (void)out;
	return PTOWSP_OK;
}

/* Each element is made of the one before it as a task has left it there. */
static ptowsp_status read_orchestrate(struct rt_tasks *tasks, void *context)
{
	const struct reading *r = context;
	uint64_t task;
	int64_t value;

	for (uint64_t i = 1; i < READ_STEPS; i++) {
		if (rt_tasks_load(tasks, r->numbers, i - 1, false, &value))
			return PTOWSP_RUN_FAILED;
		rt_task_alloc(tasks, r->put, &task);
		rt_task_add_output(tasks, task, r->numbers, i, 0, 1, 1);
		rt_task_add_arg(tasks, task, (uint64_t)(value + 2));
		rt_task_submit(tasks, task);
		rt_task_alloc(tasks, r->idle, &task);
		rt_task_submit(tasks, task);
	}
	return PTOWSP_OK;
}

TEST(an_element_is_read_when_its_writer_has_ended)
{
	static const uint32_t rules[] = {0, RT_GRAPH_RULE_EXACT, RT_GRAPH_RULE_OVERLAP};

	for (uint32_t i = 0; i < 12; i++) {
		const struct rt_tasks_config config = {.rules = rules[i % 3], .window = i & 1 ? 4 : 0};
		const uint32_t workers = 1 + i / 3 % 2, threshold = i < 6 ? 1 : 1000;
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct reading r = {.memory = {7}};
		struct rt_tasks *tasks;

		REQUIRE_INT(rt_tasks_create(&tasks, &config, NULL), PTOWSP_OK);
		r.put = rt_tasks_kernel(tasks, "put", PTOWSP_UNIT_ANY, put_kernel);
		r.idle = rt_tasks_kernel(tasks, "idle", PTOWSP_UNIT_ANY, idle_kernel);
		r.numbers = rt_tasks_tensor(tasks, "numbers", r.memory, PTOWSP_I64, READ_STEPS, 1);
		CHECK_INT(rt_tasks_run(tasks, read_orchestrate, &r, workers, threshold, NULL, &error), PTOWSP_OK);
		for (int k = 0; k < READ_STEPS; k++)
			CHECK_INT(r.memory[k], 7 + 2 * k);
		CHECK_INT(rt_tasks_run(tasks, read_orchestrate, &r, workers, 0, NULL, &error), PTOWSP_INVALID);
		CHECK_CONTAINS(error.text, "of tensor numbers is read");
		CHECK_CONTAINS(error.text, "in the safe mode none has run yet; give the run a threshold of 1 or more");
		rt_tasks_destroy(tasks);
	}
}

/* The writer is the oldest task that is in flight, and leaves the window with the next one. */
static ptowsp_status oldest_orchestrate(struct rt_tasks *tasks, void *context)
{
	const struct reading *r = context;
	uint64_t task;
	int64_t value;

	rt_task_alloc(tasks, r->put, &task);
	rt_task_add_output(tasks, task, r->numbers, 0, 0, 1, 1);
	rt_task_add_arg(tasks, task, 42);
	rt_task_submit(tasks, task);
	for (int i = 1; i < 4; i++) {
		rt_task_alloc(tasks, r->idle, &task);
		rt_task_submit(tasks, task);
	}
	return rt_tasks_load(tasks, r->numbers, 0, false, &value) || value != 42 ? PTOWSP_RUN_FAILED : PTOWSP_OK;
}

TEST(an_element_of_the_oldest_task_in_flight_is_waited_for)
{
	const struct rt_tasks_config config = {.window = 4};
	struct reading r = {.memory = {7}};
	struct rt_tasks *tasks;

	REQUIRE_INT(rt_tasks_create(&tasks, &config, NULL), PTOWSP_OK);
	r.put = rt_tasks_kernel(tasks, "put", PTOWSP_UNIT_ANY, put_kernel);
	r.idle = rt_tasks_kernel(tasks, "idle", PTOWSP_UNIT_ANY, idle_kernel);
	r.numbers = rt_tasks_tensor(tasks, "numbers", r.memory, PTOWSP_I64, 1, 1);
	CHECK_INT(rt_tasks_run(tasks, oldest_orchestrate, &r, 2, 1000, NULL, NULL), PTOWSP_OK);
	rt_tasks_destroy(tasks);
}

/* Two elements that nothing writes: floats toward zero, and as their bits. */
static ptowsp_status float_orchestrate(struct rt_tasks *tasks, void *context)
{
	int64_t *values = context;

	rt_tasks_load(tasks, 0, 1, false, &values[0]);
	return rt_tasks_load(tasks, 0, 1, true, &values[1]);
}

TEST(floats_are_read_toward_zero_or_as_bits)
{
	float memory[] = {0, -2.75f};
	int64_t values[2];
	struct rt_tasks *tasks;

	REQUIRE_INT(rt_tasks_create(&tasks, NULL, NULL), PTOWSP_OK);
	rt_tasks_tensor(tasks, "floats", memory, PTOWSP_F32, 1, 2);
	CHECK_INT(rt_tasks_run(tasks, float_orchestrate, values, 1, 0, NULL, NULL), PTOWSP_OK);
	CHECK_INT(values[0], -2);
	CHECK_INT(values[1], 0xC0300000);
	rt_tasks_destroy(tasks);
}
