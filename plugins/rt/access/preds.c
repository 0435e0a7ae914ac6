/* SPDX-License-Identifier: MIT */
#include "rt/access/preds.h"

#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include <stdlib.h>
#include <string.h>

bool rt_preds_init(struct rt_preds *preds)
{
	memset(preds, 0, sizeof(*preds));
	preds->room = 2 * RT_PREDS_FEW;
	preds->list = malloc(preds->room * sizeof(*preds->list));
	return preds->list != NULL;
}

void rt_preds_finish(struct rt_preds *preds)
{
	free(preds->marks);
	free(preds->list);
	memset(preds, 0, sizeof(*preds));
}

/* A mark per live task. New ones are empty, so what is in the list is marked again. */
static bool marks_make(struct rt_preds *preds)
{
	uint64_t size = rt_power_above((uint64_t)preds->span + 1 < 1024 ? 1024 : (uint64_t)preds->span + 1);
	uint32_t *more = size <= UINT64_C(1) << 32 ? calloc(size, sizeof(*more)) : NULL;

	if (!more)
		return false;
	free(preds->marks);
	preds->marks = more;
	preds->mask = (uint32_t)(size - 1);
	return true;
}

static uint32_t *mark_of(const struct rt_preds *preds, uint64_t producer)
{
	return &preds->marks[producer & preds->mask];
}

static void list_mark(struct rt_preds *preds)
{
	for (uint32_t i = 0; i < preds->count; i++)
		*mark_of(preds, preds->list[i]) = preds->stamp;
}

void rt_preds_add_slowly(struct rt_preds *preds, uint64_t producer)
{
	void *list = preds->list;

	if ((!preds->marks || preds->span > preds->mask) && !marks_make(preds)) {
		preds->out_of_memory = true;
		return;
	}
	if (preds->count == RT_PREDS_FEW)
		list_mark(preds);
	if (*mark_of(preds, producer) == preds->stamp)
		return;
	if (!common_grow(&list, &preds->room, preds->count, sizeof(*preds->list))) {
		preds->out_of_memory = true;
		return;
	}
	*mark_of(preds, producer) = preds->stamp;
	preds->list = list;
	preds->list[preds->count++] = producer;
}
