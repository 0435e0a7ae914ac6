/* SPDX-License-Identifier: MIT */
/* verify_axes.c - what the kinds of axes ask of their fields and values, and what entries that are one task of a kernel need. */
#include "format/verify/verify.h"

#include "ptowsp/workload.h"

#include <stdbool.h>
#include <stdlib.h>

#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

static bool is_const(const struct pkg_tables *t, uint32_t expr, int64_t *value_out)
{
	const struct ptowsp_expr_record *e = &t->expr[expr];

	*value_out = (int64_t)((uint64_t)e->c << 32 | e->b);
	return e->op == PTOWSP_EXPR_CONST;
}

static ptowsp_status dense_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_axis_record *a = &c->tables->axis[i];

	MUST(a->row == PTOWSP_NONE && a->lengths == PTOWSP_NONE && a->indices == PTOWSP_NONE && !a->count,
	     "AXES[%u] is dense: only ragged and sparse axes have a row, lengths, indices or values", (unsigned)i);
	return PTOWSP_OK;
}

/* Running sums, or beginnings of rows: from 0 on, never falling. */
static ptowsp_status sums_check(const struct pkg_check *c, uint32_t i, uint64_t rows)
{
	const struct ptowsp_axis_record *a = &c->tables->axis[i];
	const struct ptowsp_axis_value_record *v = c->tables->axis_value + a->first;

	MUST(!v[0].value, "AXVL[%u].value is %lld: the values of an axis begin with 0", (unsigned)a->first, (long long)v[0].value);
	for (uint64_t k = 1; k <= rows; k++)
		MUST(v[k].value >= v[k - 1].value, "AXVL[%u].value is %lld, less than the one before it: running sums do not fall", (unsigned)(a->first + k),
		     (long long)v[k].value);
	return PTOWSP_OK;
}

static ptowsp_status values_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_axis_record *a = &c->tables->axis[i];
	const struct ptowsp_axis_value_record *v = c->tables->axis_value + a->first;
	int sparse = a->kind == PTOWSP_AXIS_SPARSE;
	int64_t rows = 0;
	ptowsp_status status;

	MUST(a->lengths == PTOWSP_NONE && a->indices == PTOWSP_NONE, "AXES[%u] has values and tensors: it needs one of them", (unsigned)i);
	MUST(is_const(c->tables, a->high, &rows) && rows >= 0 && rows < (int64_t)a->count && (sparse || rows + 1 == (int64_t)a->count),
	     "AXES[%u].count is %u: a %s axis has one value more than rows%s, and high must say how many rows as a constant", (unsigned)i, (unsigned)a->count,
	     sparse ? "sparse" : "ragged", sparse ? ", then its indices" : "");
	status = sums_check(c, i, (uint64_t)rows);
	if (status || !sparse)
		return status;
	MUST(v[rows].value == (int64_t)a->count - rows - 1, "AXES[%u]: its rows have %lld indices, %lld follow", (unsigned)i, (long long)v[rows].value,
	     (long long)a->count - (long long)rows - 1);
	for (uint64_t k = (uint64_t)rows + 1; k < a->count; k++)
		MUST(v[k].value >= 0, "AXVL[%u].value is %lld: an index is 0 or more", (unsigned)(a->first + k), (long long)v[k].value);
	return PTOWSP_OK;
}

static bool is_index(const struct pkg_tables *t, uint32_t tensor)
{
	static const uint8_t kinds[] = {PTOWSP_I8, PTOWSP_I16, PTOWSP_I32, PTOWSP_I64, PTOWSP_U8, PTOWSP_U16, PTOWSP_U32, PTOWSP_U64};

	for (size_t k = 0; k < sizeof(kinds); k++)
		if (t->tensor[tensor].dtype == kinds[k])
			return true;
	return false;
}

static ptowsp_status rows_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_axis_record *a = &c->tables->axis[i];
	int sparse = a->kind == PTOWSP_AXIS_SPARSE;
	int64_t low = 0, step = 0;

	MUST(a->row != PTOWSP_NONE, "AXES[%u].row is missing: a ragged or sparse axis runs over one row", (unsigned)i);
	MUST(is_const(c->tables, a->low, &low) && !low && is_const(c->tables, a->step, &step) && step == 1 && a->levels == PTOWSP_NONE,
	     "AXES[%u]: low is 0, step is 1 and there are no levels where an axis is ragged or sparse", (unsigned)i);
	if (a->count)
		return values_check(c, i);
	MUST(a->lengths != PTOWSP_NONE, "AXES[%u] has neither values nor a tensor of lengths", (unsigned)i);
	MUST((a->indices != PTOWSP_NONE) == sparse, "AXES[%u].indices: a sparse axis has them, a ragged one has not", (unsigned)i);
	MUST(is_index(c->tables, a->lengths) && (!sparse || is_index(c->tables, a->indices)), "AXES[%u]: lengths and indices are tensors of integers",
	     (unsigned)i);
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_axes(const struct pkg_check *c)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < c->tables->axis_count && !status; i++)
		status = c->tables->axis[i].kind == PTOWSP_AXIS_RAGGED || c->tables->axis[i].kind == PTOWSP_AXIS_SPARSE ? rows_check(c, i) : dense_check(c, i);
	return status;
}

static ptowsp_status entry_check(const struct pkg_check *c, uint32_t i, const uint32_t *tensors)
{
	const struct pkg_tables *t = c->tables;
	const struct ptowsp_kernel_record *k = &t->kernel[t->entry[i].instruction];
	uint32_t scalars = 0;

	for (uint32_t p = 0; p < k->param_count; p++)
		scalars += t->param[k->params + p].kind == PTOWSP_PARAM_SCALAR;
	MUST(t->entry[i].value_count == scalars, "ENTR[%u].value_count is %u: its kernel has %u scalars", (unsigned)i, (unsigned)t->entry[i].value_count,
	     (unsigned)scalars);
	MUST(tensors[i] == k->param_count - scalars, "ENTR[%u]: %u tensors are its own, its kernel has %u", (unsigned)i, (unsigned)tensors[i],
	     (unsigned)(k->param_count - scalars));
	return PTOWSP_OK;
}

/* Each tensor has a place among the parameters; that no two have the same is seen when the program is loaded. */
static ptowsp_status positions_check(const struct pkg_check *c, const uint32_t *tensors)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->tensor_count; i++) {
		uint32_t entry = t->tensor[i].entry;

		if (entry != PTOWSP_NONE && t->entry[entry].flags & PTOWSP_ENTRY_KERNEL)
			MUST(t->tensor[i].position < tensors[entry], "TENS[%u].position is %u: its entry has %u tensors", (unsigned)i,
			     (unsigned)t->tensor[i].position, (unsigned)tensors[entry]);
	}
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_kernel_entries(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	uint32_t *tensors = calloc((size_t)t->entry_count + 1, sizeof(*tensors));
	ptowsp_status status = PTOWSP_OK;

	if (!tensors)
		return pkg_fail(c->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", c->place.file);
	for (uint32_t i = 0; i < t->tensor_count; i++)
		if (t->tensor[i].entry != PTOWSP_NONE)
			tensors[t->tensor[i].entry]++;
	for (uint32_t i = 0; i < t->entry_count && !status; i++)
		if (t->entry[i].flags & PTOWSP_ENTRY_KERNEL)
			status = entry_check(c, i, tensors);
	if (!status)
		status = positions_check(c, tensors);
	free(tensors);
	return status;
}
