/* SPDX-License-Identifier: MIT */
/* buffers.h - memory of a device that outlives runs. Of 10.1, and provisional: the id ends in /0 until that minor is frozen. */
#ifndef PTOWSP_BUFFERS_H
#define PTOWSP_BUFFERS_H

#include "base.h"

#if PTOWSP_ABI_TARGET >= 1
PTOWSP_BEGIN

/* Memory or an event that others have a name for: on its way in, an argument; on its way out, a result of whose head the callee changes nothing. Descriptors that come in are lent for the call, those
 * that go out are their caller's to close. SYNC_FD is kept for descriptors of events; nothing takes or gives one yet. */
enum { PTOWSP_EXTERNAL_HOST = 1, PTOWSP_EXTERNAL_DMABUF = 2, PTOWSP_EXTERNAL_OPAQUE_FD = 3, PTOWSP_EXTERNAL_SYNC_FD = 4, PTOWSP_EXTERNAL_NATIVE = 5 };
struct ptowsp_external {
	struct ptowsp_head head;
	uint32_t type;    /* PTOWSP_EXTERNAL_x */
	uint32_t api;     /* NATIVE: whose handle, by DLPack's number of its devices: 2 CUDA, 4 OpenCL, 10 ROCm, 14 oneAPI; else 0 */
	uint64_t address; /* HOST: where it begins in this process, at a page; NATIVE: the handle (cl_mem, cl_event); else 0 */
	uint64_t bytes;   /* of the memory, at least 1; of an event 0 */
	int32_t fd;       /* DMABUF; OPAQUE_FD: a memory file (memfd_create) of at least that size, with F_SEAL_SHRINK, open for both, which everybody may map (no
			   * handle of a driver, as Vulkan's and CUDA's opaque descriptors are: such memory is a DMABUF, or NATIVE); else -1 */
	uint32_t reserved;
};
#define PTOWSP_EXTERNAL_FLOOR_10_1 40u
PTOWSP_STATIC_ASSERT(sizeof(struct ptowsp_external) == PTOWSP_EXTERNAL_FLOOR_10_1, "a name for memory of 10.1");

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
	/* A buffer that is this memory, whatever it has in it: nothing is copied, and both sides see what either writes. The memory is there until the buffer is destroyed, and stays behind; whoever
	 * writes into it while a run has it, is ordered by fences or by nobody. It is not counted against memory_limit. NULL: it takes none. Errors: UNSUPPORTED (of this type), INVALID (smaller than
	 * it says, no such file, one that may shrink or that nobody may write, of another device), NO_MEMORY. [device] */
	ptowsp_status (*import)(struct ptowsp_object *device, const struct ptowsp_external *external, struct ptowsp_object **buffer_out, struct ptowsp_error *error);
	/* A name of its memory for others: all of it, from byte 0 on. What a descriptor names outlives the buffer, HOST and NATIVE do not. NULL: it gives none. Errors: UNSUPPORTED (of this type). [device] */
	ptowsp_status (*expose)(struct ptowsp_object *buffer, uint32_t type, struct ptowsp_external *external_out, struct ptowsp_error *error);
};
#define PTOWSP_EXTENSION_BUFFERS "ptowsp.buffers/0"

PTOWSP_END
#endif
#endif
