/* SPDX-License-Identifier: MIT */
/* fuzz_core_program.c - any bytes as the ELF file of a compiled core of a tile array: nothing outside of them is read, and no program is longer than its file could say. */
#include "aie/engine/core_program.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned char *copy = malloc(size + 1);
	uint64_t bytes;

	memcpy(copy, data, size);
	bytes = aie_core_program_bytes(copy, size);
	if (bytes != AIE_UNMEASURED && (!bytes || bytes > UINT64_C(1) << 33))
		abort();
	free(copy);
	return false;
}
