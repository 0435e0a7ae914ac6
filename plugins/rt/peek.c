/* SPDX-License-Identifier: MIT */
#include "rt/peek.h"

#include "rt/error.h"
#include "rt/run.h"

struct peeking {
	struct rt_run *run;
	unsigned access;
};

static bool piece_peek(void *context, uint32_t tensor, int64_t start, int64_t end)
{
	const struct peeking *peeking = context;
	struct rt_run *run = peeking->run;

	rt_pieces_peek(run->overlap.pieces, &run->track, tensor, start, end, peeking->access);
	return !run->preds.out_of_memory;
}

static void pieces_peek(struct rt_run *run, const struct rt_use *use)
{
	const struct rt_access *access = &rt_run_accesses(run)[use->argument];

	for (unsigned bit = PTOWSP_READ; bit <= PTOWSP_WRITE; bit <<= 1) {
		struct peeking peeking = {run, bit};

		if (use->access & bit)
			rt_access_visit(access, &run->tensors, access->io->access & bit ? bit : access->io->access, piece_peek, &peeking);
	}
}

/* A version that the task makes comes behind nobody. */
static void cell_peek(struct rt_run *run, const struct rt_cells *cells, const struct rt_use *use)
{
	uint64_t name = use->way == RT_USE_INTERNED ? rt_use_name(run, &rt_run_accesses(run)[use->argument]) : use->name;
	const struct rt_cell *cell = name == RT_NO_NAME ? NULL : rt_cells_find(cells, name);

	run->preds.out_of_memory |= name == RT_NO_NAME;
	if (cell && !(use->way == RT_USE_VERSION && rt_versions_makes(run, use->tensor, (int64_t)(use->name & RT_PLACES))))
		rt_cell_peek(&run->track, cell, use->access);
}

ptowsp_status rt_peek_edges(struct rt_run *run, const struct rt_site *site)
{
	const struct rt_lattice *lattices = run->overlap.lattices;
	const struct rt_cells *cells = lattices ? &run->overlap.cells : &run->exact;
	const struct rt_use *uses = run->plan ? run->plan->uses : run->own_uses;
	uint32_t count;

	rt_preds_next(&run->preds, run->tasks, run->window);
	if (run->plan)
		rt_plan_place(run, run->plan);
	count = run->plan ? run->plan->use_count : rt_uses_make(run, site, run->accesses, run->own_uses);
	for (const struct rt_use *use = uses; cells->entries && use < uses + count; use++) {
		if (lattices && use->way != RT_USE_VERSION && !rt_use_named(use, lattices))
			pieces_peek(run, use);
		else
			cell_peek(run, cells, use);
	}
	if (run->preds.out_of_memory)
		return rt_no_memory(run->error, "the tensor map");
	return run->overlap.stopped || !site->after_count ? run->overlap.stopped : rt_after_enter(run, site);
}
