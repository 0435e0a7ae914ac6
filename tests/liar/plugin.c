/* SPDX-License-Identifier: MIT */
/* plugin.c - the liar: cpu_sim with one claim broken at a time, chosen by its option `lie`, a feature id (or "claims": every row says
 * enforced; "native": no lie, but portable kernels are said to be unsupported, with "+" native ones with a workspace, too; "tensors": no lie, but
 * every access is one to the whole tensor; an id with "+": the directive's numbers are one larger, the capacity of payload channels is what the package says). It declares what cpu_sim declares and then does not do it: a directive is dropped from the schedule or replaced by a rival,
 * an instruction by another one, a service withheld.
 *
 * Built with LIAR_SIM it is a2a3sim instead: what a lie changes must be seen on the machine, too.
 *
 * Its option `platform` (A2, A3, A5) gives the second device, cpu1, the rows of graph instructions of that platform. */
#include "ptowsp/note.h"
#include "ptowsp/ptowsp.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/program.h"
#include "base/queue.h"
#include "ptowsp/graph.h"
#include "ptowsp/package.h"
#include "ptowsp/workload.h"
#include "rt/rt_platform.h"
#ifdef LIAR_SIM
#include "a2a3sim/a2a3sim_backend.h"
#define base_of a2a3sim_ops
#define NAME    "liar_sim"
#else
#include "cpu_sim/cpu_sim_backend.h"
#define base_of cpu_ops
#define NAME    "liar"
#endif

PTOWSP_NOTE(0, NAME, "tests", "1.0", NAME);

enum { CLAIMS = 0xFFFF, NATIVE = 0xFFFE, TENSORS = 0xFFFD, OPTIONS = 16, VALUES = 16 };
#define POLICY(directive, policy) PTOWSP_FEATURE_POLICY(PTOWSP_DIRECTIVE_##directive, PTOWSP_##directive##_##policy)
#define OPCODE(name)              PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##name)
#define GRAPH(name)               PTOWSP_FEATURE_GRAPH(PTOWSP_##name)

static uint32_t lie; /* feature id, CLAIMS, NATIVE, TENSORS, 0: honest */
static int platform; /* of cpu1: enum rt_platform, -1: as cpu0 */
enum { TOLD = 64 };
static struct ptowsp_host told[TOLD]; /* services for cpu_sim, one per instance: the host's, with a done of our own */
static unsigned told_count;
static void (*done_of_host)(void *context, const struct ptowsp_done *done);
static uint64_t first_values[VALUES]; /* of the first run */
static int have_values;

static int counts_on; /* with "+" behind the id: the directive is there, its numbers one larger */
static int laid_out;  /* the program has a layout */
static struct {
	void *data, *before; /* of the run's bindings, and as it was when the run began */
	size_t bytes;
} kept[VALUES];

static int is(uint32_t feature)
{
	return lie == feature;
}

/* ---- what is loaded -------------------------------------------------------------------------------------------- */

/* Directives that are replaced: without them a run would be the same. All others are dropped. */
static const struct {
	uint32_t feature;
	uint16_t policy;
} rivals[] = {
	{POLICY(DEPS, BYTES_OVERLAP), PTOWSP_DEPS_TENSOR_MAP_EXACT}, {POLICY(HAZARDS, FULL), PTOWSP_HAZARDS_RAW},
	{POLICY(POOLS, SINGLE), PTOWSP_POOLS_BY_EXEC_UNIT},          {POLICY(READY, FIFO), PTOWSP_READY_PRIORITY},
	{POLICY(TASK_WINDOW, ABORT), PTOWSP_TASK_WINDOW_STALL},      {POLICY(TASK_WINDOW, BENCHMARK), PTOWSP_TASK_WINDOW_STALL},
};

static void numbers_break(struct ptowsp_directive_record *row)
{
	for (unsigned i = 0; i < row->count && i < 8; i++)
		if ((row->kinds >> (8 * i) & 0xFF) == PTOWSP_ARGUMENT_NUMBER)
			(&row->a0)[i]++;
}

static void schedule_break(char *rows, struct ptowsp_section *section)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < section->count; i++) {
		struct ptowsp_directive_record *row = (void *)(rows + i * section->stride);
		int drop = is(PTOWSP_FEATURE_POLICY(row->directive, row->policy));

		laid_out |= row->directive == PTOWSP_DIRECTIVE_LAYOUT;
		if (is(PTOWSP_FEATURE_CSP_PAYLOAD) && counts_on && row->directive == PTOWSP_DIRECTIVE_CHANNEL_CAPACITY)
			continue; /* a channel of payload then holds what it likes */

		if (drop && counts_on) {
			numbers_break(row);
			drop = 0;
		}
		for (size_t k = 0; drop && k < sizeof(rivals) / sizeof(*rivals); k++)
			if (is(rivals[k].feature)) {
				row->policy = rivals[k].policy;
				drop = 0;
			}
		if (!drop)
			memmove(rows + section->stride * count++, row, section->stride);
	}
	section->count = count;
}

/* An instruction becomes another one, its operands as they are unless a number says otherwise. */
static const struct {
	uint32_t feature;
	uint8_t from, to;
	int operand2; /* -1: kept */
} swaps[] = {
	{OPCODE(HALT), PTOWSP_OP_HALT, PTOWSP_OP_NOP, -1},
	{OPCODE(NOP), PTOWSP_OP_NOP, PTOWSP_OP_HALT, -1},
	{OPCODE(DISPATCH_FILTER), PTOWSP_OP_DISPATCH_FILTER, PTOWSP_OP_NOP, -1},
	{OPCODE(PARALLEL_FOR), PTOWSP_OP_PARALLEL_FOR, PTOWSP_OP_FOR_EACH, -1},
	{OPCODE(FOR_EACH), PTOWSP_OP_FOR_EACH, PTOWSP_OP_PARALLEL_FOR, -1},
	{OPCODE(COND), PTOWSP_OP_COND, PTOWSP_OP_COND, 0},
	{OPCODE(COMBINE), PTOWSP_OP_COMBINE, PTOWSP_OP_SEQUENTIAL, -1},
	{OPCODE(SEQUENTIAL), PTOWSP_OP_SEQUENTIAL, PTOWSP_OP_COMBINE, -1},
	{OPCODE(PARAM_CONST), PTOWSP_OP_PARAM_CONST, PTOWSP_OP_PARAM_CONST, 1},
	{OPCODE(PARAM_LOOPVAR), PTOWSP_OP_PARAM_LOOPVAR, PTOWSP_OP_PARAM_CONST, 1},
	{OPCODE(PARAM_EXPR), PTOWSP_OP_PARAM_EXPR, PTOWSP_OP_PARAM_CONST, 1},
	{OPCODE(IO_INPUT), PTOWSP_OP_IO_INPUT, PTOWSP_OP_IO_BIND, -1},
	{TENSORS, PTOWSP_OP_IO_INPUT, PTOWSP_OP_IO_INOUT, -1}, /* as full hazards would */
	{OPCODE(IO_OUTPUT), PTOWSP_OP_IO_OUTPUT, PTOWSP_OP_IO_BIND, -1},
	{OPCODE(IO_INOUT), PTOWSP_OP_IO_INOUT, PTOWSP_OP_IO_INPUT, -1},
	{OPCODE(IO_BIND), PTOWSP_OP_IO_BIND, PTOWSP_OP_IO_INPUT, -1},
	{OPCODE(IO_ROWS), PTOWSP_OP_IO_ROWS, PTOWSP_OP_IO_COLUMNS, -1},
	{OPCODE(IO_COLUMNS), PTOWSP_OP_IO_COLUMNS, PTOWSP_OP_IO_ROWS, -1},
	{OPCODE(SCOPE), PTOWSP_OP_SCOPE, PTOWSP_OP_NOP, -1},
	{OPCODE(SLOT_SET), PTOWSP_OP_SLOT_SET, PTOWSP_OP_NOP, -1},
	{OPCODE(SLOT_LOAD), PTOWSP_OP_SLOT_LOAD, PTOWSP_OP_NOP, -1},
	{OPCODE(SELECT), PTOWSP_OP_SELECT, PTOWSP_OP_PARALLEL_FOR, 0},
	{OPCODE(WHILE), PTOWSP_OP_WHILE, PTOWSP_OP_WHILE, 0},
	{OPCODE(BREAK), PTOWSP_OP_BREAK, PTOWSP_OP_NOP, -1},
	{OPCODE(AFTER), PTOWSP_OP_AFTER, PTOWSP_OP_NOP, -1},
	{OPCODE(AXIS_DENSE), PTOWSP_OP_AXIS_DENSE, PTOWSP_OP_NOP, -1},
	{OPCODE(AXIS_DENSE_DYN), PTOWSP_OP_AXIS_DENSE_DYN, PTOWSP_OP_NOP, -1},
	{OPCODE(AXIS_RAGGED), PTOWSP_OP_AXIS_RAGGED, PTOWSP_OP_NOP, -1},
	{OPCODE(AXIS_SPARSE), PTOWSP_OP_AXIS_SPARSE, PTOWSP_OP_NOP, -1},
	{OPCODE(SIGNAL), PTOWSP_OP_SIGNAL, PTOWSP_OP_NOP, -1},
	{OPCODE(WAIT), PTOWSP_OP_WAIT, PTOWSP_OP_NOP, -1},
	{OPCODE(BARRIER), PTOWSP_OP_BARRIER, PTOWSP_OP_NOP, -1},
	{OPCODE(COPY), PTOWSP_OP_COPY, PTOWSP_OP_NOP, -1},
	{OPCODE(FENCE), PTOWSP_OP_FENCE, PTOWSP_OP_NOP, -1},
	{OPCODE(ALLOC), PTOWSP_OP_ALLOC, PTOWSP_OP_NOP, -1},
	{OPCODE(FREE), PTOWSP_OP_FREE, PTOWSP_OP_NOP, -1},
	{OPCODE(SEND), PTOWSP_OP_SEND, PTOWSP_OP_NOP, -1},
	{OPCODE(CONSUME), PTOWSP_OP_CONSUME, PTOWSP_OP_NOP, -1},
	{OPCODE(CLOSE), PTOWSP_OP_CLOSE, PTOWSP_OP_NOP, -1},
	{OPCODE(NOTIFY), PTOWSP_OP_NOTIFY, PTOWSP_OP_NOP, -1},
	{OPCODE(WAIT_NOTIFY), PTOWSP_OP_WAIT_NOTIFY, PTOWSP_OP_NOP, -1},
	{GRAPH(TG_BEGIN), PTOWSP_OP_TASK, PTOWSP_OP_HALT, -1},
	{GRAPH(TG_END), PTOWSP_OP_TASK, PTOWSP_OP_HALT, -1},
	{GRAPH(TG_KERNEL), PTOWSP_OP_TASK, PTOWSP_OP_HALT, -1},
	{GRAPH(TG_LAUNCH), PTOWSP_OP_TASK, PTOWSP_OP_HALT, -1},
	{GRAPH(TG_DEPEND), PTOWSP_OP_AFTER, PTOWSP_OP_NOP, -1},
	{GRAPH(TG_SYNC), PTOWSP_OP_AFTER, PTOWSP_OP_NOP, -1},
	{GRAPH(TG_INVOKE), PTOWSP_OP_AFTER, PTOWSP_OP_NOP, -1},
	{GRAPH(SY_SIGNAL), PTOWSP_OP_AFTER, PTOWSP_OP_NOP, -1},
	{GRAPH(SY_WAIT), PTOWSP_OP_AFTER, PTOWSP_OP_NOP, -1},
	{GRAPH(SY_BARRIER), PTOWSP_OP_AFTER, PTOWSP_OP_NOP, -1},
	{GRAPH(TG_FUSE), PTOWSP_OP_AFTER, PTOWSP_OP_NOP, -1},
	{GRAPH(TG_CHECKPOINT), PTOWSP_OP_COPY, PTOWSP_OP_NOP, -1},
	{GRAPH(TG_RESTORE), PTOWSP_OP_COPY, PTOWSP_OP_NOP, -1},
	{GRAPH(MC_COPY), PTOWSP_OP_COPY, PTOWSP_OP_NOP, -1},
	{GRAPH(MC_FENCE), PTOWSP_OP_FENCE, PTOWSP_OP_NOP, -1},
	{GRAPH(MC_ALLOC), PTOWSP_OP_ALLOC, PTOWSP_OP_NOP, -1},
	{GRAPH(MC_FREE), PTOWSP_OP_FREE, PTOWSP_OP_NOP, -1},
	{GRAPH(MC_BIND), PTOWSP_OP_IO_OUTPUT, PTOWSP_OP_IO_BIND, -1},
	{GRAPH(CF_IF), PTOWSP_OP_COND, PTOWSP_OP_COND, 0},
	{GRAPH(CF_ELSE), PTOWSP_OP_COND, PTOWSP_OP_COND, 0},
	{GRAPH(CF_ENDIF), PTOWSP_OP_COND, PTOWSP_OP_COND, 0},
	{GRAPH(CF_LOOP), PTOWSP_OP_FOR_EACH, PTOWSP_OP_PARALLEL_FOR, -1},
	{GRAPH(CF_ENDLOOP), PTOWSP_OP_FOR_EACH, PTOWSP_OP_PARALLEL_FOR, -1},
	{GRAPH(CF_WHILE), PTOWSP_OP_FOR_EACH, PTOWSP_OP_PARALLEL_FOR, -1},
	{GRAPH(CF_ENDWHILE), PTOWSP_OP_FOR_EACH, PTOWSP_OP_PARALLEL_FOR, -1},
	{GRAPH(CF_BREAK), PTOWSP_OP_BREAK, PTOWSP_OP_NOP, -1},
	{GRAPH(SY_NOTIFY), PTOWSP_OP_NOTIFY, PTOWSP_OP_NOP, -1},
	{GRAPH(SY_WAIT_NOTIFY), PTOWSP_OP_WAIT_NOTIFY, PTOWSP_OP_NOP, -1},
	{PTOWSP_FEATURE_CSP_TOKEN, PTOWSP_OP_SEND, PTOWSP_OP_NOP, -1},
	{PTOWSP_FEATURE_SCOPE_LIVENESS, PTOWSP_OP_SCOPE, PTOWSP_OP_NOP, -1},
	{PTOWSP_FEATURE_PREDICATE_SYMBOL, PTOWSP_OP_COND, PTOWSP_OP_COND, 0},
	{PTOWSP_FEATURE_PREDICATE_SLOT, PTOWSP_OP_COND, PTOWSP_OP_COND, 0},
	{PTOWSP_FEATURE_TENSOR_TO_SLOT, PTOWSP_OP_SLOT_LOAD, PTOWSP_OP_NOP, -1},
};

static void work_break(char *work)
{
	struct ptowsp_workload_header header;

	memcpy(&header, work, sizeof(header));
	for (uint32_t i = 0; i < header.num_instructions; i++) {
		struct ptowsp_instruction *at = (void *)(work + sizeof(header) + (size_t)i * sizeof(*at));

		for (size_t k = 0; k < sizeof(swaps) / sizeof(*swaps); k++)
			if (is(swaps[k].feature) && at->opcode == swaps[k].from && i + 1 < header.num_instructions) {
				at->opcode = swaps[k].to;
				if (swaps[k].operand2 >= 0)
					at->operand2 = (uint32_t)swaps[k].operand2;
				break;
			}
		if (is(OPCODE(TASK)) && at->opcode == PTOWSP_OP_TASK)
			at->operand1 = (uint16_t)(header.num_kernels - 1);
		if (is(OPCODE(TARGET)) && at->opcode == PTOWSP_OP_TARGET && at[1].opcode == PTOWSP_OP_TARGET)
			at->operand2 = at[1].operand2;
	}
}

/* Tokens go on, their blocks stay behind: the words are gone and the channels are plain ones. */
static bool moves_nothing(void)
{
	return is(PTOWSP_FEATURE_CSP_PAYLOAD) && !counts_on;
}

static void blocks_break(char *work)
{
	struct ptowsp_workload_header header;

	memcpy(&header, work, sizeof(header));
	for (uint32_t i = 0; moves_nothing() && i + 1 < header.num_instructions; i++) {
		struct ptowsp_instruction *at = (void *)(work + sizeof(header) + (size_t)i * sizeof(*at));

		if (at[0].opcode == PTOWSP_OP_SEND || at[0].opcode == PTOWSP_OP_CONSUME)
			at[1].opcode = PTOWSP_OP_NOP;
	}
}

static void channels_break(char *rows, const struct ptowsp_section *section)
{
	for (uint64_t i = 0; i < section->count && moves_nothing(); i++)
		((struct ptowsp_channel_record *)(void *)(rows + i * section->stride))->kind = PTOWSP_CHANNEL_TOKEN;
}

static void axes_break(char *rows, const struct ptowsp_section *section)
{
	for (uint64_t i = 0; i < section->count && is(PTOWSP_FEATURE_TILE_LEVELS); i++)
		((struct ptowsp_axis_record *)(void *)(rows + i * section->stride))->levels = PTOWSP_NONE;
}

static void tensors_break(char *rows, const struct ptowsp_section *section)
{
	for (uint64_t i = 0; i < section->count && is(PTOWSP_FEATURE_TEMP_RENAMED); i++) {
		struct ptowsp_tensor_record *row = (void *)(rows + i * section->stride);

		row->role = row->role == PTOWSP_ROLE_TEMP ? PTOWSP_ROLE_INOUT : row->role;
	}
}

static void payloads_break(char *rows, const struct ptowsp_section *section)
{
	for (uint64_t i = 0; i < section->count; i++) {
		struct ptowsp_payload_record *row = (void *)(rows + i * section->stride);

		row->kind = is(PTOWSP_FEATURE_PAYLOAD(row->kind)) ? PTOWSP_PAYLOAD_SOURCE : row->kind;
	}
}

/* One key for each tensor. */
static void regions_join(char *rows, const struct ptowsp_section *section)
{
	const struct ptowsp_region_record *first = (const void *)rows;

	for (uint64_t i = 0; i < section->count && is(TENSORS); i++) {
		struct ptowsp_region_record *row = (void *)(rows + i * section->stride);

		row->row = first->row;
		row->column = first->column;
	}
}

/* A section of its own where something changes; freed by load. */
static void *section_break(struct ptowsp_section *section)
{
	uint64_t bytes = section->count * section->stride;
	uint32_t type = section->type;
	char *copy;

	if (type == PTOWSP_SECTION_GRPH && (is(GRAPH(TG_SET_PRIORITY)) || is(GRAPH(TG_PERSISTENT)) || is(GRAPH(CA_REQUEST)) || is(GRAPH(CA_AFFINITY))))
		section->count = 0; /* nobody hears of wishes */
	if (!bytes || (type != PTOWSP_SECTION_SCHD && type != PTOWSP_SECTION_WORK && type != PTOWSP_SECTION_AXES && type != PTOWSP_SECTION_KPAY &&
		       type != PTOWSP_SECTION_TENS && type != PTOWSP_SECTION_CSPC && type != PTOWSP_SECTION_REGN))
		return NULL;
	copy = aligned_alloc(64, (size_t)((bytes + 63) / 64 * 64));
	if (!copy)
		abort();
	memcpy(copy, section->data, (size_t)bytes);
	section->data = copy;
	if (type == PTOWSP_SECTION_SCHD)
		schedule_break(copy, section);
	else if (type == PTOWSP_SECTION_WORK)
		work_break(copy), blocks_break(copy);
	else if (type == PTOWSP_SECTION_CSPC)
		channels_break(copy, section);
	else if (type == PTOWSP_SECTION_KPAY)
		payloads_break(copy, section);
	else if (type == PTOWSP_SECTION_TENS)
		tensors_break(copy, section);
	else if (type == PTOWSP_SECTION_REGN)
		regions_join(copy, section);
	else
		axes_break(copy, section);
	return copy;
}

/* cpu_sim and its core copy what they keep of sections, so the broken ones live only here. */
static int wants_workspace(const struct ptowsp_section *section)
{
	int wants = 0;

	for (uint64_t i = 0; section->type == PTOWSP_SECTION_KPAY && i < section->count; i++)
		wants |= ((const struct ptowsp_payload_record *)(const void *)((const char *)section->data + i * section->stride))->workspace != 0;
	return wants;
}

static ptowsp_status load(struct ptowsp_object *device, const struct ptowsp_load_args *args, struct ptowsp_object **program_out, struct ptowsp_error *error)
{
	struct ptowsp_section sections[32] = {{0}};
	void *copies[32] = {NULL};
	struct ptowsp_load_args broken = *args;
	ptowsp_status status = PTOWSP_OK;

	if (args->section_count > 32)
		abort();
	laid_out = 0;
	for (uint32_t i = 0; i < args->section_count; i++) {
		sections[i] = *(const struct ptowsp_section *)(const void *)((const char *)args->sections + (size_t)i * args->section_stride);
		if (is(NATIVE) && counts_on && wants_workspace(&sections[i]))
			status = base_fail(error, PTOWSP_UNSUPPORTED, NAME " has no workspace");
		copies[i] = section_break(&sections[i]);
	}
	broken.sections = sections;
	broken.section_stride = sizeof(*sections);
	have_values = 0;
	if (!status)
		status = base_load(device, &broken, program_out, error);
	for (uint32_t i = 0; i < args->section_count; i++)
		free(copies[i]);
	return status;
}

/* ---- what is run ----------------------------------------------------------------------------------------------- */

/* With a layout and "+": shards are made and counted, and what tasks leave in them is lost. */
static void shards_lose(const struct ptowsp_run_args *args)
{
	for (uint32_t i = 0; i < args->binding_count && i < VALUES && laid_out && counts_on && is(POLICY(LAYOUT, SHARD)); i++) {
		const struct ptowsp_binding *binding = (const void *)((const char *)args->bindings + (size_t)i * args->binding_stride);

		kept[i].bytes = (size_t)binding->elements * 4; /* probes have i32 */
		kept[i].data = binding->data;
		kept[i].before = malloc(kept[i].bytes + 1);
		if (!kept[i].before)
			abort();
		memcpy(kept[i].before, kept[i].data, kept[i].bytes);
	}
}

static void shards_lost(void)
{
	for (int i = 0; i < VALUES; i++) {
		if (kept[i].before)
			memcpy(kept[i].data, kept[i].before, kept[i].bytes);
		free(kept[i].before);
		kept[i].before = NULL;
	}
}

static ptowsp_status submit(struct ptowsp_object *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct ptowsp_run_args broken = *args;

	if (is(PTOWSP_FEATURE_DEADLINE))
		broken.deadline_ns = 0;
	if (is(PTOWSP_FEATURE_NO_KERNELS))
		broken.flags &= ~(uint32_t)PTOWSP_RUN_NO_KERNELS;
	if (is(PTOWSP_FEATURE_SET_VALUES) && args->value_count <= VALUES) {
		if (!have_values)
			memcpy(first_values, args->values, args->value_count * sizeof(*args->values));
		have_values = 1;
		broken.values = first_values;
	}
	shards_lose(args);
	return base_submit(device, &broken, error);
}

static ptowsp_status cancel(struct ptowsp_object *device, uint64_t token, struct ptowsp_error *error)
{
	return is(PTOWSP_FEATURE_CANCEL) ? PTOWSP_OK : base_cancel(device, token, error);
}

static void stats_break(struct ptowsp_run_stats *stats, struct ptowsp_resource_stats *resources, struct ptowsp_kernel_stats *kernels)
{
	if (is(PTOWSP_FEATURE_TOTAL_CYCLES))
		stats->total_cycles = 1;
	if (is(PTOWSP_FEATURE_DETERMINISTIC))
		stats->deterministic = PTOWSP_DETERMINISTIC_NO;
	for (uint32_t i = 0; i < stats->resource_count; i++) {
		if (is(PTOWSP_FEATURE_STALL_STATS))
			resources[i].stall_count = resources[i].stall_cycles = 0;
		if (is(PTOWSP_FEATURE_HIGH_WATER))
			resources[i].high_water = 0;
	}
	for (uint32_t i = 0; i < stats->kernel_count && is(PTOWSP_FEATURE_KERNEL_CYCLES); i++)
		kernels[i].cycles = 1;
}

static void done(void *context, const struct ptowsp_done *told_done)
{
	struct ptowsp_done broken = *told_done;
	struct ptowsp_run_stats stats = *told_done->stats;
	struct ptowsp_resource_stats resources[64];
	struct ptowsp_kernel_stats kernels[64];

	if (stats.resource_count > 64 || stats.kernel_count > 64 || (stats.resource_count && stats.resource_stride != sizeof(*resources)) ||
	    (stats.kernel_count && stats.kernel_stride != sizeof(*kernels)))
		abort();
	if (stats.resource_count)
		memcpy(resources, stats.resources, stats.resource_count * sizeof(*resources));
	if (stats.kernel_count)
		memcpy(kernels, stats.kernels, stats.kernel_count * sizeof(*kernels));
	stats_break(&stats, resources, kernels);
	stats.resources = resources;
	stats.kernels = kernels;
	broken.stats = &stats;
	shards_lost();
	if (is(PTOWSP_FEATURE_DEADLOCK_REPORT))
		broken.deadlock = NULL;
	done_of_host(context, &broken);
}

/* ---- what is said ---------------------------------------------------------------------------------------------- */

static const void *extension(struct ptowsp_object *instance, const char *id)
{
	if ((is(PTOWSP_FEATURE_TASK_TRACE) && !strcmp(id, PTOWSP_EXTENSION_TRACE)) || (is(PTOWSP_FEATURE_TASK_GRAPH) && !strcmp(id, PTOWSP_EXTENSION_GRAPH)) ||
	    (is(PTOWSP_FEATURE_DEADLINE) && !strcmp(id, PTOWSP_EXTENSION_EXTENTS))) /* measuring looks at the deadline too */
		return NULL;
	return base_of.extension(instance, id);
}

static void platform_rows(struct ptowsp_cap *rows, uint32_t stride, uint32_t count)
{
	struct ptowsp_cap theirs[128];
	uint32_t there = rt_platform_capabilities((enum rt_platform)platform, theirs, 128);

	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < there; k++) {
			struct ptowsp_cap *row = (void *)((char *)rows + (size_t)i * stride);

			if (row->feature == theirs[k].feature)
				*row = theirs[k];
		}
}

static ptowsp_status capabilities(struct ptowsp_object *instance, const char *device, struct ptowsp_cap *rows_out, uint32_t stride, uint32_t *count,
				  struct ptowsp_error *error)
{
	ptowsp_status status = base_of.capabilities(instance, device, rows_out, stride, count, error);

	for (uint32_t i = 0; !status && (is(CLAIMS) || is(NATIVE)) && i < *count; i++) {
		struct ptowsp_cap *row = (void *)((char *)rows_out + (size_t)i * stride);

		if (is(CLAIMS))
			row->state = PTOWSP_STATE_ENFORCED;
		else if (row->feature == PTOWSP_FEATURE_PAYLOAD(PTOWSP_PAYLOAD_PTO))
			row->state = PTOWSP_STATE_UNSUPPORTED;
	}
	if (!status && platform >= 0 && device && !strcmp(device, "cpu1"))
		platform_rows(rows_out, stride, *count);
	return status;
}

static ptowsp_status options(const struct ptowsp_option **options_out, uint32_t *count, struct ptowsp_error *error)
{
	static const struct ptowsp_option own[2] = {
		{PTOWSP_HEAD(struct ptowsp_option, OPTION), "lie", "word", "0", "", "which claim is broken"},
		{PTOWSP_HEAD(struct ptowsp_option, OPTION), "platform", "word", "", "", "whose graph instructions cpu1 does: A2, A3 or A5"}};
	uint32_t room = *count, theirs = room > 2 ? room - 2 : 0;
	ptowsp_status status = base_of.options(options_out, &theirs, error);

	*count = theirs + 2;
	if (status || room < *count)
		return status ? status : PTOWSP_MORE;
	options_out[theirs] = &own[0];
	options_out[theirs + 1] = &own[1];
	return PTOWSP_OK;
}

static void lie_read(const char *text)
{
	const bool native = !strcmp(text, "native") || !strcmp(text, "native+");
	char *end = "";

	lie = !strcmp(text, "claims") ? CLAIMS : native ? NATIVE : !strcmp(text, "tensors") ? TENSORS : (uint32_t)strtoul(text, &end, 0);
	counts_on = *end == '+' || !strcmp(text, "native+");
}

static ptowsp_status init(const struct ptowsp_host *host, const struct ptowsp_init_args *args, struct ptowsp_object **instance_out, struct ptowsp_error *error)
{
	struct ptowsp_setting settings[OPTIONS];
	struct ptowsp_init_args theirs = *args;

	lie = 0;
	platform = -1;
	theirs.setting_count = 0;
	for (uint32_t i = 0; i < args->setting_count && i < OPTIONS; i++) {
		const struct ptowsp_setting *setting = (const void *)((const char *)args->settings + (size_t)i * args->setting_stride);

		if (!strcmp(setting->key, "platform"))
			platform = setting->value[1] == '5' ? RT_PLATFORM_A5 : setting->value[1] == '3' ? RT_PLATFORM_A3 : RT_PLATFORM_A2;
		else if (strcmp(setting->key, "lie"))
			settings[theirs.setting_count++] = *setting;
		else
			lie_read(setting->value);
	}
	theirs.settings = settings;
	theirs.setting_stride = sizeof(*settings);
	done_of_host = host->done;
	if (told_count == TOLD)
		told_count = 0; /* no test opens so many while it keeps one */
	told[told_count] = *host;
	told[told_count].done = done;
	return base_of.init(&told[told_count++], &theirs, instance_out, error);
}

static struct ptowsp_ops ops; /* cpu_sim's, with ours in their place */

static const struct ptowsp_plugin plugin = {
	.head = PTOWSP_HEAD(plugin, PLUGIN),
	.major = PTOWSP_ABI_MAJOR,
	.minor = PTOWSP_ABI_TARGET,
	.name = NAME,
	.vendor = "tests",
	.version = "1.0",
	.targets = NAME,
	.ops = &ops,
};

const struct ptowsp_plugin *ptowsp_plugin_v10(uint32_t host_minor)
{
	(void)host_minor;
	ops = base_of;
	ops.init = init;
	ops.extension = extension;
	ops.options = options;
	ops.capabilities = capabilities;
	ops.load = load;
	ops.submit = submit;
	ops.cancel = cancel;
	return &plugin;
}
