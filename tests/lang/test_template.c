/* SPDX-License-Identifier: MIT
 * test_template.c - functions with parameters of their own, and sources that include others. */
#include "format/format_file.h"
#include "lang/ptowsp_pack.h"
#include "tests/check.h"
#include "tests/lang/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A body that names its parameters as type, shape, number and factor; instances of it written by hand have the same tokens. */
#define BODY(name, m, n, t, factor)                                                                                                                            \
	"func @" name "(%x: !pto.memref<gm,...," t ">) {\n  %v = alloc_tile : !pto.tile<" m "x" n "x" t ">\n  %s = alloc_scalar : i32\n  LI %s:i32, " factor   \
	"\n  %v = tload %x[" m ", 0]\n  %v = tmuls %v, %" factor "\n  tstore %v, %x[0, 0]\n  return\n}\n"

TEST(an_instance_is_the_function_that_one_would_write)
{
	static const char by_hand[] = BODY("f.8.16.f32.3", "8", "16", "f32", "3")
		BODY("f.4.4.i32.7", "4", "4", "i32", "7") "tensor %x : f32[256, 16] inout\ntensor %y : i32[64, 4] inout\nworkload @main { call "
							  "@f.8.16.f32.3(%x -> %x) call @f.4.4.i32.7(%x -> %y) }\n";
	static const char template[] = "\n\n\n\n\n\n\n\n\n" BODY("f<M, N, T, F>", "M", "N", "T",
								 "F") "tensor %x : f32[256, 16] inout\ntensor %y : i32[64, 4] inout\nworkload @main { call "
								      "@f<8, 16, f32, 3>(%x -> %x) call @f<4, 4, i32, 7>(%x -> %y) call @f<4, 4, i32, 7>(%x -> "
								      "%y) }\n";
	struct source a = source_compile(by_hand), b = source_compile(template);

	CHECK_STR(a.messages, "");
	CHECK_STR(b.messages, "");
	REQUIRE(a.package && b.package);
	CHECK_UINT(pkg_tables(b.package)->kernel_count, 2);
	CHECK_UINT(pkg_tables(b.package)->code_size, pkg_tables(a.package)->code_size);
	source_free(&a);
	source_free(&b);
}

/* A longer name before a shorter one that begins alike, and a name with an x in it. */
TEST(parts_of_a_shape_are_the_longest_names)
{
	struct source s = source_compile(
		"func @f<R, Rx, max>(%x: !pto.memref<gm,...,f32>) {\n  %a = alloc_tile : !pto.tile<RxRxxf32>\n  %b = alloc_tile : !pto.tile<maxx2xf32>\n"
		"  %a = tload %x[0, 0]\n  %b = tload %x[0, 0]\n  tstore %a, %x[0, 0]\n  tstore %b, %x[0, 0]\n  return\n}\n"
		"tensor %x : f32[64, 8] inout\nworkload @main { call @f<2, 8, 4>(%x -> %x) }\n");

	CHECK_STR(s.messages, "");
	CHECK(s.package != NULL);
	source_free(&s);
}

TEST(there_are_so_many_instances_and_no_more)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);
	struct source s;

	REQUIRE(file != NULL);
	fprintf(file, "func @f<N>(%%x: !pto.memref<gm,...,f32>) {\n  return\n}\nworkload @main {\n");
	for (int i = 1; i <= 4097; i++)
		fprintf(file, "  call @f<%d>()\n", i);
	fprintf(file, "}\n");
	fclose(file);
	s = source_compile(text);
	CHECK_CONTAINS(s.messages, "the templates have more than 4096 instances");
	source_free(&s);
	free(text);
	text = NULL;
	s = source_compile(
		"func @f<A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q>(%x: !pto.memref<gm,...,f32>) {\n  return\n}\nworkload @main { call @f<1>() }\n");
	CHECK_CONTAINS(s.messages, "a template has at most 16 parameters");
	source_free(&s);
}

/* What ptowsp_pack_files_below makes of main.pto of the test's folder. */
static struct ptowsp_pack_result *pack(const char *root, ptowsp_status status)
{
	const char *path = check_fmt("%s/main.pto", check_dir()), *folder = check_fmt("%s/%s", check_dir(), root);
	struct ptowsp_pack_result *result = NULL;

	CHECK_INT(ptowsp_pack_files_below(&path, 1, NULL, NULL, &folder, 1, &result), status);
	REQUIRE(result != NULL);
	return result;
}

TEST(sources_include_others_each_once)
{
	struct ptowsp_pack_result *result;

	check_tmp();
	CHECK_INT(check_run(check_fmt("mkdir -p %s/lib/deep %s/root", check_dir(), check_dir()), NULL, NULL), 0);
	check_put("main.pto", "include \"lib/a.pto\"\ninclude \"lib/deep/b.pto\"\ninclude \"std.pto\"\ntensor %x : f32[8, 8] inout\nworkload @main { call "
			      "@a<8>(%x -> %x) call @s(%x -> %x) }\n");
	check_put("lib/a.pto", "include \"deep/b.pto\"\nfunc @a<N>(%x: !pto.memref<gm,...,f32>) {\n  CALL @b<N, 8>(%y -> %x)\n  return\n}\n");
	check_put("lib/deep/b.pto",
		  "include \"../../main.pto\"\nfunc @b<M, N>(%y: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<MxNxf32>\n  %t = tload %y[0, 0]\n"
		  "  tstore %t, %y[0, 0]\n  return\n}\n");
	check_put(
		"root/std.pto",
		"func @s(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x8xf32>\n  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n  return\n}\n");
	result = pack("root", 0);
	CHECK_UINT(ptowsp_pack_message_count(result), 0);
	CHECK(ptowsp_pack_size(result) > 0);
	ptowsp_pack_destroy(result);
}

TEST(what_an_included_source_has_wrong_stands_in_it)
{
	struct ptowsp_pack_result *result;

	check_tmp();
	CHECK_INT(check_run(check_fmt("mkdir -p %s/lib", check_dir()), NULL, NULL), 0);
	check_put("main.pto", "include \"lib/a.pto\"\nworkload @main { nop }\n");
	check_put("lib/a.pto", "func @a(%x: !pto.memref<gm,...,f32>) {\n  wrong\n  return\n}\nkernel @k(%n: i64) { image dav-c220 \"none.bin\" }\n");
	result = pack(".", PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(ptowsp_pack_message(result, 0), "lib/a.pto:2:3: error: there is no instruction \"wrong\"");
	CHECK_CONTAINS(ptowsp_pack_message(result, 1), "lib/none.bin cannot be opened");
	ptowsp_pack_destroy(result);
	check_put("main.pto", "include \"../outside.pto\"\nworkload @main { nop }\n");
	CHECK_INT(check_run(check_fmt("touch %s/../outside.pto", check_dir()), NULL, NULL), 0);
	result = pack("lib", PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(ptowsp_pack_message(result, 0), "main.pto:1:9: error: ");
	CHECK_CONTAINS(ptowsp_pack_message(result, 0), "lies outside of the source's folder");
	ptowsp_pack_destroy(result);
}

TEST(there_are_so_many_included_files_and_no_more)
{
	struct ptowsp_pack_result *result;

	check_tmp();
	CHECK_INT(check_run(check_fmt("cd %s && for i in $(seq 1001); do echo \"// $i\" >f$i.pto; echo \"include \\\"f$i.pto\\\"\"; done >main.pto && echo "
				      "'workload @main { nop }' >>main.pto",
				      check_dir()),
			    NULL, NULL),
		  0);
	result = pack(".", PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(ptowsp_pack_message(result, 0), "more than 1000 files are included");
	ptowsp_pack_destroy(result);
	CHECK_INT(check_run(check_fmt("cd %s && truncate -s 17M big.pto && echo 'include \"big.pto\"' >main.pto", check_dir()), NULL, NULL), 0);
	result = pack(".", PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(ptowsp_pack_message(result, 0), "\"big.pto\" is larger than 16 MiB");
	ptowsp_pack_destroy(result);
}

TEST(functions_on_tiles_are_expanded_and_nothing_else)
{
	struct source s = source_compile(
		"const N = 8\ninclude \"std/softmax.pto\"\ninclude \"std/softmax.pto\"\n"
		"func @twice(%t: !pto.tile<NxNxf32>) {\n  %u = alloc_tile : !pto.tile<NxNxf32>\n  %u = tadd %t, %t\n  %t = tmov %u\n  return\n}\n"
		"func @both(%m: !pto.memref<gm,...,f32>) {\n  %a = alloc_tile : !pto.tile<8x8xf32>\n  %b = alloc_tile : !pto.tile<8x8xf32>\n"
		"  %a = tload %m[0, 0]\n  %b = tload %m[1, 0]\n  CALL @twice(%t -> %a)\n  CALL @twice(%t -> %b)\n"
		"  CALL @std.softmax<N, N, f32>(%x -> %a, %y -> %b)\n  tstore %b, %m[0, 0]\n  return\n}\n");
	const struct pkg_tables *t;

	CHECK_STR(s.messages, "");
	REQUIRE(s.package != NULL);
	t = pkg_tables(s.package);
	CHECK_UINT(t->kernel_count, 1); /* both */
	CHECK_UINT(t->entry_count, 1);
	source_free(&s);
	s = source_compile("include \"std/sofmax.pto\"\nfunc @f(%m: !pto.memref<gm,...,f32>) {\n  return\n}\n");
	CHECK_CONTAINS(s.messages, "\"std/sofmax.pto\"");
	CHECK(s.package == NULL);
	source_free(&s);
}

/* ---- a listing as it stands ------------------------------------------------------------------------------------------------- */

/* The design's own listing of a module, to the byte, its remarks and the "..." of a call among it: what is not named is passed by name. */
static const char listing[] = "// 模块声明\n"
			      "// PTO Module: softmax_module\n"
			      "// Entry: @dynamic_softmax\n"
			      "\n"
			      "// InCore 函数定义\n"
			      "// Function Type: InCore\n"
			      "func @rowmax(%input: !pto.memref<gm,...,f32>, %output: !pto.memref<gm,...,f32>) {\n"
			      "  // Tile 声明\n"
			      "  %x = alloc_tile : !pto.tile<8x8xf32>\n"
			      "  %result = alloc_tile : !pto.tile<8x1xf32>\n"
			      "  \n"
			      "  // 指令\n"
			      "  %x = tload %input[0, 0] : (!pto.memref) -> !pto.tile<8x8xf32>\n"
			      "  %result = trowmax %x : !pto.tile<8x8xf32> -> !pto.tile<8x1xf32>\n"
			      "  tstore %result, %output[0, 0]\n"
			      "  \n"
			      "  return\n"
			      "}\n"
			      "\n"
			      "// Orchestration 函数定义\n"
			      "// Function Type: Orchestration\n"
			      "func @dynamic_softmax(%input: !pto.memref, %output: !pto.memref) {\n"
			      "  // 标量声明\n"
			      "  %num_tiles = alloc_scalar : i32\n"
			      "  \n"
			      "  // 动态循环\n"
			      "  FOR %tile_idx:idx, 0:idx, %num_tiles:idx, 1:idx\n"
			      "    CALL @rowmax(%input -> %input, %output -> %temp_max)\n"
			      "    CALL @rowexpandsub(...)\n"
			      "  ENDFOR\n"
			      "  \n"
			      "  return\n"
			      "}\n";

/* All that it needs besides: the memory between its two tasks, and the kernel that it calls and does not show. */
#define BETWEEN "tensor %temp_max : f32[8, 1] temp\n"
#define KERNEL                                                                                                                                                 \
	"func @rowexpandsub(%input: !pto.memref<gm,...,f32>, %temp_max: !pto.memref<gm,...,f32>, %output: !pto.memref<gm,...,f32>) {\n"                        \
	"  %x = alloc_tile : !pto.tile<8x8xf32>\n  %max = alloc_tile : !pto.tile<8x1xf32>\n  %x = tload %input[0, 0]\n  %max = tload %temp_max[0, 0]\n"        \
	"  %x = trowexpandsub %x, %max\n  tstore %x, %output[0, 0]\n  return\n}\n"

TEST(a_listing_packs_as_it_stands)
{
	struct source s = source_compile_set((const char *const[]){listing, BETWEEN KERNEL}, 2);
	char *text;

	CHECK_STR(s.messages, "");
	REQUIRE(s.package != NULL);
	text = source_workload(&s, "dynamic_softmax");
	CHECK_CONTAINS(text, "rowmax");
	CHECK_CONTAINS(text, "rowexpandsub");
	CHECK(source_tensor(&s, "temp_max") >= 0);
	free(text);
	source_free(&s);
}

/* What it lacks is said where it lacks it. */
TEST(a_listing_by_itself_lacks_two_things)
{
	struct source s = source_compile(listing);

	CHECK(s.package == NULL);
	CHECK_CONTAINS(s.messages, "test.pto:28:47: error: there is no memref %temp_max in @dynamic_softmax");
	CHECK_CONTAINS(s.messages, "or a tensor that is declared around functions");
	CHECK_CONTAINS(s.messages, "test.pto:29:10: error: there is no function @rowexpandsub");
	CHECK_INT((int)check_occurrences(s.messages, "error: "), 2);
	source_free(&s);
	s = source_compile_set((const char *const[]){listing, BETWEEN}, 2);
	CHECK_CONTAINS(s.messages, "a.pto:29:10: error: there is no function @rowexpandsub");
	CHECK_INT((int)check_occurrences(s.messages, "error: "), 1);
	source_free(&s);
}
