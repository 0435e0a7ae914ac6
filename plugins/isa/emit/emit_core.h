/* SPDX-License-Identifier: MIT */
/* emit_core.h - a kernel as one C function for a core of an array: what a design says of its arguments is in the text as numbers, tiles that are nothing but a window lie in it, and
 * nothing is checked that the design has settled. */
#ifndef ISA_EMIT_CORE_H
#define ISA_EMIT_CORE_H

#include "isa/isa.h"

/* A tensor argument as the function gets it: a pointer to the first element of an object. */
struct isa_core_window {
	uint64_t rows, columns, stride; /* elements of the kernel's window; its own lie one behind the other */
	int64_t before;                 /* elements of the window in front of the object's first; negative: behind it */
	uint32_t same;                  /* the first argument that lies in the same memory; its own number: none before it */
};
struct isa_core_function {
	const char *symbol; /* a name that C takes */
	const struct isa_core_window *windows;
	uint32_t tensors, scalars; /* arguments, at least as many as the program has; a scalar is int64_t */
	uint32_t blocks;           /* how often the kernel runs in one call, 1 at least */
	uint64_t parts; /* bit i: where the window of argument i is smaller than its tile, the kernel works on a whole one with zeros around what is there */
	const char
		*whole; /* the function of the file that has whole windows (isa_core_whole), which this one calls; NULL: with parts, it is in the text, too */
	bool is_inside; /* nothing outside of the file calls it */
};
enum { ISA_CORE_TENSORS = 64 }; /* arguments of a function with parts */
/* windows_out: per argument of the function, that of the kernel, which is whole where a part is given. True: some are parts. */
bool isa_core_whole(const struct isa_program *program, const struct isa_core_function *function, struct isa_core_window *windows_out);
/* Name of the function with whole windows, by that of `symbol`, where one text has both. */
#define ISA_CORE_WHOLE "%s_whole"
/* The function's text, without the header that it stands on (isa/kernel_core.h), and before it functions for its products, a line each, which several functions of a file may have in
 * common; NULL: there are none. Both are malloc'd and end with a 0. *memory_out: bytes of tiles on the function's stack. Results have the bits of isa_run where -DTILE_EXACT is given and nothing is fused, and every window that the program touches is inside of its argument: what it touches
 * is not checked unless data decide it. Errors: UNSUPPORTED with the sentence why the program cannot run, or which parts meet; NO_MEMORY. */
ptowsp_status isa_emit_core(const struct isa_program *program, const struct isa_core_function *function, char **products_out, char **text_out,
			    uint64_t *memory_out, struct ptowsp_error *error);

#endif
