/* SPDX-License-Identifier: MIT */
/* files.c - memories of a design from .npy files and into them. */
#include "tools/aie/aie.h"

#include "base/error.h"
#include "registry/common/common_dtype.h"
#include "registry/names.h"
#include "registry/npy.h"

#include <stdlib.h>
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

/* A design says no sign; bf16 has no type of its own in NumPy. */
static bool dtype_fits(uint16_t file, const struct aie_type *element)
{
	const uint16_t dtype = dtype_of(element);

	if (common_dtype_class(dtype) == 'f')
		return file == dtype || (dtype == PTOWSP_BF16 && file == PTOWSP_U16);
	return common_dtype_class(file) != 'f' && common_dtype_bytes(file) == common_dtype_bytes(dtype);
}

static ptowsp_status input_read(const struct flag_pair *pair, const struct aie_array_memory *memory, struct ptowsp_error *error)
{
	struct npy npy;
	ptowsp_status status = npy_open(&npy, pair->value, error);
	uint64_t bytes;

	if (status)
		return status;
	bytes = npy.map_size - (uint64_t)((const char *)npy.data - (const char *)npy.map);
	if (!dtype_fits(npy.dtype, memory->type->element))
		status = base_fail(error, PTOWSP_INVALID, "--in %s: the memory is of %s, %s holds %s", memory->name,
				   common_dtype_text(dtype_of(memory->type->element)), pair->value, common_dtype_text(npy.dtype));
	else if (bytes != memory->size)
		status = base_fail(error, PTOWSP_INVALID, "%s has %llu bytes of data, memory %s of the design %llu; give it the same", pair->value,
				   (unsigned long long)bytes, memory->name, (unsigned long long)memory->size);
	else
		memcpy(memory->bytes, npy.data, bytes);
	npy_close(&npy);
	return status;
}

/* Complete, but not yet in its place. */
static ptowsp_status output_fill(struct output *output, const struct aie_array_memory *memory, struct ptowsp_error *error)
{
	const struct aie_type *type = memory->type;
	uint64_t extents[AIE_DIMS];
	uint32_t rank = type->rank;
	char header[NPY_HEADER];

	for (uint32_t i = 0; i < rank; i++)
		extents[i] = (uint64_t)type->dims[i];
	if (rank > NPY_RANK) { /* as a row */
		extents[0] = aie_type_count(type);
		rank = 1;
	}
	fwrite(header, 1, npy_header(header, dtype_of(type->element), rank, extents), output->file);
	fwrite(memory->bytes, 1, memory->size, output->file);
	return output_finish(output, error);
}

static const struct aie_array_memory *memory_find(const struct aie_array_memory *memories, uint32_t count, const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(memories[i].name, name))
			return &memories[i];
	return NULL;
}

ptowsp_status aie_files_move(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error)
{
	struct aie_options *options = context;
	struct flag_pairs *pairs = ran ? &options->outputs : &options->inputs;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t p = 0; !status && p < pairs->count; p++) {
		const struct aie_array_memory *memory = memory_find(memories, count, pairs->rows[p].name);

		if (memory)
			status = ran ? output_fill(&options->files[p], memory, error) : input_read(&pairs->rows[p], memory, error);
	}
	return status;
}

/* ---- before the run ------------------------------------------------------------------------------------------------- */

ptowsp_status aie_files_open(struct aie_options *options, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	options->files = calloc(options->outputs.count + 1u, sizeof(*options->files));
	if (!options->files)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for files");
	for (uint32_t p = 0; p < options->outputs.count; p++)
		options->files[p].slot = -1;
	for (uint32_t p = 0; !status && p < options->outputs.count; p++)
		status = output_open(&options->files[p], options->outputs.rows[p].value, error);
	return status;
}

static bool is_noted(const char *there, const char *name)
{
	const size_t length = strlen(name);

	for (const char *at = there; *at && (at = strstr(at, name)); at++)
		if ((at == there || at[-1] == ' ') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

/* As many as a sentence has room for. */
static void names_note(struct aie_options *options, const struct aie_array_memory *memories, uint32_t count)
{
	for (uint32_t m = 0; m < count; m++) {
		const size_t length = strlen(options->there), room = sizeof(options->there) - length;
		const char *name = memories[m].name;

		if (is_noted(options->there, name))
			continue;
		if (strlen(name) + sizeof(", ...") + 2 > room) {
			if (length && options->there[length - 1] != '.')
				snprintf(options->there + length, room, ", ...");
			return;
		}
		snprintf(options->there + length, room, "%s%s", length ? ", " : "", name);
	}
}

ptowsp_status aie_files_look(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error)
{
	struct aie_options *options = context;

	(void)ran;
	names_note(options, memories, count);
	for (uint32_t p = 0; p < options->inputs.count; p++)
		options->inputs.rows[p].met |= memory_find(memories, count, options->inputs.rows[p].name) != NULL;
	for (uint32_t p = 0; p < options->outputs.count; p++) {
		struct flag_pair *pair = &options->outputs.rows[p];

		if (!memory_find(memories, count, pair->name))
			continue;
		options->twice = pair->met ? pair->name : options->twice;
		pair->met = true;
	}
	return base_fail(error, PTOWSP_CANCELLED, "the device was only looked at");
}

static ptowsp_status pairs_check(const struct flag_pairs *pairs, const char *flag, const char *there, struct ptowsp_error *error)
{
	for (uint32_t i = 0; i < pairs->count; i++)
		if (!pairs->rows[i].met)
			return base_fail(error, PTOWSP_INVALID,
					 "%s %s: no device that runs has memory of that name; there is %s (argN: argument N of the sequence, from 0 on, "
					 "whatever its name)",
					 flag, pairs->rows[i].name, *there ? there : "none");
	return PTOWSP_OK;
}

ptowsp_status aie_files_check(const struct aie_options *options, bool all, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	if (options->twice)
		return base_fail(error, PTOWSP_INVALID, "--out %s: several devices have memory of that name; say one of them by --only", options->twice);
	if (all)
		status = pairs_check(&options->inputs, "--in", options->there, error);
	return status || !all ? status : pairs_check(&options->outputs, "--out", options->there, error);
}

/* ---- behind it ------------------------------------------------------------------------------------------------------ */

ptowsp_status aie_files_publish(struct aie_options *options, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	output_hold();
	for (uint32_t p = 0; !status && p < options->outputs.count; p++)
		status = output_publish(&options->files[p], error);
	output_release();
	return status;
}

void aie_files_drop(struct aie_options *options)
{
	for (uint32_t p = 0; options->files && p < options->outputs.count; p++)
		output_drop(&options->files[p]);
	free(options->files);
}
