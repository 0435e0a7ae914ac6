/* SPDX-License-Identifier: MIT */
/* buffers.h - memory of a device that outlives runs. Of 10.1, and provisional: the id ends in /0 until that minor is frozen. */
#ifndef PTOWSP_BUFFERS_H
#define PTOWSP_BUFFERS_H

#include "base.h"

#if PTOWSP_ABI_TARGET >= 1
PTOWSP_BEGIN

/* "ptowsp.buffers/0": a buffer keeps exactly what runs and these calls wrote, until it is destroyed (PL13). A run is given one by a binding (run.h), and reads and writes it there: nothing of it is
 * copied to the host. Runs take place as if in the order in which they were accepted, one that waits for fences (fences.h) as if it was accepted when it begins. A buffer counts against open_args.memory_limit, and is destroyed before its device is closed.
 *
 * Bytes are those of the buffer, 0 the first. What lies outside of one is INVALID, sums that wrap included, and then nothing is written; so is, but for create, a buffer that a run in flight was
 * given. Calls are complete when they return; what they are lent is theirs until then. */
struct ptowsp_buffers_extension {
	struct ptowsp_head head;
	/* New memory of `bytes` zeros, at least 1. Errors: NO_MEMORY (how many were asked for, how many there are), INVALID. [device] */
	ptowsp_status (*create)(struct ptowsp_object *device, uint64_t bytes, struct ptowsp_object **buffer_out, struct ptowsp_error *error);
	/* Errors: INVALID, and it stays. [device] */
	ptowsp_status (*destroy)(struct ptowsp_object *buffer, struct ptowsp_error *error);
	/* From memory of the host, to memory of the host; `size` bytes, 0 is allowed. Errors: INVALID, DEVICE_LOST. [device] */
	ptowsp_status (*write)(struct ptowsp_object *buffer, uint64_t offset, const void *bytes, uint64_t size, struct ptowsp_error *error);
	ptowsp_status (*read)(struct ptowsp_object *buffer, uint64_t offset, uint8_t *bytes_out, uint64_t size, struct ptowsp_error *error);
	/* On the device, between buffers of the same one, which may be one and the same. Errors: INVALID also for ranges that overlap, DEVICE_LOST. [device] */
	ptowsp_status (*copy)(struct ptowsp_object *to, uint64_t to_offset, struct ptowsp_object *from, uint64_t from_offset, uint64_t size,
			      struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_BUFFERS "ptowsp.buffers/0"

PTOWSP_END
#endif
#endif
