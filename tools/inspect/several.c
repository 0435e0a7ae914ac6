/* SPDX-License-Identifier: MIT */
/* several.c - several packages: a line each, a source each, or one program of all. */
#include "tools/inspect/inspect.h"

#include "format/fail.h"
#include "registry/names.h"
#include "tools/columns.h"
#include "tools/entries.h"
#include "tools/folder.h"
#include "tools/plain.h"

#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- lines ---- */

#define LINE_SCHEMA "ptowsp.inspected/1"

static void columns_line(struct columns *columns, const struct pkg *package, const char *path)
{
	const struct pkg_tables *t = pkg_tables(package);
	const char *version = pkg_meta(package, "version");
	uint32_t targets;
	const char *const *target = pkg_targets(package, &targets);

	columns_add(columns, "%.60s\t%.20s\t%llu\t%u\t%u\t%u\t%.60s%s\t%.400s", pkg_name(package), version && *version ? version : "-",
		    (unsigned long long)pkg_file_size(package), (unsigned)t->entry_count, (unsigned)t->kernel_count, (unsigned)t->tensor_count,
		    targets ? target[0] : "any", targets > 1 ? ", ..." : "", path);
}

static json_t *package_object(const struct pkg *package, const char *path)
{
	const struct pkg_tables *t = pkg_tables(package);
	const char *version = pkg_meta(package, "version");
	char digest[65];
	uint32_t count;
	const char *const *targets = pkg_targets(package, &count);
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list, plain_json(targets[i]));
	for (int i = 0; i < 32; i++)
		snprintf(digest + 2 * i, 3, "%02x", pkg_digest(package)[i]);
	return json_pack("{s:o, s:s, s:o, s:o, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:s}", "file", plain_json(path), "status", "OK", "name",
			 plain_json(pkg_name(package)), "version", plain_json(version ? version : ""), "digest", digest, "bytes",
			 (json_int_t)pkg_file_size(package), "entries", (json_int_t)t->entry_count, "kernels", (json_int_t)t->kernel_count, "tensors",
			 (json_int_t)t->tensor_count, "targets", list, "tile_memory", inspect_memory_json(t), "schema", LINE_SCHEMA);
}

static bool object_print(json_t *object, FILE *to)
{
	char *line = object ? json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;

	if (line)
		fprintf(to, "%s\n", line);
	else
		fputs("ptowsp-inspect: no memory for a line\n", stderr);
	json_decref(object);
	free(line);
	return line ? 0 : 1;
}

static int refused_print(struct columns *columns, const char *path, int json, const struct ptowsp_error *error, FILE *to)
{
	int code = inspect_complain(error, path);

	if (json)
		return inspect_worse(code, object_print(json_pack("{s:o, s:s, s:o, s:s}", "file", plain_json(path), "status", reg_status_name(error->code),
								  "error", plain_json(error->text), "schema", LINE_SCHEMA),
							to));
	columns_add(columns, "-\t-\t-\t-\t-\t-\trefused\t%.400s", path);
	return code;
}

int inspect_lines(const struct inspect_paths *paths, int json, FILE *to)
{
	struct columns columns = {0};
	int status = 0;

	columns_add(&columns, "name\tversion\tbytes\tentries\tkernels\ttensors\ttargets\tfile");
	for (size_t i = 0; i < paths->count; i++) {
		struct ptowsp_error error = {.code = PTOWSP_OK};
		struct pkg *package;

		if (inspect_open(&package, paths->items[i].path, paths->most, &error)) {
			status = inspect_worse(status, refused_print(&columns, paths->items[i].path, json, &error, to));
			continue;
		}
		inspect_notices(package, paths->items[i].path);
		if (json)
			status = inspect_worse(status, object_print(package_object(package, paths->items[i].path), to));
		else
			columns_line(&columns, package, paths->items[i].path);
		pkg_close(package);
	}
	columns_print(&columns, json || !paths->count ? NULL : to, 0);
	return status;
}

/* ---- names ---- */

/* "sub/NAME" below the folder, without the ending of packages; to be freed. */
static char *stem_of(const char *folder, const char *relative)
{
	size_t length = strlen(relative), ending = strlen(".pkg.zst");
	char *stem = NULL;

	if (length > ending && !strcmp(relative + length - ending, ".pkg.zst"))
		length -= ending;
	return asprintf(&stem, "%s/%.*s", folder, (int)length, relative) < 0 ? NULL : stem;
}

/* Packages of one name would be one file. */
static int names_check(const struct inspect_paths *paths)
{
	for (size_t i = 0; i < paths->count; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(paths->items[i].relative, paths->items[k].relative)) {
				fprintf(stderr, "ptowsp-inspect: %s and %s are one place, and what is made of them would be one file; name it once\n",
					paths->items[k].path, paths->items[i].path);
				return 2;
			}
	return 0;
}

/* ---- sources ---- */

static int source_save(const struct inspect_path *from, uint64_t most, const char *folder, FILE *to)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg *package = NULL;
	uint32_t lines = 0, files = 0;
	char *stem = stem_of(folder, from->relative);
	ptowsp_status status = stem ? folder_make_for(stem, &error) : pkg_fail(&error, PTOWSP_NO_MEMORY, "no memory for a name");

	if (!status)
		status = inspect_open(&package, from->path, most, &error);
	if (!status) {
		inspect_notices(package, from->path);
		status = inspect_source_save(package, stem, &lines, &files, &error);
	}
	fprintf(to, "%s: ", stem ? stem + strlen(folder) + 1 : from->path);
	if (lines)
		fprintf(to, "%u line%s, %u file%s of data%s\n", lines, lines == 1 ? "" : "s", files, files == 1 ? "" : "s",
			status == PTOWSP_UNSUPPORTED ? "; not everything can be said"
			: status                     ? "; another package"
						     : "");
	else
		fputs("no source\n", to);
	pkg_close(package);
	free(stem);
	return status ? inspect_complain(&error, from->path) : 0;
}

int inspect_sources_save(const struct inspect_paths *paths, const char *folder, FILE *to)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	int status = names_check(paths);

	if (!status && folder_make(folder, &error))
		return inspect_complain(&error, folder);
	for (size_t i = 0, count = status ? 0 : paths->count; i < count; i++)
		status = inspect_worse(status, source_save(&paths->items[i], paths->most, folder, to));
	return status;
}

/* ---- a program ---- */

static int program_add(const char *path, uint64_t most, uint32_t number, FILE *to)
{
	struct ptowsp_error error = {.code = PTOWSP_OK};
	struct pkg *package;
	struct pkg_code *code;
	ptowsp_status status = inspect_open(&package, path, most, &error);

	if (status)
		return inspect_complain(&error, path);
	inspect_notices(package, path);
	status = entries_code(&code, package, &error);
	if (!status)
		status = inspect_c(code, number, to, &error);
	pkg_code_close(code);
	pkg_close(package);
	return status ? inspect_complain(&error, path) : 0;
}

/* Printed when all packages could be said; each that cannot is told. */
int inspect_program(const struct inspect_paths *paths, FILE *to)
{
	char *text = NULL;
	size_t size = 0;
	int status = names_check(paths);
	const char **names = calloc(paths->count + 1, sizeof(*names));
	FILE *memory = open_memstream(&text, &size);

	status = inspect_worse(status, !names || !memory);
	if (!status)
		inspect_c_begin(memory);
	for (size_t i = 0; i < paths->count && names && memory; i++) {
		names[i] = paths->items[i].relative;
		status = inspect_worse(status, program_add(paths->items[i].path, paths->most, (uint32_t)i, memory));
	}
	if (!status)
		inspect_c_end(memory, names, (uint32_t)paths->count);
	if (memory && fclose(memory))
		status = inspect_worse(status, 1);
	if (!status)
		fputs(text, to);
	free(text);
	free(names);
	return status;
}
