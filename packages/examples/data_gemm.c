/* SPDX-License-Identifier: MIT */
/* data_gemm.c - sample data of the products for 1, 16 and 32 cores. Factors are whole numbers, over 32 in bf16 and over 64 in f32, so small that
 * every sum is exact in its type: what the run gives has to be this to the bit. */
#include "data.h"

#include <stdio.h>

enum { BLOCK = 16, DEPTH = 64, MOST = 128 * 128 };

/* Whole numbers up to limit of either sign. */
static void factor_make(int32_t *to, size_t count, uint64_t seed, int limit)
{
	for (size_t i = 0; i < count; i++)
		to[i] = (int32_t)data_below(seed << 32 | i, 2 * (uint32_t)limit + 1) - limit;
}

static void save(const char *example, char tensor, const char *type_name, const char *type, const void *data, size_t rows, size_t columns)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%c_%s", example, tensor, type_name);
	data_save(name, type, data, rows, columns);
}

static void factor_save(const char *example, char tensor, const char *type_name, const int32_t *from, size_t rows, size_t columns)
{
	static int8_t i8[MOST];
	static int16_t i16[MOST];
	static uint16_t bf16[MOST];
	static float f32[MOST];

	for (size_t i = 0; i < rows * columns; i++) {
		i8[i] = (int8_t)from[i];
		i16[i] = (int16_t)from[i];
		bf16[i] = data_to_bf16((float)from[i] / 32);
		f32[i] = (float)from[i] / 64;
	}
	if (type_name[0] == 'i')
		save(example, tensor, type_name, type_name[1] == '8' ? "|i1" : "<i2", type_name[1] == '8' ? (void *)i8 : (void *)i16, rows, columns);
	else
		save(example, tensor, type_name, type_name[0] == 'b' ? "<u2" : "<f4", type_name[0] == 'b' ? (void *)bf16 : (void *)f32, rows, columns);
}

/* Whole sums as they are, those of fractions over the square of what the factors were divided by. */
static void product_save(const char *example, const char *type_name, const int32_t *a, const int32_t *b, size_t rows, size_t columns, double over)
{
	static int32_t whole[MOST];
	static float real[MOST];

	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < columns; j++) {
			int64_t sum = 0;

			for (size_t k = 0; k < DEPTH; k++)
				sum += (int64_t)a[i * DEPTH + k] * b[k * columns + j];
			whole[i * columns + j] = (int32_t)sum;
			real[i * columns + j] = (float)((double)sum / over);
		}
	save(example, 'c', type_name, type_name[0] == 'i' ? "<i4" : "<f4", type_name[0] == 'i' ? (void *)whole : (void *)real, rows, columns);
}

static void gemm_make(const char *example, size_t down, size_t across)
{
	static const struct {
		const char *name;
		int limit;
		double over;
	} types[] = {{"i8", 127, 1}, {"i16", 5000, 1}, {"bf16", 127, 32 * 32}, {"f32", 255, 64 * 64}};
	static int32_t a[MOST], b[MOST];
	size_t rows = down * BLOCK, columns = across * BLOCK;

	for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
		factor_make(a, rows * DEPTH, 60 + t, types[t].limit);
		factor_make(b, DEPTH * columns, 70 + t, types[t].limit);
		factor_save(example, 'a', types[t].name, a, rows, DEPTH);
		factor_save(example, 'b', types[t].name, b, DEPTH, columns);
		product_save(example, types[t].name, a, b, rows, columns, types[t].over);
	}
}

void data_gemm_1(void)
{
	gemm_make("gemm_1", 1, 1);
}

void data_gemm_16(void)
{
	gemm_make("gemm_16", 4, 4);
}

void data_gemm_32(void)
{
	gemm_make("gemm_32", 4, 8);
}
