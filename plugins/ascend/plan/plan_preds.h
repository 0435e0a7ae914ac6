/* SPDX-License-Identifier: MIT */
/* plan_preds.h - the steps that a step of a plan comes behind, while it is put together. One thread. */
#ifndef ASCEND_PLAN_PREDS_H
#define ASCEND_PLAN_PREDS_H

#include <stdbool.h>
#include <stdint.h>

/* A zeroed one is empty. */
struct ascend_preds {
	uint32_t *steps; /* owned */
	uint32_t count, room;
	bool failed; /* no memory; what comes then is lost */
};
/* ASCEND_STEP_NONE adds nothing. */
void ascend_preds_add(struct ascend_preds *preds, uint32_t step);
/* Each once, in order. */
void ascend_preds_tidy(struct ascend_preds *preds);
void ascend_preds_finish(struct ascend_preds *preds);

#endif
