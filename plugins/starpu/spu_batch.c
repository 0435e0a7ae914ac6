/* SPDX-License-Identifier: MIT */
#include "starpu/spu_batch.h"

#include "base/error.h"
#include "base/scope.h"
#include "registry/common/common_grow.h"
#include "rt/process/vector_clock.h"
#include "starpu/spu_blocks.h"
#include "starpu/spu_clock.h"
#include "starpu/spu_device.h"
#include "starpu/spu_homes.h"
#include "starpu/spu_measure.h"
#include "starpu/spu_model.h"
#include "starpu/spu_part.h"
#include "starpu/spu_tokens.h"
#include "starpu/spu_work.h"
#include <starpu.h>
#include <stdio.h>

enum { RING_MOST = 8192 }; /* tasks that StarPU knows of at once: 3 KiB each, and more edges than are worth stating */

/* A place in the ring: a task from its submission until it was waited for. */
struct place {
	struct starpu_task task;
	struct spu_uses uses;
	struct spu_batch *batch;
	uint64_t number;
	bool there; /* it was submitted and not yet waited for */
};
struct spu_batch {
	const struct spu_batch_args *args;
	const struct base_walk *walk;
	const struct spu_device *device;
	struct rt_feed *feed;
	struct ptowsp_error *error;
	struct spu_blocks blocks;
	struct spu_orders orders;
	struct spu_tokens tokens;
	struct spu_ranks ranks;
	struct spu_work work;
	struct starpu_codelet *codelets; /* owned, per kernel and one for COPY: StarPU measures each by itself */
	struct place *ring;              /* owned, `size` of them */
	struct starpu_task **before;     /* owned: stated predecessors of the task that is put together */
	uint32_t before_count, before_room;
	uint64_t size, window; /* window: 0, or what the schedule states */
	uint64_t waited;       /* tasks before it have ended and are gone from StarPU */
	uint64_t stated;       /* edges */
};

/* StarPU's function of all codelets, on workers of any kind. */
static void place_run(void *buffers[], void *argument)
{
	struct place *place = argument;

	spu_worker_works();
	spu_work_do(&place->batch->work, place->number, &place->uses, buffers);
}

/* ---- waiting ------------------------------------------------------------------------------------------------------------- */

static struct place *place_of(const struct spu_batch *batch, uint64_t number)
{
	return &batch->ring[number % batch->size];
}

/* For all tasks before `number`. */
static void wait_before(struct spu_batch *batch, uint64_t number)
{
	for (; batch->waited < number; batch->waited++) {
		struct place *place = place_of(batch, batch->waited);

		if (place->there && starpu_task_wait(&place->task) == 0)
			starpu_task_clean(&place->task);
		place->there = false;
	}
}

/* The place in the window that task number - window had. */
static void wait_room(struct spu_batch *batch, uint64_t number)
{
	if (number >= batch->size && batch->waited <= number - batch->size)
		wait_before(batch, number - batch->size + 1);
}

/* ---- submitting ---------------------------------------------------------------------------------------------------------- */

/* Do the handles of the two order them? */
static bool is_implied(const struct spu_uses *before, const struct spu_uses *after)
{
	for (uint32_t a = 0; a < after->count; a++)
		for (uint32_t b = 0; b < before->count; b++)
			if (before->rows[b].block == after->rows[a].block && (before->rows[b].access | after->rows[a].access) & PTOWSP_WRITE)
				return true;
	return false;
}

static ptowsp_status before_add(struct spu_batch *batch, struct place *place, uint64_t pred)
{
	struct place *other = place_of(batch, pred);

	if (pred < batch->waited || !other->there || is_implied(&other->uses, &place->uses))
		return PTOWSP_OK;
	if (!COMMON_GROW(batch->before, batch->before_room, batch->before_count))
		return base_fail(batch->error, PTOWSP_NO_MEMORY, "no memory for the edges of a run");
	batch->before[batch->before_count++] = &other->task;
	return PTOWSP_OK;
}

static ptowsp_status no_memory(struct spu_batch *batch)
{
	return base_fail(batch->error, PTOWSP_NO_MEMORY, "no memory for the orders of a run");
}

static ptowsp_status before_find(struct spu_batch *batch, struct place *place)
{
	const struct spu_orders *orders = &batch->orders;
	ptowsp_status status = spu_orders_task(&batch->orders, place->number) ? PTOWSP_OK : no_memory(batch);

	batch->before_count = 0;
	for (uint64_t o = orders->begins[place->number]; !status && o < orders->begins[place->number + 1]; o++)
		status = before_add(batch, place, orders->list[o]);
	return status;
}

static ptowsp_status uses_find(struct spu_batch *batch, struct place *place)
{
	const ptowsp_status status = spu_uses_find(&place->uses, &batch->blocks, batch->walk, place->number, batch->error);

	for (uint32_t u = 0; u < place->uses.count; u++) {
		place->uses.rows[u].block->touched = place->number + 1;
		if (place->uses.rows[u].access & PTOWSP_WRITE)
			place->uses.rows[u].block->written = place->number + 1;
	}
	return status;
}

/* StarPU frees the lists with the task. A block may be written in part, so that the rest has to be there. */
static ptowsp_status handles_give(struct spu_batch *batch, struct place *place)
{
	struct starpu_task *task = &place->task;
	const size_t count = place->uses.count;

	task->nbuffers = (int)count;
	if (!count)
		return PTOWSP_OK;
	task->dyn_handles = malloc(count * sizeof(*task->dyn_handles));
	task->dyn_modes = malloc(count * sizeof(*task->dyn_modes));
	if (!task->dyn_handles || !task->dyn_modes)
		return base_fail(batch->error, PTOWSP_NO_MEMORY, "no memory for the data handles of a task");
	for (size_t u = 0; u < count; u++) {
		task->dyn_handles[u] = spu_block_handle(&batch->blocks, place->uses.rows[u].block);
		task->dyn_modes[u] = place->uses.rows[u].access & PTOWSP_WRITE ? STARPU_RW : STARPU_R;
	}
	return PTOWSP_OK;
}

/* OpenCL workers alone run what they take. */
static bool is_apart(const struct spu_batch *batch)
{
	return spu_options_of(batch->args->program->base->device)->where;
}

/* An executor's worker among those that take the kernel. */
static uint32_t worker_of(const struct spu_batch *batch, const struct base_walk_task *row)
{
	const struct spu_device *device = batch->device;
	const bool opencl = spu_opencl_takes(batch->args->program, row->kernel);

	return opencl && is_apart(batch) ? device->cpus + row->executor % device->opencl_count : row->executor % (opencl ? device->workers : device->cpus);
}

/* Static policies say whose a task is: a worker, whom executors share where there are more of them. */
static void worker_choose(const struct spu_batch *batch, struct place *place)
{
	const struct base_walk_task *row = &batch->walk->tasks[place->number];

	if (!base_lanes_placed(&batch->orders.lanes, row))
		return;
	place->task.execute_on_a_specific_worker = 1;
	place->task.workerid = spu_worker_id(batch->device, worker_of(batch, row));
}

static ptowsp_status place_submit(struct spu_batch *batch, struct place *place)
{
	struct starpu_task *task = &place->task;
	ptowsp_status status;
	int code;

	starpu_task_init(task);
	task->cl = &batch->codelets[batch->walk->tasks[place->number].kernel];
	task->cl_arg = place;
	task->cl_arg_size = sizeof(*place);
	task->detach = 0;
	task->destroy = 0;
	status = handles_give(batch, place);
	if (status) {
		starpu_task_clean(task);
		return status;
	}
	worker_choose(batch, place);
	starpu_task_declare_deps_array(task, batch->before_count, batch->before);
	batch->stated += batch->before_count;
	code = starpu_task_submit_to_ctx(task, batch->device->context);
	place->there = !code;
	return code ? base_fail(batch->error, PTOWSP_RUN_FAILED, "starpu: task %llu is not taken: %s",
				(unsigned long long)spu_work_number(&batch->work, place->number), strerror(-code))
		    : PTOWSP_OK;
}

static ptowsp_status task_submit(struct spu_batch *batch, uint64_t number)
{
	struct place *place = place_of(batch, number);
	const uint32_t rank = batch->ranks.of[number];
	ptowsp_status status;

	wait_room(batch, number);
	place->batch = batch;
	place->number = number;
	status = uses_find(batch, place);
	if (!status)
		status = before_find(batch, place);
	if (!status && batch->ranks.part)
		status = spu_ranks_moves(&batch->ranks, &batch->blocks, spu_work_number(&batch->work, number), batch->error);
	else if (!status)
		status = spu_ranks_touch(&batch->ranks, &batch->blocks, &place->uses, rank, batch->error);
	batch->ranks.share.tasks += rank == batch->ranks.world.rank;
	return status || rank != batch->ranks.world.rank ? status : place_submit(batch, place);
}

/* The submission is the issue clock of the workload and of all processes: a stall of one of them is a stall of it. */
static ptowsp_status gate_take(struct spu_batch *batch, uint64_t at, uint64_t number)
{
	number = number < at ? number : at;
	wait_before(batch, number);
	return spu_orders_gate(&batch->orders, at, number) ? PTOWSP_OK : no_memory(batch);
}

/* Elements leave when the task that wrote them has ended, and arrive when the last users of their place have: the process goes on behind it. Tasks of the workload have ended. */
static void process_follow(struct spu_batch *batch, const struct base_walk_event *event, uint64_t last)
{
	const uint32_t process = last ? batch->walk->tasks[last - 1].process : PTOWSP_NONE;

	if (process != PTOWSP_NONE)
		rt_vector_clock_follow(&batch->orders.clocks, event->process, process, last - 1);
}

static ptowsp_status token_take(struct spu_batch *batch, const struct base_walk_event *event)
{
	const struct base_walk_move *move;
	ptowsp_status status = spu_tokens_next(&batch->tokens, event, &batch->blocks, &move, batch->error);

	if (status || !move)
		return status;
	for (uint32_t u = 0; u < batch->tokens.uses.count; u++) {
		const struct spu_block *block = batch->tokens.uses.rows[u].block;

		process_follow(batch, event, move->sends ? block->written : block->touched);
	}
	return batch->args->run->args->flags & PTOWSP_RUN_NO_KERNELS ? PTOWSP_OK
								     : spu_tokens_move(&batch->tokens, move, &batch->blocks, &batch->ranks, batch->error);
}

static ptowsp_status event_take(struct spu_batch *batch, const struct base_walk_event *event, uint64_t made)
{
	ptowsp_status status = PTOWSP_OK;

	switch (event->kind) {
	case RT_ITEM_ORDER_STEP:
	case RT_ITEM_PIPELINE: return gate_take(batch, made, made);
	case RT_ITEM_BARRIER:
	case RT_ITEM_FENCE:
	case RT_ITEM_WAIT: return gate_take(batch, made, event->number);
	case RT_ITEM_SEND:
	case RT_ITEM_TAKE: status = token_take(batch, event); /* in place of FOLLOW, by blocks */
	}
	base_walk_clocks_take(&batch->orders.clocks, event);
	return status;
}

/* One rank alone leaves out what would not begin; of several each goes on to the end, because others wait for what it sends. */
static bool gives_up(const struct spu_batch *batch)
{
	return batch->ranks.world.count < 2 && (atomic_load(&batch->work.failed) != UINT64_MAX || base_patience_over(batch->args->patience, 16));
}

static ptowsp_status submit_all(struct spu_batch *batch)
{
	const struct base_walk *walk = batch->walk;
	ptowsp_status status = PTOWSP_OK;
	uint32_t event = 0;

	for (uint64_t task = 0; !status && task <= walk->task_count; task++) {
		for (; !status && event < walk->event_count && walk->events[event].at <= task; event++)
			status = event_take(batch, &walk->events[event], task);
		if (status || task == walk->task_count)
			continue;
		if (gives_up(batch))
			atomic_store(&batch->work.left_out, true);
		else
			status = task_submit(batch, task);
	}
	return status;
}

/* ---- what is told -------------------------------------------------------------------------------------------------------- */

/* The real times of tasks, held against the orders that StarPU was told. */
static ptowsp_status times_check(const struct spu_batch *batch)
{
	const struct spu_orders *orders = &batch->orders;

	for (uint64_t t = 0; t < batch->walk->task_count; t++)
		for (uint64_t o = orders->begins[t]; o < orders->begins[t + 1]; o++)
			if (batch->ranks.of[t] == batch->ranks.world.rank && batch->work.times[orders->list[o]].end > batch->work.times[t].begin)
				return base_fail(batch->error, PTOWSP_RUN_FAILED, "starpu: task %llu began before task %u, which it comes behind, had ended",
						 (unsigned long long)spu_work_number(&batch->work, t),
						 (unsigned)spu_work_number(&batch->work, orders->list[o]));
	return PTOWSP_OK;
}

/* A line for the log: how tensors were cut, and the orders that handles do not imply. */
static void blocks_tell(const struct spu_batch *batch)
{
	static const char *const cuts[] = {"tiles", "rows", "stretches", "one piece"};
	const struct base_instance *instance = batch->args->program->base->device->instance;
	const struct spu_share *share = &batch->ranks.share;
	uint32_t counts[4] = {0};
	char text[96] = "";

	for (uint32_t t = 0; t < batch->blocks.tensor_count; t++)
		counts[batch->blocks.tensors[t].cut] += batch->blocks.tensors[t].blocks != NULL;
	for (unsigned c = 0; c < 4; c++)
		if (counts[c])
			snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u by %s", *text ? ", " : "", counts[c], cuts[c]);
	base_log(instance, PTOWSP_LOG_INFO, "starpu: %llu tasks, %u data handles (tensors: %s), %llu orders beside them",
		 (unsigned long long)batch->walk->task_count, batch->blocks.handle_count, *text ? text : "none", (unsigned long long)batch->stated);
	if (batch->ranks.world.count > 1)
		base_log(instance, PTOWSP_LOG_INFO,
			 "starpu: rank %u of %u ran %llu tasks of %llu looked at, sent %llu blocks, %llu bytes, and received %llu, %llu bytes",
			 batch->ranks.world.rank, batch->ranks.world.count, (unsigned long long)share->tasks, (unsigned long long)share->walked,
			 (unsigned long long)share->sent, (unsigned long long)share->bytes_sent, (unsigned long long)share->received,
			 (unsigned long long)share->bytes_received);
}

/* ---- making -------------------------------------------------------------------------------------------------------------- */

static bool codelets_make(struct spu_batch *batch)
{
	const struct base_kernels *kernels = &batch->args->program->base->kernels;

	batch->codelets = calloc((size_t)kernels->count + 1, sizeof(*batch->codelets));
	for (uint32_t k = 0; batch->codelets && k <= kernels->count; k++) {
		const bool opencl = spu_opencl_takes(batch->args->program, k);

		batch->codelets[k].opencl_funcs[0] = opencl ? place_run : NULL;
		batch->codelets[k].cpu_funcs[0] = opencl && is_apart(batch) ? NULL : place_run;
		batch->codelets[k].nbuffers = STARPU_VARIABLE_NBUFFERS;
		batch->codelets[k].model = batch->device->measures && k < kernels->count ? spu_measure_of(&kernels->rows[k]) : NULL;
		batch->codelets[k].name = k < kernels->count ? kernels->rows[k].name : "copy";
	}
	return batch->codelets;
}

static ptowsp_status batch_init(struct spu_batch *batch)
{
	const struct base_walk *walk = batch->walk;
	const struct spu_part *part = batch->work.part;
	ptowsp_status status = spu_work_init(&batch->work, batch->error);

	if (status)
		return status;
	batch->window = walk->limits.stated;
	batch->size = batch->window && batch->window < RING_MOST ? batch->window : RING_MOST;
	batch->size = batch->size < walk->task_count ? batch->size : walk->task_count + 1;
	batch->ring = calloc(batch->size, sizeof(*batch->ring));
	if (!batch->ring || !codelets_make(batch) || !spu_orders_init(&batch->orders, walk))
		return base_fail(batch->error, PTOWSP_NO_MEMORY, "no memory for the tasks of a run");
	batch->ranks.world = batch->device->world;
	batch->ranks.shares = batch->args->program->shares;
	batch->ranks.part = part;
	status = part ? spu_blocks_take(&batch->blocks, part->cuts, part->cut_count, batch->args->run->args, batch->error)
		      : spu_blocks_make(&batch->blocks, walk, batch->args->run->args, batch->error);
	if (!status)
		spu_layouts_give(&batch->blocks, &batch->args->program->base->shards, batch->args->program->layout_count, batch->args->run->args);
	if (!status)
		status = spu_ranks_plan(&batch->ranks, &batch->blocks, &batch->orders, batch->error);
	return status ? status : spu_tokens_init(&batch->tokens, walk, batch->device->context, batch->error);
}

static void batch_finish(struct spu_batch *batch)
{
	spu_tokens_finish(&batch->tokens);
	spu_blocks_finish(&batch->blocks);
	spu_orders_finish(&batch->orders);
	spu_ranks_finish(&batch->ranks);
	for (uint64_t p = 0; batch->ring && p < batch->size; p++)
		free(batch->ring[p].uses.rows);
	free(batch->ring);
	spu_work_finish(&batch->work);
	free(batch->codelets);
	free(batch->before);
}

/* This rank's outcome; the reason that a task failed goes before that of the submission. */
static ptowsp_status outcome(struct spu_batch *batch, ptowsp_status status)
{
	const ptowsp_status failed = spu_work_outcome(&batch->work);

	if (failed) {
		*batch->error = batch->work.why;
		return base_kernels_watched(&batch->args->program->base->kernels, failed,
					    batch->error); /* other ranks know nothing of what ended a kernel here */
	}
	if (base_patience_over(batch->args->patience, UINT64_MAX)) {
		/* A run whose tasks have all been done is done, however late. */
		if (!status && atomic_load(&batch->work.left_out))
			status = batch->args->patience->ended;
		return base_patience_told(batch->args->patience, status, batch->error);
	}
	return status ? status : times_check(batch);
}

/* A run of several ranks ends with one status on each: a deadline that one of them has met goes before what tasks say, as in one process. */
static ptowsp_status agree(struct spu_batch *batch, ptowsp_status status)
{
	struct spu_verdict verdict = {.order = !status                                                   ? UINT64_MAX
					       : status == PTOWSP_DEADLINE || status == PTOWSP_CANCELLED ? 0
					       : batch->work.failed == UINT64_MAX                        ? UINT64_MAX - 1
										  : spu_work_number(&batch->work, batch->work.failed) + 1};

	if (batch->ranks.world.count < 2)
		return status;
	if (status) {
		verdict.why = *batch->error;
		verdict.why.code = status;
	}
	spu_ranks_agree(&batch->ranks, &verdict);
	if (verdict.order == UINT64_MAX)
		return PTOWSP_OK;
	*batch->error = verdict.why;
	return verdict.why.code;
}

/* Time of all workers since `begin` in which they ran no task. */
static uint64_t idle_since(const struct spu_batch *batch, uint64_t begin)
{
	const uint64_t all = (spu_work_now(&batch->work) - begin) * batch->device->workers;
	uint64_t busy = 0;

	for (uint64_t t = 0; t < batch->walk->task_count; t++)
		busy += batch->work.times[t].end - batch->work.times[t].begin;
	return busy < all ? all - busy : 0;
}

/* A rank that passes over tasks of others asks of its own first what rank 0 asks of another one, and its walk may end where that of rank 0 does not: the others hear of it as of a task that failed. */
static bool breaks_alone(const struct spu_batch *batch)
{
	return batch->args->broken && batch->ranks.part && !batch->ranks.part->broken;
}

static ptowsp_status execute(struct spu_batch *batch)
{
	const uint64_t begin = spu_work_now(&batch->work);
	ptowsp_status status = submit_all(batch), gathered;

	wait_before(batch, batch->walk->task_count);
	gathered =
		spu_ranks_gather(&batch->ranks, &batch->blocks, batch->args->last && !batch->ranks.world.all ? batch->args->program->kept : NULL, batch->error);
	spu_layouts_tell(&batch->blocks, &batch->args->program->base->shards, batch->ranks.world.count);
	batch->ranks.share.idle_ns = idle_since(batch, begin);
	batch->ranks.share.walked = rt_feed_walked(batch->feed) - batch->walk->first;
	status = outcome(batch, status ? status : gathered);
	if (!status && breaks_alone(batch)) {
		*batch->error = *rt_feed_error(batch->feed);
		status = batch->error->code;
	}
	status = agree(batch, status);
	return status ? status : spu_ranks_collect(&batch->ranks, batch->work.cycles, batch->walk->task_count, batch->error);
}

/* Rank 0 knows all. */
static ptowsp_status parts_tell(struct spu_batch *batch)
{
	const uint32_t count = batch->ranks.world.count;
	struct spu_part *parts = NULL;
	ptowsp_status status;

	if (!batch->args->program->parted || batch->ranks.world.rank)
		return PTOWSP_OK;
	status = spu_parts_make(&parts, &batch->ranks, &batch->blocks, batch->walk, batch->args->program->kept, batch->error);
	if (!status) {
		parts->broken = batch->args->program->part.broken = batch->args->broken;
		spu_parts_send(parts, count);
		batch->args->program->told = true;
	}
	spu_parts_free(parts, count);
	return status;
}

/* What more ranks would have done. */
static ptowsp_status model_add(struct spu_batch *batch)
{
	const uint64_t count = batch->walk->task_count;
	uint64_t *task_ns;
	ptowsp_status status;

	if (!batch->args->model->count)
		return PTOWSP_OK;
	task_ns = calloc(count + 1, sizeof(*task_ns));
	if (!task_ns)
		return base_fail(batch->error, PTOWSP_NO_MEMORY, "no memory for the modelled tasks");
	for (uint64_t t = 0; t < count; t++)
		task_ns[t] = batch->work.times[t].end - batch->work.times[t].begin;
	status = spu_model_add(batch->args->model,
			       &(struct spu_model_batch){&batch->orders, &batch->blocks, task_ns, batch->args->last ? batch->args->program->kept : NULL,
							 batch->device->context},
			       batch->error);
	free(task_ns);
	return status;
}

/* Without kernels: orders as submitted. */
static ptowsp_status plan(struct spu_batch *batch)
{
	const struct base_walk *walk = batch->walk;
	uint32_t event = 0;

	for (uint64_t task = 0; task <= walk->task_count; task++) {
		for (; event < walk->event_count && walk->events[event].at <= task; event++) {
			const struct base_walk_event *at = &walk->events[event];

			if (event_take(batch, at, task))
				return PTOWSP_NO_MEMORY;
		}
		if (task < walk->task_count && !spu_orders_task(&batch->orders, task))
			return no_memory(batch);
	}
	return PTOWSP_OK;
}

ptowsp_status spu_batch_run(const struct spu_batch_args *args, struct rt_feed *feed, struct ptowsp_error *error)
{
	struct spu_program *program = args->program;
	const struct spu_part *part = program->part.tasks || program->part.cuts ? &program->part : NULL;
	struct spu_batch batch = {.args = args, .walk = &program->walk, .device = program->base->device->own, .feed = feed, .error = error};
	uint64_t walk_ns;
	ptowsp_status status = base_scope_check(batch.walk, batch.walk->limits.stated, args->deadlock, error);

	if (status)
		return status;
	batch.work = (struct spu_work){.program = program, .walk = batch.walk, .device = batch.device, .run = args->run, .part = part, .blocks = &batch.blocks};
	walk_ns = spu_work_now(&batch.work) - program->began_ns;
	status = batch_init(&batch);
	batch.ranks.share.walk_ns = walk_ns;
	if (!status)
		status = parts_tell(&batch);
	if (!status)
		status = args->run->args->flags & PTOWSP_RUN_NO_KERNELS ? plan(&batch) : execute(&batch);
	if (!status && !(args->run->args->flags & PTOWSP_RUN_NO_KERNELS))
		status = model_add(&batch);
	if (!status)
		status = spu_clock_tell(&(struct spu_clock_args){&batch.orders, batch.work.cycles, batch.window, args->now}, feed, error);
	if (!status)
		blocks_tell(&batch);
	if (!status && batch.window)
		rt_feed_window(feed, batch.window);
	batch_finish(&batch);
	program->began_ns = spu_work_now(&batch.work); /* of the next batch */
	return status;
}
