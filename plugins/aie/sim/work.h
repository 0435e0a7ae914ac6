/* SPDX-License-Identifier: MIT */
/* work.h - what a call of a portable kernel costs on a core, by the constants of aie_cost.def and aie_scalar.def. Any thread. */
#ifndef AIE_WORK_H
#define AIE_WORK_H

#include "aie/aie_arch.h"
#include "isa/isa.h"

/* Cycles of a call, all blocks. */
struct aie_work {
	uint64_t emitted; /* of the C that is emitted for it: scalar code, floats in software (aie_cost_scalar) */
	uint64_t
		published; /* of kernels as people write them by hand: products by the core's rate for the type of their factors, everything else as vector loops over the elements */
};
/* Errors: those of isa_walk_guarded; UNSUPPORTED where only data tell. */
ptowsp_status aie_work(const struct aie_arch *arch, const struct isa_program *program, const uint64_t *args, uint32_t arg_count, uint32_t blocks,
		       const struct isa_guard *guard, struct aie_work *work_out, struct ptowsp_error *error);

#endif
