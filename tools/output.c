/* SPDX-License-Identifier: MIT */
/* output.c - files without a name, files with one that is not theirs, and how they get theirs. */
#include "tools/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/text.h"
#include "tools/apart.h"
#include "tools/folder.h"
#include "tools/tools_place.h"

enum { SLOTS = 256 };

/* Paths for the signal handler; a slot is claimed by writing it and freed by NULL. */
static char *_Atomic pending[SLOTS];

static int pending_add(char *path)
{
	for (int i = 0; i < SLOTS; i++) {
		char *none = NULL;

		if (atomic_compare_exchange_strong(&pending[i], &none, path))
			return i;
	}
	return -1;
}

/* Files that this call put where none was, the latest first; kept as long as the process. */
struct placed {
	struct placed *before;
	char path[];
};

static struct placed *_Atomic latest;
static bool notes_places, holds;
static sigset_t before_hold;

static void place_note(const char *path)
{
	struct placed *placed = notes_places && !holds ? malloc(sizeof(*placed) + strlen(path) + 1) : NULL;

	if (!placed)
		return;
	strcpy(placed->path, path);
	placed->before = atomic_load(&latest);
	atomic_store(&latest, placed);
}

void output_hold(void)
{
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before_hold);
	holds = true;
}

void output_release(void)
{
	holds = false;
	sigprocmask(SIG_SETMASK, &before_hold, NULL);
}

static void (*_Atomic hook)(void);

void output_abort_hook(void (*also)(void))
{
	atomic_store(&hook, also);
}

void output_abort_all(void)
{
	void (*also)(void) = atomic_load(&hook);

	if (also)
		also();
	for (int i = 0; i < SLOTS; i++) {
		const char *path = atomic_load(&pending[i]);

		if (path)
			unlink(path);
	}
	for (const struct placed *placed = atomic_load(&latest); placed; placed = placed->before)
		unlink(placed->path);
	folder_drop_empty();
}

/* Behind the handler the signal ends the process, as its parent expects. */
static void on_signal(int number)
{
	output_abort_all();
	raise(number);
}

void output_abort_on_signals(void)
{
	static const int numbers[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM};

	notes_places = true;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESETHAND}, old;

		sigfillset(&action.sa_mask); /* another one waits until all is removed */
		if (!sigaction(numbers[i], NULL, &old) && old.sa_handler != SIG_IGN)
			sigaction(numbers[i], &action, NULL);
	}
}

static ptowsp_status fail(struct ptowsp_error *error, const char *path)
{
	return reg_fail(error, PTOWSP_IO, "%.140s cannot be written: %s", path, strerror(errno));
}

/* ---- what others left ---- */

/* A file of ours that nobody has locked: who wrote it is gone. */
static void left_remove(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat info;

	if (fd < 0)
		return;
	if (!fstat(fd, &info) && S_ISREG(info.st_mode) && info.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB))
		unlinkat(folder, name, 0);
	close(fd);
}

/* Looks through the folder once, unless another one came in between. */
static void folder_sweep(const char *path)
{
	static dev_t device;
	static ino_t number;
	DIR *folder = opendir(path);
	struct stat info;

	if (folder && !fstat(dirfd(folder), &info) && (info.st_dev != device || info.st_ino != number)) {
		device = info.st_dev;
		number = info.st_ino;
		for (struct dirent *entry; (entry = readdir(folder));)
			if (!strncmp(entry->d_name, OUTPUT_TEMPORARY, strlen(OUTPUT_TEMPORARY)))
				left_remove(dirfd(folder), entry->d_name);
	}
	if (folder)
		closedir(folder);
}

/* ---- making one ---- */

static bool named_always;

void output_named(bool always)
{
	named_always = always;
}

/* "folder/" of a path, or "./"; to be freed, with room for a temporary name. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t length = slash ? (size_t)(slash + 1 - path) : 2;
	char *folder = malloc(length + sizeof(OUTPUT_TEMPORARY) + 16);

	if (folder) {
		memcpy(folder, slash ? path : "./", length);
		folder[length] = '\0';
	}
	return folder;
}

static bool name_add(char *folder, size_t length)
{
	uint64_t random;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return false;
	sprintf(folder + length, "%s%016llx", OUTPUT_TEMPORARY, (unsigned long long)random);
	return true;
}

/* A file in the folder under a name that nobody has, noted for signals at once; the name is added to the folder. A sweep may have come between the file and its lock, so
 * it is looked whether the name is still there. */
static int named_create(struct output *output, char *folder)
{
	const size_t length = strlen(folder);
	sigset_t all, before;
	int fd = -1;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	for (int attempt = 0; fd < 0 && attempt < 100 && name_add(folder, length); attempt++) {
		struct stat info;

		fd = open(folder, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0 && errno != EEXIST)
			break;
		if (fd >= 0 && ((flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) || fstat(fd, &info) || !info.st_nlink)) {
			close(fd);
			fd = -1;
		}
	}
	if (fd >= 0) {
		output->temporary = folder;
		output->slot = pending_add(folder);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

/* One without a name, which vanishes with its last descriptor; -1 where that is not known, or where no name could be given to it later. */
static int nameless_create(const char *folder)
{
	int fd = named_always || access("/proc/self/fd", X_OK) ? -1 : open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);

	if (fd >= 0)
		flock(fd, LOCK_EX | LOCK_NB); /* for the moment in which it has a temporary name */
	return fd;
}

static ptowsp_status file_create(struct output *output, const char *path, struct ptowsp_error *error)
{
	char *folder = folder_of(output->path);
	int fd = -1;

	if (!folder)
		return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to write %.140s", path);
	folder_sweep(folder);
	fd = nameless_create(folder);
	if (fd < 0)
		fd = named_create(output, folder);
	if (fd < 0)
		fail(error, path);
	if (output->temporary != folder)
		free(folder);
	if (fd < 0)
		return PTOWSP_IO;
	output->file = fdopen(fd, "w+");
	if (output->file)
		return PTOWSP_OK;
	close(fd);
	return reg_fail(error, PTOWSP_NO_MEMORY, "no memory to write %.140s", path);
}

ptowsp_status output_open(struct output *output, const char *path, struct ptowsp_error *error)
{
	ptowsp_status status = apart_check(path, error);

	*output = (struct output){.slot = -1};
	if (!status)
		status = place_find(&output->path, path, error);
	if (!status)
		status = file_create(output, path, error);
	if (status)
		output_drop(output);
	return status;
}

/* Why the stream failed a while ago nobody knows any more: one byte more finds it out, and the file is lost anyway. */
static void reason_find(FILE *file)
{
	if (!errno && write(fileno(file), "", 1) >= 0)
		errno = EIO;
}

/* A file server may tell of a full disk only when a descriptor is closed. */
ptowsp_status output_finish(struct output *output, struct ptowsp_error *error)
{
	int copy;

	if (!output->file)
		return PTOWSP_OK;
	errno = 0;
	if (!fflush(output->file) && !ferror(output->file)) {
		copy = dup(fileno(output->file));
		if (copy >= 0 && !close(copy))
			return PTOWSP_OK;
	}
	reason_find(output->file);
	return fail(error, output->path);
}

/* ---- its place ---- */

static void slot_free(struct output *output)
{
	if (output->slot >= 0)
		atomic_store(&pending[output->slot], NULL);
	output->slot = -1;
}

static int link_as(const struct output *output, const char *name)
{
	char self[40];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(output->file));
	return linkat(AT_FDCWD, self, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* A file that has the name already is replaced by renaming, which takes a temporary name. */
static int nameless_publish(struct output *output)
{
	char *name = folder_of(output->path);
	size_t length = name ? strlen(name) : 0;
	int failed = -1;

	if (!name)
		return errno = ENOMEM, -1;
	failed = link_as(output, output->path);
	if (!failed)
		place_note(output->path);
	for (int attempt = 0; failed && errno == EEXIST && attempt < 100 && name_add(name, length); attempt++) {
		failed = link_as(output, name);
		if (!failed && (failed = rename(name, output->path))) {
			const int why = errno;

			unlink(name);
			errno = why;
			break;
		}
	}
	free(name);
	return failed;
}

static int named_publish(const struct output *output)
{
	const bool fresh = access(output->path, F_OK);
	const int failed = rename(output->temporary, output->path);

	if (!failed && fresh)
		place_note(output->path);
	return failed;
}

static bool next_is_last;

void output_last(void)
{
	next_is_last = true;
}

/* Signals are held meanwhile, so that only SIGKILL can leave a temporary name behind. */
static int published(struct output *output)
{
	sigset_t all, before;
	int failed, why;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	failed = output->temporary ? named_publish(output) : nameless_publish(output);
	why = errno;
	if (failed || !next_is_last)
		sigprocmask(SIG_SETMASK, &before, NULL);
	errno = why;
	return failed;
}

ptowsp_status output_publish(struct output *output, struct ptowsp_error *error)
{
	if (!output->file)
		return PTOWSP_OK;
	if (published(output))
		return fail(error, output->path);
	slot_free(output);
	free(output->temporary);
	output->temporary = NULL;
	fclose(output->file);
	output->file = NULL;
	return PTOWSP_OK;
}

void output_drop(struct output *output)
{
	if (output->file)
		fclose(output->file);
	if (output->temporary)
		unlink(output->temporary);
	slot_free(output);
	free(output->temporary);
	free(output->path);
	*output = (struct output){.slot = -1};
}

ptowsp_status output_save(const char *path, const void *head, size_t head_size, const void *bytes, size_t size, struct ptowsp_error *error)
{
	struct output output;
	ptowsp_status status = output_open(&output, path, error);

	if (!status) {
		if (head_size)
			fwrite(head, 1, head_size, output.file);
		if (size)
			fwrite(bytes, 1, size, output.file);
		status = output_finish(&output, error);
	}
	if (!status)
		status = output_publish(&output, error);
	output_drop(&output);
	return status;
}
