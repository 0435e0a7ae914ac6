/* SPDX-License-Identifier: MIT
 * test_aie_phase.c - programs whose tasks decide which tasks there are, on the arrays: a run in phases, each a design of its own. */
#include "registry/common/common_hash.h"
#include "tests/contract/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- examples ----------------------------------------------------------------------------------------------------------- */

/* Every element as on the processor, bit for bit; also with other values, which make other tasks. */
TEST(examples_are_those_of_the_processor)
{
	static const struct {
		const char *package, *outs[4], *values;
	} rows[] = {{"moe", {"y", "share", "counts", "tokens"}, ""},
		    {"moe", {"y", "share", "counts", "tokens"}, "--set capacity=12"},
		    {"predicated", {"y", "gates"}, ""}};
	static const char *const ways[] = {"", "--device=npu2", "--opt cores=1", "--opt buffering=0 --isolate=process"};

	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char out[200] = "", expect[200] = "";

		for (size_t o = 0; o < 4 && rows[i].outs[o]; o++) {
			const char *name = rows[i].outs[o];

			snprintf(out + strlen(out), sizeof(out) - strlen(out), " --out %s=%s.npy", name, name);
			snprintf(expect + strlen(expect), sizeof(expect) - strlen(expect), " --expect %s=%s.npy", name, name);
		}
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-run --quiet %s %s $P/%s.pkg.zst", rows[i].values, out, rows[i].package)), 0);
		for (size_t w = 0; w < sizeof(ways) / sizeof(*ways); w++)
			CHECK_INT(cli(check_fmt("$B/ptowsp-run --quiet --plugin=aie --rtol 0 --atol 0 %s %s %s $P/%s.pkg.zst", ways[w], rows[i].values, expect,
						rows[i].package)),
				  0);
	}
}

/* ---- random programs ---------------------------------------------------------------------------------------------------- */

enum { ROWS = 8, LEVELS = 3 };
struct program {
	char text[16384];
	uint64_t state;
	unsigned names; /* loops so far */
};

static unsigned one_of(struct program *p, unsigned count)
{
	return (unsigned)(common_random(&p->state) % count);
}

static void say(struct program *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct program *p, const char *format, ...)
{
	const size_t length = strlen(p->text);
	va_list args;

	va_start(args, format);
	vsnprintf(p->text + length, sizeof(p->text) - length, format, args);
	va_end(args);
}

static const char *counts(struct program *p)
{
	return one_of(p, 3) ? "n" : "hidden";
}

static void block(struct program *p, unsigned level);

/* A slot is loaded from a count, 1 to 4, and something is done as often. */
static void loaded(struct program *p, unsigned level)
{
	say(p, "  slot_load %%s%u, %%%s[%u, %u]\n", level, counts(p), one_of(p, ROWS), one_of(p, 8));
	switch (one_of(p, 4)) {
	case 0: say(p, "  if %%s%u > 2 {\n", level); break;
	case 1: say(p, "  for_each %%k%u in 0 to %%s%u {\n", p->names++, level); break;
	case 2: say(p, "  parallel_for %%k%u in 0 to %%s%u {\n", p->names++, level); break;
	default: say(p, "  while %%s%u > 0 {\n", level); break;
	}
	say(p, "  slot_set %%s%u, %%s%u - 1\n", level, level);
	block(p, level + 1);
	say(p, "  }\n");
}

static void statement(struct program *p, unsigned level)
{
	const char *from = counts(p), *to = counts(p);

	switch (one_of(p, level < LEVELS ? 5 : 3)) {
	case 0: say(p, "  call @count(%%m -> %%%s[%u, 0 : 1, 8], %%d -> %%%s[%u, 0 : 1, 8])\n", from, one_of(p, ROWS), to, one_of(p, ROWS)); break;
	case 1: say(p, "  call @grow(%%m -> %%y[%u, 0 : 1, 16])\n", one_of(p, ROWS)); break;
	case 2: say(p, "  call @mix(%%m -> %%y[%u, 0 : 1, 16], %%d -> %%y[%u, 0 : 1, 16])\n", one_of(p, 4), 4 + one_of(p, 4)); break;
	default: loaded(p, level);
	}
}

static void block(struct program *p, unsigned level)
{
	for (unsigned i = 1 + one_of(p, 3); i > 0; i--)
		statement(p, level);
}

static void program_make(struct program *p, uint64_t seed)
{
	*p = (struct program){.state = seed};
	say(p, "slot %%s0 : i64 = 0\nslot %%s1 : i64 = 0\nslot %%s2 : i64 = 0\ntensor %%n : i32[8, 8] inout\ntensor %%hidden : i32[8, 8] temp\ntensor %%y : "
	       "f32[8, 16] inout\n"
	       "func @count(%%m: !pto.memref<gm,...,i32>, %%d: !pto.memref<gm,...,i32>) {\n  %%t = alloc_tile : !pto.tile<1x8xi32>\n  %%t = tload %%m[0, 0]\n"
	       "  %%t = tmuls %%t, %%5\n  %%t = tadds %%t, %%3\n  %%t = tands %%t, %%3\n  %%t = tadds %%t, %%1\n  tstore %%t, %%d[0, 0]\n}\n"
	       "func @grow(%%m: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<1x16xf32>\n  %%t = tload %%m[0, 0]\n  %%t = tmuls %%t, %%1.25\n"
	       "  %%t = tadds %%t, %%0.3\n  tstore %%t, %%m[0, 0]\n}\n"
	       "func @mix(%%m: !pto.memref<gm,...,f32>, %%d: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<1x16xf32>\n  %%u = alloc_tile : "
	       "!pto.tile<1x16xf32>\n"
	       "  %%t = tload %%m[0, 0]\n  %%u = tload %%d[0, 0]\n  %%u = tadd %%u, %%t\n  tstore %%u, %%d[0, 0]\n}\nworkload @main {\n");
	for (unsigned r = 0; r < ROWS; r++)
		say(p,
		    "  call @count(%%m -> %%n[%u, 0 : 1, 8], %%d -> %%hidden[%u, 0 : 1, 8])\n  call @count(%%m -> %%hidden[%u, 0 : 1, 8], %%d -> %%n[%u, 0 : "
		    "1, 8])\n",
		    r, r, r, r);
	for (unsigned i = 0; i < 3; i++)
		block(p, 0);
	loaded(p, 0);
	say(p, "}\n");
}

TEST(random_programs_are_those_of_the_processor)
{
	static const char run[] = "timeout 60 $B/ptowsp-run --quiet --fill n=iota --fill y=random:3";
	static const char *const ways[] = {"", "--device=npu2", "--opt cores=2", "--schedule task_window=5", "--schedule task_window=1"};
	const uint64_t first = getenv("PTOWSP_SEED") ? strtoull(getenv("PTOWSP_SEED"), NULL, 0) : 1;
	const uint64_t count = getenv("PTOWSP_SEEDS") ? strtoull(getenv("PTOWSP_SEEDS"), NULL, 0) : cli_slow() ? 3 : 24;
	static struct program p;
	uint64_t phases = 0;

	cli_begin();
	for (uint64_t seed = first; seed < first + count; seed++) {
		program_make(&p, seed);
		REQUIRE(strlen(p.text) + 1 < sizeof(p.text));
		REQUIRE(check_write(check_fmt("%s/p.pto", check_dir()), p.text, strlen(p.text)));
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack p.pto -o p.pkg.zst && %s --out n=n.npy --out y=y.npy p.pkg.zst", run)), 0);
		if (cli(check_fmt("%s --plugin=aie %s --stats --out n=an.npy --out y=ay.npy p.pkg.zst && cmp n.npy an.npy && cmp y.npy ay.npy", run,
				  ways[seed % (sizeof(ways) / sizeof(*ways))])))
			CHECK_FAIL("PTOWSP_SEED=%llu: %s%s\n%s", (unsigned long long)seed, cli_out, cli_err, p.text);
		phases += strstr(cli_out, "one after the other") != NULL;
	}
	printf("# %llu random programs, %llu of them in phases\n", (unsigned long long)count, (unsigned long long)phases);
	CHECK(phases > count / 2);
}

/* ---- what is shown ------------------------------------------------------------------------------------------------------ */

/* A count is halved until it is below 1, and each round needs what the one before it wrote. */
/* Writers of an element that is loaded have left the window, and run with their phase all the same. */
TEST(a_slot_is_loaded_from_what_left_the_window)
{
	static const char text[] = "slot %s : i64 = 2\ntensor %ix : i32[9] inout\nsample %ix input [9] = [12, 5, 7, 3, 1, 2, 4, 6, 8]\n"
				   "func @put(%a: !pto.memref<gm,...,i32>, %v: i32) {\n  %t = alloc_tile : !pto.tile<1x1xi32>\n  %t = texpands %v\n"
				   "  tstore %t, %a[0, 0]\n  return\n}\n"
				   "workload @main {\n  parallel_for %i in 0 to 2 {\n    parallel_for %j in 0 to 4 {\n      slot_load %s, %ix[%j]\n"
				   "      call @put(%a -> %ix[(%s & 255) % 9 : 1, 1], %v -> %i * 7 + 3)\n    }\n  }\n}\n"
				   "schedule { task_window 1 tasks stall }\n";
	static const char run[] = "$B/ptowsp-run --quiet";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/loaded.pto", check_dir()), text, strlen(text)));
	REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack loaded.pto -o loaded.pkg.zst && %s --out ix=ix.npy loaded.pkg.zst", run)), 0);
	CHECK_INT(cli(check_fmt("%s --plugin=aie --rtol 0 --atol 0 --expect ix=ix.npy loaded.pkg.zst", run)), 0);
}

static const char rounds[] = "slot %s : i64 = 0\ntensor %n : i32[1, 8] inout\ntensor %y : f32[8, 16] inout\n"
			     "func @halve(%m: !pto.memref<gm,...,i32>) {\n  %t = alloc_tile : !pto.tile<1x8xi32>\n  %t = tload %m[0, 0]\n  %t = tdivs %t, %2\n "
			     " tstore %t, %m[0, 0]\n}\n"
			     "func @grow(%m: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x16xf32>\n  %t = tload %m[0, 0]\n  %t = tadds %t, "
			     "%1.0\n  tstore %t, %m[0, 0]\n}\n"
			     "workload @main {\n  slot_load %s, %n[0, 7]\n  while %s > 0 {\n    call @halve(%m -> %n)\n    parallel_for %k in 0 to 3 {\n"
			     "      call @grow(%m -> %y[%k, 0 : 1, 16])\n    }\n    slot_load %s, %n[0, 7]\n  }\n}\n";

static void rounds_make(void)
{
	const int32_t n[8] = {1, 2, 3, 4, 5, 6, 7, 9};

	cli_begin();
	cli_npy("n.npy", "<i4", "1, 8", n, sizeof(n));
	REQUIRE(check_write(check_fmt("%s/rounds.pto", check_dir()), rounds, strlen(rounds)));
	REQUIRE_INT(cli("$B/ptowsp-pack rounds.pto -o rounds.pkg.zst"), 0);
}
#define ROUNDS "$B/ptowsp-run --plugin=aie --in n=n.npy --fill y=ones "

/* 9, 4, 2, 1: four rounds, each a phase; figures say each of them, and their sum is the run's. */
TEST(each_round_is_a_phase)
{
	intmax_t sum = 0, end = 0;
	json_t *stats;

	rounds_make();
	REQUIRE_INT(cli(ROUNDS "--stats=json rounds.pkg.zst"), 0);
	stats = cli_json();
	CHECK_INT(cli_int(stats, "num_tasks"), 16);
	for (size_t i = 0; i < json_array_size(json_object_get(stats, "figures")); i++) {
		const json_t *row = json_array_get(json_object_get(stats, "figures"), i);
		const char *group = json_string_value(json_object_get(row, "group")), *name = json_string_value(json_object_get(row, "name"));
		const intmax_t value = (intmax_t)json_integer_value(json_object_get(row, "value"));

		if (!strncmp(name, "until all was over", 18) && group[1] == ':')
			sum += value;
		if (!strcmp(group, "phases") && strstr(name, "of all of them"))
			end = value;
	}
	CHECK(sum > 0 && sum == end);
	CHECK(cli_int(stats, "total_cycles") <= sum && cli_int(stats, "total_cycles") > sum * 3 / 4);
	CLI_OUT(0, ROUNDS "--stats rounds.pkg.zst | tr -s ' '", " 4: slot s is read from what task 12 writes 4 tasks");
	CLI_OUT(0, ROUNDS "--stats rounds.pkg.zst | tr -s ' '", " 1: slot s is read from what task 0 writes 4 tasks");
	CLI_OUT(0, ROUNDS "--stats rounds.pkg.zst | tr -s ' '", " one after the other 4 designs");
}

/* Task after task in the trace: none of a phase begins before those of the one before it have ended. */
TEST(phases_follow_each_other_in_time)
{
	intmax_t ends[4] = {0}, begins[4] = {INTMAX_MAX, INTMAX_MAX, INTMAX_MAX, INTMAX_MAX};
	json_t *events;
	unsigned tasks = 0;

	rounds_make();
	REQUIRE_INT(cli(ROUNDS "--quiet --trace t.json rounds.pkg.zst && cat t.json"), 0);
	events = cli_json();
	events = json_is_array(events) ? events : json_object_get(events, "traceEvents");
	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *row = json_array_get(events, i), *task = json_object_get(json_object_get(row, "args"), "task");
		const intmax_t at = (intmax_t)json_number_value(json_object_get(row, "ts")), lasts = (intmax_t)json_number_value(json_object_get(row, "dur"));

		if (!json_is_integer(task) || json_integer_value(task) > 15)
			continue;
		tasks++;
		begins[json_integer_value(task) / 4] = at < begins[json_integer_value(task) / 4] ? at : begins[json_integer_value(task) / 4];
		ends[json_integer_value(task) / 4] = at + lasts > ends[json_integer_value(task) / 4] ? at + lasts : ends[json_integer_value(task) / 4];
	}
	CHECK_UINT(tasks, 16);
	for (unsigned p = 1; p < 4; p++)
		CHECK(begins[p] >= ends[p - 1]);
}

/* A design per phase, made without a tensor of the caller's being written. */
TEST(files_are_a_folder_per_phase)
{
	rounds_make();
	REQUIRE_INT(cli(ROUNDS "--quiet --emit made --out y=y.npy --out n=end.npy rounds.pkg.zst && $B/ptowsp-run --quiet --in n=n.npy --fill y=ones --expect "
			       "y=y.npy --expect "
			       "n=end.npy rounds.pkg.zst"),
		    0);
	CHECK_INT(cli("test \"$(cd made && echo *)\" = 'README.md phase_1 phase_2 phase_3 phase_4' && grep -q '^# A run in 4 phases' made/README.md"), 0);
	CHECK_INT(cli("for p in made/phase_*; do test \"$(grep -c 'ptowsp.kernel = \"grow\"' $p/design.mlir)\" = 1 && test -s $p/kernels/kernel_1_grow.c && "
		      "test -s $p/array.svg || exit 1; done"),
		  0);
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie --quiet --emit one $P/vector_add.pkg.zst"), 0);
	CHECK_INT(cli("test -s one/design.mlir && test ! -e one/phase_1"), 0);
}

TEST(explain_says_phases)
{
	rounds_make();
	CLI_OUT(0, "$B/ptowsp-run --explain --timeout-ms 60000 --plugin=aie $P/moe.pkg.zst",
		"\nphases: slots are loaded from tensors; where a task of the workload writes what is read, ");
	REQUIRE_INT(cli("$B/ptowsp-run --explain --timeout-ms 60000 --json --plugin=aie $P/moe.pkg.zst"), 0);
	CHECK_CONTAINS(cli_text(cli_json(), "phases[0]"), "each phase is a design of its own");
	REQUIRE_INT(cli("$B/ptowsp-run --explain --timeout-ms 60000 --plugin=aie $P/vector_add.pkg.zst"), 0);
	CHECK(!strstr(cli_out, "phases:"));
	REQUIRE_INT(cli("$B/ptowsp-run --plugin=aie $P/predicated.pkg.zst"), 0);
	CHECK_STR(cli_err, ""); /* it is for who asks */
	CLI_ERR(0, "$B/ptowsp-run -v --plugin=aie $P/predicated.pkg.zst", "phase 1 is over behind task 1: slot open is read from what task 1 writes");
}

/* Tasks have the numbers of the whole run wherever they are spoken of. */
TEST(a_task_of_a_later_phase_has_its_own_number)
{
	static const char text[] =
		"slot %s : i64 = 0\ntensor %n : i32[1, 8] inout\ntensor %y : f32[8, 16] inout\n"
		"func @one(%m: !pto.memref<gm,...,i32>) {\n  %t = alloc_tile : !pto.tile<1x8xi32>\n  %t = texpands %1\n  tstore %t, %m[0, 0]\n}\n"
		"func @far(%i: !pto.memref<gm,...,i32>, %m: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x16xf32>\n  %k = alloc_scalar : i32\n"
		"  LOAD %k:i32, %i[0]\n  %t = tload %m[%k, 0]\n  tstore %t, %m[0, 0]\n}\n"
		"workload @main {\n  call @one(%m -> %n)\n  slot_load %s, %n[0, 1]\n  if %s { call @far(%i -> %n, %m -> %y[0, 0 : 1, 16]) }\n}\n";
	static const char said[] = "task 1, kernel far line 13: tload reads elements [16, 32) of %m (tensor y), which has 16";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/far.pto", check_dir()), text, strlen(text)));
	REQUIRE_INT(cli("$B/ptowsp-pack far.pto -o far.pkg.zst"), 0);
	CLI_ERR(1, "$B/ptowsp-run --quiet --fill n=zeros --fill y=zeros far.pkg.zst", said);
	CLI_ERR(1, "$B/ptowsp-run --quiet --plugin=aie --fill n=zeros --fill y=zeros far.pkg.zst", said);
}

/* What a phase cannot hold is refused, and named. */
TEST(an_open_scope_of_a_window_is_refused)
{
	static const char text[] =
		"slot %s : i64 = 0\ntensor %n : i32[1, 8] inout\n"
		"func @one(%m: !pto.memref<gm,...,i32>) {\n  %t = alloc_tile : !pto.tile<1x8xi32>\n  %t = texpands %1\n  tstore %t, %m[0, 0]\n}\n"
		"workload @main {\n  scope {\n    call @one(%m -> %n)\n    slot_load %s, %n[0, 1]\n    if %s { call @one(%m -> %n) }\n  }\n}\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/scope.pto", check_dir()), text, strlen(text)));
	REQUIRE_INT(cli("$B/ptowsp-pack scope.pto -o scope.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --quiet --plugin=aie --fill n=zeros scope.pkg.zst"), 0);
	CLI_ERR(5, "$B/ptowsp-run --quiet --plugin=aie --schedule task_window=8 --fill n=zeros scope.pkg.zst",
		"slot s is read from what task 0 writes, in an open scope and with a stated task_window");
}
