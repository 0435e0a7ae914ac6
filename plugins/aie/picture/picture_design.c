/* SPDX-License-Identifier: MIT */
#include "aie/picture/picture_design.h"

#include <string.h>

#include "aie/ir/ir_print.h"
#include "base/error.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_text.h"

struct drawer {
	struct aie_picture_design *drawn;
	const struct aie_design *design;
	const struct aie_channels *channels;
	struct aie_picture_tile *tiles;
	bool failed; /* memory ran out */
};

/* A text of the picture's own. */
static const char *own(struct drawer *d, struct common_text *text)
{
	const char *copy = text->failed || !text->bytes ? NULL : common_copy(d->drawn->arena, text->bytes, text->length);

	d->failed |= !copy;
	common_text_finish(text);
	return copy ? copy : "";
}

/* ---- tiles ------------------------------------------------------------------------------------------------------------------------------------------- */

static void add_node(struct drawer *d, uint32_t tile, const char *name)
{
	struct aie_picture_tile *t = &d->tiles[tile];
	const char **nodes;

	for (uint32_t i = 0; i < t->node_count; i++)
		if (!strcmp(t->nodes[i], name))
			return;
	nodes = common_arena_grow(d->drawn->arena, t->nodes, t->node_count, sizeof(*nodes));
	if (!nodes) {
		d->failed = true;
		return;
	}
	nodes[t->node_count++] = name;
	t->nodes = nodes;
}

/* As the package calls it, where the function says so. */
static const char *kernel_of(const struct drawer *d, const char *function)
{
	const uint32_t row = common_names_find(&d->design->function_names, function);
	const struct aie_attr *kernel = row ? aie_attr_of(d->design->functions[row - 1].op, "ptowsp.kernel") : NULL;

	return kernel && kernel->kind == AIE_ATTR_STRING ? kernel->text : function;
}

static void add_calls(struct drawer *d, uint32_t tile, const struct aie_op *op)
{
	const struct aie_attr *callee = aie_op_is(op, "func.call") ? aie_attr_of(op, "callee") : NULL;

	if (callee && callee->kind == AIE_ATTR_SYMBOL)
		add_node(d, tile, kernel_of(d, callee->text));
	for (uint32_t i = 0; i < op->region_count; i++)
		for (const struct aie_op *inner = op->regions[i].first; inner; inner = inner->next)
			add_calls(d, tile, inner);
}

static void add_names(struct common_text *text, const struct aie_design *design, const uint32_t *fifos, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		common_text_put(text, i ? ", " : "");
		common_text_put(text, design->fifos[fifos[i]].name);
	}
}

static void add_link(struct drawer *d, const struct aie_link *link)
{
	struct common_text text = {0};

	add_names(&text, d->design, link->ins, link->in_count);
	common_text_put(&text, " \xe2\x96\xb8 ");
	add_names(&text, d->design, link->outs, link->out_count);
	add_node(d, link->tile, own(d, &text));
}

static void add_fifo(struct drawer *d, const struct aie_fifo *fifo)
{
	struct common_text text = {0};

	if (aie_fifo_lent(fifo))
		return; /* its link names it */
	if (!fifo->moves) {
		common_text_put(&text, fifo->name);
		common_text_put(&text, " in memory");
		add_node(d, fifo->memory, own(d, &text));
		return;
	}
	if (d->design->tiles[fifo->producer].kind == AIE_SHIM)
		add_node(d, fifo->producer, fifo->name);
	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		if (d->design->tiles[fifo->consumers[i]].kind == AIE_SHIM)
			add_node(d, fifo->consumers[i], fifo->name);
}

static void add_nodes(struct drawer *d)
{
	const struct aie_design *design = d->design;

	for (uint32_t i = 0; i < design->core_count; i++) {
		struct aie_picture_tile *tile = &d->tiles[design->cores[i].tile];

		add_calls(d, design->cores[i].tile, design->cores[i].op);
		if (!tile->node_count)
			add_node(d, design->cores[i].tile, "a loop of its own");
	}
	for (uint32_t i = 0; i < design->link_count; i++)
		add_link(d, &design->links[i]);
	for (uint32_t i = 0; i < design->fifo_count; i++)
		add_fifo(d, &design->fifos[i]);
}

/* Stretches of memory, and what is left free between them where they are aligned. */
static void add_memory(struct drawer *d, uint32_t tile)
{
	struct aie_picture_tile *t = &d->tiles[tile];
	struct aie_picture_part *parts = NULL;
	uint64_t end = 0;

	for (uint32_t i = 0; i < d->channels->memory_count && !d->failed; i++) {
		const struct aie_memory *memory = &d->channels->memory[i];

		if (memory->tile != tile)
			continue;
		for (int gap = memory->offset > end; gap >= 0; gap--) {
			parts = common_arena_grow(d->drawn->arena, parts, t->part_count, sizeof(*parts));
			if (!parts) {
				d->failed = true;
				return;
			}
			parts[t->part_count++] =
				gap ? (struct aie_picture_part){"free", memory->offset - end} : (struct aie_picture_part){memory->what, memory->bytes};
		}
		end = memory->offset + memory->bytes;
	}
	t->parts = parts;
}

static void add_tiles(struct drawer *d)
{
	const struct aie_design *design = d->design;

	for (uint32_t i = 0; i < design->tile_count; i++) {
		d->tiles[i].column = design->tiles[i].column;
		d->tiles[i].row = design->tiles[i].row;
		memcpy(d->tiles[i].used, d->channels->used[i], sizeof(d->tiles[i].used));
		add_memory(d, i);
	}
	add_nodes(d);
}

/* ---- streams ----------------------------------------------------------------------------------------------------------------------------------------- */

/* Words that the host sends or takes; 0 for streams between others. */
static uint64_t words_of(const struct aie_design *design, uint32_t fifo)
{
	const uint64_t bytes = aie_type_bytes(design->fifos[fifo].type->element);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < design->step_count; i++) {
		const struct aie_step *step = &design->steps[i];

		if (!step->waits && step->fifo == fifo)
			sum += (uint64_t)step->sizes[0] * (uint64_t)step->sizes[1] * (uint64_t)step->sizes[2] * (uint64_t)step->sizes[3] * bytes / 4;
	}
	return sum;
}

static void add_streams(struct drawer *d, struct aie_picture_stream *streams, const uint32_t *fifos, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct aie_fifo *fifo = &d->design->fifos[fifos[i]];
		struct common_text text = {0};

		aie_print_type(&text, fifo->type);
		common_text_add(&text, ", %u", fifo->depths[0]);
		for (uint32_t k = 0; k < fifo->consumer_count; k++)
			common_text_add(&text, " + %u", fifo->depths[k + 1]);
		common_text_put(&text, " objects");
		streams[i] = (struct aie_picture_stream){.name = fifo->name, .text = own(d, &text), .words = words_of(d->design, fifos[i])};
	}
}

ptowsp_status aie_picture_of_design(struct aie_picture_design *drawn, const struct aie_design *design, const struct aie_channels *channels,
				    const struct aie_routes *routes, const char *title, struct ptowsp_error *error)
{
	struct drawer d = {.drawn = drawn, .design = design, .channels = channels};
	struct aie_picture_stream *streams;
	const struct aie_flow *flows;
	const uint32_t *fifos;
	uint32_t count;

	*drawn = (struct aie_picture_design){.arena = common_arena_create()};
	aie_design_flows(channels, &flows, &fifos, &count);
	d.tiles = drawn->arena ? common_take(drawn->arena, (size_t)design->tile_count + 1, sizeof(*d.tiles)) : NULL;
	streams = drawn->arena ? common_take(drawn->arena, (size_t)count + 1, sizeof(*streams)) : NULL;
	d.failed = !d.tiles || !streams;
	if (!d.failed) {
		add_tiles(&d);
		add_streams(&d, streams, fifos, count);
	}
	if (d.failed) {
		aie_picture_design_finish(drawn);
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the picture of a design");
	}
	drawn->tiles = d.tiles;
	drawn->picture = (struct aie_picture){
		.arch = design->arch, .title = title, .tiles = d.tiles, .tile_count = design->tile_count, .flows = flows, .streams = streams, .routes = routes};
	return PTOWSP_OK;
}

static struct aie_picture_tile *tile_at(struct aie_picture_design *drawn, int32_t column, int32_t row)
{
	for (uint32_t t = 0; t < drawn->picture.tile_count; t++)
		if (drawn->tiles[t].column == column && drawn->tiles[t].row == row)
			return &drawn->tiles[t];
	return NULL;
}

void aie_picture_busy(struct aie_picture_design *drawn, int32_t column, int32_t row, uint64_t cycles)
{
	struct aie_picture_tile *tile = tile_at(drawn, column, row);

	if (tile)
		tile->busy = cycles;
}

void aie_picture_program(struct aie_picture_design *drawn, int32_t column, int32_t row, uint64_t program, uint64_t frame)
{
	struct aie_picture_tile *tile = tile_at(drawn, column, row);

	if (tile)
		tile->program = program;
	if (tile)
		tile->frame = frame;
}

void aie_picture_design_finish(struct aie_picture_design *drawn)
{
	if (drawn->arena)
		common_arena_destroy(drawn->arena);
	*drawn = (struct aie_picture_design){0};
}
