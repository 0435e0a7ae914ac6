/* SPDX-License-Identifier: MIT
 * test_common_grow.c - arrays that double: elements stay, and what does not fit or is not there leaves the array as it is. */
#include "tests/check.h"

#include "registry/common/common_grow.h"

TEST(elements_stay_while_the_array_grows)
{
	uint32_t *rows = NULL, room = 0, wrong = 0;

	for (uint32_t i = 0; i < 100000; i++) {
		REQUIRE(COMMON_GROW(rows, room, i));
		CHECK(room > i);
		rows[i] = i * 7;
	}
	for (uint32_t i = 0; i < 100000; i++)
		wrong += rows[i] != i * 7;
	CHECK_UINT(wrong, 0);
	CHECK_UINT(room, 131072);
	free(rows);
}

TEST(an_array_with_room_is_not_moved)
{
	uint64_t *rows = NULL, *before;
	uint32_t room = 0;

	REQUIRE(COMMON_GROW(rows, room, 0));
	before = rows;
	CHECK_UINT(room, 16);
	for (uint32_t count = 1; count < room; count++)
		REQUIRE(COMMON_GROW(rows, room, count));
	CHECK(rows == before);
	CHECK_UINT(room, 16);
	free(rows);
}

TEST(what_is_too_large_is_refused)
{
	char *rows = NULL;
	uint32_t room = UINT32_C(1) << 30;
	void *array = NULL;

	CHECK(!COMMON_GROW(rows, room, room));
	CHECK(rows == NULL);
	CHECK_UINT(room, UINT32_C(1) << 30);
	room = 0;
	CHECK(!common_grow(&array, &room, 0, SIZE_MAX / 8)); /* 16 of them are more than a size_t */
	CHECK(array == NULL);
	CHECK_UINT(room, 0);
}

TEST(bytes_double_or_are_as_many_as_are_needed)
{
	char *bytes = NULL;
	size_t room = 0, before;

	REQUIRE(COMMON_RESERVE(bytes, room, 1000));
	CHECK(room >= 1000);
	before = room;
	REQUIRE(COMMON_RESERVE(bytes, room, before));
	CHECK_UINT(room, before);
	REQUIRE(COMMON_RESERVE(bytes, room, before + 1));
	CHECK_UINT(room, 2 * before);
	REQUIRE(COMMON_RESERVE(bytes, room, 10 * before));
	CHECK(room >= 10 * before);
	before = room;
	CHECK(!COMMON_RESERVE(bytes, room, SIZE_MAX));
	CHECK_UINT(room, before);
	free(bytes);
}

TEST(an_array_of_too_many_bytes_stays_as_it_is)
{
	uint64_t *rows = NULL, *before;

	REQUIRE(COMMON_RESIZE(rows, 3));
	before = rows;
	CHECK(!COMMON_RESIZE(rows, SIZE_MAX / 8 + 1));
	CHECK(rows == before);
	free(rows);
}

TEST(elements_of_a_ring_stay_at_their_numbers)
{
	uint32_t *ring = calloc(8, sizeof(*ring)), wrong = 0;

	REQUIRE(ring != NULL);
	for (uint64_t k = 5; k < 13; k++)
		ring[k & 7] = (uint32_t)k;
	REQUIRE(COMMON_RING_DOUBLE(ring, 7, 5, 13));
	for (uint64_t k = 0; k < 16; k++)
		wrong += ring[k & 15] != (k >= 5 && k < 13 ? k : 0);
	CHECK_UINT(wrong, 0);
	free(ring);
}
