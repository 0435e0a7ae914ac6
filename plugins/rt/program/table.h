/* SPDX-License-Identifier: MIT */
/* table.h - the sections of a package as native tables. Records are copied: min(stride, own size) bytes of each, the rest zero,
 * so an older or newer packer's records read alike. Values inside are not checked here. */
#ifndef RT_TABLE_H
#define RT_TABLE_H

#include "ptowsp/package.h"
#include "ptowsp/run.h"
#include "ptowsp/workload.h"

/* One member per table of records.def: tables.tensor.rows, tables.tensor.count. */
struct rt_tables {
#define TABLE(SECT, record, text)                                                                                                                              \
	struct {                                                                                                                                               \
		struct ptowsp_##record##_record *rows;                                                                                                         \
		uint32_t count;                                                                                                                                \
	} record;
#include "registry/common/common_records.def"
	char *strings; /* ends in NUL, at least one byte */
	uint32_t strings_size;
	struct {
		struct ptowsp_instruction *code;
		uint32_t *axes, *kernels, *tensors; /* rows of AXES, KREG, TENS */
		uint32_t code_count, axis_count, kernel_count, tensor_count;
		uint32_t entry; /* ENTR row of an entry that is one task of a kernel: the task is instruction code_count */
	} work;
};

/* Errors: BAD_PACKAGE, NO_MEMORY. The part made before an error goes with finish. */
ptowsp_status rt_tables_init(struct rt_tables *tables, const struct ptowsp_section *sections, uint32_t count, uint32_t stride, struct ptowsp_error *error);
void rt_tables_finish(struct rt_tables *tables);

/* The string at a STRS offset; "" for an offset outside. Borrowed. */
const char *rt_string(const struct rt_tables *tables, uint32_t offset);
/* "instruction 7 (file.pto:3:5)", the position only where DBGI has one, into text of size bytes; returns text. */
const char *rt_position(const struct rt_tables *tables, uint32_t instruction, char *text, size_t size);
/* After a step at that instruction: returns status, and what error says begins with "file.pto:3:5: " then, where DBGI has the position. error may be NULL. */
ptowsp_status rt_error_place(const struct rt_tables *tables, uint32_t instruction, ptowsp_status status, struct ptowsp_error *error);

#endif
