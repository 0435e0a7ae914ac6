/* SPDX-License-Identifier: MIT */
/* data_number.c - numbers of sample data that are the same everywhere, and the 16-bit floats, written out. */
#include "data.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t bits_at(uint64_t index)
{
	uint64_t z = index * UINT64_C(0x9E3779B97F4A7C15) + UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	z ^= z >> 31;
	return (uint32_t)(z >> 40);
}

float data_sample(uint64_t index)
{
	return (float)((double)bits_at(index) / (1 << 23) - 1.0);
}

void data_fill(float *data, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++)
		data[i] = data_sample(seed << 32 | i);
}

void data_fill_coarse(float *data, size_t count, uint64_t seed, int steps)
{
	for (size_t i = 0; i < count; i++)
		data[i] = (float)(floor((double)data_sample(seed << 32 | i) * steps) / steps);
}

void data_product(double *c, const float *a, const float *b, size_t rows, size_t inner, size_t columns)
{
	for (size_t i = 0; i < rows; i++)
		for (size_t j = 0; j < columns; j++) {
			double sum = 0;

			for (size_t k = 0; k < inner; k++)
				sum += (double)a[i * inner + k] * b[k * columns + j];
			c[i * columns + j] = sum;
		}
}

uint32_t data_below(uint64_t index, uint32_t below)
{
	return (uint32_t)((uint64_t)bits_at(index) * below >> 24);
}

/* Through the exponent: a half has 11 significant bits and none smaller than 2^-24. */
uint16_t data_to_f16(float value)
{
	double size = fabs((double)value), steps;
	uint16_t sign = signbit(value) ? 0x8000 : 0;
	int exponent;

	if (isnan(value))
		return sign | 0x7E00;
	frexp(size, &exponent);
	exponent = exponent < -13 ? -13 : exponent;
	if (isinf(value))
		return sign | 0x7C00;
	steps = nearbyint(ldexp(size, 11 - exponent)); /* 1024 ... 2048, less below 2^-14 */
	if (steps == 2048) {
		steps = 1024;
		exponent++;
	}
	if (exponent > 16)
		return sign | 0x7C00;
	if (steps < 1024)
		return sign | (uint16_t)steps;
	return (uint16_t)(sign | (exponent + 14) << 10 | ((uint16_t)steps & 0x3FF));
}

float data_from_f16(uint16_t bits)
{
	int exponent = bits >> 10 & 31, fraction = bits & 0x3FF;
	double size = exponent == 31 ? (fraction ? NAN : INFINITY) : exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);

	return (float)(bits & 0x8000 ? -size : size);
}

uint16_t data_to_bf16(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if (isnan(value))
		return (uint16_t)(bits >> 16 | 0x40);
	return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

float data_from_bf16(uint16_t bits)
{
	uint32_t wide = (uint32_t)bits << 16;
	float value;

	memcpy(&value, &wide, sizeof(value));
	return value;
}

void data_save_f32(const char *name, const float *data, size_t rows, size_t columns)
{
	data_save(name, "<f4", data, rows, columns);
}

static void save_16(const char *name, const char *type, float *values, size_t rows, size_t columns, uint16_t to(float), float from(uint16_t))
{
	uint16_t *bits = malloc(rows * columns * sizeof(*bits));

	if (!bits)
		abort();
	for (size_t i = 0; i < rows * columns; i++) {
		bits[i] = to(values[i]);
		values[i] = from(bits[i]);
	}
	data_save(name, type, bits, rows, columns);
	free(bits);
}

void data_save_f16(const char *name, float *values, size_t rows, size_t columns)
{
	save_16(name, "<f2", values, rows, columns, data_to_f16, data_from_f16);
}

void data_save_bf16(const char *name, float *values, size_t rows, size_t columns)
{
	save_16(name, "<u2", values, rows, columns, data_to_bf16, data_from_bf16);
}

void data_save_rounded(const char *name, const double *data, size_t rows, size_t columns)
{
	size_t count = rows * columns;
	float *rounded = malloc(count * sizeof(*rounded));

	if (!rounded)
		abort();
	for (size_t i = 0; i < count; i++)
		rounded[i] = (float)data[i];
	data_save_f32(name, rounded, rows, columns);
	free(rounded);
}
