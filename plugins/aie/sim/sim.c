/* SPDX-License-Identifier: MIT */
/* sim.c - a design is built as a net, run, and told about. */
#include "aie/sim/sim.h"

#include "aie/sim/aie_cost.h"
#include "aie/sim/sim_build.h"
#include "aie/sim/sim_net.h"
#include "base/error.h"
#include "registry/common/common_machine.h"
#include <stdlib.h>
#include <string.h>

enum { FEW_BYTES = 1 << 24 }; /* for which nobody asks what the machine has */

static ptowsp_status stats_take(const struct aie_net *net, struct aie_sim_stats *stats, struct ptowsp_error *error)
{
	*stats = (struct aie_sim_stats){.cycles = net->last > net->now ? net->last : net->now, .events = net->events, .ddr_bytes = net->ddr_bytes};
	stats->agents = calloc(net->agent_count + 1, sizeof(*stats->agents));
	for (uint32_t i = 0; stats->agents && i < net->agent_count; i++) {
		stats->agents[i] = net->agents[i];
		stats->agents[i].name = strdup(net->agents[i].name);
		if (!stats->agents[i].name)
			break;
		stats->agent_count = i + 1;
		if (stats->agents[i].busy > stats->agents[stats->bottleneck].busy)
			stats->bottleneck = i;
	}
	return stats->agent_count == net->agent_count ? PTOWSP_OK
						      : base_fail(error, PTOWSP_NO_MEMORY, "no memory for the statistics of %u agents", net->agent_count);
}

/* A lock for whose name there is no memory is left out. */
static void waited_take(const struct aie_net *net, struct aie_sim_stats *stats)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < net->semaphore_count; i++)
		count += net->semaphores[i].wait_count;
	stats->waited = calloc(count + 1, sizeof(*stats->waited));
	for (uint32_t i = 0; stats->waited && i < net->semaphore_count; i++)
		for (uint32_t w = 0; w < net->semaphores[i].wait_count; w++) {
			const struct aie_waits *waits = &net->semaphores[i].waits[w];
			const char *lock = strdup(net->semaphores[i].name);

			if (lock)
				stats->waited[stats->waited_count++] = (struct aie_sim_waited){waits->agent, lock, waits->times, waits->cycles};
		}
}

/* Names of fifos are the design's, which may go before the stats do; one for which there is no memory is left out. */
static void waits_own(struct aie_sim_stats *stats)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < stats->wait_count; i++) {
		struct aie_sim_wait wait = stats->waits[i];

		wait.fifo = strdup(wait.fifo);
		if (wait.fifo)
			stats->waits[kept++] = wait;
	}
	stats->wait_count = kept;
}

ptowsp_status aie_sim_stats_take(const struct aie_net *net, ptowsp_status ended, struct aie_sim_stats *stats, struct ptowsp_error *error)
{
	const ptowsp_status taken = stats_take(net, stats, error);

	waited_take(net, stats);
	if (ended == PTOWSP_DEADLOCK && !taken && aie_stuck_list(net, stats))
		waits_own(stats);
	return taken;
}

ptowsp_status aie_sim_run(const struct aie_sim_args *args, struct aie_sim_stats *stats, struct ptowsp_error *error)
{
	struct aie_net net = {0};
	struct aie_build build;
	ptowsp_status status = aie_build_make(&build, args, &net, error), taken;

	if (args->kernels.begin)
		args->kernels.begin(args->kernels.context, args->buffering);
	if (!status)
		status = aie_net_run(&net, args, error);
	taken = aie_sim_stats_take(&net, status, stats, status ? NULL : error);
	aie_build_finish(&build);
	aie_net_finish(&net);
	return status ? status : taken;
}

void aie_sim_finish(struct aie_sim_stats *stats)
{
	for (uint32_t i = 0; i < stats->agent_count; i++)
		free((char *)(uintptr_t)stats->agents[i].name); /* its own copy */
	free(stats->agents);
	for (uint32_t i = 0; i < stats->wait_count; i++)
		free((char *)(uintptr_t)stats->waits[i].fifo);
	free(stats->waits);
	for (uint32_t i = 0; i < stats->waited_count; i++)
		free((char *)(uintptr_t)stats->waited[i].lock);
	free(stats->waited);
	free(stats->ring);
	*stats = (struct aie_sim_stats){0};
}

/* ---- twice -------------------------------------------------------------------------------------------------------- */

/* Copies beside the tensors: a machine that has no memory for all of these swaps, or ends the process. */
static bool fits(uint64_t copies, bool bounded)
{
	return bounded || copies < FEW_BYTES || copies + copies / 2 <= common_machine_memory();
}

static bool room_make(struct aie_sim_copies *copies)
{
	for (uint32_t i = 0; i < copies->count; i++) {
		if (!copies->sizes[i])
			continue;
		copies->before[i] = malloc(copies->sizes[i]);
		copies->after[i] = malloc(copies->sizes[i]);
		if (!copies->before[i] || !copies->after[i])
			return false;
	}
	return true;
}

ptowsp_status aie_sim_copies_make(struct aie_sim_copies *copies, const struct aie_design *design, void *const *arguments, bool bounded,
				  struct ptowsp_error *error)
{
	const uint32_t count = design->argument_count;
	uint64_t bytes = 0;

	*copies = (struct aie_sim_copies){calloc(count + 1, sizeof(void *)), calloc(count + 1, sizeof(void *)), calloc(count + 1, sizeof(uint64_t)), count};
	if (!copies->before || !copies->after || !copies->sizes)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to run a design twice");
	for (uint32_t s = 0; s < design->step_count; s++)
		if (aie_design_writes(design, &design->steps[s]) && arguments[design->steps[s].argument])
			copies->sizes[design->steps[s].argument] = aie_type_bytes(design->arguments[design->steps[s].argument]);
	for (uint32_t i = 0; i < count; i++)
		bytes += 2 * copies->sizes[i];
	if (fits(bytes, bounded) && room_make(copies))
		return PTOWSP_OK;
	if (bytes < FEW_BYTES)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to run a design twice");
	return base_fail(
		error, PTOWSP_TOO_BIG,
		"no memory to run a design twice, for which the tensors that it writes are copied twice: %llu bytes; --opt buffering=0 or 8 runs it once",
		(unsigned long long)bytes);
}

void aie_sim_copies_finish(struct aie_sim_copies *copies)
{
	for (uint32_t i = 0; copies->before && copies->after && i < copies->count; i++) {
		free(copies->before[i]);
		free(copies->after[i]);
	}
	free(copies->before);
	free(copies->after);
	free(copies->sizes);
	*copies = (struct aie_sim_copies){0};
}

/* Bytes of an argument; 0 where tasks are only counted, which have none. */
static uint64_t content_bytes(const struct aie_sim_args *args, const struct aie_sim_copies *copies, uint32_t i)
{
	return args->arguments[i] ? copies->sizes[i] : 0;
}

static bool contents_take(const struct aie_sim_args *args, const struct aie_sim_copies *copies, void *const *to)
{
	bool all = true;

	for (uint32_t i = 0; all && i < copies->count; i++)
		all = base_patience_copy(args->patience, to[i], args->arguments[i], content_bytes(args, copies, i));
	return all;
}

static bool contents_put(const struct aie_sim_args *args, const struct aie_sim_copies *copies, void *const *from)
{
	bool all = true;

	for (uint32_t i = 0; all && i < copies->count; i++)
		all = base_patience_copy(args->patience, args->arguments[i], from[i], content_bytes(args, copies, i));
	return all;
}

static bool contents_differ(const struct aie_sim_args *args, const struct aie_sim_copies *copies)
{
	for (uint32_t i = 0; i < copies->count; i++)
		if (content_bytes(args, copies, i) && memcmp(args->arguments[i], copies->after[i], copies->sizes[i]))
			return true;
	return false;
}

ptowsp_status aie_sim_both(const struct aie_sim_args *with, const struct aie_sim_copies *copies, struct aie_sim_stats stats[2], bool *depends_out,
			   struct ptowsp_error *error)
{
	struct ptowsp_error second = {.head = PTOWSP_HEAD(second, ERROR)};
	struct aie_sim_args args = *with;
	ptowsp_status first_st, second_st;

	*depends_out = false;
	if (!contents_take(&args, copies, copies->before))
		return base_fail(error, PTOWSP_CANCELLED, "ended before it ran");
	args.buffering = AIE_STREAM_WORDS;
	second_st = aie_sim_run(&args, &stats[1], &second);
	if (second_st && second_st != PTOWSP_DEADLOCK) {
		if (error)
			*error = second;
		return second_st;
	}
	if (!contents_take(&args, copies, copies->after) || !contents_put(&args, copies, copies->before))
		return base_fail(error, PTOWSP_CANCELLED, "ended between its two runs");
	args.buffering = 0;
	args.told = NULL;
	args.stepped = NULL;
	first_st = aie_sim_run(&args, &stats[0], error);
	if (first_st != second_st && (first_st == PTOWSP_DEADLOCK || second_st == PTOWSP_DEADLOCK))
		*depends_out = true;
	else if (!first_st && !second_st)
		*depends_out = contents_differ(&args, copies);
	if (!contents_put(&args, copies, copies->after))
		return base_fail(error, PTOWSP_CANCELLED, "ended behind its two runs");
	if (second_st && error)
		*error = second;
	return second_st || first_st == PTOWSP_DEADLOCK ? second_st : first_st;
}
