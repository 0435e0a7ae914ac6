/* SPDX-License-Identifier: MIT */
/* code.c - objects of one program: sealed memory files, loaded by the dynamic linker, found again by their bytes. */
#include "host/trust/code.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/host_error.h"
#include "host/trust/sealed.h"

struct host_code {
	struct host_code *next;
	struct host_sealed sealed; /* open as long as the object is there */
	void *handle;
	uintptr_t base; /* added to addresses by relocation */
};

static ptowsp_status fail(struct ptowsp_error *error, ptowsp_status status, const char *kernel, const char *what, int native)
{
	return host_fail(error, status, "native code of kernel %.60s: %s%s%s", kernel, what, native ? ": " : "", native ? strerror(native) : "");
}

/* After this nobody changes it, this process included. */
static ptowsp_status seal(struct host_code *code, const char *kernel, const void *bytes, size_t size, struct ptowsp_error *error)
{
	ptowsp_status status;
	const char *wrong = host_sealed_begin(&code->sealed, "ptowsp-code", &status);

	if (!wrong)
		wrong = host_sealed_append(&code->sealed, bytes, size, &status);
	if (!wrong)
		wrong = host_sealed_end(&code->sealed, &status);
	return wrong ? fail(error, status, kernel, wrong, errno) : PTOWSP_OK;
}

/* A number whose name no loaded object has. */
static ptowsp_status number_choose(struct host_code *code, const char *kernel, struct ptowsp_error *error)
{
	return host_sealed_number(&code->sealed) ? PTOWSP_OK
						 : fail(error, PTOWSP_UNSUPPORTED, kernel, "every name for it belongs to something that is loaded", 0);
}

static ptowsp_status object_open(struct host_code *code, const char *kernel, struct ptowsp_error *error)
{
	struct link_map *map = NULL;
	char name[HOST_SEALED_NAME], what[200];
	const char *why;

	host_sealed_name(code->sealed.fd, name);
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
		stays = host_sealed_loaded(code->sealed.fd); /* it has symbols that are unique in the process, or destructors of threads */
	}
	host_sealed_finish(&code->sealed, stays);
	free(code);
}

static struct host_code *known_find(struct host_code *list, const void *bytes, size_t size)
{
	while (list && (list->sealed.size != size || memcmp(list->sealed.bytes, bytes, size) != 0))
		list = list->next;
	return list;
}

/* Checked before its constructors run, for the entry of the kernel that comes first. */
static ptowsp_status object_make(struct host_code **list, const char *kernel, const void *bytes, size_t size, const char *entry, uint64_t entry_offset,
				 struct host_code **code_out, struct ptowsp_error *error)
{
	struct host_code *code = calloc(1, sizeof(*code));
	struct host_code_entry ignored;
	ptowsp_status status;

	if (!code)
		return fail(error, PTOWSP_NO_MEMORY, kernel, "no memory to load it", 0);
	code->sealed.fd = -1;
	status = size ? seal(code, kernel, bytes, size, error) : PTOWSP_OK; /* nothing cannot be mapped, and is refused by the check */
	if (!status)
		status = host_code_check(code->sealed.bytes, size, kernel, entry, entry_offset, &ignored, error);
	if (!status)
		status = number_choose(code, kernel, error);
	if (!status)
		status = object_open(code, kernel, error);
	if (status) {
		object_destroy(code);
		return status;
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
	ptowsp_status status = PTOWSP_OK;

	*function_out = NULL;
	if (!code)
		status = object_make(list, kernel, bytes, (size_t)size, entry, entry_offset, &code, error);
	if (!status)
		status = host_code_check(code->sealed.bytes, code->sealed.size, kernel, entry, entry_offset, &found, error);
	if (status)
		return status;
	/* An indirect function is what its resolver says, which the dynamic linker has asked. */
	*function_out = found.resolved ? dlsym(code->handle, found.resolved) : (const void *)(code->base + found.address);
	return *function_out ? PTOWSP_OK : fail(error, PTOWSP_UNSUPPORTED, kernel, "its entry cannot be resolved", 0);
}

static void nothing(void)
{
}

ptowsp_status host_code_look(const char *kernel, const void *bytes, uint64_t size, const char *entry, uint64_t entry_offset, const void **function_out,
			     struct ptowsp_error *error)
{
	struct host_code_entry found;
	ptowsp_status status = host_code_check(bytes, (size_t)size, kernel, entry, entry_offset, &found, error);

	*function_out = status ? NULL : (const void *)(uintptr_t)nothing;
	return status;
}

void host_code_destroy(struct host_code *list)
{
	while (list) {
		struct host_code *next = list->next;

		object_destroy(list);
		list = next;
	}
}
