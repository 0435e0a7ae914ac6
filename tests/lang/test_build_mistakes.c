/* SPDX-License-Identifier: MIT */
/* test_build_mistakes.c - packages by calls: everyday mistakes are refused, and nothing is added behind them. What each refusal says is in test_build_refusals.c. */
#include "lang/builder/builder_calls.h"
#include "tests/check.h"
#include "tests/lang/build_refused.h"
#include "tests/lang/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(handles_know_what_they_stand_for)
{
	REFUSED("ptowsp_build_task: handle 335544320 is a tensor, a kernel is needed", CODE, ptowsp_build_task(b, p.tensor));
	REFUSED("ptowsp_build_task: 7 is no handle of this builder, a kernel is needed", CODE, ptowsp_build_task(b, 7));
	REFUSED("ptowsp_build_wait: 0 is no handle of this builder, an event is needed", CODE, ptowsp_build_wait(b, 0));
	REFUSED("ptowsp_build_signal: 805306369 is no handle of this builder, an event is needed", CODE, ptowsp_build_signal(b, p.event + 1));
	REFUSED("ptowsp_build_region: handle 335544320 is a tensor, an expression is needed", ptowsp_build_region(b, p.tensor, p.tensor, p.zero, 1, 1));
}

TEST(words_and_names_are_checked)
{
	REFUSED("ptowsp_build_tensor: \"f31\" is no dtype; known: f32, f16, bf16, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool",
		ptowsp_build_tensor(b, "u", "f31", "in"));
	REFUSED("ptowsp_build_tensor: there is a tensor named \"t\" already", ptowsp_build_tensor(b, "t", "f32", "in"));
	REFUSED("ptowsp_build_slot: there is a symbol or slot named \"n\" already", ptowsp_build_slot(b, "n", "u64"));
	REFUSED("ptowsp_build_kernel: a kernel needs a name", ptowsp_build_kernel(b, "", "any"));
	REFUSED("ptowsp_build_kernel: a text is missing (NULL)", ptowsp_build_kernel(b, NULL, "any"));
	REFUSED("ptowsp_build_meta: \"a?b\" is no UTF-8 without control characters", ptowsp_build_meta(b, "k", "a\001b"));
	REFUSED("ptowsp_build_param: \"read\" is no access; known: none, in, out, inout", ptowsp_build_param(b, p.kernel, "y", "f32", "read"));
	REFUSED("ptowsp_build_default: \"1.5\" is no value of type u64", ptowsp_build_default(b, p.n, "1.5"));
	REFUSED("ptowsp_build_fence: \"all\" is no scope of a fence; known: core, device, system", CODE, ptowsp_build_fence(b, "all"));
	REFUSED("ptowsp_build_target: \"A2\" is no backend: 1 to 32 of a-z 0-9 _", ptowsp_build_target(b, "A2"));
}

TEST(expressions_and_axes_are_checked)
{
	REFUSED("ptowsp_build_expr: + has 2 operands, here are 1", ptowsp_build_expr(b, "+", p.one, 0, 0));
	REFUSED("ptowsp_build_expr: const has a call of its own: number, loop, value or named", ptowsp_build_expr(b, "const", 0, 0, 0));
	REFUSED("ptowsp_build_loop: loops nest at most 64 deep", ptowsp_build_loop(b, 64));
	REFUSED("ptowsp_build_axis: the step is 0, it must be at least 1", ptowsp_build_axis(b, "j", "dense", p.zero, p.one, p.zero, 0));
	REFUSED("ptowsp_build_axis: sparse axes have calls of their own: ragged, sparse and axis_of",
		ptowsp_build_axis(b, "j", "sparse", p.zero, p.one, p.one, 0));
	REFUSED("ptowsp_build_ragged: length 1 is -2: lengths are 0 or more, and fit in 64 bits together",
		ptowsp_build_ragged(b, "j", p.zero, (const int64_t[]){3, -2}, 2));
	REFUSED("ptowsp_build_sparse: row 0 begins at 1: the first one at 0, none before the one above it",
		ptowsp_build_sparse(b, "j", p.zero, (const int64_t[]){1, 2}, 1, (const int64_t[]){0, 0}));
	REFUSED("ptowsp_build_levels: 33 rows at block size 8 are no multiple of 32",
		ptowsp_build_levels(b, 16, 4, (const uint32_t[]){8}, (const uint32_t[]){33}, 1));
	REFUSED("ptowsp_build_tensor_dim: an extent uses constants and symbols only", ptowsp_build_tensor_dim(b, p.tensor, p.slot));
	REFUSED("ptowsp_build_tensor_shard: the tensor has no dimension of its own yet", ptowsp_build_tensor_shard(b, p.tensor, 0));
	REFUSED("ptowsp_build_window: the unit is 0: a window counts its rows in units of at least one element",
		ptowsp_build_window(b, p.tensor, p.zero, p.zero, 0, 0));
	REFUSED("ptowsp_build_sample: the extents make 12 bytes, here are 4", ptowsp_build_sample(b, p.tensor, "input", (const uint64_t[]){3}, 1, "abc", 4));
}

TEST(code_is_checked)
{
	REFUSED("ptowsp_build_barrier: no entry or process is open, and this stands in the code of one", ptowsp_build_barrier(b));
	REFUSED("ptowsp_build_entry: the code of entry \"main\" is still open", CODE, ptowsp_build_entry(b, "other"));
	REFUSED("ptowsp_build_arg: this stands behind a task, in front of its edges", CODE, ptowsp_build_arg(b, p.one));
	REFUSED("ptowsp_build_use: the arguments of a task stand in front of its regions", CODE, ptowsp_build_task(b, p.kernel), ptowsp_build_use(b, p.region));
	REFUSED("ptowsp_build_barrier: the task of k in front has 0 of 1 regions", CODE, ptowsp_build_task(b, p.kernel), ptowsp_build_arg(b, p.one),
		ptowsp_build_barrier(b));
	REFUSED("ptowsp_build_use: kernel k has 1 scalars and 1 tensors, and they are there", CODE, ptowsp_build_task(b, p.kernel), ptowsp_build_arg(b, p.one),
		ptowsp_build_use(b, p.region), ptowsp_build_use(b, p.region));
	REFUSED("ptowsp_build_use_rows: how much of a tile is there stands behind a task with all its arguments and regions, in front of its edges", CODE,
		ptowsp_build_task(b, p.kernel), ptowsp_build_arg(b, p.one), ptowsp_build_use_rows(b, 0, p.one));
	REFUSED("ptowsp_build_use_columns: the task has 1 tensors, 1 is none of them", CODE, ptowsp_build_task(b, p.kernel), ptowsp_build_arg(b, p.one),
		ptowsp_build_use(b, p.region), ptowsp_build_use_columns(b, 1, p.one));
	REFUSED("ptowsp_build_after: an edge stands behind a copy, or a task with all its arguments and regions", CODE, ptowsp_build_after(b, "after", p.zero));
	REFUSED("ptowsp_build_arg: this stands behind a task, in front of its edges", CODE, ptowsp_build_copy(b, p.region, p.region),
		ptowsp_build_after(b, "after", p.zero), ptowsp_build_arg(b, p.one));
	REFUSED("ptowsp_build_after: \"before\" is no kind of edge; known: after, data, barrier, soft", CODE, ptowsp_build_task(b, p.kernel),
		ptowsp_build_arg(b, p.one), ptowsp_build_use(b, p.region), ptowsp_build_after(b, "before", p.zero));
	REFUSED("ptowsp_build_param: kernel k has a task or a body already, its parameters stand", CODE, ptowsp_build_task(b, p.kernel),
		ptowsp_build_param(b, p.kernel, "y", "f32", "in"));
	REFUSED("ptowsp_build_slot_set: the expression uses the value of the loop at depth 0, 0 loops are open here", CODE,
		ptowsp_build_slot_set(b, p.slot, ptowsp_build_loop(b, 0)));
	REFUSED("ptowsp_build_slot_set: n is a symbol, a run cannot change it", CODE, ptowsp_build_slot_set(b, p.n, p.one));
	REFUSED("ptowsp_build_select: select walks sparse axes, the other loops all others; i is not sparse", CODE, ptowsp_build_select(b, p.axis));
	REFUSED("ptowsp_build_else: an else belongs to the innermost body, which must be an if without one", CODE, ptowsp_build_if(b, p.n),
		ptowsp_build_else(b), ptowsp_build_else(b));
	REFUSED("ptowsp_build_end: the body has 2 branches or steps, this is number 1", CODE, ptowsp_build_combine(b, 2), ptowsp_build_end(b));
	REFUSED("ptowsp_build_next: the body has 1 branches or steps, and this is the last one", CODE, ptowsp_build_sequential(b, 1), ptowsp_build_next(b));
	REFUSED("ptowsp_build_break: there is no loop to leave", CODE, ptowsp_build_scope(b), ptowsp_build_break(b));
	REFUSED("ptowsp_build_halt: the entry or process cannot end inside a body", CODE, ptowsp_build_scope(b), ptowsp_build_halt(b));
	REFUSED("ptowsp_build_send: this stands in the code of a process", CODE, ptowsp_build_send(b, p.channel, p.one));
	REFUSED("ptowsp_build_carry: this stands behind the send or consume of a payload channel, once", CODE, ptowsp_build_carry(b, p.region));
	REFUSED("ptowsp_build_end: the consume in front lacks the region of its payload: ptowsp_build_carry",
		(p.channel = ptowsp_build_channel(b, "d", "payload", 1, 0)), (p.n = ptowsp_build_process(b, "w", 1)),
		ptowsp_build_process_uses(b, p.n, "consumes", p.channel), ptowsp_build_consume(b, p.channel), ptowsp_build_end(b));
	REFUSED("ptowsp_build_consume: process w does not say that it consumes from c: ptowsp_build_process_uses", ptowsp_build_process(b, "w", 1),
		ptowsp_build_consume(b, p.channel));
	REFUSED("ptowsp_build_process: 0 replicas: 1 to 4096 are possible", ptowsp_build_process(b, "w", 0));
	REFUSED("ptowsp_build_entry_default: entry main is the default already", ptowsp_build_entry_default(b, CODE), ptowsp_build_end(b),
		ptowsp_build_entry_default(b, ptowsp_build_entry(b, "other")));
	REFUSED("ptowsp_build_directive: \"robin\" is no policy of dispatch; known: round_robin, affinity, hash, threshold, static_partition, work_steal, "
		"custom, auto, spatial_map",
		ptowsp_build_directive(b, "dispatch", "robin"));
	REFUSED("ptowsp_build_directive_number: streams count takes at most 1 argument",
		ptowsp_build_directive_number(b, (p.n = ptowsp_build_directive(b, "streams", "")), 2), ptowsp_build_directive_number(b, p.n, 3));
	REFUSED("ptowsp_build_require: state 4: 1 is diagnosed, 2 recorded, 3 enforced", ptowsp_build_require(b, "opcode task", 4));
	REFUSED("ptowsp_build_stated: this stands before everything but facts", ptowsp_build_stated(b));
}

TEST(bodies_are_checked)
{
#define BODY ptowsp_build_body(b, p.kernel), (p.n = ptowsp_build_literal(b, "i64", "0"))
	REFUSED("ptowsp_build_tile: this stands between ptowsp_build_body and ptowsp_build_body_end", ptowsp_build_tile(b, "t", "f32", 1, 1));
	REFUSED("ptowsp_build_body: the body of kernel k is still open", BODY, ptowsp_build_body(b, p.kernel));
	REFUSED("ptowsp_build_tile: a tile of 0 x 4 has no elements", BODY, ptowsp_build_tile(b, "t", "f32", 0, 4));
	REFUSED("ptowsp_build_op: \"tfly\" is no opcode of the tile ISA (pto_ops.def)", BODY, ptowsp_build_op(b, "tfly", 0, NULL, 0));
	REFUSED("ptowsp_build_op: CALL is never in a package: state what is called in its place", BODY, ptowsp_build_op(b, "CALL", 0, NULL, 0));
	REFUSED("ptowsp_build_op: tadd has 3 operands: tile, tile, tile, here are 2", BODY, OP(b, "tadd", p.n, p.n));
	REFUSED("ptowsp_build_op: a literal cannot be set", BODY, OP(b, "MOV", p.n, p.n));
	REFUSED("ptowsp_build_op: ENDFOR without its FOR", BODY, ptowsp_build_op(b, "ENDFOR", 0, NULL, 0));
	REFUSED("ptowsp_build_op: BREAK outside a loop", BODY, OP(b, "IF", p.n), ptowsp_build_op(b, "BREAK", 0, NULL, 0));
	REFUSED("ptowsp_build_op: the second ELSE of one IF", BODY, OP(b, "IF", p.n), ptowsp_build_op(b, "ELSE", 0, NULL, 0),
		ptowsp_build_op(b, "ELSE", 0, NULL, 0));
	REFUSED("ptowsp_build_op: a WHILE has a DO in front of its ENDWHILE", BODY, ptowsp_build_op(b, "WHILE", 0, NULL, 0),
		ptowsp_build_op(b, "ENDWHILE", 0, NULL, 0));
	REFUSED("ptowsp_build_body_end: IF has no end", BODY, OP(b, "IF", p.n), ptowsp_build_body_end(b));
	REFUSED("ptowsp_build_body_end: parameter x of kernel k is declared inout, but the body does not touch it", BODY, ptowsp_build_body_end(b));
	REFUSED("ptowsp_build_op: the scalar belongs to another body", (p.one = ptowsp_build_kernel(b, "m", "any")), ptowsp_build_body(b, p.one),
		(p.zero = ptowsp_build_literal(b, "i64", "0")), ptowsp_build_body_end(b), BODY, OP(b, "IF", p.zero));
#undef BODY
}

TEST(graphs_and_notes_are_checked)
{
#define GRAPH ptowsp_build_graph(b, "g", 0)
	REFUSED("ptowsp_build_graph_op: this stands between ptowsp_build_graph and ptowsp_build_graph_end", ptowsp_build_graph_op(b, "TG_BEGIN"));
	REFUSED("ptowsp_build_graph: graph g is still open", GRAPH, GRAPH);
	REFUSED("ptowsp_build_graph_op: \"TG_FLY\" is no instruction of a graph (graph_ops.def)", GRAPH, ptowsp_build_graph_op(b, "TG_FLY"));
	REFUSED("ptowsp_build_graph_number: an operand stands behind its instruction: ptowsp_build_graph_op", GRAPH, ptowsp_build_graph_number(b, 1));
	REFUSED("ptowsp_build_graph_number: entry_symbol of TG_KERNEL is no number", GRAPH, ptowsp_build_graph_op(b, "TG_KERNEL"),
		ptowsp_build_graph_number(b, 1), ptowsp_build_graph_number(b, 1));
	REFUSED("ptowsp_build_graph_end: TG_KERNEL in front lacks its entry_symbol", GRAPH, ptowsp_build_graph_op(b, "TG_KERNEL"),
		ptowsp_build_graph_number(b, 1), ptowsp_build_graph_end(b));
	REFUSED("ptowsp_build_graph_number: TG_SYNC has 1 operands, and they are there", GRAPH, ptowsp_build_graph_op(b, "TG_SYNC"),
		ptowsp_build_graph_number(b, 1), ptowsp_build_graph_number(b, 1));
	REFUSED("ptowsp_build_graph_node: the node has 2 operands, 1 stand before it", GRAPH, ptowsp_build_graph_node(b, "const", 1),
		ptowsp_build_graph_node(b, "+", 0));
	REFUSED("ptowsp_build_call_tensor: this stands between ptowsp_build_call and ptowsp_build_call_end", CODE,
		ptowsp_build_call_tensor(b, p.tensor, p.zero, p.zero));
	REFUSED("ptowsp_build_end: the call in this body is still open: ptowsp_build_call_end", CODE, ptowsp_build_scope(b), ptowsp_build_call(b, "other"),
		ptowsp_build_end(b));
	REFUSED("ptowsp_build_call_end: a call ends in the body in which it began", CODE, ptowsp_build_call(b, "other"), ptowsp_build_scope(b),
		ptowsp_build_call_end(b));
	REFUSED("ptowsp_build_payload_like: one of the kernels has payloads of its own, or the other has none",
		ptowsp_build_payload(b, p.kernel, "elf", "x", 1), ptowsp_build_payload_like(b, p.kernel, ptowsp_build_kernel(b, "m", "any")));
#undef GRAPH
}

TEST(nothing_is_added_to_a_sealed_package)
{
	struct parts p = parts_build();

	CHECK_INT(ptowsp_build_seal(p.b), PTOWSP_OK);
	CHECK_INT(ptowsp_build_seal(p.b), PTOWSP_OK);
	CHECK(ptowsp_build_size(p.b) > 0);
	CHECK_UINT(ptowsp_build_number(p.b, 3), 0);
	CHECK_STR(ptowsp_build_error(p.b), "ptowsp_build_number: the package is sealed, nothing can be added");
	ptowsp_build_destroy(p.b);
	ptowsp_build_destroy(NULL);
}

TEST(what_is_open_cannot_be_sealed)
{
	struct parts p = parts_build();

	ptowsp_build_process(p.b, "w", 1);
	CHECK_INT(ptowsp_build_seal(p.b), PTOWSP_INVALID);
	CHECK_STR(ptowsp_build_error(p.b), "ptowsp_build_seal: the code of process \"w\" is still open");
	CHECK_STR(ptowsp_build_digest(p.b), "");
	ptowsp_build_destroy(p.b);
}

TEST(variants_take_the_parameters_of_their_kernel)
{
	static const char *const accesses[] = {"in", "out"};

	for (int same = 0; same < 2; same++) {
		struct parts p = parts_build();
		uint32_t k = ptowsp_build_kernel(p.b, "base", "any"), wide = ptowsp_build_kernel(p.b, "wide", "any");

		ptowsp_build_param(p.b, k, "x", "f32", "out");
		ptowsp_build_param_scalar(p.b, k, "n", "i64");
		ptowsp_build_param_scalar(p.b, wide, "m", "i64");
		ptowsp_build_variant(p.b, k, 64, wide); /* its other parameter may still come */
		ptowsp_build_param(p.b, wide, "y", "f32", accesses[same]);
		CHECK_INT(ptowsp_build_seal(p.b), same ? PTOWSP_OK : PTOWSP_INVALID);
		CHECK_STR(ptowsp_build_error(p.b),
			  same ? "" : "ptowsp_build_seal: kernel wide is a variant of base and has other parameters: number, types or directions");
		ptowsp_build_destroy(p.b);
	}
}

/* Rules that no single call can see are the verifier's. */
TEST(a_package_that_does_not_hold_is_refused_by_seal)
{
	struct parts p = parts_build();

	ptowsp_build_directive(p.b, "dispatch", "round_robin");
	CHECK_INT(ptowsp_build_seal(p.b), PTOWSP_BAD_PACKAGE);
	CHECK_STR(ptowsp_build_error(p.b), "ptowsp_build_seal: new package: SCHD[0].count is 0: dispatch round_robin takes 1 arguments");
	ptowsp_build_destroy(p.b);
}

TEST(a_kernel_that_cannot_run_is_noticed)
{
	struct ptowsp_build *b = ptowsp_build_create("odd");
	uint32_t kernel = ptowsp_build_kernel(b, "odd", "any"), x = ptowsp_build_param(b, kernel, "x", "f32", "out"), wide, narrow, zero;

	ptowsp_build_body(b, kernel);
	wide = ptowsp_build_tile(b, "a", "f32", 2, 4);
	narrow = ptowsp_build_tile(b, "b", "f32", 2, 1);
	zero = ptowsp_build_literal(b, "i64", "0");
	OP(b, "tadd", wide, wide, narrow);
	OP(b, "tstore", wide, x, zero, zero);
	ptowsp_build_body_end(b);
	CHECK_STR(ptowsp_build_error(b), "");
	REQUIRE(ptowsp_build_notice(b, 0) != NULL);
	CHECK_STR(ptowsp_build_notice(b, 0), "kernel odd instruction 0: tadd needs equal shapes, got 2x4 and 2x1; it is packed but will not run");
	CHECK(ptowsp_build_notice(b, 1) == NULL);
	CHECK_INT(ptowsp_build_seal(b), PTOWSP_OK);
	ptowsp_build_destroy(b);
}

TEST(packages_that_cannot_be_written_say_why)
{
	struct ptowsp_build *b = ptowsp_build_create("saved");

	CHECK_INT(ptowsp_build_save(b, NULL), PTOWSP_IO);
	CHECK_STR(ptowsp_build_error(b), "ptowsp_build_save: (NULL) cannot be written: no name");
	ptowsp_build_destroy(b);
	b = ptowsp_build_create("saved");
	CHECK_INT(ptowsp_build_save(b, check_tmp()), PTOWSP_IO);
	CHECK_STR(ptowsp_build_error(b), check_fmt("ptowsp_build_save: %s cannot be written: Is a directory", check_tmp()));
	ptowsp_build_destroy(b);
	CHECK_STR(ptowsp_build_error(NULL), "there is no builder");
}
