/* SPDX-License-Identifier: MIT */
/* axis.c - what a loop goes over: blocks of tile levels; rows of ragged and sparse axes. */
#include "rt/program/axis.h"

#include "rt/access/mirror.h"
#include "rt/program/arithmetic.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <string.h>

/* ---- tile levels ------------------------------------------------------------------------------------------------- */

static bool power_of_two(uint32_t n)
{
	return n && !(n & (n - 1));
}

static ptowsp_status level_read(struct rt_level_set *set, const struct ptowsp_level_record *level, struct ptowsp_error *error)
{
	if (!level->rows || level->rows % RT_LEVEL_BASE)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "tile level %u of block %u is not a multiple of 32", level->rows, level->block);
	if (!level->block)
		return level->rows == RT_LEVEL_BASE ? PTOWSP_OK
						    : rt_fail(error, PTOWSP_BAD_PACKAGE, "the residual tile level is %u, it must be 32", level->rows);
	if ((uint64_t)level->block * RT_LEVEL_BASE % level->rows)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "tile level %u does not divide a block of %u * 32 rows", level->rows, level->block);
	if (!power_of_two(level->block))
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "block size %u is not a power of two", level->block);
	set->rows[__builtin_ctz(level->block)] = level->rows;
	return PTOWSP_OK;
}

ptowsp_status rt_level_set_read(struct rt_level_set *set, const struct rt_tables *tables, uint32_t row, struct ptowsp_error *error)
{
	const struct ptowsp_levels_record *record;
	ptowsp_status status = PTOWSP_OK;

	memset(set, 0, sizeof(*set));
	for (unsigned k = 0; k < 32; k++)
		set->rows[k] = RT_LEVEL_BASE;
	if (row >= tables->levels.count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "there is no TLVL row %u", row);
	record = &tables->levels.rows[row];
	if (!power_of_two(record->max_range) || !power_of_two(record->min_range) || record->min_range > record->max_range)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "max_range %u and min_range %u must be powers of two, min not above max", record->max_range,
			       record->min_range);
	if (record->count > tables->level.count || record->first > tables->level.count - record->count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "TLVL row %u names LVLS rows that are not there", row);
	set->max_range = record->max_range;
	set->min_range = record->min_range;
	for (uint32_t i = 0; !status && i < record->count; i++)
		status = level_read(set, &tables->level.rows[record->first + i], error);
	return status;
}

/* Enters the next blocks, which are of one size: all of max_range, or a smaller one, or the residual. False at the end. */
static bool blocks_enter(struct rt_level_walk *walk)
{
	const struct rt_level_set *set = walk->set;
	uint64_t length = walk->rest;

	walk->step = 1;
	walk->level = 0;
	if (length >= set->min_range) {
		unsigned k = 63 - (unsigned)__builtin_clzll(length < set->max_range ? length : set->max_range);

		length = length >> k << k;
		walk->step = set->rows[k] / RT_LEVEL_BASE;
		walk->level = set->level[k];
	}
	walk->left = length / walk->step;
	walk->rest -= length;
	return walk->left > 0;
}

/* A block begins at a multiple of its size, which its step divides. */
struct rt_level_sum rt_level_sum(const struct rt_level_set *set, uint64_t count)
{
	struct rt_level_walk walk = {.set = set, .rest = count};
	struct rt_level_sum sum = {0};

	while (blocks_enter(&walk)) {
		sum.trips += walk.left;
		sum.stride = (uint32_t)rt_common(walk.step, sum.stride);
		sum.last = walk.step;
	}
	return sum;
}

bool rt_level_next(struct rt_level_walk *walk, int64_t *value_out)
{
	if (!walk->left && !blocks_enter(walk))
		return false;
	*value_out = (int64_t)walk->base;
	walk->base += walk->step;
	walk->left--;
	return true;
}

/* ---- rows of ragged and sparse axes ------------------------------------------------------------------------------ */

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
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "axis %.40s has %u values for %lld rows", name_of(program, loop), loop->count, (long long)rows);
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
	case PTOWSP_I8:
	case PTOWSP_I16:
	case PTOWSP_I32:
	case PTOWSP_I64:
	case PTOWSP_U8:
	case PTOWSP_U16:
	case PTOWSP_U32:
	case PTOWSP_U64: return true;
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
	if (tensor >= program->tables.tensor.count || !program->traits[tensor].indexed ||
	    !((program->traits[tensor].access | program->traits[tensor].moved) & PTOWSP_WRITE))
		return PTOWSP_OK;
	return rt_fail(error, PTOWSP_BAD_PACKAGE,
		       "tensor %.80s holds the lengths or indices of an axis, and the program writes it; read it into a slot instead",
		       rt_tensor_name(program, tensor));
}

ptowsp_status rt_axes_check(const struct rt_program *program, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; !status && i < program->loop_count; i++) {
		status = unwritten_check(program, program->loops[i].lengths, error);
		if (!status)
			status = unwritten_check(program, program->loops[i].indices, error);
	}
	return status;
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

/* Access to a row, with all that its refusal says. */
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
			  rt_position(&l->program->tables, l->where, text, sizeof(text)), name_of(l->program, l->loop), (long long)l->row, (long long)place,
			  rt_tensor_name(l->program, tensor), (unsigned long long)l->env->tensors->rows[tensor].elements);
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

/* An element that is there. */
static bool element_known(const struct rt_program *program, const struct rt_tensors *tensors, uint32_t tensor, int64_t place, int64_t *value_out)
{
	const struct rt_tensor *t = &tensors->rows[tensor];

	if (!t->data || (uint64_t)place >= t->elements || tensors->measuring)
		return false;
	rt_mirror_fetch(program->kernels.mirror, t->data + (uint64_t)place * t->size, t->size);
	*value_out = rt_element_value(t->data + (uint64_t)place * t->size, t->dtype);
	return true;
}

static ptowsp_status element(const struct look *l, uint32_t tensor, int64_t place, int64_t *value_out)
{
	const struct rt_tensors *tensors = l->env->tensors;
	const struct rt_tensor *t = &tensors->rows[tensor];

	if (element_known(l->program, tensors, tensor, place, value_out))
		return PTOWSP_OK;
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
	ptowsp_status status = element(l, l->loop->lengths, l->row, &length);

	if (!status && length < 0)
		status = refuse(l, "its length", length, INT64_MAX);
	row->count = (uint64_t)length;
	return status;
}

static ptowsp_status sparse_open(const struct look *l, struct rt_axis_row *row)
{
	const struct rt_tensors *tensors = l->env->tensors;
	uint64_t elements = tensors->rows[l->loop->indices].elements;
	int64_t end = 0, most = elements > INT64_MAX ? INT64_MAX : (int64_t)elements;
	ptowsp_status status = element(l, l->loop->lengths, l->row, &row->first);

	if (!status)
		status = element(l, l->loop->lengths, l->row + 1, &end);
	if (!status && (row->first < 0 || row->first > most))
		status = refuse(l, "its beginning", row->first, most);
	if (!status && (end < row->first || end > most))
		status = refuse(l, end < row->first ? "its end, which lies before its beginning," : "its end", end, most);
	row->count = (uint64_t)(end - row->first);
	return status;
}

ptowsp_status rt_axis_open(const struct rt_program *program, struct rt_env *env, const struct rt_loop *loop, uint32_t where, struct rt_axis_row *row_out,
			   struct ptowsp_error *error)
{
	struct look l = {program, env, loop, where, 0, error};
	int64_t rows = rt_value(env, loop->high);

	l.row = rt_value(env, loop->line);
	*row_out = (struct rt_axis_row){0};
	if (program->code[where].flags & PTOWSP_CHECKED && (l.row < 0 || l.row >= rows))
		return refuse(&l, "the row", l.row, rows - 1);
	if (loop->count) {
		const int64_t *v = values_of(program, loop) + l.row;

		*row_out = (struct rt_axis_row){v[0], (uint64_t)(v[1] - v[0])};
		return PTOWSP_OK;
	}
	return loop->kind == PTOWSP_AXIS_RAGGED ? ragged_open(&l, row_out) : sparse_open(&l, row_out);
}

static ptowsp_status index_find(const struct rt_program *program, struct rt_env *env, const struct rt_loop *loop, uint32_t where, int64_t place,
				int64_t *index_out, struct ptowsp_error *error)
{
	struct look l = {program, env, loop, where, 0, error};
	ptowsp_status status = element(&l, loop->indices, place, index_out);

	if (status || *index_out >= 0)
		return status;
	l.row = rt_value(env, loop->line);
	return refuse(&l, "an index", *index_out, INT64_MAX);
}

ptowsp_status rt_axis_index(const struct rt_program *program, struct rt_env *env, const struct rt_loop *loop, uint32_t where, int64_t place, int64_t *index_out,
			    struct ptowsp_error *error)
{
	int64_t rows = 0;

	if (!loop->count)
		return element_known(program, env->tensors, loop->indices, place, index_out) && *index_out >= 0
			       ? PTOWSP_OK
			       : index_find(program, env, loop, where, place, index_out, error);
	rt_expr_known(&program->exprs, loop->high, &rows);
	*index_out = values_of(program, loop)[rows + 1 + place];
	return PTOWSP_OK;
}
