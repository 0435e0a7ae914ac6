/* SPDX-License-Identifier: MIT
 * test_isa_walk.c - the walk on scalars alone: same way and cycles as a run, every touch, what it depends on; and the listing. */
#include "tests/isa/tile_probe.h"

#include <stdbool.h>
#include <stdio.h>

static bool create(void)
{
	const ptowsp_status status = tile_create(&b, &program, &task.error);

	if (status)
		CHECK_FAIL("%s", task.error.text);
	else if (isa_program_unusable(program))
		CHECK_FAIL("%s", isa_program_unusable(program));
	tile_finish(&b);
	return !status;
}

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

static void walk_reports_every_touch(void)
{
	struct touches t = {.count = 0};
	unsigned x, i, f, index;
	uint64_t cycles, args[1] = {2};

	begin();
	x = tile_tile(&b, "x", 8, 8, PTOWSP_F32);
	index = tile_tile(&b, "index", 8, 8, PTOWSP_I32);
	i = tile_local(&b, "i", PTOWSP_I64, 0);
	f = tile_local(&b, "f", PTOWSP_F32, 0);
	tile_for(&b, i, tile_int(&b, 0), tile_arg(&b, "n", PTOWSP_I32), tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, i, tile_int(&b, 3));
	tile_end(&b);
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, tile_int(&b, -5), tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_MGATHER, x, 0, index);
	tile_op(&b, PTOWSP_PTO_MSCATTER, x, 1, index);
	tile_op(&b, PTOWSP_PTO_LOAD, f, 0, tile_int(&b, 4096));
	tile_op(&b, PTOWSP_PTO_STORE, f, 1, tile_int(&b, 9));
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, tile_int(&b, INT64_MAX), tile_int(&b, 0));
	REQUIRE(create());
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
	REQUIRE(create());
}

static void straight_loops_are_counted_not_walked(void)
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
static void loops_that_are_their_own_bound_have_no_closed_form(void)
{
	for (int step = 0; step < 2; step++) {
		uint64_t cycles;
		unsigned i;

		begin();
		i = tile_local(&b, "i", PTOWSP_I64, 3);
		tile_for(&b, i, tile_int(&b, step ? 0 : 1), step ? tile_int(&b, 9) : i, step ? i : tile_int(&b, 1));
		tile_end(&b);
		REQUIRE(create());
		CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), step ? PTOWSP_RUN_FAILED : PTOWSP_OK);
		CHECK_UINT(cycles, 0);
		isa_program_destroy(program);
	}
}

/* FOR, 4 rounds of body and ENDFOR, return. */
static void walk_ends_at_its_limit(void)
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

static void walk_says_what_is_wrong(void)
{
	uint64_t cycles;

	loop(4, 0, PTOWSP_I64, true);
	CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), PTOWSP_RUN_FAILED);
	CHECK_STR(task.error.text, "kernel probe line 1: FOR needs a positive step, got 0");
	isa_program_destroy(program);
	begin();
	tile_op(&b, PTOWSP_PTO_DIV, tile_local(&b, "d", PTOWSP_I32, 0), tile_int(&b, 5), tile_int(&b, 0));
	REQUIRE(create());
	CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), PTOWSP_RUN_FAILED);
	CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, NULL), PTOWSP_RUN_FAILED);
	isa_program_destroy(program);
}

/* %f = getval; a chain of scalars; then `use` of its end. */
static void data_chain(unsigned use)
{
	unsigned x, n, m, k, c;

	begin();
	x = tile_tile(&b, "x", 2, 2, PTOWSP_I32);
	n = tile_local(&b, "n", PTOWSP_I32, 0);
	m = tile_local(&b, "m", PTOWSP_I32, 0);
	k = tile_local(&b, "k", PTOWSP_I32, 0);
	c = tile_local(&b, "c", PTOWSP_BOOL, 0);
	tile_op(&b, PTOWSP_PTO_MOV, k, m); /* a loop would bring it here */
	tile_op(&b, PTOWSP_PTO_ADD, m, n, tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_GETVAL, n, x, tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_CMP, c, k, tile_int(&b, 0));
	switch (use) {
	case 0:
		tile_if(&b, c);
		tile_end(&b);
		break;
	case 1:
		tile_for(&b, n, tile_int(&b, 0), k, tile_int(&b, 1));
		tile_end(&b);
		break;
	case 2:
		tile_while(&b);
		tile_do(&b, c);
		tile_end(&b);
		break;
	case 3: tile_op(&b, PTOWSP_PTO_TLOAD, tile_tile(&b, "y", 2, 2, PTOWSP_F32), 0, k, tile_int(&b, 0)); break;
	case 4: tile_op(&b, PTOWSP_PTO_LOAD, tile_local(&b, "f", PTOWSP_F32, 0), 0, k); break;
	default: /* values, and places inside tiles, are no matter */
		tile_op(&b, PTOWSP_PTO_TADDS, x, x, k);
		tile_op(&b, PTOWSP_PTO_SETVAL, x, k, k);
		tile_op(&b, PTOWSP_PTO_DIV, n, n, k); /* by what a walk does not know */
		break;
	}
}

static void what_steers_by_data_cannot_be_walked(void)
{
	uint64_t cycles;

	for (unsigned use = 0; use < 6; use++) {
		data_chain(use);
		REQUIRE(create());
		CHECK_INT(isa_program_data_dependent(program), use < 5);
		CHECK(!isa_program_varies(program));
		CHECK_INT(isa_walk(program, NULL, 0, 0, NULL, NULL, &cycles, &task.error), use < 5 ? PTOWSP_UNSUPPORTED : PTOWSP_OK);
		if (use == 0)
			CHECK_CONTAINS(task.error.text, "depends on tensor elements");
		isa_program_destroy(program);
	}
}

static void arguments_that_are_only_values_do_not_vary(void)
{
	unsigned x;

	begin();
	x = tile_tile(&b, "x", 2, 2, PTOWSP_F32);
	tile_op(&b, PTOWSP_PTO_TMULS, x, x, tile_arg(&b, "scale", PTOWSP_F32));
	tile_op(&b, PTOWSP_PTO_TSTORE, x, 1, tile_int(&b, 0), tile_int(&b, 0));
	REQUIRE(create());
	CHECK(!isa_program_varies(program));
	isa_program_destroy(program);
}

/* A chain written against the order of the text needs a round per link; the answer must come anyway, and be safe. */
static void long_chains_are_followed_or_taken_for_dependent(void)
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
	REQUIRE(create());
	CHECK(isa_program_varies(program));
	isa_program_destroy(program);
}

static uint64_t seed;

static uint32_t below(uint32_t limit)
{
	uint64_t z = seed += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return (uint32_t)((z ^ z >> 31) % limit);
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
	REQUIRE(create());
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

static void walk_and_run_agree_on_random_programs(void)
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

static void listing_looks_like_its_source(void)
{
	static struct listing l;
	unsigned x, s, i, n, c;

	begin();
	x = tile_tile(&b, "x", 8, 8, PTOWSP_F32);
	s = tile_tile(&b, "s", 8, 1, PTOWSP_F32);
	i = tile_local(&b, "i", PTOWSP_I64, 0);
	n = tile_arg(&b, "n", PTOWSP_I32);
	c = tile_local(&b, "c", PTOWSP_BOOL, 1);
	tile_for(&b, i, tile_int(&b, 0), n, tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, i, tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_TMULS, x, x, tile_float(&b, 0.1f));
	tile_op(&b, PTOWSP_PTO_TROWSUM, s, x);
	tile_op(&b, PTOWSP_PTO_TSTORE, s, 1, i, tile_int(&b, 0));
	tile_end(&b);
	tile_op(&b, PTOWSP_PTO_LI, n, tile_int(&b, 7));
	tile_op(&b, PTOWSP_PTO_CMP, c, n, tile_int(&b, 0));
	tile_mode(&b, PTOWSP_COMPARE_GT);
	tile_if(&b, c);
	tile_op(&b, PTOWSP_PTO_TCMPS, x, x, tile_float(&b, -1e-5f));
	tile_mode(&b, PTOWSP_COMPARE_LE);
	tile_else(&b);
	tile_op(&b, PTOWSP_PTO_TEXPANDS, x, tile_float(&b, 2.0f));
	tile_end(&b);
	tile_op(&b, PTOWSP_PTO_RETURN);
	for (unsigned k = 0; k < b.header.inst_count; k++)
		b.insts[k].line = k == 1 ? 12 : 0;
	REQUIRE(create());
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
	unsigned x, y, i, j, flag;

	begin();
	x = tile_tile(&b, "x", 64, 64, PTOWSP_F32);
	y = tile_tile(&b, "y", 64, 64, PTOWSP_F32);
	i = tile_local(&b, "i", PTOWSP_I64, 0);
	j = tile_local(&b, "j", PTOWSP_I64, 0);
	flag = tile_local(&b, "flag", PTOWSP_BOOL, 0);
	tile_for(&b, i, tile_int(&b, 0), tile_int(&b, 2), tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_CMP, flag, i, tile_int(&b, 0));
	tile_mode(&b, PTOWSP_COMPARE_GT);
	tile_if(&b, flag);
	tile_op(&b, PTOWSP_PTO_TLOAD, x, 0, tile_int(&b, 0), tile_int(&b, 0));
	tile_op(&b, PTOWSP_PTO_TADD, y, x, x);
	tile_op(&b, PTOWSP_PTO_TSTORE, y, 1, tile_int(&b, 0), tile_int(&b, 0));
	tile_end(&b);
	tile_end(&b);
	tile_for(&b, j, tile_int(&b, 0), tile_int(&b, 3), tile_int(&b, 1));
	tile_op(&b, PTOWSP_PTO_TADD, y, x, x);
	tile_end(&b);
	REQUIRE(create());
}

static void a_visitor_sees_each_instruction_of_a_walk_and_of_a_run(void)
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

void suite_isa_walk(CU_pSuite s)
{
	TEST(s, walk_reports_every_touch);
	TEST(s, a_visitor_sees_each_instruction_of_a_walk_and_of_a_run);
	TEST(s, straight_loops_are_counted_not_walked);
	TEST(s, loops_that_are_their_own_bound_have_no_closed_form);
	TEST(s, walk_ends_at_its_limit);
	TEST(s, walk_says_what_is_wrong);
	TEST(s, what_steers_by_data_cannot_be_walked);
	TEST(s, arguments_that_are_only_values_do_not_vary);
	TEST(s, long_chains_are_followed_or_taken_for_dependent);
	TEST(s, walk_and_run_agree_on_random_programs);
	TEST(s, listing_looks_like_its_source);
}
