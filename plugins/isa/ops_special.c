/* SPDX-License-Identifier: MIT */
/* ops_special.c - counting up, sorting and merging. Sorting is descending and stable; a NaN comes after every number. */
#include "isa/isa_ops.h"

enum { GROUP = 32 };

#define COUNT_UP(type, ...)                                                                                                                                    \
	static ptowsp_status TCI_##type(const struct isa_step *s, struct isa_state *state)                                                                     \
	{                                                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                                                           \
		S *d = isa_tile(state, &s->d);                                                                                                                 \
		const W a = (W)ISA_SCALAR(type, state, &s->a);                                                                                                 \
		const size_t count = isa_count(&s->d);                                                                                                         \
                                                                                                                                                               \
		for (size_t i = 0; i < count; i++)                                                                                                             \
			d[i] = isa_put_##type(a + (W)i);                                                                                                       \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_NUMBERS(COUNT_UP, )

/* Whether the first must stand before the second. */
#define BEFORE(type, rule)                                                                                                                                     \
	static inline bool before_##type(isa_s_##type first, isa_s_##type second)                                                                              \
	{                                                                                                                                                      \
		const isa_c_##type x = isa_get_##type(first), y = isa_get_##type(second);                                                                      \
                                                                                                                                                               \
		return rule;                                                                                                                                   \
	}
ISA_FLOATS(BEFORE, x > y || (x == x && y != y))
ISA_INTEGERS(BEFORE, x > y)

/* One group by insertion: at most 32 elements, and stable. d or e may be the source: it is read first. */
#define SORT(type, ...)                                                                                                                                        \
	static void group_##type(isa_s_##type *d, int32_t *e, const isa_s_##type *a, size_t first, size_t count)                                               \
	{                                                                                                                                                      \
		isa_s_##type value[GROUP];                                                                                                                     \
		int32_t index[GROUP];                                                                                                                          \
                                                                                                                                                               \
		for (size_t i = 0; i < count; i++) {                                                                                                           \
			const isa_s_##type v = a[first + i];                                                                                                   \
			size_t at = i;                                                                                                                         \
                                                                                                                                                               \
			for (; at > 0 && before_##type(v, value[at - 1]); at--) {                                                                              \
				value[at] = value[at - 1];                                                                                                     \
				index[at] = index[at - 1];                                                                                                     \
			}                                                                                                                                      \
			value[at] = v;                                                                                                                         \
			index[at] = (int32_t)(first + i);                                                                                                      \
		}                                                                                                                                              \
		memcpy(d + first, value, count * sizeof(*d));                                                                                                  \
		memcpy(e + first, index, count * sizeof(*e));                                                                                                  \
	}                                                                                                                                                      \
	static ptowsp_status TSORT32_##type(const struct isa_step *s, struct isa_state *state)                                                                 \
	{                                                                                                                                                      \
		const size_t count = isa_count(&s->a);                                                                                                         \
                                                                                                                                                               \
		for (size_t i = 0; i < count; i += GROUP)                                                                                                      \
			group_##type(isa_tile(state, &s->d), isa_tile(state, &s->e), isa_tile(state, &s->a), i, count - i < GROUP ? count - i : GROUP);        \
		return PTOWSP_OK;                                                                                                                              \
	}                                                                                                                                                      \
	/* The first elements of the merged order, as many as d holds; of equals those of a first. */                                                          \
	static ptowsp_status TMRGSORT_##type(const struct isa_step *s, struct isa_state *state)                                                                \
	{                                                                                                                                                      \
		isa_s_##type *d = s->copy ? isa_temp(state) : isa_tile(state, &s->d);                                                                          \
		const isa_s_##type *a = isa_tile(state, &s->a), *b = isa_tile(state, &s->b);                                                                   \
		const size_t a_count = isa_count(&s->a), b_count = isa_count(&s->b), count = isa_count(&s->d);                                                 \
		size_t i = 0, j = 0;                                                                                                                           \
                                                                                                                                                               \
		for (size_t k = 0; k < count; k++)                                                                                                             \
			d[k] = j == b_count || (i < a_count && !before_##type(b[j], a[i])) ? a[i++] : b[j++];                                                  \
		if (s->copy)                                                                                                                                   \
			memcpy(isa_tile(state, &s->d), d, count * sizeof(*d));                                                                                 \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_NUMBERS(SORT, )

const struct isa_kernel isa_ops_special[] = {
	ISA_ROW(TCI) ISA_ROW(TSORT32) ISA_ROW(TMRGSORT){.op = 0},
};
