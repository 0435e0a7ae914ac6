/* SPDX-License-Identifier: MIT */
/* spu_blocks.h - tensors as data handles: cut along the edges of all windows that tasks have on them, so that each window is a number of whole blocks and no two
 * blocks have an element in common. Its handle is registered when the first task that runs here touches a block.
 *
 * A tensor whose windows are so irregular that there would be more blocks than BLOCKS_MOST, or more than USES_MOST per window, is cut into rows alone; if that is too
 * many still, or windows see it with different strides, into stretches of elements; at last it is one block. */
#ifndef SPU_BLOCKS_H
#define SPU_BLOCKS_H

#include "base/walk.h"

enum spu_cut { SPU_CUT_TILES, SPU_CUT_ROWS, SPU_CUT_STRETCHES, SPU_CUT_WHOLE };

struct spu_copy {
	uint32_t rank;
	uint32_t step; /* when it came, as spu_ranks.steps */
	uint64_t at;   /* in a model: when it came */
};
struct spu_block {
	struct _starpu_data_state *handle; /* StarPU's; NULL: not registered */
	uint32_t tensor;
	uint32_t from; /* rank that wrote it last; PTOWSP_NONE: all ranks have it */
	uint32_t copy_count, copy_room;
	struct spu_copy *copies;   /* owned: other ranks that have what was written last */
	uint64_t at;               /* in a model: when `from` had written it */
	uint64_t written, touched; /* number + 1 of the latest task that writes it, or touches it; 0: none */
};
/* A tensor that the tasks of a walk touch. */
struct spu_tensor {
	char *data;        /* element 0; NULL: nobody touches it */
	uint64_t elements; /* up to the last that is touched */
	uint64_t width;    /* elements of a row; of stretches and the whole: all */
	uint32_t size;     /* bytes of an element */
	enum spu_cut cut;
	bool by_columns;          /* its columns are at home on ranks, not its rows */
	uint64_t *rows, *columns; /* owned: where blocks begin, ascending, and where the last ends; row_count + 1, column_count + 1 of them */
	uint32_t row_count, column_count;
	struct spu_block *blocks;             /* owned, row_count * column_count */
	const struct base_sharded *layout;    /* NULL: it has none (spu_homes.h) */
	const struct ptowsp_binding *binding; /* with a layout */
	uint64_t local, moved;                /* bytes: touched where they are at home; that went from rank to rank */
};
struct spu_blocks {
	struct spu_tensor *tensors; /* by TENS row */
	uint32_t tensor_count;
	uint32_t handle_count;            /* that are registered */
	const struct base_shards *shards; /* of layouts, NULL: not given yet */
	uint32_t layout_count;
};
/* The blocks that a task names: each once, with all that it does to it. */
struct spu_uses {
	struct spu_use {
		struct spu_block *block;
		uint32_t access; /* PTOWSP_READ | PTOWSP_WRITE */
	} * rows;                /* owned */
	uint32_t count, room;
};

/* Bytes of an element of a type; 0 of an unknown one. */
uint32_t spu_dtype_bytes(uint32_t dtype);
/* Cuts the tensors of a walk whose tensors lie where the bindings of the run say. One thread, as all below. Errors: NO_MEMORY. */
ptowsp_status spu_blocks_make(struct spu_blocks *blocks, const struct base_walk *walk, const struct ptowsp_run_args *args, struct ptowsp_error *error);
/* How tensors are cut, as numbers, for another process that takes the same. To be freed. NULL: no memory. */
uint64_t *spu_blocks_put(const struct spu_blocks *blocks, uint32_t *count_out);
/* Cuts them so, in place of spu_blocks_make. */
ptowsp_status spu_blocks_take(struct spu_blocks *blocks, const uint64_t *cuts, uint32_t count, const struct ptowsp_run_args *args, struct ptowsp_error *error);
/* Waits for the tasks that use them, and forgets them. */
void spu_blocks_finish(struct spu_blocks *blocks);
/* StarPU's handle of a block, registered if it was not. */
struct _starpu_data_state *spu_block_handle(struct spu_blocks *blocks, struct spu_block *block);
static inline uint64_t spu_tensor_blocks(const struct spu_tensor *tensor)
{
	return (uint64_t)tensor->row_count * tensor->column_count;
}
uint64_t spu_block_bytes(const struct spu_blocks *blocks, const struct spu_block *block);
/* What a task of the walk touches, in place of what is there. Errors: NO_MEMORY, as below. */
ptowsp_status spu_uses_find(struct spu_uses *uses, struct spu_blocks *blocks, const struct base_walk *walk, uint64_t task, struct ptowsp_error *error);
/* Adds what a window touches. */
ptowsp_status spu_uses_add(struct spu_uses *uses, struct spu_blocks *blocks, const struct ptowsp_tensor_arg *window, struct ptowsp_error *error);

#endif
