/* SPDX-License-Identifier: MIT */
/* frame.c - one section: its zstd frame and its digests. */
#include "format/container.h"
#include "format/format_names.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define MUST(condition, ...) PKG_MUST(place, condition, __VA_ARGS__)

/* Frame header, RFC 8878 section 3.1.1.1: descriptor bits 0-1 dictionary id, 2 checksum, 3 reserved, 5 single segment; the
 * window byte is there unless the frame is a single segment, whose window is its content. Read by hand because the public
 * zstd API limits the window only when streaming. */
static ptowsp_status frame_check(const struct pkg_place *place, const uint8_t *frame, const struct pkg_toc_row *row, const char *type)
{
	unsigned long long at = row->offset, content, window;
	size_t packed = (size_t)row->packed_size, found;
	unsigned descriptor;

	MUST(packed >= 6 && !memcmp(frame, "\x28\xB5\x2F\xFD", 4), "section %s at offset %llu is not a zstd frame", type, at);
	descriptor = frame[4];
	MUST(!(descriptor & 3), "section %s at offset %llu needs a zstd dictionary", type, at);
	MUST(descriptor & 4, "section %s at offset %llu: its frame has no checksum", type, at);
	content = ZSTD_getFrameContentSize(frame, packed);
	MUST(content != ZSTD_CONTENTSIZE_ERROR, "section %s at offset %llu: its frame header is damaged" PKG_AGAIN, type, at);
	MUST(content != ZSTD_CONTENTSIZE_UNKNOWN, "section %s at offset %llu: its frame does not say its content size", type, at);
	MUST(content == row->size, "section %s at offset %llu: its frame holds %llu bytes, the table of contents says %llu", type, at, content,
	     (unsigned long long)row->size);
	window = descriptor & 0x20 ? content : (1ull << (10 + (frame[5] >> 3))) / 8 * (8 + (frame[5] & 7));
	MUST(window <= 1ull << PKG_WINDOW_LOG, "section %s at offset %llu: its window of %llu bytes is more than 2^%u", type, at, window, PKG_WINDOW_LOG);
	found = ZSTD_findFrameCompressedSize(frame, packed);
	MUST(!ZSTD_isError(found), "section %s at offset %llu: its frame is cut off or damaged" PKG_AGAIN, type, at);
	MUST(found == packed, "section %s at offset %llu: its frame ends after %zu of %zu bytes" PKG_AGAIN, type, at, found, packed);
	return PTOWSP_OK;
}

static ptowsp_status frame_decode(const struct pkg_place *place, const uint8_t *frame, const struct pkg_toc_row *row, const char *type, uint8_t *data)
{
	size_t got = ZSTD_decompress(data, (size_t)row->size, frame, (size_t)row->packed_size);
	uint8_t digest[PKG_DIGEST_SIZE];

	MUST(!ZSTD_isError(got), "section %s at offset %llu cannot be decompressed: %s" PKG_AGAIN, type, (unsigned long long)row->offset,
	     ZSTD_getErrorName(got));
	MUST(got == row->size, "section %s at offset %llu holds %zu bytes, the table of contents says %llu", type, (unsigned long long)row->offset, got,
	     (unsigned long long)row->size);
	if (!pkg_digest_make(digest, data, got))
		return pkg_fail(place->error, PTOWSP_NO_MEMORY, "out of memory for SHA-256");
	MUST(!memcmp(digest, row->digest, sizeof(digest)), "section %s does not match its digest: the file is damaged" PKG_AGAIN, type);
	return PTOWSP_OK;
}

ptowsp_status pkg_container_check(const struct pkg_container *container, uint32_t index, struct ptowsp_error *error)
{
	const struct pkg_toc_row *row = &container->rows[index];
	const struct pkg_place place = {container->name, error};
	uint8_t digest[PKG_DIGEST_SIZE];

	if (!pkg_digest_make(digest, container->bytes + row->offset, (size_t)row->packed_size))
		return pkg_fail(error, PTOWSP_NO_MEMORY, "out of memory for SHA-256");
	if (memcmp(digest, row->packed_digest, sizeof(row->packed_digest)))
		return pkg_refuse(&place, "section %s at offset %llu: its packed bytes do not match their digest: the file is damaged" PKG_AGAIN,
				  pkg_type_text(row->type).text, (unsigned long long)row->offset);
	return PTOWSP_OK;
}

ptowsp_status pkg_container_section(const struct pkg_container *container, uint32_t index, uint8_t **data_out, struct ptowsp_error *error)
{
	const struct pkg_toc_row *row = &container->rows[index];
	const struct pkg_place place = {container->name, error};
	struct pkg_type_text type = pkg_type_text(row->type);
	const uint8_t *frame = container->bytes + row->offset;
	uint8_t *data = NULL;
	ptowsp_status status;

	*data_out = NULL;
	status = pkg_container_check(container, index, error);
	if (!status)
		status = frame_check(&place, frame, row, type.text);
	if (status)
		return status;
	data = aligned_alloc(64, ((size_t)row->size + 127) & ~(size_t)63); /* never 0 bytes */
	if (!data)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "%s: out of memory for the %llu bytes of section %s", container->name, (unsigned long long)row->size,
				type.text);
	status = frame_decode(&place, frame, row, type.text, data);
	if (status)
		free(data);
	else
		*data_out = data;
	return status;
}
