/* SPDX-License-Identifier: MIT */
/* format_code.h - the workload bytecode of a package for readers that do not run it: printers, --c, emitters. There is one only of code that was verified, so a reader that
 * takes it looks nothing up that is not there. Runs have the verifier of the runtime core (plugins/rt), which asks for more. */
#ifndef FORMAT_CODE_H
#define FORMAT_CODE_H

#include "format/format_package.h"

#include <stdbool.h>

#include "ptowsp/workload.h"

/* Immutable; views into the package, which must live as long. */
struct pkg_code;

/* pkg_code_open checks all instructions, whether an entry reaches them or not: opcodes are known, flags and numbers that stand for words too; rows exist, rows of axes, kernels and
 * tensors through the lists of WORK; words stand behind their instructions, as many as an instruction takes, arguments are ones that the kernel has; bodies begin behind the
 * instructions that open them, lie inside each other, at most PTOWSP_NESTING_LIMIT deep, loop values that are read belong to loops around; the last instruction is halt, outside of
 * bodies. Without WORK: no instructions. Errors: BAD_PACKAGE, UNKNOWN_OPCODE, NO_MEMORY. */
ptowsp_status pkg_code_open(struct pkg_code **code_out, struct pkg *package, struct ptowsp_error *error);
void pkg_code_close(struct pkg_code *code); /* NULL is allowed */

struct pkg *pkg_code_package(const struct pkg_code *code); /* borrowed */
/* All zero without WORK. */
const struct ptowsp_workload_header *pkg_code_header(const struct pkg_code *code);
/* Instruction `at`; halt behind the last one. */
struct ptowsp_instruction pkg_code_at(const struct pkg_code *code, uint32_t at);
/* Rows of AXES, KREG and TENS at a place of the lists of WORK; places as operands say them are there. */
uint32_t pkg_code_axis(const struct pkg_code *code, uint32_t place);
uint32_t pkg_code_kernel(const struct pkg_code *code, uint32_t place);
uint32_t pkg_code_tensor(const struct pkg_code *code, uint32_t place);
/* The entry with code, or, behind all entries, the process whose code begins with instruction `at`; PTOWSP_NONE: nobody's does. */
uint32_t pkg_code_owner(const struct pkg_code *code, uint32_t at);
/* The next instruction behind `at` with which code begins; how many there are where none does. */
uint32_t pkg_code_start_behind(const struct pkg_code *code, uint32_t at);
/* The bodies of a loop, a scope or branches at instruction `at`, number 0 first: instructions [from, to). False: it has no such body. */
bool pkg_code_body(const struct pkg_code *code, uint32_t at, uint32_t number, uint32_t *from_out, uint32_t *to_out);
/* The instruction behind the last of its bodies, at least at + 1. */
uint32_t pkg_code_behind(const struct pkg_code *code, uint32_t at);

#endif
