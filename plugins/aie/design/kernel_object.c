/* SPDX-License-Identifier: MIT */
#include "aie/design/kernel_object.h"

#include "base/sections.h"
#include "rt/program/rt_error.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNEL = 96, MOST = 16 << 20 };
struct part {
	char kernel[KERNEL], path[BASE_TEXT];
};

/* The next one; *at behind it and its semicolon. */
static bool part_read(const char **at, struct part *part)
{
	int length = 0;

	if (sscanf(*at, "%95[^=;]=%1023[^;]%n", part->kernel, part->path, &length) != 2 || !length)
		return false;
	*at += length;
	if (**at && **at != ';')
		return false;
	*at += **at == ';';
	return true;
}

static const char magic[] = "\177ELF";

static bool is_object(const void *bytes, uint64_t size)
{
	return size >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic) - 1);
}

/* ---- of the option ---------------------------------------------------------------------------------------------------------- */

static ptowsp_status parts_take(struct aie_kernel_object *rows, const struct aie_kernel_objects_args *args, struct ptowsp_error *error)
{
	const struct base_kernels *kernels = args->kernels;
	struct part part;
	ptowsp_status status;
	char *bytes;
	size_t size;

	for (const char *text = args->text; *text;) {
		const char *from = text;
		uint32_t k = 0;

		if (!part_read(&text, &part))
			return rt_fail(error, PTOWSP_INVALID, "--opt objects=%.60s: an object is KERNEL=FILE, several have semicolons between them", from);
		while (k < kernels->count && strcmp(kernels->rows[k].name, part.kernel) != 0)
			k++;
		if (k == kernels->count)
			return rt_fail(error, PTOWSP_INVALID, "--opt objects=%.60s: the package has no kernel %.95s; ptowsp-inspect lists them", from,
				       part.kernel);
		free(rows[k].path);
		rows[k] = (struct aie_kernel_object){.entry = "", .path = strdup(part.path)};
		if (!rows[k].path)
			return rt_no_memory(error, "objects of kernels");
		status = aie_kernel_object_read(&rows[k], &bytes, &size, error); /* whoever uses it reads it again; one that is none is said at once */
		free(bytes);
		if (status)
			return status;
	}
	return PTOWSP_OK;
}

/* ---- of the package --------------------------------------------------------------------------------------------------------- */

/* An object is for one sort of core: what has both is called by the sort, or by a device that has it. */
static bool is_for(const char *target, const struct aie_arch *arch)
{
	static const char *const names[][3] = {{"aie2", "npu1", "xdna1"}, {"aie2p", "npu2", "xdna2"}};
	const char *const *own = names[strcmp(arch->generation->name, "AIE2") != 0];

	return !strcmp(target, own[0]) || !strcmp(target, own[1]) || !strcmp(target, own[2]);
}

static bool is_symbol(const char *text)
{
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && *text != '_')
			return false;
	return true;
}

static ptowsp_status image_take(struct aie_kernel_object *row, const struct ptowsp_payload_record *payload, const struct aie_kernel_objects_args *args,
				const char *kernel, struct ptowsp_error *error)
{
	ptowsp_status status = base_sections_code(args->sections, payload->offset, payload->size, &row->bytes, error);

	row->size = payload->size;
	row->entry = base_sections_string(args->sections, payload->entry);
	row->cycles = payload->cycles;
	if (!status && !is_object(row->bytes, row->size))
		status = rt_fail(error, PTOWSP_BAD_PACKAGE, "kernel %.60s: its image for %.20s is no object file", kernel,
				 base_sections_string(args->sections, payload->target));
	if (!status && !is_symbol(row->entry))
		status = rt_fail(error, PTOWSP_BAD_PACKAGE, "kernel %.60s: its image's entry \"%.60s\" is no name of a C function", kernel, row->entry);
	if (!status && row->size > MOST)
		status = rt_fail(error, PTOWSP_TOO_BIG, "kernel %.60s: its image has more than %d bytes, and a core 16384 of program memory", kernel, MOST);
	return status;
}

/* The first of its images that is for these cores. */
static ptowsp_status image_find(struct aie_kernel_object *row, const struct aie_kernel_objects_args *args, uint32_t kernel, struct ptowsp_error *error)
{
	struct ptowsp_kernel_record record;
	struct ptowsp_payload_record payload;
	ptowsp_status status = base_sections_row(&args->sections->kreg, kernel, &record, sizeof(record), error);

	for (uint32_t p = 0; !status && !row->bytes && p < record.payload_count; p++) {
		status = base_sections_row(&args->sections->kpay, (uint64_t)record.payloads + p, &payload, sizeof(payload), error);
		if (!status && payload.kind == PTOWSP_PAYLOAD_IMAGE && is_for(base_sections_string(args->sections, payload.target), args->arch))
			status = image_take(row, &payload, args, args->kernels->rows[kernel].name, error);
	}
	return status;
}

ptowsp_status aie_kernel_objects_make(struct aie_kernel_object **rows_out, const struct aie_kernel_objects_args *args, struct ptowsp_error *error)
{
	struct aie_kernel_object *rows = *rows_out = calloc((size_t)args->kernels->count + 1, sizeof(*rows));
	ptowsp_status status = rows ? PTOWSP_OK : rt_no_memory(error, "objects of kernels");

	for (uint32_t k = 0; !status && k < args->kernels->count; k++) {
		rows[k].entry = "";
		if (args->trusted)
			status = image_find(&rows[k], args, k, error);
	}
	return status ? status : parts_take(rows, args, error);
}

void aie_kernel_objects_free(struct aie_kernel_object *rows, const struct base_kernels *kernels)
{
	for (uint32_t k = 0; rows && k < kernels->count; k++)
		free(rows[k].path);
	free(rows);
}

/* ---- bytes ------------------------------------------------------------------------------------------------------------------ */

/* Reads at most MOST bytes and one more, which says that there are too many. */
static ptowsp_status whole_read(FILE *file, const char *path, char **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	char *bytes = malloc(MOST + 1);

	if (!bytes)
		return rt_no_memory(error, "an object file");
	*size_out = fread(bytes, 1, MOST + 1, file);
	*bytes_out = bytes;
	if (ferror(file))
		return rt_fail(error, PTOWSP_IO, "%.120s cannot be read", path);
	if (*size_out > MOST)
		return rt_fail(error, PTOWSP_TOO_BIG, "%.120s has more than %d bytes, and a core 16384 of program memory", path, MOST);
	return is_object(bytes, *size_out) ? PTOWSP_OK : rt_fail(error, PTOWSP_INVALID, "%.120s is no object file", path);
}

static ptowsp_status file_read(const char *path, char **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	FILE *file = fopen(path, "rb");
	ptowsp_status status;

	if (!file)
		return rt_fail(error, PTOWSP_IO, "%.120s cannot be read: %s", path, strerror(errno));
	status = whole_read(file, path, bytes_out, size_out, error);
	fclose(file);
	if (status) {
		free(*bytes_out);
		*bytes_out = NULL;
	}
	return status;
}

ptowsp_status aie_kernel_object_read(const struct aie_kernel_object *object, char **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	*bytes_out = NULL;
	if (object->path)
		return file_read(object->path, bytes_out, size_out, error);
	*bytes_out = malloc(object->size);
	if (!*bytes_out)
		return rt_no_memory(error, "an object file");
	memcpy(*bytes_out, object->bytes, object->size);
	*size_out = object->size;
	return PTOWSP_OK;
}
