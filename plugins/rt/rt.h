/* SPDX-License-Identifier: MIT */
/* rt.h - the runtime core: verify and lower a workload once, then run it: expand, depend, reserve, ready, retire, in
 * bounded memory, with a semantic clock that is the same on every machine. A backend supplies the kernels. */
#ifndef RT_RT_H
#define RT_RT_H

#include "ptowsp/caps.h"
#include "ptowsp/package.h"
#include "ptowsp/plugin.h"
#include "ptowsp/workload.h"
#include <stdbool.h>

/* Memory of a device in which the elements that windows name lie while a run goes on. Kernels of the device work there; the core, and kernels on this processor, say which bytes of this
 * processor's memory they are about to look at, and which they have written. Any thread, several at once; none fails: an error is the end of the next kernel, or of the run. */
struct rt_mirror {
	void *context;
	/* Versions of temp tensors will lie in these bytes, each cleared before it is read; bytes 0: no more, the memory at base goes. */
	void (*arena)(void *context, void *base, uint64_t bytes);
	void (*fetch)(void *context, const void *at, uint64_t bytes); /* afterwards these bytes are as kernels have left them */
	void (*push)(void *context, const void *at, uint64_t bytes);  /* later kernels see these bytes, written here */
	void (*clear)(void *context, void *at, uint64_t bytes);       /* these bytes become zeros */
};

/* A device that takes tasks in and tells their ends later. rt_run's thread calls all of it, and a task is known by its number: a kernel of which `takes` is true is started where its task is issued,
 * in task order, when its predecessors of other kinds have ended. Semantic time hears of it as of any task. */
struct rt_task_end {
	uint64_t task;
	ptowsp_status status;
	uint32_t kernel;
	uint64_t cycles, ns; /* cycles: where nobody knows them before; ns: wall time on the device */
};
struct rt_queues {
	void *context;
	bool (*takes)(void *context, uint32_t kernel); /* constant */
	/* Does not wait; args and windows are the caller's again when it returns. It begins behind the tasks of `after`, which were started and whose ends have not been told: what their *mark_out
	 * were, a word of the device's. AGAIN: when another end has been told. UNSUPPORTED: this one goes to rt_kernels.run, on a worker thread, behind the ends of all of them. Else it has failed, with
	 * its sentence. */
	ptowsp_status (*start)(void *context, const struct ptowsp_task *task, const uint64_t *after, uint32_t after_count, uint64_t *mark_out,
			       struct ptowsp_error *error);
	/* Tells ends, each once, in any order; waits until until_ns while there is none. A task that ends as KERNEL_FAILED goes to rt_kernels.run for its sentence, when all else has ended. */
	uint32_t (*reap)(void *context, uint64_t until_ns, struct rt_task_end *ends_out, uint32_t room);
	void (*abandon)(void *context); /* started tasks end soon, in whatever way; all are still told */
};

/* The backend's knowledge of kernels. All functions may be called from any thread; `context` is the backend's.
 * A touch is told in its turn: the order is that of the kernel. width: columns of a tile, whose rows lie one behind the other in a flat window, and in rows of the window in one
 * that has several; 0: single elements, counted row by row. */
typedef void (*rt_touch_fn)(void *sink, uint32_t tensor_argument, int64_t offset, uint64_t length, uint64_t width, unsigned access);
/* Elements that go into a payload channel with a token, or come out of it. */
struct rt_moved {
	uint32_t process, channel; /* instance; CSPC row */
	bool sends;
	struct ptowsp_tensor_arg window;
};
struct rt_kernels {
	void *context;
	/* Cycles of one task if they are known without running it (whole task, all blocks); cycles of run are then ignored.
	 * UNSUPPORTED if not. */
	ptowsp_status (*cycles)(void *context, uint32_t kernel, const uint64_t *args, uint64_t *cycles_out);
	/* Elements a task touches relative to its windows, for flat regions (REGN.unit not 0). UNSUPPORTED if unknown: the
	 * whole rest of the tensor then counts as touched as the IO_ instruction says. */
	ptowsp_status (*footprint)(void *context, uint32_t kernel, const uint64_t *args, rt_touch_fn touch, void *sink);
	/* 1 if cycles or footprint depend on args; 0 lets rt ask once per kernel. */
	int (*varies)(void *context, uint32_t kernel);
	/* Runs it, all blocks; out->cycles is preset. worker: 0..threads-1, for the backend's scratch memory. */
	ptowsp_status (*run)(void *context, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker);
	/* NULL, or why this kernel cannot be run at all (still counted under NO_KERNELS), as a sentence about "kernel NAME". */
	const char *(*unusable)(void *context, uint32_t kernel);
	/* The sentence behind a failure of cycles or footprint with these arguments: kernel, source line, what was wrong. May be
	 * NULL. */
	void (*explain)(void *context, uint32_t kernel, const uint64_t *args, struct ptowsp_error *error);
	/* Code of its tasks, for the statistics: PTOWSP_KERNEL_PORTABLE, _NATIVE, _C or 0. May be NULL. */
	uint32_t (*code)(void *context, uint32_t kernel);
	/* Planned program: a token that an instance sends or takes has elements with it, which are not moved; those of one instance and channel in their order,
	 * sends and takes each. Errors end the run. May be NULL. */
	ptowsp_status (*moved)(void *context, const struct rt_moved *moved, struct ptowsp_error *error);
	/* Tasks of the run that a device has executed so far, and their wall time there, for the statistics. Any thread. May be NULL: none. */
	void (*device)(void *context, uint32_t kernel, uint64_t *tasks_out, uint64_t *ns_out);
	const struct rt_mirror *mirror; /* borrowed, as long as the program; NULL: kernels work on the memory that windows name */
	void *runner;                   /* the context of run; NULL: `context` */
	/* Borrowed likewise; NULL: all kernels run. So they do with several schedulers, an engine, a graph that is built first, or a stated order of ready tasks. */
	const struct rt_queues *queues;
};

/* Worker threads of a device: parked while idle. threads includes the one that calls rt_run; >= 1. */
struct rt_pool;
ptowsp_status rt_pool_create(struct rt_pool **pool_out, uint32_t threads, struct ptowsp_error *error);
void rt_pool_destroy(struct rt_pool *pool); /* joins */
uint32_t rt_pool_threads(const struct rt_pool *pool);

/* Hints to worker threads for the tasks of an instruction. */
struct rt_wish {
	uint32_t priority; /* a larger one is taken first */
	uint32_t home;     /* tasks of one home share a thread, those of another one have another; 0: none */
};
/* A verified and lowered program for one entry and one schedule. Sections are copied, not kept. */
struct rt_program;
struct rt_program_args {
	const struct ptowsp_section *sections;
	uint32_t section_count, section_stride;
	uint32_t entry;                   /* ENTR row */
	const struct rt_kernels *kernels; /* copied */
	const struct ptowsp_host *host;   /* for log and diagnose; may be NULL */
	/* Capability rows of the backend: a directive that they do not claim as enforced is diagnosed, not obeyed. */
	const struct ptowsp_cap *caps;
	uint32_t cap_count;
	uint32_t flags; /* PTOWSP_LOAD_x */
	/* Nothing runs: kernels.run is told what would, COPY too, whose kernel is the row behind those of the package, on one thread and in any order. So the
	 * window is unbounded but for the turns of processes, who find a stated one full where open scopes hold it, temp tensors lie where they are bound, and a slot that is loaded from what a task writes ends the run: UNSUPPORTED. */
	bool planned;
	/* By their instruction, so many bytes apart; copied. 0 of them: no task has any. */
	const struct rt_wish *wishes;
	uint32_t wish_count, wish_stride;
	/* Planned program: without kernels, too, kernels.run and kernels.moved are told, and windows of tensors without memory are counted from RT_NOWHERE on. */
	bool shadowed;
	/* Planned program: the window is in force, as its engine keeps tasks to it. */
	bool windowed;
	/* Planned program: temp tensors are renamed; a window into a version that its task makes says RT_FRESH, and its engine tells ends (rt_engine.ended). */
	bool renames;
};
/* The sentence of a task whose kernel returned status: the task, the kernel, what *error says, or else the status. KERNEL_FAILED. error may be NULL. Any thread. */
ptowsp_status rt_kernel_fail(struct ptowsp_error *error, uint64_t task, uint64_t kernel, const char *name, ptowsp_status status);
/* The copy of COPY, row by row; from the last one where the target lies behind the source, so that they may overlap. Any thread. */
void rt_block_copy(const struct ptowsp_tensor_arg *from, const struct ptowsp_tensor_arg *to);
/* An address where nothing is, as if a tensor began there. */
#define RT_NOWHERE ((char *)(uintptr_t)4096)
/* A bit of `access` of a window that kernels.run of a planned program is told: a version begins here, as zeros, which nobody has written yet. */
#define RT_FRESH 0x100
/* Errors: BAD_PACKAGE naming instruction and rule, UNKNOWN_OPCODE, UNSUPPORTED, NO_MEMORY. */
ptowsp_status rt_program_create(struct rt_program **program_out, const struct rt_program_args *args, struct ptowsp_error *error);
void rt_program_destroy(struct rt_program *program);
/* Gives back the blocks that a run left for the next one: what there is before a run begins hides as much of what it then holds (memory_limit.h). Between runs. */
void rt_program_forget(struct rt_program *program);

/* The entries of a package, each verified as rt_program_create does it, in time that grows with what is in them and not with their number times the tables. args->entry
 * is not looked at; diagnostics are not told. One thread. */
struct rt_entries;
/* The part that all entries share. Errors: of rt_program_create. */
ptowsp_status rt_entries_create(struct rt_entries **entries_out, const struct rt_program_args *args, struct ptowsp_error *error);
/* ENTR row `entry`. Errors: of rt_program_create. */
ptowsp_status rt_entries_verify(struct rt_entries *entries, uint32_t entry, struct ptowsp_error *error);
void rt_entries_destroy(struct rt_entries *entries);
/* All entries but args->entry, which rt_program_create looks at, and the opcodes of code that no entry reaches: a package holds as a whole, or it does not run. Unsupported parts of other entries do
 * not matter. Errors: of rt_program_create, and UNKNOWN_OPCODE. */
ptowsp_status rt_entries_check(const struct rt_program_args *args, struct ptowsp_error *error);

/* Sinks for what a run does, in task order; any may be NULL. Called on the thread of rt_run. */
struct rt_sinks {
	void *context;
	void (*task)(void *context, const struct ptowsp_trace_task *task);
	void (*edge)(void *context, uint64_t producer, uint64_t consumer);
	/* The graph of a program that is built first (rt_graph.h), once, before it runs, or would run. Borrowed for the call. */
	void (*graph)(void *context, const void *block, uint64_t size);
	/* Stalls, tokens, processes, in the order in which the clocks meet them: only where `task` is there too. */
	void (*event)(void *context, const struct ptowsp_trace_event *event);
};

/* Notifications between the runs on several devices. Called on the thread of rt_run. */
struct rt_notify {
	void *context;
	uint32_t device; /* the run's own number */
	/* cycles: when, on the semantic clock. */
	ptowsp_status (*send)(void *context, uint32_t device, uint32_t notification, uint64_t cycles, struct ptowsp_error *error);
	/* Waits until until_ns on the clock of the deadline. AGAIN: the time is over. DEADLOCK: nobody is left who could send it. */
	ptowsp_status (*take)(void *context, uint32_t device, uint32_t notification, uint64_t until_ns, uint64_t *cycles_out, struct ptowsp_error *error);
};

/* One run, on the calling thread and the pool's workers; returns when nothing is left running.
 * args: program is ignored; no two runs of one program at a time. stats_out: filled also after a failure; its arrays
 * belong to the program until its next run. deadlock_out: filled with DEADLOCK.
 * cancel: checked together with the deadline; may be NULL. now_ns: the clock of the deadline.
 * Errors: RUN_FAILED, KERNEL_FAILED, TOO_SMALL, DEADLOCK, DEADLINE, CANCELLED, LIMIT, NO_MEMORY. */
/* Something with a clock of its own: run pulls all items of a feed (feed.h), on the thread of rt_run. Where there is one, rt keeps no semantic time: what --stats and
 * the trace say of time is what the engine tells. */
struct rt_feed;
struct rt_item; /* rt_feed.h */
struct rt_engine {
	void *context;
	ptowsp_status (*run)(void *context, struct rt_feed *feed, struct ptowsp_error *error);
	bool rings; /* it keeps tasks to a ring per scope depth (rt_limits.ring), not to a window: every edge is made, and memory grows with the number of tasks */
	bool phases; /* planned program: a workload that reads what a task writes is not refused; the engine is given RT_ITEM_PHASE and runs what it has */
	/* Planned program; NULL: nothing runs before all is told. Returns when all tasks before `tasks` have really ended. Errors: UNSUPPORTED for some that it was not given. */
	ptowsp_status (*wait)(void *device, uint64_t tasks, struct ptowsp_error *error);
	uint64_t (*ended)(void *device); /* beside wait: tasks before it have */
	/* Planned program; NULL: tasks are pulled. Else those of a workload come this way, in place of items and in their order, a few at a time while an item is pulled; without owner
	 * and row. */
	ptowsp_status (*task)(void *context, const struct rt_item *item);
	void *device;
};
struct rt_run_args {
	const struct ptowsp_run_args *args;
	struct rt_pool *pool;
	const struct rt_sinks *sinks;
	const volatile uint32_t *cancel; /* atomic; non-zero asks the run to end */
	bool fixed_map;                  /* the tensor map is a pool made for a full window, which never grows; not under an unbounded window */
	uint32_t schedulers;             /* instances that generate tasks from the bytecode, up to 64; 0: one */
	const struct rt_notify *notify;  /* NULL: the run has one device, number 0 */
	uint64_t memory;                 /* bytes that a graph may take which is built before it runs, 0: any; TOO_BIG beyond */
	const struct rt_memory_limit
		*held;                  /* NULL, or what the whole run may hold: TOO_BIG beyond, looked at every RT_MEMORY_LIMIT_TASKS tasks (memory_limit.h) */
	const struct rt_engine *engine; /* NULL: the semantic clock. With one, all programs have any number of schedulers */
	bool designed; /* of a shadowed program without kernels: a slot that is loaded from what a task writes ends it as it ends a run with kernels, unless data that are not there
			  have already decided what is walked */
	const struct rt_own *
		own; /* NULL, or the tasks that this run is of, with an engine and a program that is divisible: it counts them from 0 on, as if there were no others */
};
/* Ascending, none empty. */
struct rt_range {
	uint64_t begin, end; /* numbers of tasks */
};
struct rt_own {
	const struct rt_range *ranges;
	uint32_t count;
};
/* May a run be of some tasks alone? Not where what tasks do decides on tasks, or others than by what they touch order them. Any thread. */
bool rt_program_divisible(const struct rt_program *program);
ptowsp_status rt_run(struct rt_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
		     struct ptowsp_error *error);
/* Live counters while a run goes on; any thread. */
void rt_stats(const struct rt_program *program, struct ptowsp_run_stats *stats_out);
/* Elements of each tensor that a run would touch: expands without kernels. 0: none; UINT64_MAX: cannot be told without running: it
 * depends on data, or the program goes on for 2^26 instructions without a task (then all are). Nobody can cancel it.
 * elements_out: one per TENS row. */
ptowsp_status rt_extents(struct rt_program *program, const struct ptowsp_run_args *args, uint64_t *elements_out, uint32_t count, struct ptowsp_error *error);

/* Must the processes of the entry's pipeline block each other, whatever its tasks do? Follows the tokens alone, with the default values of symbols and
 * slots. OK: no, or it cannot be told: a value is missing, something is loaded from a tensor, it goes on for too long. DEADLOCK: yes, with the
 * report of a run; deadlock_out may be NULL. Errors: NO_MEMORY. */
ptowsp_status rt_channels_check(struct rt_program *program, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);
/* Holds the schedule's capacities against single tasks and allocs, where nothing from outside decides which there are: in a workload, up to 65,536
 * tasks. Errors: TOO_SMALL naming need and capacity, NO_MEMORY. */
ptowsp_status rt_needs_check(struct rt_program *program, struct ptowsp_error *error);

/* Rows for everything this core enforces; a backend starts from them. That of DISPATCH_FILTER holds for one that lets its user choose rt_run_args.schedulers.
 * Returns how many, writes at most room. */
uint32_t rt_capabilities(struct ptowsp_cap *rows_out, uint32_t room);
/* Rows of what a run on the semantic clock with several schedulers refuses, UNSUPPORTED, and of what then has nothing to act on, RECORDED: they stand in front of those of rt_capabilities where a
 * user is told, and not in rt_program_args.caps, because the run itself says which instruction is refused. Returns how many, writes at most room. */
uint32_t rt_schedulers_capabilities(struct ptowsp_cap *rows_out, uint32_t room);

#endif
