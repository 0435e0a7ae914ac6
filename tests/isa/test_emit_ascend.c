/* SPDX-License-Identifier: MIT
 * test_emit_ascend.c - emitted Ascend C for A2/A3 and A5: compiled on the host by a stand-in for the toolkit's header (tests/emit/kernel_operator.h) and run
 * beside the interpreter, all but products; the text of three kernels. The toolkit itself is not here. PTOWSP_SEED=n repeats a trial. */
#include <stdlib.h>
#include <string.h>

#include "ascend/engine/pod.h"
#include "ptowsp/note.h"
#include "tests/base/emit_trials.h"
#include "tests/check.h"
#include "tests/isa/tile_random.h"

/* As tile_window of kernel_ascend.h. */
struct window {
	uint64_t data, rows, columns, row_stride, column_stride;
};

static ptowsp_status core_call(void *function, const struct ptowsp_task *task, uint64_t *cycles_out)
{
	static unsigned char workspace[1 << 22]; /* for what the cube gets */
	void (*fn)(void *tensors, void *args, void *result, void *workspace);
	struct window windows[RANDOM_WINDOWS];
	uint64_t args[16] = {0};
	int32_t result = 1;

	(void)cycles_out;
	for (uint32_t i = 0; i < task->tensor_count && i < RANDOM_WINDOWS; i++)
		windows[i] = (struct window){(uint64_t)(uintptr_t)task->tensors[i].data, task->tensors[i].rows, task->tensors[i].columns,
					     task->tensors[i].row_stride, task->tensors[i].column_stride};
	for (uint32_t i = 0; i < task->arg_count && i < 16; i++)
		args[i] = task->args[i];
	*(void **)&fn = function;
	fn(windows, args, &result, workspace);
	return result;
}

/* As a pto-runtime calls kernels: records, then scalars. */
static ptowsp_status entry_call(void *function, const struct ptowsp_task *task, uint64_t *cycles_out)
{
	static struct ascend_tensor records[RANDOM_WINDOWS];
	void (*fn)(int64_t * args);
	const int32_t context[2] = {(int32_t)task->block, (int32_t)task->block_count};
	int64_t args[ASCEND_TASK_TENSORS + ASCEND_TASK_SCALARS + 2] = {0};

	(void)cycles_out;
	for (uint32_t i = 0; i < task->tensor_count && i < RANDOM_WINDOWS; i++) {
		const struct ptowsp_tensor_arg *w = &task->tensors[i];
		const bool flat = w->rows == 1;

		records[i] = (struct ascend_tensor){.addr = (uintptr_t)w->data,
						    .ndims = flat ? 1 : 2,
						    .extent = w->rows * w->columns,
						    .shapes = {(uint32_t)(flat ? w->columns : w->rows), (uint32_t)w->columns},
						    .strides = {(uint32_t)(flat ? w->column_stride : w->row_stride), (uint32_t)w->column_stride}};
		args[i] = (int64_t)(uintptr_t)&records[i];
	}
	for (uint32_t i = 0; i < task->arg_count && i < ASCEND_TASK_SCALARS; i++)
		args[task->tensor_count + i] = (int64_t)task->args[i];
	args[ASCEND_TASK_TENSORS + ASCEND_TASK_SCALARS] = (int64_t)(uintptr_t)context;
	*(void **)&fn = function;
	fn(args);
	return (ptowsp_status)args[ASCEND_TASK_TENSORS + ASCEND_TASK_SCALARS + 1];
}

static const struct emit_way entry_way = {.target = "ascend-a2a3",
					  .header = "isa/kernel_ascend.h",
					  .flags = "-DTILE_PTO_RUNTIME '-DTILE_ENTRY(name)=name' '-DTILE_ENDED(args, status)=args[49] = status' -I'%s'",
					  .call = entry_call,
					  .tolerance = 0.02};

/* Vector instructions add f16 up in f32, and have exp and others of their own. */
static const struct emit_way ways[] = {
	{.target = "ascend-a2a3", .header = "isa/kernel_ascend.h", .flags = "-I'%s'", .call = core_call, .tolerance = 0.02},
	{.target = "ascend-a5", .header = "isa/kernel_ascend.h", .flags = "-DTILE_A5 -I'%s'", .call = core_call, .tolerance = 0.02},
};

static void operations_do_what_the_interpreter_does(const struct emit_way *way)
{
	for (int part = 0; part < (PTOWSP_SANITIZER ? 1 : 4); part++) /* a compiler takes most of it, which no sanitizer watches */
		emit_trials_run(way, random_start() + (unsigned)part * 100, part);
}

TEST(a2a3_does_what_the_interpreter_does)
{
	operations_do_what_the_interpreter_does(&ways[0]);
}

TEST(a5_does_what_the_interpreter_does)
{
	operations_do_what_the_interpreter_does(&ways[1]);
}

/* What programs multiply is not among these: the stand-in has no cube. */
TEST(kernel_entry_does_what_the_interpreter_does)
{
	emit_trials_run(&entry_way, random_start(), 0);
}

static void compile(const char *target)
{
	const char *folder = emit_kernels(target);
	char *out = NULL, *err = NULL;

	REQUIRE(folder != NULL);
	CHECK_INT(check_run(check_fmt("cd '%s/emitted' && for k in *.cpp; do c++ -std=c++17 -Wall -Wextra -Wno-unused -Werror -fsyntax-only -I. "
				      "-I'%s/tests/emit' $k || exit; done",
				      folder, check_root()),
			    &out, &err),
		  0);
	CHECK_STR(err, "");
	free(out);
	free(err);
}

TEST(kernels_compile_with_every_name_declared)
{
	if (PTOWSP_SANITIZER)
		CHECK_SKIP("what compilers say of a text is asked without a sanitizer");
	compile("ascend-a2a3");
	compile("ascend-a5");
}

TEST(emitted_text_is_what_is_kept)
{
	emit_golden_compare("ascend-a2a3", ".a2a3.cpp", "cpp");
	emit_golden_compare("ascend-a5", ".a5.cpp", "cpp");
}
