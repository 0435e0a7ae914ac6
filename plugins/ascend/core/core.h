/* SPDX-License-Identifier: MIT */
/* core.h - what a portable kernel costs on one core (AIC or AIV) or on a cluster of one AIC and two AIV, and whether its tiles fit.
 *
 * A core has pipes. Work of one pipe follows in the order of the program; different pipes overlap unless one needs what another
 * makes: a tile, or global memory of the same parameter. Flags between pipes are for that, and their places follow from
 * the tiles. The scalar pipe runs the control flow and issues: nothing begins before the scalar instructions in front of it are done.
 * TSYNC is a barrier of all pipes.
 *
 * Products and what is loaded for them alone belong to the cube core, everything else to the vector core. A kernel may have both; what one
 * core makes and the other reads goes through global memory once, when it is first read there. */
#ifndef ASCEND_CORE_H
#define ASCEND_CORE_H

#include "ascend/cost.h"
#include "isa/isa.h"

/* X(pipe, text): of the cube core, then of the vector core; the scalar pipes of both do the same. */
#define ASCEND_PIPES(X)                                                                                                                                        \
	X(SCALAR, "scalar")                                                                                                                                    \
	X(GM_L1, "gm to l1")                                                                                                                                   \
	X(L1_L0, "l1 to l0")                                                                                                                                   \
	X(CUBE, "cube")                                                                                                                                        \
	X(L0C_OUT, "l0c out")                                                                                                                                  \
	X(GM_UB, "gm to ub")                                                                                                                                   \
	X(VECTOR, "vector")                                                                                                                                    \
	X(UB_GM, "ub to gm")
enum ascend_pipe {
#define X(pipe, text) ASCEND_PIPE_##pipe,
	ASCEND_PIPES(X)
#undef X
		ASCEND_PIPE_COUNT
};
const char *ascend_pipe_text(enum ascend_pipe pipe);

/* X(memory, text, number of struct ascend_arch): where tiles lie */
#define ASCEND_MEMORIES(X)                                                                                                                                     \
	X(UB, "UB", ub)                                                                                                                                        \
	X(L1, "L1", l1)                                                                                                                                        \
	X(L0A, "L0A", l0a)                                                                                                                                     \
	X(L0B, "L0B", l0b)                                                                                                                                     \
	X(L0C, "L0C", l0c)
enum ascend_memory {
#define X(memory, text, limit) ASCEND_MEMORY_##memory,
	ASCEND_MEMORIES(X)
#undef X
		ASCEND_MEMORY_COUNT
};
const char *ascend_memory_text(enum ascend_memory memory);
uint64_t ascend_memory_limit(const struct ascend_arch *arch, enum ascend_memory memory); /* bytes */

/* One execution. All saturate at UINT64_MAX. max(busy) <= cycles <= sum(busy). */
struct ascend_cost {
	uint64_t cycles;                  /* from its first instruction to the end of its last pipe */
	uint64_t busy[ASCEND_PIPE_COUNT]; /* cycles in which the pipe worked */
};

/* A kernel prepared for one machine; immutable, any thread. Borrows the program. */
struct ascend_kernel;

/* unit: what the package says of it, enum ptowsp_unit. Errors: TOO_SMALL if its tiles do not fit, naming kernel, memory, need and limit
 * (name NULL: as the program calls itself); NO_MEMORY. *kernel_out is NULL after an error. */
ptowsp_status ascend_kernel_create(struct ascend_kernel **kernel_out, const struct isa_program *program, const char *name, const struct ascend_arch *arch,
				   unsigned unit, struct ptowsp_error *error);
/* The same, but one that does not fit is made, too, as if there was room: the error is that of above. */
ptowsp_status ascend_kernel_make(struct ascend_kernel **kernel_out, const struct isa_program *program, const char *name, const struct ascend_arch *arch,
				 unsigned unit, struct ptowsp_error *error);
void ascend_kernel_destroy(struct ascend_kernel *kernel); /* NULL is allowed */

/* The unit that runs it: AIC, AIV or AIC_AIV, a cluster; as the package says. If it leaves the choice (ANY and what is no unit of the device):
 * AIV without products, AIC with products alone, AIC_AIV with both. */
unsigned ascend_kernel_unit(const struct ascend_kernel *kernel);
bool ascend_kernel_has_product(const struct ascend_kernel *kernel);
/* Bytes of its tiles in a memory, with reuse; those of L0A and L0B are of its largest product. At most the limit. */
uint64_t ascend_kernel_need(const struct ascend_kernel *kernel, enum ascend_memory memory);

/* Model core: one block of a task with these scalars. Deterministic; takes no time for rounds of a loop that are all alike. guard may be
 * NULL. Errors: those of isa_walk_guarded. */
ptowsp_status ascend_kernel_cost(const struct ascend_kernel *kernel, const uint64_t *args, uint32_t arg_count, struct isa_block block,
				 const struct isa_guard *guard, struct ascend_cost *cost_out, struct ptowsp_error *error);
/* The same for a kernel whose way depends on data: runs it (isa_run_guarded). */
ptowsp_status ascend_kernel_run(const struct ascend_kernel *kernel, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch,
				const struct isa_guard *guard, struct ascend_cost *cost_out);
/* Model op-sum, one block. */
ptowsp_status ascend_kernel_op_sum(const struct ascend_kernel *kernel, const uint64_t *args, uint32_t arg_count, struct isa_block block,
				   const struct isa_guard *guard, uint64_t *cycles_out, struct ptowsp_error *error);

/* Cycles of a whole task, `blocks` of them one after the other, by a model. name: what the model name looks at. kernel: not needed by that
 * model, and NULL is allowed there. Errors: those of isa_walk_guarded. */
ptowsp_status ascend_task_cycles(const struct ascend_kernel *kernel, enum ascend_model model, const char *name, const uint64_t *args, uint32_t arg_count,
				 uint32_t blocks, const struct isa_guard *guard, uint64_t *cycles_out, struct ptowsp_error *error);

/* "2113 cycles: gm to ub 61 %, vector 22 %, ub to gm 17 %": each pipe that worked, its share of the cycles rounded down. At most 200
 * characters. */
void ascend_cost_text(const struct ascend_cost *cost, char *text, size_t size);

#endif
