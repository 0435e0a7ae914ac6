/* SPDX-License-Identifier: MIT */
#include "ascend/plan/plan_preds.h"

#include "ascend/plan/plan_make.h"
#include "registry/common/common_grow.h"
#include <stdlib.h>

void ascend_preds_add(struct ascend_preds *preds, uint32_t step)
{
	if (step == ASCEND_STEP_NONE || preds->failed)
		return;
	if (!COMMON_GROW(preds->steps, preds->room, preds->count))
		preds->failed = true;
	else
		preds->steps[preds->count++] = step;
}

static int by_step(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void ascend_preds_tidy(struct ascend_preds *preds)
{
	uint32_t kept = 0;

	if (preds->count > 1)
		qsort(preds->steps, preds->count, sizeof(*preds->steps), by_step);
	for (uint32_t i = 0; i < preds->count; i++)
		if (!kept || preds->steps[kept - 1] != preds->steps[i])
			preds->steps[kept++] = preds->steps[i];
	preds->count = kept;
}

void ascend_preds_finish(struct ascend_preds *preds)
{
	free(preds->steps);
	*preds = (struct ascend_preds){0};
}
