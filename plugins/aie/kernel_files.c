/* SPDX-License-Identifier: MIT */
#include "kernel_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "isa/emit.h"
#include "rt/dtype.h"
#include "rt/rt_error.h"
#include "rt/grow.h"
#include "registry/common/common_text.h"

/* ---- a kernel ----------------------------------------------------------------------------------------------------------- */

/* There is nobody on a core who reads sentences, and no room for what writes them. */
static const char quiet[] = "#include <stdio.h>\n"
			    "static inline __attribute__((unused)) int quiet(const void *text, ...)\n{\n\t(void)text;\n\treturn 0;\n}\n"
			    "#undef snprintf\n#undef vsnprintf\n#define snprintf(...) quiet(__VA_ARGS__)\n#define vsnprintf(...) quiet(__VA_ARGS__)\n";

static bool file_add(struct aie_kernel_files *files, const char *name, char *text)
{
	if (!text || !rt_grow((void **)&files->files, &files->room, files->count, sizeof(*files->files))) {
		free(text);
		return false;
	}
	snprintf(files->files[files->count].name, sizeof(files->files[0].name), "%s", name);
	files->files[files->count++].text = text;
	return true;
}

static ptowsp_status kernel_write(struct aie_kernel_files *files, const struct base_kernel *row, uint32_t kernel, struct ptowsp_error *error)
{
	struct common_text text = {0};
	char symbol[32], name[32], *code = NULL;
	size_t size;
	ptowsp_status st;

	snprintf(symbol, sizeof(symbol), "ptowsp_kernel_%" PRIu32, kernel);
	snprintf(name, sizeof(name), "kernel_%" PRIu32 ".c", kernel);
	st = isa_emit(row->isa, &isa_emit_targets[0], symbol, &code, &size, error);
	if (st)
		return st;
	common_text_put(&text, quiet);
	common_text_put(&text, code);
	free(code);
	if (text.failed) {
		common_text_finish(&text);
		return rt_no_memory(error, "a kernel's source");
	}
	return file_add(files, name, text.bytes) ? PTOWSP_OK : rt_no_memory(error, "a kernel's source");
}

static ptowsp_status kernels_write(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, struct ptowsp_error *error)
{
	const struct aie_lowered *lowered = args->lowered;
	ptowsp_status st = PTOWSP_OK;

	for (uint32_t f = 0; !st && f < lowered->function_count; f++) {
		uint32_t kernel = lowered->kernels[f], before = 0;
		const struct base_kernel *row = kernel < args->kernels->count ? &args->kernels->rows[kernel] : NULL;

		while (before < f && lowered->kernels[before] != kernel)
			before++;
		if (before < f)
			continue;
		if (row && row->isa)
			st = kernel_write(files, row, kernel, error);
		else
			st = rt_fail(error, PTOWSP_UNSUPPORTED, "kernel %.60s has no portable code, and engine=device has no other for a core; give it a body, or take engine=array",
				     row ? row->name : "copy");
	}
	return st;
}

/* ---- its calls ---------------------------------------------------------------------------------------------------------- */

static const struct aie_function *function_of(const struct aie_design *design, const char *name)
{
	uint32_t f = aie_design_function(design, name);

	return f == AIE_NONE ? NULL : &design->functions[f];
}

static void parameters(struct common_text *text, uint32_t tensors, uint32_t scalars)
{
	for (uint32_t i = 0; i < tensors; i++)
		common_text_add(text, "%svoid *tensor_%" PRIu32, i ? ", " : "", i);
	for (uint32_t i = 0; i < scalars; i++)
		common_text_add(text, "%sint64_t scalar_%" PRIu32, tensors || i ? ", " : "", i);
	if (!tensors && !scalars)
		common_text_put(text, "void");
}

/* As the interpreter gets it. */
static void window(struct common_text *text, const struct aie_view *view, const struct ptowsp_tensor_arg *like, uint32_t number)
{
	common_text_put(text, "\t\t{");
	if (view->before)
		common_text_add(text, "%" PRId64 " + (unsigned char *)", -view->before * (int64_t)rt_dtype_bytes(like->dtype));
	common_text_add(text, "tensor_%" PRIu32 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", 1, %u, %u, %" PRIu32 "},\n", number, view->rows, view->columns, view->stride,
		     (unsigned)like->dtype, (unsigned)like->access, like->tensor);
}

static void call_write(struct common_text *text, const struct aie_kernel_files_args *args, uint32_t f, const struct aie_function *function, uint64_t workspace)
{
	const struct aie_lowered *lowered = args->lowered;
	const struct base_walk_task *task = &args->walk->tasks[lowered->tasks[f]];
	uint32_t kernel = lowered->kernels[f], tensors = task->tensor_count, scalars = function->type->inputs - task->tensor_count;

	common_text_add(text, "\nptowsp_status ptowsp_kernel_%" PRIu32 "(const struct ptowsp_task *task, struct ptowsp_kernel_out *out);\nvoid call_%" PRIu32 "(", kernel, f);
	parameters(text, tensors, scalars);
	common_text_add(text, ") __asm__(\"%s\");\nvoid call_%" PRIu32 "(", function->name, f);
	parameters(text, tensors, scalars);
	common_text_add(text, ")\n{\n\t_Alignas(64) unsigned char tiles[%" PRIu64 "];\n\tconst uint64_t args[] = {", workspace ? workspace : 1);
	for (uint32_t i = 0; i < scalars; i++)
		common_text_add(text, "(uint64_t)scalar_%" PRIu32 ", ", i);
	common_text_put(text, "0};\n\tconst struct ptowsp_tensor_arg windows[] = {\n");
	for (uint32_t i = 0; i < tensors; i++) {
		const struct aie_view view = aie_function_view(function, i);

		window(text, &view, &args->walk->tensors[task->tensors + i], i);
	}
	common_text_add(text,
		     "\t\t{NULL, 0, 0, 0, 0, 0, 0, 0},\n\t};\n\tstruct ptowsp_kernel_out out = {PTOWSP_HEAD(out, KERNEL_OUT), 0, NULL};\n"
		     "\tstruct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK), .args = args, .tensors = windows, .arg_count = %" PRIu32 ", .tensor_count = %" PRIu32 ",\n"
		     "\t\t.tensor_stride = sizeof(*windows), .kernel = %" PRIu32 ", .process = PTOWSP_NONE, .block_count = %" PRIu32 ", .workspace = tiles, .workspace_size = %" PRIu64 "};\n\n"
		     "\tfor (; task.block < task.block_count; task.block++)\n\t\tif (ptowsp_kernel_%" PRIu32 "(&task, &out))\n\t\t\tstop();\n}\n",
		     scalars, tensors, kernel, args->kernels->rows[kernel].blocks ? args->kernels->rows[kernel].blocks : 1, workspace, kernel);
}

static ptowsp_status calls_write(struct common_text *text, const struct aie_kernel_files_args *args, struct ptowsp_error *error)
{
	common_text_put(text, "/* What the design calls, made by ptowsp: each function calls its kernel as task.h has it. */\n#include \"ptowsp/task.h\"\n\n"
			   "/* A kernel that refuses what it gets: nobody can be told, so the core stands still, and the host sees a run without an end. */\n"
			   "static __attribute__((unused, noinline)) void stop(void)\n{\n\tfor (;;)\n\t\t__asm__ volatile(\"\");\n}\n");
	for (uint32_t f = 0; f < args->lowered->function_count; f++) {
		const struct aie_function *function = function_of(args->design, args->lowered->functions[f]);
		const struct base_walk_task *task = &args->walk->tasks[args->lowered->tasks[f]];
		uint64_t workspace = 0;
		ptowsp_status st = isa_emit_workspace(args->kernels->rows[args->lowered->kernels[f]].isa, &workspace, error);

		if (st)
			return st;
		if (!function || function->type->inputs < task->tensor_count)
			return rt_fail(error, PTOWSP_UNSUPPORTED, "the design has no function %.60s as its kernel is called; report this with the package", args->lowered->functions[f]);
		call_write(text, args, f, function, workspace);
	}
	return text->failed ? rt_no_memory(error, "the calls of a design") : PTOWSP_OK;
}

ptowsp_status aie_kernel_files_make(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, struct ptowsp_error *error)
{
	struct aie_kernel_files kernels = {0};
	struct common_text text = {0};
	ptowsp_status st;

	aie_kernel_files_finish(files);
	st = kernels_write(&kernels, args, error);
	if (!st)
		st = calls_write(&text, args, error);
	if (!st && !file_add(files, "calls.c", text.bytes))
		st = rt_no_memory(error, "the calls of a design");
	else if (st)
		common_text_finish(&text);
	for (uint32_t k = 0; k < kernels.count; k++) {
		if (!st && !file_add(files, kernels.files[k].name, kernels.files[k].text))
			st = rt_no_memory(error, "a kernel's source");
		else if (st)
			free(kernels.files[k].text);
	}
	free(kernels.files);
	return st;
}

void aie_kernel_files_finish(struct aie_kernel_files *files)
{
	for (uint32_t f = 0; f < files->count; f++)
		free(files->files[f].text);
	free(files->files);
	memset(files, 0, sizeof(*files));
}
