/* SPDX-License-Identifier: MIT */
/* identity.c - the digest that stands for what a package says. Packed sizes, places and flags of zstd are not in it, so another
 * version of libzstd gives the same one. */
#include "container.h"
#include "format_names.h"

#include <stdlib.h>
#include <string.h>

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

ptowsp_status pkg_container_identity(const struct pkg_container *container, uint8_t digest_out[PKG_DIGEST_SIZE],
				     struct ptowsp_error *error)
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
