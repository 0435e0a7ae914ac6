/* SPDX-License-Identifier: MIT
 * test_common_hash.c - splitmix64 against its published numbers, and hashes of numbers that follow each other. */
#include "tests/check.h"

#include "registry/common/common_hash.h"

TEST(splitmix64_gives_the_published_numbers)
{
	/* Of the seed 1234567, as Vigna's splitmix64.c prints them. */
	static const uint64_t numbers[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
					   UINT64_C(4593380528125082431), UINT64_C(16408922859458223821)};
	uint64_t state = 1234567;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		CHECK_UINT(common_random(&state), numbers[i]);
	CHECK_UINT(common_mix(1234567 + COMMON_GOLDEN), numbers[0]);
}

/* Keys that follow each other share no more places of a table than chance has it. */
TEST(neighbours_are_far_apart)
{
	enum { PLACES = 4096 };
	static unsigned char low[PLACES], high[PLACES];
	uint32_t low_most = 0, high_most = 0;

	for (uint64_t key = 0; key < PLACES; key++) {
		const uint64_t hash = common_hash(0, key * 64);
		const unsigned char a = ++low[hash % PLACES], b = ++high[hash >> 52];

		low_most = a > low_most ? a : low_most;
		high_most = b > high_most ? b : high_most;
	}
	CHECK(low_most <= 16);
	CHECK(high_most <= 16);
	CHECK(common_hash(common_hash(0, 1), 2) != common_hash(common_hash(0, 2), 1));
}
