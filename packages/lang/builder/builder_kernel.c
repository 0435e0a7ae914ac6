/* SPDX-License-Identifier: MIT */
/* builder_kernel.c - kernels, their parameters, payloads and variants. */
#include "lang/builder/build.h"

#include "format/format_file.h"
#include "format/format_names.h"

#include <stdlib.h>
#include <string.h>

#define PAYLOAD_BYTES (UINT64_C(1) << 28)
#define RUN_LIMIT     65535u /* parameters, payloads, variants of a kernel */

uint32_t build_kernel_add(struct ptowsp_build *b, const char *name, struct ptowsp_kernel_record record)
{
	struct build_kernel kernel = {.record = record, .place = b->place};

	kernel.record.name = build_name(b, BUILD_KERNEL, name, b->kernel_count);
	*BUILD_PUSH(b, kernels, kernel) = kernel;
	return b->kernel_count - 1;
}

uint32_t ptowsp_build_kernel(struct ptowsp_build *b, const char *name, const char *unit)
{
	BUILD_CALL(b);
	struct ptowsp_kernel_record record = {.unit = (uint16_t)build_word(b, PKG_WORDS_unit, unit)};

	return build_handle(b, BUILD_KERNEL, build_kernel_add(b, name, record));
}

static struct build_kernel *kernel_of(struct ptowsp_build *b, uint32_t handle)
{
	return &b->kernels[build_row(b, BUILD_KERNEL, handle)];
}

uint32_t ptowsp_build_kernel_signature(struct ptowsp_build *b, uint32_t kernel, const char *signature)
{
	BUILD_CALL(b);
	kernel_of(b, kernel)->record.signature = build_string(b, signature);
	return BUILD_DONE;
}

uint32_t ptowsp_build_kernel_blocks(struct ptowsp_build *b, uint32_t kernel, uint32_t blockdim)
{
	BUILD_CALL(b);
	kernel_of(b, kernel)->record.blockdim = blockdim;
	return BUILD_DONE;
}

uint32_t ptowsp_build_kernel_workspace(struct ptowsp_build *b, uint32_t kernel, uint64_t bytes)
{
	BUILD_CALL(b);
	kernel_of(b, kernel)->record.workspace = bytes;
	return BUILD_DONE;
}

uint32_t ptowsp_build_kernel_symbol(struct ptowsp_build *b, uint32_t kernel, const char *symbol)
{
	BUILD_CALL(b);
	kernel_of(b, kernel)->record.symbol = build_string(b, symbol);
	return BUILD_DONE;
}

uint32_t ptowsp_build_kernel_measured(struct ptowsp_build *b, uint32_t kernel)
{
	BUILD_CALL(b);
	kernel_of(b, kernel)->record.flags |= PTOWSP_KERNEL_MEASURED;
	return BUILD_DONE;
}

/* ---- parameters ------------------------------------------------------------------------------------------------------------------ */

uint32_t build_param_add(struct ptowsp_build *b, const char *name, struct build_param param)
{
	struct build_kernel *kernel = &b->kernels[param.kernel];

	param.record.name = build_string(b, name);
	if (!param.record.name)
		build_refuse(b, "a parameter needs a name");
	if (kernel->listed || kernel->has_body)
		build_refuse(b, "kernel %.80s has a task or a body already, its parameters stand", build_text(b, kernel->record.name));
	if (kernel->record.param_count == RUN_LIMIT)
		build_refuse(b, "a kernel has at most %u parameters", RUN_LIMIT);
	param.number = param.record.kind == PTOWSP_PARAM_TENSOR ? kernel->tensors++ : kernel->scalars++;
	*BUILD_PUSH(b, params, param) = param;
	*COMMON_PUSH(b->arena, kernel->params, kernel->record.param_count, kernel->param_capacity) = b->param_count - 1;
	return b->param_count - 1;
}

static uint32_t param_add(struct ptowsp_build *b, uint32_t kernel, struct build_param param, const char *name)
{
	param.kernel = build_row(b, BUILD_KERNEL, kernel);
	return build_handle(b, BUILD_PARAM, build_param_add(b, name, param));
}

uint32_t ptowsp_build_param(struct ptowsp_build *b, uint32_t kernel, const char *name, const char *dtype, const char *access)
{
	BUILD_CALL(b);
	struct build_param param = {.record = {.kind = PTOWSP_PARAM_TENSOR,
					       .dtype = (uint16_t)build_word(b, PKG_WORDS_dtype, dtype),
					       .access = (uint16_t)build_word(b, PKG_WORDS_access, access)}};

	return param_add(b, kernel, param, name);
}

uint32_t ptowsp_build_param_scalar(struct ptowsp_build *b, uint32_t kernel, const char *name, const char *dtype)
{
	BUILD_CALL(b);
	struct build_param param = {.record = {.kind = PTOWSP_PARAM_SCALAR, .dtype = (uint16_t)build_word(b, PKG_WORDS_dtype, dtype)}};

	return param_add(b, kernel, param, name);
}

/* A parameter that is a tensor; needs: why a scalar will not do. */
static struct build_param *tensor_param(struct ptowsp_build *b, uint32_t handle, const char *needs)
{
	struct build_param *p = &b->params[build_row(b, BUILD_PARAM, handle)];

	if (p->record.kind != PTOWSP_PARAM_TENSOR)
		build_refuse(b, "%.80s is a scalar, %s", build_text(b, p->record.name), needs);
	return p;
}

static struct ptowsp_memory_record *memory_of(struct ptowsp_build *b, uint32_t handle)
{
	return build_memory(b, &tensor_param(b, handle, "tensors lie in memory")->memory);
}

uint32_t ptowsp_build_param_tile(struct ptowsp_build *b, uint32_t param, uint32_t rows, uint32_t columns)
{
	BUILD_CALL(b);
	struct build_param *p = tensor_param(b, param, "tiles touch tensors");

	if (rows && columns && p->dim_count > 2)
		build_refuse(b, "the layout of %.80s has %u dimensions already", build_text(b, p->record.name), p->dim_count);
	p->record.rows = rows;
	p->record.columns = columns;
	return BUILD_DONE;
}

uint32_t ptowsp_build_param_dim(struct ptowsp_build *b, uint32_t param, const char *distribution, uint32_t mesh_axis)
{
	BUILD_CALL(b);
	struct build_param *p = &b->params[build_row(b, BUILD_PARAM, param)];
	uint16_t word = (uint16_t)build_word(b, PKG_WORDS_distribution, distribution);

	if (p->record.kind != PTOWSP_PARAM_TENSOR)
		build_refuse(b, "%.80s is a scalar, tensors have layouts", build_text(b, p->record.name));
	if (p->dim_count == (p->record.rows && p->record.columns ? 2u : 4u))
		build_refuse(b, "%.80s has no more dimensions", build_text(b, p->record.name));
	if (mesh_axis > UINT16_MAX || (mesh_axis && !word))
		build_refuse(b, "axis %u: axes of a grid are 0 to 65535, and a replicated dimension has 0 here", mesh_axis);
	for (uint32_t i = 0; word && i < p->dim_count; i++)
		if (p->dims[i].distribution && p->dims[i].mesh_axis == mesh_axis)
			build_refuse(b, "axis %u shards another dimension already", mesh_axis);
	build_param_dim(b, p, (struct ptowsp_param_layout_record){.distribution = word, .mesh_axis = (uint16_t)mesh_axis});
	return BUILD_DONE;
}

void build_param_dim(struct ptowsp_build *b, struct build_param *p, struct ptowsp_param_layout_record dim)
{
	if (!p->dims)
		p->dims = common_alloc(b->arena, 4 * sizeof(*p->dims));
	p->dims[p->dim_count++] = dim;
}

uint32_t ptowsp_build_param_memory(struct ptowsp_build *b, uint32_t param, const char *order, uint32_t swizzle)
{
	BUILD_CALL(b);
	build_memory_state(b, memory_of(b, param), order, swizzle);
	return BUILD_DONE;
}

uint32_t ptowsp_build_param_block(struct ptowsp_build *b, uint32_t param, uint32_t rows, uint32_t columns)
{
	BUILD_CALL(b);
	build_memory_block(b, memory_of(b, param), "param", rows, columns);
	return BUILD_DONE;
}

uint32_t ptowsp_build_param_stride(struct ptowsp_build *b, uint32_t param, uint32_t elements)
{
	BUILD_CALL(b);
	build_memory_stride(b, memory_of(b, param), "param", elements);
	return BUILD_DONE;
}

/* ---- payloads and variants ------------------------------------------------------------------------------------------------------- */

uint32_t build_payload_add(struct ptowsp_build *b, struct build_payload payload)
{
	struct build_kernel *kernel = &b->kernels[payload.kernel];

	if (kernel->like)
		build_refuse(b, "the kernel has the payloads of another one (ptowsp_build_payload_like), and none of its own");
	if (kernel->record.payload_count == RUN_LIMIT)
		build_refuse(b, "a kernel has at most %u payloads", RUN_LIMIT);
	*BUILD_PUSH(b, payloads, payload) = payload;
	*COMMON_PUSH(b->arena, kernel->payloads, kernel->record.payload_count, kernel->payload_capacity) = b->payload_count - 1;
	return b->payload_count - 1;
}

uint32_t ptowsp_build_payload(struct ptowsp_build *b, uint32_t kernel, const char *kind, const void *bytes, uint64_t size)
{
	BUILD_CALL(b);
	struct build_payload payload = {.record = {.kind = (uint16_t)build_word(b, PKG_WORDS_payload, kind), .size = size},
					.kernel = build_row(b, BUILD_KERNEL, kernel)};

	if (!size)
		build_refuse(b, "a payload has bytes");
	payload.bytes = build_copy(b, bytes, size);
	return build_handle(b, BUILD_PAYLOAD, build_payload_add(b, payload));
}

uint32_t ptowsp_build_payload_file(struct ptowsp_build *b, uint32_t kernel, const char *kind, const char *path)
{
	BUILD_CALL(b);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct build_payload payload = {.record = {.kind = (uint16_t)build_word(b, PKG_WORDS_payload, kind)}, .kernel = build_row(b, BUILD_KERNEL, kernel)};
	size_t size;

	if (!path || !*path)
		build_refuse(b, "the name of the file is missing");
	if (pkg_file_load(path, PAYLOAD_BYTES, &b->file, &size, &error))
		build_refuse(b, "%s", error.text);
	if (!size)
		build_refuse(b, "%.160s is empty, a payload has bytes", path);
	payload.record.size = size;
	payload.bytes = build_copy(b, b->file, size);
	free(b->file);
	b->file = NULL;
	return build_handle(b, BUILD_PAYLOAD, build_payload_add(b, payload));
}

uint32_t ptowsp_build_payload_like(struct ptowsp_build *b, uint32_t kernel, uint32_t other)
{
	BUILD_CALL(b);
	struct build_kernel *k = kernel_of(b, kernel);
	uint32_t row = build_row(b, BUILD_KERNEL, other);

	if (k->record.payload_count || k->like || k == &b->kernels[row] || b->kernels[row].like)
		build_refuse(b, "one of the kernels has payloads of its own, or the other has none");
	k->like = row + 1;
	return BUILD_DONE;
}

static struct ptowsp_payload_record *payload_of(struct ptowsp_build *b, uint32_t handle)
{
	return &b->payloads[build_row(b, BUILD_PAYLOAD, handle)].record;
}

uint32_t ptowsp_build_payload_target(struct ptowsp_build *b, uint32_t payload, const char *target)
{
	BUILD_CALL(b);
	payload_of(b, payload)->target = build_string(b, target);
	return BUILD_DONE;
}

uint32_t ptowsp_build_payload_unit(struct ptowsp_build *b, uint32_t payload, const char *unit)
{
	BUILD_CALL(b);
	payload_of(b, payload)->unit = (uint16_t)build_word(b, PKG_WORDS_unit, unit);
	return BUILD_DONE;
}

uint32_t ptowsp_build_payload_entry(struct ptowsp_build *b, uint32_t payload, const char *symbol)
{
	BUILD_CALL(b);
	struct ptowsp_payload_record *record = payload_of(b, payload);

	if (record->entry_offset)
		build_refuse(b, "the payload has an entry offset already, its entry is one or the other");
	record->entry = build_string(b, symbol);
	return BUILD_DONE;
}

uint32_t ptowsp_build_payload_offset(struct ptowsp_build *b, uint32_t payload, uint64_t entry_offset)
{
	BUILD_CALL(b);
	struct ptowsp_payload_record *record = payload_of(b, payload);

	if (entry_offset && record->entry)
		build_refuse(b, "the payload has an entry symbol already, its entry is one or the other");
	if (entry_offset && entry_offset >= record->size)
		build_refuse(b, "offset %llu lies behind the payload, which has %llu bytes", (unsigned long long)entry_offset,
			     (unsigned long long)record->size);
	record->entry_offset = entry_offset;
	return BUILD_DONE;
}

uint32_t ptowsp_build_payload_cycles(struct ptowsp_build *b, uint32_t payload, uint64_t cycles)
{
	BUILD_CALL(b);
	payload_of(b, payload)->cycles = cycles;
	return BUILD_DONE;
}

uint32_t ptowsp_build_payload_workspace(struct ptowsp_build *b, uint32_t payload, uint64_t bytes)
{
	BUILD_CALL(b);
	payload_of(b, payload)->workspace = bytes;
	return BUILD_DONE;
}

uint32_t ptowsp_build_variant(struct ptowsp_build *b, uint32_t kernel, uint32_t rows, uint32_t other)
{
	BUILD_CALL(b);

	build_variant_add(b, build_row(b, BUILD_KERNEL, kernel), rows, build_row(b, BUILD_KERNEL, other));
	return BUILD_DONE;
}

void build_variant_add(struct ptowsp_build *b, uint32_t kernel, uint32_t rows, uint32_t other)
{
	struct build_kernel *k = &b->kernels[kernel];

	if (!rows || rows % 32)
		build_refuse(b, "level %u: levels are multiples of 32 rows", rows);
	if (k->record.variant_count == RUN_LIMIT)
		build_refuse(b, "a kernel has at most %u variants", RUN_LIMIT);
	*COMMON_PUSH(b->arena, k->variants, k->record.variant_count, k->variant_capacity) = (struct ptowsp_variant_record){rows, other};
}
