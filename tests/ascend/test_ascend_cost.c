/* SPDX-License-Identifier: MIT
 * test_ascend_cost.c - the table of costs: every line has a source and is what its model says; the columns of pto-isa for LLaMA's kernels. */
#include "ascend/cost.h"
#include "ascend/machine/machine.h"
#include "tests/ascend/ascend_llama.h"
#include "tests/check.h"

static const struct line {
	const char *name, *source;
	uint64_t value;
	unsigned opcode;
} op_lines[] =
	{
#define ASCEND_OP(NAME, cycles, source) {#NAME, source, cycles, PTOWSP_PTO_##NAME},
#include "ascend/cost.def"
},
  word_lines[] =
	  {
#define ASCEND_WORD(word, cycles, source) {word, source, cycles, 0},
#include "ascend/cost.def"
},
  core_lines[] = {
#define ASCEND_CORE(name, value, unit, source) {#name " " unit, source, value, 0},
#include "ascend/cost.def"
};
#define COUNT(lines) (sizeof(lines) / sizeof(*(lines)))

static void sourced(const struct line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(lines[i].source) < 5)
			CHECK_FAIL("%s has no source", lines[i].name);
}

TEST(every_line_has_a_source)
{
	sourced(op_lines, COUNT(op_lines));
	sourced(word_lines, COUNT(word_lines));
	sourced(core_lines, COUNT(core_lines));
	for (int w = 0; w < ASCEND_WIRE_COUNT; w++) {
		const struct ascend_wire_row *row = ascend_wire((enum ascend_wire)w);

		CHECK(strlen(row->source) > 5 && strlen(row->name) && row->ns && row->ns <= row->most);
	}
}

TEST(op_sum_is_the_line_of_the_instruction_per_4096_elements)
{
	for (size_t i = 0; i < COUNT(op_lines); i++) {
		CHECK_UINT(ascend_op_cycles(op_lines[i].opcode, 1), op_lines[i].value);
		CHECK_UINT(ascend_op_cycles(op_lines[i].opcode, 8191), op_lines[i].value);
		CHECK_UINT(ascend_op_cycles(op_lines[i].opcode, 8192), 2 * op_lines[i].value);
	}
	/* What is not listed. */
	CHECK_UINT(ascend_op_cycles(PTOWSP_PTO_TRECIP, 64), 10);
	CHECK_UINT(ascend_op_cycles(PTOWSP_PTO_TMAX, 16384), 40);
}

/* Each word alone is found, in its line unless a line before it has a part of it. */
TEST(name_takes_the_first_word_in_a_name)
{
	for (size_t i = 0; i < COUNT(word_lines); i++) {
		size_t first = 0;

		while (!strstr(word_lines[i].name, word_lines[first].name))
			first++;
		CHECK_UINT(ascend_name_cycles(word_lines[i].name), word_lines[first].value);
		CHECK(first == i || word_lines[first].value == word_lines[i].value);
	}
	CHECK_UINT(ascend_name_cycles("matmul_add"), 50);
	CHECK_UINT(ascend_name_cycles("add_matmul"), 50);
	CHECK_UINT(ascend_name_cycles("rowexpandsub"), 16); /* not "exp" */
	CHECK_UINT(ascend_name_cycles("attention_norm"), 30);
	CHECK_UINT(ascend_name_cycles("swiglu"), 10);
	CHECK_UINT(ascend_name_cycles("residual_add"), 8);
	CHECK_UINT(ascend_name_cycles(""), 10);
}

TEST(names_of_the_llama_kernels_are_the_column_of_pto_isa)
{
	for (int i = 0; i < LLAMA_KERNELS; i++)
		if (ascend_name_cycles(llama_kernels[i].name) != llama_kernels[i].by_name)
			CHECK_FAIL("%s: %llu, not %u", llama_kernels[i].name, (unsigned long long)ascend_name_cycles(llama_kernels[i].name),
				   llama_kernels[i].by_name);
}

/* The constants of the model core are those by which the simulator of pto-isa arrives at its sums. */
TEST(latencies_are_the_column_of_pto_isa)
{
	const uint64_t copy = ASCEND_CORE_gm_ub + 32 * 128 * 4 / ASCEND_CORE_move_bytes;

	CHECK_UINT(ASCEND_CORE_binary, ASCEND_CORE_unary); /* its lines do not tell them apart */
	for (int i = 0; i < LLAMA_KERNELS; i++) {
		const struct llama_kernel *k = &llama_kernels[i];
		const uint64_t sum = k->lines.copies * copy + k->lines.vectors * (uint64_t)ASCEND_CORE_binary +
				     k->lines.reductions * (uint64_t)ASCEND_CORE_reduce + k->lines.products * (uint64_t)ASCEND_CORE_product +
				     k->lines.scalars * (uint64_t)ASCEND_CORE_scalar;

		if (sum != k->latencies)
			CHECK_FAIL("%s: %llu, not %u", k->name, (unsigned long long)sum, k->latencies);
	}
}

static uint64_t largest_tile(const struct tile_builder *b)
{
	uint64_t most = 0;

	for (uint32_t t = 0; t < b->header.tile_count; t++)
		most = (uint64_t)b->tiles[t].rows * b->tiles[t].columns * 4 > most ? (uint64_t)b->tiles[t].rows * b->tiles[t].columns * 4 : most;
	return most;
}

/* Its slowest instruction is the copy of the largest tile: to the unified buffer, or on a cube core within it. */
TEST(slowest_instructions_are_the_column_of_pto_isa)
{
	static struct tile_builder b;

	for (int i = 0; i < LLAMA_KERNELS; i++) {
		const struct llama_kernel *k = &llama_kernels[i];

		tile_begin(&b, k->name);
		k->build(&b);
		CHECK_UINT(k->slowest, (k->on_cube ? ASCEND_CORE_l0 : ASCEND_CORE_gm_ub) + largest_tile(&b) / ASCEND_CORE_move_bytes);
		tile_finish(&b);
	}
}

TEST(times_of_the_protocol_become_cycles)
{
	const struct ascend_arch *b = ascend_arch(ASCEND_910B), *five = ascend_arch(ASCEND_950);
	static const struct {
		enum ascend_wire wire;
		unsigned cycles, cycles_950;
	} rows[] = {
		{ASCEND_WIRE_aicpu_to_aicore, 252, 231},
		{ASCEND_WIRE_aicore_to_aicpu, 1080, 990},
		{ASCEND_WIRE_aicore_to_gm, 1872, 1716},
		{ASCEND_WIRE_cond_read, 180, 165},
		{ASCEND_WIRE_dmb_store, 9, 8},
		{ASCEND_WIRE_dispatch, 8100, 7425},
		{ASCEND_WIRE_complete, 5400, 4950},
		{ASCEND_WIRE_pickup, 1440, 1320},
		{ASCEND_WIRE_generate, 1573, 1442},
		{ASCEND_WIRE_generate_fitted, 1368, 1254},
		{ASCEND_WIRE_dispatch_fitted, 2430, 2228},
		{ASCEND_WIRE_complete_fitted, 1620, 1485},
	};

	CHECK_UINT(sizeof(rows) / sizeof(*rows), ASCEND_WIRE_COUNT);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		CHECK_UINT(ascend_wire_cycles(b, rows[i].wire), rows[i].cycles);
		CHECK_UINT(ascend_wire_cycles(five, rows[i].wire), rows[i].cycles_950);
	}
}

/* The table in plugins/ascend/README.md: cycles of 1.8 GHz. */
TEST(the_protocol_is_what_was_published)
{
	const struct ascend_protocol cost = ascend_machine_of(ascend_arch(ASCEND_910B)).cost;

	CHECK_UINT(cost.lookup, 786);
	CHECK_UINT(cost.lookup_use, 0);
	CHECK_UINT(cost.submit, 787);
	CHECK_UINT(cost.dispatch, 8109);
	CHECK_UINT(cost.token, 252);
	CHECK_UINT(cost.pickup, 1440);
	CHECK_UINT(cost.fin, 1080);
	CHECK_UINT(cost.complete, 5580);
	CHECK_UINT(cost.notify, 9);
	CHECK_UINT(cost.notice, 1872);
	CHECK_UINT(cost.hear, 180);
}
