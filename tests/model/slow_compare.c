/* SPDX-License-Identifier: MIT */
#include "tests/model/slow_compare.h"

#include "ptowsp/package.h"
#include "tests/check.h"
#include "tests/model/slow_machine.h"
#include <stdlib.h>
#include <string.h>

/* ---- the same ----------------------------------------------------------------------------------------------------- */

static bool meter_same(const struct outcome *o, const char *name, const struct slow_meter *want, const char *who)
{
	const struct ptowsp_resource_stats *got = outcome_resource(o, name);

	if (got->capacity && got->high_water > got->capacity && strcmp(name, "task_ring")) { /* whose window may only be counted */
		CHECK_FAIL("%s: %s: high water %ju of %ju", who, name, (uintmax_t)got->high_water, (uintmax_t)got->capacity);
		return false;
	}
	if (got->high_water == want->high_water && got->stall_count == want->stalls && got->stall_cycles == want->cycles)
		return true;
	CHECK_FAIL("%s: %s: high water %ju stalls %ju cycles %ju, not %ju %ju %ju", who, name, (uintmax_t)got->high_water, (uintmax_t)got->stall_count,
		   (uintmax_t)got->stall_cycles, (uintmax_t)want->high_water, (uintmax_t)want->stalls, (uintmax_t)want->cycles);
	return false;
}

static bool number_same(uint64_t got, uint64_t want, const char *what, const char *who)
{
	if (got != want)
		CHECK_FAIL("%s: %s: %ju, not %ju", who, what, (uintmax_t)got, (uintmax_t)want);
	return got == want;
}

static bool tasks_same(const struct outcome *o, const struct slow_machine *want, const char *who)
{
	for (uint32_t i = 0; i < o->task_count; i++) {
		const struct ptowsp_trace_task *got = &o->tasks[i];
		const struct slow_task_times *task = &want->tasks[i];

		if (got->start == task->start && got->end == task->end && got->executor == task->core)
			continue;
		CHECK_FAIL("%s: task %u: %ju..%ju on %u, not %ju..%ju on %u", who, i, (uintmax_t)got->start, (uintmax_t)got->end, got->executor,
			   (uintmax_t)task->start, (uintmax_t)task->end, task->core);
		return false;
	}
	return true;
}

static bool meters_same(const struct outcome *o, const struct slow_machine *want, const char *who)
{
	static const char *const names[] = {"task_ring", "tensor_map", "dep_list", "heap"};
	bool same = true;

	for (int r = 0; r < SLOW_QUEUE; r++)
		same &= meter_same(o, names[r], &want->meters[r], who);
	for (uint32_t p = 0; p < SLOW_POOLS && 4 + p < o->stats.resource_count && !strncmp(o->resources[4 + p].name, "ready", 5); p++)
		same &= meter_same(o, o->resources[4 + p].name, &want->ready[p], who);
	return same;
}

static bool channels_same(const struct outcome *o, const struct slow_machine *want, const char *who)
{
	for (uint32_t c = 0; c < SLOW_CHANNELS && c < o->stats.channel_count; c++) {
		const struct ptowsp_channel_stats *got = &o->channels[c];
		const struct slow_tokens *tokens = &want->channels[c];

		if (got->full_count == tokens->full_count && got->full_cycles == tokens->full_cycles && got->empty_count == tokens->empty_count &&
		    got->empty_cycles == tokens->empty_cycles)
			continue;
		CHECK_FAIL("%s: channel %u: full %ju, %ju cycles, empty %ju, %ju cycles; not %ju, %ju, %ju, %ju", who, c, (uintmax_t)got->full_count,
			   (uintmax_t)got->full_cycles, (uintmax_t)got->empty_count, (uintmax_t)got->empty_cycles, (uintmax_t)tokens->full_count,
			   (uintmax_t)tokens->full_cycles, (uintmax_t)tokens->empty_count, (uintmax_t)tokens->empty_cycles);
		return false;
	}
	return true;
}

/* A window that aborts ends the run at the first task that finds it full. */
static bool full_same(const struct outcome *o, const struct slow_machine *want, const char *who)
{
	bool same = o->status == PTOWSP_RUN_FAILED && o->error.where[0] == (uint64_t)want->full_at;

	if (!same)
		CHECK_FAIL("%s: status %d (%s) at task %ju, not a full window at task %d", who, o->status, o->error.text, (uintmax_t)o->error.where[0],
			   want->full_at);
	return same;
}

static bool all_same(const struct outcome *o, const struct slow_machine *want, const char *who)
{
	if (want->full_at != SLOW_NONE)
		return full_same(o, want, who);
	if (o->status || o->task_count != (uint32_t)want->program->task_count || want->ended != want->program->task_count) {
		CHECK_FAIL("%s: status %d (%s), %u tasks; %d of %d have ended in the model", who, o->status, o->error.text, o->task_count, want->ended,
			   want->program->task_count);
		return false;
	}
	return tasks_same(o, want, who) && number_same(o->stats.total_cycles, want->total, "cycles", who) &&
	       number_same(o->stats.cross_edges, want->crossing, "crossing edges", who) &&
	       number_same(o->stats.notifications, want->notifications, "notices", who) && meters_same(o, want, who) && channels_same(o, want, who);
}

/* ---- one program on one machine ----------------------------------------------------------------------------------- */

static uint32_t kernels_of(struct builder *b)
{
	uint32_t count, kernels = 0;
	const struct ptowsp_section *sections = builder_sections(b, &count);

	for (uint32_t i = 0; i < count; i++)
		if (sections[i].type == PTOWSP_SECTION_KREG)
			kernels = (uint32_t)sections[i].count;
	return kernels;
}

/* What a feed gives of it. *status_out: of the run. */
static bool program_record(struct slow_program *p, struct builder *b, const struct outcome_how *how, ptowsp_status *status_out)
{
	struct rt_engine recorder = slow_program_recorder(p);
	struct outcome_how kept = *how;
	struct outcome *o;

	memset(p, 0, sizeof(*p));
	kept.engine = &recorder;
	o = builder_run(b, &kept);
	*status_out = o->status;
	outcome_destroy(o);
	return slow_program_order(p, kernels_of(b));
}

/* With PTOWSP_SEED: what differs, item by item. */
static void explain(const struct slow_program *p, const struct slow_machine *slow, const struct outcome *o)
{
	static const char *const names[] = {"task",   "scope", "scope end", "order",  "step",     "order end",   "read",   "set",    "load",
					    "signal", "wait",  "barrier",   "fence",  "alloc",    "free",        "notify", "notice", "follow",
					    "send",   "take",  "closed",    "finish", "pipeline", "process end", "end"};

	printf("# window %ju map %ju deps %ju heap %ju ready %ju, streams %ju, issue cost %ju, batch %ju, start %ju\n", (uintmax_t)p->limits.window,
	       (uintmax_t)p->limits.map, (uintmax_t)p->limits.deps, (uintmax_t)p->limits.heap, (uintmax_t)p->limits.ready, (uintmax_t)p->limits.streams,
	       (uintmax_t)p->limits.issue_cost, (uintmax_t)p->limits.batch, (uintmax_t)p->limits.start);
	for (uint32_t c = 0; c < p->limits.channels; c++)
		printf("# channel %u: capacity %ju latency %ju\n", c, (uintmax_t)p->capacities[c], (uintmax_t)p->latencies[c]);
	for (int i = 0; i < p->count; i++) {
		const struct rt_item *item = &p->items[i].rt;

		printf("# %-11s process %d row %u number %ju bytes %ju", names[item->kind], (int)item->process, item->row, (uintmax_t)item->number,
		       (uintmax_t)item->bytes);
		for (uint32_t k = 0; k < item->count; k++)
			printf(" %ju", (uintmax_t)item->list[k]);
		if (item->kind == RT_ITEM_TASK && item->number < o->task_count)
			printf("; owner %u, pool %u, stream %u, %ju cycles, %ju..%ju on %u, %ju..%ju on %u", item->owner, item->pool, item->stream,
			       (uintmax_t)item->cycles, (uintmax_t)o->tasks[item->number].start, (uintmax_t)o->tasks[item->number].end,
			       o->tasks[item->number].executor, (uintmax_t)slow->tasks[item->number].start, (uintmax_t)slow->tasks[item->number].end,
			       slow->tasks[item->number].core);
		printf("\n");
	}
}

enum slow_verdict slow_compare(struct builder *b, struct outcome_how how, struct ascend_machine *machine, bool filtered, const char *who)
{
	struct rt_engine engine = ascend_machine_engine(machine);
	struct slow_program program;
	struct slow_machine slow = {.program = &program, .config = &machine->config, .instances = (int)how.schedulers, .filtered = filtered};
	enum slow_verdict verdict = SLOW_DIFFERS;
	ptowsp_status status;
	struct outcome *o;

	if (!program_record(&program, b, &how, &status))
		CHECK_FAIL("%s: no memory", who);
	else if (status)
		verdict = SLOW_ENDS_EARLY;
	else if (slow_machine_run(&slow)) {
		how.engine = &engine;
		o = builder_run(b, &how);
		verdict = all_same(o, &slow, who) ? SLOW_AGREES : SLOW_DIFFERS;
		if (verdict == SLOW_DIFFERS && getenv("PTOWSP_SEED"))
			explain(&program, &slow, o);
		outcome_destroy(o);
	}
	slow_machine_finish(&slow);
	slow_program_finish(&program);
	return verdict;
}
