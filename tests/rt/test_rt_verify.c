/* SPDX-License-Identifier: MIT
 * test_rt_verify.c - bytecode that must be refused, each with its sentence; and mutated programs, which are refused or run without harm. */
#include "tests/check_outcome.h"
#include "tests/draw.h"
#include "tests/rt/builder/rt_builder.h"
#include "tests/rt/builder/rt_builder_rows.h"

#include <stdlib.h>
#include <string.h>

#define E(b, op, x, y) builder_emit(b, PTOWSP_OP_##op, x, y)

/* A kernel k0(scalar), k1(scalar, tensor), a tensor of 8 x 8, its whole region 0, one axis 0 .. 3. */
static struct builder *small(void)
{
	struct builder *b = builder_create();
	uint32_t zero = builder_const(b, 0), four = builder_const(b, 4), one = builder_const(b, 1), t;

	builder_kernel(b, "k0", PTOWSP_UNIT_AIV, 1, 0);
	builder_kernel(b, "k1", PTOWSP_UNIT_AIV, 1, 1);
	t = builder_tensor(b, "t", PTOWSP_I64, 8, 8);
	builder_region(b, t, zero, zero, 8, 8);
	builder_axis(b, "i", zero, four, one, PTOWSP_NONE);
	builder_slot(b, "symbol", PTOWSP_SLOT_SYMBOL, 1);
	builder_slot(b, "slot", PTOWSP_SLOT_SLOT, 1);
	return b;
}

static void refuse(struct builder *b, ptowsp_status status, const char *why)
{
	struct outcome *o = builder_run(b, NULL);

	CHECK_INT(o->status, status);
	CHECK_CONTAINS(o->error.text, why);
	CHECK_UINT(o->task_count, 0);
	outcome_done(b, o);
}

/* From the sections as they lie in memory: builder_sections would add a halt that was changed. */
static struct rt_program *create_from(struct builder *b, const struct ptowsp_section *sections, uint32_t count, struct ptowsp_error *error)
{
	struct rt_program_args args = {.sections = sections, .section_count = count, .section_stride = sizeof(*sections), .kernels = builder_kernels(b)};
	struct rt_program *program;

	rt_program_create(&program, &args, error);
	return program;
}

TEST(unknown_opcodes_are_named)
{
	struct builder *b = small();

	builder_emit(b, 0x7E, 0, 0);
	refuse(b, PTOWSP_UNKNOWN_OPCODE, "instruction 0: unknown opcode 0x7e");
}

/* Programs of the kernels and tables of small(): their words, and what their refusal says. */
struct refused {
	const char *why;
	struct {
		uint8_t op; /* 0 behind the last word */
		uint16_t x;
		uint32_t y;
	} words[5];
};
#define W(op, x, y)                                                                                                                                            \
	{                                                                                                                                                      \
		PTOWSP_OP_##op, x, y                                                                                                                           \
	}

static void refuse_each(const struct refused *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct builder *b = small();

		for (size_t w = 0; rows[i].words[w].op; w++)
			builder_emit(b, rows[i].words[w].op, rows[i].words[w].x, rows[i].words[w].y);
		refuse(b, PTOWSP_BAD_PACKAGE, rows[i].why);
	}
}

TEST(targets_lie_behind_and_inside)
{
	static const struct refused rows[] = {
		{"target 0 is outside 1..2", {W(PARALLEL_FOR, 0, 0)}},
		{"target 9 is outside", {W(PARALLEL_FOR, 0, 9)}},
		/* the inner loop reaches behind the outer one */
		{"instruction 1: target 4 is outside 2..3", {W(PARALLEL_FOR, 0, 3), W(PARALLEL_FOR, 0, 4), W(NOP, 0, 0), W(NOP, 0, 0)}},
		{"target 3 is outside 4..", {W(COMBINE, 2, 0), W(TARGET, 0, 4), W(TARGET, 0, 3), W(NOP, 0, 0)}},
		{"a target is missing", {W(COND, 0, 0), W(TARGET, 0, 3)}},
		{"0 branches", {W(SEQUENTIAL, 0, 0)}},
		{"60000 branches", {W(SEQUENTIAL, 60000, 0)}},
	};

	refuse_each(rows, COUNT(rows));
}

TEST(words_do_not_stand_alone)
{
	static const uint8_t words[] = {PTOWSP_OP_TARGET,   PTOWSP_OP_PARAM_CONST, PTOWSP_OP_PARAM_LOOPVAR, PTOWSP_OP_PARAM_EXPR,
					PTOWSP_OP_IO_INPUT, PTOWSP_OP_IO_OUTPUT,   PTOWSP_OP_IO_INOUT,      PTOWSP_OP_IO_BIND};

	for (size_t i = 0; i < sizeof(words); i++) {
		struct builder *b = small();

		builder_emit(b, words[i], 0, 0);
		refuse(b, PTOWSP_BAD_PACKAGE, "belongs behind another instruction");
	}
}

TEST(nesting_is_bounded_at_64)
{
	struct builder *b = small();
	struct outcome *o;

	for (int i = 0; i < 64; i++)
		builder_scope(b);
	for (int i = 0; i < 64; i++)
		builder_end(b);
	o = builder_run(b, NULL);
	CHECK_INT(o->status, PTOWSP_OK);
	outcome_done(b, o);
	b = small();
	for (int i = 0; i < 65; i++)
		builder_scope(b);
	for (int i = 0; i < 65; i++)
		builder_end(b);
	refuse(b, PTOWSP_BAD_PACKAGE, "nest deeper than 64");
}

TEST(an_entry_ends_with_halt_outside_every_body)
{
	struct builder *b = small();
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	const struct ptowsp_section *sections;
	struct rt_program *program;
	uint32_t count;

	E(b, SCOPE, 0, 2);
	E(b, HALT, 0, 0);
	E(b, NOP, 0, 0);
	refuse(b, PTOWSP_BAD_PACKAGE, "halt inside a body");
	b = small();
	sections = builder_sections(b, &count);
	*((unsigned char *)sections[0].data + sizeof(struct ptowsp_workload_header)) = PTOWSP_OP_NOP;
	program = create_from(b, sections, count, &error);
	CHECK(!program);
	CHECK_CONTAINS(error.text, "no halt");
	builder_destroy(b);
}

TEST(tasks_have_each_argument_once)
{
	static const struct refused rows[] = {
		{"argument 0 of 1 is given twice", {W(TASK, 1, 1u << 16 | 1), W(PARAM_CONST, 0, 1), W(PARAM_CONST, 0, 1)}},
		{"tensor argument 0 of 1 is given twice", {W(TASK, 1, 1u << 16 | 1), W(IO_INPUT, 0, 0), W(IO_INPUT, 0, 0)}},
		{"opcode 0x01 comes instead", {W(TASK, 1, 1u << 16 | 1), W(PARAM_CONST, 0, 1), W(NOP, 0, 0)}},
		{"opcode 0x00 comes instead", {W(TASK, 1, 1u << 16 | 1), W(PARAM_CONST, 0, 1)}},
		{"promises 18 words, 1 are left", {W(TASK, 1, 9u << 16 | 9)}},
		{"kernel k0 takes 1 and 0", {W(TASK, 0, 1u << 16 | 1), W(PARAM_CONST, 0, 1), W(IO_INPUT, 0, 0)}},
		{"there is no kernel 2", {W(TASK, 2, 0)}},
		{"reads loop 0 of 0", {W(TASK, 0, 1u << 16), W(PARAM_LOOPVAR, 0, 0)}},
		{"there is no EXPR row 99", {W(TASK, 0, 1u << 16), W(PARAM_EXPR, 0, 99)}},
		{"beyond the end of the body", {W(SCOPE, 0, 2), W(TASK, 0, 1u << 16), W(PARAM_CONST, 0, 1)}},
	};

	refuse_each(rows, COUNT(rows));
}

TEST(regions_lie_inside_their_tensors)
{
	struct builder *b = small();
	uint32_t zero = builder_const(b, 0), two = builder_const(b, 2);

	builder_task(b, 1, 1, "r", builder_region(b, 0, two, zero, 7, 8));
	refuse(b, PTOWSP_BAD_PACKAGE, "is outside tensor t, 8 x 8");
	b = small();
	builder_task(b, 1, 1, "r", builder_region(b, 0, builder_const(b, -1), builder_const(b, 0), 1, 1));
	refuse(b, PTOWSP_BAD_PACKAGE, "is outside tensor t");
	b = small();
	builder_task(b, 1, 1, "r", builder_window(b, 0, builder_const(b, 3), builder_const(b, 17), 16));
	refuse(b, PTOWSP_BAD_PACKAGE, "is outside tensor t");
	b = small();
	builder_task(b, 1, 1, "r", builder_region(b, 0, 0, 0, 0, 8));
	refuse(b, PTOWSP_BAD_PACKAGE, "has no elements");
	b = small();
	builder_task(b, 1, 1, "r", builder_region(b, 1, 0, 0, 1, 1));
	refuse(b, PTOWSP_BAD_PACKAGE, "names tensor 1 of 1");
	b = small();
	builder_task(b, 1, 1, "r", 5);
	refuse(b, PTOWSP_BAD_PACKAGE, "there is no REGN row 5");
}

TEST(tensors_of_another_entry_are_refused)
{
	struct builder *b = small();
	struct ptowsp_entry_record other = {.name = builder_string(b, "other")};

	((struct ptowsp_tensor_record *)b->tensor.rows)[0].entry = ADD(b->entry, other);
	builder_task(b, 1, 1, "r", 0);
	refuse(b, PTOWSP_BAD_PACKAGE, "tensor t is one of entry other, and entry main has none of them");
}

TEST(slots_can_be_changed_and_symbols_cannot)
{
	struct builder *b = small();

	builder_slot_set(b, 0, 0);
	refuse(b, PTOWSP_BAD_PACKAGE, "symbol is a symbol");
	b = small();
	builder_slot_set(b, 2, 0);
	refuse(b, PTOWSP_BAD_PACKAGE, "there is no slot 2");
	b = small();
	builder_slot_load(b, 1, 9);
	refuse(b, PTOWSP_BAD_PACKAGE, "there is no REGN row 9");
}

TEST(axes_and_steps_are_checked)
{
	struct builder *b = small();

	builder_loop(b, PTOWSP_OP_FOR_EACH, 1);
	builder_end(b);
	refuse(b, PTOWSP_BAD_PACKAGE, "there is no axis 1");
	b = small();
	builder_loop(b, PTOWSP_OP_FOR_EACH, builder_axis(b, "x", 0, 1, 0, PTOWSP_NONE));
	builder_end(b);
	refuse(b, PTOWSP_BAD_PACKAGE, "the step of the loop is 0");
	b = small(); /* a symbol: known in the run */
	builder_loop(b, PTOWSP_OP_FOR_EACH,
		     builder_axis(b, "x", 0, 1, builder_expr(b, PTOWSP_EXPR_SUB, 0, builder_expr(b, PTOWSP_EXPR_VALUE, 0, 0, 0), 0), PTOWSP_NONE));
	builder_end(b);
	refuse(b, PTOWSP_RUN_FAILED, "the step of a loop must be at least 1 (-1)");
}

TEST(flags_of_a_package_are_zero)
{
	struct builder *b = small();
	uint32_t count;

	E(b, NOP, 0, 0);
	builder_code(b, &count)[0].flags = PTOWSP_CHECKED;
	refuse(b, PTOWSP_BAD_PACKAGE, "flags are 1");
}

TEST(variants_take_the_same_parameters)
{
	static const uint32_t levels[1][2] = {{4, 64}};
	struct builder *b = small();

	builder_variant(b, 0, 64, 1);
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, builder_axis(b, "x", 0, 1, 2, builder_levels(b, 4, 4, 1, levels)));
	builder_task(b, 0, 1, "");
	builder_end(b);
	refuse(b, PTOWSP_BAD_PACKAGE, "variant k1 does not take the parameters of kernel k0");
}

TEST(sections_are_checked_for_size_and_repetition)
{
	struct builder *b = small();
	struct ptowsp_section sections[17];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program_args args = {.sections = sections, .section_stride = sizeof(*sections), .kernels = builder_kernels(b)};
	struct rt_program *program;
	uint32_t count;

	memcpy(sections, builder_sections(b, &count), sizeof(*sections) * 15);
	args.section_count = count;
	sections[0].count = 20;
	CHECK_INT(rt_program_create(&program, &args, &error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "WORK has 20 bytes");
	sections[0].count = 30;
	CHECK_INT(rt_program_create(&program, &args, &error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "its header promises");
	memcpy(sections, builder_sections(b, &count), sizeof(*sections) * count);
	sections[count] = sections[2];
	args.section_count = count + 1;
	CHECK_INT(rt_program_create(&program, &args, &error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "is there twice");
	args.section_count = count;
	sections[0].type = PTOWSP_SECTION_META;
	CHECK_INT(rt_program_create(&program, &args, &error), PTOWSP_BAD_PACKAGE);
	sections[0].type = PTOWSP_SECTION('X', 'X', 'X', 'X');
	CHECK_INT(rt_program_create(&program, &args, &error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "no section WORK");
	args.entry = 1;
	CHECK(rt_program_create(&program, &args, &error) != 0);
	builder_destroy(b);
}

/* Records of an older packer are shorter, of a newer one longer. */
TEST(records_of_other_sizes_are_read)
{
	struct builder *b = small();
	struct ptowsp_section sections[16];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_program_args args = {.sections = sections, .section_stride = sizeof(*sections), .kernels = builder_kernels(b)};
	struct rt_program *program;
	uint32_t count;
	char *wide;

	builder_task(b, 1, 1, "r", 0);
	memcpy(sections, builder_sections(b, &count), sizeof(*sections) * 15);
	args.section_count = count;
	for (uint32_t i = 0; i < count; i++)
		if (sections[i].type == PTOWSP_SECTION_REGN) {
			wide = calloc(sections[i].count, sections[i].stride + 8);
			for (uint64_t r = 0; r < sections[i].count; r++)
				memcpy(wide + r * (sections[i].stride + 8), (const char *)sections[i].data + r * sections[i].stride, sections[i].stride);
			sections[i].data = wide;
			sections[i].stride += 8;
		} else if (sections[i].type == PTOWSP_SECTION_KREG) {
			wide = calloc(sections[i].count, 48); /* without variants */
			for (uint64_t r = 0; r < sections[i].count; r++)
				memcpy(wide + r * 48, (const char *)sections[i].data + r * sections[i].stride, 48);
			sections[i].data = wide;
			sections[i].stride = 48;
		}
	CHECK_INT(rt_program_create(&program, &args, &error), PTOWSP_OK);
	CHECK_STR(error.text, "");
	rt_program_destroy(program);
	for (uint32_t i = 0; i < count; i++)
		if (sections[i].type == PTOWSP_SECTION_REGN || sections[i].type == PTOWSP_SECTION_KREG)
			free((void *)sections[i].data);
	builder_destroy(b);
}

/* ---- mutation ---------------------------------------------------------------------------------------------------- */

static uint64_t state;

static uint32_t pick(uint32_t n)
{
	return (uint32_t)draw(&state, n);
}

/* A program with a bit of everything. */
static struct builder *rich(void)
{
	static const uint32_t levels[2][2] = {{4, 64}, {0, 32}};
	struct builder *b = small();
	uint32_t five = builder_const(b, 5), loop = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0);
	uint32_t leveled = builder_axis(b, "l", 0, five, 2, builder_levels(b, 4, 2, 2, levels));

	builder_kernel(b, "f_64", PTOWSP_UNIT_AIC, 1, 0);
	builder_variant(b, 0, 64, 2);
	builder_schedule(b, PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_CUSTOM, "en", loop, INT64_C(2));
	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", INT64_C(8));
	builder_loop(b, PTOWSP_OP_PARALLEL_FOR, 0);
	builder_task(b, 1, 3, "w", builder_region(b, 0, loop, 0, 1, 8));
	builder_branches(b, PTOWSP_OP_COND, 2, loop);
	builder_task(b, 1, 3, "m", builder_window(b, 0, loop, 0, 8));
	builder_next(b);
	builder_task(b, 0, 1, "");
	builder_end(b);
	builder_end(b);
	builder_slot_load(b, 1, 0);
	builder_branches(b, PTOWSP_OP_SEQUENTIAL, 2, 0);
	builder_loop(b, PTOWSP_OP_FOR_EACH, leveled);
	builder_task(b, 0, 1, "");
	builder_end(b);
	builder_next(b);
	builder_scope(b);
	builder_task(b, 1, 1, "r", 0);
	builder_slot_set(b, 1, builder_expr(b, PTOWSP_EXPR_VALUE, 1, 0, 0));
	builder_end(b);
	builder_end(b);
	return b;
}

/* A few bytes of the sections' own memory, strings and the tensor's kernels' tables left alone. */
static void damage(const struct ptowsp_section *sections, uint32_t count)
{
	for (uint32_t n = 1 + pick(3); n; n--) {
		const struct ptowsp_section *s = &sections[pick(count)];
		uint64_t size = s->count * s->stride;
		unsigned char *bytes = (unsigned char *)s->data;

		if (s->type == PTOWSP_SECTION_STRS || s->type == PTOWSP_SECTION_DIMS || s->type == PTOWSP_SECTION_TENS)
			continue;
		switch (pick(3)) {
		case 0: bytes[pick((uint32_t)size)] = (unsigned char)pick(256); break;
		case 1: bytes[pick((uint32_t)size)] ^= (unsigned char)(1u << pick(8)); break;
		default: bytes[pick((uint32_t)size)] = (unsigned char)pick(12);
		}
	}
}

/* Two stages and a rendezvous back; scopes, orders, an event. */
static struct builder *rich_pipeline(void)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 16, 4), zero = builder_const(b, 0);
	uint32_t there = builder_channel(b, "there", 2, 3), back = builder_channel(b, "back", 0, 0), event = builder_event(b, "event");
	uint32_t value = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), row = builder_expr(b, PTOWSP_EXPR_MOD, value, builder_const(b, 16), 0);
	uint32_t region = builder_region(b, t, row, zero, 1, 4), instance = builder_expr(b, PTOWSP_EXPR_INSTANCE, 0, 0, 0);

	builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", INT64_C(6));
	builder_schedule(b, PTOWSP_DIRECTIVE_DEP_LIST, PTOWSP_DEP_LIST_CAPACITY, "n", INT64_C(4));
	builder_task(b, k, 2, "m", builder_region(b, t, zero, zero, 1, 4));
	builder_process(b, "source", 2);
	builder_loop_n(b, PTOWSP_OP_FOR_EACH, "i", 4);
	builder_task_list(b, k, instance, 1, "r", &region);
	builder_send(b, there, value);
	builder_end(b);
	builder_emit(b, PTOWSP_OP_SIGNAL, 0, event);
	builder_consume(b, back);
	builder_scope(b);
	builder_task(b, k, 3, "m", region);
	builder_end(b);
	builder_end(b);
	builder_process(b, "sink", 1);
	builder_emit(b, PTOWSP_OP_WAIT, 0, event);
	builder_consume(b, there);
	builder_scope(b);
	builder_task(b, k, 1, "w", region);
	builder_send(b, back, value);
	builder_end(b);
	builder_end(b);
	builder_close(b, back);
	return b;
}

/* Blocks of a tensor go to and fro, one way through a rendezvous; where they arrive is decided by a slot. */
static struct builder *rich_payload(void)
{
	struct builder *b = builder_create();
	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 1), t = builder_tensor(b, "t", PTOWSP_I64, 6, 4), u = builder_tensor(b, "u", PTOWSP_I64, 6, 5);
	uint32_t there = builder_payload(b, "there", 2, 1), back = builder_payload(b, "back", 0, 0), one = builder_const(b, 1);
	uint32_t value = builder_expr(b, PTOWSP_EXPR_LOOP, 0, 0, 0), row = builder_expr(b, PTOWSP_EXPR_MOD, value, builder_const(b, 5), 0);
	uint32_t slot = builder_slot(b, "s", PTOWSP_SLOT_SLOT, 1), from = builder_region(b, t, row, one, 2, 3);
	uint32_t to = builder_region(b, u, builder_expr(b, PTOWSP_EXPR_VALUE, slot, 0, 0), one, 2, 3);

	builder_process(b, "source", 2);
	builder_loop_n(b, PTOWSP_OP_PARALLEL_FOR, "i", 4);
	builder_task(b, k, 2, "m", from);
	builder_send_block(b, there, value, from);
	builder_end(b);
	builder_process(b, "middle", 1);
	builder_consume_block(b, there, to);
	builder_scope(b);
	builder_task(b, k, 3, "r", to);
	builder_send_block(b, back, value, to);
	builder_end(b);
	builder_slot_set(b, slot, row);
	builder_end(b);
	builder_process(b, "sink", 2);
	builder_consume_block(b, back, from);
	builder_end(b);
	return b;
}

/* Entry after entry, three times over, it is what it is alone: nothing is left of the one before. */
static void entries_agree(const struct rt_program_args *args, ptowsp_status alone)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct rt_entries *entries;
	ptowsp_status status = rt_entries_create(&entries, args, &error);

	if (status)
		CHECK_INT(status, alone);
	for (int i = 0; i < 3 && entries; i++)
		CHECK_INT(rt_entries_verify(entries, 0, &error), alone);
	rt_entries_destroy(entries);
}

static void mutate(struct builder *(*make)(void))
{
	uint32_t ran = 0, refused_ones = 0;

	for (uint64_t seed = 1; seed <= 3000; seed++) {
		struct builder *b = make();
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct rt_program_args args = {.section_stride = sizeof(struct ptowsp_section), .kernels = builder_kernels(b)};
		struct ptowsp_cap caps[256];
		struct rt_program *program;
		struct outcome *o;

		state = draw_seed(seed);
		args.caps = caps;
		args.cap_count = rt_capabilities(caps, 256);
		args.sections = builder_sections(b, &args.section_count);
		damage(args.sections, args.section_count);
		entries_agree(&args, rt_program_create(&program, &args, &error));
		if (!program) {
			refused_ones++;
			if (!error.text[0])
				CHECK_FAIL("seed %ju: refused without a sentence", (uintmax_t)seed);
			builder_destroy(b);
			continue;
		}
		ran++;
		/* A changed bound may mean billions of tasks, a changed capacity as many blocks. */
		o = builder_run_program(
			b, program,
			&(struct outcome_how){
				.max_tasks = 500, .threads = seed % 8 ? 1 : 2, .idle = true, .memory = 1 << 26, .deadline_ns = builder_now_ns() + 500000000});
		if (o->status && !o->error.text[0])
			CHECK_FAIL("seed %ju: status %d without a sentence", (uintmax_t)seed, o->status);
		outcome_destroy(o);
		rt_program_destroy(program);
		builder_destroy(b);
	}
	CHECK(ran > 300 && refused_ones > 300);
}

TEST(mutated_programs_are_refused_or_run_without_harm)
{
	mutate(rich);
}

TEST(mutated_pipelines_are_refused_or_run_without_harm)
{
	mutate(rich_pipeline);
}

TEST(mutated_payload_is_refused_or_moves_without_harm)
{
	mutate(rich_payload);
}
