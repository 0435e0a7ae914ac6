/* SPDX-License-Identifier: MIT */
/* entries.h - the bytecode of a package before anybody runs it. */
#ifndef TOOLS_ENTRIES_H
#define TOOLS_ENTRIES_H

#include "format/format_code.h"

/* Verifies the code of every entry, and the schedule, by the verifier that the runtime core uses at load. A directive that only some backend can enforce is
 * no fault of the package; one that gives a task less than it needs is. Errors: BAD_PACKAGE, UNKNOWN_OPCODE, NO_MEMORY. */
ptowsp_status entries_verify(const struct pkg *package, struct ptowsp_error *error);
/* The same, and the code for who follows it; closed by pkg_code_close. Further errors: those of pkg_code_open. */
ptowsp_status entries_code(struct pkg_code **code_out, struct pkg *package, struct ptowsp_error *error);

#endif
