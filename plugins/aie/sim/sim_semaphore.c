/* SPDX-License-Identifier: MIT */
/* sim_semaphore.c - locks of the array: taken and given by anybody, seen when what was given has come. */
#include "aie/sim/sim_net.h"
#include "base/error.h"
#include "registry/common/common_grow.h"

#include <string.h>

static void given_add(struct aie_net *net, struct aie_semaphore *semaphore, int64_t value)
{
	const int64_t before = semaphore->value;

	semaphore->value += value;
	if (net->failed || (semaphore->value <= semaphore->most && semaphore->value >= -semaphore->most - 1))
		return;
	net->failed = base_fail(net->error, PTOWSP_KERNEL_FAILED, "lock '%.48s' has %lld and is given %lld more, and counts to %lld; give less, or take before",
				semaphore->name, (long long)before, (long long)value, (long long)semaphore->most);
}

/* Gives that are seen by now count. */
static void given_see(struct aie_net *net, struct aie_semaphore *semaphore, uint64_t now)
{
	uint32_t seen = 0;

	while (seen < semaphore->given_count && semaphore->given[seen].time <= now) {
		if (semaphore->binary) {
			semaphore->value = semaphore->given[seen].value;
			semaphore->held = false;
		} else {
			given_add(net, semaphore, semaphore->given[seen].value);
		}
		seen++;
	}
	if (!seen)
		return;
	semaphore->given_count -= seen;
	memmove(semaphore->given, semaphore->given + seen, semaphore->given_count * sizeof(*semaphore->given));
}

static bool is_there(const struct aie_semaphore *semaphore, const struct aie_net_hold *hold)
{
	if (semaphore->binary)
		return !semaphore->held && semaphore->value == hold->value;
	return hold->equal ? semaphore->value == hold->value : semaphore->value >= hold->value;
}

bool aie_semaphore_take(struct aie_net *net, const struct aie_net_hold *hold, uint32_t waiter, uint64_t *when_out)
{
	struct aie_semaphore *semaphore = &net->semaphores[hold->semaphore];

	given_see(net, semaphore, net->now);
	if (is_there(semaphore, hold)) {
		if (semaphore->binary)
			semaphore->held = true;
		else
			semaphore->value -= hold->value;
		return true;
	}
	*when_out = semaphore->given_count ? semaphore->given[0].time : AIE_NEVER;
	for (uint32_t i = 0; i < semaphore->waiter_count; i++)
		if (semaphore->waiters[i] == waiter)
			return false;
	if (COMMON_GROW(semaphore->waiters, semaphore->waiter_room, semaphore->waiter_count))
		semaphore->waiters[semaphore->waiter_count++] = waiter;
	else
		net->failed = PTOWSP_NO_MEMORY;
	return false;
}

void aie_semaphore_waited(struct aie_net *net, uint32_t number, uint32_t agent, uint64_t since)
{
	struct aie_semaphore *semaphore = &net->semaphores[number];
	uint32_t i = 0;

	while (i < semaphore->wait_count && semaphore->waits[i].agent != agent)
		i++;
	if (i == semaphore->wait_count) {
		if (!COMMON_GROW(semaphore->waits, semaphore->wait_room, semaphore->wait_count))
			return; /* a figure less */
		semaphore->waits[semaphore->wait_count++] = (struct aie_waits){.agent = agent};
	}
	semaphore->waits[i].times++;
	semaphore->waits[i].cycles += net->now - since;
	aie_net_tell(net, agent, semaphore->waiting, since, net->now);
}

bool aie_semaphore_give(struct aie_net *net, const struct aie_net_hold *hold, uint64_t seen)
{
	struct aie_semaphore *semaphore = &net->semaphores[hold->semaphore];
	uint32_t at;

	if (!COMMON_GROW(semaphore->given, semaphore->given_room, semaphore->given_count))
		return false;
	for (at = semaphore->given_count++; at && semaphore->given[at - 1].time > seen; at--)
		semaphore->given[at] = semaphore->given[at - 1];
	semaphore->given[at] = (struct aie_given){seen, hold->value};
	for (uint32_t i = 0; i < semaphore->waiter_count; i++) {
		const uint32_t waiter = semaphore->waiters[i];

		aie_net_wake(net, waiter & AIE_WAITER_END ? aie_agent_stream(net, net->ends[waiter & ~AIE_WAITER_END].stream) : waiter, seen);
	}
	semaphore->waiter_count = 0;
	return true;
}

ptowsp_status aie_semaphores_see(struct aie_net *net)
{
	for (uint32_t i = 0; i < net->semaphore_count; i++)
		given_see(net, &net->semaphores[i], AIE_NEVER);
	return net->failed;
}

int64_t aie_semaphore_sum(const struct aie_semaphore *semaphore)
{
	int64_t sum = semaphore->value;

	for (uint32_t i = 0; i < semaphore->given_count; i++)
		sum = semaphore->binary ? semaphore->given[i].value : sum + semaphore->given[i].value;
	return sum;
}

/* Objects of a pool, counted from both sides. */

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
