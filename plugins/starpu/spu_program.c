/* SPDX-License-Identifier: MIT */
#include "starpu/spu_program.h"

#include "base/error.h"
#include "starpu/spu_batch.h"
#include <stdlib.h>
#include <string.h>

/* Tasks and tokens between two points at which data decide what follows, and bytes that their plan may take where nobody stated a limit. */
enum { MOST_TASKS = 1 << 22 };
#define MOST_BYTES (UINT64_C(4) << 30)

/* Of the planned program: what ran on StarPU's workers. */
static void device_of(void *context, uint32_t kernel, uint64_t *tasks_out, uint64_t *ns_out)
{
	const struct rt_kernels *serve = &((const struct base_planned *)context)->served;

	serve->device(serve->context, kernel, tasks_out, ns_out);
}

/* StarPU takes microseconds of each task for itself. Cycles of the reference model are a nanosecond or less, so kernels that are this short by it are so on any machine; those whose
 * cycles depend on arguments say nothing. */
enum { SHORT_CYCLES = 10000 };
/* False: only arguments or running tell. */
static bool cycles_known(const struct spu_program *own, uint32_t kernel, uint64_t *cycles_out)
{
	uint64_t *args = calloc((size_t)own->base->kernels.rows[kernel].arg_count + 1, sizeof(*args));
	const bool known = args && !own->serve.varies(own->serve.context, kernel) && !own->serve.cycles(own->serve.context, kernel, args, cycles_out);

	free(args);
	return known;
}

static void short_tell(const struct spu_program *own)
{
	const struct base_kernels *kernels = &own->base->kernels;
	const struct ptowsp_host *host = kernels->instance->host;
	uint64_t most = 0, cycles = 0;
	uint32_t longest = 0;
	char text[320];

	for (uint32_t k = 0; k < kernels->count; k++) {
		if (!cycles_known(own, k, &cycles))
			return;
		longest = cycles > most ? k : longest;
		most = cycles > most ? cycles : most;
	}
	if (!most || most >= SHORT_CYCLES || !host->diagnose)
		return;
	base_text(text, sizeof(text),
		  "they are short: the longest kernel, %.60s, takes %llu cycles, and StarPU is for tasks of 10 us and more; cpu_sim may be faster",
		  kernels->rows[longest].name, (unsigned long long)most);
	host->diagnose(host->context, PTOWSP_FEATURE_DEVICE_TASKS, PTOWSP_STATE_DIAGNOSED, text, strlen(text));
}

ptowsp_status spu_load(struct base_program *program, const struct ptowsp_load_args *args, struct ptowsp_error *error)
{
	struct spu_program *own = calloc(1, sizeof(*own));
	struct rt_kernels table;

	program->own = own;
	if (!own)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to load a program");
	program->kernels.shards = NULL; /* tensors stay whole: the row of layouts says so */
	program->shards.own = true;
	own->base = program;
	own->serve = base_kernels_table(&program->kernels);
	own->planned = (struct base_planned){own->serve, &own->walk};
	table = base_planned_table(&own->planned);
	table.device = device_of;
	short_tell(own);
	return base_planned_create(&own->walked, program, args, &table, false, error);
}

void spu_unload(struct base_program *program)
{
	struct spu_program *own = program->own;

	if (!own)
		return;
	rt_program_destroy(own->walked);
	base_walk_finish(&own->walk);
	free(own);
	program->own = NULL;
}

void spu_forget(struct base_program *program)
{
	rt_program_forget(((struct spu_program *)program->own)->walked);
}

static ptowsp_status walked(void *context, struct rt_feed *feed, struct ptowsp_error *error)
{
	return spu_batch_run(context, feed, error);
}

/* What decides is in memory when all tasks so far have ended. */
static ptowsp_status phase(void *context, struct rt_feed *feed, const struct base_walk_phase *at, struct ptowsp_error *error)
{
	(void)at;
	return spu_batch_run(context, feed, error);
}

ptowsp_status spu_run(struct base_program *program, const struct rt_run_args *args, struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out,
		      struct ptowsp_error *error)
{
	const struct ptowsp_host *host = program->device->instance->host;
	struct spu_program *own = program->own;
	struct base_patience patience = base_patience_of(host, args, MOST_BYTES);
	uint64_t now = 0;
	const struct spu_batch_args batch = {own, args, deadlock_out, &patience, &now};
	const struct base_walk_then then = {(void *)&batch, walked, phase, MOST_TASKS, &patience, walked};
	ptowsp_status status;

	for (uint32_t k = 0; k < program->kernels.count; k++) {
		atomic_store(&program->kernels.rows[k].device_tasks, 0);
		atomic_store(&program->kernels.rows[k].device_ns, 0);
	}
	status = base_walk_fill(&own->walk, own->walked, args, &then, stats_out, deadlock_out, error);

	base_walk_finish(&own->walk); /* what stayed would hide as much of the next run's memory */
	return status;
}
