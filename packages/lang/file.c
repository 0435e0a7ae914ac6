/* SPDX-License-Identifier: MIT */
#include "lang/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "format/fail.h"

ptowsp_status lang_file_load(const char *path, uint64_t most, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	ptowsp_status st = PTOWSP_OK;
	struct stat info;
	char *bytes = NULL;
	FILE *file;

	*bytes_out = NULL;
	*size_out = 0;
	if (stat(path, &info))
		return pkg_fail_errno(error, path, "cannot be read");
	if (!S_ISREG(info.st_mode)) /* others may block, or have no end */
		return pkg_fail(error, PTOWSP_IO, "%.160s is no file", path);
	if ((uint64_t)info.st_size > most)
		return pkg_fail(error, PTOWSP_TOO_BIG, "%.160s has %llu bytes, at most %llu are read", path, (unsigned long long)info.st_size,
				(unsigned long long)most);
	file = fopen(path, "rb");
	if (!file)
		return pkg_fail_errno(error, path, "cannot be read");
	bytes = malloc((size_t)info.st_size + 1);
	if (!bytes)
		st = pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to read %.160s", path);
	else if (fread(bytes, 1, (size_t)info.st_size, file) != (size_t)info.st_size)
		st = pkg_fail(error, PTOWSP_IO, "%.160s changed while it was read", path);
	fclose(file);
	if (st) {
		free(bytes);
		return st;
	}
	bytes[info.st_size] = '\0';
	*bytes_out = bytes;
	*size_out = (size_t)info.st_size;
	return PTOWSP_OK;
}
