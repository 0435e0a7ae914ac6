/* SPDX-License-Identifier: MIT
 * test_aie_ir_random.c - random modules are built, printed, read, and compared part by part with what was built. A failure names its seed; PTOWSP_SEED=N takes one,
 * PTOWSP_SEEDS=N that many. */
#include "aie/ir/ir.h"
#include "aie/ir/ir_print.h"
#include "tests/check.h"

#include "tests/lang/random_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct maker {
	struct random_text random;
	struct aie_module module;
	struct aie_value *values[64]; /* that may be used here */
	uint32_t value_count, ops, depth;
};

static uint32_t below(struct maker *maker, uint32_t limit)
{
	return random_text_below(&maker->random, limit);
}

static const struct aie_type *scalar(struct maker *maker)
{
	static const uint32_t widths[] = {1, 4, 8, 16, 32, 64, 7};

	if (below(maker, 2))
		return aie_type_plain(&maker->module, AIE_TYPE_INT, widths[below(maker, 7)]);
	return aie_type_plain(&maker->module,
			      (const enum aie_type_kind[]){AIE_TYPE_INDEX, AIE_TYPE_BF16, AIE_TYPE_F16, AIE_TYPE_F32, AIE_TYPE_F64}[below(maker, 5)], 0);
}

static const struct aie_type *memref(struct maker *maker, bool strided)
{
	int64_t dims[AIE_DIMS], strides[AIE_DIMS];
	const uint32_t rank = below(maker, AIE_DIMS + 1);

	for (uint32_t i = 0; i < rank; i++) {
		dims[i] = below(maker, 5);
		strides[i] = below(maker, 100);
	}
	if (!strided)
		return aie_type_memref(&maker->module, scalar(maker), rank, dims);
	return aie_type_view(&maker->module, scalar(maker), rank, dims, strides, below(maker, 3) ? (int64_t)below(maker, 1000) : AIE_DYNAMIC);
}

static const struct aie_type *any_type(struct maker *maker, int depth)
{
	const struct aie_type *parts[4];
	uint32_t count;

	switch (below(maker, depth ? 6 : 5)) {
	case 0:
	case 1: return scalar(maker);
	case 2: return memref(maker, false);
	case 3: return memref(maker, true);
	case 4: return aie_type_fifo(&maker->module, memref(maker, false));
	}
	count = below(maker, 5);
	for (uint32_t i = 0; i < count; i++)
		parts[i] = any_type(maker, depth - 1);
	return aie_type_function(&maker->module, count ? below(maker, count + 1) : 0, count, parts);
}

/* Bytes of all kinds but 0. */
static const char *any_text(struct maker *maker)
{
	static char text[16];
	const uint32_t length = below(maker, 8);

	for (uint32_t i = 0; i < length; i++)
		text[i] = below(maker, 3) ? (char)('a' + below(maker, 26)) : (char)(1 + below(maker, 255));
	text[length] = '\0';
	return text;
}

static int64_t any_number(struct maker *maker)
{
	uint64_t number = ((uint64_t)below(maker, 1u << 31) << 33) ^ ((uint64_t)below(maker, 1u << 31) << 2) ^ below(maker, 4);

	return below(maker, 3) ? (int64_t)below(maker, 100) - 50 : (int64_t)number;
}

static double any_real(struct maker *maker)
{
	const int64_t bits = any_number(maker);
	double real;

	if (below(maker, 2))
		return (double)((int)below(maker, 2001) - 1000) / 8;
	memcpy(&real, &bits, sizeof(real));
	return real;
}

static const struct aie_attr *number_attr(struct maker *maker)
{
	const struct aie_type *type = scalar(maker);

	return type->kind == AIE_TYPE_INT || type->kind == AIE_TYPE_INDEX ? aie_attr_int(&maker->module, type, any_number(maker))
									  : aie_attr_float(&maker->module, type, any_real(maker));
}

static const struct aie_attr *ints_attr(struct maker *maker, enum aie_attr_kind kind, const struct aie_type *type, uint32_t count)
{
	int64_t ints[1024];

	for (uint32_t i = 0; i < count; i++) {
		double real = type ? aie_attr_float(&maker->module, aie_type_plain(&maker->module, AIE_TYPE_F32, 0), any_real(maker))->real : 0;

		ints[i] = any_number(maker);
		if (type && type->kind == AIE_TYPE_INT)
			ints[i] = aie_attr_int(&maker->module, type, ints[i])->number;
		else if (type && type->kind != AIE_TYPE_INDEX) {
			real = aie_attr_float(&maker->module, type, real)->real;
			memcpy(&ints[i], &real, sizeof(real));
		}
	}
	return aie_attr_ints(&maker->module, kind, type, count, ints);
}

static const struct aie_attr *dense_attr(struct maker *maker)
{
	const struct aie_type *type = memref(maker, false), *element = type->element;
	const uint64_t count = aie_type_count(type);
	const struct aie_attr *values = ints_attr(maker, AIE_ATTR_DENSE, element, below(maker, 2) && count <= 1024 ? (uint32_t)count : 1);

	return aie_attr_ints(&maker->module, AIE_ATTR_DENSE, type, values->count, values->ints);
}

static const struct aie_attr *any_attr(struct maker *maker, int depth);

static const struct aie_attr *list_attr(struct maker *maker, enum aie_attr_kind kind, int depth)
{
	const struct aie_attr *items[4];
	const uint32_t count = below(maker, 5);

	for (uint32_t i = 0; i < count; i++)
		items[i] = kind == AIE_ATTR_LIST ? any_attr(maker, depth - 1) : ints_attr(maker, AIE_ATTR_DIMS, NULL, 2 * below(maker, 4));
	return aie_attr_list(&maker->module, kind, count, items);
}

static const struct aie_attr *any_attr(struct maker *maker, int depth)
{
	switch (below(maker, depth ? 13 : 11)) {
	case 0: return aie_attr_unit(&maker->module);
	case 1: return aie_attr_bool(&maker->module, below(maker, 2));
	case 2: return aie_attr_text(&maker->module, AIE_ATTR_STRING, any_text(maker));
	case 3: return aie_attr_text(&maker->module, AIE_ATTR_SYMBOL, any_text(maker));
	case 4: return aie_attr_type(&maker->module, any_type(maker, 2));
	case 5: return ints_attr(maker, AIE_ATTR_INTS, aie_type_plain(&maker->module, AIE_TYPE_INT, 1u << below(maker, 7)), below(maker, 6));
	case 6: return ints_attr(maker, AIE_ATTR_DIMS, NULL, 2 * below(maker, 4));
	case 7: return dense_attr(maker);
	case 8: return aie_attr_text(&maker->module, AIE_ATTR_OTHER, below(maker, 2) ? "#test.a<b -> <c>>" : "#arith.fastmath<none>");
	case 11: return list_attr(maker, AIE_ATTR_LIST, depth);
	case 12: return list_attr(maker, AIE_ATTR_DIMS_LIST, depth);
	default: return number_attr(maker);
	}
}

static void value_keep(struct maker *maker, struct aie_value *value)
{
	if (maker->value_count < 64)
		maker->values[maker->value_count++] = value;
}

static void fill(struct maker *maker, struct aie_op *op, struct aie_region *region);

static void any_op(struct maker *maker, struct aie_op *parent, struct aie_region *region)
{
	static const char *const names[] = {"test.a", "aie.tile", "b", "aiex.npu.x_y$1"};
	struct aie_op *op = aie_op_add(&maker->module, parent, region, names[below(maker, 4)]);
	uint32_t count = below(maker, 4);

	for (uint32_t i = 0; i < count && maker->value_count; i++)
		CHECK(aie_op_operand(&maker->module, op, maker->values[below(maker, maker->value_count)]));
	count = below(maker, 4);
	for (uint32_t i = 0; i < count; i++)
		CHECK(aie_op_attr(&maker->module, op, check_fmt("%s%u", below(maker, 4) ? "a" : "b c", i), any_attr(maker, 3)));
	count = maker->depth < 5 && below(maker, 3) == 0 ? below(maker, AIE_REGIONS + 1) : 0;
	for (uint32_t i = 0; i < count; i++)
		fill(maker, op, aie_op_region(&maker->module, op));
	count = below(maker, 4);
	for (uint32_t i = 0; i < count; i++)
		value_keep(maker, aie_op_result(&maker->module, op, any_type(maker, 2)));
}

static void fill(struct maker *maker, struct aie_op *op, struct aie_region *region)
{
	const uint32_t values = maker->value_count, arguments = maker->depth && below(maker, 2) ? below(maker, 4) : 0;

	maker->depth++;
	for (uint32_t i = 0; i < arguments; i++)
		value_keep(maker, aie_region_argument(&maker->module, op, region, any_type(maker, 2)));
	for (uint32_t i = below(maker, 6); i > 0 && maker->ops < 200; i--, maker->ops++)
		any_op(maker, op, region);
	maker->value_count = values;
	maker->depth--;
}

/* ---- comparing: types and attributes by their text, values by who made them */

struct pair {
	const struct aie_value **of; /* by id of the built one */
};

static bool same_text(const struct aie_attr *a, const struct aie_attr *b)
{
	struct common_text left = {0}, right = {0};
	bool same;

	aie_print_attr(&left, a);
	aie_print_attr(&right, b);
	same = a->kind == b->kind && left.length == right.length && !memcmp(left.bytes ? left.bytes : "", right.bytes ? right.bytes : "", left.length);
	common_text_finish(&left);
	common_text_finish(&right);
	return same;
}

static bool same_type(const struct aie_type *a, const struct aie_type *b)
{
	const struct aie_attr left = {.kind = AIE_ATTR_TYPE, .type = a}, right = {.kind = AIE_ATTR_TYPE, .type = b};

	return a->kind == b->kind && same_text(&left, &right);
}

static bool same_values(struct pair *pair, struct aie_value *const *a, struct aie_value *const *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!same_type(a[i]->type, b[i]->type))
			return false;
		pair->of[a[i]->id] = b[i];
	}
	return true;
}

static bool same_region(struct pair *pair, const struct aie_region *a, const struct aie_region *b);

static bool same_op(struct pair *pair, const struct aie_op *a, const struct aie_op *b)
{
	if (strcmp(a->name, b->name) || a->operand_count != b->operand_count || a->result_count != b->result_count || a->attr_count != b->attr_count ||
	    a->region_count != b->region_count)
		return false;
	for (uint32_t i = 0; i < a->operand_count; i++)
		if (pair->of[a->operands[i]->id] != b->operands[i])
			return false;
	for (uint32_t i = 0; i < a->attr_count; i++)
		if (strcmp(a->attrs[i].name, b->attrs[i].name) || !same_text(a->attrs[i].attr, b->attrs[i].attr))
			return false;
	for (uint32_t i = 0; i < a->region_count; i++)
		if (!same_region(pair, &a->regions[i], &b->regions[i]))
			return false;
	return same_values(pair, a->results, b->results, a->result_count);
}

static bool same_region(struct pair *pair, const struct aie_region *a, const struct aie_region *b)
{
	const struct aie_op *x = a->first, *y = b->first;

	if (a->argument_count != b->argument_count || !same_values(pair, a->arguments, b->arguments, a->argument_count))
		return false;
	for (; x && y; x = x->next, y = y->next)
		if (!same_op(pair, x, y))
			return false;
	return !x && !y;
}

static void module_comes_back(unsigned long seed)
{
	struct maker maker = {.random = {.seed = seed}};
	struct ptowsp_error error = {0};
	struct aie_module read = {0};
	struct pair pair;
	char *text = NULL, *again = NULL;

	REQUIRE_INT(aie_module_begin(&maker.module, NULL), PTOWSP_OK);
	fill(&maker, maker.module.top, maker.module.top->regions);
	pair.of = calloc(maker.module.value_count + 1, sizeof(*pair.of));
	REQUIRE(pair.of != NULL);
	REQUIRE_INT(aie_module_print(&maker.module, AIE_FORM_GENERIC, &text, NULL), PTOWSP_OK);
	if (aie_module_read(&read, text, strlen(text), &error)) {
		CHECK_FAIL("seed %lu is refused: %s", seed, error.text);
		CHECK(check_write(check_fmt("%s/seed_%lu.mlir", check_tmp(), seed), text, strlen(text)));
	} else {
		if (!same_op(&pair, maker.module.top, read.top))
			CHECK_FAIL("seed %lu comes back as another module", seed);
		REQUIRE_INT(aie_module_print(&read, AIE_FORM_GENERIC, &again, NULL), PTOWSP_OK);
		if (strcmp(text, again))
			CHECK_FAIL("seed %lu is printed otherwise when it was read", seed);
	}
	free(again);
	free(text);
	free(pair.of);
	aie_module_finish(&read);
	aie_module_finish(&maker.module);
}

TEST(random_modules_come_back)
{
	uint64_t count, first = check_seeds(&count, 1000);

	for (uint64_t seed = first; seed < first + count; seed++)
		module_comes_back(seed);
}

/* A module of every form with one byte changed is read, or refused with a place in the text. */
TEST(changed_texts_are_refused_with_a_place)
{
	size_t size = 0;
	char *text = check_read(check_fmt("%s/tests/aie/designs/forms.mlir", check_root()), &size);
	struct random_text random = {.seed = 1};

	REQUIRE(text != NULL);
	for (int i = 0; i < 4000; i++) {
		const size_t at = random_text_below(&random, (unsigned)size);
		const char was = text[at];
		struct ptowsp_error error = {0};
		struct aie_module module = {0};
		unsigned line = 0, column = 0;

		text[at] = (char)random_text_below(&random, 256);
		if (aie_module_read(&module, text, size, &error))
			CHECK(sscanf(error.text, "%u:%u: ", &line, &column) == 2 && line && column);
		aie_module_finish(&module);
		text[at] = was;
	}
	free(text);
}
