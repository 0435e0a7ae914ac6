/* SPDX-License-Identifier: MIT */
#include "aie/aie_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie/design/design_read.h"
#include "aie/design/near.h"
#include "aie/engine/core_program.h"
#include "aie/sim/aie_cost.h"
#include "aie/sim/sim_net.h"
#include "base/error.h"
#include "registry/common/common_grow.h"

/* ---- rows --------------------------------------------------------------------------------------------------------------- */

static ptowsp_status add(struct aie_report *report, const char *group, uint64_t value, uint64_t limit, const char *unit, struct ptowsp_error *error,
			 const char *format, ...) __attribute__((format(printf, 7, 8)));

/* A text longer than its field is cut. */
static ptowsp_status add(struct aie_report *report, const char *group, uint64_t value, uint64_t limit, const char *unit, struct ptowsp_error *error,
			 const char *format, ...)
{
	struct ptowsp_figure *row;
	va_list args;

	if (!COMMON_GROW(report->rows, report->room, report->count))
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the figures of a run");
	row = &report->rows[report->count++];
	*row = (struct ptowsp_figure){.value = value, .limit = limit};
	base_text(row->group, sizeof(row->group), "%s", group);
	base_text(row->unit, sizeof(row->unit), "%s", unit);
	va_start(args, format);
	vsnprintf(row->name, sizeof(row->name), format, args);
	va_end(args);
	return PTOWSP_OK;
}

static void programs_finish(struct aie_report *report)
{
	for (uint32_t p = 0; p < report->program_count; p++)
		aie_program_proxy_destroy(report->programs[p].proxy);
	report->program_count = 0;
}

void aie_report_finish(struct aie_report *report)
{
	programs_finish(report);
	free(report->programs);
	free(report->rows);
	*report = (struct aie_report){0};
}

/* ---- what a design takes ------------------------------------------------------------------------------------------------ */

static ptowsp_status routes_add(struct aie_report *report, const struct aie_picture *picture, struct ptowsp_error *error)
{
	const struct aie_routes *routes = picture->routes;
	const uint32_t narrowest = aie_picture_narrowest(picture);
	ptowsp_status status = add(report, "routes", routes->count, 0, "streams", error, "streams through switches");

	if (!status)
		status = add(report, "routes", routes->length, 0, "wires", error, "total path length");
	if (!status && routes->hottest.limit)
		status = add(report, "routes", routes->hottest.used, routes->hottest.limit, "wires", error, "hottest link: (%d,%d) to the %s",
			     routes->hottest.column, routes->hottest.row, aie_arch_bundle_text(routes->hottest.side));
	if (!status && narrowest != PTOWSP_NONE)
		status = add(report, "routes", aie_picture_bandwidth(picture, narrowest), 0, "bytes/s", error, "narrowest route: %.70s",
			     picture->streams[narrowest].name);
	return status;
}

static ptowsp_status tile_add(struct aie_report *report, const struct aie_design *design, const struct aie_channels *channels,
			      const struct aie_picture_tile *tile, uint32_t number, struct ptowsp_error *error)
{
	static const enum aie_limit limits[] = {AIE_MEMORY, AIE_DMA_IN, AIE_DMA_OUT, AIE_BDS, AIE_LOCKS};
	const bool core = design->tiles[number].kind == AIE_CORE,
		   shim = design->tiles[number].kind == AIE_SHIM; /* its host has the memory, and brings descriptors */
	char memory[100] = "memory: ";
	ptowsp_status status = PTOWSP_OK;

	aie_channels_memory(channels, number, memory + strlen(memory), sizeof(memory) - strlen(memory));
	for (size_t i = shim; !status && i < (shim ? 3 : sizeof(limits) / sizeof(*limits)); i++)
		status = add(report, aie_design_tile_text(design, number), tile->used[limits[i]], aie_arch_tile(design->arch, tile->row)->limits[limits[i]],
			     limits[i] == AIE_MEMORY ? "bytes" : "", error, "%s",
			     limits[i] != AIE_MEMORY ? aie_arch_limit_text(limits[i])
			     : core                  ? memory
						     : "memory");
	return status;
}

/* Row by row from the shims up, and in a row by columns: a picture has tiles in the order in which something was placed on them. */
static ptowsp_status tiles_add(struct aie_report *report, const struct aie_design *design, const struct aie_channels *channels,
			       const struct aie_picture *picture, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (int32_t row = 0; !status && row < (int32_t)design->arch->rows; row++)
		for (int32_t column = 0; !status && column < (int32_t)design->arch->columns; column++)
			for (uint32_t i = 0; !status && i < picture->tile_count; i++)
				if (picture->tiles[i].row == row && picture->tiles[i].column == column)
					status = tile_add(report, design, channels, &picture->tiles[i], i, error);
	return status;
}

/* A line per core that was compiled; one for all others says that they are not measured. */
static ptowsp_status programs_add(struct aie_report *report, const struct aie_design *design, const uint64_t *programs, struct ptowsp_error *error)
{
	const uint64_t limit = aie_arch_tile(design->arch, AIE_FIRST_CORE)->limits[AIE_PROGRAM];
	uint32_t unknown = 0;
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t c = 0; !status && c < design->core_count; c++) {
		bool measured = programs && programs[c] != AIE_UNMEASURED;

		unknown += !measured;
		if (measured)
			status = add(report, aie_design_tile_text(design, design->cores[c].tile), programs[c], limit, "bytes", error, "program memory");
	}
	return status || !unknown
		       ? status
		       : add(report, "not measured", unknown, 0, "cores", error, "program memory, of which each has %llu bytes", (unsigned long long)limit);
}

/* Core tiles that have no core. */
static uint32_t tiles_beside(const struct aie_design *design)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < design->tile_count; i++)
		count += design->tiles[i].kind == AIE_CORE && aie_design_core(design, i) == AIE_NONE;
	return count;
}

ptowsp_status aie_report_design(struct aie_report *report, const struct aie_design *design, const struct aie_channels *channels,
				const struct aie_picture *picture, const uint64_t *programs, struct ptowsp_error *error)
{
	const uint32_t cores = design->arch->columns * (design->arch->rows - AIE_FIRST_CORE), beside = tiles_beside(design);
	ptowsp_status status = add(report, "design", design->core_count, cores, "cores", error, "cores of %s in use", design->arch->name);

	if (!status && beside)
		status = add(report, "design", beside, cores - design->core_count, "tiles", error, "without a core, whose memory cores beside them use");

	if (!status)
		status = add(report, "design", design->tile_count, (uint64_t)design->arch->columns * design->arch->rows, "tiles", error, "tiles in use");
	if (!status && picture->grid[0])
		status = add(report, "design", picture->grid[0], 0, "rows", error, "rows of the schedule's grid");
	if (!status && picture->grid[0])
		status = add(report, "design", picture->grid[1], 0, "columns", error, "columns of the schedule's grid");
	if (!status)
		status = routes_add(report, picture, error);
	if (!status)
		status = tiles_add(report, design, channels, picture, error);
	return status ? status : programs_add(report, design, programs, error);
}

ptowsp_status aie_report_program(struct aie_report *report, struct aie_program_proxy *proxy, uint64_t limit, struct ptowsp_error *error)
{
	ptowsp_status status = COMMON_GROW(report->programs, report->program_room, report->program_count)
				       ? PTOWSP_OK
				       : base_fail(error, PTOWSP_NO_MEMORY, "no memory for the figures of a run");

	if (!status)
		report->programs[report->program_count] = (struct aie_report_program){report->count, limit, NULL};
	for (uint32_t c = 0; !status && c < aie_program_proxy_cores(proxy); c++)
		status = add(report, "program memory, by a stand-in", 0, 0, "bytes measured", error, "not measured: %s",
			     !aie_program_proxy_whole(proxy) ? "a core calls what has no C" : "what PTOWSP_CLANG names is no clang with target riscv32");
	if (status)
		aie_program_proxy_destroy(proxy);
	else
		report->programs[report->program_count++].proxy = proxy;
	return status;
}

void aie_report_look(struct aie_report *report)
{
	for (uint32_t p = 0; p < report->program_count; p++) {
		const struct aie_report_program *program = &report->programs[p];
		const uint32_t cores = aie_program_proxy_cores(program->proxy);
		struct aie_program_size *sizes = calloc((size_t)cores + 1, sizeof(*sizes));
		const bool measured = sizes && aie_program_proxy_measure(program->proxy, sizes);

		for (uint32_t c = 0; measured && c < cores; c++) {
			struct ptowsp_figure *row = &report->rows[program->row + c];

			row->value = sizes[c].bytes;
			row->limit = program->limit;
			base_text(row->unit, sizeof(row->unit), "bytes");
			base_text(row->name, sizeof(row->name), "%s: clang, rv32im, -Os, not linked; largest frame %llu of %llu of stack", sizes[c].tile,
				  (unsigned long long)sizes[c].frame, (unsigned long long)sizes[c].stack);
		}
		free(sizes);
	}
	programs_finish(report);
}

/* ---- how busy it was ---------------------------------------------------------------------------------------------------- */

/* The kernel that a core runs most, where it runs several kernels with its share of the core's time; "": no core, or one that called nothing. */
static void stage_of(const struct aie_report_stages *stages, const struct aie_sim_agent *agent, char *text, size_t size)
{
	base_text(text, size, "%s", "");
	for (uint32_t c = 0; c < stages->design->core_count; c++) {
		const struct aie_report_stage *stage = &stages->rows[c];
		const struct aie_tile *tile = &stages->design->tiles[stages->design->cores[c].tile];
		char name[32];

		base_text(name, sizeof(name), "core (%d,%d)", tile->column, tile->row);
		if (!stage->kernel || strcmp(agent->name, name) != 0)
			continue;
		if (stage->others && agent->busy)
			base_text(text, size, ": %.40s, %llu %% of it", stage->kernel, (unsigned long long)(stage->cycles * 100 / agent->busy));
		else
			base_text(text, size, ": %.40s", stage->kernel);
	}
}

/* The agent of stats that was busy longest among cores; AIE_NONE without one. */
static uint32_t busiest_core(const struct aie_sim_stats *stats)
{
	uint32_t best = AIE_NONE;

	for (uint32_t i = 0; i < stats->agent_count; i++)
		if (!strncmp(stats->agents[i].name, "core ", 5) && (best == AIE_NONE || stats->agents[i].busy > stats->agents[best].busy))
			best = i;
	return best;
}

static ptowsp_status agent_add(struct aie_report *report, const struct aie_report_stages *stages, const struct aie_sim_stats *stats, uint32_t agent,
			       const char *title, struct ptowsp_error *error)
{
	const struct aie_sim_agent *row = &stats->agents[agent];
	char stage[80];

	stage_of(stages, row, stage, sizeof(stage));
	return add(report, AIE_MODEL ", not measured", row->busy, stats->cycles, "cycles busy", error, "%s%s%s", title, row->name, stage);
}

ptowsp_status aie_report_run(struct aie_report *report, const struct aie_report_stages *stages, const struct aie_sim_stats *stats, uint64_t last,
			     struct ptowsp_error *error)
{
	static const char title[] = AIE_MODEL ", not measured";
	ptowsp_status status = add(report, title, stats->cycles, 0, "cycles", error,
				   "until all was over, stores behind the last task too, at %llu MHz, without %d us of a launch",
				   (unsigned long long)(stages->design->arch->clock_hz / 1000000), AIE_COST_LAUNCH);

	if (!status)
		status = add(report, title, last, 0, "cycles", error, "until the last task was over, the cycles of the run's first line");
	if (!status)
		status = add(report, title, stats->ddr_bytes, stats->cycles * stages->design->arch->ddr_bytes, "bytes", error, "from and to DDR");
	if (!status)
		status = add(report, title, stats->events, 0, "events", error, "of the simulation");
	if (!status && stats->agent_count)
		status = agent_add(report, stages, stats, stats->bottleneck, "bottleneck: ", error);
	if (!status && busiest_core(stats) != AIE_NONE)
		status = agent_add(report, stages, stats, busiest_core(stats), "bottleneck among cores: ", error);
	for (uint32_t i = 0; !status && i < stats->agent_count; i++)
		status = agent_add(report, stages, stats, i, "", error);
	return status;
}

ptowsp_status aie_report_calls(struct aie_report *report, const char *kernel, const struct aie_calls *calls, struct ptowsp_error *error)
{
	static const char title[] = "kernels, not measured";
	ptowsp_status status = PTOWSP_OK;

	if (calls->count && calls->object)
		return add(report, title, calls->work.published, 0, "cycles", error, "%.40s: %llu calls of your object, %s", kernel,
			   (unsigned long long)calls->count, calls->stated ? "as its image says" : "as if it was one that was published");
	if (calls->count)
		status = add(report, title, calls->work.emitted, 0, "cycles", error, "%.40s: %llu calls of the emitted C", kernel,
			     (unsigned long long)calls->count);
	if (!status && calls->count)
		status = add(report, title, calls->work.published, 0, "cycles", error, "%.40s: by kernels that were published", kernel);
	return status;
}

ptowsp_status aie_report_fits(struct aie_report *report, const char *kernel, const struct aie_fits *fits, uint64_t limit, struct ptowsp_error *error)
{
	const uint64_t bytes = aie_fits_sum(fits);

	return add(report, "memory of a core, a call", bytes, bytes > limit ? (1 + AIE_NEAR_TILES) * limit : limit, "bytes", error,
		   "%.40s: tiles %llu of %llu, arguments %llu, stack %llu", kernel, (unsigned long long)fits->tiles, (unsigned long long)fits->declared,
		   (unsigned long long)fits->arguments, (unsigned long long)fits->stack);
}

ptowsp_status aie_report_divided(struct aie_report *report, const char *kernel, const struct aie_divided_row *row, struct ptowsp_error *error)
{
	if (row->beside)
		return add(report, "calls that are not divided", row->calls, 0, "calls", error, "%.40s: with memories beside its core", kernel);
	return add(report, "divided calls", row->calls * row->division.part_count, 0, "parts", error, "%.40s: each call is %.60s", kernel, row->division.text);
}

/* Figures of one device that stand for those of another generation. */
static ptowsp_status borrowed_add(struct aie_report *report, const struct aie_arch *arch, struct ptowsp_error *error)
{
	uint32_t count, borrowed = 0;
	const struct aie_cost *costs = aie_cost_list(&count);

	for (uint32_t i = 0; i < count; i++)
		borrowed += strstr(costs[i].source, "Phoenix") != NULL;
	return arch->generation == aie_arch_named("npu1")->generation
		       ? PTOWSP_OK
		       : add(report, AIE_MODEL ", its costs", borrowed, 0, "constants", error,
			     "of a Phoenix (npu1), which stand for those of %s: nobody has published its own", arch->name);
}

ptowsp_status aie_report_costs(struct aie_report *report, const struct aie_arch *arch, struct ptowsp_error *error)
{
	uint32_t count;
	const struct aie_cost *costs = aie_cost_list(&count);
	ptowsp_status status = borrowed_add(report, arch, error);

	for (uint32_t i = 0; !status && i < count; i++)
		status = add(report, AIE_MODEL ", its costs", costs[i].value, 0, costs[i].unit, error, "%s, %s: %s", costs[i].name,
			     aie_cost_sort_text(costs[i].sort), costs[i].source);
	return status;
}

ptowsp_status aie_report_buffering(struct aie_report *report, const struct aie_sim_stats stats[2], bool depends, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (int i = 0; !status && i < 2; i++)
		status = add(report, "stream buffering", stats[i].cycles, 0, stats[i].wait_count ? "cycles to deadlock" : "cycles", error,
			     "with %d words in each stream", i ? AIE_STREAM_WORDS : 0);
	return status ? status : add(report, "stream buffering", depends, 0, depends ? "yes" : "no", error, "the design depends on it");
}

/* ---- phases ------------------------------------------------------------------------------------------------------------- */

static const char phases[] = "phases";

ptowsp_status aie_report_phase(struct aie_report *report, uint32_t from, uint32_t phase, uint64_t tasks, const char *why, struct ptowsp_error *error)
{
	for (uint32_t r = from; r < report->count; r++) {
		char group[sizeof(report->rows[r].group)];

		base_text(group, sizeof(group), "%u: %.27s", phase, report->rows[r].group);
		memcpy(report->rows[r].group, group, sizeof(group));
	}
	return add(report, phases, tasks, 0, "tasks", error, "%u: %.90s", phase, why);
}

/* Rows of phases stand together, behind those of their designs. */
static ptowsp_status phases_gather(struct aie_report *report, struct ptowsp_error *error)
{
	struct ptowsp_figure *rows = malloc(((size_t)report->room + 1) * sizeof(*rows));
	uint32_t count = 0;

	if (!rows)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the figures of a run");
	for (int behind = 0; behind < 2; behind++)
		for (uint32_t r = 0; r < report->count; r++) {
			if ((strcmp(report->rows[r].group, phases) == 0) != (behind == 1))
				continue;
			for (uint32_t p = 0; !behind && p < report->program_count; p++)
				if (report->programs[p].row == r)
					report->programs[p].row = count; /* below r, so that no later row is taken for it */
			rows[count++] = report->rows[r];
		}
	free(report->rows);
	report->rows = rows;
	return PTOWSP_OK;
}

ptowsp_status aie_report_phases(struct aie_report *report, uint32_t count, uint64_t cycles, struct ptowsp_error *error)
{
	ptowsp_status status = add(report, phases, count, 0, "designs", error, "one after the other");

	if (!status)
		status = add(report, phases, cycles, 0, "cycles", error,
			     "until all was over, of all of them, without what lies between; the run's first line ends with the last task");
	return status ? status : phases_gather(report, error);
}

/* ---- a deadlock --------------------------------------------------------------------------------------------------------- */

static void wait_add(const struct aie_sim_stats *stats, const struct aie_sim_wait *wait, char *text, size_t size)
{
	const char *other = wait->other == AIE_NONE ? "nobody" : stats->agents[wait->other].name;

	if (*wait->fifo)
		base_text(text, size, "; %s waits for %s: it wants %llu%s of @%s and has %llu", stats->agents[wait->agent].name, other,
			  (unsigned long long)wait->wanted, wait->words ? " words" : "", wait->fifo, (unsigned long long)wait->held);
	else
		base_text(text, size, "; %s waits for %s", stats->agents[wait->agent].name, other);
}

static void ring_add(const struct aie_sim_stats *stats, char *text, size_t size)
{
	for (uint32_t i = 0; i < stats->ring_count; i++) {
		const size_t length = strlen(text);

		base_text(text + length, size - length, "%s%s", i ? " > " : "; the ring: ", stats->agents[stats->ring[i]].name);
	}
}

void aie_report_stuck(const struct aie_sim_stats *stats, const char *sentence, struct ptowsp_deadlock *deadlock_out)
{
	struct ptowsp_deadlock report = {.head = PTOWSP_HEAD(report, DEADLOCK), .channel = PTOWSP_NONE, .kind = PTOWSP_DEADLOCK_CHANNEL_CYCLE};
	const size_t before = strcspn(sentence, ":");

	base_text(report.text, sizeof(report.text), "%.*s on the array, %s, not measured", (int)before, sentence, AIE_MODEL);
	ring_add(stats, report.text, sizeof(report.text));
	for (uint32_t i = 0; i < stats->wait_count; i++) {
		const size_t length = strlen(report.text);

		wait_add(stats, &stats->waits[i], report.text + length, sizeof(report.text) - length);
	}
	base_result_copy(&deadlock_out->head, &report.head);
}
