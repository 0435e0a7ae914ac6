/* SPDX-License-Identifier: MIT */
/* machine_state.h - a run of the machine: what its files share. All numbers of tasks are those of the feed; in lists and queues they stand as their low 32
 * bits, which name a record of the ring. */
#ifndef ASCEND_MACHINE_STATE_H
#define ASCEND_MACHINE_STATE_H

#include "ascend/machine/machine.h"
#include "ascend/machine/machine_tree.h"

enum ascend_class { ASCEND_VECTOR, ASCEND_CUBE, ASCEND_MIX, ASCEND_AICPU, ASCEND_CLASSES };
enum ascend_task_state { ASCEND_AWAITED, ASCEND_ISSUED, ASCEND_READY, ASCEND_SENT, ASCEND_ENDED }; /* AWAITED: met, not issued */

#define ASCEND_NOBODY  UINT32_MAX
#define ASCEND_NO_CORE UINT16_MAX

/* A task in flight. */
struct ascend_task {
	uint64_t start, end; /* ready: start is since when */
	uint64_t cycles;
	uint32_t waits;     /* for so many: predecessors, gates, being issued */
	uint32_t followers; /* last link of a circle of those that wait for it */
	uint32_t kernel, stream;
	uint32_t group; /* gate that its end helps to open */
	uint32_t depth_loops;
	uint32_t process, scope; /* of a pipeline; PTOWSP_NONE, 0 */
	uint16_t core;           /* place among all; behind them: an instance */
	uint8_t pool, class, state, owner;
	bool any; /* of vector or cube, whichever is idle */
};
_Static_assert(sizeof(struct ascend_task) == 64, "a cache line, and found without a multiplication");
struct ascend_link {
	uint32_t next, task;
};
/* A mark orders one ready task where the order of ready tasks, or a wish, asks for that: the larger the earlier, the priority first; instruction: of WORK. */
struct ascend_mark {
	uint32_t priority, awaited, instruction;
};
/* The kernel that stays on a core, + 1; 0: none. left: for so many invocations more, where they are counted. */
struct ascend_residence {
	uint32_t kernel;
	uint64_t left;
};
/* Tasks that have places of a ring, in the order in which they were issued. */
struct ascend_ring {
	uint64_t *tasks;           /* ring of numbers */
	uint64_t mask, head, tail; /* free-running */
};
/* Sums over all tasks before one. */
struct ascend_need {
	uint64_t map, deps;
};
/* Opens when what it waits for is over: the tasks of an iteration, or all before some number. */
struct ascend_gate {
	uint32_t waits, followers;
	uint32_t parent;    /* gate of an iteration around; or the next free one */
	uint32_t uses;      /* times that it is named */
	bool open, members; /* members: it ever waited for a task */
};
struct ascend_order {
	uint32_t gate;  /* tasks wait for it */
	uint32_t group; /* and belong to this one */
};
struct ascend_queue {
	uint32_t *tasks; /* ring */
	uint32_t head, tail, mask;
};
/* Links that wait for one thing less, at another instance. */
struct ascend_notice {
	uint64_t time;
	uint32_t links; /* circle */
};
struct ascend_core {
	uint64_t free;  /* when the last task under way is over */
	uint32_t token; /* DATA_MAIN_BASE */
	uint32_t cond;  /* as its instance last read it: bit 31 FIN */
	uint8_t count;  /* tasks, as its instance knows: until it has handled FIN */
	uint8_t instance, class;
	uint8_t word; /* of the instance's masks, where its bit stands: its place among the cores of its kind that the instance has */
	uint64_t bit;
};
/* The answer of a core: known as soon as the task is sent. */
struct ascend_fin {
	uint64_t time;
	uint32_t task;
	uint16_t core;
};
/* The action of an instance until `free`. */
enum ascend_doing { ASCEND_IDLE, ASCEND_COMPLETING, ASCEND_HEARING, ASCEND_ISSUING, ASCEND_COMPUTING, ASCEND_SENDING };
struct ascend_aicpu {
	uint64_t free;
	uint8_t doing;
	bool stepping;
	uint16_t core; /* SENDING: where to */
	uint32_t what; /* task, or circle of links */
	uint32_t first_cluster, clusters;
	uint64_t idle[2][2], half[2][2]; /* by class: own cores without a task; with one, where there is room for two */
	uint64_t pairs;                  /* all bits: a core takes two */
	uint32_t cursor[2];
	uint32_t cube_base, vector_base; /* places of its first ones among all cores */
	struct ascend_queue ready[ASCEND_CLASSES];
	struct ascend_fin *fins; /* ring of as many as there can be, by time and core; those before `seen` are seen */
	uint32_t fin_head, fin_seen, fin_tail, fin_mask;
	uint64_t fin_next; /* time of the first that is not seen; ASCEND_NEVER */
	struct ascend_notice *notices;
	uint32_t notice_head, notice_tail, notice_mask;
	uint64_t tasks, in_flight;
	uint32_t batch, batch_count; /* circle of tasks that were emitted and are not flushed */
	uint32_t number;
};
/* The value of a slot is there at `time`, and when the tasks have ended. */
struct ascend_slot {
	uint64_t time;
	uint64_t *writers;
	uint32_t count, room;
};
/* The task to be looked up next, and why it cannot. */
enum ascend_stage { ASCEND_WINDOW, ASCEND_MAP, ASCEND_DEPS, ASCEND_HEAP, ASCEND_QUEUE, ASCEND_ROOM };
struct ascend_head {
	const struct rt_item *item; /* a task, or what has to be waited for; NULL: pull */
	struct ascend_aicpu *aicpu; /* instance of its task; NULL: it is none */
	uint8_t stage;
	bool stalled; /* since `since` */
	uint64_t since;
	uint64_t heap_tail; /* tasks before it have to have left for its bytes */
};
struct ascend_virtual {
	uint64_t number, since;
};
struct ascend_depth_domain {
	uint64_t in_flight;
	struct ascend_queue parked;
};
struct ascend_delayed_gate {
	uint64_t number, gate;
};

struct ascend_run {
	struct ascend_machine *machine;
	const struct ascend_protocol *cost;
	struct rt_feed *feed;
	const struct rt_limits *limits;
	struct ptowsp_error *error;
	ptowsp_status status;
	ptowsp_status failed; /* of the walk: nothing more is pulled, and what was issued ends */

	uint32_t core_count, instances;
	uint32_t parties;        /* these, and the orchestrator behind them, if there is one */
	struct ascend_tree tree; /* instances */
	struct ascend_core cores[ASCEND_CORES];
	struct ascend_aicpu *aicpus;
	uint64_t now;

	/* tasks */
	struct ascend_task *tasks;
	struct ascend_need *needs;
	struct ascend_mark *marks; /* NULL: they are all alike */
	bool hinted;               /* kernels have hints, or several blocks; the two that follow are theirs */
	struct ascend_residence residences[ASCEND_CORES];
	bool spread[ASCEND_CORES];                       /* it shares the blocks of its task */
	uint64_t mates[ASCEND_CORES][ASCEND_CORES / 64]; /* cores, by place, that share the blocks of the task that this one has */
	bool by_number, heaps;                           /* ready tasks: the lowest number first; in heaps, not as they come */
	bool steals;                                     /* an instance without anything to do takes what is ready at another one */
	uint8_t *owners;
	uint64_t mask, owner_mask;
	uint64_t met, issued, ended, left;                               /* all before: were pulled; ...; have ended; have left. issued: how many */
	struct ascend_ring rings[RT_RINGS];                              /* where limits->ring is not 0 */
	struct ascend_need sums, gone;                                   /* of all that were pulled; that have left */
	uint64_t high[PTOWSP_RESOURCE_COUNT], ready_high[RT_POOL_LIMIT]; /* most in use, as rt was told */
	struct ascend_link *links;
	uint32_t link_count, link_room, link_free;

	/* gates */
	struct ascend_gate *gates; /* [0] is none */
	uint32_t gate_count, gate_room, gate_free;
	struct ascend_order orders[PTOWSP_NESTING_LIMIT + 2];
	uint32_t order_depth, scope_depth;
	uint64_t held[PTOWSP_NESTING_LIMIT + 2]; /* workload: first own task of each open scope; UINT64_MAX: none */
	uint64_t hold;                           /* the least of them, which does not leave */
	struct ascend_delayed_gate *delayed;     /* gates that open when all before a number have ended */
	uint32_t delayed_head, delayed_count, delayed_room;
	uint64_t floor_number;
	uint32_t floor; /* gate of the latest barrier or fence; 0: none, or open */

	/* generating */
	struct ascend_head head;
	uint64_t chain;     /* when the next look-up can begin */
	bool started, over; /* tasks may start; everything was pulled */
	uint64_t flushed;   /* the latest batches that ended early are those of tasks before this number */
	bool pipeline;
	struct ascend_slot *slots;
	struct rt_arena heap;
	struct ascend_virtual *virtuals; /* stalls of a window that only counts them */
	uint32_t virtual_head, virtual_count, virtual_room;
	uint64_t *streams; /* latest task of each + 1 */
	uint64_t stream_count;
	uint64_t waiting[RT_POOL_LIMIT]; /* per pool: issued and not started */
	struct ascend_processes *processes;
	uint64_t sleep; /* when the next process goes on that sleeps, before all instances; ASCEND_NEVER: none */
	struct ascend_depth_domain *depths[RT_DEPTH_LIMIT];
	uint32_t depth_domains[RT_DEPTH_LIMIT];

	/* counters */
	uint64_t cross_edges, notifications;
	uint64_t end; /* largest of all tasks that have ended */
	bool no_memory;
	bool traced; /* somebody hears what instances do */
	bool heard;  /* somebody hears of tasks */
};

static inline struct ascend_task *ascend_task_of(const struct ascend_run *run, uint64_t number)
{
	return &run->tasks[number & run->mask];
}
static inline uint64_t ascend_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}
static inline bool ascend_has_ended(const struct ascend_run *run, uint64_t number)
{
	return number < run->ended || ascend_task_of(run, number)->state == ASCEND_ENDED;
}

/* machine_task.c: records, links. False, or no_memory set: out of memory. machine_task.h has the rest. */
bool ascend_tasks_init(struct ascend_run *run);
void ascend_tasks_finish(struct ascend_run *run);
void ascend_link_add(struct ascend_run *run, uint32_t *circle, uint32_t task);
/* All of a circle, those of other instances by notices from `instance`. Returns how many instances are told. */
uint32_t ascend_links_release(struct ascend_run *run, uint32_t *circle, uint32_t instance);
/* Tasks that have ended leave in the order of their numbers, as far as no open scope holds them. */
void ascend_tasks_leave(struct ascend_run *run);

/* machine_gate.c: a gate that waits for one thing so far; 0 when out of memory. */
uint32_t ascend_gate_make(struct ascend_run *run, uint32_t parent);
/* One thing less. Returns how many other instances are told. */
uint32_t ascend_gate_release(struct ascend_run *run, uint32_t gate, uint32_t instance);
void ascend_gate_use(struct ascend_run *run, uint32_t gate, int change);
bool ascend_gates_init(struct ascend_run *run);
void ascend_gates_finish(struct ascend_run *run);
void ascend_order_begin(struct ascend_run *run);
void ascend_order_step(struct ascend_run *run);
void ascend_order_end(struct ascend_run *run);
/* Finds the gates that keep a task from starting besides its predecessors, and those that wait for it. */
void ascend_gates_enter(struct ascend_run *run, struct ascend_task *task, uint32_t number);
/* Tasks that are issued from now on start when all before `number` have ended. */
void ascend_floor_raise(struct ascend_run *run, uint64_t number);
/* All before run->ended have ended, the last of them at the instance. Returns how many others are told. */
uint32_t ascend_delayed_gates_open(struct ascend_run *run, uint32_t instance);

/* machine_aicpu.c */
bool ascend_aicpus_init(struct ascend_run *run);
void ascend_aicpus_finish(struct ascend_run *run);
/* All do what they have to, until nothing is left or the run is over. */
void ascend_aicpus_go(struct ascend_run *run);
/* Something is there for it at `time`. */
static inline void ascend_aicpu_wake(struct ascend_run *run, uint32_t instance, uint64_t time)
{
	const struct ascend_aicpu *aicpu = &run->aicpus[instance];

	if (aicpu->free > run->now || aicpu->stepping)
		return; /* it looks when that is over */
	if (time < run->now)
		time = run->now;
	if (time < run->tree.times[instance])
		ascend_tree_set(&run->tree, instance, time);
}
void ascend_notice_send(struct ascend_run *run, uint32_t instance, uint32_t circle, uint64_t time);

/* machine_slot.c: slot `row` is loaded, or set from others; are all of the list there? Moves `chain` to when they are. */
void ascend_slot_load(struct ascend_run *run, const struct rt_item *item);
void ascend_slot_set(struct ascend_run *run, const struct rt_item *item);
bool ascend_slots_there(struct ascend_run *run, const struct rt_item *item);

/* machine_hint.c, where there are hints: the task is met; for how long its core picks it up; idle cores share its blocks, until it is over. */
void ascend_hint_enter(struct ascend_run *run, const struct rt_item *item);
uint64_t ascend_hint_pickup(struct ascend_run *run, uint16_t core, uint32_t number);
void ascend_hint_spread(struct ascend_run *run, struct ascend_aicpu *aicpu, uint16_t core, uint32_t number);
void ascend_hint_gather(struct ascend_run *run, struct ascend_aicpu *aicpu, uint16_t core);

/* machine_issue.c: pulls up to the next task. */
void ascend_issue_pull(struct ascend_run *run);
/* For tasks of processes: whose it is; its record, edges and place. It then waits for one thing more: being issued. */
uint32_t ascend_owner_choose(const struct ascend_run *run, const struct rt_item *item);
void ascend_task_issue(struct ascend_run *run, const struct rt_item *item);
/* The task is the latest one on its stream: which one was, + 1, 0: none. */
uint64_t ascend_stream_enter(struct ascend_run *run, const struct rt_item *item);
/* Tasks may start. */
void ascend_start(struct ascend_run *run);
/* Nothing will be issued before something ends: all batches are flushed, and tasks may start. */
void ascend_issue_stalled(struct ascend_run *run);
/* A task was issued by its instance. batch_deps: it is emitted only, and runs when its batch is flushed. */
void ascend_batch_add(struct ascend_run *run, struct ascend_aicpu *aicpu, uint32_t task);
/* Something has changed that the head may wait for, or a process. */
void ascend_issue_look_slow(struct ascend_run *run);
static inline void ascend_issue_look(struct ascend_run *run)
{
	if (run->pipeline || run->head.stalled)
		ascend_issue_look_slow(run);
}
bool ascend_issue_init(struct ascend_run *run);
void ascend_issue_finish(struct ascend_run *run);

/* machine_process.c: the processes of a pipeline. */
struct ascend_processes;
bool ascend_processes_init(struct ascend_run *run);
void ascend_processes_finish(struct ascend_run *run);
/* All begin now. */
void ascend_processes_begin(struct ascend_run *run);
/* The task of the process has ended. */
void ascend_process_resume(struct ascend_run *run, uint32_t process, uint64_t time);
/* machine_asking.c: the instance issues a task of one of its processes, if one waits for that. */
bool ascend_process_issue(struct ascend_run *run, struct ascend_aicpu *aicpu, uint64_t *cycles_out);
/* The time of the next one; ASCEND_NEVER: none. */
uint64_t ascend_process_next(const struct ascend_run *run, uint32_t instance);
/* At run->sleep: those that sleep until then go on. */
void ascend_processes_wake(struct ascend_run *run);
/* Something has changed that some may wait for. */
void ascend_processes_look(struct ascend_run *run);
/* machine_item.c */
bool ascend_scope_closed(const struct ascend_run *run, uint32_t scope);
/* A task of it has left. */
void ascend_scope_drop(struct ascend_run *run, uint32_t scope);

/* machine.c: a pull has failed. */
void ascend_pull_failed(struct ascend_run *run, ptowsp_status status);

/* machine_program.c: the rule without events. */
ptowsp_status ascend_program_order(struct ascend_machine *machine, struct rt_feed *feed, struct ptowsp_error *error);

#endif
