/* SPDX-License-Identifier: MIT */
/* base_fence.h - values by which runs wait for each other: "ptowsp.fences/0" (ptowsp/fences.h). The runner takes the first run that waits for nothing. */
#ifndef BASE_FENCE_H
#define BASE_FENCE_H

#include "base/device.h"

struct base_backend;
struct base_news;
struct base_promise;
struct ptowsp_external;

/* Events of a driver. */
struct base_events {
	/* told is called once, when the event of the caller's has come (0) or failed, now or later, on any thread, without a lock. Errors: UNSUPPORTED, INVALID, NO_MEMORY: it never is. */
	ptowsp_status (*take)(const struct base_device *device, const struct ptowsp_external *external, void (*told)(void *context, ptowsp_status status),
			      void *context, struct ptowsp_error *error);
	/* An event that comes, or fails, when `come` is called, once; own: what that knows it by. Errors: NO_MEMORY, DEVICE_LOST. */
	ptowsp_status (*make)(const struct base_device *device, struct ptowsp_external *external_out, void **own_out, struct ptowsp_error *error);
	void (*come)(const struct base_device *device, void *own, ptowsp_status status);
};

struct base_fence {
	struct base_device *device;
	struct base_fence *next;       /* in the device; [device] calls only */
	struct base_news *news;        /* of the event that it is of, NULL: of none. What follows is guarded by device->lock */
	struct base_promise *promises; /* owned: events that come with it */
	uint64_t value;
	uint32_t uses;        /* runs in flight that name it, and calls that wait for it */
	ptowsp_status failed; /* 0: it has not */
	char why[200];
};

/* The extension's table; NULL for a backend without fences, and for hosts of 10.0. */
const void *base_fences_table(const struct base_backend *backend, const struct ptowsp_object *instance);
/* Bytes of these arguments that the device knows. */
uint32_t base_fences_known(const struct base_device *device, const struct ptowsp_run_args *args);
/* What a run is about to be accepted with, copied to `room`, which has as many bytes; its fences are used until base_fences_return, with device->lock held. Errors: INVALID. */
uint64_t base_fences_bytes(const struct base_device *device, const struct ptowsp_run_args *args);
ptowsp_status base_fences_lend(struct base_device *device, struct base_run *run, const struct ptowsp_run_args *args, void *room, struct ptowsp_error *error);
void base_fences_return(struct base_run *run);
/* It waits, and nothing that it waits for has failed. With the lock held. */
bool base_fences_wait(const struct base_run *run);
/* RUN_FAILED where a fence that it waits for has failed. */
ptowsp_status base_fences_failed(struct base_device *device, const struct base_run *run, struct ptowsp_error *error);
/* The run ended so: what it signals grows, or fails. */
void base_fences_end(struct base_device *device, struct base_run *run, ptowsp_status status, const struct ptowsp_error *error);
/* Of a device that is closed. */
void base_fences_finish(struct base_device *device);

#endif
