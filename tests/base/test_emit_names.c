/* SPDX-License-Identifier: MIT
 * test_emit_names.c - names in emitted C that something else has, and what an emitted function refuses: every identifier that the headers and the C library's declare or use, what emitted code
 * makes of names, words of C, as kernel, window, tile, scalar and loop; and kernels and entries whose names C cannot keep apart. */
#include "tests/contract/cli.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 4096, WORD_MOST = 40, BATCH = 200 };

static char words[WORDS_MOST][WORD_MOST];
static size_t word_count;

/* Also those that emitted code makes of the names of batch kernels. */
static const char *const more[] = {
	"asm",          "auto",   "break",  "case",    "char",   "const",  "continue", "default", "do",          "double",           "else",
	"enum",         "extern", "float",  "for",     "goto",   "if",     "inline",   "int",     "long",        "register",         "restrict",
	"return",       "short",  "signed", "sizeof",  "static", "struct", "switch",   "typedef", "union",       "unsigned",         "void",
	"volatile",     "while",  "main",   "linux",   "unix",   "i386",   "errno",    "stdin",   "params_body", "params_on_device", "tiles_body",
	"scalars_body", "params", "tiles",  "scalars", "m_tile", "m_at",   "m_from",   "m_to",    "m_into",      "m_step",           "m_place",
	"m_at_2",       "t_at",   "m0",     "next_m",  "a.b",    "a_b",    "A_B",      "_x",      "x__y",
};

static int word_order(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void word_add(const char *word, size_t length)
{
	if (length && length < WORD_MOST && word_count < WORDS_MOST && strncmp(word, "__", 2) && !isdigit((unsigned char)*word))
		snprintf(words[word_count++], WORD_MOST, "%.*s", (int)length, word);
}

/* Identifiers of what the compiler sees of the headers, and the macros that can be written in lower case. */
static void words_read(void)
{
	char *text, *last = NULL;

	REQUIRE_INT(cli("printf '#include \"isa/kernel_tile.h\"\\n#include \"isa/product.h\"\\n' >all.c; cc -E -Ic all.c | grep -v '^#'; "
			"cc -E -dM -Ic all.c | sed -n 's/^#define \\([a-z][A-Za-z0-9_]*\\).*/\\1/p'"),
		    0);
	text = cli_out;
	word_count = 0;
	for (size_t n; *text; text += n ? n : 1) {
		n = 0;
		while (isalnum((unsigned char)text[n]) || text[n] == '_')
			n++;
		word_add(text, n);
		if (word_count == WORDS_MOST) { /* most of them are there many times */
			qsort(words, word_count, WORD_MOST, word_order);
			word_count = 0;
			last = NULL;
			for (size_t i = 0; i < WORDS_MOST; i++)
				if (!last || strcmp(last, words[i]))
					last = memmove(words[word_count++], words[i], WORD_MOST);
			REQUIRE(word_count < WORDS_MOST / 2);
		}
	}
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++)
		word_add(more[i], strlen(more[i]));
	qsort(words, word_count, WORD_MOST, word_order);
	for (size_t i = 1, kept = 1, all = word_count; i < all; i++) {
		if (strcmp(words[kept - 1], words[i]))
			memmove(words[kept++], words[i], WORD_MOST);
		word_count = kept;
	}
}

/* The words of a batch as windows, as tiles, as scalars and loops. */
static void batch_write(FILE *f, size_t from, size_t to)
{
	fprintf(f, "func @params_%zu(", from);
	for (size_t i = from; i < to; i++)
		fprintf(f, "%s%%%s: !pto.memref<gm,...,f32>", i > from ? ", " : "", words[i]);
	fprintf(f, ") {\n  %%the0tile = alloc_tile : !pto.tile<4x16xf32>\n");
	for (size_t i = from; i < to; i++)
		fprintf(f, "  %%the0tile = tload %%%s[0, 0]\n  %%the0tile = texp %%the0tile\n  tstore %%the0tile, %%%s[0, 0]\n", words[i], words[i]);
	fprintf(f, "}\nfunc @tiles_%zu(%%the0memory: !pto.memref<gm,...,f32>) {\n", from);
	for (size_t i = from; i < to; i++)
		fprintf(f, "  %%%s = alloc_tile : !pto.tile<16x16xf32>\n", words[i]);
	for (size_t i = from; i < to; i++)
		fprintf(f, "  %%%s = tload %%the0memory[0, 0]\n  %%%s = tmatmul %%%s, %%%s\n  %%%s = texp %%%s\n", words[i],
			words[(i + 1 - from) % (to - from) + from], words[i], words[i], words[i], words[(i + 1 - from) % (to - from) + from]);
	for (size_t i = from; i < to; i++)
		fprintf(f, "  tstore %%%s, %%the0memory[0, 0]\n", words[i]);
	fprintf(f, "}\nfunc @scalars_%zu(%%the0memory: !pto.memref<gm,...,i32>) {\n  %%the0tile = alloc_tile : !pto.tile<1x16xi32>\n", from);
	for (size_t i = from; i < to; i++)
		if (i % 2)
			fprintf(f, "  %%%s = alloc_scalar : i32\n", words[i]);
	fprintf(f, "  %%the0tile = tload %%the0memory[0, 0]\n");
	for (size_t i = from; i < to; i++)
		if (i % 2)
			fprintf(f, "  %%%s = getval %%the0tile, 3\n  %%the0tile = tadds %%the0tile, %%%s\n", words[i], words[i]);
		else
			fprintf(f, "  FOR %%%s:idx, 0:idx, 2:idx, 1:idx\n    %%the0tile = tload %%the0memory[%%%s, 0]\n  ENDFOR\n", words[i], words[i]);
	fprintf(f, "  tstore %%the0tile, %%the0memory[0, 0]\n}\n");
}

static void begin(void)
{
	cli_begin();
	REQUIRE_INT(cli("$B/ptowsp-pack --emit=c $R/tests/emit/kernels.pto -o c"), 0);
	words_read();
	CHECK(word_count > 500);
}

TEST(a_name_in_a_kernel_is_nothing_else_s)
{
	FILE *f;

	if (cli_slow())
		CHECK_SKIP("compiling takes too long here; the release build does it");
	begin();
	f = fopen(check_fmt("%s/names.pto", getenv("T")), "w");
	REQUIRE(f != NULL);
	for (size_t i = 0; i < word_count; i += BATCH)
		batch_write(f, i, i + BATCH < word_count ? i + BATCH : word_count);
	fclose(f);
	if (cli("$B/ptowsp-pack --emit=c names.pto -o names"))
		CHECK_FAIL("%.900s", cli_err);
	if (cli("cc -std=gnu11 -Wall -Wextra -Wno-unused -Werror -DTILE_ONE_MACHINE -fsyntax-only -Inames names/*.c"))
		CHECK_FAIL("%.900s", cli_err);
}

TEST(a_kernel_is_called_like_nothing_in_the_headers)
{
	FILE *f;

	begin();
	f = fopen(check_fmt("%s/kernels.pto", getenv("T")), "w");
	REQUIRE(f != NULL);
	for (size_t i = 0; i < word_count; i++)
		fprintf(f,
			"func @%s(%%m: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<1x%zuxf32>\n  %%t = tload %%m[0, 0]\n  tstore %%t, %%m[0, "
			"0]\n}\n",
			words[i], i + 1);
	fclose(f);
	if (cli("$B/ptowsp-pack --emit=c kernels.pto -o kernels"))
		CHECK_FAIL("%.900s", cli_err);
	REQUIRE_INT(cli("ls kernels/*.c | wc -l"), 0);
	CHECK_INT(strtol(cli_out, NULL, 10), (long)word_count);
	REQUIRE_INT(cli("{ echo '#include \"isa/kernel_tile.h\"'; echo '#include \"isa/product.h\"'; echo '#include <stdlib.h>'; echo '#include <unistd.h>'; "
			"echo '#include <time.h>'; grep -h '^ptowsp_status .*out)$' kernels/*.c | sed 's/$/;/'; } >declared.c; grep -c '^ptowsp_status' "
			"declared.c"),
		    0);
	CHECK_INT(strtol(cli_out, NULL, 10), (long)word_count);
	if (cli("cc -std=gnu11 -Wall -Wextra -Wno-unused -Werror -fsyntax-only -Ikernels declared.c"))
		CHECK_FAIL("%.900s", cli_err);
}

/* Two kernels of one name in C, in capitals too; an entry that is called like a kernel, and like what a file with an entry says itself. */
TEST(kernels_and_entries_that_c_cannot_keep_apart_get_numbers)
{
	static const char source[] = "func @a.b(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n  %t = tload %x[0, 0]\n  %t = tadds "
				     "%t, %1.0\n  tstore %t, %x[0, 0]\n}\n"
				     "func @a_b(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n  %t = tload %x[0, 0]\n  %t = tmuls "
				     "%t, %3.0\n  tstore %t, %x[0, 0]\n}\n"
				     "func @A_b(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n  %t = tload %x[0, 0]\n  %t = tsubs "
				     "%t, %5.0\n  tstore %t, %x[0, 0]\n}\n"
				     "func @launch_begin(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n  %t = tload %x[0, 0]\n  %t = "
				     "tmuls %t, %7.0\n  tstore %t, %x[0, 0]\n}\n"
				     "func @tasks(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n  %t = tload %x[0, 0]\n  %t = tadds "
				     "%t, %9.0\n  tstore %t, %x[0, 0]\n}\n"
				     "// Function Type: Orchestration\nfunc @launch(%x: !pto.memref<gm,...,f32>) {\n  CALL @a.b(%x -> %x)\n  CALL @a_b(%x -> "
				     "%x)\n  CALL @A_b(%x -> %x)\n  CALL @launch_begin(%x -> %x)\n  CALL @tasks(%x -> %x)\n}\n";
	static const char program[] = "#include \"c/launch_2.c\"\nint main(void)\n{\n\tfloat x[8] = {1};\n\tstatic struct launch_2 o;\n\tstruct rt_tasks "
				      "*tasks;\n\to.memory.x.data = x;\n"
				      "\to.memory.x.elements = 8;\n\tif (rt_tasks_create(&tasks, NULL, NULL))\n\t\treturn 1;\n\tlaunch_2_begin(tasks, &o);\n"
				      "\tif (rt_tasks_run(tasks, launch_2, &o, 1, 0, NULL, NULL))\n\t\treturn 2;\n\trt_tasks_destroy(tasks);\n\tprintf(\"%g "
				      "%g\\n\", (double)x[0], (double)x[7]);\n\treturn 0;\n}\n";

	if (cli_slow())
		CHECK_SKIP("compiling takes too long here; the release build does it");
	cli_begin();
	REQUIRE(check_write(check_fmt("%s/same.pto", getenv("T")), source, sizeof(source) - 1));
	REQUIRE(check_write(check_fmt("%s/main.c", getenv("T")), program, sizeof(program) - 1));
	if (cli("$B/ptowsp-pack --emit=c same.pto -o c"))
		CHECK_FAIL("%.900s", cli_err);
	REQUIRE_INT(cli("ls c/*.c"), 0);
	CHECK_STR(cli_out, "c/A_b_3.c\nc/a_b.c\nc/a_b_2.c\nc/launch_2.c\nc/launch_begin.c\nc/tasks_2.c\n");
	if (cli("for f in c/a_b.c c/a_b_2.c c/A_b_3.c c/launch_begin.c c/tasks_2.c; do cc -std=c11 -ffp-contract=off -DTILE_ONE_MACHINE -Ic -c -o ${f%.c}.o $f "
		"|| exit; done; "
		"cc -std=c11 -I. -I$R -I$R/abi -I$R/plugins main.c c/*.o $B/../lib/libptowsp-rt.a -lpthread -lm -o main"))
		CHECK_FAIL("%.900s", cli_err);
	CLI_PRINTS(0, "./main", "16 -5\n"); /* ((1 + 1) * 3 - 5) * 7 + 9; ((0 + 1) * 3 - 5) * 7 + 9 */
}

/* What an emitted function refuses itself, in the interpreter's words: what its task lacks, and loops that do not end. */
/* An unsigned beginning may be 0: then 2^17 times 2^15 jumps back are as many as are allowed, and have to be counted. */
TEST(jumps_are_counted_where_there_may_be_too_many)
{
	static const struct {
		int bound;
		bool counted;
	} rows[] = {{32767, true}, {32766, false}};

	cli_begin();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *source =
			check_fmt("func @far(%%m: !pto.memref<gm,...,f32>, %%n: u16) {\n  %%t = alloc_tile : !pto.tile<1x8xf32>\n  %%t = tload %%m[0, 0]\n"
				  "  FOR %%i:idx, 0:idx, 131072:idx, 1:idx\n    FOR %%j:idx, %%n:idx, %d:idx, 1:idx\n      %%t = tneg %%t\n    ENDFOR\n"
				  "  ENDFOR\n  tstore %%t, %%m[0, 0]\n}\n",
				  rows[i].bound);
		char *text;

		REQUIRE(check_write(check_fmt("%s/far.pto", getenv("T")), source, strlen(source)));
		REQUIRE_INT(cli(check_fmt("$B/ptowsp-pack --emit=c far.pto -o far%zu", i)), 0);
		text = check_read(check_fmt("%s/far%zu/far.c", getenv("T"), i), NULL);
		REQUIRE(text != NULL);
		CHECK((strstr(text, "jumps--") != NULL) == rows[i].counted);
		CHECK(strstr(text, "%t = tload %m[0, 0] : !pto.tile<1x8xf32> (line 3) */")); /* and each instruction says where it is from */
		free(text);
	}
}

TEST(what_a_task_lacks_and_endless_loops_are_refused)
{
	static const char source[] = "func @loops(%m: !pto.memref<gm,...,f32>, %n: i32) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n  %s = alloc_tile : "
				     "!pto.tile<1x1xf32>\n  %t = tload %m[0, 0]\n"
				     "  FOR %i:idx, 0:idx, %n:idx, 1:idx\n    FOR %j:idx, 0:idx, %n:idx, 1:idx\n      %s = trowsum %t\n      %t = "
				     "trowexpandsub %t, %s\n    ENDFOR\n  ENDFOR\n  tstore %t, %m[0, 0]\n}\n";
	static const char program[] =
		"#include \"c/loops.c\"\nstatic float x[8];\nstatic _Alignas(64) unsigned char room[4096];\nstatic uint64_t n;\n"
		"static struct ptowsp_tensor_arg window = {x, 1, 8, 8, 1, PTOWSP_F32, PTOWSP_READ | PTOWSP_WRITE, 0};\n"
		"static void go(uint32_t tensors, uint32_t args, uint64_t bytes, uint64_t rounds)\n{\n\tstruct ptowsp_error error = {.head = "
		"PTOWSP_HEAD(error, ERROR)};\n"
		"\tstruct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), 0, &error};\n"
		"\tstruct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK), .args = &n, .tensors = &window, .tensor_count = tensors, .arg_count = args,\n"
		"\t\t.tensor_stride = sizeof(window), .block_count = 1, .workspace = bytes ? room : NULL, .workspace_size = bytes};\n\tn = rounds;\n"
		"\tprintf(\"%d %s\\n\", (int)loops(&task, &out), error.text);\n}\n"
		"int main(void)\n{\n\tgo(1, 1, 4096, 3);\n\tgo(0, 1, 4096, 3);\n\tgo(1, 0, 4096, 3);\n\tgo(1, 1, 0, 3);\n\tgo(1, 1, 8, 3);\n\tgo(1, 1, 4096, "
		"30);\n"
		"\tgo(1, 1, 4096, 32);\n\twindow.dtype = PTOWSP_F16;\n\tgo(1, 1, 4096, 3);\n\twindow.dtype = PTOWSP_F32;\n\twindow.access = "
		"PTOWSP_READ;\n\tgo(1, 1, 4096, 3);\n"
		"\twindow.access = PTOWSP_READ | PTOWSP_WRITE;\n\twindow.columns = 7;\n\tgo(1, 1, 4096, 3);\n\treturn 0;\n}\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/loops.pto", getenv("T")), source, sizeof(source) - 1));
	REQUIRE(check_write(check_fmt("%s/main.c", getenv("T")), program, sizeof(program) - 1));
	if (cli("$B/ptowsp-pack --emit=c loops.pto -o c && cc -std=c11 -DTILE_ONE_MACHINE -DTILE_JUMPS=1000 -Ic -I. main.c -lm -o main"))
		CHECK_FAIL("%.900s", cli_err);
	CLI_PRINTS(0, "./main",
		   "0 \n"
		   "-9 kernel loops: takes 1 tensors and 1 scalars, the task has 0 and 1\n"
		   "-9 kernel loops: takes 1 tensors and 1 scalars, the task has 1 and 0\n"
		   "-9 kernel loops: needs a workspace of 128 bytes for its tiles, which the task does not have\n"
		   "-9 kernel loops: needs a workspace of 128 bytes for its tiles, which the task does not have\n"
		   "0 \n"
		   "-10 kernel loops line 6: jumped back 4294967296 times; the loop seems to have no end\n"
		   "-9 kernel loops: %m is f32, the task's tensor is f16\n"
		   "-9 kernel loops: writes %m, which the task does not allow\n"
		   "-9 kernel loops line 4: tload reads elements [0, 8) of %m, which has 7\n");
}

/* No number makes another name of these: a search for one once had no end. */
TEST(names_like_those_of_the_task_api_begin_in_another_way)
{
	static const char source[] =
		"func @rt_tasks(%x: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n  %t = tload %x[0, 0]\n  tstore %t, %x[0, 0]\n}\n"
		"tensor %x : f32[1, 8] inout\nworkload @rt_tasks_run { call @rt_tasks(%x -> %x) }\nworkload @RT_any { call @rt_tasks(%x -> %x) }\n";

	cli_begin();
	REQUIRE(check_write(check_fmt("%s/rt.pto", getenv("T")), source, sizeof(source) - 1));
	if (cli("ulimit -t 10; $B/ptowsp-pack --emit=c rt.pto -o c"))
		CHECK_FAIL("%.900s", cli_err);
	CHECK_INT(cli("ls c/*.c && for f in c/*.c; do cc -std=c11 -ffp-contract=off -Ic -I$R -I$R/abi -I$R/plugins -c -o ${f%.c}.o $f || exit; done"), 0);
	CHECK_STR(cli_out, "c/RT_any.c\nc/k_rt_tasks.c\nc/k_rt_tasks_run.c\n");
}
