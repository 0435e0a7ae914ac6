/* SPDX-License-Identifier: MIT */
/* inline_sort.c - sorting and merging, descending and stable. */
#include "inline_own.h"

#include "ptowsp/ids.h"

enum { GROUP = 32 };

/* Whether x stands before y for its value alone. */
static struct aie_value *before(struct aie_inliner *in, const struct aie_inline_operands *o, const struct aie_inline_row *row, struct aie_value *x, struct aie_value *y)
{
	struct aie_inline_element element = {.key = o->key, .stored = {x, y}, .dtypes = {o->key, o->key}};

	return aie_inline_expression(in, &element, aie_inline_text(row, o->key));
}

static struct aie_value *number(struct aie_inliner *in, int64_t value)
{
	return aie_inline_value(in, aie_inline_number(value));
}

/* How many of the group [first, end) stand before element i: those that are larger, and equal ones in front of it. */
static struct aie_value *rank_of(struct aie_inliner *in, const struct aie_inline_operands *o, const struct aie_inline_row *row, struct aie_value *from, struct aie_value *first,
				 struct aie_value *end, struct aie_value *i, struct aie_value *value)
{
	struct aie_value *rank = number(in, 0), *no = aie_inline_int(in, aie_inline_bits(in, 1), 0), *so_far, *other, *larger, *smaller, *equal, *more;
	struct aie_inline_loop loop = aie_inline_loop_begin(in, first, end, number(in, 1), 1, &rank, &so_far);

	other = aie_inline_load(in, from, 1, &loop.counter);
	larger = before(in, o, row, other, value);
	smaller = before(in, o, row, value, other);
	equal = aie_inline_select(in, smaller, no, aie_inline_compare(in, 2, loop.counter, i));
	larger = aie_inline_binary(in, "arith.ori", larger, equal);
	more = aie_inline_binary(in, "arith.addi", so_far, number(in, 1));
	more = aie_inline_select(in, larger, more, so_far);
	aie_inline_loop_end(in, &loop, 1, &more, &rank);
	return rank;
}

/* All of them are read before the first is written. */
void aie_inline_make_sort(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const int64_t count = (int64_t)aie_inline_count_of(in, o.src[0]);
	struct aie_value *from = aie_inline_flat(in, o.src[0]), *none = number(in, 0), *all = number(in, count), *step = number(in, GROUP), *end, *value, *to, *kept;
	struct aie_inline_loop groups, loop;

	if (o.src[0] == o.dst[0] || o.src[0] == o.dst[1]) {
		struct aie_value *kept_here = aie_inline_temp(in, o.src[0], true);

		aie_inline_copy(in, from, kept_here);
		from = kept_here;
	}
	groups = aie_inline_loop_begin(in, none, all, step, 0, NULL, NULL);
	end = aie_inline_binary(in, "arith.minsi", aie_inline_binary(in, "arith.addi", groups.counter, step), all);
	loop = aie_inline_loop_begin(in, groups.counter, end, number(in, 1), 0, NULL, NULL);
	value = aie_inline_load(in, from, 1, &loop.counter);
	to = aie_inline_binary(in, "arith.addi", groups.counter, rank_of(in, &o, row, from, groups.counter, end, loop.counter, value));
	kept = aie_inline_unary(in, "arith.index_cast", aie_inline_bits(in, 32), loop.counter);
	aie_inline_store(in, value, aie_inline_flat(in, o.dst[0]), 1, &to);
	aie_inline_store(in, kept, aie_inline_flat(in, o.dst[1]), 1, &to);
	aie_inline_loop_end(in, &loop, 0, NULL, NULL);
	aie_inline_loop_end(in, &groups, 0, NULL, NULL);
}

/* Element `at` of a tile, its last one where at is behind it. */
static struct aie_value *element_at(struct aie_inliner *in, uint32_t tile, struct aie_value *at)
{
	struct aie_value *there = aie_inline_binary(in, "arith.minsi", at, number(in, (int64_t)aie_inline_count_of(in, tile) - 1));

	return aie_inline_load(in, aie_inline_flat(in, tile), 1, &there);
}

static struct aie_value *one_more_if(struct aie_inliner *in, struct aie_value *condition, struct aie_value *value)
{
	return aie_inline_select(in, condition, aie_inline_binary(in, "arith.addi", value, number(in, 1)), value);
}

void aie_inline_make_merge(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const bool over = o.dst[0] == o.src[0] || o.dst[0] == o.src[1];
	struct aie_value *to = over ? aie_inline_temp(in, o.dst[0], true) : aie_inline_flat(in, o.dst[0]), *a, *b, *first, *b_done, *a_left, *no;
	struct aie_value *none = number(in, 0), *all = number(in, (int64_t)aie_inline_count_of(in, o.dst[0])), *starts[2] = {none, none}, *at[2], *next[2];
	struct aie_inline_loop loop = aie_inline_loop_begin(in, none, all, number(in, 1), 2, starts, at);

	a = element_at(in, o.src[0], at[0]);
	b = element_at(in, o.src[1], at[1]);
	no = aie_inline_int(in, aie_inline_bits(in, 1), 0);
	b_done = aie_inline_compare(in, 0, at[1], number(in, (int64_t)aie_inline_count_of(in, o.src[1])));
	a_left = aie_inline_compare(in, 2, at[0], number(in, (int64_t)aie_inline_count_of(in, o.src[0])));
	first = aie_inline_binary(in, "arith.ori", b_done, aie_inline_select(in, before(in, &o, row, b, a), no, a_left));
	aie_inline_store(in, aie_inline_select(in, first, a, b), to, 1, &loop.counter);
	next[0] = one_more_if(in, first, at[0]);
	next[1] = aie_inline_select(in, first, at[1], aie_inline_binary(in, "arith.addi", at[1], number(in, 1)));
	aie_inline_loop_end(in, &loop, 2, next, starts);
	if (over)
		aie_inline_copy(in, to, aie_inline_flat(in, o.dst[0]));
}
