/* SPDX-License-Identifier: MIT */
/* owner.h - whose a task is, of n scheduler instances:
 *
 *   round_robin, work_steal, no dispatch   its number mod n
 *   affinity, custom                       the value of the axis or expression mod n, never negative; affinity: 0 outside the loop
 *   hash                                   mix64 of the expression mod n
 *   static_partition                       bounds at or below its number, mod n
 *   spatial_map                            its place in the map mod n
 *   threshold                              what the policy says that serves the value
 *
 * Or, whatever the policy, own are the numbers in given ranges. One thread. */
#ifndef RT_OWNER_H
#define RT_OWNER_H

#include "rt/program/rt_program.h"

/* As one instance looks at it. */
struct rt_owner {
	const struct rt_program *program;
	struct rt_env *env;
	const struct rt_dispatch *dispatch;
	uint32_t me, instances;
	bool numbered;            /* the number of a task decides whose it is */
	uint64_t reciprocal;      /* 2^64 / instances, cut off */
	uint64_t next;            /* own by number: none from the number last asked for on is before it */
	uint64_t until;           /* ranged: end of the own range that next is in */
	bool ranged;              /* own numbers come in ranges: static_partition, or */
	const struct rt_own *own; /*   these, from range_at on; NULL: the policy's */
	uint32_t range_at;
};
void rt_owner_init(struct rt_owner *owner, const struct rt_program *program, struct rt_env *env, uint32_t me, uint32_t instances);
/* Own are these alone; outlive *owner. At its beginning. */
void rt_owner_own(struct rt_owner *owner, const struct rt_own *own);
/* Owner of the task at which a program stands; filters are not seen. */
uint32_t rt_owner_find(const struct rt_owner *owner, const struct rt_site *site, uint64_t task);
/* ranged: moves next and until to the first own range of numbers that ends behind `number`. */
void rt_owner_range(struct rt_owner *owner, uint64_t number);

/* z mod n without a division: the estimate is the quotient or one less. */
static inline uint32_t rt_owner_rest(const struct rt_owner *owner, uint64_t z)
{
	uint64_t n = owner->instances, quotient, rest;

#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;

	quotient = (uint64_t)((wide)z * owner->reciprocal >> 64);
#else
	quotient = z / n;
#endif
	rest = z - quotient * n;
	return (uint32_t)(rest >= n ? rest - n : rest);
}

/* How many tasks from `number` on are not own, where the number decides. Numbers never fall from call to call. */
static inline uint64_t rt_owner_away(struct rt_owner *owner, uint64_t number)
{
	if (owner->ranged) {
		if (number >= owner->until && owner->until != UINT64_MAX)
			rt_owner_range(owner, number);
		return owner->next > number ? owner->next - number : 0;
	}
	if (owner->next < number) {
		uint32_t rest = rt_owner_rest(owner, number);

		owner->next = number + (owner->me >= rest ? owner->me - rest : owner->me + owner->instances - rest);
	}
	return owner->next - number;
}

#endif
