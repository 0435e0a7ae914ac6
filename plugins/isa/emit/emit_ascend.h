/* SPDX-License-Identifier: MIT */
/* emit_ascend.h - what both sources that write Ascend C say of an instruction. */
#ifndef ISA_EMIT_ASCEND_H
#define ISA_EMIT_ASCEND_H

#include "isa/emit/emit_state.h"

static inline const struct isa_step *isa_ascend_step(const struct isa_emitter *e, uint32_t i)
{
	return &e->p->steps[i];
}

static inline unsigned long isa_ascend_count(const struct isa_operand *tile)
{
	return (unsigned long)tile->rows * tile->columns;
}

/* An element type as Ascend C names it. */
static inline const char *isa_ascend_type(unsigned dtype)
{
	return dtype == PTOWSP_F16 ? "half" : dtype == PTOWSP_BF16 ? "bfloat16_t" : isa_stored_type(dtype);
}

/* Writes instruction i, which has no vector instruction. */
void isa_ascend_call(struct isa_emitter *e, uint32_t i);

#endif
