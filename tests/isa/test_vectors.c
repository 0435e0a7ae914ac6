/* SPDX-License-Identifier: MIT
 * test_vectors.c - the golden vectors of tests/vectors, numbers that NumPy computed from the words of the ISA: packed, and run on every backend that executes, through the tools. */
#include "ptowsp/note.h"
#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VECTORS_MOST = 1024 };
static const char *const plugins[] = {"cpu_sim", "a2a3sim", "aie"};

/* A line of vectors.tsv; entry is "-" where the source has only one. */
static struct vector {
	char source[32], entry[64], rtol[16], atol[16];
} vectors[VECTORS_MOST];
static unsigned count;

static void list_read(void)
{
	char *text = check_read(check_fmt("%s/tests/vectors/vectors.tsv", check_root()), NULL), *at = text, *line;

	count = 0;
	while (text && (line = strsep(&at, "\n")) && count < VECTORS_MOST) {
		struct vector *v = &vectors[count];

		count += line[0] != '#' && sscanf(line, "%31s %63s %15s %15s", v->source, v->entry, v->rtol, v->atol) == 4;
	}
	free(text);
}

/* Packs a source of its own folder, once a run of this suite. */
static const char *package_of(const char *source)
{
	static char packed[64][32];
	unsigned i = 0;

	while (i < 64 && packed[i][0] && strcmp(packed[i], source))
		i++;
	REQUIRE(i < 64);
	if (!packed[i][0])
		REQUIRE_INT(check_run(check_fmt("mkdir -p %s/test/vectors && %s/bin/ptowsp-pack --strict %s/tests/vectors/%s.pto -o %s/test/vectors/%s.pkg.zst",
						check_build(), check_build(), check_root(), source, check_build(), source),
				      NULL, NULL),
			    0);
	snprintf(packed[i], sizeof(packed[i]), "%s", source);
	return check_fmt("%s/test/vectors/%s.pkg.zst", check_build(), source);
}

static int vector_run(const struct vector *v, const char *plugin, const char *package, char **out, char **err)
{
	const bool one = !strcmp(v->entry, "-");

	return check_run(check_fmt("%s/bin/ptowsp-run --plugin=%s %s %s --rtol %s --atol %s '%s'", check_build(), plugin, one ? "" : "--entry",
				   one ? "" : v->entry, v->rtol, v->atol, package),
			 out, err);
}

static const struct vector *vector_of_test(void)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(check_name(), check_fmt("vector_%s_%s", vectors[i].source, vectors[i].entry)))
			return &vectors[i];
	return NULL;
}

/* A start of a tool takes long under a sanitizer: there each vector runs on one of the backends, on all of them with --long. */
static bool is_wanted(const struct vector *v, size_t plugin)
{
	return !PTOWSP_SANITIZER || getenv("PTOWSP_TEST_LONG") || (size_t)(v - vectors) % (sizeof(plugins) / sizeof(*plugins)) == plugin;
}

static void vector_equals_what_numpy_says(void)
{
	const struct vector *v = vector_of_test();

	REQUIRE(v != NULL);
	for (size_t i = 0; i < sizeof(plugins) / sizeof(*plugins); i++) {
		char *out = NULL, *err = NULL;

		if (!is_wanted(v, i))
			continue;
		if (vector_run(v, plugins[i], package_of(v->source), &out, &err) || !strstr(out, "compare: ok"))
			CHECK_FAIL("%s: %s%s", plugins[i], out, err);
		free(out);
		free(err);
	}
}

/* The first number that is expected of the first vector, changed. */
TEST(a_number_that_is_another_is_found)
{
	char *text, *at, *out = NULL, *err = NULL;

	REQUIRE(count > 0);
	text = check_read(check_fmt("%s/tests/vectors/%s.pto", check_root(), vectors[0].source), NULL);
	REQUIRE(text != NULL);
	at = strstr(text, " expected ");
	REQUIRE(at && (at = strstr(at, "base64 \"")) != NULL);
	at[8] = at[8] == 'A' ? 'B' : 'A';
	REQUIRE(check_write(check_fmt("%s/changed.pto", check_tmp()), text, strlen(text)));
	REQUIRE_INT(check_run(check_fmt("%s/bin/ptowsp-pack %s/changed.pto -o %s/changed.pkg.zst", check_build(), check_dir(), check_dir()), NULL, NULL), 0);
	for (size_t i = 0; i < sizeof(plugins) / sizeof(*plugins); i++) {
		CHECK(vector_run(&vectors[0], plugins[i], check_fmt("%s/changed.pkg.zst", check_dir()), &out, &err) != 0);
		CHECK_CONTAINS(err, "exceed");
		free(out);
		free(err);
	}
	free(text);
}

/* The script makes the vectors with NumPy; the test is skipped where NumPy is not installed. */
TEST(vectors_are_what_the_script_makes)
{
	const char *python = check_run("python3 -c 'import numpy'", NULL, NULL) ? "/usr/bin/python3" : "python3";
	char *out = NULL, *err = NULL;

	if (check_run(check_fmt("%s -c 'import numpy'", python), NULL, NULL))
		CHECK_SKIP("NumPy is not installed (python3-numpy)");
	REQUIRE_INT(check_run(check_fmt("%s %s/tests/vectors/make.py %s", python, check_root(), check_tmp()), NULL, NULL), 0);
	if (check_run(check_fmt("for f in %s/*; do cmp $f %s/tests/vectors/${f##*/} || exit 1; done", check_dir(), check_root()), &out, &err))
		CHECK_FAIL("%s%s", out, err);
	free(out);
	free(err);
	CHECK(count >= 60);
}

void suite_vectors(CU_pSuite s)
{
	list_read();
	for (unsigned i = 0; i < count; i++)
		check_add(s, check_fmt("vector_%s_%s", vectors[i].source, vectors[i].entry), vector_equals_what_numpy_says);
}
