/* SPDX-License-Identifier: MIT */
#include "ascend/core/shares.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct share {
	_Atomic uint64_t cycles, busy[ASCEND_PIPE_COUNT];
};
struct ascend_shares {
	struct ptowsp_pipe_stats pipes[ASCEND_PIPE_COUNT + 2];
	uint32_t count;
	struct share rows[];
};

struct ascend_shares *ascend_shares_create(uint32_t kernels)
{
	struct ascend_shares *shares = calloc(1, sizeof(*shares) + kernels * sizeof(*shares->rows));

	if (shares)
		shares->count = kernels;
	return shares;
}

void ascend_shares_destroy(struct ascend_shares *shares)
{
	free(shares);
}

/* Sums alone, so in whatever order: relaxed. */
void ascend_shares_add(struct ascend_shares *shares, uint32_t kernel, const struct ascend_cost *cost)
{
	struct share *row = &shares->rows[kernel];

	atomic_fetch_add_explicit(&row->cycles, cost->cycles, memory_order_relaxed);
	for (uint32_t pipe = 0; pipe < ASCEND_PIPE_COUNT; pipe++)
		if (cost->busy[pipe])
			atomic_fetch_add_explicit(&row->busy[pipe], cost->busy[pipe], memory_order_relaxed);
}

/* total * part / whole, rounded down; part <= whole. */
static uint64_t part_of(uint64_t total, uint64_t part, uint64_t whole)
{
	for (; whole >> 32; whole >>= 1)
		part >>= 1;
	return whole ? total / whole * part + total % whole * part / whole : 0;
}

static unsigned unit_of(uint32_t pipe)
{
	return pipe < ASCEND_PIPE_GM_UB ? PTOWSP_UNIT_AIC : PTOWSP_UNIT_AIV;
}

static void row_add(struct ascend_shares *shares, const struct ascend_arch *arch, unsigned unit, const char *name, uint64_t cycles,
		    struct ptowsp_run_stats *stats)
{
	struct ptowsp_pipe_stats *row = &shares->pipes[stats->pipe_count];

	if (!cycles)
		return;
	*row = (struct ptowsp_pipe_stats){
		.unit = unit, .cores = unit == PTOWSP_UNIT_AIC ? arch->clusters : arch->clusters * arch->vectors_each, .cycles = cycles};
	snprintf(row->name, sizeof(row->name), "%s", name);
	stats->pipe_count++;
}

void ascend_shares_tell(struct ascend_shares *shares, const struct ascend_arch *arch, uint64_t cube_cycles, uint64_t vector_cycles,
			struct ptowsp_run_stats *stats)
{
	uint64_t busy[ASCEND_PIPE_COUNT] = {0};

	for (uint32_t k = 0; k < stats->kernel_count; k++) {
		const struct ptowsp_kernel_stats *kernel = &stats->kernels[k];

		for (uint32_t pipe = 0; kernel->kernel < shares->count && pipe < ASCEND_PIPE_COUNT; pipe++)
			busy[pipe] += part_of(kernel->cycles, atomic_load(&shares->rows[kernel->kernel].busy[pipe]),
					      atomic_load(&shares->rows[kernel->kernel].cycles));
	}
	stats->pipes = shares->pipes;
	stats->pipe_stride = sizeof(*shares->pipes);
	stats->pipe_count = 0;
	for (uint32_t pipe = ASCEND_PIPE_GM_L1; pipe < ASCEND_PIPE_COUNT; pipe++) { /* both kinds have a scalar one, and they do the same */
		if (pipe == ASCEND_PIPE_GM_L1 || unit_of(pipe) != unit_of(pipe - 1))
			row_add(shares, arch, unit_of(pipe), "", unit_of(pipe) == PTOWSP_UNIT_AIC ? cube_cycles : vector_cycles, stats);
		row_add(shares, arch, unit_of(pipe), ascend_pipe_text((enum ascend_pipe)pipe), busy[pipe], stats);
	}
}
