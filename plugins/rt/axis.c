/* SPDX-License-Identifier: MIT */
#include "rt/axis.h"

#include <stdio.h>
#include "rt/error.h"
#include "rt/run.h"

static const char *name_of(const struct rt_program *program, const struct rt_loop *loop)
{
	return rt_string(&program->tables, loop->name);
}

static const int64_t *values_of(const struct rt_program *program, const struct rt_loop *loop)
{
	return &program->tables.axis_value.rows[loop->first].value; /* a record is one value */
}

/* ---- at load --------------------------------------------------------------------------------------------------- */

/* Running sums or beginnings of rows, then indices: checked here, so that a run need not. */
static ptowsp_status values_check(const struct rt_program *program, const struct rt_loop *loop, int64_t rows, struct ptowsp_error *error)
{
	const int64_t *v = values_of(program, loop);
	bool sparse = loop->kind == PTOWSP_AXIS_SPARSE;

	if (rows < 0 || rows >= loop->count || (!sparse && rows + 1 != loop->count))
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "axis %.40s has %u values for %lld rows", name_of(program, loop), loop->count,
			       (long long)rows);
	for (int64_t k = 0; k <= rows; k++)
		if (k ? v[k] < v[k - 1] : v[k] != 0)
			return rt_fail(error, PTOWSP_BAD_PACKAGE, "axis %.40s: the running sum of row %lld is %lld, sums begin with 0 and never fall",
				       name_of(program, loop), (long long)k, (long long)v[k]);
	if (sparse && v[rows] != (int64_t)loop->count - rows - 1)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "axis %.40s: its rows have %lld indices, the package %lld", name_of(program, loop),
			       (long long)v[rows], (long long)loop->count - (long long)rows - 1);
	for (int64_t k = rows + 1; k < loop->count; k++)
		if (v[k] < 0)
			return rt_fail(error, PTOWSP_BAD_PACKAGE, "axis %.40s: index %lld is %lld, it must be 0 or more", name_of(program, loop),
				       (long long)(k - rows - 1), (long long)v[k]);
	return PTOWSP_OK;
}

static bool is_integer(const struct rt_program *program, uint32_t tensor)
{
	switch (program->tables.tensor.rows[tensor].dtype) {
	case PTOWSP_I8: case PTOWSP_I16: case PTOWSP_I32: case PTOWSP_I64:
	case PTOWSP_U8: case PTOWSP_U16: case PTOWSP_U32: case PTOWSP_U64: return true;
	}
	return false;
}

static bool is_tensor(const struct rt_program *program, uint32_t tensor)
{
	return tensor < program->tables.tensor.count && is_integer(program, tensor);
}

ptowsp_status rt_axis_check(const struct rt_program *program, const struct rt_loop *loop, int64_t rows, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;
	int64_t low = 1, step = 0;

	if (!rt_expr_known(&program->exprs, loop->low, &low) || low || !rt_expr_known(&program->exprs, loop->step, &step) || step != 1 ||
	    loop->levels != PTOWSP_NONE)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "axis %.40s is ragged or sparse: it begins at 0, has step 1 and no tile levels",
			       name_of(program, loop));
	if (loop->count > tables->axis_value.count || loop->first > tables->axis_value.count - loop->count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "axis %.40s names AXVL rows that are not there", name_of(program, loop));
	if (loop->count)
		return values_check(program, loop, rows, error);
	if (!is_tensor(program, loop->lengths) || (loop->kind == PTOWSP_AXIS_SPARSE && !is_tensor(program, loop->indices)))
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "axis %.40s needs %s, as values or as tensors of integers", name_of(program, loop),
			       loop->kind == PTOWSP_AXIS_SPARSE ? "beginnings of rows and indices" : "lengths");
	return PTOWSP_OK;
}

static ptowsp_status unwritten_check(const struct rt_program *program, uint32_t tensor, struct ptowsp_error *error)
{
	if (tensor >= program->tables.tensor.count || !program->tensor_indexed[tensor] ||
	    !((program->tensor_access[tensor] | program->tensor_moved[tensor]) & PTOWSP_WRITE))
		return PTOWSP_OK;
	return rt_fail(error, PTOWSP_BAD_PACKAGE, "tensor %.80s holds the lengths or indices of an axis, and the program writes it; read it into a slot instead",
		       rt_tensor_name(program, tensor));
}

ptowsp_status rt_axes_check(const struct rt_program *program, struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t i = 0; !st && i < program->loop_count; i++) {
		st = unwritten_check(program, program->loops[i].lengths, error);
		if (!st)
			st = unwritten_check(program, program->loops[i].indices, error);
	}
	return st;
}

int64_t rt_axis_most(const struct rt_program *program, const struct rt_loop *loop)
{
	const int64_t *v;
	int64_t most = -1, rows = 0;

	if (!loop->count || !rt_expr_known(&program->exprs, loop->high, &rows))
		return INT64_MAX;
	v = values_of(program, loop);
	for (int64_t k = 1; loop->kind == PTOWSP_AXIS_RAGGED && k <= rows; k++)
		most = v[k] - v[k - 1] - 1 > most ? v[k] - v[k - 1] - 1 : most;
	for (int64_t k = rows + 1; loop->kind == PTOWSP_AXIS_SPARSE && k < loop->count; k++)
		most = v[k] > most ? v[k] : most;
	return most;
}

/* ---- while a run goes on --------------------------------------------------------------------------------------- */

/* What an access to a row needs to know and to say. */
struct look {
	const struct rt_program *program;
	struct rt_env *env;
	const struct rt_loop *loop;
	uint32_t where;
	int64_t row;
	struct ptowsp_error *error;
};

static ptowsp_status refuse(const struct look *l, const char *what, int64_t value, int64_t limit)
{
	char text[160];

	return rt_fail_at(l->error, PTOWSP_RUN_FAILED, l->env->task, UINT64_MAX, "%s: axis %.40s, row %lld: %s is %lld, allowed are 0 to %lld",
			  rt_position(&l->program->tables, l->where, text, sizeof(text)), name_of(l->program, l->loop), (long long)l->row, what,
			  (long long)value, (long long)limit);
}

static ptowsp_status short_tensor(const struct look *l, uint32_t tensor, int64_t place)
{
	char text[160];

	return rt_fail_at(l->error, PTOWSP_RUN_FAILED, l->env->task, UINT64_MAX,
			  "%s: axis %.40s, row %lld: element %lld of tensor %.40s is needed, which has %llu",
			  rt_position(&l->program->tables, l->where, text, sizeof(text)), name_of(l->program, l->loop), (long long)l->row,
			  (long long)place, rt_tensor_name(l->program, tensor), (unsigned long long)l->env->tensors->rows[tensor].elements);
}

static ptowsp_status unbound(const struct look *l, uint32_t tensor)
{
	struct rt_tensors *tensors = l->env->tensors;
	char text[160];

	if (tensors->strict)
		return rt_fail_at(l->error, PTOWSP_RUN_FAILED, l->env->task, UINT64_MAX, "%s: axis %.40s reads tensor %.40s, which is bound to no memory",
				  rt_position(&l->program->tables, l->where, text, sizeof(text)), name_of(l->program, l->loop),
				  rt_tensor_name(l->program, tensor));
	if (!tensors->unbound_told)
		rt_log(l->program, PTOWSP_LOG_WARNING, "axis %.40s reads tensor %.40s, which is not bound: all its elements are 0",
		       name_of(l->program, l->loop), rt_tensor_name(l->program, tensor));
	tensors->unbound_told = true;
	return PTOWSP_OK;
}

static ptowsp_status element(const struct look *l, uint32_t tensor, int64_t place, int64_t *value_out)
{
	const struct rt_tensors *tensors = l->env->tensors;
	const struct rt_tensor *t = &tensors->rows[tensor];

	*value_out = 0;
	if (tensors->measuring && (uint64_t)place >= tensors->most[tensor])
		tensors->most[tensor] = (uint64_t)place + 1;
	if (!tensors->measuring && (uint64_t)place >= t->elements)
		return short_tensor(l, tensor, place);
	if (!t->data)
		return unbound(l, tensor);
	if ((uint64_t)place < t->elements)
		*value_out = rt_element_value((const char *)t->data + (uint64_t)place * t->size, t->dtype);
	return PTOWSP_OK;
}

static ptowsp_status ragged_open(const struct look *l, struct rt_axis_row *row)
{
	int64_t length = 0;
	ptowsp_status st;

	if (l->loop->count) {
		const int64_t *v = values_of(l->program, l->loop) + l->row;

		row->count = (uint64_t)(v[1] - v[0]);
		return PTOWSP_OK;
	}
	st = element(l, l->loop->lengths, l->row, &length);
	if (!st && length < 0)
		st = refuse(l, "its length", length, INT64_MAX);
	row->count = (uint64_t)length;
	return st;
}

static ptowsp_status sparse_open(const struct look *l, struct rt_axis_row *row)
{
	const struct rt_tensors *tensors = l->env->tensors;
	uint64_t elements = l->loop->count ? 0 : tensors->rows[l->loop->indices].elements;
	int64_t end = 0, most = elements > INT64_MAX ? INT64_MAX : (int64_t)elements;
	ptowsp_status st;

	if (l->loop->count) {
		const int64_t *v = values_of(l->program, l->loop) + l->row;

		row->first = v[0];
		row->count = (uint64_t)(v[1] - v[0]);
		return PTOWSP_OK;
	}
	st = element(l, l->loop->lengths, l->row, &row->first);
	if (!st)
		st = element(l, l->loop->lengths, l->row + 1, &end);
	if (!st && (row->first < 0 || row->first > most))
		st = refuse(l, "its beginning", row->first, most);
	if (!st && (end < row->first || end > most))
		st = refuse(l, end < row->first ? "its end, which lies before its beginning," : "its end", end, most);
	row->count = (uint64_t)(end - row->first);
	return st;
}

ptowsp_status rt_axis_open(const struct rt_program *program, struct rt_env *env, const struct rt_loop *loop, uint32_t where,
			   struct rt_axis_row *row_out, struct ptowsp_error *error)
{
	struct look l = {program, env, loop, where, 0, error};
	int64_t rows = rt_value(env, loop->high);

	l.row = rt_value(env, loop->line);
	*row_out = (struct rt_axis_row){0};
	if (program->code[where].flags & PTOWSP_CHECKED && (l.row < 0 || l.row >= rows))
		return refuse(&l, "the row", l.row, rows - 1);
	return loop->kind == PTOWSP_AXIS_RAGGED ? ragged_open(&l, row_out) : sparse_open(&l, row_out);
}

ptowsp_status rt_axis_index(const struct rt_program *program, struct rt_env *env, const struct rt_loop *loop, uint32_t where,
			    int64_t place, int64_t *index_out, struct ptowsp_error *error)
{
	struct look l = {program, env, loop, where, 0, error};
	int64_t rows = 0;
	ptowsp_status st;

	if (loop->count) {
		rt_expr_known(&program->exprs, loop->high, &rows);
		*index_out = values_of(program, loop)[rows + 1 + place];
		return PTOWSP_OK;
	}
	st = element(&l, loop->indices, place, index_out);
	if (st || *index_out >= 0)
		return st;
	l.row = rt_value(env, loop->line);
	return refuse(&l, "an index", *index_out, INT64_MAX);
}
