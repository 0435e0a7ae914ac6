/* SPDX-License-Identifier: MIT */
/* buffer.h - memory that other processes can map: ptowsp_buffer_alloc. Any thread. */
#ifndef HOST_BUFFER_H
#define HOST_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct host_buffer {
	uint32_t number; /* of this process, never used again */
	int fd;          /* a memory file, sealed against another size */
	unsigned char *bytes;
	size_t size; /* whole pages */
};
/* The buffer in which [at, at + size) lies; false: it lies in none, or in parts. The descriptor stays open until the buffer is freed. */
bool host_buffer_find(const void *at, uint64_t size, struct host_buffer *out);
/* Zeroed; NULL without memory or descriptors. */
void *host_buffer_take(uint64_t size);
void host_buffer_give(void *memory);

/* A sealed memory file: nobody can make it another size, or with `read_only` change it. -1 with errno. The bytes are zero, or copied from `bytes`. */
int host_memory_file(const char *name, uint64_t size);
bool host_memory_file_seal(int fd, bool read_only);
bool host_memory_is_dmabuf(int fd);

/* A watcher is told when a buffer goes away, while it can still be named. Taken back before *watch goes. */
struct host_buffer_watch {
	void (*gone)(struct host_buffer_watch *watch, uint32_t number);
	struct host_buffer_watch *next;
};
void host_buffer_watch(struct host_buffer_watch *watch);
void host_buffer_unwatch(struct host_buffer_watch *watch);

#endif
