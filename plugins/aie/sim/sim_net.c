/* SPDX-License-Identifier: MIT */
/* sim_net.c - a net is put together, and taken apart. */
#include "aie/sim/sim_net.h"
#include "aie/sim/aie_cost.h"
#include <stdlib.h>

#include "registry/common/common_grow.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static uint32_t no_memory(const struct aie_net *net)
{
	if (net->out)
		longjmp(*net->out, 1);
	return AIE_NONE;
}

/* Index of a new zeroed row of one of the arrays. */
static uint32_t row_add(struct aie_net *net, void **rows, uint32_t *count, uint32_t *room, size_t size)
{
	if (!common_grow(rows, room, *count, size))
		return no_memory(net);
	memset((char *)*rows + *count * size, 0, size);
	return (*count)++;
}
#define ROW_ADD(net, row) row_add(net, (void **)&(net)->row##s, &(net)->row##_count, &(net)->row##_room, sizeof(*(net)->row##s))

void *aie_net_memory(struct aie_net *net, uint64_t bytes)
{
	const uint32_t row = ROW_ADD(net, block);
	void *block = row == AIE_NONE || bytes > SIZE_MAX / 2 ? NULL : calloc(bytes ? bytes : 1, 1);

	if (!block)
		no_memory(net);
	else
		net->blocks[row] = block;
	return block;
}

void aie_net_set(struct aie_net *net, const struct aie_arch *arch, const struct aie_sim_args *args)
{
	net->buffering = args->buffering < AIE_STREAM_WORDS ? args->buffering : AIE_STREAM_WORDS;
	net->channel_queue = (uint32_t)arch->generation->tiles[AIE_SHIM].limits[AIE_DMA_QUEUE];
	net->window = args->queue;
	net->polls = args->polls;
	net->host_cycles = args->host_cycles ? args->host_cycles : AIE_COST_HOST_TASK;
	net->ddr_rate = arch->ddr_bytes;
	net->told = args->told;
	net->told_context = args->told_context;
	net->stepped = args->stepped;
	net->stepped_context = args->stepped_context;
	net->acquired = args->acquired;
	net->acquired_context = args->acquired_context;
}

bool aie_net_marked(struct aie_net *net, uint64_t bytes)
{
	net->objects = aie_net_memory(net, bytes < SIZE_MAX / 2 ? 2 * bytes : SIZE_MAX);
	net->marks = bytes;
	return net->objects;
}

uint8_t *aie_net_objects(struct aie_net *net, uint64_t bytes)
{
	uint8_t *objects;

	if (!net->objects)
		return aie_net_memory(net, bytes);
	if (bytes > net->marks - net->taken) {
		no_memory(net);
		return NULL;
	}
	objects = net->objects + net->taken;
	net->taken += (bytes + 15) / 16 * 16;
	return objects;
}

uint32_t aie_net_agent(struct aie_net *net, const char *format, ...)
{
	char text[96], *name;
	uint32_t row;
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	name = aie_net_memory(net, strlen(text) + 1);
	row = name ? ROW_ADD(net, agent) : AIE_NONE;
	if (row != AIE_NONE)
		net->agents[row].name = strcpy(name, text);
	return row;
}

static bool lock_init(struct aie_net *net, struct aie_lock *lock, uint64_t depth)
{
	uint64_t *times = aie_net_memory(net, 2 * depth * sizeof(*times));

	if (!times)
		return false;
	lock->depth = depth;
	lock->mask = depth & (depth - 1) ? 0 : depth - 1;
	for (int side = AIE_PUTTER; side <= AIE_GETTER; side++) {
		lock->times[side] = times + (side ? depth : 0);
		lock->agent[side] = lock->core[side] = lock->end[side] = AIE_NONE;
	}
	return true;
}

uint32_t aie_net_locks(struct aie_net *net, const char *name, uint64_t depth, uint64_t bytes, uint32_t count, const uint64_t *parts)
{
	uint8_t *base = aie_net_objects(net, depth <= SIZE_MAX / (bytes + 1) ? depth * bytes : SIZE_MAX);
	uint32_t first = AIE_NONE;

	for (uint32_t i = 0; base && i < count; i++) {
		uint32_t row = ROW_ADD(net, lock);

		if (row == AIE_NONE || !lock_init(net, &net->locks[row], depth))
			return AIE_NONE;
		net->locks[row].name = name;
		net->locks[row].base = base + parts[i];
		net->locks[row].stride = bytes;
		first = i ? first : row;
	}
	return first;
}

uint32_t aie_net_end(struct aie_net *net, const char *fifo, uint32_t agent, bool sends, bool shim, uint64_t delay, uint64_t repeat)
{
	uint32_t row = agent == AIE_NONE ? AIE_NONE : ROW_ADD(net, end);

	if (row == AIE_NONE)
		return row;
	net->ends[row] = (struct aie_end){.fifo = fifo,
					  .agent = agent,
					  .sends = sends,
					  .shim = shim,
					  .delay = delay,
					  .repeat = repeat ? repeat : 1,
					  .piece = net->piece_count,
					  .task = AIE_NONE,
					  .task_last = AIE_NONE,
					  .token = AIE_NONE,
					  .chain = AIE_NONE,
					  .at = AIE_NONE,
					  .listens = true,
					  .fresh = true};
	return row;
}

uint32_t aie_net_piece(struct aie_net *net, uint32_t lock, uint32_t lock_count, const struct aie_path *path)
{
	struct aie_end *end = &net->ends[net->end_count - 1];
	const enum aie_side side = end->sends ? AIE_GETTER : AIE_PUTTER;
	uint32_t row = lock == AIE_NONE ? AIE_NONE : ROW_ADD(net, piece);

	if (row == AIE_NONE)
		return row;
	net->pieces[row] = (struct aie_piece){.lock = lock, .lock_count = lock_count, .path = *path, .next = AIE_NONE, .packet = AIE_NONE};
	end->piece_count++;
	for (uint32_t i = lock; i < lock + lock_count; i++) {
		net->locks[i].agent[side] = end->agent;
		net->locks[i].end[side] = net->end_count - 1;
	}
	return row;
}

uint32_t aie_net_stream(struct aie_net *net, uint32_t end, uint32_t end_count)
{
	uint32_t row = ROW_ADD(net, stream);

	if (row == AIE_NONE)
		return row;
	net->streams[row] = (struct aie_net_stream){.end = end, .end_count = end_count, .sender_count = 1, .pace = 1, .until = AIE_NEVER};
	for (uint32_t i = end; i < end + end_count; i++)
		net->ends[i].stream = row;
	return row;
}

void aie_net_senders(struct aie_net *net, uint32_t stream, uint32_t sender_count)
{
	struct aie_net_stream *row = &net->streams[stream];

	row->sender_count = sender_count;
	row->packets = true;
	for (uint32_t i = row->end + sender_count; i < row->end + row->end_count; i++)
		net->ends[i].listens = false;
}

uint32_t aie_net_packet(struct aie_net *net, uint32_t from, uint32_t number, uint32_t to)
{
	const uint32_t row = ROW_ADD(net, packet);

	if (row != AIE_NONE)
		net->packets[row] = (struct aie_packet){from, number, to};
	return row;
}

uint32_t aie_net_semaphore(struct aie_net *net, const char *name, int64_t value, int64_t most, bool binary)
{
	char *waiting = name ? aie_net_memory(net, strlen(name) + sizeof("waits for ")) : NULL;
	const uint32_t row = waiting ? ROW_ADD(net, semaphore) : AIE_NONE;

	if (row == AIE_NONE)
		return row;
	sprintf(waiting, "waits for %s", name);
	net->semaphores[row] = (struct aie_semaphore){.name = name, .value = value, .most = most, .binary = binary, .waiting = waiting};
	return row;
}

uint32_t aie_net_giver(struct aie_net *net, uint32_t core, uint32_t semaphore)
{
	const uint32_t row = ROW_ADD(net, giver);

	if (row != AIE_NONE)
		net->givers[row] = (struct aie_giver){core, semaphore};
	return row;
}

uint32_t aie_net_link(struct aie_net *net, const struct aie_piece *piece)
{
	const uint32_t row = ROW_ADD(net, piece);

	if (row != AIE_NONE)
		net->pieces[row] = *piece;
	return row;
}

void aie_net_chain(struct aie_net *net, uint32_t end, uint32_t piece, uint64_t times)
{
	net->ends[end].chain = net->ends[end].at = piece;
	net->ends[end].repeat = times;
}

uint32_t aie_net_core(struct aie_net *net, uint32_t agent, struct aie_program program)
{
	uint32_t row = agent == AIE_NONE ? AIE_NONE : ROW_ADD(net, core);

	if (row != AIE_NONE)
		net->cores[row] = (struct aie_machine_core){.program = program, .agent = agent};
	return row;
}

void aie_net_joins(struct aie_net *net, uint32_t core, uint32_t lock, enum aie_side side)
{
	net->locks[lock].agent[side] = net->cores[core].agent;
	net->locks[lock].core[side] = core;
}

static uint32_t step_add(struct aie_net *net, struct aie_host_step step)
{
	struct aie_host *host = &net->host;
	uint32_t row = row_add(net, (void **)&host->steps, &host->count, &host->room, sizeof(*host->steps));

	if (row != AIE_NONE)
		host->steps[row] = step;
	return row;
}

uint32_t aie_net_task(struct aie_net *net, uint32_t end, uint8_t *base, const struct aie_path *path, uint32_t descriptor, bool token)
{
	uint32_t row = ROW_ADD(net, task);

	if (row == AIE_NONE)
		return row;
	net->tasks[row] =
		(struct aie_task){.end = end, .next = AIE_NONE, .base = base, .path = *path, .descriptor = descriptor, .piece = AIE_NONE, .token = token};
	return step_add(net, (struct aie_host_step){.task = row, .end = end}) == AIE_NONE ? AIE_NONE : row;
}

uint32_t aie_net_chain_task(struct aie_net *net, uint32_t end, uint32_t piece, uint32_t repeat, bool token)
{
	const uint32_t row = aie_net_task(net, end, NULL, &net->pieces[piece].path, AIE_NONE, token);

	if (row != AIE_NONE) {
		net->tasks[row].piece = piece;
		net->tasks[row].repeat = repeat;
	}
	return row;
}

uint32_t aie_net_wait(struct aie_net *net, uint32_t end)
{
	return step_add(net, (struct aie_host_step){.task = AIE_NONE, .end = end});
}

uint32_t aie_net_write(struct aie_net *net, uint8_t *to, uint32_t semaphore, int32_t value)
{
	return step_add(net, (struct aie_host_step){AIE_NONE, AIE_NONE, to, semaphore, value, 0});
}

void aie_net_finish(struct aie_net *net)
{
	for (uint32_t i = 0; i < net->block_count; i++)
		free(net->blocks[i]);
	for (uint32_t i = 0; i < net->core_count; i++)
		free(net->cores[i].objects);
	for (uint32_t i = 0; i < net->semaphore_count; i++) {
		free(net->semaphores[i].given);
		free(net->semaphores[i].waits);
		free(net->semaphores[i].waiters);
	}
	free(net->blocks);
	free(net->locks);
	free(net->semaphores);
	free(net->packets);
	free(net->givers);
	free(net->pieces);
	free(net->tasks);
	free(net->ends);
	free(net->streams);
	free(net->cores);
	free(net->agents);
	free(net->host.steps);
	aie_queue_finish(&net->queue);
	*net = (struct aie_net){0};
}

/* The tournament's beginning and end. */

bool aie_queue_init(struct aie_queue *queue, uint32_t agents)
{
	queue->leaves = 2;
	while (queue->leaves < agents)
		queue->leaves *= 2;
	queue->tree = calloc(2 * (size_t)queue->leaves, sizeof(*queue->tree));
	if (!queue->tree)
		return false;
	for (uint32_t i = 0; i < queue->leaves; i++)
		queue->tree[queue->leaves + i] = (struct aie_match){AIE_NEVER, i};
	for (uint32_t i = queue->leaves - 1; i; i--)
		queue->tree[i] = queue->tree[2 * i];
	return true;
}

void aie_queue_finish(struct aie_queue *queue)
{
	free(queue->tree);
	*queue = (struct aie_queue){0};
}
