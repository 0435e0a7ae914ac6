/* SPDX-License-Identifier: MIT */
/* check_unwritten.c - tiles that a function reads and has not written by then, on whatever way it gets there: they hold zeros. */
#include "isa/isa.h"
#include "lang/check/lang_check.h"

#include <string.h>

/* A loop that is being walked. */
struct loop {
	struct loop *outer;
	uint32_t depth; /* of the blocks that it has itself */
	int open;       /* 0: the walk has left it */
};

/* A read before which the text has no write of the tile. */
struct read {
	struct read *next;
	const struct lang_var *tile;
	const struct lang_stmt *stmt;
	const struct lang_operand *operand;
	struct loop *loop; /* innermost around it; NULL: none */
	int direct;        /* 1: nothing else stands around it in that loop */
	int withdrawn;     /* 1: a write of an earlier round may precede it */
};

struct unwritten {
	struct lang_unit *unit;
	const struct lang_function *function;
	uint8_t *written; /* per variable: the text so far has a write of it */
	struct read *reads, **last;
	struct loop *loop;
	uint32_t depth; /* of blocks */
};

static void block_walk(struct unwritten *u, const struct lang_block *block);
static void walk(struct unwritten *u, struct lang_unit *unit, const struct lang_function *function);

static void read_note(struct unwritten *u, const struct lang_stmt *stmt, const struct lang_operand *operand)
{
	struct read *read;

	if (u->written[operand->var->id])
		return;
	read = common_alloc(&u->unit->arena, sizeof(*read));
	*read = (struct read){.tile = operand->var, .stmt = stmt, .operand = operand, .loop = u->loop, .direct = !u->loop || u->loop->depth == u->depth};
	*u->last = read;
	u->last = &read->next;
}

/* Both stand in a loop: this write may precede the read in a later round, unless the read stands in every round before it. */
static void write_note(struct unwritten *u, const struct lang_var *tile)
{
	u->written[tile->id] = 1;
	for (struct read *read = u->reads; read; read = read->next) {
		struct loop *common = read->loop;

		while (common && !common->open)
			common = common->outer;
		if (read->tile == tile && common && !(common == read->loop && read->direct))
			read->withdrawn = 1;
	}
}

/* Sources are read before destinations are written. Elements of a tile are set one by one, and what was not set is nobody's affair here. */
static void op_walk(struct unwritten *u, const struct lang_stmt *stmt)
{
	const char *operands = isa_op(stmt->op)->operands;

	for (uint32_t i = 0; i < stmt->count && operands[i]; i++)
		if (operands[i] == 't' && stmt->operands[i].var && stmt->operands[i].var->kind == LANG_TILE)
			read_note(u, stmt, &stmt->operands[i]);
	for (uint32_t i = 0; i < stmt->count && operands[i]; i++)
		if (operands[i] == 'T' && stmt->operands[i].var && stmt->operands[i].var->kind == LANG_TILE && stmt->op != PTOWSP_PTO_TASSIGN)
			write_note(u, stmt->operands[i].var);
}

static void loop_walk(struct unwritten *u, const struct lang_stmt *stmt)
{
	struct loop *loop = common_alloc(&u->unit->arena, sizeof(*loop));

	*loop = (struct loop){.outer = u->loop, .depth = u->depth + 1, .open = 1};
	u->loop = loop;
	block_walk(u, &stmt->body);
	block_walk(u, &stmt->other);
	loop->open = 0;
	u->loop = loop->outer;
}

/* The first use that the callee makes of each of its tile parameters. */
static void handed_find(struct lang_unit *unit, struct lang_function *target)
{
	struct unwritten u;

	if (target->handed)
		return;
	target->handed = 1;
	walk(&u, unit, target);
	for (uint32_t i = 0; i < target->var_count; i++)
		target->vars[i]->handed = u.written[i] ? 2 : 0;
	for (const struct read *read = u.reads; read; read = read->next)
		((struct lang_var *)(uintptr_t)read->tile)->handed = 1;
}

/* Tiles are the callee's own but for those that it is handed, which it writes unless it reads alone. */
static void call_walk(struct unwritten *u, const struct lang_stmt *stmt)
{
	if (!stmt->target || !stmt->target->inlined)
		return;
	handed_find(u->unit, stmt->target);
	for (int writes = 0; writes < 2; writes++)
		for (uint32_t i = 0; i < stmt->arg_count; i++) {
			const struct lang_arg *arg = &stmt->args[i];

			if (!arg->param || arg->param->kind != LANG_TILE || !arg->actual.var)
				continue;
			if (!writes && arg->param->handed == 1)
				read_note(u, stmt, &arg->actual);
			else if (writes && arg->param->handed == 2)
				write_note(u, arg->actual.var);
		}
}

static void stmt_walk(struct unwritten *u, const struct lang_stmt *stmt)
{
	switch (stmt->op) {
	case PTOWSP_PTO_FOR:
	case PTOWSP_PTO_WHILE: loop_walk(u, stmt); break;
	case PTOWSP_PTO_IF:
		block_walk(u, &stmt->body);
		block_walk(u, &stmt->other);
		break;
	case PTOWSP_PTO_CALL: call_walk(u, stmt); break;
	default: op_walk(u, stmt);
	}
}

static void block_walk(struct unwritten *u, const struct lang_block *block)
{
	u->depth++;
	for (const struct lang_stmt *stmt = block->first; stmt; stmt = stmt->next)
		stmt_walk(u, stmt);
	u->depth--;
}

/* Once per tile: what follows from it is not another fault. */
static void reads_tell(struct unwritten *u)
{
	for (const struct read *read = u->reads; read; read = read->next) {
		if (read->withdrawn || read->tile->param || u->written[read->tile->id] == 2)
			continue;
		u->written[read->tile->id] = 2;
		lang_warn(u->unit, read->operand->at, "%s reads tile %%%s, which nothing in @%s has written by then: it holds zeros", read->stmt->word,
			  read->tile->name, u->function->name);
		lang_help(u->unit, "load it first, or write the zeros by texpands");
	}
}

static void walk(struct unwritten *u, struct lang_unit *unit, const struct lang_function *function)
{
	*u = (struct unwritten){.unit = unit, .function = function};
	u->last = &u->reads;
	u->written = common_alloc(&unit->arena, function->var_count + 1);
	memset(u->written, 0, function->var_count + 1);
	block_walk(u, &function->body);
}

void lang_unwritten_tell(struct lang_unit *unit, const struct lang_function *function)
{
	struct unwritten u;

	walk(&u, unit, function);
	reads_tell(&u);
}
