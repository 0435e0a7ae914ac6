/* SPDX-License-Identifier: MIT */
/* say.c - a device's run for people, and as JSON. */
#include "tools/aie/aie.h"

#include "aie/sim/aie_cost.h"

#include <jansson.h>
#include <string.h>

/* A DMA with words for which nobody has room. */
static void sender_print(const struct aie_sim_stats *stats, const struct aie_sim_wait *wait, FILE *to)
{
	fprintf(to, "  %s has %llu words of '%s', of which %llu went, and ", stats->agents[wait->agent].name, (unsigned long long)wait->wanted, wait->fifo,
		(unsigned long long)wait->held);
	if (wait->other == AIE_NONE)
		fputs("no flow leads more of them, or packets of that number, to a DMA\n", to);
	else
		fprintf(to, "waits for %s to take them\n", stats->agents[wait->other].name);
}

static void wait_print(const struct aie_sim_stats *stats, const struct aie_sim_wait *wait, FILE *to)
{
	fprintf(to, "  %s waits for ", stats->agents[wait->agent].name);
	if (!*wait->fifo)
		fprintf(to, "%s", wait->other == AIE_NONE ? "a task that nobody gives" : stats->agents[wait->other].name);
	else
		fprintf(to, "%llu%s of '%s', which has %llu, from %s", (unsigned long long)wait->wanted, wait->words ? " words" : "", wait->fifo,
			(unsigned long long)wait->held, wait->other == AIE_NONE ? "nobody" : stats->agents[wait->other].name);
	if (*wait->fifo && wait->other == AIE_NONE)
		fprintf(to, ": %s", wait->words ? "no DMA sends there" : "who ever releases it has ended");
	fputc('\n', to);
}

static void stuck_print(const struct aie_sim_stats *stats, FILE *to)
{
	for (uint32_t i = 0; i < stats->wait_count; i++)
		(stats->waits[i].sends ? sender_print : wait_print)(stats, &stats->waits[i], to);
	if (!stats->ring_count)
		return;
	fputs("  each for the next:", to);
	for (uint32_t i = 0; i <= stats->ring_count; i++)
		fprintf(to, "%s %s", i ? " ->" : "", stats->agents[stats->ring[i % stats->ring_count]].name);
	fputc('\n', to);
}

static void stats_print(const struct aie_run *run, FILE *to)
{
	const struct aie_array_report *report = &run->report;
	const struct aie_sim_stats *stats = &run->stats;

	fprintf(to, "  %u tiles, %u cores, %u fifos, %u flows, %u packet flows, %u locks, %u buffers, %u descriptors, %u steps of the host\n", report->tiles,
		report->cores, report->fifos, report->flows, report->packet_flows, report->locks, report->buffers, report->descriptors, report->steps);
	fprintf(to, "  %s, not measured: %llu cycles, %.3f us at %llu MHz%s%s, %llu bytes of DDR, %llu events\n", AIE_MODEL, (unsigned long long)stats->cycles,
		(double)stats->cycles / (double)(report->mhz ? report->mhz : 1), (unsigned long long)report->mhz, report->borrowed ? ", by the costs of " : "",
		report->borrowed ? report->borrowed : "", (unsigned long long)stats->ddr_bytes, (unsigned long long)stats->events);
	for (uint32_t i = 0; i < stats->agent_count; i++)
		fprintf(to, "  %-24s busy %llu, blocked %llu, %llu objects\n", stats->agents[i].name, (unsigned long long)stats->agents[i].busy,
			(unsigned long long)stats->agents[i].blocked, (unsigned long long)stats->agents[i].objects);
	for (uint32_t i = 0; i < stats->waited_count; i++)
		fprintf(to, "  %-24s waited for '%s' %llu time%s, %llu cycles\n", stats->agents[stats->waited[i].agent].name, stats->waited[i].lock,
			(unsigned long long)stats->waited[i].times, stats->waited[i].times == 1 ? "" : "s", (unsigned long long)stats->waited[i].cycles);
}

/* Parts of the design left out. */
static void left_print(const struct aie_run *run, FILE *to)
{
	if (run->calls.absent)
		fprintf(to, "  %llu of %llu calls were of kernels that are not there, and touched nothing\n", (unsigned long long)run->calls.absent,
			(unsigned long long)run->calls.all);
	if (run->calls.guessed)
		fprintf(to, "  cycles of %llu of %llu calls are a guess, as if their arguments were read once as vectors; --cycles NAME=CYCLES says better\n",
			(unsigned long long)run->calls.guessed, (unsigned long long)run->calls.all);
	if (run->report.elsewhere)
		fprintf(to, "  %u flows begin or end at no DMA (traces, control, streams of cores) and carry nothing\n", run->report.elsewhere);
	if (run->report.ignored)
		fprintf(to, "  %u writes to registers are not done\n", run->report.ignored);
}

/* "line 12: what" of a file as FILE:12: what. */
static void sentence_print(const char *path, const char *sentence, FILE *to)
{
	unsigned line;
	int length = 0;

	if (sscanf(sentence, "line %u: %n", &line, &length) == 1 && length)
		fprintf(to, ": %s:%u: %s\n", path, line, sentence + length);
	else
		fprintf(to, ": %s\n", sentence);
}

void aie_run_print(const struct aie_run *run, const struct aie_options *options, FILE *to)
{
	fprintf(to, "device %u%s%s: %s", run->number, *run->device->name ? " @" : "", run->device->name,
		aie_array_outcome(run->status, &run->report, &run->stats));
	if (run->status && run->status != PTOWSP_DEADLOCK)
		sentence_print(options->path, run->error.text, to);
	else
		fprintf(to, " in cycle %llu%s\n", (unsigned long long)run->stats.cycles,
			run->status && !run->report.host && !run->stats.ring_count ? "; there is no sequence of the host that would go on" : "");
	if (run->status == PTOWSP_DEADLOCK)
		stuck_print(&run->stats, to);
	if (options->outputs.count && (run->status == PTOWSP_DEADLOCK || run->status == PTOWSP_LIMIT))
		fputs("  nothing is written for --out, which is of a run that ends\n", to);
	left_print(run, to);
	if (options->stats && (!run->status || run->status == PTOWSP_DEADLOCK || run->status == PTOWSP_LIMIT))
		stats_print(run, to);
}

/* ---- JSON ----------------------------------------------------------------------------------------------------------- */

static json_t *agents_json(const struct aie_sim_stats *stats)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < stats->agent_count; i++)
		json_array_append_new(list, json_pack("{s:s,s:I,s:I,s:I,s:I}", "name", stats->agents[i].name, "busy", (json_int_t)stats->agents[i].busy,
						      "blocked", (json_int_t)stats->agents[i].blocked, "end", (json_int_t)stats->agents[i].end, "objects",
						      (json_int_t)stats->agents[i].objects));
	return list;
}

static json_t *waits_json(const struct aie_sim_stats *stats)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < stats->wait_count; i++) {
		const struct aie_sim_wait *wait = &stats->waits[i];

		json_array_append_new(list, json_pack("{s:s,s:s?,s:s,s:I,s:I,s:b}", "who", stats->agents[wait->agent].name, "for",
						      wait->other == AIE_NONE ? NULL : stats->agents[wait->other].name, "what", wait->fifo, "has",
						      (json_int_t)wait->held, "wants", (json_int_t)wait->wanted, "words", wait->words));
	}
	return list;
}

static json_t *waited_json(const struct aie_sim_stats *stats)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < stats->waited_count; i++)
		json_array_append_new(list, json_pack("{s:s,s:s,s:I,s:I}", "who", stats->agents[stats->waited[i].agent].name, "lock", stats->waited[i].lock,
						      "times", (json_int_t)stats->waited[i].times, "cycles", (json_int_t)stats->waited[i].cycles));
	return list;
}

static json_t *ring_json(const struct aie_sim_stats *stats)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < stats->ring_count; i++)
		json_array_append_new(list, json_string(stats->agents[stats->ring[i]].name));
	return list;
}

struct json_t *aie_run_json(const struct aie_run *run)
{
	const struct aie_array_report *report = &run->report;
	const struct aie_sim_stats *stats = &run->stats;

	return json_pack("{s:I,s:s,s:s,s:s,s:I,s:I,s:I,s:I,s:s,s:s?,s:{s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i,s:i},s:{s:i,s:i},s:I,s:I,s:I,s:o,s:o,s:o,s:o}", "device",
			 (json_int_t)run->number, "name", run->device->name, "outcome", aie_array_outcome(run->status, &run->report, &run->stats), "error",
			 run->status ? run->error.text : "", "cycles", (json_int_t)stats->cycles, "events", (json_int_t)stats->events, "ddr_bytes",
			 (json_int_t)stats->ddr_bytes, "mhz", (json_int_t)report->mhz, "model", AIE_MODEL, "costs_of", report->borrowed, "has", "tiles",
			 report->tiles, "cores", report->cores, "fifos", report->fifos, "flows", report->flows, "packet_flows", report->packet_flows, "locks",
			 report->locks, "buffers", report->buffers, "descriptors", report->descriptors, "steps", report->steps, "not_run", "flows",
			 report->elsewhere, "registers", report->ignored, "kernel_calls", (json_int_t)run->calls.all, "absent_kernel_calls",
			 (json_int_t)run->calls.absent, "guessed_kernel_calls", (json_int_t)run->calls.guessed, "agents", agents_json(stats), "waited",
			 waited_json(stats), "waits", waits_json(stats), "ring", ring_json(stats));
}
