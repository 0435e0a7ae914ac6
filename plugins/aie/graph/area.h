/* SPDX-License-Identifier: MIT */
/* area.h - the parts of tensors that a walk touches: each once, with a number, and which of them have elements in common. One thread. */
#ifndef AIE_AREA_H
#define AIE_AREA_H

#include "base/patience.h"
#include "ptowsp/base.h"
#include <stdbool.h>
#include <stdint.h>

/* Rows of consecutive bytes in the memory of a tensor. */
struct aie_area {
	uint32_t tensor;        /* TENS row */
	uint16_t dtype;         /* of its elements, as the task sees them */
	bool flat;              /* consecutive elements, one row; a kernel lays its tiles out in them one after the other */
	uint64_t at;            /* bytes from the tensor's first */
	uint64_t rows, columns; /* elements, neither 0 */
	uint64_t stride;        /* bytes from row to row; of one row: its bytes */
};
/* Memory of the host that the sequence gets. */
struct aie_tensor {
	uint64_t elements;
	uint16_t dtype;
};
/* A kernel's window on the elements of an area: it begins `before` elements in front of the first, none of which it touches; negative: behind it. */
struct aie_view {
	int64_t before;
	uint64_t rows, columns, stride; /* elements; rows 0: as the area has them */
};
struct aie_areas {
	struct aie_area *rows;
	uint32_t *slots; /* hash: number + 1 */
	uint32_t *meets; /* those that each has elements in common with, itself not among them; */
	uint32_t *first; /*   of area r from first[r] to first[r + 1]; after aie_areas_meet */
	uint32_t count, room, slot_count, meet_count, meet_room;
};
uint64_t aie_area_row_bytes(const struct aie_area *area);
uint64_t aie_area_run_bytes(const struct aie_area *area); /* of what the host moves at a time: a row, or all where rows are no words and follow each other */
uint64_t aie_area_bytes(const struct aie_area *area);     /* of its elements, without what lies between rows */
uint64_t aie_area_end(const struct aie_area *area);       /* bytes from the tensor's first to behind its last element */
/* word.c: DMAs move words of 4 bytes: can they move the area as it is? */
bool aie_area_is_words(const struct aie_area *area);
/* The area becomes words that have all its elements, and the view what it was in them: the same rows with more at their ends, or all from the first word to the last one, where
 * rows do not lie whole words apart. Words may end behind the tensor. True: there are others of the tensor's bytes among them, so that who writes the words has to have
 * read them before. */
bool aie_area_widen(struct aie_area *area, struct aie_view *view, uint64_t tensor_bytes);
/* The area's number. Errors: NO_MEMORY. */
ptowsp_status aie_areas_add(struct aie_areas *areas, const struct aie_area *area, uint32_t *number_out, struct ptowsp_error *error);
/* The area's number; count: it is none of them. */
uint32_t aie_areas_find(const struct aie_areas *areas, const struct aie_area *area);
/* Finds who meets whom, when all are there. Errors: NO_MEMORY. */
ptowsp_status aie_areas_meet(struct aie_areas *areas, struct base_patience *patience, struct ptowsp_error *error);
/* Have they elements in common, or might they? */
bool aie_areas_touch(const struct aie_area *a, const struct aie_area *b);
/* Are all elements of the part among those of the whole? */
bool aie_area_covers(const struct aie_area *whole, const struct aie_area *part);
void aie_areas_finish(struct aie_areas *areas); /* of zeroed ones too */

#endif
