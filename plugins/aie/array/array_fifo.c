/* SPDX-License-Identifier: MIT */
/* array_fifo.c - aie.objectfifo and its links as buffers, pairs of locks, flows and chains of descriptors, as mlir-aie's AIEObjectFifoStatefulTransform makes them. */
#include "aie/array/array_own.h"
#include "registry/common/common_arena.h"

#include "base/error.h"
#include <inttypes.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------------------------------------------------- */

static void depths_read(struct aie_array *array, struct array_fifo *fifo)
{
	const struct aie_attr *attr = aie_attr_of(fifo->op, "elemNumber");

	fifo->depths = common_take(array->arena, 1 + fifo->consumer_count, sizeof(*fifo->depths));
	fifo->listed = attr && attr->kind != AIE_ATTR_INT;
	for (uint32_t i = 0; i <= fifo->consumer_count; i++) {
		const int64_t depth = attr ? array_number_at(attr, i, -1) : -1;

		if (depth < (fifo->listed ? 0 : 1) || depth > AIE_ARRAY_DEPTH)
			array_fail(array, fifo->op, PTOWSP_INVALID, "fifo '%.64s' is %" PRId64 " objects deep, expected 1 to %d for each end", fifo->name,
				   depth, AIE_ARRAY_DEPTH);
		fifo->depths[i] = (uint32_t)depth;
	}
}

static void fifo_read(struct aie_array *array, const struct aie_op *op)
{
	const struct aie_attr *type = aie_attr_of(op, "elemType");
	const uint32_t consumers = op->operand_count ? op->operand_count - 1 : 0, row = array->fifo_count;
	struct array_fifo *fifo;

	if (row == AIE_ARRAY_FIFOS)
		array_fail(array, op, PTOWSP_UNSUPPORTED, "a device has more than %d fifos", AIE_ARRAY_FIFOS);
	fifo = ARRAY_ROW(array, op, fifo);
	array->report->fifos = array->fifo_count;
	*fifo = (struct array_fifo){.op = op,
				    .name = array_text(op, "sym_name"),
				    .consumer_count = consumers,
				    .from = AIE_NONE,
				    .link_in = AIE_NONE,
				    .link_out = AIE_NONE,
				    .allocated = AIE_NONE,
				    .consumers = common_take(array->arena, consumers + 1, sizeof(*fifo->consumers)),
				    .to = common_take(array->arena, consumers + 1, sizeof(*fifo->to)),
				    .got = common_take(array->arena, consumers + 1, sizeof(*fifo->got))};
	if (!consumers || !fifo->name || !type || type->kind != AIE_ATTR_TYPE || type->type->kind != AIE_TYPE_FIFO || type->type->element->strided)
		array_fail(array, op, PTOWSP_INVALID, "other operands or attributes than it must have");
	fifo->type = type->type->element;
	for (uint32_t i = 0; i <= consumers; i++) {
		const uint32_t tile = array_tile_of(array, op, i);

		if (tile == AIE_NONE)
			array_fail(array, op, PTOWSP_INVALID, "end %u of fifo '%.64s' is no tile", i, fifo->name);
		*(i ? &fifo->consumers[i - 1] : &fifo->producer) = tile;
	}
	for (uint32_t i = 0; i < row; i++)
		if (array->fifos[i].name == fifo->name)
			array_fail(array, op, PTOWSP_INVALID, "fifo '%.64s' stands twice", fifo->name);
	fifo->repeat = (uint32_t)array_number(op, "repeat_count", 1);
	fifo->times = (uint32_t)array_number(op, "iter_count", 0);
	if (fifo->repeat < 1 || fifo->repeat > AIE_ARRAY_DEPTH || fifo->times > UINT16_MAX)
		array_fail(array, op, PTOWSP_INVALID, "fifo '%.64s' repeats, or goes round, below 1 or too many times", fifo->name);
	depths_read(array, fifo);
	array_fifo_check(array, fifo);
}

static uint32_t fifo_named(const struct aie_array *array, const char *name)
{
	for (uint32_t i = 0; i < array->fifo_count; i++)
		if (!strcmp(array->fifos[i].name, name))
			return i;
	return AIE_NONE;
}

static void members_read(struct aie_array *array, const struct aie_op *op, const char *name, uint32_t link, bool in, uint32_t **fifos_out, uint32_t *count_out)
{
	const struct aie_attr *list = aie_attr_of(op, name);

	if (!list || list->kind != AIE_ATTR_LIST || !list->count)
		array_fail(array, op, PTOWSP_INVALID, "other attributes than it must have");
	*fifos_out = common_take(array->arena, list->count, sizeof(**fifos_out));
	*count_out = list->count;
	for (uint32_t i = 0; i < list->count; i++) {
		const uint32_t fifo = list->items[i]->kind == AIE_ATTR_SYMBOL ? fifo_named(array, list->items[i]->text) : AIE_NONE;
		uint32_t *in_link = fifo == AIE_NONE ? NULL : in ? &array->fifos[fifo].link_in : &array->fifos[fifo].link_out;

		if (!in_link)
			array_fail(array, op, PTOWSP_INVALID, "member %u of its %s, '%.64s', is no fifo of this device", i, in ? "inputs" : "outputs",
				   list->items[i]->kind == AIE_ATTR_SYMBOL ? list->items[i]->text : "");
		if (*in_link != AIE_NONE)
			array_fail(array, op, PTOWSP_INVALID, "fifo '%.64s' stands in two links, or twice in one", array->fifos[fifo].name);
		*in_link = link;
		(*fifos_out)[i] = fifo;
	}
}

static uint32_t consumer_on(const struct array_fifo *fifo, uint32_t tile)
{
	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		if (fifo->consumers[i] == tile)
			return i;
	return AIE_NONE;
}

static void link_read(struct aie_array *array, const struct aie_op *op)
{
	struct array_link *link = ARRAY_ROW(array, op, link);
	const uint32_t row = array->link_count - 1;

	members_read(array, op, "fifoIns", row, true, &link->ins, &link->in_count);
	members_read(array, op, "fifoOuts", row, false, &link->outs, &link->out_count);
	link->tile = array->fifos[link->outs[0]].producer;
	if (link->in_count > 1 && link->out_count > 1)
		array_fail(array, op, PTOWSP_INVALID, "a link of several fifos to several");
	for (uint32_t i = 0; i < link->in_count; i++)
		if (consumer_on(&array->fifos[link->ins[i]], link->tile) == AIE_NONE)
			array_fail(array, op, PTOWSP_INVALID, "fifo '%.64s' does not end where the link gives on", array->fifos[link->ins[i]].name);
	for (uint32_t i = 1; i < link->out_count; i++)
		if (array->fifos[link->outs[i]].producer != link->tile)
			array_fail(array, op, PTOWSP_INVALID, "fifo '%.64s' begins elsewhere than the link's others", array->fifos[link->outs[i]].name);
	array_link_check(array, op, link);
}

static void allocate_read(struct aie_array *array, const struct aie_op *op)
{
	const char *name = array_text(op, "objFifo_name");
	const uint32_t row = name ? fifo_named(array, name) : AIE_NONE, tile = op->operand_count == 1 ? array_tile_of(array, op, 0) : AIE_NONE;

	if (row == AIE_NONE || tile == AIE_NONE)
		array_fail(array, op, PTOWSP_INVALID, "what is allocated is no fifo, or not on a tile");
	array_allocate_check(array, op, &array->fifos[row], tile);
	array->fifos[row].allocated = tile;
}

/* ---- what moves ----------------------------------------------------------------------------------------------------- */

static bool near(const struct array_tile *a, const struct array_tile *b)
{
	const int32_t columns = a->column - b->column, rows = a->row - b->row;

	return a->kind == AIE_CORE && b->kind == AIE_CORE && ((!columns && rows >= -1 && rows <= 1) || (!rows && columns >= -1 && columns <= 1));
}

static bool has_walk(const struct aie_op *op)
{
	const struct aie_attr *to = aie_attr_of(op, "dimensionsToStream"), *from = aie_attr_of(op, "dimensionsFromStreamPerConsumer");

	for (uint32_t i = 0; from && from->kind == AIE_ATTR_DIMS_LIST && i < from->count; i++)
		if (from->items[i]->count)
			return true;
	return to && to->count;
}

static bool is_linked(const struct array_fifo *fifo)
{
	return fifo->link_in != AIE_NONE || fifo->link_out != AIE_NONE;
}

static bool moves(const struct aie_array *array, const struct array_fifo *fifo)
{
	if (fifo->allocated != AIE_NONE)
		return false;
	return fifo->consumer_count > 1 || is_linked(fifo) || fifo->repeat > 1 || array_flag(fifo->op, "via_DMA") || has_walk(fifo->op) ||
	       !near(&array->tiles[fifo->producer], &array->tiles[fifo->consumers[0]]);
}

static uint32_t channel_free(struct aie_array *array, const struct array_fifo *fifo, uint32_t tile, bool sends)
{
	uint32_t number = 0, channel;

	while (number + 1 < AIE_ARRAY_CHANNELS && array->tiles[tile].channels[sends][number])
		number++;
	channel = array_channel_take(array, fifo->op, tile, sends, number);
	array->channels[channel].name = fifo->name;
	return channel;
}

static void channels_give(struct aie_array *array, struct array_fifo *fifo)
{
	fifo->from = channel_free(array, fifo, fifo->producer, true);
	for (uint32_t i = 0; i < fifo->consumer_count; i++) {
		fifo->to[i] = channel_free(array, fifo, fifo->consumers[i], false);
		*ARRAY_ROW(array, fifo->op, flow) = (struct array_flow){fifo->from, fifo->to[i], AIE_NONE};
	}
}

/* ---- pools ---------------------------------------------------------------------------------------------------------- */

/* The most objects that the core on a tile holds of an end at once; 0: there is no core, or it does not use it. */
static uint32_t held_by(const struct aie_region *region, const char *name, int64_t port)
{
	uint32_t most = 0;

	for (const struct aie_op *op = region->first; op; op = op->next) {
		const char *fifo = aie_op_is(op, "aie.objectfifo.acquire") ? array_text(op, "objFifo_name") : NULL;
		const int64_t size = fifo == name && array_number(op, "port", -1) == port ? array_number(op, "size", 0) : 0;

		most = size > most && size <= AIE_ARRAY_DEPTH ? (uint32_t)size : most;
		for (uint32_t i = 0; i < op->region_count; i++) {
			const uint32_t inside = held_by(&op->regions[i], name, port);

			most = inside > most ? inside : most;
		}
	}
	return most;
}

/* One number for all ends: a core's end has one more than it holds at once, and 1 where both are 1. */
static uint32_t depth_of(const struct aie_array *array, const struct array_fifo *fifo, uint32_t end)
{
	const uint32_t tile = end ? fifo->consumers[end - 1] : fifo->producer, said = fifo->depths[end];
	uint32_t held = 0;

	if (fifo->listed)
		return said ? said : 1;
	if (array->tiles[tile].core)
		held = held_by(&array->tiles[tile].core->regions[0], fifo->name, end != 0);
	return !held || (held == 1 && said == 1) ? said : held + 1;
}

static void locks_make(struct aie_array *array, const struct array_fifo *fifo, uint32_t tile, uint32_t depth, bool begun, uint32_t *put, uint32_t *full)
{
	const char *name = fifo->name, *room = common_format(array->arena, "%s room", name);

	if (array->arch->binary && depth > 1)
		array_fail(array, fifo->op, PTOWSP_UNSUPPORTED,
			   "fifo '%.64s' is %u objects deep on tile %s; locks of this generation do not count, and fifos deeper than 1 have no model there",
			   name, depth, array_tile_text(array, tile));
	array_locks_take(array, fifo->op, tile, 2, depth);
	*put = array_semaphore(array, tile, room, begun ? 0 : depth, false);
	*full = array_semaphore(array, tile, name, begun ? depth : 0, false);
}

static void pool_make(struct aie_array *array, const struct array_fifo *fifo, uint32_t tile, uint32_t depth, uint64_t bytes, struct array_pool *pool)
{
	const struct aie_attr *values = aie_attr_of(fifo->op, "initValues");
	const bool begun = values && values->kind == AIE_ATTR_LIST && values->count == depth && pool == &fifo->put;

	if (!bytes || bytes > AIE_ARRAY_BYTES / depth)
		array_fail(array, fifo->op, PTOWSP_INVALID, "fifo '%.64s' has no bytes, or more than any tile", fifo->name);
	array_bytes_take(array, fifo->op, tile, depth * bytes);
	*pool = (struct array_pool){common_take(array->arena, depth, sizeof(*pool->objects)), depth, bytes, AIE_NONE, AIE_NONE};
	for (uint32_t i = 0; i < depth; i++) {
		pool->objects[i] = aie_net_memory(array->net, bytes);
		if (begun && values->items[i]->kind == AIE_ATTR_DENSE)
			aie_initial_put(pool->objects[i], fifo->type, values->items[i]);
	}
	locks_make(array, fifo, tile, depth, begun, &pool->put, &pool->full);
}

static uint32_t most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* Pools of a fifo's ends that are in no link. */
static void pools_make(struct aie_array *array, struct array_fifo *fifo)
{
	const uint64_t bytes = aie_type_bytes(fifo->type);

	if (!fifo->moves && is_linked(fifo))
		return; /* link_pool */
	if (!fifo->moves) {
		const uint32_t tile = fifo->allocated == AIE_NONE ? fifo->producer : fifo->allocated;

		pool_make(array, fifo, tile, most(depth_of(array, fifo, 0), depth_of(array, fifo, 1)), bytes, &fifo->put);
		fifo->got[0] = fifo->put;
		return;
	}
	if (array->tiles[fifo->producer].kind != AIE_SHIM && fifo->link_out == AIE_NONE)
		pool_make(array, fifo, fifo->producer, depth_of(array, fifo, 0), bytes, &fifo->put);
	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		if (array->tiles[fifo->consumers[i]].kind != AIE_SHIM && (fifo->link_in == AIE_NONE || array->links[fifo->link_in].tile != fifo->consumers[i]))
			pool_make(array, fifo, fifo->consumers[i], depth_of(array, fifo, 1 + i), bytes, &fifo->got[i]);
}

static int64_t offset_at(const struct aie_op *op, bool joins, uint32_t i)
{
	const struct aie_attr *attr = aie_attr_of(op, joins ? "src_offsets" : "dst_offsets");

	return attr && attr->count > i ? array_number_at(attr, i, -1) : -1;
}

/* Objects that fifos of a link share: of the whole, in parts, each with locks of its own. */
static void link_pool(struct aie_array *array, const struct aie_op *op, struct array_link *link)
{
	const bool joins = link->in_count > 1;
	struct array_fifo *in = &array->fifos[link->ins[0]], *out = &array->fifos[link->outs[0]];
	struct array_fifo *whole = joins || (link->out_count == 1 && aie_type_bytes(out->type) > aie_type_bytes(in->type)) ? out : in;
	const uint32_t at = consumer_on(in, link->tile), count = joins ? link->in_count : link->out_count;
	const uint64_t bytes = aie_type_bytes(whole->type), element = aie_type_bytes(whole->type->element);
	struct array_part *parts = common_take(array->arena, count, sizeof(*parts));
	struct array_pool pool;
	uint64_t next = 0;
	uint32_t depth;

	depth = joins ? out->depths[0] : link->out_count == 1 ? most(in->depths[1 + at], out->depths[0]) : in->depths[1 + at];
	pool_make(array, whole, link->tile, most(depth, 1), bytes, &pool);
	array->tiles[link->tile].locks -= count > 1 ? 2 : 0; /* its parts have theirs */
	for (uint32_t i = 0; i < count; i++) {
		struct array_fifo *part = &array->fifos[joins ? link->ins[i] : link->outs[i]];
		const int64_t offset = count > 1 ? offset_at(op, joins, i) : 0;
		const uint64_t length = count > 1 ? aie_type_bytes(part->type) : bytes;

		parts[i] = (struct array_part){offset < 0 ? next : (uint64_t)offset * element, length, pool.put, pool.full};
		next = parts[i].offset + length;
		if (next > bytes || parts[i].offset > bytes)
			array_fail(array, op, PTOWSP_INVALID, "part '%.40s' reaches beyond '%.40s', which has %" PRIu64 " bytes", part->name, whole->name,
				   bytes);
		if (count > 1)
			locks_make(array, part, link->tile, pool.depth, false, &parts[i].put, &parts[i].full);
	}
	for (uint32_t i = 0; i < link->in_count; i++) {
		struct array_fifo *fifo = &array->fifos[link->ins[i]];

		fifo->got[consumer_on(fifo, link->tile)] = pool;
		fifo->parts_got = joins ? &parts[i] : parts;
		fifo->part_count_got = joins ? 1 : count;
	}
	for (uint32_t i = 0; i < link->out_count; i++) {
		struct array_fifo *fifo = &array->fifos[link->outs[i]];

		fifo->put = pool;
		fifo->parts_put = joins ? parts : &parts[i];
		fifo->part_count_put = joins ? count : 1;
	}
	for (uint32_t i = 0; i < 2; i++) { /* cores beside the tile of one to one use its objects */
		struct array_fifo *fifo = &array->fifos[i ? link->outs[0] : link->ins[0]];

		if (!fifo->moves)
			fifo->put = fifo->got[0] = pool;
	}
}

void array_fifos(struct aie_array *array)
{
	uint32_t link = 0;

	for (const struct aie_op *op = array->device->regions[0].first; op; op = op->next)
		if (aie_op_is(op, "aie.objectfifo"))
			fifo_read(array, op);
	for (const struct aie_op *op = array->device->regions[0].first; op; op = op->next)
		if (aie_op_is(op, "aie.objectfifo.link"))
			link_read(array, op);
	for (const struct aie_op *op = array->device->regions[0].first; op; op = op->next)
		if (aie_op_is(op, "aie.objectfifo.allocate"))
			allocate_read(array, op);
	for (uint32_t i = 0; i < array->fifo_count; i++) {
		array->fifos[i].moves = moves(array, &array->fifos[i]);
		if (array->fifos[i].moves && array_flag(array->fifos[i].op, "disable_synchronization"))
			array_fail(array, array->fifos[i].op, PTOWSP_UNSUPPORTED,
				   "attribute 'disable_synchronization' of a fifo that DMAs move has no model here: they would run freely");
		if (array->fifos[i].moves)
			channels_give(array, &array->fifos[i]);
		pools_make(array, &array->fifos[i]);
	}
	for (const struct aie_op *op = array->device->regions[0].first; op; op = op->next)
		if (aie_op_is(op, "aie.objectfifo.link"))
			link_pool(array, op, &array->links[link++]);
}

/* ---- chains --------------------------------------------------------------------------------------------------------- */

/* A ring of descriptors while it is made. */
struct ring {
	struct aie_array *array;
	uint32_t first, last;
	uint32_t moving; /* descriptors with bytes */
};

static void ring_add(struct ring *ring, uint8_t *base, const struct aie_path *path, uint32_t take, uint32_t give)
{
	static const struct aie_path nothing = {.pace = 1};
	const struct aie_piece piece = {.lock = AIE_NONE,
					.path = path ? *path : nothing,
					.base = base,
					.take = {take, 1, false},
					.give = {give, 1, false},
					.next = AIE_NONE,
					.packet = AIE_NONE};
	const uint32_t row = aie_net_link(ring->array->net, &piece);

	if (ring->last == AIE_NONE)
		ring->first = row;
	else
		ring->array->net->pieces[ring->last].next = row;
	ring->last = row;
	ring->array->report->descriptors++;
	ring->moving += path != NULL;
}

/* All of an object, or all of a part of it, by the dimensions that the fifo has there. */
static void walk_path(struct aie_array *array, const struct array_fifo *fifo, const struct aie_attr *dims, uint64_t bytes, struct aie_path *path)
{
	int64_t sizes[AIE_WALK_DIMS], strides[AIE_WALK_DIMS];

	if (!dims || dims->kind != AIE_ATTR_DIMS || !dims->count) {
		aie_path_plain(path, bytes);
		if (bytes % 4)
			array_fail(array, fifo->op, PTOWSP_INVALID, "fifo '%.64s' moves %" PRIu64 " bytes, which is no number of words", fifo->name, bytes);
		return;
	}
	if (dims->count / 2 > AIE_WALK_DIMS)
		array_fail(array, fifo->op, PTOWSP_INVALID, "fifo '%.64s' has %u dimensions, of at most %d", fifo->name, dims->count / 2, AIE_WALK_DIMS);
	for (uint32_t i = 0; i < dims->count / 2; i++) {
		sizes[i] = dims->ints[2 * i];
		strides[i] = dims->ints[2 * i + 1];
	}
	array_path(array, fifo->op, fifo->type, 0, dims->count / 2, sizes, strides, path);
}

/* The descriptors of one object: whole, with one lock or with those of all parts before and behind it, or part by part. */
static void object_add(struct ring *ring, const struct array_fifo *fifo, const struct array_pool *pool, const struct array_part *parts, uint32_t part_count,
		       const struct aie_attr *dims, uint8_t *object, bool sends)
{
	const bool whole = !parts || part_count == 1 || (dims && dims->count) || fifo->repeat > 1;
	const struct array_part all = {0, pool->bytes, pool->put, pool->full};
	struct aie_path path;

	if (!whole) {
		for (uint32_t i = 0; i < part_count; i++) {
			aie_path_plain(&path, parts[i].bytes);
			if (parts[i].bytes % 4)
				array_fail(ring->array, fifo->op, PTOWSP_INVALID, "a part of fifo '%.64s' has no number of words", fifo->name);
			ring_add(ring, object + parts[i].offset, &path, sends ? parts[i].full : parts[i].put, sends ? parts[i].put : parts[i].full);
		}
		return;
	}
	if (!parts) {
		parts = &all;
		part_count = 1;
	}
	walk_path(ring->array, fifo, dims, part_count == 1 ? parts[0].bytes : pool->bytes, &path);
	for (uint32_t i = 0; part_count > 1 && i < part_count; i++)
		ring_add(ring, object, NULL, sends ? parts[i].full : parts[i].put, AIE_NONE);
	for (uint32_t r = 0; r < (sends ? fifo->repeat : 1); r++)
		ring_add(ring, object + (part_count == 1 ? parts[0].offset : 0), &path,
			 part_count > 1 || r ? AIE_NONE
			 : sends             ? parts[0].full
					     : parts[0].put,
			 part_count > 1 || (sends && r + 1 < fifo->repeat) ? AIE_NONE
			 : sends                                           ? parts[0].put
									   : parts[0].full);
	for (uint32_t i = 0; part_count > 1 && i < part_count; i++)
		ring_add(ring, object, NULL, AIE_NONE, sends ? parts[i].put : parts[i].full);
}

static void chain_add(struct aie_array *array, const struct array_fifo *fifo, uint32_t channel, const struct array_pool *pool, const struct array_part *parts,
		      uint32_t part_count, const struct aie_attr *dims, bool sends)
{
	struct ring ring = {array, AIE_NONE, AIE_NONE, 0};

	for (uint32_t i = 0; i < pool->depth; i++)
		object_add(&ring, fifo, pool, parts, part_count, dims, pool->objects[i], sends);
	array_chain_take(array, fifo, channel, ring.moving);
	if (!fifo->times)
		array->net->pieces[ring.last].next = ring.first;
	aie_net_chain(array->net, array->channels[channel].end, ring.first, fifo->times ? fifo->times : 1);
}

void array_fifo_chains(struct aie_array *array)
{

	for (uint32_t f = 0; f < array->fifo_count; f++) {
		const struct array_fifo *fifo = &array->fifos[f];
		const struct aie_attr *to = aie_attr_of(fifo->op, "dimensionsToStream"), *from = aie_attr_of(fifo->op, "dimensionsFromStreamPerConsumer");

		if (!fifo->moves)
			continue;
		if (fifo->put.objects)
			chain_add(array, fifo, fifo->from, &fifo->put, fifo->parts_put, fifo->part_count_put, to, true);
		for (uint32_t i = 0; i < fifo->consumer_count; i++) {
			const bool linked = fifo->link_in != AIE_NONE && array->links[fifo->link_in].tile == fifo->consumers[i];

			if (fifo->got[i].objects)
				chain_add(array, fifo, fifo->to[i], &fifo->got[i], linked ? fifo->parts_got : NULL, linked ? fifo->part_count_got : 0,
					  from && from->kind == AIE_ATTR_DIMS_LIST && i < from->count ? from->items[i] : NULL, false);
		}
	}
}

bool array_fifo_end(const struct aie_array *array, uint32_t tile, const char *name, int64_t port, struct aie_body_fifo *end_out)
{
	const uint32_t row = fifo_named(array, name);
	const struct array_fifo *fifo = row == AIE_NONE ? NULL : &array->fifos[row];
	const struct array_pool *pool = NULL;
	bool free;

	if (fifo && port == 0 && fifo->producer == tile)
		pool = &fifo->put;
	for (uint32_t i = 0; fifo && port == 1 && i < fifo->consumer_count; i++)
		if (fifo->consumers[i] == tile)
			pool = &fifo->got[i];
	if (!pool || !pool->objects)
		return false;
	free = array_flag(fifo->op, "disable_synchronization");
	end_out->take = free ? AIE_NONE : port ? pool->full : pool->put;
	end_out->give = free ? AIE_NONE : port ? pool->put : pool->full;
	end_out->depth = pool->depth;
	end_out->objects = pool->objects;
	end_out->bytes = pool->bytes;
	return true;
}
