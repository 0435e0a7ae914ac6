/* SPDX-License-Identifier: MIT */
/* history.h - of the tensors that payload channels move: which task wrote each element last, which touched it last, and when that ends. Whatever rule makes edges,
 * a send waits for the one and an arrival for the other. Intervals with equal rows stay as the accesses cut them; what nobody can ask about any more is
 * forgotten.
 *
 * An engine with a clock of its own has no ends to compare: it is told the tasks themselves, which are the latest writer and who read since then, as all that came before that
 * writer is over when it is. One thread. */
#ifndef RT_HISTORY_H
#define RT_HISTORY_H

#include "rt/access/interval.h"

struct rt_history_row {
	uint64_t wrote, touched;         /* the latest task + 1; 0: none */
	uint64_t wrote_end, touched_end; /* end of that writer; the largest end of all that touched */
	uint64_t awaited;                /* named: process `awaiter` has waited for all that touched, of tasks before this number */
	uint32_t awaiter;                /* its instance + 1; 0: nobody has, since the latest writer */
	uint32_t readers, reader_count;  /* named: tasks that read since the latest writer, the latest first; 0: none. RT_HISTORY_READERS: too many to name */
};
enum { RT_HISTORY_READERS = 64 };
/* A task that read. Parts of one interval share the list from here on. */
struct rt_history_reader {
	uint64_t task;
	uint32_t next, uses; /* uses: by rows and readers; of a free one none */
};
struct rt_history {
	struct rt_intervals set;
	struct rt_history_row *trails;     /* per node of the set */
	uint32_t room;                     /* of rows */
	uint32_t kept;                     /* intervals after the latest look for those to forget */
	bool named;                        /* readers are kept, and nothing is forgotten: set it behind init */
	struct rt_history_reader *readers; /* [0] is none */
	uint32_t reader_count, reader_room, reader_spare;
};
bool rt_history_init(struct rt_history *trails, uint32_t tensors);
void rt_history_finish(struct rt_history *trails);
/* Task number `task`, which ends at `end`, touches elements [first, last) and may write them. Tasks come in order. False when out of memory. */
bool rt_history_enter(struct rt_history *trails, uint32_t tensor, int64_t first, int64_t last, uint64_t task, uint64_t end, bool writes);
/* Joins what is known of elements [first, last) into *trail: the largest of each. */
void rt_history_join(const struct rt_history *trails, uint32_t tensor, int64_t first, int64_t last, struct rt_history_row *trail);
/* The latest writers of elements [first, last), as task + 1 and in the order of the elements; one may be told again. */
void rt_history_writers(const struct rt_history *trails, uint32_t tensor, int64_t first, int64_t last, void (*tell)(void *context, uint64_t writer),
			void *context);
/* named: whom an arrival in elements [first, last) waits for that process instance `process` has not waited for before, each as task + 1; one may be told again. From now on it
 * has. False: more than are known by name; then it has to wait for all tasks up to `touched`. */
bool rt_history_touchers(struct rt_history *trails, uint32_t tensor, int64_t first, int64_t last, uint32_t process, void (*tell)(void *context, uint64_t task),
			 void *context);
/* Time for rt_history_forget? Never where readers are named. Twice as many intervals as it left. */
bool rt_history_full(const struct rt_history *trails);
/* Nobody asks about tasks below `tasks`, which are really over, nor about times up to `time`. */
void rt_history_forget(struct rt_history *trails, uint64_t tasks, uint64_t time);

#endif
