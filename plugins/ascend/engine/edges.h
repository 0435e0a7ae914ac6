/* SPDX-License-Identifier: MIT */
/* edges.h - edges that the runtime's own tensor map found, as the runtime writes them down when a run is over (its dep_gen: deps.json in the folder of records). */
#ifndef ASCEND_EDGES_H
#define ASCEND_EDGES_H

#include "ptowsp/base.h"

struct ascend_edge {
	uint64_t producer, consumer; /* tasks of the package */
};
/* numbers: per task of the runtime, in the order in which they were submitted, its number in the package, UINT64_MAX: none. *edges_out: to be freed, each pair once, by consumer and then by
 * producer; stated ones are not among them. One thread. Errors: IO naming the folder, where the file is not there, or is not about so many tasks; NO_MEMORY. */
ptowsp_status ascend_edges_read(struct ascend_edge **edges_out, uint64_t *count_out, const char *folder, const uint64_t *numbers, uint64_t task_count,
				struct ptowsp_error *error);

#endif
