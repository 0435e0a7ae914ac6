/* SPDX-License-Identifier: MIT
 * test_incore.c - InCore functions as portable kernels: what is encoded, and that it does what the source says. */
#include "isa/isa.h"
#include "ptowsp/task.h"
#include "tests/check.h"
#include "tests/lang/source.h"

#include <stdlib.h>
#include <string.h>

#define M                   "!pto.memref<gm,...,f32>"
#define LOADS(tile, memref) "  %" tile " = tload %" memref "[0, 0] : (" M ", index, index) -> !pto.tile<1x4xf32>\n"

/* Runs a kernel of two memrefs, x read and y written, of 16 elements each; x counts 0, 1, 2 ... */
static float y[16];
static uint32_t block_index, block_count = 1;
static ptowsp_status run(const struct source *s, const char *name, const uint64_t *args, uint32_t arg_count)
{
	static float x[16];
	struct ptowsp_tensor_arg tensors[2] = {
		{.data = x, .rows = 1, .columns = 16, .row_stride = 16, .column_stride = 1, .access = PTOWSP_READ},
		{.data = y, .rows = 1, .columns = 16, .row_stride = 16, .column_stride = 1, .access = PTOWSP_READ | PTOWSP_WRITE}};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(struct ptowsp_task, TASK),
				   .args = args,
				   .arg_count = arg_count,
				   .tensors = tensors,
				   .tensor_count = 2,
				   .tensor_stride = sizeof(*tensors),
				   .block = block_index,
				   .block_count = block_count};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(struct ptowsp_kernel_out, KERNEL_OUT), .error = &error};
	int kernel = source_kernel(s, name);
	const struct ptowsp_payload_record *payload;
	struct isa_program *program = NULL;
	void *scratch;
	ptowsp_status status;

	if (kernel < 0)
		return PTOWSP_NOT_FOUND;
	payload = &s->t->payload[s->t->kernel[kernel].payloads];
	for (int i = 0; i < 16; i++)
		x[i] = (float)i, y[i] = -1;
	status = isa_program_create(&program, s->t->code + payload->offset, payload->size, s->t->strings, s->t->strings_size, &error);
	if (!status) {
		scratch = aligned_alloc(64, (isa_program_scratch(program) + 127) / 64 * 64);
		status = isa_run(program, &task, &out, scratch);
		free(scratch);
	}
	isa_program_destroy(program);
	if (status)
		CHECK_FAIL("%s: %s", name, error.text);
	return status;
}

TEST(operands_go_where_the_opcode_table_says)
{
	source_is_program("func @f(%x: " M ", %y: " M ") {\n"
			  "  %a = alloc_tile : !pto.tile<1x4xf32>\n  %b = alloc_tile : !pto.tile<1x4xf32>\n"
			  "  %i = alloc_tile : !pto.tile<1x4xi32>\n" LOADS("a", "x") "  %b = tadds %a, %2.5 : !pto.tile<1x4xf32>, f32\n"
										     "  %i = tcmp %a, %b {cmpMode = #pto.cmp<GT>}\n"
										     "  %a = tsel %i, %a, %b\n"
										     "  %a = taddsc %a, %2.5, %b\n"
										     "  tstore.fp %a, %b, %y[1, 2]\n"
										     "  return\n}\n",
			  "f",
			  "0 tload %a %x 0 0\n1 tadds %b %a 2.5\n2 tcmp/4 %i %a %b\n3 tsel %a %i %a %b\n4 taddsc %a %a 2.5 %b\n"
			  "5 tstore.fp %a %b %y 1 2\n6 return\n");
}

TEST(control_targets_are_those_of_the_structure)
{
	source_is_program(
		"func @f(%x: " M ") {\n"
		"  %c = alloc_scalar : u1\n  %n = alloc_scalar : i32\n  LI %n:i32, 0\n"
		"  FOR %i:idx, 0:idx, 4:idx, 1:idx\n"
		"    CMP %c:u1, %i:idx, 2, EQ\n"
		"    IF %c:u1\n      CONTINUE\n    ELSE\n      BREAK\n    ENDIF\n"
		"  ENDFOR\n"
		"  WHILE\n    CMP %c:u1, %n:i32, 3, LT\n  DO %c:u1\n    ADD %n:i32, %n:i32, 1\n    IF_BIT %n:i32, 1\n      BREAK\n    ENDIF\n  ENDWHILE\n"
		"}\n",
		"f",
		"0 LI %n 0\n1 FOR %i 0 4 1 -> 9\n2 CMP %c %i 2\n3 IF %c -> 6\n4 CONTINUE -> 8\n5 ELSE -> 7\n6 BREAK -> 9\n7 ENDIF\n"
		"8 ENDFOR -> 1\n9 WHILE\n10 CMP/2 %c %n 3\n11 DO %c -> 17\n12 ADD %n %n 1\n13 IF/2 %n -> 15\n14 BREAK -> 17\n15 ENDIF\n"
		"16 ENDWHILE -> 9\n17 return\n");
}

TEST(scalars_read_before_they_are_set_are_arguments_in_declaration_order)
{
	source_is_program("func @f(%x: " M ") {\n"
			  "  %unused = alloc_scalar : i32\n  %late = alloc_scalar : i32\n  %set = alloc_scalar : i32\n  %early = alloc_scalar : i32\n"
			  "  LI %set:i32, 1\n  ADD %set:i32, %set:i32, %early\n  ADD %set:i32, %set:i32, %late\n  LI %late:i32, 5\n}\n",
			  "f", "arg 0 %late\narg 1 %early\n0 LI %set 1\n1 ADD %set %set %early\n2 ADD %set %set %late\n3 LI %late 5\n4 return\n");
}

TEST(equal_literals_are_one_scalar_and_their_type_follows_the_tile)
{
	struct source s = source_compile("func @f(%x: " M ", %w: !pto.memref<gm,...,i32>) {\n"
					 "  %a = alloc_tile : !pto.tile<1x4xf32>\n  %i = alloc_tile : !pto.tile<1x4xi32>\n"
					 "  %a = texpands %3.0\n  %a = tadds %a, %3.0\n  %i = texpands %3\n  tstore %a, %x[3, 0]\n  tstore %i, %w[3, 0]\n}\n");
	const struct ptowsp_tile_header *header;

	REQUIRE(s.t != NULL);
	CHECK_STR(s.messages, "");
	header = (const void *)(s.t->code + s.t->payload[0].offset);
	CHECK_UINT(header->scalar_count, 4); /* 3.0, 3 of i32, 3 and 0 of index */
	source_free(&s);
}

TEST(memrefs_have_the_access_and_the_tile_of_what_touches_them)
{
	struct source s =
		source_compile("func @f(%in: " M ", %both: " M ", %out: " M ", %none: " M ") {\n"
			       "  %a = alloc_tile : !pto.tile<2x4xf32>\n  %b = alloc_tile : !pto.tile<4x4xf32>\n  %v = alloc_scalar : f32\n"
			       "  LOAD %v:f32, %in[7]\n  %a = tload %in[0, 0]\n  tstore %a, %both[0, 0]\n  %b = tload %both[0, 0]\n  tstore %b, %out\n}\n");
	static const struct {
		const char *name;
		unsigned access, rows;
	} want[] = {{"in", 1, 2}, {"both", 3, 2}, {"out", 2, 4}, {"none", 0, 0}};

	REQUIRE(s.t != NULL);
	REQUIRE_UINT(s.t->param_count, 4);
	for (int i = 0; i < 4; i++) {
		CHECK_STR(pkg_string(s.t, s.t->param[i].name), want[i].name);
		CHECK_UINT(s.t->param[i].access, want[i].access);
		CHECK_UINT(s.t->param[i].rows, want[i].rows);
	}
	source_free(&s);
}

/* y = 10 * number of the block + how many there are, in the elements of that block */
static const char blocks[] = "func @at(%x: " M ", %y: " M ") {\n"
			     "  %n = block_count : i32\n  %b = block_index : i32\n  %v = alloc_scalar : i32\n  %f = alloc_scalar : f32\n"
			     "  %a = alloc_tile : !pto.tile<1x4xf32>\n"
			     "  MUL %v:i32, %b:i32, 10\n  ADD %v:i32, %v:i32, %n:i32\n  MOV %f:f32, %v:i32\n"
			     "  %a = texpands %f\n  tstore %a, %y[%b, 0]\n  return\n}\n"
			     "func @f(%x: " M ", %y: " M ") {\n  CALL @at(%x -> %x, %y -> %y)\n  return\n}\n";

TEST(blocks_know_their_number_and_how_many_they_are)
{
	struct source s = source_compile(blocks);

	REQUIRE(s.t != NULL);
	CHECK_STR(s.messages, "");
	for (int called = 0; called < 2; called++)
		for (block_index = 0, block_count = 3; block_index < block_count; block_index++) {
			CHECK_INT(run(&s, called ? "f" : "at", NULL, 0), PTOWSP_OK);
			for (uint32_t i = 0; i < 16; i++)
				CHECK_INT(y[i], i / 4 == block_index ? (int)(10 * block_index + 3) : -1);
		}
	block_index = 0;
	block_count = 1;
	source_free(&s);
}

static void refused(const char *text, const char *want)
{
	struct source s = source_compile(text);

	CHECK(s.t == NULL);
	CHECK_CONTAINS(s.messages, want);
	source_free(&s);
}

TEST(blocks_are_integers_that_only_incore_functions_read)
{
	refused("func @f(%x: " M ") {\n  %b = block_index : f32\n}\n", "test.pto:2:22: error: block_index is an integer, not f32");
	refused("func @f(%x: " M ") {\n  %b = block_count : i32\n  LI %b:i32, 4\n}\n",
		"test.pto:3:6: error: %b is how many blocks there are and cannot be set");
	refused("func @f(%x: " M ") {\n  %b = block_index : i32\n  LI %b:i32, 4\n}\n", "test.pto:3:6: error: %b is the block's number and cannot be set");
	refused("// Function Type: Orchestration\nfunc @f(%x: " M ") {\n  %b = block_index : i32\n}\n",
		"test.pto:3:3: error: block_index stands in InCore functions");
}

/* y[i] = twice of what is called with 1, 2, 4 */
static const char called[] =
	"func @twice(%x: " M ", %y: " M ") {\n"
	"  %a = alloc_tile : !pto.tile<1x4xf32>\n  %add = alloc_scalar : f32\n" LOADS(
		"a",
		"x") "  ADD %add:f32, %add:f32, 1.0\n"
		     "  %a = tadds %a, %add : !pto.tile<1x4xf32>, f32\n  tstore %a, %y[0, 0]\n  return\n}\n"
		     "func @f(%x: " M ", %y: " M ") {\n"
		     "  %add = alloc_scalar : f32\n  LI %add:f32, 1.0\n"
		     "  CALL @twice(%x -> %x, %y -> %y)\n  CALL @twice(%x -> %y, %y -> %y)\n  CALL @twice(%x -> %y, %y -> %y, %add -> %0.5)\n  return\n}\n";

TEST(calls_are_expanded_with_the_callers_scalars_and_do_not_change_them)
{
	struct source s = source_compile(called);
	char *program;

	REQUIRE(s.t != NULL);
	CHECK_STR(s.messages, "");
	program = source_program(&s, "f");
	CHECK_STR(program, "0 LI %add 1\n"
			   "1 MOV %twice.add %add\n2 tload %twice.a %x 0 0\n3 ADD %twice.add %twice.add 1\n4 tadds %twice.a %twice.a %twice.add\n5 tstore "
			   "%twice.a %y 0 0\n"
			   "6 MOV %twice.add %add\n7 tload %twice.a %y 0 0\n8 ADD %twice.add %twice.add 1\n9 tadds %twice.a %twice.a %twice.add\n10 tstore "
			   "%twice.a %y 0 0\n"
			   "11 MOV %twice.add 0.5\n12 tload %twice.a %y 0 0\n13 ADD %twice.add %twice.add 1\n14 tadds %twice.a %twice.a %twice.add\n15 tstore "
			   "%twice.a %y 0 0\n"
			   "16 return\n");
	free(program);
	REQUIRE(run(&s, "f", NULL, 0) == 0);
	for (int i = 0; i < 4; i++)
		CHECK_NEAR(y[i], i + 2 + 2 + 1.5, 0);
	source_free(&s);
}

TEST(a_need_that_no_caller_has_becomes_the_callers_own_argument)
{
	struct source s = source_compile("func @g(%x: " M ", %y: " M ") {\n  %a = alloc_tile : !pto.tile<1x4xf32>\n  %add = alloc_scalar : f32\n" LOADS(
		"a", "x") "  %a = tadds %a, %add\n  tstore %a, %y[0, 0]\n}\n"
			  "func @f(%x: " M ", %y: " M ") {\n  CALL @g(%x -> %x, %y -> %y)\n}\n");
	const uint64_t half = 0x3F000000;
	int kernel;

	REQUIRE(s.t != NULL);
	kernel = source_kernel(&s, "f");
	REQUIRE_UINT(s.t->kernel[kernel].param_count, 3);
	CHECK_STR(pkg_string(s.t, s.t->param[s.t->kernel[kernel].params + 2].name), "add");
	REQUIRE(run(&s, "f", &half, 1) == 0);
	CHECK_NEAR(y[3], 3.5, 0);
	CHECK_UINT(s.t->slot_count, 1);
	source_free(&s);
}

/* A scalar that only a branch sets starts at 0 in every call, not with what the call before left. */
TEST(each_call_starts_with_fresh_scalars)
{
	struct source s = source_compile("func @g(%y: " M ", %at: i32) {\n"
					 "  %n = alloc_scalar : i32\n  %first = alloc_scalar : u1\n  %v = alloc_scalar : f32\n"
					 "  CMP %first:u1, %at:i32, 0, EQ\n  IF %first:u1\n    LI %n:i32, 7\n  ENDIF\n"
					 "  MOV %v:f32, %n\n  STORE %v:f32, %y[%at]\n}\n"
					 "func @f(%x: " M ", %y: " M ") {\n  %v = alloc_scalar : f32\n  LOAD %v:f32, %x[0]\n"
					 "  CALL @g(%y -> %y, %at -> %0)\n  CALL @g(%y -> %y, %at -> %1)\n}\n");

	CHECK_STR(s.messages, "");
	REQUIRE(s.t != NULL);
	REQUIRE(run(&s, "f", NULL, 0) == 0);
	CHECK_NEAR(y[0], 7, 0);
	CHECK_NEAR(y[1], 0, 0);
	source_free(&s);
}

/* store: how an odd %n gets into %y. The first loop counts 1 4 7 10 13. */
#define LOOPS(store)                                                                                                                                           \
	"func @f(%x: " M ", %y: " M ") {\n"                                                                                                                    \
	"  %sum = alloc_scalar : f32\n  %v = alloc_scalar : f32\n  %c = alloc_scalar : u1\n  %n = alloc_scalar : i32\n"                                        \
	"  LI %sum:f32, 0.0\n"                                                                                                                                 \
	"  FOR %i:idx, 1:idx, 16:idx, 3:idx\n"                                                                                                                 \
	"    CMP %c:u1, %i:idx, 7, EQ\n    IF %c:u1\n      CONTINUE\n    ENDIF\n"                                                                              \
	"    CMP %c:u1, %i:idx, 13, GE\n    IF %c:u1\n      BREAK\n    ENDIF\n"                                                                                \
	"    LOAD %v:f32, %x[%i]\n    ADD %sum:f32, %sum:f32, %v\n"                                                                                            \
	"  ENDFOR\n"                                                                                                                                           \
	"  STORE %sum:f32, %y[0]\n"                                                                                                                            \
	"  LI %n:i32, 0\n"                                                                                                                                     \
	"  WHILE\n    CMP %c:u1, %n:i32, 5, LT\n  DO %c:u1\n    ADD %n:i32, %n:i32, 1\n"                                                                       \
	"    IF_BIT %n:i32, 0\n" store "    ELSE\n      STORE 0.25:f32, %y[%n]\n    ENDIF\n  ENDWHILE\n}\n"

TEST(loops_and_branches_compute_what_they_say)
{
	struct source s = source_compile(LOOPS("      STORE %n:i32, %y[%n]\n"));

	if (s.t) /* an i32 stored to f32 memory cannot run: said when packing */
		CHECK_CONTAINS(s.messages, "warning");
	source_free(&s);
	s = source_compile(LOOPS("      MOV %v:f32, %n\n      STORE %v:f32, %y[%n]\n"));
	CHECK_STR(s.messages, "");
	REQUIRE(s.t != NULL);
	REQUIRE(run(&s, "f", NULL, 0) == 0);
	CHECK_NEAR(y[0], 1 + 4 + 10, 0);
	CHECK_NEAR(y[1], 1, 0);
	CHECK_NEAR(y[2], 0.25, 0);
	CHECK_NEAR(y[5], 5, 0);
	CHECK_NEAR(y[6], -1, 0);
	source_free(&s);
}

TEST(payloads_lie_at_64_bytes_and_bare_files_declare_by_mention)
{
	struct source s = source_compile_as("dir/half.pto",
					    "%a = tload %x[0, 0] : (" M ", index, index) -> !pto.tile<1x4xf32>\n"
					    "FOR %i:idx, 0:idx, %times:idx, 1:idx\n%a = tmuls %a, %0.5\nENDFOR\ntstore %a, %y[0, 0]\n",
					    0, NULL);
	const uint64_t times = 2;

	source_free(&s);
	s = source_compile("%a = tload %x[0, 0] : (" M ", index, index) -> !pto.tile<1x4xf32>\n"
			   "FOR %i:idx, 0:idx, %times:idx, 1:idx\n%a = tmuls %a, %0.5\nENDFOR\ntstore %a, %y[0, 0]\n");
	CHECK_STR(s.messages, "");
	REQUIRE(s.t != NULL);
	CHECK_UINT(s.t->payload[0].offset % 64, 0);
	REQUIRE(run(&s, "test", &times, 1) == 0);
	CHECK_NEAR(y[2], 0.5, 0);
	source_free(&s);
}
