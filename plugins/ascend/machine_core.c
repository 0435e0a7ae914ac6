/* SPDX-License-Identifier: MIT */
/* machine_core.c - AICores behind their registers. An instance writes the number of a task into DATA_MAIN_BASE of a core; the core answers ACK in COND, fetches the
 * payload that lies there for numbers of that parity, runs the kernel and answers FIN. So with two payloads the next task is there while one runs. A
 * cluster that runs a mixed kernel is taken as a whole; its cube core answers. */
#include "ascend/machine_state.h"

/* Registers, as the runtime has them (platform_config.h of the real one): the id of a task is what the token has. */
enum { TOKEN_MASK = 0x7FFFFFFF, TOKEN_EXIT = 0x7FFFFFF0 };
#define COND_FIN UINT32_C(0x80000000)

static uint32_t cube_of(uint32_t cluster)
{
	return cluster;
}

static uint32_t vector_of(const struct ascend_run *run, uint32_t cluster, uint32_t k)
{
	return run->machine->config.clusters + cluster * run->machine->config.vectors_each + k;
}

static void mask_put(uint64_t *mask, uint32_t bit, bool on)
{
	if (on)
		mask[bit / 64] |= UINT64_C(1) << bit % 64;
	else
		mask[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

static bool mask_has(const uint64_t *mask, uint32_t bit)
{
	return mask[bit / 64] >> bit % 64 & 1;
}

/* Its place among the cores of its kind that the instance has. */
static uint32_t place_of(const struct ascend_run *run, uint32_t core)
{
	const struct ascend_aicpu *aicpu = &run->aicpus[run->cores[core].instance];

	return core - (run->cores[core].class == ASCEND_CUBE ? aicpu->cube_base : aicpu->vector_base);
}

static void room_show(struct ascend_run *run, uint32_t core)
{
	struct ascend_aicpu *aicpu = &run->aicpus[run->cores[core].instance];
	uint32_t place = place_of(run, core), class = run->cores[core].class, count = run->cores[core].count;

	mask_put(aicpu->idle[class], place, !count);
	mask_put(aicpu->half[class], place, count == 1 && run->machine->config.payloads > 1);
}

void ascend_cores_init(struct ascend_run *run)
{
	const struct ascend_machine_config *config = &run->machine->config;

	for (uint32_t p = 0; p < run->instances; p++) {
		struct ascend_aicpu *aicpu = &run->aicpus[p];

		aicpu->first_cluster = config->clusters * p / run->instances;
		aicpu->clusters = config->clusters * (p + 1) / run->instances - aicpu->first_cluster;
		aicpu->cube_base = cube_of(aicpu->first_cluster);
		aicpu->vector_base = vector_of(run, aicpu->first_cluster, 0);
		for (uint32_t c = aicpu->first_cluster; c < aicpu->first_cluster + aicpu->clusters; c++) {
			run->cores[cube_of(c)] = (struct ascend_core){.instance = (uint8_t)p, .class = ASCEND_CUBE};
			room_show(run, cube_of(c));
			for (uint32_t k = 0; k < config->vectors_each; k++) {
				run->cores[vector_of(run, c, k)] = (struct ascend_core){.instance = (uint8_t)p, .class = ASCEND_VECTOR};
				room_show(run, vector_of(run, c, k));
			}
		}
	}
}

uint32_t ascend_core_number(const struct ascend_run *run, uint16_t core)
{
	const struct ascend_machine_config *config = &run->machine->config;

	if (core < config->clusters)
		return config->first_cube + core;
	return config->first_vector + core - config->clusters;
}

void ascend_cores_exit(struct ascend_run *run)
{
	for (uint32_t core = 0; core < run->core_count; core++)
		run->cores[core].token = TOKEN_EXIT;
}

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

static uint32_t first_of(const uint64_t *mask)
{
	return mask[0] ? (uint32_t)__builtin_ctzll(mask[0]) : mask[1] ? 64 + (uint32_t)__builtin_ctzll(mask[1]) : ASCEND_NOBODY;
}

/* The first one from a place on, and around. */
static uint32_t next_of(const uint64_t *mask, uint32_t from)
{
	uint64_t rest[2] = {from < 64 ? mask[0] & ~UINT64_C(0) << from : 0, from < 64 ? mask[1] : from < 128 ? mask[1] & ~UINT64_C(0) << (from - 64) : 0};
	uint32_t place = first_of(rest);

	return place != ASCEND_NOBODY ? place : first_of(mask);
}

static uint16_t cluster_find(struct ascend_run *run, const struct ascend_aicpu *aicpu)
{
	uint32_t each = run->machine->config.vectors_each;

	for (uint32_t c = 0; c < aicpu->clusters; c++) {
		bool idle = mask_has(aicpu->idle[ASCEND_CUBE], c);

		for (uint32_t k = 0; idle && k < each; k++)
			idle = mask_has(aicpu->idle[ASCEND_VECTOR], c * each + k);
		if (idle)
			return (uint16_t)cube_of(aicpu->first_cluster + c);
	}
	return ASCEND_NO_CORE;
}

uint16_t ascend_core_find(struct ascend_run *run, struct ascend_aicpu *aicpu, enum ascend_class class)
{
	uint32_t place;

	if (class == ASCEND_MIX)
		return cluster_find(run, aicpu);
	place = first_of(aicpu->idle[class]);
	if (place == ASCEND_NOBODY)
		place = next_of(aicpu->half[class], aicpu->cursor[class]);
	return place == ASCEND_NOBODY ? ASCEND_NO_CORE : (uint16_t)((class == ASCEND_CUBE ? aicpu->cube_base : aicpu->vector_base) + place);
}

/* ---- protocol ----------------------------------------------------------------------------------------------------- */

/* The whole cluster is busy with what its cube core runs. */
static void cluster_mark(struct ascend_run *run, uint32_t cluster, uint8_t count)
{
	for (uint32_t k = 0; k < run->machine->config.vectors_each; k++) {
		run->cores[vector_of(run, cluster, k)].count = count;
		room_show(run, vector_of(run, cluster, k));
	}
}

void ascend_core_reserve(struct ascend_run *run, uint16_t at, uint32_t number)
{
	struct ascend_core *core = &run->cores[at];
	bool mixed = ascend_task_of(run, number)->class == ASCEND_MIX;

	if (core->count)
		run->aicpus[core->instance].cursor[core->class] = place_of(run, at) + 1;
	core->count = mixed ? 2 : core->count + 1;
	room_show(run, at);
	if (mixed)
		cluster_mark(run, at, 2);
}

/* Behind those that are seen, and behind those that come no later: mostly at the end. */
static void fin_add(struct ascend_aicpu *aicpu, uint64_t time, uint32_t task, uint16_t core)
{
	struct ascend_fin *fins = aicpu->fins;
	uint32_t mask = aicpu->fin_mask, at = aicpu->fin_tail++;

	for (; at != aicpu->fin_seen; at--) {
		const struct ascend_fin *before = &fins[(at - 1) & mask];

		if (before->time < time || (before->time == time && before->core <= core))
			break;
		fins[at & mask] = *before;
	}
	fins[at & mask] = (struct ascend_fin){time, task, core};
}

void ascend_core_send(struct ascend_run *run, uint16_t at, uint32_t number, uint64_t time)
{
	struct ascend_core *core = &run->cores[at];
	struct ascend_task *task = ascend_task_of(run, number);

	core->token = number & TOKEN_MASK;
	run->waiting[task->pool]--;
	task->state = ASCEND_SENT;
	task->core = at;
	task->start = ascend_later(time + run->cost->token, core->free) + run->cost->pickup;
	task->end = core->free = task->start + task->cycles;
	fin_add(&run->aicpus[core->instance], task->end + run->cost->fin, number, at);
	if (task->class == ASCEND_VECTOR)
		run->machine->stats.vector_cycles += task->cycles;
	else
		run->machine->stats.cube_cycles += task->cycles;
}

void ascend_fins_see(struct ascend_run *run, struct ascend_aicpu *aicpu)
{
	while (aicpu->fin_seen != aicpu->fin_tail) {
		const struct ascend_fin *fin = &aicpu->fins[aicpu->fin_seen & aicpu->fin_mask];

		if (fin->time > run->now)
			return;
		run->cores[fin->core].cond = COND_FIN | (fin->task & TOKEN_MASK);
		run->machine->stats.events++;
		aicpu->fin_seen++;
	}
}

void ascend_core_clear(struct ascend_run *run, uint32_t number)
{
	const struct ascend_task *task = ascend_task_of(run, number);
	uint16_t at = task->core;

	run->cores[at].count -= task->class == ASCEND_MIX ? 2 : 1;
	room_show(run, at);
	if (task->class == ASCEND_MIX)
		cluster_mark(run, at, 0);
}
