/* SPDX-License-Identifier: MIT */
/* engine_own.h - what the files of the engine share. */
#ifndef ASCEND_ENGINE_OWN_H
#define ASCEND_ENGINE_OWN_H

#include "ascend/engine/callable.h"
#include "ascend/engine/client.h"
#include "ascend/engine/compile.h"
#include "ascend/engine/engine.h"
#include "ascend/plan/plan_make.h"
#include "base/backend.h"
#include "base/base_caps.h"
#include "base/error.h"
#include "base/planned.h"
#include "rt/program/rt_program.h"

struct ascend_engine {
	struct ascend_which which; /* points to the next three */
	char *root, *arch, *variant, *records;
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
	struct base_walk walk;           /* of the latest run */
	uint32_t *entries;               /* per TENS row: its entry tensor, 0: none */
	int32_t *directions;             /* per entry tensor */
	struct ptowsp_binding *bindings; /* per TENS row, of the run */
	uint64_t *image_cycles;          /* per KREG row */
	uint16_t *blocks;                /* per KREG row: those of a task, which the runtime gives to as many logical cores; more than it takes run on one */
	uint8_t *shapes;                 /* per KREG row: enum ascend_step_shape */
	bool streamed;                   /* the runtime takes tasks while others are walked */
	uint32_t entry_count, kernel_count;
	uint32_t versions_entry; /* entry tensor with versions of temp tensors, 0: there are none */
	uint32_t blocks_entry;   /* entry tensor with the blocks of payload channels, 0: there are none */
	uint32_t flags;          /* PTOWSP_LOAD_x */
	int32_t callable;
};

/* engine_kernels.c */
/* The table of kernels of the program that is walked; planned outlives it. */
struct rt_kernels ascend_planned_table(struct ascend_planned *planned);
/* The code of a kernel that the cores of a device run: its image payload for the engine's architecture, and what a call of it costs as the package says. Errors: UNSUPPORTED
 * naming the kernel, for none, or one that nobody trusts; BAD_PACKAGE. */
ptowsp_status ascend_image_find(struct ascend_kernel_object *object_out, uint64_t *cycles_out, const struct ascend_loaded *loaded, uint32_t kernel,
				struct ptowsp_error *error);

#endif
