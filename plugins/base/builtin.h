/* SPDX-License-Identifier: MIT */
/* builtin.h - C kernels that every program can name without bringing them: a kernel without payload that the embedding
 * program has not registered either is looked up here. */
#ifndef BASE_BUILTIN_H
#define BASE_BUILTIN_H

#include "ptowsp/task.h"

struct base_builtin {
	const char *name;
	const char *signature; /* as in KREG, "" is the uniform one */
	ptowsp_kernel_fn fn;
	const char *effect; /* one line for people */
};

/* NULL if there is none of that name and signature. */
const struct base_builtin *base_builtin_find(const char *name, const char *signature);
/* "nop, copy, fill" into text. */
void base_builtin_names(char *text, size_t size);

#endif
