/* SPDX-License-Identifier: MIT */
/* fuzz_checkpoint.c - any bytes as a checkpoint, whatever its digest: refused with a sentence, or rows whose names and content lie inside the bytes. */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "registry/common/common_dtype.h"
#include "tools/run/checkpoint.h"

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static volatile size_t sum; /* what was read */

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ptowsp_error error = {.text = ""};
	struct checkpoint c;

	if (checkpoint_parse(&c, bytes, size, CHECKPOINT_UNSEALED, "fuzz", &error)) {
		assert(error.text[0] && !c.rows);
		return false;
	}
	sum += strlen(c.names + c.header.entry);
	for (uint32_t i = 0; i < c.header.rows; i++) {
		const struct checkpoint_row row = checkpoint_row_at(&c, i);

		sum += strlen(c.names + row.checkpoint) + strlen(c.names + row.tensor);
		if (row.elements)
			sum += c.data[row.offset] + c.data[row.offset + row.elements * common_dtype(row.dtype)->bytes - 1];
	}
	assert(checkpoint_parse(&c, bytes, size, 0, "fuzz", &error) || c.data + c.header.data_size + CHECKPOINT_DIGEST == bytes + size);
	return false;
}
