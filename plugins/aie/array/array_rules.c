/* SPDX-License-Identifier: MIT */
/* array_rules.c - what no array can hold, whoever wrote the design: channels, locks and descriptors beyond those of a tile, memory and locks out of reach. Figures: aie_arch.def. */
#include "aie/array/array_own.h"

#include <inttypes.h>
#include <stdlib.h>

static uint64_t limit(const struct aie_array *array, uint32_t tile, enum aie_limit which)
{
	if (which == AIE_LOCK_VALUE && array->arch->binary)
		return 1;
	return array->costs->generation->tiles[array->tiles[tile].kind].limits[which];
}

static const char *kind_text(const struct aie_array *array, uint32_t tile)
{
	return aie_arch_kind_text(array->tiles[tile].kind);
}

uint32_t array_channel_take(struct aie_array *array, const struct aie_op *op, uint32_t tile, bool sends, int64_t number)
{
	const uint64_t count = limit(array, tile, sends ? AIE_DMA_OUT : AIE_DMA_IN);

	if (number < 0 || (uint64_t)number >= count)
		array_fail(array, op, PTOWSP_INVALID, "%s %" PRId64 " of tile %s, a %s, whose DMA has %" PRIu64 " of them; use one from 0 to %" PRIu64,
			   sends ? "MM2S" : "S2MM", number, array_tile_text(array, tile), kind_text(array, tile), count, count - 1);
	return array_channel(array, tile, sends, (uint32_t)number);
}

uint32_t array_times(struct aie_array *array, const struct aie_op *op)
{
	const int64_t repeat = array_number(op, "repeat_count", 0);

	if (repeat < 0 || repeat > AIE_ARRAY_REPEATS)
		array_fail(array, op, PTOWSP_INVALID, "a repeat_count of %" PRId64 "; a channel does a task 0 to %d times more", repeat, AIE_ARRAY_REPEATS);
	return (uint32_t)repeat + 1;
}

void array_locks_take(struct aie_array *array, const struct aie_op *op, uint32_t tile, uint32_t count, int64_t init)
{
	const uint64_t locks = limit(array, tile, AIE_LOCKS), most = limit(array, tile, AIE_LOCK_VALUE);

	array->tiles[tile].locks += count;
	if (array->tiles[tile].locks > locks)
		array_fail(array, op, PTOWSP_INVALID, "with it tile %s needs %u locks, of %" PRIu64 " that a %s has; use fewer", array_tile_text(array, tile),
			   array->tiles[tile].locks, locks, kind_text(array, tile));
	if (init < 0 || (uint64_t)init > most)
		array_fail(array, op, PTOWSP_INVALID, "a lock of tile %s begins with %" PRId64 ", which it cannot count; begin with 0 to %" PRIu64,
			   array_tile_text(array, tile), init, most);
}

uint32_t array_semaphore(struct aie_array *array, uint32_t tile, const char *name, int64_t value, bool binary)
{
	return aie_net_semaphore(array->net, name, value, (int64_t)limit(array, tile, AIE_LOCK_VALUE), binary);
}

void array_packet(struct aie_array *array, const struct aie_op *op, int64_t number)
{
	if (number < 0 || number > AIE_ARRAY_PACKETS)
		array_fail(array, op, PTOWSP_INVALID, "packet %" PRId64 ", whose number is a field of 5 bits; use 0 to %d", number, AIE_ARRAY_PACKETS);
}

int64_t array_packet_of(struct aie_array *array, const struct aie_op *op, int64_t missing)
{
	const char *text = array_text(op, "packet");
	const int64_t number = text ? array_number_in(text, "pkt_id", missing) : missing;

	if (text)
		array_packet(array, op, number);
	return number;
}

/* The number of something that a tile has `count` of. */
static void number_check(struct aie_array *array, const struct aie_op *op, uint32_t tile, const char *what, int64_t id, uint64_t count)
{

	if (id < 0 || (uint64_t)id >= count)
		array_fail(array, op, PTOWSP_INVALID, "%s %" PRId64 " of tile %s, a %s, which has %" PRIu64 "; use one from 0 to %" PRIu64, what, id,
			   array_tile_text(array, tile), kind_text(array, tile), count, count - 1);
}

void array_lock_number(struct aie_array *array, const struct aie_op *op, uint32_t tile, int64_t id)
{
	number_check(array, op, tile, "lock", id, limit(array, tile, AIE_LOCKS));
}

/* Values are fields of 7 bits with a sign; what is acquired is never more than a lock holds. */
void array_lock_value(struct aie_array *array, const struct aie_op *op, uint32_t tile, bool gives, int64_t value)
{
	const int64_t most = (int64_t)limit(array, tile, AIE_LOCK_VALUE), least = gives && !array->arch->binary ? -most - 1 : 0;

	if (value < least || value > most)
		array_fail(array, op, PTOWSP_INVALID, "it %s %" PRId64 ", which is no value of a lock; say %" PRId64 " to %" PRId64,
			   gives ? "releases" : "acquires", value, least, most);
}

/* ---- descriptors ---------------------------------------------------------------------------------------------------- */

static void descriptor_number(struct aie_array *array, const struct aie_op *op, uint32_t tile, int64_t id)
{
	number_check(array, op, tile, "descriptor", id, limit(array, tile, AIE_BDS));
}

void array_descriptor_number(struct aie_array *array, const struct aie_op *op, uint32_t channel, const char *name)
{
	const struct array_channel *row = &array->channels[channel];
	const int64_t id = array_number(op, name, INT64_MIN);
	const uint64_t half = limit(array, row->tile, AIE_BDS) / 2;

	if (id == INT64_MIN)
		return;
	descriptor_number(array, op, row->tile, id);
	if (array->tiles[row->tile].kind == AIE_MEMTILE && ((uint64_t)id >= half) != (row->number % 2 != 0))
		array_fail(array, op, PTOWSP_INVALID,
			   "descriptor %" PRId64 " of tile %s in channel %u, which reaches those from %" PRIu64 " to %" PRIu64 "; use one of them", id,
			   array_tile_text(array, row->tile), row->number, row->number % 2 ? half : 0, row->number % 2 ? 2 * half - 1 : half - 1);
}

void array_descriptors_take(struct aie_array *array, const struct aie_region *region, uint32_t tile)
{
	struct array_tile *row = &array->tiles[tile];

	for (const struct aie_op *op = region->first; op; op = op->next) {
		const int64_t id = aie_op_is(op, "aie.dma_bd") ? array_number(op, "bd_id", INT64_MIN) : INT64_MIN;

		for (uint32_t i = 0; i < op->region_count; i++)
			array_descriptors_take(array, &op->regions[i], tile);
		if (!aie_op_is(op, "aie.dma_bd"))
			continue;
		if (++row->descriptors > limit(array, tile, AIE_BDS))
			array_fail(array, op, PTOWSP_INVALID, "with it tile %s has %u descriptors, of %" PRIu64 " that a %s has; use fewer",
				   array_tile_text(array, tile), row->descriptors, limit(array, tile, AIE_BDS), kind_text(array, tile));
		if (id == INT64_MIN)
			continue;
		descriptor_number(array, op, tile, id);
		if (row->ids >> id & 1)
			array_fail(array, op, PTOWSP_INVALID, "descriptor %" PRId64 " of tile %s stands twice; give each a number of its own", id,
				   array_tile_text(array, tile));
		row->ids |= UINT64_C(1) << id;
	}
}

/* The task that has this one of a tile's descriptors now; NULL. */
static const struct array_task *borrower(const struct aie_array *array, uint32_t tile, uint32_t id)
{
	for (uint32_t i = 0; i < array->task_count; i++)
		if (array->tasks[i].ids >> id & 1 && array->channels[array->tasks[i].channel].tile == tile)
			return &array->tasks[i];
	return NULL;
}

static void descriptor_lend(struct aie_array *array, struct array_task *task, struct aie_piece *piece)
{
	const uint32_t number = array->channels[task->channel].tile, count = (uint32_t)limit(array, number, AIE_BDS);
	struct array_tile *tile = &array->tiles[number];
	const struct array_task *other;
	uint32_t id = piece->descriptor;

	for (uint32_t i = 0; id == AIE_NONE && i < count; i++)
		id = tile->lent >> i & 1 ? AIE_NONE : i;
	if (id == AIE_NONE)
		array_fail(array, task->op, PTOWSP_INVALID,
			   "all %u descriptors of tile %s are those of tasks that the host neither awaited nor freed; do so with one before", count,
			   array_tile_text(array, number));
	other = tile->lent >> id & 1 ? borrower(array, number, id) : NULL;
	if (other || task->ids >> id & 1)
		array_fail(array, task->op, PTOWSP_INVALID,
			   "descriptor %u of tile %s is that of the task of line %u, which the host neither awaited nor freed; do so before, or give it "
			   "another bd_id",
			   id, array_tile_text(array, number), other ? other->op->line : task->op->line);
	tile->lent |= UINT64_C(1) << id;
	task->ids |= UINT64_C(1) << id;
	piece->descriptor = id;
}

uint32_t array_descriptor_place(const struct aie_array *array, uint32_t tile, int64_t id)
{
	const int64_t number = (int64_t)array->tiles[tile].column * 16 + id;

	return array->tiles[tile].kind == AIE_SHIM && id >= 0 && id < 16 && number < AIE_NET_DESCRIPTORS ? (uint32_t)number : AIE_NONE;
}

void array_task_descriptors(struct aie_array *array, struct array_task *task, uint32_t first)
{
	const uint32_t tile = array->channels[task->channel].tile;
	struct aie_piece *pieces = array->net->pieces;

	for (uint32_t i = first; i < array->net->piece_count; i++)
		if (pieces[i].descriptor != AIE_NONE)
			descriptor_lend(array, task, &pieces[i]);
	for (uint32_t i = first; i < array->net->piece_count; i++)
		if (pieces[i].descriptor == AIE_NONE)
			descriptor_lend(array, task, &pieces[i]);
	for (uint32_t i = first; i < array->net->piece_count; i++)
		pieces[i].descriptor = array_descriptor_place(array, tile, pieces[i].descriptor);
}

void array_task_release(struct aie_array *array, struct array_task *task)
{
	array->tiles[array->channels[task->channel].tile].lent &= ~task->ids;
	task->ids = 0;
}

/* ---- reach ---------------------------------------------------------------------------------------------------------- */

/* A core reaches its own memory, and those to the south and north; of the second generation the west; of the first the west in odd rows and the east in even ones: AIETargetModel.cpp. */
static bool core_reaches(const struct aie_array *array, const struct array_tile *core, const struct array_tile *of)
{
	const int32_t aside = array->arch->binary && core->row % 2 == 0 ? 1 : -1;

	if (of->kind != AIE_CORE)
		return false;
	return core->column == of->column ? abs(core->row - of->row) <= 1 : core->row == of->row && of->column == core->column + aside;
}

static bool dma_reaches(const struct aie_array *array, const struct array_channel *channel, const struct array_tile *of)
{
	const struct array_tile *tile = &array->tiles[channel->tile];

	if (tile == of)
		return true;
	return tile->kind == AIE_MEMTILE && of->kind == AIE_MEMTILE && tile->row == of->row && abs(tile->column - of->column) == 1 &&
	       channel->number < limit(array, channel->tile, AIE_DMA_REACH);
}

/* The tile of a buffer or lock; AIE_NONE: in no tile, which only a shim's DMA reaches. */
static uint32_t place_of(const struct aie_array *array, const struct aie_value *value)
{
	return value->argument || aie_op_is(value->op, "aie.external_buffer") ? AIE_NONE : array_tile_of(array, value->op, 0);
}

static const char *what_text(const struct aie_value *value)
{
	return value->argument ? "an argument of the sequence" : value->op->name;
}

void array_dma_reach(struct aie_array *array, const struct aie_op *op, uint32_t channel, const struct aie_value *value)
{
	const struct array_channel *row = &array->channels[channel];
	const uint32_t of = place_of(array, value);

	if (of == AIE_NONE ? array->tiles[row->tile].kind == AIE_SHIM : dma_reaches(array, row, &array->tiles[of]))
		return;
	array_fail(array, op, PTOWSP_INVALID, "%s in %s is out of reach of %s %u of tile %s; use one of that tile", what_text(value),
		   array_tile_text(array, of), row->sends ? "MM2S" : "S2MM", row->number, array_tile_text(array, row->tile));
}

/* A number that stands in the operation or in a constant before it. */
static void core_lock(struct aie_array *array, const struct aie_op *op, uint32_t tile)
{
	const struct aie_value *value = op->operand_count == 2 ? op->operands[1] : NULL;
	const bool constant = value && !value->argument && aie_op_is(value->op, "arith.constant");

	if (value && !constant)
		return; /* which the core's compiler refuses */
	array_lock_value(array, op, tile, array_number(op, "action", -1) == 1, array_number(constant ? value->op : op, "value", 1));
}

void array_core_reach(struct aie_array *array, const struct aie_region *region, uint32_t tile)
{
	for (const struct aie_op *op = region->first; op; op = op->next) {
		for (uint32_t i = 0; i < op->region_count; i++)
			array_core_reach(array, &op->regions[i], tile);
		for (uint32_t i = 0; i < op->operand_count; i++) {
			const struct aie_value *value = op->operands[i];
			const bool outside = !value->argument && (aie_op_is(value->op, "aie.buffer") || aie_op_is(value->op, "aie.lock") ||
								  aie_op_is(value->op, "aie.external_buffer"));
			const uint32_t of = outside ? place_of(array, value) : AIE_NONE;

			if (!outside || (of != AIE_NONE && core_reaches(array, &array->tiles[tile], &array->tiles[of])))
				continue;
			array_fail(array, op, PTOWSP_INVALID, "%s in %s is out of reach of core %s; use one of its tile or its neighbours", what_text(value),
				   array_tile_text(array, of), array_tile_text(array, tile));
		}
		if (aie_op_is(op, "aie.use_lock"))
			core_lock(array, op, tile);
	}
}

/* ---- fifos ---------------------------------------------------------------------------------------------------------- */

static uint32_t length_of(const struct aie_op *op, const char *name)
{
	const struct aie_attr *attr = aie_attr_of(op, name);

	return attr ? attr->count : 0;
}

/* A memory tile keeps one half of its descriptors for each parity of channels. */
void array_chain_take(struct aie_array *array, const struct array_fifo *fifo, uint32_t channel, uint32_t count)
{
	const struct array_channel *row = &array->channels[channel];
	struct array_tile *tile = &array->tiles[row->tile];
	const bool halves = tile->kind == AIE_MEMTILE;
	const uint64_t most = limit(array, row->tile, AIE_BDS) / (halves ? 2 : 1);
	uint64_t used;

	tile->chained[row->number % 2] += count;
	used = halves ? tile->chained[row->number % 2] : (uint64_t)tile->chained[0] + tile->chained[1] + tile->descriptors;
	if (used > most)
		array_fail(array, fifo->op, PTOWSP_INVALID, "with fifo '%.64s' tile %s has %" PRIu64 " descriptors%s, of %" PRIu64 "; take less depth",
			   fifo->name, array_tile_text(array, row->tile), used, halves ? " for channels of one parity" : "", most);
}

/* Dimensions at an end: as many as its DMA walks in, and none on a shim, whose host says them. */
static void walk_check(struct aie_array *array, const struct array_fifo *fifo, uint32_t tile, const struct aie_attr *dims)
{
	const uint32_t count = dims ? dims->count / 2 : 0;
	const uint64_t most = array->tiles[tile].kind == AIE_SHIM ? 0 : limit(array, tile, AIE_DMA_DIMS);

	if (count > most)
		array_fail(array, fifo->op, PTOWSP_INVALID, "fifo '%.64s' has %u dimensions at tile %s, a %s, where it may have %" PRIu64, fifo->name, count,
			   array_tile_text(array, tile), kind_text(array, tile), most);
}

/* Values to begin with lie in the producer's memory, one for each of its objects. */
static void values_check(struct aie_array *array, const struct array_fifo *fifo)
{
	const uint32_t values = length_of(fifo->op, "initValues");

	if (array->tiles[fifo->producer].kind == AIE_SHIM && (values || fifo->repeat > 1))
		array_fail(array, fifo->op, PTOWSP_INVALID, "fifo '%.64s' repeats or begins with values at shim %s; let the host move them", fifo->name,
			   array_tile_text(array, fifo->producer));
	if (values && values != fifo->depths[0])
		array_fail(array, fifo->op, PTOWSP_INVALID, "fifo '%.64s' begins with %u values and is %u objects deep; give one for each", fifo->name, values,
			   fifo->depths[0]);
}

/* Only chains of a memory tile end after a number of rounds. */
static void times_check(struct aie_array *array, const struct array_fifo *fifo)
{
	bool on_memory = array->tiles[fifo->producer].kind == AIE_MEMTILE;

	for (uint32_t i = 0; i < fifo->consumer_count; i++)
		on_memory = on_memory || array->tiles[fifo->consumers[i]].kind == AIE_MEMTILE;
	if (fifo->times > 256)
		array_fail(array, fifo->op, PTOWSP_INVALID, "fifo '%.64s' has an iter_count of %u; it may be 1 to 256", fifo->name, fifo->times);
	if (fifo->times && !on_memory)
		array_fail(array, fifo->op, PTOWSP_INVALID, "fifo '%.64s' has an iter_count and no end on a memory tile, whose chains alone end; leave it out",
			   fifo->name);
}

void array_fifo_check(struct aie_array *array, const struct array_fifo *fifo)
{
	const struct aie_attr *from = aie_attr_of(fifo->op, "dimensionsFromStreamPerConsumer");
	walk_check(array, fifo, fifo->producer, aie_attr_of(fifo->op, "dimensionsToStream"));

	for (uint32_t i = 0; from && from->kind == AIE_ATTR_DIMS_LIST && i < from->count && i < fifo->consumer_count; i++)
		walk_check(array, fifo, fifo->consumers[i], from->items[i]);
	values_check(array, fifo);
	times_check(array, fifo);
}

void array_link_check(struct aie_array *array, const struct aie_op *op, const struct array_link *link)
{
	const uint32_t ins = length_of(op, "src_offsets"), outs = length_of(op, "dst_offsets");
	const struct aie_attr *said = aie_attr_of(op, ins ? "src_offsets" : "dst_offsets");
	const bool begins = link->in_count + link->out_count == 2 && ins + outs == 1 && !array_number_at(said, 0, -1); /* as the dialect's own tools print it */

	if ((ins || outs) && !begins && (ins != (link->in_count > 1 ? link->in_count : 0) || outs != (link->out_count > 1 ? link->out_count : 0)))
		array_fail(array, op, PTOWSP_INVALID,
			   "a link of %u fifos to %u has %u offsets before and %u behind; give one for each of several and none, or 0 on one side, for "
			   "one and one, or none at all",
			   link->in_count, link->out_count, ins, outs);
	for (uint32_t i = 1; i < link->out_count; i++)
		if (array->fifos[link->outs[i]].repeat != array->fifos[link->outs[0]].repeat)
			array_fail(array, op, PTOWSP_INVALID, "fifo '%.64s' repeats otherwise than the first one of its link",
				   array->fifos[link->outs[i]].name);
}

void array_allocate_check(struct aie_array *array, const struct aie_op *op, const struct array_fifo *fifo, uint32_t tile)
{
	const uint32_t number = fifo->link_in != AIE_NONE ? fifo->link_in : fifo->link_out;
	const struct array_link *link = number == AIE_NONE ? NULL : &array->links[number];

	if (fifo->allocated != AIE_NONE || fifo->consumer_count != 1 || fifo->repeat > 1 || array_flag(fifo->op, "via_DMA"))
		array_fail(array, op, PTOWSP_INVALID, "fifo '%.64s' is allocated twice, or has several consumers, or needs DMAs", fifo->name);
	if (link && (link->tile != tile || link->in_count + link->out_count > 2 || array->fifos[link->ins[0]].type != array->fifos[link->outs[0]].type))
		array_fail(array, op, PTOWSP_UNSUPPORTED, "fifo '%.64s' is allocated, and in a link of another tile, of several or of other types", fifo->name);
	if (core_reaches(array, &array->tiles[fifo->producer], &array->tiles[tile]) &&
	    core_reaches(array, &array->tiles[fifo->consumers[0]], &array->tiles[tile]))
		return;
	array_fail(array, op, PTOWSP_INVALID, "fifo '%.64s' is allocated on tile %s, whose memory not both of its ends see", fifo->name,
		   array_tile_text(array, tile));
}
