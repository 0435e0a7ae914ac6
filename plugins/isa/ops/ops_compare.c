/* SPDX-License-Identifier: MIT */
/* ops_compare.c - comparison to a mask of 1 and 0 in the mask's own type, and selection. */
#include "isa/ops/isa_ops.h"

enum { PART = 256 }; /* elements whose flags are made at once where mask and elements differ in size */

/* Flags of one byte to a mask of another size. */
static void flags_spread(void *to, const uint8_t *flags, size_t count, unsigned bytes, uint64_t one)
{
#define SPREAD(size, ...)                                                                                                                                      \
	case size:                                                                                                                                             \
		for (size_t i = 0; i < count; i++)                                                                                                             \
			((isa_bits_##size *)to)[i] = flags[i] ? (isa_bits_##size)one : 0;                                                                      \
		break;
	switch (bytes) {
		ISA_SIZES(SPREAD, )
	}
#undef SPREAD
}

/* One loop per mode: the mode is decided once per tile. With a NaN only NE holds. */
#define COMPARE_MODE(type, code, sign, b_value)                                                                                                                \
	case PTOWSP_COMPARE_##code:                                                                                                                            \
		ISA_VECTOR for (size_t i = 0; i < count; i++)                                                                                                  \
		{                                                                                                                                              \
			const C a = isa_get_##type(x[i]), b = (b_value);                                                                                       \
                                                                                                                                                               \
			d[i] = a sign b ? one : 0;                                                                                                             \
		}                                                                                                                                              \
		break;
#define COMPARE_MODES(type, b_value)                                                                                                                           \
	switch (mode) {                                                                                                                                        \
		COMPARE_MODE(type, EQ, ==, b_value)                                                                                                            \
		COMPARE_MODE(type, NE, !=, b_value)                                                                                                            \
		COMPARE_MODE(type, LT, <, b_value)                                                                                                             \
		COMPARE_MODE(type, LE, <=, b_value)                                                                                                            \
		COMPARE_MODE(type, GT, >, b_value)                                                                                                             \
		COMPARE_MODE(type, GE, >=, b_value)                                                                                                            \
	}
/* A mask of the elements' own size is written at once; any other from flags, part by part. y NULL: with the scalar. */
#define COMPARE(type, ...)                                                                                                                                     \
	static void compare_##type(unsigned mode, isa_u_##type *d, isa_u_##type one, const isa_s_##type *x, const isa_s_##type *y, isa_c_##type value,         \
				   size_t count)                                                                                                               \
	{                                                                                                                                                      \
		ISA_LOOP_TYPES(type)                                                                                                                           \
                                                                                                                                                               \
		if (y)                                                                                                                                         \
			COMPARE_MODES(type, isa_get_##type(y[i]))                                                                                              \
		else                                                                                                                                           \
			COMPARE_MODES(type, value)                                                                                                             \
	}                                                                                                                                                      \
	static void compare_parts_##type(unsigned mode, const struct isa_operand *mask, unsigned char *d, const isa_s_##type *x, const isa_s_##type *y,        \
					 isa_c_##type value, size_t count)                                                                                     \
	{                                                                                                                                                      \
		const uint64_t one = isa_element(mask->dtype)->one;                                                                                            \
		isa_u_##type wide[PART];                                                                                                                       \
		uint8_t flags[PART];                                                                                                                           \
                                                                                                                                                               \
		for (size_t i = 0; i < count; i += PART) {                                                                                                     \
			const size_t n = count - i < PART ? count - i : PART;                                                                                  \
                                                                                                                                                               \
			compare_##type(mode, wide, 1, x + i, y ? y + i : NULL, value, n);                                                                      \
			for (size_t k = 0; k < n; k++)                                                                                                         \
				flags[k] = (uint8_t)wide[k];                                                                                                   \
			flags_spread(d + i * mask->bytes, flags, n, mask->bytes, one);                                                                         \
		}                                                                                                                                              \
	}                                                                                                                                                      \
	static void compare_all_##type(const struct isa_step *s, struct isa_state *state, const isa_s_##type *y, isa_c_##type value)                           \
	{                                                                                                                                                      \
		const isa_s_##type *x = isa_tile(state, &s->a);                                                                                                \
		void *d = isa_tile(state, &s->d);                                                                                                              \
                                                                                                                                                               \
		if (s->d.bytes == sizeof(*x))                                                                                                                  \
			compare_##type(s->mode, d, (isa_u_##type)isa_element(s->d.dtype)->one, x, y, value, isa_count(&s->d));                                 \
		else                                                                                                                                           \
			compare_parts_##type(s->mode, &s->d, d, x, y, value, isa_count(&s->d));                                                                \
	}                                                                                                                                                      \
	static ptowsp_status TCMP_##type(const struct isa_step *s, struct isa_state *state)                                                                    \
	{                                                                                                                                                      \
		compare_all_##type(s, state, isa_tile(state, &s->b), 0);                                                                                       \
		return PTOWSP_OK;                                                                                                                              \
	}                                                                                                                                                      \
	static ptowsp_status TCMPS_##type(const struct isa_step *s, struct isa_state *state)                                                                   \
	{                                                                                                                                                      \
		compare_all_##type(s, state, NULL, ISA_SCALAR(type, state, &s->b));                                                                            \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_TYPES(COMPARE, )

/* Both zeros of a float are 0: its sign does not count. */
#define SELECT_LOOP(size, mask_size, test)                                                                                                                     \
	do {                                                                                                                                                   \
		const isa_bits_##mask_size *mask = isa_tile(state, &s->a);                                                                                     \
                                                                                                                                                               \
		ISA_VECTOR for (size_t i = 0; i < count; i++)                                                                                                  \
		{                                                                                                                                              \
			const isa_bits_##size b = x[i], c = y[i];                                                                                              \
			const isa_bits_##mask_size m = mask[i];                                                                                                \
                                                                                                                                                               \
			d[i] = (isa_bits_##mask_size)(test) != 0 ? b : c;                                                                                      \
		}                                                                                                                                              \
	} while (0)
#define SELECT_MASKS(mask_size, size)                                                                                                                          \
	case mask_size:                                                                                                                                        \
		if (isa_element(s->a.dtype)->class == 'f')                                                                                                     \
			SELECT_LOOP(size, mask_size, m + m);                                                                                                   \
		else                                                                                                                                           \
			SELECT_LOOP(size, mask_size, m);                                                                                                       \
		break;
#define SELECT(size, ...)                                                                                                                                      \
	static ptowsp_status tsel_##size(const struct isa_step *s, struct isa_state *state)                                                                    \
	{                                                                                                                                                      \
		isa_bits_##size *d = isa_tile(state, &s->d);                                                                                                   \
		const isa_bits_##size *x = isa_tile(state, &s->b), *y = isa_tile(state, &s->c);                                                                \
		const size_t count = isa_count(&s->d);                                                                                                         \
                                                                                                                                                               \
		switch (s->a.bytes) {                                                                                                                          \
			SELECT_MASKS(1, size)                                                                                                                  \
			SELECT_MASKS(2, size)                                                                                                                  \
			SELECT_MASKS(4, size)                                                                                                                  \
			SELECT_MASKS(8, size)                                                                                                                  \
		}                                                                                                                                              \
		return PTOWSP_OK;                                                                                                                              \
	}
ISA_SIZES(SELECT, )

/* The whole tile at once. */
static ptowsp_status tsels(const struct isa_step *s, struct isa_state *state)
{
	const bool first = isa_scalar_true(state->scalars[s->c.at], s->c.dtype);

	memmove(isa_tile(state, &s->d), isa_tile(state, first ? &s->a : &s->b), isa_bytes(&s->d));
	return PTOWSP_OK;
}

const struct isa_kernel isa_ops_compare[] = {
	{.op = PTOWSP_PTO_TCMP, .run = {ISA_TYPES(ISA_ENTRY, TCMP)}},
	{.op = PTOWSP_PTO_TCMPS, .run = {ISA_TYPES(ISA_ENTRY, TCMPS)}},
	ISA_ROW_SIZED(TSEL, tsel) ISA_ROW_OF(TSELS, tsels){.op = 0},
};
