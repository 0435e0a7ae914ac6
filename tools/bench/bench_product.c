/* SPDX-License-Identifier: MIT */
/* bench_product.c - products of square tiles through the interpreter, beside the same loop compiled for this very processor and
 * OpenBLAS's sgemm, which is opened if it is installed and is nobody's dependency. All take turns. */
#include "tools/bench/bench_product.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"
#include "tools/bench/bench_loop.h"
#include "tools/bench/bench_tile.h"

#define TARGET_NS 5e6 /* one repetition of one way lasts about so long */

typedef void (*sgemm_fn)(int order, int turn_a, int turn_b, int m, int n, int k, float alpha, const float *a, int a_step,
			 const float *b, int b_step, float beta, float *c, int c_step);
enum { ROW_MAJOR = 101, AS_IT_IS = 111 };

/* Tile programs first. */
enum way { EXACT, FAST, BF16, F16, I16, I8, PROGRAMS, LOOP_WIDE = PROGRAMS, LOOP_HIGH, BLAS, WAYS };
static const struct {
	const char *measure;
	unsigned dtype, sum;
} ways[WAYS] = {
	[EXACT] = {"f32, exact", PTOWSP_F32, PTOWSP_F32},
	[FAST] = {"f32, numerics=fast", PTOWSP_F32, PTOWSP_F32},
	[BF16] = {"bf16 to f32, exact", PTOWSP_BF16, PTOWSP_F32},
	[F16] = {"f16 to f32, exact", PTOWSP_F16, PTOWSP_F32},
	[I16] = {"i16 to i32", PTOWSP_I16, PTOWSP_I32},
	[I8] = {"i8 to i32", PTOWSP_I8, PTOWSP_I32},
	[LOOP_WIDE] = {"loop for this processor, blocks of 4 x 64, f32", 0, 0},
	[LOOP_HIGH] = {"loop for this processor, blocks of 16 x 16, f32", 0, 0},
	[BLAS] = {"OpenBLAS sgemm, one thread", 0, 0},
};

struct bench {
	uint32_t side;
	struct isa_program *programs[PROGRAMS];
	void *scratch[PROGRAMS];
	uint64_t times; /* products in one repetition */
	float *a, *b, *d;
	sgemm_fn sgemm; /* NULL: not here */
	bool loops;     /* they can run here */
	ptowsp_status status;
};

/* ---- ways ------------------------------------------------------------------------------------------------------- */

/* d = a x b, times over; what is loaded and stored is as much as one product in hundreds. */
static ptowsp_status program_make(struct bench *b, enum way way)
{
	struct bench_tile *t = calloc(1, sizeof(*t));
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status status = PTOWSP_NO_MEMORY;
	uint16_t x, y, d, zero;
	const void *bytes;
	uint32_t loop;
	uint64_t size;

	if (!t)
		return status;
	bench_tile_param(t, PTOWSP_READ, b->side, b->side);
	bench_tile_param(t, PTOWSP_WRITE, b->side, b->side);
	x = bench_tile_tile(t, b->side, b->side);
	y = bench_tile_tile(t, b->side, b->side);
	d = bench_tile_tile(t, b->side, b->side);
	t->params[0].dtype = t->tiles[x].dtype = t->tiles[y].dtype = (uint8_t)ways[way].dtype;
	t->params[1].dtype = t->tiles[d].dtype = (uint8_t)ways[way].sum;
	zero = bench_tile_const(t, 0);
	bench_tile_inst(t, PTOWSP_PTO_TLOAD, x, 0, zero, zero);
	bench_tile_inst(t, PTOWSP_PTO_TLOAD, y, 0, zero, zero);
	loop = bench_tile_loop(t, (int64_t)b->times);
	bench_tile_inst(t, PTOWSP_PTO_TMATMUL, d, x, y, 0);
	bench_tile_end(t, loop);
	bench_tile_inst(t, PTOWSP_PTO_TSTORE, 1, d, zero, zero);
	bytes = bench_tile_pack(t, &size);
	status = (way == FAST ? isa_program_create_fast : isa_program_create)(&b->programs[way], bytes, size, NULL, 0, &error);
	if (status || isa_program_unusable(b->programs[way]))
		fprintf(stderr, "ptowsp-bench kernels: %s\n", status ? error.text : isa_program_unusable(b->programs[way]));
	free(t);
	if (!status)
		b->scratch[way] = aligned_alloc(64, (isa_program_scratch(b->programs[way]) + 63) / 64 * 64 + 64);
	return status ? status : b->scratch[way] ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

static void program_run(struct bench *b, enum way way)
{
	const uint64_t count = (uint64_t)b->side * b->side;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_tensor_arg tensors[2] = {{.data = b->a, .access = PTOWSP_READ, .dtype = (uint8_t)ways[way].dtype},
					       {.data = b->d, .access = PTOWSP_WRITE, .dtype = (uint8_t)ways[way].sum}};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK), .tensors = tensors, .tensor_count = 2,
				   .tensor_stride = sizeof(*tensors), .block_count = 1};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(out, KERNEL_OUT), .error = &error};

	for (unsigned i = 0; i < 2; i++) {
		tensors[i].rows = tensors[i].column_stride = 1;
		tensors[i].columns = tensors[i].row_stride = count;
	}
	b->status = isa_run(b->programs[way], &task, &out, b->scratch[way]);
	if (b->status)
		fprintf(stderr, "ptowsp-bench kernels: %s\n", error.text);
}

static void other_run(struct bench *b, enum way way)
{
	const int n = (int)b->side;

	for (uint64_t i = 0; i < b->times; i++) {
		if (way == LOOP_WIDE)
			bench_loop_wide(b->d, b->a, b->b, b->side);
		else if (way == LOOP_HIGH)
			bench_loop_high(b->d, b->a, b->b, b->side);
		else
			b->sgemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, n, n, n, 1, b->a, n, b->b, n, 0, b->d, n);
		__asm__ volatile("" ::: "memory");
	}
}

static bool is_here(const struct bench *b, unsigned way)
{
	return way == BLAS ? b->sgemm != NULL : way < PROGRAMS || b->loops;
}

/* GFLOP/s, or integer operations. */
static double way_rate(void *context, unsigned way)
{
	struct bench *b = context;
	const double amount = 2 * (double)b->side * b->side * b->side * (double)b->times;
	uint64_t began;

	if (!is_here(b, way))
		return 0;
	began = bench_now_ns();
	if (way < PROGRAMS)
		program_run(b, way);
	else
		other_run(b, way);
	return amount / (double)(bench_now_ns() - began);
}

/* ---- the processor and the library ------------------------------------------------------------------------------ */

static bool loops_can_run(void)
{
#if defined(__x86_64__)
	return (!(bench_loop_needs & BENCH_LOOP_AVX2) || __builtin_cpu_supports("avx2")) &&
	       (!(bench_loop_needs & BENCH_LOOP_AVX512) || __builtin_cpu_supports("avx512f"));
#else
	return bench_loop_needs == 0;
#endif
}

/* A build with threads starts them when it is opened; the serial one of Debian is libopenblas0-serial. */
static sgemm_fn sgemm_find(void)
{
	void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
	int (*parallel)(void) = NULL;
	void (*threads_set)(int) = NULL;
	sgemm_fn sgemm = NULL;

	if (!library)
		return NULL;
	*(void **)&sgemm = dlsym(library, "cblas_sgemm");
	*(void **)&parallel = dlsym(library, "openblas_get_parallel");
	*(void **)&threads_set = dlsym(library, "openblas_set_num_threads");
	if (parallel && parallel() && threads_set)
		threads_set(1);
	return sgemm;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static void floats_make(float *to, size_t count)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (float)((int)(i * 37 % 97) - 48) / 24;
}

static ptowsp_status bench_make(struct bench *b, uint32_t side)
{
	const size_t count = (size_t)side * side;

	*b = (struct bench){.side = side, .sgemm = sgemm_find(), .loops = loops_can_run()};
	b->times = (uint64_t)(TARGET_NS * 50 / (2 * (double)count * side)) + 1;
	b->a = aligned_alloc(64, count * sizeof(*b->a));
	b->b = aligned_alloc(64, count * sizeof(*b->b));
	b->d = aligned_alloc(64, count * sizeof(*b->d));
	if (!b->a || !b->b || !b->d)
		return PTOWSP_NO_MEMORY;
	floats_make(b->a, count);
	floats_make(b->b, count);
	for (unsigned way = 0; !b->status && way < PROGRAMS; way++)
		b->status = program_make(b, way);
	return b->status;
}

static void bench_free(struct bench *b)
{
	for (unsigned way = 0; way < PROGRAMS; way++) {
		isa_program_destroy(b->programs[way]);
		free(b->scratch[way]);
	}
	free(b->a);
	free(b->b);
	free(b->d);
}

static void ratio_row(const struct bench *b, const char *measure, double over, double under, double least)
{
	char name[64];
	struct bench_row row = {.benchmark = "kernels", .subject = name, .measure = measure, .unit = "", .least = least};

	snprintf(name, sizeof(name), "product %lu^3", (unsigned long)b->side);
	if (over > 0 && under > 0)
		bench_table_value(row, over / under);
	else
		bench_table_row(&row);
}

static void rows_print(const struct bench *b, struct bench_series *series)
{
	char name[64];
	struct bench_row row = {.benchmark = "kernels", .subject = name};
	double median[WAYS], loop, best;

	snprintf(name, sizeof(name), "product %lu^3", (unsigned long)b->side);
	for (unsigned way = 0; way < WAYS; way++) {
		if (!is_here(b, way))
			series[way].count = 0;
		row.measure = ways[way].measure;
		row.unit = way == I8 || way == I16 ? "GOP/s" : "GFLOP/s";
		row.reference = is_here(b, way) ? NULL : "not here";
		row.series = series[way];
		median[way] = bench_series_median(&series[way]);
		bench_table_row(&row);
	}
	loop = median[LOOP_WIDE] > median[LOOP_HIGH] ? median[LOOP_WIDE] : median[LOOP_HIGH];
	best = loop > median[BLAS] ? loop : median[BLAS];
	ratio_row(b, "f32, exact / the best of the loops and OpenBLAS", median[EXACT], best, 0.9);
	ratio_row(b, "f32, numerics=fast / f32, exact", median[FAST], median[EXACT], 0);
	ratio_row(b, "bf16 / f32, exact", median[BF16], median[EXACT], 0.6);
	ratio_row(b, "f16 / f32, exact", median[F16], median[EXACT], 0.6);
}

int bench_products(const struct bench_options *options)
{
	static const uint32_t sides[] = {64, 128};
	static struct bench_series series[WAYS];
	ptowsp_status status = PTOWSP_OK;

	for (unsigned i = 0; !status && i < sizeof(sides) / sizeof(*sides); i++) {
		struct bench b;

		memset(series, 0, sizeof(series));
		status = bench_make(&b, sides[i]);
		for (unsigned way = 0; !status && way < WAYS; way++) { /* warm */
			way_rate(&b, way);
			status = b.status;
		}
		if (!status)
			bench_alternate(options, WAYS, series, way_rate, &b);
		if (!status && !b.status)
			rows_print(&b, series);
		status = status ? status : b.status;
		bench_free(&b);
	}
	return status ? 1 : 0;
}
