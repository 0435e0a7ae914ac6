/* SPDX-License-Identifier: MIT */
/* isa.c - speed of the portable kernels' interpreter: one instruction repeated inside a loop, tiles in cache. */
#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"
#include "tools/bench/bench.h"
#include "tools/bench/bench_tile.h"

#define SIDE_LIMIT 256u /* rows and columns of a tile */
#define TARGET_NS 20e6  /* one repetition lasts about so long */

/* d = op(a[, b]) on f32 tiles. */
static const struct subject {
	const char *name;
	unsigned op;
	uint32_t dst[2], a[2], b[2]; /* rows, columns; b 0, 0: one source */
	bool matmul;
} subjects[] = {
	{"tmatmul 32x128 . 128x128", PTOWSP_PTO_TMATMUL, {32, 128}, {32, 128}, {128, 128}, true},
	{"tmatmul 64x128 . 128x64", PTOWSP_PTO_TMATMUL, {64, 64}, {64, 128}, {128, 64}, true},
	{"tmatmul 128x128 . 128x128", PTOWSP_PTO_TMATMUL, {128, 128}, {128, 128}, {128, 128}, true},
	{"tadd 32x128", PTOWSP_PTO_TADD, {32, 128}, {32, 128}, {32, 128}, false},
	{"tmul 256x128", PTOWSP_PTO_TMUL, {256, 128}, {256, 128}, {256, 128}, false},
	{"tdiv 32x128", PTOWSP_PTO_TDIV, {32, 128}, {32, 128}, {32, 128}, false},
	{"texp 32x128", PTOWSP_PTO_TEXP, {32, 128}, {32, 128}, {0, 0}, false},
	{"trowsum 32x128", PTOWSP_PTO_TROWSUM, {32, 1}, {32, 128}, {0, 0}, false},
	{"trowexpandsub 32x128", PTOWSP_PTO_TROWEXPANDSUB, {32, 128}, {32, 128}, {32, 1}, false},
};

static uint64_t elements(const uint32_t shape[2])
{
	return (uint64_t)shape[0] * shape[1];
}

/* GFLOP or GB of one execution of the instruction. */
static double amount(const struct subject *s)
{
	if (s->matmul)
		return 2e-9 * (double)elements(s->a) * s->b[1];
	return 4e-9 * (double)(elements(s->dst) + elements(s->a) + elements(s->b));
}

static ptowsp_status program_make(struct isa_program **program_out, const struct subject *s, int64_t times)
{
	struct bench_tile *tile = calloc(1, sizeof(*tile));
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	uint16_t dst, a, b, zero;
	uint32_t loop;
	uint64_t size;
	const void *bytes;
	ptowsp_status st;

	if (!tile)
		return PTOWSP_NO_MEMORY;
	bench_tile_param(tile, PTOWSP_READ | PTOWSP_WRITE, s->a[0], s->a[1]);
	a = bench_tile_tile(tile, s->a[0], s->a[1]);
	b = s->b[0] ? bench_tile_tile(tile, s->b[0], s->b[1]) : 0;
	dst = bench_tile_tile(tile, s->dst[0], s->dst[1]);
	zero = bench_tile_const(tile, 0);
	bench_tile_inst(tile, PTOWSP_PTO_TLOAD, a, 0, zero, zero);
	if (s->b[0])
		bench_tile_inst(tile, PTOWSP_PTO_TLOAD, b, 0, zero, zero);
	loop = bench_tile_loop(tile, times);
	bench_tile_inst(tile, s->op, dst, a, b, 0);
	bench_tile_end(tile, loop);
	bench_tile_inst(tile, PTOWSP_PTO_TSTORE, 0, dst, zero, zero);
	bytes = bench_tile_pack(tile, &size);
	st = isa_program_create(program_out, bytes, size, NULL, 0, &error);
	if (st || isa_program_unusable(*program_out))
		fprintf(stderr, "ptowsp-bench isa: %s: %s\n", s->name, st ? error.text : isa_program_unusable(*program_out));
	free(tile);
	return st;
}

static ptowsp_status timed_run(const struct isa_program *program, float *data, void *scratch, double *ns_out)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_tensor_arg tensor = {.data = data, .rows = 1, .columns = SIDE_LIMIT * SIDE_LIMIT, .column_stride = 1,
					   .row_stride = SIDE_LIMIT * SIDE_LIMIT, .dtype = PTOWSP_F32,
					   .access = PTOWSP_READ | PTOWSP_WRITE};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK), .tensors = &tensor, .tensor_count = 1,
				   .tensor_stride = sizeof(tensor), .block_count = 1};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(out, KERNEL_OUT), .error = &error};
	uint64_t began = bench_now_ns();
	ptowsp_status st = isa_run(program, &task, &out, scratch);

	*ns_out = (double)(bench_now_ns() - began);
	if (st)
		fprintf(stderr, "ptowsp-bench isa: %s\n", error.text);
	return st;
}

/* ns of `times` executions, with the loop but without loading and storing to speak of. */
static ptowsp_status measure(const struct subject *s, int64_t times, float *data, unsigned reps, struct bench_series *ns)
{
	struct isa_program *program = NULL;
	void *scratch = NULL;
	ptowsp_status st = program_make(&program, s, times);
	double each;

	if (!st) {
		scratch = aligned_alloc(64, (isa_program_scratch(program) + 63) / 64 * 64 + 64);
		st = scratch ? timed_run(program, data, scratch, &each) : PTOWSP_NO_MEMORY; /* warm */
	}
	for (unsigned r = 0; !st && r < reps; r++) {
		st = timed_run(program, data, scratch, &each);
		bench_series_add(ns, each / (double)times);
	}
	free(scratch);
	isa_program_destroy(program);
	return st;
}

static ptowsp_status subject_run(const struct subject *s, float *data, unsigned reps)
{
	struct bench_row row = {.benchmark = "isa", .subject = s->name, .measure = s->matmul ? "arithmetic" : "tile traffic",
				.unit = s->matmul ? "GFLOP/s" : "GB/s"};
	struct bench_series probe = {0}, ns = {0};
	ptowsp_status st = measure(s, 16, data, 1, &probe);
	double once = probe.count && probe.values[0] > 1 ? probe.values[0] : 1;

	if (!st)
		st = measure(s, (int64_t)(TARGET_NS / once) + 1, data, reps, &ns);
	for (unsigned i = 0; i < ns.count; i++)
		bench_series_add(&row.series, amount(s) * 1e9 / ns.values[i]);
	bench_table_row(&row);
	return st;
}

int bench_isa(const struct bench_options *options)
{
	float *data = calloc(SIDE_LIMIT * SIDE_LIMIT, sizeof(*data));
	ptowsp_status st = data ? PTOWSP_OK : PTOWSP_NO_MEMORY;

	for (uint32_t i = 0; data && i < SIDE_LIMIT * SIDE_LIMIT; i++)
		data[i] = 1 + (float)(i % 64) / 64;
	for (size_t i = 0; !st && i < sizeof(subjects) / sizeof(*subjects); i++)
		st = subject_run(&subjects[i], data, options->reps);
	free(data);
	return st ? 1 : 0;
}
