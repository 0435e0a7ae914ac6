/* SPDX-License-Identifier: MIT */
/* blob_store.c - the files of blobs of this user. */
#include "host/run/blob_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "registry/variable.h"

enum { NAME = 2 * PKG_DIGEST_SIZE + 1, TEMPORARY = NAME + 24 };
#define SIZE_MOST (UINT64_C(2) << 30) /* of a file: blobs of 1 GiB with all that aligns them */

/* ---- the folder ------------------------------------------------------------------------------------------------- */

/* Opens a folder below another, made if it is not there; -1: that cannot be. */
static int folder_below(int above, const char *name)
{
	int fd = -1;

	if (above >= 0 && (!mkdirat(above, name, 0700) || errno == EEXIST))
		fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (above >= 0)
		close(above);
	return fd;
}

/* Nobody but this user can have put anything there. */
static int own_only(int fd)
{
	struct stat stat;

	if (fd >= 0 && (fstat(fd, &stat) || stat.st_uid != geteuid() || (stat.st_mode & 077))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* -1: there is none. */
static int folder_open(void)
{
	const char *cache = reg_variable("XDG_CACHE_HOME"), *home = reg_variable("HOME");
	int fd;

	if (cache && *cache == '/') {
		mkdir(cache, 0700);
		fd = open(cache, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	} else {
		fd = home && *home == '/' ? folder_below(open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ".cache") : -1;
	}
	return own_only(folder_below(folder_below(fd, "ptowsp"), "compiled"));
}

static void name_make(char name_out[NAME], const uint8_t key[PKG_DIGEST_SIZE])
{
	for (unsigned i = 0; i < PKG_DIGEST_SIZE; i++)
		snprintf(name_out + 2 * (size_t)i, 3, "%02x", key[i]);
}

/* ---- finding ---------------------------------------------------------------------------------------------------- */

/* A regular file of this user, mapped; it is never changed, only replaced and removed. */
static bool file_map(int folder, const char *name, struct host_stored *out)
{
	int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	struct stat stat;
	void *bytes = MAP_FAILED;

	if (fd >= 0 && !fstat(fd, &stat) && S_ISREG(stat.st_mode) && stat.st_uid == geteuid() && stat.st_size && (uint64_t)stat.st_size <= SIZE_MOST)
		bytes = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes != MAP_FAILED) {
		futimens(fd, NULL); /* it was used now */
		*out = (struct host_stored){.bytes = bytes, .size = (size_t)stat.st_size};
	}
	if (fd >= 0)
		close(fd);
	return bytes != MAP_FAILED;
}

bool host_store_find(struct host_stored *out, const uint8_t key[PKG_DIGEST_SIZE])
{
	const int folder = folder_open();
	char name[NAME];
	bool found;

	*out = (struct host_stored){0};
	name_make(name, key);
	found = folder >= 0 && file_map(folder, name, out);
	if (found && (!host_blobs_sealed(out->bytes, out->size) || !host_blobs_parse(&out->blobs, out->bytes, out->size, key))) {
		unlinkat(folder, name, 0);
		host_stored_finish(out);
		found = false;
	}
	if (folder >= 0)
		close(folder);
	return found;
}

void host_stored_finish(struct host_stored *stored)
{
	host_blobs_finish(&stored->blobs);
	if (stored->bytes)
		munmap(stored->bytes, stored->size);
	*stored = (struct host_stored){0};
}

/* ---- putting ---------------------------------------------------------------------------------------------------- */

static bool all_written(int fd, const unsigned char *bytes, size_t size)
{
	while (size) {
		const ssize_t n = write(fd, bytes, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		size -= (size_t)n;
	}
	return true;
}

/* Whole, or not at all: whoever reads it meanwhile has the one before. */
static bool file_write(int folder, const char *name, const struct host_blob_file *file)
{
	char temporary[TEMPORARY];
	bool whole;
	int fd;

	snprintf(temporary, sizeof(temporary), "%s.%ld.tmp", name, (long)getpid());
	unlinkat(folder, temporary, 0);
	fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return false;
	whole = all_written(fd, file->bytes, file->size);
	whole = !close(fd) && whole && !renameat(folder, temporary, folder, name);
	if (!whole)
		unlinkat(folder, temporary, 0);
	return whole;
}

/* The file that was not used for longest, but for `but`; bytes of all. Temporary ones that somebody left grow old, too. */
static uint64_t folder_look(DIR *entries, const char *but, char oldest_out[NAME_MAX + 1])
{
	const int folder = dirfd(entries);
	struct timespec oldest = {0};
	uint64_t sum = 0;
	struct stat stat;

	*oldest_out = '\0';
	rewinddir(entries);
	for (const struct dirent *e; (e = readdir(entries));) {
		if (fstatat(folder, e->d_name, &stat, AT_SYMLINK_NOFOLLOW) || !S_ISREG(stat.st_mode))
			continue;
		sum += (uint64_t)stat.st_size;
		if (strcmp(e->d_name, but) &&
		    (!*oldest_out || stat.st_mtim.tv_sec < oldest.tv_sec || (stat.st_mtim.tv_sec == oldest.tv_sec && stat.st_mtim.tv_nsec < oldest.tv_nsec))) {
			oldest = stat.st_mtim;
			snprintf(oldest_out, NAME_MAX + 1, "%s", e->d_name);
		}
	}
	return sum;
}

/* The folder is this function's to close. */
static void folder_trim(int folder, const char *but, uint64_t limit)
{
	DIR *entries = fdopendir(folder);
	char oldest[NAME_MAX + 1];

	if (!entries) {
		close(folder);
		return;
	}
	while (folder_look(entries, but, oldest) > limit && *oldest && !unlinkat(folder, oldest, 0))
		;
	closedir(entries);
}

bool host_store_put(const uint8_t key[PKG_DIGEST_SIZE], const struct host_blob_file *file, uint64_t limit)
{
	const int folder = file->size <= limit ? folder_open() : -1;
	char name[NAME];
	bool whole;

	name_make(name, key);
	whole = folder >= 0 && file_write(folder, name, file);
	if (folder >= 0)
		folder_trim(folder, name, limit);
	return whole;
}

void host_store_drop(const uint8_t key[PKG_DIGEST_SIZE])
{
	const int folder = folder_open();
	char name[NAME];

	name_make(name, key);
	if (folder >= 0) {
		unlinkat(folder, name, 0);
		close(folder);
	}
}
