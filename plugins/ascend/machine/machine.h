/* SPDX-License-Identifier: MIT */
/* machine.h - the machine: AICPU scheduler instances and AICores on one event-driven clock, an engine for a feed of the runtime core (rt/run/feed.h).
 *
 * An instance (AICPU thread) generates its own tasks, keeps them in its rings, hands those that are ready to its own cores and hears when they are done.
 * It does one thing at a time and each thing costs cycles: what others of its kind or cores do goes on meanwhile. Instances look tasks up in one producer map, in the
 * order of their numbers, because whom a task follows depends on all before it; what comes behind the look-up they do side by side.
 *
 * The same run gives the same times, whatever threads run kernels: events at the same time are taken by cores before instances, and each by number.
 * One thread. */
#ifndef ASCEND_MACHINE_H
#define ASCEND_MACHINE_H

#include "ascend/ascend_arch.h"
#include "rt/run/feed.h"

struct base_hints;
/* Costs of an instance and of the way between it and its cores, in cycles of the cores. All 0: tasks cost what their kernels cost, and nothing else. */
struct ascend_protocol {
	uint64_t lookup;     /* a task in the producer map: one instance at a time */
	uint64_t lookup_use; /* and for each edge that is found */
	uint64_t submit;     /* its slot, payload and links: side by side with others */
	uint64_t dispatch;   /* a ready task: payload and token written */
	uint64_t token;      /* until the core sees the token */
	uint64_t pickup;     /* until its kernel begins: ACK, payload fetched */
	uint64_t fin;        /* from the end of the kernel until its instance sees FIN */
	uint64_t complete;   /* a FIN handled, and tasks that waited for it */
	uint64_t notify;     /* another instance told */
	uint64_t notice;     /* until it can hear that */
	uint64_t hear;       /* and hears */
};
enum { ASCEND_INSTANCES = 64, ASCEND_CORES = 256 };
struct ascend_machine_config {
	uint32_t clusters, vectors_each;   /* a cluster: a cube core and so many vector cores */
	uint32_t first_cube, first_vector; /* numbers of cores as they stand in a trace */
	bool rings;                        /* tasks of a workload take places in a ring per scope depth (rt_engine.rings), else in one window */
	uint32_t payloads;                 /* of a core: 1, or 2: the next task is there while one runs */
	uint32_t streams;                  /* of the device: stream s of the schedule is s mod that; 0: as many as the schedule has */
	const uint8_t *units; /* per kernel, enum ptowsp_unit: where a task runs whose package leaves the choice; NULL: any of vector and cube cores */
	bool orchestrator;    /* an AICPU thread more, without cores, issues the tasks of a workload and does nothing else; else each instance issues its own */
	bool by_number;       /* ready tasks: the lowest number first, not the one that is ready longest */
	bool program_order;   /* no events: tasks in the order of their numbers, on the core of their kind that has least to do */
	const struct base_hints *hints; /* wishes of kernels; NULL: none */
	const uint32_t *blocks; /* per kernel and of the copy behind them, at least 1: a task of several runs them on as many idle cores; NULL: 1 each */
	struct ascend_protocol cost;
};
/* The outcome of a run, beside what rt keeps. */
struct ascend_machine_stats {
	uint64_t cube_cycles, vector_cycles; /* of kernels, all cores together */
};
struct ascend_machine {
	struct ascend_machine_config config;
	struct ascend_machine_stats stats; /* of the latest run */
};
/* Engine over *machine, which stays the caller's and is configured; one run at a time. Errors of a run besides those of the feed: INVALID for more instances than
 * clusters, and for a window of 1 where there are rings; UNSUPPORTED for processes, or a window that only counts, where there are rings; NO_MEMORY. */
struct rt_engine ascend_machine_engine(struct ascend_machine *machine);

/* The machine of an architecture: its geometry, two payloads per core, and what its protocol costs by the lines of cost.def. fitted: what remains of an orchestrator's and a scheduler's part of a task
 * where nobody logs it, by a published total. Any thread. */
struct ascend_protocol ascend_protocol_of(const struct ascend_arch *arch, bool fitted);
struct ascend_machine_config ascend_machine_of(const struct ascend_arch *arch);

#endif
