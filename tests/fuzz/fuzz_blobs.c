/* SPDX-License-Identifier: MIT */
/* fuzz_blobs.c - any bytes as a file of what plugins have compiled, whatever its digest: refused, or blobs that lie inside of the bytes. */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "host/run/blobs.h"

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static volatile size_t sum; /* what was read */

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	uint8_t key[PKG_DIGEST_SIZE] = {0};
	struct host_blobs blobs;

	if (size >= 8 + sizeof(key))
		memcpy(key, bytes + 8, sizeof(key)); /* as if it were that of the program */
	if (!host_blobs_parse(&blobs, bytes, size, key)) {
		assert(!blobs.rows && !blobs.count);
		return false;
	}
	for (uint32_t i = 0; i < blobs.count; i++) {
		const uint8_t *at = blobs.rows[i].bytes;

		sum += strlen(blobs.rows[i].name);
		if (blobs.rows[i].size)
			sum += at[0] + at[blobs.rows[i].size - 1];
	}
	host_blobs_finish(&blobs);
	return false;
}
