/* SPDX-License-Identifier: MIT */
/* sim_run.c - what comes next, until nothing does. */
#include "aie/sim/sim_net.h"
#include "base/error.h"

static ptowsp_status net_begin(struct aie_net *net)
{
	if (!aie_queue_init(&net->queue, net->core_count + net->stream_count + 1))
		return base_fail(net->error, PTOWSP_NO_MEMORY, "no memory for the simulation's queue of %u agents", net->core_count + net->stream_count + 1);
	for (uint32_t i = 0; i < net->stream_count; i++)
		aie_stream_begin(net, i);
	for (uint32_t i = 0; i < net->core_count; i++)
		aie_queue_set(&net->queue, i, 0);
	aie_host_begin(net);
	return PTOWSP_OK;
}

/* An agent says itself when it goes on. */
static ptowsp_status event(struct aie_net *net, uint32_t agent)
{
	if (agent < net->core_count)
		return aie_core_run(net, agent);
	if (agent == aie_agent_host(net))
		return aie_host_run(net);
	aie_stream_run(net, agent - net->core_count);
	return PTOWSP_OK;
}

/* The host is through its sequence and so is all that it handed over. */
static bool over(const struct aie_net *net)
{
	return net->host.count && net->host.state == AIE_HOST_ENDED && !net->host.under_way;
}

/* Those who wait for ever have waited until now: figures and timelines say so. */
static void stand(struct aie_net *net)
{
	for (uint32_t i = 0; i < net->core_count; i++)
		aie_core_stands(net, i);
	for (uint32_t i = 0; i < net->stream_count; i++)
		aie_stream_stands(net, i);
	aie_host_stands(net);
}

ptowsp_status aie_net_run(struct aie_net *net, const struct aie_sim_args *args, struct ptowsp_error *error)
{
	ptowsp_status status;

	net->error = error;
	status = net_begin(net);
	while (!status && !over(net) && net->queue.tree[1].time != AIE_NEVER) {
		const uint32_t agent = net->queue.tree[1].agent;

		net->now = net->queue.tree[1].time;
		status = event(net, agent);
		if (!status)
			status = net->failed;
		net->events++;
		if (!status && args->max_events && net->events >= args->max_events)
			status = base_fail(error, PTOWSP_LIMIT, "the simulation is not over after %llu events, in cycle %llu; raise the limit",
					   (unsigned long long)args->max_events, (unsigned long long)net->now);
		if (!status && args->cancel && *args->cancel)
			status = base_fail(error, PTOWSP_CANCELLED, "cancelled in cycle %llu of the simulation", (unsigned long long)net->now);
		if (!status && base_patience_over(args->patience, 1))
			status = PTOWSP_LIMIT;
	}
	if (!status)
		status = aie_semaphores_see(net);
	if (!status && !over(net))
		status = aie_stuck_look(net, error);
	if (status == PTOWSP_DEADLOCK)
		stand(net);
	return status ? status : aie_host_saw(net);
}
