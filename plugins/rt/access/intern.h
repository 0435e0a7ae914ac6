/* SPDX-License-Identifier: MIT */
/* intern.h - names for keys that do not fit into 64 bits: rows or columns outside any tensor, tensors of more than 2^40 elements. A key keeps its
 * name while tasks of the window use it. One thread. */
#ifndef RT_INTERN_H
#define RT_INTERN_H

#include "rt/access/preds.h"

/* class: tensor and shape, or tensor and tile level; below RT_CLASS_LIMIT. Keys are compared for equality. */
struct rt_key {
	int64_t row, column;
	uint32_t class;
};
/* A name is class << RT_PLACE_BITS | place, or of this kind. */
#define RT_PLACE_BITS  40u
#define RT_PLACES      ((UINT64_C(1) << RT_PLACE_BITS) - 1)
#define RT_CLASS_LIMIT (UINT32_C(1) << 23)
#define RT_INTERNED    (UINT64_C(1) << 63)
#define RT_NO_NAME     UINT64_MAX /* no key has it */

struct rt_interned {
	struct rt_key key;
	uint32_t used; /* stamp of the latest task */
	uint32_t name; /* + 1; 0: a free place */
};
struct rt_intern {
	struct rt_interned *rows; /* linear probing; NULL until it is needed */
	uint64_t mask, count;
	uint32_t names;
};
/* Zero is a good start. */
void rt_intern_finish(struct rt_intern *intern);
/* The key's name; RT_NO_NAME when out of memory. */
uint64_t rt_intern_name(struct rt_intern *intern, const struct rt_preds *preds, const struct rt_key *key);
/* Every 2^30 tasks. False when out of memory. */
bool rt_intern_freshen(struct rt_intern *intern, const struct rt_preds *preds);

#endif
