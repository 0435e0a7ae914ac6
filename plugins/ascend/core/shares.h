/* SPDX-License-Identifier: MIT */
/* shares.h - how the cycles of tasks divide among the pipes of their cores: what kernels cost by model core, added up as it is found, and rows of statistics made of it. */
#ifndef ASCEND_SHARES_H
#define ASCEND_SHARES_H

#include "ascend/ascend_arch.h"
#include "ascend/core/core.h"
#include "ptowsp/run.h"

struct ascend_shares;
/* kernels: rows of KREG. NULL: out of memory. */
struct ascend_shares *ascend_shares_create(uint32_t kernels);
void ascend_shares_destroy(struct ascend_shares *shares); /* NULL is allowed */
/* An execution of the kernel cost that. Any thread. */
void ascend_shares_add(struct ascend_shares *shares, uint32_t kernel, const struct ascend_cost *cost);
/* stats->pipes of a run whose kernels stats->kernels has: its cycles go to pipes as those that were found do. cube_cycles, vector_cycles: of tasks on cores of the
 * kind. Rows stay until the next call or destroy. */
void ascend_shares_tell(struct ascend_shares *shares, const struct ascend_arch *arch, uint64_t cube_cycles, uint64_t vector_cycles,
			struct ptowsp_run_stats *stats);

#endif
