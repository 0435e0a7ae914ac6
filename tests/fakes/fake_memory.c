/* SPDX-License-Identifier: MIT */
#include "fake_memory.h"

#include "fake_device.h"
#include "fake_faults.h"
#include <stdbool.h>
#include <stdlib.h>

struct block {
	struct block *next;
	char *memory;
	size_t size;
};
static struct block *blocks;

void *fake_memory_alloc(int *count, size_t size)
{
	struct block *block = malloc(sizeof(*block));

	if (!block)
		return NULL;
	*block = (struct block){blocks, fake_device_alloc(size), size};
	if (!block->memory) {
		free(block);
		return NULL;
	}
	blocks = block;
	++*count;
	return block->memory;
}

void fake_memory_free(int *count, void *memory)
{
	struct block **at = &blocks, *block;

	while (*at && (*at)->memory != memory)
		at = &(*at)->next;
	block = *at;
	if (!block) {
		fake_wrong("device_free_ctx of what is no block");
		return;
	}
	*at = block->next;
	free(block);
	--*count;
	fake_device_free(memory);
}

static bool inside(const void *device, size_t size)
{
	for (const struct block *block = blocks; block; block = block->next)
		if ((const char *)device >= block->memory && (const char *)device + size <= block->memory + block->size)
			return true;
	return false;
}

int fake_memory_put(void *device, const void *host, size_t size)
{
	return inside(device, size) ? fake_device_put(device, host, size) : fake_wrong("copy_to_device_ctx: beyond the block");
}

int fake_memory_get(void *host, const void *device, size_t size)
{
	return inside(device, size) ? fake_device_get(host, device, size) : fake_wrong("copy_from_device_ctx: beyond the block");
}
