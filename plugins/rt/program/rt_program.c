/* SPDX-License-Identifier: MIT */
#include "rt/program/rt_program.h"

#include "registry/common/common_grow.h"
#include "rt/expand/interleave.h"
#include "rt/program/dtype.h"
#include "rt/program/rt_error.h"
#include "rt/run/rt_run.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void rt_log(const struct rt_program *program, int32_t level, const char *text, ...)
{
	char line[256];
	va_list list;
	int length;

	if (!program->host || !program->host->log)
		return;
	va_start(list, text);
	length = vsnprintf(line, sizeof(line), text, list);
	va_end(list);
	if (length >= (int)sizeof(line))
		length = (int)sizeof(line) - 1;
	program->host->log(program->host->context, level, line, length > 0 ? (uint64_t)length : 0);
}

void rt_diagnose(const struct rt_program *program, uint32_t feature, const char *text)
{
	if (program->host && program->host->diagnose)
		program->host->diagnose(program->host->context, feature, PTOWSP_STATE_DIAGNOSED, text, strlen(text));
}

uint64_t rt_now_ns(const struct rt_program *program)
{
	struct timespec now;

	if (program->host && program->host->now_ns)
		return program->host->now_ns(program->host->context);
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

const char *rt_kernel_name(const struct rt_program *program, uint32_t kernel)
{
	return kernel < program->tables.kernel.count ? rt_string(&program->tables, program->tables.kernel.rows[kernel].name) : "";
}

const char *rt_tensor_name(const struct rt_program *program, uint32_t tensor)
{
	return tensor < program->tables.tensor.count ? rt_string(&program->tables, program->tables.tensor.rows[tensor].name) : "";
}

const char *rt_slot_name(const struct rt_program *program, uint32_t slot)
{
	return slot < program->tables.slot.count ? rt_string(&program->tables, program->tables.slot.rows[slot].name) : "";
}

/* ---- tables ---------------------------------------------------------------------------------------------------- */

static ptowsp_status tensor_check(struct rt_program *program, uint32_t row, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;
	const struct ptowsp_tensor_record *tensor = &tables->tensor.rows[row];
	const struct rt_nest none = {.key = PTOWSP_NONE};
	ptowsp_status status = PTOWSP_OK;

	if (!rt_dtype_bytes(tensor->dtype))
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "tensor %s has the unknown type %u", rt_tensor_name(program, row), tensor->dtype);
	if (tensor->dim_count > 4 || tensor->dim_count > tables->dim.count || tensor->dims > tables->dim.count - tensor->dim_count)
		return rt_fail(error, PTOWSP_BAD_PACKAGE, "tensor %s names DIMS rows that are not there", rt_tensor_name(program, row));
	for (uint32_t d = 0; !status && d < tensor->dim_count; d++) {
		uint32_t *extent = &program->dim_exprs[tensor->dims + d];

		status = rt_expr_compile(&program->exprs, tables, tables->dim.rows[tensor->dims + d].extent, &none, false, extent, error);
		program->asks |= !status && !(tensor->flags & PTOWSP_TENSOR_SHAPELESS) && rt_expr_source(&program->exprs, *extent) != PTOWSP_NONE;
	}
	return status;
}

static ptowsp_status kernels_check(const struct rt_program *program, struct ptowsp_error *error)
{
	for (uint32_t k = 0; k < program->tables.kernel.count; k++)
		if (program->tables.kernel.rows[k].unit > PTOWSP_UNIT_AIE_CORE)
			return rt_fail(error, PTOWSP_BAD_PACKAGE, "kernel %s has the unknown unit %u", rt_kernel_name(program, k),
				       program->tables.kernel.rows[k].unit);
	return PTOWSP_OK;
}

/* Slots that some instruction sets or loads: their values are no constants of a run. */
static void changed_find(struct rt_program *program)
{
	const struct ptowsp_instruction *code = program->tables.work.code;

	for (uint32_t i = 0; i < program->tables.work.code_count; i++)
		if ((code[i].opcode == PTOWSP_OP_SLOT_SET || code[i].opcode == PTOWSP_OP_SLOT_LOAD) && code[i].operand1 < program->tables.slot.count)
			program->changed[code[i].operand1] = 1;
}

/* The least of some. */
static uint64_t clock_cost(const struct rt_program *program)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		const uint64_t began = rt_now_ns(program), ns = rt_now_ns(program) - began;

		least = ns < least ? ns : least;
	}
	return least;
}

static ptowsp_status arrays_make(struct rt_program *program, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;

	program->changed = calloc((size_t)tables->slot.count + 1, 1);
	program->dim_exprs = calloc((size_t)tables->dim.count + 1, sizeof(*program->dim_exprs));
	program->traits = calloc((size_t)tables->tensor.count + 1, sizeof(*program->traits));
	program->payloads = calloc((size_t)tables->channel.count + 1, sizeof(*program->payloads));
	program->renamings = calloc((size_t)tables->tensor.count + 1, sizeof(*program->renamings));
	program->kernel_used = calloc((size_t)tables->kernel.count + 1, 1);
	program->level_told = calloc((size_t)tables->kernel.count + 1, 1);
	program->code = calloc((size_t)tables->work.code_count + 2, sizeof(*program->code));
	/* Workers write it now and then; nothing else is on its lines. */
	program->clock_ns = clock_cost(program);
	program->kernel_ns = aligned_alloc(RT_LINE, (((size_t)tables->kernel.count + 1) * sizeof(*program->kernel_ns) + RT_LINE - 1) / RT_LINE * RT_LINE);
	for (uint32_t k = 0; program->kernel_ns && k <= tables->kernel.count; k++)
		atomic_init(&program->kernel_ns[k], UINT32_MAX);
	if (!COMMON_GROW(program->args, program->arg_room, 0) || !COMMON_GROW(program->ios, program->io_room, 0)) /* never NULL: a task may have none */
		return rt_no_memory(error, "the program");
	if (!program->changed || !program->dim_exprs || !program->traits || !program->payloads || !program->renamings || !program->kernel_used ||
	    !program->level_told || !program->code || !program->kernel_ns)
		return rt_no_memory(error, "the program");
	changed_find(program);
	return PTOWSP_OK;
}

static ptowsp_status snapshot_make(struct rt_snapshot **snapshot_out, const struct rt_program *program, struct ptowsp_error *error)
{
	*snapshot_out = calloc(1, sizeof(**snapshot_out));
	return *snapshot_out ? rt_snapshot_init(*snapshot_out, program, error) : rt_no_memory(error, "statistics");
}

static ptowsp_status snapshots_make(struct rt_program *program, struct ptowsp_error *error)
{
	ptowsp_status status = snapshot_make(&program->snapshot, program, error);

	if (!status)
		status = snapshot_make(&program->reader, program, error);
	if (!status)
		status = snapshot_make(&program->result, program, error);
	if (!status)
		rt_stats_reset(program);
	return status;
}

/* ---- making and unmaking --------------------------------------------------------------------------------------- */

static ptowsp_status wishes_copy(struct rt_program *program, const struct rt_program_args *args, struct ptowsp_error *error)
{
	if (!args->wish_count)
		return PTOWSP_OK;
	program->wishes = malloc(args->wish_count * sizeof(*program->wishes));
	if (!program->wishes)
		return rt_no_memory(error, "the program");
	for (uint32_t i = 0; i < args->wish_count; i++) {
		program->wishes[i] = *(const struct rt_wish *)(const void *)((const char *)args->wishes + (size_t)i * args->wish_stride);
		program->homes |= program->wishes[i].home != 0;
	}
	program->wish_count = args->wish_count;
	return PTOWSP_OK;
}

const struct rt_ready_policy *rt_program_order(const struct rt_program *program)
{
	return rt_ready_policy_find(program->schedule.ready, program->wishes != NULL);
}

static ptowsp_status common_make(struct rt_program *program, const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_tables *tables = &program->tables;
	ptowsp_status status = rt_tables_init(tables, args->sections, args->section_count, args->section_stride, error);

	if (!status)
		status = rt_copy_init(program, error);
	if (!status)
		status = arrays_make(program, error);
	if (!status)
		status = rt_exprs_init(&program->exprs, tables, program->changed, error);
	for (uint32_t t = 0; !status && t < tables->tensor.count; t++)
		status = tensor_check(program, t, error);
	if (!status)
		status = kernels_check(program, error);
	if (!status)
		status = rt_schedule_init(&program->schedule, tables, args->caps, args->cap_count, args->flags, args->host, error);
	return status ? status : rt_classes_init(program, error);
}

ptowsp_status rt_program_begin(struct rt_program **program_out, const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_program *program = calloc(1, sizeof(*program));
	ptowsp_status status;

	*program_out = NULL;
	if (!program)
		return rt_no_memory(error, "the program");
	program->kernels = *args->kernels;
	program->kernels.runner = program->kernels.runner ? program->kernels.runner : program->kernels.context;
	program->host = args->host;
	program->entry = args->entry;
	program->planned = args->planned;
	program->shadowed = args->planned && args->shadowed;
	program->windowed = args->planned && args->windowed;
	program->renames = !args->planned || args->renames;
	pthread_mutex_init(&program->lock, NULL);
	rt_spares_init(&program->spares);
	status = common_make(program, args, error);
	if (status)
		rt_program_destroy(program);
	else
		*program_out = program;
	return status;
}

static void promise_tell(const struct rt_program *program)
{
	if (!rt_schedule_safe(&program->schedule) && !program->schedule.strict)
		rt_diagnose(program, PTOWSP_FEATURE_DETERMINISTIC,
			    "deps and hazards of the schedule are a promise of its author, so `deterministic` is not known; --strict checks it, or run "
			    "with deps=bytes_overlap and hazards=full and compare the results");
}

/* The whole graph is in memory before anything runs: no window moves over it. Said of the policy that stands in the schedule. */
static ptowsp_status window_tell(const struct rt_program *program, struct ptowsp_error *error)
{
	static const char text[] = "the whole graph is built before anything runs, so task_window is recorded, not enforced";
	const struct rt_tables *tables = &program->tables;

	for (uint32_t i = 0; program->schedule.built && i < tables->directive.count; i++) {
		const struct ptowsp_directive_record *row = &tables->directive.rows[i];

		if (row->directive != PTOWSP_DIRECTIVE_TASK_WINDOW)
			continue;
		if (program->schedule.strict || row->flags & PTOWSP_DIRECTIVE_MUST)
			return rt_fail(error, PTOWSP_UNSUPPORTED, "%s; state one of task_window and start(after_orchestration) only", text);
		if (program->host && program->host->diagnose)
			program->host->diagnose(program->host->context, PTOWSP_FEATURE_POLICY(row->directive, row->policy), PTOWSP_STATE_RECORDED, text,
						sizeof(text) - 1);
	}
	return PTOWSP_OK;
}

/* Why the tasks of processes do not heed a directive; NULL: they do. */
static const char *processes_excuse(const struct ptowsp_directive_record *row)
{
	switch (row->directive) {
	case PTOWSP_DIRECTIVE_DISPATCH:
	case PTOWSP_DIRECTIVE_SPATIAL_MAP: return "each instance of a process is an executor of its own";
	case PTOWSP_DIRECTIVE_BATCH_DEPS: return "each instance of a process issues its tasks one by one";
	case PTOWSP_DIRECTIVE_TIMING: return row->policy == PTOWSP_TIMING_BATCHED ? "each instance of a process issues its tasks one by one" : NULL;
	case PTOWSP_DIRECTIVE_START: return row->policy == PTOWSP_START_THRESHOLD ? "processes wait for tokens, not for other tasks to be issued" : NULL;
	default: return NULL;
	}
}

/* Directives about tasks that those of a pipeline's processes do not heed. */
static ptowsp_status processes_tell(const struct rt_program *program, struct ptowsp_error *error)
{
	const struct rt_tables *tables = &program->tables;
	bool pipeline = tables->entry.rows[program->entry].flags & PTOWSP_ENTRY_PIPELINE;

	for (uint32_t i = 0; pipeline && i < tables->directive.count; i++) {
		const struct ptowsp_directive_record *row = &tables->directive.rows[i];
		const char *excuse = processes_excuse(row), *name = rt_directive_name(row->directive);
		char text[200];
		int length;

		if (!excuse)
			continue;
		if (program->schedule.strict || row->flags & PTOWSP_DIRECTIVE_MUST)
			return rt_fail(error, PTOWSP_UNSUPPORTED, "schedule directive %s cannot be enforced for tasks of processes: %s; leave it out", name,
				       excuse);
		length = snprintf(text, sizeof(text), "schedule directive %s is recorded, not enforced, for tasks of processes: %s", name, excuse);
		if (program->host && program->host->diagnose)
			program->host->diagnose(program->host->context, PTOWSP_FEATURE_POLICY(row->directive, row->policy), PTOWSP_STATE_RECORDED, text,
						(uint64_t)length);
	}
	return PTOWSP_OK;
}

ptowsp_status rt_program_create(struct rt_program **program_out, const struct rt_program_args *args, struct ptowsp_error *error)
{
	struct rt_program *program;
	ptowsp_status status = rt_program_begin(&program, args, error);

	*program_out = NULL;
	if (!status)
		status = rt_program_verify(program, error);
	if (!status)
		status = snapshots_make(program, error);
	if (!status)
		status = wishes_copy(program, args, error);
	if (!status)
		status = window_tell(program, error);
	if (!status)
		status = processes_tell(program, error);
	if (status) {
		rt_program_destroy(program);
		return status;
	}
	promise_tell(program);
	rt_after_tell(program);
	rt_interleave_tell(program);
	rt_renamings_tell(program);
	*program_out = program;
	return status;
}

static void snapshot_drop(struct rt_snapshot *snapshot)
{
	if (snapshot)
		rt_snapshot_finish(snapshot);
	free(snapshot);
}

void rt_program_forget(struct rt_program *program)
{
	rt_spares_empty(&program->spares);
}

void rt_program_destroy(struct rt_program *program)
{
	if (!program)
		return;
	snapshot_drop(program->snapshot);
	snapshot_drop(program->reader);
	snapshot_drop(program->result);
	rt_exprs_finish(&program->exprs);
	rt_tables_finish(&program->tables);
	free(program->changed);
	free(program->code);
	free(program->loops);
	free(program->sites);
	free(program->args);
	free(program->ios);
	free(program->io_views);
	free(program->afters);
	free(program->moves);
	free(program->payloads);
	free(program->parts);
	free(program->names);
	free(program->renamings);
	free(program->site_kernels);
	free(program->levels);
	free(program->level_sets);
	free(program->dim_exprs);
	free(program->region_class);
	free(program->traits);
	free(program->kernel_used);
	free(program->parts_of);
	free(program->level_told);
	free(program->kernel_ns);
	free(program->wishes);
	rt_spares_finish(&program->spares);
	pthread_mutex_destroy(&program->lock);
	free(program);
}
