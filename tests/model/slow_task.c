/* SPDX-License-Identifier: MIT */
#include "tests/model/slow_task.h"

#include "ptowsp/caps.h"
#include "tests/model/slow_room.h"
#include "tests/model/slow_wait.h"

static enum slow_kind kind_of(unsigned unit)
{
	return unit == PTOWSP_UNIT_AIC                                 ? SLOW_CUBE
	       : unit == PTOWSP_UNIT_AIC_AIV                           ? SLOW_MIX
	       : unit == PTOWSP_UNIT_HOST || unit == PTOWSP_UNIT_AICPU ? SLOW_ITSELF
								       : SLOW_VECTOR;
}

uint64_t slow_task_issue(struct slow *s, int item)
{
	const struct rt_item *rt = &s->p->items[item].rt;
	struct slow_row *row = &s->rows[rt->number];

	slow_room_mark(s, item, SLOW_WINDOW);
	row->stage = SLOW_ISSUED;
	row->waits = 1;
	row->kind = kind_of(rt->unit);
	row->any = rt->unit == PTOWSP_UNIT_ANY;
	slow_wait_begin(s, (int)rt->number);
	s->issued++;
	return s->cost->lookup + rt->count * s->cost->lookup_use;
}
