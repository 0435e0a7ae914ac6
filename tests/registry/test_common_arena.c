/* SPDX-License-Identifier: MIT
 * test_common_arena.c - memory given back at once: zeroed and aligned pieces, arrays that grow, texts, and what happens at the limit. */
#include "tests/check.h"

#include <stdalign.h>
#include <string.h>

#include "registry/common/common_arena.h"

/* Each piece is filled, which shows in the next one where they overlap. */
static void pieces_look_at(struct common_arena *arena)
{
	static const size_t sizes[] = {0, 1, 15, 16, 17, 4096, 20000, 300000};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		unsigned char *piece = common_alloc(arena, sizes[i]), all = 0;

		for (size_t k = 0; k < sizes[i]; k++)
			all |= piece[k];
		CHECK_UINT(all, 0);
		CHECK_UINT((uintptr_t)piece % alignof(max_align_t), 0);
		memset(piece, 0xFF, sizes[i]);
	}
}

TEST(pieces_are_zeroed_and_aligned)
{
	struct common_arena arena;
	jmp_buf out;

	common_arena_init(&arena, (size_t)8 << 20, &out);
	REQUIRE(!setjmp(out));
	for (int round = 0; round < 3; round++)
		pieces_look_at(&arena);
	common_arena_finish(&arena);
	CHECK(arena.chunks == NULL);
}

static void rows_push(struct common_arena *arena)
{
	uint32_t *rows = NULL, count = 0, capacity = 0, wrong = 0;

	for (uint32_t i = 0; i < 100000; i++)
		*COMMON_PUSH(arena, rows, count, capacity) = i * 3;
	for (uint32_t i = 0; i < count; i++)
		wrong += rows[i] != i * 3;
	CHECK_UINT(count, 100000);
	CHECK_UINT(wrong, 0);
	CHECK(capacity >= count);
}

TEST(arrays_grow_and_keep_their_elements)
{
	struct common_arena arena;
	jmp_buf out;

	common_arena_init(&arena, (size_t)8 << 20, &out);
	REQUIRE(!setjmp(out));
	rows_push(&arena);
	common_arena_finish(&arena);
}

TEST(texts_end_with_a_zero)
{
	struct common_arena arena;
	jmp_buf out;

	common_arena_init(&arena, (size_t)1 << 20, &out);
	REQUIRE(!setjmp(out));
	CHECK_STR(common_copy(&arena, "abcdef", 3), "abc");
	CHECK_STR(common_copy(&arena, "", 0), "");
	CHECK_STR(common_format(&arena, "%s %d", "row", 7), "row 7");
	CHECK_UINT(strlen(common_format(&arena, "%070000d", 0)), 70000);
	common_arena_finish(&arena);
}

/* The number of pieces before the arena leaves. */
static int pieces_until_it_leaves(struct common_arena *arena, size_t size)
{
	volatile int count = 0;
	jmp_buf out;

	arena->out = &out;
	if (!setjmp(out))
		for (;;) {
			common_alloc(arena, size);
			count++;
		}
	return count;
}

TEST(an_arena_leaves_at_its_limit_and_says_so)
{
	struct common_arena arena;

	common_arena_init(&arena, 1000000, NULL);
	CHECK_INT(pieces_until_it_leaves(&arena, 100000), 10);
	CHECK_INT(arena.full, 1);
	common_arena_finish(&arena);
	common_arena_init(&arena, 1000000, NULL);
	CHECK_INT(pieces_until_it_leaves(&arena, SIZE_MAX / 2), 0);
	CHECK_INT(arena.full, 1);
	common_arena_finish(&arena);
}

/* Without a place to leave to, pieces are NULL from the first on that is not there. */
TEST(an_arena_without_a_place_to_leave_to_gives_nothing)
{
	struct common_arena *arena = common_arena_create();
	uint32_t *rows = NULL;

	REQUIRE(arena != NULL);
	pieces_look_at(arena);
	for (uint32_t i = 0; i < 1000; i++) {
		rows = common_arena_grow(arena, rows, i, sizeof(*rows));
		REQUIRE(rows != NULL);
		rows[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		CHECK_UINT(rows[i], i);
	CHECK_STR(common_copy(arena, "texts", 4), "text");
	CHECK(common_take(arena, SIZE_MAX / 4, 8) == NULL);
	CHECK(common_take(arena, 1, 1) == NULL);
	CHECK(common_copy(arena, "a", 1) == NULL);
	CHECK(arena->exhausted);
	common_arena_destroy(arena);
	common_arena_destroy(NULL);
}

TEST(an_emptied_arena_begins_anew_in_the_same_memory)
{
	struct common_arena *arena = common_arena_create();
	unsigned char *first, *again;

	REQUIRE(arena != NULL);
	common_arena_empty(arena);
	first = common_alloc(arena, 1000);
	REQUIRE(first != NULL);
	memset(first, 0xA5, 1000);
	REQUIRE(common_alloc(arena, 300000) != NULL);
	CHECK(common_take(arena, SIZE_MAX / 4, 8) == NULL);
	CHECK(arena->taken > 300000);
	common_arena_empty(arena);
	CHECK(arena->taken < 300000 && !arena->exhausted && !arena->full);
	again = common_alloc(arena, 1000);
	CHECK(again == first);
	for (int i = 0; again && i < 1000; i++)
		CHECK_UINT(again[i], 0);
	common_arena_destroy(arena);
}

TEST(lines_begin_at_a_multiple_of_64)
{
	struct common_arena *arena = common_arena_create();

	REQUIRE(arena != NULL);
	for (size_t size = 1; size < 300; size += 7) {
		unsigned char *piece = common_take_lines(arena, 3, size);

		REQUIRE(piece != NULL);
		CHECK_UINT((uintptr_t)piece % 64, 0);
		for (size_t i = 0; i < 3 * size; i++)
			CHECK_UINT(piece[i], 0);
		memset(piece, 0xA5, 3 * size);
	}
	CHECK(common_take_lines(arena, SIZE_MAX / 4, 8) == NULL);
	common_arena_destroy(arena);
}
