/* SPDX-License-Identifier: MIT */
/* core_limit.c - in which memories the tiles of a kernel lie, how much of each they need, and whether that is there. */
#include "ascend/core/core_kernel.h"

#include <stdlib.h>

#include "isa/opcode.h"

static const char *const memory_texts[ASCEND_MEMORY_COUNT] = {
#define X(memory, text, limit) [ASCEND_MEMORY_##memory] = text,
	ASCEND_MEMORIES(X)
#undef X
};

const char *ascend_memory_text(enum ascend_memory memory)
{
	return memory_texts[memory];
}

uint64_t ascend_memory_limit(const struct ascend_arch *arch, enum ascend_memory memory)
{
	switch (memory) {
#define X(name, text, limit)                                                                                                                                   \
	case ASCEND_MEMORY_##name: return arch->limit;
		ASCEND_MEMORIES(X)
#undef X
	default: return 0;
	}
}

enum { UB = 1 << ASCEND_MEMORY_UB, L1 = 1 << ASCEND_MEMORY_L1, L0C = 1 << ASCEND_MEMORY_L0C };

/* Results of products and what they add to lie in L0C; factors in L1. */
static void homes_product(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	k->homes[inst->d] |= L0C;
	for (unsigned r = 0; r < u.read_count; r++)
		k->homes[u.read[r]] |= ascend_is_sum(inst, r) ? L0C : L1;
}

static void homes_other(struct ascend_kernel *k, uint32_t i)
{
	const struct isa_uses u = isa_uses(&k->insts[i]);

	for (unsigned n = 0; n < u.read_count + u.written_count; n++) {
		uint8_t *home = &k->homes[n < u.read_count ? u.read[n] : u.written[n - u.read_count]];

		*home |= k->at[i] & ASCEND_ON_VECTOR ? UB : 0;
		*home |= k->at[i] & ASCEND_ON_CUBE && !(*home & L0C) ? L1 : 0;
	}
}

static void homes_find(struct ascend_kernel *k)
{
	for (uint32_t i = 0; i < k->inst_count; i++)
		if (ascend_role(&k->insts[i]) == ASCEND_ROLE_PRODUCT)
			homes_product(k, &k->insts[i]);
	for (uint32_t i = 0; i < k->inst_count; i++)
		if (k->at[i] && ascend_role(&k->insts[i]) != ASCEND_ROLE_PRODUCT)
			homes_other(k, i);
}

static void at_least(uint64_t *need, uint64_t bytes)
{
	*need = bytes > *need ? bytes : *need;
}

/* The factors of one product at a time. */
static void factors_need(struct ascend_kernel *k)
{
	for (uint32_t i = 0; i < k->inst_count; i++) {
		const struct isa_uses u = isa_uses(&k->insts[i]);
		unsigned left, right;

		if (ascend_role(&k->insts[i]) != ASCEND_ROLE_PRODUCT)
			continue;
		isa_shape_factors(isa_op(k->insts[i].op)->shape, &left, &right);
		at_least(&k->need[ASCEND_MEMORY_L0A], ascend_tile_bytes(k, u.read[left]));
		at_least(&k->need[ASCEND_MEMORY_L0B], ascend_tile_bytes(k, u.read[right]));
	}
}

/* The tiles of a memory: places are shared only where there is not one for each. */
static ptowsp_status memory_need(struct ascend_kernel *k, enum ascend_memory memory)
{
	uint8_t *in = calloc(k->tile_count + 1u, 1);
	uint32_t *places = calloc(k->tile_count + 1u, sizeof(*places));
	uint64_t alone = 0;
	ptowsp_status status = in && places ? PTOWSP_OK : PTOWSP_NO_MEMORY;

	for (uint32_t t = 0; !status && t < k->tile_count; t++)
		if (k->homes[t] >> memory & 1) {
			in[t] = 1;
			alone += (ascend_tile_bytes(k, t) + 63) / 64 * 64;
		}
	if (!status)
		status = isa_program_memory_of(k->program, in, places, &k->need[memory]);
	if (!status && alone > ascend_memory_limit(k->arch, memory)) {
		k->places[memory] = places;
		places = NULL;
	}
	free(in);
	free(places);
	return status;
}

static ptowsp_status limit_check(const struct ascend_kernel *k, const char *name, struct ptowsp_error *error)
{
	for (int m = 0; m < ASCEND_MEMORY_COUNT; m++) {
		const uint64_t limit = ascend_memory_limit(k->arch, (enum ascend_memory)m);

		if (k->need[m] > limit)
			return rt_fail(error, PTOWSP_TOO_SMALL,
				       "kernel %.64s: its tiles need %llu bytes of %s at once, a core of %s has %llu; cut them smaller", name,
				       (unsigned long long)k->need[m], memory_texts[m], k->arch->name, (unsigned long long)limit);
	}
	return PTOWSP_OK;
}

ptowsp_status ascend_kernel_limits(struct ascend_kernel *k, const char *name, struct ptowsp_error *error)
{
	static const enum ascend_memory shared[] = {ASCEND_MEMORY_UB, ASCEND_MEMORY_L1, ASCEND_MEMORY_L0C};
	ptowsp_status status = PTOWSP_OK;

	k->homes = calloc(k->tile_count + 1u, sizeof(*k->homes));
	if (!k->homes)
		return PTOWSP_NO_MEMORY;
	homes_find(k);
	factors_need(k);
	for (unsigned m = 0; m < sizeof(shared) / sizeof(*shared) && !status; m++)
		status = memory_need(k, shared[m]);
	return status ? status : limit_check(k, name, error);
}
