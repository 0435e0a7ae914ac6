/* SPDX-License-Identifier: MIT */
#include "format/format_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "format/fail.h"

ptowsp_status pkg_file_check(int fd, const char *name, uint64_t most, uint64_t *size_out, struct ptowsp_error *error)
{
	struct stat info;

	if (fstat(fd, &info))
		return pkg_fail_errno(error, name, "cannot be read");
	if (!S_ISREG(info.st_mode)) /* others may block, or have no end */
		return pkg_fail(error, PTOWSP_IO, "%.160s is no file%s", name, S_ISDIR(info.st_mode) ? ", it is a folder" : "");
	*size_out = (uint64_t)info.st_size;
	if (*size_out > most)
		return pkg_fail(error, PTOWSP_TOO_BIG, "%.160s has %llu bytes, at most %llu are read", name, (unsigned long long)*size_out,
				(unsigned long long)most);
	return PTOWSP_OK;
}

ptowsp_status pkg_file_open(int at, const char *path, const char *name, uint64_t most, int *fd_out, uint64_t *size_out, struct ptowsp_error *error)
{
	ptowsp_status status;

	*size_out = 0;
	*fd_out = openat(at, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd_out < 0)
		return pkg_fail_errno(error, name, "cannot be opened");
	status = pkg_file_check(*fd_out, name, most, size_out, error);
	if (status) {
		close(*fd_out);
		*fd_out = -1;
	}
	return status;
}

ptowsp_status pkg_file_read(int fd, const char *name, uint64_t size, void **bytes_out, struct ptowsp_error *error)
{
	char *bytes = size < SIZE_MAX ? malloc((size_t)size + 1) : NULL;
	uint64_t have = 0;
	ssize_t got = 1;

	*bytes_out = NULL;
	if (!bytes)
		return pkg_fail(error, PTOWSP_NO_MEMORY, "no memory to read %.160s", name);
	while (have < size && got) {
		got = read(fd, bytes + have, (size_t)(size - have));
		if (got < 0 && errno != EINTR)
			break;
		have += got > 0 ? (uint64_t)got : 0;
	}
	if (have < size) {
		ptowsp_status status =
			got ? pkg_fail_errno(error, name, "cannot be read") : pkg_fail(error, PTOWSP_IO, "%.160s changed while it was read", name);

		free(bytes);
		return status;
	}
	bytes[size] = '\0';
	*bytes_out = bytes;
	return PTOWSP_OK;
}

ptowsp_status pkg_file_load(const char *path, uint64_t most, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	uint64_t size;
	int fd;
	ptowsp_status status = pkg_file_open(AT_FDCWD, path, path, most, &fd, &size, error);

	*bytes_out = NULL;
	*size_out = 0;
	if (status)
		return status;
	status = pkg_file_read(fd, path, size, bytes_out, error);
	close(fd);
	*size_out = status ? 0 : (size_t)size;
	return status;
}
