/* SPDX-License-Identifier: MIT */
/* core_side.c - which of the two cores does an instruction, and where a tile is needed. */
#include "ascend/core/core_kernel.h"

#include <stdlib.h>

#include "isa/opcode.h"

static bool is_product(unsigned shape)
{
	return shape >= ISA_SHAPE_MATMUL && shape <= ISA_SHAPE_MATMUL_MX;
}

enum ascend_role ascend_role(const struct ptowsp_tile_inst *inst)
{
	switch (inst->op) {
	case PTOWSP_PTO_TLOAD: return ASCEND_ROLE_LOAD;
	case PTOWSP_PTO_TSTORE:
	case PTOWSP_PTO_TSTORE_FP: return ASCEND_ROLE_STORE;
	case PTOWSP_PTO_MGATHER: return ASCEND_ROLE_GATHER;
	case PTOWSP_PTO_MSCATTER: return ASCEND_ROLE_SCATTER;
	case PTOWSP_PTO_GETVAL:
	case PTOWSP_PTO_SETVAL: return ASCEND_ROLE_ELEMENT;
	case PTOWSP_PTO_LOAD:
	case PTOWSP_PTO_STORE: return ASCEND_ROLE_SCALAR_GM;
	case PTOWSP_PTO_TSYNC: return ASCEND_ROLE_BARRIER;
	case PTOWSP_PTO_TTRANS:
	case PTOWSP_PTO_TRESHAPE:
	case PTOWSP_PTO_TMOV:
	case PTOWSP_PTO_TEXTRACT:
	case PTOWSP_PTO_TEXPANDS: return ASCEND_ROLE_SHAPE;
	default:
		if (is_product(isa_op(inst->op)->shape))
			return ASCEND_ROLE_PRODUCT;
		return inst->op >= PTOWSP_PTO_ADD || inst->op == PTOWSP_PTO_TASSIGN ? ASCEND_ROLE_SCALAR : ASCEND_ROLE_VECTOR;
	}
}

bool ascend_is_sum(const struct ptowsp_tile_inst *inst, unsigned read)
{
	return inst->op == PTOWSP_PTO_TMATMUL_ACC && read == 0;
}

/* Roles with one side for their tiles whatever the others do. */
static void side_fixed(struct ascend_kernel *k, uint32_t i)
{
	const struct isa_uses u = isa_uses(&k->insts[i]);
	const enum ascend_role role = ascend_role(&k->insts[i]);
	uint8_t side = ASCEND_ON_VECTOR;

	if (role == ASCEND_ROLE_PRODUCT)
		side = ASCEND_ON_CUBE;
	else if (role != ASCEND_ROLE_VECTOR && role != ASCEND_ROLE_ELEMENT && role != ASCEND_ROLE_GATHER && role != ASCEND_ROLE_SCATTER)
		return;
	k->at[i] = side;
	k->has_product |= side == ASCEND_ON_CUBE;
	k->has_vector |= side == ASCEND_ON_VECTOR;
	for (unsigned r = 0; r < u.read_count; r++)
		k->sides[u.read[r]] |= side;
	for (unsigned w = 0; w < u.written_count; w++)
		k->made[u.written[w]] |= side;
}

/* The side of tiles needed nowhere, and of copies from memory to memory. */
static uint8_t side_else(const struct ascend_kernel *k)
{
	return k->unit == PTOWSP_UNIT_AIC ? ASCEND_ON_CUBE : ASCEND_ON_VECTOR;
}

/* A tile is stored from where it is made, if that is one core. */
static uint8_t side_of_store(const struct ascend_kernel *k, uint32_t tile)
{
	if (k->made[tile])
		return k->made[tile] & ASCEND_ON_VECTOR ? ASCEND_ON_VECTOR : ASCEND_ON_CUBE;
	return k->sides[tile] == ASCEND_ON_CUBE ? ASCEND_ON_CUBE : k->sides[tile] ? ASCEND_ON_VECTOR : side_else(k);
}

/* A result is made where it is needed, on the vector core if on both. 0: not yet known. */
static uint8_t side_of_shape(const struct ascend_kernel *k, uint32_t i)
{
	const uint8_t side = k->sides[k->insts[i].d];

	return side & ASCEND_ON_VECTOR ? ASCEND_ON_VECTOR : side;
}

/* One round over instructions of a role; true if something became needed that was not. late: what is needed nowhere has a side, too. */
static bool side_spread(struct ascend_kernel *k, enum ascend_role role, bool late)
{
	bool changed = false;

	for (uint32_t i = k->inst_count; i-- > 0;) {
		const struct ptowsp_tile_inst *inst = &k->insts[i];
		const struct isa_uses u = isa_uses(inst);
		uint8_t side;

		if (ascend_role(inst) != role)
			continue;
		side = role == ASCEND_ROLE_STORE ? side_of_store(k, inst->a) : side_of_shape(k, i);
		if (!side && late)
			side = side_else(k);
		for (unsigned r = 0; r < u.read_count; r++) {
			changed |= (k->sides[u.read[r]] | side) != k->sides[u.read[r]];
			k->sides[u.read[r]] |= side;
		}
		k->at[i] = side;
	}
	return changed;
}

static void side_rounds(struct ascend_kernel *k, enum ascend_role role, bool late)
{
	while (side_spread(k, role, late))
		;
}

static void side_find(struct ascend_kernel *k)
{
	for (uint32_t i = 0; i < k->inst_count; i++)
		side_fixed(k, i);
	for (uint32_t t = 0; t < k->tile_count; t++)
		if (k->tiles[t].space == PTOWSP_SPACE_L1)
			k->sides[t] |= ASCEND_ON_CUBE;
	do {
		side_rounds(k, ASCEND_ROLE_SHAPE, false);
		side_rounds(k, ASCEND_ROLE_STORE, false);
	} while (side_spread(k, ASCEND_ROLE_SHAPE, false));
	side_rounds(k, ASCEND_ROLE_SHAPE, true);
}

/* Sides where loads and shapes make tiles. */
static void side_finish(struct ascend_kernel *k)
{
	for (uint32_t i = 0; i < k->inst_count; i++) {
		const struct ptowsp_tile_inst *inst = &k->insts[i];
		const enum ascend_role role = ascend_role(inst);

		if (role == ASCEND_ROLE_LOAD)
			k->at[i] = k->sides[inst->d] ? k->sides[inst->d] : side_else(k);
		if (role == ASCEND_ROLE_SHAPE)
			k->has_vector |= k->at[i] == ASCEND_ON_VECTOR;
		if (role == ASCEND_ROLE_LOAD || role == ASCEND_ROLE_SHAPE)
			k->made[inst->d] |= k->at[i];
	}
}

static unsigned unit_of(const struct ascend_kernel *k)
{
	if (k->unit == PTOWSP_UNIT_AIC || k->unit == PTOWSP_UNIT_AIV || k->unit == PTOWSP_UNIT_AIC_AIV)
		return k->unit;
	return !k->has_product ? PTOWSP_UNIT_AIV : k->has_vector ? PTOWSP_UNIT_AIC_AIV : PTOWSP_UNIT_AIC;
}

ptowsp_status ascend_kernel_sides(struct ascend_kernel *k, unsigned unit)
{
	k->sides = calloc(k->tile_count + 1u, sizeof(*k->sides));
	k->made = calloc(k->tile_count + 1u, sizeof(*k->made));
	k->at = calloc(k->inst_count + 1u, sizeof(*k->at));
	if (!k->sides || !k->made || !k->at)
		return PTOWSP_NO_MEMORY;
	k->unit = unit;
	side_find(k);
	side_finish(k);
	k->unit = unit_of(k);
	k->vectors = k->unit == PTOWSP_UNIT_AIC_AIV ? k->arch->vectors_each : 1;
	return PTOWSP_OK;
}
