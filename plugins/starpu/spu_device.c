/* SPDX-License-Identifier: MIT */
#include "starpu/spu_device.h"

#include "base/cache.h"
#include "base/error.h"
#include "starpu/spu_backend.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	pthread_mutex_t lock;
	uint32_t users, workers;
} running = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- begin, end ---------------------------------------------------------------------------------------------------------- */

static ptowsp_status sched_check(const char *name, struct ptowsp_error *error)
{
	struct starpu_sched_policy **policies = starpu_sched_get_predefined_policies();
	char known[160] = "";

	for (; *policies; policies++) {
		const char *word = (*policies)->policy_name;

		if (!strcmp(word, name))
			return PTOWSP_OK;
		if (strlen(known) + strlen(word) + 2 < sizeof(known) && !strstr(word, "modular-"))
			snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s", *known ? " " : "", word);
	}
	return base_fail(error, PTOWSP_INVALID, "starpu: StarPU has no policy sched=%.32s; it has %s", name, known);
}

/* StarPU reads some settings from the environment alone, while it begins: for so long the process has another one. What a user has set goes before. */
enum { OURS = 5 };
static char **environment_make(const char *const ours[OURS])
{
	size_t count = 0, own = 0;
	char **made;

	while (environ[count])
		count++;
	made = calloc(count + OURS + 1, sizeof(*made));
	for (; made && own < OURS; own++)
		made[count + own] = (char *)(uintptr_t)ours[own];
	if (made)
		memcpy(made, environ, count * sizeof(*made)); /* getenv takes the first of a name */
	return made;
}

static ptowsp_status starpu_begin(struct starpu_conf *conf, const char *cache, const struct spu_world *world, struct ptowsp_error *error)
{
	char home[BASE_CACHE_PATH + 16];
	/* Looking for devices that are not asked for, StarPU and hwloc would start an OpenCL driver, which has threads and signal handlers. */
	const char *const ours[OURS] = {home, "STARPU_SILENT=1", "OCL_ICD_VENDORS=/nonexistent", "HWLOC_COMPONENTS=-opencl", "STARPU_MPI_NOBIND=1"};
	char **before = environ, **during = environment_make(ours);
	sigset_t all, mask;
	ptowsp_status status = PTOWSP_OK;
	int code;

	if (!during)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for StarPU's settings");
	snprintf(home, sizeof(home), "STARPU_HOME=%s", cache);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask); /* workers inherit it: signals are the host's */
	environ = during;
	code = starpu_init(conf);
	if (code)
		status = base_fail(error, PTOWSP_NO_DEVICE, "starpu: StarPU does not begin with %d workers: %s", conf->ncpus, strerror(-code));
	else if ((status = spu_world_begin(world, error)))
		starpu_shutdown();
	environ = before;
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	free(during);
	return status;
}

/* Workers that have no core each run wherever there is one. */
static void worker_release(void *cores)
{
	pthread_setaffinity_np(pthread_self(), sizeof(cpu_set_t), cores);
}

static ptowsp_status begin(const struct base_device *device, const struct spu_world *world, const char *sched, struct ptowsp_error *error)
{
	char cache[BASE_CACHE_PATH + 1];
	struct starpu_conf conf;
	cpu_set_t cores;
	ptowsp_status status = base_cache_find(cache, spu_options_of(device)->cache, error);

	if (status)
		return status;
	starpu_conf_init(&conf);
	conf.sched_policy_name = sched;
	conf.ncpus = (int)device->threads;
	conf.ncuda = conf.nopencl = conf.nmic = 0;
	conf.catch_signals = 0;
	conf.precedence_over_environment_variables = 1;
	sched_getaffinity(0, sizeof(cores), &cores);
	status = starpu_begin(&conf, cache, world, error);
	if (status)
		return status;
	running.workers = starpu_cpu_worker_get_count();
	if (device->threads >= (uint32_t)CPU_COUNT(&cores)) /* the thread that submits needs one, too */
		starpu_execute_on_each_worker(worker_release, &cores, STARPU_CPU);
	return PTOWSP_OK;
}

/* Beside another device: workers of the StarPU that runs. */
static ptowsp_status join(const struct base_device *device, struct spu_device *own, const char *sched, struct ptowsp_error *error)
{
	int workers[STARPU_NMAXWORKERS];

	own->workers = device->threads < running.workers ? device->threads : running.workers;
	starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, workers, STARPU_NMAXWORKERS);
	own->context = starpu_sched_ctx_create(workers, (int)own->workers, SPU_NAME, STARPU_SCHED_CTX_POLICY_NAME, sched, 0);
	if (own->context == STARPU_NMAX_SCHED_CTXS)
		return base_fail(error, PTOWSP_NO_DEVICE, "starpu: StarPU has no context for another device; close one");
	own->own = true;
	return PTOWSP_OK;
}

ptowsp_status spu_open(struct base_device *device, struct ptowsp_error *error)
{
	const char *sched = *spu_options_of(device)->sched ? spu_options_of(device)->sched : "lws";
	struct spu_device *own = calloc(1, sizeof(*own));
	ptowsp_status status = own ? sched_check(sched, error) : base_fail(error, PTOWSP_NO_MEMORY, "no memory for a device");

	if (!status)
		status = spu_world_read(&own->world, spu_options_of(device)->rank, error);
	if (!status && own->world.count > 1 && running.users)
		status = base_fail(error, PTOWSP_INVALID, "starpu: with several ranks a process has one device");
	pthread_mutex_lock(&running.lock);
	if (!status && running.users) {
		status = join(device, own, sched, error);
	} else if (!status) {
		status = begin(device, &own->world, sched, error);
		own->workers = running.workers;
	}
	running.users += !status;
	pthread_mutex_unlock(&running.lock);
	if (status)
		free(own);
	else
		device->own = own;
	return status;
}

void spu_close(struct base_device *device)
{
	struct spu_device *own = device->own;

	pthread_mutex_lock(&running.lock);
	if (own->own)
		starpu_sched_ctx_delete(own->context);
	if (!--running.users) {
		spu_world_end();
		starpu_shutdown();
	}
	pthread_mutex_unlock(&running.lock);
	free(own);
	device->own = NULL;
}
