/* SPDX-License-Identifier: MIT
 * test_ascend_core.c - what a kernel costs on a core: pipes that overlap and pipes that wait, LLaMA's kernels, loops, clusters, limits. */
#include "ascend/core/core.h"
#include "tests/ascend/ascend_llama.h"
#include "tests/check.h"

static struct tile_builder b;
static struct isa_program *program;
static struct ascend_kernel *kernel;
static struct ptowsp_error error;

static void finish(void)
{
	ascend_kernel_destroy(kernel);
	isa_program_destroy(program);
	kernel = NULL;
	program = NULL;
	tile_finish(&b);
}

static bool prepare_for(enum ascend_arch_id arch, unsigned unit)
{
	error = (struct ptowsp_error){.head = PTOWSP_HEAD(error, ERROR)};
	if (tile_create(&b, &program, &error) || ascend_kernel_create(&kernel, program, "probe", ascend_arch(arch), unit, &error)) {
		CHECK_FAIL("%s", error.text);
		finish();
		return false;
	}
	return true;
}

/* On a 910B, with the unit that follows from its instructions. */
static bool prepare(void)
{
	return prepare_for(ASCEND_910B, PTOWSP_UNIT_ANY);
}

static struct ascend_cost cost_with(const uint64_t *args, uint32_t count)
{
	struct ascend_cost cost;

	CHECK_INT(ascend_kernel_cost(kernel, args, count, (struct isa_block){0, 1}, NULL, &cost, &error), PTOWSP_OK);
	return cost;
}

static uint64_t sum_of(const struct ascend_cost *cost)
{
	uint64_t sum = 0;

	for (int p = 0; p < ASCEND_PIPE_COUNT; p++)
		sum += cost->busy[p];
	return sum;
}

static uint64_t most_of(const struct ascend_cost *cost)
{
	uint64_t most = 0;

	for (int p = 0; p < ASCEND_PIPE_COUNT; p++)
		most = cost->busy[p] > most ? cost->busy[p] : most;
	return most;
}

/* Cycles of the program so far, checked against what bounds them. */
static uint64_t cycles(void)
{
	struct ascend_cost cost = {.cycles = 0};

	if (prepare()) {
		cost = cost_with(NULL, 0);
		CHECK(most_of(&cost) <= cost.cycles && cost.cycles <= sum_of(&cost));
		finish();
	}
	return cost.cycles;
}

static unsigned tile(uint32_t rows, uint32_t columns)
{
	return tile_tile(&b, "t", rows, columns, PTOWSP_F32);
}

static unsigned zero(void)
{
	return tile_int(&b, 0);
}

static void begin(void)
{
	tile_begin(&b, "probe");
	for (int i = 0; i < 4; i++)
		tile_param(&b, "p", PTOWSP_F32);
}

/* ---- one instruction after the other ---- */

TEST(pipes_overlap_unless_a_tile_orders_them)
{
	unsigned x, y, z;

	begin();
	x = tile(32, 128), y = tile(32, 128), z = tile(32, 128);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero(), zero());
	CHECK_UINT(cycles(), 80 + 64);

	begin();
	x = tile(32, 128), y = tile(32, 128), z = tile(32, 128);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero(), zero());
	tile_op(&b, PTOWSP_PTO_TADD, z, y, y);
	CHECK_UINT(cycles(), 144); /* the sum needs nothing that is loaded */

	begin();
	x = tile(32, 128), y = tile(32, 128), z = tile(32, 128);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero(), zero());
	tile_op(&b, PTOWSP_PTO_TADD, z, x, y);
	tile_op(&b, PTOWSP_PTO_TLOAD, y, 1, zero(), zero()); /* behind the sum, which reads what it overwrites */
	tile_op(&b, PTOWSP_PTO_TSTORE, z, 2, zero(), zero());
	CHECK_UINT(cycles(), 144 + 10 + 144); /* load and store at the same time */
}

TEST(a_barrier_ends_what_overlaps)
{
	unsigned x, y;

	begin();
	x = tile(32, 128), y = tile(32, 128);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero(), zero());
	tile_op(&b, PTOWSP_PTO_TSYNC, zero(), zero());
	tile_op(&b, PTOWSP_PTO_TADD, y, y, y);
	CHECK_UINT(cycles(), 144 + 10);

	for (unsigned synchronised = 0; synchronised < 2; synchronised++) { /* the scalar pipe, which all others wait for, waits too */
		begin();
		x = tile(32, 128), y = tile_local(&b, "s", PTOWSP_F32, 0);
		tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero(), zero());
		if (synchronised)
			tile_op(&b, PTOWSP_PTO_TSYNC, zero(), zero());
		tile_op(&b, PTOWSP_PTO_LOAD, y, 1, zero());
		CHECK_UINT(cycles(), synchronised ? 144 + 80 : 144);
	}
}

TEST(a_store_and_a_load_of_the_same_parameter_follow_each_other)
{
	for (unsigned other = 0; other < 2; other++) {
		unsigned x, y;

		begin();
		x = tile(32, 128), y = tile(32, 128);
		tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, zero(), zero());
		tile_op(&b, PTOWSP_PTO_TLOAD, y, other ? 2 : 1, zero(), zero());
		CHECK_UINT(cycles(), other ? 144 : 288);
	}
}

/* Alone on its pipe. */
static uint64_t of_one(unsigned opcode, uint32_t rows, uint32_t columns)
{
	const char *letters = isa_op(opcode)->operands;
	unsigned x;

	begin();
	x = tile(rows, columns);
	if (!strcmp(letters, "Tt"))
		tile_op(&b, opcode, tile(rows, isa_op(opcode)->mnemonic[1] == 'r' && isa_op(opcode)->mnemonic[2] == 'o' ? 1 : columns), x);
	else if (!strcmp(letters, "TTt"))
		tile_op(&b, opcode, tile(rows, columns), tile_tile(&b, "i", rows, columns, PTOWSP_I32), x);
	else
		tile_op(&b, opcode, tile(rows, columns), x, x);
	return cycles();
}

TEST(vector_instructions_cost_by_kind_and_size)
{
	CHECK_UINT(of_one(PTOWSP_PTO_TADD, 32, 128), 10);
	CHECK_UINT(of_one(PTOWSP_PTO_TADD, 1, 8), 10);
	CHECK_UINT(of_one(PTOWSP_PTO_TADD, 64, 128), 20);
	CHECK_UINT(of_one(PTOWSP_PTO_TADD, 33, 128), 11); /* 10.3 */
	CHECK_UINT(of_one(PTOWSP_PTO_TEXP, 32, 128), 10);
	CHECK_UINT(of_one(PTOWSP_PTO_TROWSUM, 32, 128), 20);
	CHECK_UINT(of_one(PTOWSP_PTO_TROWMAX, 64, 128), 40); /* by what it reads */
	CHECK_UINT(of_one(PTOWSP_PTO_TRELU, 32, 128), 15);
	CHECK_UINT(of_one(PTOWSP_PTO_TGELU, 64, 128), 30);
	CHECK_UINT(of_one(PTOWSP_PTO_TSORT32, 32, 128), 20);
	CHECK_UINT(of_one(PTOWSP_PTO_TRESHAPE, 32, 128), 0);
	CHECK_UINT(of_one(PTOWSP_PTO_TTRANS, 64, 64), 10);
}

TEST(elements_and_scalars_take_the_scalar_pipe)
{
	unsigned x, s;

	begin();
	x = tile(32, 128), s = tile_local(&b, "s", PTOWSP_F32, 0);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero(), zero());
	tile_op(&b, PTOWSP_PTO_GETVAL, s, x, zero()); /* waits for the load */
	tile_op(&b, PTOWSP_PTO_ADD, s, s, s);
	CHECK_UINT(cycles(), 144 + 2);

	begin();
	x = tile(32, 128), s = tile_local(&b, "s", PTOWSP_F32, 0);
	tile_op(&b, PTOWSP_PTO_LOAD, s, 0, zero());
	tile_op(&b, PTOWSP_PTO_TADD, x, x, x); /* issued behind it */
	tile_op(&b, PTOWSP_PTO_SETVAL, x, zero(), s);
	tile_op(&b, PTOWSP_PTO_STORE, s, 1, zero());
	CHECK_UINT(cycles(), 80 + 10 + 1 + 80);
}

TEST(scattered_elements_move_a_block_each)
{
	unsigned x, i;

	begin();
	x = tile(8, 16), i = tile_tile(&b, "i", 8, 16, PTOWSP_I32);
	tile_op(&b, PTOWSP_PTO_MGATHER, x, 0, i);
	CHECK_UINT(cycles(), 80 + 128 * 32 / 256);
	begin();
	x = tile(8, 16), i = tile_tile(&b, "i", 8, 16, PTOWSP_I32);
	tile_op(&b, PTOWSP_PTO_MSCATTER, x, 0, i);
	CHECK_UINT(cycles(), 80 + 128 * 32 / 256);
}

/* ---- kernels of LLaMA ---- */

/* rmsnorm: two loads of 80 + 128, the last product behind them, a store of 208; the square, its sum and what follows are done while
 * gamma is loaded. matmul: 100 + 128 and 100 + 256 on the way to L1, while the second is loaded the first goes to L0 (20 + 128), then
 * 20 + 256, two tiles of products, out 100 + 128. The others alike. */
static const struct expected {
	unsigned unit;
	uint64_t cycles, sum, most;
} expected[LLAMA_KERNELS] = {
	{PTOWSP_UNIT_AIV, 644, 3 * 208 + 20 + 40 + 30 + 20 + 20, 416},
	{PTOWSP_UNIT_AIC, 228 + 356 + 276 + 100 + 228, 228 + 356 + 148 + 276 + 100 + 228, 228 + 356},
	{PTOWSP_UNIT_AIV, 3 * 208 + 2 * 20 + 208, 4 * 208 + 3 * 20, 624},
	{PTOWSP_UNIT_AIV, 208 + 208 + 81 + 81, 2 * (208 + 81 + 81), 370},
	{PTOWSP_UNIT_AIC_AIV, 1102, 1250, 456},
	{PTOWSP_UNIT_AIV, 652, 144 + 81 + 81 + 20 + 20 + 9 * 10 - 20 + 81 + 81 + 144 + 81, 387},
	{PTOWSP_UNIT_AIC_AIV, 1116, 1434, 392},
	{PTOWSP_UNIT_AIV, 208 + 81 + 20 + 208, 517, 289},
	{PTOWSP_UNIT_AIV, 208 + 208 + 20 + 208, 644, 416},
	{PTOWSP_UNIT_AIV, 644, 3 * 208 + 6 * 20, 416},
};

TEST(llama_kernels_are_the_columns_of_pto_isa_and_within_their_bounds)
{
	for (int i = 0; i < LLAMA_KERNELS; i++) {
		const struct llama_kernel *k = &llama_kernels[i];
		struct ascend_cost cost;
		uint64_t sum = 0;

		tile_begin(&b, k->name);
		k->build(&b);
		REQUIRE(prepare());
		CHECK_INT(ascend_kernel_op_sum(kernel, NULL, 0, (struct isa_block){0, 1}, NULL, &sum, &error), PTOWSP_OK);
		if (sum != k->op_sum)
			CHECK_FAIL("%s: op-sum %llu, not %u", k->name, (unsigned long long)sum, k->op_sum);
		cost = cost_with(NULL, 0);
		CHECK(most_of(&cost) <= cost.cycles && cost.cycles <= sum_of(&cost));
		CHECK_UINT(ascend_kernel_unit(kernel), expected[i].unit);
		CHECK_UINT(cost.cycles, expected[i].cycles);
		CHECK_UINT(sum_of(&cost), expected[i].sum);
		CHECK_UINT(most_of(&cost), expected[i].most);
		finish();
	}
}

/* ---- two cores ---- */

/* c = x w, of windows 0 and 1. Returns c. */
static unsigned product_begin(unsigned *x_out)
{
	unsigned x, w, c;

	begin();
	x = tile(64, 128), w = tile(128, 128), c = tile(64, 128);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero(), zero());
	tile_op(&b, PTOWSP_PTO_TLOAD, w, 1, zero(), zero());
	tile_op(&b, PTOWSP_PTO_TMATMUL, c, x, w);
	*x_out = x;
	return c;
}

/* (x w) + 1 + 1 ... */
static void product_and_sum(unsigned rounds)
{
	unsigned x, c = product_begin(&x);

	for (unsigned n = 0; n < rounds; n++)
		tile_op(&b, PTOWSP_PTO_TADDS, c, c, tile_float(&b, 1));
	tile_op(&b, PTOWSP_PTO_TSTORE, c, 2, zero(), zero());
}

TEST(what_the_other_core_made_comes_through_global_memory_once)
{
	for (unsigned rounds = 1; rounds < 4; rounds++) {
		struct ascend_cost cost;

		product_and_sum(rounds);
		REQUIRE(prepare());
		cost = cost_with(NULL, 0);
		CHECK_UINT(ascend_kernel_unit(kernel), PTOWSP_UNIT_AIC_AIV);
		CHECK(ascend_kernel_has_product(kernel));
		CHECK_UINT(cost.busy[ASCEND_PIPE_GM_L1], 228 + 356);
		CHECK_UINT(cost.busy[ASCEND_PIPE_L1_L0], 148 + 276);
		CHECK_UINT(cost.busy[ASCEND_PIPE_CUBE], 100);
		CHECK_UINT(cost.busy[ASCEND_PIPE_L0C_OUT], 228);
		/* Each of two vector cores has half of the rows. */
		CHECK_UINT(cost.busy[ASCEND_PIPE_GM_UB], 80 + 64);
		CHECK_UINT(cost.busy[ASCEND_PIPE_VECTOR], 10 * rounds);
		CHECK_UINT(cost.busy[ASCEND_PIPE_UB_GM], 80 + 64);
		finish();
	}
}

TEST(a_unit_of_the_package_stands)
{
	static const unsigned units[] = {PTOWSP_UNIT_AIC, PTOWSP_UNIT_AIV, PTOWSP_UNIT_AIC_AIV};

	for (unsigned u = 0; u < 3; u++) {
		product_and_sum(1);
		REQUIRE(prepare_for(ASCEND_910B, units[u]));
		CHECK_UINT(ascend_kernel_unit(kernel), units[u]);
		/* One vector core alone has all rows. */
		CHECK_UINT(cost_with(NULL, 0).busy[ASCEND_PIPE_VECTOR], units[u] == PTOWSP_UNIT_AIC_AIV ? 10 : 20);
		finish();
	}
	product_and_sum(0);
	REQUIRE(prepare_for(ASCEND_910B, PTOWSP_UNIT_HOST));
	CHECK_UINT(ascend_kernel_unit(kernel), PTOWSP_UNIT_AIC);
	finish();
}

/* A tile of zeros that products add up in, and a factor that is turned on the way, need no vector core. */
TEST(what_a_product_alone_needs_stays_on_the_cube_core)
{
	struct ascend_cost cost;
	unsigned x, w, t, c;

	begin();
	x = tile(64, 128), w = tile(128, 128), t = tile(128, 128), c = tile(64, 128);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, c, tile_float(&b, 0));
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero(), zero());
	tile_op(&b, PTOWSP_PTO_TLOAD, w, 1, zero(), zero());
	tile_op(&b, PTOWSP_PTO_TTRANS, t, w);
	tile_op(&b, PTOWSP_PTO_TMATMUL_ACC, c, c, x, t);
	tile_op(&b, PTOWSP_PTO_TMATMUL_ACC, c, c, x, w);
	tile_op(&b, PTOWSP_PTO_TSTORE, c, 2, zero(), zero());
	REQUIRE(prepare());
	cost = cost_with(NULL, 0);
	CHECK_UINT(ascend_kernel_unit(kernel), PTOWSP_UNIT_AIC);
	CHECK_UINT(cost.busy[ASCEND_PIPE_VECTOR] + cost.busy[ASCEND_PIPE_GM_UB] + cost.busy[ASCEND_PIPE_UB_GM], 0);
	/* zeros, the turned tile, two factors each */
	CHECK_UINT(cost.busy[ASCEND_PIPE_L1_L0], 148 + 276 + 2 * (148 + 276));
	CHECK_UINT(cost.busy[ASCEND_PIPE_CUBE], 200);
	finish();
}

TEST(a_result_that_is_a_factor_goes_back_to_l1)
{
	unsigned x, w, c, d;

	begin();
	x = tile(64, 128), w = tile(128, 128), c = tile(64, 128), d = tile(64, 128);
	tile_op(&b, PTOWSP_PTO_TMATMUL, c, x, w);
	tile_op(&b, PTOWSP_PTO_TMATMUL, d, c, w);
	REQUIRE(prepare());
	CHECK_UINT(cost_with(NULL, 0).busy[ASCEND_PIPE_L0C_OUT], 20 + 128);
	finish();
}

TEST(a_tile_that_both_read_is_loaded_twice)
{
	struct ascend_cost cost;
	unsigned x, c = product_begin(&x);

	tile_op(&b, PTOWSP_PTO_TSTORE, c, 2, zero(), zero());
	tile_op(&b, PTOWSP_PTO_TABS, x, x);
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 3, zero(), zero());
	REQUIRE(prepare());
	cost = cost_with(NULL, 0);
	CHECK_UINT(cost.busy[ASCEND_PIPE_GM_L1], 228 + 356);
	CHECK_UINT(cost.busy[ASCEND_PIPE_GM_UB], 80 + 64);
	CHECK_UINT(cost.busy[ASCEND_PIPE_UB_GM], 80 + 64);
	finish();
}

/* ---- loops ---- */

/* for (i = 0; i < n; i++) out[i] = exp(in[i]) */
static void streaming(void)
{
	unsigned x, y, i;

	begin();
	x = tile(32, 128), y = tile(32, 128), i = tile_local(&b, "i", PTOWSP_I64, 0);
	tile_for(&b, i, zero(), tile_arg(&b, "n", PTOWSP_I64), tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, i, zero());
	tile_op(&b, PTOWSP_PTO_TEXP, y, x);
	tile_op(&b, PTOWSP_PTO_TSTORE, y, 1, i, zero());
	tile_end(&b);
}

/* Of a round: load 144, exp 10, store 144; the next load waits for exp, the next exp for the store. */
TEST(long_loops_take_no_time)
{
	uint64_t n = 1, least = 0;

	streaming();
	REQUIRE(prepare());
	CHECK_UINT(cost_with(&n, 1).cycles, 1 + 144 + 10 + 144);
	for (n = 2; n < 40; n++)
		CHECK_UINT(cost_with(&n, 1).cycles, 1 + 144 + 10 + 144 + (n - 1) * 154);
	n = UINT64_C(1) << 40;
	CHECK_UINT(cost_with(&n, 1).cycles, 1 + 298 + (n - 1) * 154);
	CHECK_UINT(cost_with(&n, 1).busy[ASCEND_PIPE_VECTOR], 10 * n);
	CHECK_UINT(cost_with(&n, 1).busy[ASCEND_PIPE_SCALAR], 1 + n);
	n = INT64_MAX / 8;
	CHECK_UINT(cost_with(&n, 1).cycles, UINT64_MAX);
	CHECK_INT(ascend_kernel_op_sum(kernel, &n, 1, (struct isa_block){0, 1}, NULL, &least, &error), PTOWSP_OK);
	CHECK_UINT(least, UINT64_MAX);
	n = 1000;
	CHECK_INT(ascend_kernel_op_sum(kernel, &n, 1, (struct isa_block){0, 1}, NULL, &least, &error), PTOWSP_OK);
	CHECK_UINT(least, 1 + 1000 * (100 + 24 + 100 + 1));
	finish();
}

/* Loads are far ahead of what the vector core does, until in round 1,000 or so its lead is used up. */
TEST(a_pipe_that_is_overtaken_in_the_middle_of_a_loop_is_noticed)
{
	unsigned x, y, i;
	uint64_t n = 0, last = 0;

	begin();
	x = tile(32, 128), y = tile(32, 128), i = tile_local(&b, "i", PTOWSP_I64, 0);
	for (int k = 0; k < 100; k++)
		tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, zero(), zero()); /* until 14,400 */
	tile_for(&b, i, zero(), tile_arg(&b, "n", PTOWSP_I64), tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_TEXP, y, y);
	tile_end(&b);
	tile_op(&b, PTOWSP_PTO_TADD, y, x, y);
	REQUIRE(prepare());
	for (n = 1430; n < 1450; n++) {
		const uint64_t now = cost_with(&n, 1).cycles, vector = 1 + 10 * n + 10;

		CHECK_UINT(now, vector > 14410 ? vector : 14410);
		CHECK(now >= last);
		last = now;
	}
	n = 1000000;
	CHECK_UINT(cost_with(&n, 1).cycles, 1 + 10 * n + 10);
	finish();
}

/* Block i of n does its loop i times. */
TEST(blocks_of_a_task_follow_each_other)
{
	unsigned y, i;
	uint64_t each = 0, all = 0;

	streaming();
	REQUIRE(prepare());
	for (uint32_t blocks = 1; blocks < 5; blocks++) {
		const uint64_t n = 3;

		CHECK_INT(ascend_task_cycles(kernel, ASCEND_MODEL_CORE, "x", &n, 1, blocks, NULL, &all, &error), PTOWSP_OK);
		CHECK_UINT(all, blocks * (1 + 144 + 10 + 144 + 2 * 154));
		CHECK_INT(ascend_task_cycles(kernel, ASCEND_MODEL_OP_SUM, "x", &n, 1, blocks, NULL, &all, &error), PTOWSP_OK);
		CHECK_UINT(all, blocks * (1 + 3 * 225));
		CHECK_INT(ascend_task_cycles(NULL, ASCEND_MODEL_NAME, "softmax", NULL, 0, blocks, NULL, &all, &error), PTOWSP_OK);
		CHECK_UINT(all, 24 * blocks);
	}
	CHECK_INT(ascend_task_cycles(kernel, ASCEND_MODEL_CORE, "x", NULL, 0, 1, NULL, &all, &error), PTOWSP_INVALID);
	finish();

	begin();
	y = tile(32, 128), i = tile_local(&b, "i", PTOWSP_I64, 0);
	tile_for(&b, i, zero(), tile_scalar(&b, "block", PTOWSP_I64, PTOWSP_SCALAR_BLOCK, 0), tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_TEXP, y, y);
	tile_end(&b);
	REQUIRE(prepare());
	CHECK_INT(ascend_task_cycles(kernel, ASCEND_MODEL_CORE, "x", NULL, 0, 4, NULL, &each, &error), PTOWSP_OK);
	CHECK_UINT(each, 1 + 11 + 21 + 31);
	finish();
}

TEST(costs_as_text)
{
	struct ascend_cost cost;
	char text[201];

	tile_begin(&b, "rope_tile_64");
	llama_rope(&b);
	REQUIRE(prepare());
	cost = cost_with(NULL, 0);
	ascend_cost_text(&cost, text, sizeof(text));
	CHECK_STR(text, "872 cycles: gm to ub 71 %, vector 6 %, ub to gm 23 %");
	for (int p = 0; p < ASCEND_PIPE_COUNT; p++)
		cost.busy[p] = UINT64_MAX;
	cost.cycles = UINT64_MAX;
	ascend_cost_text(&cost, text, sizeof(text));
	CHECK_STR(text, "18446744073709551615 cycles: scalar 100 %, gm to l1 100 %, l1 to l0 100 %, cube 100 %, l0c out 100 %, gm to ub 100 %, "
			"vector 100 %, ub to gm 100 %");
	finish();
}
