/* SPDX-License-Identifier: MIT */
/* directive.h - one SCHD row that is enforced: its arguments, checked, and what it sets. */
#ifndef RT_DIRECTIVE_H
#define RT_DIRECTIVE_H

#include "rt/schedule.h"

/* A row being applied; its count is that of at most 8 arguments. */
struct rt_directive {
	struct rt_schedule *schedule;
	const struct rt_tables *tables;
	const struct ptowsp_directive_record *row;
	struct ptowsp_error *error;
};
/* As packages spell it; NULL: there is no such directive. */
const char *rt_directive_name(unsigned directive);
/* Is there a policy of this core for it? */
bool rt_directive_obeyed(unsigned directive, unsigned policy);
/* Sets nothing where this core has no policy for the row: the backend itself enforces it. Errors: INVALID naming the argument that is wrong. */
ptowsp_status rt_directive_apply(const struct rt_directive *directive);

#endif
