/* SPDX-License-Identifier: MIT */
#include "ascend/machine/simulated.h"

#include "ascend/core/core.h"
#include "ascend/core/shares.h"
#include "ascend/machine/machine.h"
#include "base/error.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

/* A program's own parts. */
struct bound {
	struct base_costs costs;
	const struct base_kernels *kernels;
	enum ascend_model model;
	struct ascend_shares *shares; /* owned */
	uint8_t *units;               /* owned: per kernel, and of the copy behind them; of the machine's config */
	uint32_t *blocks;             /* owned: as units */
	bool spreads;                 /* one of them has several */
	struct large *larges;         /* kernels that do not fit and run all the same */
	struct ascend_kernel *rows[]; /* one per KREG row; NULL: without portable code, or it does not fit */
};
struct large {
	struct large *next;
	uint32_t row;
	atomic_bool said;
	char text[216];
};

/* ---- what kernels cost --------------------------------------------------------------------------------------------- */

/* Once, and only of kernels that tasks have. Any thread. */
static void large_say(const struct bound *bound, uint32_t row)
{
	struct large *large = bound->larges;

	while (large && large->row != row)
		large = large->next;
	if (large && !atomic_exchange(&large->said, true))
		base_log(bound->kernels->instance, PTOWSP_LOG_WARNING, "%s: here it runs as if there was room, and not at all with limits=refuse", large->text);
}

static ptowsp_status walk(void *context, uint32_t row, const uint64_t *args, uint32_t arg_count, struct isa_block block, const struct isa_guard *guard,
			  uint64_t *cycles_out, struct ptowsp_error *error)
{
	const struct bound *bound = context;
	struct ascend_cost cost = {0};
	ptowsp_status status;

	if (bound->model == ASCEND_MODEL_NAME)
		return ascend_task_cycles(NULL, bound->model, bound->kernels->rows[row].name, args, arg_count, 1, guard, cycles_out, error);
	if (!bound->rows[row])
		return PTOWSP_UNSUPPORTED;
	if (bound->larges)
		large_say(bound, row);
	if (bound->model == ASCEND_MODEL_OP_SUM)
		return ascend_kernel_op_sum(bound->rows[row], args, arg_count, block, guard, cycles_out, error);
	status = ascend_kernel_cost(bound->rows[row], args, arg_count, block, guard, &cost, error);
	*cycles_out = cost.cycles;
	if (!status)
		ascend_shares_add(bound->shares, row, &cost);
	return status;
}

static ptowsp_status run(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch,
			 const struct isa_guard *guard)
{
	const struct bound *bound = context;
	const struct isa_block block = {task->block, task->block_count ? task->block_count : 1};
	struct ascend_cost cost = {0};
	uint64_t cycles;
	ptowsp_status status;

	if (bound->larges)
		large_say(bound, row);
	if (bound->model == ASCEND_MODEL_CORE && bound->rows[row]) {
		status = ascend_kernel_run(bound->rows[row], task, out, scratch, guard, &cost);
		out->cycles = cost.cycles;
		if (!status)
			ascend_shares_add(bound->shares, row, &cost);
		return status;
	}
	status = isa_run_guarded(bound->kernels->rows[row].isa, task, out, scratch, guard);
	if (!status && !walk(context, row, task->args, task->arg_count, block, guard, &cycles, NULL))
		out->cycles = cycles;
	return status;
}

static ptowsp_status large_add(struct bound *bound, uint32_t row, const char *text, struct ptowsp_error *error)
{
	struct large *large = calloc(1, sizeof(*large));

	if (!large)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for what kernels cost");
	large->next = bound->larges;
	large->row = row;
	snprintf(large->text, sizeof(large->text), "%s", text);
	bound->larges = large;
	return PTOWSP_OK;
}

static ptowsp_status kernel_bind(struct bound *bound, struct base_kernel *kernel, uint32_t row, const struct ascend_arch *arch, enum ascend_limits limits,
				 struct ptowsp_error *error)
{
	struct ptowsp_error why = {.head = PTOWSP_HEAD(why, ERROR)};
	ptowsp_status status;

	if (!kernel->isa || kernel->why[0])
		return PTOWSP_OK;
	status = limits == ASCEND_LIMITS_WARN ? ascend_kernel_make(&bound->rows[row], kernel->isa, kernel->name, arch, kernel->unit, &why)
					      : ascend_kernel_create(&bound->rows[row], kernel->isa, kernel->name, arch, kernel->unit, &why);
	if (status == PTOWSP_NO_MEMORY)
		return base_fail(error, status, "%s", why.text);
	if (bound->rows[row] && ascend_kernel_has_product(bound->rows[row]))
		bound->units[row] = (uint8_t)ascend_kernel_unit(bound->rows[row]); /* no vector core can do that, whatever cores are idle */
	if (status && bound->rows[row])
		return large_add(bound, row, why.text, error);
	if (status)
		snprintf(kernel->why, sizeof(kernel->why), "%s", why.text);
	return PTOWSP_OK;
}

ptowsp_status ascend_simulated_bind(struct base_program *program, const struct ascend_simulated *own, struct ptowsp_error *error)
{
	struct base_kernels *kernels = &program->kernels;
	struct bound *bound = calloc(1, sizeof(*bound) + kernels->count * sizeof(*bound->rows));
	ptowsp_status status = PTOWSP_OK;

	if (!bound)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for what kernels cost");
	*bound = (struct bound){.costs = {bound, walk, run}, .kernels = kernels, .model = (enum ascend_model)own->model};
	program->own = bound;
	kernels->costs = &bound->costs;
	bound->shares = ascend_shares_create(kernels->count);
	bound->units = calloc((size_t)kernels->count + 1, 1);
	bound->blocks = calloc((size_t)kernels->count + 1, sizeof(*bound->blocks));
	if (!bound->shares || !bound->units || !bound->blocks)
		status = base_fail(error, PTOWSP_NO_MEMORY, "no memory for what kernels cost");
	for (uint32_t k = 0; bound->blocks && k <= kernels->count; k++) {
		bound->blocks[k] = k < kernels->count ? kernels->rows[k].blocks : 1;
		bound->spreads |= bound->blocks[k] > 1;
	}
	for (uint32_t k = 0; !status && k < kernels->count; k++)
		status = kernel_bind(bound, &kernels->rows[k], k, ascend_model_arch(program->device->model), (enum ascend_limits)own->limits, error);
	return status;
}

void ascend_simulated_unload(struct base_program *program)
{
	struct bound *bound = program->own;

	for (uint32_t k = 0; bound && k < program->kernels.count; k++)
		ascend_kernel_destroy(bound->rows[k]);
	for (struct large *large = bound ? bound->larges : NULL, *next; large; large = next) {
		next = large->next;
		free(large);
	}
	program->kernels.costs = NULL;
	if (bound) {
		ascend_shares_destroy(bound->shares);
		free(bound->units);
		free(bound->blocks);
	}
	free(bound);
	program->own = NULL;
}

/* ---- runs ---------------------------------------------------------------------------------------------------------- */

ptowsp_status ascend_simulated_run(struct base_program *program, const struct ascend_simulated *own, const struct rt_run_args *args,
				   struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error)
{
	struct ascend_machine machine = {.config = ascend_machine_of(ascend_model_arch(program->device->model))};
	const struct bound *bound = program->own;
	struct rt_run_args with = *args;
	struct rt_engine engine;
	ptowsp_status status;

	machine.config.by_number = own->order == ASCEND_LOWEST_FIRST;
	machine.config.orchestrator = own->orchestrator;
	machine.config.program_order = own->order == ASCEND_PROGRAM_ORDER;
	machine.config.streams = own->streams;
	machine.config.units = bound->units;
	machine.config.hints = program->hints;
	machine.config.blocks = bound->spreads ? bound->blocks : NULL;
	if (own->protocol == ASCEND_PROTOCOL_FITTED)
		machine.config.cost = ascend_protocol_of(ascend_model_arch(program->device->model), true);
	else if (own->protocol == ASCEND_PROTOCOL_NONE)
		machine.config.cost = (struct ascend_protocol){0};
	machine.config.rings = own->rings == ASCEND_RINGS_RUNTIME;
	engine = ascend_machine_engine(&machine);
	with.engine = &engine;
	status = rt_run(program->rt, &with, stats_out, deadlock_out, error);
	if (bound->model == ASCEND_MODEL_CORE && !machine.config.program_order)
		ascend_shares_tell(bound->shares, ascend_model_arch(program->device->model), machine.stats.cube_cycles, machine.stats.vector_cycles, stats_out);
	return status;
}
