/* SPDX-License-Identifier: MIT */
/* data_indexer.c - sample data of sparse attention with an indexer: scores of all keys, the best eight, attention to those. */
#include "data.h"

#include <math.h>

enum { TOKENS = 32, WIDTH = 64, HEADS = 4, LATENT = 32, INDEX = 16, BEST = 8 };

static float x[TOKENS][WIDTH];
static float wq[WIDTH * HEADS * LATENT], wkv[WIDTH * LATENT], wiq[WIDTH * HEADS * INDEX], wik[WIDTH * INDEX], ww[WIDTH * HEADS];
static double q[TOKENS][HEADS][LATENT], kv[TOKENS][LATENT], iq[TOKENS][HEADS][INDEX], ik[TOKENS][INDEX], iw[TOKENS][HEADS];

/* Weights, and x times them. */
static void project(const char *name, float *w, double *to, int columns, uint64_t seed)
{
	data_fill(w, (size_t)(WIDTH * columns), seed);
	for (int i = 0; i < WIDTH * columns; i++)
		w[i] *= 0.25f;
	data_save_f32(name, w, WIDTH, (size_t)columns);
	for (int t = 0; t < TOKENS; t++)
		for (int c = 0; c < columns; c++)
			for (int k = 0; k < WIDTH; k++)
				to[t * columns + c] += (double)x[t][k] * w[k * columns + c];
}

static double score(int t, int s)
{
	double sum = 0;

	for (int h = 0; h < HEADS; h++) {
		double product = 0;

		for (int c = 0; c < INDEX; c++)
			product += iq[t][h][c] * ik[s][c];
		sum += product > 0 ? iw[t][h] * product : 0;
	}
	return s <= t ? sum : -INFINITY;
}

/* The places of the best keys of a query in falling order of their scores; of equal ones the first. Returns how many are real. */
static int choose(int t, int32_t chosen[BEST])
{
	int taken[TOKENS] = {0};

	for (int n = 0; n < BEST; n++) {
		int best = -1;

		for (int s = 0; s < TOKENS; s++)
			if (!taken[s] && (best < 0 || score(t, s) > score(t, best)))
				best = s;
		taken[best] = 1;
		chosen[n] = best;
	}
	return t + 1 < BEST ? t + 1 : BEST;
}

static void attend(int t, const int32_t *chosen, int count, double y[HEADS][LATENT])
{
	for (int h = 0; h < HEADS; h++) {
		double weight[BEST], sum = 0;

		for (int n = 0; n < count; n++) {
			weight[n] = 0;
			for (int c = 0; c < LATENT; c++)
				weight[n] += q[t][h][c] * kv[chosen[n]][c];
			sum += weight[n] = exp(weight[n] / sqrt(LATENT));
		}
		for (int c = 0; c < LATENT; c++)
			for (int n = 0; n < count; n++)
				y[h][c] += weight[n] / sum * kv[chosen[n]][c];
	}
}

void data_indexer(void)
{
	static double y[TOKENS][HEADS][LATENT];
	static float rounded[TOKENS][HEADS][LATENT];
	static int32_t chosen[TOKENS][BEST];

	data_fill(x[0], TOKENS * WIDTH, 80);
	data_save_f32("indexer_x", x[0], TOKENS, WIDTH);
	project("indexer_wq", wq, q[0][0], HEADS * LATENT, 81);
	project("indexer_wkv", wkv, kv[0], LATENT, 82);
	project("indexer_wiq", wiq, iq[0][0], HEADS * INDEX, 83);
	project("indexer_wik", wik, ik[0], INDEX, 84);
	project("indexer_ww", ww, iw[0], HEADS, 85);
	for (int t = 0; t < TOKENS; t++) {
		attend(t, chosen[t], choose(t, chosen[t]), y[t]);
		for (int h = 0; h < HEADS; h++)
			for (int c = 0; c < LATENT; c++)
				rounded[t][h][c] = (float)y[t][h][c];
	}
	data_save_shape("indexer_y", "<f4", rounded, "32, 4, 32", TOKENS * HEADS * LATENT);
	data_save("indexer_chosen", "<i4", chosen, TOKENS, BEST);
}
