/* SPDX-License-Identifier: MIT */
/* area.h - the parts of tensors that a walk touches: each once, with a number, and which of them have elements in common. One thread. */
#ifndef AIE_AREA_H
#define AIE_AREA_H

#include <stdbool.h>
#include <stdint.h>
#include "ptowsp/base.h"

/* Rows of consecutive bytes in the memory of a tensor. */
struct aie_area {
	uint32_t tensor;      /* TENS row */
	uint16_t dtype;       /* of its elements, as the task sees them */
	bool flat;            /* consecutive elements, one row; a kernel lays its tiles out in them one after the other */
	uint64_t at;          /* bytes from the tensor's first */
	uint64_t rows, columns; /* elements, neither 0 */
	uint64_t stride;      /* bytes from row to row; of one row: its bytes */
};
struct aie_areas {
	struct aie_area *rows;
	uint32_t *slots;      /* hash: number + 1 */
	uint32_t *meets;      /* those that each has elements in common with, itself not among them; */
	uint32_t *first;      /*   of area r from first[r] to first[r + 1]; after aie_areas_meet */
	uint32_t count, room, slot_count, meet_count, meet_room;
};
uint64_t aie_area_row_bytes(const struct aie_area *area);
uint64_t aie_area_bytes(const struct aie_area *area); /* of its elements, without what lies between rows */
/* Its number. Errors: NO_MEMORY. */
ptowsp_status aie_areas_add(struct aie_areas *areas, const struct aie_area *area, uint32_t *number_out, struct ptowsp_error *error);
/* Its number; count: it is none of them. */
uint32_t aie_areas_find(const struct aie_areas *areas, const struct aie_area *area);
/* Finds who meets whom, when all are there. Errors: NO_MEMORY. */
ptowsp_status aie_areas_meet(struct aie_areas *areas, struct ptowsp_error *error);
/* Are all elements of the part among those of the whole? */
bool aie_area_covers(const struct aie_area *whole, const struct aie_area *part);
void aie_areas_finish(struct aie_areas *areas); /* of zeroed ones too */

#endif
