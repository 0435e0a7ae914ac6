/* SPDX-License-Identifier: MIT */
/* verify_rules.c - the rules between fields and tables that records.def cannot say: expressions, axes, entries, and a function for each other table. */
#include "format/format_names.h"
#include "format/graph/graph_read.h"
#include "format/verify/verify.h"
#include "ptowsp/workload.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- expressions, and the tables whose fields are some. ---- */

#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

/* Operands of one node; those that it does not use are 0, so that equal expressions have equal bytes. */
static ptowsp_status node_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_expr_record *e = &c->tables->expr[i];
	const uint32_t operands[3] = {e->a, e->b, e->c};
	uint32_t used = pkg_expr_operands(e->op), free_from = used;

	for (uint32_t k = 0; k < used; k++)
		MUST(operands[k] < i, "EXPR[%u].%c is %u: an operand is an earlier row", (unsigned)i, "abc"[k], (unsigned)operands[k]);
	if (e->op == PTOWSP_EXPR_CONST) {
		MUST(!e->a, "EXPR[%u].a is %u: not used by %s, must be 0", (unsigned)i, (unsigned)e->a, "const");
		return PTOWSP_OK;
	}
	if (e->op == PTOWSP_EXPR_LOOP)
		MUST(e->a < PTOWSP_NESTING_LIMIT, "EXPR[%u].a is %u: loops nest at most %u deep", (unsigned)i, (unsigned)e->a, PTOWSP_NESTING_LIMIT);
	if (e->op == PTOWSP_EXPR_VALUE)
		MUST(e->a < c->tables->slot_count, "EXPR[%u].a is %u: SLOT has %u rows", (unsigned)i, (unsigned)e->a, (unsigned)c->tables->slot_count);
	if (e->op == PTOWSP_EXPR_AXIS)
		MUST(e->a && pkg_verify_is_string(c, e->a), "EXPR[%u].a is %u: not the name of a loop in STRS", (unsigned)i, (unsigned)e->a);
	if (e->op == PTOWSP_EXPR_LOOP || e->op == PTOWSP_EXPR_VALUE || e->op == PTOWSP_EXPR_AXIS)
		free_from = 1;
	for (uint32_t k = free_from; k < 3; k++)
		MUST(!operands[k], "EXPR[%u].%c is %u: not used by %s, must be 0", (unsigned)i, "abc"[k], (unsigned)operands[k],
		     pkg_word(PKG_WORDS_expr_op, e->op));
	return PTOWSP_OK;
}

/* varies[i] = 1 if row i depends on more than constants and symbols. Operands are earlier rows: one pass. */
static void varies_fill(const struct pkg_tables *t, uint8_t *varies)
{
	for (uint32_t i = 0; i < t->expr_count; i++) {
		const struct ptowsp_expr_record *e = &t->expr[i];
		const uint32_t operands[3] = {e->a, e->b, e->c};

		varies[i] = e->op == PTOWSP_EXPR_LOOP || e->op == PTOWSP_EXPR_AXIS || e->op == PTOWSP_EXPR_TASK || e->op == PTOWSP_EXPR_INSTANCE ||
			    (e->op == PTOWSP_EXPR_VALUE && t->slot[e->a].kind != PTOWSP_SLOT_SYMBOL);
		for (uint32_t k = 0; k < pkg_expr_operands(e->op); k++)
			varies[i] |= varies[operands[k]];
	}
}

static ptowsp_status dims_check(const struct pkg_check *c, const uint8_t *varies)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->dim_count; i++) {
		const struct ptowsp_expr_record *e = &t->expr[t->dim[i].extent];

		MUST(!varies[t->dim[i].extent], "DIMS[%u].extent is EXPR[%u], which uses more than constants and symbols", (unsigned)i,
		     (unsigned)t->dim[i].extent);
		MUST(e->op != PTOWSP_EXPR_CONST || !(e->c >> 31), "DIMS[%u].extent is negative", (unsigned)i);
	}
	return PTOWSP_OK;
}

/* Expressions with the extents of tensors, then steps of axes and units of regions (verify_exprs.c). */
static ptowsp_status pkg_verify_exprs(const struct pkg_check *c)
{
	uint32_t count = c->tables->expr_count;
	ptowsp_status status = PTOWSP_OK;
	uint8_t *varies;

	for (uint32_t i = 0; i < count && !status; i++)
		status = node_check(c, i);
	if (status)
		return status;
	varies = calloc(count + 1, 1);
	if (!varies)
		return pkg_fail(c->place.error, PTOWSP_NO_MEMORY, "%s: out of memory", c->place.file);
	varies_fill(c->tables, varies);
	status = dims_check(c, varies);
	free(varies);
	return status;
}

static ptowsp_status verify_loops(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->axis_count; i++) {
		const struct ptowsp_expr_record *step = &t->expr[t->axis[i].step];

		MUST(step->op != PTOWSP_EXPR_CONST || (!(step->c >> 31) && (step->b | step->c)), "AXES[%u].step is less than 1", (unsigned)i);
	}
	for (uint32_t i = 0; i < t->region_count; i++)
		MUST(!t->region[i].unit || !t->region[i].rows, "REGN[%u].unit is %u: rows must then be 0", (unsigned)i, (unsigned)t->region[i].unit);
	return PTOWSP_OK;
}

/* ---- what the kinds of axes ask of their fields and values, and what entries that are one task of a kernel need. ---- */

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

/* Axes and the values of ragged and sparse ones (verify_axes.c). Needs verified tables. */
static ptowsp_status pkg_verify_axes(const struct pkg_check *c)
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
static ptowsp_status places_check(const struct pkg_check *c, const uint32_t *tensors)
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

/* The tensors and values of entries that are one task of a kernel (verify_axes.c). Needs verified tables. */
static ptowsp_status verify_kernel_entries(const struct pkg_check *c)
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
		status = places_check(c, tensors);
	free(tensors);
	return status;
}

/* ---- the rules between fields and tables that records.def cannot say. One function per table. ---- */

#define META_LIMIT           1024u
#define ALIGNMENT_LIMIT      (1u << 30)
#define LEVEL_STEP           32u
#define KEY_LIMIT            128u /* bytes of a META key and */
#define FILE_LIMIT           256u /* of a file name: texts that are compared once per row must be short */
#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

static bool is_power_of_two(uint64_t value)
{
	return value && !(value & (value - 1));
}

static bool is_shorter(const char *text, size_t limit)
{
	for (size_t i = 0; i < limit; i++)
		if (!text[i])
			return true;
	return false;
}

static int compare_keys(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ptowsp_status meta_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	const char *keys[META_LIMIT];

	MUST(t->meta_count <= META_LIMIT, "META has %u rows, the limit is %u", (unsigned)t->meta_count, META_LIMIT);
	for (uint32_t i = 0; i < t->meta_count; i++) {
		keys[i] = pkg_string(t, t->meta[i].key);
		MUST(keys[i][0], "META[%u].key is empty", (unsigned)i);
		MUST(is_shorter(keys[i], KEY_LIMIT), "META[%u].key has more than %u bytes", (unsigned)i, KEY_LIMIT - 1);
		MUST(strcmp(keys[i], "wsp_runtime_abi") || !strcmp(pkg_string(t, t->meta[i].value), c->abi),
		     "META[%u].value is \"%.16s\", the header's wsp_runtime_abi is \"%s\"", (unsigned)i, pkg_string(t, t->meta[i].value), c->abi);
	}
	qsort(keys, t->meta_count, sizeof(keys[0]), compare_keys);
	for (uint32_t i = 1; i < t->meta_count; i++)
		MUST(strcmp(keys[i - 1], keys[i]), "META has the key \"%.40s\" twice", keys[i]);
	return PTOWSP_OK;
}

static ptowsp_status levels_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->variant_count; i++)
		MUST(t->variant[i].rows && t->variant[i].rows % LEVEL_STEP == 0, "KVAR[%u].rows is %u: a multiple of %u from there on is needed", (unsigned)i,
		     (unsigned)t->variant[i].rows, LEVEL_STEP);
	for (uint32_t i = 0; i < t->levels_count; i++) {
		const struct ptowsp_levels_record *l = &t->levels[i];

		MUST(is_power_of_two(l->max_range), "TLVL[%u].max_range is %u, which is no power of two", (unsigned)i, (unsigned)l->max_range);
		MUST(is_power_of_two(l->min_range) && l->min_range <= l->max_range, "TLVL[%u].min_range is %u: a power of two up to max_range %u is needed",
		     (unsigned)i, (unsigned)l->min_range, (unsigned)l->max_range);
	}
	for (uint32_t i = 0; i < t->level_count; i++) {
		MUST(!t->level[i].block || is_power_of_two(t->level[i].block), "LVLS[%u].block is %u: 0 or a power of two is needed", (unsigned)i,
		     (unsigned)t->level[i].block);
		MUST(t->level[i].rows % LEVEL_STEP == 0, "LVLS[%u].rows is %u, which is no multiple of %u", (unsigned)i, (unsigned)t->level[i].rows,
		     LEVEL_STEP);
	}
	return PTOWSP_OK;
}

/* The tensor has dimensions, and none of them is sharded. */
static int is_replicated(const struct pkg_tables *t, const struct ptowsp_tensor_record *x)
{
	for (uint32_t i = 0; i < x->dim_count; i++)
		if (t->dim[x->dims + i].distribution)
			return 0;
	return x->dim_count != 0;
}

static ptowsp_status tensors_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->tensor_count; i++) {
		const struct ptowsp_tensor_record *x = &t->tensor[i];

		MUST(x->dim_count <= 4, "TENS[%u].dim_count is %u: a tensor has at most 4 dimensions", (unsigned)i, (unsigned)x->dim_count);
		MUST(!(x->flags & PTOWSP_TENSOR_SHAPELESS) || !x->dim_count, "TENS[%u].dim_count is %u, but its flags say that it has no shape", (unsigned)i,
		     (unsigned)x->dim_count);
		MUST(!(x->flags & PTOWSP_TENSOR_REPLICATED) || is_replicated(t, x), "TENS[%u].flags is %u: a layout that is R in every dimension, and %s",
		     (unsigned)i, (unsigned)x->flags, x->dim_count ? "one is sharded" : "there is none");
		MUST(!x->alignment || (is_power_of_two(x->alignment) && x->alignment <= ALIGNMENT_LIMIT),
		     "TENS[%u].alignment is %u: 0 or a power of two up to 2^30 is needed", (unsigned)i, (unsigned)x->alignment);
	}
	return PTOWSP_OK;
}

static ptowsp_status work_rows_check(const struct pkg_check *c, uint64_t offset, uint32_t count, uint32_t rows, const char *what, const char *table)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t row;

		memcpy(&row, c->tables->raw_work + offset + 4ull * i, sizeof(row));
		MUST(row < rows, "WORK: %s %u is row %u, %s has %u rows", what, (unsigned)i, (unsigned)row, table, (unsigned)rows);
	}
	return PTOWSP_OK;
}

static ptowsp_status work_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	struct ptowsp_workload_header h = {0};
	uint64_t rows, tables_at;
	ptowsp_status status;

	if (!t->raw_work_size)
		return PTOWSP_OK;
	MUST(t->raw_work_size >= sizeof(h), "WORK has %llu bytes, fewer than its header", (unsigned long long)t->raw_work_size);
	memcpy(&h, t->raw_work, sizeof(h));
	MUST(h.magic == PTOWSP_WORKLOAD_MAGIC, "WORK: magic is 0x%08x, not 0x%08x", (unsigned)h.magic, PTOWSP_WORKLOAD_MAGIC);
	MUST(h.version == PTOWSP_WORKLOAD_VERSION, "WORK: bytecode version is %u, this build knows %u", (unsigned)h.version, PTOWSP_WORKLOAD_VERSION);
	rows = (uint64_t)h.num_axes + h.num_kernels + h.num_tensors;
	tables_at = sizeof(h) + (uint64_t)h.num_instructions * sizeof(struct ptowsp_instruction);
	MUST(t->raw_work_size == tables_at + 4 * rows, "WORK has %llu bytes, its header's counts make %llu", (unsigned long long)t->raw_work_size,
	     (unsigned long long)(tables_at + 4 * rows));
	status = work_rows_check(c, tables_at, h.num_axes, t->axis_count, "axis", "AXES");
	tables_at += 4ull * h.num_axes;
	if (!status)
		status = work_rows_check(c, tables_at, h.num_kernels, t->kernel_count, "kernel", "KREG");
	tables_at += 4ull * h.num_kernels;
	if (!status)
		status = work_rows_check(c, tables_at, h.num_tensors, t->tensor_count, "tensor", "TENS");
	return status;
}

/* Needs a checked WORK. */
static uint32_t instruction_count(const struct pkg_tables *t)
{
	struct ptowsp_workload_header h = {0};

	if (t->raw_work_size)
		memcpy(&h, t->raw_work, sizeof(h));
	return h.num_instructions;
}

static ptowsp_status entries_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	uint32_t instructions = instruction_count(t), defaults = 0;

	for (uint32_t i = 0; i < t->entry_count; i++) {
		if (t->entry[i].flags & PTOWSP_ENTRY_KERNEL)
			MUST(t->entry[i].instruction < t->kernel_count, "ENTR[%u].instruction is %u: its flags say a kernel, KREG has %u rows", (unsigned)i,
			     (unsigned)t->entry[i].instruction, (unsigned)t->kernel_count);
		else
			MUST(t->entry[i].instruction < instructions, "ENTR[%u].instruction is %u, WORK has %u instructions", (unsigned)i,
			     (unsigned)t->entry[i].instruction, (unsigned)instructions);
		defaults += t->entry[i].flags & PTOWSP_ENTRY_DEFAULT;
		MUST(defaults <= 1, "ENTR[%u].flags: another entry is the default already", (unsigned)i);
	}
	return pkg_verify_pipeline(c, instructions);
}

static ptowsp_status positions_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	const uint32_t rows[5] = {instruction_count(t), t->kernel_count, t->entry_count, t->slot_count, t->expr_count};
	static const char *const tables[5] = {"WORK", "KREG", "ENTR", "SLOT", "EXPR"};

	for (uint32_t i = 0; i < t->debug_count; i++) {
		const struct ptowsp_debug_record *d = &t->debug[i];

		MUST(d->kind < 5, "DBGI[%u].kind is %u: kinds are 0 to 4", (unsigned)i, (unsigned)d->kind);
		MUST(d->row < rows[d->kind], "DBGI[%u].row is %u, %s has %u rows", (unsigned)i, (unsigned)d->row, tables[d->kind], (unsigned)rows[d->kind]);
		MUST(is_shorter(pkg_string(t, d->file), FILE_LIMIT), "DBGI[%u].file has more than %u bytes", (unsigned)i, FILE_LIMIT - 1);
		MUST(!strchr(pkg_string(t, d->file), '/'), "DBGI[%u].file is \"%.60s\": a file name without folder is needed", (unsigned)i,
		     pkg_string(t, d->file));
	}
	return PTOWSP_OK;
}

static ptowsp_status graphs_check(const struct pkg_check *c)
{
	struct pkg_graphs graphs;
	ptowsp_status status = pkg_graphs_read(&graphs, c->tables, &c->place);

	pkg_graphs_finish(&graphs);
	return status;
}

static ptowsp_status calls_check(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;

	for (uint32_t i = 0; i < t->call_count; i++)
		MUST((uint64_t)t->call[i].first + t->call[i].instructions <= instruction_count(t),
		     "CALL[%u] begins at instruction %u and has %u of them, WORK has %u", (unsigned)i, (unsigned)t->call[i].first,
		     (unsigned)t->call[i].instructions, (unsigned)instruction_count(t));
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_rules(const struct pkg_check *check)
{
	static ptowsp_status (*const steps[])(const struct pkg_check *) = {meta_check,
									   pkg_verify_kernels,
									   pkg_verify_payloads,
									   pkg_verify_portable,
									   levels_check,
									   tensors_check,
									   pkg_verify_exprs,
									   verify_loops,
									   pkg_verify_axes,
									   work_check,
									   pkg_verify_tasks,
									   entries_check,
									   verify_kernel_entries,
									   pkg_verify_schedule,
									   pkg_verify_samples,
									   graphs_check,
									   positions_check,
									   calls_check,
									   pkg_verify_layouts,
									   pkg_verify_memories,
									   pkg_verify_param_memories};
	ptowsp_status status = PTOWSP_OK;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]) && !status; i++)
		status = steps[i](check);
	return status;
}
