/* SPDX-License-Identifier: MIT */
/* machine_hint.c - what programs wish for their kernels: which launch is more urgent, what stays on its core, how many cores share the blocks of a
 * task: those that are asked for, else all that are idle, up to a core per block, in rounds. */
#include "ascend/machine/machine_core.h"
#include "base/hints.h"

/* NULL: none. */
static const struct base_hint *hint_of(const struct ascend_run *run, uint32_t number)
{
	const struct base_hint *hint = base_hint_of(run->machine->config.hints, run->marks[number & run->mask].instruction);

	return hint && hint->blocks && hint->kernel == ascend_task_of(run, number)->kernel ? hint : NULL;
}

void ascend_hint_enter(struct ascend_run *run, const struct rt_item *item)
{
	struct ascend_mark *mark = &run->marks[item->number & run->mask];
	const struct base_hint *hint;

	*mark = (struct ascend_mark){.instruction = item->row};
	hint = hint_of(run, (uint32_t)item->number);
	mark->priority = hint ? hint->wish.priority : 0;
}

uint64_t ascend_hint_pickup(struct ascend_run *run, uint16_t core, uint32_t number)
{
	const struct base_hint *hint = hint_of(run, number);
	uint32_t kernel = ascend_task_of(run, number)->kernel + 1;
	struct ascend_residence *there = &run->residences[core];

	if (!hint || !hint->resident) {
		*there = (struct ascend_residence){0};
		return run->cost->pickup;
	}
	if (there->kernel != kernel || (hint->invocations && !there->left)) {
		*there = (struct ascend_residence){.kernel = kernel, .left = hint->invocations ? hint->invocations - 1 : 0};
		return run->cost->pickup;
	}
	there->left -= hint->invocations != 0;
	return 0;
}

/* Idle cores of the kind that the instance has are taken, too, up to `more` of them. Returns how many. */
static uint32_t mates_of(struct ascend_run *run, struct ascend_aicpu *aicpu, uint16_t core, uint32_t more)
{
	const unsigned class = run->cores[core].class;
	const uint32_t base = class == ASCEND_CUBE ? aicpu->cube_base : aicpu->vector_base;
	uint32_t taken = 0;

	for (uint32_t w = 0; w < 2; w++)
		while (taken < more && aicpu->idle[class][w]) {
			const uint32_t place = base + 64 * w + (uint32_t)__builtin_ctzll(aicpu->idle[class][w]);
			struct ascend_core *mate = &run->cores[place];

			mate->count = 2; /* no room */
			ascend_core_show(aicpu, mate);
			run->mates[core][place / 64] |= UINT64_C(1) << place % 64;
			taken++;
		}
	return taken;
}

/* All instances lend theirs, first the one whose task it is. */
static uint32_t mates_take(struct ascend_run *run, const struct ascend_aicpu *aicpu, uint16_t core, uint32_t more)
{
	uint32_t taken = 0;

	for (uint32_t k = 0; k < run->instances && taken < more; k++)
		taken += mates_of(run, &run->aicpus[(aicpu->number + k) % run->instances], core, more - taken);
	return taken;
}

static uint32_t blocks_of(const struct ascend_run *run, const struct base_hint *hint, const struct ascend_task *task)
{
	const uint32_t *blocks = run->machine->config.blocks;

	return hint ? hint->blocks : blocks ? blocks[task->kernel] : 1;
}

/* Cores that are asked for; 0: nobody says. */
static uint32_t request_of(const struct base_hint *hint, const struct ascend_task *task)
{
	return !hint ? 0 : task->class == ASCEND_CUBE ? hint->cubes : hint->vectors;
}

/* A core that shares its task is given no second one, which would have nobody to share with. */
void ascend_hint_spread(struct ascend_run *run, struct ascend_aicpu *aicpu, uint16_t core, uint32_t number)
{
	struct ascend_task *task = ascend_task_of(run, number);
	const struct base_hint *hint = hint_of(run, number);
	const uint32_t blocks = blocks_of(run, hint, task), request = request_of(hint, task);
	uint32_t wanted = request && request < blocks ? request : blocks;
	uint64_t rounds;

	if (wanted < 2 || task->class > ASCEND_CUBE || run->cores[core].count != 1)
		return;
	wanted = 1 + mates_take(run, aicpu, core, wanted - 1);
	rounds = (blocks + wanted - 1) / wanted;
	task->cycles = task->cycles / blocks * rounds + task->cycles % blocks * rounds / blocks;
	run->cores[core].count = 2;
	ascend_core_show(aicpu, &run->cores[core]);
	run->spread[core] = true;
}

void ascend_hint_gather(struct ascend_run *run, struct ascend_aicpu *aicpu, uint16_t core)
{
	if (!run->spread[core])
		return;
	for (uint32_t w = 0; w < ASCEND_CORES / 64; w++)
		for (uint64_t *mates = &run->mates[core][w]; *mates; *mates &= *mates - 1) {
			struct ascend_core *mate = &run->cores[64 * w + (uint32_t)__builtin_ctzll(*mates)];

			mate->count = 0;
			ascend_core_show(&run->aicpus[mate->instance], mate);
			ascend_aicpu_wake(run, mate->instance, run->now); /* its own tasks may have waited for it */
		}
	run->spread[core] = false;
	run->cores[core].count = 1; /* the task itself, which leaves now */
	ascend_core_show(aicpu, &run->cores[core]);
}
