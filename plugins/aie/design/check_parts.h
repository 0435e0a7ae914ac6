/* SPDX-License-Identifier: MIT */
/* check_parts.h - parts of aie_check, each a file. A part leaves the check where a rule is broken or memory runs out. */
#ifndef AIE_CHECK_PARTS_H
#define AIE_CHECK_PARTS_H

#include "aie/design/aie_check.h"
#include "registry/common/common_arena.h"

struct aie_check_job {
	const struct aie_design *design;
	bool proven; /* aie_check */
	struct ptowsp_error *error;
	jmp_buf out;
	ptowsp_status status;      /* why it was left; OK: there was no memory */
	struct common_arena arena; /* leaves by `out` */
};
/* INVALID: this operation breaks the rule. */
_Noreturn void aie_check_fail(struct aie_check_job *check, const struct aie_op *op, enum aie_rule rule, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
_Noreturn void aie_check_leave(struct aie_check_job *check, ptowsp_status status);

/* check_core.c: operations of cores and functions, where they stand and what they use. */
void aie_check_bodies(const struct aie_design *design, struct aie_check_job *check);
/* check_held.c: no core releases what it may not hold. After aie_check_bodies. */
void aie_check_held(const struct aie_design *design, struct aie_check_job *check);
/* Turns of a scf.for; false: they are not known before it runs, and *turns_out is as it was. */
bool aie_loop_turns(const struct aie_op *loop, uint64_t *turns_out);
/* check_use.c: no core uses an object that it has released, and none ends with objects that it has not. After aie_check_held. */
void aie_check_uses(const struct aie_design *design, struct aie_check_job *check);
/* check_walk.c: walks of DMAs fit into their descriptors and into what they walk; one task of the host, on this tile. */
void aie_check_walks(const struct aie_design *design, struct aie_check_job *check);
void aie_check_task(const struct aie_design *design, const struct aie_step *step, uint32_t shim, struct aie_check_job *check);
/* check_host.c: what the host moves, its descriptors, queues and tokens. */
void aie_check_host(const struct aie_design *design, struct aie_check_job *check);
/* check_count.c: what goes into fifos comes out of them. After aie_check_host. */
void aie_check_counts(const struct aie_design *design, struct aie_check_job *check);
/* check_ring.c: streams between cores and links form no ring; functions do not call themselves. */
void aie_check_rings(const struct aie_design *design, struct aie_check_job *check);
void aie_check_recursion(const struct aie_design *design, struct aie_check_job *check);
/* check_stack.c: what a core allocates lies in its stack. After aie_check_bodies and aie_check_recursion. */
void aie_check_stacks(const struct aie_design *design, struct aie_check_job *check);

#endif
