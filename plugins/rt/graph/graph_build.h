/* SPDX-License-Identifier: MIT */
/* graph_build.h - making a graph: tasks in the order of their numbers, each with the earlier tasks that it waits for; then one immutable block.
 * One thread. */
#ifndef RT_GRAPH_BUILD_H
#define RT_GRAPH_BUILD_H

#include "rt/rt_graph.h"
#include <stdbool.h>

struct rt_graph_build {
	uint64_t max_tasks, max_bytes; /* of the block; set before the first task, 0: no bound but that of the records */
	uint64_t window;               /* told in the head */
	uint32_t rules;
	struct rt_graph_task *tasks; /* fan-out is not yet known */
	uint32_t *preds;             /* of all tasks, one behind the other */
	uint64_t *args;
	struct rt_graph_io *ios;
	struct rt_graph_kernel *kernels;
	struct rt_graph_tensor *tensors;
	char *text;
	uint32_t *stream_last; /* per stream: its latest task + 1 */
	uint32_t task_count, task_room, pred_count, pred_room, arg_count, arg_room, io_count, io_room;
	uint32_t kernel_count, kernel_room, tensor_count, tensor_room, text_size, text_room, stream_count, stream_room;
	bool failed; /* sticky: out of memory while kernels or tensors were added */
};
/* A zeroed struct is an empty build. */
void rt_graph_build_finish(struct rt_graph_build *build);
/* No tasks; kernels and tensors stay. */
void rt_graph_build_clear(struct rt_graph_build *build);
/* Their rows. A failed allocation comes back from the next task or the block. */
uint32_t rt_graph_kernel_add(struct rt_graph_build *build, const char *name, enum ptowsp_unit unit);
uint32_t rt_graph_tensor_add(struct rt_graph_build *build, const char *name, uint16_t dtype, uint64_t elements, uint64_t columns);

/* The next task. Of `task` the caller fills kernel, executor, stream, instruction, order, cycles, queue, level, LATER and FLUSH_BATCH of tags, arg_count
 * and io_count; everything else is set here. preds: earlier tasks, each once, in any order. streamed: tasks of one stream follow each other.
 * Errors: LIMIT (max_tasks), TOO_BIG (max_bytes), NO_MEMORY. */
ptowsp_status rt_graph_task_add(struct rt_graph_build *build, const struct rt_graph_task *task, const uint64_t *args, const struct rt_graph_io *ios,
				const uint64_t *preds, uint32_t pred_count, bool streamed, struct ptowsp_error *error);
/* Bytes of the block if it were made now. */
uint64_t rt_graph_build_bytes(const struct rt_graph_build *build);
/* The graph, to be freed with free(). The build stays as it is. Errors: NO_MEMORY. */
ptowsp_status rt_graph_block_make(const struct rt_graph_build *build, void **block_out, uint64_t *size_out, struct ptowsp_error *error);

#endif
