/* SPDX-License-Identifier: MIT
 * test_aie_published.c - the model of AMD's arrays beside figures that were published. Sources: independent, no constant of the model comes from the figure; same source,
 * constants come from the same measurements; fit, a constant was chosen to meet it. */
#include <stdlib.h>
#include <string.h>

#include "aie/sim/aie_cost.h"
#include "isa/opcode.h"
#include "ptowsp/ids.h"
#include "ptowsp/tile.h"
#include "tests/aie/aie_design.h"
#include "tests/aie/aie_written.h"
#include "tests/check.h"
#include "tests/isa/tile_random.h"

enum source { INDEPENDENT, SAME, FIT };

/* A model is wrong by at most so many percent of the figure; a constant that was chosen to meet it shows nothing, so such a row is only printed. PTOWSP_POINTS prints all rows. */
static void point(const char *name, enum source source, double model, double published, double percent)
{
	static const char *const sources[] = {"independent", "same source", "fit"};
	const double error = 100 * (model - published) / published;

	if (getenv("PTOWSP_POINTS"))
		printf("| %s | %s | %.1f | %.1f | %+.0f %% |\n", name, sources[source], model, published, error);
	if (source != FIT && (error < -percent || error > percent))
		CHECK_FAIL("%s: %.1f by the model, %.1f published: %.1f %% apart, more than %.1f %%", name, model, published, error, percent);
}

/* @mm, on tiles of 64 x 64. */
static ptowsp_status kernel_call(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const uint32_t *dtype = context;

	(void)call, (void)error;
	*cycles_out = aie_cost_call(aie_cost_matmul(aie_arch_named("npu1"), *dtype, 64, 64, 64));
	return PTOWSP_OK;
}

/* Runs a design and takes its text; false: a check failed. */
static bool run(char *text, uint32_t dtype, struct aie_sim_stats *stats)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct aie_whole whole;
	ptowsp_status status = aie_whole_read(&whole, text, &error);
	uint64_t most = 1;
	void *memory, *arguments[4];

	free(text);
	for (uint32_t i = 0; !status && i < whole.design.argument_count; i++)
		most = aie_type_bytes(whole.design.arguments[i]) > most ? aie_type_bytes(whole.design.arguments[i]) : most;
	memory = calloc(most, 1);
	for (size_t i = 0; i < 4; i++)
		arguments[i] = memory;
	if (!status)
		status = aie_sim_run(&(struct aie_sim_args){.design = &whole.design,
							    .routes = &whole.routes,
							    .arguments = arguments,
							    .polls = true,
							    .kernels = {.context = &dtype, .call = kernel_call}},
				     stats, &error);
	if (status)
		CHECK_FAIL("%s", error.text);
	aie_whole_finish(&whole);
	free(memory);
	return status == PTOWSP_OK;
}

static double cycles_of(char *text, uint32_t dtype)
{
	struct aie_sim_stats stats = {0};
	const double cycles = run(text, dtype, &stats) ? (double)stats.cycles : 0;

	aie_sim_finish(&stats);
	return cycles;
}

/* Cycles that an agent was busy. */
static double busy_of(char *text, const char *agent)
{
	struct aie_sim_stats stats = {0};
	double busy = 0;

	if (run(text, 0, &stats))
		for (uint32_t i = 0; i < stats.agent_count; i++)
			if (!strcmp(stats.agents[i].name, agent))
				busy = (double)stats.agents[i].busy;
	aie_sim_finish(&stats);
	return busy;
}

/* Percent of peak of a step more. */
static double gemm_peak(const char *element, uint32_t dtype)
{
	const double ideal = 64.0 * 64 * 64 / aie_arch_macs(aie_arch_named("npu1"), dtype);

	return 100 * ideal * 16 / (cycles_of(aie_design_gemm(24, element), dtype) - cycles_of(aie_design_gemm(8, element), dtype));
}

/* VCK190 (AIE1): 530 and 4437 +- 154; programming guide 4c: about 12000 and 72 to 78; mlir-aie #2735 and Dato: 75, 61.6, and about 50; mlir-aie #2559: 66.6, where the array's rate is that of
 * IRON #195; tnzr.org/xdna: 398. */
TEST(cycles_are_near_published_ones)
{
	const struct aie_arch *npu2 = aie_arch_named("npu2");
	struct aie_sim_stats stats = {0};

	point("tile to tile, 512 words, cycles", INDEPENDENT, (double)aie_cost_transfer(512, 2), 530, 1);
	point("DDR to a core, 4,096 words, warm channel, cycles", INDEPENDENT,
	      cycles_of(aie_design_ddr(true, 5, 4096), 0) - cycles_of(aie_design_ddr(true, 4, 4096), 0), 4437, 1);
	point("body in MLIR, scalar loop over 1,024 i16, cycles", INDEPENDENT, cycles_of(aie_design_scalar(1), 0), 12000, 12);
	point("emitted C, 1,024 i16 by a scalar, cycles", INDEPENDENT,
	      (double)(aie_cost_scalar(PTOWSP_PTO_TLOAD, PTOWSP_I16, 1024) + aie_cost_scalar(PTOWSP_PTO_TMULS, PTOWSP_I16, 1024) +
		       aie_cost_scalar(PTOWSP_PTO_TSTORE, PTOWSP_I16, 1024)),
	      12000, 20);
	point("vector kernel, 1,024 i16 by a scalar, cycles", SAME, (double)aie_cost_vector(2048, 2048, 0, 0), 75, 2);
	point("npu2, one core, product of bf16, GFLOP/s", INDEPENDENT,
	      2e-9 * (double)npu2->clock_hz * 64 * 64 * 64 / (double)aie_cost_matmul(npu2, PTOWSP_BF16, 64, 64, 64), 398, 8);
	point("npu1, 16 cores, 64 x 64 x 64 i16, % of peak", INDEPENDENT, gemm_peak("i16", PTOWSP_I16), 75, 6);
	point("npu1, 16 cores, 64 x 64 x 64 i8, % of peak", INDEPENDENT, gemm_peak("i8", PTOWSP_I8), 61.6, 25);
	point("npu1, 16 cores, 64 x 64 x 64 bf16, % of peak", FIT, gemm_peak("bf16", PTOWSP_BF16), 50, 0);
	if (run(aie_design_copy(1 << 21), 0, &stats))
		point("npu2, copy of 64 MiB on 8 columns, GB/s", INDEPENDENT, (double)stats.ddr_bytes / (double)stats.cycles * (double)npu2->clock_hz / 1e9,
		      66.6, 1);
	aie_sim_finish(&stats);
}

/* Cycles of a first task by its words, of xdna-emu on Phoenix; constants come from the same measurements. */
TEST(first_tasks_of_shims_are_near_measured_ones)
{
	static const struct {
		uint32_t words;
		double in, out;
		double in_percent, out_percent; /* their sizes do not lie on a line, the model's do */
	} points[] = {{64, 1741, 696, 1, 16},   {1024, 1247, 1187, 116, 31}, {2048, 3421, 2217, 9, 17},
		      {4096, 5304, 4261, 9, 9}, {8192, 9121, 8357, 9, 5},    {16384, 17963, 16525, 1, 3}};

	for (size_t i = 0; i < sizeof(points) / sizeof(*points); i++) {
		point(check_fmt("shim MM2S, first task, %u words, cycles", points[i].words), SAME,
		      busy_of(aie_design_ddr(true, 1, points[i].words), "dma (0,0) MM2S 0"), points[i].in, points[i].in_percent);
		point(check_fmt("shim S2MM, first task, %u words, cycles", points[i].words), SAME,
		      busy_of(aie_design_ddr(false, 1, points[i].words), "dma (0,0) S2MM 0"), points[i].out, points[i].out_percent);
	}
}

/* Operations on tiles, each on the element types of its keys (pto_ops.def), as emitted. */
TEST(each_operation_on_each_type_has_a_figure)
{
	for (unsigned code = 0; code < 256; code++) {
		const struct isa_op *op = isa_op(code);

		if (!op || op->cost == ISA_COST_ZERO)
			continue;
		for (const unsigned *dtype = tile_dtypes; dtype < tile_dtypes + TILE_TYPES; dtype++) {
			const char key = *dtype == PTOWSP_BOOL ? 'b' : cell_is_float(*dtype) ? 'f' : 'i';

			if (!strchr(op->keys, key) != !aie_cost_scalar((uint8_t)code, *dtype, 100))
				CHECK_FAIL("%s on type %u: the table has %llu", op->mnemonic, *dtype,
					   (unsigned long long)aie_cost_scalar((uint8_t)code, *dtype, 100));
		}
	}
}
