/* SPDX-License-Identifier: MIT */
/* core_program.h - how much of its program memory a compiled core takes: read from the ELF file that its tools left, because nothing says it before. One thread. */
#ifndef AIE_CORE_PROGRAM_H
#define AIE_CORE_PROGRAM_H

#include "aie/design/design.h"

#define AIE_UNMEASURED UINT64_MAX

/* Bytes of program memory, from its first to the end of what the file has loaded there; as the loader of the array counts, not the size of a section. UNMEASURED: this is no
 * whole ELF file of 32 bits, or it has no program. */
uint64_t aie_core_program_bytes(const unsigned char *file, size_t size);
/* Per core of a design: of the file *core_COLUMN_ROW.elf in a folder; UNMEASURED without one. bytes_out: core_count of them. */
void aie_core_programs_read(const struct aie_design *design, const char *folder, uint64_t *bytes_out);
/* Errors: UNSUPPORTED naming the core that takes most over its limit, what it takes, the limit, and what to do. */
ptowsp_status aie_core_programs_check(const struct aie_design *design, const uint64_t *bytes, struct ptowsp_error *error);

#endif
