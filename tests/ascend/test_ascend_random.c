/* SPDX-License-Identifier: MIT
 * test_ascend_random.c - random kernels: what bounds their cycles, the same from a walk that leaps over rounds of loops and from a run that takes
 * each instruction, never fewer for one instruction more. PTOWSP_SEED=n repeats a trial. */
#include "ascend/core/core.h"
#include "tests/check.h"
#include "tests/isa/tile_probe.h"
#include "tests/isa/tile_random.h"

enum { TRIALS = 300, OPS = 24, SMALL = 6, LARGE = 4, ROUNDS = 40, SIDE = 64 };

static float data[4][(ROUNDS + 1) * SIDE * SIDE];

/* What a trial is made of. Each instruction has its own seed, so that one can be left out and the others stay as they are. */
struct trial {
	uint64_t seed;
	bool products;      /* and not only the vector core */
	unsigned ops, omit; /* omit: the instruction that is left out; ops: none */
	unsigned from, to;  /* instructions in the loop */
	unsigned inner;     /* of them the last ones, in a loop of their own */
	unsigned rounds, inner_rounds;
	bool counts; /* a scalar in the loop: its rounds are not alike to a walk */
};

static struct trial trial_make(uint64_t seed, bool products)
{
	struct trial t = {.seed = seed, .products = products};

	random_seed = seed;
	t.ops = 1 + random_below(OPS);
	t.omit = t.ops;
	t.from = random_below(t.ops);
	t.to = t.from + random_below(t.ops - t.from + 1);
	t.inner = random_below(t.to - t.from + 1);
	t.rounds = random_below(ROUNDS);
	t.inner_rounds = 1 + random_below(12);
	t.counts = !random_below(3);
	return t;
}

/* Tiles 0 ... SMALL - 1 have 32 x 32 elements, the next 64 x 64. */
static unsigned peer(unsigned tile)
{
	return tile < SMALL ? random_below(SMALL) : SMALL + random_below(LARGE);
}

static void vector_op(unsigned d)
{
	static const unsigned ones[] = {PTOWSP_PTO_TEXP, PTOWSP_PTO_TRELU, PTOWSP_PTO_TABS, PTOWSP_PTO_TTRANS, PTOWSP_PTO_TMOV, PTOWSP_PTO_TRESHAPE};
	static const unsigned twos[] = {PTOWSP_PTO_TADD, PTOWSP_PTO_TMUL, PTOWSP_PTO_TMAX};

	switch (random_below(4)) {
	case 0: tile_op(&b, ones[random_below(6)], d, peer(d)); break;
	case 1: tile_op(&b, PTOWSP_PTO_TEXPANDS, d, tile_float(&b, 1)); break;
	default: tile_op(&b, twos[random_below(3)], d, peer(d), peer(d)); break;
	}
}

static void op_add(const struct trial *t, unsigned index, unsigned row)
{
	unsigned d;

	random_seed = t->seed * 977 + index;
	random_next();
	d = random_below(SMALL + LARGE);
	switch (random_below(t->products ? 8 : 6)) {
	case 0: tile_op(&b, PTOWSP_PTO_TLOAD, d, random_below(4), row, tile_int(&b, 0)); break;
	case 1: tile_op(&b, PTOWSP_PTO_TSTORE, d, random_below(4), row, tile_int(&b, 0)); break;
	case 6: tile_op(&b, PTOWSP_PTO_TMATMUL, d, peer(d), peer(d)); break;
	case 7: tile_op(&b, PTOWSP_PTO_TMATMUL_ACC, d, d, peer(d), peer(d)); break;
	default:
		if (random_below(24))
			vector_op(d);
		else
			tile_op(&b, PTOWSP_PTO_TSYNC, tile_int(&b, 0), tile_int(&b, 1));
		break;
	}
}

static void build(const struct trial *t)
{
	unsigned outer, inner, count;

	tile_begin(&b, "random");
	for (unsigned p = 0; p < 4; p++)
		tile_param(&b, "p", PTOWSP_F32);
	for (unsigned i = 0; i < SMALL + LARGE; i++)
		tile_tile(&b, "t", i < SMALL ? 32 : SIDE, i < SMALL ? 32 : SIDE, PTOWSP_F32);
	outer = tile_local(&b, "i", PTOWSP_I64, 0), inner = tile_local(&b, "j", PTOWSP_I64, 0), count = tile_local(&b, "n", PTOWSP_I64, 0);
	for (unsigned k = 0; k <= t->ops; k++) {
		if (k == t->from)
			tile_for(&b, outer, tile_int(&b, 0), tile_int(&b, t->rounds), tile_int(&b, 1));
		if (k == t->to - t->inner)
			tile_for(&b, inner, tile_int(&b, 0), tile_int(&b, t->inner_rounds), tile_int(&b, 1));
		if (k == t->to) {
			tile_end(&b);
			if (t->counts)
				tile_op(&b, PTOWSP_PTO_ADD, count, count, outer);
			tile_end(&b);
		}
		if (k < t->ops && k != t->omit)
			op_add(t, k, k >= t->from && k < t->to ? outer : tile_int(&b, 0));
	}
}

static void task_make(void)
{
	tile_task_begin(&task);
	for (unsigned p = 0; p < 4; p++)
		tile_window(&task, p, data[p], PTOWSP_F32, sizeof(data[p]) / sizeof(float));
}

static struct ascend_cost cost_of_run(const struct ascend_kernel *kernel)
{
	struct ascend_cost cost;
	void *scratch = aligned_alloc(64, (isa_program_scratch(program) + 63) / 64 * 64 + 64);

	task_make();
	if (ascend_kernel_run(kernel, &task.task, &task.out, scratch, NULL, &cost))
		CHECK_FAIL("%s", task.error.text);
	free(scratch);
	return cost;
}

static void same(const struct trial *t, const struct ascend_cost *a, const struct ascend_cost *c, const char *what)
{
	if (memcmp(a, c, sizeof(*a)))
		CHECK_FAIL("PTOWSP_SEED=%llu: %llu cycles, %s %llu", (unsigned long long)t->seed, (unsigned long long)a->cycles, what,
			   (unsigned long long)c->cycles);
}

static void bounded(const struct trial *t, const struct ascend_cost *cost)
{
	uint64_t sum = 0, most = 0;

	for (int p = 0; p < ASCEND_PIPE_COUNT; p++) {
		sum += cost->busy[p];
		most = cost->busy[p] > most ? cost->busy[p] : most;
	}
	if (cost->cycles < most || cost->cycles > sum)
		CHECK_FAIL("PTOWSP_SEED=%llu: %llu cycles, not from %llu to %llu", (unsigned long long)t->seed, (unsigned long long)cost->cycles,
			   (unsigned long long)most, (unsigned long long)sum);
}

/* Cycles of a trial; run: compared with a run, too. */
static uint64_t cycles_of(const struct trial *t, bool run)
{
	struct ascend_kernel *kernel = NULL;
	struct ascend_cost cost = {.cycles = 0}, again;
	const struct isa_block block = {0, 1};

	build(t);
	if (tile_create(&b, &program, &task.error) || ascend_kernel_create(&kernel, program, NULL, ascend_arch(ASCEND_910B), PTOWSP_UNIT_ANY, &task.error)) {
		CHECK_FAIL("PTOWSP_SEED=%llu: %s", (unsigned long long)t->seed, task.error.text);
	} else {
		CHECK_INT(ascend_kernel_cost(kernel, NULL, 0, block, NULL, &cost, NULL), PTOWSP_OK);
		CHECK_INT(ascend_kernel_cost(kernel, NULL, 0, block, NULL, &again, NULL), PTOWSP_OK);
		same(t, &cost, &again, "again");
		bounded(t, &cost);
		if (run) {
			again = cost_of_run(kernel);
			same(t, &cost, &again, "in a run");
		}
	}
	ascend_kernel_destroy(kernel);
	isa_program_destroy(program);
	tile_finish(&b);
	return cost.cycles;
}

TEST(cycles_are_bounded_and_the_same_in_a_run)
{
	const uint64_t seed = random_start();

	for (uint64_t n = 0; n < TRIALS; n++) {
		struct trial t = trial_make(seed + n, n % 2);

		cycles_of(&t, n % 4 < 2);
	}
}

/* On one core; with two, another instruction may have a tile brought earlier. */
TEST(one_instruction_more_never_takes_less)
{
	const uint64_t seed = random_start();

	for (uint64_t n = 0; n < TRIALS / 4; n++) {
		struct trial t = trial_make(seed + n, false);
		const uint64_t all = cycles_of(&t, false);

		for (t.omit = 0; t.omit < t.ops; t.omit++)
			if (cycles_of(&t, false) > all)
				CHECK_FAIL("PTOWSP_SEED=%llu: fewer than without instruction %u", (unsigned long long)t.seed, t.omit);
	}
}
