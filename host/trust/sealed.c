/* SPDX-License-Identifier: MIT */
/* sealed.c - memory files that are written once. */
#include "host/trust/sealed.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* since Linux 6.3: asked for where the system makes such files not executable by default */
#endif
#define NUMBER_TRIES 64

const char *host_sealed_begin(struct host_sealed *s, const char *name, ptowsp_status *status_out)
{
	*s = (struct host_sealed){.fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC)};
	if (s->fd < 0 && errno == EINVAL)
		s->fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	*status_out = s->fd < 0 ? PTOWSP_NO_MEMORY : PTOWSP_OK;
	return s->fd < 0 ? "no memory file can be made" : NULL;
}

const char *host_sealed_append(struct host_sealed *s, const void *bytes, size_t size, ptowsp_status *status_out)
{
	const unsigned char *at = bytes;

	while (size) {
		ssize_t written = write(s->fd, at, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) {
			*status_out = PTOWSP_NO_MEMORY;
			return "it does not fit into memory";
		}
		at += written;
		s->size += (size_t)written;
		size -= (size_t)written;
	}
	return NULL;
}

enum { SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL };

static bool map(struct host_sealed *s)
{
	void *bytes = mmap(NULL, s->size, PROT_READ, MAP_PRIVATE, s->fd, 0);

	s->bytes = bytes == MAP_FAILED ? NULL : bytes;
	return s->bytes != NULL;
}

bool host_sealed_is(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & SEALS) == SEALS;
}

bool host_sealed_take(struct host_sealed *s, int fd)
{
	off_t size;

	*s = (struct host_sealed){.fd = host_sealed_is(fd) ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1};
	size = s->fd < 0 ? -1 : lseek(s->fd, 0, SEEK_END);
	s->size = size > 0 ? (size_t)size : 0;
	return s->size && map(s);
}

const char *host_sealed_end(struct host_sealed *s, ptowsp_status *status_out)
{
	if (fcntl(s->fd, F_ADD_SEALS, SEALS)) {
		*status_out = PTOWSP_UNSUPPORTED;
		return "its memory file cannot be sealed";
	}
	if (!map(s)) {
		*status_out = PTOWSP_NO_MEMORY;
		return "its memory file cannot be read";
	}
	return NULL;
}

void host_sealed_finish(struct host_sealed *s, bool keep_open)
{
	if (s->bytes)
		munmap((void *)(uintptr_t)s->bytes, s->size);
	if (s->fd >= 0 && !keep_open)
		close(s->fd);
	*s = (struct host_sealed){.fd = -1};
}

void host_sealed_name(int fd, char name_out[HOST_SEALED_NAME])
{
	snprintf(name_out, HOST_SEALED_NAME, "/proc/self/fd/%d", fd);
}

/* The object may be another's, whose file has been closed since. */
bool host_sealed_loaded(int fd)
{
	char name[HOST_SEALED_NAME];
	void *handle;

	host_sealed_name(fd, name);
	handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	if (handle)
		dlclose(handle);
	return handle != NULL;
}

bool host_sealed_number(struct host_sealed *s)
{
	for (int tries = 0; host_sealed_loaded(s->fd); tries++) {
		int next = tries < NUMBER_TRIES ? fcntl(s->fd, F_DUPFD_CLOEXEC, s->fd + 1) : -1;

		if (next < 0)
			return false;
		close(s->fd);
		s->fd = next;
	}
	return true;
}
