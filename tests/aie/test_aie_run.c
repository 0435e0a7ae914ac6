/* SPDX-License-Identifier: MIT
 * test_aie_run.c - designs from their text: what they compute, when by the model, how near published figures are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/sim/aie_cost.h"
#include "ptowsp/ids.h"
#include "tests/aie/aie_design.h"
#include "tests/aie/aie_trial.h"
#include "tests/check.h"
#include "tests/draw.h"

/* ---- files -------------------------------------------------------------------------------------------------------- */

static char *file_read(const char *name)
{
	return check_read(check_fmt("%s/reference/aie-files/%s.mlir", check_shared(), name), NULL);
}

static void file_run(const char *name, void *const *arguments)
{
	struct aie_sim_stats stats = {0};
	struct ptowsp_error error;
	char *text = file_read(name);

	if (text && !CHECK_INT(aie_trial_run(text, arguments, 0, &stats, &error), PTOWSP_OK))
		CHECK_FAIL("%s: %s", name, error.text);
	CHECK(text != NULL);
	free(text);
	aie_sim_finish(&stats);
}

TEST(examples_compute_what_they_say)
{
	int32_t in[64], out[64];
	void *arguments[] = {in, out};

	CHECK_NEED_SHARED();
	for (int i = 0; i < 64; i++)
		in[i] = 3 * i - 50;
	file_run("pass_dict", arguments);
	CHECK_MEM(out, in, sizeof(in));
	file_run("two_stage", arguments);
	for (int i = 0; i < 64; i++)
		CHECK_INT(out[i], 2 * (in[i] + 1));
}

TEST(the_product_is_distributed_and_joined)
{
	static int16_t a[4096], b[4096];
	static int32_t c[4096];
	void *arguments[] = {a, b, c};

	CHECK_NEED_SHARED();
	for (int i = 0; i < 4096; i++) {
		a[i] = (int16_t)(i * 7919 % 251 - 125);
		b[i] = (int16_t)(i * 104729 % 241 - 120);
	}
	file_run("matmul", arguments);
	for (int i = 0; i < 64; i++)
		for (int j = 0; j < 64; j++) {
			int32_t sum = 0;

			for (int k = 0; k < 64; k++)
				sum += a[64 * i + k] * b[64 * k + j];
			CHECK_INT(c[64 * i + j], sum);
		}
}

static char *tree_read(const char *name)
{
	return check_read(check_fmt("%s/tests/aie/designs/%s.mlir", check_root(), name), NULL);
}

TEST(a_pipe_through_shared_memory_computes_what_it_says)
{
	struct aie_sim_stats stats = {0};
	struct ptowsp_error error;
	int32_t in[256], out[256] = {0};
	void *arguments[] = {in, out};
	char *text = tree_read("pipe");

	for (int i = 0; i < 256; i++)
		in[i] = 11 * i - 700;
	if (!CHECK_INT(aie_trial_run(text, arguments, 0, &stats, &error), PTOWSP_OK))
		CHECK_FAIL("%s", error.text);
	for (int i = 0; i < 256; i++)
		CHECK_INT(out[i], (in[i] + 3) * 5);
	aie_sim_finish(&stats);
	free(text);
}

/* In place of the one text that stands there once. */
static void replace(char *text, const char *old, const char *new)
{
	char *at = strstr(text, old);

	REQUIRE(at != NULL && strlen(old) == strlen(new));
	memcpy(at, new, strlen(new));
}

/* The first core's part comes as it lies, or columns of its 8 rows first. */
static void split_run(bool turned)
{
	struct aie_sim_stats stats = {0};
	struct ptowsp_error error;
	uint32_t x[256], w[16], y[256] = {0};
	void *arguments[] = {x, w, y};
	char *text = tree_read("split");

	for (uint32_t i = 0; i < 256; i++)
		x[i] = 7 * i + 1;
	for (uint32_t i = 0; i < 16; i++)
		w[i] = i * i + 2;
	if (turned)
		replace(text, "<size = 8, stride = 4>, <size = 4, stride = 1>", "<size = 4, stride = 1>, <size = 8, stride = 4>");
	if (!CHECK_INT(aie_trial_run(text, arguments, turned ? 8 : 0, &stats, &error), PTOWSP_OK))
		CHECK_FAIL("%s", error.text);
	for (uint32_t i = 0; i < 256; i++) {
		const uint32_t at = i % 64, part = at / 32, from = turned && !part ? at % 8 * 4 + at / 8 : at;

		CHECK_UINT(y[i], x[i / 64 * 64 + from] * w[at % 16] * (2 + part));
	}
	CHECK_UINT(aie_trial_agent(&stats, "dma (0,1) S2MM 0")->objects, 8); /* two parts of 4 objects */
	CHECK_UINT(aie_trial_agent(&stats, "dma (0,3) S2MM 1")->objects, 1);
	aie_sim_finish(&stats);
	free(text);
}

TEST(objects_are_split_and_joined)
{
	split_run(false);
	split_run(true);
}

TEST(an_unknown_kernel_ends_the_run)
{
	struct aie_sim_stats stats = {0};
	struct ptowsp_error error;
	uint32_t x[256] = {0};
	void *arguments[] = {x, x, x};
	char *text = tree_read("split");

	for (char *at = text; (at = strstr(at, "@weigh"));)
		memcpy(at, "@other", 6);
	CHECK_INT(aie_trial_run(text, arguments, 0, &stats, &error), PTOWSP_UNSUPPORTED);
	CHECK_CONTAINS(error.text, "no model for kernel other");
	aie_sim_finish(&stats);
	free(text);
}

/* ---- own designs -------------------------------------------------------------------------------------------------- */

/* A core that turns for ever and asks for nothing. */
TEST(an_endless_core_can_be_ended)
{
	struct aie_sim_stats stats = {0};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const volatile uint32_t cancel = 1;
	int32_t memory[16];
	void *arguments[] = {memory};
	struct aie_whole whole;
	struct written t;

	aie_trial_device(&t);
	written_tile(&t, 0, 2);
	aie_trial_core(&t, 0, 2, INT64_MAX);
	aie_trial_core_end(&t);
	written_add(&t, "\"aie.runtime_sequence\"() ({\n^bb0(%%p0: memref<16xi32>):\n");
	aie_trial_device_end(&t, 4);
	if (!CHECK_INT(aie_whole_read(&whole, t.text, &error), PTOWSP_OK))
		CHECK_FAIL("%s", error.text);
	else {
		struct aie_sim_args args = {.design = &whole.design, .routes = &whole.routes, .arguments = arguments, .max_events = 3};

		CHECK_INT(aie_sim_run(&args, &stats, &error), PTOWSP_LIMIT);
		CHECK_CONTAINS(error.text, "the simulation is not over after 3 events");
		CHECK_UINT(stats.events, 3);
		aie_sim_finish(&stats);
		args.max_events = 0;
		args.cancel = &cancel;
		CHECK_INT(aie_sim_run(&args, &stats, &error), PTOWSP_CANCELLED);
		CHECK_CONTAINS(error.text, "cancelled in cycle");
		aie_sim_finish(&stats);
	}
	aie_whole_finish(&whole);
	written_finish(&t);
}

struct heard {
	uint64_t last;
	unsigned stretches;
};

static void hear(void *context, uint32_t agent, const char *what, uint64_t begin, uint64_t end)
{
	struct heard *heard = context;

	(void)agent;
	CHECK(what != NULL && begin < end && end >= heard->last);
	heard->last = end;
	heard->stretches++;
}

TEST(stretches_are_told_in_the_order_of_their_end)
{
	struct aie_sim_stats stats = {0};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	int32_t in[64] = {0}, out[64];
	void *arguments[] = {in, out};
	struct heard heard = {0};
	struct aie_whole whole;
	char *text = aie_trial_host(true, "16");

	if (CHECK_INT(aie_whole_read(&whole, text, &error), PTOWSP_OK)) {
		const struct aie_sim_args args = {.design = &whole.design, .routes = NULL, .arguments = arguments, .told = hear, .told_context = &heard};

		CHECK_INT(aie_sim_run(&args, &stats, &error), PTOWSP_OK);
		/* Two tasks of the host, two of the shim, four objects at each of the core's DMAs, and the core. */
		CHECK(heard.stretches >= 2 + 2 + 8 + 1);
		CHECK(heard.last <= stats.cycles);
		aie_sim_finish(&stats);
	}
	aie_whole_finish(&whole);
	free(text);
}

/* What comes out is handed over first and ends last: there must be room for two. */
TEST(a_window_bounds_the_tasks_under_way)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	int32_t in[64] = {0}, out[64];
	void *arguments[] = {in, out};
	struct aie_whole whole;
	char *text = aie_trial_host(true, "16");

	if (CHECK_INT(aie_whole_read(&whole, text, &error), PTOWSP_OK))
		for (uint32_t window = 1; window <= 2; window++) {
			const struct aie_sim_args args = {.design = &whole.design, .routes = &whole.routes, .arguments = arguments, .queue = window};
			struct aie_sim_stats stats = {0};

			CHECK_INT(aie_sim_run(&args, &stats, &error), window == 1 ? PTOWSP_DEADLOCK : PTOWSP_OK);
			if (window == 1)
				CHECK_CONTAINS(error.text, "host wants room in the queue of dma (0,0) S2MM 0");
			aie_sim_finish(&stats);
		}
	aie_whole_finish(&whole);
	free(text);
}

TEST(what_cannot_be_run_is_refused)
{
	static const struct {
		const char *old, *new, *text;
	} rows[] = {
		{"static_sizes = array<i64: 1, 1, 1, 16>", "static_sizes = array<i64: 1, 1, 2, 16>", "reaches from byte 0 to 128 of argument 1, which has 64"},
		{"<size = 8, stride = 4>, <size = 4, stride = 1>", "<size = 8, stride = 5>, <size = 4, stride = 1>", ""},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct aie_sim_stats stats = {0};
		struct ptowsp_error error;
		uint32_t x[256] = {0};
		void *arguments[] = {x, x, x};
		char *text = tree_read("split");

		if (!i)
			replace(text, "static_strides = array<i64: 0, 0, 0, 1>} : (memref<16xi32>)",
				"static_strides = array<i64: 0, 0,16, 1>} : (memref<16xi32>)");
		replace(text, rows[i].old, rows[i].new);
		CHECK_INT(aie_trial_run(text, arguments, 0, &stats, &error), PTOWSP_INVALID);
		CHECK_CONTAINS(error.text, rows[i].text);
		aie_sim_finish(&stats);
		free(text);
	}
}

/* ---- random designs ----------------------------------------------------------------------------------------------- */

static uint64_t next(uint64_t *state)
{
	return draw(state, 0);
}

/* A column's cores in a chain, each y = a x + b, the first one fed by DDR, maybe through the memory tile; the last one's words come out, and those of another one in
 * between go to it, too, which adds them. */
struct chain {
	int length, words, objects, multiply[4], add[4];
	bool through_memory, fan;
};

static char *chain_design(struct chain *c, uint64_t seed)
{
	uint64_t state = seed;
	struct written t;
	char memref[48];
	long count;

	c->length = 2 + (int)(next(&state) % 3);
	c->words = 1 + (int)(next(&state) % 40);
	c->objects = 1 + (int)(next(&state) % 6);
	c->through_memory = next(&state) % 2;
	c->fan = c->length > 2 && next(&state) % 2;
	count = (long)c->words * c->objects;
	snprintf(memref, sizeof(memref), "memref<%dxi32>", c->words);
	aie_trial_device(&t);
	written_tile(&t, 0, 0);
	written_tile(&t, 0, 1);
	for (int i = 0; i < c->length; i++)
		written_tile(&t, 0, 2 + i);
	if (c->through_memory) {
		written_fifo(&t, "outer", "%t0_0", "%t0_1", 1, check_fmt("%d : i32", 1 + (int)(next(&state) % 3)), memref, false);
		written_fifo(&t, "f0", "%t0_1", "%t0_2", 1, check_fmt("%d : i32", 1 + (int)(next(&state) % 3)), memref, false);
		written_add(&t, "\"aie.objectfifo.link\"() {fifoIns = [@outer], fifoOuts = [@f0], src_offsets = [], dst_offsets = []} : () -> ()\n");
	} else {
		written_fifo(&t, "f0", "%t0_0", "%t0_2", 1, check_fmt("%d : i32", 1 + (int)(next(&state) % 3)), memref, false);
	}
	for (int i = 0; i < c->length; i++) {
		const bool last = i == c->length - 1, fans = c->fan && i == 0;
		const char *to = last ? "%t0_0" : fans ? check_fmt("%%t0_%d, %%t0_%d", 3 + i, 1 + c->length) : check_fmt("%%t0_%d", 3 + i);
		const int depth = 1 + (int)(next(&state) % 3);

		c->multiply[i] = (int)(next(&state) % 100) - 50;
		c->add[i] = (int)(next(&state) % 1000) - 500;
		/* The far end of a fan holds what is not wanted yet: as many as stages lie between. */
		written_fifo(&t, check_fmt("f%d", i + 1), check_fmt("%%t0_%d", 2 + i), to, 1 + fans,
			     fans ? check_fmt("[%d : i32, %d : i32, 8 : i32]", depth, depth) : check_fmt("%d : i32", depth), memref, next(&state) % 2);
	}
	for (int i = 0; i < c->length; i++) {
		const bool joins = c->fan && i == c->length - 1;

		aie_trial_core(&t, 0, 2 + i, c->objects);
		written_acquire(&t, "%x", check_fmt("f%d", i), 1, memref);
		if (joins)
			written_acquire(&t, "%z", "f1", 1, memref);
		written_acquire(&t, "%y", check_fmt("f%d", i + 1), 0, memref);
		aie_trial_words(&t, c->words, "%x", "%y", memref, c->multiply[i], c->add[i]);
		if (joins)
			written_add(&t,
				    "scf.for %%j = %%c0 to %%n step %%c1 {\n%%v = memref.load %%y[%%j] : %s\n%%w = memref.load %%z[%%j] : %s\n%%u = arith.addi "
				    "%%v, %%w : i32\n"
				    "memref.store %%u, %%y[%%j] : %s\n}\n",
				    memref, memref, memref);
		written_release(&t, check_fmt("f%d", i), 1);
		if (joins)
			written_release(&t, "f1", 1);
		written_release(&t, check_fmt("f%d", i + 1), 0);
		aie_trial_core_end(&t);
	}
	written_add(&t, "\"aie.runtime_sequence\"() ({\n^bb0(%%p0: memref<%ldxi32>, %%p1: memref<%ldxi32>):\n", count, count);
	snprintf(memref, sizeof(memref), "memref<%ldxi32>", count);
	written_task(&t, 1, 1, check_fmt("f%d", c->length), 0, count, memref, true);
	written_task(&t, 0, 0, c->through_memory ? "outer" : "f0", 0, count, memref, false);
	written_wait(&t, check_fmt("f%d", c->length));
	aie_trial_device_end(&t, 4);
	return t.text;
}

TEST(random_chains_compute_what_their_stages_say)
{
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct aie_sim_stats stats = {0};
		struct ptowsp_error error;
		struct chain c = {0};
		int32_t in[256], out[256] = {0};
		void *arguments[] = {in, out};
		char *text = chain_design(&c, seed);

		for (int i = 0; i < 256; i++)
			in[i] = (int32_t)(seed * 1000) + i * i;
		if (!CHECK_INT(aie_trial_run(text, arguments, seed % 2 ? 0 : 8, &stats, &error), PTOWSP_OK))
			CHECK_FAIL("seed %llu: %s\n%.2500s", (unsigned long long)seed, error.text, text);
		for (int i = 0; i < c.words * c.objects; i++) {
			uint32_t value = (uint32_t)in[i], first = 0;

			for (int k = 0; k < c.length; k++) {
				value = value * (uint32_t)c.multiply[k] + (uint32_t)c.add[k];
				first = k ? first : value;
			}
			if (!CHECK_INT(out[i], (int32_t)(value + (c.fan ? first : 0)))) {
				CHECK_FAIL("seed %llu word %d", (unsigned long long)seed, i);
				break;
			}
		}
		aie_sim_finish(&stats);
		free(text);
	}
}

/* ---- calibration -------------------------------------------------------------------------------------------------- */

/* A core that gives one object to its neighbour's DMA. */
TEST(tile_to_tile_takes_531_cycles_for_530_published)
{
	struct aie_sim_stats stats = {0};
	struct ptowsp_error error;
	int32_t memory[16];
	void *arguments[] = {memory};
	struct written t;
	uint64_t cycles;

	aie_trial_device(&t);
	written_tile(&t, 0, 2);
	written_tile(&t, 0, 3);
	written_fifo(&t, "f", "%t0_2", "%t0_3", 1, "1 : i32", "memref<512xi32>", true);
	aie_trial_core(&t, 0, 2, 1);
	written_acquire(&t, "%y", "f", 0, "memref<512xi32>");
	written_release(&t, "f", 0);
	aie_trial_core_end(&t);
	aie_trial_core(&t, 0, 3, 1);
	written_acquire(&t, "%x", "f", 1, "memref<512xi32>");
	written_release(&t, "f", 1);
	aie_trial_core_end(&t);
	written_add(&t, "\"aie.runtime_sequence\"() ({\n^bb0(%%p0: memref<16xi32>):\n");
	aie_trial_device_end(&t, 4);
	CHECK_INT(aie_trial_run(t.text, arguments, 0, &stats, &error), PTOWSP_OK);
	CHECK_UINT(aie_cost_transfer(512, 2), 531);
	/* Acquire and release by the giver, the lock that the DMA waited for, the transfer without the set-up that it did meanwhile, release by the DMA; the taker acquires and
	 * releases; its loop ends. */
	cycles = AIE_COST_OP_BRANCH + 2 * AIE_COST_LOCK_CORE + AIE_COST_LOCK_DMA + (531 - AIE_COST_BD - AIE_COST_CHANNEL) + AIE_COST_LOCK_DMA +
		 2 * AIE_COST_LOCK_CORE;
	CHECK_UINT(stats.cycles, cycles);
	aie_sim_finish(&stats);
	written_finish(&t);
}

/* 8 columns in and out want 64 bytes per cycle, of 37. */
TEST(all_shims_share_what_ddr_gives)
{
	struct aie_sim_stats stats = {0};
	struct ptowsp_error error;
	const uint32_t words = 1 << 16, cap = aie_arch_named("npu2")->ddr_bytes;
	uint32_t *from = calloc(words, 4), *to = calloc(words, 4);
	void *arguments[] = {from, to};
	char *text = aie_design_copy(words);

	for (uint32_t i = 0; i < words; i++)
		from[i] = i * 3;
	if (!CHECK_INT(aie_trial_run(text, arguments, 0, &stats, &error), PTOWSP_OK))
		CHECK_FAIL("%s", error.text);
	CHECK_MEM(to, from, 4 * (size_t)words);
	CHECK_UINT(stats.ddr_bytes, UINT64_C(16) * 4 * words);
	CHECK(stats.cycles * cap >= stats.ddr_bytes);
	CHECK((stats.cycles - 16 * AIE_COST_HOST_TASK) * cap <= stats.ddr_bytes * 11 / 10);
	aie_sim_finish(&stats);
	free(text);
	free(from);
	free(to);
}

TEST(costs_have_sources)
{
	uint32_t count;
	const struct aie_cost *costs = aie_cost_list(&count);

	for (uint32_t i = 0; i < count; i++)
		CHECK(strlen(costs[i].source) >= 5 && strlen(costs[i].unit) > 0 && costs[i].value > 0);
	CHECK_UINT(aie_cost_vector(2 * 1024 * 2, 1024 * 2, 0, 0), 76);
	CHECK_UINT(aie_cost_matmul(aie_arch_named("npu1"), PTOWSP_I16, 64, 64, 64), 5120);
}
