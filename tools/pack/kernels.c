/* SPDX-License-Identifier: MIT */
/* kernels.c - portable kernels of a package as source text, and those as files. */
#include "tools/pack/kernels.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "registry/text.h"
#include "tools/folder.h"
#include "tools/output.h"

/* A kernel that cannot run is no error: it stays what it is. */
static ptowsp_status kernel_emit(struct pack_kernel *k, const struct print_function *function, const struct pkg_tables *t,
				 const struct isa_emit_target *target, struct ptowsp_error *error)
{
	const struct ptowsp_payload_record *payload = &t->payload[function->payload];
	struct isa_program *program;
	ptowsp_status status =
		isa_program_create(&program, t->code + payload->offset, payload->size, t->strings, t->strings_size, error);

	if (status)
		return status;
	status = isa_emit(program, target, function->name, &k->text, &k->size, error);
	if (!status)
		status = isa_emit_workspace(program, &k->workspace, error);
	else if (status == PTOWSP_UNSUPPORTED)
		fprintf(stderr, "ptowsp-pack: kernel %.80s stays portable only: %s\n", pkg_string(t, t->kernel[function->kernel].name), error->text);
	isa_program_destroy(program);
	return status == PTOWSP_UNSUPPORTED ? PTOWSP_OK : status;
}

ptowsp_status pack_kernels_emit(struct pack_kernels *list, const struct pkg_tables *t, const struct isa_emit_target *target,
				struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	memset(list, 0, sizeof(*list));
	if (print_functions_make(&list->functions, t))
		list->rows = calloc(list->functions.count + 1u, sizeof(*list->rows));
	if (!list->rows)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the kernels");
	for (uint32_t i = 0; i < list->functions.count && !status; i++) {
		const struct print_function *function = &list->functions.rows[i];

		if (function->payload == PTOWSP_NONE)
			continue;
		status = kernel_emit(&list->rows[i], function, t, target, error);
		list->emitted += list->rows[i].text != NULL;
	}
	return status;
}

void pack_kernels_finish(struct pack_kernels *list)
{
	for (uint32_t i = 0; list->rows && i < list->functions.count; i++)
		free(list->rows[i].text);
	free(list->rows);
	print_functions_finish(&list->functions);
	memset(list, 0, sizeof(*list));
}

/* --- files --- */

static ptowsp_status file_write(const char *path, const char *text, size_t size, const char *const *lines, struct ptowsp_error *error)
{
	struct output output = {0};
	ptowsp_status status = output_open(&output, path, error);

	if (!status) {
		if (text)
			fwrite(text, 1, size, output.file);
		for (; lines && *lines; lines++)
			fputs(*lines, output.file);
		status = output_finish(&output, error);
	}
	if (!status)
		status = output_publish(&output, error);
	output_drop(&output);
	return status;
}

/* "isa/kernel.h" below the folder. */
static ptowsp_status header_write(const char *folder, const struct isa_text *header, struct ptowsp_error *error)
{
	const int below = (int)(strrchr(header->path, '/') - header->path);
	char *path = NULL;
	ptowsp_status status = PTOWSP_NO_MEMORY;

	if (asprintf(&path, "%s/%.*s", folder, below, header->path) >= 0) {
		status = folder_make(path, error);
		free(path);
		path = NULL;
	}
	if (!status && asprintf(&path, "%s/%s", folder, header->path) < 0)
		status = PTOWSP_NO_MEMORY;
	if (!status)
		status = file_write(path, NULL, 0, header->lines, error);
	free(path);
	return status == PTOWSP_NO_MEMORY ? reg_fail(error, status, "no memory to write %.160s", header->path) : status;
}

ptowsp_status pack_headers_write(const struct isa_text *headers, const char *folder, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (const struct isa_text *header = headers; header->path && !status; header++)
		status = header_write(folder, header, error);
	return status;
}

ptowsp_status pack_kernels_write(const struct pack_kernels *list, const struct isa_emit_target *target, const char *folder,
				 struct ptowsp_error *error)
{
	ptowsp_status status = folder_make(folder, error);

	if (!status)
		status = pack_headers_write(isa_emit_headers, folder, error);
	for (uint32_t i = 0; i < list->functions.count && !status; i++) {
		const char *name = list->functions.rows[i].name;
		char *path;

		if (!list->rows[i].text)
			continue;
		if (asprintf(&path, "%s/%s.%s", folder, name, target->extension) < 0)
			return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to write %.80s", name);
		status = file_write(path, list->rows[i].text, list->rows[i].size, NULL, error);
		free(path);
	}
	return status;
}
