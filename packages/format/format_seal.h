/* SPDX-License-Identifier: MIT */
/* format_seal.h - a package as a plain image that can be changed and sealed again: sections uncompressed, digests left out.
 * The writer makes its files this way; tests change a good package with it and reach every check behind the digests. */
#ifndef FORMAT_SEAL_H
#define FORMAT_SEAL_H

#include "ptowsp/base.h"

#define PKG_IMAGE_SECTIONS 64u
#define PKG_IMAGE_TARGETS  32u

struct pkg_image_section {
	uint32_t type;
	uint32_t flags;  /* 1: required */
	uint32_t stride; /* 1 for bytes */
	uint64_t count;  /* records; not derived, so that a wrong one can be sealed */
	uint8_t *data;   /* malloc'd, size bytes, owned by the image */
	size_t size;
};

struct pkg_image {
	char abi[16]; /* wsp_runtime_abi */
	uint16_t format_major, format_minor;
	uint32_t header_flags;
	int level; /* of zstd; 0: that of every file, so that the same content is the same file */
	uint32_t target_count;
	char *targets[PKG_IMAGE_TARGETS]; /* malloc'd, owned */
	uint32_t section_count;
	struct pkg_image_section sections[PKG_IMAGE_SECTIONS];
};

/* An empty image of this ABI and format. */
void pkg_image_init(struct pkg_image *image);
void pkg_image_finish(struct pkg_image *image);

/* Reads a package's container and decodes every section; tables are not verified. *image is initialised in any case and must
 * be finished. Errors: as pkg_open_memory. */
ptowsp_status pkg_image_read(struct pkg_image *image, const void *bytes, size_t size, const char *name, struct ptowsp_error *error);
/* NULL if there is none. */
struct pkg_image_section *pkg_image_find(struct pkg_image *image, uint32_t type);

/* The whole file (malloc'd): one zstd frame per section in the order given, table of contents, digests, header digest.
 * The image is taken as it is, right or wrong. Errors: NO_MEMORY, BAD_PACKAGE where zstd refuses. */
ptowsp_status pkg_image_seal(const struct pkg_image *image, void **bytes_out, size_t *size_out, struct ptowsp_error *error);

/* Computes the header's own digest again, in place, after a header or table of contents was changed by hand. Does nothing to
 * bytes that are too short for what their header says. */
void pkg_header_seal(void *bytes, size_t size);
/* The same after frames were changed too: the digests of the packed bytes first, where the frames lie inside. */
void pkg_frames_seal(void *bytes, size_t size);

#endif
