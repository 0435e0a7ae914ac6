/* SPDX-License-Identifier: MIT */
/* flash.c - flash attention of 4096 x 128, one head, with ptowsp-run on two threads: the rate of its products, as if nothing else
 * took time, beside that of products alone, on two threads as well and right before and after each run: how fast two processors are
 * at once, and what others take from them, changes from moment to moment. */
#include "tools/bench/flash.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "isa/product.h"
#include "ptowsp/base.h"

enum { ROWS = 4096, COLUMNS = 128, THREADS = 2, SIDE = 128, PRODUCTS = 500 };

/* What one run gives beside its value. */
struct flash {
	const char *packages;
	struct bench_series products, run, whole; /* GFLOP/s of products alone; of a run; ms of the whole program */
};

/* What the program said of its run; 0 if it did not. */
static double execute_ms(FILE *from)
{
	json_t *root = json_loadf(from, 0, NULL);
	const double ms = json_number_value(json_object_get(root, "execute_ms"));

	json_decref(root);
	return ms;
}

static void *products_run(void *context)
{
	float *a = context, *b = a + SIDE * SIDE, *d = b + SIDE * SIDE;

	for (unsigned i = 0; i < PRODUCTS; i++)
		product_f32(d, NULL, a, b, SIDE, SIDE, SIDE);
	return NULL;
}

/* GFLOP/s of THREADS threads together. */
static double products_rate(void)
{
	_Alignas(64) static float tiles[THREADS][3 * SIDE * SIDE];
	pthread_t threads[THREADS];
	unsigned count = 0;
	uint64_t ns;

	for (unsigned i = 0; i < THREADS * 3 * SIDE * SIDE; i++)
		tiles[i / (3 * SIDE * SIDE)][i % (3 * SIDE * SIDE)] = (float)(i * 37 % 101) - 50;
	ns = bench_now_ns();
	while (count < THREADS && !pthread_create(&threads[count], NULL, products_run, tiles[count]))
		count++;
	for (unsigned i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	ns = bench_now_ns() - ns;
	return 2.0 * SIDE * SIDE * SIDE * PRODUCTS * count / (double)ns;
}

/* GFLOP/s of the two products of attention by the time that the program says of its run; ms of all of the program by the clock. */
static bool program_run(struct flash *f, double *rate_out, double *whole_out)
{
	char command[1024];
	const uint64_t begin = bench_now_ns();
	FILE *from;
	double ms = 0;

	snprintf(command, sizeof(command), "'%s/../bin/ptowsp-run' --quiet --threads %d --stats=json '%s/large/flash_attention_4k.pkg.zst' 2>/dev/null",
		 f->packages, THREADS, f->packages);
	from = popen(command, "r");
	if (from)
		ms = execute_ms(from);
	if (!from || pclose(from) || ms <= 0)
		return false;
	*rate_out = 4.0 * ROWS * ROWS * COLUMNS / (ms * 1e6);
	*whole_out = (double)(bench_now_ns() - begin) / 1e6;
	return true;
}

/* The rate of a run over that of products around it. */
static int measure(void *context, double *value_out, struct ptowsp_error *error)
{
	struct flash *f = context;
	const double before = products_rate();
	double rate, whole, products;

	(void)error;
	if (!program_run(f, &rate, &whole))
		return 1;
	products = (before + products_rate()) / 2;
	if (f->run.count < BENCH_REPS_LIMIT) { /* those that are taken again, too */
		bench_series_add(&f->products, products);
		bench_series_add(&f->run, rate);
		bench_series_add(&f->whole, whole);
	}
	*value_out = rate / products;
	return 0;
}

void bench_flash(const struct bench_options *options)
{
	static struct flash f;
	struct bench_series ratio = {0};
	struct bench_row row = {.benchmark = "kernels", .subject = "flash attention 4096 x 128", .unit = "GFLOP/s"};
	char path[1024];

	f = (struct flash){.packages = options->packages};
	snprintf(path, sizeof(path), "%s/large/flash_attention_4k.pkg.zst", options->packages);
	if (access(path, R_OK) || bench_measure(options, THREADS, &ratio, measure, &f, NULL)) {
		f = (struct flash){.packages = options->packages};
		ratio.count = 0;
		row.reference = "flash_attention_4k is not here";
	}
	row.measure = "products 128^3 alone, two threads";
	row.series = f.products;
	bench_table_row(&row);
	row.measure = "run, portable payload, two threads";
	row.series = f.run;
	bench_table_row(&row);
	row.measure = "whole program: start, load, run, comparison";
	row.unit = "ms";
	row.series = f.whole;
	bench_table_row(&row);
	row.measure = "run / products alone, in turns";
	row.unit = "ratio";
	row.least = 0.6;
	row.series = ratio;
	bench_table_row(&row);
}
