/* SPDX-License-Identifier: MIT */
/* workload.h - the WORK section: a program that generates tasks. Header, then without gaps num_instructions instructions,
 * then num_axes + num_kernels + num_tensors u32 rows of AXES, KREG and TENS: `axis`, `kernel` operands index these. */
#ifndef PTOWSP_WORKLOAD_H
#define PTOWSP_WORKLOAD_H

#include "base.h"

enum ptowsp_workload_op {
#define X(NAME, code, mnemonic, operand1, operand2, effect) PTOWSP_OP_##NAME = code,
#include "workload_ops.def"
#undef X
};
enum ptowsp_expr_op {
#define X(NAME, code, mnemonic, operands, effect) PTOWSP_EXPR_##NAME = code,
#include "expr_ops.def"
#undef X
};

/* operand1 of AFTER and of FENCE. */
enum { PTOWSP_AFTER_TASK = 0, PTOWSP_AFTER_DATA = 1, PTOWSP_AFTER_BARRIER = 2, PTOWSP_AFTER_SOFT = 3 };
enum { PTOWSP_FENCE_CORE = 0, PTOWSP_FENCE_DEVICE = 1, PTOWSP_FENCE_SYSTEM = 2 };

#define PTOWSP_WORKLOAD_MAGIC 0x50544F57u /* the bytes read "WOTP" */
#define PTOWSP_WORKLOAD_VERSION 10u
#define PTOWSP_NESTING_LIMIT 64u /* loops, branches and scopes together */

struct ptowsp_workload_header {
	uint32_t magic, version;
	uint32_t num_instructions, num_axes, num_kernels, num_tensors;
};
struct ptowsp_instruction {
	uint8_t opcode;
	uint8_t flags;     /* zero in a package, but for PTOWSP_SLOT_LOAD_BITS; PTOWSP_CHECKED is the verifier's */
	uint16_t operand1;
	uint32_t operand2;
};
#define PTOWSP_CHECKED 1u /* could not be proved for all values: checked where it runs */
#define PTOWSP_SLOT_LOAD_BITS 2u /* SLOT_LOAD: the slot gets the element's bit pattern, zero-extended, instead of its value */
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_workload_header) == 24, "layout");
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_instruction) == 8, "layout");

#endif
