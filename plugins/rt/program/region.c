/* SPDX-License-Identifier: MIT */
/* region.c - regions of tensors: which are proved to lie inside, which share a class of keys. */
#include "rt/program/dtype.h"
#include "rt/program/rt_verify.h"
#include <stdlib.h>
#include <string.h>

/* Rows and columns of a tensor as a matrix whose last dimension are the columns; false if that depends on the run. */
static bool shape_known(const struct rt_program *program, const struct ptowsp_tensor_record *tensor, int64_t *rows_out, int64_t *columns_out)
{
	int64_t extent;

	*rows_out = *columns_out = 1;
	if (tensor->flags & PTOWSP_TENSOR_SHAPELESS)
		return false;
	for (uint32_t d = 0; d < tensor->dim_count; d++) {
		if (!rt_expr_known(&program->exprs, program->dim_exprs[tensor->dims + d], &extent) || extent < 0 || extent > INT32_MAX || *rows_out > INT32_MAX)
			return false;
		*rows_out *= *columns_out;
		*columns_out = extent;
	}
	return *rows_out <= INT32_MAX;
}

/* io->checked = 0 only if the region lies inside its tensor whatever the run. A constant region outside is refused. */
static ptowsp_status region_prove(struct rt_verifier *v, struct rt_io *io)
{
	const struct rt_exprs *exprs = &v->program->exprs;
	const struct rt_bounds row = rt_expr_bounds(exprs, io->row, &v->nest), column = rt_expr_bounds(exprs, io->column, &v->nest);
	bool outside = row.low == row.high && column.low == column.high;
	int64_t rows, columns, start;

	io->checked = 1;
	if (io->parts || !shape_known(v->program, &v->program->tables.tensor.rows[io->tensor], &rows, &columns))
		return PTOWSP_OK;
	if (!io->unit) {
		io->checked = row.low < 0 || row.high > rows - (int64_t)io->rows || column.low < 0 || column.high > columns - (int64_t)io->columns;
		outside &= io->checked;
	} else if (outside) { /* only the start is known here; how far it reaches is the kernel's */
		outside = row.low > -INT32_MAX && row.low < INT32_MAX && column.low > -INT32_MAX && column.low < INT32_MAX;
		start = outside ? row.low * (int64_t)io->unit + column.low : 0;
		outside &= start < 0 || start > rows * columns;
	}
	return outside ? RT_REFUSE(v, "the region %lld, %lld of %u x %u (unit %u) is outside tensor %s, %lld x %lld", (long long)row.low, (long long)column.low,
				   io->rows, io->columns, io->unit, rt_tensor_name(v->program, io->tensor), (long long)rows, (long long)columns)
		       : PTOWSP_OK;
}

/* A block key's part besides row and column. */
struct shape {
	uint32_t tensor, rows, columns, region;
};

static int shape_compare(const void *a, const void *b)
{
	return memcmp(a, b, offsetof(struct shape, region)); /* any order will do */
}

ptowsp_status rt_classes_init(struct rt_program *program, struct ptowsp_error *error)
{
	const struct ptowsp_region_record *rows = program->tables.region.rows;
	uint32_t count = program->tables.region.count;
	struct shape *shapes = calloc((size_t)count + 1, sizeof(*shapes));

	program->region_class = calloc((size_t)count + 1, sizeof(*program->region_class));
	if (!shapes || !program->region_class) {
		free(shapes);
		return rt_no_memory(error, "regions");
	}
	for (uint32_t i = 0; i < count; i++)
		shapes[i] = (struct shape){rows[i].tensor, rows[i].rows, rows[i].columns, i};
	qsort(shapes, count, sizeof(*shapes), shape_compare);
	for (uint32_t i = 0; i < count; i++) {
		if (i && shape_compare(&shapes[i - 1], &shapes[i]))
			program->class_count++;
		program->region_class[shapes[i].region] = program->class_count;
	}
	program->class_count++;
	free(shapes);
	return PTOWSP_OK;
}

/* Bytes of a tensor as elements of another type. That a window begins at one of them is checked where it depends on the run. */
static ptowsp_status view_lower(struct rt_verifier *v, const struct ptowsp_region_record *record, struct rt_io *io)
{
	uint32_t size = record->view ? rt_dtype_bytes((uint16_t)(record->view - 1 < UINT16_MAX ? record->view - 1 : UINT16_MAX)) : 0;
	const char *name = rt_tensor_name(v->program, record->tensor);

	if (!record->view)
		return PTOWSP_OK;
	if (!size)
		return RT_REFUSE(v, "a region of tensor %s is seen as the unknown type %u", name, record->view - 1);
	if (v->program->tables.tensor.rows[record->tensor].dtype != PTOWSP_U8)
		return RT_REFUSE(v, "a region of tensor %s is seen as %s; only a tensor of u8 is seen as something else", name,
				 rt_dtype_text((uint16_t)(record->view - 1)));
	if (record->columns % size || (!record->unit && !record->columns))
		return RT_REFUSE(v, "a region of tensor %s has %u bytes, which is no multiple of the %u of an element of %s", name, record->columns, size,
				 rt_dtype_text((uint16_t)(record->view - 1)));
	io->view = (uint8_t)size;
	io->view_dtype = (uint16_t)(record->view - 1);
	return PTOWSP_OK;
}

/* Parameters of an entry have memory while that entry runs. */
static ptowsp_status owner_check(struct rt_verifier *v, uint32_t tensor)
{
	const struct rt_tables *tables = &v->program->tables;
	uint32_t owner = tables->tensor.rows[tensor].entry;

	if (owner >= tables->entry.count || owner == v->program->entry)
		return PTOWSP_OK;
	return RT_REFUSE(v, "tensor %.60s is one of entry %.60s, and entry %.60s has none of them", rt_tensor_name(v->program, tensor),
			 rt_string(tables, tables->entry.rows[owner].name), rt_string(tables, tables->entry.rows[v->program->entry].name));
}

ptowsp_status rt_io_lower(struct rt_verifier *v, uint32_t region, struct rt_io *io)
{
	const struct rt_tables *tables = &v->program->tables;
	ptowsp_status status = rt_verifier_row(v, "REGN row", region, tables->region.count);
	const struct ptowsp_region_record *record = status ? NULL : &tables->region.rows[region];

	if (!status && record->tensor >= tables->tensor.count)
		status = RT_REFUSE(v, "REGN row %u names tensor %u of %u", region, record->tensor, tables->tensor.count);
	if (!status)
		status = owner_check(v, record->tensor);
	if (status)
		return status;
	if (io->parts && (record->unit || record->view || record->rows > INT32_MAX || record->columns > INT32_MAX))
		return RT_REFUSE(v, "REGN row %u is partly there, and is no block of at most 2^31 - 1 rows and columns of elements as they are", region);
	if (!record->unit && (!record->rows || !record->columns))
		return RT_REFUSE(v, "REGN row %u has no elements: %u x %u", region, record->rows, record->columns);
	io->tensor = record->tensor;
	io->unit = record->unit;
	io->rows = record->unit ? 0 : record->rows;
	io->columns = record->unit ? 0 : record->columns;
	io->limit = record->unit ? record->columns : 0;
	io->key = v->program->region_class[region];
	status = view_lower(v, record, io);
	if (!status)
		status = rt_verifier_expr(v, record->row, &io->row);
	if (!status)
		status = rt_verifier_expr(v, record->column, &io->column);
	if (!status)
		status = region_prove(v, io);
	if (!status)
		rt_renaming_see(v->program, &v->nest, io);
	return status;
}
