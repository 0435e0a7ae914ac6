/* SPDX-License-Identifier: MIT */
/* pack_folder.c - every .pto file below a folder, each its own package. */
#include "tools/pack.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "registry/text.h"

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Makes the folders of a path that ends in a file's name. */
static ptowsp_status folders_make(char *path, struct ptowsp_error *error)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		int made;

		*at = '\0';
		made = mkdir(path, 0777) == 0 || errno == EEXIST;
		if (!made)
			reg_fail(error, PTOWSP_IO, "the folder %.160s cannot be made: %s", path, strerror(errno));
		*at = '/';
		if (!made)
			return PTOWSP_IO;
	}
	return PTOWSP_OK;
}

/* "sub/name.pto" below the output folder as "sub/name.pkg.zst"; to be freed. */
static char *output_path(const char *output, const char *relative)
{
	size_t stem = strlen(relative) - strlen(".pto");
	char *path = NULL;

	return asprintf(&path, "%s/%.*s.pkg.zst", output, (int)stem, relative) < 0 ? NULL : path;
}

static int file_pack(const struct pack_options *options, const char *file, const char *relative)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct pack_counts counts = {0};
	char *path = output_path(options->output, relative);
	ptowsp_status status = path ? folders_make(path, &error) : reg_fail(&error, PTOWSP_NO_MEMORY, "no memory for a path");
	int code = status ? pack_fail(&error) : pack_files(options, &file, 1, path, &counts);

	if (code && !counts.errors)
		printf("%s: no package\n", relative);
	else if (code)
		printf("%s: refused, %u error%s\n", relative, counts.errors, counts.errors == 1 ? "" : "s");
	else
		printf("%s: %u kernel%s, %u entr%s, %u warning%s\n", relative, counts.kernels, counts.kernels == 1 ? "" : "s",
		       counts.entries, counts.entries == 1 ? "y" : "ies", counts.warnings, counts.warnings == 1 ? "" : "s");
	free(path);
	return code;
}

static int is_source(const FTSENT *entry)
{
	return entry->fts_info == FTS_F && entry->fts_namelen > 4 &&
	       !strcmp(entry->fts_name + entry->fts_namelen - 4, ".pto");
}

/* The first code that is not 0 is the tool's; the other files are packed all the same. */
static int folder_pack(const struct pack_options *options, const char *folder, unsigned *found)
{
	char *roots[] = {(char *)(uintptr_t)folder, NULL};
	size_t skip = strlen(folder) + (folder[strlen(folder) - 1] != '/');
	FTS *walk = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	FTSENT *entry;
	int code = 0;

	if (!walk) {
		fprintf(stderr, "ptowsp-pack: %s cannot be read: %s\n", folder, strerror(errno));
		return 2;
	}
	while ((entry = fts_read(walk))) {
		int one;

		if (!is_source(entry))
			continue;
		++*found;
		one = file_pack(options, entry->fts_path, entry->fts_path + skip);
		code = code ? code : one;
	}
	fts_close(walk);
	return code;
}

int pack_folders(const struct pack_options *options)
{
	unsigned found = 0;
	int code = 0;

	for (int i = 0; i < options->input_count; i++) {
		int one = folder_pack(options, options->inputs[i], &found);

		code = code ? code : one;
	}
	if (!found && !code) {
		fprintf(stderr, "ptowsp-pack: there is no .pto file below %s\n", options->inputs[0]);
		return 2;
	}
	return code;
}
