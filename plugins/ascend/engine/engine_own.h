/* SPDX-License-Identifier: MIT */
/* engine_own.h - what the files of the engine share. */
#ifndef ASCEND_ENGINE_OWN_H
#define ASCEND_ENGINE_OWN_H

#include "ascend/engine/callable.h"
#include "ascend/engine/client.h"
#include "ascend/engine/compile.h"
#include "ascend/engine/cores.h"
#include "ascend/engine/engine.h"
#include "ascend/engine/figures.h"
#include "ascend/plan/plan_make.h"
#include "base/backend.h"
#include "base/base_caps.h"
#include "base/error.h"
#include "base/planned.h"
#include "rt/program/rt_program.h"

struct ascend_engine {
	struct ascend_which which; /* points to the next three */
	char *root, *arch, *variant, *records, *cache;
	bool mapped; /* ascend_engine_how */
	struct ascend_client *client;
	struct ascend_objects objects;
};
/* On a device nothing of this process runs its kernels. */
struct ascend_planned {
	struct base_planned base; /* first: what it does not do otherwise */
	bool onboard;
	const uint64_t *cycles; /* onboard, per KREG row: what the image says that a call costs, 0: nothing */
};
struct ascend_loaded {
	struct ascend_engine *engine;
	struct base_program *program;
	struct base_sections sections; /* borrowed until unload */
	struct ascend_planned kernels;
	struct rt_program *planned;
	struct base_walk walk;            /* of the latest run */
	uint32_t *entries;                /* per TENS row: its entry tensor, 0: none */
	int32_t *directions;              /* per entry tensor */
	struct ptowsp_binding *bindings;  /* per TENS row, of the run */
	uint64_t *image_cycles;           /* per KREG row */
	struct ascend_plan_kernel *tasks; /* per KREG row: of a task; more blocks than the runtime takes run on one core */
	bool streamed;                    /* the runtime takes tasks while others are walked */
	uint32_t entry_count, kernel_count;
	uint32_t versions_entry; /* entry tensor with versions of temp tensors, 0: there are none */
	uint32_t blocks_entry;   /* entry tensor with the blocks of payload channels, 0: there are none */
	uint32_t flags;          /* PTOWSP_LOAD_x */
	int32_t callable;
	struct ascend_figures figures; /* of the latest run */
};

/* engine_kernels.c */
/* The table of kernels of the program that is walked; planned outlives it. */
struct rt_kernels ascend_planned_table(struct ascend_planned *planned);
/* Images that the runtime loads for the kernels of a program. */
struct ascend_children {
	struct ascend_kernel_object *rows;
	struct ascend_cores *cores; /* per KREG row, those that were compiled; NULL in the simulation */
	uint32_t count, cubes;      /* cubes: functions behind those of KREG rows */
};
/* The code of a kernel for the cores of a device, with its shape, cycles and what its cores pass on: its image payload for the engine's architecture, or else its portable one, compiled.
 * Errors: UNSUPPORTED naming the kernel, for neither, or an image that nobody trusts; BAD_PACKAGE; of ascend_cores_make. */
ptowsp_status ascend_device_kernel_add(struct ascend_children *children, struct ascend_loaded *loaded, uint32_t kernel, struct ptowsp_error *error);

#endif
