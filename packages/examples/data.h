/* SPDX-License-Identifier: MIT */
/* data.h - what the sample data of the examples are made with. Each example's file (data_*.c) computes what it expects by
 * plain loops in double that know nothing of tiles or tasks; data.def lists them. Nothing here is shared with the packer or
 * a backend: an error in those cannot hide in these numbers. */
#ifndef PACKAGES_EXAMPLES_DATA_H
#define PACKAGES_EXAMPLES_DATA_H

#include <stddef.h>
#include <stdint.h>

/* A number in [-1, 1) with 24 bits that is the same on every machine: splitmix64 of the index. */
float data_sample(uint64_t index);

/* count samples; another seed, other numbers. */
void data_fill(float *data, size_t count, uint64_t seed);

/* The same in multiples of 1/steps (a power of two up to 256), which a package stores in few bytes. */
void data_fill_coarse(float *data, size_t count, uint64_t seed, int steps);

/* c (rows x columns) = a (rows x inner) times b (inner x columns), summed in double. */
void data_product(double *c, const float *a, const float *b, size_t rows, size_t inner, size_t columns);

/* An integer in [0, below), as repeatable; below is at most 2^24. */
uint32_t data_below(uint64_t index, uint32_t below);

/* Nearest value of a 16-bit float, ties to even, as its bits and as a float. */
uint16_t data_to_f16(float value);
float data_from_f16(uint16_t bits);
uint16_t data_to_bf16(float value);
float data_from_bf16(uint16_t bits);

/* Write FOLDER/name.npy, rows x columns in C order; rows 0: a list of columns numbers. type is NumPy's ("<f4", "<f2", "<i4", "|i1"; bf16 is "<u2", its bits),
 * data lies as it does in the file. The program ends with a message where that fails. */
void data_save(const char *name, const char *type, const void *data, size_t rows, size_t columns);

/* The same of count elements in a shape as Python writes it: "4, 16, 32". */
void data_save_shape(const char *name, const char *type, const void *data, const char *shape, size_t count);

/* data_save for f32. */
void data_save_f32(const char *name, const float *data, size_t rows, size_t columns);

/* data_save for 16-bit floats; back in the values, what they became. */
void data_save_f16(const char *name, float *values, size_t rows, size_t columns);
void data_save_bf16(const char *name, float *values, size_t rows, size_t columns);

/* Doubles, rounded once to f32. */
void data_save_rounded(const char *name, const double *data, size_t rows, size_t columns);

#define X(name) void data_##name(void);
#include "data.def"
#undef X

#endif
