/* SPDX-License-Identifier: MIT */
/* base_buffer.h - memory of a device that outlives runs: "ptowsp.buffers/0" (ptowsp/buffers.h).
 *
 * A buffer has a place: addresses of this process at which a run binds it like any other tensor. A device that has memory of its own keeps the bytes there, and the place only names them: what the
 * host looks at in between goes through the program's mirror (rt/rt.h), as with tensors that a run has brought to the device (base_resident.h). */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include "base/device.h"

struct base_backend;

struct base_buffer {
	struct base_device *device;
	struct base_buffer *next; /* in the device; [device] calls only */
	unsigned char *place;
	uint64_t bytes;
	int fd;             /* the memory file, or the dma-buf, that is mapped there; -1: none */
	uint32_t type;      /* PTOWSP_EXTERNAL_x that it was imported as; 0: it is the device's own */
	bool mapped;        /* the place is this buffer's */
	void *own;          /* the device's memory, of base_buffers.make; NULL: the bytes lie at the place, for a device that is this processor */
	uint32_t in_flight; /* runs that were given it; guarded by device->lock */
};

/* Memory of a backend's device. One thread at a time for each piece of it. Errors: NO_MEMORY, DEVICE_LOST. */
struct ptowsp_external;
struct base_buffers {
	/* Kernels see the memory of this process where it lies. */
	bool (*shares)(const struct base_device *device);
	/* Memory for these bytes of this process, with whatever content: on the device; where it shares memory, those bytes as the device names them. */
	ptowsp_status (*make)(const struct base_device *device, void *place, uint64_t bytes, void **own_out, struct ptowsp_error *error);
	void (*free)(const struct base_device *device, void *own);
	/* Transfers of a device that does not share memory; there: to it. All have ended when they return. copy: ranges that do not overlap; clear: zeros. */
	ptowsp_status (*move)(const struct base_device *device, void *own, uint64_t offset, void *memory, uint64_t bytes, bool there,
			      struct ptowsp_error *error);
	ptowsp_status (*copy)(const struct base_device *device, void *to, uint64_t to_offset, void *from, uint64_t from_offset, uint64_t bytes,
			      struct ptowsp_error *error);
	ptowsp_status (*clear)(const struct base_device *device, void *own, uint64_t offset, uint64_t bytes, struct ptowsp_error *error);
	/* Memory of others: what has a handle of the driver's (NATIVE), and where the device's memory is apart, every other type too: a descriptor that has been looked at (base_external.h), which is lent
	 * for the call, or memory of this process. place_out: where the device shares memory, its address in this process. NULL: it takes none. Errors: UNSUPPORTED, INVALID, NO_MEMORY, DEVICE_LOST. */
	ptowsp_status (*take)(const struct base_device *device, const struct ptowsp_external *external, void **own_out, void **place_out,
			      struct ptowsp_error *error);
	/* A name of its own memory, of the type that stands in external_out, its bytes too: NATIVE, where memory is apart every other. A descriptor is a new one; one that another backend takes (OPAQUE_FD,
	 * DMABUF) makes copies to that one go without the host. NULL: it gives none. Errors: UNSUPPORTED, NO_MEMORY. */
	ptowsp_status (*lend)(const struct base_device *device, void *own, struct ptowsp_external *external_out, struct ptowsp_error *error);
};
/* Without any: of backends whose device is this processor. */
extern const struct base_buffers base_buffers_host;
const struct base_buffers *base_buffers_of(const struct base_device *device);
/* The device has memory of its own. */
bool base_buffers_apart(const struct base_device *device);
/* The extension's table; NULL for a backend without buffers, and for hosts of 10.0. */
const void *base_buffers_table(const struct base_backend *backend, const struct ptowsp_object *instance);
/* The buffer that a binding of an accepted run lies in; NULL: none. */
struct base_buffer *base_buffer_of(const struct ptowsp_binding *binding);
/* Bindings of a run that is about to be accepted, with their data set; its buffers are in flight until base_buffers_return, with device->lock held. Errors: INVALID. */
ptowsp_status base_buffers_lend(struct base_device *device, struct base_run *run, struct ptowsp_error *error);
void base_buffers_return(struct base_run *run);
/* Bytes of tensors that are cut into shards, which the host does at their places; there: back again. */
ptowsp_status base_buffers_settle(const struct base_program *program, const struct ptowsp_run_args *args, bool there, struct ptowsp_error *error);
/* Of a device that is closed. */
void base_buffers_finish(struct base_device *device);

#endif
