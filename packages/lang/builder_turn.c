/* SPDX-License-Identifier: MIT */
/* builder_turn.c - loops and branches of portable kernels. */
#include "lang/build.h"

#include "isa/isa.h"

static struct build_turn *turn_open(struct ptowsp_build *b, unsigned op)
{
	struct build_turn *turn = &b->body.turns[b->body.depth];

	if (b->body.depth == PTOWSP_NESTING_LIMIT)
		build_refuse(b, "loops and branches nest at most %u deep", PTOWSP_NESTING_LIMIT);
	b->body.depth++;
	*turn = (struct build_turn){.op = (uint8_t)op, .head = b->body.code->inst_count - 1};
	return turn;
}

static struct build_turn *turn_of(struct ptowsp_build *b, unsigned op, const char *mnemonic)
{
	struct build_turn *turn = b->body.depth ? &b->body.turns[b->body.depth - 1] : NULL;

	if (!turn || turn->op != op)
		build_refuse(b, "%s without its %s", mnemonic, isa_op(op)->mnemonic);
	return turn;
}

/* BREAK and CONTINUE belong to the innermost loop. */
static void leave(struct ptowsp_build *b, struct ptowsp_tile_inst *inst, const char *mnemonic)
{
	uint32_t at = b->body.depth, *chain;

	while (at && b->body.turns[at - 1].op == PTOWSP_PTO_IF)
		at--;
	if (!at)
		build_refuse(b, "%s outside a loop", mnemonic);
	chain = inst->op == PTOWSP_PTO_BREAK ? &b->body.turns[at - 1].breaks : &b->body.turns[at - 1].continues;
	inst->target = *chain;
	*chain = b->body.code->inst_count;
}

static void turn_middle(struct ptowsp_build *b, unsigned op, const char *mnemonic)
{
	struct build_turn *turn = turn_of(b, op, mnemonic);

	if (turn->turned)
		build_refuse(b, "the second %s of one %s", mnemonic, isa_op(op)->mnemonic);
	turn->turned = 1;
	turn->turn = b->body.code->inst_count - 1;
}

static void loop_end(struct ptowsp_build *b, unsigned op, const char *mnemonic)
{
	struct lang_tile_code *code = b->body.code;
	struct build_turn *turn = turn_of(b, op, mnemonic);
	uint32_t last = code->inst_count - 1;

	code->insts[last].target = turn->head;
	if (op == PTOWSP_PTO_FOR)
		code->insts[turn->head].target = last + 1;
	else if (turn->turned)
		code->insts[turn->turn].target = last + 1;
	else
		build_refuse(b, "a WHILE has a DO in front of its ENDWHILE");
	lang_tile_chain_resolve(code, turn->breaks, last + 1);
	lang_tile_chain_resolve(code, turn->continues, last);
	b->body.depth--;
}

static void if_end(struct ptowsp_build *b, const char *mnemonic)
{
	struct lang_tile_code *code = b->body.code;
	struct build_turn *turn = turn_of(b, PTOWSP_PTO_IF, mnemonic);
	uint32_t last = code->inst_count - 1;

	code->insts[turn->head].target = turn->turned ? turn->turn + 1 : last;
	if (turn->turned)
		code->insts[turn->turn].target = last;
	b->body.depth--;
}

void build_tile_control(struct ptowsp_build *b, struct ptowsp_tile_inst *inst, const char *mnemonic)
{
	switch (inst->op) {
	case PTOWSP_PTO_FOR:
	case PTOWSP_PTO_WHILE:
	case PTOWSP_PTO_IF:
		turn_open(b, inst->op);
		break;
	case PTOWSP_PTO_DO:
		turn_middle(b, PTOWSP_PTO_WHILE, mnemonic);
		break;
	case PTOWSP_PTO_ELSE:
		turn_middle(b, PTOWSP_PTO_IF, mnemonic);
		break;
	case PTOWSP_PTO_ENDFOR:
		loop_end(b, PTOWSP_PTO_FOR, mnemonic);
		break;
	case PTOWSP_PTO_ENDWHILE:
		loop_end(b, PTOWSP_PTO_WHILE, mnemonic);
		break;
	case PTOWSP_PTO_ENDIF:
		if_end(b, mnemonic);
		break;
	case PTOWSP_PTO_BREAK:
	case PTOWSP_PTO_CONTINUE:
		leave(b, inst, mnemonic);
		break;
	}
}
