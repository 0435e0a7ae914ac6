/* SPDX-License-Identifier: MIT */
/* core_inst.c - instructions as moves on pipes: which pipe, how long, behind what. */
#include "ascend/core/core_move.h"

#include <stdlib.h>

/* latency is of one tile (`all` of what is counted); more takes longer, less does not take less. */
static uint64_t work(uint64_t latency, uint64_t count, uint64_t all)
{
	return count > all ? (latency * count + all - 1) / all : latency;
}

static void load_on(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst, enum ascend_side side, bool only)
{
	ascend_move_begin(k, side == ASCEND_ON_VECTOR ? ASCEND_PIPE_GM_UB : ASCEND_PIPE_GM_L1,
			  ascend_transfer(side == ASCEND_ON_VECTOR ? ASCEND_CORE_gm_ub : ASCEND_CORE_gm_l1, ascend_bytes_on(k, inst->d, side)));
	ascend_move_wait(k, ascend_param_time(k, inst->a, ASCEND_STORED));
	ascend_move_set(k, ascend_param_time(k, inst->a, ASCEND_LOADED));
	ascend_move_make(k, inst->d, side, only);
}

static void load(struct ascend_kernel *k, uint32_t i)
{
	if (k->at[i] & ASCEND_ON_VECTOR)
		load_on(k, &k->insts[i], ASCEND_ON_VECTOR, true);
	if (k->at[i] & ASCEND_ON_CUBE)
		load_on(k, &k->insts[i], ASCEND_ON_CUBE, !(k->at[i] & ASCEND_ON_VECTOR));
}

/* Behind what was loaded from there and stored there. */
static void store_behind(struct ascend_kernel *k, uint32_t param)
{
	ascend_move_wait(k, ascend_param_time(k, param, ASCEND_LOADED));
	ascend_move_wait(k, ascend_param_time(k, param, ASCEND_STORED));
}

static void store(struct ascend_kernel *k, uint32_t i)
{
	const struct ptowsp_tile_inst *inst = &k->insts[i];
	const enum ascend_side side = (enum ascend_side)k->at[i];
	const struct isa_uses u = isa_uses(inst);

	ascend_move_bring(k, &u, side);
	ascend_move_begin(k, side == ASCEND_ON_VECTOR ? ASCEND_PIPE_UB_GM : ASCEND_PIPE_L0C_OUT,
			  ascend_transfer(side == ASCEND_ON_VECTOR ? ASCEND_CORE_gm_ub : ASCEND_CORE_gm_l1, ascend_bytes_on(k, inst->a, side)));
	store_behind(k, inst->d);
	ascend_move_read(k, &u, side);
	ascend_move_set(k, ascend_param_time(k, inst->d, ASCEND_STORED));
}

/* A block of memory per element. */
static uint64_t scattered(const struct ascend_kernel *k, uint32_t tile)
{
	const uint64_t elements = (uint64_t)k->tiles[tile].rows * k->tiles[tile].columns;

	return ascend_transfer(ASCEND_CORE_gm_ub, (elements + k->vectors - 1) / k->vectors * ASCEND_CORE_gather_bytes);
}

static void gather(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	ascend_move_bring(k, &u, ASCEND_ON_VECTOR);
	ascend_move_begin(k, ASCEND_PIPE_GM_UB, scattered(k, inst->d));
	ascend_move_wait(k, ascend_param_time(k, inst->a, ASCEND_STORED));
	ascend_move_read(k, &u, ASCEND_ON_VECTOR);
	ascend_move_set(k, ascend_param_time(k, inst->a, ASCEND_LOADED));
	ascend_move_make(k, inst->d, ASCEND_ON_VECTOR, true);
}

static void scatter(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	ascend_move_bring(k, &u, ASCEND_ON_VECTOR);
	ascend_move_begin(k, ASCEND_PIPE_UB_GM, scattered(k, inst->a));
	store_behind(k, inst->d);
	ascend_move_read(k, &u, ASCEND_ON_VECTOR);
	ascend_move_set(k, ascend_param_time(k, inst->d, ASCEND_STORED));
}

/* A factor on its way to L0A or L0B; one that a product made lies in L0C and goes to L1 first. */
static void factor(struct ascend_kernel *k, uint32_t tile)
{
	const uint64_t cycles = ascend_transfer(ASCEND_CORE_l0, ascend_bytes_on(k, tile, ASCEND_ON_CUBE));

	if (k->homes[tile] >> ASCEND_MEMORY_L0C & 1) {
		ascend_move_begin(k, ASCEND_PIPE_L0C_OUT, cycles);
		ascend_move_wait_there(k, tile, ASCEND_ON_CUBE);
		ascend_move_set(k, ascend_time_there(tile, ASCEND_ON_CUBE));
	}
	ascend_move_begin(k, ASCEND_PIPE_L1_L0, cycles);
	ascend_move_wait_there(k, tile, ASCEND_ON_CUBE);
	ascend_move_set(k, ascend_time_read(tile, ASCEND_ON_CUBE));
}

static uint64_t product_cycles(const struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);
	unsigned left, right;
	const struct ptowsp_tile_tile *a;

	isa_shape_factors(isa_op(inst->op)->shape, &left, &right);
	a = &k->tiles[u.read[left]];
	return work(ASCEND_CORE_product, (uint64_t)a->rows * a->columns * k->tiles[u.read[right]].columns, ASCEND_CORE_tile_macs);
}

/* The factor brought to L0 last is there when its pipe is done. */
static void product(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	ascend_move_bring(k, &u, ASCEND_ON_CUBE);
	for (unsigned r = 0; r < u.read_count; r++)
		if (!ascend_is_sum(inst, r))
			factor(k, u.read[r]);
	ascend_move_begin(k, ASCEND_PIPE_CUBE, product_cycles(k, inst));
	ascend_move_wait(k, ASCEND_PIPE_L1_L0);
	if (ascend_is_sum(inst, 0)) {
		ascend_move_wait_there(k, u.read[0], ASCEND_ON_CUBE);
		ascend_move_set(k, ascend_time_read(u.read[0], ASCEND_ON_CUBE));
	}
	ascend_move_make(k, inst->d, ASCEND_ON_CUBE, true);
}

static bool is_activation(unsigned opcode)
{
	return opcode == PTOWSP_PTO_TRELU || opcode == PTOWSP_PTO_TLRELU || opcode == PTOWSP_PTO_TPRELU || opcode == PTOWSP_PTO_TSILU ||
	       opcode == PTOWSP_PTO_TTANH || opcode == PTOWSP_PTO_TSIGMOID || opcode == PTOWSP_PTO_TGELU;
}

static uint64_t vector_latency(const struct ptowsp_tile_inst *inst)
{
	const unsigned shape = isa_op(inst->op)->shape;

	if (inst->op == PTOWSP_PTO_TRESHAPE)
		return 0; /* another name for the same place */
	if (shape == ISA_SHAPE_ROW_REDUCE || shape == ISA_SHAPE_COL_REDUCE)
		return ASCEND_CORE_reduce;
	if (shape == ISA_SHAPE_SORT || shape == ISA_SHAPE_MERGE)
		return ASCEND_CORE_sort;
	if (is_activation(inst->op))
		return ASCEND_CORE_activation;
	return shape == ISA_SHAPE_SAME && !isa_op(inst->op)->operands[2] ? ASCEND_CORE_unary : ASCEND_CORE_binary;
}

/* By its largest tile. */
static uint64_t vector_cycles(const struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);
	uint64_t most = 0;

	for (unsigned n = 0; n < u.read_count + u.written_count; n++) {
		const uint64_t bytes = ascend_bytes_on(k, n < u.read_count ? u.read[n] : u.written[n - u.read_count], ASCEND_ON_VECTOR);

		most = bytes > most ? bytes : most;
	}
	return work(vector_latency(inst), most, ASCEND_CORE_tile_bytes);
}

static void vector(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	ascend_move_bring(k, &u, ASCEND_ON_VECTOR);
	ascend_move_begin(k, ASCEND_PIPE_VECTOR, vector_cycles(k, inst));
	ascend_move_read(k, &u, ASCEND_ON_VECTOR);
	for (unsigned w = 0; w < u.written_count; w++) {
		if (w) /* a move makes one tile */
			ascend_move_begin(k, ASCEND_PIPE_VECTOR, 0);
		ascend_move_make(k, u.written[w], ASCEND_ON_VECTOR, true);
	}
}

/* The scalar pipe in a tile of the vector core. */
static void element(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	ascend_move_bring(k, &u, ASCEND_ON_VECTOR);
	ascend_move_begin(k, ASCEND_PIPE_SCALAR, ASCEND_CORE_scalar);
	ascend_move_read(k, &u, ASCEND_ON_VECTOR);
	if (inst->op == PTOWSP_PTO_SETVAL)
		ascend_move_make(k, inst->d, ASCEND_ON_VECTOR, true);
}

/* On the way through L1. */
static void shape_on_cube(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	ascend_move_bring(k, &u, ASCEND_ON_CUBE);
	ascend_move_begin(k, ASCEND_PIPE_L1_L0,
			  inst->op == PTOWSP_PTO_TRESHAPE ? 0 : ascend_transfer(ASCEND_CORE_l0, ascend_bytes_on(k, inst->d, ASCEND_ON_CUBE)));
	ascend_move_read(k, &u, ASCEND_ON_CUBE);
	ascend_move_make(k, inst->d, ASCEND_ON_CUBE, true);
}

static void scalar_gm(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const bool is_load = inst->op == PTOWSP_PTO_LOAD;
	const uint32_t param = is_load ? inst->a : inst->d;

	ascend_move_begin(k, ASCEND_PIPE_SCALAR, ASCEND_CORE_scalar_gm);
	ascend_move_wait(k, ascend_param_time(k, param, ASCEND_STORED));
	if (!is_load)
		ascend_move_wait(k, ascend_param_time(k, param, ASCEND_LOADED));
	ascend_move_set(k, ascend_param_time(k, param, is_load ? ASCEND_LOADED : ASCEND_STORED));
}

static void inst_moves(struct ascend_kernel *k, uint32_t i)
{
	const struct ptowsp_tile_inst *inst = &k->insts[i];

	switch (ascend_role(inst)) {
	case ASCEND_ROLE_LOAD: load(k, i); break;
	case ASCEND_ROLE_STORE: store(k, i); break;
	case ASCEND_ROLE_GATHER: gather(k, inst); break;
	case ASCEND_ROLE_SCATTER: scatter(k, inst); break;
	case ASCEND_ROLE_PRODUCT: product(k, inst); break;
	case ASCEND_ROLE_SHAPE: (k->at[i] == ASCEND_ON_CUBE ? shape_on_cube : vector)(k, inst); break;
	case ASCEND_ROLE_VECTOR: vector(k, inst); break;
	case ASCEND_ROLE_ELEMENT: element(k, inst); break;
	case ASCEND_ROLE_SCALAR_GM: scalar_gm(k, inst); break;
	case ASCEND_ROLE_BARRIER: ascend_move_begin(k, ASCEND_PIPE_COUNT, 0); break;
	default:
		if (inst->op != PTOWSP_PTO_RETURN) /* the end is none */
			ascend_move_begin(k, ASCEND_PIPE_SCALAR, ASCEND_CORE_scalar);
		break;
	}
}

ptowsp_status ascend_kernel_moves(struct ascend_kernel *k)
{
	ptowsp_status status = ascend_rooms_make(k);

	k->first = calloc(k->inst_count + 1u, sizeof(*k->first));
	if (!k->first)
		status = PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; !status && i < k->inst_count; i++) {
		k->first[i] = k->move_count;
		inst_moves(k, i);
	}
	if (!status)
		k->first[k->inst_count] = k->move_count;
	free(k->rooms[0]);
	free(k->rooms[1]);
	k->rooms[0] = k->rooms[1] = NULL;
	return status ? status : k->failed ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}
