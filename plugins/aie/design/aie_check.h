/* SPDX-License-Identifier: MIT */
/* aie_check.h - rules that a design keeps, each with a number and its source (aie_check.def). Rules that a view depends on are looked at as it is made
 * (design.h); the others here. */
#ifndef AIE_CHECK_H
#define AIE_CHECK_H

#include "aie/design/aie_channels.h"
#include "aie/design/design.h"
#include "aie/place/route.h"

enum aie_rule {
#define X(id, number, text, source) AIE_RULE_##id,
#include "aie/design/aie_check.def"
#undef X
	AIE_RULES
};
struct aie_rule_row {
	const char *id, *number, *text, *source;
};
const struct aie_rule_row *aie_rule_row(enum aie_rule rule);

/* "LINE:COLUMN: aie.core: ... (rule 4.2)", 0:0 of an operation that was built; code as given. */
ptowsp_status aie_rule_fail(struct ptowsp_error *error, ptowsp_status code, const struct aie_op *op, enum aie_rule rule, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* Bodies of cores and functions, walks of DMAs, what the host does. Limits of tiles are looked at by aie_channels_assign. One thread. Errors: INVALID; UNSUPPORTED where streams form a ring,
 * which is printed, unless proven: a run with bounded buffers came to its end. NO_MEMORY. */
ptowsp_status aie_check(const struct aie_design *design, bool proven, struct ptowsp_error *error);
/* The rule of rings alone, as aie_check says it where it is not proven. */
ptowsp_status aie_check_streams(const struct aie_design *design, struct ptowsp_error *error);
/* Routes of the flows of this design: ports and connections that there are, no port driven by two streams, each flow led to all of its ends. Errors: INVALID,
 * NO_MEMORY. */
ptowsp_status aie_check_routes(const struct aie_design *design, const struct aie_channels *channels, const struct aie_routes *routes,
			       struct ptowsp_error *error);

#endif
