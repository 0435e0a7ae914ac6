/* SPDX-License-Identifier: MIT */
/* code.c - objects of one program: sealed memory files, loaded by the dynamic linker, found again by their bytes. */
#include "host/code.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host/error.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U /* since Linux 6.3: asked for where the system makes such files not executable by default */
#endif
#define NAME_SIZE 32u
#define NAME_TRIES 64

struct host_code {
	struct host_code *next;
	int fd;          /* sealed, open as long as the object is there: the dynamic linker knows objects by name, and a later file of this number
			  * would be taken for this one */
	void *bytes;     /* of the sealed file: what is checked and compared is what is loaded */
	size_t size;
	void *handle;
	uintptr_t base;  /* what relocation added to addresses */
};

static ptowsp_status fail(struct ptowsp_error *error, ptowsp_status st, const char *kernel, const char *what, int native)
{
	return host_fail(error, st, "native code of kernel %.60s: %s%s%s", kernel, what, native ? ": " : "", native ? strerror(native) : "");
}

static void name_make(int fd, char name[NAME_SIZE])
{
	snprintf(name, NAME_SIZE, "/proc/self/fd/%d", fd);
}

/* Is an object loaded by this name? It may be one of somebody whose file has been closed since. */
static bool name_taken(int fd)
{
	char name[NAME_SIZE];
	void *handle;

	name_make(fd, name);
	handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	if (handle)
		dlclose(handle);
	return handle != NULL;
}

static int file_make(void)
{
	int fd = memfd_create("ptowsp-code", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_EXEC);

	return fd < 0 && errno == EINVAL ? memfd_create("ptowsp-code", MFD_CLOEXEC | MFD_ALLOW_SEALING) : fd;
}

static bool bytes_write(int fd, const unsigned char *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(fd, bytes, size);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

/* After this nobody changes it, this process included. */
static ptowsp_status seal(struct host_code *code, const char *kernel, const void *bytes, size_t size, struct ptowsp_error *error)
{
	code->fd = file_make();
	if (code->fd < 0)
		return fail(error, PTOWSP_NO_MEMORY, kernel, "no memory file can be made", errno);
	if (!bytes_write(code->fd, bytes, size))
		return fail(error, PTOWSP_NO_MEMORY, kernel, "it does not fit into memory", errno);
	if (fcntl(code->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL))
		return fail(error, PTOWSP_UNSUPPORTED, kernel, "its memory file cannot be sealed", errno);
	code->bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, code->fd, 0);
	if (code->bytes == MAP_FAILED) {
		code->bytes = NULL;
		return fail(error, PTOWSP_NO_MEMORY, kernel, "its memory file cannot be read", errno);
	}
	code->size = size;
	return PTOWSP_OK;
}

/* A number whose name no loaded object has. */
static ptowsp_status number_choose(struct host_code *code, const char *kernel, struct ptowsp_error *error)
{
	for (int tries = 0; name_taken(code->fd); tries++) {
		int next = tries < NAME_TRIES ? fcntl(code->fd, F_DUPFD_CLOEXEC, code->fd + 1) : -1;

		if (next < 0)
			return fail(error, PTOWSP_UNSUPPORTED, kernel, "every name for it belongs to something that is loaded", 0);
		close(code->fd);
		code->fd = next;
	}
	return PTOWSP_OK;
}

static ptowsp_status object_open(struct host_code *code, const char *kernel, struct ptowsp_error *error)
{
	struct link_map *map = NULL;
	char name[NAME_SIZE], what[200];
	const char *why;

	name_make(code->fd, name);
	code->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (code->handle && !dlinfo(code->handle, RTLD_DI_LINKMAP, &map)) {
		code->base = (uintptr_t)map->l_addr;
		return PTOWSP_OK;
	}
	why = dlerror();
	/* dlerror repeats the name before its sentence. */
	if (why && !strncmp(why, name, strlen(name)) && why[strlen(name)] == ':')
		why += strlen(name) + 2;
	snprintf(what, sizeof(what), "cannot be loaded: %.170s", why ? why : "the dynamic linker does not say why");
	return fail(error, PTOWSP_UNSUPPORTED, kernel, what, 0);
}

static void object_destroy(struct host_code *code)
{
	bool stays = false;

	if (code->handle) {
		dlclose(code->handle);
		stays = name_taken(code->fd); /* it has symbols that are unique in the process, or destructors of threads */
	}
	if (code->bytes)
		munmap(code->bytes, code->size);
	if (code->fd >= 0 && !stays)
		close(code->fd);
	free(code);
}

static struct host_code *known_find(struct host_code *list, const void *bytes, size_t size)
{
	while (list && (list->size != size || memcmp(list->bytes, bytes, size) != 0))
		list = list->next;
	return list;
}

/* Checked before its constructors run, for the entry of the kernel that comes first. */
static ptowsp_status object_make(struct host_code **list, const char *kernel, const void *bytes, size_t size, const char *entry, uint64_t entry_offset,
				 struct host_code **code_out, struct ptowsp_error *error)
{
	struct host_code *code = calloc(1, sizeof(*code));
	struct host_code_entry ignored;
	ptowsp_status st;

	if (!code)
		return fail(error, PTOWSP_NO_MEMORY, kernel, "no memory to load it", 0);
	code->fd = -1;
	st = size ? seal(code, kernel, bytes, size, error) : PTOWSP_OK; /* nothing cannot be mapped, and is refused by the check */
	if (!st)
		st = host_code_check(code->bytes, size, kernel, entry, entry_offset, &ignored, error);
	if (!st)
		st = number_choose(code, kernel, error);
	if (!st)
		st = object_open(code, kernel, error);
	if (st) {
		object_destroy(code);
		return st;
	}
	code->next = *list;
	*list = *code_out = code;
	return PTOWSP_OK;
}

ptowsp_status host_code_load(struct host_code **list, const char *kernel, const void *bytes, uint64_t size, const char *entry, uint64_t entry_offset,
			     const void **function_out, struct ptowsp_error *error)
{
	struct host_code *code = known_find(*list, bytes, (size_t)size);
	struct host_code_entry found;
	ptowsp_status st = PTOWSP_OK;

	*function_out = NULL;
	if (!code)
		st = object_make(list, kernel, bytes, (size_t)size, entry, entry_offset, &code, error);
	if (!st)
		st = host_code_check(code->bytes, code->size, kernel, entry, entry_offset, &found, error);
	if (st)
		return st;
	/* An indirect function is what its resolver says, which the dynamic linker has asked. */
	*function_out = found.resolved ? dlsym(code->handle, found.resolved) : (const void *)(code->base + found.address);
	return *function_out ? PTOWSP_OK : fail(error, PTOWSP_UNSUPPORTED, kernel, "its entry cannot be resolved", 0);
}

void host_code_destroy(struct host_code *list)
{
	while (list) {
		struct host_code *next = list->next;

		object_destroy(list);
		list = next;
	}
}
