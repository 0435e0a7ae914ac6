/* SPDX-License-Identifier: MIT */
#include "tools/bench/nest.h"

#include "tools/bench/bench.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The latest tasks on a tile. Windows are whole tiles, so that their addresses say which. */
struct order_tile {
	uint32_t writer, written_by;   /* number + 1 of the task that wrote it, 0: none; its thread */
	uint32_t write_at, read_at[2]; /* position + 1 in its thread's list: of that task, of the latest reader since */
};

/* ---- making -------------------------------------------------------------------------------------------------------- */

/* Tiles lie side by side: each four elements of a row are one. */
static struct order_tile *tile_of(const struct bench_order *order, const uint32_t *data)
{
	const struct bench_nest *nest = order->nest;
	uint64_t before = 0;
	unsigned t = 0;

	while (data < nest->tensors[t] || data >= nest->tensors[t] + nest->elements[t])
		before += nest->elements[t++] / 4 + 1;
	return &order->tiles[before + (uint64_t)(data - nest->tensors[t]) / 4];
}

static void later(uint32_t *wait, uint32_t at)
{
	*wait = at > *wait ? at : *wait;
}

/* The task waits for those of the other thread that used this window. */
static void window_wait(struct bench_order_task *t, const struct order_tile *tile, unsigned owner, bool writes)
{
	if (tile->writer && tile->written_by != owner)
		later(&t->wait, tile->write_at);
	if (writes)
		later(&t->wait, tile->read_at[!owner]);
}

static void window_done(struct bench_order *order, const struct bench_order_task *t, struct order_tile *tile, unsigned owner, bool writes)
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
	struct bench_order_task *t = &order->tasks[owner][order->count[owner]++];
	uint32_t writers[BENCH_NEST_WINDOWS];

	(void)out;
	*t = (struct bench_order_task){.by = task->args[0], .number = (uint32_t)task->number, .step = task->kernel};
	for (uint32_t w = 0; w < task->tensor_count; w++) {
		struct order_tile *tile = tile_of(order, t->windows[w] = task->tensors[w].data);
		bool other = tile->writer;

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
	uint64_t tiles = 0;

	*order = (struct bench_order){.nest = nest};
	for (unsigned t = 0; t < BENCH_NEST_TENSORS; t++)
		tiles += nest->elements[t] / 4 + 1;
	bench_nest_count(nest, shape);
	order->tiles = calloc(tiles, sizeof(*order->tiles));
	for (unsigned owner = 0; owner < 2; owner++)
		order->tasks[owner] = malloc((nest->number + 1) * sizeof(*order->tasks[owner]));
	nest->kernel = take;
	nest->context = order;
	if (order->tiles && order->tasks[0] && order->tasks[1])
		bench_nest_walk(nest, shape);
	nest->kernel = step;
	nest->context = NULL;
	return order->tiles && order->tasks[0] && order->tasks[1];
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
