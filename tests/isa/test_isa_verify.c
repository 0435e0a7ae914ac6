/* SPDX-License-Identifier: MIT
 * test_isa_verify.c - tile programs that must be refused, or accepted as unusable, each with its sentence; and mutated ones. */
#include <stdbool.h>
#include <stdio.h>

#include "isa/state.h"
#include "tests/check.h"
#include "tests/draw.h"
#include "tests/isa/tile_text.h"

/* The valid program that the rows below spoil: instructions
 * 0 FOR, 1 tload, 2 trowsum, 3 IF, 4 CONTINUE, 5 ELSE, 6 BREAK, 7 ENDIF, 8 tstore, 9 ENDFOR, 10 WHILE, 11 CMP, 12 DO,
 * 13 ADD, 14 ENDWHILE, 15 return. */
static void sample(struct tile_builder *b)
{
	unsigned in, out, x, sum, i, n, c, zero, one;

	tile_begin(b, "sample");
	in = tile_param(b, "in", PTOWSP_F32);
	out = tile_param(b, "out", PTOWSP_F32);
	x = tile_tile(b, "x", 8, 8, PTOWSP_F32);
	sum = tile_tile(b, "sum", 8, 1, PTOWSP_F32);
	i = tile_local(b, "i", PTOWSP_I64, 0);
	n = tile_arg(b, "n", PTOWSP_I32);
	c = tile_local(b, "c", PTOWSP_BOOL, 0);
	tile_arg(b, "m", PTOWSP_I32);
	zero = tile_int(b, 0);
	one = tile_int(b, 1);
	tile_for(b, i, zero, n, one);
	tile_op(b, PTOWSP_PTO_TLOAD, x, in, i, zero);
	tile_op(b, PTOWSP_PTO_TROWSUM, sum, x);
	tile_if(b, c);
	tile_op(b, PTOWSP_PTO_CONTINUE);
	tile_else(b);
	tile_op(b, PTOWSP_PTO_BREAK);
	tile_end(b);
	tile_op(b, PTOWSP_PTO_TSTORE, sum, out, i, zero);
	tile_end(b);
	tile_while(b);
	tile_op(b, PTOWSP_PTO_CMP, c, i, n);
	tile_mode(b, PTOWSP_COMPARE_LT);
	tile_do(b, c);
	tile_op(b, PTOWSP_PTO_ADD, i, i, one);
	tile_end(b);
	tile_op(b, PTOWSP_PTO_RETURN);
}

/* One spoiled field: SPOIL(name, statement, status, sentence). */
#define SPOILS(X)                                                                                                                                              \
	X(a_wrong_magic, b->header.magic = 7, BAD_PACKAGE, "not a tile program: it starts with 0x00000007, not PTOT")                                          \
	X(another_version, b->header.version = 2, BAD_PACKAGE, "tile program of version 2, this side knows version 1")                                         \
	X(a_reserved_header_field, b->header.reserved = 1, BAD_PACKAGE, "reserved field of the tile program's header")                                         \
	X(a_name_outside_the_strings, b->tiles[0].name = b->strings_size, BAD_PACKAGE, "lies outside the package's strings")                                   \
	X(a_parameter_of_no_type, b->params[1].dtype = 99, BAD_PACKAGE, "kernel sample: row 1 of its parameters has an unknown element type")                  \
	X(unknown_access_bits, b->params[0].access = 4, BAD_PACKAGE, "row 0 of its parameters has unknown access bits")                                        \
	X(a_read_that_is_not_declared, b->params[0].access = PTOWSP_WRITE, BAD_PACKAGE,                                                                        \
	  "kernel sample instruction 1 (tload): reads %in, which is not declared so")                                                                          \
	X(a_write_that_is_not_declared, b->params[1].access = PTOWSP_READ, BAD_PACKAGE,                                                                        \
	  "kernel sample instruction 8 (tstore): writes %out, which is not declared so")                                                                       \
	X(a_tile_of_no_type, b->tiles[1].dtype = 13, BAD_PACKAGE, "row 1 of its tiles has an unknown element type")                                            \
	X(a_tile_in_no_memory, b->tiles[1].space = 77, BAD_PACKAGE, "row 1 of its tiles lies in an unknown memory space")                                      \
	X(a_tile_without_rows, b->tiles[0].rows = 0, BAD_PACKAGE, "row 0 of its tiles has no elements")                                                        \
	X(a_tile_without_columns, b->tiles[0].columns = 0, BAD_PACKAGE, "row 0 of its tiles has no elements")                                                  \
	X(a_tile_beyond_a_gigabyte, b->tiles[0].rows = b->tiles[0].columns = 16385, BAD_PACKAGE, "row 0 of its tiles brings the tiles above 1 GiB")            \
	X(a_tile_whose_size_overflows, b->tiles[1].rows = b->tiles[1].columns = UINT32_MAX, BAD_PACKAGE, "above 1 GiB")                                        \
	X(tiles_beyond_a_gigabyte_together, b->tiles[0].rows = b->tiles[1].rows = b->tiles[0].columns = b->tiles[1].columns = 12288, BAD_PACKAGE,              \
	  "row 1 of its tiles brings the tiles above 1 GiB")                                                                                                   \
	X(a_scalar_of_no_type, b->scalars[0].dtype = 99, BAD_PACKAGE, "row 0 of its scalars has an unknown element type")                                      \
	X(a_scalar_of_no_kind, b->scalars[0].kind = 5, BAD_PACKAGE, "row 0 of its scalars is neither local nor constant")                                      \
	X(an_argument_number_with_a_gap, b->scalars[3].value = 2, BAD_PACKAGE, "has an argument number with a gap below")                                      \
	X(an_argument_number_twice, b->scalars[3].value = 0, BAD_PACKAGE, "row 3 of its scalars repeats an argument number")                                   \
	X(an_opcode_of_the_future, b->insts[2].op = 0xEE, UNKNOWN_OPCODE, "kernel sample instruction 2: opcode 0xEE is not known here")                        \
	X(a_call, (b->insts[7] = (struct ptowsp_tile_inst){.op = PTOWSP_PTO_CALL}), BAD_PACKAGE,                                                               \
	  "instruction 7 (CALL): calls are inlined when a kernel is packed")                                                                                   \
	X(a_reserved_field, b->insts[2].reserved = 1, BAD_PACKAGE, "(trowsum): sets a field that it does not use")                                             \
	X(an_unused_destination, b->insts[2].e = 1, BAD_PACKAGE, "(trowsum): sets a field that it does not use")                                               \
	X(an_unused_source, b->insts[2].f = 1, BAD_PACKAGE, "(trowsum): sets a field that it does not use")                                                    \
	X(an_unused_target, b->insts[2].target = 1, BAD_PACKAGE, "(trowsum): sets a field that it does not use")                                               \
	X(a_mode_that_is_none, b->insts[2].mode = 1, BAD_PACKAGE, "(trowsum): has no mode 1")                                                                  \
	X(a_comparison_that_is_none, b->insts[11].mode = 6, BAD_PACKAGE, "(CMP): has no mode 6")                                                               \
	X(a_bit_beyond_64, b->insts[3].mode = 65, BAD_PACKAGE, "(IF): has no mode 65")                                                                         \
	X(a_tile_out_of_range, b->insts[2].a = 2, BAD_PACKAGE, "instruction 2 (trowsum): names tile 2 of 2")                                                   \
	X(a_destination_out_of_range, b->insts[2].d = 9, BAD_PACKAGE, "(trowsum): names tile 9 of 2")                                                          \
	X(a_scalar_out_of_range, b->insts[1].b = 999, BAD_PACKAGE, "(tload): names scalar 999 of 6")                                                           \
	X(a_parameter_out_of_range, b->insts[1].a = 2, BAD_PACKAGE, "(tload): names parameter 2 of 2")                                                         \
	X(a_constant_that_is_written, b->insts[13].d = 4, BAD_PACKAGE, "(ADD): writes %s4, which is a constant")                                               \
	X(a_for_that_ends_elsewhere, b->insts[0].target = 9, BAD_PACKAGE, "(FOR): goes to 9, the structure says 10")                                           \
	X(an_endfor_without_its_for, b->insts[9].target = 1, BAD_PACKAGE, "(ENDFOR): goes to 1, the structure says 0")                                         \
	X(a_do_that_leaves_elsewhere, b->insts[12].target = 0, BAD_PACKAGE, "(DO): goes to 0, the structure says 15")                                          \
	X(an_endwhile_to_nowhere, b->insts[14].target = 11, BAD_PACKAGE, "(ENDWHILE): goes to 11, the structure says 10")                                      \
	X(an_if_that_jumps_elsewhere, b->insts[3].target = 7, BAD_PACKAGE, "(IF): goes to 7, the structure says 6")                                            \
	X(an_else_that_jumps_elsewhere, b->insts[5].target = 8, BAD_PACKAGE, "(ELSE): goes to 8, the structure says 7")                                        \
	X(a_break_to_elsewhere, b->insts[6].target = 16, BAD_PACKAGE, "(BREAK): goes to 16, the structure says 10")                                            \
	X(a_continue_to_elsewhere, b->insts[4].target = 0, BAD_PACKAGE, "(CONTINUE): goes to 0, the structure says 9")                                         \
	X(an_endfor_of_an_if, control(b, 7, PTOWSP_PTO_ENDFOR, 0), BAD_PACKAGE, "instruction 7 (ENDFOR): has no FOR")                                          \
	X(an_endif_of_a_for, control(b, 9, PTOWSP_PTO_ENDIF, 0), BAD_PACKAGE, "instruction 9 (ENDIF): has no IF")                                              \
	X(an_endwhile_of_a_for, control(b, 9, PTOWSP_PTO_ENDWHILE, 0), BAD_PACKAGE, "(ENDWHILE): has no WHILE")                                                \
	X(a_second_else, control(b, 6, PTOWSP_PTO_ELSE, 7), BAD_PACKAGE, "instruction 6 (ELSE): has no IF")                                                    \
	X(an_else_of_a_loop, control(b, 1, PTOWSP_PTO_ELSE, 7), BAD_PACKAGE, "instruction 1 (ELSE): has no IF")                                                \
	X(a_while_without_do, control(b, 12, PTOWSP_PTO_YIELD, 0), BAD_PACKAGE, "(ENDWHILE): comes before its DO")                                             \
	X(a_do_outside_while, control_a(b, 1, PTOWSP_PTO_DO, 2), BAD_PACKAGE, "instruction 1 (DO): has no WHILE")                                              \
	X(a_break_outside_loops, control(b, 10, PTOWSP_PTO_BREAK, 0), BAD_PACKAGE, "(BREAK): is not inside a loop")                                            \
	X(a_loop_that_is_never_closed, control(b, 14, PTOWSP_PTO_YIELD, 0), BAD_PACKAGE, "10 (WHILE): is never closed")                                        \
	X(an_end_that_is_no_return, control(b, 15, PTOWSP_PTO_YIELD, 0), BAD_PACKAGE, "kernel sample does not end with return")

static void control(struct tile_builder *b, uint32_t at, unsigned op, uint32_t target)
{
	b->insts[at] = (struct ptowsp_tile_inst){.op = (uint8_t)op, .target = target};
}

static void control_a(struct tile_builder *b, uint32_t at, unsigned op, uint16_t a)
{
	b->insts[at] = (struct ptowsp_tile_inst){.op = (uint8_t)op, .a = a};
}

static struct tile_builder builder;

/* Creates from the builder without adding a return. */
static ptowsp_status create(struct isa_program **program_out, struct ptowsp_error *error)
{
	struct tile_builder *b = &builder;
	const uint32_t count = b->header.inst_count;
	size_t size;
	const unsigned char *payload = tile_payload(b, &size);

	if (b->header.inst_count != count) { /* it did */
		size -= sizeof(*b->insts);
		((struct ptowsp_tile_header *)(void *)payload)->inst_count = --b->header.inst_count;
	}
	return isa_program_create(program_out, payload, size, b->strings, b->strings_size, error);
}

static void refused(ptowsp_status want, const char *sentence)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct isa_program *program = (void *)&error;

	CHECK_INT(create(&program, &error), want);
	CHECK(program == NULL);
	CHECK_INT(error.code, want);
	CHECK_CONTAINS(error.text, sentence);
	CHECK_INT(create(&program, NULL), want); /* nobody need listen */
	tile_finish(&builder);
}

#define X(name, statement, status, sentence)                                                                                                                   \
	static void verifier_refuses_##name(void)                                                                                                              \
	{                                                                                                                                                      \
		struct tile_builder *b = &builder;                                                                                                             \
                                                                                                                                                               \
		sample(b);                                                                                                                                     \
		statement;                                                                                                                                     \
		refused(PTOWSP_##status, sentence);                                                                                                            \
	}
SPOILS(X)
#undef X

TEST(verifier_accepts_the_sample)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct isa_program *program;

	sample(&builder);
	REQUIRE_INT(create(&program, &error), PTOWSP_OK);
	CHECK(isa_program_unusable(program) == NULL);
	CHECK_UINT(isa_program_header(program)->inst_count, 16);
	CHECK_UINT(isa_program_params(program)[1].access, PTOWSP_WRITE);
	CHECK(isa_program_varies(program));
	CHECK(!isa_program_data_dependent(program));
	isa_program_destroy(program);
	tile_finish(&builder);
}

TEST(verifier_refuses_every_other_size)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct isa_program *program;
	size_t size;
	const void *payload;
	unsigned char *longer;

	sample(&builder);
	payload = tile_payload(&builder, &size);
	longer = calloc(1, size + 64);
	memcpy(longer, payload, size);
	for (size_t n = 0; n < size + 64; n += n < size - 30 ? 7 : 1)
		if (n != size)
			CHECK_INT(isa_program_create(&program, longer, n, NULL, 0, &error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "payload has");
	CHECK_INT(isa_program_create(&program, NULL, 0, NULL, 0, &error), PTOWSP_BAD_PACKAGE);
	CHECK_INT(isa_program_create(&program, longer, size, NULL, 0, &error), PTOWSP_OK);
	isa_program_destroy(program);
	isa_program_destroy(NULL);
	free(longer);
	tile_finish(&builder);
}

TEST(verifier_refuses_counts_that_cannot_be)
{
	sample(&builder);
	builder.header.inst_count = 0;
	refused(PTOWSP_BAD_PACKAGE, "kernel sample does not end with return");
	sample(&builder);
	for (unsigned i = 0; i < 4; i++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct isa_program *program;
		struct ptowsp_tile_header h = builder.header;

		*(i == 0 ? &h.param_count : i == 1 ? &h.tile_count : i == 2 ? &h.scalar_count : &h.inst_count) = UINT32_MAX;
		CHECK_INT(isa_program_create(&program, &h, sizeof(h), NULL, 0, &error), PTOWSP_BAD_PACKAGE);
		CHECK_CONTAINS(error.text, "4294967295");
	}
}

TEST(verifier_refuses_names_without_end)
{
	static char longer[400];
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct isa_program *program;
	size_t size;
	const void *payload;

	tile_begin(&builder, "");
	builder.header.name = 1;
	payload = tile_payload(&builder, &size);
	memset(longer, 'x', sizeof(longer));
	CHECK_INT(isa_program_create(&program, payload, size, longer, 10, &error), PTOWSP_BAD_PACKAGE); /* cut off */
	CHECK_INT(isa_program_create(&program, payload, size, longer, 400, &error), PTOWSP_BAD_PACKAGE);
	CHECK_CONTAINS(error.text, "longer than 255 bytes");
	longer[256] = '\0';
	CHECK_INT(isa_program_create(&program, payload, size, longer, 400, &error), PTOWSP_OK);
	isa_program_destroy(program);
	CHECK_INT(isa_program_create(&program, payload, size, longer, 1, &error), PTOWSP_BAD_PACKAGE);
	CHECK_INT(isa_program_create(&program, payload, size, longer, 0, &error), PTOWSP_BAD_PACKAGE);
	tile_finish(&builder);
}

TEST(verifier_bounds_the_nesting)
{
	for (unsigned depth = 64; depth <= 65; depth++) {
		struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
		struct isa_program *program = NULL;
		unsigned one;

		tile_begin(&builder, "deep");
		one = tile_int(&builder, 1);
		for (unsigned i = 0; i < depth; i++)
			tile_if(&builder, one);
		for (unsigned i = 0; i < depth; i++)
			tile_end(&builder);
		CHECK_INT(tile_create(&builder, &program, &error), depth == 64 ? PTOWSP_OK : PTOWSP_BAD_PACKAGE);
		if (!program)
			CHECK_CONTAINS(error.text, "(IF): is nested deeper than 64");
		isa_program_destroy(program);
		tile_finish(&builder);
	}
}

/* Wrong shapes and types: the program is there, can be walked, and says why it does not run. */
static void unusable(const char *sentence, ptowsp_status walk)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct isa_program *program;
	struct tile_task task;
	uint64_t cycles;

	REQUIRE_INT(tile_create(&builder, &program, &error), PTOWSP_OK);
	CHECK_STR(isa_program_unusable(program), sentence);
	CHECK_INT(isa_walk(program, NULL, 0, 1000, NULL, NULL, &cycles, &error), walk);
	tile_task_begin(&task);
	CHECK_INT(tile_run(&task, program), PTOWSP_KERNEL_FAILED);
	CHECK_STR(task.error.text, sentence);
	isa_program_destroy(program);
	tile_finish(&builder);
}

/* Where control hangs on a type that nobody computes with, a program cannot even be walked. */
static const struct {
	const char *name, *program, *sentence;
	ptowsp_status walk;
} unusable_ones[] = {
	{"wrong_shapes", "tile x 8x8; tile y 8x1; tadd x x x; tdiv x x y; tsub x x y", "line 2: tdiv needs equal shapes, got 8x8 and 8x1", PTOWSP_OK},
	{"mixed_types", "tile x 8x8; tile y 8x8 i32; tadd x x y", "line 1: tadd needs one element type, got f32 and i32 (%y)", PTOWSP_OK},
	{"truth_values_added", "tile x 8x8; tile y 8x8 bool; tabs x x; tadd y y y", "line 2: tadd works on floats and integers, not on bool (%y)", PTOWSP_OK},
	{"float_functions_of_integers", "tile y 8x8 i32; texp y y", "line 1: texp works on floats, not on i32 (%y)", PTOWSP_OK},
	{"bit_functions_of_floats", "tile x 8x8; tand x x x", "line 1: tand works on integers and bool, not on f32 (%x)", PTOWSP_OK},
	{"scalars_unfit_for_their_tile", "tile x 8x8; local k i32 1; tmuls x x k", "line 1: tmuls of f32 needs an f32 scalar, got i32 (%k)", PTOWSP_OK},
	{"indices_of_floats", "tile x y 8x8; tgather x x y", "line 1: tgather needs i32 or u32 indices, got f32 (%y)", PTOWSP_OK},
	{"sorting_into_one_tile", "tile x y 8x8 i32; tsort32 y y x", "line 1: tsort32 cannot write values and indices to one tile (%y)", PTOWSP_OK},
	{"bounds_of_floats", "local i f32; for i 0 1 1; end", "line 1: FOR needs an integer, got f32 (%i)", PTOWSP_UNSUPPORTED},
	{"scalars_of_two_classes", "local i f32; ADD i 0 i", "line 1: ADD mixes f32 with integers (%s1)", PTOWSP_UNSUPPORTED},
	{"scalars_of_two_floats", "local i f64; local j f32; ADD i i j", "line 1: ADD needs one type of float, got f64 and f32 (%j)", PTOWSP_UNSUPPORTED},
	{"bits_of_floats", "local f f32; if f 3; end", "line 1: IF_BIT needs an integer (%f)", PTOWSP_UNSUPPORTED},
};

static void unusable_one(void)
{
	unsigned i = 0;

	while (strcmp(check_name(), check_fmt("unusable_with_%s", unusable_ones[i].name)))
		i++;
	tile_begin(&builder, "odd");
	tile_text(&builder, unusable_ones[i].program);
	unusable(check_fmt("kernel odd %s", unusable_ones[i].sentence), unusable_ones[i].walk);
}

TEST(an_instruction_without_a_line_is_named_by_its_number)
{
	tile_begin(&builder, "odd");
	tile_text(&builder, "tile x y 8x8 bool; tnot x x; tadd y y y");
	builder.insts[1].line = 0;
	unusable("kernel odd instruction 1: tadd works on floats and integers, not on bool (%y)", PTOWSP_OK);
}

static uint64_t seed;

static uint64_t random_next(void)
{
	return draw(&seed, 0);
}

static void ignore_touch(void *context, uint32_t param, int64_t offset, uint64_t length, uint64_t width, unsigned access)
{
	(void)context, (void)param, (void)offset, (void)length, (void)width, (void)access;
}

static void ignore_line(void *context, const char *line)
{
	*(size_t *)context += strlen(line);
}

/* What verifies must run, walk and print without a crash: sanitizers watch. Returns 1 if it verified. */
static bool mutant_try(const unsigned char *payload, size_t size)
{
	static double memory[2][256];
	struct isa_program *program;
	struct tile_task task;
	uint64_t cycles, args[16] = {2, 3};
	size_t printed = 0;
	void *scratch;

	tile_task_begin(&task);
	if (isa_program_create(&program, payload, size, builder.strings, builder.strings_size, &task.error))
		return false;
	isa_disassemble(program, ignore_line, &printed);
	(void)isa_walk(program, args, 16, 5000, ignore_touch, NULL, &cycles, &task.error);
	(void)isa_walk(program, args, 16, 5000, NULL, NULL, &cycles, NULL);
	if (isa_program_scratch(program) < 1u << 16) {
		scratch = aligned_alloc(64, isa_program_scratch(program) + 64 - isa_program_scratch(program) % 64);
		for (uint32_t i = 0; i < isa_program_header(program)->param_count && i < TILE_PARAMS; i++)
			tile_window(&task, i, memory[i & 1], isa_program_params(program)[i].dtype, 256);
		memcpy(task.args, args, sizeof(args));
		task.task.arg_count = 16;
		(void)isa_run_within(program, &task.task, &task.out, scratch, 200);
		free(scratch);
	}
	isa_program_destroy(program);
	return true;
}

TEST(mutated_programs_never_crash)
{
	const char *text = getenv("PTOWSP_SEED");
	const uint64_t start = text ? strtoull(text, NULL, 0) : 77;
	unsigned verified = 0;
	size_t size;
	const unsigned char *payload;
	unsigned char *mutant;

	sample(&builder);
	payload = tile_payload(&builder, &size);
	mutant = malloc(size);
	printf("# PTOWSP_SEED=%llu\n", (unsigned long long)start);
	seed = start;
	for (unsigned i = 0; i < 60000; i++) {
		const size_t at = random_next() % size;

		memcpy(mutant, payload, size);
		mutant[at] = (unsigned char)(random_next() & 1 ? random_next() % 16 : random_next());
		if (random_next() & 1)
			mutant[random_next() % size] ^= (unsigned char)(1u << random_next() % 8);
		verified += (unsigned)mutant_try(mutant, size);
	}
	CHECK(verified > 1000);
	free(mutant);
	tile_finish(&builder);
}

void suite_isa_verify(CU_pSuite s)
{
#define X(name, statement, status, sentence) check_add(s, "verifier_refuses_" #name, verifier_refuses_##name);
	SPOILS(X)
#undef X
	for (size_t i = 0; i < sizeof(unusable_ones) / sizeof(*unusable_ones); i++)
		check_add(s, check_fmt("unusable_with_%s", unusable_ones[i].name), unusable_one);
}
