/* SPDX-License-Identifier: MIT */
/* examples.c - every example package through host and plugin, without kernels: tasks per millisecond, at a size of thousands of tasks where it has one to set. A trace
 * says before and after whether each task was there once, and every run has to have as many. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/ptowsp_host.h"
#include "tools/bench/bench.h"

#define SUFFIX ".pkg.zst"
#define PATH_SIZE 4096

/* What is set beyond the defaults; rows of one example stand together. The instructions script (instructions) has the same sizes. */
static const struct size {
	const char *example, *symbol, *value;
} sizes[] = {
#define X(example, symbol, value) {example, symbol, value},
#include "tools/bench/sizes.def"
#undef X
};

/* An example. */
struct subject {
	const struct bench_options *options;
	char name[256], path[PATH_SIZE];
	struct ptowsp_package *package;
	struct ptowsp_plan *plan;
	struct ptowsp_backend *backend;
	struct ptowsp_program *program;
	uint64_t tasks;
	uint8_t *seen; /* by task */
	uint64_t seen_room, seen_count, wrong;
	struct ptowsp_error *error;
};

/* ---- a program ----------------------------------------------------------------------------------------------------- */

static ptowsp_status load(struct subject *s)
{
	const struct ptowsp_backend_options backend = {.plugin = s->options->plugin ? s->options->plugin : "cpu_sim", .threads = s->options->threads};
	ptowsp_status st = ptowsp_package_open(&s->package, s->path, 0, s->error);

	if (!st)
		st = ptowsp_plan_create(&s->plan, s->package, NULL, s->error);
	if (!st)
		st = ptowsp_backend_open(&s->backend, &backend, s->error);
	if (!st)
		st = ptowsp_program_load(&s->program, s->backend, s->plan, 0, s->error);
	for (size_t i = 0; !st && !s->options->small && i < sizeof(sizes) / sizeof(*sizes); i++)
		if (!strcmp(s->name, sizes[i].example))
			st = ptowsp_value_set(s->program, sizes[i].symbol, sizes[i].value, s->error);
	return st;
}

static void unload(struct subject *s)
{
	ptowsp_program_unload(s->program);
	ptowsp_backend_close(s->backend);
	ptowsp_plan_destroy(s->plan);
	ptowsp_package_close(s->package);
	free(s->seen);
}

static int rate(void *context, double *value_out, struct ptowsp_error *error)
{
	const struct ptowsp_execute_options options = {.flags = PTOWSP_RUN_NO_KERNELS};
	struct subject *s = context;
	ptowsp_status st = ptowsp_prepare(s->program, &options, error);
	const uint64_t began = bench_now_ns();

	if (!st)
		st = ptowsp_execute(s->program, &options, error);
	*value_out = (double)s->tasks * 1e6 / (double)(bench_now_ns() - began);
	s->wrong += !st && ptowsp_stats(s->program)->tasks != s->tasks;
	return st;
}

/* ---- each task once ------------------------------------------------------------------------------------------------ */

static void trace(void *context, const struct ptowsp_trace_task *tasks, uint32_t count, uint32_t stride)
{
	struct subject *s = context;

	for (uint32_t i = 0; i < count; i++) {
		const struct ptowsp_trace_task *task = (const void *)((const char *)tasks + (size_t)i * stride);

		if (task->task >= s->seen_room || s->seen[task->task]++)
			s->wrong++;
		s->seen_count++;
	}
}

/* One run says how many there are, the second whether they are those. */
static ptowsp_status tasks_see(struct subject *s)
{
	double unused;
	ptowsp_status st = rate(s, &unused, s->error);

	s->tasks = st ? 0 : ptowsp_stats(s->program)->tasks;
	s->seen_room = s->tasks;
	s->seen_count = s->wrong = 0;
	free(s->seen);
	s->seen = calloc(s->tasks + 1, 1);
	if (!st && !s->seen)
		st = PTOWSP_NO_MEMORY;
	if (!st)
		st = ptowsp_trace_attach(s->program, trace, s, s->error);
	if (!st)
		st = rate(s, &unused, s->error);
	if (!st)
		st = ptowsp_trace_attach(s->program, NULL, NULL, s->error);
	s->wrong += s->seen_count != s->tasks;
	return st;
}

static ptowsp_status verdict(const struct subject *s)
{
	if (!s->wrong)
		return PTOWSP_OK;
	snprintf(s->error->text, sizeof(s->error->text), "%.100s: not every one of its %llu tasks was there once in every run", s->name, (unsigned long long)s->tasks);
	return PTOWSP_MISMATCH;
}

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

static void size_name(const struct subject *s, char *text, size_t size)
{
	int used = snprintf(text, size, "%.60s", s->name);

	for (size_t i = 0; !s->options->small && i < sizeof(sizes) / sizeof(*sizes); i++)
		if (!strcmp(s->name, sizes[i].example))
			used += snprintf(text + used, size - (size_t)used, " %s=%s", sizes[i].symbol, sizes[i].value);
}

static ptowsp_status example_measure(struct subject *s)
{
	char name[160];
	struct bench_row row = {.benchmark = "examples", .subject = name, .measure = "without kernels", .unit = "tasks/ms"};
	struct bench_row count = {.benchmark = "examples", .subject = name, .measure = "tasks", .unit = "tasks"};
	ptowsp_status st = load(s);

	size_name(s, name, sizeof(name));
	bench_table_progress(name, row.measure);
	if (!st)
		st = tasks_see(s);
	if (!st)
		bench_table_value(count, (double)s->tasks);
	if (!st && s->tasks) /* none where tensors say how many there are, which nobody reads without kernels */
		st = bench_measure(s->options, s->options->threads, &row.series, rate, s, s->error);
	if (!st)
		st = verdict(s);
	if (!st)
		bench_table_row(&row);
	return st;
}

static int is_package(const struct dirent *entry)
{
	const size_t length = strlen(entry->d_name), suffix = strlen(SUFFIX);

	return length > suffix && !strcmp(entry->d_name + length - suffix, SUFFIX);
}

/* Those of one folder. An example of two devices has no single program: it is left out. */
static ptowsp_status folder_measure(const struct bench_options *options, const char *folder, struct ptowsp_error *error)
{
	struct dirent **files = NULL;
	int count = scandir(folder, &files, is_package, alphasort);
	ptowsp_status st = count > 0 ? PTOWSP_OK : PTOWSP_IO;

	if (st)
		snprintf(error->text, sizeof(error->text), "no package in %.120s; give --packages DIR", folder);
	for (int i = 0; i < count; i++) {
		struct subject s = {.options = options, .error = error};

		snprintf(s.name, sizeof(s.name), "%.*s", (int)(strlen(files[i]->d_name) - strlen(SUFFIX)), files[i]->d_name);
		snprintf(s.path, sizeof(s.path), "%.3000s/%s", folder, files[i]->d_name);
		if (!st && strcmp(s.name, "two_devices"))
			st = example_measure(&s);
		unload(&s);
		free(files[i]);
	}
	free(files);
	return st;
}

int bench_examples(const struct bench_options *options)
{
	struct ptowsp_error error = {.head = PTOWSP_HEAD(error, ERROR)};
	char large[PATH_SIZE];
	ptowsp_status st = folder_measure(options, options->packages, &error);

	snprintf(large, sizeof(large), "%s/large", options->packages);
	if (!st && !access(large, R_OK)) /* these are not built with all others */
		st = folder_measure(options, large, &error);
	if (st)
		fprintf(stderr, "ptowsp-bench examples: %s\n", *error.text ? error.text : "out of memory");
	return st ? 1 : 0;
}
