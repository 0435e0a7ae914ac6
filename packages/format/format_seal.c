/* SPDX-License-Identifier: MIT */
/* format_seal.c - image to file and back. */
#include "format/format_seal.h"

#include "format/container.h"
#include "registry/common/common_grow.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* One level for all, so that the same zstd gives the same file. */
#define LEVEL 12

_Static_assert(PKG_IMAGE_SECTIONS == PKG_SECTION_LIMIT && PKG_IMAGE_TARGETS == PKG_TARGET_LIMIT, "limits of the container");

void pkg_image_init(struct pkg_image *image)
{
	memset(image, 0, sizeof(*image));
	memcpy(image->abi, PTOWSP_ABI_STRING, sizeof(PTOWSP_ABI_STRING));
	image->format_major = PKG_FORMAT_MAJOR;
	image->format_minor = PKG_FORMAT_MINOR;
}

void pkg_image_finish(struct pkg_image *image)
{
	for (uint32_t i = 0; i < image->target_count; i++)
		free(image->targets[i]);
	for (uint32_t i = 0; i < image->section_count; i++)
		free(image->sections[i].data);
	memset(image, 0, sizeof(*image));
}

struct pkg_image_section *pkg_image_find(struct pkg_image *image, uint32_t type)
{
	for (uint32_t i = 0; i < image->section_count; i++)
		if (image->sections[i].type == type)
			return &image->sections[i];
	return NULL;
}

static ptowsp_status image_take(struct pkg_image *image, const struct pkg_container *c, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	memcpy(image->abi, c->header.abi, sizeof(image->abi));
	image->format_minor = c->header.format_minor;
	for (uint32_t i = 0; i < c->header.target_count && !status; i++) {
		image->targets[image->target_count++] = strdup(c->targets[i]);
		if (!image->targets[i])
			status = pkg_fail(error, PTOWSP_NO_MEMORY, "%s: out of memory", c->name);
	}
	for (uint32_t i = 0; i < c->header.section_count && !status; i++) {
		const struct pkg_toc_row *row = &c->rows[i];
		struct pkg_image_section *s = &image->sections[image->section_count++];

		*s = (struct pkg_image_section){row->type, row->flags, row->stride, row->count, NULL, (size_t)row->size};
		status = pkg_container_section(c, i, &s->data, error);
	}
	return status;
}

ptowsp_status pkg_image_read(struct pkg_image *image, const void *bytes, size_t size, const char *name, struct ptowsp_error *error)
{
	const struct pkg_caps caps = {PKG_SIZE_LIMIT, PKG_SIZE_LIMIT, ""};
	struct pkg_container *c = malloc(sizeof(*c));
	ptowsp_status status;

	pkg_image_init(image);
	if (!c)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "%s: out of memory", name);
	status = pkg_container_read(c, bytes, size, name, &caps, error);
	if (!status)
		status = image_take(image, c, error);
	free(c);
	return status;
}

/* The file while it is being made. */
struct sealing {
	uint8_t *bytes;
	size_t size, room;
	struct pkg_header header;
	struct pkg_toc_row rows[PKG_SECTION_LIMIT];
	ZSTD_CCtx *zstd;
	struct ptowsp_error *error;
};

static ptowsp_status out_of_memory(const struct sealing *s)
{
	return pkg_fail(s->error, PTOWSP_NO_MEMORY, "out of memory for the package");
}

/* Makes room for `more` bytes behind what is there. */
static ptowsp_status file_grow(struct sealing *s, size_t more)
{
	return COMMON_RESERVE(s->bytes, s->room, s->size + more) ? PTOWSP_OK : out_of_memory(s);
}

static size_t header_bytes(const struct pkg_image *image, size_t *target_bytes_out)
{
	size_t size = sizeof(struct pkg_header) + image->section_count * sizeof(struct pkg_toc_row);

	*target_bytes_out = 0;
	for (uint32_t i = 0; i < image->target_count; i++)
		*target_bytes_out += strlen(image->targets[i]) + 1;
	return (size + *target_bytes_out + 7) & ~(size_t)7;
}

/* Room for the header's frame, zeroed; it is filled when everything behind it is known. */
static ptowsp_status header_begin(struct sealing *s, const struct pkg_image *image)
{
	size_t target_bytes, size = header_bytes(image, &target_bytes);
	ptowsp_status status = file_grow(s, PKG_FRAME_HEAD + size);

	if (status)
		return status;
	memset(s->bytes, 0, PKG_FRAME_HEAD + size);
	s->size = PKG_FRAME_HEAD + size;
	memcpy(s->header.magic, PKG_MAGIC, sizeof(s->header.magic));
	memcpy(s->header.abi, image->abi, sizeof(s->header.abi));
	s->header.format_major = image->format_major;
	s->header.format_minor = image->format_minor;
	s->header.header_size = (uint32_t)size;
	s->header.flags = image->header_flags;
	s->header.section_count = image->section_count;
	s->header.toc_offset = sizeof(struct pkg_header);
	s->header.toc_stride = sizeof(struct pkg_toc_row);
	s->header.target_count = image->target_count;
	s->header.target_bytes = (uint32_t)target_bytes;
	return PTOWSP_OK;
}

/* window: no larger than a reader accepts; level and one thread: the same bytes each time. */
static ptowsp_status zstd_begin(struct sealing *s, int level)
{
	s->zstd = ZSTD_createCCtx();
	if (!s->zstd)
		return out_of_memory(s);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, level ? level : LEVEL);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_contentSizeFlag, 1);
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_windowLog, 0);
	return PTOWSP_OK;
}

/* 1, or 0 without memory. */
static int frame_seal(struct pkg_toc_row *row, const void *frame)
{
	uint8_t digest[PKG_DIGEST_SIZE];
	int made = pkg_digest_make(digest, frame, (size_t)row->packed_size);

	memcpy(row->packed_digest, digest, sizeof(row->packed_digest));
	return made;
}

static ptowsp_status section_append(struct sealing *s, uint32_t i, const struct pkg_image_section *section)
{
	struct pkg_toc_row *row = &s->rows[i];
	size_t packed = ZSTD_compressBound(section->size);
	ptowsp_status status = file_grow(s, packed);

	if (status)
		return status;
	/* Only large sections need the limit; small ones keep the smaller window that fits them. */
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_windowLog, section->size > (size_t)1 << PKG_WINDOW_LOG ? (int)PKG_WINDOW_LOG : 0);
	packed = ZSTD_compress2(s->zstd, s->bytes + s->size, s->room - s->size, section->data, section->size);
	if (ZSTD_isError(packed))
		return pkg_fail(s->error, PTOWSP_NO_MEMORY, "zstd cannot pack a section: %s", ZSTD_getErrorName(packed));
	*row = (struct pkg_toc_row){section->type, section->flags, PKG_CODEC_ZSTD, section->stride, s->size, packed, section->size, section->count, {0}, {0}};
	s->size += packed;
	return frame_seal(row, s->bytes + row->offset) && pkg_digest_make(row->digest, section->data, section->size) ? PTOWSP_OK : out_of_memory(s);
}

static ptowsp_status header_finish(struct sealing *s, const struct pkg_image *image)
{
	const uint32_t frame[2] = {PKG_HEADER_FRAME, s->header.header_size};
	uint8_t *at = s->bytes + PKG_FRAME_HEAD;
	char *targets = (char *)at + sizeof(s->header) + image->section_count * sizeof(s->rows[0]);

	s->header.total_size = s->size;
	memcpy(s->bytes, frame, sizeof(frame));
	memcpy(at + sizeof(s->header), s->rows, image->section_count * sizeof(s->rows[0]));
	for (uint32_t i = 0; i < image->target_count; i++) {
		size_t length = strlen(image->targets[i]) + 1;

		memcpy(targets, image->targets[i], length);
		targets += length;
	}
	memcpy(at, &s->header, sizeof(s->header));
	if (!pkg_digest_make_around(s->header.digest, at, s->header.header_size, offsetof(struct pkg_header, digest)))
		return out_of_memory(s);
	memcpy(at, &s->header, sizeof(s->header));
	return PTOWSP_OK;
}

ptowsp_status pkg_image_seal(const struct pkg_image *image, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	struct sealing *s = calloc(1, sizeof(*s));
	ptowsp_status status;

	*bytes_out = NULL;
	*size_out = 0;
	if (!s)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "out of memory for the package");
	s->error = error;
	status = header_begin(s, image);
	if (!status)
		status = zstd_begin(s, image->level);
	for (uint32_t i = 0; i < image->section_count && !status; i++)
		status = section_append(s, i, &image->sections[i]);
	if (!status)
		status = header_finish(s, image);
	if (status) {
		free(s->bytes);
	} else {
		*bytes_out = s->bytes;
		*size_out = s->size;
	}
	ZSTD_freeCCtx(s->zstd);
	free(s);
	return status;
}

void pkg_header_seal(void *bytes, size_t size)
{
	uint8_t *at = (uint8_t *)bytes + PKG_FRAME_HEAD, digest[PKG_DIGEST_SIZE];
	uint32_t header_size;

	if (size < PKG_FRAME_HEAD + sizeof(struct pkg_header))
		return;
	memcpy(&header_size, at + offsetof(struct pkg_header, header_size), sizeof(header_size));
	if (header_size < sizeof(struct pkg_header) || header_size > size - PKG_FRAME_HEAD)
		return;
	if (pkg_digest_make_around(digest, at, header_size, offsetof(struct pkg_header, digest)))
		memcpy(at + offsetof(struct pkg_header, digest), digest, sizeof(digest));
}

void pkg_frames_seal(void *bytes, size_t size)
{
	uint8_t *at = (uint8_t *)bytes + PKG_FRAME_HEAD;
	struct pkg_header header;
	struct pkg_toc_row row;

	if (size < PKG_FRAME_HEAD + sizeof(header))
		return;
	memcpy(&header, at, sizeof(header));
	for (uint64_t i = 0; i < header.section_count && i < PKG_SECTION_LIMIT; i++) {
		uint64_t place = header.toc_offset + i * header.toc_stride;

		if (place > size - PKG_FRAME_HEAD || size - PKG_FRAME_HEAD - place < sizeof(row))
			break;
		memcpy(&row, at + place, sizeof(row));
		if (row.offset > size || row.packed_size > size - row.offset || !frame_seal(&row, (uint8_t *)bytes + row.offset))
			continue;
		memcpy(at + place, &row, sizeof(row));
	}
	pkg_header_seal(bytes, size);
}
