/* SPDX-License-Identifier: MIT
 * test_print.c - packages as source text again: what the text packs to is the package, byte for byte. */
#include "format/json/json.h"
#include "print/print.h"
#include "ptowsp/note.h"
#include "ptowsp/tile.h"
#include "registry/common/common_dtype.h"
#include "registry/names.h"
#include "registry/npy.h"
#include "tests/check.h"
#include "tests/lang/random_source.h"
#include "tests/lang/source.h"

#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is printed of a source that was compiled without a word; whole: all of it can be said. To be freed. */
static char *printed_of(const struct source *s, bool whole)
{
	uint32_t inexpressible;
	char *text = NULL;

	CHECK_STR(s->messages, "");
	REQUIRE_INT(source_print(s->package, NULL, &text, &inexpressible, NULL), PTOWSP_OK);
	CHECK(!whole || !inexpressible);
	return text;
}

/* Prints what was packed, packs what was printed, prints that. Says what is wrong; the first text is kept in the test's folder. */
static void round_trip(const struct source *first, const char *what)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct source second;
	char *text = NULL, *again = NULL;
	uint32_t inexpressible;

	REQUIRE_INT(source_print(first->package, NULL, &text, &inexpressible, &error), PTOWSP_OK);
	second = source_compile_as("other.pto", text, strlen(text), NULL);
	if (inexpressible || second.status || second.size != first->size || memcmp(second.bytes, first->bytes, first->size) != 0) {
		const char *kept = check_fmt("%s/printed.pto", check_tmp());

		check_write(kept, text, strlen(text));
		CHECK_FAIL("%s: %u things cannot be said, %s%s; the printed text is %s", what, (unsigned)inexpressible, second.messages,
			   print_compare(first->package, text, NULL, &error) ? error.text : "same digest, other bytes", kept);
	} else {
		CHECK_INT(source_print(second.package, NULL, &again, &inexpressible, &error), PTOWSP_OK);
		CHECK_STR(again, text);
		CHECK_INT(print_compare(first->package, text, NULL, &error), PTOWSP_OK);
	}
	free(again);
	free(text);
	source_free(&second);
}

/* The JSON form packs to the same bytes. */
static void json_round_trip(const struct source *s, const char *what)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pkg_writer *writer = pkg_writer_create();
	char *text = NULL;
	void *bytes = NULL;
	size_t size = 0;

	REQUIRE(writer != NULL);
	REQUIRE_INT(pkg_to_json(s->package, &text, &error), PTOWSP_OK);
	if (pkg_from_json(writer, text, strlen(text), what, &error) || pkg_writer_seal(writer, &bytes, &size, &error))
		CHECK_FAIL("%s: %s", what, error.text);
	else if (size != s->size || memcmp(bytes, s->bytes, size) != 0)
		CHECK_FAIL("%s: its JSON form packs to other bytes", what);
	free(bytes);
	free(text);
	pkg_writer_destroy(writer);
}

/* 1, or 0 if the source is refused, which it may be where `refusable`. */
static int file_round_trip(const char *path, int refusable)
{
	const char *base = strrchr(path, '/');
	size_t size;
	char *text = check_read(path, &size);
	struct source s;
	int packed;

	REQUIRE(text != NULL);
	s = source_compile_as(base ? base + 1 : path, text, size, &source_with_files);
	packed = !s.status;
	if (packed) {
		round_trip(&s, path);
		json_round_trip(&s, path);
	} else if (!refusable) {
		CHECK_FAIL("%s: %s", path, s.messages);
	}
	source_free(&s);
	free(text);
	return packed;
}

/* --- files --- */

static bool is_source(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && !strcmp(name + length - 4, ".pto");
}

/* Every .pto file below a folder; how many came back. */
static int folder_round_trip(const char *folder, int refusable)
{
	char *roots[] = {(char *)(uintptr_t)folder, NULL};
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *item;
	int count = 0;

	REQUIRE(walk != NULL);
	while ((item = fts_read(walk)))
		if (item->fts_info == FTS_F && is_source(item->fts_name))
			count += file_round_trip(item->fts_path, refusable);
	fts_close(walk);
	return count;
}

TEST(every_file_of_the_corpus_comes_back)
{
	char *folder;

	CHECK_NEED_SHARED();
	folder = strdup(check_fmt("%s/corpus/pto", check_shared()));
	CHECK_INT(folder_round_trip(folder, 0), 114);
	free(folder);
}

TEST(every_source_of_the_project_comes_back)
{
	static const struct {
		const char *folder;
		int least, refusable;
	} folders[] = {{"packages/examples", 6, 0}, {"packages/probes", 8, 0},   {"tests/graphs", 12, 0},     {"tests/contract", 10, 0},
		       {"tests/printed", 2, 0},     {"tests/diagnostics", 8, 1}, {"tests/fuzz/source", 12, 1}};

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		char *folder = strdup(check_fmt("%s/%s", check_root(), folders[i].folder));

		CHECK(folder_round_trip(folder, folders[i].refusable) >= folders[i].least);
		free(folder);
	}
}

TEST(every_block_of_the_language_s_pages_comes_back)
{
	char *pages = source_pages(), *text;
	const char *at = pages;
	int count = 0;

	for (; (text = source_block(&at)); count++) {
		struct source s = source_compile_as("page.pto", text, strlen(text), &source_with_files);

		if (s.package) {
			round_trip(&s, check_fmt("block %d", count));
			json_round_trip(&s, check_fmt("block %d", count));
		} else {
			CHECK_FAIL("block %d: %s", count, s.messages);
		}
		source_free(&s);
		free(text);
	}
	CHECK(count >= 31);
	free(pages);
}

/* --- random sources --- */

TEST(random_sources_come_back)
{
	uint64_t packed = 0, seeds = getenv("PTOWSP_TEST_LONG") ? 5000 : PTOWSP_SANITIZER ? 150 : 500;

	for (uint64_t seed = 1; seed <= seeds; seed++) {
		char *text = random_source(seed);
		struct source s;

		REQUIRE(text != NULL);
		s = source_compile(text);
		if (s.package)
			round_trip(&s, check_fmt("seed %lu", (unsigned long)seed));
		packed += s.package != NULL;
		source_free(&s);
		free(text);
	}
	CHECK(packed * 3 > seeds * 2); /* the generator makes few that the packer refuses */
}

/* --- several files, and positions --- */

TEST(several_files_are_one_text_with_their_positions)
{
	static const char *const texts[] = {"// Function Type: InCore\n"
					    "func @copy(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n"
					    "  %t = alloc_tile : !pto.tile<8x8xf32>\n"
					    "  %t = tload %x[0, 0] : (!pto.memref<gm,...,f32>, index, index) -> !pto.tile<8x8xf32>\n"
					    "  tstore %t, %y[0, 0]\n"
					    "  return\n"
					    "}\n",
					    "// Function Type: Orchestration\n"
					    "func @all(%x: !pto.memref<gm,...,f32>, %y: !pto.memref<gm,...,f32>) {\n"
					    "  CALL @copy(%x -> %x, %y -> (%y, 3, 1))\n"
					    "  return\n"
					    "}\n"};
	struct source s = source_compile_set(texts, 2);
	char *text = printed_of(&s, true);

	CHECK_CONTAINS(text, "// Positions: b.pto\n");
	CHECK_CONTAINS(text, "{  // @2:6 a.pto\n");
	CHECK_CONTAINS(text, "  CALL @copy(%x -> %x, %y -> (%y, 3, 1))                                // @3:3\n");
	free(text);
	round_trip(&s, "two files");
	source_free(&s);
}

TEST(a_text_may_say_that_it_has_no_positions)
{
	struct source s = source_compile("// Positions: none\n"
					 "func @f(%x: !pto.memref<gm,...,f32>) {\n"
					 "  %t = alloc_tile : !pto.tile<8x8xf32>\n"
					 "  tstore %t, %x[0, 0] // @7 and more of the comment\n"
					 "  return // @8:3 /src/other.pto\n"
					 "}\n");
	const struct ptowsp_tile_inst *insts;

	REQUIRE_INT(s.status, PTOWSP_OK);
	CHECK_UINT(s.t->debug_count, 0);
	insts = (const void *)(s.t->code + s.t->payload[0].offset + s.t->payload[0].size - 2 * sizeof(*insts));
	CHECK_UINT(insts[0].line, 7);
	CHECK_UINT(insts[1].line, 8);
	round_trip(&s, "no positions");
	source_free(&s);
}

/* --- sample data --- */

#define DATA_HEAD                                                                                                                                              \
	"// Positions: none\n"                                                                                                                                 \
	"tensor %x : f32[65] in\n"                                                                                                                             \
	"tensor %n : i16[3] in\n"                                                                                                                              \
	"tensor %h : bf16[2] in\n"                                                                                                                             \
	"tensor %y : f64[2] out\n"

TEST(data_are_numbers_while_they_are_few_and_can_be_written)
{
	static const char said[] = "sample %n input = [-32768, 0, 32767]\n"
				   "sample %h input [2, 1] = [1.5, -0.0]\n"
				   "sample %y expected = [0.1, 1e+300]\n"
				   "sample %y input = [inf, -inf, nan, -nan]\n"
				   "sample %x input = base64 \"AQDAfw==\"\n"; /* a nan with bits of its own */
	struct source s = source_compile(check_fmt("%sworkload @main { }\n%s", DATA_HEAD, said));
	uint32_t inexpressible;
	char *text;

	REQUIRE_INT(s.status, PTOWSP_OK);
	CHECK_UINT(s.t->sample_count, 5);
	REQUIRE_INT(source_print(s.package, NULL, &text, &inexpressible, NULL), PTOWSP_OK);
	CHECK_INT(inexpressible, 0);
	CHECK_CONTAINS(text, said);
	round_trip(&s, "data");
	free(text);
	source_free(&s);
}

/* The files here are a hundred f32 each. */
TEST(a_file_of_numbers_says_its_type_and_shape)
{
	static const char text[] = DATA_HEAD "tensor %v : i32[100] in\n"
					     "workload @main { }\n"
					     "sample %v input = \"v.npy\"\n"
					     "sample %x expected [10, 10] = \"x.npy\"\n";
	struct source s = source_compile_as("test.pto", text, strlen(text), &source_with_files);

	CHECK_INT(s.status, PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(s.messages, "test.pto:8:19: error: \"v.npy\" holds f32, and %v is i32\n");
	CHECK_CONTAINS(s.messages, "test.pto:9:31: error: \"x.npy\" has another shape than what stands here\n");
	CHECK_CONTAINS(s.messages, "help: leave the shape out: the file says it\n");
	source_free(&s);
}

/* One file in memory. */
struct memory_file {
	char name[64];
	char bytes[1024];
	size_t size;
};

static ptowsp_status memory_write(void *context, const struct print_data *data, const char **name_out, struct ptowsp_error *error)
{
	struct memory_file *file = context;

	(void)error;
	snprintf(file->name, sizeof(file->name), "%s.npy", data->tensor);
	file->size = npy_header(file->bytes, data->dtype->code, data->rank, data->extents);
	memcpy(file->bytes + file->size, data->bytes, (size_t)data->size);
	file->size += (size_t)data->size;
	*name_out = file->name;
	return PTOWSP_OK;
}

static ptowsp_status memory_read(void *context, uint32_t source, const char *name, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	const struct memory_file *file = context;

	(void)source, (void)error;
	CHECK_STR(name, file->name);
	*size_out = file->size;
	*bytes_out = malloc(file->size);
	return *bytes_out ? memcpy(*bytes_out, file->bytes, file->size), PTOWSP_OK : PTOWSP_NO_MEMORY;
}

TEST(many_data_are_a_file_where_there_may_be_some)
{
	char numbers[65 * 4 + 8] = "1", *text;
	struct memory_file file;
	const struct print_files files = {&file, memory_write, memory_read};
	struct source s;
	uint32_t inexpressible;

	for (int i = 1; i < 65; i++)
		snprintf(numbers + strlen(numbers), sizeof(numbers) - strlen(numbers), ", %d", i);
	s = source_compile(check_fmt("%sworkload @main { }\nsample %%x input [5, 13] = [%s]\n", DATA_HEAD, numbers));
	REQUIRE_INT(s.status, PTOWSP_OK);
	round_trip(&s, "many data");
	REQUIRE_INT(source_print(s.package, &files, &text, &inexpressible, NULL), PTOWSP_OK);
	CHECK_CONTAINS(text, "sample %x input = \"x.npy\"\n");
	CHECK_INT(print_compare(s.package, text, &files, NULL), PTOWSP_OK);
	file.bytes[file.size - 1] ^= 1;
	CHECK_INT(print_compare(s.package, text, &files, NULL), PTOWSP_MISMATCH);
	free(text);
	source_free(&s);
}

/* --- what the language cannot say --- */

/* A region that is flat in steps of 1, where its tensor has 64 columns, and a fact whose name is no word. */
static const char flat[] = "{\"schema\": \"ptowsp.package/1\", \"STRS\": [], \"META\": {\"name\": \"flat\", \"odd key\": \"x\\n\\\"\"},"
			   "\"KREG\": [{\"name\": \"k\", \"params\": 0, \"param_count\": 1}], \"KPRM\": [{\"name\": \"x\", \"dtype\": \"i32\", \"access\": 1}],"
			   "\"TENS\": [{\"name\": \"t\", \"dtype\": \"u8\", \"role\": \"in\", \"dims\": 0, \"dim_count\": 1}], \"DIMS\": [{\"extent\": 1}],"
			   "\"EXPR\": [{\"op\": \"const\", \"value\": 0}, {\"op\": \"const\", \"value\": 64}],"
			   "\"REGN\": [{\"tensor\": \"t\", \"row\": 0, \"column\": 0, \"unit\": 1, \"view\": 5}],"
			   "\"ENTR\": [{\"name\": \"main\", \"instruction\": 0, \"flags\": 1}],"
			   "\"WORK\": {\"axes\": [], \"kernels\": [\"k\"], \"tensors\": [\"t\"],"
			   "\"instructions\": [[\"task\", 0, [0, 1]], [\"io_input\", 0, 0], [\"halt\"]]}}";

static struct pkg *json_open(const char *text, void **bytes_out)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pkg_writer *writer = pkg_writer_create();
	struct pkg *package = NULL;
	size_t size;

	REQUIRE(writer != NULL);
	REQUIRE_INT(pkg_from_json(writer, text, strlen(text), "json", &error), PTOWSP_OK);
	REQUIRE_INT(pkg_writer_seal(writer, bytes_out, &size, &error), PTOWSP_OK);
	REQUIRE_INT(pkg_open_memory(&package, *bytes_out, size, "json", NULL, &error), PTOWSP_OK);
	pkg_writer_destroy(writer);
	return package;
}

TEST(what_cannot_be_said_is_a_line_each)
{
	static const char *const lines[] = {"meta \"odd key\" base64 \"eAoi\"\n", "// cannot be said: a region that is flat in steps of 1\n"};
	void *bytes;
	struct pkg *package = json_open(flat, &bytes);
	uint32_t inexpressible;
	char *printed;

	REQUIRE_INT(source_print(package, NULL, &printed, &inexpressible, NULL), PTOWSP_OK);
	CHECK_INT(inexpressible, 1);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK_CONTAINS(printed, lines[i]);
	free(printed);
	pkg_close(package);
	free(bytes);
}

/* The JSON form of a package with another text at one place. */
static char *json_changed(const char *json, const char *from, const char *to)
{
	const char *at = strstr(json, from);
	const size_t size = strlen(json) + strlen(to) + 1;
	char *changed = malloc(size);

	if (!at)
		CHECK_FAIL("no %s in %s", from, json);
	REQUIRE(at && changed);
	snprintf(changed, size, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
	return changed;
}

/* Tables have names and values that no source can give them. */
TEST(names_and_values_that_no_source_has_are_told)
{
	static const char source[] = "tensor %x : i32[16, 8] inout\ntensor %y : f32[16, 8] out\nslot %c : i64 = 3\nsymbol %m : i32 = 9\n"
				     "func @k(%x: !pto.memref<gm,...,i32>, %y: !pto.memref<gm,...,f32>, %n: i32, %f: f32) {\n  %t = alloc_tile : "
				     "!pto.tile<8x8xi32>\n  %t = tload %x[0, 0]\n  %t = tadds %t, %n\n  tstore %t, %x[0, 0]\n"
				     "  %u = alloc_tile : !pto.tile<8x8xf32>\n  %u = texpands %f\n  tstore %u, %y[0, 0]\n}\n"
				     "workload @main {\n  parallel_for %i in 0 to 4 {\n    call @k(%x -> %x[0, 0], %y -> %y[0, 0], %n -> %i, %f -> 1.5)\n  }\n "
				     " slot_set %c, %c + %m\n}\n";
	static const struct {
		const char *from, *to, *line;
		unsigned inexpressible;
	} rows[] = {
		{"\"name\": \"i\"", "\"name\": \"a b\"", "// cannot be said: the loop over the axis \"a b\"\n", 1},
		{"\"name\": \"x\", \"dtype\": \"i32\", \"role\"", "\"name\": \"x y\", \"dtype\": \"i32\", \"role\"",
		 "// cannot be said: the tensor \"x y\" of no function and without a shape\n", 2},
		{"\"name\": \"x\", \"dtype\": \"i32\", \"role\"", "\"name\": \"x y\", \"dtype\": \"i32\", \"role\"",
		 "// cannot be said: the tensor \"x y\" in a body\n", 2},
		{"\"name\": \"c\"", "\"name\": \"c d\"", "// cannot be said: the name or the value of \"c d\"\n", 3},
		{"\"name\": \"c\"", "\"name\": \"c d\"", "// cannot be said: the expression that stands here\n", 3},
		{"\"name\": \"m\"", "\"name\": \"m n\"", "// cannot be said: the name or the value of \"m n\"\n", 2},
		{"\"name\": \"k\"", "\"name\": \"k k\"", "// cannot be said: kernel k k: a function is one portable payload for any unit\n", 1},
		{"\"name\": \"k\", \"unit\": \"any\"", "\"name\": \"k\", \"unit\": \"aiv\"",
		 "// cannot be said: kernel k: a function is one portable payload for any unit\n", 1},
		{"\"kind\": \"pto\", \"unit\": \"any\"", "\"kind\": \"pto\", \"unit\": \"aiv\"",
		 "// cannot be said: kernel k: a function is one portable payload for any unit\n", 1},
		{"\"dtype\": \"i64\", \"flags\": 1, \"value\": 3", "\"dtype\": \"f32\", \"flags\": 1, \"value\": 2143294004",
		 "// cannot be said: the name or the value of \"c\"\n", 1},
		{"\"EXPR\": [", "\"REQS\": [{\"feature\": 30583, \"state\": 3}], \"EXPR\": [", "// cannot be said: the need of feature 0x7777\n", 1},
		{"[\"param_const\", 1, 1069547520]", "[\"param_const\", 1, 2143294004]", "// cannot be said: the f32 with the bits 0x7fc01234 as an argument\n",
		 1},
		{"[\"param_const\", 1, 1069547520]", "[\"param_const\", 1, 1069547521]", "%f -> 1.5000001,", 0},
		{"\"name\": \"c\"", "\"name\": \"C_d.9\"", "slot %C_d.9 : i64 = 3\n", 0},
	};
	struct source s = source_compile(source);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	char *json;

	CHECK_STR(s.messages, "");
	REQUIRE_INT(pkg_to_json(s.package, &json, &error), PTOWSP_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char *changed = json_changed(json, rows[i].from, rows[i].to), *printed;
		void *bytes;
		struct pkg *package = json_open(changed, &bytes);
		uint32_t inexpressible;

		REQUIRE_INT(source_print(package, NULL, &printed, &inexpressible, NULL), PTOWSP_OK);
		CHECK_UINT(inexpressible, rows[i].inexpressible);
		CHECK_CONTAINS(printed, rows[i].line);
		free(printed);
		pkg_close(package);
		free(bytes);
		free(changed);
	}
	free(json);
	source_free(&s);
}

/* An entry is a function by its tensors or its slots. */
TEST(modules_of_few_things_come_back)
{
	static const char *const sources[] = {
		("func @tick(%n: i32) {\n  ADD %n:i32, %n:i32, 1\n}\n// Function Type: Orchestration\nfunc @f() {\n  %n = alloc_scalar : i32\n  %at = "
		 "alloc_scalar : i32\n"
		 "  IF %n:i32\n    LI %at:i32, 3\n  ENDIF\n  CALL @tick(%n -> %at)\n}\n"),
		"func @tick(%n: i32) {\n  ADD %n:i32, %n:i32, 1\n}\n",
		"slot %c : i64 = 3\nfunc @tick(%n: i32) {\n  ADD %n:i32, %n:i32, 1\n}\n",
		"symbol %c : i64 = 3\nfunc @tick(%n: i32) {\n  ADD %n:i32, %n:i32, 1\n}\n",
		"tensor %x : f32[4] in\n",
		"kernel @bare(%n: i32)\n",
		"kernel @bare(%n: i32)\nworkload @w {\n  call @bare(%n -> 3)\n}\n",
	};

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++) {
		struct source s = source_compile(sources[i]);

		CHECK_STR(s.messages, "");
		round_trip(&s, check_fmt("few_%zu", i));
		source_free(&s);
	}
}

/* A loop makes its counter; what else uses a scalar needs it declared. */
TEST(counters_of_loops_are_not_declared)
{
	struct source s = source_compile("func @f(%x: !pto.memref<gm,...,f32>, %n: i32) {\n  %t = alloc_tile : !pto.tile<1x8xf32>\n  %k = alloc_scalar : i32\n"
					 "  LI %k:i32, 3\n  FOR %i:idx, 0:idx, %n:idx, 1:idx\n    FOR %j:idx, 0:idx, %k:idx, 1:idx\n"
					 "      %t = tload %x[%i, %j]\n      tstore %t, %x[%i, 0]\n    ENDFOR\n  ENDFOR\n}\n");
	char *printed = printed_of(&s, false);

	CHECK_CONTAINS(printed, "%k = alloc_scalar : i32");
	CHECK(!strstr(printed, "alloc_scalar : index"));
	round_trip(&s, "counters");
	free(printed);
	source_free(&s);
}

TEST(kernels_without_code_have_only_the_traits_that_they_have)
{
	static const char *const lines[] = {
		"kernel @bare(%a: f32[4, 8] inout)  ",
		"kernel @full(%a: f32[4, 8] inout) on aiv blockdim 4 workspace 64 function \"entry_of_it\" measured {  ",
		"\n  image ascend-a2a3 base64 \"AAAAAAAAAAA=\" at 4 cycles 77 workspace 99\n",
		"\n  source ascend-a2a3 base64 \"aW50IHg7Cg==\" \"the_entry\" on aic\n}\n",
	};
	struct source s = source_compile("tensor %x : f32[4, 8] inout\nkernel @bare(%a: f32[4, 8] inout)\n"
					 "kernel @full(%a: f32[4, 8] inout) on aiv blockdim 4 workspace 64 function \"entry_of_it\" measured {\n"
					 "  image ascend-a2a3 base64 \"AAAAAAAAAAA=\" at 4 cycles 77 workspace 99\n  source ascend-a2a3 base64 "
					 "\"aW50IHg7Cg==\" \"the_entry\" on aic\n}\n"
					 "workload @main {\n  call @bare(%a -> %x[0, 0])\n  call @full(%a -> %x[0, 0])\n}\n");
	char *printed = printed_of(&s, true);

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		CHECK_CONTAINS(printed, lines[i]);
	round_trip(&s, "traits");
	free(printed);
	source_free(&s);
}

TEST(another_digest_is_told_with_its_section)
{
	struct source s = source_compile("func @f(%x: !pto.memref<gm,...,f32>) {\n"
					 "  %t = alloc_tile : !pto.tile<8x8xf32>\n"
					 "  tstore %t, %x[0, 0]\n"
					 "}\n");
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};

	REQUIRE_INT(s.status, PTOWSP_OK);
	CHECK_INT(print_compare(s.package,
				"// Positions: test.pto\n"
				"func @f(%x: !pto.memref<gm,...,f32>) {  // @1:6\n"
				"  %t = alloc_tile : !pto.tile<8x8xf32>\n"
				"  tstore %t, %x[1, 1]  // @3\n"
				"  return  // @1\n"
				"}\n",
				NULL, &error),
		  PTOWSP_MISMATCH);
	CHECK_STR(error.text, "the text packs to another digest: section CODE differs; the JSON form says all of it");
	CHECK_INT(print_compare(s.package, "func @f(%x: f32) { %t = tlod }\n", NULL, &error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "the text is refused at line 1: ");
	source_free(&s);
}
