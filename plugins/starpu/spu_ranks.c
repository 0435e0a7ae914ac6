/* SPDX-License-Identifier: MIT */
#include "starpu/spu_ranks.h"

#include "base/error.h"
#include "base/instance.h"
#include "registry/common/common_grow.h"
#include "starpu/spu_homes.h"
#include "starpu/spu_model.h"
#include "starpu/spu_part.h"
#include "starpu/spu_same.h"
#include "starpu/spu_watch.h"
#include <dlfcn.h>
#include <pthread.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* ---- the library --------------------------------------------------------------------------------------------------------- */

/* From starpu_mpi.h 1.3; an OpenMPI communicator is a pointer. */
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
	_Atomic bool runs;
	bool meets;  /* the others are as many as it was told */
	bool agreed; /* the latest run came to its end on all ranks */
	void *world; /* MPI_COMM_WORLD */
	struct spu_world place;
	const struct base_instance *instance; /* borrowed, while a run needs all ranks: who says what ends it */
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
	int length = -1;

	*world_out = (struct spu_world){0, 1, false};
	if (!*text)
		return PTOWSP_OK;
	if (sscanf(text, "%u/%u%n", &world_out->rank, &world_out->count, &length) == 2 && world_out->rank < world_out->count &&
	    world_out->count <= SPU_RANKS_MOST && (!text[length] || !strcmp(text + length, "/all"))) {
		world_out->all = text[length];
		return PTOWSP_OK;
	}
	if (length > 0 && world_out->count > SPU_RANKS_MOST)
		return base_fail(error, PTOWSP_INVALID, "starpu: %u ranks are too many; start at most %d", world_out->count, SPU_RANKS_MOST);
	return base_fail(error, PTOWSP_INVALID,
			 "starpu: option rank takes I/N, rank I of N from 0 on and at most %d of them, or I/N/all, and results come to all; not \"%.40s\"",
			 SPU_RANKS_MOST, text);
}

/* ---- messages of a few bytes, which both sides wait for ------------------------------------------------------------------------- */

enum { BYTES = INT32_MAX, QUESTION = INT32_MAX - 1 }; /* tags above those of blocks */
static void bytes_pass(void *bytes, size_t size, uint32_t other, bool sends, int64_t tag)
{
	starpu_data_handle_t handle;
	char status[64]; /* larger than MPI_Status */

	starpu_variable_data_register(&handle, STARPU_MAIN_RAM, (uintptr_t)bytes, size);
	if (sends)
		mpi.starpu_mpi_send(handle, (int)other, tag, mpi.world);
	else
		mpi.starpu_mpi_recv(handle, (int)other, tag, mpi.world, status);
	starpu_data_unregister(handle);
}

void spu_ranks_bytes(void *bytes, size_t size, uint32_t other, bool sends)
{
	bytes_pass(bytes, size, other, sends, BYTES);
}

void spu_ranks_ask(void *bytes, size_t size, uint32_t other, bool sends)
{
	bytes_pass(bytes, size, other, sends, QUESTION);
}

/* ---- begin, end ---------------------------------------------------------------------------------------------------------- */

/* Rule PL8 says that a plugin ends no process, and the ABI has no call by which a host could: one that heard DEVICE_LOST from `done` would unload this plugin next, while its runner, StarPU's workers and MPI's thread
 * wait inside of it for the rank that is gone, and nothing wakes them; MPI_Abort waits for mpirun, which waits for this process. So what ends here is the process that mpirun started as a rank, as MPI's own handler of
 * errors would end it, and no other: without the option rank nobody comes here. */
static void rank_gone(uint32_t rank)
{
	enum { EXIT_LOST = 9 }; /* of the tools, for DEVICE_LOST */

	base_log(mpi.instance, PTOWSP_LOG_ERROR, "starpu: rank %u/%u is gone, without which this run cannot go on: rank %u/%u ends, too, and writes nothing",
		 rank, mpi.place.count, mpi.place.rank, mpi.place.count);
	syscall(SYS_exit_group, EXIT_LOST);
}

/* Each rank hears of all by rank 0. */
static ptowsp_status watch_begin(const struct spu_world *world, struct ptowsp_error *error)
{
	struct spu_sign signs[SPU_RANKS_MOST];

	spu_sign_make(&signs[world->rank]);
	if (world->rank)
		spu_ranks_bytes(&signs[world->rank], sizeof(*signs), 0, true);
	for (uint32_t r = 1; !world->rank && r < world->count; r++)
		spu_ranks_bytes(&signs[r], sizeof(*signs), r, false);
	if (world->rank)
		spu_ranks_bytes(signs, sizeof(*signs) * world->count, 0, false);
	for (uint32_t r = 1; !world->rank && r < world->count; r++)
		spu_ranks_bytes(signs, sizeof(*signs) * world->count, r, true);
	return spu_watch_begin(signs, world->count, world->rank, rank_gone) ? PTOWSP_OK
									    : base_fail(error, PTOWSP_NO_MEMORY, "starpu: no memory to watch the other ranks");
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
	mpi.place = *world;
	mpi.meets = mpi.starpu_mpi_world_rank() == (int)world->rank && mpi.starpu_mpi_world_size() == (int)world->count;
	if (mpi.meets)
		return watch_begin(world, error);
	return base_fail(error, PTOWSP_NO_DEVICE,
			 "starpu: rank=%u/%u, and MPI says that this is rank %d of %d; start it with mpirun -n %u, which needs no option rank", world->rank,
			 world->count, mpi.starpu_mpi_world_rank(), mpi.starpu_mpi_world_size(), world->count);
}

ptowsp_status spu_world_needed(const struct spu_world *world, const struct base_instance *instance, struct ptowsp_error *error)
{
	if (world->count < 2)
		return PTOWSP_OK;
	if (atomic_exchange(&mpi.runs, instance) && instance)
		return base_fail(error, PTOWSP_INVALID, "starpu: with several ranks one device runs at a time, and another one does");
	mpi.instance = instance;
	mpi.agreed = mpi.agreed && !instance;
	spu_watch_arm(instance);
	return PTOWSP_OK;
}

/* Returns not NULL: this rank has ended alone, and the others do not come to the end. */
static void *shutdown_run(void *nothing)
{
	if (mpi.meets && !spu_same_leave(&mpi.place, !mpi.agreed) && !mpi.agreed)
		return &mpi;
	mpi.starpu_mpi_shutdown();
	return nothing;
}

/* Code of this plugin is going to be run by a thread that nobody waits for. */
static void plugin_stay(void)
{
	Dl_info here;

	if (dladdr((const void *)(uintptr_t)shutdown_run, &here))
		dlopen(here.dli_fname, RTLD_LAZY | RTLD_NODELETE | RTLD_NOLOAD);
}

/* MPI ends when all ranks have come, which takes as long as rank 0 writes; but those that are gone do not come, nor those that wait for this one in a run that it does not begin. */
static bool shutdown_wait(pthread_t thread)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	void *alone = NULL;
	enum { NAPS_MOST = 4000 };

	for (uint32_t naps = 0; naps < NAPS_MOST; naps += !mpi.agreed || spu_watch_lost()) {
		if (!pthread_tryjoin_np(thread, &alone))
			return !alone;
		nanosleep(&nap, NULL);
	}
	return false;
}

bool spu_world_end(void)
{
	pthread_t thread;
	bool ended = true;

	if (mpi.begun && pthread_create(&thread, NULL, shutdown_run, NULL))
		mpi.starpu_mpi_shutdown();
	else if (mpi.begun)
		ended = shutdown_wait(thread);
	if (!ended)
		plugin_stay();
	spu_watch_end();
	mpi.over |= mpi.begun;
	mpi.begun = false;
	return ended;
}

/* ---- where --------------------------------------------------------------------------------------------------------------- */

static uint32_t rank_of(const struct spu_ranks *ranks, const struct spu_blocks *blocks, const struct spu_uses *uses)
{
	for (uint32_t u = 0; u < uses->count; u++)
		if (uses->rows[u].access & PTOWSP_WRITE)
			return spu_home(blocks, uses->rows[u].block, ranks->world.count);
	return uses->count ? spu_home(blocks, uses->rows[0].block, ranks->world.count) : 0;
}

void spu_ranks_forget(const struct spu_ranks *ranks, const struct spu_blocks *blocks)
{
	memset(ranks->steps, 0, ranks->world.count * sizeof(*ranks->steps));
	for (uint32_t t = 0; t < blocks->tensor_count; t++) {
		blocks->tensors[t].local = blocks->tensors[t].moved = 0;
		for (uint64_t b = 0; blocks->tensors[t].blocks && b < spu_tensor_blocks(&blocks->tensors[t]); b++) {
			struct spu_block *block = &blocks->tensors[t].blocks[b];

			block->from = PTOWSP_NONE;
			block->at = block->copy_count = 0;
		}
	}
}

static bool bytes_count(void *context, const struct spu_blocks *blocks, const struct spu_block *block, uint32_t from, uint32_t to, int64_t tag)
{
	(void)from;
	(void)to;
	(void)tag;
	*(uint64_t *)context += spu_block_bytes(blocks, block);
	return true;
}

/* Bytes that would move. */
static ptowsp_status moves_count(const struct spu_ranks *ranks, struct spu_blocks *blocks, const struct base_walk *walk, struct spu_uses *uses,
				 uint64_t *bytes_out, struct ptowsp_error *error)
{
	struct spu_ranks tried = *ranks;
	ptowsp_status status = PTOWSP_OK;

	*bytes_out = 0;
	tried.moved = bytes_count;
	tried.moved_context = bytes_out;
	spu_ranks_forget(ranks, blocks);
	for (uint64_t t = 0; !status && t < walk->task_count; t++) {
		status = spu_uses_find(uses, blocks, walk, t, error);
		if (!status)
			status = spu_ranks_touch(&tried, blocks, uses, rank_of(ranks, blocks, uses), error);
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

		if (!tensor->blocks || tensor->layout || tensor->row_count < 2 || tensor->column_count < 2)
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
	uint64_t executors = spu_places(blocks);
	ptowsp_status status;

	ranks->of = calloc(walk->task_count + 1, sizeof(*ranks->of));
	ranks->steps = calloc(ranks->world.count, sizeof(*ranks->steps));
	if (!ranks->of || !ranks->steps)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the ranks of a run");
	if (ranks->world.count < 2)
		return PTOWSP_OK;
	for (uint64_t t = 0; ranks->part && t < walk->task_count; t++)
		ranks->of[t] = (uint16_t)ranks->world.rank;
	if (ranks->part)
		return PTOWSP_OK;
	for (uint64_t t = 0; t < walk->task_count; t++)
		if (base_lanes_placed(&orders->lanes, &walk->tasks[t]) && walk->tasks[t].executor >= executors)
			executors = walk->tasks[t].executor + UINT64_C(1);
	status = homes_choose(ranks, blocks, walk, &uses, error);
	for (uint64_t t = 0; !status && t < walk->task_count; t++) {
		status = spu_uses_find(&uses, blocks, walk, t, error);
		ranks->of[t] =
			(uint16_t)(base_lanes_placed(&orders->lanes, &walk->tasks[t]) ? (uint64_t)walk->tasks[t].executor * ranks->world.count / executors
										      : rank_of(ranks, blocks, &uses));
	}
	spu_ranks_forget(ranks, blocks);
	free(uses.rows);
	return status;
}

void spu_ranks_finish(struct spu_ranks *ranks)
{
	free(ranks->of);
	free(ranks->steps);
	ranks->of = NULL;
	ranks->steps = NULL;
}

/* ---- moving -------------------------------------------------------------------------------------------------------------- */

static ptowsp_status pass(struct spu_ranks *ranks, struct _starpu_data_state *handle, uint64_t bytes, uint32_t from, uint32_t to, int64_t tag,
			  struct ptowsp_error *error)
{
	int code = 0;

	if (ranks->world.rank == from) {
		code = mpi.starpu_mpi_isend_detached(handle, (int)to, tag, mpi.world, NULL, NULL);
		ranks->share.sent++, ranks->share.bytes_sent += bytes;
	} else if (ranks->world.rank == to) {
		code = mpi.starpu_mpi_irecv_detached(handle, (int)from, tag, mpi.world, NULL, NULL);
		ranks->share.received++, ranks->share.bytes_received += bytes;
	}
	return code ? base_fail(error, PTOWSP_RUN_FAILED, "starpu: a message from rank %u to rank %u is not taken, error %d", from, to, code) : PTOWSP_OK;
}

ptowsp_status spu_ranks_pass(struct spu_ranks *ranks, struct _starpu_data_state *handle, uint64_t bytes, uint32_t from, uint32_t to, uint64_t *at,
			     struct ptowsp_error *error)
{
	const int64_t tag = ranks->tag++;

	if (!ranks->model)
		return pass(ranks, handle, bytes, from, to, tag, error);
	spu_model_message(ranks->model, bytes, from, to, at);
	return PTOWSP_OK;
}

ptowsp_status spu_ranks_moves(struct spu_ranks *ranks, struct spu_blocks *blocks, uint64_t number, struct ptowsp_error *error)
{
	const struct spu_part *part = ranks->part;
	const uint32_t me = ranks->world.rank;
	ptowsp_status status = PTOWSP_OK;

	while (!status && ranks->moves_done < part->move_count && part->moves[ranks->moves_done].before <= number) {
		const struct spu_move *move = &part->moves[ranks->moves_done++];
		struct spu_block *block = &blocks->tensors[move->tensor].blocks[move->block];

		status = pass(ranks, spu_block_handle(blocks, block), spu_block_bytes(blocks, block), move->sends ? me : move->other,
			      move->sends ? move->other : me, move->tag, error);
	}
	return status;
}

static ptowsp_status block_send(struct spu_ranks *ranks, struct spu_blocks *blocks, struct spu_block *block, uint32_t from, uint32_t to, uint64_t *at,
				struct ptowsp_error *error)
{
	const bool here = ranks->world.rank == from || ranks->world.rank == to;

	if (!ranks->moved)
		return spu_ranks_pass(ranks, here ? spu_block_handle(blocks, block) : NULL, spu_block_bytes(blocks, block), from, to, at, error);
	if (ranks->moved(ranks->moved_context, blocks, block, from, to, ranks->tag++))
		return PTOWSP_OK;
	return base_fail(error, PTOWSP_NO_MEMORY, "no memory for the ranks of a run");
}

/* False: it has something older. at_out: since when. */
static bool is_there(const struct spu_block *block, uint32_t rank, uint64_t *at_out)
{
	*at_out = block->at;
	if (block->from == PTOWSP_NONE || block->from == rank)
		return true;
	for (uint32_t c = 0; c < block->copy_count; c++)
		if (block->copies[c].rank == rank) {
			*at_out = block->copies[c].at;
			return true;
		}
	return false;
}

/* Of the ranks that have the block the one that can send it first, so that what all read spreads as a broadcast does, and what each has for all others goes straight there. Time is counted in messages that follow
 * each other: a hop takes as long as some of them. StarPU's own sends have no tree (1.3.10). Makes copy->at since when that rank has it, and copy->step when it is there. */
static uint32_t source_of(const struct spu_ranks *ranks, const struct spu_block *block, struct spu_copy *copy)
{
	enum { HOP = 4 };
	uint32_t source = block->from, step = ranks->steps[source];

	copy->at = block->at;
	for (uint32_t c = 0; c < block->copy_count; c++) {
		const struct spu_copy *other = &block->copies[c];
		const uint32_t from = ranks->steps[other->rank] > other->step ? ranks->steps[other->rank] : other->step;

		if (from + (source == block->from ? HOP : 0) >= step)
			continue;
		source = other->rank;
		step = from;
		copy->at = other->at;
	}
	ranks->steps[source] = step + 1;
	copy->step = step + HOP;
	return source;
}

static ptowsp_status block_bring(struct spu_ranks *ranks, struct spu_blocks *blocks, struct spu_block *block, uint32_t to, struct ptowsp_error *error)
{
	struct spu_copy copy = {.rank = to};
	ptowsp_status status = PTOWSP_OK;

	if (!is_there(block, to, &copy.at)) {
		const uint32_t from = source_of(ranks, block, &copy);

		blocks->tensors[block->tensor].moved += spu_block_bytes(blocks, block);
		status = block_send(ranks, blocks, block, from, to, &copy.at, error);
		if (!status && !COMMON_GROW(block->copies, block->copy_room, block->copy_count))
			status = base_fail(error, PTOWSP_NO_MEMORY, "no memory for the ranks of a run");
		if (!status)
			block->copies[block->copy_count++] = copy;
	}
	ranks->came = copy.at > ranks->came ? copy.at : ranks->came;
	return status;
}

ptowsp_status spu_ranks_touch(struct spu_ranks *ranks, struct spu_blocks *blocks, const struct spu_uses *uses, uint32_t rank, struct ptowsp_error *error)
{
	ptowsp_status status = PTOWSP_OK;

	ranks->came = 0;
	for (uint32_t u = 0; !status && ranks->world.count > 1 && u < uses->count; u++) {
		struct spu_tensor *tensor = &blocks->tensors[uses->rows[u].block->tensor];

		if (tensor->layout && spu_home(blocks, uses->rows[u].block, ranks->world.count) == rank)
			tensor->local += spu_block_bytes(blocks, uses->rows[u].block);
		status = block_bring(ranks, blocks, uses->rows[u].block, rank, error);
		if (!(uses->rows[u].access & PTOWSP_WRITE))
			continue;
		uses->rows[u].block->from = rank;
		uses->rows[u].block->copy_count = 0;
	}
	return status;
}

/* Write access to a block means that it has come, and has gone where it was to go. starpu_mpi_wait_for_all would not do: its barrier can begin before a requested message is waited for, and
 * then stands in its way (StarPU 1.3.10). */
static void arrivals_wait(const struct spu_blocks *blocks)
{
	for (uint32_t t = 0; t < blocks->tensor_count; t++)
		for (uint64_t b = 0; blocks->tensors[t].blocks && b < spu_tensor_blocks(&blocks->tensors[t]); b++)
			if (blocks->tensors[t].blocks[b].handle) {
				starpu_data_acquire(blocks->tensors[t].blocks[b].handle, STARPU_RW);
				starpu_data_release(blocks->tensors[t].blocks[b].handle);
			}
}

ptowsp_status spu_ranks_gather(struct spu_ranks *ranks, struct spu_blocks *blocks, const bool *kept, struct ptowsp_error *error)
{
	const uint32_t count = kept ? 1 : ranks->world.count;
	ptowsp_status status = PTOWSP_OK;

	if (ranks->world.count < 2)
		return PTOWSP_OK;
	if (ranks->part)
		status = spu_ranks_moves(ranks, blocks, UINT64_MAX, error);
	for (uint32_t t = 0; !ranks->part && t < blocks->tensor_count; t++)
		for (uint64_t b = 0; (!kept || kept[t]) && blocks->tensors[t].blocks && b < spu_tensor_blocks(&blocks->tensors[t]); b++)
			for (uint32_t to = 0; !status && to < count; to++)
				status = block_bring(ranks, blocks, &blocks->tensors[t].blocks[b], to, error);
	if (!ranks->model && !ranks->moved)
		arrivals_wait(blocks);
	return status;
}

/* ---- agreeing ------------------------------------------------------------------------------------------------------------ */

static void share_add(struct spu_share *sum, const struct spu_share *share)
{
	sum->tasks += share->tasks;
	sum->walked += share->walked;
	sum->walk_ns += share->walk_ns;
	sum->sent += share->sent;
	sum->received += share->received;
	sum->bytes_sent += share->bytes_sent;
	sum->bytes_received += share->bytes_received;
	sum->idle_ns += share->idle_ns;
}

static void verdicts_join(const struct spu_ranks *ranks, struct spu_verdict *verdict)
{
	struct spu_verdict other;

	verdict->share = ranks->share;
	if (ranks->world.rank) {
		spu_ranks_bytes(verdict, sizeof(*verdict), 0, true);
		spu_ranks_bytes(verdict, sizeof(*verdict), 0, false);
		return;
	}
	share_add(&ranks->shares[0], &ranks->share);
	for (uint32_t r = 1; r < ranks->world.count; r++) {
		spu_ranks_bytes(&other, sizeof(other), r, false);
		share_add(&ranks->shares[r], &other.share);
		if (other.order < verdict->order)
			*verdict = other;
	}
	for (uint32_t r = 1; r < ranks->world.count; r++)
		spu_ranks_bytes(verdict, sizeof(*verdict), r, true);
}

void spu_ranks_agree(const struct spu_ranks *ranks, struct spu_verdict *verdict)
{
	verdicts_join(ranks, verdict);
	mpi.agreed = true;
}

/* The values of one rank's tasks, one behind the other. */
static uint64_t values_pack(const struct spu_ranks *ranks, uint32_t rank, uint64_t *packed, const uint64_t *values, uint64_t count)
{
	uint64_t tasks = 0;

	for (uint64_t t = 0; t < count; t++)
		if (ranks->of[t] == rank)
			packed[tasks++] = values[t];
	return tasks;
}

static void values_unpack(const struct spu_ranks *ranks, uint32_t rank, const uint64_t *packed, uint64_t *values, uint64_t count)
{
	for (uint64_t t = 0; t < count; t++)
		if (ranks->of[t] == rank)
			values[t] = *packed++;
}

ptowsp_status spu_ranks_collect(const struct spu_ranks *ranks, uint64_t *values, uint64_t count, struct ptowsp_error *error)
{
	const uint32_t me = ranks->world.rank;
	uint64_t *packed;

	if (ranks->world.count < 2 || !count)
		return PTOWSP_OK;
	packed = calloc(count, sizeof(*packed));
	mpi.agreed = packed;
	if (!packed)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for what the ranks of a run tell");
	for (uint32_t r = 1; r < ranks->world.count; r++) {
		const uint64_t tasks = values_pack(ranks, r, packed, values, count);

		if (tasks && (!me || me == r))
			spu_ranks_bytes(packed, tasks * sizeof(*packed), me ? 0 : r, me);
		values_unpack(ranks, r, packed, values, count);
	}
	free(packed);
	for (uint32_t r = 1; ranks->world.all && r < ranks->world.count; r++)
		if (!me || me == r)
			spu_ranks_bytes(values, count * sizeof(*values), me ? 0 : r, !me);
	return PTOWSP_OK;
}
