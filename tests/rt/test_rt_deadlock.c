/* SPDX-License-Identifier: MIT
 * test_rt_deadlock.c - why a pipeline cannot go on, the least capacity with which the blocked one could, and what is told of it before any run. */
#include "tests/check_outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Puts the proposed options into the schedule, as ptowsp-run would. */
static void apply(struct builder *b, const char *option)
{
	char text[512], *at, *value;

	snprintf(text, sizeof(text), "%.511s", option);
	for (at = strtok(text, " "); at; at = strtok(NULL, " ")) {
		if (!strcmp(at, "--schedule"))
			continue;
		value = strchr(at, '=');
		REQUIRE(value != NULL);
		*value++ = 0;
		if (!strcmp(at, "task_window"))
			WINDOW(b, strtoll(value, NULL, 10));
		else if (!strcmp(at, "tensor_map"))
			builder_schedule(b, PTOWSP_DIRECTIVE_TENSOR_MAP, PTOWSP_TENSOR_MAP_CAPACITY, "n", (int64_t)strtoll(value, NULL, 10));
		else if (!strcmp(at, "dep_list"))
			builder_schedule(b, PTOWSP_DIRECTIVE_DEP_LIST, PTOWSP_DEP_LIST_CAPACITY, "n", (int64_t)strtoll(value, NULL, 10));
		else {
			char *comma = strchr(value, ',');

			REQUIRE(!strcmp(at, "channel_capacity") && comma);
			*comma = 0;
			builder_schedule(b, PTOWSP_DIRECTIVE_CHANNEL_CAPACITY, PTOWSP_CHANNEL_CAPACITY_CAPACITY, "wn", value,
					 (int64_t)strtoll(comma + 1, NULL, 10));
		}
	}
}

/* The pipeline is stuck, the same with threads, and names the least capacity with which the blocked one could proceed. Applied again and again, that leads to the end
 * of the program; `last` is the setting that was applied last. */
static void check_cures(struct builder *b, uint32_t kind, const char *first, const char *last)
{
	struct outcome_how four = {.threads = 4};
	struct outcome *o = builder_run(b, NULL), *threads = builder_run(b, &four), *next;
	char option[sizeof(o->deadlock.option)] = "";

	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_STR(o->deadlock.option, first);
	CHECK_UINT(o->deadlock.kind, kind);
	CHECK_INT(threads->status, PTOWSP_DEADLOCK);
	CHECK_STR(threads->deadlock.text, o->deadlock.text);
	outcome_destroy(threads);
	for (int round = 0; round < 32 && o->status == PTOWSP_DEADLOCK && strcmp(option, o->deadlock.option); round++) {
		snprintf(option, sizeof(option), "%s", o->deadlock.option);
		apply(b, option);
		next = builder_run(b, NULL);
		outcome_destroy(o);
		o = next;
	}
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_STR(o->error.text, "");
	CHECK_STR(option, last);
	outcome_done(b, o);
}

/* n tokens out, then everything that comes in. */
static void talker(struct builder *b, const char *name, int64_t n, uint32_t out, uint32_t in)
{
	builder_process(b, name, 1);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", n);
	builder_task(b, 0, 1, "");
	builder_send(b, out, builder_const(b, 1));
	builder_end(b);
	builder_close(b, out);
	builder_consume(b, in);
	builder_task(b, 0, 1, "");
	builder_end(b);
}

/* Two that send each other four tokens through channels of one place. */
static struct builder *talkers(void)
{
	struct builder *b = builder_one_kernel();
	uint32_t ab = builder_channel(b, "ab", 1, 0), ba = builder_channel(b, "ba", 1, 0);

	talker(b, "a", 4, ab, ba);
	talker(b, "b", 4, ba, ab);
	return b;
}

TEST(a_cycle_of_full_channels_proposes_a_capacity)
{
	check_cures(talkers(), PTOWSP_DEADLOCK_CHANNEL_CYCLE, "--schedule channel_capacity=ab,2", "--schedule channel_capacity=ab,4");
}

TEST(two_cycles_propose_one_capacity_after_the_other)
{
	struct builder *b = builder_one_kernel();
	uint32_t ab = builder_channel(b, "ab", 1, 0), ba = builder_channel(b, "ba", 1, 0);
	uint32_t cd = builder_channel(b, "cd", 0, 0), dc = builder_channel(b, "dc", 2, 0);

	talker(b, "a", 2, ab, ba);
	talker(b, "b", 3, ba, ab);
	talker(b, "c", 3, cd, dc);
	talker(b, "d", 3, dc, cd);
	check_cures(b, PTOWSP_DEADLOCK_CHANNEL_CYCLE, "--schedule channel_capacity=ab,2", "--schedule channel_capacity=cd,3");
}

TEST(tokens_that_nobody_takes_need_room_for_all)
{
	struct builder *b = builder_one_kernel();
	uint32_t c = builder_channel(b, "c", 2, 0);

	builder_producer(b, "p", 1, 7, 1, c);
	check_cures(b, PTOWSP_DEADLOCK_CHANNEL_CYCLE, "--schedule channel_capacity=c,3", "--schedule channel_capacity=c,7");
}

TEST(a_window_against_a_channel_proposes_a_window)
{
	struct builder *b = builder_one_kernel();
	uint32_t c = builder_channel(b, "c", 1, 0);
	struct outcome *o;

	WINDOW(b, 2);
	builder_process(b, "holds", 1);
	builder_scope(b);
	builder_task(b, 0, 1, "");
	builder_consume(b, c);
	builder_end(b);
	builder_end(b);
	builder_process(b, "sends", 1);
	builder_task(b, 0, 1, "");
	builder_task(b, 0, 1, "");
	builder_send(b, c, builder_const(b, 1));
	o = builder_run(b, NULL);
	CHECK_CONTAINS(o->deadlock.text, "; high water 2, counted over all processes; use at least --schedule task_window=3");
	outcome_destroy(o);
	check_cures(b, PTOWSP_DEADLOCK_WINDOW_CHANNEL, "--schedule task_window=3", "--schedule task_window=3");
}

TEST(a_scope_of_a_process_against_the_window_proposes_one)
{
	struct builder *b = builder_one_kernel();

	WINDOW(b, 2);
	builder_process(b, "p", 2);
	builder_scope(b);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_task(b, 0, 1, "");
	builder_end(b);
	builder_end(b);
	check_cures(b, PTOWSP_DEADLOCK_HELD, "--schedule task_window=3", "--schedule task_window=5");
}

/* "late" asks for as many tasks as a slow task of "early" writes, which still runs when nobody can go on. */
TEST(a_pipeline_is_stuck_when_its_tasks_have_ended)
{
	struct builder *b = builder_one_kernel();
	uint32_t tensor = builder_tensor(b, "t", PTOWSP_I64, 1, 8), slot = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0);
	uint32_t slow = builder_kernel(b, "slow", PTOWSP_UNIT_AIV, 1, 1), zero = builder_const(b, 0);
	uint32_t all = builder_region(b, tensor, zero, zero, 1, 8), first = builder_region(b, tensor, zero, zero, 1, 1), count;
	uint32_t other = builder_region(b, builder_tensor(b, "u", PTOWSP_I64, 1, 8), zero, zero, 1, 8);

	builder_kernel_flags(b, slow, BUILDER_SLOW);
	builder_touch(b, slow, 0, 0, 8, PTOWSP_WRITE);
	WINDOW(b, 8);
	builder_process(b, "early", 1);
	for (int i = 0; i < 3; i++) /* the first one may run where it is issued */
		builder_task(b, slow, 1, "w", i < 2 ? other : all);
	builder_process(b, "late", 1);
	builder_scope(b);
	for (int i = 0; i < 9; i++)
		builder_task(b, 0, 1, "");
	builder_slot_load(b, slot, first);
	count = builder_expr(b, PTOWSP_EXPR_AND, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), builder_const(b, 63), 0);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "i", zero, count, builder_const(b, 1), PTOWSP_NONE));
	builder_task(b, 0, 1, "");
	builder_end(b);
	builder_end(b);
	check_cures(b, PTOWSP_DEADLOCK_HELD, "--schedule task_window=9", "--schedule task_window=21");
}

TEST(an_empty_channel_names_who_never_sends)
{
	struct builder *b = builder_one_kernel();
	uint32_t ab = builder_channel(b, "ab", 1, 0), ba = builder_channel(b, "ba", 1, 0);
	struct outcome *o;

	for (int i = 0; i < 2; i++) {
		builder_process(b, i ? "right" : "left", 1);
		builder_consume(b, i ? ab : ba);
		builder_end(b);
		builder_send(b, i ? ba : ab, builder_const(b, 1));
	}
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_UINT(o->deadlock.kind, PTOWSP_DEADLOCK_CHANNEL_EMPTY);
	CHECK_UINT(o->deadlock.resource, PTOWSP_RESOURCE_CHANNEL_EMPTY);
	CHECK_UINT(o->deadlock.proposed, 0);
	CHECK_UINT(o->deadlock.waiting_count, 2);
	CHECK_UINT(o->deadlock.waiting[0].process, 0);
	CHECK_UINT(o->deadlock.waiting[0].channel, ba);
	CHECK_UINT(o->deadlock.waiting[1].process, 1);
	CHECK_STR(o->deadlock.text, "no process can go on: left waits at instruction 1 to consume from ba, which is empty: right has not ended and sends "
				    "nothing; right waits at instruction 4 to consume from ab, which is empty: left has not ended and sends nothing; no "
				    "capacity would help");
	outcome_done(b, o);
}

TEST(an_event_that_nobody_signals_is_named)
{
	struct builder *b = builder_one_kernel();
	uint32_t event = builder_event(b, "done"), c = builder_channel(b, "c", 1, 0);
	struct outcome *o;

	builder_process(b, "asks", 1);
	builder_emit(b, PTOWSP_OP_WAIT, 0, event);
	builder_send(b, c, builder_const(b, 1));
	builder_process(b, "tells", 1);
	builder_consume(b, c);
	builder_emit(b, PTOWSP_OP_SIGNAL, 0, event);
	builder_end(b);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_UINT(o->deadlock.kind, PTOWSP_DEADLOCK_EVENT);
	CHECK_CONTAINS(o->error.text, "asks waits at instruction 1 for a signal of event done");
	CHECK_CONTAINS(o->error.text, "no capacity would help");
	outcome_done(b, o);
}

/* What rt_channels_check says; b is destroyed. */
static void check_ahead(struct builder *b, ptowsp_status status, const char *option)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_deadlock deadlock = {.head = PTOWSP_HEAD(deadlock, DEADLOCK)};
	struct rt_program *program = NULL;

	REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
	CHECK_INT(rt_channels_check(program, &deadlock, &error), status);
	CHECK_STR(deadlock.option, option);
	rt_program_destroy(program);
	builder_destroy(b);
}

TEST(a_pipeline_that_must_block_is_told_before_any_run)
{
	check_ahead(talkers(), PTOWSP_DEADLOCK, "--schedule channel_capacity=ab,2");
	check_ahead(builder_pipeline(), PTOWSP_OK, "");
}

TEST(what_depends_on_data_is_not_told)
{
	struct builder *b = builder_one_kernel();
	uint32_t c = builder_channel(b, "c", 1, 0), t = builder_tensor(b, "t", PTOWSP_I64, 4, 0), zero = builder_const(b, 0);
	uint32_t slot = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0);

	builder_producer(b, "p", 1, 3, 1, c); /* nobody consumes */
	builder_slot_load(b, slot, builder_region(b, t, zero, zero, 1, 1));
	check_ahead(b, PTOWSP_DEADLOCK, "--schedule channel_capacity=c,2"); /* it blocks before */
	b = builder_one_kernel();
	c = builder_channel(b, "c", 1, 0);
	t = builder_tensor(b, "t", PTOWSP_I64, 4, 0);
	zero = builder_const(b, 0);
	slot = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0);
	builder_slot_load(b, slot, builder_region(b, t, zero, zero, 1, 1));
	builder_producer(b, "p", 1, 3, 1, c);
	check_ahead(b, PTOWSP_OK, "");
}
