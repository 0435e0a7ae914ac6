/* SPDX-License-Identifier: MIT */
/* region.c - regions of tensors: which are proved to lie inside, which share a class of keys. */
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include "rt/program/rt_program.h"
#include <stdlib.h>
#include <string.h>

/* Rows and columns of a tensor as a matrix whose last dimension are the columns; false if that depends on the run. */
static bool shape_known(struct rt_program *program, const struct ptowsp_tensor_record *tensor, int64_t *rows_out, int64_t *columns_out)
{
	const struct rt_nest none = {.key = PTOWSP_NONE};
	int64_t extent;
	uint32_t id;

	*rows_out = *columns_out = 1;
	if (tensor->flags & PTOWSP_TENSOR_SHAPELESS)
		return false;
	for (uint32_t d = 0; d < tensor->dim_count; d++) {
		if (rt_expr_compile(&program->exprs, &program->tables, program->tables.dim.rows[tensor->dims + d].extent, &none, false, &id, NULL) ||
		    !rt_expr_known(&program->exprs, id, &extent) || extent < 0 || extent > INT32_MAX || *rows_out > INT32_MAX)
			return false;
		*rows_out *= *columns_out;
		*columns_out = extent;
	}
	return *rows_out <= INT32_MAX;
}

static ptowsp_status outside(const struct rt_program *program, const struct rt_io *io, int64_t row, int64_t column, int64_t rows, int64_t columns,
			     struct ptowsp_error *error)
{
	return rt_fail(error, PTOWSP_BAD_PACKAGE, "the region %lld, %lld of %u x %u (unit %u) is outside tensor %s, %lld x %lld", (long long)row,
		       (long long)column, io->rows, io->columns, io->unit, rt_tensor_name(program, io->tensor), (long long)rows, (long long)columns);
}

/* io->checked = 0 only if the region lies inside its tensor whatever the run. A constant region outside is refused. */
static ptowsp_status region_prove(struct rt_program *program, const struct rt_nest *nest, struct rt_io *io, struct ptowsp_error *error)
{
	const struct ptowsp_tensor_record *tensor = &program->tables.tensor.rows[io->tensor];
	struct rt_bounds row, column;
	int64_t rows, columns, start;
	bool known;

	io->checked = 1;
	if (!shape_known(program, tensor, &rows, &columns))
		return PTOWSP_OK;
	row = rt_expr_bounds(&program->exprs, io->row, nest);
	column = rt_expr_bounds(&program->exprs, io->column, nest);
	known = row.low == row.high && column.low == column.high;
	if (!io->unit && row.low >= 0 && row.high <= rows - (int64_t)io->rows && column.low >= 0 && column.high <= columns - (int64_t)io->columns)
		io->checked = 0;
	else if (!io->unit && known)
		return outside(program, io, row.low, column.low, rows, columns, error);
	/* Of a flat window only the start is known here; how far it reaches is the kernel's. */
	if (io->unit && known && row.low > -INT32_MAX && row.low < INT32_MAX && column.low > -INT32_MAX && column.low < INT32_MAX) {
		start = row.low * (int64_t)io->unit + column.low;
		if (start < 0 || start > rows * columns)
			return outside(program, io, row.low, column.low, rows, columns, error);
	}
	return PTOWSP_OK;
}

/* What stands behind a block key besides row and column. */
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
static ptowsp_status view_lower(const struct rt_program *program, const struct ptowsp_region_record *record, struct rt_io *io, struct ptowsp_error *error)
{
	uint32_t size = record->view ? rt_dtype_bytes((uint16_t)(record->view - 1 < UINT16_MAX ? record->view - 1 : UINT16_MAX)) : 0;
	const char *name = rt_tensor_name(program, record->tensor);

	if (!record->view)
		return PTOWSP_OK;
	if (!size)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "a region of tensor %s is seen as the unknown type %u", name, record->view - 1);
	if (program->tables.tensor.rows[record->tensor].dtype != PTOWSP_U8)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "a region of tensor %s is seen as %s; only a tensor of u8 is seen as something else", name,
			       rt_dtype_text((uint16_t)(record->view - 1)));
	if (record->columns % size || (!record->unit && !record->columns))
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "a region of tensor %s has %u bytes, which is no multiple of the %u of an element of %s", name,
			       record->columns, size, rt_dtype_text((uint16_t)(record->view - 1)));
	io->view = (uint8_t)size;
	io->view_dtype = (uint16_t)(record->view - 1);
	return PTOWSP_OK;
}

/* Parameters of an entry have memory while that entry runs. */
static ptowsp_status owner_check(const struct rt_program *program, uint32_t tensor, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;
	uint32_t owner = tables->tensor.rows[tensor].entry;

	if (owner >= tables->entry.count || owner == program->entry)
		return PTOWSP_OK;
	return rt_fail(error, PTOWSP_BAD_PACKAGE, "tensor %.60s is one of entry %.60s, and entry %.60s has none of them", rt_tensor_name(program, tensor),
		       rt_string(tables, tables->entry.rows[owner].name), rt_string(tables, tables->entry.rows[program->entry].name));
}

ptowsp_status rt_io_lower(struct rt_program *program, const struct rt_nest *nest, uint32_t region, struct rt_io *io, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;
	const struct ptowsp_region_record *record;
	ptowsp_status status;

	if (region >= tables->region.count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "there is no REGN row %u, the table has %u", region, tables->region.count);
	record = &tables->region.rows[region];
	if (record->tensor >= tables->tensor.count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "REGN row %u names tensor %u of %u", region, record->tensor, tables->tensor.count);
	if ((status = owner_check(program, record->tensor, error)))
		return status;
	if (!record->unit && (!record->rows || !record->columns))
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "REGN row %u has no elements: %u x %u", region, record->rows, record->columns);
	io->tensor = record->tensor;
	io->unit = record->unit;
	io->rows = record->unit ? 0 : record->rows;
	io->columns = record->unit ? 0 : record->columns;
	io->limit = record->unit ? record->columns : 0;
	status = view_lower(program, record, io, error);
	if (status)
		return status;
	status = rt_expr_compile(&program->exprs, tables, record->row, nest, false, &io->row, error);
	if (!status)
		status = rt_expr_compile(&program->exprs, tables, record->column, nest, false, &io->column, error);
	if (!status)
		status = region_prove(program, nest, io, error);
	if (!status)
		rt_renaming_see(program, nest, io);
	io->key = program->region_class[region];
	return status;
}
