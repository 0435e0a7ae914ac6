/* SPDX-License-Identifier: MIT */
/* kernel.c - one kernel on one tile, everything in cache: the interpreter and native code, beside loops written by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"
#include "tools/bench/bench.h"
#include "tools/bench/chains.h"
#include "tools/bench/flash.h"
#include "tools/bench/bench_emitted.h"
#include "tools/bench/bench_product.h"

#define TARGET_NS 1e6 /* one repetition lasts about so long: shorter than what a busy system gives to others in between */

/* One chain on one size. */
struct subject {
	const struct bench_chain *chain;
	uint32_t side;
	struct isa_program *program;
	void *scratch;
	float *in, *out;
	uint64_t times;
	struct bench_emitted native;
	ptowsp_status status;
};
enum way { INTERPRETER, NATIVE, BY_HAND, LIBRARY, WAYS };

/* All calls of one repetition, by the interpreter or in native code. */
static ptowsp_status kernel_run(struct subject *s, bool native)
{
	const uint64_t count = (uint64_t)s->side * s->side;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_tensor_arg tensors[2] = {{.data = s->in, .access = PTOWSP_READ}, {.data = s->out, .access = PTOWSP_WRITE}};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK), .tensors = tensors, .tensor_count = 2,
				   .tensor_stride = sizeof(*tensors), .block_count = 1, .workspace = s->native.workspace,
				   .workspace_size = s->native.workspace_size};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(out, KERNEL_OUT), .error = &error};
	ptowsp_status status = PTOWSP_OK;

	for (unsigned i = 0; i < 2; i++) {
		tensors[i].rows = tensors[i].column_stride = 1;
		tensors[i].columns = tensors[i].row_stride = count;
		tensors[i].dtype = PTOWSP_F32;
	}
	for (uint64_t i = 0; i < s->times && !status; i++)
		status = native ? s->native.fn(&task, &out) : isa_run(s->program, &task, &out, s->scratch);
	if (status)
		fprintf(stderr, "ptowsp-bench kernels: %s\n", error.text);
	return status;
}

static void by_hand(struct subject *s, bool library)
{
	void (*const loops)(float *out, const float *in, size_t rows, size_t columns) = library ? s->chain->library : s->chain->loops;

	for (uint64_t i = 0; i < s->times; i++) {
		loops(s->out, s->in, s->side, s->side);
		__asm__ volatile("" ::: "memory");
	}
}

static ptowsp_status subject_make(struct subject *s)
{
	const size_t count = (size_t)s->side * s->side;
	struct bench_tile *tile = calloc(1, sizeof(*tile));
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status status = tile ? PTOWSP_OK : PTOWSP_NO_MEMORY;
	const void *payload;
	uint64_t size;

	if (!status) {
		s->chain->build(tile, s->side, s->side);
		payload = bench_tile_pack(tile, &size);
		status = isa_program_create(&s->program, payload, size, NULL, 0, &error);
		if (status)
			fprintf(stderr, "ptowsp-bench kernels: %s\n", error.text);
	}
	free(tile);
	if (status)
		return status;
	s->scratch = aligned_alloc(64, (isa_program_scratch(s->program) + 63) / 64 * 64 + 64);
	s->in = aligned_alloc(64, count * sizeof(float));
	s->out = aligned_alloc(64, count * sizeof(float));
	for (size_t i = 0; s->in && i < count; i++)
		s->in[i] = (float)((int)(i * 37 % 97) - 48) / 24;
	bench_emitted_make(&s->native, s->program);
	return s->scratch && s->in && s->out ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

static void subject_free(struct subject *s)
{
	bench_emitted_finish(&s->native);
	isa_program_destroy(s->program);
	free(s->scratch);
	free(s->in);
	free(s->out);
}

/* ns of one call. */
static double timed(void *context, unsigned way)
{
	struct subject *s = context;
	const uint64_t began = bench_now_ns();

	if ((way == NATIVE && !s->native.fn) || (way == LIBRARY && !s->chain->library))
		return 0;
	if (way == BY_HAND || way == LIBRARY)
		by_hand(s, way == LIBRARY);
	else
		s->status = s->status ? s->status : kernel_run(s, way == NATIVE);
	return (double)(bench_now_ns() - began) / (double)s->times;
}

static ptowsp_status subject_measure(const struct bench_options *options, struct subject *s, struct bench_series series[WAYS])
{
	double once;

	s->times = 16;
	for (unsigned way = 0; way < WAYS; way++)
		timed(s, way);
	once = timed(s, BY_HAND);
	s->times = (uint64_t)(TARGET_NS / (once > 1 ? once : 1)) + 1;
	if (!s->status)
		bench_alternate(options, WAYS, series, timed, s);
	if (!s->native.fn)
		series[NATIVE].count = 0;
	return s->status;
}

/* The ratio of what each took when nobody else was there. */
static void ratio_row(struct bench_row row, const char *measure, const struct bench_series *over, const struct bench_series *under)
{
	row.measure = measure;
	row.unit = "ratio";
	row.series = (struct bench_series){0};
	if (over->count && under->count)
		bench_table_value(row, bench_series_least(over) / bench_series_least(under));
	else
		bench_table_row(&row);
}

static ptowsp_status subject_run(const struct bench_options *options, const struct bench_chain *chain, uint32_t side)
{
	static const char *const names[WAYS] = {"interpreter, one call", "native, one call", "loops by hand, one call", "loops by hand with the C library's exp, one call"};
	struct subject s = {.chain = chain, .side = side};
	char name[64];
	struct bench_row row = {.benchmark = "kernels", .subject = name, .unit = "ns"};
	struct bench_series series[WAYS] = {{0}};
	ptowsp_status status = subject_make(&s);

	snprintf(name, sizeof(name), "%s %lux%lu", chain->name, (unsigned long)side, (unsigned long)side);
	if (!status)
		status = subject_measure(options, &s, series);
	for (unsigned way = 0; way < WAYS; way++) {
		if (way == LIBRARY && !chain->library)
			continue;
		row.measure = names[way];
		row.series = series[way];
		bench_table_row(&row);
	}
	row.most = 1.2;
	ratio_row(row, "native / loops by hand", &series[NATIVE], &series[BY_HAND]);
	row.most = side > 8 ? 2 : 0;
	row.least = side > 8 ? 0 : 5;
	ratio_row(row, "interpreter / native", &series[INTERPRETER], &series[NATIVE]);
	subject_free(&s);
	return status;
}

int bench_kernel(const struct bench_options *options)
{
	static const uint32_t sides[] = {8, 128};
	const size_t side_count = options->small ? 1 : sizeof(sides) / sizeof(*sides); /* small: the chains on the small tile alone, for a profile */
	ptowsp_status status = PTOWSP_OK;

	if (!options->small && bench_products(options))
		return 1;
	for (unsigned i = 0; i < bench_chains_count && !status; i++)
		for (unsigned k = 0; k < side_count && !status; k++)
			status = subject_run(options, &bench_chains[i], sides[k]);
	if (!status && !options->small)
		bench_flash(options);
	return status ? 1 : 0;
}
