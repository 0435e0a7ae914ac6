/* SPDX-License-Identifier: MIT */
/* writer.h - builds a package in memory and seals it as one standard .zst file. */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H

#include "format/writer.h"
#include "ptowsp/package.h"

/* Grows sections row by row. A failed allocation is remembered and reported by the next pkg_writer_seal.
 * One thread at a time. */
struct pkg_writer;

struct pkg_writer *pkg_writer_create(void); /* NULL without memory */
void pkg_writer_destroy(struct pkg_writer *writer);

/* STRS offset of a string, interned; "" is 0. */
uint32_t pkg_writer_string(struct pkg_writer *writer, const char *text);
/* The string at an offset that pkg_writer_string gave; valid until the next string. */
const char *pkg_writer_text(const struct pkg_writer *writer, uint32_t offset);
/* How large section STRS is so far; strings that came since then are left out again, nothing refers to them. */
size_t pkg_writer_strings(const struct pkg_writer *writer);
void pkg_writer_strings_cut(struct pkg_writer *writer, size_t size);
/* Appends one record of section `type` (size bytes, the native record); returns its row. */
uint32_t pkg_writer_row(struct pkg_writer *writer, uint32_t type, const void *record, size_t size);
/* Appends bytes to a byte section at the given alignment; returns the offset. */
uint64_t pkg_writer_bytes(struct pkg_writer *writer, uint32_t type, const void *bytes, size_t size, size_t align);
/* A section gets other bytes, whatever was appended: records, or those of a byte section. Not STRS. */
void pkg_writer_replace(struct pkg_writer *writer, uint32_t type, const void *bytes, size_t size);
/* Rows so far, and a row to be changed in place (valid until the next append). */
uint32_t pkg_writer_count(const struct pkg_writer *writer, uint32_t type);
void *pkg_writer_at(struct pkg_writer *writer, uint32_t type, uint32_t row);
/* Leaves out all rows from `rows` on. */
void pkg_writer_cut(struct pkg_writer *writer, uint32_t type, uint32_t rows);
void pkg_writer_meta(struct pkg_writer *writer, const char *key, const char *value);
void pkg_writer_target(struct pkg_writer *writer, const char *target);

/* Packed with another level of zstd than all other files: what is sealed by the thousand, to be read at once. */
void pkg_writer_level(struct pkg_writer *writer, int level);

/* The finished file's bytes (malloc'd, caller frees). The result is opened and verified before it is handed out, so a
 * package that cannot be read is never written. Tables with ids must already be sorted by id. */
ptowsp_status pkg_writer_seal(struct pkg_writer *writer, void **bytes_out, size_t *size_out, struct ptowsp_error *error);

/* --- puts the rows of tables with ids into the order that a package demands. --- */

/* Sorts KREG, TENS, SLOT and ENTR by id and renumbers every reference to their rows: fields, expressions, WORK, DBGI.
 * References that are out of range are left for the verifier. Errors: NO_MEMORY. */
ptowsp_status pkg_writer_sort(struct pkg_writer *writer, struct ptowsp_error *error);

/* --- the EXPR table in the order of its use, so that it says nothing about how a writer came by its rows. --- */

/* Leaves out the expressions that nothing refers to and numbers the others by their first use: sections in the order of the schema,
 * operands before what is made of them. Every reference follows: fields, WORK, arguments and words of SCHD. Equal rows stay apart. A table with
 * references out of range is left alone, for the verifier. Errors: NO_MEMORY. */
ptowsp_status pkg_writer_normalise(struct pkg_writer *writer, struct ptowsp_error *error);

#endif
