/* SPDX-License-Identifier: MIT */
/* lang_layout.c - layouts: what two of them are together, where they meet, and layouts as text. */
#include "lang/lang_layout.h"
#include "lang/lang_work.h"
#include "ptowsp/package.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int shards(const struct lang_layout *layout, uint32_t dim)
{
	return layout->dims[dim].sharded;
}

/* b shards another dimension over the axis that a shards this one over. */
static int elsewhere(const struct lang_layout *a, const struct lang_layout *b, uint32_t dim)
{
	for (uint32_t i = 0; i < b->rank && shards(a, dim); i++)
		if (i != dim && shards(b, i) && b->dims[i].mesh_axis == a->dims[dim].mesh_axis)
			return 1;
	return 0;
}

static int differ(const struct lang_layout *a, const struct lang_layout *b, uint32_t dim)
{
	return shards(a, dim) && shards(b, dim) && a->dims[dim].mesh_axis != b->dims[dim].mesh_axis;
}

enum lang_join lang_layout_join(const struct lang_layout *a, const struct lang_layout *b, struct lang_layout *joined_out, uint32_t *dim_out)
{
	struct lang_layout joined = a->stated ? *a : *b;

	*dim_out = 0;
	if (a->stated && b->stated && a->rank != b->rank)
		return LANG_JOIN_RANK;
	for (; a->stated && b->stated && *dim_out < a->rank; ++*dim_out) {
		if (differ(a, b, *dim_out))
			return LANG_JOIN_AXES;
		if (elsewhere(a, b, *dim_out))
			return LANG_JOIN_TWICE;
		if (shards(b, *dim_out))
			joined.dims[*dim_out] = b->dims[*dim_out];
	}
	if (joined_out)
		*joined_out = joined;
	return LANG_JOIN_OK;
}

struct lang_layout lang_layout_bridge(const struct lang_layout *a, const struct lang_layout *b)
{
	struct lang_layout bridge = *a;

	for (uint32_t i = 0; i < bridge.rank; i++)
		if (differ(a, b, i) || elsewhere(a, b, i))
			bridge.dims[i] = (struct lang_layout_dim){.at = a->dims[i].at};
	return bridge;
}

void lang_layout_print(const struct lang_layout *layout, char *text)
{
	size_t used = (size_t)snprintf(text, LANG_LAYOUT_TEXT, "layout(");

	for (uint32_t i = 0; i < layout->rank; i++) {
		const char *comma = i ? ", " : "";

		used += (size_t)(shards(layout, i) ? snprintf(text + used, LANG_LAYOUT_TEXT - used, "%sS(%u)", comma, layout->dims[i].mesh_axis)
						   : snprintf(text + used, LANG_LAYOUT_TEXT - used, "%sR", comma));
	}
	snprintf(text + used, LANG_LAYOUT_TEXT - used, ")");
}

/* --- memory --- */

bool lang_memory_equal(const struct lang_memory *a, const struct lang_memory *b)
{
	if (a->order != b->order || a->swizzle != b->swizzle || a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (a->numbers[i] != b->numbers[i])
			return false;
	return true;
}

struct ptowsp_memory_record lang_memory_record(const struct lang_memory *memory)
{
	struct ptowsp_memory_record record = {.tensor = PTOWSP_NONE, .order = memory->order, .swizzle = (uint16_t)memory->swizzle};
	uint32_t *const strides[] = {&record.stride0, &record.stride1, &record.stride2, &record.stride3};

	for (uint32_t i = 0; memory->order == PTOWSP_MEMORY_STRIDED && i < memory->count; i++)
		*strides[i] = memory->numbers[i];
	if (memory->order == PTOWSP_MEMORY_BLOCKED || memory->order == PTOWSP_MEMORY_NZ) {
		record.block_rows = memory->numbers[0];
		record.block_columns = memory->numbers[1];
	}
	return record;
}

void lang_memory_print(const struct lang_memory *memory, char *text)
{
	static const char *const words[] = {[PTOWSP_MEMORY_ROW_MAJOR] = "row_major",
					    [PTOWSP_MEMORY_COL_MAJOR] = "col_major",
					    [PTOWSP_MEMORY_BLOCKED] = "blocked",
					    [PTOWSP_MEMORY_NZ] = "nz",
					    [PTOWSP_MEMORY_STRIDED] = "strides"};
	size_t used = (size_t)snprintf(text, LANG_MEMORY_TEXT, "mem(%s", words[memory->order]);

	for (uint32_t i = 0; i < memory->count; i++)
		used += (size_t)snprintf(text + used, LANG_MEMORY_TEXT - used, "%s%u%s", i ? ", " : "(", memory->numbers[i], i + 1 == memory->count ? ")" : "");
	if (memory->swizzle)
		used += (size_t)snprintf(text + used, LANG_MEMORY_TEXT - used, " swizzle %u", memory->swizzle);
	snprintf(text + used, LANG_MEMORY_TEXT - used, ")");
}

struct lang_layout lang_layout_of(const struct ptowsp_dim_record *dims, uint32_t count, int replicated)
{
	struct lang_layout layout = {.stated = (uint8_t)replicated, .rank = (uint8_t)count};

	for (uint32_t i = 0; i < count; i++) {
		layout.dims[i] = (struct lang_layout_dim){.sharded = dims[i].distribution != 0, .mesh_axis = dims[i].mesh_axis};
		layout.stated |= layout.dims[i].sharded;
	}
	return layout;
}

/* --- collectives --- */

static bool dims_equal(const struct lang_layout_dim *a, const struct lang_layout_dim *b)
{
	return a->sharded == b->sharded && (!a->sharded || a->mesh_axis == b->mesh_axis);
}

/* Sharded dimensions become replicated; all others stay as they are. */
static enum lang_collective gather_fits(const struct lang_layout *from, const struct lang_layout *to, char *why)
{
	uint32_t gathered = 0;

	if (from->rank != to->rank) {
		snprintf(why, LANG_COLLECTIVE_TEXT, "all_gather keeps the number of dimensions, here are %u and %u", from->rank, to->rank);
		return LANG_COLLECTIVE_TARGET;
	}
	for (uint32_t i = 0; i < to->rank; i++) {
		if (to->dims[i].sharded && !dims_equal(&from->dims[i], &to->dims[i])) {
			snprintf(why, LANG_COLLECTIVE_TEXT, "all_gather makes S(%u) of no dimension, here of dimension %u", to->dims[i].mesh_axis, i);
			return LANG_COLLECTIVE_RELAYOUT;
		}
		gathered += from->dims[i].sharded && !to->dims[i].sharded;
	}
	snprintf(why, LANG_COLLECTIVE_TEXT, "there is nothing to gather, no sharded dimension becomes replicated");
	return gathered ? LANG_COLLECTIVE_FITS : LANG_COLLECTIVE_COPY;
}

static enum lang_collective broadcast_fits(const struct lang_layout *to, char *why)
{
	for (uint32_t i = 0; i < to->rank; i++)
		if (to->dims[i].sharded) {
			snprintf(why, LANG_COLLECTIVE_TEXT, "a broadcast reaches all places, and dimension %u of the target is sharded", i);
			return LANG_COLLECTIVE_TARGET;
		}
	return LANG_COLLECTIVE_FITS;
}

/* Every place along the axis has its contribution; the total is at all of them, or cut over them. */
static enum lang_collective reduction_fits(const char *word, const struct lang_layout *from, const struct lang_layout *to, char *why)
{
	const uint32_t axis = from->dims[0].mesh_axis;
	const int scatters = !strcmp(word, "reduce_scatter");
	uint32_t cut = 0;

	if (!from->dims[0].sharded) {
		snprintf(why, LANG_COLLECTIVE_TEXT, "each place has a contribution where the first dimension is sharded");
		return LANG_COLLECTIVE_SOURCE;
	}
	for (uint32_t i = 0; i < to->rank; i++) {
		const struct lang_layout_dim *a = &from->dims[i + 1], *b = &to->dims[i];

		if (scatters && !a->sharded && b->sharded && b->mesh_axis == axis) {
			cut++;
		} else if (!dims_equal(a, b)) {
			snprintf(why, LANG_COLLECTIVE_TEXT, "%s keeps the other dimensions as they are, and dimension %u of the total differs", word, i);
			return LANG_COLLECTIVE_OTHERS;
		}
	}
	snprintf(why, LANG_COLLECTIVE_TEXT, "reduce_scatter cuts the total over axis %u, and no dimension of it is sharded over that", axis);
	return !scatters || cut ? LANG_COLLECTIVE_FITS : LANG_COLLECTIVE_REDUCE;
}

enum lang_collective lang_layout_collective(const char *word, const struct lang_layout *from, const struct lang_layout *to, char *why)
{
	if (!strcmp(word, "all_gather"))
		return gather_fits(from, to, why);
	if (!strcmp(word, "broadcast"))
		return broadcast_fits(to, why);
	return reduction_fits(word, from, to, why);
}

/* ---- layouts as sources state them, and where two of them meet: calls and copies. ---- */

static bool axes_check(struct lang_unit *unit, const struct lang_layout *layout)
{
	for (uint32_t i = 0; i < layout->rank; i++)
		for (uint32_t j = 0; j < i; j++)
			if (layout->dims[i].sharded && layout->dims[j].sharded && layout->dims[i].mesh_axis == layout->dims[j].mesh_axis) {
				lang_error(unit, layout->dims[i].at, "two dimensions are sharded over axis %u of the grid", layout->dims[i].mesh_axis);
				return false;
			}
	return true;
}

static bool memory_check(struct lang_unit *unit, const struct lang_memory *memory, const char *name, uint32_t rank)
{
	if ((memory->order == PTOWSP_MEMORY_BLOCKED || memory->order == PTOWSP_MEMORY_NZ) && memory->count != 2) {
		lang_error(unit, memory->at, "a block has rows and columns, here %s %u number%s", memory->count == 1 ? "is" : "are", memory->count,
			   memory->count == 1 ? "" : "s");
		return false;
	}
	if (memory->order == PTOWSP_MEMORY_STRIDED && memory->count != rank) {
		lang_error(unit, memory->at, "%%%s has %u dimension%s, here %s %u stride%s", name, rank, rank == 1 ? "" : "s",
			   memory->count == 1 ? "is" : "are", memory->count, memory->count == 1 ? "" : "s");
		return false;
	}
	return true;
}

bool lang_layout_check(struct lang_unit *unit, const struct lang_layout *layout, const char *name, uint32_t rank)
{
	if (layout->stated && layout->rank != rank) {
		lang_error(unit, layout->at, "the layout has %u dimension%s, %%%s has %u", layout->rank, layout->rank == 1 ? "" : "s", name, rank);
		return false;
	}
	if (!axes_check(unit, layout))
		return false;
	return memory_check(unit, &layout->memory, name, rank);
}

/* Why they cannot meet, as the end of a sentence. */
static const char *reason_of(struct lang_unit *unit, enum lang_join join, const struct lang_layout *a, const struct lang_layout *b, uint32_t dim)
{
	if (join == LANG_JOIN_RANK)
		return "they have different numbers of dimensions";
	if (join == LANG_JOIN_TWICE)
		return common_format(&unit->arena, "axis %u of the grid would shard two dimensions", a->dims[dim].mesh_axis);
	return common_format(&unit->arena, "dimension %u is sharded over axis %u and over axis %u of the grid", dim, a->dims[dim].mesh_axis,
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

void lang_layouts_refuse(struct lang_work_check *check, const struct lang_part *part, unsigned access, const struct lang_layout *other, const char *whose)
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

bool lang_part_join(struct lang_work_check *check, const struct lang_part *part, unsigned access, const struct lang_layout *other, const char *whose)
{
	uint32_t dim;

	if (lang_layout_join(&part->decl->layout, other, NULL, &dim) == LANG_JOIN_OK)
		return true;
	lang_layouts_refuse(check, part, access, other, whose);
	return false;
}

bool lang_part_memory_join(struct lang_work_check *check, const struct lang_part *part, unsigned access, const struct lang_memory *other, const char *whose)
{
	char has[LANG_MEMORY_TEXT], takes[LANG_MEMORY_TEXT];

	if (!other->stated || lang_memory_equal(other, &part->decl->layout.memory))
		return true;
	lang_memory_print(&part->decl->layout.memory, has);
	lang_memory_print(other, takes);
	lang_error(check->unit, part->at, "%%%s lies in %s, %s takes %s", part->tensor, has, whose, takes);
	relayout_help(check->unit, part, access, takes);
	return false;
}
