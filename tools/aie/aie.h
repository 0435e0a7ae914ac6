/* SPDX-License-Identifier: MIT */
/* aie.h - what the files of ptowsp-aie share. */
#ifndef TOOLS_AIE_H
#define TOOLS_AIE_H

#include "aie/array/array.h"
#include "tools/command_line.h"
#include "tools/output.h"

struct aie_options {
	const char *path, *only, *arch, *sequence, *trace;
	struct flag_pairs kernels, cycles, inputs, outputs, values;
	struct aie_array_value *numbers; /* of values */
	const char *absent;              /* --no-kernels */
	uint64_t no_kernels;             /* cycles of a kernel that is not there; 0: it is refused */
	uint64_t buffering, host_cycles, max_events, max_seconds;
	bool stats, json;
	struct output *files; /* of outputs, once aie_files_open has been called */
	const char *twice;    /* NULL, or an output that several devices have */
	char there[160];      /* names of memories, for a sentence */
};

/* ---- child.c: the run is in a process of its own, because kernels of others may end one or never come back. Names that are told live since before. */
enum aie_doing { AIE_IS_READING, AIE_IS_LOADING, AIE_IS_RUNNING, AIE_IS_CALLING };
/* An element that a kernel went to beyond an argument; elements: that it has. */
struct aie_touch {
	uint32_t argument;
	int64_t element;
	uint64_t elements;
};
#define AIE_TOUCHES "kernel %s goes to element %lld of its argument %u, which has %llu" /* with its name, element, argument, elements */
/* Runs it there, the design of the file path, and gives what it returned. Errors: KERNEL_FAILED (a kernel ended the process), LIMIT (aie_child_bound), RUN_FAILED, NO_MEMORY. */
ptowsp_status aie_child_run(const char *path, int (*run)(void *context), void *context, int *exit_out, struct ptowsp_error *error);
/* For sentences about its end: what it does, with which kernel of which file; NULL: none. */
void aie_child_does(enum aie_doing doing, const char *name, const char *file);
/* Begins to count: aie_late is not 0 after so many seconds of processor time; half a second later the process ends. 0: never. */
void aie_child_bound(uint64_t seconds);
extern volatile uint32_t aie_late;
/* Async-signal-safe: a fault of the kernel is to be said with this element. */
void aie_child_touches(const struct aie_touch *touch);

/* ---- guard.c: arguments of a kernel as copies with guard words on both sides. */
enum { AIE_GUARD_ARGUMENTS = 64 };
struct aie_guard_extent {
	uint8_t *begin, *end;
};
/* Of one kernel; zeros at first. */
struct aie_guard {
	struct aie_guard_slot {
		uint8_t *map, *bytes, *of; /* all of it; the copy; what it is a copy of */
		const uint8_t *words;      /* that stand before and behind the copy */
		size_t mapped, size, behind;
	} slots[AIE_GUARD_ARGUMENTS];
	struct aie_guard_extent extents[AIE_GUARD_ARGUMENTS];
	bool is_memref[AIE_GUARD_ARGUMENTS];
	const struct aie_type *type;
	uint32_t count, arguments;
};
/* Before a call of at most AIE_GUARD_ARGUMENTS arguments: pointers to the copies. Errors: NO_MEMORY. */
ptowsp_status aie_guard_lend(struct aie_guard *guard, const struct aie_sim_call *call, void **pointers, struct ptowsp_error *error);
/* Behind it: what the copies have becomes that of the arguments. Errors: KERNEL_FAILED naming kernel, argument and element. */
ptowsp_status aie_guard_take(struct aie_guard *guard, const char *kernel, struct ptowsp_error *error);
/* Whether an address is beside a copy of the last call. Async-signal-safe. */
bool aie_guard_find(const struct aie_guard *guard, const void *address, struct aie_touch *touch_out);
void aie_guard_finish(struct aie_guard *guard);

/* ---- kernels.c: functions of shared objects, called as the array's tools call them: a pointer to the first element for a memref, numbers as they are. */
struct aie_kernels;
/* Takes what the options name and compiles what is C, in the scratch folder (tools/scratch.h), which the caller closes when they are closed. A compiler's words go to stderr. Errors: IO,
 * INVALID, NO_DEVICE (a compiler that is not there, or refuses), NO_MEMORY. */
ptowsp_status aie_kernels_make(struct aie_kernels **kernels_out, const struct aie_options *options, struct ptowsp_error *error);
/* Loads them, in the process that calls them. Errors: IO, INVALID. */
ptowsp_status aie_kernels_open(struct aie_kernels *kernels, struct ptowsp_error *error);
void aie_kernels_close(struct aie_kernels *kernels);
struct aie_sim_kernels aie_kernels_table(struct aie_kernels *kernels);
/* Calls so far; of kernels that were not there; of those whose cycles nobody said. */
struct aie_calls {
	uint64_t all, absent, guessed;
};
struct aie_calls aie_kernels_counts(const struct aie_kernels *kernels);

/* ---- files.c: data of memories. */
/* Opens what --out names, before anything runs. Errors: as output_open. */
ptowsp_status aie_files_open(struct aie_options *options, struct ptowsp_error *error);
/* For aie_array_args.memories, context: the options. Before a run it reads what --in names, behind it what --out names goes into the open files. Errors: IO, INVALID (another size or
 * type than the memory has). */
ptowsp_status aie_files_move(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error);
/* The same for a device that is only looked at, which it ends with CANCELLED: notes which names it has. */
ptowsp_status aie_files_look(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error);
/* Behind that. all: no device was refused. Errors: INVALID naming what no device has, or an --out that two have. */
ptowsp_status aie_files_check(const struct aie_options *options, bool all, struct ptowsp_error *error);
/* Puts all in their places, or none. Errors: IO. */
ptowsp_status aie_files_publish(struct aie_options *options, struct ptowsp_error *error);
void aie_files_drop(struct aie_options *options);

/* ---- timeline.c: Chrome trace events, written while the run goes on. */
struct aie_timeline {
	struct output output; /* not open: there is none */
	bool any;
	uint32_t device; /* of the file, as a process of the trace */
};
void aie_timeline_begin(struct aie_timeline *timeline);
/* For aie_array_args.told. */
void aie_timeline_told(void *timeline, uint32_t agent, const char *what, uint64_t begin, uint64_t end);
/* Names of a device's agents, behind its run. */
void aie_timeline_name(struct aie_timeline *timeline, const char *device, const struct aie_sim_stats *stats);
/* Completes the file, which its opener puts in its place. Errors: IO. */
ptowsp_status aie_timeline_end(struct aie_timeline *timeline, struct ptowsp_error *error);

/* ---- say.c: a device's run, as lines or as an object of JSON. */
struct aie_run {
	const struct aie_array_device *device;
	uint32_t number;
	struct aie_array_report report;
	struct aie_sim_stats stats;
	ptowsp_status status;
	struct ptowsp_error error;
	struct aie_calls calls;
};
void aie_run_print(const struct aie_run *run, const struct aie_options *options, FILE *to);
struct json_t *aie_run_json(const struct aie_run *run); /* NULL: no memory */

#endif
