/* SPDX-License-Identifier: MIT */
/* machine_core.c - AICores behind their registers. An instance writes the number of a task into DATA_MAIN_BASE of a core; the core answers ACK in COND, fetches the
 * payload that lies there for numbers of that parity, runs the kernel and answers FIN. So with two payloads the next task is there while one runs. A
 * cluster that runs a mixed kernel is taken as a whole; its cube core answers. */
#include "ascend/machine/machine_core.h"

static uint32_t cube_of(uint32_t cluster)
{
	return cluster;
}

static uint32_t vector_of(const struct ascend_run *run, uint32_t cluster, uint32_t k)
{
	return run->machine->config.clusters + cluster * run->machine->config.vectors_each + k;
}

static void core_init(struct ascend_run *run, uint32_t instance, enum ascend_class class, uint32_t at)
{
	struct ascend_aicpu *aicpu = &run->aicpus[instance];
	uint32_t place = at - (class == ASCEND_CUBE ? aicpu->cube_base : aicpu->vector_base);

	run->cores[at] =
		(struct ascend_core){.instance = (uint8_t)instance, .class = (uint8_t) class, .word = (uint8_t)(place / 64), .bit = UINT64_C(1) << place % 64};
	ascend_core_show(aicpu, &run->cores[at]);
}

void ascend_cores_init(struct ascend_run *run)
{
	const struct ascend_machine_config *config = &run->machine->config;

	for (uint32_t p = 0; p < run->parties; p++) {
		struct ascend_aicpu *aicpu = &run->aicpus[p];

		aicpu->number = p;
		aicpu->first_cluster = config->clusters * p / run->instances;
		aicpu->clusters = p < run->instances ? config->clusters * (p + 1) / run->instances - aicpu->first_cluster : 0;
		aicpu->cube_base = cube_of(aicpu->first_cluster);
		aicpu->vector_base = vector_of(run, aicpu->first_cluster, 0);
		aicpu->fin_next = ASCEND_NEVER;
		aicpu->pairs = config->payloads > 1 ? UINT64_MAX : 0;
		for (uint32_t c = aicpu->first_cluster; c < aicpu->first_cluster + aicpu->clusters; c++) {
			core_init(run, p, ASCEND_CUBE, cube_of(c));
			for (uint32_t k = 0; k < config->vectors_each; k++)
				core_init(run, p, ASCEND_VECTOR, vector_of(run, c, k));
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
		run->cores[core].token = ASCEND_TOKEN_EXIT;
}

/* ---- choosing ----------------------------------------------------------------------------------------------------- */

static uint32_t first_of(const uint64_t *mask)
{
	return mask[0] ? (uint32_t)__builtin_ctzll(mask[0]) : mask[1] ? 64 + (uint32_t)__builtin_ctzll(mask[1]) : ASCEND_NOBODY;
}

uint32_t ascend_half_find(const uint64_t *half, uint32_t from)
{
	uint64_t rest[2] = {from < 64 ? half[0] & ~UINT64_C(0) << from : 0, from < 64 ? half[1] : from < 128 ? half[1] & ~UINT64_C(0) << (from - 64) : 0};
	uint32_t place = first_of(rest);

	return place != ASCEND_NOBODY ? place : first_of(half);
}

static bool mask_has(const uint64_t *mask, uint32_t bit)
{
	return mask[bit / 64] >> bit % 64 & 1;
}

uint16_t ascend_cluster_find(const struct ascend_run *run, const struct ascend_aicpu *aicpu)
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

/* The whole cluster is busy with what its cube core runs. */
void ascend_cluster_mark(struct ascend_run *run, uint16_t cube, uint8_t count)
{
	for (uint32_t k = 0; k < run->machine->config.vectors_each; k++) {
		struct ascend_core *core = &run->cores[vector_of(run, cube, k)];

		core->count = count;
		ascend_core_show(&run->aicpus[core->instance], core);
	}
}
