/* SPDX-License-Identifier: MIT */
/* measured.c - --measured: which tile sizes would be faster, by what a run has measured of these kernels. */
#include "tools/pack/pack.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "format/format_package.h"
#include "registry/text.h"
#include "tools/apart.h"

enum {
	LEAST_TASKS = 64, /* of a kernel: fewer say nothing about tasks */
	MOST_TIMES = 64,  /* as large a tile */
	TASKS_LEFT = 4,   /* for each thread, so that all have something to do */
	WORTH = 80        /* percent of the time that is left: less is worth a line */
};

/* Figures of a run: the time of a task besides its kernel, and how many threads took tasks. */
struct measured {
	const json_t *rows;
	double around_ns, threads;
};

static double number(const json_t *of, const char *name)
{
	return json_number_value(json_object_get(of, name));
}

static bool is_kernel(const json_t *row)
{
	return json_integer_value(json_object_get(row, "operations")) == 0;
}

static struct measured measured_of(const json_t *profile)
{
	struct measured m = {json_object_get(profile, "rows"), 0, number(profile, "threads")};
	double tasks = 0, outside;
	size_t i;
	json_t *row;

	json_array_foreach(m.rows, i, row) tasks += is_kernel(row) ? number(row, "calls") : 0;
	outside = number(profile, "run_ns") * (m.threads < tasks ? m.threads : tasks) - number(profile, "kernels_ns");
	m.around_ns = tasks > 0 && outside > 0 ? outside / tasks : 0;
	return m;
}

static const struct ptowsp_debug_record *place_of(const struct pkg_tables *t, uint32_t kernel)
{
	for (uint32_t i = 0; i < t->debug_count; i++)
		if (t->debug[i].kind == 1 && t->debug[i].row == kernel)
			return &t->debug[i];
	return NULL;
}

/* The first tile that a kernel of this name moves, NULL: there is none; *kernel_out its row. */
static const struct ptowsp_param_record *tile_of(const struct pkg_tables *t, const char *name, uint32_t *kernel_out)
{
	for (uint32_t k = 0; name && k < t->kernel_count; k++)
		for (uint32_t i = 0; !strcmp(pkg_string(t, t->kernel[k].name), name) && i < t->kernel[k].param_count; i++) {
			const struct ptowsp_param_record *param = &t->param[t->kernel[k].params + i];

			*kernel_out = k;
			if (param->kind == PTOWSP_PARAM_TENSOR && param->rows && param->columns)
				return param;
		}
	return NULL;
}

/* A tile so many times as high takes so many times as long, with one task around it in place of so many. */
static void kernel_tell(const struct pkg_tables *t, const struct measured *m, const json_t *row)
{
	const double calls = number(row, "calls"), each = calls > 0 ? number(row, "wall_ns") / calls : 0;
	const char *name = json_string_value(json_object_get(row, "kernel"));
	uint32_t kernel = 0;
	const struct ptowsp_param_record *tile = tile_of(t, name, &kernel);
	const struct ptowsp_debug_record *place = tile ? place_of(t, kernel) : NULL;
	unsigned times = 1;
	double left;

	while (times < MOST_TIMES && m->around_ns / times > each / 4 && calls / (2 * times) >= TASKS_LEFT * m->threads)
		times *= 2;
	left = 100 * (each + m->around_ns / times) / (each + m->around_ns + 1e-9);
	if (!tile || calls < LEAST_TASKS || left > WORTH)
		return;
	if (place)
		fprintf(stderr, "%s:%u:%u: ", pkg_string(t, place->file), place->line, place->column);
	fprintf(stderr,
		"measured: a task of @%.80s, with tiles of %ux%u, took %.0f ns and %.0f ns around it; with tiles of %ux%u it would be %.0f %% of that for the "
		"same elements\n",
		name, tile->rows, tile->columns, each, m->around_ns, tile->rows * times, tile->columns, left);
}

ptowsp_status pack_measured_tell(const struct pkg_tables *t, const char *path, struct ptowsp_error *error)
{
	json_error_t why;
	json_t *root, *row;
	struct measured m;
	size_t i;
	ptowsp_status status = apart_input(path, "what was measured", error);

	if (status)
		return status;
	root = json_load_file(path, 0, &why);
	m = measured_of(json_object_get(root, "profile"));
	if (!json_is_array(m.rows))
		status = reg_fail(error, PTOWSP_INVALID, "--measured=%.100s: %s; give it what ptowsp-run --profile --stats=json prints", path,
				  root ? "it has no profile" : why.text);
	json_array_foreach(m.rows, i, row) if (is_kernel(row)) kernel_tell(t, &m, row);
	json_decref(root);
	return status;
}
