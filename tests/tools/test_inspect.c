/* SPDX-License-Identifier: MIT
 * test_inspect.c - what ptowsp-inspect shows: expressions, regions, listing, summary, and the program's own manners. */
#include "format/format_package.h"
#include "ptowsp/workload.h"
#include "tests/check.h"
#include "tests/format/sample.h"
#include "tools/columns.h"
#include "tools/inspect/inspect.h"

#include <stdlib.h>
#include <string.h>

static struct ptowsp_error error;

/* Expression of the last of some nodes over a slot "n" and an axis "i" (STRS offsets 1 and 3), loops "x" and "y". */
static const char *infix(const struct ptowsp_expr_record *nodes, uint32_t count)
{
	static const struct ptowsp_slot_record slot = {.name = 1};
	static const char *const loops[] = {"x", "y"};
	const struct pkg_tables tables = {.expr = nodes, .expr_count = count, .slot = &slot, .slot_count = 1, .strings = "\0n\0i", .strings_size = 5};
	static char text[64];

	inspect_expression(&tables, count - 1, loops, 2, text, sizeof(text));
	return text;
}

#define INFIX(...) infix((const struct ptowsp_expr_record[]){__VA_ARGS__}, sizeof((const struct ptowsp_expr_record[]){__VA_ARGS__}) / 16)
#define NODE(name, a, b, c)                                                                                                                                    \
	{                                                                                                                                                      \
		PTOWSP_EXPR_##name, 0, a, b, c                                                                                                                 \
	}

TEST(expressions_are_infix_with_only_the_parentheses_they_need)
{
	CHECK_STR(INFIX(NODE(CONST, 0, 0xFFFFFFFB, 0xFFFFFFFF)), "-5");
	CHECK_STR(INFIX(NODE(LOOP, 0, 0, 0), NODE(LOOP, 1, 0, 0), NODE(LOOP, 2, 0, 0), NODE(ADD, 0, 1, 0), NODE(MUL, 3, 2, 0)), "(x + y) * loop(2)");
	CHECK_STR(INFIX(NODE(LOOP, 0, 0, 0), NODE(LOOP, 1, 0, 0), NODE(MUL, 0, 1, 0), NODE(ADD, 2, 0, 0)), "x * y + x");
	CHECK_STR(INFIX(NODE(LOOP, 0, 0, 0), NODE(LOOP, 1, 0, 0), NODE(SUB, 0, 1, 0), NODE(SUB, 0, 2, 0)), "x - (x - y)");
	CHECK_STR(INFIX(NODE(LOOP, 0, 0, 0), NODE(LOOP, 1, 0, 0), NODE(SUB, 0, 1, 0), NODE(SUB, 2, 0, 0)), "x - y - x");
	CHECK_STR(INFIX(NODE(VALUE, 0, 0, 0), NODE(AXIS, 3, 0, 0), NODE(MIN, 0, 1, 0), NODE(NEG, 2, 0, 0)), "-min(n, i)");
	CHECK_STR(INFIX(NODE(TASK, 0, 0, 0), NODE(CONST, 0, 2, 0), NODE(MOD, 0, 1, 0), NODE(EQ, 2, 1, 0), NODE(SELECT, 3, 0, 1)),
		  "select(task % 2 == 2, task, 2)");
	CHECK_STR(INFIX(NODE(LOOP, 0, 0, 0), NODE(LOOP, 1, 0, 0), NODE(LT, 0, 1, 0), NODE(LNOT, 2, 0, 0), NODE(LAND, 3, 2, 0)), "!(x < y) && x < y");
}

/* 2^60 nodes when written out: the text ends when it is full. */
TEST(expressions_that_share_operands_end)
{
	struct ptowsp_expr_record nodes[60] = {{.op = PTOWSP_EXPR_LOOP}};
	const char *text;

	for (uint32_t i = 1; i < 60; i++)
		nodes[i] = (struct ptowsp_expr_record){PTOWSP_EXPR_ADD, 0, i - 1, i - 1, 0};
	text = infix(nodes, 60);
	CHECK_UINT(strlen(text), 63);
	CHECK_CONTAINS(text, "...");
}

TEST(expressions_outside_the_table_are_marked)
{
	const struct pkg_tables tables = {0};
	char text[32];

	inspect_expression(&tables, 7, NULL, 0, text, sizeof(text));
	CHECK_STR(text, "EXPR[7]?");
	inspect_region(&tables, 7, NULL, 0, text, sizeof(text));
	CHECK_STR(text, "REGN[7]?");
}

/* What a function writes to a stream, to be freed. */
static char *listing_of(const struct pkg *package)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	REQUIRE(to != NULL);
	CHECK_INT(inspect_listing(package, to, &error), PTOWSP_OK);
	fclose(to);
	return text;
}

TEST(listing_shows_names_bodies_and_source_lines)
{
	size_t size;
	void *bytes = sample_seal(&size, &error);
	struct pkg *package = NULL;
	char *text;

	REQUIRE(bytes != NULL);
	REQUIRE_INT(pkg_open_memory(&package, bytes, size, "sample", NULL, &error), PTOWSP_OK);
	text = listing_of(package);
	CHECK_CONTAINS(text, "main: (default entry)\n     0  parallel_for i = 0 .. n step 64 with levels -> 5\n     1    task add, 0 arguments, 3 tensors ");
	CHECK_CONTAINS(text, " ; sample.pto:12\n");
	CHECK_CONTAINS(text, "     4      io_output 2, z[0, i] 1 x 64\n     5  halt\n");
	CHECK_CONTAINS(text, "kernel add (aiv)\n  source payload, 96 bytes: not listed\n");
	free(text);
	pkg_close(package);
	free(bytes);
}

/* One line per instruction, indented by nesting, with the names that operands stand for. */
TEST(listing_names_rows_events_edges_and_memory)
{
	static const struct ptowsp_expr_record nodes[] = {NODE(CONST, 0, 0, 0), NODE(CONST, 0, 3, 0), NODE(LOOP, 0, 0, 0)};
	static const struct ptowsp_axis_record axes[] = {
		{.name = 1, .high = 1, .step = 1, .levels = PTOWSP_NONE, .row = PTOWSP_NONE, .lengths = PTOWSP_NONE, .indices = PTOWSP_NONE},
		{.name = 3, .kind = PTOWSP_AXIS_SPARSE, .high = 1, .step = 1, .levels = PTOWSP_NONE, .row = 2, .lengths = 0, .indices = 1},
		{.name = 3,
		 .kind = PTOWSP_AXIS_RAGGED,
		 .high = 1,
		 .step = 1,
		 .levels = PTOWSP_NONE,
		 .row = 2,
		 .lengths = PTOWSP_NONE,
		 .indices = PTOWSP_NONE,
		 .count = 4}};
	static const struct ptowsp_tensor_record tensors[] = {{.name = 5}, {.name = 7}};
	static const struct ptowsp_region_record regions[] = {{0, 0, 0, 2, 4, 0, 0}, {1, 0, 0, 2, 4, 0, 0}};
	static const struct ptowsp_event_record event = {.name = 9};
	static const struct ptowsp_kernel_record kernel = {.name = 15};
	static const struct ptowsp_slot_record slot = {.name = 17};
	static const struct ptowsp_entry_record entries[] = {{.name = 19}, {.name = 15, .flags = PTOWSP_ENTRY_KERNEL}};
	static const struct {
		struct ptowsp_workload_header header;
		struct ptowsp_instruction program[20];
		uint32_t rows[4];
	} work = {{PTOWSP_WORKLOAD_MAGIC, PTOWSP_WORKLOAD_VERSION, 20, 3, 1, 0},
		  {{PTOWSP_OP_AXIS_DENSE_DYN, 0, 0, 0},
		   {PTOWSP_OP_PARALLEL_FOR, 0, 0, 9},
		   {PTOWSP_OP_SELECT, 0, 1, 6},
		   {PTOWSP_OP_TASK, 0, 0, 0},
		   {PTOWSP_OP_AFTER, 0, 1, 2},
		   {PTOWSP_OP_BREAK, 0, 0, 0},
		   {PTOWSP_OP_FOR_EACH, 0, 2, 9},
		   {PTOWSP_OP_DISPATCH_FILTER, 0, PTOWSP_DISPATCH_HASH, 2},
		   {PTOWSP_OP_BREAK, 0, 0, 0},
		   {PTOWSP_OP_WHILE, 0, 0, 1},
		   {PTOWSP_OP_TARGET, 0, 0, 12},
		   {PTOWSP_OP_SIGNAL, 0, 0, 0},
		   {PTOWSP_OP_WAIT, 0, 0, 0},
		   {PTOWSP_OP_BARRIER, 0, 0, 0},
		   {PTOWSP_OP_COPY, 0, 0, 0},
		   {PTOWSP_OP_IO_OUTPUT, 0, 0, 1},
		   {PTOWSP_OP_FENCE, 0, PTOWSP_FENCE_DEVICE, 0},
		   {PTOWSP_OP_ALLOC, 0, 0, 0},
		   {PTOWSP_OP_FREE, 0, 0, 1},
		   {PTOWSP_OP_HALT, 0, 0, 0}},
		  {0, 1, 2, 0}};
	char *text = NULL, *kernels;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	struct pkg_tables tables = {.expr = nodes,
				    .expr_count = 3,
				    .axis = axes,
				    .axis_count = 3,
				    .tensor = tensors,
				    .tensor_count = 2,
				    .region = regions,
				    .region_count = 2,
				    .event = &event,
				    .event_count = 1,
				    .kernel = &kernel,
				    .kernel_count = 1,
				    .slot = &slot,
				    .slot_count = 1,
				    .entry = entries,
				    .entry_count = 2,
				    .strings = "\0i\0c\0a\0b\0ready\0k\0n\0main",
				    .strings_size = 24,
				    .raw_work = (const uint8_t *)&work,
				    .raw_work_size = sizeof(work)};

	REQUIRE(to != NULL);
	CHECK_INT(inspect_listing_tables(&tables, to, &error), PTOWSP_OK);
	fclose(to);
	kernels = strstr(text, "\nkernel k");
	REQUIRE(kernels != NULL);
	*kernels = 0;
	CHECK_STR(text, "workload: instructions 20, axes 3, kernels 1, tensors 0\n"
			"main:\n"
			"     0  axis_dense_dyn i, n\n"
			"     1  parallel_for i = 0 .. 3 step 3 -> 9\n"
			"     2    select c in row i of 3 (sparse by a, b) -> 6\n"
			"     3      task k, 0 arguments, 0 tensors\n"
			"     4        after data, i\n"
			"     5      break\n"
			"     6    for_each c in row i of 3 (ragged by 4 values) -> 9\n"
			"     7      dispatch_filter hash, i\n"
			"     8      break\n"
			"     9  while 3\n"
			"    10    target -> 12\n"
			"    11    signal ready\n"
			"    12  wait ready\n"
			"    13  barrier\n"
			"    14  copy a[0, 0] 2 x 4\n"
			"    15    io_output 0, b[0, 0] 2 x 4\n"
			"    16  fence device\n"
			"    17  alloc a\n"
			"    18  free b\n"
			"    19  halt\n"
			"k: one task of kernel k\n");
	free(text);
}

TEST(columns_are_as_wide_as_their_cells)
{
	struct columns c = {0};
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	REQUIRE(to != NULL);
	columns_add(&c, "name\tn\tlast");
	columns_add(&c, "\xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6\t1\t");
	columns_add(&c, "b\t\tx");
	columns_sort(&c, 1);
	columns_print(&c, to, 1);
	fclose(to);
	CHECK_STR(text, " name   n  last\n b         x\n \xC3\xA4\xC3\xB6\xC3\xBC\xC3\xA4\xC3\xB6  1\n");
	free(text);
}

/* Runs the program on files in an empty folder: sample.pkg.zst and bad.pkg.zst. */
static int inspect(const char *arguments, char **out, char **err)
{
	const char *dir = check_tmp();
	size_t size;
	void *bytes = sample_seal(&size, &error);

	REQUIRE(bytes != NULL);
	REQUIRE(check_write(check_fmt("%s/sample.pkg.zst", dir), bytes, size) && check_write(check_fmt("%s/bad.pkg.zst", dir), bytes, 700));
	free(bytes);
	return check_run(check_fmt("cd '%s' && '%s/bin/ptowsp-inspect' %s", dir, check_build(), arguments), out, err);
}

TEST(several_packages_give_a_line_each)
{
	char *out = NULL, *err = NULL;

	CHECK_INT(inspect(". sample.pkg.zst", &out, &err), 3);
	CHECK_CONTAINS(out, "name    version  bytes  entries  kernels  tensors  targets  file\n"
			    "-       -        -      -        -        -        refused  ./bad.pkg.zst\n"
			    "sample  1.0      ");
	CHECK_CONTAINS(out, "cpu_sim  ./sample.pkg.zst\n");
	CHECK_CONTAINS(out, "cpu_sim  sample.pkg.zst\n");
	CHECK_STR(err, "ptowsp-inspect: ./bad.pkg.zst: is cut off: the header ends at byte 2320, the file at 700; copy or pack it again\n");
	free(out);
	free(err);
}

TEST(several_packages_give_an_object_each)
{
	char *out = NULL, *err = NULL;

	CHECK_INT(inspect("--json . sample.pkg.zst 2>/dev/null", &out, &err), 3);
	CHECK_CONTAINS(out, "{\"file\":\"./bad.pkg.zst\",\"status\":\"BAD_PACKAGE\",\"error\":\"./bad.pkg.zst: is cut off: ");
	CHECK_CONTAINS(out, "{\"file\":\"./sample.pkg.zst\",\"status\":\"OK\",\"name\":\"sample\",\"version\":\"1.0\",\"digest\":\"");
	CHECK_CONTAINS(out, "\"targets\":[\"cpu_sim\"],\"tile_memory\":{\"targets\":[{\"target\":\"sram\",");
	CHECK_CONTAINS(out, "copy or pack it again\",\"schema\":\"ptowsp.inspected/1\"}\n");
	CHECK_CONTAINS(out, "},\"schema\":\"ptowsp.inspected/1\"}\n");
	for (const char *line = out, *end; (end = strchr(line, '\n')); line = end + 1)
		CHECK(end > line && *line == '{' && end[-1] == '}'); /* and nothing else */
	free(out);
	free(err);
}

/* One step of flash attention on `rows` rows of 128 columns: q, o, m and l live all the time; k ends before v begins. */
static char *flash_source(char *at, const char *end, unsigned rows)
{
	static const char *const names[] = {"q", "o", "k", "v", "pv", "kt", "s", "m", "l", "c", "d"};
	const unsigned columns[] = {128, 128, 128, 128, 128, rows, rows, 1, 1, 1, 1};

	at += snprintf(at, (size_t)(end - at),
		       "// Function Type: InCore\nfunc @flash_%u(%%in: !pto.memref<gm,...,f32>, %%out: "
		       "!pto.memref<gm,...,f32>) {\n",
		       rows);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		at += snprintf(at, (size_t)(end - at), "  %%%s = alloc_tile : !pto.tile<%ux%uxf32>\n", names[i], i == 5 ? 128 : rows, columns[i]);
#define LINE(...) at += snprintf(at, (size_t)(end - at), __VA_ARGS__)
#define WIDE      "!pto.tile<%ux128xf32>"
#define COLUMN    "!pto.tile<%ux1xf32>"
#define LOAD      "(!pto.memref<gm,...,f32>, index, index) -> "
	LINE("  %%q = tload %%in[0, 0] : " LOAD WIDE "\n", rows);
	LINE("  %%o = texpands %%0.0 : " WIDE "\n", rows);
	LINE("  %%m = texpands %%-1.0 : " COLUMN "\n  %%l = texpands %%0.0 : " COLUMN "\n", rows, rows);
	LINE("  FOR %%i:idx, 0:idx, 4:idx, 1:idx\n  %%k = tload %%in[%%i, 0] : " LOAD WIDE "\n", rows);
	LINE("  %%kt = ttrans %%k : " WIDE " -> !pto.tile<128x%uxf32>\n", rows, rows);
	LINE("  %%s = tmatmul %%q, %%kt : (" WIDE ", !pto.tile<128x%uxf32>) -> !pto.tile<%ux%uxf32>\n", rows, rows, rows, rows);
	LINE("  %%c = trowmax %%s : !pto.tile<%ux%uxf32> -> " COLUMN "\n  %%c = tmax %%c, %%m : " COLUMN "\n", rows, rows, rows, rows);
	LINE("  %%d = tsub %%m, %%c : " COLUMN "\n  %%d = texp %%d : " COLUMN "\n  %%m = tmov %%c : " COLUMN " -> " COLUMN "\n", rows, rows, rows, rows);
	LINE("  %%s = trowexpandsub %%s, %%c : !pto.tile<%ux%uxf32>, " COLUMN " -> !pto.tile<%ux%uxf32>\n", rows, rows, rows, rows, rows);
	LINE("  %%s = texp %%s : !pto.tile<%ux%uxf32>\n  %%c = trowsum %%s : !pto.tile<%ux%uxf32> -> " COLUMN "\n", rows, rows, rows, rows, rows);
	LINE("  %%l = tmul %%l, %%d : " COLUMN "\n  %%l = tadd %%l, %%c : " COLUMN "\n", rows, rows);
	LINE("  %%o = trowexpandmul %%o, %%d : " WIDE ", " COLUMN " -> " WIDE "\n", rows, rows, rows);
	LINE("  %%v = tload %%in[%%i, 0] : " LOAD WIDE "\n", rows);
	LINE("  %%pv = tmatmul %%s, %%v : (!pto.tile<%ux%uxf32>, " WIDE ") -> " WIDE "\n", rows, rows, rows, rows);
	LINE("  %%o = tadd %%o, %%pv : " WIDE "\n  ENDFOR\n  %%o = trowexpanddiv %%o, %%l : " WIDE ", " COLUMN " -> " WIDE "\n", rows, rows, rows, rows);
	LINE("  tstore %%o, %%out[0, 0]\n  return\n}\n");
	return at;
#undef LINE
}

/* At the second product 64 rows need q, o, v, pv of 32 KiB, s of 16 KiB, m and l of 256 bytes; 128 rows all five of 64 KiB. */
TEST(tile_memory_stands_beside_what_targets_have)
{
	static char source[16384];
	char *at = flash_source(source, source + sizeof(source), 64), *out = NULL, *err = NULL;
	const char *dir = check_tmp();

	at = flash_source(at, source + sizeof(source), 128);
	REQUIRE(check_write(check_fmt("%s/flash.pto", dir), source, (size_t)(at - source)));
	CHECK_INT(check_run(check_fmt("cd '%s' && PATH='%s/bin':$PATH && ptowsp-pack flash.pto -o flash.pkg.zst >&2 && ptowsp-inspect flash.pkg.zst", dir,
				      check_build()),
			    &out, &err),
		  0);
	CHECK_CONTAINS(out, "\ntile memory\n"
			    "  kernel     tiles, bytes  with reuse  sram SRAM 256 KiB  ascend-a2a3 UB 192 KiB  ascend-a5 UB 248 KiB  ascend L1 512 KiB\n"
			    "  flash_128  460800        328704      too large          too large               too large             fits\n"
			    "  flash_64   214016        147968      fits               fits                    fits                  fits\n");
	CHECK_CONTAINS(out,
		       "cycles of the model core, computed and not measured\n"
		       "  kernel     unit     UB     L1      L0A    L0B    L0C    950   910b\n"
		       "  flash_128  -        -      -       -      -      -      fits  kernel flash_128: its tiles need 197632 bytes of UB at once, a core of "
		       "910b has 196608; cut them smaller\n"
		       "  flash_64   aic_aiv  82432  114688  32768  32768  49152  fits  6810 cycles: scalar 0 %, gm to l1 39 %");
	free(out);
	free(err);
	CHECK_INT(check_run(check_fmt("cd '%s' && PATH='%s/bin':$PATH && ptowsp-inspect --json flash.pkg.zst >flash.json && ptowsp-pack --from-json "
				      "flash.json -o again.pkg.zst && cmp flash.pkg.zst again.pkg.zst && tail -n 2 flash.json",
				      dir, check_build()),
			    &out, &err),
		  0);
	CHECK_CONTAINS(out, "{\"kernel\":\"flash_128\",\"bytes\":460800,\"bytes_with_reuse\":328704,\"fits\":[\"ascend L1\"]}");
	CHECK_CONTAINS(out, "{\"kernel\":\"flash_128\",\"device\":\"910b\",\"refused\":\"kernel flash_128: its tiles need 197632 bytes of UB at once");
	CHECK_CONTAINS(out, "{\"kernel\":\"flash_64\",\"device\":\"910b\",\"unit\":\"aic_aiv\",\"bytes\":{\"UB\":82432,\"L1\":114688,\"L0A\":32768,"
			    "\"L0B\":32768,\"L0C\":49152},\"cycles\":6810,\"pipes\":{\"scalar\":");
	free(out);
	free(err);
}

/* Who lists a package does not wait for its loops. */
TEST(loops_that_do_not_end_are_no_reason_to_wait)
{
	const char *dir = check_tmp();
	char *out = NULL, *err = NULL;

	CHECK_INT(
		check_run(check_fmt("cd '%s' && PATH='%s/bin':$PATH && ptowsp-pack '%s/tests/contract/endless.pto' -o e.pkg.zst && ptowsp-inspect e.pkg.zst && "
				    "ptowsp-inspect --json e.pkg.zst",
				    dir, check_build(), check_root()),
			  &out, &err),
		0);
	CHECK_CONTAINS(out, "its loops are too long to be walked here");
	free(out);
	free(err);
}

TEST(folders_below_count_and_links_to_nowhere_are_told)
{
	char *out = NULL, *err = NULL;

	CHECK_INT(inspect(check_fmt("--version >/dev/null && mkdir -p deep/er && mv sample.pkg.zst deep/er && ln -s none deep/link.pkg.zst && echo none "
				    ">deep/text && "
				    "'%s/bin/ptowsp-inspect' deep",
				    check_build()),
			  &out, &err),
		  2);
	CHECK_CONTAINS(out, "cpu_sim  deep/er/sample.pkg.zst\n");
	CHECK_CONTAINS(out, "refused  deep/link.pkg.zst\n");
	CHECK_STR(err, "ptowsp-inspect: deep/link.pkg.zst cannot be opened: No such file or directory\n");
	free(out);
	free(err);
}

TEST(misuse_is_one_sentence_and_exit_2)
{
	static const struct {
		const char *arguments, *says;
	} wrong[] = {{"", "no PACKAGE is given"},
		     {"--source sample.pkg.zst", "flag \"--source\" is unknown; known: "},
		     {"--cc sample.pkg.zst", "flag \"--cc\" is unknown; known: --c,"},
		     {"--json --disasm sample.pkg.zst", "--json and --disasm are two things to do; ask for one"},
		     {"--disasm sample.pkg.zst bad.pkg.zst", "--disasm takes one file"},
		     {"--pto sample.pkg.zst bad.pkg.zst", "--pto prints one package, or several with --out FOLDER"},
		     {"--out again sample.pkg.zst", "--out belongs to --pto"},
		     {"--pto --out", "--out needs a value: FOLDER"},
		     {"--graph", "--graph needs a value: FILE|-"},
		     {"--graph g.txt", "no DUMP is given"},
		     {"--graph g.txt --json sample.pkg.zst", "--graph excludes the others"},
		     {"--graph g.bmp sample.pkg.zst", "the name must end in .txt"},
		     {"nowhere.pkg.zst", "nowhere.pkg.zst cannot be opened: No such file or directory"},
		     {"--disasm .", "--disasm takes one file"}};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		char *out = NULL, *err = NULL;

		CHECK_INT(inspect(wrong[i].arguments, &out, &err), 2);
		CHECK_STR(out, "");
		CHECK_CONTAINS(err, wrong[i].says);
		CHECK(strlen(err) > 1 && strchr(err, '\n') == err + strlen(err) - 1);
		free(out);
		free(err);
	}
}

TEST(full_disk_is_told)
{
	char *err = NULL;

	CHECK_INT(inspect("sample.pkg.zst >/dev/full", NULL, &err), 2);
	CHECK_STR(err, "ptowsp-inspect: stdout cannot be written: No space left on device\n");
	free(err);
}
