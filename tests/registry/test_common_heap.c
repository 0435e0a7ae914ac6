/* SPDX-License-Identifier: MIT
 * test_common_heap.c - queues by priority: values leave them in order, whatever was pushed and replaced before. */
#include "registry/common/common_hash.h"
#include "registry/common/common_heap.h"
#include "tests/check.h"

static int by_rank(const uint64_t *rank, uint32_t a, uint32_t b)
{
	return rank[a] != rank[b] ? rank[a] < rank[b] : a < b;
}

COMMON_HEAP(ranked, uint32_t, const uint64_t *, by_rank)

TEST(values_leave_in_order)
{
	enum { COUNT = 500 };
	uint64_t rank[COUNT], seed = 1;
	uint32_t heap[COUNT], count = 0, last, next;

	for (uint32_t i = 0; i < COUNT; i++)
		rank[i] = common_random(&seed) % 50;
	for (uint32_t i = 0; i < COUNT; i++)
		ranked_push(heap, &count, i, rank);
	last = ranked_pop(heap, &count, rank);
	for (uint32_t i = 1; i < COUNT; i++, last = next) {
		next = ranked_pop(heap, &count, rank);
		CHECK(by_rank(rank, last, next));
	}
	CHECK_UINT(count, 0);
}

TEST(what_comes_in_the_place_of_the_first_finds_its_own)
{
	const uint64_t rank[] = {5, 1, 3, 9};
	uint32_t heap[4], count = 0;

	for (uint32_t i = 0; i < 3; i++)
		ranked_push(heap, &count, i, rank);
	CHECK_UINT(heap[0], 1);
	ranked_replace(heap, count, 3, rank);
	CHECK_UINT(ranked_pop(heap, &count, rank), 2);
	CHECK_UINT(ranked_pop(heap, &count, rank), 0);
	CHECK_UINT(ranked_pop(heap, &count, rank), 3);
}
