/* SPDX-License-Identifier: MIT
 * test_workload.c - declarations and workloads: which rows they become, and limits that no short text can reach. */
#include "ptowsp/task.h"
#include "ptowsp/workload.h"
#include "tests/check.h"
#include "tests/lang/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define M "!pto.memref<gm,...,f32>"
#define COPY_8                                                                                                                                                 \
	"func @move(%x: " M ", %y: " M ") {\n  %a = alloc_tile : !pto.tile<8x8xf32>\n"                                                                         \
	"  %a = tload %x[0, 0]\n  tstore %a, %y[0, 0]\n}\n"
#define TENSORS "tensor %x : f32[32, 8] in\ntensor %y : f32[32, 8] inout\n"

static void says(const char *text, const char *want)
{
	struct source s = source_compile(text);

	if (!strstr(s.messages, want))
		CHECK_FAIL("\"%s\" is not said, but: %s", want, s.messages);
	source_free(&s);
}

TEST(loops_become_axes_with_the_name_of_their_value)
{
	source_is_workload(
		"symbol %n : u64 = 4\naxis %a = dense_dyn(%n)\naxis %r = ragged(2, [1, 3])\naxis %s = sparse([0, 1, 3], [5, 0, 7])\n"
		"workload @w {\n  parallel_for %i in %a { for_each %j in %r[%i % 2] { barrier } }\n  select %k in %s[1] { barrier }\n"
		"  for_each %l in %n - 1 to 2 * %n step 3 { barrier }\n  for_each %m in dense(7) { barrier }\n}\n",
		"w",
		"0 parallel_for i 0..n by 1 -> 3\n1 for_each j 0..2 by 1 row (loop0 % 2) -> 3\n2 barrier\n3 select k 0..2 by 1 row 1 -> 5\n4 barrier\n"
		"5 for_each l (n - 1)..(2 * n) by 3 -> 7\n6 barrier\n7 for_each m 0..7 by 1 -> 9\n8 barrier\n9 halt\n");
}

TEST(lists_of_axes_are_running_sums_and_beginnings)
{
	static const int64_t want[] = {0, 1, 4, 0, 1, 3, 5, 0, 7};
	struct source s = source_compile("axis %r = ragged(2, [1, 3])\naxis %s = sparse([0, 1, 3], [5, 0, 7])\nworkload @w {\n"
					 "  for_each %i in %r[0] { barrier }\n  for_each %i in %r[1] { barrier }\n  select %i in %s[0] { barrier }\n}\n");

	CHECK_STR(s.messages, "");
	REQUIRE(s.t != NULL);
	REQUIRE_UINT(s.t->axis_value_count, 9); /* a list is stored once, however many loops run over it */
	for (size_t i = 0; i < 9; i++)
		CHECK_INT(s.t->axis_value[i].value, want[i]);
	CHECK_UINT(s.t->axis_count, 3);
	source_free(&s);
}

TEST(branches_and_their_targets)
{
	source_is_workload(
		"slot %s : i64 = 0\nevent %e\ntensor %t : f32[4, 4] temp\nworkload @w {\n  if %s > 1 { slot_set %s, 1 } else if %s { slot_set %s, 2 } else { "
		"barrier }\n"
		"  while %s != 0 { slot_set %s, %s - 1 if %s == 3 { break } }\n  combine { barrier } { fence core } { fence system }\n"
		"  sequential { signal %e } { wait %e }\n  scope { alloc %t free %t }\n}\n",
		"w",
		"0 cond (s > 1)\n1 target 4\n2 target 9\n3 slot_set s 1\n4 cond s\n5 target 8\n6 target 9\n7 slot_set s 2\n8 barrier\n"
		"9 while (s != 0)\n10 target 16\n11 slot_set s (s - 1)\n12 cond (s == 3)\n13 target 16\n14 target 16\n15 break\n"
		"16 combine 3\n17 target 21\n18 target 22\n19 target 23\n20 barrier\n21 fence 0\n22 fence 2\n23 sequential 2\n24 target 27\n25 target 28\n"
		"26 signal e\n27 wait e\n28 scope -> 31\n29 alloc t\n30 free t\n31 halt\n");
}

/* In constants as in a run. */
TEST(shifts_take_six_bits_of_their_distance)
{
	source_is_workload(
		"slot %s : i64 = 0\nworkload @w {\n  slot_set %s, 1 << 64\n  slot_set %s, 1 << 67\n  slot_set %s, -8 >> 65\n  slot_set %s, 1 << -1\n}\n", "w",
		"0 slot_set s 1\n1 slot_set s 8\n2 slot_set s -4\n3 slot_set s -9223372036854775808\n4 halt\n");
}

TEST(parts_of_tensors_are_regions_in_elements)
{
	source_is_workload(COPY_8 TENSORS "tensor %z : f32[5, 10, 8] in\nslot %s : i64 = 0\nworkload @w {\n  parallel_for %i in 0 to 4 {\n"
					  "    call @move(%x -> %x[%i * 8, 0], %y -> %y[%i * 8, 0])\n    call @move(%x -> %z[%i, 2, 0], %y -> %y)\n  }\n"
					  "  copy %x -> %y\n  copy %z[3, 0, 0 : 8, 4] -> %y[0, 4]\n  slot_load %s, %x[3, %s]\n}\n",
			   "w",
			   "0 parallel_for i 0..4 by 1 -> 7\n1 task move\n2 io_input 0 x[(loop0 * 8), 0 : 8, 8]\n3 io_output 1 y[(loop0 * 8), 0 : 8, 8]\n"
			   "4 task move\n5 io_input 0 z[((loop0 * 10) + 2), 0 : 8, 8]\n6 io_output 1 y[0, 0 : 32, 8]\n7 copy x[0, 0 : 32, 8]\n8 io_output 0 "
			   "y[0, 0 : 32, 8]\n"
			   "9 copy z[30, 0 : 8, 4]\n10 io_output 0 y[0, 4 : 8, 4]\n11 slot_load s x[3, s : 1, 1]\n12 halt\n");
}

TEST(a_tasks_name_is_a_distance_or_a_slot)
{
	source_is_workload(
		COPY_8 TENSORS "workload @w {\n  %a = call @move(%x -> %x[0, 0], %y -> %y[0, 0])\n  %b = copy %x -> %y\n"
			       "  call @move(%x -> %x[0, 0], %y -> %y[0, 0]) after %a, data %b, soft task - 1\n"
			       "  if 1 { call @move(%x -> %x[0, 0], %y -> %y[0, 0]) after barrier %b }\n}\n",
		"w",
		"0 task move\n1 io_input 0 x[0, 0 : 8, 8]\n2 io_output 1 y[0, 0 : 8, 8]\n3 slot_set @w.b.0 task\n4 copy x[0, 0 : 32, 8]\n5 io_output 0 y[0, 0 "
		": 32, 8]\n"
		"6 task move\n7 io_input 0 x[0, 0 : 8, 8]\n8 io_output 1 y[0, 0 : 8, 8]\n9 after 0 (task - 2)\n10 after 1 (task - 1)\n11 after 3 (task - 1)\n"
		"12 cond 1\n13 target 19\n14 target 19\n15 task move\n16 io_input 0 x[0, 0 : 8, 8]\n17 io_output 1 y[0, 0 : 8, 8]\n18 after 2 @w.b.0\n19 "
		"halt\n");
}

/* Others may come between the tasks of a branch of combine, so distances would lie. */
TEST(names_inside_combine_are_slots)
{
	struct source s = source_compile(COPY_8 TENSORS "workload @w {\n  combine {\n    %a = call @move(%x -> %x[0, 0], %y -> %y[0, 0])\n"
							"    call @move(%x -> %x[0, 0], %y -> %y[8, 0]) after %a\n  } { barrier }\n}\n");
	char *got = source_workload(&s, "w");

	CHECK_STR(s.messages, "");
	CHECK(strstr(got, "slot_set @w.a.0 task\n") && strstr(got, "after 0 @w.a.0\n"));
	free(got);
	source_free(&s);
}

TEST(orchestrations_begin_at_the_element_of_their_part)
{
	source_is_workload(
		COPY_8 "// Function Type: Orchestration\nfunc @f(%p: " M ", %n: i32) {\n  FOR %i:idx, 0:idx, %n:idx, 1:idx\n"
		       "    CALL @move(%x -> (%p, i, 0), %y -> (%p, 9, 0))\n  ENDFOR\n}\n" TENSORS
		       "workload @w {\n  for_each %k in 0 to 2 { call @f(%p -> %y[%k, 4], %n -> %k + 1) }\n  call @v()\n}\nworkload @v { call @f(%p -> %y, %n "
		       "-> 2) }\n",
		"w",
		"0 for_each k 0..2 by 1 -> 5\n1 parallel_for i 0..(loop0 + 1) by 1 -> 5\n2 task move\n3 io_input 0 y[loop1 * 64 + ((loop0 * 8) + 4)]\n"
		"4 io_output 1 y[9 * 64 + ((loop0 * 8) + 4)]\n5 parallel_for i 0..2 by 1 -> 9\n6 task move\n7 io_input 0 y[loop0 * 64 + 0]\n8 io_output 1 y[9 "
		"* 64 + 0]\n9 halt\n");
}

TEST(arguments_are_of_the_parameters_type)
{
	source_is_workload(
		"symbol %f : f32 = 2\nsymbol %n : i64 = 1\nkernel @k(%a: f32, %b: i8, %c: f64, %d: f32, %n: i64)\n"
		"workload @w { call @k(%a -> 1, %b -> -3, %c -> 0.5, %d -> %f) }\n",
		"w",
		"0 task k\n1 param_const 0 1065353216\n2 param_const 1 -3\n3 param_expr 2 4602678819172646912\n4 param_expr 3 f\n5 param_expr 4 n\n6 halt\n");
}

/* And nothing else: shapes of tensors that it does not touch are none of its business. */
TEST(an_entry_needs_what_it_reads)
{
	struct source s = source_compile("symbol %a : u64\nsymbol %b : u64\nslot %c : u64\ntensor %t : f32[%a, 4] inout\ntensor %u : f32[%b, 4] inout\n"
					 "workload @main { alloc %t }\nworkload @other { slot_set %c, %b }\n");
	int main = source_entry(&s, "main"), other = source_entry(&s, "other");

	CHECK_STR(s.messages, "");
	REQUIRE(s.t && main >= 0 && other >= 0);
	REQUIRE_UINT(s.t->entry[main].value_count, 1);
	CHECK_STR(pkg_string(s.t, s.t->slot[s.t->entry_value[s.t->entry[main].values].slot].name), "a");
	REQUIRE_UINT(s.t->entry[other].value_count, 1);
	CHECK_STR(pkg_string(s.t, s.t->slot[s.t->entry_value[s.t->entry[other].values].slot].name), "b");
	CHECK_UINT(s.t->entry[main].flags, PTOWSP_ENTRY_DEFAULT);
	source_free(&s);
}

TEST(a_tensors_row_has_all_that_was_said)
{
	struct source s = source_compile(
		"symbol %n : u64 = 3\ntensor %first : f32[8] in\ntensor %t : bf16[%n * 2, 3, 4] const @l2 layout(S(2), R, S(1)) align 64 mem(row_major)\n");
	const struct ptowsp_tensor_record *tensor;
	int row = source_tensor(&s, "t");

	CHECK_STR(s.messages, "");
	REQUIRE(s.t && row >= 0);
	tensor = &s.t->tensor[row];
	CHECK_UINT(tensor->dtype, PTOWSP_BF16);
	CHECK_UINT(tensor->role, PTOWSP_ROLE_CONST);
	CHECK_UINT(tensor->location, PTOWSP_SPACE_L2);
	CHECK_UINT(tensor->alignment, 64);
	CHECK_UINT(tensor->position, 1);
	CHECK_UINT(tensor->entry, PTOWSP_NONE);
	REQUIRE_UINT(tensor->dim_count, 3);
	CHECK_UINT(s.t->dim[tensor->dims].distribution, 1);
	CHECK_UINT(s.t->dim[tensor->dims].mesh_axis, 2);
	CHECK_UINT(s.t->dim[tensor->dims + 1].distribution, 0);
	CHECK_UINT(s.t->dim[tensor->dims + 2].mesh_axis, 1);
	CHECK_UINT(s.t->expr[s.t->dim[tensor->dims].extent].op, PTOWSP_EXPR_MUL);
	source_free(&s);
}

static ptowsp_status file_read(void *context, uint32_t source, const char *file, void **bytes_out, size_t *size_out, struct ptowsp_error *error)
{
	(void)context;
	CHECK_UINT(source, 0);
	if (!strcmp(file, "absent")) {
		snprintf(error->text, sizeof(error->text), "absent is not there");
		return PTOWSP_IO;
	}
	*size_out = !strcmp(file, "empty") ? 0 : strlen(file);
	*bytes_out = strdup(file);
	return PTOWSP_OK;
}

TEST(a_kernels_rows_have_all_that_was_said)
{
	static const char text[] =
		"kernel @k(%a: f16[8, 4] in, %n: u8, %b: f32[5] inout, %c: f32[] out) on aiv blockdim 3 workspace 4 * 1024 measured {\n"
		"  native x86_64-linux-gnu \"lib.so\" \"run\" sig \"v( p, u8,p,p)\" cycles 7\n  image dav-c220 \"image\"\n  source c \"text.c\"\n}\n";
	struct lang_options options = {.read = file_read};
	struct source s = source_compile_as("test.pto", text, strlen(text), &options);
	const struct ptowsp_kernel_record *kernel;
	const struct ptowsp_payload_record *payload;
	const struct ptowsp_param_record *param;

	CHECK_STR(s.messages, "");
	REQUIRE(s.t && s.t->kernel_count == 1);
	kernel = &s.t->kernel[0];
	CHECK_UINT(kernel->unit, PTOWSP_UNIT_AIV);
	CHECK_UINT(kernel->blockdim, 3);
	CHECK_UINT(kernel->workspace, 4096);
	CHECK_UINT(kernel->flags, PTOWSP_KERNEL_MEASURED);
	CHECK_STR(pkg_string(s.t, kernel->signature), "v(p,u8,p,p)");
	REQUIRE(kernel->param_count == 4 && kernel->payload_count == 3);
	param = &s.t->param[kernel->params];
	CHECK(param[0].rows == 8 && param[0].columns == 4 && param[0].access == PTOWSP_READ && param[0].dtype == PTOWSP_F16);
	CHECK(param[1].kind == PTOWSP_PARAM_SCALAR && param[1].dtype == PTOWSP_U8);
	CHECK(param[2].rows == 1 && param[2].columns == 5 && param[2].access == (PTOWSP_READ | PTOWSP_WRITE));
	CHECK(param[3].rows == 0 && param[3].columns == 0 && param[3].access == PTOWSP_WRITE);
	payload = &s.t->payload[kernel->payloads];
	CHECK_STR(pkg_string(s.t, payload[0].target), "x86_64-linux-gnu");
	CHECK_STR(pkg_string(s.t, payload[0].entry), "run");
	CHECK(payload[0].kind == PTOWSP_PAYLOAD_ELF && payload[0].cycles == 7 && payload[0].unit == PTOWSP_UNIT_AIV && payload[0].size == 6);
	CHECK(!memcmp(s.t->code + payload[0].offset, "lib.so", 6));
	CHECK(payload[1].kind == PTOWSP_PAYLOAD_IMAGE && payload[2].kind == PTOWSP_PAYLOAD_SOURCE);
	CHECK_STR(pkg_string(s.t, payload[1].target), "dav-c220");
	source_free(&s);
}

TEST(a_parameters_layout_is_kept_row_by_row)
{
	struct source s = source_compile("kernel @k(%a: f32[8, 8] in layout(S(2), R), %n: i64, %b: f32[8, 8] in, %c: f32[8] out layout(S(0)))\n");
	const struct ptowsp_param_layout_record *dims;
	uint32_t first, count;

	CHECK_STR(s.messages, "");
	REQUIRE(s.t && s.t->kernel_count == 1 && s.t->param_layout_count == 3);
	first = s.t->kernel[0].params;
	dims = pkg_param_layout(s.t, first, &count);
	REQUIRE(dims && count == 2);
	CHECK(dims[0].distribution == 1 && dims[0].mesh_axis == 2 && dims[1].distribution == 0);
	CHECK(!pkg_param_layout(s.t, first + 1, &count) && !pkg_param_layout(s.t, first + 2, &count) && !count);
	dims = pkg_param_layout(s.t, first + 3, &count);
	CHECK(dims && count == 1 && dims->distribution == 1 && dims->mesh_axis == 0);
	source_free(&s);
}

TEST(a_parameters_order_in_memory_is_kept_where_it_is_stated)
{
	struct source s = source_compile("kernel @k(%a: f32[8, 8] in mem(nz(4, 8) swizzle 2), %n: i64, %b: f32[8, 8] in, %c: f32[] out mem(strides(64, 8, 1)), "
					 "%d: f32[8] in mem(row_major))\n");
	struct ptowsp_memory_record m;
	uint32_t first;

	CHECK_STR(s.messages, "");
	REQUIRE(s.t && s.t->kernel_count == 1 && s.t->param_memory_count == 3);
	first = s.t->kernel[0].params;
	REQUIRE(pkg_param_memory(s.t, first, &m));
	CHECK(m.tensor == PTOWSP_NONE && m.order == PTOWSP_MEMORY_NZ && m.swizzle == 2 && m.block_rows == 4 && m.block_columns == 8 && !m.stride0);
	CHECK(!pkg_param_memory(s.t, first + 1, &m) && !pkg_param_memory(s.t, first + 2, &m) && !pkg_param_memory(s.t, first + 5, &m));
	REQUIRE(pkg_param_memory(s.t, first + 3, &m));
	CHECK(m.order == PTOWSP_MEMORY_STRIDED && m.stride0 == 64 && m.stride1 == 8 && m.stride2 == 1 && !m.stride3);
	CHECK(pkg_param_memory(s.t, first + 4, &m) && m.order == PTOWSP_MEMORY_ROW_MAJOR && !m.swizzle);
	source_free(&s);
}

TEST(a_layout_that_is_replicated_everywhere_is_told_from_none)
{
	struct source s =
		source_compile("tensor %a : f32[8, 8] inout layout(R, R)\ntensor %b : f32[8, 8] inout\ntensor %c : f32[8, 8] inout layout(S(0), R)\n");

	CHECK_STR(s.messages, "");
	REQUIRE(s.t && s.t->tensor_count == 3);
	for (uint32_t i = 0; i < 3; i++)
		CHECK_UINT(s.t->tensor[i].flags, strcmp(pkg_string(s.t, s.t->tensor[i].name), "a") ? 0 : PTOWSP_TENSOR_REPLICATED);
	source_free(&s);
}

TEST(files_that_cannot_be_read_are_errors_at_their_names)
{
	static const char text[] = "kernel @k() { image a \"absent\" }\nkernel @l() { image a \"empty\" }\n";
	struct lang_options options = {.read = file_read};
	struct source s = source_compile_as("test.pto", text, strlen(text), &options);

	CHECK_STR(s.messages, "test.pto:1:23: error: absent is not there\n    kernel @k() { image a \"absent\" }\n                          ^~~~~~~~\n"
			      "test.pto:2:23: error: the file \"empty\" has 0 bytes, a payload has 1 to 2^28\n    kernel @l() { image a \"empty\" }\n"
			      "                          ^~~~~~~\n");
	source_free(&s);
}

TEST(every_instruction_of_a_workload_has_its_place)
{
	struct source s = source_compile("slot %s : i64 = 0\nworkload @w {\n  barrier\n  slot_set %s,\n    %s + 1\n}\n");
	uint32_t seen = 0;

	CHECK_STR(s.messages, "");
	REQUIRE(s.t != NULL);
	for (uint32_t i = 0; i < s.t->debug_count; i++)
		if (s.t->debug[i].kind == 0) {
			CHECK_UINT(s.t->debug[i].line, s.t->debug[i].row ? 4 : 3);
			CHECK_UINT(s.t->debug[i].column, 3);
			seen++;
		}
	CHECK_UINT(seen, 2);
	source_free(&s);
}

TEST(one_source_gives_one_package)
{
	static const char text[] = COPY_8 TENSORS "symbol %n : u64 = 4\naxis %r = ragged(2, [1, 3])\nworkload @w {\n  parallel_for %i in 0 to %n {\n"
						  "    for_each %j in %r[%i % 2] { call @move(%x -> %x[%i * 8, 0], %y -> %y[%j * 8, 0]) }\n  }\n}\n";
	struct source a = source_compile(text), b = source_compile(text);

	CHECK(a.size && a.size == b.size && !memcmp(a.bytes, b.bytes, a.size));
	source_free(&a);
	source_free(&b);
}

TEST(corpus_scalars_share_symbols_of_their_name_and_type)
{
	struct source s =
		source_compile("symbol %n : i32 = 5\nsymbol %m : i64 = 5\n// Function Type: Orchestration\nfunc @f(%p: " M ") {\n  %n = alloc_scalar : i32\n"
			       "  %m = alloc_scalar : i32\n  FOR %i:idx, %m:idx, %n:idx, 1:idx\n  ENDFOR\n}\n");

	CHECK_STR(s.messages, "");
	REQUIRE(s.t != NULL);
	CHECK_UINT(s.t->slot_count, 3);
	CHECK(source_slot(&s, "n") >= 0 && source_slot(&s, "m") >= 0 && source_slot(&s, "f.m") >= 0);
	source_free(&s);
}

/* --- limits --- */

/* head, then the piece so many times, then tail; to be freed */
static char *repeated(const char *head, const char *piece, int count, const char *tail)
{
	char *text = malloc(strlen(head) + strlen(piece) * (size_t)count + strlen(tail) + 1);

	REQUIRE(text != NULL);
	strcpy(text, head);
	for (int i = 0; i < count; i++)
		strcpy(text + strlen(head) + (size_t)i * strlen(piece), piece);
	return strcat(text, tail);
}

TEST(limits_are_errors)
{
	static const struct {
		const char *head, *piece;
		int count;
		const char *tail, *want;
	} cases[] = {
		{"slot %s : i64\nworkload @w {\n  slot_set %s, 1", " + 1", 1001, "\n}\n", "this expression has more than 1000 operators"},
		{"slot %s : i64\nworkload @w {\n  slot_set %s, ", "(", 70, "\n}\n", "expressions nest deeper than 64"},
		{"slot %s : i64\nworkload @w {\n  slot_set %s, ", "-", 70, "1\n}\n", "expressions nest deeper than 64"},
		{"workload @w {\n", "scope {", 70, "\n", "loops and branches are nested deeper than 64"},
		{"workload @w {\n  if 1 { }", " else if 1 { }", 70, "\n}\n", "loops and branches are nested deeper than 64"},
		{"target a0", ",a", 1, "0, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, a1, b1, c1, d1, e1, f1, g1, h1\n",
		 "the target a0 is named twice"},
		{"target a0", "", 0, ", b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, a1, b1, c1, d1, e1, f1, g1, h1\n",
		 "a package has at most 32 targets"},
		{"kernel @k() { source c \"a\x01", "", 0, "\" }\n", "this text holds bytes that are no text"},
		{"kernel @k() { source c \"a\xff", "", 0, "\" }\n", "this text holds bytes that are no text"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *text = repeated(cases[i].head, cases[i].piece, cases[i].count, cases[i].tail);

		says(text, cases[i].want);
		free(text);
	}
}

/* What a wrong branch opened is closed again: the next workload has all its levels. */
TEST(a_wrong_else_if_leaves_no_level_open)
{
	char *text = repeated("workload @v {\n  if 1 { } else if = { }\n}\nworkload @w {\n", "scope {", 64, "\n}");
	struct source s;

	text = realloc(text, strlen(text) + 65);
	REQUIRE(text != NULL);
	for (int i = 0; i < 64; i++)
		strcat(text, "}");
	s = source_compile(text);
	if (!strstr(s.messages, "expected") || strstr(s.messages, "nested deeper"))
		CHECK_FAIL("%s", s.messages);
	source_free(&s);
	free(text);
}

TEST(calls_that_expand_too_deep_are_errors)
{
	char text[8192] = "";

	for (int i = 0; i < 70; i++)
		sprintf(text + strlen(text), "workload @w%d { call @w%d() }\n", i, i + 1);
	strcat(text, "workload @w70 { }\n");
	says(text, "calls are nested deeper than 64");
	*text = '\0';
	for (int i = 0; i < 40; i++)
		sprintf(text + strlen(text), "workload @w%d { scope { scope { call @w%d() } } }\n", i, i + 1);
	strcat(text, "workload @w40 { }\n");
	says(text, "loops and branches are nested deeper than 64 when calls are expanded");
	*text = '\0';
	for (int i = 0; i < 25; i++)
		sprintf(text + strlen(text), "workload @w%d { call @w%d() call @w%d() }\n", i, i + 1, i + 1);
	strcat(text, "workload @w25 { barrier }\n");
	says(text, "the calls of this package expand to more than 1048576 instructions");
}

/* Kernels that only a graph names: of any function, with what is bound as bytes, on the cores that it asks for. */
TEST(kernels_of_a_graph_have_its_core_types_and_bindings)
{
	static const struct {
		const char *word;
		unsigned unit;
	} types[] = {{"AIC", PTOWSP_UNIT_AIC}, {"AIV", PTOWSP_UNIT_AIV}, {"AIC_AIV", PTOWSP_UNIT_AIC_AIV}, {"AICPU", PTOWSP_UNIT_AICPU}};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct source s = source_compile(check_fmt(
			"graph @g {\nTG_BEGIN(G)\nTG_KERNEL(A, work, 2, %s, 64)\nMC_BIND(A, 0, IN)\nMC_BIND(A, 1, X, 0, 32)\nTG_END(G)\nTG_INVOKE(G, 0)\n}\n",
			types[i].word));
		const struct ptowsp_param_record *param;

		CHECK_STR(s.messages, "");
		REQUIRE(s.t && s.t->kernel_count == 1);
		CHECK_UINT(s.t->kernel[0].unit, types[i].unit);
		CHECK(s.t->kernel[0].blockdim == 2 && s.t->kernel[0].workspace == 64);
		REQUIRE_UINT(s.t->kernel[0].param_count, 2);
		param = &s.t->param[s.t->kernel[0].params];
		for (int at = 0; at < 2; at++)
			CHECK(param[at].kind == PTOWSP_PARAM_TENSOR && param[at].dtype == PTOWSP_U8);
		source_free(&s);
	}
}
