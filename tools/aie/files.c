/* SPDX-License-Identifier: MIT */
/* files.c - memories of a design from .npy files and into them. */
#include "tools/aie/aie.h"

#include "base/error.h"
#include "registry/names.h"
#include "registry/npy.h"

#include <string.h>

/* Type of dtype.def of an element; 0xFFFF: none. */
static uint16_t dtype_of(const struct aie_type *element)
{
	switch (element->kind) {
	case AIE_TYPE_BF16: return PTOWSP_BF16;
	case AIE_TYPE_F16: return PTOWSP_F16;
	case AIE_TYPE_F32: return PTOWSP_F32;
	case AIE_TYPE_F64: return PTOWSP_F64;
	default: return element->bits <= 8 ? PTOWSP_I8 : element->bits <= 16 ? PTOWSP_I16 : element->bits <= 32 ? PTOWSP_I32 : PTOWSP_I64;
	}
}

static ptowsp_status input_read(const struct aie_pair *pair, const struct aie_array_memory *memory, struct ptowsp_error *error)
{
	struct npy npy;
	ptowsp_status status = npy_open(&npy, pair->file, error);
	uint64_t bytes;

	if (status)
		return status;
	bytes = npy.map_size - (uint64_t)((const char *)npy.data - (const char *)npy.map);
	if (bytes != memory->size)
		status = base_fail(error, PTOWSP_INVALID, "%s has %llu bytes of data, memory %s of the design %llu; give it the same", pair->file,
				   (unsigned long long)bytes, memory->name, (unsigned long long)memory->size);
	else
		memcpy(memory->bytes, npy.data, bytes);
	npy_close(&npy);
	return status;
}

static ptowsp_status output_write(const struct aie_pair *pair, const struct aie_array_memory *memory, struct ptowsp_error *error)
{
	const struct aie_type *type = memory->type;
	uint64_t extents[AIE_DIMS];
	uint32_t rank = type->rank;
	char header[NPY_HEADER];
	size_t size;

	for (uint32_t i = 0; i < rank; i++)
		extents[i] = (uint64_t)type->dims[i];
	if (rank > NPY_RANK) { /* as a row */
		extents[0] = aie_type_count(type);
		rank = 1;
	}
	size = npy_header(header, dtype_of(type->element), rank, extents);
	return output_save(pair->file, header, size, memory->bytes, memory->size, error);
}

ptowsp_status aie_files_move(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error)
{
	struct aie_options *options = context;
	struct aie_pairs *pairs = ran ? &options->outputs : &options->inputs;
	ptowsp_status status = PTOWSP_OK;

	for (int p = 0; !status && p < pairs->count; p++)
		for (uint32_t i = 0; !status && i < count; i++) {
			if (strcmp(memories[i].name, pairs->rows[p].name) != 0)
				continue;
			pairs->rows[p].met = true;
			status = ran ? output_write(&pairs->rows[p], &memories[i], error) : input_read(&pairs->rows[p], &memories[i], error);
		}
	return status;
}
