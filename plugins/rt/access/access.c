/* SPDX-License-Identifier: MIT */
#include "rt/access/access.h"

#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <string.h>

/* ---- tensors of a run ------------------------------------------------------------------------------------------ */

/* Extents as a matrix; false if the product does not fit. */
static bool shape_set(struct rt_tensor *tensor, const uint64_t *extents, uint32_t rank)
{
	uint64_t rows = 1, columns = 1;

	for (uint32_t d = 0; d < rank; d++) {
		if (columns && rows > (uint64_t)RT_FAR / columns)
			return false;
		rows *= columns;
		columns = extents[d];
	}
	if (columns && rows > (uint64_t)RT_FAR / columns)
		return false;
	if (columns > (uint64_t)RT_FAR)
		return false;
	tensor->rows = (int64_t)rows;
	tensor->columns = (int64_t)columns;
	tensor->elements = rows * columns;
	return true;
}

static ptowsp_status declared_shape(const struct rt_program *program, struct rt_env *env, uint32_t row, uint64_t *extents, struct ptowsp_error *error)
{
	const struct ptowsp_tensor_record *record = &program->tables.tensor.rows[row];

	for (uint32_t d = 0; d < record->dim_count; d++) {
		uint32_t expr = program->dim_exprs[record->dims + d], slot = rt_expr_source(&program->exprs, expr);
		int64_t extent = rt_value(env, expr);

		if (env->failed || extent < 0)
			return rt_fail(error, PTOWSP_RUN_FAILED, "tensor %.80s: extent %u is %lld, it must be 0 or more; it comes from %.40s, which is %lld",
				       rt_tensor_name(program, row), d, (long long)extent, slot == PTOWSP_NONE ? "a constant" : rt_slot_name(program, slot),
				       slot == PTOWSP_NONE ? (long long)extent : (long long)env->values[slot]);
		extents[d] = (uint64_t)extent;
	}
	return PTOWSP_OK;
}

static ptowsp_status tensor_init(struct rt_tensor *tensor, const struct rt_program *program, struct rt_env *env, uint32_t row, struct ptowsp_error *error)
{
	const struct ptowsp_tensor_record *record = &program->tables.tensor.rows[row];
	uint64_t extents[4] = {0};
	ptowsp_status status;

	*tensor =
		(struct rt_tensor){.elements = UINT64_MAX, .columns = RT_WIDE, .rows = RT_WIDE, .dtype = record->dtype, .size = rt_dtype_bytes(record->dtype)};
	if (record->flags & PTOWSP_TENSOR_SHAPELESS || !(program->traits[row].access || program->traits[row].loaded || program->traits[row].indexed ||
							 program->traits[row].allocated || program->traits[row].moved))
		return PTOWSP_OK; /* a tensor of another entry may have symbols that this one does not set */
	status = declared_shape(program, env, row, extents, error);
	if (!status && !shape_set(tensor, extents, record->dim_count))
		status = rt_fail(error, PTOWSP_RUN_FAILED, "tensor %s is too large", rt_tensor_name(program, row));
	return status;
}

static ptowsp_status bind(struct rt_tensors *tensors, const struct rt_program *program, const struct ptowsp_binding *binding, bool kernels,
			  struct ptowsp_error *error)
{
	struct rt_tensor *tensor, was;

	if (binding->tensor >= tensors->count)
		return rt_fail(error, PTOWSP_INVALID, "a binding names tensor %u of %u", binding->tensor, tensors->count);
	tensor = &tensors->rows[binding->tensor];
	was = *tensor;
	if (binding->dtype != tensor->dtype || binding->rank > 4 || !shape_set(tensor, binding->extents, binding->rank) ||
	    tensor->elements != binding->elements)
		return rt_fail(error, PTOWSP_INVALID, "the binding of tensor %s has another type, or extents that do not make %llu elements",
			       rt_tensor_name(program, binding->tensor), (unsigned long long)binding->elements);
	if (was.elements != UINT64_MAX && (was.elements != tensor->elements || was.columns != tensor->columns))
		return rt_fail(error, PTOWSP_INVALID, "the binding of tensor %s is %lld x %lld, the program says %lld x %lld",
			       rt_tensor_name(program, binding->tensor), (long long)tensor->rows, (long long)tensor->columns, (long long)was.rows,
			       (long long)was.columns);
	if (kernels && !binding->data && binding->elements)
		return rt_fail(error, PTOWSP_INVALID, "tensor %s is bound to no memory", rt_tensor_name(program, binding->tensor));
	tensor->data = binding->data;
	tensor->bound = true;
	return PTOWSP_OK;
}

ptowsp_status rt_tensors_init(struct rt_tensors *tensors, struct common_arena *arena, const struct rt_program *program, const struct ptowsp_run_args *args,
			      struct rt_env *env, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	tensors->count = program->tables.tensor.count;
	tensors->planned = program->planned;
	tensors->rows = common_take(arena, (size_t)tensors->count + 1, sizeof(*tensors->rows));
	if (!tensors->rows)
		return rt_no_memory(error, "tensors");
	if (args->binding_count && args->binding_stride < PTOWSP_BINDING_FLOOR_10_0)
		return rt_fail(error, PTOWSP_INVALID, "bindings have at least %u bytes, not %u", PTOWSP_BINDING_FLOOR_10_0, args->binding_stride);
	for (uint32_t t = 0; !status && t < tensors->count; t++)
		status = tensor_init(&tensors->rows[t], program, env, t, error);
	for (uint32_t b = 0; !status && b < args->binding_count; b++)
		status = bind(tensors, program, (const struct ptowsp_binding *)((const char *)args->bindings + (size_t)b * args->binding_stride),
			      !(args->flags & PTOWSP_RUN_NO_KERNELS) && !tensors->measuring, error);
	for (uint32_t t = 0; t < tensors->count; t++)
		tensors->rows[t].place = tensors->rows[t].data || !program->shadowed ? tensors->rows[t].data : RT_NOWHERE;
	return status;
}

/* ---- errors ---------------------------------------------------------------------------------------------------- */

static const char *origin(const struct rt_program *program, const struct rt_env *env, const struct rt_io *io, char *text, size_t size)
{
	uint32_t slot = rt_expr_source(&program->exprs, io->row);

	if (slot == PTOWSP_NONE)
		slot = rt_expr_source(&program->exprs, io->column);
	*text = 0;
	if (slot != PTOWSP_NONE)
		snprintf(text, size, "; %.40s is %lld", rt_slot_name(program, slot), (long long)env->values[slot]);
	return text;
}

static const char *toucher(const struct rt_program *program, const struct rt_env *env, uint32_t kernel, char *text, size_t size)
{
	if (kernel == PTOWSP_NONE)
		snprintf(text, size, "slot_load before task %llu", (unsigned long long)env->task);
	else
		snprintf(text, size, "task %llu, kernel %.40s,", (unsigned long long)env->task, rt_kernel_name(program, kernel));
	return text;
}

static ptowsp_status outside(const struct rt_program *program, const struct rt_env *env, const struct rt_io *io, const struct rt_tensor *tensor,
			     uint32_t kernel, int64_t from, int64_t to, struct ptowsp_error *error)
{
	char from_slot[80], who[80], has[40];

	/* One without a shape has as many as its binding, which is not looked at for elements before the first one. */
	snprintf(has, sizeof(has), tensor->elements == UINT64_MAX ? "begins at element 0" : "has %llu", (unsigned long long)tensor->elements);
	return rt_fail_at(error, PTOWSP_RUN_FAILED, env->task, kernel == PTOWSP_NONE ? UINT64_MAX : kernel,
			  "%s touches elements %lld to %lld of tensor %.40s, which %s%s", toucher(program, env, kernel, who, sizeof(who)), (long long)from,
			  (long long)to, rt_tensor_name(program, io->tensor), has, origin(program, env, io, from_slot, sizeof(from_slot)));
}

/* An offset that is beyond every tensor, not one that is not known. */
static bool is_endless(const struct rt_footprint *footprint, const struct rt_touched *touched)
{
	for (uint32_t i = 0; i < touched->read_count; i++)
		if (footprint->spans[touched->read + i].start >= RT_FAR - 1)
			return true;
	for (uint32_t i = 0; i < touched->write_count; i++)
		if (footprint->spans[touched->write + i].start >= RT_FAR - 1)
			return true;
	return false;
}

/* The extent of a tensor that is to be as large as what is touched. */
static ptowsp_status endless(const struct rt_program *program, const struct rt_env *env, const struct rt_io *io, uint32_t kernel, struct ptowsp_error *error)
{
	char who[80];

	return rt_fail_at(error, PTOWSP_TOO_BIG, env->task, kernel == PTOWSP_NONE ? UINT64_MAX : kernel,
			  "%s touches tensor %.40s at element 2^61 or behind it, and no tensor is so large", toucher(program, env, kernel, who, sizeof(who)),
			  rt_tensor_name(program, io->tensor));
}

/* A flat window that ends before its tensor does. */
static ptowsp_status beyond(const struct rt_program *program, const struct rt_env *env, const struct rt_io *io, uint32_t kernel, int64_t at,
			    struct ptowsp_error *error)
{
	char who[80];

	return rt_fail_at(error, PTOWSP_RUN_FAILED, env->task, kernel == PTOWSP_NONE ? UINT64_MAX : kernel,
			  "%s touches element %lld behind the start of its window of tensor %.40s, which has %u %s",
			  toucher(program, env, kernel, who, sizeof(who)), (long long)at / (io->view ? io->view : 1), rt_tensor_name(program, io->tensor),
			  io->limit / (io->view ? io->view : 1), io->view ? rt_dtype_text(io->view_dtype) : "elements");
}

/* A view of bytes begins at an element of what it is seen as. */
static ptowsp_status misaligned(const struct rt_access *access, const struct rt_program *program, const struct rt_env *env, uint32_t kernel,
				struct ptowsp_error *error)
{
	char from_slot[80], who[80];

	return rt_fail_at(error, PTOWSP_RUN_FAILED, env->task, kernel == PTOWSP_NONE ? UINT64_MAX : kernel,
			  "%s sees tensor %.40s as %s from byte %lld on, which is no multiple of %u%s", toucher(program, env, kernel, who, sizeof(who)),
			  rt_tensor_name(program, access->io->tensor), rt_dtype_text(access->io->view_dtype), (long long)access->start, access->io->view,
			  origin(program, env, access->io, from_slot, sizeof(from_slot)));
}

/* ---- resolving ------------------------------------------------------------------------------------------------- */

static bool far(int64_t value, int64_t limit)
{
	return value >= limit || value <= -limit;
}

static void measure(struct rt_tensors *tensors, uint32_t tensor, int64_t end)
{
	if (end > 0 && (uint64_t)end > tensors->most[tensor])
		tensors->most[tensor] = (uint64_t)end;
}

static void measure_block(struct rt_tensors *tensors, const struct rt_access *access)
{
	const struct rt_io *io = access->io;
	const int64_t rows = rt_access_rows(access), columns = rt_access_columns(access);
	int64_t row = access->key.row + rows, column = access->key.column + columns;

	if (tensors->rows[io->tensor].columns != RT_WIDE) {
		measure(tensors, io->tensor, access->start + (rows - 1) * tensors->rows[io->tensor].columns + columns);
		return;
	}
	if (row > tensors->most_row[io->tensor])
		tensors->most_row[io->tensor] = row;
	if (column > tensors->most_column[io->tensor])
		tensors->most_column[io->tensor] = column;
	measure(tensors, io->tensor, tensors->most_row[io->tensor] * tensors->most_column[io->tensor]);
}

static ptowsp_status block_outside(const struct rt_access *access, const struct rt_program *program, const struct rt_env *env, const struct rt_tensor *tensor,
				   uint32_t kernel, struct ptowsp_error *error)
{
	const struct rt_io *io = access->io;
	char from_slot[80], who[80];

	return rt_fail_at(error, PTOWSP_RUN_FAILED, env->task, kernel == PTOWSP_NONE ? UINT64_MAX : kernel,
			  "%s touches %u x %u elements at %lld, %lld of tensor %.40s, which is %lld x %lld%s", toucher(program, env, kernel, who, sizeof(who)),
			  rt_access_rows(access), rt_access_columns(access), (long long)access->key.row, (long long)access->key.column,
			  rt_tensor_name(program, io->tensor), (long long)tensor->rows, (long long)tensor->columns,
			  origin(program, env, io, from_slot, sizeof(from_slot)));
}

/* How much of the region is there, from what the task says. */
static ptowsp_status part_find(struct rt_access *access, const struct rt_program *program, struct rt_env *env, uint32_t kernel, struct ptowsp_error *error)
{
	const struct rt_io *io = access->io;
	const int64_t rows = io->parts & RT_PART_ROWS ? rt_value(env, io->part_rows) : io->rows;
	const int64_t columns = io->parts & RT_PART_COLUMNS ? rt_value(env, io->part_columns) : io->columns;
	char from_slot[80], who[80];

	if (env->failed)
		return PTOWSP_OK; /* by zero, which is told for all expressions of the task */
	if (rows < 1 || columns < 1 || rows > io->rows || columns > io->columns)
		return rt_fail_at(error, PTOWSP_RUN_FAILED, env->task, kernel, "%s gets %lld x %lld elements of tensor %.40s, and takes 1 x 1 to %u x %u%s",
				  toucher(program, env, kernel, who, sizeof(who)), (long long)rows, (long long)columns, rt_tensor_name(program, io->tensor),
				  io->rows, io->columns, origin(program, env, io, from_slot, sizeof(from_slot)));
	access->length = rt_part_length(io, rows, columns);
	return PTOWSP_OK;
}

static ptowsp_status block_resolve(struct rt_access *access, const struct rt_program *program, struct rt_tensors *tensors, struct rt_env *env, uint32_t kernel,
				   struct ptowsp_error *error)
{
	const struct rt_io *io = access->io;
	const struct rt_tensor *tensor = &tensors->rows[io->tensor];
	int64_t row = access->key.row, column = access->key.column;
	ptowsp_status status;

	access->length = 0;
	if (io->parts && (status = part_find(access, program, env, kernel, error)))
		return status;
	if (io->checked &&
	    (row < 0 || column < 0 || row > tensor->rows - (int64_t)rt_access_rows(access) || column > tensor->columns - (int64_t)rt_access_columns(access)))
		return block_outside(access, program, env, tensor, kernel, error);
	access->start = row * tensor->columns + column;
	if (io->view && access->start % io->view)
		return misaligned(access, program, env, kernel, error);
	if (tensors->measuring)
		measure_block(tensors, access);
	return PTOWSP_OK;
}

static ptowsp_status flat_resolve(struct rt_access *access, const struct rt_program *program, struct rt_tensors *tensors, struct rt_env *env,
				  const struct rt_footprint *footprint, uint32_t arg, uint32_t kernel, struct ptowsp_error *error)
{
	const struct rt_io *io = access->io;
	const struct rt_tensor *tensor = &tensors->rows[io->tensor];
	const struct rt_touched *touched = footprint->known ? &footprint->args[arg] : NULL;
	int64_t row = access->key.row, column = access->key.column, least = 0, most = rt_io_reach(io), end;

	if (far(row, RT_FAR / io->unit) || far(column, RT_FAR)) /* no tensor is that large, and the product would not fit */
		return outside(program, env, io, tensor, kernel, row, column, error);
	access->start = row * (int64_t)io->unit + column;
	if (touched && io->access) {
		least = touched->least;
		most = touched->most == RT_FAR ? rt_io_reach(io) : touched->most;
	}
	if (io->limit && io->access && (least < 0 || most > io->limit))
		return beyond(program, env, io, kernel, least < 0 ? least : most - 1, error);
	access->touched = touched && io->access ? touched : NULL;
	access->spans = footprint->spans;
	end = most == RT_FAR ? access->start : access->start + most;
	if (far(access->start, RT_FAR) || access->start + least < 0 || (!tensors->measuring && end >= 0 && (uint64_t)end > tensor->elements) ||
	    (touched && io->access ? 0 : access->start < 0))
		return outside(program, env, io, tensor, kernel, access->start + least, end - (end > access->start), error);
	if (io->view && access->start % io->view)
		return misaligned(access, program, env, kernel, error);
	if (tensors->measuring && access->touched && is_endless(footprint, access->touched))
		return endless(program, env, io, kernel, error);
	if (tensors->measuring && io->access && most == RT_FAR)
		tensors->most[io->tensor] = UINT64_MAX; /* as far as there is: only a bound file can say */
	else if (tensors->measuring && io->access)
		measure(tensors, io->tensor, end);
	access->length = most != RT_FAR ? (most > 0 ? (uint64_t)most : 0) : tensor->elements - (uint64_t)access->start;
	return PTOWSP_OK;
}

ptowsp_status rt_access_resolve(struct rt_access *access, const struct rt_program *program, struct rt_tensors *tensors, struct rt_env *env,
				const struct rt_io *io, uint32_t level, const struct rt_footprint *footprint, uint32_t arg, uint32_t kernel,
				struct ptowsp_error *error)
{
	access->io = io;
	access->key.row = rt_value(env, io->row);
	access->key.column = rt_value(env, io->column);
	access->key.class = io->unit ? io->key + level : io->key;
	return io->unit ? flat_resolve(access, program, tensors, env, footprint, arg, kernel, error)
			: block_resolve(access, program, tensors, env, kernel, error);
}

/* ---- elements -------------------------------------------------------------------------------------------------- */

static int64_t span_end(const struct rt_io *io, const struct rt_tensor *tensor, int64_t start, int64_t end)
{
	if (end != RT_FAR || io->limit)
		return start + (end != RT_FAR ? end : io->limit);
	return tensor->elements == UINT64_MAX ? start + RT_FAR : (int64_t)tensor->elements;
}

typedef bool (*visit_fn)(void *context, uint32_t tensor, int64_t start, int64_t end);

static void block_visit(const struct rt_access *access, const struct rt_tensor *tensor, visit_fn visit, void *context)
{
	const uint32_t tensor_row = access->io->tensor, rows = rt_access_rows(access), columns = rt_access_columns(access);
	int64_t start = access->start;
	bool more = true;

	if (columns == tensor->columns || rows == 1) { /* one piece */
		visit(context, tensor_row, start, start + (int64_t)rows * columns);
		return;
	}
	for (uint32_t r = 0; more && r < rows; r++, start += tensor->columns)
		more = visit(context, tensor_row, start, start + columns);
}

void rt_access_visit(const struct rt_access *access, const struct rt_tensors *tensors, unsigned bit,
		     bool (*visit)(void *context, uint32_t tensor, int64_t start, int64_t end), void *context)
{
	static const struct rt_span rest = {0, RT_FAR};
	const struct rt_io *io = access->io;
	const struct rt_tensor *tensor = &tensors->rows[io->tensor];
	const struct rt_span *span = &rest;
	uint32_t count = 1;
	bool more = true;

	if (!io->unit) {
		block_visit(access, tensor, visit, context);
		return;
	}
	if (access->touched) {
		span = access->spans + (bit == PTOWSP_READ ? access->touched->read : access->touched->write);
		count = bit == PTOWSP_READ ? access->touched->read_count : access->touched->write_count;
	}
	for (; more && count; count--, span++) {
		int64_t start = access->start + span->start, end = span_end(io, tensor, access->start, span->end);

		if (end > start)
			more = visit(context, io->tensor, start, end);
	}
}

void rt_access_window(const struct rt_io *io, const struct rt_tensor *tensor, int64_t start, uint64_t length, struct ptowsp_tensor_arg *window_out)
{
	*window_out = (struct ptowsp_tensor_arg){
		.rows = io->unit ? 1 : io->rows,
		.columns = io->unit ? length : io->columns,
		.row_stride = io->unit ? length : (uint64_t)tensor->columns,
		.column_stride = 1,
		.dtype = tensor->dtype,
		.access = io->access,
		.tensor = io->tensor,
	};
	if (io->view)
		rt_window_view(io, window_out);
	if (!io->unit && length & RT_WINDOW_PART) {
		window_out->rows = length >> 33;
		window_out->columns = length >> 2 & INT32_MAX;
	} else if (!io->unit && length) {
		window_out->data = (void *)(uintptr_t)(length & ~RT_WINDOW_FRESH);
		window_out->row_stride = io->columns;
		return;
	}
	/* A window that is not touched may begin anywhere: then it has no elements and begins at the tensor. */
	window_out->data = tensor->place && (start < 0 || (uint64_t)start > tensor->elements) ? tensor->place
			   : tensor->place                                                    ? tensor->place + start * (int64_t)tensor->size
											      : NULL;
}
