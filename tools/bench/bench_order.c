/* SPDX-License-Identifier: MIT */
#include "tools/bench/bench_order.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "tools/bench/bench.h"

/* What was done with a tile so far. Windows are whole tiles, so that their addresses say which. */
struct bench_tile {
	const uint32_t *data;           /* NULL: free place */
	uint32_t writer, written_by;    /* number + 1 of the task that wrote it, 0: none; whose it was */
	uint32_t write_at, read_at[2];  /* position + 1 in its thread's list: of that task, of the latest reader since */
};

/* ---- making -------------------------------------------------------------------------------------------------------- */

static struct bench_tile *place(struct bench_tile *tiles, uint32_t room, const uint32_t *data)
{
	uint32_t at = (uint32_t)((uintptr_t)data / 16 * 2654435761u) & (room - 1);

	while (tiles[at].data && tiles[at].data != data)
		at = (at + 1) & (room - 1);
	return &tiles[at];
}

static bool tiles_grow(struct bench_order *order)
{
	const uint32_t room = order->tile_room ? order->tile_room * 2 : 1024;
	struct bench_tile *more = calloc(room, sizeof(*more));

	for (uint32_t i = 0; more && i < order->tile_room; i++)
		if (order->tiles[i].data)
			*place(more, room, order->tiles[i].data) = order->tiles[i];
	if (!more)
		return false;
	free(order->tiles);
	order->tiles = more;
	order->tile_room = room;
	return true;
}

/* NULL without memory. */
static struct bench_tile *tile_of(struct bench_order *order, const uint32_t *data)
{
	struct bench_tile *tile;

	if (order->tile_count * 2 >= order->tile_room && !tiles_grow(order))
		return NULL;
	tile = place(order->tiles, order->tile_room, data);
	order->tile_count += !tile->data;
	tile->data = data;
	return tile;
}

static struct bench_order_task *task_add(struct bench_order *order, unsigned owner)
{
	if (order->count[owner] == order->room[owner]) {
		const uint32_t room = order->room[owner] ? order->room[owner] * 2 : 1024;
		struct bench_order_task *more = realloc(order->tasks[owner], room * sizeof(*more));

		if (!more)
			return NULL;
		order->tasks[owner] = more;
		order->room[owner] = room;
	}
	return &order->tasks[owner][order->count[owner]++];
}

static void later(uint32_t *wait, uint32_t at)
{
	*wait = at > *wait ? at : *wait;
}

/* What the task has to wait for because of a window. */
static void window_wait(struct bench_order_task *t, const struct bench_tile *tile, unsigned owner, bool writes)
{
	if (tile->writer && tile->written_by != owner)
		later(&t->wait, tile->write_at);
	if (writes)
		later(&t->wait, tile->read_at[!owner]);
}

static void window_done(struct bench_order *order, const struct bench_order_task *t, struct bench_tile *tile, unsigned owner, bool writes)
{
	if (!writes) {
		tile->read_at[owner] = order->count[owner];
		return;
	}
	tile->writer = t->number + 1;
	tile->written_by = owner;
	tile->write_at = order->count[owner];
	tile->read_at[0] = tile->read_at[1] = 0;
}

/* Stands in for the kernel. */
static ptowsp_status take(const struct ptowsp_task *task, struct ptowsp_kernel_out *out)
{
	struct bench_order *order = task->workspace;
	const unsigned owner = order->nest->owner;
	struct bench_order_task *t = order->failed ? NULL : task_add(order, owner);
	uint32_t writers[BENCH_NEST_WINDOWS];

	(void)out;
	if (!t)
		return order->failed = true, PTOWSP_NO_MEMORY;
	*t = (struct bench_order_task){.by = task->args[0], .number = (uint32_t)task->number, .step = task->kernel};
	for (uint32_t w = 0; w < task->tensor_count; w++) {
		struct bench_tile *tile = tile_of(order, t->windows[w] = task->tensors[w].data);
		bool other = tile && tile->writer;

		if (!tile)
			return order->failed = true, PTOWSP_NO_MEMORY;
		window_wait(t, tile, owner, task->tensors[w].access & PTOWSP_WRITE);
		writers[w] = tile->writer;
		for (uint32_t before = 0; before < w; before++)
			other = other && writers[before] != tile->writer;
		order->edges += other;
	}
	for (uint32_t w = 0; w < task->tensor_count; w++)
		window_done(order, t, tile_of(order, t->windows[w]), owner, task->tensors[w].access & PTOWSP_WRITE);
	return PTOWSP_OK;
}

bool bench_order_init(struct bench_order *order, struct bench_nest *nest, const struct bench_shape *shape)
{
	*order = (struct bench_order){.nest = nest};
	nest->kernel = take;
	nest->context = order;
	bench_nest_walk(nest, shape);
	free(order->tiles);
	order->tiles = NULL;
	nest->kernel = step;
	nest->context = NULL;
	return !order->failed;
}

void bench_order_finish(struct bench_order *order)
{
	free(order->tasks[0]);
	free(order->tasks[1]);
	free(order->tiles);
	*order = (struct bench_order){0};
}

/* ---- executing ----------------------------------------------------------------------------------------------------- */

/* How far a thread is, on a line of its own. */
struct progress {
	_Alignas(128) _Atomic uint32_t over;
};
struct pair {
	const struct bench_order *order;
	struct progress progress[2];
	_Atomic uint32_t there, go;
};

static inline void pause_here(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static void walk(struct pair *pair, unsigned owner)
{
	const struct bench_order *order = pair->order;
	struct bench_nest_call calls[BENCH_STEPS];
	struct ptowsp_kernel_out out = {.head = PTOWSP_HEAD(out, KERNEL_OUT)};

	for (int s = 0; s < BENCH_STEPS; s++) {
		calls[s] = order->nest->calls[s];
		calls[s].task.tensors = calls[s].windows;
	}
	for (uint32_t i = 0; i < order->count[owner]; i++) {
		const struct bench_order_task *t = &order->tasks[owner][i];
		struct bench_nest_call *call = &calls[t->step];

		while (atomic_load_explicit(&pair->progress[!owner].over, memory_order_acquire) < t->wait)
			pause_here();
		for (uint32_t w = 0; w < call->task.tensor_count; w++)
			call->windows[w].data = t->windows[w];
		call->task.args = &t->by;
		call->task.number = t->number;
		order->nest->kernel(&call->task, &out);
		atomic_store_explicit(&pair->progress[owner].over, i + 1, memory_order_release);
	}
}

static void *second_main(void *context)
{
	struct pair *pair = context;

	atomic_store(&pair->there, 1);
	while (!atomic_load_explicit(&pair->go, memory_order_acquire))
		pause_here();
	walk(pair, 1);
	return NULL;
}

bool bench_order_run(const struct bench_order *order, double *ns_out)
{
	struct pair pair = {.order = order};
	pthread_t thread;
	uint64_t began;

	if (pthread_create(&thread, NULL, second_main, &pair))
		return false;
	while (!atomic_load(&pair.there))
		pause_here();
	began = bench_now_ns();
	atomic_store_explicit(&pair.go, 1, memory_order_release);
	walk(&pair, 0);
	while (atomic_load_explicit(&pair.progress[1].over, memory_order_acquire) < order->count[1])
		pause_here();
	*ns_out = (double)(bench_now_ns() - began);
	pthread_join(thread, NULL);
	return true;
}
