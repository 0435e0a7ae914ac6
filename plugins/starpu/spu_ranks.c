/* SPDX-License-Identifier: MIT */
#include "starpu/spu_ranks.h"

#include "base/error.h"
#include <dlfcn.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the library --------------------------------------------------------------------------------------------------------- */

/* Of starpu_mpi.h 1.3; a communicator of OpenMPI is a pointer. */
typedef void (*mpi_told)(void *);
#define FUNCTIONS(X)                                                                                                                                           \
	X(starpu_mpi_init, int, (int *argc, char ***argv, int initialize))                                                                                     \
	X(starpu_mpi_shutdown, int, (void))                                                                                                                    \
	X(starpu_mpi_world_rank, int, (void))                                                                                                                  \
	X(starpu_mpi_world_size, int, (void))                                                                                                                  \
	X(starpu_mpi_isend_detached, int, (starpu_data_handle_t handle, int to, int64_t tag, void *world, mpi_told told, void *context))                       \
	X(starpu_mpi_irecv_detached, int, (starpu_data_handle_t handle, int from, int64_t tag, void *world, mpi_told told, void *context))                     \
	X(starpu_mpi_send, int, (starpu_data_handle_t handle, int to, int64_t tag, void *world))                                                               \
	X(starpu_mpi_recv, int, (starpu_data_handle_t handle, int from, int64_t tag, void *world, void *status))

static struct {
	bool begun, over;
	void *world; /* MPI_COMM_WORLD */
#define X(name, result, parameters) result(*name) parameters;
	FUNCTIONS(X)
#undef X
} mpi;

/* OpenMPI finds its parts by the symbols of those that are there, so it is opened for all; it does not leave. */
static ptowsp_status library_open(struct ptowsp_error *error)
{
	void *library = dlopen("libstarpumpi-1.3.so.3", RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);

	if (!library)
		return base_fail(error, PTOWSP_NO_DEVICE, "starpu: several ranks need StarPU's MPI layer: %.120s; install it (Debian: libstarpumpi-1.3-3)",
				 dlerror());
	mpi.world = dlsym(library, "ompi_mpi_comm_world");
	if (!mpi.world)
		return base_fail(error, PTOWSP_NO_DEVICE, "starpu: several ranks need OpenMPI, and StarPU's MPI layer was built with another MPI here");
#define X(name, result, parameters)                                                                                                                            \
	*(void **)&mpi.name = dlsym(library, #name);                                                                                                           \
	if (!mpi.name)                                                                                                                                         \
		return base_fail(error, PTOWSP_NO_DEVICE, "starpu: libstarpumpi-1.3.so.3 has no %s; StarPU 1.3.10 is needed", #name);
	FUNCTIONS(X)
#undef X
	return PTOWSP_OK;
}

ptowsp_status spu_world_read(struct spu_world *world_out, const char *text, struct ptowsp_error *error)
{
	char behind;

	*world_out = (struct spu_world){0, 1};
	if (!*text || (sscanf(text, "%u/%u%c", &world_out->rank, &world_out->count, &behind) == 2 && world_out->rank < world_out->count &&
		       world_out->count <= SPU_RANKS_MOST))
		return PTOWSP_OK;
	return base_fail(error, PTOWSP_INVALID, "starpu: option rank takes I/N, rank I of N from 0 on and at most %d of them, not \"%.40s\"", SPU_RANKS_MOST,
			 text);
}

ptowsp_status spu_world_begin(const struct spu_world *world, struct ptowsp_error *error)
{
	ptowsp_status status;

	if (world->count < 2)
		return PTOWSP_OK;
	if (mpi.over)
		return base_fail(error, PTOWSP_NO_DEVICE, "starpu: MPI begins once in a process; open one device");
	status = library_open(error);
	if (status)
		return status;
	if (mpi.starpu_mpi_init(NULL, NULL, 1))
		return base_fail(error, PTOWSP_NO_DEVICE, "starpu: MPI does not begin; start this with mpirun -n %u", world->count);
	mpi.begun = true;
	if (mpi.starpu_mpi_world_rank() == (int)world->rank && mpi.starpu_mpi_world_size() == (int)world->count)
		return PTOWSP_OK;
	base_fail(error, PTOWSP_NO_DEVICE, "starpu: rank=%u/%u, and MPI says that this is rank %d of %d", world->rank, world->count,
		  mpi.starpu_mpi_world_rank(), mpi.starpu_mpi_world_size());
	spu_world_end();
	return PTOWSP_NO_DEVICE;
}

void spu_world_end(void)
{
	if (mpi.begun)
		mpi.starpu_mpi_shutdown();
	mpi.over |= mpi.begun;
	mpi.begun = false;
}

/* ---- where --------------------------------------------------------------------------------------------------------------- */

uint32_t spu_ranks_home(const struct spu_ranks *ranks, const struct spu_blocks *blocks, const struct spu_block *block)
{
	const struct spu_tensor *tensor = &blocks->tensors[block->tensor];
	const uint64_t at = (uint64_t)(block - tensor->blocks), row = at / tensor->column_count, column = at % tensor->column_count;
	const bool columns = tensor->row_count == 1 || (tensor->by_columns && tensor->column_count > 1);

	return (uint32_t)(columns ? column * ranks->world.count / tensor->column_count : row * ranks->world.count / tensor->row_count);
}

static ptowsp_status uses_of(struct spu_uses *uses, struct spu_blocks *blocks, const struct base_walk *walk, uint64_t task, struct ptowsp_error *error)
{
	const struct base_walk_task *row = &walk->tasks[task];
	ptowsp_status status = PTOWSP_OK;

	uses->count = 0;
	for (uint32_t t = 0; !status && t < row->tensor_count; t++)
		status = spu_uses_add(uses, blocks, &walk->tensors[row->tensors + t], error);
	return status;
}

static uint32_t rank_of(const struct spu_ranks *ranks, const struct spu_blocks *blocks, const struct spu_uses *uses)
{
	for (uint32_t u = 0; u < uses->count; u++)
		if (uses->rows[u].access & PTOWSP_WRITE)
			return spu_ranks_home(ranks, blocks, uses->rows[u].block);
	return uses->count ? spu_ranks_home(ranks, blocks, uses->rows[0].block) : 0;
}

static void valid_reset(const struct spu_blocks *blocks)
{
	for (uint32_t t = 0; t < blocks->tensor_count; t++)
		for (uint64_t b = 0; blocks->tensors[t].blocks && b < (uint64_t)blocks->tensors[t].row_count * blocks->tensors[t].column_count; b++)
			blocks->tensors[t].blocks[b].valid = UINT64_MAX;
}

/* Bytes that would move. */
static ptowsp_status moves_count(const struct spu_ranks *ranks, struct spu_blocks *blocks, const struct base_walk *walk, struct spu_uses *uses,
				 uint64_t *bytes_out, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	*bytes_out = 0;
	valid_reset(blocks);
	for (uint64_t t = 0; !status && t < walk->task_count; t++) {
		uint64_t bit;

		status = uses_of(uses, blocks, walk, t, error);
		bit = UINT64_C(1) << rank_of(ranks, blocks, uses);
		for (uint32_t u = 0; !status && u < uses->count; u++) {
			struct spu_block *block = uses->rows[u].block;

			*bytes_out += block->valid & bit ? 0 : spu_block_bytes(blocks, block);
			block->valid = uses->rows[u].access & PTOWSP_WRITE ? bit : block->valid | bit;
		}
	}
	return status;
}

/* One tensor after the other, for as many as a plan may take. */
enum { TENSORS_TRIED = 16 };
static ptowsp_status homes_choose(struct spu_ranks *ranks, struct spu_blocks *blocks, const struct base_walk *walk, struct spu_uses *uses,
				  struct ptowsp_error *error)
{
	uint64_t least, bytes;
	uint32_t tried = 0;
	ptowsp_status status = moves_count(ranks, blocks, walk, uses, &least, error);

	for (uint32_t t = 0; !status && t < blocks->tensor_count && tried < TENSORS_TRIED; t++) {
		struct spu_tensor *tensor = &blocks->tensors[t];

		if (!tensor->blocks || tensor->row_count < 2 || tensor->column_count < 2)
			continue;
		tried++;
		tensor->by_columns = true;
		status = moves_count(ranks, blocks, walk, uses, &bytes, error);
		tensor->by_columns = bytes < least;
		least = bytes < least ? bytes : least;
	}
	return status;
}

ptowsp_status spu_ranks_plan(struct spu_ranks *ranks, struct spu_blocks *blocks, const struct spu_orders *orders, struct ptowsp_error *error)
{
	const struct base_walk *walk = orders->walk;
	struct spu_uses uses = {.rows = NULL};
	uint32_t executors = 1;
	ptowsp_status status;

	ranks->of = calloc(walk->task_count + 1, sizeof(*ranks->of));
	if (!ranks->of)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the ranks of a run");
	if (ranks->world.count < 2)
		return PTOWSP_OK;
	for (uint64_t t = 0; t < walk->task_count; t++)
		if (base_lanes_placed(&orders->lanes, &walk->tasks[t]) && walk->tasks[t].executor >= executors)
			executors = walk->tasks[t].executor + 1;
	status = homes_choose(ranks, blocks, walk, &uses, error);
	for (uint64_t t = 0; !status && t < walk->task_count; t++) {
		status = uses_of(&uses, blocks, walk, t, error);
		ranks->of[t] = (uint8_t)(base_lanes_placed(&orders->lanes, &walk->tasks[t]) ? (uint64_t)walk->tasks[t].executor * ranks->world.count / executors
											    : rank_of(ranks, blocks, &uses));
	}
	valid_reset(blocks);
	free(uses.rows);
	return status;
}

void spu_ranks_finish(struct spu_ranks *ranks)
{
	free(ranks->of);
	ranks->of = NULL;
}

/* ---- moving -------------------------------------------------------------------------------------------------------------- */

ptowsp_status spu_ranks_pass(struct spu_ranks *ranks, struct _starpu_data_state *handle, uint64_t bytes, uint32_t from, uint32_t to, struct ptowsp_error *error)
{
	const int64_t tag = ranks->tag++;
	int code = 0;

	if (ranks->world.rank == from) {
		code = mpi.starpu_mpi_isend_detached(handle, (int)to, tag, mpi.world, NULL, NULL);
		ranks->sent++, ranks->bytes_sent += bytes;
	} else if (ranks->world.rank == to) {
		code = mpi.starpu_mpi_irecv_detached(handle, (int)from, tag, mpi.world, NULL, NULL);
		ranks->received++, ranks->bytes_received += bytes;
	}
	return code ? base_fail(error, PTOWSP_RUN_FAILED, "starpu: a message from rank %u to rank %u is not taken, error %d", from, to, code) : PTOWSP_OK;
}

static ptowsp_status block_bring(struct spu_ranks *ranks, struct spu_blocks *blocks, struct spu_block *block, uint32_t to, struct ptowsp_error *error)
{
	const uint32_t from = (uint32_t)__builtin_ctzll(block->valid);

	if (block->valid >> to & 1)
		return PTOWSP_OK;
	block->valid |= UINT64_C(1) << to;
	return spu_ranks_pass(ranks, ranks->world.rank == from || ranks->world.rank == to ? spu_block_handle(blocks, block) : NULL,
			      spu_block_bytes(blocks, block), from, to, error);
}

ptowsp_status spu_ranks_touch(struct spu_ranks *ranks, struct spu_blocks *blocks, const struct spu_uses *uses, uint32_t rank, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	for (uint32_t u = 0; !status && ranks->world.count > 1 && u < uses->count; u++) {
		status = block_bring(ranks, blocks, uses->rows[u].block, rank, error);
		if (uses->rows[u].access & PTOWSP_WRITE)
			uses->rows[u].block->valid = UINT64_C(1) << rank;
	}
	return status;
}

/* Who may write a block knows that it has come, and that it has gone where it was to go. Not by starpu_mpi_wait_for_all, whose barrier can begin before a message that was asked for is waited for, and
 * then stands in its way (StarPU 1.3.10). */
static void arrivals_wait(const struct spu_blocks *blocks)
{
	for (uint32_t t = 0; t < blocks->tensor_count; t++)
		for (uint64_t b = 0; blocks->tensors[t].blocks && b < (uint64_t)blocks->tensors[t].row_count * blocks->tensors[t].column_count; b++)
			if (blocks->tensors[t].blocks[b].handle) {
				starpu_data_acquire(blocks->tensors[t].blocks[b].handle, STARPU_RW);
				starpu_data_release(blocks->tensors[t].blocks[b].handle);
			}
}

ptowsp_status spu_ranks_gather(struct spu_ranks *ranks, struct spu_blocks *blocks, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	if (ranks->world.count < 2)
		return PTOWSP_OK;
	for (uint32_t t = 0; t < blocks->tensor_count; t++)
		for (uint64_t b = 0; blocks->tensors[t].blocks && b < (uint64_t)blocks->tensors[t].row_count * blocks->tensors[t].column_count; b++)
			for (uint32_t to = 0; !status && to < ranks->world.count; to++)
				status = block_bring(ranks, blocks, &blocks->tensors[t].blocks[b], to, error);
	arrivals_wait(blocks);
	return status;
}

/* ---- agreeing ------------------------------------------------------------------------------------------------------------ */

static void verdict_send(struct spu_verdict *verdict, uint32_t to)
{
	starpu_data_handle_t handle;

	starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)verdict, sizeof(*verdict));
	mpi.starpu_mpi_send(handle, (int)to, INT32_MAX, mpi.world);
	starpu_data_unregister(handle);
}

static void verdict_take(struct spu_verdict *verdict, uint32_t from)
{
	starpu_data_handle_t handle;
	char status[64]; /* larger than MPI_Status */

	starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)verdict, sizeof(*verdict));
	mpi.starpu_mpi_recv(handle, (int)from, INT32_MAX, mpi.world, status);
	starpu_data_unregister(handle);
}

void spu_ranks_agree(const struct spu_ranks *ranks, struct spu_verdict *verdict)
{
	struct spu_verdict other;

	if (ranks->world.count < 2)
		return;
	if (ranks->world.rank) {
		verdict_send(verdict, 0);
		verdict_take(verdict, 0);
		return;
	}
	for (uint32_t r = 1; r < ranks->world.count; r++) {
		verdict_take(&other, r);
		if (other.task < verdict->task)
			*verdict = other;
	}
	for (uint32_t r = 1; r < ranks->world.count; r++)
		verdict_send(verdict, r);
}
