/* SPDX-License-Identifier: MIT */
/* ops_memory.c - tiles, elements and scalars from and to the task's windows. Only addresses can be wrong at run time, so only
 * they are checked here. In a walk every access is reported instead. */
#include "isa/isa_tile.h"
#include "isa/ops/isa_ops.h"
#include "isa/tile_op.h"
#include <stdio.h>
#include <string.h>

static const struct ptowsp_tensor_arg *window(const struct isa_state *state, const struct isa_operand *memref)
{
	const struct ptowsp_task *task = state->task;

	return (const struct ptowsp_tensor_arg *)(const void *)((const unsigned char *)task->tensors + (size_t)memref->at * task->tensor_stride);
}

/* Failures, one a run, are kept out of what runs per element. */
#define COLD __attribute__((cold, noinline))

static const char *verb(unsigned access)
{
	return access == PTOWSP_READ ? "reads" : "writes";
}

/* "%src", and where its tensor is called otherwise "%src (tensor table)". */
struct window_name {
	char text[112];
};
static struct window_name COLD window_name(const struct isa_state *state, const struct isa_operand *memref)
{
	const struct isa_program *p = state->program;
	const uint32_t row = window(state, memref)->tensor;
	const char *name = p->param_names[memref->row], *tensor = p->tensor_names.name ? p->tensor_names.name(p->tensor_names.context, row) : "";
	struct window_name text;

	if (*tensor && strcmp(tensor, name))
		snprintf(text.text, sizeof(text.text), "%%%.48s (tensor %.48s)", name, tensor);
	else
		snprintf(text.text, sizeof(text.text), "%%%.48s", name);
	return text;
}

static ptowsp_status COLD flat_fail(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref, unsigned access, int64_t start,
				    uint64_t count)
{
	return isa_state_fail(state, s, "%s %s elements [%lld, %lld) of %s, which has %llu", isa_op(s->op)->mnemonic, verb(access), (long long)start,
			      (long long)(start + (int64_t)count), window_name(state, memref).text, (unsigned long long)window(state, memref)->columns);
}

static ptowsp_status COLD grid_fail(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref, unsigned access, int64_t row,
				    int64_t column, const struct isa_operand *tile)
{
	const struct ptowsp_tensor_arg *w = window(state, memref);

	return isa_state_fail(state, s, "%s %s %lux%lu at row %lld, column %lld of %s, which is %llux%llu", isa_op(s->op)->mnemonic, verb(access),
			      (unsigned long)tile->rows, (unsigned long)tile->columns, (long long)row, (long long)column, window_name(state, memref).text,
			      (unsigned long long)w->rows, (unsigned long long)w->columns);
}

/* A tile in a flat window, where its elements lie one behind the other. NULL after an error. */
static inline unsigned char *flat_place(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref,
					const struct isa_operand *tile, unsigned access, int64_t r, int64_t c)
{
	const struct ptowsp_tensor_arg *w = window(state, memref);
	const uint64_t count = isa_count(tile);
	const int64_t start = tile_flat_start(r, c, count);

	if (!tile_flat_holds(w, start, count)) {
		flat_fail(s, state, memref, access, start, count);
		return NULL;
	}
	return (unsigned char *)w->data + (size_t)start * tile->bytes;
}

/* In other windows the tile lies at row r * R, column c. */
static ptowsp_status grid_place(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref, const struct isa_operand *tile,
				unsigned access, int64_t r, int64_t c, struct isa_window *place_out)
{
	const struct ptowsp_tensor_arg *w = window(state, memref);
	const int64_t start = tile_flat_start(r, 0, tile->rows);

	if (!tile_grid_holds(w, start, c, tile->rows, tile->columns))
		return grid_fail(s, state, memref, access, start, c, tile);
	*place_out = (struct isa_window){
		.at = tile_grid_at(w, (uint64_t)start, (uint64_t)c, tile->bytes),
		.rows = tile->rows,
		.columns = tile->columns,
		.step = (size_t)(w->row_stride * tile->bytes),
		.stride = (size_t)(w->column_stride * tile->bytes),
		.bytes = tile->bytes,
	};
	return PTOWSP_OK;
}

/* Either; a flat place is one long row. */
static ptowsp_status tile_place(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref, const struct isa_operand *tile,
				unsigned access, int64_t r, int64_t c, struct isa_window *place_out)
{
	if (!tile_window_is_flat(window(state, memref)))
		return grid_place(s, state, memref, tile, access, r, c, place_out);
	*place_out = (struct isa_window){
		.at = flat_place(s, state, memref, tile, access, r, c),
		.rows = 1,
		.columns = isa_count(tile),
		.stride = tile->bytes,
		.bytes = tile->bytes,
	};
	return place_out->at ? PTOWSP_OK : PTOWSP_KERNEL_FAILED;
}

/* One element, without a call. */
static inline void element_copy(void *to, const void *from, unsigned bytes)
{
	switch (bytes) {
	case 1: memcpy(to, from, 1); break;
	case 2: memcpy(to, from, 2); break;
	case 4: memcpy(to, from, 4); break;
	default: memcpy(to, from, 8); break;
	}
}

static void place_read(const struct isa_window *p, unsigned char *d)
{
	for (size_t i = 0; i < p->rows; i++, d += p->columns * p->bytes) {
		const unsigned char *row = p->at + i * p->step;

		if (p->stride == p->bytes)
			memcpy(d, row, p->columns * p->bytes);
		else
			for (size_t j = 0; j < p->columns; j++)
				element_copy(d + j * p->bytes, row + j * p->stride, p->bytes);
	}
}

static void place_write(const struct isa_window *p, const unsigned char *a)
{
	for (size_t i = 0; i < p->rows; i++, a += p->columns * p->bytes) {
		unsigned char *row = p->at + i * p->step;

		if (p->stride == p->bytes)
			memcpy(row, a, p->columns * p->bytes);
		else
			for (size_t j = 0; j < p->columns; j++)
				element_copy(row + j * p->stride, a + j * p->bytes, p->bytes);
	}
}

ptowsp_status isa_window_find(const struct isa_step *s, const struct isa_state *state, struct isa_window *window_out)
{
	const bool load = s->op == PTOWSP_PTO_TLOAD;
	const struct isa_operand *memref = load ? &s->a : &s->d, *tile = load ? &s->d : &s->a;
	const int64_t r = (int64_t)state->scalars[s->b.at], c = (int64_t)state->scalars[s->c.at];
	const ptowsp_status status = tile_place(s, state, memref, tile, load ? PTOWSP_READ : PTOWSP_WRITE, r, c, window_out);

	if (!status && tile_window_is_flat(window(state, memref))) {
		window_out->rows = tile->rows;
		window_out->columns = tile->columns;
		window_out->step = (size_t)tile->columns * tile->bytes;
	}
	return status;
}

void isa_window_move(const struct isa_window *w, size_t first, size_t rows, void *tile, bool load)
{
	struct isa_window part = *w;

	part.at += first * w->step;
	part.rows = rows;
	if (part.stride == part.bytes && part.step == part.columns * part.bytes) {
		part.rows = 1;
		part.columns *= rows;
	}
	if (load)
		place_read(&part, tile);
	else
		place_write(&part, tile);
}

static ptowsp_status tload(const struct isa_step *s, struct isa_state *state)
{
	const int64_t r = (int64_t)state->scalars[s->b.at], c = (int64_t)state->scalars[s->c.at];
	struct isa_window place;
	ptowsp_status status;

	if (tile_window_is_flat(window(state, &s->a))) {
		const unsigned char *from = flat_place(s, state, &s->a, &s->d, PTOWSP_READ, r, c);

		return from ? memcpy(isa_tile(state, &s->d), from, isa_bytes(&s->d)), PTOWSP_OK : PTOWSP_KERNEL_FAILED;
	}
	status = grid_place(s, state, &s->a, &s->d, PTOWSP_READ, r, c, &place);
	if (!status)
		place_read(&place, isa_tile(state, &s->d));
	return status;
}

static ptowsp_status tstore(const struct isa_step *s, struct isa_state *state)
{
	const int64_t r = (int64_t)state->scalars[s->b.at], c = (int64_t)state->scalars[s->c.at];
	struct isa_window place;
	ptowsp_status status;

	if (tile_window_is_flat(window(state, &s->d))) {
		unsigned char *to = flat_place(s, state, &s->d, &s->a, PTOWSP_WRITE, r, c);

		return to ? memcpy(to, isa_tile(state, &s->a), isa_bytes(&s->a)), PTOWSP_OK : PTOWSP_KERNEL_FAILED;
	}
	status = grid_place(s, state, &s->d, &s->a, PTOWSP_WRITE, r, c, &place);
	if (!status)
		place_write(&place, isa_tile(state, &s->a));
	return status;
}

/* Each row is scaled on its way; i counts elements of the tile, the place may be one long row. */
#define STORE_SCALED(type, ...)                                                                                                                                \
	static ptowsp_status TSTORE_FP_##type(const struct isa_step *s, struct isa_state *state)                                                               \
	{                                                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                                                           \
		const uint64_t *x = state->scalars;                                                                                                            \
		const S *tile = isa_tile(state, &s->a), *scale = isa_tile(state, &s->b);                                                                       \
		const size_t columns = s->a.columns, count = isa_count(&s->a);                                                                                 \
		struct isa_window place;                                                                                                                       \
		const ptowsp_status status = tile_place(s, state, &s->d, &s->a, PTOWSP_WRITE, (int64_t)x[s->c.at], (int64_t)x[s->f.at], &place);               \
                                                                                                                                                               \
		for (size_t i = 0; i < count && !status; i++) {                                                                                                \
			const C a = isa_get_##type(tile[i]), b = isa_get_##type(scale[i % columns]);                                                           \
			const S v = isa_put_##type((W)a * (W)b);                                                                                               \
                                                                                                                                                               \
			memcpy(place.at + i / place.columns * place.step + i % place.columns * place.stride, &v, sizeof(v));                                   \
		}                                                                                                                                              \
		return status;                                                                                                                                 \
	}
ISA_NUMBERS(STORE_SCALED, )

static ptowsp_status COLD element_fail(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref, unsigned access,
				       int64_t index)
{
	const struct ptowsp_tensor_arg *w = window(state, memref);

	return isa_state_fail(state, s, "%s %s element %lld of %s, which has %llu", isa_op(s->op)->mnemonic, verb(access), (long long)index,
			      window_name(state, memref).text, (unsigned long long)(w->rows * w->columns));
}

ISA_SIZES(TILE_WINDOW_INDEXED, )
/* The indices moved `done` of `count` elements. */
static ptowsp_status indexed_end(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *memref, unsigned access, size_t count,
				 size_t done)
{
	if (done == count)
		return PTOWSP_OK;
	return element_fail(s, state, memref, access, tile_index(isa_tile(state, &s->b), s->b.dtype == PTOWSP_U32, done));
}

#define INDEXED(size, ...)                                                                                                                                     \
	static ptowsp_status mgather_##size(const struct isa_step *s, struct isa_state *state)                                                                 \
	{                                                                                                                                                      \
		const size_t count = isa_count(&s->d);                                                                                                         \
                                                                                                                                                               \
		return indexed_end(                                                                                                                            \
			s, state, &s->a, PTOWSP_READ, count,                                                                                                   \
			tile_mgather_##size(isa_tile(state, &s->d), window(state, &s->a), isa_tile(state, &s->b), s->b.dtype == PTOWSP_U32, count));           \
	}                                                                                                                                                      \
	static ptowsp_status mscatter_##size(const struct isa_step *s, struct isa_state *state)                                                                \
	{                                                                                                                                                      \
		const size_t count = isa_count(&s->a);                                                                                                         \
                                                                                                                                                               \
		return indexed_end(                                                                                                                            \
			s, state, &s->d, PTOWSP_WRITE, count,                                                                                                  \
			tile_mscatter_##size(window(state, &s->d), isa_tile(state, &s->a), isa_tile(state, &s->b), s->b.dtype == PTOWSP_U32, count));          \
	}
ISA_SIZES(INDEXED, )

static ptowsp_status COLD offset_fail(const struct isa_step *s, const struct isa_state *state, const struct isa_operand *tile, int64_t offset)
{
	return isa_state_fail(state, s, "%s of element %lld of %%%.48s, which has %llu", isa_op(s->op)->mnemonic, (long long)offset,
			      state->program->tile_names[tile->row], (unsigned long long)isa_count(tile));
}

/* A register of the element's type holds `held`, which is made of its value v (task.h). */
#define ELEMENTS(type, held)                                                                                                                                   \
	static inline uint64_t scalar_read_##type(const unsigned char *from, const struct isa_operand *scalar)                                                 \
	{                                                                                                                                                      \
		isa_u_##type bits;                                                                                                                             \
		uint64_t value;                                                                                                                                \
                                                                                                                                                               \
		memcpy(&bits, from, sizeof(bits));                                                                                                             \
		value = (uint64_t)(held);                                                                                                                      \
		return scalar->dtype == ISA_CODE_##type ? value : isa_scalar_narrow(value, scalar->dtype);                                                     \
	}                                                                                                                                                      \
	static inline void scalar_write_##type(unsigned char *to, uint64_t value)                                                                              \
	{                                                                                                                                                      \
		const isa_u_##type bits = (isa_u_##type)isa_scalar_narrow(value, ISA_CODE_##type);                                                             \
                                                                                                                                                               \
		memcpy(to, &bits, sizeof(bits));                                                                                                               \
	}                                                                                                                                                      \
	static ptowsp_status LOAD_##type(const struct isa_step *s, struct isa_state *state)                                                                    \
	{                                                                                                                                                      \
		const int64_t index = (int64_t)state->scalars[s->b.at];                                                                                        \
		const unsigned char *from = tile_window_element(window(state, &s->a), index, ISA_WIDTH_##type / 8);                                            \
                                                                                                                                                               \
		if (!from)                                                                                                                                     \
			return element_fail(s, state, &s->a, PTOWSP_READ, index);                                                                              \
		state->scalars[s->d.at] = scalar_read_##type(from, &s->d);                                                                                     \
		return PTOWSP_OK;                                                                                                                              \
	}                                                                                                                                                      \
	static ptowsp_status STORE_##type(const struct isa_step *s, struct isa_state *state)                                                                   \
	{                                                                                                                                                      \
		const int64_t index = (int64_t)state->scalars[s->b.at];                                                                                        \
		unsigned char *to = tile_window_element(window(state, &s->d), index, ISA_WIDTH_##type / 8);                                                    \
                                                                                                                                                               \
		if (!to)                                                                                                                                       \
			return element_fail(s, state, &s->d, PTOWSP_WRITE, index);                                                                             \
		scalar_write_##type(to, state->scalars[s->a.at]);                                                                                              \
		return PTOWSP_OK;                                                                                                                              \
	}                                                                                                                                                      \
	static ptowsp_status GETVAL_##type(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		const int64_t offset = (int64_t)state->scalars[s->b.at];                                                                                       \
		const unsigned char *tile = isa_tile(state, &s->a);                                                                                            \
                                                                                                                                                               \
		if (offset < 0 || (uint64_t)offset >= isa_count(&s->a))                                                                                        \
			return offset_fail(s, state, &s->a, offset);                                                                                           \
		state->scalars[s->d.at] = scalar_read_##type(tile + offset * (ISA_WIDTH_##type / 8), &s->d);                                                   \
		return PTOWSP_OK;                                                                                                                              \
	}                                                                                                                                                      \
	static ptowsp_status SETVAL_##type(const struct isa_step *s, struct isa_state *state)                                                                  \
	{                                                                                                                                                      \
		const int64_t offset = (int64_t)state->scalars[s->a.at];                                                                                       \
		unsigned char *tile = isa_tile(state, &s->d);                                                                                                  \
                                                                                                                                                               \
		if (offset < 0 || (uint64_t)offset >= isa_count(&s->d))                                                                                        \
			return offset_fail(s, state, &s->d, offset);                                                                                           \
		scalar_write_##type(tile + offset * (ISA_WIDTH_##type / 8), state->scalars[s->b.at]);                                                          \
		return PTOWSP_OK;                                                                                                                              \
	}
#define ELEMENTS_SIGNED(type, ...) ELEMENTS(type, (int64_t)(isa_s_##type)bits)
ISA_SIGNED(ELEMENTS_SIGNED, )
ISA_UNSIGNED(ELEMENTS, bits)
ISA_FLOATS(ELEMENTS, bits)
ISA_BOOLS(ELEMENTS, bits != 0)

/* The walk's side: what would be touched. */
static void touch(const struct isa_state *state, const struct isa_operand *memref, int64_t offset, uint64_t length, uint64_t width, unsigned access)
{
	if (state->touch)
		state->touch(state->context, memref->row, offset, length, width, access);
}

static ptowsp_status tload_walk(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t *x = state->scalars, count = isa_count(&s->d);

	touch(state, &s->a, tile_flat_start((int64_t)x[s->b.at], (int64_t)x[s->c.at], count), count, s->d.columns, PTOWSP_READ);
	return PTOWSP_OK;
}

static ptowsp_status tstore_walk(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t *x = state->scalars, count = isa_count(&s->a);

	touch(state, &s->d, tile_flat_start((int64_t)x[s->b.at], (int64_t)x[s->c.at], count), count, s->a.columns, PTOWSP_WRITE);
	return PTOWSP_OK;
}

static ptowsp_status tstore_fp_walk(const struct isa_step *s, struct isa_state *state)
{
	const uint64_t *x = state->scalars, count = isa_count(&s->a);

	touch(state, &s->d, tile_flat_start((int64_t)x[s->c.at], (int64_t)x[s->f.at], count), count, s->a.columns, PTOWSP_WRITE);
	return PTOWSP_OK;
}

static ptowsp_status mgather_walk(const struct isa_step *s, struct isa_state *state)
{
	touch(state, &s->a, 0, UINT64_MAX, 0, PTOWSP_READ);
	return PTOWSP_OK;
}

static ptowsp_status mscatter_walk(const struct isa_step *s, struct isa_state *state)
{
	touch(state, &s->d, 0, UINT64_MAX, 0, PTOWSP_WRITE);
	return PTOWSP_OK;
}

/* Contents of memory are not known; nothing that steers depends on them (flow.c). */
static ptowsp_status load_walk(const struct isa_step *s, struct isa_state *state)
{
	touch(state, &s->a, (int64_t)state->scalars[s->b.at], 1, 0, PTOWSP_READ);
	state->scalars[s->d.at] = 0;
	return PTOWSP_OK;
}

static ptowsp_status store_walk(const struct isa_step *s, struct isa_state *state)
{
	touch(state, &s->d, (int64_t)state->scalars[s->b.at], 1, 0, PTOWSP_WRITE);
	return PTOWSP_OK;
}

static ptowsp_status getval_walk(const struct isa_step *s, struct isa_state *state)
{
	state->scalars[s->d.at] = 0;
	return PTOWSP_OK;
}

#define ROW(NAME, function, on_walk) {.op = PTOWSP_PTO_##NAME, .run = {ISA_TYPES(ISA_ENTRY_OF, function)}, .walk = on_walk},
#define ROW_TYPED(NAME, on_walk)     {.op = PTOWSP_PTO_##NAME, .run = {ISA_TYPES(ISA_ENTRY, NAME)}, .walk = on_walk},
const struct isa_kernel isa_ops_memory[] = {
	ROW(TLOAD, tload, tload_walk)
		ROW(TSTORE, tstore, tstore_walk){.op = PTOWSP_PTO_TSTORE_FP, .run = {ISA_NUMBERS(ISA_ENTRY, TSTORE_FP)}, .walk = tstore_fp_walk},
	{.op = PTOWSP_PTO_MGATHER, .run = {ISA_ENTRIES_SIZED(mgather)}, .walk = mgather_walk},
	{.op = PTOWSP_PTO_MSCATTER, .run = {ISA_ENTRIES_SIZED(mscatter)}, .walk = mscatter_walk},
	ROW_TYPED(GETVAL, getval_walk) ROW_TYPED(SETVAL, NULL) ROW_TYPED(LOAD, load_walk) ROW_TYPED(STORE, store_walk){.op = 0},
};
