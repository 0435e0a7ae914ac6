/* SPDX-License-Identifier: MIT */
#include "rt/graph/graph_build.h"

#include "registry/common/common_grow.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include <stdlib.h>
#include <string.h>

void rt_graph_build_clear(struct rt_graph_build *build)
{
	free(build->tasks);
	free(build->preds);
	free(build->args);
	free(build->ios);
	free(build->stream_last);
	build->tasks = NULL;
	build->preds = build->stream_last = NULL;
	build->args = NULL;
	build->ios = NULL;
	build->task_count = build->pred_count = build->arg_count = build->io_count = build->stream_count = 0;
	build->task_room = build->pred_room = build->arg_room = build->io_room = build->stream_room = 0;
}

void rt_graph_build_finish(struct rt_graph_build *build)
{
	rt_graph_build_clear(build);
	free(build->kernels);
	free(build->tensors);
	free(build->text);
	memset(build, 0, sizeof(*build));
}

/* ---- kernels and tensors ----------------------------------------------------------------------------------------- */

/* Offset of the name; 0 and a sticky failure without memory. */
static uint32_t text_add(struct rt_graph_build *build, const char *name)
{
	uint32_t at = build->text_size;

	do {
		if (!COMMON_GROW(build->text, build->text_room, build->text_size)) {
			build->failed = true;
			build->text_size = at;
			return 0;
		}
		build->text[build->text_size++] = *name;
	} while (*name++);
	return at;
}

uint32_t rt_graph_kernel_add(struct rt_graph_build *build, const char *name, enum ptowsp_unit unit)
{
	struct rt_graph_kernel kernel = {.id = ptowsp_id(name, strlen(name)), .name = text_add(build, name), .unit = (uint16_t)unit};
	enum ptowsp_exec_domain domain = PTOWSP_EXEC_DOMAIN_HOST_CPU;
	enum ptowsp_exec_pool pool = PTOWSP_EXEC_POOL_ANY;

	ptowsp_domain_of_unit(unit, &domain);
	ptowsp_pool_of_unit(unit, &pool);
	kernel.domain = (uint8_t)domain;
	kernel.pool = (uint8_t)pool;
	if (!COMMON_GROW(build->kernels, build->kernel_room, build->kernel_count)) {
		build->failed = true;
		return 0;
	}
	build->kernels[build->kernel_count] = kernel;
	return build->kernel_count++;
}

uint32_t rt_graph_tensor_add(struct rt_graph_build *build, const char *name, uint16_t dtype, uint64_t elements, uint64_t columns)
{
	uint16_t size = rt_dtype_bytes(dtype);
	struct rt_graph_tensor tensor = {.id = ptowsp_id(name, strlen(name)),
					 .elements = elements,
					 .columns = columns ? columns : 1,
					 .name = text_add(build, name),
					 .dtype = dtype,
					 .size = size ? size : 1};

	if (!COMMON_GROW(build->tensors, build->tensor_room, build->tensor_count)) {
		build->failed = true;
		return 0;
	}
	build->tensors[build->tensor_count] = tensor;
	return build->tensor_count++;
}

/* ---- tasks --------------------------------------------------------------------------------------------------------- */

/* Room for `more` elements; false when out of memory. */
static bool reserve(void **array, uint32_t *room, uint32_t count, uint32_t more, size_t size)
{
	if (more > UINT32_MAX / 2 - count)
		return false;
	while (*room < count + more)
		if (!common_grow(array, room, *room, size))
			return false;
	return true;
}

static ptowsp_status limits_check(const struct rt_graph_build *build, const struct rt_graph_task *task, uint32_t preds, struct ptowsp_error *error)
{
	uint64_t bytes = rt_graph_build_bytes(build) + sizeof(*task) + task->arg_count * sizeof(uint64_t) + task->io_count * sizeof(struct rt_graph_io) +
			 preds * sizeof(uint32_t);
	uint64_t most = build->max_tasks && build->max_tasks < RT_GRAPH_TASK_LIMIT ? build->max_tasks : RT_GRAPH_TASK_LIMIT;

	if (build->task_count >= most)
		return rt_fail_at(error, PTOWSP_LIMIT, build->task_count, task->kernel, "the graph has more than %llu tasks; raise --max-tasks",
				  (unsigned long long)most);
	if (build->max_bytes && bytes > build->max_bytes)
		return rt_fail_at(error, PTOWSP_TOO_BIG, build->task_count, task->kernel,
				  "the graph is built in memory first and needs more than %llu bytes at task %llu; raise --max-memory or do not start "
				  "after_orchestration",
				  (unsigned long long)build->max_bytes, (unsigned long long)build->task_count);
	return PTOWSP_OK;
}

static bool room_make(struct rt_graph_build *b, const struct rt_graph_task *task, uint32_t preds)
{
	uint32_t streams = b->stream_count;

	if (b->failed || !reserve((void **)&b->tasks, &b->task_room, b->task_count, 1, sizeof(*b->tasks)) ||
	    !reserve((void **)&b->preds, &b->pred_room, b->pred_count, preds, sizeof(*b->preds)) ||
	    !reserve((void **)&b->args, &b->arg_room, b->arg_count, task->arg_count, sizeof(*b->args)) ||
	    !reserve((void **)&b->ios, &b->io_room, b->io_count, task->io_count, sizeof(*b->ios)))
		return false;
	if (task->stream < streams)
		return true;
	if (!reserve((void **)&b->stream_last, &b->stream_room, streams, task->stream - streams + 1, sizeof(*b->stream_last)))
		return false;
	for (; b->stream_count <= task->stream; b->stream_count++)
		b->stream_last[b->stream_count] = 0;
	return true;
}

/* The task behind the latest one of its stream. */
static void stream_link(struct rt_graph_build *build, struct rt_graph_task *task)
{
	uint32_t *last = &build->stream_last[task->stream];

	if (*last) {
		build->tasks[*last - 1].stream_next = build->task_count;
		task->tags |= RT_GRAPH_STREAMED;
		task->fanin++;
	}
	*last = build->task_count + 1;
}

ptowsp_status rt_graph_task_add(struct rt_graph_build *build, const struct rt_graph_task *task, const uint64_t *args, const struct rt_graph_io *ios,
				const uint64_t *preds, uint32_t pred_count, bool streamed, struct ptowsp_error *error)
{
	struct rt_graph_task row = *task;
	ptowsp_status status = limits_check(build, task, pred_count, error);

	if (status)
		return status;
	if (!room_make(build, task, pred_count))
		return rt_no_memory(error, "the graph");
	row.tags &= RT_GRAPH_LATER | RT_GRAPH_FLUSH_BATCH;
	if (row.order > (build->task_count ? build->tasks[build->task_count - 1].order : 0))
		row.tags |= RT_GRAPH_BARRIER;
	row.fanin = pred_count;
	row.fanout_begin = row.fanout_count = 0;
	row.stream_next = RT_GRAPH_NONE;
	row.args_begin = build->arg_count;
	row.io_begin = build->io_count;
	row.domain = build->kernels[row.kernel].domain;
	row.pool = build->kernels[row.kernel].pool;
	row.reserved = 0;
	if (streamed)
		stream_link(build, &row);
	for (uint32_t i = 0; i < row.arg_count; i++)
		build->args[build->arg_count++] = args[i];
	for (uint32_t i = 0; i < row.io_count; i++)
		build->ios[build->io_count++] = ios[i];
	for (uint32_t i = 0; i < pred_count; i++)
		build->preds[build->pred_count++] = (uint32_t)preds[i];
	build->tasks[build->task_count++] = row;
	return PTOWSP_OK;
}

/* ---- the block ----------------------------------------------------------------------------------------------------- */

static uint64_t aligned(uint64_t bytes)
{
	return (bytes + RT_GRAPH_ALIGNMENT - 1) / RT_GRAPH_ALIGNMENT * RT_GRAPH_ALIGNMENT;
}

static void parts_place(const struct rt_graph_build *b, struct rt_graph_head *head)
{
	const struct rt_graph_part parts[RT_GRAPH_PARTS] = {
		[RT_GRAPH_TASKS] = {0, b->task_count, sizeof(*b->tasks)},
		[RT_GRAPH_EDGES] = {0, b->pred_count, sizeof(*b->preds)},
		[RT_GRAPH_ARGS] = {0, b->arg_count, sizeof(*b->args)},
		[RT_GRAPH_IOS] = {0, b->io_count, sizeof(*b->ios)},
		[RT_GRAPH_KERNELS] = {0, b->kernel_count, sizeof(*b->kernels)},
		[RT_GRAPH_TENSORS] = {0, b->tensor_count, sizeof(*b->tensors)},
		[RT_GRAPH_TEXT] = {0, b->text_size, 1},
	};
	uint64_t at = sizeof(*head);

	for (unsigned p = 0; p < RT_GRAPH_PARTS; p++) {
		head->parts[p] = parts[p];
		head->parts[p].offset = at;
		at = aligned(at + (uint64_t)parts[p].count * parts[p].size);
	}
	head->bytes = at;
}

uint64_t rt_graph_build_bytes(const struct rt_graph_build *build)
{
	struct rt_graph_head head;

	parts_place(build, &head);
	return head.bytes;
}

static void part_copy(char *block, const struct rt_graph_head *head, unsigned part, const void *from)
{
	if (head->parts[part].count)
		memcpy(block + head->parts[part].offset, from, (size_t)head->parts[part].count * head->parts[part].size);
}

/* Lists of predecessors into lists of successors: count, sum, fill. Consumers come in ascending order. */
static void edges_turn(struct rt_graph_task *tasks, uint32_t count, const uint32_t *preds, uint32_t *edges)
{
	uint32_t begin = 0;
	const uint32_t *pred = preds;

	for (uint32_t t = 0; t < count; t++) {
		uint32_t fanin = tasks[t].fanin - (tasks[t].tags & RT_GRAPH_STREAMED ? 1 : 0);

		for (uint32_t i = 0; i < fanin; i++)
			tasks[*pred++].fanout_count++;
	}
	for (uint32_t t = 0; t < count; t++) {
		tasks[t].fanout_begin = begin;
		begin += tasks[t].fanout_count;
		tasks[t].fanout_count = 0;
	}
	pred = preds;
	for (uint32_t t = 0; t < count; t++) {
		uint32_t fanin = tasks[t].fanin - (tasks[t].tags & RT_GRAPH_STREAMED ? 1 : 0);

		for (uint32_t i = 0; i < fanin; i++) {
			struct rt_graph_task *from = &tasks[*pred++];

			edges[from->fanout_begin + from->fanout_count++] = t;
		}
	}
}

ptowsp_status rt_graph_block_make(const struct rt_graph_build *build, void **block_out, uint64_t *size_out, struct ptowsp_error *error)
{
	struct rt_graph_head head = {.magic = RT_GRAPH_MAGIC, .version = RT_GRAPH_VERSION, .window = build->window, .rules = build->rules};
	char *block;

	*block_out = NULL;
	*size_out = 0;
	parts_place(build, &head);
	block = build->failed || head.bytes > SIZE_MAX ? NULL : aligned_alloc(RT_GRAPH_ALIGNMENT, (size_t)head.bytes);
	if (!block)
		return rt_no_memory(error, "the graph");
	memset(block, 0, (size_t)head.bytes); /* gaps between parts, too */
	memcpy(block, &head, sizeof(head));
	part_copy(block, &head, RT_GRAPH_TASKS, build->tasks);
	part_copy(block, &head, RT_GRAPH_ARGS, build->args);
	part_copy(block, &head, RT_GRAPH_IOS, build->ios);
	part_copy(block, &head, RT_GRAPH_KERNELS, build->kernels);
	part_copy(block, &head, RT_GRAPH_TENSORS, build->tensors);
	part_copy(block, &head, RT_GRAPH_TEXT, build->text);
	edges_turn((struct rt_graph_task *)(void *)(block + head.parts[RT_GRAPH_TASKS].offset), build->task_count, build->preds,
		   (uint32_t *)(void *)(block + head.parts[RT_GRAPH_EDGES].offset));
	*block_out = block;
	*size_out = head.bytes;
	return PTOWSP_OK;
}
