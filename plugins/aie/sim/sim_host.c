/* SPDX-License-Identifier: MIT */
/* sim_host.c - the host hands over tasks, one after the other, and waits for their tokens. */
#include "aie/sim/aie_cost.h"
#include "aie/sim/sim_net.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

static void host_waits(struct aie_net *net, enum aie_host_state state, uint32_t end)
{
	struct aie_host *host = &net->host;

	if (host->state == AIE_HOST_WORKS)
		host->since = net->now;
	host->state = state;
	host->wanted = end;
	aie_queue_set(&net->queue, aie_agent_host(net), AIE_NEVER);
}

static void host_works(struct aie_net *net)
{
	struct aie_host *host = &net->host;

	if (host->state != AIE_HOST_WORKS)
		net->agents[net->host_agent].blocked += net->now - host->since;
	host->state = AIE_HOST_WORKS;
}

void aie_host_stands(struct aie_net *net)
{
	const struct aie_host *host = &net->host;

	if (host->state != AIE_HOST_ROOM && host->state != AIE_HOST_TOKEN)
		return;
	net->agents[net->host_agent].blocked += net->now - host->since;
	aie_net_tell(net, net->host_agent, host->state == AIE_HOST_ROOM ? "waits for room" : "waits for a token", host->since, net->now);
}

/* A token that nobody waited for, from this task on. */
static uint32_t token_from(const struct aie_net *net, uint32_t task)
{
	while (task != AIE_NONE && !net->tasks[task].token)
		task = net->tasks[task].next;
	return task;
}

/* The end that the host waits for where the window is full: the first that works at a task. */
static uint32_t working_end(const struct aie_net *net)
{
	uint32_t i = 0;

	while (i + 1 < net->end_count && !net->ends[i].working)
		i++;
	return i;
}

static bool is_seen(const struct aie_net *net, uint32_t task)
{
	return net->tasks[task].done && net->tasks[task].at <= net->host.seen;
}

/* ---- descriptors of a task. `turn` counts on from 0. */

struct content {
	uint32_t descriptor;
	const uint8_t *base;
	const struct aie_path *path;
};

/* Content of a task's `turn`th descriptor; false: it has no more. A chain may go round. */
static bool content_next(const struct aie_net *net, uint32_t number, uint32_t turn, struct content *content)
{
	const struct aie_task *task = &net->tasks[number];
	uint32_t piece = task->piece;

	if (piece == AIE_NONE) {
		*content = (struct content){task->descriptor, task->base, &task->path};
		return !turn && task->descriptor != AIE_NONE;
	}
	for (uint32_t i = 0; i < turn; i++) {
		piece = net->pieces[piece].next;
		if (piece == AIE_NONE || piece == task->piece)
			return false;
	}
	*content = (struct content){net->pieces[piece].descriptor, net->pieces[piece].base, &net->pieces[piece].path};
	return turn < net->piece_count && content->descriptor != AIE_NONE;
}

/* The task has not this descriptor, or the same in it. */
static bool agrees(const struct aie_net *net, uint32_t number, const struct content *content)
{
	struct content own;

	for (uint32_t turn = 0; content_next(net, number, turn, &own); turn++)
		if (own.descriptor == content->descriptor)
			return own.base == content->base && aie_paths_equal(own.path, content->path);
	return true;
}

static ptowsp_status descriptors_heed(struct aie_net *net, uint32_t number)
{
	const struct aie_task *task = &net->tasks[number];
	struct content content;

	for (uint32_t turn = 0; content_next(net, number, turn, &content); turn++) {
		const uint32_t held = net->written[content.descriptor];

		if (held < number && !is_seen(net, held) && !agrees(net, held, &content))
			return base_fail(
				net->error, PTOWSP_INVALID,
				"line %u: a task of @%s is written into the descriptor of that of line %u, whose end the host has not seen; wait for it "
				"before, or give it another id",
				task->line, net->ends[task->end].fifo, net->tasks[held].line);
	}
	return PTOWSP_OK;
}

/* Rules of every run, however fast the host is: the queue has room for all tasks whose ends the host has not seen, else the device drops one, and no descriptor of such a task is written again,
 * which the channel reads when the task begins. */
static ptowsp_status task_heed(struct aie_net *net, uint32_t number)
{
	const struct aie_task *task = &net->tasks[number];
	struct aie_end *end = &net->ends[task->end];

	for (; end->unseen_count && is_seen(net, end->unseen); end->unseen = net->tasks[end->unseen].next)
		end->unseen_count--;
	if (end->unseen_count == net->channel_queue)
		return base_fail(
			net->error, PTOWSP_INVALID,
			"line %u: a task of @%s comes behind %u whose ends the host has not seen, as many as a channel's queue takes; wait for one before",
			task->line, end->fifo, end->unseen_count);
	end->unseen = end->unseen_count++ ? end->unseen : number;
	return descriptors_heed(net, number);
}

static bool task_give(struct aie_net *net, uint32_t number, ptowsp_status *status_out)
{
	const struct aie_task *task = &net->tasks[number];
	struct aie_end *end = &net->ends[task->end];
	const bool full = end->queued >= net->channel_queue;
	struct content content;

	if ((full && net->polls) || (net->window && net->host.under_way >= net->window)) {
		host_waits(net, AIE_HOST_ROOM, full ? task->end : working_end(net));
		return false;
	}
	if (!net->polls && (*status_out = task_heed(net, number)))
		return false;
	host_works(net);
	for (uint32_t turn = 0; content_next(net, number, turn, &content); turn++)
		net->written[content.descriptor] = number;
	if (end->task_last != AIE_NONE)
		net->tasks[end->task_last].next = number;
	end->task_last = number;
	if (end->task == AIE_NONE)
		end->task = number;
	if (end->token == AIE_NONE && task->token)
		end->token = number;
	end->queued++;
	net->host.under_way++;
	net->agents[net->host_agent].objects++;
	aie_stream_given(net, task->end);
	return true;
}

/* For a wait behind the last token. */
static ptowsp_status tokens_lack(struct aie_net *net, const struct aie_host_step *step)
{
	char line[24] = "";

	if (step->line)
		snprintf(line, sizeof(line), "line %u: ", step->line);
	return base_fail(net->error, PTOWSP_INVALID, "%sthe host waits for a token of @%s, but no task before has one left; give a task issue_token", line,
			 net->ends[step->end].fifo);
}

static bool token_take(struct aie_net *net, const struct aie_host_step *step, ptowsp_status *status_out)
{
	const uint32_t number = step->end;
	struct aie_end *end = &net->ends[number];

	if (end->token == AIE_NONE) {
		*status_out = tokens_lack(net, step);
		return false;
	}
	if (!net->tasks[end->token].done || net->tasks[end->token].at > net->now) {
		host_waits(net, AIE_HOST_TOKEN, number);
		if (net->tasks[end->token].done)
			aie_queue_set(&net->queue, aie_agent_host(net), net->tasks[end->token].at);
		return false;
	}
	host_works(net);
	net->host.seen = net->now;
	end->token = token_from(net, net->tasks[end->token].next);
	return true;
}

/* 4 bytes of a tile's memory, or a lock. */
static bool value_write(struct aie_net *net, const struct aie_host_step *step, ptowsp_status *status_out)
{
	host_works(net);
	if (step->to) {
		memcpy(step->to, &step->value, sizeof(step->value));
		return true;
	}
	net->semaphores[step->semaphore].given_count = 0;
	net->semaphores[step->semaphore].value = 0;
	if (!aie_semaphore_give(net, &(struct aie_net_hold){.semaphore = step->semaphore, .value = step->value}, net->now))
		*status_out = base_fail(net->error, PTOWSP_NO_MEMORY, "no memory for a lock that the host sets");
	return !*status_out;
}

static bool step_do(struct aie_net *net, const struct aie_host_step *step, ptowsp_status *status_out)
{
	if (step->task != AIE_NONE)
		return task_give(net, step->task, status_out);
	return step->end != AIE_NONE ? token_take(net, step, status_out) : value_write(net, step, status_out);
}

/* A task takes the host a while before it is handed over. */
static void step_begin(struct aie_net *net)
{
	struct aie_host *host = &net->host;
	const bool task = host->step < host->count && host->steps[host->step].task != AIE_NONE;
	const uint64_t spent = task ? net->host_cycles : 0;

	host->begun = net->now;
	net->agents[net->host_agent].end = net->now;
	net->agents[net->host_agent].busy += spent;
	aie_queue_set(&net->queue, aie_agent_host(net), net->now + spent);
}

void aie_host_begin(struct aie_net *net)
{
	step_begin(net);
}

/* The first task of an end that writes memory of which the host took no token, nor of one behind it; AIE_NONE. */
static uint32_t unseen_store(const struct aie_net *net, const struct aie_end *end)
{
	if (net->lasts || !end->shim || end->sends || end->task_last == AIE_NONE)
		return AIE_NONE;
	if (end->token != AIE_NONE)
		return end->token;
	return net->tasks[end->task_last].token ? AIE_NONE : end->task_last;
}

/* The user takes the sequence's end for that of the run. */
ptowsp_status aie_host_saw(const struct aie_net *net)
{
	for (uint32_t i = 0; i < net->end_count; i++) {
		const uint32_t unseen = unseen_store(net, &net->ends[i]);

		if (unseen != AIE_NONE)
			return base_fail(
				net->error, PTOWSP_INVALID,
				"line %u: a task of @%s writes memory, and the host's program ends without having seen its end; wait for its token before",
				net->tasks[unseen].line, net->ends[i].fifo);
	}
	return PTOWSP_OK;
}

static void host_end(struct aie_net *net)
{
	net->host.state = AIE_HOST_ENDED;
	aie_queue_set(&net->queue, aie_agent_host(net), AIE_NEVER);
	net->last = net->now > net->last ? net->now : net->last;
}

ptowsp_status aie_host_run(struct aie_net *net)
{
	struct aie_host *host = &net->host;
	ptowsp_status status = PTOWSP_OK;

	if (host->step < host->count) {
		const struct aie_host_step *step = &host->steps[host->step];

		if (host->state == AIE_HOST_WORKS)
			aie_net_tell(net, net->host_agent, "task", host->begun, net->now);
		if (!step_do(net, step, &status))
			return status;
		if (net->stepped)
			status = net->stepped(net->stepped_context, host->step, host->begun, net->now);
		host->step++;
		step_begin(net);
		return status;
	}
	host_end(net);
	return PTOWSP_OK;
}

void aie_host_told(struct aie_net *net, uint32_t number, uint64_t time)
{
	net->tasks[number].done = true;
	net->tasks[number].at = time;
	net->host.under_way--;
	if (net->host.state == AIE_HOST_ROOM || net->host.state == AIE_HOST_TOKEN)
		aie_net_wake(net, aie_agent_host(net), time);
}
