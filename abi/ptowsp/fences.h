/* SPDX-License-Identifier: MIT */
/* fences.h - values of a device that only grow, by which runs wait for each other. Of 10.1, and provisional: the id ends in /0 until that minor is frozen. */
#ifndef PTOWSP_FENCES_H
#define PTOWSP_FENCES_H

#include "buffers.h"

#if PTOWSP_ABI_TARGET >= 1
PTOWSP_BEGIN

/* "ptowsp.fences/0": a fence has a value that only grows. A run waits for fences to reach values before it begins (run_args.waits), and makes fences reach values when it has ended well, before done
 * (run_args.signals). If it ended otherwise, those fences fail for ever, with its status. A run that waits for a fence that has failed ends as RUN_FAILED, naming it, and does not begin; one that waits
 * still obeys cancel and its deadline (PL14). A submit that is refused changes no fence. Fences belong to a device and are destroyed before it is closed. */
struct ptowsp_fences_extension {
	struct ptowsp_head head;
	/* Errors: NO_MEMORY. [device] */
	ptowsp_status (*create)(struct ptowsp_object *device, uint64_t value, struct ptowsp_object **fence_out, struct ptowsp_error *error);
	/* Errors: INVALID while a run in flight waits for it or signals it, and it stays. [device] */
	ptowsp_status (*destroy)(struct ptowsp_object *fence, struct ptowsp_error *error);
	/* By the host. Errors: INVALID for less than its value, and it stays; the status of a fence that has failed; DEVICE_LOST. [any] */
	ptowsp_status (*signal)(struct ptowsp_object *fence, uint64_t value, struct ptowsp_error *error);
	/* Errors: the status of a fence that has failed, DEVICE_LOST. [any] */
	ptowsp_status (*read)(struct ptowsp_object *fence, uint64_t *value_out, struct ptowsp_error *error);
	/* Until it has the value or more. It works on no run: a plugin without threads needs poll meanwhile. Errors: AGAIN at until_ns of host->now_ns, the status of a fence that has failed,
	 * DEVICE_LOST. [any] */
	ptowsp_status (*wait)(struct ptowsp_object *fence, uint64_t value, uint64_t until_ns, struct ptowsp_error *error);
	/* A fence of an event of the caller's (NATIVE): it is 0, then 1 when that has come, or failed as that has. The event's own reference is kept, not the caller's. NULL: it takes none. Errors: UNSUPPORTED (of
	 * this type), INVALID (of another device). [device] */
	ptowsp_status (*import)(struct ptowsp_object *device, const struct ptowsp_external *external, struct ptowsp_object **fence_out, struct ptowsp_error *error);
	/* An event for the caller's queues (NATIVE), which is the caller's to release: it comes when the fence has the value or more, and fails when that fails or is destroyed before. NULL: it gives
	 * none. Errors: UNSUPPORTED (of this type), NO_MEMORY. [device] */
	ptowsp_status (*expose)(struct ptowsp_object *fence, uint64_t value, uint32_t type, struct ptowsp_external *external_out, struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_FENCES "ptowsp.fences/0"

PTOWSP_END
#endif
#endif
