/* SPDX-License-Identifier: MIT
 * test_graph_build.c - graphs built by calls get the code that runs them: ptowsp_pack_graphs. */
#include "lang/builder.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* y = x squared, one row of 64. */
static uint32_t square_build(struct ptowsp_build *b)
{
	uint32_t kernel = ptowsp_build_kernel(b, "square", "aiv"), x, y, tile, zero;

	x = ptowsp_build_param(b, kernel, "x", "f32", "in");
	y = ptowsp_build_param(b, kernel, "y", "f32", "out");
	ptowsp_build_body(b, kernel);
	tile = ptowsp_build_tile(b, "t", "f32", 1, 64);
	zero = ptowsp_build_literal(b, "i64", "0");
	ptowsp_build_op(b, "tload", 0, (const uint32_t[]){tile, x, zero, zero}, 4);
	ptowsp_build_op(b, "tmul", 0, (const uint32_t[]){tile, tile, tile}, 3);
	ptowsp_build_op(b, "tstore", 0, (const uint32_t[]){tile, y, zero, zero}, 4);
	ptowsp_build_body_end(b);
	return kernel;
}

static void tensor_build(struct ptowsp_build *b, const char *name, const char *role, int power)
{
	static const uint64_t extents[] = {64};
	uint32_t tensor = ptowsp_build_tensor(b, name, "f32", role);
	float values[64];

	ptowsp_build_tensor_dim(b, tensor, ptowsp_build_number(b, 64));
	for (int i = 0; i < 64; i++)
		values[i] = power == 1 ? (float)i : (float)(i * i) * (float)(i * i);
	ptowsp_build_sample(b, tensor, power == 1 ? "input" : "expected", extents, 1, values, sizeof(values));
}

/* An instruction with numbers; a word where `words` has one at that place. */
static void op_build(struct ptowsp_build *b, const char *op, const uint64_t *numbers, const char *const *words, uint32_t count)
{
	ptowsp_build_graph_op(b, op);
	for (uint32_t i = 0; i < count; i++)
		if (words && words[i])
			ptowsp_build_graph_word(b, words[i]);
		else
			ptowsp_build_graph_number(b, numbers[i]);
}
#define OP(op, ...) op_build(b, op, (const uint64_t[]){__VA_ARGS__}, NULL, sizeof((const uint64_t[]){__VA_ARGS__}) / 8)

static void kernel_op(struct ptowsp_build *b, uint64_t kernel)
{
	op_build(b, "TG_KERNEL", (const uint64_t[]){kernel, 0, 1, 0, 0}, (const char *const[]){NULL, "square", NULL, "AIV", NULL}, 5);
}

/* IN, squared twice, is OUT. */
static struct ptowsp_build *graph_build(void)
{
	struct ptowsp_build *b = ptowsp_build_create("twice_squared");

	square_build(b);
	tensor_build(b, "IN", "in", 1);
	tensor_build(b, "OUT", "out", 4);
	ptowsp_build_graph(b, "steps", 0);
	ptowsp_build_graph_name(b, "tensor", 3, "BETWEEN"); /* in any order */
	ptowsp_build_graph_name(b, "kernel", 1, "A");
	ptowsp_build_graph_name(b, "graph", 1, "STEPS");
	ptowsp_build_graph_name(b, "tensor", 1, "IN");
	ptowsp_build_graph_name(b, "tensor", 2, "OUT");
	OP("TG_BEGIN", 1);
	kernel_op(b, 1);
	kernel_op(b, 2);
	OP("MC_ALLOC", 3, 256);
	OP("MC_BIND", 1, 0, 1);
	OP("MC_BIND", 1, 1, 3);
	OP("MC_BIND", 2, 0, 3);
	OP("MC_BIND", 2, 1, 2);
	op_build(b, "TG_DEPEND", (const uint64_t[]){1, 2, 0}, (const char *const[]){NULL, NULL, "DATA"}, 3);
	OP("TG_END", 1);
	OP("TG_LAUNCH", 1, 1);
	OP("TG_SYNC", 1);
	ptowsp_build_graph_end(b);
	ptowsp_build_seal(b);
	CHECK_STR(ptowsp_build_error(b), "");
	return b;
}

TEST(graphs_built_by_calls_run)
{
	struct ptowsp_build *b = graph_build();
	struct ptowsp_pack_result *r = NULL, *again = NULL;
	const char *path = check_fmt("%s/steps.pkg.zst", check_tmp());
	FILE *f = fopen(path, "wb");
	char *out, *err;

	REQUIRE(f != NULL);
	CHECK_INT(ptowsp_pack_graphs(ptowsp_build_bytes(b), ptowsp_build_size(b), &r), PTOWSP_OK);
	CHECK_UINT(ptowsp_pack_message_count(r), 0);
	CHECK_UINT(fwrite(ptowsp_pack_bytes(r), 1, ptowsp_pack_size(r), f), ptowsp_pack_size(r));
	fclose(f);
	for (int threads = 1; threads < 3; threads++) {
		CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-run' --plugin-dir '%s/lib/ptowsp/plugins' --threads %d '%s'", check_build(), check_build(),
					      threads, path),
				    &out, &err),
			  0);
		CHECK_CONTAINS(out, "2 tasks");
		CHECK_CONTAINS(out, "compare: ok (1 tensor, 64 elements, max abs 0)");
		free(out);
		free(err);
	}
	CHECK_INT(ptowsp_pack_graphs(ptowsp_pack_bytes(r), ptowsp_pack_size(r), &again), PTOWSP_INVALID);
	CHECK_STR(ptowsp_pack_message(again, 0), "twice_squared.pto: error: entry steps has code already\n");
	ptowsp_pack_destroy(again);
	ptowsp_pack_destroy(r);
	ptowsp_build_destroy(b);
}

TEST(what_has_no_graphs_is_refused)
{
	struct ptowsp_build *b = ptowsp_build_create("none");
	struct ptowsp_pack_result *r = NULL;

	square_build(b);
	CHECK_INT(ptowsp_build_seal(b), PTOWSP_OK);
	CHECK_INT(ptowsp_pack_graphs(ptowsp_build_bytes(b), ptowsp_build_size(b), &r), PTOWSP_INVALID);
	CHECK_STR(ptowsp_pack_message(r, 0), "none.pto: error: it has no graphs\n");
	ptowsp_pack_destroy(r);
	CHECK_INT(ptowsp_pack_graphs("nothing", 7, &r), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(ptowsp_pack_message(r, 0), "package: error: ");
	ptowsp_pack_destroy(r);
	CHECK_INT(ptowsp_pack_graphs(NULL, 0, &r), PTOWSP_INVALID);
	CHECK(r == NULL);
	ptowsp_build_destroy(b);
}

TEST(a_graph_that_does_not_hold_is_told_at_its_place)
{
	struct ptowsp_build *b = ptowsp_build_create("loose");
	struct ptowsp_pack_result *r = NULL;

	square_build(b);
	ptowsp_build_graph(b, "loose", 0);
	OP("TG_BEGIN", 1);
	kernel_op(b, 1);
	OP("MC_BIND", 1, 0, 1);
	OP("TG_END", 1);
	OP("TG_LAUNCH", 1, 1);
	ptowsp_build_graph_end(b);
	CHECK_INT(ptowsp_build_seal(b), PTOWSP_OK);
	CHECK_INT(ptowsp_pack_graphs(ptowsp_build_bytes(b), ptowsp_build_size(b), &r), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(ptowsp_pack_message(r, 0), "error: argument 1 of 1 is not bound");
	CHECK_CONTAINS(ptowsp_pack_message(r, 0), "it is %y of square");
	ptowsp_pack_destroy(r);
	ptowsp_build_destroy(b);
}

TEST(an_object_has_one_name)
{
	struct ptowsp_build *b = ptowsp_build_create("names");

	ptowsp_build_graph(b, "g", 0);
	ptowsp_build_graph_name(b, "kernel", 3, "A");
	ptowsp_build_graph_name(b, "tensor", 3, "A");
	ptowsp_build_graph_name(b, "kernel", 3, "B");
	CHECK_UINT(ptowsp_build_graph_end(b), 0);
	CHECK_CONTAINS(ptowsp_build_error(b), "ptowsp_build_graph_end: kernel 3 has two names, ");
	ptowsp_build_destroy(b);
}
