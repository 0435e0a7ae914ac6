/* SPDX-License-Identifier: MIT
 * test_isa_walk.c - the walk on scalars alone: same way and cycles as a run, every touch, what it depends on; and the listing. */
#include "tests/draw.h"
#include "tests/isa/tile_probe.h"

#include <stdbool.h>
#include <stdio.h>

/* Touches as text, with the width of their tiles: "R0[0,+64/8) W1[64,+1/0) " */
struct touches {
	char text[512];
	uint64_t count;
	bool outside; /* of 4096 elements */
};

static void touch_note(void *context, uint32_t param, int64_t offset, uint64_t length, uint64_t width, unsigned access)
{
	struct touches *t = context;
	const size_t at = strlen(t->text);

	t->count++;
	t->outside |= length != UINT64_MAX && (offset < 0 || (uint64_t)offset + length > 4096);
	if (length == UINT64_MAX)
		snprintf(t->text + at, sizeof(t->text) - at, "%s%u[all) ", access == PTOWSP_READ ? "R" : "W", param);
	else
		snprintf(t->text + at, sizeof(t->text) - at, "%s%u[%lld,+%llu/%llu) ", access == PTOWSP_READ ? "R" : "W", param, (long long)offset,
			 (unsigned long long)length, (unsigned long long)width);
}

TEST(walk_reports_every_touch)
{
	struct touches t = {.count = 0};
	uint64_t cycles, args[1] = {2};

	begin_text("tile x 8x8; tile index 8x8 i32; local i i64; local f f32; arg n i32\n"
		   "for i 0 n 1; tload x in i 3; end\n"
		   "tstore x out -5 0; mgather x in index; mscatter x out index\n"
		   "LOAD f in 4096; STORE f out 9; tstore x out 9223372036854775807 0");
	REQUIRE(probe_create());
	CHECK(isa_program_varies(program));
	CHECK(!isa_program_data_dependent(program));
	CHECK_INT(isa_walk(program, args, 1, 0, touch_note, &t, &cycles, &task.error), PTOWSP_OK);
	CHECK_STR(t.text, "R0[3,+64/8) R0[67,+64/8) W1[-320,+64/8) R0[all) W1[all) R0[4096,+1/0) W1[9,+1/0) W1[2305843009213693951,+64/8) ");
	CHECK_UINT(cycles, 64 * 6);
	CHECK_INT(isa_walk(program, args, 0, 0, NULL, NULL, &cycles, &task.error), PTOWSP_INVALID);
	CHECK_STR(task.error.text, "kernel probe takes 1 scalars, got 0");
	isa_program_destroy(program);
}

/* for (i = 0; i < n; i += step) one tadd of 4 elements, or with a scalar in the body */
static void loop(int64_t n, int64_t step, unsigned dtype, bool straight)
{
	unsigned x, i;

	begin();
	x = tile_tile(&b, "x", 2, 2, PTOWSP_F32);
	i = tile_local(&b, "i", dtype, 0);
	tile_for(&b, i, tile_int(&b, 0), tile_int(&b, n), tile_int(&b, step));
	tile_op(&b, PTOWSP_PTO_TADD, x, x, x);
	if (!straight)
		tile_op(&b, PTOWSP_PTO_MOV, tile_local(&b, "y", PTOWSP_I64, 0), i);
	tile_end(&b);
	REQUIRE(probe_create());
}

TEST(straight_loops_are_counted_not_walked)
{
	uint64_t cycles;

	loop(INT64_C(1) << 29, 1, PTOWSP_I64, true);
	CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), PTOWSP_OK);
	CHECK_UINT(cycles, UINT64_C(4) << 29);
	isa_program_destroy(program);
	loop(INT64_C(1) << 40, 1, PTOWSP_I64, true);
	CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), PTOWSP_LIMIT);
	CHECK_STR(task.error.text, "kernel probe takes more than 4294967296 instructions");
	isa_program_destroy(program);
	/* an i32 never gets there: it wraps */
	loop(INT64_C(1) << 33, INT64_C(1) << 30, PTOWSP_I32, true);
	CHECK_INT(isa_walk(program, NULL, 0, 1000, NULL, NULL, &cycles, &task.error), PTOWSP_LIMIT);
	isa_program_destroy(program);
	loop(10, 3, PTOWSP_I32, true);
	CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), PTOWSP_OK);
	CHECK_UINT(cycles, 16);
	isa_program_destroy(program);
}

/* FOR %i, 0, 9, %i and FOR %i, 1, %i, 1: the loop writes what it compares with. Found by fuzz_tile. */
TEST(loops_that_are_their_own_bound_have_no_closed_form)
{
	for (int step = 0; step < 2; step++) {
		uint64_t cycles;

		begin_text(step ? "local i i64 3; for i 0 9 i; end" : "local i i64 3; for i 1 i 1; end");
		REQUIRE(probe_create());
		CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), step ? PTOWSP_RUN_FAILED : PTOWSP_OK);
		CHECK_UINT(cycles, 0);
		isa_program_destroy(program);
	}
}

/* FOR, 4 rounds of body and ENDFOR, return. */
TEST(walk_ends_at_its_limit)
{
	for (int straight = 0; straight < 2; straight++) {
		const uint64_t steps = straight ? 1 + 4 * 2 + 1 : 1 + 4 * 3 + 1;
		uint64_t cycles;

		loop(4, 1, PTOWSP_I64, straight);
		CHECK_INT(isa_walk(program, NULL, 0, steps, NULL, NULL, &cycles, &task.error), PTOWSP_OK);
		CHECK_INT(isa_walk(program, NULL, 0, steps - 1, NULL, NULL, &cycles, &task.error), PTOWSP_LIMIT);
		CHECK_INT(isa_walk(program, NULL, 0, 3, NULL, NULL, &cycles, &task.error), PTOWSP_LIMIT);
		isa_program_destroy(program);
	}
}

TEST(walk_says_what_is_wrong)
{
	uint64_t cycles;

	loop(4, 0, PTOWSP_I64, true);
	CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), PTOWSP_RUN_FAILED);
	CHECK_STR(task.error.text, "kernel probe line 1: FOR needs a positive step, got 0");
	isa_program_destroy(program);
	begin();
	tile_op(&b, PTOWSP_PTO_DIV, tile_local(&b, "d", PTOWSP_I32, 0), tile_int(&b, 5), tile_int(&b, 0));
	REQUIRE(probe_create());
	CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), PTOWSP_RUN_FAILED);
	CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, NULL), PTOWSP_RUN_FAILED);
	isa_program_destroy(program);
}

/* %f = getval; a chain of scalars; then `use` of its end. */
static void data_chain(const char *use)
{
	begin_text("tile x 2x2 i32; local n i32; local m i32; local k i32; local c bool; local f f32\n"
		   "MOV k m; ADD m n 1; getval n x 0; CMP c k 0"); /* a loop would bring m to k */
	tile_text(&b, use);
}

TEST(what_steers_by_data_cannot_be_walked)
{
	static const char *const uses[] = {
		"if c; end",
		"for n 0 k 1; end",
		"while; do c; end",
		"tile z 2x2; tload z in k 0",
		"LOAD f in k",
		"tadds x x k; setval x k k; DIV n n k", /* values, and places inside tiles, are no matter; nor a divisor that a walk does not know */
	};
	uint64_t cycles;

	for (unsigned use = 0; use < 6; use++) {
		data_chain(uses[use]);
		REQUIRE(probe_create());
		CHECK_INT(isa_program_data_dependent(program), use < 5);
		CHECK(!isa_program_varies(program));
		CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), use < 5 ? PTOWSP_UNSUPPORTED : PTOWSP_OK);
		if (use == 0)
			CHECK_CONTAINS(task.error.text, "depends on tensor elements");
		isa_program_destroy(program);
	}
}

TEST(arguments_that_are_only_values_do_not_vary)
{
	begin_text("tile x 2x2; arg scale f32; tmuls x x scale; tstore x out 0 0");
	REQUIRE(probe_create());
	CHECK(!isa_program_varies(program));
	isa_program_destroy(program);
}

/* A chain written against the order of the text needs a round per link; the answer must come anyway, and be safe. */
TEST(long_chains_are_followed_or_taken_for_dependent)
{
	enum { LINKS = 200 };
	unsigned link[LINKS];

	begin();
	link[0] = tile_arg(&b, "n", PTOWSP_I32);
	for (unsigned i = 1; i < LINKS; i++)
		link[i] = tile_local(&b, "", PTOWSP_I32, 0);
	for (unsigned i = LINKS - 1; i > 0; i--)
		tile_op(&b, PTOWSP_PTO_MOV, link[i], link[i - 1]);
	tile_if(&b, link[LINKS - 1]);
	tile_end(&b);
	REQUIRE(probe_create());
	CHECK(isa_program_varies(program));
	isa_program_destroy(program);
}

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
	return (uint32_t)draw(&seed, limit);
}

/* What random programs are made of: variables, tiles and a condition. */
struct stock {
	unsigned ints[6], tiles[3], column, c, f;
	unsigned depth, left;
};

static unsigned some_int(const struct stock *s)
{
	return below(3) ? s->ints[below(6)] : tile_int(&b, below(6));
}

static void statements(struct stock *s, bool in_loop);

static void random_for(struct stock *s)
{
	/* The variable is the loop's own while its body runs; mostly. */
	const unsigned i = s->ints[s->depth % 3];

	tile_for(&b, i, tile_int(&b, (int64_t)below(4) - 1), below(2) ? tile_int(&b, below(5)) : s->ints[3 + below(3)], tile_int(&b, 1 + below(2)));
	statements(s, true);
	tile_end(&b);
}

static void random_while(struct stock *s)
{
	const unsigned n = tile_local(&b, "", PTOWSP_I32, below(5));

	tile_while(&b);
	tile_op(&b, PTOWSP_PTO_SUB, n, n, tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_CMP, s->c, n, tile_int(&b, 0));
	tile_mode(&b, PTOWSP_COMPARE_GT);
	tile_do(&b, s->c);
	statements(s, true);
	tile_end(&b);
}

static void random_if(struct stock *s, bool in_loop)
{
	tile_op(&b, PTOWSP_PTO_CMP, s->c, some_int(s), some_int(s));
	tile_mode(&b, below(6));
	tile_if(&b, s->c);
	statements(s, in_loop);
	if (in_loop && below(2))
		tile_op(&b, below(2) ? PTOWSP_PTO_BREAK : PTOWSP_PTO_CONTINUE);
	if (below(2)) {
		tile_else(&b);
		statements(s, in_loop);
	}
	tile_end(&b);
}

static void random_plain(struct stock *s)
{
	const unsigned x = s->tiles[below(3)], y = s->tiles[below(3)];

	switch (below(7)) {
	case 0: tile_op(&b, PTOWSP_PTO_TLOAD, x, below(2), some_int(s), some_int(s)); break;
	case 1: tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, some_int(s), some_int(s)); break;
	case 2: tile_op(&b, PTOWSP_PTO_TMATMUL, x, x, y); break;
	case 3: tile_op(&b, PTOWSP_PTO_TROWSUM, s->column, y); break;
	case 4: tile_op(&b, PTOWSP_PTO_GETVAL, s->f, x, tile_int(&b, below(9))); break;
	case 5: tile_op(&b, PTOWSP_PTO_TADDS, x, y, s->f); break;
	default: tile_op(&b, below(2) ? PTOWSP_PTO_ADD : PTOWSP_PTO_SUB, s->ints[3 + below(3)], some_int(s), some_int(s)); break;
	}
}

static void statements(struct stock *s, bool in_loop)
{
	const unsigned count = below(4);

	s->depth++;
	for (unsigned i = 0; i < count && s->left > 0; i++) {
		const unsigned kind = s->depth < 5 ? below(8) : 7;

		s->left--;
		if (kind == 0)
			random_for(s);
		else if (kind == 1)
			random_while(s);
		else if (kind == 2)
			random_if(s, in_loop);
		else
			random_plain(s);
	}
	s->depth--;
}

static void random_program(void)
{
	struct stock s = {.left = 40};

	begin();
	for (unsigned i = 0; i < 6; i++)
		s.ints[i] = i == 5 ? tile_arg(&b, "n", PTOWSP_I32) : tile_local(&b, check_fmt("i%u", i), i & 1 ? PTOWSP_I64 : PTOWSP_I32, below(5));
	for (unsigned i = 0; i < 3; i++)
		s.tiles[i] = tile_tile(&b, check_fmt("t%u", i), 3, 3, PTOWSP_F32);
	s.column = tile_tile(&b, "column", 3, 1, PTOWSP_F32);
	s.c = tile_local(&b, "c", PTOWSP_BOOL, 0);
	s.f = tile_local(&b, "f", PTOWSP_F32, 0);
	for (unsigned i = 0; i < 4; i++)
		statements(&s, false);
	REQUIRE(probe_create());
}

/* Returns 1 if the program ran to its end. */
static bool random_compare(uint64_t start)
{
	struct touches t = {.count = 0};
	uint64_t stepped = 0, closed = 0;
	const uint64_t arg[1] = {below(4)};
	void *scratch;
	ptowsp_status run, walk;

	random_program();
	scratch = aligned_alloc(64, (isa_program_scratch(program) + 63) / 64 * 64);
	tile_task_arg(&task, arg[0]);
	run = isa_run_within(program, &task.task, &task.out, scratch, 10000);
	walk = isa_walk(program, arg, 1, 200000, touch_note, &t, &stepped, &task.error);
	if (run == PTOWSP_OK) {
		CHECK_INT(walk, PTOWSP_OK);
		CHECK_UINT(stepped, task.out.cycles);
		CHECK(!t.outside);
	}
	if (walk == PTOWSP_OK) {
		CHECK_INT(isa_walk(program, arg, 1, 200000, NULL, NULL, &closed, &task.error), PTOWSP_OK);
		CHECK_UINT(closed, stepped);
	}
	if (run == PTOWSP_KERNEL_FAILED && walk == PTOWSP_OK && !strstr(task.error.text, "getval"))
		CHECK(t.outside);
	if (CU_get_number_of_failure_records())
		CHECK_FAIL("PTOWSP_SEED=%llu", (unsigned long long)start);
	free(scratch);
	isa_program_destroy(program);
	return run == PTOWSP_OK;
}

TEST(walk_and_run_agree_on_random_programs)
{
	const char *text = getenv("PTOWSP_SEED");
	int good = 0;

	for (unsigned i = 0; i < 3000 && !CU_get_number_of_failure_records(); i++) {
		const uint64_t start = (text ? strtoull(text, NULL, 0) : 5) + i * 7919u;

		seed = start;
		good += random_compare(start);
	}
	CHECK(good > 1000);
}

struct listing {
	char text[4096];
	size_t length;
};

static void line_note(void *context, const char *line)
{
	struct listing *l = context;

	l->length += (size_t)snprintf(l->text + l->length, sizeof(l->text) - l->length, "%s\n", line);
}

TEST(listing_looks_like_its_source)
{
	static struct listing l;

	begin_text("tile x 8x8; tile s 8x1; local i i64; arg n i32; local c bool 1\n"
		   "for i 0 n 1; tload x in i 0; tmuls x x 0.1; trowsum s x; tstore s out i 0; end\n"
		   "LI n 7; CMP c n 0 gt\n"
		   "if c; tcmps x x -0.00001 le; else; texpands x 2.0; end; return");
	for (unsigned k = 0; k < b.header.inst_count; k++)
		b.insts[k].line = k == 1 ? 12 : 0;
	REQUIRE(probe_create());
	isa_disassemble(program, line_note, &l);
	CHECK_STR(l.text, "func @probe(\n"
			  "    %in: !pto.memref<gm,...,f32>,  // read\n"
			  "    %out: !pto.memref<gm,...,f32>) {  // written\n"
			  "  %x = alloc_tile : !pto.tile<8x8xf32>\n"
			  "  %s = alloc_tile : !pto.tile<8x1xf32>\n"
			  "  %i = alloc_scalar : idx\n"
			  "  %n = alloc_scalar : i32  // argument 0\n"
			  "  %c = alloc_scalar : u1  // starts as 1\n"
			  "  FOR %i:idx, 0:idx, %n:i32, 1:idx\n"
			  "    %x = tload %in[%i, 0] : !pto.tile<8x8xf32>                          // line 12\n"
			  "    %x = tmuls %x, %0.1 : !pto.tile<8x8xf32>\n"
			  "    %s = trowsum %x : !pto.tile<8x8xf32> -> !pto.tile<8x1xf32>\n"
			  "    tstore %s, %out[%i, 0] : !pto.tile<8x1xf32>\n"
			  "  ENDFOR\n"
			  "  LI %n:i32, 7\n"
			  "  CMP %c:u1, %n:i32, 0:idx, GT\n"
			  "  IF %c:u1\n"
			  "    %x = tcmps %x, %-1e-05 {cmpMode = LE} : !pto.tile<8x8xf32>\n"
			  "  ELSE\n"
			  "    %x = texpands %2.0 : !pto.tile<8x8xf32>\n"
			  "  ENDIF\n"
			  "  return\n"
			  "}\n");
	isa_program_destroy(program);
}

/* Visited instructions as text: "0 1 2 ", rounds told at once as "3+2x40 ". */
struct visits {
	char text[2048];
	size_t at;
};

static void visit(void *context, uint32_t inst)
{
	struct visits *v = context;

	v->at += (size_t)snprintf(v->text + v->at, sizeof(v->text) - v->at, "%u ", inst);
}

static void visit_rounds(void *context, uint32_t first, uint32_t count, uint64_t rounds)
{
	struct visits *v = context;

	v->at += (size_t)snprintf(v->text + v->at, sizeof(v->text) - v->at, "%u+%ux%llu ", first, count, (unsigned long long)rounds);
}

/* A group that a run does in blocks of rows, in a loop with a branch, and a loop whose rounds are alike. */
static void visited_program(void)
{
	begin_text("tile x y 64x64; local i i64; local j i64; local flag bool\n"
		   "for i 0 2 1\n  CMP flag i 0 gt; if flag; tload x in 0 0; tadd y x x; tstore y out 0 0; end\nend\n"
		   "for j 0 3 1; tadd y x x; end");
	REQUIRE(probe_create());
}

TEST(a_visitor_sees_each_instruction_of_a_walk_and_of_a_run)
{
	static const char *const want = "0 1 2 6 7 1 2 3 4 5 6 7 8 9 10 9 10 9 10 11 ";
	struct visits v = {.at = 0};
	struct isa_visitor visitor = {.inst = visit, .context = &v};
	void *scratch;

	visited_program();
	CHECK_INT(isa_walk_visited(program, NULL, 0, (struct isa_block){0, 1}, &visitor, NULL, &task.error), PTOWSP_OK);
	CHECK_STR(v.text, want);
	v = (struct visits){.at = 0};
	visitor.rounds = visit_rounds;
	CHECK_INT(isa_walk_visited(program, NULL, 0, (struct isa_block){0, 1}, &visitor, NULL, &task.error), PTOWSP_OK);
	CHECK_STR(v.text, "0 1 2 6 7 1 2 3 4 5 6 7 8 9+2x3 11 ");
	v = (struct visits){.at = 0};
	scratch = aligned_alloc(64, (isa_program_scratch(program) + 63) / 64 * 64);
	CHECK_INT(isa_run_visited(program, &task.task, &task.out, scratch, &visitor, NULL), PTOWSP_OK);
	CHECK_STR(v.text, want);
	free(scratch);
	isa_program_destroy(program);
}
