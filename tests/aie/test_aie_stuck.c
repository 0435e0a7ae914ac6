/* SPDX-License-Identifier: MIT
 * test_aie_stuck.c - designs that stand still, always or only without words in streams: who waits for whom. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/aie_report.h"
#include "tests/aie/aie_trial.h"
#include "tests/check.h"

/* Two cores that hand each other an object: each takes before it gives. */
static char *ring_design(bool primed)
{
	struct written t;

	aie_trial_device(&t);
	written_tile(&t, 0, 2);
	written_tile(&t, 0, 3);
	written_fifo(&t, "up", "%t0_2", "%t0_3", 1, "1 : i32", "memref<16xi32>", false);
	written_fifo(&t, "down", "%t0_3", "%t0_2", 1, "1 : i32", "memref<16xi32>", true);
	for (int row = 2; row <= 3; row++) {
		const char *in = row == 2 ? "down" : "up", *out = row == 2 ? "up" : "down";

		aie_trial_core(&t, 0, row, 3);
		if (primed && row == 2) { /* it gives first */
			written_acquire(&t, "%y", out, 0, "memref<16xi32>");
			written_release(&t, out, 0);
		}
		written_acquire(&t, "%x", in, 1, "memref<16xi32>");
		written_release(&t, in, 1);
		if (!primed || row == 3) {
			written_acquire(&t, "%y", out, 0, "memref<16xi32>");
			written_release(&t, out, 0);
		}
		aie_trial_core_end(&t);
	}
	written_add(&t, "\"aie.runtime_sequence\"() ({\n^bb0(%%p0: memref<16xi32>):\n");
	aie_trial_device_end(&t, 4);
	return t.text;
}

TEST(a_ring_of_cores_is_told)
{
	struct aie_sim_stats stats = {0};
	struct ptowsp_deadlock told = {.head = PTOWSP_HEAD(told, DEADLOCK)};
	struct ptowsp_error error;
	int32_t memory[16];
	void *arguments[] = {memory};
	char *text = ring_design(false);

	CHECK_INT(aie_trial_run(text, arguments, 8, &stats, &error), PTOWSP_DEADLOCK);
	CHECK_CONTAINS(error.text, "deadlock in cycle");
	CHECK_CONTAINS(error.text, "ring of 4: ");
	CHECK_CONTAINS(error.text, "core (0,2) wants 1 of @down, has 0");
	CHECK_CONTAINS(error.text, "core (0,3) wants 1 of @up, has 0");
	CHECK_UINT(stats.ring_count, 4);
	CHECK(stats.wait_count >= 4);
	aie_report_stuck(&stats, error.text, &told);
	CHECK_CONTAINS(told.text, "deadlock in cycle");
	CHECK_CONTAINS(told.text, "not measured");
	CHECK_CONTAINS(told.text, "; the ring: ");
	CHECK_CONTAINS(told.text, "core (0,2) waits for dma (0,2) S2MM 0: it wants 1 of @down and has 0");
	CHECK_UINT(told.channel, PTOWSP_NONE);
	aie_sim_finish(&stats);
	free(text);
	text = ring_design(true);
	CHECK_INT(aie_trial_run(text, arguments, 0, &stats, &error), PTOWSP_OK);
	CHECK_UINT(aie_trial_agent(&stats, "core (0,3)")->objects, 6);
	aie_sim_finish(&stats);
	free(text);
}

/* A core that waits for the second of its inputs before it takes the first, both of one multicast and a task each: small objects fit into the streams. */
static char *buffered_design(void)
{
	struct written t;

	aie_trial_device(&t);
	written_tile(&t, 0, 2);
	written_tile(&t, 0, 3);
	written_tile(&t, 0, 4);
	written_fifo(&t, "data", "%t0_2", "%t0_4, %t0_3", 2, "[1 : i32, 1 : i32, 1 : i32]", "memref<4xi32>", true);
	written_fifo(&t, "go", "%t0_3", "%t0_4", 1, "1 : i32", "memref<4xi32>", true);
	/* (0,4) takes two of data only after go, which (0,3) gives after two of data. */
	aie_trial_core(&t, 0, 2, 2);
	written_acquire(&t, "%y", "data", 0, "memref<4xi32>");
	written_release(&t, "data", 0);
	aie_trial_core_end(&t);
	aie_trial_core(&t, 0, 3, 1);
	for (int i = 0; i < 2; i++) {
		written_acquire(&t, i ? "%x" : "%z", "data", 1, "memref<4xi32>");
		written_release(&t, "data", 1);
	}
	written_acquire(&t, "%y", "go", 0, "memref<4xi32>");
	written_release(&t, "go", 0);
	aie_trial_core_end(&t);
	aie_trial_core(&t, 0, 4, 1);
	written_acquire(&t, "%g", "go", 1, "memref<4xi32>");
	written_release(&t, "go", 1);
	for (int i = 0; i < 2; i++) {
		written_acquire(&t, i ? "%x" : "%z", "data", 1, "memref<4xi32>");
		written_release(&t, "data", 1);
	}
	aie_trial_core_end(&t);
	written_add(&t, "\"aie.runtime_sequence\"() ({\n^bb0(%%p0: memref<16xi32>):\n");
	aie_trial_device_end(&t, 4);
	return t.text;
}

/* It stands still with 0 words and not with 8. */
static void figures_check(const struct aie_sim_stats stats[2])
{
	struct aie_report report = {0};

	CHECK_INT(aie_report_buffering(&report, stats, true, NULL), PTOWSP_OK);
	REQUIRE_INT(report.count, 3);
	CHECK_STR(report.rows[0].unit, "cycles to deadlock");
	CHECK_STR(report.rows[1].unit, "cycles");
	CHECK_STR(report.rows[2].unit, "yes");
	CHECK_UINT(report.rows[2].value, 1);
	aie_report_finish(&report);
}

static uint64_t clock_of_nobody(void *context)
{
	(void)context;
	return 1;
}

/* A tensor may be large: copying it ends with the run. */
TEST(a_design_whose_time_is_over_is_not_run_twice)
{
	const struct ptowsp_host host = {.now_ns = clock_of_nobody};
	struct base_patience patience = {.host = &host, .ended = PTOWSP_DEADLINE};
	struct aie_sim_stats stats[2] = {{0}, {0}};
	struct aie_sim_copies copies;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	int32_t in[64] = {0}, out[64] = {0};
	void *arguments[] = {in, out};
	struct aie_whole whole;
	char *text = aie_trial_host(true, "16");
	bool depends;

	REQUIRE_INT(aie_whole_read(&whole, text, &error), PTOWSP_OK);
	const struct aie_sim_args args = {.design = &whole.design, .routes = &whole.routes, .arguments = arguments, .patience = &patience};
	REQUIRE_INT(aie_sim_copies_make(&copies, &whole.design, arguments, true, &error), PTOWSP_OK);
	CHECK_UINT(copies.sizes[0], 0); /* which it only reads */
	CHECK_UINT(copies.sizes[1], sizeof(out));
	CHECK_INT(aie_sim_both(&args, &copies, stats, &depends, &error), PTOWSP_CANCELLED);
	CHECK_UINT(stats[1].agent_count, 0);
	aie_sim_copies_finish(&copies);
	aie_whole_finish(&whole);
	free(text);
}

TEST(a_design_that_needs_buffering_is_told)
{
	struct aie_sim_stats stats[2] = {{0}, {0}};
	struct aie_sim_copies copies;
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	int32_t memory[16] = {0};
	void *arguments[] = {memory};
	struct aie_whole whole;
	char *text = buffered_design();
	bool depends;

	if (!CHECK_INT(aie_whole_read(&whole, text, &error), PTOWSP_OK))
		CHECK_FAIL("%s", error.text);
	else {
		const struct aie_sim_args args = {.design = &whole.design, .routes = &whole.routes, .arguments = arguments};

		REQUIRE_INT(aie_sim_copies_make(&copies, &whole.design, arguments, true, &error), PTOWSP_OK);
		CHECK_INT(aie_sim_both(&args, &copies, stats, &depends, &error), PTOWSP_OK);
		aie_sim_copies_finish(&copies);
		CHECK(depends);
		CHECK(stats[0].wait_count > 0);
		CHECK_UINT(stats[1].wait_count, 0);
		figures_check(stats);
		aie_sim_finish(&stats[0]);
		aie_sim_finish(&stats[1]);
	}
	aie_whole_finish(&whole);
	free(text);
	text = ring_design(true);
	CHECK_INT(aie_whole_read(&whole, text, &error), PTOWSP_OK);
	{
		const struct aie_sim_args args = {.design = &whole.design, .routes = &whole.routes, .arguments = arguments};

		REQUIRE_INT(aie_sim_copies_make(&copies, &whole.design, arguments, true, &error), PTOWSP_OK);
		CHECK_INT(aie_sim_both(&args, &copies, stats, &depends, &error), PTOWSP_OK);
		aie_sim_copies_finish(&copies);
		CHECK(!depends);
		aie_sim_finish(&stats[0]);
		aie_sim_finish(&stats[1]);
	}
	aie_whole_finish(&whole);
	free(text);
}

TEST(a_host_that_waits_too_early_is_told)
{
	struct aie_sim_stats stats = {0};
	struct ptowsp_error error;
	int32_t in[64], out[64] = {0};
	void *arguments[] = {in, out};
	char *text = aie_trial_host(false, "16");

	for (int i = 0; i < 64; i++)
		in[i] = i * i;
	CHECK_INT(aie_trial_run(text, arguments, 8, &stats, &error), PTOWSP_DEADLOCK);
	CHECK_CONTAINS(error.text, "host wants a token of dma (0,0) S2MM 0");
	CHECK_CONTAINS(error.text, "; ...");
	CHECK_UINT(stats.ring_count, 6);
	CHECK_STR(stats.agents[stats.ring[0]].name, "host");
	CHECK_STR(stats.agents[stats.ring[5]].name, "dma (0,0) MM2S 0");
	aie_sim_finish(&stats);
	free(text);
	text = aie_trial_host(true, "16");
	CHECK_INT(aie_trial_run(text, arguments, 0, &stats, &error), PTOWSP_OK);
	for (int i = 0; i < 64; i++)
		CHECK_INT(out[i], 3 * i * i + 1);
	CHECK_UINT(stats.ddr_bytes, 2 * sizeof(in));
	CHECK_UINT(aie_trial_agent(&stats, "dma (0,0) MM2S 0")->objects, 1);
	CHECK_UINT(aie_trial_agent(&stats, "dma (0,2) S2MM 0")->objects, 4);
	aie_sim_finish(&stats);
	free(text);
}
