/* SPDX-License-Identifier: MIT */
/* array.h - a device as anybody's tools write it (aie.device with tiles, locks, buffers, DMAs, flows, fifos, cores and a sequence of the host), as what the simulator runs.
 *
 * Fifos become buffers, locks and chains of descriptors, as mlir-aie's stateful transform makes them; explicit locks, DMAs and flows stay what they are. A flow is a stream,
 * as long as the way between its tiles; where a design has switches that connect, they are walked, and what is found is a flow. One thread; the module stays as long as the array does. */
#ifndef AIE_ARRAY_H
#define AIE_ARRAY_H

#include "aie/sim/sim.h"

/* A device of a module, number `number` of those in it, in their order in the text and at any depth of modules. */
struct aie_array_device {
	const struct aie_op *op;
	const char *name;             /* of the device; "" */
	const struct aie_op *outside; /* the module that it stands in */
	uint32_t sequence_count;
	const struct aie_op *sequence; /* the first one; NULL: none */
};
enum { AIE_ARRAY_DEVICES = 4096 }; /* most that are found */
/* false: there are no more. */
bool aie_array_device_find(const struct aie_module *module, uint32_t number, struct aie_array_device *device_out);

/* The sequence that runs: the first one, or that of the name; NULL: the device has none. */
const struct aie_op *aie_array_sequence(const struct aie_array_device *device, const char *name);

/* Bytes with a name: an argument of the sequence ("arg0", ...), an aie.external_buffer, an aie.buffer. */
struct aie_array_memory {
	const char *name;
	const struct aie_type *type; /* a memref */
	uint8_t *bytes;
	uint64_t size;
	bool host; /* an argument or an external buffer */
};
/* An argument of the sequence that is a number: which, and what. */
struct aie_array_value {
	uint32_t number;
	int64_t value;
};
struct aie_array_args {
	const struct aie_module *module;
	const struct aie_array_device *device;
	const char *arch;     /* NULL: what the device says, else this */
	const char *sequence; /* name of the sequence to run; NULL: the first one */
	const struct aie_array_value *values;
	uint32_t value_count;
	struct aie_sim_kernels kernels;
	uint32_t buffering;
	uint64_t host_cycles, max_events; /* 0: the model's; as many as it takes */
	const volatile uint32_t *cancel;
	void (*told)(void *context, uint32_t agent, const char *what, uint64_t begin, uint64_t end); /* sim.h */
	void *told_context;
	/* NULL, or: called when memories are there, before the run, and (ran) behind it where it was one, also one that stood still. */
	ptowsp_status (*memories)(void *context, const struct aie_array_memory *memories, uint32_t count, bool ran, struct ptowsp_error *error);
	void *memories_context;
};
/* Counts of a device's parts, those that are not simulated among them. */
struct aie_array_report {
	uint32_t tiles, cores, buffers, locks, fifos, flows, packet_flows, descriptors, steps;
	uint32_t elsewhere;   /* ends of flows that are no DMA's: traces, control, streams of cores */
	uint32_t switches;    /* aie.switchbox and aie.shim_mux: walked from DMAs that send */
	uint32_t ignored;     /* writes to registers and the like in the sequence */
	bool host;            /* there is a sequence with steps */
	uint64_t mhz;         /* of the clock */
	const char *borrowed; /* NULL, or the device whose costs stand for those of one that the model does not know */
};
/* Builds and runs it. report, stats: filled as far as it came; stats zeroed or finished. Errors: INVALID, UNSUPPORTED with the line in the text; those of aie_net_run: DEADLOCK,
 * LIMIT, CANCELLED; of kernels; NO_MEMORY. */
ptowsp_status aie_array_run(const struct aie_array_args *args, struct aie_array_report *report, struct aie_sim_stats *stats, struct ptowsp_error *error);

/* How a run ended, in a word: "ended" (the host's sequence), "cores ended" (there is none, or an empty one), "nothing moves" (no core, no descriptor, no step), "deadlock", "waits" (for a
 * host that the file does not have), "not over" (max_events), "failed" (a core did what no program may), "refused". */
const char *aie_array_outcome(ptowsp_status status, const struct aie_array_report *report, const struct aie_sim_stats *stats);

#endif
