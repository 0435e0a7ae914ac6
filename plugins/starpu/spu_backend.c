/* SPDX-License-Identifier: MIT */
#include "starpu/spu_backend.h"

#include "base/ops.h"
#include "ptowsp/graph.h"
#include "ptowsp/ids.h"
#include "ptowsp/workload.h"
#include "starpu/spu_device.h"
#include "starpu/spu_program.h"
#include <string.h>

#define GRAPH(op)     PTOWSP_FEATURE_GRAPH(PTOWSP_##op)
#define OPCODE(op)    PTOWSP_FEATURE_OPCODE(PTOWSP_OP_##op)
#define FEATURE(name) PTOWSP_FEATURE_##name

/* StarPU's workers share the executors of the schedule. */
static const struct base_model model =
	BASE_MODEL("starpu0", "StarPU's workers on this machine's processor: tasks by a scheduler of its own", "starpu", QUEUES, EVENTS);

static const struct base_model *models(const struct base_options *options, uint32_t *count_out)
{
	(void)options;
	*count_out = 1;
	return &model;
}

/* Structure holds because it becomes handles, stated orders and waits of the submission, against which each run's real times are held. When something is issued and which of
 * the ready tasks is next StarPU decides. */
static const struct ptowsp_cap own[] = {
	BASE_CAP(BASE_POLICY(LAYOUT, SHARD), DIAGNOSED),
	BASE_CAP(GRAPH(CA_AFFINITY), RECORDED),
	BASE_CAP(GRAPH(TG_SET_PRIORITY), RECORDED),
	BASE_CAP(BASE_POLICY(TASK_WINDOW, ABORT), DIAGNOSED),
	BASE_CAP(BASE_POLICY(TASK_WINDOW, BENCHMARK), DIAGNOSED),
	BASE_CAP(GRAPH(CA_REQUEST), RECORDED),
	BASE_CAP(GRAPH(TG_PERSISTENT), RECORDED),
	BASE_CAP(FEATURE(TEMP_RENAMED), DIAGNOSED), /* a temp tensor lies in one place */
	BASE_DEVICE_TASKS,
};

/* Each of several ranks minds its own tasks: orders of tasks that have no element in common hold within a rank. */
static const struct ptowsp_cap of_ranks[] = {
	BASE_CAP(BASE_POLICY(TASK_WINDOW, STALL), RECORDED),
	BASE_CAP(BASE_POLICY(PIPELINE_DEPTH, DEPTH), RECORDED),
	BASE_CAP(BASE_POLICY(STREAMS, COUNT), RECORDED),
	BASE_CAP(BASE_POLICY(STREAM_BY, EXPRESSION), RECORDED),
	BASE_CAP(BASE_POLICY(CHANNEL_CAPACITY, CAPACITY), RECORDED),
	BASE_CAP(OPCODE(BARRIER), RECORDED),
	BASE_CAP(OPCODE(FENCE), RECORDED),
	BASE_CAP(OPCODE(SIGNAL), RECORDED),
	BASE_CAP(OPCODE(WAIT), RECORDED),
	BASE_CAP(GRAPH(SY_SIGNAL), RECORDED),
	BASE_CAP(GRAPH(SY_WAIT), RECORDED),
	BASE_CAP(GRAPH(SY_BARRIER), RECORDED),
	BASE_CAP(GRAPH(TG_SYNC), RECORDED),
	BASE_CAP(GRAPH(TG_DEPEND), RECORDED),
};

static uint32_t caps(const struct base_options *options, const struct base_model *which, struct ptowsp_cap *rows_out)
{
	const struct spu_options *all = (const void *)options;
	const uint32_t there = all && *all->rank ? BASE_CAPS_ADD(rows_out, 0, of_ranks) : 0;

	(void)which;
	return base_caps_unissued(rows_out, BASE_CAPS_ADD(rows_out, there, own));
}

static const struct base_option options[] = {
	BASE_OPTION(offsetof(struct spu_options, sched), "sched", "word", "", "",
		    "StarPU's scheduling policy: lws, ws, eager, prio, dmda, dmdas, ...; without one: lws, with OpenCL workers eager"),
	BASE_OPTION(offsetof(struct base_options, threads), "ncpu", "int", "0", "0..65536",
		    "StarPU's CPU workers, 0: all cores this process may use; the same as threads"),
	BASE_OPTION(offsetof(struct spu_options, nopencl), "nopencl", "int", "0", "0..8",
		    "StarPU's OpenCL workers, one per device: GPUs and accelerators, where there are none or STARPU_OPENCL_ON_CPUS=1 processors, too"),
	BASE_OPTION(offsetof(struct spu_options, where), "where", "word", "any", "any|opencl",
		    "tasks of kernels that OpenCL workers take: on any worker, or on those alone; other tasks are the CPU workers'"),
	BASE_OPTION(offsetof(struct spu_options, rank), "rank", "word", "", "I/N",
		    "this process is rank I, from 0 on, of N that mpirun started; I/N/all: results come to all of them; ptowsp-run says it by itself"),
	BASE_OPTION(offsetof(struct spu_options, whole), "whole", "int", "0", "0..1",
		    "1: each of several ranks walks the whole program; 0: all but rank 0 pass over what is not theirs, where tasks can be counted"),
	BASE_OPTION(offsetof(struct spu_options, model), "model", "int", "0", "0..16384",
		    "--stats also tells what a run of so many ranks would be, by a model of their network; 0: it does not"),
	BASE_OPTION(offsetof(struct spu_options, model_us), "model_us", "int", "0", "0..1000000", "us that each task takes there, 0: as long as it took here"),
	BASE_OPTION(offsetof(struct spu_options, network), "network", "word", "", "",
		    "file of that network, a line each: L, o, g, G and nanoseconds; without one: L 2500, o 1500, g 1000, G 6"),
	BASE_OPTION(offsetof(struct spu_options, cache), "cache", "word", "", "",
		    "folder below which StarPU keeps what it has measured of this machine and of kernels; without one: ~/.cache/ptowsp"),
};

static const void *extension(struct ptowsp_object *instance, const char *id)
{
	(void)instance;
	return strcmp(id, PTOWSP_EXTENSION_REPORT) ? NULL : &spu_report;
}

static const struct base_backend spu_backend = {
	.name = SPU_NAME,
	.targets = SPU_NAME,
	.models = models,
	.caps = caps,
	.options = options,
	.option_count = sizeof(options) / sizeof(*options),
	.options_size = sizeof(struct spu_options),
	.open = spu_open,
	.close = spu_close,
	.load = spu_load,
	.unload = spu_unload,
	.forget = spu_forget,
	.run = spu_run,
	.extension = extension,
};
BASE_OPS(spu_ops, spu_backend);
