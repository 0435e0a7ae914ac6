/* SPDX-License-Identifier: MIT */
/* arch.h - the architecture model: what a device is, as data. The shared lowering reads it instead of
 * asking which backend it is. */
#ifndef PTOWSP_ARCH_H
#define PTOWSP_ARCH_H

#include "base.h"
#include "ids.h"

PTOWSP_BEGIN

struct ptowsp_arch_memory {
	uint16_t space;        /* enum ptowsp_space */
	uint16_t per_unit;     /* 1: each execution unit has its own; 0: shared by all */
	uint32_t granularity;  /* bytes of one access */
	uint64_t capacity;     /* bytes, 0 = whatever the machine has */
};

struct ptowsp_arch_unit {
	uint16_t unit;         /* enum ptowsp_unit */
	uint16_t concurrency;  /* tasks at once on one of them */
	uint32_t count;        /* how many, 0 = as many as the schedule asks for */
};

enum { /* dispatch model */
	PTOWSP_DISPATCH_THREADS = 1, PTOWSP_DISPATCH_CORE_GRID = 2, PTOWSP_DISPATCH_QUEUES = 4, PTOWSP_DISPATCH_WAVES = 8
};
enum { /* synchronisation */
	PTOWSP_SYNC_BARRIER = 1, PTOWSP_SYNC_FLAG = 2, PTOWSP_SYNC_CROSS_DEVICE = 4
};
enum { /* where cycles come from */
	PTOWSP_TIMING_REFERENCE = 1, PTOWSP_TIMING_EVENTS = 2, PTOWSP_TIMING_MEASURED = 3
};

/* Table: borrowed from the plugin, lives until fini. */
struct ptowsp_device {
	struct ptowsp_head head;
	const char *name;       /* selector of --device, e.g. "cpu0" */
	const char *text;       /* one line for people */
	const char *cycle_model; /* whose model total_cycles is, e.g. "reference" */
	const struct ptowsp_arch_memory *memories;
	const struct ptowsp_arch_unit *units;
	uint32_t memory_count, memory_stride;
	uint32_t unit_count, unit_stride;
	uint32_t dispatch;      /* bits above */
	uint32_t sync;          /* bits above */
	uint32_t timing;
	uint32_t grid_rows, grid_columns; /* 0, 0 where there is no grid */
	uint32_t reserved;
	const char *engine;     /* who runs tasks, e.g. "threads"; NULL: not said */
};
#define PTOWSP_DEVICE_FLOOR_10_0 96u

PTOWSP_END
#endif
