/* SPDX-License-Identifier: MIT */
/* emit_group.h - a group of row-wise instructions while it is being written: its stages, what is known of tiles in them, and what its parts ask each other.
 * One thread. */
#ifndef ISA_EMIT_GROUP_H
#define ISA_EMIT_GROUP_H

#include "isa/emit/emit_state.h"

#include <string.h>

/* Instructions [first, end) in one loop over rows of `columns` elements, or one reduction. */
struct isa_stage {
	uint32_t first, end, columns;
	bool reduces;
};
/* A tile that an instruction reads, or gives a value: reads come first. */
struct isa_use {
	uint32_t inst;
	bool writes;
};
/* Facts of a tile that the group uses; nothing goes through all tiles of the program for a group, nor through all of the group for a stage or an instruction. */
struct isa_group_tile {
	uint32_t first, count; /* its uses */
	uint32_t windows;      /* loads and stores of it so far, while they are numbered */
	uint32_t window;       /* the load, plus 1, from whose window later stages read it, too; 0: none */
	uint32_t until;        /* the instruction that gives it another value, which is a tile's like any; the group's end: none */
	uint32_t variable;     /* times it was given a value in this stage; 0: it is in memory */
	uint32_t values;       /* times it is given one in this stage */
	uint8_t marks;         /* in this stage */
};
enum {
	MARK_READ = 1,   /* from memory in this stage */
	MARK_WRITTEN = 2 /* to memory in this stage */
};
struct isa_grouping {
	struct isa_emitter *e;
	const struct isa_group *group;
	struct isa_stage *stages; /* owned */
	uint32_t count;
	struct isa_group_tile *tiles; /* by tile: the emitter's */
	struct isa_use *uses;         /* owned: those of each tile in their order */
	uint32_t *used, used_count;   /* owned: tiles that the group uses, each once */
	uint32_t *windows;            /* owned, per instruction: its number among the loads and stores of its tile, 0 first */
	uint32_t home;                /* the store, plus 1, in whose window its tile lies from its first value on; 0: none */
	bool blocks;
	uint32_t end;     /* of the stage in question: behind it is later */
	uint32_t columns; /* of the stage */
};

static inline const struct isa_step *isa_group_step(const struct isa_grouping *g, uint32_t i)
{
	return &g->e->p->steps[i];
}

static inline unsigned isa_group_form(const struct isa_grouping *g, uint32_t i)
{
	return g->e->core && g->e->done[i] ? ISA_FORM_NOTHING : isa_emit_op(g->e->p->insts[i].op)->form;
}

/* The target of one element: the tile that is written, or stored. */
static inline const struct isa_operand *isa_group_result(const struct isa_grouping *g, uint32_t i)
{
	return isa_emit_op(g->e->p->insts[i].op)->form == ISA_FORM_STORE ? &isa_group_step(g, i)->a : &isa_group_step(g, i)->d;
}

static inline uint32_t isa_group_columns(const struct isa_grouping *g, uint32_t i)
{
	return isa_group_form(g, i) == ISA_FORM_REDUCE ? isa_group_step(g, i)->a.columns : isa_group_result(g, i)->columns;
}

/* `window` of a tile that instruction i reads. */
static inline uint32_t isa_group_window(const struct isa_grouping *g, uint32_t i, uint32_t tile)
{
	return i <= g->tiles[tile].until ? g->tiles[tile].window : 0;
}

/* Calls back for every tile that element (or row) i of the instruction reads: its operand and access letter. */
typedef void (*isa_source_fn)(struct isa_grouping *g, uint32_t i, const struct isa_operand *tile, char access);
static inline void isa_group_sources(struct isa_grouping *g, uint32_t i, isa_source_fn fn)
{
	const struct isa_step *s = isa_group_step(g, i);
	const struct isa_operand *const sources[4] = {&s->a, &s->b, &s->c, &s->f};
	const char *access = isa_emit_op(s->op)->access;

	for (unsigned k = 0; access[k]; k++)
		if (strchr("erc", access[k]))
			fn(g, i, sources[k], access[k]);
}

static inline bool isa_group_writes(const struct isa_grouping *g, uint32_t i)
{
	return isa_group_form(g, i) != ISA_FORM_STORE && isa_group_form(g, i) != ISA_FORM_NOTHING;
}

/* emit_stage.c: the stages of the group. */
/* `uses`, `used` and `windows`; the tiles are as before isa_uses_find behind isa_uses_clear. */
void isa_uses_find(struct isa_grouping *g);
void isa_uses_clear(struct isa_grouping *g);
/* The tile's first use at or behind an instruction; NULL: none in the group. */
const struct isa_use *isa_use_from(const struct isa_grouping *g, uint32_t tile, uint32_t inst);
/* Tiles that are read from their window by all stages: `window`. */
void isa_stage_windows(struct isa_grouping *g);
/* `stages`, as few as there may be; behind isa_stage_windows. */
void isa_stages_make(struct isa_grouping *g);
/* `home`, behind isa_stages_make. */
void isa_home_find(struct isa_grouping *g);
bool isa_is_home(const struct isa_grouping *g, uint32_t tile);
/* No marks and no variables for tiles of a stage that begins. */
void isa_stage_reset(struct isa_grouping *g, const struct isa_stage *stage);
/* Whether the value that instruction i of this stage makes has to be in memory when the stage is done. */
bool isa_stage_keeps(const struct isa_grouping *g, uint32_t i);
/* Has another tile of these some of the tile's memory? Only those count that have one of the marks; marks 0: all. */
bool isa_tile_collides(const struct isa_grouping *g, uint32_t tile, unsigned marks);

/* emit_window.c: loads and stores before and behind the loops. */
/* Bytes of an element as text. */
const char *isa_bytes_text(const struct isa_operand *tile);
/* Whether the rows of the window of load or store i, or of its copy, lie one behind the other. */
bool isa_window_packed(const struct isa_grouping *g, uint32_t i);
/* The name of its tile with an ending, and a number where it is not the group's first. */
struct isa_piece isa_window_name(const struct isa_grouping *g, uint32_t i, const char *ending);
/* Elements from row to row of a load's or store's window, as an expression. */
struct isa_piece isa_window_step(const struct isa_grouping *g, uint32_t i);
/* Checks of all loads and stores in their order, and the places that loops read and write; copies behind the loops. */
void isa_windows_begin(struct isa_grouping *g);
void isa_windows_end(struct isa_grouping *g);

#endif
