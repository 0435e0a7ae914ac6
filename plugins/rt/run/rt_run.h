/* SPDX-License-Identifier: MIT */
/* rt_run.h - one run in progress: everything that is not the program. The thread of rt_run owns it; worker threads see `crew` only. */
#ifndef RT_RUN_H
#define RT_RUN_H

#include "rt/access/access.h"
#include "rt/access/plan.h"
#include "rt/access/track.h"
#include "rt/expand/expand.h"
#include "rt/process/race.h"
#include "rt/run/place.h"
#include "rt/structure/flow.h"
#include "rt/structure/memory_limit.h"
#include "rt/structure/sync.h"
#include "rt/structure/version.h"
#include "rt/threads/crew.h"
#include "rt/time/lag.h"
#include "rt/time/listener.h"

/* A kernel in this run. */
struct rt_known {
	uint64_t cycles;
	bool varies;
	bool asked;   /* varies and cycles are set */
	bool later;   /* cycles are known only by running */
	bool checked; /* unusable was asked */
	bool named;   /* said once that it counts 1 per task */
	bool pieces_told;
	bool here; /* its tasks run where they are issued: there is one thread, or the run is alone and it is brief */
};
/* Notifications that the device has told itself and not yet heard. */
struct rt_notice {
	uint64_t cycles; /* when it was sent */
	uint32_t number;
	bool taken;
};
struct rt_notices {
	struct rt_notice *rows; /* oldest first */
	uint32_t count, room;
};
void rt_notices_finish(struct rt_notices *notices);
/* Blocks of elements on their way through payload channels: memory for as many as each channel can hold, made once before the first task of a run with kernels. It never
 * grows. A rendezvous has a block per consumer instance, because one token can be given to each before the first of them has its turn. */
struct rt_payloads {
	char *memory;    /* NULL: nothing is moved */
	uint64_t *first; /* per CSPC row: where its blocks begin */
	uint64_t bytes;
};
struct rt_record;     /* graph_record.h */
struct rt_schedulers; /* schedulers.h */
struct rt_run {
	struct rt_program *program;
	const struct ptowsp_run_args *args;
	const struct rt_sinks *sinks;
	const volatile uint32_t *cancel;
	struct ptowsp_error *error;
	struct ptowsp_deadlock *deadlock;
	bool kernels;         /* kernels.run is told of tasks */
	bool bodies;          /*   and what it needs has to be there: a shadowed program tells without */
	bool quiet;           /* a look ahead: no clock, no kernels, no messages */
	uint64_t loaded_from; /* writer of the latest slot_load, + 1 */
	uint64_t phased;      /* tasks that the engine has run, where it runs phases (rt_engine.phases) */
	bool designed;        /* rt_run_args.designed */
	bool load_said;       /* a slot_load without a bound tensor was reported */
	uint8_t *unwritten;   /* per TENS row: 1: a temp tensor that no task has touched so far; NULL: there is none to look after */
	uint64_t window;      /* in force */
	uint64_t heap_capacity;
	uint64_t memory;                    /* bytes that a graph built first may take, 0: any */
	const struct rt_memory_limit *held; /* NULL: no limit */
	struct rt_memory_limit machine;     /* held, where none is stated and the window has no end */
	uint64_t held_next;                 /* task of the next look at it */
	uint64_t max_tasks;

	struct rt_spare spare;      /* of what an earlier run left, that which is not in use; in the end what this one leaves */
	struct common_arena *arena; /* pieces whose sizes the program says: freed together */
	struct rt_env env;
	struct rt_form *forms;
	struct rt_codes codes;
	uint64_t *values;
	struct rt_tensors tensors;
	struct rt_known *known; /* per KREG row */
	struct rt_answers *answers;

	/* the task being issued */
	uint64_t *task_args; /* own_args, or those of its plan */
	uint64_t *own_args;
	struct rt_plan *plan; /* of its instruction; NULL: the next two are of the task */
	struct rt_access *accesses;
	struct rt_use *own_uses;
	struct rt_plans plans;
	uint64_t *window_words; /* start and length of each window */
	struct rt_key *keys;    /* scratch of the count of distinct keys */
	uint32_t kernel;

	struct rt_preds preds;
	struct rt_track track;
	bool fixed_map;              /* cells are a pool that never grows */
	struct rt_cells cells;       /* of keys or elements; without entries with explicit */
	struct rt_overlap overlap;   /* of elements */
	struct rt_intern intern;     /* of keys */
	struct rt_preds watch_preds; /* of tensors that slot_load reads: writers by extent, whatever deps says */
	struct rt_track watch_track;
	struct rt_pieces *watch;

	struct rt_race race; /* on: the run is strict and the schedule a promise */

	struct rt_sync sync;
	struct rt_notices notices;
	const struct rt_notify *notify; /* NULL: one device */
	struct rt_versions versions;
	struct rt_flow flow;
	struct rt_clock clock;
	struct rt_lag lag;
	struct rt_listener tell;  /* clock.tell points to it where somebody listens */
	struct rt_record *record; /* the graph that is built before it runs; NULL without one */
	struct rt_crew crew;
	struct rt_payloads payloads;
	struct rt_pipeline *pipeline;   /* while processes run, and until the end; else NULL */
	const struct rt_queues *queues; /* NULL: all kernels run */
	uint64_t started;               /* tasks on the device */
	uint64_t *marks, *after;        /* of those, by their places in the ring; room for those that one of them begins behind */
	uint64_t barrier;               /* tasks before it finish before the next one starts */
	uint64_t *stream_order;         /* per stream: its latest task + 1 */

	const struct rt_engine *engine;        /* NULL: semantic time is rt's own */
	uint32_t schedulers;                   /* instances that generate tasks, 1 or more; with an engine 1 */
	const struct rt_own *own;              /* NULL: all tasks */
	struct rt_schedulers *instances;       /* they; NULL: one */
	struct ptowsp_scheduler_stats *shares; /* per instance, where there are several */
	uint32_t share_count;
	uint64_t told_total;                       /* the largest end that an engine told */
	uint64_t engine_executors, engine_streams; /* as it counts them; 0: it did not */
	uint64_t cross_edges, notifications;       /* between them */

	bool slots_prompt;      /* slots are known as soon as they are set: the clock need not hear of them */
	bool ordinary;          /* the clock alone hears of tasks, and they run when they are issued or go to the worker threads: rt_issue_begin */
	uint32_t span_most;     /* tasks of the window behind the latest one */
	uint64_t checked_until; /* the least of max_tasks and: */
	uint64_t fresh_until;   /* number of a task before which stamps have to be freshened */

	/* counters */
	uint64_t tasks, batches, flushes, batch_fill, edges;
	uint64_t stall_ns[PTOWSP_RESOURCE_COUNT];
	uint64_t started_ns, ended_ns;
	uint64_t shown_ns;  /* when a look after a kernel last published the counters */
	uint64_t looked_ns; /* when a look after a kernel last read the clock */
	uint64_t idle_from; /* of a look at extents or tokens: tasks at the latest pause, and pauses since the first with as many */
	uint32_t idle;
	uint32_t look_every, look_left;
	uint32_t sample_left;                     /* tasks until one is timed while several threads are there and this one runs alone; 0: never */
	bool together;                            /* tasks of a workload go to rt_engine.task, a few of them before anything else is looked at */
	struct ptowsp_kernel_stats *kernel_stats; /* per KREG row */
	bool measured;                            /* a kernel whose cycles are measured has run */
	enum ptowsp_resource reason;              /* of the wait that is going on */
	bool waiting;

	/* Last, because they are long and set themselves as far as they are in use. */
	struct rt_places places;
	struct rt_expand expand;
};

/* Accesses of the task being issued. */
static inline const struct rt_access *rt_run_accesses(struct rt_run *run)
{
	if (!run->plan)
		return run->accesses;
	rt_plan_accesses_move(run->plan, &run->env);
	return run->plan->accesses;
}
struct rt_pipeline;

/* infer.c: predecessors of the task being issued and what it reserves in the tensor map. */
ptowsp_status rt_infer_init(struct rt_run *run);
void rt_infer_finish(struct rt_run *run);
ptowsp_status rt_infer(struct rt_run *run, const struct rt_site *site, struct rt_need *need_out);
/* The part of it that does not depend on other tasks: places in the tensor map. */
uint32_t rt_infer_map(struct rt_run *run, const struct rt_site *site);
/* Enters uses, whatever their ways, of the task that run->plan or run->accesses is about. */
ptowsp_status rt_infer_uses(struct rt_run *run, const struct rt_use *uses, uint32_t count);
/* Every 2^30 tasks, at the latest: or stamps of old ones would look new. */
void rt_infer_freshen(struct rt_run *run);
/* After it, with place and edges known: is there a race? Errors: UNSUPPORTED naming the first pair, NO_MEMORY. */
ptowsp_status rt_infer_race(struct rt_run *run, const struct rt_site *site, const struct rt_clock_task *task);
/* Latest task that wrote an element of a watched tensor, + 1. */
uint64_t rt_infer_writer(const struct rt_run *run, uint32_t tensor, int64_t element);

/* after.c: adds the edges that the task states to run->preds. Errors: RUN_FAILED for the task itself or a later one. */
ptowsp_status rt_after_enter(struct rt_run *run, const struct rt_site *site);
/* At load: once, where the schedule makes no use of stated edges. */
void rt_after_tell(const struct rt_program *program);
/* True if the expression is the number of the task itself or a later one whatever the run. */
bool rt_after_own(const struct rt_exprs *exprs, uint32_t id);

/* A failed step of the clock, as a sentence. */
ptowsp_status rt_clock_failed(struct rt_run *run, ptowsp_status status);
/* The clock has said when a task runs. */
static inline void rt_run_told(struct rt_run *run, const struct ptowsp_trace_task *task)
{
	struct ptowsp_kernel_stats *stats = &run->kernel_stats[task->kernel];

	stats->tasks++;
	stats->cycles += task->end - task->start;
	if (task->kernel == run->program->copy_kernel && task->end > run->clock.copies_end)
		run->clock.copies_end = task->end;
	if (run->sinks && run->sinks->task)
		run->sinks->task(run->sinks->context, task);
}
/* rt_run.c */
ptowsp_status rt_run_init(struct rt_run *run, struct rt_program *program, const struct rt_run_args *args, struct ptowsp_error *error);
void rt_run_finish(struct rt_run *run);
/* status, in run->error, ends a run with kernels. One without them goes on: the feature is told as unsupported, with the sentence, and the answer is OK. */
ptowsp_status rt_run_needs(const struct rt_run *run, uint32_t feature, ptowsp_status status);
/* Between the two: the clock and what else counts, for the window in force. */
ptowsp_status rt_run_clock(struct rt_run *run);
/* Places that open scopes of processes hold where the program is planned, whose window is unbounded for all else: 0 if none is stated. */
uint64_t rt_window_planned(const struct rt_run *run);
/* lookahead.c: a look at a program before it runs: a zeroed run without clock and kernels, of which nobody hears, at its beginning; run->error is then NULL. Finished by
 * rt_run_finish. Errors: those of rt_run_init, NO_MEMORY. */
ptowsp_status rt_look_begin(struct rt_run *run, struct rt_program *program, const struct rt_run_args *args, uint64_t window, struct ptowsp_error *error);
/* An event that is no task. False: the look ends there; a slot that is loaded is what only running tells. */
bool rt_look_event(struct rt_run *run, enum rt_event event);
/* start.c: start(threshold n): when the first task may start. */
ptowsp_status rt_start_find(const struct rt_run *run, uint64_t *start_out);

/* start.c: the pool of a task that was prepared, without a clock: one that may join several pools counts as vector. */
uint32_t rt_pool_guess(struct rt_run *run, const struct rt_site *site);
/* auto.c: dispatch auto becomes an affinity, once per program; before the clock is made. */
ptowsp_status rt_auto_decide(struct rt_run *run);

/* known.c: run->kernel becomes that of the task at its tile level, and run->known of it is what there is to know before the task is issued; its arguments are there. Errors: KERNEL_FAILED
 * for a kernel that cannot run, RUN_FAILED, LIMIT or NO_MEMORY where the backend cannot say. */
ptowsp_status rt_kernel_choose(struct rt_run *run, const struct rt_site *site, uint32_t level);

/* issue.c: arguments, kernel and accesses of a task; nothing is reserved yet. */
ptowsp_status rt_prepare(struct rt_run *run, const struct rt_site *site, uint32_t level);
/* Nothing has to be asked before its predecessors are found but what a plan knows. After rt_infer_init. */
bool rt_issue_plain(const struct rt_run *run, const struct rt_site *site, uint32_t kernel);
/* Before the first task. */
void rt_issue_begin(struct rt_run *run);
/* The task at which the expander stands, from its site to the clock. */
ptowsp_status rt_issue(struct rt_run *run);
/* That task, and the tasks that follow it with nothing else in between. *next_out: the event behind them. */
ptowsp_status rt_issue_tasks(struct rt_run *run, enum rt_event *next_out);
/* Its parts, for process_task.c: pool, executor and stream; the kernel on this thread, timed where it is not `here`; what is counted once the task is
 * issued. */
ptowsp_status rt_issue_place(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task);
ptowsp_status rt_run_here(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task);
void rt_issue_count(struct rt_run *run, const struct rt_clock_task *task);
void rt_batch_flush(struct rt_run *run);
/* rt_run.c: does an event of a workload. */
ptowsp_status rt_event_take(struct rt_run *run, enum rt_event event);
/* slot.c: an element as 64 bits; at points to it. */
int64_t rt_element_value(const char *at, unsigned dtype);
ptowsp_status rt_slot_set(struct rt_run *run, uint32_t slot, uint32_t expr);
ptowsp_status rt_slot_load(struct rt_run *run, uint32_t slot, const struct rt_io *io);
/* Would it read what a task writes that the engine has not run yet? The writer, + 1; 0: no. Where it fails is for rt_slot_load to say. */
uint64_t rt_slot_load_writer(struct rt_run *run, const struct rt_io *io);

/* dispatch.c: windows of the task being issued, two words each. */
void rt_windows_store(struct rt_run *run, const struct rt_site *site, uint64_t *words);
/* Several threads, kernels that are not `here`: before the task being issued is placed, decides how it will run, and waits for all that must have
 * ended for real. */
ptowsp_status rt_dispatch_begin(struct rt_run *run);
/* Then: runs it, or puts it into the ring. Cycles that are known later are set to RT_CYCLES_LATER. */
ptowsp_status rt_dispatch(struct rt_run *run, const struct rt_site *site, struct rt_clock_task *task);
/* Runs a ready task of the ring on this thread, and those that it makes ready while no others are wanted. Errors: rt_look_after_kernel. */
ptowsp_status rt_dispatch_run(struct rt_run *run, uint32_t slot);
/* The workers see what has been ready since the latest call. Wherever the expander looks around or waits. */
void rt_dispatch_show(struct rt_run *run);
/* The next task of the kernel that ran last is timed. */
void rt_dispatch_sample(struct rt_run *run);

/* started.c: the device takes tasks of this kernel. */
bool rt_started_takes(const struct rt_run *run, uint32_t kernel);
/* Waits for the other threads' tasks before the one being issued; then it may enter the ring. */
ptowsp_status rt_started_before(struct rt_run *run, uint64_t also);
/* Starts the newest task of the ring. UNSUPPORTED: it is to be linked, and run. also: as rt_ring_link has it. */
ptowsp_status rt_started_begin(struct rt_run *run, struct rt_slot *slot, uint64_t also);
/* Takes what has ended, or waits for an end until until_ns. */
void rt_started_reap(struct rt_run *run, uint64_t until_ns);
/* Waits for all that was started; nothing else is any more. */
void rt_started_end(struct rt_run *run);
/* The sentence of the task at the frontier, which failed on the device. */
ptowsp_status rt_started_failure(struct rt_run *run, struct rt_slot *slot);

/* wait.c: the expander's waits on worker threads. All return an error when the run has to end. */
ptowsp_status rt_look(struct rt_run *run);                       /* deadline and cancel */
ptowsp_status rt_look_after_kernel(struct rt_run *run);          /* the same, but seldom where kernels are short */
ptowsp_status rt_wait_tasks(struct rt_run *run, uint64_t tasks); /* until the first `tasks` tasks are done */
ptowsp_status rt_wait_room(struct rt_run *run, uint64_t edges);  /* until the ring has room for a task with so many */
/* Sends the worker threads in, where there is something for them and so much to do, or done for so long, that they come in time. */
void rt_call_helpers(struct rt_run *run, uint64_t ns);
/* Moves the frontier over what is over; cycles that only running tells go to the clock. In task order. */
ptowsp_status rt_frontier_move(struct rt_run *run);

/* notify.c */
/* Does a NOTIFY or WAIT_NOTIFY. Errors: DEADLOCK, reported; UNSUPPORTED, INVALID for a device that is not there; those of tasks that end meanwhile. */
ptowsp_status rt_notify_take(struct rt_run *run, uint32_t instruction);
/* payload.c */
/* Only where the entry is a pipeline; a planned program moves nothing, and without kernels there is no memory, but what a run with them would be refused for is told. Errors: TOO_BIG for more than the run's memory limit, NO_MEMORY. */
ptowsp_status rt_payloads_init(struct rt_run *run);
void rt_payloads_finish(struct rt_payloads *payloads);
/* Copies the elements of a region into block `number` of the channel, or out of it. The caller has waited for who touches them. */
void rt_payload_copy(const struct rt_run *run, uint32_t channel, uint64_t number, const struct rt_access *access, bool sends);

/* deadlock.c */
const char *rt_resource_name(unsigned resource);
ptowsp_status rt_block_report(const struct rt_run *run, ptowsp_status status, const struct rt_block *block, struct ptowsp_deadlock *deadlock);
/* The high-water mark is what the engine said in the end: the walk, which wrote the report, may have been ahead of it. */
void rt_deadlock_settle(struct rt_run *run);
/* As much as fits the caller's record, which may be NULL; its size stays. */
void rt_deadlock_give(struct ptowsp_deadlock *deadlock, const struct ptowsp_deadlock *report);
/* stats.c: results of rt_stats and rt_run */
struct rt_snapshot {
	struct ptowsp_run_stats stats;
	struct ptowsp_resource_stats *resources;      /* room for every pool */
	struct ptowsp_kernel_stats *kernels;          /* one per KREG row at most */
	struct ptowsp_channel_stats *channels;        /* one per CSPC row at most */
	struct ptowsp_process_stats *processes;       /* one per instance */
	struct ptowsp_scheduler_stats schedulers[64]; /* as many as there can be */
};
ptowsp_status rt_snapshot_init(struct rt_snapshot *snapshot, const struct rt_program *program, struct ptowsp_error *error);
void rt_snapshot_finish(struct rt_snapshot *snapshot);
void rt_stats_reset(struct rt_program *program);
void rt_stats_publish(struct rt_run *run);
void rt_stats_give(struct rt_program *program, struct rt_snapshot *into, struct ptowsp_run_stats *stats_out);

#endif
