/* SPDX-License-Identifier: MIT
 * test_graph_memory.c - the blocks of a kernel of a graph and the bytes that they get: bindings, workspaces, what is given back. */
#include "tests/check.h"
#include "tests/taskgraph/taskgraph_run.h"

#include <string.h>

#define RUN "TG_LAUNCH(G, s) TG_SYNC(G)\n"

/* --- blocks --- */

#define PORTABLE                                                                                                                                               \
	"func @number(%y: !pto.memref<gm,...,i32>) {\n  %b = block_index : i32\n  %n = block_count : i32\n  %v = alloc_scalar : i32\n"                         \
	"  MUL %v:i32, %b, 1000\n  ADD %v:i32, %v:i32, %n\n  STORE %v:i32, %y[%b]\n"                                                                           \
	"  %t = alloc_tile : !pto.tile<1x8xi32>\n  %t = texpands %b\n  return\n}\n"

TEST(every_block_runs_once_and_knows_which_it_is)
{
	static const unsigned counts[] = {1, 24, 96};

	for (size_t i = 0; i < 3; i++)
		for (uint32_t threads = 1; threads < 3; threads++) {
			const char *text = check_fmt("TG_BEGIN(G)\n TG_KERNEL(A, tick10, %u, AIC, 0)\n TG_KERNEL(B, tick1, 1, AIC, 0)\n TG_DEPEND(A, B)\n"
						     "TG_END(G)\n" RUN,
						     counts[i]);
			struct graph_run *r = graph_run_open(text, NULL, threads);
			uint32_t seen[96] = {0};

			REQUIRE(r != NULL);
			CHECK_INT(graph_run_go(r), PTOWSP_OK);
			CHECK_STR(r->times, check_fmt("A 0-%u B %u-%u", 10 * counts[i], 10 * counts[i], 10 * counts[i] + 1));
			REQUIRE_INT(graph_call_count, counts[i] + 1);
			for (uint32_t c = 0; c < counts[i]; c++) {
				CHECK_UINT(graph_calls[c].block, c); /* one after the other, in order */
				CHECK_UINT(graph_calls[c].block_count, counts[i]);
				CHECK_UINT(graph_calls[c].executor, graph_calls[0].executor);
				seen[graph_calls[c].block]++;
			}
			for (uint32_t c = 0; c < counts[i]; c++)
				CHECK_UINT(seen[c], 1);
			graph_run_close(r);
		}
}

TEST(portable_kernels_know_their_block)
{
	static const unsigned counts[] = {1, 24, 96};

	for (size_t i = 0; i < 3; i++)
		for (uint32_t threads = 1; threads < 3; threads++) {
			const char *text = check_fmt("%s%s%u%s", PORTABLE, "graph @g {\nTG_BEGIN(G)\n TG_KERNEL(A, number, ", counts[i],
						     ", AIV, 0)\n MC_BIND(A, 0, OUT)\nTG_END(G)\n" RUN "}\n");
			struct graph_run *r = graph_run_open(text, "g", threads);
			static int32_t out[96];

			REQUIRE(r != NULL);
			memset(out, -1, sizeof(out));
			graph_run_bind(r, "OUT", out, 96);
			CHECK_INT(graph_run_go(r), PTOWSP_OK);
			CHECK_STR(r->error.text, "");
			for (uint32_t b = 0; b < 96; b++)
				CHECK_INT(out[b], b < counts[i] ? (int)(b * 1000 + counts[i]) : -1);
			CHECK_STR(r->times, check_fmt("A 0-%u", 8 * counts[i]));
			CHECK_INT(graph_run_count(r), PTOWSP_OK);
			CHECK_STR(r->times, check_fmt("A 0-%u", 8 * counts[i]));
			graph_run_close(r);
		}
}

/* --- memory --- */

/* Two kernels share a tensor at byte offsets, a third overlaps both. */
TEST(bindings_are_ranges_of_bytes)
{
	const char *text = "TG_BEGIN(G)\n TG_KERNEL(A, mark, 1, AIC, 0)\n TG_KERNEL(B, mark, 1, AIC, 0)\n TG_KERNEL(C, mark, 1, AIC, 0)\n"
			   " MC_ALLOC(T, 64, 16)\n MC_BIND(A, 0, T, 0, 32)\n MC_BIND(B, 0, T, 32)\n MC_BIND(C, 0, T, 28, 8)\n"
			   " MC_COPY(T, OUT, 64)\n TG_DEPEND(A, C) TG_DEPEND(B, C)\nTG_END(G)\n" RUN;

	for (uint32_t threads = 1; threads < 3; threads++) {
		struct graph_run *r = graph_run_open(text, NULL, threads);
		static int32_t out[16];

		REQUIRE(r != NULL);
		graph_run_bind(r, "OUT", out, 64);
		CHECK_INT(graph_run_go(r), PTOWSP_OK);
		CHECK_STR(r->error.text, "");
		CHECK_STR(r->times, "A 0-10 B 0-10 C 10-20 copy 20-84");
		CHECK_INT(out[0], 1);
		CHECK_INT(out[7], 1);
		CHECK_INT(out[8], 1);
		REQUIRE_INT(graph_call_count, 3);
		for (uint32_t i = 0; i < 3; i++) {
			static const uint64_t columns[] = {32, 32, 8};

			CHECK_UINT(graph_calls[i].columns[0], columns[graph_calls[i].task]);
			CHECK_UINT(graph_calls[i].dtype[0], PTOWSP_U8);
			CHECK_UINT(graph_calls[i].access[0], PTOWSP_READ | PTOWSP_WRITE);
		}
		graph_run_close(r);
	}
}

#define SUM                                                                                                                                                    \
	"func @sum(%x: !pto.memref<gm,...,f32>, %k: !pto.memref<gm,...,i32>, %y: !pto.memref<gm,...,f32>) {\n"                                                 \
	"  %a = alloc_tile : !pto.tile<1x8xf32>\n  %b = alloc_tile : !pto.tile<1x8xi32>\n  %c = alloc_tile : !pto.tile<1x8xf32>\n"                             \
	"  %a = tload %x[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<1x8xf32>\n"                                                              \
	"  %b = tload %k[0, 0] : (!pto.memref<gm,...,i32>, index, index) -> !pto.tile<1x8xi32>\n"                                                              \
	"  %c = tcvt %b : !pto.tile<1x8xi32> -> !pto.tile<1x8xf32>\n  %a = tadd %a, %c : !pto.tile<1x8xf32>\n  tstore %a, %y[0, 0]\n  return\n}\n"

/* One workspace with elements of two types: kernels see views of its bytes. */
TEST(a_workspace_holds_elements_of_several_types)
{
	const char *text =
		SUM "graph @g {\nMC_ALLOC(W, 96)\nMC_COPY(IN, W, 64, 0, 0)\n"
		    "TG_BEGIN(G)\n TG_KERNEL(A, sum, 1, AIV, 0)\n MC_BIND(A, 0, W, 0, 32)\n MC_BIND(A, 1, W, 32, 32)\n MC_BIND(A, 2, W, 64)\nTG_END(G)\n" RUN
		    "MC_COPY(W, OUT, 32, 64, 0)\n}\n";

	for (uint32_t threads = 1; threads < 3; threads++) {
		struct graph_run *r = graph_run_open(text, "g", threads);
		static struct {
			float x[8];
			int32_t k[8];
		} in;
		static float out[8];

		REQUIRE(r != NULL);
		for (int i = 0; i < 8; i++)
			in.x[i] = (float)i / 4, in.k[i] = 100 * i;
		graph_run_bind(r, "IN", &in, 64);
		graph_run_bind(r, "OUT", out, 32);
		CHECK_INT(graph_run_go(r), PTOWSP_OK);
		CHECK_STR(r->error.text, "");
		for (int i = 0; i < 8; i++)
			CHECK_NEAR(out[i], (double)i / 4 + 100 * i, 0);
		CHECK_STR(r->times, "copy 0-64 A 64-104 copy 104-136");
		graph_run_close(r);
	}
}

TEST(a_kernel_that_leaves_its_binding_is_ended)
{
	struct graph_run *r =
		graph_run_open(PORTABLE "graph @g {\nTG_BEGIN(G)\n TG_KERNEL(A, number, 4, AIV, 0)\n MC_BIND(A, 0, OUT, 4, 12)\nTG_END(G)\n" RUN "}\n", "g", 1);
	static int32_t out[8];

	REQUIRE(r != NULL);
	graph_run_bind(r, "OUT", out, 8);
	CHECK_INT(graph_run_go(r), PTOWSP_RUN_FAILED);
	CHECK_STR(r->error.text, "test.pto:14:2: task 0, kernel A, touches element 3 behind the start of its window of tensor OUT, which has 3 elements");
	graph_run_close(r);
}

/* What is freed in the graph of its allocation is there once per launch; the heap has room for one of them at a time. */
TEST(memory_is_taken_and_given_back)
{
	const char *text =
		"schedule { heap 1024 }\ngraph @g {\nTG_BEGIN(G)\n MC_ALLOC(T, 1000)\n TG_KERNEL(A, mark, 1, AIC, 0)\n MC_BIND(A, 0, T)\n MC_FREE(T)\n"
		" MC_ALLOC(U, 1000)\n TG_KERNEL(B, mark, 1, AIC, 0)\n MC_BIND(B, 0, U)\n MC_FREE(U)\nTG_END(G)\nTG_LAUNCH(G, s) TG_LAUNCH(G, s) "
		"TG_SYNC(G)\n}\n";
	struct graph_run *r = graph_run_open(text, "g", 1);

	REQUIRE(r != NULL);
	CHECK_INT(graph_run_go(r), PTOWSP_OK);
	CHECK_STR(r->error.text, "");
	CHECK_STR(r->times, "A 0-10 B 10-20 A 20-30 B 30-40");
	graph_run_close(r);
}

/* Whichever branch is taken gives T back; the next round takes it again. */
TEST(both_branches_may_free_a_tensor)
{
	const char *text = "schedule { heap 1024 }\ngraph @g {\nTG_BEGIN(G)\n MC_ALLOC(T, 1000)\n TG_KERNEL(A, mark, 1, AIC, 0)\n MC_BIND(A, 0, T)\n CF_IF(n)\n"
			   "  MC_FREE(T)\n CF_ELSE\n  TG_KERNEL(B, tick1, 1, AIC, 0)\n  MC_FREE(T)\n CF_ENDIF\nTG_END(G)\nTG_LAUNCH(G, s) TG_SYNC(G)\n}\n";

	for (int n = 0; n < 2; n++) {
		struct graph_run *r = graph_run_open(text, "g", 2);

		REQUIRE(r != NULL);
		graph_run_set(r, "n", n ? "1" : "0");
		CHECK_INT(graph_run_go(r), PTOWSP_OK);
		CHECK_STR(r->error.text, "");
		CHECK_STR(r->times, n ? "A 0-10" : "A 0-10 B 0-1");
		graph_run_close(r);
	}
}
