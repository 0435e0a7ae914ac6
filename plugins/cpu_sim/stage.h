/* SPDX-License-Identifier: MIT */
/* stage.h - moving elements between shards and a row of elements; what shards.c and stage.c share. */
#ifndef CPU_SIM_STAGE_H
#define CPU_SIM_STAGE_H

#include <stdbool.h>
#include "shards.h"

enum cpu_way { CPU_TO_SHARDS, CPU_FROM_SHARDS };
/* Elements first .. first + count - 1 of the tensor, which begin at `at`. place: of the task that touches them, for local and moved bytes; UINT64_MAX: they are
 * placed or gathered; UINT64_MAX - 1: not counted. Threads may copy elements that do not overlap. */
void cpu_shard_copy(struct cpu_shards *shards, struct cpu_sharded *row, uint64_t first, uint64_t count, unsigned char *at, enum cpu_way way,
		    uint64_t place);
/* Has this place of the grid a shard of it? */
bool cpu_owns(const struct cpu_shards *shards, const struct cpu_sharded *row, uint64_t place);
uint64_t cpu_dtype_size(unsigned dtype);

#endif
