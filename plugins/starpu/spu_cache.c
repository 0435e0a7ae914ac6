/* SPDX-License-Identifier: MIT */
#include "starpu/spu_cache.h"

#include "base/cache.h"
#include "base/error.h"
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { PATH = BASE_CACHE_PATH + 400, LINE = 4096 };

static char home[BASE_CACHE_PATH + 24];

/* As StarPU calls this machine. */
static void host_name(char name_out[256])
{
	const char *stated = secure_getenv("STARPU_HOSTNAME");

	name_out[0] = name_out[255] = '\0';
	if (stated)
		snprintf(name_out, 256, "%s", stated);
	else if (!gethostname(name_out, 255))
		name_out[strcspn(name_out, ".")] = '\0';
}

/* ---- a file -------------------------------------------------------------------------------------------------------------- */

/* How many numbers the line has in front of a comment, some in hexadecimal digits; -1: there is something else, or no end of the line. */
static int numbers_count(const char *line)
{
	int count = 0;
	char *end, *hex;

	if (!strchr(line, '\n'))
		return -1;
	for (line += strspn(line, " \t\n"); *line && *line != '#'; line = end + strspn(end, " \t\n"), count++) {
		strtod(line, &end);
		strtoull(line, &hex, 16);
		end = hex > end ? hex : end;
		if (end == line || !isspace((unsigned char)*end))
			return -1;
	}
	return count;
}

/* Begins with a comment and has so many lines of numbers; or as many as the first of them has numbers; any; or of a kernel, whose last line is empty. */
enum { SQUARE = -1, ANY = 0, KERNEL = -2, NOT_READ = -3 };
static bool is_whole(const char *path, int wanted)
{
	FILE *file = fopen(path, "re");
	char line[LINE];
	int rows = 0, first = 0, count = 0;
	bool good = file && fgets(line, sizeof(line), file) && *line == '#' && numbers_count(line) == 0, empty = false;

	while (good && fgets(line, sizeof(line), file)) {
		count = numbers_count(line);
		good = count >= 0;
		first = rows ? first : count;
		rows += count > 0;
		empty = *line == '\n';
	}
	if (file)
		fclose(file);
	if (wanted == KERNEL)
		return good && rows && empty;
	return good && (wanted == SQUARE ? rows && rows == first : rows >= wanted);
}

/* ---- the machine --------------------------------------------------------------------------------------------------------- */

static const struct {
	const char *suffix;
	int rows;
} files[] = {{"config", 6}, {"bandwidth", SQUARE}, {"latency", SQUARE}, {"affinity", ANY}, {"platform.xml", NOT_READ}, {"platform.v4.xml", NOT_READ}};

static void file_path(char path_out[PATH], size_t f)
{
	char host[256];

	host_name(host);
	snprintf(path_out, PATH, "%s/.starpu/sampling/bus/%s.%s", home, host, files[f].suffix);
}

static bool is_measured(void)
{
	char path[PATH];

	for (size_t f = 0; f < sizeof(files) / sizeof(*files); f++) {
		file_path(path, f);
		if (files[f].rows != NOT_READ && !is_whole(path, files[f].rows))
			return false;
	}
	return true;
}

static void measured_drop(void)
{
	char path[PATH];

	for (size_t f = 0; f < sizeof(files) / sizeof(*files); f++) {
		file_path(path, f);
		unlink(path);
	}
}

/* As much as StarPU may write about a machine. */
static bool has_room(void)
{
	static const char zeros[1 << 16];
	char path[PATH];
	int file;
	bool written;

	snprintf(path, sizeof(path), "%s/starpu.room.XXXXXX", home);
	file = mkostemp(path, O_CLOEXEC);
	if (file < 0)
		return false;
	errno = ENOSPC;
	written = write(file, zeros, sizeof(zeros)) == (ssize_t)sizeof(zeros);
	written = !close(file) && written;
	unlink(path);
	return written;
}

static ptowsp_status io_fail(struct ptowsp_error *error)
{
	return base_fail(error, PTOWSP_IO,
			 "starpu: files cannot be written below %.100s, where StarPU keeps what it has measured: %s; name another folder, --opt cache=DIR",
			 home, strerror(errno));
}

ptowsp_status spu_cache_enter(int *lock_out, const char *path, bool writes, struct ptowsp_error *error)
{
	char lock[PATH];

	snprintf(home, sizeof(home), "%s", path);
	snprintf(lock, sizeof(lock), "%s/starpu.lock", home);
	*lock_out = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (*lock_out < 0)
		return io_fail(error);
	flock(*lock_out, LOCK_SH); /* a file system without locks has none */
	if (is_measured() && (!writes || has_room()))
		return PTOWSP_OK;
	flock(*lock_out, LOCK_EX);
	if (!is_measured())
		measured_drop();
	if (has_room())
		return PTOWSP_OK;
	close(*lock_out);
	return io_fail(error);
}

void spu_cache_leave(int lock)
{
	close(lock);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------------- */

void spu_cache_kernel(const char *symbol)
{
	char folder[PATH], path[PATH + 600], host[256];
	const struct dirent *version;
	DIR *versions;

	host_name(host);
	snprintf(folder, sizeof(folder), "%s/.starpu/sampling/codelets", home);
	versions = opendir(folder);
	while (versions && (version = readdir(versions))) {
		snprintf(path, sizeof(path), "%s/%s/%s.%s", folder, version->d_name, symbol, host);
		if (*version->d_name != '.' && !access(path, F_OK) && !is_whole(path, KERNEL))
			unlink(path);
	}
	if (versions)
		closedir(versions);
}
