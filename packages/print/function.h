/* SPDX-License-Identifier: MIT */
/* function.h - the kernels and entries of a package as functions and files of C: which there are, and a name for each that no other has. */
#ifndef PRINT_FUNCTION_H
#define PRINT_FUNCTION_H

#include "format/format_package.h"

enum { PRINT_FUNCTION_NAME = 64 }; /* bytes of a name, NUL included */

/* A function: of a portable program, which several kernels may have; else of a kernel that is native code only, or declared only. */
struct print_function {
	char name[PRINT_FUNCTION_NAME]; /* as C takes it; different from all others in lower case too, because files are named so */
	uint32_t kernel;                /* the first row of KREG that has it */
	uint32_t payload;               /* the first row of KPAY with its program, PTOWSP_NONE: it has none */
	uint64_t workspace;             /* bytes, the most that KREG and KPAY say for any kernel that has it */
};
struct print_functions {
	struct print_function *rows; /* owned */
	uint32_t count;
	uint32_t *of_kernel;                  /* owned, by row of KREG: its function */
	uint32_t *of_payload;                 /* owned, by row of KPAY: the function of its program, PTOWSP_NONE: no kernel has it as its first portable one */
	char (*entries)[PRINT_FUNCTION_NAME]; /* owned, by row of ENTR; those without code have an empty name */
};
/* The tables are those of a checked package. 0: no memory, nothing is left behind. */
int print_functions_make(struct print_functions *functions, const struct pkg_tables *t);
void print_functions_finish(struct print_functions *functions);

#endif
