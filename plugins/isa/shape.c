/* SPDX-License-Identifier: MIT */
/* shape.c - which shapes an opcode accepts: one small function per rule of pto_ops.def. */
#include "isa/opcode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One question: the opcode's tiles in operand order, and where the sentence goes. */
struct shapes {
	const char *name; /* mnemonic */
	const struct ptowsp_tile_tile *const *dst, *const *src;
	unsigned dst_count, src_count;
	unsigned rule;
	char *text;
	size_t size;
};

static bool refuse(const struct shapes *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool refuse(const struct shapes *q, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(q->text, q->size, format, list);
	va_end(list);
	return false;
}

static bool equal(const struct ptowsp_tile_tile *a, const struct ptowsp_tile_tile *b)
{
	return a->rows == b->rows && a->columns == b->columns;
}

static bool is(const struct ptowsp_tile_tile *t, uint64_t rows, uint64_t columns)
{
	return t->rows == rows && t->columns == columns;
}

static uint64_t elements(const struct ptowsp_tile_tile *t)
{
	return (uint64_t)t->rows * t->columns;
}

/* "8x8", "8x8 and 8x1", "8x8, 8x1 and 8x8": at most five tiles of at most 21 characters. */
struct list {
	char text[160];
};
static struct list list_of(const struct ptowsp_tile_tile *const *tiles, unsigned count)
{
	struct list l = {""};
	size_t at = 0;

	for (unsigned i = 0; i < count; i++)
		at += (size_t)snprintf(l.text + at, sizeof(l.text) - at, "%s%ux%u",
				       i == 0           ? ""
				       : i + 1 == count ? " and "
							: ", ",
				       (unsigned)tiles[i]->rows, (unsigned)tiles[i]->columns);
	return l;
}

static bool unequal(const struct shapes *q, bool with_dst)
{
	const struct list src = list_of(q->src, q->src_count), dst = list_of(q->dst, q->dst_count);

	return refuse(q, "%s needs equal shapes, got %s%s%s", q->name, src.text, with_dst ? " -> " : "", with_dst ? dst.text : "");
}

/* Every tile has the same shape. When the sources disagree only they are shown: that is where the mistake is. */
static bool same(const struct shapes *q)
{
	for (unsigned i = 1; i < q->src_count; i++)
		if (!equal(q->src[0], q->src[i]))
			return unequal(q, false);
	for (unsigned i = 0; i < q->dst_count; i++)
		if (!equal(q->src[0], q->dst[i]))
			return unequal(q, true);
	return true;
}

/* A scale row beside the source: 1 x its columns. */
static bool scale_row(const struct shapes *q)
{
	const struct ptowsp_tile_tile *a = q->src[0], *scale = q->src[1];

	if (is(scale, 1, a->columns))
		return true;
	return refuse(q, "%s of %ux%u needs a scale of 1x%u, got %ux%u", q->name, a->rows, a->columns, a->columns, scale->rows, scale->columns);
}

static bool any(const struct shapes *q)
{
	(void)q;
	return true;
}

static bool store(const struct shapes *q)
{
	return q->src_count < 2 || scale_row(q);
}

static bool same_any(const struct shapes *q)
{
	if (!equal(q->dst[0], q->src[0])) {
		const struct list src = list_of(q->src, 1), dst = list_of(q->dst, 1);

		return refuse(q, "%s needs equal shapes, got %s -> %s", q->name, src.text, dst.text);
	}
	return q->src_count < 2 || scale_row(q);
}

static bool refuse_product(const struct shapes *q, const char *what, uint64_t rows, uint64_t columns)
{
	unsigned left, right;

	isa_shape_factors(q->rule, &left, &right);
	return refuse(q, "%s %ux%u <- %ux%u, %ux%u: the %s needs %llux%llu", q->name, q->dst[0]->rows, q->dst[0]->columns, q->src[left]->rows,
		      q->src[left]->columns, q->src[right]->rows, q->src[right]->columns, what, (unsigned long long)rows, (unsigned long long)columns);
}

/* d MxN = a MxK times b KxN; the forms add their own operand. */
static bool product(const struct shapes *q)
{
	const struct ptowsp_tile_tile *d = q->dst[0], *a, *b;
	unsigned left, right;

	isa_shape_factors(q->rule, &left, &right);
	a = q->src[left];
	b = q->src[right];
	if (b->rows != a->columns)
		return refuse(q, "%s %ux%u <- %ux%u, %ux%u: the second operand needs %u rows", q->name, d->rows, d->columns, a->rows, a->columns, b->rows,
			      b->columns, a->columns);
	return is(d, a->rows, b->columns) || refuse_product(q, "result", a->rows, b->columns);
}

static bool product_acc(const struct shapes *q)
{
	if (!product(q))
		return false;
	return equal(q->src[0], q->dst[0]) || refuse_product(q, "accumulator", q->dst[0]->rows, q->dst[0]->columns);
}

static bool product_bias(const struct shapes *q)
{
	if (!product(q))
		return false;
	return is(q->src[2], 1, q->dst[0]->columns) || refuse_product(q, "bias", 1, q->dst[0]->columns);
}

/* a_scale M x G and b_scale G x N: each scale serves K / G neighbours along k. */
static bool product_mx(const struct shapes *q)
{
	const struct ptowsp_tile_tile *a = q->src[0], *a_scale = q->src[1], *b = q->src[2], *b_scale = q->src[3];

	if (!product(q))
		return false;
	if (a_scale->rows != a->rows || a->columns % a_scale->columns)
		return refuse(q, "%s: the first scale of %ux%u needs %u rows and a divisor of %u as columns, got %ux%u", q->name, a->rows, a->columns, a->rows,
			      a->columns, a_scale->rows, a_scale->columns);
	if (b_scale->columns != b->columns || b->rows % b_scale->rows)
		return refuse(q, "%s: the second scale of %ux%u needs %u columns and a divisor of %u as rows, got %ux%u", q->name, b->rows, b->columns,
			      b->columns, b->rows, b_scale->rows, b_scale->columns);
	return true;
}

static bool refuse_result(const struct shapes *q, uint64_t rows, uint64_t columns)
{
	const struct ptowsp_tile_tile *d = q->dst[0], *a = q->src[0];

	return refuse(q, "%s of %ux%u needs a result of %llux%llu, got %ux%u", q->name, a->rows, a->columns, (unsigned long long)rows,
		      (unsigned long long)columns, d->rows, d->columns);
}

static bool row_reduce(const struct shapes *q)
{
	return is(q->dst[0], q->src[0]->rows, 1) || refuse_result(q, q->src[0]->rows, 1);
}

static bool col_reduce(const struct shapes *q)
{
	return is(q->dst[0], 1, q->src[0]->columns) || refuse_result(q, 1, q->src[0]->columns);
}

static bool transpose(const struct shapes *q)
{
	return is(q->dst[0], q->src[0]->columns, q->src[0]->rows) || refuse_result(q, q->src[0]->columns, q->src[0]->rows);
}

static bool expand(const struct shapes *q, uint64_t rows, uint64_t columns)
{
	const struct ptowsp_tile_tile *d = q->dst[0], *a = q->src[0];

	return is(a, rows, columns) || refuse(q, "%s to %ux%u needs a source of %llux%llu, got %ux%u", q->name, d->rows, d->columns, (unsigned long long)rows,
					      (unsigned long long)columns, a->rows, a->columns);
}

static bool row_expand(const struct shapes *q)
{
	return expand(q, q->dst[0]->rows, 1);
}

static bool col_expand(const struct shapes *q)
{
	return expand(q, 1, q->dst[0]->columns);
}

static bool row_combine(const struct shapes *q)
{
	const struct ptowsp_tile_tile *a = q->src[0], *b = q->src[1];

	if (!equal(a, q->dst[0]))
		return refuse_result(q, a->rows, a->columns);
	return is(b, a->rows, 1) ||
	       refuse(q, "%s of %ux%u needs a second operand of %ux1, got %ux%u", q->name, a->rows, a->columns, a->rows, b->rows, b->columns);
}

static bool reshape(const struct shapes *q)
{
	const struct ptowsp_tile_tile *d = q->dst[0], *a = q->src[0];

	return elements(d) == elements(a) || refuse(q, "%s keeps the number of elements: %ux%u has %llu, %ux%u has %llu", q->name, a->rows, a->columns,
						    (unsigned long long)elements(a), d->rows, d->columns, (unsigned long long)elements(d));
}

static bool extract(const struct shapes *q)
{
	const struct ptowsp_tile_tile *d = q->dst[0], *a = q->src[0];

	return (d->rows <= a->rows && d->columns <= a->columns) ||
	       refuse(q, "%s cannot take %ux%u out of %ux%u", q->name, d->rows, d->columns, a->rows, a->columns);
}

static bool gather(const struct shapes *q)
{
	const struct ptowsp_tile_tile *d = q->dst[0], *index = q->src[1];

	return equal(d, index) || refuse(q, "%s to %ux%u needs as many indices, got %ux%u", q->name, d->rows, d->columns, index->rows, index->columns);
}

static bool scatter(const struct shapes *q)
{
	const struct ptowsp_tile_tile *d = q->dst[0], *a = q->src[0];

	if (!equal(a, q->src[1]))
		return unequal(q, false);
	return d->columns == a->columns ||
	       refuse(q, "%s of %ux%u needs a result of %u columns, got %ux%u", q->name, a->rows, a->columns, a->columns, d->rows, d->columns);
}

static bool merge(const struct shapes *q)
{
	const uint64_t have = elements(q->src[0]) + elements(q->src[1]);

	return elements(q->dst[0]) <= have || refuse(q, "%s has %llu elements to merge, the result of %ux%u takes more", q->name, (unsigned long long)have,
						     q->dst[0]->rows, q->dst[0]->columns);
}

static bool (*const rules[ISA_SHAPE_COUNT])(const struct shapes *q) = {
	[ISA_SHAPE_LOAD] = any,
	[ISA_SHAPE_STORE] = store,
	[ISA_SHAPE_ELEMENT] = any,
	[ISA_SHAPE_SAME] = same,
	[ISA_SHAPE_SAME_MASK] = same,
	[ISA_SHAPE_SAME_ANY] = same_any,
	[ISA_SHAPE_SELECT] = same,
	[ISA_SHAPE_MATMUL] = product,
	[ISA_SHAPE_MATMUL_ACC] = product_acc,
	[ISA_SHAPE_MATMUL_BIAS] = product_bias,
	[ISA_SHAPE_MATMUL_MX] = product_mx,
	[ISA_SHAPE_ROW_REDUCE] = row_reduce,
	[ISA_SHAPE_COL_REDUCE] = col_reduce,
	[ISA_SHAPE_FILL] = any,
	[ISA_SHAPE_ROW_EXPAND] = row_expand,
	[ISA_SHAPE_COL_EXPAND] = col_expand,
	[ISA_SHAPE_ROW_COMBINE] = row_combine,
	[ISA_SHAPE_TRANSPOSE] = transpose,
	[ISA_SHAPE_RESHAPE] = reshape,
	[ISA_SHAPE_EXTRACT] = extract,
	[ISA_SHAPE_GATHER] = gather,
	[ISA_SHAPE_SCATTER] = scatter,
	[ISA_SHAPE_SORT] = same,
	[ISA_SHAPE_MERGE] = merge,
	[ISA_SHAPE_ANY] = any,
	[ISA_SHAPE_SCALAR] = any,
	[ISA_SHAPE_SCALAR_MASK] = any,
	[ISA_SHAPE_CONTROL] = any,
};

static unsigned letters(const char *operands, char letter)
{
	unsigned count = 0;

	for (; *operands; operands++)
		count += *operands == letter;
	return count;
}

ptowsp_status isa_shape_check(unsigned opcode, const struct ptowsp_tile_tile *const *dst, unsigned dst_count, const struct ptowsp_tile_tile *const *src,
			      unsigned src_count, char *text, size_t size)
{
	const struct isa_op *op = isa_op(opcode);
	const struct shapes q = {.name = op ? op->mnemonic : "?",
				 .dst = dst,
				 .src = src,
				 .dst_count = dst_count,
				 .src_count = src_count,
				 .rule = op ? op->shape : 0u,
				 .text = text,
				 .size = size};

	if (!op) {
		refuse(&q, "there is no opcode 0x%02X", opcode);
		return PTOWSP_INVALID;
	}
	if (dst_count != letters(op->operands, 'T') || src_count != letters(op->operands, 't')) {
		refuse(&q, "%s writes %u and reads %u tiles, got %u and %u", q.name, letters(op->operands, 'T'), letters(op->operands, 't'), dst_count,
		       src_count);
		return PTOWSP_INVALID;
	}
	return rules[op->shape](&q) ? PTOWSP_OK : PTOWSP_INVALID;
}
