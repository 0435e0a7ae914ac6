/* SPDX-License-Identifier: MIT */
#include "fake_tasks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fatal(struct fake_graph *graph, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void fatal(struct fake_graph *graph, int code, const char *format, ...)
{
	va_list list;

	if (graph->fatal)
		return;
	graph->fatal = code;
	va_start(list, format);
	vsnprintf(graph->detail, sizeof(graph->detail), format, list);
	va_end(list);
}

/* The fake may die where a runtime may not. */
static void *grow(void *rows, uint32_t *room, uint32_t count, size_t size)
{
	if (count < *room)
		return rows;
	*room = *room ? *room * 2 : 64;
	rows = realloc(rows, *room * size);
	if (!rows)
		abort();
	return rows;
}

/* ---- running --------------------------------------------------------------------------------------------------------- */

static void ready_add(struct fake_graph *graph, uint32_t number)
{
	uint32_t *most = &graph->most_ready[graph->tasks[number].shape], same = 0;

	graph->ready = grow(graph->ready, &graph->ready_room, graph->ready_count, sizeof(*graph->ready));
	graph->ready[graph->ready_count++] = number;
	if (!graph->host_graph)
		return;
	for (uint32_t i = 0; graph->ready_count > FAKE_HOST_READY && i < graph->ready_count; i++)
		same += graph->tasks[graph->ready[i]].shape == graph->tasks[number].shape;
	*most = same > *most ? same : *most;
	if (same > FAKE_HOST_READY)
		fatal(graph, 104, "a scheduler ready queue rejected a task because it had no free slot");
}

static void kernel_call(struct fake_graph *graph, const struct fake_task *task)
{
	int64_t args[ASCEND_TASK_TENSORS + ASCEND_TASK_SCALARS + 2] = {0};

	for (uint32_t i = 0; i < task->tensor_count; i++)
		args[i] = (int64_t)(uintptr_t)&task->tensors[i];
	for (uint32_t i = 0; i < task->scalar_count; i++)
		args[task->tensor_count + i] = (int64_t)task->scalars[i];
	for (int slot = 0; slot < 3; slot++)
		if (task->functions[slot] >= 0)
			for (int block = 0; block < task->blocks; block++)
				graph->functions[task->functions[slot]](args);
}

static void task_end(struct fake_graph *graph, uint32_t number)
{
	struct fake_task *task = &graph->tasks[number];

	task->done = true;
	for (uint32_t edge = task->first_edge; edge != UINT32_MAX; edge = graph->edges[edge].next)
		if (!--graph->tasks[graph->edges[edge].consumer].waits)
			ready_add(graph, graph->edges[edge].consumer);
	for (uint32_t i = 0; i < task->producer_count; i++)
		graph->tasks[task->producers[i]].consumers--;
}

static uint32_t pick(struct fake_graph *graph)
{
	uint32_t at, number;

	graph->random = graph->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	at = (uint32_t)((graph->random >> 33) % graph->ready_count);
	number = graph->ready[at];
	graph->ready[at] = graph->ready[--graph->ready_count];
	return number;
}

static void run_one(struct fake_graph *graph)
{
	uint32_t number = pick(graph);

	kernel_call(graph, &graph->tasks[number]);
	task_end(graph, number);
}

void fake_graph_run(struct fake_graph *graph)
{
	while (graph->ready_count && !graph->fatal)
		run_one(graph);
}

/* ---- rings ----------------------------------------------------------------------------------------------------------- */

static bool scope_open(const struct fake_graph *graph, uint32_t scope)
{
	for (uint32_t i = 0; i < graph->depth; i++)
		if (graph->scopes[i] == scope)
			return true;
	return false;
}

static void retire(struct fake_graph *graph, struct fake_ring *ring)
{
	while (ring->alive < ring->count) {
		const struct fake_task *task = &graph->tasks[ring->tasks[ring->alive]];

		if (!task->done || task->consumers || scope_open(graph, task->scope))
			return;
		ring->pool_used -= task->spilled;
		if (task->heap_end)
			ring->tail = task->heap_end;
		ring->alive++;
	}
	ring->top = ring->tail = 0; /* empty: begins anew */
}

/* Where so many bytes begin, one more; 0: not now. They lie in one piece, so the end of the memory may stay unused. */
static uint64_t heap_find(const struct fake_ring *ring, uint64_t bytes)
{
	if (ring->top < ring->tail)
		return ring->top + bytes < ring->tail ? ring->top + 1 : 0;
	if (ring->top + bytes <= ring->heap)
		return ring->top + 1;
	return bytes < ring->tail ? 1 : 0;
}

struct fake_need {
	uint64_t bytes, entries;
};

/* The first resource that has no room, FAKE_RESOURCES: all have. */
static enum fake_resource full(const struct fake_ring *ring, const struct fake_need *need)
{
	if (ring->count - ring->alive + 1 >= ring->window)
		return FAKE_SLOTS;
	if (need->bytes && !heap_find(ring, need->bytes))
		return FAKE_BYTES;
	return ring->pool_used + need->entries > ring->pool ? FAKE_ENTRIES : FAKE_RESOURCES;
}

/* Do all tasks of the ring belong to one scope? */
static bool one_scope(const struct fake_graph *graph, const struct fake_ring *ring)
{
	for (uint32_t i = ring->alive; i < ring->count; i++)
		if (graph->tasks[ring->tasks[i]].scope != graph->tasks[ring->tasks[ring->alive]].scope)
			return false;
	return true;
}

/* Nothing runs any more, and the oldest stays. */
static void stuck(struct fake_graph *graph, const struct fake_ring *ring, enum fake_resource what, const struct fake_need *need)
{
	if (graph->host_graph && what == FAKE_SLOTS)
		fatal(graph, 3, "the task allocator could not admit another task because the configured task window of %llu had no available slot",
		      (unsigned long long)ring->window);
	else if (what == FAKE_SLOTS && one_scope(graph, ring))
		fatal(graph, 1, "tasks submitted in one scope reached the ring task-window cap of %llu; their fanout references are only released at scope_end",
		      (unsigned long long)ring->window);
	else if (what == FAKE_SLOTS)
		fatal(graph, 3, "open scopes hold all of %llu slots of a ring between them", (unsigned long long)ring->window);
	else if (what == FAKE_BYTES)
		fatal(graph, 2, "outputs of %llu bytes never fit into a heap ring of %llu bytes", (unsigned long long)need->bytes, (unsigned long long)ring->heap);
	else
		fatal(graph, 4, "a task's producer dependencies exceeded the dependency pool of %llu entries", (unsigned long long)ring->pool);
}

/* Room in the ring: as long as there is none, tasks run and the oldest leave. */
static void room_wait(struct fake_graph *graph, struct fake_ring *ring, const struct fake_need *need)
{
	enum fake_resource what;
	bool waited[FAKE_RESOURCES] = {false};

	for (retire(graph, ring); (what = full(ring, need)) != FAKE_RESOURCES && !graph->fatal; retire(graph, ring)) {
		ring->stalls[what] += !waited[what];
		waited[what] = true;
		if (!graph->host_graph && graph->ready_count && need->bytes <= ring->heap && need->entries <= ring->pool)
			run_one(graph);
		else
			stuck(graph, ring, what, need);
	}
}

/* ---- what an orchestration calls -------------------------------------------------------------------------------------- */

static struct fake_graph *graph_of(struct fake_runtime *rt)
{
	return (struct fake_graph *)(void *)rt;
}

static bool is_output(const struct fake_args *args, int index)
{
	return args->tags[index] == FAKE_OUTPUT;
}

/* The runtime gives an output its address. */
static bool tensor_valid(const struct ascend_tensor *tensor, bool output)
{
	if (!tensor->addr == !output || tensor->ndims < 1 || tensor->ndims > ASCEND_TENSOR_DIMS || tensor->dtype >= ASCEND_DTYPES || tensor->address_space > ASCEND_DEVICE)
		return false;
	for (uint32_t d = 0; d < tensor->ndims; d++)
		if (!tensor->strides[d] || !tensor->shapes[d])
			return false;
	return true;
}

static bool args_valid(struct fake_graph *graph, const struct fake_kernels *kernels, const struct fake_args *args)
{
	if (args->has_error || args->tensor_count < 0 || args->tensor_count > ASCEND_TASK_TENSORS || args->scalar_count < 0 ||
	    args->scalar_count > ASCEND_TASK_SCALARS || args->launch.blocks < 1) {
		fatal(graph, 5, "%s", args->error ? args->error : "an argument list with impossible counts");
		return false;
	}
	if (args->launch.sync_start && args->launch.blocks > FAKE_CLUSTERS) {
		fatal(graph, 7, "%d blocks cannot start together on %d cores", args->launch.blocks, FAKE_CLUSTERS);
		return false;
	}
	for (int slot = 0; slot < 3; slot++)
		if (kernels->ids[slot] >= ASCEND_FUNCTIONS || (kernels->ids[slot] >= 0 && !graph->functions[kernels->ids[slot]])) {
			fatal(graph, 5, "function %d was not registered", kernels->ids[slot]);
			return false;
		}
	for (int i = 0; i < args->tensor_count; i++)
		if (!tensor_valid(args->tensors[i], is_output(args, i))) {
			fatal(graph, 5, "tensor argument %d has no address, or impossible dimensions", i);
			return false;
		}
	return true;
}

static uint8_t shape_of(const struct fake_kernels *kernels)
{
	int count = (kernels->ids[0] >= 0) + (kernels->ids[1] >= 0) + (kernels->ids[2] >= 0);

	return !count ? FAKE_DUMMY : count > 1 ? FAKE_MIX : kernels->ids[0] >= 0 ? FAKE_CUBE : FAKE_VECTOR;
}

static uint32_t ring_of(const struct fake_graph *graph)
{
	return graph->host_graph ? 0 : graph->depth - 1 < ASCEND_RINGS ? graph->depth - 1 : ASCEND_RINGS - 1;
}

/* One dependency; those that are over count as met. Twice the same counts once. */
static void dep_add(struct fake_graph *graph, uint32_t number, uint64_t id)
{
	struct fake_task *task = &graph->tasks[number];
	uint64_t ring = id >> 32, local = id & UINT32_MAX;
	uint32_t producer;

	if (ring >= ASCEND_RINGS || local >= graph->rings[ring].count) {
		fatal(graph, 5, "set_dependencies names a task that was never submitted");
		return;
	}
	producer = graph->rings[ring].tasks[local];
	if (producer == number || (graph->tasks[producer].done && !graph->host_graph))
		return;
	for (uint32_t i = 0; i < task->producer_count; i++)
		if (task->producers[i] == producer)
			return;
	task->producers[task->producer_count++] = producer;
	graph->tasks[producer].consumers++;
	graph->edges = grow(graph->edges, &graph->edge_room, graph->edge_count, sizeof(*graph->edges));
	graph->edges[graph->edge_count].consumer = number;
	graph->edges[graph->edge_count].next = graph->tasks[producer].first_edge;
	graph->tasks[producer].first_edge = graph->edge_count++;
	task->waits++;
}

/* At most: those that are over when it is submitted need none. */
static uint64_t entries_of(const struct fake_graph *graph, const struct fake_args *args)
{
	return !graph->host_graph && args->dep_count > FAKE_INLINE_DEPS ? args->dep_count - FAKE_INLINE_DEPS : 0;
}

static void deps_add(struct fake_graph *graph, uint32_t number, const struct fake_args *args, struct fake_ring *ring)
{
	struct fake_task *task = &graph->tasks[number];

	task->producers = calloc(args->dep_count + 1, sizeof(*task->producers));
	for (uint32_t i = 0; i < args->dep_count && !graph->fatal; i++)
		dep_add(graph, number, args->deps[i]);
	if (graph->host_graph && task->producer_count > FAKE_HOST_DEPS)
		fatal(graph, 4, "a task's producer dependencies exceeded the runtime's available fanin representation capacity: %u of %d", task->producer_count,
		      FAKE_HOST_DEPS);
	task->spilled = !graph->host_graph && task->producer_count > FAKE_INLINE_DEPS ? task->producer_count - FAKE_INLINE_DEPS : 0;
	ring->pool_used += task->spilled;
}

/* ---- outputs that the runtime places ---------------------------------------------------------------------------------- */

static uint64_t padded(uint64_t bytes)
{
	return (bytes + FAKE_HEAP_ALIGN - 1) / FAKE_HEAP_ALIGN * FAKE_HEAP_ALIGN;
}

static uint64_t output_bytes(const struct fake_args *args)
{
	uint64_t bytes = 0;

	for (int i = 0; i < args->tensor_count; i++)
		bytes += is_output(args, i) ? padded(args->tensors[i]->bytes) : 0;
	return bytes;
}

/* One behind the other, packed. */
static void outputs_place(struct fake_graph *graph, struct fake_task *task, const struct fake_args *args, struct fake_ring *ring, uint64_t bytes)
{
	uint64_t at = bytes ? heap_find(ring, bytes) - 1 : 0;

	if (!bytes)
		return;
	if (!ring->memory && !(ring->memory = aligned_alloc(FAKE_HEAP_ALIGN, padded(ring->heap))))
		abort();
	for (int i = 0; i < args->tensor_count; i++)
		if (is_output(args, i)) {
			task->tensors[i].addr = (uintptr_t)(ring->memory + at);
			task->tensors[i].owner = graph->count;
			at += padded(args->tensors[i]->bytes);
		}
	task->heap_end = ring->top = at;
}

static void most_mark(struct fake_ring *ring)
{
	const uint64_t used[FAKE_RESOURCES] = {ring->count - ring->alive, ring->top >= ring->tail ? ring->top - ring->tail : ring->heap - ring->tail + ring->top, ring->pool_used};

	for (int r = 0; r < FAKE_RESOURCES; r++)
		ring->most[r] = used[r] > ring->most[r] ? used[r] : ring->most[r];
}

/* ---- submitting --------------------------------------------------------------------------------------------------------- */

static void copy_args(struct fake_task *task, const struct fake_args *args)
{
	task->tensor_count = (uint32_t)args->tensor_count;
	task->scalar_count = (uint32_t)args->scalar_count;
	memcpy(task->scalars, args->scalars, task->scalar_count * sizeof(*task->scalars));
	task->tensors = aligned_alloc(64, (task->tensor_count + 1) * sizeof(*task->tensors));
	for (uint32_t i = 0; i < task->tensor_count; i++)
		task->tensors[i] = *args->tensors[i];
}

static uint64_t submit(struct fake_graph *graph, const struct fake_kernels *kernels, const struct fake_args *args)
{
	uint32_t level = ring_of(graph), number = graph->count;
	struct fake_ring *ring = &graph->rings[level];
	struct fake_need need = {output_bytes(args), entries_of(graph, args)};
	struct fake_task *task;

	if (!args_valid(graph, kernels, args))
		return ASCEND_NO_TASK;
	room_wait(graph, ring, &need);
	if (graph->fatal)
		return ASCEND_NO_TASK;
	graph->tasks = grow(graph->tasks, &graph->room, number, sizeof(*graph->tasks));
	task = &graph->tasks[number];
	*task = (struct fake_task){.blocks = args->launch.blocks, .shape = shape_of(kernels), .ring = (uint8_t)level,
				   .scope = graph->scopes[graph->depth - 1], .first_edge = UINT32_MAX};
	memcpy(task->functions, kernels->ids, sizeof(task->functions));
	copy_args(task, args);
	outputs_place(graph, task, args, ring, need.bytes);
	deps_add(graph, number, args, ring);
	graph->count++;
	ring->tasks = grow(ring->tasks, &ring->room, ring->count, sizeof(*ring->tasks));
	ring->tasks[ring->count++] = number;
	most_mark(ring);
	if (!task->waits)
		ready_add(graph, number);
	return (uint64_t)level << 32 | (ring->count - 1);
}

static struct fake_outputs submit_task(struct fake_runtime *rt, const struct fake_kernels *kernels, const struct fake_args *args)
{
	return (struct fake_outputs){.task = submit(graph_of(rt), kernels, args)};
}

static struct fake_outputs submit_dummy_task(struct fake_runtime *rt, const struct fake_args *args)
{
	const struct fake_kernels none = {{-1, -1, -1}};

	return (struct fake_outputs){.task = submit(graph_of(rt), &none, args)};
}

static void scope_begin(struct fake_runtime *rt)
{
	struct fake_graph *graph = graph_of(rt);

	if (graph->depth == FAKE_SCOPES)
		fatal(graph, 5, "more than %d scopes inside each other", FAKE_SCOPES);
	else
		graph->scopes[graph->depth++] = graph->scope_count++;
}

static void scope_end(struct fake_runtime *rt)
{
	struct fake_graph *graph = graph_of(rt);

	if (graph->depth < 2)
		fatal(graph, 5, "a scope ends that was not begun");
	else
		graph->depth--;
}

static bool is_fatal(struct fake_runtime *rt)
{
	return graph_of(rt)->fatal;
}

static void report_fatal(struct fake_runtime *rt, int32_t code, const char *function, const char *format, ...)
{
	char text[160];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	fatal(graph_of(rt), code, "%s: %s", function, text);
}

static const struct fake_ops ops = {submit_task, scope_begin, scope_end, is_fatal, report_fatal, submit_dummy_task};

void fake_graph_init(struct fake_graph *graph, bool host_graph, const struct ascend_call_config *config, uint64_t seed)
{
	*graph = (struct fake_graph){.head = {.ops = &ops}, .host_graph = host_graph, .random = seed, .depth = 1, .scope_count = 1};
	for (int r = 0; r < ASCEND_RINGS; r++) {
		graph->rings[r].window = config->task_window[r] ? config->task_window[r] : FAKE_WINDOW;
		graph->rings[r].pool = config->dep_pool[r] ? config->dep_pool[r] : FAKE_DEP_POOL;
		graph->rings[r].heap = config->heap[r] ? config->heap[r] : FAKE_HEAP;
	}
}

void fake_graph_finish(struct fake_graph *graph)
{
	for (uint32_t i = 0; i < graph->count; i++) {
		free(graph->tasks[i].tensors);
		free(graph->tasks[i].producers);
	}
	for (int r = 0; r < ASCEND_RINGS; r++) {
		free(graph->rings[r].tasks);
		free(graph->rings[r].memory);
	}
	free(graph->tasks);
	free(graph->edges);
	free(graph->ready);
	memset(graph, 0, sizeof(*graph));
}
