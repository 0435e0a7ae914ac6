/* SPDX-License-Identifier: MIT */
/* container.c - header, table of contents, and that they cover the file without gaps; the identity of a package. */
#include "format/container.h"
#include "format/format_names.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

/* ---- one section: its zstd frame and its digests. ---- */

/* Frame header, RFC 8878 section 3.1.1.1: descriptor bits 0-1 dictionary id, 2 checksum, 3 reserved, 5 single segment; the
 * window byte is there unless the frame is a single segment, whose window is its content. Read by hand because the public
 * zstd API limits the window only when streaming. */
static ptowsp_status frame_check(const struct pkg_place *place, const uint8_t *frame, const struct pkg_toc_row *row, const char *type)
{
	unsigned long long at = row->offset, content, window;
	size_t packed = (size_t)row->packed_size, found;
	unsigned descriptor;

	PKG_MUST(place, packed >= 6 && !memcmp(frame, "\x28\xB5\x2F\xFD", 4), "section %s at offset %llu is not a zstd frame", type, at);
	descriptor = frame[4];
	PKG_MUST(place, !(descriptor & 3), "section %s at offset %llu needs a zstd dictionary", type, at);
	PKG_MUST(place, descriptor & 4, "section %s at offset %llu: its frame has no checksum", type, at);
	content = ZSTD_getFrameContentSize(frame, packed);
	PKG_MUST(place, content != ZSTD_CONTENTSIZE_ERROR, "section %s at offset %llu: its frame header is damaged" PKG_AGAIN, type, at);
	PKG_MUST(place, content != ZSTD_CONTENTSIZE_UNKNOWN, "section %s at offset %llu: its frame does not say its content size", type, at);
	PKG_MUST(place, content == row->size, "section %s at offset %llu: its frame holds %llu bytes, the table of contents says %llu", type, at, content,
		 (unsigned long long)row->size);
	window = descriptor & 0x20 ? content : (1ull << (10 + (frame[5] >> 3))) / 8 * (8 + (frame[5] & 7));
	PKG_MUST(place, window <= 1ull << PKG_WINDOW_LOG, "section %s at offset %llu: its window of %llu bytes is more than 2^%u", type, at, window,
		 PKG_WINDOW_LOG);
	found = ZSTD_findFrameCompressedSize(frame, packed);
	PKG_MUST(place, !ZSTD_isError(found), "section %s at offset %llu: its frame is cut off or damaged" PKG_AGAIN, type, at);
	PKG_MUST(place, found == packed, "section %s at offset %llu: its frame ends after %zu of %zu bytes" PKG_AGAIN, type, at, found, packed);
	return PTOWSP_OK;
}

static ptowsp_status frame_decode(const struct pkg_place *place, const uint8_t *frame, const struct pkg_toc_row *row, const char *type, uint8_t *data)
{
	size_t got = ZSTD_decompress(data, (size_t)row->size, frame, (size_t)row->packed_size);
	uint8_t digest[PKG_DIGEST_SIZE];

	PKG_MUST(place, !ZSTD_isError(got), "section %s at offset %llu cannot be decompressed: %s" PKG_AGAIN, type, (unsigned long long)row->offset,
		 ZSTD_getErrorName(got));
	PKG_MUST(place, got == row->size, "section %s at offset %llu holds %zu bytes, the table of contents says %llu", type, (unsigned long long)row->offset,
		 got, (unsigned long long)row->size);
	if (!pkg_digest_make(digest, data, got))
		return pkg_fail(place->error, PTOWSP_NO_MEMORY, "out of memory for SHA-256");
	PKG_MUST(place, !memcmp(digest, row->digest, sizeof(digest)), "section %s does not match its digest: the file is damaged" PKG_AGAIN, type);
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

/* ---- header, table of contents, and that they cover the file without gaps; the identity of a package. ---- */

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "packages are little-endian and read in place"
#endif

#define ZSTD_FRAME 0xFD2FB528u

struct reading {
	struct pkg_container *into;
	const struct pkg_caps *caps;
	struct pkg_place place;
};

static uint32_t u32_at(const uint8_t *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return value;
}

#define MUST(condition, ...) PKG_MUST(&r->place, condition, __VA_ARGS__)

/* The first bytes: is it a package at all, and of an ABI that this build knows? */
static ptowsp_status header_open(const struct reading *r)
{
	struct pkg_container *c = r->into;
	uint32_t frame;

	MUST(c->size > 0, "is empty, no package; make one with ptowsp-pack");
	frame = c->size >= sizeof(frame) ? u32_at(c->bytes) : 0;
	MUST(frame != ZSTD_FRAME, "is a zstd file but no package: it does not begin with a package header; make one with ptowsp-pack");
	MUST(frame == PKG_HEADER_FRAME, "is no package: it does not begin with the word 0x%08x; make one with ptowsp-pack", PKG_HEADER_FRAME);
	MUST(c->size >= PKG_FRAME_HEAD + sizeof(c->header), "is cut off: %zu bytes are fewer than a header's %zu" PKG_AGAIN, c->size,
	     PKG_FRAME_HEAD + sizeof(c->header));
	memcpy(&c->header, c->bytes + PKG_FRAME_HEAD, sizeof(c->header));
	MUST(!memcmp(c->header.magic, PKG_MAGIC, sizeof(c->header.magic)),
	     "is no package: the magic PTWSPKG is missing at offset %u; make one with ptowsp-pack", PKG_FRAME_HEAD);
	MUST(!strncmp(c->header.abi, PTOWSP_ABI_STRING, sizeof(c->header.abi)),
	     "wsp_runtime_abi at offset 16 is \"%.16s\", this build knows \"%s\"; pack it again or use a newer ptowsp", c->header.abi, PTOWSP_ABI_STRING);
	MUST(c->header.format_major == PKG_FORMAT_MAJOR, "format version at offset 32 is %u.%u, this build reads %u.x; pack it again or use a newer ptowsp",
	     c->header.format_major, c->header.format_minor, PKG_FORMAT_MAJOR);
	return PTOWSP_OK;
}

static ptowsp_status header_check_digest(const struct reading *r)
{
	const struct pkg_container *c = r->into;
	uint32_t frame_size = u32_at(c->bytes + 4);
	uint8_t digest[PKG_DIGEST_SIZE];

	MUST(c->header.header_size == frame_size, "header size at offset 36 is %u, its frame's is %u" PKG_AGAIN, (unsigned)c->header.header_size,
	     (unsigned)frame_size);
	MUST(frame_size <= PKG_HEADER_LIMIT, "header size at offset 36 is %u, the limit is %u" PKG_AGAIN, (unsigned)frame_size, PKG_HEADER_LIMIT);
	MUST(frame_size >= sizeof(c->header), "header size at offset 36 is %u, a header has at least %zu" PKG_AGAIN, (unsigned)frame_size, sizeof(c->header));
	MUST(frame_size <= c->size - PKG_FRAME_HEAD, "is cut off: the header ends at byte %u, the file at %zu" PKG_AGAIN,
	     (unsigned)(PKG_FRAME_HEAD + frame_size), c->size);
	if (!pkg_digest_make_around(digest, c->bytes + PKG_FRAME_HEAD, frame_size, offsetof(struct pkg_header, digest)))
		return pkg_fail(r->place.error, PTOWSP_NO_MEMORY, "out of memory for SHA-256");
	MUST(!memcmp(digest, c->header.digest, sizeof(digest)), "the header does not match its digest at offset 72: the file is damaged" PKG_AGAIN);
	return PTOWSP_OK;
}

static ptowsp_status header_check(const struct reading *r)
{
	const struct pkg_header *h = &r->into->header;
	uint64_t toc_end = (uint64_t)h->toc_offset + (uint64_t)h->section_count * h->toc_stride;

	MUST(h->flags == 0, "header flags at offset 48 are 0x%x; this build knows none", (unsigned)h->flags);
	for (size_t i = strlen(PTOWSP_ABI_STRING); i < sizeof(h->abi); i++)
		MUST(h->abi[i] == 0, "byte %zu behind wsp_runtime_abi is not zero", 16 + i);
	MUST(h->section_count <= PKG_SECTION_LIMIT, "section count at offset 52 is %u, the limit is %u", (unsigned)h->section_count, PKG_SECTION_LIMIT);
	MUST(h->target_count <= PKG_TARGET_LIMIT, "target count at offset 64 is %u, the limit is %u", (unsigned)h->target_count, PKG_TARGET_LIMIT);
	if (h->format_minor <= PKG_FORMAT_MINOR)
		MUST(h->toc_offset == sizeof(*h) && h->toc_stride == sizeof(struct pkg_toc_row),
		     "table of contents at offset 56 has offset %u and stride %u, format 1.0 has %zu and %zu", (unsigned)h->toc_offset, (unsigned)h->toc_stride,
		     sizeof(*h), sizeof(struct pkg_toc_row));
	MUST(h->toc_offset >= sizeof(*h) && h->toc_stride >= sizeof(struct pkg_toc_row),
	     "table of contents at offset 56 has offset %u and stride %u, the least are %zu and %zu", (unsigned)h->toc_offset, (unsigned)h->toc_stride,
	     sizeof(*h), sizeof(struct pkg_toc_row));
	MUST(toc_end + h->target_bytes <= h->header_size && h->header_size == ((toc_end + h->target_bytes + 7) & ~UINT64_C(7)),
	     "header size at offset 36 is %u, table of contents and targets end at %llu", (unsigned)h->header_size,
	     (unsigned long long)(toc_end + h->target_bytes));
	return PTOWSP_OK;
}

/* The target strings are exactly target_count, printable, and behind them are zeros up to the frame's end. */
static ptowsp_status targets_read(const struct reading *r)
{
	struct pkg_container *c = r->into;
	const struct pkg_header *h = &c->header;
	uint32_t from = h->toc_offset + h->section_count * h->toc_stride, end = from + h->target_bytes;
	const char *text = (const char *)c->bytes + PKG_FRAME_HEAD;

	for (uint32_t i = 0; i < h->target_count; i++) {
		uint32_t length = 0;

		while (from + length < end && text[from + length] > ' ' && text[from + length] < 0x7F)
			length++;
		MUST(length > 0 && from + length < end && !text[from + length], "target %u at offset %u is not a NUL-terminated printable word", (unsigned)i,
		     (unsigned)(PKG_FRAME_HEAD + from));
		c->targets[i] = text + from;
		from += length + 1;
	}
	MUST(from == end, "targets: %u bytes at offset %u belong to no target", (unsigned)(end - from), (unsigned)(PKG_FRAME_HEAD + from));
	for (; end < h->header_size; end++)
		MUST(!text[end], "padding byte at offset %u is not zero", (unsigned)(PKG_FRAME_HEAD + end));
	return PTOWSP_OK;
}

static ptowsp_status row_check_sizes(const struct reading *r, uint32_t i, const struct pkg_toc_row *row)
{
	struct pkg_type_text type = pkg_type_text(row->type);
	unsigned long long size = row->size, count = row->count;
	const struct pkg_caps *caps = r->caps;
	const char *name = type.text;

	MUST((row->flags & ~PKG_SECTION_REQUIRED) == 0, "section %u (%s): flags are 0x%x, only bit 0 is known", (unsigned)i, name, (unsigned)row->flags);
	MUST(row->codec == PKG_CODEC_ZSTD, "section %u (%s): codec is %u, this build knows 1 (zstd)", (unsigned)i, name, (unsigned)row->codec);
	MUST(row->stride >= 1 && row->stride <= PKG_STRIDE_LIMIT, "section %u (%s): stride is %u, allowed are 1 to %u", (unsigned)i, name,
	     (unsigned)row->stride, PKG_STRIDE_LIMIT);
	MUST(row->size <= caps->section_bytes, "section %u (%s): %llu bytes are more than the limit of %llu%s", (unsigned)i, name, size,
	     (unsigned long long)caps->section_bytes, caps->raise);
	MUST(row->size % row->stride == 0 && row->count == row->size / row->stride, "section %u (%s): %llu records of %u bytes are not %llu bytes", (unsigned)i,
	     name, count, (unsigned)row->stride, size);
	MUST(row->stride == 1 || row->count <= PKG_ROW_LIMIT, "section %u (%s): %llu records are more than the limit of %u", (unsigned)i, name, count,
	     PKG_ROW_LIMIT);
	return PTOWSP_OK;
}

/* Frames follow each other in the order of the rows, so offsets, gaps and overlaps are one comparison. */
static ptowsp_status row_check_place(const struct reading *r, uint32_t i, const struct pkg_toc_row *row, uint64_t *next)
{
	const struct pkg_container *c = r->into;
	struct pkg_type_text name = pkg_type_text(row->type);

	MUST(row->offset == *next, "section %u (%s): begins at %llu, the one before it ends at %llu", (unsigned)i, name.text, (unsigned long long)row->offset,
	     (unsigned long long)*next);
	MUST(row->packed_size > 0 && row->packed_size <= c->header.total_size - *next,
	     "section %u (%s): %llu packed bytes from %llu do not lie inside the file's %llu", (unsigned)i, name.text, (unsigned long long)row->packed_size,
	     (unsigned long long)*next, (unsigned long long)c->header.total_size);
	*next += row->packed_size;
	for (uint32_t other = 0; other < i; other++)
		MUST(c->rows[other].type != row->type, "section %u (%s): there is another one, section %u", (unsigned)i, name.text, (unsigned)other);
	return PTOWSP_OK;
}

static ptowsp_status toc_read(const struct reading *r)
{
	struct pkg_container *c = r->into;
	const uint8_t *toc = c->bytes + PKG_FRAME_HEAD + c->header.toc_offset;
	uint64_t next = PKG_FRAME_HEAD + (uint64_t)c->header.header_size, total = 0;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < c->header.section_count && !status; i++) {
		struct pkg_toc_row *row = &c->rows[i];

		memcpy(row, toc + (size_t)i * c->header.toc_stride, sizeof(*row));
		status = row_check_sizes(r, i, row);
		if (!status)
			status = row_check_place(r, i, row, &next);
		if (!status)
			MUST(row->size <= r->caps->total_bytes - total, "sections 0 to %u have more bytes than the limit of %llu%s", (unsigned)i,
			     (unsigned long long)r->caps->total_bytes, r->caps->raise);
		total += row->size;
	}
	if (!status)
		MUST(next == c->header.total_size, "%llu bytes at offset %llu belong to no section", (unsigned long long)(c->header.total_size - next),
		     (unsigned long long)next);
	return status;
}

/* Behind total_size there is nothing, or one signature frame. */
static ptowsp_status end_check(const struct reading *r)
{
	struct pkg_container *c = r->into;
	uint64_t total = c->header.total_size;
	size_t rest;

	MUST(total >= PKG_FRAME_HEAD + (uint64_t)c->header.header_size, "total size at offset 40 is %llu, the header alone has %u", (unsigned long long)total,
	     (unsigned)(PKG_FRAME_HEAD + c->header.header_size));
	MUST(total <= c->size, "is cut off: the header says %llu bytes, the file has %zu" PKG_AGAIN, (unsigned long long)total, c->size);
	rest = c->size - (size_t)total;
	if (!rest)
		return PTOWSP_OK;
	MUST(rest >= PKG_FRAME_HEAD && u32_at(c->bytes + total) == PKG_SIGNATURE_FRAME, "%zu trailing bytes at offset %llu" PKG_AGAIN, rest,
	     (unsigned long long)total);
	c->signature_size = u32_at(c->bytes + total + 4);
	MUST(c->signature_size <= PKG_SIGNATURE_LIMIT, "the signature at offset %llu has %zu bytes, the limit is %u", (unsigned long long)total,
	     c->signature_size, PKG_SIGNATURE_LIMIT);
	MUST(c->signature_size == rest - PKG_FRAME_HEAD, "the signature at offset %llu has %zu bytes, the file holds %zu of them", (unsigned long long)total,
	     c->signature_size, rest - PKG_FRAME_HEAD);
	return PTOWSP_OK;
}

ptowsp_status pkg_container_read(struct pkg_container *container, const void *bytes, size_t size, const char *name, const struct pkg_caps *caps,
				 struct ptowsp_error *error)
{
	static ptowsp_status (*const steps[])(const struct reading *) = {header_open, header_check_digest, header_check, targets_read, end_check, toc_read};
	struct reading r = {container, caps, {name, error}};
	ptowsp_status status = PTOWSP_OK;

	memset(container, 0, sizeof(*container));
	container->name = name;
	container->bytes = bytes;
	container->size = size;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !status; i++)
		status = steps[i](&r);
	return status;
}

/* the digest that stands for what a package says. Packed sizes, places and flags of zstd are not in it, so another
 * version of libzstd gives the same one. */

/* One section, as it is digested. */
struct content {
	uint32_t type, stride;
	uint64_t count;
	uint8_t digest[PKG_DIGEST_SIZE];
};
_Static_assert(sizeof(struct content) == 48, "digested without padding");

static int by_type(const void *a, const void *b)
{
	uint32_t x = ((const struct content *)a)->type, y = ((const struct content *)b)->type;

	return x < y ? -1 : x > y;
}

static size_t append(uint8_t *to, size_t at, const void *bytes, size_t size)
{
	memcpy(to + at, bytes, size);
	return at + size;
}

ptowsp_status pkg_container_identity(const struct pkg_container *container, uint8_t digest_out[PKG_DIGEST_SIZE], struct ptowsp_error *error)
{
	const struct pkg_header *h = &container->header;
	struct content contents[PKG_SECTION_LIMIT];
	uint8_t *text = malloc(sizeof(h->abi) + h->target_bytes + 2 * sizeof(uint32_t) + sizeof(contents));
	size_t size = 0;
	int made;

	memset(digest_out, 0, PKG_DIGEST_SIZE);
	if (!text)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "%s: out of memory", container->name);
	for (uint32_t i = 0; i < h->section_count; i++) {
		const struct pkg_toc_row *row = &container->rows[i];

		contents[i] = (struct content){.type = row->type, .stride = row->stride, .count = row->count};
		memcpy(contents[i].digest, row->digest, sizeof(row->digest));
	}
	qsort(contents, h->section_count, sizeof(*contents), by_type);
	size = append(text, size, h->abi, sizeof(h->abi));
	size = append(text, size, &h->target_count, sizeof(h->target_count));
	for (uint32_t i = 0; i < h->target_count; i++)
		size = append(text, size, container->targets[i], strlen(container->targets[i]) + 1);
	size = append(text, size, &h->section_count, sizeof(h->section_count));
	size = append(text, size, contents, h->section_count * sizeof(*contents));
	made = pkg_digest_make(digest_out, text, size);
	free(text);
	return made ? PTOWSP_OK : pkg_fail(error, PTOWSP_NO_MEMORY, "%s: out of memory for SHA-256", container->name);
}
