/* SPDX-License-Identifier: MIT
 * test_rt_vector_clock.c - what processes order among each other, as the check behind --strict sees it: one task writes a row, another one reads it, and no edge says
 * in which order. */
#include "rt/rt.h"
#include "tests/check_outcome.h"

#include <string.h>

struct front {
	struct builder *b;
	uint32_t k, row, other, a, c;
};

/* Kernel k; regions row and other; channels a and c. */
static struct front front_make(uint32_t capacity_a, uint32_t capacity_c)
{
	struct front f = {.b = builder_create()};
	uint32_t t, zero = builder_const(f.b, 0);

	f.k = builder_kernel(f.b, "k", PTOWSP_UNIT_AIV, 1, 1);
	t = builder_tensor(f.b, "t", PTOWSP_F32, 4, 4);
	f.row = builder_region(f.b, t, zero, zero, 1, 4);
	f.other = builder_region(f.b, t, builder_const(f.b, 1), zero, 1, 4);
	f.a = builder_channel(f.b, "a", capacity_a, 0);
	f.c = builder_channel(f.b, "c", capacity_c, 0);
	builder_schedule(f.b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_EXPLICIT, "");
	return f;
}

static void task(const struct front *f, const char *access, uint32_t region)
{
	builder_task(f->b, f->k, 3, access, region);
}

static const char first_two[] = "race: task 0 (k) and task 1 (k)";

/* The open process sends one of channel a. */
static void token(const struct front *f)
{
	builder_send(f->b, f->a, builder_const(f->b, 0));
}

/* A process takes all tokens of channel a. */
static void consumer(const struct front *f, const char *name)
{
	builder_process(f->b, name, 1);
	builder_consume(f->b, f->a);
	builder_end(f->b);
}

/* race: "task 0 (k) and task 1 (k)", NULL for none. */
static void strict(struct front *f, const char *race)
{
	struct outcome *o = builder_run(f->b, &(struct outcome_how){.flags = PTOWSP_RUN_STRICT});

	CHECK_INT(o->status, race ? PTOWSP_UNSUPPORTED : PTOWSP_OK);
	CHECK_CONTAINS(o->error.text, race ? race : "");
	CHECK_UINT(o->stats.deterministic, race ? PTOWSP_DETERMINISTIC_NO : PTOWSP_DETERMINISTIC_YES);
	CHECK(!strstr(o->log, "not looked for"));
	outcome_done(f->b, o);
}

TEST(a_token_orders_its_sender_s_tasks_before_its_consumer_s)
{
	for (int late = 0; late < 2; late++)
		for (uint32_t capacity = 0; capacity < 3; capacity++) {
			struct front f = front_make(capacity, 1);

			builder_process(f.b, "p", 1);
			task(&f, "w", f.row);
			token(&f);
			builder_process(f.b, "q", 1);
			if (late)
				task(&f, "r", f.row);
			builder_consume(f.b, f.a);
			if (!late)
				task(&f, "r", f.row);
			builder_end(f.b);
			strict(&f, late ? "race: task 0 (k) and task 1 (k) touch common elements" : NULL);
		}
}

TEST(tokens_go_through_processes_without_tasks)
{
	struct front f = front_make(1, 1);

	builder_process(f.b, "p", 1);
	task(&f, "w", f.row);
	token(&f);
	builder_process(f.b, "between", 1);
	builder_consume(f.b, f.a);
	builder_send(f.b, f.c, builder_const(f.b, 0));
	builder_end(f.b);
	builder_process(f.b, "q", 1);
	builder_consume(f.b, f.c);
	task(&f, "r", f.row);
	builder_end(f.b);
	strict(&f, NULL);
}

/* Writes, and sends so many tokens, of which the first is read for; twice. With three of them in a channel of one place, the last is sent when the second has been
 * consumed, behind the reading. */
TEST(places_that_come_back_order_the_next_round)
{
	for (int tokens = 2; tokens <= 3; tokens++) {
		struct front f = front_make(1, 1);
		uint32_t value = builder_expr(f.b, PTOWSP_EXPR_LOOP, 0, 0, 0);

		builder_process(f.b, "p", 1);
		builder_loop_n(f.b, PTOWSP_OP_PARALLEL_FOR, "i", 2);
		task(&f, "w", f.row);
		for (int i = 0; i < tokens; i++)
			builder_send(f.b, f.a, builder_const(f.b, i));
		builder_end(f.b);
		builder_process(f.b, "q", 1);
		builder_consume(f.b, f.a);
		builder_branches(f.b, PTOWSP_OP_COND, 2, builder_expr(f.b, PTOWSP_EXPR_EQ, value, builder_const(f.b, 0), 0));
		task(&f, "r", f.row);
		builder_next(f.b);
		builder_end(f.b);
		builder_end(f.b);
		strict(&f, tokens < 3 ? "race: task 1 (k) and task 2 (k)" : NULL);
	}
}

TEST(turns_order_producers)
{
	for (int before = 0; before < 2; before++) {
		struct front f = front_make(2, 1);

		builder_process(f.b, "p", 1);
		task(&f, "w", f.row);
		token(&f);
		builder_process(f.b, "q", 1);
		if (before)
			task(&f, "r", f.row);
		token(&f);
		if (!before)
			task(&f, "r", f.row);
		consumer(&f, "all");
		strict(&f, before ? first_two : NULL);
	}
}

/* Who has finished is passed over, with what it did until then; what it does afterwards is nobody's matter. */
TEST(who_is_passed_over_came_before)
{
	for (int after = 0; after < 2; after++) {
		struct front f = front_make(8, 1);

		builder_process(f.b, "p", 1);
		token(&f);
		if (!after)
			task(&f, "w", f.row);
		builder_close(f.b, f.a);
		if (after)
			task(&f, "w", f.row);
		builder_process(f.b, "q", 1);
		token(&f);
		token(&f); /* the turn of p, who is passed over */
		task(&f, "r", f.row);
		consumer(&f, "all");
		strict(&f, after ? first_two : NULL);
	}
}

/* q takes the first token, writes and ends; the third would be its turn. Both sides of a rendezvous wait for that, a sender with a place does not. */
TEST(a_rendezvous_comes_behind_a_consumer_that_is_passed_over)
{
	for (uint32_t capacity = 0; capacity <= 2; capacity += 2) {
		struct front f = front_make(capacity, 1);

		builder_process(f.b, "p", 1);
		builder_loop_n(f.b, PTOWSP_OP_PARALLEL_FOR, "i", 3);
		token(&f);
		builder_end(f.b);
		task(&f, "r", f.row);
		builder_process(f.b, "q", 1);
		builder_consume(f.b, f.a);
		builder_emit(f.b, PTOWSP_OP_BREAK, 0, 0);
		builder_end(f.b);
		task(&f, "w", f.row);
		consumer(&f, "s");
		strict(&f, capacity ? first_two : NULL);
	}
}

TEST(a_closed_channel_orders_who_finds_it_so)
{
	for (int after = 0; after < 2; after++) {
		struct front f = front_make(1, 1);

		builder_process(f.b, "p", 1);
		if (!after)
			task(&f, "w", f.row);
		builder_uses(f.b, f.a, PTOWSP_CHANNEL_PRODUCES);
		builder_close(f.b, f.a);
		if (after)
			task(&f, "w", f.row);
		consumer(&f, "q");
		task(&f, "r", f.row);
		strict(&f, after ? first_two : NULL);
	}
}

TEST(a_signal_orders_who_waits_for_it)
{
	for (int before = 0; before < 2; before++) {
		struct front f = front_make(1, 1);
		uint32_t event = builder_event(f.b, "e");

		builder_process(f.b, "p", 1);
		if (before)
			builder_emit(f.b, PTOWSP_OP_SIGNAL, 0, event);
		task(&f, "w", f.row);
		if (!before)
			builder_emit(f.b, PTOWSP_OP_SIGNAL, 0, event);
		builder_process(f.b, "q", 1);
		builder_emit(f.b, PTOWSP_OP_WAIT, 0, event);
		task(&f, "r", f.row);
		strict(&f, before ? first_two : NULL);
	}
}

/* A barrier is one of its own tasks: an instance does one thing after the other anyway. */
TEST(a_barrier_orders_nobody_else)
{
	struct front f = front_make(1, 1);

	builder_process(f.b, "p", 1);
	task(&f, "w", f.row);
	builder_process(f.b, "q", 1);
	builder_emit(f.b, PTOWSP_OP_BARRIER, 0, 0);
	task(&f, "r", f.row);
	strict(&f, first_two);
}

/* The second task of q has a slot in its arguments that p has set behind its own. */
TEST(a_slot_orders_who_reads_it)
{
	for (int reads = 0; reads < 2; reads++) {
		struct front f = front_make(1, 1);
		uint32_t slot = builder_slot(f.b, "s", PTOWSP_SLOT_SLOT, 0), value = builder_expr(f.b, PTOWSP_EXPR_VALUE, slot, 0, 0);

		builder_process(f.b, "p", 1);
		task(&f, "w", f.row);
		builder_slot_set(f.b, slot, builder_const(f.b, 5));
		builder_process(f.b, "q", 1);
		task(&f, "r", f.other);
		builder_task_list(f.b, f.k, reads ? value : builder_const(f.b, 5), 1, "r", &f.row);
		strict(&f, reads ? NULL : "race: task 0 (k) and task 2 (k)");
	}
}

/* q loads an element that p has written: it waits for that task. */
TEST(a_load_orders_who_waits_for_its_writer)
{
	struct front f = front_make(1, 1);
	uint32_t slot = builder_slot(f.b, "s", PTOWSP_SLOT_SLOT, 0);

	builder_process(f.b, "p", 1);
	task(&f, "w", f.row);
	builder_process(f.b, "q", 1);
	task(&f, "r", f.other);
	builder_slot_load(f.b, slot, f.row);
	task(&f, "r", f.row);
	strict(&f, NULL);
}

TEST(processes_come_behind_the_workload)
{
	struct front f = front_make(1, 1);

	task(&f, "w", f.row);
	builder_process(f.b, "p", 2);
	task(&f, "r", f.row);
	strict(&f, NULL);
}

/* No task moves the elements of a payload, so it is not looked for races there, and that is said. */
TEST(where_elements_are_moved_nothing_is_looked_for)
{
	struct front f = front_make(1, 1);
	uint32_t c = builder_payload(f.b, "tiles", 1, 0);
	struct outcome *o;

	builder_process(f.b, "p", 1);
	task(&f, "w", f.row);
	builder_send_block(f.b, c, builder_const(f.b, 0), f.row);
	builder_process(f.b, "q", 1);
	builder_consume_block(f.b, c, f.other);
	builder_end(f.b);
	o = builder_run(f.b, &(struct outcome_how){.flags = PTOWSP_RUN_STRICT});
	CHECK_INT(o->status, PTOWSP_OK);
	CHECK_UINT(o->stats.deterministic, PTOWSP_DETERMINISTIC_UNKNOWN);
	CHECK_CONTAINS(o->log, "races are not looked for between processes where payload channels move elements");
	outcome_done(f.b, o);
}
