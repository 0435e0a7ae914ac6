/* SPDX-License-Identifier: MIT */
/* machine_process.h - processes of a pipeline on the machine. Each has its own time: what it does is one thing after the other, and its next item is looked at as
 * soon as it is known when it happens. Items come in the order of turns, so what a process may wait for (a token, a slot's value, a signal, the end of a task)
 * belongs to an item that was there before: somebody always gets on. A value that is read is the one that was there in the order of turns, whoever is ahead in time.
 * Tasks are issued by the process's instance, process mod N. */
#ifndef ASCEND_MACHINE_PROCESS_H
#define ASCEND_MACHINE_PROCESS_H

#include "ascend/machine/machine_state.h"

/* The time when a slot's value or an event's signal is there. */
struct ascend_value {
	uint64_t time;
	uint32_t uses; /* items that name it, and the slot or event; or the next free one */
	bool known;
};
struct ascend_scope {
	uint32_t tasks; /* that have not left; or the next free one */
	bool open;
};
/* A slot that was set from values which are not there yet: its own is as late as the latest of them. Setting it takes no time. */
struct ascend_setting {
	uint64_t time;
	uint64_t *list; /* owned */
	uint32_t count, value;
};
struct ascend_items {
	struct rt_item *rows; /* ring; lists are owned */
	uint32_t head, tail, mask;
};
enum ascend_standing { ASCEND_GOING, ASCEND_BLOCKED, ASCEND_SLEEPING, ASCEND_ASKING, ASCEND_STALLED, ASCEND_FLYING, ASCEND_OVER };
/* SLEEPING: until `clock`; ASKING: for its task to be issued, at `clock`; STALLED: for want of room; FLYING: until its task has ended. */
struct ascend_process {
	uint64_t clock, since, last; /* last: earliest time of the next issue */
	struct ascend_items items;
	uint32_t next; /* in the list that it is in, + 1 */
	uint32_t owner;
	uint32_t scopes, scope[PTOWSP_NESTING_LIMIT + 1]; /* open, as far as was pulled */
	uint8_t standing, stage;
	bool waited; /* BLOCKED before, so it gets on when that ends and not before */
	bool listed; /* on the way to be looked at */
};
struct ascend_finish {
	uint64_t time;
	bool known;
};
/* One channel in time. Structure has seen that what comes out went in. */
struct ascend_channel {
	uint64_t capacity, latency;
	uint64_t sends, takes; /* whose time is known */
	uint64_t sent, taken;  /* of the latest ones */
	uint64_t *times;       /* of token k at k mod capacity: S until it is taken, then C */
	uint32_t room;
	struct ascend_finish *finishes[2]; /* producers, consumers, in the order of turns */
	uint32_t finish_count[2], finish_room[2];
	uint32_t taker;       /* rendezvous: process that stands at its take, + 1 */
	uint64_t taker_ready; /* before that it takes nothing, whatever is sent */
	uint32_t blocked;     /* list of processes */
};
/* Bytes that come back when the tasks before `tasks` have left; `bound` TASK and ALLOC items were pulled before that was. */
struct ascend_return {
	uint64_t tasks, bytes;
	uint32_t bound;
};
struct ascend_processes {
	struct ascend_process *rows;
	struct ascend_channel *channels;
	uint32_t count, live, channel_count;
	uint32_t *slots, *events;    /* values as of the latest item that was pulled */
	struct ascend_value *values; /* [0] is there since ever */
	uint32_t value_count, value_room, value_free;
	struct ascend_setting *settings;
	uint32_t setting_count, setting_room;
	struct ascend_scope *scopes; /* [0] is none */
	uint32_t scope_count, scope_room, scope_free;
	uint32_t blocked; /* list: for values, and for tasks to end or leave */
	uint32_t *work;   /* ring of those to be looked at */
	uint32_t work_head, work_tail, work_mask;
	uint32_t **asking; /* per instance: heap of processes by clock, and number */
	uint32_t *asking_count;
	struct ascend_return *returns; /* that have not come back */
	uint32_t return_count, return_room, bound;
	uint64_t heap_net;     /* bytes taken, without those that come back some time, as far as was pulled */
	uint32_t taking;       /* SLEEPING before an ALLOC whose time has come */
	uint32_t stalled;      /* how many are STALLED */
	bool running, drained; /* drained: nothing more to pull */
};

/* machine_process.c: to be looked at again. */
void ascend_process_list(struct ascend_run *run, uint32_t process);
/* All of a list. */
void ascend_list_wake(struct ascend_run *run, uint32_t *list);

/* machine_value.c: a value that one item gives and one holder names; 0 with no_memory set. Nobody names it there any more. */
uint32_t ascend_value_make(struct ascend_run *run);
void ascend_value_drop(struct ascend_processes *all, uint32_t value);
/* *time is moved to the latest of a list of values, which nobody reads here any more; false: one is not there yet. */
bool ascend_values_there(struct ascend_processes *all, const uint64_t *list, uint32_t count, uint64_t *time);
/* The value is there since `time`. */
void ascend_value_give(struct ascend_run *run, uint32_t value, uint64_t time);
/* A SET: as soon as what it reads is there. May take the item's list. */
void ascend_value_set(struct ascend_run *run, struct rt_item *item, uint64_t time);

/* machine_item.c: the item at which the process stands, pulled if need be; NULL: none comes. It was taken. */
struct rt_item *ascend_item_first(struct ascend_run *run, uint32_t process);
void ascend_item_drop(struct ascend_process *process);
void ascend_items_finish(struct ascend_items *items);
/* A scope that is over, when its last task has left. */
void ascend_scope_free(struct ascend_processes *all, uint32_t scope);

/* machine_asking.c: the process stands at a task, which may be issued from its clock on. */
void ascend_asking_push(struct ascend_run *run, uint32_t process);
/* One that is STALLED asks again if there is room now. */
void ascend_asking_look(struct ascend_run *run, uint32_t process);

/* machine_channel.c: the item at which the process stands, a SEND, TAKE, CLOSED or FINISH. False: not yet; it is in the channel's list. */
bool ascend_channel_take(struct ascend_run *run, uint32_t process, const struct rt_item *item);
/* An item was pulled: what was finished before it counts for it. */
void ascend_channel_pulled(struct ascend_run *run, struct rt_item *item);
bool ascend_channels_init(struct ascend_run *run);
void ascend_channels_finish(struct ascend_run *run);

#endif
