/* SPDX-License-Identifier: MIT
 * test_rt_move.c - the regions of payload channels: when their elements are taken and replaced, what is refused. */
#include "rt/rt.h"
#include "tests/check_outcome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t loop_of(struct builder *b)
{
	return builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
}

/* ---- when ------------------------------------------------------------------------------------------------------ */

/* Rows of one tensor: 0 is sent, 1 is where it arrives; and kernels that write, and read, one row. */
struct rows {
	struct builder *b;
	uint32_t write, read, channel, sent, there, zero;
};

static struct rows rows_make(uint32_t capacity, uint64_t latency)
{
	struct rows r = {.b = builder_create()};
	uint32_t t = builder_tensor(r.b, "t", PTOWSP_I64, 2, 4);

	r.write = builder_kernel(r.b, "w", PTOWSP_UNIT_AIV, 1, 1);
	r.read = builder_kernel(r.b, "r", PTOWSP_UNIT_AIV, 1, 1);
	r.channel = builder_payload(r.b, "c", capacity, latency);
	r.zero = builder_const(r.b, 0);
	r.sent = builder_region(r.b, t, r.zero, r.zero, 1, 4);
	r.there = builder_region(r.b, t, builder_const(r.b, 1), r.zero, 1, 4);
	builder_schedule(r.b, PTOWSP_DIRECTIVE_DEPS, PTOWSP_DEPS_EXPLICIT, "");
	return r;
}

/* A process that begins with a task, which reads or writes a row. */
static void rows_task(const struct rows *r, const char *process, uint64_t cycles, const char *access, uint32_t region)
{
	builder_process(r->b, process, 1);
	builder_task(r->b, *access == 'w' ? r->write : r->read, cycles, access, region);
}

static void rows_send(const struct rows *r)
{
	builder_send_block(r->b, r->channel, r->zero, r->sent);
}

/* A process takes what was sent, and reads it. */
static void rows_taken(const struct rows *r)
{
	builder_process(r->b, "takes", 1);
	builder_consume_block(r->b, r->channel, r->there);
	builder_task(r->b, r->read, 1, "r", r->there);
	builder_end(r->b);
}

static void starts_are(struct builder *b, uint32_t count, const uint64_t *start)
{
	struct outcome_how counted = {.flags = PTOWSP_RUN_NO_KERNELS};
	struct outcome *o = builder_run(b, NULL), *other = builder_run(b, &counted);

	CHECK_STR(o->error.text, "");
	REQUIRE_UINT(o->task_count, count);
	for (uint32_t i = 0; i < count; i++)
		CHECK_UINT(o->tasks[i].start, start[i]);
	REQUIRE_UINT(other->task_count, count);
	CHECK(!memcmp(other->tasks, o->tasks, count * sizeof(*o->tasks)));
	outcome_destroy(other);
	outcome_done(b, o);
}

/* The writer is another process's and no edge is there: sent at 10, consumed at 10 + 2. */
TEST(a_send_follows_who_wrote_what_is_sent)
{
	struct rows r = rows_make(1, 2);

	rows_task(&r, "writes", 10, "w", r.sent);
	builder_process(r.b, "sends", 1);
	rows_send(&r);
	rows_taken(&r);
	starts_are(r.b, 2, (uint64_t[]){0, 12});
}

/* Two writers that nothing orders: the later one in the order of turns ends at 3, and that is whose elements are sent. A reader does not matter. */
TEST(a_send_follows_the_latest_writer_alone)
{
	struct rows r = rows_make(1, 0);

	rows_task(&r, "long", 10, "w", r.sent);
	rows_task(&r, "short", 3, "w", r.sent);
	rows_task(&r, "reads", 50, "r", r.sent);
	builder_process(r.b, "sends", 1);
	rows_send(&r);
	rows_taken(&r);
	starts_are(r.b, 4, (uint64_t[]){0, 0, 0, 3});
}

/* A reader until 20 and a writer until 7: the body begins at 20. The channel is free again at 5, when the token came out: the second send is not held. */
TEST(an_arrival_follows_all_who_touch_its_place)
{
	struct rows r = rows_make(1, 5);

	rows_task(&r, "reads", 20, "r", r.there);
	rows_task(&r, "writes", 7, "w", r.there);
	builder_process(r.b, "sends", 1);
	rows_send(&r);
	builder_task(r.b, r.read, 1, "r", r.sent);
	rows_send(&r);
	builder_task(r.b, r.read, 1, "r", r.sent);
	rows_taken(&r);
	starts_are(r.b, 6, (uint64_t[]){0, 0, 0, 20, 5, 21});
}

/* In a rendezvous both are there at the same time, and only the one in whose place something arrives waits on. */
TEST(a_rendezvous_holds_only_the_one_with_the_place)
{
	struct rows r = rows_make(0, 1);

	rows_task(&r, "reads", 20, "r", r.there);
	rows_task(&r, "sends", 4, "w", r.sent);
	rows_send(&r);
	builder_task(r.b, r.read, 1, "r", r.sent);
	rows_taken(&r);
	starts_are(r.b, 4, (uint64_t[]){0, 0, 4, 20});
}

/* Slots that a region reads move the clock as those of the token do: that of the sender, or that of the one who gets it. */
TEST(a_region_waits_for_the_slots_that_it_reads)
{
	for (int arrives = 0; arrives < 2; arrives++) {
		struct builder *b = builder_create();
		uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 4, 4), none = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0), zero = builder_const(b, 0);
		uint32_t slot = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 0), c = builder_payload(b, "c", 1, 0);
		uint32_t at = builder_region(b, t, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), zero, 1, 4), first = builder_region(b, t, zero, zero, 1, 4);

		builder_process(b, "sets", 1);
		builder_task(b, none, 9, "");
		builder_slot_set(b, slot, builder_const(b, 2));
		builder_task(b, none, 1, "");
		builder_process(b, "sends", 1);
		builder_task(b, none, 1, "");
		builder_task(b, none, 1, "");
		builder_send_block(b, c, zero, arrives ? first : at);
		builder_task(b, none, 1, "");
		builder_process(b, "takes", 1);
		builder_consume_block(b, c, arrives ? at : first);
		builder_task(b, none, 1, "");
		builder_end(b);
		starts_are(b, 6, arrives ? (uint64_t[]){0, 0, 9, 1, 2, 9} : (uint64_t[]){0, 0, 9, 1, 9, 9});
	}
}

/* ---- tensors ---------------------------------------------------------------------------------------------------- */

TEST(a_temp_tensor_that_moves_is_an_ordinary_one)
{
	struct rows r = rows_make(1, 0);
	struct outcome *o;

	builder_role(r.b, 0, PTOWSP_ROLE_TEMP);
	rows_task(&r, "p", 1, "w", r.sent);
	rows_send(&r);
	builder_process(r.b, "q", 1);
	builder_consume_block(r.b, r.channel, r.there);
	builder_end(r.b);
	o = builder_run(r.b, NULL);
	CHECK_STR(o->error.text, "");
	CHECK_CONTAINS(o->log, "temp tensor t is not renamed but an ordinary one: a payload channel moves it");
	CHECK(!memcmp(o->memory, o->memory + 4, 4 * sizeof(*o->memory)));
	outcome_done(r.b, o);
}

TEST(extents_follow_what_is_moved)
{
	struct builder *b = builder_create();
	uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 0, 0), u = builder_tensor(b, "u", PTOWSP_I64, 0, 0), c = builder_payload(b, "c", 1, 0);
	uint32_t zero = builder_const(b, 0), row = loop_of(b);
	struct ptowsp_run_args args = {.head = PTOWSP_HEAD(args, RUN_ARGS)};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program *program = NULL;
	uint64_t elements[2] = {0};

	builder_process(b, "p", 1);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 5);
	builder_send_block(b, c, row, builder_region(b, t, row, zero, 2, 4));
	builder_end(b);
	builder_process(b, "q", 1);
	builder_consume_block(b, c, builder_region(b, u, zero, row, 2, 4));
	builder_end(b);
	REQUIRE_INT(builder_program(b, &program, &error), PTOWSP_OK);
	CHECK_INT(rt_extents(program, &args, elements, 2, &error), PTOWSP_OK);
	CHECK_UINT(elements[0], 6 * 4);
	CHECK_UINT(elements[1], 2 * 8);
	rt_program_destroy(program);
	builder_destroy(b);
}

/* ---- what is refused ------------------------------------------------------------------------------------------- */

/* One send of `sent` and one consume into `there`; the program is refused like this. b is destroyed. */
static void move_refused(struct builder *b, uint32_t channel, uint32_t sent, uint32_t there, ptowsp_status status, const char *text)
{
	builder_process(b, "p", 1);
	builder_send_block(b, channel, builder_const(b, 0), sent);
	builder_process(b, "q", 1);
	builder_consume_block(b, channel, there);
	builder_end(b);
	check_refused(b, status, text);
}

TEST(blocks_of_another_shape_or_type_are_refused)
{
	struct rows r = rows_make(1, 0);
	uint32_t two, f;

	move_refused(r.b, r.channel, r.sent, builder_region(r.b, 0, r.zero, r.zero, 2, 2), PTOWSP_BAD_PACKAGE,
		     "instruction 4: channel c carries 1 x 4 i64 at instruction 1, here it is 2 x 2 i64");
	r = rows_make(1, 0);
	f = builder_tensor(r.b, "f", PTOWSP_F32, 2, 4);
	move_refused(r.b, r.channel, r.sent, builder_region(r.b, f, r.zero, r.zero, 1, 4), PTOWSP_BAD_PACKAGE,
		     "instruction 4: channel c carries 1 x 4 i64 at instruction 1, here it is 1 x 4 f32");
	r = rows_make(1, 0);
	move_refused(r.b, r.channel, builder_window(r.b, 0, r.zero, r.zero, 4), r.there, PTOWSP_BAD_PACKAGE,
		     "instruction 1: channel c moves blocks, so its region needs rows and columns");
	r = rows_make(1, 0);
	two = builder_const(r.b, 2);
	move_refused(r.b, r.channel, builder_region(r.b, 0, two, r.zero, 1, 4), r.there, PTOWSP_BAD_PACKAGE,
		     "instruction 1: the region 2, 0 of 1 x 4 (unit 0) is outside tensor t, 2 x 4");
}

/* The instruction at `at` becomes something else. */
static void check_damaged(uint32_t at, uint8_t opcode, uint16_t operand1, const char *text)
{
	struct rows r = rows_make(1, 0);
	struct ptowsp_instruction *code;
	struct outcome *o;
	uint32_t count;

	builder_process(r.b, "p", 1);
	rows_send(&r);
	builder_process(r.b, "q", 1);
	builder_consume_block(r.b, r.channel, r.there);
	builder_end(r.b);
	code = builder_code(r.b, &count);
	REQUIRE(at < count);
	code[at].opcode = opcode;
	code[at].operand1 = operand1;
	o = builder_run(r.b, NULL);
	CHECK_INT(o->status, PTOWSP_BAD_PACKAGE);
	CHECK_STR(o->error.text, text);
	outcome_done(r.b, o);
}

TEST(a_missing_word_is_refused)
{
	static const char sends[] = "instruction 1: channel c is one of payload, so behind the send stands one io_input word, of tensor argument 0";
	static const char takes[] = "instruction 4: channel c is one of payload, so behind the consume stands one io_output word, of tensor argument 0";

	check_damaged(2, PTOWSP_OP_NOP, 0, sends);
	check_damaged(2, PTOWSP_OP_IO_OUTPUT, 0, sends);
	check_damaged(2, PTOWSP_OP_IO_INPUT, 1, sends);
	check_damaged(5, PTOWSP_OP_NOP, 0, takes);
	check_damaged(5, PTOWSP_OP_IO_INPUT, 0, takes);
	check_damaged(5, PTOWSP_OP_IO_OUTPUT, 1, takes);
}

TEST(a_token_channel_has_no_region)
{
	struct rows r = rows_make(1, 0);

	move_refused(r.b, builder_channel(r.b, "plain", 1, 0), r.sent, r.there, PTOWSP_BAD_PACKAGE,
		     "instruction 2: opcode 0x23 belongs behind another instruction");
}

TEST(memory_between_alloc_and_free_does_not_move)
{
	struct rows r = rows_make(1, 0);

	builder_emit(r.b, PTOWSP_OP_ALLOC, 0, 0);
	builder_emit(r.b, PTOWSP_OP_FREE, 0, 0);
	move_refused(r.b, r.channel, r.sent, r.there, PTOWSP_UNSUPPORTED,
		     "tensor t lives between alloc and free, and channel c moves elements of it; copy them to another tensor first");
}

/* The token is the row from which it is sent, and the slot that in which it arrives. */
static void check_fails(int64_t token, int64_t slot_value, const struct outcome_how *how, const char *text)
{
	struct builder *b = builder_create();
	uint32_t t = builder_tensor(b, "t", PTOWSP_I64, 4, 4), zero = builder_const(b, 0), slot = builder_slot(b, "s", PTOWSP_SLOT_SYMBOL, slot_value);
	uint32_t from = builder_slot(b, "f", PTOWSP_SLOT_SYMBOL, token), c = builder_payload(b, "c", 1, 0);
	uint32_t row = builder_expr(b, PTOWSP_EXPR_DIV, builder_const(b, 6), builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), 0);
	struct outcome *o;

	builder_process(b, "p", 1);
	builder_send_block(b, c, zero, builder_region(b, t, builder_expr(b, PTOWSP_EXPR_VALUE, from, 0, 0), zero, 2, 4));
	builder_process(b, "q", 1);
	builder_consume_block(b, c, builder_region(b, t, row, zero, 2, 4));
	builder_end(b);
	o = builder_run(b, how);
	CHECK_INT(o->status, *text ? PTOWSP_RUN_FAILED : PTOWSP_OK);
	CHECK_STR(o->error.text, text);
	outcome_done(b, o);
}

TEST(a_region_outside_its_tensor_ends_the_run)
{
	struct outcome_how bare = {.bare = true}, counted = {.bare = true, .flags = PTOWSP_RUN_NO_KERNELS};

	check_fails(2, 3, NULL, "");
	check_fails(3, 3, NULL, "process p, channel c: 2 x 4 elements at 3, 0 are outside tensor t, which is 4 x 4");
	check_fails(-1, 3, &counted, "process p, channel c: 2 x 4 elements at -1, 0 are outside tensor t, which is 4 x 4");
	check_fails(2, 2, NULL, "process q, channel c: 2 x 4 elements at 3, 0 are outside tensor t, which is 4 x 4");
	check_fails(2, 0, NULL, "process q, channel c: the region in tensor t divides by zero");
	check_fails(2, 3, &bare, "process p, channel c: the region in tensor t is bound to no memory");
}
