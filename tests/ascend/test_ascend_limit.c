/* SPDX-License-Identifier: MIT
 * test_ascend_limit.c - tiles that just fit into the memories of a core and those that do not, each side of each limit. */
#include "ascend/core/core.h"
#include "tests/check.h"
#include "tests/isa/tile_builder.h"

static struct tile_builder b;
static struct ptowsp_error error;
static uint64_t need[ASCEND_MEMORY_COUNT]; /* of the latest kernel that fits */

static ptowsp_status prepare(enum ascend_arch_id arch)
{
	struct isa_program *program;
	struct ascend_kernel *kernel;
	ptowsp_status status;

	error = (struct ptowsp_error){.head = PTOWSP_HEAD(error, ERROR)};
	REQUIRE_INT(tile_create(&b, &program, &error), PTOWSP_OK);
	status = ascend_kernel_create(&kernel, program, NULL, ascend_arch(arch), PTOWSP_UNIT_ANY, &error);
	for (int m = 0; m < ASCEND_MEMORY_COUNT && !status; m++)
		need[m] = ascend_kernel_need(kernel, (enum ascend_memory)m);
	ascend_kernel_destroy(kernel);
	isa_program_destroy(program);
	return status;
}

static unsigned load(uint32_t rows, uint32_t columns, unsigned dtype)
{
	const unsigned t = tile_tile(&b, "t", rows, columns, dtype), zero = tile_int(&b, 0);

	tile_op(&b, PTOWSP_PTO_TLOAD, t, tile_param(&b, "in", dtype), zero, zero);
	return t;
}

static void store(unsigned t, unsigned dtype)
{
	const unsigned zero = tile_int(&b, 0);

	tile_op(&b, PTOWSP_PTO_TSTORE, t, tile_param(&b, "out", dtype), zero, zero);
}

/* z = op(x, y): of m x k and k x n to m x n, or all of m x n for what works on elements. */
static void kernel_of(const char *name, unsigned op, uint32_t m, uint32_t k, uint32_t n, unsigned dtype)
{
	const bool product = op == PTOWSP_PTO_TMATMUL;
	unsigned x, y, z;

	tile_begin(&b, name);
	x = load(m, product ? k : n, dtype);
	y = load(product ? k : m, n, dtype);
	z = tile_tile(&b, "z", m, n, PTOWSP_F32);
	tile_op(&b, op, z, x, y);
	store(z, PTOWSP_F32);
}

/* Three tiles that live together. */
static void sum_of(uint32_t rows, uint32_t columns)
{
	kernel_of("sum", PTOWSP_PTO_TADD, rows, 0, columns, PTOWSP_F32);
}

TEST(unified_buffer_of_a2_and_a5)
{
	sum_of(128, 128); /* 3 x 64 KiB = 192 KiB */
	CHECK_INT(prepare(ASCEND_910B), PTOWSP_OK);
	CHECK_UINT(need[ASCEND_MEMORY_UB], 196608);
	CHECK_UINT(need[ASCEND_MEMORY_L1] + need[ASCEND_MEMORY_L0A] + need[ASCEND_MEMORY_L0B] + need[ASCEND_MEMORY_L0C], 0);
	tile_finish(&b);
	sum_of(129, 128);
	CHECK_INT(prepare(ASCEND_910C), PTOWSP_TOO_SMALL);
	CHECK_STR(error.text, "kernel sum: its tiles need 198144 bytes of UB at once, a core of 910c has 196608; cut them smaller");
	CHECK_INT(prepare(ASCEND_950), PTOWSP_OK);
	tile_finish(&b);
	sum_of(165, 128); /* 247.5 KiB of 248 */
	CHECK_INT(prepare(ASCEND_950), PTOWSP_OK);
	tile_finish(&b);
	sum_of(166, 128);
	CHECK_INT(prepare(ASCEND_950), PTOWSP_TOO_SMALL);
	CHECK_CONTAINS(error.text, "254976 bytes of UB at once, a core of 950 has 253952");
	tile_finish(&b);
}

/* The program that is built runs, with so many bytes of one memory. */
static void needs(enum ascend_arch_id arch, unsigned memory, uint64_t bytes)
{
	CHECK_INT(prepare(arch), PTOWSP_OK);
	CHECK_UINT(need[memory], bytes);
	tile_finish(&b);
}

/* A chain of `count` tiles of 64 KiB, of which two live at once. */
static void chain(unsigned count)
{
	unsigned x;

	tile_begin(&b, "chain");
	x = load(128, 128, PTOWSP_F32);
	for (unsigned i = 0; i < count; i++) {
		const unsigned y = tile_tile(&b, "y", 128, 128, PTOWSP_F32);

		tile_op(&b, PTOWSP_PTO_TEXP, y, x);
		x = y;
	}
	store(x, PTOWSP_F32);
}

TEST(tiles_whose_lives_do_not_meet_share)
{
	chain(12);
	needs(ASCEND_910B, ASCEND_MEMORY_UB, 131072);
}

static void product_is(uint32_t m, uint32_t k, uint32_t n, unsigned dtype, enum ascend_arch_id arch, const char *refusal)
{
	kernel_of("product", PTOWSP_PTO_TMATMUL, m, k, n, dtype);
	CHECK_INT(prepare(arch), refusal ? PTOWSP_TOO_SMALL : PTOWSP_OK);
	if (refusal)
		CHECK_CONTAINS(error.text, refusal);
	tile_finish(&b);
}

TEST(memories_of_the_cube_core)
{
	product_is(128, 128, 128, PTOWSP_F32, ASCEND_910B, NULL);
	CHECK_UINT(need[ASCEND_MEMORY_L0A], 65536);
	CHECK_UINT(need[ASCEND_MEMORY_L0B], 65536);
	CHECK_UINT(need[ASCEND_MEMORY_L0C], 65536);
	CHECK_UINT(need[ASCEND_MEMORY_L1], 131072);
	CHECK_UINT(need[ASCEND_MEMORY_UB], 0);
	product_is(129, 128, 128, PTOWSP_F32, ASCEND_910B, "66048 bytes of L0A at once, a core of 910b has 65536");
	product_is(128, 128, 129, PTOWSP_F32, ASCEND_910B, "66048 bytes of L0B at once, a core of 910b has 65536");
	product_is(256, 64, 128, PTOWSP_F16, ASCEND_910B, NULL); /* 128 KiB of sums */
	product_is(256, 64, 129, PTOWSP_F16, ASCEND_910B, "132096 bytes of L0C at once, a core of 910b has 131072");
	product_is(256, 64, 256, PTOWSP_F16, ASCEND_950, NULL); /* 256 KiB */
	product_is(256, 64, 257, PTOWSP_F16, ASCEND_950, "263168 bytes of L0C at once, a core of 950 has 262144");
}

/* `count` products of factors that were all loaded before: 64 KiB of L1 for each and for the one on the right. */
static void products_of(unsigned count)
{
	unsigned y, z, x[16];

	tile_begin(&b, "products");
	y = load(128, 128, PTOWSP_F32);
	for (unsigned i = 0; i < count; i++)
		x[i] = load(128, 128, PTOWSP_F32);
	z = tile_tile(&b, "z", 128, 128, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_TMATMUL, z, x[0], y);
	for (unsigned i = 1; i < count; i++)
		tile_op(&b, PTOWSP_PTO_TMATMUL_ACC, z, z, x[i], y);
	store(z, PTOWSP_F32);
}

TEST(factors_lie_in_l1)
{
	products_of(7);
	needs(ASCEND_910B, ASCEND_MEMORY_L1, 524288);
	products_of(8);
	CHECK_INT(prepare(ASCEND_910B), PTOWSP_TOO_SMALL);
	CHECK_CONTAINS(error.text, "kernel products: its tiles need 589824 bytes of L1 at once");
	tile_finish(&b);
}

/* Flash attention on blocks of `rows` queries and keys, heads of 128: all in one kernel, in one loop over the blocks of keys. */
static void flash_attention(uint32_t rows)
{
	const unsigned f = PTOWSP_F32;
	unsigned q, k, v, kt, s, p, o, m, l, fresh, scale, i;

	tile_begin(&b, "attend");
	q = load(rows, 128, f);
	k = tile_tile(&b, "k", rows, 128, f), v = tile_tile(&b, "v", rows, 128, f), kt = tile_tile(&b, "kt", 128, rows, f);
	s = tile_tile(&b, "s", rows, rows, f), p = tile_tile(&b, "p", rows, rows, f), o = tile_tile(&b, "o", rows, 128, f);
	m = tile_tile(&b, "m", rows, 1, f), l = tile_tile(&b, "l", rows, 1, f);
	fresh = tile_tile(&b, "fresh", rows, 1, f), scale = tile_tile(&b, "scale", rows, 1, f);
	i = tile_local(&b, "i", PTOWSP_I64, 0);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, o, tile_float(&b, 0));
	tile_op(&b, PTOWSP_PTO_TEXPANDS, l, tile_float(&b, 0));
	tile_op(&b, PTOWSP_PTO_TEXPANDS, m, tile_float(&b, -1e30f));
	tile_for(&b, i, tile_int(&b, 0), tile_arg(&b, "blocks", PTOWSP_I64), tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_TLOAD, k, 0, i, tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_TLOAD, v, 0, i, tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_TTRANS, kt, k);
	tile_op(&b, PTOWSP_PTO_TMATMUL, s, q, kt);
	tile_op(&b, PTOWSP_PTO_TROWMAX, fresh, s);
	tile_op(&b, PTOWSP_PTO_TMAX, fresh, fresh, m);
	tile_op(&b, PTOWSP_PTO_TROWEXPANDSUB, p, s, fresh);
	tile_op(&b, PTOWSP_PTO_TEXP, p, p);
	tile_op(&b, PTOWSP_PTO_TSUB, scale, m, fresh);
	tile_op(&b, PTOWSP_PTO_TEXP, scale, scale);
	tile_op(&b, PTOWSP_PTO_TMUL, l, l, scale);
	tile_op(&b, PTOWSP_PTO_TROWSUM, m, p);
	tile_op(&b, PTOWSP_PTO_TADD, l, l, m);
	tile_op(&b, PTOWSP_PTO_TROWEXPANDMUL, o, o, scale);
	tile_op(&b, PTOWSP_PTO_TMATMUL_ACC, o, o, p, v);
	tile_op(&b, PTOWSP_PTO_TMOV, m, fresh);
	tile_end(&b);
	tile_op(&b, PTOWSP_PTO_TROWEXPANDDIV, o, o, l);
	store(o, f);
}

/* Bytes that all tiles need in one memory of their own, with reuse: what a target without separate memories asks. */
static uint64_t together(void)
{
	struct isa_program *program;
	uint64_t bytes = 0;

	REQUIRE_INT(tile_create(&b, &program, &error), PTOWSP_OK);
	CHECK_INT(isa_program_memory_of(program, NULL, NULL, &bytes), PTOWSP_OK);
	isa_program_destroy(program);
	return bytes;
}

static void flash_is(uint32_t rows, enum ascend_arch_id arch, uint64_t all, uint64_t ub, uint64_t l1, const char *refusal)
{
	ptowsp_status status;

	flash_attention(rows);
	CHECK_UINT(together(), all);
	status = prepare(arch);
	if (refusal) {
		CHECK_INT(status, PTOWSP_TOO_SMALL);
		CHECK_CONTAINS(error.text, refusal);
		CHECK_CONTAINS(error.text, "kernel attend: its tiles need 198");
	} else {
		CHECK_INT(status, PTOWSP_OK);
		CHECK_UINT(need[ASCEND_MEMORY_UB], ub);
		CHECK_UINT(need[ASCEND_MEMORY_L1], l1);
	}
	tile_finish(&b);
}

/* All tiles in one memory (192 KiB of the original's budget are 196608 bytes, 256 KiB 262144): 64 rows fit into both, 96 rows into the
 * larger, 128 into none. Those of 128 fit into the cores of a 950, whose unified buffer is larger, not into those of a 910B. On a core they lie apart: what products read in L1, their sums in L0C, the rest in the unified buffer. */
TEST(flash_attention_fits_with_64_rows_and_not_with_128)
{
	flash_is(64, ASCEND_910B, 164352, 66304, 131072, NULL);
	flash_is(96, ASCEND_910B, 246528, 124032, 196608, NULL);
	flash_is(128, ASCEND_910B, 329216, 0, 0, "bytes of UB at once, a core of 910b has 196608");
	flash_is(128, ASCEND_950, 329216, 198144, 262144, NULL);
}
