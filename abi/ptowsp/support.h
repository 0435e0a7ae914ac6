/* SPDX-License-Identifier: MIT */
/* support.h - what each kernel of a program would run as, said before a device is opened. Of 10.1, and provisional: the id ends in /0 until that minor is frozen. */
#ifndef PTOWSP_SUPPORT_H
#define PTOWSP_SUPPORT_H

#include "base.h"
#include "run.h"

#if PTOWSP_ABI_TARGET >= 1
PTOWSP_BEGIN

enum { /* verdict */
	PTOWSP_SUPPORT_UNTOLD = 0, /* nothing is said: capability rows decide */
	PTOWSP_SUPPORT_NO = 1,     /* a run that reaches it fails; the host refuses the program */
	PTOWSP_SUPPORT_HOST = 2,   /* the processor runs it, with the same results */
	PTOWSP_SUPPORT_DEVICE = 3  /* the device runs it: its tasks are counted in device_tasks where PTOWSP_FEATURE_DEVICE_TASKS is enforced */
};
/* Row k is row k of KREG. The caller zeroed it; the callee writes at most stride bytes of each. */
struct ptowsp_kernel_support {
	uint16_t verdict;   /* PTOWSP_SUPPORT_x */
	uint16_t payload;   /* of the kernel's own, 0 the first: the one that would run; UINT16_MAX: none, or a C function */
	uint32_t opcode;    /* of pto_ops.def, what NO and HOST are about; PTOWSP_NONE: no single operation */
	uint32_t dtype;     /* its element type, PTOWSP_NONE: not said */
	uint32_t line;      /* of the source, 0: not said */
	uint64_t workspace; /* bytes that a task holds on the device besides its tensors */
	char reason[160];   /* of NO and HOST: one clause, NUL-terminated */
};
#define PTOWSP_KERNEL_SUPPORT_FLOOR_10_1 184u
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_kernel_support) == PTOWSP_KERNEL_SUPPORT_FLOOR_10_1, "a 10.1 row");

/* "ptowsp.support/0": the last word about kernels, where TILE rows (caps.h) cannot say it. */
struct ptowsp_support_extension {
	struct ptowsp_head head;
	/* Judges each kernel under the settings of the instance. No device is opened, nothing is compiled, no code of the package is loaded. device: as of capabilities, NULL or "" for
	 * the first. args: as for load, borrowed for the call; their bytes are as little trusted (PL4). count: rows of KREG. Errors: those of load but for what is about one kernel,
	 * which is its row; INVALID for a stride below the floor. [main] */
	ptowsp_status (*judge)(struct ptowsp_object *instance, const char *device, const struct ptowsp_load_args *args,
			       struct ptowsp_kernel_support *rows_out, uint32_t stride, uint32_t count, struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_SUPPORT "ptowsp.support/0"

PTOWSP_END
#endif
#endif
