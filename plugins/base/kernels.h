/* SPDX-License-Identifier: MIT */
/* kernels.h - what serves each kernel of a program, and the calls the runtime core makes to it. */
#ifndef BASE_KERNELS_H
#define BASE_KERNELS_H

#include "base/memory/shards.h"
#include "instance.h"
#include "isa/isa.h"
#include "rt/rt.h"
#include "sections.h"
#include "trace/base_profile.h"
#include "trace/timeline.h"
#include <stdatomic.h>
#include <stdbool.h>

/* One row of KREG. Without why, its tasks call ref.fn if that is set, else they run isa. */
struct base_kernel {
	const char *name, *symbol; /* borrowed from STRS; symbol: of the C function that may serve it */
	const void *payload;       /* bytes of that which isa is made of, borrowed from CODE */
	uint64_t payload_size;
	uint32_t payload_number;                  /* of the kernel's own */
	uint32_t processor;                       /* 1: the interpreter runs isa though there is a compute (base_support.h) */
	struct isa_program *isa;                  /* portable payload, owned; behind native code it tells cycles and footprint only */
	struct ptowsp_kernel_ref ref;             /* C function: native payload, registered or built in */
	uint32_t code;                            /* PTOWSP_KERNEL_PORTABLE, _NATIVE, _C; 0 if nothing serves it */
	uint64_t workspace;                       /* bytes that ref.fn gets with each task */
	uint64_t fixed_cycles;                    /* per call, 0: the model's or the kernel's own */
	uint32_t arg_count;                       /* scalars */
	uint32_t blocks;                          /* times a task calls it */
	uint32_t unit;                            /* enum ptowsp_unit, as the package says */
	uint64_t parts;                           /* a bit per tensor argument of which some task has only a part (pad.h) */
	uint32_t plain;                           /* 1: a call runs isa once, or ref where there is one, and there is nothing to do around it */
	_Atomic uint32_t known;                   /* 1: its cycles were asked before it ran and are the same for every task, so that a run need not find them */
	char why[216];                            /* why it cannot be run, "" if it can */
	_Atomic uint64_t device_tasks, device_ns; /* of the run: executed by compute */
};

/* The limit that ends a kernel that takes too long. Set between runs, read by all threads of a run. */
struct base_watch {
	const _Atomic uint32_t *cancel; /* NULL: nobody cancels */
	uint64_t deadline_ns;           /* 0: none */
	_Atomic uint32_t stopped;       /* row + 1 of a kernel that was ended by one of the two, 0: none */
};

/* The cost of one block of a portable kernel, where that is not what the reference model says. Any thread. */
struct base_costs {
	void *context;
	/* As isa_walk_guarded without a touch: UNSUPPORTED if only running it tells. */
	ptowsp_status (*walk)(void *context, uint32_t row, const uint64_t *args, uint32_t arg_count, struct isa_block block, const struct isa_guard *guard,
			      uint64_t *cycles_out, struct ptowsp_error *error);
	/* As isa_run_guarded. */
	ptowsp_status (*run)(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, void *scratch,
			     const struct isa_guard *guard);
};

/* A device that executes portable kernels in place of this processor's interpreter. Each block of each task whose kernel has a portable payload and no C function goes to it, whether
 * or not its cycles are known before. A backend sets it in `bind`. */
struct base_compute {
	void *context;
	/* Executes block task->block of task->block_count. Windows are memory of the host, which holds the results when it returns, or those that `mirror` brings back. While it waits it asks guard->stop now and then: if that is
	 * not 0 the run was cancelled or is late; it answers CANCELLED, and nothing touches the windows any more. out->cycles: known ones stay whatever it sets; where nobody knows them, those
	 * that it sets are the task's. Worker threads call it, several at once for different tasks; worker: which, below the threads of the device. Errors: KERNEL_FAILED or DEVICE_LOST,
	 * a sentence in out->error. */
	ptowsp_status (*block)(void *context, uint32_t row, const struct ptowsp_task *task, struct ptowsp_kernel_out *out, uint32_t worker,
			       const struct isa_guard *guard);
	/* With profiling=on: how long the block that this worker called last was on the device, by its own clock; 0 or NULL: as long as the call took. */
	uint64_t (*block_ns)(void *context, uint32_t worker);
	const struct rt_mirror *mirror; /* borrowed; NULL: windows are memory of the host all the time */
	bool apart;                     /* their elements lie elsewhere: tasks on this processor fetch and push them */
	/* Borrowed: takes tasks of one block, of whole tiles unless `parts`, and ends them later (rt.h); block then executes the others, those that `start` does not support, and one that has failed, for its sentence. With trace=real and
	 * profiling=on block executes all. NULL: always. */
	const struct rt_queues *queues;
	uint32_t first; /* workers below it are this processor's, and call kernels themselves */
	bool parts;     /* block and queues take parts of tiles, of kernels that are called once for a task */
};

/* Memory of a worker for parts of windows as whole ones (pad.h), as much as a task has needed. */
struct base_pad_room {
	unsigned char *memory;
	uint64_t bytes;
};

/* The kernels of one program. Constant after create, but for watch, rooms and what measures. */
struct base_kernels {
	const struct base_instance *instance;
	struct base_kernel *rows;
	uint32_t count;
	uint32_t workers;
	uint64_t scratch_bytes;      /* per worker, a multiple of 64: tiles of portable kernels, workspace of others */
	unsigned char *scratch;      /* workers * scratch_bytes */
	struct base_pad_room *rooms; /* of workers; NULL: no kernel gets parts */
	struct base_watch watch;
	const struct base_costs *costs;     /* borrowed; NULL: the reference model */
	bool whole_costs;                   /* the backend's own model says what kernels take, and nothing of their operations */
	const struct base_compute *compute; /* borrowed; NULL: the interpreter */
	struct rt_queues queues;            /* compute's, which it counts */
	struct base_shards *shards;         /* NULL: every tensor is whole */
	struct base_timeline timeline;      /* with trace=real */
	struct base_profile profile;        /* with profiling=on */
};

/* Chooses for each kernel: the first of its payloads that runs here, native ones with PTOWSP_LOAD_TRUST_NATIVE only ▸ function registered with the host ▸ built-in ▸ a sentence why there is none
 * (which fails only the runs that reach it). Sections are borrowed until finish. memory_limit: bytes, 0 = none.
 * Errors: BAD_PACKAGE for a bad payload, UNSUPPORTED for native code that cannot be loaded, TOO_BIG, NO_MEMORY. */
ptowsp_status base_kernels_init(struct base_kernels *kernels, const struct base_instance *instance, struct base_sections *sections, uint32_t load_flags,
				uint32_t workers, uint64_t memory_limit, struct ptowsp_error *error);
/* Takes the program's facts about windows: names of their tensors, for sentences, and which may be there in part. rt lives as long as the kernels run. Errors: UNSUPPORTED for parts in
 * a kernel that is not portable. */
ptowsp_status base_kernels_tensors(struct base_kernels *kernels, const struct rt_program *rt, struct ptowsp_error *error);
/* Load has told all about the kernels. */
void base_kernels_settle(struct base_kernels *kernels);
void base_kernels_finish(struct base_kernels *kernels); /* of zeroed or half-made ones too */
/* The callbacks of rt.h, with kernels as their context. */
struct rt_kernels base_kernels_table(struct base_kernels *kernels);
/* Before a task's windows are looked at on this processor, where a device has their elements: they are as kernels have left them. Any thread. */
void base_kernels_fetch(const struct base_kernels *kernels, const struct ptowsp_task *task);
/* compute.c: does the device make whole tiles of parts by itself, for this kernel? */
bool base_kernels_part(const struct base_kernels *kernels, const struct base_kernel *kernel);
/* compute.c, once compute is set: its queues for the core; NULL: it has none. */
const struct rt_queues *base_kernels_queues(struct base_kernels *kernels);
/* Before a run: nothing has been executed. */
void base_kernels_begin(struct base_kernels *kernels);
/* Before a run: what may end its kernels early. After it: CANCELLED or DEADLINE with a sentence if that happened, else status. */
void base_kernels_watch(struct base_kernels *kernels, const _Atomic uint32_t *cancel, uint64_t deadline_ns);
ptowsp_status base_kernels_watched(struct base_kernels *kernels, ptowsp_status status, struct ptowsp_error *error);

#endif
