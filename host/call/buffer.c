/* SPDX-License-Identifier: MIT */
/* buffer.c - shared buffers of this process, by address. */
#include "host/call/buffer.h"
#include "registry/common/common_grow.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "host/host_error.h"
#include "host/ptowsp_host.h"

/* Guards the table and the watchers; a watcher is told under it, and takes its own locks inside. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct host_buffer *rows; /* in order of address */
static uint32_t count, room, latest;
static struct host_buffer_watch *watches;

int host_memory_file(const char *name, uint64_t size)
{
	const int fd = size <= INT64_MAX ? memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING) : -1;

	if (fd >= 0 && ftruncate(fd, (off_t)size)) {
		close(fd);
		return -1;
	}
	return fd;
}

bool host_memory_is_dmabuf(int fd)
{
	enum { MAGIC = 0x444d4142 }; /* linux/magic.h, of newer systems */
	struct statfs of;

	return !fstatfs(fd, &of) && of.f_type == MAGIC;
}

bool host_memory_file_seal(int fd, bool read_only)
{
	return !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (read_only ? F_SEAL_WRITE : 0));
}

/* First row that ends behind the address. */
static uint32_t row_find(const unsigned char *at)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (rows[middle].bytes + rows[middle].size > at)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

bool host_buffer_find(const void *at, uint64_t size, struct host_buffer *out)
{
	const unsigned char *begin = at;
	bool found = false;
	uint32_t i;

	pthread_mutex_lock(&lock);
	i = row_find(begin);
	if (i < count && begin >= rows[i].bytes && size <= rows[i].size - (size_t)(begin - rows[i].bytes)) {
		*out = rows[i];
		found = true;
	}
	pthread_mutex_unlock(&lock);
	return found;
}

/* With the lock held. */
static bool row_add(const struct host_buffer *buffer)
{
	uint32_t i;

	if (!COMMON_GROW(rows, room, count))
		return false;
	for (i = count++; i && rows[i - 1].bytes > buffer->bytes; i--)
		rows[i] = rows[i - 1];
	rows[i] = *buffer;
	rows[i].number = ++latest;
	return true;
}

void *host_buffer_take(uint64_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct host_buffer b = {.fd = -1, .bytes = MAP_FAILED};
	bool added = false;

	if (size > PTRDIFF_MAX - page)
		return NULL;
	b.size = (size_t)(size ? size : 1) + page - 1;
	b.size -= b.size % page;
	b.fd = host_memory_file("ptowsp buffer", b.size);
	if (b.fd >= 0 && host_memory_file_seal(b.fd, false))
		b.bytes = mmap(NULL, b.size, PROT_READ | PROT_WRITE, MAP_SHARED, b.fd, 0);
	if (b.bytes != MAP_FAILED) {
		pthread_mutex_lock(&lock);
		added = row_add(&b);
		pthread_mutex_unlock(&lock);
	}
	if (added)
		return b.bytes;
	if (b.bytes != MAP_FAILED)
		munmap(b.bytes, b.size);
	if (b.fd >= 0)
		close(b.fd);
	return NULL;
}

void host_buffer_give(void *memory)
{
	struct host_buffer gone = {0};
	uint32_t i;

	if (!memory)
		return;
	pthread_mutex_lock(&lock);
	i = row_find(memory);
	if (i < count && rows[i].bytes == memory) {
		gone = rows[i];
		for (count--; i < count; i++)
			rows[i] = rows[i + 1];
		for (struct host_buffer_watch *w = watches; w; w = w->next)
			w->gone(w, gone.number);
	}
	pthread_mutex_unlock(&lock);
	if (gone.bytes) {
		munmap(gone.bytes, gone.size);
		close(gone.fd);
	}
}

void host_buffer_watch(struct host_buffer_watch *watch)
{
	pthread_mutex_lock(&lock);
	watch->next = watches;
	watches = watch;
	pthread_mutex_unlock(&lock);
}

void host_buffer_unwatch(struct host_buffer_watch *watch)
{
	pthread_mutex_lock(&lock);
	for (struct host_buffer_watch **at = &watches; *at; at = &(*at)->next)
		if (*at == watch) {
			*at = watch->next;
			break;
		}
	pthread_mutex_unlock(&lock);
}

ptowsp_status ptowsp_buffer_alloc(void **out, uint64_t bytes, struct ptowsp_error *error)
{
	error = host_error_enter(error);
	*out = host_buffer_take(bytes);
	if (*out)
		return PTOWSP_OK;
	return host_error_leave(
		host_fail(error, PTOWSP_NO_MEMORY, "no memory, or no free descriptor, for a shared buffer of %llu bytes", (unsigned long long)bytes), error);
}

void ptowsp_buffer_free(void *memory)
{
	host_buffer_give(memory);
}
