/* SPDX-License-Identifier: MIT */
/* platform_device.cc - the AICPU side of a device: each thread of the launch is one scheduler instance, feeds the cores that are its own by their registers, and
 * runs the orchestration. Who launches it (a host program with CANN's runtime) fills AicpuLaunch in device memory, starts aicore_main on all cores and then
 * AicpuOrchestrate on as many AICPU threads as there are instances. */
#include "aicore_registers.h"
#include "aicpu_orchestrate.h"

#include <stdlib.h>

enum { CORES_MOST = 128, INSTANCES_MOST = 8 };

/* In device memory, filled by the host. */
struct AicpuLaunch {
	uint32_t workload;
	uint32_t instances;          /* AICPU threads, at most INSTANCES_MOST */
	uint32_t cube, vector;       /* cores; vector: twice as many as cube, core v belongs to the cluster of cube v / 2 */
	uint64_t handshakes;         /* AicoreHandshake[cube + vector]: cube cores first */
	uint64_t registers;          /* uint64_t[physical cores]: where each core's registers are mapped */
	uint64_t tensors;            /* BuilderTensor[TENSOR_COUNT] */
	uint64_t slots;              /* int64_t[SLOT_COUNT] per instance */
	uint64_t finished;           /* uint64_t[room], zero */
	uint64_t room;               /* a power of two, at least the window times the instances */
	uint64_t workspaces;         /* scratch memory: workspace_bytes per core */
	uint64_t workspace_bytes;
	volatile uint32_t next;      /* 0: instances take their numbers from it */
	volatile int32_t status[INSTANCES_MOST];
};

namespace {
struct Core {
	volatile uint32_t *registers;
	AicoreHandshake *handshake;
	uint64_t workspace;
	uint32_t kind, token;
	TaskNodePod *task;     /* that it runs, NULL: it is idle */
	Core *partner;         /* the vector core that runs it, too; its end is not told by itself */
	bool quiet;
};
/* The cores of one instance. */
struct Feeder {
	const BuilderKernel *kernels;
	Core cores[CORES_MOST];
	uint32_t count, next;
};

void register_write(Core *core, uint32_t at, uint32_t value)
{
	core->registers[at / 4] = value;
}

uint32_t register_read(const Core *core, uint32_t at)
{
	return core->registers[at / 4];
}

/* Waits until the core runs, then opens its registers. */
void core_open(Core *core, const AicpuLaunch *launch, uint32_t number)
{
	core->handshake = (AicoreHandshake *)(uintptr_t)launch->handshakes + number;
	while (core->handshake->done != number + 1)
		;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	core->kind = core->handshake->kind;
	core->registers = (volatile uint32_t *)(uintptr_t)((const uint64_t *)(uintptr_t)launch->registers)[core->handshake->physical];
	core->workspace = launch->workspaces + number * launch->workspace_bytes;
	register_write(core, AICORE_REGISTER_FAST, AICORE_FAST_OPEN);
	register_write(core, AICORE_REGISTER_TOKEN, AICORE_IDLE);
}

void core_close(Core *core)
{
	register_write(core, AICORE_REGISTER_TOKEN, AICORE_EXIT);
	while (register_read(core, AICORE_REGISTER_COND) != (AICORE_EXIT | AICORE_FINISHED))
		;
	register_write(core, AICORE_REGISTER_FAST, AICORE_FAST_CLOSE);
}

bool core_serves(const Core *core, const TaskNodePod *task)
{
	switch (task->pool) {
	case ExecPool::Cube: return core->kind == AICORE_KIND_CUBE;
	case ExecPool::Vector: return core->kind == AICORE_KIND_VECTOR;
	default: return true;
	}
}

/* A token per task; the payload's half is that of its lowest bit: the one before may still be read. */
void core_give(Core *core, TaskNodePod *task)
{
	core->token = core->token >= AICORE_TOKEN_MOST ? 1 + (core->token & 1) : core->token + 1;
	core->task = task;
	core->handshake->payload[core->token & 1] = (uint64_t)(uintptr_t)task;
	__atomic_thread_fence(__ATOMIC_RELEASE); /* the task is in memory before its token is seen */
	register_write(core, AICORE_REGISTER_TOKEN, core->token);
}

/* Cores of a cluster lie one behind the other, the cube core first. */
Core *partner_of(Feeder *feeder, Core *core)
{
	Core *partner = core + 1;

	return core->kind == AICORE_KIND_CUBE && partner < feeder->cores + feeder->count && !partner->task ? partner : nullptr;
}

bool start(void *context, TaskNodePod *task)
{
	Feeder *feeder = (Feeder *)context;
	const bool cluster = feeder->kernels[task->kernel].cluster;

	for (uint32_t i = 0; i < feeder->count; i++) {
		Core *core = &feeder->cores[(feeder->next + i) % feeder->count];
		Core *partner = cluster && !core->task ? partner_of(feeder, core) : nullptr;

		if (core->task || (cluster ? !partner : !core_serves(core, task)))
			continue;
		feeder->next = (feeder->next + i + 1) % feeder->count;
		task->workspace = core->workspace;
		core->partner = partner;
		core->quiet = false;
		core_give(core, task);
		if (partner) {
			partner->quiet = true;
			core_give(partner, task);
		}
		return true;
	}
	return false;
}

bool is_over(const Core *core)
{
	return register_read(core, AICORE_REGISTER_COND) == (core->token | AICORE_FINISHED);
}

/* A core that says FIN with its latest token has ended what it had; of a cluster both. */
uint32_t ended(void *context, TaskNodePod **tasks, uint32_t most)
{
	Feeder *feeder = (Feeder *)context;
	uint32_t count = 0;

	for (uint32_t i = 0; i < feeder->count && count < most; i++) {
		Core *core = &feeder->cores[i];

		if (!core->task || core->quiet || !is_over(core) || (core->partner && !is_over(core->partner)))
			continue;
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		tasks[count++] = core->task;
		core->task = nullptr;
		if (core->partner)
			core->partner->task = nullptr;
	}
	return count;
}

/* Whole clusters: a cube core and its two vector cores belong to one instance. */
void cores_open(Feeder *feeder, const AicpuLaunch *launch, uint32_t instance)
{
	for (uint32_t cluster = instance; cluster < launch->cube; cluster += launch->instances)
		for (uint32_t k = 0; k < 3 && feeder->count < CORES_MOST; k++)
			core_open(&feeder->cores[feeder->count++], launch, k ? launch->cube + 2 * cluster + k - 1 : cluster);
}
} // namespace

extern "C" uint32_t AicpuOrchestrate(void *argument)
{
	AicpuLaunch *launch = (AicpuLaunch *)argument;
	const uint32_t instance = __atomic_fetch_add(&launch->next, 1, __ATOMIC_RELAXED);
	Feeder *feeder;
	Builder *b;

	if (instance >= launch->instances || instance >= INSTANCES_MOST)
		return 0; /* more threads than instances were started */
	feeder = (Feeder *)calloc(1, sizeof(*feeder));
	b = (Builder *)aligned_alloc(64, sizeof(*b));
	launch->status[instance] = BUILDER_MEMORY;
	if (feeder && b) {
		feeder->kernels = orchestrate_workloads[launch->workload < orchestrate_workload_count ? launch->workload : 0].plan->kernels;
		cores_open(feeder, launch, instance);
		*b = Builder();
		b->platform = BuilderPlatform{feeder, start, ended, nullptr, nullptr, nullptr};
		b->shared = BuilderShared{(volatile uint64_t *)(uintptr_t)launch->finished, launch->room};
		b->tensors = (BuilderTensor *)(uintptr_t)launch->tensors;
		b->slots = (int64_t *)(uintptr_t)launch->slots + (uint64_t)instance * SLOT_COUNT;
		b->instances = launch->instances;
		b->instance = instance;
		launch->status[instance] = orchestrate(*b, launch->workload);
		for (uint32_t i = 0; i < feeder->count; i++)
			core_close(&feeder->cores[i]);
	}
	free(feeder);
	free(b);
	return 0;
}
