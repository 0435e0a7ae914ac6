/* SPDX-License-Identifier: MIT */
/* isa_values.c - a program whose tiles hold one value each where that can be seen: a tile that is written anew in one straight piece of the program becomes several. */
#include "isa/isa_values.h"
#include "isa/isa_tables.h"

#include <stdlib.h>

enum { TILES_MOST = 1000 }; /* of a program that is split: more have no lifetimes (live.c) */

struct splitting {
	const struct isa_program *p;
	uint32_t *block; /* per tile: 1 + the piece that has all its uses; 0: none yet */
	bool *whole;     /* per tile: all its uses are in one piece, which begins by writing it */
	uint16_t *now;   /* per tile: the one that has its value */
	bool *written;   /* per tile: it has one */
	struct isa_tables tables;
	bool failed; /* no memory */
};

/* ---- which tiles ------------------------------------------------------------------------------------------------------------ */

static void use_note(struct splitting *s, uint32_t tile, uint32_t piece, bool writes)
{
	if (!s->block[tile])
		s->whole[tile] = writes;
	else if (s->block[tile] != piece)
		s->whole[tile] = false;
	s->block[tile] = piece;
}

static void pieces_find(struct splitting *s)
{
	uint32_t piece = 1;

	for (uint32_t i = 0; i < s->p->header.inst_count; i++) {
		const struct ptowsp_tile_inst *inst = &s->p->insts[i];
		const struct isa_uses u = isa_uses(inst);

		piece += isa_op_is_control(inst->op);
		for (unsigned k = 0; k < u.read_count; k++)
			use_note(s, u.read[k], piece, false);
		for (unsigned k = 0; k < u.written_count; k++)
			use_note(s, u.written[k], piece, true);
		if (inst->op == PTOWSP_PTO_TASSIGN) /* names a tile */
			s->whole[inst->d] = false;
	}
}

/* ---- the program ------------------------------------------------------------------------------------------------------------ */

/* stays: the value grows in its place. */
static void tile_write(struct splitting *s, uint16_t *row, bool stays)
{
	const uint16_t tile = *row;

	if (!s->whole[tile])
		return;
	if (s->written[tile] && !stays && s->tables.tile_count < TILES_MOST)
		s->failed |= !isa_tables_tile(&s->tables, s->tables.tiles[tile], &s->now[tile]);
	s->written[tile] = true;
	*row = s->now[tile];
}

/* Reads first: an instruction may write what it reads. Upper-case letters are d, e; lower-case ones a, b, c, f. */
static void inst_split(struct splitting *s, uint32_t i)
{
	struct ptowsp_tile_inst *inst = &s->tables.insts[i];
	uint16_t *const results[] = {&inst->d, &inst->e}, *const sources[] = {&inst->a, &inst->b, &inst->c, &inst->f};
	const bool partial = inst->op == PTOWSP_PTO_SETVAL || inst->op == PTOWSP_PTO_TSCATTER;
	const bool stays = inst->op == PTOWSP_PTO_TMATMUL_ACC && inst->d == inst->a;
	const char *letters = isa_op(inst->op)->operands;
	unsigned at = 0;

	if (inst->op == PTOWSP_PTO_TASSIGN)
		return;
	for (const char *letter = letters; *letter; letter++)
		if (*letter >= 'a') {
			if (*letter == 't' && s->whole[*sources[at]])
				*sources[at] = s->now[*sources[at]];
			at++;
		}
	at = 0;
	for (const char *letter = letters; *letter; letter++)
		if (*letter < 'a') {
			if (*letter == 'T' && partial && s->whole[*results[at]])
				*results[at] = s->now[*results[at]];
			else if (*letter == 'T' && !partial)
				tile_write(s, results[at], stays);
			at++;
		}
}

ptowsp_status isa_values_split(struct isa_program **split_out, const struct isa_program *program, struct ptowsp_error *error)
{
	static const struct isa_options options = {.all_copied = true};
	const uint32_t tiles = program->header.tile_count;
	struct splitting s = {.p = program};
	ptowsp_status status = PTOWSP_NO_MEMORY;
	bool ok = isa_tables_copy(&s.tables, program);

	*split_out = NULL;
	s.block = calloc(tiles + 1u, sizeof(*s.block));
	s.whole = calloc(tiles + 1u, sizeof(*s.whole));
	s.now = calloc(tiles + 1u, sizeof(*s.now));
	s.written = calloc(tiles + 1u, sizeof(*s.written));
	ok = ok && s.block && s.whole && s.now && s.written;
	if (ok) {
		for (uint32_t t = 0; t < tiles; t++)
			s.now[t] = (uint16_t)t;
		pieces_find(&s);
		for (uint32_t i = 0; i < program->header.inst_count; i++)
			inst_split(&s, i);
	}
	if (ok && !s.failed)
		status = isa_tables_program(split_out, &s.tables, program, &options, error);
	else
		isa_error(error, status, "no memory for a tile program");
	isa_tables_finish(&s.tables);
	free(s.block);
	free(s.whole);
	free(s.now);
	free(s.written);
	return status;
}
