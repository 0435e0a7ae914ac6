/* SPDX-License-Identifier: MIT */
/* ops_memory.c - tiles, elements and scalars from and to the task's windows. Only addresses can be wrong at run time, so only
 * they are checked here. In a walk every access is reported instead. */
#include "isa/ops.h"

enum { BYTES = 4 }; /* of both element types */

static const struct ptowsp_tensor_arg *window(const struct isa_state *state, const struct isa_operand *memref)
{
	const struct ptowsp_task *task = state->task;

	return (const struct ptowsp_tensor_arg *)(const void *)((const unsigned char *)task->tensors +
								(size_t)memref->at * task->tensor_stride);
}

static bool is_flat(const struct ptowsp_tensor_arg *w)
{
	return w->rows == 1 && w->column_stride == 1;
}

/* Where a tile at [r, c] begins in a flat window: r counts whole tiles. Saturates; a tile has at most 2^28 elements. */
static int64_t flat_start(int64_t r, int64_t c, uint64_t tile)
{
	const int64_t far = INT64_MAX / 4;

	if (r > far / (int64_t)tile || c > far)
		return far;
	if (r < -(far / (int64_t)tile) || c < -far)
		return -far;
	return r * (int64_t)tile + c;
}

static const char *verb(unsigned access)
{
	return access == PTOWSP_READ ? "reads" : "writes";
}

static ptowsp_status flat_fail(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref,
			       unsigned access, int64_t start, uint64_t count)
{
	return isa_state_fail(state, s, "%s %s elements [%lld, %lld) of %%%.48s, which has %llu", isa_op(s->op)->mnemonic,
			      verb(access), (long long)start, (long long)(start + (int64_t)count),
			      state->program->param_names[memref->row], (unsigned long long)window(state, memref)->columns);
}

static ptowsp_status grid_fail(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref,
			       unsigned access, int64_t row, int64_t column, const struct isa_operand *tile)
{
	const struct ptowsp_tensor_arg *w = window(state, memref);

	return isa_state_fail(state, s, "%s %s %lux%lu at row %lld, column %lld of %%%.48s, which is %llux%llu",
			      isa_op(s->op)->mnemonic, verb(access), (unsigned long)tile->rows, (unsigned long)tile->columns,
			      (long long)row, (long long)column, state->program->param_names[memref->row],
			      (unsigned long long)w->rows, (unsigned long long)w->columns);
}

/* A tile in a window: `rows` rows `step` bytes apart, of `columns` elements `stride` bytes apart. */
struct place {
	unsigned char *at;
	size_t rows, columns, step, stride;
};

/* Flat windows hold packed tiles; in others the tile lies at row r * R, column c. */
static ptowsp_status tile_place(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref,
				const struct isa_operand *tile, unsigned access, int64_t r, int64_t c, struct place *place_out)
{
	const struct ptowsp_tensor_arg *w = window(state, memref);
	const uint64_t count = isa_count(tile);
	int64_t start;

	if (is_flat(w)) {
		start = flat_start(r, c, count);
		if (start < 0 || count > w->columns || (uint64_t)start > w->columns - count)
			return flat_fail(s, state, memref, access, start, count);
		*place_out = (struct place){.at = (unsigned char *)w->data + (size_t)start * BYTES,
					    .rows = 1,
					    .columns = (size_t)count,
					    .stride = BYTES};
		return PTOWSP_OK;
	}
	start = flat_start(r, 0, tile->rows);
	if (start < 0 || c < 0 || tile->rows > w->rows || (uint64_t)start > w->rows - tile->rows ||
	    tile->columns > w->columns || (uint64_t)c > w->columns - tile->columns)
		return grid_fail(s, state, memref, access, start, c, tile);
	*place_out = (struct place){
		.at = (unsigned char *)w->data + ((uint64_t)start * w->row_stride + (uint64_t)c * w->column_stride) * BYTES,
		.rows = tile->rows,
		.columns = tile->columns,
		.step = (size_t)(w->row_stride * BYTES),
		.stride = (size_t)(w->column_stride * BYTES),
	};
	return PTOWSP_OK;
}

static void place_read(const struct place *p, unsigned char *d)
{
	for (size_t i = 0; i < p->rows; i++, d += p->columns * BYTES) {
		const unsigned char *row = p->at + i * p->step;

		if (p->stride == BYTES)
			memcpy(d, row, p->columns * BYTES);
		else
			for (size_t j = 0; j < p->columns; j++)
				memcpy(d + j * BYTES, row + j * p->stride, BYTES);
	}
}

static void place_write(const struct place *p, const unsigned char *a)
{
	for (size_t i = 0; i < p->rows; i++, a += p->columns * BYTES) {
		unsigned char *row = p->at + i * p->step;

		if (p->stride == BYTES)
			memcpy(row, a, p->columns * BYTES);
		else
			for (size_t j = 0; j < p->columns; j++)
				memcpy(row + j * p->stride, a + j * BYTES, BYTES);
	}
}

static ptowsp_status tload(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t *x = state->scalars;
	struct place place;
	const ptowsp_status status =
		tile_place(s, state, &s->a, &s->d, PTOWSP_READ, (int64_t)x[s->b.at], (int64_t)x[s->c.at], &place);

	if (!status)
		place_read(&place, isa_tile(state, &s->d));
	return status;
}

static ptowsp_status tstore(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t *x = state->scalars;
	struct place place;
	const ptowsp_status status =
		tile_place(s, state, &s->d, &s->a, PTOWSP_WRITE, (int64_t)x[s->b.at], (int64_t)x[s->c.at], &place);

	if (!status)
		place_write(&place, isa_tile(state, &s->a));
	return status;
}

/* Each row is scaled on its way; i counts elements of the tile, the place may be one long row. */
#define STORE_SCALED(name, T, value)                                                                                           \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                           \
	{                                                                                                                      \
		const uint64_t *x = state->scalars;                                                                            \
		const T *tile = isa_tile(state, &s->a), *scale = isa_tile(state, &s->b);                                       \
		const size_t columns = s->a.columns, count = isa_count(&s->a);                                                 \
		struct place place;                                                                                            \
		const ptowsp_status status =                                                                                   \
			tile_place(s, state, &s->d, &s->a, PTOWSP_WRITE, (int64_t)x[s->c.at], (int64_t)x[s->f.at], &place);    \
                                                                                                                               \
		for (size_t i = 0; i < count && !status; i++) {                                                                \
			const T a = tile[i], b = scale[i % columns], v = (value);                                              \
                                                                                                                               \
			memcpy(place.at + i / place.columns * place.step + i % place.columns * place.stride, &v, BYTES);       \
		}                                                                                                              \
		return status;                                                                                                 \
	}
STORE_SCALED(tstore_fp_f32, float, a *b)
STORE_SCALED(tstore_fp_i32, int32_t, ISA_WRAP(a, *, b))

/* Element number `index` of a window, counted row by row; NULL if it is outside. */
static unsigned char *element(const struct ptowsp_tensor_arg *w, int64_t index)
{
	uint64_t row, column;

	if (index < 0 || w->columns == 0)
		return NULL;
	row = (uint64_t)index / w->columns;
	column = (uint64_t)index % w->columns;
	if (row >= w->rows)
		return NULL;
	return (unsigned char *)w->data + (row * w->row_stride + column * w->column_stride) * BYTES;
}

static ptowsp_status element_fail(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref,
				  unsigned access, int64_t index)
{
	const struct ptowsp_tensor_arg *w = window(state, memref);

	return isa_state_fail(state, s, "%s %s element %lld of %%%.48s, which has %llu", isa_op(s->op)->mnemonic, verb(access),
			      (long long)index, state->program->param_names[memref->row],
			      (unsigned long long)(w->rows * w->columns));
}

static ptowsp_status mgather(const struct isa_step *s, struct isa_state *state)
{
	const struct ptowsp_tensor_arg *w = window(state, &s->a);
	unsigned char *d = isa_tile(state, &s->d);
	const int32_t *index = isa_tile(state, &s->b);
	const size_t count = isa_count(&s->d);

	for (size_t i = 0; i < count; i++) { /* d may be the indices: each is read before it is overwritten */
		const int32_t k = index[i];
		const unsigned char *from = element(w, k);

		if (!from)
			return element_fail(s, state, &s->a, PTOWSP_READ, k);
		memcpy(d + i * BYTES, from, BYTES);
	}
	return PTOWSP_OK;
}

static ptowsp_status mscatter(const struct isa_step *s, struct isa_state *state)
{
	const struct ptowsp_tensor_arg *w = window(state, &s->d);
	const unsigned char *a = isa_tile(state, &s->a);
	const int32_t *index = isa_tile(state, &s->b);
	const size_t count = isa_count(&s->a);

	for (size_t i = 0; i < count; i++) {
		unsigned char *to = element(w, index[i]);

		if (!to)
			return element_fail(s, state, &s->d, PTOWSP_WRITE, index[i]);
		memcpy(to, a + i * BYTES, BYTES);
	}
	return PTOWSP_OK;
}

/* A scalar of four bytes as the scalar type of its register, and back. */
static uint64_t scalar_widen(uint32_t bits, const struct isa_operand *memref, const struct isa_operand *scalar)
{
	return memref->dtype == PTOWSP_F32 ? bits : isa_scalar_narrow((uint64_t)(int64_t)(int32_t)bits, scalar->dtype);
}

static ptowsp_status load(const struct isa_step *s, struct isa_state *state)
{
	const int64_t index = (int64_t)state->scalars[s->b.at];
	const unsigned char *from = element(window(state, &s->a), index);
	uint32_t bits;

	if (!from)
		return element_fail(s, state, &s->a, PTOWSP_READ, index);
	memcpy(&bits, from, sizeof(bits));
	state->scalars[s->d.at] = scalar_widen(bits, &s->a, &s->d);
	return PTOWSP_OK;
}

static ptowsp_status store(const struct isa_step *s, struct isa_state *state)
{
	const int64_t index = (int64_t)state->scalars[s->b.at];
	unsigned char *to = element(window(state, &s->d), index);
	const uint32_t bits = (uint32_t)state->scalars[s->a.at];

	if (!to)
		return element_fail(s, state, &s->d, PTOWSP_WRITE, index);
	memcpy(to, &bits, sizeof(bits));
	return PTOWSP_OK;
}

static ptowsp_status offset_fail(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *tile,
				 int64_t offset)
{
	return isa_state_fail(state, s, "%s of element %lld of %%%.48s, which has %llu", isa_op(s->op)->mnemonic,
			      (long long)offset, state->program->tile_names[tile->row], (unsigned long long)isa_count(tile));
}

static ptowsp_status getval(const struct isa_step *s, struct isa_state *state)
{
	const int64_t offset = (int64_t)state->scalars[s->b.at];
	uint32_t bits;

	if (offset < 0 || (uint64_t)offset >= isa_count(&s->a))
		return offset_fail(s, state, &s->a, offset);
	memcpy(&bits, (const unsigned char *)isa_tile(state, &s->a) + offset * BYTES, BYTES);
	state->scalars[s->d.at] = scalar_widen(bits, &s->a, &s->d);
	return PTOWSP_OK;
}

static ptowsp_status setval(const struct isa_step *s, struct isa_state *state)
{
	const int64_t offset = (int64_t)state->scalars[s->a.at];
	const uint32_t bits = (uint32_t)state->scalars[s->b.at];

	if (offset < 0 || (uint64_t)offset >= isa_count(&s->d))
		return offset_fail(s, state, &s->d, offset);
	memcpy((unsigned char *)isa_tile(state, &s->d) + offset * BYTES, &bits, BYTES);
	return PTOWSP_OK;
}

/* The walk's side: what would be touched. */
static void touch(const struct isa_state *state, const struct isa_operand *memref, int64_t offset, uint64_t length,
		  unsigned access)
{
	if (state->touch)
		state->touch(state->context, memref->row, offset, length, access);
}

static ptowsp_status tload_walk(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t *x = state->scalars, count = isa_count(&s->d);

	touch(state, &s->a, flat_start((int64_t)x[s->b.at], (int64_t)x[s->c.at], count), count, PTOWSP_READ);
	return PTOWSP_OK;
}

static ptowsp_status tstore_walk(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t *x = state->scalars, count = isa_count(&s->a);

	touch(state, &s->d, flat_start((int64_t)x[s->b.at], (int64_t)x[s->c.at], count), count, PTOWSP_WRITE);
	return PTOWSP_OK;
}

static ptowsp_status tstore_fp_walk(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t *x = state->scalars, count = isa_count(&s->a);

	touch(state, &s->d, flat_start((int64_t)x[s->c.at], (int64_t)x[s->f.at], count), count, PTOWSP_WRITE);
	return PTOWSP_OK;
}

static ptowsp_status mgather_walk(const struct isa_step *s, struct isa_state *state)
{
	touch(state, &s->a, 0, UINT64_MAX, PTOWSP_READ);
	return PTOWSP_OK;
}

static ptowsp_status mscatter_walk(const struct isa_step *s, struct isa_state *state)
{
	touch(state, &s->d, 0, UINT64_MAX, PTOWSP_WRITE);
	return PTOWSP_OK;
}

/* What memory holds is not known here; nothing that steers depends on it (flow.c). */
static ptowsp_status load_walk(const struct isa_step *s, struct isa_state *state)
{
	touch(state, &s->a, (int64_t)state->scalars[s->b.at], 1, PTOWSP_READ);
	state->scalars[s->d.at] = 0;
	return PTOWSP_OK;
}

static ptowsp_status store_walk(const struct isa_step *s, struct isa_state *state)
{
	touch(state, &s->d, (int64_t)state->scalars[s->b.at], 1, PTOWSP_WRITE);
	return PTOWSP_OK;
}

static ptowsp_status getval_walk(const struct isa_step *s, struct isa_state *state)
{
	state->scalars[s->d.at] = 0;
	return PTOWSP_OK;
}

const struct isa_kernel isa_ops_memory[] = {
	{.op = PTOWSP_PTO_TLOAD, .run = {tload, tload}, .walk = tload_walk},
	{.op = PTOWSP_PTO_TSTORE, .run = {tstore, tstore}, .walk = tstore_walk},
	{.op = PTOWSP_PTO_TSTORE_FP, .run = {tstore_fp_f32, tstore_fp_i32}, .walk = tstore_fp_walk},
	{.op = PTOWSP_PTO_MGATHER, .run = {mgather, mgather}, .walk = mgather_walk},
	{.op = PTOWSP_PTO_MSCATTER, .run = {mscatter, mscatter}, .walk = mscatter_walk},
	{.op = PTOWSP_PTO_GETVAL, .run = {getval, getval}, .walk = getval_walk},
	{.op = PTOWSP_PTO_SETVAL, .run = {setval, setval}},
	{.op = PTOWSP_PTO_LOAD, .run = {load, load}, .walk = load_walk},
	{.op = PTOWSP_PTO_STORE, .run = {store, store}, .walk = store_walk},
	{.op = 0},
};
