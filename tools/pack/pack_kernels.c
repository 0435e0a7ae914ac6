/* SPDX-License-Identifier: MIT */
/* pack_kernels.c - portable kernels of a package as source text, and those as files. */
#include "tools/pack/pack_kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/text.h"

/* A kernel that cannot run is no error: it stays what it is. */
static ptowsp_status kernel_emit(struct pack_kernel *k, const struct print_function *function, const struct pkg_tables *t, const struct isa_emit_target *target,
				 struct ptowsp_error *error)
{
	const struct ptowsp_payload_record *payload = &t->payload[function->payload];
	struct isa_program *program;
	ptowsp_status status = isa_program_create(&program, t->code + payload->offset, payload->size, t->strings, t->strings_size, error);

	if (status)
		return status;
	status = isa_emit(program, target, function->name, &k->text, &k->size, error);
	if (!status)
		status = isa_emit_workspace(program, target, &k->workspace, error);
	else if (status == PTOWSP_UNSUPPORTED)
		fprintf(stderr, "ptowsp-pack: kernel %.80s stays portable only: %s\n", pkg_string(t, t->kernel[function->kernel].name), error->text);
	isa_program_destroy(program);
	return status == PTOWSP_UNSUPPORTED ? PTOWSP_OK : status;
}

ptowsp_status pack_kernels_emit(struct pack_kernels *list, const struct pkg_tables *t, const struct isa_emit_target *target, struct ptowsp_error *error)
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

static ptowsp_status header_add(struct emitted *files, const struct isa_text *header, struct ptowsp_error *error)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	ptowsp_status status;

	for (const char *const *line = header->lines; memory && *line; line++)
		fputs(*line, memory);
	if (!memory || fclose(memory))
		status = reg_fail(error, PTOWSP_NO_MEMORY, "no memory to write %.160s", header->path);
	else
		status = emitted_add(files, header->path, text, size, error);
	free(text);
	return status;
}

ptowsp_status pack_headers_add(struct emitted *files, const struct isa_text *headers, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (const struct isa_text *header = headers; header->path && !status; header++)
		status = header_add(files, header, error);
	return status;
}

ptowsp_status pack_source_add(struct emitted *files, const char *name, const char *extension, const char *text, size_t size, struct ptowsp_error *error)
{
	ptowsp_status status;
	char *path;

	if (asprintf(&path, "%s.%s", name, extension) < 0)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to write %.80s", name);
	status = emitted_add(files, path, text, size, error);
	free(path);
	return status;
}

ptowsp_status pack_kernels_add(struct emitted *files, const struct pack_kernels *list, const struct isa_emit_target *target, struct ptowsp_error *error)
{
	ptowsp_status status = pack_headers_add(files, isa_emit_headers, error);

	for (uint32_t i = 0; i < list->functions.count && !status; i++)
		if (list->rows[i].text)
			status = pack_source_add(files, list->functions.rows[i].name, target->extension, list->rows[i].text, list->rows[i].size, error);
	return status;
}
