/* SPDX-License-Identifier: MIT */
/* builder_tensor.c - tensors, their regions, sample data. */
#include "lang/builder/build.h"

#include "format/format_names.h"
#include "registry/common/common_dtype.h"

#include <string.h>

uint32_t build_tensor_add(struct ptowsp_build *b, const char *name, const struct build_tensor *tensor)
{
	uint32_t string = build_name(b, BUILD_TENSOR, name, b->tensor_count);

	*BUILD_PUSH(b, tensors, tensor) = *tensor;
	b->tensors[b->tensor_count - 1].record.name = string;
	return b->tensor_count - 1;
}

uint32_t ptowsp_build_tensor(struct ptowsp_build *b, const char *name, const char *dtype, const char *role)
{
	BUILD_CALL(b);
	struct build_tensor tensor = {.record = {.dtype = (uint16_t)build_word(b, PKG_WORDS_dtype, dtype),
						 .role = (uint16_t)build_word(b, PKG_WORDS_role, role),
						 .entry = PTOWSP_NONE,
						 .position = b->tensor_count - b->tensors_placed}};

	return build_handle(b, BUILD_TENSOR, build_tensor_add(b, name, &tensor));
}

static struct build_tensor *tensor_of(struct ptowsp_build *b, uint32_t handle)
{
	return &b->tensors[build_row(b, BUILD_TENSOR, handle)];
}

uint32_t ptowsp_build_tensor_space(struct ptowsp_build *b, uint32_t tensor, const char *space)
{
	BUILD_CALL(b);
	tensor_of(b, tensor)->record.location = (uint16_t)build_word(b, PKG_WORDS_space, space);
	return BUILD_DONE;
}

uint32_t ptowsp_build_tensor_alignment(struct ptowsp_build *b, uint32_t tensor, uint32_t bytes)
{
	BUILD_CALL(b);
	struct build_tensor *t = tensor_of(b, tensor);

	if (bytes & (bytes - 1) || bytes > 1u << 30)
		build_refuse(b, "alignment %u is neither 0 nor a power of two up to 2^30", bytes);
	t->record.alignment = bytes;
	return BUILD_DONE;
}

uint32_t ptowsp_build_tensor_dim(struct ptowsp_build *b, uint32_t tensor, uint32_t extent)
{
	BUILD_CALL(b);
	struct build_tensor *t = tensor_of(b, tensor);

	build_tensor_dim(b, t, (struct ptowsp_dim_record){.extent = build_expr(b, extent)});
	return BUILD_DONE;
}

void build_tensor_dim(struct ptowsp_build *b, struct build_tensor *t, struct ptowsp_dim_record dim)
{
	int64_t value;

	if (t->record.flags & PTOWSP_TENSOR_SHAPELESS)
		build_refuse(b, "the tensor takes its shape from what is bound (ptowsp_build_tensor_shapeless), it has no dimensions here");
	if (t->like || t->shared)
		build_refuse(b, "the tensor shares its dimensions with another one (ptowsp_build_tensor_like), they stand");
	if (t->record.dim_count == 4)
		build_refuse(b, "a tensor has at most 4 dimensions");
	if (build_needs(b, dim.extent) & BUILD_NEEDS_RUN)
		build_refuse(b, "an extent uses constants and symbols only");
	if (lang_expr_is_const(&b->tables.exprs, dim.extent, &value) && value < 0)
		build_refuse(b, "the extent is %lld: 0 or more elements are possible", (long long)value);
	if (!t->dims)
		t->dims = common_alloc(b->arena, 4 * sizeof(*t->dims));
	t->dims[t->record.dim_count++] = dim;
}

uint32_t ptowsp_build_tensor_shard(struct ptowsp_build *b, uint32_t tensor, uint32_t mesh_axis)
{
	BUILD_CALL(b);
	struct build_tensor *t = tensor_of(b, tensor);

	if (!t->record.dim_count || t->like)
		build_refuse(b, "the tensor has no dimension of its own yet");
	if (mesh_axis > UINT16_MAX)
		build_refuse(b, "a grid has no axis %u: they are 0 to 65535", mesh_axis);
	if (t->record.flags & PTOWSP_TENSOR_REPLICATED)
		build_refuse(b, "the tensor is replicated in every dimension (ptowsp_build_tensor_replicated)");
	t->dims[t->record.dim_count - 1].distribution = 1;
	t->dims[t->record.dim_count - 1].mesh_axis = (uint16_t)mesh_axis;
	return BUILD_DONE;
}

uint32_t ptowsp_build_tensor_replicated(struct ptowsp_build *b, uint32_t tensor)
{
	BUILD_CALL(b);
	struct build_tensor *t = tensor_of(b, tensor);
	const struct build_tensor *shape = t->like ? &b->tensors[t->like - 1] : t;

	for (uint32_t i = 0; i < shape->record.dim_count; i++)
		if (shape->dims[i].distribution)
			build_refuse(b, "dimension %u is sharded: a layout says so already (ptowsp_build_tensor_shard)", i);
	t->record.flags |= PTOWSP_TENSOR_REPLICATED;
	return BUILD_DONE;
}

/* ---- orders in memory ----------------------------------------------------------------------------------------------------------- */

struct ptowsp_memory_record *build_memory(struct ptowsp_build *b, struct ptowsp_memory_record **memory)
{
	if (!*memory)
		*memory = common_alloc(b->arena, sizeof(**memory));
	return *memory;
}

void build_memory_state(struct ptowsp_build *b, struct ptowsp_memory_record *memory, const char *order, uint32_t swizzle)
{
	memory->order = (uint16_t)build_word(b, PKG_WORDS_memory_order, order);
	if (swizzle > 7)
		build_refuse(b, "a swizzle of %u bits: 0 to 7 are possible", swizzle);
	memory->swizzle = (uint16_t)swizzle;
}

static const char *noun_of(const char *what)
{
	return strcmp(what, "param") ? what : "parameter";
}

void build_memory_block(struct ptowsp_build *b, struct ptowsp_memory_record *memory, const char *what, uint32_t rows, uint32_t columns)
{
	if (memory->order != PTOWSP_MEMORY_BLOCKED && memory->order != PTOWSP_MEMORY_NZ)
		build_refuse(b, "only a %s in order blocked or nz has blocks: ptowsp_build_%s_memory", noun_of(what), what);
	if (!rows || !columns)
		build_refuse(b, "a block has rows and columns");
	memory->block_rows = rows;
	memory->block_columns = columns;
}

void build_memory_stride(struct ptowsp_build *b, struct ptowsp_memory_record *memory, const char *what, uint32_t elements)
{
	uint32_t *const strides[] = {&memory->stride0, &memory->stride1, &memory->stride2, &memory->stride3};
	uint32_t i = 0;

	if (memory->order != PTOWSP_MEMORY_STRIDED || !elements)
		build_refuse(b, "strides are 1 or more, of a %s in order strides: ptowsp_build_%s_memory", noun_of(what), what);
	while (i < 4 && *strides[i])
		i++;
	if (i == 4)
		build_refuse(b, "a %s has at most 4 dimensions", noun_of(what));
	*strides[i] = elements;
}

uint32_t ptowsp_build_tensor_memory(struct ptowsp_build *b, uint32_t tensor, const char *order, uint32_t swizzle)
{
	BUILD_CALL(b);

	build_memory_state(b, build_memory(b, &tensor_of(b, tensor)->memory), order, swizzle);
	return BUILD_DONE;
}

uint32_t ptowsp_build_tensor_block(struct ptowsp_build *b, uint32_t tensor, uint32_t rows, uint32_t columns)
{
	BUILD_CALL(b);
	build_memory_block(b, build_memory(b, &tensor_of(b, tensor)->memory), "tensor", rows, columns);
	return BUILD_DONE;
}

uint32_t ptowsp_build_tensor_stride(struct ptowsp_build *b, uint32_t tensor, uint32_t elements)
{
	BUILD_CALL(b);
	build_memory_stride(b, build_memory(b, &tensor_of(b, tensor)->memory), "tensor", elements);
	return BUILD_DONE;
}

uint32_t ptowsp_build_tensor_like(struct ptowsp_build *b, uint32_t tensor, uint32_t other)
{
	BUILD_CALL(b);
	uint32_t row = build_row(b, BUILD_TENSOR, other);
	struct build_tensor *t = tensor_of(b, tensor);

	if (t->record.dim_count || t->record.flags & PTOWSP_TENSOR_SHAPELESS || t == &b->tensors[row])
		build_refuse(b, "the tensor has a shape already, or is itself the other one");
	if (!b->tensors[row].record.dim_count)
		build_refuse(b, "the other tensor has no dimensions yet");
	if (b->tensors[row].like)
		row = b->tensors[row].like - 1;
	t->like = row + 1;
	t->record.dim_count = b->tensors[row].record.dim_count;
	b->tensors[row].shared = 1;
	return BUILD_DONE;
}

uint32_t ptowsp_build_tensor_shapeless(struct ptowsp_build *b, uint32_t tensor)
{
	BUILD_CALL(b);
	struct build_tensor *t = tensor_of(b, tensor);

	if (t->record.dim_count)
		build_refuse(b, "the tensor has a dimension already, so it has a shape");
	t->record.flags |= PTOWSP_TENSOR_SHAPELESS;
	return BUILD_DONE;
}

uint32_t ptowsp_build_tensor_place(struct ptowsp_build *b, uint32_t tensor, uint32_t entry, uint32_t position)
{
	BUILD_CALL(b);
	struct build_tensor *t = tensor_of(b, tensor);

	t->record.entry = entry ? build_row(b, BUILD_ENTRY, entry) : PTOWSP_NONE;
	t->record.position = position;
	b->tensors_placed += !t->placed;
	t->placed = 1;
	return BUILD_DONE;
}

uint32_t ptowsp_build_region(struct ptowsp_build *b, uint32_t tensor, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns)
{
	BUILD_CALL(b);
	struct ptowsp_region_record region = {.tensor = build_row(b, BUILD_TENSOR, tensor), .rows = rows, .columns = columns};

	region.row = build_expr(b, row);
	region.column = build_expr(b, column);
	return build_handle(b, BUILD_REGION, lang_region_add(&b->tables, &region));
}

uint32_t ptowsp_build_window(struct ptowsp_build *b, uint32_t tensor, uint32_t row, uint32_t column, uint32_t unit, uint32_t reach)
{
	BUILD_CALL(b);
	struct ptowsp_region_record region = {.tensor = build_row(b, BUILD_TENSOR, tensor), .columns = reach, .unit = unit};

	if (!unit)
		build_refuse(b, "the unit is 0: a window counts its rows in units of at least one element");
	region.row = build_expr(b, row);
	region.column = build_expr(b, column);
	return build_handle(b, BUILD_REGION, lang_region_add(&b->tables, &region));
}

uint32_t ptowsp_build_view(struct ptowsp_build *b, uint32_t tensor, const char *dtype, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns,
			   uint32_t unit)
{
	BUILD_CALL(b);
	struct ptowsp_region_record region = {.tensor = build_row(b, BUILD_TENSOR, tensor),
					      .rows = rows,
					      .columns = columns,
					      .unit = unit,
					      .view = 1 + build_word(b, PKG_WORDS_dtype, dtype)};

	if (unit && rows)
		build_refuse(b, "a view with a unit is a flat window and has no rows: rows must be 0");
	if (b->tensors[region.tensor].record.dtype != PTOWSP_U8)
		build_refuse(b, "tensor %.80s is not of u8: only bytes are seen as other types", build_text(b, b->tensors[region.tensor].record.name));
	region.row = build_expr(b, row);
	region.column = build_expr(b, column);
	return build_handle(b, BUILD_REGION, lang_region_add(&b->tables, &region));
}

uint32_t ptowsp_build_sample(struct ptowsp_build *b, uint32_t tensor, const char *role, const uint64_t *extents, uint32_t rank, const void *bytes,
			     uint64_t size)
{
	BUILD_CALL(b);
	struct build_sample sample = {.record = {.tensor = build_row(b, BUILD_TENSOR, tensor),
						 .role = (uint16_t)build_word(b, PKG_WORDS_sample_role, role),
						 .rank = (uint16_t)rank,
						 .size = size}};
	uint64_t *const places[] = {&sample.record.extent0, &sample.record.extent1, &sample.record.extent2, &sample.record.extent3};
	uint64_t want = common_dtype_bytes(b->tensors[sample.record.tensor].record.dtype);

	if (!extents || !rank || rank > 4)
		build_refuse(b, "%s extents: sample data have 1 to 4", extents ? common_format(b->arena, "%u", rank) : "no");
	for (uint32_t i = 0; i < rank; i++) {
		*places[i] = extents[i];
		if (extents[i] && want > UINT64_MAX / extents[i])
			build_refuse(b, "the extents make more bytes than 64 bits count");
		want *= extents[i];
	}
	if (size != want)
		build_refuse(b, "the extents make %llu bytes, here are %llu", (unsigned long long)want, (unsigned long long)size);
	for (uint32_t i = 0; i < b->sample_count; i++)
		if (b->samples[i].record.tensor == sample.record.tensor && b->samples[i].record.role == sample.record.role)
			build_refuse(b, "the tensor has %s data already", role);
	sample.bytes = build_copy(b, bytes, size);
	*BUILD_PUSH(b, samples, sample) = sample;
	return BUILD_DONE;
}
