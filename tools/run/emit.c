/* SPDX-License-Identifier: MIT */
/* emit.c - --emit DIR: what the backend makes of the program, as files below a folder. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "registry/text.h"
#include "tools/run/run.h"

struct emitting {
	const char *folder;
	uint32_t files;
	uint64_t bytes;
	struct ptowsp_error *error;
};

static ptowsp_status folder_make(const char *path, struct ptowsp_error *error)
{
	struct stat there;

	if (!mkdir(path, 0777) || (errno == EEXIST && !stat(path, &there) && S_ISDIR(there.st_mode)))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_IO, "--emit: folder %.160s cannot be made: %s", path, strerror(errno));
}

/* Folders of a path below the one that is there; the path is changed back. */
static ptowsp_status folders_make(char *path, size_t there, struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_OK;

	for (char *at = path + there + 1; !st && (at = strchr(at, '/')); at++) {
		*at = '\0';
		st = folder_make(path, error);
		*at = '/';
	}
	return st;
}

/* For everybody who may read it. */
static ptowsp_status executable_make(const char *path, struct ptowsp_error *error)
{
	struct stat there;

	if (!stat(path, &there) && !chmod(path, (there.st_mode & 0777) | (there.st_mode & 0444) >> 2))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_IO, "--emit: %.160s cannot be made executable: %s", path, strerror(errno));
}

static ptowsp_status file_write(void *context, const char *name, const void *bytes, uint64_t size)
{
	struct emitting *e = context;
	const size_t length = strlen(e->folder);
	char *path = malloc(length + strlen(name) + 2);
	ptowsp_status st;

	if (!path)
		return reg_fail(e->error, PTOWSP_NO_MEMORY, "--emit: no memory for %.100s", name);
	memcpy(path, e->folder, length);
	path[length] = '/';
	strcpy(path + length + 1, name);
	st = folders_make(path, length, e->error);
	if (!st)
		st = output_save(path, NULL, 0, bytes, (size_t)size, e->error);
	if (!st && size > 2 && !memcmp(bytes, "#!", 2))
		st = executable_make(path, e->error);
	free(path);
	e->files++;
	e->bytes += size;
	return st;
}

ptowsp_status run_emit(struct run *run, struct ptowsp_error *error)
{
	struct ptowsp_error ours = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct emitting e = {.folder = run->options->emit, .error = &ours};
	ptowsp_status st = folder_make(e.folder, error);

	if (!st)
		st = run->program ? ptowsp_report_emit(run->program, &run->execute, file_write, &e, error)
				  : ptowsp_artifact_emit(run->backend, run->plan, run_load_flags(run->options), file_write, &e, error);
	if (st && *ours.text)
		return reg_fail(error, st, "%s", ours.text);
	if (!st && !run->options->quiet)
		fprintf(stderr, "ptowsp-run: %u files, %llu bytes below %s\n", e.files, (unsigned long long)e.bytes, e.folder);
	return st;
}

bool run_emit_was_all(const struct run *run)
{
	const struct run_options *o = run->options;

	return o->emit && !o->trace && !o->graph && !o->stats && !o->checkpoint && !o->out.count && !o->expect.count;
}
