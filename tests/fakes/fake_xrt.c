/* SPDX-License-Identifier: MIT
 * fake_xrt.c - the objects of fake_xrt.h: what may be done with them in which order, and how many there are. */
#include "xrt/include/fake_xrt.h"

#include "fake_log.h"
#include "fake_xrt_run.h"
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char fake_xrt_why[256];

struct fake_device {
	unsigned registered; /* number of an xclbin */
};
struct fake_xclbin {
	struct fake_design *design;
	unsigned number;
};
struct fake_context {
	struct fake_design *design; /* borrowed from the xclbin, which the process keeps */
	unsigned number;
	bool kernel;
};
struct fake_bo {
	unsigned char *host, *there; /* what the host sees; what the device sees */
	size_t size;
	uint32_t flags, group;
};
struct fake_run {
	struct fake_context *context;
	uint64_t opcode, words;
	struct fake_bo *instructions, *bos[64];
	unsigned given;
	int state;
};

enum {
	GROUP = 0x100,
	FIXED = 3,
	STATE_NEW = 1,
	STATE_RUNNING = 3,
	STATE_COMPLETED = 4,
	STATE_ERROR = 5,
	STATE_ABORT = 6,
	STATE_TIMEOUT = 8,
	CACHEABLE = 1 << 24,
	HOST_ONLY = 1 << 29
};

static atomic_int devices, xclbins, contexts, bos, runs;
static struct fake_design *designs[64]; /* by number, from 1 */
static unsigned design_count;

/* ---- what is said, and what goes wrong ---------------------------------------------------------------------------------- */

const char *const fake_log_variable = "FAKE_XRT_LOG";

/* A word of FAKE_XRT. */
static bool wrong(const char *word)
{
	const char *list = getenv("FAKE_XRT"), *at = list ? strstr(list, word) : NULL;
	size_t length = strlen(word);

	while (at && ((at > list && at[-1] != ' ') || (at[length] && at[length] != ' ')))
		at = strstr(at + 1, word);
	return at;
}

static bool fails(const char *word, const char *why)
{
	if (!wrong(word))
		return false;
	snprintf(fake_xrt_why, sizeof(fake_xrt_why), "%s", why);
	return true;
}

static bool refused(bool it, const char *why)
{
	if (it) {
		snprintf(fake_xrt_why, sizeof(fake_xrt_why), "%s", why);
		fake_log("refused: %s", why);
	}
	return it;
}

__attribute__((destructor)) static void end(void)
{
	for (unsigned d = 0; d < design_count; d++)
		fake_design_close(designs[d]);
	fake_log("alive: %d devices, %d xclbins, %d contexts, %d buffers, %d runs", atomic_load(&devices), atomic_load(&xclbins), atomic_load(&contexts),
		 atomic_load(&bos), atomic_load(&runs));
}

/* ---- devices ------------------------------------------------------------------------------------------------------------ */

struct fake_device *fake_device_open(unsigned index)
{
	struct fake_device *device;

	fake_log("device %u", index);
	if (wrong("abort_open"))
		abort();
	if (fails("no_device", "No such device '0'") || !(device = calloc(1, sizeof(*device))))
		return NULL;
	atomic_fetch_add(&devices, 1);
	return device;
}

void fake_device_close(struct fake_device *device)
{
	fake_log("device closed");
	atomic_fetch_sub(&devices, 1);
	free(device);
}

const char *fake_device_name(const struct fake_device *device)
{
	(void)device;
	return wrong("strix") ? "NPU Strix" : wrong("nameless") ? "" : "NPU Phoenix";
}

struct fake_xclbin *fake_xclbin_open(const char *path)
{
	struct fake_xclbin *xclbin;

	fake_log("xclbin");
	if (fails("bad_xclbin", "xclbin is corrupted"))
		return NULL;
	xclbin = calloc(1, sizeof(*xclbin));
	if (!xclbin || design_count == 64 || !(xclbin->design = fake_design_open(path, fake_xrt_why, sizeof(fake_xrt_why)))) {
		free(xclbin);
		return NULL;
	}
	designs[design_count++] = xclbin->design;
	xclbin->number = design_count;
	atomic_fetch_add(&xclbins, 1);
	return xclbin;
}

void fake_xclbin_close(struct fake_xclbin *xclbin)
{
	atomic_fetch_sub(&xclbins, 1);
	free(xclbin);
}

const char *fake_xclbin_kernel(const struct fake_xclbin *xclbin)
{
	(void)xclbin;
	return wrong("other_kernel") ? "vadd" : "MLIR_AIE";
}

size_t fake_xclbin_args(const struct fake_xclbin *xclbin)
{
	unsigned arguments = fake_design_arguments(xclbin->design);

	return wrong("few_args") ? FIXED + 1 : FIXED + (arguments < 5 ? 5 : arguments);
}

unsigned fake_xclbin_number(const struct fake_xclbin *xclbin)
{
	return xclbin->number;
}

int fake_register(struct fake_device *device, struct fake_xclbin *xclbin)
{
	fake_log("register");
	if (fails("register", "Operation not supported"))
		return -1;
	device->registered = xclbin->number;
	return 0;
}

struct fake_context *fake_context_make(struct fake_device *device, unsigned number)
{
	struct fake_context *context;

	fake_log("context");
	if (refused(device->registered != number, "the xclbin is not registered") ||
	    fails("firmware", "DRM_IOCTL_AMDXDNA_CREATE_HWCTX IOCTL failed (err=-22): Invalid argument") || !(context = calloc(1, sizeof(*context))))
		return NULL;
	*context = (struct fake_context){designs[number - 1], number, false};
	atomic_fetch_add(&contexts, 1);
	return context;
}

void fake_context_close(struct fake_context *context)
{
	fake_log("context closed");
	atomic_fetch_sub(&contexts, 1);
	free(context);
}

int fake_kernel(struct fake_context *context, const char *name)
{
	fake_log("kernel %s", name);
	context->kernel = true;
	return refused(!strstr(name, "MLIR_AIE"), "no such kernel") ? -1 : 0;
}

int fake_group(const struct fake_context *context, int argument)
{
	(void)context;
	return GROUP + argument;
}

/* ---- buffers ------------------------------------------------------------------------------------------------------------ */

struct fake_bo *fake_bo_make(struct fake_device *device, size_t size, uint32_t flags, uint32_t group)
{
	struct fake_bo *bo = calloc(1, sizeof(*bo));

	(void)device;
	fake_log("buffer %zu %s %u", size, flags == CACHEABLE ? "cacheable" : flags == HOST_ONLY ? "host_only" : "other", group - GROUP);
	if (!bo || refused(!size, "no bytes") || (group - GROUP > 1 && fails("buffer", "std::bad_alloc of a buffer")) ||
	    (group - GROUP == 1 && fails("words", "no room in the device heap"))) {
		free(bo);
		return NULL;
	}
	*bo = (struct fake_bo){malloc(size), malloc(size), size, flags, group};
	memset(bo->host, 0xAB, size);
	memset(bo->there, 0xCD, size);
	atomic_fetch_add(&bos, 1);
	return bo;
}

void fake_bo_close(struct fake_bo *bo)
{
	fake_log("buffer closed %u", bo->group - GROUP);
	atomic_fetch_sub(&bos, 1);
	free(bo->host);
	free(bo->there);
	free(bo);
}

void *fake_bo_map(struct fake_bo *bo)
{
	return bo->group - GROUP > 1 && fails("map", "mmap failed") ? NULL : bo->host;
}

int fake_bo_sync(struct fake_bo *bo, int from_device, size_t size, size_t offset)
{
	fake_log("sync %s %u", from_device ? "from" : "to", bo->group - GROUP);
	if (refused(size > bo->size || offset > bo->size - size, "beyond the buffer") ||
	    (bo->group - GROUP > 1 && fails(from_device ? "sync_from" : "sync_to", "sync failed")))
		return -1;
	if (from_device)
		memcpy(bo->host + offset, bo->there + offset, size);
	else
		memcpy(bo->there + offset, bo->host + offset, size);
	return 0;
}

size_t fake_bo_size(const struct fake_bo *bo)
{
	return bo->size;
}

/* ---- runs --------------------------------------------------------------------------------------------------------------- */

struct fake_run *fake_run_make(struct fake_context *context)
{
	struct fake_run *run = refused(!context->kernel, "a run without a kernel") ? NULL : calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->context = context;
	run->state = STATE_NEW;
	atomic_fetch_add(&runs, 1);
	return run;
}

void fake_run_close(struct fake_run *run)
{
	fake_log("run closed");
	atomic_fetch_sub(&runs, 1);
	free(run);
}

int fake_run_number(struct fake_run *run, int index, uint64_t value)
{
	if (index == 0)
		run->opcode = value;
	else
		run->words = value;
	return refused(index != 0 && index != 2, "a number where a buffer belongs") ? -1 : 0;
}

int fake_run_bo(struct fake_run *run, int index, struct fake_bo *bo)
{
	bool instructions = index == 1;

	if (refused(bo->group != (uint32_t)(GROUP + index), "a buffer of another group") ||
	    refused(bo->flags != (instructions ? (uint32_t)CACHEABLE : (uint32_t)HOST_ONLY), "flags of another kind of buffer") ||
	    refused(index < 1 || index == 2 || index >= FIXED + 64, "an argument that the kernel has not"))
		return -1;
	if (instructions)
		run->instructions = bo;
	else
		run->bos[index - FIXED] = bo;
	run->given += !instructions;
	return 0;
}

/* Executes all of it here, from the device's memory. */
static int execute(struct fake_run *run)
{
	void *arguments[64];
	const char *why;

	for (unsigned b = 0; b < run->given; b++)
		arguments[b] = run->bos[b] ? run->bos[b]->there : NULL;
	why = fake_design_run(run->context->design, (const uint32_t *)(const void *)run->instructions->there, run->words, arguments, run->given);
	if (why)
		fake_log("the run: %s", why);
	return why ? STATE_ERROR : STATE_COMPLETED;
}

int fake_run_start(struct fake_run *run)
{
	fake_log("start: opcode %llu, %llu words, %u buffers", (unsigned long long)run->opcode, (unsigned long long)run->words, run->given);
	if (fails("start", "no slot in the queue") || refused(run->opcode != 3, "opcode") ||
	    refused(!run->instructions || run->words * 4 != run->instructions->size, "instructions"))
		return -1;
	run->state = wrong("hang") ? STATE_RUNNING : wrong("error_state") ? STATE_ERROR : wrong("timeout_state") ? STATE_TIMEOUT : execute(run);
	return 0;
}

int fake_run_wait(struct fake_run *run, unsigned ms)
{
	if (refused(!ms, "a wait without an end") || fails("wait", "Failed to wait for command: Input/output error"))
		return -1;
	if (run->state == STATE_RUNNING)
		return STATE_TIMEOUT;
	fake_log("wait: state %d", run->state);
	return run->state;
}

int fake_run_state(const struct fake_run *run)
{
	return run->state;
}

int fake_run_abort(struct fake_run *run)
{
	fake_log("abort");
	if (fails("abort", "abort is not supported"))
		return -1;
	run->state = STATE_ABORT;
	return 0;
}
