/* SPDX-License-Identifier: MIT */
/* aie_version.h - which write each read sees. A write of an area makes a version of it; a read of the same area sees the latest one as a whole, and can get it from who made
 * it; a read of anything else sees what lies in memory, where then all that it meets has to be stored before. One thread. */
#ifndef AIE_VERSION_H
#define AIE_VERSION_H

#include "aie/graph/cell.h"

#define AIE_FROM_MEMORY UINT32_MAX

/* Elements that come from memory although a cell has them. */
enum aie_apart {
	AIE_TOGETHER,
	AIE_APART_CELLS, /* of what another cell made: cells hand each other nothing */
	AIE_APART_ACTS,  /* and what the cell itself made: it keeps nothing from one act to the next */
};

struct aie_version {
	uint32_t act, use; /* that made it */
	uint32_t area, cell;
	bool stored;     /* it goes to memory: it is seen after the run, or somebody reads it there */
	uint32_t local;  /* later reads by its own cell */
	uint32_t remote; /* and by others, not the host */
};
struct aie_versions {
	struct aie_version *rows;
	uint32_t count;
	uint32_t *needs; /* versions that have to be in memory before a use reads there, in increasing order */
	uint32_t *first; /*   of use u from first[u] to first[u + 1] */
	uint32_t need_count, need_room;
};
/* Fills zeroed or finished versions, and from and to of all uses. kept: per TENS row, 1 where what is written is seen after the run. Errors: NO_MEMORY. */
ptowsp_status aie_versions_make(struct aie_versions *versions, struct aie_acts *acts, const uint8_t *kept, enum aie_apart apart, struct ptowsp_error *error);
void aie_versions_finish(struct aie_versions *versions);

#endif
