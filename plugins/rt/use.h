/* SPDX-License-Identifier: MIT */
/* use.h - what a task does to one key of a tensor map. Accesses that can make no edge have none; a read and a write of the same key are one. */
#ifndef RT_USE_H
#define RT_USE_H

#include "ptowsp/task.h"
#include "rt/lattice.h"

/* One cache line. While the innermost loop goes on, key and hash move on by constants. */
struct rt_use {
	struct rt_key key;
	uint32_t access : 8;  /* PTOWSP_READ | PTOWSP_WRITE */
	uint32_t cell : 1;    /* overlap: the key is a place on its tensor's lattice; else the argument's intervals are visited */
	uint32_t argument : 16;
	uint64_t hash;        /* of the key */
	uint64_t row_step, column_step, hash_step; /* per 1 of the innermost loop; they wrap */
};

static inline void rt_use_move(struct rt_use *use, uint64_t steps)
{
	use->key.row = (int64_t)((uint64_t)use->key.row + use->row_step * steps);
	use->key.column = (int64_t)((uint64_t)use->key.column + use->column_step * steps);
	use->hash += use->hash_step * steps;
}

/* Enters a key into a table of keys. */
static inline void rt_use_enter(struct rt_exact *map, struct rt_track *track, const struct rt_use *use)
{
	struct rt_cell *cell;

	if (use->access == PTOWSP_READ) {
		/* A read alone leaves no trace when only RAW matters. */
		cell = track->full ? rt_exact_enter(map, track, &use->key, use->hash) : rt_exact_find(map, &use->key, use->hash);
		if (cell)
			rt_cell_read(track, cell);
	} else {
		cell = rt_exact_enter(map, track, &use->key, use->hash);
		if (cell)
			rt_cell_write(track, cell, use->access & PTOWSP_READ);
	}
}

struct rt_run;
struct rt_site;
struct rt_access;
/* Uses of a task whose accesses are there; uses_out has room for two per access. Returns how many; placed and admitted, steps 0. */
uint32_t rt_uses_make(struct rt_run *run, const struct rt_site *site, const struct rt_access *accesses, struct rt_use *uses_out);
/* Keys and hashes from accesses. steps: times the steps of a use the key moves by; 0: it stands alone. */
void rt_uses_place(struct rt_run *run, struct rt_use *uses, uint32_t count, const struct rt_access *accesses, uint64_t stride);

#endif
