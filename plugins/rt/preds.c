/* SPDX-License-Identifier: MIT */
#include "rt/preds.h"

#include <stdlib.h>
#include <string.h>
#include "rt/grow.h"

bool rt_preds_init(struct rt_preds *preds, uint64_t window)
{
	uint64_t marks = rt_window_room(window);

	memset(preds, 0, sizeof(*preds));
	preds->mask = marks - 1;
	preds->marks = calloc(marks, sizeof(*preds->marks));
	preds->room = 64;
	preds->list = malloc(preds->room * sizeof(*preds->list));
	return preds->marks && preds->list;
}

void rt_preds_finish(struct rt_preds *preds)
{
	free(preds->marks);
	free(preds->list);
	memset(preds, 0, sizeof(*preds));
}

void rt_preds_grow(struct rt_preds *preds)
{
	void *list = preds->list;

	if (!rt_grow(&list, &preds->room, preds->count, sizeof(*preds->list)))
		preds->out_of_memory = true;
	preds->list = list;
}

/* Between two tasks no mark means anything: the new ones are empty. */
void rt_preds_widen(struct rt_preds *preds)
{
	uint64_t size = (preds->mask + 1) * 2;
	uint32_t *more = calloc(size, sizeof(*more));

	if (!more) {
		preds->out_of_memory = true;
		return;
	}
	free(preds->marks);
	preds->marks = more;
	preds->mask = size - 1;
}
