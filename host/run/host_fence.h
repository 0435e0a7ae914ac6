/* SPDX-License-Identifier: MIT */
/* host_fence.h - fences of a backend ("ptowsp.fences", ptowsp/fences.h), the plugin's or this host's, and which of them a run waits for and signals. */
#ifndef HOST_FENCE_H
#define HOST_FENCE_H

#include <pthread.h>
#include <stdbool.h>

#include "host/ptowsp_host.h"

enum { HOST_FENCE_POINTS = 64 };

struct ptowsp_fence {
	struct ptowsp_backend *backend; /* borrowed */
	struct ptowsp_object *object;   /* the plugin's; NULL: the rest is it */
	_Atomic uint32_t uses;          /* runs in flight and next runs that name it */
	pthread_mutex_t lock;           /* of what follows; nothing is called under it */
	uint64_t value;
	ptowsp_status failed; /* 0: it has not */
	char why[240];
};
/* fence_value.c, of one that this host keeps, as ptowsp_fence_signal and ptowsp_fence_read. Any thread. */
ptowsp_status host_fence_signal(struct ptowsp_fence *fence, uint64_t value, struct ptowsp_error *error);
ptowsp_status host_fence_read(struct ptowsp_fence *fence, uint64_t *value_out, struct ptowsp_error *error);
/* external.c: makes it the plugin's, of an event of the caller's. */
struct ptowsp_external;
ptowsp_status host_fence_import(struct ptowsp_fence *fence, const struct ptowsp_external *external, struct ptowsp_error *error);

struct host_fence_points {
	struct {
		struct ptowsp_fence *fence; /* borrowed; it counts that it is used here */
		uint64_t value;
	} rows[HOST_FENCE_POINTS];
	uint32_t count;
};

/* The fences are used here no longer. Any thread. */
void host_fence_points_free(struct host_fence_points *points);
/* The run that signals them ended with that status and sentence: those of this host grow, or fail. Any thread. */
void host_fences_end(const struct host_fence_points *points, ptowsp_status status, const char *text);
/* 0: all are reached; AGAIN; RUN_FAILED naming one that has failed. Of fences of this host. Any thread. */
ptowsp_status host_fences_look(const struct host_fence_points *points, struct ptowsp_error *error);
/* The plugin keeps them, all of a backend or none. */
bool host_fences_apart(const struct host_fence_points *points);

#endif
