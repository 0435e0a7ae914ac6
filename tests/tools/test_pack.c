/* SPDX-License-Identifier: MIT
 * test_pack.c - ptowsp-pack from outside; the whole corpus packs. */
#include "format/format_file.h"
#include "tests/check.h"
#include "tests/lang/source.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *out, *err;

/* Runs the packer in the test's folder. */
static int pack(const char *args)
{
	free(out);
	free(err);
	return check_run(check_fmt("cd '%s' && '%s/bin/ptowsp-pack' %s", check_dir(), check_build(), args), &out, &err);
}

static int there(const char *name)
{
	char *bytes = check_read(check_fmt("%s/%s", check_dir(), name), NULL);
	int found = bytes != NULL;

	free(bytes);
	return found;
}

TEST(usage_is_exit_2_with_a_sentence)
{
	static const char *const wrong[] = {"",
					    "a.pto",
					    "-o x.zst",
					    "--wat a.pto -o x.zst",
					    "a.pto -o",
					    "--from-json a.json b.pto -o x.zst",
					    ". a.pto -o x.zst",
					    ". --entry f -o x",
					    "--from-json a.json --entry f -o x.zst"};

	check_tmp();
	check_put("a.pto", SOURCE_COPY);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		CHECK_INT(pack(wrong[i]), 2);
		CHECK_CONTAINS(err, "ptowsp-pack: ");
		CHECK_STR(out, "");
	}
	CHECK_INT(pack("--help"), 0);
	CHECK_CONTAINS(out, "--from-json FILE");
	CHECK_INT(pack("--version"), 0);
	CHECK_CONTAINS(out, "ABI v10.0 minor 1");
}

TEST(a_file_that_cannot_be_read_is_exit_2_and_a_bad_one_3)
{
	check_tmp();
	CHECK_INT(pack("nowhere.pto -o x.zst"), 2);
	CHECK_CONTAINS(err, "nowhere.pto cannot be opened");
	check_put("bad.pto", "func @f( {\n}\n");
	CHECK_INT(pack("bad.pto -o x.zst"), 3);
	CHECK_CONTAINS(err, "bad.pto:1:10: error: ");
	CHECK_INT(pack("--from-json bad.pto -o x.zst"), 3);
	CHECK(!there("x.zst"));
}

TEST(strict_refuses_warnings)
{
	check_tmp();
	check_put("odd.pto", SOURCE_ODD);
	CHECK_INT(pack("odd.pto -o x.zst"), 0);
	CHECK_CONTAINS(err, "odd.pto:4:8: warning: tadd needs equal shapes, got 2x4 and 2x1");
	CHECK_INT(pack("--strict odd.pto -o y.zst"), 3);
	CHECK_CONTAINS(err, "1 warning, and --strict refuses them");
	CHECK(there("x.zst") && !there("y.zst"));
}

TEST(a_folder_is_packed_file_by_file)
{
	check_tmp();
	check_run(check_fmt("mkdir -p '%s/in/deep'", check_dir()), NULL, NULL);
	check_put("in/b.pto", SOURCE_COPY);
	check_put("in/deep/a.pto", SOURCE_ODD);
	check_put("in/note.txt", "no source");
	CHECK_INT(pack("in -o out"), 0);
	CHECK_STR(out, "b.pto: 1 kernel, 1 entry, 0 warnings\ndeep/a.pto: 1 kernel, 1 entry, 1 warning\n");
	CHECK(there("out/b.pkg.zst") && there("out/deep/a.pkg.zst"));
	check_put("in/c.pto", "func @f(\n");
	CHECK_INT(pack("in/ -o again"), 3);
	CHECK_CONTAINS(out, "b.pto: 1 kernel");
	CHECK_CONTAINS(out, "c.pto: refused, 1 error\n");
	CHECK_CONTAINS(out, "deep/a.pto: 1 kernel");
	CHECK_INT(pack("in/deep/.. -o . --strict"), 3);
}

/* Below the output they lie as below the folder that holds them all. */
TEST(several_folders_keep_their_places)
{
	check_tmp();
	check_run(check_fmt("cd '%s' && mkdir -p in/deep/est two/deep", check_dir()), NULL, NULL);
	check_put("in/a.pto", SOURCE_COPY);
	check_put("in/deep/a.pto", SOURCE_COPY);
	check_put("in/deep/est/a.pto", SOURCE_COPY);
	check_put("two/deep/a.pto", SOURCE_COPY);
	CHECK_INT(pack("in two -o out"), 0);
	CHECK(there("out/in/a.pkg.zst") && there("out/in/deep/a.pkg.zst") && there("out/in/deep/est/a.pkg.zst") && there("out/two/deep/a.pkg.zst"));
	CHECK_INT(pack("in/deep/est ./in/../two/ -o places"), 0);
	CHECK(there("places/in/deep/est/a.pkg.zst") && there("places/two/deep/a.pkg.zst"));
	CHECK_INT(pack("in/deep/est -o one"), 0);
	CHECK(there("one/a.pkg.zst"));
	CHECK_INT(pack("in/deep in -o twice"), 2);
	CHECK_STR(out, "deep/a.pto: 1 kernel, 1 entry, 0 warnings\ndeep/est/a.pto: 1 kernel, 1 entry, 0 warnings\na.pto: 1 kernel, 1 entry, 0 warnings\n"
		       "deep/a.pto: no package\ndeep/est/a.pto: no package\n");
	CHECK_CONTAINS(err, "twice/deep/a.pkg.zst was made already: folders that lie in each other are packed once");
}

TEST(files_of_a_folder_that_fail_have_their_line_and_the_code)
{
	check_tmp();
	check_run(check_fmt("mkdir -p '%s/in' '%s/two' '%s/way' && cd '%s/in' && ln -s none.pto c.pto", check_dir(), check_dir(), check_dir(), check_dir()),
		  NULL, NULL);
	check_put("in/a.pto", SOURCE_COPY);
	check_put("in/b.pto", "func @f(\n");
	check_put("two/a.pto", SOURCE_COPY);
	CHECK_INT(pack("--json in two -o out"), 3);
	CHECK_STR(out, "{\"file\":\"in/a.pto\",\"package\":\"out/in/"
		       "a.pkg.zst\",\"status\":\"OK\",\"kernels\":1,\"entries\":1,\"warnings\":0,\"errors\":0,\"schema\":\"ptowsp.packed/1\"}\n"
		       "{\"file\":\"in/b.pto\",\"package\":\"\",\"status\":\"BAD_PACKAGE\",\"kernels\":0,\"entries\":0,\"warnings\":0,\"errors\":1,"
		       "\"error\":\"in/b.pto:1:9: expected a parameter such as %x: !pto.memref<gm,...,f32>, found the end of the "
		       "line\",\"schema\":\"ptowsp.packed/1\"}\n"
		       "{\"file\":\"in/c.pto\",\"package\":\"\",\"status\":\"IO\",\"kernels\":0,\"entries\":0,\"warnings\":0,\"errors\":0,"
		       "\"error\":\"in/c.pto cannot be opened: No such file or directory\",\"schema\":\"ptowsp.packed/1\"}\n"
		       "{\"file\":\"two/a.pto\",\"package\":\"out/two/"
		       "a.pkg.zst\",\"status\":\"OK\",\"kernels\":1,\"entries\":1,\"warnings\":0,\"errors\":0,\"schema\":\"ptowsp.packed/1\"}\n");
	CHECK_INT(pack("in -o again"), 3);
	CHECK_STR(out, "a.pto: 1 kernel, 1 entry, 0 warnings\nb.pto: refused, 1 error\nc.pto: no package\n");
	CHECK_INT(pack("--json in/a.pto -o one.pkg.zst"), 0);
	CHECK_CONTAINS(out, "{\"file\":\"in/a.pto\",\"package\":\"one.pkg.zst\",\"status\":\"OK\"");
	check_put("way/two", "no folder\n");
	CHECK_INT(pack("--json in two -o way"), 3);
	CHECK_CONTAINS(out, "{\"file\":\"two/a.pto\",\"package\":\"\",\"status\":\"IO\",\"kernels\":0,\"entries\":0,\"warnings\":0,\"errors\":0,"
			    "\"error\":\"the folder way/two cannot be made: File exists\",\"schema\":\"ptowsp.packed/1\"}\n");
}

/* Everything that options add is in the package. */
TEST(options_reach_the_package)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pkg *package = NULL;
	const struct pkg_tables *t;
	uint32_t targets;

	check_tmp();
	check_put("a.pto", SOURCE_COPY SOURCE_ODD);
	REQUIRE_INT(check_run(check_fmt("cd '%s' && { printf '\\223NUMPY\\001\\000\\166\\000'; printf '%%-117s\\n' \"{'descr': '<f4', 'fortran_order': False, "
					"'shape': (2, 4), }\"; head -c 32 /dev/zero; } >z.npy",
					check_dir()),
			      NULL, NULL),
		    0);
	REQUIRE_INT(pack("a.pto -o x.zst --name given --entry copy --default n=3 --target cpu_sim,aie --target a2a3sim --data x=z.npy"
			 " --expected copy.y=z.npy --schedule 'dispatch=hash(n + 1, 4)' --schedule task_window=64"),
		    0);
	REQUIRE_INT(pkg_open(&package, check_fmt("%s/x.zst", check_dir()), NULL, &error), 0);
	t = pkg_tables(package);
	CHECK_STR(pkg_name(package), "given");
	CHECK_STR(pkg_meta(package, "entry_kind"), "task_buffer");
	CHECK_UINT(t->directive_count, 2);
	CHECK_UINT(t->sample_count, 2);
	CHECK_UINT(t->sample[0].extent1, 4);
	CHECK_UINT(t->slot[0].value, 3);
	pkg_targets(package, &targets);
	CHECK_UINT(targets, 3);
	pkg_close(package);
	CHECK_INT(pack("a.pto -o y.zst --entry copy --data z=z.npy"), 2);
	CHECK_CONTAINS(err, "tensor \"z\" is unknown; known: x, y");
	CHECK_INT(pack("a.pto -o y.zst --entry copy --expected copyy=z.npy"), 2);
	CHECK_CONTAINS(err, "tensor \"copyy\" is unknown; known: ");
	CHECK_INT(pack("a.pto -o y.zst --schedule dispatc=fifo"), 2);
	CHECK_CONTAINS(err, "dispatch");
	CHECK_INT(pack("a.pto -o y.zst --entry cop"), 2);
	CHECK_CONTAINS(err, "a.pto: error: the entry @cop is no function of this package\n    help: did you mean @copy? known: @copy");
	CHECK_INT(pack("a.pto -o y.zst --entry something"), 2);
	CHECK_CONTAINS(err, "help: known: @");
	CHECK_INT(pack("a.pto -o y.zst --default nothing=1"), 2);
	CHECK_CONTAINS(err, "there is no symbol \"nothing\" that could have a default value");
	check_put("wrong.pto", "func @f() {\n  %t = nothing\n}\n"); /* what is wrong in the source, too, is the source's fault */
	CHECK_INT(pack("wrong.pto -o y.zst --entry g"), 3);
	CHECK_INT(pack("a.pto -o y.zst --target 'a b'"), 2);
	CHECK_STR(err, "ptowsp-pack: --target \"a b\" is no list of backends: names of 1 to 32 of a-z 0-9 _ with commas between\n");
	CHECK_INT(pack("a.pto -o y.zst --target cpu_sim,"), 2);
	CHECK_INT(pack("a.pto -o y.zst --target $(seq -s, 33)"), 2);
	CHECK_STR(err, "ptowsp-pack: --target names more than 32 backends\n");
	CHECK(!there("y.zst"));
}

/* A .npy file of zeros; shape as NumPy writes it, elements of 4 bytes. */
static void put_zeros(const char *name, const char *shape, unsigned elements)
{
	REQUIRE_INT(check_run(check_fmt("cd '%s' && { printf '\\223NUMPY\\001\\000\\166\\000'; printf '%%-117s\\n' \"{'descr': '<f4', 'fortran_order': False, "
					"'shape': %s, }\";"
					" head -c %u /dev/zero; } >%s",
					check_dir(), shape, elements * 4, name),
			      NULL, NULL),
		    0);
}

#define HALVES                                                                                                                                                 \
	"tensor %x : f32[%n * 8, 16] in\ntensor %y : f32[%n * 8, 16] out\ntensor %z : f32[8, 16] inout\n"                                                      \
	"func @copy(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>) {\n  %t = alloc_tile : !pto.tile<8x16xf32>\n"                                    \
	"  %t = tload %a[0, 0]\n  tstore %t, %b[0, 0]\n}\n"                                                                                                    \
	"workload @main { call @copy(%a -> %x, %b -> %y)\n call @copy(%a -> %x, %b -> %z) }\n"

/* A sample may state the shape of its file, and then it is that. */
TEST(samples_state_the_shape_of_their_file_or_none)
{
	static const struct {
		const char *shape, *says;
	} rows[] = {{"", NULL},
		    {"[2, 4]", NULL},
		    {"[4, 2]", "has another shape than what stands here"},
		    {"[2, 5]", "has another shape"},
		    {"[1, 4]", "has another shape"},
		    {"[8]", "has another shape"},
		    {"[2, 4, 1]", "has another shape"}};

	check_tmp();
	put_zeros("eight.npy", "(2, 4)", 8);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		check_put("s.pto", check_fmt("tensor %%x : f32[2, 4] in\nworkload @main { }\nsample %%x input %s = \"eight.npy\"\n", rows[i].shape));
		CHECK_INT(pack("s.pto -o s.zst"), rows[i].says ? 3 : 0);
		CHECK_CONTAINS(err, rows[i].says ? rows[i].says : "");
	}
	check_put("s.pto", "tensor %x : i32[2, 4] in\nworkload @main { }\nsample %x input = \"eight.npy\"\n");
	CHECK_INT(pack("s.pto -o s.zst"), 3);
	CHECK_CONTAINS(err, "\"eight.npy\" holds f32, and %x is i32");
}

/* What every run without options would refuse is refused where the file is named. */
TEST(data_have_the_shape_of_their_tensor)
{
	check_tmp();
	check_put("known.pto", "symbol %n : i64 = 4\n" HALVES);
	check_put("open.pto", "symbol %n : i64\n" HALVES);
	put_zeros("right.npy", "(32, 16)", 512);
	put_zeros("wrong.npy", "(64, 32)", 2048);
	put_zeros("flat.npy", "(128,)", 128);
	CHECK_INT(pack("known.pto -o a.zst --expected y=wrong.npy"), 2);
	CHECK_STR(err, "ptowsp-pack: wrong.npy has shape [64, 32], but y has [32, 16] without --set: write a file of that shape, or give its symbols "
		       "another --default\n");
	CHECK_INT(pack("known.pto -o a.zst --data z=flat.npy"), 2);
	CHECK_STR(err, "ptowsp-pack: flat.npy has shape [128], but z has [8, 16] without --set: write a file of that shape\n");
	CHECK_INT(pack("known.pto -o a.zst --expected x=right.npy"), 2);
	CHECK_STR(err, "ptowsp-pack: right.npy is expected of x, which no task writes: --expected is for tensors that are out or inout, "
		       "--data for those that are in\n");
	CHECK_INT(pack("known.pto -o a.zst --data x=right.npy --default n=8"), 2);
	CHECK_CONTAINS(err, "right.npy has shape [32, 16], but x has [64, 16]");
	CHECK(!there("a.zst"));
	CHECK_INT(pack("known.pto -o a.zst --data x=right.npy --expected y=right.npy"), 0);
	CHECK_INT(pack("a.zst -o b.zst"), 2);
	CHECK_STR(err, "ptowsp-pack: a.zst is a package already, no source; ptowsp-inspect reads it, with --pto as source\n");
	CHECK_INT(pack("open.pto -o b.zst --data x=wrong.npy --expected y=right.npy"), 0);
	CHECK_INT(pack("open.pto -o c.zst --data x=wrong.npy --default n=4"), 2);
	CHECK_CONTAINS(err, "wrong.npy has shape [64, 32], but x has [32, 16]");
}

static const char *load_error(const char *path, uint64_t most)
{
	static struct ptowsp_error error;
	void *bytes;
	size_t size;

	error = (struct ptowsp_error){.text = ""};
	CHECK(pkg_file_load(path, most, &bytes, &size, &error) != PTOWSP_OK);
	CHECK(bytes == NULL);
	return error.text;
}

TEST(files_that_cannot_be_read_say_why)
{
	const char *folder = check_tmp();
	void *bytes;
	size_t size;

	check_put("five", "12345");
	CHECK_STR(load_error(folder, 5), check_fmt("%s is no file, it is a folder", folder));
	CHECK_STR(load_error("/dev/null", 5), "/dev/null is no file");
	CHECK_STR(load_error(check_fmt("%s/five", folder), 4), check_fmt("%s/five has 5 bytes, at most 4 are read", folder));
	CHECK_STR(load_error(check_fmt("%s/none", folder), 4), check_fmt("%s/none cannot be opened: No such file or directory", folder));
	REQUIRE_INT(pkg_file_load(check_fmt("%s/five", folder), 5, &bytes, &size, NULL), PTOWSP_OK);
	CHECK_STR(bytes, "12345");
	CHECK_UINT(size, 5);
	free(bytes);
}

/* `begin`, `piece` so often, `end`. */
static void put_repeated(const char *begin, const char *piece, int times, const char *end)
{
	size_t length = strlen(piece), first = strlen(begin), size = first + length * (size_t)times + strlen(end);
	char *text = malloc(size + 1);

	REQUIRE(text != NULL);
	memcpy(text, begin, first);
	for (int i = 0; i < times; i++)
		memcpy(text + first + length * (size_t)i, piece, length);
	strcpy(text + first + length * (size_t)times, end);
	REQUIRE(check_write(check_fmt("%s/odd.pto", check_dir()), text, size));
	free(text);
}

/* Sources that nobody writes by hand are each refused with sentences, in 10 seconds and a GiB. */
TEST(sources_without_measure_are_refused)
{
	static const struct {
		const char *begin, *piece, *end, *says;
		int times;
	} odd[] = {
		{"workload @w { if ", "1 ? ", "1 { } }", "more than 1000 operators", 300000},
		{"workload @w { if ", "(", "1 { } }", "nest deeper than 64", 300000},
		{"workload @w { if ", "-", "1 { } }", "nest deeper than 64", 300000},
		{"workload @w { if 1", " + 1", " { } }", "more than 1000 operators", 1000000},
		{"workload @w { ", "if 1 { ", "", "nested deeper than 64", 300000},
		{"workload @w { if ", "9", " { } }", "does not fit 64 bits", 1000000},
		{"tensor %x : f32[", "9", "] in\n", "does not fit", 1000000},
		{"workload @w { call @", "a", "() }\n", "nothing to call", 1 << 20},
		{"", "\xff", "", "the byte 0xff", 1 << 20},
		{"func @f(%x: !pto.memref<gm,...,f32>) {\r\n", "IF %x\r\n", "}\r\n", "odd.pto:", 100000},
		{"workload @a { call @b() }\nworkload @b { call @a() }\n", "", "", "recursion: @a -> @b -> @a", 0},
		{"workload @w { call @k(", ",", ") }\n", "takes more than 896 MiB to compile, which is the limit; pack it as several packages", 14 << 20},
	};

	check_tmp();
	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++) {
		put_repeated(odd[i].begin, odd[i].piece, odd[i].times, odd[i].end);
		free(out);
		free(err);
		CHECK_INT(check_run(check_fmt("cd '%s' && ulimit -t 10 && '%s/bin/ptowsp-pack' odd.pto -o odd.zst", check_dir(), check_build()), &out, &err),
			  3);
		CHECK_CONTAINS(err, odd[i].says);
		CHECK(strlen(err) < 16384);
		CHECK(!there("odd.zst"));
	}
}

/* A source of the folder `in` that names a file. */
static void naming(const char *file)
{
	check_put("in/names.pto", check_fmt("tensor %%x : u8[4] in\nworkload @main { }\nsample %%x input = \"%s\"\n", file));
}

TEST(sources_read_below_their_folder_and_the_data_roots)
{
	static const char *const inside[] = {"four", "./four", "deep/four", "deep/../four", "link", "../in/four", "deep/up/four"},
				 *const outside[] = {"../out/four", "/dev/zero", "/etc/passwd", "away", "folder/four", "deep/../../out/four", "zero"};

	check_tmp();
	free(out);
	free(err);
	REQUIRE_INT(check_run(check_fmt("cd '%s' && mkdir -p in/deep out inner && printf 1234 | tee in/four in/deep/four >out/four && ln -s four in/link && ln "
					"-s ../out/four in/away &&"
					" ln -s ../out in/folder && ln -s .. in/deep/up && ln -s /dev/zero in/zero && ln -s in other",
					check_dir()),
			      &out, &err),
		    0);
	for (size_t i = 0; i < sizeof(inside) / sizeof(*inside); i++) {
		naming(inside[i]);
		CHECK_INT(pack("in/names.pto -o x.zst"), 0);
		CHECK_STR(err, "");
		CHECK_INT(pack("other/names.pto -o x.zst"), 0);
	}
	for (size_t i = 0; i < sizeof(outside) / sizeof(*outside); i++) {
		naming(outside[i]);
		CHECK_INT(pack("in/names.pto -o x.zst"), 3);
		CHECK_CONTAINS(err, "lies outside of the source's folder; ptowsp-pack --data-root DIR lets sources read below DIR");
		CHECK_INT(pack("in/names.pto -o x.zst --data-root inner"), 3);
		CHECK_INT(pack("in/names.pto -o x.zst --data-root in/deep --data-root out"),
			  strstr(outside[i], "/dev") || strstr(outside[i], "etc") || !strcmp(outside[i], "zero") ? 3 : 0);
	}
	naming("/dev/zero");
	CHECK_INT(pack("in/names.pto -o x.zst"), 3);
	CHECK_CONTAINS(err, "/dev/zero lies outside of the source's folder; ptowsp-pack --data-root DIR lets sources read below DIR");
	CHECK_INT(pack("in/names.pto -o x.zst --data-root /"), 3);
	CHECK_CONTAINS(err, "/dev/zero is no file");
	CHECK_INT(pack("in/names.pto -o x.zst --data-root nowhere"), 2);
	CHECK_CONTAINS(err, "--data-root takes a folder, and there is none at nowhere");
}

/* Each tool says a sentence at once of a file without an end, a pipe to which nobody writes, a folder and a file of a tebibyte. $F is that thing. */
TEST(what_is_no_readable_file_is_told_by_every_tool)
{
	static const char *const things[] = {"/dev/zero", "pipe", "folder", "sparse"};
	static const struct {
		const char *command;
		int folder; /* takes folders */
	} tools[] = {
		{"pack $F -o x.zst", 1},
		{"pack --from-json $F -o x.zst", 0},
		{"pack names.pto -o x.zst --data-root /", 0},
		{"pack a.pto -o x.zst --data copy.x=$F", 0},
		{"pack --sign=$F a.zst", 0},
		{"pack --sign=key $F", 1},
		{"inspect $F", 1},
		{"inspect --graph x.txt $F", 0},
		{"run $F", 0},
		{"run --in copy.x=$F a.zst", 0},
		{"run --restore=$F a.zst", 0},
		{"conform --replay $F $B/lib/ptowsp/plugins/libptowsp_cpu_sim.so", 0},
		{"conform $F", 0},
	};

	check_tmp();
	check_put("a.pto", SOURCE_COPY);
	REQUIRE_INT(pack("a.pto -o a.zst"), 0);
	REQUIRE_INT(pack("--make-key key"), 0);
	free(out);
	free(err);
	REQUIRE_INT(check_run(check_fmt("cd '%s' && mkfifo pipe && mkdir folder && truncate -s 1T sparse", check_dir()), &out, &err), 0);
	for (size_t i = 0; i < 4 * sizeof(tools) / sizeof(*tools); i++) {
		const char *thing = things[i % 4];
		int status;

		if (tools[i / 4].folder && !strcmp(thing, "folder"))
			continue;
		check_put("names.pto", check_fmt("tensor %%x : u8[4] in\nworkload @main { }\nsample %%x input = \"%s\"\n", thing));
		free(out);
		free(err);
		status = check_run(check_fmt("cd '%s' && ulimit -c 0 && B='%s' F=%s && timeout 20 $B/bin/ptowsp-%s", check_dir(), check_build(), thing,
					     tools[i / 4].command),
				   &out, &err);
		if (status < 1 || status > 4)
			CHECK_STR(check_fmt("%s of %s: exit %d", tools[i / 4].command, thing, status), "exit 1 to 4");
		CHECK(*err || *out); /* conform speaks TAP */
	}
}

/* --- the corpus --- */

TEST(all_files_of_the_corpus_pack)
{
	const char *at;
	unsigned lines = 0;

	CHECK_NEED_SHARED();
	check_tmp();
	CHECK_INT(pack(check_fmt("'%s/corpus/pto' -o all", check_shared())), 0);
	for (at = out; (at = strchr(at, '\n')); at++)
		lines++;
	CHECK_UINT(lines, 114);
	CHECK(strstr(out, "refused") == NULL);
}

/* Functions with a wrong shape, as the corpus lists them: exactly one warning of that sort each. */
TEST(the_three_wrong_functions_give_one_warning_each)
{
	static const struct {
		const char *file, *says;
	} wrong[] = {{"llama7b/llama7b_layer", "tmatmul 64x64 <- 64x128, 64x128"},
		     {"torch_nn/nn_RMSNorm", "tdiv needs equal shapes, got 8x8 and 8x1"},
		     {"torch_nn/nn_Softmax", "tdiv needs equal shapes, got 8x8 and 8x1"}};

	CHECK_NEED_SHARED();
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		size_t size = 0;
		char *text = check_read(check_fmt("%s/corpus/pto/%s.pto", check_shared(), wrong[i].file), &size);
		struct source s;
		unsigned shapes = 0;

		REQUIRE(text != NULL);
		s = source_compile_as("c.pto", text, size, NULL);
		for (uint32_t w = 0; w < s.list->count; w++)
			shapes += strstr(s.list->rows[w].help, "is packed but will not run") != NULL;
		CHECK_UINT(shapes, 1);
		CHECK_CONTAINS(s.messages, wrong[i].says);
		CHECK_UINT(s.list->errors, 0);
		if (i == 0 && s.t) {
			CHECK_UINT(s.t->kernel_count, 85);
			CHECK_UINT(s.t->entry_count, 86);
			CHECK(s.size < 24 << 10);
		}
		source_free(&s);
		free(text);
	}
}

static int files_in(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *item;
	int found = 0;

	while (dir && (item = readdir(dir)))
		found += strcmp(item->d_name, ".") && strcmp(item->d_name, "..");
	if (dir)
		closedir(dir);
	return found;
}

/* Whether the process has a file in the folder open whose name is none of those that the test made: it writes, under a temporary name or without one. */
static bool writes_in(pid_t pid, const char *folder)
{
	const char *place = check_fmt("/proc/%d/fd", (int)pid);
	const size_t length = strlen(folder);
	DIR *dir = opendir(place);
	const struct dirent *item;
	bool found = false;

	while (dir && !found && (item = readdir(dir))) {
		char target[4096];
		ssize_t size = readlinkat(dirfd(dir), item->d_name, target, sizeof(target) - 1);

		target[size > 0 ? size : 0] = '\0';
		found = !strncmp(target, folder, length) && target[length] == '/' && strcmp(target + length, "/a.pto") && strcmp(target + length, "/x.npy");
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Packs, and sends the signal as soon as the packer writes; its wait status. */
static int pack_signalled(const char *folder, int number)
{
	const char *tool = check_fmt("%s/bin/ptowsp-pack", check_build());
	pid_t child = fork();
	int status = -1, sent = 0;

	if (!child) {
		if (!chdir(folder))
			execl(tool, tool, "a.pto", "--data", "copy.x=x.npy", "-o", "a.pkg.zst", (char *)NULL);
		_exit(127);
	}
	while (!waitpid(child, &status, WNOHANG))
		if (!sent && writes_in(child, folder))
			sent = !kill(child, number);
	return status;
}

TEST(a_signal_while_writing_leaves_nothing_behind)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};
	static const char head[] = "\x93NUMPY\x01\0\x76\0{'descr': '<f4', 'fortran_order': False, 'shape': (1048576, 4), }";
	const char *folder = check_tmp();
	size_t size = 128 + (size_t)(1 << 24);
	uint64_t state = 1;
	char *npy = malloc(size);
	int hit = 0;

	REQUIRE(npy != NULL);
	check_put("a.pto", SOURCE_COPY);
	for (size_t i = 128; i < size; i++) /* nothing that zstd could make smaller */
		npy[i] = (char)((state = state * UINT64_C(6364136223846793005) + 1442695040888963407) >> 56);
	memset(npy, ' ', 128);
	memcpy(npy, head, sizeof(head) - 1);
	npy[127] = '\n';
	REQUIRE(check_write(check_fmt("%s/x.npy", folder), npy, size));
	free(npy);
	for (int i = 0; i < 200 && hit < 3; i++) { /* one that was done first is no finding */
		int status;
		char *text;

		check_put("a.pkg.zst", "old");
		status = pack_signalled(folder, numbers[hit]);
		CHECK_INT(files_in(folder), 3);
		if (!status)
			continue;
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == numbers[hit++]);
		text = check_read(check_fmt("%s/a.pkg.zst", folder), NULL);
		CHECK_STR(text, "old");
		free(text);
	}
	CHECK_INT(hit, 3);
}

TEST(a_package_that_does_not_fit_leaves_the_old_one)
{
	char *text;

	check_tmp();
	check_put("a.pto", SOURCE_COPY);
	check_put("a.pkg.zst", "old");
	free(err);
	CHECK_INT(check_run(check_fmt("cd '%s' && ulimit -f 1 && '%s/bin/ptowsp-pack' a.pto -o a.pkg.zst", check_dir(), check_build()), NULL, &err), 2);
	CHECK_STR(err, "ptowsp-pack: a.pkg.zst cannot be written: File too large\n");
	text = check_read(check_fmt("%s/a.pkg.zst", check_dir()), NULL);
	CHECK_STR(text, "old");
	free(text);
	CHECK_INT(files_in(check_dir()), 2);
}
