/* SPDX-License-Identifier: MIT */
/* task_turns.c - processes of the C interface of tasks: functions on threads of their own, of which one at a time goes on, in the order of a pipeline (rt/process/process.h); and their channels. Elements
 * that go with a token are copied by tasks, from a region to a block of the channel and from there to a region, so that they follow and are followed as other tasks. */
#include "registry/common/common_grow.h"
#include "rt/graph/tasks.h"
#include "rt/process/channel.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MOST (UINT64_C(1) << 32) /* of a channel's blocks */
#define NOBODY     UINT32_MAX

struct rt_task_channel {
	struct rt_channel channel;
	uint64_t capacity;
	uint32_t tensor, rows, columns; /* of blocks, one below the other */
	void *memory;
};
enum standing { GOING, SENDING, TAKING, WAITING, ENDED };
struct turn {
	struct rt_task_turns *turns;
	const struct rt_tasks_process *process;
	pthread_t thread;
	pthread_cond_t go;
	enum standing standing;
	uint32_t at; /* channel, or event */
	bool given;  /* TAKING: from hand to hand */
	int64_t token;
	uint64_t block;
};
struct rt_task_turns {
	struct rt_tasks *tasks;
	void *context;
	struct turn *rows;
	uint32_t count, now; /* whose turn it is, NOBODY: the caller's */
	uint32_t live, threads;
	uint64_t steps; /* grows whenever somebody gets on */
	pthread_mutex_t lock;
	pthread_cond_t back;
};

/* ---- channels ---------------------------------------------------------------------------------------------------------- */

uint32_t rt_tasks_channel(struct rt_tasks *tasks, const char *name, uint64_t capacity, uint64_t blocks, enum ptowsp_dtype dtype, uint32_t rows,
			  uint32_t columns)
{
	const uint64_t elements = (uint64_t)rows * columns;
	struct rt_task_channel *c;

	if (tasks->running || blocks > BYTES_MOST || (elements && blocks * elements > BYTES_MOST / rt_dtype_bytes((uint16_t)dtype)))
		tasks->refused = rt_fail(&tasks->refused_error, PTOWSP_INVALID,
					 "channel %.60s: channels are made known before a run, and what goes with their tokens has at most 4 GiB", name);
	if (tasks->refused || !COMMON_GROW(tasks->channels, tasks->channel_room, tasks->channel_count)) {
		tasks->tables.failed |= !tasks->refused;
		return 0;
	}
	c = &tasks->channels[tasks->channel_count];
	*c = (struct rt_task_channel){.capacity = capacity, .rows = rows, .columns = columns};
	if (elements) {
		c->memory = calloc(blocks * elements + 1, rt_dtype_bytes((uint16_t)dtype));
		tasks->tables.failed |= !c->memory;
		c->tensor = rt_tasks_tensor(tasks, name, c->memory, dtype, blocks * rows, columns);
		if (!tasks->copy_kernel)
			tasks->copy_kernel = 1 + rt_tasks_kernel(tasks, "copy", PTOWSP_UNIT_ANY, rt_tasks_copy);
	}
	return tasks->channel_count++;
}

void rt_task_channels_reset(struct rt_tasks *tasks)
{
	for (uint32_t i = 0; i < tasks->channel_count; i++) {
		rt_channel_finish(&tasks->channels[i].channel);
		tasks->channels[i].channel.capacity = tasks->channels[i].capacity;
	}
}

void rt_task_channels_finish(struct rt_tasks *tasks)
{
	rt_task_channels_reset(tasks);
	for (uint32_t i = 0; i < tasks->channel_count; i++)
		free(tasks->channels[i].memory);
	free(tasks->channels);
}

/* Row by row; from the last one where the target lies behind the source, so that they may overlap. */
ptowsp_status rt_tasks_copy(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	const struct ptowsp_tensor_arg *from = task->tensors, *to = (const void *)((const char *)from + task->tensor_stride);

	(void)out;
	rt_block_copy(from, to);
	return PTOWSP_OK;
}

/* ---- turns -------------------------------------------------------------------------------------------------------------- */

/* The consumer whose turn it is, if it stands there and has no token yet. */
static struct turn *partner_of(const struct rt_task_turns *turns, uint32_t channel)
{
	const struct rt_end *end = rt_side_turn(&turns->tasks->channels[channel].channel.consumers);
	struct turn *turn = end ? &turns->rows[end->instance] : NULL;

	return turn && turn->standing == TAKING && turn->at == channel && !turn->given ? turn : NULL;
}

/* May it go on? */
static bool moves(const struct rt_task_turns *turns, uint32_t number)
{
	const struct turn *turn = &turns->rows[number];
	struct rt_task_channel *c = turn->standing == SENDING || turn->standing == TAKING ? &turns->tasks->channels[turn->at] : NULL;

	switch (turn->standing) {
	case SENDING: return rt_channel_sends(&c->channel, number, !c->capacity && partner_of(turns, turn->at));
	case TAKING: return turn->given || rt_channel_gives(&c->channel, number) || rt_channel_over(&c->channel);
	case WAITING: return turns->tasks->events[turn->at].count;
	case ENDED: return false;
	default: return true;
	}
}

/* Gives the turn to `to`, and gets it back when `self` has it. */
static void turn_pass(struct rt_task_turns *turns, uint32_t self, uint32_t to)
{
	pthread_mutex_lock(&turns->lock);
	turns->now = to;
	pthread_cond_signal(to == NOBODY ? &turns->back : &turns->rows[to].go);
	while (turns->now != self)
		pthread_cond_wait(self == NOBODY ? &turns->back : &turns->rows[self].go, &turns->lock);
	pthread_mutex_unlock(&turns->lock);
}

void rt_task_turn_over(struct rt_tasks *tasks)
{
	struct rt_task_turns *turns = tasks->turns;

	if (!turns || turns->now == NOBODY)
		return;
	turns->steps++;
	turn_pass(turns, turns->now, NOBODY);
}

/* False after an error. */
static bool stand(struct rt_tasks *tasks, enum standing standing, uint32_t at)
{
	struct rt_task_turns *turns = tasks->turns;
	struct turn *turn;

	if (!turns || turns->now == NOBODY)
		return !rt_tasks_fail(tasks, PTOWSP_INVALID, "processes alone send, take and close");
	turn = &turns->rows[turns->now];
	turn->standing = standing;
	turn->at = at;
	turns->steps++;
	while (!tasks->status && !moves(turns, turns->now))
		turn_pass(turns, turns->now, NOBODY);
	turn->standing = GOING;
	turns->steps++;
	return !tasks->status;
}

void rt_task_event_await(struct rt_tasks *tasks, uint32_t event)
{
	stand(tasks, WAITING, event);
}

static void sides_finish(const struct rt_task_turns *turns, const struct rt_tasks_process *process, uint32_t number)
{
	for (uint32_t i = 0; i < process->take_count; i++)
		rt_side_finish(&turns->tasks->channels[process->takes[i]].channel.consumers, number, 0);
	for (uint32_t i = 0; i < process->send_count; i++)
		rt_side_finish(&turns->tasks->channels[process->sends[i]].channel.producers, number, 0);
}

static void *process_main(void *context)
{
	struct turn *turn = context;
	struct rt_task_turns *turns = turn->turns;
	const uint32_t number = (uint32_t)(turn - turns->rows);
	ptowsp_status status = PTOWSP_OK;

	pthread_mutex_lock(&turns->lock);
	while (turns->now != number)
		pthread_cond_wait(&turn->go, &turns->lock);
	pthread_mutex_unlock(&turns->lock);
	if (!turns->tasks->status)
		status = turn->process->run(turns->tasks, turns->context, turn->process->instance);
	if (status)
		rt_tasks_fail(turns->tasks, status, "a process failed");
	sides_finish(turns, turn->process, number);
	turn->standing = ENDED;
	turns->live--;
	turns->steps++;
	pthread_mutex_lock(&turns->lock);
	turns->now = NOBODY;
	pthread_cond_signal(&turns->back);
	pthread_mutex_unlock(&turns->lock);
	return NULL;
}

/* ---- all of them --------------------------------------------------------------------------------------------------------- */

/* The instance at the ends of its channels. */
static bool ends_add(const struct rt_task_turns *turns, uint32_t number)
{
	const struct rt_tasks_process *process = turns->rows[number].process;
	bool ok = true;

	for (uint32_t i = 0; i < process->take_count; i++)
		ok = ok && rt_side_add(&turns->tasks->channels[process->takes[i]].channel.consumers, number);
	for (uint32_t i = 0; i < process->send_count; i++)
		ok = ok && rt_side_add(&turns->tasks->channels[process->sends[i]].channel.producers, number);
	return ok;
}

static ptowsp_status turns_make(struct rt_task_turns *turns, const struct rt_tasks_process *processes, uint32_t count)
{
	turns->rows = calloc((size_t)count + 1, sizeof(*turns->rows));
	if (!turns->rows)
		return rt_tasks_fail(turns->tasks, PTOWSP_NO_MEMORY, "no memory for processes");
	for (; turns->count < count; turns->count++) {
		struct turn *turn = &turns->rows[turns->count];

		turn->turns = turns;
		turn->process = &processes[turns->count];
		pthread_cond_init(&turn->go, NULL);
		if (!ends_add(turns, turns->count))
			return rt_tasks_fail(turns->tasks, PTOWSP_NO_MEMORY, "no memory for processes");
	}
	for (; turns->threads < count; turns->threads++, turns->live++)
		if (pthread_create(&turns->rows[turns->threads].thread, NULL, process_main, &turns->rows[turns->threads]))
			return rt_tasks_fail(turns->tasks, PTOWSP_NO_MEMORY, "no thread for a process");
	return PTOWSP_OK;
}

/* A round of turns after the other, until all have ended or nobody gets on; after an error each goes to its end. */
static void rounds_go(struct rt_task_turns *turns)
{
	uint64_t before;

	do {
		before = turns->steps;
		for (uint32_t i = 0; i < turns->threads; i++)
			if (turns->rows[i].standing != ENDED && (turns->tasks->status || moves(turns, i)))
				turn_pass(turns, NOBODY, i);
		if (turns->live && turns->steps == before)
			rt_tasks_fail(turns->tasks, PTOWSP_DEADLOCK, "deadlock: the processes that have not ended wait for each other");
	} while (turns->live);
}

ptowsp_status rt_tasks_processes(struct rt_tasks *tasks, const struct rt_tasks_process *processes, uint32_t count, void *context)
{
	struct rt_task_turns turns = {.tasks = tasks, .context = context, .now = NOBODY};

	if (tasks->turns)
		return rt_tasks_fail(tasks, PTOWSP_INVALID, "processes begin processes");
	if (rt_tasks_barrier(tasks))
		return tasks->status;
	pthread_mutex_init(&turns.lock, NULL);
	pthread_cond_init(&turns.back, NULL);
	tasks->turns = &turns;
	turns_make(&turns, processes, count);
	rounds_go(&turns);
	for (uint32_t i = 0; i < turns.threads; i++)
		pthread_join(turns.rows[i].thread, NULL);
	for (uint32_t i = 0; i < turns.count; i++)
		pthread_cond_destroy(&turns.rows[i].go);
	pthread_cond_destroy(&turns.back);
	pthread_mutex_destroy(&turns.lock);
	tasks->turns = NULL;
	free(turns.rows);
	return tasks->status;
}

/* ---- in a process -------------------------------------------------------------------------------------------------------- */

bool rt_process_room(struct rt_tasks *tasks, uint32_t channel)
{
	if (!tasks->status && tasks->turns && tasks->turns->now != NOBODY && rt_side_finished(&tasks->channels[channel].channel.producers, tasks->turns->now))
		rt_tasks_fail(tasks, PTOWSP_RUN_FAILED, "a token is sent into a channel after it was closed");
	return stand(tasks, SENDING, channel);
}

/* Between a region and a block. */
static ptowsp_status move(struct rt_tasks *tasks, const struct rt_task_channel *c, uint64_t block, uint32_t tensor, uint64_t row, uint64_t column, bool sends)
{
	uint64_t task;

	tasks->moving = true;
	rt_task_alloc(tasks, tasks->copy_kernel - 1, &task);
	for (int i = 0; i < 2; i++) {
		const bool is_block = sends == (i == 1);

		(i ? rt_task_add_output : rt_task_add_input)(tasks, task, is_block ? c->tensor : tensor, is_block ? block * c->rows : row,
							     is_block ? 0 : column, c->rows, c->columns);
	}
	rt_task_submit(tasks, task);
	tasks->moving = false;
	return tasks->status;
}

ptowsp_status rt_process_give(struct rt_tasks *tasks, uint32_t channel, uint32_t tensor, uint64_t row, uint64_t column)
{
	struct rt_task_channel *c = &tasks->channels[channel];

	if (tasks->status)
		return tasks->status;
	rt_side_turn(&c->channel.consumers);
	return move(tasks, c, c->capacity ? c->channel.sends % c->capacity : c->channel.consumers.next, tensor, row, column, true);
}

ptowsp_status rt_process_send(struct rt_tasks *tasks, uint32_t channel, int64_t token)
{
	struct rt_channel *c = &tasks->channels[channel].channel;
	struct turn *partner;
	uint64_t clock = 0;

	if (tasks->status)
		return tasks->status;
	partner = c->capacity ? NULL : partner_of(tasks->turns, channel);
	if (rt_channel_send(c, (uint64_t)token, &clock, partner ? &clock : NULL))
		return rt_tasks_fail(tasks, PTOWSP_NO_MEMORY, "no memory for tokens");
	if (partner) {
		partner->block = c->consumers.next;
		partner->token = (int64_t)rt_channel_take(c, &clock);
		partner->given = true;
	}
	return PTOWSP_OK;
}

bool rt_process_take(struct rt_tasks *tasks, uint32_t channel, int64_t *token_out)
{
	struct rt_channel *c = &tasks->channels[channel].channel;
	struct turn *turn;
	uint64_t clock = 0;

	*token_out = 0;
	if (!stand(tasks, TAKING, channel))
		return false;
	turn = &tasks->turns->rows[tasks->turns->now];
	if (!turn->given && c->sends == c->consumes)
		return false;
	if (!turn->given) {
		turn->block = c->consumes % c->capacity;
		turn->token = (int64_t)rt_channel_take(c, &clock);
	}
	turn->given = false;
	*token_out = turn->token;
	return true;
}

ptowsp_status rt_process_get(struct rt_tasks *tasks, uint32_t channel, uint32_t tensor, uint64_t row, uint64_t column)
{
	if (tasks->status)
		return tasks->status;
	return move(tasks, &tasks->channels[channel], tasks->turns->rows[tasks->turns->now].block, tensor, row, column, false);
}

ptowsp_status rt_process_close(struct rt_tasks *tasks, uint32_t channel)
{
	struct rt_task_turns *turns = tasks->turns;

	if (!tasks->status && turns && turns->now != NOBODY)
		rt_side_finish(&tasks->channels[channel].channel.producers, turns->now, 0);
	return tasks->status;
}
