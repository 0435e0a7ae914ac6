/* SPDX-License-Identifier: MIT */
#include "aie/design/kernel_object.h"

#include "rt/program/rt_error.h"
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

bool aie_kernel_object_find(const char *text, const char *kernel, char path_out[BASE_TEXT])
{
	struct part part;

	while (*text && part_read(&text, &part))
		if (!strcmp(part.kernel, kernel)) {
			memcpy(path_out, part.path, sizeof(part.path));
			return true;
		}
	return false;
}

ptowsp_status aie_kernel_objects_check(const char *text, const struct base_kernels *kernels, struct ptowsp_error *error)
{
	struct part part;

	while (*text) {
		const char *from = text;
		uint32_t k = 0;

		if (!part_read(&text, &part))
			return rt_fail(error, PTOWSP_INVALID, "--opt objects=%.60s: an object is KERNEL=FILE, several have semicolons between them", from);
		while (k < kernels->count && strcmp(kernels->rows[k].name, part.kernel) != 0)
			k++;
		if (k == kernels->count)
			return rt_fail(error, PTOWSP_INVALID, "--opt objects=%.60s: the package has no kernel %.95s; ptowsp-inspect lists them", from,
				       part.kernel);
	}
	return PTOWSP_OK;
}

/* Of at most MOST bytes and one more, which says that there are too many. */
static ptowsp_status whole_read(FILE *file, const char *path, char **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	static const char magic[] = "\177ELF";
	char *bytes = malloc(MOST + 1);

	if (!bytes)
		return rt_no_memory(error, "an object file");
	*size_out = fread(bytes, 1, MOST + 1, file);
	*bytes_out = bytes;
	if (ferror(file))
		return rt_fail(error, PTOWSP_IO, "%.120s cannot be read", path);
	if (*size_out > MOST)
		return rt_fail(error, PTOWSP_TOO_BIG, "%.120s has more than %d bytes, and a core 16384 of program memory", path, MOST);
	if (*size_out < sizeof(magic) || memcmp(bytes, magic, sizeof(magic) - 1) != 0)
		return rt_fail(error, PTOWSP_INVALID, "%.120s is no object file", path);
	return PTOWSP_OK;
}

ptowsp_status aie_kernel_object_read(const char *path, char **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	FILE *file = fopen(path, "rb");
	ptowsp_status status;

	*bytes_out = NULL;
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
