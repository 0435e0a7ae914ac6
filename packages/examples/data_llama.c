/* SPDX-License-Identifier: MIT */
/* data_llama.c - sample data of the LLaMA examples, in double: a decoder layer from the formulas of the model, the layer of the task graph
 * with 128 tokens, and the simplified layer of 8192. */
#include "data.h"

#include <math.h>
#include <stdio.h>

enum { TOKENS = 48, HEADS = 2, HEAD = 32, WIDTH = HEADS * HEAD, INNER = 96 };

static float x[TOKENS][WIDTH], norm_1[WIDTH], norm_2[WIDTH], angle_cos[TOKENS][HEAD / 2], angle_sin[TOKENS][HEAD / 2], mask[16][16];
static float wq[WIDTH * WIDTH], wk[WIDTH * WIDTH], wv[WIDTH * WIDTH], wo[WIDTH * WIDTH], gate[WIDTH * INNER], up[WIDTH * INNER], down[INNER * WIDTH];

/* Weights of about 1 / sqrt(rows), as bf16 in the file and as those values here. */
static void weights_make(const char *name, float *w, int rows, int columns, uint64_t seed)
{
	data_fill(w, (size_t)(rows * columns), seed);
	for (int i = 0; i < rows * columns; i++)
		w[i] *= (float)sqrt(3.0 / rows);
	data_save_bf16(name, w, (size_t)rows, (size_t)columns);
}

/* to[rows][columns] = from[rows][depth] x w[depth][columns] */
static void multiply(const double *from, const float *w, double *to, int rows, int depth, int columns)
{
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++) {
			double sum = 0;

			for (int k = 0; k < depth; k++)
				sum += from[i * depth + k] * w[k * columns + j];
			to[i * columns + j] = sum;
		}
}

static void normalise(const double *from, const float *weight, double *to, int rows, int columns)
{
	for (int i = 0; i < rows; i++) {
		double squares = 0;

		for (int c = 0; c < columns; c++)
			squares += from[i * columns + c] * from[i * columns + c];
		for (int c = 0; c < columns; c++)
			to[i * columns + c] = from[i * columns + c] / sqrt(squares / columns + 1e-5) * weight[c];
	}
}

/* Column c of a head and column c + HEAD / 2 are turned by token / 10000^(2 c / HEAD). */
static void rotate(double a[TOKENS][WIDTH])
{
	for (int t = 0; t < TOKENS; t++)
		for (int h = 0; h < HEADS; h++)
			for (int c = 0; c < HEAD / 2; c++) {
				double *one = &a[t][h * HEAD + c], *other = one + HEAD / 2, was = *one;

				*one = was * angle_cos[t][c] - *other * angle_sin[t][c];
				*other = *other * angle_cos[t][c] + was * angle_sin[t][c];
			}
}

static void attend(double q[TOKENS][WIDTH], double k[TOKENS][WIDTH], double v[TOKENS][WIDTH], double out[TOKENS][WIDTH])
{
	for (int t = 0; t < TOKENS; t++)
		for (int at = 0; at < WIDTH; at += HEAD) {
			double weight[TOKENS], sum = 0, largest = -INFINITY;

			for (int s = 0; s <= t; s++) {
				weight[s] = 0;
				for (int c = 0; c < HEAD; c++)
					weight[s] += q[t][at + c] * k[s][at + c];
				weight[s] /= sqrt(HEAD);
				largest = fmax(largest, weight[s]);
			}
			for (int s = 0; s <= t; s++)
				sum += weight[s] = exp(weight[s] - largest);
			for (int c = 0; c < HEAD; c++) {
				out[t][at + c] = 0;
				for (int s = 0; s <= t; s++)
					out[t][at + c] += weight[s] / sum * v[s][at + c];
			}
		}
}

static void inputs_make(void)
{
	data_fill(x[0], TOKENS * WIDTH, 20);
	data_fill(norm_1, WIDTH, 21);
	data_fill(norm_2, WIDTH, 22);
	for (int c = 0; c < WIDTH; c++) {
		norm_1[c] = 1 + norm_1[c] / 4;
		norm_2[c] = 1 + norm_2[c] / 4;
	}
	for (int t = 0; t < TOKENS; t++)
		for (int c = 0; c < HEAD / 2; c++) {
			angle_cos[t][c] = (float)cos(t * pow(10000, -2.0 * c / HEAD));
			angle_sin[t][c] = (float)sin(t * pow(10000, -2.0 * c / HEAD));
		}
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++)
			mask[i][j] = j > i ? -INFINITY : 0;
	data_save_f32("llama_x", x[0], TOKENS, WIDTH);
	data_save_f32("llama_norm_1", norm_1, 1, WIDTH);
	data_save_f32("llama_norm_2", norm_2, 1, WIDTH);
	data_save_f32("llama_cos", angle_cos[0], TOKENS, HEAD / 2);
	data_save_f32("llama_sin", angle_sin[0], TOKENS, HEAD / 2);
	data_save_f32("llama_mask", mask[0], 16, 16);
	weights_make("llama_wq", wq, WIDTH, WIDTH, 23);
	weights_make("llama_wk", wk, WIDTH, WIDTH, 24);
	weights_make("llama_wv", wv, WIDTH, WIDTH, 25);
	weights_make("llama_wo", wo, WIDTH, WIDTH, 26);
	weights_make("llama_w_gate", gate, WIDTH, INNER, 27);
	weights_make("llama_w_up", up, WIDTH, INNER, 28);
	weights_make("llama_w_down", down, INNER, WIDTH, 29);
}

void data_llama(void)
{
	static double from[TOKENS][WIDTH], n[TOKENS][WIDTH], q[TOKENS][WIDTH], k[TOKENS][WIDTH], v[TOKENS][WIDTH], h[TOKENS][WIDTH], g[TOKENS][INNER],
		u[TOKENS][INNER], y[TOKENS][WIDTH];

	inputs_make();
	for (int i = 0; i < TOKENS * WIDTH; i++)
		from[i / WIDTH][i % WIDTH] = x[i / WIDTH][i % WIDTH];
	normalise(from[0], norm_1, n[0], TOKENS, WIDTH);
	multiply(n[0], wq, q[0], TOKENS, WIDTH, WIDTH);
	multiply(n[0], wk, k[0], TOKENS, WIDTH, WIDTH);
	multiply(n[0], wv, v[0], TOKENS, WIDTH, WIDTH);
	rotate(q);
	rotate(k);
	attend(q, k, v, n);
	multiply(n[0], wo, h[0], TOKENS, WIDTH, WIDTH);
	for (int i = 0; i < TOKENS * WIDTH; i++)
		h[i / WIDTH][i % WIDTH] += from[i / WIDTH][i % WIDTH];
	normalise(h[0], norm_2, n[0], TOKENS, WIDTH);
	multiply(n[0], gate, g[0], TOKENS, WIDTH, INNER);
	multiply(n[0], up, u[0], TOKENS, WIDTH, INNER);
	for (int i = 0; i < TOKENS * INNER; i++)
		g[i / INNER][i % INNER] *= u[i / INNER][i % INNER] / (1 + exp(-g[i / INNER][i % INNER]));
	multiply(g[0], down, y[0], TOKENS, INNER, WIDTH);
	for (int i = 0; i < TOKENS * WIDTH; i++)
		y[i / WIDTH][i % WIDTH] += h[i / WIDTH][i % WIDTH];
	data_save_rounded("llama_y", y[0], TOKENS, WIDTH);
}

/* ---- llama_layer: one head, no mask, 128 tokens ---------------------------------------------------------------------------- */

enum { SIDE = 128 };

/* Weights of few different values, which make a small package. */
static void square_make(const char *name, float w[SIDE][SIDE], uint64_t seed)
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			w[i][j] = (float)((int)data_below(seed << 32 | (uint64_t)(i * SIDE + j), 3) - 1) / 24;
	data_save_f32(name, w[0], SIDE, SIDE);
}

/* to = softmax(q k^T / sqrt(SIDE)) v */
static void attend_to_all(double q[SIDE][SIDE], double k[SIDE][SIDE], double v[SIDE][SIDE], double to[SIDE][SIDE])
{
	for (int t = 0; t < SIDE; t++) {
		double weight[SIDE], sum = 0;

		for (int s = 0; s < SIDE; s++) {
			weight[s] = 0;
			for (int c = 0; c < SIDE; c++)
				weight[s] += q[t][c] * k[s][c];
			sum += weight[s] = exp(weight[s] / sqrt(SIDE));
		}
		for (int c = 0; c < SIDE; c++) {
			to[t][c] = 0;
			for (int s = 0; s < SIDE; s++)
				to[t][c] += weight[s] / sum * v[s][c];
		}
	}
}

/* The task graph's angles: x cos + x sin, the same ones for every 32 tokens. */
static void turn(double rows[SIDE][SIDE], float cosines[32][SIDE], float sines[32][SIDE])
{
	for (int t = 0; t < SIDE; t++)
		for (int c = 0; c < SIDE; c++)
			rows[t][c] *= (double)cosines[t % 32][c] + sines[t % 32][c];
}

static void sum_make(double to[SIDE][SIDE], double with[SIDE][SIDE])
{
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			to[i][j] += with[i][j];
}

static void norm_make(const char *name, float weight[SIDE], uint64_t seed)
{
	data_fill(weight, SIDE, seed);
	for (int c = 0; c < SIDE; c++)
		weight[c] = 1 + weight[c] / 4;
	data_save_f32(name, weight, 1, SIDE);
}

void data_llama_layer_4(void)
{
	static const char *const names[] = {"wq", "wk", "wv", "wo", "w_gate", "w_up", "w_down"};
	static float w[7][SIDE][SIDE], norms[2][SIDE], cosines[32][SIDE], sines[32][SIDE], in[SIDE][SIDE], zeros[32][SIDE], least[32];
	static double from[SIDE][SIDE], n[SIDE][SIDE], q[SIDE][SIDE], k[SIDE][SIDE], v[SIDE][SIDE], h[SIDE][SIDE];
	char name[64];

	for (int i = 0; i < 7; i++) {
		snprintf(name, sizeof(name), "llama_layer_4_%s", names[i]);
		square_make(name, w[i], 90 + (uint64_t)i);
	}
	norm_make("llama_layer_4_attn_norm_weights", norms[0], 97);
	norm_make("llama_layer_4_mlp_norm_weights", norms[1], 98);
	for (int i = 0; i < SIDE; i++)
		for (int c = 0; c < SIDE; c++)
			from[i][c] = in[i][c] = (float)((int)data_below(UINT64_C(99) << 32 | (uint64_t)(i * SIDE + c), 31) - 15) / 16;
	for (int i = 0; i < 32; i++) {
		least[i] = -INFINITY;
		for (int c = 0; c < SIDE; c++) {
			cosines[i][c] = (float)cos(i * pow(10000, -2.0 * (c % 64) / SIDE));
			sines[i][c] = (float)sin(i * pow(10000, -2.0 * (c % 64) / SIDE));
		}
	}
	data_save_f32("llama_layer_4_input", in[0], SIDE, SIDE);
	data_save_f32("llama_layer_4_cos_cache", cosines[0], 32, SIDE);
	data_save_f32("llama_layer_4_sin_cache", sines[0], 32, SIDE);
	data_save_f32("llama_layer_4_const_zeros_large", zeros[0], 32, SIDE);
	data_save_f32("llama_layer_4_const_zeros_small", zeros[0], 32, 1);
	data_save_f32("llama_layer_4_const_neg_inf", least, 32, 1);

	normalise(from[0], norms[0], n[0], SIDE, SIDE);
	multiply(n[0], w[0][0], q[0], SIDE, SIDE, SIDE);
	multiply(n[0], w[1][0], k[0], SIDE, SIDE, SIDE);
	multiply(n[0], w[2][0], v[0], SIDE, SIDE, SIDE);
	turn(q, cosines, sines);
	turn(k, cosines, sines);
	attend_to_all(q, k, v, n);
	multiply(n[0], w[3][0], h[0], SIDE, SIDE, SIDE);
	sum_make(h, from);
	normalise(h[0], norms[1], n[0], SIDE, SIDE);
	multiply(n[0], w[4][0], q[0], SIDE, SIDE, SIDE);
	multiply(n[0], w[5][0], k[0], SIDE, SIDE, SIDE);
	for (int i = 0; i < SIDE; i++)
		for (int c = 0; c < SIDE; c++)
			q[i][c] *= k[i][c] / (1 + exp(-q[i][c]));
	multiply(q[0], w[6][0], v[0], SIDE, SIDE, SIDE);
	sum_make(v, h);
	data_save_rounded("llama_layer_4_output", v[0], SIDE, SIDE);
}

/* ---- llama_8k ----------------------------------------------------------------------------------------------------------------- */

/* Rows of the input are drawn from 29 different ones, so that a package of a million elements stays small. */
void data_llama_8k(void)
{
	enum { ROWS = 8192, COLUMNS = 128, POOL = 29 };
	static float w[COLUMNS * COLUMNS], weight[COLUMNS], in[ROWS][COLUMNS], out[ROWS][COLUMNS];
	static double pool[POOL][COLUMNS], n[POOL][COLUMNS], y[POOL][COLUMNS];

	data_fill(weight, COLUMNS, 31);
	for (int c = 0; c < COLUMNS; c++)
		weight[c] = 1 + weight[c] / 4;
	for (int i = 0; i < COLUMNS * COLUMNS; i++)
		w[i] = (float)((int)data_below(UINT64_C(32) << 32 | (uint64_t)i, 15) - 7) / 64;
	for (int i = 0; i < POOL * COLUMNS; i++)
		pool[i / COLUMNS][i % COLUMNS] = data_sample(UINT64_C(33) << 32 | (uint64_t)i);
	normalise(pool[0], weight, n[0], POOL, COLUMNS);
	multiply(n[0], w, y[0], POOL, COLUMNS, COLUMNS);
	for (int r = 0; r < ROWS; r++) {
		uint32_t from = data_below(UINT64_C(34) << 32 | (uint64_t)r, POOL);

		for (int c = 0; c < COLUMNS; c++) {
			in[r][c] = (float)pool[from][c];
			out[r][c] = (float)(y[from][c] * 0.5 + pool[from][c]);
		}
	}
	data_save_f32("llama_8k_x", in[0], ROWS, COLUMNS);
	data_save_f32("llama_8k_norm", weight, 1, COLUMNS);
	data_save_f32("llama_8k_w", w, COLUMNS, COLUMNS);
	data_save_f32("llama_8k_y", out[0], ROWS, COLUMNS);
}
