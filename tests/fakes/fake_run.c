/* SPDX-License-Identifier: MIT */
#include "fake_run.h"

#include "fake_faults.h"
#include "fake_log.h"
#include "fake_memory.h"
#include <stdlib.h>
#include <string.h>

bool fake_run_config_valid(const struct ascend_call_config *config)
{
	if (config->aicpu_threads < 0 || config->aicpu_threads == 1)
		return false;
	for (int r = 0; r < ASCEND_RINGS; r++) {
		uint64_t window = config->task_window[r], heap = config->heap[r], pool = config->dep_pool[r];

		if ((window && (window < 4 || window & (window - 1) || window > INT32_MAX)) || (heap && heap < 1024) ||
		    (pool && (pool < 4 || pool > INT32_MAX)))
			return false;
	}
	return true;
}

static size_t bytes_of(const struct ascend_tensor *tensor)
{
	static const uint8_t sizes[ASCEND_DTYPES] = {4, 2, 4, 2, 1, 1, 2, 8, 8, 2, 4, 1};
	size_t bytes = tensor->dtype < ASCEND_DTYPES ? sizes[tensor->dtype] : 0;

	for (uint32_t d = 0; d < tensor->ndims; d++)
		bytes *= tensor->shapes[d];
	return bytes;
}

static bool entry_tensor_valid(const struct ascend_tensor *tensor)
{
	return tensor->addr && tensor->ndims >= 1 && tensor->ndims <= ASCEND_TENSOR_DIMS && tensor->owner == ASCEND_NO_TASK && !tensor->start &&
	       !tensor->version && !tensor->manual_dep && tensor->is_contiguous == 1 && tensor->address_space <= ASCEND_DEVICE &&
	       bytes_of(tensor) == tensor->bytes && tensor->bytes && tensor->strides[tensor->ndims - 1] == 1;
}

/* Host buffers get a copy on the device; it begins as theirs unless it is only written, and comes back unless it is only read. */
static int tensor_stage(struct fake_run *run, int index, const struct ascend_tensor *tensor)
{
	int32_t direction = index < run->program->direction_count ? run->program->directions[index] : ASCEND_INOUT;
	struct fake_copy *copy = &run->copies[run->copy_count];

	if (!entry_tensor_valid(tensor))
		return fake_wrong("entry tensor %d has no address, or impossible dimensions or sizes", index);
	run->tensors[index] = *tensor;
	run->entry.tensors[index] = &run->tensors[index];
	if (tensor->address_space == ASCEND_DEVICE)
		return 0;
	*copy = (struct fake_copy){(void *)(uintptr_t)tensor->addr, fake_memory_alloc(run->blocks, tensor->bytes), tensor->bytes, direction != ASCEND_IN};
	if (!copy->device)
		return -1;
	run->tensors[index].addr = (uintptr_t)copy->device;
	run->copy_count++;
	return direction != ASCEND_OUT ? fake_memory_put(copy->device, copy->host, copy->size) : 0;
}

static int entry_stage(struct fake_run *run, const struct ascend_entry_args *args)
{
	int rc = 0;

	if (args->tensor_count < 0 || args->tensor_count > ASCEND_ENTRY_TENSORS || args->scalar_count < 0 || args->scalar_count > ASCEND_ENTRY_SCALARS)
		return fake_wrong("impossible counts of entry arguments");
	for (int i = 0; !rc && i < args->tensor_count; i++)
		rc = tensor_stage(run, i, &args->tensors[i]);
	run->entry.tensor_count = args->tensor_count;
	run->entry.scalar_count = args->scalar_count;
	memcpy(run->entry.scalars, args->scalars, sizeof(run->entry.scalars));
	return rc;
}

static int orchestrate(struct fake_run *run)
{
	if (run->program->config(&run->entry).expected_arg_count > run->entry.tensor_count + run->entry.scalar_count)
		return fake_wrong("the orchestration expects more arguments");
	run->program->bind(&run->graph.head);
	run->program->entry(&run->entry);
	run->program->bind(NULL);
	run->graph.depth = 0; /* the scope around it all ends */
	return 0;
}

/* A line per ring and resource that was used: FAKE_LOG. */
static void rings_tell(const struct fake_graph *graph)
{
	static const char *const names[] = {"slots", "bytes", "entries", "spilled entries"};

	for (int r = 0; r < ASCEND_RINGS; r++) {
		const struct fake_ring *ring = &graph->rings[r];
		const uint64_t sizes[] = {ring->window, ring->heap, ring->pool, ring->pool};

		for (int k = 0; k < FAKE_RESOURCES; k++)
			if (ring->most[k])
				fake_log("ring %d: %llu of %llu %s, %llu stalls", r, (unsigned long long)ring->most[k], (unsigned long long)sizes[k], names[k],
					 (unsigned long long)ring->stalls[k]);
	}
}

static void run_release(struct fake_run *run)
{
	rings_tell(&run->graph);
	for (int both = 0; both < 2; both++)
		if (run->graph.mixed[both])
			fake_log("%u tasks on a cube core and %d vector cores", run->graph.mixed[both], 1 + both);
	for (uint32_t i = 0; i < run->copy_count; i++)
		fake_memory_free(run->blocks, run->copies[i].device);
	fake_graph_finish(&run->graph);
	memset(run, 0, sizeof(*run));
}

static int graph_result(const struct fake_run *run)
{
	return run->graph.fatal ? fake_fault(run->graph.fatal, "", run->graph.detail) : 0;
}

int fake_run_prepare(struct fake_run *run, struct fake_program *program, int *blocks, const struct ascend_entry_args *args,
		     const struct ascend_call_config *config)
{
	const char *seed = getenv("FAKE_SEED"), *polls = getenv("FAKE_POLLS");
	int rc;

	*run = (struct fake_run){.magic = FAKE_RUN_MAGIC, .state = FAKE_RUN_PREPARED, .blocks = blocks, .program = program, .polls = polls ? atoi(polls) : 1};
	fake_graph_init(&run->graph, fake_host_graph, config, seed ? strtoull(seed, NULL, 10) : 1);
	run->graph.functions = program->functions;
	rc = entry_stage(run, args);
	if (!rc && fake_host_graph)
		rc = orchestrate(run);
	if (!rc && fake_host_graph && run->graph.fatal != 104)
		rc = graph_result(run);
	if (rc)
		run_release(run);
	return rc;
}

static void *run_thread(void *context)
{
	struct fake_run *run = context;

	if (!fake_host_graph)
		orchestrate(run);
	if (!run->graph.count && !run->graph.fatal)
		fake_wrong("a run without a task, which in the real runtime never ends");
	fake_graph_run(&run->graph);
	return NULL;
}

int fake_run_launch(struct fake_run *run)
{
	int rc = fake_device_launch();

	if (!rc && pthread_create(&run->thread, NULL, run_thread, run))
		rc = -1;
	if (!rc)
		run->state = FAKE_RUN_GOING;
	return rc;
}

bool fake_run_ready(struct fake_run *run)
{
	return run->state != FAKE_RUN_GOING || run->polls-- <= 0;
}

void fake_run_join(struct fake_run *run)
{
	if (run->state == FAKE_RUN_GOING)
		pthread_join(run->thread, NULL);
	run->state = FAKE_RUN_OVER;
}

int fake_run_finalize(struct fake_run *run, int rc)
{
	bool launched = run->state != FAKE_RUN_PREPARED;

	fake_run_join(run);
	if (!rc && launched)
		rc = graph_result(run);
	for (uint32_t i = 0; !rc && launched && i < run->copy_count; i++)
		if (run->copies[i].back)
			rc = fake_memory_get(run->copies[i].host, run->copies[i].device, run->copies[i].size);
	run_release(run);
	return rc;
}
