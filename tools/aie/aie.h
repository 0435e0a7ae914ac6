/* SPDX-License-Identifier: MIT */
/* aie.h - what the files of ptowsp-aie share. */
#ifndef TOOLS_AIE_H
#define TOOLS_AIE_H

#include "aie/array/array.h"
#include "tools/output.h"

/* NAME=FILE of the command line, in its order. */
struct aie_pair {
	const char *name, *file; /* name: owned */
	bool met;                /* a device has it */
};
struct aie_pairs {
	struct aie_pair *rows; /* [argc] */
	int count;
};
struct aie_options {
	const char *path, *only, *arch, *sequence, *trace;
	struct aie_pairs kernels, cycles, inputs, outputs, values;
	struct aie_array_value *numbers; /* of values */
	uint64_t no_kernels;             /* cycles of a kernel that is not there; 0: it is refused */
	uint64_t buffering, host_cycles, max_events, max_seconds;
	bool stats, json;
};

/* ---- kernels.c: functions of shared objects, called as the array's tools call them: a pointer to the first element for a memref, numbers as they are. */
struct aie_kernels;
/* Compiles and opens what the options name. Errors: IO, INVALID, NO_DEVICE (a compiler that is not there, or refuses), NO_MEMORY. */
ptowsp_status aie_kernels_open(struct aie_kernels **kernels_out, const struct aie_options *options, struct ptowsp_error *error);
void aie_kernels_close(struct aie_kernels *kernels);
struct aie_sim_kernels aie_kernels_table(struct aie_kernels *kernels);
/* Calls so far, and those of kernels that were not there. */
void aie_kernels_counts(const struct aie_kernels *kernels, uint64_t *calls_out, uint64_t *absent_out);

/* ---- files.c: for aie_array_args.memories, context: the options. Errors: IO, INVALID (another size than the memory has). */
ptowsp_status aie_files_move(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error);

/* ---- timeline.c: Chrome trace events, written while the run goes on. */
struct aie_timeline {
	struct output output;
	bool open, any;
	uint32_t device; /* of the file, as a process of the trace */
};
ptowsp_status aie_timeline_begin(struct aie_timeline *timeline, const char *path, struct ptowsp_error *error);
/* For aie_array_args.told. */
void aie_timeline_told(void *timeline, uint32_t agent, const char *what, uint64_t begin, uint64_t end);
/* Names of a device's agents, behind its run. */
void aie_timeline_name(struct aie_timeline *timeline, const char *device, const struct aie_sim_stats *stats);
ptowsp_status aie_timeline_end(struct aie_timeline *timeline, struct ptowsp_error *error);

/* ---- say.c: a device's run, as lines or as an object of JSON. */
struct aie_run {
	const struct aie_array_device *device;
	uint32_t number;
	struct aie_array_report report;
	struct aie_sim_stats stats;
	ptowsp_status status;
	struct ptowsp_error error;
	uint64_t calls, absent;
};
void aie_run_print(const struct aie_run *run, const struct aie_options *options, FILE *to);
struct json_t *aie_run_json(const struct aie_run *run); /* NULL: no memory */

#endif
