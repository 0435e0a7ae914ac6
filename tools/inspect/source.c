/* SPDX-License-Identifier: MIT */
/* source.c - a package as source text, packed again to see that it is the same one. */
#include "tools/inspect/inspect.h"

#include "format/fail.h"
#include "format/format_file.h"
#include "format/format_plain.h"
#include "print/print.h"
#include "registry/common/common_dtype.h"
#include "registry/names.h"
#include "registry/npy.h"
#include "tools/entries.h"
#include "tools/output.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The text of a package that has source; UNSUPPORTED or MISMATCH with the text as well. */
static ptowsp_status plain_text_make(struct pkg *package, const struct print_files *files, char **text_out, struct ptowsp_error *error)
{
	struct pkg_code *code;
	uint32_t inexpressible = 0;
	ptowsp_status status = entries_code(&code, package, error);

	*text_out = NULL;
	if (!status)
		status = print_source(code, files, text_out, &inexpressible, error);
	pkg_code_close(code);
	if (status)
		return status;
	if (inexpressible)
		return pkg_fail(error, PTOWSP_UNSUPPORTED, "the language cannot say %lu thing%s of this package, see the comment lines",
				(unsigned long)inexpressible, inexpressible == 1 ? "" : "s");
	return print_compare(package, *text_out, files, error);
}

/* The text with a line in front of it. */
static ptowsp_status line_add(char **text, const char *line, struct ptowsp_error *error)
{
	char *longer;

	if (asprintf(&longer, "%s%s", line, *text) < 0)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "no memory for the text");
	free(*text);
	*text = longer;
	return PTOWSP_OK;
}

/* Native code that was made of the portable kernels is no source: the text is that of the package without it. */
static ptowsp_status text_make(struct pkg *package, const struct print_files *files, char **text_out, struct ptowsp_error *error)
{
	struct pkg *plain;
	void *bytes;
	ptowsp_status status = pkg_plain_make(package, &plain, &bytes, error), added = PTOWSP_OK;

	*text_out = NULL;
	if (!status)
		status = plain_text_make(plain ? plain : package, files, text_out, error);
	if (plain && *text_out)
		added = line_add(text_out, "// Native code is left out: ptowsp-pack --native makes it again.\n", error);
	pkg_close(plain);
	free(bytes);
	return added ? added : status;
}

ptowsp_status inspect_source(struct pkg *package, FILE *to, struct ptowsp_error *error)
{
	char *text;
	ptowsp_status status = text_make(package, NULL, &text, error);

	if (text)
		fputs(text, to);
	free(text);
	return status;
}

/* ---- a source with files beside it ---- */

struct save {
	const char *stem, *base; /* path of the source without its ending, and where its name begins in it */
	char *name, *path;       /* owned: of the file at hand, as the source calls it, and with its folder */
	uint32_t files;
};

static ptowsp_status path_set(struct save *save, const char *name, struct ptowsp_error *error)
{
	free(save->path);
	if (asprintf(&save->path, "%.*s%s", (int)(save->base - save->stem), save->stem, name) >= 0)
		return PTOWSP_OK;
	save->path = NULL;
	return pkg_fail(error, PTOWSP_NO_MEMORY, "no memory for a path");
}

/* Named by the tensor, or by a number, which no tensor is called, where that is longer than names of files may be. To be freed. */
static char *data_name(const struct save *save, const struct print_data *data)
{
	const char *ending = data->expected ? ".expected" : "";
	char *name;

	if (strlen(save->base) + strlen(data->tensor) + strlen(ending) + strlen("..npy") <= NAME_MAX)
		return asprintf(&name, "%s.%s%s.npy", save->base, data->tensor, ending) < 0 ? NULL : name;
	return asprintf(&name, "%s.%u%s.npy", save->base, save->files, ending) < 0 ? NULL : name;
}

static ptowsp_status data_write(void *context, const struct print_data *data, const char **name_out, struct ptowsp_error *error)
{
	struct save *save = context;
	char header[NPY_HEADER];
	ptowsp_status status;

	free(save->name);
	save->name = data_name(save, data);
	if (!save->name)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "no memory for a name");
	*name_out = save->name;
	status = path_set(save, save->name, error);
	if (!status)
		status = output_save(save->path, header, npy_header(header, data->dtype->code, data->rank, data->extents), data->bytes, (size_t)data->size,
				     error);
	save->files += !status;
	return status;
}

static ptowsp_status data_read(void *context, uint32_t source, const char *name, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	struct save *save = context;
	ptowsp_status status = path_set(save, name, error);

	(void)source;
	*bytes_out = NULL;
	return status ? status : pkg_file_load(save->path, PKG_FILE_NAMED, bytes_out, size_out, error);
}

static uint32_t lines_of(const char *text)
{
	uint32_t lines = 0;

	for (; (text = strchr(text, '\n')); text++)
		lines++;
	return lines;
}

ptowsp_status inspect_source_save(struct pkg *package, const char *stem, uint32_t *lines_out, uint32_t *files_out, struct ptowsp_error *error)
{
	const char *slash = strrchr(stem, '/');
	struct save save = {.stem = stem, .base = slash ? slash + 1 : stem};
	const struct print_files files = {&save, data_write, data_read};
	struct ptowsp_error why = {.code = PTOWSP_OK};
	char *text, *path = NULL;
	ptowsp_status status = text_make(package, &files, &text, error);

	*lines_out = 0;
	if (text && asprintf(&path, "%s.pto", stem) < 0) {
		path = NULL;
		status = pkg_fail(error, PTOWSP_NO_MEMORY, "no memory for a path");
	}
	if (path && output_save(path, NULL, 0, text, strlen(text), &why)) {
		*error = why;
		status = why.code;
	} else if (path) {
		*lines_out = lines_of(text);
	}
	*files_out = save.files;
	free(save.name);
	free(save.path);
	free(path);
	free(text);
	return status;
}
