/* SPDX-License-Identifier: MIT */
#include "starpu/spu_tokens.h"

#include "base/error.h"
#include "starpu/spu_device.h"
#include "starpu/spu_homes.h"
#include <starpu.h>
#include <stdlib.h>
#include <string.h>

static ptowsp_status no_memory(struct ptowsp_error *error)
{
	return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the elements in channels");
}

ptowsp_status spu_tokens_init(struct spu_tokens *tokens, const struct base_walk *walk, uint32_t context, struct ptowsp_error *error)
{
	const size_t channels = (size_t)walk->limits.channels + 1;

	*tokens = (struct spu_tokens){.walk = walk, .context = context};
	tokens->first = calloc(channels, sizeof(*tokens->first));
	tokens->last = calloc(channels, sizeof(*tokens->last));
	tokens->done = calloc((size_t)walk->move_count + 1, sizeof(*tokens->done));
	return tokens->first && tokens->last && tokens->done ? PTOWSP_OK : no_memory(error);
}

void spu_tokens_finish(struct spu_tokens *tokens)
{
	for (uint32_t c = 0; tokens->walk && tokens->first && c < tokens->walk->limits.channels; c++)
		while (tokens->first[c]) {
			struct spu_token *token = tokens->first[c];

			tokens->first[c] = token->next;
			if (token->handle)
				starpu_data_unregister(token->handle);
			free(token);
		}
	free(tokens->first);
	free(tokens->last);
	free(tokens->done);
	free(tokens->uses.rows);
	*tokens = (struct spu_tokens){.walk = NULL};
}

/* The next one of this instance and channel; NULL: tokens go alone. */
static const struct base_walk_move *move_next(struct spu_tokens *tokens, const struct base_walk_event *event)
{
	const struct base_walk *walk = tokens->walk;

	while (tokens->from < walk->move_count && tokens->done[tokens->from])
		tokens->from++;
	for (uint32_t m = tokens->from; m < walk->move_count; m++)
		if (!tokens->done[m] && walk->moves[m].process == event->process && walk->moves[m].channel == event->row &&
		    walk->moves[m].sends == (event->kind == RT_ITEM_SEND)) {
			tokens->done[m] = true;
			return &walk->moves[m];
		}
	return NULL;
}

/* ---- on a worker --------------------------------------------------------------------------------------------------------- */

/* The argument of the two codelets: the window, where its tensor lies. The token's elements are the first handle. */
static void elements_copy(void *buffers[], const struct ptowsp_tensor_arg *window, bool sends)
{
	unsigned char *packed = (unsigned char *)STARPU_VARIABLE_GET_PTR(buffers[0]);
	const size_t size = spu_dtype_bytes(window->dtype), row = window->columns * size;

	spu_worker_works();
	for (uint64_t r = 0; r < window->rows; r++) {
		char *at = (char *)window->data + r * window->row_stride * size;

		if (sends)
			memcpy(packed + r * row, at, row);
		else
			memcpy(at, packed + r * row, row);
	}
}

static void token_fill(void *buffers[], void *window)
{
	elements_copy(buffers, window, true);
}

static void token_empty(void *buffers[], void *window)
{
	elements_copy(buffers, window, false);
}

static struct starpu_codelet fill = {.cpu_funcs = {token_fill}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "send"};
static struct starpu_codelet empty = {.cpu_funcs = {token_empty}, .nbuffers = STARPU_VARIABLE_NBUFFERS, .name = "consume"};

/* ---- submitting ---------------------------------------------------------------------------------------------------------- */

static ptowsp_status copy_submit(const struct spu_tokens *tokens, const struct base_walk_move *move, struct spu_blocks *blocks, starpu_data_handle_t handle,
				 struct ptowsp_error *error)
{
	const size_t count = tokens->uses.count + (size_t)1;
	struct starpu_task *task = starpu_task_create();
	int code;

	task->cl = move->sends ? &fill : &empty;
	task->cl_arg = (void *)(uintptr_t)&move->window;
	task->cl_arg_size = sizeof(struct ptowsp_tensor_arg);
	task->nbuffers = (int)count;
	task->dyn_handles = malloc(count * sizeof(*task->dyn_handles)); /* StarPU frees them */
	task->dyn_modes = malloc(count * sizeof(*task->dyn_modes));
	if (!task->dyn_handles || !task->dyn_modes) {
		starpu_task_destroy(task);
		return no_memory(error);
	}
	for (size_t u = 0; u < count; u++) {
		task->dyn_handles[u] = u ? spu_block_handle(blocks, tokens->uses.rows[u - 1].block) : handle;
		task->dyn_modes[u] = move->sends ? (u ? STARPU_R : STARPU_W) : (u ? STARPU_RW : STARPU_R);
	}
	code = starpu_task_submit_to_ctx(task, tokens->context);
	return code ? base_fail(error, PTOWSP_RUN_FAILED, "starpu: the elements of a token are not taken: %s", strerror(-code)) : PTOWSP_OK;
}

/* Memory that StarPU gives it, and takes back. */
static void token_register(struct spu_token *token)
{
	starpu_variable_data_register(&token->handle, -1, 0, token->bytes);
}

static ptowsp_status send(struct spu_tokens *tokens, const struct base_walk_move *move, struct spu_blocks *blocks, const struct spu_ranks *ranks, uint32_t rank,
			  struct ptowsp_error *error)
{
	const struct ptowsp_tensor_arg *window = &move->window;
	struct spu_token *token = calloc(1, sizeof(*token)), **last = &tokens->last[move->channel];

	if (!token)
		return no_memory(error);
	token->bytes = window->rows * window->columns * spu_dtype_bytes(window->dtype);
	token->rank = rank;
	token->at = ranks->came;
	if (tokens->first[move->channel])
		(*last)->next = token;
	else
		tokens->first[move->channel] = token;
	*last = token;
	if (ranks->world.rank != rank)
		return PTOWSP_OK;
	token_register(token);
	return copy_submit(tokens, move, blocks, token->handle, error);
}

static ptowsp_status take(struct spu_tokens *tokens, const struct base_walk_move *move, struct spu_blocks *blocks, struct spu_ranks *ranks, uint32_t rank,
			  struct ptowsp_error *error)
{
	struct spu_token *token = tokens->first[move->channel];
	ptowsp_status status = PTOWSP_OK;

	if (!token)
		return PTOWSP_OK;
	tokens->first[move->channel] = token->next;
	if (ranks->world.rank == rank && !token->handle)
		token_register(token);
	if (token->rank != rank)
		status = spu_ranks_pass(ranks, token->handle, token->bytes, token->rank, rank, &token->at, error);
	if (!status && ranks->world.rank == rank)
		status = copy_submit(tokens, move, blocks, token->handle, error);
	if (token->handle)
		starpu_data_unregister_submit(token->handle);
	for (uint32_t u = 0; u < tokens->uses.count; u++)
		tokens->uses.rows[u].block->at = token->at > ranks->came ? token->at : ranks->came;
	free(token);
	return status;
}

ptowsp_status spu_tokens_move(struct spu_tokens *tokens, const struct base_walk_move *move, struct spu_blocks *blocks, struct spu_ranks *ranks,
			      struct ptowsp_error *error)
{
	const uint32_t rank = tokens->uses.count ? spu_home(blocks, tokens->uses.rows[0].block, ranks->world.count) : 0;
	const ptowsp_status status = spu_ranks_touch(ranks, blocks, &tokens->uses, rank, error);

	if (status)
		return status;
	return move->sends ? send(tokens, move, blocks, ranks, rank, error) : take(tokens, move, blocks, ranks, rank, error);
}

ptowsp_status spu_tokens_next(struct spu_tokens *tokens, const struct base_walk_event *event, struct spu_blocks *blocks, const struct base_walk_move **move_out,
			      struct ptowsp_error *error)
{
	*move_out = move_next(tokens, event);
	tokens->uses.count = 0;
	return *move_out ? spu_uses_add(&tokens->uses, blocks, &(*move_out)->window, error) : PTOWSP_OK;
}
