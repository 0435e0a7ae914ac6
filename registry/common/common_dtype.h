/* SPDX-License-Identifier: MIT */
/* common_dtype.h - element types by their codes, from dtype.def, for all folders. Texts are static; any thread. */
#ifndef REGISTRY_COMMON_COMMON_DTYPE_H
#define REGISTRY_COMMON_COMMON_DTYPE_H

#include <stdint.h>

struct common_dtype {
	const char *text;  /* "f32" */
	const char *descr; /* NumPy's, "<f4" */
	uint16_t code;
	uint16_t bytes; /* of one element */
	char class;     /* 'f', 'i', 'u', 'b' */
};
const struct common_dtype *common_dtype(uint64_t code); /* NULL: there is no such type */

/* A column of that row; 0 or "?" where there is no such type. */
uint16_t common_dtype_bytes(uint64_t code);
char common_dtype_class(uint64_t code);
const char *common_dtype_text(uint64_t code);

#endif
