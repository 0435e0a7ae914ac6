/* SPDX-License-Identifier: MIT */
/* blobs.c - blobs as the bytes of a file, and back. */
#include "host/run/blobs.h"

#include <stdlib.h>
#include <string.h>

#include "registry/common/common_grow.h"

enum { ALIGNMENT = 64, BLOBS_MOST = 4096 };
#define BLOB_MOST  (UINT64_C(1) << 27)
#define BYTES_MOST (UINT64_C(1) << 30)
static const char magic[8] = {'p', 't', 'o', 'w', 's', 'p', 'b', '1'};

/* Offsets count from the file's begin. */
struct host_blob_row {
	char name[HOST_BLOBS_NAME + 1], zeros[7];
	uint64_t offset, size;
};
struct header {
	char magic[8];
	uint8_t key[PKG_DIGEST_SIZE];
	uint64_t count;
	uint64_t zeros[2];
};
_Static_assert(sizeof(struct header) == ALIGNMENT && sizeof(struct host_blob_row) == 88, "the same on every machine");

static size_t aligned(size_t size)
{
	return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static bool name_is_good(const char *name)
{
	const size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._-");

	return length && length <= HOST_BLOBS_NAME && !name[length];
}

static const char *breach_of(const struct host_blob_file *f, const char *name, uint64_t size)
{
	if (!name_is_good(name))
		return "a name is not of 1 to 64 of [a-z0-9._-]";
	for (uint32_t i = 0; i < f->count; i++)
		if (!strcmp(f->rows[i].name, name))
			return "a name came twice";
	return f->count == BLOBS_MOST         ? "there are more than 4,096"
	       : size > BLOB_MOST             ? "one has more than 128 MiB"
	       : f->total + size > BYTES_MOST ? "they have more than 1 GiB"
					      : NULL;
}

bool host_blob_file_add(struct host_blob_file *f, const char *name, const void *bytes, uint64_t size)
{
	if (!f->why)
		f->why = breach_of(f, name, size);
	if (!f->why && (!COMMON_GROW(f->rows, f->row_room, f->count) || (size && !COMMON_RESERVE(f->bytes, f->room, aligned(f->size + size)))))
		f->why = "there is no memory for them";
	if (f->why)
		return false;
	f->rows[f->count] = (struct host_blob_row){.offset = f->size, .size = size};
	memcpy(f->rows[f->count++].name, name, strlen(name));
	if (size) {
		memcpy(f->bytes + f->size, bytes, size);
		memset(f->bytes + f->size + size, 0, aligned(f->size + size) - (f->size + size));
	}
	f->size = aligned(f->size + size);
	f->total += size;
	return true;
}

bool host_blob_file_seal(struct host_blob_file *f, const uint8_t key[PKG_DIGEST_SIZE])
{
	const size_t before = aligned(sizeof(struct header) + f->count * sizeof(*f->rows)), size = before + f->size;
	struct header header = {.count = f->count};
	unsigned char *all = calloc(1, size + PKG_DIGEST_SIZE);

	if (!all)
		return false;
	memcpy(header.magic, magic, sizeof(magic));
	memcpy(header.key, key, sizeof(header.key));
	memcpy(all, &header, sizeof(header));
	for (uint32_t i = 0; i < f->count; i++)
		f->rows[i].offset += before;
	if (f->count)
		memcpy(all + sizeof(header), f->rows, f->count * sizeof(*f->rows));
	if (f->size)
		memcpy(all + before, f->bytes, f->size);
	free(f->bytes);
	f->bytes = all;
	f->size = size + PKG_DIGEST_SIZE;
	return pkg_digest_make(all + size, all, size);
}

void host_blob_file_finish(struct host_blob_file *f)
{
	free(f->bytes);
	free(f->rows);
	*f = (struct host_blob_file){0};
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

bool host_blobs_sealed(const void *bytes, size_t size)
{
	uint8_t digest[PKG_DIGEST_SIZE];

	return size >= sizeof(digest) && pkg_digest_make(digest, bytes, size - sizeof(digest)) &&
	       !memcmp(digest, (const char *)bytes + size - sizeof(digest), sizeof(digest));
}

/* Bytes in front of the digest; what a row refers to lies in them. */
static bool row_take(struct host_blobs *out, const unsigned char *bytes, uint64_t size, uint64_t number)
{
	const unsigned char *at = bytes + sizeof(struct header) + number * sizeof(struct host_blob_row);
	struct host_blob_row row;

	memcpy(&row, at, sizeof(row));
	if (!memchr(row.name, '\0', sizeof(row.name)) || !name_is_good(row.name) || row.offset % ALIGNMENT || row.offset > size ||
	    row.size > size - row.offset || row.size > BLOB_MOST)
		return false;
	out->rows[out->count++] = (struct host_blob){(const char *)at, bytes + row.offset, row.size};
	out->total += row.size;
	return true;
}

bool host_blobs_parse(struct host_blobs *out, const void *bytes, size_t size, const uint8_t key[PKG_DIGEST_SIZE])
{
	struct header header;
	bool good = size >= sizeof(header) + PKG_DIGEST_SIZE;

	*out = (struct host_blobs){0};
	if (good)
		memcpy(&header, bytes, sizeof(header));
	good = good && !memcmp(header.magic, magic, sizeof(magic)) && !memcmp(header.key, key, sizeof(header.key)) && header.count &&
	       header.count <= BLOBS_MOST && header.count <= (size - PKG_DIGEST_SIZE - sizeof(header)) / sizeof(struct host_blob_row);
	if (good)
		good = (out->rows = calloc(header.count, sizeof(*out->rows))) != NULL;
	for (uint64_t i = 0; good && i < header.count; i++)
		good = row_take(out, bytes, size - PKG_DIGEST_SIZE, i);
	if (!good)
		host_blobs_finish(out);
	return good;
}

void host_blobs_finish(struct host_blobs *blobs)
{
	free(blobs->rows);
	*blobs = (struct host_blobs){0};
}
