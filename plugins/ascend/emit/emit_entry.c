/* SPDX-License-Identifier: MIT */
/* emit_entry.c - an entry as C++: constants of its plan, a function per process over a state of its own, the workload's function. */
#include "ascend/emit/ascend_emit_state.h"

#include "rt/process/process.h"
#include "rt/run/place.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_MOST = 65536, WINDOW_STANDARD = 8192 };

static const char *self(const struct ascend_emitter *e)
{
	return e->workloads.rows[e->p->entry].text;
}

static const char *process_name(const struct ascend_emitter *e, uint32_t process)
{
	return e->workloads.rows[e->p->tables.entry.count + process].text;
}

static const struct ptowsp_process_record *process_of(const struct ascend_emitter *e, uint32_t row)
{
	return &e->p->tables.process.rows[row];
}

static bool has_processes(const struct ascend_emitter *e)
{
	return e->p->tables.entry.rows[e->p->entry].flags & PTOWSP_ENTRY_PIPELINE;
}

/* ---- constants ------------------------------------------------------------------------------------------------------ */

static void levels_put(const struct ascend_emitter *e, struct common_text *out)
{
	if (!e->p->level_set_count)
		return;
	common_text_add(out, "static const BuilderLevels levels[] = {\n");
	for (uint32_t i = 0; i < e->p->level_set_count; i++) {
		const struct rt_level_set *set = &e->p->level_sets[i];

		common_text_add(out, "\t{%" PRIu32 ", %" PRIu32 ",\n\t {", set->max_range, set->min_range);
		for (unsigned k = 0; k < 32; k++)
			common_text_add(out, "%s%" PRIu32, k ? ", " : "", set->rows[k]);
		common_text_add(out, "},\n\t {");
		for (unsigned k = 0; k < 32; k++)
			common_text_add(out, "%s%u", k ? ", " : "", set->level[k]);
		common_text_add(out, "}},\n");
	}
	common_text_add(out, "};\n");
}

static void depths_put(const struct ascend_emitter *e, struct common_text *out)
{
	static const char *const domains[] = {
		[RT_DOMAIN_GLOBAL] = "DEPTH_GLOBAL", [RT_DOMAIN_STREAM] = "DEPTH_STREAM", [RT_DOMAIN_POOL] = "DEPTH_POOL", [RT_DOMAIN_LOOP] = "DEPTH_LOOP"};

	if (!e->p->schedule.depth_count)
		return;
	common_text_add(out, "static const BuilderDepth depths[] = {");
	for (uint32_t i = 0; i < e->p->schedule.depth_count; i++)
		common_text_add(out, "%s{%s, UINT64_C(%" PRIu64 ")}", i ? ", " : "", domains[e->p->schedule.depths[i].domain & 3],
				e->p->schedule.depths[i].depth);
	common_text_add(out, "}; /* pipeline_depth */\n");
}

/* Instances at one end of a channel, in their order; how many. out NULL: counts. */
static uint32_t ends_put(const struct ascend_emitter *e, struct common_text *out, uint32_t channel, unsigned direction, uint32_t before)
{
	uint32_t count = 0, instance = 0;

	for (uint32_t order = 0; order < e->p->tables.process.count; order++) {
		const struct ptowsp_process_record *process = process_of(e, e->turns[order]);
		bool uses = false;

		for (uint32_t i = 0; i < process->channel_count; i++) {
			const struct ptowsp_process_channel_record *use = &e->p->tables.process_channel.rows[process->channels + i];

			uses |= use->channel == channel && use->direction == direction;
		}
		for (uint32_t r = 0; r < process->replicas; r++, instance++) {
			if (uses && out)
				common_text_add(out, "%s%" PRIu32, before + count ? ", " : "", instance);
			count += uses;
		}
	}
	return count;
}

static void channels_put(const struct ascend_emitter *e, struct common_text *out)
{
	struct common_text ends = {0};
	uint32_t at = 0;

	if (!has_processes(e) || !e->p->tables.channel.count)
		return;
	common_text_add(out, "static const BuilderChannel channels[] = {\n");
	for (uint32_t c = 0; c < e->p->tables.channel.count; c++) {
		const uint32_t producers = ends_put(e, &ends, c, PTOWSP_CHANNEL_PRODUCES, at);
		const uint32_t consumers = ends_put(e, &ends, c, PTOWSP_CHANNEL_CONSUMES, at + producers);

		common_text_add(out, "\t{UINT64_C(%" PRIu64 "), %" PRIu64 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 "}, /* %s */\n",
				rt_channel_capacity(e->p, c), e->p->payloads[c].bytes, at, at + producers, producers, consumers, e->channels.rows[c].text);
		at += producers + consumers;
	}
	common_text_add(out, "};\nstatic const uint32_t ends[] = {%s}; /* instances of processes */\n", at ? common_text_view(&ends) : "0");
	out->failed |= ends.failed;
	common_text_finish(&ends);
}

static uint32_t window_of(struct ascend_emitter *e)
{
	const uint64_t window = e->p->schedule.window;

	if (!window)
		return WINDOW_STANDARD;
	if (window > WINDOW_MOST)
		ascend_tell(e, "the task window of %" PRIu64 " is %d in the emitted code: each place is a record in device memory", window, (int)WINDOW_MOST);
	return window > WINDOW_MOST ? WINDOW_MOST : (uint32_t)window;
}

/* pools=by_exec_unit: the pool of each kernel, which the core counts executors through. One of any unit is counted as vector. */
static void queues_put(const struct ascend_emitter *e, struct common_text *out)
{
	const struct rt_tables *t = &e->p->tables;
	struct rt_places places = {0};

	if (e->p->schedule.pools != PTOWSP_POOLS_BY_EXEC_UNIT || (!e->p->schedule.dispatch.policy && !e->p->schedule.streams))
		return;
	rt_places_init(&places, e->p);
	common_text_add(out, "static const uint8_t queues[] = {");
	for (uint32_t k = 0; k < t->kernel.count; k++) {
		const unsigned unit = t->kernel.rows[k].unit;
		const int32_t pool = places.pool_of_unit[unit < 16 ? unit : 0];

		common_text_add(out, "%s%" PRIi32, k ? ", " : "", pool < 0 ? 0 : pool);
	}
	common_text_add(out, "}; /* by kernel */\n\n");
}

static void plan_put(struct ascend_emitter *e, struct common_text *out)
{
	const struct rt_schedule *schedule = &e->p->schedule;
	const bool channels = has_processes(e) && e->p->tables.channel.count;
	const bool stated = schedule->hybrid || schedule->deps == PTOWSP_DEPS_EXPLICIT;

	levels_put(e, out);
	queues_put(e, out);
	depths_put(e, out);
	channels_put(e, out);
	common_text_add(out, "static const BuilderPlan plan = {\n\tkernels, axes, %s, %s, %s, %s,\n", e->p->level_set_count ? "levels" : "nullptr",
			schedule->depth_count ? "depths" : "nullptr", channels ? "channels" : "nullptr", channels ? "ends" : "nullptr");
	common_text_add(out, "\tKERNEL_COUNT, TENSOR_COUNT, SLOT_COUNT, EVENT_COUNT, %s, %" PRIu32 ", %" PRIu32 ",\n", channels ? "CHANNEL_COUNT" : "0",
			schedule->depth_count, has_processes(e) ? rt_instances(e->p) : 0);
	if (e->p->copy_kernel == PTOWSP_NONE)
		common_text_add(out, "\tUINT32_MAX, ");
	else
		common_text_add(out, "\tKERNEL_%s, ", ascend_kernel(e, e->p->copy_kernel));
	common_text_add(out,
			"%" PRIu32 " /* window */, %" PRIu64 " /* batch_deps */, %" PRIu64
			" /* streams */,\n\tDEPS_%s, %s /* stated */, %s /* full */, %s /* loads */\n};\n\n",
			window_of(e), schedule->batch > UINT32_MAX ? UINT32_MAX : schedule->batch, schedule->streams,
			schedule->deps == PTOWSP_DEPS_EXPLICIT           ? "EXPLICIT"
			: schedule->deps == PTOWSP_DEPS_TENSOR_MAP_EXACT ? "EXACT"
									 : "OVERLAP",
			stated ? "true" : "false", schedule->full ? "true" : "false", e->loads ? "true" : "false");
}

/* ---- functions --------------------------------------------------------------------------------------------------------- */

static void function_begin(struct ascend_emitter *e, bool process)
{
	e->process = process;
	e->depth = 1;
	e->resume = 0;
	e->open_count = 0;
	memset(e->slot_used, 0, e->p->tables.slot.count);
	common_names_finish(&e->locals);
	for (uint32_t i = 0; i < e->slots.count; i++) /* which are locals, too */
		common_names_add(&e->locals, e->slots.rows[i].text);
	e->body.length = e->fields.length = 0;
}

/* Symbols as constants, slots that the program changes as what they are. */
static void slots_put(const struct ascend_emitter *e, struct common_text *out)
{
	for (uint32_t i = 0; i < e->p->tables.slot.count; i++)
		if (e->slot_used[i])
			common_text_add(out, e->p->changed[i] ? "\tint64_t &%s = b.slots[SLOT_%s];\n" : "\tconst int64_t %s = b.slots[SLOT_%s];\n",
					e->slots.rows[i].text, e->slots.rows[i].text);
}

static void process_put(struct ascend_emitter *e, uint32_t row, struct common_text *out)
{
	const char *name = process_name(e, row);

	function_begin(e, true);
	ascend_block(e, process_of(e, row)->instruction, e->p->tables.work.code_count);
	common_text_add(
		out,
		"/* Process %s: where it stands, and one turn of it. */\nstruct %s_state {\n\tBuilderPlace place;\n\tint at;\n\tint64_t replica;\n%s};\n\n",
		name, name, e->fields.length ? common_text_view(&e->fields) : "");
	common_text_add(out, "static Turn %s_turn(Builder &b, void *state)\n{\n\t%s_state &s = *(%s_state *)state;\n\tconst int64_t replica = s.replica;\n",
			name, name, name);
	slots_put(e, out);
	common_text_add(out,
			"\n\t(void)replica;\n\tswitch (s.at) {\n\tcase 0:\n%s\t}\n\tb.end_process();\n\treturn b.status ? TURN_FAILED : TURN_ENDED;\n}\n\n",
			e->body.length ? common_text_view(&e->body) : "");
}

/* All instances, in the order of their turns. */
static void processes_run(struct ascend_emitter *e, struct common_text *out)
{
	uint32_t first = 0;

	common_text_add(out, "struct All {\n");
	for (uint32_t order = 0; order < e->p->tables.process.count; order++) {
		const uint32_t row = e->turns[order];

		common_text_add(out, "\t%s_state %s[%" PRIu32 "];\n", process_name(e, row), process_name(e, row), process_of(e, row)->replicas);
	}
	common_text_add(out,
			"\tBuilderProcess list[%" PRIu32 "];\n};\n\nstatic int32_t processes_run(Builder &b)\n{\n"
			"\tAll *all = (All *)calloc(1, sizeof(*all));\n\tint32_t status;\n\n\tif (!all) {\n"
			"\t\tb.fail(BUILDER_MEMORY, \"no memory for processes\");\n\t\treturn b.status;\n\t}\n",
			rt_instances(e->p) ? rt_instances(e->p) : 1);
	for (uint32_t order = 0; order < e->p->tables.process.count; order++) {
		const uint32_t row = e->turns[order], count = process_of(e, row)->replicas;

		common_text_add(out,
				"\tfor (int64_t r = 0; r < %" PRIu32 "; r++) {\n\t\tall->%s[r].replica = r;\n\t\tall->list[%" PRIu32
				" + r] = BuilderProcess{%s_turn, &all->%s[r], &all->%s[r].place};\n\t}\n",
				count, process_name(e, row), first, process_name(e, row), process_name(e, row), process_name(e, row));
		first += count;
	}
	common_text_add(
		out, "\tstatus = b.run_processes(all->list, %" PRIu32 ");\n\tif (!status)\n\t\tstatus = b.complete();\n\tfree(all);\n\treturn status;\n}\n\n",
		first);
}

static void workload_put(struct ascend_emitter *e, struct common_text *out)
{
	function_begin(e, false);
	ascend_block(e, e->p->begin, e->p->tables.work.code_count + 1);
	if (has_processes(e))
		ascend_line(e, "if (!b.status)\n\t\t%s_workload::processes_run(b);", self(e));
	common_text_add(out, "} // namespace %s_workload\n\nstatic int32_t %s_orchestrate(Builder &b)\n{\n", self(e), self(e));
	slots_put(e, out);
	common_text_add(out, "\n%s\treturn b.complete();\n}\n", e->body.length ? common_text_view(&e->body) : "");
}

/* Does a slot_load or a payload stand in it? Then writers are followed whatever deps says. */
static bool loads(const struct rt_program *program)
{
	for (uint32_t t = 0; t < program->tables.tensor.count; t++)
		if (program->traits[t].loaded || program->traits[t].moved)
			return true;
	return false;
}

void ascend_entry(struct ascend_emitter *e, const struct rt_program *program, struct common_text *out)
{
	struct common_text functions = {0};

	e->p = program;
	e->loads = loads(program);
	e->tables.length = 0;
	e->reach_count = 0;
	for (uint32_t i = 0; i < program->tables.process.count; i++)
		if (program->tables.process.rows[i].order < program->tables.process.count)
			e->turns[program->tables.process.rows[i].order] = i;
	for (uint32_t order = 0; has_processes(e) && order < program->tables.process.count; order++)
		process_put(e, e->turns[order], &functions);
	if (has_processes(e))
		processes_run(e, &functions);
	workload_put(e, &functions);
	common_text_add(out, "/* ---- workload %s ", self(e));
	for (size_t i = strlen(self(e)); i < 96; i++)
		common_text_add(out, "-");
	common_text_add(out, " */\n\nnamespace %s_workload {\n%s%s", self(e), e->tables.length ? common_text_view(&e->tables) : "",
			e->tables.length ? "\n" : "");
	plan_put(e, out);
	common_text_add(out, "%s", common_text_view(&functions));
	out->failed |= functions.failed || e->body.failed || e->tables.failed || e->fields.failed;
	common_text_finish(&functions);
}
