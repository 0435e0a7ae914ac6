/* SPDX-License-Identifier: MIT
 * test_lower.c - Orchestration functions as workload bytecode, and the tables around it. */
#include "ptowsp/workload.h"
#include "tests/check.h"
#include "tests/lang/source.h"

#include <stdlib.h>
#include <string.h>

#define M "!pto.memref<gm,...,f32>"
/* Copies a 2x4 tile. */
#define COPY                                                                                                                                                   \
	"func @copy(%x: " M ", %y: " M ") {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n"                                                                         \
	"  %a = tload %x[0, 0]\n  tstore %a, %y[0, 0]\n}\n"
#define SCALE                                                                                                                                                  \
	"func @scale(%x: " M ", %factor: f32) {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n  %a = tload %x[0, 0]\n"                                              \
	"  %a = tmuls %a, %factor\n  tstore %a, %x[0, 0]\n}\n"
#define ORCH "// Function Type: Orchestration\n"

TEST(an_incore_function_is_an_entry_without_bytecode)
{
	struct source s = source_compile(SCALE);
	const struct ptowsp_workload_header *header;
	const struct ptowsp_entry_record *entry;

	CHECK_STR(s.messages, "");
	REQUIRE(s.t != NULL);
	header = (const void *)s.t->raw_work;
	CHECK_UINT(header->num_instructions, 0);
	CHECK_UINT(header->num_kernels, 0);
	REQUIRE_UINT(s.t->entry_count, 1);
	entry = &s.t->entry[0];
	CHECK_UINT(entry->flags, PTOWSP_ENTRY_KERNEL | PTOWSP_ENTRY_DEFAULT);
	CHECK_STR(pkg_string(s.t, s.t->kernel[entry->instruction].name), "scale");
	REQUIRE_UINT(entry->value_count, 1);
	CHECK_STR(pkg_string(s.t, s.t->slot[s.t->entry_value[entry->values].slot].name), "factor");
	source_free(&s);
}

TEST(tuples_are_rows_of_the_callees_tile)
{
	source_is_workload(
		COPY ORCH
		"func @f(%p: " M ", %q: " M ") {\n  %n = alloc_scalar : i32\n"
		"  FOR %i:idx, 1:idx, %n:idx, 2:idx\n    CALL @copy(%x -> (%p, i, 0), %y -> (%q, 3, %n))\n  ENDFOR\n  CALL @copy(%y -> %p, %x -> %q)\n}\n",
		"f",
		"0 parallel_for i 1..n by 2 -> 4\n1 task copy\n2 io_input 0 f.p[loop0 * 8 + 0]\n3 io_output 1 f.q[3 * 8 + n]\n"
		"4 task copy\n5 io_input 0 f.q[0 * 8 + 0]\n6 io_output 1 f.p[0 * 8 + 0]\n7 halt\n");
}

TEST(scalars_set_once_fold_into_expressions)
{
	source_is_workload(COPY ORCH "func @f(%p: " M ", %q: " M
				     ") {\n  %n = alloc_scalar : i32\n  %two = alloc_scalar : i32\n  %at = alloc_scalar : i32\n  %c = alloc_scalar : u1\n"
				     "  LI %two:i32, 2\n  ADD %two:i32, %two:i32, 0\n}\n" ORCH "func @g(%p: " M ", %q: " M
				     ") {\n  %n = alloc_scalar : i32\n  %two = alloc_scalar : i32\n  %six = alloc_scalar : i32\n  %at = alloc_scalar : i32\n  "
				     "%c = alloc_scalar : u1\n"
				     "  LI %two:i32, 2\n  MUL %six:i32, %two:i32, 3\n  CMP %c:u1, %n:i32, %six:i32, GT\n"
				     "  IF %c:u1\n    FOR %i:idx, 0:idx, %six:idx, 1:idx\n      MUL %at:i32, %i:idx, %n:i32\n      CALL @copy(%x -> (%p, at, "
				     "0), %y -> %q)\n    ENDFOR\n  ENDIF\n}\n",
			   "g",
			   "0 cond (n > 6)\n1 target 7\n2 target 7\n3 parallel_for i 0..6 by 1 -> 7\n4 task copy\n5 io_input 0 g.p[(loop0 * n) * 8 + 0]\n6 "
			   "io_output 1 g.q[0 * 8 + 0]\n7 halt\n");
}

TEST(scalars_set_often_or_in_branches_are_slots)
{
	source_is_workload(COPY ORCH "func @f(%p: " M ", %q: " M ") {\n  %n = alloc_scalar : i32\n  %at = alloc_scalar : i32\n  %c = alloc_scalar : u1\n"
				     "  LI %at:i32, 4\n  CMP %c:u1, %n:i32, 2, LE\n  IF %c:u1\n    LI %at:i32, 5\n  ELSE\n    ADD %at:i32, %at:i32, %n\n  "
				     "ENDIF\n  CALL @copy(%x -> (%p, at, 0), %y -> %q)\n}\n",
			   "f",
			   "0 slot_set @f.at 4\n1 cond (n <= 2)\n2 target 5\n3 target 6\n4 slot_set @f.at 5\n5 slot_set @f.at (@f.at + n)\n"
			   "6 task copy\n7 io_input 0 f.p[@f.at * 8 + 0]\n8 io_output 1 f.q[0 * 8 + 0]\n9 halt\n");
}

/* A value computed from a slot is no expression: the slot may change before the value is used. */
TEST(what_depends_on_a_slot_is_a_slot)
{
	source_is_workload(COPY ORCH "func @f(%p: " M ", %q: " M ") {\n  %a = alloc_scalar : i32\n  %b = alloc_scalar : i32\n"
				     "  LI %a:i32, 1\n  ADD %b:i32, %a:i32, 1\n  LI %a:i32, 9\n  CALL @copy(%x -> (%p, b, 0), %y -> %q)\n}\n",
			   "f",
			   "0 slot_set @f.a 1\n1 slot_set @f.b (@f.a + 1)\n2 slot_set @f.a 9\n3 task copy\n4 io_input 0 f.p[@f.b * 8 + 0]\n5 io_output 1 f.q[0 "
			   "* 8 + 0]\n6 halt\n");
}

TEST(a_scalar_from_outside_that_is_changed_starts_as_its_symbol)
{
	source_is_workload(
		COPY ORCH "func @f(%p: " M ", %q: " M ") {\n  %n = alloc_scalar : i32\n  ADD %n:i32, %n:i32, 1\n  CALL @copy(%x -> (%p, n, 0), %y -> %q)\n}\n",
		"f", "0 slot_set @f.n n\n1 slot_set @f.n (@f.n + 1)\n2 task copy\n3 io_input 0 f.p[@f.n * 8 + 0]\n4 io_output 1 f.q[0 * 8 + 0]\n5 halt\n");
}

TEST(a_scalar_that_only_a_branch_sets_starts_at_zero)
{
	source_is_workload(COPY ORCH "func @f(%p: " M ", %q: " M ") {\n  %n = alloc_scalar : i32\n  %at = alloc_scalar : i32\n  IF %n:i32\n    LI %at:i32, 3\n "
				     " ENDIF\n  CALL @copy(%x -> (%p, at, 0), %y -> %q)\n}\n",
			   "f",
			   "0 slot_set @f.at 0\n1 cond n\n2 target 5\n3 target 5\n4 slot_set @f.at 3\n5 task copy\n6 io_input 0 f.p[@f.at * 8 + 0]\n7 "
			   "io_output 1 f.q[0 * 8 + 0]\n8 halt\n");
}

TEST(parameters_are_constants_loop_values_or_expressions)
{
	source_is_workload("func @k(%x: " M ", %a: i32, %b: i32, %c: i64, %d: f32, %e: f32) {\n  %t = alloc_tile : !pto.tile<1x1xf32>\n  %t = texpands %d\n  "
			   "%t = tadds %t, %e\n  ADD %a:i32, %a:i32, %b\n  ADD %a:i32, %a:i32, %c\n  tstore %t, %x[%a, 0]\n}\n" ORCH "func @f(%p: " M
			   ") {\n  %e = alloc_scalar : f32\n  LI %e:f32, -1.0\n  FOR %i:idx, 0:idx, 2:idx, 1:idx\n    FOR %b:idx, 0:idx, "
			   "2:idx, 1:idx\n      CALL @k(%x -> %p, %a -> %-5, %c -> %5000000000, %d -> %0.5)\n    ENDFOR\n  ENDFOR\n}\n",
			   "f",
			   "0 parallel_for i 0..2 by 1 -> 9\n1 parallel_for b 0..2 by 1 -> 9\n2 task k\n3 param_const 0 -5\n4 param_loopvar 1 1\n5 param_expr "
			   "2 5000000000\n"
			   "6 param_const 3 1056964608\n7 param_expr 4 3212836864\n8 io_output 0 f.p[0 * 1 + 0]\n9 halt\n");
}

TEST(loads_read_tensors_into_slots)
{
	source_is_workload(COPY ORCH
			   "func @f(%p: " M ", %q: " M ", %counts: !pto.memref<gm,...,i32>) {\n  %n = alloc_scalar : i32\n"
			   "  LOAD %n:i32, %counts[2]\n  FOR %i:idx, 0:idx, %n:idx, 1:idx\n    CALL @copy(%x -> (%p, i, 0), %y -> (%q, i, 0))\n  ENDFOR\n}\n",
			   "f",
			   "0 slot_load @f.n f.counts[2 * 1 + 0]\n1 parallel_for i 0..@f.n by 1 -> 5\n2 task copy\n3 io_input 0 f.p[loop0 * 8 + 0]\n4 "
			   "io_output 1 f.q[loop0 * 8 + 0]\n5 halt\n");
}

TEST(called_orchestrations_are_expanded_with_their_places)
{
	source_is_workload(
		COPY ORCH
		"func @inner(%a: " M ", %b: " M ") {\n  %n = alloc_scalar : i32\n  %at = alloc_scalar : i32\n  MUL %at:i32, %n:i32, 2\n  CALL @copy(%x -> (%a, "
		"at, 1), %y -> (%b, 0, 0))\n  return\n}\n" ORCH "func @f(%p: " M ", %q: " M ") {\n  %n = alloc_scalar : i32\n"
		"  FOR %i:idx, 0:idx, 4:idx, 1:idx\n    CALL @inner(%a -> (%p, i, 2), %b -> %q, %n -> %i)\n  ENDFOR\n  CALL @inner(%a -> %p, %b -> %q)\n}\n",
		"f",
		"0 parallel_for i 0..4 by 1 -> 4\n1 task copy\n2 io_input 0 f.p[(loop0 * 2) * 8 + (((loop0 * 8) + 2) + 1)]\n3 io_output 1 f.q[0 * 8 + 0]\n"
		"4 task copy\n5 io_input 0 f.p[(n * 2) * 8 + 1]\n6 io_output 1 f.q[0 * 8 + 0]\n7 halt\n");
}

/* --- tables --- */

TEST(entries_need_the_symbols_that_they_read)
{
	struct source s = source_compile(SCALE ORCH "func @f(%p: " M ") {\n  %n = alloc_scalar : i32\n  %unused = alloc_scalar : i32\n  FOR %i:idx, 0:idx, "
						    "%n:idx, 1:idx\n    CALL @scale(%x -> (%p, i, 0))\n  ENDFOR\n}\n" ORCH "func @g(%p: " M
						    ") {\n  CALL @scale(%x -> %p, %factor -> %2.0)\n}\n");
	int f, g;

	REQUIRE(s.t != NULL);
	f = source_entry(&s, "f");
	g = source_entry(&s, "g");
	CHECK_UINT(s.t->slot_count, 3);
	CHECK_UINT(s.t->entry[f].value_count, 2);
	CHECK_UINT(s.t->entry[g].value_count, 0);
	CHECK(source_slot(&s, "unused") >= 0); /* may be set, need not */
	for (uint32_t i = 0; i < s.t->entry_value_count; i++)
		CHECK(s.t->entry_value[i].slot != (uint32_t)source_slot(&s, "unused"));
	CHECK_UINT(s.t->slot[source_slot(&s, "factor")].dtype, PTOWSP_F32);
	CHECK_UINT(s.t->slot[source_slot(&s, "n")].flags, 0);
	source_free(&s);
}

TEST(one_name_of_two_types_becomes_two_symbols)
{
	struct source s = source_compile(
		SCALE "func @k(%x: " M ", %factor: i32) {\n  %a = alloc_tile : !pto.tile<2x4xf32>\n  %a = texpands %1.0\n  tstore %a, %x[%factor, 0]\n}\n" ORCH
		      "func @f(%p: " M ") {\n  CALL @k(%x -> %p)\n  CALL @scale(%x -> %p)\n}\n");
	char *code;

	CHECK_STR(s.messages, "");
	REQUIRE(s.t != NULL);
	CHECK(source_slot(&s, "scale.factor") >= 0 && source_slot(&s, "k.factor") >= 0);
	CHECK_INT(source_slot(&s, "factor"), -1);
	code = source_workload(&s, "f");
	CHECK_STR(code, "0 task k\n1 param_expr 0 k.factor\n2 io_output 0 f.p[0 * 8 + 0]\n3 task scale\n4 param_expr 0 scale.factor\n5 io_inout 0 f.p[0 * 8 + "
			"0]\n6 halt\n");
	free(code);
	source_free(&s);
}

TEST(a_default_value_makes_a_symbol_optional)
{
	static const char *const defaults[] = {"factor=0.5"}, *const wrong[] = {"facto=1"}, *const bad[] = {"factor=x"};
	struct lang_options options = {.defaults = defaults, .default_count = 1};
	struct source s = source_compile_as("test.pto", SCALE, strlen(SCALE), &options);

	REQUIRE(s.t != NULL);
	CHECK_UINT(s.t->slot[0].flags, PTOWSP_SLOT_HAS_DEFAULT);
	CHECK_UINT(s.t->slot[0].value, 0x3F000000);
	source_free(&s);
	options.defaults = wrong;
	s = source_compile_as("test.pto", SCALE, strlen(SCALE), &options);
	CHECK_STR(s.messages, "test.pto: error: there is no symbol \"facto\" that could have a default value\n    help: did you mean factor?\n");
	source_free(&s);
	options.defaults = bad;
	s = source_compile_as("test.pto", SCALE, strlen(SCALE), &options);
	CHECK_STR(s.messages, "test.pto: error: \"factor=x\" gives factor no value of type f32\n");
	source_free(&s);
}

TEST(tensors_are_named_by_function_and_know_role_and_place)
{
	struct source s = source_compile(COPY ORCH "func @f(%p: " M ", %q: " M ", %t: " M ", %idle: " M
						   ") {\n  CALL @copy(%x -> %p, %y -> %t)\n  CALL @copy(%x -> %t, %y -> %q)\n}\n");
	static const struct {
		const char *name;
		unsigned role, position;
	} want[] = {{"f.p", PTOWSP_ROLE_IN, 0},    {"f.q", PTOWSP_ROLE_OUT, 1},   {"f.t", PTOWSP_ROLE_INOUT, 2},
		    {"f.idle", PTOWSP_ROLE_IN, 3}, {"copy.x", PTOWSP_ROLE_IN, 0}, {"copy.y", PTOWSP_ROLE_OUT, 1}};

	REQUIRE(s.t != NULL);
	CHECK_UINT(s.t->tensor_count, 6);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		int row = source_tensor(&s, want[i].name);

		REQUIRE(row >= 0);
		CHECK_UINT(s.t->tensor[row].role, want[i].role);
		CHECK_UINT(s.t->tensor[row].position, want[i].position);
		CHECK_UINT(s.t->tensor[row].flags, PTOWSP_TENSOR_SHAPELESS);
		CHECK_INT(s.t->tensor[row].entry, source_entry(&s, want[i].name[0] == 'f' ? "f" : "copy"));
	}
	source_free(&s);
}

static void default_is(const char *text, const char *chosen, const char *want)
{
	struct lang_options options = {.entry = chosen};
	struct source s = source_compile_as("test.pto", text, strlen(text), &options);
	const char *got = "none";

	for (uint32_t i = 0; s.t && i < s.t->entry_count; i++)
		if (s.t->entry[i].flags & PTOWSP_ENTRY_DEFAULT)
			got = pkg_string(s.t, s.t->entry[i].name);
	CHECK_STR(got, want);
	source_free(&s);
}

TEST(the_default_entry_is_stated_or_the_only_one)
{
	default_is(COPY, NULL, "copy");
	default_is(COPY SCALE, NULL, "none");
	default_is(COPY SCALE, "scale", "scale");
	default_is(COPY SCALE ORCH "func @f(%p: " M ") {\n}\n", NULL, "f");
	default_is(COPY ORCH "func @f(%p: " M ") {\n}\n" ORCH "func @g(%p: " M ") {\n}\n", NULL, "none");
	default_is("// Entry: @copy\n" COPY ORCH "func @f(%p: " M ") {\n}\n", NULL, "copy");
	default_is("// Entry: @copy\n" COPY ORCH "func @f(%p: " M ") {\n}\n", "f", "f");
	/* Functions are what declared entries call. */
	default_is(COPY "workload @a { }\n", NULL, "a");
	default_is(COPY "workload @a { }\nworkload @b { }\n", NULL, "none");
	default_is(COPY ORCH "func @f(%p: " M ") {\n}\nworkload @a { }\ngraph @b { }\n", NULL, "none");
	default_is(COPY "graph @a { }\nworkload @main { }\n", NULL, "main");
	default_is(COPY "graph @far on device 1 { }\ngraph @near { }\n", NULL, "near");
}

#define LEVEL(name, rows)                                                                                                                                      \
	"func @" name "(%x: " M ", %y: " M ") {\n  %a = alloc_tile : !pto.tile<" rows "x4xf32>\n"                                                              \
	"  %a = tload %x[0, 0]\n  tstore %a, %y[0, 0]\n}\n"
#define LOOP(levels, body)                                                                                                                                     \
	ORCH "func @f(%p: " M ", %q: " M ") {\n  %n = alloc_scalar : i32\n  FOR %i:idx, 0:idx, %n:idx, 1:idx " levels "\n" body "  ENDFOR\n}\n"

TEST(levels_become_rows_of_the_axis_and_variants_of_the_kernel)
{
	struct source s = source_compile(LEVEL("k", "32") LEVEL("k_64", "64") LEVEL("k_128", "128") LOOP(
		"max_range=256 min_range=64 tile_levels={256:128,64:64,0:32}", "    CALL @k(%x -> (%p, i, 0), %y -> %q)\n"));
	char *code = source_workload(&s, "f");
	const struct ptowsp_kernel_record *kernel;

	CHECK_STR(s.messages, "");
	CHECK_STR(code, "0 parallel_for i 0..n by 1 levels 256..64 256:128 64:64 0:32 -> 4\n1 task k\n2 io_input 0 f.p[loop0 * 128 + 0]\n3 io_output 1 f.q[0 * "
			"128 + 0]\n4 halt\n");
	free(code);
	REQUIRE(s.t != NULL);
	kernel = &s.t->kernel[source_kernel(&s, "k")];
	REQUIRE_UINT(kernel->variant_count, 2);
	CHECK_UINT(s.t->variant[kernel->variants].rows, 128);
	CHECK_INT(s.t->variant[kernel->variants].kernel, source_kernel(&s, "k_128"));
	CHECK_INT(s.t->variant[kernel->variants + 1].kernel, source_kernel(&s, "k_64"));
	CHECK_UINT(s.t->kernel[source_kernel(&s, "k_64")].variant_count, 0);
	source_free(&s);
}

/* Units in a loop with levels are those of 32 rows, at any depth; in a loop without they are the callee's tile. */
TEST(the_unit_inside_levels_is_32_rows_at_any_depth)
{
	struct source s =
		source_compile(LEVEL("k_64", "64") LOOP("max_range=64 min_range=64 tile_levels={64:64,0:32}",
							"    FOR %j:idx, 0:idx, 2:idx, 1:idx\n      CALL @k_64(%x -> %p, %y -> (%q, j, 0))\n    ENDFOR\n"));
	char *code = source_workload(&s, "f");

	CHECK_CONTAINS(s.messages, "at tile level 32, @k_64 touches 64 rows of %q, but the loop steps by 32");
	CHECK_CONTAINS(code, "3 io_input 0 f.p[0 * 128 + 0]\n4 io_output 1 f.q[loop1 * 128 + 0]\n");
	free(code);
	source_free(&s);
	source_is_workload(
		LEVEL("k_64", "64") LOOP("max_range=64 min_range=64", "    CALL @k_64(%x -> %p, %y -> (%q, 1, 0))\n"), "f",
		"0 parallel_for i 0..n by 1 levels 64..64 -> 4\n1 task k_64\n2 io_input 0 f.p[0 * 256 + 0]\n3 io_output 1 f.q[1 * 256 + 0]\n4 halt\n");
}

TEST(the_outer_level_wins_unless_it_is_the_base)
{
	struct source s = source_compile(LEVEL("k", "32") LEVEL("k_64", "64") LEVEL("k_128", "128") LEVEL("k_96", "96") LOOP(
		"max_range=256 min_range=256 tile_levels={256:64}", "    FOR %j:idx, 0:idx, %n:idx, 1:idx max_range=128 min_range=128 tile_levels={128:128}\n  "
								    "    CALL @k(%x -> (%p, i, 0), %y -> (%q, j, 0))\n    ENDFOR\n"));
	const struct ptowsp_kernel_record *kernel;

	CHECK_STR(s.messages, "");
	REQUIRE(s.t != NULL);
	kernel = &s.t->kernel[source_kernel(&s, "k")];
	REQUIRE_UINT(kernel->variant_count, 2);
	CHECK_UINT(s.t->variant[kernel->variants].rows, 64);
	CHECK_UINT(s.t->variant[kernel->variants + 1].rows, 128);
	source_free(&s);
}

TEST(several_files_are_linked_by_name)
{
	const char *const files[] = {ORCH "func @f(%p: " M ", %q: " M ") {\n  CALL @copy(%x -> %p, %y -> %q)\n}\n", COPY}, *const twice[] = {COPY, SCALE COPY};
	struct source s = source_compile_set(files, 2);

	CHECK_STR(s.messages, "");
	CHECK(s.t && s.t->kernel_count == 1 && s.t->entry_count == 2);
	if (s.package)
		CHECK_STR(pkg_name(s.package), "a");
	source_free(&s);
	s = source_compile_set(twice, 2);
	CHECK_STR(s.messages, "b.pto:7:6: error: there are two functions @copy, the first one at a.pto:1\n    func @copy(%x: !pto.memref<gm,...,f32>, %y: "
			      "!pto.memref<gm,...,f32>) {\n         ^~~~~\n"
			      "    help: rename one of them: the files of a package share one set of names\n");
	source_free(&s);
}

TEST(positions_name_the_file_without_its_folder)
{
	struct source s = source_compile_as("some/where/x.pto", COPY, strlen(COPY), NULL);

	REQUIRE(s.t != NULL);
	REQUIRE(s.t->debug_count == 2); /* the kernel, the entry */
	for (uint32_t i = 0; i < 2; i++) {
		CHECK_STR(pkg_string(s.t, s.t->debug[i].file), "x.pto");
		CHECK_UINT(s.t->debug[i].line, 1);
		CHECK_UINT(s.t->debug[i].column, 6);
	}
	source_free(&s);
}

/* Sixty-four functions, each calling the next one twice: the expansion would be longer than any memory. */
TEST(an_expansion_without_end_is_refused)
{
	char text[8192] = COPY;
	struct source s;

	for (int kind = 0; kind < 2; kind++) {
		strcpy(text, COPY);
		for (int i = 0; i < 40; i++) {
			size_t at = strlen(text);
			const char *callee = i ? check_fmt("f%d", i - 1) : "copy";

			snprintf(text + at, sizeof(text) - at,
				 "%sfunc @f%d(%%x: " M ", %%y: " M ") {\n  CALL @%s(%%x -> %%x, %%y -> %%y)\n  CALL @%s(%%x -> %%x, %%y -> %%y)\n}\n",
				 kind ? ORCH : "", i, callee, callee);
		}
		s = source_compile(text);
		CHECK_INT(s.status, PTOWSP_BAD_PACKAGE);
		CHECK_CONTAINS(s.messages, "expand to more than 1048576 instructions");
		source_free(&s);
	}
}
