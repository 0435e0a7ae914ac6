/* SPDX-License-Identifier: MIT */
#include "base/memory/base_external.h"

#if PTOWSP_ABI_TARGET >= 1
#include "base/error.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { DMABUF_MAGIC = 0x444d4142 }; /* of linux/magic.h, which older systems have without it */

int base_external_file(uint64_t bytes)
{
	int fd;

	if (bytes > INT64_MAX) {
		errno = EFBIG;
		return -1;
	}
	fd = memfd_create("ptowsp device buffer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || (!ftruncate(fd, (off_t)bytes) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)))
		return fd;
	close(fd);
	return -1;
}

/* The descriptor, which is what its type says, may be written, and has the bytes. */
static ptowsp_status use_check(const struct ptowsp_external *e, uint64_t there, struct ptowsp_error *error)
{
	if ((fcntl(e->fd, F_GETFL) & O_ACCMODE) != O_RDWR)
		return base_fail(error, PTOWSP_INVALID, "import: the descriptor is not open for reading and writing");
	return there >= e->bytes ? PTOWSP_OK
				 : base_fail(error, PTOWSP_INVALID, "import: the descriptor has %llu bytes, not %llu", (unsigned long long)there,
					     (unsigned long long)e->bytes);
}

/* Bytes that others can take away would end this process when it reads them. */
static ptowsp_status file_check(const struct ptowsp_external *e, struct ptowsp_error *error)
{
	const int seals = fcntl(e->fd, F_GET_SEALS);
	struct stat file;

	if (seals < 0 || fstat(e->fd, &file))
		return base_fail(error, PTOWSP_INVALID, "import: the descriptor is no memory file (%s); memfd_create makes one", strerror(errno));
	if (!(seals & F_SEAL_SHRINK))
		return base_fail(error, PTOWSP_INVALID, "import: the memory file may shrink; seal it with F_SEAL_SHRINK");
	if (seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))
		return base_fail(error, PTOWSP_INVALID, "import: the memory file is sealed against writing");
	return use_check(e, (uint64_t)file.st_size, error);
}

static ptowsp_status dmabuf_check(const struct ptowsp_external *e, struct ptowsp_error *error)
{
	struct statfs of;
	const off_t size = fstatfs(e->fd, &of) || of.f_type != DMABUF_MAGIC ? -1 : lseek(e->fd, 0, SEEK_END);

	if (size < 0)
		return base_fail(error, PTOWSP_INVALID, "import: the descriptor is no dma-buf");
	return use_check(e, (uint64_t)size, error);
}

ptowsp_status base_external_read(const struct ptowsp_external *e, struct ptowsp_error *error)
{
	ptowsp_status status = base_args_check(e ? &e->head : NULL, PTOWSP_STRUCT_EXTERNAL, PTOWSP_EXTERNAL_FLOOR_10_1, "import", error);

	if (!status && e->reserved)
		status = base_fail(error, PTOWSP_UNKNOWN_FIELD, "import: reserved is %u, and this plugin knows only 0", e->reserved);
	if (!status && e->address && (e->type == PTOWSP_EXTERNAL_DMABUF || e->type == PTOWSP_EXTERNAL_OPAQUE_FD))
		status = base_fail(error, PTOWSP_INVALID, "import: there is an address beside descriptor %d", e->fd);
	return status;
}

ptowsp_status base_external_check(const struct ptowsp_external *e, struct ptowsp_error *error)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	switch (e->type) {
	case PTOWSP_EXTERNAL_DMABUF: return dmabuf_check(e, error);
	case PTOWSP_EXTERNAL_OPAQUE_FD: return file_check(e, error);
	case PTOWSP_EXTERNAL_HOST:
		if (e->address && !(e->address % page) && e->bytes <= UINT64_MAX - e->address)
			return PTOWSP_OK;
		return base_fail(error, PTOWSP_INVALID, "import: memory at 0x%llx begins at no page of %llu bytes", (unsigned long long)e->address,
				 (unsigned long long)page);
	}
	return base_fail(error, PTOWSP_UNSUPPORTED, "import: memory of type %u is none that is used here", e->type);
}
#endif
