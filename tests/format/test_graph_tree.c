/* SPDX-License-Identifier: MIT
 * test_graph_tree.c - the instruction form as the tree that is lowered: objects, scalars, order, fused graphs. */
#include "ptowsp/task.h"
#include "tests/check.h"
#include "tests/taskgraph/graph_module.h"

#include <stdlib.h>
#include <string.h>

#define K(name) "TG_KERNEL(" name ", k, 1, AIV, 0)\n"

#define COPY                                                                                                                                                   \
	"func @copy(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n"                                     \
	"  %t = tload %x[0, 0]\n  tstore %t, %y[0, 0]\n}\n"
#define STEP(name, from, to) "TG_KERNEL(" name ", copy, 1, AIV, 0)\nMC_BIND(" name ", 0, " from ")\nMC_BIND(" name ", 1, " to ")\n"

/* The order of the only graph. */
static void is_issued(const char *body, const char *want)
{
	struct lang_graph_program *p = graph_module(check_fmt("TG_BEGIN(G)\n%sTG_END(G)\n", body));

	CHECK_STR(graph_module_messages(), "");
	REQUIRE(p != NULL);
	CHECK_STR(graph_order_text(p->graphs[0]->body), want);
	graph_module_finish();
}

TEST(kernels_without_edges_stay_in_the_order_of_the_text)
{
	is_issued(K("C") K("A") K("B"), "C A B");
}

TEST(edges_lead_forward)
{
	is_issued(K("C") K("A") K("B") "TG_DEPEND(A, C)\nTG_DEPEND(B, A)\n", "B A C");
	is_issued("TG_DEPEND(A, C)\nTG_DEPEND(B, A)\n" K("C") K("A") K("B") K("D"), "B A C D");
}

TEST(soft_edges_order_nothing)
{
	is_issued(K("C") K("A") "TG_DEPEND(A, C, SOFT)\nTG_DEPEND(C, A, SOFT)\n", "C A");
}

TEST(sorting_stays_between_what_has_a_fixed_place)
{
	is_issued(K("B") K("A") "MC_FENCE(GM)\n" K("D") K("C") "TG_DEPEND(A, B)\nTG_DEPEND(C, D)\n", "A B C D");
	is_issued(K("B") K("A") "CF_IF(x)\n" K("D") K("C") "CF_ELSE\n" K("F") K("E") "CF_ENDIF\n" K("H")
			  K("G") "TG_DEPEND(A, B)\nTG_DEPEND(C, D)\nTG_DEPEND(E, F)\nTG_DEPEND(G, H)\nTG_DEPEND(D, H)\n",
		  "A B (C D | E F) G H");
}

/* W and R have no edge of their own: without the barrier between A and B there would be a warning. */
TEST(a_full_barrier_orders_all_kernels_above_it_before_all_below)
{
#define ACROSS(edge) COPY "TG_BEGIN(G)\n" STEP("W", "IN", "T") K("A") K("B") STEP("R", "T", "OUT") "TG_DEPEND(A, B, " edge ")\nTG_END(G)\n"
	static const char *const texts[] = {ACROSS("AFTER"), ACROSS("BARRIER")};
#undef ACROSS

	for (int i = 0; i < 2; i++) {
		struct lang_graph_program *p = graph_module(texts[i]);

		REQUIRE(p != NULL);
		CHECK_STR(graph_module_messages(), i ? "" : "W writes T, R reads it, and nothing orders the two\n");
		CHECK_STR(graph_order_text(p->graphs[0]->body), "W A B R");
	}
	graph_module_finish();
}

TEST(events_inside_a_graph_order_like_edges)
{
	is_issued(K("B") K("A") "SY_WAIT(E, B)\nSY_SIGNAL(E, A)\n", "A B");
}

TEST(what_comes_before_one_of_a_set_comes_before_all)
{
	is_issued(K("B") K("C") K("A") "TG_DEPEND(A, C)\nSY_BARRIER({B, C}, 1)\n", "A B C");
}

TEST(numbers_as_written_are_kept_and_names_take_those_that_are_free)
{
	struct lang_graph_program *p = graph_module("TG_BEGIN(A)\n" K("X") K("1") K("0") "MC_BIND(X, 0, 1)\nMC_BIND(X, 1, T)\nMC_BIND(X, 2, U)\nTG_END(A)\n"
											 "TG_BEGIN(5)\n" K("1") "TG_END(5)\n");

	REQUIRE(p != NULL);
	CHECK_UINT(p->kernels[0]->object.number, 2); /* X */
	CHECK_UINT(p->kernels[1]->object.number, 1);
	CHECK_UINT(p->kernels[2]->object.number, 0);
	CHECK_UINT(p->kernels[3]->object.number, 3); /* 1 of another graph */
	CHECK_UINT(p->tensors[0]->object.number, 1);
	CHECK_UINT(p->tensors[1]->object.number, 2); /* no name is tensor 0 */
	CHECK_UINT(p->tensors[2]->object.number, 3);
	CHECK_UINT(p->graphs[0]->object.number, 0);
	CHECK_UINT(p->graphs[1]->object.number, 5);
	graph_module_finish();
}

TEST(an_edge_without_a_tensor_means_tensor_0_only_where_there_is_one)
{
	struct lang_graph_program *p = graph_module("TG_BEGIN(A)\n" K("X") K("Y") "TG_DEPEND(X, Y, DATA, 0)\nMC_BIND(X, 0, T)\nMC_BIND(Y, 0, T)\nTG_END(A)\n");

	REQUIRE(p != NULL);
	CHECK(p->graphs[0]->depends[0]->tensor == NULL);
	CHECK_UINT(p->tensor_count, 1);
	p = graph_module("TG_BEGIN(A)\n" K("X") K("Y") "TG_DEPEND(X, Y, DATA)\nMC_ALLOC(0, 64)\nMC_BIND(X, 0, 0)\nMC_BIND(Y, 0, 0)\nTG_END(A)\n");
	REQUIRE(p != NULL);
	CHECK(p->graphs[0]->depends[0]->tensor == p->tensors[0]);
	graph_module_finish();
}

TEST(scalars_fold_and_bind_as_in_c)
{
	static const struct {
		const char *text;
		int64_t value;
	} cases[] = {{"64*1024", 65536},
		     {"8-2*3", 2},
		     {"(8-2)*3", 18},
		     {"1 << 4 | 3", 19},
		     {"-7 / 2 + 10", 7},
		     {"10 % 4", 2},
		     {"0x1F & ~1", 30},
		     {"!0 + !5", 1},
		     {"3 > 2 && 2 >= 3", 0},
		     {"1 ? 5 : 6", 5},
		     {"min(3, max(1, 2))", 2},
		     {"100 -1", 99},
		     {"5 != 4 == 1", 1},
		     {"6 ^ 3 << 1", 0},
		     {"0 || 0 ? 1 : 0 ? 2 : 3", 3},
		     {"10 - 4 - 3", 3},
		     {"100 / 10 / 5", 2},
		     {"0x10", 16},
		     {"1 << 62", INT64_C(1) << 62},
		     {"(2 < 2) + 2 * (2 <= 2) + 4 * (2 > 2) + 8 * (2 >= 2) + 16 * (2 == 2) + 32 * (2 != 2)", 26},
		     {"(1 < 2) + 2 * (1 <= 2) + 4 * (1 > 2) + 8 * (1 >= 2) + 16 * (1 == 2) + 32 * (1 != 2)", 35},
		     {"(2 < 1) + 2 * (2 <= 1) + 4 * (2 > 1) + 8 * (2 >= 1) + 16 * (2 == 1) + 32 * (2 != 1)", 44},
		     {"(-9 >> 1) + 10", 5},
		     {"max(-3, 2) - min(-3, 2)", 5},
		     {"0x7fffffffffffffff", INT64_MAX}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lang_graph_program *p = graph_module(check_fmt("CF_IF(%s)\nCF_ENDIF\n", cases[i].text));
		int64_t value = -1;

		CHECK_STR(graph_module_messages(), "");
		REQUIRE(p != NULL);
		CHECK(lang_graph_constant(p->body.first->args[0].scalar, &value));
		if (value != cases[i].value)
			CHECK_FAIL("%s is %lld, not %lld", cases[i].text, (long long)value, (long long)cases[i].value);
	}
	graph_module_finish();
}

TEST(names_in_scalars_are_iterators_inside_their_loops_and_symbols_elsewhere)
{
	struct lang_graph_program *p =
		graph_module("CF_LOOP(3, i)\nCF_IF(i + n)\nCF_ENDIF\nCF_ENDLOOP\nCF_IF(i)\nCF_ENDIF\nCF_IF(T[n]:f32)\nCF_ENDIF\nCF_IF(ITERATION)\nCF_ENDIF\n");
	const struct lang_graph_inst *loop;
	const struct lang_graph_scalar *sum;

	REQUIRE(p != NULL);
	loop = p->body.first;
	sum = loop->body.first->args[0].scalar;
	CHECK_UINT(sum->op, PTOWSP_EXPR_ADD);
	CHECK_UINT(sum->a->op, PTOWSP_EXPR_AXIS);
	CHECK(sum->a->object->inst == loop);
	CHECK_UINT(sum->b->op, PTOWSP_EXPR_VALUE);
	CHECK_STR(sum->b->object->name, "n");
	CHECK_UINT(loop->next->args[0].scalar->op, PTOWSP_EXPR_VALUE);
	CHECK_UINT(loop->next->next->args[0].scalar->op, PTOWSP_GRAPH_NODE_ELEMENT);
	CHECK_UINT(loop->next->next->args[0].scalar->dtype, PTOWSP_F32);
	CHECK_UINT(loop->next->next->next->args[0].scalar->op, PTOWSP_GRAPH_NODE_ITERATION);
	graph_module_finish();
}

/* "!n" and "%m" begin a type and a name elsewhere. */
TEST(operators_need_no_blanks_around_them)
{
	static const struct {
		const char *text;
		unsigned op, first, second;
	} cases[] = {
		{"!n", PTOWSP_EXPR_LNOT, PTOWSP_EXPR_VALUE, 0},
		{"!n+m", PTOWSP_EXPR_ADD, PTOWSP_EXPR_LNOT, PTOWSP_EXPR_VALUE},
		{"!(n)", PTOWSP_EXPR_LNOT, PTOWSP_EXPR_VALUE, 0},
		{"!!n", PTOWSP_EXPR_LNOT, PTOWSP_EXPR_LNOT, 0},
		{"n%m", PTOWSP_EXPR_MOD, PTOWSP_EXPR_VALUE, PTOWSP_EXPR_VALUE},
		{"n %m", PTOWSP_EXPR_MOD, PTOWSP_EXPR_VALUE, PTOWSP_EXPR_VALUE},
		{"n%4", PTOWSP_EXPR_MOD, PTOWSP_EXPR_VALUE, PTOWSP_EXPR_CONST},
		{"n-2", PTOWSP_EXPR_SUB, PTOWSP_EXPR_VALUE, PTOWSP_EXPR_CONST},
		{"n - -2", PTOWSP_EXPR_SUB, PTOWSP_EXPR_VALUE, PTOWSP_EXPR_CONST},
		{"n!=m", PTOWSP_EXPR_NE, PTOWSP_EXPR_VALUE, PTOWSP_EXPR_VALUE},
		{"n<<m", PTOWSP_EXPR_SHL, PTOWSP_EXPR_VALUE, PTOWSP_EXPR_VALUE},
		{"n<-m", PTOWSP_EXPR_LT, PTOWSP_EXPR_VALUE, PTOWSP_EXPR_NEG},
		{"n&&!m", PTOWSP_EXPR_LAND, PTOWSP_EXPR_VALUE, PTOWSP_EXPR_LNOT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct lang_graph_program *p = graph_module(check_fmt("CF_IF(%s)\nCF_ENDIF\n", cases[i].text));
		const struct lang_graph_scalar *top;

		CHECK_STR(graph_module_messages(), "");
		REQUIRE(p != NULL);
		top = p->body.first->args[0].scalar;
		if (top->op != cases[i].op || top->a->op != cases[i].first || (cases[i].second && top->b->op != cases[i].second))
			CHECK_FAIL("%s is operation %u of %u", cases[i].text, top->op, top->a->op);
	}
	graph_module_finish();
}

TEST(the_names_of_functions_are_names_without_operands)
{
	struct lang_graph_program *p = graph_module("CF_IF(min + max)\nCF_ENDIF\n");
	const struct lang_graph_scalar *sum;

	CHECK_STR(graph_module_messages(), "");
	REQUIRE(p != NULL);
	sum = p->body.first->args[0].scalar;
	CHECK_UINT(sum->a->op, PTOWSP_EXPR_VALUE);
	CHECK_STR(sum->a->object->name, "min");
	CHECK_STR(sum->b->object->name, "max");
	graph_module_finish();
}

TEST(kernels_know_what_is_bound_and_what_they_do_with_it)
{
	struct lang_graph_program *p =
		graph_module("func @copy(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n"
			     "  %t = tload %x[0, 0]\n  tstore %t, %y[0, 0]\n}\nkernel @k(%a: f32[8, 8] inout)\n"
			     "TG_BEGIN(G)\nTG_KERNEL(A, copy, 96, AIC_AIV, 4096)\nMC_BIND(A, 1, OUT, 256, 256)\nMC_BIND(A, 0, IN)\n"
			     "TG_KERNEL(B, k, 1, AIV, 0)\nMC_BIND(B, 0, IO)\nCA_REQUEST(A, 3, 2)\nTG_PERSISTENT(A, 9)\nTG_END(G)\n");

	CHECK_STR(graph_module_messages(), "");
	REQUIRE(p != NULL);
	CHECK(p->kernels[0]->function != NULL && p->kernels[1]->function == NULL && p->kernels[1]->decl != NULL);
	REQUIRE_UINT(p->kernels[0]->bind_count, 2);
	CHECK_STR(p->kernels[0]->binds[0]->tensor->object.name, "IN");
	CHECK_UINT(p->kernels[0]->binds[0]->access, PTOWSP_READ);
	CHECK_UINT(p->kernels[0]->binds[1]->access, PTOWSP_WRITE);
	CHECK_UINT(p->kernels[1]->binds[0]->access, PTOWSP_READ | PTOWSP_WRITE);
	CHECK_UINT(p->kernels[0]->blockdim, 96);
	CHECK_UINT(p->kernels[0]->workspace, 4096);
	CHECK_UINT(p->kernels[0]->aic, 3);
	CHECK_UINT(p->kernels[0]->duration, 9);
	CHECK_UINT(p->tensors[0]->size, 512); /* OUT: the smallest that the binding fits into */
	graph_module_finish();
}

static struct lang_graph *fused_of(const struct lang_graph_program *p)
{
	struct lang_graph *fused = graph_named(p, "GH");

	CHECK_STR(graph_module_messages(), "");
	REQUIRE(fused != NULL);
	return fused;
}

TEST(fused_graphs_are_one_behind_the_other_where_they_share_data)
{
	struct lang_graph_program *p = graph_module(COPY "TG_BEGIN(G)\n" STEP("A", "IN", "T") "TG_END(G)\nTG_BEGIN(H)\n" STEP("A", "T", "OUT")
							    STEP("B", "OTHER", "ELSEWHERE") "TG_END(H)\nTG_FUSE(G, H, GH)\n");
	struct lang_graph *fused;

	fused = fused_of(p);
	CHECK_STR(graph_order_text(fused->body), "A H.A B");
	REQUIRE_UINT(fused->depend_count, 1);
	CHECK_STR(fused->depends[0]->src->object.name, "A");
	CHECK_STR(fused->depends[0]->dst->object.name, "H.A");
	CHECK_STR(fused->depends[0]->tensor->object.name, "T");
	CHECK_UINT(fused->depends[0]->type, PTOWSP_dep_type_DATA);
	CHECK_STR(graph_order_text(graph_named(p, "G")->body), "A"); /* the two are as they were */
	graph_module_finish();
}

/* The second one reads nothing of what the first one writes: it writes what that reads, and what that writes, too. */
TEST(fused_graphs_without_data_between_them_are_ordered_alone)
{
	struct lang_graph_program *p = graph_module(COPY "TG_BEGIN(G)\n" STEP("A", "IN", "T") "TG_END(G)\nTG_BEGIN(H)\n" STEP("B", "OTHER", "IN")
							    STEP("C", "SOME", "T") "TG_END(H)\nTG_FUSE(G, H, GH)\n");
	struct lang_graph *fused = graph_named(p, "GH");

	CHECK_STR(graph_module_messages(), "");
	REQUIRE(fused != NULL);
	REQUIRE_UINT(fused->depend_count, 2);
	for (int i = 0; i < 2; i++) {
		CHECK_STR(fused->depends[i]->src->object.name, "A");
		CHECK_STR(fused->depends[i]->dst->object.name, i ? "C" : "B");
		CHECK_UINT(fused->depends[i]->type, PTOWSP_dep_type_AFTER);
		CHECK(fused->depends[i]->tensor == NULL);
	}
	graph_module_finish();
}

TEST(kernels_that_do_the_same_are_one_in_a_fused_graph)
{
	struct lang_graph_program *p = graph_module(COPY "TG_BEGIN(G)\n" STEP("A", "IN", "T")
							    STEP("B", "T", "U") "TG_DEPEND(A, B, DATA, T)\nTG_END(G)\nTG_BEGIN(H)\n" STEP("A", "IN", "T")
								    STEP("C", "T", "V") "TG_DEPEND(A, C, DATA, T)\nTG_END(H)\nTG_FUSE(G, H, GH)\n");
	struct lang_graph *fused;

	fused = fused_of(p);
	CHECK_STR(graph_order_text(fused->body), "A B C");
	CHECK_UINT(fused->depend_count, 3); /* A to B, A to C, and A to C again, because C reads what A writes */
	graph_module_finish();
}

TEST(kernels_whose_input_changes_between_stay_two)
{
	struct lang_graph_program *p = graph_module(COPY "TG_BEGIN(G)\n" STEP("A", "IN", "T") STEP(
		"B", "T", "IN") "TG_DEPEND(A, B, DATA, T)\nTG_END(G)\nTG_BEGIN(H)\n" STEP("A", "IN", "T") "TG_END(H)\nTG_FUSE(G, H, GH)\n");

	REQUIRE(graph_named(p, "GH") != NULL);
	CHECK_STR(graph_order_text(graph_named(p, "GH")->body), "A B H.A");
	graph_module_finish();
}

/* Larger than what is compared pair by pair: order is found, nothing takes long. */
TEST(a_chain_of_many_kernels_is_sorted)
{
	enum { N = 20000 };
	size_t room = (size_t)N * 80, used = 0;
	char *text = malloc(room);
	struct lang_graph_program *p;
	const struct lang_graph_inst *inst;
	int next = 0;

	REQUIRE(text != NULL);
	used += (size_t)snprintf(text + used, room - used, "TG_BEGIN(G)\n");
	for (int i = N; i-- > 0;)
		used += (size_t)snprintf(text + used, room - used, "TG_KERNEL(K%d, k, 1, AIV, 0)\n", i);
	for (int i = 1; i < N; i++)
		used += (size_t)snprintf(text + used, room - used, "TG_DEPEND(K%d, K%d)\n", i - 1, i);
	snprintf(text + used, room - used, "TG_END(G)\n");
	p = graph_module(text);
	REQUIRE(p != NULL);
	for (inst = p->graphs[0]->body->first; inst; inst = inst->next)
		if (inst->op == PTOWSP_TG_KERNEL && strcmp(inst->args[0].object->name, check_fmt("K%d", next++)))
			break;
	CHECK(inst == NULL);
	CHECK_INT(next, N);
	graph_module_finish();
	free(text);
}

/* --- races in graphs of any size --- */

/* Kernel i reads slice i of T and writes slice i + 1. `edge` is that from kernel odd - 1 to odd; all others are DATA. */
static const char *slices(uint32_t count, uint32_t odd, const char *edge)
{
	static char *text;
	size_t room = (size_t)count * 160 + 1000, used = 0;

	free(text);
	text = malloc(room);
	if (!text)
		return "";
	used += (size_t)snprintf(text, room, "%sTG_BEGIN(G)\n", COPY);
	for (uint32_t i = 0; i < count; i++) {
		used += (size_t)snprintf(text + used, room - used,
					 "TG_KERNEL(K%u, copy, 1, AIV, 0)\nMC_BIND(K%u, 0, T, %u, 256)\nMC_BIND(K%u, 1, T, %u, 256)\n", i, i, i * 256, i,
					 i * 256 + 256);
		if (i == odd)
			used += (size_t)snprintf(text + used, room - used, "%s\n", edge);
		else if (i)
			used += (size_t)snprintf(text + used, room - used, "TG_DEPEND(K%u, K%u, DATA)\n", i - 1, i);
	}
	snprintf(text + used, room - used, "TG_END(G)\n");
	return text;
}

TEST(a_missing_edge_is_found_among_thousands)
{
	REQUIRE(graph_module(slices(6000, 0, "")) != NULL);
	CHECK_STR(graph_module_messages(), "");
	REQUIRE(graph_module(slices(6000, 5500, "")) != NULL);
	CHECK_STR(graph_module_messages(), "K5499 writes T, K5500 reads it, and nothing orders the two\n");
	REQUIRE(graph_module(slices(6000, 5500, "TG_DEPEND(K5499, K5500)")) != NULL);
	CHECK_STR(graph_module_messages(), "K5500 reads T, which K5499 writes, and only AFTER orders the two: what was written need not be visible\n");
	graph_module_finish();
	slices(0, 0, "");
}

/* 1,500 kernels write slices and 1,500 read all of them: more pairs than are looked at. */
TEST(what_is_too_large_to_be_searched_is_said)
{
	enum { N = 1500 };
	size_t room = (size_t)N * 300 + 1000, used = 0;
	char *text = malloc(room);

	REQUIRE(text != NULL);
	used += (size_t)snprintf(text, room, "%sTG_BEGIN(G)\nMC_FENCE(GM)\n", COPY);
	for (int i = 0; i < N; i++)
		used += (size_t)snprintf(text + used, room - used, "TG_KERNEL(W%d, copy, 1, AIV, 0) MC_BIND(W%d, 0, IN) MC_BIND(W%d, 1, T, %d, 256)\n", i, i, i,
					 i * 256);
	for (int i = 0; i < N; i++)
		used += (size_t)snprintf(text + used, room - used, "TG_KERNEL(R%d, copy, 1, AIV, 0) MC_BIND(R%d, 0, T) MC_BIND(R%d, 1, OUT, %d, 256)\n", i, i,
					 i, i * 256);
	snprintf(text + used, room - used, "TG_DEPEND(W%d, R0, BARRIER)\nTG_END(G)\n", N - 1);
	REQUIRE(graph_module(text) != NULL);
	CHECK_STR(graph_module_messages(), "graph G is too large to be searched for races: what R699 and the 2300 bindings behind it share is not looked at\n");
	graph_module_finish();
	free(text);
}

#define PAIR(between) COPY "TG_BEGIN(G)\n" STEP("W", "IN", "T") between STEP("R", "T", "OUT") "TG_DEPEND(W, R)\nTG_END(G)\n"
#define UNSEEN        "R reads T, which W writes, and only AFTER orders the two: what was written need not be visible\n"

TEST(a_fence_counts_where_it_is_always_reached)
{
	static const struct {
		const char *text, *messages;
	} cases[] = {
		{PAIR(""), UNSEEN},
		{PAIR("MC_FENCE(DEVICE)\n"), ""},
		{PAIR("CF_IF(n)\nMC_FENCE(DEVICE)\nCF_ENDIF\n"), UNSEEN},
		{PAIR("CF_LOOP(n, i)\nMC_FENCE(DEVICE)\nCF_ENDLOOP\n"), UNSEEN},
		{COPY "TG_BEGIN(G)\n" STEP("W", "IN", "T") "CF_IF(n)\nMC_FENCE(GM)\n" STEP("R", "T", "OUT") "CF_ENDIF\nTG_DEPEND(W, R)\nTG_END(G)\n", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		REQUIRE(graph_module(cases[i].text) != NULL);
		CHECK_STR(graph_module_messages(), cases[i].messages);
	}
	graph_module_finish();
}

/* A reads what B or C wrote, whichever ran; nothing orders C. */
TEST(both_branches_are_writers_of_what_follows)
{
	REQUIRE(graph_module(COPY "TG_BEGIN(G)\nCF_IF(n)\n" STEP("B", "IN", "T") "CF_ELSE\n" STEP("C", "IN", "T") "CF_ENDIF\n" STEP(
			"A", "T", "OUT") "TG_DEPEND(B, A, DATA, T)\nTG_END(G)\n") != NULL);
	CHECK_STR(graph_module_messages(), "C writes T, A reads it, and nothing orders the two\n");
	graph_module_finish();
}
