/* SPDX-License-Identifier: MIT */
/* flow.c - what a program's control flow and addresses depend on, which loops have a closed form, which tiles may be read
 * before they are written. */
#include "isa/isa_program.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 64 };

/* Scalars that decide where the program goes or what it touches in memory. Offsets inside a tile are neither. */
static unsigned steering(const struct isa_program *p, const struct ptowsp_tile_inst *inst)
{
	const uint8_t *t = p->taint;

	switch (inst->op) {
	case PTOWSP_PTO_FOR: return t[inst->a] | t[inst->b] | t[inst->c];
	case PTOWSP_PTO_DO:
	case PTOWSP_PTO_IF: return t[inst->a];
	case PTOWSP_PTO_TLOAD: return t[inst->b] | t[inst->c];
	case PTOWSP_PTO_TSTORE: return t[inst->b] | t[inst->c];
	case PTOWSP_PTO_TSTORE_FP: return t[inst->c] | t[inst->f];
	case PTOWSP_PTO_LOAD:
	case PTOWSP_PTO_STORE: return t[inst->b];
	default: return 0;
	}
}

/* Taint that the instruction brings to the scalar it writes. */
static unsigned inst_taint(const struct isa_program *p, const struct ptowsp_tile_inst *inst, const char *operands)
{
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(isa_op(inst->op), inst, rows);
	unsigned taint = 0;

	if (inst->op == PTOWSP_PTO_GETVAL || inst->op == PTOWSP_PTO_LOAD)
		return ISA_TAINT_DATA;
	for (unsigned k = 0; k < count; k++)
		if (operands[k] == 's')
			taint |= p->taint[rows[k]];
	return taint;
}

/* Any write anywhere counts: a scalar is as tainted as the worst value it ever holds. Writes under a tainted
 * condition need no care: the condition itself has already decided the question for the whole program. A chain that was
 * written backwards would need a round per link; after some rounds everything is taken for tainted. */
static void taint_spread(struct isa_program *p)
{
	bool changed = true;

	for (unsigned round = 0; changed; round++) {
		changed = false;
		if (round == ROUNDS_MAX) {
			memset(p->taint, ISA_TAINT_ARG | ISA_TAINT_DATA | ISA_TAINT_BLOCK, p->header.scalar_count);
			return;
		}
		for (uint32_t i = 0; i < p->header.inst_count; i++) {
			const struct ptowsp_tile_inst *inst = &p->insts[i];
			const char *operands = isa_op(inst->op)->operands;
			unsigned taint;

			if (operands[0] != 'S')
				continue;
			taint = inst_taint(p, inst, operands) | p->taint[inst->d];
			changed |= taint != p->taint[inst->d];
			p->taint[inst->d] = (uint8_t)taint;
		}
	}
}

static ptowsp_status taint_find(struct isa_program *p)
{
	unsigned seen = 0;

	p->taint = calloc(p->header.scalar_count + 1u, sizeof(*p->taint));
	if (!p->taint)
		return PTOWSP_NO_MEMORY;
	for (uint32_t i = 0; i < p->arg_count; i++)
		p->taint[p->arg_rows[i]] = ISA_TAINT_ARG;
	for (uint32_t i = 0; p->of_blocks && i < p->header.scalar_count; i++)
		if (p->scalars[i].kind >= PTOWSP_SCALAR_BLOCK)
			p->taint[i] = ISA_TAINT_BLOCK;
	taint_spread(p);
	for (uint32_t i = 0; i < p->header.inst_count; i++)
		seen |= steering(p, &p->insts[i]);
	p->varies = seen & ISA_TAINT_ARG;
	p->data_dependent = seen & ISA_TAINT_DATA;
	p->by_block = p->of_blocks && seen & ISA_TAINT_BLOCK;
	return PTOWSP_OK;
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* A body without control and without a scalar result does the same every time, if the loop's variable is not also its step (a
 * loop that is its own bound never enters). Each body is read once up to its first inner control instruction. */
static void loop_flatten(struct isa_program *p, uint32_t start)
{
	const struct ptowsp_tile_inst *inst = &p->insts[start];
	struct isa_step *loop = &p->steps[start];
	uint64_t cost = 0;
	uint32_t i = start + 1;

	if (inst->d == inst->c)
		return;
	for (; !isa_op_is_control(p->insts[i].op); i++) {
		if (isa_op(p->insts[i].op)->operands[0] == 'S')
			return;
		cost = add_saturated(cost, p->steps[i].cost);
	}
	if (p->insts[i].op != PTOWSP_PTO_ENDFOR)
		return;
	loop->flat = i - start;
	loop->round_cost = cost;
}

/* Definite assignment over structured control. A tile written in a block is written for the rest of that block and of what it
 * contains: jumps only leave blocks. */
struct definite {
	uint32_t stack[ISA_NESTING_MAX + 1]; /* open blocks, the outermost is 0 */
	uint32_t depth, next;
	uint32_t *block; /* per tile: where it was written, plus 1; 0 never */
	bool *open;      /* per block */
	bool *zero;      /* per tile: read before that */
};

static void block_enter(struct definite *f)
{
	f->stack[++f->depth] = ++f->next;
	f->open[f->next] = true;
}

static void block_leave(struct definite *f)
{
	f->open[f->stack[f->depth--]] = false;
}

static bool written(const struct definite *f, uint16_t tile)
{
	return f->block[tile] && f->open[f->block[tile] - 1];
}

/* Partial writes (setval, tscatter) also read; tassign does neither. */
static void tile_use(struct definite *f, unsigned opcode, char letter, uint16_t tile)
{
	const bool partial = opcode == PTOWSP_PTO_SETVAL || opcode == PTOWSP_PTO_TSCATTER;

	if (opcode == PTOWSP_PTO_TASSIGN || (letter != 'T' && letter != 't'))
		return;
	if ((letter == 't' || partial) && !written(f, tile))
		f->zero[tile] = true;
	if (letter == 'T' && !written(f, tile))
		f->block[tile] = f->stack[f->depth] + 1;
}

static void inst_use(struct definite *f, const struct ptowsp_tile_inst *inst)
{
	const char *letters = isa_op(inst->op)->operands;
	uint16_t rows[ISA_OPERANDS_MAX];
	const unsigned count = isa_op_operands(isa_op(inst->op), inst, rows);

	for (unsigned k = 0; k < count; k++) /* sources before destinations */
		if (letters[k] == 't')
			tile_use(f, inst->op, letters[k], rows[k]);
	for (unsigned k = 0; k < count; k++)
		if (letters[k] == 'T')
			tile_use(f, inst->op, letters[k], rows[k]);
}

static void insts_use(struct definite *f, const struct isa_program *p)
{
	for (uint32_t i = 0; i < p->header.inst_count; i++)
		switch (p->insts[i].op) {
		case PTOWSP_PTO_FOR:
		case PTOWSP_PTO_WHILE:
		case PTOWSP_PTO_IF: block_enter(f); break;
		case PTOWSP_PTO_ELSE:
			block_leave(f);
			block_enter(f);
			break;
		case PTOWSP_PTO_ENDFOR:
		case PTOWSP_PTO_ENDWHILE:
		case PTOWSP_PTO_ENDIF: block_leave(f); break;
		default: inst_use(f, &p->insts[i]); break;
		}
}

static ptowsp_status zero_find(struct isa_program *p)
{
	const uint32_t tiles = p->header.tile_count;
	struct definite f = {.depth = 0};
	ptowsp_status status = PTOWSP_NO_MEMORY;

	f.block = calloc(tiles + 1u, sizeof(*f.block));
	f.zero = calloc(tiles + 1u, sizeof(*f.zero));
	f.open = calloc(p->header.inst_count + 1u, sizeof(*f.open));
	p->zero_tiles = calloc(tiles + 1u, sizeof(*p->zero_tiles));
	if (f.block && f.zero && f.open && p->zero_tiles) {
		f.open[0] = true;
		insts_use(&f, p);
		for (uint32_t i = 0; i < tiles; i++)
			if (f.zero[i])
				p->zero_tiles[p->zero_count++] = i;
		status = PTOWSP_OK;
	}
	free(f.block);
	free(f.zero);
	free(f.open);
	return status;
}

ptowsp_status isa_flow(struct isa_program *p, struct ptowsp_error *error)
{
	ptowsp_status status = taint_find(p);

	if (!status)
		status = zero_find(p);
	if (status)
		return isa_error(error, status, "no memory for a tile program");
	for (uint32_t i = 0; i < p->header.inst_count; i++)
		if (p->insts[i].op == PTOWSP_PTO_FOR)
			loop_flatten(p, i);
	return PTOWSP_OK;
}
