/* SPDX-License-Identifier: MIT */
/* sim.c - cpu_sim with one obligation of abi/README.md broken at a time, by -DWRONG=NAME of the list below: what only a backend that runs real programs can get wrong.
 * RUNS_NATIVE_ONLY breaks none: it claims no portable payload, and runs of what is not trusted end UNSUPPORTED. odd.ninja builds one plugin of each, verdicts.def has what
 * is said of them. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ptowsp/note.h"
#include "ptowsp/ptowsp.h"
#include "tests/hostile/hostile.h"

enum wrong {
	TRUSTS_KERNELS,
	HEEDS_NO_CANCEL,
	MISNAMES_DEADLINES,
	HEEDS_NO_DEADLINE,
	LOADS_CODE_ITSELF,
	KEEPS_CODE,
	HEARS_NO_NOTES,
	DROPS_SCHEDULES,
	RUNS_NATIVE_ONLY
};

static int is(enum wrong which)
{
	return which == WRONG;
}

PTOWSP_NOTE(0, "null", "example", "1.0.0", "null");

enum { INSTANCES = 64, SECTIONS = 64 };
static struct ptowsp_host hosts[INSTANCES]; /* services for cpu_sim: the host's, with a little of our own */
static unsigned host_count;
static struct ptowsp_host host_of; /* that of the latest instance, which may be gone: its services take the context of any */
static volatile unsigned char looked;
static bool trusted; /* the program loaded last */

/* ---- services ---------------------------------------------------------------------------------------------------- */

static void done_misnamed(void *context, const struct ptowsp_done *done)
{
	struct ptowsp_done own = *done;
	struct ptowsp_error error;

	if (done->error && done->status == PTOWSP_DEADLINE) {
		error = *done->error;
		error.code = own.status = PTOWSP_RUN_FAILED;
		own.error = &error;
	}
	host_of.done(context, &own);
}

static void done_native(void *context, const struct ptowsp_done *done)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR), .code = PTOWSP_UNSUPPORTED, .text = "a kernel has no native code that is trusted"};
	struct ptowsp_done own = *done;

	if (done->stats->tasks && !trusted) {
		own.status = error.code;
		own.error = &error;
	}
	host_of.done(context, &own);
}

/* Whatever the host says of trust. */
static ptowsp_status code_take(void *context, const char *kernel, const void *bytes, uint64_t size, const char *entry, uint64_t entry_offset,
			       const void **function_out, struct ptowsp_error *error)
{
	int fd = memfd_create(kernel, 0);
	char path[64];

	(void)context, (void)entry_offset, (void)error;
	if (write(fd, bytes, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*function_out = dlsym(dlopen(path, RTLD_NOW | RTLD_LOCAL), entry);
	close(fd);
	return PTOWSP_OK;
}

/* What was found for the first program is good for all. */
static ptowsp_status code_keep(void *context, const char *kernel, const void *bytes, uint64_t size, const char *entry, uint64_t entry_offset,
			       const void **function_out, struct ptowsp_error *error)
{
	static const void *first;
	const struct ptowsp_code_extension *code = host_of.extension(context, PTOWSP_EXTENSION_CODE);
	ptowsp_status status = first ? PTOWSP_OK : code->load(context, kernel, bytes, size, entry, entry_offset, &first, error);

	*function_out = first;
	return status;
}

static const void *extension(void *context, const char *id)
{
	static const struct ptowsp_code_extension own = {PTOWSP_HEAD(own, EXTENSION), code_take}, kept = {PTOWSP_HEAD(kept, EXTENSION), code_keep};

	if (is(LOADS_CODE_ITSELF) && !strcmp(id, PTOWSP_EXTENSION_CODE))
		return &own;
	if (is(KEEPS_CODE) && !strcmp(id, PTOWSP_EXTENSION_CODE))
		return &kept;
	return is(HEARS_NO_NOTES) && !strcmp(id, PTOWSP_EXTENSION_NOTIFY) ? NULL : host_of.extension(context, id);
}

/* ---- operations -------------------------------------------------------------------------------------------------- */

static ptowsp_status sim_init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct ptowsp_host *own = &hosts[host_count++ % INSTANCES];

	host_of = *host;
	*own = *host;
	own->extension = extension;
	if (is(MISNAMES_DEADLINES))
		own->done = done_misnamed;
	if (is(RUNS_NATIVE_ONLY))
		own->done = done_native;
	return cpu_ops.init(own, args, out, error);
}

static ptowsp_status sim_capabilities(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *out, uint32_t stride, uint32_t *count,
				      struct ptowsp_error *error)
{
	ptowsp_status status = cpu_ops.capabilities(instance, device, out, stride, count, error);

	for (uint32_t i = 0; !status && is(RUNS_NATIVE_ONLY) && i < *count; i++) {
		struct ptowsp_cap *row = (void *)((char *)out + (size_t)i * stride);

		if (row->feature == PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO))
			row->state = PTOWSP_STATE_UNSUPPORTED;
	}
	return status;
}

/* Walks each tile program as far as it says it goes. */
static void kernels_walk(const struct ptowsp_section *code)
{
	for (uint64_t at = 0; at + sizeof(struct ptowsp_tile_header) <= code->count; at += 64) {
		const struct ptowsp_tile_header *header = (const void *)((const char *)code->data + at);

		for (uint32_t i = 0; header->magic == PTOWSP_TILE_MAGIC && i < header->inst_count; i++)
			looked = ((volatile const struct ptowsp_tile_inst *)(header + 1))[i].op;
	}
}

static ptowsp_status sim_load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **out, struct ptowsp_error *error)
{
	struct ptowsp_section sections[SECTIONS];
	struct ptowsp_load_args own = *args;
	uint32_t count = 0;

	trusted = args->flags & PTOWSP_LOAD_TRUST_NATIVE;
	for (uint32_t i = 0; i < args->section_count && i < SECTIONS; i++) {
		const struct ptowsp_section *s = (const void *)((const char *)args->sections + (size_t)i * args->section_stride);

		if (is(TRUSTS_KERNELS) && s->type == PTOWSP_SECTION_CODE)
			kernels_walk(s);
		if (!(is(DROPS_SCHEDULES) && s->type == PTOWSP_SECTION_SCHD))
			sections[count++] = *s;
	}
	if (!is(DROPS_SCHEDULES) && !is(LOADS_CODE_ITSELF))
		return cpu_ops.load(device, args, out, error);
	own.sections = sections;
	own.section_count = count;
	own.section_stride = sizeof(*sections);
	own.flags |= is(LOADS_CODE_ITSELF) ? PTOWSP_LOAD_TRUST_NATIVE : 0;
	return cpu_ops.load(device, &own, out, error);
}

static ptowsp_status sim_submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct ptowsp_run_args own = *args;

	own.deadline_ns = 0;
	return cpu_ops.submit(device, is(HEEDS_NO_DEADLINE) ? &own : args, error);
}

static ptowsp_status sim_cancel(struct ptowsp_object *device, uint64_t token, struct ptowsp_error *error)
{
	return is(HEEDS_NO_CANCEL) ? PTOWSP_OK : cpu_ops.cancel(device, token, error);
}

HOSTILE_CPU_SIM(ops.init = sim_init; ops.capabilities = sim_capabilities; ops.load = sim_load; ops.submit = sim_submit; ops.cancel = sim_cancel;)
