/* SPDX-License-Identifier: MIT */
/* layouts.c - layouts and orders in memory: rows of KLAY (layouts that kernel parameters state), TMEM (orders of tensors) and KMEM (orders that
 * kernel parameters take), and what holds of them. */
#include "format/verify/rank.h"
#include "format/verify/verify.h"

#include "format/format_names.h"
#include "ptowsp/workload.h"

#include <stdbool.h>
#include <stdio.h>

#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

const struct ptowsp_param_layout_record *pkg_param_layout(const struct pkg_tables *t, uint32_t param, uint32_t *count_out)
{
	uint32_t low =
		pkg_row_from(t->param_layout, sizeof(*t->param_layout), offsetof(struct ptowsp_param_layout_record, param), t->param_layout_count, param);
	uint32_t end;

	for (end = low; end < t->param_layout_count && t->param_layout[end].param == param;)
		end++;
	*count_out = end - low;
	return end > low ? &t->param_layout[low] : NULL;
}

/* An earlier dimension of the same parameter is sharded over the same axis. */
static int is_taken(const struct pkg_tables *t, uint32_t first, uint32_t row)
{
	for (uint32_t i = first; i < row; i++)
		if (t->param_layout[i].distribution && t->param_layout[i].mesh_axis == t->param_layout[row].mesh_axis)
			return 1;
	return 0;
}

ptowsp_status pkg_verify_layouts(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	uint32_t first = 0; /* row of the parameter at hand */

	for (uint32_t i = 0; i < t->param_layout_count; i++) {
		const struct ptowsp_param_layout_record *l = &t->param_layout[i];
		const struct ptowsp_param_record *p = &t->param[l->param];

		MUST(!i || t->param_layout[i - 1].param <= l->param, "KLAY[%u].param is %u: parameters must not fall", (unsigned)i, (unsigned)l->param);
		first = i && t->param_layout[i - 1].param == l->param ? first : i;
		MUST(p->kind == PTOWSP_PARAM_TENSOR, "KLAY[%u].param is a scalar: tensors have layouts", (unsigned)i);
		MUST(i - first < (p->rows && p->columns ? 2u : 4u), "KLAY[%u] is dimension %u of a parameter that has fewer", (unsigned)i,
		     (unsigned)(i - first));
		MUST(l->distribution || !l->mesh_axis, "KLAY[%u].mesh_axis is %u: a replicated dimension has none", (unsigned)i, (unsigned)l->mesh_axis);
		MUST(!l->distribution || !is_taken(t, first, i), "KLAY[%u].mesh_axis is %u, which shards another dimension already", (unsigned)i,
		     (unsigned)l->mesh_axis);
	}
	return PTOWSP_OK;
}

/* --- TMEM --- */

const struct ptowsp_memory_record *pkg_tensor_memory(const struct pkg_tables *t, uint32_t tensor)
{
	uint32_t low = pkg_row_from(t->memory, sizeof(*t->memory), offsetof(struct ptowsp_memory_record, tensor), t->memory_count, tensor);

	return low < t->memory_count && t->memory[low].tensor == tensor ? &t->memory[low] : NULL;
}

bool pkg_param_memory(const struct pkg_tables *t, uint32_t param, struct ptowsp_memory_record *memory_out)
{
	uint32_t low =
		pkg_row_from(t->param_memory, sizeof(*t->param_memory), offsetof(struct ptowsp_param_memory_record, param), t->param_memory_count, param);

	if (low == t->param_memory_count || t->param_memory[low].param != param)
		return false;
	*memory_out = PKG_MEMORY(struct ptowsp_memory_record, tensor, PTOWSP_NONE, &t->param_memory[low]);
	return true;
}

void pkg_memory_text(const struct ptowsp_memory_record *m, char *text)
{
	const uint32_t strides[] = {m->stride0, m->stride1, m->stride2, m->stride3};
	size_t used = (size_t)snprintf(text, PKG_MEMORY_TEXT, "mem(%s", pkg_word(PKG_WORDS_memory_order, m->order));

	if (m->block_rows)
		used += (size_t)snprintf(text + used, PKG_MEMORY_TEXT - used, "(%lu, %lu)", (unsigned long)m->block_rows, (unsigned long)m->block_columns);
	for (uint32_t i = 0; i < 4 && strides[i]; i++)
		used += (size_t)snprintf(text + used, PKG_MEMORY_TEXT - used, "%s%lu%s", i ? ", " : "(", (unsigned long)strides[i],
					 i == 3 || !strides[i + 1] ? ")" : "");
	if (m->swizzle)
		used += (size_t)snprintf(text + used, PKG_MEMORY_TEXT - used, " swizzle %u", m->swizzle);
	snprintf(text + used, PKG_MEMORY_TEXT - used, ")");
}

/* An order of row i of a table, for so many dimensions. */
static ptowsp_status order_check(const struct pkg_check *c, const char *table, uint32_t i, const struct ptowsp_memory_record *m, uint32_t rank)
{
	const uint32_t strides[] = {m->stride0, m->stride1, m->stride2, m->stride3};
	int blocked = m->order == PTOWSP_MEMORY_BLOCKED || m->order == PTOWSP_MEMORY_NZ;

	MUST(m->swizzle <= 7, "%s[%u].swizzle is %u, at most 7", table, (unsigned)i, (unsigned)m->swizzle);
	MUST(blocked ? m->block_rows && m->block_columns : !m->block_rows && !m->block_columns,
	     "%s[%u] has blocks of %u x %u: those of blocked and nz have elements, others have none", table, (unsigned)i, (unsigned)m->block_rows,
	     (unsigned)m->block_columns);
	for (uint32_t k = 0; k < 4; k++)
		MUST((strides[k] != 0) == (m->order == PTOWSP_MEMORY_STRIDED && k < rank), "%s[%u].stride%u is %u: one per dimension of what is strided", table,
		     (unsigned)i, (unsigned)k, (unsigned)strides[k]);
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_memories(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < t->memory_count && !status; i++) {
		const struct ptowsp_memory_record *m = &t->memory[i];

		MUST(!i || t->memory[i - 1].tensor < m->tensor, "TMEM[%u].tensor is %u: tensors must rise", (unsigned)i, (unsigned)m->tensor);
		status = order_check(c, "TMEM", i, m, t->tensor[m->tensor].dim_count);
	}
	return status;
}

/* --- KMEM --- */

/* How many dimensions the strides of a parameter are of: those of its layout, else those of its rows and columns, one where it has one
 * stride and one row, else as many as there are strides. */
static uint32_t param_rank(const struct pkg_tables *t, uint32_t param, const struct ptowsp_memory_record *m)
{
	const struct ptowsp_param_record *p = &t->param[param];
	uint32_t rank;

	if (pkg_param_layout(t, param, &rank))
		return rank;
	if (p->rows && p->columns && !(p->rows == 1 && m->stride0 && !m->stride1))
		return 2;
	return m->stride3 ? 4 : m->stride2 ? 3 : m->stride1 ? 2 : 1;
}

ptowsp_status pkg_verify_param_memories(const struct pkg_check *c)
{
	const struct pkg_tables *t = c->tables;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t i = 0; i < t->param_memory_count && !status; i++) {
		uint32_t param = t->param_memory[i].param;
		struct ptowsp_memory_record m;

		MUST(!i || t->param_memory[i - 1].param < param, "KMEM[%u].param is %u: parameters must rise", (unsigned)i, (unsigned)param);
		MUST(t->param[param].kind == PTOWSP_PARAM_TENSOR, "KMEM[%u].param is a scalar: tensors lie in memory", (unsigned)i);
		pkg_param_memory(t, param, &m); /* rows up to this one rise, and a later one of the same parameter is refused next */
		status = order_check(c, "KMEM", i, &m, param_rank(t, param, &m));
	}
	return status;
}
