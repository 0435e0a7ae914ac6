/* SPDX-License-Identifier: MIT */
/* check_parts.h - parts of aie_check, each a file; errors as there. */
#ifndef AIE_CHECK_PARTS_H
#define AIE_CHECK_PARTS_H

#include "aie/design/aie_check.h"

/* check_core.c: operations of cores and functions, where they stand and what they use. */
ptowsp_status aie_check_bodies(const struct aie_design *design, struct ptowsp_error *error);
/* check_held.c: no core releases what it may not hold. After aie_check_bodies. */
ptowsp_status aie_check_held(const struct aie_design *design, struct ptowsp_error *error);
/* Turns of a scf.for; false: they are not known before it runs, and *turns_out is as it was. */
bool aie_loop_turns(const struct aie_op *loop, uint64_t *turns_out);
/* check_use.c: no core uses an object that it has released, and none ends with objects that it has not. After aie_check_held. */
ptowsp_status aie_check_uses(const struct aie_design *design, struct ptowsp_error *error);
/* check_walk.c: walks of DMAs fit into their descriptors and into what they walk; one task of the host, on this tile. */
ptowsp_status aie_check_walks(const struct aie_design *design, struct ptowsp_error *error);
ptowsp_status aie_check_task(const struct aie_design *design, const struct aie_step *step, uint32_t shim, struct ptowsp_error *error);
/* check_host.c: what the host moves, its descriptors, queues and tokens. */
ptowsp_status aie_check_host(const struct aie_design *design, struct ptowsp_error *error);
/* check_count.c: what goes into fifos comes out of them. After aie_check_host. */
ptowsp_status aie_check_counts(const struct aie_design *design, struct ptowsp_error *error);
/* check_ring.c: streams between cores and links form no ring; functions do not call themselves. */
ptowsp_status aie_check_rings(const struct aie_design *design, struct ptowsp_error *error);
ptowsp_status aie_check_recursion(const struct aie_design *design, struct ptowsp_error *error);
/* check_stack.c: what a core allocates lies in its stack. After aie_check_bodies and aie_check_recursion. */
ptowsp_status aie_check_stacks(const struct aie_design *design, struct ptowsp_error *error);

#endif
