/* SPDX-License-Identifier: MIT */
/* one_task.h - a package of one task: kernel @combine(x, y -> z, n), signature v(p,p,p,i64), without payload; entry "main" owns the
 * tensors, and n is a scalar that must be set. */
#ifndef TESTS_ONE_TASK_H
#define TESTS_ONE_TASK_H

#include <stdbool.h>

#include "ptowsp/package.h"

enum { ONE_TASK_ELEMENTS = 16 };

struct one_task {
	bool shapeless;                                  /* tensors without shape, else [16] f32 */
	bool samples;                                    /* x = 0, 1, ...; y = 100; expected z = 100, 101, ... */
	bool wrong;                                      /* the last expected element is off by 1 */
	bool set;                                        /* n has the default 16 */
	const char *target;                              /* NULL: any */
	const struct ptowsp_directive_record *directive; /* NULL: none */
};

/* The sealed file, to be freed; NULL with the reason in *error. */
void *one_task_pack(const struct one_task *spec, size_t *size_out, struct ptowsp_error *error);

#endif
