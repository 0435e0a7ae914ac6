/* SPDX-License-Identifier: MIT */
/* registry_kernels.c - the table of registered kernels. */
#include "registry/registry_kernels.h"
#include "registry/common/common_grow.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "registry/signature.h"
#include "registry/text.h"

enum { NAME_ROOM = 64 };

struct entry {
	char name[NAME_ROOM];
	char signature[REG_SIGNATURE_TEXT]; /* as reg_signature_print writes it, "" for the uniform one */
	reg_function fn;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards everything below */
static struct entry *entries;                            /* owned, in order of registration */
static uint32_t count, room;

static struct entry *find(const char *name)
{
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(entries[i].name, name))
			return &entries[i];
	return NULL;
}

static ptowsp_status grow(struct ptowsp_error *error)
{
	return COMMON_GROW(entries, room, count) ? PTOWSP_OK : reg_fail(error, PTOWSP_NO_MEMORY, "no memory for the kernel registry");
}

static ptowsp_status entry_make(struct entry *out, const char *name, const char *signature, reg_function fn, struct ptowsp_error *error)
{
	struct reg_signature parsed;
	size_t length = strlen(name);
	ptowsp_status status = PTOWSP_OK;

	*out = (struct entry){.fn = fn};
	if (!length || length >= NAME_ROOM)
		return reg_fail(error, PTOWSP_INVALID, "kernel name \"%.70s\" must have 1 to %d bytes", name, NAME_ROOM - 1);
	if (!fn)
		return reg_fail(error, PTOWSP_INVALID, "kernel \"%s\" is registered without a function", name);
	memcpy(out->name, name, length + 1);
	if (*signature) {
		status = reg_signature_parse(&parsed, signature, error);
		if (!status)
			reg_signature_print(&parsed, out->signature);
	}
	return status;
}

ptowsp_status reg_kernel_register(const char *name, const char *signature, reg_function fn, struct ptowsp_error *error)
{
	struct entry made, *old;
	ptowsp_status status = entry_make(&made, name, signature, fn, error);

	if (status)
		return status;
	pthread_mutex_lock(&lock);
	old = find(name);
	if (old && (old->fn != fn || strcmp(old->signature, made.signature)))
		status = reg_fail(error, PTOWSP_INVALID,
				  "kernel \"%s\" is already registered as %s with another function or signature; "
				  "unregister that first",
				  name, *old->signature ? old->signature : "a uniform kernel");
	else if (!old)
		status = grow(error);
	if (!status && !old)
		entries[count++] = made;
	pthread_mutex_unlock(&lock);
	return status;
}

bool reg_kernel_unregister(const char *name)
{
	struct entry *old;

	pthread_mutex_lock(&lock);
	old = find(name);
	if (old) {
		memmove(old, old + 1, (size_t)(entries + count - (old + 1)) * sizeof(*old));
		count--;
	}
	if (!count) {
		free(entries);
		entries = NULL;
		room = 0;
	}
	pthread_mutex_unlock(&lock);
	return old != NULL;
}

bool reg_kernel_has(const char *name)
{
	bool has;

	pthread_mutex_lock(&lock);
	has = find(name) != NULL;
	pthread_mutex_unlock(&lock);
	return has;
}

/* With the lock held. */
static ptowsp_status not_found(const char *name, struct ptowsp_error *error)
{
	const char **names = count ? malloc(count * sizeof(*names)) : NULL;
	uint32_t known = names ? count : 0;
	ptowsp_status status;

	for (uint32_t i = 0; i < known; i++)
		names[i] = entries[i].name;
	status = reg_fail_unknown(error, PTOWSP_NOT_FOUND, "registered kernel", name, names, known);
	free(names);
	return status;
}

ptowsp_status reg_kernel_find(const char *name, const char *signature, reg_function *fn_out, struct ptowsp_error *error)
{
	struct reg_signature parsed;
	char wanted[REG_SIGNATURE_TEXT] = "";
	const struct entry *entry;
	ptowsp_status status = PTOWSP_OK;

	*fn_out = NULL;
	if (*signature)
		status = reg_signature_parse(&parsed, signature, error);
	if (status)
		return status;
	if (*signature)
		reg_signature_print(&parsed, wanted);
	pthread_mutex_lock(&lock);
	entry = find(name);
	if (!entry)
		status = not_found(name, error);
	else if (strcmp(entry->signature, wanted))
		status = reg_fail(error, PTOWSP_INVALID, "kernel \"%s\" is registered as %s, the package wants %s", name,
				  *entry->signature ? entry->signature : "a uniform kernel", *wanted ? wanted : "a uniform kernel");
	else
		*fn_out = entry->fn;
	pthread_mutex_unlock(&lock);
	return status;
}
