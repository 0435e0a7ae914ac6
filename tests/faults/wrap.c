/* SPDX-License-Identifier: MIT
 * wrap.c - the allocators behind -Wl,--wrap. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/faults/faults.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
int __real_posix_memalign(void **out, size_t align, size_t size);
char *__real_strdup(const char *text);
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void __real_free(void *memory);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
int __wrap_posix_memalign(void **out, size_t align, size_t size);
char *__wrap_strdup(const char *text);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void __wrap_free(void *memory);

/* Looked up once; NULL while the variable is not set. */
static const struct faults *faults(void)
{
	static _Atomic(const struct faults *) found;
	const struct faults *f = atomic_load(&found);
	const char *text = f ? NULL : getenv(FAULTS_VARIABLE);

	if (text) {
		f = (const struct faults *)(uintptr_t)strtoull(text, NULL, 16);
		atomic_store(&found, f);
	}
	return f;
}

static int refused(void)
{
	int yes = faults() && faults()->refuses();

	if (yes)
		errno = ENOMEM;
	return yes;
}

static void *kept(void *memory)
{
	if (memory && faults())
		faults()->keep(memory);
	return memory;
}

static void dropped(void *memory)
{
	if (memory && faults())
		faults()->drop(memory);
}

void *__wrap_malloc(size_t size)
{
	return refused() ? NULL : kept(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
	return refused() ? NULL : kept(__real_calloc(count, size));
}

void *__wrap_realloc(void *memory, size_t size)
{
	void *moved;

	if (refused())
		return NULL;
	dropped(memory);
	moved = __real_realloc(memory, size);
	return kept(moved ? moved : memory);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return refused() ? NULL : kept(__real_aligned_alloc(align, size));
}

int __wrap_posix_memalign(void **out, size_t align, size_t size)
{
	int bad = refused() ? ENOMEM : __real_posix_memalign(out, align, size);

	if (!bad)
		kept(*out);
	return bad;
}

char *__wrap_strdup(const char *text)
{
	return refused() ? NULL : kept(__real_strdup(text));
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	return refused() ? MAP_FAILED : __real_mmap(at, size, protection, flags, file, offset);
}

void __wrap_free(void *memory)
{
	dropped(memory);
	__real_free(memory);
}
