/* SPDX-License-Identifier: MIT */
/* sim_core.c - cores work, acquire and release. */
#include "aie/sim/aie_cost.h"
#include "aie/sim/sim_net.h"
#include "base/error.h"
#include "registry/common/common_grow.h"

#include <stdlib.h>
#include <string.h>

/* Addresses of the oldest objects that the core has. */
static bool objects_fill(struct aie_machine_core *core, const struct aie_lock *lock)
{
	if (core->ask.count > core->room) {
		if (!COMMON_RESIZE(core->objects, core->ask.count))
			return false;
		core->room = core->ask.count;
	}
	for (uint32_t i = 0; i < core->ask.count; i++)
		core->objects[i] = aie_lock_object(lock, lock->done[core->ask.side] + i);
	return true;
}

/* The next objects of a putter count as unwritten, those of a getter as unread. */
static void objects_clear(const struct aie_net *net, const struct aie_lock *lock, enum aie_side side, uint64_t more)
{
	const uint8_t kept = side == AIE_PUTTER ? 0 : AIE_MARK_WRITTEN;

	for (uint64_t i = 0; net->objects && i < more; i++) {
		uint8_t *marks = aie_lock_object(lock, lock->begun[side] + i) + net->marks;

		for (uint64_t b = 0; b < lock->stride; b++)
			marks[b] &= kept;
	}
}

/* Something was read of each object that comes back, if anything was there. */
static bool objects_read(const struct aie_net *net, const struct aie_lock *lock, uint64_t count)
{
	uint8_t marks = 0;

	for (uint64_t i = 0; net->objects && i < count; i++, marks = 0) {
		const uint8_t *object = aie_lock_object(lock, lock->done[AIE_GETTER] + i) + net->marks;

		for (uint64_t b = 0; b < lock->stride; b++)
			marks |= object[b];
		if (marks == AIE_MARK_WRITTEN)
			return false;
	}
	return true;
}

static void core_works(struct aie_net *net, struct aie_machine_core *core)
{
	net->agents[core->agent].blocked += net->now - core->since;
	core->state = AIE_CORE_WORKS;
	core->since = net->now;
}

static void core_stops(struct aie_net *net, struct aie_machine_core *core, enum aie_core_state state)
{
	aie_net_tell(net, core->agent, "work", core->since, net->now);
	net->agents[core->agent].end = net->now;
	net->last = net->now > net->last ? net->now : net->last;
	core->state = state;
	core->since = net->now;
}

/* false: it waits now, or there is no memory (*status_out). spent_out: cycles. */
static bool acquire(struct aie_net *net, uint32_t number, uint64_t *spent_out, ptowsp_status *status_out)
{
	struct aie_machine_core *core = &net->cores[number];
	const enum aie_side side = core->ask.side;
	struct aie_lock *lock = &net->locks[core->ask.lock];
	const uint64_t held = lock->begun[side] - lock->done[side], more = core->ask.count > held ? core->ask.count - held : 0;
	const uint64_t seen = more ? aie_lock_ready(lock, side, more) : net->now;

	lock->waits[side] = seen == AIE_NEVER;
	if (seen > net->now) {
		if (core->state == AIE_CORE_WORKS)
			core_stops(net, core, AIE_CORE_WAITS);
		aie_queue_set(&net->queue, number, seen);
		return false;
	}
	if (core->state == AIE_CORE_WAITS) {
		if (net->acquired)
			net->acquired(net->acquired_context, number, lock->name, side == AIE_PUTTER, core->since, net->now);
		core_works(net, core);
	}
	objects_clear(net, lock, side, more);
	lock->begun[side] += more;
	*spent_out = more ? AIE_COST_LOCK_CORE : 0;
	*status_out = objects_fill(core, lock) ? PTOWSP_OK
					       : base_fail(net->error, PTOWSP_NO_MEMORY, "no memory for the objects of %s", net->agents[core->agent].name);
	return !*status_out;
}

static ptowsp_status release(struct aie_net *net, const struct aie_machine_core *core)
{
	const enum aie_side side = core->ask.side;
	const struct aie_lock *lock = &net->locks[core->ask.lock];

	if (core->ask.count > lock->begun[side] - lock->done[side])
		return base_fail(net->error, PTOWSP_INVALID, "%s releases %u objects of @%s, of which it has %llu; release no more than was acquired",
				 net->agents[core->agent].name, core->ask.count, lock->name, (unsigned long long)(lock->begun[side] - lock->done[side]));
	if (side == AIE_GETTER && !objects_read(net, lock, core->ask.count))
		return base_fail(net->error, PTOWSP_INVALID, "%s releases an object of @%s and has read nothing of it; let it use what it takes",
				 net->agents[core->agent].name, lock->name);
	for (uint32_t i = 0; i < core->ask.count; i++)
		aie_lock_done(net, core->ask.lock, side, net->now + AIE_COST_LOCK_CORE);
	net->agents[core->agent].objects += core->ask.count;
	return PTOWSP_OK;
}

static bool take(struct aie_net *net, uint32_t number, uint64_t *spent_out)
{
	struct aie_machine_core *core = &net->cores[number];
	uint64_t when;

	if (!aie_semaphore_take(net, &core->ask.hold, number, &when)) {
		if (core->state == AIE_CORE_WORKS)
			core_stops(net, core, AIE_CORE_WAITS);
		aie_queue_set(&net->queue, number, when);
		return false;
	}
	if (core->state == AIE_CORE_WAITS) {
		aie_semaphore_waited(net, core->ask.hold.semaphore, core->agent, core->since);
		core_works(net, core);
	}
	*spent_out = AIE_COST_LOCK_CORE;
	return true;
}

static bool give(struct aie_net *net, const struct aie_machine_core *core, uint64_t *spent_out, ptowsp_status *status_out)
{
	*spent_out = AIE_COST_LOCK_CORE;
	if (!aie_semaphore_give(net, &core->ask.hold, net->now + AIE_COST_LOCK_CORE))
		*status_out = base_fail(net->error, PTOWSP_NO_MEMORY, "no memory for a lock of %s", net->agents[core->agent].name);
	net->agents[core->agent].objects++;
	return !*status_out;
}

/* Does what the core asked for; false: it goes on later, or never. */
static bool ask_do(struct aie_net *net, uint32_t number, uint64_t *spent_out, ptowsp_status *status_out)
{
	struct aie_machine_core *core = &net->cores[number];

	*status_out = PTOWSP_OK;
	*spent_out = 0;
	switch (core->ask.kind) {
	case AIE_ASK_ACQUIRE: return acquire(net, number, spent_out, status_out);
	case AIE_ASK_RELEASE:
		*spent_out = AIE_COST_LOCK_CORE;
		*status_out = release(net, core);
		return !*status_out;
	case AIE_ASK_TAKE: return take(net, number, spent_out);
	case AIE_ASK_GIVE: return give(net, core, spent_out, status_out);
	case AIE_ASK_END:
		core_stops(net, core, AIE_CORE_ENDED);
		aie_queue_set(&net->queue, number, AIE_NEVER);
		return false;
	default: return true;
	}
}

void aie_core_stands(struct aie_net *net, uint32_t number)
{
	const struct aie_machine_core *core = &net->cores[number];

	if (core->state != AIE_CORE_WAITS)
		return;
	if (core->ask.kind == AIE_ASK_TAKE)
		aie_semaphore_waited(net, core->ask.hold.semaphore, core->agent, core->since);
	net->agents[core->agent].blocked += net->now - core->since;
}

ptowsp_status aie_core_run(struct aie_net *net, uint32_t number)
{
	struct aie_machine_core *core = &net->cores[number];
	uint64_t spent;
	ptowsp_status status = PTOWSP_OK;

	do {
		if (!ask_do(net, number, &spent, &status))
			return status;
		status = core->program.next(core->program.context, core->objects, &core->ask, net->error);
		spent += core->ask.cycles;
		net->agents[core->agent].busy += spent;
	} while (!status && !spent && core->ask.kind != AIE_ASK_NOTHING); /* which ends now and then, so that a run can */
	aie_queue_set(&net->queue, number, net->now + spent);
	return status;
}

void aie_core_wake(struct aie_net *net, uint32_t number)
{
	const struct aie_machine_core *core = &net->cores[number];
	struct aie_lock *lock = &net->locks[core->ask.lock];
	const enum aie_side side = core->ask.side;
	const uint64_t held = lock->begun[side] - lock->done[side], seen = aie_lock_ready(lock, side, core->ask.count - held);

	if (seen == AIE_NEVER)
		return;
	lock->waits[side] = false;
	aie_queue_set(&net->queue, number, seen);
}
