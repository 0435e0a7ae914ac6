/* SPDX-License-Identifier: MIT
 * tile_reference.c - see tile_reference.h. */
#include "tile_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double wrap(int64_t value)
{
	const uint32_t low = (uint32_t)(uint64_t)value;

	return low < 0x80000000u ? (double)low : (double)low - 4294967296.0;
}

/* One operation, rounded once. In double +, -, *, / of two f32 followed by rounding to f32 is the f32 operation. */
static double calc(unsigned dtype, char op, double a, double b)
{
	const int64_t x = dtype == PTOWSP_F32 ? 0 : (int64_t)a, y = dtype == PTOWSP_F32 ? 0 : (int64_t)b;

	if (dtype == PTOWSP_F32) {
		switch (op) {
		case '+':
			return (double)(float)(a + b);
		case '-':
			return (double)(float)(a - b);
		case '*':
			return (double)(float)(a * b);
		case '/':
			return (double)(float)(a / b);
		default:
			return fmod(a, b);
		}
	}
	switch (op) {
	case '+':
		return wrap(x + y);
	case '-':
		return wrap(x - y);
	case '*':
		return wrap(x * y);
	case '/':
		return y == 0 ? 0 : wrap(x / y);
	case '%':
		return y == 0 ? (double)x : wrap(x % y);
	case '&':
		return wrap(x & y);
	case '|':
		return wrap(x | y);
	case '^':
		return wrap(x ^ y);
	case '<':
		return wrap(x * (INT64_C(1) << (y & 31)));
	default: /* '>': floor division by a power of two */
		return floor((double)x / (double)(INT64_C(1) << (y & 31)));
	}
}

static bool holds(unsigned mode, double a, double b)
{
	switch (mode) {
	case PTOWSP_COMPARE_EQ:
		return a == b;
	case PTOWSP_COMPARE_NE:
		return !(a == b);
	case PTOWSP_COMPARE_LT:
		return a < b;
	case PTOWSP_COMPARE_LE:
		return a <= b;
	case PTOWSP_COMPARE_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static double integral(double a, unsigned mode)
{
	switch (mode) {
	case PTOWSP_ROUND_AWAY:
		return a < 0 ? ceil(a - 0.5) : floor(a + 0.5);
	case PTOWSP_ROUND_FLOOR:
		return floor(a);
	case PTOWSP_ROUND_CEIL:
		return ceil(a);
	case PTOWSP_ROUND_TRUNC:
		return trunc(a);
	case PTOWSP_ROUND_ODD:
		return floor(a) == a ? a : fmod(floor(a), 2) != 0 ? floor(a) : ceil(a);
	default:
		return rint(a);
	}
}

static double convert(unsigned to, unsigned from, unsigned mode, double a)
{
	if (from == PTOWSP_I32)
		return to == PTOWSP_F32 ? (double)(float)a : a;
	if (to == PTOWSP_F32)
		return mode == PTOWSP_ROUND_NONE || isnan(a) ? a : copysign(integral(a, mode), a);
	if (isnan(a))
		return 0;
	a = integral(a, mode) + 0.0; /* integers have one zero */
	return a > 2147483647.0 ? 2147483647.0 : a < -2147483648.0 ? -2147483648.0 : a;
}

/* Elements of one position: src[k] or, where a scalar stands in the text, that. */
static double element_op(unsigned op, unsigned t, double a, double b, double c)
{
	switch (op) {
	case PTOWSP_PTO_TABS:
		return a < 0 || (a == 0 && signbit(a)) ? calc(t, '-', 0, a) : isnan(a) ? fabs(a) : a;
	case PTOWSP_PTO_TNEG:
		return t == PTOWSP_F32 ? -a : calc(t, '-', 0, a);
	case PTOWSP_PTO_TNOT:
		return -a - 1;
	case PTOWSP_PTO_TEXP:
		return exp(a);
	case PTOWSP_PTO_TLOG:
		return log(a);
	case PTOWSP_PTO_TSQRT:
		return (double)(float)sqrt(a);
	case PTOWSP_PTO_TRSQRT:
		return (double)(float)(1.0 / (double)(float)sqrt(a));
	case PTOWSP_PTO_TRECIP:
		return (double)(float)(1.0 / a);
	case PTOWSP_PTO_TRELU:
		return a > 0 ? a : 0;
	case PTOWSP_PTO_TLRELU:
	case PTOWSP_PTO_TPRELU:
		return a > 0 ? a : calc(t, '*', a, b);
	case PTOWSP_PTO_TADD:
	case PTOWSP_PTO_TADDS:
		return calc(t, '+', a, b);
	case PTOWSP_PTO_TSUB:
	case PTOWSP_PTO_TSUBS:
	case PTOWSP_PTO_TROWEXPANDSUB:
		return calc(t, '-', a, b);
	case PTOWSP_PTO_TMUL:
	case PTOWSP_PTO_TMULS:
	case PTOWSP_PTO_TROWEXPANDMUL:
	case PTOWSP_PTO_TMOV_FP:
		return calc(t, '*', a, b);
	case PTOWSP_PTO_TDIV:
	case PTOWSP_PTO_TDIVS:
	case PTOWSP_PTO_TROWEXPANDDIV:
		return calc(t, '/', a, b);
	case PTOWSP_PTO_TREM:
	case PTOWSP_PTO_TREMS:
		return calc(t, '%', a, b);
	case PTOWSP_PTO_TMAX:
	case PTOWSP_PTO_TMAXS:
		return a > b ? a : b;
	case PTOWSP_PTO_TMIN:
	case PTOWSP_PTO_TMINS:
		return a < b ? a : b;
	case PTOWSP_PTO_TAND:
	case PTOWSP_PTO_TANDS:
		return calc(t, '&', a, b);
	case PTOWSP_PTO_TOR:
	case PTOWSP_PTO_TORS:
		return calc(t, '|', a, b);
	case PTOWSP_PTO_TXOR:
	case PTOWSP_PTO_TXORS:
		return calc(t, '^', a, b);
	case PTOWSP_PTO_TSHL:
		return calc(t, '<', a, b);
	case PTOWSP_PTO_TSHR:
		return calc(t, '>', a, b);
	case PTOWSP_PTO_TADDC:
	case PTOWSP_PTO_TADDSC:
		return calc(t, '+', calc(t, '+', a, b), c);
	case PTOWSP_PTO_TSUBC:
	case PTOWSP_PTO_TSUBSC:
		return calc(t, '+', calc(t, '-', a, b), c);
	case PTOWSP_PTO_TSEL:
		return a != 0 ? b : c;
	case PTOWSP_PTO_TSELS:
		return c != 0 ? a : b;
	default:
		abort();
	}
}

/* The operand at [i, j]: tiles with one row or one column are spread. */
static double at(const struct mat *m, uint32_t i, uint32_t j)
{
	return m->v[(m->rows == 1 ? 0 : i) * (size_t)m->columns + (m->columns == 1 ? 0 : j)];
}

/* Which operands are scalars, by position: taddsc a, s, c. */
static double operand(unsigned op, unsigned position, const struct mat *const *src, const double *scalar, uint32_t i, uint32_t j)
{
	const bool second = op == PTOWSP_PTO_TLRELU || (op >= PTOWSP_PTO_TADDS && op <= PTOWSP_PTO_TXORS) ||
			    op == PTOWSP_PTO_TCMPS || op == PTOWSP_PTO_TADDSC || op == PTOWSP_PTO_TSUBSC;
	const bool third = op == PTOWSP_PTO_TSELS;

	if ((second && position == 1) || (third && position == 2))
		return scalar[0];
	if (second && position == 2)
		position = 1;
	return src[position] ? at(src[position], i, j) : 0;
}

static void elements_op(unsigned op, unsigned mode, struct mat *d, const struct mat *const *src, const double *scalar)
{
	const unsigned t = src[0]->dtype;

	for (uint32_t i = 0; i < d->rows; i++)
		for (uint32_t j = 0; j < d->columns; j++) {
			const double a = operand(op, 0, src, scalar, i, j), b = operand(op, 1, src, scalar, i, j);
			double *to = &d->v[i * (size_t)d->columns + j];

			if (op == PTOWSP_PTO_TCMP || op == PTOWSP_PTO_TCMPS)
				*to = holds(mode, a, b);
			else if (op == PTOWSP_PTO_TCVT)
				*to = convert(d->dtype, t, mode, a);
			else
				*to = element_op(op, op == PTOWSP_PTO_TSEL ? d->dtype : t, a, b,
						 operand(op, 2, src, scalar, i, j));
		}
}

static void product_op(unsigned op, struct mat *d, const struct mat *const *src)
{
	const bool acc = op == PTOWSP_PTO_TMATMUL_ACC, mx = op == PTOWSP_PTO_TMATMUL_MX;
	const struct mat *a = src[acc], *b = src[acc || mx ? 2 : 1];
	const unsigned t = d->dtype;

	for (uint32_t i = 0; i < d->rows; i++)
		for (uint32_t j = 0; j < d->columns; j++) {
			double sum = acc ? at(src[0], i, j) : 0;

			for (uint32_t k = 0; k < a->columns; k++) {
				double x = a->v[i * (size_t)a->columns + k], y = b->v[k * (size_t)b->columns + j];

				if (mx) {
					const uint32_t share_a = a->columns / src[1]->columns, share_b = b->rows / src[3]->rows;

					x = calc(t, '*', x, src[1]->v[i * (size_t)src[1]->columns + k / share_a]);
					y = calc(t, '*', y, src[3]->v[k / share_b * (size_t)src[3]->columns + j]);
				}
				sum = calc(t, '+', sum, calc(t, '*', x, y));
			}
			if (op == PTOWSP_PTO_TMATMUL_BIAS)
				sum = calc(t, '+', sum, src[2]->v[j]);
			d->v[i * (size_t)d->columns + j] = sum;
		}
}

static double fold(unsigned op, unsigned t, double acc, double v, bool first)
{
	switch (op) {
	case PTOWSP_PTO_TROWSUM:
	case PTOWSP_PTO_TCOLSUM:
		return calc(t, '+', first ? 0 : acc, v);
	case PTOWSP_PTO_TROWMAX:
	case PTOWSP_PTO_TCOLMAX:
		return first || v > acc ? v : acc;
	default:
		return first || v < acc ? v : acc;
	}
}

static void reduce_op(unsigned op, struct mat *d, const struct mat *a)
{
	for (uint32_t i = 0; i < a->rows; i++)
		for (uint32_t j = 0; j < a->columns; j++) {
			const bool rows = op <= PTOWSP_PTO_TROWMIN;
			double *to = &d->v[rows ? i : j];

			*to = fold(op, a->dtype, *to, a->v[i * (size_t)a->columns + j], (rows ? j : i) == 0);
		}
}

static bool after(double x, double y)
{
	return isnan(x) ? !isnan(y) : x < y;
}

/* Stable selection: `count` values of which each is the first of the largest that are left. */
static void select_sorted(double *to, double *index_to, const double *from, uint32_t from_count, uint32_t count, uint32_t base)
{
	bool *used = calloc(from_count, sizeof(*used));

	for (uint32_t n = 0; n < count; n++) {
		uint32_t best = UINT32_MAX;

		for (uint32_t k = 0; k < from_count; k++)
			if (!used[k] && (best == UINT32_MAX || after(from[best], from[k])))
				best = k;
		used[best] = true;
		to[n] = from[best];
		if (index_to)
			index_to[n] = base + best;
	}
	free(used);
}

static void sort_op(struct mat *d, struct mat *e, const struct mat *a)
{
	const uint32_t count = a->rows * a->columns;

	for (uint32_t i = 0; i < count; i += 32) {
		const uint32_t n = count - i < 32 ? count - i : 32;

		select_sorted(d->v + i, e->v + i, a->v + i, n, n, i);
	}
}

static void merge_op(struct mat *d, const struct mat *a, const struct mat *b)
{
	const uint32_t a_count = a->rows * a->columns, b_count = b->rows * b->columns;
	double *all = malloc((a_count + b_count) * sizeof(*all));

	memcpy(all, a->v, a_count * sizeof(*all));
	memcpy(all + a_count, b->v, b_count * sizeof(*all));
	select_sorted(d->v, NULL, all, a_count + b_count, d->rows * d->columns, 0);
	free(all);
}

static void place_op(unsigned op, struct mat *d, const struct mat *const *src, const double *scalar)
{
	const struct mat *a = src[0];

	for (uint32_t i = 0; i < d->rows; i++)
		for (uint32_t j = 0; j < d->columns; j++) {
			const size_t n = i * (size_t)d->columns + j;

			switch (op) {
			case PTOWSP_PTO_TTRANS:
				d->v[n] = a->v[j * (size_t)a->columns + i];
				break;
			case PTOWSP_PTO_TEXTRACT:
				d->v[n] = a->v[((size_t)scalar[0] + i) * a->columns + (size_t)scalar[1] + j];
				break;
			case PTOWSP_PTO_TGATHER:
				d->v[n] = a->v[(size_t)src[1]->v[n]];
				break;
			case PTOWSP_PTO_TGATHERB:
				d->v[n] = a->v[(size_t)src[1]->v[n] / 4];
				break;
			case PTOWSP_PTO_TEXPANDS:
				d->v[n] = scalar[0];
				break;
			case PTOWSP_PTO_TCI:
				d->v[n] = calc(d->dtype, '+', scalar[0], (double)n);
				break;
			case PTOWSP_PTO_TROWEXPAND:
				d->v[n] = a->v[i];
				break;
			case PTOWSP_PTO_TCOLEXPAND:
				d->v[n] = a->v[j];
				break;
			default: /* TRESHAPE, TMOV */
				d->v[n] = a->v[n];
				break;
			}
		}
}

static void scatter_op(struct mat *d, const struct mat *a, const struct mat *index)
{
	for (uint32_t i = 0; i < a->rows; i++)
		for (uint32_t j = 0; j < a->columns; j++) {
			const size_t n = i * (size_t)a->columns + j;

			d->v[(size_t)index->v[n] * d->columns + j] = a->v[n];
		}
}

void reference_op(unsigned op, unsigned mode, struct mat *d, struct mat *e, const struct mat *const *src,
		  const double *scalar)
{
	switch (op) {
	case PTOWSP_PTO_TMATMUL:
	case PTOWSP_PTO_TMATMUL_ACC:
	case PTOWSP_PTO_TMATMUL_BIAS:
	case PTOWSP_PTO_TMATMUL_MX:
		product_op(op, d, src);
		break;
	case PTOWSP_PTO_TROWSUM:
	case PTOWSP_PTO_TROWMAX:
	case PTOWSP_PTO_TROWMIN:
	case PTOWSP_PTO_TCOLSUM:
	case PTOWSP_PTO_TCOLMAX:
	case PTOWSP_PTO_TCOLMIN:
		reduce_op(op, d, src[0]);
		break;
	case PTOWSP_PTO_TEXPANDS:
	case PTOWSP_PTO_TROWEXPAND:
	case PTOWSP_PTO_TCOLEXPAND:
	case PTOWSP_PTO_TTRANS:
	case PTOWSP_PTO_TRESHAPE:
	case PTOWSP_PTO_TEXTRACT:
	case PTOWSP_PTO_TGATHER:
	case PTOWSP_PTO_TGATHERB:
	case PTOWSP_PTO_TMOV:
	case PTOWSP_PTO_TCI:
		place_op(op, d, src, scalar);
		break;
	case PTOWSP_PTO_TSCATTER:
		scatter_op(d, src[0], src[1]);
		break;
	case PTOWSP_PTO_TSORT32:
		sort_op(d, e, src[0]);
		break;
	case PTOWSP_PTO_TMRGSORT:
		merge_op(d, src[0], src[1]);
		break;
	case PTOWSP_PTO_TASSIGN:
		break;
	default:
		elements_op(op, mode, d, src, scalar);
		break;
	}
}
