/* SPDX-License-Identifier: MIT */
/* fake_device_cann.c - a device by way of the fake CANN. What its cores would run is machine code of this processor, run here from a file in memory, as a worker process lets no memory become code, or, where it says "fake code PATH",
 * a shared object (cann/ld.lld). */
#include "fake_cann.h"
#include "fake_device.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { THREADS = 4, CORES = 24, WAIT_MS = 50000 };

static struct {
	void *runtime, *ascendcl, *ascend_hal; /* the libraries */
#define X(library, name, parameters) int(*name) parameters;
	FAKE_CANN_FUNCTIONS(X)
#undef X
	int device;
	void *cores, *threads;                    /* streams */
	void *binary, *aicpu, *init, *load, *run; /* of the AICore; of the AICPU with its functions */
	void *args;                               /* of a run, on the device */
	char json[4096];
	int inited, faulted;
} cann;

static int failed(const char *name, int rc)
{
	fprintf(stderr, "[mono_ns=0][T0x0][ERROR] device_runner: %s answers %d\n", name, rc);
	cann.faulted |= rc >= 507000 || strstr(name, "Synchronize");
	return -1;
}
#define TRY(name, ...)                                                                                                                                         \
	do {                                                                                                                                                   \
		int rc_ = cann.name(__VA_ARGS__);                                                                                                              \
		if (rc_)                                                                                                                                       \
			return failed(#name, rc_);                                                                                                             \
	} while (0)

static int library_open(void **handle, const char *folder, const char *name)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s%s%s", folder ? folder : "", folder ? "/lib64/" : "", name);
	*handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (!*handle)
		fprintf(stderr, "[mono_ns=0][T0x0][ERROR] device_runner: %s\n", dlerror());
	return *handle ? 0 : -1;
}

/* The driver's is found by the linker; the others are the toolkit's. */
static int libraries_open(void)
{
	const char *home = getenv("ASCEND_HOME_PATH");

	if (!home || library_open(&cann.runtime, home, "libruntime.so") || library_open(&cann.ascendcl, home, "libascendcl.so") ||
	    library_open(&cann.ascend_hal, NULL, "libascend_hal.so"))
		return -1;
#define X(library, name, parameters)                                                                                                                           \
	*(void **)&cann.name = dlsym(cann.library, #name);                                                                                                     \
	if (!cann.name)                                                                                                                                        \
		return failed(#name " is not there, which", -1);
	FAKE_CANN_FUNCTIONS(X)
#undef X
	return 0;
}

static void libraries_close(void)
{
	void *const handles[] = {cann.ascend_hal, cann.ascendcl, cann.runtime};

	for (size_t i = 0; i < sizeof(handles) / sizeof(*handles); i++)
		if (handles[i])
			dlclose(handles[i]);
	memset(&cann, 0, sizeof(cann));
}

/* Through it the AICPU gets its library. */
static int dispatcher_send(const uint8_t *dispatcher, size_t size)
{
	uint64_t words[20] = {[14] = (uint64_t)cann.device};
	const rtAicpuArgsEx_t args = {"DynTileFwkKernelServerInit", "libaicpu_extend_kernels.so", words, sizeof(words)};
	void *memory = NULL;
	int rc;

	TRY(rtMalloc, &memory, size, RT_MEMORY_HBM, 0);
	rc = cann.rtMemcpy(memory, size, dispatcher, size, RT_MEMCPY_HOST_TO_DEVICE);
	words[12] = (uintptr_t)memory;
	words[13] = size;
	if (!rc)
		rc = cann.rtAicpuKernelLaunchExWithArgs(KERNEL_TYPE_AICPU_KFC, "AST_DYN_AICPU", 1, &args, NULL, cann.threads, 0);
	if (!rc && (rc = cann.aclrtSynchronizeStreamWithTimeout(cann.threads, WAIT_MS)))
		failed("aclrtSynchronizeStreamWithTimeout", rc);
	if (cann.rtFree(memory) || rc)
		return failed("the AICPU bootstrap", rc);
	return 0;
}

static int aicpu_load(void)
{
	const char *folder = getenv("TMPDIR");
	int fd;

	snprintf(cann.json, sizeof(cann.json), "%s/ptowsp_fake_XXXXXX", folder && *folder ? folder : "/tmp");
	fd = mkstemp(cann.json);
	if (fd < 0 || write(fd, "{}\n", 3) != 3)
		return failed("the op info", -1);
	close(fd);
	TRY(rtsBinaryLoadFromFile, cann.json, NULL, &cann.aicpu);
	TRY(rtsFuncGetByName, cann.aicpu, "simpler_aicpu_init", &cann.init);
	TRY(rtsFuncGetByName, cann.aicpu, "simpler_aicpu_register_callable", &cann.load);
	TRY(rtsFuncGetByName, cann.aicpu, "simpler_aicpu_exec", &cann.run);
	return 0;
}

/* One thread of the AICPU does one thing. */
static int aicpu_do(void *function)
{
	uint64_t word = (uintptr_t)cann.args;
	const rtCpuKernelArgs_t args = {{&word, sizeof(word)}};

	TRY(rtsLaunchCpuKernel, function, 1, cann.threads, NULL, &args);
	TRY(aclrtSynchronizeStreamWithTimeout, cann.threads, WAIT_MS);
	return 0;
}

static int start(int device, const uint8_t *aicore, size_t aicore_size, const uint8_t *dispatcher, size_t dispatcher_size)
{
	const rtDevBinary_t binary = {RT_DEV_BINARY_MAGIC_ELF, 0, aicore, aicore_size};
	uint32_t cubes = 0;

	TRY(aclInit, NULL);
	cann.inited = 1;
	TRY(rtSetDevice, device);
	cann.device = device;
	TRY(rtStreamCreate, &cann.threads, 0);
	TRY(rtStreamCreate, &cann.cores, 0);
	TRY(aclrtGetStreamResLimit, cann.cores, ACL_RT_DEV_RES_CUBE_CORE, &cubes);
	TRY(rtMalloc, &cann.args, 4096, RT_MEMORY_HBM, 0);
	if (dispatcher_send(dispatcher, dispatcher_size) || aicpu_load())
		return -1;
	TRY(rtRegisterAllKernel, &binary, &cann.binary);
	return cubes == CORES ? aicpu_do(cann.init) : failed("aclrtGetStreamResLimit", (int)cubes);
}

int fake_device_start(int device, const uint8_t *aicore, size_t aicore_size, const uint8_t *dispatcher, size_t dispatcher_size)
{
	int rc;

	if (!dispatcher || !dispatcher_size)
		return failed("simpler_init without a dispatcher", -1);
	cann.device = -1;
	rc = libraries_open();
	if (!rc)
		rc = start(device, aicore, aicore_size, dispatcher, dispatcher_size);
	if (rc)
		fake_device_stop();
	return rc;
}

void fake_device_stop(void)
{
	if (cann.aicpu)
		cann.rtsBinaryUnload(cann.aicpu);
	if (cann.args)
		cann.rtFree(cann.args);
	if (cann.cores)
		cann.rtStreamDestroy(cann.cores);
	if (cann.threads)
		cann.rtStreamDestroy(cann.threads);
	if (cann.device >= 0)
		(cann.faulted ? cann.aclrtResetDeviceForce : cann.aclrtResetDevice)(cann.device);
	if (cann.inited)
		cann.aclFinalize();
	if (*cann.json)
		unlink(cann.json);
	libraries_close();
}

void *fake_device_alloc(size_t size)
{
	void *memory = NULL;
	int rc = cann.rtMalloc(&memory, size, RT_MEMORY_HBM, 0);

	if (rc)
		failed("rtMalloc", rc);
	return rc ? NULL : memory;
}

void fake_device_free(void *memory)
{
	cann.rtFree(memory);
}

int fake_device_put(void *device, const void *host, size_t size)
{
	TRY(rtMemcpy, device, size, host, size, RT_MEMCPY_HOST_TO_DEVICE);
	return 0;
}

int fake_device_get(void *host, const void *device, size_t size)
{
	TRY(rtMemcpy, host, size, device, size, RT_MEMCPY_DEVICE_TO_HOST);
	return 0;
}

/* ---- code ------------------------------------------------------------------------------------------------------------ */

struct fake_code {
	void *memory, *text;
	void *object; /* with kernel_entry, in place of a text */
	size_t size;
};

static int text_map(struct fake_code *code, const void *bytes, size_t size)
{
	const int fd = memfd_create("fake code", MFD_CLOEXEC);
	void *text = MAP_FAILED;

	if (fd >= 0 && write(fd, bytes, size) == (ssize_t)size)
		text = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (fd >= 0)
		close(fd);
	if (text == MAP_FAILED)
		return failed("a core's code, mapped,", -1);
	code->text = text;
	code->size = size;
	return 0;
}

static int code_open(struct fake_code *code, const void *bytes, size_t size)
{
	static const char fake[] = "fake code ";

	code->memory = fake_device_alloc(size);
	if (!code->memory || fake_device_put(code->memory, bytes, size) || aicpu_do(cann.load))
		return -1;
	if (size > sizeof(fake) && !memcmp(bytes, fake, sizeof(fake) - 1)) {
		code->object = dlopen((const char *)bytes + sizeof(fake) - 1, RTLD_NOW | RTLD_LOCAL);
		code->text = code->object ? dlsym(code->object, "kernel_entry") : NULL;
		return code->text ? 0 : failed("a core's code, which", -1);
	}
	return text_map(code, bytes, size);
}

struct fake_code *fake_device_code(const void *bytes, size_t size, fake_kernel *kernel_out)
{
	struct fake_code *code = calloc(1, sizeof(*code));

	if (!code || !size || code_open(code, bytes, size)) {
		fake_device_code_close(code);
		return NULL;
	}
	*(void **)kernel_out = code->text; /* its entry is its first byte */
	return code;
}

void fake_device_code_close(struct fake_code *code)
{
	if (!code)
		return;
	if (code->size)
		munmap(code->text, code->size);
	if (code->object)
		dlclose(code->object);
	if (code->memory)
		fake_device_free(code->memory);
	free(code);
}

/* ---- runs ------------------------------------------------------------------------------------------------------------ */

int fake_device_launch(void)
{
	const AddrMapInPara map = {(uint32_t)cann.device, ADDR_MAP_TYPE_REG_AIC_CTRL};
	const rtTaskCfgInfo_t config = {RT_SCHEM_MODE_BATCH};
	uint64_t registers = 0, size = sizeof(registers), word = (uintptr_t)cann.args;
	rtArgsEx_t cores = {&word, sizeof(word)};
	const rtCpuKernelArgs_t threads = {cores};

	TRY(halMemCtl, 0, &map, sizeof(map), &registers, &size);
	TRY(rtMemcpy, cann.args, sizeof(registers), &registers, sizeof(registers), RT_MEMCPY_HOST_TO_DEVICE);
	TRY(rtKernelLaunchWithHandleV2, cann.binary, 0, CORES, &cores, NULL, cann.cores, &config);
	TRY(rtsLaunchCpuKernel, cann.run, THREADS, cann.threads, NULL, &threads);
	return 0;
}

int fake_device_wait(void)
{
	TRY(aclrtSynchronizeStreamWithTimeout, cann.threads, WAIT_MS);
	TRY(aclrtSynchronizeStreamWithTimeout, cann.cores, WAIT_MS);
	return 0;
}
