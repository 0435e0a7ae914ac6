/* SPDX-License-Identifier: MIT */
/* ir_intern.h - each name, type and attribute of a module once. */
#ifndef AIE_IR_INTERN_H
#define AIE_IR_INTERN_H

#include "aie/ir/ir.h"

/* NULL: no memory. Its memory is the arena's. */
struct aie_intern *aie_intern_create(struct common_arena *arena);
/* The module's one that is equal to `like`, whose arrays may be the caller's. NULL: no memory. */
const struct aie_type *aie_intern_type(struct aie_module *module, const struct aie_type *like);
const struct aie_attr *aie_intern_attr(struct aie_module *module, const struct aie_attr *like);

#endif
