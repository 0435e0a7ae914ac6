/* SPDX-License-Identifier: MIT
 * fuzz_graph.c - bytes that claim to be a built graph: the check refuses them, or they run to their end. */
#include "rt/graph/graph_run.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Two threads may write it: atomic. */
static _Atomic uint64_t sink;

static ptowsp_status task(void *context, uint32_t number, uint32_t worker, struct ptowsp_error *error)
{
	const struct rt_graph *g = context;
	const struct rt_graph_task *t = &g->tasks[number];
	uint64_t sum = (unsigned char)g->text[g->kernels[t->kernel].name];

	(void)worker, (void)error;
	for (uint32_t i = 0; i < t->arg_count; i++)
		sum += g->args[t->args_begin + i];
	for (uint32_t i = 0; i < t->io_count; i++)
		sum += g->tensors[g->ios[t->io_begin + i].tensor].elements;
	sink = sum;
	return PTOWSP_OK;
}

bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
bool LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t room = (size + 63) / 64 * 64;
	void *block = aligned_alloc(64, room ? room : 64);
	uint32_t tasks, *counts;
	struct rt_pool *pool = NULL;
	struct rt_graph g;
	struct rt_graph_state state;

	memcpy(block, data, size);
	if (!rt_graph_head_check(block, size, &tasks)) {
		counts = malloc(((size_t)tasks + 1) * sizeof(*counts));
		if (!rt_graph_check(block, size, counts, NULL)) {
			struct rt_graph_how how = {.context = &g, .task = task};

			rt_graph_open(&g, block);
			if (tasks % 2 && rt_pool_create(&pool, 2, NULL))
				pool = NULL;
			how.pool = pool;
			if (!rt_graph_state_init(&state, &g, NULL) && rt_graph_run(&state, &how, NULL))
				abort();
			rt_graph_state_finish(&state);
			rt_pool_destroy(pool);
		}
		free(counts);
	}
	free(block);
	return false;
}
