/* SPDX-License-Identifier: MIT */
/* ir_scope.h - names of values while a text is read: known from where they stand to the end of their region, also in regions inside of it, unless those are closed to
 * what is around them. */
#ifndef AIE_IR_SCOPE_H
#define AIE_IR_SCOPE_H

#include "aie/ir/ir.h"

struct aie_scope_row {
	const char *name;                /* of aie_name: equal ones are the same pointer */
	struct aie_value *const *values; /* of the group */
	uint32_t count;
	uint32_t next;        /* older one of its bucket, + 1 */
	uint32_t closed;      /* closed regions around it */
	struct aie_op *block; /* of a block's name, which begins with '^' */
};
struct aie_scope {
	struct aie_scope_row *rows; /* owned; the newest last */
	uint32_t *buckets;          /* owned; newest row, + 1 */
	uint32_t count, room, mask;
	uint32_t closed; /* closed regions around what is read */
};
void aie_scope_finish(struct aie_scope *scope);
/* NULL: the name is not known here. */
const struct aie_scope_row *aie_scope_find(const struct aie_scope *scope, const char *name);
/* False: no memory. */
bool aie_scope_add(struct aie_scope *scope, const char *name, struct aie_value *const *values, uint32_t count);
/* Forgets all but the oldest `count`. */
void aie_scope_cut(struct aie_scope *scope, uint32_t count);

#endif
