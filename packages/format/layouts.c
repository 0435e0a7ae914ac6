/* SPDX-License-Identifier: MIT */
/* layouts.c - the layouts that kernel parameters state, and the orders of tensors in memory: rows of KLAY and TMEM, and what holds of them. */
#include "verify.h"

#include "ptowsp/workload.h"

#define MUST(condition, ...) PKG_MUST(&c->place, condition, __VA_ARGS__)

const struct ptowsp_param_layout_record *pkg_param_layout(const struct pkg_tables *t, uint32_t param, uint32_t *count_out)
{
	uint32_t low = 0, high = t->param_layout_count, end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->param_layout[middle].param < param)
			low = middle + 1;
		else
			high = middle;
	}
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

		MUST(!i || t->param_layout[i - 1].param <= l->param, "KLAY[%u].param is %u: parameters must not fall", (unsigned)i,
		     (unsigned)l->param);
		first = i && t->param_layout[i - 1].param == l->param ? first : i;
		MUST(p->kind == PTOWSP_PARAM_TENSOR, "KLAY[%u].param is a scalar: tensors have layouts", (unsigned)i);
		MUST(i - first < (p->rows && p->columns ? 2u : 4u), "KLAY[%u] is dimension %u of a parameter that has fewer", (unsigned)i,
		     (unsigned)(i - first));
		MUST(l->distribution || !l->mesh_axis, "KLAY[%u].mesh_axis is %u: a replicated dimension has none", (unsigned)i,
		     (unsigned)l->mesh_axis);
		MUST(!l->distribution || !is_taken(t, first, i), "KLAY[%u].mesh_axis is %u, which shards another dimension already", (unsigned)i,
		     (unsigned)l->mesh_axis);
	}
	return PTOWSP_OK;
}

/* --- TMEM --- */

const struct ptowsp_memory_record *pkg_tensor_memory(const struct pkg_tables *t, uint32_t tensor)
{
	uint32_t low = 0, high = t->memory_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (t->memory[middle].tensor < tensor)
			low = middle + 1;
		else
			high = middle;
	}
	return low < t->memory_count && t->memory[low].tensor == tensor ? &t->memory[low] : NULL;
}

static ptowsp_status memory_check(const struct pkg_check *c, uint32_t i)
{
	const struct ptowsp_memory_record *m = &c->tables->memory[i];
	const uint32_t strides[] = {m->stride0, m->stride1, m->stride2, m->stride3}, rank = c->tables->tensor[m->tensor].dim_count;
	int blocked = m->order == PTOWSP_MEMORY_BLOCKED || m->order == PTOWSP_MEMORY_NZ;

	MUST(!i || c->tables->memory[i - 1].tensor < m->tensor, "TMEM[%u].tensor is %u: tensors must rise", (unsigned)i, (unsigned)m->tensor);
	MUST(m->swizzle <= 7, "TMEM[%u].swizzle is %u, at most 7", (unsigned)i, (unsigned)m->swizzle);
	MUST(blocked ? m->block_rows && m->block_columns : !m->block_rows && !m->block_columns,
	     "TMEM[%u] has blocks of %u x %u: those of blocked and nz have elements, others have none", (unsigned)i, (unsigned)m->block_rows,
	     (unsigned)m->block_columns);
	for (uint32_t k = 0; k < 4; k++)
		MUST((strides[k] != 0) == (m->order == PTOWSP_MEMORY_STRIDED && k < rank), "TMEM[%u].stride%u is %u: one per dimension of what is strided",
		     (unsigned)i, (unsigned)k, (unsigned)strides[k]);
	return PTOWSP_OK;
}

ptowsp_status pkg_verify_memories(const struct pkg_check *c)
{
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t i = 0; i < c->tables->memory_count && !st; i++)
		st = memory_check(c, i);
	return st;
}
