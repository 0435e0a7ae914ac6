/* SPDX-License-Identifier: MIT */
/* data.c - sample data of the examples, computed by plain loops that know nothing of tiles: data FOLDER writes
 * FOLDER/EXAMPLE_TENSOR.npy for each input and each expected output. */
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *folder;

/* NumPy 1.0, <f4, C order, header padded to 64 bytes. */
static void save(const char *name, const float *data, unsigned rows, unsigned columns)
{
	char path[4096], header[128];
	FILE *file;
	int length;

	snprintf(path, sizeof(path), "%s/%s.npy", folder, name);
	memset(header, ' ', sizeof(header));
	length = snprintf(header + 10, sizeof(header) - 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u), }", rows,
			  columns);
	header[10 + length] = ' ';
	memcpy(header, "\x93NUMPY\x01\x00\x76\x00", 10);
	header[sizeof(header) - 1] = '\n';
	file = fopen(path, "wb");
	if (!file || fwrite(header, sizeof(header), 1, file) != 1 ||
	    fwrite(data, sizeof(*data), (size_t)rows * columns, file) != (size_t)rows * columns || fclose(file)) {
		fprintf(stderr, "data: %s cannot be written: %s\n", path, strerror(errno));
		exit(1);
	}
}

/* Numbers in [-1, 1) that are the same everywhere: splitmix64 of the index. */
static float sample(uint64_t index)
{
	uint64_t z = index * UINT64_C(0x9E3779B97F4A7C15) + UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	z ^= z >> 31;
	return (float)((double)(z >> 40) / (1 << 23) - 1.0);
}

static void fill(float *data, unsigned count, uint64_t seed)
{
	for (unsigned i = 0; i < count; i++)
		data[i] = sample(seed << 32 | i);
}

static void vector_add(void)
{
	enum { N = 2048 };
	static float a[N], b[N], c[N];

	fill(a, N, 1);
	fill(b, N, 2);
	for (int i = 0; i < N; i++)
		c[i] = a[i] + b[i];
	save("vector_add_a", a, 8, N / 8);
	save("vector_add_b", b, 8, N / 8);
	save("vector_add_c", c, 8, N / 8);
}

static void softmax(void)
{
	enum { ROWS = 29, COLUMNS = 16 };
	static float x[ROWS][COLUMNS], y[ROWS][COLUMNS];

	fill(x[0], ROWS * COLUMNS, 3);
	for (int r = 0; r < ROWS; r++) {
		double largest = -INFINITY, sum = 0;

		for (int c = 0; c < COLUMNS; c++)
			largest = x[r][c] > largest ? x[r][c] : largest;
		for (int c = 0; c < COLUMNS; c++)
			sum += exp(x[r][c] - largest);
		for (int c = 0; c < COLUMNS; c++)
			y[r][c] = (float)(exp(x[r][c] - largest) / sum);
	}
	save("softmax_x", x[0], ROWS, COLUMNS);
	save("softmax_y", y[0], ROWS, COLUMNS);
}

enum { SIDE = 64, TILE = 16, TILES = SIDE / TILE };

/* A matrix tile after tile: each tile is TILE x TILE consecutive elements. */
static void save_tiled(const char *name, float matrix[SIDE][SIDE])
{
	static float tiled[SIDE * SIDE];
	unsigned at = 0;

	for (int tile = 0; tile < TILES * TILES; tile++)
		for (int r = 0; r < TILE; r++)
			for (int c = 0; c < TILE; c++)
				tiled[at++] = matrix[tile / TILES * TILE + r][tile % TILES * TILE + c];
	save(name, tiled, TILES * TILES * TILE, TILE);
}

static void matmul(void)
{
	static float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];

	fill(a[0], SIDE * SIDE, 4);
	fill(b[0], SIDE * SIDE, 5);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			double sum = 0;

			for (int k = 0; k < SIDE; k++)
				sum += (double)a[i][k] * b[k][j];
			c[i][j] = (float)sum;
		}
	save_tiled("matmul_a", a);
	save_tiled("matmul_b", b);
	save_tiled("matmul_c", c);
}

static void tiles(void)
{
	enum { ROWS = 32, COLUMNS = 64 };
	static float x[ROWS][COLUMNS], y[ROWS][COLUMNS];

	fill(x[0], ROWS * COLUMNS, 6);
	for (int r = 0; r < ROWS; r++)
		for (int c = 0; c < COLUMNS; c++)
			y[r][c] = x[r][c] * x[r][c] + x[r][c];
	save("tiles_x", x[0], ROWS, COLUMNS);
	save("tiles_y", y[0], ROWS, COLUMNS);
}

/* Each row twice, and the row at the place of its largest element among the first 32. */
static void deepseek(void)
{
	enum { ROWS = 1024, COLUMNS = 64, KEYS = 32 };
	static float x[ROWS][COLUMNS], y[ROWS][COLUMNS];

	fill(x[0], ROWS * COLUMNS, 7);
	for (int r = 0; r < ROWS; r++) {
		int best = 0;

		for (int k = 1; k < KEYS; k++)
			best = x[r][k] > x[r][best] ? k : best;
		for (int c = 0; c < COLUMNS; c++)
			y[r][c] = x[r][c] * 2 + x[best][c];
	}
	save("deepseek_x", x[0], ROWS, COLUMNS);
	save("deepseek_y", y[0], ROWS, COLUMNS);
}

int main(int argc, char **argv)
{
	if (argc != 2) {
		fputs("usage: data FOLDER\n", stderr);
		return 2;
	}
	folder = argv[1];
	if (mkdir(folder, 0777) && errno != EEXIST) {
		fprintf(stderr, "data: %s cannot be made: %s\n", folder, strerror(errno));
		return 1;
	}
	vector_add();
	softmax();
	matmul();
	tiles();
	deepseek();
	return 0;
}
