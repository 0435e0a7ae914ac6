/* SPDX-License-Identifier: MIT */
/* machine_core.h - AICores behind their registers; what happens for every task stands here, to be inlined. */
#ifndef ASCEND_MACHINE_CORE_H
#define ASCEND_MACHINE_CORE_H

#include "ascend/machine/machine_state.h"

/* Registers, as the runtime has them (platform_config.h of the real one): the id of a task is what the token has. */
enum { ASCEND_TOKEN_MASK = 0x7FFFFFFF, ASCEND_TOKEN_EXIT = 0x7FFFFFF0 };
#define ASCEND_COND_FIN UINT32_C(0x80000000)

void ascend_cores_init(struct ascend_run *run);
/* The run is over: all get the exit token. */
void ascend_cores_exit(struct ascend_run *run);
/* As it stands in a trace. */
uint32_t ascend_core_number(const struct ascend_run *run, uint16_t core);
/* machine_core.c: those of ascend_core_find, _reserve and _clear that are of a whole cluster. */
uint16_t ascend_cluster_find(const struct ascend_run *run, const struct ascend_aicpu *aicpu);
void ascend_cluster_mark(struct ascend_run *run, uint16_t cube, uint8_t count);
/* The first place from `from` on that has room for a second task, and around; ASCEND_NOBODY. */
uint32_t ascend_half_find(const uint64_t *half, uint32_t from);

/* The instance sees the count. */
static inline void ascend_core_show(struct ascend_aicpu *aicpu, const struct ascend_core *core)
{
	uint64_t *idle = &aicpu->idle[core->class][core->word], *half = &aicpu->half[core->class][core->word];

	*idle = core->count ? *idle & ~core->bit : *idle | core->bit;
	*half = core->count == 1 ? *half | (core->bit & aicpu->pairs) : *half & ~core->bit;
}

/* The count has changed between 0 and 1, or between 1 and 2. */
static inline void ascend_core_turn(struct ascend_aicpu *aicpu, const struct ascend_core *core, bool idle)
{
	aicpu->idle[core->class][core->word] ^= idle ? core->bit : 0;
	aicpu->half[core->class][core->word] ^= core->bit & aicpu->pairs;
}

/* A core of the instance for a task of the kind; ASCEND_NO_CORE: none has room. */
static inline uint16_t ascend_core_find(const struct ascend_run *run, const struct ascend_aicpu *aicpu, enum ascend_class class)
{
	const uint64_t *idle = aicpu->idle[class & 1], *half = aicpu->half[class & 1];
	uint32_t place;

	if (class == ASCEND_MIX)
		return ascend_cluster_find(run, aicpu);
	if (idle[0])
		place = (uint32_t)__builtin_ctzll(idle[0]);
	else if (idle[1])
		place = 64 + (uint32_t)__builtin_ctzll(idle[1]);
	else if (half[0] | half[1])
		place = ascend_half_find(half, aicpu->cursor[class]);
	else
		return ASCEND_NO_CORE;
	return (uint16_t)((class == ASCEND_CUBE ? aicpu->cube_base : aicpu->vector_base) + place);
}

/* The core is taken for a task, whose payload is being written. */
static inline void ascend_core_reserve(struct ascend_run *run, struct ascend_aicpu *aicpu, uint16_t at, bool mixed)
{
	struct ascend_core *core = &run->cores[at];

	if (mixed) {
		core->count = 2;
		ascend_core_show(aicpu, core);
		ascend_cluster_mark(run, at, 2);
		return;
	}
	if (core->count)
		aicpu->cursor[core->class] = 64u * core->word + (uint32_t)__builtin_ctzll(core->bit) + 1u;
	ascend_core_turn(aicpu, core, !core->count++);
}

/* FIN of the task was handled: there is room on its core. */
static inline void ascend_core_clear(struct ascend_run *run, struct ascend_aicpu *aicpu, const struct ascend_task *task)
{
	struct ascend_core *core = &run->cores[task->core];

	if (task->class == ASCEND_MIX) {
		core->count = 0;
		ascend_core_show(aicpu, core);
		ascend_cluster_mark(run, task->core, 0);
		return;
	}
	if (run->hinted)
		ascend_hint_gather(run, aicpu, task->core);
	ascend_core_turn(aicpu, core, !--core->count);
}

/* Behind those that are seen, and behind those that come no later: mostly at the end. */
static inline void ascend_fin_add(struct ascend_aicpu *aicpu, uint64_t time, uint32_t task, uint16_t core)
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
	aicpu->fin_next = fins[aicpu->fin_seen & mask].time;
}

/* Payload and token are written now. */
static inline void ascend_core_send(struct ascend_run *run, struct ascend_aicpu *aicpu, uint16_t at, uint32_t number)
{
	struct ascend_core *core = &run->cores[at];
	struct ascend_task *task = ascend_task_of(run, number);

	core->token = number & ASCEND_TOKEN_MASK;
	run->waiting[task->pool]--;
	task->state = ASCEND_SENT;
	task->core = at;
	task->start = ascend_later(run->now + run->cost->token, core->free) + (run->hinted ? ascend_hint_pickup(run, at, number) : run->cost->pickup);
	task->end = core->free = task->start + task->cycles;
	ascend_fin_add(aicpu, task->end + run->cost->fin, number, at);
	if (task->class == ASCEND_VECTOR)
		run->machine->stats.vector_cycles += task->cycles;
	else
		run->machine->stats.cube_cycles += task->cycles;
	if (task->class == ASCEND_MIX)
		run->machine->stats.vector_cycles += run->machine->config.vectors_each * task->cycles;
}

/* The instance reads COND of its cores: it sees what has come so far, in the order of time and core. */
static inline void ascend_fins_see(struct ascend_run *run, struct ascend_aicpu *aicpu)
{
	while (aicpu->fin_next <= run->now) {
		const struct ascend_fin *fin = &aicpu->fins[aicpu->fin_seen++ & aicpu->fin_mask];

		run->cores[fin->core].cond = ASCEND_COND_FIN | (fin->task & ASCEND_TOKEN_MASK);
		aicpu->fin_next = aicpu->fin_seen != aicpu->fin_tail ? aicpu->fins[aicpu->fin_seen & aicpu->fin_mask].time : ASCEND_NEVER;
	}
}

#endif
