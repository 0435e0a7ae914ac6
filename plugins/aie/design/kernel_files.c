/* SPDX-License-Identifier: MIT */
#include "aie/design/kernel_files.h"

#include "aie/design/kernel_object.h"
#include "isa/emit/emit.h"
#include "isa/emit/emit_core.h"
#include "registry/common/common_grow.h"
#include "registry/common/common_text.h"
#include "rt/program/rt_error.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct isa_text aie_bare_headers[]; /* made of bare/ */

/* Takes the text; false: no memory, and the text is freed. */
static bool file_add(struct aie_kernel_files *files, const char *name, char *text, size_t size)
{
	if (!text || !COMMON_GROW(files->files, files->room, files->count)) {
		free(text);
		return false;
	}
	snprintf(files->files[files->count].name, sizeof(files->files[0].name), "%s", name);
	files->files[files->count].size = size;
	files->files[files->count++].text = text;
	return true;
}

static const struct base_kernel *row_of(const struct aie_kernel_files_args *args, uint32_t f)
{
	const uint32_t kernel = args->lowered->kernels[f];

	return kernel < args->kernels->count ? &args->kernels->rows[kernel] : NULL;
}

/* The object of a function, or the C that becomes it: another last letter; false: it is linked with none. */
static bool name_make(char name_out[AIE_FILE_NAME], const struct aie_function *function, char last)
{
	const struct aie_attr *object = aie_attr_of(function->op, "link_with");
	const int length = object && object->kind == AIE_ATTR_STRING ? (int)strlen(object->text) - 2 : 0;

	return length > 0 && snprintf(name_out, AIE_FILE_NAME, "%.*s.%c", length, object->text, last) < AIE_FILE_NAME;
}

/* ---- a kernel ----------------------------------------------------------------------------------------------------------- */

static struct isa_core_window window_of(const struct aie_function *function, uint32_t argument)
{
	const struct aie_view view = aie_function_view(function, argument);

	return (struct isa_core_window){view.rows, view.columns, view.stride, view.before, aie_function_shared(function, argument)};
}

/* windows_out: per argument. */
static struct isa_core_function core_of(const struct aie_kernel_files_args *args, uint32_t f, struct isa_core_window *windows_out)
{
	const struct base_walk_task *task = &args->walk->tasks[args->lowered->tasks[f]];
	const struct aie_function *function = &args->design->functions[f];
	const struct base_kernel *row = row_of(args, f);

	for (uint32_t i = 0; i < task->tensor_count; i++)
		windows_out[i] = window_of(function, i);
	return (struct isa_core_function){.symbol = function->name,
					  .windows = windows_out,
					  .tensors = task->tensor_count,
					  .scalars = function->type->inputs - task->tensor_count,
					  .blocks = row->blocks ? row->blocks : 1,
					  .parts = row->parts};
}

static bool windows_same(const struct isa_core_window *a, const struct isa_core_window *b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (a[i].rows != b[i].rows || a[i].columns != b[i].columns || a[i].stride != b[i].stride || a[i].before != b[i].before ||
		    a[i].same != b[i].same)
			return false;
	return true;
}

/* The name of the function that a file has already and that works on whole tiles in place of the parts of function f; false: there is none. */
static bool whole_find(char name_out[AIE_FILE_NAME], const struct aie_kernel_files_args *args, uint32_t f)
{
	struct isa_core_window windows[2][AIE_MOST_TENSORS], whole[2][AIE_MOST_TENSORS];
	const struct isa_core_function core = core_of(args, f, windows[0]);
	const struct isa_program *program = row_of(args, f)->isa;

	isa_core_whole(program, &core, whole[0]);
	for (uint32_t k = 0; k < f; k++) {
		struct isa_core_function other;
		bool parts;

		if (args->lowered->kernels[k] != args->lowered->kernels[f])
			continue;
		other = core_of(args, k, windows[1]);
		parts = isa_core_whole(program, &other, whole[1]);
		if (other.tensors == core.tensors && other.scalars == core.scalars && windows_same(whole[0], whole[1], core.tensors))
			return snprintf(name_out, AIE_FILE_NAME, parts ? ISA_CORE_WHOLE : "%s", other.symbol) < AIE_FILE_NAME;
	}
	return false;
}

/* A function of the design: products that are not there yet, and behind `text` the function. */
static ptowsp_status function_write(struct common_text *products, struct common_text *text, const struct aie_kernel_files_args *args, uint32_t f,
				    struct ptowsp_error *error)
{
	struct isa_core_window windows[AIE_MOST_TENSORS];
	struct isa_core_function core = core_of(args, f, windows);
	char *lines = NULL, *code = NULL, whole[AIE_FILE_NAME];
	uint64_t memory;
	ptowsp_status status;

	if (core.parts && whole_find(whole, args, f))
		core.whole = whole;
	status = isa_emit_core(row_of(args, f)->isa, &core, &lines, &code, &memory, error);
	for (char *line = lines, *next; !status && line && *line; line = next) {
		next = strchr(line, '\n') + 1;
		next[-1] = '\0';
		if (!strstr(common_text_view(products), line))
			common_text_add(products, "%s\n", line);
	}
	if (!status)
		common_text_add(text, "\n%s", code);
	free(lines);
	free(code);
	return status;
}

/* All functions of the kernel that function `first` is the first one of. */
static ptowsp_status file_make(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, uint32_t first, struct ptowsp_error *error)
{
	const struct aie_lowered *lowered = args->lowered;
	struct common_text text = {0}, functions = {0};
	char name[AIE_FILE_NAME];
	ptowsp_status status = PTOWSP_OK;

	common_text_put(&text, "/* A kernel, as a design calls it. Each statement stands behind the instruction that it is made of. Made by ptowsp. */\n"
			       "#include \"isa/kernel_core.h\"\n\n");
	for (uint32_t f = first; !status && f < lowered->function_count; f++)
		if (lowered->kernels[f] == lowered->kernels[first])
			status = function_write(&text, &functions, args, f, error);
	common_text_put(&text, common_text_view(&functions));
	if (!status && !name_make(name, &args->design->functions[first], 'c'))
		status = rt_fail(error, PTOWSP_UNSUPPORTED, "function %.60s of the design is linked with no object file; report this with the package",
				 lowered->functions[first]);
	if (!status && (text.failed || functions.failed))
		status = rt_no_memory(error, "a kernel's source");
	common_text_finish(&functions);
	if (status)
		common_text_finish(&text);
	else if (!file_add(files, name, text.bytes, text.length))
		status = rt_no_memory(error, "a kernel's source");
	return status;
}

static ptowsp_status object_take(struct aie_kernel_files *files, const struct aie_function *function, const struct aie_kernel_object *object,
				 struct ptowsp_error *error)
{
	char name[AIE_FILE_NAME], *bytes;
	size_t size;
	ptowsp_status status = aie_kernel_object_read(object, &bytes, &size, error);

	if (!status && !(name_make(name, function, 'o') && file_add(files, name, bytes, size)))
		status = rt_no_memory(error, "an object file");
	return status;
}

/* ---- headers ------------------------------------------------------------------------------------------------------------ */

/* Headers beside kernels and not below them are for other targets. */
static bool is_needed(const struct isa_text *header)
{
	static const char *const others[] = {"cuda", "ascend", "product", "kernel.h", "kernel_tile", "tile_part"};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (strstr(header->path, others[i]))
			return false;
	return true;
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
		if (!file_add(files, path, text.bytes, text.length))
			return false;
	}
	return true;
}

/* The file of a kernel, which function f is the first one of: C, or else an object that the user has. */
static ptowsp_status kernel_add(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, uint32_t f, bool object, struct ptowsp_error *error)
{
	const struct base_kernel *row = row_of(args, f);
	const struct aie_kernel_object *own = row && row - args->kernels->rows < args->object_count ? &args->objects[row - args->kernels->rows] : NULL;
	const bool is_own = own && aie_kernel_object_is(own);

	if (is_own != object)
		return PTOWSP_OK;
	if (is_own)
		return object_take(files, &args->design->functions[f], own, error);
	if (row && row->isa)
		return file_make(files, args, f, error);
	return args->all ? rt_fail(error, PTOWSP_UNSUPPORTED,
				   "kernel %.60s has no portable code, and engine=device has no other for a core; give it a body, an object (an image, --opt "
				   "objects), "
				   "or take engine=array",
				   row ? row->name : "copy")
			 : PTOWSP_OK;
}

/* written: per kernel, those of the package and behind them one for all others; all false. */
static ptowsp_status kernels_add(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, bool *written, bool object,
				 struct ptowsp_error *error)
{
	const struct aie_lowered *lowered = args->lowered;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t f = 0; !status && f < lowered->function_count; f++) {
		bool *is_written = &written[row_of(args, f) ? lowered->kernels[f] : args->kernels->count];

		if (!*is_written)
			status = kernel_add(files, args, f, object, error);
		*is_written = true;
	}
	return status;
}

ptowsp_status aie_kernel_files_make(struct aie_kernel_files *files, const struct aie_kernel_files_args *args, struct ptowsp_error *error)
{
	bool *written = calloc((size_t)args->kernels->count + 1, sizeof(*written));
	ptowsp_status status = written ? PTOWSP_OK : rt_no_memory(error, "kernels of a design as files");

	aie_kernel_files_finish(files);
	if (!status)
		status = kernels_add(files, args, written, false, error);
	files->kernel_count = files->count;
	if (!status) {
		memset(written, 0, ((size_t)args->kernels->count + 1) * sizeof(*written));
		status = kernels_add(files, args, written, true, error);
	}
	files->object_count = files->count - files->kernel_count;
	if (!status && files->kernel_count && !(headers_add(files, isa_emit_headers) && headers_add(files, aie_bare_headers)))
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
