/* SPDX-License-Identifier: MIT */
/* cost.h - the table of cost.def, and the models of what a kernel costs by name. Constant; any thread. */
#ifndef ASCEND_COST_H
#define ASCEND_COST_H

#include "ascend/ascend_arch.h"

/* Models of what a kernel costs, in the order of --opt model. None of them is measured. */
enum ascend_model {
	ASCEND_MODEL_CORE,   /* pipes of a core: what one of them does follows in order, different ones overlap unless a tile orders them */
	ASCEND_MODEL_OP_SUM, /* the sum of a constant per instruction, per 4096 elements */
	ASCEND_MODEL_NAME,   /* a constant per kernel by a word in its name */
	ASCEND_MODEL_COUNT
};

/* Values of the model core, by their names in cost.def: ASCEND_CORE_product ... */
enum {
#define ASCEND_CORE(name, value, unit, source) ASCEND_CORE_##name = value,
#include "ascend/cost.def"
};

/* op-sum: cycles of one execution of an instruction of pto_ops.def whose result (of a store: whose source) has so many elements. */
uint64_t ascend_op_cycles(unsigned opcode, uint64_t elements);
/* name: cycles of a kernel. */
uint64_t ascend_name_cycles(const char *kernel);

/* Protocol and scheduler: what one of each costs. */
enum ascend_wire {
#define ASCEND_WIRE(name, ns, most, source) ASCEND_WIRE_##name,
#include "ascend/cost.def"
	ASCEND_WIRE_COUNT
};
struct ascend_wire_row {
	const char *name;  /* as in cost.def */
	uint32_t ns, most; /* nanoseconds; equal, or the ends of a published range */
	const char *source;
};
const struct ascend_wire_row *ascend_wire(enum ascend_wire wire);
/* Cycles of the cores' clock in the middle of its range: the one place where nanoseconds become cycles. */
uint64_t ascend_wire_cycles(const struct ascend_arch *arch, enum ascend_wire wire);

#endif
