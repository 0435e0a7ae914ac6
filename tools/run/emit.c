/* SPDX-License-Identifier: MIT */
/* emit.c - --emit DIR: what the backend makes of the program, as files below a folder: all of them, or, where it is refused, not even the folder. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/text.h"
#include "tools/apart.h"
#include "tools/folder.h"
#include "tools/run/run.h"

struct file {
	struct file *next;
	char *path;  /* owned */
	void *bytes; /* owned */
	size_t size;
	bool replaces; /* something was there */
};

/* Kept until the backend has said all: it may refuse behind the tenth file. */
struct emitting {
	const char *folder;
	struct file *first, **end;
	struct ptowsp_error *error;
};

/* Says itself what is wrong. The name of a file is relative, without "..": the host sees to it. */
static ptowsp_status file_take(void *context, const char *name, const void *bytes, uint64_t size)
{
	struct emitting *e = context;
	struct file *file = calloc(1, sizeof(*file));

	if (file) {
		*e->end = file;
		e->end = &file->next;
		file->size = (size_t)size;
		file->bytes = malloc(file->size + 1);
		if (asprintf(&file->path, "%s/%s", e->folder, name) < 0)
			file->path = NULL;
	}
	if (!file || !file->bytes || !file->path)
		return reg_fail(e->error, PTOWSP_NO_MEMORY, "--emit: no memory for %.100s", name);
	if (size)
		memcpy(file->bytes, bytes, file->size);
	return apart_output(file->path, "a file of --emit", e->error);
}

static void files_finish(struct emitting *e)
{
	while (e->first) {
		struct file *next = e->first->next;

		free(e->first->path);
		free(e->first->bytes);
		free(e->first);
		e->first = next;
	}
}

/* For everybody who may read it. */
static ptowsp_status executable_make(const char *path, struct ptowsp_error *error)
{
	struct stat there;

	if (!stat(path, &there) && !chmod(path, (there.st_mode & 0777) | (there.st_mode & 0444) >> 2))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_IO, "--emit: %.160s cannot be made executable: %s", path, strerror(errno));
}

static ptowsp_status file_write(struct file *file, struct ptowsp_error *error)
{
	ptowsp_status st = folder_make_for(file->path, error);

	file->replaces = !access(file->path, F_OK);
	if (!st)
		st = output_save(file->path, NULL, 0, file->bytes, file->size, error);
	if (!st && file->size > 2 && !memcmp(file->bytes, "#!", 2))
		st = executable_make(file->path, error);
	return st;
}

/* Files that were written before a failure, such as a full disk, are removed again, but for files that replaced others. */
static ptowsp_status files_write(struct emitting *e, struct ptowsp_error *error)
{
	struct file *file = e->first;
	ptowsp_status st = folder_make(e->folder, error);

	for (; file && !st; file = file->next)
		st = file_write(file, error);
	for (const struct file *done = e->first; st && done != file; done = done->next)
		if (!done->replaces)
			unlink(done->path);
	return st;
}

static void files_tell(const struct emitting *e)
{
	unsigned long long bytes = 0;
	unsigned files = 0;

	for (const struct file *file = e->first; file; file = file->next, files++)
		bytes += file->size;
	fprintf(stderr, "ptowsp-run: %u files, %llu bytes below %s\n", files, bytes, e->folder);
}

/* Of the program where there is one, else of the plan. */
static ptowsp_status files_make(const struct run *run, struct ptowsp_program *program, struct emitting *e, struct ptowsp_error *error)
{
	struct ptowsp_error ours = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	ptowsp_status st;

	e->error = &ours;
	st = program ? ptowsp_report_emit(program, &run->execute, file_take, e, error)
		     : ptowsp_artifact_emit(run->backend, run->plan, run_load_flags(run->options), file_take, e, error);
	return st && *ours.text ? reg_fail(error, st, "%s", ours.text) : st;
}

/* Could the file be written? */
static ptowsp_status file_look(char *path, struct ptowsp_error *error)
{
	struct output output = {.slot = -1};
	ptowsp_status st = folder_make_for(path, error);

	if (!st)
		st = output_open(&output, path, error);
	output_drop(&output);
	return st;
}

/* A file of any name stands for those that are made of a run. */
static ptowsp_status folder_look(const struct emitting *e, struct ptowsp_error *error)
{
	ptowsp_status st = folder_make(e->folder, error);
	char *any = NULL;

	if (!st && !e->first && asprintf(&any, "%s/a", e->folder) < 0)
		return reg_fail(error, PTOWSP_NO_MEMORY, "--emit: no memory");
	if (any)
		st = file_look(any, error);
	for (const struct file *file = e->first; file && !st; file = file->next)
		st = file_look(file->path, error);
	free(any);
	return st;
}

ptowsp_status run_emit_look(struct run *run, struct ptowsp_error *error)
{
	struct emitting e = {.folder = run->options->emit, .end = &e.first};
	const bool of_run = ptowsp_report_has_files(run->backend);
	ptowsp_status st = of_run ? PTOWSP_OK : files_make(run, NULL, &e, error);

	if (!st)
		st = folder_look(&e, error);
	run->emitted = !st && !of_run;
	folder_drop_empty();
	files_finish(&e);
	return st;
}

ptowsp_status run_emit(struct run *run, struct ptowsp_error *error)
{
	struct emitting e = {.folder = run->options->emit, .end = &e.first};
	ptowsp_status st = files_make(run, run->program, &e, error);

	if (!st)
		st = files_write(&e, error);
	if (!st && !run->options->quiet)
		files_tell(&e);
	files_finish(&e);
	return st;
}

bool run_emit_was_all(const struct run *run, ptowsp_status st, const struct ptowsp_error *error)
{
	const struct run_options *o = run->options;
	const bool lacks = st == PTOWSP_NO_DEVICE || (st == PTOWSP_UNSUPPORTED && !o->strict);

	if (!lacks || !run->emitted || o->trace || o->graph || o->stats || o->checkpoint || o->out.count || o->expect.count)
		return false;
	if (!o->quiet)
		fprintf(stderr, "ptowsp-run: nothing was run: %s\n", error->text);
	return true;
}
