/* SPDX-License-Identifier: MIT */
/* measured.c - --measured: which tile sizes would be faster, by what runs have measured of these kernels. */
#include "tools/pack/pack.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "format/format_package.h"
#include "registry/text.h"
#include "tools/apart.h"

enum {
	LEAST_TASKS = 64, /* of a kernel: fewer say nothing about tasks */
	MOST_TIMES = 64,  /* as large a tile */
	MOST_RUNS = 64,   /* of a file */
	TASKS_LEFT = 4,   /* for each thread, so that all have something to do */
	WORTH = 80        /* percent of the time that is left: less is worth a line */
};

/* The least and the most of several runs. */
struct span {
	double least, most;
};
/* Figures of runs: the time of a task besides its kernel, and how many threads took tasks. */
struct measured {
	const json_t *runs; /* profiles */
	struct span around_ns;
	double threads;
};

static double number(const json_t *of, const char *name)
{
	return json_number_value(json_object_get(of, name));
}

static bool is_kernel(const json_t *row)
{
	return json_integer_value(json_object_get(row, "operations")) == 0;
}

static void span_add(struct span *span, double value, bool first)
{
	span->least = first || value < span->least ? value : span->least;
	span->most = first || value > span->most ? value : span->most;
}

static double around_of(const json_t *profile)
{
	const double threads = number(profile, "threads");
	double tasks = 0, outside;
	size_t i;
	json_t *row;

	json_array_foreach(json_object_get(profile, "rows"), i, row) tasks += is_kernel(row) ? number(row, "calls") : 0;
	outside = number(profile, "run_ns") * (threads < tasks ? threads : tasks) - number(profile, "kernels_ns");
	return tasks > 0 && outside > 0 ? outside / tasks : 0;
}

static struct measured measured_of(const json_t *runs)
{
	struct measured m = {.runs = runs};
	size_t i;
	json_t *profile;

	json_array_foreach(runs, i, profile)
	{
		span_add(&m.around_ns, around_of(profile), i == 0);
		m.threads = number(profile, "threads") > m.threads ? number(profile, "threads") : m.threads;
	}
	return m;
}

/* Time of a call of the kernel, in the runs that have it; *calls_out: of the run with most. */
static struct span each_of(const struct measured *m, const char *name, double *calls_out)
{
	struct span each = {0};
	bool first = true;
	size_t i, k;
	json_t *profile, *row;

	*calls_out = 0;
	json_array_foreach(m->runs, i, profile) json_array_foreach(json_object_get(profile, "rows"), k, row)
	{
		const char *kernel = json_string_value(json_object_get(row, "kernel"));
		const double calls = number(row, "calls");

		if (!is_kernel(row) || !kernel || strcmp(kernel, name) || !(calls > 0))
			continue;
		span_add(&each, number(row, "wall_ns") / calls, first);
		*calls_out = calls > *calls_out ? calls : *calls_out;
		first = false;
	}
	return each;
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
	for (uint32_t k = 0; k < t->kernel_count; k++)
		for (uint32_t i = 0; !strcmp(pkg_string(t, t->kernel[k].name), name) && i < t->kernel[k].param_count; i++) {
			const struct ptowsp_param_record *param = &t->param[t->kernel[k].params + i];

			*kernel_out = k;
			if (param->kind == PTOWSP_PARAM_TENSOR && param->rows && param->columns)
				return param;
		}
	return NULL;
}

/* "100 ns", or "100 to 140 ns" of several runs. */
static const char *span_text(const struct span *span, char text[64])
{
	if (span->most - span->least < 0.5)
		snprintf(text, 64, "%.0f ns", span->least);
	else
		snprintf(text, 64, "%.0f to %.0f ns", span->least, span->most);
	return text;
}

static void line_print(const struct pkg_tables *t, const struct measured *m, const char *name, const struct span *each, unsigned times, double left)
{
	const size_t runs = json_array_size(m->runs);
	char took[64], around[64], count[32] = "one run";
	uint32_t kernel = 0;
	const struct ptowsp_param_record *tile = tile_of(t, name, &kernel);
	const struct ptowsp_debug_record *place = place_of(t, kernel);

	if (place)
		fprintf(stderr, "%s:%u:%u: ", pkg_string(t, place->file), place->line, place->column);
	if (runs > 1)
		snprintf(count, sizeof(count), "%zu runs", runs);
	fprintf(stderr,
		"measured: a task of @%.80s, with tiles of %ux%u, took %s and %s around it in %s; with tiles of %ux%u it would be %.0f %% of %s for the "
		"same elements\n",
		name, tile->rows, tile->columns, span_text(each, took), span_text(&m->around_ns, around), count, tile->rows * times, tile->columns, left,
		runs > 1 ? "the least of that" : "that");
}

/* A tile so many times as high takes so many times as long, with one task around it in place of so many. What disturbs a run makes it longer: the least is taken. */
static void kernel_tell(const struct pkg_tables *t, const struct measured *m, const char *name)
{
	uint32_t kernel;
	double calls, left;
	const struct span each = each_of(m, name, &calls);
	const double around_ns = m->around_ns.least;
	unsigned times = 1;

	while (times < MOST_TIMES && around_ns / times > each.least / 4 && calls / (2 * times) >= TASKS_LEFT * m->threads)
		times *= 2;
	left = 100 * (each.least + around_ns / times) / (each.least + around_ns + 1e-9);
	if (calls >= LEAST_TASKS && left <= WORTH && tile_of(t, name, &kernel))
		line_print(t, m, name, &each, times, left);
}

/* Profiles of the runs in the file, one behind the other; *why the rule that it breaks, NULL. */
static json_t *runs_read(const char *path, json_error_t *error, const char **why)
{
	FILE *file = fopen(path, "r");
	json_t *runs = json_array(), *root = NULL;
	int c = 0;

	*why = file ? NULL : "it cannot be read";
	while (!*why && c != EOF) {
		root = json_loadf(file, JSON_DISABLE_EOF_CHECK, error);
		if (!root)
			*why = error->text;
		else if (!json_is_array(json_object_get(json_object_get(root, "profile"), "rows")))
			*why = "it has no profile";
		else if (json_array_size(runs) == MOST_RUNS)
			*why = "it has more than 64 runs";
		else if (json_array_append(runs, json_object_get(root, "profile")))
			*why = "there is no memory for it";
		json_decref(root);
		while (!*why && (c = getc(file)) != EOF && isspace(c))
			;
		if (c != EOF)
			ungetc(c, file);
	}
	if (file)
		fclose(file);
	return runs;
}

ptowsp_status pack_measured_tell(const struct pkg_tables *t, const char *path, struct ptowsp_error *error)
{
	json_error_t place;
	const char *why;
	json_t *runs, *row;
	struct measured m;
	size_t i;
	ptowsp_status status = apart_input(path, "what was measured", error);

	if (status)
		return status;
	runs = runs_read(path, &place, &why);
	if (why)
		status = reg_fail(error, PTOWSP_INVALID, "--measured=%.100s: %s; give it what ptowsp-run --profile --stats=json prints", path, why);
	m = measured_of(runs);
	json_array_foreach(json_object_get(json_array_get(runs, 0), "rows"), i, row)
	{
		const char *name = json_string_value(json_object_get(row, "kernel"));

		if (!status && name && is_kernel(row))
			kernel_tell(t, &m, name);
	}
	json_decref(runs);
	return status;
}
