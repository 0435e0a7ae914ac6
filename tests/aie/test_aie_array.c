/* SPDX-License-Identifier: MIT
 * test_aie_array.c - designs that other tools could have written: what they compute, who waits where they stand still; and beside the simulator of emitted designs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptowsp/ids.h"
#include "tests/aie/aie_trial.h"
#include "tests/aie/array_trial.h"
#include "tests/check.h"
#include "tests/draw.h"

static char *array_read(const char *name)
{
	char *text = check_read(check_fmt("%s/tests/aie/arrays/%s.mlir", check_root(), name), NULL);

	REQUIRE(text != NULL);
	return text;
}

/* With 0 and with 8 words in streams: these designs depend on neither. */
static void file_run(struct array_trial *trial, const char *name)
{
	char *text = array_read(name);

	for (trial->buffering = 0; trial->buffering <= 8; trial->buffering += 8) {
		if (!CHECK_INT(array_trial_run(trial, text), PTOWSP_OK))
			CHECK_FAIL("%s: %s", name, trial->error.text);
		aie_sim_finish(&trial->stats);
	}
	free(text);
}

/* ---- what designs compute ----------------------------------------------------------------------------------------- */

static void words_fill(int32_t *words, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++)
		words[i] = (int32_t)draw(&seed, 2001) - 1000;
}

TEST(a_core_adds_to_the_objects_of_its_fifo)
{
	int32_t x[64], y[64];
	struct array_trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};

	words_fill(x, 64, 1);
	file_run(&trial, "add");
	for (int i = 0; i < 64; i++)
		CHECK_INT(y[i], x[i] + 1);
	CHECK_UINT(trial.report.cores, 1);
	CHECK_UINT(trial.report.steps, 3);
}

TEST(a_memory_tile_turns_rows_into_columns)
{
	int32_t x[64], y[64], small[16], turned[16];
	struct array_trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};
	struct array_trial generic = {.in = {MEMORY("arg0", small)}, .out = {MEMORY("arg1", turned)}};

	words_fill(x, 64, 2);
	file_run(&trial, "transpose");
	for (int i = 0; i < 64; i++)
		CHECK_INT(y[i], x[i % 8 * 8 + i / 8]);
	words_fill(small, 16, 3);
	file_run(&generic, "generic");
	for (int i = 0; i < 16; i++)
		CHECK_INT(turned[i], small[i % 4 * 4 + i / 4]);
}

TEST(links_distribute_and_join)
{
	int32_t x[48], y[48];
	struct array_trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};

	words_fill(x, 48, 4);
	file_run(&trial, "link");
	for (int n = 0; n < 3; n++)
		for (int i = 0; i < 8; i++) {
			CHECK_INT(y[16 * n + 8 + i], 2 * x[16 * n + i]);
			CHECK_INT(y[16 * n + i], -x[16 * n + 8 + i]);
		}
}

TEST(packets_go_where_their_numbers_lead)
{
	static const int32_t low[] = {1, 2, 3, 4}, of_a[] = {5, 6, 7, 8}, of_b[] = {9, 9, 9, 9};
	int32_t y[16], found = 0;
	struct array_trial trial = {.out = {MEMORY("arg0", y)}};

	file_run(&trial, "packet");
	CHECK_MEM(y, low, sizeof(low));
	for (int i = 4; i < 16; i += 4) /* packets of two senders come in any order, but whole */
		if (!memcmp(y + i, of_a, sizeof(of_a)))
			found += 1;
		else if (CHECK_MEM(y + i, of_b, sizeof(of_b)))
			found += 10;
	CHECK_INT(found, 21);
}

TEST(branches_and_loops_are_followed)
{
	int32_t x[4] = {3, -2, 7, 1000}, y[4];
	struct array_trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};

	file_run(&trial, "branch");
	for (int i = 0; i < 4; i++)
		CHECK_INT(y[i], 5 * x[i] % 2 ? 10 * x[i] : 5 * x[i]);
}

TEST(what_is_sent_is_padded)
{
	static const int32_t wanted[15] = {0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0};
	int32_t y[15];
	struct array_trial trial = {.out = {MEMORY("arg0", y)}};

	file_run(&trial, "pad");
	CHECK_MEM(y, wanted, sizeof(wanted));
}

TEST(descriptors_go_on_from_time_to_time)
{
	int32_t x[12], y[12];
	struct array_trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};

	words_fill(x, 12, 9);
	file_run(&trial, "rotate");
	for (int i = 0; i < 12; i++)
		CHECK_INT(y[(i + 4) % 12], x[i]);
}

TEST(tasks_iterate_over_the_outermost_of_four_dimensions)
{
	int32_t x[12], y[24];
	struct array_trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};

	words_fill(x, 12, 31);
	file_run(&trial, "iterate");
	for (int i = 0; i < 24; i++) {
		const int come = i / 4 * 2 + i % 2 + (i % 4 / 2 ? 12 : 0); /* the first task takes 12 words */

		CHECK_INT(y[i], come < 12 ? x[come / 4 + come % 4 * 3] : x[8 + come % 4]);
	}
}

TEST(dmas_of_regions_take_turns)
{
	int32_t y[18];
	struct array_trial trial = {.out = {MEMORY("arg0", y)}};

	file_run(&trial, "regions");
	for (int i = 0; i < 18; i++)
		CHECK_INT(y[i], i % 6 == 0 || i % 6 == 5 ? 0 : i / 6 * 4 + i % 6 - 1);
}

TEST(the_host_writes_words_and_locks)
{
	static const int32_t wanted[] = {11, -22, 0, 44};
	int32_t y[4];
	struct array_trial trial = {.out = {MEMORY("arg0", y)}};

	file_run(&trial, "written");
	CHECK_MEM(y, wanted, sizeof(wanted));
	CHECK_UINT(trial.report.ignored, 1);
}

TEST(switches_lead_where_a_router_left_them)
{
	int32_t x[16], y[16], box[8];
	struct array_trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y), MEMORY("box", box)}};

	words_fill(x, 16, 30);
	file_run(&trial, "routed");
	CHECK_MEM(y, x, sizeof(x));
	CHECK_MEM(box, x + 8, sizeof(box));
	CHECK_UINT(trial.report.switches, 4);
}

TEST(sequences_count_by_their_arguments)
{
	for (int n = 1; n <= 5; n++) {
		const struct aie_array_value values[] = {{2, n}};
		int32_t x[8], y[40];
		struct array_trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}, .values = values, .value_count = 1};

		words_fill(x, 8, 20 + (uint64_t)n);
		file_run(&trial, "counted");
		for (int i = 0; i < 40; i++)
			CHECK_INT(y[i], i < 8 * n || (n > 3 && i >= 32) ? x[i % 8] : 0);
	}
}

TEST(binary_locks_are_held_by_one)
{
	int32_t kept[4];
	struct array_trial trial = {.out = {MEMORY("kept", kept)}};

	file_run(&trial, "binary");
	CHECK_INT(kept[0], 377);
	CHECK(!trial.report.host);
	CHECK_STR(trial.report.borrowed, "npu1");
}

static ptowsp_status on_kernel(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const float *x = call->memrefs[0];
	float *y = call->memrefs[1], factor;
	const uint32_t bits = call->function->type->inputs > 2 ? (uint32_t)call->scalars[2] : 0;

	(void)context, (void)error;
	memcpy(&factor, &bits, 4);
	for (int i = 0; i < 8; i++)
		y[i] = !strcmp(call->function->name, "scale") ? factor * x[i] : y[i] + x[i];
	*cycles_out = 40;
	return PTOWSP_OK;
}

TEST(kernels_get_pointers_and_numbers)
{
	float x[8], y[8];
	struct array_trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}, .kernels = {.call = on_kernel}};

	for (int i = 0; i < 8; i++)
		x[i] = (float)i - 3;
	file_run(&trial, "kernel");
	for (int i = 0; i < 8; i++)
		CHECK_NEAR(y[i], 3.5 * x[i], 0);
}

/* ---- beside the simulator of emitted designs ------------------------------------------------------------------------ */

/* Whatever a kernel is called: each argument changes by those before it. */
static ptowsp_status on_mix(void *context, const struct aie_sim_call *call, uint64_t *cycles_out, struct ptowsp_error *error)
{
	const struct aie_type *type = call->function->type;

	(void)context, (void)error;
	for (uint32_t a = 1; a < type->inputs; a++) {
		const uint8_t *from = call->memrefs[a - 1];
		uint8_t *to = call->memrefs[a];
		const uint64_t count = aie_type_bytes(type->parts[a]), before = aie_type_bytes(type->parts[a - 1]);

		for (uint64_t i = 0; i < count; i++)
			to[i] = (uint8_t)(3 * to[i] + from[i % before] + 1);
	}
	*cycles_out = 100;
	return PTOWSP_OK;
}

/* A design of tests/aie/designs, and what its second argument is of the first: factor * (x + more). */
struct both {
	const char *name;
	uint32_t words;
	int32_t factor, more;
};

static void emitted_form_runs(const struct both *design, const char *form)
{
	int32_t in[256], out[256] = {0};
	struct array_trial trial = {
		.in = {{"arg0", in, 4 * design->words}}, .out = {{"arg1", out, 4 * design->words}}, .kernels = {.call = on_mix}, .buffering = 8};
	char *text = check_read(check_fmt("%s/tests/aie/designs/%s.%s", check_root(), design->name, form), NULL);

	REQUIRE(text != NULL);
	words_fill(in, 256, 7);
	CHECK_INT(array_trial_run(&trial, text), PTOWSP_OK);
	CHECK_STR(trial.error.text, "");
	for (uint32_t i = 0; i < design->words; i++)
		CHECK_INT(out[i], design->factor * (in[i] + design->more));
	aie_sim_finish(&trial.stats);
	free(text);
}

TEST(emitted_forms_give_what_the_emitted_design_gives)
{
	static const struct both designs[] = {{"pipe", 256, 5, 3}, {"beside", 128, 1, 0}};
	static const char *const forms[] = {"mlir", "epoch_a", "epoch_b"};

	for (size_t d = 0; d < sizeof(designs) / sizeof(*designs); d++)
		for (size_t f = 0; f < 3; f++)
			emitted_form_runs(&designs[d], forms[f]);
}

/* ---- what stands still ---------------------------------------------------------------------------------------------- */

TEST(a_ring_of_locks_is_told)
{
	struct array_trial trial = {.buffering = 8};
	char *text = array_read("order");

	CHECK_INT(array_trial_run(&trial, text), PTOWSP_DEADLOCK);
	CHECK_STR(trial.error.text, "deadlock in cycle 12, ring of 2: core (0,2) wants 1 of @right, has 0; core (0,3) wants 1 of @left, has 0");
	if (CHECK_UINT(trial.stats.wait_count, 2) && CHECK_UINT(trial.stats.ring_count, 2)) {
		CHECK_STR(trial.stats.waits[0].fifo, "right");
		CHECK_STR(trial.stats.agents[trial.stats.waits[0].other].name, "core (0,3)");
	}
	aie_sim_finish(&trial.stats);
	free(text);
}

TEST(a_host_that_waits_in_vain_is_told)
{
	int32_t y[8];
	struct array_trial trial = {.out = {MEMORY("arg0", y)}, .buffering = 8};
	char *text = array_read("starve");

	CHECK_INT(array_trial_run(&trial, text), PTOWSP_DEADLOCK);
	CHECK_CONTAINS(
		trial.error.text,
		"waits of 3: dma (0,2) MM2S 0 wants 1 of @out, has 0, which nobody releases; host wants a token of dma (0,0) S2MM 0; dma (0,0) S2MM 0 wants "
		"8");
	CHECK_INT(y[0], 7);
	aie_sim_finish(&trial.stats);
	free(text);
}

/* A ring of those who wait behind somebody for whom nobody will ever do anything is no cause; waits without an end count until the end. */
TEST(the_cause_is_told_and_no_ring_behind_it)
{
	struct array_trial trial = {.buffering = 8};
	char *text = array_read("behind");
	uint64_t waited = 0;

	CHECK_INT(array_trial_run(&trial, text), PTOWSP_DEADLOCK);
	CHECK_CONTAINS(trial.error.text, ": dma (0,2) MM2S 0 wants 1 of @never, has 0, which nobody releases; host wants a token of dma (0,0) S2MM 0; ");
	CHECK_UINT(trial.stats.ring_count, 0);
	for (uint32_t i = 0; i < trial.stats.waited_count; i++)
		if (!strcmp(trial.stats.waited[i].lock, "never"))
			waited = trial.stats.waited[i].cycles;
	CHECK_UINT(waited, trial.stats.cycles);
	aie_sim_finish(&trial.stats);
	free(text);
}

TEST(a_packet_that_leads_nowhere_is_told_of_its_sender)
{
	struct array_trial trial = {.buffering = 8};

	CHECK_INT(array_trial_run(
			  &trial,
			  "aie.device(npu1) { %s = aie.tile(0, 0) %t = aie.tile(0, 2) %b = aie.buffer(%t) : memref<4xi32>\n"
			  "aie.packet_flow(1) { aie.packet_source<%t, DMA : 0> aie.packet_dest<%s, DMA : 0> } aie.shim_dma_allocation @out(%s, S2MM, 0)\n"
			  "aie.mem(%t) { aie.dma_start(MM2S, 0, ^a, ^e) ^a: aie.dma_bd(%b : memref<4xi32>) {packet = #aie.packet_info<pkt_type = 0, pkt_id = "
			  "2>}\n"
			  "aie.next_bd ^e ^e: aie.end } aie.runtime_sequence(%y: memref<4xi32>) {\n"
			  "aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<4xi32>\n"
			  "aiex.npu.dma_wait {symbol = @out} } }"),
		  PTOWSP_DEADLOCK);
	CHECK_CONTAINS(trial.error.text, "dma (0,2) MM2S 0 has 4 words for @(0,2) MM2S 0, of which 0 went, which lead nowhere");
	aie_sim_finish(&trial.stats);
}

/* Two tasks take turns on one channel by the numbers of their packets. The first one's words are taken one by one, and all but the first only when the second one's are there: as many
 * as a stream holds may stand before it. */
static ptowsp_status queued_run(uint32_t words, uint32_t buffering)
{
	struct array_trial trial = {.buffering = buffering};
	ptowsp_status status;

	status = array_trial_run(
		&trial,
		check_fmt(
			"aie.device(npu2_1col) { %%s = aie.tile(0, 0) %%t = aie.tile(0, 2) %%a = aie.buffer(%%t) : memref<1xi32> %%b = aie.buffer(%%t) : "
			"memref<4xi32>\n"
			"%%room = aie.lock(%%t, 0) {init = 1 : i32} %%full = aie.lock(%%t, 1) %%come = aie.lock(%%t, 2) %%done = aie.lock(%%t, 3)\n"
			"aie.shim_dma_allocation @to_a(%%s, MM2S, 0, <pkt_id = 0>) aie.shim_dma_allocation @to_b(%%s, MM2S, 0, <pkt_type = 0, pkt_id = 1>)\n"
			"aie.packet_flow(0) { aie.packet_source<%%s, DMA : 0> aie.packet_dest<%%t, DMA : 0> }\n"
			"aie.packet_flow(1) { aie.packet_source<%%s, DMA : 0> aie.packet_dest<%%t, DMA : 1> }\n"
			"aie.mem(%%t) { aie.dma_start(S2MM, 0, ^a, ^n) ^a: aie.use_lock(%%room, AcquireGreaterEqual, 1) aie.dma_bd(%%a : memref<1xi32>)\n"
			"aie.use_lock(%%full, Release, 1) aie.next_bd ^a ^n: aie.dma_start(S2MM, 1, ^b, ^e) ^b: aie.dma_bd(%%b : memref<4xi32>)\n"
			"aie.use_lock(%%come, Release, 1) aie.next_bd ^b ^e: aie.end }\n"
			"aie.core(%%t) { %%c0 = arith.constant 0 : index %%c1 = arith.constant 1 : index %%n = arith.constant %u : index\n"
			"aie.use_lock(%%come, AcquireGreaterEqual, 1) scf.for %%i = %%c0 to %%n step %%c1 { aie.use_lock(%%full, AcquireGreaterEqual, 1)\n"
			"aie.use_lock(%%room, Release, 1) } aie.end }\n"
			"aie.runtime_sequence(%%x: memref<%uxi32>, %%y: memref<4xi32>) {\n"
			"aiex.npu.dma_memcpy_nd(%%x[0, 0, 0, 0][1, 1, 1, %u][0, 0, 0, 1]) {id = 0 : i64, metadata = @to_a, issue_token = true} : "
			"memref<%uxi32>\n"
			"aiex.npu.dma_memcpy_nd(%%y[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 1 : i64, metadata = @to_b, issue_token = true} : memref<4xi32>\n"
			"aiex.npu.dma_wait {symbol = @to_a} aiex.npu.dma_wait {symbol = @to_b} } }",
			words, words, words, words));
	aie_sim_finish(&trial.stats);
	return status;
}

TEST(what_stands_in_a_stream_holds_up_what_comes_behind)
{
	for (uint32_t buffering = 0; buffering <= 8; buffering++) {
		CHECK_INT(queued_run(1 + buffering, buffering), PTOWSP_OK);
		CHECK_INT(queued_run(2 + buffering, buffering), PTOWSP_DEADLOCK);
	}
}
