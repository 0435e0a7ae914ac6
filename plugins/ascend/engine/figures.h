/* SPDX-License-Identifier: MIT */
/* figures.h - counters that the runtime writes into the folder of records, as rows of statistics: how long pipes of cores worked (its PMU: pmu.csv), and the most that was taken of its map, pools and heap
 * (scope_stats/scope_stats.jsonl). One thread. */
#ifndef ASCEND_FIGURES_H
#define ASCEND_FIGURES_H

#include "ascend/ascend_arch.h"
#include "ptowsp/run.h"

enum { ASCEND_FIGURES_PIPES = 12 /* of a kind of cores, with the row of the cores themselves */ };
struct ascend_figures {
	struct ptowsp_pipe_stats pipes[2 * ASCEND_FIGURES_PIPES];
	struct ptowsp_resource_stats *resources; /* owned */
};
/* Rows of stats are replaced where the folder has a file with figures of them: pipes, where any has worked; capacity and high water of tensor_map, dep_list and heap, of the ring that took most. Rows lie in
 * `figures` until the next call or finish. */
void ascend_figures_tell(struct ascend_figures *figures, const char *folder, const struct ascend_arch *arch, struct ptowsp_run_stats *stats);
void ascend_figures_finish(struct ascend_figures *figures); /* of zeroed ones, too */

#endif
