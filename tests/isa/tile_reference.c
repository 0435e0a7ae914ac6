/* SPDX-License-Identifier: MIT
 * tile_reference.c - see tile_reference.h. */
#include "tests/isa/tile_reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* What elements of a type are computed in between its operations. */
static unsigned computed(unsigned dtype)
{
	return cell_is_float(dtype) && dtype != PTOWSP_F64 ? PTOWSP_F32 : dtype;
}

static struct cell float_cell(double value)
{
	return (struct cell){value, 0};
}

static struct cell integer_cell(unsigned t, wide value)
{
	return (struct cell){0, cell_wrap(t, value)};
}

/* One operation, rounded once. In double +, -, *, / of two f32 followed by rounding to f32 is the f32 operation. */
static double float_calc(char op, double a, double b)
{
	switch (op) {
	case '+': return a + b;
	case '-': return a - b;
	case '*': return a * b;
	case '/': return a / b;
	default: return fmod(a, b);
	}
}

static wide integer_calc(unsigned t, char op, wide x, wide y)
{
	const int shift = (int)((uint64_t)y % (8 * cell_bytes(t)));
	const wide one = 1;

	switch (op) {
	case '+': return x + y;
	case '-': return x - y;
	case '*': /* its low bits are what counts */ return (wide)((unsigned_wide)x * (unsigned_wide)y);
	case '/': return y == 0 ? 0 : x / y;
	case '%': return y == 0 ? x : x % y;
	case '&': return x & y;
	case '|': return x | y;
	case '^': return x ^ y;
	case '<': return x * (one << shift);
	default: /* '>': floor division by a power of two */ return (x - ((x % (one << shift)) + (one << shift)) % (one << shift)) / (one << shift);
	}
}

static struct cell calc(unsigned t, char op, struct cell a, struct cell b)
{
	if (cell_is_float(t))
		return float_cell(cell_round(computed(t), float_calc(op, a.f, b.f)));
	return integer_cell(t, integer_calc(t, op, a.n, b.n));
}

static bool is_less(unsigned t, struct cell a, struct cell b)
{
	return cell_is_float(t) ? a.f < b.f : a.n < b.n;
}

static bool is_equal(unsigned t, struct cell a, struct cell b)
{
	return cell_is_float(t) ? a.f == b.f : a.n == b.n;
}

static bool holds(unsigned mode, unsigned t, struct cell a, struct cell b)
{
	switch (mode) {
	case PTOWSP_COMPARE_EQ: return is_equal(t, a, b);
	case PTOWSP_COMPARE_NE: return !is_equal(t, a, b);
	case PTOWSP_COMPARE_LT: return is_less(t, a, b);
	case PTOWSP_COMPARE_LE: return is_less(t, a, b) || is_equal(t, a, b);
	case PTOWSP_COMPARE_GT: return is_less(t, b, a);
	default: return is_less(t, b, a) || is_equal(t, a, b);
	}
}

static const struct cell zero;

static struct cell root(unsigned t, struct cell a)
{
	return float_cell(cell_round(computed(t), sqrt(a.f)));
}

/* Elements of one position: src[k] or, where a scalar stands in the text, that. */
static struct cell element_op(unsigned op, unsigned t, struct cell a, struct cell b, struct cell c)
{
	const long double x = (long double)a.f, one = 1;

	switch (op) {
	case PTOWSP_PTO_TABS: return cell_is_float(t) ? float_cell(copysign(a.f, 1)) : integer_cell(t, a.n < 0 ? -a.n : a.n);
	case PTOWSP_PTO_TNEG: return cell_is_float(t) ? float_cell(-a.f) : integer_cell(t, -a.n);
	case PTOWSP_PTO_TNOT: return integer_cell(t, t == PTOWSP_BOOL ? !a.n : -a.n - 1);
	case PTOWSP_PTO_TEXP: return float_cell((double)expl(x));
	case PTOWSP_PTO_TLOG: return float_cell((double)logl(x));
	case PTOWSP_PTO_TSILU: return float_cell((double)(x / (one + expl(-x))));
	case PTOWSP_PTO_TTANH: return float_cell((double)tanhl(x));
	case PTOWSP_PTO_TSIGMOID: return float_cell((double)(one / (one + expl(-x))));
	case PTOWSP_PTO_TGELU: return float_cell((double)(x / 2 * erfcl(-x * sqrtl(one / 2))));
	case PTOWSP_PTO_TSQRT: return root(t, a);
	case PTOWSP_PTO_TRSQRT: return calc(t, '/', float_cell(1), root(t, a));
	case PTOWSP_PTO_TRECIP: return calc(t, '/', float_cell(1), a);
	case PTOWSP_PTO_TRELU: return is_less(t, zero, a) ? a : zero;
	case PTOWSP_PTO_TLRELU:
	case PTOWSP_PTO_TPRELU: return is_less(t, zero, a) ? a : calc(t, '*', a, b);
	case PTOWSP_PTO_TADD:
	case PTOWSP_PTO_TADDS: return calc(t, '+', a, b);
	case PTOWSP_PTO_TSUB:
	case PTOWSP_PTO_TSUBS:
	case PTOWSP_PTO_TROWEXPANDSUB: return calc(t, '-', a, b);
	case PTOWSP_PTO_TMUL:
	case PTOWSP_PTO_TMULS:
	case PTOWSP_PTO_TROWEXPANDMUL:
	case PTOWSP_PTO_TMOV_FP: return calc(t, '*', a, b);
	case PTOWSP_PTO_TDIV:
	case PTOWSP_PTO_TDIVS:
	case PTOWSP_PTO_TROWEXPANDDIV: return calc(t, '/', a, b);
	case PTOWSP_PTO_TREM:
	case PTOWSP_PTO_TREMS: return calc(t, '%', a, b);
	case PTOWSP_PTO_TMAX:
	case PTOWSP_PTO_TMAXS: return is_less(t, b, a) ? a : b;
	case PTOWSP_PTO_TMIN:
	case PTOWSP_PTO_TMINS: return is_less(t, a, b) ? a : b;
	case PTOWSP_PTO_TAND:
	case PTOWSP_PTO_TANDS: return calc(t, '&', a, b);
	case PTOWSP_PTO_TOR:
	case PTOWSP_PTO_TORS: return calc(t, '|', a, b);
	case PTOWSP_PTO_TXOR:
	case PTOWSP_PTO_TXORS: return calc(t, '^', a, b);
	case PTOWSP_PTO_TSHL: return calc(t, '<', a, b);
	case PTOWSP_PTO_TSHR: return calc(t, '>', a, b);
	case PTOWSP_PTO_TADDC:
	case PTOWSP_PTO_TADDSC: return calc(t, '+', calc(t, '+', a, b), c);
	case PTOWSP_PTO_TSUBC:
	case PTOWSP_PTO_TSUBSC: return calc(t, '+', calc(t, '-', a, b), c);
	default: abort();
	}
}

static bool is_true(unsigned t, struct cell a)
{
	return cell_is_float(t) ? a.f != 0 : a.n != 0;
}

/* The operand at [i, j]: tiles with one row or one column are spread. */
static struct cell at(const struct mat *m, uint32_t i, uint32_t j)
{
	return m->v[(m->rows == 1 ? 0 : i) * (size_t)m->columns + (m->columns == 1 ? 0 : j)];
}

/* The result of a computation as the destination holds it. */
static struct cell finish(unsigned t, struct cell value)
{
	return cell_is_float(t) ? float_cell(cell_round(t, value.f)) : integer_cell(t, value.n);
}

/* Which operands are scalars, by position: taddsc a, s, c. */
static struct cell operand(unsigned op, unsigned position, const struct mat *const *src, const struct cell *scalar, uint32_t i, uint32_t j)
{
	const bool second = op == PTOWSP_PTO_TLRELU || (op >= PTOWSP_PTO_TADDS && op <= PTOWSP_PTO_TXORS) || op == PTOWSP_PTO_TCMPS ||
			    op == PTOWSP_PTO_TADDSC || op == PTOWSP_PTO_TSUBSC;
	const bool third = op == PTOWSP_PTO_TSELS;

	if ((second && position == 1) || (third && position == 2))
		return scalar[0];
	if (second && position == 2)
		position = 1;
	return src[position] ? at(src[position], i, j) : zero;
}

static void elements_op(unsigned op, unsigned mode, struct mat *d, const struct mat *const *src, const struct cell *scalar)
{
	const unsigned t = src[0]->dtype;
	const bool library = op == PTOWSP_PTO_TEXP || op == PTOWSP_PTO_TLOG || (op >= PTOWSP_PTO_TSILU && op <= PTOWSP_PTO_TGELU);

	for (uint32_t i = 0; i < d->rows; i++)
		for (uint32_t j = 0; j < d->columns; j++) {
			const struct cell a = operand(op, 0, src, scalar, i, j), b = operand(op, 1, src, scalar, i, j);
			const struct cell c = operand(op, 2, src, scalar, i, j);
			struct cell *to = &d->v[i * (size_t)d->columns + j];

			if (op == PTOWSP_PTO_TCMP || op == PTOWSP_PTO_TCMPS)
				*to = cell_convert(d->dtype, PTOWSP_BOOL, 0, (struct cell){0, holds(mode, t, a, b)});
			else if (op == PTOWSP_PTO_TCVT)
				*to = cell_convert(d->dtype, t, mode, a);
			else if (op == PTOWSP_PTO_TSEL)
				*to = is_true(t, a) ? b : c;
			else if (op == PTOWSP_PTO_TSELS)
				*to = is_true(PTOWSP_I64, c) ? a : b;
			else if (library)
				*to = element_op(op, t, a, b, c);
			else
				*to = finish(d->dtype, element_op(op, t, a, b, c));
		}
}

static void product_op(unsigned op, struct mat *d, const struct mat *const *src)
{
	const bool acc = op == PTOWSP_PTO_TMATMUL_ACC, mx = op == PTOWSP_PTO_TMATMUL_MX;
	const struct mat *a = src[acc], *b = src[acc || mx ? 2 : 1];
	const unsigned t = d->dtype;

	for (uint32_t i = 0; i < d->rows; i++)
		for (uint32_t j = 0; j < d->columns; j++) {
			struct cell sum = acc ? at(src[0], i, j) : zero;

			for (uint32_t k = 0; k < a->columns; k++) {
				struct cell x = a->v[i * (size_t)a->columns + k], y = b->v[k * (size_t)b->columns + j];

				if (mx) {
					const uint32_t share_a = a->columns / src[1]->columns, share_b = b->rows / src[3]->rows;

					x = calc(t, '*', x, src[1]->v[i * (size_t)src[1]->columns + k / share_a]);
					y = calc(t, '*', y, src[3]->v[k / share_b * (size_t)src[3]->columns + j]);
				}
				sum = calc(t, '+', sum, calc(t, '*', x, y));
			}
			if (op == PTOWSP_PTO_TMATMUL_BIAS)
				sum = calc(t, '+', sum, src[2]->v[j]);
			d->v[i * (size_t)d->columns + j] = finish(t, sum);
		}
}

static struct cell fold(unsigned op, unsigned t, struct cell acc, struct cell v, bool first)
{
	switch (op) {
	case PTOWSP_PTO_TROWSUM:
	case PTOWSP_PTO_TCOLSUM: return calc(t, '+', first ? zero : acc, v);
	case PTOWSP_PTO_TROWMAX:
	case PTOWSP_PTO_TCOLMAX: return first || is_less(t, acc, v) ? v : acc;
	default: return first || is_less(t, v, acc) ? v : acc;
	}
}

static void reduce_op(unsigned op, struct mat *d, const struct mat *a)
{
	const bool rows = op <= PTOWSP_PTO_TROWMIN;

	for (uint32_t i = 0; i < a->rows; i++)
		for (uint32_t j = 0; j < a->columns; j++) {
			struct cell *to = &d->v[rows ? i : j];

			*to = fold(op, a->dtype, *to, a->v[i * (size_t)a->columns + j], (rows ? j : i) == 0);
		}
	for (uint32_t i = 0; i < d->rows * d->columns; i++)
		d->v[i] = finish(d->dtype, d->v[i]);
}

static bool after(unsigned t, struct cell x, struct cell y)
{
	return cell_is_float(t) && isnan(x.f) ? !isnan(y.f) : is_less(t, x, y);
}

/* Stable selection: `count` values of which each is the first of the largest that are left. */
static void select_sorted(unsigned t, struct cell *to, struct cell *index_to, const struct cell *from, uint32_t from_count, uint32_t count, uint32_t base)
{
	bool *used = calloc(from_count, sizeof(*used));

	for (uint32_t n = 0; n < count; n++) {
		uint32_t best = UINT32_MAX;

		for (uint32_t k = 0; k < from_count; k++)
			if (!used[k] && (best == UINT32_MAX || after(t, from[best], from[k])))
				best = k;
		used[best] = true;
		to[n] = from[best];
		if (index_to)
			index_to[n] = (struct cell){0, base + best};
	}
	free(used);
}

static void sort_op(struct mat *d, struct mat *e, const struct mat *a)
{
	const uint32_t count = a->rows * a->columns;

	for (uint32_t i = 0; i < count; i += 32) {
		const uint32_t n = count - i < 32 ? count - i : 32;

		select_sorted(a->dtype, d->v + i, e->v + i, a->v + i, n, n, i);
	}
}

static void merge_op(struct mat *d, const struct mat *a, const struct mat *b)
{
	const uint32_t a_count = a->rows * a->columns, b_count = b->rows * b->columns;
	struct cell *all = malloc((a_count + b_count) * sizeof(*all));

	memcpy(all, a->v, a_count * sizeof(*all));
	memcpy(all + a_count, b->v, b_count * sizeof(*all));
	select_sorted(a->dtype, d->v, NULL, all, a_count + b_count, d->rows * d->columns, 0);
	free(all);
}

static void place_op(unsigned op, struct mat *d, const struct mat *const *src, const struct cell *scalar)
{
	const struct mat *a = src[0];

	for (uint32_t i = 0; i < d->rows; i++)
		for (uint32_t j = 0; j < d->columns; j++) {
			const size_t n = i * (size_t)d->columns + j;

			switch (op) {
			case PTOWSP_PTO_TTRANS: d->v[n] = a->v[j * (size_t)a->columns + i]; break;
			case PTOWSP_PTO_TEXTRACT: d->v[n] = a->v[((size_t)scalar[0].n + i) * a->columns + (size_t)scalar[1].n + j]; break;
			case PTOWSP_PTO_TGATHER: d->v[n] = a->v[(size_t)src[1]->v[n].n]; break;
			case PTOWSP_PTO_TGATHERB: d->v[n] = a->v[(size_t)src[1]->v[n].n / cell_bytes(a->dtype)]; break;
			case PTOWSP_PTO_TEXPANDS: d->v[n] = finish(d->dtype, scalar[0]); break;
			case PTOWSP_PTO_TCI: d->v[n] = finish(d->dtype, calc(d->dtype, '+', scalar[0], (struct cell){(double)n, (wide)n})); break;
			case PTOWSP_PTO_TROWEXPAND: d->v[n] = a->v[i]; break;
			case PTOWSP_PTO_TCOLEXPAND: d->v[n] = a->v[j]; break;
			default: /* TRESHAPE, TMOV */ d->v[n] = a->v[n]; break;
			}
		}
}

static void scatter_op(struct mat *d, const struct mat *a, const struct mat *index)
{
	for (uint32_t i = 0; i < a->rows; i++)
		for (uint32_t j = 0; j < a->columns; j++) {
			const size_t n = i * (size_t)a->columns + j;

			d->v[(size_t)index->v[n].n * d->columns + j] = a->v[n];
		}
}

void reference_op(unsigned op, unsigned mode, struct mat *d, struct mat *e, const struct mat *const *src, const struct cell *scalar)
{
	switch (op) {
	case PTOWSP_PTO_TMATMUL:
	case PTOWSP_PTO_TMATMUL_ACC:
	case PTOWSP_PTO_TMATMUL_BIAS:
	case PTOWSP_PTO_TMATMUL_MX: product_op(op, d, src); break;
	case PTOWSP_PTO_TROWSUM:
	case PTOWSP_PTO_TROWMAX:
	case PTOWSP_PTO_TROWMIN:
	case PTOWSP_PTO_TCOLSUM:
	case PTOWSP_PTO_TCOLMAX:
	case PTOWSP_PTO_TCOLMIN: reduce_op(op, d, src[0]); break;
	case PTOWSP_PTO_TEXPANDS:
	case PTOWSP_PTO_TROWEXPAND:
	case PTOWSP_PTO_TCOLEXPAND:
	case PTOWSP_PTO_TTRANS:
	case PTOWSP_PTO_TRESHAPE:
	case PTOWSP_PTO_TEXTRACT:
	case PTOWSP_PTO_TGATHER:
	case PTOWSP_PTO_TGATHERB:
	case PTOWSP_PTO_TMOV:
	case PTOWSP_PTO_TCI: place_op(op, d, src, scalar); break;
	case PTOWSP_PTO_TSCATTER: scatter_op(d, src[0], src[1]); break;
	case PTOWSP_PTO_TSORT32: sort_op(d, e, src[0]); break;
	case PTOWSP_PTO_TMRGSORT: merge_op(d, src[0], src[1]); break;
	case PTOWSP_PTO_TASSIGN: break;
	default: elements_op(op, mode, d, src, scalar); break;
	}
}
