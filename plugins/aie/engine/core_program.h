/* SPDX-License-Identifier: MIT */
/* core_program.h - how much of its program memory a compiled core takes: read from the ELF file that its tools left, because nothing says it before. One thread. */
#ifndef AIE_CORE_PROGRAM_H
#define AIE_CORE_PROGRAM_H

#include "aie/design/design.h"
#include "ptowsp/base.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AIE_UNMEASURED UINT64_MAX

/* Bytes of program memory, from its first to the end of what the file has loaded there; as the loader of the array counts, not the size of a section. UNMEASURED: this is no
 * whole ELF file of 32 bits, or it has no program. */
uint64_t aie_core_program_bytes(const unsigned char *file, size_t size);
/* Per core of a design: of the file *core_COLUMN_ROW.elf in a folder; UNMEASURED without one. bytes_out: core_count of them. */
void aie_core_programs_read(const struct aie_design *design, const char *folder, uint64_t *bytes_out);
/* Errors: UNSUPPORTED naming the core that takes most over its limit, what it takes, the limit, and what to do. */
ptowsp_status aie_core_programs_check(const struct aie_design *design, const uint64_t *bytes, struct ptowsp_error *error);

/* How large programs of cores are, and frames of their functions, by a stand-in: the C of their kernels, compiled by clang for rv32im at -Os where there is one with that target, not linked. Peano's
 * are of other sizes; what is too large here hardly fits there. One thread. */
#define AIE_CLANG "PTOWSP_CLANG" /* the variable that names the compiler */

struct aie_kernel_files_args;
/* Kernels of a design, kept until somebody asks. */
struct aie_program_proxy;
/* Errors: those of aie_kernel_files_make; *out is NULL then. */
ptowsp_status aie_program_proxy_create(struct aie_program_proxy **out, const struct aie_kernel_files_args *args, struct ptowsp_error *error);
/* Has all that its cores call C? Else there is nothing to measure. */
bool aie_program_proxy_whole(const struct aie_program_proxy *proxy);
/* The figures of one core. */
struct aie_program_size {
	const char *tile; /* the proxy's text */
	int32_t column, row;
	uint64_t bytes; /* of .text of all that it calls */
	uint64_t frame; /* the largest of a function of these, with its tiles */
	uint64_t stack; /* that the design gives it */
};
uint32_t aie_program_proxy_cores(const struct aie_program_proxy *proxy);
/* sizes_out: one per core. False: the compiler that AIE_CLANG names is not there, or refuses. Takes as long as it does. */
bool aie_program_proxy_measure(const struct aie_program_proxy *proxy, struct aie_program_size *sizes_out);
void aie_program_proxy_destroy(struct aie_program_proxy *proxy); /* NULL is legal */

#endif
