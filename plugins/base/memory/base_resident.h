/* SPDX-License-Identifier: MIT */
/* base_resident.h - the memory of a run as memory of a device, for backends whose kernels work there: tensors, and versions of temp tensors. A device that shares memory with this process uses it where
 * it lies. On another one each has memory of the device (base_buffers of base_buffer.h): its elements go there when the first task touches it, and come back when the run ends, if a task has written it,
 * or when the host looks at it before, by the mirror (rt/rt.h). What lies in a buffer of the host's is used there. */
#ifndef BASE_RESIDENT_H
#define BASE_RESIDENT_H

#include "base/memory/base_buffer.h"
#include "ptowsp/report.h"
#include "ptowsp/tile.h"

/* Memory of this process that tasks of a run touch. */
struct base_region {
	unsigned char *base;
	uint64_t bytes;
	void *own;            /* the device's; NULL: no task has touched it */
	bool stays;           /* it outlives the run, and has what the bytes here have not */
	bool versions;        /* of temp tensors: nothing goes there or comes back but what the host asks for */
	_Atomic bool written; /* by tasks: the bytes here are older */
};
/* One of a program, from bind to unload. Everything but init, finish and run: any worker. */
struct base_resident {
	const struct base_device *device;
	const struct base_buffers *memory;
	bool shares;                  /* kernels see the memory of this process */
	struct rt_mirror mirror;      /* of base_compute */
	struct base_region **regions; /* of the run, by address, none inside another */
	uint32_t region_count, region_room;
	uint64_t bytes[2], times[2]; /* moved in the latest run: [0] back, [1] there; strays too */
	struct ptowsp_figure figures[4];
	struct ptowsp_error failed; /* code: of a transfer that nobody waits for, 0: none */
	pthread_mutex_t lock;       /* of all from the regions on */
};
void base_resident_init(struct base_resident *resident, const struct base_device *device);
void base_resident_finish(struct base_resident *resident);
/* rt_run with the tensors of the run in the device's memory. Errors: those of rt_run, NO_MEMORY, what a transfer says. */
ptowsp_status base_resident_run(struct base_resident *resident, struct base_program *program, const struct rt_run_args *args,
				struct ptowsp_run_stats *stats_out, struct ptowsp_deadlock *deadlock_out, struct ptowsp_error *error);
/* Bytes and transfers of the latest run between this process and the device as figures of a report; no row where they share memory. Of programs whose mirror is a resident's. */
extern const struct ptowsp_report_extension base_resident_report;

/* A window of a task. A stray lies in no region: it goes there and back with the task, in memory that it shares with those strays whose bytes meet its own. */
struct base_place {
	const struct ptowsp_tensor_arg *window;
	void *own;       /* the device's memory that it lies in; NULL: it has no elements */
	uint64_t offset; /* of its first element there, in bytes */
	bool is_stray, written;
	unsigned char *first; /* of the bytes of its memory: a stray's own and those of all that it meets */
	uint64_t bytes;       /* gaps included */
	uint32_t owner;       /* of the memory: the first of the strays that share it */
};
/* Finds where the first `count` windows of the task lie, which its kernel takes as params say, and brings their tensors there. False: some are strays. */
bool base_places_find(struct base_resident *resident, struct base_place *places_out, const struct ptowsp_task *task, const struct ptowsp_tile_param *params,
		      uint32_t count);
/* Around a call of the kernel: strays go there, come back, and are gone, the last also after an error of the first. Errors: what the backend's memory says. */
ptowsp_status base_strays_send(struct base_resident *resident, struct base_place *places, uint32_t count, struct ptowsp_error *error);
ptowsp_status base_strays_take(struct base_resident *resident, const struct base_place *places, uint32_t count, struct ptowsp_error *error);
void base_strays_finish(const struct base_resident *resident, const struct base_place *places, uint32_t count);

#endif
