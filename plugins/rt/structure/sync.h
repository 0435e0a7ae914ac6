/* SPDX-License-Identifier: MIT */
/* sync.h - events, barriers, fences, and tensors that live between ALLOC and FREE, as the expander's side knows them. Times are the
 * clock's (clock_sync.c). One thread. */
#ifndef RT_SYNC_H
#define RT_SYNC_H

#include "rt/program/rt_program.h"
#include "rt/structure/arena.h"

struct rt_event_state {
	uint64_t count; /* signals that no wait has taken */
	uint64_t tasks; /* issued before the latest signal */
};
struct rt_sync {
	struct rt_event_state *events; /* per EVNT row */
	uint64_t *touched;             /* per TENS row: latest task that touched it, + 1; only of tensors with an ALLOC */
	uint8_t *there;                /* per TENS row: between ALLOC and FREE */
	bool blocked;                  /* it is an ALLOC for which the heap has no room, no task */
	uint64_t copies;               /* latest copy + 1 */
	struct rt_arena arena;         /* structure: bytes that could have come back */
};

struct rt_run;
struct rt_block;
ptowsp_status rt_sync_init(struct rt_run *run);
void rt_sync_finish(struct rt_run *run);
/* False for a WAIT whose event has no signal yet. */
bool rt_sync_ready(const struct rt_run *run, uint32_t instruction);
/* Does a SIGNAL, WAIT, BARRIER, FENCE, ALLOC or FREE. Errors: DEADLOCK for a WAIT that is not ready and for an ALLOC that nothing makes room for,
 * TOO_SMALL, RUN_FAILED naming the tensor. */
ptowsp_status rt_sync_take(struct rt_run *run, uint32_t instruction);
/* For a look ahead: only the counts. False: a WAIT that is not ready. */
bool rt_sync_pass(struct rt_run *run, uint32_t instruction);
/* The task being issued touches tensors that live between ALLOC and FREE, or copies. touch is both: there asks, and mark notes that it is issued.
 * Errors: RUN_FAILED for one that is not there. */
ptowsp_status rt_sync_touch(struct rt_run *run, const struct rt_site *site);
ptowsp_status rt_sync_there(const struct rt_run *run, const struct rt_site *site);
void rt_sync_mark(struct rt_run *run, const struct rt_site *site);
/* An ALLOC of a process: may it take place while things are as they are? What tasks before held_from hold comes back. AGAIN: not now, *block_out says what is
 * lacking. Errors: RUN_FAILED for one that is there already, TOO_SMALL, reported. */
ptowsp_status rt_sync_room(struct rt_run *run, uint32_t instruction, uint64_t held_from, struct rt_block *block_out);
/* After OK of it. How many bytes; the clock is the caller's to tell. */
uint64_t rt_sync_alloc(struct rt_run *run, uint32_t instruction);
/* The report of a deadlock at an instruction that waits for an event or a notification, without its text. */
struct ptowsp_deadlock rt_sync_deadlock(const struct rt_run *run, uint32_t instruction);

#endif
