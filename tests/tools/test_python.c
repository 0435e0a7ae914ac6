/* SPDX-License-Identifier: MIT
 * test_python.c - the Python package of tools/python: its own tests (tests/python), by the first Python here that has what they need. */
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* A Python may lack the packages that Debian's own one has. */
static const char *python_with(const char *modules)
{
	static const char *const known[] = {"python3", "/usr/bin/python3"};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (!check_run(check_fmt("%s -c 'import %s' 2>/dev/null", known[i], modules), NULL, NULL))
			return known[i];
	return NULL;
}

/* What pytest says of a file of tests, which is part of the failure. */
static void file_runs(const char *file)
{
	const char *python = python_with("cffi, numpy, pytest");
	char *out = NULL;

	if (strstr(check_build(), "asan") || strstr(check_build(), "tsan"))
		CHECK_SKIP("python3 has no sanitizer");
	if (!python)
		CHECK_SKIP("no python3 here has cffi, NumPy and pytest");
	check_run(check_fmt("cd '%s' && { PYTHONDONTWRITEBYTECODE=1 PYTHONPATH='%s/python' %s -m pytest -q -p no:cacheprovider --tb=short %s; echo \"ends with "
			    "$?\"; } "
			    "2>&1 | tail -n 40",
			    check_root(), check_build(), python, file),
		  &out, NULL);
	CHECK_CONTAINS(out, " passed");
	CHECK_CONTAINS(out, "ends with 0");
	free(out);
}

TEST(packages_run_on_arrays)
{
	file_runs("tests/python/test_package.py");
}

TEST(python_functions_become_packages)
{
	file_runs("tests/python/test_tracing.py");
}

TEST(the_page_runs_and_every_operation_is_known)
{
	file_runs("tests/python/test_words.py");
}

TEST(the_library_of_sources_computes_what_numpy_does)
{
	file_runs("tests/python/test_std.py");
}

TEST(onnx_graphs_compute_what_numpy_does)
{
	if (!python_with("cffi, numpy, pytest, onnx"))
		CHECK_SKIP("no python3 here has onnx (python3-onnx)");
	file_runs("tests/python/test_onnx.py");
	file_runs("tests/python/test_onnx_mends.py");
}

TEST(programs_compute_what_numpy_does)
{
	file_runs("tests/python/test_programs.py");
}
