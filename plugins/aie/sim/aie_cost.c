/* SPDX-License-Identifier: MIT */
/* aie_cost.c - the timing model's table and what follows from it. */
#include "aie/sim/aie_cost.h"

#include "isa/element.h"
#include "ptowsp/tile.h"

static const struct aie_cost costs[] = {
#define X(name, value, unit, sort, source) {#name, unit, source, value, AIE_COST_##sort},
#include "aie/sim/aie_cost.def"
#undef X
};

/* Per opcode and element type, in the order of dtype.def: hundredths of an instruction per element. */
static const uint32_t scalars[256][ISA_DTYPES] = {
#define X(name, ...) [PTOWSP_PTO_##name] = {__VA_ARGS__},
#include "aie/sim/aie_scalar.def"
#undef X
};

const struct aie_cost *aie_cost_list(uint32_t *count_out)
{
	*count_out = sizeof(costs) / sizeof(*costs);
	return costs;
}

const char *aie_cost_sort_text(enum aie_cost_sort sort)
{
	switch (sort) {
	case AIE_COST_FIT: return "FIT";
	case AIE_COST_ASSUMED: return "assumed";
	default: return "read";
	}
}

static uint64_t ceil_of(uint64_t a, uint64_t b)
{
	return a / b + (a % b > 0);
}

uint64_t aie_cost_call(uint64_t work)
{
	return AIE_COST_CALL + work;
}

uint64_t aie_cost_scalar(uint8_t op, uint32_t dtype, uint64_t elements)
{
	const uint64_t each = dtype < ISA_DTYPES ? scalars[op][dtype] : 0;

	return ceil_of(elements * each * AIE_COST_INSTRUCTION_PERCENT, 100 * 100);
}

uint64_t aie_cost_matmul(const struct aie_arch *arch, uint32_t dtype, uint64_t m, uint64_t k, uint64_t n)
{
	const uint64_t rate = aie_arch_macs(arch, dtype);

	return rate ? ceil_of(100 * m * k * n, rate * AIE_COST_MATMUL_PERCENT) : 0;
}

uint64_t aie_cost_vector(uint64_t load_bytes, uint64_t store_bytes, uint64_t operations, uint64_t lanes)
{
	const uint64_t loads = ceil_of(load_bytes, AIE_COST_LOAD_BYTES), stores = ceil_of(store_bytes, AIE_COST_STORE_BYTES);
	const uint64_t moved = loads > stores ? loads : stores, done = lanes ? ceil_of(operations, lanes) : 0;

	return ceil_of(100 * (moved > done ? moved : done), AIE_COST_VECTOR_PERCENT);
}

uint64_t aie_cost_transfer(uint64_t words, uint64_t switches)
{
	return AIE_COST_BD + AIE_COST_CHANNEL + AIE_COST_MEMORY + AIE_COST_SWITCH * switches + words;
}
