/* SPDX-License-Identifier: MIT */
/* aie_design.c - designs whose times are published. */
#include "tests/aie/aie_design.h"

#include "tests/aie/aie_written.h"
#include <stdio.h>

enum { NPU1 = 4, NPU2 = 8 };

static void design_begin(struct written *t, int columns, int rows)
{
	written_begin(t);
	written_add(t, "\"builtin.module\"() ({\n\"aie.device\"() ({\n");
	for (int column = 0; column < columns; column++)
		for (int row = 0; row < rows; row++)
			written_tile(t, column, row);
}

static char *design_end(struct written *t, int device)
{
	written_add(
		t, "}) {sym_name = \"sequence\"} : () -> ()\n\"aie.end\"() : () -> ()\n}) {device = %d : i32, sym_name = \"main\"} : () -> ()\n}) : () -> ()\n",
		device);
	return t->text;
}

static void core_begin(struct written *t, int column, int row, unsigned long turns)
{
	written_add(t,
		    "%%core%d_%d = \"aie.core\"(%%t%d_%d) ({\n%%c0 = arith.constant 0 : index\n%%c1 = arith.constant 1 : index\n%%turns = arith.constant %lu : "
		    "index\n"
		    "scf.for %%turn = %%c0 to %%turns step %%c1 {\n",
		    column, row, column, row, turns);
}

static void core_end(struct written *t)
{
	written_add(t, "}\n\"aie.end\"() : () -> ()\n}) {stack_size = 1024 : i32} : (index) -> index\n");
}

static const char *name_of(char name[32], const char *what, int a, int b)
{
	snprintf(name, 32, "%s%d_%d", what, a, b);
	return name;
}

static void sequence_begin(struct written *t, int arguments, const char *memref)
{
	written_add(t, "\"aie.runtime_sequence\"() ({\n^bb0(");
	for (int i = 0; i < arguments; i++)
		written_add(t, "%s%%p%d: %s", i ? ", " : "", i, memref);
	written_add(t, "):\n");
}

char *aie_design_scalar(uint32_t times)
{
	static const char memref[] = "memref<1024xi8>";
	struct written t;

	design_begin(&t, 1, 3);
	written_add(&t, "%%a = \"aie.buffer\"(%%t0_2) {sym_name = \"a\"} : (index) -> %s\n%%b = \"aie.buffer\"(%%t0_2) {sym_name = \"b\"} : (index) -> %s\n",
		    memref, memref);
	core_begin(&t, 0, 2, times);
	written_add(&t,
		    "%%n = arith.constant 1024 : index\n%%k = arith.constant 3 : i8\nscf.for %%j = %%c0 to %%n step %%c1 {\n%%v = memref.load %%a[%%j] : %s\n"
		    "%%w = arith.muli %%v, %%k : i8\nmemref.store %%w, %%b[%%j] : %s\n}\n",
		    memref, memref);
	core_end(&t);
	sequence_begin(&t, 1, "memref<16xi32>");
	return design_end(&t, NPU1);
}

char *aie_design_ddr(bool in, uint32_t tasks, uint32_t words)
{
	const uint32_t object = words < 4096 ? words : 4096;
	char memref[64];
	struct written t;

	design_begin(&t, 1, 3);
	snprintf(memref, sizeof(memref), "memref<%uxi32>", object);
	written_fifo(&t, "f", in ? "%t0_0" : "%t0_2", in ? "%t0_2" : "%t0_0", 1, "2 : i32", memref, false);
	core_begin(&t, 0, 2, (unsigned long)tasks * (words / object));
	written_acquire(&t, "%x", "f", in, memref);
	written_release(&t, "f", in);
	core_end(&t);
	snprintf(memref, sizeof(memref), "memref<%uxi32>", words);
	sequence_begin(&t, 1, memref);
	for (uint32_t i = 0; i < tasks; i++)
		written_task(&t, 0, (int)i, "f", 0, words, memref, true);
	for (uint32_t i = 0; i < tasks; i++)
		written_wait(&t, "f");
	return design_end(&t, NPU1);
}

/* From DDR into memory tile `number` and on to the cores of a row or of a column. */
static void operand_add(struct written *t, const char *what, int number, bool row, const char *memref)
{
	char outer[32], inner[32], shim[32], tile[32], cores[128];
	int at = 0;

	name_of(outer, what, number, 0);
	name_of(inner, what, number, 1);
	written_fifo(t, outer, name_of(shim, "%t", number, 0), name_of(tile, "%t", number, 1), 1, "2 : i32", memref, false);
	for (int i = 0; i < 4; i++)
		at += snprintf(cores + at, sizeof(cores) - (size_t)at, "%s%%t%d_%d", i ? ", " : "", row ? i : number, 2 + (row ? number : i));
	written_fifo(t, inner, tile, cores, 4, "[2 : i32, 2 : i32, 2 : i32, 2 : i32, 2 : i32]", memref, false);
	written_add(t, "\"aie.objectfifo.link\"() {fifoIns = [@%s], fifoOuts = [@%s], src_offsets = [], dst_offsets = []} : () -> ()\n", outer, inner);
}

char *aie_design_gemm(uint32_t steps, const char *element)
{
	char memref[32], name[32];
	struct written t;

	design_begin(&t, 4, 6);
	snprintf(memref, sizeof(memref), "memref<64x64x%s>", element);
	written_add(&t, "\"func.func\"() ({}) {function_type = (%s, %s) -> (), sym_name = \"mm\", sym_visibility = \"private\"} : () -> ()\n", memref, memref);
	for (int i = 0; i < 4; i++) {
		operand_add(&t, "A", i, true, memref);
		operand_add(&t, "B", i, false, memref);
	}
	for (int core = 0; core < 16; core++) {
		char a[32], b[32];

		core_begin(&t, core % 4, 2 + core / 4, steps);
		written_acquire(&t, "%x", name_of(a, "A", core / 4, 1), 1, memref);
		written_acquire(&t, "%y", name_of(b, "B", core % 4, 1), 1, memref);
		written_add(&t, "func.call @mm(%%x, %%y) : (%s, %s) -> ()\n", memref, memref);
		written_release(&t, a, 1);
		written_release(&t, b, 1);
		core_end(&t);
	}
	snprintf(memref, sizeof(memref), "memref<%ux%s>", 4096 * steps, element);
	sequence_begin(&t, 1, memref);
	for (int i = 0; i < 8; i++)
		written_task(&t, 0, i, name_of(name, i % 2 ? "B" : "A", i / 2, 0), 0, 4096L * steps, memref, true);
	for (int i = 0; i < 8; i++)
		written_wait(&t, name_of(name, i % 2 ? "B" : "A", i / 2, 0));
	return design_end(&t, NPU1);
}

char *aie_design_copy(uint32_t words)
{
	char memref[64], in[32], out[32], shim[32], tile[32];
	struct written t;

	design_begin(&t, 8, 2);
	for (int column = 0; column < 8; column++) {
		name_of(in, "in", column, 0);
		name_of(out, "out", column, 0);
		written_fifo(&t, in, name_of(shim, "%t", column, 0), name_of(tile, "%t", column, 1), 1, "4 : i32", "memref<1024xi32>", false);
		written_fifo(&t, out, tile, shim, 1, "4 : i32", "memref<1024xi32>", false);
		written_add(&t, "\"aie.objectfifo.link\"() {fifoIns = [@%s], fifoOuts = [@%s], src_offsets = [], dst_offsets = []} : () -> ()\n", in, out);
	}
	snprintf(memref, sizeof(memref), "memref<%uxi32>", words);
	sequence_begin(&t, 2, memref);
	for (int column = 0; column < 8; column++) {
		written_task(&t, 1, 2 * column, name_of(out, "out", column, 0), 0, words, memref, true);
		written_task(&t, 0, 2 * column + 1, name_of(in, "in", column, 0), 0, words, memref, false);
	}
	for (int column = 0; column < 8; column++)
		written_wait(&t, name_of(out, "out", column, 0));
	return design_end(&t, NPU2);
}
