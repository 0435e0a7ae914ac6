/* SPDX-License-Identifier: MIT
 * test_program.c - ptowsp-inspect --c: the program that it prints, compiled and run, makes packages of the same digests. */
#include "tests/check.h"
#include "tests/lang/source.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Packs sources into the test's folder, NUMBER.pkg.zst each; returns how many there are then. */
static int source_pack(const char *folder, int number, const char *name, const char *text, size_t size, int refusable)
{
	struct source s = source_compile_as(name, text, size, &source_with_files);

	if (!s.status)
		CHECK(check_write(check_fmt("%s/%04d.pkg.zst", folder, number++), s.bytes, s.size));
	else if (!refusable)
		CHECK_FAIL("%s: %s", name, s.messages);
	source_free(&s);
	return number;
}

/* Every .pto below a folder; some may be refused where `refusable`. */
static int sources_pack(const char *folder, int number, const char *sources, int refusable)
{
	char *list, *line;

	CHECK_INT(check_run(check_fmt("find '%s' -name '*.pto' | sort", sources), &list, NULL), 0);
	for (line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
		size_t size;
		char *text = check_read(line, &size);

		REQUIRE(text != NULL);
		number = source_pack(folder, number, line, text, size, refusable);
		free(text);
	}
	free(list);
	return number;
}

/* The digests of a folder's packages in the order of their names, a line each. To be freed. */
static char *digests_read(const char *folder)
{
	char *out;

	CHECK_INT(check_run(check_fmt("for p in '%s'/*.pkg.zst; do '%s/bin/ptowsp-inspect' \"$p\" | awk '/^  digest/ {print $2; exit}'; done", folder,
				      check_build()),
			    &out, NULL),
		  0);
	return out;
}

static uint32_t times(const char *text, const char *what)
{
	uint32_t count = 0;

	for (; (text = strstr(text, what)); text++)
		count++;
	return count;
}

/* The program of all packages of the folder; it is there in folder/all.c. To be freed. */
static char *program_print(const char *folder)
{
	char *text, *err;

	CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-inspect' --c '%s'", check_build(), folder), &text, &err), 0);
	CHECK_STR(err, "");
	free(err);
	CHECK(check_write(check_fmt("%s/all.c", folder), text, strlen(text)));
	return text;
}

/* Compiles and runs it and compares digests. */
static void program_run(const char *folder, int count)
{
	char *want = digests_read(folder), *got, *err;
	const char *root = check_root(), *build = check_build();

	CHECK_UINT(times(want, "\n"), (unsigned)count);
	CHECK_INT(check_run(check_fmt("cc -std=c11 -O0 -Wall -Wextra -Werror -DPTOWSP_TREE -I'%s/abi' -I'%s/packages' '%s/all.c' -o '%s/all' -L'%s/lib' "
				      "-lptowsp-pack -Wl,-rpath,'%s/lib' && mkdir '%s/again' && '%s/all' '%s/again' | cut -d' ' -f1",
				      root, root, folder, folder, build, build, folder, folder, folder),
			    &got, &err),
		  0);
	CHECK_STR(err, "");
	CHECK_STR(got, want);
	free(got);
	got = digests_read(check_fmt("%s/again", folder));
	CHECK_STR(got, want);
	free(got);
	free(want);
	free(err);
}

static void every_package_comes_back(const char *folder, int count, int native)
{
	char *text = program_print(folder);

	/* Packages from source are calls as a frontend would make them: no bytes of sections, no strings in front, no stated rows. Native code is added
	 * when all else is there, and its strings stand where no call would put them. */
	CHECK_UINT(times(text, "ptowsp_build_stated("), 0);
	CHECK(native || !times(text, "ptowsp_build_section("));
	CHECK(native || !times(text, "ptowsp_build_string("));
	free(text);
	if (*check_sanitizer())
		CHECK_SKIP("a sanitized library needs a sanitized program; what is printed was built all the same");
	program_run(folder, count);
}

TEST(every_file_of_the_corpus_comes_back_from_its_program)
{
	const char *folder;
	int count;

	CHECK_NEED_SHARED();
	folder = check_tmp();
	count = sources_pack(folder, 0, check_fmt("%s/corpus/pto", check_shared()), 0);
	CHECK(count >= 100);
	every_package_comes_back(folder, count, 0);
}

/* Every block of the pages of the language. */
static int blocks_pack(const char *folder, int number)
{
	char *pages = source_pages(), *text;
	const char *at = pages;

	while ((text = source_block(&at))) {
		number = source_pack(folder, number, "block.pto", text, strlen(text), 0);
		free(text);
	}
	free(pages);
	return number;
}

/* All sources of the project make one program. */
TEST(every_source_of_the_project_comes_back_from_its_program)
{
	static const struct {
		const char *folder;
		int refusable;
	} folders[] = {{"packages/examples", 0}, {"packages/probes", 0},   {"tests/graphs", 0},     {"tests/printed", 0},
		       {"tests/contract", 0},    {"tests/diagnostics", 1}, {"tests/fuzz/source", 1}};
	const char *folder = check_tmp();
	int count = blocks_pack(folder, 0);

	CHECK(count >= 31);
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		int before = count;

		count = sources_pack(folder, count, check_fmt("%s/%s", check_root(), folders[i].folder), folders[i].refusable);
		CHECK(count > before);
	}
	every_package_comes_back(folder, count, 0);
}

static int packages_copy(const char *folder, const char *from)
{
	char *out;
	int count;

	CHECK_INT(check_run(check_fmt("cp '%s'/*.pkg.zst '%s' && ls '%s' | wc -l", from, folder, folder), &out, NULL), 0);
	count = atoi(out);
	free(out);
	return count;
}

/* With sample data, default values and schedules. */
TEST(every_example_comes_back_from_its_program)
{
	const char *folder = check_tmp();
	int count = packages_copy(folder, check_fmt("%s/packages", check_build()));

	CHECK(count >= 5);
	every_package_comes_back(folder, count, 0);
}

TEST(every_probe_comes_back_from_its_program)
{
	const char *folder = check_tmp();
	int count = packages_copy(folder, check_fmt("%s/packages/probes", check_build()));

	CHECK(count >= 8);
	every_package_comes_back(folder, count, 1);
}

/* Two packages of one name. */
TEST(packages_of_several_folders_are_made_in_theirs)
{
	static const char text[] = "func @f(%n: i32) {\n}\n", other[] = "func @g(%n: i32) {\n}\n";
	const char *folder = check_tmp();
	char *out, *err;

	CHECK_INT(check_run(check_fmt("mkdir -p '%s/a' '%s/b/deep'", folder, folder), NULL, NULL), 0);
	source_pack(check_fmt("%s/a", folder), 0, "one.pto", text, strlen(text), 0);
	source_pack(check_fmt("%s/b/deep", folder), 0, "one.pto", other, strlen(other), 0);
	free(program_print(folder));
	if (*check_sanitizer())
		CHECK_SKIP("a sanitized library needs a sanitized program; what is printed was built all the same");
	CHECK_INT(check_run(check_fmt("cd '%s' && cc -std=c11 -O0 -Wall -Wextra -Werror -DPTOWSP_TREE -I'%s/abi' -I'%s/packages' all.c -o all -L'%s/lib' "
				      "-lptowsp-pack "
				      "-Wl,-rpath,'%s/lib' && mkdir again && ./all again | cut -d' ' -f2 && cmp a/0000.pkg.zst again/a/0000.pkg.zst && "
				      "cmp b/deep/0000.pkg.zst again/b/deep/0000.pkg.zst",
				      folder, check_root(), check_root(), check_build(), check_build()),
			    &out, &err),
		  0);
	CHECK_STR(out, "a/0000.pkg.zst\nb/deep/0000.pkg.zst\n");
	CHECK_STR(err, "");
	free(out);
	free(err);
}

TEST(tensors_of_the_same_dimensions_share_them_again)
{
	static const char text[] = "tensor %x : f32[4, 8] inout\ntensor %y : f32[4, 8] inout\n"
				   "kernel @bare(%a: f32[4, 8] inout)\nworkload @main {\n  call @bare(%a -> %x[0, 0])\n}\n";
	const char *folder = check_tmp(), *program;
	char *calls, *out, *err;

	program = check_fmt("cd '%s' && '%s/bin/ptowsp-inspect' --json 0000.pkg.zst | sed '/\"TENS\"/,/\\]/s/\"dims\": [0-9]*, //' >one.json && "
			    "rm 0000.pkg.zst && '%s/bin/ptowsp-pack' --from-json one.json -o 0000.pkg.zst && cp 0000.pkg.zst 0001.pkg.zst",
			    folder, check_build(), check_build());
	source_pack(folder, 0, "one.pto", text, strlen(text), 0);
	CHECK_INT(check_run(program, &out, &err), 0);
	CHECK_STR(err, "");
	free(out);
	free(err);
	calls = program_print(folder);
	CHECK_UINT(times(calls, "ptowsp_build_tensor_like(b, tensor[1], tensor[0]);"), 2);
	free(calls);
	if (*check_sanitizer())
		CHECK_SKIP("a sanitized library needs a sanitized program; what is printed was built all the same");
	program_run(folder, 2);
}

TEST(one_package_gives_a_program_of_one_file)
{
	static const char text[] = "func @f(%n: i32) {\n}\n";
	const char *folder = check_tmp();
	char *out, *err;

	source_pack(folder, 0, "one.pto", text, strlen(text), 0);
	CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-inspect' --c '%s/0000.pkg.zst'", check_build(), folder), &out, &err), 0);
	CHECK_CONTAINS(out, "usage: %s PACKAGE");
	CHECK_CONTAINS(out, "kernel[0] = ptowsp_build_kernel(b, \"f\", \"any\");");
	free(out);
	free(err);
	CHECK_INT(check_run(check_fmt("'%s/bin/ptowsp-inspect' --c '%s/none.pkg.zst'", check_build(), folder), &out, &err), 2);
	CHECK_CONTAINS(err, "none.pkg.zst");
	free(out);
	free(err);
}
