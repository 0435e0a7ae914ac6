/* SPDX-License-Identifier: MIT */
#include "tools/emitted.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/text.h"
#include "tools/apart.h"
#include "tools/folder.h"
#include "tools/output.h"

static const char head[] = "Files of --emit, which a later --emit may replace:\n";
enum { RECORD_MOST = 64 << 20 };

struct emitted_file {
	struct emitted_file *next;
	char *path;       /* owned */
	const char *name; /* in it, below the folder */
	void *bytes;      /* owned */
	size_t size;
	bool replaces; /* one of an earlier call */
};

void emitted_init(struct emitted *e, const char *folder)
{
	*e = (struct emitted){.folder = folder};
	e->end = &e->first;
}

void emitted_finish(struct emitted *e)
{
	while (e->first) {
		struct emitted_file *next = e->first->next;

		free(e->first->path);
		free(e->first->bytes);
		free(e->first);
		e->first = next;
	}
	free(e->names);
	free(e->record);
	emitted_init(e, NULL);
}

ptowsp_status emitted_add(struct emitted *e, const char *name, const void *bytes, size_t size, struct ptowsp_error *error)
{
	struct emitted_file *file = calloc(1, sizeof(*file));

	if (file) {
		*e->end = file;
		e->end = &file->next;
		file->size = size;
		file->bytes = malloc(size + 1);
		if (asprintf(&file->path, "%s/%s", e->folder, name) < 0)
			file->path = NULL;
	}
	if (!file || !file->bytes || !file->path)
		return reg_fail(error, PTOWSP_NO_MEMORY, "--emit: no memory for %.100s", name);
	file->name = file->path + strlen(e->folder) + 1;
	if (size)
		memcpy(file->bytes, bytes, size);
	return apart_output(file->path, "a file of --emit", error);
}

void emitted_count(const struct emitted *e, unsigned *files_out, unsigned long long *bytes_out)
{
	*files_out = 0;
	*bytes_out = 0;
	for (const struct emitted_file *file = e->first; file; file = file->next, ++*files_out)
		*bytes_out += file->size;
}

/* ---- the record ---- */

static char *record_path(const struct emitted *e)
{
	char *path;

	return asprintf(&path, "%s/" EMITTED_RECORD, e->folder) < 0 ? NULL : path;
}

/* The whole file, 0 behind it. NULL: it is none of these. */
static char *record_bytes(int fd, size_t *size_out)
{
	struct stat there;
	char *text = NULL;

	if (!fstat(fd, &there) && S_ISREG(there.st_mode) && there.st_size >= (off_t)(sizeof(head) - 1) && there.st_size <= RECORD_MOST)
		text = malloc((size_t)there.st_size + 1);
	*size_out = text ? (size_t)there.st_size : 0;
	for (size_t at = 0; text && at < *size_out;) {
		const ssize_t got = read(fd, text + at, *size_out - at);

		if (got <= 0)
			*size_out = at;
		else
			at += (size_t)got;
	}
	if (text)
		text[*size_out] = '\0';
	if (text && !strncmp(text, head, sizeof(head) - 1))
		return text;
	free(text);
	return NULL;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines become the names. */
static bool names_find(struct emitted *e)
{
	size_t lines = 0;

	for (const char *c = e->record; (c = strchr(c, '\n')); c++)
		lines++;
	e->names = malloc(lines * sizeof(*e->names));
	if (!e->names)
		return false;
	for (char *at = e->record + sizeof(head) - 1, *end; (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		e->names[e->name_count++] = at;
	}
	qsort(e->names, e->name_count, sizeof(*e->names), by_name);
	return true;
}

static ptowsp_status record_read(struct emitted *e, struct ptowsp_error *error)
{
	char *path = record_path(e);
	const int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) : -1;
	const int why = fd < 0 ? errno : 0;
	size_t size = 0;
	ptowsp_status status = PTOWSP_OK;

	if (fd >= 0) {
		e->record = record_bytes(fd, &size);
		close(fd);
	}
	if (!path)
		status = reg_fail(error, PTOWSP_NO_MEMORY, "--emit: no memory");
	else if (why && why != ENOENT && why != ENOTDIR && why != ELOOP)
		status = reg_fail(error, PTOWSP_IO, "--emit: %.160s cannot be read: %s", path, strerror(why));
	else if (!e->record && (!why || why == ELOOP))
		status = reg_fail(error, PTOWSP_INVALID, "--emit: %.160s is there, and no earlier --emit made it; name another folder", path);
	else if (e->record && !names_find(e))
		status = reg_fail(error, PTOWSP_NO_MEMORY, "--emit: no memory for the names in %.160s", path);
	free(path);
	return status;
}

static bool is_there(const char *path)
{
	struct stat there;

	return !lstat(path, &there);
}

/* Another's file would be lost. */
static ptowsp_status file_check(const struct emitted *e, struct emitted_file *file, struct ptowsp_error *error)
{
	const char *name = file->name;

	file->replaces = is_there(file->path);
	if (!file->replaces || (e->name_count && bsearch(&name, e->names, e->name_count, sizeof(*e->names), by_name)))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_INVALID, "--emit: %.160s is there, and no earlier --emit made it; name another folder", file->path);
}

static ptowsp_status files_check(struct emitted *e, struct ptowsp_error *error)
{
	ptowsp_status status = record_read(e, error);

	for (struct emitted_file *file = e->first; file && !status; file = file->next)
		status = file_check(e, file, error);
	return status;
}

/* Files that an earlier call made and that are still there, and those of this one; nothing: no record. */
static ptowsp_status record_write(const struct emitted *e, bool with_new, struct ptowsp_error *error)
{
	char *path = record_path(e);
	struct output output = {.slot = -1};
	ptowsp_status status = path ? PTOWSP_OK : reg_fail(error, PTOWSP_NO_MEMORY, "--emit: no memory");

	if (!status && !with_new && !e->record)
		unlink(path);
	else if (!status)
		status = output_open(&output, path, error);
	if (output.file)
		fputs(head, output.file);
	for (size_t i = 0; output.file && i < e->name_count; i++)
		fprintf(output.file, "%s\n", e->names[i]);
	for (const struct emitted_file *file = e->first; output.file && with_new && file; file = file->next)
		if (!file->replaces)
			fprintf(output.file, "%s\n", file->name);
	if (output.file)
		status = output_finish(&output, error);
	if (!status)
		status = output_publish(&output, error);
	output_drop(&output);
	free(path);
	return status;
}

/* ---- files ---- */

/* For everybody who may read it. */
static ptowsp_status executable_make(const char *path, struct ptowsp_error *error)
{
	struct stat there;

	if (!stat(path, &there) && !chmod(path, (there.st_mode & 0777) | (there.st_mode & 0444) >> 2))
		return PTOWSP_OK;
	return reg_fail(error, PTOWSP_IO, "--emit: %.160s cannot be made executable: %s", path, strerror(errno));
}

static ptowsp_status file_write(const struct emitted_file *file, struct ptowsp_error *error)
{
	ptowsp_status status = folder_make_for(file->path, error);

	if (!status)
		status = output_save(file->path, NULL, 0, file->bytes, file->size, error);
	if (!status && file->size > 2 && !memcmp(file->bytes, "#!", 2))
		status = executable_make(file->path, error);
	return status;
}

ptowsp_status emitted_write(struct emitted *e, struct ptowsp_error *error)
{
	struct ptowsp_error inexpressible = {.head = PTOWSP_HEAD(inexpressible, ERROR)};
	const struct emitted_file *file = e->first;
	ptowsp_status status = files_check(e, error);

	if (status)
		return status;
	output_hold();
	status = folder_make(e->folder, error);
	if (!status)
		status = record_write(e, true, error);
	for (; file && !status; file = file->next)
		status = file_write(file, error);
	for (const struct emitted_file *done = e->first; status && done != file; done = done->next)
		if (!done->replaces)
			unlink(done->path);
	if (status)
		record_write(e, false, &inexpressible);
	output_release();
	return status;
}

/* Could the file be written? */
static ptowsp_status file_look(char *path, struct ptowsp_error *error)
{
	struct output output = {.slot = -1};
	ptowsp_status status = folder_make_for(path, error);

	if (!status)
		status = output_open(&output, path, error);
	output_drop(&output);
	return status;
}

ptowsp_status emitted_look(struct emitted *e, struct ptowsp_error *error)
{
	ptowsp_status status = files_check(e, error);
	char *any = NULL;

	if (!status)
		status = folder_make(e->folder, error);
	if (!status && !e->first && !(any = record_path(e)))
		return reg_fail(error, PTOWSP_NO_MEMORY, "--emit: no memory");
	if (any)
		status = file_look(any, error);
	for (const struct emitted_file *file = e->first; file && !status; file = file->next)
		status = file_look(file->path, error);
	free(any);
	return status;
}
