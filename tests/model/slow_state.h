/* SPDX-License-Identifier: MIT
 * slow_state.h - what the files of the slow machine share: where everything stands at one moment. One thread. */
#ifndef TESTS_MODEL_SLOW_STATE_H
#define TESTS_MODEL_SLOW_STATE_H

#include "tests/model/slow_machine.h"

enum slow_kind { SLOW_VECTOR, SLOW_CUBE, SLOW_MIX, SLOW_ITSELF };
/* CHOSEN: an instance is busy with sending it. TAKEN: its core has the token, or its instance computes it. */
enum slow_stage { SLOW_UNMET, SLOW_MET, SLOW_ISSUED, SLOW_READY, SLOW_PARKED, SLOW_CHOSEN, SLOW_TAKEN, SLOW_ENDED };
enum slow_doing { SLOW_NOTHING, SLOW_COMPLETING, SLOW_HEARING, SLOW_SENDING, SLOW_COMPUTING, SLOW_ISSUING };
enum { SLOW_CORES = 64 };

struct slow_row {
	enum slow_stage stage;
	enum slow_kind kind;
	int owner, waits, core;
	int full, domain; /* PARKED: row of pipeline_depth, and its domain */
	uint64_t since;   /* READY, PARKED */
	bool any;         /* vector or cube, as it turns out */
	bool counted;     /* the window was full, and is only counted, since then: */
	uint64_t counted_since;
};
struct slow_core {
	int instance, kind, count, running, tasks[2];
	uint64_t fins[2], free;
};
struct slow_notice {
	int id;
	uint64_t time;
};
struct slow_instance {
	enum slow_doing doing;
	int what, core;
	uint64_t free;
	int first, clusters, cursor[2];
	int *seen, seen_count; /* FIN answers, tasks */
	struct slow_notice *notices;
	int notice_count, notice_room;
	int *batch, batch_count; /* emitted, not flushed */
};
/* `task` waits for the end of: a task, all tasks of an iteration, or all before a barrier. */
enum slow_cause { SLOW_FOR_TASK, SLOW_FOR_ITERATION, SLOW_FOR_BARRIER };
struct slow_wait {
	int task;
	enum slow_cause cause;
	int what;   /* task, iteration, how many tasks */
	int notice; /* 0: nobody has told its instance */
	bool over;
};
/* The walk of the workload. */
struct slow_walk {
	int at;   /* item */
	bool met; /* it stands at a task, which an instance may issue */
	bool stalled, finished;
	int stage;   /* enum slow_resource: there is room in those before it */
	int flushed; /* tasks before the latest thing that flushes batches */
	uint64_t chain, since;
};
/* ASKING: for its task to be issued, from `asks` on; STALLED: it had no room at `stage` since `since`; FLYING: until its task has ended. */
enum slow_standing { SLOW_GOING, SLOW_ASKING, SLOW_STALLED, SLOW_FLYING, SLOW_OVER };
struct slow_process {
	enum slow_standing standing;
	enum slow_resource stage;
	int at;         /* item */
	uint64_t clock; /* when it did what was before that */
	uint64_t wake;  /* GOING: when the item happens, 0: not known */
	uint64_t asks, since;
	uint64_t least; /* of its next issue */
	bool waited;    /* its item could not happen at `clock` */
};
struct slow {
	struct slow_machine *m;
	const struct slow_program *p;
	const struct ascend_machine_config *config;
	const struct ascend_protocol *cost;
	uint64_t now;
	struct slow_row *rows;
	bool *walked;    /* per item: time has come to it */
	uint64_t *times; /* per item of a process, when it was walked: when that was */
	struct slow_wait *waits;
	int wait_count, wait_room, notice_ids;
	struct slow_core cores[SLOW_CORES];
	int core_count;
	struct slow_instance instances[ASCEND_INSTANCES];
	struct slow_walk walk;
	struct slow_process *processes; /* from the pipeline's begin on */
	int process_count;
	int issued, ended, left; /* how many; the first tasks that have, and have left */
	bool started, no_memory;
};

static inline uint64_t slow_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif
