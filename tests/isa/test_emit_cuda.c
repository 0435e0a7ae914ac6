/* SPDX-License-Identifier: MIT
 * test_emit_cuda.c - emitted CUDA: every operation of every type against the interpreter, run by a block of threads on the host (tests/emit/cuda_host.h); what
 * compilers for CUDA make of it, where there are some; the text of three kernels. PTOWSP_SEED=n repeats a trial. */
#include <stdlib.h>
#include <string.h>

#include "ptowsp/note.h"
#include "tests/base/emit_trials.h"
#include "tests/check.h"
#include "tests/isa/tile_random.h"

static ptowsp_status block_call(void *function, const struct ptowsp_task *task, uint64_t *cycles_out)
{
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(out, KERNEL_OUT)};
	ptowsp_kernel_fn fn;
	ptowsp_status status;

	*(void **)&fn = function;
	status = fn(task, &out);
	*cycles_out = out.cycles;
	return status;
}

static const struct emit_way way = {
	.target = "cuda", .header = "isa/kernel_cuda.h", .flags = "-include '%s/cuda_host.h'", .call = block_call, .cycles = true, .products = true};

TEST(every_operation_of_every_type_does_what_the_interpreter_does)
{
	for (int part = 0; part < 4; part++)
		emit_trials_run(&way, random_start() + (unsigned)part * 100, part);
}

TEST(random_programs_do_what_the_interpreter_does)
{
	emit_trials_run(&way, random_start(), -1);
}

/* ---- compilers ------------------------------------------------------------------------------------------------------ */

static void compile(const char *tool, const char *command)
{
	const char *folder = check_tmp();
	char *out = NULL, *err = NULL;

	if (PTOWSP_SANITIZER)
		CHECK_SKIP("compiling takes too long here; the release build does it");
	if (check_run(check_fmt("%s --version", tool), NULL, NULL))
		CHECK_SKIP("not compiled here: there is no such compiler");
	/* One that cannot compile a kernel of nothing is none. */
	CHECK(check_write(check_fmt("%s/empty.cu", folder), "\n", 1));
	if (check_run(check_fmt("cd '%s' && %s empty.cu", folder, command), NULL, NULL))
		CHECK_SKIP("not compiled here: the compiler does not know CUDA");
	folder = emit_kernels("cuda");
	REQUIRE(folder != NULL);
	CHECK_INT(check_run(check_fmt("cd '%s/emitted' && for k in *.cu; do %s $k || exit; done", folder, command), &out, &err), 0);
	CHECK_STR(out, "");
	if (strstr(err, "error"))
		CHECK_FAIL("%.1000s", err);
	free(out);
	free(err);
}

TEST(nvcc_compiles_the_kernels)
{
	compile("nvcc", "nvcc -fmad=false -I. -cubin -o k.cubin");
}

TEST(clang_compiles_the_kernels_without_the_cuda_headers)
{
	compile("clang",
		"clang -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_70 -Wno-unknown-cuda-version -ffp-contract=off -O1 -I. -S -o k.ptx");
}

TEST(emitted_text_is_what_is_kept)
{
	emit_golden_compare("cuda", ".cu", "cu");
}
