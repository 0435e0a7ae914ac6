/* SPDX-License-Identifier: MIT */
/* sections.h - the few tables of a package that this library reads itself; the runtime core reads the rest. */
#ifndef BASE_SECTIONS_H
#define BASE_SECTIONS_H

#include "ptowsp/package.h"
#include "ptowsp/run.h"

/* Borrowed from the load arguments; an absent section has count 0. */
struct base_sections {
	struct ptowsp_section kreg, kprm, kpay, code, strs, dbgi, work, entr, grph, meta; /* strs, code, work, grph: bytes */
	uint64_t place; /* row of dbgi behind the latest that was found: the next kernel's is there, mostly */
};

void base_sections_find(struct base_sections *sections_out, const struct ptowsp_load_args *args);
/* Copies row `row` as far as the file's records go, zero for the rest. Errors: BAD_PACKAGE if there is no such row. */
ptowsp_status base_sections_row(const struct ptowsp_section *section, uint64_t row, void *record_out, size_t size, struct ptowsp_error *error);
/* The string at an offset, "" for one that is outside or not ended. */
const char *base_sections_string(const struct base_sections *sections, uint32_t offset);
/* The package's own name, "" where it has none. */
const char *base_sections_name(const struct base_sections *sections);
/* Bytes of CODE. Errors: BAD_PACKAGE if they are not inside it. */
ptowsp_status base_sections_code(const struct base_sections *sections, uint64_t offset, uint64_t size, const void **bytes_out, struct ptowsp_error *error);
/* The position of kernel `row` in its source: "file:line", or "" if the package does not say. */
const char *base_sections_place(struct base_sections *sections, uint32_t row, char *text, size_t size);

#endif
