/* SPDX-License-Identifier: MIT
 * check_outcome.h - what the suites of the runtime build and check again and again. */
#ifndef TESTS_CHECK_OUTCOME_H
#define TESTS_CHECK_OUTCOME_H

#include "check.h"
#include "rt_builder.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define EMIT(b, op, x, y) builder_emit(b, PTOWSP_OP_##op, x, y)

/* One kernel k(cycles) without tensors, row 0; with so many executors that only order and gates hold a task. */
struct builder *builder_plain(void);
uint32_t builder_loop_value(struct builder *b, uint32_t depth);
/* 100 * outer + inner + 1, so that the cycles of a task tell the values of its loops. */
uint32_t builder_pair_value(struct builder *b);

/* Both, at the end of a test. */
void outcome_done(struct builder *b, struct outcome *o);
/* There are so many tasks, without an error; this is when they start, or how long they take. */
void check_starts(const struct outcome *o, const uint64_t *starts, uint32_t count);
void check_cycles(const struct outcome *o, const uint64_t *cycles, uint32_t count);
/* Runs it, and gives it back: it ends with the status, and its sentence contains `why`. */
void check_refused(struct builder *b, ptowsp_status st, const char *why);

#endif
