/* SPDX-License-Identifier: MIT */
/* task_deps.h - who a task of the C interface waits for: the core's tensor maps, asked with rectangles. One thread. */
#ifndef RT_TASK_DEPS_H
#define RT_TASK_DEPS_H

#include "rt/access/cells.h"
#include "rt/access/pieces.h"
#include "rt/rt_graph.h"

struct rt_task_deps {
	uint32_t rules;
	uint64_t window; /* 0: unbounded */
	struct rt_preds preds;
	struct rt_track track;
	struct rt_cells exact;
	struct rt_intern intern; /* of tensor, place and shape */
	struct rt_pieces *pieces;
};
/* False when out of memory. */
bool rt_task_deps_init(struct rt_task_deps *deps, uint32_t rules, uint64_t window, uint32_t tensors);
void rt_task_deps_finish(struct rt_task_deps *deps);
/* The next task: its explicit producers, all earlier tasks, then its accesses; pitch[tensor]: elements from row to row. deps->preds.list has the answer,
 * each task once. False when out of memory. */
void rt_task_deps_next(struct rt_task_deps *deps, uint64_t task);
void rt_task_deps_add(struct rt_task_deps *deps, uint64_t producer);
/* Between tasks, `next` being the next one: so many tasks from the first one on have to end before the element's latest writer so far surely has, 0: nothing wrote it. False when out of
 * memory. */
bool rt_task_deps_writer(struct rt_task_deps *deps, uint64_t next, uint32_t tensor, uint64_t element, uint64_t *before_out);
bool rt_task_deps_find(struct rt_task_deps *deps, const struct rt_graph_io *ios, uint32_t count, const struct rt_graph_tensor *tensors);

#endif
