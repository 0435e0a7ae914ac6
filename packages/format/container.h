/* SPDX-License-Identifier: MIT */
/* container.h - the file itself: frames, header, table of contents. The sections' meaning is not known here. */
#ifndef FORMAT_CONTAINER_H
#define FORMAT_CONTAINER_H

#include "format/fail.h"
#include "format/format_digest.h"

#define PKG_HEADER_FRAME       0x184D2A50u
#define PKG_SIGNATURE_FRAME    0x184D2A5Fu
#define PKG_MAGIC              "PTWSPKG\x1a" /* 8 bytes, without the NUL */
#define PKG_FORMAT_MAJOR       1
#define PKG_FORMAT_MINOR       0
#define PKG_FRAME_HEAD         8u /* frame magic and size: the header's bytes begin behind it */
#define PKG_CODEC_ZSTD         1u
#define PKG_WINDOW_LOG         23u
#define PKG_SECTION_REQUIRED   1u
#define PKG_PACKED_DIGEST_SIZE 16u

/* Limits that no option raises. */
#define PKG_HEADER_LIMIT    65536u
#define PKG_SIGNATURE_LIMIT 65536u
#define PKG_SECTION_LIMIT   64u
#define PKG_TARGET_LIMIT    32u
#define PKG_STRIDE_LIMIT    4096u
#define PKG_ROW_LIMIT       (1u << 26)
#define PKG_WORKSPACE_LIMIT (UINT64_C(1) << 37) /* bytes of scratch memory of a call: what backends can be asked for, each thread its own */
#define PKG_SIZE_LIMIT      (UINT64_C(1) << 30) /* default of struct pkg_limits */

/* The header and the rows are stored as they are here, little-endian. */
struct pkg_header {
	char magic[8];
	char abi[16]; /* wsp_runtime_abi, zeros behind it */
	uint16_t format_major, format_minor;
	uint32_t header_size; /* bytes from magic to the end of the header's frame */
	uint64_t total_size;  /* of the file, a signature frame at its end not counted */
	uint32_t flags;       /* 0 */
	uint32_t section_count;
	uint32_t toc_offset; /* from magic */
	uint32_t toc_stride;
	uint32_t target_count;
	uint32_t target_bytes;           /* their strings, NUL-terminated, behind the table of contents */
	uint8_t digest[PKG_DIGEST_SIZE]; /* of all header_size bytes, these 32 being zero */
};
struct pkg_toc_row {
	uint32_t type;
	uint32_t flags; /* PKG_SECTION_REQUIRED */
	uint32_t codec;
	uint32_t stride; /* bytes per record, 1 for bytes */
	uint64_t offset; /* of its frame in the file */
	uint64_t packed_size;
	uint64_t size; /* uncompressed = stride * count */
	uint64_t count;
	uint8_t digest[PKG_DIGEST_SIZE];               /* of the uncompressed bytes */
	uint8_t packed_digest[PKG_PACKED_DIGEST_SIZE]; /* the first bytes of the digest of the frame */
};
_Static_assert(sizeof(struct pkg_header) == 96 && sizeof(struct pkg_toc_row) == 96, "layout of the header");

/* A file whose header and table of contents hold. Views into bytes, which the caller keeps. */
struct pkg_container {
	const char *name; /* of the file, for messages; the caller's */
	const uint8_t *bytes;
	size_t size;
	struct pkg_header header;
	struct pkg_toc_row rows[PKG_SECTION_LIMIT];
	const char *targets[PKG_TARGET_LIMIT];
	size_t signature_size; /* bytes in the signature frame, 0 without one */
};

struct pkg_caps { /* effective limits, never 0 */
	uint64_t section_bytes, total_bytes;
	const char *raise; /* ends the sentence of a refusal: how to allow more, or "" */
};

/* Checks everything that can be said without decompressing: frames, ABI string, header digest, table of contents. */
ptowsp_status pkg_container_read(struct pkg_container *container, const void *bytes, size_t size, const char *name, const struct pkg_caps *caps,
				 struct ptowsp_error *error);

/* Compares the packed bytes of section `row` with their digest, so that no flipped bit passes, also one that zstd would not
 * look at. Errors: BAD_PACKAGE, NO_MEMORY. */
ptowsp_status pkg_container_check(const struct pkg_container *container, uint32_t row, struct ptowsp_error *error);

/* Checks section `row` and decompresses it into fresh memory (64-byte aligned, row size, *data_out for free()); compares
 * checksum and digest. Errors: BAD_PACKAGE, NO_MEMORY. */
ptowsp_status pkg_container_section(const struct pkg_container *container, uint32_t row, uint8_t **data_out, struct ptowsp_error *error);

/* The digest of the content, whatever packed it: SHA-256 over ABI string, targets, and of every section in increasing order of
 * types its type, stride, count, and digest (packages/FORMAT.md). Errors: NO_MEMORY. */
ptowsp_status pkg_container_identity(const struct pkg_container *container, uint8_t digest_out[PKG_DIGEST_SIZE], struct ptowsp_error *error);

#endif
