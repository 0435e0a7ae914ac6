/* SPDX-License-Identifier: MIT
 * test_rt_channel.c - one channel by itself: whose turn it is, when things happen, when it is over. */
#include "rt/process/channel.h"
#include "tests/check.h"

static void waits_are(const struct rt_wait_meter *waits, uint64_t count, uint64_t cycles)
{
	CHECK_UINT(waits->count, count);
	CHECK_UINT(waits->cycles, cycles);
}

static void ends_make(struct rt_channel *channel, uint64_t capacity, uint64_t latency, uint32_t producers, uint32_t consumers)
{
	*channel = (struct rt_channel){.capacity = capacity, .latency = latency};
	for (uint32_t i = 0; i < producers; i++)
		REQUIRE(rt_side_add(&channel->producers, i));
	for (uint32_t i = 0; i < consumers; i++)
		REQUIRE(rt_side_add(&channel->consumers, 100 + i));
}

static void send(struct rt_channel *channel, uint64_t value, uint64_t *clock, const uint64_t *partner)
{
	REQUIRE_INT(rt_channel_send(channel, value, clock, partner), PTOWSP_OK);
}

TEST(a_send_is_possible_below_the_capacity)
{
	struct rt_channel c;
	uint64_t clock = 5;

	ends_make(&c, 2, 0, 1, 1);
	CHECK(!rt_channel_gives(&c, 100));
	for (int i = 0; i < 2; i++) {
		CHECK(rt_channel_sends(&c, 0, false));
		send(&c, 7, &clock, NULL);
	}
	CHECK(!rt_channel_sends(&c, 0, false));
	CHECK(!rt_channel_sends(&c, 0, true));
	CHECK(rt_channel_gives(&c, 100));
	CHECK_UINT(c.high_water, 2);
	rt_channel_finish(&c);
}

TEST(tokens_come_in_order_and_late_by_the_latency)
{
	struct rt_channel c;
	uint64_t producer = 10, consumer = 0;

	ends_make(&c, 3, 4, 1, 1);
	for (uint64_t k = 0; k < 3; k++) {
		send(&c, 70 + k, &producer, NULL);
		producer += 2;
	}
	for (uint64_t k = 0; k < 3; k++) {
		CHECK_UINT(rt_channel_take(&c, &consumer), 70 + k);
		CHECK_UINT(consumer, 14 + 2 * k);
	}
	waits_are(&c.empty, 3, 14 + 2 + 2);
	CHECK_UINT(c.full.count, 0);
	rt_channel_finish(&c);
}

TEST(a_full_channel_costs_what_the_consumer_is_late)
{
	struct rt_channel c;
	uint64_t producer = 0, consumer = 100;

	ends_make(&c, 1, 0, 1, 1);
	send(&c, 1, &producer, NULL);
	rt_channel_take(&c, &consumer);
	CHECK_UINT(consumer, 100);
	producer = 30;
	send(&c, 2, &producer, NULL);
	CHECK_UINT(producer, 100);
	waits_are(&c.full, 1, 70);
	CHECK_UINT(c.empty.count, 0);
	rt_channel_finish(&c);
}

TEST(a_rendezvous_moves_both_clocks)
{
	struct rt_channel c;
	uint64_t producer = 3, consumer = 8;

	ends_make(&c, 0, 5, 1, 1);
	CHECK(!rt_channel_sends(&c, 0, false));
	CHECK(rt_channel_sends(&c, 0, true));
	send(&c, 42, &producer, &consumer);
	CHECK_UINT(producer, 8);
	CHECK_UINT(rt_channel_take(&c, &consumer), 42);
	CHECK_UINT(consumer, 13);
	waits_are(&c.full, 1, 5);
	waits_are(&c.empty, 1, 5);
	producer = 20;
	send(&c, 43, &producer, &consumer);
	CHECK_UINT(producer, 20);
	CHECK_UINT(c.full.count, 1);
	rt_channel_finish(&c);
}

TEST(producers_take_turns_and_a_finished_one_is_passed_over)
{
	struct rt_channel c;
	uint64_t clocks[3] = {0, 0, 0};

	ends_make(&c, 10, 0, 3, 1);
	CHECK(rt_channel_sends(&c, 0, false));
	CHECK(!rt_channel_sends(&c, 1, false));
	send(&c, 0, &clocks[0], NULL);
	CHECK(rt_channel_sends(&c, 1, false));
	rt_side_finish(&c.producers, 1, 50);
	rt_side_finish(&c.producers, 1, 60); /* closed it, then ended */
	CHECK(!rt_channel_sends(&c, 1, false));
	CHECK(rt_channel_sends(&c, 2, false));
	send(&c, 0, &clocks[2], NULL);
	CHECK_UINT(clocks[2], 50);
	CHECK(rt_channel_sends(&c, 0, false));
	send(&c, 0, &clocks[0], NULL);
	CHECK_UINT(clocks[0], 50); /* never before the send before it */
	CHECK_UINT(c.full.count, 0);
	rt_channel_finish(&c);
}

TEST(consumers_take_turns_likewise)
{
	struct rt_channel c;
	uint64_t producer = 0, clocks[2] = {0, 0};

	ends_make(&c, 4, 0, 1, 2);
	for (uint64_t k = 0; k < 4; k++)
		send(&c, k, &producer, NULL);
	CHECK(!rt_channel_gives(&c, 101));
	CHECK_UINT(rt_channel_take(&c, &clocks[0]), 0);
	clocks[0] += 9;
	CHECK(!rt_channel_gives(&c, 100));
	CHECK_UINT(rt_channel_take(&c, &clocks[1]), 1);
	CHECK_UINT(rt_channel_take(&c, &clocks[0]), 2);
	CHECK_UINT(clocks[0], 9);
	CHECK_UINT(rt_channel_take(&c, &clocks[1]), 3);
	CHECK_UINT(clocks[1], 9); /* not before the consume before it */
	rt_side_finish(&c.consumers, 100, 70);
	send(&c, 4, &producer, NULL);
	CHECK(rt_channel_gives(&c, 101));
	rt_channel_take(&c, &clocks[1]);
	CHECK_UINT(clocks[1], 70); /* nor before the one that is passed over has finished */
	rt_channel_finish(&c);
}

/* The latency is a wait for the token; that one has left is none. */
TEST(both_sides_of_a_rendezvous_wait_for_a_consumer_that_is_passed_over)
{
	struct rt_channel c;
	uint64_t producer = 1, clocks[2] = {0, 4};

	ends_make(&c, 0, 2, 1, 2);
	send(&c, 0, &producer, &clocks[0]);
	rt_channel_take(&c, &clocks[0]);
	CHECK_UINT(clocks[0], 3);
	send(&c, 1, &producer, &clocks[1]);
	rt_channel_take(&c, &clocks[1]);
	rt_side_finish(&c.consumers, 100, 50);
	send(&c, 2, &producer, &clocks[1]);
	CHECK_UINT(producer, 50);
	CHECK_UINT(c.full.count, 2);
	CHECK_UINT(c.full.cycles, 3 + 46); /* 4 over 1; 50 over 4 */
	rt_channel_take(&c, &clocks[1]);
	CHECK_UINT(clocks[1], 52);
	CHECK_UINT(c.empty.count, 3);
	CHECK_UINT(c.empty.cycles, 3 + 2 + 46); /* 3 over 0; 6 over 4; 52 over 6 */
	rt_channel_finish(&c);
}

TEST(it_is_over_when_all_have_closed_and_nothing_is_left)
{
	struct rt_channel c;
	uint64_t producer = 6, consumer = 0;

	ends_make(&c, 4, 0, 2, 1);
	send(&c, 1, &producer, NULL);
	rt_side_finish(&c.producers, 0, 6);
	CHECK(rt_side_finished(&c.producers, 0));
	CHECK(!rt_side_finished(&c.producers, 1));
	CHECK(!rt_channel_over(&c));
	rt_side_finish(&c.producers, 1, 4);
	CHECK(!rt_channel_over(&c));
	rt_channel_take(&c, &consumer);
	CHECK(rt_channel_over(&c));
	CHECK_UINT(c.producers.closed, 6);
	rt_channel_finish(&c);
}

/* The ring grows with the tokens and has at most one place per unit of capacity. */
TEST(a_large_capacity_costs_nothing_until_it_is_used)
{
	struct rt_channel c;
	uint64_t producer = 0, consumer = 0;

	ends_make(&c, UINT32_MAX, 0, 1, 1);
	for (uint64_t k = 0; k < 1000; k++)
		send(&c, k, &producer, NULL);
	CHECK(c.room <= 1024);
	for (uint64_t k = 0; k < 1000; k++)
		CHECK_UINT(rt_channel_take(&c, &consumer), k);
	rt_channel_finish(&c);
	ends_make(&c, 3, 0, 1, 1);
	for (uint64_t k = 0; k < 1000; k++) {
		send(&c, k, &producer, NULL);
		CHECK_UINT(rt_channel_take(&c, &consumer), k);
	}
	CHECK(c.room <= 16);
	rt_channel_finish(&c);
}

TEST(a_latency_beyond_all_time_does_not_wrap)
{
	struct rt_channel c;
	uint64_t producer = 10, consumer = 0;

	ends_make(&c, 1, UINT64_MAX - 3, 1, 1);
	send(&c, 1, &producer, NULL);
	rt_channel_take(&c, &consumer);
	CHECK_UINT(consumer, UINT64_MAX);
	rt_channel_finish(&c);
}
