/* SPDX-License-Identifier: MIT */
/* sections.h - the few tables of a package that this backend reads itself; the runtime core reads the rest. */
#ifndef CPU_SIM_SECTIONS_H
#define CPU_SIM_SECTIONS_H

#include "ptowsp/package.h"
#include "ptowsp/run.h"

/* Borrowed from the load arguments; an absent section has count 0. */
struct cpu_sections {
	struct ptowsp_section kreg, kprm, kpay, code, strs, dbgi;
	struct ptowsp_section tens, dims, schd, regn, axes, work; /* for layouts; work is bytes */
};

void cpu_sections_find(struct cpu_sections *sections_out, const struct ptowsp_load_args *args);
/* Copies row `row` as far as the file's records go, zero for the rest. Errors: BAD_PACKAGE if there is no such row. */
ptowsp_status cpu_sections_row(const struct ptowsp_section *section, uint64_t row, void *record_out, size_t size,
			       struct ptowsp_error *error);
/* The string at an offset, "" for one that is outside or not ended. */
const char *cpu_sections_string(const struct cpu_sections *sections, uint32_t offset);
/* Bytes of CODE. Errors: BAD_PACKAGE if they are not inside it. */
ptowsp_status cpu_sections_code(const struct cpu_sections *sections, uint64_t offset, uint64_t size, const void **bytes_out,
				struct ptowsp_error *error);
/* Where kernel `row` stands in its source: "file:line", or "" if the package does not say. */
const char *cpu_sections_place(const struct cpu_sections *sections, uint32_t row, char *text, size_t size);

#endif
