/* SPDX-License-Identifier: MIT */
/* aie_cost.h - what things cost by the timing model (aie_cost.def). A model: no number of it was measured here. Pure, any thread. */
#ifndef AIE_COST_H
#define AIE_COST_H

#include "aie/aie_arch.h"

/* Name of the model in reports; a change of a constant or of a rule is a new one. */
#define AIE_MODEL "aie model 3"

enum {
#define X(name, value, unit, sort, source) AIE_COST_##name = value,
#include "aie/sim/aie_cost.def"
#undef X
};
enum aie_cost_sort { AIE_COST_READ, AIE_COST_ASSUMED, AIE_COST_FIT };
struct aie_cost {
	const char *name, *unit, *source;
	uint64_t value;
	enum aie_cost_sort sort;
};
const struct aie_cost *aie_cost_list(uint32_t *count_out);
const char *aie_cost_sort_text(enum aie_cost_sort sort);

/* Cycles of a call of a kernel that works so long. */
uint64_t aie_cost_call(uint64_t work);
/* Work of an operation of tiles (PTOWSP_PTO_x) on elements of dtype (PTOWSP_x) by the emitted C, on a core's scalar unit: instructions of aie_scalar.def by INSTRUCTION_PERCENT.
 * elements: products of two elements where the operation is one of matrices, those of its largest tile else. 0: the table has no figure. */
uint64_t aie_cost_scalar(uint8_t op, uint32_t dtype, uint64_t elements);
/* Work of a product of [m, k] and [k, n] with factors of dtype (PTOWSP_x) on a core. 0: nobody knows the core's rate for this type. */
uint64_t aie_cost_matmul(const struct aie_arch *arch, uint32_t dtype, uint64_t m, uint64_t k, uint64_t n);
/* Work of a vector loop that loads and stores so many bytes and does so many operations, of which `lanes` fit into a cycle (0: they are hidden behind the bytes). */
uint64_t aie_cost_vector(uint64_t load_bytes, uint64_t store_bytes, uint64_t operations, uint64_t lanes);
/* Cycles from the first cycle to the last word of one transfer of so many words between two tiles on fresh channels, through so many switches. */
uint64_t aie_cost_transfer(uint64_t words, uint64_t switches);

#endif
