/* SPDX-License-Identifier: MIT */
/* match.h - a plan held against a backend. */
#ifndef HOST_MATCH_H
#define HOST_MATCH_H

#include "host/host_backend.h"
#include "host/plan/host_plan.h"

struct ptowsp_match {
	struct reg_verdict *rows; /* owned */
	uint32_t count;
	char trust[HOST_TRUST_TEXT]; /* see ptowsp_match_trust */
};

/* Load flags without PTOWSP_LOAD_TRUST_SIGNED, but with PTOWSP_LOAD_TRUST_NATIVE if a signature of the package counts for this backend. text_out: as
 * ptowsp_match_trust. */
uint32_t host_trust_flags(const struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags, char text_out[HOST_TRUST_TEXT]);

/* Would native code of a kernel that the plan uses run on this machine, if it is trusted and the backend takes any? */
bool host_plan_brings_native(const struct ptowsp_plan *plan);

/* As ptowsp_match_create. look: native code that would run is looked at too; who loads the program next is told then. */
ptowsp_status host_match_create(struct ptowsp_match **out, const struct ptowsp_backend *backend, const struct ptowsp_plan *plan, uint32_t flags, bool look,
				struct ptowsp_error *error);
/* UNSUPPORTED with the first refused row, or with the targets if none of the backend's is among the package's. */
ptowsp_status host_match_check(const struct ptowsp_match *match, const struct ptowsp_backend *backend, const struct ptowsp_plan *plan,
			       struct ptowsp_error *error);
/* First need below enforced, NULL if all are met. processor: kernels that the processor runs count as met. */
const struct reg_verdict *host_match_weak(const struct ptowsp_match *match, bool processor);

#endif
