/* SPDX-License-Identifier: MIT */
#include "rt/access/preds.h"

#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include <stdlib.h>
#include <string.h>

enum { MARKS = 256 /* at first */ };

bool rt_preds_init(struct rt_preds *preds)
{
	memset(preds, 0, sizeof(*preds));
	preds->mask = MARKS - 1;
	preds->list = malloc(MARKS * sizeof(*preds->list));
	preds->marks = calloc(MARKS, sizeof(*preds->marks));
	return preds->list && preds->marks;
}

void rt_preds_finish(struct rt_preds *preds)
{
	free(preds->marks);
	free(preds->list);
	memset(preds, 0, sizeof(*preds));
}

static uint32_t *mark_of(const struct rt_preds *preds, uint64_t producer)
{
	return &preds->marks[rt_preds_stamp(preds, producer) & preds->mask];
}

void rt_preds_unmark(struct rt_preds *preds)
{
	for (uint32_t i = 0; i < preds->count; i++)
		*mark_of(preds, preds->list[i]) = preds->stamp - 1;
}

void rt_preds_unmark_all(struct rt_preds *preds)
{
	memset(preds->marks, 0xFF, ((size_t)preds->mask + 1) * sizeof(*preds->marks));
}

void rt_preds_widen(struct rt_preds *preds)
{
	uint64_t size = rt_power_above((uint64_t)preds->span + 1);
	uint32_t *more = calloc(size, sizeof(*more)); /* no stamp is 0 but one: */
	void *list = preds->list;

	if (!more || !common_resize(&list, size, sizeof(*preds->list))) {
		free(more);
		preds->out_of_memory = true;
		preds->span = preds->mask; /* the run ends before it matters that others are forgotten */
		return;
	}
	free(preds->marks);
	preds->marks = more;
	preds->mask = (uint32_t)(size - 1);
	preds->list = list;
	if (!preds->stamp)
		rt_preds_unmark_all(preds);
}
