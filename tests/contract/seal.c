/* SPDX-License-Identifier: MIT
 * seal.c - packages apart and together again. */
#include "seal.h"
#include "../check.h"

#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum {
	ABI_AT = 8,
	FORMAT_AT = 24,
	SIZE_AT = 28,
	TOTAL_AT = 32,
	FLAGS_AT = 40,
	COUNT_AT = 44,
	TOC_AT = 48,
	STRIDE_AT = 52,
	TARGETS_AT = 56,
	TARGET_BYTES_AT = 60,
	DIGEST_AT = 64,
	HEADER = 96,
	ROW = 96,
	FRAME_HEAD = 8
};
_Static_assert(sizeof(struct seal_row) == ROW, "layout");

static uint32_t get32(const uint8_t *at)
{
	uint32_t value;

	memcpy(&value, at, 4);
	return value;
}

static void put32(uint8_t *at, uint32_t value)
{
	memcpy(at, &value, 4);
}

static int section_read(struct seal_section *s, const uint8_t *row, const uint8_t *file, size_t size)
{
	memcpy(&s->row, row, sizeof(s->row));
	if (s->row.offset > size || s->row.packed_size > size - s->row.offset)
		return -1;
	s->size = s->row.size;
	s->data = calloc(1, s->size + 64);
	if (!s->data)
		return -1;
	return ZSTD_decompress(s->data, s->size, file + s->row.offset, s->row.packed_size) == s->size ? 0 : -1;
}

int seal_read(struct seal *seal, const char *path)
{
	size_t size = 0;
	uint8_t *file = (uint8_t *)check_read(path, &size), *head = file + FRAME_HEAD;
	int bad = !file || size < FRAME_HEAD + HEADER || get32(file) != 0x184D2A50u;

	memset(seal, 0, sizeof(*seal));
	if (!bad) {
		uint32_t toc = get32(head + TOC_AT), stride = get32(head + STRIDE_AT);

		memcpy(seal->header, head, HEADER);
		seal->count = get32(head + COUNT_AT);
		bad = seal->count > 64 || stride != ROW;
		for (unsigned i = 0; !bad && i < seal->count; i++)
			bad = section_read(&seal->sections[i], head + toc + i * stride, file, size);
		seal->target_bytes = get32(head + TARGET_BYTES_AT);
		seal->targets = calloc(1, seal->target_bytes + 1);
		if (!bad && seal->targets)
			memcpy(seal->targets, head + toc + seal->count * stride, seal->target_bytes);
	}
	free(file);
	CHECK(!bad);
	return bad ? -1 : 0;
}

static size_t section_pack(const struct seal *seal, const struct seal_section *s, uint8_t *out, size_t room)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_inBuffer in = {s->data, s->size, 0};
	ZSTD_outBuffer to = {out, room, 0};

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, !seal->no_checksum);
	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, seal->level);
	if (!seal->no_content_size)
		ZSTD_CCtx_setPledgedSrcSize(context, s->size);
	else
		ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
	while (ZSTD_compressStream2(context, &to, &in, ZSTD_e_end) > 0 && to.pos < to.size)
		;
	ZSTD_freeCCtx(context);
	return to.pos;
}

static void header_seal(struct seal *seal, uint8_t *file, uint32_t header_size)
{
	uint8_t *head = file + FRAME_HEAD;

	if (seal->keep_header_digest)
		return;
	memset(head + DIGEST_AT, 0, 32);
	SHA256(head, header_size, head + DIGEST_AT);
}

static void packed_digest(const struct seal *seal, struct seal_row *row, const uint8_t *frame)
{
	uint8_t digest[32];

	SHA256(frame, row->packed_size, digest);
	memcpy(row->packed_digest, digest, sizeof(row->packed_digest));
	if (seal->packed_digest_wrong && !memcmp(&row->type, seal->packed_digest_wrong, 4))
		row->packed_digest[3] ^= 16;
}

int seal_write(struct seal *seal, const char *path)
{
	uint32_t header_size = HEADER + seal->count * ROW
	+seal->target_bytes;
	size_t room = header_size + 4096, at;
	uint8_t *file;
	bool ok;

	header_size = (header_size + 7) & ~7u;
	for (unsigned i = 0; i < seal->count; i++)
		room += ZSTD_compressBound(seal->sections[i].size) + 64;
	file = calloc(1, room);
	if (!file)
		return -1;
	at = FRAME_HEAD + header_size;
	for (unsigned i = 0; i < seal->count; i++) {
		struct seal_section *s = &seal->sections[i];
		size_t packed = section_pack(seal, s, file + at, room - at);

		s->row.offset = at;
		s->row.packed_size = packed;
		if (!seal->keep_sizes) {
			s->row.size = s->size;
			s->row.count = s->row.stride ? s->size / s->row.stride : s->size;
		}
		if (!seal->keep_digests)
			SHA256(s->data, s->size, s->row.digest);
		packed_digest(seal, &s->row, file + at);
		memcpy(file + FRAME_HEAD + HEADER + i * ROW, &s->row, ROW);
		at += packed;
	}
	put32(seal->header + COUNT_AT, seal->count);
	put32(seal->header + TOC_AT, HEADER);
	put32(seal->header + SIZE_AT, header_size);
	if (!seal->keep_total)
		memcpy(seal->header + TOTAL_AT, &(uint64_t){at}, 8);
	put32(file, 0x184D2A50u);
	put32(file + 4, header_size);
	memcpy(file + FRAME_HEAD, seal->header, HEADER);
	memcpy(file + FRAME_HEAD + HEADER + seal->count * ROW, seal->targets, seal->target_bytes);
	header_seal(seal, file, header_size);
	ok = check_write(path, file, at);
	free(file);
	CHECK(ok);
	return ok ? 0 : -1;
}

void seal_finish(struct seal *seal)
{
	for (unsigned i = 0; i < 64; i++)
		free(seal->sections[i].data);
	free(seal->targets);
	memset(seal, 0, sizeof(*seal));
}

struct seal_section *seal_find(struct seal *seal, const char *type)
{
	for (unsigned i = 0; i < seal->count; i++)
		if (!memcmp(&seal->sections[i].row.type, type, 4))
			return &seal->sections[i];
	return NULL;
}

static int by_type(const void *a, const void *b)
{
	uint32_t x = (*(const struct seal_section *const *)a)->row.type, y = (*(const struct seal_section *const *)b)->row.type;

	return x < y ? -1 : x > y;
}

void seal_identity(const struct seal *seal, uint8_t digest_out[32])
{
	const struct seal_section *sorted[64];
	uint8_t *text = calloc(1, 24 + seal->target_bytes + sizeof(sorted) / sizeof(*sorted) * 48), *at = text;

	REQUIRE(text != NULL);
	for (unsigned i = 0; i < seal->count; i++)
		sorted[i] = &seal->sections[i];
	qsort(sorted, seal->count, sizeof(*sorted), by_type);
	memcpy(at, seal->header + ABI_AT, 16);
	memcpy(at += 16, seal->header + TARGETS_AT, 4);
	memcpy(at += 4, seal->targets, seal->target_bytes);
	put32(at += seal->target_bytes, seal->count);
	at += 4;
	for (unsigned i = 0; i < seal->count; i++, at += 48) {
		const struct seal_row *row = &sorted[i]->row;

		put32(at, row->type);
		put32(at + 4, row->stride);
		memcpy(at + 8, &row->count, 8);
		memcpy(at + 16, row->digest, 32);
	}
	SHA256(text, (size_t)(at - text), digest_out);
	free(text);
}
