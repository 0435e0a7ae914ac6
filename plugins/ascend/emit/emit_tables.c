/* SPDX-License-Identifier: MIT */
/* emit_tables.c - tensors, slots, axes, names and element types of a package as rows of the templates. */
#include "ascend/emit/ascend_emit_state.h"

#include "ascend/plan/plan_window.h"
#include "rt/program/arithmetic.h"
#include "rt/program/dtype.h"
#include <inttypes.h>

void ascend_emit_named(struct ascend_rows *rows, const struct common_names *names, const struct rt_tables *t, const uint32_t *offsets)
{
	ascend_rows_init(rows, names->count);
	for (uint32_t i = 0; i < names->count && !rows->failed; i++) {
		ascend_row_add(rows);
		ascend_row_field(rows, "name", "%s", names->rows[i].text);
		ascend_row_comment(rows, "comment", "", rt_string(t, offsets[i]));
	}
}

void ascend_emit_axes(struct ascend_emitter *e, const struct rt_program *p, struct ascend_rows *rows)
{
	const struct rt_tables *t = &p->tables;

	ascend_rows_init(rows, t->axis.count);
	for (uint32_t i = 0; i < t->axis.count && !rows->failed; i++) {
		const struct ptowsp_axis_record *axis = &t->axis.rows[i];
		const bool rowed = axis->kind == PTOWSP_AXIS_RAGGED || axis->kind == PTOWSP_AXIS_SPARSE;
		const bool valued = rowed && axis->count && axis->count <= t->axis_value.count && axis->first <= t->axis_value.count - axis->count;
		struct common_text values = {0};

		for (uint32_t k = 0; valued && k < axis->count; k++)
			common_text_add(&values, "%s%s%" PRIi64, k ? "," : "", k % 16 ? " " : "\n\t", t->axis_value.rows[axis->first + k].value);
		ascend_row_add(rows);
		ascend_row_field(rows, "name", "%s", e->axes.rows[i].text);
		ascend_row_field(rows, "kind", "%s", axis->kind == PTOWSP_AXIS_SPARSE ? "AXIS_IS_SPARSE" : "AXIS_IS_RAGGED");
		ascend_row_field(rows, "values", "%s", common_text_view(&values));
		ascend_row_field(rows, "pointer", valued ? "%s_values" : "%.0snullptr", e->axes.rows[i].text);
		ascend_row_field(rows, "count", "%" PRIu32, valued ? axis->count : 0);
		ascend_row_field(rows, "lengths", "%s%s", rowed && !valued ? "TENSOR_" : "0", rowed && !valued ? ascend_tensor(e, axis->lengths) : "");
		ascend_row_field(rows, "indices", "%s%s", rowed && !valued && axis->kind == PTOWSP_AXIS_SPARSE ? "TENSOR_" : "0",
				 rowed && !valued && axis->kind == PTOWSP_AXIS_SPARSE ? ascend_tensor(e, axis->indices) : "");
		ascend_row_comment(rows, "comment", rowed ? "" : "dense: ", rt_string(t, axis->name));
		rows->failed |= values.failed;
		common_text_finish(&values);
	}
}

/* An EXPR row with the values that the package gives symbols; without loops. Time is that of its nodes as a tree: the rest counts as 0. */
static int64_t standard_value(const struct rt_tables *t, uint32_t row, unsigned *budget)
{
	const struct ptowsp_expr_record *r = &t->expr.rows[row];
	uint32_t failed = 0;
	int64_t v[3] = {0};
	const uint32_t operands[3] = {r->a, r->b, r->c};

	if (!*budget || !--*budget || r->op == PTOWSP_EXPR_LOOP || r->op == PTOWSP_EXPR_AXIS)
		return 0;
	if (r->op == PTOWSP_EXPR_CONST)
		return (int64_t)((uint64_t)r->c << 32 | r->b);
	if (r->op == PTOWSP_EXPR_VALUE)
		return r->a < t->slot.count && t->slot.rows[r->a].flags & PTOWSP_SLOT_HAS_DEFAULT ? (int64_t)t->slot.rows[r->a].value : 0;
	if (!rt_operands(r->op) || rt_operands(r->op) > 3)
		return 0;
	for (unsigned k = 0; k < rt_operands(r->op); k++)
		v[k] = operands[k] < row ? standard_value(t, operands[k], budget) : 0;
	return rt_operation(r->op, v[0], v[1], v[2], &failed);
}

enum { SHAPELESS = 1 << 20 }; /* elements that a tensor without a shape has on the host */

/* Elements and columns with those values; a package's own shapes only. */
static void shape_find(const struct rt_tables *t, uint32_t tensor, uint64_t *elements_out, uint64_t *columns_out)
{
	const struct ptowsp_tensor_record *record = &t->tensor.rows[tensor];
	unsigned budget = 100000;

	*elements_out = record->flags & PTOWSP_TENSOR_SHAPELESS ? SHAPELESS : 1;
	*columns_out = record->flags & PTOWSP_TENSOR_SHAPELESS ? 1024 : 1;
	for (uint32_t d = 0; d < record->dim_count && !(record->flags & PTOWSP_TENSOR_SHAPELESS); d++) {
		const int64_t extent = standard_value(t, t->dim.rows[record->dims + d].extent, &budget);

		*columns_out = extent > 0 ? (uint64_t)extent : 0;
		*elements_out = *columns_out && *elements_out > UINT64_MAX / 16 / *columns_out ? 0 : *elements_out * *columns_out;
	}
}

/* As a .npy file calls its elements; bf16 is stored as its bits. */
static const char *descr_of(unsigned dtype)
{
	static const char *const texts[] = {
#define X(NAME, code, bytes, class, text, descr) [code] = descr,
#include "ptowsp/dtype.def"
#undef X
	};

	return dtype < sizeof(texts) / sizeof(*texts) && texts[dtype] ? texts[dtype] : "|u1";
}

void ascend_emit_tensors(struct ascend_emitter *e, const struct rt_program *p, struct ascend_rows *rows)
{
	ascend_rows_init(rows, e->tensors.count);
	for (uint32_t i = 0; i < e->tensors.count && !rows->failed; i++) {
		const unsigned dtype = p->tables.tensor.rows[i].dtype;
		uint64_t elements, columns;

		shape_find(&p->tables, i, &elements, &columns);
		ascend_row_add(rows);
		ascend_row_field(rows, "name", "%s", e->tensors.rows[i].text);
		ascend_row_comment(rows, "comment", rt_dtype_text((uint16_t)dtype), "");
		ascend_row_field(rows, "elements", "%" PRIu64, elements);
		ascend_row_field(rows, "columns", "%" PRIu64, columns);
		ascend_row_field(rows, "dtype", "%u", dtype);
		ascend_row_field(rows, "size", "%u", (unsigned)rt_dtype_bytes((uint16_t)dtype));
		ascend_row_field(rows, "descr", "%s", descr_of(dtype));
		ascend_row_field(rows, "bound", "%" PRIu64, p->tables.tensor.rows[i].flags & PTOWSP_TENSOR_SHAPELESS ? 0 : elements);
		ascend_row_field(rows, "written", "%d", p->tables.tensor.rows[i].role != PTOWSP_ROLE_IN);
	}
}

void ascend_emit_slots(struct ascend_emitter *e, const struct rt_program *p, struct ascend_rows *rows)
{
	ascend_rows_init(rows, e->slots.count);
	for (uint32_t i = 0; i < e->slots.count && !rows->failed; i++) {
		const struct ptowsp_slot_record *slot = &p->tables.slot.rows[i];
		const int64_t value = slot->flags & PTOWSP_SLOT_HAS_DEFAULT ? (int64_t)slot->value : 0;

		ascend_row_add(rows);
		ascend_row_field(rows, "name", "%s", e->slots.rows[i].text);
		ascend_row_comment(rows, "comment", "", rt_string(&p->tables, slot->name));
		ascend_row_field(rows, "value", value == INT64_MIN ? "%.0sINT64_MIN" : "%sINT64_C(%" PRIi64 ")", "", value);
	}
}

void ascend_emit_dtypes(struct ascend_rows *rows)
{
	static const char *const names[] = {
#define X(NAME, code, bytes, class, text, descr) [code] = #NAME,
#include "ptowsp/dtype.def"
#undef X
	};

	ascend_rows_init(rows, sizeof(names) / sizeof(*names));
	for (uint32_t i = 0; i < sizeof(names) / sizeof(*names) && !rows->failed; i++) {
		ascend_row_add(rows);
		ascend_row_field(rows, "name", "%s", names[i]);
		ascend_row_field(rows, "code", "%" PRIu32, i);
		ascend_row_field(rows, "runtime", "%u", (unsigned)ascend_dtype_of((uint16_t)i));
	}
}
