/* SPDX-License-Identifier: MIT
 * test_diagnostics.c - every file of tests/diagnostics gives exactly the text that stands beside it. */
#include "tests/check.h"
#include "tests/source.h"

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

static void errors_stop_at_twenty(void)
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
static void sources_cut_anywhere_are_answered(void)
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
static void starting_files_of_the_fuzzer_are_answered(void)
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
static void errors_are_counted_in_one_sentence(void)
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
	TEST(s, errors_are_counted_in_one_sentence);
	TEST(s, errors_stop_at_twenty);
	TEST(s, sources_cut_anywhere_are_answered);
	TEST(s, starting_files_of_the_fuzzer_are_answered);
}
