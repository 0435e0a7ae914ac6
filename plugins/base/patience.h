/* SPDX-License-Identifier: MIT */
/* patience.h - how long work of a run may go on, and how much memory it may take meanwhile: until the run is cancelled, its deadline has passed, or it holds more than its
 * limit. Work that may be long asks now and then, which costs a subtraction; its caller says why it ended. One thread. */
#ifndef BASE_PATIENCE_H
#define BASE_PATIENCE_H

#include "ptowsp/run.h"
#include "rt/rt.h"
#include <stdbool.h>

struct base_patience {
	const struct ptowsp_host *host;     /* has the clock and the memory */
	const volatile uint32_t *cancel;    /* atomic; NULL: nobody cancels */
	uint64_t deadline_ns;               /* on the host's clock, 0: none */
	const struct rt_memory_limit *held; /* the run's limit; NULL or without one: `most` */
	uint64_t before, most;              /* bytes of the process when it began, and how many more there may be; most 0: any number */
	uint64_t held_ns;                   /* when memory was looked at */
	uint64_t tasks;                     /* that the work is about, as far as they are known: for sentences */
	uint64_t left;                      /* work until somebody looks at the clock */
	ptowsp_status ended;                /* why it ended, for good; PTOWSP_OK: it goes on */
};
/* A run's. most: bytes that its work may take where the run has no limit of its own, 0: any number. */
struct base_patience base_patience_of(const struct ptowsp_host *host, const struct rt_run_args *args, uint64_t most);
/* Looks at once. True: it is over. */
bool base_patience_look(struct base_patience *patience);
/* Behind so much work, in units of about a microsecond or less: is it over? NULL is never over. After true, the work gives up with any error but PTOWSP_OK. */
static inline bool base_patience_over(struct base_patience *patience, uint64_t work)
{
	if (!patience)
		return false;
	if (patience->left > work && !patience->ended) {
		patience->left -= work;
		return false;
	}
	return base_patience_look(patience);
}
/* status, or where patience is over why that is: DEADLINE, CANCELLED, TOO_BIG with a sentence. NULL is never over. */
ptowsp_status base_patience_told(const struct base_patience *patience, ptowsp_status status, struct ptowsp_error *error);
/* As memcpy, in pieces between which it may be over: false, and then only the beginning is copied. NULL is never over. */
bool base_patience_copy(struct base_patience *patience, void *to, const void *from, uint64_t bytes);
/* Looks at once, and says so. */
ptowsp_status base_patience_check(struct base_patience *patience, struct ptowsp_error *error);

#endif
