/* SPDX-License-Identifier: MIT
 * rt_model_expr.c - the sections as the model reads them; section 8: expressions. */
#include "tests/model/rt_model_parts.h"

#include <string.h>

const void *model_rows(const struct model *m, uint32_t type, uint32_t *count_out)
{
	for (uint32_t i = 0; i < m->section_count; i++)
		if (m->sections[i].type == type) {
			if (count_out)
				*count_out = (uint32_t)m->sections[i].count;
			return m->sections[i].data;
		}
	if (count_out)
		*count_out = 0;
	return NULL;
}

struct ptowsp_instruction model_code(const struct model *m, uint32_t at)
{
	struct ptowsp_instruction in;

	memcpy(&in, (const char *)model_rows(m, PTOWSP_SECTION_WORK, NULL) + 24 + at * 8, 8);
	return in;
}

const char *model_text(const struct model *m, uint32_t at)
{
	return (const char *)model_rows(m, PTOWSP_SECTION_STRS, NULL) + at;
}

void model_stop(struct model *m, ptowsp_status status)
{
	if (!m->status) {
		m->status = status;
		m->stopped_at = m->count;
	}
}

static int64_t leaf(const struct model *m, const struct ptowsp_expr_record *e)
{
	int64_t value = 0;

	switch (e->op) {
	case PTOWSP_EXPR_CONST: return (int64_t)((uint64_t)e->c << 32 | e->b);
	case PTOWSP_EXPR_LOOP: return (int)e->a < m->loop_count ? m->loops[e->a] : 0;
	case PTOWSP_EXPR_VALUE: return (int64_t)m->slots[e->a];
	case PTOWSP_EXPR_TASK: return m->count;
	case PTOWSP_EXPR_AXIS:
		for (int d = 0; d < m->loop_count; d++)
			if (!strcmp(model_text(m, m->loop_names[d]), model_text(m, e->a)))
				value = m->loops[d];
	}
	return value;
}

static int64_t quotient(struct model *m, bool rest, int64_t a, int64_t b)
{
	if (!b) {
		model_stop(m, PTOWSP_RUN_FAILED);
		return 0;
	}
	if (a == INT64_MIN && b == -1)
		return rest ? 0 : a;
	return rest ? a % b : a / b;
}

static int64_t binary(struct model *m, unsigned op, int64_t a, int64_t b)
{
	switch (op) {
	case PTOWSP_EXPR_ADD: return (int64_t)((uint64_t)a + (uint64_t)b);
	case PTOWSP_EXPR_SUB: return (int64_t)((uint64_t)a - (uint64_t)b);
	case PTOWSP_EXPR_MUL: return (int64_t)((uint64_t)a * (uint64_t)b);
	case PTOWSP_EXPR_DIV: return quotient(m, false, a, b);
	case PTOWSP_EXPR_MOD: return quotient(m, true, a, b);
	case PTOWSP_EXPR_MIN: return a < b ? a : b;
	case PTOWSP_EXPR_MAX: return a > b ? a : b;
	case PTOWSP_EXPR_AND: return a & b;
	case PTOWSP_EXPR_OR: return a | b;
	case PTOWSP_EXPR_XOR: return a ^ b;
	case PTOWSP_EXPR_SHL: return (int64_t)((uint64_t)a << (b & 63));
	case PTOWSP_EXPR_SHR: return a >> (b & 63); /* arithmetic with the compilers we use */
	case PTOWSP_EXPR_EQ: return a == b;
	case PTOWSP_EXPR_NE: return a != b;
	case PTOWSP_EXPR_LT: return a < b;
	case PTOWSP_EXPR_LE: return a <= b;
	case PTOWSP_EXPR_GT: return a > b;
	case PTOWSP_EXPR_GE: return a >= b;
	case PTOWSP_EXPR_LAND: return a && b;
	case PTOWSP_EXPR_LOR: return a || b;
	}
	return 0;
}

int64_t model_eval(struct model *m, uint32_t row)
{
	const struct ptowsp_expr_record e = *ROW(m, EXPR, expr, row);
	int64_t a, b, c;

	if (e.op < 0x10)
		return leaf(m, &e);
	a = model_eval(m, e.a);
	switch (e.op) {
	case PTOWSP_EXPR_NEG: return (int64_t)-(uint64_t)a;
	case PTOWSP_EXPR_NOT: return ~a;
	case PTOWSP_EXPR_LNOT: return !a;
	}
	b = model_eval(m, e.b);
	if (e.op != PTOWSP_EXPR_SELECT)
		return binary(m, e.op, a, b);
	c = model_eval(m, e.c);
	return a ? b : c;
}

/* Largest V among the slots that an expression reads; *pending_out: one of them waits for a task. */
uint64_t model_reads(struct model *m, uint32_t row, bool *pending_out)
{
	const struct ptowsp_expr_record e = *ROW(m, EXPR, expr, row);
	unsigned operands = e.op < 0x10 ? 0 : e.op < 0x30 ? 2 : e.op == PTOWSP_EXPR_SELECT ? 3 : 1;
	uint32_t refs[3] = {e.a, e.b, e.c};
	uint64_t most = 0, one;

	if (e.op == PTOWSP_EXPR_VALUE) {
		*pending_out |= m->pending[e.a];
		for (int i = 0; i < m->count; i++)
			m->reading[i] |= m->slot_writers[e.a][i];
		return m->known[e.a];
	}
	for (unsigned k = 0; k < operands; k++) {
		one = model_reads(m, refs[k], pending_out);
		most = one > most ? one : most;
	}
	return most;
}

/* The expander evaluates: its slots move the issue clock. */
int64_t model_use(struct model *m, uint32_t row)
{
	bool pending = false;
	uint64_t v;

	memset(m->reading, 0, sizeof(m->reading));
	v = model_reads(m, row, &pending);
	for (int i = 0; i < m->count; i++)
		m->awaited[i] |= m->reading[i];
	if (v > m->a)
		m->a = v;
	if (m->ahead && pending)
		model_stop(m, PTOWSP_AGAIN);
	return m->status ? 0 : model_eval(m, row);
}
