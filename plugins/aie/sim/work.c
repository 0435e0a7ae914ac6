/* SPDX-License-Identifier: MIT */
#include "aie/sim/work.h"

#include "aie/sim/aie_cost.h"
#include "isa/opcode.h"
#include "ptowsp/base.h"

enum { LANES = 16 }; /* elements of 4 bytes of a 512-bit register: what a type without a known rate is multiplied by at once */
struct working {
	const struct aie_arch *arch;
	const struct isa_program *program;
	const struct ptowsp_tile_inst *insts;
	const struct ptowsp_tile_tile *tiles;
	struct aie_work work;
};

static uint64_t elements_of(const struct working *working, uint32_t tile)
{
	const struct ptowsp_tile_tile *t = &working->tiles[tile];

	return (uint64_t)t->rows * t->columns;
}

static uint64_t bytes_of(const struct working *working, uint32_t tile)
{
	return elements_of(working, tile) * isa_dtype_bytes(working->tiles[tile].dtype);
}

/* The factors of a product are the last two that it reads, behind what it adds to; biases come after them. False: there are none. */
static bool factors_of(const struct working *working, const struct isa_uses *uses, const struct ptowsp_tile_tile **a_out, const struct ptowsp_tile_tile **b_out)
{
	for (unsigned r = uses->read_count; r-- > 1;) {
		*a_out = &working->tiles[uses->read[r - 1]], *b_out = &working->tiles[uses->read[r]];
		if ((*a_out)->columns == (*b_out)->rows)
			return true;
	}
	return false;
}

/* ---- by hand ------------------------------------------------------------------------------------------------------------ */

static uint64_t product(const struct working *working, const struct ptowsp_tile_tile *a, const struct ptowsp_tile_tile *b)
{
	uint64_t known = aie_cost_matmul(working->arch, a->dtype, a->rows, a->columns, b->columns);

	return known ? known : aie_cost_vector(0, 0, (uint64_t)a->rows * a->columns * b->columns, LANES);
}

static uint64_t published_of(const struct working *working, const struct isa_op *op, const struct isa_uses *uses)
{
	const struct ptowsp_tile_tile *a, *b;
	uint64_t load = 0, store = 0;

	if (op->cost == ISA_COST_MATMUL)
		return factors_of(working, uses, &a, &b) ? product(working, a, b) : 0;
	for (unsigned r = 0; r < uses->read_count; r++)
		load += bytes_of(working, uses->read[r]);
	for (unsigned w = 0; w < uses->written_count; w++)
		store += bytes_of(working, uses->written[w]);
	if (!load && !store)
		return AIE_COST_OP_OTHER;
	return aie_cost_vector(load ? load : store, store ? store : load, 0, 0);
}

/* ---- as emitted --------------------------------------------------------------------------------------------------------- */

/* The element type of the tile that decides it, as pto_ops.def says: the first of the key type. */
static uint32_t key_of(const struct working *working, const struct isa_op *op, const struct ptowsp_tile_inst *inst)
{
	uint16_t values[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(op, inst, values);

	for (unsigned i = 0; i < count; i++)
		if (op->types[i] == 'k' && (op->operands[i] == 'T' || op->operands[i] == 't'))
			return working->tiles[values[i]].dtype;
	return PTOWSP_NONE;
}

/* Operations without a figure in the table take as long as by hand. */
static uint64_t emitted_of(const struct working *working, const struct isa_op *op, const struct ptowsp_tile_inst *inst, const struct isa_uses *uses)
{
	const struct ptowsp_tile_tile *a, *b;
	uint64_t most = 0, cost;

	for (unsigned r = 0; r < uses->read_count; r++)
		most = elements_of(working, uses->read[r]) > most ? elements_of(working, uses->read[r]) : most;
	for (unsigned w = 0; w < uses->written_count; w++)
		most = elements_of(working, uses->written[w]) > most ? elements_of(working, uses->written[w]) : most;
	if (op->cost == ISA_COST_MATMUL && factors_of(working, uses, &a, &b))
		most = (uint64_t)a->rows * a->columns * b->columns;
	cost = aie_cost_scalar(inst->op, key_of(working, op, inst), most);
	return cost || op->cost == ISA_COST_ZERO ? cost + AIE_COST_OP_OTHER : published_of(working, op, uses);
}

static struct aie_work inst_work(const struct working *working, uint32_t number)
{
	const struct ptowsp_tile_inst *inst = &working->insts[number];
	const struct isa_op *op = isa_op(inst->op);
	const struct isa_uses uses = isa_uses(inst);

	return (struct aie_work){.emitted = emitted_of(working, op, inst, &uses), .published = published_of(working, op, &uses)};
}

/* ---- a walk ------------------------------------------------------------------------------------------------------------- */

static void visit_rounds(void *context, uint32_t first, uint32_t count, uint64_t rounds)
{
	struct working *working = context;

	for (uint32_t i = 0; i < count; i++) {
		const struct aie_work one = inst_work(working, first + i);

		working->work.emitted += one.emitted * rounds;
		working->work.published += one.published * rounds;
	}
}

static void visit(void *context, uint32_t inst)
{
	visit_rounds(context, inst, 1, 1);
}

ptowsp_status aie_work(const struct aie_arch *arch, const struct isa_program *program, const uint64_t *args, uint32_t arg_count, uint32_t blocks,
		       const struct isa_guard *guard, struct aie_work *work_out, struct ptowsp_error *error)
{
	struct working working = {arch, program, isa_program_insts(program), isa_program_tiles(program), {0}};
	const struct isa_visitor visitor = {.inst = visit, .rounds = visit_rounds, .context = &working};
	ptowsp_status status = PTOWSP_OK;

	/* A walk of one block may be too short to ask the guard. */
	for (uint32_t block = 0; !status && block < blocks; block++)
		status = guard && block % 16 == 15 && guard->stop(guard->context)
				 ? PTOWSP_CANCELLED
				 : isa_walk_visited(program, args, arg_count, (struct isa_block){block, blocks}, &visitor, guard, error);
	*work_out = (struct aie_work){.emitted = aie_cost_call(working.work.emitted), .published = aie_cost_call(working.work.published)};
	return status;
}
