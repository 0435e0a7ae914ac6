/* SPDX-License-Identifier: MIT */
/* data_attention.c - sample data of the attention examples: a query's scores against all its keys at once, their softmax, the
 * values weighted with it; nothing is taken in blocks. */
#include "data.h"

#include <math.h>
#include <stdlib.h>

/* out (width numbers) = softmax(query keys^T scale) values; row i of keys and values is number rows[i]. */
static void attend(double *out, const float *query, const float *keys, const float *values, const int *rows, int count, int width, double scale)
{
	double *weight = malloc((size_t)count * sizeof(*weight)), largest = -INFINITY, sum = 0;

	if (!weight)
		abort();
	for (int i = 0; i < count; i++) {
		double score = 0;

		for (int c = 0; c < width; c++)
			score += (double)query[c] * keys[rows[i] * width + c];
		weight[i] = score * scale;
		largest = weight[i] > largest ? weight[i] : largest;
	}
	for (int c = 0; c < width; c++)
		out[c] = 0;
	for (int i = 0; i < count; i++) {
		weight[i] = exp(weight[i] - largest);
		sum += weight[i];
		for (int c = 0; c < width; c++)
			out[c] += weight[i] * values[rows[i] * width + c];
	}
	for (int c = 0; c < width; c++)
		out[c] /= sum;
	free(weight);
}

enum { WIDTH = 128, ROWS_MAX = 4096 };

/* Queries of rows behind the first 256 repeat theirs, and so do results. Scores are large enough for some keys
 * to count more than others. */
static void save_flash(const char *q, const char *k, const char *v, const char *o, int rows, int steps, uint64_t seed)
{
	const int different = rows < 256 ? rows : 256;
	static float query[ROWS_MAX * WIDTH], key[ROWS_MAX * WIDTH], value[ROWS_MAX * WIDTH];
	static double out[ROWS_MAX * WIDTH];
	static int order[ROWS_MAX];

	data_fill_coarse(key, (size_t)rows * WIDTH, seed, steps);
	data_fill_coarse(value, (size_t)rows * WIDTH, seed + 1, steps);
	data_fill_coarse(query, (size_t)different * WIDTH, seed + 2, steps);
	for (int i = 0; i < rows; i++)
		order[i] = i;
	for (int i = 0; i < different * WIDTH; i++)
		query[i] *= 4;
	for (int i = 0; i < different; i++)
		attend(out + i * WIDTH, query + i * WIDTH, key, value, order, rows, WIDTH, 1 / sqrt(WIDTH));
	for (int i = different * WIDTH; i < rows * WIDTH; i++) {
		query[i] = query[i - different * WIDTH];
		out[i] = out[i - different * WIDTH];
	}
	data_save_f32(q, query, (size_t)rows, WIDTH);
	data_save_f32(k, key, (size_t)rows, WIDTH);
	data_save_f32(v, value, (size_t)rows, WIDTH);
	data_save_rounded(o, out, (size_t)rows, WIDTH);
}

void data_flash_attention(void)
{
	save_flash("flash_attention_q", "flash_attention_k", "flash_attention_v", "flash_attention_o", 192, 2, 30);
}

void data_flash_attention_4k(void)
{
	save_flash("flash_attention_4k_q", "flash_attention_4k_k", "flash_attention_4k_v", "flash_attention_4k_o", ROWS_MAX, 1, 33);
}

void data_attention_pipeline(void)
{
	enum { ROWS = 64, D = 32 };
	static float q[ROWS * D], k[ROWS * D], v[ROWS * D];
	static double o[ROWS * D];
	int order[ROWS];

	data_fill(q, ROWS * D, 36);
	data_fill(k, ROWS * D, 37);
	data_fill(v, ROWS * D, 38);
	for (int i = 0; i < ROWS; i++)
		order[i] = i;
	for (int i = 0; i < ROWS * D; i++)
		q[i] *= 4;
	for (int i = 0; i < ROWS; i++)
		attend(o + i * D, q + i * D, k, v, order, ROWS, D, 1 / sqrt(D));
	data_save_f32("attention_pipeline_q", q, ROWS, D);
	data_save_f32("attention_pipeline_k", k, ROWS, D);
	data_save_f32("attention_pipeline_v", v, ROWS, D);
	data_save_rounded("attention_pipeline_o", o, ROWS, D);
}

void data_paged_attention(void)
{
	enum { SEQUENCES = 4, HEADS = 16, D = 16, PAGE = 16, PAGES = 20, BLOCKS = 8 };
	static const int32_t lengths[SEQUENCES] = {33, 64, 128, 15};
	static float q[SEQUENCES * HEADS * D], keys[PAGES * PAGE * D], values[PAGES * PAGE * D];
	static double out[SEQUENCES * HEADS * D];
	int32_t pages[SEQUENCES][BLOCKS] = {{0}}, counts[SEQUENCES], next = 0;
	int rows[BLOCKS * PAGE];

	data_fill(q, sizeof(q) / sizeof(*q), 40);
	data_fill(keys, sizeof(keys) / sizeof(*keys), 41);
	data_fill(values, sizeof(values) / sizeof(*values), 42);
	for (size_t i = 0; i < sizeof(q) / sizeof(*q); i++)
		q[i] *= 4;
	data_save_bf16("paged_attention_q", q, SEQUENCES * HEADS, D);
	data_save_bf16("paged_attention_keys", keys, PAGES * PAGE, D);
	data_save_bf16("paged_attention_values", values, PAGES * PAGE, D);
	for (int b = 0; b < SEQUENCES; b++) {
		counts[b] = (lengths[b] + PAGE - 1) / PAGE;
		for (int j = 0; j < counts[b]; j++)
			pages[b][j] = next++ * 7 % PAGES; /* every page at most once, in no order */
		for (int i = 0; i < lengths[b]; i++)
			rows[i] = pages[b][i / PAGE] * PAGE + i % PAGE;
		for (int h = b * HEADS; h < (b + 1) * HEADS; h++)
			attend(out + h * D, q + h * D, keys, values, rows, lengths[b], D, 1 / sqrt(D));
	}
	data_save("paged_attention_lengths", "<i4", lengths, 0, SEQUENCES);
	data_save("paged_attention_block_counts", "<i4", counts, 0, SEQUENCES);
	data_save("paged_attention_pages", "<i4", pages, SEQUENCES, BLOCKS);
	data_save_rounded("paged_attention_out", out, SEQUENCES * HEADS, D);
}
