/* SPDX-License-Identifier: MIT */
/* fake_cann.c - libruntime.so for tests without a device; fake_cann_acl.c and fake_cann_hal.c are the other two libraries, and the state of all is here. They execute nothing, and mind
 * who calls them: order of calls, sizes, lifetimes.
 *
 *   FAKE_CANN_LOG=FILE         a line per call; "WRONG ..." for what must not be, which the call then refuses
 *   FAKE_CANN_FAULT=NAME:CODE  function NAME answers CODE; from 507000 on, and where a stream is waited for, the device has failed, and so does everything until it is reset by force */
#include "fake_cann.h"

#include "fake_log.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const fake_log_variable = "FAKE_CANN_LOG";

enum kind { MEMORY, STREAM, BINARY, CPU_BINARY, FUNCTION, KINDS };
static const char *const kinds[] = {"blocks of memory", "streams", "AICore binaries", "AICPU binaries", "functions"};
/* Whatever a handle stands for. */
struct thing {
	struct thing *next;
	enum kind kind;
	struct thing *of; /* FUNCTION: its binary */
	uint64_t size;    /* MEMORY */
	char *memory;
	int pending;         /* STREAM: launches that nobody waited for */
	bool cores, threads; /* STREAM: what was launched there */
};
static struct thing *things;
static int device = -1;
static bool failed, cores_pending; /* AICore was launched and the AICPU was not */

int fake_cann_wrong(const char *format, ...)
{
	char text[200];

	FAKE_LOG_WRONG(text, format);
	return FAKE_CANN_WRONG;
}

int fake_cann_call(const char *name)
{
	const char *text = getenv("FAKE_CANN_FAULT");
	size_t length = strlen(name);
	int code;

	fake_log("%s", name);
	if (failed && strcmp(name, "aclrtResetDeviceForce") && strcmp(name, "rtFree") && strcmp(name, "rtStreamDestroy") && strcmp(name, "rtsBinaryUnload") &&
	    strcmp(name, "aclFinalize"))
		return FAKE_CANN_FAULT;
	if (!text || strncmp(text, name, length) || text[length] != ':')
		return 0;
	code = atoi(text + length + 1);
	failed |= code >= 507000 || !strcmp(name, "aclrtSynchronizeStreamWithTimeout"); /* nobody knows what a stream does that was waited for in vain */
	return code;
}

int fake_cann_device(void)
{
	return device;
}

/* What every call but the first needs. */
static int begin(const char *name)
{
	int rc = fake_cann_call(name);

	return rc ? rc : device < 0 ? fake_cann_wrong("%s before rtSetDevice", name) : 0;
}

static struct thing *thing_find(const void *handle, enum kind kind)
{
	struct thing *thing = things;

	while (thing && (thing != handle || thing->kind != kind))
		thing = thing->next;
	return thing;
}

static struct thing *thing_add(enum kind kind)
{
	struct thing *thing = calloc(1, sizeof(*thing));

	if (!thing)
		abort();
	*thing = (struct thing){.next = things, .kind = kind};
	return things = thing;
}

static void thing_drop(struct thing *thing)
{
	struct thing **at = &things;

	while (*at != thing)
		at = &(*at)->next;
	*at = thing->next;
	free(thing->memory);
	free(thing);
}

int rtSetDevice(int32_t number)
{
	int rc = fake_cann_call("rtSetDevice");

	if (rc)
		return rc;
	if (number < 0 || device >= 0)
		return fake_cann_wrong("rtSetDevice %d: device %d is set", number, device);
	device = number;
	return 0;
}

/* ---- memory ---------------------------------------------------------------------------------------------------------- */

int rtMalloc(void **memory, uint64_t size, uint32_t type, uint16_t module)
{
	int rc = begin("rtMalloc");
	struct thing *thing;

	if (rc)
		return rc;
	if (!size || type != RT_MEMORY_HBM || module)
		return fake_cann_wrong("rtMalloc of %llu bytes of type %u", (unsigned long long)size, type);
	thing = thing_add(MEMORY);
	thing->size = size;
	thing->memory = aligned_alloc(512, (size + 511) / 512 * 512);
	if (!thing->memory)
		abort();
	memset(thing->memory, 0xA5, size);
	*memory = thing->memory;
	return 0;
}

static struct thing *memory_of(const void *address, uint64_t size)
{
	for (struct thing *thing = things; thing; thing = thing->next)
		if (thing->kind == MEMORY && (const char *)address >= thing->memory && (const char *)address + size <= thing->memory + thing->size)
			return thing;
	return NULL;
}

static bool is_pending(void)
{
	for (const struct thing *thing = things; thing; thing = thing->next)
		if (thing->pending)
			return true;
	return false;
}

int rtFree(void *memory)
{
	int rc = begin("rtFree");
	struct thing *thing = memory_of(memory, 0);

	if (rc)
		return rc;
	if (!thing || thing->memory != memory || (is_pending() && !failed))
		return fake_cann_wrong("rtFree of what is no block, or while a stream has work");
	thing_drop(thing);
	return 0;
}

int rtMemcpy(void *to, uint64_t most, const void *from, uint64_t size, uint32_t kind)
{
	int rc = begin("rtMemcpy");
	const void *there = kind == RT_MEMCPY_HOST_TO_DEVICE ? to : from;

	if (rc)
		return rc;
	if (size > most || (kind != RT_MEMCPY_HOST_TO_DEVICE && kind != RT_MEMCPY_DEVICE_TO_HOST) || !memory_of(there, size) ||
	    memory_of(kind == RT_MEMCPY_HOST_TO_DEVICE ? from : to, 1))
		return fake_cann_wrong("rtMemcpy of %llu bytes, kind %u: not between the host and a block that large", (unsigned long long)size, kind);
	memcpy(to, from, size);
	return 0;
}

/* ---- streams --------------------------------------------------------------------------------------------------------- */

int rtStreamCreate(void **stream, int32_t priority)
{
	int rc = begin("rtStreamCreate");

	(void)priority;
	if (!rc)
		*stream = thing_add(STREAM);
	return rc;
}

int rtStreamDestroy(void *stream)
{
	int rc = begin("rtStreamDestroy");
	struct thing *thing = thing_find(stream, STREAM);

	if (rc)
		return rc;
	if (!thing || (thing->pending && !failed))
		return fake_cann_wrong("rtStreamDestroy of what is no stream, or has work");
	thing_drop(thing);
	return 0;
}

int fake_cann_stream_wait(void *stream)
{
	struct thing *thing = thing_find(stream, STREAM);

	if (!thing)
		return fake_cann_wrong("a stream is waited for that there is not");
	thing->pending = 0;
	return cores_pending ? fake_cann_wrong("the AICore was launched, and no AICPU gives it work") : 0;
}

/* ---- code ------------------------------------------------------------------------------------------------------------ */

int rtRegisterAllKernel(const rtDevBinary_t *binary, void **handle)
{
	int rc = begin("rtRegisterAllKernel");

	if (rc)
		return rc;
	if (binary->magic != RT_DEV_BINARY_MAGIC_ELF || binary->version || !binary->data || !binary->length)
		return fake_cann_wrong("rtRegisterAllKernel of what is no binary");
	for (const struct thing *thing = things; thing; thing = thing->next)
		if (thing->kind == BINARY)
			return fake_cann_wrong("rtRegisterAllKernel a second time: there is no way to take it back");
	*handle = thing_add(BINARY);
	return 0;
}

int rtsBinaryLoadFromFile(const char *path, const void *config, void **handle)
{
	int rc = begin("rtsBinaryLoadFromFile");

	(void)config;
	if (rc)
		return rc;
	if (access(path, R_OK))
		return fake_cann_wrong("rtsBinaryLoadFromFile: no file %s", path);
	*handle = thing_add(CPU_BINARY);
	return 0;
}

int rtsBinaryUnload(void *handle)
{
	int rc = begin("rtsBinaryUnload");
	struct thing *thing = thing_find(handle, CPU_BINARY), *next;

	if (rc)
		return rc;
	if (!thing || (is_pending() && !failed))
		return fake_cann_wrong("rtsBinaryUnload of what is no binary, or while a stream has work");
	for (struct thing *function = things; function; function = next) {
		next = function->next;
		if (function->kind == FUNCTION && function->of == thing)
			thing_drop(function);
	}
	thing_drop(thing);
	return 0;
}

int rtsFuncGetByName(void *handle, const char *name, void **function)
{
	int rc = begin("rtsFuncGetByName");
	struct thing *thing = thing_find(handle, CPU_BINARY);

	if (rc)
		return rc;
	if (!thing || strncmp(name, "simpler_aicpu_", 14))
		return fake_cann_wrong("rtsFuncGetByName %s of a binary without it", name);
	thing_add(FUNCTION)->of = thing;
	*function = things;
	return 0;
}

static int launch(const char *name, void *stream, const rtArgsEx_t *args, bool cores)
{
	struct thing *thing = thing_find(stream, STREAM);

	if (!thing || !args || !args->args || !args->argsSize)
		return fake_cann_wrong("%s without a stream or arguments", name);
	if (cores ? thing->threads : thing->cores)
		return fake_cann_wrong("%s on the stream of the other", name);
	thing->cores |= cores;
	thing->threads |= !cores;
	thing->pending++;
	return 0;
}

/* args: 8 bytes, the address of the block with the kernel's own arguments. */
int rtKernelLaunchWithHandleV2(void *handle, uint64_t key, uint32_t blocks, const rtArgsEx_t *args, void *l2, void *stream, const rtTaskCfgInfo_t *config)
{
	int rc = begin("rtKernelLaunchWithHandleV2");
	void *block;

	(void)key;
	(void)l2;
	if (rc)
		return rc;
	if (!thing_find(handle, BINARY) || !blocks || blocks > 24 || !config || config->schemMode != RT_SCHEM_MODE_BATCH || args->argsSize != sizeof(block) ||
	    cores_pending)
		return fake_cann_wrong("rtKernelLaunchWithHandleV2 of %u blocks: no binary, mode or size, or a second one", blocks);
	memcpy(&block, args->args, sizeof(block));
	if (!memory_of(block, 1))
		return fake_cann_wrong("rtKernelLaunchWithHandleV2: its arguments are not on the device");
	rc = launch("rtKernelLaunchWithHandleV2", stream, args, true);
	cores_pending = !rc;
	return rc;
}

int rtAicpuKernelLaunchExWithArgs(uint32_t type, const char *op, uint32_t blocks, const rtAicpuArgsEx_t *args, void *l2, void *stream, uint32_t flags)
{
	int rc = begin("rtAicpuKernelLaunchExWithArgs");
	const rtArgsEx_t plain = {args->args, args->argsSize};

	(void)l2;
	(void)flags;
	if (rc)
		return rc;
	if (type != KERNEL_TYPE_AICPU_KFC || strcmp(op, "AST_DYN_AICPU") || blocks != 1 || !args->kernelName || !args->soName)
		return fake_cann_wrong("rtAicpuKernelLaunchExWithArgs of %s", op);
	return launch("rtAicpuKernelLaunchExWithArgs", stream, &plain, false);
}

/* Of a run the cores have to be there first. */
int rtsLaunchCpuKernel(void *function, uint32_t blocks, void *stream, const void *config, const rtCpuKernelArgs_t *args)
{
	int rc = begin("rtsLaunchCpuKernel");

	(void)config;
	if (rc)
		return rc;
	if (!thing_find(function, FUNCTION) || !blocks || (blocks > 1 && !cores_pending))
		return fake_cann_wrong("rtsLaunchCpuKernel of %u threads: no function, or no cores that wait for them", blocks);
	if (blocks > 1)
		cores_pending = false;
	return launch("rtsLaunchCpuKernel", stream, &args->baseArgs, false);
}

int fake_cann_left(int32_t number, int forced)
{
	uint32_t counts[KINDS] = {0};

	if (number != device)
		return fake_cann_wrong("device %d is reset, %d is set", number, device);
	if (failed && !forced)
		return fake_cann_wrong("a device that has failed is reset without force");
	for (const struct thing *thing = things; thing; thing = thing->next)
		counts[thing->kind]++;
	counts[BINARY] = 0; /* stays: nothing takes it back */
	for (int kind = 0; kind < KINDS; kind++)
		if (counts[kind])
			fake_cann_wrong("%u %s are left on device %d", counts[kind], kinds[kind], number);
	while (things)
		thing_drop(things);
	device = -1;
	failed = cores_pending = false;
	return 0;
}
