/* SPDX-License-Identifier: MIT
 * test_aie_array.c - designs that other tools could have written: what they compute, who waits where they stand still, what is refused; beside the simulator of emitted
 * designs; and ptowsp-aie, by which users run them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/array/array.h"
#include "ptowsp/ids.h"
#include "registry/npy.h"
#include "tests/aie/aie_trial.h"
#include "tests/check.h"
#include "tests/contract/cli.h"
#include "tests/draw.h"

/* ---- running a text ----------------------------------------------------------------------------------------------- */

enum { MEMORIES = 8 };
struct trial {
	/* Filled before the run, by name; kept behind it. */
	struct content {
		const char *name;
		void *bytes;
		size_t size;
	} in[MEMORIES], out[MEMORIES];
	const char *arch;
	const struct aie_array_value *values;
	uint32_t value_count;
	struct aie_sim_kernels kernels;
	uint32_t buffering, number;
	const volatile uint32_t *cancel;
	struct aie_array_report report;
	struct aie_sim_stats stats;
	struct ptowsp_error error;
};

static ptowsp_status on_memories(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error)
{
	struct trial *trial = context;
	struct content *wanted = ran ? trial->out : trial->in;

	(void)error;
	for (uint32_t w = 0; w < MEMORIES && wanted[w].name; w++) {
		bool met = false;

		for (uint32_t i = 0; i < count; i++) {
			if (strcmp(memories[i].name, wanted[w].name) != 0)
				continue;
			met = CHECK_UINT(memories[i].size, wanted[w].size);
			memcpy(ran ? wanted[w].bytes : memories[i].bytes, ran ? memories[i].bytes : wanted[w].bytes, wanted[w].size);
		}
		if (!met)
			CHECK_FAIL("there is no memory %s", wanted[w].name);
	}
	return PTOWSP_OK;
}

static ptowsp_status trial_run(struct trial *trial, const char *text)
{
	struct aie_module module = {0};
	struct aie_array_device device;
	struct aie_array_args args = {.module = &module,
				      .device = &device,
				      .arch = trial->arch,
				      .values = trial->values,
				      .value_count = trial->value_count,
				      .kernels = trial->kernels,
				      .buffering = trial->buffering,
				      .max_events = 1000000,
				      .cancel = trial->cancel,
				      .memories = on_memories,
				      .memories_context = trial};
	ptowsp_status status;

	trial->error = (struct ptowsp_error){.head = PTOWSP_HEAD(trial->error, ERROR)};
	status = aie_module_read(&module, text, strlen(text), &trial->error);
	if (!status && !CHECK(aie_array_device_find(&module, trial->number, &device)))
		status = PTOWSP_INVALID;
	if (!status)
		status = aie_array_run(&args, &trial->report, &trial->stats, &trial->error);
	aie_module_finish(&module);
	return status;
}

static char *array_read(const char *name)
{
	char *text = check_read(check_fmt("%s/tests/aie/arrays/%s.mlir", check_root(), name), NULL);

	REQUIRE(text != NULL);
	return text;
}

/* With 0 and with 8 words in streams: these designs depend on neither. */
static void file_run(struct trial *trial, const char *name)
{
	char *text = array_read(name);

	for (trial->buffering = 0; trial->buffering <= 8; trial->buffering += 8) {
		if (!CHECK_INT(trial_run(trial, text), PTOWSP_OK))
			CHECK_FAIL("%s: %s", name, trial->error.text);
		aie_sim_finish(&trial->stats);
	}
	free(text);
}

#define MEMORY(of, array)                                                                                                                                      \
	{                                                                                                                                                      \
		of, array, sizeof(array)                                                                                                                       \
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
	struct trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};

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
	struct trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};
	struct trial generic = {.in = {MEMORY("arg0", small)}, .out = {MEMORY("arg1", turned)}};

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
	struct trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};

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
	struct trial trial = {.out = {MEMORY("arg0", y)}};

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
	struct trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};

	file_run(&trial, "branch");
	for (int i = 0; i < 4; i++)
		CHECK_INT(y[i], 5 * x[i] % 2 ? 10 * x[i] : 5 * x[i]);
}

TEST(what_is_sent_is_padded)
{
	static const int32_t wanted[15] = {0, 0, 0, 0, 0, 0, 1, 2, 3, 0, 0, 4, 5, 6, 0};
	int32_t y[15];
	struct trial trial = {.out = {MEMORY("arg0", y)}};

	file_run(&trial, "pad");
	CHECK_MEM(y, wanted, sizeof(wanted));
}

TEST(descriptors_go_on_from_time_to_time)
{
	int32_t x[12], y[12];
	struct trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};

	words_fill(x, 12, 9);
	file_run(&trial, "rotate");
	for (int i = 0; i < 12; i++)
		CHECK_INT(y[(i + 4) % 12], x[i]);
}

TEST(tasks_iterate_over_the_outermost_of_four_dimensions)
{
	int32_t x[12], y[24];
	struct trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}};

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
	struct trial trial = {.out = {MEMORY("arg0", y)}};

	file_run(&trial, "regions");
	for (int i = 0; i < 18; i++)
		CHECK_INT(y[i], i % 6 == 0 || i % 6 == 5 ? 0 : i / 6 * 4 + i % 6 - 1);
}

TEST(the_host_writes_words_and_locks)
{
	static const int32_t wanted[] = {11, -22, 0, 44};
	int32_t y[4];
	struct trial trial = {.out = {MEMORY("arg0", y)}};

	file_run(&trial, "written");
	CHECK_MEM(y, wanted, sizeof(wanted));
	CHECK_UINT(trial.report.ignored, 1);
}

TEST(switches_lead_where_a_router_left_them)
{
	int32_t x[16], y[16], box[8];
	struct trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y), MEMORY("box", box)}};

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
		struct trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}, .values = values, .value_count = 1};

		words_fill(x, 8, 20 + (uint64_t)n);
		file_run(&trial, "counted");
		for (int i = 0; i < 40; i++)
			CHECK_INT(y[i], i < 8 * n || (n > 3 && i >= 32) ? x[i % 8] : 0);
	}
}

TEST(binary_locks_are_held_by_one)
{
	int32_t kept[4];
	struct trial trial = {.out = {MEMORY("kept", kept)}};

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
	struct trial trial = {.in = {MEMORY("arg0", x)}, .out = {MEMORY("arg1", y)}, .kernels = {.call = on_kernel}};

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
	struct trial trial = {.in = {{"arg0", in, 4 * design->words}}, .out = {{"arg1", out, 4 * design->words}}, .kernels = {.call = on_mix}, .buffering = 8};
	char *text = check_read(check_fmt("%s/tests/aie/designs/%s.%s", check_root(), design->name, form), NULL);

	REQUIRE(text != NULL);
	words_fill(in, 256, 7);
	CHECK_INT(trial_run(&trial, text), PTOWSP_OK);
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
	struct trial trial = {.buffering = 8};
	char *text = array_read("order");

	CHECK_INT(trial_run(&trial, text), PTOWSP_DEADLOCK);
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
	struct trial trial = {.out = {MEMORY("arg0", y)}, .buffering = 8};
	char *text = array_read("starve");

	CHECK_INT(trial_run(&trial, text), PTOWSP_DEADLOCK);
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
	struct trial trial = {.buffering = 8};
	char *text = array_read("behind");
	uint64_t waited = 0;

	CHECK_INT(trial_run(&trial, text), PTOWSP_DEADLOCK);
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
	struct trial trial = {.buffering = 8};

	CHECK_INT(
		trial_run(&trial,
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
	struct trial trial = {.buffering = buffering};
	ptowsp_status status;

	status = trial_run(
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

/* ---- what is refused ------------------------------------------------------------------------------------------------ */

static const struct refusal {
	const char *body, *sentence;
	ptowsp_status status;
} refusals[] = {
	{"%t = aie.tile(4, 2)", "line 1: aie.tile: tile (4,2) lies outside of npu1, which has 4 columns and 6 rows", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %b = aie.buffer(%t) : memref<16385xi32>", "line 1: aie.buffer: with it tile (0,2) needs 65540 bytes of memory, of 65536",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 0) %b = aie.buffer(%t) : memref<1xi32>", "line 1: aie.buffer: it needs memory of tile (0,0), a shim, which has none",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.core(%t) { aie.end } aie.core(%t) { aie.end }", "line 1: aie.core: tile (0,2) has a core already, in line 1; leave one",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) aie.core(%t) { aie.end }", "line 1: aie.core: a core on tile (0,1), a memory tile; put it on a core tile", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %a = aie.buffer(%t) {sym_name = \"a\"} : memref<1xi32> %b = aie.buffer(%t) {sym_name = \"a\"} : memref<1xi32>",
	 "line 1: aie.buffer: 'a' is the name of the buffer in line 1; give each its own", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) {frobnicate}", "line 1: aie.tile: attribute 'frobnicate' has no model here, or is misspelt; leave it out", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 1 : i32) {aie_stream = 1 : i32} : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: attribute 'aie_stream' has no model here, or is misspelt; leave it out", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 1 : i32) {plio = true} : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: attribute 'plio' has no model here, or is misspelt; leave it out", PTOWSP_UNSUPPORTED},
	{"%s = aie.tile(0, 0) %t = aie.tile(0, 2) aie.objectfifo @a(%s, {%t}, 1 : i32) {disable_synchronization = true} : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: attribute 'disable_synchronization' of a fifo that DMAs move has no model here: they would run freely", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 2) aie.packet_flow(32) { aie.packet_source<%t, DMA : 0> aie.packet_dest<%t, DMA : 0> }",
	 "line 1: aie.packet_flow: packet 32, whose number is a field of 5 bits; use 0 to 31", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t, 0) {init = 60 : i32, sym_name = \"l\"} aie.core(%t) { aie.use_lock(%l, Release, 4) aie.end }",
	 "lock 'l' has 60 and is given 4 more, and counts to 63; give less, or take before", PTOWSP_KERNEL_FAILED},
	{"%t = aie.tile(0, 2) aie.core(%t) { %m = memref.alloc() : memref<1073741824xi32> aie.end }",
	 "line 1: memref.alloc of 4294967296 bytes, more than all memory of a core and its neighbours, 262144; take less", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %b = aie.buffer(%t) : memref<2x4xi32> aie.core(%t) { %c1 = arith.constant 1 : index %c4 = arith.constant 4 : index "
	 "%v = memref.load %b[%c1, %c4] : memref<2x4xi32> aie.end }",
	 "line 1: core (0,2) loads from outside of a memref: index 1 is 4, expected 0 to 3", PTOWSP_KERNEL_FAILED},
	{"%t = aie.tile(0, 2) aie.core(%t) { %g = memref.get_global @g : memref<4xi32> aie.end }",
	 "line 1: memref.get_global has no model in a core; write it by others of arith, memref and scf, or call a kernel", PTOWSP_UNSUPPORTED},
	/* tasks: how often, how long */
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 8) aie.end } {repeat_count = 256 : i32} }",
	 "line 1: aiex.dma_configure_task_for: a repeat_count of 256; a channel does a task 0 to 255 times more", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 32, [<size = 4, stride = 8>, <size = 1, stride = 0>, <size = 1, stride = 0>, <size = 8, stride = 1>]) aie.end } }",
	 "line 1: aie.dma_bd: a length of 32, and the inner three of its four dimensions have 8 elements; say that, and by the task's repeat_count how often "
	 "the "
	 "outermost goes on",
	 PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 16, [<size = 4, stride = 8>, <size = 8, stride = 1>]) aie.end } }",
	 "line 1: aie.dma_bd: a length of 16, and its dimensions have 32 elements; say that", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 8, [<size = 5, stride = 8>, <size = 1, stride = 0>, <size = 1, stride = 0>, <size = 8, stride = 1>]) aie.end } }",
	 "line 1: aie.dma_bd: it reaches from byte 128 to 160 of memory of 128; stay within", PTOWSP_INVALID},
	{"%s = aie.tile(0, 0) %t = aie.tile(0, 2) aie.objectfifo @a(%s, {%t}, 1 : i32) : !aie.objectfifo<memref<1xi32>> aie.objectfifo @b(%t, {%s}, 1 : i32) : "
	 "!aie.objectfifo<memref<1xi32>> aie.objectfifo.link [@a] -> [@b]([] [1])",
	 "line 1: aie.objectfifo.link: a link of 1 fifos to 1 has 0 offsets before and 1 behind; give one for each of several and none, or 0 on one side, for "
	 "one "
	 "and one, or none at all",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %a = aie.lock(%t, 3) %b = aie.lock(%t, 3)", "line 1: aie.lock: lock 3 of tile (0,2) stands twice", PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) aie.memtile_dma(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%t : index) aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: it moves what is no buffer and no argument of the sequence", PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) %m = aie.buffer(%t) : memref<8xi32> aie.memtile_dma(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : memref<8xi32>, 4, "
	 "5) "
	 "aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: it reaches from byte 16 to 36 of memory of 32; stay within", PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) %m = aie.buffer(%t) : memref<8xi8> aie.memtile_dma(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : memref<8xi8>, 0, 6) "
	 "aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: it moves 6 bytes, which is no number of words", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 1) %m = aie.buffer(%t) : memref<8xi32> aie.memtile_dma(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : memref<8xi32>, 0, "
	 "7, "
	 "[<size = 4, stride = 2>, <size = 2, stride = 1>]) aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: a length of 7 ends within its dimensions, which have 2 elements inside each turn", PTOWSP_UNSUPPORTED},
	{"%s = aie.tile(0, 2) %t = aie.tile(0, 3) aie.switchbox(%s) { aie.connect<DMA: 0, NORTH: 0> aie.connect<NORTH: 0, NORTH: 0> } aie.switchbox(%t) { "
	 "aie.connect<SOUTH: 0, SOUTH: 0> } aie.mem(%s) { aie.dma_start(MM2S, 0, ^a, ^a) ^a: aie.end }",
	 "line 1: aie.device: ways through its switches go round, or are too many", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 0 : i32) : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: fifo 'a' is 0 objects deep, expected 1 to 1024 for each end", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.core(%t) { %a = aie.objectfifo.acquire @a(Consume, 1) : memref<1xi32> aie.end }",
	 "line 1: aie.objectfifo.acquire of @a, of which this core is not the consumer; use an end of the core's tile", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 1 : i32) : !aie.objectfifo<memref<1xi32>> aie.core(%t) { %a = aie.objectfifo.acquire @a(Consume, 1) "
	 ": "
	 "memref<2xi32> aie.end }",
	 "line 1: aie.objectfifo.acquire of @a as another type than its objects have; say theirs", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.core(%t) { %c = arith.constant 70 : index aie.use_lock(%c, Acquire, 0) aie.end }",
	 "line 1: core (0,2) uses a lock that is none of its tile or its neighbours", PTOWSP_KERNEL_FAILED},
	{"aie.runtime_sequence @s(%x: memref<4xi32>) { aiex.npu.dma_wait {symbol = @no} }",
	 "line 1: aiex.npu.dma_wait: 'no' is no fifo with an end on a shim and no aie.shim_dma_allocation", PTOWSP_INVALID},
	{"aie.runtime_sequence @s(%n: i32) { %m = arith.addi %n, %n : i32 }",
	 "line 1: arith.addi: it counts with what is not known before the run; give arguments that are numbers by --value", PTOWSP_UNSUPPORTED},
	{"aie.runtime_sequence @s(%n: i32) { %z = arith.constant 0 : i32 %m = arith.divsi %z, %z : i32 }", "line 1: arith.divsi: it divides by 0",
	 PTOWSP_INVALID},
	{"aie.runtime_sequence @s(%n: index) { %z = arith.constant 0 : index scf.for %i = %z to %n step %n { } }",
	 "line 1: scf.for: how often it turns is not known before the run; give arguments that are numbers by --value", PTOWSP_UNSUPPORTED},
	{"aie.runtime_sequence @s(%x: memref<4xi32>) { \"aiex.npu.load_pdi\"() : () -> () }",
	 "line 1: aiex.npu.load_pdi: this operation has no model in a sequence", PTOWSP_UNSUPPORTED},
	{"%t = aie.tile(0, 2) aie.flow(%t, DMA : 2, %t, DMA : 0)",
	 "line 1: aie.flow: MM2S 2 of tile (0,2), a core tile, whose DMA has 2 of them; use one from 0 to 1", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(S2MM, 5, 0)",
	 "line 1: aie.shim_dma_allocation: S2MM 5 of tile (0,0), a shim, whose DMA has 2 of them; use one from 0 to 1", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t, 16)", "line 1: aie.lock: lock 16 of tile (0,2), a core tile, which has 16; use one from 0 to 15",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) %l = aie.lock(%t, 64)", "line 1: aie.lock: lock 64 of tile (0,1), a memory tile, which has 64; use one from 0 to 63",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t, -1)", "line 1: aie.lock: lock -1 of tile (0,2), a core tile, which has 16; use one from 0 to 15",
	 PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l0 = aie.lock(%t) %l1 = aie.lock(%t) %l2 = aie.lock(%t) %l3 = aie.lock(%t) %l4 = aie.lock(%t) %l5 = aie.lock(%t) %l6 = "
	 "aie.lock(%t) %l7 = aie.lock(%t) %l8 = aie.lock(%t) %l9 = aie.lock(%t) %l10 = aie.lock(%t) %l11 = aie.lock(%t) %l12 = aie.lock(%t) %l13 = "
	 "aie.lock(%t) %l14 = aie.lock(%t) %l15 = aie.lock(%t) %l16 = aie.lock(%t)",
	 "line 1: aie.lock: with it tile (0,2) needs 17 locks, of 16 that a core tile has; use fewer", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t) {init = 64 : i32}",
	 "line 1: aie.lock: a lock of tile (0,2) begins with 64, which it cannot count; begin with 0 to 63", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t) aie.core(%t) { aie.use_lock(%l, Release, 64) aie.end }",
	 "line 1: aie.use_lock: it releases 64, which is no value of a lock; say -64 to 63", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %l = aie.lock(%t) aie.core(%t) { aie.use_lock(%l, AcquireGreaterEqual, -1) aie.end }",
	 "line 1: aie.use_lock: it acquires -1, which is no value of a lock; say 0 to 63", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) aie.objectfifo @a(%t, {%t}, 64 : i32) : !aie.objectfifo<memref<1xi32>>",
	 "line 1: aie.objectfifo: a lock of tile (0,2) begins with 64, which it cannot count; begin with 0 to 63", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %m = aie.buffer(%t) : memref<4xi32> aie.mem(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : memref<4xi32>) {bd_id = 16 "
	 ": i32} aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: descriptor 16 of tile (0,2), a core tile, which has 16; use one from 0 to 15", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %m = aie.buffer(%t) : memref<4xi32> aie.mem(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : memref<4xi32>) {bd_id = 1 : "
	 "i32} aie.next_bd ^c ^c: aie.dma_bd(%m : memref<4xi32>) {bd_id = 1 : i32} aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: descriptor 1 of tile (0,2) stands twice; give each a number of its own", PTOWSP_INVALID},
	{"%t = aie.tile(0, 1) %m = aie.buffer(%t) : memref<4xi32> aie.memtile_dma(%t) { aie.dma_start(MM2S, 1, ^a, ^b) ^a: aie.dma_bd(%m : memref<4xi32>) "
	 "{bd_id = 3 : i32} aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: descriptor 3 of tile (0,1) in channel 1, which reaches those from 24 to 47; use one of them", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %u = aie.tile(0, 4) %m = aie.buffer(%u) : memref<4xi32> aie.mem(%t) { aie.dma_start(MM2S, 0, ^a, ^b) ^a: aie.dma_bd(%m : "
	 "memref<4xi32>) aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: aie.buffer in (0,4) is out of reach of MM2S 0 of tile (0,2); use one of that tile", PTOWSP_INVALID},
	{"%t = aie.tile(1, 1) %u = aie.tile(0, 1) %m = aie.buffer(%u) : memref<4xi32> aie.memtile_dma(%t) { aie.dma_start(MM2S, 4, ^a, ^b) ^a: aie.dma_bd(%m : "
	 "memref<4xi32>) aie.next_bd ^b ^b: aie.end }",
	 "line 1: aie.dma_bd: aie.buffer in (0,1) is out of reach of MM2S 4 of tile (1,1); use one of that tile", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %u = aie.tile(1, 2) %l = aie.lock(%u) aie.core(%t) { aie.use_lock(%l, Release, 1) aie.end }",
	 "line 1: aie.use_lock: aie.lock in (1,2) is out of reach of core (0,2); use one of its tile or its neighbours", PTOWSP_INVALID},
	{"%t = aie.tile(0, 2) %s = aie.tile(0, 0) aie.flow(%t, DMA : 0, %s, DMA : 0) aie.flow(%t, DMA : 1, %s, DMA : 0)",
	 "line 1: aie.flow: two flows lead into S2MM 0 of tile (0,0); leave one, or make packets of both", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<4xi32>) { aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) "
	 "{id = 16 : i64, metadata = @a} : memref<4xi32> }",
	 "line 1: aiex.npu.dma_memcpy_nd: descriptor 16 of tile (0,0), a shim, which has 16; use one from 0 to 15", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) "
	 "{id = 3 : i64, metadata = @a} : memref<32xi32> aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 4][1, 1, 1, 4][0, 0, 0, 1]) {id = 3 : i64, metadata = @a} : "
	 "memref<32xi32> }",
	 "line 1: a task of @a is written into the descriptor of that of line 1, whose end the host has not seen; wait for it before, or give it another id",
	 PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) "
	 "{id = 0 : i64, metadata = @a} : memref<32xi32> aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 4][1, 1, 1, 4][0, 0, 0, 1]) {id = 1 : i64, metadata = @a} : "
	 "memref<32xi32> aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 8][1, 1, 1, 4][0, 0, 0, 1]) {id = 2 : i64, metadata = @a} : memref<32xi32> "
	 "aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 12][1, 1, 1, 4][0, 0, 0, 1]) {id = 3 : i64, metadata = @a} : memref<32xi32> aiex.npu.dma_memcpy_nd(%x[0, 0, 0, "
	 "16][1, 1, 1, 4][0, 0, 0, 1]) {id = 4 : i64, metadata = @a} : memref<32xi32> }",
	 "line 1: a task of @a comes behind 4 whose ends the host has not seen, as many as a channel's queue takes; wait for one before", PTOWSP_INVALID},
	/* configured tasks: descriptors of both at once, one that nobody can wait for, one that writes memory and that nobody waits for */
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 8) {bd_id = 3 : i32} aie.end } %u = aiex.dma_configure_task_for @a { aie.dma_bd(%x : memref<32xi32>, 8, 8) {bd_id = 3 : i32} "
	 "aie.end } }",
	 "line 1: aiex.dma_configure_task_for: descriptor 3 of tile (0,0) is that of the task of line 1, which the host neither awaited nor freed; do so "
	 "before, or "
	 "give it another bd_id",
	 PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 8) aie.end } aiex.dma_start_task(%t) aiex.dma_free_task(%t) %u = aiex.dma_configure_task_for @a { aie.dma_bd(%x : memref<32xi32>, "
	 "8, "
	 "8) aie.end } aiex.dma_start_task(%u) }",
	 "line 1: a task of @a is written into the descriptor of that of line 1, whose end the host has not seen; wait for it before, or give it another id",
	 PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(S2MM, 0, 0) aie.runtime_sequence @s(%x: memref<32xi32>) { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : "
	 "memref<32xi32>, 0, 8) aie.end } aiex.dma_start_task(%t) aiex.dma_await_task(%t) }",
	 "line 1: aiex.dma_await_task: the task of line 1 gives no token to wait for; give it issue_token = true", PTOWSP_INVALID},
	{"aie.shim_dma_allocation @a(MM2S, 0, 0) aie.runtime_sequence @s(%x: memref<4xi32>, %n: index) { %c0 = arith.constant 0 : index %c1 = arith.constant 1 "
	 ": "
	 "index %c17 = arith.constant 17 : index scf.for %i = %c0 to %c17 step %c1 { %t = aiex.dma_configure_task_for @a { aie.dma_bd(%x : memref<4xi32>, 0, "
	 "4) "
	 "aie.end } } }",
	 "line 1: aiex.dma_configure_task_for: all 16 descriptors of tile (0,0) are those of tasks that the host neither awaited nor freed; do so with one "
	 "before",
	 PTOWSP_INVALID},
	{"%s = aie.tile(0, 0) %t = aie.tile(0, 2) aie.objectfifo @out(%t, {%s}, 1 : i32) : !aie.objectfifo<memref<4xi32>> aie.core(%t) { %y = "
	 "aie.objectfifo.acquire @out(Produce, 1) : memref<4xi32> aie.objectfifo.release @out(Produce, 1) aie.end } aie.runtime_sequence @s(%y: memref<4xi32>) "
	 "{ "
	 "aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 4][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<4xi32> }",
	 "line 1: a task of @out writes memory, and the host's program ends without having seen its end; wait for its token before", PTOWSP_INVALID},
	{"\"aie.put_cascade\"() : () -> ()", "line 1: aie.put_cascade: this operation has no model in a device", PTOWSP_UNSUPPORTED},
};

TEST(what_has_no_model_is_refused_with_its_line)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		struct trial trial = {.buffering = 8};

		CHECK_INT(trial_run(&trial, check_fmt("aie.device(npu1) { %s }", refusals[i].body)), refusals[i].status);
		CHECK_STR(trial.error.text, refusals[i].sentence);
		aie_sim_finish(&trial.stats);
	}
}

/* A core that knows locks by numbers: 48 is lock 0 of its own tile, 32 that of the tile to the north. */
TEST(locks_have_numbers_for_cores)
{
	struct trial trial = {.buffering = 8};

	CHECK_INT(trial_run(&trial,
			    "aie.device(npu1) { %t = aie.tile(1, 2) %u = aie.tile(1, 3) %l = aie.lock(%u, 0) aie.core(%t) { %n = arith.constant 32 : index\n"
			    "aie.use_lock(%n, AcquireGreaterEqual, 2) aie.end } aie.core(%u) { %n = arith.constant 48 : index aie.use_lock(%n, Release, 1)\n"
			    "aie.use_lock(%l, Release, 1) aie.end } }"),
		  PTOWSP_OK);
	CHECK_STR(trial.error.text, "");
	aie_sim_finish(&trial.stats);
}

/* Who may: the first four channels of a memory tile its neighbour's, a core the memory to the west; each as many tasks as its queue takes, and more behind a token. */
TEST(neighbours_are_in_reach)
{
	static const char *const bodies[] = {
		"%t = aie.tile(1, 1) %u = aie.tile(0, 1) %m = aie.buffer(%u) : memref<4xi32> aie.memtile_dma(%t) { aie.dma_start(MM2S, 3, ^a, ^b) ^a: "
		"aie.dma_bd(%m : memref<4xi32>) {bd_id = 24 : i32} aie.next_bd ^b ^b: aie.end }",
		"%t = aie.tile(1, 2) %u = aie.tile(0, 2) %l = aie.lock(%u, 15) {init = 63 : i32} aie.core(%t) { aie.use_lock(%l, AcquireGreaterEqual, 63) "
		"aie.end }",
	};

	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
		struct trial trial = {.buffering = 8};

		CHECK_INT(trial_run(&trial, check_fmt("aie.device(npu1) { %s }", bodies[i])), PTOWSP_OK);
		CHECK_STR(trial.error.text, "");
		aie_sim_finish(&trial.stats);
	}
}

/* As MLIR's tools print them: names of types, and where operations came from. */
TEST(names_of_types_and_locations_are_read)
{
	int32_t out[2] = {0};
	struct trial trial = {.buffering = 8, .out = {MEMORY("b", out)}};

	CHECK_INT(trial_run(&trial,
			    "#loc = loc(\"a(.mlir\":1:1)\n!pair = memref<2xi32>\nmodule { aie.device(npu1) { %t = aie.tile(0, 2) loc(#loc)\n"
			    "%b = aie.buffer(%t) {sym_name = \"b\"} : !pair loc(callsite(\"f\" at \"g\"))\naie.core(%t) { %c1 = arith.constant 1 : index "
			    "%v = arith.constant 7 : i32\nmemref.store %v, %b[%c1] : !pair loc(#loc)\naie.end } loc(#loc) } loc(unknown) } loc(#loc)\n"
			    "#loc1 = loc(fused[#loc, \"x\"])\n"),
		  PTOWSP_OK);
	CHECK_STR(trial.error.text, "");
	CHECK_INT(out[1], 7);
	aie_sim_finish(&trial.stats);
	CHECK_INT(trial_run(&trial, "!a = i32\n!a = i32\n"), PTOWSP_INVALID);
	CHECK_STR(trial.error.text, "2:1: a name of a type stands here that is one already");
}

/* Each function calls the one before it, so often: many of them are compiled, and calls that have no end in practice end a run when somebody says so. */
static ptowsp_status chain_run(uint32_t functions, uint32_t calls, const volatile uint32_t *cancel)
{
	struct trial trial = {.buffering = 8, .cancel = cancel};
	size_t size = 0;
	char *text = NULL;
	FILE *to = open_memstream(&text, &size);
	ptowsp_status status;

	REQUIRE(to != NULL);
	fputs("aie.device(npu1) { %t = aie.tile(0, 2) func.func @f0() { return }\n", to);
	for (uint32_t i = 1; i < functions; i++) {
		fprintf(to, "func.func @f%u() { ", i);
		for (uint32_t c = 0; c < calls; c++)
			fprintf(to, "func.call @f%u() : () -> () ", i - 1);
		fputs("return }\n", to);
	}
	fprintf(to, "aie.core(%%t) { func.call @f%u() : () -> () aie.end } }", functions - 1);
	fclose(to);
	status = trial_run(&trial, text);
	aie_sim_finish(&trial.stats);
	free(text);
	return status;
}

TEST(functions_are_many_and_their_calls_can_be_ended)
{
	static const volatile uint32_t cancel = 1;

	CHECK_INT(chain_run(100000, 1, NULL), PTOWSP_OK);
	CHECK_INT(chain_run(64, 2, &cancel), PTOWSP_CANCELLED);
}

TEST(devices_of_a_file_are_found_in_their_order)
{
	static const char text[] = "module { aie.device(npu1) @a { %t = aie.tile(0, 2) } module { aie.device(npu2) @b { aie.runtime_sequence() { } } } }\n"
				   "aie.device(npu1_1col) @c { }";
	static const char *const names[] = {"a", "b", "c"};
	struct aie_module module = {0};
	struct aie_array_device device;

	REQUIRE_INT(aie_module_read(&module, text, sizeof(text) - 1, NULL), PTOWSP_OK);
	for (uint32_t i = 0; i < 3; i++) {
		REQUIRE(aie_array_device_find(&module, i, &device));
		CHECK_STR(device.name, names[i]);
		CHECK_UINT(device.sequence_count, i == 1);
	}
	CHECK(!aie_array_device_find(&module, 3, &device));
	aie_module_finish(&module);
}

/* ---- the tool ------------------------------------------------------------------------------------------------------- */

#define ARRAYS "$R/tests/aie/arrays/"

TEST(users_run_designs_with_files)
{
	CLI_PRINTS(0, "$B/ptowsp-aie " ARRAYS "add.mlir", "device 0: ended in cycle 6991\n");
	CLI_OUT(7, "$B/ptowsp-aie --trace t.json " ARRAYS "behind.mlir; status=$?; grep -c 'waits for never' t.json; exit $status",
		"dma (0,2) MM2S 0 waits for 1 of 'never', which has 0, from nobody: who ever releases it has ended\n", "\n1\n");
	CLI_ERR(5, "echo '%a = memref.expand_shape' >expand.mlir; $B/ptowsp-aie expand.mlir",
		"expand.mlir:1:6: 'memref.expand_shape' has no model, or is misspelt");
	CLI_ERR(2, "echo 'module { } loc(\"a\"' >cut.mlir; $B/ptowsp-aie cut.mlir", "cut.mlir:1:12: the text ends within this loc(, expected its ')'");
	CLI_OUT(7, "$B/ptowsp-aie " ARRAYS "order.mlir", "device 0: deadlock in cycle 12\n",
		"core (0,2) waits for 1 of 'right', which has 0, from core (0,3)\n", "each for the next: core (0,2) -> core (0,3) -> core (0,2)\n");
	CLI_OUT(5, "$B/ptowsp-aie " ARRAYS "kernel.mlir", "kernel @scale is not there; name it with --kernel scale=FILE.so or FILE.c, or say --no-kernels");
	CLI_OUT(0, "$B/ptowsp-aie --no-kernels=10 " ARRAYS "kernel.mlir", "2 of 2 calls were of kernels that are not there, and touched nothing\n");
	CLI_ERR(2, "$B/ptowsp-aie --in arg7=nothing.npy " ARRAYS "add.mlir", "--in arg7: no device that runs has memory of that name");
	CLI_ERR(2, "$B/ptowsp-aie --kernel scale " ARRAYS "add.mlir", "--kernel \"scale\" is not NAME=FILE");
	CLI_ERR(2, "$B/ptowsp-aie --kernel other=" ARRAYS "kernels.c " ARRAYS "add.mlir", "kernels.c has no function other; in C++ it has to be extern \"C\"");
	CLI_ERR(8, "echo 'int x' >bad.c; $B/ptowsp-aie --kernel scale=bad.c " ARRAYS "add.mlir", "the kernel scale cannot be compiled: ");
	CLI_OUT(0, "$B/ptowsp-aie --value arg2=3 " ARRAYS "counted.mlir", "device 0: ended in cycle ");
	CLI_OUT(5, "$B/ptowsp-aie " ARRAYS "counted.mlir", "give arguments that are numbers by --value");
	CLI_ERR(2, "$B/ptowsp-aie --value n=3 " ARRAYS "counted.mlir", "--value takes argN=NUMBER");
	CLI_ERR(2, "$B/ptowsp-aie --value 4 " ARRAYS "counted.mlir", "--value \"4\" is not argN=NUMBER");
	CLI_ERR(2, "$B/ptowsp-aie --cycles scale= " ARRAYS "add.mlir", "--cycles \"scale=\" is not NAME=CYCLES");
	CLI_ERR(2, "$B/ptowsp-aie --in arg0=a.npy --in arg0=b.npy " ARRAYS "add.mlir", "--in is given twice for \"arg0\"");
	CLI_ERR(2, "$B/ptowsp-aie --no-kernels=9223372036854775807 " ARRAYS "add.mlir", "--no-kernels takes at most 2^40 cycles");
	CLI_OUT(2, "$B/ptowsp-aie --arch xcvc1902 " ARRAYS "add.mlir", "it is written for npu1_1col, and the rows of xcvc1902 are of other kinds");
	CLI_ERR(2, "echo 'aie.device(npu1) { %t = aie.tile(0, 4294967298) }' >far.mlir; $B/ptowsp-aie far.mlir", "does not fit into 32 bits");
	CLI_OUT(2, "echo 'aie.device(npu1) { %t = aie.tile(0, 2) %l = aie.lock(%t, 16) }' >lock.mlir; $B/ptowsp-aie lock.mlir",
		"device 0: refused: lock.mlir:1: aie.lock: lock 16 of tile (0,2)");
	CLI_OUT(10,
		"echo 'aie.device(npu1) { %t = aie.tile(0, 2) aie.core(%t) { %a = arith.constant 0 : index %b = arith.constant 9223372036854775807 : index "
		"%c = arith.constant 1 : index scf.for %i = %a to %b step %c { } aie.end } }' >endless.mlir; $B/ptowsp-aie --max-seconds 1 endless.mlir",
		"the simulation is not over after 1 s of processor time, in cycle ");
	CLI_ERR(2, "$B/ptowsp-aie --only '' " ARRAYS "add.mlir", "--only needs a value: NAME|NUMBER");
	CLI_ERR(2, "$B/ptowsp-aie --only 3 " ARRAYS "add.mlir", "has no aie.device 3");
	CLI_ERR(2, "$B/ptowsp-aie", "no FILE is given");
	CLI_ERR(2, "$B/ptowsp-aie nowhere.mlir", "nowhere.mlir cannot be read: No such file");
	CLI_ERR(2, "echo '%a =' >bad.mlir; $B/ptowsp-aie bad.mlir", "bad.mlir:2:1: the text ends here, expected an operation");
}

TEST(kernels_come_from_c_and_data_from_npy)
{
	static const float x[8] = {1, 2, [7] = -2};
	char file[NPY_HEADER + sizeof(x)];
	json_t *timeline;
	size_t size;

	cli_begin();
	size = npy_header(file, PTOWSP_F32, 1, (const uint64_t[]){8});
	memcpy(file + size, x, sizeof(x));
	REQUIRE(check_write(check_fmt("%s/x.npy", check_dir()), file, size + sizeof(x)));
	CLI_OUT(0,
		"$B/ptowsp-aie --kernel scale=" ARRAYS "kernels.c --kernel sum=" ARRAYS "kernels.c --in arg0=x.npy --out arg1=y.npy --trace t.json " ARRAYS
		"kernel.mlir",
		"device 0: ended in cycle ");
	CLI_PRINTS(0, "tail -c 32 y.npy | od -An -v -tf4 -w4 | tr -d ' ' | tr '\\n' ' '", "3.5 7 0 0 0 0 0 -7 ");
	CLI_OUT(0, "cat t.json", "\"name\":\"core (0,2)\"", "\"ph\":\"X\"");
	timeline = json_load_file(check_fmt("%s/t.json", check_dir()), 0, NULL);
	CHECK(json_array_size(json_object_get(timeline, "traceEvents")) > 10);
	json_decref(timeline);
	CLI_FIGURE("$B/ptowsp-aie --json " ARRAYS "add.mlir", "devices[0].cycles", 6991);
	CLI_FIGURE("$B/ptowsp-aie --json " ARRAYS "add.mlir", "devices[0].waited[0].times", 3);
	CLI_OUT(0, "$B/ptowsp-aie --stats " ARRAYS "add.mlir", "core (0,2)               waited for 'in' ");
	CLI_OUT(0, "cat t.json", "waits for scaled");
	CLI_OUT(0, "$B/ptowsp-aie --kernel scale=" ARRAYS "kernels.c --kernel sum=" ARRAYS "kernels.c --cycles scale=1000000 --stats " ARRAYS "kernel.mlir",
		"busy 1000");
	CLI_ERR(1, "echo 'void scale(int *volatile x) { x = 0; *x = 1; }' >fault.c; $B/ptowsp-aie --kernel scale=fault.c --no-kernels " ARRAYS "kernel.mlir",
		"kernel scale ended with signal 11 (Segmentation fault); its arguments have the sizes that the design says");
	CLI_ERR(2, "$B/ptowsp-aie --kernel scale=" ARRAYS "kernels.c --cycles scale=1x " ARRAYS "kernel.mlir",
		"--cycles scale=1x: a number of cycles from 1 on");
	CLI_ERR(2, "$B/ptowsp-aie --kernel scale=" ARRAYS "kernels.c --cycles sum=5 " ARRAYS "kernel.mlir", "--cycles sum: no --kernel names it");
	CLI_OUT(0, "$B/ptowsp-aie --kernel largest=" ARRAYS "kernels.c --out best=b.npy " ARRAYS "result.mlir", "device 0: cores ended in cycle ");
	CLI_PRINTS(0, "tail -c 8 b.npy | od -An -v -td4 -w8 | tr -s ' '", " 9 -3\n");
	CLI_OUT(0, "$B/ptowsp-aie --no-kernels --out best=b.npy " ARRAYS "result.mlir", "2 of 2 calls were of kernels that are not there");
	CLI_PRINTS(0, "tail -c 8 b.npy | od -An -v -td4 -w8 | tr -s ' '", " 0 0\n");
	CLI_OUT(2, "$B/ptowsp-aie --in arg0=b.npy " ARRAYS "add.mlir", "has 8 bytes of data, memory arg0 of the design 256");
	CLI_OUT(2, "$B/ptowsp-aie --in arg0=y.npy " ARRAYS "add.mlir", "--in arg0: the memory is of i32, y.npy holds f32");
}

#define K_C  "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nvoid scale(float *x, float *y)"
#define EXIT "ptowsp-aie: kernel scale ended the process by exit(0); a kernel returns to its core\n"

/* What it says is on either stream; the old output is as it was, and nothing is left in the folder of temporary files. */
static void kernel_ends(const char *text, const char *flags, int status, const char *says)
{
	static const char left[] = "temp: out:old\n";

	REQUIRE(check_write(check_fmt("%s/k.c", check_dir()), text, strlen(text)));
	CLI_OUT(status,
		check_fmt("mkdir -p temp; echo old >y.npy; TMPDIR=$T/temp $B/ptowsp-aie --kernel scale=k.c --no-kernels --out arg1=y.npy %s " ARRAYS
			  "kernel.mlir 2>&1; s=$?; echo temp:$(ls temp) out:$(cat y.npy); exit $s",
			  flags),
		says, left);
}

TEST(kernels_that_end_the_process_or_go_too_far_are_told)
{
	cli_begin();
	kernel_ends(K_C " { exit(0); }", "", 1, EXIT);
	kernel_ends(K_C " { _exit(0); }", "", 1, EXIT);
	kernel_ends(K_C " { abort(); }", "", 1, "ptowsp-aie: kernel scale ended with signal 6 (Aborted); ");
	kernel_ends(K_C " { y[8] = 7; }", "", 1, "device 0: failed: kernel scale goes to element 8 of its argument 1, which has 8\n");
	kernel_ends(K_C " { y[-1] = 7; }", "", 1, "device 0: failed: kernel scale goes to element -1 of its argument 1, which has 8\n");
	kernel_ends(K_C " { for (int i = 0; i < 100000; i++) y[i] = x[0]; }", "", 1, "element 1024 of its argument 1, which has 8; it ended with signal 11 ");
	kernel_ends("int scale = 5;", "", 2, "ptowsp-aie: kernel scale: in k.c that is a variable, no function\n");
	kernel_ends("void abort(void); __attribute__((constructor)) static void begin(void) { abort(); }", "", 1,
		    "ptowsp-aie: kernel scale: loading k.c ended with signal 6 (Aborted); is the file whole?\n");
	kernel_ends("int x", "", 8, "ptowsp-aie: the kernel scale cannot be compiled: cc says above why\n");
}

TEST(a_kernel_without_an_end_is_ended)
{
	cli_begin();
	kernel_ends(K_C " { for (;;) __asm__(\"\"); }", "--max-seconds 1", 10,
		    "ptowsp-aie: kernel scale does not come back, and the run is not over after 1 s ");
}

/* 2^40 calls, of functions that each call the one before twice. */
TEST(a_design_that_cannot_be_built_in_time_is_ended)
{
	char text[1 << 13];
	size_t length = (size_t)sprintf(text, "aie.device(npu1) { func.func @f0() { return }\n");

	cli_begin();
	for (int i = 1; i <= 40; i++)
		length += (size_t)sprintf(text + length, "func.func @f%d() { func.call @f%d() : () -> () func.call @f%d() : () -> () return }\n", i, i - 1,
					  i - 1);
	length += (size_t)sprintf(text + length, "%%t = aie.tile(0, 2) aie.core(%%t) { func.call @f40() : () -> () aie.end } }\n");
	REQUIRE(check_write(check_fmt("%s/fan.mlir", check_dir()), text, length));
	CHECK_INT(cli("$B/ptowsp-aie --max-seconds 1 fan.mlir"), 10);
}

TEST(what_kernels_print_is_not_what_the_tool_says)
{
	static const char text[] = K_C " { printf(\"hello\\n\"); fflush(stdout); if (write(1, \"there\\n\", 6) < 0) exit(1); }";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/k.c", check_dir()), text, strlen(text)));
	CLI_FIGURE("$B/ptowsp-aie --json --kernel scale=k.c --no-kernels " ARRAYS "kernel.mlir", "devices[0].guessed_kernel_calls", 1);
	CHECK_STR(cli_err, "hello\nthere\n");
	CLI_OUT(0, "$B/ptowsp-aie --kernel scale=k.c --no-kernels " ARRAYS "kernel.mlir", "  cycles of 1 of 2 calls are a guess, ");
}

TEST(compilers_and_libraries_that_are_none_are_told)
{
	cli_begin();
	REQUIRE_INT(cli("echo 'void scale(void) {}' >k.c && cp k.c k.cc"), 0);
	CLI_ERR(8, "PTOWSP_CC=false $B/ptowsp-aie --kernel scale=k.c " ARRAYS "kernel.mlir", "the kernel scale cannot be compiled: false, ",
		"ends with 1 and says nothing");
	CLI_ERR(8, "PTOWSP_CC=/nowhere/cc $B/ptowsp-aie --kernel scale=k.c " ARRAYS "kernel.mlir",
		"/nowhere/cc, which compiles the kernel scale, cannot be run");
	CLI_ERR(2, "$B/ptowsp-aie --kernel scale=k.cc " ARRAYS "kernel.mlir", "kernel scale: k.cc is neither C (FILE.c) nor a shared object");
	CLI_OUT(2, "$B/ptowsp-aie --arch npu9 " ARRAYS "kernel.mlir", "--arch npu9: there is no such device; say npu1, ", "xcve2802");
}

/* All names are known and all files can be written before anything runs, and all are written or none. */
TEST(outputs_are_those_of_a_run_that_ends)
{
	static const char two[] = "aie.device(npu1) @a { %t = aie.tile(0, 2) %b = aie.buffer(%t) {sym_name = \"m\"} : memref<4xi32> }\n"
				  "aie.device(npu1) @b { %t = aie.tile(0, 2) %b = aie.buffer(%t) {sym_name = \"m\"} : memref<4xi32> }\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/two.mlir", check_dir()), two, strlen(two)));
	REQUIRE_INT(cli("echo old >y.npy"), 0);
	CLI_ERR(2, "$B/ptowsp-aie --in arg7=no.npy --out arg1=y.npy " ARRAYS "add.mlir", "--in arg7: no device that runs has memory of that name");
	CLI_ERR(2, "$B/ptowsp-aie --out arg1=y.npy --out nope=z.npy " ARRAYS "add.mlir", "--out nope: no device that runs has memory of that name");
	CLI_ERR(2, "$B/ptowsp-aie --out arg0=y.npy --out arg1=no/z.npy " ARRAYS "add.mlir", "no/z.npy cannot be written: ");
	CLI_OUT(7, "$B/ptowsp-aie --out scratch=y.npy " ARRAYS "order.mlir", "nothing is written for --out, which is of a run that ends\n");
	CLI_ERR(2, "$B/ptowsp-aie --out m=y.npy two.mlir", "--out m: several devices have memory of that name; say one of them by --only");
	CLI_PRINTS(0, "cat y.npy; ls", "old\ntwo.mlir\ny.npy\n");
	CHECK_INT(cli("$B/ptowsp-aie --only b --out m=y.npy two.mlir"), 0);
	CHECK_INT(cli("$B/ptowsp-aie --in m=y.npy --out m=y.npy --only b two.mlir"), 0);
	CLI_PRINTS(0, "tail -c 16 y.npy | od -An -v -td4 | tr -s ' '", " 0 0 0 0\n");
}

/* A design that the backend wrote, with its kernels as C, gives what cpu_sim gives: read, built and run by code that the backend does not use. */
TEST(emitted_designs_run_with_their_kernels)
{
	static const char *const forms[] = {"design.mlir", "design.custom.mlir"};

	REQUIRE_INT(cli("$B/ptowsp-run --quiet --plugin=aie --emit made --entry f32 --fill a_f32=random:1 --fill b_f32=random:2 --out a_f32=a.npy --out "
			"b_f32=b.npy "
			"$P/gemm_1.pkg.zst && $B/ptowsp-run --quiet --plugin=cpu_sim --entry f32 --fill a_f32=random:1 --fill b_f32=random:2 --out c_f32=c.npy "
			"$P/gemm_1.pkg.zst"),
		    0);
	for (size_t i = 0; i < 2; i++)
		CLI_OUT(0,
			check_fmt("PTOWSP_CC=\"cc -std=gnu11 -ffp-contract=off -DNDEBUG\" $B/ptowsp-aie --kernel kernel_add_f32=$(echo "
				  "made/kernels/*add_f32.c) --kernel kernel_zero_f32=$(echo made/kernels/*zero_f32.c) --in arg0=a.npy --in arg1=b.npy --out "
				  "arg2=d.npy "
				  "made/%s && tail -c 1024 c.npy >c && tail -c 1024 d.npy | cmp - c && echo the same",
				  forms[i]),
			"the same");
}
