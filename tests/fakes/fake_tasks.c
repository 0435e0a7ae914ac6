/* SPDX-License-Identifier: MIT */
#include "fake_rings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fake_graph_fatal(struct fake_graph *graph, int code, const char *format, ...)
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
		fake_graph_fatal(graph, 104, "a scheduler ready queue rejected a task because it had no free slot");
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
			for (int block = 0; block < task->blocks; block++) {
				const int32_t context[2] = {block, task->blocks}, lane = slot == 2;

				args[ASCEND_TASK_TENSORS + ASCEND_TASK_SCALARS] = (int64_t)(uintptr_t)context;
				args[ASCEND_TASK_TENSORS + ASCEND_TASK_SCALARS + 1] = (int64_t)(uintptr_t)&lane;
				graph->functions[task->functions[slot]](args);
			}
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

void fake_graph_run_one(struct fake_graph *graph)
{
	uint32_t number = pick(graph);

	kernel_call(graph, &graph->tasks[number]);
	task_end(graph, number);
}

void fake_graph_run(struct fake_graph *graph)
{
	while (graph->ready_count && !graph->fatal)
		fake_graph_run_one(graph);
}

/* The innermost scope keeps its tasks until it ends: looked at before anything is waited for. */
static void scope_check(struct fake_graph *graph, const struct fake_ring *ring)
{
	if (!graph->host_graph && graph->scope_tasks[graph->depth - 1] + 1 >= ring->window)
		fake_graph_fatal(
			graph, 1,
			"tasks submitted in one scope reached the ring task-window cap of %llu; their fanout references are only released at scope_end",
			(unsigned long long)ring->window);
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
	if (!tensor->addr == !output || tensor->ndims < 1 || tensor->ndims > ASCEND_TENSOR_DIMS || tensor->dtype >= ASCEND_DTYPES ||
	    tensor->address_space > ASCEND_DEVICE)
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
		fake_graph_fatal(graph, 5, "%s", args->error ? args->error : "an argument list with impossible counts");
		return false;
	}
	if (args->launch.sync_start && args->launch.blocks > FAKE_CLUSTERS) {
		fake_graph_fatal(graph, 7, "%d blocks cannot start together on %d cores", args->launch.blocks, FAKE_CLUSTERS);
		return false;
	}
	for (int slot = 0; slot < 3; slot++)
		if (kernels->ids[slot] >= ASCEND_FUNCTIONS || (kernels->ids[slot] >= 0 && !graph->functions[kernels->ids[slot]])) {
			fake_graph_fatal(graph, 5, "function %d was not registered", kernels->ids[slot]);
			return false;
		}
	for (int i = 0; i < args->tensor_count; i++)
		if (!tensor_valid(args->tensors[i], is_output(args, i))) {
			fake_graph_fatal(graph, 5, "tensor argument %d has no address, or impossible dimensions", i);
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

/* A producer that has not left stays until its consumer is over, from here on. Twice the same counts once. */
static void claim(struct fake_graph *graph, struct fake_task *task, uint64_t id)
{
	uint64_t ring = id >> 32, local = id & UINT32_MAX;
	uint32_t producer;

	if (ring >= ASCEND_RINGS || local >= graph->rings[ring].count) {
		fake_graph_fatal(graph, 5, "set_dependencies names a task that was never submitted");
		return;
	}
	if (local < graph->rings[ring].alive)
		return;
	producer = graph->rings[ring].tasks[local];
	for (uint32_t i = 0; i < task->producer_count; i++)
		if (task->producers[i] == producer)
			return;
	task->producers[task->producer_count++] = producer;
	graph->tasks[producer].consumers++;
}

/* An entry for each producer if one of them is not over, one more for those that a task does not keep itself. A host graph has neither. */
static void claims_need(const struct fake_graph *graph, const struct fake_task *task, struct fake_need *need)
{
	uint32_t waits = 0;

	if (graph->host_graph)
		return;
	for (uint32_t i = 0; i < task->producer_count; i++)
		waits += !graph->tasks[task->producers[i]].done;
	need->entries = waits ? task->producer_count : 0;
	need->spilled = task->producer_count > FAKE_INLINE_DEPS ? task->producer_count - FAKE_INLINE_DEPS : 0;
}

/* False: there was a fault, and nothing is kept. */
static bool deps_claim(struct fake_graph *graph, struct fake_task *task, const struct fake_args *args, const uint64_t *found, uint32_t found_count,
		       struct fake_ring *ring, struct fake_need *need)
{
	task->producers = calloc(args->dep_count + found_count + 1, sizeof(*task->producers));
	for (uint32_t i = 0; i < found_count && !graph->fatal; i++)
		claim(graph, task, found[i]);
	for (uint32_t i = 0; i < args->dep_count && !graph->fatal; i++)
		claim(graph, task, args->deps[i]);
	if (graph->host_graph && task->producer_count > FAKE_HOST_DEPS)
		fake_graph_fatal(graph, 4, "a task's producer dependencies exceeded the runtime's available fanin representation capacity: %u of %d",
				 task->producer_count, FAKE_HOST_DEPS);
	claims_need(graph, task, need);
	if (!graph->fatal)
		fake_ring_wait(graph, ring, need);
	if (graph->fatal)
		free(task->producers);
	return !graph->fatal;
}

static void deps_wire(struct fake_graph *graph, uint32_t number, struct fake_ring *ring, const struct fake_need *need)
{
	struct fake_task *task = &graph->tasks[number];

	for (uint32_t i = 0; i < task->producer_count; i++) {
		struct fake_task *producer = &graph->tasks[task->producers[i]];

		if (producer->done)
			continue;
		graph->edges = grow(graph->edges, &graph->edge_room, graph->edge_count, sizeof(*graph->edges));
		graph->edges[graph->edge_count].consumer = number;
		graph->edges[graph->edge_count].next = producer->first_edge;
		producer->first_edge = graph->edge_count++;
		task->waits++;
	}
	task->entries = graph->host_graph ? 0 : task->waits;
	task->spilled = (uint32_t)need->spilled;
	ring->entries += task->entries;
	ring->spilled += task->spilled;
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
	uint64_t at = bytes ? fake_ring_heap_find(ring, bytes) - 1 : 0;

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

static void task_keep(struct fake_graph *graph, struct fake_ring *ring, uint32_t number)
{
	graph->count++;
	graph->scope_tasks[graph->depth - 1]++;
	ring->tasks = grow(ring->tasks, &ring->room, ring->count, sizeof(*ring->tasks));
	ring->tasks[ring->count++] = number;
	fake_ring_mark(ring);
	if (!graph->tasks[number].waits)
		ready_add(graph, number);
}

static uint64_t submit_behind(struct fake_graph *graph, const struct fake_kernels *kernels, const struct fake_args *args, const uint64_t *found,
			      uint32_t found_count)
{
	uint32_t level = ring_of(graph), number = graph->count;
	struct fake_ring *ring = &graph->rings[level];
	struct fake_need need = {.bytes = output_bytes(args)};
	struct fake_task *task;

	graph->asked = 0;
	if (!args_valid(graph, kernels, args))
		return ASCEND_NO_TASK;
	scope_check(graph, ring);
	fake_ring_wait(graph, ring, &need);
	graph->tasks = grow(graph->tasks, &graph->room, number, sizeof(*graph->tasks));
	task = &graph->tasks[number];
	*task = (struct fake_task){.blocks = args->launch.blocks,
				   .shape = shape_of(kernels),
				   .ring = (uint8_t)level,
				   .scope = graph->scopes[graph->depth - 1],
				   .first_edge = UINT32_MAX};
	memcpy(task->functions, kernels->ids, sizeof(task->functions));
	if (graph->fatal || !deps_claim(graph, task, args, found, found_count, ring, &need))
		return ASCEND_NO_TASK;
	copy_args(task, args);
	outputs_place(graph, task, args, ring, need.bytes);
	deps_wire(graph, number, ring, &need);
	task_keep(graph, ring, number);
	return (uint64_t)level << 32 | (ring->count - 1);
}

static uint64_t submit(struct fake_graph *graph, const struct fake_kernels *kernels, const struct fake_args *args)
{
	uint64_t *found = calloc((size_t)ASCEND_TASK_TENSORS * graph->map.count + 1, sizeof(*found)), task;
	uint32_t count;

	if (!found)
		abort();
	count = args->has_error || args->tensor_count > ASCEND_TASK_TENSORS ? 0 : fake_map_find(&graph->map, args, found);
	task = submit_behind(graph, kernels, args, found, count);
	if (task != ASCEND_NO_TASK)
		fake_map_enter(&graph->map, args, task, found, count);
	free(found);
	return task;
}

static struct fake_outputs submit_task(struct fake_runtime *rt, const struct fake_kernels *kernels, const struct fake_args *args)
{
	graph_of(rt)->mixed[kernels->ids[2] >= 0] += kernels->ids[0] >= 0 && kernels->ids[1] >= 0;
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

	if (graph->depth == FAKE_SCOPES) {
		fprintf(stderr, "[mono_ns=0][T0x0][ERROR] fake_runtime: Scope stack overflow: more than %d scopes inside each other\n", FAKE_SCOPES);
		abort();
	}
	graph->scope_tasks[graph->depth] = 0;
	graph->scopes[graph->depth++] = graph->scope_count++;
}

static void scope_end(struct fake_runtime *rt)
{
	struct fake_graph *graph = graph_of(rt);

	if (graph->depth < 2)
		fake_graph_fatal(graph, 5, "a scope ends that was not begun");
	else
		graph->depth--;
}

enum { FAKE_PATIENT = 4, FAKE_MEANWHILE = 256 };

static bool is_fatal(struct fake_runtime *rt)
{
	struct fake_graph *graph = graph_of(rt);

	graph->asked++;
	for (int i = 0; !graph->host_graph && graph->asked > FAKE_PATIENT && i < FAKE_MEANWHILE && graph->ready_count && !graph->fatal; i++)
		fake_graph_run_one(graph);
	return graph->fatal;
}

static void report_fatal(struct fake_runtime *rt, int32_t code, const char *function, const char *format, ...)
{
	char text[160];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	fake_graph_fatal(graph_of(rt), code, "%s: %s", function, text);
}

/* Whoever writes the tensor is among those that can run: all of them do. A host graph has run none. */
static uint64_t get_tensor_data(struct fake_runtime *rt, const struct ascend_tensor *tensor, uint32_t dims, const uint32_t *indices)
{
	static const uint8_t sizes[ASCEND_DTYPES] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1};
	uint64_t at = tensor->start, value = 0;

	if (!graph_of(rt)->host_graph)
		fake_graph_run(graph_of(rt));
	for (uint32_t d = 0; d < dims; d++)
		at += (uint64_t)indices[d] * tensor->strides[d];
	memcpy(&value, (const char *)(uintptr_t)tensor->addr + at * sizes[tensor->dtype], sizes[tensor->dtype]);
	return value;
}

static const struct fake_ops ops = {submit_task, scope_begin, scope_end, is_fatal, report_fatal, submit_dummy_task, get_tensor_data};

void fake_graph_init(struct fake_graph *graph, bool host_graph, const struct ascend_call_config *config, uint64_t seed)
{
	*graph = (struct fake_graph){.head = {.ops = &ops}, .host_graph = host_graph, .random = seed, .depth = 1, .scope_count = 1};
	for (int r = 0; r < ASCEND_RINGS; r++) {
		graph->rings[r].window = config->task_window[r] ? config->task_window[r] : FAKE_WINDOW;
		graph->rings[r].pool = config->dep_pool[r] ? config->dep_pool[r] : FAKE_DEP_POOL;
		graph->rings[r].heap = config->heap[r] ? config->heap[r] : FAKE_HEAP;
	}
	if (config->dep_gen)
		memcpy(graph->map.folder, config->output_prefix, sizeof(graph->map.folder));
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
	fake_map_finish(&graph->map);
	free(graph->tasks);
	free(graph->edges);
	free(graph->ready);
	memset(graph, 0, sizeof(*graph));
}
