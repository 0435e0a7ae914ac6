/* SPDX-License-Identifier: MIT */
/* recall.h - how many edges a task would have, without entering it into the tensor map.
 *
 * A task whose edges have no room in the dependency pool because of an open scope lets other instances go first, and then has another number. The
 * map cannot forget a task again. So where that can happen, a bounded pool and scopes inside processes, what each task of the window
 * touches is remembered as it is, and compared one by one. Slow, and asked only when there might be no room. One thread. */
#ifndef RT_RECALL_H
#define RT_RECALL_H

#include "rt/access.h"

struct rt_run;

/* A key (space is its class, compared for equality) or an interval of elements of a tensor. */
struct rt_piece {
	int64_t start, end;
	uint32_t space;
	uint32_t bits; /* PTOWSP_READ, PTOWSP_WRITE */
};
struct rt_piece_list {
	struct rt_piece *rows;
	uint32_t count, room;
};
struct rt_recall {
	struct rt_piece_list *tasks; /* at task & mask */
	uint64_t mask, first;        /* tasks before first are not remembered */
	struct rt_piece_list own;    /* what is left of the task that is asked about */
	bool on;
};
/* on: it can be needed. Errors: NO_MEMORY. */
ptowsp_status rt_recall_init(struct rt_recall *recall, const struct rt_run *run);
void rt_recall_finish(struct rt_recall *recall);
/* The task being issued, number run->tasks. False when out of memory. */
bool rt_recall_add(struct rt_recall *recall, struct rt_run *run, const struct rt_site *site);
/* The edges of the prepared task into run->preds, as rt_infer would find them. Errors: those of rt_after_enter, NO_MEMORY. */
ptowsp_status rt_recall_preds(struct rt_recall *recall, struct rt_run *run, const struct rt_site *site);

#endif
