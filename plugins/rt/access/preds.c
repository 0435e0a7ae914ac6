/* SPDX-License-Identifier: MIT */
#include "rt/access/preds.h"

#include "registry/common/common_grow.h"
#include "rt/grow.h"
#include <stdlib.h>
#include <string.h>

/* Marks at first, and how long a list is that is not searched. */
enum { MARKS = 256, FEW = 24 };

/* Behind as many as have marks, those of a short list that have not. */
static uint64_t room_of(uint64_t marks)
{
	return marks + FEW;
}

bool rt_preds_init(struct rt_preds *preds)
{
	memset(preds, 0, sizeof(*preds));
	preds->mask = MARKS - 1;
	preds->room = room_of(MARKS);
	preds->list = malloc(preds->room * sizeof(*preds->list));
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

/* So many marks, a power of two; those of the list are set again, the others are older. */
static bool marks_make(struct rt_preds *preds, uint64_t size)
{
	uint32_t *more = size <= UINT64_C(1) << 32 ? malloc(size * sizeof(*more)) : NULL;
	void *list = preds->list;

	if (!more || !common_resize(&list, room_of(size), sizeof(*preds->list))) {
		free(more);
		return false;
	}
	for (uint64_t i = 0; i < size; i++)
		more[i] = preds->stamp - 1;
	free(preds->marks);
	preds->marks = more;
	preds->mask = (uint32_t)(size - 1);
	preds->list = list;
	preds->room = room_of(size);
	for (uint32_t i = 0; i < preds->count; i++)
		*mark_of(preds, preds->list[i]) = preds->stamp;
	return true;
}

/* Without memory for it, short lists are searched. */
void rt_preds_widen(struct rt_preds *preds)
{
	if (preds->mask + 1 < RT_PREDS_MARKS_MOST)
		marks_make(preds, 4 * ((uint64_t)preds->mask + 1));
}

static bool has(const struct rt_preds *preds, uint64_t producer)
{
	uint32_t i = 0;

	while (i < preds->count && preds->list[i] != producer)
		i++;
	return i < preds->count;
}

/* Two of the window can have one place: a short list is searched, a long one gets a mark for each. */
void rt_preds_put_slowly(struct rt_preds *preds, uint32_t stamp)
{
	uint64_t producer = preds->task - (preds->stamp - stamp);
	bool is_long = preds->count >= FEW;

	if (is_long && !marks_make(preds, rt_power_above((uint64_t)preds->span + 1)))
		preds->out_of_memory = true;
	if (preds->out_of_memory || (is_long ? *mark_of(preds, producer) == preds->stamp : has(preds, producer)))
		return;
	*mark_of(preds, producer) = preds->stamp;
	preds->list[preds->count++] = producer;
}
