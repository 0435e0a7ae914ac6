/* SPDX-License-Identifier: MIT */
#include "starpu/spu_device.h"

#include "base/cache.h"
#include "base/error.h"
#include "starpu/spu_backend.h"
#include "starpu/spu_cache.h"
#include "starpu/spu_measure.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <starpu.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
	pthread_mutex_t lock;
	uint32_t users, workers, cpus;                    /* of the workers those of the processor */
	int first_cpu;                                    /* StarPU's number of the first of them */
	sem_t ready;                                      /* workers that have begun */
	pthread_t threads[STARPU_NMAXWORKERS];            /* of workers */
	struct starpu_driver drivers[STARPU_NMAXWORKERS]; /* of the processor from the first on, OpenCL's up to the last */
	cpu_set_t cores;                                  /* of workers that have no core each */
	bool shared;                                      /* there are such */
	_Atomic bool over;
} running = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- workers ------------------------------------------------------------------------------------------------------------- */

/* Threads that StarPU would start spin while there is nothing to do, as Debian builds it, and take cores from those that have something to do: ranks that share a machine then stand nearly still. So workers
 * are threads of this file: after 20 us in vain they sleep, for an eighth of the time that they have had nothing to do. */
enum { SPIN_NS = 20000, NAP_NS = 1000000 };
static _Thread_local bool worked;

void spu_worker_works(void)
{
	worked = true;
}

static uint64_t clock_read(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void idle_wait(uint64_t idle_ns)
{
	const struct timespec nap = {.tv_nsec = idle_ns / 8 < NAP_NS ? (long)(idle_ns / 8) : NAP_NS};

	if (idle_ns >= SPIN_NS)
		nanosleep(&nap, NULL);
}

static void *worker_main(void *argument)
{
	struct starpu_driver *driver = argument;
	uint64_t since;

	starpu_driver_init(driver);
	sem_post(&running.ready);
	if (running.shared)
		pthread_setaffinity_np(pthread_self(), sizeof(running.cores), &running.cores);
	since = clock_read();
	while (!atomic_load_explicit(&running.over, memory_order_relaxed)) {
		worked = false;
		starpu_driver_run_once(driver);
		if (worked)
			since = clock_read();
		else
			idle_wait(clock_read() - since);
	}
	starpu_driver_deinit(driver);
	return NULL;
}

static void workers_end(void)
{
	atomic_store(&running.over, true);
	for (uint32_t w = 0; w < running.workers; w++)
		pthread_join(running.threads[w], NULL);
	running.workers = 0;
}

static struct starpu_driver *driver_of(uint32_t worker, uint32_t opencl)
{
	return &running.drivers[worker < running.cpus ? worker : STARPU_NMAXWORKERS - opencl + worker - running.cpus];
}

static ptowsp_status workers_begin(uint32_t opencl, struct ptowsp_error *error)
{
	const uint32_t cpus = starpu_cpu_worker_get_count(), count = cpus + opencl;

	running.first_cpu = starpu_worker_get_by_type(STARPU_CPU_WORKER, 0);
	running.cpus = cpus;
	atomic_store(&running.over, false);
	sem_init(&running.ready, 0, 0);
	for (running.workers = 0; running.workers < count; running.workers++)
		if (pthread_create(&running.threads[running.workers], NULL, worker_main, driver_of(running.workers, opencl))) {
			workers_end();
			return base_fail(error, PTOWSP_NO_MEMORY, "starpu: no memory for %u workers", count);
		}
	for (uint32_t w = 0; w < count; w++)
		while (sem_wait(&running.ready))
			;
	return PTOWSP_OK;
}

int spu_worker_id(const struct spu_device *own, uint32_t worker)
{
	return worker < own->cpus ? running.first_cpu + (int)worker : starpu_worker_get_by_type(STARPU_OPENCL_WORKER, (int)(worker - own->cpus));
}

uint32_t spu_worker(const struct spu_device *own)
{
	const int id = starpu_worker_get_id();

	return starpu_worker_get_type(id) == STARPU_OPENCL_WORKER ? own->cpus + (uint32_t)starpu_worker_get_devid(id) : (uint32_t)(id - running.first_cpu);
}

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

/* StarPU reads some settings from the environment alone, while it begins: for so long the process has another one. A user's own settings go before. */
enum { OURS = 6 };
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

static void starpu_end(void)
{
	const bool ended = spu_world_end();

	workers_end();
	if (!ended)
		return;
	starpu_shutdown();
	spu_measure_forget();
}

static ptowsp_status starpu_begin(struct starpu_conf *conf, bool processors, const char *cache, const struct spu_world *world, struct ptowsp_error *error)
{
	char home[BASE_CACHE_PATH + 48];
	/* Looking for devices that are not asked for, StarPU and hwloc would start an OpenCL driver, which has threads and signal handlers. Where ranks share cores OpenMPI would give its turn away whenever no
	 * message is there, on a machine with other work to all of that. */
	const char *const ours[OURS] = {home,
					"STARPU_SILENT=1",
					!conf->nopencl ? "OCL_ICD_VENDORS=/nonexistent"
					: processors   ? "STARPU_OPENCL_ON_CPUS=1"
						       : "STARPU_OPENCL_ON_CPUS=0",
					"HWLOC_COMPONENTS=-opencl",
					"STARPU_MPI_NOBIND=1",
					"OMPI_MCA_mpi_yield_when_idle=0"};
	char **before = environ, **during = environment_make(ours);
	ptowsp_status status;
	int code, lock;

	if (!during)
		return base_fail(error, PTOWSP_NO_MEMORY, "no memory for StarPU's settings");
	snprintf(home, sizeof(home), "STARPU_HOME=%s", cache);
	status = spu_cache_enter(&lock, cache, conf->calibrate, error);
	if (status) {
		free(during);
		return status;
	}
	environ = during;
	code = starpu_init(conf);
	spu_cache_leave(lock);
	if (code)
		status = base_fail(error, PTOWSP_NO_DEVICE, "starpu: StarPU does not begin with %d workers: %s", conf->ncpus, strerror(-code));
	else if ((status = workers_begin((uint32_t)conf->nopencl, error)) || (status = spu_world_begin(world, error)))
		starpu_end();
	environ = before;
	free(during);
	return status;
}

/* A user's own settings, on which StarPU would abort, or go on with others. */
static ptowsp_status settings_check(struct ptowsp_error *error)
{
	static const char *const counts[] = {"STARPU_NCPU", "STARPU_NCPUS", "STARPU_NOPENCL"};
	const char *sched = secure_getenv("STARPU_SCHED");

	for (size_t c = 0; c < sizeof(counts) / sizeof(*counts); c++) {
		const char *value = secure_getenv(counts[c]);

		if (value && (!*value || value[strspn(value, "0123456789")] || strlen(value) > 5))
			return base_fail(error, PTOWSP_INVALID, "starpu: the variable %s=%.32s is no number of workers; unset it", counts[c], value);
	}
	return sched ? sched_check(sched, error) : PTOWSP_OK;
}

/* StarPU measures anew where the number of devices is not the one that it has noted, so each kind has a folder; but that of a user is as it is. */
static ptowsp_status home_find(char home_out[BASE_CACHE_PATH + 24], const char *stated, bool opencl, struct ptowsp_error *error)
{
	const char *own = secure_getenv("STARPU_HOME");
	char cache[BASE_CACHE_PATH + 1], asked[BASE_CACHE_PATH + 24];
	ptowsp_status status = base_cache_find(cache, own && *own ? own : stated, error);

	if (status)
		return status;
	snprintf(asked, sizeof(asked), "%s%s", cache, opencl && !(own && *own) ? "/opencl" : "");
	status = base_cache_find(cache, asked, error);
	snprintf(home_out, BASE_CACHE_PATH + 24, "%s", cache);
	return status;
}

static ptowsp_status begin(const struct base_device *device, const struct spu_world *world, const char *sched, struct ptowsp_error *error)
{
	const uint32_t opencl = spu_options_of(device)->nopencl;
	char home[BASE_CACHE_PATH + 24];
	struct starpu_conf conf;
	void *ids[SPU_OPENCL_MOST];
	bool processors = false;
	ptowsp_status status = settings_check(error);

	if (!status)
		status = home_find(home, spu_options_of(device)->cache, opencl, error);
	if (!status && opencl)
		status = spu_opencl_find(ids, opencl, &processors, error);
	if (status)
		return status;
	starpu_conf_init(&conf);
	conf.sched_policy_name = sched;
	conf.ncpus = (int)device->threads;
	conf.nopencl = (int)opencl;
	conf.ncuda = conf.nmic = 0;
	conf.catch_signals = 0;
	conf.calibrate = spu_measure_needed(sched);
	conf.precedence_over_environment_variables = 1;
	conf.not_launched_drivers = running.drivers;
	conf.n_not_launched_drivers = STARPU_NMAXWORKERS;
	for (uint32_t w = 0; w < STARPU_NMAXWORKERS; w++)
		running.drivers[w] = (struct starpu_driver){.type = STARPU_CPU_WORKER, .id.cpu_id = w};
	for (uint32_t w = 0; w < opencl; w++)
		running.drivers[STARPU_NMAXWORKERS - opencl + w] = (struct starpu_driver){.type = STARPU_OPENCL_WORKER, .id.opencl_id = ids[w]};
	sched_getaffinity(0, sizeof(running.cores), &running.cores);
	/* The thread that submits needs a core, too, and so do other ranks of the machine, which mpirun may bind. */
	running.shared = device->threads >= (uint32_t)CPU_COUNT(&running.cores) || world->count > 1;
	return starpu_begin(&conf, processors, home, world, error);
}

/* Beside another device: workers of the StarPU that runs. */
static ptowsp_status join(struct spu_device *own, const char *sched, struct ptowsp_error *error)
{
	int workers[STARPU_NMAXWORKERS];

	for (uint32_t w = 0; w < own->workers; w++)
		workers[w] = spu_worker_id(own, w);
	own->context = starpu_sched_ctx_create(workers, (int)own->workers, SPU_NAME, STARPU_SCHED_CTX_POLICY_NAME, sched, 0);
	if (own->context == STARPU_NMAX_SCHED_CTXS)
		return base_fail(error, PTOWSP_NO_DEVICE, "starpu: StarPU has no context for another device; close one");
	own->own = true;
	return PTOWSP_OK;
}

/* Workers of the device: as many as its options ask for and StarPU has. */
static void workers_count(const struct base_device *device, struct spu_device *own)
{
	const uint32_t opencl = spu_options_of(device)->nopencl, there = running.workers - running.cpus;

	own->cpus = device->threads < running.cpus ? device->threads : running.cpus;
	own->opencl_count = opencl < there ? opencl : there;
	own->workers = own->cpus + own->opencl_count;
}

static void leave(const struct base_device *device, struct spu_device *own)
{
	spu_opencl_close(device, own);
	if (own->own)
		starpu_sched_ctx_delete(own->context);
	if (!--running.users)
		starpu_end();
}

struct opening {
	struct base_device *device;
	struct spu_device *own;
	const char *sched;
	struct ptowsp_error *error;
	ptowsp_status status;
};
static void *opening_run(void *argument)
{
	struct opening *opening = argument;
	const bool begun = running.users;

	if (!begun)
		opening->status = begin(opening->device, &opening->own->world, opening->sched, opening->error);
	if (opening->status)
		return NULL;
	workers_count(opening->device, opening->own);
	running.users++;
	opening->status = begun ? join(opening->own, opening->sched, opening->error) : PTOWSP_OK;
	if (!opening->status)
		opening->status = spu_opencl_open(opening->device, opening->own, opening->error);
	if (opening->status)
		leave(opening->device, opening->own);
	return NULL;
}

/* Workers, and threads of a driver, inherit a mask of all signals, which are the host's. The caller keeps its own: MPI waits for other ranks, and who waits for too long or has had enough is told by a signal. */
static ptowsp_status opening_wait(struct opening *opening)
{
	sigset_t all, mask;
	pthread_t thread;
	int code;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &mask);
	code = pthread_create(&thread, NULL, opening_run, opening);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (code)
		return base_fail(opening->error, PTOWSP_NO_MEMORY, "no memory for a thread that opens a device");
	pthread_join(thread, NULL);
	return opening->status;
}

ptowsp_status spu_open(struct base_device *device, struct ptowsp_error *error)
{
	const struct spu_options *options = spu_options_of(device);
	/* lws keeps tasks near where they were submitted, which is no place near a worker of another kind. */
	const char *sched = *options->sched ? options->sched : options->nopencl ? "eager" : "lws";
	struct spu_device *own = calloc(1, sizeof(*own));
	ptowsp_status status = own ? sched_check(sched, error) : base_fail(error, PTOWSP_NO_MEMORY, "no memory for a device");

	if (!status)
		status = spu_world_read(&own->world, options->rank, error);
	if (!status && own->world.count > 1 && options->model)
		status = base_fail(error, PTOWSP_INVALID, "starpu: ranks are modelled by one process; leave option model out, or start it without mpirun");
	pthread_mutex_lock(&running.lock);
	if (!status)
		own->measures = spu_measure_needed(sched);
	if (!status)
		status = opening_wait(&(struct opening){device, own, sched, error, PTOWSP_OK});
	pthread_mutex_unlock(&running.lock);
	if (status) {
		free(own);
		return status;
	}
	device->own = own;
	device->threads = own->workers;
	return PTOWSP_OK;
}

void spu_close(struct base_device *device)
{
	struct spu_device *own = device->own;

	pthread_mutex_lock(&running.lock);
	leave(device, own);
	pthread_mutex_unlock(&running.lock);
	free(own);
	device->own = NULL;
}
