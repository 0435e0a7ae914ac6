/* SPDX-License-Identifier: MIT */
/* ops_special.c - counting up, sorting and merging. Sorting is descending and stable; a NaN comes after every number. */
#include "isa/ops.h"

enum { GROUP = 32 };

#define COUNT_UP(name, T, fetch, value)                                                                                        \
	static ptowsp_status name(const struct isa_step *s, struct isa_state *state)                                           \
	{                                                                                                                      \
		T *d = isa_tile(state, &s->d);                                                                                 \
		const T a = fetch(state, &s->a);                                                                               \
		const size_t count = isa_count(&s->d);                                                                         \
                                                                                                                               \
		for (size_t i = 0; i < count; i++)                                                                             \
			d[i] = (value);                                                                                        \
		return PTOWSP_OK;                                                                                              \
	}
COUNT_UP(tci_f32, float, isa_value_f32, a + (float)i)
COUNT_UP(tci_i32, int32_t, isa_value_i32, ISA_WRAP(a, +, i))

/* Whether x must stand before y. */
static bool before_f32(float x, float y)
{
	return x > y || (x == x && y != y);
}

static bool before_i32(int32_t x, int32_t y)
{
	return x > y;
}

/* One group by insertion: at most 32 elements, and stable. d or e may be the source: it is read first. */
#define SORT(T, suffix)                                                                                                        \
	static void group_##suffix(T *d, int32_t *e, const T *a, size_t first, size_t count)                                   \
	{                                                                                                                      \
		T value[GROUP];                                                                                                \
		int32_t index[GROUP];                                                                                          \
                                                                                                                               \
		for (size_t i = 0; i < count; i++) {                                                                           \
			const T v = a[first + i];                                                                              \
			size_t at = i;                                                                                         \
                                                                                                                               \
			for (; at > 0 && before_##suffix(v, value[at - 1]); at--) {                                            \
				value[at] = value[at - 1];                                                                     \
				index[at] = index[at - 1];                                                                     \
			}                                                                                                      \
			value[at] = v;                                                                                         \
			index[at] = (int32_t)(first + i);                                                                      \
		}                                                                                                              \
		memcpy(d + first, value, count * sizeof(*d));                                                                  \
		memcpy(e + first, index, count * sizeof(*e));                                                                  \
	}                                                                                                                      \
	static ptowsp_status tsort32_##suffix(const struct isa_step *s, struct isa_state *state)                               \
	{                                                                                                                      \
		const size_t count = isa_count(&s->a);                                                                         \
                                                                                                                               \
		for (size_t i = 0; i < count; i += GROUP)                                                                      \
			group_##suffix(isa_tile(state, &s->d), isa_tile(state, &s->e), isa_tile(state, &s->a), i,              \
				       count - i < GROUP ? count - i : GROUP);                                                 \
		return PTOWSP_OK;                                                                                              \
	}                                                                                                                      \
	/* The first elements of the merged order, as many as d holds; of equals those of a first. */                          \
	static ptowsp_status tmrgsort_##suffix(const struct isa_step *s, struct isa_state *state)                              \
	{                                                                                                                      \
		T *d = s->copy ? isa_temp(state) : isa_tile(state, &s->d);                                                     \
		const T *a = isa_tile(state, &s->a), *b = isa_tile(state, &s->b);                                              \
		const size_t a_count = isa_count(&s->a), b_count = isa_count(&s->b), count = isa_count(&s->d);                 \
		size_t i = 0, j = 0;                                                                                           \
                                                                                                                               \
		for (size_t k = 0; k < count; k++)                                                                             \
			d[k] = j == b_count || (i < a_count && !before_##suffix(b[j], a[i])) ? a[i++] : b[j++];                \
		if (s->copy)                                                                                                   \
			memcpy(isa_tile(state, &s->d), d, count * sizeof(*d));                                                 \
		return PTOWSP_OK;                                                                                              \
	}
SORT(float, f32)
SORT(int32_t, i32)

const struct isa_kernel isa_ops_special[] = {
	{.op = PTOWSP_PTO_TCI, .run = {tci_f32, tci_i32}},
	{.op = PTOWSP_PTO_TSORT32, .run = {tsort32_f32, tsort32_i32}},
	{.op = PTOWSP_PTO_TMRGSORT, .run = {tmrgsort_f32, tmrgsort_i32}},
	{.op = 0},
};
