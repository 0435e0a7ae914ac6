/* SPDX-License-Identifier: MIT
 * check_outcome.h - what the suites of the runtime build and check again and again. */
#ifndef TESTS_CHECK_OUTCOME_H
#define TESTS_CHECK_OUTCOME_H

#include "tests/check.h"
#include "tests/rt/builder/rt_builder.h"

#define COUNT(a)          (sizeof(a) / sizeof(*(a)))
#define EMIT(b, op, x, y) builder_emit(b, PTOWSP_OP_##op, x, y)
/* A schedule row of builder b. */
#define ROW(directive, policy, ...) builder_schedule(b, PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy, __VA_ARGS__)
#define WINDOW(b, n)                builder_schedule(b, PTOWSP_DIRECTIVE_TASK_WINDOW, PTOWSP_TASK_WINDOW_STALL, "n", (int64_t)(n))

/* One kernel k(cycles) without tensors, row 0. */
struct builder *builder_one_kernel(void);
/* The same, with so many executors that only order and gates hold a task. */
struct builder *builder_plain(void);
/* parallel i 0..2, j 0..1 with one task of 10 cycles each. */
struct builder *builder_grid(void);
uint32_t builder_loop_value(struct builder *b, uint32_t depth);
/* 100 * outer + inner + 1, so that the cycles of a task tell the values of its loops. */
uint32_t builder_pair_value(struct builder *b);

/* A process that has n tasks of kernel 0 and sends after each; one that has a task for each token. */
void builder_producer(struct builder *b, const char *name, uint32_t replicas, int64_t n, int64_t cycles, uint32_t channel);
void builder_consumer(struct builder *b, const char *name, int64_t cycles, uint32_t channel);
/* Two producers of channel c, of capacity 1, three tasks of 1 cycle and one of 10, and the consumer of all of it. */
struct builder *builder_pipeline(void);

/* Tensor, of that region, lives for one task of kernel 1, which writes it. */
void builder_life(struct builder *b, uint32_t tensor, int64_t cycles);

/* Both, at the end of a test. */
void outcome_done(struct builder *b, struct outcome *o);
/* There are so many tasks, without an error; this is when they start, or how long they take. */
void check_starts(const struct outcome *o, const uint64_t *starts, uint32_t count);
void check_cycles(const struct outcome *o, const uint64_t *cycles, uint32_t count);
/* A resource ("heap", "task_ring", "ready_any") was filled so far, and held tasks up so often and for so long. */
void check_resource(const struct outcome *o, const char *name, uint64_t high_water, uint64_t stalls, uint64_t cycles);
/* Runs it, and gives it back: it ends with the status, and its sentence contains `why`. */
void check_refused(struct builder *b, ptowsp_status status, const char *why);
/* Runs it: a kernel fails as it was asked to, and the sentence is `text`. The outcome and the builder are the caller's. */
struct outcome *check_planted(struct builder *b, const struct outcome_how *how, const char *text);
/* Two runs of one program: the same end, tasks, edges, cycles, high-water marks and stalls, and, where tasks run in an order that their edges fix (memory),
 * the same memory. Fails the test, naming the seed and who, where not. told: with sinks. */
bool outcome_same(uint64_t seed, const char *who, const struct outcome *told, const struct outcome *o, bool memory);

#endif
