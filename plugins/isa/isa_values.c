/* SPDX-License-Identifier: MIT */
/* isa_values.c - a program whose tiles hold one value each where that can be seen: a tile that is written anew in one straight piece of the program becomes several. */
#include "isa/isa_values.h"
#include "isa/isa_program.h"

#include <stdlib.h>
#include <string.h>

enum { TILES_MOST = 1000 }; /* of a program that is split: more have no lifetimes (live.c) */

struct splitting {
	const struct isa_program *p;
	uint32_t *block; /* per tile: 1 + the piece that has all its uses; 0: none yet */
	bool *whole;     /* per tile: all its uses are in one piece, which begins by writing it */
	uint16_t *now;   /* per tile: the one that has its value */
	bool *written;   /* per tile: it has one */
	struct ptowsp_tile_tile *tiles;
	struct ptowsp_tile_inst *insts;
	uint32_t count; /* tiles so far */
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
	if (s->written[tile] && !stays && s->count < TILES_MOST) {
		s->tiles[s->count] = s->tiles[tile];
		s->now[tile] = (uint16_t)s->count++;
	}
	s->written[tile] = true;
	*row = s->now[tile];
}

/* Reads first: an instruction may write what it reads. Upper-case letters are d, e; lower-case ones a, b, c, f. */
static void inst_split(struct splitting *s, uint32_t i)
{
	struct ptowsp_tile_inst *inst = &s->insts[i];
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

/* Header, tables and instructions as create takes them, one behind the other. Names are offsets into the pool of the program. */
static void payload_fill(const struct splitting *s, unsigned char *payload)
{
	const struct isa_program *p = s->p;
	struct ptowsp_tile_header *h = (void *)payload;
	struct ptowsp_tile_param *params = (void *)(h + 1);
	struct ptowsp_tile_tile *tiles = (void *)(params + p->header.param_count);
	struct ptowsp_tile_scalar *scalars = (void *)(tiles + s->count);

	*h = p->header;
	h->tile_count = s->count;
	h->name = (uint32_t)(p->name - p->pool);
	for (uint32_t i = 0; i < p->header.param_count; i++) {
		params[i] = p->params[i];
		params[i].name = (uint32_t)(p->param_names[i] - p->pool);
	}
	memcpy(tiles, s->tiles, s->count * sizeof(*tiles));
	for (uint32_t i = 0; i < p->header.scalar_count; i++) {
		scalars[i] = p->scalars[i];
		scalars[i].name = (uint32_t)(p->scalar_names[i] - p->pool);
	}
	memcpy(scalars + p->header.scalar_count, s->insts, p->header.inst_count * sizeof(*s->insts));
}

/* Bytes of the pool: the last name that was put there is that of the last table that is not empty. */
static size_t pool_size(const struct isa_program *p)
{
	const char *last = p->header.scalar_count  ? p->scalar_names[p->header.scalar_count - 1]
			   : p->header.tile_count  ? p->tile_names[p->header.tile_count - 1]
			   : p->header.param_count ? p->param_names[p->header.param_count - 1]
						   : p->name;

	return (size_t)(last - p->pool) + strlen(last) + 1;
}

static ptowsp_status program_make(const struct splitting *s, struct isa_program **split_out, struct ptowsp_error *error)
{
	static const struct isa_options options = {.all_copied = true};
	const struct ptowsp_tile_header *h = &s->p->header;
	const size_t size = sizeof(*h) + h->param_count * sizeof(*s->p->params) + s->count * sizeof(*s->tiles) + h->scalar_count * sizeof(*s->p->scalars) +
			    h->inst_count * sizeof(*s->insts);
	unsigned char *payload = malloc(size);
	ptowsp_status status;

	if (!payload)
		return isa_error(error, PTOWSP_NO_MEMORY, "no memory for a tile program");
	payload_fill(s, payload);
	status = isa_program_create_with(split_out, payload, size, s->p->pool, pool_size(s->p), &options, error);
	free(payload);
	return status;
}

ptowsp_status isa_values_split(struct isa_program **split_out, const struct isa_program *program, struct ptowsp_error *error)
{
	const uint32_t tiles = program->header.tile_count, most = tiles > TILES_MOST ? tiles : TILES_MOST;
	struct splitting s = {.p = program, .count = tiles};
	ptowsp_status status = PTOWSP_NO_MEMORY;

	*split_out = NULL;
	s.block = calloc(tiles + 1u, sizeof(*s.block));
	s.whole = calloc(tiles + 1u, sizeof(*s.whole));
	s.now = calloc(tiles + 1u, sizeof(*s.now));
	s.written = calloc(tiles + 1u, sizeof(*s.written));
	s.tiles = calloc(most + 1u, sizeof(*s.tiles));
	s.insts = calloc(program->header.inst_count + 1u, sizeof(*s.insts));
	if (s.block && s.whole && s.now && s.written && s.tiles && s.insts) {
		memcpy(s.tiles, program->tiles, tiles * sizeof(*s.tiles));
		memcpy(s.insts, program->insts, program->header.inst_count * sizeof(*s.insts));
		for (uint32_t t = 0; t < tiles; t++) {
			s.now[t] = (uint16_t)t;
			s.tiles[t].name = (uint32_t)(program->tile_names[t] - program->pool);
		}
		pieces_find(&s);
		for (uint32_t i = 0; i < program->header.inst_count; i++)
			inst_split(&s, i);
		status = program_make(&s, split_out, error);
	} else {
		isa_error(error, status, "no memory for a tile program");
	}
	free(s.block);
	free(s.whole);
	free(s.now);
	free(s.written);
	free(s.tiles);
	free(s.insts);
	return status;
}
