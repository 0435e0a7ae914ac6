/* SPDX-License-Identifier: MIT */
/* bench_kernel.c - one kernel on one tile, everything in cache: the interpreter, beside loops written by hand. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "isa/isa.h"
#include "tools/bench.h"
#include "tools/bench_chains.h"
#include "tools/bench_product.h"

#define TARGET_NS 1e6 /* one repetition lasts about so long: shorter than what a busy system gives to others in between */

/* One chain on one size. */
struct subject {
	const struct bench_chain *chain;
	uint32_t side;
	struct isa_program *program;
	void *scratch;
	float *in, *out;
	uint64_t times;
};

static ptowsp_status interpret(struct subject *s)
{
	const uint64_t count = (uint64_t)s->side * s->side;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_tensor_arg tensors[2] = {{.data = s->in, .access = PTOWSP_READ}, {.data = s->out, .access = PTOWSP_WRITE}};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK), .tensors = tensors, .tensor_count = 2,
				   .tensor_stride = sizeof(*tensors), .block_count = 1};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(out, KERNEL_OUT), .error = &error};
	ptowsp_status status = PTOWSP_OK;

	for (unsigned i = 0; i < 2; i++) {
		tensors[i].rows = tensors[i].column_stride = 1;
		tensors[i].columns = tensors[i].row_stride = count;
		tensors[i].dtype = PTOWSP_F32;
	}
	for (uint64_t i = 0; i < s->times && !status; i++)
		status = isa_run(s->program, &task, &out, s->scratch);
	if (status)
		fprintf(stderr, "ptowsp-bench kernels: %s\n", error.text);
	return status;
}

static ptowsp_status by_hand(struct subject *s)
{
	for (uint64_t i = 0; i < s->times; i++) {
		s->chain->loops(s->out, s->in, s->side, s->side);
		__asm__ volatile("" ::: "memory");
	}
	return PTOWSP_OK;
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
	return s->scratch && s->in && s->out ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

static void subject_free(struct subject *s)
{
	isa_program_destroy(s->program);
	free(s->scratch);
	free(s->in);
	free(s->out);
}

static double timed(struct subject *s, ptowsp_status (*run)(struct subject *s), ptowsp_status *status_out)
{
	const uint64_t began = bench_now_ns();

	*status_out = run(s);
	return (double)(bench_now_ns() - began) / (double)s->times;
}

/* Repetitions alternate, so that a slow moment meets both. */
static ptowsp_status subject_measure(struct subject *s, unsigned reps, struct bench_series *here, struct bench_series *hand)
{
	ptowsp_status status;
	double once;

	s->times = 16;
	once = timed(s, interpret, &status);
	s->times = (uint64_t)(TARGET_NS / (once > 1 ? once : 1)) + 1;
	for (unsigned i = 0; i < reps && !status; i++) {
		bench_series_add(here, timed(s, interpret, &status));
		if (!status)
			bench_series_add(hand, timed(s, by_hand, &status));
	}
	return status;
}

static ptowsp_status subject_run(const struct bench_chain *chain, uint32_t side, unsigned reps)
{
	struct subject s = {.chain = chain, .side = side};
	char name[64];
	struct bench_row row = {.benchmark = "kernels", .subject = name, .unit = "ns"};
	struct bench_series here = {0}, hand = {0};
	ptowsp_status status = subject_make(&s);

	snprintf(name, sizeof(name), "%s %lux%lu", chain->name, (unsigned long)side, (unsigned long)side);
	if (!status)
		status = subject_measure(&s, reps, &here, &hand);
	row.measure = "interpreter, one call";
	row.series = here;
	bench_table_row(&row);
	row.measure = "loops by hand, one call";
	row.series = hand;
	bench_table_row(&row);
	row.measure = "interpreter / loops by hand";
	row.unit = "";
	row.series = (struct bench_series){0};
	if (!status && hand.count)
		bench_table_value(row, bench_series_least(&here) / bench_series_least(&hand)); /* as nobody else is there */
	subject_free(&s);
	return status;
}

int bench_kernel(const struct bench_options *options)
{
	static const uint32_t sides[] = {8, 128};
	ptowsp_status status = PTOWSP_OK;
	double rate;

	if (bench_products(options, &rate))
		return 1;
	for (unsigned i = 0; i < bench_chains_count && !status; i++)
		for (unsigned k = 0; k < sizeof(sides) / sizeof(*sides) && !status; k++)
			status = subject_run(&bench_chains[i], sides[k], options->reps);
	return status ? 1 : 0;
}
