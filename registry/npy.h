/* SPDX-License-Identifier: MIT */
/* npy.h - NumPy's .npy files, versions 1 to 3: C order, little-endian, the types of dtype.def. */
#ifndef REGISTRY_NPY_H
#define REGISTRY_NPY_H

#include "ptowsp/base.h"

enum { NPY_RANK = 4 };

/* A file that was read or a header that was parsed. data points into the mapping (open) or the caller's bytes (parse). */
struct npy {
	uint16_t dtype; /* the first type of dtype.def with that descr: bf16 files look like u16, but for those with "|V2" */
	uint16_t rank;  /* 0 to 4 */
	uint64_t extents[NPY_RANK];
	uint64_t elements;
	const void *data; /* elements of it, C order; any alignment */
	void *map;        /* owned by open, NULL after parse */
	size_t map_size;
};

/* The whole file must be header and data, nothing behind. name is for messages. Errors: INVALID (what is wrong). */
ptowsp_status npy_parse(struct npy *npy_out, const void *bytes, size_t size, const char *name, struct ptowsp_error *error);
/* Maps a file read-only. Errors: IO, INVALID. */
ptowsp_status npy_open(struct npy *npy_out, const char *path, struct ptowsp_error *error);
/* The elements of an opened file as memory that may be written, which does not change the file and reads of it what is touched; it lasts until npy_close. NULL: they do not lie at a multiple of 64 bytes, or the
 * machine gives none. */
void *npy_lend(const struct npy *npy);
void npy_close(struct npy *npy);

/* Header of version 1.0, padded to 64 bytes; returns its length, at most NPY_HEADER. */
enum { NPY_HEADER = 256 };
size_t npy_header(char header[NPY_HEADER], uint16_t dtype, uint32_t rank, const uint64_t *extents);

#endif
