/* SPDX-License-Identifier: MIT */
/* design_fifo.c - fifos and links of a design. */
#include "aie/design/design_read.h"
#include "registry/common/common_arena.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- fifos */

static void read_ends(struct aie_design_reader *reader, const struct aie_op *op, struct aie_fifo *fifo)
{
	const struct aie_design *design = reader->design;
	uint32_t *tiles = common_take(design->arena, op->operand_count, sizeof(*tiles));

	if (op->operand_count > 1 + AIE_DESIGN_ENDS)
		aie_design_fail(reader, op, AIE_RULE_COUNT, "fifo '%.64s' has %u consumers, of at most %d", fifo->name, op->operand_count - 1, AIE_DESIGN_ENDS);
	for (uint32_t i = 0; i < op->operand_count; i++) {
		tiles[i] = aie_design_tile(design, op->operands[i]);
		if (tiles[i] == AIE_NONE)
			aie_design_fail(reader, op, AIE_RULE_FIFO_TILE, "end %u of fifo '%.64s' is no tile", i, fifo->name);
		for (uint32_t j = 1; j < i; j++)
			if (tiles[j] == tiles[i])
				aie_design_fail(reader, op, AIE_RULE_FIFO_TILE, "%s consumes fifo '%.64s' twice, of once",
						aie_design_tile_text(design, tiles[i]), fifo->name);
	}
	fifo->producer = tiles[0];
	fifo->consumers = tiles + 1;
	fifo->consumer_count = op->operand_count - 1;
}

/* Depth i of a list; false: it is no number. */
static bool depth_of(const struct aie_attr *attr, uint32_t i, int64_t *depth_out)
{
	if (attr->kind == AIE_ATTR_LIST && attr->items[i]->kind != AIE_ATTR_INT)
		return false;
	*depth_out = attr->kind == AIE_ATTR_INT ? attr->number : attr->kind == AIE_ATTR_LIST ? attr->items[i]->number : attr->ints[i];
	return true;
}

static void read_depths(struct aie_design_reader *reader, const struct aie_op *op, struct aie_fifo *fifo)
{
	const struct aie_attr *attr = aie_attr_of(op, "elemNumber");
	uint32_t *depths = common_take(reader->design->arena, 1 + fifo->consumer_count, sizeof(*depths));

	if (!attr || (attr->kind != AIE_ATTR_INT && attr->kind != AIE_ATTR_LIST && attr->kind != AIE_ATTR_INTS))
		aie_design_attr(reader, op, "elemNumber", AIE_ATTR_INT);
	if (attr->kind != AIE_ATTR_INT && attr->count != 1 + fifo->consumer_count)
		aie_design_fail(reader, op, AIE_RULE_FIFO_DEPTHS, "fifo '%.64s' of %s has %u depths, %u are needed: its producer's and each consumer's",
				fifo->name, aie_design_tile_text(reader->design, fifo->producer), attr->count, 1 + fifo->consumer_count);
	for (uint32_t i = 0; i <= fifo->consumer_count; i++) {
		const int64_t most = (int64_t)reader->design->arch->generation->tiles[AIE_CORE].limits[AIE_LOCK_VALUE];
		int64_t depth;

		if (!depth_of(attr, i, &depth))
			aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "attribute 'elemNumber' has an item that is no number");
		if (depth < 1 || depth > most)
			aie_design_fail(reader, op, AIE_RULE_FIFO_DEPTH, "fifo '%.64s' of %s is %" PRId64 " objects deep, expected 1 to %" PRId64, fifo->name,
					aie_design_tile_text(reader->design, fifo->producer), depth, most);
		depths[i] = (uint32_t)depth;
	}
	fifo->depths = depths;
}

static void read_walk(struct aie_design_reader *reader, const struct aie_fifo *fifo, const struct aie_attr *dims, uint32_t tile, struct aie_walk *walk)
{
	const struct aie_design *design = reader->design;
	const uint64_t most = design->arch->generation->tiles[design->tiles[tile].kind].limits[AIE_DMA_DIMS];

	if (dims->count && design->tiles[tile].kind == AIE_SHIM)
		aie_design_fail(reader, fifo->op, AIE_RULE_FIFO_SHIM, "fifo '%.64s' has dimensions at %s, say them where the host moves", fifo->name,
				aie_design_tile_text(design, tile));
	if (dims->count / 2 > most)
		aie_design_fail(reader, fifo->op, AIE_RULE_DIMS, "fifo '%.64s' needs %u dimensions at %s, of %llu of a DMA", fifo->name, dims->count / 2,
				aie_design_tile_text(design, tile), (unsigned long long)most);
	walk->rank = dims->count / 2;
	for (uint32_t i = 0; i < dims->count; i++)
		if (dims->ints[i] < 0 || dims->ints[i] > AIE_DESIGN_NUMBER)
			aie_design_fail(reader, fifo->op, AIE_RULE_STRIDES, "fifo '%.64s' has a size or stride of %" PRId64 " at %s, expected 0 to %d",
					fifo->name, dims->ints[i], aie_design_tile_text(design, tile), AIE_DESIGN_NUMBER);
	for (uint32_t i = 0; i < walk->rank; i++) {
		walk->sizes[i] = dims->ints[2 * i];
		walk->strides[i] = dims->ints[2 * i + 1];
	}
}

static void read_walks(struct aie_design_reader *reader, const struct aie_op *op, struct aie_fifo *fifo)
{
	const struct aie_attr *to = aie_design_attr(reader, op, "dimensionsToStream", AIE_ATTR_DIMS);
	const struct aie_attr *from = aie_design_attr(reader, op, "dimensionsFromStreamPerConsumer", AIE_ATTR_DIMS_LIST);
	struct aie_walk *walks = common_take(reader->design->arena, fifo->consumer_count, sizeof(*walks));

	if (from->count && from->count != fifo->consumer_count)
		aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "fifo '%.64s' has dimensions for %u consumers, of %u", fifo->name, from->count,
				fifo->consumer_count);
	read_walk(reader, fifo, to, fifo->producer, &fifo->to_stream);
	for (uint32_t i = 0; i < from->count; i++)
		read_walk(reader, fifo, from->items[i], fifo->consumers[i], &walks[i]);
	fifo->from_stream = walks;
}

/* Attributes of the dialect that no model here has: their rules are looked at, and then they are refused. */
static void read_rare(struct aie_design_reader *reader, const struct aie_op *op, const struct aie_fifo *fifo)
{
	const struct aie_attr *init = aie_attr_of(op, "initValues");
	const struct aie_tile *tiles = reader->design->tiles;
	bool memtile = tiles[fifo->producer].kind == AIE_MEMTILE;
	int64_t times = 1;

	if (init)
		aie_design_attr(reader, op, "initValues", AIE_ATTR_LIST);
	if (init && tiles[fifo->producer].kind == AIE_SHIM)
		aie_design_fail(reader, op, AIE_RULE_FIFO_SHIM, "fifo '%.64s' begins with values at %s, which has no memory", fifo->name,
				aie_design_tile_text(reader->design, fifo->producer));
	if (init && init->count != fifo->depths[0])
		aie_design_fail(reader, op, AIE_RULE_FIFO_INIT, "fifo '%.64s' of %s begins with %u values, its depth is %u", fifo->name,
				aie_design_tile_text(reader->design, fifo->producer), init->count, fifo->depths[0]);
	if (init)
		aie_design_unsupported(reader, op, AIE_RULE_KNOWN, "a fifo that begins with values");
	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		memtile |= tiles[fifo->consumers[i]].kind == AIE_MEMTILE;
	aie_design_number(reader, op, "iter_count", false, INT64_MIN, INT64_MAX, &times);
	if (aie_attr_of(op, "iter_count") && (times < 1 || times > 256 || !memtile))
		aie_design_fail(reader, op, AIE_RULE_FIFO_ITER, "fifo '%.64s' of %s runs %" PRId64 " times, expected 1 to 256 and a memory tile at an end",
				fifo->name, aie_design_tile_text(reader->design, fifo->producer), times);
	if (aie_attr_of(op, "iter_count"))
		aie_design_unsupported(reader, op, AIE_RULE_KNOWN, "a fifo that runs a number of times");
	if (aie_design_flag(reader, op, "plio"))
		aie_design_unsupported(reader, op, AIE_RULE_KNOWN, "a fifo through PLIO");
	if (aie_design_flag(reader, op, "disable_synchronization"))
		aie_design_unsupported(reader, op, AIE_RULE_KNOWN, "a fifo without locks");
}

static void read_repeat(struct aie_design_reader *reader, const struct aie_op *op, struct aie_fifo *fifo)
{
	int64_t repeat = 1;

	aie_design_number(reader, op, "repeat_count", false, 1, 255, &repeat);
	if (aie_attr_of(op, "repeat_count") && reader->design->tiles[fifo->producer].kind == AIE_SHIM)
		aie_design_fail(reader, op, AIE_RULE_FIFO_SHIM, "fifo '%.64s' repeats at %s, let the host move its part again", fifo->name,
				aie_design_tile_text(reader->design, fifo->producer));
	fifo->repeat = (uint32_t)repeat;
}

void aie_design_read_fifo(struct aie_design_reader *reader, const struct aie_op *op)
{
	static const char *const names[] = {"sym_name",
					    "elemNumber",
					    "elemType",
					    "via_DMA",
					    "plio",
					    "disable_synchronization",
					    "dimensionsToStream",
					    "dimensionsFromStreamPerConsumer",
					    "repeat_count",
					    "initValues",
					    "iter_count",
					    NULL};
	struct aie_design *design = reader->design;
	struct aie_fifo fifo = {.op = op, .link_in = AIE_NONE, .link_out = AIE_NONE, .allocated = AIE_NONE, .memory = AIE_NONE};
	const struct aie_attr *name, *type;

	aie_design_shape(reader, op, 2, true, 0, 0);
	aie_design_known(reader, op, names);
	name = aie_design_attr(reader, op, "sym_name", AIE_ATTR_STRING);
	type = aie_design_attr(reader, op, "elemType", AIE_ATTR_TYPE);
	fifo.name = name->text;
	if (type->type->kind != AIE_TYPE_FIFO || type->type->element->strided)
		aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "fifo '%.64s' has objects of another type than a memref without strides", fifo.name);
	fifo.type = type->type->element;
	if (aie_design_symbol(design, fifo.name) != AIE_NONE)
		aie_design_fail(reader, op, AIE_RULE_NAME, "fifo '%.64s' stands twice", fifo.name);
	if (design->fifo_count == AIE_DESIGN_FIFOS)
		aie_design_fail(reader, op, AIE_RULE_COUNT, "a design has more than %d fifos", AIE_DESIGN_FIFOS);
	read_ends(reader, op, &fifo);
	read_depths(reader, op, &fifo);
	fifo.via_dma = aie_design_flag(reader, op, "via_DMA");
	read_repeat(reader, op, &fifo);
	read_walks(reader, op, &fifo);
	read_rare(reader, op, &fifo);
	COMMON_ARENA_ADD(design->arena, design->fifos, design->fifo_count, fifo);
}

/* ---- links */

static void read_members(struct aie_design_reader *reader, const struct aie_op *op, const char *name, const uint32_t **fifos_out, uint32_t *count_out)
{
	const struct aie_attr *list = aie_design_attr(reader, op, name, AIE_ATTR_LIST);
	uint32_t *fifos = common_take(reader->design->arena, list->count, sizeof(*fifos));

	for (uint32_t i = 0; i < list->count; i++) {
		struct aie_fifo *fifo;

		if (list->items[i]->kind != AIE_ATTR_SYMBOL)
			aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "attribute '%s' has an item that is no @name", name);
		fifos[i] = aie_design_symbol(reader->design, list->items[i]->text);
		if (fifos[i] == AIE_NONE)
			aie_design_fail(reader, op, AIE_RULE_NAME, "fifo '%.64s' of a link is not known", list->items[i]->text);
		fifo = &reader->design->fifos[fifos[i]];
		if (fifo->link_in != AIE_NONE || fifo->link_out != AIE_NONE)
			aie_design_fail(reader, op, AIE_RULE_LINK_ONCE, "fifo '%.64s' is in 2 links, of 1", fifo->name);
		*(name[4] == 'I' ? &fifo->link_in : &fifo->link_out) = reader->design->link_count;
	}
	*fifos_out = fifos;
	*count_out = list->count;
}

static bool consumes(const struct aie_fifo *fifo, uint32_t tile)
{
	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		if (fifo->consumers[i] == tile)
			return true;
	return false;
}

static void meet(struct aie_design_reader *reader, const struct aie_op *op, struct aie_link *link)
{
	const struct aie_design *design = reader->design;

	if (!link->in_count || !link->out_count || (link->in_count > 1 && link->out_count > 1))
		aie_design_fail(reader, op, AIE_RULE_LINK_SHAPE, "a link has %u fifos in and %u out, expected 1 on one side and 1 or more on the other",
				link->in_count, link->out_count);
	link->tile = design->fifos[link->outs[0]].producer;
	for (uint32_t i = 1; i < link->out_count; i++)
		if (design->fifos[link->outs[i]].producer != link->tile)
			aie_design_fail(reader, op, AIE_RULE_LINK_TILE, "fifo '%.48s' of a link begins on %s, the others on %s",
					design->fifos[link->outs[i]].name, aie_design_tile_text(design, design->fifos[link->outs[i]].producer),
					aie_design_tile_text(design, link->tile));
	for (uint32_t i = 0; i < link->in_count; i++)
		if (!consumes(&design->fifos[link->ins[i]], link->tile))
			aie_design_fail(reader, op, AIE_RULE_LINK_TILE, "fifo '%.48s' of a link does not end on %s, where the link gives on",
					design->fifos[link->ins[i]].name, aie_design_tile_text(design, link->tile));
	if (link->in_count + link->out_count > 2 && design->tiles[link->tile].kind != AIE_MEMTILE)
		aie_design_fail(reader, op, AIE_RULE_LINK_MEMTILE, "a link of %u and %u fifos stands on %s, which needs a memory tile", link->in_count,
				link->out_count, aie_design_tile_text(design, link->tile));
	for (uint32_t i = 1; i < link->out_count; i++)
		if (design->fifos[link->outs[i]].repeat != design->fifos[link->outs[0]].repeat)
			aie_design_fail(reader, op, AIE_RULE_LINK_REPEAT, "fifo '%.48s' of a link on %s repeats %u times, the first one %u times",
					design->fifos[link->outs[i]].name, aie_design_tile_text(design, link->tile), design->fifos[link->outs[i]].repeat,
					design->fifos[link->outs[0]].repeat);
}

static uint32_t number_count(const struct aie_attr *attr)
{
	return attr->kind == AIE_ATTR_LIST || attr->kind == AIE_ATTR_INTS ? attr->count : AIE_NONE;
}

/* A 0 for the one fifo on a side, as the dialect's own tools print a link of one to one. */
static bool says_beginning(const struct aie_link *link, const struct aie_attr *attr)
{
	int64_t offset;

	return link->in_count + link->out_count == 2 && attr->count == 1 && depth_of(attr, 0, &offset) && !offset;
}

static void read_offsets(struct aie_design_reader *reader, const struct aie_op *op, struct aie_link *link)
{
	static const char *const names[] = {"src_offsets", "dst_offsets"};
	uint32_t said = 0;
	const uint32_t wanted[] = {link->in_count > 1 ? link->in_count : 0, link->out_count > 1 ? link->out_count : 0};
	int64_t *offsets = common_take(reader->design->arena, wanted[0] + wanted[1], sizeof(*offsets));

	for (uint32_t side = 0; side < 2; side++) {
		const struct aie_attr *attr = aie_attr_of(op, names[side]);

		if (!attr || number_count(attr) == AIE_NONE)
			aie_design_attr(reader, op, names[side], AIE_ATTR_LIST);
		if (says_beginning(link, attr) && !said++)
			continue;
		if (attr->count != wanted[side])
			aie_design_fail(reader, op, AIE_RULE_LINK_OFFSETS, "a link on %s has %u offsets in '%s', %u are needed",
					aie_design_tile_text(reader->design, link->tile), attr->count, names[side], wanted[side]);
		for (uint32_t i = 0; i < attr->count; i++)
			if (!depth_of(attr, i, &offsets[i]))
				aie_design_fail(reader, op, AIE_RULE_ATTRIBUTE, "attribute '%s' has an item that is no number", names[side]);
	}
	link->offsets = wanted[0] + wanted[1] ? offsets : NULL;
}

/* Elements that two parts have in common? */
static bool overlap(const struct aie_design *design, const struct aie_link *link, uint32_t a, uint32_t b)
{
	const int64_t ends[] = {link->offsets[a] + (int64_t)aie_type_count(design->fifos[link->ins[a]].type),
				link->offsets[b] + (int64_t)aie_type_count(design->fifos[link->ins[b]].type)};

	return link->offsets[a] < ends[1] && link->offsets[b] < ends[0];
}

static void parts_fit(struct aie_design_reader *reader, const struct aie_op *op, const struct aie_link *link)
{
	const struct aie_design *design = reader->design;
	const bool joins = link->in_count > 1;
	const uint32_t *parts = joins ? link->ins : link->outs, count = joins ? link->in_count : link->out_count;
	const struct aie_fifo *whole = &design->fifos[joins ? link->outs[0] : link->ins[0]];
	const uint64_t all = aie_type_count(whole->type);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct aie_fifo *part = &design->fifos[parts[i]];
		const int64_t offset = link->offsets ? link->offsets[i] : 0;
		const uint64_t size = aie_type_count(part->type);

		sum += size;
		if (part->type->element != whole->type->element || offset < 0 || size > all || (uint64_t)offset > all - size || (!link->offsets && size != all))
			aie_design_fail(reader, op, AIE_RULE_LINK_FITS,
					"'%.40s' takes elements %" PRId64 " to %" PRId64 " of '%.40s' on %s, which has %" PRIu64 "%s", part->name, offset,
					(int64_t)((uint64_t)offset + size - 1), whole->name, aie_design_tile_text(design, link->tile), all,
					part->type->element != whole->type->element ? " of another type" : "");
		for (uint32_t j = 0; joins && j < i; j++)
			if (overlap(design, link, i, j))
				aie_design_fail(reader, op, AIE_RULE_LINK_FITS, "'%.40s' and '%.40s' are joined on %s into the same elements of '%.40s'",
						part->name, design->fifos[parts[j]].name, aie_design_tile_text(design, link->tile), whole->name);
	}
	if (joins && sum != all)
		aie_design_fail(reader, op, AIE_RULE_LINK_FITS, "%" PRIu64 " elements are joined on %s into '%.40s', which has %" PRIu64, sum,
				aie_design_tile_text(design, link->tile), whole->name, all);
}

void aie_design_read_link(struct aie_design_reader *reader, const struct aie_op *op)
{
	static const char *const names[] = {"fifoIns", "fifoOuts", "src_offsets", "dst_offsets", NULL};
	struct aie_design *design = reader->design;
	struct aie_link link = {.op = op};

	aie_design_shape(reader, op, 0, false, 0, 0);
	aie_design_known(reader, op, names);
	read_members(reader, op, "fifoIns", &link.ins, &link.in_count);
	read_members(reader, op, "fifoOuts", &link.outs, &link.out_count);
	meet(reader, op, &link);
	read_offsets(reader, op, &link);
	parts_fit(reader, op, &link);
	COMMON_ARENA_ADD(design->arena, design->links, design->link_count, link);
}

/* ---- memory that is said */

static bool sees(const struct aie_design *design, uint32_t tile, uint32_t memory)
{
	const struct aie_tile *of = &design->tiles[tile], *at = &design->tiles[memory];

	return aie_arch_shares(design->arch, of->column, of->row, at->column, at->row);
}

static bool has_walk(const struct aie_fifo *fifo)
{
	return fifo->to_stream.rank || fifo->from_stream[0].rank;
}

/* A reason that keeps a fifo from lying in one memory, besides where its ends are; NULL: none. */
static const char *stays_not(const struct aie_design *design, const struct aie_fifo *fifo, uint32_t tile)
{
	const uint32_t number = fifo->link_in != AIE_NONE ? fifo->link_in : fifo->link_out;
	const struct aie_link *link = number == AIE_NONE ? NULL : &design->links[number];

	if (fifo->allocated != AIE_NONE)
		return "was allocated before";
	if (fifo->consumer_count != 1)
		return "has several consumers";
	if (fifo->via_dma || has_walk(fifo) || aie_attr_of(fifo->op, "repeat_count"))
		return "needs a DMA for what is said of it";
	if (link && (link->in_count + link->out_count > 2 || design->fifos[link->ins[0]].type != design->fifos[link->outs[0]].type))
		return "is a part of a link, or its whole";
	return link && link->tile != tile ? "is linked on another tile" : NULL;
}

void aie_design_read_allocate(struct aie_design_reader *reader, const struct aie_op *op)
{
	static const char *const names[] = {"objFifo_name", NULL};
	struct aie_design *design = reader->design;
	const struct aie_attr *name;
	struct aie_fifo *fifo;
	const char *why;
	uint32_t number, tile;

	aie_design_shape(reader, op, 1, false, 0, 0);
	aie_design_known(reader, op, names);
	name = aie_design_attr(reader, op, "objFifo_name", AIE_ATTR_SYMBOL);
	tile = aie_design_tile(design, op->operands[0]);
	number = aie_design_symbol(design, name->text);
	if (number == AIE_NONE)
		aie_design_fail(reader, op, AIE_RULE_NAME, "fifo '%.64s' that is allocated is not known", name->text);
	fifo = &design->fifos[number];
	if (tile == AIE_NONE)
		aie_design_fail(reader, op, AIE_RULE_FIFO_TILE, "fifo '%.64s' is allocated on what is no tile", fifo->name);
	why = stays_not(design, fifo, tile);
	if (why)
		aie_design_fail(reader, op, AIE_RULE_ALLOCATE, "fifo '%.48s' is allocated on %s and %s", fifo->name, aie_design_tile_text(design, tile), why);
	for (uint32_t end = 0; end < 2; end++)
		if (!sees(design, end ? fifo->consumers[0] : fifo->producer, tile))
			aie_design_fail(reader, op, AIE_RULE_ALLOCATE, "fifo '%.48s' is allocated on %s, whose memory %s does not see", fifo->name,
					aie_design_tile_text(design, tile), aie_design_tile_text(design, end ? fifo->consumers[0] : fifo->producer));
	fifo->allocated = tile;
}

/* ---- when all are there */

uint32_t aie_fifo_end(const struct aie_fifo *fifo, uint32_t tile, bool produces)
{
	if (produces)
		return fifo->producer == tile ? 0 : AIE_NONE;
	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		if (fifo->consumers[i] == tile)
			return 1 + i;
	return AIE_NONE;
}

/* most[fifo][end]: objects that a core has at once, by what it asks for. */
static void note_acquire(const struct aie_design *design, uint32_t **most, uint32_t tile, const struct aie_op *op)
{
	const struct aie_attr *name = aie_attr_of(op, "objFifo_name"), *port = aie_attr_of(op, "port"), *size = aie_attr_of(op, "size");
	uint32_t fifo, end;

	if (!name || !port || !size || name->kind != AIE_ATTR_SYMBOL || size->number < 1 || size->number > UINT32_MAX)
		return;
	fifo = aie_design_symbol(design, name->text);
	end = fifo == AIE_NONE ? AIE_NONE : aie_fifo_end(&design->fifos[fifo], tile, port->number == 0);
	if (end != AIE_NONE && most[fifo][end] < (uint32_t)size->number)
		most[fifo][end] = (uint32_t)size->number;
}

static void note_acquires(const struct aie_design *design, uint32_t **most, uint32_t tile, const struct aie_region *region)
{
	for (const struct aie_op *op = region->first; op; op = op->next) {
		if (aie_op_is(op, "aie.objectfifo.acquire"))
			note_acquire(design, most, tile, op);
		for (uint32_t i = 0; i < op->region_count; i++)
			note_acquires(design, most, tile, &op->regions[i]);
	}
}

static void settle_depths(const struct aie_design *design, struct aie_fifo *fifo, const uint32_t *most)
{
	uint32_t *depths = (uint32_t *)(uintptr_t)fifo->depths;
	const bool one = aie_attr_of(fifo->op, "elemNumber")->kind == AIE_ATTR_INT;
	uint32_t largest = 0;

	for (uint32_t i = 0; i <= fifo->consumer_count; i++) {
		const uint32_t tile = i ? fifo->consumers[i - 1] : fifo->producer;

		if (one && design->tiles[tile].kind == AIE_CORE && most[i] && most[i] <= depths[i] && depths[i] > 1)
			depths[i] = most[i] + 1;
		largest = depths[i] > largest ? depths[i] : largest;
	}
	for (uint32_t i = 0; !fifo->moves && i <= fifo->consumer_count; i++)
		depths[i] = largest;
}

/* A core sees the memory of the other: the producer's is taken where both do. */
static uint32_t shared_memory(const struct aie_design *design, const struct aie_fifo *fifo)
{
	if (sees(design, fifo->consumers[0], fifo->producer))
		return fifo->producer;
	return sees(design, fifo->producer, fifo->consumers[0]) ? fifo->consumers[0] : AIE_NONE;
}

static void settle_moves(const struct aie_design *design, struct aie_fifo *fifo)
{
	const bool alone = fifo->link_in == AIE_NONE && fifo->link_out == AIE_NONE && fifo->consumer_count == 1;

	fifo->memory = fifo->allocated;
	if (alone && fifo->memory == AIE_NONE && !fifo->via_dma && !has_walk(fifo) && !aie_attr_of(fifo->op, "repeat_count"))
		fifo->memory = shared_memory(design, fifo);
	fifo->moves = fifo->memory == AIE_NONE;
}

/* The objects of all ends that a link puts together are the same ones. */
static void settle_link(struct aie_design *design, const struct aie_link *link)
{
	uint32_t largest = 0;

	for (int again = 0; again < 2; again++)
		for (uint32_t i = 0; i < link->in_count + link->out_count; i++) {
			struct aie_fifo *fifo = &design->fifos[i < link->in_count ? link->ins[i] : link->outs[i - link->in_count]];
			uint32_t *depths = (uint32_t *)(uintptr_t)fifo->depths, end = aie_fifo_end(fifo, link->tile, i >= link->in_count);

			if (again)
				depths[end] = largest;
			if (again && !fifo->moves)
				depths[!end] = largest;
			largest = depths[end] > largest ? depths[end] : largest;
		}
}

void aie_design_settle_fifos(struct aie_design_reader *reader)
{
	struct aie_design *design = reader->design;
	uint32_t **most = common_take(design->arena, design->fifo_count, sizeof(*most));

	for (uint32_t i = 0; i < design->fifo_count; i++)
		most[i] = common_take(design->arena, 1 + design->fifos[i].consumer_count, sizeof(**most));
	for (uint32_t i = 0; i < design->core_count; i++)
		note_acquires(design, most, design->cores[i].tile, &design->cores[i].op->regions[0]);
	for (uint32_t i = 0; i < design->fifo_count; i++) {
		settle_moves(design, &design->fifos[i]);
		settle_depths(design, &design->fifos[i], most[i]);
	}
	for (uint32_t i = 0; i < design->link_count; i++)
		settle_link(design, &design->links[i]);
}
