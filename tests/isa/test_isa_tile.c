/* SPDX-License-Identifier: MIT
 * test_isa_tile.c - exp, ln, tanh and gelu of f32: loops of tile.h as they are compiled for each machine that emitted C has, the interpreter's instructions, and
 * the C library's functions. A sample and everything around places where something ends or begins; all 2^32 arguments with PTOWSP_ALL_FLOATS=1.
 * PTOWSP_SEED=n repeats a sample. */
#include "isa/element.h"
#include "isa/isa_tile.h"
#include "isa/kernel_core.h"
#include "tests/check.h"
#include "tests/isa/tile_builder.h"
#include "tests/isa/tile_random.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
	ROWS = 8,
	COLUMNS = 512,
	BLOCK = ROWS * COLUMNS, /* arguments that go through a program at once */
	STEP = 4999,            /* of the sample */
	AROUND = 64,            /* floats on either side of a place */
	LOOKS = 61,             /* every so many arguments the reference itself is looked at */
	WORKERS_MOST = 16
};
/* How far the C library's functions are off at most, relative: four units in the last place of a double, eight of an x86 long double. Those of glibc are
 * off by at most one, one and two, and in long double by two, two and three ("Known Maximum Errors" of its manual). */
#define NEAR_BOUND  0x1p-50
#define EXACT_BOUND 0x1p-60L

/* --- what is compared --- */

#define LOOP(level, attribute, fused)                                                                                                                          \
	attribute static void exp_##level(float *out, const float *in)                                                                                         \
	{                                                                                                                                                      \
		for (size_t i = 0; i < BLOCK; i++)                                                                                                             \
			out[i] = tile_exp_with(fused, in[i]);                                                                                                  \
	}                                                                                                                                                      \
	attribute static void log_##level(float *out, const float *in)                                                                                         \
	{                                                                                                                                                      \
		for (size_t i = 0; i < BLOCK; i++)                                                                                                             \
			out[i] = tile_log_f32(in[i]);                                                                                                          \
	}                                                                                                                                                      \
	attribute static void tanh_##level(float *out, const float *in)                                                                                        \
	{                                                                                                                                                      \
		for (size_t i = 0; i < BLOCK; i++)                                                                                                             \
			out[i] = tile_tanh_f32(in[i]);                                                                                                         \
	}                                                                                                                                                      \
	attribute static void gelu_##level(float *out, const float *in)                                                                                        \
	{                                                                                                                                                      \
		for (size_t i = 0; i < BLOCK; i++)                                                                                                             \
			out[i] = tile_gelu_f32(in[i]);                                                                                                         \
	}
LOOP(plain, , 0)
#if defined(__x86_64__)
LOOP(avx2, __attribute__((target("avx2,fma"))), 1)
LOOP(avx512f, __attribute__((target("avx512f,fma"))), 1)
#define HAS_AVX2    (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#define HAS_AVX512F (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("fma"))
#define LEVELS(name)                                                                                                                                           \
	{                                                                                                                                                      \
		name##_plain, name##_avx2, name##_avx512f                                                                                                      \
	}
#else
#define HAS_AVX2    0
#define HAS_AVX512F 0
#define LEVELS(name)                                                                                                                                           \
	{                                                                                                                                                      \
		name##_plain, NULL, NULL                                                                                                                       \
	}
#endif

enum { LEVEL_COUNT = 3 };
static const struct function {
	const char *name;
	unsigned op;
	void (*loops[LEVEL_COUNT])(float *out, const float *in);
	double (*near)(double x); /* NULL: how near it is stands in single_functions */
	long double (*exact)(long double x);
} functions[] = {
	{"exp", PTOWSP_PTO_TEXP, LEVELS(exp), exp, expl},
	{"log", PTOWSP_PTO_TLOG, LEVELS(log), log, logl},
	{"tanh", PTOWSP_PTO_TTANH, LEVELS(tanh), tanh, tanhl},
	{"gelu", PTOWSP_PTO_TGELU, LEVELS(gelu), NULL, NULL},
};
enum { FUNCTIONS = sizeof(functions) / sizeof(*functions) };

static bool level_is_here(unsigned level)
{
	return level == 0 || (level == 1 ? HAS_AVX2 : HAS_AVX512F);
}

/* --- what is found --- */

struct finding {
	uint64_t arguments, others, undecided; /* others: not the float that is next to the exact value */
	uint64_t looks, far;                   /* far: the reference in double is not as near as is said of it */
	uint64_t differs;                      /* a loop of tile.h and the interpreter */
	double worst;                          /* units in the last place between what is computed and the exact value */
	float worst_at, differs_at;
};

/* The unit in the last place of a finite float. */
static double unit(float value)
{
	const uint32_t exponent = isa_bits_of(value) >> 23 & 255;

	return tile_double_of((uint64_t)((exponent ? exponent : 1) - 150 + 1023) << 52);
}

static void worst_note(struct finding *f, float x, double off)
{
	if (off > f->worst) {
		f->worst = off;
		f->worst_at = x;
	}
}

/* By long double: where the double does not say to which float the exact value is rounded, or where that is another one. */
static void exact_check(struct finding *f, const struct function *fn, float x, float got)
{
	const long double want = fn->exact(x);
	const float low = (float)(want * (1 - EXACT_BOUND)), high = (float)(want * (1 + EXACT_BOUND));

	if (isnan(want) || isnan(got)) {
		if (isnan(want) && isnan(got))
			return;
		f->others++;
		worst_note(f, x, INFINITY);
		return;
	}
	f->undecided += low != high;
	f->others += low == high && isa_bits_of(got) != isa_bits_of(low);
	if (isinf(got) || isinf(low) || (want == 0 && isa_bits_of(got) != isa_bits_of(low)))
		worst_note(f, x, isa_bits_of(got) == isa_bits_of(low) ? 0 : INFINITY);
	else
		worst_note(f, x, (double)(fabsl((long double)got - want) / unit(low)));
}

/* Is the reference as near as NEAR_BOUND says? */
static void reference_look(struct finding *f, const struct function *fn, float x, double near)
{
	const long double want = fn->exact(x), off = fabsl((long double)near - want);

	f->looks++;
	if (!isnan(want) && !isinf(near) && fabsl(want) > 0x1p-1000L)
		f->far += off > NEAR_BOUND * fabsl(want);
}

static void argument_check(struct finding *f, const struct function *fn, float x, float got)
{
	const double near = fn->near ? fn->near(x) : NAN;
	const float low = (float)(near * (1 - NEAR_BOUND)), high = (float)(near * (1 + NEAR_BOUND));

	if (!fn->near || (isnan(near) && isnan(got))) {
		f->arguments++;
		return;
	}
	if (isa_bits_of(got) != isa_bits_of(low) || isa_bits_of(got) != isa_bits_of(high))
		exact_check(f, fn, x, got);
	else if (!isinf(got))
		worst_note(f, x, fabs(got - near) / unit(got));
	if (f->arguments++ % LOOKS == 0)
		reference_look(f, fn, x, near);
}

/* --- arguments in blocks, through everything --- */

struct trial {
	const struct function *fn;
	const uint32_t *list; /* whole blocks of arguments; NULL: all there are */
	uint64_t blocks;
	_Atomic uint64_t next; /* block that nobody has taken */
};

struct worker {
	struct trial *trial;
	struct isa_program *program;
	struct finding found;
	pthread_t thread;
	ptowsp_status status;
	float in[BLOCK], got[BLOCK], other[BLOCK];
};

static struct isa_program *program_make(unsigned op)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct isa_program *program = NULL;
	struct tile_builder b;
	unsigned in, out, x;

	tile_begin(&b, "function");
	in = tile_param(&b, "in", PTOWSP_F32);
	out = tile_param(&b, "out", PTOWSP_F32);
	x = tile_tile(&b, "x", ROWS, COLUMNS, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, in, tile_int(&b, 0), tile_int(&b, 0));
	tile_op(&b, op, x, x);
	tile_op(&b, PTOWSP_PTO_TSTORE, x, out, tile_int(&b, 0), tile_int(&b, 0));
	if (tile_create(&b, &program, &error))
		CHECK_FAIL("%s", error.text);
	tile_finish(&b);
	return program;
}

static ptowsp_status program_run(struct worker *w)
{
	struct tile_task task;

	tile_task_begin(&task);
	tile_window(&task, 0, w->in, PTOWSP_F32, BLOCK);
	tile_window(&task, 1, w->got, PTOWSP_F32, BLOCK);
	return tile_run(&task, w->program);
}

/* One NaN is as good as another. */
static void loops_compare(struct worker *w)
{
	for (unsigned level = 0; level < LEVEL_COUNT; level++) {
		if (!level_is_here(level))
			continue;
		w->trial->fn->loops[level](w->other, w->in);
		if (!memcmp(w->other, w->got, sizeof(w->got)))
			continue;
		for (size_t i = 0; i < BLOCK; i++)
			if (isa_bits_of(w->other[i]) != isa_bits_of(w->got[i]) && !(isnan(w->other[i]) && isnan(w->got[i]))) {
				w->found.differs++;
				w->found.differs_at = w->in[i];
			}
	}
}

static void *worker_run(void *argument)
{
	struct worker *w = argument;
	struct trial *t = w->trial;
	uint64_t block;

	while ((block = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed)) < t->blocks && !w->status) {
		for (size_t i = 0; i < BLOCK; i++)
			w->in[i] = isa_float_of(t->list ? t->list[block * BLOCK + i] : (uint32_t)(block * BLOCK + i));
		w->status = program_run(w);
		loops_compare(w);
		for (size_t i = 0; i < BLOCK && !w->status; i++)
			argument_check(&w->found, t->fn, w->in[i], w->got[i]);
	}
	return NULL;
}

static void finding_add(struct finding *to, const struct finding *from)
{
	to->arguments += from->arguments;
	to->others += from->others;
	to->undecided += from->undecided;
	to->looks += from->looks;
	to->far += from->far;
	if (from->differs)
		to->differs_at = from->differs_at;
	to->differs += from->differs;
	worst_note(to, from->worst_at, from->worst);
}

static void trial_run(struct trial *t, struct finding *found_out)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const unsigned count = processors < 1 ? 1 : processors > WORKERS_MOST ? WORKERS_MOST : (unsigned)processors;
	struct isa_program *program = program_make(t->fn->op);
	struct worker *workers = calloc(count, sizeof(*workers));

	REQUIRE(program != NULL && workers != NULL);
	for (unsigned i = 0; i < count; i++) {
		workers[i].trial = t;
		workers[i].program = program;
		REQUIRE_INT(pthread_create(&workers[i].thread, NULL, worker_run, &workers[i]), 0);
	}
	for (unsigned i = 0; i < count; i++) {
		pthread_join(workers[i].thread, NULL);
		CHECK_INT(workers[i].status, 0);
		finding_add(found_out, &workers[i].found);
	}
	free(workers);
	isa_program_destroy(program);
}

/* --- which arguments --- */

struct arguments {
	uint32_t *bits; /* owned */
	size_t count, room;
};

static void argument_add(struct arguments *a, uint32_t bits)
{
	if (a->count == a->room) {
		a->room = a->room ? 2 * a->room : 1 << 16;
		a->bits = realloc(a->bits, a->room * sizeof(*a->bits));
		REQUIRE(a->bits != NULL);
	}
	a->bits[a->count++] = bits;
}

/* The floats around a number, of both signs. */
static void around_add(struct arguments *a, double place)
{
	const uint32_t bits = isa_bits_of((float)place);

	for (uint32_t i = 0; i <= 2 * AROUND; i++) {
		argument_add(a, bits + i - AROUND);
		argument_add(a, (bits + i - AROUND) ^ UINT32_C(1) << 31);
	}
}

/* Both ends of each exponent; where a result begins to be subnormal, 0, 1 or infinity; where another n is the next integer to x / ln 2 and to 2 x / ln 2,
 * and the mantissa's own border in ln; where functions cut off their arguments. */
static void places_add(struct arguments *a)
{
	static const double ends[] = {-0x1.5d58a0p+6, -0x1.9d1da0p+6, -0x1.9fe368p+6, 0x1.62e42ep+6, 130, 150, 9.010913, 10, 1};

	for (uint32_t exponent = 0; exponent < 256; exponent++)
		around_add(a, exponent < 255 ? (double)isa_float_of(exponent << 23) : INFINITY);
	for (int n = -220; n <= 190; n++) {
		around_add(a, (n + 0.5) * 0.69314718055994531);
		around_add(a, (n + 0.5) * 0.69314718055994531 / 2);
	}
	for (int k = -149; k < 128; k++)
		around_add(a, ldexp(0.70710678118654752, k + 1));
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++)
		around_add(a, ends[i]);
}

/* Whole blocks. */
static struct arguments arguments_make(uint64_t seed)
{
	struct arguments a = {0};

	places_add(&a);
	for (uint64_t bits = seed % STEP; bits < UINT64_C(1) << 32; bits += STEP)
		argument_add(&a, (uint32_t)bits);
	while (a.count % BLOCK)
		argument_add(&a, isa_bits_of(NAN));
	return a;
}

static void function_check(const struct function *fn, const struct arguments *a, const char *which)
{
	struct trial t = {.fn = fn, .list = a ? a->bits : NULL, .blocks = (a ? a->count : UINT64_C(1) << 32) / BLOCK};
	struct finding f = {0};

	trial_run(&t, &f);
	if (fn->near)
		printf("# isa_tile: %s of %llu arguments (%s) is off by at most %.10f units in the last place, at %a; %llu not correctly rounded, %llu "
		       "undecided\n",
		       fn->name, (unsigned long long)f.arguments, which, f.worst, (double)f.worst_at, (unsigned long long)f.others,
		       (unsigned long long)f.undecided);
	CHECK_UINT(f.arguments, t.blocks * BLOCK);
	CHECK(f.worst <= 0.50001);
	CHECK_UINT(f.undecided, 0);
	CHECK(f.looks > 0 || !fn->near);
	CHECK_UINT(f.far, 0);
	if (f.differs)
		CHECK_FAIL("%s: %llu results of loops of tile.h differ from the interpreter's, one at %a (%s)", fn->name, (unsigned long long)f.differs,
			   (double)f.differs_at, which);
}

TEST(functions_are_rounded_as_well_as_correctly)
{
	const uint64_t seed = random_start();
	struct arguments a = arguments_make(seed);

	for (size_t i = 0; i < FUNCTIONS; i++)
		function_check(&functions[i], &a, check_fmt("PTOWSP_SEED=%llu", (unsigned long long)seed));
	free(a.bits);
}

static void functions_are_so_for_every_argument(void)
{
	for (size_t i = 0; i < FUNCTIONS; i++)
		function_check(&functions[i], NULL, "all there are");
}

/* Where exp begins to round to a subnormal number, to 0 and to infinity; where ln meets its ends; small tanh. */
TEST(ends_of_functions_are_right)
{
	CHECK(tile_exp_f32(0) == 1 && tile_exp_f32(-0.0f) == 1);
	CHECK(tile_exp_f32(INFINITY) == INFINITY && tile_exp_f32(-INFINITY) == 0);
	CHECK(tile_exp_f32(0x1.62e42ep+6f) < INFINITY && tile_exp_f32(0x1.62e430p+6f) == INFINITY);
	CHECK(tile_exp_f32(-0x1.9fe368p+6f) == 0x1p-149f && tile_exp_f32(-0x1.9fe36ap+6f) == 0);
	CHECK(tile_exp_f32(-87.5f) == expf(-87.5f) && isnan(tile_exp_f32(NAN)));
	CHECK(tile_log_f32(1) == 0 && !signbit(tile_log_f32(1)));
	CHECK(tile_log_f32(0) == -INFINITY && tile_log_f32(-0.0f) == -INFINITY && tile_log_f32(INFINITY) == INFINITY);
	CHECK(isnan(tile_log_f32(-1)) && isnan(tile_log_f32(-INFINITY)) && isnan(tile_log_f32(NAN)));
	CHECK(tile_log_f32(0x1p-149f) == (float)logl(0x1p-149L));
	CHECK(tile_tanh_f32(INFINITY) == 1 && tile_tanh_f32(-INFINITY) == -1 && isnan(tile_tanh_f32(NAN)));
	CHECK(tile_tanh_f32(0x1p-149f) == 0x1p-149f && signbit(tile_tanh_f32(-0.0f)));
	CHECK(tile_sigmoid_f32(-INFINITY) == 0 && tile_sigmoid_f32(INFINITY) == 1 && tile_sigmoid_f32(0) == 0.5f);
	CHECK(isnan(tile_silu_f32(-INFINITY)) && tile_silu_f32(INFINITY) == INFINITY && tile_silu_f32(2) == 2 / (1 + tile_exp_f32(-2)));
}

/* Any two floats; and one beside multiples of the other, up to where quotients are cut no more. */
TEST(remainders_are_those_of_the_library)
{
	random_start();
	for (unsigned i = 0; i < 1 << 20; i++) {
		const float b = isa_float_of(random_next() & UINT32_MAX), times = (float)(random_next() >> (random_below(30) + 34));
		const float near = isa_float_of(isa_bits_of(b * times) + random_below(3) - 1), a = i % 2 ? near : isa_float_of(random_next() & UINT32_MAX);
		const float got = tile_rem_f32(a, b), want = fmodf(a, b);

		if (isa_bits_of(got) != isa_bits_of(want) && !(isnan(got) && isnan(want)))
			CHECK_FAIL("%a rem %a is %a, not %a", (double)a, (double)b, (double)got, (double)want);
	}
	CHECK(tile_rem_f32(5, INFINITY) == 5 && signbit(tile_rem_f32(-6, 3)) && isnan(tile_rem_f32(1, 0)) && isnan(tile_rem_f32(INFINITY, 1)));
}

/* --- functions in single precision --- */

static double gelu(double x)
{
	return x / 2 * erfc(-x * 0.70710678118654752440);
}

/* Units in the last place, over all arguments: what README.md and the headers say. */
static const struct {
	const char *name;
	float (*fn)(float x);
	double (*near)(double x);
	double bound;
} single_functions[] = {
	{"exp", tile_core_exp_f32, exp, 1.05},
	{"log", tile_core_log_f32, log, 0.85},
	{"tanh", tile_core_tanh_f32, tanh, 2.53},
	{"gelu", tile_gelu_f32, gelu, 9.5},
	{"gelu by the library", tile_core_gelu_f32, gelu, 200},
};

TEST(functions_in_single_precision_are_as_near_as_is_said)
{
	const uint64_t step = getenv("PTOWSP_ALL_FLOATS") ? 1 : STEP;

	for (size_t k = 0; k < sizeof(single_functions) / sizeof(*single_functions); k++) {
		double worst = 0;

		for (uint64_t bits = random_start() % step; bits < UINT64_C(1) << 32; bits += step) {
			const float x = isa_float_of(bits), got = single_functions[k].fn(x);
			const double want = single_functions[k].near(x);
			const bool ends = isnan(want) || isinf((float)want) || isinf(got);
			const double off = !ends                ? fabs(got - want) / unit((float)want)
					   : isnan(want)        ? (isnan(got) ? 0 : INFINITY)
					   : (float)want == got ? 0
								: INFINITY;

			worst = off > worst ? off : worst;
		}
		if (!(worst <= single_functions[k].bound) || worst < single_functions[k].bound / 2)
			CHECK_FAIL("%s of a core is off by %g units in the last place, %g is said", single_functions[k].name, worst, single_functions[k].bound);
	}
}

void suite_isa_tile(CU_pSuite s)
{
	if (getenv("PTOWSP_ALL_FLOATS"))
		TEST(s, functions_are_so_for_every_argument);
}
