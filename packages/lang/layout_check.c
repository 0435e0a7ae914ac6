/* SPDX-License-Identifier: MIT */
/* layout_check.c - layouts as sources state them, and where two of them meet: calls and copies. */
#include "lang/lang_work.h"
#include "ptowsp/package.h"

#include <string.h>

static int axes_check(struct lang_unit *unit, const struct lang_layout *layout)
{
	for (uint32_t i = 0; i < layout->rank; i++)
		for (uint32_t j = 0; j < i; j++)
			if (layout->dims[i].sharded && layout->dims[j].sharded && layout->dims[i].mesh_axis == layout->dims[j].mesh_axis) {
				lang_error(unit, layout->dims[i].at, "two dimensions are sharded over axis %u of the grid",
					   layout->dims[i].mesh_axis);
				return 0;
			}
	return 1;
}

static int memory_check(struct lang_unit *unit, const struct lang_memory *memory, const char *name, uint32_t rank)
{
	if ((memory->order == PTOWSP_MEMORY_BLOCKED || memory->order == PTOWSP_MEMORY_NZ) && memory->count != 2) {
		lang_error(unit, memory->at, "a block has rows and columns, here %s %u number%s", memory->count == 1 ? "is" : "are", memory->count,
			   memory->count == 1 ? "" : "s");
		return 0;
	}
	if (memory->order == PTOWSP_MEMORY_STRIDED && memory->count != rank) {
		lang_error(unit, memory->at, "%%%s has %u dimension%s, here %s %u stride%s", name, rank, rank == 1 ? "" : "s", memory->count == 1 ? "is" : "are",
			   memory->count, memory->count == 1 ? "" : "s");
		return 0;
	}
	return 1;
}

int lang_layout_check(struct lang_unit *unit, const struct lang_layout *layout, const char *name, uint32_t rank)
{
	if (layout->stated && layout->rank != rank) {
		lang_error(unit, layout->at, "the layout has %u dimension%s, %%%s has %u", layout->rank, layout->rank == 1 ? "" : "s", name, rank);
		return 0;
	}
	if (!axes_check(unit, layout))
		return 0;
	return memory_check(unit, &layout->memory, name, rank);
}

/* Why they cannot meet, as the end of a sentence. */
static const char *reason_of(struct lang_unit *unit, enum lang_join join, const struct lang_layout *a, const struct lang_layout *b, uint32_t dim)
{
	if (join == LANG_JOIN_RANK)
		return "they have different numbers of dimensions";
	if (join == LANG_JOIN_TWICE)
		return lang_format(&unit->arena, "axis %u of the grid would shard two dimensions", a->dims[dim].mesh_axis);
	return lang_format(&unit->arena, "dimension %u is sharded over axis %u and over axis %u of the grid", dim, a->dims[dim].mesh_axis,
			   b->dims[dim].mesh_axis);
}

static void relayout_help(struct lang_unit *unit, const struct lang_part *part, unsigned access, const char *between)
{
	if (access == PTOWSP_READ)
		lang_help(unit, "relayout it before: relayout %%%s -> %s", part->tensor, between);
	else if (access == PTOWSP_WRITE)
		lang_help(unit, "relayout explicitly: take a tensor of %s here, and copy that one to %%%s", between, part->tensor);
	else
		lang_help(unit, "relayout explicitly: copy %%%s to a tensor of %s, take that one here, and copy it back", part->tensor, between);
}

void lang_layouts_refuse(struct lang_work_check *check, const struct lang_part *part, unsigned access, const struct lang_layout *other,
			 const char *whose)
{
	const struct lang_layout *own = &part->decl->layout;
	char own_text[LANG_LAYOUT_TEXT], other_text[LANG_LAYOUT_TEXT], between[LANG_LAYOUT_TEXT];
	struct lang_layout bridge;
	uint32_t dim;
	enum lang_join join = lang_layout_join(own, other, NULL, &dim);

	lang_layout_print(own, own_text);
	lang_layout_print(other, other_text);
	lang_error(check->unit, part->at, "%%%s has %s, %s has %s: %s", part->tensor, own_text, whose, other_text,
		   reason_of(check->unit, join, own, other, dim));
	if (join == LANG_JOIN_RANK) {
		lang_help(check->unit, "copy it to a tensor without a layout, or to one of %u dimensions", other->rank);
		return;
	}
	bridge = lang_layout_bridge(own, other);
	lang_layout_print(&bridge, between);
	relayout_help(check->unit, part, access, between);
}

int lang_part_join(struct lang_work_check *check, const struct lang_part *part, unsigned access, const struct lang_layout *other,
		   const char *whose)
{
	uint32_t dim;

	if (lang_layout_join(&part->decl->layout, other, NULL, &dim) == LANG_JOIN_OK)
		return 1;
	lang_layouts_refuse(check, part, access, other, whose);
	return 0;
}

int lang_part_memory_join(struct lang_work_check *check, const struct lang_part *part, unsigned access, const struct lang_memory *other,
			  const char *whose)
{
	char has[LANG_MEMORY_TEXT], takes[LANG_MEMORY_TEXT];

	if (!other->stated || lang_memory_equal(other, &part->decl->layout.memory))
		return 1;
	lang_memory_print(&part->decl->layout.memory, has);
	lang_memory_print(other, takes);
	lang_error(check->unit, part->at, "%%%s lies in %s, %s takes %s", part->tensor, has, whose, takes);
	relayout_help(check->unit, part, access, takes);
	return 0;
}
