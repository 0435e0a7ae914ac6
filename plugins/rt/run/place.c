/* SPDX-License-Identifier: MIT */
#include "rt/run/place.h"

#include "rt/program/rt_error.h"
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { POOL_VECTOR = 0, POOL_CUBE = 1 };

static bool unit_used(const struct rt_program *program, unsigned unit)
{
	for (uint32_t k = 0; k < program->tables.kernel.count; k++)
		if (program->kernel_used[k] && program->tables.kernel.rows[k].unit == unit)
			return true;
	return false;
}

static void pool_name(struct rt_places *places, const char *name)
{
	snprintf(places->names[places->pools], sizeof(places->names[0]), "ready_%s", name);
	places->counts[places->pools++] = 0;
}

static void pool_add(struct rt_places *places, unsigned unit, const char *name)
{
	places->pool_of_unit[unit] = (int32_t)places->pools;
	pool_name(places, name);
}

/* Vector and cube always, the others in a fixed order as far as the entry's kernels ask for them. */
static void pools_by_unit(struct rt_places *places)
{
	static const struct {
		uint8_t unit;
		const char *name;
	} others[] = {{PTOWSP_UNIT_AIC_AIV, "mix"}, {PTOWSP_UNIT_HOST, "host"}, {PTOWSP_UNIT_AICPU, "aicpu"}, {PTOWSP_UNIT_AIE_CORE, "aie"}};

	pool_add(places, PTOWSP_UNIT_AIV, "vector");
	pool_add(places, PTOWSP_UNIT_AIC, "cube");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (unit_used(places->program, others[i].unit))
			pool_add(places, others[i].unit, others[i].name);
	places->pool_of_unit[PTOWSP_UNIT_ANY] = -1;
	places->timed |= unit_used(places->program, PTOWSP_UNIT_ANY);
}

void rt_places_init(struct rt_places *places, const struct rt_program *program)
{
	const struct rt_schedule *schedule = &program->schedule;

	memset(places, 0, offsetof(struct rt_places, names)); /* the arrays are long */
	places->program = program;
	places->timed = rt_policies[schedule->dispatch.policy].timed;
	for (uint32_t k = 0; k < schedule->part_count; k++)
		places->timed |= rt_policies[schedule->parts[k].policy].timed;
	if (schedule->pools == PTOWSP_POOLS_BY_EXEC_UNIT)
		pools_by_unit(places);
	else if (schedule->pools == PTOWSP_POOLS_SINGLE)
		pool_add(places, PTOWSP_UNIT_ANY, "any");
	places->one = schedule->pools == PTOWSP_POOLS_SINGLE && schedule->dispatch.executors == 1 && !schedule->streams &&
		      schedule->dispatch.policy != PTOWSP_DISPATCH_THRESHOLD;
}

static uint32_t pool_of_kernel(const struct rt_places *places, const struct rt_clock *clock, uint32_t kernel)
{
	unsigned unit = places->program->tables.kernel.rows[kernel].unit;
	int32_t pool = places->pool_of_unit[unit < 16 ? unit : 0];
	const uint64_t *cube = clock->free + clock->executors;

	if (pool >= 0)
		return (uint32_t)pool;
	return cube[rt_free_least(cube, clock->executors)] < clock->free[rt_free_least(clock->free, clock->executors)] ? POOL_CUBE : POOL_VECTOR;
}

static ptowsp_status pool_choose(struct rt_places *places, struct rt_clock *clock, struct rt_env *env, const struct rt_site *site, struct rt_clock_task *task,
				 struct ptowsp_error *error)
{
	int64_t value;
	char number[8];

	switch (places->program->schedule.pools) {
	case PTOWSP_POOLS_BY_EXEC_UNIT: task->pool = pool_of_kernel(places, clock, task->kernel); return PTOWSP_OK;
	case PTOWSP_POOLS_CUSTOM: break;
	default: task->pool = 0; return PTOWSP_OK;
	}
	value = rt_value(env, site->pool);
	if (value < 0 || value >= RT_POOL_LIMIT)
		return rt_fail_at(error, PTOWSP_RUN_FAILED, env->task, task->kernel, "task %llu: pools(custom) gives pool %lld, the core has pools 0 to %u",
				  (unsigned long long)env->task, (long long)value, RT_POOL_LIMIT - 1);
	task->pool = (uint32_t)value;
	while (places->pools <= task->pool) {
		snprintf(number, sizeof(number), "%u", places->pools);
		pool_name(places, number);
	}
	return rt_clock_pools(clock, places->pools) ? PTOWSP_OK : rt_no_memory(error, "pools");
}

/* Number of the executor in its pool. The dispatch expression is evaluated even where there is no choice: it may divide by zero. */
static uint32_t executor_choose(const struct rt_places *places, const struct rt_clock *clock, struct rt_env *env, const struct rt_site *site,
				const uint64_t *free, uint64_t count)
{
	struct rt_pick pick;

	rt_pick_site(&pick, places->program, env, site);
	if (clock->executors == 1)
		return 0;
	pick.n = pick.dispatch->executors;
	pick.task = env->task;
	pick.count = count;
	pick.free = free;
	return rt_policies[pick.dispatch->policy].pick(&pick);
}

ptowsp_status rt_place(struct rt_places *places, struct rt_clock *clock, struct rt_env *env, const struct rt_site *site, struct rt_clock_task *task,
		       struct ptowsp_error *error)
{
	const struct rt_schedule *schedule = &places->program->schedule;
	uint64_t count;
	uint32_t first;
	ptowsp_status status;

	if (schedule->pools != PTOWSP_POOLS_SINGLE && (status = pool_choose(places, clock, env, site, task, error)))
		return status;
	count = places->counts[task->pool]++;
	first = task->pool * clock->executors;
	task->executor = first + executor_choose(places, clock, env, site, clock->free + first, count);
	task->stream = 0;
	if (schedule->streams) {
		int64_t n = (int64_t)schedule->streams;
		int64_t v = site->stream == PTOWSP_NONE ? (int64_t)(count % schedule->streams) : rt_value(env, site->stream) % n;

		task->stream = (uint32_t)(v < 0 ? v + n : v);
	}
	return PTOWSP_OK;
}
