/* SPDX-License-Identifier: MIT
 * test_graph_run.c - what each instruction of a graph does when it runs: order, times, control flow, with one thread and with two.
 * Blocks and memory are in test_graph_memory.c. */
#include "ptowsp/workload.h"
#include "tests/check.h"
#include "tests/taskgraph/taskgraph_run.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs a text without tensors of its own and compares the times, with one thread and with two. */
static void times_are(const char *text, const char *want)
{
	for (uint32_t threads = 1; threads < 3; threads++) {
		struct graph_run *r = graph_run_open(text, NULL, threads);

		if (!r)
			return;
		CHECK_INT(graph_run_go(r), PTOWSP_OK);
		CHECK_STR(r->error.text, "");
		CHECK_STR(r->times, want);
		graph_run_close(r);
	}
}

#define RUN "TG_LAUNCH(G, s) TG_SYNC(G)\n"

/* --- edges --- */

TEST(kernels_start_when_their_edges_allow)
{
	times_are("TG_BEGIN(G)\n TG_KERNEL(D, tick1, 1, AIC, 0)\n TG_KERNEL(A, tick10, 1, AIC, 0)\n TG_KERNEL(B, tick100, 1, AIV, 0)\n"
		  " TG_KERNEL(C, tick10, 1, AIV, 0)\n"
		  " TG_DEPEND(A, C)\n TG_DEPEND(C, D)\n TG_DEPEND(B, D, AFTER)\n"
		  "TG_END(G)\n" RUN,
		  "A 0-10 B 0-100 C 10-20 D 100-101");
}

TEST(a_soft_edge_orders_nothing)
{
	times_are("TG_BEGIN(G)\n TG_KERNEL(A, tick10, 1, AIC, 0)\n TG_KERNEL(B, tick1, 1, AIC, 0)\n TG_DEPEND(A, B, SOFT)\nTG_END(G)\n" RUN, "A 0-10 B 0-1");
}

#define PARTS                                                                                                                                                  \
	"TG_BEGIN(G)\n TG_KERNEL(A, tick10, 1, AIC, 0)\n TG_KERNEL(X, tick100, 1, AIC, 0)\n TG_KERNEL(B, tick1, 1, AIC, 0)\n"                                  \
	" TG_KERNEL(Y, tick1, 1, AIC, 0)\n TG_DEPEND(A, B, BARRIER)\nTG_END(G)\n"

/* B and what follows wait for all that comes before. */
TEST(a_barrier_edge_parts_all_kernels)
{
	times_are(PARTS RUN, "A 0-10 X 0-100 B 100-101 Y 100-101");
}

#define PARTED PARTS "TG_BEGIN(H)\n TG_KERNEL(Z, tick1, 1, AIC, 0)\nTG_END(H)\n"

/* Whether an instruction or edges say it depends on the launches around. */
TEST(a_barrier_edge_holds_back_its_own_launch_only)
{
	times_are(PARTED "TG_LAUNCH(G, s) TG_LAUNCH(H, t) TG_SYNC(G)\n", "A 0-10 X 0-100 B 100-101 Y 100-101 Z 0-1");
	times_are(PARTED "TG_LAUNCH(H, t) TG_LAUNCH(G, s) TG_SYNC(G)\n", "Z 0-1 A 0-10 X 0-100 B 100-101 Y 100-101");
	times_are(PARTED "TG_LAUNCH(H, s) TG_LAUNCH(G, s) TG_LAUNCH(H, s) TG_SYNC(G)\n", "Z 0-1 A 1-11 X 1-101 B 101-102 Y 101-102 Z 102-103");
}

/* 20 rows of 50 kernels, each row behind all of the one above. */
TEST(barriers_of_wide_graphs_take_an_instruction_each)
{
	enum { WIDTH = 50, ROWS = 20 };
	size_t room = 64 * WIDTH * ROWS, used;
	char *text = malloc(room);
	struct graph_run *r;

	REQUIRE(text != NULL);
	used = (size_t)snprintf(text, room, "TG_BEGIN(G)\n");
	for (int k = 0; k < WIDTH * ROWS; k++)
		used += (size_t)snprintf(text + used, room - used, " TG_KERNEL(%d, tick10, 1, AIC, 0)\n", k);
	for (int row = 1; row < ROWS; row++)
		used += (size_t)snprintf(text + used, room - used, " TG_DEPEND(%d, %d, BARRIER)\n", row * WIDTH - 1, row * WIDTH);
	snprintf(text + used, room - used, "TG_END(G)\n" RUN);
	r = graph_run_open(text, NULL, 2);
	free(text);
	if (!r)
		return;
	CHECK(((const struct ptowsp_workload_header *)r->source.t->raw_work)->num_instructions < WIDTH * ROWS + 2 * ROWS + 8);
	CHECK_INT(graph_run_go(r), PTOWSP_OK);
	CHECK_UINT(r->task_count, WIDTH * ROWS);
	for (uint32_t i = 0; i < r->task_count; i++)
		CHECK_UINT(r->tasks[i].start, i / WIDTH * 10);
	graph_run_close(r);
}

TEST(a_barrier_set_starts_together)
{
	times_are("TG_BEGIN(G)\n TG_KERNEL(A, tick10, 1, AIC, 0)\n TG_KERNEL(B, tick100, 1, AIC, 0)\n TG_KERNEL(C, tick1, 1, AIC, 0)\n"
		  " TG_KERNEL(D, tick1, 1, AIC, 0)\n TG_KERNEL(E, tick1, 1, AIC, 0)\n"
		  " TG_DEPEND(A, C) TG_DEPEND(B, D)\n SY_BARRIER({C, D}, 0)\nTG_END(G)\n" RUN,
		  "A 0-10 B 0-100 C 100-101 D 100-101 E 0-1");
}

TEST(events_order_kernels_within_and_across_graphs)
{
	times_are("TG_BEGIN(G)\n TG_KERNEL(B, tick1, 1, AIC, 0)\n TG_KERNEL(A, tick10, 1, AIC, 0)\n TG_KERNEL(X, tick100, 1, AIC, 0)\n"
		  " SY_WAIT(done, B) SY_SIGNAL(done, A) SY_SIGNAL(over, X)\nTG_END(G)\n"
		  "TG_BEGIN(H)\n TG_KERNEL(C, tick1, 1, AIC, 0)\n TG_KERNEL(D, tick1, 1, AIC, 0)\n SY_WAIT(over, D)\nTG_END(H)\n"
		  "TG_LAUNCH(G, s) TG_LAUNCH(H, t) TG_SYNC(G) TG_SYNC(H)\n",
		  "A 0-10 B 10-11 X 0-100 C 0-1 D 100-101");
}

TEST(an_event_that_did_not_come_ends_the_run_by_name)
{
	struct graph_run *r = graph_run_open("TG_BEGIN(G)\n CF_IF(go)\n  TG_KERNEL(A, tick10, 1, AIC, 0)\n CF_ENDIF\n TG_KERNEL(B, tick1, 1, AIC, 0)\n"
					     " SY_SIGNAL(ready, A) SY_WAIT(ready, B)\nTG_END(G)\n" RUN,
					     NULL, 1);

	REQUIRE(r != NULL);
	graph_run_set(r, "go", "1");
	CHECK_INT(graph_run_go(r), PTOWSP_OK);
	CHECK_STR(r->times, "A 0-10 B 10-11");
	graph_run_set(r, "go", "0");
	CHECK_INT(graph_run_go(r), PTOWSP_DEADLOCK);
	CHECK_CONTAINS(r->error.text, "event never signalled: ready");
	graph_run_close(r);
}

/* --- launches --- */

#define TWO                                                                                                                                                    \
	"TG_BEGIN(G)\n TG_KERNEL(A, tick10, 1, AIC, 0)\n TG_KERNEL(B, tick100, 1, AIC, 0)\n TG_DEPEND(A, B)\nTG_END(G)\n"                                      \
	"TG_BEGIN(H)\n TG_KERNEL(C, tick10, 1, AIC, 0)\n TG_KERNEL(D, tick1, 1, AIC, 0)\n TG_DEPEND(C, D)\nTG_END(H)\n"

TEST(launches_on_one_stream_follow_each_other)
{
	times_are(TWO "TG_LAUNCH(G, s) TG_LAUNCH(H, s) TG_SYNC(G) TG_SYNC(H)\n", "A 0-10 B 10-110 C 110-120 D 120-121");
	times_are(TWO "TG_LAUNCH(H, s) TG_LAUNCH(H, s) TG_SYNC(H)\n", "C 0-10 D 10-11 C 11-21 D 21-22");
}

/* Nothing of E runs, and H is behind G all the same: on its stream, and where E is waited for. */
TEST(a_launch_of_which_nothing_runs_keeps_the_order)
{
#define HOLLOW                                                                                                                                                 \
	"TG_BEGIN(G)\n TG_KERNEL(A, tick10, 1, AIC, 0)\nTG_END(G)\nTG_BEGIN(E)\n CF_IF(0)\n  TG_KERNEL(X, tick100, 1, AIC, 0)\n CF_ENDIF\nTG_END(E)\n"         \
	"TG_BEGIN(H)\n TG_KERNEL(C, tick1, 1, AIC, 0)\nTG_END(H)\nTG_LAUNCH(G, s) TG_LAUNCH(E, s) "
	times_are(HOLLOW "TG_LAUNCH(H, s) TG_SYNC(H)\n", "A 0-10 C 10-11");
	times_are(HOLLOW "TG_SYNC(E) TG_LAUNCH(H, t) TG_SYNC(H)\n", "A 0-10 C 10-11");
	times_are(HOLLOW "TG_LAUNCH(H, t) TG_SYNC(H)\n", "A 0-10 C 0-1");
}

TEST(launches_on_two_streams_run_side_by_side)
{
	times_are(TWO "TG_LAUNCH(G, s) TG_LAUNCH(H, t) TG_SYNC(G) TG_SYNC(H)\n", "A 0-10 B 10-110 C 0-10 D 10-11");
}

/* The third launch is on a stream of its own, and behind the sync of H alone. */
TEST(a_sync_waits_for_its_graph_only)
{
	times_are(TWO "TG_LAUNCH(G, s) TG_LAUNCH(H, t) TG_SYNC(H) TG_LAUNCH(H, u) TG_SYNC(G) TG_LAUNCH(H, v)\nTG_SYNC(H)\n",
		  "A 0-10 B 10-110 C 0-10 D 10-11 C 11-21 D 21-22 C 110-120 D 120-121");
}

TEST(iterations_are_invoked_one_after_the_other)
{
	static int32_t parts[4];
	const char *text = "TG_BEGIN(G)\n TG_KERNEL(A, mark, 1, AIC, 0)\n MC_BIND(A, 0, T, ITERATION*4, 4)\nTG_END(G)\n"
			   "TG_INVOKE(G, 2) TG_INVOKE(G, 0) TG_INVOKE(G, n)\nMC_COPY(T, T2, 4) TG_SYNC(G)\n";

	for (uint32_t threads = 1; threads < 3; threads++) {
		struct graph_run *r = graph_run_open(text, NULL, threads);
		static uint8_t other[16];

		REQUIRE(r != NULL);
		memset(parts, 0, sizeof(parts));
		graph_run_set(r, "n", "2");
		graph_run_bind(r, "T", parts, 16);
		graph_run_bind(r, "T2", other, 16);
		CHECK_INT(graph_run_go(r), PTOWSP_OK);
		CHECK_STR(r->error.text, "");
		CHECK_INT(parts[0], 1);
		CHECK_INT(parts[1], 0);
		CHECK_INT(parts[2], 2);
		CHECK_STR(r->times, "A 0-10 A 10-20 A 20-30 copy 20-24");
		graph_run_close(r);
	}
}

/* --- control flow --- */

#define ADD                                                                                                                                                    \
	"func @add(%x: !pto.memref<gm,...,i32>, %y: !pto.memref<gm,...,i32>) {\n"                                                                              \
	"  %t = alloc_tile : !pto.tile<1x8xi32>\n  %u = alloc_tile : !pto.tile<1x8xi32>\n"                                                                     \
	"  %t = tload %x[0, 0] : (!pto.memref<gm,...,i32>, index, index) -> !pto.tile<1x8xi32>\n"                                                              \
	"  %u = tload %y[0, 0] : (!pto.memref<gm,...,i32>, index, index) -> !pto.tile<1x8xi32>\n"                                                              \
	"  %t = tadd %t, %u : !pto.tile<1x8xi32>\n  tstore %t, %x[0, 0]\n  return\n}\n"
#define BINDS(kernel) " MC_BIND(" kernel ", 0, X) MC_BIND(" kernel ", 1, ONE)\n"

/* X and ONE of 8 elements; what X begins with, and ends with, in all of them. */
static void becomes(const char *text, const char *value, int32_t from, int32_t to, const char *times)
{
	for (uint32_t threads = 1; threads < 3; threads++) {
		struct graph_run *r = graph_run_open(check_fmt("%s%s", ADD, text), "g", threads);
		static int32_t x[8], one[8];

		REQUIRE(r != NULL);
		for (int i = 0; i < 8; i++)
			x[i] = from, one[i] = 1;
		graph_run_bind(r, "X", x, 8);
		graph_run_bind(r, "ONE", one, 8);
		if (value)
			graph_run_set(r, "n", value);
		CHECK_INT(graph_run_go(r), PTOWSP_OK);
		CHECK_STR(r->error.text, "");
		for (int i = 0; i < 8; i++)
			CHECK_INT(x[i], to);
		if (times)
			CHECK_STR(r->times, times);
		graph_run_close(r);
	}
}

TEST(a_condition_chooses_what_is_enqueued)
{
	const char *text = "graph @g {\nTG_BEGIN(G)\n CF_IF(n)\n  TG_KERNEL(A, add, 1, AIV, 0)\n CF_ELSE\n  TG_KERNEL(B, add, 1, AIV, 0)\n"
			   "  TG_KERNEL(C, add, 1, AIV, 0)\n CF_ENDIF\n TG_KERNEL(D, tick1, 1, AIV, 0)\n" BINDS("A") BINDS("B")
				   BINDS("C") " TG_DEPEND(B, C, DATA, X) TG_DEPEND(A, D) TG_DEPEND(C, D)\nTG_END(G)\n" RUN "}\n";

	becomes(text, "1", 10, 11, "A 0-32 D 32-33");
	becomes(text, "0", 10, 12, "B 0-32 C 32-64 D 64-65");
}

TEST(a_loop_runs_as_often_as_its_count_says_one_after_the_other)
{
	const char *text = "graph @g {\nTG_BEGIN(G)\n CF_LOOP(n, i)\n  TG_KERNEL(A, tick10, 1, AIC, 0)\n  TG_KERNEL(B, tick100, 1, AIC, 0)\n CF_ENDLOOP\n"
			   " TG_KERNEL(C, add, 1, AIV, 0)\n" BINDS("C") " TG_DEPEND(A, C)\nTG_END(G)\n" RUN "}\n";

	becomes(text, "0", 3, 4, "C 0-32");
	becomes(text, "2", 3, 4, "A 0-10 B 0-100 A 100-110 B 100-200 C 110-142");
}

TEST(an_iterator_moves_the_bindings)
{
	const char *text =
		"TG_BEGIN(G)\n CF_LOOP(4, i)\n  TG_KERNEL(A, mark, 1, AIC, 0)\n  MC_BIND(A, 0, T, i*8, 4)\n CF_ENDLOOP\nTG_END(G)\n" RUN "MC_COPY(T, T2, 4)\n";

	for (uint32_t threads = 1; threads < 3; threads++) {
		struct graph_run *r = graph_run_open(text, NULL, threads);
		static int32_t parts[8], other;

		REQUIRE(r != NULL);
		memset(parts, 0, sizeof(parts));
		graph_run_bind(r, "T", parts, 32);
		graph_run_bind(r, "T2", &other, 4);
		CHECK_INT(graph_run_go(r), PTOWSP_OK);
		CHECK_STR(r->error.text, "");
		for (int i = 0; i < 8; i++)
			CHECK_INT(parts[i], i % 2 ? 0 : 1);
		graph_run_close(r);
	}
}

/* The condition reads what the kernels write. */
TEST(a_while_goes_on_until_its_tensor_says_so)
{
	const char *text = "graph @g {\nTG_BEGIN(G)\n CF_WHILE(X[0] < n)\n  TG_KERNEL(A, add, 1, AIV, 0)\n CF_ENDWHILE\n" BINDS("A") "TG_END(G)\n" RUN "}\n";

	becomes(text, "7", 4, 7, "A 0-32 A 32-64 A 64-96");
	becomes(text, "7", 9, 9, "");
}

TEST(a_break_leaves_the_innermost_loop)
{
	const char *text =
		"graph @g {\nTG_BEGIN(G)\n CF_LOOP(2, i)\n  CF_LOOP(100, k)\n   TG_KERNEL(A, add, 1, AIV, 0)\n   CF_BREAK(X[k % 8] >= n)\n  CF_ENDLOOP\n"
		" CF_ENDLOOP\n" BINDS("A") "TG_END(G)\n" RUN "}\n";

	becomes(text, "5", 2, 6, "A 0-32 A 32-64 A 64-96 A 96-128"); /* three times, then once */
}

TEST(launches_may_stand_in_loops_and_branches)
{
	const char *text = "graph @g {\nTG_BEGIN(G)\n TG_KERNEL(A, add, 1, AIV, 0)\n" BINDS(
		"A") "TG_END(G)\n"
		     "CF_LOOP(n, i)\n TG_INVOKE(G, i)\n CF_IF(i == 1)\n  TG_INVOKE(G, i)\n CF_ENDIF\nCF_ENDLOOP\nTG_INVOKE(G, 0)\n}\n";

	becomes(text, "0", 0, 1, "A 0-32");
	becomes(text, "3", 0, 5, "A 0-32 A 32-64 A 64-96 A 96-128 A 128-160");
}

/* --- checkpoints, and what changes nothing here --- */

TEST(a_restore_brings_back_what_the_checkpoint_saved)
{
	becomes("graph @g {\nTG_BEGIN(G)\n TG_KERNEL(A, add, 1, AIV, 0)\n MC_BIND(A, 0, X, 0, 32) MC_BIND(A, 1, ONE)\nTG_END(G)\n"
		"TG_LAUNCH(G, s) TG_LAUNCH(G, s)\nTG_CHECKPOINT(G, C)\nTG_LAUNCH(G, s) TG_LAUNCH(G, t) TG_LAUNCH(G, t)\nTG_RESTORE(G, C)\n"
		"TG_LAUNCH(G, s) TG_SYNC(G)\n}\n",
		NULL, 0, 3, NULL);
}

/* Two checkpoints, restored in the order that a loop chooses. */
TEST(checkpoints_are_kept_side_by_side)
{
	const char *text = "graph @g {\nTG_BEGIN(G)\n TG_KERNEL(A, add, 1, AIV, 0)\n MC_BIND(A, 0, X, 0, 32) MC_BIND(A, 1, ONE)\nTG_END(G)\n"
			   "TG_INVOKE(G, 0) TG_CHECKPOINT(G, C1)\nTG_INVOKE(G, 0) TG_INVOKE(G, 0) TG_CHECKPOINT(G, C2)\nTG_INVOKE(G, 0)\n"
			   "CF_IF(n)\n TG_RESTORE(G, C1)\nCF_ELSE\n TG_RESTORE(G, C2)\nCF_ENDIF\nTG_INVOKE(G, 0)\n}\n";

	becomes(text, "1", 0, 2, NULL);
	becomes(text, "0", 0, 4, NULL);
}

TEST(fused_graphs_run_as_one)
{
	times_are("TG_BEGIN(G)\n TG_KERNEL(A, tick10, 1, AIC, 0)\n TG_KERNEL(B, tick1, 1, AIC, 0)\n TG_DEPEND(A, B)\nTG_END(G)\n"
		  "TG_BEGIN(H)\n TG_KERNEL(C, tick100, 1, AIC, 0)\n TG_KERNEL(D, tick1, 1, AIC, 0)\n TG_DEPEND(C, D)\nTG_END(H)\n"
		  "TG_FUSE(G, H, F)\nTG_LAUNCH(F, s) TG_SYNC(F)\n",
		  "F.A 0-10 F.C 0-100 F.B 100-101"); /* B and D are equal */
}

/* Events and sets come along; a kernel of the other graph waits for neither. */
TEST(fused_graphs_keep_their_events_and_sets)
{
	times_are(
		"TG_BEGIN(G)\n TG_KERNEL(A, tick10, 1, AIC, 0)\n TG_KERNEL(B, tick1, 1, AIC, 0)\n TG_KERNEL(D, tick1, 1, AIC, 64)\n SY_SIGNAL(done, A) "
		"SY_WAIT(done, B)\n"
		" SY_BARRIER({B, D}, 0)\nTG_END(G)\nTG_BEGIN(H)\n TG_KERNEL(C, tick100, 1, AIC, 0)\nTG_END(H)\nTG_FUSE(G, H, F)\nTG_LAUNCH(F, s) TG_SYNC(F)\n",
		"F.A 0-10 F.B 10-11 F.D 10-11 F.C 0-100");
}

TEST(hints_change_nothing_here)
{
	times_are("CA_PARTITION(P, 0, 4, 0, 8)\nTG_BEGIN(G)\n TG_KERNEL(A, tick10, 1, AIC, 0)\n TG_KERNEL(B, tick1, 1, AIC, 0)\n TG_DEPEND(A, B)\n"
		  " CA_REQUEST(A, 4, 8) CA_AFFINITY({A, B}, COLOCATE) TG_PERSISTENT(B, 0)\nTG_END(G)\n"
		  "TG_SET_PRIORITY(G, 7)\nTG_LAUNCH(G, s) TG_SYNC(G)\n",
		  "A 0-10 B 10-11");
}

/* Recorded means that behaviour is unchanged, also where two launches want the one executor and an urgent kernel or a resident one could gain. */
TEST(priorities_and_residence_change_nothing_under_contention)
{
	static const char *const lines[] = {"", "TG_SET_PRIORITY(H, 9)\n"};
	static const char *const residence[] = {"", " TG_PERSISTENT(C, 0)\n"};

	for (int i = 0; i < 4; i++) {
		struct graph_run *r =
			graph_run_open(check_fmt("schedule { dispatch round_robin(1) }\ngraph @g {\nTG_BEGIN(G)\n TG_KERNEL(A, tick10, 1, AIC, 0)\n"
						 " TG_KERNEL(B, tick100, 1, AIC, 0)\nTG_END(G)\nTG_BEGIN(H)\n TG_KERNEL(C, tick1, 1, AIC, 0)\n%s"
						 "TG_END(H)\n%sTG_LAUNCH(G, s) TG_LAUNCH(H, t) TG_LAUNCH(H, t)\n}\n",
						 residence[i & 1], lines[i >> 1]),
				       "g", 1);

		REQUIRE(r != NULL);
		CHECK_INT(graph_run_go(r), PTOWSP_OK);
		CHECK_STR(r->times, "A 0-10 B 10-110 C 110-111 C 111-112");
		graph_run_close(r);
	}
}

/* The entry is a declared kernel: its code, its types and directions, and its scalars by their names. */
TEST(a_declared_kernel_brings_its_code_and_scalars)
{
	const char *text = "symbol %by : f32 = 3\n"
			   "func @scaled(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>, %by: f32, %i: i32) {\n"
			   "  %t = alloc_tile : !pto.tile<1x8xf32>\n  %s = alloc_scalar : f32\n  %t = tload %x[0, 0]\n  %t = tmuls %t, %by\n"
			   "  MOV %s:f32, %i:i32\n  %t = tadds %t, %s\n  tstore %t, %y[0, 0]\n  return\n}\n"
			   "kernel @scale(%x: f32[1, 8] in, %by: f32, %y: f32[1, 8] out, %i: i32) on aiv { portable @scaled }\n"
			   "graph @g {\nTG_BEGIN(G)\n CF_LOOP(2, i)\n  TG_KERNEL(A, scale, 1, AIV, 0)\n  MC_BIND(A, 0, IN, i * 32, 32)\n"
			   "  MC_BIND(A, 1, OUT, i * 32, 32)\n CF_ENDLOOP\nTG_END(G)\n" RUN "}\n";

	for (uint32_t threads = 1; threads < 3; threads++) {
		struct graph_run *r = graph_run_open(text, "g", threads);
		static float in[16], out[16];

		REQUIRE(r != NULL);
		for (int i = 0; i < 16; i++)
			in[i] = (float)i;
		memset(out, 0, sizeof(out));
		graph_run_bind(r, "IN", in, 16);
		graph_run_bind(r, "OUT", out, 16);
		CHECK_INT(graph_run_go(r), PTOWSP_OK);
		CHECK_STR(r->error.text, "");
		for (int i = 0; i < 16; i++)
			CHECK_INT((int)out[i], 3 * i + i / 8);
		graph_run_close(r);
	}
}

TEST(a_kernel_that_nobody_serves_is_named)
{
	struct graph_run *r =
		graph_run_open("TG_BEGIN(G)\n TG_KERNEL(FIRST, tick10, 1, AIC, 0)\n TG_KERNEL(LATE, late_entry, 1, AIC, 0)\n TG_DEPEND(FIRST, LATE)\n"
			       "TG_END(G)\n" RUN,
			       NULL, 1);

	REQUIRE(r != NULL);
	CHECK_INT(graph_run_go(r), PTOWSP_KERNEL_FAILED);
	CHECK_CONTAINS(r->error.text, "task 1 cannot run: kernel LATE (test.pto:3): no payload for cpu_sim and no function late_entry");
	CHECK_INT(graph_run_count(r), PTOWSP_OK);
	CHECK_STR(r->times, "FIRST 0-1 LATE 1-2");
	graph_run_close(r);
}

/* --- many kernels --- */

/* More kernels than an instruction of WORK can tell apart: those that are alike share a row, and the odd one still is what runs. */
TEST(kernels_beyond_all_rows_share_them)
{
	enum { N = 66000 };
	size_t room = (size_t)N * 48 + 1000, used = 0;
	char *text = malloc(room);
	struct graph_run *r;

	REQUIRE(text != NULL);
	used += (size_t)snprintf(text, room, "TG_BEGIN(G)\n");
	for (int i = 0; i < N; i++)
		used += (size_t)snprintf(text + used, room - used, "TG_KERNEL(%d, %s, 1, AIV, 0)\n", i, i == N - 1 ? "tick10" : "tick1");
	snprintf(text + used, room - used, "TG_DEPEND(0, %d)\nTG_END(G)\n" RUN, N - 1);
	r = graph_run_open(text, NULL, 2);
	free(text);
	REQUIRE(r != NULL);
	CHECK_INT(graph_run_go(r), PTOWSP_OK);
	CHECK_STR(r->error.text, "");
	CHECK_UINT(r->source.t->kernel_count, 2);
	CHECK(source_kernel(&r->source, "tick1") >= 0 && source_kernel(&r->source, "tick10") >= 0);
	CHECK_STR(r->last, check_fmt("task %d tick10", N - 1));
	graph_run_close(r);
}

/* --- the seed's example --- */

static char *example_text(void)
{
	char *text = check_read(check_fmt("%s/packages/examples/deepseek.pto", check_root()), NULL);

	REQUIRE(text != NULL);
	return text;
}

TEST(the_example_has_the_text_of_the_specification)
{
	const char *begin, *end;
	char *seed, *text;

	CHECK_NEED_SHARED();
	seed = check_read(check_fmt("%s/seeds/004_7470f3e1a2a39cf1.txt", check_shared()), NULL);
	if (!seed)
		CHECK_SKIP("the seeds are not here (PTOWSP_SHARED)");
	text = example_text();
	begin = strstr(seed, "TG_BEGIN(DEEPSEEK_ATTN)");
	end = begin ? strstr(begin, "\n```") : NULL;
	REQUIRE(end != NULL);
	CHECK_CONTAINS(text, check_fmt("%.*s\n", (int)(end - begin), begin));
	free(seed);
	free(text);
}

TEST(the_example_computes_what_it_says)
{
	static float x[1024][64], out[1024][64];
	char *text = example_text();

	for (int r = 0; r < 1024; r++)
		for (int c = 0; c < 64; c++)
			x[r][c] = (float)((r * 37 + c * 101 + r * c) % 509) / 64;
	for (uint32_t threads = 1; threads < 3; threads++) {
		struct graph_run *r = graph_run_open(text, NULL, threads);
		int wrong = 0;

		REQUIRE(r != NULL);
		graph_run_bind(r, "INPUT_HIDDEN", x, 1024 * 64);
		graph_run_bind(r, "OUTPUT", out, 1024 * 64);
		memset(out, 0, sizeof(out));
		CHECK_INT(graph_run_go(r), PTOWSP_OK);
		CHECK_STR(r->error.text, "");
		for (int i = 0; i < 1024; i++) {
			int best = 0;

			for (int k = 1; k < 32; k++)
				best = x[i][k] > x[i][best] ? k : best;
			for (int c = 0; c < 64; c++)
				wrong += out[i][c] != x[i][c] * 2 + x[best][c];
		}
		CHECK_INT(wrong, 0);
		CHECK_STR(r->times, "MLA_PROLOG 0-720896 INDEXER_PROLOG 0-589824 LIGHTNING_INDEXER 589824-2424832 SPARSE_FA 2424832-3014656");
		graph_run_close(r);
	}
	free(text);
}

/* Packs a file of tests/graphs that says what comes out, and runs it as its "Run with:" asks; 0: it says nothing of results. */
static int file_computes(const char *name)
{
	const char *file = check_fmt("%s/tests/graphs/%s", check_root(), name), *bin = check_fmt("%s/bin", check_build()), *dir = check_tmp();
	char *text = check_read(file, NULL), *options = text ? strstr(text, "// Run with: ") : NULL, *out;
	int says = text && strstr(text, " expected [");

	if (options)
		options[strcspn(options, "\n")] = '\0';
	for (int threads = 1; says && threads < 3; threads++) {
		CHECK_INT(check_run(check_fmt("cd '%s' && '%s/ptowsp-pack' --strict '%s' -o one.pkg && '%s/ptowsp-run' --strict --threads %d %s one.pkg", dir,
					      bin, file, bin, threads, options ? options + strlen("// Run with: ") : ""),
				    &out, NULL),
			  0);
		CHECK_CONTAINS(out, "compare: ok (");
		free(out);
	}
	free(text);
	return says;
}

TEST(the_programs_of_the_folder_compute_what_they_say)
{
	DIR *dir = opendir(check_fmt("%s/tests/graphs", check_root()));
	struct dirent *entry;
	int count = 0;

	REQUIRE(dir != NULL);
	while ((entry = readdir(dir)))
		if (strstr(entry->d_name, ".pto"))
			count += file_computes(entry->d_name);
	closedir(dir);
	CHECK(count >= 10);
}
