/* SPDX-License-Identifier: MIT */
/* sim_lock.c - objects of a pool, counted from both sides. */
#include "aie/sim/sim_net.h"

uint64_t aie_lock_ready(const struct aie_lock *lock, enum aie_side side, uint64_t count)
{
	const uint64_t last = lock->begun[side] + count - 1; /* object that is wanted last */

	if (side == AIE_GETTER)
		return lock->done[AIE_PUTTER] > last ? lock->times[AIE_PUTTER][aie_lock_slot(lock, last)] : AIE_NEVER;
	if (last < lock->depth)
		return 0;
	return lock->done[AIE_GETTER] > last - lock->depth ? lock->times[AIE_GETTER][aie_lock_slot(lock, last)] : AIE_NEVER;
}

void aie_lock_done(struct aie_net *net, uint32_t number, enum aie_side side, uint64_t seen)
{
	struct aie_lock *lock = &net->locks[number];
	const enum aie_side other = side == AIE_PUTTER ? AIE_GETTER : AIE_PUTTER;

	lock->times[side][aie_lock_slot(lock, lock->done[side]++)] = seen;
	if (!lock->waits[other])
		return;
	if (lock->core[other] != AIE_NONE)
		aie_core_wake(net, lock->core[other]);
	else
		aie_stream_wake(net, lock->end[other]);
}
