/* SPDX-License-Identifier: MIT */
/* inline_elements.c - an element of the result after the other: by an expression of its operands' elements, along rows and columns, as a sum of products. */
#include "inline_own.h"

#include <string.h>
#include "ptowsp/ids.h"

/* ---- element by element ------------------------------------------------------------------------------------------------- */

static bool is_flat(const char *access)
{
	return !access[strspn(access, "es")];
}

/* Scalars, once for all elements. */
static void scalars_find(struct aie_inliner *in, const struct aie_inline_operands *o, const char *access, const char *text, struct aie_inline_element *element)
{
	for (unsigned i = 0; access[i]; i++) {
		if (access[i] != 's')
			continue;
		if (!strchr(text, 'A' + (int)i))
			element->computed[i] = aie_inline_scalar_computed(in, o->src[i], o->key);
		else if (strstr(text, "true")) /* a condition keeps its type */
			element->stored[i] = aie_inline_true(in, aie_inline_scalar(in, o->src[i]));
		else
			element->stored[i] = aie_inline_scalar_stored(in, o->src[i], element->result);
	}
}

static struct aie_value *element_load(struct aie_inliner *in, uint32_t tile, char access, struct aie_value *const *at, bool flat)
{
	struct aie_value *none = aie_inline_value(in, aie_inline_number(0));
	struct aie_value *const places[2] = {access == 'c' ? none : at[0], access == 'r' ? none : flat ? NULL : at[1]};

	return aie_inline_load(in, flat ? aie_inline_flat(in, tile) : aie_inline_grid(in, tile), flat ? 1 : 2, places);
}

/* Operands with this access, or any other one. */
static void operands_load(struct aie_inliner *in, const struct aie_inline_operands *o, const char *access, bool of_rows, struct aie_value *const *at, bool flat,
			  struct aie_inline_element *element)
{
	for (unsigned i = 0; access[i]; i++) {
		if (access[i] == 's' || (access[i] == 'r') != of_rows)
			continue;
		element->dtypes[i] = in->tiles[o->src[i]].dtype;
		element->computed[i] = NULL;
		element->stored[i] = element_load(in, o->src[i], access[i], at, flat);
	}
}

static struct aie_value *result_of(struct aie_inliner *in, struct aie_inline_element *element, const char *text)
{
	struct aie_value *made = aie_inline_expression(in, element, text);

	return *text == '=' ? made : aie_inline_narrow(in, made, element->result);
}

static void flat_write(struct aie_inliner *in, const struct aie_inline_operands *o, const char *access, const char *text, struct aie_inline_element *element)
{
	struct aie_inline_loop loop = aie_inline_count(in, 0, (int64_t)aie_inline_count_of(in, o->dst[0]));
	struct aie_value *made;

	element->number = loop.counter;
	operands_load(in, o, access, false, &loop.counter, true, element);
	made = result_of(in, element, text);
	aie_inline_store(in, made, aie_inline_flat(in, o->dst[0]), 1, &loop.counter);
	aie_inline_loop_end(in, &loop, 0, NULL, NULL);
}

static void grid_write(struct aie_inliner *in, const struct aie_inline_operands *o, const char *access, const char *text, struct aie_inline_element *element)
{
	const struct ptowsp_tile_tile *tile = &in->tiles[o->dst[0]];
	struct aie_inline_loop rows = aie_inline_count(in, 0, tile->rows), columns;
	struct aie_value *at[2] = {rows.counter, NULL}, *made;

	operands_load(in, o, access, true, at, false, element);
	for (unsigned i = 0; access[i]; i++)
		if (access[i] == 'r' && *text != '=')
			element->computed[i] = aie_inline_widen(in, element->stored[i], element->dtypes[i]);
	columns = aie_inline_count(in, 0, tile->columns);
	at[1] = columns.counter;
	operands_load(in, o, access, false, at, false, element);
	made = result_of(in, element, text);
	aie_inline_store(in, made, aie_inline_grid(in, o->dst[0]), 2, at);
	aie_inline_loop_end(in, &columns, 0, NULL, NULL);
	aie_inline_loop_end(in, &rows, 0, NULL, NULL);
}

void aie_inline_make_elements(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	struct aie_inline_element element = {.key = o.key, .result = in->tiles[o.dst[0]].dtype, .mode = in->insts[inst].mode};
	const char *text = aie_inline_text(row, o.key);

	scalars_find(in, &o, row->access, text, &element);
	(is_flat(row->access) ? flat_write : grid_write)(in, &o, row->access, text, &element);
}

/* ---- along rows, along columns ------------------------------------------------------------------------------------------ */

static struct aie_value *reduce_one(struct aie_inliner *in, const struct aie_inline_operands *o, const struct aie_inline_row *row, struct aie_value *other)
{
	const struct ptowsp_tile_tile *tile = &in->tiles[o->src[0]];
	const bool by_rows = row->access[0] == 'r', first = row->access[1] == '1';
	struct aie_inline_element element = {.key = o->key, .dtypes = {tile->dtype}};
	const struct aie_type *type = aie_inline_computed(in, o->key);
	struct aie_value *none = aie_inline_value(in, aie_inline_number(0)), *one = aie_inline_value(in, aie_inline_number(1)), *value, *sum;
	struct aie_value *end = aie_inline_value(in, aie_inline_number(by_rows ? tile->columns : tile->rows)), *at[2] = {by_rows ? other : none, by_rows ? none : other};
	struct aie_inline_loop loop;

	if (first)
		value = aie_inline_widen(in, aie_inline_load(in, aie_inline_grid(in, o->src[0]), 2, at), tile->dtype);
	else
		value = aie_inline_is_float(type) ? aie_inline_float(in, type, 0) : aie_inline_int(in, type, 0);
	loop = aie_inline_loop_begin(in, first ? one : none, end, one, 1, &value, &element.carried);
	at[by_rows] = loop.counter;
	element.stored[0] = aie_inline_load(in, aie_inline_grid(in, o->src[0]), 2, at);
	sum = aie_inline_expression(in, &element, aie_inline_text(row, o->key));
	aie_inline_loop_end(in, &loop, 1, &sum, &value);
	return value;
}

void aie_inline_make_reduce(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	struct aie_inline_loop loop = aie_inline_count(in, 0, (int64_t)aie_inline_count_of(in, o.dst[0]));
	struct aie_value *made = aie_inline_narrow(in, reduce_one(in, &o, row, loop.counter), in->tiles[o.dst[0]].dtype);

	aie_inline_store(in, made, aie_inline_flat(in, o.dst[0]), 1, &loop.counter);
	aie_inline_loop_end(in, &loop, 0, NULL, NULL);
}

/* ---- products ----------------------------------------------------------------------------------------------------------- */

/* An element of a factor, of a scale or of what is added, in what the sum is made in. */
static struct aie_value *factor(struct aie_inliner *in, uint32_t tile, struct aie_value *i, struct aie_value *j, const struct aie_type *sum)
{
	struct aie_value *stored = aie_inline_load(in, aie_inline_grid(in, tile), 2, (struct aie_value *const[]){i, j});
	const unsigned dtype = in->tiles[tile].dtype;

	if (aie_inline_is_float(sum) || !stored || stored->type == sum)
		return aie_inline_widen(in, stored, dtype);
	return aie_inline_unary(in, aie_inline_class(dtype) == 'i' ? "arith.extsi" : "arith.extui", sum, stored);
}

static struct aie_value *combined(struct aie_inliner *in, const char *floats, const char *ints, struct aie_value *a, struct aie_value *b)
{
	return aie_inline_binary(in, a && aie_inline_is_float(a->type) ? floats : ints, a, b);
}

struct product {
	uint32_t a, b;               /* tiles */
	int64_t start, bias;         /* tiles, -1: none */
	int64_t a_scale, b_scale;    /* tiles, -1: none */
	const struct aie_type *sum;
};

/* One scale for `share` neighbours along k. */
static struct aie_value *scaled(struct aie_inliner *in, const struct product *p, struct aie_value *value, bool right, struct aie_value *k, struct aie_value *other)
{
	const uint32_t scale = (uint32_t)(right ? p->b_scale : p->a_scale), depth = in->tiles[p->a].columns, share = depth / (right ? in->tiles[scale].rows : in->tiles[scale].columns);
	struct aie_value *at = share == 1 ? k : aie_inline_binary(in, "arith.divui", k, aie_inline_value(in, aie_inline_number(share)));

	return combined(in, "arith.mulf", "arith.muli", value, right ? factor(in, scale, at, other, p->sum) : factor(in, scale, other, at, p->sum));
}

static struct aie_value *product_one(struct aie_inliner *in, const struct product *p, struct aie_value *i, struct aie_value *j)
{
	struct aie_value *none = aie_inline_value(in, aie_inline_number(0)), *one = aie_inline_value(in, aie_inline_number(1)), *a, *b, *sum, *so_far;
	struct aie_value *value = p->start >= 0 ? factor(in, (uint32_t)p->start, i, j, p->sum) : aie_inline_is_float(p->sum) ? aie_inline_float(in, p->sum, 0) : aie_inline_int(in, p->sum, 0);
	struct aie_inline_loop loop = aie_inline_loop_begin(in, none, aie_inline_value(in, aie_inline_number(in->tiles[p->a].columns)), one, 1, &value, &so_far);

	a = factor(in, p->a, i, loop.counter, p->sum);
	b = factor(in, p->b, loop.counter, j, p->sum);
	if (p->a_scale >= 0) {
		a = scaled(in, p, a, false, loop.counter, i);
		b = scaled(in, p, b, true, loop.counter, j);
	}
	sum = combined(in, "arith.addf", "arith.addi", so_far, combined(in, "arith.mulf", "arith.muli", a, b));
	aie_inline_loop_end(in, &loop, 1, &sum, &value);
	return p->bias < 0 ? value : combined(in, "arith.addf", "arith.addi", value, factor(in, (uint32_t)p->bias, none, j, p->sum));
}

/* All sums are made before the first of what they are made of is overwritten. */
static void product_write(struct aie_inliner *in, uint32_t d, struct product *p)
{
	const struct ptowsp_tile_tile *tile = &in->tiles[d];
	const bool over = d == p->a || d == p->b || d == p->bias || d == p->a_scale || d == p->b_scale;
	struct aie_value *to = over ? aie_inline_temp(in, d, false) : aie_inline_grid(in, d), *at[2];
	struct aie_inline_loop rows, columns;

	p->sum = aie_inline_computed(in, tile->dtype);
	rows = aie_inline_count(in, 0, tile->rows);
	columns = aie_inline_count(in, 0, tile->columns);
	at[0] = rows.counter;
	at[1] = columns.counter;
	aie_inline_store(in, aie_inline_narrow(in, product_one(in, p, at[0], at[1]), tile->dtype), to, 2, at);
	aie_inline_loop_end(in, &columns, 0, NULL, NULL);
	aie_inline_loop_end(in, &rows, 0, NULL, NULL);
	if (over)
		aie_inline_copy(in, to, aie_inline_grid(in, d));
}

/* access: a and b the factors, s what the sum starts from, e what is added to it. */
void aie_inline_make_product(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	const char *start = strchr(row->access, 's'), *bias = strchr(row->access, 'e');
	struct product p = {.a = o.src[strchr(row->access, 'a') - row->access], .b = o.src[strchr(row->access, 'b') - row->access], .start = start ? o.src[start - row->access] : -1,
			    .bias = bias ? o.src[bias - row->access] : -1, .a_scale = -1, .b_scale = -1};

	product_write(in, o.dst[0], &p);
}

void aie_inline_make_product_scaled(struct aie_inliner *in, uint32_t inst, const struct aie_inline_row *row)
{
	const struct aie_inline_operands o = aie_inline_operands(in, inst);
	struct product p = {.a = o.src[0], .b = o.src[2], .start = -1, .bias = -1, .a_scale = o.src[1], .b_scale = o.src[3]};

	(void)row;
	product_write(in, o.dst[0], &p);
}
