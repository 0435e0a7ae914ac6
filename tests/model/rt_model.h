/* SPDX-License-Identifier: MIT
 * rt_model.h - the rules of the runtime core a second time: slow, plain, straight from their text, sharing no code with plugins/rt. It
 * reads the same sections, runs the same test kernels on memory of its own, and computes every edge and every time by looking at all earlier
 * tasks. Small programs only: at most MODEL_TASKS tasks on tensors of at most MODEL_ELEMENTS elements. */
#ifndef PTOWSP_TESTS_MODEL_RT_MODEL_H
#define PTOWSP_TESTS_MODEL_RT_MODEL_H

#include <stdbool.h>
#include <stdint.h>
#include "ptowsp/package.h"
#include "ptowsp/run.h"
#include "rt/rt.h"

enum { MODEL_TASKS = 384, MODEL_TENSORS = 4, MODEL_ELEMENTS = 64, MODEL_KEYS = 2000, MODEL_ORDERS = 8, MODEL_POOLS = 8, MODEL_SCOPES = 2000 };

enum model_dispatch { MODEL_NONE, MODEL_ROUND_ROBIN, MODEL_AFFINITY, MODEL_HASH, MODEL_CUSTOM, MODEL_PARTITION, MODEL_STEAL, MODEL_GRID };
enum model_pools { MODEL_SINGLE, MODEL_BY_UNIT, MODEL_BY_EXPR };
enum model_domain { MODEL_GLOBAL, MODEL_STREAM, MODEL_POOL, MODEL_LOOP };

/* What the test put into SCHD, as it means it. */
struct model_schedule {
	enum model_dispatch dispatch;
	int64_t executors;
	uint32_t dispatch_expr;
	const char *axis;
	int64_t bounds[4], bound_count;
	int64_t grid[2];
	bool overlap, exact, full;
	uint64_t window, map, deps, ready; /* 0: unbounded */
	bool abort, benchmark;
	struct {
		enum model_domain domain;
		const char *loop;
		uint64_t depth;
	} depths[3];
	int depth_count;
	enum model_pools pools;
	uint32_t pool_expr;
	uint64_t streams;
	bool stream_by;
	uint32_t stream_expr;
	uint64_t spacing, start, batch;
};
/* What a test kernel touches behind the start of a flat window. */
struct model_touch {
	uint32_t arg;
	int64_t offset, length;
	unsigned access;
};
struct model_kernel {
	struct model_touch touches[8];
	int touch_count;
};
struct model_task {
	uint32_t kernel;
	uint64_t executor, stream, pool, issue, start, end, leave;
	uint64_t map_need, edge_count;
	bool left;             /* leave is defined */
	int barrier;           /* it starts when all tasks before this one have ended */
	int scope;             /* instance, -1: none */
	int order_count;
	int order_instance[MODEL_ORDERS], order_step[MODEL_ORDERS];
	bool in_depth[3];
	bool preds[MODEL_TASKS];
	bool awaits[MODEL_TASKS]; /* that slots are from which were read since the task before */
	uint64_t reads[MODEL_TENSORS], writes[MODEL_TENSORS]; /* a bit per element */
};
struct model_meter {
	uint64_t high_water, stalls, cycles;
};
struct model_key {
	uint32_t tensor;
	int64_t row, column, rows, columns; /* block; flat: rows -1, columns the level */
	int writer;
	bool readers[MODEL_TASKS];
};
struct model {
	/* given */
	const struct ptowsp_section *sections;
	uint32_t section_count;
	const struct model_schedule *schedule;
	const struct model_kernel *kernels;
	const uint64_t *values;      /* per slot */
	uint64_t *memory;            /* as the bindings: the model works on it */
	uint64_t *tensor_data[MODEL_TENSORS];
	uint64_t tensor_rows[MODEL_TENSORS], tensor_columns[MODEL_TENSORS];
	uint64_t max_tasks;
	/* results */
	ptowsp_status status;
	int stopped_at;              /* task of a deadlock, a limit ... */
	unsigned resource;           /* of a deadlock */
	uint64_t proposed;
	struct model_task tasks[MODEL_TASKS];
	int count;
	uint64_t edges, total, batches, flushes;
	int race;                    /* first task that is unordered with an earlier one of its window that it conflicts with, -1 */
	struct model_meter ring, map, deps, ready[MODEL_POOLS];
	int pools;                   /* that were used or always exist */
	/* workings */
	uint64_t slots[16], known[16];
	bool pending[16];
	bool slot_writers[16][MODEL_TASKS], reading[MODEL_TASKS], awaited[MODEL_TASKS]; /* tasks: of a slot's value; of an expression; by the next task */
	uint64_t a, floor, fill;
	int64_t loops[64];
	uint32_t loop_names[64];
	bool loop_parallel[64];
	int loop_count;
	int64_t level;
	int scope_stack[64], scope_depth, scope_count;
	int scope_parent[MODEL_SCOPES]; /* -1: none */
	uint64_t scope_close[MODEL_SCOPES];
	bool scope_open[MODEL_SCOPES];
	int order_instance[MODEL_ORDERS], order_step[MODEL_ORDERS], order_depth, order_total;
	int writer[MODEL_TENSORS][MODEL_ELEMENTS];
	bool reader[MODEL_TENSORS][MODEL_ELEMENTS][MODEL_TASKS];
	struct model_key keys[MODEL_KEYS];
	int key_count;
	int barrier, signal_tasks; /* tasks before the latest barrier, and before the latest signal that is not taken */
	uint64_t barrier_time, signal_time;
	bool ahead; /* counts how many tasks fit before any starts */
};
/* Runs it; results as above. The struct is large: allocate it. */
void rt_model_run(struct model *m);

#endif
