/* SPDX-License-Identifier: MIT
 * rt_builder.h - workloads in memory, so that tests of the runtime core read like programs:
 *
 *	struct builder *b = builder_create();
 *	uint32_t k = builder_kernel(b, "k", PTOWSP_UNIT_AIV, 1, 0);
 *	builder_schedule(b, "Tn", PTOWSP_DIRECTIVE_DISPATCH, PTOWSP_DISPATCH_ROUND_ROBIN, 2);
 *	builder_task(b, k, 10);            cycles, then regions
 *	struct outcome *o = builder_run(b, NULL);
 *
 * A test kernel takes its cycles from its first scalar. Running, it folds what it reads and its number into what it writes, so that any
 * other order gives other results. */
#ifndef PTOWSP_TESTS_RT_BUILDER_H
#define PTOWSP_TESTS_RT_BUILDER_H

#include "rt/rt.h"
#include <stdbool.h>

struct builder;
struct builder *builder_create(void);
void builder_destroy(struct builder *b);

/* ---- tables; each returns its row -------------------------------------------------------------------------------- */
uint32_t builder_string(struct builder *b, const char *text);
uint32_t builder_const(struct builder *b, int64_t value);
uint32_t builder_expr(struct builder *b, unsigned op, uint32_t a, uint32_t x, uint32_t c);
uint32_t builder_axis_value(struct builder *b, const char *name);
uint32_t builder_slot(struct builder *b, const char *name, unsigned kind, int64_t value);
/* columns 0: rows is the only dimension; rows 0 too: no shape. */
uint32_t builder_tensor(struct builder *b, const char *name, unsigned dtype, int64_t rows, int64_t columns);
void builder_role(struct builder *b, uint32_t tensor, unsigned role); /* else inout */
/* A kernel with so many scalars and tensors. */
uint32_t builder_kernel(struct builder *b, const char *name, unsigned unit, uint32_t scalars, uint32_t tensors);
/* Behind the start of a window of tensor argument `arg` it touches `length` elements from `offset`. */
void builder_touch(struct builder *b, uint32_t kernel, uint32_t arg, int64_t offset, uint64_t length, unsigned access);
enum {
	BUILDER_LATER = 1,
	BUILDER_MEASURED = 2,
	BUILDER_FAILS = 4,
	BUILDER_UNUSABLE = 8,
	BUILDER_SLOW = 16,
	BUILDER_NO_FOOTPRINT = 32,
	BUILDER_STEADY = 64,
	BUILDER_FAILS_LATE = 128
};
/* LATER: cycles are known only by running. STEADY: the first argument, which are its cycles, is always the same. FAILS, SLOW: what it does when run. FAILS_LATE: from task
 * 1000 on. */
void builder_kernel_flags(struct builder *b, uint32_t kernel, unsigned flags);
void builder_variant(struct builder *b, uint32_t kernel, uint32_t rows, uint32_t variant);
uint32_t builder_levels(struct builder *b, uint32_t max_range, uint32_t min_range, uint32_t count, const uint32_t (*levels)[2]);
uint32_t builder_axis(struct builder *b, const char *name, uint32_t low, uint32_t high, uint32_t step, uint32_t levels);
/* Ragged and sparse axes: rows (high) and row are expressions, lengths and indices tensors or PTOWSP_NONE; or with values in the package. */
uint32_t builder_axis_rows(struct builder *b, const char *name, unsigned kind, uint32_t rows, uint32_t row, uint32_t lengths, uint32_t indices);
uint32_t builder_axis_values(struct builder *b, const char *name, unsigned kind, int64_t rows, uint32_t row, uint32_t count, const int64_t *values);
uint32_t builder_event(struct builder *b, const char *name);
/* The entry becomes one task of the kernel, all tensors its own in order of their rows. */
void builder_kernel_entry(struct builder *b, uint32_t kernel, uint32_t value_count, const uint32_t *slots);
uint32_t builder_region(struct builder *b, uint32_t tensor, uint32_t row, uint32_t column, uint32_t rows, uint32_t columns);
uint32_t builder_window(struct builder *b, uint32_t tensor, uint32_t row, uint32_t column, uint32_t unit);
/* Bytes of a tensor of u8 as elements of dtype; unit 0: rows x columns bytes, else a flat window that reaches `columns` bytes, 0: as far as there are. */
uint32_t builder_view(struct builder *b, uint32_t tensor, uint32_t column, uint32_t columns, uint32_t unit, unsigned dtype);
/* args: one letter each: n number (int64_t), w word (const char *), e expression row (uint32_t). */
void builder_schedule(struct builder *b, unsigned directive, unsigned policy, const char *args, ...);

/* ---- instructions ------------------------------------------------------------------------------------------------ */
uint32_t builder_emit(struct builder *b, unsigned opcode, uint32_t operand1, uint32_t operand2); /* its index */
/* parallel_for, for_each or select over an axis of the table; n: over 0 .. n - 1 of its own. Ended by builder_end. */
void builder_loop(struct builder *b, unsigned opcode, uint32_t axis);
void builder_loop_n(struct builder *b, unsigned opcode, const char *name, int64_t n);
void builder_scope(struct builder *b);
void builder_while(struct builder *b, uint32_t expr);
/* Behind a task. */
void builder_after(struct builder *b, unsigned kind, uint32_t expr);
void builder_copy(struct builder *b, uint32_t from, uint32_t to);
/* cond, sequential, combine with n branches: builder_next between them. */
void builder_branches(struct builder *b, unsigned opcode, uint32_t n, uint32_t expr);
void builder_next(struct builder *b);
void builder_end(struct builder *b);
/* A task of a kernel whose first scalar is its cycles; then its tensors: "r" read, "w" write, "m" both, "b" bind, each with a region row. */
void builder_task(struct builder *b, uint32_t kernel, int64_t cycles, const char *access, ...);
void builder_task_list(struct builder *b, uint32_t kernel, uint32_t cycles_expr, uint32_t count, const char *access, const uint32_t *regions);
/* A row of META. */
void builder_meta(struct builder *b, const char *key, const char *value);
void builder_slot_set(struct builder *b, uint32_t slot, uint32_t expr);
void builder_slot_load(struct builder *b, uint32_t slot, uint32_t region);
/* Ends what came before, the workload or a process, with a halt and begins a process; the entry becomes a pipeline. Its row. */
uint32_t builder_process(struct builder *b, const char *name, uint32_t replicas);
uint32_t builder_channel(struct builder *b, const char *name, uint32_t capacity, uint64_t latency); /* its row */
/* In the latest process, which then is said to use the channel so. consume: a loop, ended by builder_end. */
void builder_uses(struct builder *b, uint32_t channel, unsigned direction);
void builder_send(struct builder *b, uint32_t channel, uint32_t expr);
void builder_consume(struct builder *b, uint32_t channel);
void builder_close(struct builder *b, uint32_t channel);
/* A channel of blocks; sends and consumes of it have a region. */
uint32_t builder_payload(struct builder *b, const char *name, uint32_t capacity, uint64_t latency);
void builder_send_block(struct builder *b, uint32_t channel, uint32_t expr, uint32_t region);
void builder_consume_block(struct builder *b, uint32_t channel, uint32_t region);

/* ---- what comes out ---------------------------------------------------------------------------------------------- */
/* The sections so far, HALT added; they stay valid until the next change. */
const struct ptowsp_section *builder_sections(struct builder *b, uint32_t *count_out);
struct ptowsp_instruction *builder_code(struct builder *b, uint32_t *count_out); /* to damage it */
const struct rt_kernels *builder_kernels(struct builder *b);
/* The rows of rt, with those that hold where several threads take ready tasks. Returns how many. */
uint32_t builder_caps(struct ptowsp_cap *rows_out, uint32_t room);
ptowsp_status builder_program(struct builder *b, struct rt_program **program_out, struct ptowsp_error *error);

struct outcome_edge {
	uint64_t producer, consumer;
};
struct outcome {
	ptowsp_status status;
	struct ptowsp_error error;
	struct ptowsp_run_stats stats;
	struct ptowsp_resource_stats resources[64];
	struct ptowsp_kernel_stats kernels[64];
	struct ptowsp_channel_stats channels[64];
	struct ptowsp_scheduler_stats schedulers[64];
	struct ptowsp_deadlock deadlock;
	struct ptowsp_trace_task *tasks;
	struct outcome_edge *edges;
	uint32_t task_count, task_room, edge_count, edge_room;
	uint64_t *memory; /* tensors one behind the other, i64 elements */
	uint64_t memory_count;
	uint64_t calls;     /* kernels that were called */
	uint64_t questions; /* about cycles and footprints of kernels */
	void *graph;        /* the block of a run that builds first, else NULL */
	uint64_t graph_size;
	char log[2048]; /* lines of the log and diagnoses */
};
struct outcome_how {
	uint32_t threads;    /* 0: 1 */
	uint32_t schedulers; /* instances that generate tasks, 0: 1 */
	uint32_t flags;      /* PTOWSP_RUN_x */
	uint64_t deadline_ns, max_tasks;
	uint64_t memory;        /* rt_run_args.memory */
	uint64_t seed;          /* of the tensors' first content */
	const uint64_t *values; /* one per slot; NULL: defaults */
	uint32_t value_count;
	const uint64_t *content; /* of the first elements, over what seed gives */
	uint64_t content_count;
	bool bare;     /* bind no tensors */
	bool no_sinks; /* without sinks, as most runs are: no tasks and edges in the outcome */
	bool unlinked; /* no edges in the outcome */
	bool idle;     /* kernels touch no memory: for schedules that let tasks race */
	const volatile uint32_t *cancel;
	struct rt_pool *pool;           /* NULL: one of its own */
	bool fixed_map;                 /* as in rt_run_args */
	const struct rt_engine *engine; /* as in rt_run_args */
	const struct rt_queues *queues; /* as in rt_kernels */
};
/* Program, run, destroy. how may be NULL. Never NULL; error of rt_program_create in status and error. */
struct outcome *builder_run(struct builder *b, const struct outcome_how *how);
struct outcome *builder_run_program(struct builder *b, struct rt_program *program, const struct outcome_how *how);
void outcome_destroy(struct outcome *o);
const struct ptowsp_resource_stats *outcome_resource(const struct outcome *o, const char *name);
bool outcome_has_edge(const struct outcome *o, uint64_t producer, uint64_t consumer);
/* Bindings of all tensors on fresh memory with content from seed; *memory_out is freed by the caller. */
uint64_t *builder_memory(const struct builder *b, uint64_t seed, struct ptowsp_binding *bindings, uint64_t *count_out);
uint64_t builder_now_ns(void); /* the clock of deadlines */
/* What a kernel of these tests does; shared with the model so that both compute the same. element(context, tensor argument, index, write, value). */
uint64_t builder_fold(uint64_t state, uint64_t value);

#endif
