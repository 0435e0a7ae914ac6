/* SPDX-License-Identifier: MIT */
/* checkpoint.h - checkpoints of a run as a file: what TG_CHECKPOINT saved, so that another process goes on from there.
 *
 *	checkpoint_header   little-endian, as all numbers
 *	checkpoint_row      x rows: a tensor of a checkpoint
 *	names               names_size bytes, each ends with a 0
 *	content             data_size bytes: elements in C order, at the offsets of the rows
 *	digest              SHA-256 of all before it */
#ifndef TOOLS_CHECKPOINT_H
#define TOOLS_CHECKPOINT_H

#include <stddef.h>
#include <stdio.h>

#include "ptowsp/base.h"

#define CHECKPOINT_MAGIC 0x4B435450u /* the bytes read "PTCK" */
enum { CHECKPOINT_VERSION = 1, CHECKPOINT_DIGEST = 32 };

struct checkpoint_header {
	uint32_t magic, version;
	uint32_t rows, names_size;
	uint64_t data_size;
	uint8_t package[CHECKPOINT_DIGEST]; /* digest of the package that was run */
	uint32_t entry;                     /* in names */
	uint32_t reserved;                  /* 0 */
};
struct checkpoint_row {
	uint32_t checkpoint, tensor; /* in names: "C", and "C.X", the tensor of the package that holds it */
	uint16_t dtype;
	uint16_t reserved[3];      /* 0 */
	uint64_t elements, offset; /* in content */
};
PTOWSP_STATIC_ASSERT(sizeof(struct checkpoint_header) == 64 && sizeof(struct checkpoint_row) == 32, "layout of the file");

/* A file that was read, or bytes that were parsed. Rows and names of a parsed one point into the caller's bytes. */
struct checkpoint {
	struct checkpoint_header header;
	const uint8_t *rows; /* header.rows of them, at any alignment; checkpoint_row_at */
	const char *names;
	const uint8_t *data;
	void *bytes; /* owned by read, NULL after parse */
};
enum { CHECKPOINT_UNSEALED = 1 }; /* flags of parse: the digest may be anything */

/* Verifies all of it. name is for messages. Errors: INVALID (what is wrong). *out is zeroed then. */
ptowsp_status checkpoint_parse(struct checkpoint *out, const void *bytes, size_t size, unsigned flags, const char *name, struct ptowsp_error *error);
/* Errors: IO, INVALID, NO_MEMORY. */
ptowsp_status checkpoint_read(struct checkpoint *out, const char *path, struct ptowsp_error *error);
void checkpoint_finish(struct checkpoint *checkpoint); /* accepts a zeroed one */
struct checkpoint_row checkpoint_row_at(const struct checkpoint *checkpoint, uint32_t index);

/* A file in the making: rows first, then all of it at once. */
struct checkpoint_item {
	const char *checkpoint, *tensor;
	const void *data; /* borrowed until it is written */
	uint64_t elements;
	uint16_t dtype;
};
/* Errors: IO, NO_MEMORY. */
ptowsp_status checkpoint_write(FILE *file, const uint8_t package[CHECKPOINT_DIGEST], const char *entry, const struct checkpoint_item *items, uint32_t count,
			       struct ptowsp_error *error);

#endif
