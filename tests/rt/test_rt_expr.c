/* SPDX-License-Identifier: MIT
 * test_rt_expr.c - scalar expressions: every operation, wrapping, folding into sums of loop values, errors. */
#include "rt/program/form.h"
#include "tests/check.h"
#include "tests/rt/builder/rt_builder.h"

#include <stdlib.h>
#include <string.h>

/* Tables with nothing but expressions and slots. */
struct rig {
	struct ptowsp_expr_record rows[256];
	struct ptowsp_slot_record slots[4];
	struct rt_tables tables;
	uint8_t changed[4];
	struct rt_exprs exprs;
	struct rt_nest nest;
	struct ptowsp_error error;
	uint32_t count;
};
static char strings[] = "\0i\0j";

static void rig_open(struct rig *r)
{
	memset(r, 0, sizeof(*r));
	r->error.head = (struct ptowsp_head)PTOWSP_HEAD(r->error, ERROR);
	r->tables.expr.rows = r->rows;
	r->tables.slot.rows = r->slots;
	r->tables.slot.count = 4;
	r->tables.strings = strings;
	r->tables.strings_size = sizeof(strings);
	r->nest.key = PTOWSP_NONE;
	for (int d = 0; d < 3; d++) {
		r->nest.names[d] = d == 2 ? 1 : d == 1 ? 3 : 1; /* i, j, i */
		r->nest.loops[d] = (struct rt_bounds){0, 9, {0, 1}};
	}
}

static uint32_t row(struct rig *r, unsigned op, uint32_t a, uint32_t b, uint32_t c)
{
	r->rows[r->count] = (struct ptowsp_expr_record){.op = (uint16_t)op, .a = a, .b = b, .c = c};
	r->tables.expr.count = r->count + 1;
	return r->count++;
}

static uint32_t number(struct rig *r, int64_t value)
{
	return row(r, PTOWSP_EXPR_CONST, 0, (uint32_t)value, (uint32_t)((uint64_t)value >> 32));
}

/* Compiles, specialises and evaluates; *terms_out: how many loop terms, RT_FORM_CODE for code. */
static int64_t value_at(struct rig *r, uint32_t at, uint32_t depth, const int64_t *loops, const uint64_t *values, unsigned *terms_out, uint32_t *failed_out)
{
	struct rt_env env = {.exprs = &r->exprs, .values = values, .task = 77};
	struct rt_form *forms;
	struct rt_codes codes = {0};
	uint32_t id = 0;
	int64_t value = 0;

	r->nest.depth = depth;
	REQUIRE_INT(rt_exprs_init(&r->exprs, &r->tables, r->changed, &r->error), 0);
	REQUIRE_INT(rt_expr_compile(&r->exprs, &r->tables, at, &r->nest, false, &id, &r->error), 0);
	forms = calloc(r->exprs.count, sizeof(*forms));
	env.forms = forms;
	env.codes = &codes;
	env.loops = calloc(rt_exprs_places(&r->exprs), sizeof(*env.loops));
	if (depth)
		memcpy(env.loops, loops, depth * sizeof(*loops));
	REQUIRE_INT(rt_exprs_specialise(&r->exprs, values, forms, &codes, &r->error), 0);
	value = rt_value(&env, id);
	if (terms_out)
		*terms_out = forms[id].terms;
	if (failed_out)
		*failed_out = env.failed;
	REQUIRE_INT(rt_expr_run(&env, id), value);
	free(forms);
	rt_codes_finish(&codes);
	free(env.loops);
	rt_exprs_finish(&r->exprs);
	return value;
}

static const uint64_t no_values[4] = {0};

static int64_t apply(unsigned op, int64_t a, int64_t b, int64_t c, bool fold)
{
	struct rig r;
	uint32_t x, y, z;
	int64_t loops[3] = {a, b, c};

	rig_open(&r);
	/* As constants it is folded; loop values times each other are code, sums stay sums. */
	x = fold ? number(&r, a) : row(&r, PTOWSP_EXPR_LOOP, 0, 0, 0);
	y = fold ? number(&r, b) : row(&r, PTOWSP_EXPR_LOOP, 1, 0, 0);
	z = fold ? number(&r, c) : row(&r, PTOWSP_EXPR_LOOP, 2, 0, 0);
	return value_at(&r, row(&r, op, x, y, z), 3, loops, no_values, NULL, NULL);
}

TEST(every_operation_gives_its_value_folded_and_run)
{
	static const struct {
		unsigned op;
		int64_t a, b, c, want;
	} rows[] = {
		{PTOWSP_EXPR_ADD, INT64_MAX, 1, 0, INT64_MIN},
		{PTOWSP_EXPR_SUB, INT64_MIN, 1, 0, INT64_MAX},
		{PTOWSP_EXPR_MUL, INT64_C(1) << 40, INT64_C(1) << 40, 0, 0},
		{PTOWSP_EXPR_MUL, -3, 7, 0, -21},
		{PTOWSP_EXPR_DIV, -7, 2, 0, -3},
		{PTOWSP_EXPR_DIV, INT64_MIN, -1, 0, INT64_MIN},
		{PTOWSP_EXPR_MOD, -7, 2, 0, -1},
		{PTOWSP_EXPR_MOD, INT64_MIN, -1, 0, 0},
		{PTOWSP_EXPR_MOD, 7, -3, 0, 1},
		{PTOWSP_EXPR_MIN, -1, 1, 0, -1},
		{PTOWSP_EXPR_MAX, -1, 1, 0, 1},
		{PTOWSP_EXPR_AND, 12, 10, 0, 8},
		{PTOWSP_EXPR_OR, 12, 10, 0, 14},
		{PTOWSP_EXPR_XOR, 12, 10, 0, 6},
		{PTOWSP_EXPR_SHL, 1, 65, 0, 2},
		{PTOWSP_EXPR_SHL, -1, 63, 0, INT64_MIN},
		{PTOWSP_EXPR_SHR, -8, 1, 0, -4},
		{PTOWSP_EXPR_SHR, -1, 63, 0, -1},
		{PTOWSP_EXPR_SHR, -1, 0, 0, -1},
		{PTOWSP_EXPR_SHR, 8, 66, 0, 2},
		{PTOWSP_EXPR_EQ, 4, 4, 0, 1},
		{PTOWSP_EXPR_NE, 4, 4, 0, 0},
		{PTOWSP_EXPR_LT, -1, 0, 0, 1},
		{PTOWSP_EXPR_LE, 0, 0, 0, 1},
		{PTOWSP_EXPR_GT, -1, 0, 0, 0},
		{PTOWSP_EXPR_GE, 0, 0, 0, 1},
		{PTOWSP_EXPR_LAND, 2, 4, 0, 1},
		{PTOWSP_EXPR_LAND, 2, 0, 0, 0},
		{PTOWSP_EXPR_LOR, 0, 4, 0, 1},
		{PTOWSP_EXPR_LOR, 0, 0, 0, 0},
		{PTOWSP_EXPR_NEG, INT64_MIN, 0, 0, INT64_MIN},
		{PTOWSP_EXPR_NOT, 0, 0, 0, -1},
		{PTOWSP_EXPR_LNOT, 5, 0, 0, 0},
		{PTOWSP_EXPR_SELECT, 1, 10, 20, 10},
		{PTOWSP_EXPR_SELECT, 0, 10, 20, 20},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_INT(apply(rows[i].op, rows[i].a, rows[i].b, rows[i].c, true), rows[i].want);
		CHECK_INT(apply(rows[i].op, rows[i].a, rows[i].b, rows[i].c, false), rows[i].want);
	}
}

TEST(division_by_zero_is_a_failure_even_where_it_is_not_chosen)
{
	struct rig r;
	uint32_t failed = 0, zero, bad;

	rig_open(&r);
	zero = number(&r, 0);
	bad = row(&r, PTOWSP_EXPR_DIV, number(&r, 1), zero, 0);
	value_at(&r, row(&r, PTOWSP_EXPR_SELECT, number(&r, 0), bad, zero), 0, NULL, no_values, NULL, &failed);
	CHECK_UINT(failed, bad + 1); /* its row */
}

TEST(sums_of_loops_and_symbols_become_terms)
{
	const uint64_t values[4] = {5, 0, 0, 0};
	const int64_t loops[3] = {1, 2, 3};
	struct rig r;
	uint32_t sum, i;
	unsigned terms;

	rig_open(&r);
	/* (i0 * n + i1 - 4) << 1, n = 5 a symbol */
	i = row(&r, PTOWSP_EXPR_LOOP, 0, 0, 0);
	sum = row(&r, PTOWSP_EXPR_MUL, i, row(&r, PTOWSP_EXPR_VALUE, 0, 0, 0), 0);
	sum = row(&r, PTOWSP_EXPR_ADD, sum, row(&r, PTOWSP_EXPR_LOOP, 1, 0, 0), 0);
	sum = row(&r, PTOWSP_EXPR_SUB, sum, number(&r, 4), 0);
	sum = row(&r, PTOWSP_EXPR_SHL, sum, number(&r, 1), 0);
	CHECK_INT(value_at(&r, sum, 3, loops, values, &terms, NULL), 6);
	CHECK_UINT(terms, 2);
}

TEST(a_slot_that_the_program_changes_is_not_folded)
{
	const uint64_t values[4] = {0, 9, 0, 0};
	struct rig r;
	unsigned terms;

	rig_open(&r);
	r.changed[1] = 1;
	CHECK_INT(value_at(&r, row(&r, PTOWSP_EXPR_VALUE, 1, 0, 0), 0, NULL, values, &terms, NULL), 9);
	CHECK_UINT(terms, RT_FORM_CODE);
}

TEST(an_axis_is_the_innermost_loop_of_its_name)
{
	const int64_t loops[3] = {1, 2, 3};
	struct rig r;

	rig_open(&r);
	CHECK_INT(value_at(&r, row(&r, PTOWSP_EXPR_AXIS, 1, 0, 0), 3, loops, no_values, NULL, NULL), 3);
	rig_open(&r);
	CHECK_INT(value_at(&r, row(&r, PTOWSP_EXPR_AXIS, 1, 0, 0), 2, loops, no_values, NULL, NULL), 1);
	rig_open(&r);
	CHECK_INT(value_at(&r, row(&r, PTOWSP_EXPR_AXIS, 3, 0, 0), 1, loops, no_values, NULL, NULL), 0);
	rig_open(&r);
	CHECK_INT(value_at(&r, row(&r, PTOWSP_EXPR_TASK, 0, 0, 0), 0, loops, no_values, NULL, NULL), 77);
}

/* 200 rows that each use the one before twice: 2^200 as a tree, 200 steps as it is. */
TEST(shared_rows_are_compiled_once)
{
	const int64_t loops[3] = {1, 0, 0};
	struct rig r;
	uint32_t at;

	rig_open(&r);
	at = row(&r, PTOWSP_EXPR_LOOP, 0, 0, 0);
	for (int i = 0; i < 200; i++)
		at = row(&r, i % 2 ? PTOWSP_EXPR_XOR : PTOWSP_EXPR_OR, at, at, 0);
	CHECK_INT(value_at(&r, at, 1, loops, no_values, NULL, NULL), 0);
}

static void refused(struct rig *r, uint32_t at, const char *why)
{
	uint32_t id;

	REQUIRE_INT(rt_exprs_init(&r->exprs, &r->tables, r->changed, &r->error), 0);
	CHECK_INT(rt_expr_compile(&r->exprs, &r->tables, at, &r->nest, false, &id, &r->error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(r->error.text, why);
	rt_exprs_finish(&r->exprs);
}

TEST(wrong_rows_are_refused)
{
	struct rig r;

	rig_open(&r);
	refused(&r, 3, "there is no EXPR row 3");
	refused(&r, row(&r, PTOWSP_EXPR_ADD, 0, 0, 0), "which is not earlier");
	refused(&r, row(&r, 0x7F, 0, 0, 0), "unknown operation");
	refused(&r, row(&r, PTOWSP_EXPR_VALUE, 4, 0, 0), "of 4 SLOT rows");
	refused(&r, row(&r, PTOWSP_EXPR_LOOP, 0, 0, 0), "reads loop 0 of 0");
}

TEST(ranges_hold_what_the_values_are)
{
	struct rig r;
	uint32_t i, sum, id;
	struct rt_bounds bounds;
	int64_t known;

	rig_open(&r);
	i = row(&r, PTOWSP_EXPR_LOOP, 0, 0, 0); /* 0..9 */
	sum = row(&r, PTOWSP_EXPR_ADD, row(&r, PTOWSP_EXPR_MUL, i, number(&r, -2), 0), number(&r, 3), 0);
	r.nest.depth = 1;
	REQUIRE_INT(rt_exprs_init(&r.exprs, &r.tables, r.changed, &r.error), 0);
	REQUIRE_INT(rt_expr_compile(&r.exprs, &r.tables, sum, &r.nest, false, &id, &r.error), 0);
	bounds = rt_expr_bounds(&r.exprs, id, &r.nest);
	CHECK_INT(bounds.low, -15);
	CHECK_INT(bounds.high, 3);
	CHECK_UINT(bounds.on.modulus, 2);
	CHECK(!rt_expr_known(&r.exprs, id, &known));
	rt_exprs_finish(&r.exprs);
}
