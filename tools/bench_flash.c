/* SPDX-License-Identifier: MIT */
/* bench_flash.c - flash attention of 4096 x 128, one head, with ptowsp-run on two threads: the rate of its products, as if nothing else
 * took time, beside that of products alone. */
#include "tools/bench_flash.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "ptowsp/base.h"

enum { ROWS = 4096, COLUMNS = 128, THREADS = 2 };

struct flash {
	const char *packages;
};

/* What the program said of its run; 0 if it did not. */
static double execute_ms(FILE *from)
{
	json_t *root = json_loadf(from, 0, NULL);
	const double ms = json_number_value(json_object_get(root, "execute_ms"));

	json_decref(root);
	return ms;
}

/* GFLOP/s of the two products. */
static int measure(void *context, double *value_out, struct ptowsp_error *error)
{
	const struct flash *f = context;
	char command[1024];
	FILE *from;
	double ms = 0;

	(void)error;
	snprintf(command, sizeof(command), "'%s/../bin/ptowsp-run' --quiet --threads %d --stats=json '%s/large/flash_attention_4k.pkg.zst' 2>/dev/null",
		 f->packages, THREADS, f->packages);
	from = popen(command, "r");
	if (from)
		ms = execute_ms(from);
	if (!from || pclose(from) || ms <= 0)
		return 1;
	*value_out = 4.0 * ROWS * ROWS * COLUMNS / (ms * 1e6);
	return 0;
}

void bench_flash(const struct bench_options *options, double rate)
{
	struct flash f = {options->packages};
	struct bench_row row = {.benchmark = "kernels", .subject = "flash attention 4096 x 128", .measure = "products, portable payload, two threads", .unit = "GFLOP/s"};
	char path[1024];
	double reached;

	snprintf(path, sizeof(path), "%s/large/flash_attention_4k.pkg.zst", options->packages);
	if (access(path, R_OK) || bench_measure(options, THREADS, &row.series, measure, &f, NULL)) {
		row.series.count = 0;
		row.reference = "flash_attention_4k is not here";
	}
	bench_table_row(&row);
	reached = bench_series_median(&row.series);
	row.measure = "of two threads of products 128^3";
	row.unit = "ratio";
	row.least = 0.6;
	row.series = (struct bench_series){0};
	if (reached > 0 && rate > 0)
		bench_table_value(row, reached / (THREADS * rate));
	else
		bench_table_row(&row);
}
