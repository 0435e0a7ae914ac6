/* SPDX-License-Identifier: MIT
 * test_emit_opencl.c - emitted OpenCL C: what a compiler makes of it in local memory and in global, for one work-item and many; the text of three kernels. What it computes is compared by
 * suite opencl. */
#include <stdlib.h>
#include <string.h>

#include "ptowsp/note.h"
#include "tests/base/emit_trials.h"
#include "tests/check.h"

#define CLANG "clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -target spir64 -Wall -Werror -Wno-unused-function -I. -S -emit-llvm -o k.ll "

static void compile(const char *options)
{
	const char *folder = check_tmp();
	char *err = NULL;

	if (PTOWSP_SANITIZER)
		CHECK_SKIP("compiling takes too long here; the release build does it");
	CHECK(check_write(check_fmt("%s/empty.cl", folder), "\n", 1));
	if (check_run(check_fmt("cd '%s' && " CLANG "empty.cl", folder), NULL, NULL))
		CHECK_SKIP("not compiled here: no clang that knows OpenCL C");
	folder = emit_kernels("opencl");
	REQUIRE(folder != NULL);
	CHECK_INT(check_run(check_fmt("cd '%s/emitted' && for k in *.cl; do " CLANG "%s $k || exit; done", folder, options), NULL, &err), 0);
	CHECK_STR(err, "");
	free(err);
}

TEST(tiles_in_local_memory_compile)
{
	compile("-DTILE_WIDTH=128");
}

TEST(tiles_in_global_memory_compile)
{
	compile("-DTILE_MEMORY=__global");
}

TEST(one_work_item_compiles)
{
	compile("-DTILE_WIDTH=1");
}

/* What stands at file scope has the name of its kernel. */
TEST(all_kernels_are_one_program)
{
	const char *folder;
	char *err = NULL;

	if (check_run("clang --version", NULL, NULL))
		CHECK_SKIP("not compiled here: there is no clang");
	folder = emit_kernels("opencl");
	REQUIRE(folder != NULL);
	CHECK_INT(check_run(check_fmt("cd '%s/emitted' && cat *.cl >all.txt && cp all.txt all.cl && " CLANG "all.cl", folder), NULL, &err), 0);
	CHECK_STR(err, "");
	free(err);
}

TEST(emitted_text_is_what_is_kept)
{
	emit_golden_compare("opencl", ".cl", "cl");
}
