/* SPDX-License-Identifier: MIT
 * test_contract_pack.c - ptowsp-pack: reproducible packages, and what it says of wrong sources. */
#include "tests/contract/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(packing_twice_and_elsewhere_gives_the_same_bytes)
{
	CHECK_INT(cli("mkdir -p deep/er && cp $S/levels.pto deep/er && cp $S/levels.pto . && touch -d 2001-01-01 levels.pto &&"
		      " $B/ptowsp-pack levels.pto -o a.pkg.zst && sleep 1.1 && $B/ptowsp-pack $S/levels.pto -o b.pkg.zst &&"
		      " cd deep && $B/ptowsp-pack er/levels.pto -o ../c.pkg.zst"),
		  0);
	CHECK_INT(cli("cmp a.pkg.zst b.pkg.zst && cmp a.pkg.zst c.pkg.zst"), 0);
	CHECK_INT(cli("LC_ALL=C.UTF-8 TZ=Asia/Tokyo HOME=/ USER=x $B/ptowsp-pack -o d.pkg.zst levels.pto && cmp a.pkg.zst d.pkg.zst"), 0);
}

TEST(packages_hold_no_paths_and_no_dates)
{
	CLI_PRINTS(0,
		   "for p in $K/*.pkg.zst $P/*.pkg.zst; do { cat $p; zstd -dc $p; } | strings | grep -F -e \"$R\" -e /tests/ -e /home/ -e /tmp/ -e \"$(date "
		   "+%Y-%m)\"; done | head",
		   "");
}

TEST(a_package_is_a_standard_zst_file)
{
	CHECK_INT(cli("test $(ls $K/*.pkg.zst | wc -l) = $(ls $S/*.pto | wc -l)"), 0);
	CHECK_INT(cli("ls $P/*.pkg.zst"), 0);
	CHECK(cli_lines(cli_out) >= 2);
	CHECK_INT(cli("for p in $K/*.pkg.zst $P/*.pkg.zst; do zstd -qt $p && zstd -l $p && zstd -dc $p >whole && test -s whole || exit 1; done"), 0);
}

TEST(an_older_package_is_replaced_whole)
{
	CHECK_INT(cli("echo old >p.pkg.zst && $B/ptowsp-pack $S/scale.pto -o p.pkg.zst && $B/ptowsp-inspect p.pkg.zst && ls -A"), 0);
	CHECK(strstr(cli_out, "\np.pkg.zst\n") || !strcmp(cli_out, "p.pkg.zst\n"));
	CLI_PRINTS(0, "ls -A | wc -l", "1\n");
}

TEST(packing_is_quiet_when_nothing_is_wrong)
{
	CHECK_INT(cli("$B/ptowsp-pack $S/scale.pto -o p.pkg.zst"), 0);
	CHECK_STR(cli_err, "");
	CHECK(cli_lines(cli_out) <= 1);
}

TEST(several_sources_are_one_module_set)
{
	REQUIRE_INT(cli("sed -n '1,/^\\/\\/ Function Type: Orchestration/p' $S/levels.pto | sed '$d' >kernels.pto &&"
			" { echo '// PTO Module: main'; echo '// Entry: @levels'; sed -n '/Function Type: Orchestration/,$p' $S/levels.pto; } >main.pto"),
		    0);
	CHECK_INT(cli("$B/ptowsp-pack main.pto kernels.pto -o p.pkg.zst && $B/ptowsp-run -q --no-kernels --entry levels --set n=300 --stats=json p.pkg.zst"),
		  0);
	CHECK_INT(cli_int(cli_json(), "kernels[copy_64].tasks"), 128);
}

TEST(sources_with_odd_line_ends_pack_the_same)
{
	CHECK_INT(cli("mkdir a && sed 's/$/\\r/' $S/levels.pto >levels.pto && $B/ptowsp-pack levels.pto -o a.pkg.zst &&"
		      " printf '%s' \"$(cat $S/levels.pto)\" >a/levels.pto && $B/ptowsp-pack a/levels.pto -o b.pkg.zst &&"
		      " $B/ptowsp-pack $S/levels.pto -o c.pkg.zst && cmp b.pkg.zst c.pkg.zst && "
		      "$B/ptowsp-run -q --no-kernels --set n=300 --stats=json a.pkg.zst"),
		  0);
	CHECK_INT(cli_int(cli_json(), "num_tasks"), 172);
}

/* ---- wrong sources ------------------------------------------------------------------------------------------------ */

#define KERNEL                                                                                                                                                 \
	"// Function Type: InCore\n"                                                                                                                           \
	"func @k(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n"                                                                                \
	"  %a = alloc_tile : !pto.tile<4x4xf32>\n"                                                                                                             \
	"  %a = tload %x[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<4x4xf32>\n"                                                              \
	"  tstore %a, %y[0, 0]\n"                                                                                                                              \
	"  return\n"                                                                                                                                           \
	"}\n\n"
/* A module of that kernel (lines 1 to 8) and an orchestration function whose body begins at line 11. */
#define MODULE(body)                                                                                                                                           \
	KERNEL "// Function Type: Orchestration\n"                                                                                                             \
	       "func @f(%p: !pto.memref<gm,...,f32>, %q: !pto.memref<gm,...,f32>) {\n" body "  return\n}\n"
/* One InCore function whose body begins at line 4. */
#define INCORE(body)                                                                                                                                           \
	"// Function Type: InCore\n"                                                                                                                           \
	"func @k(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n"                                                                                \
	"  %a = alloc_tile : !pto.tile<4x4xf32>\n" body "  return\n}\n"

struct mistake {
	const char *name, *source;
	const char *place; /* "line:" or "line:column:" of the first mistake */
	const char *says[3];
};

static const struct mistake mistakes[] = {
	{"an_unknown_opcode_is_named", INCORE("  %a = tfrob %a : !pto.tile<4x4xf32>\n"), "4:8:", {"tfrob"}},
	{"a_misspelt_opcode_is_named_at_its_line",
	 INCORE("  %a = tadds %a, %1.0 : !pto.tile<4x4xf32>, f32\n  %a = tlaod %x[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<4x4xf32>\n"),
	 "5:8:",
	 {"tlaod", "did you mean tload?"}},
	{"an_undeclared_tile_is_named", INCORE("  %a = tadd %a, %nope : !pto.tile<4x4xf32>\n"), "4:17:", {"nope"}},
	{"an_undeclared_destination_is_named", INCORE("  %nope = tadd %a, %a : !pto.tile<4x4xf32>\n"), "4:3:", {"nope"}},
	{"a_memref_where_a_tile_belongs_is_refused", INCORE("  %a = tadd %a, %x : !pto.tile<4x4xf32>\n"), "4:17:", {"x"}},
	{"a_name_declared_twice_is_refused", INCORE("  %a = alloc_tile : !pto.tile<8x8xf32>\n"), "4:3:", {"a"}},
	{"a_tile_without_elements_is_refused", INCORE("  %b = alloc_tile : !pto.tile<0x4xf32>\n"), "4:", {"0x4"}},
	{"a_tile_of_gigabytes_is_refused", INCORE("  %b = alloc_tile : !pto.tile<4294967295x4294967295xf32>\n"), "4:", {"tile"}},
	{"an_unknown_element_type_is_refused", INCORE("  %b = alloc_tile : !pto.tile<4x4xf31>\n"), "4:", {"f31"}},
	{"an_operand_too_many_is_refused", INCORE("  %a = tadd %a, %a, %a : !pto.tile<4x4xf32>\n"), "4:", {"tadd"}},
	{"an_operand_too_few_is_refused", INCORE("  %a = tadd %a : !pto.tile<4x4xf32>\n"), "4:", {"tadd"}},
	{"a_loop_without_its_end_is_refused", INCORE("  FOR %i:idx, 0:idx, 4:idx, 1:idx\n"), "", {"FOR", "ENDFOR"}},
	{"an_end_without_its_loop_is_refused", INCORE("  ENDFOR\n"), "4:3:", {"ENDFOR"}},
	{"an_if_closed_by_endfor_is_refused", INCORE("  %c = alloc_scalar : u1\n  IF %c:u1\n  ENDFOR\n"), "", {"ENDIF", "ENDFOR"}},
	{"a_step_of_zero_is_refused", INCORE("  FOR %i:idx, 0:idx, 4:idx, 0:idx\n  ENDFOR\n"), "4:", {"step"}},
	{"an_unknown_comparison_is_refused", INCORE("  %c = alloc_scalar : u1\n  CMP %c:u1, 1:i32, 2:i32, GR\n"), "5:", {"GR"}},
	{"a_literal_that_is_no_number_is_refused", INCORE("  %c = alloc_scalar : i32\n  LI %c:i32, 12z\n"), "5:", {"12z"}},
	{"a_literal_beyond_its_type_is_refused", INCORE("  %c = alloc_scalar : i32\n  LI %c:i32, 3000000000\n"), "5:", {"3000000000"}},
	{"a_missing_brace_is_refused", "// Function Type: InCore\nfunc @k(%x: !pto.memref<gm,...,f32>) {\n  return\n", "", {"}"}},
	{"text_behind_a_statement_is_refused", INCORE("  %a = tabs %a : !pto.tile<4x4xf32> -> !pto.tile<4x4xf32> oops\n"), "4:", {"oops"}},
	{"a_broken_type_is_refused", INCORE("  %b = alloc_tile : !pto.tile<4x4xf32\n"), "", {">"}},
	{"an_unknown_callee_gets_a_suggestion", MODULE("  CALL @kk(%x -> %p, %y -> %q)\n"), "11:8:", {"kk", "k"}},
	{"an_unknown_parameter_is_named", MODULE("  CALL @k(%x -> %p, %z -> %q)\n"), "11:", {"z"}},
	{"a_missing_argument_is_named", MODULE("  CALL @k(%x -> %p)\n"), "11:", {"y"}},
	{"an_argument_given_twice_is_refused", MODULE("  CALL @k(%x -> %p, %x -> %q)\n"), "11:", {"x"}},
	{"an_unknown_tensor_is_named", MODULE("  CALL @k(%x -> %p, %y -> %r)\n"), "11:", {"r"}},
	{"a_tile_operation_in_an_orchestration_is_refused",
	 MODULE("  %t = alloc_tile : !pto.tile<4x4xf32>\n  %t = tabs %t : !pto.tile<4x4xf32>\n"),
	 "1",
	 {"Orchestration"}},
	{"a_tload_in_an_orchestration_is_refused",
	 MODULE("  %t = alloc_tile : !pto.tile<4x4xf32>\n  %t = tload %p[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<4x4xf32>\n"),
	 "1",
	 {"Orchestration"}},
	{"levels_in_an_incore_function_are_refused",
	 INCORE("  FOR %i:idx, 0:idx, 4:idx, 1:idx max_range=256 min_range=64 tile_levels={256:64,0:32}\n  ENDFOR\n"),
	 "4:",
	 {"max_range"}},
	{"an_offset_in_an_incore_call_is_refused",
	 KERNEL
	 "// Function Type: InCore\nfunc @g(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n  CALL @k(%x -> (%x, 1, 0), %y -> %y)\n  return\n}\n",
	 "11:",
	 {"offset"}},
	{"recursion_is_refused_with_its_cycle",
	 "// Function Type: Orchestration\nfunc @f(%p: !pto.memref<gm,...,f32>) {\n  CALL @g(%p -> %p)\n  return\n}\n// Function Type: Orchestration\n"
	 "func @g(%p: !pto.memref<gm,...,f32>) {\n  CALL @f(%p -> %p)\n  return\n}\n",
	 "",
	 {"@f", "@g"}},
	{"a_function_given_twice_is_refused", KERNEL KERNEL, "10:", {"k"}},
	{"a_level_that_is_no_multiple_of_32_is_refused",
	 MODULE("  FOR %i:idx, 0:idx, 300:idx, 1:idx max_range=256 min_range=256 tile_levels={256:48,0:32}\n    CALL @k(%x -> (%p, i, 0), %y -> (%q, i, 0))\n  "
		"ENDFOR\n"),
	 "11:",
	 {"48"}},
	{"a_level_that_does_not_divide_its_block_is_refused",
	 MODULE("  FOR %i:idx, 0:idx, 300:idx, 1:idx max_range=256 min_range=256 tile_levels={256:96,0:32}\n    CALL @k(%x -> (%p, i, 0), %y -> (%q, i, 0))\n  "
		"ENDFOR\n"),
	 "11:",
	 {"96"}},
	{"a_range_that_is_no_power_of_two_is_refused",
	 MODULE("  FOR %i:idx, 0:idx, 300:idx, 1:idx max_range=300 min_range=64 tile_levels={0:32}\n    CALL @k(%x -> (%p, i, 0), %y -> (%q, i, 0))\n  "
		"ENDFOR\n"),
	 "11:",
	 {"300"}},
	{"a_range_upside_down_is_refused",
	 MODULE("  FOR %i:idx, 0:idx, 300:idx, 1:idx max_range=64 min_range=256 tile_levels={0:32}\n    CALL @k(%x -> (%p, i, 0), %y -> (%q, i, 0))\n  "
		"ENDFOR\n"),
	 "11:",
	 {"min_range"}},
	{"a_residual_level_other_than_32_is_refused",
	 MODULE("  FOR %i:idx, 0:idx, 300:idx, 1:idx max_range=256 min_range=256 tile_levels={256:64,0:64}\n    CALL @k(%x -> (%p, i, 0), %y -> (%q, i, 0))\n  "
		"ENDFOR\n"),
	 "11:",
	 {"32"}},
	{"a_level_loop_that_starts_at_one_is_refused",
	 MODULE("  FOR %i:idx, 1:idx, 300:idx, 1:idx max_range=256 min_range=256 tile_levels={256:64,0:32}\n    CALL @k(%x -> (%p, i, 0), %y -> (%q, i, 0))\n  "
		"ENDFOR\n"),
	 "11:",
	 {"0"}},
	{"a_level_loop_with_a_step_is_refused",
	 MODULE("  FOR %i:idx, 0:idx, 300:idx, 2:idx max_range=256 min_range=256 tile_levels={256:64,0:32}\n    CALL @k(%x -> (%p, i, 0), %y -> (%q, i, 0))\n  "
		"ENDFOR\n"),
	 "11:",
	 {"step"}},
	{"a_file_of_zeros_is_no_source", NULL, "1:", {"bad.pto"}},
	{"an_empty_source_has_no_function", "", "", {"function"}},
	{"a_comment_alone_has_no_function", "// nothing there\n", "", {"function"}},
	{"bytes_that_are_no_text_are_refused", "func @\xff\xfe(%x) {\n}\n", "1:", {"bad.pto"}},
	{"an_entry_that_does_not_exist_is_named", "// Entry: @nope\n" KERNEL, "", {"nope"}},
};

/* file:line:column: what, then the line of the source, then a caret below it. */
static void check_caret(void)
{
	const char *first = strchr(cli_err, '\n'), *second = first ? strchr(first + 1, '\n') : NULL;
	size_t line, column;

	if (!second || sscanf(strstr(cli_err, "bad.pto:") ? strstr(cli_err, "bad.pto:") : "", "bad.pto:%zu:%zu:", &line, &column) != 2) {
		CHECK_FAIL("no file:line:column, line and caret in \"%s\"", cli_err);
		return;
	}
	CHECK(line >= 1 && column >= 1);
	CHECK(strchr(second + 1, '^') != NULL);
}

static void run_mistake(void)
{
	const struct mistake *m = CHECK_ROW(mistakes);
	const char *at;

	cli_begin();
	if (m->source)
		REQUIRE(check_write(check_fmt("%s/bad.pto", getenv("T")), m->source, strlen(m->source)));
	else
		REQUIRE(check_write(check_fmt("%s/bad.pto", getenv("T")), "\0\0\0\0", 4));
	CLI_ERR(3, "$B/ptowsp-pack bad.pto -o new.pkg.zst", "bad.pto:");
	at = strstr(cli_err, "bad.pto:");
	if (at && strncmp(at + 8, m->place, strlen(m->place)))
		CHECK_FAIL("the place is not %s: \"%s\"", m->place, cli_err);
	for (size_t i = 0; i < sizeof(m->says) / sizeof(*m->says) && m->says[i]; i++)
		CHECK_CONTAINS(cli_err, m->says[i]);
	if (m->source && strstr(m->source, "func"))
		check_caret();
	CHECK_STR(cli_out, "");
	CLI_PRINTS(0, "ls -A", "bad.pto\n");
}

static void check_in_order(const char *source, const char *const places[3], const char *const words[3])
{
	const char *at;

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/bad.pto", getenv("T")), source, strlen(source)));
	CHECK_INT(cli("$B/ptowsp-pack bad.pto -o new.pkg.zst"), 3);
	at = cli_err;
	for (int i = 0; i < 3; i++) {
		CHECK_CONTAINS(at, places[i]);
		CHECK_CONTAINS(cli_err, words[i]);
		if (strstr(at, places[i]))
			at = strstr(at, places[i]);
	}
}

TEST(several_mistakes_are_told_at_once_in_order)
{
	check_in_order(INCORE("  %a = tadd %a, %nope : !pto.tile<4x4xf32>\n"
			      "  %a = tabs %a : !pto.tile<4x4xf32> -> !pto.tile<4x4xf32>\n"
			      "  %a = tadd %a, %nape : !pto.tile<4x4xf32>\n"
			      "  tstore %gone, %y[0, 0]\n"),
		       (const char *const[]){"bad.pto:4:17:", "bad.pto:6:17:", "bad.pto:7:10:"}, (const char *const[]){"nope", "nape", "gone"});
	check_in_order(INCORE("  %a = tfrob %a : !pto.tile<4x4xf32>\n"
			      "  FOR %i:idx, 0:idx, 4 5\n"
			      "  ENDFOR\n"
			      "  %b = alloc_tile : !pto.tile<4xf32>\n"),
		       (const char *const[]){"bad.pto:4:8:", "bad.pto:5:", "bad.pto:7:"}, (const char *const[]){"tfrob", "5", "4"});
}

TEST(a_flood_of_mistakes_is_cut)
{
	CHECK_INT(cli("{ echo '// Function Type: InCore'; echo 'func @k(%x: !pto.memref<gm,...,f32>) {';"
		      " for i in $(seq 5000); do echo '  %a = tfrob %b'; done; echo '}'; } >bad.pto; $B/ptowsp-pack bad.pto -o new.pkg.zst"),
		  3);
	CHECK(strlen(cli_err) < 100000);
}

/* What every run would refuse at load: no package comes of it. */
TEST(bytecode_that_no_run_can_load_is_refused_when_packing)
{
	static const struct {
		const char *change, *sentence;
	} cases[] = {
		{"s/after task - 1/after task/", "after names the task itself or a later one"},
		{"s/after 1$/after 6/", "after(6) cannot name an earlier task: at most 2 come before"},
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		REQUIRE_INT(cli(check_fmt("sed '%s' $R/packages/probes/flow.pto >p.pto && ! cmp -s p.pto $R/packages/probes/flow.pto", cases[k].change)), 0);
		CLI_ERR(3, "$B/ptowsp-pack p.pto -o p.pkg.zst", "ptowsp-pack: p.pkg.zst: instruction ", cases[k].sentence);
		CHECK_INT(cli("ls p.pkg.zst"), 2);
	}
	REQUIRE_INT(cli("$B/ptowsp-inspect --json $P/probes/events.pkg.zst | sed 's/\\[\"signal\", 0, 0\\]/[\"nop\"]/' >p.json && grep -q '\"nop\"' p.json"),
		    0);
	CLI_ERR(3, "$B/ptowsp-pack --from-json p.json -o p.pkg.zst", "is waited for, and nothing in the program signals it");
	CHECK_INT(cli("ls p.pkg.zst"), 2);
}

/* T0 writes [0,64), T1 reads it, T2 writes [0,32), T3 [32,64), T4 [0,32): T2 has edges from T0 and T1, T1 has two keys. */
TEST(a_resource_too_small_for_one_task_is_refused_when_packing)
{
	static const struct {
		const char *entry, *schedule, *sentence;
	} cases[] = {
		{"chain", "tensor_map=1",
		 "(vectors.pto:87:3): task 1, kernel move, needs 2 of tensor_map, and the schedule states 1; state tensor_map=2 or more"},
		{"overlap --schedule deps=tensor_map_exact", "dep_list=1",
		 "task 2, kernel put32, needs 2 of dep_list, and the schedule states 1; state dep_list=2 or more"},
	};

	cli_begin();
	for (size_t k = 0; k < sizeof(cases) / sizeof(*cases); k++) {
		const char *pack = check_fmt("$B/ptowsp-pack --entry %s $S/vectors.pto -o p.pkg.zst --schedule", cases[k].entry);

		CLI_ERR(3, check_fmt("%s %s", pack, cases[k].schedule), cases[k].sentence);
		CHECK_INT(cli("ls p.pkg.zst"), 2);
		CHECK_INT(cli(check_fmt("%s %.*s2 && $B/ptowsp-run p.pkg.zst", pack, (int)strlen(cases[k].schedule) - 1, cases[k].schedule)), 0);
		CHECK_INT(cli(check_fmt("$B/ptowsp-run --schedule %s p.pkg.zst", cases[k].schedule)), 5);
		CHECK_INT(cli("rm p.pkg.zst"), 0);
	}
	/* Which tasks there are is decided by who runs it: nothing is proved. */
	CHECK_INT(cli("$B/ptowsp-pack --entry spread $S/vectors.pto -o p.pkg.zst --schedule tensor_map=1"), 0);
}

TEST(deep_nesting_is_refused_not_a_crash)
{
	CLI_ERR(3,
		"{ echo '// Function Type: InCore'; echo 'func @k(%x: !pto.memref<gm,...,f32>) {'; echo '  %c = alloc_scalar : u1';"
		" for i in $(seq 100000); do echo 'IF %c:u1'; done; for i in $(seq 100000); do echo ENDIF; done; echo '  return'; echo '}'; }"
		" >bad.pto; $B/ptowsp-pack bad.pto -o new.pkg.zst",
		"nested deeper than 64");
}

/* A shape error makes that kernel unusable, not the file. */
TEST(a_shape_error_makes_the_kernel_unusable_not_the_file)
{
	static const char source[] = KERNEL "// Function Type: InCore\n"
					    "func @odd(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n"
					    "  %a = alloc_tile : !pto.tile<4x4xf32>\n"
					    "  %b = alloc_tile : !pto.tile<4x1xf32>\n"
					    "  %a = tload %x[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<4x4xf32>\n"
					    "  %a = tdiv %a, %b : !pto.tile<4x4xf32>\n"
					    "  tstore %a, %y[0, 0]\n"
					    "  return\n"
					    "}\n"
					    "// Function Type: Orchestration\n"
					    "func @both(%p: !pto.memref<gm,...,f32>, %q: !pto.memref<gm,...,f32>) {\n"
					    "  CALL @odd(%x -> %p, %y -> %q)\n"
					    "  return\n"
					    "}\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/odd.pto", getenv("T")), source, sizeof(source) - 1));
	CLI_ERR(0, "$B/ptowsp-pack odd.pto -o p.pkg.zst", "odd.pto:14:", "4x1");
	CHECK_INT(cli("$B/ptowsp-run --fill x=iota --entry k --out y=y.npy p.pkg.zst"), 0);
	CHECK_INT(cli("$B/ptowsp-run --no-kernels -q --entry both p.pkg.zst"), 0);
	CLI_ERR(1, "$B/ptowsp-run --fill p=ones --entry both --out q=q.npy p.pkg.zst", "odd", "4x1");
	cli_check_sentence();
	CHECK_INT(cli("ls q.npy"), 2);
}

/* Figures of a run, written down: a kernel of small tiles whose tasks take less than what is around them, one of large ones, one of another package. */
TEST(the_packer_says_which_tiles_would_be_faster)
{
	cli_begin();
	check_put("t.pto", "tensor %x : f32[64, 8] inout\n"
			   "func @small(%a: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n  %t = tload %a[0, 0]\n  %t = tadd %t, %t\n"
			   "  tstore %t, %a[0, 0]\n  return\n}\n"
			   "func @large(%a: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<64x8xf32>\n  %t = tload %a[0, 0]\n  tstore %t, %a[0, "
			   "0]\n  return\n}\n"
			   "workload @main { parallel_for %i in 0 to 64 { call @small(%a -> %x[%i, 0]) } call @large(%a -> %x) }\n");
	check_put("m.json", "{\"profile\": {\"kernels_ns\": 200000, \"run_ns\": 1000000, \"threads\": 1, \"rows\": [\n"
			    "{\"kernel\": \"small\", \"operations\": 0, \"calls\": 1000, \"wall_ns\": 100000},\n"
			    "{\"kernel\": \"small\", \"operations\": 2, \"calls\": 1000, \"wall_ns\": 90000},\n"
			    "{\"kernel\": \"large\", \"operations\": 0, \"calls\": 1000, \"wall_ns\": 4000000},\n"
			    "{\"kernel\": \"other\", \"operations\": 0, \"calls\": 1000, \"wall_ns\": 1}]}}");
	REQUIRE_INT(cli("$B/ptowsp-pack --strict --measured m.json t.pto -o t.pkg.zst"), 0);
	CHECK_STR(cli_err, "t.pto:2:6: measured: a task of @small, with tiles of 1x8, took 100 ns and 267 ns around it in one run; with tiles of 16x8 it "
			   "would be 32 % of that for the same elements\n");
	/* A second run in which a neighbour took part of the time, and one without that kernel. */
	REQUIRE_INT(cli("{ sed 's/100000}/150000}/; s/1000000/1400000/; s/: 200000/: 250000/' m.json; cat m.json; sed 's/\"small\"/\"none\"/' m.json; } "
			">m3.json && "
			"$B/ptowsp-pack --strict --measured m3.json t.pto -o t.pkg.zst"),
		    0);
	CHECK_STR(cli_err,
		  "t.pto:2:6: measured: a task of @small, with tiles of 1x8, took 100 to 150 ns and 267 to 383 ns around it in 3 runs; with tiles of 16x8 it "
		  "would be 32 % of the least of that for the same elements\n");
	CLI_ERR(2, "{ cat m.json; echo '{'; } >e.json; $B/ptowsp-pack --measured e.json t.pto -o u.pkg.zst", "--measured=e.json: ");
	CLI_ERR(2, "for i in $(seq 65); do cat m.json; done >e.json; $B/ptowsp-pack --measured e.json t.pto -o u.pkg.zst",
		"--measured=e.json: it has more than 64 runs");
	CLI_ERR(2, "$B/ptowsp-pack --measured t.pto t.pto -o u.pkg.zst", "give it what ptowsp-run --profile --stats=json prints");
	CLI_ERR(2, "echo '{}' >e.json; $B/ptowsp-pack --measured e.json t.pto -o u.pkg.zst", "--measured=e.json: it has no profile");
	CHECK_INT(
		cli("test ! -e u.pkg.zst && $B/ptowsp-run -q --profile --stats=json t.pkg.zst >r.json && $B/ptowsp-pack --measured r.json t.pto -o t.pkg.zst"),
		0);
}

void suite_contract_pack(CU_pSuite s)
{
	CHECK_ROWS(s, mistakes, run_mistake);
}
