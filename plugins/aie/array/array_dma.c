/* SPDX-License-Identifier: MIT */
/* array_dma.c - blocks and regions of DMAs as chains of descriptors. */
#include "aie/array/array_own.h"
#include "registry/common/common_arena.h"

#include "base/error.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Descriptors count in words of 4 bytes. Source: AIEXDialect.cpp, verify of NpuDmaMemcpyNdOp ("Offset must be 4-byte-aligned") and verifyStridesWraps; AIEDialect.cpp, DMABDOp::verify. */
static bool is_of_words(const struct aie_path *path, int64_t at)
{
	bool whole = path->run % 4 == 0 && at % 4 == 0;

	for (uint32_t d = 0; d < path->rank; d++)
		whole = whole && path->strides[d] % 4 == 0;
	return whole;
}

void array_path(struct aie_array *array, const struct aie_op *op, const struct aie_type *type, int64_t offset, uint32_t rank, const int64_t *sizes,
		const int64_t *strides, struct aie_path *path_out)
{
	const uint32_t element = (uint32_t)aie_type_bytes(type->element);
	const int64_t bytes = (int64_t)aie_type_bytes(type), at = offset * (int64_t)element;

	if (!aie_path_fits(rank, sizes, strides, element) || offset < 0 || offset > bytes)
		array_fail(array, op, PTOWSP_INVALID, "a size below 1, or an offset or length that is none of this memory");
	aie_path_make(path_out, rank, sizes, strides, element);
	if (path_out->bytes % 4)
		array_fail(array, op, PTOWSP_INVALID, "it moves %" PRIu64 " bytes, which is no number of words", path_out->bytes);
	if (!array->arch->binary && !is_of_words(path_out, at))
		array_fail(array, op, PTOWSP_INVALID,
			   "it begins at byte %" PRId64 " and moves %" PRIu64
			   " bytes at once, or its strides are no words; make all of them multiples of 4 bytes",
			   at, path_out->run);
	if (at + path_out->least < 0 || at + path_out->beyond > bytes)
		array_fail(array, op, PTOWSP_INVALID, "it reaches from byte %" PRId64 " to %" PRId64 " of memory of %" PRId64 "; stay within",
			   at + path_out->least, at + path_out->beyond, bytes);
}

/* The memory that an operand names: a buffer, or an argument of the sequence; NULL. */
static struct aie_array_memory *memory_of(struct aie_array *array, const struct aie_value *value)
{
	uint32_t row = array->places[value->id];

	if (row == AIE_NONE)
		return NULL;
	if (value->argument)
		return value->op == array->sequence ? &array->memories[row] : NULL;
	if (!aie_op_is(value->op, "aie.buffer") && !aie_op_is(value->op, "aie.external_buffer"))
		return NULL;
	return &array->memories[array->buffers[row].memory];
}

struct walk {
	uint32_t rank;
	int64_t sizes[AIE_WALK_DIMS], strides[AIE_WALK_DIMS], before[AIE_WALK_DIMS], after[AIE_WALK_DIMS];
	bool padded;
	int64_t rounds, step, current; /* iteration: so many times, elements between two of them, the one that comes first; rounds 0: each time is the same */
};

/* [<const_pad_before = 1, const_pad_after = 2>, ...] of each dimension. */
static void pads_read(const char *text, struct walk *walk)
{
	for (uint32_t d = 0; text && d < walk->rank; d++) {
		text = strstr(text, "const_pad_before");
		if (!text)
			return;
		walk->before[d] = array_number_in(text, "const_pad_before", 0);
		walk->after[d] = array_number_in(text, "const_pad_after", 0);
		walk->padded = walk->padded || walk->before[d] || walk->after[d];
		text += strlen("const_pad_before");
	}
}

static int64_t elements_within(const struct walk *walk, uint32_t first)
{
	int64_t count = 1;

	for (uint32_t d = first; d < walk->rank; d++)
		count = count > INT32_MAX ? count : count * walk->sizes[d];
	return count;
}

/* The outermost of a task's four dimensions is the iteration of its descriptor: where it begins from time to time, and no part of its length. Source: AIEDMATasksToNPU.cpp. */
static void task_walk(struct aie_array *array, const struct aie_op *op, int64_t length, struct walk *walk)
{
	const uint32_t outer = walk->rank == AIE_ARRAY_DIMS;
	const int64_t inside = elements_within(walk, outer);

	if (!walk->padded && inside != length)
		array_fail(array, op, PTOWSP_INVALID,
			   outer ? "a length of %" PRId64 ", and the inner three of its four dimensions have %" PRId64
				   " elements; say that, and by the task's repeat_count how often the outermost goes on"
				 : "a length of %" PRId64 ", and its dimensions have %" PRId64 " elements; say that",
			   length, inside);
	if (!outer)
		return;
	if (walk->sizes[0] > AIE_ARRAY_ITERATION || aie_attr_of(op, "iteration"))
		array_fail(array, op, PTOWSP_INVALID, "the outermost of four dimensions is its iteration, 1 to %d times, and stands for the attribute",
			   AIE_ARRAY_ITERATION);
	walk->rounds = walk->strides[0] ? walk->sizes[0] : 0;
	walk->step = walk->strides[0];
	walk->rank--;
	memmove(walk->sizes, walk->sizes + 1, walk->rank * sizeof(*walk->sizes));
	memmove(walk->strides, walk->strides + 1, walk->rank * sizeof(*walk->strides));
	memmove(walk->before, walk->before + 1, walk->rank * sizeof(*walk->before));
	memmove(walk->after, walk->after + 1, walk->rank * sizeof(*walk->after));
}

/* Dimensions of a descriptor; of one that is no task's the outermost goes on as long as the length says. */
static void walk_read(struct aie_array *array, const struct aie_op *op, const struct aie_attr *dims, int64_t length, struct walk *walk)
{
	int64_t inner;

	*walk = (struct walk){.rank = 1, .sizes = {length}, .strides = {1}};
	if (!dims || dims->kind != AIE_ATTR_DIMS || !dims->count)
		return;
	if (dims->count / 2 > AIE_ARRAY_DIMS)
		array_fail(array, op, PTOWSP_INVALID, "%u dimensions, of at most %d", dims->count / 2, AIE_ARRAY_DIMS);
	walk->rank = dims->count / 2;
	for (uint32_t d = 0; d < walk->rank; d++) {
		walk->sizes[d] = dims->ints[2 * d];
		walk->strides[d] = dims->ints[2 * d + 1];
		if (walk->sizes[d] < 1 || walk->sizes[d] > INT32_MAX || walk->strides[d] < 0 || walk->strides[d] > INT32_MAX)
			array_fail(array, op, PTOWSP_INVALID, "a size or stride of %" PRId64 " and %" PRId64 "; sizes are at least 1", walk->sizes[d],
				   walk->strides[d]);
	}
	pads_read(array_text(op, "pad_dimensions"), walk);
	if (!strncmp(op->parent->name, "aiex.", 5)) {
		task_walk(array, op, length, walk);
		return;
	}
	inner = elements_within(walk, 1);
	if (walk->padded || !aie_attr_of(op, "len") || inner * walk->sizes[0] == length)
		return;
	if (length % inner)
		array_fail(array, op, PTOWSP_INVALID, "a length of %" PRId64 " ends within its dimensions, which have %" PRId64 " elements inside each turn",
			   length, inner);
	walk->sizes[0] = length / inner;
}

static void pad_make(struct aie_array *array, const struct aie_op *op, const struct walk *walk, struct aie_piece *piece, uint32_t element)
{
	struct aie_pad *pad = aie_net_memory(array->net, sizeof(*pad));
	uint64_t bytes = element;

	*pad = (struct aie_pad){.rank = walk->rank, .element = element, .from = piece->base};
	for (uint32_t d = 0; d < walk->rank; d++) {
		if (walk->before[d] < 0 || walk->after[d] < 0 || walk->before[d] > UINT16_MAX || walk->after[d] > UINT16_MAX)
			array_fail(array, op, PTOWSP_INVALID, "a padding below 0 or beyond %d", UINT16_MAX);
		pad->sizes[d] = walk->sizes[d];
		pad->strides[d] = walk->strides[d];
		pad->before[d] = walk->before[d];
		pad->after[d] = walk->after[d];
		bytes = bytes > AIE_ARRAY_BYTES ? bytes : bytes * (uint64_t)(walk->sizes[d] + walk->before[d] + walk->after[d]);
	}
	if (bytes > AIE_ARRAY_BYTES)
		array_fail(array, op, PTOWSP_UNSUPPORTED, "with its padding it moves %" PRIu64 " bytes or more, which is too many", bytes);
	if (bytes % 4)
		array_fail(array, op, PTOWSP_INVALID, "with its padding it moves %" PRIu64 " bytes, which is no number of words", bytes);
	pad->image = aie_net_memory(array->net, bytes);
	piece->pad = pad;
	piece->base = pad->image;
	aie_path_plain(&piece->path, bytes);
}

/* #aie.bd_iteration<size = 4, stride = 1024, current = 2>. */
static void iteration_read(struct aie_array *array, const struct aie_op *op, struct walk *walk)
{
	const char *text = array_text(op, "iteration");

	if (!text)
		return;
	walk->rounds = array_number_in(text, "size", 0);
	walk->step = array_number_in(text, "stride", 0);
	walk->current = array_number_in(text, "current", 0);
	if (walk->rounds >= 1 && walk->rounds <= AIE_ARRAY_ITERATION && walk->step >= 0 && walk->step <= INT32_MAX && walk->current >= 0 &&
	    walk->current < walk->rounds)
		return;
	array_fail(array, op, PTOWSP_INVALID, "an iteration of a size beyond 1 to %d, or that begins beyond it", AIE_ARRAY_ITERATION);
}

/* The piece goes on as the walk iterates, whose last time lies within the memory, too. */
static void iteration_set(struct aie_array *array, const struct aie_op *op, const struct aie_type *type, int64_t offset, const struct walk *walk,
			  struct aie_piece *piece)
{
	struct aie_path last;

	if (!walk->rounds)
		return;
	piece->step = walk->step * (int64_t)aie_type_bytes(type->element);
	piece->round = (uint32_t)walk->rounds;
	piece->at = (uint32_t)walk->current;
	array_path(array, op, type, offset + walk->step * (walk->rounds - 1), walk->rank, walk->sizes, walk->strides, &last);
}

/* An attribute's number, or that of the operand that stands for it; *operand goes on. */
static bool number_of(const struct aie_array *array, const struct aie_op *op, const char *name, int64_t missing, uint32_t *operand, int64_t *number_out)
{
	*number_out = array_number(op, name, missing);
	return *number_out != AIE_DYNAMIC || (*operand < op->operand_count && array_value(array, op->operands[(*operand)++], number_out));
}

/* Sizes and strides of which some are operands, those of sizes first. */
static bool pairs_of(const struct aie_array *array, const struct aie_op *op, uint32_t *operand, struct aie_attr *dims, int64_t *pairs)
{
	static const char *const names[] = {"sizes", "strides"};

	for (uint32_t side = 0; side < 2; side++) {
		const struct aie_attr *attr = aie_attr_of(op, names[side]);

		if (!attr || attr->kind != AIE_ATTR_INTS || attr->count > AIE_WALK_DIMS || (side && 2 * attr->count != dims->count))
			return false;
		dims->count = 2 * attr->count;
		dims->ints = pairs;
		for (uint32_t i = 0; i < attr->count; i++) {
			pairs[2 * i + side] = attr->ints[i];
			if (attr->ints[i] == AIE_DYNAMIC &&
			    (*operand >= op->operand_count || !array_value(array, op->operands[(*operand)++], &pairs[2 * i + side])))
				return false;
		}
	}
	return true;
}

static void descriptor_read(struct aie_array *array, const struct aie_op *op, struct aie_piece *piece)
{
	const struct aie_array_memory *memory = op->operand_count ? memory_of(array, op->operands[0]) : NULL;
	const struct aie_attr *dims = aie_attr_of(op, "dimensions");
	int64_t offset = 0, length = 0;
	struct aie_attr counted = {.kind = AIE_ATTR_DIMS};
	int64_t pairs[2 * AIE_WALK_DIMS];
	uint32_t operand = 1;
	struct walk walk;

	if (!memory)
		array_fail(array, op, PTOWSP_INVALID, "it moves what is no buffer and no argument of the sequence");
	array_descriptor_number(array, op, array->chain, "bd_id");
	array_dma_reach(array, op, array->chain, op->operands[0]);
	if (!number_of(array, op, "offset", 0, &operand, &offset) || !number_of(array, op, "len", (int64_t)aie_type_count(memory->type), &operand, &length) ||
	    (!dims && aie_attr_of(op, "sizes") && !pairs_of(array, op, &operand, &counted, pairs)) || operand != op->operand_count)
		array_fail(array, op, PTOWSP_UNSUPPORTED, "an offset, a length or a size that is no number before the run has no model");
	walk_read(array, op, dims ? dims : &counted, length, &walk);
	iteration_read(array, op, &walk);
	piece->packet = (uint32_t)array_packet_of(array, op, piece->packet);
	array_path(array, op, memory->type, offset, walk.rank, walk.sizes, walk.strides, &piece->path);
	iteration_set(array, op, memory->type, offset, &walk, piece);
	piece->base = memory->bytes + (uint64_t)offset * aie_type_bytes(memory->type->element);
	piece->descriptor = (uint32_t)array_number(op, "bd_id", AIE_NONE);
	array->report->descriptors++;
	if (walk.padded)
		pad_make(array, op, &walk, piece, (uint32_t)aie_type_bytes(memory->type->element));
}

static void lock_read(struct aie_array *array, const struct aie_op *op, struct aie_piece *piece)
{
	const uint32_t row = op->operand_count ? array_place(array, op->operands[0], "aie.lock") : AIE_NONE;
	const struct aie_value *value = op->operand_count == 2 ? op->operands[1] : NULL;
	const int64_t action = array_number(op, "action", -1);
	int64_t number = array_number(op, "value", 1);
	const bool known = !value || array_value(array, value, &number);
	struct aie_net_hold *hold = action == 1 ? &piece->give : &piece->take;

	if (row == AIE_NONE || action < 0 || action > 2 || !known)
		array_fail(array, op, PTOWSP_INVALID, "operand 0 is no aie.lock, or it does what is no action");
	array_dma_reach(array, op, array->chain, op->operands[0]);
	array_lock_value(array, op, array->channels[array->chain].tile, action == 1, number);
	if (hold->semaphore != AIE_NONE)
		array_fail(array, op, PTOWSP_INVALID, "a descriptor takes one lock and gives one");
	*hold = (struct aie_net_hold){array->locks[row].semaphore, number, action == 0};
}

/* From the operation behind a block's name on: its descriptor. *next_out: the block that follows, NULL: none. */
static void block_read(struct aie_array *array, const struct aie_op *first, struct aie_piece *piece, bool *moves_out, const struct aie_op **next_out)
{
	*piece = (struct aie_piece){
		.lock = AIE_NONE, .take = {AIE_NONE, 0, false}, .give = {AIE_NONE, 0, false}, .next = AIE_NONE, .packet = AIE_NONE, .descriptor = AIE_NONE};
	*moves_out = false;
	*next_out = NULL;
	for (const struct aie_op *op = first; op && !aie_op_is(op, AIE_BLOCK); op = op->next) {
		if (aie_op_is(op, "aie.use_lock")) {
			lock_read(array, op, piece);
		} else if (aie_op_is(op, "aie.dma_bd") && !*moves_out) {
			*moves_out = true;
			descriptor_read(array, op, piece);
		} else if (aie_op_is(op, "aie.dma_bd_packet")) {
			piece->packet = (uint32_t)array_number(op, "packet_id", 0);
			array_packet(array, op, piece->packet);
		} else if (aie_op_is(op, "aie.next_bd")) {
			*next_out = op->successor_count ? op->successors[0] : NULL;
		} else if (!aie_op_is(op, "aie.end") && !aie_op_is(op, "aie.dma_start") && !aie_op_is(op, "arith.constant") && !aie_op_is(op, "aie.lock") &&
			   !aie_op_is(op, "aie.buffer") && !aie_op_is(op, "aie.dma")) {
			array_fail(array, op, PTOWSP_UNSUPPORTED, "this operation has no model in a descriptor's block");
		}
	}
}

/* Blocks that this walk has been to, and the descriptor of each. */
struct visited {
	const struct aie_op *block;
	uint32_t piece;
};

uint32_t array_chain(struct aie_array *array, uint32_t channel, const struct aie_op *owner, const struct aie_op *block)
{
	struct visited *visited = NULL;
	uint32_t count = 0, room = 0, last = AIE_NONE;

	array->chain = channel;
	for (;;) {
		const struct aie_op *next;
		struct aie_piece piece;
		uint32_t at = AIE_NONE;
		bool moves;

		for (uint32_t i = 0; i < count; i++)
			if (visited[i].block == block)
				at = visited[i].piece;
		if (at != AIE_NONE) {
			array->net->pieces[last].next = at;
			break;
		}
		block_read(array, block ? block->next : owner->regions[0].first, &piece, &moves, &next);
		if (!moves)
			break;
		if (count == AIE_ARRAY_CHAIN)
			array_fail(array, owner, PTOWSP_UNSUPPORTED, "a chain has more than %d descriptors", AIE_ARRAY_CHAIN);
		at = aie_net_link(array->net, &piece);
		*COMMON_PUSH(array->arena, visited, count, room) = (struct visited){block, at};
		if (last != AIE_NONE)
			array->net->pieces[last].next = at;
		last = at;
		if (!next)
			break;
		block = next;
	}
	return count ? visited[0].piece : AIE_NONE;
}

static uint32_t channel_of(struct aie_array *array, const struct aie_op *op, uint32_t tile)
{
	return array_channel_take(array, op, tile, array_number(op, "channel_dir", 0) == 1, array_number(op, "channel_index", -1));
}

static void start_read(struct aie_array *array, const struct aie_op *op, uint32_t tile)
{
	uint32_t channel, piece, times;

	if (op->successor_count != 2)
		array_fail(array, op, PTOWSP_INVALID, "other blocks than it must have");
	times = array_times(array, op);
	channel = channel_of(array, op, tile);
	piece = array_chain(array, channel, op->parent, op->successors[0]);
	if (piece != AIE_NONE)
		aie_net_chain(array->net, array->channels[channel].end, piece, times);
}

/* aie.dma: descriptors one after the other, round and round unless it says `loop = false`. */
static void dma_read(struct aie_array *array, const struct aie_op *op, uint32_t tile)
{
	const uint32_t first = array->net->piece_count, times = array_times(array, op), channel = channel_of(array, op, tile);
	const bool round = !aie_attr_of(op, "loop") || array_flag(op, "loop");

	array->chain = channel;
	for (uint32_t i = 0; i < op->region_count; i++) {
		const struct aie_op *next;
		struct aie_piece piece;
		bool moves;

		block_read(array, op->regions[i].first, &piece, &moves, &next);
		if (!moves)
			array_fail(array, op, PTOWSP_INVALID, "a descriptor that moves nothing");
		if (i + 1 < op->region_count)
			piece.next = first + i + 1;
		else if (round)
			piece.next = first;
		aie_net_link(array->net, &piece);
	}
	if (op->region_count)
		aie_net_chain(array->net, array->channels[channel].end, first, times);
}

void array_dmas(struct aie_array *array)
{

	for (const struct aie_op *dma = array->device->regions[0].first; dma; dma = dma->next) {
		const uint32_t tile = array_is_dma(dma) ? array_tile_of(array, dma, 0) : AIE_NONE;

		for (const struct aie_op *op = tile == AIE_NONE ? NULL : dma->regions[0].first; op; op = op->next)
			if (aie_op_is(op, "aie.dma_start"))
				start_read(array, op, tile);
			else if (aie_op_is(op, "aie.dma"))
				dma_read(array, op, tile);
	}
}
