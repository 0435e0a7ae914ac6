/* SPDX-License-Identifier: MIT
 * test_rt_walker.c - a thread that walks while the engine is busy: the same items, however many are passed on together; and both end when one of them does. */
#include "tests/check.h"

#include "rt/run/feed.h"
#include "rt/threads/crew.h"
#include "rt/threads/walker.h"
#include "tests/rt/builder/rt_builder.h"
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20000 };

/* An engine that looks at items and knows no time. */
struct looker {
	struct rt_program *program;
	uint64_t items, digest;
	uint64_t ends_at; /* gives up there; 0: never */
	uint64_t cancels_at;
	_Atomic uint32_t cancel;
	bool walked; /* there was a walker */
};

static uint64_t item_digest(uint64_t digest, const struct rt_item *item)
{
	digest = builder_fold(digest, item->kind);
	digest = builder_fold(digest, item->kind == RT_ITEM_TASK || item->kind == RT_ITEM_END ? item->number : 0);
	digest = builder_fold(digest, item->kind == RT_ITEM_TASK ? item->cycles + 100 * item->kernel : 0);
	for (uint32_t i = 0; item->kind == RT_ITEM_TASK && i < item->count; i++)
		digest = builder_fold(digest, item->list[i]);
	return digest;
}

static ptowsp_status look(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct looker *looker = context;
	const struct rt_item *item = NULL;
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	ptowsp_status status = PTOWSP_OK;

	while (!status && (!item || item->kind != RT_ITEM_END)) {
		status = rt_feed_pull(feed, &item);
		if (status)
			break;
		looker->walked |= feed->walker != NULL;
		looker->digest = item_digest(looker->digest, item);
		if (item->kind == RT_ITEM_TASK)
			rt_feed_ended(feed, item->kernel, 0, item->cycles);
		if (++looker->items % 1000 == 0)
			rt_stats(looker->program, &stats); /* as anybody may who watches */
		if (looker->items == looker->cancels_at)
			atomic_store(&looker->cancel, 1);
		if (looker->items == looker->ends_at) {
			snprintf(error->text, sizeof(error->text), "enough of this");
			return PTOWSP_RUN_FAILED;
		}
	}
	rt_feed_executors(feed, 1);
	return status;
}

/* Rounds of two tasks that follow each other, and each the round before it on its row. */
static struct builder *program_make(unsigned flags)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "first", PTOWSP_UNIT_AIV, 1, 1), second = builder_kernel(b, "second", PTOWSP_UNIT_AIV, 1, 1);
	uint32_t t = builder_tensor(b, "t", PTOWSP_I64, ROUNDS, 8), zero = builder_const(b, 0);

	builder_kernel_flags(b, k, BUILDER_STEADY);
	builder_kernel_flags(b, second, BUILDER_STEADY | flags);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "j", ROUNDS);
	builder_task(b, k, 1, "m", builder_region(b, t, builder_axis_value(b, "j"), zero, 1, 8));
	builder_task(b, second, 1, "m", builder_region(b, t, builder_axis_value(b, "j"), zero, 1, 8));
	builder_end(b);
	return b;
}

static struct outcome *look_at(struct looker *looker, uint32_t threads, unsigned flags)
{
	const struct rt_engine engine = {.context = looker, .run = look};
	struct builder *b = program_make(flags);
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct outcome_how how = {.threads = threads, .seed = 3, .no_sinks = true, .engine = &engine, .cancel = (const volatile uint32_t *)&looker->cancel};
	const struct looker fresh = *looker;
	struct outcome *o = NULL;

	if (!builder_program(b, &looker->program, &error)) {
		struct rt_program *program = looker->program;

		outcome_destroy(builder_run_program(b, program, &how)); /* how long its kernels take is known from now on */
		*looker = fresh;
		looker->program = program;
		o = builder_run_program(b, program, &how);
		rt_program_destroy(program);
	}
	builder_destroy(b);
	return o;
}

static struct rt_walker_rules walker_usual;
static struct rt_crew_rules crew_usual;

static void rules_set(uint64_t after, uint64_t plenty)
{
	walker_usual = rt_walker_rules;
	crew_usual = rt_crew_rules;
	rt_walker_rules = (struct rt_walker_rules){.after = after, .plenty = plenty};
	rt_crew_rules.brief_ns = UINT32_MAX / RT_FEED_BRIEF;
	rt_crew_rules.brief_run = 1;
}

static void rules_reset(void)
{
	rt_walker_rules = walker_usual;
	rt_crew_rules = crew_usual;
}

TEST(items_are_the_same)
{
	struct looker alone = {0};
	struct outcome *want = look_at(&alone, 1, 0);

	REQUIRE(want != NULL);
	CHECK_INT(want->status, PTOWSP_OK);
	CHECK(!alone.walked);
	CHECK_UINT(alone.items, 2 * ROUNDS + 1);
	for (uint64_t plenty = 1; plenty <= 256; plenty *= 16) {
		struct looker two = {0};
		struct outcome *o;

		rules_set(plenty == 16 ? 0 : 500, plenty);
		o = look_at(&two, 2, 0);
		rules_reset();
		CHECK_INT(o->status, PTOWSP_OK);
		CHECK(two.walked);
		CHECK_UINT(two.items, alone.items);
		CHECK_UINT(two.digest, alone.digest);
		CHECK_UINT(o->stats.edges, want->stats.edges);
		CHECK_UINT(o->stats.total_cycles, want->stats.total_cycles);
		CHECK_UINT(o->kernels[0].tasks, ROUNDS);
		CHECK_UINT(o->kernels[1].cycles, want->kernels[1].cycles);
		CHECK_MEM(o->memory, want->memory, want->memory_count * 8);
		outcome_destroy(o);
	}
	outcome_destroy(want);
}

TEST(an_engine_that_gives_up_ends_the_walk)
{
	for (uint64_t at = 1000; at < 20000; at += 4000) {
		struct looker looker = {.ends_at = at};
		struct outcome *o;

		rules_set(0, 64);
		o = look_at(&looker, 2, 0);
		rules_reset();
		REQUIRE(o != NULL);
		CHECK_INT(o->status, PTOWSP_RUN_FAILED);
		CHECK_STR(o->error.text, "enough of this");
		CHECK_UINT(looker.items, at);
		CHECK(looker.walked);
		outcome_destroy(o);
	}
}

TEST(a_cancelled_run_ends_both)
{
	struct looker looker = {.cancels_at = 5000};
	struct outcome *o;

	rules_set(0, 64);
	o = look_at(&looker, 2, 0);
	rules_reset();
	REQUIRE(o != NULL);
	CHECK_INT(o->status, PTOWSP_CANCELLED);
	CHECK(strstr(o->error.text, "the run was cancelled after") != NULL);
	CHECK(looker.items < 2 * ROUNDS);
	outcome_destroy(o);
}

TEST(a_failed_kernel_comes_behind_what_was_met_before)
{
	struct looker alone = {0}, two = {0};
	struct outcome *want = look_at(&alone, 1, BUILDER_FAILS_LATE), *o;

	rules_set(0, 64);
	o = look_at(&two, 2, BUILDER_FAILS_LATE);
	rules_reset();
	REQUIRE(want != NULL && o != NULL);
	CHECK_INT(o->status, PTOWSP_KERNEL_FAILED);
	CHECK_STR(o->error.text, want->error.text);
	CHECK_UINT(two.items, alone.items);
	CHECK_UINT(two.digest, alone.digest); /* what is left when the walker has ended is all of it */
	outcome_destroy(want);
	outcome_destroy(o);
}

TEST(few_tasks_are_walked_by_the_thread_of_the_run)
{
	struct looker looker = {0};
	struct outcome *o;

	rules_set(2 * ROUNDS, 64);
	o = look_at(&looker, 2, 0);
	rules_reset();
	REQUIRE(o != NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK(!looker.walked);
	outcome_destroy(o);
}
