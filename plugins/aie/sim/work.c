/* SPDX-License-Identifier: MIT */
#include "aie/sim/work.h"

#include "aie/sim/aie_cost.h"
#include "isa/opcode.h"

enum { LANES = 16 }; /* elements of 4 bytes of a 512-bit register: what a type without a known rate is multiplied by at once */
struct working {
	const struct aie_arch *arch;
	const struct isa_program *program;
	const struct ptowsp_tile_inst *insts;
	const struct ptowsp_tile_tile *tiles;
	uint64_t cycles;
};

static uint64_t bytes_of(const struct working *working, uint32_t tile)
{
	const struct ptowsp_tile_tile *t = &working->tiles[tile];

	return (uint64_t)t->rows * t->columns * isa_dtype_bytes(t->dtype);
}

static uint64_t product(const struct working *working, const struct ptowsp_tile_tile *a, const struct ptowsp_tile_tile *b)
{
	uint64_t known = aie_cost_matmul(working->arch, a->dtype, a->rows, a->columns, b->columns);

	return known ? known : aie_cost_vector(0, 0, (uint64_t)a->rows * a->columns * b->columns, LANES);
}

/* The factors are the last two that a product reads, behind what it adds to; biases come after them. */
static uint64_t product_of(const struct working *working, const struct isa_uses *uses)
{
	for (unsigned r = uses->read_count; r-- > 1;) {
		const struct ptowsp_tile_tile *a = &working->tiles[uses->read[r - 1]], *b = &working->tiles[uses->read[r]];

		if (a->columns == b->rows)
			return product(working, a, b);
	}
	return 0;
}

static uint64_t inst_work(const struct working *working, uint32_t number)
{
	const struct ptowsp_tile_inst *inst = &working->insts[number];
	const struct isa_op *op = isa_op(inst->op);
	struct isa_uses uses = isa_uses(inst);
	uint64_t load = 0, store = 0;

	if (op->cost == ISA_COST_MATMUL)
		return product_of(working, &uses);
	for (unsigned r = 0; r < uses.read_count; r++)
		load += bytes_of(working, uses.read[r]);
	for (unsigned w = 0; w < uses.written_count; w++)
		store += bytes_of(working, uses.written[w]);
	if (!load && !store)
		return AIE_COST_OP_OTHER;
	return aie_cost_vector(load ? load : store, store ? store : load, 0, 0);
}

static void visit(void *context, uint32_t inst)
{
	struct working *working = context;

	working->cycles += inst_work(working, inst);
}

static void visit_rounds(void *context, uint32_t first, uint32_t count, uint64_t rounds)
{
	struct working *working = context;
	uint64_t one = 0;

	for (uint32_t i = 0; i < count; i++)
		one += inst_work(working, first + i);
	working->cycles += one * rounds;
}

ptowsp_status aie_work(const struct aie_arch *arch, const struct isa_program *program, const uint64_t *args, uint32_t arg_count, uint32_t blocks,
		       const struct isa_guard *guard, uint64_t *cycles_out, struct ptowsp_error *error)
{
	struct working working = {arch, program, isa_program_insts(program), isa_program_tiles(program), 0};
	const struct isa_visitor visitor = {visit, visit_rounds, &working};
	ptowsp_status status = PTOWSP_OK;

	/* A walk of one block may be too short to ask the guard. */
	for (uint32_t block = 0; !status && block < blocks; block++)
		status = guard && block % 16 == 15 && guard->stop(guard->context)
				 ? PTOWSP_CANCELLED
				 : isa_walk_visited(program, args, arg_count, (struct isa_block){block, blocks}, &visitor, guard, error);
	*cycles_out = aie_cost_call(working.cycles);
	return status;
}
