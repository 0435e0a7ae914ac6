/* SPDX-License-Identifier: MIT */
/* builder_move.c - copies between layouts and reductions, as relayout and the collectives of the source language are: what they consist of is
 * built by other calls. */
#include "lang/builder/build.h"

#include "lang/ast.h"
#include "lang/lang_move.h"
#include "registry/common/common_dtype.h"

#include <stdbool.h>
#include <string.h>

/* The tensor whose dimensions a tensor has. */
static const struct build_tensor *shape_of(const struct ptowsp_build *b, uint32_t row)
{
	return &b->tensors[b->tensors[row].like ? b->tensors[row].like - 1 : row];
}

static bool is_word(const char *word, const char *known)
{
	return word && !strcmp(word, known);
}

/* ---- copies ----------------------------------------------------------------------------------------------------------------------------- */

static struct lang_layout layout_of(const struct build_tensor *tensor)
{
	return lang_layout_of(tensor->dims, tensor->record.dim_count, 0);
}

static void layouts_check(struct ptowsp_build *b, const char *word, const struct build_tensor *from, const struct build_tensor *to)
{
	const struct lang_layout source = layout_of(from), target = layout_of(to);
	char why[LANG_COLLECTIVE_TEXT];

	if (lang_layout_collective(word, &source, &target, why))
		build_refuse(b, "%s", why);
}

static uint32_t move_check(struct ptowsp_build *b, const char *word, uint32_t from, uint32_t to)
{
	BUILD_CALL_OF(b, "ptowsp_build_move");
	const struct ptowsp_region_record *regions = b->tables.regions;
	const struct build_tensor *source = shape_of(b, regions[build_row(b, BUILD_REGION, from)].tensor);
	const struct build_tensor *target = shape_of(b, regions[build_row(b, BUILD_REGION, to)].tensor);

	if (is_word(word, "all_gather") || is_word(word, "broadcast"))
		layouts_check(b, word, source, target);
	else if (!is_word(word, "relayout"))
		build_refuse(b, "\"%.40s\" is no way to move; known: relayout, all_gather, broadcast", word ? word : "");
	return BUILD_DONE;
}

uint32_t ptowsp_build_move(struct ptowsp_build *b, const char *word, uint32_t from, uint32_t to)
{
	return move_check(b, word, from, to) && ptowsp_build_copy(b, from, to);
}

/* ---- reductions ------------------------------------------------------------------------------------------------------------------------- */

struct plan {
	const struct lang_reduction *reduction;
	const char *name; /* of the kernel */
	const char *dtype;
	uint32_t from, to; /* tensors */
	struct lang_cut cut;
	uint32_t parts, steps; /* expressions: how many contributions; of the first dimension of the total where cut.all is 0 */
	uint32_t kernel;       /* 0: to be made */
};

static int64_t extent_of(struct ptowsp_build *b, const struct build_tensor *tensor, uint32_t dim)
{
	int64_t value;

	return lang_expr_is_const(&b->tables.exprs, tensor->dims[dim].extent, &value) ? value : 0;
}

static void shapes_check(struct ptowsp_build *b, const struct build_tensor *from, const struct build_tensor *to)
{
	if (from->record.dim_count != to->record.dim_count + 1 || !to->record.dim_count)
		build_refuse(b, "a reduction goes from %u dimensions to %u: the first one is the contributions'", from->record.dim_count, to->record.dim_count);
	if (from->record.dtype != to->record.dtype || from->record.dtype == PTOWSP_BOOL)
		build_refuse(b, "a reduction has tensors of one type, which is not bool");
	for (uint32_t i = 0; i < to->record.dim_count; i++)
		if (from->dims[i + 1].extent != to->dims[i].extent)
			build_refuse(b, "dimension %u of the total has another extent than that of the contributions", i);
}

static void cut_find(struct ptowsp_build *b, const struct build_tensor *to, struct plan *plan)
{
	int64_t extents[4] = {0};

	for (uint32_t i = 0; i < to->record.dim_count; i++)
		extents[i] = extent_of(b, to, i);
	if (!lang_cut_find(extents, to->record.dim_count, &plan->cut))
		build_refuse(b, "the total has no tiles to add: its last extent is a constant, of the others symbols decide only the first, and a row has at "
				"most 2^24 elements");
	if (!plan->cut.all)
		plan->steps = build_handle(b, BUILD_EXPR, to->dims[0].extent);
}

/* A kernel of that name is that of an earlier reduction. */
static void kernel_find(struct ptowsp_build *b, const struct build_tensor *to, struct plan *plan)
{
	uintptr_t found = (uintptr_t)lang_map_find(&b->names[BUILD_KERNEL], plan->name);
	const struct build_kernel *k = found ? &b->kernels[found - 1] : NULL;

	if (!found)
		return;
	for (uint32_t i = 0; i < 2; i++)
		if (k->tensors != 2 || k->scalars || b->params[k->params[i]].record.dtype != to->record.dtype ||
		    b->params[k->params[i]].record.rows != plan->cut.rows || b->params[k->params[i]].record.columns != plan->cut.columns)
			build_refuse(b, "the kernel %.80s is there already and is not the one that a reduction needs", plan->name);
	plan->kernel = build_handle(b, BUILD_KERNEL, (uint32_t)found - 1);
}

static uint32_t reduce_check(struct ptowsp_build *b, const char *word, uint32_t from, uint32_t to, const char *op, struct plan *plan)
{
	BUILD_CALL_OF(b, "ptowsp_build_reduce");
	const struct build_tensor *source = shape_of(b, build_row(b, BUILD_TENSOR, from)), *target = shape_of(b, build_row(b, BUILD_TENSOR, to));

	*plan = (struct plan){.from = from, .to = to};
	for (unsigned i = 0; i < LANG_REDUCTIONS; i++)
		if (is_word(op, lang_reductions[i].word))
			plan->reduction = &lang_reductions[i];
	if (!plan->reduction)
		build_refuse(b, "\"%.40s\" is no reduction of elements; known: sum, max, min", op ? op : "");
	if (b->tables.stated)
		build_refuse(b, "rows are kept as they are stated here: state the copies and tasks themselves");
	build_code(b);
	shapes_check(b, source, target);
	if (!is_word(word, "all_reduce") && !is_word(word, "reduce_scatter"))
		build_refuse(b, "\"%.40s\" is no reduction; known: all_reduce, reduce_scatter", word ? word : "");
	layouts_check(b, word, source, target);
	cut_find(b, target, plan);
	plan->parts = build_handle(b, BUILD_EXPR, source->dims[0].extent);
	plan->dtype = common_dtype_text(target->record.dtype);
	plan->name = lang_reduction_name(b->arena, plan->reduction, target->record.dtype, &plan->cut);
	kernel_find(b, target, plan);
	return BUILD_DONE;
}

/* A tensor of the kernel's own entry: like any InCore function, it can be run by itself. */
static uint32_t entry_tensor(struct ptowsp_build *b, const struct plan *plan, uint32_t entry, const char *param, const char *role, uint32_t position)
{
	uint32_t tensor = ptowsp_build_tensor(b, common_format(b->arena, "%s.%s", plan->name, param), plan->dtype, role);

	return tensor && ptowsp_build_tensor_shapeless(b, tensor) ? ptowsp_build_tensor_place(b, tensor, entry, position) : 0;
}

/* total = total op part */
static uint32_t kernel_make(struct ptowsp_build *b, const struct plan *plan)
{
	uint32_t kernel = ptowsp_build_kernel(b, plan->name, "any"), rows = (uint32_t)plan->cut.rows, columns = (uint32_t)plan->cut.columns;
	uint32_t part = ptowsp_build_param(b, kernel, "part", plan->dtype, "in"), total = ptowsp_build_param(b, kernel, "total", plan->dtype, "inout");
	uint32_t zero, one, sum, entry;

	ptowsp_build_body(b, kernel);
	one = ptowsp_build_tile(b, "one", plan->dtype, rows, columns);
	sum = ptowsp_build_tile(b, "sum", plan->dtype, rows, columns);
	zero = ptowsp_build_literal(b, "i64", "0");
	ptowsp_build_op(b, "tload", 0, (const uint32_t[]){one, part, zero, zero}, 4);
	ptowsp_build_op(b, "tload", 0, (const uint32_t[]){sum, total, zero, zero}, 4);
	ptowsp_build_op(b, plan->reduction->op, 0, (const uint32_t[]){sum, sum, one}, 3);
	ptowsp_build_op(b, "tstore", 0, (const uint32_t[]){sum, total, zero, zero}, 4);
	if (!ptowsp_build_body_end(b))
		return 0;
	entry = ptowsp_build_entry_kernel(b, plan->name, kernel);
	if (!entry)
		return 0;
	b->entries[b->entry_count - 1].made = 1;
	return entry_tensor(b, plan, entry, "part", "in", 0) && entry_tensor(b, plan, entry, "total", "inout", 1) ? kernel : 0;
}

static uint32_t part_of(struct ptowsp_build *b, const struct plan *plan, uint32_t tensor, uint32_t row)
{
	return ptowsp_build_region(b, tensor, row, ptowsp_build_number(b, 0), (uint32_t)plan->cut.rows, (uint32_t)plan->cut.columns);
}

/* The row in the contributions as a matrix; step: the loop's value, 0: there is no loop. */
static uint32_t row_of(struct ptowsp_build *b, const struct plan *plan, uint32_t part, uint32_t step)
{
	uint32_t rows = ptowsp_build_number(b, plan->cut.rows);

	if (!plan->cut.all)
		return ptowsp_build_expr(b, "*", ptowsp_build_expr(b, "+", ptowsp_build_expr(b, "*", part, plan->steps, 0), step, 0), rows, 0);
	part = ptowsp_build_expr(b, "*", part, ptowsp_build_number(b, plan->cut.all), 0);
	return step ? ptowsp_build_expr(b, "+", part, ptowsp_build_expr(b, "*", step, rows, 0), 0) : part;
}

uint32_t ptowsp_build_reduce(struct ptowsp_build *b, const char *word, uint32_t from, uint32_t to, const char *op)
{
	struct plan plan;
	uint32_t zero, one, step = 0, row, part, kernel, source, total;

	if (!reduce_check(b, word, from, to, op, &plan))
		return 0;
	kernel = plan.kernel ? plan.kernel : kernel_make(b, &plan);
	zero = ptowsp_build_number(b, 0);
	one = ptowsp_build_number(b, 1);
	row = zero;
	if (plan.cut.all != plan.cut.rows) {
		if (plan.cut.all)
			plan.steps = ptowsp_build_number(b, plan.cut.all / plan.cut.rows);
		step = ptowsp_build_parallel_for(b, ptowsp_build_axis(b, "row", "dense", zero, plan.steps, one, 0));
		row = ptowsp_build_expr(b, "*", step, ptowsp_build_number(b, plan.cut.rows), 0);
	}
	source = part_of(b, &plan, from, row_of(b, &plan, zero, step));
	total = part_of(b, &plan, to, row);
	ptowsp_build_copy(b, source, total);
	part = ptowsp_build_parallel_for(b, ptowsp_build_axis(b, "part", "dense", one, plan.parts, one, 0));
	ptowsp_build_task(b, kernel);
	ptowsp_build_use(b, part_of(b, &plan, from, row_of(b, &plan, part, step)));
	ptowsp_build_use(b, total);
	if (plan.cut.all != plan.cut.rows)
		ptowsp_build_end(b);
	return ptowsp_build_end(b);
}
