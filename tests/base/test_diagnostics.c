/* SPDX-License-Identifier: MIT
 * test_diagnostics.c - every file of tests/diagnostics gives exactly the text that stands beside it. */
#include "tests/check.h"
#include "tests/lang/source.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* The running test is called after its file. */
static void run_file(void)
{
	const char *name = check_name() + strlen("source_");
	size_t size = 0;
	char *text = check_read(check_fmt("%s/tests/diagnostics/%s.pto", check_root(), name), &size);
	char *want = check_read(check_fmt("%s/tests/diagnostics/%s.txt", check_root(), name), NULL);
	struct source s;

	REQUIRE(text && want);
	s = source_compile_as(check_fmt("%s.pto", name), text, size, NULL);
	CHECK_STR(s.messages, want);
	/* Those that warn only are packages, the others are none. */
	CHECK_INT(s.package == NULL, strstr(want, ": error: ") != NULL);
	source_free(&s);
	free(text);
	free(want);
}

TEST(errors_stop_at_twenty)
{
	char text[4096] = "func @f() {\n";
	struct source s;

	for (int i = 0; i < 100; i++)
		strcat(text, "  nothing_known\n");
	s = source_compile(strcat(text, "}\n"));
	CHECK_UINT(s.list->errors, 20);
	CHECK_INT(s.status, PTOWSP_BAD_PACKAGE);
	source_free(&s);
}

/* A source cut anywhere is refused or accepted, with a place inside the text. */
TEST(sources_cut_anywhere_are_answered)
{
	char *text = check_read(check_fmt("%s/packages/examples/matmul.pto", check_root()), NULL);
	size_t size;

	REQUIRE(text != NULL);
	size = strlen(text);
	for (size_t cut = 0; cut < size; cut += cut < 1200 ? 97 : 7) {
		struct source s = source_compile_as("cut.pto", text, cut, NULL);

		for (uint32_t i = 0; s.list && i < s.list->count; i++) {
			size_t lines = 1;

			for (size_t at = 0; at < cut; at++)
				lines += text[at] == '\n';
			CHECK(s.list->rows[i].line <= lines);
		}
		CHECK((s.package != NULL) == (s.status == 0));
		source_free(&s);
	}
	free(text);
}

/* What once broke the compiler, and what its fuzzer starts from: an error, or a package that opens. */
TEST(starting_files_of_the_fuzzer_are_answered)
{
	DIR *dir = opendir(check_fmt("%s/tests/fuzz/source", check_root()));
	struct dirent *entry;
	unsigned count = 0;

	REQUIRE(dir != NULL);
	while ((entry = readdir(dir))) {
		size_t size = 0;
		char *text = entry->d_name[0] == '.' ? NULL : check_read(check_fmt("%s/tests/fuzz/source/%s", check_root(), entry->d_name), &size);
		struct source s;

		if (!text)
			continue;
		count++;
		s = source_compile_as("\xe6/\xe6.pto", text, size, NULL);
		CHECK_INT(s.package != NULL, s.list && s.list->errors == 0);
		source_free(&s);
		free(text);
	}
	closedir(dir);
	CHECK(count > 40);
}

/* One sentence for those who see no list. */
TEST(errors_are_counted_in_one_sentence)
{
	static const struct lang_source sources[] = {{"a.pto", "axis", 4}, {"b.pto", "axis\nslot\n", 10}};

	for (uint32_t count = 1; count <= 2; count++)
		for (uint32_t i = 0; i + count <= 2; i++) {
			struct pkg_writer *writer = pkg_writer_create();
			struct lang_diagnostics *list = NULL;
			struct ptowsp_error error;

			CHECK_INT(lang_compile(writer, &sources[i], count, NULL, &list, &error), PTOWSP_BAD_PACKAGE);
			CHECK_INT(error.code, PTOWSP_BAD_PACKAGE);
			CHECK_STR(error.text, count == 2 ? "these sources: 3 errors" : i ? "b.pto: 2 errors" : "a.pto: 1 error");
			lang_diagnostics_destroy(list);
			pkg_writer_destroy(writer);
		}
}

/* The text with what each help proposes behind the head of the function that it is about. To be freed. */
static char *helped(const char *text, const struct lang_diagnostics *list)
{
	static const char declare[] = "declare it: ", head[] = "func ";
	size_t size;
	char *made = NULL;
	FILE *file = open_memstream(&made, &size);
	uint32_t line = 1, end;

	for (const char *at = text; file && *at; at = strchr(at, '\n') + 1, line++) {
		fprintf(file, "%.*s", (int)(strchr(at, '\n') - at + 1), at);
		if (strncmp(at, head, strlen(head)) != 0)
			continue;
		end = line;
		for (const char *in = at; *in != '}'; in = strchr(in, '\n') + 1)
			end++;
		for (uint32_t i = 0; i < list->count; i++)
			if (list->rows[i].line > line && list->rows[i].line < end && !strncmp(list->rows[i].help, declare, strlen(declare)))
				fprintf(file, "  %s\n", list->rows[i].help + strlen(declare));
	}
	if (file)
		fclose(file);
	return made;
}

TEST(declarations_that_help_proposes_are_right)
{
	char *text = check_read(check_fmt("%s/tests/diagnostics/undeclared.pto", check_root()), NULL), *better;
	struct source s;

	REQUIRE(text != NULL);
	s = source_compile(text);
	CHECK_UINT(s.list->errors, 11);
	better = helped(text, s.list);
	source_free(&s);
	s = source_compile(better);
	CHECK_STR(s.messages, "");
	CHECK(s.package != NULL);
	source_free(&s);
	free(better);
	free(text);
}

/* A tensor that is passed whole and does not fit: what the help says to write instead does, or it says that nothing does. */
TEST(parts_that_help_proposes_are_right)
{
	static const char text[] =
		"tensor %%y : f32[%s] inout\nfunc @f(%%x: !pto.memref<gm,...,f32>) {\n  %%t = alloc_tile : !pto.tile<2x8xf32>\n  %%t = tload %%x[0, 0]\n"
		"  tstore %%t, %%x[0, 0]\n}\nkernel @k(%%x : f32[2, 8] inout) { portable @f }\nworkload @w { call @%s(%%x -> %s) }\n";
	static const struct {
		const char *shape, *callee, *help, *instead;
	} rows[] = {
		{"4, 8", "k", "say where the part begins: %y[0, 0] passes its first 2 x 8", "%y[0, 0]"},
		{"3, 2, 8", "k", "say where the part begins: %y[0, 0] passes its first 2 x 8", "%y[0, 0]"},
		{"64", "k", "pass its elements without a shape, as they follow each other: %y[0, 0 : ...]", "%y[0, 0 : ...]"},
		{"64", "f", "pass its elements without a shape, as they follow each other: %y[0, 0 : ...]", "%y[0, 0 : ...]"},
		{"4, 4", "f", "pass its elements without a shape, as they follow each other: %y[0, 0 : ...]", "%y[0, 0 : ...]"},
		{"4", "k", "it has 4 elements, 16 are needed: declare it larger at test.pto:1, or take a smaller tile", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct source s = source_compile(check_fmt(text, rows[i].shape, rows[i].callee, "%y"));

		CHECK_UINT(s.list->errors, 1);
		CHECK_STR(s.list->rows[0].help, rows[i].help);
		source_free(&s);
		if (!rows[i].instead)
			continue;
		s = source_compile(check_fmt(text, rows[i].shape, rows[i].callee, rows[i].instead));
		CHECK_STR(s.messages, "");
		source_free(&s);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void suite_diagnostics(CU_pSuite s)
{
	char *names[256];
	size_t count = 0;
	DIR *dir = opendir(check_fmt("%s/tests/diagnostics", check_root()));
	struct dirent *entry;

	while (dir && (entry = readdir(dir)) && count < 256) {
		char *end = strstr(entry->d_name, ".pto");

		if (end && !end[4])
			names[count++] = strndup(entry->d_name, (size_t)(end - entry->d_name));
	}
	if (dir)
		closedir(dir);
	qsort(names, count, sizeof(*names), by_name);
	for (size_t i = 0; i < count; i++) {
		check_add(s, check_fmt("source_%s", names[i]), run_file);
		free(names[i]);
	}
}
