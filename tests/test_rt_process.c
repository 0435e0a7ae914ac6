/* SPDX-License-Identifier: MIT
 * test_rt_process.c - pipelines on the core itself. */
#include "check.h"
#include "rt_builder.h"
#include "rt/crew.h"
#include "rt/rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WINDOW(b, n) builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)(n))

static struct builder *plain(void)
{
	struct builder *b = builder_create();

	builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
	return b;
}

static void done(struct builder *b, struct outcome *o)
{
	outcome_destroy(o);
	builder_destroy(b);
}

static void check_starts(const struct outcome *o, uint32_t count, const uint64_t *start, const uint64_t *executor)
{
	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++) {
		CHECK_UINT(o->tasks[i].task, i);
		CHECK_UINT(o->tasks[i].start, start[i]);
		CHECK_UINT(o->tasks[i].executor, executor[i]);
	}
}

/* n x {a task of so many cycles; send}. */
static void producer(struct builder *b, const char *name, uint32_t replicas, int64_t n, int64_t cycles, uint32_t channel)
{
	builder_process(b, name, replicas);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", n);
	builder_task(b, 0, cycles, "");
	builder_send(b, channel, builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0));
	builder_end(b);
}

static void consumer(struct builder *b, const char *name, int64_t cycles, uint32_t channel)
{
	builder_process(b, name, 1);
	builder_consume(b, channel);
	builder_task(b, 0, cycles, "");
	builder_end(b);
}

/* ---- the vector ------------------------------------------------------------------------------------------------ */

static struct builder *vector_make(void)
{
	struct builder *b = plain();
	uint32_t c = builder_channel(b, "c", 1, 0);

	producer(b, "P0", 1, 3, 1, c);
	producer(b, "P1", 1, 1, 10, c);
	consumer(b, "C", 1, c);
	return b;
}

/* Sends at 1, 10, 10, 11; consumes at 1, 10, 11, 12; the consumer ends at 13. */
static void vector_two_producers_capacity_1(void)
{
	struct builder *b = vector_make();
	struct outcome *o = builder_run(b, NULL);

	check_starts(o, 8, (uint64_t[]){0, 0, 1, 1, 10, 10, 11, 12}, (uint64_t[]){0, 1, 0, 2, 2, 0, 2, 2});
	CHECK_UINT(o->stats.total_cycles, 13);
	CHECK_UINT(o->stats.executors, 3);
	REQUIRE_UINT(o->stats.channel_count, 1);
	CHECK_UINT(o->channels[0].sends, 4);
	CHECK_UINT(o->channels[0].consumes, 4);
	CHECK_UINT(o->channels[0].empty_count, 2);
	CHECK_UINT(o->channels[0].empty_cycles, 9);
	CHECK_UINT(o->channels[0].full_count, 0);
	CHECK_UINT(o->channels[0].flags, PTOWSP_CHANNEL_CLOSED);
	CHECK_UINT(outcome_resource(o, "channel:c")->stall_count, 2);
	CHECK_UINT(outcome_resource(o, "channel:c")->stall_cycles, 9);
	CHECK_UINT(outcome_resource(o, "channel:c")->capacity, 1);
	done(b, o);
}

/* ---- order and time -------------------------------------------------------------------------------------------- */

static void processes_start_when_the_workload_is_over(void)
{
	struct builder *b = plain();
	uint32_t c = builder_channel(b, "c", 1, 3);
	struct outcome *o;

	builder_task(b, 0, 7, "");
	builder_task(b, 0, 2, "");
	producer(b, "p", 1, 1, 4, c);
	consumer(b, "q", 1, c);
	o = builder_run(b, NULL);
	check_starts(o, 4, (uint64_t[]){0, 7, 9, 16}, (uint64_t[]){0, 0, 0, 1});
	CHECK_UINT(o->stats.total_cycles, 17);
	CHECK_UINT(o->stats.executors, 2);
	done(b, o);
}

static void replicas_know_their_number(void)
{
	struct builder *b = plain();
	struct outcome *o;

	builder_process(b, "r", 3);
	builder_task_list(b, 0, builder_expr(b, PTOWSP_EXPR_ADD, builder_expr(b, PTOWSP_EXPR_INSTANCE, 0, 0, 0), builder_const(b, 5), 0), 0, "", NULL);
	o = builder_run(b, NULL);
	REQUIRE_UINT(o->task_count, 3);
	for (uint64_t i = 0; i < 3; i++) {
		CHECK_UINT(o->tasks[i].executor, i);
		CHECK_UINT(o->tasks[i].end, 5 + i);
	}
	CHECK_UINT(o->stats.total_cycles, 7);
	done(b, o);
}

static void a_process_without_tasks_counts_its_clock(void)
{
	struct builder *b = plain();
	uint32_t c = builder_channel(b, "c", 1, 100);
	struct outcome *o;

	producer(b, "p", 1, 1, 4, c);
	builder_process(b, "q", 1);
	builder_consume(b, c);
	builder_end(b);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.total_cycles, 104);
	done(b, o);
}

static void the_schedule_can_change_a_capacity(void)
{
	struct builder *b = plain();
	uint32_t c = builder_channel(b, "c", 1, 0);
	struct outcome *o;

	producer(b, "p", 1, 5, 1, c);
	consumer(b, "q", 10, c);
	builder_schedule(b, PTOWSP_DIRECTIVE_CHANNEL_CAPACITY, PTOWSP_CHANNEL_CAPACITY_CAPACITY, "wn", "c", INT64_C(3));
	o = builder_run(b, NULL);
	CHECK_STR(o->error.text, "");
	CHECK_UINT(o->channels[0].capacity, 3);
	CHECK_UINT(o->channels[0].full_count, 1); /* send 4 at 5, consume 1 at 11 */
	CHECK_UINT(o->channels[0].full_cycles, 6);
	done(b, o);
}

/* ---- threads --------------------------------------------------------------------------------------------------- */

/* Stages that work on rows of a tensor and hand their numbers on; the third kernel's cycles are known only by running it. */
static struct builder *stages_make(unsigned deps)
{
	struct builder *b = builder_create();
	uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 16, 8), k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 2);
	uint32_t later = builder_kernel(b, "later", PTOWSP_UNIT_AIC, 1, 1), slow = builder_kernel(b, "slow", PTOWSP_UNIT_AIV, 1, 1);
	uint32_t first = builder_channel(b, "first", 2, 1), second = builder_channel(b, "second", 0, 0);
	uint32_t zero = builder_const(b, 0), row = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), region = builder_region(b, t, row, zero, 1, 8);
	uint32_t other = builder_region(b, t, builder_const(b, 3), zero, 1, 4);

	builder_kernel_flags(b, later, BUILDER_LATER);
	builder_kernel_flags(b, slow, BUILDER_SLOW);
	builder_schedule(b, PTOWSP_DIRECTIVE_DEPS, deps, "");
	WINDOW(b, 7);
	builder_task(b, slow, 3, "m", other);
	builder_process(b, "reads", 2);
	builder_loop_n(b, PTOWSP_OP_FOR_EACH, "i", 12);
	builder_task(b, k, 4, "rw", other, region);
	builder_send(b, first, row);
	builder_end(b);
	builder_process(b, "works", 3);
	builder_consume(b, first);
	builder_scope(b);
	builder_task(b, later, 6, "m", region);
	builder_end(b);
	builder_send(b, second, row);
	builder_end(b);
	builder_process(b, "writes", 1);
	builder_consume(b, second);
	builder_task(b, slow, 2, "m", region);
	builder_end(b);
	return b;
}

static void check_same(const struct outcome *a, const struct outcome *b)
{
	CHECK_INT(b->status, PTOWSP_OK);
	CHECK_STR(b->error.text, "");
	CHECK_UINT(b->stats.total_cycles, a->stats.total_cycles);
	REQUIRE_UINT(b->task_count, a->task_count);
	CHECK(!memcmp(b->tasks, a->tasks, a->task_count * sizeof(*a->tasks)));
	REQUIRE_UINT(b->edge_count, a->edge_count);
	CHECK(!a->edge_count || !memcmp(b->edges, a->edges, a->edge_count * sizeof(*a->edges)));
	CHECK(!memcmp(b->channels, a->channels, sizeof(a->channels)));
	CHECK(!memcmp(b->memory, a->memory, a->memory_count * sizeof(*a->memory)));
	for (uint32_t i = 0; i < a->stats.resource_count; i++) {
		CHECK_UINT(b->resources[i].high_water, a->resources[i].high_water);
		CHECK_UINT(b->resources[i].stall_count, a->resources[i].stall_count);
		CHECK_UINT(b->resources[i].stall_cycles, a->resources[i].stall_cycles);
	}
}

static void check_threads(unsigned deps)
{
	struct builder *b = stages_make(deps);
	struct outcome_how how = {.seed = 3};
	struct outcome *one = builder_run(b, &how), *more;
	uint32_t brief_ns = rt_crew_rules.brief_ns;

	rt_crew_rules.brief_ns = 0; /* every task goes to the workers */
	CHECK_INT(one->status, PTOWSP_OK);
	CHECK_UINT(one->task_count, 73);
	for (how.threads = 2; how.threads <= 8; how.threads *= 2) {
		more = builder_run(b, &how);
		check_same(one, more);
		outcome_destroy(more);
	}
	rt_crew_rules.brief_ns = brief_ns;
	done(b, one);
}

static void threads_change_nothing(void)
{
	check_threads(PTOWSP_DEPS_BYTES_OVERLAP);
}

/* Tokens order what no edge does. */
static void threads_change_nothing_where_only_tokens_order(void)
{
	check_threads(PTOWSP_DEPS_EXPLICIT);
}

static void a_run_that_is_cancelled_or_late_ends(void)
{
	struct builder *b = plain();
	uint32_t cancel = 1, c = builder_channel(b, "c", 1, 0);
	struct outcome_how how = {.cancel = &cancel};
	struct outcome *o;

	/* Two processes that hand one token to and fro for ever. */
	for (int i = 0; i < 2; i++) {
		uint32_t d = i ? c : builder_channel(b, "d", 1, 0);

		builder_process(b, i ? "ping" : "pong", 1);
		if (!i)
			builder_send(b, c, builder_const(b, 1));
		builder_consume(b, i ? 0 : 1);
		builder_send(b, i ? 1 : 0, builder_const(b, 1));
		builder_end(b);
		(void)d;
	}
	o = builder_run(b, &how);
	CHECK_INT(o->status, PTOWSP_CANCELLED);
	outcome_destroy(o);
	how = (struct outcome_how){.deadline_ns = builder_now_ns() + 20000000};
	o = builder_run(b, &how);
	CHECK_INT(o->status, PTOWSP_DEADLINE);
	done(b, o);
}

/* ---- deadlocks ------------------------------------------------------------------------------------------------- */

/* Puts the proposed options into the schedule, as ptowsp-run would. */
static void apply(struct builder *b, const char *option)
{
	char text[160], *at, *value;

	snprintf(text, sizeof(text), "%s", option);
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

/* It is stuck, the same with threads; what it proposes helps, and nothing less does where one number is proposed. */
static void check_cure(struct builder *b, uint32_t kind, const char *option)
{
	struct outcome_how four = {.threads = 4};
	struct outcome *o = builder_run(b, NULL), *threads = builder_run(b, &four), *cured;

	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_STR(o->deadlock.option, option);
	CHECK_UINT(o->deadlock.kind, kind);
	CHECK_INT(threads->status, PTOWSP_DEADLOCK);
	CHECK_STR(threads->deadlock.text, o->deadlock.text);
	if (option[0]) {
		apply(b, o->deadlock.option);
		cured = builder_run(b, NULL);
		CHECK_INT(cured->status, PTOWSP_OK);
		CHECK_STR(cured->error.text, "");
		outcome_destroy(cured);
	}
	outcome_destroy(threads);
	done(b, o);
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

static void a_cycle_of_full_channels_proposes_a_capacity(void)
{
	struct builder *b = plain();
	uint32_t ab = builder_channel(b, "ab", 1, 0), ba = builder_channel(b, "ba", 1, 0);

	talker(b, "a", 4, ab, ba);
	talker(b, "b", 4, ba, ab);
	check_cure(b, PTOWSP_DEADLOCK_CHANNEL_CYCLE, "--schedule channel_capacity=ab,4");
}

static void two_cycles_propose_a_capacity_each(void)
{
	struct builder *b = plain();
	uint32_t ab = builder_channel(b, "ab", 1, 0), ba = builder_channel(b, "ba", 1, 0);
	uint32_t cd = builder_channel(b, "cd", 0, 0), dc = builder_channel(b, "dc", 2, 0);

	talker(b, "a", 2, ab, ba);
	talker(b, "b", 3, ba, ab);
	talker(b, "c", 3, cd, dc);
	talker(b, "d", 3, dc, cd);
	check_cure(b, PTOWSP_DEADLOCK_CHANNEL_CYCLE,
		   "--schedule channel_capacity=ab,2 --schedule channel_capacity=cd,3");
}

static void tokens_that_nobody_takes_need_room_for_all(void)
{
	struct builder *b = plain();
	uint32_t c = builder_channel(b, "c", 2, 0);

	producer(b, "p", 1, 7, 1, c);
	check_cure(b, PTOWSP_DEADLOCK_CHANNEL_CYCLE, "--schedule channel_capacity=c,7");
}

static void a_window_against_a_channel_proposes_a_window(void)
{
	struct builder *b = plain();
	uint32_t c = builder_channel(b, "c", 1, 0);

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
	check_cure(b, PTOWSP_DEADLOCK_WINDOW_CHANNEL, "--schedule task_window=3");
}

static void a_scope_of_a_process_against_the_window_proposes_one(void)
{
	struct builder *b = plain();

	WINDOW(b, 2);
	builder_process(b, "p", 2);
	builder_scope(b);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
	builder_task(b, 0, 1, "");
	builder_end(b);
	builder_end(b);
	check_cure(b, PTOWSP_DEADLOCK_HELD, "--schedule task_window=6");
}

/* "late" asks for as many tasks as a slow task of "early" writes, which still runs when nobody can go on. */
static void what_helps_is_tried_when_tasks_have_ended(void)
{
	struct builder *b = plain();
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
	check_cure(b, PTOWSP_DEADLOCK_HELD, "--schedule task_window=21");
}

static void an_empty_channel_names_who_never_sends(void)
{
	struct builder *b = plain();
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
	done(b, o);
}

static void an_event_that_nobody_signals_is_named(void)
{
	struct builder *b = plain();
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
	done(b, o);
}

/* ---- before any run -------------------------------------------------------------------------------------------- */

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

static void a_pipeline_that_must_block_is_told_before_any_run(void)
{
	struct builder *b = plain();
	uint32_t ab = builder_channel(b, "ab", 1, 0), ba = builder_channel(b, "ba", 1, 0);

	talker(b, "a", 4, ab, ba);
	talker(b, "b", 4, ba, ab);
	check_ahead(b, PTOWSP_DEADLOCK, "--schedule channel_capacity=ab,4");
	check_ahead(vector_make(), PTOWSP_OK, "");
}

static void what_depends_on_data_is_not_told(void)
{
	struct builder *b = plain();
	uint32_t c = builder_channel(b, "c", 1, 0), t = builder_tensor(b, "t", PTOWSP_I64, 4, 0), zero = builder_const(b, 0);
	uint32_t slot = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0);

	producer(b, "p", 1, 3, 1, c); /* nobody consumes */
	builder_slot_load(b, slot, builder_region(b, t, zero, zero, 1, 1));
	check_ahead(b, PTOWSP_DEADLOCK, "--schedule channel_capacity=c,2"); /* it blocks before; that much helps the send that waits */
	b = plain();
	c = builder_channel(b, "c", 1, 0);
	t = builder_tensor(b, "t", PTOWSP_I64, 4, 0);
	zero = builder_const(b, 0);
	slot = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0);
	builder_slot_load(b, slot, builder_region(b, t, zero, zero, 1, 1));
	producer(b, "p", 1, 3, 1, c);
	check_ahead(b, PTOWSP_OK, "");
}

/* Kernel 1 writes region 0 or 1, of tensors of 128 bytes. */
static struct builder *heap_of(int64_t bytes)
{
	struct builder *b = plain();
	uint32_t zero = builder_const(b, 0);

	builder_kernel(b, "w", PTOWSP_UNIT_AIV, 1, 1);
	for (unsigned i = 0; i < 2; i++)
		builder_region(b, builder_tensor(b, i ? "b" : "a", PTOWSP_I64, 1, 16), zero, zero, 1, 16);
	builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", bytes);
	return b;
}

static void heap_user(struct builder *b, const char *name, uint32_t tensor, int64_t cycles)
{
	builder_process(b, name, 1);
	builder_emit(b, PTOWSP_OP_ALLOC, 0, tensor);
	builder_task(b, 1, cycles, "w", tensor);
	builder_emit(b, PTOWSP_OP_FREE, 0, tensor);
}

/* q passes until p has freed, and its clock then goes to the end of p's task. */
static void processes_share_the_heap(void)
{
	struct builder *b = heap_of(128);
	struct outcome *o;

	heap_user(b, "p", 0, 10);
	heap_user(b, "q", 1, 1);
	o = builder_run(b, NULL);
	check_starts(o, 2, (uint64_t[]){0, 10}, (uint64_t[]){0, 1});
	CHECK_UINT(outcome_resource(o, "heap")->high_water, 128);
	CHECK_UINT(outcome_resource(o, "heap")->stall_count, 1);
	CHECK_UINT(outcome_resource(o, "heap")->stall_cycles, 10);
	done(b, o);
	b = heap_of(256);
	heap_user(b, "p", 0, 10);
	heap_user(b, "q", 1, 1);
	o = builder_run(b, NULL);
	check_starts(o, 2, (uint64_t[]){0, 0}, (uint64_t[]){0, 1});
	CHECK_UINT(outcome_resource(o, "heap")->high_water, 256);
	done(b, o);
}

static void heap_that_no_process_gives_back_is_proposed(void)
{
	struct builder *b = heap_of(128);
	struct outcome *o;

	builder_process(b, "p", 1);
	builder_emit(b, PTOWSP_OP_ALLOC, 0, 0);
	builder_emit(b, PTOWSP_OP_ALLOC, 0, 1);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_DEADLOCK);
	CHECK_UINT(o->deadlock.resource, PTOWSP_RESOURCE_HEAP);
	CHECK_UINT(o->deadlock.used, 128);
	CHECK_STR(o->deadlock.option, "--schedule heap=256");
	CHECK_CONTAINS(o->deadlock.text, "p waits at instruction 2 to allocate, which needs 128 of 128 bytes of heap");
	outcome_destroy(o);
	builder_schedule(b, PTOWSP_DIRECTIVE_HEAP, PTOWSP_HEAP_CAPACITY, "n", (int64_t)256);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	done(b, o);
}

static void a_process_uses_memory_between_alloc_and_free_only(void)
{
	struct builder *b = heap_of(256);
	struct outcome *o;

	builder_emit(b, PTOWSP_OP_ALLOC, 0, 0);
	builder_emit(b, PTOWSP_OP_FREE, 0, 0);
	builder_process(b, "p", 1);
	builder_task(b, 1, 1, "w", 0);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_RUN_FAILED);
	CHECK_CONTAINS(o->error.text, "task 0, kernel w: tensor a is used outside its alloc and free");
	done(b, o);
}

/* A tensor without a shape gets the extent that the processes touch, too. */
static void extents_follow_the_processes(void)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 0, 0), c = builder_channel(b, "c", 1, 0);
	uint32_t zero = builder_const(b, 0), row = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS)};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program = NULL;
	uint64_t elements = 0;

	builder_touch(b, k, 0, 0, 8, PTOWSP_READ | PTOWSP_WRITE);
	builder_process(b, "p", 1);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 5);
	builder_send(b, c, row);
	builder_end(b);
	builder_process(b, "q", 1);
	builder_consume(b, c);
	builder_task(b, k, 1, "m", builder_window(b, t, row, zero, 8));
	builder_end(b);
	REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
	CHECK_INT(rt_extents(program, &args, &elements, 1, &error), PTOWSP_OK);
	CHECK_UINT(elements, 40);
	rt_program_destroy(program);
	builder_destroy(b);
}

void suite_rt_process(CU_pSuite s)
{
	TEST(s, vector_two_producers_capacity_1);
	TEST(s, processes_start_when_the_workload_is_over);
	TEST(s, replicas_know_their_number);
	TEST(s, a_process_without_tasks_counts_its_clock);
	TEST(s, the_schedule_can_change_a_capacity);
	TEST(s, threads_change_nothing);
	TEST(s, threads_change_nothing_where_only_tokens_order);
	TEST(s, a_run_that_is_cancelled_or_late_ends);
	TEST(s, a_cycle_of_full_channels_proposes_a_capacity);
	TEST(s, two_cycles_propose_a_capacity_each);
	TEST(s, tokens_that_nobody_takes_need_room_for_all);
	TEST(s, a_window_against_a_channel_proposes_a_window);
	TEST(s, a_scope_of_a_process_against_the_window_proposes_one);
	TEST(s, what_helps_is_tried_when_tasks_have_ended);
	TEST(s, an_empty_channel_names_who_never_sends);
	TEST(s, an_event_that_nobody_signals_is_named);
	TEST(s, a_pipeline_that_must_block_is_told_before_any_run);
	TEST(s, what_depends_on_data_is_not_told);
	TEST(s, processes_share_the_heap);
	TEST(s, heap_that_no_process_gives_back_is_proposed);
	TEST(s, a_process_uses_memory_between_alloc_and_free_only);
	TEST(s, extents_follow_the_processes);
}
