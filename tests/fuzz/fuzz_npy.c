/* SPDX-License-Identifier: MIT */
/* fuzz_npy.c - any bytes as an .npy file: refused with a sentence, or a shape whose data lie inside the bytes. */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "registry/common/common_dtype.h"
#include "registry/npy.h"

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

bool LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct ptowsp_error error = {.text = ""};
	char header[NPY_HEADER];
	struct npy npy;

	if (npy_parse(&npy, bytes, size, "fuzz", &error)) {
		assert(error.text[0] && !npy.data);
		return false;
	}
	assert(npy.rank <= NPY_RANK);
	assert((const uint8_t *)npy.data >= bytes);
	assert((const uint8_t *)npy.data + npy.elements * common_dtype(npy.dtype)->bytes == bytes + size);
	assert(npy_header(header, npy.dtype, npy.rank, npy.extents) % 64 == 0);
	return false;
}
