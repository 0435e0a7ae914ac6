/* SPDX-License-Identifier: MIT */
/* inline.h - the body of a portable kernel written into a core in place of a call: what plugins/isa does for the tile program, instruction by instruction, as operations of
 * scf, arith, math and memref. One thread. */
#ifndef AIE_INLINE_H
#define AIE_INLINE_H

#include "area.h"
#include "ir.h"
#include "isa/isa.h"

struct aie_inline_args {
	struct aie_module *module;
	struct aie_op *parent;             /* where it goes: behind the last operation of the region, which is one of parent */
	struct aie_region *region;
	const struct isa_program *program;
	const char *name;                  /* of the kernel */
	uint32_t blocks;                   /* that a call runs, one after the other; 0 is 1 */
	struct aie_value *const *memrefs;  /* per parameter, of rank 1 or 2, without strides */
	const struct aie_view *views;      /* per parameter: the kernel's window in it; rows are not 0 */
	uint32_t memref_count;
	const uint64_t *scalars;           /* of the call (task.h) */
	uint32_t scalar_count;
	uint64_t memory;                   /* bytes that the call may take of its core for tiles */
};
/* Adds a memref.alloca_scope with ptowsp.kernel. false with a sentence's end in why ("tsort32 on f16"): something in it has no
 * such body; nothing is left then. Without memory the scope is not whole and *failed_out is true. */
bool aie_inline(const struct aie_inline_args *args, char why[96], bool *failed_out);

#endif
