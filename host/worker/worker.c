/* SPDX-License-Identifier: MIT */
/* worker.c - ptowsp-worker: started by libptowsp with its files (host_frame.h), never by people. Waits for requests, and polls the plugin while runs go on, so that a run costs
 * the host one round trip. */
#include "host/worker/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define POLL_NS  UINT64_C(2000000) /* longest poll: how long a request waits for it */
#define PAUSE_NS UINT64_C(200000)  /* after a poll that had nothing to do */

struct worker worker = {.up_lock = PTHREAD_MUTEX_INITIALIZER};

/* The message is this side's copy, and the host is believed; what is too short for a frame is not, and ends it. */
static void message_do(struct host_ring *ring, bool says)
{
	struct host_unwire wire = {.bytes = ring->message, .size = ring->size, .at = sizeof(struct host_frame)};
	struct host_frame frame;

	if (ring->size < sizeof(frame))
		_exit(1);
	memcpy(&frame, ring->message, sizeof(frame));
	/* The request may answer another thread's message: its lock is free once it is done with what the message is about. */
	pthread_mutex_lock(&worker.up_lock);
	pthread_mutex_unlock(&worker.up_lock);
	if (says)
		atomic_store_explicit(&worker.shared->operation, frame.operation, memory_order_relaxed);
	worker_call(&frame, &wire);
}

static void requests_do(struct host_ring *ring, bool says)
{
	enum host_ring_state state;

	while ((state = host_ring_read(ring)) == HOST_RING_READY)
		message_do(ring, says);
	if (state != HOST_RING_NOTHING)
		_exit(1);
}

static _Atomic uint64_t *token_place(uint64_t token)
{
	return &worker.tokens[(uint32_t)token % HOST_RUNS_IN_FLIGHT];
}

void worker_run_begin(uint64_t token)
{
	if (!atomic_exchange(token_place(token), token)) /* else the thread that told of the slot's last run is not done with that, and counts no end of it */
		atomic_fetch_add(&worker.running, 1);
}

/* A plugin may complete what it was never given, or the same twice: counted as an end, that would have it polled for ever, or another run of it never again. */
void worker_run_end(uint64_t token)
{
	uint64_t expected = token;

	if (token && atomic_compare_exchange_strong(token_place(token), &expected, 0))
		atomic_fetch_sub(&worker.running, 1);
}

void worker_device_add(struct ptowsp_object *device)
{
	if (worker.device_count < WORKER_DEVICES)
		worker.devices[worker.device_count++] = device;
}

void worker_device_remove(const struct ptowsp_object *device)
{
	for (uint32_t i = 0; i < worker.device_count; i++)
		if (worker.devices[i] == device)
			worker.devices[i--] = worker.devices[--worker.device_count];
}

/* Each of its devices in turn, for all of which one poll's time is. */
static void plugin_poll(void)
{
	struct ptowsp_error ignored = {.head = PTOWSP_HEAD(struct ptowsp_error, ERROR)};
	const uint32_t before = atomic_load(&worker.running);
	const uint64_t begin = host_now_ns();
	ptowsp_status status = PTOWSP_OK;

	atomic_store_explicit(&worker.shared->operation, HOST_OPERATION_poll, memory_order_relaxed);
	for (uint32_t i = 0; i < worker.device_count && atomic_load(&worker.running); i++)
		status = worker.plugin->ops.poll(worker.devices[i], begin + (i + 1) * POLL_NS / worker.device_count, &ignored);
	if (atomic_load(&worker.running) == before && (status || host_now_ns() - begin < POLL_NS / 2))
		host_ring_wait(&worker.down[0], host_now_ns() + PAUSE_NS, &worker.stop);
}

static void *any_main(void *context)
{
	(void)context;
	for (;;) {
		host_ring_wait(&worker.down[1], UINT64_MAX, &worker.stop);
		requests_do(&worker.down[1], false);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	worker.shared = mmap(NULL, sizeof(*worker.shared), PROT_READ | PROT_WRITE, MAP_SHARED, HOST_WORKER_MEMORY, 0);
	if ((argc != 3 && argc != 6) || worker.shared == MAP_FAILED) {
		fputs("ptowsp-worker is started by libptowsp, for --isolate=process and --isolate=sandbox\n", stderr);
		return 2;
	}
	worker.confined = argc == 6;
	if (worker.confined)
		worker.limits = (struct host_limits){strtoull(argv[3], NULL, 10), (uint32_t)strtoul(argv[4], NULL, 10), (uint32_t)strtoul(argv[5], NULL, 10)};
	if (!worker_keep(atoi(argv[2])))
		return 1;
	worker.name = argv[1];
	close(HOST_WORKER_MEMORY);
	host_ring_init(&worker.down[0], &worker.shared->down[0]);
	host_ring_init(&worker.down[1], &worker.shared->down[1]);
	host_ring_init(&worker.up, &worker.shared->up);
	/* The first request loads the plugin, and what a sandbox takes from this thread is taken from those that it starts afterwards. */
	host_ring_wait(&worker.down[0], UINT64_MAX, &worker.stop);
	if (host_ring_read(&worker.down[0]) != HOST_RING_READY)
		return 1;
	message_do(&worker.down[0], true);
	if (pthread_create(&thread, NULL, any_main, NULL))
		return 1;
	for (;;) {
		requests_do(&worker.down[0], true);
		if (worker.device_count && atomic_load(&worker.running))
			plugin_poll();
		else
			host_ring_wait(&worker.down[0], UINT64_MAX, &worker.stop);
	}
}
