/* SPDX-License-Identifier: MIT */
/* machine_program.c - the rule of the original's simulator, kept for comparison: tasks in the order of their numbers, each on the core of its kind that has
 * the least to do, the lowest number of several; it starts when that core is free and its predecessors have ended. Nothing else costs anything, nothing is bounded,
 * and no core fills the gap in front of a task that waits. */
#include "ascend/machine/machine_state.h"
#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>

struct program {
	struct ascend_machine *machine;
	struct rt_feed *feed;
	const struct rt_limits *limits;
	struct ptowsp_error *error;
	uint64_t free[ASCEND_CORES];
	uint64_t *ends; /* by number & mask */
	uint64_t mask, met, total, floor, now;
	uint64_t *slots, *events, *streams;
	struct rt_level_of_order orders[PTOWSP_NESTING_LIMIT + 2];
	uint32_t order_depth;
};

static bool init(struct program *program)
{
	program->mask = rt_window_room(program->limits->window) - 1;
	program->ends = calloc(program->mask + 1, sizeof(*program->ends));
	program->slots = calloc((size_t)program->limits->slots + 1, sizeof(*program->slots));
	program->events = calloc((size_t)program->limits->events + 1, sizeof(*program->events));
	program->streams = calloc((size_t)program->limits->streams + 1, sizeof(*program->streams));
	return program->ends && program->slots && program->events && program->streams;
}

static void finish(struct program *program)
{
	free(program->ends);
	free(program->slots);
	free(program->events);
	free(program->streams);
	free(program);
}

/* Without a window every end is remembered, else those that an edge can reach. */
static bool ends_grow(struct program *program)
{
	const uint64_t mask = 2 * program->mask + 1;

	if (program->met <= program->mask || program->limits->window)
		return true;
	if (!COMMON_RESIZE(program->ends, mask + 1))
		return false;
	program->mask = mask;
	return true;
}

/* Cores of a kind: cube first, then vector. */
static uint32_t core_find(const struct program *program, unsigned unit)
{
	const struct ascend_machine_config *config = &program->machine->config;
	bool cube = unit == PTOWSP_UNIT_AIC || unit == PTOWSP_UNIT_AIC_AIV;
	uint32_t first = cube ? 0 : config->clusters, count = cube ? config->clusters : config->clusters * config->vectors_each, least = first;

	for (uint32_t core = first + 1; core < first + count; core++)
		if (program->free[core] < program->free[least])
			least = core;
	return least;
}

static uint64_t start_find(const struct program *program, const struct rt_item *item)
{
	uint64_t start = ascend_later(program->floor, program->orders[program->order_depth].before);

	start = ascend_later(start, program->now);
	for (uint32_t i = 0; i < item->count; i++)
		start = ascend_later(start, program->ends[item->list[i] & program->mask]);
	return program->limits->streams ? ascend_later(start, program->streams[item->stream]) : start;
}

static bool task_take(struct program *program, const struct rt_item *item)
{
	const struct ascend_machine_config *config = &program->machine->config;
	struct rt_level_of_order *order = &program->orders[program->order_depth];
	uint32_t core = core_find(program, item->unit);
	struct ptowsp_trace_task trace = {.task = item->number, .kernel = item->kernel, .stream = item->stream};

	program->met = item->number;
	if (!ends_grow(program))
		return false;
	trace.start = ascend_later(program->free[core], start_find(program, item));
	trace.end = trace.start + item->cycles;
	trace.executor = core < config->clusters ? config->first_cube + core : config->first_vector + core - config->clusters;
	program->free[core] = program->ends[item->number & program->mask] = trace.end;
	if (program->limits->streams)
		program->streams[item->stream] = trace.end;
	order->now = ascend_later(order->now, trace.end);
	program->total = ascend_later(program->total, trace.end);
	rt_feed_told(program->feed, &trace);
	return true;
}

static uint64_t slots_latest(const struct program *program, const struct rt_item *item)
{
	uint64_t time = program->now;

	for (uint32_t i = 0; i < item->count; i++)
		time = ascend_later(time, program->slots[item->list[i]]);
	return time;
}

static void order_take(struct program *program, enum rt_item_kind kind)
{
	struct rt_level_of_order *order = &program->orders[program->order_depth];

	switch (kind) {
	case RT_ITEM_ORDER_BEGIN:
		order[1] = (struct rt_level_of_order){.before = order->before};
		program->order_depth++;
		break;
	case RT_ITEM_ORDER_STEP: order->before = ascend_later(order->before, order->now); break;
	default:
		order[-1].now = ascend_later(order[-1].now, order->now);
		program->order_depth--;
		break;
	}
}

static void item_take(struct program *program, const struct rt_item *item)
{
	switch (item->kind) {
	case RT_ITEM_ORDER_BEGIN:
	case RT_ITEM_ORDER_STEP:
	case RT_ITEM_ORDER_END: order_take(program, (enum rt_item_kind)item->kind); break;
	case RT_ITEM_READ: program->now = slots_latest(program, item); break;
	case RT_ITEM_SET: program->slots[item->row] = slots_latest(program, item); break;
	case RT_ITEM_LOAD:
		program->slots[item->row] = item->number ? ascend_later(program->now, program->ends[(item->number - 1) & program->mask]) : program->now;
		break;
	case RT_ITEM_SIGNAL: program->events[item->row] = ascend_later(program->now, program->total); break;
	case RT_ITEM_WAIT: program->now = ascend_later(program->now, program->events[item->row]); break;
	case RT_ITEM_BARRIER:
	case RT_ITEM_FENCE: program->floor = ascend_later(program->floor, program->total); break;
	case RT_ITEM_NOTICE: program->now = ascend_later(program->now, item->number); break;
	case RT_ITEM_NOTIFY: rt_feed_settled(program->feed, ascend_later(program->now, program->total)); break;
	default: break;
	}
}

static ptowsp_status go(struct program *program)
{
	const struct rt_item *item = NULL;
	ptowsp_status status = rt_feed_next(program->feed, &item);

	for (; !status && item->kind != RT_ITEM_END; status = status ? status : rt_feed_next(program->feed, &item)) {
		if (item->kind == RT_ITEM_PIPELINE)
			return rt_fail(program->error, PTOWSP_UNSUPPORTED, "a pipeline of processes has no order of the program; use order=ready");
		if (item->kind == RT_ITEM_TASK && !task_take(program, item))
			status = rt_no_memory(program->error, "the machine");
		else if (item->kind != RT_ITEM_TASK)
			item_take(program, item);
	}
	return status;
}

ptowsp_status ascend_program_order(struct ascend_machine *machine, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct program *program = calloc(1, sizeof(*program));
	ptowsp_status status;

	if (!program)
		return rt_no_memory(error, "the machine");
	program->machine = machine;
	program->feed = feed;
	program->limits = rt_feed_limits(feed);
	program->error = error;
	status = init(program) ? go(program) : rt_no_memory(error, "the machine");
	rt_feed_executors(feed, (uint64_t)machine->config.clusters * (1 + machine->config.vectors_each));
	finish(program);
	return status;
}
