/* SPDX-License-Identifier: MIT */
/* work.h - what a call of a portable kernel costs on a core, by the constants of aie_cost.def: products by the core's rate for the type of their factors, everything else
 * as vector loops over the elements that it reads and writes. Any thread. */
#ifndef AIE_WORK_H
#define AIE_WORK_H

#include "aie/aie_arch.h"
#include "isa/isa.h"

/* Cycles of a call, all blocks. Errors: those of isa_walk_guarded; UNSUPPORTED where only data tell. */
ptowsp_status aie_work(const struct aie_arch *arch, const struct isa_program *program, const uint64_t *args, uint32_t arg_count, uint32_t blocks,
		       const struct isa_guard *guard, uint64_t *cycles_out, struct ptowsp_error *error);

#endif
