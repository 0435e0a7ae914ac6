/* SPDX-License-Identifier: MIT
 * test_package_refused.c - every file of tests/refused is refused with the sentence beside it. */
#include "format/format_package.h"
#include "tests/check.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* The case is in the name of the test: refused_<file>. */
static void run_case(void)
{
	const char *name = check_name() + strlen("refused_");
	size_t size;
	char *bytes = check_read(check_fmt("%s/tests/refused/%s.pkg.zst", check_root(), name), &size);
	char *sentence = check_read(check_fmt("%s/tests/refused/%s.txt", check_root(), name), NULL);
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg *package = NULL;
	const void *samples;
	uint64_t samples_size;
	ptowsp_status status;

	REQUIRE(bytes && sentence);
	status = pkg_open_memory(&package, bytes, size, check_fmt("%s.pkg.zst", name), NULL, &error);
	if (!status)
		status = pkg_sample_section(package, &samples, &samples_size, &error);
	CHECK_INT(status, PTOWSP_BAD_PACKAGE);
	CHECK_INT(error.code, PTOWSP_BAD_PACKAGE);
	CHECK_STR(check_fmt("%s\n", error.text), sentence);
	pkg_close(package);
	free(bytes);
	free(sentence);
}

/* The generator gives the same cases and sentences: neither the folder nor the generator has fallen behind. */
TEST(folder_is_what_its_generator_makes)
{
	const char *dir = check_tmp();
	char *out = NULL;

	REQUIRE_INT(check_run(check_fmt("'%s/obj/tests/refused/make' '%s'", check_build(), dir), NULL, NULL), 0);
	CHECK_INT(check_run(check_fmt("cd '%s/tests/refused' && for f in *.txt '%s'/*.txt; do f=${f##*/}; cmp -s $f '%s'/$f || echo $f; done", check_root(),
				      dir, dir),
			    &out, NULL),
		  0);
	if (out && *out)
		CHECK_FAIL("tests/refused is out of date, obj/tests/refused/make of the build writes it anew: %s", out);
	free(out);
}

static int is_case(const struct dirent *item)
{
	size_t length = strlen(item->d_name);

	return length > 4 && !strcmp(item->d_name + length - 4, ".txt");
}

void suite_package_refused(CU_pSuite s)
{
	struct dirent **items = NULL;
	int count = scandir(check_fmt("%s/tests/refused", check_root()), &items, is_case, alphasort);

	for (int i = 0; i < count; i++) {
		check_add(s, check_fmt("refused_%.*s", (int)strlen(items[i]->d_name) - 4, items[i]->d_name), run_case);
		free(items[i]);
	}
	free(items);
}
