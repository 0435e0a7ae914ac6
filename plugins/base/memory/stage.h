/* SPDX-License-Identifier: MIT */
/* stage.h - moving elements between shards and a row of elements; what shards.c and stage.c share. */
#ifndef BASE_STAGE_H
#define BASE_STAGE_H

#include "base/memory/shards.h"
#include <stdbool.h>

enum base_way { BASE_TO_SHARDS, BASE_FROM_SHARDS };
/* Elements first .. first + count - 1 of the tensor, which begin at `at`. place: of the task that touches them, for local and moved bytes; UINT64_MAX: they are
 * placed or gathered; UINT64_MAX - 1: not counted. Threads may copy elements that do not overlap. */
void base_shard_copy(struct base_shards *shards, struct base_sharded *row, uint64_t first, uint64_t count, unsigned char *at, enum base_way way,
		     uint64_t place);
/* Has this place of the grid a shard of it? */
bool base_owns(const struct base_shards *shards, const struct base_sharded *row, uint64_t place);
uint64_t base_dtype_size(unsigned dtype);

#endif
