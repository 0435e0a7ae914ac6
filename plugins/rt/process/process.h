/* SPDX-License-Identifier: MIT */
/* process.h - the processes of a pipeline: one resumable expander per instance, taking turns in logical order.
 *
 * A turn goes on until the instance has issued one task or cannot proceed: no room or no turn for its token, no token, or a task whose
 * place is held by an open scope. A blocked instance passes. Neither cycles nor threads have a say in this, so the numbers of the tasks, and a
 * deadlock, which is a round in which everybody passes, are the same everywhere. Times are clocks.c's and channel.c's. The thread of rt_run owns it. */
#ifndef RT_PROCESS_H
#define RT_PROCESS_H

#include "rt/process/channel.h"
#include "rt/process/clocks.h"
#include "rt/process/history.h"
#include "rt/run/rt_run.h"

#define RT_INSTANCE_LIMIT 4096u /* all replicas together: each has an expander */

/* Purpose of a look at a pipeline: a run; extents, for which tasks are resolved and nothing else; tokens alone, with tasks that are not even resolved. */
enum rt_look_for { RT_LOOK_RUN, RT_LOOK_EXTENTS, RT_LOOK_TOKENS };
enum rt_standing { RT_GOING, RT_SENDING, RT_CONSUMING, RT_ISSUING, RT_WAITING, RT_ALLOCATING, RT_ENDED }; /* WAITING: for an event; both: expand.sync */

struct rt_instance {
	uint32_t process, replica; /* row of PROC */
	enum rt_standing standing;
	uint32_t channel;             /* SENDING, CONSUMING */
	uint32_t expr;                /* SENDING: the token, which is found when it is sent */
	const struct rt_move *move;   /* SENDING: the region whose elements go with it; NULL: none */
	uint64_t tasks;               /* issued */
	bool given;                   /* CONSUMING: a rendezvous has taken place, and this is the token */
	uint64_t value, block_number; /* of its token; the block is in run->payloads */
	struct rt_block block;        /* ISSUING, ALLOCATING: why it cannot */
	struct rt_need need;          /* ISSUING: the task's */
	struct rt_expand expand;
	int64_t loops[PTOWSP_NESTING_LIMIT]; /* values of its loops while it is not its turn */
};
struct rt_pipeline {
	struct rt_run *run;
	struct rt_instance *instances; /* in the order of their turns */
	struct rt_channel *channels;   /* per CSPC row */
	uint32_t count, channel_count, live;
	uint32_t turn;       /* instance whose expander is in run->expand, or PTOWSP_NONE */
	uint64_t told_began; /* when the engine began them */
	uint64_t *told;      /* per instance: when it ended, of an engine */
	uint64_t began;      /* when: the clock of every instance then */
	uint64_t steps;      /* grows whenever an instance gets on */
	uint64_t steps_most; /* 0: any number; LIMIT beyond */
	enum rt_look_for look;
	struct rt_clocks clocks;
	struct rt_history trails;       /* where payload is moved */
	struct rt_vector_clocks fronts; /* where races are looked for */
};

/* process.c, after the entry's own instructions: all processes until they end. Errors: those of a run; DEADLOCK with the report. */
ptowsp_status rt_pipeline_run(struct rt_run *run);
/* The same in steps, for who pulls: make all instances; a round of turns; why nobody moves. */
ptowsp_status rt_pipeline_begin(struct rt_run *run);
ptowsp_status rt_pipeline_round(struct rt_pipeline *pipeline, bool *moved_out);
ptowsp_status rt_pipeline_stop(struct rt_run *run);
/* Until all have ended or a round passes in which nobody gets on: OK with pipeline->live > 0. */
ptowsp_status rt_pipeline_go(struct rt_pipeline *pipeline);
/* process_task.c: the task at which the instance stands. *done_out: it was issued; else there is no room, and the instance lets others go first. Errors: those of
 * rt_issue. */
ptowsp_status rt_process_task(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out);

/* The slots of `count` reads from `first` on have been read by the instance whose turn it is: its clock is behind what they wait for. Errors: NO_MEMORY. */
ptowsp_status rt_process_read(struct rt_pipeline *pipeline, uint32_t first, uint32_t count);

/* process.c. Errors: NO_MEMORY; what there is then is still destroyed. */
ptowsp_status rt_pipeline_create(struct rt_pipeline **pipeline_out, struct rt_run *run);
/* NULL is nothing. */
void rt_pipeline_destroy(struct rt_pipeline *pipeline);
/* Instances of all processes. */
uint32_t rt_instances(const struct rt_program *program);
/* The instruction that the instance stands at. */
uint32_t rt_instance_instruction(const struct rt_pipeline *pipeline, uint32_t at);
const char *rt_process_name(const struct rt_program *program, uint32_t process);
/* In force: the schedule's word, or its own. */
uint64_t rt_channel_capacity(const struct rt_program *program, uint32_t channel);
const char *rt_channel_name(const struct rt_program *program, uint32_t channel);

/* lookahead.c: at each pause of a look at tokens or extents, which nobody can cancel: UNSUPPORTED, without words, when no end of loops without tasks is in sight; else as rt_look. */
ptowsp_status rt_look_pause(struct rt_run *run);

/* deadlock.c: the report of a round in which nobody gets on. Returns DEADLOCK. */
ptowsp_status rt_pipeline_deadlock(struct rt_pipeline *pipeline);

/* channel.c: a token's way through a channel, as the instance sees it whose turn it is: what stands at a SEND or CONSUME, whether that is possible now, both clocks,
 * and the block of elements that goes with the token of a payload channel. */
/* The instance has come to a SEND. Errors: RUN_FAILED where it has closed the channel. */
ptowsp_status rt_transfer_begin(struct rt_pipeline *pipeline, struct rt_instance *instance);
/* *done_out: it could be sent. Errors: RUN_FAILED for an expression that divides by zero or a region outside its tensor, NO_MEMORY. */
ptowsp_status rt_transfer_send(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out);
/* *done_out: the body of CONSUME runs with a token, or its loop is over. Errors: RUN_FAILED for a region outside its tensor. */
ptowsp_status rt_transfer_consume(struct rt_pipeline *pipeline, struct rt_instance *instance, bool *done_out);
/* Whether the turn of instance `at` could change anything: false where it stands at a SEND or CONSUME that is not possible now. Its turn need not be taken to ask. */
bool rt_transfer_moves(struct rt_pipeline *pipeline, uint32_t at);

/* payload.c: the region of a send or consume. */
/* The move of the SEND or CONSUME at an instruction; NULL: the channel has none. */
const struct rt_move *rt_move_of(const struct rt_program *program, uint32_t instruction);
/* The region that moves. Errors: RUN_FAILED naming process, channel and place: outside its tensor, divides by zero, bound to no memory. */
ptowsp_status rt_move_resolve(struct rt_pipeline *pipeline, const struct rt_instance *instance, const struct rt_move *move, struct rt_access *access_out);
/* The clock of the instance goes to the end of whom the move follows; where kernels run, they are waited for. Errors: of the wait. */
ptowsp_status rt_move_follow(struct rt_pipeline *pipeline, const struct rt_access *access);
/* The task that has just been issued, and ends at the instance's clock, is one that later moves may follow. Errors: NO_MEMORY, of the deadline. */
ptowsp_status rt_move_task(struct rt_pipeline *pipeline, const struct rt_site *site);

#endif
