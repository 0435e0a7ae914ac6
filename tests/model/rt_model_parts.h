/* SPDX-License-Identifier: MIT
 * rt_model_parts.h - what the files of the model share. */
#ifndef PTOWSP_TESTS_MODEL_RT_MODEL_PARTS_H
#define PTOWSP_TESTS_MODEL_RT_MODEL_PARTS_H

#include "ptowsp/workload.h"
#include "tests/model/rt_model.h"

/* What one argument of a task touches. */
struct model_access {
	uint32_t tensor;
	unsigned mode;
	struct model_key key;
	bool read[MODEL_ELEMENTS], write[MODEL_ELEMENTS];
	int64_t start;
	const struct ptowsp_region_record *region;
};
#define ROW(m, SECT, record, i) ((const struct ptowsp_##record##_record *)model_rows(m, PTOWSP_SECTION_##SECT, NULL) + (i))

static inline uint64_t model_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Outside every tensor of a test, and too large to multiply. */
static inline bool model_far(int64_t position)
{
	return position > 1000000 || position < -1000000;
}

/* rt_model_expr.c: rows of a section, NULL where there is none; an instruction; a string. */
const void *model_rows(const struct model *m, uint32_t type, uint32_t *count_out);
struct ptowsp_instruction model_code(const struct model *m, uint32_t at);
const char *model_text(const struct model *m, uint32_t at);
/* The run ends with the first status that is said. */
void model_stop(struct model *m, ptowsp_status status);
int64_t model_eval(struct model *m, uint32_t row);
/* Largest V among the slots that an expression reads; *pending_out: one of them waits for a task. */
uint64_t model_reads(struct model *m, uint32_t row, bool *pending_out);
/* The expander evaluates: its slots move the issue clock. */
int64_t model_use(struct model *m, uint32_t row);

/* rt_model_access.c */
void model_access_make(struct model *m, struct model_access *x, const struct ptowsp_region_record *region, unsigned mode, uint32_t arg, uint32_t kernel);
/* Reads before writes. Elements are always entered, for slot_load; their edges count under bytes_overlap only. */
void model_edges_find(struct model *m, struct model_task *t, const struct model_access *x, int count);
/* How many different keys are accessed so. */
uint64_t model_keys_distinct(const struct model_access *x, int count, unsigned bit);
void model_body_run(struct model *m, const struct model_access *x, int count, uint32_t kernel);
void model_race_find(struct model *m);

/* rt_model_time.c: pool, stream and executor; then its times. */
void model_place(struct model *m, struct model_task *t);
void model_time_task(struct model *m, struct model_task *t, uint64_t cycles);
bool model_unit_named(const struct model *m, uint16_t unit);

#endif
