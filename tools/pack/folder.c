/* SPDX-License-Identifier: MIT */
/* folder.c - every .pto file below a folder, each its own package. */
#include "registry/common/common_grow.h"
#include "tools/pack/pack.h"
#include "tools/tool.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "registry/names.h"
#include "registry/text.h"
#include "tools/folder.h"
#include "tools/plain.h"

/* "sub/name.pto" below the output folder as "sub/name.pkg.zst", or as "sub/name", a folder of sources; to be freed. */
static char *output_path(const struct pack_options *options, const char *relative)
{
	size_t stem = strlen(relative) - strlen(".pto");
	char *path = NULL;

	return asprintf(&path, "%s/%.*s%s", options->output, (int)stem, relative, options->emit ? "" : ".pkg.zst") < 0 ? NULL : path;
}

/* --- lines --- */

static bool object_print(const char *file, const char *package, const struct pack_counts *counts)
{
	const char *status = reg_status_name(counts->error.code);
	json_t *object = json_pack("{s:o, s:o, s:s, s:i, s:i, s:i, s:i}", "file", plain_json(file), "package", plain_json(counts->error.code ? "" : package),
				   "status", counts->error.code ? status : "OK", "kernels", (int)counts->kernels, "entries", (int)counts->entries, "warnings",
				   (int)counts->warnings, "errors", (int)counts->errors);
	char *line = NULL;

	if (object && counts->error.code)
		json_object_set_new(object, "error", plain_json(counts->error.text));
	if (object && !json_object_set_new(object, "schema", json_string("ptowsp.packed/1")))
		line = json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);
	if (line)
		puts(line);
	else
		fputs("ptowsp-pack: no memory for a line\n", stderr);
	json_decref(object);
	free(line);
	return line ? 0 : 1;
}

int pack_line(const struct pack_options *options, const char *file, const char *package, int code, const struct pack_counts *counts)
{
	if (options->lines) {
		int printed = object_print(file, package, counts);

		return code ? code : printed;
	}
	if (code && !counts->errors)
		printf("%s: no package\n", file);
	else if (code)
		printf("%s: refused, %u error%s\n", file, counts->errors, counts->errors == 1 ? "" : "s");
	else
		printf("%s: %u kernel%s, %u entr%s, %u warning%s\n", file, counts->kernels, counts->kernels == 1 ? "" : "s", counts->entries,
		       counts->entries == 1 ? "y" : "ies", counts->warnings, counts->warnings == 1 ? "" : "s");
	return code;
}

/* --- files --- */

/* Packages made so far: a file that is named twice would be one package. */
struct made {
	char **paths; /* owned */
	uint32_t count, room;
};

static ptowsp_status made_add(struct made *made, char *path, struct ptowsp_error *error)
{
	for (size_t i = 0; i < made->count; i++)
		if (!strcmp(made->paths[i], path))
			return reg_fail(error, PTOWSP_INVALID, "%.160s was made already: folders that lie in each other are packed once", path);
	if (!COMMON_GROW(made->paths, made->room, made->count))
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory for a path");
	made->paths[made->count++] = path;
	return PTOWSP_OK;
}

static void made_finish(struct made *made)
{
	for (size_t i = 0; i < made->count; i++)
		free(made->paths[i]);
	free(made->paths);
}

static int file_pack(const struct pack_options *options, const char *file, const char *relative, struct made *made)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pack_counts counts = {0};
	char *path = output_path(options, relative);
	ptowsp_status status = path ? made_add(made, path, &error) : reg_fail(&error, PTOWSP_NO_MEMORY, "no memory for a path");
	int code, kept = !status;

	if (!status)
		status = folder_make_for(path, &error);
	counts.error = error;
	counts.error.code = status;
	code = status ? tool_complain(&error) : pack_files(options, &file, 1, path, &counts);
	code = pack_line(options, relative, path ? path : "", code, &counts);
	if (!kept)
		free(path);
	return code;
}

/* A folder that is walked: its path below the one that holds all of them, which a source's name begins with. */
struct walk {
	const struct pack_options *options;
	const char *prefix;
	struct made *made;
};

static int source_pack(void *context, const char *path, const char *below)
{
	const struct walk *walk = context;
	char *relative = NULL;
	int code;

	if (asprintf(&relative, "%s%s", walk->prefix, below) < 0) {
		fputs("ptowsp-pack: no memory for a path\n", stderr);
		return 1;
	}
	code = file_pack(walk->options, path, relative, walk->made);
	free(relative);
	return code;
}

/* The first code that is not 0 is the tool's; the other files are packed all the same. */
int pack_folders(const struct pack_options *options)
{
	struct made made = {0};
	char **prefixes = folder_prefixes((char *const *)(uintptr_t)options->inputs, (size_t)options->input_count);
	int code = prefixes ? 0 : 1;

	if (!prefixes)
		fputs("ptowsp-pack: no memory for the names of the folders\n", stderr);
	for (int i = 0; prefixes && i < options->input_count; i++) {
		int one = folder_walk("ptowsp-pack", options->inputs[i], ".pto", source_pack, &(struct walk){options, prefixes[i], &made});

		code = code ? code : one;
	}
	if (!made.count && !code) {
		fprintf(stderr, "ptowsp-pack: there is no .pto file below %s\n", options->inputs[0]);
		code = 2;
	}
	folder_prefixes_free(prefixes, (size_t)options->input_count);
	made_finish(&made);
	return code;
}
