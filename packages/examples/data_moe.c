/* SPDX-License-Identifier: MIT */
/* data_moe.c - sample data of the mixture of experts: per token the best two of four, their shares, and the weighted sum. */
#include "data.h"

#include <math.h>

enum { TOKENS = 32, WIDTH = 16, INNER = 32, EXPERTS = 4 };

static float x[TOKENS][WIDTH], router[WIDTH][EXPERTS], up[EXPERTS][WIDTH][INNER], down[EXPERTS][INNER][WIDTH];

/* Probabilities by softmax, the best two kept and made to add up to 1. */
static void route(int t, double share[EXPERTS])
{
	double logit[EXPERTS], sum = 0;

	for (int e = 0; e < EXPERTS; e++) {
		logit[e] = 0;
		for (int c = 0; c < WIDTH; c++)
			logit[e] += (double)x[t][c] * router[c][e];
	}
	for (int e = 0; e < EXPERTS; e++) {
		int better = 0;

		for (int other = 0; other < EXPERTS; other++)
			better += logit[other] > logit[e];
		share[e] = better < 2 ? exp(logit[e]) : 0;
		sum += share[e];
	}
	for (int e = 0; e < EXPERTS; e++)
		share[e] /= sum;
}

static void expert(int e, int t, double share, double y[WIDTH])
{
	for (int i = 0; i < INNER; i++) {
		double inner = 0;

		for (int c = 0; c < WIDTH; c++)
			inner += (double)x[t][c] * up[e][c][i];
		inner /= 1 + exp(-inner);
		for (int c = 0; c < WIDTH; c++)
			y[c] += share * inner * down[e][i][c];
	}
}

void data_moe(void)
{
	static double share[TOKENS][EXPERTS], y[TOKENS][WIDTH];
	int32_t counts[EXPERTS] = {0};

	data_fill(x[0], TOKENS * WIDTH, 40);
	data_fill(router[0], WIDTH * EXPERTS, 41);
	data_fill(up[0][0], EXPERTS * WIDTH * INNER, 42);
	data_fill(down[0][0], EXPERTS * INNER * WIDTH, 43);
	for (int i = 0; i < EXPERTS * INNER; i++)
		for (int c = 0; c < WIDTH; c++)
			down[i / INNER][i % INNER][c] *= 0.25f;
	for (int t = 0; t < TOKENS; t++) {
		route(t, share[t]);
		for (int e = 0; e < EXPERTS; e++)
			if (share[t][e] > 0) {
				counts[e]++;
				expert(e, t, share[t][e], y[t]);
			}
	}
	data_save_f32("moe_x", x[0], TOKENS, WIDTH);
	data_save_f32("moe_router", router[0], WIDTH, EXPERTS);
	data_save_shape("moe_up", "<f4", up, "4, 16, 32", EXPERTS * WIDTH * INNER);
	data_save_shape("moe_down", "<f4", down, "4, 32, 16", EXPERTS * INNER * WIDTH);
	data_save_rounded("moe_share", share[0], TOKENS, EXPERTS);
	data_save("moe_counts", "<i4", counts, 1, EXPERTS);
	data_save_rounded("moe_y", y[0], TOKENS, WIDTH);
}
