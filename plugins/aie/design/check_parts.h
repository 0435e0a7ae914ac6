/* SPDX-License-Identifier: MIT */
/* check_parts.h - parts of aie_check, each a file; errors as there. */
#ifndef AIE_CHECK_PARTS_H
#define AIE_CHECK_PARTS_H

#include "aie/design/aie_check.h"

/* check_core.c: operations of cores and functions, where they stand and what they use. */
ptowsp_status aie_check_bodies(const struct aie_design *design, struct ptowsp_error *error);
/* check_held.c: no core releases what it may not hold. After aie_check_bodies. */
ptowsp_status aie_check_held(const struct aie_design *design, struct ptowsp_error *error);
/* check_walk.c: walks of DMAs fit into their descriptors and into what they walk; what the host moves, and its tokens. */
ptowsp_status aie_check_walks(const struct aie_design *design, struct ptowsp_error *error);
ptowsp_status aie_check_host(const struct aie_design *design, struct ptowsp_error *error);
/* check_ring.c: streams between cores and links form no ring; functions do not call themselves. */
ptowsp_status aie_check_rings(const struct aie_design *design, struct ptowsp_error *error);
ptowsp_status aie_check_recursion(const struct aie_design *design, struct ptowsp_error *error);
/* check_stack.c: what a core allocates lies in its stack. After aie_check_bodies and aie_check_recursion. */
ptowsp_status aie_check_stacks(const struct aie_design *design, struct ptowsp_error *error);

#endif
