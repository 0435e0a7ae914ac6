/* SPDX-License-Identifier: MIT
 * test_limits.c - what sources are told that are too large: one beyond the limit, and the sentence; where it is cheap, the limit itself, which is allowed. */
#include "tests/check.h"
#include "tests/lang/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROWS 65536 /* that instructions can name */

/* --- sources --- */

static struct text {
	char *at;
	size_t used, room;
} text;

static void add(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void add(const char *format, ...)
{
	char piece[256], *at;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(piece, sizeof(piece), format, args);
	va_end(args);
	REQUIRE(length >= 0 && (size_t)length < sizeof(piece));
	if (text.used + (size_t)length + 1 > text.room) {
		text.room = 2 * text.room + sizeof(piece);
		at = realloc(text.at, text.room);
		REQUIRE(at != NULL);
		text.at = at;
	}
	memcpy(text.at + text.used, piece, (size_t)length + 1);
	text.used += (size_t)length;
}

/* The first line of one message and its help, as "line:column: text (help)". */
static const char *message_of(const struct lang_diagnostic *row)
{
	return check_fmt("%u:%u: %s: %s (%s)", row->line, row->column, row->severity == LANG_ERROR ? "error" : "warning", row->text, row->help);
}

/* Compiles what was added, which is used up: its only message has to be that; "" for none. */
static void told_with(const struct lang_options *options, const char *want)
{
	struct source s = source_compile_as("large.pto", text.at, text.used, options);

	REQUIRE(s.list != NULL);
	for (uint32_t i = 1; i < s.list->count; i++)
		CHECK_STR(message_of(&s.list->rows[i]), "no more than one message");
	CHECK_UINT(s.list->count, *want != '\0');
	CHECK_STR(s.list->count ? message_of(&s.list->rows[0]) : "", want);
	CHECK_INT(s.package == NULL, strstr(want, ": error: ") != NULL);
	source_free(&s);
	free(text.at);
	text = (struct text){0};
}

static void told(const char *want)
{
	told_with(NULL, want);
}

#define DIVIDE "(divide it into several packages)"
#define REPEAT "(put what repeats itself into CF_LOOP, or into a package of its own)"

/* --- all of a source --- */

TEST(sources_have_16_mib)
{
	size_t most = (size_t)16 << 20;

	add("workload @main { }\n//");
	text.at = realloc(text.at, most + 1);
	REQUIRE(text.at != NULL);
	memset(text.at + text.used, 'x', most + 1 - text.used);
	text.used = most + 1;
	told("0:0: error: the source is larger than 16 MiB ()");
	add("workload @main { }\n//");
	text.at = realloc(text.at, most);
	REQUIRE(text.at != NULL);
	memset(text.at + text.used, 'x', most - text.used);
	text.used = most;
	told("");
}

/* Files of as many bytes as their names say. */
static ptowsp_status file_make(void *context, uint32_t source, const char *file, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	(void)context, (void)source, (void)error;
	*size_out = (size_t)strtoull(file, NULL, 10);
	*bytes_out = calloc(*size_out + 1, 1);
	return *bytes_out ? PTOWSP_OK : PTOWSP_NO_MEMORY;
}

TEST(files_of_samples_have_1_to_2_28_bytes)
{
	static const struct lang_options options = {.read = file_make};
	const char *form = "tensor %%x : u8[4] in\nworkload @main { }\nsample %%x input = \"%s\"\n";

	add(form, "0");
	told_with(&options, "3:19: error: the file \"0\" has 0 bytes, sample data have 1 to 2^28 ()");
	add(form, "268435457");
	told_with(&options, "3:19: error: the file \"268435457\" has 268435457 bytes, sample data have 1 to 2^28 ()");
}

/* --- parameters --- */

TEST(kernels_have_65535_parameters)
{
	for (int count = 65535; count <= 65536; count++) {
		add("kernel @k(");
		for (int i = 0; i < count; i++)
			add("%%p%d: %s,\n", i, i % 2 ? "i64" : "f32[4, 4] in");
		add(")\ntensor %%t : f32[4, 4] in\nworkload @main {\n  call @k(");
		for (int i = count; i-- > 0;) /* not in their order */
			add("%%p%d -> %s%s", i, i % 2 ? "1" : "%t", i ? ",\n" : ")\n}\n");
		told(count == 65535 ? "" : "65536:1: error: @k has more than 65535 parameters (pass what belongs together as one tensor)");
	}
}

/* Their names are in the package once, not once per kernel: 9,750 kernels once took more memory than a compilation may. */
static void functions_add(int count)
{
	for (int i = 0; i < count; i++)
		add("func @small_kernel_%d(%%x: !pto.memref<gm,...,f32>, %%y_%d: !pto.memref<gm,...,f32>) {\n  %%tile_%d = alloc_tile : !pto.tile<1x8xf32>\n"
		    "  %%tile_%d = tload %%x[0, 0]\n  tstore %%tile_%d, %%y_%d[0, 0]\n  return\n}\n",
		    i, i, i, i, i, i);
}

TEST(memory_grows_as_the_number_of_kernels)
{
	static const struct lang_options options = {.memory = (size_t)128 << 20};

	functions_add(9750);
	told_with(&options, "");
}

/* Each of 40,000 names was once compared with all that are known: half a minute. */
TEST(names_of_tasks_are_found_in_no_time)
{
	const clock_t begin = clock();

	add("tensor %%x : f32[4, 4] inout\nkernel @k(%%a: f32[4, 4] inout)\nworkload @main {\n  parallel_for %%i in 0 to 4 {\n");
	for (int i = 0; i < 40000; i++)
		add("%%t%d = call @k(%%a -> %%x[%%i - %%i, 0])\n", i);
	add("call @k(%%a -> %%x) after %%t0");
	for (int i = 1; i < 40000; i++)
		add(", %%t%d", i);
	add("\n  }\n}\nschedule { deps explicit }\n");
	told("");
	CHECK(clock() - begin < 10 * CLOCKS_PER_SEC);
}

TEST(sources_beyond_the_memory_of_a_compilation_are_told_the_limit)
{
	static const struct lang_options options = {.memory = (size_t)1 << 20};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct lang_diagnostics *list = NULL;
	struct pkg_writer *writer = pkg_writer_create();
	struct lang_source source = {.name = "large.pto"};

	functions_add(1000);
	source.text = text.at;
	source.size = text.used;
	CHECK_INT(lang_compile(writer, &source, 1, &options, &list, &error), PTOWSP_TOO_BIG);
	CHECK_STR(error.text, "large.pto takes more than 1 MiB to compile, which is the limit; pack it as several packages");
	CHECK_UINT(list->count, 0);
	lang_diagnostics_destroy(list);
	pkg_writer_destroy(writer);
	free(text.at);
	text = (struct text){0};
}

/* A function @k with `count` scalars, each of which it reads, and one memref. */
static void function_add(const char *name, const char *prefix, int count)
{
	add("func @%s(%%x: !pto.memref<gm,...,f32>", name);
	for (int i = 0; i < count; i++)
		add(", %%%s%d: index", prefix, i);
	add(") {\n  %%s = alloc_scalar : index\n");
	for (int i = 0; i < count; i += 2)
		add("  ADD %%s:index, %%%s%d, %%%s%d\n", prefix, i, prefix, i + 1 < count ? i + 1 : i);
	add("}\n");
}

TEST(functions_have_65535_parameters)
{
	static const char *const wanted[] = {
		"", "1:6: error: @k has more than 65535 parameters, with the scalars that its calls take over (pass what belongs together as one memref)"};

	for (int more = 0; more < 2; more++) {
		function_add("k", "p", 65534 + more);
		add("// Function Type: Orchestration\nfunc @main(%%x: !pto.memref<gm,...,f32>) {\n  CALL @k(%%x -> %%x");
		for (int i = 65534 + more; i-- > 0;)
			add(", %%p%d -> 1", i);
		add(")\n}\n");
		told(wanted[more]);
	}
}

/* Neither function has too many of its own. */
TEST(scalars_that_calls_take_over_are_parameters)
{
	function_add("a", "p", 40000);
	function_add("b", "q", 40000);
	add("func @c(%%x: !pto.memref<gm,...,f32>) {\n  CALL @a(%%x -> %%x)\n  CALL @b(%%x -> %%x)\n}\n"
	    "// Function Type: Orchestration\nfunc @main(%%x: !pto.memref<gm,...,f32>) {\n  CALL @c(%%x -> %%x)\n}\n");
	told("40007:6: error: @c has more than 65535 parameters, with the scalars that its calls take over (pass what belongs together as one memref)");
}

/* --- what instructions name --- */

TEST(workloads_name_65536_kernels)
{
	for (int count = ROWS; count <= ROWS + 1; count++) {
		for (int i = 0; i < count; i++)
			add("kernel @k%d()\n", i);
		add("workload @main {\n");
		for (int i = 0; i < count; i++)
			add("  call @k%d()\n", i);
		add("}\n");
		told(count == ROWS ? "" : "131075:3: error: the package has more than 65536 kernels that are called: instructions can name no more " DIVIDE);
	}
}

TEST(orchestrations_name_65536_kernels)
{
	for (int i = 0; i <= ROWS; i++)
		add("func @k%d() {\n}\n", i);
	add("// Function Type: Orchestration\nfunc @main() {\n");
	for (int i = 0; i <= ROWS; i++)
		add("  CALL @k%d()\n", i);
	add("}\n");
	told("196613:3: error: the package has more than 65536 kernels that are called: instructions can name no more " DIVIDE);
}

TEST(workloads_name_65536_slots)
{
	for (int i = 0; i <= ROWS; i++)
		add("slot %%s%d : i64\n", i);
	add("workload @main {\n");
	for (int i = 0; i <= ROWS; i++)
		add("  slot_set %%s%d, 1\n", i);
	add("}\n");
	/* They are numbered by their ids. */
	told("112081:3: error: the package has more than 65536 slots and symbols: instructions can name no more " DIVIDE);
}

TEST(workloads_name_65536_axes)
{
	add("workload @main {\n");
	for (int i = 0; i <= ROWS; i++)
		add("  parallel_for %%i in 0 to %d { nop }\n", i + 1);
	add("}\n");
	told("65538:3: error: the package has more than 65536 axes of loops: instructions can name no more " DIVIDE);
}

TEST(branches_have_65535_bodies)
{
	for (int count = 65535; count <= 65536; count++) {
		add("workload @main {\n  combine\n");
		for (int i = 0; i < count; i++)
			add("{ }\n");
		add("}\n");
		told(count == 65535 ? "" : "65538:1: error: combine has more than 65535 bodies ()");
	}
}

/* --- expressions --- */

/* A choice in a choice in a choice: each "?" once took the parser's stack. */
TEST(expressions_have_1000_operators)
{
	static const int counts[] = {1000, 1001, 300000};

	for (int k = 0; k < 3; k++) {
		add("workload @main {\n  if ");
		for (int i = 0; i < counts[k]; i++)
			add("1 ? ");
		add("0");
		for (int i = 0; i < counts[k]; i++)
			add(" : 1");
		add(" { }\n}\n");
		told(k ? "2:4008: error: this expression has more than 1000 operators ()" : "");
	}
}

/* --- instructions --- */

TEST(calls_expand_to_2_20_instructions)
{
	add("kernel @k()\nworkload @w0 {\n");
	for (int i = 0; i < 1024; i++)
		add("  call @k()\n");
	add("}\nworkload @main {\n");
	for (int i = 0; i < 1024; i++)
		add("  call @w0()\n");
	add("}\n");
	told("1026:3: error: the calls of this package expand to more than 1048576 instructions (put repeated calls into a loop)");
}

TEST(graphs_have_2_20_instructions)
{
	add("graph @g {\nCF_LOOP(2, i)\n");
	for (int i = 0; i <= 1 << 20; i++)
		add("CF_BREAK(1)\n");
	add("CF_ENDLOOP()\n}\n");
	told("1048578:1: error: there are more than 1048576 instructions ()");
}

/* --- graphs --- */

TEST(graphs_name_65536_kernels)
{
	add("graph @g {\nTG_BEGIN(A)\n");
	for (int i = 0; i <= ROWS; i++)
		add("TG_KERNEL(A%d, k%d, 1, AIV, 0)\n", i, i);
	add("TG_END(A)\nTG_LAUNCH(A, S)\n}\n");
	told("65539:1: error: the package has more than 65536 kernels that differ: instructions can name no more " REPEAT);
}

/* In a program with CF_ instructions the numbers of kernels that others wait for are in slots. */
TEST(graphs_with_branches_name_65536_kernels_that_others_wait_for)
{
	add("graph @g {\nTG_BEGIN(A)\nCF_LOOP(2, i)\nMC_FENCE(GM)\nCF_ENDLOOP()\n");
	for (int i = 0; i < ROWS + 2; i++)
		add("TG_KERNEL(A%d, k, 1, AIV, 0)\n", i);
	for (int i = 0; i < ROWS + 1; i++)
		add("TG_DEPEND(A%d, A%d)\n", i, i + 1);
	add("TG_END(A)\nTG_LAUNCH(A, S)\n}\n");
	told("7790:1: error: the package has more than 65536 kernels and copies that others wait for, in programs with CF_ instructions: instructions can name "
	     "no more " REPEAT);
}

TEST(graphs_name_65536_elements)
{
	add("graph @g {\nMC_ALLOC(T, %d)\nTG_BEGIN(A)\n", 4 * ROWS + 4);
	for (int i = 0; i <= ROWS; i++)
		add("CF_IF(T[%d])\nTG_KERNEL(A%d, k, 1, AIV, 0)\nCF_ENDIF()\n", i, i);
	add("TG_END(A)\nTG_LAUNCH(A, S)\n}\n");
	told("165640:1: error: the package has more than 65536 elements that scalars read: instructions can name no more " REPEAT);
}

TEST(launches_have_2_20_instructions_and_edges)
{
	add("graph @g {\nTG_BEGIN(A)\n");
	for (int i = 0; i < 1024; i++)
		add("TG_KERNEL(A%d, k, 1, AIV, 0)\n", i);
	add("TG_END(A)\n");
	for (int i = 0; i < 1025; i++)
		add("TG_LAUNCH(A, S)\n");
	add("}\n");
	told("1025:1: error: the launches of this program come to more than 1048576 instructions and edges " REPEAT);
}

TEST(graphs_of_2_24_pairs_are_fused)
{
	add("graph @g {\n");
	for (char name = 'A'; name <= 'B'; name++) {
		add("TG_BEGIN(%c)\n", name);
		for (int i = 0; i < 4096 + (name == 'A'); i++)
			add("TG_KERNEL(%c%d, k, 1, AIV, 0)\n", name, i);
		add("TG_END(%c)\n", name);
	}
	add("TG_LAUNCH(A, S)\nTG_LAUNCH(B, S)\nTG_FUSE(A, B, F)\nTG_LAUNCH(F, S)\n}\n");
	told("8201:1: error: graphs of 4097 and 4096 kernels are too large to be fused ()");
}

/* 1,500 kernels write slices and 1,500 read all of them: more pairs than are looked at. */
TEST(races_are_searched_in_2_21_comparisons)
{
	enum { N = 1500 };

	add("kernel @copy(%%a: f32[] in, %%b: f32[] out)\ngraph @g {\nMC_ALLOC(T, %d)\nTG_BEGIN(G)\nMC_FENCE(GM)\n", N * 256);
	for (int i = 0; i < N; i++)
		add("TG_KERNEL(W%d, copy, 1, AIV, 0) MC_BIND(W%d, 0, IN) MC_BIND(W%d, 1, T, %d, 256)\n", i, i, i, i * 256);
	for (int i = 0; i < N; i++)
		add("TG_KERNEL(R%d, copy, 1, AIV, 0) MC_BIND(R%d, 0, T) MC_BIND(R%d, 1, OUT, %d, 256)\n", i, i, i, i * 256);
	add("TG_DEPEND(W%d, R0, BARRIER)\nTG_END(G)\nTG_LAUNCH(G, S)\n}\n", N - 1);
	told("2205:34: warning: graph G is too large to be searched for races: what R699 and the 3800 bindings behind it share is not looked at "
	     "(2097152 comparisons are made; let kernels share fewer parts of T)");
}
