/* SPDX-License-Identifier: MIT */
/* array_read.c - tiles, locks, buffers, functions and names of a device. */
#include "aie/array/array_own.h"
#include "aie/ir/ir.h"
#include "registry/common/common_arena.h"
#include "registry/common/common_grow.h"

#include "base/error.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- sentences and attributes --------------------------------------------------------------------------------------- */

void array_expect(struct aie_array *array, ptowsp_status status)
{
	array->status = status;
	if (status)
		longjmp(array->out, 1);
}

void array_memory(struct aie_array *array, bool there)
{
	if (!there)
		longjmp(array->out, 1);
}

void array_fail(struct aie_array *array, const struct aie_op *op, ptowsp_status status, const char *format, ...)
{
	char sentence[200];
	va_list list;

	va_start(list, format);
	vsnprintf(sentence, sizeof(sentence), format, list);
	va_end(list);
	array->status = base_fail(array->error, status, "line %u: %s: %s", op->line, op->name, sentence);
	longjmp(array->out, 1);
}

void array_row(struct aie_array *array, const struct aie_op *op, const char *what, void **rows, uint32_t *count, uint32_t *room, size_t size)
{
	if (*count == AIE_ARRAY_ROWS)
		array_fail(array, op, PTOWSP_UNSUPPORTED, "with it the device has more than %d %s", AIE_ARRAY_ROWS, what);
	*rows = common_room(array->arena, *rows, *count, room, size);
	++*count;
}

int64_t array_number(const struct aie_op *op, const char *name, int64_t missing)
{
	const struct aie_attr *attr = aie_attr_of(op, name);

	return attr && (attr->kind == AIE_ATTR_INT || attr->kind == AIE_ATTR_BOOL) ? attr->number : missing;
}

int64_t array_number_at(const struct aie_attr *attr, uint32_t i, int64_t missing)
{
	if (attr->kind == AIE_ATTR_INT)
		return attr->number;
	if (attr->kind == AIE_ATTR_INTS && i < attr->count)
		return attr->ints[i];
	return attr->kind == AIE_ATTR_LIST && i < attr->count && attr->items[i]->kind == AIE_ATTR_INT ? attr->items[i]->number : missing;
}

const char *array_text(const struct aie_op *op, const char *name)
{
	const struct aie_attr *attr = aie_attr_of(op, name);

	return attr && (attr->kind == AIE_ATTR_STRING || attr->kind == AIE_ATTR_SYMBOL || attr->kind == AIE_ATTR_OTHER) ? attr->text : NULL;
}

bool array_flag(const struct aie_op *op, const char *name)
{
	const struct aie_attr *attr = aie_attr_of(op, name);

	return attr && (attr->kind == AIE_ATTR_UNIT || (attr->kind == AIE_ATTR_BOOL && attr->number));
}

int64_t array_number_in(const char *text, const char *name, int64_t missing)
{
	const char *at = text ? strstr(text, name) : NULL;
	int64_t number;

	return at && sscanf(at + strlen(name), " = %" SCNd64, &number) == 1 ? number : missing;
}

/* ---- looking up ----------------------------------------------------------------------------------------------------- */

uint32_t array_place(const struct aie_array *array, const struct aie_value *value, const char *name)
{
	if (value->argument || (name && !aie_op_is(value->op, name)))
		return AIE_NONE;
	return array->places[value->id];
}

uint32_t array_tile_of(const struct aie_array *array, const struct aie_op *op, uint32_t operand)
{
	uint32_t tile = AIE_NONE;

	if (operand < op->operand_count)
		tile = array_place(array, op->operands[operand], "aie.tile");
	if (operand < op->operand_count && tile == AIE_NONE)
		tile = array_place(array, op->operands[operand], "aie.logical_tile");
	return tile;
}

const char *array_tile_text(const struct aie_array *array, uint32_t tile)
{
	if (tile == AIE_NONE)
		return "the host's memory";
	return common_format(array->arena, "(%d,%d)", array->tiles[tile].column, array->tiles[tile].row);
}

uint32_t array_channel(struct aie_array *array, uint32_t tile, bool sends, uint32_t number)
{
	uint32_t row;

	if (array->tiles[tile].channels[sends][number])
		return array->tiles[tile].channels[sends][number] - 1;
	row = array->channel_count;
	*ARRAY_ROW(array, array->device, channel) =
		(struct array_channel){tile,
				       number,
				       sends,
				       AIE_NONE,
				       row,
				       false,
				       common_format(array->arena, "%s %s %u", array_tile_text(array, tile), sends ? "MM2S" : "S2MM", number)};
	array->tiles[tile].channels[sends][number] = row + 1;
	return row;
}

uint32_t array_channel_named(const struct aie_array *array, const char *name)
{
	for (uint32_t i = 0; name && i < array->allocation_count; i++)
		if (!strcmp(array->allocations[i].name, name))
			return array->allocations[i].channel;
	for (uint32_t i = 0; name && i < array->fifo_count; i++) {
		const struct array_fifo *fifo = &array->fifos[i];

		if (strcmp(fifo->name, name) != 0 || !fifo->moves)
			continue;
		if (array->tiles[fifo->producer].kind == AIE_SHIM)
			return fifo->from;
		for (uint32_t c = 0; c < fifo->consumer_count; c++)
			if (array->tiles[fifo->consumers[c]].kind == AIE_SHIM)
				return fifo->to[c];
	}
	return AIE_NONE;
}

uint32_t array_tile_at(struct aie_array *array, int32_t column, int32_t row)
{
	for (uint32_t i = 0; i < array->tile_count; i++)
		if (array->tiles[i].column == column && array->tiles[i].row == row)
			return i;
	*ARRAY_ROW(array, array->device, tile) =
		(struct array_tile){.op = array->device, .column = column, .row = row, .kind = array_arch_kind(array->arch, row)};
	return array->tile_count - 1;
}

void array_bytes_take(struct aie_array *array, const struct aie_op *op, uint32_t tile, uint64_t bytes)
{
	struct array_tile *row = &array->tiles[tile];
	const uint64_t most = array->arch->binary ? 32768 : array->costs->generation->tiles[row->kind].limits[AIE_MEMORY];

	if (row->kind == AIE_SHIM)
		array_fail(array, op, PTOWSP_INVALID, "it needs memory of tile %s, a shim, which has none", array_tile_text(array, tile));
	if (bytes > most || row->bytes > most - bytes)
		array_fail(array, op, PTOWSP_INVALID, "with it tile %s needs %" PRIu64 " bytes of memory, of %" PRIu64, array_tile_text(array, tile),
			   row->bytes + bytes, most);
	row->bytes += bytes;
}

/* ---- rows ----------------------------------------------------------------------------------------------------------- */

typedef void read_row(struct aie_array *array, const struct aie_op *op);

void array_shape_fail(struct aie_array *array, const struct aie_op *op)
{
	array_fail(array, op, PTOWSP_INVALID, "other operands, results or attributes than it must have");
}

/* A tile without a place gets the first one of its kind that the fewest others have, as the tools' sequential placer does; a core has one for itself. */
static void logical_place(struct aie_array *array, const struct aie_op *op, int64_t *column, int64_t *row)
{
	uint32_t fewest = AIE_NONE;
	int64_t best_column = -1, best_row = -1;
	const char *type = array_text(op, "tile_type");
	const enum aie_kind kind = !type ? AIE_CORE : !strncmp(type, "Shim", 4) ? AIE_SHIM : !strncmp(type, "Mem", 3) ? AIE_MEMTILE : AIE_CORE;

	for (int32_t c = 0; c < array->arch->columns; c++)
		for (int32_t r = 0; r < array->arch->rows; r++) {
			uint32_t others = 0;

			if (array_arch_kind(array->arch, r) != kind || (*column >= 0 && *column != c) || (*row >= 0 && *row != r))
				continue;
			for (uint32_t i = 0; i < array->tile_count; i++)
				if (array->tiles[i].column == c && array->tiles[i].row == r)
					others = array->tiles[i].named;
			if (others >= fewest || (kind == AIE_CORE && others))
				continue;
			fewest = others;
			best_column = c;
			best_row = r;
		}
	*column = best_column;
	*row = best_row;
	if (fewest == AIE_NONE)
		array_fail(array, op, PTOWSP_UNSUPPORTED, "no tile of %s is free for it", array->arch->name);
}

static void read_tile(struct aie_array *array, const struct aie_op *op)
{
	int64_t column = array_number(op, "col", -1), row = array_number(op, "row", -1);
	const bool logical = aie_op_is(op, "aie.logical_tile");
	uint32_t tile;

	if (op->result_count != 1)
		array_shape_fail(array, op);
	if (logical && (column < 0 || row < 0))
		logical_place(array, op, &column, &row);
	if (column < 0 || row < 0 || column >= array->arch->columns || row >= array->arch->rows)
		array_fail(array, op, PTOWSP_INVALID, "tile (%" PRId64 ",%" PRId64 ") lies outside of %s, which has %d columns and %d rows", column, row,
			   array->arch->name, array->arch->columns, array->arch->rows);
	tile = array->places[op->results[0]->id] = array_tile_at(array, (int32_t)column, (int32_t)row);
	array->tiles[tile].named++;
}

static void read_lock(struct aie_array *array, const struct aie_op *op)
{
	const uint32_t tile = array_tile_of(array, op, 0);
	struct array_lock *row = ARRAY_ROW(array, op, lock);
	const char *name = array_text(op, "sym_name");
	const int64_t id = array_number(op, "lockID", AIE_NONE);

	if (tile == AIE_NONE || op->result_count != 1)
		array_shape_fail(array, op);
	array_locks_take(array, op, tile, 1, array_number(op, "init", 0));
	if (id != AIE_NONE)
		array_lock_number(array, op, tile, id);
	for (const struct array_lock *other = array->locks; id != AIE_NONE && other < row; other++)
		if (other->tile == tile && other->id == id)
			array_fail(array, op, PTOWSP_INVALID, "lock %" PRId64 " of tile %s stands twice", id, array_tile_text(array, tile));
	if (!name)
		name = common_format(array->arena, "lock %" PRId64 " of %s", id == AIE_NONE ? (int64_t)array->lock_count - 1 : id,
				     array_tile_text(array, tile));
	*row = (struct array_lock){op, tile, array_semaphore(array, tile, name, array_number(op, "init", 0), array->arch->binary), id};
	array->places[op->results[0]->id] = array->lock_count - 1;
}

/* Number of the memory. */
static uint32_t memory_add(struct aie_array *array, const struct aie_op *op, const char *name, const struct aie_type *type, bool host)
{
	const uint64_t bytes = aie_type_bytes(type);
	const uint32_t row = array->memory_count;

	array_row(array, op, "memories", (void **)&array->memories, &array->memory_count, &array->memory_room, sizeof(*array->memories));
	if (type->kind != AIE_TYPE_MEMREF || type->strided)
		array_fail(array, op, PTOWSP_UNSUPPORTED, "memory that is no memref without strides has no model");
	if (host && (bytes > AIE_ARRAY_HOST_BYTES || array->host_bytes > AIE_ARRAY_HOST_BYTES - bytes))
		array_fail(array, op, PTOWSP_UNSUPPORTED, "with %" PRIu64 " bytes the host's memory is more than is simulated", bytes);
	array->host_bytes += host ? bytes : 0;
	array->memories[row] = (struct aie_array_memory){name, type, aie_net_memory(array->net, bytes + 8), bytes, host};
	return row;
}

static void read_buffer(struct aie_array *array, const struct aie_op *op)
{
	const bool external = aie_op_is(op, "aie.external_buffer");
	const struct aie_attr *initial = aie_attr_of(op, "initial_value");
	const char *name = array_text(op, "sym_name");
	struct array_buffer *row = ARRAY_ROW(array, op, buffer);

	if (op->result_count != 1 || (!external && array_tile_of(array, op, 0) == AIE_NONE))
		array_shape_fail(array, op);
	for (const struct array_buffer *other = array->buffers; name && other < row; other++)
		if (array_text(other->op, "sym_name") == name)
			array_fail(array, op, PTOWSP_INVALID, "'%.64s' is the name of the buffer in line %u; give each its own", name, other->op->line);
	if (!external)
		array_bytes_take(array, op, array_tile_of(array, op, 0), aie_type_bytes(op->results[0]->type));
	if (!name)
		name = common_format(array->arena, "buffer%u", array->buffer_count - 1);
	*row = (struct array_buffer){op, memory_add(array, op, name, op->results[0]->type, external)};
	array->places[op->results[0]->id] = array->buffer_count - 1;
	if (initial && initial->kind == AIE_ATTR_DENSE && initial->type == op->results[0]->type)
		aie_initial_put(array->memories[row->memory].bytes, initial->type, initial);
}

static void read_function(struct aie_array *array, const struct aie_op *op)
{
	struct aie_design *design = &array->functions;
	struct aie_function function = {.op = op, .name = aie_attr_of(op, "sym_name")->text, .type = aie_attr_of(op, "function_type")->type};

	if (aie_design_function(design, function.name) != AIE_NONE)
		array_fail(array, op, PTOWSP_INVALID, "function '%.64s' stands twice", function.name);
	function.outside = !op->regions[0].first;
	COMMON_ARENA_ADD(array->arena, design->functions, design->function_count, function);
	array_memory(array, common_names_add(&design->function_names, function.name));
}

static void read_allocation(struct aie_array *array, const struct aie_op *op)
{
	struct array_allocation *row = ARRAY_ROW(array, op, allocation);
	const int64_t column = array_number(op, "col", -1), number = array_number(op, "channel_index", -1);
	uint32_t tile = array_tile_of(array, op, 0);

	if (tile == AIE_NONE && column >= 0 && column < array->arch->columns)
		tile = array_tile_at(array, (int32_t)column, 0);
	row->name = array_text(op, "sym_name");
	if (tile == AIE_NONE || !row->name)
		array_shape_fail(array, op);
	row->channel = array_channel_take(array, op, tile, array_number(op, "channel_dir", 0) == 1, number);
	array->channels[row->channel].name = row->name;
	row->packet = array_packet_of(array, op, -1);
}

/* Channels that operations of a region begin: streams are made of all that there are. */
static void read_starts(struct aie_array *array, const struct aie_op *op, uint32_t region, const char *name)
{
	const bool task_name = !strncmp(name, "aiex.", 5);

	for (const struct aie_op *start = op->regions[region].first; start; start = start->next) {
		const bool task = aie_op_is(start, "aiex.dma_configure_task");
		const int64_t number = array_number(start, task ? "channel" : "channel_index", -1);
		const int64_t direction = array_number(start, task ? "direction" : "channel_dir", 0);
		const uint32_t tile = array_tile_of(array, task ? start : op, 0);

		for (uint32_t i = 0; task_name && !task && i < start->region_count; i++)
			read_starts(array, start, i, name);
		if (!task && aie_op_is(start, "aie.buffer"))
			read_buffer(array, start);
		else if (!task && aie_op_is(start, "aie.lock"))
			read_lock(array, start);
		if (!aie_op_is(start, name) && (task || !aie_op_is(start, "aie.dma")))
			continue;
		if (tile == AIE_NONE)
			array_shape_fail(array, start);
		array_channel_take(array, start, tile, direction == 1, number);
	}
}

bool array_is_dma(const struct aie_op *op)
{
	return aie_op_is(op, "aie.mem") || aie_op_is(op, "aie.memtile_dma") || aie_op_is(op, "aie.shim_dma");
}

static void read_dma(struct aie_array *array, const struct aie_op *op)
{
	const uint32_t tile = array_tile_of(array, op, 0);
	enum aie_kind kind;

	if (op->region_count != 1 || tile == AIE_NONE)
		array_shape_fail(array, op);
	kind = aie_op_is(op, "aie.mem") ? AIE_CORE : aie_op_is(op, "aie.memtile_dma") ? AIE_MEMTILE : AIE_SHIM;
	if (array->tiles[tile].kind != kind)
		array_fail(array, op, PTOWSP_INVALID, "tile %s of %s is a %s, expected a %s", array_tile_text(array, tile), array->arch->name,
			   aie_arch_kind_text(array->tiles[tile].kind), aie_arch_kind_text(kind));
	read_starts(array, op, 0, "aie.dma_start");
	array_descriptors_take(array, &op->regions[0], tile);
}

static void read_core(struct aie_array *array, const struct aie_op *op)
{
	const uint32_t tile = array_tile_of(array, op, 0);

	array->core_total++;
	if (op->region_count != 1 || op->operand_count != 1 || tile == AIE_NONE)
		array_shape_fail(array, op);
	if (array->tiles[tile].kind != AIE_CORE)
		array_fail(array, op, PTOWSP_INVALID, "a core on tile %s, a %s; put it on a core tile", array_tile_text(array, tile),
			   aie_arch_kind_text(array->tiles[tile].kind));
	if (array->tiles[tile].core)
		array_fail(array, op, PTOWSP_INVALID, "tile %s has a core already, in line %u; leave one", array_tile_text(array, tile),
			   array->tiles[tile].core->line);
	array->tiles[tile].core = op;
}

static void read_switch(struct aie_array *array, const struct aie_op *op)
{
	const uint32_t tile = array_tile_of(array, op, 0);

	if (tile == AIE_NONE || op->region_count != 1)
		array_shape_fail(array, op);
	*(aie_op_is(op, "aie.switchbox") ? &array->tiles[tile].box : &array->tiles[tile].mux) = op;
	array->report->switches++;
}

static void read_cascade(struct aie_array *array, const struct aie_op *op)
{
	array_fail(array, op, PTOWSP_UNSUPPORTED, "cascades are not simulated");
}

static void read_sequence(struct aie_array *array, const struct aie_op *op)
{
	if (op->region_count != 1)
		array_shape_fail(array, op);
	if (op != aie_array_sequence(array->args->device, array->args->sequence))
		return;
	array->sequence = op;
	read_starts(array, op, 0, "aiex.dma_configure_task");
}

static void read_end(struct aie_array *array, const struct aie_op *op)
{
	if (op->next)
		array_fail(array, op, PTOWSP_INVALID, "it stands before the end of its device");
}

static void read_nothing(struct aie_array *array, const struct aie_op *op)
{
	(void)array;
	(void)op;
}

/* Tiles before what stands on them, then the rest; DMAs, fifos and links are read when all of these are known. */
static const struct {
	const char *name;
	read_row *read;
	int pass;
} kinds[] = {
	{"aie.tile", read_tile, 0},
	{"aie.logical_tile", read_tile, 1}, /* behind those that have places */
	{"func.func", read_function, 0},
	{"aie.lock", read_lock, 2},
	{"aie.buffer", read_buffer, 2},
	{"aie.external_buffer", read_buffer, 2},
	{"aie.flow", array_flow_read, 2},
	{"aie.packet_flow", array_packets_read, 2},
	{"aie.shim_dma_allocation", read_allocation, 2},
	{"aie.core", read_core, 2},
	{"aie.switchbox", read_switch, 2},
	{"aie.shim_mux", read_switch, 2},
	{"aie.cascade_flow", read_cascade, 2},
	{"aie.runtime_sequence", read_sequence, 2},
	{"aiex.runtime_sequence", read_sequence, 2},
	{"aie.mem", read_dma, 2},
	{"aie.memtile_dma", read_dma, 2},
	{"aie.shim_dma", read_dma, 2},
	{"aie.objectfifo", read_nothing, 2},
	{"aie.objectfifo.link", read_nothing, 2},
	{"aie.objectfifo.allocate", read_nothing, 2},
	{"aie.trace", read_nothing, 2},
	{"aie.trace.config", read_nothing, 2},
	{"memref.global", read_nothing, 2},
	{"arith.constant", read_nothing, 2},
	{"aie.end", read_end, 2},
};
enum { PASSES = 3 };

static void read_op(struct aie_array *array, const struct aie_op *op, int pass)
{
	size_t i = 0;

	while (i < sizeof(kinds) / sizeof(*kinds) && !aie_op_is(op, kinds[i].name))
		i++;
	if (i == sizeof(kinds) / sizeof(*kinds))
		array_fail(array, op, PTOWSP_UNSUPPORTED, "this operation has no model in a device");
	if (kinds[i].pass == pass)
		kinds[i].read(array, op);
}

void array_read(struct aie_array *array)
{
	for (const struct aie_op *op = array->args->device->outside->regions[0].first; op; op = op->next)
		if (aie_op_is(op, "func.func"))
			read_function(array, op);
	for (int pass = 0; pass < PASSES; pass++)
		for (const struct aie_op *op = array->device->regions[0].first; op; op = op->next)
			read_op(array, op, pass);
	if (array->args->sequence && !array->sequence)
		array_expect(array, base_fail(array->error, PTOWSP_INVALID, "the device has no sequence '%.64s'", array->args->sequence));
	for (uint32_t i = 0; array->sequence && i < array->sequence->regions[0].argument_count; i++) {
		const struct aie_value *argument = array->sequence->regions[0].arguments[i];

		if (argument->type->kind == AIE_TYPE_MEMREF)
			array->places[argument->id] = memory_add(array, array->sequence, common_format(array->arena, "arg%u", i), argument->type, true);
	}
}
