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

static void tiles_in_local_memory_compile(void)
{
	compile("-DTILE_WIDTH=128");
}

static void tiles_in_global_memory_compile(void)
{
	compile("-DTILE_MEMORY=__global");
}

static void one_work_item_compiles(void)
{
	compile("-DTILE_WIDTH=1");
}

/* What stands at file scope has the name of its kernel. */
static void all_kernels_are_one_program(void)
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

static void emitted_text_is_what_is_kept(void)
{
	emit_golden_compare("opencl", ".cl", "cl");
}

void suite_emit_opencl(CU_pSuite s);
void suite_emit_opencl(CU_pSuite s)
{
	TEST(s, tiles_in_local_memory_compile);
	TEST(s, tiles_in_global_memory_compile);
	TEST(s, one_work_item_compiles);
	TEST(s, all_kernels_are_one_program);
	TEST(s, emitted_text_is_what_is_kept);
}
