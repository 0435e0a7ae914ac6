/* SPDX-License-Identifier: MIT */
/* aie.c - the simulator of AMD's arrays: events per second, and the model beside published figures. "independent": no constant of the model comes from the figure;
 * "same source": constants come from the same measurements; "FIT": a constant was chosen to meet it. */
#include <stdlib.h>
#include <string.h>
#include "aie/aie_cost.h"
#include "ptowsp/ids.h"
#include "tools/bench/aie_written.h"
#include "tools/bench/bench.h"
#include "tools/bench/aie.h"

/* A design and what it runs on; its kernels only take their time. */
struct ran {
	struct aie_whole whole;
	struct aie_sim_stats stats;
	void *memory;
	void *arguments[4];
	uint32_t dtype;
};

static struct bench_row row_of(const char *subject, const char *measure, const char *unit)
{
	return (struct bench_row){.benchmark = "aie", .subject = subject, .measure = measure, .unit = unit};
}

/* @mm, on tiles of 64 x 64. */
static ptowsp_status kernel_call(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const struct ran *ran = context;

	(void)call, (void)error;
	*cycles_out = aie_cost_call(aie_cost_matmul(ran->whole.design.arch, ran->dtype, 64, 64, 64));
	return PTOWSP_OK;
}

/* Takes the text. */
static ptowsp_status ran_make(struct ran *ran, char *text, struct ptowsp_error *error)
{
	uint64_t most = 1;
	ptowsp_status st = text ? aie_whole_read(&ran->whole, text, error) : PTOWSP_NO_MEMORY;

	free(text);
	for (uint32_t i = 0; !st && i < ran->whole.design.argument_count; i++)
		most = aie_type_bytes(ran->whole.design.arguments[i]) > most ? aie_type_bytes(ran->whole.design.arguments[i]) : most;
	ran->memory = st ? NULL : calloc(most, 1);
	for (size_t i = 0; i < sizeof(ran->arguments) / sizeof(*ran->arguments); i++)
		ran->arguments[i] = ran->memory;
	return st || ran->memory ? st : PTOWSP_NO_MEMORY;
}

static ptowsp_status ran_run(struct ran *ran, struct ptowsp_error *error)
{
	const struct aie_sim_args args = {.design = &ran->whole.design, .routes = &ran->whole.routes, .arguments = ran->arguments, .kernels = {.context = ran, .call = kernel_call}};

	aie_sim_finish(&ran->stats);
	return aie_sim_run(&args, &ran->stats, error);
}

static void ran_finish(struct ran *ran)
{
	aie_sim_finish(&ran->stats);
	aie_whole_finish(&ran->whole);
	free(ran->memory);
}

/* ---- speed -------------------------------------------------------------------------------------------------------- */

static int events_per_us(void *context, double *value_out, struct ptowsp_error *error)
{
	struct ran *ran = context;
	const uint64_t begin = bench_now_ns();
	int st = ran_run(ran, error);

	*value_out = (double)ran->stats.events * 1000.0 / (double)(bench_now_ns() - begin);
	return st;
}

enum { SCALAR_TURNS = 2000, SCALAR_INSTRUCTIONS = 4 * 1024, PRODUCT_TURNS = 200, PRODUCT_SUMS = 32 * 32 * 32 };

static int instructions_per_us(void *context, double *value_out, struct ptowsp_error *error)
{
	const uint64_t begin = bench_now_ns();
	int st = ran_run(context, error);

	*value_out = (double)SCALAR_TURNS * SCALAR_INSTRUCTIONS * 1000.0 / (double)(bench_now_ns() - begin);
	return st;
}

static int sums_per_us(void *context, double *value_out, struct ptowsp_error *error)
{
	const uint64_t begin = bench_now_ns();
	int st = ran_run(context, error);

	*value_out = (double)PRODUCT_TURNS * PRODUCT_SUMS * 1000.0 / (double)(bench_now_ns() - begin);
	return st;
}

static ptowsp_status speed(const struct bench_options *options, struct bench_row row, char *text, int (*measure)(void *, double *, struct ptowsp_error *), struct ptowsp_error *error)
{
	struct ran ran = {.whole = {.routes = {0}}};
	ptowsp_status st = ran_make(&ran, text, error);

	bench_table_progress(row.subject, row.measure);
	if (!st)
		st = bench_measure(options, 1, &row.series, measure, &ran, error);
	if (!st)
		bench_table_row(&row);
	ran_finish(&ran);
	return st;
}

static ptowsp_status speeds(const struct bench_options *options, struct ptowsp_error *error)
{
	const uint32_t objects = options->small ? 500 : 20000;
	struct bench_row row = row_of("32 cores in 8 chains, DMAs between", "events", "million/s");
	ptowsp_status st;

	row.least = 5;
	st = speed(options, row, bench_aie_chains(objects, true), events_per_us, error);
	row.subject = "32 cores in 8 chains, shared memory";
	if (!st)
		st = speed(options, row, bench_aie_chains(objects, false), events_per_us, error);
	row = row_of("a scalar loop of a core", "instructions", "million/s");
	if (!st)
		st = speed(options, row, bench_aie_scalar(SCALAR_TURNS), instructions_per_us, error);
	row = row_of("a product of 32 x 32 x 32 f32 in a core", "products and sums", "million/s");
	return st ? st : speed(options, row, bench_aie_product(PRODUCT_TURNS), sums_per_us, error);
}

/* ---- the model beside published figures --------------------------------------------------------------------------- */

static void point(const char *subject, const char *unit, double model, double published, const char *sort, const char *reference)
{
	struct bench_row row = row_of(subject, "by the model, not measured", unit);

	row.reference = reference;
	bench_table_value(row, model);
	row = row_of(subject, sort, "%");
	bench_table_value(row, 100.0 * (model - published) / published);
}

/* Cycles of a design; busy: those that an agent was busy. */
static ptowsp_status cycles_of(char *text, uint32_t dtype, const char *busy, double *cycles_out, double *bytes_out, struct ptowsp_error *error)
{
	struct ran ran = {.dtype = dtype};
	ptowsp_status st = ran_make(&ran, text, error);

	if (!st)
		st = ran_run(&ran, error);
	*cycles_out = (double)ran.stats.cycles;
	if (bytes_out)
		*bytes_out = (double)ran.stats.ddr_bytes;
	for (uint32_t i = 0; busy && i < ran.stats.agent_count; i++)
		if (!strcmp(ran.stats.agents[i].name, busy))
			*cycles_out = (double)ran.stats.agents[i].busy;
	ran_finish(&ran);
	return st;
}

static const struct shim_point {
	uint32_t words;
	double in, out;
	const char *in_text, *out_text, *in_reference, *out_reference;
} shim_points[] = {
#define SHIM(words, in, out) {words, in, out, "shim MM2S, first task, " #words " words", "shim S2MM, first task, " #words " words", #in " (xdna-emu, Phoenix)", #out " (xdna-emu, Phoenix)"}
	SHIM(64, 1741, 696), SHIM(1024, 1247, 1187), SHIM(2048, 3421, 2217), SHIM(4096, 5304, 4261), SHIM(8192, 9121, 8357), SHIM(16384, 17963, 16525),
#undef SHIM
};

static ptowsp_status shims(struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_OK;

	for (size_t i = 0; !st && i < sizeof(shim_points) / sizeof(*shim_points); i++) {
		const struct shim_point *p = &shim_points[i];
		double cycles;

		st = cycles_of(bench_aie_ddr(true, 1, p->words), 0, "dma (0,0) MM2S 0", &cycles, NULL, error);
		if (!st)
			point(p->in_text, "cycles", cycles, p->in, "error, same source", p->in_reference);
		if (!st)
			st = cycles_of(bench_aie_ddr(false, 1, p->words), 0, "dma (0,0) S2MM 0", &cycles, NULL, error);
		if (!st)
			point(p->out_text, "cycles", cycles, p->out, "error, same source", p->out_reference);
	}
	return st;
}

/* A task more of 4096 words. */
static ptowsp_status ddr_point(struct ptowsp_error *error)
{
	double few, more = 0;
	ptowsp_status st = cycles_of(bench_aie_ddr(true, 4, 4096), 0, NULL, &few, NULL, error);

	if (!st)
		st = cycles_of(bench_aie_ddr(true, 5, 4096), 0, NULL, &more, NULL, error);
	if (!st)
		point("DDR to a core, 4096 words, warm channel", "cycles", more - few, 4437, "error, independent", "4437 +- 154 (VCK190, AIE1)");
	return st;
}

static ptowsp_status scalar_point(struct ptowsp_error *error)
{
	double cycles = 0;
	ptowsp_status st = cycles_of(bench_aie_scalar(1), 0, NULL, &cycles, NULL, error);

	if (!st)
		point("scalar loop over 1024 elements", "cycles", cycles, 12000, "error, independent", "about 12000 (programming guide 4c)");
	return st;
}

/* % of peak in a step more. */
static ptowsp_status gemm_point(const char *subject, const char *element, uint32_t dtype, double published, const char *sort, const char *reference, struct ptowsp_error *error)
{
	const double ideal = 64.0 * 64 * 64 / aie_arch_macs(aie_arch_named("npu1"), dtype);
	double few, more = 0;
	ptowsp_status st = cycles_of(bench_aie_gemm(8, element), dtype, NULL, &few, NULL, error);

	if (!st)
		st = cycles_of(bench_aie_gemm(24, element), dtype, NULL, &more, NULL, error);
	if (!st)
		point(subject, "% of peak", 100.0 * ideal * 16 / (more - few), published, sort, reference);
	return st;
}

static ptowsp_status copy_point(struct ptowsp_error *error)
{
	double cycles = 1, bytes = 0;
	ptowsp_status st = cycles_of(bench_aie_copy(1 << 21), 0, NULL, &cycles, &bytes, error);

	if (!st)
		point("npu2, copy of 64 MiB on 8 columns", "GB/s", bytes / cycles * (double)aie_arch_named("npu2")->clock_hz / 1e9, 66.6, "error, FIT",
		      "66.6 in and out (mlir-aie #2559)");
	return st;
}

static ptowsp_status points(struct ptowsp_error *error)
{
	ptowsp_status st;

	point("tile to tile, 512 words", "cycles", (double)aie_cost_transfer(512, 2), 530, "error, independent", "530 (VCK190, AIE1)");
	st = ddr_point(error);
	if (!st)
		st = scalar_point(error);
	point("vector kernel, 1024 i16 scaled", "cycles", (double)aie_cost_vector(2048, 2048, 0, 0), 75, "error, same source", "72 to 78 (programming guide 4c)");
	if (!st)
		st = gemm_point("npu1, 16 cores, 64 x 64 x 64 i16", "i16", PTOWSP_I16, 75, "error, independent", "about 75 (mlir-aie #2735, Dato)", error);
	if (!st)
		st = gemm_point("npu1, 16 cores, 64 x 64 x 64 bf16", "bf16", PTOWSP_BF16, 50, "error, FIT", "about 50 (mlir-aie #2735), 47.6 (Dato)", error);
	if (!st)
		st = copy_point(error);
	return st ? st : shims(error);
}

int bench_aie(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	ptowsp_status st = speeds(options, &error);

	if (!st && (bench_aie_array(options) || bench_aie_package(options)))
		return 1;
	if (!st)
		st = points(&error);
	if (st)
		fprintf(stderr, "ptowsp-bench: aie: %s\n", error.text[0] ? error.text : "out of memory");
	return st ? 1 : 0;
}
