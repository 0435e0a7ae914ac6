/* SPDX-License-Identifier: MIT */
/* builder.cc - tasks from submission to their end: predecessors, the ring of tasks in flight, starting what may start. Values, loops and owners are in
 * builder_values.cc, channels and processes in builder_process.cc. */
#include "builder_private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 1 << 18, PREDS_PER_TASK = 64 };

/* A predecessor that a task waits for; taken out once it has ended. */
struct Pred {
	TaskId task;
	uint32_t next;
};
/* Predecessors of all tasks that wait; used up: the builder waits. */
struct BuilderPreds {
	Pred *rows;
	uint32_t spare, room;
};

void Builder::fail(int32_t code, const char *format, ...)
{
	va_list list;

	if (status)
		return;
	status = code;
	va_start(list, format);
	vsnprintf(message, sizeof(message), format, list);
	va_end(list);
}

/* ---- making and unmaking -------------------------------------------------------------------------------------------- */

template <typename T> static T *table(uint64_t count)
{
	return (T *)calloc((size_t)count + 1, sizeof(T));
}

static uint64_t power_from(uint64_t n)
{
	uint64_t power = 1;

	while (power < n)
		power *= 2;
	return power;
}

static uint64_t depth_places(const BuilderPlan *plan, const BuilderDepth *depth)
{
	return depth->domain == DEPTH_STREAM ? (uint64_t)plan->streams + 1 : depth->domain == DEPTH_POOL ? 256 : 1;
}

int32_t Builder::init()
{
	uint64_t depths = 0;
	BuilderPreds *preds = (BuilderPreds *)calloc(1, sizeof(*preds));

	status = BUILDER_OK;
	message[0] = 0;
	memset(&workload, 0, sizeof(workload));
	workload.instance = TASK_NO_PROCESS;
	workload.wants = UINT32_MAX;
	place = &workload;
	open = false;
	next = all_ended = copies = barrier_at = 0;
	own = own_tail = steps = 0;
	waiting_count = running = unflushed = scopes = 0;
	scope_from = UINT64_MAX;
	own_shared = !shared.room;
	if (own_shared) {
		shared.room = power_from(plan->window);
		shared.finished = table<volatile uint64_t>(shared.room);
	}
	for (uint32_t k = 0; k < plan->depth_count; k++)
		depths += depth_places(plan, &plan->depths[k]);
	ring = (TaskNodePod *)aligned_alloc(64, sizeof(TaskNodePod) * plan->window); /* a multiple of 64, as the pod is */
	waiting = table<uint32_t>(plan->window);
	preds_head = table<uint32_t>(plan->window);
	stream_last = table<TaskId>((uint64_t)plan->streams + 1);
	queue_count = table<uint64_t>(256);
	depth_now = table<uint64_t>(depths);
	depth_tasks = table<TaskId>(platform.take ? depths * BUILDER_DEPTH_KEPT : 0);
	events = table<Event>(plan->event_count);
	channels = table<ChannelState>(plan->channel_count);
	ends_closed = table<uint8_t>(ends_total(plan));
	places = table<BuilderPlace *>(plan->instance_count);
	tracker = tracker_create(plan->tensor_count, PIECES);
	this->preds = preds;
	if (preds) {
		preds->room = plan->window * (uint32_t)PREDS_PER_TASK;
		preds->rows = table<Pred>(preds->room);
	}
	if (!preds || !preds->rows || !shared.finished || !ring || !waiting || !preds_head || !stream_last || !queue_count || !depth_now || !depth_tasks || !events ||
	    !channels || !ends_closed || !places || !tracker || !channels_init(*this)) {
		fail(BUILDER_MEMORY, "no memory for a window of %u tasks", plan->window);
		return status;
	}
	memset((void *)ring, 0, sizeof(TaskNodePod) * plan->window);
	for (uint32_t i = 0; i < preds->room; i++)
		preds->rows[i].next = i + 1 < preds->room ? i + 2 : 0; /* numbers from 1 on, 0: none */
	preds->spare = preds->room ? 1 : 0;
	return status;
}

void Builder::finish()
{
	channels_finish(*this);
	tracker_destroy(tracker);
	free(ring);
	free(waiting);
	free(preds_head);
	free(stream_last);
	free(queue_count);
	free(depth_now);
	free(depth_tasks);
	free(events);
	free(channels);
	free(ends_closed);
	free(places);
	if (preds)
		free(preds->rows);
	free(preds);
	if (own_shared) {
		free((void *)shared.finished);
		shared = BuilderShared{};
	}
}

/* ---- one task ------------------------------------------------------------------------------------------------------- */

void Builder::alloc_task(uint16_t kernel, uint32_t stream, uint32_t owner)
{
	const BuilderKernel *k = &plan->kernels[kernel];
	const uint32_t filter = place->filter_depth ? place->filters[place->filter_depth - 1] : owner;

	if (status)
		return;
	memset((void *)&task_now, 0, sizeof(task_now));
	task_now.id = next;
	task_now.kernel = kernel;
	task_now.domain = k->domain;
	task_now.pool = k->pool;
	task_now.blocks = k->blocks;
	task_now.stream = stream;
	task_now.owner = filter == OWNER_BY_NUMBER ? owner_by_number() : filter;
	task_now.order = (TaskId)larger((int64_t)place->order, (int64_t)barrier_at);
	task_now.process = place->instance;
	open = true;
	deps_count = 0;
}

void Builder::add_arg(int64_t value)
{
	if (!status && task_now.arg_count < TASK_MOST_ARGS)
		task_now.args[task_now.arg_count++] = (uint64_t)value;
}

/* The window of a region, and the elements that it may touch. */
bool Builder::resolve(const Region &r, uint8_t access, TaskWindow *window, TaskIO *io, uint64_t *from, uint64_t *to)
{
	const BuilderTensor *t = &tensors[r.tensor];
	const uint64_t view = r.view_size ? r.view_size : 1;
	int64_t start;
	uint64_t length;

	if (r.unit) {
		int64_t scaled;

		if (__builtin_mul_overflow(r.row, (int64_t)r.unit, &scaled) || __builtin_add_overflow(scaled, r.column, &start) || start < 0 ||
		    (uint64_t)start > t->elements || (r.reach && r.reach > t->elements - (uint64_t)start)) {
			fail(BUILDER_OUTSIDE, "task %llu: a window of tensor %u begins at %lld * %u + %lld and has %u elements, the tensor has %llu",
			     (unsigned long long)next, r.tensor, (long long)r.row, r.unit, (long long)r.column, r.reach, (unsigned long long)t->elements);
			return false;
		}
		length = r.reach ? r.reach : t->elements - (uint64_t)start;
		*window = TaskWindow{0, 1, length / view, length / view, 1};
		*from = r.whole ? 0 : (uint64_t)start;
		*to = r.whole ? t->elements : (uint64_t)start + length;
	} else {
		const uint64_t columns = t->columns, rows = columns ? t->elements / columns : 0;

		if (r.row < 0 || r.column < 0 || r.rows > rows || r.columns > columns || (uint64_t)r.row > rows - r.rows ||
		    (uint64_t)r.column > columns - r.columns) {
			fail(BUILDER_OUTSIDE, "task %llu: %u x %u elements at %lld, %lld of tensor %u, which is %llu x %llu", (unsigned long long)next,
			     r.rows, r.columns, (long long)r.row, (long long)r.column, r.tensor, (unsigned long long)rows, (unsigned long long)columns);
			return false;
		}
		start = r.row * (int64_t)columns + r.column;
		*window = TaskWindow{0, r.rows, r.columns / view, columns / view, 1};
		*from = (uint64_t)start;
		*to = (uint64_t)start + (r.rows - 1) * columns + r.columns;
	}
	if (start % (int64_t)view) {
		fail(BUILDER_OUTSIDE, "task %llu: a window of tensor %u begins at byte %lld, which is no element", (unsigned long long)next, r.tensor,
		     (long long)start);
		return false;
	}
	window->data = t->data + (uint64_t)start * t->size;
	*io = TaskIO{(uint64_t)start, r.tensor, access, r.view_size ? r.view : t->dtype, 0};
	return true;
}

void Builder::add(const Region &region, uint8_t access)
{
	const uint32_t at = task_now.io_count;
	uint64_t from, to;

	if (status || at >= TASK_MOST_TENSORS || !resolve(region, access, &task_now.windows[at], &task_now.io[at], &from, &to))
		return;
	regions[at] = region;
	task_now.io_count++;
}

static void pred_found(void *context, uint64_t other)
{
	Builder *b = (Builder *)context;

	if (b->platform.take || !b->has_ended(other))
		b->pred_add(other);
}

void Builder::pred_add(TaskId task)
{
	uint32_t at = 0;

	if (deps_count && deps[deps_count - 1] == task)
		return;
	while (at < deps_count && deps[at] != task)
		at++;
	if (at < deps_count)
		return;
	if (deps_count == BUILDER_MOST_DEPS) { /* more than are kept apart: it waits for the latest of them and all before it */
		task_now.order = (TaskId)larger((int64_t)task_now.order, (int64_t)task + 1);
		return;
	}
	deps[deps_count++] = task;
}

void Builder::add_dep(int64_t task)
{
	if (status || task < 0)
		return;
	if ((TaskId)task >= next) {
		fail(BUILDER_VALUE, "task %llu cannot wait for task %lld, which is not before it", (unsigned long long)next, (long long)task);
		return;
	}
	if (plan->stated)
		pred_found(this, (uint64_t)task);
}

/* Runs of elements of a region: rows that do not lie one behind the other are several. */
template <typename F> static void runs_of(const BuilderTensor *t, const Region &r, uint64_t from, uint64_t to, F visit)
{
	if (r.unit || r.rows == 1 || r.columns == t->columns) {
		visit(from, to);
		return;
	}
	for (uint32_t row = 0; row < r.rows; row++)
		visit(from + row * t->columns, from + row * t->columns + r.columns);
}

static uint64_t runs_count(const BuilderTensor *t, const Region &r)
{
	return r.unit || r.rows == 1 || r.columns == t->columns ? 1 : r.rows;
}

/* Makes room for all its pieces, by waiting for everybody if there is none. */
bool Builder::tracker_room()
{
	uint64_t pieces = 1;

	for (uint32_t i = 0; i < task_now.io_count; i++)
		pieces += runs_count(&tensors[regions[i].tensor], regions[i]);
	if (tracker_fits(tracker, pieces))
		return true;
	if (platform.take)
		task_now.order = barrier_at = next; /* it and all that follow come behind everybody, whom nothing has to find any more */
	else if (!wait_for(next))
		return false;
	tracker_clear(tracker);
	if (tracker_fits(tracker, pieces))
		return true;
	fail(BUILDER_MEMORY, "task %llu touches %llu pieces", (unsigned long long)next, (unsigned long long)pieces);
	return false;
}

void Builder::infer()
{
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < task_now.io_count; i++) {
			const Region &r = regions[i];
			TaskWindow window;
			TaskIO io;
			uint64_t from, to;

			if (!(task_now.io[i].access & (pass ? TASK_WRITE : TASK_READ)) || !resolve(r, task_now.io[i].access, &window, &io, &from, &to))
				continue;
			runs_of(&tensors[r.tensor], r, from, to, [&](uint64_t begin, uint64_t end) {
				if (pass)
					tracker_write(tracker, r.tensor, begin, end, next, plan->full, pred_found, this);
				else
					tracker_read(tracker, r.tensor, begin, end, next, pred_found, this);
			});
		}
}

bool Builder::submit()
{
	const bool mine = alone || task_now.owner == instance;

	if (status)
		return false;
	open = false;
	if (task_now.order > next)
		task_now.order = next;
	if (plan->rules != DEPS_EXPLICIT || plan->loads) {
		if (!tracker_room())
			return false;
		if (plan->rules == DEPS_EXPLICIT) { /* who wrote an element that is loaded is asked for all the same */
			const uint32_t stated = deps_count;

			infer();
			deps_count = stated;
		} else {
			infer();
		}
	}
	if (task_now.stream != TASK_NO_STREAM && plan->streams) {
		if (stream_last[task_now.stream])
			pred_found(this, stream_last[task_now.stream] - 1);
		stream_last[task_now.stream] = next + 1;
	}
	if (platform.submitted)
		platform.submitted(platform.context, &task_now);
	if (platform.take ? !give() : mine && !ring_put())
		return false;
	if (plan->copy_kernel == task_now.kernel)
		copies = next + 1;
	next++;
	steps++;
	if (platform.take) {
		all_ended = next;
		return !status;
	}
	/* Nobody runs ahead of the oldest task by more than the shared room. */
	while (next - all_ended >= shared.room && !status) {
		if (!pump() && !running && !waiting_count && alone)
			fail(BUILDER_STUCK, "task %llu cannot be issued", (unsigned long long)next);
	}
	if (++unflushed >= (plan->batch > 1 ? plan->batch : 1))
		flush();
	return !status;
}

/* batch_deps: what was emitted may run. */
void Builder::flush()
{
	unflushed = 0;
	if (!platform.take)
		pump();
}

/* ---- tasks in flight ------------------------------------------------------------------------------------------------- */

/* A place in the ring: the oldest task has left it, in order. */
bool Builder::room_make()
{
	while (own - own_tail >= plan->window && !status) {
		const bool moved = pump();

		while (own_tail < own && own_tail < scope_from && ring[own_tail % plan->window].state == TASK_ENDED)
			own_tail++;
		if (own - own_tail >= plan->window && !moved && !running && own_tail >= scope_from)
			fail(BUILDER_STUCK, "task %llu: an open scope holds all %u places of the window; make the window larger or the scope shorter",
			     (unsigned long long)next, plan->window);
	}
	return !status;
}

bool Builder::ring_put()
{
	const uint32_t window = plan->window;
	uint32_t at;

	if (!room_make())
		return false;
	at = (uint32_t)(own % window);
	task_now.fanin = deps_count;
	memcpy((void *)&ring[at], &task_now, sizeof(task_now));
	preds_head[at] = 0;
	for (uint32_t i = 0; i < deps_count; i++) {
		uint32_t number = preds->spare;

		while (!number && !status) { /* used up: until some of them have ended */
			pump();
			number = preds->spare;
		}
		if (status)
			return false;
		preds->spare = preds->rows[number - 1].next;
		preds->rows[number - 1] = Pred{deps[i], preds_head[at]};
		preds_head[at] = number;
	}
	waiting[waiting_count++] = at;
	own++;
	return true;
}

void Builder::frontier()
{
	while (all_ended < next && shared.finished[all_ended & (shared.room - 1)] > all_ended)
		all_ended++;
}

static uint64_t depth_place(const Builder *b, const TaskNodePod *task, uint32_t k)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < k; i++)
		at += depth_places(b->plan, &b->plan->depths[i]);
	switch (b->plan->depths[k].domain) {
	case DEPTH_STREAM: return at + (task->stream == TASK_NO_STREAM ? 0 : task->stream);
	case DEPTH_POOL: return at + (uint8_t)task->pool;
	default: return at;
	}
}

/* Is pipeline depth k about this task? */
static bool depth_concerns(const Builder *b, const TaskNodePod *task, uint32_t k)
{
	return b->plan->depths[k].domain != DEPTH_LOOP || task->domains >> k & 1;
}

void Builder::depth_count(const TaskNodePod *task, int by)
{
	for (uint32_t k = 0; k < plan->depth_count; k++)
		if (depth_concerns(this, task, k))
			depth_now[depth_place(this, task, k)] += (uint64_t)(int64_t)by;
}

/* To a platform that minds the order: as no end is seen here, a task comes behind the one that so many before it. */
void Builder::depth_follow(uint32_t k)
{
	const uint64_t at = depth_place(this, &task_now, k), most = plan->depths[k].most, before = depth_now[at];

	if (most < BUILDER_DEPTH_KEPT && before >= most)
		pred_add(depth_tasks[at * BUILDER_DEPTH_KEPT + (before - most) % BUILDER_DEPTH_KEPT]);
	depth_tasks[at * BUILDER_DEPTH_KEPT + before % BUILDER_DEPTH_KEPT] = next;
	depth_now[at]++;
}

bool Builder::give()
{
	for (uint32_t k = 0; k < plan->depth_count; k++)
		if (depth_concerns(this, &task_now, k))
			depth_follow(k);
	return !status && platform.take(platform.context, &task_now, deps, deps_count);
}

bool Builder::may_start(const TaskNodePod *task, uint32_t at)
{
	while (preds_head[at]) {
		Pred *first = &preds->rows[preds_head[at] - 1];
		const uint32_t number = preds_head[at];

		if (!has_ended(first->task))
			return false;
		preds_head[at] = first->next;
		first->next = preds->spare;
		preds->spare = number;
	}
	if (task->order > all_ended)
		return false;
	for (uint32_t k = 0; k < plan->depth_count; k++)
		if (depth_concerns(this, task, k) && depth_now[depth_place(this, task, k)] >= plan->depths[k].most)
			return false;
	return true;
}

bool Builder::ended_take()
{
	TaskNodePod *done[16];
	const uint32_t count = platform.ended(platform.context, done, 16);

	for (uint32_t i = 0; i < count; i++) {
		const TaskId id = done[i]->id;

		depth_count(done[i], -1);
		running--;
		if (done[i]->status)
			fail(BUILDER_KERNEL, "task %llu, kernel %s failed with status %d", (unsigned long long)id, plan->kernels[done[i]->kernel].name,
			     (int)done[i]->status);
		/* Who had the place before has ended, but maybe not told: then all_ended is not past it. */
		while (id >= shared.room && shared.finished[id & (shared.room - 1)] < id - shared.room + 1)
			;
		__atomic_store_n(&shared.finished[id & (shared.room - 1)], id + 1, __ATOMIC_RELEASE);
		done[i]->state = TASK_ENDED;
	}
	return count > 0;
}

bool Builder::pump()
{
	bool moved = ended_take();
	uint32_t kept = 0;

	frontier();
	for (uint32_t i = 0; i < waiting_count; i++) {
		TaskNodePod *task = &ring[waiting[i]];

		if (!status && may_start(task, waiting[i])) {
			task->state = TASK_RUNS;
			if (platform.start(platform.context, task)) {
				running++;
				depth_count(task, 1);
				moved = true;
				continue;
			}
			task->state = TASK_WAITS;
		}
		waiting[kept++] = waiting[i];
	}
	waiting_count = kept;
	moved |= ended_take();
	frontier();
	while (own_tail < own && own_tail < scope_from && ring[own_tail % plan->window].state == TASK_ENDED)
		own_tail++;
	return moved;
}

bool Builder::wait_for(TaskId tasks)
{
	unflushed = 0;
	if (platform.take)
		return !status && platform.wait(platform.context, tasks);
	while (all_ended < tasks && !status)
		if (!pump() && !running && alone && all_ended < tasks)
			fail(BUILDER_STUCK, "task %llu never ends", (unsigned long long)all_ended);
	return !status;
}

int32_t Builder::complete()
{
	if (!status && open)
		fail(BUILDER_VALUE, "task %llu was allocated and not submitted", (unsigned long long)next);
	if (platform.take) /* which has all it needs */
		return status;
	wait_for(next);
	while (running) /* after a failure: nothing may run on memory that is given back */
		ended_take();
	return status;
}
