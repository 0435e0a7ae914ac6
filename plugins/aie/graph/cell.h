/* SPDX-License-Identifier: MIT */
/* cell.h - who does what: a cell does its acts one after the other and is to be one core. A process instance that calls kernels is a cell, one that calls none is the
 * host's. Tasks of a workload go where the schedule says; where it says nothing, to the cell that made what they go on with, so that a chain of kernels shares a core
 * and its memory, and what begins anew goes to the next cell. One thread. */
#ifndef AIE_CELL_H
#define AIE_CELL_H

#include "aie/graph/act.h"
#include "aie/graph/executor.h"

#define AIE_HOST UINT32_MAX

struct aie_cell {
	uint32_t process;    /* instance, PTOWSP_NONE: of the workload */
	uint32_t executor;   /* of the schedule, PTOWSP_NONE: of none */
	uint32_t acts;       /* that it does */
	int32_t column, row; /* of its tile, AIE_ANYWHERE each */
};
struct aie_cells {
	struct aie_cell *rows;
	uint32_t count;
};
/* Fills zeroed or finished cells and acts' cell. executors: whose the tasks of the workload are, NULL: nobody says so. most: cells that there may be, at least 1.
 * by_kernel: tasks of a workload that nobody says anything of share a cell only with those of their kernel, where there are cells enough.
 * Errors: TOO_SMALL for more processes that call kernels, UNSUPPORTED for more executors than cells; NO_MEMORY. */
ptowsp_status aie_cells_make(struct aie_cells *cells, struct aie_acts *acts, const struct aie_executors *executors, uint32_t most, bool by_kernel,
			     struct ptowsp_error *error);
void aie_cells_finish(struct aie_cells *cells);

/* Tiles that a user wants for certain cores: "compute[1]@2,3;0@0,2" is the second instance of process compute on column 2, row 3, and executor 0 of the schedule on
 * column 0, row 2. A name without a number is the first instance. One thread. */
struct aie_pins {
	const char *text; /* "": there are none */
	/* The process of an instance, and which of its instances that is, from 0. */
	const char *(*process_name)(const void *context, uint32_t instance, uint32_t *replica_out);
	const void *context;
};
/* Pins cells; one that a schedule has pinned elsewhere goes where the text says. Errors: INVALID naming the part of the text that is no pin, or a core that is not there. */
ptowsp_status aie_pins_apply(const struct aie_pins *pins, struct aie_cells *cells, struct ptowsp_error *error);

#endif
