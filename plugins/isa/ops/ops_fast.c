/* SPDX-License-Identifier: MIT */
/* ops_fast.c - numerics=fast: sums of rows in another order, and how far the results may be off. Products are in ops_matrix.c. */
#include "isa/ops/isa_ops.h"

/* Column j is added to part j % LANES, then the parts to each other. */
enum { LANES = 32 };

#define ROW_SUM(type, ...)                                                                                                                                     \
	static ptowsp_status trowsum_##type(const struct isa_step *s, struct isa_state *state)                                                                 \
	{                                                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                                                           \
		S *d = isa_tile(state, &s->d);                                                                                                                 \
		const S *x = isa_tile(state, &s->a);                                                                                                           \
		const size_t columns = s->a.columns;                                                                                                           \
                                                                                                                                                               \
		for (size_t i = 0; i < s->a.rows; i++, x += columns) {                                                                                         \
			C sum[LANES] = {0};                                                                                                                    \
			size_t j = 0;                                                                                                                          \
                                                                                                                                                               \
			for (; j + LANES <= columns; j += LANES)                                                                                               \
				for (size_t k = 0; k < LANES; k++)                                                                                             \
					sum[k] += isa_get_##type(x[j + k]);                                                                                    \
			for (size_t k = 0; j + k < columns; k++)                                                                                               \
				sum[k] += isa_get_##type(x[j + k]);                                                                                            \
			for (size_t half = LANES / 2; half; half /= 2)                                                                                         \
				for (size_t k = 0; k < half; k++)                                                                                              \
					sum[k] += sum[k + half];                                                                                               \
			d[i] = isa_put_##type(sum[0]);                                                                                                         \
		}                                                                                                                                              \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_FLOATS(ROW_SUM, )

#define ENTRY(type, ...) [ISA_CODE_##type] = trowsum_##type,
const struct isa_kernel isa_ops_fast[] = {
	{.op = PTOWSP_PTO_TROWSUM, .run = {ISA_FLOATS(ENTRY, )}},
	{.op = 0},
};

/* Roundings that any order of an instruction's sum puts between an element and the result, at most; 0: nothing is summed. The scales of
 * tmatmul.mx are two more. */
static uint64_t roundings(const struct isa_step *s)
{
	switch (s->op) {
	case PTOWSP_PTO_TMATMUL: return s->a.columns;
	case PTOWSP_PTO_TMATMUL_ACC: return (uint64_t)s->b.columns + 1;
	case PTOWSP_PTO_TMATMUL_BIAS: return (uint64_t)s->a.columns + 1;
	case PTOWSP_PTO_TMATMUL_MX: return (uint64_t)s->a.columns + 2;
	case PTOWSP_PTO_TROWSUM: return s->a.columns;
	default: return 0;
	}
}

bool isa_program_bound(const struct isa_program *p, uint32_t *inst, struct isa_bound *bound_out)
{
	for (; *inst < p->header.inst_count; ++*inst) {
		const struct isa_step *s = &p->steps[*inst];
		const struct isa_element *e = isa_element(s->d.dtype);
		const uint64_t k = roundings(s);

		if (!k || e->class != 'f')
			continue;
		bound_out->mnemonic = isa_op(s->op)->mnemonic;
		bound_out->line = s->line;
		bound_out->roundings = k;
		bound_out->unit = e->computed == PTOWSP_F64 ? 0x1p-53 : 0x1p-24;
		bound_out->rounded = e->computed != s->d.dtype;
		bound_out->relative = (double)k * bound_out->unit / (1 - (double)k * bound_out->unit);
		++*inst;
		return true;
	}
	return false;
}
