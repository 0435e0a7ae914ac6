/* SPDX-License-Identifier: MIT */
#include "lang/builder/tile_code.h"

#include "isa/isa.h"

#include <assert.h>
#include <string.h>

uint32_t lang_tile_add(struct lang_tile_code *code, const struct ptowsp_tile_tile *tile)
{
	if (code->tile_count == LANG_MAX_ROWS)
		return LANG_MAX_ROWS;
	*COMMON_PUSH(code->arena, code->tiles, code->tile_count, code->tile_capacity) = *tile;
	return code->tile_count - 1;
}

uint32_t lang_tile_scalar_add(struct lang_tile_code *code, uint32_t name, uint16_t dtype, uint16_t kind, uint64_t value)
{
	if (code->scalar_count == LANG_MAX_ROWS)
		return LANG_MAX_ROWS;
	*COMMON_PUSH(code->arena, code->scalars, code->scalar_count, code->scalar_capacity) =
		(struct ptowsp_tile_scalar){.name = name, .dtype = dtype, .kind = kind, .value = value};
	return code->scalar_count - 1;
}

uint32_t lang_tile_literal_add(struct lang_tile_code *code, uint16_t dtype, uint64_t value)
{
	/* Kernels have few literals; a generated one with thousands may repeat some. */
	for (uint32_t i = 0; i < code->scalar_count && i < 1024; i++)
		if (code->scalars[i].kind == PTOWSP_SCALAR_CONST && code->scalars[i].dtype == dtype && code->scalars[i].value == value)
			return i;
	return lang_tile_scalar_add(code, 0, dtype, PTOWSP_SCALAR_CONST, value);
}

struct ptowsp_tile_inst *lang_tile_inst_add(struct lang_tile_code *code, unsigned op, uint32_t line)
{
	struct ptowsp_tile_inst *inst;

	if (code->inst_count == LANG_MAX_INSTRUCTIONS)
		return NULL;
	inst = COMMON_PUSH(code->arena, code->insts, code->inst_count, code->inst_capacity);
	*inst = (struct ptowsp_tile_inst){.op = (uint8_t)op, .line = line};
	return inst;
}

void lang_tile_operands_set(struct ptowsp_tile_inst *inst, const char *letters, const uint16_t *rows, uint32_t count)
{
	uint16_t *const fields[] = {&inst->d, &inst->e, &inst->a, &inst->b, &inst->c, &inst->f};
	uint32_t dst = 0, src = 2;

	for (uint32_t i = 0; i < count; i++) {
		assert(dst <= 2 && src < 6 && letters[i]);
		*fields[letters[i] < 'a' ? dst++ : src++] = rows[i];
	}
}

/* --- loops and branches --- */

static void chain_resolve(struct lang_tile_code *code, uint32_t chain, uint32_t target)
{
	while (chain) {
		struct ptowsp_tile_inst *inst = &code->insts[chain - 1];

		chain = inst->target;
		inst->target = target;
	}
}

static const char *turn_open(struct lang_tile_code *code, unsigned op)
{
	if (code->depth == PTOWSP_NESTING_LIMIT)
		return common_format(code->arena, "loops and branches nest at most %u deep", PTOWSP_NESTING_LIMIT);
	code->turns[code->depth++] = (struct lang_tile_turn){.op = (uint8_t)op, .head = code->inst_count - 1};
	return NULL;
}

/* BREAK and CONTINUE belong to the innermost loop. */
static const char *loop_leave(struct lang_tile_code *code, struct ptowsp_tile_inst *inst)
{
	uint32_t at = code->depth, *chain;

	while (at && code->turns[at - 1].op == PTOWSP_PTO_IF)
		at--;
	if (!at)
		return common_format(code->arena, "%s outside a loop", isa_op(inst->op)->mnemonic);
	chain = inst->op == PTOWSP_PTO_BREAK ? &code->turns[at - 1].breaks : &code->turns[at - 1].continues;
	inst->target = *chain;
	*chain = code->inst_count;
	return NULL;
}

static const char *turn_middle(struct lang_tile_code *code, struct lang_tile_turn *turn, const char *mnemonic)
{
	if (turn->turned)
		return common_format(code->arena, "the second %s of one %s", mnemonic, isa_op(turn->op)->mnemonic);
	turn->turned = 1;
	turn->turn = code->inst_count - 1;
	return NULL;
}

static const char *turn_end(struct lang_tile_code *code, struct lang_tile_turn *turn)
{
	const uint32_t last = code->inst_count - 1;

	if (turn->op == PTOWSP_PTO_WHILE && !turn->turned)
		return "a WHILE has a DO in front of its ENDWHILE";
	if (turn->op == PTOWSP_PTO_IF) {
		code->insts[turn->head].target = turn->turned ? turn->turn + 1 : last;
		if (turn->turned)
			code->insts[turn->turn].target = last;
	} else {
		code->insts[last].target = turn->head;
		code->insts[turn->turned ? turn->turn : turn->head].target = last + 1;
		chain_resolve(code, turn->breaks, last + 1);
		chain_resolve(code, turn->continues, last);
	}
	code->depth--;
	return NULL;
}

const char *lang_tile_control(struct lang_tile_code *code)
{
	static const uint8_t openers[] = {[PTOWSP_PTO_DO] = PTOWSP_PTO_WHILE,
					  [PTOWSP_PTO_ELSE] = PTOWSP_PTO_IF,
					  [PTOWSP_PTO_ENDIF] = PTOWSP_PTO_IF,
					  [PTOWSP_PTO_ENDFOR] = PTOWSP_PTO_FOR,
					  [PTOWSP_PTO_ENDWHILE] = PTOWSP_PTO_WHILE};
	struct ptowsp_tile_inst *inst = &code->insts[code->inst_count - 1];
	struct lang_tile_turn *turn = code->depth ? &code->turns[code->depth - 1] : NULL;
	const unsigned opener = inst->op < sizeof(openers) ? openers[inst->op] : 0;

	if (inst->op == PTOWSP_PTO_FOR || inst->op == PTOWSP_PTO_WHILE || inst->op == PTOWSP_PTO_IF)
		return turn_open(code, inst->op);
	if (inst->op == PTOWSP_PTO_BREAK || inst->op == PTOWSP_PTO_CONTINUE)
		return loop_leave(code, inst);
	if (!opener)
		return NULL;
	if (!turn || turn->op != opener)
		return common_format(code->arena, "%s without its %s", isa_op(inst->op)->mnemonic, isa_op(opener)->mnemonic);
	if (inst->op == PTOWSP_PTO_DO || inst->op == PTOWSP_PTO_ELSE)
		return turn_middle(code, turn, isa_op(inst->op)->mnemonic);
	return turn_end(code, turn);
}

/* --- the end --- */

static uint32_t rank_of(const struct ptowsp_tile_scalar *scalar)
{
	return scalar->kind == PTOWSP_SCALAR_ARG ? 0 : scalar->kind == PTOWSP_SCALAR_CONST ? 2 : 1;
}

static void inst_renumber(struct ptowsp_tile_inst *inst, const uint16_t *now)
{
	uint16_t *const fields[] = {&inst->d, &inst->e, &inst->a, &inst->b, &inst->c, &inst->f};
	const struct isa_op *op = isa_op(inst->op);
	uint32_t dst = 0, src = 2;

	for (const char *letter = op ? op->operands : ""; *letter; letter++) {
		uint16_t *field = fields[*letter < 'a' ? dst++ : src++];

		if (*letter == 'S' || *letter == 's')
			*field = now[*field];
	}
}

void lang_tile_order(struct lang_tile_code *code)
{
	uint32_t count = code->scalar_count, at = 0;
	struct ptowsp_tile_scalar *rows = common_alloc(code->arena, (count + 1) * sizeof(*rows));
	uint16_t *now = common_alloc(code->arena, (count + 1) * sizeof(*now));

	for (uint32_t rank = 0; rank < 3; rank++)
		for (uint32_t i = 0; i < count; i++)
			if (rank_of(&code->scalars[i]) == rank) {
				rows[at] = code->scalars[i];
				now[i] = (uint16_t)at++;
			}
	code->scalars = rows;
	code->scalar_capacity = count + 1;
	for (uint32_t i = 0; i < code->inst_count; i++)
		inst_renumber(&code->insts[i], now);
}

void lang_tile_literals_order(struct lang_tile_code *code)
{
	const uint32_t count = code->scalar_count;
	struct ptowsp_tile_scalar *rows = common_alloc(code->arena, (count + 1) * sizeof(*rows));
	uint16_t *now = common_alloc(code->arena, (count + 1) * sizeof(*now)), used[ISA_OPERANDS_MAX];
	uint8_t *placed = common_alloc(code->arena, count + 1);
	uint32_t at = 0;

	for (uint32_t i = 0; i < count; i++)
		if (code->scalars[i].kind != PTOWSP_SCALAR_CONST)
			rows[now[i] = (uint16_t)at++] = code->scalars[i];
	for (uint32_t i = 0; i < code->inst_count; i++) {
		const struct isa_op *op = isa_op(code->insts[i].op);
		const unsigned operands = isa_op_operands(op, &code->insts[i], used);

		for (unsigned k = 0; k < operands; k++)
			if (op->operands[k] == 's' && code->scalars[used[k]].kind == PTOWSP_SCALAR_CONST && !placed[used[k]]) {
				placed[used[k]] = 1;
				rows[now[used[k]] = (uint16_t)at++] = code->scalars[used[k]];
			}
	}
	code->scalars = rows;
	code->scalar_count = at;
	code->scalar_capacity = count + 1;
	for (uint32_t i = 0; i < code->inst_count; i++)
		inst_renumber(&code->insts[i], now);
}

static unsigned char *table_put(unsigned char *at, const void *rows, size_t size)
{
	if (size)
		memcpy(at, rows, size);
	return at + size;
}

void *lang_tile_encode(const struct lang_tile_code *code, uint32_t name, const struct ptowsp_tile_param *params, uint32_t param_count, size_t *size_out)
{
	struct ptowsp_tile_header header = {.magic = PTOWSP_TILE_MAGIC,
					    .version = PTOWSP_TILE_VERSION,
					    .param_count = param_count,
					    .tile_count = code->tile_count,
					    .scalar_count = code->scalar_count,
					    .inst_count = code->inst_count,
					    .name = name};
	size_t param_bytes = param_count * sizeof(*params), tiles = code->tile_count * sizeof(*code->tiles),
	       scalars = code->scalar_count * sizeof(*code->scalars), insts = code->inst_count * sizeof(*code->insts);
	unsigned char *payload, *at;

	*size_out = sizeof(header) + param_bytes + tiles + scalars + insts;
	payload = common_alloc(code->arena, *size_out);
	at = table_put(payload, &header, sizeof(header));
	at = table_put(at, params, param_bytes);
	at = table_put(at, code->tiles, tiles);
	at = table_put(at, code->scalars, scalars);
	table_put(at, code->insts, insts);
	return payload;
}
