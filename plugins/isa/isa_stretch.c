/* SPDX-License-Identifier: MIT */
#include "isa/isa_stretch.h"

#include "isa/isa_tables.h"
#include "isa/isa_values.h"
#include <stdlib.h>
#include <string.h>

struct cutting {
	const struct isa_program *p;
	const uint8_t *fixed;
	uint32_t first, end;
	struct isa_tables tables;
	bool *wanted;    /* per tile: its value is read behind the place that is looked at */
	bool *kept;      /* per instruction of the piece */
	uint16_t params; /* of the program */
	uint16_t zero;   /* scalar */
	bool failed;     /* no memory */
};

/* Tiles that an instruction changes: all or some of their elements. */
static struct isa_uses changed_by(const struct ptowsp_tile_inst *inst)
{
	struct isa_uses uses = isa_uses(inst);

	if (!uses.written_count && uses.read_count && strchr(isa_op(inst->op)->operands, 'T'))
		uses.written[uses.written_count++] = inst->d;
	return uses;
}

static bool changes(const struct ptowsp_tile_inst *inst, uint32_t tile)
{
	const struct isa_uses uses = changed_by(inst);

	for (unsigned w = 0; w < uses.written_count; w++)
		if (uses.written[w] == tile)
			return true;
	return false;
}

/* The last instruction of [from, to) that changes the tile; `to`: none does. */
static uint32_t changed_last(const struct cutting *c, uint32_t from, uint32_t to, uint32_t tile)
{
	for (uint32_t i = to; i-- > from;)
		if (changes(&c->p->insts[i], tile))
			return i;
	return to;
}

static bool is_again(const struct cutting *c, uint32_t inst)
{
	return c->p->insts[inst].op == PTOWSP_PTO_TLOAD && c->fixed[c->p->insts[inst].a];
}

/* Tiles wanted in front of an instruction, from those wanted behind it. */
static void back(struct cutting *c, const struct ptowsp_tile_inst *inst)
{
	const struct isa_uses uses = isa_uses(inst);

	for (unsigned w = 0; w < uses.written_count; w++)
		c->wanted[uses.written[w]] = false;
	for (unsigned r = 0; r < uses.read_count; r++)
		c->wanted[uses.read[r]] = true;
}

/* ---- what it loads and stores ----------------------------------------------------------------------------------------------- */

/* A load or store of all of a tile in the window that is its own. */
static void move_add(struct cutting *c, uint32_t tile, bool load)
{
	const uint16_t window = (uint16_t)(c->params + tile), row = (uint16_t)tile;
	const struct ptowsp_tile_inst inst = load ? (struct ptowsp_tile_inst){.op = PTOWSP_PTO_TLOAD, .d = row, .a = window, .b = c->zero, .c = c->zero}
						  : (struct ptowsp_tile_inst){.op = PTOWSP_PTO_TSTORE, .d = window, .a = row, .b = c->zero, .c = c->zero};

	c->failed |= !isa_tables_inst(&c->tables, inst);
}

static void found_add(struct cutting *c)
{
	for (uint32_t t = 0; t < c->p->header.tile_count; t++) {
		const uint32_t last = c->wanted[t] ? changed_last(c, 0, c->first, t) : c->first;

		if (last < c->first && is_again(c, last))
			c->failed |= !isa_tables_inst(&c->tables, c->p->insts[last]);
		else if (last < c->first)
			move_add(c, t, true);
	}
}

/* ---- the piece -------------------------------------------------------------------------------------------------------------- */

/* Marks what is wanted behind the piece and not loaded again. */
static void left_find(struct cutting *c, bool *left)
{
	for (uint32_t i = c->p->header.inst_count; i-- > c->end;)
		back(c, &c->p->insts[i]);
	for (uint32_t t = 0; t < c->p->header.tile_count; t++) {
		const uint32_t last = changed_last(c, c->first, c->end, t);

		left[t] = c->wanted[t] && last < c->end && !is_again(c, last);
		c->wanted[t] = left[t];
	}
}

static void kept_find(struct cutting *c)
{
	for (uint32_t i = c->end; i-- > c->first;) {
		const struct ptowsp_tile_inst *inst = &c->p->insts[i];
		const struct isa_uses uses = changed_by(inst);
		bool kept = strchr(isa_op(inst->op)->operands, 'M') != NULL;

		for (unsigned w = 0; w < uses.written_count; w++)
			kept |= c->wanted[uses.written[w]];
		c->kept[i - c->first] = kept;
		if (kept)
			back(c, inst);
	}
}

/* A window per tile, behind the program's. */
static void windows_add(struct cutting *c)
{
	const struct ptowsp_tile_scalar zero = {.name = (uint32_t)(c->p->name - c->p->pool), .dtype = PTOWSP_I64, .kind = PTOWSP_SCALAR_CONST};

	for (uint32_t t = 0; t < c->p->header.tile_count; t++) {
		const struct ptowsp_tile_tile *tile = &c->tables.tiles[t];
		uint16_t row;

		c->failed |= !isa_tables_param(
			&c->tables, (struct ptowsp_tile_param){tile->name, tile->dtype, PTOWSP_READ | PTOWSP_WRITE, tile->rows, tile->columns}, &row);
	}
	c->failed |= !isa_tables_scalar(&c->tables, zero, &c->zero);
}

static void body_make(struct cutting *c, bool *left)
{
	left_find(c, left);
	kept_find(c);
	c->tables.inst_count = 0;
	windows_add(c);
	found_add(c);
	for (uint32_t i = c->first; i < c->end; i++)
		if (c->kept[i - c->first])
			c->failed |= !isa_tables_inst(&c->tables, c->p->insts[i]);
	for (uint32_t t = 0; t < c->p->header.tile_count; t++)
		if (left[t])
			move_add(c, t, false);
	c->failed |= !isa_tables_inst(&c->tables, (struct ptowsp_tile_inst){.op = PTOWSP_PTO_RETURN});
}

ptowsp_status isa_stretch(struct isa_program **piece_out, const struct isa_program *straight, uint32_t first, uint32_t end, const uint8_t *fixed,
			  struct ptowsp_error *error)
{
	static const struct isa_options options = {.all_copied = true};
	struct cutting c = {.p = straight, .fixed = fixed, .first = first, .end = end, .params = (uint16_t)straight->header.param_count};
	bool *left = calloc(straight->header.tile_count + 1u, sizeof(*left));
	struct isa_program *piece = NULL;
	ptowsp_status status = PTOWSP_OK;

	*piece_out = NULL;
	c.wanted = calloc(straight->header.tile_count + 1u, sizeof(*c.wanted));
	c.kept = calloc(end - first + 1u, sizeof(*c.kept));
	c.failed = !isa_tables_copy(&c.tables, straight) || !left || !c.wanted || !c.kept;
	if (!c.failed)
		body_make(&c, left);
	if (c.failed)
		status = isa_error(error, PTOWSP_NO_MEMORY, "no memory for a tile program");
	if (!status)
		status = isa_tables_program(&piece, &c.tables, straight, &options, error);
	if (!status)
		status = isa_values_split(piece_out, piece, error);
	isa_program_destroy(piece);
	isa_tables_finish(&c.tables);
	free(c.wanted);
	free(c.kept);
	free(left);
	return status;
}
