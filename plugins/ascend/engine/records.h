/* SPDX-License-Identifier: MIT */
/* records.h - what the runtime writes down when a run is over, in the folder of records: edges that its own tensor map found (its dep_gen: deps.json), and when tasks were on cores (its
 * swimlane: chip_swimlane_records.json). One thread. */
#ifndef ASCEND_RECORDS_H
#define ASCEND_RECORDS_H

#include "ptowsp/base.h"

/* A task of the runtime. */
struct ascend_submitted {
	uint64_t number; /* in the package, UINT64_MAX: none */
	uint32_t kernel; /* row of KREG */
};
struct ascend_edge {
	uint64_t producer, consumer; /* tasks of the package */
};
struct ascend_records;
/* submitted: in the order in which they were, borrowed until close. Errors: IO naming the file, where deps.json is not there, or is not about so many tasks; NO_MEMORY. To be closed in any case. */
ptowsp_status ascend_records_open(struct ascend_records **records_out, const char *folder, const struct ascend_submitted *submitted, uint64_t count,
				  struct ptowsp_error *error);
void ascend_records_close(struct ascend_records *records); /* NULL is allowed */
/* *edges_out: to be freed, each pair once, by consumer and then by producer; stated ones are not among them. Errors: NO_MEMORY. */
ptowsp_status ascend_records_edges(struct ascend_records *records, struct ascend_edge **edges_out, uint64_t *count_out, struct ptowsp_error *error);
/* Tells of each task of the package that was on cores how long, from the first one that began it to the last one that ended it. Tasks that it has dropped are left out. Errors: IO naming the file,
 * where there is none, or nothing in it; NO_MEMORY. */
ptowsp_status ascend_records_times(struct ascend_records *records, void (*each)(void *context, uint32_t kernel, uint64_t ns), void *context,
				   struct ptowsp_error *error);

#endif
