/* SPDX-License-Identifier: MIT */
/* rt_graph.c - what a block must be like before anybody relies on it. Freestanding, as its header. */
#include "rt/rt_graph.h"

#include <stdbool.h>

static const uint32_t sizes[RT_GRAPH_PARTS] = {
	sizeof(struct rt_graph_task),
	sizeof(uint32_t),
	sizeof(uint64_t),
	sizeof(struct rt_graph_io),
	sizeof(struct rt_graph_kernel),
	sizeof(struct rt_graph_tensor),
	1,
};

/* Parts lie one behind the other, so that nothing can overlap and every byte has one place. */
static const char *parts_check(const struct rt_graph_head *head)
{
	uint64_t at = sizeof(*head);

	for (unsigned p = 0; p < RT_GRAPH_PARTS; p++) {
		const struct rt_graph_part *part = &head->parts[p];

		if (part->size != sizes[p])
			return "a part has records of another size";
		if (part->offset != at)
			return "a part does not begin where the one before ends";
		at += (uint64_t)part->count * part->size; /* below 2^38 each */
		at = (at + RT_GRAPH_ALIGNMENT - 1) / RT_GRAPH_ALIGNMENT * RT_GRAPH_ALIGNMENT;
	}
	return at == head->bytes ? (const char *)0 : "the parts do not fill the block";
}

const char *rt_graph_head_check(const void *block, uint64_t size, uint32_t *tasks_out)
{
	const struct rt_graph_head *head = (const struct rt_graph_head *)block;

	*tasks_out = 0;
	if (size < sizeof(*head))
		return "the block is shorter than its head";
	if (head->magic != RT_GRAPH_MAGIC)
		return "the block does not begin with PTGB";
	if (head->version != RT_GRAPH_VERSION)
		return "the version is unknown";
	if (head->bytes != size)
		return "the block has not the size that its head says";
	if (head->reserved || head->rules & ~(uint32_t)RT_GRAPH_RULES)
		return "the head uses bits that this version does not know";
	for (unsigned i = 0; i < sizeof(head->zero) / sizeof(*head->zero); i++)
		if (head->zero[i])
			return "the head uses bits that this version does not know";
	if (head->parts[RT_GRAPH_TASKS].count > RT_GRAPH_TASK_LIMIT)
		return "there are too many tasks";
	*tasks_out = head->parts[RT_GRAPH_TASKS].count;
	return parts_check(head);
}

static const char *text_check(const struct rt_graph *g)
{
	return g->text_size && g->text[g->text_size - 1] ? "the text does not end in NUL" : (const char *)0;
}

static const char *kernel_check(const struct rt_graph *g, uint32_t k)
{
	const struct rt_graph_kernel *kernel = &g->kernels[k];
	enum ptowsp_unit unit;
	enum ptowsp_exec_domain domain;
	enum ptowsp_exec_pool pool;

	if (kernel->name >= g->text_size)
		return "the name of a kernel lies outside the text";
	if (!ptowsp_unit_read(kernel->unit, &unit) || !ptowsp_domain_of_unit(unit, &domain) || !ptowsp_pool_of_unit(unit, &pool))
		return "the executor type of a kernel is unknown";
	if (kernel->domain != (uint8_t)domain || kernel->pool != (uint8_t)pool)
		return "domain or pool of a kernel are not those of its executor type";
	return (const char *)0;
}

static const char *tensor_check(const struct rt_graph *g, uint32_t t)
{
	const struct rt_graph_tensor *tensor = &g->tensors[t];

	if (tensor->name >= g->text_size)
		return "the name of a tensor lies outside the text";
	if (!tensor->columns || !tensor->size)
		return "a tensor has no columns or elements without size";
	return (const char *)0;
}

/* rows x columns at start end inside `elements`. */
static bool block_fits(const struct rt_graph_io *io, const struct rt_graph_tensor *tensor)
{
	uint64_t left = tensor->elements - io->start, below = io->rows - 1u;

	if (io->columns > left)
		return false;
	return !below || (left - io->columns) / below >= tensor->columns;
}

static const char *io_check(const struct rt_graph *g, uint32_t i)
{
	const struct rt_graph_io *io = &g->ios[i];
	const struct rt_graph_tensor *tensor;

	if (io->tensor >= g->tensor_count)
		return "a tensor argument names no tensor";
	if (io->access > 3u || io->reserved)
		return "a tensor argument uses bits that this version does not know";
	if (io->rows ? io->length || !io->columns : io->columns)
		return "a tensor argument is neither a rectangle nor one piece";
	tensor = &g->tensors[io->tensor];
	if (tensor->elements == UINT64_MAX)
		return (const char *)0;
	if (io->start > tensor->elements || io->length > tensor->elements - io->start || (io->rows && !block_fits(io, tensor)))
		return "a tensor argument lies outside its tensor";
	return (const char *)0;
}

/* Ranges follow each other: `*at` is where this one must begin. */
static int range_check(uint64_t *at, uint64_t begin, uint64_t count)
{
	int follows = begin == *at;

	*at += count;
	return follows;
}

struct ends {
	uint64_t edges, args, ios;
	uint32_t order;
};

static const char *task_check(const struct rt_graph *g, uint32_t t, struct ends *ends)
{
	const struct rt_graph_task *task = &g->tasks[t];
	enum ptowsp_exec_domain domain;
	enum ptowsp_exec_pool pool;

	if (task->kernel >= g->kernel_count)
		return "a task names no kernel";
	if (!ptowsp_domain_read(task->domain, &domain) || !ptowsp_pool_read(task->pool, &pool))
		return "the domain or the pool of a task is unknown";
	if (task->tags & ~(unsigned)RT_GRAPH_TAGS || task->reserved)
		return "a task uses bits that this version does not know";
	if (task->order > t)
		return "a task is ordered behind itself";
	if (!range_check(&ends->edges, task->fanout_begin, task->fanout_count) || !range_check(&ends->args, task->args_begin, task->arg_count) ||
	    !range_check(&ends->ios, task->io_begin, task->io_count) || ends->edges > g->edge_count || ends->args > g->arg_count || ends->ios > g->io_count)
		return "the ranges of a task do not follow those of the one before";
	if (task->stream_next != RT_GRAPH_NONE &&
	    (task->stream_next <= t || task->stream_next >= g->task_count || g->tasks[task->stream_next].stream != task->stream))
		return "the next task of a stream is no later task of it";
	return (const char *)0;
}

static const char *edges_check(const struct rt_graph *g, uint32_t t, uint32_t *counts)
{
	const struct rt_graph_task *task = &g->tasks[t];
	uint32_t before = t;

	for (uint32_t e = 0; e < task->fanout_count; e++) {
		uint32_t to = g->edges[task->fanout_begin + e];

		if (to <= before || to >= g->task_count)
			return "the successors of a task are not later tasks in ascending order";
		before = to;
		counts[to]++;
	}
	if (task->stream_next != RT_GRAPH_NONE) {
		if (!(g->tasks[task->stream_next].tags & RT_GRAPH_STREAMED))
			return "a stream goes on with a task that does not wait for it";
		counts[task->stream_next]++;
	}
	return (const char *)0;
}

static const char *tasks_check(const struct rt_graph *g, uint32_t *counts, uint64_t *where)
{
	struct ends ends = {0, 0, 0, 0};
	const char *why = (const char *)0;

	for (*where = 0; *where < g->task_count; ++*where)
		counts[*where] = 0;
	for (*where = 0; *where < g->task_count; ++*where) {
		why = task_check(g, (uint32_t)*where, &ends);
		if (!why)
			why = edges_check(g, (uint32_t)*where, counts);
		if (why)
			return why;
	}
	if (ends.edges != g->edge_count || ends.args != g->arg_count || ends.ios != g->io_count)
		return "edges, arguments or tensor arguments belong to no task";
	for (*where = 0; *where < g->task_count; ++*where)
		if (g->tasks[*where].fanin != counts[*where])
			return "the fan-in of a task is not the number of edges into it";
	return (const char *)0;
}

const char *rt_graph_check(const void *block, uint64_t size, uint32_t *counts, uint64_t *where_out)
{
	struct rt_graph graph;
	uint64_t where = 0;
	uint32_t tasks;
	const char *why = rt_graph_head_check(block, size, &tasks);

	if (!why) {
		rt_graph_open(&graph, block);
		why = text_check(&graph);
	}
	for (where = 0; !why && where < graph.kernel_count; where++)
		why = kernel_check(&graph, (uint32_t)where);
	for (where = why ? where : 0; !why && where < graph.tensor_count; where++)
		why = tensor_check(&graph, (uint32_t)where);
	for (where = why ? where : 0; !why && where < graph.io_count; where++)
		why = io_check(&graph, (uint32_t)where);
	where -= why && where; /* the loops went one further */
	if (!why)
		why = tasks_check(&graph, counts, &where);
	if (where_out)
		*where_out = where;
	return why;
}
