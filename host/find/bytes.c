/* SPDX-License-Identifier: MIT */
/* bytes.c - reads of a plugin's file what is looked at. Read rather than mapped: a compiler that writes the same file at that moment would otherwise kill the host with
 * SIGBUS. And not all of it: a listing of a hundred plugins spent 85 % of its time on copying code that nothing looks at. */
#include "host/find/bytes.h"
#include "host/find/elf.h"
#include "host/find/refuse.h"
#include "registry/common/common_grow.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST 4096u /* all headers, as linkers write them */

struct reading {
	int fd;
	const char *path;
	unsigned char *bytes;
	size_t room; /* of bytes */
	size_t size; /* of the file */
};

static ptowsp_status room_make(struct reading *r, size_t room, struct ptowsp_error *error)
{
	return COMMON_RESERVE(r->bytes, r->room, room) ? PTOWSP_OK : host_fail(error, PTOWSP_NO_MEMORY, "%s: no memory to read it", r->path);
}

/* [from, end) of the file, unless it has become shorter. */
static ptowsp_status range_read(struct reading *r, size_t from, size_t end, struct ptowsp_error *error)
{
	ptowsp_status status = room_make(r, end, error);

	while (!status && from < end && end <= r->size) {
		ssize_t got = pread(r->fd, r->bytes + from, end - from, (off_t)from);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			status = host_refuse_errno(error, r->path, errno, "cannot be read");
		else if (!got)
			r->size = from;
		else
			from += (size_t)got;
	}
	return status;
}

static ptowsp_status head_read(struct reading *r, size_t *have_out, struct ptowsp_error *error)
{
	size_t want = r->size < FIRST ? r->size : FIRST;
	ptowsp_status status = room_make(r, FIRST, error);

	for (*have_out = 0; !status && want > *have_out; want = host_elf_head(r->bytes, *have_out, r->size)) {
		status = range_read(r, *have_out, want, error);
		*have_out = want < r->size ? want : r->size;
	}
	return status;
}

ptowsp_status host_bytes_read(int fd, const char *path, unsigned char **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	struct reading r = {.fd = fd, .path = path};
	uint64_t from, length;
	ptowsp_status status;
	struct stat stat;
	size_t have;

	*bytes_out = NULL;
	*size_out = 0;
	if (fstat(fd, &stat))
		return host_refuse_errno(error, path, errno, "cannot be read");
	if (stat.st_size > HOST_BYTES_LIMIT)
		return host_refuse(error, path, "larger than 2 GiB");
	r.size = (size_t)stat.st_size;
	status = head_read(&r, &have, error);
	for (uint32_t i = 0; !status && host_elf_part(r.bytes, r.size, i, &from, &length); i++)
		if (from + length > have)
			status = range_read(&r, from > have ? from : have, from + length, error);
	*bytes_out = r.bytes;
	*size_out = r.size;
	return status;
}

void host_bytes_release(unsigned char *bytes)
{
	free(bytes);
}
