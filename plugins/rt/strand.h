/* SPDX-License-Identifier: MIT */
/* strand.h - what a replayed loop did to keys that move with it, as one record and not as cells of the tensor map: key j of a strand is touched by the
 * iterations j + shift of its touches. A strand is written into the map when somebody who looks keys up one by one may come to one of its keys, as if each
 * task had entered it there; most leave the window before. What is true of a key is what the map says, then the strands in their order.
 *
 * Marks say which names may have been written into the map by tasks of the window: elsewhere nobody has to look. One thread. */
#ifndef RT_STRAND_H
#define RT_STRAND_H

#include "rt/track.h"

enum { RT_STRANDS = 128, RT_STRAND_TOUCHES = 12, RT_MARKS = 256 };

struct rt_touch {
	uint32_t place; /* of the task, from the first task of the iteration that the first touch of the key is in */
	uint32_t shift; /* the same in iterations */
	uint8_t access; /* PTOWSP_READ | PTOWSP_WRITE */
};
struct rt_plan;
struct rt_strand {
	uint64_t name, step; /* of key 0, from key to key; wraps */
	uint64_t low, high;  /* names of all keys lie between */
	uint64_t began;      /* number of the first task of iteration 0 */
	uint32_t iterations, count; /* count: tasks of an iteration */
	uint32_t touch_count;
	struct rt_plan *plan; /* of the first task */
	struct rt_touch touches[RT_STRAND_TOUCHES]; /* by place */
};
/* Names from low to high have been entered by tasks up to number `last`. */
struct rt_names {
	uint64_t low, high, last;
};
struct rt_replay {
	struct rt_strand *strands; /* RT_STRANDS; NULL until the first loop that may be replayed: nothing is marked before */
	uint32_t count;
	bool off, always; /* nobody wants it; also where it does not pay */
	bool covered; /* a lane runs that has told of all its uses */
	uint64_t tasks; /* that were issued without looking up any key */
	struct rt_names marks[RT_MARKS];
};
/* From how many iterations and tasks of a round on replay pays, and how much blame keeps a loop from it (plan.h). Tests and benchmarks set their own, between runs; no
 * run that begins with RT_REPLAY_NEVER iterations replays anything. */
#define RT_REPLAY_NEVER UINT32_MAX
struct rt_replay_rules {
	uint32_t least_iterations, least_tasks, blame;
	uint32_t room; /* tasks that are issued before somebody looks at deadline and cancel, at least */
};
extern struct rt_replay_rules rt_replay_rules;
struct rt_run;
/* The first time: from now on what is entered is marked. False when out of memory. */
bool rt_replay_arm(struct rt_run *run);
void rt_replay_finish(struct rt_replay *replay);
/* Names from low to high are about to be looked up and entered by tasks up to number `last`: strands that may have one of them are written into the map.
 * access: as of a use. */
void rt_replay_meet(struct rt_run *run, uint64_t low, uint64_t high, uint64_t last, unsigned access);
/* The same for a use of the task being issued; for all uses of it, which lie `steps` behind. */
struct rt_use;
void rt_replay_meet_use(struct rt_run *run, const struct rt_use *use, uint64_t name);
void rt_replay_meet_plan(struct rt_run *run, const struct rt_plan *plan, uint64_t steps);
/* All uses of a lane, for the rest of its round; unless that has been told. */
struct rt_round;
void rt_replay_cover(struct rt_run *run, struct rt_plan *const *plans, uint32_t count, const struct rt_round *round);
/* Writes all strands into the map. */
void rt_replay_settle(struct rt_run *run);
/* Writes the strand at that place, and older ones of the same keys. */
void rt_replay_settle_one(struct rt_run *run, uint32_t at);
/* Forgets strands whose tasks have left the window. */
void rt_replay_prune(struct rt_run *run);
/* A strand whose tasks have all been issued; it has iterations. */
void rt_replay_add(struct rt_run *run, const struct rt_strand *strand);
/* Where a name of the same class may be in the map: false: nowhere. */
bool rt_replay_marked(const struct rt_run *run, uint64_t name, uint64_t *low_out, uint64_t *high_out);

static inline uint32_t rt_strand_shift(const struct rt_strand *strand)
{
	return strand->touches[strand->touch_count - 1].shift;
}

#endif
