/* SPDX-License-Identifier: MIT
 * test_as.c - PTO-AS: the same functions as in the language, written as compilers print them. */
#include "isa/isa.h"
#include "ptowsp/task.h"
#include "tests/check.h"
#include "tests/isa/tile_reference.h"
#include "tests/lang/source.h"

#include <stdlib.h>
#include <string.h>

#define TILE "!pto.tile_buf<loc=vec, dtype=f32, rows=2, cols=4, v_row=2, v_col=4, blayout=row_major, slayout=none_box, fractal=512, pad=0>"
#define CONSTANTS                                                                                                                                              \
	"  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %c2 = arith.constant 2 : index\n"                                               \
	"  %c4 = arith.constant 4 : index\n  %c8 = arith.constant 8 : index\n"

static char *program_of(const char *text, const char *name)
{
	struct source s = source_compile(text);
	char *program;

	CHECK_STR(s.messages, "");
	program = s.t ? source_program(&s, name) : NULL;
	source_free(&s);
	return program;
}

/* An addition of tiles in a loop, in both dialects. */
TEST(a_packed_view_is_what_a_tload_is)
{
	char *as = program_of("module attributes {\"pto.device-spec\" = \"Ascend910B1\"} {\n"
			      "func.func @add(%a: !pto.ptr<f32>, %b: !pto.ptr<f32, gm>, %n: index) attributes {pto.entry} {\n" CONSTANTS
			      "  %v = pto.make_tensor_view %a, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>\n"
			      "  %w = pto.make_tensor_view %b, shape = [%c1, %c1, %c1, %n, %c4] strides = [%c4, %c4, %c4, %c4, %c1]"
			      " {layout = #pto.layout<nd>} : !pto.tensor_view<5xf32>\n"
			      "  %t = pto.alloc_tile : " TILE "\n  %u = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32>\n"
			      "  %x = pto.alloc_tile : !pto.tile_buf<vec, 1x8xf32, valid=1x8>\n"
			      "  scf.for %i = %c0 to %n step %c2 {\n"
			      "    %p = pto.partition_view %v, offsets = [%i, %c0], sizes = [1, %c8] : !pto.tensor_view<?x8xf32> ->"
			      " !pto.partition_tensor_view<1x8xf32>\n"
			      "    %q = pto.subview %w, offsets = [%c0, %c0, %c0, %c2, %c0], sizes = [1, 1, 1, 2, 4] : !pto.tensor_view<5xf32>"
			      " -> !pto.tile_view<1x1x1x2x4xf32>\n"
			      "    pto.tload ins(%p : !pto.partition_tensor_view<1x8xf32>) outs(%u : !pto.tile_buf<vec, 1x8xf32>)\n"
			      "    pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]\n"
			      "    pto.tadds ins(%u, %c4 : !pto.tile_buf<vec, 1x8xf32>, index)\n"
			      "              outs(%x : !pto.tile_buf<vec, 1x8xf32>)\n"
			      "    pto.treshape ins(%x : !pto.tile_buf<vec, 1x8xf32>) outs(%t : " TILE ")\n"
			      "    pto.tstore ins(%t : " TILE ") outs(%q : !pto.tile_view<1x1x1x2x4xf32>)\n"
			      "  }\n  return\n}\n}\n",
			      "add");
	char *want = program_of("func @add(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,f32>, %n: idx) {\n"
				"  %t = alloc_tile : !pto.tile<2x4xf32>\n  %u = alloc_tile : !pto.tile<1x8xf32>\n"
				"  %x = alloc_tile : !pto.tile<1x8xf32>\n  %at = alloc_scalar : idx\n"
				"  FOR %i:idx, 0:idx, %n:idx, 2:idx\n    MUL %at:idx, %i:idx, 8\n"
				"    %u = tload %a[0, %at]\n    %x = tadds %u, %4\n    %t = treshape %x\n    tstore %t, %b[0, 8]\n"
				"  ENDFOR\n  return\n}\n",
				"add");

	CHECK_STR(as ? as : "", want ? want : "?");
	free(as);
	free(want);
}

TEST(strides_are_walked_by_element_numbers_made_once)
{
	char *program = program_of("func.func @f(%a: !pto.ptr<f32>, %n: index) {\n" CONSTANTS
				   "  %v = pto.make_tensor_view %a, shape = [%n, %c8], strides = [%c8, %c1] : !pto.tensor_view<?x8xf32>\n"
				   "  %t = pto.alloc_tile : " TILE "\n"
				   "  scf.for %i = %c0 to %n step %c1 {\n"
				   "    %p = pto.subview %v, offsets = [%i, %c4], sizes = [2, 4] : !pto.tensor_view<?x8xf32> -> !pto.tile_view<2x4xf32>\n"
				   "    pto.tload ins(%p : !pto.tile_view<2x4xf32>) outs(%t : " TILE ")\n"
				   "    pto.tstore ins(%t : " TILE ") outs(%p : !pto.tile_view<2x4xf32>)\n"
				   "  }\n  return\n}\n",
				   "f");

	CHECK_STR(program ? program : "", "arg 0 %n\n0 tci %walk.2x4.8.1 0\n1 tdivs %part.2x4 %walk.2x4.8.1 4\n2 tmuls %part.2x4 %part.2x4 8\n"
					  "3 trems %walk.2x4.8.1 %walk.2x4.8.1 4\n4 tadd %walk.2x4.8.1 %walk.2x4.8.1 %part.2x4\n5 FOR %i 0 %n 1 -> 13\n"
					  "6 MUL %at %i 8\n7 ADD %at.1 %at 4\n8 tadds %part.2x4 %walk.2x4.8.1 %at.1\n9 mgather %t %a %part.2x4\n"
					  "10 tadds %part.2x4 %walk.2x4.8.1 %at.1\n11 mscatter %t %a %part.2x4\n12 ENDFOR -> 5\n13 return\n");
	free(program);
}

TEST(scalars_fold_and_names_end_with_their_region)
{
	char *program = program_of("func.func @f(%a: !pto.ptr<i32>, %n: i32) {\n" CONSTANTS
				   "  %c9 = arith.constant 9 : i32\n  %0 = arith.muli %c9, %c9 : i32\n  %1 = arith.remsi %0, %c4 : i32\n"
				   "  %true = arith.constant true\n"
				   "  %2 = arith.remsi %n, %c9 : i32\n  %3 = arith.cmpi slt, %2, %1 : i32\n"
				   "  scf.if %3 {\n    %x = arith.addi %n, %0 : i32\n  } else {\n    %x = arith.subi %n, %c9 : i32\n"
				   "    %y = arith.index_cast %x : i32 to index\n    %z = arith.sitofp %y : index to f64\n"
				   "    %h = arith.constant 1.5e+00 : f64\n    %w = arith.mulf %z, %h : f64\n  }\n"
				   "  return\n}\n",
				   "f");

	CHECK_STR(program ? program : "",
		  "arg 0 %n\n0 DIV %part %n 9\n1 MUL %part %part 9\n2 SUB %v2 %n %part\n3 CMP/2 %v3 %v2 1\n4 IF %v3 -> 7\n"
		  "5 ADD %x %n 81\n6 ELSE -> 11\n7 SUB %x.1 %n 9\n8 MOV %y %x.1\n9 MOV %z %y\n10 MUL %w %z 4609434218613702656\n11 ENDIF\n12 return\n");
	free(program);
}

/* Types go on in the next line, attributes are written in two ways, and those of machines may hold anything. */
TEST(other_ways_to_write_it)
{
	char *as = program_of(
		"module {\nfunc.func @f(%a: !pto.ptr<f32>,\n             %b: !pto.ptr<i8>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} "
		"{\n" CONSTANTS "  %v = pto.make_tensor_view %a,\n       shape = [%c2, %c4]\n       strides = [%c4, %c1]\n       : !pto.tensor_view<2xf32>\n"
		"  %w = pto.make_tensor_view %b, shape=[%c2, %c4] strides=[%c4, %c1] {layout = #pto.layout<nd>, more = [{id = 0 : i64}]}"
		" : !pto.tensor_view<2xi8>\n"
		"  %t = pto.alloc_tile : !pto.tile_buf<loc=ub, dtype=f32, rows=16, cols=4, v_row=2,\n"
		"                                     v_col=4, blayout=row_major, slayout=none_box,\n     fractal=512, pad=0>\n"
		"  %m = pto.alloc_tile addr = %c0 : !pto.tile_buf<vec, 16x4xi8, valid=2x4>\n"
		"  pto.tload ins(%v : !pto.tensor_view<2xf32>)\n            outs(%t : !pto.tile_buf<loc=ub, dtype=f32, rows=16, cols=4, v_row=2,\n"
		"    v_col=4, fractal=512>) {candidates = [{id = 0 : i64, tags = [\"load\", \"gm\"]}], layout = #pto.layout<nd>}\n"
		"  pto.tcmp ins(%t, %t {cmpMode = #pto<cmp lt>} : !pto.tile_buf<vec, 16x4xf32, valid=2x4>, !pto.tile_buf<vec, 16x4xf32, valid=2x4>)"
		" outs(%m : !pto.tile_buf<vec, 16x4xi8, valid=2x4>)\n"
		"  pto.tcvt ins(%t {rmode = #pto.round_mode<FLOOR>} : !pto.tile_buf<vec, 16x4xf32, valid=2x4>) outs(%m"
		" : !pto.tile_buf<vec, 16x4xi8, valid=2x4>)\n"
		"  pto.tstore ins(%m : !pto.tile_buf<vec, 16x4xi8, valid=2x4>) outs(%w : !pto.tensor_view<2xi8>)\n  return\n}\n}\n",
		"f");
	char *want =
		program_of("func @f(%a: !pto.memref<gm,...,f32>, %b: !pto.memref<gm,...,i8>) {\n"
			   "  %t = alloc_tile : !pto.tile<2x4xf32>\n  %m = alloc_tile : !pto.tile<2x4xi8>\n"
			   "  %t = tload %a[0, 0]\n  %m = tcmp %t, %t {cmpMode = LT}\n  %m = tcvt %t {rmode = FLOOR}\n  tstore %m, %b[0, 0]\n  return\n}\n",
			   "f");

	CHECK_STR(as ? as : "", want ? want : "?");
	free(as);
	free(want);
}

/* What has a form of its own: scaled stores, single elements, events. */
TEST(elements_and_scaled_stores)
{
	char *as =
		program_of("func.func @f(%a: !pto.ptr<f32>, %n: index) {\n" CONSTANTS
			   "  %v = pto.make_tensor_view %a, shape = [%c2, %c4], strides = [%c4, %c1] : !pto.tensor_view<2x4xf32>\n"
			   "  %t = pto.alloc_tile : !pto.tile_buf<vec, 2x4xf32>\n  %s = pto.alloc_tile : !pto.tile_buf<scaling, 1x4xf32>\n"
			   "  pto.texpands ins(%c1 : f32) outs(%t : !pto.tile_buf<vec, 2x4xf32>)\n"
			   "  pto.texpands ins(%c1 : f32) outs(%s : !pto.tile_buf<scaling, 1x4xf32>)\n"
			   "  %x = pto.tgetval ins(%t, %n : !pto.tile_buf<vec, 2x4xf32>, index) outs : f32\n"
			   "  %y = pto.getval ins(%s, %c2 : !pto.tile_buf<scaling, 1x4xf32>, index) : f32\n"
			   "  pto.tsetval ins(%n, %x : index, f32) outs(%s : !pto.tile_buf<scaling, 1x4xf32>)\n"
			   "  pto.tstore.fp ins(%t, %s : !pto.tile_buf<vec, 2x4xf32>, !pto.tile_buf<scaling, 1x4xf32>) outs(%v : !pto.tensor_view<2x4xf32>)\n"
			   "  pto.tsync ins(%c0, %c1 : index, index)\n  return\n}\n",
			   "f");
	char *want = program_of("func @f(%a: !pto.memref<gm,...,f32>, %n: idx) {\n"
				"  %t = alloc_tile : !pto.tile<2x4xf32>\n  %s = alloc_tile : !pto.tile<1x4xf32>\n  %scaled = alloc_tile : !pto.tile<2x4xf32>\n"
				"  %x = alloc_scalar : f32\n  %y = alloc_scalar : f32\n  %t = texpands %1\n  %s = texpands %1\n"
				"  %x = getval %t, %n\n  %y = getval %s, 2\n  setval %s, %n, %x\n  %scaled = tmov.fp %t, %s\n  tstore %scaled, %a[0, 0]\n"
				"  tsync 0, 1\n  return\n}\n",
				"f");

	CHECK_STR(as ? as : "", want ? want : "?");
	free(as);
	free(want);
}

/* Runs the only kernel of a text on two memrefs of any type. */
static ptowsp_status run(const char *text, void *x, unsigned x_type, void *y, unsigned y_type, uint32_t count, uint32_t block)
{
	struct source s = source_compile(text);
	struct ptowsp_tensor_arg tensors[2] = {
		{.data = x, .rows = 1, .columns = count, .row_stride = count, .column_stride = 1, .dtype = (uint16_t)x_type, .access = PTOWSP_READ},
		{.data = y,
		 .rows = 1,
		 .columns = count,
		 .row_stride = count,
		 .column_stride = 1,
		 .dtype = (uint16_t)y_type,
		 .access = PTOWSP_READ | PTOWSP_WRITE}};
	struct ptowsp_task task = {.head = PTOWSP_HEAD(struct ptowsp_task, TASK),
				   .tensors = tensors,
				   .tensor_count = 2,
				   .tensor_stride = sizeof(*tensors),
				   .block = block,
				   .block_count = block + 1};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(struct ptowsp_kernel_out, KERNEL_OUT), .error = &error};
	const struct ptowsp_payload_record *payload;
	struct isa_program *program = NULL;
	void *scratch;
	ptowsp_status status;

	CHECK_STR(s.messages, "");
	if (!s.t)
		return PTOWSP_BAD_PACKAGE;
	payload = &s.t->payload[s.t->kernel[0].payloads];
	status = isa_program_create(&program, s.t->code + payload->offset, payload->size, s.t->strings, s.t->strings_size, &error);
	if (!status) {
		scratch = aligned_alloc(64, (isa_program_scratch(program) + 127) / 64 * 64);
		status = isa_run(program, &task, &out, scratch);
		free(scratch);
	}
	isa_program_destroy(program);
	source_free(&s);
	if (status)
		CHECK_FAIL("%s", error.text);
	return status;
}

/* Rows of 8 into columns of 2, that is, with its axes exchanged. */
TEST(parts_move_between_layouts)
{
	float x[48], y[48];

	for (int i = 0; i < 48; i++)
		x[i] = (float)i, y[i] = -1;
	run("func.func @f(%a: !pto.ptr<f32>, %b: !pto.ptr<f32>) {\n" CONSTANTS
	    "  %v = pto.make_tensor_view %a, shape = [6, %c8], strides = [%c8, %c1] : !pto.tensor_view<6x8xf32>\n"
	    "  %w = pto.make_tensor_view %b, shape = [%c2, %c4], strides = [%c1, %c2] {layout = #pto.layout<dn>} : !pto.tensor_view<2x4xf32>\n"
	    "  %p = pto.subview %v, offsets = [%c2, 3], sizes = [%c2, %c4] : !pto.tensor_view<6x8xf32> -> !pto.tile_view<2x4xf32>\n"
	    "  %t = pto.alloc_tile valid_row = %c2 valid_col = %c4 : !pto.tile_buf<vec, 2x4xf32, valid=?x?>\n"
	    "  pto.tload ins(%p : !pto.tile_view<2x4xf32>) outs(%t : !pto.tile_buf<vec, 2x4xf32, valid=?x?>)\n"
	    "  pto.tstore ins(%t : !pto.tile_buf<vec, 2x4xf32, valid=?x?>) outs(%w : !pto.tensor_view<2x4xf32>)\n"
	    "  return\n}\n",
	    x, PTOWSP_F32, y, PTOWSP_F32, 48, 0);
	for (int i = 0; i < 2; i++)
		for (int j = 0; j < 4; j++)
			CHECK(y[i + 2 * j] == x[(2 + i) * 8 + 3 + j]);
	CHECK(y[8] == -1);
}

/* i8 times i8 in i32, converted into memory of f32 on its way, by the block that runs. */
TEST(products_accumulate_wider_and_stores_convert)
{
	int8_t x[32];
	float y[32];

	for (int i = 0; i < 32; i++)
		x[i] = (int8_t)(i * 9 - 120), y[i] = -1;
	run("func.func @f(%a: !pto.ptr<i8>, %b: !pto.ptr<f32>) {\n" CONSTANTS "  %id = pto.get_block_idx : i64\n  %at = arith.muli %id, %c4 : index\n"
	    "  %v = pto.make_tensor_view %a, shape = [%c8, %c4], strides = [%c4, %c1] : !pto.tensor_view<8x4xi8>\n"
	    "  %w = pto.make_tensor_view %b, shape = [%c8, %c4], strides = [%c4, %c1] : !pto.tensor_view<8x4xf32>\n"
	    "  %p = pto.subview %v, offsets = [%at, %c0], sizes = [%c4, %c4] : !pto.tensor_view<8x4xi8> -> !pto.tile_view<4x4xi8>\n"
	    "  %q = pto.subview %w, offsets = [%at, %c0], sizes = [%c4, %c4] : !pto.tensor_view<8x4xf32> -> !pto.tile_view<4x4xf32>\n"
	    "  %t = pto.alloc_tile : !pto.tile_buf<mat, 4x4xi8>\n  %l = pto.alloc_tile : !pto.tile_buf<left, 4x4xi8>\n"
	    "  %s = pto.alloc_tile : !pto.tile_buf<acc, 4x4xi32>\n"
	    "  pto.section.cube {\n"
	    "    pto.tload ins(%p : !pto.tile_view<4x4xi8>) outs(%t : !pto.tile_buf<mat, 4x4xi8>)\n"
	    "    pto.tmov ins(%t : !pto.tile_buf<mat, 4x4xi8>) outs(%l : !pto.tile_buf<left, 4x4xi8>)\n"
	    "    pto.tmatmul ins(%l, %t : !pto.tile_buf<left, 4x4xi8>, !pto.tile_buf<mat, 4x4xi8>) outs(%s : !pto.tile_buf<acc, 4x4xi32>)\n"
	    "    pto.tstore ins(%s : !pto.tile_buf<acc, 4x4xi32>) outs(%q : !pto.tile_view<4x4xf32>)\n"
	    "  }\n  return\n}\n",
	    x, PTOWSP_I8, y, PTOWSP_F32, 32, 1);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			int sum = 0;

			for (int k = 0; k < 4; k++)
				sum += x[16 + i * 4 + k] * x[16 + k * 4 + j];
			CHECK(y[16 + i * 4 + j] == (float)sum);
		}
	CHECK(y[0] == -1);
}

static double factor(unsigned i)
{
	return (double)((i * 37 + i / 7) % 17) / 4 - 2;
}

/* a: 2 x 32 x 64, b behind it: 2 x 64 x 16, its columns one behind the other, c: 2 x 32 x 16. */
TEST(a_batched_product_runs_block_by_block)
{
	static uint16_t x[6144];
	static float y[6144];
	char *text = check_read(check_fmt("%s/tests/fuzz/source/as_bgemm.pto", check_root()), NULL);

	REQUIRE(text != NULL);
	for (unsigned i = 0; i < 6144; i++) {
		cell_pack(PTOWSP_F16, (struct cell){.f = factor(i)}, &x[i]);
		y[i] = -1;
	}
	for (uint32_t block = 0; block < 4; block++)
		run(text, x, PTOWSP_F16, y, PTOWSP_F32, 6144, block);
	for (unsigned i = 0; i < 1024; i++) {
		const unsigned batch = i / 512, m = i / 16 % 32, n = i % 16;
		double sum = 0;

		for (unsigned k = 0; k < 64; k++)
			sum += factor(batch * 2048 + m * 64 + k) * factor(4096 + batch * 1024 + n * 64 + k);
		CHECK(y[i] == (float)sum);
	}
	CHECK(y[1024] == -1);
	free(text);
}

/* A text cut anywhere is answered, and never read beyond its end. */
TEST(texts_cut_anywhere_are_answered)
{
	static const char *const names[] = {"as_values", "as_types", "as_views", "as_ops", "as_control", "as_elements"};

	for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++) {
		char *text = check_read(check_fmt("%s/tests/diagnostics/%s.pto", check_root(), names[n]), NULL);
		size_t size = text ? strlen(text) : 0;

		REQUIRE(size > 0);
		for (size_t cut = 0; cut < size; cut += 3) {
			char *part = malloc(cut + 1); /* its end is watched */
			struct source s;

			memcpy(part, text, cut);
			s = source_compile_as("cut.pto", part, cut, NULL);
			CHECK((s.package != NULL) == (s.status == 0));
			source_free(&s);
			free(part);
		}
		free(text);
	}
}
