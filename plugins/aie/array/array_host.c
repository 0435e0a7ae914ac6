/* SPDX-License-Identifier: MIT */
/* array_host.c - the host's sequence: tasks of shim DMAs in all ways that aiex has, waits, values of tiles' memory. */
#include "aie/array/array_own.h"

#include <inttypes.h>
#include <string.h>

static uint32_t channel_find(struct aie_array *array, const struct aie_op *op, const char *name)
{
	const uint32_t channel = array_channel_named(array, array_text(op, name));

	if (channel == AIE_NONE)
		array_fail(array, op, PTOWSP_INVALID, "'%.64s' is no fifo with an end on a shim and no aie.shim_dma_allocation",
			   array_text(op, name) ? array_text(op, name) : "");
	return channel;
}

static void task_made(struct aie_array *array, const struct aie_op *op, uint32_t task)
{
	array->net->tasks[task].line = op->line;
	array->report->steps++;
}

/* For a token of a channel. */
static void wait_made(struct aie_array *array, const struct aie_op *op, uint32_t channel)
{
	const uint32_t step = aie_net_wait(array->net, array->channels[channel].end);

	array->net->host.steps[step].line = op->line;
	array->report->steps++;
}

/* A value into 4 bytes (to), or into a lock. */
static void write_made(struct aie_array *array, const struct aie_op *op, uint8_t *to, uint32_t semaphore)
{
	aie_net_write(array->net, to, semaphore, (int32_t)array_number(op, "value", 0));
	array->report->steps++;
}

/* ---- tasks ---------------------------------------------------------------------------------------------------------- */

/* Four numbers, those that the text does not know from the operands that follow; *operand goes on. */
/* name: "static_sizes" and the like. */
static void numbers_of(struct aie_array *array, const struct aie_op *op, const char *name, uint32_t *operand, int64_t numbers[4])
{
	const struct aie_attr *attr = aie_attr_of(op, name);
	const char *plain = name + strlen("static_");

	if (!attr || attr->kind != AIE_ATTR_INTS || attr->count != 4)
		array_fail(array, op, PTOWSP_INVALID, "it has no four %s", plain);
	for (uint32_t i = 0; i < 4; i++) {
		numbers[i] = attr->ints[i];
		if (numbers[i] == AIE_DYNAMIC && (*operand >= op->operand_count || !array_value(array, op->operands[(*operand)++], &numbers[i])))
			array_fail(array, op, PTOWSP_UNSUPPORTED, "number %u of its %s is not known before the run, which the model needs", i, plain);
		if (numbers[i] < 0 || numbers[i] > INT32_MAX)
			array_fail(array, op, PTOWSP_INVALID, "number %u of its %s is %" PRId64 ", it must be 0 to 2^31 - 1", i, plain, numbers[i]);
	}
}

static int64_t allocation_packet(const struct aie_array *array, const char *name)
{
	for (uint32_t i = 0; name && i < array->allocation_count; i++)
		if (!strcmp(array->allocations[i].name, name))
			return array->allocations[i].packet;
	return -1;
}

static void task_add(struct aie_array *array, const struct aie_op *op, uint32_t channel, const struct aie_array_memory *memory, int64_t offset,
		     const struct aie_path *path)
{
	const struct array_channel *row = &array->channels[channel];
	const bool token = !row->sends || array_flag(op, "issue_token");
	const uint32_t descriptor = array_descriptor_place(array, row->tile, array_number(op, "id", -1));
	const int64_t packet = array_packet_of(array, op, allocation_packet(array, array_text(op, "metadata")));
	uint8_t *base = memory->bytes + (uint64_t)offset * aie_type_bytes(memory->type->element);
	const struct aie_piece piece = {.lock = AIE_NONE,
					.path = *path,
					.base = base,
					.take = {AIE_NONE, 0, false},
					.give = {AIE_NONE, 0, false},
					.next = AIE_NONE,
					.packet = (uint32_t)packet,
					.descriptor = descriptor};

	task_made(array, op,
		  packet < 0 ? aie_net_task(array->net, row->end, base, path, descriptor, token)
			     : aie_net_chain_task(array->net, row->end, aie_net_link(array->net, &piece), 1, token));
}

static void memcpy_read(struct aie_array *array, const struct aie_op *op)
{
	const struct aie_value *value = op->operand_count ? op->operands[0] : NULL;
	int64_t offsets[4], sizes[4], strides[4];
	struct aie_path path;
	uint32_t channel, operand = 1;
	int64_t offset = 0;

	if (!value || !value->argument || value->op != array->sequence || array->places[value->id] == AIE_NONE)
		array_fail(array, op, PTOWSP_INVALID, "it moves what is no memref of the sequence's arguments");
	numbers_of(array, op, "static_offsets", &operand, offsets);
	numbers_of(array, op, "static_sizes", &operand, sizes);
	numbers_of(array, op, "static_strides", &operand, strides);
	if (operand != op->operand_count)
		array_fail(array, op, PTOWSP_INVALID, "it has more operands than numbers that are not said");
	channel = channel_find(array, op, "metadata");
	array_descriptor_number(array, op, channel, "id");
	for (uint32_t i = 0; i < 4; i++)
		offset += offsets[i] * strides[i];
	array_path(array, op, array->memories[array->places[value->id]].type, offset, 4, sizes, strides, &path);
	task_add(array, op, channel, &array->memories[array->places[value->id]], offset, &path);
}

static uint32_t task_channel(struct aie_array *array, const struct aie_op *op)
{
	const uint32_t tile = op->operand_count == 1 ? array_tile_of(array, op, 0) : AIE_NONE;

	if (aie_op_is(op, "aiex.dma_configure_task_for"))
		return channel_find(array, op, "alloc");
	if (tile == AIE_NONE)
		array_shape_fail(array, op);
	return array_channel_take(array, op, tile, array_number(op, "direction", 0) == 1, array_number(op, "channel", -1));
}

static void configure_read(struct aie_array *array, const struct aie_op *op)
{
	struct array_task *row = ARRAY_ROW(array, op, task), task = {.op = op};
	const uint32_t first = array->net->piece_count;
	int64_t packet;

	if (op->region_count != 1 || op->result_count != 1)
		array_shape_fail(array, op);
	task.repeat = array_times(array, op);
	task.channel = task_channel(array, op);
	task.piece = array_chain(array, task.channel, op, NULL);
	if (task.piece == AIE_NONE)
		array_fail(array, op, PTOWSP_INVALID, "a task without a descriptor");
	array_task_descriptors(array, &task, first);
	packet = array_packet_of(array, op, allocation_packet(array, array_text(op, "alloc")));
	if (packet >= 0 && array->net->pieces[task.piece].packet == AIE_NONE)
		array->net->pieces[task.piece].packet = (uint32_t)packet;
	task.token = array_flag(op, "issue_token"); /* also of a store: only dma_memcpy_nd gives one unasked */
	*row = task;
	array->places[op->results[0]->id] = array->task_count - 1;
}

/* The task that an operand names; NULL. */
static struct array_task *task_of(const struct aie_array *array, const struct aie_op *op)
{
	const uint32_t row = op->operand_count == 1 ? array->places[op->operands[0]->id] : AIE_NONE;
	const struct aie_value *value = op->operand_count == 1 ? op->operands[0] : NULL;
	const bool carried = value && (value->argument || !strncmp(value->op->name, "scf.", 4));

	if (!value || (!carried && !aie_op_is(value->op, "aiex.dma_configure_task") && !aie_op_is(value->op, "aiex.dma_configure_task_for")))
		return NULL;
	return row < array->task_count && (!carried || array->values[value->id].known) ? &array->tasks[row] : NULL;
}

static void start_read(struct aie_array *array, const struct aie_op *op)
{
	const struct array_task *task = task_of(array, op);

	if (!task)
		array_shape_fail(array, op);
	task_made(array, op, aie_net_chain_task(array->net, array->channels[task->channel].end, task->piece, task->repeat, task->token));
}

/* ---- waits ---------------------------------------------------------------------------------------------------------- */

static void await_read(struct aie_array *array, const struct aie_op *op)
{
	struct array_task *task = task_of(array, op);

	if (!task)
		array_shape_fail(array, op);
	if (!task->token)
		array_fail(array, op, PTOWSP_INVALID, "the task of line %u gives no token to wait for; give it issue_token = true", task->op->line);
	array_task_release(array, task);
	aie_net_wait(array->net, array->channels[task->channel].end);
	array->report->steps++;
}

static void free_read(struct aie_array *array, const struct aie_op *op)
{
	struct array_task *task = task_of(array, op);

	if (!task)
		array_shape_fail(array, op);
	array_task_release(array, task);
}

static void wait_read(struct aie_array *array, const struct aie_op *op)
{
	wait_made(array, op, channel_find(array, op, "symbol"));
}

/* A token of each of so many columns and rows. */
static void sync_read(struct aie_array *array, const struct aie_op *op)
{
	const int64_t column = array_number(op, "column", -1), row = array_number(op, "row", -1), direction = array_number(op, "direction", 0);
	const int64_t columns = array_number(op, "column_num", 1), rows = array_number(op, "row_num", 1), number = array_number(op, "channel", -1);

	if (column < 0 || row < 0 || columns < 1 || rows < 1 || columns > 64 || rows > 64)
		array_shape_fail(array, op);
	for (int64_t c = column; c < column + columns; c++)
		for (int64_t r = row; r < row + rows; r++) {
			uint32_t found = AIE_NONE;

			for (uint32_t i = 0; i < array->channel_count; i++) {
				const struct array_channel *channel = &array->channels[i];

				if (array->tiles[channel->tile].column == c && array->tiles[channel->tile].row == r && channel->sends == (direction == 1) &&
				    channel->number == number)
					found = i;
			}
			if (found == AIE_NONE)
				array_fail(array, op, PTOWSP_INVALID, "no DMA of tile (%" PRId64 ",%" PRId64 ") is used that way", c, r);
			wait_made(array, op, found);
		}
}

/* ---- values --------------------------------------------------------------------------------------------------------- */

static void word_write(struct aie_array *array, const struct aie_op *op, const struct aie_array_memory *memory, int64_t index)
{
	if (index < 0 || 4 * ((uint64_t)index + 1) > memory->size)
		array_fail(array, op, PTOWSP_INVALID, "word %" PRId64 " of '%.64s', which has %" PRIu64 " bytes", index, memory->name, memory->size);
	write_made(array, op, memory->bytes + 4 * index, AIE_NONE);
}

static void value_read(struct aie_array *array, const struct aie_op *op)
{
	const char *name = array_text(op, "buffer");

	for (uint32_t i = 0; name && i < array->memory_count; i++)
		if (!strcmp(array->memories[i].name, name)) {
			word_write(array, op, &array->memories[i], array_number(op, aie_attr_of(op, "index") ? "index" : "address", -1));
			return;
		}
	array_fail(array, op, PTOWSP_INVALID, "'%.64s' is no buffer", name ? name : "");
}

/* The lock whose value stands at an address of a tile: 16 bytes each from there on, by the register maps of aie-rt (XAIEMLGBL_MEMORY_MODULE_LOCK0_VALUE and its like). */
static uint32_t lock_at(const struct aie_array *array, uint32_t tile, int64_t address)
{
	static const int64_t first[] = {[AIE_SHIM] = 0x14000, [AIE_MEMTILE] = 0xC0000, [AIE_CORE] = 0x1F000};
	const int64_t from = address - first[array->tiles[tile].kind];

	for (uint32_t i = 0; from >= 0 && from % 16 == 0 && i < array->lock_count; i++)
		if (array->locks[i].tile == tile && array->locks[i].id == from / 16)
			return array->locks[i].semaphore;
	return AIE_NONE;
}

/* A word of a buffer by its name, or by the address that the text gives it; a lock; any other register is not written. */
static void register_read(struct aie_array *array, const struct aie_op *op)
{
	const int64_t column = array_number(op, "column", -1), row = array_number(op, "row", -1), address = (int64_t)(uint32_t)array_number(op, "address", 0);

	if (array_text(op, "buffer")) {
		value_read(array, op);
		return;
	}
	for (uint32_t i = 0; i < array->buffer_count; i++) {
		const struct array_buffer *buffer = &array->buffers[i];
		const struct aie_array_memory *memory = &array->memories[buffer->memory];
		const int64_t from = array_number(buffer->op, "address", -1);
		const uint32_t tile = array_tile_of(array, buffer->op, 0);

		if (from >= 0 && tile != AIE_NONE && array->tiles[tile].column == column && array->tiles[tile].row == row && address >= from &&
		    (uint64_t)(address - from) < memory->size && (address - from) % 4 == 0) {
			word_write(array, op, memory, (address - from) / 4);
			return;
		}
	}
	for (uint32_t i = 0; i < array->tile_count; i++)
		if (array->tiles[i].column == column && array->tiles[i].row == row && lock_at(array, i, address) != AIE_NONE) {
			write_made(array, op, NULL, lock_at(array, i, address));
			return;
		}
	array->report->ignored++;
}

static void lock_read(struct aie_array *array, const struct aie_op *op)
{
	const uint32_t row = op->operand_count == 1 ? array_place(array, op->operands[0], "aie.lock") : AIE_NONE;

	if (row == AIE_NONE)
		array_shape_fail(array, op);
	write_made(array, op, NULL, array->locks[row].semaphore);
}

static void ignore(struct aie_array *array, const struct aie_op *op)
{
	(void)op;
	array->report->ignored++;
}

static void nothing(struct aie_array *array, const struct aie_op *op)
{
	(void)array;
	(void)op;
}

static void unsupported(struct aie_array *array, const struct aie_op *op)
{
	array_fail(array, op, PTOWSP_UNSUPPORTED, "registers that begin transfers have no model; say the task instead");
}

void array_steps(struct aie_array *array, const struct aie_region *region)
{
	static const struct {
		const char *name;
		void (*read)(struct aie_array *array, const struct aie_op *op);
	} kinds[] = {
		{"aiex.npu.dma_memcpy_nd", memcpy_read},
		{"aiex.npu.dma_wait", wait_read},
		{"aiex.npu.sync", sync_read},
		{"aiex.npu.rtp_write", value_read},
		{"aiex.set_lock", lock_read},
		{"aiex.dma_configure_task", configure_read},
		{"aiex.dma_configure_task_for", configure_read},
		{"aiex.dma_start_task", start_read},
		{"aiex.dma_await_task", await_read},
		{"aiex.dma_free_task", free_read},
		{"aiex.npu.write32", register_read},
		{"aiex.npu.maskwrite32", ignore},
		{"aiex.npu.writebd", ignore},
		{"aiex.npu.address_patch", ignore},
		{"aiex.npu.blockwrite", ignore},
		{"memref.get_global", nothing},
		{"aiex.npu.push_queue", unsupported},
		{"arith.constant", nothing},
		{"memref.assume_alignment", nothing},
		{"aie.end", nothing},
	};

	for (const struct aie_op *op = region->first; op; op = op->next) {
		bool known;
		size_t i = 0;

		while (i < sizeof(kinds) / sizeof(*kinds) && !aie_op_is(op, kinds[i].name))
			i++;
		known = i < sizeof(kinds) / sizeof(*kinds);
		if (known)
			kinds[i].read(array, op);
		else
			known = array_control(array, op);
		if (!known)
			array_fail(array, op, PTOWSP_UNSUPPORTED, "this operation has no model in a sequence");
	}
}

void array_host(struct aie_array *array)
{
	array->net->host_agent = aie_net_agent(array->net, "host");
	if (!array->sequence)
		return;
	array_arguments(array);
	array_steps(array, &array->sequence->regions[0]);
}
