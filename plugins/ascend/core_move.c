/* SPDX-License-Identifier: MIT */
/* core_move.c - instructions as moves on pipes: which pipe, how long, behind what. */
#include "ascend/core_kernel.h"

#include <stdlib.h>

#include "isa/opcode.h"

/* Lists grow by half; after a failure nothing more is added. */
static bool grow(void **rows, uint32_t *room, uint32_t count, size_t size)
{
	const uint32_t more = count + count / 2 + 64;
	void *moved;

	if (count < *room)
		return true;
	if (more < count)
		return false;
	moved = realloc(*rows, more * size);
	if (!moved)
		return false;
	*rows = moved;
	*room = more;
	return true;
}

static void begin(struct ascend_kernel *k, unsigned pipe, uint64_t cycles)
{
	void *rows = k->moves;

	k->failed |= !grow(&rows, &k->move_room, k->move_count, sizeof(*k->moves));
	k->moves = rows;
	if (!k->failed)
		k->moves[k->move_count++] = (struct ascend_move){
			.cycles = cycles, .pipe = (uint8_t)pipe, .wait = k->time_count, .tile = ASCEND_NO_TILE};
}

static void time_add(struct ascend_kernel *k, uint32_t time)
{
	void *rows = k->times;

	k->failed |= !grow(&rows, &k->time_room, k->time_count, sizeof(*k->times));
	k->times = rows;
	if (!k->failed)
		k->times[k->time_count++] = time;
}

/* Of the last move: first all waits, then all sets. */
static void wait_for(struct ascend_kernel *k, uint32_t time)
{
	time_add(k, time);
	if (!k->failed)
		k->moves[k->move_count - 1].waits++;
}

static void sets(struct ascend_kernel *k, uint32_t time)
{
	struct ascend_move *m;

	if (k->failed)
		return;
	m = &k->moves[k->move_count - 1];
	if (!m->sets)
		m->set = k->time_count;
	time_add(k, time);
	m->sets++;
}

static uint32_t there(uint32_t tile, enum ascend_side side)
{
	return ascend_tile_time(tile, side == ASCEND_ON_VECTOR ? ASCEND_THERE_VECTOR : ASCEND_THERE_CUBE);
}

static uint32_t read_last(uint32_t tile, enum ascend_side side)
{
	return ascend_tile_time(tile, side == ASCEND_ON_VECTOR ? ASCEND_READ_VECTOR : ASCEND_READ_CUBE);
}

static uint32_t between(uint32_t tile)
{
	return ascend_tile_time(tile, ASCEND_BETWEEN);
}

/* Bytes of a tile that one core of this side has to do with. */
static uint64_t bytes_on(const struct ascend_kernel *k, uint32_t tile, enum ascend_side side)
{
	const uint64_t bytes = ascend_tile_bytes(k, tile);

	return side == ASCEND_ON_VECTOR ? (bytes + k->vectors - 1) / k->vectors : bytes;
}

static uint64_t transfer(uint64_t latency, uint64_t bytes)
{
	return latency + bytes / ASCEND_CORE_move_bytes;
}

/* latency is of one tile (`all` of what is counted); more takes longer, less does not take less. */
static uint64_t work(uint64_t latency, uint64_t count, uint64_t all)
{
	return count > all ? (latency * count + all - 1) / all : latency;
}

static void waits_there(struct ascend_kernel *k, uint32_t tile, enum ascend_side side)
{
	wait_for(k, there(tile, side));
}

/* The last move writes the tile: until nobody needs what lies in its place. */
static void makes(struct ascend_kernel *k, uint32_t tile, enum ascend_side side, bool only)
{
	const uint32_t *rooms = k->rooms[side == ASCEND_ON_CUBE];
	struct ascend_move *m;

	sets(k, there(tile, side));
	if (k->failed)
		return;
	m = &k->moves[k->move_count - 1];
	m->room = rooms[tile];
	m->rooms = (uint16_t)(rooms[tile + 1] - rooms[tile]);
	m->tile = tile;
	m->makes = (uint8_t)(side | (only ? ASCEND_ONLY : 0));
}

static void only_if_lacking(struct ascend_kernel *k, uint32_t tile, enum ascend_side side)
{
	if (k->failed)
		return;
	k->moves[k->move_count - 1].tile = tile;
	k->moves[k->move_count - 1].lacks = (uint8_t)side;
}

/* A tile is about to be read on a side: by way of global memory, if it is not there. */
static void bring(struct ascend_kernel *k, uint32_t tile, enum ascend_side side)
{
	const enum ascend_side from = side == ASCEND_ON_VECTOR ? ASCEND_ON_CUBE : ASCEND_ON_VECTOR;
	const bool to_vector = side == ASCEND_ON_VECTOR;
	const uint64_t out = to_vector ? ASCEND_CORE_gm_l1 : ASCEND_CORE_gm_ub, in = to_vector ? ASCEND_CORE_gm_ub : ASCEND_CORE_gm_l1;

	if (!(k->made[tile] & from))
		return;
	begin(k, to_vector ? ASCEND_PIPE_L0C_OUT : ASCEND_PIPE_UB_GM, transfer(out, bytes_on(k, tile, from)));
	waits_there(k, tile, from);
	wait_for(k, between(tile));
	sets(k, read_last(tile, from));
	sets(k, between(tile));
	only_if_lacking(k, tile, side);
	begin(k, to_vector ? ASCEND_PIPE_GM_UB : ASCEND_PIPE_GM_L1, transfer(in, bytes_on(k, tile, side)));
	wait_for(k, between(tile));
	sets(k, between(tile));
	makes(k, tile, side, false);
	only_if_lacking(k, tile, side);
}

/* The last move reads these tiles. */
static void reads(struct ascend_kernel *k, const struct isa_uses *u, enum ascend_side side)
{
	for (unsigned r = 0; r < u->read_count; r++)
		waits_there(k, u->read[r], side);
	for (unsigned r = 0; r < u->read_count; r++)
		sets(k, read_last(u->read[r], side));
}

static void bring_all(struct ascend_kernel *k, const struct isa_uses *u, enum ascend_side side)
{
	for (unsigned r = 0; r < u->read_count; r++)
		bring(k, u->read[r], side);
}

static void load_on(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst, enum ascend_side side, bool only)
{
	begin(k, side == ASCEND_ON_VECTOR ? ASCEND_PIPE_GM_UB : ASCEND_PIPE_GM_L1,
	      transfer(side == ASCEND_ON_VECTOR ? ASCEND_CORE_gm_ub : ASCEND_CORE_gm_l1, bytes_on(k, inst->d, side)));
	wait_for(k, ascend_param_time(k, inst->a, ASCEND_STORED));
	sets(k, ascend_param_time(k, inst->a, ASCEND_LOADED));
	makes(k, inst->d, side, only);
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
	wait_for(k, ascend_param_time(k, param, ASCEND_LOADED));
	wait_for(k, ascend_param_time(k, param, ASCEND_STORED));
}

static void store(struct ascend_kernel *k, uint32_t i)
{
	const struct ptowsp_tile_inst *inst = &k->insts[i];
	const enum ascend_side side = (enum ascend_side)k->at[i];
	const struct isa_uses u = isa_uses(inst);

	bring_all(k, &u, side);
	begin(k, side == ASCEND_ON_VECTOR ? ASCEND_PIPE_UB_GM : ASCEND_PIPE_L0C_OUT,
	      transfer(side == ASCEND_ON_VECTOR ? ASCEND_CORE_gm_ub : ASCEND_CORE_gm_l1, bytes_on(k, inst->a, side)));
	store_behind(k, inst->d);
	reads(k, &u, side);
	sets(k, ascend_param_time(k, inst->d, ASCEND_STORED));
}

/* A block of memory per element. */
static uint64_t scattered(const struct ascend_kernel *k, uint32_t tile)
{
	const uint64_t elements = (uint64_t)k->tiles[tile].rows * k->tiles[tile].columns;

	return transfer(ASCEND_CORE_gm_ub, (elements + k->vectors - 1) / k->vectors * ASCEND_CORE_gather_bytes);
}

static void gather(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	bring_all(k, &u, ASCEND_ON_VECTOR);
	begin(k, ASCEND_PIPE_GM_UB, scattered(k, inst->d));
	wait_for(k, ascend_param_time(k, inst->a, ASCEND_STORED));
	reads(k, &u, ASCEND_ON_VECTOR);
	sets(k, ascend_param_time(k, inst->a, ASCEND_LOADED));
	makes(k, inst->d, ASCEND_ON_VECTOR, true);
}

static void scatter(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	bring_all(k, &u, ASCEND_ON_VECTOR);
	begin(k, ASCEND_PIPE_UB_GM, scattered(k, inst->a));
	store_behind(k, inst->d);
	reads(k, &u, ASCEND_ON_VECTOR);
	sets(k, ascend_param_time(k, inst->d, ASCEND_STORED));
}

/* A factor on its way to L0A or L0B; one that a product made lies in L0C and goes to L1 first. */
static void factor(struct ascend_kernel *k, uint32_t tile)
{
	const uint64_t cycles = transfer(ASCEND_CORE_l0, bytes_on(k, tile, ASCEND_ON_CUBE));

	if (k->homes[tile] >> ASCEND_MEMORY_L0C & 1) {
		begin(k, ASCEND_PIPE_L0C_OUT, cycles);
		waits_there(k, tile, ASCEND_ON_CUBE);
		sets(k, there(tile, ASCEND_ON_CUBE));
	}
	begin(k, ASCEND_PIPE_L1_L0, cycles);
	waits_there(k, tile, ASCEND_ON_CUBE);
	sets(k, read_last(tile, ASCEND_ON_CUBE));
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

/* What was brought to L0 last is brought when its pipe is done. */
static void product(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	bring_all(k, &u, ASCEND_ON_CUBE);
	for (unsigned r = 0; r < u.read_count; r++)
		if (!ascend_is_sum(inst, r))
			factor(k, u.read[r]);
	begin(k, ASCEND_PIPE_CUBE, product_cycles(k, inst));
	wait_for(k, ASCEND_PIPE_L1_L0);
	if (ascend_is_sum(inst, 0)) {
		waits_there(k, u.read[0], ASCEND_ON_CUBE);
		sets(k, read_last(u.read[0], ASCEND_ON_CUBE));
	}
	makes(k, inst->d, ASCEND_ON_CUBE, true);
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
		const uint64_t bytes = bytes_on(k, n < u.read_count ? u.read[n] : u.written[n - u.read_count], ASCEND_ON_VECTOR);

		most = bytes > most ? bytes : most;
	}
	return work(vector_latency(inst), most, ASCEND_CORE_tile_bytes);
}

static void vector(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	bring_all(k, &u, ASCEND_ON_VECTOR);
	begin(k, ASCEND_PIPE_VECTOR, vector_cycles(k, inst));
	reads(k, &u, ASCEND_ON_VECTOR);
	for (unsigned w = 0; w < u.written_count; w++) {
		if (w) /* a move makes one tile */
			begin(k, ASCEND_PIPE_VECTOR, 0);
		makes(k, u.written[w], ASCEND_ON_VECTOR, true);
	}
}

/* The scalar pipe in a tile of the vector core. */
static void element(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	bring_all(k, &u, ASCEND_ON_VECTOR);
	begin(k, ASCEND_PIPE_SCALAR, ASCEND_CORE_scalar);
	reads(k, &u, ASCEND_ON_VECTOR);
	if (inst->op == PTOWSP_PTO_SETVAL)
		makes(k, inst->d, ASCEND_ON_VECTOR, true);
}

/* On the way through L1. */
static void shape_on_cube(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses u = isa_uses(inst);

	bring_all(k, &u, ASCEND_ON_CUBE);
	begin(k, ASCEND_PIPE_L1_L0,
	      inst->op == PTOWSP_PTO_TRESHAPE ? 0 : transfer(ASCEND_CORE_l0, bytes_on(k, inst->d, ASCEND_ON_CUBE)));
	reads(k, &u, ASCEND_ON_CUBE);
	makes(k, inst->d, ASCEND_ON_CUBE, true);
}

static void scalar_gm(struct ascend_kernel *k, const struct ptowsp_tile_inst *inst)
{
	const bool is_load = inst->op == PTOWSP_PTO_LOAD;
	const uint32_t param = is_load ? inst->a : inst->d;

	begin(k, ASCEND_PIPE_SCALAR, ASCEND_CORE_scalar_gm);
	wait_for(k, ascend_param_time(k, param, ASCEND_STORED));
	if (!is_load)
		wait_for(k, ascend_param_time(k, param, ASCEND_LOADED));
	sets(k, ascend_param_time(k, param, is_load ? ASCEND_LOADED : ASCEND_STORED));
}

static void inst_moves(struct ascend_kernel *k, uint32_t i)
{
	const struct ptowsp_tile_inst *inst = &k->insts[i];

	switch (ascend_role(inst)) {
	case ASCEND_ROLE_LOAD:
		load(k, i);
		break;
	case ASCEND_ROLE_STORE:
		store(k, i);
		break;
	case ASCEND_ROLE_GATHER:
		gather(k, inst);
		break;
	case ASCEND_ROLE_SCATTER:
		scatter(k, inst);
		break;
	case ASCEND_ROLE_PRODUCT:
		product(k, inst);
		break;
	case ASCEND_ROLE_SHAPE:
		if (k->at[i] == ASCEND_ON_CUBE)
			shape_on_cube(k, inst);
		else
			vector(k, inst);
		break;
	case ASCEND_ROLE_VECTOR:
		vector(k, inst);
		break;
	case ASCEND_ROLE_ELEMENT:
		element(k, inst);
		break;
	case ASCEND_ROLE_SCALAR_GM:
		scalar_gm(k, inst);
		break;
	case ASCEND_ROLE_BARRIER:
		begin(k, ASCEND_PIPE_COUNT, 0);
		break;
	default:
		if (inst->op != PTOWSP_PTO_RETURN) /* the end is none */
			begin(k, ASCEND_PIPE_SCALAR, ASCEND_CORE_scalar);
		break;
	}
}

static bool overlap(const struct ascend_kernel *k, enum ascend_memory m, uint32_t a, uint32_t b)
{
	const uint32_t *at = k->places[m];

	if (!at || !(k->homes[a] >> m & 1) || !(k->homes[b] >> m & 1))
		return false;
	return at[a] < at[b] + ascend_tile_bytes(k, b) && at[b] < at[a] + ascend_tile_bytes(k, a);
}

/* Whose place on this side is, in part, that of the tile: first its own. */
static void room_make(struct ascend_kernel *k, uint32_t tile, enum ascend_side side)
{
	time_add(k, there(tile, side));
	time_add(k, read_last(tile, side));
	for (uint32_t t = 0; t < k->tile_count; t++)
		if (t != tile && (side == ASCEND_ON_VECTOR ? overlap(k, ASCEND_MEMORY_UB, tile, t)
							: overlap(k, ASCEND_MEMORY_L1, tile, t) || overlap(k, ASCEND_MEMORY_L0C, tile, t))) {
			time_add(k, there(t, side));
			time_add(k, read_last(t, side));
		}
}

static bool is_shared(const struct ascend_kernel *k)
{
	return k->places[ASCEND_MEMORY_UB] || k->places[ASCEND_MEMORY_L1] || k->places[ASCEND_MEMORY_L0C];
}

/* A list per tile and side, one behind the other: short ones unless places are shared, then of 1024 tiles at most (live.c). */
static ptowsp_status rooms_make(struct ascend_kernel *k)
{
	static const enum ascend_side sides[2] = {ASCEND_ON_VECTOR, ASCEND_ON_CUBE};

	for (int s = 0; s < 2; s++) {
		k->rooms[s] = calloc(k->tile_count + 1u, sizeof(*k->rooms[s]));
		if (!k->rooms[s])
			return PTOWSP_NO_MEMORY;
		for (uint32_t t = 0; t < k->tile_count; t++) {
			k->rooms[s][t] = k->time_count;
			if (is_shared(k)) {
				room_make(k, t, sides[s]);
			} else {
				time_add(k, there(t, sides[s]));
				time_add(k, read_last(t, sides[s]));
			}
		}
		k->rooms[s][k->tile_count] = k->time_count;
	}
	return k->failed ? PTOWSP_NO_MEMORY : PTOWSP_OK;
}

ptowsp_status ascend_kernel_moves(struct ascend_kernel *k)
{
	ptowsp_status status = rooms_make(k);

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
