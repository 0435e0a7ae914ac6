/* SPDX-License-Identifier: MIT
 * test_isa_product.c - products of tiles at every level that this processor has: the same bits as three plain loops. And programs for
 * numerics=fast: within the bound that is said of them. PTOWSP_SEED=n repeats a trial. */
#include "isa/isa_program.h"
#include "isa/product.h"
#include "tests/check.h"
#include "tests/isa/tile_builder.h"
#include "tests/isa/tile_random.h"

#include <stdio.h>

enum { SIDE = 70, COUNT = SIDE * SIDE, TRIALS = 150, NARROW = 35, LONG = 1100 /* sums that product.h cuts */, LONG_COUNT = NARROW * LONG };

static double any_double(void)
{
	const int exponent = (int)random_below(20) - 10;

	return random_below(30) ? ldexp((double)random_next() / 0x1p63 - 1, exponent) : random_below(2) ? 0.0 : -0.0;
}
static float any_f32(void)
{
	return random_below(200) ? (float)any_double() : 0x1p-140f * (float)random_below(9);
}
static double any_f64(void)
{
	return any_double();
}
static uint32_t any_u32(void)
{
	return (uint32_t)random_next();
}
static uint64_t any_u64(void)
{
	return random_next();
}

/* Sizes around those of blocks, and others. */
static size_t any_side(void)
{
	static const size_t sides[] = {1, 2, 3, 4, 7, 8, 12, 13, 15, 16, 17, 32, 33, 48, 64};

	return random_below(2) ? sides[random_below(sizeof(sides) / sizeof(*sides))] : 1 + random_below(SIDE);
}

/* Levels that this processor has. */
static unsigned levels(void)
{
	return (unsigned)product_level() + 1;
}

#define LEVEL_ENTRY(level, name) name##_##level,
#define PRODUCT_TEST(how)                                                                                                                                      \
	static isa_c_##how a_##how[LONG_COUNT], b_##how[LONG_COUNT], c_##how[COUNT], got_##how[COUNT], want_##how[COUNT];                                      \
                                                                                                                                                               \
	static void plain_##how(const isa_c_##how *c, size_t m, size_t k_count, size_t n)                                                                      \
	{                                                                                                                                                      \
		for (size_t i = 0; i < m; i++)                                                                                                                 \
			for (size_t j = 0; j < n; j++) {                                                                                                       \
				isa_c_##how sum = c ? c[i * n + j] : 0;                                                                                        \
                                                                                                                                                               \
				for (size_t k = 0; k < k_count; k++)                                                                                           \
					sum += a_##how[i * k_count + k] * b_##how[k * n + j];                                                                  \
				want_##how[i * n + j] = sum;                                                                                                   \
			}                                                                                                                                      \
	}                                                                                                                                                      \
	static bool trial_##how(void)                                                                                                                          \
	{                                                                                                                                                      \
		static void (*const level[])(isa_c_##how *, const isa_c_##how *, const isa_c_##how *, const isa_c_##how *, size_t, size_t,                     \
					     size_t) = {PRODUCT_LEVELS(LEVEL_ENTRY, product_##how)};                                                           \
		const bool cut = random_below(5) == 0;                                                                                                         \
		const size_t m = cut ? 1 + random_below(NARROW) : any_side(), n = cut ? 1 + random_below(NARROW) : any_side();                                 \
		const size_t k = cut ? 1 + random_below(LONG) : any_side();                                                                                    \
		const unsigned start = random_below(3); /* nothing, another tile, the result's own */                                                          \
		bool good = true;                                                                                                                              \
                                                                                                                                                               \
		for (size_t i = 0; i < COUNT; i++)                                                                                                             \
			c_##how[i] = any_##how();                                                                                                              \
		for (size_t i = 0; i < m * k; i++)                                                                                                             \
			a_##how[i] = any_##how();                                                                                                              \
		for (size_t i = 0; i < k * n; i++)                                                                                                             \
			b_##how[i] = any_##how();                                                                                                              \
		plain_##how(start ? c_##how : NULL, m, k, n);                                                                                                  \
		for (unsigned l = 0; l < levels() && good; l++) {                                                                                              \
			memcpy(got_##how, c_##how, sizeof(got_##how));                                                                                         \
			level[l](got_##how, !start ? NULL : start == 1 ? c_##how : got_##how, a_##how, b_##how, m, k, n);                                      \
			good = !memcmp(got_##how, want_##how, m * n * sizeof(*got_##how)) &&                                                                   \
			       !memcmp(got_##how + m * n, c_##how + m * n, (COUNT - m * n) * sizeof(*got_##how));                                              \
			if (!good)                                                                                                                             \
				CHECK_FAIL("level %u, %zu x %zu x %zu", l, m, k, n);                                                                           \
		}                                                                                                                                              \
		return good;                                                                                                                                   \
	}
PRODUCT_TEST(f32)
PRODUCT_TEST(f64)
PRODUCT_TEST(u32)
PRODUCT_TEST(u64)

static void trials_do(bool (*trial)(void))
{
	const uint64_t seed = random_start();
	bool good = true;

	for (uint64_t i = 0; i < TRIALS && good; i++) {
		random_seed = seed + i;
		good = trial();
		if (!good)
			CHECK_FAIL("PTOWSP_SEED=%llu", (unsigned long long)(seed + i));
	}
}

TEST(every_level_multiplies_f32_alike)
{
	trials_do(trial_f32);
}
TEST(every_level_multiplies_f64_alike)
{
	trials_do(trial_f64);
}
TEST(every_level_multiplies_32_bits_alike)
{
	trials_do(trial_u32);
}
TEST(every_level_multiplies_64_bits_alike)
{
	trials_do(trial_u64);
}

/* All values of 16 bits there and back, all of 8 bits. */
#define CONVERT_TEST(type, how)                                                                                                                                \
	static void convert_##type(void)                                                                                                                       \
	{                                                                                                                                                      \
		static void (*const widen[])(isa_c_##how *, const isa_s_##type *, size_t) = {PRODUCT_LEVELS(LEVEL_ENTRY, product_widen_##type)};               \
		static void (*const narrow[])(isa_s_##type *, const isa_c_##how *, size_t) = {PRODUCT_LEVELS(LEVEL_ENTRY, product_narrow_##type)};             \
		static isa_s_##type from[65536 + 5], back[65536 + 5];                                                                                          \
		static isa_c_##how widened[65536 + 5];                                                                                                         \
		const size_t count = sizeof(from) / sizeof(*from);                                                                                             \
                                                                                                                                                               \
		for (size_t i = 0; i < count; i++)                                                                                                             \
			from[i] = (isa_s_##type)i;                                                                                                             \
		for (unsigned l = 0; l < levels(); l++) {                                                                                                      \
			size_t bad = 0;                                                                                                                        \
                                                                                                                                                               \
			widen[l](widened, from, count);                                                                                                        \
			narrow[l](back, widened, count);                                                                                                       \
			for (size_t i = 0; i < count; i++) {                                                                                                   \
				const isa_c_##how one = (isa_c_##how)isa_get_##type(from[i]);                                                                  \
                                                                                                                                                               \
				bad += memcmp(&one, &widened[i], sizeof(one)) || back[i] != isa_put_##type(one);                                               \
			}                                                                                                                                      \
			CHECK_UINT(bad, 0);                                                                                                                    \
		}                                                                                                                                              \
	}
PRODUCT_WIDENED(CONVERT_TEST)

TEST(every_level_converts_alike)
{
#define CALL(type, how) convert_##type();
	PRODUCT_WIDENED(CALL)
#undef CALL
}

/* ---- numerics=fast ---------------------------------------------------------------------------------------------- */

/* One instruction on tiles of one type: tile 0 is the result. */
enum { OPERANDS = 5 };
static struct {
	struct tile_builder b;
	struct tile_task task;
	unsigned dtype, op, rows[OPERANDS];
	uint32_t m, k, n;
	unsigned char start[OPERANDS][COUNT * 8], memory[OPERANDS][COUNT * 8];
} t;

static void tile_make(unsigned i, uint32_t rows, uint32_t columns)
{
	const unsigned bytes = cell_bytes(t.dtype);

	t.rows[i] = tile_tile(&t.b, "", rows, columns, t.dtype);
	tile_param(&t.b, "", t.dtype);
	for (size_t at = 0; at < COUNT; at++) {
		const double unit = (double)(random_next() >> 11) * 0x1p-52 - 1;

		cell_pack(t.dtype, (struct cell){.f = cell_round(t.dtype, ldexp(unit, (int)random_below(5) - 2))}, t.start[i] + at * bytes);
	}
}

static void operands_make(void)
{
	tile_make(0, t.m, t.op == PTOWSP_PTO_TROWSUM ? 1 : t.n);
	switch (t.op) {
	case PTOWSP_PTO_TROWSUM: tile_make(1, t.m, t.k); break;
	case PTOWSP_PTO_TMATMUL_ACC:
		tile_make(1, t.m, t.n);
		tile_make(2, t.m, t.k);
		tile_make(3, t.k, t.n);
		break;
	case PTOWSP_PTO_TMATMUL_MX:
		tile_make(1, t.m, t.k);
		tile_make(2, t.m, 1);
		tile_make(3, t.k, t.n);
		tile_make(4, 1, t.n);
		break;
	default:
		tile_make(1, t.m, t.k);
		tile_make(2, t.k, t.n);
		if (t.op == PTOWSP_PTO_TMATMUL_BIAS)
			tile_make(3, 1, t.n);
		break;
	}
}

static void program_make(void)
{
	unsigned zero;

	memset(&t.b, 0, sizeof(t.b));
	tile_begin(&t.b, "sum");
	operands_make();
	zero = tile_int(&t.b, 0);
	for (unsigned i = 1; i < t.b.header.tile_count; i++)
		tile_op(&t.b, PTOWSP_PTO_TLOAD, t.rows[i], i, zero, zero);
	tile_op(&t.b, t.op, t.rows[0], t.rows[1], t.rows[2], t.rows[3], t.rows[4]);
	tile_op(&t.b, PTOWSP_PTO_TSTORE, t.rows[0], 0, zero, zero);
}

static long double at(unsigned tile, size_t i)
{
	return cell_unpack(t.dtype, t.start[tile] + i * cell_bytes(t.dtype)).f;
}

/* Element [i, j] of the result as it would be without rounding, and the sizes of what is added up. */
static long double exact(size_t i, size_t j, long double *size_out)
{
	const bool adds = t.op == PTOWSP_PTO_TMATMUL_ACC, scaled = t.op == PTOWSP_PTO_TMATMUL_MX;
	long double sum = 0, size = 0;

	for (size_t k = 0; k < t.k; k++) {
		long double v = at(adds ? 2 : 1, i * t.k + k);

		if (t.op != PTOWSP_PTO_TROWSUM)
			v *= at(adds || scaled ? 3 : 2, k * t.n + j);
		if (scaled)
			v *= at(2, i) * at(4, j);
		sum += v;
		size += fabsl(v);
	}
	if (adds || t.op == PTOWSP_PTO_TMATMUL_BIAS) {
		const long double more = adds ? at(1, i * t.n + j) : at(3, j);

		sum += more;
		size += fabsl(more);
	}
	*size_out = size;
	return sum;
}

static void way_run(bool fast, struct isa_bound *bound_out)
{
	struct isa_program *program;
	size_t size;
	const void *payload = tile_payload(&t.b, &size);
	ptowsp_status (*const create)(struct isa_program **, const void *, size_t, const char *, size_t, struct ptowsp_error *) =
		fast ? isa_program_create_fast : isa_program_create;
	uint32_t inst = 0;

	memcpy(t.memory, t.start, sizeof(t.start));
	tile_task_begin(&t.task);
	for (unsigned i = 0; i < t.b.header.tile_count; i++)
		tile_window(&t.task, i, t.memory[i], t.dtype, COUNT);
	REQUIRE(!create(&program, payload, size, t.b.strings, t.b.strings_size, &t.task.error));
	CHECK(!isa_program_unusable(program));
	CHECK_INT(tile_run(&t.task, program), PTOWSP_OK);
	CHECK(isa_program_bound(program, &inst, bound_out));
	CHECK_STR(bound_out->mnemonic, isa_op(t.op)->mnemonic);
	isa_program_destroy(program);
}

/* The largest share of the bound that an element takes. */
static long double worst_share(const struct isa_bound *bound)
{
	const unsigned bytes = cell_bytes(t.dtype);
	const uint32_t columns = t.op == PTOWSP_PTO_TROWSUM ? 1 : t.n;
	const long double narrow = !bound->rounded ? 0 : t.dtype == PTOWSP_F16 ? 0x1p-11L : 0x1p-8L;
	long double worst = 0;

	for (size_t i = 0; i < t.m; i++)
		for (size_t j = 0; j < columns; j++) {
			const long double got = cell_unpack(t.dtype, t.memory[0] + (i * columns + j) * bytes).f;
			long double size, share;
			const long double want = exact(i, j, &size);

			share = fabsl(got - want) / (bound->relative * size + narrow * fabsl(got) + 0x1p-62L * size + 0x1p-24L * (narrow != 0));
			worst = share > worst ? share : worst;
		}
	return worst;
}

TEST(fast_programs_keep_the_bound_that_is_said)
{
	static const unsigned types[] = {PTOWSP_F32, PTOWSP_F16, PTOWSP_BF16, PTOWSP_F64};
	static const unsigned ops[] = {PTOWSP_PTO_TMATMUL, PTOWSP_PTO_TMATMUL_ACC, PTOWSP_PTO_TMATMUL_BIAS, PTOWSP_PTO_TMATMUL_MX, PTOWSP_PTO_TROWSUM};
	static unsigned char fast[sizeof(t.memory[0])];
	const uint64_t seed = random_start();
	unsigned differ = 0;
	long double worst = 0;

	for (uint64_t i = 0; i < TRIALS; i++) {
		struct isa_bound bound;

		random_seed = seed + i;
		t.dtype = types[i % 4];
		t.op = ops[i / 4 % 5];
		t.m = (uint32_t)any_side();
		t.k = (uint32_t)any_side();
		t.n = (uint32_t)any_side();
		program_make();
		way_run(true, &bound);
		memcpy(fast, t.memory[0], sizeof(fast));
		if (worst_share(&bound) > 1)
			CHECK_FAIL("PTOWSP_SEED=%llu: %s of type %u is off by %Lg of its bound", (unsigned long long)(seed + i), bound.mnemonic, t.dtype,
				   worst_share(&bound));
		worst = worst_share(&bound) > worst ? worst_share(&bound) : worst;
		way_run(false, &bound);
		differ += memcmp(fast, t.memory[0], sizeof(fast)) != 0;
		tile_finish(&t.b);
	}
	printf("# isa_product: fast results are off by at most %.3Lf of their bound; %u of %u differ from exact ones\n", worst, differ, TRIALS);
	CHECK(differ > 0);
	CHECK(worst > 0);
}
