/* SPDX-License-Identifier: MIT */
#include "ascend/engine/library.h"

#include "rt/program/rt_error.h"
#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define LOG_ERRORS 40 /* LogLevel::ERROR: what a failed run has to say, no more */

enum ascend_generation ascend_generation_find(void *handle)
{
	if (dlsym(handle, "simpler_launch_run"))
		return ASCEND_GENERATION_4;
	if (dlsym(handle, "run_runtime") && dlsym(handle, "create_device_context"))
		return ASCEND_GENERATION_2;
	if (dlsym(handle, "launch_runtime"))
		return ASCEND_GENERATION_1;
	return ASCEND_GENERATION_NONE;
}

const char *ascend_generation_text(enum ascend_generation generation)
{
	switch (generation) {
	case ASCEND_GENERATION_1: return "generation 1 (launch_runtime, January 2026)";
	case ASCEND_GENERATION_2: return "generation 2 or 3 (run_runtime, April 2026)";
	case ASCEND_GENERATION_4: return "generation 4 (simpler_launch_run, August 2026)";
	default: return "no pto-runtime interface";
	}
}

/* One record for all libraries of the process. Libraries that stay until its end keep a pointer to it, so it stays, too: a page of its own. */
static struct ascend_log_state *log_state(void)
{
	static struct ascend_log_state *state;
	void *page;

	if (!state) {
		page = mmap(NULL, sizeof(*state), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (page == MAP_FAILED)
			return NULL;
		state = page;
		*state = (struct ascend_log_state){ASCEND_LOG_VERSION, sizeof(*state), LOG_ERRORS, 0};
	}
	return state;
}

/* The library's name in messages: the folder is the user's. */
static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static ptowsp_status log_bind(void *handle, const char *path, struct ptowsp_error *error)
{
	int (*bind)(struct ascend_log_state *);

	*(void **)&bind = dlsym(handle, "simpler_host_log_bind_state");
	if (!bind)
		return rt_fail(error, PTOWSP_UNSUPPORTED,
			       "%s of runtime=DIR has no simpler_host_log_bind_state: it is of another generation than 4; rebuild the runtime", name_of(path));
	if (!log_state())
		return rt_no_memory(error, "the log of the runtime");
	return bind(log_state())
		       ? rt_fail(error, PTOWSP_UNSUPPORTED, "%s of runtime=DIR refuses log records of version %u; a pto-runtime of August 2026 is needed",
				 name_of(path), ASCEND_LOG_VERSION)
		       : PTOWSP_OK;
}

static ptowsp_status refused(const char *path, struct ptowsp_error *error)
{
	const char *why = dlerror();
	const size_t length = strlen(path);

	if (why && !strncmp(why, path, length) && why[length] == ':')
		why += length + strspn(why + length, ": "); /* the file is named */
	return rt_fail(error, PTOWSP_NO_DEVICE, "%s of runtime=DIR cannot be loaded: %.120s", name_of(path), why ? why : "no reason was given");
}

static ptowsp_status context_open(const char *path, struct ptowsp_error *error)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
	ptowsp_status status;

	if (!handle)
		return refused(path, error);
	status = log_bind(handle, path, error);
	dlclose(handle); /* it stays: NODELETE */
	return status;
}

static ptowsp_status generation_check(const struct ascend_library *library, const char *path, struct ptowsp_error *error)
{
	enum ascend_generation found = ascend_generation_find(library->handle);

	if (found == ASCEND_GENERATION_4)
		return PTOWSP_OK;
	return rt_fail(error, PTOWSP_UNSUPPORTED, "%s of runtime=DIR has %s; engine=pto-runtime needs %s: build it from sources of that time", name_of(path),
		       ascend_generation_text(found), ascend_generation_text(ASCEND_GENERATION_4));
}

static ptowsp_status functions_find(struct ascend_library *library, const char *path, struct ptowsp_error *error)
{
#define X(result, name, arguments)                                                                                                                             \
	*(void **)&library->name = dlsym(library->handle, #name);                                                                                              \
	if (!library->name)                                                                                                                                    \
		return rt_fail(error, PTOWSP_UNSUPPORTED, "%s of runtime=DIR is of generation 4 but has no %s: it is of another month; rebuild the runtime",   \
			       name_of(path), #name);
#include "ascend/engine/library.def"
#undef X
	return PTOWSP_OK;
}

/* Depth 0 or beyond what a descriptor can name, or more resources than the record holds: another layout. */
static ptowsp_status contract_check(struct ascend_library *library, const char *path, struct ptowsp_error *error)
{
	const struct ascend_contract *contract = library->get_pipeline_contract();

	if (!contract || contract->abi_version != ASCEND_CONTRACT_VERSION || !contract->depth || contract->depth > ASCEND_DEPTH ||
	    contract->resource_count > ASCEND_RESOURCES)
		return rt_fail(error, PTOWSP_UNSUPPORTED,
			       "%s of runtime=DIR has a pipeline contract of version %u, depth %u, %u resources; needed: version %u, depth 1 to %d",
			       name_of(path), contract ? contract->abi_version : 0, contract ? contract->depth : 0, contract ? contract->resource_count : 0,
			       ASCEND_CONTRACT_VERSION, ASCEND_DEPTH);
	library->contract = *contract;
	return PTOWSP_OK;
}

static ptowsp_status sizes_check(struct ascend_library *library, const char *path, struct ptowsp_error *error)
{
	size_t size = library->get_runtime_size(), alignment = library->get_runtime_alignment();

	if (size < sizeof(uint64_t) || size > UINT32_MAX || alignment < sizeof(void *) || alignment & (alignment - 1))
		return rt_fail(error, PTOWSP_UNSUPPORTED,
			       "%s of runtime=DIR wants %zu bytes for a run, aligned to %zu: that is no size of generation 4; rebuild the runtime",
			       name_of(path), size, alignment);
	library->runtime_size = size;
	library->runtime_alignment = alignment;
	return PTOWSP_OK;
}

ptowsp_status ascend_library_open(struct ascend_library *library, const struct ascend_files *files, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	*library = (struct ascend_library){0};
	if (*files->context)
		status = context_open(files->context, error);
	if (status)
		return status;
	library->handle = dlopen(files->host, RTLD_NOW | RTLD_LOCAL);
	if (!library->handle)
		return refused(files->host, error);
	status = generation_check(library, files->host, error);
	if (!status)
		status = log_bind(library->handle, files->host, error);
	if (!status)
		status = functions_find(library, files->host, error);
	if (!status)
		status = contract_check(library, files->host, error);
	if (!status)
		status = sizes_check(library, files->host, error);
	if (status)
		ascend_library_close(library);
	return status;
}

void ascend_library_close(struct ascend_library *library)
{
	if (library->handle)
		dlclose(library->handle);
	*library = (struct ascend_library){0};
}
