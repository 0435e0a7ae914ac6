/* SPDX-License-Identifier: MIT */
#include "aie/design/kernel_files.h"

#include "isa/emit/emit.h"
#include "registry/common/common_grow.h"
#include "registry/common/common_text.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct isa_text aie_bare_headers[]; /* made of bare/ */

/* There is nobody on a core who reads sentences, and no room for what writes them. */
static const char quiet[] = "#include <stdio.h>\n"
			    "static inline __attribute__((unused)) int quiet(const void *text, ...)\n{\n\t(void)text;\n\treturn 0;\n}\n"
			    "#undef snprintf\n#undef vsnprintf\n#define snprintf(...) quiet(__VA_ARGS__)\n#define vsnprintf(...) quiet(__VA_ARGS__)\n";

/* Takes the text; false: no memory, and the text is freed. */
static bool file_add(struct aie_kernel_files *files, const char *name, char *text)
{
	if (!text || !COMMON_GROW(files->files, files->room, files->count)) {
		free(text);
		return false;
	}
	snprintf(files->files[files->count].name, sizeof(files->files[0].name), "%s", name);
	files->files[files->count++].text = text;
	return true;
}

/* A kernel that refuses what it gets: nobody can be told, so the core stands still, and the host sees a run without an end. */
static const char still[] =
	"\n/* For a kernel that refuses what it gets: nobody can be told, so the core stands still, and the host sees a run without an end. */\n"
	"static __attribute__((unused, noinline)) void stop(void)\n{\n\tfor (;;)\n\t\t__asm__ volatile(\"\");\n}\n";

static const struct base_kernel *row_of(const struct aie_kernel_files_args *args, uint32_t f)
{
	const uint32_t kernel = args->lowered->kernels[f];

	return kernel < args->kernels->count ? &args->kernels->rows[kernel] : NULL;
}

/* The file that becomes the object of a function; false: it is linked with none. */
static bool name_make(char name_out[AIE_FILE_NAME], const struct aie_function *function)
{
	const struct aie_attr *object = aie_attr_of(function->op, "link_with");
	const int length = object && object->kind == AIE_ATTR_STRING ? (int)strlen(object->text) - 2 : 0;

	return length > 0 && snprintf(name_out, AIE_FILE_NAME, "%.*s.c", length, object->text) < AIE_FILE_NAME;
}

/* ---- calls -------------------------------------------------------------------------------------------------------------- */

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
	common_text_add(text, "tensor_%" PRIu32 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", 1, %u, %u, %" PRIu32 "},\n", number, view->rows, view->columns,
			view->stride, (unsigned)like->dtype, (unsigned)like->access, like->tensor);
}

static void call_write(struct common_text *text, const struct aie_kernel_files_args *args, uint32_t f, const struct aie_function *function, uint64_t workspace)
{
	const struct aie_lowered *lowered = args->lowered;
	const struct base_walk_task *task = &args->walk->tasks[lowered->tasks[f]];
	uint32_t kernel = lowered->kernels[f], tensors = task->tensor_count, scalars = function->type->inputs - task->tensor_count;

	common_text_add(text, "\nvoid call_%" PRIu32 "(", f);
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
			"\tstruct ptowsp_task task = {.head = PTOWSP_HEAD(task, TASK), .args = args, .tensors = windows, .arg_count = %" PRIu32
			", .tensor_count = %" PRIu32 ",\n"
			"\t\t.tensor_stride = sizeof(*windows), .kernel = %" PRIu32 ", .process = PTOWSP_NONE, .block_count = %" PRIu32
			", .workspace = tiles, .workspace_size = %" PRIu64 "};\n\n"
			"\tfor (; task.block < task.block_count; task.block++)\n\t\tif (ptowsp_kernel_%" PRIu32 "(&task, &out))\n\t\t\tstop();\n}\n",
			scalars, tensors, kernel, args->kernels->rows[kernel].blocks ? args->kernels->rows[kernel].blocks : 1, workspace, kernel);
}

/* ---- a kernel ----------------------------------------------------------------------------------------------------------- */

/* What all its functions stand on. */
static ptowsp_status kernel_write(struct common_text *text, const struct base_kernel *row, uint32_t kernel, struct ptowsp_error *error)
{
	char symbol[32], *code = NULL;
	size_t size;
	ptowsp_status status;

	snprintf(symbol, sizeof(symbol), "ptowsp_kernel_%" PRIu32, kernel);
	status = isa_emit(row->isa, &isa_emit_targets[0], symbol, &code, &size, error);
	if (status)
		return status;
	common_text_put(text, "/* A kernel, and what a design calls of it: functions that call it as ptowsp/task.h has it. Made by ptowsp. */\n");
	common_text_put(text, quiet);
	common_text_put(text, code);
	common_text_put(text, still);
	free(code);
	return PTOWSP_OK;
}

/* All functions of the kernel that function `first` is the first one of. */
static ptowsp_status file_make(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, uint32_t first, struct ptowsp_error *error)
{
	const struct aie_lowered *lowered = args->lowered;
	const struct base_kernel *row = row_of(args, first);
	struct common_text text = {0};
	char name[AIE_FILE_NAME];
	uint64_t workspace = 0;
	ptowsp_status status = isa_emit_workspace(row->isa, &workspace, error);

	if (!status)
		status = kernel_write(&text, row, lowered->kernels[first], error);
	for (uint32_t f = first; !status && f < lowered->function_count; f++)
		if (lowered->kernels[f] == lowered->kernels[first])
			call_write(&text, args, f, &args->design->functions[f], workspace);
	if (!status && !name_make(name, &args->design->functions[first]))
		status = rt_fail(error, PTOWSP_UNSUPPORTED, "function %.60s of the design is linked with no object file; report this with the package",
				 lowered->functions[first]);
	if (!status && text.failed)
		status = rt_no_memory(error, "a kernel's source");
	if (status)
		common_text_finish(&text);
	else if (!file_add(files, name, text.bytes))
		status = rt_no_memory(error, "a kernel's source");
	return status;
}

/* ---- headers ------------------------------------------------------------------------------------------------------------ */

/* What stands beside kernels and not below them is for other targets. */
static bool is_needed(const struct isa_text *header)
{
	return !strstr(header->path, "cuda") && !strstr(header->path, "ascend");
}

static bool headers_add(struct aie_kernel_files *files, const struct isa_text *headers)
{
	static const char own[] = "aie/";

	for (const struct isa_text *header = headers; header->path; header++) {
		const char *path = strncmp(header->path, own, sizeof(own) - 1) ? header->path : header->path + sizeof(own) - 1;
		struct common_text text = {0};

		if (!is_needed(header))
			continue;
		for (const char *const *line = header->lines; *line; line++)
			common_text_put(&text, *line);
		if (text.failed) {
			common_text_finish(&text);
			return false;
		}
		if (!file_add(files, path, text.bytes))
			return false;
	}
	return true;
}

/* written: per kernel, those of the package and behind them one for all others. */
static ptowsp_status kernels_add(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, bool *written, struct ptowsp_error *error)
{
	const struct aie_lowered *lowered = args->lowered;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t f = 0; !status && f < lowered->function_count; f++) {
		const struct base_kernel *row = row_of(args, f);
		bool *is_written = &written[row ? lowered->kernels[f] : args->kernels->count];

		if (*is_written)
			continue;
		*is_written = true;
		if (row && row->isa)
			status = file_make(files, args, f, error);
		else if (args->all)
			status = rt_fail(error, PTOWSP_UNSUPPORTED,
					 "kernel %.60s has no portable code, and engine=device has no other for a core; give it a body, or take engine=array",
					 row ? row->name : "copy");
	}
	files->kernel_count = files->count;
	return status;
}

ptowsp_status aie_kernel_files_make(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, struct ptowsp_error *error)
{
	bool *written = calloc((size_t)args->kernels->count + 1, sizeof(*written));
	ptowsp_status status = written ? PTOWSP_OK : rt_no_memory(error, "kernels of a design as files");

	aie_kernel_files_finish(files);
	if (!status)
		status = kernels_add(files, args, written, error);
	if (!status && files->count && !(headers_add(files, isa_emit_headers) && headers_add(files, aie_bare_headers)))
		status = rt_no_memory(error, "the headers of kernels");
	if (status)
		aie_kernel_files_finish(files);
	free(written);
	return status;
}

void aie_kernel_files_finish(struct aie_kernel_files *files)
{
	for (uint32_t f = 0; f < files->count; f++)
		free(files->files[f].text);
	free(files->files);
	memset(files, 0, sizeof(*files));
}
