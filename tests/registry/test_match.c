/* SPDX-License-Identifier: MIT */
/* test_match.c - the rules by which needs meet capabilities. */
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptowsp/graph.h"
#include "ptowsp/task.h"
#include "ptowsp/tile.h"
#include "registry/caps_match.h"

#define FEATURE(d, p) PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_##d, PTOWSP_##d##_##p)
#define DIRECTIVE(d, p, n)                                                                                                                                     \
	{                                                                                                                                                      \
		.directive = PTOWSP_DIRECTIVE_##d, .policy = PTOWSP_##d##_##p, .count = 1, .a0 = (n)                                                           \
	}

static struct reg_verdict *rows;
static uint32_t count;

static void match(const struct reg_needs *needs, const struct ptowsp_cap *caps, uint32_t cap_count)
{
	struct reg_caps c = {caps, cap_count, sizeof(*caps)};

	free(rows);
	REQUIRE_INT(reg_match(needs, &c, &rows, &count), 0);
}

TEST(directives_without_a_row_are_diagnosed)
{
	const struct ptowsp_directive_record directive = DIRECTIVE(DISPATCH, ROUND_ROBIN, 4);
	struct reg_needs needs = {.directives = &directive, .directive_count = 1};

	match(&needs, NULL, 0);
	REQUIRE_UINT(count, 1);
	CHECK_UINT(rows[0].state, PTOWSP_STATE_DIAGNOSED);
	CHECK(!rows[0].refused);
	CHECK_STR(rows[0].what, "dispatch=round_robin(4)");
	CHECK_STR(rows[0].reason, "ignored: the backend has no capability row for it");
	CHECK(reg_match_refused(rows, count) == NULL);
}

/* Results do not depend on it, so nothing is refused unless the package asks for more. */
TEST(orders_in_memory_are_told_and_refused_where_asked_for)
{
	const struct ptowsp_cap recorded = {.feature = PTOWSP_FEATURE_MEMORY_ORDER, .state = PTOWSP_STATE_RECORDED};
	const struct ptowsp_cap enforced = {.feature = PTOWSP_FEATURE_MEMORY_ORDER, .state = PTOWSP_STATE_ENFORCED};
	const struct ptowsp_requirement_record wanted = {.feature = PTOWSP_FEATURE_MEMORY_ORDER, .state = PTOWSP_STATE_ENFORCED};
	struct reg_needs needs = {.memory = true};

	match(&needs, &recorded, 1);
	REQUIRE_UINT(count, 1);
	CHECK_UINT(rows[0].state, PTOWSP_STATE_RECORDED);
	CHECK_STR(rows[0].reason, "kept in the package; this backend keeps elements in row_major order, results are the same");
	CHECK(reg_match_refused(rows, count) == NULL);
	match(&needs, &enforced, 1);
	CHECK_UINT(count, 0);
	match(&needs, NULL, 0);
	REQUIRE_UINT(count, 1);
	CHECK_UINT(rows[0].state, PTOWSP_STATE_DIAGNOSED);
	CHECK_STR(rows[0].reason, "this backend keeps elements in row_major order");
	CHECK(reg_match_refused(rows, count) == NULL);
	needs.requirements = &wanted;
	needs.requirement_count = 1;
	match(&needs, &recorded, 1);
	CHECK_UINT(count, 1);
	CHECK_STR(rows[0].reason, "the package needs more than the backend does with it");
	CHECK(reg_match_refused(rows, count) != NULL);
	needs.memory = false;
	match(&needs, &enforced, 1);
	CHECK_UINT(count, 0);
}

TEST(every_directive_gets_one_verdict_in_order)
{
	const struct ptowsp_directive_record directives[] = {DIRECTIVE(TASK_WINDOW, STALL, 64), DIRECTIVE(ISSUE_COST, CYCLES, 3), DIRECTIVE(STREAMS, COUNT, 2)};
	const struct ptowsp_cap caps[] = {{.feature = FEATURE(ISSUE_COST, CYCLES), .state = PTOWSP_STATE_RECORDED},
					  {.feature = FEATURE(TASK_WINDOW, STALL), .state = PTOWSP_STATE_ENFORCED},
					  {.feature = FEATURE(STREAMS, COUNT), .state = PTOWSP_STATE_DIAGNOSED}};
	struct reg_needs needs = {.directives = directives, .directive_count = 3};

	match(&needs, caps, 3);
	REQUIRE_UINT(count, 3);
	CHECK_UINT(rows[0].state, PTOWSP_STATE_ENFORCED);
	CHECK_STR(rows[0].reason, "");
	CHECK_UINT(rows[1].state, PTOWSP_STATE_RECORDED);
	CHECK_STR(rows[1].reason, "kept in the program's metadata, behaviour unchanged");
	CHECK_UINT(rows[2].state, PTOWSP_STATE_DIAGNOSED);
	CHECK_STR(rows[2].reason, "ignored by the backend");
	CHECK_UINT(rows[2].row, 2);
}

TEST(unsupported_is_always_refused)
{
	const struct ptowsp_directive_record directive = DIRECTIVE(STREAMS, COUNT, 2);
	const struct ptowsp_cap cap = {.feature = FEATURE(STREAMS, COUNT), .state = PTOWSP_STATE_UNSUPPORTED};
	struct reg_needs needs = {.directives = &directive, .directive_count = 1};

	match(&needs, &cap, 1);
	CHECK(rows[0].refused);
	CHECK(reg_match_refused(rows, count) == &rows[0]);
}

TEST(a_must_bit_asks_for_enforced)
{
	struct ptowsp_directive_record directive = DIRECTIVE(STREAMS, COUNT, 2);
	struct ptowsp_cap cap = {.feature = FEATURE(STREAMS, COUNT), .state = PTOWSP_STATE_RECORDED};
	struct reg_needs needs = {.directives = &directive, .directive_count = 1};

	directive.flags = PTOWSP_DIRECTIVE_MUST;
	match(&needs, &cap, 1);
	CHECK(rows[0].refused);
	CHECK_UINT(rows[0].wanted, PTOWSP_STATE_ENFORCED);
	cap.state = PTOWSP_STATE_ENFORCED;
	match(&needs, &cap, 1);
	CHECK(!rows[0].refused);
}

TEST(strict_asks_for_enforced_everywhere)
{
	const struct ptowsp_directive_record directive = DIRECTIVE(STREAMS, COUNT, 2);
	struct reg_needs needs = {.directives = &directive, .directive_count = 1, .strict = true};

	match(&needs, NULL, 0);
	CHECK(rows[0].refused);
}

TEST(requirements_raise_what_is_wanted)
{
	const struct ptowsp_directive_record directive = DIRECTIVE(STREAMS, COUNT, 2);
	struct ptowsp_requirement_record need = {FEATURE(STREAMS, COUNT), PTOWSP_STATE_RECORDED, 0};
	struct reg_needs needs = {.directives = &directive, .directive_count = 1, .requirements = &need, .requirement_count = 1};

	match(&needs, NULL, 0);
	CHECK_UINT(count, 1);
	CHECK(rows[0].refused);
	need.state = PTOWSP_STATE_DIAGNOSED;
	match(&needs, NULL, 0);
	CHECK(!rows[0].refused);
}

TEST(requirements_without_a_directive_stand_alone)
{
	const struct ptowsp_requirement_record need = {PTOWSP_FEATURE_DEADLOCK_REPORT, PTOWSP_STATE_ENFORCED, 0};
	struct ptowsp_cap cap = {.feature = PTOWSP_FEATURE_DEADLOCK_REPORT, .state = PTOWSP_STATE_ENFORCED};
	struct reg_needs needs = {.requirements = &need, .requirement_count = 1};

	match(&needs, &cap, 1);
	CHECK_UINT(count, 0);
	match(&needs, NULL, 0);
	REQUIRE_UINT(count, 1);
	CHECK(rows[0].refused);
	CHECK_STR(rows[0].what, "deadlock report");
	CHECK_STR(rows[0].reason, "the backend has no capability row for it");
}

TEST(values_outside_the_limits_are_diagnosed_at_best)
{
	struct ptowsp_directive_record directive = DIRECTIVE(DISPATCH, ROUND_ROBIN, 4);
	const struct ptowsp_cap cap = {.feature = FEATURE(DISPATCH, ROUND_ROBIN), .state = PTOWSP_STATE_ENFORCED, .low = 1, .high = 4};
	struct reg_needs needs = {.directives = &directive, .directive_count = 1};

	match(&needs, &cap, 1);
	CHECK_UINT(rows[0].state, PTOWSP_STATE_ENFORCED);
	directive.a0 = 5;
	match(&needs, &cap, 1);
	CHECK_UINT(rows[0].state, PTOWSP_STATE_DIAGNOSED);
	CHECK_STR(rows[0].reason, "not met as stated, 5 is outside the backend's limits 1..4");
	CHECK(!rows[0].refused);
	directive.flags = PTOWSP_DIRECTIVE_MUST;
	match(&needs, &cap, 1);
	CHECK(rows[0].refused);
}

TEST(opcodes_without_a_row_are_unsupported)
{
	uint8_t opcodes[256] = {[0x10] = 1, [0x20] = 1};
	struct ptowsp_cap cap = {.feature = PTOWSP_FEATURE_OPCODE(0x20), .state = PTOWSP_STATE_ENFORCED};
	struct reg_needs needs = {.opcodes = opcodes};

	match(&needs, &cap, 1);
	REQUIRE_UINT(count, 1);
	CHECK(rows[0].refused);
	CHECK_STR(rows[0].what, "opcode parallel_for");
	CHECK_STR(rows[0].reason, "the backend has no capability row for it");
	cap.state = PTOWSP_STATE_RECORDED;
	match(&needs, &cap, 1);
	REQUIRE_UINT(count, 2);
	CHECK_STR(rows[1].what, "opcode task");
	CHECK_STR(rows[1].reason, "met below enforced");
	cap.state = PTOWSP_STATE_UNSUPPORTED;
	match(&needs, &cap, 1);
	REQUIRE_UINT(count, 2);
	CHECK_STR(rows[1].reason, "it has no way for that with its options as they are; take others, another backend or engine");
}

/* Bit 0: it is used; bit 1 + k: with scope k. */
TEST(instructions_of_graphs_are_hints_unless_unsupported)
{
	uint8_t graph[256] = {[PTOWSP_MC_FENCE] = 1 | 2 << PTOWSP_fence_scope_L2, [PTOWSP_CA_REQUEST] = 1, [PTOWSP_SY_NOTIFY] = 1, [PTOWSP_TG_KERNEL] = 1};
	struct ptowsp_cap caps[] = {{.feature = PTOWSP_FEATURE_GRAPH(PTOWSP_MC_FENCE), .state = PTOWSP_STATE_ENFORCED, .bits = 1 << PTOWSP_fence_scope_L2},
				    {.feature = PTOWSP_FEATURE_GRAPH(PTOWSP_CA_REQUEST), .state = PTOWSP_STATE_RECORDED},
				    {.feature = PTOWSP_FEATURE_GRAPH(PTOWSP_SY_NOTIFY), .state = PTOWSP_STATE_DIAGNOSED}};
	struct reg_needs needs = {.graph = graph};

	match(&needs, caps, 3);
	REQUIRE_UINT(count, 3);
	CHECK(reg_match_refused(rows, count) == NULL);
	CHECK_STR(rows[0].what, "MC_FENCE(L2)");
	CHECK_UINT(rows[0].state, PTOWSP_STATE_DIAGNOSED);
	CHECK_STR(rows[1].what, "CA_REQUEST");
	CHECK_UINT(rows[1].state, PTOWSP_STATE_RECORDED);
	CHECK_STR(rows[2].what, "SY_NOTIFY");
	CHECK_STR(rows[2].reason, "there is nothing to do for it on this backend");
	CHECK_UINT(rows[2].state, PTOWSP_STATE_DIAGNOSED);
	graph[PTOWSP_MC_FENCE] = 1 | 2 << PTOWSP_fence_scope_GM;
	caps[2].state = PTOWSP_STATE_UNSUPPORTED;
	match(&needs, caps, 3);
	REQUIRE_UINT(count, 2);
	CHECK(reg_match_refused(rows, count) == &rows[1]);
	CHECK_STR(rows[1].reason, "it has no way for that with its options as they are; take others, another backend or engine");
}

TEST(kernels_need_one_payload_that_runs)
{
	struct reg_kernel_need kernel = {.name = "k", .kinds = 1u << PTOWSP_PAYLOAD_PTO | 1u << PTOWSP_PAYLOAD_SOURCE, .carried = true};
	const struct ptowsp_cap cap = {.feature = PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO), .state = PTOWSP_STATE_ENFORCED};
	struct reg_needs needs = {.kernels = &kernel, .kernel_count = 1};

	match(&needs, &cap, 1);
	CHECK_UINT(count, 0);
	match(&needs, NULL, 0);
	REQUIRE_UINT(count, 1);
	CHECK(rows[0].refused);
	CHECK_STR(rows[0].what, "kernel k");
	CHECK_STR(rows[0].reason, "the backend runs none of its payload kinds");
	kernel.served = true; /* a registered function stands in */
	match(&needs, NULL, 0);
	CHECK_UINT(count, 0);
	kernel = (struct reg_kernel_need){.name = "k", .carried = true};
	match(&needs, &cap, 1);
	REQUIRE_UINT(count, 1);
	CHECK_STR(rows[0].reason, "no portable payload for this backend");
	kernel.carried = false; /* name and signature only: the plugin says at load what it knows */
	match(&needs, &cap, 1);
	CHECK_UINT(count, 0);
}

TEST(kernels_with_native_code_say_what_runs)
{
	const uint32_t pto = 1u << PTOWSP_PAYLOAD_PTO, elf = 1u << PTOWSP_PAYLOAD_ELF;
	const struct ptowsp_cap caps[] = {{.feature = PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO), .state = PTOWSP_STATE_ENFORCED},
					  {.feature = PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_ELF), .state = PTOWSP_STATE_ENFORCED}};
	const struct {
		uint32_t kinds;
		bool served;
		uint8_t native;
		uint32_t caps;
		bool refused;
		const char *reason;
		bool open; /* the code names no machine */
		const char *flaw;
	} cases[] = {
		{pto | elf, false, REG_NATIVE_FIRST, 2, false, "native code of the package (m-linux)", false, NULL},
		{elf, false, REG_NATIVE_FIRST, 2, false, "native code of the package (m-linux)", false, NULL},
		{pto | elf, false, REG_NATIVE_FIRST, 1, false, "portable payload: the backend runs no native code of packages", false, NULL},
		{elf, false, REG_NATIVE_FIRST, 1, true, "the backend runs none of its payload kinds", false, NULL},
		{pto | elf, false, REG_NATIVE_SECOND, 2, false, "portable payload: it stands before the native code (m-linux)", false, NULL},
		{pto, false, REG_NATIVE_UNTRUSTED, 2, false, "portable payload: native code (m-linux) needs --trust=all", false, NULL},
		{0, false, REG_NATIVE_UNTRUSTED, 2, true, "native code (m-linux) needs --trust=all; no portable payload for this backend", false, NULL},
		{pto, false, REG_NATIVE_ELSEWHERE, 2, false, "portable payload: its native code is for m-linux, not for this machine", false, NULL},
		{0, false, REG_NATIVE_ELSEWHERE, 2, true, "its native code is for m-linux, not for this machine; no portable payload for this backend", false,
		 NULL},
		{0, true, REG_NATIVE_ELSEWHERE, 2, false, "C function of the program: its native code is for m-linux, not for this machine", false, NULL},
		{elf, false, REG_NATIVE_FIRST, 2, false, "native code of the package (any machine)", true, NULL},
		{pto, false, REG_NATIVE_UNTRUSTED, 2, false, "portable payload: native code (any machine) needs --trust=all", true, NULL},
		{pto | elf, true, REG_NATIVE_FIRST, 2, true, "its native code is refused: it has a run path", false, "it has a run path"},
		{pto | elf, false, REG_NATIVE_FIRST, 1, false, "portable payload: the backend runs no native code of packages", false, "it has a run path"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct reg_kernel_need kernel = {.name = "k",
						 .kinds = cases[i].kinds,
						 .carried = true,
						 .served = cases[i].served,
						 .native = cases[i].native,
						 .target = cases[i].open ? "" : "m-linux"};
		struct reg_needs needs = {.kernels = &kernel, .kernel_count = 1};

		snprintf(kernel.flaw, sizeof(kernel.flaw), "%s", cases[i].flaw ? cases[i].flaw : "");
		match(&needs, caps, cases[i].caps);
		REQUIRE_UINT(count, 1);
		CHECK_STR(rows[0].reason, cases[i].reason);
		CHECK_INT(rows[0].refused, cases[i].refused);
		CHECK_INT(rows[0].state, cases[i].refused ? PTOWSP_STATE_UNSUPPORTED : PTOWSP_STATE_ENFORCED);
	}
}

TEST(a_kernel_that_nobody_trusts_says_why)
{
	struct reg_kernel_need kernel = {.name = "k", .carried = true, .native = REG_NATIVE_UNTRUSTED, .target = "m-linux", .untrusted = "it is not signed"};
	struct reg_needs needs = {.kernels = &kernel, .kernel_count = 1};

	match(&needs, NULL, 0);
	REQUIRE_UINT(count, 1);
	CHECK_STR(rows[0].reason, "native code (m-linux) is not trusted: it is not signed; no portable payload for this backend");
}

TEST(a_directive_that_is_required_but_not_used_is_diagnosed)
{
	struct ptowsp_requirement_record need = {FEATURE(STREAMS, COUNT), PTOWSP_STATE_DIAGNOSED, 0};
	struct reg_needs needs = {.requirements = &need, .requirement_count = 1};

	match(&needs, NULL, 0);
	REQUIRE_UINT(count, 1);
	CHECK(!rows[0].refused);
	need.feature = PTOWSP_FEATURE_CANCEL; /* no directive: a missing row is unsupported */
	match(&needs, NULL, 0);
	CHECK(rows[0].refused);
}

/* ---- operations of portable kernels ---------------------------------------------------------------------------- */

/* tload of f32, tcvt to bf16 in line 7, LI of a double in line 8, return. */
struct portable {
	struct ptowsp_tile_header header;
	struct ptowsp_tile_param params[1];
	struct ptowsp_tile_tile tiles[2];
	struct ptowsp_tile_scalar scalars[2];
	struct ptowsp_tile_inst insts[4];
};
static const struct portable portable = {
	{PTOWSP_TILE_MAGIC, PTOWSP_TILE_VERSION, 1, 2, 2, 4, 0, 0},
	{{.dtype = PTOWSP_F32, .access = PTOWSP_READ, .rows = 8, .columns = 16}},
	{{8, 16, PTOWSP_F32, PTOWSP_SPACE_UB, 0}, {8, 16, PTOWSP_BF16, PTOWSP_SPACE_UB, 0}},
	{{.dtype = PTOWSP_I64, .kind = PTOWSP_SCALAR_CONST}, {.dtype = PTOWSP_F64, .kind = PTOWSP_SCALAR_LOCAL}},
	{{.op = PTOWSP_PTO_TLOAD, .line = 6}, {.op = PTOWSP_PTO_TCVT, .d = 1, .line = 7}, {.op = PTOWSP_PTO_LI, .d = 1, .line = 8}, {.op = PTOWSP_PTO_RETURN}},
};

static struct ptowsp_cap tile(unsigned op, unsigned row_state, uint64_t bits, int64_t high)
{
	return (struct ptowsp_cap){.feature = PTOWSP_FEATURE_TILE(op), .state = (uint8_t)row_state, .since = 1, .high = high, .bits = bits};
}

/* The verdict about the kernel above under payload pto and two more rows; NULL: it runs, and nothing is said. */
static const struct reg_verdict *tile_verdict(struct ptowsp_cap a, struct ptowsp_cap b, struct reg_support judged, const struct reg_needs *more)
{
	const struct ptowsp_cap caps[] = {{.feature = PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO), .state = PTOWSP_STATE_ENFORCED}, a, b};
	struct reg_kernel_need kernel = {
		.name = "k", .kinds = 1u << PTOWSP_PAYLOAD_PTO, .carried = true, .portable = &portable, .portable_size = sizeof(portable), .judged = judged};
	struct reg_needs needs = *more;

	needs.kernels = &kernel;
	needs.kernel_count = 1;
	match(&needs, caps, 3);
	return count ? &rows[0] : NULL;
}

#define TYPE(name) (UINT64_C(1) << PTOWSP_##name)

TEST(operations_are_held_against_tile_rows)
{
	static const struct ptowsp_cap none = {.feature = 1};
	const struct {
		struct ptowsp_cap a, b;
		int state; /* -1: nothing is said */
		const char *reason;
	} cases[] = {
		{none, none, -1, ""},
		{tile(0, PTOWSP_STATE_ENFORCED, 0, 0), none, -1, ""},
		{tile(0, PTOWSP_STATE_ENFORCED, ~TYPE(BF16), 0), none, PTOWSP_STATE_UNSUPPORTED,
		 "tcvt of bf16, line 7; the device has it for f32 f16 f64 i8 i16 i32 i64 u8 u16 u32 u64 bool"},
		{tile(PTOWSP_PTO_TCVT, PTOWSP_STATE_ENFORCED, TYPE(F32) | TYPE(F16), 0), none, PTOWSP_STATE_UNSUPPORTED,
		 "tcvt of bf16, line 7; the device has it for f32 f16"},
		{tile(0, PTOWSP_STATE_ENFORCED, TYPE(F32) | TYPE(BF16), 0), none, PTOWSP_STATE_UNSUPPORTED,
		 "LI of f64, line 8; the device has it for f32 bf16"},
		{tile(0, PTOWSP_STATE_ENFORCED, TYPE(F32), 0), tile(PTOWSP_PTO_TCVT, PTOWSP_STATE_ENFORCED, 0, 0), PTOWSP_STATE_UNSUPPORTED,
		 "LI of f64, line 8; the device has it for f32"},
		{tile(PTOWSP_PTO_TLOAD, PTOWSP_STATE_UNSUPPORTED, 0, 0), none, PTOWSP_STATE_UNSUPPORTED, "tload, line 6; the device does not have it"},
		{tile(PTOWSP_PTO_TADD, PTOWSP_STATE_UNSUPPORTED, 0, 0), none, -1, ""},
		{tile(PTOWSP_PTO_TCVT, PTOWSP_STATE_DIAGNOSED, 0, 0), none, PTOWSP_STATE_DIAGNOSED,
		 "the processor runs it: tcvt, line 7; the device does not have it"},
		{tile(PTOWSP_PTO_TLOAD, PTOWSP_STATE_DIAGNOSED, 0, 0), tile(PTOWSP_PTO_TCVT, PTOWSP_STATE_UNSUPPORTED, 0, 0), PTOWSP_STATE_UNSUPPORTED,
		 "tcvt, line 7; the device does not have it"},
		{tile(PTOWSP_PTO_TLOAD, PTOWSP_STATE_ENFORCED, 0, 127), none, PTOWSP_STATE_UNSUPPORTED,
		 "tload of a tile of 128 elements, line 6; the device has it up to 127"},
		{tile(PTOWSP_PTO_TLOAD, PTOWSP_STATE_ENFORCED, 0, 128), none, -1, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct reg_verdict *v = tile_verdict(cases[i].a, cases[i].b, (struct reg_support){.told = false}, &(struct reg_needs){.strict = false});

		CHECK_INT(v ? v->state : -1, cases[i].state);
		CHECK_STR(v ? v->reason : "", cases[i].reason);
		CHECK_STR(v ? v->what : "kernel k", "kernel k");
		CHECK_INT(v && v->refused, v && v->state == PTOWSP_STATE_UNSUPPORTED);
	}
}

TEST(what_the_processor_runs_is_refused_where_more_is_asked_for)
{
	const struct ptowsp_cap processor = tile(PTOWSP_PTO_TCVT, PTOWSP_STATE_DIAGNOSED, 0, 0), none = {.feature = 1};
	const struct ptowsp_requirement_record this = {PTOWSP_FEATURE_TILE(PTOWSP_PTO_TCVT), PTOWSP_STATE_ENFORCED, 0},
					       other = {PTOWSP_FEATURE_TILE(PTOWSP_PTO_TADD), PTOWSP_STATE_ENFORCED, 0},
					       all = {PTOWSP_FEATURE_TILE(0u), PTOWSP_STATE_ENFORCED, 0};
	const struct reg_support untold = {.told = false};

	CHECK(!tile_verdict(processor, none, untold, &(struct reg_needs){.requirements = &other, .requirement_count = 1})->refused);
	CHECK(tile_verdict(processor, none, untold, &(struct reg_needs){.requirements = &this, .requirement_count = 1})->refused);
	CHECK(tile_verdict(processor, none, untold, &(struct reg_needs){.requirements = &all, .requirement_count = 1})->refused);
	CHECK(tile_verdict(processor, none, untold, &(struct reg_needs){.strict = true})->refused);
	/* of a backend that says nothing of operations every one is enforced */
	CHECK(tile_verdict(none, none, untold, &(struct reg_needs){.requirements = &all, .requirement_count = 1}) == NULL);
}

TEST(the_backend_has_the_last_word_about_a_kernel)
{
	const struct ptowsp_cap no = tile(PTOWSP_PTO_TCVT, PTOWSP_STATE_UNSUPPORTED, 0, 0), none = {.feature = 1};
	const struct reg_needs needs = {.strict = false};
	const struct reg_verdict *v;

	CHECK(tile_verdict(no, none, (struct reg_support){PTOWSP_STATE_ENFORCED, true, PTOWSP_NONE, ""}, &needs) == NULL);
	v = tile_verdict(none, none, (struct reg_support){PTOWSP_STATE_UNSUPPORTED, true, PTOWSP_NONE, "its tiles need 9 KiB of 8"}, &needs);
	REQUIRE(v != NULL);
	CHECK(v->refused);
	CHECK_STR(v->reason, "its tiles need 9 KiB of 8");
	v = tile_verdict(none, none, (struct reg_support){PTOWSP_STATE_DIAGNOSED, true, PTOWSP_PTO_TCVT, "it is slow there"}, &needs);
	REQUIRE(v != NULL);
	CHECK(!v->refused);
	CHECK_UINT(v->feature, PTOWSP_FEATURE_TILE(PTOWSP_PTO_TCVT));
	CHECK_STR(v->reason, "the processor runs it: it is slow there");
}

/* Whatever stands there, nothing beyond the bytes is read: each length, each byte changed. */
TEST(malformed_programs_lack_nothing_and_are_read_within_their_bytes)
{
	const struct ptowsp_cap row = tile(0, PTOWSP_STATE_ENFORCED, TYPE(F32), 1);
	struct common_tile_rows tiles;
	struct common_tile_lack lack;

	common_tile_rows_find(&tiles, &row, 1, sizeof(row));
	CHECK(common_tile_lacks(&tiles, &portable, sizeof(portable), &lack));
	for (size_t size = 0; size < sizeof(portable); size++) {
		void *bytes = malloc(size + !size);

		memcpy(bytes, &portable, size);
		CHECK(!common_tile_lacks(&tiles, bytes, size, &lack));
		free(bytes);
	}
	for (size_t at = 0; at < sizeof(portable) * 8; at++) {
		unsigned char *bytes = malloc(sizeof(portable));

		memcpy(bytes, &portable, sizeof(portable));
		bytes[at / 8] ^= (unsigned char)(1u << at % 8);
		common_tile_lacks(&tiles, bytes, sizeof(portable), &lack);
		CHECK(memchr(lack.text, 0, sizeof(lack.text)) != NULL);
		free(bytes);
	}
}

TEST(the_better_of_two_rows_counts)
{
	const struct ptowsp_directive_record directive = DIRECTIVE(STREAMS, COUNT, 2);
	const struct ptowsp_cap caps[] = {{.feature = FEATURE(STREAMS, COUNT), .state = PTOWSP_STATE_RECORDED},
					  {.feature = FEATURE(STREAMS, COUNT), .state = PTOWSP_STATE_ENFORCED},
					  {.feature = FEATURE(STREAMS, COUNT), .state = PTOWSP_STATE_DIAGNOSED}};
	struct reg_needs needs = {.directives = &directive, .directive_count = 1};

	match(&needs, caps, 3);
	CHECK_UINT(rows[0].state, PTOWSP_STATE_ENFORCED);
}

TEST(rows_of_a_longer_stride_are_read)
{
	struct {
		struct ptowsp_cap cap;
		uint64_t newer;
	} caps[2] = {{{.feature = 1}, 1}, {{.feature = FEATURE(STREAMS, COUNT), .state = PTOWSP_STATE_ENFORCED}, 2}};
	struct reg_caps c = {caps, 2, sizeof(caps[0])};

	REQUIRE(reg_caps_find(&c, FEATURE(STREAMS, COUNT)) != NULL);
	CHECK_UINT(reg_caps_find(&c, FEATURE(STREAMS, COUNT))->state, PTOWSP_STATE_ENFORCED);
	CHECK(reg_caps_find(&c, 99) == NULL);
}
