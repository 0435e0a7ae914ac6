/* SPDX-License-Identifier: MIT
 * test_memory.c - memory of the host: of every size and alignment, zeroed also where it was used before. */
#include "host/call/buffer.h"
#include "host/call/host_memory.h"
#include "tests/check.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static bool is_zero(const unsigned char *memory, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		if (memory[i])
			return false;
	return true;
}

TEST(memory_is_aligned_and_zeroed_again)
{
	static const uint64_t sizes[] = {0, 1, 63, 64, 4096, 65535, 1 << 17, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 1 << 24};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		for (uint64_t align = 1; align <= 4096; align *= 2)
			for (int again = 0; again < 2; again++) {
				unsigned char *memory = host_memory_take(sizes[i], align);

				REQUIRE(memory != NULL);
				CHECK_UINT((uintptr_t)memory % align, 0);
				CHECK(is_zero(memory, sizes[i]));
				memset(memory, 0xFF, sizes[i] < 1 << 16 ? (size_t)sizes[i] : 1 << 16);
				host_memory_give(memory, sizes[i]);
			}
}

static uint64_t resident(void *memory, uint64_t size)
{
	static unsigned char pages[1 << 16];
	uint64_t count = 0;

	REQUIRE(size / 4096 <= sizeof(pages));
	REQUIRE_INT(mincore(memory, (size_t)size, pages), 0);
	for (uint64_t i = 0; i < size / 4096; i++)
		count += pages[i] & 1;
	return count;
}

static void zeroed(unsigned char *memory, uint64_t size, bool shared)
{
	REQUIRE(memory != NULL);
	memset(memory, 0xFF, (size_t)size);
	host_memory_zero(memory, size, shared);
	if (size > 1 << 24) /* large ones hold no page until somebody looks */
		CHECK_UINT(resident(memory, size), 0);
	CHECK(is_zero(memory, size));
}

TEST(zeros_of_large_pieces_cost_nothing)
{
	static const uint64_t sizes[] = {1, 4097, 1 << 20, (1 << 24) - 1, 1 << 24, 3 << 24, (1 << 25) + 17};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		unsigned char *own = host_memory_take(sizes[i], 64), *shared = host_buffer_take(sizes[i]);

		zeroed(own, sizes[i], false);
		zeroed(shared, sizes[i], true);
		host_memory_give(own, sizes[i]);
		host_buffer_give(shared);
	}
}

TEST(what_cannot_be_had_is_NULL)
{
	CHECK(host_memory_take(UINT64_MAX, 64) == NULL);
	CHECK(host_memory_take((uint64_t)PTRDIFF_MAX + 1, 64) == NULL);
	CHECK(host_memory_take(64, 8192) == NULL);
	host_memory_give(NULL, 0);
	host_memory_give(NULL, 1 << 24);
	CHECK_INT(host_memory_file("too large", UINT64_MAX), -1);
}

TEST(files_beyond_the_limit_of_the_process_are_none)
{
	struct rlimit before, less;

	REQUIRE_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
	less = (struct rlimit){4096, before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &less);
	CHECK_INT(host_memory_file("too large", 4097), -1);
	CHECK_INT(errno, EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	signal(SIGXFSZ, SIG_DFL);
}
