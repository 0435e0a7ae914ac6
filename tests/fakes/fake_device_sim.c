/* SPDX-License-Identifier: MIT */
/* fake_device_sim.c - the simulation: memory and code of this process. */
#include "fake_device.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

int fake_device_start(int device, const uint8_t *aicore, size_t aicore_size, const uint8_t *dispatcher, size_t dispatcher_size)
{
	(void)device;
	(void)dispatcher;
	return aicore && aicore_size && !dispatcher_size ? 0 : -1;
}

void fake_device_stop(void)
{
}

void *fake_device_alloc(size_t size)
{
	char *block = aligned_alloc(64, (size + 63) / 64 * 64);

	if (block)
		memset(block, 0xA5, size);
	return block;
}

void fake_device_free(void *memory)
{
	free(memory);
}

int fake_device_put(void *device, const void *host, size_t size)
{
	memcpy(device, host, size);
	return 0;
}

int fake_device_get(void *host, const void *device, size_t size)
{
	memcpy(host, device, size);
	return 0;
}

struct fake_code *fake_device_code(const void *bytes, size_t size, fake_kernel *kernel_out)
{
	void *handle = fake_object_open(bytes, size);

	if (handle)
		*(void **)kernel_out = dlsym(handle, "kernel_entry");
	return handle;
}

void fake_device_code_close(struct fake_code *code)
{
	dlclose(code);
}

int fake_device_launch(void)
{
	return 0;
}

int fake_device_wait(void)
{
	return 0;
}
