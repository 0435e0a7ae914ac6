/* SPDX-License-Identifier: MIT */
#include "queue.h"

#include "base/memory/base_buffer.h"
#include "base/memory/base_fence.h"
#include "error.h"
#include "program.h"
#include <string.h>
#include <time.h>

static uint64_t now(const struct base_device *device)
{
	return device->instance->host->now_ns(device->instance->host->context);
}

/* ---- looking before sleeping ------------------------------------------------------------------------------------- */

/* To wake a thread takes 10 to 60 us. Behind a run that took no longer than a wake or two, the next one and its end are looked for before anybody sleeps: so
 * many ns, which is what a program pays in processor time that runs brief ones now and then. */
#define BRIEF_NS UINT64_C(100000)
#define LOOK_NS  UINT64_C(50000)
#define LOOKS    32u /* between two readings of the clock */

static inline void look_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Until the count is another one, for a while, and until_ns at most. Without the lock. */
static void count_look(const struct base_device *device, const _Atomic uint64_t *count, uint64_t before, uint64_t until_ns)
{
	uint64_t until;

	if (!atomic_load_explicit(&device->brief, memory_order_relaxed) || atomic_load_explicit(count, memory_order_relaxed) != before)
		return;
	until = now(device) + LOOK_NS;
	until = until_ns < until ? until_ns : until;
	for (unsigned k = 1; atomic_load_explicit(count, memory_order_relaxed) == before && (k % LOOKS || now(device) < until); k++)
		look_pause();
}

/* ---- a run is accepted ------------------------------------------------------------------------------------------- */

/* Bytes of a run with its copies; 0 if the counts cannot be. */
static uint64_t run_bytes(const struct base_device *device, const struct ptowsp_run_args *args)
{
	return sizeof(struct base_run) + args->binding_count * (uint64_t)sizeof(struct ptowsp_binding) + args->value_count * (uint64_t)sizeof(uint64_t) +
	       base_fences_bytes(device, args);
}

/* Bytes of a binding that both sides know: behind those of 10.0 a host of 10.0 may have anything. */
static size_t binding_known(const struct base_device *device, uint32_t stride)
{
	const size_t most = base_minor_of((const struct ptowsp_object *)device->instance) ? sizeof(struct ptowsp_binding) : PTOWSP_BINDING_FLOOR_10_0;

	return stride < most ? stride : most;
}

static void run_fill(struct base_run *run, const struct ptowsp_run_args *args, uint64_t bytes, size_t binding_bytes)
{
	struct ptowsp_binding *bindings = (struct ptowsp_binding *)(run + 1);
	uint64_t *values = (uint64_t *)(bindings + args->binding_count);

	memcpy(&run->args, args, PTOWSP_RUN_ARGS_FLOOR_10_0);
	run->args.head.size = sizeof(run->args);
	run->args.bindings = bindings;
	run->args.binding_stride = sizeof(*bindings);
	run->args.values = values;
	run->bytes = bytes;
	run->program = (struct base_program *)args->program;
	for (uint32_t i = 0; i < args->binding_count; i++)
		memcpy(&bindings[i], (const char *)args->bindings + (size_t)i * args->binding_stride, binding_bytes);
	if (args->value_count)
		memcpy(values, args->values, args->value_count * sizeof(*values));
}

static ptowsp_status args_check(const struct base_device *device, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	ptowsp_status status = base_args_check(&args->head, PTOWSP_STRUCT_RUN_ARGS, base_fences_known(device, args), "submit", error);

	if (status)
		return status;
	for (const struct base_program *p = device->programs; p; p = p->next)
		if (p == (const struct base_program *)args->program) {
			if (args->binding_count && args->binding_stride < PTOWSP_BINDING_FLOOR_10_0)
				return base_fail(error, PTOWSP_INVALID, "submit: bindings have at least %u bytes, not %u", PTOWSP_BINDING_FLOOR_10_0,
						 args->binding_stride);
			return PTOWSP_OK;
		}
	return base_fail(error, PTOWSP_INVALID, "submit: the program is not loaded on this device");
}

/* What others have is the run's, too, or nothing is. */
static ptowsp_status lend(struct base_device *device, struct base_run *run, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	void *fences = (unsigned char *)run + run->bytes - base_fences_bytes(device, args);
	ptowsp_status status = base_fences_lend(device, run, args, fences, error);

	if (status)
		return status;
	status = base_buffers_lend(device, run, error);
	if (status) {
		pthread_mutex_lock(&device->lock);
		base_fences_return(run);
		pthread_mutex_unlock(&device->lock);
	}
	return status;
}

ptowsp_status base_submit(struct ptowsp_object *object, const struct ptowsp_run_args *args, struct ptowsp_error *error)
{
	struct base_device *device = (struct base_device *)object;
	ptowsp_status status = args_check(device, args, error);
	struct base_run *run;

	if (status)
		return status;
	run = base_alloc(device->instance, run_bytes(device, args));
	if (!run)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory to accept a run");
	run_fill(run, args, run_bytes(device, args), binding_known(device, args->binding_stride));
	status = lend(device, run, args, error);
	if (status) {
		base_release(device->instance, run, run->bytes);
		return status;
	}
	pthread_mutex_lock(&device->lock);
	if (device->last)
		device->last->next = run;
	else
		device->first = run;
	device->last = run;
	run->program->in_flight++;
	atomic_fetch_add_explicit(&device->accepted, 1, memory_order_relaxed);
	pthread_cond_signal(&device->work);
	pthread_mutex_unlock(&device->lock);
	return PTOWSP_OK;
}

/* token matches, or all. With the lock held. */
static int cancel_matching(struct base_device *device, const uint64_t *token)
{
	int found = 0;

	if (device->current && (!token || device->current->args.token == *token)) {
		atomic_store(&device->current->cancel, 1);
		found = 1;
	}
	for (struct base_run *run = device->first; run; run = run->next)
		if (!token || run->args.token == *token) {
			atomic_store(&run->cancel, 1);
			found = 1;
		}
	if (found)
		pthread_cond_signal(&device->work); /* one that waits for fences does so no longer */
	return found;
}

ptowsp_status base_cancel(struct ptowsp_object *object, uint64_t token, struct ptowsp_error *error)
{
	struct base_device *device = (struct base_device *)object;
	int found;

	pthread_mutex_lock(&device->lock);
	found = cancel_matching(device, &token);
	pthread_mutex_unlock(&device->lock);
	return found ? PTOWSP_OK
		     : base_fail(error, PTOWSP_NOT_FOUND, "cancel: no run with token %llu is waiting or executing; it may be done", (unsigned long long)token);
}

void base_cancel_all(struct base_device *device)
{
	pthread_mutex_lock(&device->lock);
	cancel_matching(device, NULL);
	pthread_mutex_unlock(&device->lock);
}

uint32_t base_in_flight(struct base_device *device, const struct base_program *program)
{
	uint32_t count;

	pthread_mutex_lock(&device->lock);
	count = program->in_flight;
	pthread_mutex_unlock(&device->lock);
	return count;
}

int base_queue_wait(struct base_device *device, pthread_cond_t *moved, uint64_t until_ns)
{
	uint64_t at = now(device), left = until_ns > at ? until_ns - at : 0;
	struct timespec until;

	if (!until_ns || left > (uint64_t)INT32_MAX * UINT64_C(1000000000))
		return pthread_cond_wait(moved, &device->lock), 1;
	if (!left)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &until);
	left += (uint64_t)until.tv_nsec;
	until.tv_sec += (time_t)(left / UINT64_C(1000000000));
	until.tv_nsec = (long)(left % UINT64_C(1000000000));
	pthread_cond_timedwait(moved, &device->lock, &until);
	return 1;
}

ptowsp_status base_poll(struct ptowsp_object *object, uint64_t until_ns, struct ptowsp_error *error)
{
	struct base_device *device = (struct base_device *)object;
	int in_time = 1, over;
	uint64_t before = atomic_load(&device->completed);

	if (atomic_load_explicit(&device->accepted, memory_order_relaxed) != before)
		count_look(device, &device->completed, before, until_ns ? until_ns : UINT64_MAX);
	pthread_mutex_lock(&device->lock);
	while (in_time && (device->first || device->current) && device->completed == before)
		in_time = base_queue_wait(device, &device->idle, until_ns);
	over = (device->first || device->current) && device->completed == before;
	pthread_mutex_unlock(&device->lock);
	return over ? base_fail(error, PTOWSP_AGAIN, "poll: no run ended before the time was over") : PTOWSP_OK;
}

ptowsp_status base_drain(struct ptowsp_object *object, uint64_t until_ns, struct ptowsp_error *error)
{
	struct base_device *device = (struct base_device *)object;
	int in_time = 1, busy;

	pthread_mutex_lock(&device->lock);
	while (in_time && (device->first || device->current))
		in_time = base_queue_wait(device, &device->idle, until_ns);
	busy = device->first || device->current;
	pthread_mutex_unlock(&device->lock);
	return busy ? base_fail(error, PTOWSP_DEADLINE, "drain: runs are still going on; cancel them or wait longer") : PTOWSP_OK;
}

/* Nothing of this run touches its program or its buffers any more. Before done, for whoever hears that the run is over may unload the
 * program while done has not yet returned here. */
static void run_leave(struct base_device *device, struct base_run *run)
{
	pthread_mutex_lock(&device->lock);
	run->program->in_flight--;
	base_buffers_return(run);
	base_fences_return(run);
	pthread_mutex_unlock(&device->lock);
}

/* Runs it, or says why it was not begun; then done, exactly once. */
static void run_execute(struct base_device *device, struct base_run *run)
{
	const struct ptowsp_host *host = device->instance->host;
	struct ptowsp_run_stats stats = {.head = PTOWSP_HEAD(stats, RUN_STATS)};
	struct ptowsp_deadlock deadlock = {.head = PTOWSP_HEAD(deadlock, DEADLOCK)};
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	struct ptowsp_done done = {.head = PTOWSP_HEAD(done, DONE), .token = run->args.token, .stats = &stats};

	if (atomic_load(&run->cancel))
		done.status = base_fail(&error, PTOWSP_CANCELLED, "the run was cancelled before it began");
	else if (run->args.deadline_ns && now(device) >= run->args.deadline_ns)
		done.status = base_fail(&error, PTOWSP_DEADLINE, "the deadline passed before the run began");
	else if (!(done.status = base_fences_failed(device, run, &error)))
		done.status = base_program_run(run->program, run, &stats, &deadlock, &error);
	if (done.status)
		done.error = &error;
	if (done.status == PTOWSP_DEADLOCK)
		done.deadlock = &deadlock;
	base_fences_end(device, run, done.status, &error);
	run_leave(device, run);
	host->done(host->context, &done);
}

/* With the lock held: the link to the first run that waits for no fence, or for none any more; NULL: there is none. *look_ns_out: when one that waits is late, 0: never. */
static struct base_run **ready_find(struct base_device *device, uint64_t *look_ns_out)
{
	const uint64_t now_ns = now(device);

	*look_ns_out = 0;
	for (struct base_run **link = &device->first; *link; link = &(*link)->next) {
		const uint64_t late_ns = (*link)->args.deadline_ns;

		if (!base_fences_wait(*link) || atomic_load(&(*link)->cancel) || (late_ns && now_ns >= late_ns))
			return link;
		if (late_ns && (!*look_ns_out || late_ns < *look_ns_out))
			*look_ns_out = late_ns;
	}
	return NULL;
}

/* With the lock held. */
static struct base_run *run_unlink(struct base_device *device, struct base_run **link)
{
	struct base_run *run = *link;

	*link = run->next;
	run->next = NULL;
	if (device->last == run) {
		device->last = device->first;
		while (device->last && device->last->next)
			device->last = device->last->next;
	}
	return device->current = run;
}

static struct base_run *run_take(struct base_device *device)
{
	struct base_run **link, *run;
	uint64_t look_ns;

	count_look(device, &device->accepted, atomic_load(&device->completed), UINT64_MAX);
	pthread_mutex_lock(&device->lock);
	while (!(link = ready_find(device, &look_ns)) && (device->first || !device->stop))
		base_queue_wait(device, &device->work, look_ns);
	run = link ? run_unlink(device, link) : NULL;
	pthread_mutex_unlock(&device->lock);
	return run;
}

static void run_retire(struct base_device *device, struct base_run *run)
{
	pthread_mutex_lock(&device->lock);
	device->current = NULL;
	device->completed++;
	pthread_cond_broadcast(&device->idle);
	pthread_mutex_unlock(&device->lock);
	base_release(device->instance, run, run->bytes);
}

void *base_runner(void *object)
{
	struct base_device *device = object;
	struct base_run *run;

	pthread_setname_np(pthread_self(), "ptowsp-runner"); /* in lists of threads a driver's are told apart from it */
	while ((run = run_take(device))) {
		uint64_t begun = now(device);

		run_execute(device, run);
		atomic_store_explicit(&device->brief, device->several && now(device) - begun < BRIEF_NS, memory_order_relaxed);
		run_retire(device, run);
	}
	return NULL;
}
