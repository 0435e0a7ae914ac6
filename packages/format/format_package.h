/* SPDX-License-Identifier: MIT */
/* format_package.h - an open, verified package: sections as typed tables. The only reader of package files. */
#ifndef FORMAT_PACKAGE_H
#define FORMAT_PACKAGE_H

#include <stdbool.h>

#include "format/format_signature.h"

#include "ptowsp/package.h"
#include "ptowsp/run.h"

/* Every table of records.def as an array of native records: X_record *X and X_count. Rows of a file with another
 * stride are copied (missing fields 0). Absent tables: NULL, 0. */
struct pkg_tables {
#define TABLE(SECT, record, text)                                                                                                                              \
	const struct ptowsp_##record##_record *record;                                                                                                         \
	uint32_t record##_count;
#include "registry/common/common_records.def"
	const char *strings; /* STRS: offset 0 is "", the last byte is NUL */
	uint64_t strings_size;
	const uint8_t *code; /* CODE */
	uint64_t code_size;
	const uint8_t
		*raw_work; /* WORK: container and lists are verified, what the instructions say is not; who follows them takes a pkg_code (format_code.h) */
	uint64_t raw_work_size;
	const uint8_t *graph; /* GRPH; verified */
	uint64_t graph_size;
};

/* Immutable after open: may be read from any thread. */
struct pkg;

struct pkg_limits {
	uint64_t section_bytes; /* uncompressed, per section; 0 = 1 GiB */
	uint64_t total_bytes;   /* uncompressed, all sections; 0 = 1 GiB */
	int flag;               /* refusals name --max-memory, by which a user allows more */
};
/* Uncompressed bytes that tools take of a package unless --max-memory says another number: so much they hold several times in seconds. */
#define PKG_TOOL_LIMIT (UINT64_C(256) << 20)

/* Opens, checks digests of every section but TBLB, and verifies every table in one pass. limits may be NULL.
 * Unknown optional sections are left out with a notice; only the digest of their packed bytes is checked.
 * Errors: IO, NO_MEMORY, BAD_PACKAGE with file, offset and rule in the text; *package_out is then NULL. */
ptowsp_status pkg_open(struct pkg **package_out, const char *path, const struct pkg_limits *limits, struct ptowsp_error *error);
/* The same from memory, which must live as long as the package; name is for messages. */
ptowsp_status pkg_open_memory(struct pkg **package_out, const void *bytes, size_t size, const char *name, const struct pkg_limits *limits,
			      struct ptowsp_error *error);
void pkg_close(struct pkg *package); /* NULL is allowed */

/* All borrowed from the package. */
const struct pkg_tables *pkg_tables(const struct pkg *package);
const char *pkg_name(const struct pkg *package);                  /* META name, else the file's */
const char *pkg_meta(const struct pkg *package, const char *key); /* NULL if absent */
const uint8_t *pkg_digest(const struct pkg *package);             /* 32 bytes: what stands for its content, whatever packed it */
const uint8_t *pkg_header_digest(const struct pkg *package);      /* 32 bytes: every byte of the file but its signatures; what they sign */
/* Signatures behind the sections, 0 without any; whether they hold is not said. rows_out has PKG_SIGNATURE_ROWS. */
uint32_t pkg_signatures(const struct pkg *package, struct pkg_signature *rows_out);
/* Targets of the header, count of them; none means any. */
const char *const *pkg_targets(const struct pkg *package, uint32_t *count);
/* Sections as stored (own stride), 64-byte aligned: what goes to a plugin. TBLB is not among them. */
const struct ptowsp_section *pkg_sections(const struct pkg *package, uint32_t *count);
/* Bytes of sample row `row` (its digests are checked at the first use). BAD_PACKAGE if it does not hold. */
ptowsp_status pkg_sample_bytes(struct pkg *package, uint32_t row, const void **bytes_out, uint64_t *size_out, struct ptowsp_error *error);
/* All sample bytes (section TBLB), "" and 0 without one. Errors: as above. */
ptowsp_status pkg_sample_section(struct pkg *package, const void **bytes_out, uint64_t *size_out, struct ptowsp_error *error);
/* One row of the table of contents, unknown sections included. */
struct pkg_content {
	uint32_t type, required, stride;
	uint64_t count, size, packed_size;
	const uint8_t *digest; /* 32 bytes, borrowed */
};
int pkg_content(const struct pkg *package, uint32_t index, struct pkg_content *content_out); /* 0 behind the last */
const char *pkg_abi(const struct pkg *package);                                              /* wsp_runtime_abi */
uint64_t pkg_file_size(const struct pkg *package);
const char *pkg_path(const struct pkg *package); /* the file as it was named when it was opened, for messages */
/* One line about an unknown optional section, index 0.., NULL behind the last. */
const char *pkg_notice(const struct pkg *package, uint32_t index);

/* The layout that a kernel's parameter (row of KPRM) states: a row per dimension; NULL and 0 if it states none. Of verified tables. */
const struct ptowsp_param_layout_record *pkg_param_layout(const struct pkg_tables *tables, uint32_t param, uint32_t *count_out);

#define PKG_LAYOUT_WRONG 160u
/* The reason why row `row` of SCHD cannot stand as the layout of a tensor that the entry (row of ENTR, PTOWSP_NONE: any) sees, one sentence in text; 0: nothing, or
 * it is another directive. Tables verified but for SCHD, whose words are strings. text has PKG_LAYOUT_WRONG bytes. */
int pkg_layout_wrong(const struct pkg_tables *tables, uint32_t row, uint32_t entry, char *text);

/* How a tensor (row of TENS) lies in memory; NULL: row_major. Of verified tables. */
const struct ptowsp_memory_record *pkg_tensor_memory(const struct pkg_tables *tables, uint32_t tensor);
/* The order that a kernel's parameter (row of KPRM) takes, as a row of TMEM without a tensor (PTOWSP_NONE). 0: it takes any. Of verified
 * tables. */
bool pkg_param_memory(const struct pkg_tables *tables, uint32_t param, struct ptowsp_memory_record *memory_out);
/* The order of one record in a record of the other type, whose own field `owner` is `row`. */
#define PKG_MEMORY(type, owner, row, from)                                                                                                                     \
	((type){.owner = (row),                                                                                                                                \
		.order = (from)->order,                                                                                                                        \
		.swizzle = (from)->swizzle,                                                                                                                    \
		.block_rows = (from)->block_rows,                                                                                                              \
		.block_columns = (from)->block_columns,                                                                                                        \
		.stride0 = (from)->stride0,                                                                                                                    \
		.stride1 = (from)->stride1,                                                                                                                    \
		.stride2 = (from)->stride2,                                                                                                                    \
		.stride3 = (from)->stride3})
#define PKG_MEMORY_TEXT 96u /* bytes: the longest, of strides and a swizzle, has 67 */
/* "mem(blocked(16, 16) swizzle 3)"; text has PKG_MEMORY_TEXT bytes. */
void pkg_memory_text(const struct ptowsp_memory_record *memory, char *text);

/* String at a verified offset. */
static inline const char *pkg_string(const struct pkg_tables *tables, uint32_t offset)
{
	return tables->strings + offset;
}
/* The parameter of that kind of a kernel, and that number among them; NULL: it has none. */
static inline const struct ptowsp_param_record *pkg_param(const struct pkg_tables *tables, const struct ptowsp_kernel_record *kernel, unsigned kind,
							  uint32_t number)
{
	for (uint32_t i = kernel->params; i < kernel->params + kernel->param_count; i++)
		if (tables->param[i].kind == kind && !number--)
			return &tables->param[i];
	return NULL;
}
/* The row of that name in a table of `count` records of `size` bytes whose rows are sorted by ids, which they begin with, their names behind; PTOWSP_NONE: none has it. */
uint32_t pkg_row_named(const struct pkg_tables *tables, const void *rows, size_t size, uint32_t count, const char *name, size_t length);
#define PKG_NAMED(tables, table, name, length) pkg_row_named((tables), (tables)->table, sizeof(*(tables)->table), (tables)->table##_count, (name), (length))

#endif
