/* SPDX-License-Identifier: MIT */
/* sim_walk.c - paths through memory: made as long in their runs as they are, walked a piece at a time. */
#include "aie/sim/sim_net.h"

#include "aie/sim/aie_cost.h"
#include <string.h>

void aie_path_plain(struct aie_path *path, uint64_t bytes)
{
	*path = (struct aie_path){.run = bytes, .bytes = bytes, .beyond = (int64_t)bytes, .pace = 1};
}

bool aie_paths_equal(const struct aie_path *a, const struct aie_path *b)
{
	return a->rank == b->rank && a->run == b->run && a->bytes == b->bytes && !memcmp(a->sizes, b->sizes, a->rank * sizeof(*a->sizes)) &&
	       !memcmp(a->strides, b->strides, a->rank * sizeof(*a->strides));
}

/* One that lies directly around the runs so far makes them longer; one of size 1 is none. */
static void dimension_add(struct aie_path *path, uint64_t size, int64_t stride)
{
	if (size == 1)
		return;
	if (!path->rank && stride == (int64_t)path->run) {
		path->run *= size;
		return;
	}
	for (uint32_t d = path->rank++; d; d--) {
		path->sizes[d] = path->sizes[d - 1];
		path->strides[d] = path->strides[d - 1];
	}
	path->sizes[0] = size;
	path->strides[0] = stride;
}

static void bounds_find(struct aie_path *path)
{
	path->least = 0;
	path->beyond = (int64_t)path->run;
	path->bytes = path->run;
	for (uint32_t d = 0; d < path->rank; d++) {
		const int64_t reach = path->strides[d] * (int64_t)(path->sizes[d] - 1);

		*(reach < 0 ? &path->least : &path->beyond) += reach;
		path->bytes *= path->sizes[d];
	}
}

static uint32_t pace_of(const struct aie_path *path, uint32_t element_bytes)
{
	bool quick = path->run >= AIE_COST_STRIDE_RUN;

	for (uint32_t d = 0; d < path->rank; d++)
		quick = quick && path->strides[d] % AIE_COST_STRIDE_RUN == 0;
	return !path->rank || quick || element_bytes >= 4 ? 1 : 4 / element_bytes;
}

bool aie_path_fits(uint32_t rank, const int64_t *sizes, const int64_t *strides, uint32_t element_bytes)
{
	double count = element_bytes, reach = element_bytes;

	for (uint32_t d = 0; d < rank; d++) {
		if (sizes[d] < 1)
			return false;
		count *= (double)sizes[d];
		reach += (strides[d] < 0 ? -1.0 : 1.0) * (double)strides[d] * (double)sizes[d] * element_bytes;
	}
	return count <= 0x1p50 && reach <= 0x1p50;
}

void aie_path_make(struct aie_path *path, uint32_t rank, const int64_t *sizes, const int64_t *strides, uint32_t element_bytes)
{
	aie_path_plain(path, element_bytes);
	for (uint32_t d = rank; d; d--)
		dimension_add(path, (uint64_t)sizes[d - 1], strides[d - 1] * (int64_t)element_bytes);
	bounds_find(path);
	path->pace = pace_of(path, element_bytes);
}

void aie_cursor_begin(struct aie_cursor *cursor, uint8_t *base, int64_t marks)
{
	*cursor = (struct aie_cursor){.at = base, .marks = marks};
}

/* To the next run, as an odometer goes. */
static void cursor_turn(struct aie_cursor *cursor, const struct aie_path *path)
{
	cursor->into = 0;
	for (uint32_t d = path->rank; d; d--) {
		cursor->at += path->strides[d - 1];
		if (++cursor->index[d - 1] < path->sizes[d - 1])
			return;
		cursor->at -= path->strides[d - 1] * (int64_t)path->sizes[d - 1];
		cursor->index[d - 1] = 0;
	}
}

static inline void cursor_move(struct aie_cursor *cursor, const struct aie_path *path, uint8_t *row, uint8_t *marks, uint64_t bytes, bool put)
{
	if (!put && marks && !(cursor->at && cursor->marks))
		memset(marks, 1, bytes);
	if (!cursor->at) { /* nothing is there: as if it were zeros */
		if (!put)
			memset(row, 0, bytes);
		return;
	}
	while (bytes) {
		const uint64_t left = path->run - cursor->into, n = left < bytes ? left : bytes;
		uint8_t *at = cursor->at + cursor->into;

		memcpy(put ? at : row, put ? row : at, n);
		if (marks && cursor->marks) {
			memcpy(put ? at + cursor->marks : marks, put ? marks : at + cursor->marks, n);
			marks += n;
		}
		cursor->into += n;
		row += n;
		bytes -= n;
		if (cursor->into == path->run)
			cursor_turn(cursor, path);
	}
}

void aie_cursor_get(struct aie_cursor *cursor, const struct aie_path *path, uint8_t *to, uint8_t *marks, uint64_t bytes)
{
	cursor_move(cursor, path, to, marks, bytes, false);
}

/* The row without its const: a put only reads it. */
static uint8_t *only_read(const uint8_t *row)
{
	union {
		const uint8_t *from;
		uint8_t *row;
	} same = {row};

	return same.row;
}

void aie_cursor_put(struct aie_cursor *cursor, const struct aie_path *path, const uint8_t *from, const uint8_t *marks, uint64_t bytes)
{
	cursor_move(cursor, path, only_read(from), only_read(marks), bytes, true);
}
