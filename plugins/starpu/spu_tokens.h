/* SPDX-License-Identifier: MIT */
/* spu_tokens.h - elements that go from process to process with a token: a task of StarPU copies them out of the sender's window, another one into the receiver's; between the
 * two they are data of StarPU's own. Handles say when: behind what was last written there, and behind who reads what was there before. */
#ifndef SPU_TOKENS_H
#define SPU_TOKENS_H

#include "starpu/spu_ranks.h"

/* Elements under way. */
struct spu_token {
	struct spu_token *next;
	struct _starpu_data_state *handle; /* NULL: neither sender nor receiver is of this rank */
	uint64_t bytes;
	uint32_t rank; /* that has them */
	uint64_t at;   /* in a model: since when */
};
struct spu_tokens {
	const struct base_walk *walk;
	struct spu_token **first, **last; /* owned, per channel: oldest and youngest */
	uint32_t context;                 /* of StarPU */
	bool *done;                       /* owned, per move of the walk */
	uint32_t from;                    /* moves before it are done */
	struct spu_uses uses;             /* of what is moved next */
};

ptowsp_status spu_tokens_init(struct spu_tokens *tokens, const struct base_walk *walk, uint32_t context, struct ptowsp_error *error);
/* Waits for what is under way. */
void spu_tokens_finish(struct spu_tokens *tokens);
/* The move with a SEND or TAKE; NULL: the token goes alone. Its blocks are in `uses` then. Errors: NO_MEMORY. */
ptowsp_status spu_tokens_next(struct spu_tokens *tokens, const struct base_walk_event *event, struct spu_blocks *blocks, const struct base_walk_move **move_out,
			      struct ptowsp_error *error);
/* Submits it, on the rank where the first block of the window is at home. Errors: NO_MEMORY, RUN_FAILED. */
ptowsp_status spu_tokens_move(struct spu_tokens *tokens, const struct base_walk_move *move, struct spu_blocks *blocks, struct spu_ranks *ranks,
			      struct ptowsp_error *error);

#endif
