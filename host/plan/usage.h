/* SPDX-License-Identifier: MIT */
/* usage.h - what one entry of a workload uses: opcodes, kernels, tensors. Bytecode is untrusted here: the plugin verifies
 * it at load, this only counts. */
#ifndef HOST_USAGE_H
#define HOST_USAGE_H

#include "format/format_package.h"
#include "host/host_error.h"

struct host_usage {
	uint8_t opcodes[256]; /* 1: some instruction has it */
	uint8_t graph[256];   /* of the instructions of a graph program, as in reg_needs */
	uint32_t channels;    /* bit k: a pipeline with channels of kind k */
	uint32_t partner;     /* instruction that every run of the entry comes to and that needs another device of the run; PTOWSP_NONE: there is none */
	uint8_t *kernels;     /* owned, one per KREG row: 1 = called */
	uint8_t *tensors;     /* owned, one per TENS row: 1 = a task may touch it, or a slot is loaded from it */
};

/* Scans from the entry's first instruction to its HALT; of a pipeline also each process. Errors: BAD_PACKAGE naming the instruction, NO_MEMORY. */
ptowsp_status host_usage_scan(struct host_usage *usage_out, const struct pkg_tables *tables, uint32_t entry, struct ptowsp_error *error);
void host_usage_finish(struct host_usage *usage);

#endif
