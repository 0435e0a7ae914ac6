/* SPDX-License-Identifier: MIT
 * test_builder.c - packages by calls: the same as from source, every call, examples. Mistakes are in test_build_mistakes.c; what ptowsp-inspect --c prints is in test_program.c. */
#include "isa/isa.h"
#include "lang/builder/builder_calls.h"
#include "tests/check.h"
#include "tests/lang/build_refused.h"
#include "tests/lang/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define M "!pto.memref<gm,...,f32>"

static const char *digest_of(const struct source *s)
{
	static char text[65];

	for (int i = 0; i < 32; i++)
		snprintf(text + 2 * i, 3, "%02x", pkg_digest(s->package)[i]);
	return text;
}

/* ---- the same as from source ------------------------------------------------------------------------------------------------------- */

/* Line 1: @scale. Line 10: @all. */
static const char source[] = "func @scale(%x: " M ", %y: " M ", %factor: f32) {\n"
			     "  %a = alloc_tile : !pto.tile<2x4xf32>\n"
			     "  %k = alloc_scalar : i32\n"
			     "  FOR %k:idx, 0:idx, 2:idx, 1:idx\n"
			     "  ENDFOR\n"
			     "  %a = tload %x[0, 0]\n"
			     "  %a = tmuls %a, %factor\n"
			     "  tstore %a, %y[0, 0]\n"
			     "}\n"
			     "// Function Type: Orchestration\n"
			     "func @all(%p: " M ", %q: " M ", %n: i32) {\n"
			     "  FOR %i:idx, 0:idx, %n:idx, 2:idx\n"
			     "    CALL @scale(%x -> (%p, i, 0), %y -> (%q, i, 4))\n"
			     "  ENDFOR\n"
			     "}\n";

static uint32_t scale_build(struct ptowsp_build *b)
{
	uint32_t kernel, x, y, factor, a, k, at[3];

	ptowsp_build_position(b, "test.pto", 1, 6);
	kernel = ptowsp_build_kernel(b, "scale", "any");
	x = ptowsp_build_param(b, kernel, "x", "f32", "in");
	y = ptowsp_build_param(b, kernel, "y", "f32", "out");
	factor = ptowsp_build_param_scalar(b, kernel, "factor", "f32");
	ptowsp_build_body(b, kernel);
	for (int i = 0; i < 3; i++) /* scalars are put in order: arguments, declared, literals */
		at[i] = ptowsp_build_literal(b, "i64", i == 0 ? "0" : i == 1 ? "2" : "1");
	ptowsp_build_argument(b, factor);
	a = ptowsp_build_tile(b, "a", "f32", 2, 4);
	k = ptowsp_build_scalar(b, "k", "i64", "local");
	ptowsp_build_position(b, "folders/are/left/out/test.pto", 4, 3);
	OP(b, "FOR", k, at[0], at[1], at[2]);
	ptowsp_build_op(b, "ENDFOR", 0, NULL, 0);
	ptowsp_build_position(b, "test.pto", 6, 3);
	OP(b, "tload", a, x, at[0], at[0]);
	ptowsp_build_position(b, "test.pto", 7, 3);
	OP(b, "tmuls", a, a, factor);
	ptowsp_build_position(b, "test.pto", 8, 3);
	OP(b, "tstore", a, y, at[0], at[0]);
	ptowsp_build_position(b, "test.pto", 1, 6);
	ptowsp_build_body_end(b);
	return kernel;
}

static void tensor_build(struct ptowsp_build *b, const char *name, const char *role, uint32_t *handle_out)
{
	*handle_out = ptowsp_build_tensor(b, name, "f32", role);
	ptowsp_build_tensor_shapeless(b, *handle_out);
}

TEST(a_program_has_the_digest_of_its_source)
{
	struct source s = source_compile(source);
	struct ptowsp_build *b = ptowsp_build_create("test");
	uint32_t n = ptowsp_build_symbol(b, "n", "i32"), factor = ptowsp_build_symbol(b, "factor", "f32");
	uint32_t kernel = scale_build(b), entry, p, q, x, y, i, zero, four, two;

	CHECK_STR(s.messages, "");
	REQUIRE(s.package != NULL);
	tensor_build(b, "all.p", "in", &p);
	tensor_build(b, "all.q", "out", &q);
	tensor_build(b, "scale.x", "in", &x);
	tensor_build(b, "scale.y", "out", &y);
	entry = ptowsp_build_entry_kernel(b, "scale", kernel);
	CHECK_UINT(ptowsp_build_entry_value(b, entry, factor), 1);
	CHECK_UINT(ptowsp_build_tensor_place(b, x, entry, 0), 1);
	CHECK_UINT(ptowsp_build_tensor_place(b, y, entry, 1), 1);

	ptowsp_build_position(b, "test.pto", 11, 6);
	entry = ptowsp_build_entry(b, "all");
	ptowsp_build_entry_default(b, entry);
	ptowsp_build_tensor_place(b, p, entry, 0);
	ptowsp_build_tensor_place(b, q, entry, 1);
	ptowsp_build_position(b, "test.pto", 12, 3);
	zero = ptowsp_build_number(b, 0);
	ptowsp_build_value(b, n);
	two = ptowsp_build_number(b, 2);
	i = ptowsp_build_parallel_for(b, ptowsp_build_axis(b, "i", "dense", zero, n, two, 0));
	ptowsp_build_position(b, "test.pto", 13, 5);
	ptowsp_build_task(b, kernel);
	ptowsp_build_arg(b, factor);
	ptowsp_build_use(b, ptowsp_build_window(b, p, i, zero, 8, 0));
	four = ptowsp_build_number(b, 4);
	ptowsp_build_use(b, ptowsp_build_window(b, q, i, four, 8, 0));
	ptowsp_build_end(b);
	ptowsp_build_end(b);

	CHECK_INT(ptowsp_build_seal(b), PTOWSP_OK);
	CHECK_STR(ptowsp_build_error(b), "");
	CHECK_STR(ptowsp_build_digest(b), digest_of(&s));
	ptowsp_build_destroy(b);
	source_free(&s);
}

/* ---- between layouts ---- */

static uint32_t sharded(struct ptowsp_build *b, const char *name, const char *role, const uint32_t *extents, uint32_t rank, int dim, uint32_t axis)
{
	uint32_t tensor = ptowsp_build_tensor(b, name, "f32", role);

	for (uint32_t i = 0; i < rank; i++) {
		ptowsp_build_tensor_dim(b, tensor, extents[i]);
		if (dim == (int)i)
			ptowsp_build_tensor_shard(b, tensor, axis);
	}
	if (dim < 0)
		ptowsp_build_tensor_replicated(b, tensor);
	return tensor;
}

/* Everything that the source below says, at its places. */
static void moves_build(struct ptowsp_build *b)
{
	uint32_t n = ptowsp_build_symbol(b, "n", "u64"), k = ptowsp_build_symbol(b, "k", "u64"), zero = ptowsp_build_number(b, 0);
	uint32_t four = ptowsp_build_number(b, 4), big = ptowsp_build_number(b, 64), wide = ptowsp_build_number(b, 96);
	uint32_t parts = sharded(b, "parts", "in", (const uint32_t[]){four, big, wide}, 3, 0, 0);
	uint32_t total = sharded(b, "total", "out", (const uint32_t[]){big, wide}, 2, -1, 0),
		 cut = sharded(b, "cut", "out", (const uint32_t[]){big, wide}, 2, 0, 0);
	uint32_t lines = sharded(b, "lines", "in", (const uint32_t[]){k, n, four, wide}, 4, 0, 1),
		 sums = sharded(b, "sums", "out", (const uint32_t[]){n, four, wide}, 3, -1, 0);
	uint32_t whole = sharded(b, "whole", "out", (const uint32_t[]){big, wide}, 2, -1, 0), from, to;

	ptowsp_build_position(b, "test.pto", 9, 10);
	ptowsp_build_entry_default(b, ptowsp_build_entry(b, "main"));
	ptowsp_build_position(b, "test.pto", 10, 3);
	ptowsp_build_reduce(b, "all_reduce", parts, total, "sum");
	ptowsp_build_position(b, "test.pto", 11, 3);
	ptowsp_build_reduce(b, "reduce_scatter", parts, cut, "sum");
	ptowsp_build_position(b, "test.pto", 12, 3);
	ptowsp_build_reduce(b, "all_reduce", lines, sums, "max");
	ptowsp_build_position(b, "test.pto", 13, 3);
	from = ptowsp_build_region(b, cut, zero, zero, 64, 96);
	to = ptowsp_build_region(b, whole, zero, zero, 64, 96);
	ptowsp_build_move(b, "all_gather", from, to);
	ptowsp_build_position(b, "test.pto", 14, 3);
	from = ptowsp_build_region(b, parts, zero, zero, 1, 96);
	to = ptowsp_build_region(b, cut, zero, zero, 1, 96);
	ptowsp_build_move(b, "relayout", from, to);
	ptowsp_build_end(b);
}

TEST(moves_are_made_of_what_the_source_s_are)
{
	static const char *const kernels[] = {"sum.f32.32x96", "max.f32.4x96"};
	struct source s = source_compile("symbol %n : u64\nsymbol %k : u64\ntensor %parts : f32[4, 64, 96] in layout(S(0), R, R)\n"
					 "tensor %total : f32[64, 96] out layout(R, R)\ntensor %cut : f32[64, 96] out layout(S(0), R)\n"
					 "tensor %lines : f32[%k, %n, 4, 96] in layout(S(1), R, R, R)\ntensor %sums : f32[%n, 4, 96] out layout(R, R, R)\n"
					 "tensor %whole : f32[64, 96] out layout(R, R)\n"
					 "workload @main {\n  all_reduce %parts -> %total\n  reduce_scatter %parts -> %cut\n  all_reduce %lines -> %sums max\n"
					 "  all_gather %cut -> %whole\n  relayout %parts[0, 0 : 1, 96] -> %cut[0, 0]\n}\n"),
		      again = {0};
	struct ptowsp_build *b = ptowsp_build_create("test");
	char *want, *got;

	CHECK_STR(s.messages, "");
	moves_build(b);
	REQUIRE_INT(ptowsp_build_seal(b), PTOWSP_OK);
	CHECK_STR(ptowsp_build_error(b), "");
	CHECK_STR(ptowsp_build_digest(b), digest_of(&s));
	REQUIRE_INT(pkg_open_memory(&again.package, ptowsp_build_bytes(b), (size_t)ptowsp_build_size(b), "built", NULL, NULL), PTOWSP_OK);
	again.t = pkg_tables(again.package);
	want = source_workload(&s, "main");
	got = source_workload(&again, "main");
	CHECK_STR(got, want);
	free(want);
	free(got);
	for (int i = 0; i < 2; i++) {
		want = source_program(&s, kernels[i]);
		got = source_program(&again, kernels[i]);
		CHECK_STR(got, want);
		free(want);
		free(got);
	}
	pkg_close(again.package);
	ptowsp_build_destroy(b);
	source_free(&s);
}

TEST(moves_are_checked)
{
#define PAIR                                                                                                                                                   \
	(p.n = ptowsp_build_number(b, 8)), (p.one = sharded(b, "parts", "in", (const uint32_t[]){p.n, p.n, p.n}, 3, 0, 0)),                                    \
		(p.zero = sharded(b, "whole", "out", (const uint32_t[]){p.n, p.n}, 2, -1, 0)), CODE
	REFUSED("ptowsp_build_move: \"send\" is no way to move; known: relayout, all_gather, broadcast", CODE,
		ptowsp_build_move(b, "send", p.region, p.region));
	REFUSED("ptowsp_build_move: there is nothing to gather, no sharded dimension becomes replicated", CODE,
		ptowsp_build_move(b, "all_gather", p.region, p.region));
	REFUSED("ptowsp_build_reduce: \"reduce\" is no reduction; known: all_reduce, reduce_scatter", PAIR,
		ptowsp_build_reduce(b, "reduce", p.one, p.zero, "sum"));
	REFUSED("ptowsp_build_reduce: \"mean\" is no reduction of elements; known: sum, max, min", PAIR,
		ptowsp_build_reduce(b, "all_reduce", p.one, p.zero, "mean"));
	REFUSED("ptowsp_build_reduce: a reduction goes from 2 dimensions to 2: the first one is the contributions'", PAIR,
		ptowsp_build_reduce(b, "all_reduce", p.zero, p.zero, "sum"));
	REFUSED("ptowsp_build_reduce: reduce_scatter cuts the total over axis 0, and no dimension of it is sharded over that", PAIR,
		ptowsp_build_reduce(b, "reduce_scatter", p.one, p.zero, "sum"));
	REFUSED("ptowsp_build_reduce: all_reduce keeps the other dimensions as they are, and dimension 1 of the total differs", PAIR,
		(p.zero = sharded(b, "other", "out", (const uint32_t[]){p.n, p.n}, 2, 1, 0)), ptowsp_build_reduce(b, "all_reduce", p.one, p.zero, "sum"));
	REFUSED("ptowsp_build_reduce: each place has a contribution where the first dimension is sharded", PAIR,
		(p.one = sharded(b, "others", "in", (const uint32_t[]){p.n, p.n, p.n}, 3, 1, 0)), ptowsp_build_reduce(b, "all_reduce", p.one, p.zero, "sum"));
	REFUSED("ptowsp_build_reduce: dimension 0 of the total has another extent than that of the contributions", PAIR,
		(p.zero = sharded(b, "other", "out", (const uint32_t[]){ptowsp_build_number(b, 9), p.n}, 2, -1, 0)),
		ptowsp_build_reduce(b, "all_reduce", p.one, p.zero, "sum"));
	REFUSED("ptowsp_build_reduce: the kernel sum.f32.8x8 is there already and is not the one that a reduction needs", PAIR,
		ptowsp_build_kernel(b, "sum.f32.8x8", "any"), ptowsp_build_reduce(b, "all_reduce", p.one, p.zero, "sum"));
	REFUSED("ptowsp_build_param_dim: axis 2 shards another dimension already", (p.one = ptowsp_build_kernel(b, "l", "any")),
		(p.n = ptowsp_build_param(b, p.one, "a", "f32", "in")), ptowsp_build_param_dim(b, p.n, "sharded", 2),
		ptowsp_build_param_dim(b, p.n, "sharded", 2));
	REFUSED("ptowsp_build_param_dim: a has no more dimensions", (p.one = ptowsp_build_kernel(b, "l", "any")),
		(p.n = ptowsp_build_param(b, p.one, "a", "f32", "in")), ptowsp_build_param_tile(b, p.n, 8, 8), ptowsp_build_param_dim(b, p.n, "replicated", 0),
		ptowsp_build_param_dim(b, p.n, "replicated", 0), ptowsp_build_param_dim(b, p.n, "replicated", 0));
#undef PAIR
}

/* Payloads as bytes and as files are those that the source names. */
TEST(payloads_from_bytes_and_files_have_the_digest_of_their_source)
{
	static const char text[] = "module @test\n"
				   "kernel @k(%x: f32[4, 8] in, %n: i64) on cube sig \"v(p,i64)\" {\n"
				   "  native x86_64-linux-gnu base64 \"AQIDBA==\" \"entry\" cycles 7\n"
				   "  image dav-c220 base64 \"AAECAwQFBgcI\" at 4 on vector\n"
				   "}\n";
	static const unsigned char library[] = {1, 2, 3, 4}, image[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
	const char *path = check_fmt("%s/k.bin", check_tmp());
	struct source s = source_compile(text);
	struct ptowsp_build *b = ptowsp_build_create("test");
	uint32_t kernel, payload;

	CHECK_STR(s.messages, "");
	REQUIRE(s.package != NULL);
	check_write(path, image, sizeof(image));
	ptowsp_build_position(b, "test.pto", 2, 8);
	kernel = ptowsp_build_kernel(b, "k", "aic");
	ptowsp_build_kernel_signature(b, kernel, "v(p,i64)");
	ptowsp_build_param_tile(b, ptowsp_build_param(b, kernel, "x", "f32", "in"), 4, 8);
	ptowsp_build_param_scalar(b, kernel, "n", "i64");
	payload = ptowsp_build_payload(b, kernel, "elf", library, sizeof(library));
	ptowsp_build_payload_target(b, payload, "x86_64-linux-gnu");
	ptowsp_build_payload_unit(b, payload, "aic");
	ptowsp_build_payload_entry(b, payload, "entry");
	ptowsp_build_payload_cycles(b, payload, 7);
	payload = ptowsp_build_payload_file(b, kernel, "image", path);
	ptowsp_build_payload_target(b, payload, "dav-c220");
	ptowsp_build_payload_offset(b, payload, 4);
	ptowsp_build_payload_unit(b, payload, "aiv");
	CHECK_INT(ptowsp_build_seal(b), PTOWSP_OK);
	CHECK_STR(ptowsp_build_error(b), "");
	CHECK_STR(ptowsp_build_digest(b), digest_of(&s));
	ptowsp_build_destroy(b);
	source_free(&s);
}

TEST(payload_files_that_cannot_be_read_are_refused)
{
	static const struct {
		const char *file, *sentence;
	} cases[] = {{"none", "cannot be opened"}, {"", "the name of the file is missing"}, {"/", "is no file"}, {"empty", "is empty, a payload has bytes"}};

	const char *folder = check_tmp();

	check_write(check_fmt("%s/empty", folder), "", 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct ptowsp_build *b = ptowsp_build_create("test");
		const char *file = cases[i].file;

		if (*file && *file != '/')
			file = check_fmt("%s/%s", folder, file);
		CHECK_UINT(ptowsp_build_payload_file(b, ptowsp_build_kernel(b, "k", "any"), "elf", file), 0);
		CHECK_CONTAINS(ptowsp_build_error(b), "ptowsp_build_payload_file: ");
		CHECK_CONTAINS(ptowsp_build_error(b), cases[i].sentence);
		ptowsp_build_destroy(b);
	}
}

/* ---- all calls ------------------------------------------------------------------------------------------------------------------------- */

TEST(every_call_answers_nothing_at_all)
{
	uint32_t count;
	const struct build_call *calls = build_calls(&count);

	for (uint32_t i = 0; i < count; i++) {
		const struct build_arg none[BUILD_ARGS] = {{0}};
		struct ptowsp_build *b = ptowsp_build_create(NULL);
		uint32_t result = calls[i].run(b, none);

		if (!result != (ptowsp_build_status(b) != 0) || !result != (*ptowsp_build_error(b) != 0))
			CHECK_FAIL("ptowsp_build_%s: %u and \"%s\"", calls[i].name, result, ptowsp_build_error(b));
		if (!result && strncmp(ptowsp_build_error(b) + strlen("ptowsp_build_"), calls[i].name, strlen(calls[i].name)) != 0)
			CHECK_FAIL("\"%s\" does not begin with the call ptowsp_build_%s", ptowsp_build_error(b), calls[i].name);
		CHECK_UINT(calls[i].run(NULL, none), 0);
		ptowsp_build_destroy(b);
	}
	CHECK(count > 100);
}

/* So that a frontend may look at each call instead of once at the end. */
TEST(calls_that_make_nothing_answer_1)
{
	struct parts p = parts_build();
	struct ptowsp_build *b = p.b;
	uint32_t task;

	CHECK_UINT(ptowsp_build_meta(b, "author", "somebody"), 1);
	CHECK_UINT(ptowsp_build_target(b, "cpu_sim"), 1);
	CHECK_UINT(ptowsp_build_position(b, "a.pto", 1, 2), 1);
	CHECK_UINT(ptowsp_build_default(b, p.n, "4"), 1);
	CHECK_UINT(ptowsp_build_tensor_dim(b, p.tensor, p.n), 1);
	CHECK_UINT(ptowsp_build_tensor_alignment(b, p.tensor, 64), 1);
	CHECK_UINT(ptowsp_build_kernel_blocks(b, p.kernel, 2), 1);
	CHECK_UINT(ptowsp_build_kernel_workspace(b, p.kernel, 64), 1);
	CHECK_UINT(ptowsp_build_require(b, "opcode task", 1), 1);
	CHECK(ptowsp_build_entry(b, "main") != 0);
	CHECK_UINT(ptowsp_build_if(b, p.n), 1);
	task = ptowsp_build_task(b, p.kernel);
	CHECK(task != 0);
	CHECK_UINT(ptowsp_build_arg_number(b, 3), 1);
	CHECK_UINT(ptowsp_build_use(b, p.region), 1);
	CHECK_UINT(ptowsp_build_else(b), 1);
	CHECK_UINT(ptowsp_build_slot_set(b, p.slot, p.one), 1);
	CHECK_UINT(ptowsp_build_signal(b, p.event), 1);
	CHECK_UINT(ptowsp_build_wait(b, p.event), 1);
	CHECK_UINT(ptowsp_build_barrier(b), 1);
	CHECK_UINT(ptowsp_build_fence(b, "core"), 1);
	CHECK_UINT(ptowsp_build_nop(b), 1);
	CHECK_UINT(ptowsp_build_end(b), 1);
	CHECK_STR(ptowsp_build_error(b), "");
	ptowsp_build_destroy(b);
}

TEST(every_call_of_the_header_is_in_the_table)
{
	char *text = check_read(check_fmt("%s/packages/lang/builder.h", check_root()), NULL), *at = text;
	static const char lead[] = "PTOWSP_PACK_API uint32_t ptowsp_build_";
	uint32_t count, found = 0;

	REQUIRE(text != NULL);
	while ((at = strstr(at, lead))) {
		char *end = strchr(at += strlen(lead), '(');

		*end = '\0';
		if (!build_call_find(at))
			CHECK_FAIL("builder.def lacks %s", at);
		*end = '(';
		found++;
	}
	build_calls(&count);
	CHECK_UINT(found, count);
	free(text);
}

/* ---- examples --------------------------------------------------------------------------------------------------------------------------- */

static void run_well(const char *command, char **out)
{
	char *err;
	int rc = check_run(command, out, &err);

	if (rc)
		CHECK_FAIL("%s: %d: %s", command, rc, err);
	free(err);
}

TEST(the_examples_in_c_and_python_make_one_package_that_runs)
{
	const char *folder = check_tmp(), *build = check_build(), *root = check_root();
	char *c, *python, *run;

	if (*check_sanitizer()) /* programs without the sanitizer cannot load the library */
		CHECK_SKIP("a sanitized library needs a sanitized program");
	run_well(check_fmt("cc -std=c11 -Wall -Wextra -Werror -DPTOWSP_TREE -I'%s/abi' -I'%s/packages' '%s/packages/examples/build_squares.c' -o '%s/squares' "
			   "-L'%s/lib' -lptowsp-pack -Wl,-rpath,'%s/lib' && '%s/squares' '%s/c.pkg.zst'",
			   root, root, root, folder, build, build, folder, folder),
		 &c);
	run_well(check_fmt("python3 '%s/packages/examples/build_squares.py' '%s/python.pkg.zst' '%s/lib/libptowsp-pack.so'", root, folder, build), &python);
	CHECK_UINT(strlen(c), 65);
	CHECK_STR(c, python);
	run_well(check_fmt("'%s/bin/ptowsp-run' --plugin-dir '%s/lib/ptowsp/plugins' '%s/c.pkg.zst'", build, build, folder), &run);
	CHECK_CONTAINS(run, "4 tasks");
	CHECK_CONTAINS(run, "compare: ok (1 tensor, 256 elements, max abs 0)");
	free(c);
	free(python);
	free(run);
}

TEST(the_program_of_the_page_is_a_package_that_runs)
{
	const char *folder = check_tmp(), *build = check_build(), *root = check_root();
	char *run;

	if (*check_sanitizer()) /* programs without the sanitizer cannot load the library */
		CHECK_SKIP("a sanitized library needs a sanitized program");
	run_well(check_fmt("cd '%s' && awk '/^```python/ { on = 1; next } /^```/ { on = 0 } on' '%s/packages/BUILDER.md' | "
			   "sed 's,libptowsp-pack.so,%s/lib/&,' > page.py && python3 page.py && '%s/bin/ptowsp-run' --plugin-dir '%s/lib/ptowsp/plugins' "
			   "--fill x=iota --out y=y.npy double.pkg.zst && od -A n -t f4 -j 128 -N 16 y.npy",
			   folder, root, build, build, build),
		 &run);
	CHECK_CONTAINS(run, "4 tasks, 1536 cycles");
	CHECK_CONTAINS(run, "0               2               4               6\n");
	free(run);
}
